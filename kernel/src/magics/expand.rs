//! Finds the magics of a cell and calls the handlers of the table.

use super::action::Action;
use super::lexer::{CellToken, CellTokenKind, tokens, word_length};
use super::magic::{Arguments, CellCall, CellHandler, LineCall, LineHandler, Magic, TextCell};
use super::notebook::Notebook;
use super::rewrite::{Edit, Rewrite};
use super::usage::UsageError;
use super::{question, reference, shell, table, unknown, values};
use crate::syntax::blank;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The result of expanding a cell.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// Rust for evcxr: as many lines as the cell, each of the user's statements on its line.
    pub code: String,
    /// Whether the code measures times, and so is compiled with full optimisation and without debug assertions.
    pub timed: bool,
    /// Whether it is sampled, and so compiled with the names and lines of its functions.
    pub profiled: bool,
    /// Actions of the kernel before the code runs.
    pub before: Vec<Action>,
    /// Actions of the kernel after the code has run without an error.
    pub after: Vec<Action>,
    layers: Vec<Rewrite>,
}

impl Expansion {
    /// The offset in `code` of an offset in the cell. `None` inside a magic's word and similar text.
    pub fn code_offset(&self, offset: usize) -> Option<usize> {
        self.layers.iter().try_fold(offset, |offset, layer| layer.result_offset(offset))
    }

    /// The offset in the cell of an offset in `code`. For inserted text it is the position of the insertion.
    pub fn original_offset(&self, offset: usize) -> usize {
        self.layers.iter().rev().fold(offset, |offset, layer| layer.original_offset(offset))
    }
}

/// Expands the magics of a cell. A cell without magics is returned unchanged.
///
/// # Errors
/// A magic that does not exist or is used wrongly.
pub fn expand(cell: &str, notebook: &Notebook) -> Result<Expansion, UsageError> {
    let mut expansion = Expansion::default();
    let mut edits = Vec::new();
    let mut cell_magic = None;
    for place in places(cell, notebook) {
        match place.form {
            Form::Shell => {
                let line = &cell[place.word.clone()];
                let notebook = above(cell, &place, notebook);
                let code = match shell::assigned(line, &|_| false) {
                    Some(line) => shell::assignment(&line, &notebook).map_err(|message| place.error(cell, message))?,
                    None => shell::command(line, &notebook),
                };
                edits.push(Edit::replace(place.word, code));
                continue;
            }
            Form::Question => {
                if let Some(action) = question::action(&cell[place.word.clone()]) {
                    expansion.after.push(action.of_line(&cell[place.word.clone()]));
                    edits.push(Edit::replace(place.word, ""));
                }
                continue;
            }
            Form::Line | Form::Cell => {}
        }
        let Some(magic) = place.magic else {
            if place.commented || place.name.is_empty() {
                continue;
            }
            return Err(place.error(cell, unknown::message(place.form, place.name)));
        };
        if let Some(action) = place.asks_help(cell) {
            let whole = place.whole();
            expansion.before.push(action.of_line(&cell[whole.clone()]));
            edits.push(Edit::replace(whole, ""));
            continue;
        }
        if place.form == Form::Line && !place.takes_whole_cell() {
            expand_line(cell, &place, magic, notebook, &mut edits, &mut expansion)?;
            continue;
        }
        let Some(handler) = magic.cell else {
            return Err(place.error(cell, format!("there is no `%%{0}`; write `%{0}`", magic.name)));
        };
        if !place.first {
            return Err(place.error(cell, format!("`%%{}` must be on the first line of the cell", magic.name)));
        }
        match handler {
            CellHandler::Text(_) | CellHandler::Whole(_) => {
                let body = cell[place.word.end..].split_once('\n').map_or("", |(_, body)| body);
                if let Some(message) = of_another_language(magic, body) {
                    return Err(place.error(cell, message));
                }
                let outcome = Arguments::parse(&cell[place.arguments.clone()], magic.options)
                    .and_then(|arguments| match handler {
                        CellHandler::Text(handler) => handler(&arguments, body, notebook),
                        CellHandler::Whole(handler) => {
                            let above = cell[..place.word.end].matches('\n').count() + 1;
                            handler(&arguments, &format!("{}{body}", "\n".repeat(above))).map(TextCell::Act)
                        }
                        CellHandler::Timed(_) | CellHandler::Profiled(_) | CellHandler::Rust(_) => {
                            unreachable!("these take no text")
                        }
                    })
                    .map_err(|message| place.usage_error(cell, magic, &message))?;
                let code = match outcome {
                    TextCell::Code(code) => code,
                    TextCell::Act(action) => {
                        expansion.before.push(action.of_line(&cell[place.whole()]));
                        "\n".repeat(cell[place.word.start..].matches('\n').count())
                    }
                };
                edits.push(Edit::replace(place.word.start..cell.len(), code));
            }
            CellHandler::Timed(_) | CellHandler::Profiled(_) | CellHandler::Rust(_) if place.unclosed => {
                let message = "a bracket, string or comment is not closed on its line";
                return Err(place.usage_error(cell, magic, message));
            }
            CellHandler::Timed(handler) | CellHandler::Profiled(handler) | CellHandler::Rust(handler) => {
                cell_magic = Some((place, magic, handler));
            }
        }
    }
    expansion.add(cell, edits);
    if let Some((place, magic, handler)) = cell_magic {
        let text = std::mem::take(&mut expansion.code);
        let edits = handler(&cell_call(&text, &place)).map_err(|message| place.usage_error(cell, magic, &message))?;
        expansion.add(&text, edits);
        expansion.profiled |= matches!(magic.cell, Some(CellHandler::Profiled(_)));
        expansion.timed |= matches!(magic.cell, Some(CellHandler::Timed(_) | CellHandler::Profiled(_)));
    }
    Ok(expansion)
}

