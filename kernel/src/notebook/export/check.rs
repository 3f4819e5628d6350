//! Has the compiler check a program, and writes into it what the kernel writes into cells by itself: types of numbers that a cell has
//! left open, and `&` before arrays in formulas, which later cells use.

use super::program::{KERNELS, Program};
use super::tokens::tokens;
use crate::build_step::{Borrows, CompilerMessage, checks};
use crate::evaluator::open_types::number_beside;
use crate::files;
use crate::installation::Installation;
use crate::notebook::Finding;
use crate::syntax::{is_word, line_start, offset_of};
use anyhow::{Context, Result};
use ra_ap_parser::{SyntaxKind, T};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// How often the program is changed and checked again.
const ROUNDS: usize = 40;
/// The file of the program.
const FILE: &str = "main.rs";
/// Errors about types that are open.
const OPEN: [&str; 4] = ["E0282", "E0283", "E0284", "E0689"];
/// The default types, by what the compiler calls an open one and by what it proposes.
const DEFAULTS: [(&str, &str, &str); 2] = [("{float}", "f32", "f64"), ("{integer}", "i32", "i32")];
/// Functions of the prelude whose elements are `f64` if nothing says another type.
const FUNCTIONS: [&str; 4] = ["zeros", "ones", "empty", "eye"];

/// Checks a program with an installation's compiler and prelude, changes it where the kernel changes cells, and says what the compiler
/// refuses, by cells. What is outside of cells is about the notebook.
pub fn check(program: &mut Program, installation: &Installation) -> Result<Vec<Finding>> {
    let folder = tempfile::tempdir().context("a folder for the compiler cannot be made")?;
    let file = folder.path().join(FILE);
    files::write(&folder.path().join(KERNELS), "")?;
    let mut borrows = Borrows::default();
    let mut messages = String::new();
    for _ in 0..ROUNDS {
        let written = borrows.write(&program.text).into_owned();
        files::write(&file, &written)?;
        messages = compiled(installation, &file, folder.path())?;
        messages = checks::correct_columns(&messages, &file, &written);
        if CompilerMessage::errors(&messages).next().is_none() {
            break;
        }
        let mut edits = open_types(&messages, &program.text);
        edits.extend(integers_beside(&messages, &program.text));
        let lines = CompilerMessage::errors(&messages).filter_map(|message| line_of(&message, FILE)).collect();
        if program.keep_variables(Some(&lines)) {
            // These variables are gone already. Places of references in the text have moved.
            borrows = Borrows::default();
        } else if !edits.is_empty() {
            // Places of references are bytes of the text. There are none yet: the compiler looks at moves when all types are known.
            edits.iter().rev().for_each(|(&place, written)| program.text.insert_str(place, written));
            borrows = Borrows::default();
        } else if !borrows.learn(&messages, &program.text) {
            break;
        }
    }
    let errors = CompilerMessage::errors(&messages).filter(|message| !message.is_count());
    let findings = errors.map(|message| {
        let text = format!("the compiler refuses it in the program: {}", message.text());
        match line_of(&message, FILE).and_then(|line| program.cell_at(line)) {
            Some(cell) => Finding { cell, text },
            None => Finding::of_notebook(text),
        }
    });
    let findings = findings.collect();
    program.text = checks::with_plain_borrows(&borrows.write(&program.text));
    Ok(findings)
}

