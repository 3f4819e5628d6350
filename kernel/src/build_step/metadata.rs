//! Answers to `cargo metadata`. For the cell crate and the standard library they are recorded, so that rust-analyzer
//! reads few crates and needs no network. The crates of `:dep` are added from the real cargo's answer.
//!
//! Only the process that completes needs a rust-analyzer that knows other crates. For the one that runs cells, the cell crate depends
//! on nothing, and there is no standard library: reading both takes most of a second and most of a kernel's memory.

use super::dependencies::{self, CellManifest, CratePlan};
use super::tools::{real_cargo, replace_by};
use crate::cargo_metadata::{dep, dependency, items, node, with_all_below};
use crate::environment::ASSISTANT;
use crate::installation::package::metadata::{CONTEXT_PLACEHOLDER, HOME_PLACEHOLDER};
use crate::installation::{Installation, SOURCES, remedy};
use crate::printing::outln;
use anyhow::{Context, Result};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The sysroot as rust-analyzer sees it.
pub fn sysroot(installation: &Installation, context: Option<&Path>) -> PathBuf {
    match context {
        Some(context) if !reads_crates() => empty_sysroot(context),
        _ => installation.sysroot(),
    }
}

/// A sysroot with a folder for sources. Without that rust-analyzer would ask rustup for them.
fn empty_sysroot(context: &Path) -> PathBuf {
    let sysroot = context.join("empty");
    // If it cannot be made, rust-analyzer asks one question more.
    let _ = std::fs::create_dir_all(sysroot.join(SOURCES));
    sysroot
}

/// Whether the rust-analyzer of this process's parent reads other crates.
fn reads_crates() -> bool {
    std::env::var_os(ASSISTANT).is_some()
}

/// Answers a call from `directory`, or becomes the real cargo.
pub fn answer(installation: &Installation, context: &Path, directory: &Path, arguments: &[OsString]) -> Result<i32> {
    let manifest_path = arguments
        .iter()
        .position(|argument| argument == "--manifest-path")
        .and_then(|index| arguments.get(index + 1))
        .map_or_else(|| directory.join("Cargo.toml"), PathBuf::from);
    if manifest_path.starts_with(installation.sysroot()) {
        let recorded = installation.metadata().join("std.json");
        if let Ok(text) = std::fs::read_to_string(recorded) {
            outln!("{}", substitute(&text, installation, context)?);
            return Ok(0);
        }
        return replace_by(real_cargo(installation).arg("--offline"), arguments);
    }
    if manifest_path.parent() != Some(context) {
        return replace_by(&mut real_cargo(installation), arguments);
    }
    let manifest = CellManifest::read(context)?;
    let plan = manifest.plan(installation)?;
    let foreign = if plan.foreign.is_empty() { None } else { Some(dependencies::metadata(installation, &plan)?) };
    let mut answer = recorded(installation, context, "cell.json")?;
    if !reads_crates() {
        keep_root(&mut answer);
        outln!("{answer}");
        return Ok(0);
    }
    if !plan.carried.is_empty() {
        add_carried(&mut answer, &recorded(installation, context, "carried.json")?, &plan);
    }
    if let Some(theirs) = foreign.filter(|_| !arguments.iter().any(|argument| argument == "--no-deps")) {
        add_foreign(&theirs, &mut answer);
    }
    outln!("{answer}");
    Ok(0)
}

fn recorded(installation: &Installation, context: &Path, name: &str) -> Result<Value> {
    let path = installation.metadata().join(name);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read; run {} again", path.display(), remedy()))?;
    serde_json::from_str(&substitute(&text, installation, context)?)
        .with_context(|| format!("{} is damaged; run {} again", path.display(), remedy()))
}

fn substitute(text: &str, installation: &Installation, context: &Path) -> Result<String> {
    // Inside JSON strings, so with JSON's escapes and without the quotes.
    let escaped = |path: &Path| -> Result<String> {
        let text = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
        Ok(Value::from(text).to_string().trim_matches('"').to_owned())
    };
    Ok(text.replace(CONTEXT_PLACEHOLDER, &escaped(context)?).replace(HOME_PLACEHOLDER, &escaped(&installation.home)?))
}

/// Leaves the cell crate only, without dependencies.
fn keep_root(answer: &mut Value) {
    let root = answer["resolve"]["root"].clone();
    for place in ["/packages", "/resolve/nodes"] {
        let Some(list) = answer.pointer_mut(place) else { continue };
        let kept = items(list).filter(|item| item["id"] == root).cloned().map(|mut item| {
            for key in ["dependencies", "deps"] {
                if !item[key].is_null() {
                    item[key] = Value::Array(Vec::new());
                }
            }
            item
        });
        *list = kept.collect();
    }
}

