//! The crates in a bundle. Cargo copies their sources to a folder. If this folder exists, cargo takes crates only from
//! there.
//!
//! Of crates that are only for other platforms, the manifests are kept. Cargo reads them to choose versions.

use crate::cargo_metadata::{items, root};
use crate::files;
use crate::installation::Installation;
use crate::installation::directories;
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder in an installation.
pub const CRATES: &str = "crates";
/// The file in it with names and versions, for messages.
const LIST: &str = "bundled.json";
/// Set to `no`, crates come from the network though there are bundled ones.
const SWITCH: &str = "WARPCELL_BUNDLED_CRATES";

/// Crates that notebooks often use, besides the crates of the prelude.
const USUAL: &str = "\
    anyhow=1 bytemuck=1,derive chrono=0.4,serde csv=1 itertools=0.14 nalgebra=0.34 num=0.4 ordered-float=5 \
    petgraph=0.8 rand_distr=0.5 regex=1 semver=1 statrs=0.18 thiserror=2";

/// A crate to be bundled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    name: String,
    requirement: String,
    features: Vec<String>,
    has_defaults: bool,
}

impl Wanted {
    /// Reads `NAME=VERSION,FEATURE`; without a version it is the newest.
    fn read(text: &str) -> Result<Wanted> {
        let (package, features) = text.split_once(',').unwrap_or((text, ""));
        let (name, requirement) = package.split_once('=').unwrap_or((package, "*"));
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if !is_name || semver::VersionReq::parse(requirement).is_err() {
            bail!("`--crate {text}` is not of the form NAME=VERSION or NAME=VERSION,FEATURE, such as itertools=0.14");
        }
        let features = features.split(',').map(str::trim).filter(|feature| !feature.is_empty());
        Ok(Wanted {
            name: name.to_owned(),
            requirement: requirement.to_owned(),
            features: features.map(str::to_owned).collect(),
            has_defaults: true,
        })
    }

    fn dependency(&self) -> Value {
        json!({
            "package": self.name, "version": self.requirement, "features": self.features,
            "default-features": self.has_defaults,
        })
    }
}

/// The crates for a bundle: the named ones, the usual ones, and those of the prelude, which other crates depend on.
pub fn wanted(installation: &Installation, named: &[String], only: bool) -> Result<Vec<Wanted>> {
    let mut wanted = named.iter().map(|text| Wanted::read(text)).collect::<Result<Vec<_>>>()?;
    if !only {
        for usual in USUAL.split_whitespace() {
            let usual = Wanted::read(usual)?;
            if !wanted.iter().any(|known| known.name == usual.name) {
                wanted.push(usual);
            }
        }
    }
    for carried in installation.record.prelude.carried.iter().filter(|carried| carried.offered) {
        wanted.push(Wanted {
            name: carried.name.clone(),
            requirement: format!("={}", carried.version),
            features: carried.features.iter().filter(|feature| *feature != "default").cloned().collect(),
            has_defaults: carried.features.iter().any(|feature| feature == "default"),
        });
    }
    Ok(wanted)
}

/// Lets cargo copy the sources of crates, and of all crates below them, into a folder. Returns the names and versions
/// of the requested crates.
pub fn vendor(installation: &Installation, wanted: &[Wanted], folder: &Path) -> Result<Vec<String>> {
    let work = tempfile::tempdir().context("no temporary folder can be made")?;
    write_manifest(installation, wanted, work.path())?;
    let target = &installation.record.prelude.target;
    cargo(installation, work.path(), &["vendor", "--versioned-dirs", "--quiet", &folder.display().to_string()])?;
    let words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
    let metadata: Value =
        serde_json::from_str(&cargo(installation, work.path(), &words)?).context("cargo's metadata cannot be read")?;
    let needed: BTreeSet<&str> = items(&metadata["resolve"]["nodes"]).filter_map(|node| node["id"].as_str()).collect();
    let is_needed = |package: &&Value| package["id"].as_str().is_some_and(|id| needed.contains(id));
    let kept: BTreeSet<String> = items(&metadata["packages"]).filter(is_needed).map(folder_of).collect();
    for entry in directories::entries(folder)? {
        if !kept.contains(&*entry.file_name().to_string_lossy()) {
            hollow(&entry.path())?;
        }
    }
    let carried = |package: &Value| {
        installation.record.prelude.carried.iter().any(|carried| carried.offered && package["name"] == *carried.name)
    };
    let direct: Vec<&Value> = root(&metadata).into_iter().flat_map(|root| items(&root["dependencies"])).collect();
    let mut names: Vec<String> = items(&metadata["packages"])
        .filter(|package| direct.contains(&&package["id"]) && !carried(package))
        .map(|package| format!("{} {}", text(&package["name"]), text(&package["version"])))
        .collect();
    names.sort();
    std::fs::write(folder.join(LIST), serde_json::to_string(&names)?)
        .context("the list of crates cannot be written")?;
    Ok(names)
}

