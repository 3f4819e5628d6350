//! Builds the prelude's library and the crates below it with cargo, and copies them into a package.

use crate::cargo_metadata::strings;
use crate::files;
use crate::installation::toolchain::Toolchain;
use crate::installation::{BuiltPrelude, Carried};
use crate::syntax::list_has;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Crates that cells can name without `:dep`.
pub const NAMEABLE: &[&str] = &["warpcell", "ndarray"];
/// Crates of the prelude that cells get with `:dep`.
const OFFERED: &str = "\
    approx half image ndarray num-complex num-integer num-traits plotters rand rayon serde serde_json";

/// A library that cargo built.
pub struct Artifact {
    package: String,
    version: String,
    library: String,
    features: Vec<String>,
    files: Vec<PathBuf>,
    is_macro: bool,
    /// Whether it is built for build scripts and macros only, and so not part of the prelude.
    is_host: bool,
}

/// A build outside the sources, which may be read-only.
pub struct Elsewhere<'a> {
    /// Cargo's target directory.
    pub target: &'a Path,
    /// Called for each crate that is built.
    pub progress: &'a mut dyn FnMut(),
}

/// Builds the prelude (quick when nothing changed) and lists its libraries.
pub fn build(source: &Path, toolchain: &Toolchain, mut elsewhere: Option<Elsewhere<'_>>) -> Result<Vec<Artifact>> {
    let mut command = Command::new(toolchain.tool("cargo"));
    command
        .current_dir(source)
        .args(["build", "--release", "--locked", "-p", "warpcell", "--config", "prelude/dylib.toml"])
        // Cargo prints nothing about success. The caller reports it.
        .args(["--quiet", "--message-format", "json-render-diagnostics"])
        .env("RUSTC", toolchain.tool("rustc"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if let Some(elsewhere) = &elsewhere {
        command.arg("--target-dir").arg(elsewhere.target);
    }
    let mut child = command.spawn().context("cargo cannot be run")?;
    let output = child.stdout.take().context("cargo's output is missing")?;
    let mut artifacts = Vec::new();
    for line in BufReader::new(output).lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        let kinds: Vec<&str> = strings(&message["target"]["kind"]);
        let is_macro = kinds.contains(&"proc-macro");
        if is_macro || kinds.iter().any(|kind| matches!(*kind, "lib" | "rlib" | "dylib")) {
            let (package, version) = package_of(message["package_id"].as_str().unwrap_or_default());
            if let Some(elsewhere) = &mut elsewhere {
                (elsewhere.progress)();
            }
            artifacts.push(Artifact {
                package: package.to_owned(),
                version: version.to_owned(),
                features: strings(&message["features"]).into_iter().map(str::to_owned).collect(),
                // Cargo does not say why it builds a crate. The profile marks crates that only run during the build
                // (Cargo.toml).
                is_host: !is_macro && message["profile"]["overflow_checks"] == true,
                library: message["target"]["name"].as_str().unwrap_or_default().replace('-', "_"),
                files: strings(&message["filenames"]).into_iter().map(PathBuf::from).collect(),
                is_macro,
            });
        }
    }
    if !child.wait()?.success() {
        bail!("the prelude could not be built; the compiler's messages are above");
    }
    Ok(artifacts)
}

/// Copies the prelude's library and the metadata of the crates below it.
pub fn copy(artifacts: &[Artifact], toolchain: &Toolchain, prelude: &Path) -> Result<BuiltPrelude> {
    files::create_folder(prelude)?;
    let mut externs = Vec::new();
    let mut carried = Vec::new();
    let mut identity = DefaultHasher::new();
    // Cargo names them in the order in which they were ready.
    let mut artifacts: Vec<&Artifact> = artifacts.iter().filter(|artifact| !artifact.is_host).collect();
    artifacts.sort_by_key(|artifact| (&artifact.library, &artifact.version));
    for artifact in artifacts {
        let is_prelude = artifact.library == "warpcell";
        let wanted = if is_prelude || artifact.is_macro { "so" } else { "rmeta" };
        let Some(path) = artifact.files.iter().find(|file| file.extension().is_some_and(|found| found == wanted))
        else {
            bail!("cargo did not name a .{wanted} file of {}", artifact.library);
        };
        // The prelude's own hash is not part of its name, so that cells of a later build find it.
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let contents = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        (&file, &contents).hash(&mut identity);
        std::fs::copy(path, prelude.join(&file)).with_context(|| format!("{} cannot be copied", path.display()))?;
        if NAMEABLE.contains(&artifact.library.as_str()) {
            externs.push((artifact.library.clone(), file.clone()));
        }
        if !artifact.is_macro {
            carried.push(Carried {
                name: artifact.package.clone(),
                version: artifact.version.clone(),
                library: artifact.library.clone(),
                features: artifact.features.clone(),
                offered: list_has(OFFERED, &artifact.package),
                file,
            });
        }
    }
    for name in NAMEABLE.iter().copied().chain(OFFERED.split_whitespace()) {
        if !carried.iter().any(|carried| carried.name == name) {
            bail!("cargo built no library `{name}`");
        }
    }
    Ok(BuiltPrelude {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        compiler: toolchain.compiler.clone(),
        target: toolchain.target.clone(),
        externs,
        carried,
        identity: format!("{:016x}", identity.finish()),
    })
}

/// The package's name and version in a package id such as `registry+https://…#itoa@1.0.15` or
/// `path+file:///x/name#0.1.0`.
pub fn package_of(id: &str) -> (&str, &str) {
    let (source, fragment) = id.rsplit_once('#').unwrap_or(("", id));
    fragment.rsplit_once('@').unwrap_or_else(|| (source.rsplit('/').next().unwrap_or(fragment), fragment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_of_all_kinds_of_ids() {
        assert_eq!(package_of("registry+https://example.org/index#itoa@1.0.15"), ("itoa", "1.0.15"));
        assert_eq!(package_of("path+file:///srv/crates/mine#0.1.0"), ("mine", "0.1.0"));
        assert_eq!(package_of("path+file:///srv/crates/folder#mine@0.1.0"), ("mine", "0.1.0"));
    }
}
