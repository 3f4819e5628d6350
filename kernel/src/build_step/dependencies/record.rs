//! Cargo's answers about a set of crates, kept beside its manifest: the metadata for rust-analyzer, and what the
//! compiler of a cell needs. Both are valid as long as their files are unchanged.

use super::dep_compiler;
use super::plan::CratePlan;
use super::run::CargoMessage;
use super::set::{PACKAGE, Set, SetFile};
use crate::cargo_metadata::{is_macro, items, node, package, root, with_all_below};
use crate::hashing::hash;
use crate::installation::Installation;
use crate::installation::package::prelude::package_of;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Cargo's metadata.
#[derive(Serialize, Deserialize)]
pub struct Resolved {
    /// Packages and graph, without packages that are used only to build a crate.
    pub metadata: Value,
    /// Directories of the packages that are not from a registry or repository.
    pub paths: Vec<PathBuf>,
    fingerprint: String,
}

/// The facts that the compiler of a cell needs.
#[derive(Serialize, Deserialize)]
pub struct CrateRecord {
    /// Compiler arguments.
    pub arguments: Vec<String>,
    /// Names of the crates in code.
    pub externs: Vec<String>,
    /// Whether a source of these crates speaks of `evcxr_display`.
    pub own_display: bool,
    /// Notes for the user.
    pub notes: Vec<String>,
    files: Vec<(PathBuf, u64)>,
    paths: Vec<PathBuf>,
    fingerprint: String,
}

impl SetFile for Resolved {
    const FILE: &'static str = "answer.json";
}

impl SetFile for CrateRecord {
    const FILE: &'static str = "record.json";
}

impl Resolved {
    /// Takes cargo's answer. `is_taken`: names that mean other crates in cells.
    pub fn new(mut metadata: Value, is_taken: impl Fn(&str) -> bool) -> Resolved {
        let root = metadata["resolve"]["root"].clone();
        let mut paths: Vec<PathBuf> = items(&metadata["packages"])
            .filter(|package| package["source"].is_null() && package["id"] != root)
            .filter_map(|package| Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_owned()))
            .collect();
        paths.sort();
        keep_linked(&mut metadata);
        name_crates_below(&mut metadata, is_taken);
        let fingerprint = manifests(&paths);
        Resolved { metadata, paths, fingerprint }
    }

    /// Whether the manifests of path crates are the same.
    pub fn is_current(&self) -> bool {
        self.fingerprint == manifests(&self.paths)
            && items(&self.metadata["packages"])
                .filter_map(|package| package["manifest_path"].as_str())
                .all(|path| Path::new(path).exists())
    }

    /// Names of the packages that depend on one.
    fn parents(&self, id: &str) -> Vec<String> {
        let nodes = items(&self.metadata["resolve"]["nodes"]);
        let parents = nodes.filter(|node| items(&node["deps"]).any(|dep| dep["pkg"] == *id));
        let names = parents.filter_map(|node| node["id"].as_str()).map(|id| package_of(id).0);
        names.filter(|name| *name != PACKAGE).map(|name| format!("`{name}`")).collect()
    }
}

