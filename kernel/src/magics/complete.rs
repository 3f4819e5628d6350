//! Completion of magics: their words, their options and their paths.

use super::expand::{Form, MagicPlace, places, word_at};
use super::lexer::{CellTokenKind, tokens};
use super::magic::{CellHandler, Takes};
use super::notebook::Notebook;
use super::options::Options;
use super::table::forms;
use crate::syntax::blank;
use std::borrow::Cow;
use std::ops::Range;

/// The thing at the cursor that can be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completing {
    /// Words that are known.
    Words {
        /// The range that they replace, in bytes.
        range: Range<usize>,
        /// The words.
        candidates: Vec<MagicCandidate>,
    },
    /// A path, written up to here.
    Path {
        /// Its range, in bytes.
        range: Range<usize>,
        /// Whether only directories make sense.
        directories: bool,
        /// Whether it is a word of a shell command.
        shell: bool,
    },
}

/// A word that completes a magic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MagicCandidate {
    /// The whole word, spelled as the prefix was (`//%` too).
    pub text: String,
    /// Its summary, in one line.
    pub summary: &'static str,
    /// Whether it is an option or argument, not a magic.
    pub is_option: bool,
}

/// The completion at a byte offset. `None` if the text there is Rust.
pub fn complete_at(cell: &str, cursor: usize, notebook: &Notebook) -> Option<Completing> {
    let found = places(cell, notebook);
    let is_unknown = |place: &MagicPlace<'_>| place.form == Form::Cell && place.first && place.magic.is_none();
    if found.iter().any(|place| {
        is_unknown(place) && cell[place.word.end..].find('\n').is_some_and(|length| place.word.end + length < cursor)
    }) {
        // What is below is in a language that is not known.
        return Some(Completing::Words { range: cursor..cursor, candidates: Vec::new() });
    }
    let place = found.into_iter().rfind(|place| place.word.start < cursor)?;
    if cell[place.word.start..cursor].contains('\n') {
        return below_text(cell, &place, cursor);
    }
    if cursor <= place.word.end && matches!(place.form, Form::Line | Form::Cell) {
        let candidates = words(&cell[place.word.start..cursor]);
        return Some(Completing::Words { range: place.word, candidates });
    }
    match place.form {
        Form::Line | Form::Cell => argument(cell, &place, cursor),
        Form::Shell => {
            let start = start_of_shell_word(cell, place.word.start + 1, cursor);
            Some(Completing::Path { range: start..cursor, directories: false, shell: true })
        }
        Form::Question => None,
    }
}

/// What completes a text below the first line of its cell, which is not Rust: the files that a script names.
fn below_text(cell: &str, place: &MagicPlace<'_>, cursor: usize) -> Option<Completing> {
    let magic = place.magic.filter(|magic| matches!(magic.cell, Some(CellHandler::Text(_))) && place.takes_all())?;
    match magic.name {
        "bash" => {
            let start = start_of_shell_word(cell, cell[..cursor].rfind('\n')? + 1, cursor);
            Some(Completing::Path { range: start..cursor, directories: false, shell: true })
        }
        _ => Some(Completing::Words { range: cursor..cursor, candidates: Vec::new() }),
    }
}

/// The cell with blanks for the first line of a magic such as `%%capture`, if a place below it is to be completed: what
/// stands there is Rust. The set-up code of `%%timeit` stays. No byte moves.
pub fn rust_around(cell: &str, cursor: usize) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(cell);
    while let Some(line) = first_line(&text).filter(|line| line.end < cursor) {
        let blank = blank(&text[line.clone()]);
        text.to_mut().replace_range(line, &blank);
    }
    text
}

/// What is not Rust on the first line of a cell with a cell magic whose cell is Rust.
fn first_line(cell: &str) -> Option<Range<usize>> {
    let found = places(cell, &Notebook::default());
    let is_first = |place: &&MagicPlace<'_>| place.first && (place.form == Form::Cell || place.takes_all());
    let place = found.iter().find(is_first)?;
    let handler = place.magic?.cell.filter(|handler| !matches!(handler, CellHandler::Text(_)))?;
    let end = cell[place.word.end..].find('\n').map_or(cell.len(), |length| place.word.end + length);
    let has_set_up = matches!(handler, CellHandler::Timed(_)) && !place.unclosed;
    let set_up = Options::parse(&cell[place.arguments.clone()]).ok().filter(|_| has_set_up);
    Some(place.word.start..set_up.map_or(end, |(_, start)| place.arguments.start + start))
}

