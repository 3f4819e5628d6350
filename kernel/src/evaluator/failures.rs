//! The errors of failed cells: what happened, where in the cell, and which variables are lost.

use crate::build_step::{COMPILED_SOURCE, checks};
use crate::evaluator::diagnostics::TypeOf;
use crate::evaluator::places::Places;
use crate::evaluator::supervisor_link::Events;
use crate::evaluator::{CellError, advice, corrections};
use crate::magics::Expansion;
use crate::syntax::{line_and_column, offset_of};
use std::collections::BTreeSet;
use std::path::Path;

/// What places in compiled code are traced back to.
pub struct Traced<'a> {
    pub expansion: &'a Expansion,
    pub cell: &'a str,
    /// The code that evcxr got, on the lines of the expansion.
    pub code: &'a str,
}

/// The error of a cell that evcxr considers successful.
pub fn failure_of(events: &Events, compiled: &Path, traced: &Traced<'_>, type_of: TypeOf<'_>) -> Option<CellError> {
    failure_at(events, &|location| place_of_panic(location, compiled, traced), type_of)
}

/// The error that events are, with the places of panics in words.
pub fn failure_at(events: &Events, place_of: &dyn Fn(&str) -> String, type_of: TypeOf<'_>) -> Option<CellError> {
    if let Some(message) = &events.load_failed {
        return Some(plain_error("LoadError", &format!("the compiled cell cannot be loaded: {message}")));
    }
    if let Some(location) = &events.interrupted {
        let place = location.as_ref().map(|location| place_of(location));
        let at = place.map_or_else(|| ".".to_owned(), |place| format!(" at {place}"));
        return Some(CellError {
            traceback: vec![format!("The cell was interrupted{at}"), KEPT.to_owned()],
            ..interrupted(&BTreeSet::new())
        });
    }
    if let Some(panic) = &events.panic {
        let place = place_of(&panic.location);
        let mut traceback = vec![format!("\u{1b}[1;31mpanic\u{1b}[0m: {}", panic.message)];
        traceback.extend((!place.is_empty()).then(|| format!("  at {place}")));
        traceback.extend(panic.backtrace.iter().map(|frame| format!("  in {frame}")));
        let line = place.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
        let corrected = line.and_then(|(_, text)| corrections::of_panic(text, &panic.message, type_of));
        traceback.extend(corrected.map(|text| advice::as_list(&[format!("write `{text}`")])));
        return Some(CellError { name: "Panic".to_owned(), value: panic.message.clone(), traceback });
    }
    events.user_error.as_ref().map(|message| CellError {
        name: "Error".to_owned(),
        value: message.clone(),
        traceback: vec![format!("\u{1b}[1;31merror\u{1b}[0m: {message}"), "  returned by `?`".to_owned()],
    })
}

/// The place of a panic: a line of the cell or of an earlier cell with its text. Other places are returned unchanged.
pub fn place_of_panic(location: &str, compiled: &Path, traced: &Traced<'_>) -> String {
    if place_in(location).is_none() {
        return location.to_owned();
    }
    place_in_source(location, &std::fs::read_to_string(compiled).unwrap_or_default(), traced)
}

/// The same for the text of the compiled crate.
pub fn place_in_source(location: &str, source: &str, traced: &Traced<'_>) -> String {
    let Some((line, column)) = place_in(location) else { return location.to_owned() };
    let column = source.lines().nth(line - 1).map_or(column, |text| checks::column_without_checks(text, column));
    match find_in_cell(source, line, column, traced.code) {
        Ok((line, column)) => {
            let (line, column) = locate(traced.expansion, traced.cell, line, column);
            let text = traced.cell.lines().nth(line - 1).unwrap_or_default();
            format!("line {line}, column {column}: {}", text.trim())
        }
        Err(text) => format!("code of an earlier cell: {text}"),
    }
}

/// The place in the cell's code of a place in the compiled crate, or the text of the line, if the cell does not have it.
fn find_in_cell(source: &str, line: usize, column: usize, code: &str) -> Result<(usize, usize), String> {
    let text = |line: usize| source.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    // The bracket around the last expression is evcxr's, and the expression's place begins with it.
    let opens = text(line).trim() == "(" || (text(line).contains("evcxr_") && text(line).ends_with('('));
    let (line, column) = if opens { (line + 1, 1) } else { (line, column) };
    Places::new(source, code).in_cell(line, column).ok_or_else(|| checks::without_checks(text(line)).trim().to_owned())
}

