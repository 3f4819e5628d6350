//! How the code of a cell is generated and linked: the compiler's flags for short waits, or for measuring time.

use super::messages::BuildRequest;
use crate::files;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lets the compiler use all instructions of this machine's processor.
pub const NATIVE: &str = "target-cpu=native";

/// Adds the flags of code generation. `opt_level` is chosen by the user.
///
/// With `share-generics` a cell calls the instances of generic functions in the prelude (`instances.rs` there) and does
/// not compile them again. The flag is unstable, so it needs `RUSTC_BOOTSTRAP`. The user's code gets no unstable
/// features. Timed cells compile all their generic code themselves, for the processor of this machine.
pub fn generate_code(command: &mut Command, request: BuildRequest, opt_level: &str) {
    command.env("RUSTC_BOOTSTRAP", "1").arg("-Zallow-features=");
    if request.timed {
        command.args(["-C", "opt-level=3", "-C", NATIVE]);
    } else {
        command.arg("-C").arg(format!("opt-level={opt_level}"));
        command.args(["-C", "debug-assertions=on", "-C", "overflow-checks=on", "-Zshare-generics=y"]);
        // There is so little to compile that one unit is faster than several with an optimisation across them.
        command.args(["-C", "codegen-units=1"]);
    }
}

/// The flags for what is kept about code. Only profiled cells need tables of lines, and of what was built
/// into what. Tables of lines alone have no paths in names.
pub fn tables(request: BuildRequest) -> &'static [&'static str] {
    if request.profiled { &["-C", "strip=none", "-C", "debuginfo=limited"] } else { &["-C", "strip=debuginfo"] }
}

/// Adds the flags for code that runs on any processor of the target.
pub fn generate_portable_code(command: &mut Command) {
    command.env("RUSTC_BOOTSTRAP", "1").arg("-Zallow-features=").args(["-C", "opt-level=3"]);
}

/// The linker of the toolchain, with the arguments that the C compiler would pass. A direct call saves three processes
/// for each cell. It is called by a script, which leaves out the prelude and the standard library: half of the linker's time would
/// go into their tables of symbols. The cell's process has loaded both for all to see, so the loader finds them there.
#[derive(Debug, Serialize, Deserialize)]
pub struct Linker {
    /// `rust-lld`.
    program: PathBuf,
    /// Object files around the cell's own.
    first: Vec<PathBuf>,
    last: Vec<PathBuf>,
    /// Directories of the system's libraries.
    search: Vec<PathBuf>,
}

impl Linker {
    fn path(home: &Path) -> PathBuf {
        home.join("linker.json")
    }

    /// The script that calls the linker.
    fn script(home: &Path) -> PathBuf {
        home.join("tools/linker")
    }

    fn script_text(&self) -> String {
        let program = self.program.display().to_string().replace('\'', r"'\''");
        format!(
            "#!/bin/sh\nfor word; do\n  shift\n  case $word in\n  */libwarpcell.so | */libstd-*.so) ;;\n  *) set -- \"$@\" \"$word\" ;;\n  \
             esac\ndone\nexec '{program}' \"$@\"\n"
        )
    }

    /// Asks the C compiler how it links, and records this in the installation. If the answer is not understood, nothing
    /// is recorded and cells are linked through the C compiler.
    pub fn record(home: &Path, toolchain: &Path, target: &str) -> anyhow::Result<()> {
        let program = toolchain.join("lib/rustlib").join(target).join("bin/rust-lld");
        let Ok(answer) = Command::new("cc").args(["-shared", "-nodefaultlibs", "-###", "cell.o"]).output() else {
            return Ok(());
        };
        let Some(linker) = Linker::read(program, &String::from_utf8_lossy(&answer.stderr)) else { return Ok(()) };
        files::write(&Linker::path(home), serde_json::to_string_pretty(&linker)?)?;
        let script = Linker::script(home);
        files::create_folder(script.parent().unwrap_or(home))?;
        files::write(&script, linker.script_text())?;
        std::fs::set_permissions(&script, Permissions::from_mode(0o755))
            .with_context(|| format!("{} cannot be made executable", script.display()))
    }

    /// Takes the object files and directories out of what `cc -###` prints.
    fn read(program: PathBuf, answer: &str) -> Option<Linker> {
        let line = answer.lines().rev().find(|line| line.contains("crti.o"))?;
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('"')).collect();
        let object = |name: &str| words.iter().map(Path::new).find(|path| path.ends_with(name)).map(PathBuf::from);
        let linker = Linker {
            program,
            first: vec![object("crti.o")?, object("crtbeginS.o")?],
            last: vec![object("crtendS.o")?, object("crtn.o")?],
            search: words.iter().filter_map(|word| word.strip_prefix("-L")).map(PathBuf::from).collect(),
        };
        linker.is_usable().then_some(linker)
    }

    /// Whether all files exist. The C compiler may have changed since the installation.
    fn is_usable(&self) -> bool {
        [&self.program].into_iter().chain(&self.first).chain(&self.last).all(|file| file.is_file())
    }

    fn open(home: &Path) -> Option<Linker> {
        let linker: Linker = serde_json::from_str(&std::fs::read_to_string(Linker::path(home)).ok()?).ok()?;
        (linker.is_usable() && Linker::script(home).is_file()).then_some(linker)
    }
}

