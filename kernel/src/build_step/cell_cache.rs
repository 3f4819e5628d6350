//! The user's cache of compiled cells. A cell whose generated code is the same as before is not compiled again: when it is run again, after
//! a restart, in another session.
//!
//! An entry is one file. Its name is a hash of everything that the compiler gets: the source, the arguments, the file for the prelude's
//! macros, the files of `:dep` crates, and the processor. The folder belongs to one compiler and one prelude. What the compiler has found out
//! by itself, by `include_str!` or `env!`, is in the entry and is compared before it is used. Names of sessions and cells do not count:
//! the entry function has the same name in all cells, and the compiled source has the same path in all sessions.
//!
//! A library is written to a new file for each run, so each run has its own statics.
//!
//! An installation may have entries for all of its users: `warpcell lessons precompile` makes them. They are only read. Whoever makes them
//! for another installation can name the folder of one that has them: what fits is taken from there.

use super::cell::CellCrate;
use super::compile_ahead::{CompileGoal, Compiled};
use super::compiler_message::CompilerMessage;
use super::flags::{self, NATIVE};
use super::functions;
use super::messages::Types;
use super::names::end_of_items;
use crate::files;
use crate::hashing::{digest, hex};
use crate::installation::package::metadata::{CONTEXT_PLACEHOLDER, HOME_PLACEHOLDER};
use crate::installation::{CELLS, Installation, cache};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Turns the cache off if it is `0`. The path of a folder is the folder of an installation that is to be filled.
pub const CELL_CACHE: &str = "WARPCELL_CELL_CACHE";

/// The folder `cells` of another installation. What fits is taken from there when the cells of an installation are compiled.
const COMPILED_CELLS: &str = "WARPCELL_COMPILED_CELLS";

/// A part of each name. Another layout of the entries has another number.
const LAYOUT: &str = "layout 4";

/// The path of every compiled source, as panics and `file!` tell it. Only compiled code has it: the compiler's messages have the real path.
pub const COMPILED_SOURCE: &str = "/cell/lib.rs";

/// The name of every cell's entry function. evcxr numbers them.
pub const ENTRY: &str = "run_user_code_";

/// The most bytes of an entry, and of all entries. When there are more, the entries that were not used for the longest time are removed.
const MOST_OF_ENTRY: u64 = 32 << 20;
const MOST_OF_ALL: u64 = 512 << 20;

/// By how much the times of files may be behind.
const CLOCK: Duration = Duration::from_secs(1);

/// Adds what makes code the same in all sessions, and what tells which files it was made of.
pub fn add_arguments(command: &mut Command, source: &Path, context: &Path) {
    command
        .arg("--remap-path-prefix")
        .arg(format!("{}={COMPILED_SOURCE}", source.display()))
        .args(["--remap-path-scope", "macro,object"])
        .arg("--emit")
        .arg(format!("dep-info={}", dep_info(context).display()));
}

fn dep_info(context: &Path) -> PathBuf {
    context.join("target").join("ctx.d")
}

/// Forgets what an earlier compilation has read.
pub fn forget_inputs(context: &Path) {
    let _ = std::fs::remove_file(dep_info(context));
}

/// A source whose entry function has the name of all.
pub fn with_common_entry(source: &str) -> Cow<'_, str> {
    let Some(start) = entry_number(source) else { return Cow::Borrowed(source) };
    let digits = source[start..].bytes().take_while(u8::is_ascii_digit).count();
    Cow::Owned(format!("{}{}", &source[..start], &source[start + digits..]))
}

/// Where the number of the entry function stands.
fn entry_number(source: &str) -> Option<usize> {
    const HEAD: &str = "\npub extern \"C\" fn run_user_code_";
    // Before and behind it is the user's text.
    let items = end_of_items(source)?;
    source[items..].find(HEAD).map(|start| items + start + HEAD.len())
}

/// The place of a compilation in the cache.
pub struct CachedCell {
    folder: CacheFolder,
    /// Folders whose entries are used too.
    others: Vec<PathBuf>,
    name: String,
    /// Whether a failure is kept too. Not if something else than what the name tells may have caused it.
    keeps_failures: bool,
    context: PathBuf,
}

/// Where entries are kept.
enum CacheFolder {
    /// For this user.
    User(PathBuf),
    /// For all users of an installation.
    Installation(PathBuf),
}

