//! The place where a set of crates is built: a cache that all notebooks of a user share, or the session's directory if
//! the cache cannot be written or has no locks.
//!
//! ```text
//! CACHE/crates/KEY/            KEY: a hash of compiler and prelude (see `cache.rs`)
//!                  target/     cargo's target directory of all sets; cargo locks it while it builds
//!                  sets/HASH/  a crate that depends on the set's crates; HASH: of its Cargo.toml
//!                              Cargo.lock begins as a copy of the previous one of the session, or of the prelude's,
//!                              so that versions stay the same
//!                              answer.json, record.json: what cargo said
//! ```
//! Files are written under another name and renamed. So a killed process leaves no incomplete file.

use super::plan::CratePlan;
use super::progress::Progress;
use crate::files;
use crate::hashing::hash;
use crate::installation::cache;
use crate::installation::{Installation, remedy};
use crate::private;
use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The package's name in the set's manifest.
pub const PACKAGE: &str = "notebook-dependencies";

/// A set of crates in one place.
pub struct Set {
    /// Directory of the crate that depends on them.
    pub directory: PathBuf,
    /// Cargo's target directory.
    pub target: PathBuf,
    /// The folder for cargo's downloads, if cargo cannot use the user's home.
    pub cargo_home: PathBuf,
    root: PathBuf,
    /// Whether other kernels use the same place.
    is_shared: bool,
    manifest: String,
    /// The lock files with the versions: of the session's last set, and of the prelude.
    seeds: [PathBuf; 2],
}

/// A file beside the manifest of a set.
pub trait SetFile: Serialize + DeserializeOwned {
    /// The file's name.
    const FILE: &'static str;
}

impl Set {
    /// The places for a set: in the cache, and in the session's directory.
    pub fn places(installation: &Installation, session: &Path, plan: &CratePlan<'_>) -> Result<Vec<Set>> {
        let manifest = manifest(plan)?;
        // Crates below cannot use these names.
        let renamed = plan.carried.iter().filter(|(library, carried)| *library != carried.library);
        let renamed: Vec<&String> = renamed.map(|(library, _)| library).collect();
        let shared = cache::crates_of(installation);
        let place = |root: PathBuf| Set {
            directory: root.join("sets").join(hash(&(&manifest, &renamed))),
            target: root.join("target"),
            cargo_home: root.join("cargo"),
            is_shared: !root.starts_with(session),
            root,
            manifest: manifest.clone(),
            seeds: [session.join("Cargo.lock"), installation.lock_file()],
        };
        Ok(shared.into_iter().chain([session.join("crates")]).map(place).collect())
    }

