//! The command line: doctor, and what it says to wrong arguments. Installing is tested in tests/e2e.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn warpcell(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpcell"));
    command.args(arguments).env_remove("XDG_DATA_HOME").env_remove("JUPYTER_DATA_DIR").env_remove("JUPYTER_PATH");
    command.env("JUPYTER_DATA_DIR", home.join("données jupyter"));
    command.output().unwrap()
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
    assert!(text.contains("-> ./install.sh"), "{text}");
}

#[test]
fn a_program_that_came_by_pip_is_set_up_again_otherwise() {
    let prefix = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = prefix.path().join("bin/warpcell");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    // Not a copy: a process that another test starts just now would hold the copy open for writing, and then it cannot be run.
    std::fs::hard_link(env!("CARGO_BIN_EXE_warpcell"), &program).unwrap();
    std::fs::create_dir_all(prefix.path().join("share/warpcell/package")).unwrap();
    let output = Command::new(&program).arg("doctor").env("HOME", prefix.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("-> warpcell setup") && !text.contains("install.sh"), "{text}");
}

#[test]
fn doctor_ends_quietly_when_nobody_reads_on() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpcell"));
    let mut child = command.arg("doctor").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// Commands that print, and what they end with: what is printed on standard output, and on standard error.
#[test]
fn the_status_is_the_usual_one_when_nobody_reads() {
    let home = tempfile::tempdir().unwrap();
    let notebook = home.path().join("a.ipynb");
    std::fs::write(&notebook, r#"{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}"#).unwrap();
    let (notebook, folder) = (notebook.to_str().unwrap(), home.path().join("lessons"));
    let folder = folder.to_str().unwrap();
    let is_new = || std::fs::remove_dir_all(folder).is_ok() || !Path::new(folder).exists();
    let commands: [&[&str]; 9] = [
        &["--help"],
        &["--version"],
        &["no-such-command"],
        &["lessons", "export", "--student", folder],
        &["test", "--stored", notebook],
        &["run", "missing.ipynb"],
        &["export", notebook, "--python", "my-functions"],
        &["function", "--name", "f"],
        &["kernel", "--connection-file", "/nowhere/kernel.json"],
    ];
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    for arguments in commands {
        assert!(is_new());
        let read = warpcell(home.path(), arguments);
        assert!(!read.stdout.is_empty() || !read.stderr.is_empty(), "{arguments:?} prints something");
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpcell"));
        command.args(arguments).stdin(Stdio::null());
        assert!(is_new());
        let output = command.stdout(closed()).stderr(Stdio::piped()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        let panics = text.contains("panicked");
        assert_eq!((output.status.code(), panics), (read.status.code(), false), "{arguments:?}: {text}");
        assert!(is_new());
        let status = command.stdout(closed()).stderr(closed()).status().unwrap();
        assert_eq!(status.code(), read.status.code(), "{arguments:?}");
    }
}

#[test]
fn a_missing_connection_file_is_an_error_in_one_line() {
    let output = warpcell(Path::new("/"), &["kernel", "--connection-file", "/nowhere/kernel.json"]);
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("/nowhere/kernel.json"), "{text}");
}
