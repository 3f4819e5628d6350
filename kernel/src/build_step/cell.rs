//! A cell crate, and the compiler's call for it.

use super::messages::BuildRequest;
use super::{cell_cache, compile_ahead, dependencies, flags, functions};
use crate::environment::SESSION;
use crate::installation::Installation;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler's surroundings of a cell.
pub struct CellCrate<'a> {
    pub installation: &'a Installation,
    pub context: &'a Path,
    pub session: PathBuf,
    opt_level: String,
    pub dependencies: dependencies::BuiltCrates,
}

impl CellCrate<'_> {
    /// The crate in evcxr's directory, with its `:dep` crates built.
    pub fn prepare<'a>(installation: &'a Installation, context: &'a Path) -> Result<CellCrate<'a>> {
        let session = std::env::var_os(SESSION).map(PathBuf::from).context("the session has no directory")?;
        if let Some(problem) = installation.problem() {
            bail!(problem);
        }
        let manifest = dependencies::CellManifest::read(context)?;
        let cell = CellCrate {
            installation,
            context,
            opt_level: manifest.opt_level.clone(),
            dependencies: dependencies::build(installation, &manifest)?,
            session,
        };
        Ok(cell)
    }

    /// The session's directory.
    pub fn session(&self) -> &Path {
        &self.session
    }

    /// The compiler call without its outputs.
    pub fn compiler(&self, source: &Path) -> Command {
        let options = BuildRequest::read(&self.session);
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
        for (name, file) in &self.installation.record.prelude.externs {
            if !self.dependencies.externs.contains(name) {
                command.arg("--extern").arg(format!("{name}={}", prelude.join(file).display()));
            }
        }
        command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTFLAGS").env_remove("RUSTC");
        command.env(functions::NOTEBOOK, functions::notebook_file(&self.session));
        command
    }

    /// The call for a source that is only checked.
    pub fn checker(&self, source: &Path) -> Command {
        let mut command = self.compiler(source);
        let metadata = self.context.join("target/libctx.rmeta");
        command.args(["--crate-type", "lib", "--emit"]).arg(format!("metadata={}", metadata.display()));
        cell_cache::add_arguments(&mut command, source, self.context);
        command
    }

    /// The message if the compiler does not start.
    pub fn cannot_run(&self) -> String {
        compile_ahead::cannot_run(&self.installation.real_tool("rustc"))
    }
}
