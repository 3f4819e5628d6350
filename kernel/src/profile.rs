//! What `%prun` has sampled, as data: what its options say, functions, and stacks of them.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the options of `%prun` say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProfileOptions {
    /// Whether no table is printed.
    #[serde(skip_serializing_if = "is_default")]
    pub quiet: bool,
    /// The file for the table.
    #[serde(skip_serializing_if = "is_default")]
    pub text: Option<PathBuf>,
    /// The file for the flame graph.
    #[serde(skip_serializing_if = "is_default")]
    pub picture: Option<PathBuf>,
    /// Which rows the table has, one restriction after another.
    #[serde(skip_serializing_if = "is_default")]
    pub limits: Vec<Limit>,
    /// The order of the rows.
    #[serde(skip_serializing_if = "is_default")]
    pub sort: Sort,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A restriction of the rows of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// So many rows.
    Rows(usize),
    /// This part of the rows.
    Share(f64),
    /// Functions whose names contain this text.
    Name(String),
}

/// The order of the rows of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// By the time in the function itself.
    #[default]
    Own,
    /// By the time in the function and in what it has called.
    Total,
    /// By name.
    Name,
}

/// The orders of rows, by the words that IPython has for them.
pub const SORTS: [(&str, Sort); 7] = [
    ("tottime", Sort::Own),
    ("time", Sort::Own),
    ("cumulative", Sort::Total),
    ("cumtime", Sort::Total),
    ("cumulative_time", Sort::Total),
    ("name", Sort::Name),
    ("nfl", Sort::Name),
];

/// What was sampled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// What the user has asked for.
    pub options: ProfileOptions,
    /// The time that all processors have worked for the process, in seconds.
    pub processor_seconds: f64,
    /// The time that has passed.
    pub wall_seconds: f64,
    /// How many samples there was no room for.
    pub dropped: u64,
    /// The functions.
    pub frames: Vec<Frame>,
    /// The samples.
    pub stacks: Vec<Stack>,
    /// Why there are none.
    pub problem: Option<String>,
}

/// A function that was running or had called one, and where it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Its whole name.
    pub name: String,
    /// The place in the compiled source of a cell: file, line and column. None for other code.
    pub location: Option<String>,
    /// Whether the compiler has built it into its caller.
    pub inlined: bool,
}

/// Samples with the same functions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stack {
    /// The thread's name, if it is not the one that runs cells.
    pub thread: Option<String>,
    /// Functions, by their places in the list of all: the outermost comes first.
    pub frames: Vec<usize>,
    /// How many samples.
    pub samples: u64,
}
