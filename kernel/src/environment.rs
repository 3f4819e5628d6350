//! Environment variables with which the roles of the binary find one another, and the user's own environment.
//!
//! The kernel process runs with a changed environment: PATH is its tool directory, and RUSTC, CARGO and similar
//! variables are removed. One variable keeps the old values, so that cells and shell commands get the user's own
//! environment.

use crate::installation;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The session's private directory.
pub const SESSION: &str = "WARPCELL_SESSION";
/// The folder in the session's directory for temporary files of the tools.
pub const TEMPORARY: &str = "temporary";
/// The socket on which the kernel listens for supervisors.
pub const SOCKET: &str = "WARPCELL_SOCKET";
/// The marker of messages in standard output.
pub const MARKER: &str = "WARPCELL_MARKER";
/// The file in which the cell process lists the registered functions.
pub const FUNCTIONS: &str = "WARPCELL_FUNCTIONS";
/// The file with the word that interrupts a cell.
pub const INTERRUPT: &str = "WARPCELL_INTERRUPT";
/// Marks the cell process itself, as opposed to its supervisor.
pub const CELL_PROCESS: &str = "WARPCELL_CELL_PROCESS";
/// Marks the process that completes, and its children.
pub const ASSISTANT: &str = "WARPCELL_ASSISTANT";
/// Marks the process that cleans up after the kernel. The value is the session's directory.
pub const WATCHER: &str = "WARPCELL_WATCHER";
/// Marks our binary as the compiler of the crates of `:dep`. The value is a fingerprint of their path crates.
pub const DEP_COMPILER: &str = "WARPCELL_STAND_IN";
/// The user's values of the variables that the kernel has changed, as a JSON object; null for unset ones.
const USER_ENVIRONMENT: &str = "WARPCELL_USER_ENVIRONMENT";
/// The directory for evcxr's files.
pub const CONTEXT_DIRECTORY: &str = "EVCXR_TMPDIR";
/// The directory of the installation that the kernel uses, for the other roles.
pub const INSTALLATION: &str = "WARPCELL_INSTALLATION";
/// Set while the installation records a start.
pub const RECORD: &str = "WARPCELL_RECORD";
/// evcxr's mark of its runtime process.
pub const EVCXR_IS_RUNTIME: &str = "EVCXR_IS_RUNTIME";

/// After how many seconds without use a kernel frees memory that it can fill again later.
const IDLE_SECONDS: &str = "WARPCELL_IDLE_SECONDS";
/// The user's own setting: how many kernels may have an assistant that nobody has asked yet.
const ASSISTANTS: &str = "WARPCELL_ASSISTANTS";
/// The default: longer than a user thinks about a cell.
const UNTIL_AWAY: Duration = Duration::from_secs(300);

/// The directory for cargo's downloads.
const CARGO_HOME: &str = "CARGO_HOME";

/// Variables that would change which compiler runs, or how.
const REMOVED: &str = "\
    RUSTC CARGO RUSTFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS \
    CARGO_BUILD_RUSTC CARGO_BUILD_TARGET CARGO_TARGET_DIR CARGO_MANIFEST_DIR RUSTUP_TOOLCHAIN RUST_SRC_PATH";

/// Changes this process's environment for evcxr and the installation in `home`. The caller ensures that the process has
/// only one thread.
pub fn prepare_kernel(home: &Path, session: &Path) {
    let mut user = Map::new();
    let mut set = |name: &str, value: Option<std::ffi::OsString>| {
        user.insert(name.to_owned(), std::env::var(name).map_or(Value::Null, Value::from));
        // SAFETY: the caller promises that this process has no other thread yet.
        unsafe {
            match value {
                Some(value) => std::env::set_var(name, value),
                None => std::env::remove_var(name),
            }
        }
    };
    // PATH has nothing else. evcxr would build in another way if it found `mold` or `lld`.
    set("PATH", Some(installation::tools_in(home).into()));
    for name in REMOVED.split_whitespace() {
        set(name, None);
    }
    set(SESSION, Some(session.into()));
    // What compilers leave there while they work is the user's code, in another form.
    set("TMPDIR", Some(session.join(TEMPORARY).into()));
    set("EVCXR_CONFIG_DIR", Some(session.join("configuration").into()));
    set(CONTEXT_DIRECTORY, Some(session.join("context").into()));
    // rust-analyzer looks for its tools in bin below this directory first. Otherwise it would find rustup's slow
    // proxies. The directory is in the session, because cargo writes into its home.
    set(CARGO_HOME, Some(tool_home(session).into()));
    set(USER_ENVIRONMENT, None);
    let text = Value::Object(user).to_string();
    // SAFETY: as above.
    unsafe {
        std::env::set_var(USER_ENVIRONMENT, text);
        // The user does not get this variable back. The cell process needs it.
        std::env::set_var(INSTALLATION, home);
    }
}