impl Expansion {
    fn add(&mut self, text: &str, edits: Vec<Edit>) {
        let (code, layer) = Rewrite::apply(text, edits);
        self.code = code;
        self.layers.push(layer);
    }

    /// Inserts statements before the statements of the cell, on the line of the first one. evcxr takes its `:commands`
    /// only above any Rust code.
    pub fn precede(&mut self, statements: &str) {
        let mut at = 0;
        for line in self.code.split_inclusive('\n') {
            let text = line.trim_start();
            if !(text.is_empty() || text.starts_with("//") || text.starts_with(':') || line.starts_with('!')) {
                break;
            }
            at += line.len();
        }
        let code = std::mem::take(&mut self.code);
        self.add(&code, vec![Edit::insert(at, statements)]);
    }
}

/// The range of the magic's word (`%ti`, `//%%time`, a bare `%`) that ends at a byte offset or contains it.
///
/// Completion and inspection use it. The word need not be a complete name.
pub fn word_at(cell: &str, cursor: usize) -> Option<Range<usize>> {
    let is_magic = |place: &MagicPlace<'_>| matches!(place.form, Form::Line | Form::Cell);
    let holds = |place: &MagicPlace<'_>| is_magic(place) && place.word.start < cursor && cursor <= place.word.end;
    places(cell, &Notebook::default()).into_iter().find(holds).map(|place| place.word)
}

