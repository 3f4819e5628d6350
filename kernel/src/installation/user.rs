//! Installations in a user's cache. If nobody has set a package up in its prefix, the first start of a kernel makes one.
//!
//! ```text
//! CACHE/installations/ID/          an installation; ID: a hash of program, package and toolchain
//!                     ID/program   the program that it is for, and its stamp
//!                     choices/KEY  the installation that a program's kernels use; KEY: a hash of program, package and
//!                                  WARPCELL_RUSTC
//! ```
//! The choice is made once. Later starts do not run a compiler, and `rustup default` has no effect on them. An
//! installation whose program is gone or was replaced is removed when the next one is made.

use crate::choices::{CHOICES, folder, identity, key, package_of, stamp};
use crate::files;
use crate::hashing::hash;
use crate::installation::directories;
use crate::installation::package::{Package, ReportProgress};
use crate::installation::setup::{self, SetupPlan};
use crate::installation::toolchain::Toolchain;
use crate::installation::toolchain::search::Surroundings;
use crate::installation::{Installation, package_in};
use crate::printing::outln;
use crate::private;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

const PROGRAM: &str = "program";

/// An installation that must be made in the user's cache.
pub struct Needed {
    program: PathBuf,
    package: Package,
    /// The toolchain that was found.
    pub toolchain: Toolchain,
    /// The directory of the installation.
    pub home: PathBuf,
}

/// The command `warpcell setup --for-user`. Returns the installation's directory. The progress is a line for each
/// crate.
pub fn set_up() -> Result<PathBuf> {
    let program = std::env::current_exe().context("the path of this program cannot be found")?;
    let needed = Needed::find(&program)?.with_context(|| {
        let place = program.parent().and_then(Path::parent).map(package_in).unwrap_or_default();
        format!("there is nothing to set up in {}", place.display())
    })?;
    needed.make(&mut |built, total| outln!("building the array library: {built} of {total} crates"))?;
    Ok(needed.home)
}

impl Needed {
    /// The installation that a program needs. `None` if it has no package.
    pub fn find(program: &Path) -> Result<Option<Needed>> {
        let Some(package) = package_of(program) else { return Ok(None) };
        let toolchain = Surroundings::here(None).find()?;
        let folder =
            folder().context("there is no folder for the user's cache: neither HOME nor WARPCELL_CACHE_DIR is set")?;
        let id = hash(&(stamp(program), identity(&package), &toolchain.compiler, &toolchain.root));
        Ok(Some(Needed { program: program.to_owned(), home: folder.join(id), package, toolchain }))
    }

    /// Whether the prelude was built for this compiler. Otherwise it must be built, which takes minutes.
    pub fn is_quick(&self) -> bool {
        self.package.fits(&self.toolchain)
    }

    /// Makes the installation, or uses the one that another process makes at the same time.
    pub fn make(&self, report: &mut ReportProgress<'_>) -> Result<()> {
        let folder = self.home.parent().context("an installation needs a folder")?;
        folder.parent().map_or(Ok(()), private::create_cache)?;
        let _lock = directories::lock(&folder.join(CHOICES))?;
        let is_there = Installation::open(&self.home).is_ok_and(|found| found.problem().is_none());
        if !(is_there && self.home.join(PROGRAM).exists()) {
            let surroundings = Surroundings::here(None);
            let standard_library = surroundings.sources(&self.toolchain).ok();
            setup::set_up_for_any(
                &SetupPlan {
                    package: &self.package,
                    keep_package: true,
                    toolchain: &self.toolchain,
                    standard_library: standard_library.as_deref(),
                    crates: None,
                    home: &self.home,
                    program: &self.program,
                },
                report,
            )?;
            files::replace(&self.home.join(PROGRAM), stamp(&self.program))?;
        }
        let name = self.home.file_name().unwrap_or_default().to_string_lossy();
        files::replace(&folder.join(CHOICES).join(key(&self.program, &self.package)), &*name)?;
        sweep();
        Ok(())
    }
}

/// Removes installations whose program is gone or was replaced. If something cannot be removed, it stays until the next
/// time.
pub fn sweep() {
    let Some(folder) = folder() else { return };
    for installation in files::paths_in(&folder) {
        // One without is being made.
        let Ok(noted) = std::fs::read_to_string(installation.join(PROGRAM)) else { continue };
        let program = noted.lines().next().map(Path::new);
        if program.is_none_or(|program| stamp(program) != noted) {
            let _ = directories::remove(&installation);
        }
    }
    for choice in files::paths_in(&folder.join(CHOICES)) {
        let name = std::fs::read_to_string(&choice).unwrap_or_default();
        if !folder.join(name).join(PROGRAM).exists() {
            let _ = std::fs::remove_file(choice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchanged_program_has_another_stamp() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("a program");
        std::fs::write(&program, "one").unwrap();
        let first = stamp(&program);
        assert_eq!(stamp(&program), first);
        assert_eq!(first.lines().next().map(Path::new), Some(program.as_path()));
        files::replace(&program, "another").unwrap();
        assert_ne!(stamp(&program), first);
        std::fs::remove_file(&program).unwrap();
        assert_ne!(stamp(&program), first);
    }
}
