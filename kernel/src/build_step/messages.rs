//! The messages between the kernel and the build step: one in each direction, in files of the session's directory.

use super::diagnostics::Diagnostics;
use super::report::VariableReport;
use crate::files;
use anyhow::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// How the cell is compiled: the kernel's message to the build step.
///
/// `:opt` cannot carry this: it rewrites Cargo.toml, which makes rust-analyzer load everything again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildRequest {
    /// Whether the cell measures time: full optimisation for this processor, no overflow checks and assertions.
    pub timed: bool,
    /// Whether it is sampled too: its functions keep their names and lines.
    pub profiled: bool,
    /// Whether evcxr's own code shows the value, as `:fmt` and `:types` want it.
    pub shown_by_evcxr: bool,
    /// Whether the cell is only checked: it is compiled as if it ran, and evcxr does not get it.
    pub checked: bool,
    /// Whether the user has asked to stop. Then nothing more is compiled for this cell.
    pub interrupted: bool,
}

impl BuildRequest {
    const FILE: &str = "request.json";

    /// Leaves it for the build step.
    pub fn write(self, session: &Path) -> Result<()> {
        write(session, BuildRequest::FILE, &self)
    }

    /// Reads the kernel's message. Before the first cell there is none, and evcxr compiles a cell of its own.
    pub fn read(session: &Path) -> BuildRequest {
        read(session, BuildRequest::FILE)
    }
}

/// What has come of a cell that is only checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckVerdict {
    /// It would run.
    Compiles,
    /// The compiler has errors.
    Refused,
}

/// Types as code, by the names of variables.
pub type Types = BTreeMap<String, String>;

/// The message of the build step to the kernel about a cell. evcxr may call the build step several times for a cell.
/// Each call adds information.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildAnswer {
    /// The changes to variables.
    pub report: VariableReport,
    /// The variables that the cell defines and moves away, so that they have no value at its end; with their types, if they are known.
    pub gone: BTreeMap<String, Option<String>>,
    /// The last errors of the compiler.
    pub diagnostics: Option<Diagnostics>,
    /// evcxr's message about a variable that cannot be kept.
    pub not_kept: Option<String>,
    /// Why the crates of `:dep` do not work together.
    pub problem_of_crates: Option<String>,
    /// Of a cell that is only checked.
    pub verdict: Option<CheckVerdict>,
}

impl BuildAnswer {
    const FILE: &str = "answer.json";

    /// Reads the answer about the cell.
    pub fn read(session: &Path) -> BuildAnswer {
        read(session, BuildAnswer::FILE)
    }

    /// Adds something, or takes it.
    pub fn change<R>(session: &Path, change: impl FnOnce(&mut BuildAnswer) -> R) -> Result<R> {
        let mut answer = BuildAnswer::read(session);
        let result = change(&mut answer);
        write(session, BuildAnswer::FILE, &answer)?;
        Ok(result)
    }

    /// Removes the answer about an earlier cell.
    pub fn forget(session: &Path) {
        let _ = std::fs::remove_file(session.join(BuildAnswer::FILE));
    }
}

/// The contents of a file of the session. If the file is missing or damaged, the default.
pub fn read<T: Default + DeserializeOwned>(session: &Path, name: &str) -> T {
    let text = std::fs::read_to_string(session.join(name)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Writes a file of the session, whole or not at all.
pub fn write<T: Serialize>(session: &Path, name: &str, value: &T) -> Result<()> {
    files::replace(&session.join(name), serde_json::to_string(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_several_calls_are_one() {
        let session = tempfile::tempdir().unwrap();
        assert_eq!(BuildAnswer::read(session.path()), BuildAnswer::default());
        let diagnostics = Diagnostics { source: "a".into(), messages: "b".into() };
        BuildAnswer::change(session.path(), |answer| answer.not_kept = Some("c".into())).unwrap();
        BuildAnswer::change(session.path(), |answer| answer.diagnostics = Some(diagnostics)).unwrap();
        assert_eq!(BuildAnswer::change(session.path(), |answer| answer.not_kept.take()).unwrap(), Some("c".into()));
        let answer = BuildAnswer::read(session.path());
        assert!(answer.diagnostics.is_some() && answer.not_kept.is_none());
        BuildAnswer::forget(session.path());
        assert_eq!(BuildAnswer::read(session.path()), BuildAnswer::default());
    }
}