/// The compiler's messages about a program.
fn compiled(installation: &Installation, file: &Path, folder: &Path) -> Result<String> {
    let mut command = compiler(installation, "program");
    command.args(["--test", "--error-format", "json", "--emit"]);
    command.arg(format!("metadata={}", folder.join("program.rmeta").display())).arg(file).current_dir(folder);
    let output = command.output().with_context(|| format!("{:?} cannot be run", command.get_program()))?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The installation's compiler for a program of some name that uses the installed prelude.
pub fn compiler(installation: &Installation, name: &str) -> Command {
    let prelude = installation.prelude();
    let mut command = Command::new(installation.real_tool("rustc"));
    command.args(["--crate-name", name, "--edition", "2024", "--crate-type", "bin"]);
    command.arg("-L").arg(format!("dependency={}", prelude.display()));
    for (name, file) in &installation.record.prelude.externs {
        command.arg("--extern").arg(format!("{name}={}", prelude.join(file).display()));
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTFLAGS").env_remove("RUSTC");
    command
}

/// What is to be written for open types, by the byte of the text.
fn open_types(messages: &str, text: &str) -> BTreeMap<usize, String> {
    let mut edits = BTreeMap::new();
    for message in CompilerMessage::errors(messages).filter(|message| OPEN.contains(&message.code())) {
        let Some((_, said, written)) = DEFAULTS.iter().find(|(open, ..)| message.text().contains(open)) else {
            edits.extend(open_functions(&message, text));
            continue;
        };
        let proposals = message.json()["children"].as_array().into_iter().flatten();
        let proposals = proposals.flat_map(|child| child["spans"].as_array().into_iter().flatten());
        for span in proposals {
            let (Some(proposed), Some(place)) = (span["suggested_replacement"].as_str(), start_of(span, text)) else {
                continue;
            };
            let replaced = &text[place..end_of(span, text).unwrap_or(place)];
            // Proposals that only add something behind what is there.
            if let Some(added) = proposed.strip_prefix(replaced).filter(|added| added.contains(said)) {
                edits.insert(place + replaced.len(), added.replace(said, written));
            }
        }
    }
    edits
}

/// The types for functions such as `gpu::zeros` on the line of a message.
fn open_functions(message: &CompilerMessage, text: &str) -> BTreeMap<usize, String> {
    let mut edits = BTreeMap::new();
    let Some(place) = outermost(message, FILE).and_then(|span| start_of(span, text)) else { return edits };
    let start = line_start(text, place);
    let line = text[start..].lines().next().unwrap_or_default();
    for name in FUNCTIONS {
        for (path, written) in [("gpu::", "::<f64>"), ("gpu::host::", "::<f64, _>")] {
            let call = format!("{path}{name}(");
            let begins = |at: &usize| !line[..*at].ends_with(|before: char| is_word(before) || before == ':');
            let places = line.match_indices(&call).map(|(at, _)| at).filter(begins);
            edits.extend(places.map(|at| (start + at + call.len() - 1, written.to_owned())));
        }
    }
    edits
}

/// The types to be written behind integers that are combined or compared with other numbers.
fn integers_beside(messages: &str, text: &str) -> BTreeMap<usize, String> {
    let mut edits = BTreeMap::new();
    for message in CompilerMessage::errors(messages) {
        let Some(written) = number_beside(&message) else { continue };
        let span = outermost(&message, FILE);
        let range = span.and_then(|span| Some(start_of(span, text)?..end_of(span, text)?));
        let Some(range) = range.filter(|range| range.start < range.end) else { continue };
        let (mut at, mut indices) = (range.start, 0_u32);
        for (kind, token) in tokens(&text[range]) {
            at += token.len();
            match kind {
                T!['['] => indices += 1,
                T![']'] => indices = indices.saturating_sub(1),
                SyntaxKind::INT_NUMBER if indices == 0 && !token.ends_with(char::is_alphabetic) => {
                    let has_type = token.contains(['i', 'u']);
                    let written = if has_type { String::new() } else { written.to_owned() };
                    edits.insert(at, written);
                }
                _ => {}
            }
        }
    }
    edits.retain(|_, written| !written.is_empty());
    edits
}

/// The main place of a message in a file: of a macro, its call.
fn outermost<'a>(message: &'a CompilerMessage, file: &str) -> Option<&'a Value> {
    let mut span = message.primary()?;
    while span["expansion"]["span"].is_object() {
        span = &span["expansion"]["span"];
    }
    span["file_name"].as_str().is_none_or(|name| name.ends_with(file)).then_some(span)
}

/// The line of that place, from 1.
pub fn line_of(message: &CompilerMessage, file: &str) -> Option<usize> {
    usize::try_from(outermost(message, file)?["line_start"].as_u64()?).ok()
}

fn start_of(span: &Value, text: &str) -> Option<usize> {
    place(span, text, "line_start", "column_start")
}

fn end_of(span: &Value, text: &str) -> Option<usize> {
    place(span, text, "line_end", "column_end")
}

fn place(span: &Value, text: &str, line: &str, column: &str) -> Option<usize> {
    let number = |name: &str| usize::try_from(span[name].as_u64()?).ok();
    Some(offset_of(text, number(line)?, number(column)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(code: &str, text: &str, line: usize, columns: (usize, usize), proposed: &str) -> String {
        let span = json!({"line_start": line, "line_end": line, "column_start": columns.0, "column_end": columns.1,
            "suggested_replacement": proposed, "is_primary": true});
        let child = json!({"spans": [span]});
        json!({"level": "error", "code": {"code": code}, "message": text, "spans": [span], "children": [child]})
            .to_string()
    }

    #[test]
    fn open_numbers_get_the_types_of_rust() {
        let text = "let x = 2.0;\nx.sqrt();\n3.pow(2);\nlet z = f(gpu::zeros(3), gpu::host::ones(2), my::gpu::eye(2));";
        let float =
            message("E0689", "can't call method `sqrt` on ambiguous numeric type `{float}`", 1, (5, 6), "x: f32");
        let integer =
            message("E0689", "can't call method `pow` on ambiguous numeric type `{integer}`", 3, (1, 2), "3_i32");
        let zeros = message("E0282", "type annotations needed for `DeviceArray<_>`", 4, (5, 6), "z: DeviceArray<T>");
        let edits = open_types(&[float, integer, zeros].join("\n"), text);
        let mut text = text.to_owned();
        edits.iter().rev().for_each(|(&place, added)| text.insert_str(place, added));
        assert_eq!(
            text,
            "let x: f64 = 2.0;\nx.sqrt();\n3_i32.pow(2);\nlet z = f(gpu::zeros::<f64>(3), gpu::host::ones::<f64, _>(2), my::gpu::eye(2));"
        );
    }
}
