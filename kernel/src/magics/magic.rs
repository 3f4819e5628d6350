//! [`Magic`] is an entry of the table. Handlers get the parts of a cell in the other types.

use super::action::Action;
use super::notebook::Notebook;
use super::rewrite::Edit;
use std::ops::Range;

/// A magic: its name, its texts, and its handlers.
pub(super) struct Magic {
    /// The word after `%` or `%%`.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// Each form on a line.
    pub usage: &'static str,
    /// Details beyond the summary.
    pub details: &'static str,
    /// The options, and the words that may be given.
    pub options: &'static [MagicOption],
    /// The arguments behind the options.
    pub takes: Takes,
    /// Whole cells that work.
    pub examples: &'static [&'static str],
    /// Expands `%name`, if there is such a form.
    pub line: Option<LineHandler>,
    /// Expands `%%name`, if there is such a form.
    pub cell: Option<CellHandler>,
}

/// An option, or a word that may be given.
pub(super) struct MagicOption {
    /// `-n`, `--no-raise-error`, `on`.
    pub text: &'static str,
    /// The name of the option's value. Empty if it has none.
    pub value: &'static str,
    /// Its effect, without a full stop.
    pub meaning: &'static str,
}

/// An option, or a word, without a value.
pub(super) const fn flag(text: &'static str, meaning: &'static str) -> MagicOption {
    option(text, "", meaning)
}

/// An option with a value.
pub(super) const fn option(text: &'static str, value: &'static str, meaning: &'static str) -> MagicOption {
    MagicOption { text, value, meaning }
}

/// The arguments of a magic, apart from its options. Completion uses this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing, or words that cannot be told beforehand.
    Words,
    /// Rust.
    Code,
    /// The path of a file.
    File,
    /// The path of a directory.
    Directory,
}

