//! The parts of an installation and its record. The modules below create and remove installations.
//!
//! ```text
//! PREFIX/bin/warpcell
//! PREFIX/lib/warpcell/installation.json   what was recorded at installation
//!                     prelude/            libwarpcell.so, metadata of the crates behind it, a link to libstd
//!                     tools/              cargo, rustc, rustup: links to the binary; sh
//!                     sysroot/            a toolchain for rust-analyzer: our cargo and rustc, the real libraries
//!                     metadata/           answers to `cargo metadata`
//!                     sources/            the crates that rust-analyzer reads
//!                     workspace/          the prelude's sources, which exported programs are built of
//!                     recorded/           the questions of a start, with the answers
//!                     cells/              compiled cells for all users (`build_step/cell_cache.rs`), if there are any
//! ```

pub mod bundle;
pub mod cache;
pub mod directories;
pub mod package;
pub mod setup;
pub mod toolchain;
pub mod user;

use crate::files;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of compiled cells, in an installation, in a package, and in the user's cache beside the crates of `:dep`.
pub const CELLS: &str = "cells";

/// The directory of the standard library's sources in a toolchain.
pub const SOURCES: &str = "lib/rustlib/src/rust/library";

/// The description of the prelude in a package and in an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltPrelude {
    /// Version of Warpcell.
    pub version: String,
    /// `rustc -V` of the compiler that built the prelude.
    pub compiler: String,
    /// The compilation target.
    pub target: String,
    /// Crates that cells can name, with the file that describes each, relative to the prelude's directory.
    pub externs: Vec<(String, String)>,
    /// Crates inside the prelude's library.
    pub carried: Vec<Carried>,
    /// A hash of the prelude's files: code that was compiled with another prelude does not fit.
    pub identity: String,
}

/// The record of an installation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InstallationRecord {
    /// The prelude.
    #[serde(flatten)]
    pub prelude: BuiltPrelude,
    /// The toolchain's root directory.
    pub toolchain: PathBuf,
    /// The origin of the standard library's sources. `None` if there were none.
    #[serde(default)]
    pub sources: Option<LibrarySources>,
}

/// Sources of the standard library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibrarySources {
    /// Their directory.
    pub directory: PathBuf,
    /// The release of Rust that they belong to, if it is known.
    pub release: Option<String>,
}

/// A crate inside the prelude's library, and how it was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// The package's name.
    pub name: String,
    /// The package's version.
    pub version: String,
    /// The library's name, as code names it.
    pub library: String,
    /// The package's features that are on.
    pub features: Vec<String>,
    /// The file that describes it, relative to the prelude's directory.
    pub file: String,
    /// Whether `:dep` gives cells this crate.
    pub offered: bool,
}

/// An installation on disk.
#[derive(Clone, Debug)]
pub struct Installation {
    /// `PREFIX/lib/warpcell`.
    pub home: PathBuf,
    /// Its record.
    pub record: InstallationRecord,
}

impl Installation {
    /// The installation in a directory `PREFIX/lib/warpcell`.
    pub fn open(home: &Path) -> Result<Installation> {
        let path = home.join("installation.json");
        if !path.exists() {
            bail!(
                "Warpcell is not installed at {}: {} is missing. Run {}{}.",
                home.display(),
                path.display(),
                remedy(),
                if is_from_wheel() { "" } else { " in Warpcell's directory" },
            );
        }
        let record = serde_json::from_str(&files::read(&path)?)
            .with_context(|| format!("{} is damaged; run {} again", path.display(), remedy()))?;
        Ok(Installation { home: home.to_owned(), record })
    }

    /// Directory of the prelude's library and metadata.
    pub fn prelude(&self) -> PathBuf {
        self.home.join("prelude")
    }

    /// The prelude's library.
    pub fn prelude_library(&self) -> PathBuf {
        self.prelude().join("libwarpcell.so")
    }

    /// The toolchain as rust-analyzer sees it.
    pub fn sysroot(&self) -> PathBuf {
        self.home.join("sysroot")
    }

    /// Whether rust-analyzer has the standard library's sources. Without them it knows no types of that library, and
    /// the compiler is asked for the types of variables.
    pub fn has_sources(&self) -> bool {
        self.sysroot().join(SOURCES).join("core/src/lib.rs").exists()
    }

