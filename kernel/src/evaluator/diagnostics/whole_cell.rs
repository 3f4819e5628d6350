//! A cell with its corrected lines, at which the compiler has looked.
//!
//! A rule sees what the compiler says of the line that was typed. Other faults of the line show only when the first ones
//! are gone: names are looked at when the syntax is right, and types when the names are. So the corrected cell is
//! checked, and what is still at fault is corrected too, until the compiler has nothing to say.

use super::{Error, ErrorPlace, Facts, of_compiler, remove_consequences};
use crate::build_step::{CompilerMessage, Diagnostics};
use crate::evaluator::corrections::{self, Known};
use crate::evaluator::places::Places;
use std::collections::BTreeMap;

/// What the compiler says of other code in place of the cell. `None` if it cannot be asked.
pub type Check<'a> = &'a mut dyn FnMut(&str) -> Option<Diagnostics>;

/// More lines at fault than this are not corrected, nor longer cells as a whole, in bytes: each line is read many times, and for
/// each name in it the cell is searched.
pub const MOST_LINES: usize = 100;
pub const LONGEST_CELL: usize = 10_000;

/// How often a corrected cell is checked.
const ROUNDS: usize = 12;

/// What came of the corrections.
pub enum Outcome {
    /// The compiler has nothing more to say of this cell.
    Clean(String),
    /// The cell is Python's, and some of its lines are still at fault, for these reasons.
    Partly(String, BTreeMap<usize, String>),
    /// The cell is Python's, and most of it cannot be corrected: these lines.
    Hopeless(BTreeMap<usize, String>),
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
    facts: Facts<'_>,
) -> Outcome {
    let has_several_lines = cell.trim().contains('\n');
    let notebook = Python { facts, is_python: !corrections::has_rust(cell) };
    // A statement of Python's in brackets goes on behind the line.
    let joined = if notebook.is_python { corrections::with_joined_lines(cell) } else { cell.to_owned() };
    let none = BTreeMap::new();
    let (cell, lines) = if joined == cell { (cell, lines) } else { (joined.as_str(), &none) };
    let is_python =
        has_several_lines && (notebook.is_python || is_syntax || cell.lines().any(corrections::is_python_line));
    // A figure is one expression here.
    let faults = [(None, "expected something")];
    let correct = |line: &str| corrections::of_line(line, &facts.known(&faults, cell, 1));
    let figure = corrections::with_figure(cell, &correct);
    let mut text = match &figure {
        Some(figure) => in_rust_layout(figure, &BTreeMap::new(), notebook),
        None if is_syntax && has_several_lines => in_rust_layout(cell, lines, notebook),
        None => with_lines(cell, lines),
    };
    text = with_arithmetic(&text, notebook);
    if text == cell && !lines.is_empty() {
        return Outcome::Unknown;
    }
    let mut first = None;
    let mut left_out = LeftOut::default();
    let mut at_fault = Vec::new();
    for _ in 0..ROUNDS {
        let Some(said) = check(&text) else { return Outcome::Unknown };
        let errors = errors_about(said, &text);
        if errors.is_empty() && left_out.lines.is_empty() {
            // Functions of numbers that are called with arrays.
            if let Some(vectorized) = with_vectorized(&text, notebook.facts) {
                text = vectorized;
                continue;
            }
            // The calls of pyplot that make one plot.
            let one_plot = corrections::with_one_plot(&text);
            let said = (one_plot != text).then(|| check(&one_plot)).flatten();
            let is_plot = said.is_some_and(|said| errors_about(said, &one_plot).is_empty());
            return Outcome::Clean(if is_plot { one_plot } else { text });
        }
        let messages =
            || errors.iter().rev().filter_map(|error| Some((error.line()?, error.message.clone()))).collect();
        at_fault = errors.iter().filter_map(|error| Some((error.line()?, error.message.clone()))).collect();
        first.get_or_insert_with(messages);
        let better = improved(&text, &errors, notebook);
        match better.or_else(|| left_out.of(&text, &errors, notebook).filter(|_| is_python)) {
            Some(better) => text = better,
            None => break,
        }
    }
    if is_python {
        at_fault.into_iter().for_each(|(line, message)| left_out.blame(&text, line, message));
        return left_out.outcome(&text);
    }
    match first {
        // Other lines would be meant where lines were added.
        Some(left) if !(is_syntax && has_several_lines) => Outcome::Faulty(left),
        _ => Outcome::Unknown,
    }
}