fn expand_line(
    cell: &str,
    place: &MagicPlace<'_>,
    magic: &'static Magic,
    notebook: &Notebook,
    edits: &mut Vec<Edit>,
    expansion: &mut Expansion,
) -> Result<(), UsageError> {
    let Some(handler) = magic.line else {
        return Err(place.error(cell, format!("there is no `%{0}`; write `%%{0}`", magic.name)));
    };
    let fail = |message: String| place.usage_error(cell, magic, &message);
    let arguments = &cell[place.arguments.clone()];
    if place.unfinished && !matches!(handler, LineHandler::Action(_)) {
        return Err(fail("the statement before it is unfinished; end it with `;`".into()));
    }
    let whole = place.whole();
    match handler {
        LineHandler::Action(act) => {
            let arguments = Arguments::parse(arguments, magic.options).map_err(fail)?;
            let action = act(&arguments, notebook).map_err(fail)?;
            expansion.before.push(action.of_line(&cell[whole.clone()]));
            edits.push(Edit::replace(whole, ""));
        }
        LineHandler::Line(to_code) | LineHandler::Variables(to_code) => {
            if commands_follow(cell, whole.end) && is_leading(cell, whole.start) {
                return Err(fail("commands of evcxr, such as `:dep`, must stand above it".into()));
            }
            let arguments = Arguments::parse(arguments, magic.options).map_err(fail)?;
            let notebook = above(cell, place, notebook);
            edits.push(Edit::replace(whole, to_code(&arguments, &notebook).map_err(fail)?));
        }
        LineHandler::Rust(wrap) | LineHandler::Profiled(wrap) => {
            if place.unclosed {
                let mut error = fail("a bracket, string or comment is not closed".into());
                error.incomplete = !place.commented;
                return Err(error);
            }
            let shows_value = place.depth == 0 && is_trivia(&cell[place.arguments.end..]);
            let wrap = wrap(&LineCall { arguments, shows_value }).map_err(fail)?;
            edits.push(Edit::replace(place.word.clone(), wrap.before));
            edits.extend(wrap.edits.into_iter().map(|edit| edit.shifted(place.arguments.start)));
            edits.push(Edit::insert(place.arguments.end, wrap.after));
            expansion.timed = true;
            expansion.profiled |= matches!(handler, LineHandler::Profiled(_));
        }
    }
    Ok(())
}

/// The notebook, with what the cell binds above a line whose text may have values.
fn above<'a>(cell: &str, place: &MagicPlace<'_>, notebook: &'a Notebook) -> Cow<'a, Notebook> {
    let end = cell[place.word.start..].find('\n').map_or(cell.len(), |at| place.word.start + at);
    if !cell[place.word.start..end].contains(['{', '$', '=']) {
        return Cow::Borrowed(notebook);
    }
    let is_shell = |line: &&str| line.starts_with('!') && !line.contains('=');
    let code: Vec<&str> = cell[..place.word.start].lines().filter(|line| !is_shell(line)).collect();
    Cow::Owned(Notebook { above: values::bound_in(&code.join("\n")), ..notebook.clone() })
}

fn cell_call<'a>(text: &'a str, place: &MagicPlace<'_>) -> CellCall<'a> {
    let line_end = |from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at);
    let first_line = place.word.start..place.arguments.end;
    let (mut opening, mut start) = (first_line.start, line_end(first_line.end));
    let mut at = start;
    while at < text.len() {
        let line = &text[at + 1..line_end(at + 1)];
        let trimmed = line.trim_start();
        if is_command(line) {
            (opening, start) = (line_end(at + 1) + 1, line_end(at + 1) + 1);
        } else if !trimmed.is_empty() && !trimmed.starts_with("//") {
            break;
        }
        at = line_end(at + 1);
    }
    (opening, start) = (opening.min(text.len()), start.min(text.len()));
    let end = tokens(text, start).filter(|token| !token.kind.is_trivia()).last().map_or(start, |token| token.range.end);
    CellCall { text, arguments: &text[place.arguments.clone()], first_line, opening, code: start..end }
}

/// A magic, a word that looks like a magic, or another line that is not Rust.
pub(super) struct MagicPlace<'a> {
    /// The word with percent signs and slashes; of a shell line or question, the whole line.
    pub word: Range<usize>,
    name: &'a str,
    pub form: Form,
    /// `None` for an unknown name.
    pub magic: Option<&'static Magic>,
    /// Spelled `//%`.
    commented: bool,
    /// Inside a statement that has not ended.
    pub unfinished: bool,
    /// No code and no other magic stands before it.
    pub first: bool,
    /// The number of open brackets around it.
    pub depth: usize,
    pub arguments: Range<usize>,
    /// The arguments end inside a bracket, string or comment.
    pub unclosed: bool,
}

