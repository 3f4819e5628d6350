//! Crates that the user adds with `:dep`: built by the real cargo, in a crate beside the cell crate, and handed to the
//! compiler of the cell. Crates that the prelude carries are the prelude's own, so that their types match.

use super::real_cargo;
use crate::installation::Installation;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

/// What evcxr wrote into the cell crate's Cargo.toml.
pub struct Manifest {
    /// The optimisation level that the user chose (`:opt`).
    pub opt_level: String,
    /// The user's crates: name and requirement, as TOML.
    pub dependencies: BTreeMap<String, toml::Value>,
}

/// Crates ready for the compiler.
#[derive(Default)]
pub struct Built {
    /// Compiler arguments.
    pub arguments: Vec<String>,
    /// Names of the crates, as code names them.
    pub externs: Vec<String>,
}

impl Built {
    /// What identifies the built files, by the names of the crates in code: a type of a crate that was built again
    /// keeps its `TypeId`.
    pub fn identities(&self) -> Vec<(String, String)> {
        let files = self.arguments.windows(2).filter(|pair| pair[0] == "--extern");
        let files = files.filter_map(|pair| pair[1].split_once('='));
        let identity = |file: &str| {
            let metadata = std::fs::metadata(file).ok()?;
            Some(format!("{file} {} {:?}", metadata.len(), metadata.modified().ok()?))
        };
        files.map(|(name, file)| (name.to_owned(), identity(file).unwrap_or_else(|| file.to_owned()))).collect()
    }
}

