//! How the code of a cell is generated and linked: the compiler's flags for short waits, or for measuring time.

use super::messages::BuildRequest;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Adds the flags of code generation. `opt_level` is chosen by the user.
///
/// With `share-generics` a cell calls the instances of generic functions in the prelude (`instances.rs` there) and does
/// not compile them again. The flag is unstable, so it needs `RUSTC_BOOTSTRAP`. The user's code gets no unstable
/// features. Timed cells compile all their generic code themselves, for the processor of this machine.
pub fn generate_code(command: &mut Command, request: BuildRequest, opt_level: &str) {
    command.env("RUSTC_BOOTSTRAP", "1").arg("-Zallow-features=");
    if request.timed {
        command.args(["-C", "opt-level=3", "-C", "target-cpu=native"]);
    } else {
        command.arg("-C").arg(format!("opt-level={opt_level}"));
        command.args(["-C", "debug-assertions=on", "-C", "overflow-checks=on", "-Zshare-generics=y"]);
        // There is so little to compile that one unit is faster than several with an optimisation across them.
        command.args(["-C", "codegen-units=1"]);
    }
}

/// The linker of the toolchain, with the arguments that the C compiler would pass. A direct call saves three processes
/// for each cell.
#[derive(Debug, Serialize, Deserialize)]
pub struct Linker {
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

    /// Asks the C compiler how it links, and records this in the installation. If the answer is not understood, nothing
    /// is recorded and cells are linked through the C compiler.
    pub fn record(home: &Path, toolchain: &Path, target: &str) -> anyhow::Result<()> {
        let program = toolchain.join("lib/rustlib").join(target).join("bin/rust-lld");
        let Ok(answer) = Command::new("cc").args(["-shared", "-nodefaultlibs", "-###", "cell.o"]).output() else {
            return Ok(());
        };
        let Some(linker) = Linker::read(program, &String::from_utf8_lossy(&answer.stderr)) else { return Ok(()) };
        Ok(std::fs::write(Linker::path(home), serde_json::to_string_pretty(&linker)?)?)
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
        linker.is_usable().then_some(linker)
    }
}

/// Adds the flags for linking. At run time the prelude is found in its present directory. `plain` means that only the
/// prelude and the system's libraries are linked. Crates of the user may need arguments for the C compiler.
pub fn link(command: &mut Command, home: &Path, prelude: &Path, plain: bool) {
    let linker = if plain && std::env::var_os("LIBRARY_PATH").is_none() { Linker::open(home) } else { None };
    let Some(linker) = linker else {
        command.arg("-C").arg(format!("link-arg=-Wl,-rpath,{}", prelude.display()));
        return;
    };
    command.arg("-C").arg(format!("linker={}", linker.program.display())).args(["-C", "linker-flavor=ld.lld"]);
    for file in &linker.first {
        command.arg("-Z").arg(format!("pre-link-arg={}", file.display()));
    }
    for directory in &linker.search {
        command.arg("-C").arg(format!("link-arg=-L{}", directory.display()));
    }
    command.args(["-C", "link-arg=-rpath", "-C"]).arg(format!("link-arg={}", prelude.display()));
    for file in &linker.last {
        command.arg("-C").arg(format!("link-arg={}", file.display()));
    }
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
    fn where_a_file_is_missing_the_c_compiler_links() {
        assert!(Linker::read(PathBuf::from("/nonexistent/rust-lld"), "cc /a/crti.o /a/crtbeginS.o").is_none());
        assert!(Linker::read(PathBuf::from("/nonexistent/rust-lld"), "cc: command not understood").is_none());
    }
}
