//! The roles of the one binary besides the command line: evcxr's runtime, the cell process, the one that completes
//! while a cell runs, the one that cleans up, the build tools, and the compiler of foreign crates.
//!
//! evcxr starts its runtime as the current executable with a mark in the environment, and the private tool directory
//! holds links to it named `cargo`, `rustc` and `rustup`; cargo gets it as the compiler, with a mark too. They are told
//! apart here, before anything else runs.

use crate::environment::{ASSISTANT, CELL_PROCESS, EVCXR_IS_RUNTIME, STAND_IN, WATCHER};
use std::path::Path;
use std::process::ExitCode;

/// Takes the role that the process was started for; `None` if it is the plain command line.
pub fn dispatch() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    match Path::new(&name).file_name()?.to_str()? {
        "cargo" => return Some(ended(crate::build_step::cargo())),
        "rustc" => return Some(ended(crate::build_step::rustc())),
        "rustup" => return Some(ended(crate::build_step::rustup())),
        _ => {}
    }
    if std::env::var_os(WATCHER).is_some() {
        return Some(ended(crate::watcher::run()));
    }
    if std::env::var_os(STAND_IN).is_some() {
        return Some(ended(crate::build_step::stand_in()));
    }
    if std::env::var_os(CELL_PROCESS).is_some() {
        return Some(ended(crate::cell_process::run()));
    }
    if std::env::var_os(ASSISTANT).is_some() {
        return Some(ended(crate::evaluator::assistant::process::run()));
    }
    if std::env::var_os(EVCXR_IS_RUNTIME).is_some() {
        return Some(ended(crate::supervisor::run()));
    }
    None
}

/// An exit status; one that does not fit is a failure.
fn ended(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
