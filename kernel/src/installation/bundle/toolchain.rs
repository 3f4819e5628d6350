//! The toolchain in a bundle: the files that cells need, and their place.

use super::archive::append as append_tree;
use crate::installation::Installation;
use crate::installation::directories;
use crate::installation::toolchain::Toolchain;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of a bundle with it.
pub const TOOLCHAIN: &str = "toolchain";
/// The name in front of the release.
const NAME: &str = "warpcell-rust-";

/// A bundled toolchain in its place.
pub struct Bundled {
    /// Its folder.
    pub root: PathBuf,
    put: Option<directories::Put>,
}

impl Bundled {
    /// Leaves it there.
    pub fn keep(self) -> Result<()> {
        self.put.map_or(Ok(()), directories::Put::keep)
    }
}

/// Adds the parts of an installation's toolchain that compile cells and crates.
pub fn append(archive: &mut tar::Builder<impl Write>, installation: &Installation) -> Result<()> {
    let root = &installation.record.toolchain;
    // What distributions install in pieces all over the system cannot be packed.
    if !root.join("lib/rustlib/components").is_file() {
        bail!(
            "the toolchain in {} does not stand in a folder of its own and cannot be packed. Install Warpcell with one of \
             rustup's, then run this again",
            root.display()
        );
    }
    let mut file = |path: &str| {
        let name = format!("{TOOLCHAIN}/{path}");
        archive
            .append_path_with_name(root.join(path), name)
            .with_context(|| format!("{} cannot be packed", root.join(path).display()))
    };
    let target = format!("lib/rustlib/{}", installation.record.prelude.target);
    for path in ["bin/rustc", "bin/cargo"] {
        file(path)?;
    }
    let linker = format!("{target}/bin/rust-lld");
    if root.join(&linker).is_file() {
        file(&linker)?;
    }
    for entry in directories::entries(&root.join("lib"))? {
        if entry.path().is_file() {
            file(&format!("lib/{}", entry.file_name().to_string_lossy()))?;
        }
    }
    let linkers = format!("{target}/bin/gcc-ld");
    for part in [format!("{target}/lib"), linkers] {
        if root.join(&part).is_dir() {
            append_tree(archive, &root.join(&part), &format!("{TOOLCHAIN}/{part}"), &|_| false)?;
        }
    }
    Ok(())
}

/// Puts an unpacked toolchain into a prefix, unless the same one is there. `None` if the bundle has none.
pub fn put(unpacked: &Path, prefix: &Path) -> Result<Option<Bundled>> {
    if !unpacked.is_dir() {
        return Ok(None);
    }
    let new = Toolchain::at(unpacked).context("the bundled compiler does not run here")?;
    let root = prefix.join("lib").join(format!("{NAME}{}", new.release));
    let is_there = Toolchain::at(&root).is_ok_and(|old| old.compiler == new.compiler);
    let put = if is_there { None } else { Some(directories::put(unpacked, &root)?) };
    Ok(Some(Bundled { root, put }))
}

/// Removes the toolchains of bundles from a prefix, all but one.
pub fn remove(prefix: &Path, but: Option<&Path>) -> Result<()> {
    for entry in directories::entries(&prefix.join("lib"))? {
        let is_ours = entry.file_name().to_string_lossy().starts_with(NAME);
        if is_ours && but != Some(entry.path().as_path()) {
            directories::remove(&entry.path())?;
        }
    }
    Ok(())
}