/// Whether an expression may begin at a place of Rust, and nothing of it is written yet.
pub fn is_at_empty_place(cell: &str, cursor: usize) -> bool {
    let (mut before, mut begins, mut first) = (None, true, "");
    for token in tokens(cell, 0).take_while(|token| token.range.start < cursor) {
        match token.kind {
            CellTokenKind::LineComment if cursor <= token.range.end => return false,
            CellTokenKind::Quoted | CellTokenKind::BlockComment if cursor < token.range.end || !token.terminated => {
                return false;
            }
            CellTokenKind::LineComment | CellTokenKind::BlockComment => {}
            CellTokenKind::Space => {}
            // A statement may have ended without a semicolon, as one of a magic.
            CellTokenKind::Newline => {
                before = None;
                begins |= first != "use";
            }
            kind => {
                if std::mem::take(&mut begins) {
                    first = &cell[token.range.clone()];
                }
                begins = kind == CellTokenKind::Symbol(';');
                before = Some(token);
            }
        }
    }
    if NAMELESS.contains(&first) && !begins {
        return false;
    }
    let Some(token) = before else { return true };
    let is_magic = || word_at(cell, token.range.end).is_some();
    match token.kind {
        CellTokenKind::Word if token.range.end == cursor => false,
        CellTokenKind::Word => BEFORE_EXPRESSIONS.contains(&&cell[token.range.clone()]) || is_magic(),
        CellTokenKind::Symbol('>') => !cell[..token.range.end].ends_with("->"),
        CellTokenKind::Symbol(symbol) => !matches!(symbol, '.' | ':' | '#' | '$' | '?' | '@' | '~' | '\''),
        CellTokenKind::Open(_) | CellTokenKind::Close('}') => true,
        _ => false,
    }
}

/// The keywords of lines in which there are no expressions.
const NAMELESS: [&str; 7] = ["use", "mod", "extern", "struct", "enum", "trait", "impl"];
/// The keywords that expressions follow.
const BEFORE_EXPRESSIONS: [&str; 8] = ["return", "in", "if", "while", "match", "else", "break", "move"];

fn argument(cell: &str, place: &MagicPlace<'_>, cursor: usize) -> Option<Completing> {
    let magic = place.magic?;
    let start = start_of_word(cell, place.word.end, cursor);
    let typed = &cell[start..cursor];
    let candidates: Vec<MagicCandidate> = magic
        .options
        .iter()
        .filter(|option| option.text.starts_with(typed))
        .filter(|option| typed.starts_with('-') || !option.text.starts_with('-'))
        .map(|option| MagicCandidate { text: option.text.to_owned(), summary: option.meaning, is_option: true })
        .collect();
    let words = Completing::Words { range: start..cursor, candidates };
    match magic.takes {
        Takes::Words => Some(words),
        // A minus may also be in a statement.
        Takes::Code if typed.starts_with('-') && options_only(&cell[place.word.end..start]) => Some(words),
        Takes::Code => None,
        Takes::File | Takes::Directory if typed.starts_with('-') => Some(words),
        takes => {
            // A path may contain blanks. It begins behind the options.
            let mut from = start_of_arguments(cell, place.word.end, cursor);
            while cell[from..cursor].starts_with('-') {
                let end = cell[from..cursor].find(char::is_whitespace).map_or(cursor, |at| from + at);
                let has_value =
                    |option: &super::magic::MagicOption| option.text == &cell[from..end] && !option.value.is_empty();
                let takes_value = magic.options.iter().any(has_value);
                from = start_of_arguments(cell, end, cursor);
                if takes_value {
                    from = cell[from..cursor].find(char::is_whitespace).map_or(cursor, |at| from + at);
                    from = start_of_arguments(cell, from, cursor);
                }
            }
            Some(Completing::Path { range: from..cursor, directories: takes == Takes::Directory, shell: false })
        }
    }
}

/// Whether a text in front of the cursor consists of options and their values.
fn options_only(text: &str) -> bool {
    let mut is_value = false;
    text.split_whitespace().all(|word| {
        let is_option = word.starts_with('-') && word != "--";
        let fits = is_option || is_value;
        is_value = is_option;
        fits
    })
}

fn start_of_arguments(cell: &str, from: usize, cursor: usize) -> usize {
    from + cell[from..cursor].find(|c: char| !c.is_whitespace()).unwrap_or(cursor - from)
}

/// The same in a line of the shell, where a blank may be part of a word.
fn start_of_shell_word(cell: &str, from: usize, cursor: usize) -> usize {
    let mut start = start_of_word(cell, from, cursor);
    while cell[..start].ends_with("\\ ") {
        start = start_of_word(cell, from, start - 1);
    }
    start
}

fn start_of_word(cell: &str, from: usize, cursor: usize) -> usize {
    let text = &cell[from..cursor];
    from + text.rfind(char::is_whitespace).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))
}

/// The magics whose word starts with `prefix`: `%ti`, `%%ti` or `//%ti`; a bare `%` gives both forms.
pub(super) fn words(prefix: &str) -> Vec<MagicCandidate> {
    let (slashes, word) = match prefix.strip_prefix("//") {
        Some(word) => ("//", word),
        None => ("", prefix),
    };
    forms()
        .map(|(percent, magic)| (format!("{percent}{}", magic.name), magic.summary))
        .filter(|(text, _)| text.starts_with(word))
        .map(|(text, summary)| MagicCandidate { text: format!("{slashes}{text}"), summary, is_option: false })
        .collect()
}
