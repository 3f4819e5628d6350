//! The command line.

use crate::kernelspec::{self, Place};
use crate::language::{self, Choice};
use crate::{doctor, server};
use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Rust GPU notebooks for Jupyter.
#[derive(Parser)]
#[command(name = "warpcell", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the kernel; Jupyter does this.
    Kernel {
        /// The file that names ports and key.
        #[arg(long, value_name = "FILE")]
        connection_file: PathBuf,
        /// Which evaluator runs the cells.
        #[arg(long, value_enum, default_value_t, hide = true)]
        evaluator: Choice,
    },
    /// Make the kernel known to Jupyter.
    Install(PlaceArguments),
    /// Make Jupyter forget the kernel. Nothing else is removed.
    Uninstall(PlaceArguments),
    /// Say what is installed, what is missing and what to do about it.
    Doctor,
    /// Load a library; part of `doctor`.
    #[command(hide = true)]
    ProbeLibrary {
        /// The library.
        path: PathBuf,
    },
}

/// Where the entry for Jupyter belongs; for the user if nothing is said.
#[derive(Args)]
#[group(multiple = false)]
struct PlaceArguments {
    /// For this user.
    #[arg(long)]
    user: bool,
    /// For the active Python environment.
    #[arg(long)]
    sys_prefix: bool,
    /// In share/jupyter below DIR.
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// Does what the arguments say.
pub fn main() -> ExitCode {
    run(Arguments::parse().command).unwrap_or_else(|error| {
        eprintln!("warpcell: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Kernel { connection_file, evaluator } => {
            server::serve(&connection_file, language::language(evaluator))?;
        }
        Command::Install(place) => {
            let directory = place.place().directory()?;
            let binary = std::env::current_exe().context("this program's place is not known")?;
            kernelspec::install(&directory, &binary)?;
            println!("Installed the kernel \"Rust GPU\" in {}", directory.display());
        }
        Command::Uninstall(place) => {
            let directory = place.place().directory()?;
            if kernelspec::uninstall(&directory)? {
                println!("Removed {}", directory.display());
            } else {
                println!("Nothing to remove in {}", directory.display());
            }
        }
        Command::Doctor => {
            if !doctor::run() {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::ProbeLibrary { path } => doctor::probe_library(&path)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl PlaceArguments {
    fn place(self) -> Place {
        match self.prefix {
            Some(prefix) => Place::Prefix(prefix),
            None if self.sys_prefix => Place::SysPrefix,
            None => Place::User,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
        let both = ["warpcell", "install", "--user", "--sys-prefix"];
        assert!(Arguments::try_parse_from(both).is_err());
    }
}