    /// The first place that can be written, made ready for cargo.
    pub fn writable<'a>(sets: &'a [Set], installation: &Installation, progress: &mut Progress) -> Result<&'a Set> {
        if let Some(folder) = cache::folder() {
            // If this fails, the following steps report it.
            let _ = private::create_cache(&folder);
        }
        let mut problem = None;
        for set in sets {
            match set.prepare(installation) {
                Ok(()) => {
                    if let Some(problem) = problem {
                        progress.line(&format!(
                            "note: {problem:#}; crates are built for this session only. \
                             WARPCELL_CACHE_DIR can name another folder for them"
                        ));
                    }
                    return Ok(set);
                }
                Err(error) => problem = Some(problem.unwrap_or(error)),
            }
        }
        Err(problem.unwrap_or_else(|| anyhow::anyhow!("there is no directory for the crates of `:dep`")))
    }

    /// Records that an installation uses the set. The set stays as long as the installation exists.
    pub fn keep_for(&self, installation: &Installation) {
        if self.is_shared {
            // Otherwise it is built again some day.
            let _ = cache::claim(&self.root, installation);
        }
    }

    fn prepare(&self, installation: &Installation) -> Result<()> {
        let source = self.directory.join("src");
        for directory in [&source, &self.target] {
            private::create(directory)?;
        }
        if self.is_shared {
            cache::claim(&self.root, installation)?;
            cache::check_locks(&self.target)?;
        }
        // Whether the folder can be written.
        tempfile::tempfile_in(&self.directory)
            .with_context(|| format!("{} cannot be written", self.directory.display()))?;
        // Cargo looks at the time of the manifest. So the file stays untouched if nothing changes.
        let path = self.directory.join("Cargo.toml");
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&self.manifest) {
            files::replace(&path, &self.manifest)?;
        }
        files::write_new(&source.join("lib.rs"), "")?;
        let [session, prelude] = &self.seeds;
        let seed = std::fs::read(session)
            .or_else(|_| std::fs::read(prelude))
            .with_context(|| format!("{} cannot be read; run {} again", prelude.display(), remedy()))?;
        files::write_new(&self.directory.join("Cargo.lock"), &seed)
    }

    /// Reads the file, if it exists and is complete.
    pub fn read<T: SetFile>(&self) -> Option<T> {
        serde_json::from_slice(&std::fs::read(self.directory.join(T::FILE)).ok()?).ok()
    }

    /// Keeps something.
    pub fn write<T: SetFile>(&self, value: &T) -> Result<()> {
        files::replace(&self.directory.join(T::FILE), serde_json::to_vec(value)?)
    }

    /// Lets the session's next sets have the versions of this one.
    pub fn keep_versions(&self) -> Result<()> {
        let lock = files::read(&self.directory.join("Cargo.lock"))?;
        let [session, prelude] = &self.seeds;
        let before = std::fs::read_to_string(session).or_else(|_| std::fs::read_to_string(prelude))?;
        files::replace(session, merge_locks(&before, &lock)?)
    }

    /// Removes a set that cannot be built.
    pub fn forget(&self) {
        // Another kernel may use it at the same time; then it makes it again.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The manifest of a crate that depends on the set's crates.
fn manifest(plan: &CratePlan<'_>) -> Result<String> {
    let level = &plan.opt_level;
    let level = level.parse::<i64>().map_or_else(|_| json!(level), |level| json!(level));
    Ok(toml::to_string(&json!({
        "package": { "name": PACKAGE, "version": "0.0.0", "edition": "2024" },
        "workspace": {},
        "dependencies": plan.foreign,
        "profile": { "dev": { "opt-level": level, "debug": false } },
    }))?)
}

/// The downloaded packages of both lock files.
fn merge_locks(one: &str, other: &str) -> Result<String> {
    let mut lock: toml::Table = toml::from_str(one).context("Cargo.lock cannot be read")?;
    let mut other: toml::Table = toml::from_str(other).context("Cargo.lock cannot be read")?;
    let more = other.remove("package").and_then(|packages| packages.as_array().cloned()).unwrap_or_default();
    let packages = lock.entry("package").or_insert_with(|| toml::Value::Array(Vec::new()));
    if let Some(packages) = packages.as_array_mut() {
        let id = |package: &toml::Value| ["name", "version", "source"].map(|key| package.get(key).cloned());
        for package in more {
            if package.get("source").is_some() && !packages.iter().any(|known| id(known) == id(&package)) {
                packages.push(package);
            }
        }
    }
    Ok(toml::to_string(&lock)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_has_the_crates_and_the_level() {
        let foreign: toml::Table =
            "itoa = \"1\"\nmine = { path = \"/a b\", features = [\"x\"], default-features = false }".parse().unwrap();
        let plan = |level: &str| CratePlan {
            carried: Vec::new(),
            foreign: foreign.clone().into_iter().collect(),
            opt_level: level.to_owned(),
            notes: Vec::new(),
        };
        let text = manifest(&plan("2")).unwrap();
        let read: toml::Table = text.parse().unwrap();
        assert_eq!(read["dependencies"], toml::Value::Table(foreign.clone()));
        assert_eq!(read["profile"]["dev"]["opt-level"].as_integer(), Some(2));
        let read: toml::Table = manifest(&plan("s")).unwrap().parse().unwrap();
        assert_eq!(read["profile"]["dev"]["opt-level"].as_str(), Some("s"));
    }

    #[test]
    fn versions_of_both_lock_files() {
        let package = |name: &str, version: &str, source: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}\n")
        };
        let registry = "source = \"registry\"";
        let one = format!("version = 4\n{}", package("a", "1.0.0", registry));
        let other = format!(
            "version = 4\n{}{}{}",
            package("a", "1.0.0", registry),
            package("b", "2.0.0", registry),
            package(PACKAGE, "0.0.0", "")
        );
        let merged = merge_locks(&one, &other).unwrap();
        assert_eq!(merged.matches("[[package]]").count(), 2, "{merged}");
        assert!(merged.contains("2.0.0") && !merged.contains(PACKAGE));
    }
}
