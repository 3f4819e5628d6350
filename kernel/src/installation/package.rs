//! A package has the parts of an installation that depend neither on its location nor on the location of the compiler.
//! It is made from a source checkout. `setup.rs` makes an installation from a package and a toolchain.
//!
//! ```text
//! PACKAGE/package.json   its contents, and the compiler
//!         prelude/       libwarpcell.so, the metadata of the crates below it, the macros
//!         metadata/      answers to `cargo metadata`; the locked versions
//!         sources/       the crates that rust-analyzer reads
//!         cells/         the compiled cells of the lessons; not in every package
//!         workspace/     the prelude's sources: to build it with another compiler, and for exported programs
//! ```

pub mod metadata;
pub mod prelude;
mod workspace;

use crate::files;
use crate::installation::directories;
use crate::installation::toolchain::{Toolchain, query};
use crate::installation::{BuiltPrelude, CELLS, Carried, Installation};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file with the description of a package.
pub const MANIFEST: &str = "package.json";
/// From how many bytes on a file is too large to be copied into each user's cache.
const LARGE: u64 = 1 << 16;
const WORKSPACE: &str = "workspace";
/// The parts that an installation uses, beside [`CELLS`].
pub const PARTS: &[&str] = &["prelude", "metadata", "sources", WORKSPACE];

/// The prelude's sources in an installation: programs that notebooks are exported to are built of them.
pub fn workspace_of(home: &Path) -> PathBuf {
    home.join(WORKSPACE)
}

/// The description of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageManifest {
    /// The prelude.
    #[serde(flatten)]
    pub prelude: BuiltPrelude,
    /// Name of the standard library that the prelude is linked to.
    pub standard_library: String,
    /// How many crates cargo builds for the prelude.
    pub artifacts: usize,
}

/// Is told how much of a build is done: a number of crates, and how many there are.
pub type ReportProgress<'a> = dyn FnMut(usize, usize) + 'a;

/// A package on disk.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its directory.
    pub directory: PathBuf,
    /// Its description.
    pub manifest: PackageManifest,
}

impl Package {
    /// The package in a directory.
    pub fn open(directory: &Path) -> Result<Package> {
        let path = directory.join(MANIFEST);
        let manifest = serde_json::from_str(&files::read(&path)?)
            .with_context(|| format!("{} is damaged; install Warpcell again", path.display()))?;
        Ok(Package { directory: directory.to_owned(), manifest })
    }

    /// Makes a package of Warpcell's source directory, in a directory that is not there. Builds the prelude (quick when
    /// nothing changed).
    pub fn make(source: &Path, toolchain: &Toolchain, directory: &Path) -> Result<Package> {
        let artifacts = prelude::build(source, toolchain, None)?;
        let metadata = workspace_metadata(source, toolchain)?;
        let mut prelude = prelude::copy(&artifacts, toolchain, &directory.join("prelude"))?;
        for carried in &mut prelude.carried {
            let package = |package: &&Value| package["name"] == *carried.name && package["version"] == *carried.version;
            // A package without default features has all of them.
            let package = metadata["packages"].as_array().into_iter().flatten().find(package);
            if package.is_some_and(|package| package["features"]["default"].is_null()) {
                carried.features.push("default".to_owned());
            }
        }
        metadata::record(directory, source, &metadata, toolchain, &prelude.carried)?;
        workspace::copy(source, toolchain, &directory.join(WORKSPACE))?;
        Package::write(toolchain, directory, prelude, artifacts.len())
    }

    fn write(toolchain: &Toolchain, directory: &Path, prelude: BuiltPrelude, artifacts: usize) -> Result<Package> {
        let manifest = PackageManifest { prelude, standard_library: toolchain.standard_library.clone(), artifacts };
        files::write(&directory.join(MANIFEST), serde_json::to_string_pretty(&manifest)?)?;
        Ok(Package { directory: directory.to_owned(), manifest })
    }

    /// The manifest of the package that an installation was made of, as text.
    pub fn manifest_of(installation: &Installation) -> Result<String> {
        let library = directories::entries(&installation.prelude())?
            .into_iter()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .find(|name| name.starts_with("libstd-"))
            .context("the installation's prelude has no standard library beside it")?;
        let prelude = installation.record.prelude.clone();
        let manifest = PackageManifest { artifacts: prelude.carried.len(), prelude, standard_library: library };
        Ok(serde_json::to_string_pretty(&manifest)?)
    }

