//! [`UsageError`]: a magic that was written wrongly.

use std::fmt;

/// Why a cell's magics cannot be expanded. The user reads the `Display` text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError {
    /// The line of the magic in the cell, from 1.
    pub line: usize,
    /// What is wrong, with the value, and how to write it correctly.
    pub message: String,
    /// Whether more lines could mend it: a bracket, string or comment is still open.
    pub incomplete: bool,
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for UsageError {}