/// The cell with `#[vectorize]` before the functions that `gpu::map` runs over arrays. One of an earlier cell is written once more.
fn with_vectorized(text: &str, facts: Facts<'_>) -> Option<String> {
    const ATTRIBUTE: &str = "#[vectorize]";
    const ATTRIBUTES: [&str; 3] = [ATTRIBUTE, "#[gpu::vectorize]", "#[warpcell::vectorize]"];
    let called = text.match_indices("gpu::map(").filter_map(|(at, call)| {
        let name = text[at + call.len()..].split(|next: char| !crate::syntax::is_word(next)).next()?;
        (!name.is_empty()).then_some(name)
    });
    let names: std::collections::BTreeSet<&str> = called.filter(|name| *name != "fuse").collect();
    let mut new = text.to_owned();
    for name in names {
        let head = format!("fn {name}(");
        let is_plain = |source: &str| {
            let before = source.find(&head).map_or("", |at| source[..at].trim_end());
            !ATTRIBUTES.iter().any(|one| before.ends_with(one))
        };
        match new.find(&head) {
            Some(at) if is_plain(&new) => new.insert_str(at, &format!("{ATTRIBUTE}\n")),
            Some(_) => {}
            None => {
                let source = (facts.source)(name).filter(|source| is_plain(source))?;
                new = format!("{ATTRIBUTE}\n{source}\n\n{new}");
            }
        }
    }
    (new != text).then_some(new)
}

/// What the rules are told of a cell whose lines are corrected one after another.
#[derive(Clone, Copy)]
struct Python<'a> {
    facts: Facts<'a>,
    /// Whether the cell that was typed has nothing of Rust.
    is_python: bool,
}

impl<'a> Python<'a> {
    fn known(self, faults: &'a [(Option<&'a str>, &'a str)], text: &'a str, line: usize) -> Known<'a> {
        Known { is_python: self.is_python, ..self.facts.known(faults, text, line) }
    }
}

/// The cell with NumPy's arithmetic also in the lines of which the compiler has nothing to say.
fn with_arithmetic(text: &str, notebook: Python<'_>) -> String {
    let lines = text.lines().enumerate().filter_map(|(index, line)| {
        let known = notebook.known(&[], text, index + 1);
        Some((index + 1, corrections::arithmetic_of_line(line.trim(), &known)?))
    });
    with_lines(text, &lines.collect())
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
fn in_rust_layout(cell: &str, lines: &BTreeMap<usize, String>, notebook: Python<'_>) -> String {
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
            let known = notebook.known(&faults, &braced, index + 1);
            Some((index + 1, corrections::of_line(text, &known)?))
        })
        .collect();
    corrections::with_semicolons(&with_lines(&braced, &lines))
}

/// What stands in place of a line that cannot be corrected, while the compiler looks at the others.
const PLACEHOLDER: &str = "todo!();";

/// The lines of a cell that cannot be corrected, each with what the compiler says of it. The other lines are corrected without them.
#[derive(Default)]
struct LeftOut {
    /// As far as they were translated.
    lines: BTreeMap<usize, String>,
    reasons: BTreeMap<usize, String>,
}

