//! The real tools, and the processes of a build.

use super::messages::BuildRequest;
use crate::environment;
use crate::files;
use crate::installation::Installation;
use crate::printing::errln;
use crate::process_group;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The real cargo, with the real compiler.
pub fn real_cargo(installation: &Installation) -> Command {
    let mut command = Command::new(installation.real_tool("cargo"));
    command.env("RUSTC", installation.real_tool("rustc")).env_remove("RUSTUP_TOOLCHAIN").env_remove("LD_LIBRARY_PATH");
    environment::restore_cargo_home(&mut command);
    command
}

/// Becomes the other program; returns only if that fails.
pub fn replace_by(command: &mut Command, arguments: &[OsString]) -> Result<i32> {
    let error = command.args(arguments).exec();
    Err(error).with_context(|| format!("{} cannot be run", Path::new(command.get_program()).display()))
}

/// The exit status of a role; an error is shown.
pub fn finish(result: Result<i32>) -> i32 {
    result.unwrap_or_else(|error| {
        errln!("error: {error:#}");
        1
    })
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
        process_group::signal(pid, libc::SIGKILL);
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Makes this process the leader of a group that an interrupt of the cell ends; an error if the user has asked to stop.
pub fn lead_group(session: &Path) -> Result<()> {
    // SAFETY: makes this process the leader of a new group. Only processes that it starts later are in the group.
    unsafe { libc::setpgid(0, 0) };
    files::write(&compiler_file(session), std::process::id().to_string())?;
    if BuildRequest::read(session).interrupted {
        bail!("interrupted");
    }
    Ok(())
}
