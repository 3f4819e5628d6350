//! The roles of the binary besides the command line: evcxr's runtime, the cell process, the assistant, the watcher, the
//! build tools, and the compiler of foreign crates.
//!
//! evcxr starts the current executable as its runtime, with a mark in the environment. The private tool directory has
//! links to the binary named `cargo`, `rustc` and `rustup`. Cargo uses it as the compiler, with a mark too. This module
//! selects the role before anything else runs.

use crate::build_step;
use crate::environment::{ASSISTANT, CELL_PROCESS, DEP_COMPILER, EVCXR_IS_RUNTIME, WATCHER};
use std::path::Path;
use std::process::ExitCode;

/// A role. Returns the exit status.
type Role = fn() -> i32;

/// The roles, with the variables that mark them. The first variable that is set counts.
const MARKED: [(&str, Role); 5] = [
    (WATCHER, crate::watcher::run),
    (DEP_COMPILER, build_step::dep_compiler),
    (CELL_PROCESS, crate::cell_process::run),
    (ASSISTANT, crate::evaluator::assistant::process::run),
    (EVCXR_IS_RUNTIME, crate::supervisor::run),
];

/// Takes the role that the process was started for; `None` if it is the plain command line.
pub fn dispatch() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    let role = match Path::new(&name).file_name()?.to_str()? {
        "cargo" => build_step::cargo,
        "rustc" => build_step::rustc,
        "rustup" => build_step::rustup,
        _ => MARKED.iter().find(|(variable, _)| std::env::var_os(variable).is_some())?.1,
    };
    // A status that does not fit is a failure.
    Some(ExitCode::from(u8::try_from(role()).unwrap_or(1)))
}
