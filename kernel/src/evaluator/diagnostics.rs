//! Compile errors for notebooks: each error once, with the line numbers of the cell and the compiler's help.

use crate::build_step::{CompilerMessage, Diagnostics, is_cell_source};
use crate::evaluator::corrections::{self, Known};
use crate::evaluator::places::Places;
use crate::evaluator::{CellError, advice};
use crate::syntax::{is_word, line_and_column};
use evcxr::CompilationError;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

mod brackets;
mod codes;
mod device_calls;
mod facts;
mod interactions;
mod whole_cell;

pub use brackets::{ONLY_A_BLOCK, unbalanced};
use codes::{OF_NAMES, OF_TYPES};
use device_calls::{DeviceCall, device_call};
pub use facts::{Facts, Locate, Missed, TypeOf};
pub use whole_cell::Check;
use whole_cell::{LONGEST_CELL, MOST_LINES, Outcome, changed_lines, obstacles, say_of_cell};

const RED: &str = "\u{1b}[1;31m";
const BLUE: &str = "\u{1b}[1;34m";
const CYAN: &str = "\u{1b}[1;36m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

/// What may be asked about the notebook.
pub struct Notebook<'a> {
    pub missed: Missed<'a>,
    pub facts: Facts<'a>,
    /// Nothing if other code was compiled than the cell's.
    pub check: Option<Check<'a>>,
}

/// The error of a cell that does not compile. `said` has the last messages of the compiler, and `code` is the code that
/// evcxr got.
pub fn compile_error(
    all: &[CompilationError],
    said: Option<&Diagnostics>,
    cell: &str,
    code: &str,
    locate: Locate<'_>,
    notebook: Notebook<'_>,
) -> CellError {
    let missed = notebook.missed;
    // evcxr's own errors are about variables that it cannot store.
    let is_evcxrs = |error: &CompilationError| error.code().is_none() && advice::not_kept(&error.message()).is_some();
    let said = said.filter(|_| !all.iter().any(is_evcxrs));
    let mut errors = said.map(|said| of_compiler(said, code, locate)).unwrap_or_default();
    if errors.is_empty() {
        errors = all.iter().filter(|error| error.level() != "warning").map(|error| of_evcxr(error, locate)).collect();
    }
    // evcxr compiles some cells in more than one way, and reports what each way found, sometimes without a place.
    let mut distinct: Vec<Error> = Vec::new();
    for error in errors {
        let place = error.place();
        let same = distinct.iter().position(|known| {
            known.message == error.message && (known.place() == place || place.is_none() || known.place().is_none())
        });
        match same {
            Some(at) if place.is_some() && distinct[at].place().is_none() => distinct[at] = error,
            Some(_) => {}
            None => distinct.push(error),
        }
    }
    // A variable that is gone is missed once.
    let mut gone: BTreeSet<String> = BTreeSet::new();
    distinct.retain(|error| error.missed(missed).is_none_or(|hint| gone.insert(hint)));
    correct(&mut distinct, cell, notebook);
    distinct.iter_mut().for_each(|error| interactions::explain(error, cell));
    remove_consequences(&mut distinct);
    let value = distinct.first().map_or_else(|| "the cell does not compile".to_owned(), |error| error.message.clone());
    let mut traceback: Vec<String> = distinct.iter().map(|error| error.render(cell, missed)).collect();
    // The corrected line comes last. `:explain` fails unless it can explain all of them.
    let is_corrected = distinct.iter().any(|error| !error.advice_for(cell, missed).is_empty());
    if !is_corrected && all.iter().all(|error| error.explanation().is_some()) {
        let codes: BTreeSet<&str> = distinct.iter().filter_map(|error| error.code.as_deref()).collect();
        let codes: Vec<&str> = codes.into_iter().collect();
        if !codes.is_empty() {
            traceback.push(format!("`:explain` in the next cell says more about {}.", codes.join(", ")));
        }
    }
    CellError { name: "CompileError".to_owned(), value, traceback }
}

/// Leaves out errors that only follow from another error: errors of types on a line where a name is wrong, and all
/// errors behind an error of the syntax, where the compiler does not know how to read on.
fn remove_consequences(errors: &mut Vec<Error>) {
    let has = |error: &Error, codes: &[&str]| error.code.as_deref().is_some_and(|code| codes.contains(&code));
    let of_names: BTreeSet<usize> =
        errors.iter().filter(|error| has(error, &OF_NAMES)).filter_map(Error::line).collect();
    errors.retain(|error| !(has(error, &OF_TYPES) && error.line().is_some_and(|line| of_names.contains(&line))));
    let syntax = errors.iter().filter(|error| error.is_of_syntax()).filter_map(Error::line).min();
    let mut is_first = true;
    errors.retain(|error| {
        let is_behind = syntax.is_some() && error.line() >= syntax;
        !is_behind || std::mem::take(&mut is_first)
    });
}