impl CrateRecord {
    /// Creates the record from cargo's output.
    pub fn new(
        installation: &Installation,
        plan: &CratePlan<'_>,
        set: &Set,
        answer: &Resolved,
        artifacts: &[CargoMessage],
        fingerprint: String,
    ) -> Result<CrateRecord> {
        let mut record = CrateRecord {
            arguments: Vec::new(),
            externs: Vec::new(),
            own_display: speaks_of_display(&answer.metadata),
            notes: Vec::new(),
            files: Vec::new(),
            paths: answer.paths.clone(),
            fingerprint,
        };
        let target = set.target.join(&installation.record.prelude.target).join("debug").join("deps");
        let libraries = || artifacts.iter().filter_map(CargoMessage::library);
        let is_for_cells = |file: &Path| file.starts_with(&target) || file.extension().is_some_and(|end| end == "so");
        for dependency in items(&root(&answer.metadata).context("cargo's metadata have no root")?["deps"]) {
            let (Some(name), Some(package)) = (dependency["name"].as_str(), dependency["pkg"].as_str()) else {
                continue;
            };
            let found = libraries().find(|(id, file)| *id == package && is_for_cells(file));
            if found.is_none() && dependency[BELOW] == true {
                continue;
            }
            let (_, file) = found.with_context(|| format!("cargo built no library `{name}`"))?;
            let file = dep_compiler::carried_file(installation, file).unwrap_or_else(|| file.to_owned());
            record.arguments.push("--extern".to_owned());
            record.arguments.push(format!("{name}={}", file.display()));
            record.externs.push(name.to_owned());
        }
        for folder in [target.clone(), set.target.join("debug").join("deps")] {
            record.arguments.push("-L".to_owned());
            record.arguments.push(format!("dependency={}", folder.display()));
        }
        for path in artifacts.iter().flat_map(CargoMessage::native) {
            record.arguments.push("-L".to_owned());
            record.arguments.push(path.clone());
            // A shared library that a build script made is found again when the cell is loaded.
            let folder = path.split_once('=').map_or(path.as_str(), |(_, folder)| folder);
            if Path::new(folder).starts_with(&set.target) {
                record.arguments.push("-C".to_owned());
                record.arguments.push(format!("link-arg=-Wl,-rpath,{folder}"));
            }
        }
        for (package, file) in libraries() {
            let length = std::fs::metadata(file).with_context(|| format!("{} is missing", file.display()))?.len();
            record.files.push((file.to_owned(), length));
            if is_for_cells(file) && dep_compiler::carried_file(installation, file).is_none() {
                record.notes.extend(note(installation, plan, answer, package));
            }
        }
        Ok(record)
    }

    /// Whether all files exist and the sources of path crates are unchanged.
    pub fn is_current(&self) -> bool {
        self.files.iter().all(|(file, length)| std::fs::metadata(file).is_ok_and(|metadata| metadata.len() == *length))
            && self.fingerprint == trees(&self.paths)
    }

    /// Removes files that have changed since the build. Cargo looks only at times. It then builds them again.
    pub fn remove_damaged(&self) {
        for (file, length) in &self.files {
            if std::fs::metadata(file).is_ok_and(|metadata| metadata.len() != *length) {
                // One that cannot be removed shows itself by an error of the compiler.
                let _ = std::fs::remove_file(file);
            }
        }
    }
}

/// A note about a crate that cells also have, in another version or with other features.
fn note(installation: &Installation, plan: &CratePlan<'_>, answer: &Resolved, package: &str) -> Option<String> {
    let (name, version) = package_of(package);
    let is_in_cells = |library: &str| {
        installation.record.prelude.externs.iter().any(|(own, _)| own == library)
            || plan.carried.iter().any(|(own, _)| own == library)
    };
    let carried = installation.carried(name).find(|carried| is_in_cells(&carried.library))?;
    let parents = answer.parents(package);
    let users = match parents.as_slice() {
        [] => return None,
        [one] => format!("{one} uses"),
        [one, another] => format!("{one} and {another} use"),
        [one, another, ..] => format!("{one}, {another} and others use"),
    };
    let reason = if carried.version == version { ", built with other features" } else { "" };
    Some(format!(
        "{users} `{name}` {version}{reason}: its types do not mix with those of the notebook's `{name}` {}",
        carried.version
    ))
}

