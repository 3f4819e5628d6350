//! Directories and links that appear completely or not at all. Errors name them.

use crate::files;
use crate::printing::errln;
use anyhow::{Context, Result};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A sibling of `target` for what becomes it, or was it; no other process has the same one.
pub fn beside(target: &Path, word: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!("{name}.{word}-{}", std::process::id()))
}

/// Puts a finished file or directory in its place, in one step for all readers. The old one is restored unless the
/// result is kept.
pub fn put(new: &Path, target: &Path) -> Result<Put> {
    let failed = || format!("{} cannot be written", target.display());
    let old = beside(target, "old");
    let is_there = target.symlink_metadata().is_ok();
    if is_there && exchange(new, target) {
        std::fs::rename(new, &old).with_context(failed)?;
    } else {
        if is_there {
            std::fs::rename(target, &old).with_context(|| format!("{} cannot be replaced", target.display()))?;
        }
        if let Err(error) = std::fs::rename(new, target) {
            if is_there {
                std::fs::rename(&old, target).with_context(failed)?;
            }
            return Err(error).with_context(failed);
        }
    }
    Ok(Put { target: target.to_owned(), old: is_there.then_some(old), kept: false })
}

/// Something in a new place, for the time being.
#[must_use]
pub struct Put {
    target: PathBuf,
    old: Option<PathBuf>,
    kept: bool,
}

impl Put {
    /// Keeps the new one and removes the old one.
    pub fn keep(mut self) -> Result<()> {
        self.kept = true;
        self.old.as_deref().map_or(Ok(()), remove_any)
    }
}

impl Drop for Put {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        let undone = match &self.old {
            Some(old) if exchange(old, &self.target) => remove_any(old),
            Some(old) => remove_any(&self.target).and_then(|()| Ok(std::fs::rename(old, &self.target)?)),
            None => remove_any(&self.target),
        };
        if let Err(error) = undone {
            errln!("{} could not be restored: {error:#}", self.target.display());
        }
    }
}

/// Lets two names change places. Not every file system can.
fn exchange(one: &Path, other: &Path) -> bool {
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
    let (Some(one), Some(other)) = (name(one), name(other)) else { return false };
    // SAFETY: both names end in a zero byte and live until the call returns.
    let result = unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            libc::AT_FDCWD,
            one.as_ptr(),
            libc::AT_FDCWD,
            other.as_ptr(),
            libc::RENAME_EXCHANGE,
        )
    };
    result == 0
}

/// Locks a directory, so that one process at a time installs in it. The directory is created if it does not exist. If
/// the file system has no locks, there is no lock.
pub fn lock(directory: &Path) -> Result<std::fs::File> {
    loop {
        files::create_folder(directory)?;
        let file = std::fs::File::open(directory).with_context(|| format!("{} cannot be read", directory.display()))?;
        if matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
            errln!("Another installation in {} is running; this one waits for it.", directory.display());
            // One that fails is one without locks.
            let _ = file.lock();
        }
        // The other one may have removed the directory.
        let now = std::fs::metadata(directory).map(|now| (now.dev(), now.ino())).ok();
        let about = file.metadata()?;
        if now == Some((about.dev(), about.ino())) {
            return Ok(file);
        }
    }
}

/// Removes what processes that were ended have left beside a place.
pub fn remove_leftovers(target: &Path) -> Result<()> {
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else { return Ok(()) };
    let Ok(entries) = std::fs::read_dir(parent) else { return Ok(()) };
    let start = format!("{}.", name.to_string_lossy());
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name
            .strip_prefix(&start)
            .and_then(|rest| rest.split_once('-'))
            .filter(|(word, _)| ["new", "old", "package"].contains(word))
            .and_then(|(_, number)| number.parse::<u32>().ok());
        if process.is_some_and(|process| process != std::process::id() && !is_running(process)) {
            remove_any(&entry.path())?;
        }
    }
    Ok(())
}

fn is_running(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

/// Removes those directories below a prefix that are empty, of a list that names deeper ones first.
pub fn remove_empty(prefix: &Path, directories: &[&str]) {
    for directory in directories {
        // One that holds something stays.
        let _ = std::fs::remove_dir(prefix.join(directory));
    }
}

fn remove_any(path: &Path) -> Result<()> {
    let is_directory = path.symlink_metadata().is_ok_and(|about| about.is_dir());
    if is_directory { remove(path) } else { remove_file(path) }
}

/// Removes a directory if it exists.
pub fn remove(path: &Path) -> Result<()> {
    unless_missing(std::fs::remove_dir_all(path), path)
}

/// Removes a file if it exists.
pub fn remove_file(path: &Path) -> Result<()> {
    unless_missing(std::fs::remove_file(path), path)
}

fn unless_missing(result: std::io::Result<()>, path: &Path) -> Result<()> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => Ok(()),
    }
}

/// The entries of a directory.
pub fn entries(path: &Path) -> Result<Vec<std::fs::DirEntry>> {
    std::fs::read_dir(path)
        .and_then(Iterator::collect)
        .with_context(|| format!("the directory {} cannot be read", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            entries(directory).unwrap().iter().map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_there_comes_back_unless_the_new_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("a place");
        let write = |text: &str| {
            let new = root.path().join("new");
            files::create_folder(&new).unwrap();
            std::fs::write(new.join("text"), text).unwrap();
            new
        };
        let read = || std::fs::read_to_string(target.join("text")).ok();
        let put_new = |text: &str| put(&write(text), &target).unwrap();

        drop(put_new("one"));
        assert_eq!(read(), None);
        put_new("one").keep().unwrap();
        let second = put_new("two");
        assert_eq!(read().as_deref(), Some("two"));
        drop(second);
        assert_eq!(read().as_deref(), Some("one"));
        put_new("three").keep().unwrap();
        assert_eq!(read().as_deref(), Some("three"));
        assert_eq!(names(root.path()), ["a place"]);
    }

    #[test]
    fn leftovers_of_the_dead_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let mut dead = std::process::Command::new("true").spawn().unwrap();
        dead.wait().unwrap();
        let living = std::os::unix::process::parent_id();
        for name in [format!("w.new-{}", dead.id()), format!("w.old-{living}"), "w.new-mine".into(), "w".into()] {
            files::create_folder(&root.path().join(name)).unwrap();
        }
        std::fs::write(root.path().join(format!("w.package-{}", dead.id())), "").unwrap();
        remove_leftovers(&root.path().join("w")).unwrap();
        assert_eq!(names(root.path()), ["w".to_owned(), "w.new-mine".into(), format!("w.old-{living}")]);
    }

    #[test]
    fn one_after_the_other() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("lib");
        let first = lock(&place).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let second = std::thread::spawn(move || {
            let locked = lock(&place).unwrap();
            sender.send(()).unwrap();
            drop(locked);
        });
        assert!(receiver.try_recv().is_err());
        drop(first);
        receiver.recv().unwrap();
        second.join().unwrap();
    }
}
