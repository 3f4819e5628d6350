//! The build step's report about the variables of a compiled cell.

use super::store_calls::{STORE, statement_at, with_definitions, without_definitions};
use serde::{Deserialize, Serialize};

/// The changes to variables by a compiled cell. This is a part of [`BuildAnswer`](super::messages::BuildAnswer).
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableReport {
    /// The names of the stored variables that it names.
    pub names: Vec<String>,
    /// Those whose old values are in the store if the cell has not come to its end.
    pub left: Vec<StoredVariable>,
    /// Variables of which the cell process reports whether the old values are there.
    pub uncertain: Vec<StoredVariable>,
    /// Those that are lost if the cell has not come to its end.
    pub replaced: Vec<String>,
    /// Those that it may have stored, unknown to evcxr, before it failed.
    pub made: Vec<StoredVariable>,
    /// What the user is told.
    pub notes: Vec<String>,
    /// Whether each statement ran in its own closure. Then the cell process reports which values are lost.
    pub by_statements: bool,
}

/// A variable that is in the store, unknown to evcxr.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredVariable {
    /// Its name.
    pub name: String,
    /// A statement that fails if the value does not exist.
    pub demand: String,
    /// A statement that takes the value.
    pub take: String,
}

impl StoredVariable {
    pub fn new(name: &str, type_name: &str, is_mutable: bool, definitions: u64) -> StoredVariable {
        let mutable = if is_mutable { "mut " } else { "" };
        let demand = format!("{STORE}demand_variable::<{type_name}>(stringify!({name}));");
        StoredVariable {
            name: name.to_owned(),
            demand: with_definitions(&demand, definitions),
            take: format!(
                "let {mutable}{name}: {type_name} = {STORE}take_variable::<{type_name}>(stringify!({name}));"
            ),
        }
    }

    /// The variable that a call stores.
    pub fn by(put: &str, is_mutable: bool) -> Option<StoredVariable> {
        let (call, hash) = without_definitions(put);
        let statement = statement_at(&[&call], 0, STORE, "put_variable")?;
        Some(StoredVariable::new(&statement.name, &statement.type_name, is_mutable, hash))
    }
}

impl VariableReport {
    /// Whether the cell had the variable and did not leave it.
    pub fn has_moved(&self, name: &str) -> bool {
        self.names.iter().any(|taken| taken == name) && !self.left.iter().any(|left| left.name == name)
    }
}
