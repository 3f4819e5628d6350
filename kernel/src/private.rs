//! Files and folders for this user alone. Several users share a machine and its folder for temporary files, and often
//! they can read one another's homes.

use anyhow::{Context, Result};
use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

/// Only the owner reads, writes and enters.
const OWNER: u32 = 0o700;

/// A new folder with a unique name. It is removed with the value.
pub fn temporary(parent: &Path, prefix: &str) -> std::io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(Permissions::from_mode(OWNER)).tempdir_in(parent)
}

/// Creates a folder and the folders above it.
pub fn create(folder: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(OWNER).create(folder);
    made.with_context(|| format!("the folder {} cannot be made", folder.display()))
}

/// Creates the cache. If it exists and the user did not choose its name, it is closed to other users. A user who chose
/// the folder may want to share it.
pub fn create_cache(folder: &Path) -> Result<()> {
    create(folder)?;
    let is_named = std::env::var_os("WARPCELL_CACHE_DIR").is_some_and(|value| !value.is_empty());
    if !is_named && let Ok(found) = std::fs::metadata(folder) {
        // SAFETY: the call has no preconditions.
        let own = found.uid() == unsafe { libc::geteuid() };
        if own && found.mode() & 0o077 != 0 {
            // On a file system without modes there is nothing to close.
            let _ = std::fs::set_permissions(folder, Permissions::from_mode(OWNER));
        }
    }
    Ok(())
}

/// Whether all users of the machine can get to a folder, and list it.
pub fn is_open_to_all(folder: &Path) -> bool {
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.mode());
    mode(folder) & 0o004 != 0 && folder.ancestors().all(|path| path.as_os_str().is_empty() || mode(path) & 0o001 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_for_the_owner_alone() {
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        let parent = tempfile::tempdir().unwrap();
        let folder = temporary(parent.path(), "warpcell-").unwrap();
        assert_eq!(mode(folder.path()), OWNER);
        create(&folder.path().join("a/b")).unwrap();
        assert_eq!([mode(&folder.path().join("a")), mode(&folder.path().join("a/b"))], [OWNER; 2]);
        create(&folder.path().join("a/b")).unwrap();
        assert!(!is_open_to_all(&folder.path().join("a")));
    }

    #[test]
    fn the_systems_folders_are_open_to_all() {
        assert!(is_open_to_all(Path::new("/usr/lib")));
        assert!(!is_open_to_all(Path::new("/nonexistent")));
    }
}
