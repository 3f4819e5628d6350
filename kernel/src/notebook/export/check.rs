//! Has the compiler check a program, and writes into it what the kernel writes into cells by itself: types of numbers that a cell has
//! left open, and `&` before arrays in formulas, which later cells use.

use super::program::{IMPORTS, KERNELS, Program};
use super::types::{CellTypes, span_in};
use crate::build_step::{Borrows, BuiltCrates, CompilerMessage, checks};
use crate::files;
use crate::installation::Installation;
use crate::notebook::Finding;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// How often the program is changed and checked again, and how often more for each of its cells.
const ROUNDS: usize = 40;
const ROUNDS_PER_CELL: usize = 4;
/// The file of the program.
const FILE: &str = "main.rs";

/// A text with what the kernel writes into cells.
struct Corrected {
    types: CellTypes,
    borrows: Borrows,
}

impl Corrected {
    fn new(types: CellTypes) -> Corrected {
        Corrected { types, borrows: Borrows::default() }
    }

    /// The text as a person would write it.
    fn text(&self) -> String {
        checks::with_plain_borrows(&self.borrows.write(&self.types.text()))
    }

    /// What the compiler says of the text, with the columns that it has without references. `read` has the compiler read the file.
    fn read(&self, file: &Path, read: &mut dyn FnMut(&str) -> Result<String>) -> Result<String> {
        let typed = self.types.text();
        let written = self.borrows.write(&typed);
        Ok(checks::correct_columns(&read(&written)?, file, &written))
    }

    /// Learns from what the compiler says, in the order in which the kernel does. Returns whether there is another text.
    fn learn(&mut self, messages: &str, file: &str, read: &mut dyn FnMut(&str) -> Result<String>) -> Result<bool> {
        if self.borrows.learn(messages, &self.types.text()) {
            return Ok(true);
        }
        let has_types = self.types.learn(messages, file, read)?;
        if has_types {
            // Places of references are bytes of the text.
            self.borrows = Borrows::default();
        }
        Ok(has_types)
    }
}

/// Checks a program with an installation's compiler and prelude, changes it where the kernel changes cells, and says what the compiler
/// refuses, by cells. What is outside of cells is about the notebook.
pub fn check(program: &mut Program, installation: &Installation, crates: &BuiltCrates) -> Result<Vec<Finding>> {
    let folder = tempfile::tempdir().context("a folder for the compiler cannot be made")?;
    let file = folder.path().join(FILE);
    files::write(&folder.path().join(KERNELS), "")?;
    let mut read = |text: &str| {
        files::write(&file, text)?;
        compiled(installation, crates, &file, folder.path())
    };
    let mut messages = String::new();
    let mut corrected = Corrected::new(CellTypes::of(program));
    for _ in 0..ROUNDS + ROUNDS_PER_CELL * program.lines.len() {
        messages = corrected.read(&file, &mut read)?;
        if corrected.learn(&messages, FILE, &mut read)? {
            continue;
        }
        let lines = CompilerMessage::errors(&messages).filter_map(|message| line_of(&message, FILE)).collect();
        program.text = corrected.types.text();
        if !program.keep_variables(Some(&lines)) {
            break;
        }
        // These variables are gone already. Places in the text have moved.
        corrected = Corrected::new(CellTypes::of(program));
    }
    let errors = CompilerMessage::own_errors(&messages);
    let findings = errors.map(|message| {
        let text = format!("the compiler refuses it in the program: {}", message.text());
        match line_of(&message, FILE).and_then(|line| program.cell_at(line)) {
            Some(cell) => Finding { cell, text },
            None => Finding::of_notebook(text),
        }
    });
    let findings = findings.collect();
    program.text = corrected.text();
    Ok(findings)
}

/// The items of cells, with what the kernel writes into them, as far as the compiler takes them. `lines` are where cells begin, from 1.
pub fn corrected_items(text: &str, lines: &[(usize, usize)], installation: &Installation) -> Result<String> {
    let folder = tempfile::tempdir().context("a folder for the compiler cannot be made")?;
    let file = folder.path().join(FILE);
    let crates = BuiltCrates::default();
    let mut read = |text: &str| {
        files::write(&file, format!("{text}\n{IMPORTS}\n"))?;
        compiled(installation, &crates, &file, folder.path())
    };
    let mut corrected = Corrected::new(CellTypes::of_items(text, lines));
    for _ in 0..ROUNDS + ROUNDS_PER_CELL * lines.len() {
        let messages = corrected.read(&file, &mut read)?;
        if !corrected.learn(&messages, FILE, &mut read)? {
            break;
        }
    }
    Ok(corrected.text())
}

/// The compiler's messages about a program.
fn compiled(installation: &Installation, crates: &BuiltCrates, file: &Path, folder: &Path) -> Result<String> {
    let mut command = compiler_with(installation, crates, "program");
    command.args(["--test", "--error-format", "json", "--emit"]);
    command.arg(format!("metadata={}", folder.join("program.rmeta").display())).arg(file).current_dir(folder);
    let output = command.output().with_context(|| format!("{:?} cannot be run", command.get_program()))?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The installation's compiler for a program of some name that uses the installed prelude.
pub fn compiler(installation: &Installation, name: &str) -> Command {
    compiler_with(installation, &BuiltCrates::default(), name)
}

/// The same, for a program that also uses crates of `:dep`.
fn compiler_with(installation: &Installation, crates: &BuiltCrates, name: &str) -> Command {
    let prelude = installation.prelude();
    let mut command = Command::new(installation.real_tool("rustc"));
    command.args(["--crate-name", name, "--edition", "2024", "--crate-type", "bin"]);
    command.arg("-L").arg(format!("dependency={}", prelude.display()));
    command.args(&crates.arguments);
    for (name, file) in installation.record.prelude.externs.iter().filter(|(name, _)| !crates.externs.contains(name)) {
        command.arg("--extern").arg(format!("{name}={}", prelude.join(file).display()));
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTFLAGS").env_remove("RUSTC");
    command
}

/// The line of the main place of a message in a file, from 1: of a macro, that of its call.
pub fn line_of(message: &CompilerMessage, file: &str) -> Option<usize> {
    usize::try_from(span_in(message, file)?["line_start"].as_u64()?).ok()
}
