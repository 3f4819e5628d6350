//! install, uninstall, doctor.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn warpcell(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpcell"));
    command.args(arguments).env_remove("XDG_DATA_HOME").env_remove("JUPYTER_DATA_DIR").env_remove("JUPYTER_PATH");
    command.env("JUPYTER_DATA_DIR", home.join("données jupyter"));
    command.output().unwrap()
}

#[test]
fn an_installed_entry_starts_this_binary_and_goes_away() {
    let home = tempfile::tempdir().unwrap();
    assert!(warpcell(home.path(), &["install"]).status.success());
    let directory = home.path().join("données jupyter/kernels/warpcell");
    let text = std::fs::read_to_string(directory.join("kernel.json")).unwrap();
    let specification: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(specification["display_name"], "Rust GPU");
    assert_eq!(specification["language"], "rust");
    let program = specification["argv"][0].as_str().unwrap();
    assert_eq!(Path::new(program), Path::new(env!("CARGO_BIN_EXE_warpcell")).canonicalize().unwrap());
    assert!(warpcell(home.path(), &["uninstall", "--user"]).status.success());
    assert!(!directory.exists());
}

#[test]
fn a_prefix_is_used_as_it_is_given() {
    let home = tempfile::tempdir().unwrap();
    let prefix = home.path().join("a prefix");
    assert!(warpcell(home.path(), &["install", "--prefix", prefix.to_str().unwrap()]).status.success());
    assert!(prefix.join("share/jupyter/kernels/warpcell/logo-64x64.png").exists());
}

#[test]
fn doctor_names_what_is_missing() {
    // A build folder has no prelude beside it, so something is missing here on every machine.
    let home = tempfile::tempdir().unwrap();
    let output = warpcell(home.path(), &["doctor"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let line = text.lines().find(|line| line.contains("prelude")).unwrap();
    assert!(line.starts_with("MISSING"), "{text}");
    assert!(text.contains("-> run the installer again"), "{text}");
}

#[test]
fn a_missing_connection_file_is_an_error_in_one_line() {
    let output = warpcell(Path::new("/"), &["kernel", "--connection-file", "/nowhere/kernel.json"]);
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("/nowhere/kernel.json"), "{text}");
}