/// What kind of line stands at a [`MagicPlace`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `%name`.
    Line,
    /// `%%name`.
    Cell,
    /// `!command`.
    Shell,
    /// `name?`.
    Question,
}

impl Form {
    /// The percent signs before the name.
    pub fn percent(self) -> &'static str {
        match self {
            Form::Line => "%",
            Form::Cell => "%%",
            Form::Shell | Form::Question => "",
        }
    }
}

impl<'a> MagicPlace<'a> {
    fn line(line: Range<usize>, form: Form) -> MagicPlace<'a> {
        let arguments = line.end..line.end;
        let (commented, unfinished, first, depth, unclosed) = (false, false, false, 0, false);
        MagicPlace { word: line, name: "", form, magic: None, commented, unfinished, first, depth, arguments, unclosed }
    }

    /// Whether it takes the whole cell, although it is written as a line.
    fn takes_whole_cell(&self) -> bool {
        self.magic.is_some_and(takes_whole_cell)
    }

    /// Its word with its arguments.
    fn whole(&self) -> Range<usize> {
        self.word.start..self.arguments.end
    }

    /// Whether the cell below it is not code that runs.
    pub fn takes_all(&self) -> bool {
        let takes_all = self.magic.is_some_and(|magic| magic.cell.is_some_and(CellHandler::takes_all));
        takes_all && self.first && (self.form == Form::Cell || self.takes_whole_cell())
    }

    /// Whether the kernel itself does what the line says, so that nothing of it is compiled.
    pub fn is_action(&self) -> bool {
        self.form == Form::Line && self.magic.is_some_and(|magic| matches!(magic.line, Some(LineHandler::Action(_))))
    }

    /// What shows the help, if the line asks for it.
    pub fn asks_help(&self, cell: &str) -> Option<Action> {
        match &cell[self.arguments.clone()] {
            "?" | "??" => reference::help(self.name).map(Action::page),
            _ => None,
        }
    }

    fn error(&self, cell: &str, message: String) -> UsageError {
        let line = 1 + cell[..self.word.start].matches('\n').count();
        UsageError { line, message, incomplete: false }
    }

    /// An error that shows how the magic is used.
    pub fn usage_error(&self, cell: &str, magic: &Magic, message: &str) -> UsageError {
        let percent = self.form.percent();
        let mut text = format!("`{percent}{}`: {message}", magic.name);
        let is_cell = self.form == Form::Cell || self.takes_whole_cell();
        for usage in magic.usage.lines().filter(|usage| usage.starts_with("%%") == is_cell) {
            text += &format!("\nUsage: {usage}");
        }
        text += &format!("\n`%{}?` shows more.", magic.name);
        self.error(cell, text)
    }
}

/// What a part of a cell is that is not Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A magic's word, a line for the shell or for evcxr, a question.
    Magic,
    /// The text below a magic such as `%%bash`.
    Text,
}

