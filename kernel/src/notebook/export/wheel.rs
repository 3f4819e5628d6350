//! A wheel: the libraries of a package, without what belongs to this machine, and the archive.
//!
//! The package's library and the prelude are beside each other. The prelude gets a name of its own, as the loader takes a library of the same
//! name that the process has loaded, which may be of another version. The compiler writes the places of sources into libraries, for the
//! messages of panics. The folders above them are overwritten, and so are the user's and the installation's.

use crate::files;
use crate::hashing::digest;
use crate::private;
use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use object::LittleEndian;
use object::elf::{DT_NEEDED, DT_SONAME, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _, SectionHeader as _};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use zip::write::SimpleFileOptions;

/// The file name of the prelude's library.
const PRELUDE: &str = "libwarpcell.so";
/// What stands behind the folders that are overwritten: sources of crates, and of the standard library.
const SOURCES: [&[u8]; 2] = [b"/registry/src/", b"/lib/rustlib/src/rust/"];
/// Folders have shorter names.
const LONGEST: usize = 1024;
/// What they are overwritten with.
const FILLER: u8 = b'_';
/// The version of glibc that is there wherever wheels are installed.
const OLDEST: u32 = 17;

/// A file of a wheel: its path in it, and its contents.
pub struct Entry {
    pub path: String,
    pub contents: Vec<u8>,
}

impl Entry {
    pub fn text(path: impl Into<String>, text: impl Into<String>) -> Entry {
        Entry { path: path.into(), contents: text.into().into_bytes() }
    }
}

/// What a wheel says of itself.
pub struct Description<'a> {
    pub name: &'a str,
    pub version: &'a str,
    pub summary: &'a str,
    /// A page in Markdown.
    pub text: &'a str,
}

/// The libraries of a package.
pub struct Libraries {
    /// File names, and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// The least version of glibc, 2 and this.
    glibc: u32,
}

impl Libraries {
    /// The libraries that a package needs: its own with this name, the prelude with a name that has `identity` in it, and the standard library.
    /// Paths below one of `places` are not left, a place that is below another one coming first.
    pub fn of(
        name: &str,
        own: Vec<u8>,
        prelude: &Path,
        identity: &str,
        toolchain: &Path,
        places: &[PathBuf],
    ) -> Result<Libraries> {
        let folder = private::temporary(&std::env::temp_dir(), "warpcell-package-")
            .context("a folder for the libraries cannot be made")?;
        // As long as the old name, which it replaces.
        let renamed = format!("lib{}.so", &digest(identity.as_bytes())[..8]);
        let mut all = vec![(name.to_owned(), own), (renamed.clone(), read(&prelude.join(PRELUDE))?)];
        for library in needed(&all[1].1)?.iter().filter(|library| library.starts_with("libstd-")) {
            all.push((library.clone(), read(&prelude.join(library))?));
        }
        // The prelude has so many of them that they can be told from the texts before them.
        let folders: Vec<Vec<u8>> = SOURCES.iter().filter_map(|mark| folder_before(&all[1].1, mark)).collect();
        let mut libraries = Libraries { files: Vec::new(), glibc: OLDEST };
        for (name, contents) in all {
            let file = folder.path().join("library.so");
            files::write(&file, contents)?;
            strip(&file, toolchain)?;
            let mut contents = read(&file)?;
            rename(&mut contents, PRELUDE, &renamed)?;
            folders.iter().for_each(|folder| overwrite(&mut contents, folder));
            places.iter().for_each(|place| overwrite(&mut contents, place.as_os_str().as_encoded_bytes()));
            libraries.glibc = libraries.glibc.max(glibc_of(&contents)?);
            libraries.files.push((name, contents));
        }
        Ok(libraries)
    }

