//! A cell with its corrected lines, at which the compiler has looked.
//!
//! A rule sees what the compiler says of the line that was typed. Other faults of the line show only when the first ones
//! are gone: names are looked at when the syntax is right, and types when the names are. So the corrected cell is
//! checked, and what is still at fault is corrected too, until the compiler has nothing to say.

use super::{Error, ErrorPlace, TypeOf, of_compiler};
use crate::build_step::{CompilerMessage, Diagnostics};
use crate::evaluator::corrections::{self, Known};
use crate::evaluator::places::Places;
use std::collections::BTreeMap;

/// What the compiler says of other code in place of the cell. `None` if it cannot be asked.
pub type Check<'a> = &'a mut dyn FnMut(&str) -> Option<Diagnostics>;

/// How often a corrected cell is checked.
const ROUNDS: usize = 8;

/// What came of the corrections.
pub enum Outcome {
    /// The compiler has nothing more to say of this cell.
    Clean(String),
    /// The compiler still has something to say of some lines of the cell.
    Faulty(BTreeMap<usize, String>),
    /// Nothing was corrected, or the compiler could not be asked.
    Unknown,
}

/// The cell with corrections, from a cell with some corrected lines.
pub fn corrected(
    cell: &str,
    lines: &BTreeMap<usize, String>,
    is_syntax: bool,
    check: Check<'_>,
    type_of: TypeOf<'_>,
) -> Outcome {
    let has_several_lines = cell.trim().contains('\n');
    // A figure is one expression here.
    let faults = [(None, "expected something")];
    let correct = |line: &str| corrections::of_line(line, &Known::of_line(&faults, cell, 1, type_of));
    let figure = corrections::with_figure(cell, &correct);
    let mut text = match &figure {
        Some(figure) => in_rust_layout(figure, &BTreeMap::new(), type_of),
        None if is_syntax && has_several_lines => in_rust_layout(cell, lines, type_of),
        None => with_lines(cell, lines),
    };
    if text == cell {
        return Outcome::Unknown;
    }
    let mut first = None;
    for _ in 0..ROUNDS {
        let Some(said) = check(&text) else { return Outcome::Unknown };
        let errors = errors_about(said, &text);
        if errors.is_empty() {
            // The calls of pyplot that make one plot.
            let one_plot = corrections::with_one_plot(&text);
            let said = (one_plot != text).then(|| check(&one_plot)).flatten();
            let is_plot = said.is_some_and(|said| errors_about(said, &one_plot).is_empty());
            return Outcome::Clean(if is_plot { one_plot } else { text });
        }
        first.get_or_insert_with(|| {
            errors.iter().rev().filter_map(|error| Some((error.line()?, error.message.clone()))).collect()
        });
        match improved(&text, &errors, type_of).or_else(|| left_out(&text, &errors, type_of)) {
            Some(better) => text = better,
            None => break,
        }
    }
    match first {
        // Other lines would be meant where lines were added.
        Some(left) if !(is_syntax && has_several_lines) => Outcome::Faulty(left),
        _ => Outcome::Unknown,
    }
}

/// The errors of a cell.
fn errors_about(said: Diagnostics, text: &str) -> Vec<Error> {
    let said = about_cell(said, text);
    let mut errors = of_compiler(&said, text, &|line, column| (line, column));
    errors.retain(|error| error.line().is_some());
    errors
}

/// What is said of the cell itself. In the code that is checked all variables are used once more behind it: so what is said
/// of a variable that the cell moves away is left out.
fn about_cell(said: Diagnostics, text: &str) -> Diagnostics {
    let places = Places::new(&said.source, text);
    let is_about = |message: &CompilerMessage| {
        let is_in_cell = || message.line().is_some_and(|index| places.in_cell(index + 1, 1).is_some());
        let is_in_loop = || {
            let mut labels = message.spans().iter().filter_map(|span| span["label"].as_str());
            labels.any(|label| label.ends_with("in previous iteration of loop"))
        };
        !matches!(message.code(), "E0381" | "E0382" | "E0505" | "E0597") || is_in_cell() || is_in_loop()
    };
    let messages = CompilerMessage::all(&said.messages).filter(is_about);
    let messages = messages.map(|message| format!("{}\n", message.json())).collect();
    Diagnostics { messages, ..said }
}

