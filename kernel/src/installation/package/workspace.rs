//! The prelude's sources in a package: a workspace that can be built with another compiler.

use crate::files;
use crate::installation::toolchain::{Toolchain, query};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The sources of the prelude, besides the workspace's manifest and its locked versions. `gpu::lookup` reads the cheat sheet.
const SOURCES: &[&str] = &["assets/fonts", "lessons/cheat-sheet.md", "prelude"];
/// Directories of crates that a library is not built of.
const LEFT_OUT: &[&str] = &["benches", "examples", "tests"];
/// The members of Warpcell's workspace that the prelude does not need.
const OTHER_MEMBERS: &[&str] = &["kernel", "prelude/tests", "tests/bench/latency/peer"];

/// Copies the sources into a directory that is not there.
pub fn copy(source: &Path, toolchain: &Toolchain, directory: &Path) -> Result<()> {
    for part in SOURCES {
        copy_part(&source.join(part), &directory.join(part))?;
    }
    files::write(&directory.join("Cargo.toml"), of_prelude(&files::read(&source.join("Cargo.toml"))?)?)?;
    std::fs::copy(source.join("Cargo.lock"), directory.join("Cargo.lock")).context("Cargo.lock cannot be copied")?;
    // Removes the entries of the other members from the lock file. It changes no version.
    query(
        Command::new(toolchain.tool("cargo"))
            .current_dir(directory)
            .args(["update", "--workspace", "--offline", "--quiet"])
            .env("RUSTC", toolchain.tool("rustc")),
    )?;
    Ok(())
}

/// The workspace's manifest without the other members.
fn of_prelude(manifest: &str) -> Result<String> {
    let mut manifest: toml::Table = toml::from_str(manifest).context("Cargo.toml cannot be read")?;
    let members = manifest.get_mut("workspace").and_then(|workspace| workspace.get_mut("members"));
    if let Some(members) = members.and_then(toml::Value::as_array_mut) {
        members.retain(|member| !member.as_str().is_some_and(|member| OTHER_MEMBERS.contains(&member)));
    }
    Ok(toml::to_string(&manifest)?)
}

/// Copies a file or a directory, with the directories above it.
fn copy_part(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        return files::copy_folder(from, to, LEFT_OUT);
    }
    to.parent().map_or(Ok(()), files::create_folder)?;
    std::fs::copy(from, to).with_context(|| format!("{} cannot be copied", from.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_of_the_prelude_has_its_members_and_the_profile() {
        let manifest = of_prelude(include_str!("../../../../Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let members = manifest["workspace"]["members"].as_array().unwrap();
        assert!(members.iter().all(|member| member.as_str().unwrap().starts_with("prelude")), "{members:?}");
        assert_eq!(members.len(), 9);
        assert!(manifest["profile"]["release"].is_table());
    }

    #[test]
    fn tests_and_examples_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        for path in ["from/src/inner", "from/tests"] {
            std::fs::create_dir_all(root.path().join(path)).unwrap();
        }
        std::fs::write(root.path().join("from/src/inner/a.rs"), "x").unwrap();
        copy_part(&root.path().join("from"), &root.path().join("to")).unwrap();
        copy_part(&root.path().join("from/src/inner/a.rs"), &root.path().join("one/file/b.rs")).unwrap();
        assert_eq!(std::fs::read_to_string(root.path().join("one/file/b.rs")).unwrap(), "x");
        assert_eq!(std::fs::read_to_string(root.path().join("to/src/inner/a.rs")).unwrap(), "x");
        assert!(!root.path().join("to/tests").exists());
    }
}