/// Adds the flags for linking. `plain` means that only the prelude and the system's libraries are linked. Crates of the
/// user may need arguments for the C compiler. Then the prelude is found in its present directory at run time.
pub fn link(command: &mut Command, home: &Path, prelude: &Path, plain: bool) {
    let Some(linker) = direct_linker(home, plain) else {
        command.arg("-C").arg(format!("link-arg=-Wl,-rpath,{}", prelude.display()));
        return;
    };
    command.arg("-C").arg(format!("linker={}", Linker::script(home).display())).args(["-C", "linker-flavor=ld.lld"]);
    for file in &linker.first {
        command.arg("-Z").arg(format!("pre-link-arg={}", file.display()));
    }
    for directory in &linker.search {
        command.arg("-C").arg(format!("link-arg=-L{}", directory.display()));
    }
    for file in &linker.last {
        command.arg("-C").arg(format!("link-arg={}", file.display()));
    }
}

/// The linker that is called directly, if that is possible.
fn direct_linker(home: &Path, plain: bool) -> Option<Linker> {
    if plain && std::env::var_os("LIBRARY_PATH").is_none() { Linker::open(home) } else { None }
}

/// Whether cells are linked without the C compiler.
pub fn is_linked_directly(home: &Path, plain: bool) -> bool {
    direct_linker(home, plain).is_some()
}

/// The arguments that [`link`] adds for a direct call of the linker. The library does not depend on them: they are places of the
/// system's files on this machine.
const OF_LINKER: [&str; 4] = ["linker=", "linker-flavor=", "link-arg=", "pre-link-arg="];

/// The arguments of a compiler that make a difference for its library, and whether the library fits all machines: it is linked
/// directly, and so names no directory.
pub fn for_all_machines(arguments: &[String]) -> (Vec<&str>, bool) {
    let is_direct = arguments.iter().any(|argument| argument == "linker-flavor=ld.lld");
    let of_linker = |argument: &str| OF_LINKER.iter().any(|name| argument.starts_with(name));
    let mut kept = Vec::new();
    let mut rest = arguments.iter().map(String::as_str).peekable();
    while let Some(argument) = rest.next() {
        let is_flag = ["-C", "-Z"].contains(&argument);
        if is_direct && is_flag && rest.peek().is_some_and(|next| of_linker(next)) {
            rest.next();
        } else {
            kept.push(argument);
        }
    }
    (kept, is_direct)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_the_c_compiler_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for name in ["rust-lld", "crti.o", "crtbeginS.o", "crtendS.o", "crtn.o"] {
            std::fs::write(at(name), "").unwrap();
        }
        let root = directory.path().display();
        let quoted = |word: &str| format!("\"{root}/{word}\"");
        // GCC puts quotes where they are necessary, clang everywhere.
        let gcc = format!(
            "Target: x\n collect2 -shared {root}/crti.o {root}/crtbeginS.o -L{root} -L/usr/lib cell.o {root}/crtendS.o \
             {root}/crtn.o\nCOLLECT_GCC_OPTIONS='-shared'\n"
        );
        let clang = format!(
            " \"ld\" \"-shared\" {} {} \"-L{root}\" \"-L/usr/lib\" \"cell.o\" {} {}\n",
            quoted("crti.o"),
            quoted("crtbeginS.o"),
            quoted("crtendS.o"),
            quoted("crtn.o")
        );
        for answer in [gcc, clang] {
            let linker = Linker::read(at("rust-lld"), &answer).unwrap();
            assert_eq!(linker.first, [at("crti.o"), at("crtbeginS.o")]);
            assert_eq!(linker.last, [at("crtendS.o"), at("crtn.o")]);
            assert_eq!(linker.search, [directory.path().to_owned(), PathBuf::from("/usr/lib")]);
        }
    }

    #[test]
    fn the_script_leaves_out_what_the_process_has_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("the user's echo");
        std::os::unix::fs::symlink("/bin/echo", &program).unwrap();
        let linker = Linker { program, first: Vec::new(), last: Vec::new(), search: Vec::new() };
        let words = ["-flavor", "gnu", "a b.o", "/p/libwarpcell.so", "/p/libstd-0123.so", "/p/libstdx.so", "-lc", "$x"];
        let output =
            Command::new("/bin/sh").arg("-c").arg(linker.script_text()).arg("linker").args(words).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "-flavor gnu a b.o /p/libstdx.so -lc $x\n", "{output:?}");
    }

    #[test]
    fn the_systems_places_make_no_difference_where_the_linker_is_called_directly() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let direct = "-C linker=/h/linker -C linker-flavor=ld.lld -Z pre-link-arg=/usr/crti.o -C strip=debuginfo -C link-arg=-L/usr -Zx";
        assert_eq!(for_all_machines(&words(direct)), (vec!["-C", "strip=debuginfo", "-Zx"], true));
        let by_compiler = words("-C link-arg=-Wl,-rpath,/h -C opt-level=1");
        assert_eq!(for_all_machines(&by_compiler), (by_compiler.iter().map(String::as_str).collect(), false));
    }

    #[test]
    fn where_a_file_is_missing_the_c_compiler_links() {
        assert!(Linker::read(PathBuf::from("/nonexistent/rust-lld"), "cc /a/crti.o /a/crtbeginS.o").is_none());
        assert!(Linker::read(PathBuf::from("/nonexistent/rust-lld"), "cc: command not understood").is_none());
    }
}
