//! What this binary is, judged by how it was started: the kernel's command line, or one of its helpers.
//!
//! The kernel starts itself again as evcxr's runtime (supervisor, cell process), and poses as `cargo`, `rustc` and
//! `rustup` in front of the compiler.

use std::process::ExitCode;

/// Runs another role than the command line, if this process was started for one.
///
/// Must be the first call of `main`: a role inherits arguments that the command line would refuse.
pub fn dispatch() -> Option<ExitCode> {
    // Never returns in a process that evcxr has started (`EVCXR_IS_RUNTIME`), and does nothing in others.
    evcxr::runtime_hook();
    None
}
