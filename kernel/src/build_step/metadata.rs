//! Answers to `cargo metadata`: recorded ones for the cell crate and the standard library, so that rust-analyzer reads
//! few crates and needs no network; the user's `:dep` crates are added to them from the real cargo's answer.

use super::dependencies::{self, Manifest};
use super::{real_cargo, replace_by};
use crate::installation::Installation;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The cell crate's directory in the recorded answer.
pub const CONTEXT_PLACEHOLDER: &str = "/@WARPCELL-CONTEXT@";
/// The installation's directory in the recorded answer.
pub const HOME_PLACEHOLDER: &str = "/@WARPCELL-HOME@";

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
            println!("{}", substitute(&text, installation, context)?);
            return Ok(0);
        }
        return replace_by(real_cargo(installation).arg("--offline"), arguments);
    }
    if manifest_path.parent() != Some(context) {
        return replace_by(&mut real_cargo(installation), arguments);
    }
    let manifest = Manifest::read(context)?;
    let is_validation = std::fs::read_to_string(&manifest_path)?.contains("evcxr_dummy_validate_dep");
    let foreign = manifest.foreign(installation);
    if is_validation {
        refuse_incompatible(installation, &manifest)?;
        if !foreign.is_empty() {
            return replace_by(&mut real_cargo(installation), arguments);
        }
    }
    let recorded = installation.metadata().join("cell.json");
    let text = std::fs::read_to_string(&recorded)
        .with_context(|| format!("{} cannot be read; run ./install.sh again", recorded.display()))?;
    let mut answer: Value = serde_json::from_str(&substitute(&text, installation, context)?)
        .with_context(|| format!("{} is damaged; run ./install.sh again", recorded.display()))?;
    if !foreign.is_empty() && !arguments.iter().any(|argument| argument == "--no-deps") {
        add_foreign(installation, context, &manifest, &mut answer)?;
    }
    println!("{answer}");
    Ok(0)
}

/// A crate that the prelude carries cannot be had in another version: its types would not match the prelude's.
fn refuse_incompatible(installation: &Installation, manifest: &Manifest) -> Result<()> {
    for (name, requirement) in &manifest.dependencies {
        if name == "warpcell" {
            bail!("the crate `warpcell` is already there, as `gpu`; no `:dep` is needed");
        }
        let code_name = name.replace('-', "_");
        let carried = installation.record.externs.iter().any(|(external, _)| *external == code_name);
        let version = installation.record.carried.iter().find(|(carried, _)| carried == name);
        if let (true, Some((_, version)), false) =
            (carried, version, dependencies::is_carried(installation, name, requirement))
        {
            bail!(
                "the prelude carries `{name}` {version}, and `{requirement}` is not compatible with it; \
                 use `:dep {name} = \"{version}\"`, or leave the line out"
            );
        }
    }
    Ok(())
}

fn substitute(text: &str, installation: &Installation, context: &Path) -> Result<String> {
    // Inside JSON strings, so with JSON's escapes and without the quotes.
    let escaped = |path: &Path| -> Result<String> {
        let text = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
        Ok(Value::from(text).to_string().trim_matches('"').to_owned())
    };
    Ok(text.replace(CONTEXT_PLACEHOLDER, &escaped(context)?).replace(HOME_PLACEHOLDER, &escaped(&installation.home)?))
}

/// Adds the packages of the user's crates, and makes the cell crate depend on them.
fn add_foreign(installation: &Installation, context: &Path, manifest: &Manifest, answer: &mut Value) -> Result<()> {
    let directory = context.join("dependencies");
    dependencies::prepare(installation, context, manifest)?;
    let output = real_cargo(installation)
        .current_dir(&directory)
        .args(["metadata", "--format-version", "1", "--filter-platform", &installation.record.target])
        .output()
        .context("cargo cannot be run")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let theirs: Value = serde_json::from_slice(&output.stdout)?;
    let their_root = theirs["resolve"]["root"].clone();
    let known: Vec<Value> =
        answer["packages"].as_array().into_iter().flatten().map(|package| package["id"].clone()).collect();
    let fresh = |items: &Value| -> Vec<Value> {
        let items = items.as_array().into_iter().flatten();
        items.filter(|item| item["id"] != their_root && !known.contains(&item["id"])).cloned().collect()
    };
    let (packages, nodes) = (fresh(&theirs["packages"]), fresh(&theirs["resolve"]["nodes"]));
    let their_node =
        theirs["resolve"]["nodes"].as_array().into_iter().flatten().find(|node| node["id"] == their_root).cloned();
    let their_package =
        theirs["packages"].as_array().into_iter().flatten().find(|package| package["id"] == their_root).cloned();
    let root = answer["resolve"]["root"].clone();
    extend(&mut answer["packages"], packages);
    extend(&mut answer["resolve"]["nodes"], nodes);
    let empty = json!([]);
    for package in answer["packages"].as_array_mut().into_iter().flatten().filter(|package| package["id"] == root) {
        let more = their_package.as_ref().map_or(&empty, |package| &package["dependencies"]);
        extend(&mut package["dependencies"], more.as_array().cloned().unwrap_or_default());
    }
    for node in answer["resolve"]["nodes"].as_array_mut().into_iter().flatten().filter(|node| node["id"] == root) {
        for list in ["deps", "dependencies"] {
            let more = their_node.as_ref().map_or(&empty, |node| &node[list]);
            extend(&mut node[list], more.as_array().cloned().unwrap_or_default());
        }
    }
    Ok(())
}

fn extend(list: &mut Value, more: Vec<Value>) {
    if let Some(list) = list.as_array_mut() {
        list.extend(more);
    }
}