/// A crate that depends on all of them, with the prelude's versions.
fn write_manifest(installation: &Installation, wanted: &[Wanted], folder: &Path) -> Result<()> {
    let dependencies = wanted.iter().enumerate().map(|(index, wanted)| (format!("c{index}"), wanted.dependency()));
    let manifest = json!({
        "package": { "name": "bundle", "version": "0.0.0", "edition": "2024" },
        "workspace": {},
        "dependencies": dependencies.collect::<Map<String, Value>>(),
    });
    std::fs::create_dir(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "")?;
    std::fs::write(folder.join("Cargo.toml"), toml::to_string(&manifest)?)?;
    let lock = installation.lock_file();
    std::fs::copy(&lock, folder.join("Cargo.lock")).with_context(|| format!("{} cannot be read", lock.display()))?;
    Ok(())
}

fn cargo(installation: &Installation, folder: &Path, words: &[&str]) -> Result<String> {
    let output = Command::new(installation.real_tool("cargo"))
        .current_dir(folder)
        .args(words)
        .env("RUSTC", installation.real_tool("rustc"))
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO_BUILD_TARGET")
        .stdin(Stdio::null())
        .output()
        .context("cargo cannot be run")?;
    if !output.status.success() {
        bail!("the crates could not be downloaded: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Keeps only the files of a crate that cargo reads to choose versions.
fn hollow(folder: &Path) -> Result<()> {
    let failed = || format!("{} cannot be written", folder.display());
    let manifest = std::fs::read(folder.join("Cargo.toml")).with_context(failed)?;
    let sums = std::fs::read_to_string(folder.join(".cargo-checksum.json")).with_context(failed)?;
    let mut sums: Value = serde_json::from_str(&sums).with_context(failed)?;
    sums["files"] = Value::Object(serde_json::Map::new());
    directories::remove(folder)?;
    files::create_folder(&folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "").with_context(failed)?;
    std::fs::write(folder.join("Cargo.toml"), manifest).with_context(failed)?;
    std::fs::write(folder.join(".cargo-checksum.json"), sums.to_string()).with_context(failed)
}

/// Arguments that make cargo take crates from the bundle's folder, if the installation has one.
pub fn replacement(installation: &Installation) -> Vec<String> {
    let Some(folder) = folder(installation) else { return Vec::new() };
    let folder = toml::Value::String(folder.display().to_string());
    vec![
        "--config".to_owned(),
        "source.crates-io.replace-with=\"warpcell-bundle\"".to_owned(),
        "--config".to_owned(),
        format!("source.warpcell-bundle.directory={folder}"),
    ]
}

/// Names and versions of the bundled crates, to be told to the user, if crates are taken from there.
pub fn named(installation: &Installation) -> Option<Vec<String>> {
    let list = std::fs::read_to_string(folder(installation)?.join(LIST)).unwrap_or_default();
    Some(serde_json::from_str(&list).unwrap_or_default())
}

fn folder(installation: &Installation) -> Option<PathBuf> {
    let folder = installation.home.join(CRATES);
    let is_off = std::env::var_os(SWITCH).is_some_and(|value| value == "no");
    (!is_off && folder.is_dir()).then_some(folder)
}

fn folder_of(package: &Value) -> String {
    format!("{}-{}", text(&package["name"]), text(&package["version"]))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_as_they_are_named() {
        let wanted = |text: &str| Wanted::read(text).unwrap();
        let full = wanted("reqwest=0.12,json,blocking");
        assert_eq!((full.name.as_str(), full.requirement.as_str()), ("reqwest", "0.12"));
        assert_eq!(full.features, ["json", "blocking"]);
        assert_eq!(wanted("itertools").requirement, "*");
        assert_eq!(wanted("a==1.2.3").requirement, "=1.2.3");
        for wrong in ["", "=1", "a b=1", "a=one", "../a=1"] {
            let error = Wanted::read(wrong).unwrap_err().to_string();
            assert!(error.contains("NAME=VERSION"), "{error}");
        }
    }

    #[test]
    fn the_usual_crates_are_well_formed() {
        let mut names: Vec<String> = USUAL.split_whitespace().map(|text| Wanted::read(text).unwrap().name).collect();
        let sorted = names.clone();
        names.sort();
        names.dedup();
        assert_eq!(names, sorted, "in order, and each once");
    }

    #[test]
    fn a_hollow_crate_keeps_its_manifest_and_its_sum() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("windows-sys-0.1.0");
        std::fs::create_dir_all(folder.join("src/inner")).unwrap();
        std::fs::write(folder.join("Cargo.toml"), "[package]").unwrap();
        std::fs::write(folder.join("src/inner/a.rs"), "x").unwrap();
        std::fs::write(folder.join(".cargo-checksum.json"), r#"{"files":{"src/inner/a.rs":"0"},"package":"ab"}"#)
            .unwrap();
        hollow(&folder).unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("Cargo.toml")).unwrap(), "[package]");
        let sums = std::fs::read_to_string(folder.join(".cargo-checksum.json")).unwrap();
        assert_eq!(sums, r#"{"files":{},"package":"ab"}"#);
        assert!(folder.join("src/lib.rs").exists() && !folder.join("src/inner").exists());
    }
}