/// Cargo's home as rust-analyzer sees it: the links to our tools are in `bin` below it.
pub fn tool_home(session: &Path) -> PathBuf {
    session.join("cargo")
}

/// The socket on which a session's cell process waits for the user's input.
pub fn input_socket(session: &Path) -> PathBuf {
    session.join("input.socket")
}

/// The file in which a session's cell process lists the registered functions.
pub fn functions_listing(session: &Path) -> PathBuf {
    session.join("functions")
}

/// The file with the text of the running cell, for the macros.
pub fn cell_text(session: &Path) -> PathBuf {
    session.join("cell")
}

/// The file with the word that interrupts a session's cells.
pub fn interrupt_word(session: &Path) -> PathBuf {
    session.join("interrupt")
}

/// How long a kernel waits without a cell or a completion before it frees memory: `$WARPCELL_IDLE_SECONDS`, or some
/// minutes. If the value is 0 or not a number of seconds, it never does.
pub fn until_away() -> Duration {
    let Ok(text) = std::env::var(IDLE_SECONDS) else { return UNTIL_AWAY };
    text.parse::<f64>()
        .ok()
        .filter(|&seconds| seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .unwrap_or(Duration::MAX)
}

/// How many kernels of a user on this machine may have an assistant before somebody asks for a completion: `$WARPCELL_ASSISTANTS`, or
/// one for four processors, but two at least. With 0, each starts with the first question.
pub fn assistants_ahead() -> usize {
    let by_processors = || std::thread::available_parallelism().map_or(2, |count| (count.get() / 4).max(2));
    let setting = std::env::var(ASSISTANTS).ok();
    setting.and_then(|text| text.parse().ok()).unwrap_or_else(by_processors)
}

fn user_environment() -> Map<String, Value> {
    let saved = std::env::var(USER_ENVIRONMENT).unwrap_or_default();
    serde_json::from_str(&saved).unwrap_or_default()
}

/// The user's own PATH.
pub fn user_path() -> Option<String> {
    user_environment().get("PATH")?.as_str().map(str::to_owned)
}

/// Sets this process's PATH to the user's own, for its children. Call it while the process has one thread.
pub fn restore_path() {
    if let Some(path) = user_path() {
        // SAFETY: the caller promises that this process has no other thread yet.
        unsafe { std::env::set_var("PATH", path) };
    }
}

/// Sets cargo's home to the user's own, with the index, the cache and the configuration.
pub fn restore_cargo_home(command: &mut Command) {
    match user_environment().get(CARGO_HOME).and_then(Value::as_str) {
        Some(home) => command.env(CARGO_HOME, home),
        None => command.env_remove(CARGO_HOME),
    };
}

/// The user's own home of cargo.
pub fn cargo_home() -> Option<PathBuf> {
    match user_environment().get(CARGO_HOME).and_then(Value::as_str).filter(|home| !home.is_empty()) {
        Some(home) => Some(home.into()),
        None => std::env::home_dir().map(|home| home.join(".cargo")),
    }
}

/// Gives a command the user's own environment.
pub fn restore_user(command: &mut Command) {
    for (name, value) in user_environment() {
        match value {
            Value::String(value) => command.env(name, value),
            _ => command.env_remove(name),
        };
    }
    command.env_remove(USER_ENVIRONMENT).env_remove(EVCXR_IS_RUNTIME).env_remove(SOCKET);
}
