//! What a handler of a magic gets, and what it may ask the kernel to do.

use super::rust::items_named;
use std::ops::Range;

/// Something that the kernel does itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Prints a text on the cell's stdout.
    Print(String),
    /// Shows a text in the front end's pager (a payload `page`).
    Page(String),
    /// Shows the documentation of what a path names, in the pager.
    Describe {
        /// The path, such as `gpu::zeros` or `x`.
        name: String,
        /// Whether the source is shown too, where the notebook has it.
        source: bool,
    },
    /// Makes a file the next input.
    Load {
        /// Its path, as the user wrote it.
        path: String,
        /// Which part of it.
        part: Selection,
    },
    /// Writes a file.
    Write {
        /// Its path, as the user wrote it.
        path: String,
        /// What is written.
        text: String,
        /// Whether it goes to the end of the file.
        append: bool,
    },
    /// Prints where the time of the last cell went.
    CellTime,
    /// Prints the list of magics.
    ListMagics,
}

/// A line magic as its handler sees it.
pub(super) struct LineCall<'a> {
    /// What follows the word: one statement or several, without blanks and comments around them.
    pub arguments: &'a str,
    /// Whether the last value becomes the cell's, because no code follows.
    pub shows_value: bool,
}

/// A cell magic as its handler sees it. Offsets are bytes of `text`.
pub(super) struct CellCall<'a> {
    /// The cell, its line magics already expanded.
    pub text: &'a str,
    /// Where the magic's word and its arguments stand.
    pub first_line: Range<usize>,
    /// What follows the word on its line, without blanks and comments around it.
    pub arguments: &'a str,
    /// Where code that precedes the statements goes: evcxr takes its `:commands` only before any Rust code.
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

/// Which part of a file `%load` takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// First and last line, from 1; without a last one to the end of the file.
    pub(super) lines: Vec<(usize, Option<usize>)>,
    /// Names of items.
    pub(super) symbols: Vec<String>,
}

impl Selection {
    /// The part of a text.
    ///
    /// # Errors
    /// What the text does not have, in words.
    pub fn of(&self, text: &str) -> Result<String, String> {
        let mut parts: Vec<String> = Vec::new();
        let lines: Vec<&str> = text.lines().collect();
        for &(first, last) in &self.lines {
            if first > lines.len() {
                return Err(format!("has {} lines, so there is no line {first}", lines.len()));
            }
            parts.push(lines[first - 1..last.unwrap_or(lines.len()).min(lines.len())].join("\n"));
        }
        for symbol in &self.symbols {
            let found = items_named(text, symbol);
            if found.is_empty() {
                return Err(format!("has no item `{symbol}`"));
            }
            parts.extend(found);
        }
        if self.lines.is_empty() && self.symbols.is_empty() {
            return Ok(text.to_owned());
        }
        Ok(parts.join("\n"))
    }
}
