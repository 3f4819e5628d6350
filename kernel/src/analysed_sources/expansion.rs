//! A crate in which the compiler has expanded all macros, as one file (`rustc -Zunpretty=expanded`).

use super::{Calls, shortened};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// A call of the compiler that expands a crate.
pub struct Expansion(Command);

impl Expansion {
    /// Of the library `name` with this root file.
    pub fn new(compiler: &Path, name: &str, edition: &str, root: &Path) -> Expansion {
        let mut command = Command::new(compiler);
        command.args(["-Zunpretty=expanded", "--crate-type=lib", "--crate-name", name, "--edition", edition]).arg(root);
        command.env("RUSTC_BOOTSTRAP", "1").stdin(Stdio::null()).stderr(Stdio::null());
        Expansion(command)
    }

    /// Adds arguments for the compiler.
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Expansion {
        self.0.args(arguments);
        self
    }

    /// Adds a variable of the environment, which the crate reads.
    pub fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Expansion {
        self.0.env(name, value);
        self
    }

    /// The expanded text, as `prepare` changes it, without what rust-analyzer does not need. None if the compiler does not
    /// understand the crate.
    pub fn run(mut self, prepare: impl FnOnce(String) -> String) -> Option<String> {
        let output = self.0.output().ok().filter(|output| output.status.success())?;
        shortened(&prepare(String::from_utf8(output.stdout).ok()?), Calls::Expanded)
    }
}