impl LeftOut {
    /// The cell without the lines that are still at fault.
    fn of(&mut self, text: &str, errors: &[Error], notebook: Python<'_>) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        let can_go = |line: &str| {
            let line = line.trim();
            !line.ends_with(['{', '(', '[', ',']) && !line.starts_with(['}', ')', ']', '.'])
        };
        let at_fault: BTreeMap<usize, &Error> =
            errors.iter().rev().filter_map(|error| Some((error.line()?, error))).collect();
        if !at_fault.keys().all(|line| lines.get(line - 1).is_some_and(|line| can_go(line))) {
            return None;
        }
        let mut others = BTreeMap::new();
        for (line, error) in at_fault {
            self.blame(text, line, error.message.clone());
            self.lines.insert(line, lines[line - 1].trim().to_owned());
            let is_of_device = notebook.known(&[], text, line).device.is_some();
            others.insert(line, if is_of_device { String::new() } else { PLACEHOLDER.to_owned() });
        }
        Some(with_lines(text, &others)).filter(|new| new != text)
    }

    /// Notes what is wrong with a line, unless it only lacks what a line that is left out would give.
    fn blame(&mut self, text: &str, line: usize, message: String) {
        let missing = message.strip_prefix("cannot find value `").and_then(|rest| rest.split('`').next());
        let gives = |line: &String, name: &str| {
            let target = line.split('=').next().unwrap_or_default();
            target.split(|sign: char| !crate::syntax::is_word(sign)).any(|word| word == name)
        };
        let follows = missing.is_some_and(|name| self.lines.values().any(|line| gives(line, name)));
        if let Some(typed) = text.lines().nth(line - 1).filter(|_| !follows) {
            self.reasons.entry(line).or_insert_with(|| format!("`{}`: {message}", typed.trim()));
        }
    }

    /// The cell with the lines that were left out, as far as they are translated.
    fn outcome(self, text: &str) -> Outcome {
        let whole = with_lines(text, &self.lines);
        let count = whole.lines().filter(|line| !line.trim().is_empty()).count();
        // A statement of Python's that Rust does not have.
        let is_statement = |line: &&str| line.trim().ends_with(':') && !line.trim().starts_with("//");
        if self.reasons.is_empty()
            || 2 * self.reasons.len() > count + 1
            || whole.lines().any(|line| is_statement(&line))
        {
            return Outcome::Hopeless(self.reasons);
        }
        Outcome::Partly(whole, self.reasons)
    }
}

/// The cell with corrections of the lines that are still at fault.
fn improved(text: &str, errors: &[Error], notebook: Python<'_>) -> Option<String> {
    let mut lines = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let here: Vec<&Error> = errors.iter().filter(|error| error.line() == Some(index + 1)).collect();
        if here.is_empty() {
            continue;
        }
        let faults: Vec<_> = here.iter().flat_map(|error| error.faults()).collect();
        let known = notebook.known(&faults, text, index + 1);
        let by_rule = corrections::of_line(line, &known);
        let new = by_rule
            .or_else(|| here.iter().find_map(|error| error.corrected(text)))
            .or_else(|| here.iter().find_map(|error| new_variable(text, line.trim(), error)));
        let new = new.map(|new| corrections::keeping_arrays(&new, &known));
        lines.extend(new.filter(|new| new != line.trim()).map(|new| (index + 1, new)));
    }
    if !lines.is_empty() {
        return Some(with_lines(text, &lines));
    }
    // Statements on lines behind one another.
    if notebook.is_python && errors.iter().any(|error| error.message.starts_with("expected `;`, found")) {
        let ended = corrections::with_semicolons(text);
        return (ended != text).then_some(ended);
    }
    errors.iter().find_map(|error| {
        of_another_line(text, error)
            .or_else(|| with_result(text, error))
            .or_else(|| gone_through_by_reference(text, error))
            .or_else(|| made_mutable_before(text, error, notebook.facts))
    })
}

/// The cell in which another line is corrected than the one that the compiler points to: where a number or a parameter is declared.
pub fn of_another_line(text: &str, error: &Error) -> Option<String> {
    started_as_float(text, error)
        .or_else(|| declared_as_float(text, error))
        .or_else(|| with_mutable_parameter(text, error))
        .or_else(|| made_mutable(text, error))
}

