//! What the compiler has said against a cell: a part of the build step's answer to the kernel, which shows it with the cell's own lines.
//!
//! evcxr reads the same messages, and decides by them what it tries next; but of one whose place is in code that evcxr generated it
//! leaves out the headline, and the last expression of a cell is in such code.

use super::store::STORE;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The compiler's messages about a source.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// The source, in the lines that the messages name.
    pub source: String,
    /// The messages, in JSON, one a line.
    pub messages: String,
    /// Whether the type of a variable was written in a way that the compiler does not understand.
    pub unknown_types: bool,
}

impl Diagnostics {
    /// The messages about a source.
    pub fn new(source: String, messages: String) -> Diagnostics {
        let unknown_types = has_unknown_types(&source, &messages);
        Diagnostics { source, messages, unknown_types }
    }
}

/// Whether the compiler does not know a name in the type of a variable: evcxr writes types as rust-analyzer names them, which leaves out
/// paths, and names types for which stable code has no name, as `!`.
fn has_unknown_types(source: &str, messages: &str) -> bool {
    let mut errors = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    errors.any(|message| {
        let line = first_line(&message).and_then(|index| source.lines().nth(index)).unwrap_or_default();
        let text = message["message"].as_str().unwrap_or_default();
        let is_name = matches!(message["code"]["code"].as_str(), Some("E0433" | "E0603" | "E0658"));
        line.contains(STORE)
            && (is_name || text.starts_with("cannot find type") || text.starts_with("cannot find trait"))
    })
}

/// The errors among the compiler's messages. A warning would make evcxr think that the cell has an error.
pub fn errors_in(messages: &str) -> String {
    let is_error = |line: &&str| {
        serde_json::from_str::<Value>(line)
            .map_or(true, |message| message["level"] == "error" || message["level"] == "error: internal compiler error")
    };
    messages.lines().filter(is_error).flat_map(|line| [line, "\n"]).collect()
}

/// The line (from 0) that a message of the compiler is about.
pub fn first_line(message: &Value) -> Option<usize> {
    let primary = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    usize::try_from(primary["line_start"].as_u64()?).ok()?.checked_sub(1)
}