    /// Directory of the answers to `cargo metadata`.
    pub fn metadata(&self) -> PathBuf {
        self.home.join("metadata")
    }

    /// Directory of the recorded questions of a start, with the answers.
    pub fn recorded(&self) -> PathBuf {
        self.home.join("recorded")
    }

    /// The carried crate's entry.
    pub fn carried(&self, name: &str) -> impl Iterator<Item = &Carried> {
        self.record.prelude.carried.iter().filter(move |carried| carried.name == name)
    }

    /// The prelude's `Cargo.lock`, which has the versions for the crates of `:dep`.
    pub fn lock_file(&self) -> PathBuf {
        self.metadata().join("Cargo.lock")
    }

    /// The real compiler or cargo.
    pub fn real_tool(&self, name: &str) -> PathBuf {
        self.record.toolchain.join("bin").join(name)
    }

    /// The identity of the directory on this machine. A later installation in the same place has another one. `None` if
    /// it is gone.
    pub fn place(&self) -> Option<(u64, u64)> {
        place_of(&self.home.join("installation.json"))
    }

    /// Why cells cannot be compiled, if there is a reason.
    pub fn problem(&self) -> Option<String> {
        for tool in ["rustc", "cargo"] {
            let path = self.real_tool(tool);
            if path.try_exists().is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied) {
                return Some(format!(
                    "This user cannot read the Rust toolchain that Warpcell was installed with: {}. Whoever installed it can \
                     install Rust {} where all users can read it, such as in /opt/rust, and run {} again.",
                    path.display(),
                    self.record.prelude.compiler,
                    remedy()
                ));
            }
            if !path.exists() {
                return Some(format!(
                    "The Rust toolchain that Warpcell was installed with is gone: {} does not exist. \
                     Install Rust {} again, then run {}.",
                    path.display(),
                    self.record.prelude.compiler,
                    remedy()
                ));
            }
        }
        if !self.prelude_library().exists() {
            return Some(format!(
                "Warpcell's prelude is missing: {} does not exist. Run {} again.",
                self.prelude_library().display(),
                remedy()
            ));
        }
        let mut files = files::paths_in(&self.prelude());
        // The prelude and all cells share this library; it has another name in every version of the compiler.
        let gone = files.find(|path| path.is_symlink() && !path.exists());
        gone.map(|library| {
            format!(
                "The Rust toolchain has changed since Warpcell was installed: {} links to a missing file. Install {} \
                 again, or run {} to use the compiler that is there now.",
                library.display(),
                self.record.prelude.compiler,
                remedy()
            )
        })
    }
}

/// The identity of the file at a path. If another file takes its place, it changes. `None` if there is no file.
pub fn place_of(path: &Path) -> Option<(u64, u64)> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

/// The command that repeats the installation of the running program.
pub fn remedy() -> &'static str {
    if is_from_wheel() { "warpcell setup" } else { "./install.sh" }
}

/// Whether pip installed the running program.
fn is_from_wheel() -> bool {
    std::env::current_exe().is_ok_and(|program| program.parent().and_then(Path::parent).is_some_and(has_package))
}

/// Whether a prefix has a package. Then pip installed the program and the entry, and pip must remove them.
pub fn has_package(prefix: &Path) -> bool {
    package_in(prefix).exists()
}

/// The path of a package in a prefix.
pub fn package_in(prefix: &Path) -> PathBuf {
    prefix.join("share/warpcell/package")
}

/// `PREFIX/lib/warpcell` of a program in `PREFIX/bin`.
pub fn home_beside(program: &Path) -> Result<PathBuf> {
    let prefix = program.parent().and_then(Path::parent);
    prefix.map(home_in).with_context(|| format!("{} does not belong to an installation", program.display()))
}

/// Directory of an installation's links named `cargo`, `rustc` and `rustup`.
pub fn tools_in(home: &Path) -> PathBuf {
    home.join("tools")
}

/// `PREFIX/lib/warpcell`.
pub fn home_in(prefix: &Path) -> PathBuf {
    prefix.join("lib").join("warpcell")
}
