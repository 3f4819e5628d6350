//! Outputs of cells as a notebook keeps them, of the messages that a kernel publishes.

use jupyter_protocol::media::Media;
use jupyter_protocol::{JupyterMessageContent, Stdio};
use nbformat::v4::{Cell, DisplayData, ErrorOutput, ExecuteResult, MultilineString, Notebook, Output};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Where displays with an identifier are, and whether a cell's outputs go with the next one.
#[derive(Default)]
pub struct Collector {
    displays: HashMap<String, Vec<(usize, usize)>>,
    clears: bool,
}

impl Collector {
    /// Adds what a message says to the outputs of the cell that runs.
    pub fn take(&mut self, notebook: &mut Notebook, cell: usize, message: JupyterMessageContent) {
        let (output, transient) = match message {
            JupyterMessageContent::ClearOutput(request) if request.wait => {
                self.clears = true;
                return;
            }
            JupyterMessageContent::ClearOutput(_) => return self.clear(notebook, cell),
            JupyterMessageContent::UpdateDisplayData(update) => {
                let id = update.transient.display_id.unwrap_or_default();
                return self.update(notebook, &id, &update.data, &update.metadata);
            }
            JupyterMessageContent::StreamContent(stream) => {
                let name = if matches!(stream.name, Stdio::Stderr) { "stderr" } else { "stdout" };
                (Output::Stream { name: name.to_owned(), text: MultilineString(stream.text) }, None)
            }
            JupyterMessageContent::DisplayData(shown) => {
                let display = DisplayData { data: shown.data, metadata: shown.metadata };
                (Output::DisplayData(display), shown.transient)
            }
            JupyterMessageContent::ExecuteResult(result) => {
                let (execution_count, data, metadata) = (result.execution_count, result.data, result.metadata);
                (Output::ExecuteResult(ExecuteResult { execution_count, data, metadata }), result.transient)
            }
            JupyterMessageContent::ErrorOutput(error) => {
                let (ename, evalue, traceback) = (error.ename, error.evalue, error.traceback);
                (Output::Error(ErrorOutput { ename, evalue, traceback }), None)
            }
            _ => return,
        };
        if std::mem::take(&mut self.clears) {
            self.clear(notebook, cell);
        }
        let Some(outputs) = outputs_of(notebook, cell) else { return };
        if let Some(id) = transient.and_then(|transient| transient.display_id) {
            self.displays.entry(id).or_default().push((cell, outputs.len()));
        }
        match (outputs.last_mut(), output) {
            (Some(Output::Stream { name, text }), Output::Stream { name: next, text: more }) if *name == next => {
                text.0 += &more.0;
            }
            (_, output) => outputs.push(output),
        }
    }

    fn clear(&mut self, notebook: &mut Notebook, cell: usize) {
        outputs_of(notebook, cell).into_iter().for_each(Vec::clear);
        self.displays.values_mut().for_each(|places| places.retain(|place| place.0 != cell));
    }

    /// Changes all displays of an identifier.
    fn update(&self, notebook: &mut Notebook, id: &str, data: &Media, metadata: &Map<String, Value>) {
        for &(cell, place) in self.displays.get(id).into_iter().flatten() {
            let shown = outputs_of(notebook, cell).and_then(|outputs| outputs.get_mut(place));
            let (old, old_metadata) = match shown {
                Some(Output::DisplayData(display)) => (&mut display.data, &mut display.metadata),
                Some(Output::ExecuteResult(result)) => (&mut result.data, &mut result.metadata),
                _ => continue,
            };
            (*old, *old_metadata) = (data.clone(), metadata.clone());
        }
    }
}

fn outputs_of(notebook: &mut Notebook, cell: usize) -> Option<&mut Vec<Output>> {
    match notebook.cells.get_mut(cell)? {
        Cell::Code { outputs, .. } => Some(outputs),
        Cell::Markdown { .. } | Cell::Raw { .. } => None,
    }
}
