//! Compiles a cell: one `rustc` call against the installed prelude.

use super::functions::{self, Functions};
use super::rewrite::{self, Rewritten, Surroundings};
use super::variables::Findings;
use super::{dependencies, flags, replay};
use crate::environment::{SESSION, functions_listing};
use crate::installation::Installation;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How the next cell is compiled; the kernel's side channel to this step, a file in the session's directory.
///
/// `:opt` cannot carry this: it rewrites Cargo.toml, which makes rust-analyzer load everything again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildOptions {
    /// Whether the cell measures time: full optimisation for this processor, no overflow checks and assertions.
    pub timed: bool,
    /// Whether the user has asked to stop: nothing is compiled any more for this cell.
    pub interrupted: bool,
}

impl BuildOptions {
    fn path(session: &Path) -> PathBuf {
        session.join("build-options.json")
    }

    /// Leaves the options for the step.
    pub fn write(self, session: &Path) -> Result<()> {
        let path = BuildOptions::path(session);
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_string(&self)?)
            .and_then(|()| std::fs::rename(&new, &path))
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// What the kernel has left.
    pub fn read(session: &Path) -> BuildOptions {
        // Before the first cell (evcxr compiles one of its own) there is no file.
        std::fs::read_to_string(BuildOptions::path(session))
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }
}

fn compiler_file(session: &Path) -> PathBuf {
    session.join("compiler.pid")
}

/// Ends the compiler of the session's cell, if one runs.
pub fn stop_compiler(session: &Path) {
    let Some(pid) = std::fs::read_to_string(compiler_file(session)).ok().and_then(|text| text.trim().parse().ok())
    else {
        return;
    };
    // The number may belong to another process by now: only one that compiles for this session is ended.
    let is_ours = std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| contains(&environment, session.as_os_str().as_encoded_bytes()));
    if is_ours {
        let group: libc::pid_t = pid;
        // SAFETY: sends a signal to the process group that the step made for this compiler.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Makes this process the leader of a group that an interrupt of the cell ends; an error if the user has asked to stop.
pub fn lead_group(session: &Path) -> Result<()> {
    // SAFETY: makes this process the leader of a new group; only what it starts later is in it.
    unsafe { libc::setpgid(0, 0) };
    let path = compiler_file(session);
    std::fs::write(&path, std::process::id().to_string())
        .with_context(|| format!("{} cannot be written", path.display()))?;
    if BuildOptions::read(session).interrupted {
        bail!("interrupted");
    }
    Ok(())
}

struct Cell<'a> {
    installation: &'a Installation,
    context: &'a Path,
    session: PathBuf,
    opt_level: String,
    dependencies: dependencies::Built,
}

/// `cargo build` of the cell crate.
pub fn build(installation: &Installation, context: &Path) -> Result<i32> {
    let cell = Cell::prepare(installation, context)?;
    let source = context.join("src").join("lib.rs");
    let text = std::fs::read_to_string(&source).with_context(|| format!("{} cannot be read", source.display()))?;
    let rewritten = context.join("build").join("lib.rs");
    std::fs::create_dir_all(context.join("build"))?;
    let target = context.join("target").join(&installation.record.target).join("debug").join("deps");
    std::fs::create_dir_all(&target)?;
    let library = target.join("libctx.so");
    if let Some(file) = std::env::var_os("EVCXR_EXECUTION_SO_PATH") {
        std::fs::write(file, library.as_os_str().as_encoded_bytes())?;
    }
    // Without a listing, as before the first cell, nothing is registered.
    let listing = std::fs::read_to_string(functions_listing(&cell.session)).unwrap_or_default();
    let Functions { source: text, hashes } = Functions::read(&text, &listing);
    let crates = cell.dependencies.identities();
    let mut findings = Findings::default();
    for is_last in [false, false, true] {
        let Rewritten { text, plan } = {
            let own_display = cell.dependencies.own_display;
            rewrite::rewrite(&text, Surroundings { crates: &crates, own_display, findings: Some(&findings) })
        };
        std::fs::write(&rewritten, &text)?;
        let mut command = cell.compiler(&rewritten);
        if only_defines(&text) {
            // There is nothing to run, and so nothing to generate and to link: an empty library says that.
            std::fs::write(&library, "")?;
            cell.check_only(&mut command);
        } else {
            command.env(functions::HASHES, &hashes);
            command.args(["--crate-type", "cdylib", "--emit", "link", "-o"]).arg(&library);
        }
        if let Some(status) = replay::own_cell(installation, &text, &mut command, context, &library)? {
            return Ok(status);
        }
        if is_last || !plan.may_fail() {
            return cell.run(command);
        }
        let output = cell.run_watched(command)?;
        match plan.findings(&String::from_utf8_lossy(&output.stderr)) {
            Some(found) if !output.status.success() => findings.add(found),
            _ => {
                std::io::stdout().write_all(&output.stdout)?;
                std::io::stderr().write_all(&output.stderr)?;
                return Ok(output.status.code().unwrap_or(1));
            }
        }
    }
    unreachable!("the last attempt becomes the compiler")
}