/// The cell with the type that a function returns: `fn f(x: &DeviceArray<f64>) -> f64 { x.exp() }`
fn with_result(text: &str, error: &Error) -> Option<String> {
    let found = error.labels.iter().find_map(|label| label.text.split_once("found `")?.1.strip_suffix('`'))?;
    let found = found.replace("{float}", "f64").replace("{integer}", "i32");
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
fn new_variable(text: &str, line: &str, error: &Error) -> Option<String> {
    let (name, value) = line.split_once('=').filter(|(_, value)| !value.starts_with('='))?;
    let is_assigned = error.code.as_deref() == Some("E0308") && corrections::is_name(name.trim());
    let is_inner = || corrections::is_of_outer_block(text, error.line().unwrap_or_default(), false, name.trim());
    (is_assigned && !is_inner()).then(|| format!("let {} = {}", name.trim(), value.trim()))
}

/// Whether a `let` at a column of the line of an error would hide the variable, of a block around, that the compiler does not find yet.
pub fn would_hide(error: &Error, cell: &str, column: usize) -> bool {
    let name = error.message.strip_prefix("cannot find value `").and_then(|rest| rest.split('`').next());
    let Some((line, name)) = error.line().zip(name) else { return false };
    let text = cell.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let is_within = text.chars().take(column).any(|before| before == '{');
    corrections::is_of_outer_block(cell, line, is_within, name)
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
    let mut texts = error.labels.iter().map(|label| label.text.as_str()).chain([message.as_str()]);
    let floats = ["`f64`", "`f32`", "`{float}`", "floating-point number"];
    let is_float = texts.any(|text| floats.iter().any(|float| text.contains(float)));
    let changed = text.lines().nth(error.line()?.checked_sub(1)?)?.trim_start();
    let name = changed.split([' ', '+', '-', '*', '/']).next().filter(|name| corrections::is_name(name))?;
    // `total += x`, and `total = total + x`
    let is_sum = message.contains("-assign") || changed.starts_with(&format!("{name} = {name} "));
    let is_mixed = is_sum && message.contains("`{integer}`")
        || error.code.as_deref() == Some("E0308")
            && changed.starts_with(&format!("{name} = "))
            && error.labels.iter().any(|label| label.text.starts_with("expected integer, found "));
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

/// The cell in which the type of a number is given that a method is called on: `let theta = 0.5_f64;`
fn declared_as_float(text: &str, error: &Error) -> Option<String> {
    let (_, type_name) =
        error.message.strip_prefix("can't call method `")?.split_once("` on ambiguous numeric type `")?;
    let suffix = if type_name.starts_with("{float}") { "_f64" } else { "_i32" };
    let method = error.message.strip_prefix("can't call method `")?.split('`').next()?;
    let line = text.lines().nth(error.line()?.checked_sub(1)?)?;
    let object = &line[..line.find(&format!(".{method}("))?];
    let start = object.rfind(|character| !crate::syntax::is_word(character)).map_or(0, |at| at + 1);
    let name = Some(&object[start..]).filter(|name| corrections::is_name(name))?;
    let number = |line: &str| {
        let value = line.trim().strip_prefix("let ")?;
        let value = value.strip_prefix("mut ").unwrap_or(value).strip_prefix(name)?.trim_start().strip_prefix('=')?;
        let value = value.trim().strip_suffix(';')?;
        value.parse::<f64>().is_ok().then(|| value.to_owned())
    };
    let at = text.lines().take(error.line()?).position(|line| number(line).is_some())?;
    let value = text.lines().nth(at).and_then(number)?;
    let declaration = text.lines().nth(at)?.trim().replacen(&format!("{value};"), &format!("{value}{suffix};"), 1);
    Some(with_lines(text, &BTreeMap::from([(at + 1, declaration)])))
}

/// The cell with `let mut` where a variable is declared that is changed later.
fn made_mutable(text: &str, error: &Error) -> Option<String> {
    if !matches!(error.code.as_deref(), Some("E0384" | "E0596")) {
        return None;
    }
    let name = error.message.split('`').nth(1)?;
    let mutable = format!("mut {name}");
    let declared = [format!("let {name} ="), format!("let {name}:")].into_iter().find(|start| text.contains(start));
    if let Some(declared) = declared {
        return Some(text.replacen(&declared, &declared.replacen("let ", "let mut ", 1), 1));
    }
    // `let (a, b) = …`
    let in_pattern = [(format!("let ({name}, "), '('), (format!(", {name}) ="), ' '), (format!(", {name}, "), ' ')];
    in_pattern.into_iter().find_map(|(declared, before)| {
        let is_declared = |line: &&str| line.trim_start().starts_with("let (") && line.contains(&declared);
        let line = text.lines().find(is_declared)?;
        let new = line.replacen(
            &declared,
            &declared.replacen(&format!("{before}{name}"), &format!("{before}{mutable}"), 1),
            1,
        );
        Some(text.replacen(line, &new, 1))
    })
}

/// The cell in which a parameter is made mutable: `fn f(mut a: f64) { a += 1.0; … }`
fn with_mutable_parameter(text: &str, error: &Error) -> Option<String> {
    let at = error.line()?;
    // A line that is not indented is the notebook's, if it is not the head itself.
    let in_function = |line: &str| line.starts_with([' ', '\t']) || line.contains("fn ");
    let is_parameters = match error.code.as_deref()? {
        "E0384" => error.message.contains("immutable argument"),
        "E0596" => text.lines().nth(at.checked_sub(1)?).is_some_and(in_function),
        _ => false,
    };
    let name = error.message.split('`').nth(1).filter(|_| is_parameters)?;
    let head = text.lines().take(at).filter(|line| line.contains("fn ")).last()?;
    let start =
        [format!("({name}: "), format!(", {name}: ")].into_iter().find(|start| head.contains(start.as_str()))?;
    let declared = text.contains(&format!("let {name}"));
    (!declared)
        .then(|| text.replacen(head, &head.replacen(&start, &start.replacen(name, &format!("mut {name}"), 1), 1), 1))
}

/// The cell in which a variable of the notebook is made mutable, before all else.
fn made_mutable_before(text: &str, error: &Error, facts: Facts<'_>) -> Option<String> {
    let name = error.message.split('`').nth(1).filter(|_| error.code.as_deref() == Some("E0596"))?;
    let made = format!("let mut {name} = {name};");
    // Before the whole cell: in a block the new variable would end with it.
    let at = text.lines().position(|line| !line.trim().is_empty())? + 1;
    let line = text.lines().nth(at - 1)?.trim();
    let is_new = (facts.type_of)(name).is_some() && !text.contains(&made);
    is_new.then(|| with_lines(text, &BTreeMap::from([(at, format!("{made} {line}"))])))
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

/// Which lines cannot be translated, and why.
pub fn obstacles(reasons: &BTreeMap<usize, String>) -> String {
    reasons.iter().map(|(line, reason)| format!("line {line}, {reason}")).collect::<Vec<_>>().join("\n")
}

/// Says what to do with the whole cell, once. The empty lines above it stand for a magic or for other parts of it.
pub fn say_of_cell(errors: &mut Vec<Error>, advice: String) {
    let advice = match advice.strip_prefix("write\n\n") {
        Some(cell) => format!("write\n\n{}", cell.trim_start_matches('\n')),
        None => advice,
    };
    remove_consequences(errors);
    if let Some(last) = errors.last_mut() {
        last.children.clear();
        last.advice = vec![advice];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_run_over_arrays_have_the_attribute_once() {
        let function = "fn f(x: f64) -> f64 { x * x }";
        let call = "gpu::map(f, &a)";
        let none = Facts::default();
        for attribute in ["#[vectorize]", "#[gpu::vectorize]", "#[warpcell::vectorize]"] {
            for between in ["\n", " "] {
                let cell = format!("{attribute}{between}{function}\n{call}");
                assert_eq!(with_vectorized(&cell, none), None, "{cell}");
            }
            let source = |_: &str| Some(format!("{attribute}\n{function}"));
            assert_eq!(with_vectorized(call, Facts { source: &source, ..none }), None, "{attribute}");
        }
        let new = with_vectorized(&format!("{function}\n{call}"), none);
        assert_eq!(new, Some(format!("#[vectorize]\n{function}\n{call}")));
        let source = |_: &str| Some(function.to_owned());
        let new = with_vectorized(call, Facts { source: &source, ..none });
        assert_eq!(new, Some(format!("#[vectorize]\n{function}\n\n{call}")));
    }
}