/// Line and column of a location `FILE:LINE:COLUMN` in the compiled source.
fn place_in(location: &str) -> Option<(usize, usize)> {
    let mut parts = location.strip_prefix(COMPILED_SOURCE)?.strip_prefix(':')?.split(':');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The note about the variables of an interrupted cell.
pub const KEPT: &str = "The variables are still there, with the changes that the cell had already made.";

/// A cell that was over before an interrupt could stop it.
pub fn interrupted_late() -> CellError {
    CellError {
        traceback: vec![
            "The interrupted cell could not be stopped and ran to its end. Its definitions are kept.".to_owned(),
        ],
        ..interrupted(&BTreeSet::new())
    }
}

pub fn interrupted(lost: &BTreeSet<String>) -> CellError {
    let mut traceback = vec!["The cell was interrupted.".to_owned()];
    if !lost.is_empty() {
        traceback.push(lost_text(lost));
    }
    CellError { name: "Interrupted".to_owned(), value: "the cell was interrupted".to_owned(), traceback }
}

/// The name of the error of a cell in which its process has ended.
pub const PROCESS_DIED: &str = "CellProcessDied";

pub fn process_died(status: &str, lost: &BTreeSet<String>) -> CellError {
    let value = format!("the process that runs the cells ended: {status}");
    let mut traceback = vec![format!("\u{1b}[1;31m{value}\u{1b}[0m")];
    if !lost.is_empty() {
        traceback.push(lost_text(lost));
    }
    traceback.push("A new process is ready for the next cell.".to_owned());
    CellError { name: PROCESS_DIED.to_owned(), value, traceback }
}

pub fn lost_text(lost: &BTreeSet<String>) -> String {
    let names: Vec<&str> = lost.iter().map(String::as_str).collect();
    format!("These variables are lost: {}. Functions, types and imports are kept.", names.join(", "))
}

pub fn moved_text(names: &[String]) -> String {
    format!(
        "These variables are lost, because the cell had moved their values away: {}. Pass a reference (`&x`) or \
         `x.clone()` to keep a variable.",
        names.join(", ")
    )
}

/// What happened to new values that are lost. Variables in `moved` are already mentioned.
pub fn lost_values_text(lost: &[String], known: &BTreeSet<String>, moved: &[String]) -> Option<String> {
    let lost: BTreeSet<&String> = lost.iter().filter(|name| !moved.contains(name)).collect();
    let texts: Vec<String> = lost
        .into_iter()
        .map(|name| match known.contains(name) {
            true => format!("The new value of `{name}` is lost; `{name}` has the value from before this cell."),
            false => format!("The value of `{name}` is lost: the statement that failed had moved it away."),
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

pub fn not_installed(problem: &str) -> CellError {
    plain_error("InstallationError", problem)
}

pub fn internal(message: &str) -> CellError {
    plain_error("KernelError", message)
}

pub fn plain_error(name: &str, message: &str) -> CellError {
    CellError {
        name: name.to_owned(),
        value: message.to_owned(),
        traceback: vec![format!("\u{1b}[1;31m{name}\u{1b}[0m: {message}")],
    }
}

/// The output of the build step, if evcxr found no compiler message in it.
pub fn build_output(message: &str) -> &str {
    let output = message.strip_prefix("Compilation failed, but no parsable errors were found. STDERR:\n");
    output.map_or(message, |output| output.split("\nSTDOUT:").next().unwrap_or(output)).trim()
}

/// The place in the cell of a place in the expanded code; lines and columns from 1, columns in characters.
pub fn locate(expansion: &Expansion, cell: &str, line: usize, column: usize) -> (usize, usize) {
    line_and_column(cell, expansion.original_offset(offset_of(&expansion.code, line, column)).min(cell.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_compiled_crate_are_found_in_the_cell() {
        let code = "let a = 1;\nlet b = f(a); g(b)";
        let source = "pub extern \"C\" fn run_user_code_3() {\nlet a = 1;\nlet b = f(a);\n(\ng(b)\n).evcxr_display();\nold(3)\n}";
        assert_eq!(find_in_cell(source, 3, 9, code), Ok((2, 9)));
        assert_eq!(find_in_cell(source, 5, 1, code), Ok((2, 15)));
        assert_eq!(find_in_cell(source, 4, 1, code), Ok((2, 15)));
        assert_eq!(find_in_cell(source, 7, 1, code), Err("old(3)".to_owned()));
    }
}
