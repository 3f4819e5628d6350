//! The user's cache: its contents, the installations that use them, and the removal of unused contents.
//!
//! ```text
//! CACHE/crates/KEY/          crates of `:dep`, built for one compiler and prelude
//!                  cells/    compiled cells (`build_step/cell_cache.rs`)
//!                  users/    a file for each installation that uses them: its directory
//!       *.cubin              programs for GPUs, named by a hash of their sources
//! ```
//! Everything in it can be made again. All installations with the same compiler and prelude use the same folder. So an
//! upgrade does not find files of the old version. The old folder is removed when its last installation is gone or has
//! changed. The watcher looks for such folders at the end of each session. Installing and uninstalling do the same.

use crate::files;
use crate::hashing::hash;
use crate::installation::{Installation, directories};
use anyhow::{Context, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const CRATES: &str = "crates";
/// Installations for this user alone.
pub const INSTALLATIONS: &str = "installations";
const USERS: &str = "users";
/// After what time programs for GPUs that were not made again are removed.
const OLD: Duration = Duration::from_secs(90 * 24 * 3600);
/// The age at which a folder without an installation counts as old. A younger one may still be in the making.
const UNCLAIMED: Duration = Duration::from_secs(3600);

/// `$WARPCELL_CACHE_DIR`, `$XDG_CACHE_HOME/warpcell` or `~/.cache/warpcell`, as the prelude has it.
pub fn folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("WARPCELL_CACHE_DIR")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("warpcell")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/warpcell")))
}

/// The folder with the crates of an installation.
pub fn crates_of(installation: &Installation) -> Option<PathBuf> {
    let key = key(&installation.record.prelude.compiler, &installation.record.prelude.identity);
    Some(folder()?.join(CRATES).join(key))
}

/// Notes that an installation uses a folder with crates.
pub fn claim(crates: &Path, installation: &Installation) -> Result<()> {
    let users = crates.join(USERS);
    let file = users.join(hash(&installation.home));
    if file.exists() {
        return Ok(());
    }
    files::create_folder(&users)?;
    files::replace(&file, installation.home.as_os_str().as_encoded_bytes())
}

/// Removes everything that nobody uses any longer. If something cannot be removed, it stays until the next time.
pub fn sweep() {
    let Some(folder) = folder() else { return };
    for crates in files::paths_in(&folder.join(CRATES)) {
        if !is_used(&crates) {
            remove(&crates);
        }
    }
    for program in programs(&folder) {
        if age(&program).is_some_and(|age| age > OLD) {
            let _ = std::fs::remove_file(program);
        }
    }
}

/// Removes everything that kernels have put into the cache, and the folder if nothing else is in it.
pub fn purge() -> Result<Option<PathBuf>> {
    let Some(folder) = folder().filter(|folder| folder.is_dir()) else { return Ok(None) };
    for part in [CRATES, INSTALLATIONS] {
        directories::remove(&folder.join(part))?;
    }
    for program in programs(&folder) {
        directories::remove_file(&program)?;
    }
    match std::fs::remove_dir(&folder) {
        Err(error) if error.kind() != ErrorKind::DirectoryNotEmpty => {
            Err(error).with_context(|| format!("{} cannot be removed", folder.display()))
        }
        _ => Ok(Some(folder)),
    }
}

/// Whether files in a folder can be locked, as cargo does it. Some network file systems cannot: there two kernels would
/// build into each other's files.
pub fn check_locks(folder: &Path) -> Result<()> {
    let file = tempfile::tempfile_in(folder).with_context(|| format!("{} cannot be written", folder.display()))?;
    match file.lock() {
        Ok(()) => Ok(()),
        Err(error) => Err(error).with_context(|| format!("{} is on a file system without locks", folder.display())),
    }
}

/// The name of the crates' folder, from the compiler and the prelude.
fn key(compiler: &str, prelude: &str) -> String {
    hash(&(compiler, prelude, "layout 2"))
}