/// What evcxr writes as the function of a cell without code of the user's.
const NOTHING_TO_RUN: &str = "mut x: *mut std::os::raw::c_void) -> *mut std::os::raw::c_void {x}";
/// What items may contain that has an effect, or may be in error, only when the cell is linked or loaded.
const LINKED: [&str; 4] = ["link", "vectorize", "global_asm", "ctor"];

/// Whether a cell consists of items only, which the compiler need but check.
fn only_defines(source: &str) -> bool {
    source.lines().any(|line| line == NOTHING_TO_RUN)
        && source.matches("no_mangle").count() == 1
        && !LINKED.iter().any(|word| source.contains(word))
}

/// `cargo check` of the cell crate.
pub fn check(installation: &Installation, context: &Path) -> Result<i32> {
    let cell = Cell::prepare(installation, context)?;
    let mut command = cell.compiler(&context.join("src").join("lib.rs"));
    std::fs::create_dir_all(context.join("target"))?;
    cell.check_only(&mut command);
    cell.run(command)
}

impl Cell<'_> {
    fn prepare<'a>(installation: &'a Installation, context: &'a Path) -> Result<Cell<'a>> {
        let session = std::env::var_os(SESSION).map(PathBuf::from).context("the session has no directory")?;
        if let Some(problem) = installation.problem() {
            bail!(problem);
        }
        let manifest = dependencies::Manifest::read(context)?;
        let cell = Cell {
            installation,
            context,
            opt_level: manifest.opt_level.clone(),
            dependencies: dependencies::build(installation, &manifest)?,
            session,
        };
        Ok(cell)
    }

    fn compiler(&self, source: &Path) -> Command {
        let options = BuildOptions::read(&self.session);
        let prelude = self.installation.prelude();
        let mut command = Command::new(self.installation.real_tool("rustc"));
        command
            .current_dir(self.context)
            .args(["--crate-name", "ctx", "--edition", "2024"])
            .arg(source)
            .args(["--error-format", "json", "--json", "diagnostic-rendered-ansi"])
            .args(["-C", "prefer-dynamic", "-C", "strip=debuginfo"])
            .arg("-L")
            .arg(format!("dependency={}", prelude.display()))
            .args(&self.dependencies.arguments);
        flags::generate_code(&mut command, options, &self.opt_level);
        flags::link(&mut command, &self.installation.home, &prelude, self.dependencies.externs.is_empty());
        for (name, file) in &self.installation.record.externs {
            if !self.dependencies.externs.contains(name) {
                command.arg("--extern").arg(format!("{name}={}", prelude.join(file).display()));
            }
        }
        command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTFLAGS").env_remove("RUSTC");
        command
    }

    fn check_only(&self, command: &mut Command) {
        command.args(["--crate-type", "lib", "--emit", "metadata", "-o"]).arg(self.context.join("target/libctx.rmeta"));
    }

    /// Becomes the compiler.
    fn run(&self, mut command: Command) -> Result<i32> {
        lead_group(&self.session)?;
        let error = command.exec();
        Err(error).with_context(|| self.cannot_run())
    }

    /// Runs the compiler to its end and keeps what it says.
    fn run_watched(&self, mut command: Command) -> Result<Output> {
        lead_group(&self.session)?;
        command.output().with_context(|| self.cannot_run())
    }

    fn cannot_run(&self) -> String {
        format!(
            "the compiler {} cannot be run; is the Rust toolchain still installed? `warpcell doctor` tells",
            self.installation.real_tool("rustc").display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_items_only_are_told_apart() {
        let cell = |items: &str| {
            format!("{items}\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_3(\n{NOTHING_TO_RUN}\n")
        };
        assert!(only_defines(&cell("fn f() -> u8 { 1 }")));
        assert!(!only_defines(
            "fn f() {}\npub extern \"C\" fn run_user_code_3(\nevcxr_variable_store: *mut u8) -> *mut u8 {\n"
        ));
        for items in [
            "#[link(name = \"m\")] unsafe extern \"C\" { fn sin(x: f64) -> f64; }",
            "#[unsafe(no_mangle)] pub fn f() {}",
            "#[unsafe(link_section = \".init_array\")] static F: fn() = f;",
            "#[vectorize] fn f(x: f32) -> f32 { x }",
        ] {
            assert!(!only_defines(&cell(items)), "{items}");
        }
    }
}
