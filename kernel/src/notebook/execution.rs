//! Executes the cells of a notebook, one after another, in a new kernel.

use super::client::{End, Session};
use super::outputs::Collector;
use super::{FAILS, Finding, SKIPPED, code_cells, errors_of, has_tag, language, plain, source};
use anyhow::{Result, bail};
use jupyter_protocol::JupyterMessageContent;
use nbformat::v4::{Cell, Notebook};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// What a notebook's metadata tell of its execution under this key.
pub const RECORD: &str = "warpcell";

/// How the execution of a notebook went.
#[derive(Default)]
pub struct Outcome {
    /// The cell at which it ended, and why.
    pub failure: Option<Finding>,
    /// The signal that ended it, such as that of Ctrl-C.
    pub interrupted: Option<i32>,
    pub seconds: f64,
    /// The cells that ran, and their seconds.
    pub cells: Vec<(usize, f64)>,
}

impl Outcome {
    /// Whether the outputs of a cell can be judged: it ran, and did not end the execution.
    pub fn can_judge(&self, cell: usize) -> bool {
        let ran = |failure: &Finding| failure.cell != cell && self.cells.iter().any(|(ran, _)| *ran == cell);
        self.failure.as_ref().is_none_or(ran)
    }
}

/// What is told while cells run.
pub enum Event {
    Begins { cell: usize },
    Ends { cell: usize, seconds: f64 },
}

/// Executes all cells until one fails that is not meant to. The outputs that the notebook has are taken out first. A cell may take
/// `limit`. `watch` is told of each cell, with the notebook as it is then.
pub fn execute(
    notebook: &mut Notebook,
    folder: &Path,
    limit: Option<Duration>,
    watch: &mut dyn FnMut(&Notebook, Event),
) -> Result<Outcome> {
    check_language(notebook)?;
    for cell in notebook.cells.iter_mut().filter(|cell| !has_tag(cell, SKIPPED)) {
        if let Cell::Code { outputs, execution_count, .. } = cell {
            outputs.clear();
            *execution_count = None;
        }
    }
    let began = Instant::now();
    let mut session = Session::start(folder)?;
    let mut collector = Collector::default();
    let mut outcome = Outcome::default();
    let mut device = String::new();
    let cells: Vec<(usize, String)> = code_cells(notebook).map(|(number, cell)| (number, source(cell))).collect();
    for (cell, code) in &cells {
        let cell = *cell;
        watch(notebook, Event::Begins { cell });
        let start = Instant::now();
        let end = session.execute(code, limit, &mut |message| collector.take(notebook, cell, message))?;
        let seconds = start.elapsed().as_secs_f64();
        outcome.cells.push((cell, seconds));
        outcome.interrupted = end.signal();
        if let (End::Replied { count, .. }, Cell::Code { execution_count, .. }) = (&end, &mut notebook.cells[cell]) {
            *execution_count = i32::try_from(*count).ok();
        }
        watch(notebook, Event::Ends { cell, seconds });
        if let Some(text) = failure(&notebook.cells[cell], &end, limit) {
            outcome.failure = Some(Finding { cell, text });
            break;
        }
    }
    if outcome.failure.is_none() {
        let mut hear = |message| {
            if let JupyterMessageContent::StreamContent(stream) = message {
                device += &stream.text;
            }
        };
        let end = session.ask("println!(\"{}\", gpu::device_info());", &mut hear)?;
        outcome.interrupted = end.signal();
        if !matches!(end, End::Replied { failed: false, .. }) {
            device.clear();
        }
    }
    outcome.seconds = began.elapsed().as_secs_f64();
    record(notebook, &outcome, device.trim());
    Ok(outcome)
}

/// Why the execution ends with this cell.
fn failure(cell: &Cell, end: &End, limit: Option<Duration>) -> Option<String> {
    let is_meant_to_fail = has_tag(cell, FAILS);
    match end {
        End::Interrupted { .. } => Some("it was interrupted".to_owned()),
        End::TimedOut => {
            Some(format!("it took longer than {} s, and was interrupted", limit.unwrap_or_default().as_secs_f64()))
        }
        End::Died(status) => Some(format!("the kernel ended ({status})")),
        End::Replied { failed: true, .. } if !is_meant_to_fail => {
            let error = errors_of(cell).next();
            let text = error.map(|error| match error.traceback.join("\n") {
                traceback if traceback.is_empty() => format!("{}: {}", error.ename, error.evalue),
                traceback => plain(&traceback),
            });
            Some(text.unwrap_or_else(|| "it failed, and said no error".to_owned()))
        }
        End::Replied { failed: false, .. } if is_meant_to_fail => {
            Some(format!("it is tagged `{FAILS}` but did not fail"))
        }
        End::Replied { .. } => None,
    }
}

/// Only notebooks in Rust are executed. One that does not say its language may be in Rust.
fn check_language(notebook: &Notebook) -> Result<()> {
    match language(notebook) {
        Some(language) if !language.eq_ignore_ascii_case("rust") => bail!(
            "this notebook is in {language}, and only notebooks in Rust are executed. \
             `jupyter nbconvert --to notebook --execute NOTEBOOK` executes others"
        ),
        _ => Ok(()),
    }
}

/// Writes to the notebook's metadata how its execution went.
fn record(notebook: &mut Notebook, outcome: &Outcome, device: &str) {
    let id = |cell: usize| notebook.cells[cell].id().as_str();
    let seconds = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    let times = outcome.cells.iter().map(|&(cell, time)| json!({ "id": id(cell), "seconds": seconds(time) }));
    let mut told = json!({
        "device": device,
        "executed": chrono::Local::now().format("%Y-%m-%d").to_string(),
        "seconds": seconds(outcome.seconds),
        "cells": times.collect::<Value>(),
    });
    if let Some(failure) = &outcome.failure {
        told["failed"] = id(failure.cell).into();
    }
    notebook.metadata.additional.insert(RECORD.to_owned(), told);
}

/// Writes to the metadata that a cell is not as it should be, though all ran.
pub fn record_failure(notebook: &mut Notebook, cell: usize) {
    let id = notebook.cells[cell].id().as_str().to_owned();
    if let Some(told) = notebook.metadata.additional.get_mut(RECORD) {
        told["failed"] = id.into();
    }
}