/// Whether an installation that uses a folder with crates is still there and still the same.
fn is_used(crates: &Path) -> bool {
    use std::os::unix::ffi::OsStringExt;
    let users: Vec<PathBuf> = files::paths_in(&crates.join(USERS)).collect();
    if users.is_empty() {
        return age(crates).is_none_or(|age| age < UNCLAIMED);
    }
    let homes = users.iter().filter_map(|file| std::fs::read(file).ok()).map(std::ffi::OsString::from_vec);
    homes.map(PathBuf::from).any(|home| {
        let Ok(installation) = Installation::open(&home) else { return false };
        let key = key(&installation.record.prelude.compiler, &installation.record.prelude.identity);
        crates.file_name().is_some_and(|name| *name == *key)
    })
}

/// Renames a folder, so that nobody finds it, and then removes its contents.
fn remove(folder: &Path) {
    if folder.extension().is_some_and(|end| end == "gone") {
        // Another process may be at it.
        let _ = std::fs::remove_dir_all(folder);
        return;
    }
    let gone = folder.with_extension("gone");
    if std::fs::rename(folder, &gone).is_ok() {
        let _ = std::fs::remove_dir_all(gone);
    }
}

/// The files of programs, also those that are being written: 32 digits, a point, and more.
fn programs(folder: &Path) -> impl Iterator<Item = PathBuf> {
    files::paths_in(folder).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = |name: &str| name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        name.split_once('.').is_some_and(|(digits, end)| is_ours(digits) && (end == "cubin" || end.ends_with(".tmp")))
    })
}

fn age(path: &Path) -> Option<Duration> {
    let changed = std::fs::metadata(path).ok()?.modified().ok()?;
    SystemTime::now().duration_since(changed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installation::{BuiltPrelude, InstallationRecord};

    fn install(home: &Path, identity: &str) -> Installation {
        let prelude = BuiltPrelude {
            version: "0.1.0".into(),
            compiler: "rustc 1.95.0".into(),
            target: "x86_64-unknown-linux-gnu".into(),
            externs: vec![],
            carried: vec![],
            identity: identity.into(),
        };
        let record = InstallationRecord { prelude, toolchain: "/".into(), sources: None };
        std::fs::create_dir_all(home).unwrap();
        std::fs::write(home.join("installation.json"), serde_json::to_string(&record).unwrap()).unwrap();
        Installation { home: home.to_owned(), record }
    }

    #[test]
    fn another_compiler_or_prelude_has_another_cache() {
        let own = key("rustc 1.95.0 (59807616e 2026-04-14)", "0123");
        assert_eq!(own, key("rustc 1.95.0 (59807616e 2026-04-14)", "0123"));
        assert_ne!(own, key("rustc 1.95.1 (0123456ff 2026-05-14)", "0123"));
        assert_ne!(own, key("rustc 1.95.0 (59807616e 2026-04-14)", "0124"));
    }

    #[test]
    fn a_folder_is_used_as_long_as_one_installation_is_of_its_kind() {
        let root = tempfile::tempdir().unwrap();
        let homes = ["one home é", "another"].map(|name| root.path().join(name));
        let installations = [install(&homes[0], "a"), install(&homes[1], "a")];
        let crates = root.path().join(CRATES).join(key("rustc 1.95.0", "a"));
        std::fs::create_dir_all(&crates).unwrap();
        assert!(is_used(&crates), "it is being made");
        for installation in &installations {
            claim(&crates, installation).unwrap();
            claim(&crates, installation).unwrap();
        }
        assert!(is_used(&crates));
        install(&homes[0], "b");
        assert!(is_used(&crates), "by the other one");
        std::fs::remove_dir_all(&homes[1]).unwrap();
        assert!(!is_used(&crates));
        remove(&crates);
        assert_eq!(files::paths_in(&root.path().join(CRATES)).count(), 0);
    }

    #[test]
    fn locks_are_tried() {
        let root = tempfile::tempdir().unwrap();
        check_locks(root.path()).unwrap();
        assert!(check_locks(&root.path().join("nowhere")).is_err());
        assert_eq!(files::paths_in(root.path()).count(), 0);
    }
}
