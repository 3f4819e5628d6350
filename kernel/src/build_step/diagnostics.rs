//! The compiler's errors about a cell. They are a part of the build step's answer to the kernel, which shows them with
//! the lines of the cell.
//!
//! evcxr reads the same messages and uses them to decide what to try next. But it omits the headline of an error whose
//! place is in generated code, and the last expression of a cell is in such code.

use super::compiler_message::{CompilerMessage, lines_where};
use super::store_calls::STORE;
use serde::{Deserialize, Serialize};

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

/// Whether the compiler does not know a name in the type of a variable. evcxr writes the type names of rust-analyzer.
/// They have no paths, and some of them are not allowed in stable code, such as `!`.
fn has_unknown_types(source: &str, messages: &str) -> bool {
    CompilerMessage::all(messages).any(|message| {
        let line = message.line().and_then(|index| source.lines().nth(index)).unwrap_or_default();
        let text = message.text();
        let is_name = matches!(message.code(), "E0433" | "E0603" | "E0658");
        line.contains(STORE)
            && (is_name || text.starts_with("cannot find type") || text.starts_with("cannot find trait"))
    })
}

/// The errors among the compiler's messages. A warning would make evcxr think that the cell has an error.
pub fn errors_in(messages: &str) -> String {
    lines_where(messages, |message| message.is_error() || message.json()["level"] == "error: internal compiler error")
}