    /// The tag of a wheel with these libraries.
    pub fn tag(&self) -> String {
        format!("py3-none-manylinux_2_{}_x86_64", self.glibc)
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Removes what only compilers and debuggers read.
fn strip(library: &Path, toolchain: &Path) -> Result<()> {
    let own = std::fs::read_dir(toolchain.join("lib/rustlib")).into_iter().flatten().flatten();
    let own = own.map(|entry| entry.path().join("bin/rust-objcopy")).find(|program| program.is_file());
    let program = own.unwrap_or_else(|| PathBuf::from("objcopy"));
    let mut command = Command::new(&program);
    // The toolchain's own needs a library of the compiler's.
    command.args(["--strip-all", "--remove-section=.rustc"]).arg(library).env("LD_LIBRARY_PATH", toolchain.join("lib"));
    let output = command.output();
    let output = output.with_context(|| format!("{} cannot be run; install binutils", program.display()))?;
    if !output.status.success() {
        bail!("{} has failed: {}", program.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

type Header = FileHeader64<LittleEndian>;
const ENDIAN: LittleEndian = LittleEndian;

/// The entries of a library for the loader that are names: what each is, the place of the name in the file, and the name.
fn names(library: &[u8]) -> Result<Vec<(i64, usize, String)>> {
    let header = Header::parse(library)?;
    let sections = header.sections(ENDIAN, library)?;
    let mut found = Vec::new();
    for section in sections.iter() {
        let Some((entries, link)) = section.dynamic(ENDIAN, library)? else { continue };
        let strings = sections.section(link)?;
        let start = usize::try_from(strings.sh_offset(ENDIAN))?;
        let table = strings.data(ENDIAN, library)?;
        for entry in entries {
            let tag = entry.d_tag(ENDIAN);
            if ![DT_NEEDED, DT_SONAME].iter().any(|known| i64::from(*known) == tag as i64) {
                continue;
            }
            let place = usize::try_from(entry.d_val(ENDIAN))?;
            let name = table.get(place..).and_then(|rest| rest.split(|byte| *byte == 0).next()).unwrap_or_default();
            found.push((tag as i64, start + place, String::from_utf8_lossy(name).into_owned()));
        }
    }
    Ok(found)
}

/// The libraries that a library needs.
fn needed(library: &[u8]) -> Result<Vec<String>> {
    let names = names(library)?.into_iter();
    Ok(names.filter(|(tag, ..)| *tag == i64::from(DT_NEEDED)).map(|(.., name)| name).collect())
}

/// Gives a library that is called `from`, or needs one of that name, another name of the same length.
fn rename(library: &mut [u8], from: &str, to: &str) -> Result<()> {
    assert_eq!(from.len(), to.len(), "the name is overwritten");
    for (_, place, name) in names(library)? {
        if name == from {
            library[place..place + to.len()].copy_from_slice(to.as_bytes());
        }
    }
    Ok(())
}

/// The least version of glibc that a library needs: 2 and this.
fn glibc_of(library: &[u8]) -> Result<u32> {
    let header = Header::parse(library)?;
    let sections = header.sections(ENDIAN, library)?;
    let mut least = 0;
    for section in sections.iter() {
        let Some((mut files, link)) = section.gnu_verneed(ENDIAN, library)? else { continue };
        let strings = sections.strings(ENDIAN, library, link)?;
        while let Some((_, mut versions)) = files.next()? {
            while let Some(version) = versions.next()? {
                let name = version.name(ENDIAN, strings)?;
                let number = name.strip_prefix(b"GLIBC_2.").and_then(|rest| {
                    let digits = rest.split(|byte| *byte == b'.').next()?;
                    std::str::from_utf8(digits).ok()?.parse().ok()
                });
                least = least.max(number.unwrap_or(0));
            }
        }
    }
    Ok(least)
}

/// Overwrites the name of a folder, where a slash follows.
fn overwrite(library: &mut [u8], folder: &[u8]) {
    let whole = [folder, b"/"].concat();
    let mut from = 0;
    while let Some(place) = position(library, &whole, from) {
        // The first byte is a slash.
        library[place + 1..place + folder.len()].fill(FILLER);
        from = place + whole.len();
    }
}

/// The folder that stands before all places of a mark: the longest text that is the same before each of them, from a slash on. Texts of a
/// library follow one another without a sign between them.
fn folder_before(library: &[u8], mark: &[u8]) -> Option<Vec<u8>> {
    let mut common: Option<&[u8]> = None;
    let mut from = 0;
    while let Some(place) = position(library, mark, from) {
        from = place + 1;
        let before = &library[..place];
        common = Some(match common {
            None => &before[before.len().saturating_sub(LONGEST)..],
            Some(known) => {
                let same = known.iter().rev().zip(before.iter().rev()).take_while(|(one, other)| one == other).count();
                &known[known.len() - same..]
            }
        });
    }
    let common = common.filter(|common| common.len() < LONGEST)?;
    let start = common.iter().position(|byte| *byte == b'/')?;
    (start + 1 < common.len()).then(|| common[start..].to_vec())
}

/// Where bytes are, at a place or behind it.
fn position(library: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let (first, rest) = wanted.split_first()?;
    let mut place = from;
    loop {
        place += library.get(place..)?.iter().position(|byte| byte == first)?;
        if library[place + 1..].starts_with(rest) {
            return Some(place);
        }
        place += 1;
    }
}

/// Writes a wheel into a folder; gives its path.
pub fn write(folder: &Path, description: &Description<'_>, tag: &str, mut entries: Vec<Entry>) -> Result<PathBuf> {
    let Description { name, version, summary, text } = description;
    let information = format!("{name}-{version}.dist-info");
    entries.push(Entry::text(
        format!("{information}/METADATA"),
        format!(
            "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.23\n\
             Description-Content-Type: text/markdown\n\n{text}"
        ),
    ));
    entries.push(Entry::text(
        format!("{information}/WHEEL"),
        format!(
            "Wheel-Version: 1.0\nGenerator: warpcell {}\nRoot-Is-Purelib: false\nTag: {tag}\n",
            env!("CARGO_PKG_VERSION")
        ),
    ));
    let mut record = String::new();
    for Entry { path, contents } in &entries {
        let _ =
            writeln!(record, "{path},sha256={},{}", URL_SAFE_NO_PAD.encode(Sha256::digest(contents)), contents.len());
    }
    let _ = writeln!(record, "{information}/RECORD,,");
    entries.push(Entry::text(format!("{information}/RECORD"), record));
    files::create_folder(folder)?;
    let path = folder.join(format!("{name}-{version}-{tag}.whl"));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for Entry { path, contents } in &entries {
        let mode = if path.ends_with(".so") { 0o755 } else { 0o644 };
        archive.start_file(path.as_str(), SimpleFileOptions::default().unix_permissions(mode))?;
        archive.write_all(contents)?;
    }
    files::replace_as_usual(&path, archive.finish()?.into_inner())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_above_sources_are_overwritten() {
        let text = "3/w/a b/registry/src/i/x.rs\0cols/w/a b/registry/src/i/faer/lib.rs../w/a b/x and /w/a bc";
        let mut library = [vec![0; LONGEST], text.as_bytes().to_vec()].concat();
        assert_eq!(folder_before(&library, SOURCES[1]), None);
        let folder = folder_before(&library, SOURCES[0]).unwrap();
        assert_eq!(folder, b"/w/a b");
        overwrite(&mut library, &folder);
        assert_eq!(
            std::str::from_utf8(&library[LONGEST..]).unwrap(),
            "3/_____/registry/src/i/x.rs\0cols/_____/registry/src/i/faer/lib.rs../_____/x and /w/a bc"
        );
        // One alone cannot be told from what stands before it.
        let alone = [vec![b'/'; LONGEST], b"/w/registry/src/x.rs".to_vec()].concat();
        assert_eq!(folder_before(&alone, SOURCES[0]), None);
    }

    #[test]
    fn libraries_are_read_and_renamed() {
        // This program is a library, too.
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let libraries = needed(&program).unwrap();
        assert!(libraries.iter().any(|name| name == "libc.so.6"), "{libraries:?}");
        assert!((2..100).contains(&glibc_of(&program).unwrap()));
        let mut renamed = program;
        rename(&mut renamed, "libc.so.6", "libd.so.7").unwrap();
        let libraries = needed(&renamed).unwrap();
        assert!(libraries.iter().any(|name| name == "libd.so.7") && !libraries.iter().any(|name| name == "libc.so.6"));
    }

    #[test]
    fn wheels_list_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let description = Description { name: "mine", version: "1.2", summary: "Functions.", text: "# mine\n" };
        let entries = vec![Entry::text("mine/__init__.py", "x = 1\n")];
        let path = write(folder.path(), &description, "py3-none-manylinux_2_28_x86_64", entries).unwrap();
        assert!(path.ends_with("mine-1.2-py3-none-manylinux_2_28_x86_64.whl"));
        let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
        let record = std::io::read_to_string(archive.by_name("mine-1.2.dist-info/RECORD").unwrap()).unwrap();
        let first = record.lines().next().unwrap();
        // As `sha256sum` and `base64` have it.
        assert_eq!(first, "mine/__init__.py,sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6");
        assert!(record.ends_with("mine-1.2.dist-info/RECORD,,\n"));
    }
}
