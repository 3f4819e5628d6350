//! The metadata in a package: the recorded answers for the cell crate, and the sources that they name.

use super::prelude::NAMEABLE;
use crate::analysed_sources::{self, expansion::Expansion};
use crate::cargo_metadata::{dep, dependency, is_macro, items, node, package, strings, with_all_below};
use crate::files;
use crate::installation::Carried;
use crate::installation::toolchain::Toolchain;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The cell crate's directory in the recorded answer.
pub const CONTEXT_PLACEHOLDER: &str = "/@WARPCELL-CONTEXT@";
/// The installation's directory in the recorded answer.
pub const HOME_PLACEHOLDER: &str = "/@WARPCELL-HOME@";

/// The crates that rust-analyzer reads. A variable of a cell may have a type of these crates.
const ANALYSED: &[&str] =
    &["warpcell", "warpcell-base", "warpcell-threads", "ndarray", "half", "num-complex", "num-traits"];

/// Records the answer to `cargo metadata` for the cell crate, the additions for crates of the prelude that `:dep`
/// names, and the locked versions. Copies the sources of these crates.
pub fn record(directory: &Path, source: &Path, all: &Value, toolchain: &Toolchain, carried: &[Carried]) -> Result<()> {
    let analysed = |package: &Value| ANALYSED.contains(&package["name"].as_str().unwrap_or_default());
    let (packages, nodes) = part_of(all, &analysed);
    let offered = below(all, carried);
    let (more_packages, more_nodes) = part_of(all, &|package| offered.contains(&package["id"]));
    let mut answer = cell_metadata(packages, nodes, &toolchain.target);
    let mut more = json!({ "packages": more_packages, "nodes": more_nodes });
    for package in more["packages"].as_array_mut().into_iter().flatten() {
        plain_library(package);
    }
    let built = BuiltCrates { all, carried, prelude: &directory.join("prelude"), toolchain };
    let mut directories = Vec::new();
    for package in items(&all["packages"]).filter(|package| analysed(package) || offered.contains(&package["id"])) {
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
        let place = manifest.parent().context("a manifest without a directory")?.to_owned();
        let name = format!(
            "{}-{}",
            package["name"].as_str().unwrap_or_default(),
            package["version"].as_str().unwrap_or_default()
        );
        let copy = directory.join("sources").join(&name);
        std::fs::create_dir_all(&copy)?;
        std::fs::copy(&manifest, copy.join("Cargo.toml"))?;
        let expanded = if analysed(package) { built.expanded(package, &place) } else { None };
        analysed_sources::write(expanded, &place.join("src"), &copy.join("src"))?;
        directories.push((place, format!("{HOME_PLACEHOLDER}/sources/{name}")));
    }
    // The longest first: one crate's directory may lie inside another's.
    directories.sort_by_key(|(directory, _)| std::cmp::Reverse(directory.as_os_str().len()));
    relocate(&mut answer, &directories);
    relocate(&mut more, &directories);
    let metadata = directory.join("metadata");
    std::fs::create_dir_all(&metadata)?;
    std::fs::write(metadata.join("cell.json"), answer.to_string())?;
    std::fs::write(metadata.join("carried.json"), more.to_string())?;
    let lock = std::fs::read_to_string(source.join("Cargo.lock")).context("Cargo.lock cannot be read")?;
    std::fs::write(metadata.join("Cargo.lock"), part_of_lock(&lock, carried)?)?;
    Ok(())
}

/// The crates of the prelude, as they were built.
struct BuiltCrates<'a> {
    all: &'a Value,
    carried: &'a [Carried],
    /// The directory with the metadata of the crates, and the macros.
    prelude: &'a Path,
    toolchain: &'a Toolchain,
}

impl BuiltCrates<'_> {
    /// A crate in the directory `place` with its macros expanded. At the start of a session rust-analyzer expands those that are
    /// left.
    fn expanded(&self, package: &Value, place: &Path) -> Option<String> {
        let found = self.carried_of(package)?;
        let edition = package["edition"].as_str()?;
        let mut arguments = vec![format!("-Ldependency={}", self.prelude.to_str()?)];
        arguments.extend(found.features.iter().map(|feature| format!("--cfg=feature={feature:?}")));
        for dep in items(&node(self.all, &package["id"])?["deps"]) {
            let file = self.file_of(items(&self.all["packages"]).find(|package| package["id"] == dep["pkg"])?);
            arguments.extend(file.map(|file| format!("--extern={}={file}", dep["name"].as_str().unwrap_or_default())));
        }
        Expansion::new(&self.toolchain.tool("rustc"), &found.library, edition, &place.join("src/lib.rs"))
            .arguments(arguments)
            .variable("CARGO_PKG_NAME", &found.name)
            .variable("CARGO_PKG_VERSION", &found.version)
            .variable("CARGO_MANIFEST_DIR", place)
            .run(|text| text)
    }

    fn carried_of(&self, package: &Value) -> Option<&Carried> {
        self.carried.iter().find(|carried| package["name"] == *carried.name && package["version"] == *carried.version)
    }

    /// The file that the compiler reads to use a crate. None for one that only build scripts and tests use.
    fn file_of(&self, package: &Value) -> Option<String> {
        if let Some(found) = self.carried_of(package) {
            return Some(self.prelude.join(&found.file).to_str()?.to_owned());
        }
        let start = format!("lib{}-", package["name"].as_str()?.replace('-', "_"));
        let is_it = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            is_macro(package) && name.starts_with(&start) && name.ends_with(".so")
        };
        Some(files::paths_in(self.prelude).find(is_it)?.to_str()?.to_owned())
    }
}