/// The cell with corrected lines, each with the indentation that it had.
fn with_lines(cell: &str, lines: &BTreeMap<usize, String>) -> String {
    let texts = cell.lines().enumerate().map(|(index, text)| match lines.get(&(index + 1)) {
        Some(corrected) => format!("{}{corrected}", &text[..text.len() - text.trim_start().len()]),
        None => text.to_owned(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The cell with its corrected lines in the layout of Rust.
fn in_rust_layout(cell: &str, lines: &BTreeMap<usize, String>, type_of: TypeOf<'_>) -> String {
    if !corrections::has_blocks(cell) {
        return corrections::with_semicolons(&with_lines(cell, lines));
    }
    // Each line is Python's.
    let braced = corrections::with_braces(cell);
    let faults = [(None, "expected something")];
    let lines: BTreeMap<usize, String> = braced
        .lines()
        .enumerate()
        .filter_map(|(index, text)| {
            let known = Known::of_line(&faults, &braced, index + 1, type_of);
            Some((index + 1, corrections::of_line(text, &known)?))
        })
        .collect();
    corrections::with_semicolons(&with_lines(&braced, &lines))
}

/// The mark of a line that cannot be corrected.
const LEFT_OUT: &str = "// not translated";

/// What stands in place of such a line. A cell that runs without it would give something else. Functions for devices have no texts.
fn in_place_of(line: &str, is_of_device: bool) -> String {
    if is_of_device { format!("{LEFT_OUT}: {line}") } else { format!("todo!(\"{{}}\", {line:?}); {LEFT_OUT}") }
}

/// A cell of several lines in which those that are still at fault say so when they are reached. `None` if little would be left.
fn left_out(text: &str, errors: &[Error], type_of: TypeOf<'_>) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_at_fault = |index: usize| errors.iter().any(|error| error.line() == Some(index + 1));
    let can_go = |line: &str| {
        let line = line.trim();
        !line.ends_with(['{', '(', '[', ',']) && !line.starts_with(['}', ')', ']', '.'])
    };
    let at_fault: Vec<usize> = (0..lines.len()).filter(|index| is_at_fault(*index)).collect();
    let already = text.matches(LEFT_OUT).count();
    let fits = lines.len() > 2 && 2 * (at_fault.len() + already) <= lines.len();
    if !fits || !at_fault.iter().all(|index| can_go(lines[*index])) {
        return None;
    }
    let others = at_fault.iter().map(|index| {
        let is_of_device = Known::of_line(&[], text, index + 1, type_of).device.is_some();
        (index + 1, in_place_of(lines[*index].trim(), is_of_device))
    });
    Some(with_lines(text, &others.collect()))
}

/// The cell with corrections of the lines that are still at fault.
fn improved(text: &str, errors: &[Error], type_of: TypeOf<'_>) -> Option<String> {
    let mut lines = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let here: Vec<&Error> = errors.iter().filter(|error| error.line() == Some(index + 1)).collect();
        if here.is_empty() {
            continue;
        }
        let faults: Vec<_> = here.iter().flat_map(|error| error.faults()).collect();
        let known = Known::of_line(&faults, text, index + 1, type_of);
        let by_rule = corrections::of_line(line, &known);
        let new = by_rule
            .or_else(|| here.iter().find_map(|error| error.corrected(text)))
            .or_else(|| here.iter().find_map(|error| new_variable(line.trim(), error)));
        let new = new.map(|new| corrections::keeping_arrays(&new, &known));
        lines.extend(new.filter(|new| new != line.trim()).map(|new| (index + 1, new)));
    }
    if !lines.is_empty() {
        return Some(with_lines(text, &lines));
    }
    errors.iter().find_map(|error| {
        made_mutable(text, error)
            .or_else(|| with_result(text, error))
            .or_else(|| gone_through_by_reference(text, error))
            .or_else(|| started_as_float(text, error))
    })
}

/// The cell with the type that a function returns: `fn f(x: &DeviceArray<f64>) -> f64 { x.exp() }`
fn with_result(text: &str, error: &Error) -> Option<String> {
    let found = error.labels.iter().find_map(|label| label.text.split_once("found `")?.1.strip_suffix('`'))?;
    let line = error.labels.iter().find_map(|label| match label.place {
        ErrorPlace::Cell([line, ..]) if label.text.ends_with("because of return type") => Some(line),
        _ => None,
    })?;
    let (before, behind) = text.lines().nth(line - 1)?.split_once("-> ")?;
    let (_, behind) = behind.split_once(" {")?;
    let head = format!("{}-> {found} {{{behind}", before.trim_start());
    Some(with_lines(text, &BTreeMap::from([(line, head)])))
}

/// `x = gpu::zeros(3);` of a variable that has another type.
fn new_variable(line: &str, error: &Error) -> Option<String> {
    let (name, value) = line.split_once('=').filter(|(_, value)| !value.starts_with('='))?;
    let is_assigned = error.code.as_deref() == Some("E0308") && corrections::is_name(name.trim());
    is_assigned.then(|| format!("let {} = {}", name.trim(), value.trim()))
}

/// The cell in which a loop goes through a variable by reference: it would move the variable away.
fn gone_through_by_reference(text: &str, error: &Error) -> Option<String> {
    let is_moved = error.labels.iter().any(|label| label.text.contains("implicit call to `.into_iter()`"));
    let name = error.message.split_once("of moved value: `")?.1.split('`').next()?;
    let head = format!(" in {name} {{");
    (is_moved && text.contains(&head)).then(|| text.replacen(&head, &format!(" in &{name} {{"), 1))
}

/// The cell in which a sum of floats starts as one: `total = 0` before `total += a[i]`.
fn started_as_float(text: &str, error: &Error) -> Option<String> {
    let message = &error.message;
    let is_mixed = message.contains("-assign") && message.contains("`{integer}`");
    let is_float = ["`f64`", "`f32`", "`{float}`"].iter().any(|float| message.contains(float));
    let changed = text.lines().nth(error.line()?.checked_sub(1)?)?.trim_start();
    let name = changed.split([' ', '+', '-', '*', '/']).next().filter(|name| corrections::is_name(name))?;
    let is_start = |line: &str| {
        let value = line.trim().strip_prefix("let ").map(|rest| rest.strip_prefix("mut ").unwrap_or(rest));
        let value =
            value.and_then(|rest| rest.strip_prefix(name)?.trim_start().strip_prefix('=')?.trim().strip_suffix(';'));
        value.is_some_and(|value| value.parse::<i64>().is_ok())
    };
    let at = text.lines().take(error.line()?).position(is_start).filter(|_| is_mixed && is_float)?;
    let line = text.lines().nth(at)?.trim().trim_end_matches(';').to_owned();
    Some(with_lines(text, &BTreeMap::from([(at + 1, format!("{line}.0;"))])))
}

/// The cell with `let mut` where a variable is declared that is changed later.
fn made_mutable(text: &str, error: &Error) -> Option<String> {
    if !matches!(error.code.as_deref(), Some("E0384" | "E0596")) {
        return None;
    }
    let name = error.message.split('`').nth(1)?;
    let declared = [format!("let {name} ="), format!("let {name}:")].into_iter().find(|start| text.contains(start))?;
    Some(text.replacen(&declared, &declared.replacen("let ", "let mut ", 1), 1))
}

/// The lines of a cell that are others now, if none was added.
pub fn changed_lines(cell: &str, new: &str) -> Option<BTreeMap<usize, String>> {
    let pairs = || cell.lines().zip(new.lines());
    if cell.lines().count() != new.lines().count() {
        return None;
    }
    let changed = pairs().enumerate().filter(|(_, (old, new))| old.trim() != new.trim());
    Some(changed.map(|(index, (_, new))| (index + 1, new.trim().to_owned())).collect())
}
