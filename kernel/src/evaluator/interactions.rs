//! Calls of interactions' closures. The place of a panic is a line of the cell that the closure is from.

use crate::controls::Call;
use crate::evaluator::failures::{Traced, failure_at, internal, place_in_source, plain_error};
use crate::evaluator::origins::Origin;
use crate::evaluator::rust::RustEvaluator;
use crate::evaluator::supervisor_link::CallEnded;
use crate::evaluator::{Called, CellError, OutputSink};
use std::sync::Arc;

/// The place of a panic in words.
fn place(origin: Option<&Origin>, location: &str) -> String {
    let Some(origin) = origin else { return location.to_owned() };
    let traced = Traced { expansion: &origin.expansion, cell: &origin.cell, code: &origin.expansion.code };
    place_in_source(location, &origin.source, &traced)
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
        let origin = self.link.state().origins.of(&call.id);
        let place_of = |location: &str| place(origin.as_deref(), location);
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
    use crate::evaluator::origins::Origins;

    #[test]
    fn a_panic_is_traced_to_the_cell_that_made_the_closure() {
        let directory = tempfile::tempdir().unwrap();
        let compiled = directory.path().join("lib.rs");
        let cell = "let a = 1;\nlet b = f(a); g(b)";
        let source = "pub extern \"C\" fn run_user_code_3() {\nlet a = 1;\nlet b = f(a); g(b)\n}";
        std::fs::write(&compiled, source).unwrap();
        let expansion = crate::magics::expand(cell, &Default::default()).unwrap();
        let mut origins = Origins::default();
        origins.keep(vec!["one".to_owned()], &compiled, &expansion, cell);
        std::fs::write(&compiled, "another cell").unwrap();
        let location = format!("{}:3:9", crate::build_step::COMPILED_SOURCE);
        let place = |id: &str| place(origins.of(id).as_deref(), &location);
        assert_eq!(place("one"), "line 2, column 9: let b = f(a); g(b)");
        assert_eq!(place("two"), location);
    }
}