/// Adds the corrected lines. The other messages about such a line, and the compiler's own help, would mislead.
fn correct(errors: &mut Vec<Error>, cell: &str, notebook: Notebook<'_>) {
    let Notebook { missed, facts, check } = notebook;
    let lines: BTreeSet<usize> = errors.iter().filter_map(Error::line).collect();
    // A correction does not help if a variable is gone.
    let is_gone = |error: &&Error| {
        let name = error.message.strip_prefix("cannot find value `").and_then(|rest| rest.split('`').next());
        // In a cell of Python a name may get another value.
        let is_given = || name.zip(error.line()).is_some_and(|(name, line)| corrections::is_given(cell, line, name));
        error.missed(missed).is_some() && (corrections::has_rust(cell) || !is_given())
    };
    let gone: BTreeSet<usize> = errors.iter().filter(is_gone).filter_map(Error::line).collect();
    let mut corrected = BTreeMap::new();
    let mut of_more_axes = BTreeMap::new();
    // The compiler's own suggestions: one at a time, so that the others are still to come.
    let mut suggested = BTreeMap::new();
    // Another line is to be corrected than the one that the compiler points to.
    let is_of_another = |error: &&Error| whole_cell::of_another_line(cell, error).is_some();
    let elsewhere: BTreeSet<Option<usize>> = errors.iter().filter(is_of_another).map(Error::line).collect();
    for line in lines.difference(&gone).copied().take(MOST_LINES).filter(|line| !elsewhere.contains(&Some(*line))) {
        let Some(text) = cell.lines().nth(line - 1) else { continue };
        let here: Vec<&Error> = errors.iter().filter(|error| error.line() == Some(line)).collect();
        let faults: Vec<_> = here.iter().flat_map(|error| error.faults()).collect();
        let known = facts.known(&faults, cell, line);
        let by_rule = |rows| corrections::of_line(text, &Known { rows, ..known });
        let of_numbers = || {
            let line = here.iter().find_map(|error| error.with_one_type(cell))?;
            Some(corrections::keeping_arrays(&line, &known))
        };
        if let Some(line_of_rule) = by_rule(false).or_else(of_numbers) {
            of_more_axes.extend(by_rule(true).filter(|rows| *rows != line_of_rule).map(|rows| (line, rows)));
            corrected.insert(line, line_of_rule);
        } else {
            let by_compiler =
                here.iter().filter(|error| !error.is_of_ownership()).find_map(|error| error.suggested(cell));
            suggested.extend(by_compiler.map(|text| (line, text)));
            let instead = corrections::advice(text, &known);
            // The function that would get a parameter begins on another line.
            for error in errors.iter_mut().filter(|error| error.line() == Some(line)) {
                let code = error.code.as_deref().unwrap_or_default();
                let labels: Vec<&str> = error.labels.iter().map(|label| label.text.as_str()).collect();
                let own = advice::of_unseen_variable(code, &error.message, cell, facts.type_of)
                    .or_else(|| advice::of_item_in_pattern(code, &labels, text, facts.source));
                error.advice.extend(own.or_else(|| instead.clone()));
            }
        }
    }
    let is_syntax = errors.iter().any(Error::is_of_syntax);
    // `a?` is for the kernel.
    let is_help = corrected.values().any(|line| line.ends_with('?'));
    let is_python = cell.trim().contains('\n') && !corrections::has_rust(cell);
    let has_way =
        !is_help && (is_python || !corrected.is_empty() || !suggested.is_empty() || is_syntax || !elsewhere.is_empty());
    suggested.extend(corrected.clone());
    let outcome = match check.filter(|_| has_way && gone.is_empty() && cell.len() <= LONGEST_CELL) {
        Some(check) => whole_cell::corrected(cell, &suggested, is_syntax, check, facts),
        None => Outcome::Unknown,
    };
    let mut left = BTreeMap::new();
    let is_as_it_was = |whole: &str| whole.trim_end() == cell.trim_end();
    match outcome {
        // That would say nothing.
        Outcome::Clean(whole) | Outcome::Partly(whole, _) if is_as_it_was(&whole) => {}
        Outcome::Clean(whole) => match changed_lines(cell, &whole) {
            Some(changed) if changed.keys().all(|line| lines.contains(line)) && (changed.len() == 1 || !is_syntax) => {
                of_more_axes.retain(|line, _| changed.get(line) == corrected.get(line));
                corrected = changed;
            }
            _ => {
                say_of_cell(errors, format!("write\n\n{whole}"));
                return;
            }
        },
        Outcome::Partly(whole, reasons) => {
            say_of_cell(errors, format!("write\n\n{whole}\n\nwhere this is still at fault:\n{}", obstacles(&reasons)));
            return;
        }
        Outcome::Hopeless(reasons) => {
            // A part of the cell would not run.
            corrected.retain(|line, _| lines.len() == 1 && !is_syntax && lines.contains(line));
            if corrected.is_empty() && !reasons.is_empty() && errors.iter().all(|error| error.advice.is_empty()) {
                say_of_cell(
                    errors,
                    format!("translate the lines one by one; this has no translation:\n{}", obstacles(&reasons)),
                );
                return;
            }
        }
        Outcome::Faulty(lines) => left = lines,
        Outcome::Unknown => {}
    }
    for (line, text) in corrected {
        let mut advice = format!("write `{text}`");
        if let Some(rows) = of_more_axes.get(&line) {
            let _ = write!(advice, ", or `{rows}` where the array has more axes");
        }
        if let Some(message) = left.get(&line) {
            let _ = write!(advice, "; then the compiler says: {message}");
        }
        let mut is_first = true;
        errors.retain_mut(|error| {
            if error.line() != Some(line) {
                return true;
            }
            if is_first {
                error.children.clear();
                error.advice.push(advice.clone());
            }
            std::mem::take(&mut is_first)
        });
    }
}