/// Adds the crates of the prelude that `:dep` names, and the crates below them. The cell crate then depends on them.
fn add_carried(answer: &mut Value, carried: &Value, plan: &CratePlan<'_>) {
    let package = |name: &str, version: &str| {
        items(&carried["packages"]).find(|package| package["name"] == *name && package["version"] == *version)
    };
    let mut ids: Vec<Value> = Vec::new();
    let mut dependencies = Vec::new();
    let mut deps = Vec::new();
    for (library, entry) in &plan.carried {
        let Some(package) = package(&entry.name, &entry.version) else { continue };
        let rename = (*library != entry.library).then_some(library.as_str());
        ids.push(package["id"].clone());
        dependencies.push(dependency(package, rename));
        deps.push(dep(library, package));
    }
    let wanted =
        with_all_below(ids, |id| node(carried, id).into_iter().flat_map(|node| items(&node["dependencies"])).collect());
    let part = |list: &Value| items(list).filter(|item| wanted.contains(&item["id"])).cloned().collect();
    // The nodes here are the whole ones: they take the place of those that name the analysed crates only.
    replace(&mut answer["packages"], part(&carried["packages"]));
    replace(&mut answer["resolve"]["nodes"], part(&carried["nodes"]));
    let ids = deps.iter().map(|dep| dep["pkg"].clone()).collect();
    extend_root(answer, dependencies, deps, ids);
}

/// Adds the packages of the user's crates. The cell crate then depends on them. A package that exists already stays: it
/// belongs to the prelude, and its users see the prelude's types.
fn add_foreign(theirs: &Value, answer: &mut Value) {
    let their_root = &theirs["resolve"]["root"];
    let known: Vec<Value> = items(&answer["packages"]).map(|package| package["id"].clone()).collect();
    let fresh = |list: &Value| -> Vec<Value> {
        items(list).filter(|item| item["id"] != *their_root && !known.contains(&item["id"])).cloned().collect()
    };
    let (packages, nodes) = (fresh(&theirs["packages"]), fresh(&theirs["resolve"]["nodes"]));
    extend(&mut answer["packages"], packages);
    extend(&mut answer["resolve"]["nodes"], nodes);
    let of_root = |list: &Value, key: &str| -> Vec<Value> {
        let root = items(list).find(|item| item["id"] == *their_root);
        root.into_iter().flat_map(|root| items(&root[key])).cloned().collect()
    };
    let dependencies = of_root(&theirs["packages"], "dependencies");
    let deps = of_root(&theirs["resolve"]["nodes"], "deps");
    let ids = of_root(&theirs["resolve"]["nodes"], "dependencies");
    extend_root(answer, dependencies, deps, ids);
}

/// Makes the cell crate depend on more packages: as its manifest says it, and as the graph does.
fn extend_root(answer: &mut Value, dependencies: Vec<Value>, deps: Vec<Value>, ids: Vec<Value>) {
    let root = answer["resolve"]["root"].clone();
    let of_root = |item: &&mut Value| item["id"] == root;
    if let Some(package) = answer["packages"].as_array_mut().into_iter().flatten().find(of_root) {
        extend(&mut package["dependencies"], dependencies);
    }
    if let Some(node) = answer["resolve"]["nodes"].as_array_mut().into_iter().flatten().find(of_root) {
        extend(&mut node["deps"], deps);
        extend(&mut node["dependencies"], ids);
    }
}

/// Adds items to a list, in place of those with the same id.
fn replace(list: &mut Value, more: Vec<Value>) {
    if let Some(list) = list.as_array_mut() {
        list.retain(|item| !more.iter().any(|new| new["id"] == item["id"]));
        list.extend(more);
    }
}

/// Adds items to a list that are not in it.
fn extend(list: &mut Value, more: Vec<Value>) {
    if let Some(list) = list.as_array_mut() {
        let fresh: Vec<Value> = more.into_iter().filter(|item| !list.contains(item)).collect();
        list.extend(fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_cell_crate_alone_depends_on_nothing() {
        let mut answer = json!({
            "packages": [
                { "id": "a", "dependencies": [] },
                { "id": "ctx", "name": "ctx", "dependencies": [{ "name": "a" }] },
            ],
            "resolve": {
                "root": "ctx",
                "nodes": [
                    { "id": "ctx", "dependencies": ["a"], "deps": [{ "name": "a", "pkg": "a" }] },
                    { "id": "a", "dependencies": [], "deps": [] },
                ],
            },
        });
        keep_root(&mut answer);
        assert_eq!(answer["packages"], json!([{ "id": "ctx", "name": "ctx", "dependencies": [] }]));
        assert_eq!(answer["resolve"]["nodes"], json!([{ "id": "ctx", "dependencies": [], "deps": [] }]));
    }
}
