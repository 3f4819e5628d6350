//! The watcher is a small process that waits until the kernel ends, for whatever reason. Then it ends the remaining
//! processes of the session and deletes its files.
//!
//! It has its own process group, because servers end a kernel together with its group.

use crate::environment::{SESSION, WATCHER};
use crate::installation::cache;
use crate::memory;
use anyhow::{Context, Result};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long processes that were ended may still be writing into the session's directory.
const PATIENCE: Duration = Duration::from_secs(10);

/// Starts the watcher of a session; it acts when this process has ended.
#[allow(clippy::zombie_processes, reason = "it outlives this process")]
pub fn start(session: &Path) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut watcher = memory::without_huge_pages(&mut command)
        .env(WATCHER, session)
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .context("the process that cleans up behind the kernel cannot be started")?;
    // Its other end closes with this process, and not before.
    std::mem::forget(watcher.stdin.take());
    Ok(())
}

/// The role: waits for the end of the kernel, then cleans up.
pub fn run() -> i32 {
    let Some(session) = std::env::var_os(WATCHER).map(PathBuf::from) else { return 1 };
    // Nothing is ever written: this returns when the kernel has ended.
    let _ = std::io::stdin().read(&mut [0]);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let ended = end_processes(&session);
        let removed = match std::fs::remove_dir_all(&session) {
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            Ok(()) => true,
        };
        if (removed && ended == 0) || Instant::now() > deadline {
            cache::sweep();
            return i32::from(!removed);
        }
        // A process that was just ended may have written into the directory while it was removed.
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ends all processes that were started for the session. Returns their number.
fn end_processes(session: &Path) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<libc::pid_t>().ok());
    let own = libc::pid_t::try_from(std::process::id()).unwrap_or_default();
    let mut ended = 0;
    for number in numbers.filter(|&number| number != own && belongs_to(number, session)) {
        // SAFETY: sends a signal, to a process that has just been seen to be of this session.
        if unsafe { libc::kill(number, libc::SIGKILL) } == 0 {
            ended += 1;
        }
    }
    ended
}

/// Whether a process has the session's directory, or one in it, in its environment.
fn belongs_to(process: libc::pid_t, session: &Path) -> bool {
    // It cannot be read for a process of another user. It is empty for a process that has ended.
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| {
        let value = variable.strip_prefix(SESSION.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| Path::new(std::ffi::OsStr::from_bytes(value)).starts_with(session))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_the_session_are_told_from_others() {
        let session = tempfile::tempdir().unwrap();
        let start = |value: &Path| {
            let process = Command::new("sleep").arg("600").env(SESSION, value).spawn().unwrap();
            // A process that has just been started has no environment for a moment.
            while std::fs::read(format!("/proc/{}/environ", process.id())).unwrap().is_empty() {
                std::thread::yield_now();
            }
            process
        };
        let mut of_it = start(&session.path().join("assistant"));
        let mut of_another = start(Path::new("/another"));
        assert_eq!(end_processes(session.path()), 1);
        assert!(!of_it.wait().unwrap().success());
        assert!(of_another.try_wait().unwrap().is_none());
        of_another.kill().unwrap();
        of_another.wait().unwrap();
    }
}
