//! The command line.

use crate::language::{self, Choice};
use crate::server;
use crate::setup;
use clap::{Parser, Subcommand};
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
    /// Install the kernel, its prelude and the kernelspec into a prefix.
    Install {
        /// The prefix: bin, lib and share are below it.
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
        /// Warpcell's source directory.
        #[arg(long, value_name = "DIR", default_value = ".")]
        source: PathBuf,
        /// The sources of the standard library, if the toolchain has none.
        #[arg(long, value_name = "DIR")]
        rust_src: Option<PathBuf>,
    },
    /// Remove what `install` has put into a prefix.
    Uninstall {
        /// The prefix.
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
    },
}

/// Does what the arguments say.
pub fn main() -> ExitCode {
    let result: anyhow::Result<()> = match Arguments::parse().command {
        Command::Kernel { connection_file, evaluator } => {
            language::language(evaluator).and_then(|language| server::serve(&connection_file, language))
        }
        Command::Install { prefix, source, rust_src } => {
            setup::install(&setup::Request { source: &source, prefix: &prefix, standard_library: rust_src.as_deref() })
        }
        Command::Uninstall { prefix } => setup::uninstall(&prefix),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("warpcell: {error:#}");
            ExitCode::FAILURE
        }
    }
}
