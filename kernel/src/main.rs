//! The Warpcell kernel: the command line, and the helpers that the kernel starts from the same binary.

// `printing.rs` has macros that do not panic where nobody reads.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod analysed_sources;
mod build_step;
mod cargo_metadata;
mod cell_process;
mod choices;
mod cli;
mod completeness;
mod controls;
mod doctor;
mod environment;
mod evaluator;
mod files;
mod frames;
mod functions;
mod hashing;
mod installation;
mod kernelspec;
mod language;
mod lessons;
mod local_socket;
mod magics;
mod memory;
mod nesting;
mod notebook;
mod output_contract;
mod printing;
mod private;
mod process_group;
mod profile;
mod profiling;
mod roles;
mod server;
mod side_by_side;
mod sleep;
mod supervisor;
mod syntax;
mod watcher;
mod widgets;
mod wire;

use std::process::ExitCode;

/// rust-analyzer allocates much and in small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiler that the kernel and its prelude are built for; dylibs work with no other.
const PINNED_COMPILER: &str = "1.95.0";

fn main() -> ExitCode {
    if let Some(code) = roles::dispatch() {
        return code;
    }
    cli::main()
}
