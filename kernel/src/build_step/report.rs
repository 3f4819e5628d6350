//! What the build step tells the kernel of a cell that it has compiled.

use super::variables::{STORE, statement_at, with_definitions};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a compiled cell does with variables: the build step's message to the kernel.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The names of the stored variables that it names.
    pub names: Vec<String>,
    /// Those whose old values are in the store if the cell has not come to its end.
    pub left: Vec<Stored>,
    /// Those of which the cell process says whether the old values are there.
    pub uncertain: Vec<Stored>,
    /// Those that are lost if the cell has not come to its end.
    pub replaced: Vec<String>,
    /// Those that it may have stored, unknown to evcxr, before it failed.
    pub made: Vec<Stored>,
    /// Those that have no value at its end: names and types.
    pub gone: Vec<(String, String)>,
    /// Whether each statement ran by itself, so that the cell process says which values are lost.
    pub by_statements: bool,
}

/// A variable that is in the store, unknown to evcxr.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Its name.
    pub name: String,
    /// A statement that fails if there is no such value.
    pub demand: String,
    /// A statement that takes the value.
    pub take: String,
}

impl Stored {
    pub fn new(name: &str, type_name: &str, is_mutable: bool, definitions: u64) -> Stored {
        let mutable = if is_mutable { "mut " } else { "" };
        let demand = format!("{STORE}demand_variable::<{type_name}>(stringify!({name}));");
        Stored {
            name: name.to_owned(),
            demand: with_definitions(&demand, definitions),
            take: format!(
                "let {mutable}{name}: {type_name} = {STORE}take_variable::<{type_name}>(stringify!({name}));"
            ),
        }
    }

    /// The variable that a call stores.
    pub fn by(put: &str, is_mutable: bool) -> Option<Stored> {
        let (call, hash) = without_definitions(put);
        let statement = statement_at(&[&call], 0, STORE, "put_variable")?;
        Some(Stored::new(&statement.name, &statement.type_name, is_mutable, hash))
    }
}

/// The type of the variable that a call stores.
pub fn type_stored_by(put: &str) -> Option<String> {
    Some(statement_at(&[&without_definitions(put).0], 0, STORE, "put_variable")?.type_name)
}

/// A call of the store without the hash of the definitions of its type, and the hash.
fn without_definitions(call: &str) -> (String, u64) {
    let parts = call.split_once("defined_by(").and_then(|(_, rest)| rest.split_once("u64)."));
    match parts.and_then(|(hash, rest)| Some((hash.parse().ok()?, rest))) {
        Some((hash, rest)) => (format!("{STORE}{rest}"), hash),
        None => (call.trim_start().to_owned(), 0),
    }
}

impl Report {
    /// Whether the cell had the variable and did not leave it.
    pub fn has_moved(&self, name: &str) -> bool {
        self.names.iter().any(|taken| taken == name) && !self.left.iter().any(|left| left.name == name)
    }

    fn path(session: &Path) -> PathBuf {
        session.join("report.json")
    }

    /// Leaves the report for the kernel.
    pub fn write(&self, session: &Path) -> Result<()> {
        let path = Report::path(session);
        std::fs::write(&path, serde_json::to_string(self)?)
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// What the build step has said of the cell that it compiled last.
    pub fn read(session: &Path) -> Report {
        let text = std::fs::read_to_string(Report::path(session)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Forgets what was said of an earlier cell.
    pub fn forget(session: &Path) {
        let _ = std::fs::remove_file(Report::path(session));
    }
}