/// An error of the compiler's.
struct Error {
    code: Option<String>,
    message: String,
    labels: Vec<Label>,
    /// Notes and help.
    children: Vec<(String, String)>,
    /// Advice that follows from the message.
    advice: Vec<String>,
    /// The changes that the compiler suggests, in one line.
    suggestion: Option<Vec<([usize; 4], String)>>,
}

/// A message about a part of the code.
struct Label {
    place: ErrorPlace,
    text: String,
    is_primary: bool,
}

impl Label {
    /// A message about one character of the cell.
    fn at((line, column): (usize, usize), text: &str, is_primary: bool) -> Label {
        Label { place: ErrorPlace::Cell([line, column, line, column + 1]), text: text.to_owned(), is_primary }
    }
}

/// The place that a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ErrorPlace {
    /// First line and column, last line and column, in the cell.
    Cell([usize; 4]),
    /// A line of an earlier cell.
    Earlier(String),
    /// Something that the user has not written.
    Elsewhere,
}

/// Words that show that a text is not about the user's code.
const NOT_THE_USERS: [&str; 8] = [
    "evcxr",
    "VariableStore",
    "ctx::",
    "run_user_code",
    "/lib.rs",
    "/tmp/",
    "warpcell::cell",
    "catch_unwind(AssertUnwindSafe",
];

/// The beginnings of notes that say nothing of the user's code: lists of types, and what the headline says already.
const UNNECESSARY: [&str; 14] = [
    "the following types implement trait",
    "the following other types implement trait",
    "the following trait bounds were not satisfied",
    "the trait `",
    "the trait bound `",
    "required for `",
    "required by a bound introduced by this call",
    "arguments to this function are incorrect",
    "arguments to this method are incorrect",
    "cannot satisfy `_",
    "see issue #",
    "add `#![feature(",
    "this compiler was built on",
    "if you import `",
];

fn is_the_users(text: &str) -> bool {
    !NOT_THE_USERS.iter().any(|word| text.contains(word))
}

/// A text of the compiler with names as the user writes them. The compiler writes `_` for crates that are imported
/// without a name. The prelude is `gpu` in a cell.
fn readable(text: &str) -> String {
    // What cells import has no path.
    let text = text.replace("warpcell::", "gpu::").replace("gpu::DeviceArray", "DeviceArray");
    let mut result = String::with_capacity(text.len());
    for (index, part) in text.split("_::").enumerate() {
        if index > 0 && result.ends_with(is_word) {
            result.push_str("_::");
        }
        result.push_str(part);
    }
    result
}