impl Manifest {
    /// Reads the manifest of the cell crate.
    pub fn read(context: &Path) -> Result<Manifest> {
        let path = context.join("Cargo.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let mut table: toml::Table =
            toml::from_str(&text).with_context(|| format!("{} is not valid TOML", path.display()))?;
        let dependencies = match table.remove("dependencies") {
            Some(toml::Value::Table(table)) => table.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        let opt_level = table
            .get("profile")
            .and_then(|profile| profile.get("dev")?.get("opt-level"))
            .map_or("2".to_owned(), |level| level.to_string().trim_matches('"').to_owned());
        Ok(Manifest { opt_level, dependencies })
    }

    /// The dependencies that the prelude does not carry.
    pub fn foreign(&self, installation: &Installation) -> BTreeMap<String, toml::Value> {
        self.dependencies
            .iter()
            .filter(|(name, requirement)| !is_carried(installation, name, requirement))
            .map(|(name, requirement)| (name.clone(), requirement.clone()))
            .collect()
    }
}

/// Whether cells get this crate from the prelude.
pub fn is_carried(installation: &Installation, name: &str, requirement: &toml::Value) -> bool {
    let version = match requirement {
        toml::Value::String(version) => Some(version.as_str()),
        toml::Value::Table(table) if !table.contains_key("path") && !table.contains_key("git") => {
            Some(table.get("version").and_then(toml::Value::as_str).unwrap_or("*"))
        }
        _ => None,
    };
    let code_name = name.replace('-', "_");
    installation.record.externs.iter().any(|(external, _)| *external == code_name)
        && version.is_some_and(|version| {
            installation
                .record
                .carried
                .iter()
                .any(|(carried, carried_version)| carried == name && satisfies(carried_version, version))
        })
}

/// Whether `version` satisfies a plain requirement: `*`, or a (caret) version of which it is a compatible successor.
fn satisfies(version: &str, requirement: &str) -> bool {
    let requirement = requirement.trim().trim_start_matches('^');
    if requirement == "*" {
        return true;
    }
    let exact = requirement.strip_prefix('=');
    let numbers = |text: &str| text.split('.').map(|part| part.trim().parse::<u64>().ok()).collect::<Option<Vec<_>>>();
    let (Some(have), Some(want)) = (numbers(version), numbers(exact.unwrap_or(requirement))) else { return false };
    if exact.is_some() {
        return have.starts_with(&want);
    }
    let significant = want.iter().position(|&number| number != 0).map_or(want.len(), |index| index + 1);
    have[..significant.min(have.len())] == want[..significant] && have.as_slice() >= want.as_slice()
}

/// Writes the crate that names the user's crates.
pub fn prepare(installation: &Installation, context: &Path, manifest: &Manifest) -> Result<()> {
    write_manifest(&context.join("dependencies"), &manifest.foreign(installation), &manifest.opt_level)
}

/// Builds the user's crates, if there are any; quick when nothing changed.
pub fn build(installation: &Installation, context: &Path, manifest: &Manifest) -> Result<Built> {
    let foreign = manifest.foreign(installation);
    if foreign.is_empty() {
        return Ok(Built::default());
    }
    let directory = context.join("dependencies");
    write_manifest(&directory, &foreign, &manifest.opt_level)?;
    let mut command = real_cargo(installation);
    command
        .current_dir(&directory)
        .args(["build", "--message-format", "json-render-diagnostics", "--target", &installation.record.target])
        .env("CARGO_TARGET_DIR", directory.join("target"))
        // A mark of their own keeps these crates apart from the same versions inside the prelude.
        .env("RUSTFLAGS", "-C prefer-dynamic -C metadata=notebook")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.spawn().context("cargo cannot be run")?;
    let output = child.stdout.take().context("cargo's output is missing")?;
    let mut built = Built::default();
    for line in BufReader::new(output).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(&line?) else { continue };
        take_artifact(&message, &foreign, &mut built);
    }
    if !child.wait()?.success() {
        bail!("the crates of `:dep` could not be built; cargo's messages are above");
    }
    let target = directory.join("target");
    for folder in [target.join(&installation.record.target).join("debug/deps"), target.join("debug/deps")] {
        built.arguments.push("-L".to_owned());
        built.arguments.push(format!("dependency={}", folder.display()));
    }
    Ok(built)
}

/// Notes the file of a direct dependency, and native libraries of any.
fn take_artifact(message: &serde_json::Value, foreign: &BTreeMap<String, toml::Value>, built: &mut Built) {
    match message["reason"].as_str() {
        Some("compiler-artifact") => {
            let Some(library) = message["target"]["name"].as_str().map(|name| name.replace('-', "_")) else { return };
            let package = package_name(message["package_id"].as_str().unwrap_or_default());
            let wanted = foreign.iter().find(|(name, requirement)| {
                let real = requirement.get("package").and_then(toml::Value::as_str).unwrap_or(name);
                real == package
            });
            let kinds = message["target"]["kind"].as_array().cloned().unwrap_or_default();
            let is_library =
                kinds.iter().any(|kind| matches!(kind.as_str(), Some("lib" | "rlib" | "dylib" | "proc-macro")));
            let file = message["filenames"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|file| file.as_str())
                .find(|file| file.ends_with(".rlib") || file.ends_with(".so"));
            if let (Some((name, requirement)), true, Some(file)) = (wanted, is_library, file) {
                // A renamed dependency goes by its key, others by their library's name.
                let extern_name = if requirement.get("package").is_some() { name.replace('-', "_") } else { library };
                built.arguments.push("--extern".to_owned());
                built.arguments.push(format!("{extern_name}={file}"));
                built.externs.push(extern_name);
            }
        }
        Some("build-script-executed") => {
            for path in message["linked_paths"].as_array().into_iter().flatten().filter_map(|path| path.as_str()) {
                built.arguments.push("-L".to_owned());
                built.arguments.push(path.to_owned());
            }
        }
        _ => {}
    }
}

/// The package's name in a package id such as `registry+https://…#itoa@1.0.15` or `path+file:///x/name#0.1.0`.
fn package_name(id: &str) -> &str {
    let (source, fragment) = id.rsplit_once('#').unwrap_or(("", id));
    match fragment.rsplit_once('@') {
        Some((name, _)) => name,
        None => source.rsplit('/').next().unwrap_or(fragment),
    }
}

fn write_manifest(directory: &Path, foreign: &BTreeMap<String, toml::Value>, opt_level: &str) -> Result<()> {
    std::fs::create_dir_all(directory.join("src"))?;
    let level: toml::Value =
        opt_level.parse::<i64>().map_or_else(|_| toml::Value::String(opt_level.to_owned()), toml::Value::Integer);
    let manifest = toml::Table::from_iter([
        (
            "package".to_owned(),
            toml::Value::Table(toml::toml! { name = "notebook-dependencies"
            version = "0.0.0"
            edition = "2024" }),
        ),
        ("workspace".to_owned(), toml::Value::Table(toml::Table::new())),
        ("dependencies".to_owned(), toml::Value::Table(foreign.clone().into_iter().collect())),
        (
            "profile".to_owned(),
            toml::Value::Table(toml::Table::from_iter([(
                "dev".to_owned(),
                toml::Value::Table(toml::Table::from_iter([
                    ("opt-level".to_owned(), level),
                    ("debug".to_owned(), toml::Value::Boolean(false)),
                ])),
            )])),
        ),
    ]);
    write_if_changed(&directory.join("Cargo.toml"), &toml::to_string(&manifest)?)?;
    write_if_changed(&directory.join("src/lib.rs"), "")
}

fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_as_cargo_reads_them() {
        for (version, requirement, expected) in [
            ("0.17.2", "0.17", true),
            ("0.17.2", "0.17.2", true),
            ("0.17.2", "0.17.3", false),
            ("0.17.2", "0.16", false),
            ("1.4.0", "1", true),
            ("1.4.0", "^1.2", true),
            ("1.4.0", "2", false),
            ("1.4.0", "*", true),
            ("1.4.0", "=1.4.0", true),
            ("1.4.0", "=1.3.0", false),
        ] {
            assert_eq!(satisfies(version, requirement), expected, "{version} for {requirement}");
        }
    }

    #[test]
    fn package_names_of_all_kinds_of_ids() {
        assert_eq!(package_name("registry+https://example.org/index#itoa@1.0.15"), "itoa");
        assert_eq!(package_name("path+file:///srv/crates/mine#0.1.0"), "mine");
        assert_eq!(package_name("path+file:///srv/crates/folder#mine@0.1.0"), "mine");
    }
}
