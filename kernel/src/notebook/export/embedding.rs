//! `--embed`: the kernels of a program, compiled when it is exported, so that it needs no NVRTC.
//!
//! Which kernels a program has is known when it runs: their texts depend on the types, layouts and sizes of arrays. So the program runs once
//! on the GPU of this machine and records them, or a run on another machine has done that. The array library compiles the records: it is
//! asked by a program of two lines. Both programs are linked to the library of the installation, which takes seconds.

use super::check;
use super::manifest::{Project, package_name};
use super::program::{KERNELS, OUTPUT};
use crate::files;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable that names the folder of records, in a program's environment.
const RECORD: &str = "WARPCELL_RECORD_PROGRAMS";
/// That which chooses the device.
const DEVICE: &str = "WARPCELL_DEVICE";
/// What asks the array library.
const ASK: &str = "fn main() -> std::process::ExitCode {\n    \
                   warpcell::program::embedding(&std::env::args().skip(1).collect::<Vec<_>>())\n}\n";
/// So many lines of what a program has said at its end are shown.
const SHOWN: usize = 12;

/// The kernels that are wanted.
pub struct Wanted<'a> {
    /// As the user wrote them, such as `sm_80,sm_90`.
    pub architectures: &'a str,
    /// The folder with the records of another run.
    pub programs: Option<&'a Path>,
    /// The notebook's file.
    pub notebook: &'a Path,
}

impl Wanted<'_> {
    fn command(&self, more: &str) -> String {
        let name = self.notebook.file_name().unwrap_or_default().to_string_lossy();
        let name = if name.contains(' ') { format!("'{name}'") } else { name.into_owned() };
        format!("warpcell export {name} --to DIR{more}")
    }

    /// Puts the kernels into a project, which is written already. Gives what they are, in a few words.
    pub fn put(&self, project: &Project<'_>, folder: &Path) -> Result<String> {
        let work = tempfile::tempdir().context("a folder for kernels cannot be made")?;
        let asker = linked(project, ASK, "ask", work.path())?;
        let ask = |words: &[&str]| {
            let output = Command::new(&asker).args(words).output().context("the array library cannot be asked")?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let said = if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) };
            anyhow::Ok(said)
        };
        let words = |said: std::result::Result<String, String>| said.map_err(anyhow::Error::msg);
        // Before the program runs, which may take long.
        words(ask(&["check", self.architectures])?)?;
        let recorded = work.path().join("records");
        let records = match self.programs {
            Some(records) => records,
            None => {
                if let Err(reason) = ask(&["device"])? {
                    bail!("{}", self.without_device(&reason));
                }
                self.record(project, folder, work.path(), &recorded)?;
                &recorded
            }
        };
        let name = self.notebook.file_name().unwrap_or_default().to_string_lossy();
        let file = folder.join("src").join(KERNELS);
        let (records, file) = (records.to_string_lossy(), file.to_string_lossy());
        words(ask(&["compile", &records, self.architectures, &name, &file])?)
    }

    fn without_device(&self, reason: &str) -> String {
        format!(
            "the program has to run once to record its kernels, and no GPU can be used here: {reason}\nRecord them on a machine with a GPU, \
             and bring the folder `records` here:\n  {}\n  cd DIR && {RECORD}=records cargo run --release\n  {}",
            self.command(""),
            self.command(&format!(" --embed {} --programs records", self.architectures))
        )
    }

    /// Runs the program once, in the folder of the notebook. Its pictures go to a folder that does not stay.
    fn record(&self, project: &Project<'_>, folder: &Path, work: &Path, records: &Path) -> Result<()> {
        let pictures = work.join(OUTPUT).to_string_lossy().into_owned();
        // No line moves: messages of kernels name lines, so they are a part of what is recorded.
        let text = project.program.text.replacen(&format!("(\"{OUTPUT}\", "), &format!("({pictures:?}, "), 1);
        let name = package_name(project.stem);
        let program = match project.needs_installed_only() {
            true => linked(project, &text, &name.replace('-', "_"), work)?,
            // It has crates that the installation does not have.
            false => built(project, &text, &name, folder, work)?,
        };
        let errors = work.join("errors");
        let file = std::fs::File::create(&errors).context("a file for messages cannot be made")?;
        let place = std::path::absolute(self.notebook)?;
        let mut command = Command::new(&program);
        command.current_dir(place.parent().unwrap_or(Path::new("/"))).env(RECORD, records).env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        if !std::env::var(DEVICE).is_ok_and(|device| device.starts_with("cuda")) {
            command.env(DEVICE, "cuda:0");
        }
        let status = command.status().context("the program cannot be run")?;
        if !status.success() {
            let said = String::from_utf8_lossy(&std::fs::read(&errors).unwrap_or_default()).into_owned();
            let lines: Vec<&str> = said.lines().collect();
            bail!(
                "the program has failed while its kernels were recorded ({status}):\n{}\nCorrect the notebook, or record a run that succeeds: \
                 cd DIR && {RECORD}=records cargo run --release",
                lines[lines.len().saturating_sub(SHOWN)..].join("\n")
            );
        }
        if !records.is_dir() {
            bail!("the program has no kernels: export it without --embed: {}", self.command(""));
        }
        Ok(())
    }
}

/// A program that is linked to the array library of the installation.
fn linked(project: &Project<'_>, text: &str, name: &str, work: &Path) -> Result<PathBuf> {
    let (source, program) = (work.join(format!("{name}.rs")), work.join(name));
    files::write(&source, text)?;
    files::write(&work.join(KERNELS), "")?;
    let prelude = project.installation.prelude();
    let mut command = check::compiler(project.installation, name);
    command.arg(&source).args(["--cap-lints", "allow", "-C", "opt-level=1", "-C", "prefer-dynamic"]);
    command.arg("-C").arg(format!("link-arg=-Wl,-rpath,{}", prelude.display())).arg("-o").arg(&program);
    let output = command.output().context("the compiler cannot be run")?;
    if !output.status.success() {
        bail!("the program cannot be linked: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(program)
}

/// The program of a project that cargo builds, which takes minutes.
fn built(project: &Project<'_>, text: &str, name: &str, folder: &Path, work: &Path) -> Result<PathBuf> {
    let (main, target) = (folder.join("src/main.rs"), work.join("target"));
    files::write(&main, text)?;
    let mut command = project.cargo(folder);
    let output = command.args(["build", "--release", "--quiet"]).env("CARGO_TARGET_DIR", &target).output();
    let output = output.context("cargo cannot be run")?;
    files::write(&main, &project.program.text)?;
    if !output.status.success() {
        bail!("the program cannot be built: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(target.join("release").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_another_machine_are_whole() {
        let wanted = |notebook| Wanted { architectures: "sm_80,sm_90", programs: None, notebook: Path::new(notebook) };
        assert_eq!(
            wanted("folder/a.ipynb").without_device("there is none"),
            "the program has to run once to record its kernels, and no GPU can be used here: there is none\n\
             Record them on a machine with a GPU, and bring the folder `records` here:\n  \
             warpcell export a.ipynb --to DIR\n  \
             cd DIR && WARPCELL_RECORD_PROGRAMS=records cargo run --release\n  \
             warpcell export a.ipynb --to DIR --embed sm_80,sm_90 --programs records"
        );
        assert_eq!(wanted("my notes.ipynb").command(""), "warpcell export 'my notes.ipynb' --to DIR");
    }
}
