//! Calls of interactions' closures, and the cells that the closures are from: the place of a panic is a line of such a cell.

use crate::controls::Call;
use crate::evaluator::failures::{Traced, failure_at, internal, place_in_source, plain_error};
use crate::evaluator::rust::RustEvaluator;
use crate::evaluator::supervisor_link::CallEnded;
use crate::evaluator::{Called, CellError, OutputSink};
use crate::magics::Expansion;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The cells that interactions are from, by the identities of the interactions.
#[derive(Default)]
pub struct Interactions(HashMap<String, Arc<Origin>>);

/// A cell as it was compiled. The next cell takes the place of its source.
struct Origin {
    expansion: Expansion,
    cell: String,
    source: String,
}

impl Interactions {
    /// Keeps the cell that has shown these interactions.
    pub fn keep(&mut self, shown: Vec<String>, compiled: &Path, expansion: &Expansion, cell: &str) {
        if shown.is_empty() {
            return;
        }
        let source = std::fs::read_to_string(compiled).unwrap_or_default();
        let origin = Arc::new(Origin { expansion: expansion.clone(), cell: cell.to_owned(), source });
        self.0.extend(shown.into_iter().map(|interaction| (interaction, Arc::clone(&origin))));
    }

    /// The place of a panic in words.
    fn place(&self, interaction: &str, location: &str) -> String {
        let Some(origin) = self.0.get(interaction) else { return location.to_owned() };
        let traced = Traced { expansion: &origin.expansion, cell: &origin.cell, code: &origin.expansion.code };
        place_in_source(location, &origin.source, &traced)
    }
}

impl RustEvaluator {
    /// Calls a closure in the cell process.
    pub(super) fn call_closure(&mut self, number: u64, call: &Call, sink: &OutputSink) -> Called {
        if let Err(error) = self.interrupts.begin_call(number) {
            return Called { error: Some(internal(&format!("{error:#}"))), ..Called::default() };
        }
        let ended = self.link.call(Arc::clone(sink), call);
        let was_interrupted = self.interrupts.is_interrupted(number);
        if let Err(error) = self.interrupts.end_call(number) {
            crate::printing::errln!("{error:#}");
        }
        let Some(CallEnded { outputs, events, exit }) = ended else {
            let error = Some(gone("the process that had this closure has ended"));
            return Called { outputs: Vec::new(), error, is_gone: true };
        };
        if let Some(status) = exit {
            self.replace_process();
            let error = Some(gone(&format!("the process that runs the cells ended: {status}")));
            return Called { outputs, error, is_gone: true };
        }
        let place_of = |location: &str| self.interactions.place(&call.id, location);
        let failure = failure_at(&events, &place_of, &|_| None);
        let interrupted = events.interrupted.is_some() || (was_interrupted && failure.is_some());
        let error = if interrupted { Some(stopped()) } else { failure };
        Called { outputs, error, is_gone: false }
    }
}

/// The error of a call in which the process has ended, or before which it had.
fn gone(what: &str) -> CellError {
    let mut error = plain_error("CellProcessDied", what);
    error.traceback.push("All variables are lost. A new process is ready; run the cells again.".to_owned());
    error
}

/// The error of a call that the user has stopped.
fn stopped() -> CellError {
    let value = "the call was interrupted".to_owned();
    let next = "Move a control to call it again.".to_owned();
    CellError { name: "Interrupted".to_owned(), traceback: vec![value.clone(), next], value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_traced_to_the_cell_that_made_the_closure() {
        let directory = tempfile::tempdir().unwrap();
        let compiled = directory.path().join("lib.rs");
        let cell = "let a = 1;\nlet b = f(a); g(b)";
        let source = "pub extern \"C\" fn run_user_code_3() {\nlet a = 1;\nlet b = f(a); g(b)\n}";
        std::fs::write(&compiled, source).unwrap();
        let expansion = crate::magics::expand(cell, &Default::default()).unwrap();
        let mut interactions = Interactions::default();
        interactions.keep(vec!["one".to_owned()], &compiled, &expansion, cell);
        std::fs::write(&compiled, "another cell").unwrap();
        let place = interactions.place("one", &format!("{}:3:9", crate::build_step::COMPILED_SOURCE));
        assert_eq!(place, "line 2, column 9: let b = f(a); g(b)");
        assert_eq!(interactions.place("two", "x.rs:1:1"), "x.rs:1:1");
    }
}