/// The errors that the compiler has reported.
fn of_compiler(said: &Diagnostics, code: &str, locate: Locate<'_>) -> Vec<Error> {
    let places = Places::new(&said.source, code);
    let messages = CompilerMessage::errors(&said.messages)
        .filter(|message| !message.text().starts_with("aborting due to"))
        .filter(|message| device_call(message) != Some(DeviceCall::OfNothing));
    let mut errors: Vec<Error> = messages.map(|message| Error::of_compiler(&message, &places, code, locate)).collect();
    // A bracket that the cell leaves open is closed by generated code, or the other way round.
    let is_of_brackets = |error: &&mut Error| error.message.contains(" delimiter") || error.message == ONLY_A_BLOCK;
    if let Some(error) = errors.iter_mut().find(is_of_brackets)
        && let Some((message, found)) = unbalanced(code)
    {
        let label = |(at, text): &(usize, &str), is_primary| {
            let (line, column) = line_and_column(code, *at);
            Label::at(locate(line, column), text, is_primary)
        };
        error.message = message;
        error.labels = found.iter().enumerate().map(|(index, place)| label(place, index == 0)).collect();
        error.children.clear();
    }
    // Errors in generated code follow from errors in the user's code.
    let is_about = |error: &Error| error.labels.iter().any(|label| label.place != ErrorPlace::Elsewhere);
    if errors.iter().any(is_about) {
        errors.retain(is_about);
    }
    errors
}

impl Error {
    fn of_compiler(message: &CompilerMessage, places: &Places, code: &str, locate: Locate<'_>) -> Error {
        let mut text = readable(message.text());
        let mut labels: Vec<Label> = message
            .spans()
            .iter()
            .map(|span| Label {
                place: place_of(span, places, locate),
                text: readable(span["label"].as_str().unwrap_or_default()),
                is_primary: span["is_primary"] == true,
            })
            .filter(|label| is_the_users(&label.text) || label.is_primary)
            .collect();
        let is_about_generated = labels.iter().any(|label| label.is_primary && label.place == ErrorPlace::Elsewhere);
        // Code behind the cell does not interest the user. The cell ended too early.
        if let (true, Some((expected, _))) = (is_about_generated || !is_the_users(&text), text.split_once(", found ")) {
            text = format!("{expected}, found the end of the cell");
            let (line, column) = line_and_column(code, code.trim_end().len());
            labels.retain(|label| label.place != ErrorPlace::Elsewhere && !label.is_primary);
            labels.insert(0, Label::at(locate(line, column.saturating_sub(1).max(1)), "", true));
        }
        labels.retain(|label| label.place != ErrorPlace::Elsewhere);
        // If the message's own place is not in the user's code, the first label has the place.
        if !labels.iter().any(|label| label.is_primary)
            && let Some(first) = labels.first_mut()
        {
            first.is_primary = true;
        }
        // The place itself comes first.
        labels.sort_by_key(|label| !label.is_primary);
        labels.retain(|label| label.is_primary || !UNNECESSARY.contains(&label.text.as_str()));
        let code = Some(message.code()).filter(|code| !code.is_empty()).map(str::to_owned);
        let children = children(message.json(), &|span| Some(place_of(span, places, locate)));
        let suggestion = suggestion(message.json(), &|span| place_of(span, places, locate));
        if let Some(DeviceCall::OfHost { message, help }) = device_call(message) {
            labels.iter_mut().for_each(|label| label.text.clear());
            return Error { advice: vec![help], code: None, message, labels, children: Vec::new(), suggestion: None };
        }
        Error { advice: Vec::new(), code, message: text, labels, children, suggestion }
    }

    /// The place, if it is in the cell or in an earlier cell.
    fn place(&self) -> Option<&ErrorPlace> {
        let first = self.labels.iter().find(|label| label.is_primary).or(self.labels.first());
        first.map(|label| &label.place).filter(|place| **place != ErrorPlace::Elsewhere)
    }

    /// The line of the cell that it is about.
    fn line(&self) -> Option<usize> {
        match self.place()? {
            ErrorPlace::Cell([line, ..]) => Some(*line),
            ErrorPlace::Earlier(_) | ErrorPlace::Elsewhere => None,
        }
    }

    /// Whether the compiler could not read the text. The macros' own errors have no code either.
    fn is_of_syntax(&self) -> bool {
        const STARTS: [&str; 6] = [
            "expected ",
            "unexpected ",
            "unknown start of token",
            "comparison operators",
            "prefix `",
            "mismatched closing",
        ];
        self.is_of_lexer() || self.code.is_none() && STARTS.iter().any(|start| self.message.starts_with(start))
    }

    /// Whether it is about a value that is moved or borrowed: there are several ways out, and the advice names them.
    fn is_of_ownership(&self) -> bool {
        const CODES: [&str; 8] = ["E0373", "E0382", "E0499", "E0502", "E0505", "E0506", "E0507", "E0597"];
        self.code.as_deref().is_some_and(|code| CODES.contains(&code))
    }

    /// Whether the compiler could not read a text in quotes.
    fn is_of_lexer(&self) -> bool {
        self.code.as_deref().is_some_and(|code| matches!(code, "E0758" | "E0762" | "E0763" | "E0765" | "E0766"))
    }