impl CacheFolder {
    /// None if nothing is to be kept.
    fn of(installation: &Installation) -> Option<CacheFolder> {
        let set = std::env::var_os(CELL_CACHE).map(PathBuf::from);
        match set {
            Some(value) if value.as_os_str() == "0" => None,
            Some(folder) if folder.is_absolute() => Some(CacheFolder::Installation(folder)),
            _ => Some(CacheFolder::User(cache::crates_of(installation)?.join(CELLS))),
        }
    }

    fn path(&self) -> &Path {
        match self {
            CacheFolder::User(folder) | CacheFolder::Installation(folder) => folder,
        }
    }

    /// The folders whose entries are used too.
    fn others(&self, installation: &Installation) -> Vec<PathBuf> {
        let given = match self {
            CacheFolder::User(_) => None,
            CacheFolder::Installation(_) => std::env::var_os(COMPILED_CELLS).map(PathBuf::from),
        };
        [installation.home.join(CELLS)].into_iter().chain(given).collect()
    }

    /// Writes an entry.
    fn put(&self, name: &str, entry: &[u8], installation: &Installation) -> Result<()> {
        let folder = match self {
            CacheFolder::Installation(folder) => return files::replace_for_all(&folder.join(name), entry),
            CacheFolder::User(folder) => folder,
        };
        if !folder.is_dir() {
            if let Some(cache) = cache::folder() {
                crate::private::create_cache(&cache)?;
            }
            crate::private::create(folder)?;
        }
        cache::claim(folder.parent().context("no folder")?, installation)?;
        files::replace(&folder.join(name), entry)?;
        // Looking through the folder takes time, so not each entry does it.
        if name.ends_with('0') {
            prune(folder, MOST_OF_ALL);
        }
        Ok(())
    }
}

/// What an entry has before the library, as a line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    status: i32,
    stderr: String,
    types: Types,
    /// Other files that were read, with the hashes of their contents.
    files: Vec<(PathBuf, String)>,
    /// Variables of the environment that were asked for, as the compiler writes them: `NAME=VALUE`, or `NAME` if it was not set.
    variables: Vec<String>,
    /// A hash of the library.
    library: String,
}

impl CachedCell {
    /// The place for a compilation by `command` of `source`, which has the common entry. None if it is not to be kept.
    pub fn of(cell: &CellCrate<'_>, command: &Command, source: &str, goal: CompileGoal) -> Option<CachedCell> {
        let folder = CacheFolder::of(cell.installation)?;
        // What the linker finds beside the compiler is not known here.
        if links_libraries(source) {
            return None;
        }
        let crates = crates_of_the_user(&cell.dependencies.arguments)?;
        let (context, home) = (cell.context.to_str()?, cell.installation.home.to_str()?);
        let mut name = Sha256::new();
        let mut add = |part: &[u8]| {
            name.update(part.len().to_le_bytes());
            name.update(part);
        };
        let prelude = &cell.installation.record.prelude;
        [LAYOUT, &prelude.compiler, &prelude.identity].iter().for_each(|part| add(part.as_bytes()));
        add(format!("{goal:?}").as_bytes());
        let arguments: Option<Vec<String>> =
            command.get_args().map(|argument| Some(argument.to_str()?.to_owned())).collect();
        let arguments = arguments?;
        let (arguments, fits_all) = flags::for_all_machines(&arguments);
        if !fits_all {
            add(home.as_bytes());
        }
        for argument in arguments {
            add(argument.replace(context, CONTEXT_PLACEHOLDER).replace(home, HOME_PLACEHOLDER).as_bytes());
            if argument == NATIVE {
                add(format!("{:?}", processor()).as_bytes());
            }
        }
        add(&std::fs::read(functions::notebook_file(&cell.session)).unwrap_or_default());
        crates.iter().for_each(|file| add(file.as_bytes()));
        add(source.as_bytes());
        let reads = ["include", "env!", "path"].iter().any(|word| source.contains(word));
        Some(CachedCell {
            others: folder.others(cell.installation),
            folder,
            name: hex(&name.finalize()),
            keeps_failures: crates.is_empty() && !reads,
            context: cell.context.to_owned(),
        })
    }

