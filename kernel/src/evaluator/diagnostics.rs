//! Compile errors as a notebook shows them: each once, with the cell's own line numbers and the compiler's help.

use crate::evaluator::{CellError, keeping};
use evcxr::CompilationError;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const RED: &str = "\u{1b}[1;31m";
const BLUE: &str = "\u{1b}[1;34m";
const CYAN: &str = "\u{1b}[1;36m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

/// Gives the place in the cell of a place in the code that was compiled: line and column, both from 1.
pub type Locate<'a> = &'a dyn Fn(usize, usize) -> (usize, usize);

/// What to say of a variable that is not there any more.
pub type Missed<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The error of a cell that does not compile.
pub fn compile_error(all: &[CompilationError], cell: &str, locate: Locate<'_>, missed: Missed<'_>) -> CellError {
    let mut errors: Vec<&CompilationError> = all.iter().filter(|error| error.level() != "warning").collect();
    // evcxr compiles some cells in more than one way, and reports what each way found, sometimes without a place.
    let place = |error: &CompilationError| labels(error).into_iter().find_map(|label| label.span);
    let mut seen: Vec<(String, Option<[usize; 4]>)> = Vec::new();
    for error in &errors {
        seen.push((error.message(), place(error)));
    }
    let mut index = 0;
    errors.retain(|error| {
        let key = (error.message(), place(error));
        let repeated = seen[..index].contains(&key)
            || (key.1.is_none() && seen.iter().any(|(message, place)| *message == key.0 && place.is_some()));
        index += 1;
        !repeated
    });
    let value = errors.first().map_or_else(|| "the cell does not compile".to_owned(), |error| message_of(error).0);
    let mut traceback: Vec<String> = errors.iter().map(|error| render(error, cell, locate, missed)).collect();
    // `:explain` fails unless it can explain all of them.
    if all.iter().all(|error| error.explanation().is_some()) {
        let codes: BTreeSet<&str> = errors.iter().filter_map(|error| error.code()).collect();
        let codes: Vec<&str> = codes.into_iter().collect();
        if !codes.is_empty() {
            traceback.push(format!("`:explain` in the next cell says more about {}.", codes.join(", ")));
        }
    }
    CellError { name: "CompileError".to_owned(), value, traceback }
}

/// A message about a part of the code; evcxr does not name its own type of these.
struct Label {
    /// First line and column, last line and column, in the compiled code.
    span: Option<[usize; 4]>,
    text: String,
    is_primary: bool,
}

fn labels(error: &CompilationError) -> Vec<Label> {
    error
        .spanned_messages()
        .iter()
        .map(|message| Label {
            span: message.span.map(|span| [span.start_line, span.start_column, span.end_line, span.end_column]),
            text: message.label.clone(),
            is_primary: message.is_primary,
        })
        .collect()
}

fn render(error: &CompilationError, cell: &str, locate: Locate<'_>, missed: Missed<'_>) -> String {
    let mut text = String::new();
    let code = error.code().map(|code| format!("[{code}]")).unwrap_or_default();
    let (message, mut advice) = message_of(error);
    let _ = writeln!(text, "{RED}error{code}{RESET}{BOLD}: {message}{RESET}");
    let lines: Vec<&str> = cell.lines().collect();
    let mut shown = false;
    let labels = labels(error);
    for label in &labels {
        shown |= render_label(&mut text, label, &lines, locate);
    }
    if !shown {
        for label in labels.iter().filter(|label| !label.text.is_empty()) {
            let _ = writeln!(text, "  {}", label.text);
        }
    }
    for (level, message) in children(error) {
        let _ = writeln!(text, "{CYAN}{level}{RESET}: {message}");
    }
    advice.extend(hints(error, missed));
    if !advice.is_empty() {
        let _ = writeln!(text, "{}", keeping::as_list(&advice));
    }
    text.trim_end().to_owned()
}

/// Shows the line that a message is about with a mark under it; false if it is about none of the cell's.
fn render_label(text: &mut String, message: &Label, lines: &[&str], locate: Locate<'_>) -> bool {
    let Some([first_line, first_column, end_line, end_column]) = message.span else { return false };
    let (line, start) = locate(first_line, first_column);
    let (last_line, end) = locate(end_line, end_column);
    let Some(source) = lines.get(line - 1) else { return false };
    let width = source.chars().count();
    let start = start.clamp(1, width + 1);
    let end = if last_line == line { end.clamp(start + 1, width.max(start) + 1) } else { width.max(start) + 1 };
    let gutter = line.to_string();
    let blank = " ".repeat(gutter.len());
    if message.is_primary {
        let _ = writeln!(text, "{blank}{BLUE}-->{RESET} line {line}, column {start}");
    }
    let (mark, colour) = if message.is_primary { ("^", RED) } else { ("-", BLUE) };
    let _ = writeln!(text, "{BLUE}{gutter} |{RESET} {source}");
    let _ = writeln!(
        text,
        "{BLUE}{blank} |{RESET} {}{colour}{} {}{RESET}",
        " ".repeat(start - 1),
        mark.repeat(end - start),
        message.text
    );
    true
}

/// The compiler's notes and help, in its order.
fn children(error: &CompilationError) -> Vec<(String, String)> {
    let children = error.json["children"].as_array().cloned().unwrap_or_default();
    children
        .iter()
        .filter_map(|child| {
            let level = child["level"].as_str()?.to_owned();
            let mut message = child["message"].as_str()?.to_owned();
            // Notes about generated code or about sources that the user does not have are of no use here.
            if message.contains("evcxr_") || message.contains("run_user_code") {
                return None;
            }
            let replacements: Vec<&str> = child["spans"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|span| span["suggested_replacement"].as_str())
                .filter(|replacement| !replacement.trim().is_empty())
                .collect();
            if let [replacement] = replacements.as_slice() {
                let _ = write!(message, ": `{}`", replacement.trim());
            }
            Some((level, message))
        })
        .collect()
}

/// What the error says, and what to do about it where that is known from the message.
fn message_of(error: &CompilationError) -> (String, Vec<String>) {
    let message = error.message();
    match keeping::not_kept(&message).filter(|_| error.code().is_none()) {
        Some(not_kept) => (not_kept.reason, not_kept.advice),
        None => (message, Vec::new()),
    }
}

/// What a notebook can do that a program cannot, or the other way round.
fn hints(error: &CompilationError, missed: Missed<'_>) -> Vec<String> {
    let (code, message) = (error.code().unwrap_or_default(), error.message());
    let missing = message.strip_prefix("cannot find value `").and_then(|rest| rest.split('`').next());
    match missing.filter(|_| code == "E0425") {
        Some(name) => missed(name).into_iter().collect(),
        None => keeping::advice(code, &message),
    }
}