    /// What the compiler says: the message, and what is at its place.
    fn faults(&self) -> Vec<(Option<&str>, &str)> {
        let code = self.code.as_deref().filter(|_| !self.is_of_lexer());
        let labels = self.labels.iter().filter(|label| !label.text.is_empty());
        let is_told = |(level, text): &&(String, String)| level == "note" || text.contains("similar name exists");
        let notes = self.children.iter().filter(is_told).map(|(_, text)| text.as_str());
        let texts = labels.map(|label| label.text.as_str()).chain(notes);
        std::iter::once(self.message.as_str()).chain(texts).map(|text| (code, text)).collect()
    }

    fn render(&self, cell: &str, missed: Missed<'_>) -> String {
        let mut text = String::new();
        let code = self.code.as_ref().map(|code| format!("[{code}]")).unwrap_or_default();
        let _ = writeln!(text, "{RED}error{code}{RESET}{BOLD}: {}{RESET}", self.message);
        let lines: Vec<&str> = cell.lines().collect();
        let mut shown = None;
        for label in &self.labels {
            shown = render_label(&mut text, label, &lines, shown).or(shown);
        }
        if shown.is_none() {
            for label in self.labels.iter().filter(|label| !label.text.is_empty() && label.text != self.message) {
                let _ = writeln!(text, "  {}", label.text);
            }
        }
        // A name like that of a variable that is gone does not help.
        let is_gone = self.missed(missed).is_some();
        for (level, message) in
            self.children.iter().filter(|(_, message)| !(is_gone && message.contains("similar name")))
        {
            let _ = writeln!(text, "{CYAN}{level}{RESET}: {message}");
        }
        let advice = self.advice_for(cell, missed);
        if !advice.is_empty() {
            let _ = writeln!(text, "{}", advice::as_list(&advice));
        }
        text.trim_end().to_owned()
    }

    /// What to do.
    fn advice_for(&self, cell: &str, missed: Missed<'_>) -> Vec<String> {
        if !self.advice.is_empty() {
            return self.advice.clone();
        }
        let line = self.corrected(cell).map(|line| format!("write `{line}`"));
        self.hints(missed).into_iter().chain(line).collect()
    }

    /// The line of the cell without the fault, if the message or the compiler's help says how.
    fn corrected(&self, cell: &str) -> Option<String> {
        self.with_one_type(cell).or_else(|| self.suggested(cell))
    }

    /// The line with numbers of one type, if the error is about numbers of two types.
    fn with_one_type(&self, cell: &str) -> Option<String> {
        let Some(ErrorPlace::Cell([line, column, last_line, end])) = self.place() else { return None };
        let label = self.labels.iter().find(|label| label.is_primary)?;
        match self.code.as_deref()? {
            code @ ("E0277" | "E0369") => corrections::of_operands(code, &self.message, cell, *line, *column),
            "E0308" if line == last_line => corrections::of_expected_number(&label.text, cell, *line, *column..*end),
            _ => None,
        }
    }

    /// The line with the compiler's suggestion.
    fn suggested(&self, cell: &str) -> Option<String> {
        // A call with another number of arguments needs more than one change.
        let mut changes = self.suggestion.clone().filter(|_| self.code.as_deref() != Some("E0061"))?;
        if changes.first().map(|([line, ..], _)| *line) != self.line() {
            return None;
        }
        if changes.iter().any(|([_, column, ..], text)| text == "let " && whole_cell::would_hide(self, cell, *column)) {
            return None;
        }
        changes.sort_by_key(|([_, column, ..], _)| std::cmp::Reverse(*column));
        let mut characters: Vec<char> = cell.lines().nth(changes.first()?.0[0].checked_sub(1)?)?.chars().collect();
        for ([_, start, _, end], text) in changes {
            let range = start.checked_sub(1)?..end.checked_sub(1)?;
            if range.start > range.end || range.end > characters.len() {
                return None;
            }
            characters.splice(range, text.chars());
        }
        // `expected `isize`, found `usize``
        let wanted = self.labels.iter().find_map(|label| label.text.split_once("expected `")?.1.split('`').next());
        let wanted = wanted.filter(|name| matches!(*name, "isize" | "i32" | "i64" | "u32" | "u64")).unwrap_or("usize");
        let cast = format!(" as {wanted}");
        let line = characters.into_iter().collect::<String>().trim().replace(".try_into().unwrap()", &cast);
        // The same once more is no way out.
        if line.contains(&format!("{cast}){cast}")) {
            return None;
        }
        corrections::is_rust(&line).then_some(line)
    }

