//! What the compiler has said against a cell: the build step's message to the kernel, which shows it with the cell's own lines.
//!
//! evcxr reads the same messages, and decides by them what it tries next; but of one whose place is in code that evcxr generated it
//! leaves out the headline, and the last expression of a cell is in such code.

use super::variables::{STORE, first_line};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

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

    fn path(session: &Path) -> PathBuf {
        session.join("diagnostics.json")
    }

    /// Leaves them for the kernel.
    pub fn write(&self, session: &Path) -> Result<()> {
        let path = Diagnostics::path(session);
        std::fs::write(&path, serde_json::to_string(self)?)
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// What was said of the cell that was compiled last, if that was an error.
    pub fn read(session: &Path) -> Option<Diagnostics> {
        serde_json::from_str(&std::fs::read_to_string(Diagnostics::path(session)).ok()?).ok()
    }

    /// Forgets what was said of an earlier cell.
    pub fn forget(session: &Path) {
        let _ = std::fs::remove_file(Diagnostics::path(session));
    }
}

/// Whether the compiler does not know a name in the type of a variable: evcxr writes types as rust-analyzer names them, which leaves out
/// paths.
fn has_unknown_types(source: &str, messages: &str) -> bool {
    let mut errors = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    errors.any(|message| {
        let line = first_line(&message).and_then(|index| source.lines().nth(index)).unwrap_or_default();
        let text = message["message"].as_str().unwrap_or_default();
        let is_path = matches!(message["code"]["code"].as_str(), Some("E0433" | "E0603"));
        line.contains(STORE)
            && (is_path || text.starts_with("cannot find type") || text.starts_with("cannot find trait"))
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
