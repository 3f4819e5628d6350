//! How long the compilations of a cell took. The build step writes this to a file of the session's directory, for the
//! kernel and for the cell process.

use crate::environment::SESSION;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One compilation of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileTime {
    /// When it began, since the beginning of Unix time.
    pub began: Duration,
    /// How long it took.
    pub took: Duration,
    /// How often the compiler ran. 0 if what was compiled before is used.
    pub runs: usize,
}

/// How often the compiler has run in this process.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Notes that the compiler runs.
pub fn count_run() {
    RUNS.fetch_add(1, Ordering::Relaxed);
}

/// The file in the session's directory: one line for each compilation of the cell.
const FILE_NAME: &str = "compile-times";

fn path(session: &Path) -> PathBuf {
    session.join(FILE_NAME)
}

/// The time as [`CompileTime::began`] counts it.
pub fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Runs a compilation and notes how long it took.
pub fn measured<R>(compile: impl FnOnce() -> R) -> R {
    let began = now();
    let result = compile();
    if let Some(session) = std::env::var_os(SESSION) {
        let took = now().saturating_sub(began);
        let line = format!("{} {} {}\n", began.as_micros(), took.as_micros(), RUNS.load(Ordering::Relaxed));
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path(Path::new(&session)));
        // A time that is not recorded is not shown.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
    result
}

/// Forgets the compilations of the cell before.
pub fn forget(session: &Path) {
    let _ = std::fs::remove_file(path(session));
}

/// The compilations of the cell.
pub fn read(session: &Path) -> Vec<CompileTime> {
    let text = std::fs::read_to_string(path(session)).unwrap_or_default();
    let read = |line: &str| {
        let mut numbers = line.split(' ').map(|word| word.parse().ok());
        let mut next = || numbers.next().flatten();
        let (began, took) = (Duration::from_micros(next()?), Duration::from_micros(next()?));
        Some(CompileTime { began, took, runs: usize::try_from(next()?).ok()? })
    };
    text.lines().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_read() {
        let session = tempfile::tempdir().unwrap();
        assert_eq!(read(session.path()), []);
        std::fs::write(path(session.path()), "1000000 250 2\n1000300 7 0\nno line\n7 7\n").unwrap();
        let micros = Duration::from_micros;
        let first = CompileTime { began: micros(1_000_000), took: micros(250), runs: 2 };
        assert_eq!(read(session.path()), [first, CompileTime { began: micros(1_000_300), took: micros(7), runs: 0 }]);
        forget(session.path());
        assert_eq!(read(session.path()), []);
    }
}