    /// Takes the library from the cache, if there is one, and what the compiler said.
    pub fn take(&self, library: Option<&Path>) -> Option<Compiled> {
        let (head, contents) = self.find()?;
        if let Some(library) = library.filter(|_| head.status == 0) {
            std::fs::write(library, contents).ok()?;
        }
        let stderr = head.stderr.replace(CONTEXT_PLACEHOLDER, self.context.to_str()?);
        Some(Compiled { status: head.status, stderr, types: head.types })
    }

    /// The entry: in the own folder, else in another one. An installation that is filled gets a copy.
    fn find(&self) -> Option<(Head, Vec<u8>)> {
        read(&self.folder.path().join(&self.name)).or_else(|| {
            let (head, contents) = self.others.iter().find_map(|folder| read(&folder.join(&self.name)))?;
            if let CacheFolder::Installation(folder) = &self.folder {
                files::replace_for_all(&folder.join(&self.name), entry(&head, &contents).ok()?).ok()?;
            }
            Some((head, contents))
        })
    }

    /// Keeps what was compiled since `began`: the library, if there is one, and what the compiler said. Without room or rights nothing is kept.
    pub fn keep(&self, cell: &CellCrate<'_>, library: Option<&Path>, compiled: &Compiled, began: SystemTime) {
        let _ = self.write(cell, library, compiled, began);
    }

    fn write(
        &self,
        cell: &CellCrate<'_>,
        library: Option<&Path>,
        compiled: &Compiled,
        began: SystemTime,
    ) -> Result<()> {
        let (contents, found) = match compiled.status {
            0 => {
                let text = std::fs::read_to_string(dep_info(&self.context))?;
                (library.map(std::fs::read).transpose()?.unwrap_or_default(), Found::read(&text, &self.context))
            }
            _ if self.keeps_failures && is_about_the_source(&compiled.stderr) => (Vec::new(), Found::default()),
            _ => return Ok(()),
        };
        if contents.len() as u64 > MOST_OF_ENTRY {
            return Ok(());
        }
        let mut read = Vec::new();
        for file in found.files {
            // The compiler may have read other contents than these.
            if std::fs::metadata(&file)?.modified()? + CLOCK >= began {
                return Ok(());
            }
            let hash = digest(&std::fs::read(&file)?);
            read.push((file, hash));
        }
        let context = self.context.to_str().context("not text")?;
        let head = Head {
            status: compiled.status,
            stderr: compiled.stderr.replace(context, CONTEXT_PLACEHOLDER),
            types: compiled.types.clone(),
            files: read,
            variables: found.variables,
            library: digest(&contents),
        };
        self.folder.put(&self.name, &entry(&head, &contents)?, cell.installation)
    }
}

fn entry(head: &Head, library: &[u8]) -> Result<Vec<u8>> {
    let mut entry = serde_json::to_vec(head)?;
    entry.push(b'\n');
    entry.extend(library);
    Ok(entry)
}

/// The entry in a file, if it is whole, nobody else could have written it, and what was read for it is as it was.
fn read(path: &Path) -> Option<(Head, Vec<u8>)> {
    let mut file = File::open(path).ok()?;
    let folder = std::fs::metadata(path.parent()?).ok()?;
    if !is_safe(&file.metadata().ok()?) || !is_safe(&folder) {
        return None;
    }
    let mut contents = Vec::new();
    file.read_to_end(&mut contents).ok()?;
    let end = contents.iter().position(|&byte| byte == b'\n')?;
    let head: Head = serde_json::from_slice(&contents[..end]).ok()?;
    let library = contents.split_off(end + 1);
    let is_whole = head.library == digest(&library);
    let is_same = |(path, hash): &(PathBuf, String)| std::fs::read(path).is_ok_and(|text| digest(&text) == *hash);
    if !is_whole || !head.files.iter().all(is_same) || !head.variables.iter().all(|line| variable(line) == *line) {
        return None;
    }
    // So the entries that nobody uses are known.
    let _ = file.set_modified(SystemTime::now());
    Some((head, library))
}

/// Whether a source has an attribute that names a library to link: `link(…)`, also inside of others. A function of that name looks the
/// same.
fn links_libraries(source: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    source.match_indices("link").any(|(start, word)| {
        !source[..start].ends_with(is_word) && source[start + word.len()..].trim_start().starts_with('(')
    })
}

/// The ends of the paths of sources: of cells, and of questions about types.
const SOURCES: [&str; 2] = ["build/lib.rs", "build/types.rs"];

