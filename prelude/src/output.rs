//! The prelude's side of the output contract (kernel/OUTPUT_CONTRACT.md): rich output from a cell to the notebook.

/// Sends one display with a representation per MIME type, in order with the cell's text.
#[allow(dead_code, reason = "no rich output yet")]
pub(crate) fn display(_representations: &[(&str, String)]) {}
