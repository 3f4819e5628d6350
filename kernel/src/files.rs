//! Reads and writes files. An error names the file.

use anyhow::{Context, Result};
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The text of a file.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Writes a file.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, contents).with_context(|| format!("{} cannot be written", path.display()))
}

/// Writes a file for this user. Readers find the old contents or the new contents, never a part of them.
pub fn replace(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    replace_with_mode(path, contents.as_ref(), 0o600)
}

/// Writes a file in the same way, for all users.
pub fn replace_for_all(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    replace_with_mode(path, contents.as_ref(), 0o644)
}

fn replace_with_mode(path: &Path, contents: &[u8], mode: u32) -> Result<()> {
    let replaced = draft(path, contents).and_then(|draft| {
        draft.as_file().set_permissions(Permissions::from_mode(mode))?;
        Ok(draft.persist(path)?)
    });
    replaced.map(drop).with_context(|| format!("{} cannot be written", path.display()))
}

/// Writes a file that is not Warpcell's own in the same way: with the permissions that it has, or those that new files of the user get.
/// A symbolic link stays, and the file it leads to is written.
pub fn replace_as_usual(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let written = || -> Result<()> {
        let usual = Permissions::from_mode(0o666);
        let mut draft =
            tempfile::Builder::new().permissions(usual).tempfile_in(target.parent().context("it has no folder")?)?;
        draft.write_all(contents.as_ref())?;
        if let Ok(known) = target.metadata() {
            draft.as_file().set_permissions(known.permissions())?;
        }
        draft.persist(&target)?;
        Ok(())
    };
    written().with_context(|| format!("{} cannot be written", path.display()))
}

/// Writes a file in the same way, unless it exists. Another process may do so at the same time.
pub fn write_new(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let written = draft(path, contents.as_ref()).and_then(|draft| match draft.persist_noclobber(path) {
        Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.error.into()),
        _ => Ok(()),
    });
    written.with_context(|| format!("{} cannot be written", path.display()))
}

/// A file with the contents, in the folder of `path` and under another name.
fn draft(path: &Path, contents: &[u8]) -> Result<tempfile::NamedTempFile> {
    let mut draft = tempfile::NamedTempFile::new_in(path.parent().context("it has no folder")?)?;
    draft.write_all(contents)?;
    Ok(draft)
}

/// Creates a folder, and the folders above it.
pub fn create_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("{} cannot be created", path.display()))
}

/// Copies a folder with all that is in it, but for folders of these names.
pub fn copy_folder(from: &Path, to: &Path, left_out: &[&str]) -> Result<()> {
    create_folder(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if !from.is_dir() {
            std::fs::copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
        } else if !left_out.iter().any(|name| entry.file_name() == *name) {
            copy_folder(&from, &to, left_out)?;
        }
    }
    Ok(())
}

/// The paths in a folder. None if it cannot be read.
pub fn paths_in(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_and_new_ones_do_not_replace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_new(&path, "1").unwrap();
        write_new(&path, "2").unwrap();
        assert_eq!(read(&path).unwrap(), "1");
        replace(&path, "3").unwrap();
        assert_eq!(read(&path).unwrap(), "3");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn errors_name_the_file() {
        let path = Path::new("/nonexistent/a");
        for error in [read(path).unwrap_err(), write(path, "").unwrap_err(), replace(path, "").unwrap_err()] {
            let text = format!("{error:#}");
            assert!(text.starts_with("/nonexistent/a cannot be ") && text.contains("No such file"), "{text}");
        }
    }
}