    /// Advice for notebooks.
    fn hints(&self, missed: Missed<'_>) -> Vec<String> {
        let code = self.code.as_deref().unwrap_or_default();
        self.missed(missed).map_or_else(|| advice::advice(code, &self.message), |hint| vec![hint])
    }

    /// What to say about the variable that is missing.
    fn missed(&self, missed: Missed<'_>) -> Option<String> {
        let code = self.code.as_deref().unwrap_or_default();
        // If a macro, a crate or a module has the same name, the compiler's message is about it.
        let missing = match code {
            "E0425" => self.message.strip_prefix("cannot find value `"),
            "E0423" => self.message.strip_prefix("expected value, found ").and_then(|rest| rest.split('`').nth(1)),
            _ => None,
        };
        missing.and_then(|rest| missed(rest.split(['`', '!']).next()?))
    }
}

/// The place of a span. If a macro wrote the code, the outermost place.
fn place_of(span: &Value, places: &Places, locate: Locate<'_>) -> ErrorPlace {
    let number = |name: &str| span[name].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(1);
    if span["file_name"].as_str().is_some_and(is_cell_source) {
        let (first, last) = (number("line_start"), number("line_end"));
        let (first, last) =
            (places.start_in_cell(first, number("column_start")), places.end_in_cell(last, number("column_end")));
        if let Some((line, column)) = first {
            let (line, column) = locate(line, column);
            // It may end behind the cell.
            let Some((last_line, last_column)) = last else { return ErrorPlace::Cell([line, column, line + 1, 1]) };
            // The end is behind the last character. The end of an expansion may be further on.
            let (last_line, before_end) = locate(last_line, last_column.saturating_sub(1).max(1));
            return ErrorPlace::Cell([line, column, last_line, before_end + 1]);
        }
        if let Some(text) = places.of_earlier_cell(number("line_start")) {
            return ErrorPlace::Earlier(text.to_owned());
        }
    }
    let within = &span["expansion"]["span"];
    if within.is_object() { place_of(within, places, locate) } else { ErrorPlace::Elsewhere }
}

/// An error as evcxr reports it.
fn of_evcxr(error: &CompilationError, locate: Locate<'_>) -> Error {
    let message = error.message();
    let (message, advice) = match advice::not_kept(&message).filter(|_| error.code().is_none()) {
        Some(not_kept) => (not_kept.reason, not_kept.advice),
        None => (readable(&message), Vec::new()),
    };
    let labels = error.spanned_messages().iter().map(|message| Label {
        place: message.span.map_or(ErrorPlace::Elsewhere, |span| {
            let (line, column) = locate(span.start_line, span.start_column);
            let (last_line, last_column) = locate(span.end_line, span.end_column);
            ErrorPlace::Cell([line, column, last_line, last_column])
        }),
        text: readable(&message.label),
        is_primary: message.is_primary,
    });
    let (labels, children) = (labels.collect(), children(&error.json, &|_| None));
    Error { code: error.code().map(str::to_owned), message, labels, children, advice, suggestion: None }
}

/// Shows the line that a message is about with a mark under it. A line that is already shown gets one more mark. Returns
/// the line that is shown, 0 for a line of an earlier cell, and nothing if the message is about none of the user's.
fn render_label(text: &mut String, message: &Label, lines: &[&str], shown: Option<usize>) -> Option<usize> {
    let [line, start, last_line, end] = match &message.place {
        ErrorPlace::Cell(place) => *place,
        ErrorPlace::Earlier(source) => {
            let _ = writeln!(text, " {BLUE}-->{RESET} code of an earlier cell: {source}");
            if !message.text.is_empty() {
                let _ = writeln!(text, "  {}", message.text);
            }
            return Some(0);
        }
        ErrorPlace::Elsewhere => return None,
    };
    let source = lines.get(line - 1)?;
    let width = source.chars().count();
    let start = start.clamp(1, width + 1);
    let end = if last_line == line { end.clamp(start + 1, width.max(start) + 1) } else { width.max(start) + 1 };
    let gutter = line.to_string();
    let blank = " ".repeat(gutter.len());
    let is_new = shown != Some(line);
    if message.is_primary && is_new {
        let _ = writeln!(text, "{blank}{BLUE}-->{RESET} line {line}, column {start}");
    }
    let (mark, colour) = if message.is_primary { ("^", RED) } else { ("-", BLUE) };
    if is_new {
        let _ = writeln!(text, "{BLUE}{gutter} |{RESET} {source}");
    }
    let marks = mark.repeat(end - start);
    let blanks = " ".repeat(start - 1);
    let marked = format!("{BLUE}{blank} |{RESET} {blanks}{colour}{marks} {}", message.text);
    let _ = writeln!(text, "{}{RESET}", marked.trim_end());
    Some(line)
}

