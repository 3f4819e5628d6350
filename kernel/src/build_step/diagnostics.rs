//! The compiler's errors about a cell. They are a part of the build step's answer to the kernel, which shows them with
//! the lines of the cell.
//!
//! evcxr reads the same messages and uses them to decide what to try next. But it omits the headline of an error whose
//! place is in generated code, and the last expression of a cell is in such code.

use super::compiler_message::lines_where;
use serde::{Deserialize, Serialize};

/// The compiler's messages about a source.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// The source, in the lines that the messages name.
    pub source: String,
    /// The messages, in JSON, one a line.
    pub messages: String,
}

/// The errors among the compiler's messages. A warning would make evcxr think that the cell has an error.
pub fn errors_in(messages: &str) -> String {
    lines_where(messages, |message| message.is_error() || message.json()["level"] == "error: internal compiler error")
}
