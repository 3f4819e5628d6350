//! Directories and links that appear whole or not at all, with errors that name them.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A sibling of `target` for what becomes it, or was it; no other process has the same one.
pub fn beside(target: &Path, word: &str) -> PathBuf {
    target.with_extension(format!("{word}-{}", std::process::id()))
}

/// Puts a finished directory in the place of another one.
pub fn replace(new: &Path, target: &Path) -> Result<()> {
    let old = beside(target, "old");
    if target.exists() {
        std::fs::rename(target, &old).with_context(|| format!("{} cannot be replaced", target.display()))?;
    }
    std::fs::rename(new, target).with_context(|| format!("{} cannot be written", target.display()))?;
    remove(&old)
}

/// Removes a directory if it is there.
pub fn remove(path: &Path) -> Result<()> {
    unless_missing(std::fs::remove_dir_all(path), path)
}

/// Removes a file if it is there.
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

/// Makes a directory, and those above it.
pub fn create(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("{} cannot be created", path.display()))
}

/// What is in a directory.
pub fn entries(path: &Path) -> Result<Vec<std::fs::DirEntry>> {
    std::fs::read_dir(path)
        .and_then(Iterator::collect)
        .with_context(|| format!("the directory {} cannot be read", path.display()))
}
