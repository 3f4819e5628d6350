//! Makes a compiler a fork server, by a library that it loads: `kernel/fork_server/lib.rs`, which says what that is.

use serde::Deserialize;
use std::fs::File;
use std::io::{self, PipeWriter, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libfork_server.so"));

/// The request that ends the process that compiles.
pub const STOP: &[u8] = b"stop\n";

/// Lets the compiler that `command` starts be a fork server. Returns the pipe for its sources after the first one, a line each.
///
/// Where the compiler does not load the library, it compiles the first source and ends.
pub fn request(command: &mut Command) -> io::Result<PipeWriter> {
    // The library has no path: that could contain what separates libraries from each other.
    static FILE: OnceLock<File> = OnceLock::new();
    let library = match FILE.get() {
        Some(library) => library.as_raw_fd(),
        None => {
            let written = written_library()?;
            FILE.get_or_init(|| written).as_raw_fd()
        }
    };
    let (requests, sources) = io::pipe()?;
    let mut libraries = std::ffi::OsString::from(format!("/proc/self/fd/{library}"));
    if let Some((_, Some(others))) = command.get_envs().find(|(name, _)| *name == "LD_PRELOAD") {
        libraries.push(":");
        libraries.push(others);
    }
    command.env("LD_PRELOAD", libraries).env("WARPCELL_FORK_REQUESTS", requests.as_raw_fd().to_string());
    // SAFETY: between fork and exec only this system call runs.
    unsafe {
        command.pre_exec(move || {
            for file in [library, requests.as_raw_fd()] {
                if libc::fcntl(file, libc::F_SETFD, 0) == -1 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    Ok(sources)
}

fn written_library() -> io::Result<File> {
    // SAFETY: the name is a string, and the call returns a file of its own or an error.
    let file = unsafe {
        match libc::memfd_create(c"fork_server".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => return Err(io::Error::last_os_error()),
            file => OwnedFd::from_raw_fd(file),
        }
    };
    let mut file = File::from(file);
    file.write_all(LIBRARY)?;
    Ok(file)
}

/// What a compiler reports beside its messages, on standard error.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "$message_type", rename_all = "lowercase")]
pub enum Report {
    /// A file has been written.
    Artifact { emit: String },
    /// The fork server starts a process that compiles. What was said before concerns all sources.
    Started,
    /// That process has ended.
    Ended,
}

impl Report {
    /// The report that a line contains.
    pub fn of(line: &[u8]) -> Option<Report> {
        serde_json::from_slice(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_from_what_the_compiler_says() {
        let file = br#"{"$message_type":"artifact","artifact":"/tmp/libctx.so","emit":"link"}"#;
        assert_eq!(Report::of(file), Some(Report::Artifact { emit: "link".to_owned() }));
        let started = br#"{"$message_type":"started"}"#;
        assert_eq!(Report::of(started), Some(Report::Started));
        assert_eq!(Report::of(br#"{"$message_type":"ended"}"#), Some(Report::Ended));
        assert_eq!(Report::of(br#"{"$message_type":"diagnostic","message":"emit"}"#), None);
        assert_eq!(Report::of(b"error: the compiler unexpectedly panicked"), None);
    }
}