/// Help that is right as a rule, though the compiler does not say that it is.
const TRUSTED: [&str; 6] = [
    "use a float literal",
    "consider borrowing",
    "try using a conversion method",
    "try adding a return type",
    "you might have meant to introduce a new binding",
    "you might have meant to use `push`",
];
/// More places to import from than these do not help.
const MOST_IMPORTS: usize = 3;

/// Help that would mislead.
const MISLEADING: [&str; 5] =
    ["remove the extra argument", "escape `", "consider making this binding", "add `;` here", "consider importing"];

/// The change that the compiler suggests, if it is in one line of the cell.
fn suggestion(error: &Value, place: &dyn Fn(&Value) -> ErrorPlace) -> Option<Vec<([usize; 4], String)>> {
    let is_good = |child: &&Value| {
        let text = child["message"].as_str().unwrap_or_default();
        let spans = child["spans"].as_array().map_or(&[][..], Vec::as_slice);
        let is_certain = spans.iter().all(|span| span["suggestion_applicability"] == "MachineApplicable");
        !spans.is_empty()
            && spans.iter().all(|span| span["suggested_replacement"].as_str().is_some_and(is_the_users))
            && !MISLEADING.iter().any(|help| text.starts_with(help))
            && (is_certain || TRUSTED.iter().any(|help| text.starts_with(help)))
    };
    let child = error["children"].as_array()?.iter().find(is_good)?;
    let changes = child["spans"].as_array()?.iter().map(|span| {
        let ErrorPlace::Cell([line, start, last, end]) = place(span) else { return None };
        let is_insertion = span["byte_start"] == span["byte_end"];
        let end = if is_insertion { start } else { end };
        (line == last || is_insertion)
            .then(|| ([line, start, line, end], span["suggested_replacement"].as_str().unwrap_or_default().to_owned()))
    });
    let changes: Vec<([usize; 4], String)> = changes.collect::<Option<_>>()?;
    changes.iter().all(|(place, _)| place[0] == changes[0].0[0]).then_some(changes)
}