/// Codes of errors that another try may not have: crates and files that are missing or damaged, and memory that a constant takes.
const NOT_OF_THE_SOURCE: [&str; 13] = [
    "E0080", "E0457", "E0458", "E0460", "E0461", "E0462", "E0463", "E0464", "E0514", "E0519", "E0523", "E0583", "E0786",
];

/// Whether the compiler has refused a source, and would do so again: it came to its end, and each error has a code and a place in the
/// source. Others may be about the machine, such as a full disk.
fn is_about_the_source(stderr: &str) -> bool {
    let (counts, errors): (Vec<_>, Vec<_>) = CompilerMessage::errors(stderr).partition(CompilerMessage::is_count);
    let is_in_source = |error: &CompilerMessage| {
        let file = error.primary().and_then(|span| span["file_name"].as_str()).unwrap_or_default();
        SOURCES.iter().any(|source| file.ends_with(source))
            && !error.code().is_empty()
            && !NOT_OF_THE_SOURCE.contains(&error.code())
    };
    !counts.is_empty() && !errors.is_empty() && errors.iter().all(is_in_source)
}

/// What the compiler has found out by itself.
#[derive(Debug, Default, PartialEq)]
struct Found {
    files: Vec<PathBuf>,
    variables: Vec<String>,
}

impl Found {
    /// Reads what the compiler writes about its inputs: a line `PATH:` for each file, and `# env-dep:NAME=VALUE`.
    fn read(text: &str, context: &Path) -> Found {
        let mut own: Vec<PathBuf> =
            ["lib.rs", "root.rs", "types.rs"].map(|name| context.join("build").join(name)).into();
        own.push("/dev/stdin".into());
        let mut found = Found::default();
        for line in text.lines() {
            if let Some(variable) = line.strip_prefix("# env-dep:") {
                found.variables.push(variable.to_owned());
            } else if let Some(path) = line.strip_suffix(':') {
                let path = context.join(path.replace("\\ ", " "));
                if !own.contains(&path) {
                    found.files.push(path);
                }
            }
        }
        found
    }
}