    /// Makes a package from this package's sources, for another compiler. This takes minutes, and cargo may download
    /// crates. `report` gets the number of built crates and their total.
    pub fn rebuild(&self, toolchain: &Toolchain, directory: &Path, report: &mut ReportProgress<'_>) -> Result<Package> {
        let workspace = self.directory.join(WORKSPACE);
        if !workspace.join("Cargo.toml").exists() {
            bail!(
                "the prelude in {} is for {}, and its sources are not there to build it with {}",
                self.directory.display(),
                self.manifest.prelude.compiler,
                toolchain.compiler
            );
        }
        let target = directory.join("target");
        let mut built = 0;
        let total = self.manifest.artifacts;
        let mut progress = || {
            built += 1;
            report(built.min(total), total);
        };
        let artifacts = prelude::build(
            &workspace,
            toolchain,
            Some(prelude::Elsewhere { target: &target, progress: &mut progress }),
        )?;
        let mut prelude = prelude::copy(&artifacts, toolchain, &directory.join("prelude"))?;
        for carried in &mut prelude.carried {
            let same = |known: &&Carried| (&known.name, &known.version) == (&carried.name, &carried.version);
            if let Some(known) = self.manifest.prelude.carried.iter().find(same) {
                carried.features.clone_from(&known.features);
            }
        }
        // These parts do not depend on the compiler.
        for part in ["metadata", "sources", WORKSPACE] {
            link_tree(&self.directory.join(part), &directory.join(part))?;
        }
        directories::remove(&target)?;
        Package::write(toolchain, directory, prelude, artifacts.len())
    }

    /// Whether the prelude works with a toolchain. Compiled code and metadata work with one compiler only.
    pub fn fits(&self, toolchain: &Toolchain) -> bool {
        (&self.manifest.prelude.compiler, &self.manifest.prelude.target, &self.manifest.standard_library)
            == (&toolchain.compiler, &toolchain.target, &toolchain.standard_library)
    }

    /// Refuses a toolchain that the prelude does not work with.
    pub fn check(&self, toolchain: &Toolchain) -> Result<()> {
        if !self.fits(toolchain) {
            bail!(
                "the prelude in {} is for {}, but {} is {}",
                self.directory.display(),
                self.manifest.prelude.compiler,
                toolchain.tool("rustc").display(),
                toolchain.compiler
            );
        }
        Ok(())
    }

    /// Moves the parts of an installation into its directory. The rest of the package is removed.
    pub fn move_into(&self, home: &Path) -> Result<()> {
        for part in PARTS {
            let (from, to) = (self.directory.join(part), home.join(part));
            std::fs::rename(&from, &to).with_context(|| format!("{} cannot be written", to.display()))?;
        }
        self.copy_cells(home)?;
        directories::remove(&self.directory)
    }

    /// Links the parts of an installation into its directory. The package stays. If the file system supports hard
    /// links, the files need no more space, and they survive the removal of the package.
    pub fn link_into(&self, home: &Path) -> Result<()> {
        PARTS.iter().try_for_each(|part| link_tree(&self.directory.join(part), &home.join(part)))?;
        self.copy_cells(home)
    }

    /// Copies the compiled cells, if there are any. Kernels read only what nobody else can write, and what has unpacked the package may
    /// have given its files other rights.
    fn copy_cells(&self, home: &Path) -> Result<()> {
        let from = self.directory.join(CELLS);
        if !from.is_dir() {
            return Ok(());
        }
        let to = home.join(CELLS);
        files::create_folder(&to)?;
        std::fs::set_permissions(&to, Permissions::from_mode(0o755))
            .with_context(|| format!("{} cannot be opened for reading", to.display()))?;
        for entry in directories::entries(&from)? {
            let contents =
                std::fs::read(entry.path()).with_context(|| format!("{} cannot be read", entry.path().display()))?;
            files::replace_for_all(&to.join(entry.file_name()), contents)?;
        }
        Ok(())
    }
}

/// Hard-links the files of a directory into another one. If this fails, it uses symbolic links to large files and
/// copies of small files.
fn link_tree(from: &Path, to: &Path) -> Result<()> {
    files::create_folder(to)?;
    for entry in directories::entries(from)? {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let about = entry.metadata()?;
        if about.is_dir() {
            link_tree(&from, &to)?;
        } else if std::fs::hard_link(&from, &to).is_err() {
            let linked = if about.len() >= LARGE {
                symlink(std::path::absolute(&from)?, &to)
            } else {
                std::fs::copy(&from, &to).map(|_| ())
            };
            linked.with_context(|| format!("{} cannot be written", to.display()))?;
        }
    }
    Ok(())
}

/// `cargo metadata` of Warpcell's own workspace.
fn workspace_metadata(source: &Path, toolchain: &Toolchain) -> Result<Value> {
    let text = query(
        Command::new(toolchain.tool("cargo"))
            .current_dir(source)
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &toolchain.target])
            .env("RUSTC", toolchain.tool("rustc")),
    )?;
    serde_json::from_str(&text).context("cargo's metadata cannot be read")
}