/// The parts of a cell that are not Rust, in order, for its colours. What the notebook defines is not known here.
pub fn foreign(cell: &str) -> Vec<(Range<usize>, Foreign)> {
    let mut found = leading_commands(cell);
    for place in places(cell, &Notebook::default()) {
        let line_end = cell[place.word.end..].find('\n').map_or(cell.len(), |at| place.word.end + at);
        match (place.form, place.magic) {
            (Form::Line | Form::Cell, _) if place.name.is_empty() => {}
            (Form::Cell, Some(Magic { cell: Some(CellHandler::Text(_)), .. })) => {
                found.push((place.word.start..line_end, Foreign::Magic));
                found.push((line_end..cell.len(), Foreign::Text));
            }
            (Form::Line, Some(Magic { line: Some(LineHandler::Rust(_) | LineHandler::Profiled(_)), .. }))
            | (Form::Cell, _) => {
                found.push((place.word, Foreign::Magic));
            }
            _ => found.push((place.word.start..place.arguments.end.max(place.word.end), Foreign::Magic)),
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    let mut end = 0;
    found.retain(|(range, _)| {
        let is_behind = range.start >= end;
        end = end.max(range.end);
        is_behind
    });
    found
}

/// The cell with blanks in place of a text that is not Rust, such as that below `%%bash`.
pub fn without_text(cell: &str) -> Cow<'_, str> {
    if !cell.contains("%%") {
        return Cow::Borrowed(cell);
    }
    let is_text = |(range, kind): (Range<usize>, Foreign)| (kind == Foreign::Text).then_some(range);
    match foreign(cell).into_iter().find_map(is_text) {
        Some(text) => Cow::Owned(format!("{}{}", &cell[..text.start], blank(&cell[text]))),
        None => Cow::Borrowed(cell),
    }
}

/// The lines above all code that evcxr takes, such as `:dep`.
fn leading_commands(cell: &str) -> Vec<(Range<usize>, Foreign)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in cell.split_inclusive('\n') {
        let text = line.trim();
        if text.starts_with(':') {
            found.push((start..start + line.trim_end().len(), Foreign::Magic));
        } else if !(text.is_empty() || text.starts_with("//") || text.starts_with(['%', '!'])) {
            break;
        }
        start += line.len();
    }
    found
}

/// The magics of a cell, the unknown words where a magic could stand, shell lines and questions, in order.
pub(super) fn places<'a>(cell: &'a str, notebook: &Notebook) -> Vec<MagicPlace<'a>> {
    let mut found: Vec<MagicPlace<'_>> = Vec::new();
    let mut brackets: Vec<char> = Vec::new();
    let mut words: HashSet<&str> = HashSet::new();
    let (mut line_start, mut unfinished, mut seen_code) = (true, false, false);
    let mut at = 0;
    while at < cell.len() {
        if line_start && (at == 0 || cell[..at].ends_with('\n')) {
            let line = cell[at..].lines().next().unwrap_or("");
            let whole = at..at + line.len();
            let leads = !seen_code && is_command(line);
            let could_be = !unfinished && brackets.is_empty();
            let known = |name: &str| notebook.knows(name) || words.contains(name);
            let is_shell = line.starts_with('!')
                && match leads {
                    // The evaluator runs such lines before the commands.
                    true => !commands_follow(cell, whole.end) && !cell_magic_follows(cell, whole.end),
                    false => could_be && shell::is_command(line, &known),
                };
            let assigned = if could_be { shell::assigned(line, &known) } else { None };
            if let Some(assigned) = assigned {
                words.insert(assigned.name);
                found.push(MagicPlace::line(whole.clone(), Form::Shell));
                (seen_code, at) = (true, whole.end);
                continue;
            }
            let asks = could_be && question::asked(line).is_some() && !chain_follows(cell, whole.end);
            if is_shell {
                found.push(MagicPlace::line(whole.clone(), Form::Shell));
            } else if asks {
                found.push(MagicPlace::line(whole.clone(), Form::Question));
            }
            if leads || is_shell || asks {
                at = whole.end;
                continue;
            }
        }
        let Some(token) = tokens(cell, at).next() else { break };
        at = token.range.end;
        let could_be = line_start && !matches!(brackets.last(), Some('(' | '['));
        if could_be && let Some(mut place) = place(cell, &token, unfinished) {
            place.depth = brackets.len();
            place.first = !seen_code && found.is_empty();
            at = place.arguments.end.max(place.word.end);
            if place.form == Form::Line && place.magic.is_some_and(|magic| magic.line.is_some()) && !place.is_action() {
                (unfinished, seen_code) = (false, true);
            }
            if place.takes_all() {
                found.push(place);
                break;
            }
            line_start = false;
            found.push(place);
            continue;
        }
        match token.kind {
            CellTokenKind::Newline => line_start = true,
            CellTokenKind::Space => {}
            CellTokenKind::LineComment | CellTokenKind::BlockComment => line_start = false,
            kind => {
                match kind {
                    CellTokenKind::Open(bracket) => brackets.push(bracket),
                    CellTokenKind::Close(_) => drop(brackets.pop()),
                    CellTokenKind::Word => drop(words.insert(cell[token.range].trim_start_matches("r#"))),
                    _ => {}
                }
                unfinished =
                    !matches!(kind, CellTokenKind::Symbol(';') | CellTokenKind::Open('{') | CellTokenKind::Close('}'));
                (line_start, seen_code) = (false, true);
            }
        }
    }
    found
}