/// A variable of a line `NAME=VALUE` as it is now, in the same form.
fn variable(line: &str) -> String {
    let name = line.split_once('=').map_or(line, |(name, _)| name);
    match std::env::var(name) {
        Ok(value) => format!("{name}={}", value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")),
        Err(_) => name.to_owned(),
    }
}

/// The files of the user's crates, with their sizes and times. None if a macro of theirs may read what is not known here.
fn crates_of_the_user(arguments: &[String]) -> Option<Vec<String>> {
    let mut crates = Vec::new();
    for pair in arguments.windows(2) {
        match &*pair[0] {
            "--extern" => {
                let file = pair[1].split_once('=').map_or(&*pair[1], |(_, file)| file);
                let found = std::fs::metadata(file).ok()?;
                crates.push(format!("{} {} {:?}", pair[1], found.len(), found.modified().ok()?));
            }
            "-L" => {
                let folder = pair[1].split_once('=').map_or(&*pair[1], |(_, folder)| folder);
                let has_macros =
                    files::paths_in(Path::new(folder)).any(|path| path.extension().is_some_and(|end| end == "so"));
                if has_macros {
                    return None;
                }
            }
            _ => {}
        }
    }
    Some(crates)
}

/// What tells processors apart. Timed cells have code for the one that they were compiled on.
pub(super) fn processor() -> Vec<u32> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        let (maker, kind) = (__cpuid(0), __cpuid(1));
        let mut words = vec![maker.ebx, maker.ecx, maker.edx, kind.eax, kind.ecx, kind.edx];
        for (leaf, part) in [(7, 0), (7, 1), (0xd, 1), (0x14, 0), (0x19, 0)] {
            if maker.eax >= leaf {
                let more = __cpuid_count(leaf, part);
                words.extend([more.eax, more.ebx, more.ecx, more.edx]);
            }
        }
        if __cpuid(0x8000_0000).eax >= 0x8000_0008 {
            let (more, last) = (__cpuid(0x8000_0001), __cpuid(0x8000_0008));
            words.extend([more.ecx, more.edx, last.ebx]);
        }
        // What the system allows.
        words.extend([is_x86_feature_detected!("avx"), is_x86_feature_detected!("avx512f")].map(u32::from));
        words
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// Whether nobody but this user and root can write to a file or folder.
pub(super) fn is_safe(found: &std::fs::Metadata) -> bool {
    // SAFETY: the call has no preconditions.
    let own = unsafe { libc::geteuid() };
    (found.uid() == own || found.uid() == 0) && found.mode() & 0o022 == 0
}

/// Removes the entries that were not used for the longest time, until the others take three quarters of `most` bytes.
pub(super) fn prune(folder: &Path, most: u64) {
    let known = |path: PathBuf| {
        let found = std::fs::metadata(&path).ok()?;
        Some((found.modified().ok()?, found.len(), path))
    };
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = files::paths_in(folder).filter_map(known).collect();
    let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
    if total <= most {
        return;
    }
    entries.sort_unstable();
    for (_, size, path) in entries {
        if total <= most / 4 * 3 {
            break;
        }
        let _ = std::fs::remove_file(path);
        total -= size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY_NAME: &str = "entry";

    #[test]
    fn all_cells_have_one_entry() {
        let named =
            with_common_entry("fn f() {}\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_17(\nmut x: u8")
                .into_owned();
        assert_eq!(named, format!("fn f() {{}}\n#[unsafe(no_mangle)]\npub extern \"C\" fn {ENTRY}(\nmut x: u8"));
        assert_eq!(with_common_entry("fn f() {}"), "fn f() {}");
        let quoted = format!("{named}\nr#\"\npub extern \"C\" fn run_user_code_5\"#");
        assert_eq!(with_common_entry(&quoted.replace(&format!("{ENTRY}("), &format!("{ENTRY}8("))), quoted);
    }

    #[test]
    fn what_the_compiler_has_read_is_found() {
        let text = "/s/target/libctx.so: /s/build/lib.rs /home/a\\ b.txt data.csv\n\n/s/build/lib.rs:\n/home/a\\ b.txt:\ndata.csv:\n\
                    /dev/stdin:\n\n# env-dep:MINE=a\\\\b\n# env-dep:UNSET\n";
        let found = Found::read(text, Path::new("/s"));
        assert_eq!(found.files, [PathBuf::from("/home/a b.txt"), PathBuf::from("/s/data.csv")]);
        assert_eq!(found.variables, ["MINE=a\\\\b", "UNSET"]);
        assert_eq!(variable("WARPCELL_NO_SUCH_VARIABLE=1"), "WARPCELL_NO_SUCH_VARIABLE");
        assert!(variable("PATH").starts_with("PATH="));
    }

    fn cached(folder: &Path) -> CachedCell {
        CachedCell {
            folder: CacheFolder::User(folder.to_owned()),
            others: vec![folder.join("installed")],
            name: ENTRY_NAME.to_owned(),
            keeps_failures: true,
            context: folder.to_owned(),
        }
    }

    fn write(folder: &Path, head: &Head, library: &[u8]) {
        files::create_folder(folder).unwrap();
        files::replace(&folder.join(ENTRY_NAME), entry(head, library).unwrap()).unwrap();
    }

    #[test]
    fn an_entry_is_used_only_if_nothing_has_changed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cell = cached(folder.path());
        let data = folder.path().join("data");
        std::fs::write(&data, "1").unwrap();
        let head = |variables: &[&str]| Head {
            status: 0,
            stderr: format!("at {CONTEXT_PLACEHOLDER}/build/lib.rs"),
            types: Types::new(),
            files: vec![(data.clone(), digest(b"1"))],
            variables: variables.iter().map(|line| (*line).to_owned()).collect(),
            library: digest(b"code"),
        };
        let library = folder.path().join("libctx.so");
        let take = |cell: &CachedCell| cell.take(Some(&library)).map(|compiled| compiled.stderr);
        assert_eq!(take(&cell), None, "there is none");
        write(folder.path(), &head(&["WARPCELL_NO_SUCH_VARIABLE"]), b"code");
        assert_eq!(take(&cell), Some(format!("at {}/build/lib.rs", folder.path().display())));
        assert_eq!(std::fs::read(&library).unwrap(), b"code");
        write(folder.path(), &head(&[]), b"c0de");
        assert_eq!(take(&cell), None, "it is damaged");
        std::fs::write(folder.path().join(ENTRY_NAME), "{").unwrap();
        assert_eq!(take(&cell), None, "it is cut");
        write(folder.path(), &head(&["WARPCELL_NO_SUCH_VARIABLE=1"]), b"code");
        assert_eq!(take(&cell), None, "a variable has another value");
        write(folder.path(), &head(&[]), b"code");
        std::fs::write(&data, "2").unwrap();
        assert_eq!(take(&cell), None, "a file has other contents");
        std::fs::write(&data, "1").unwrap();
        assert!(take(&cell).is_some());
        for (path, safe) in [(&*folder.path().join(ENTRY_NAME), 0o600), (folder.path(), 0o700)] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(safe | 0o022)).unwrap();
            assert_eq!(take(&cell), None, "others can write to {}", path.display());
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(safe)).unwrap();
        }
        assert!(take(&cell).is_some());
    }

    #[test]
    fn entries_of_the_installation_come_second() {
        let folder = tempfile::tempdir().unwrap();
        let cell = cached(folder.path());
        let head = |stderr: &str, status: i32| Head {
            status,
            stderr: stderr.to_owned(),
            types: Types::new(),
            files: Vec::new(),
            variables: Vec::new(),
            library: digest(b""),
        };
        let take =
            || cell.take(Some(&folder.path().join("libctx.so"))).map(|compiled| (compiled.status, compiled.stderr));
        write(&cell.others[0], &head("of all", 1), b"");
        assert_eq!(take(), Some((1, "of all".to_owned())));
        assert!(!folder.path().join(ENTRY_NAME).exists(), "a user needs no copy");
        write(folder.path(), &head("of the user", 0), b"");
        assert_eq!(take(), Some((0, "of the user".to_owned())));
        // An installation that is filled is whole without the other one.
        let filled = folder.path().join("filled");
        files::create_folder(&filled).unwrap();
        let filling = CachedCell { folder: CacheFolder::Installation(filled.clone()), ..cached(folder.path()) };
        assert_eq!(filling.take(None).unwrap().stderr, "of all");
        assert_eq!(
            std::fs::read(filled.join(ENTRY_NAME)).unwrap(),
            std::fs::read(cell.others[0].join(ENTRY_NAME)).unwrap()
        );
    }

    #[test]
    fn libraries_that_are_linked_are_seen() {
        for source in ["#[link(name = \"m\")]", "#[ link (name = \"m\")]", "#[cfg_attr(all(), link(name = \"m\"))]"] {
            assert!(links_libraries(source), "{source}");
        }
        for source in [
            "#[link_name = \"x\"] static X: u8;",
            "#[unsafe(link_section = \".init_array\")]",
            "unlink(1)",
            "let link = 1;",
        ] {
            assert!(!links_libraries(source), "{source}");
        }
    }

    #[test]
    fn errors_about_the_machine_are_not_kept() {
        let error = |code: &str, file: &str| {
            format!(
                r#"{{"message":"m","level":"error","code":{{"code":"{code}"}},"spans":[{{"is_primary":true,"file_name":"{file}"}}]}}"#
            )
        };
        let of_source = error("E0382", "/s/context/build/lib.rs");
        let count = r#"{"message":"aborting due to 1 previous error","level":"error","code":null,"spans":[]}"#;
        let full = r#"{"message":"failed to write: No space left on device","level":"error","code":null,"spans":[{"is_primary":true}]}"#;
        assert!(is_about_the_source(&format!("{of_source}\n{count}\n")));
        for text in [
            String::new(),
            format!("{count}\n"),
            format!("{of_source}\n"),
            format!("{of_source}\n{full}\n{count}\n"),
            format!("{}\n{count}\n", error("E0463", "/s/context/build/lib.rs")),
            format!("{}\n{count}\n", error("E0382", "/s/context/build/root.rs")),
            format!("{}\n{count}\n", error("", "/s/context/build/lib.rs")),
        ] {
            assert!(!is_about_the_source(&text), "{text}");
        }
    }

    #[test]
    fn old_entries_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        for (age, name) in ["new", "middle", "old"].iter().enumerate() {
            let path = folder.path().join(name);
            std::fs::write(&path, [0; 100]).unwrap();
            let used = now - Duration::from_secs(100 * age as u64);
            File::options().write(true).open(&path).unwrap().set_modified(used).unwrap();
        }
        prune(folder.path(), 300);
        assert_eq!(files::paths_in(folder.path()).count(), 3);
        prune(folder.path(), 299);
        let mut left: Vec<_> =
            files::paths_in(folder.path()).filter_map(|path| Some(path.file_name()?.to_owned())).collect();
        left.sort();
        assert_eq!(left, ["middle", "new"]);
    }
}