/// Who expands a line magic.
#[derive(Clone, Copy)]
pub(super) enum LineHandler {
    /// The arguments contain a Rust statement, which may go on to further lines while a bracket is open.
    Rust(fn(&LineCall<'_>) -> Result<Wrap, String>),
    /// The same, and what runs is sampled.
    Profiled(fn(&LineCall<'_>) -> Result<Wrap, String>),
    /// The arguments are the rest of the line; the result is Rust code.
    Line(fn(&Arguments<'_>, &Notebook) -> Result<String, String>),
    /// The same, and the code depends on the variables that there are.
    Variables(fn(&Arguments<'_>, &Notebook) -> Result<String, String>),
    /// The arguments are the rest of the line; the kernel itself acts. Code above it has run.
    Action(fn(&Arguments<'_>, &Notebook) -> Result<Action, String>),
}

/// Who expands a cell magic.
#[derive(Clone, Copy)]
pub(super) enum CellHandler {
    /// The cell is Rust and is timed; the result are the edits of the cell.
    Timed(fn(&CellCall<'_>) -> Result<Vec<Edit>, String>),
    /// The same, and what runs is sampled.
    Profiled(fn(&CellCall<'_>) -> Result<Vec<Edit>, String>),
    /// The cell is Rust and is compiled as any other; the result are the edits of the cell.
    Rust(fn(&CellCall<'_>) -> Result<Vec<Edit>, String>),
    /// The rest of the cell is any text. The handler gets it unchanged.
    Text(fn(&Arguments<'_>, &str, &Notebook) -> Result<TextCell, String>),
    /// The rest of the cell is Rust that is not run. The handler gets it with an empty first line, so that lines have
    /// their numbers. `%name` on the first line means the same.
    Whole(fn(&Arguments<'_>, &str) -> Result<Action, String>),
}

impl CellHandler {
    /// Whether the cell below the first line is not code that runs.
    pub fn takes_all(self) -> bool {
        matches!(self, CellHandler::Text(_) | CellHandler::Whole(_))
    }
}

/// A line magic as its handler sees it.
pub(super) struct LineCall<'a> {
    /// The text behind the word: one statement or several, without blanks and comments around them.
    pub arguments: &'a str,
    /// Whether the last value becomes the cell's, because no code follows.
    pub shows_value: bool,
}

/// A cell magic as its handler sees it. Offsets are bytes of `text`.
pub(super) struct CellCall<'a> {
    /// The cell, its line magics already expanded.
    pub text: &'a str,
    /// The range of the magic's word and its arguments.
    pub first_line: Range<usize>,
    /// The text behind the word on its line, without blanks and comments around it.
    pub arguments: &'a str,
    /// The position for code before the statements. evcxr takes its `:commands` only before any Rust code.
    pub opening: usize,
    /// The statements below the magic's line, up to the end of the last one.
    pub code: Range<usize>,
}

impl<'a> CellCall<'a> {
    /// The statements below the magic's line.
    pub fn body(&self) -> &'a str {
        &self.text[self.code.clone()]
    }
}

/// The result for a cell of any text.
pub(super) enum TextCell {
    /// The kernel itself acts.
    Act(Action),
    /// Rust code: as many lines as the cell from its first line on.
    Code(String),
}

/// Code around and within the arguments of a line magic.
pub(super) struct Wrap {
    /// Code in place of the magic's word.
    pub before: String,
    /// Edits of the arguments.
    pub edits: Vec<Edit>,
    /// Code after the arguments.
    pub after: String,
}

/// The text behind the word of a magic on its line, if it is not Rust: options, then the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments<'a> {
    options: Vec<(&'static str, &'a str)>,
    /// The text behind the options, without blanks around it.
    pub rest: &'a str,
}

impl<'a> Arguments<'a> {
    /// Reads the options that `known` lists from the start of a text. A value may be in quotes, and stand directly behind
    /// the letter of its option; letters without values may stand together.
    pub fn parse(text: &'a str, known: &'static [MagicOption]) -> Result<Arguments<'a>, String> {
        let mut options = Vec::new();
        let mut rest = text.trim();
        let value = |option: &'static MagicOption, behind: &'a str| match split_value(behind.trim_start()) {
            ("", _) => Err(format!("`{}` needs a value: {}", option.text, option.value)),
            (value, rest) => Ok(((option.text, value), rest)),
        };
        while rest.starts_with('-') && !rest.starts_with("- ") && rest != "-" {
            let (word, behind) = split_word(rest);
            if word == "--" {
                rest = behind;
                break;
            }
            if let Some(choice) = known.iter().find(|choice| choice.text == word) {
                let (option, behind) =
                    if choice.value.is_empty() { ((choice.text, ""), behind) } else { value(choice, behind)? };
                options.push(option);
                rest = behind;
                continue;
            }
            let mut letters = &rest[1..];
            rest = loop {
                let Some(letter) = letters.chars().next().filter(|letter| !letter.is_whitespace()) else {
                    break letters.trim_start();
                };
                let behind = &letters[letter.len_utf8()..];
                let is_it =
                    |choice: &&MagicOption| choice.text.strip_prefix('-').is_some_and(|name| name.chars().eq([letter]));
                match known.iter().find(is_it) {
                    Some(choice) if choice.value.is_empty() => {
                        options.push((choice.text, ""));
                        letters = behind;
                    }
                    Some(choice) => {
                        let (option, behind) = value(choice, behind)?;
                        options.push(option);
                        break behind;
                    }
                    // `-n4`: arguments follow.
                    None if letter.is_ascii_digit() && letters.len() + 1 < rest.len() => break letters,
                    None => return Err(format!("there is no option `{word}`{}", listed(known))),
                }
            };
        }
        Ok(Arguments { options, rest })
    }

    /// The value of an option, empty if it takes none; `None` if it was not given.
    pub fn option(&self, name: &str) -> Option<&'a str> {
        self.options.iter().rev().find(|(option, _)| *option == name).map(|(_, value)| *value)
    }

    /// The rest as a path: quotes around it are taken off.
    pub fn path(&self) -> &'a str {
        unquoted(self.rest)
    }

    /// An error if anything was given.
    pub fn nothing(&self) -> Result<(), String> {
        match self.rest {
            "" => Ok(()),
            other => Err(format!("takes no arguments, but got `{other}`")),
        }
    }
}

/// A text without the quotes around it.
pub(super) fn unquoted(text: &str) -> &str {
    let quoted = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

/// The options that there are, for an error.
fn listed(known: &[MagicOption]) -> String {
    let options = known.iter().filter(|option| option.text.starts_with('-'));
    let names: Vec<String> =
        options.map(|option| format!("`{}`", format!("{} {}", option.text, option.value).trim())).collect();
    match names.split_last() {
        None => "; it has no options".to_owned(),
        Some((only, [])) => format!("; there is {only}"),
        Some((last, others)) => format!("; there are {} and {last}", others.join(", ")),
    }
}

/// The first word of a text, or the text in quotes that it begins with; and what is behind it.
fn split_value(text: &str) -> (&str, &str) {
    for mark in ['"', '\''] {
        if let Some((inside, behind)) = text.strip_prefix(mark).and_then(|rest| rest.split_once(mark)) {
            return (inside, behind.trim_start());
        }
    }
    split_word(text)
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}
