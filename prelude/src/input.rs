//! Asking the user for a line while a cell runs. The kernel's side is described in `kernel/OUTPUT_CONTRACT.md`.

use crate::error::{Error, Result};
use crate::fallible::fallible;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The session's directory, where answers come.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
/// One question at a time.
static ASKING: Mutex<()> = Mutex::new(());

/// Takes the session's directory; called once, before any cell runs.
pub(crate) fn answer_in(directory: &Path) {
    DIRECTORY.get_or_init(|| directory.to_owned());
}

fallible! {
    /// Asks the user for a line and waits for it; gives it without its end.
    ///
    /// In a notebook, the question appears below the cell. `std::io::stdin()` is empty there. Outside of one, a line of
    /// standard input is read.
    ///
    /// # Panics
    ///
    /// If the client does not take input, and where [`try_input`] gives an error; when the cell is interrupted.
    ///
    /// ```no_run
    /// # use warpcell as gpu;
    /// let name = gpu::input("Your name: ");
    /// println!("Hello, {name}");
    /// ```
    pub fn input, try_input(prompt: &str) -> Result<String> {
        ask(prompt, false)
    }

    /// Asks the user for a line that is not shown while it is typed (outside of a notebook it is), and not kept in the
    /// notebook.
    ///
    /// # Panics
    ///
    /// As [`input`].
    pub fn password, try_password(prompt: &str) -> Result<String> {
        ask(prompt, true)
    }
}

#[track_caller]
fn ask(prompt: &str, password: bool) -> Result<String> {
    let failed = |error: std::io::Error| Error::NoInput { reason: error.to_string() };
    let _guard = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(directory) = DIRECTORY.get() else { return read_line(prompt).map_err(failed) };
    let answer = converse(directory, prompt, password).map_err(failed)?;
    match answer["answer"].as_str() {
        Some("value") => Ok(answer["value"].as_str().unwrap_or_default().to_owned()),
        Some("interrupted") => Err(Error::Interrupted),
        _ => Err(Error::NoInput {
            reason: answer["reason"].as_str().unwrap_or("the kernel does not say why").to_owned(),
        }),
    }
}

fn converse(directory: &Path, prompt: &str, password: bool) -> std::io::Result<Value> {
    let path = directory.join("input.socket");
    // A process that has ended may have left one.
    let _ = std::fs::remove_file(&path);
    // By the directory's descriptor: a socket's address has room for 107 bytes, and a directory's path may be longer.
    let opened = File::open(directory)?;
    let listener = UnixListener::bind(format!("/proc/self/fd/{}/input.socket", opened.as_raw_fd()))?;
    crate::output::input(prompt, password);
    let mut answer = String::new();
    listener.accept()?.0.read_to_string(&mut answer)?;
    let _ = std::fs::remove_file(&path);
    Ok(serde_json::from_str(&answer)?)
}

fn read_line(prompt: &str) -> std::io::Result<String> {
    print!("{prompt}");
    std::io::stdout().flush()?;
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(std::io::Error::other("standard input has ended"));
    }
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}
