//! The Rust toolchain that compiles cells: its properties, and the search for it ([`search`]).

pub mod search;

use crate::PINNED_COMPILER;
use crate::installation::SOURCES;
use anyhow::{Context, Result, bail};
use semver::Version;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A toolchain, as its own `rustc` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// Its root directory, with `bin/rustc`, `bin/cargo` and `lib/rustlib`.
    pub root: PathBuf,
    /// `rustc -V`.
    pub compiler: String,
    /// Its release.
    pub release: Version,
    /// The target that it compiles for: the machine it runs on.
    pub target: String,
    /// Name of the standard library's shared object. Its hash differs in every build of the compiler.
    pub standard_library: String,
}

impl Toolchain {
    /// The toolchain behind `rustc`, which may be rustup's proxy. Then the current directory does not matter, and
    /// nothing is installed.
    pub fn of(rustc: &Path) -> Result<Toolchain> {
        let mut command = Command::new(rustc);
        command.current_dir("/").env("RUSTUP_AUTO_INSTALL", "0").stdin(Stdio::null());
        let root = query(command.args(["--print", "sysroot"]))?;
        Toolchain::at(Path::new(&root))
    }

    /// The toolchain in a root directory.
    pub fn at(root: &Path) -> Result<Toolchain> {
        let about = query(Command::new(root.join("bin/rustc")).arg("-vV"))?;
        let compiler = about.lines().next().unwrap_or_default().to_owned();
        let host = about.lines().find_map(|line| line.strip_prefix("host: "));
        let target = host.context("rustc does not name its host")?.to_owned();
        let release = about.lines().find_map(|line| line.strip_prefix("release: "));
        let release = Version::parse(release.context("rustc does not name its release")?)?;
        let standard_library = standard_library(root, &target)?;
        Ok(Toolchain { root: root.to_owned(), compiler, release, target, standard_library })
    }

    /// Whether it is of the release that Warpcell is made for.
    pub fn is_pinned(&self) -> bool {
        self.release.to_string() == PINNED_COMPILER
    }

    /// A tool of it.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.root.join("bin").join(name)
    }

    /// The processor's architecture, such as `x86_64`.
    pub fn architecture(&self) -> &str {
        self.target.split('-').next().unwrap_or_default()
    }

    /// Directory of the compiled standard library.
    pub fn libraries(&self) -> PathBuf {
        libraries(&self.root, &self.target)
    }

    /// The standard library's sources: the given ones, or those of the toolchain if it has them. Without them cells
    /// run, but completion does not know that library.
    pub fn sources(&self, given: Option<&Path>) -> Result<Option<PathBuf>> {
        let own = self.root.join(SOURCES);
        let found = given.unwrap_or(&own);
        if found.join("core/src/lib.rs").exists() {
            return Ok(Some(found.canonicalize()?));
        }
        if given.is_some() {
            bail!(
                "the sources of the standard library are not at {}: core/src/lib.rs is missing there",
                found.display()
            );
        }
        Ok(None)
    }
}

/// The release that sources of the standard library belong to. The toolchain's own sources have its release. Sources of
/// a distribution have the release in their path (`/usr/src/rustc-1.96.0/library`).
pub fn release_of_sources(toolchain: &Toolchain, sources: &Path) -> Option<String> {
    let is_own = toolchain.root.canonicalize().is_ok_and(|root| sources.starts_with(root));
    if is_own || sources.starts_with(&toolchain.root) {
        return Some(toolchain.release.to_string());
    }
    let names = sources.iter().filter_map(|name| name.to_str()?.strip_prefix("rustc-"));
    names.filter_map(|name| Version::parse(name).ok()).map(|release| release.to_string()).next_back()
}

fn libraries(root: &Path, target: &str) -> PathBuf {
    root.join("lib/rustlib").join(target).join("lib")
}

fn standard_library(root: &Path, target: &str) -> Result<String> {
    let libraries = libraries(root, target);
    let mut names = crate::installation::directories::entries(&libraries)?
        .into_iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("libstd-") && name.ends_with(".so"));
    names.next().with_context(|| format!("no libstd-*.so in {}", libraries.display()))
}

/// The output of a command, trimmed.
pub fn query(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} cannot be run"))?;
    if !output.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_of_sources_is_told_by_their_place() {
        let toolchain = Toolchain {
            root: "/rust/1.95.0".into(),
            compiler: "rustc 1.95.0".into(),
            release: Version::new(1, 95, 0),
            target: "x86_64-unknown-linux-gnu".into(),
            standard_library: "libstd-0123.so".into(),
        };
        let release = |sources: &str| release_of_sources(&toolchain, Path::new(sources));
        assert_eq!(release("/rust/1.95.0/lib/rustlib/src/rust/library").as_deref(), Some("1.95.0"));
        assert_eq!(release("/usr/src/rustc-1.96.0/library").as_deref(), Some("1.96.0"));
        assert_eq!(release("/usr/src/rustc-1.96.0-beta.2/library").as_deref(), Some("1.96.0-beta.2"));
        assert_eq!(release("/srv/my sources/library"), None);
    }
}