/// The magic that starts with `token`, the first of its line.
fn place<'a>(cell: &'a str, token: &CellToken, unfinished: bool) -> Option<MagicPlace<'a>> {
    let start = token.range.start;
    let commented = token.kind == CellTokenKind::LineComment;
    let percent = start + if commented { 2 } else { 0 };
    if !cell[percent..].starts_with('%') || !(commented || token.kind == CellTokenKind::Symbol('%')) {
        return None;
    }
    let form = if cell[percent..].starts_with("%%") { Form::Cell } else { Form::Line };
    let name_start = percent + form.percent().len();
    let name = &cell[name_start..name_start + word_length(&cell[name_start..])];
    let word = start..name_start + name.len();
    let magic = table::find(name);
    // In the middle of an expression an unknown word is the remainder's right operand.
    if magic.is_none() && unfinished {
        return None;
    }
    let line_end = cell[word.end..].find('\n').map_or(cell.len(), |at| word.end + at);
    let is_rust = match form {
        _ if magic.is_some_and(takes_whole_cell) => false,
        Form::Cell => !matches!(magic.and_then(|magic| magic.cell), Some(CellHandler::Text(_))),
        _ => !matches!(
            magic.and_then(|magic| magic.line),
            Some(LineHandler::Line(_) | LineHandler::Variables(_) | LineHandler::Action(_))
        ),
    };
    let takes_lines = form == Form::Line && !commented && is_rust && magic.is_some();
    let (arguments, unclosed) = match is_rust {
        true => arguments(if takes_lines { cell } else { &cell[..line_end] }, word.end),
        false => (plain_arguments(&cell[..line_end], word.end), false),
    };
    let (first, depth) = (false, 0);
    Some(MagicPlace { word, name, form, magic, commented, unfinished, first, depth, arguments, unclosed })
}

fn takes_whole_cell(magic: &Magic) -> bool {
    matches!(magic.cell, Some(CellHandler::Whole(_)))
}

/// The lines of a cell that hold magics, lines for the shell or for evcxr, and questions, in order.
pub fn lines_of_magics(cell: &str) -> Vec<Range<usize>> {
    let whole = |range: Range<usize>| {
        let start = cell[..range.start].rfind('\n').map_or(0, |at| at + 1);
        start..cell[range.end..].find('\n').map_or(cell.len(), |at| range.end + at)
    };
    let magics = places(cell, &Notebook::default())
        .into_iter()
        .filter(|place| place.magic.is_some() || matches!(place.form, Form::Shell | Form::Question));
    let commands = leading_commands(cell).into_iter().map(|(range, _)| range);
    let mut lines: Vec<Range<usize>> = magics
        .map(|place| place.word.start..place.arguments.end.max(place.word.end))
        .chain(commands)
        .map(whole)
        .collect();
    lines.sort_by_key(|line| line.start);
    lines.dedup_by(|next, line| {
        let meets = next.start <= line.end;
        line.end = if meets { line.end.max(next.end) } else { line.end };
        meets
    });
    lines
}

/// The rest of a line from `from` on, without blanks around it; a comment begins with a blank and two slashes.
fn plain_arguments(text: &str, from: usize) -> Range<usize> {
    let rest = &text[from..];
    let rest = &rest[..rest.find(" //").unwrap_or(rest.len())];
    let start = from + rest.len() - rest.trim_start().len();
    start..start + rest.trim().len()
}

