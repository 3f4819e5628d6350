//! The roles of the one binary besides the command line: evcxr's runtime, the cell process, and the build tools.
//!
//! evcxr starts its runtime as the current executable with a mark in the environment, and the private tool directory
//! holds links to it named `cargo`, `rustc` and `rustup`. Both are told apart here, before anything else runs.

use crate::environment::{CELL_PROCESS, EVCXR_IS_RUNTIME};
use std::path::Path;

/// Takes the role that the process was started for; `None` if it is the plain command line.
pub fn dispatch() -> Option<i32> {
    let name = std::env::args_os().next()?;
    match Path::new(&name).file_name()?.to_str()? {
        "cargo" => return Some(crate::build_step::cargo()),
        "rustc" => return Some(crate::build_step::rustc()),
        "rustup" => return Some(crate::build_step::rustup()),
        _ => {}
    }
    if std::env::var_os(CELL_PROCESS).is_some() {
        return Some(crate::cell_process::run());
    }
    if std::env::var_os(EVCXR_IS_RUNTIME).is_some() {
        return Some(crate::supervisor::run());
    }
    None
}
