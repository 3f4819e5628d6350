//! What `%%capture` keeps of a cell.

use crate::output::{self, Data};
use serde::Deserialize;

/// What a cell under `%%capture NAME` has shown: the variable `NAME`.
///
/// ```
/// use warpcell as gpu;
/// # let cell = gpu::session::captured(r#"{"stdout":"epoch 1\nepoch 2\n","stderr":"","outputs":[{"text/plain":"7"}]}"#);
/// // %%capture cell
/// assert_eq!(cell.stdout.lines().last(), Some("epoch 2"));
/// assert_eq!(cell.len(), 1); // a display, or the value of the last expression
/// cell.show();
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Captured {
    /// What it has printed.
    pub stdout: String,
    /// What it has printed with `eprintln!` and its like.
    pub stderr: String,
    outputs: Vec<Data>,
}

impl Captured {
    /// How many displays and values it has shown.
    pub fn len(&self) -> usize {
        self.outputs.len()
    }

    /// Whether it has shown no display and no value.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Shows all of it: first what was printed.
    pub fn show(&self) {
        print!("{}", self.stdout);
        eprint!("{}", self.stderr);
        self.outputs.iter().for_each(|data| output::display(data, None, false));
    }
}

/// The outputs of a cell, from the kernel's JSON.
///
/// **Panics** if the text is not the kernel's.
#[track_caller]
pub fn captured(text: &str) -> Captured {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("captured outputs cannot be read: {error}"))
}
