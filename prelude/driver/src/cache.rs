//! Compiled programs on disk: one file each, named by a hash of all that went into it.
//!
//! Files are written under another name and renamed, so readers see whole files only, also while other processes write.
//! A damaged file counts as absent. Whatever fails here (no home, a read-only folder, a full disk) only costs time.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8; 8] = b"warpcel1";

/// The name of an entry: a hash of all parts and of their lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(pub(super) u128);

impl Key {
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
        let mut hash = FNV_START;
        for part in parts {
            hash = fnv(hash, &(part.len() as u64).to_le_bytes());
            hash = fnv(hash, part);
        }
        Key(hash)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A number that tells contents from others.
pub(super) fn hash(contents: &[u8]) -> u128 {
    fnv(FNV_START, contents)
}

/// The entry's contents, if there is one and it is whole.
pub fn read(key: Key) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(path(key)?).ok()?;
    let header = bytes.get(..32)?;
    if &header[..8] != MAGIC
        || header[8..16] != ((bytes.len() - 32) as u64).to_le_bytes()
        || header[16..32] != hash(&bytes[32..]).to_le_bytes()
    {
        return None;
    }
    Some(bytes.split_off(32))
}

/// Writes the entry, if that is possible.
pub fn write(key: Key, contents: &[u8]) {
    let Some(path) = path(key) else { return };
    let mut bytes = Vec::with_capacity(32 + contents.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&(contents.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&hash(contents).to_le_bytes());
    bytes.extend_from_slice(contents);
    let _ = put(&path, &bytes);
}

/// Writes a file under another name and renames it. Its folder is made if it is missing.
pub(super) fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let unique = COUNT.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_extension(format!("{}.{unique}.tmp", std::process::id()));
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written = made.and_then(|()| std::fs::write(&draft, bytes)).and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}

/// `$WARPCELL_CACHE_DIR`, `$XDG_CACHE_HOME/warpcell` or `~/.cache/warpcell`.
fn path(key: Key) -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("WARPCELL_CACHE_DIR")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("warpcell")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/warpcell")))?;
    Some(folder.join(format!("{key}.cubin")))
}

// FNV-1a of 128 bits: stable over versions of Rust, which the standard library's hasher is not.
const FNV_START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
fn fnv(start: u128, bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .fold(start, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_fnv_1a() {
        // Test vector of the FNV draft: the 128-bit FNV-1a of "a".
        assert_eq!(fnv(FNV_START, b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_ne!(Key::of([&b"ab"[..], b"c"]), Key::of([&b"a"[..], b"bc"]));
    }

    #[test]
    fn entries_are_whole_or_absent() {
        let folder = std::env::temp_dir().join(format!("warpcell-cache-{}", std::process::id()));
        // SAFETY: the only test of this binary that sets the variable, and no thread of it reads the environment
        // through C meanwhile.
        unsafe { std::env::set_var("WARPCELL_CACHE_DIR", &folder) };
        let key = Key::of([&b"entries_are_whole_or_absent"[..]]);
        assert_eq!(read(key), None);
        write(key, b"machine code");
        assert_eq!(read(key).as_deref(), Some(&b"machine code"[..]));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no draft is left");

        let path = path(key).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read(key), None, "a flipped bit");
        std::fs::write(&path, b"warp").unwrap();
        assert_eq!(read(key), None, "a short file");
        write(key, b"again");
        assert_eq!(read(key).as_deref(), Some(&b"again"[..]));

        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, b"a file where the folder should be").unwrap();
        write(key, b"cannot be written");
        assert_eq!(read(key), None);
        std::fs::remove_file(&folder).unwrap();
    }
}
