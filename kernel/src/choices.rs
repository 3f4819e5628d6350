//! The installation that a program uses: the one in its prefix, or one in the user's cache that was chosen for it.

use crate::environment::INSTALLATION;
use crate::hashing::hash;
use crate::installation::cache;
use crate::installation::package::Package;
use crate::installation::toolchain::search::CHOICE;
use crate::installation::{Installation, home_beside, package_in};
use anyhow::{Context, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of the choices, beside the installations.
pub const CHOICES: &str = "choices";

/// The installation of the running binary: the one that the kernel has chosen, or the one in the binary's prefix, or
/// one in the user's cache.
pub fn installation() -> Result<Installation> {
    let program = std::env::current_exe().context("the path of this program cannot be found")?;
    if let Some(home) = std::env::var_os(INSTALLATION).map(PathBuf::from).filter(|home| is_for(home, &program)) {
        return Installation::open(&home);
    }
    let beside = Installation::open(&home_beside(&program)?);
    if beside.as_ref().is_ok_and(|beside| beside.problem().is_none()) {
        return beside;
    }
    chosen(&program).map_or(beside, Ok)
}

/// Whether the tools of an installation are a program: another Warpcell may run below this one.
fn is_for(home: &Path, program: &Path) -> bool {
    home.join("tools/cargo").canonicalize().is_ok_and(|tool| tool == program)
}

/// The installation that was chosen for a program, if there is one that works.
fn chosen(program: &Path) -> Option<Installation> {
    let package = package_of(program)?;
    let choice = folder()?.join(CHOICES).join(key(program, &package));
    let name = std::fs::read_to_string(choice).ok()?;
    let installation = Installation::open(&folder()?.join(name)).ok()?;
    installation.problem().is_none().then_some(installation)
}

/// The folder of all installations in the cache.
pub fn folder() -> Option<PathBuf> {
    Some(cache::folder()?.join(cache::INSTALLATIONS))
}

/// The package that came with a program.
pub fn package_of(program: &Path) -> Option<Package> {
    let directory = package_in(program.parent()?.parent()?);
    Package::open(&directory).ok()
}

/// What tells a package from others.
pub fn identity(package: &Package) -> (&str, &str) {
    (&package.manifest.prelude.version, &package.manifest.prelude.identity)
}

/// The name of a choice.
pub fn key(program: &Path, package: &Package) -> String {
    hash(&(stamp(program), identity(package), std::env::var_os(CHOICE)))
}

/// Identifies the program file. If another file takes its place, the stamp changes.
pub fn stamp(program: &Path) -> String {
    let about = std::fs::metadata(program).map(|about| (about.len(), about.mtime(), about.ino())).unwrap_or_default();
    format!("{}\n{about:?}\n", program.display())
}