/// Whether nothing but magics, comments, shell lines and commands stands above a place.
fn is_leading(cell: &str, place: usize) -> bool {
    let is_blank = |line: &str| line.is_empty() || line.starts_with("//") || line.starts_with('%');
    cell[..place].lines().all(|line| is_command(line) || is_blank(line.trim_start()))
}

/// What is wrong if a magic whose cell is text stands above one whose cell is Rust, or below `%rustfmt`. A file may begin with
/// any text.
fn of_another_language(magic: &Magic, body: &str) -> Option<String> {
    let line = body.lines().map(str::trim).find(|line| !line.is_empty())?;
    let word = line.split_whitespace().next().filter(|word| word.starts_with('%') && magic.name != "writefile")?;
    let below = table::find(word.trim_start_matches('%'))?;
    let name = magic.name;
    let is_text = |magic: &Magic| matches!(magic.cell, Some(CellHandler::Text(_)));
    match (is_text(magic), below.name) {
        (true, "capture") => Some(format!("`{word}` must be the first line: write it above `%%{name}`")),
        (true, _) if takes_whole_cell(below) => Some(format!(
            "`{word}` is for a cell of Rust, and below `%%{name}` everything is text for it; remove the line `{line}`"
        )),
        (false, _) if name == "rustfmt" && is_text(below) => {
            Some(format!("a cell for `{word}` is not Rust, so rustfmt cannot format it; remove the line `%%rustfmt`"))
        }
        _ => None,
    }
}

/// Whether evcxr's `:commands` stand below a place, with no code between.
fn commands_follow(cell: &str, place: usize) -> bool {
    below(cell, place).find(|line| !line.starts_with('%')).is_some_and(|line| line.starts_with(':'))
}

/// Whether a cell magic stands below a place, with no code between.
fn cell_magic_follows(cell: &str, place: usize) -> bool {
    below(cell, place).next().is_some_and(|line| line.starts_with("%%") || line.starts_with("//%%"))
}

/// The lines below an offset, without shell lines, comments and blank lines.
fn below(cell: &str, place: usize) -> impl Iterator<Item = &str> {
    let lines = cell[place..].lines().skip(1).filter(|line| !line.starts_with('!')).map(str::trim_start);
    lines.filter(|line| !line.is_empty() && (!line.starts_with("//") || line.starts_with("//%")))
}

/// The range of the arguments after `from`, without blanks and comments around them. They end with the line, or with
/// the line that closes the last bracket and has no method chain behind it. The flag says that `text` ends earlier.
fn arguments(text: &str, from: usize) -> (Range<usize>, bool) {
    let mut range: Option<Range<usize>> = None;
    let (mut depth, mut cut) = (0usize, false);
    for token in tokens(text, from) {
        match token.kind {
            CellTokenKind::Newline if depth == 0 && !chain_follows(text, token.range.end) => break,
            CellTokenKind::Close(_) if depth == 0 => break,
            CellTokenKind::Open(_) => depth += 1,
            CellTokenKind::Close(_) => depth -= 1,
            _ => {}
        }
        cut |= !token.terminated;
        if !token.kind.is_trivia() {
            range = Some(range.map_or(token.range.start, |range| range.start)..token.range.end);
        }
    }
    (range.unwrap_or(from..from), cut || depth > 0)
}

/// Whether the next code after `from` is `.method`, which no statement starts with.
fn chain_follows(text: &str, from: usize) -> bool {
    let mut rest =
        tokens(text, from).skip_while(|token| token.kind.is_trivia() && !text[token.range.clone()].starts_with("//%"));
    rest.next().is_some_and(|token| token.kind == CellTokenKind::Symbol('.'))
        && rest.next().is_some_and(|token| token.kind == CellTokenKind::Word)
}

/// Whether evcxr takes a line before any Rust code as a command.
fn is_command(line: &str) -> bool {
    line.starts_with('!') || line.trim_start_matches(' ').starts_with(':')
}

fn is_trivia(text: &str) -> bool {
    tokens(text, 0).all(|token| token.kind.is_trivia())
}