/// Keeps only packages that are linked into cells, and procedural macros without the crates below them.
fn keep_linked(metadata: &mut Value) {
    let is_linked = |dep: &&Value| items(&dep["dep_kinds"]).any(|kind| kind["kind"].is_null());
    let linked = with_all_below(vec![metadata["resolve"]["root"].clone()], |id| {
        let node = node(metadata, id).filter(|_| !package(metadata, id).is_some_and(is_macro));
        let deps = node.into_iter().flat_map(|node| items(&node["deps"]));
        deps.filter(is_linked).map(|dep| &dep["pkg"]).collect()
    });
    let retain = |list: &mut Value, key: &str| {
        if let Some(list) = list.as_array_mut() {
            list.retain(|item| linked.contains(if key.is_empty() { item } else { &item[key] }));
        }
    };
    retain(&mut metadata["packages"], "id");
    retain(&mut metadata["resolve"]["nodes"], "id");
    for node in metadata["resolve"]["nodes"].as_array_mut().into_iter().flatten() {
        retain(&mut node["deps"], "pkg");
        retain(&mut node["dependencies"], "");
    }
}

/// Marks crates that cells can name only because a crate of the user depends on them.
const BELOW: &str = "below";

/// Lets cells name the crates that the user's crates depend on directly: functions return values of their types, which
/// cells keep in variables. If a name could mean several crates, none of them gets it.
fn name_crates_below(metadata: &mut Value, is_taken: impl Fn(&str) -> bool) {
    let root = metadata["resolve"]["root"].clone();
    let deps =
        |id: &Value| -> Vec<&Value> { node(metadata, id).into_iter().flat_map(|node| items(&node["deps"])).collect() };
    let is_macro = |id: &Value| package(metadata, id).is_some_and(is_macro);
    let own = deps(&root);
    let below: Vec<&Value> = own.iter().flat_map(|dep| deps(&dep["pkg"])).collect();
    let mut named: Vec<Value> = Vec::new();
    for dep in &below {
        // Two versions of a crate, or two crates that are renamed by their users.
        let is_ambiguous = below.iter().any(|other| other["name"] == dep["name"] && other["pkg"] != dep["pkg"]);
        let is_known = own.iter().any(|other| other["name"] == dep["name"] || other["pkg"] == dep["pkg"])
            || named.iter().any(|other| other["pkg"] == dep["pkg"]);
        if !is_ambiguous && !is_known && !dep["name"].as_str().is_none_or(&is_taken) && !is_macro(&dep["pkg"]) {
            let mut dep = (*dep).clone();
            dep[BELOW] = Value::Bool(true);
            dep["dep_kinds"] = json!([{ "kind": null, "target": null }]);
            named.push(dep);
        }
    }
    let nodes = metadata["resolve"]["nodes"].as_array_mut().into_iter().flatten();
    for node in nodes.filter(|node| node["id"] == root) {
        if let Some(deps) = node["deps"].as_array_mut() {
            deps.append(&mut named);
        }
    }
}

