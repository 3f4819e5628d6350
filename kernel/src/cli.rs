//! The command line.

use crate::language::{self, Choice};
use crate::server;
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
}

/// Does what the arguments say.
pub fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Kernel { connection_file, evaluator } => {
            server::serve(&connection_file, language::language(evaluator)).map(|()| ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|error| {
        eprintln!("warpcell: {error:#}");
        ExitCode::FAILURE
    })
}
