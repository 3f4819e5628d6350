//! A cell that has ended: what is known about it, and its error.

use crate::build_step::{self, BuildAnswer, Types};
use crate::evaluator::corrections::Axes;
use crate::evaluator::diagnostics::{Check, Facts, Missed, Notebook, compile_error};
use crate::evaluator::documentation::DefinitionSources;
use crate::evaluator::failures::{
    Traced, build_output, interrupted, locate, lost_values_text, moved_text, plain_error, process_died,
};
use crate::evaluator::supervisor_link::Events;
use crate::evaluator::{CellError, advice, commands};
use evcxr::Error;
use std::collections::BTreeSet;

/// The variables that there were before the cell.
pub struct Before {
    /// With their types.
    pub types: Types,
    /// Their names.
    pub names: BTreeSet<String>,
    /// The implementations that are left out.
    pub replaced: Option<String>,
}

/// What is known about a cell that has ended.
pub struct Ended {
    /// The variables before it.
    pub before: Before,
    /// The build step's answer about it.
    pub answer: BuildAnswer,
    /// Whether the process that runs the cells has ended.
    pub has_died: bool,
    /// How that process ended, as the supervisor has seen it.
    pub exit: Option<String>,
    /// The events while it ran.
    pub events: Events,
    /// Whether the user has asked to stop it.
    pub was_interrupted: bool,
}

impl Ended {
    /// The error of a cell that evcxr could not run.
    pub fn error_of(
        &self,
        error: Error,
        traced: &Traced<'_>,
        missed: Missed<'_>,
        (axes, sources): (&Axes, &DefinitionSources),
        check: Check<'_>,
    ) -> CellError {
        if self.was_interrupted {
            return interrupted(if self.has_died { &self.before.names } else { const { &BTreeSet::new() } });
        }
        match error {
            Error::SubprocessTerminated(message) => {
                process_died(self.exit.as_deref().unwrap_or(&message), &self.before.names)
            }
            Error::CompilationErrors(errors) => {
                let place = |line, column| locate(traced.expansion, traced.cell, line, column);
                // Other code has other lines than the cell.
                let is_plain = traced.code == traced.cell && !commands::has_any(traced.cell);
                compile_error(
                    &errors,
                    self.answer.diagnostics.as_ref(),
                    traced.cell,
                    traced.code,
                    &place,
                    Notebook {
                        missed,
                        facts: Facts {
                            type_of: &|name| self.before.types.get(name).map(|its_type| build_step::in_scope(its_type)),
                            axes: &|name| axes.of(name),
                            source: &|name| sources.of(name),
                        },
                        check: is_plain.then_some(check),
                    },
                )
            }
            Error::TypeRedefinedVariablesLost(names) => CellError {
                name: "VariablesLost".to_owned(),
                value: format!(
                    "the types of these variables were redefined, so their values are lost: {}",
                    names.join(", ")
                ),
                traceback: vec!["Run the cell again; it will run without these variables.".to_owned()],
            },
            Error::Message(message) => advice::error_for(&message).unwrap_or_else(|| {
                let is_about_crates = message.starts_with("Failed to load the project at");
                let problem = self.answer.problem_of_crates.as_deref().filter(|_| is_about_crates);
                plain_error("EvaluationError", build_output(problem.unwrap_or(&message)))
            }),
        }
    }

    /// The error of a cell that failed while it ran, with the values that are lost: `moved` variables, and new values
    /// of variables that are still `known`.
    pub fn with_lost(&self, mut failure: CellError, moved: &[String], known: &BTreeSet<String>) -> CellError {
        let lost = &self.events.lost;
        // A value that was moved before the failing statement is in its new place.
        let is_lost = |name: &&String| !self.answer.report.by_statements || lost.contains(name);
        let moved: Vec<String> = moved.iter().filter(is_lost).cloned().collect();
        if !moved.is_empty() {
            failure.traceback.push(moved_text(&moved));
        }
        failure.traceback.extend(lost_values_text(lost, known, &moved));
        failure
    }
}
