//! Completion of magics: their words, their options and their paths.

use super::expand::{Form, MagicPlace, places};
use super::magic::Takes;
use super::notebook::Notebook;
use super::table::forms;
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
    let place = found.into_iter().rfind(|place| place.word.start < cursor)?;
    if cell[place.word.start..cursor].contains('\n') {
        return None;
    }
    if cursor <= place.word.end && matches!(place.form, Form::Line | Form::Cell) {
        let candidates = words(&cell[place.word.start..cursor]);
        return Some(Completing::Words { range: place.word, candidates });
    }
    match place.form {
        Form::Line | Form::Cell => argument(cell, &place, cursor),
        Form::Shell => {
            let mut start = start_of_word(cell, place.word.start + 1, cursor);
            while cell[..start].ends_with("\\ ") {
                start = start_of_word(cell, place.word.start + 1, start - 1);
            }
            Some(Completing::Path { range: start..cursor, directories: false, shell: true })
        }
        Form::Question => None,
    }
}

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