/// Whether a source of the packages contains a method with which values show themselves.
fn speaks_of_display(metadata: &Value) -> bool {
    let speaks = |file: &Path| {
        file.extension().is_some_and(|end| end == "rs")
            && std::fs::read(file).is_ok_and(|text| text.windows(13).any(|part| part == b"evcxr_display"))
    };
    items(&metadata["packages"])
        .filter(|package| package["id"] != metadata["resolve"]["root"])
        .filter_map(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .any(|directory| files_below(&directory.join("src")).iter().any(|(file, ..)| speaks(file)))
}

/// A fingerprint of the manifests that determine the dependencies of path crates: their own, and those of workspaces
/// above.
fn manifests(paths: &[PathBuf]) -> String {
    let manifests = paths.iter().flat_map(|path| path.ancestors()).map(|directory| directory.join("Cargo.toml"));
    hash(&manifests.filter_map(|file| Some((stamp(&file)?, file))).collect::<Vec<_>>())
}

/// A fingerprint of all files of path crates.
pub fn trees(paths: &[PathBuf]) -> String {
    let files: Vec<_> = paths.iter().flat_map(|path| files_below(path)).collect();
    hash(&(manifests(paths), files))
}

fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// The files of a package with time and length, in order, without hidden files and build outputs.
fn files_below(directory: &Path) -> Vec<(PathBuf, SystemTime, u64)> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(directory) else { return found };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else { continue };
        if name.as_encoded_bytes().starts_with(b".") || (kind.is_dir() && name == "target") {
            continue;
        }
        let path = entry.path();
        if kind.is_dir() {
            found.extend(files_below(&path));
        } else if let Some((time, length)) = stamp(&path) {
            found.push((path, time, length));
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_source_makes_a_fingerprint_stale() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("a")];
        for directory in ["a/src", "a/target", "a/.git"] {
            std::fs::create_dir_all(folder.path().join(directory)).unwrap();
        }
        std::fs::write(paths[0].join("Cargo.toml"), "[package]").unwrap();
        std::fs::write(paths[0].join("src/lib.rs"), "one").unwrap();
        let (before, before_manifests) = (trees(&paths), manifests(&paths));
        std::fs::write(paths[0].join("target/out"), "x").unwrap();
        std::fs::write(paths[0].join(".git/index"), "x").unwrap();
        assert_eq!(trees(&paths), before);
        std::fs::write(paths[0].join("src/lib.rs"), "three").unwrap();
        assert_ne!(trees(&paths), before);
        assert_eq!(manifests(&paths), before_manifests);
        std::fs::write(folder.path().join("Cargo.toml"), "[workspace]").unwrap();
        assert_ne!(manifests(&paths), before_manifests, "a workspace's manifest above");
    }

    #[test]
    fn crates_below_get_names_that_are_free() {
        let package = |id: &str, kind: &str| json!({ "id": id, "targets": [{ "kind": [kind] }] });
        let dep = |name: &str, id: &str| json!({ "name": name, "pkg": id, "dep_kinds": [{ "kind": null }] });
        let mut metadata = json!({
            "packages": [package("root", "lib"), package("m1", "proc-macro")],
            "resolve": { "root": "root", "nodes": [
                { "id": "root", "deps": [dep("a", "a1"), dep("b", "b1")] },
                { "id": "a1", "deps": [dep("b", "b1"), dep("nn", "nn1"), dep("two", "two1"), dep("ndarray", "nd1"), dep("m", "m1")] },
                { "id": "b1", "deps": [dep("nn", "nn1"), dep("two", "two2"), dep("a", "a0")] },
                { "id": "nn1", "deps": [dep("deep", "deep1")] },
            ] },
        });
        name_crates_below(&mut metadata, |name| name == "ndarray");
        let deps = items(&metadata["resolve"]["nodes"][0]["deps"]);
        let names: Vec<(&Value, &Value)> = deps.map(|dep| (&dep["pkg"], &dep[BELOW])).collect();
        let own = &Value::Null;
        assert_eq!(names, [(&json!("a1"), own), (&json!("b1"), own), (&json!("nn1"), &json!(true))]);
    }

    #[test]
    fn only_linked_packages_are_analysed() {
        let package = |id: &str, kind: &str| json!({ "id": id, "targets": [{ "kind": [kind] }] });
        let dep = |id: &str, kind: Option<&str>| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let mut metadata = json!({
            "packages": [package("root", "lib"), package("a", "lib"), package("m", "proc-macro"), package("syn", "lib"),
                package("cc", "lib")],
            "resolve": { "root": "root", "nodes": [
                { "id": "root", "deps": [dep("a", None)], "dependencies": ["a"] },
                { "id": "a", "deps": [dep("m", None), dep("cc", Some("build"))], "dependencies": ["m", "cc"] },
                { "id": "m", "deps": [dep("syn", None)], "dependencies": ["syn"] },
                { "id": "syn", "deps": [], "dependencies": [] },
                { "id": "cc", "deps": [], "dependencies": [] },
            ] },
        });
        keep_linked(&mut metadata);
        let ids: Vec<&Value> = items(&metadata["packages"]).map(|package| &package["id"]).collect();
        assert_eq!(ids, ["root", "a", "m"]);
        assert_eq!(metadata["resolve"]["nodes"][1]["dependencies"], json!(["m"]));
        assert_eq!(metadata["resolve"]["nodes"][2]["deps"], json!([]));
    }
}