/// Ids of the offered crates and of those in the prelude that they build on.
fn below(all: &Value, carried: &[Carried]) -> Vec<Value> {
    let is_inside = |package: &Value| {
        let matches = |carried: &&Carried| package["name"] == *carried.name && package["version"] == *carried.version;
        carried.iter().find(matches).map(|carried| carried.offered)
    };
    let offered = items(&all["packages"]).filter(|package| is_inside(package) == Some(true));
    let is_wanted =
        |id: &&Value| package(all, id).is_some_and(|package| is_inside(package).is_some() || is_macro(package));
    with_all_below(offered.map(|package| package["id"].clone()).collect(), |id| {
        let node = node(all, id).filter(|_| !package(all, id).is_some_and(is_macro));
        node.into_iter().flat_map(|node| items(&node["dependencies"])).filter(is_wanted).collect()
    })
}

/// The packages of a kind, and their nodes in the graph, which name no other packages.
fn part_of(all: &Value, wanted: &dyn Fn(&Value) -> bool) -> (Vec<Value>, Vec<Value>) {
    let packages: Vec<Value> = items(&all["packages"]).filter(|package| wanted(package)).cloned().collect();
    let ids: Vec<&Value> = packages.iter().map(|package| &package["id"]).collect();
    let nodes = items(&all["resolve"]["nodes"])
        .filter(|node| ids.contains(&&node["id"]))
        .map(|node| {
            let mut node = node.clone();
            for list in ["deps", "dependencies"] {
                if let Some(list) = node[list].as_array_mut() {
                    list.retain(|item| ids.contains(&&item["pkg"]) || ids.contains(&item));
                }
            }
            node
        })
        .collect();
    (packages, nodes)
}

/// The entries of a `Cargo.lock` for the carried crates.
fn part_of_lock(lock: &str, carried: &[Carried]) -> Result<String> {
    let mut lock: toml::Table = toml::from_str(lock).context("Cargo.lock cannot be read")?;
    if let Some(packages) = lock.get_mut("package").and_then(toml::Value::as_array_mut) {
        packages.retain(|package| {
            let text = |key: &str| package.get(key).and_then(toml::Value::as_str);
            text("source").is_some()
                && carried
                    .iter()
                    .any(|carried| text("name") == Some(&carried.name) && text("version") == Some(&carried.version))
        });
    }
    Ok(toml::to_string(&lock)?)
}

/// The answer for the cell crate, which depends on the analysed crates that cells can name.
fn cell_metadata(mut packages: Vec<Value>, mut nodes: Vec<Value>, target: &str) -> Value {
    let root = format!("path+file://{CONTEXT_PLACEHOLDER}#ctx@1.0.0");
    let mut dependencies = Vec::new();
    let mut deps = Vec::new();
    for package in &mut packages {
        let name = package["name"].as_str().unwrap_or_default().to_owned();
        plain_library(package);
        if NAMEABLE.contains(&name.as_str()) {
            dependencies.push(dependency(package, None));
            deps.push(dep(&name.replace('-', "_"), package));
        }
    }
    let ids: Vec<Value> = deps.iter().map(|dep| dep["pkg"].clone()).collect();
    nodes.push(json!({ "id": root, "dependencies": ids, "deps": deps, "features": [] }));
    packages.push(json!({
        "name": "ctx", "version": "1.0.0", "id": root, "license": null, "license_file": null, "description": null,
        "source": null, "dependencies": dependencies, "features": {}, "metadata": null, "publish": null,
        "authors": [], "categories": [], "keywords": [], "readme": null, "repository": null, "homepage": null,
        "documentation": null, "edition": "2024", "links": null, "default_run": null, "rust_version": null,
        "manifest_path": format!("{CONTEXT_PLACEHOLDER}/Cargo.toml"),
        "targets": [{
            "kind": ["cdylib"], "crate_types": ["cdylib"], "name": "ctx",
            "src_path": format!("{CONTEXT_PLACEHOLDER}/src/lib.rs"), "edition": "2024",
            "doc": true, "doctest": false, "test": true,
        }],
    }));
    json!({
        "packages": packages,
        "workspace_members": [root],
        "workspace_default_members": [root],
        "resolve": { "nodes": nodes, "root": root },
        "target_directory": format!("{CONTEXT_PLACEHOLDER}/target"),
        "build_directory": format!("{CONTEXT_PLACEHOLDER}/target"),
        "workspace_root": CONTEXT_PLACEHOLDER,
        "version": 1,
        "metadata": { "target": target },
    })
}

/// Cells do not compile these crates: what kind of library they are does not matter here, only that they are.
fn plain_library(package: &mut Value) {
    for item in package["targets"].as_array_mut().into_iter().flatten() {
        if strings(&item["kind"]).iter().any(|kind| matches!(*kind, "dylib" | "rlib")) {
            item["kind"] = json!(["lib"]);
            item["crate_types"] = json!(["lib"]);
        }
    }
    if let Some(targets) = package["targets"].as_array_mut() {
        targets.retain(|item| matches!(strings(&item["kind"]).as_slice(), ["lib"] | ["proc-macro"]));
    }
}

/// Replaces directories in all strings of an answer.
fn relocate(value: &mut Value, directories: &[(PathBuf, String)]) {
    match value {
        Value::String(text) => {
            for (from, to) in directories {
                let from = from.to_string_lossy();
                if text.contains(from.as_ref()) {
                    *text = text.replace(from.as_ref(), to);
                    return;
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| relocate(item, directories)),
        Value::Object(map) => map.values_mut().for_each(|item| relocate(item, directories)),
        _ => {}
    }
}