/// The compiler's notes and help, in its order.
fn children(error: &Value, place: &dyn Fn(&Value) -> Option<ErrorPlace>) -> Vec<(String, String)> {
    let children = error["children"].as_array().cloned().unwrap_or_default();
    children
        .iter()
        .filter_map(|child| {
            let level = child["level"].as_str()?.to_owned();
            let mut message = readable(child["message"].as_str()?);
            // Notes about generated code or about sources that the user does not have are of no use here.
            if !is_the_users(&message) || UNNECESSARY.iter().any(|start| message.starts_with(start)) {
                return None;
            }
            let at = child["spans"].get(0).and_then(place);
            let is_elsewhere = matches!(at, None | Some(ErrorPlace::Elsewhere));
            let is_of_definition =
                || message.ends_with("defined here") || message.starts_with("required by a bound in `");
            if is_elsewhere && is_of_definition() {
                return None;
            }
            let replacements: Vec<&str> = child["spans"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|span| span["suggested_replacement"].as_str())
                .filter(|replacement| !replacement.trim().is_empty() && !replacement.contains("/*"))
                .collect();
            if message.starts_with("consider importing") {
                // In a cell the prelude is `gpu`. A path does the same as an import.
                let named = replacements.iter().filter_map(|replacement| replacement.trim().strip_prefix("use "));
                let named: Vec<String> = named
                    .map(|path| readable(path.trim_end_matches(';')))
                    .filter(|path| path.contains("::"))
                    .map(|path| format!("`use {path};`"))
                    .collect();
                let text = format!("{message}: {}", named.join(" or "));
                return (1..=MOST_IMPORTS).contains(&named.len()).then_some((level, text));
            }
            if !replacements.iter().all(|replacement| is_the_users(replacement)) {
                return None;
            }
            if let [replacement] = replacements.as_slice() {
                let _ = write!(message, ": `{}`", replacement.trim());
            } else if let Some(ErrorPlace::Earlier(text)) = at {
                let _ = write!(message, " in an earlier cell: `{text}`");
            }
            Some((level, message))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(message: Value, source: &str, cell: &str) -> String {
        let said = Diagnostics { source: source.to_owned(), messages: format!("{message}\n") };
        let place = |line, column| (line, column);
        let errors = of_compiler(&said, cell, &place);
        let texts: Vec<String> = errors.iter().map(|error| error.render(cell, &|_| None)).collect();
        let text = texts.join("\n");
        [RED, BLUE, CYAN, BOLD, RESET].iter().fold(text, |text, colour| text.replace(colour, ""))
    }

    fn span(line: usize, columns: (usize, usize), label: &str) -> Value {
        json!({ "file_name": "src/lib.rs", "line_start": line, "line_end": line, "column_start": columns.0,
                "column_end": columns.1, "label": label, "is_primary": true })
    }

    const SOURCE: &str =
        "fn old(x: f64) {}\npub extern \"C\" fn run_user_code_1(\n(\nmax(1, 2)\n).evcxr_display();\n}\n";

    #[test]
    fn the_headline_is_the_compilers_wherever_the_place_is() {
        let help = json!({ "level": "help", "message": "consider importing this function", "spans":
            [{ "file_name": "src/lib.rs", "line_start": 1, "line_end": 1, "suggested_replacement": "use std::cmp::max;\n" }] });
        let message = json!({ "level": "error", "message": "cannot find function `max` in this scope",
            "code": { "code": "E0425" }, "spans": [span(4, (1, 4), "not found in this scope")], "children": [help] });
        let expected = "error[E0425]: cannot find function `max` in this scope\n --> line 1, column 1\n1 | max(1, 2)\n  \
                        | ^^^ not found in this scope\nhelp: consider importing this function: `use std::cmp::max;`";
        assert_eq!(shown(message, SOURCE, "max(1, 2)"), expected);
    }

    #[test]
    fn nothing_of_the_machinery_shows() {
        let children = json!([
            { "level": "note", "message": "required by a bound in `evcxr_internal_runtime::VariableStore::put_variable`", "spans": [] },
            { "level": "note", "message": "function defined here", "spans": [span(1, (4, 7), "")] },
        ]);
        let message = json!({ "level": "error", "message": "no method `x` for `_::DeviceArray<my_::T>`", "code": null,
            "spans": [span(4, (1, 4), "in `_::DeviceArray`"), span(5, (1, 2), "by `evcxr_display`")], "children": children });
        let text = shown(message, SOURCE, "max(1, 2)");
        assert!(text.starts_with("error: no method `x` for `DeviceArray<my_::T>`\n"), "{text}");
        assert!(text.contains("^^^ in `DeviceArray`") && !text.contains("evcxr"), "{text}");
        assert!(text.ends_with("note: function defined here in an earlier cell: `fn old(x: f64) {}`"), "{text}");
    }

    #[test]
    fn what_is_said_of_the_whole_value_is_shown_at_it() {
        // How it is shown as `Display`, and as `Debug`.
        for shows in ["", "send(&format!(\"{:?}\",&"] {
            let mut whole = span(3, (shows.len() + 1, 2), "");
            (whole["line_end"], whole["label"]) = (json!(5), json!("no float"));
            let message = json!({ "level": "error", "message": "floats are needed", "code": { "code": "E0277" }, "spans": [whole],
                "children": [] });
            let expected = "error[E0277]: floats are needed\n --> line 1, column 3\n1 |   max(1, 2) // of two\n  |   ^^^^^^^^^ no float";
            let source = SOURCE.replace("(\nmax", &format!("{shows}(\nmax"));
            assert_eq!(shown(message, &source, "  max(1, 2) // of two"), expected);
        }
    }

    #[test]
    fn what_the_compiler_misses_behind_the_cell_is_the_end_of_the_cell() {
        let source = SOURCE.replace("max(1, 2)", "1 +");
        let message = json!({ "level": "error", "message": "expected expression, found `)`", "code": null,
            "spans": [span(5, (1, 2), "expected expression")], "children": [] });
        let expected = "error: expected expression, found the end of the cell\n --> line 1, column 3\n1 | 1 +\n  |   ^";
        assert_eq!(shown(message, &source, "1 +"), expected);
    }

    #[test]
    fn brackets_are_counted_in_the_cell() {
        let says =
            |code| unbalanced(code).map(|(message, places)| (message, places.iter().map(|(at, _)| *at).collect()));
        let expected = |message: &str, places: &[usize]| Some((message.to_owned(), places.to_vec()));
        assert_eq!(says("f({1})"), None::<(String, Vec<usize>)>);
        assert_eq!(says("let x = (1;"), expected("this file contains an unclosed delimiter", &[8]));
        assert_eq!(says("a)"), expected("unexpected closing delimiter: `)`", &[1]));
        assert_eq!(says("[1)"), expected("mismatched closing delimiter: `)`", &[2, 0]));
        let message =
            json!({ "level": "error", "message": "mismatched closing delimiter: `}`", "code": null, "spans": [] });
        let text = shown(message, "", "let x = (1;");
        let expected = "error: this file contains an unclosed delimiter\n --> line 1, column 9\n1 | let x = (1;\n  |         ^ unclosed delimiter";
        assert_eq!(text, expected);
    }
}
