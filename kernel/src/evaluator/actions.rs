//! What the kernel offers to the actions of magics: output, the pager, documentation, the next input.

use crate::evaluator::documentation;
use crate::evaluator::failures::plain_error;
use crate::evaluator::formatting;
use crate::evaluator::numpy_names;
use crate::evaluator::paths;
use crate::evaluator::rust::{RustEvaluator, Task};
use crate::evaluator::supervisor_link::SupervisorLink;
use crate::evaluator::{CellError, Outcome, Output, OutputSink, StreamName};
use crate::magics::{self, Action, ActionError, KernelServices, Shown};
use crate::supervisor::{self, Dropped};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

impl RustEvaluator {
    /// Runs the actions of a cell in their order, until one fails.
    pub(super) fn act(&mut self, actions: &[Action], outcome: &mut Outcome, task: Task<'_>) -> Result<(), CellError> {
        let mut services = Services { evaluator: self, outcome, task, has_checked: false };
        let mut actions = actions.iter().filter(|action| action.is_checked || !task.checks);
        actions.try_for_each(|action| action.run(&mut services)).map_err(|error| match error.traceback.is_empty() {
            true => plain_error(&error.name, &error.message),
            false => CellError { name: error.name, value: error.message, traceback: error.traceback },
        })
    }
}

/// The kernel as actions see it while a cell runs.
struct Services<'a> {
    evaluator: &'a mut RustEvaluator,
    outcome: &'a mut Outcome,
    task: Task<'a>,
    /// Whether it has checked code that is only defined when it runs.
    has_checked: bool,
}

impl Services<'_> {
    fn open_pager(&mut self, data: Map<String, Value>) {
        self.outcome.payload.push(json!({ "source": "page", "data": data, "start": 0 }));
    }
}

impl KernelServices for Services<'_> {
    fn print(&mut self, text: &str) {
        let text = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
        (self.task.sink)(Output::Stream { name: StreamName::Stdout, text });
    }

    fn page(&mut self, text: &str) {
        self.open_pager(Map::from_iter([("text/plain".to_owned(), Value::from(text))]));
    }

    fn describe(&mut self, name: &str, source: bool) {
        // The question comes after the cell.
        self.evaluator.assistant.learn_notebook(self.evaluator.notebook());
        let known = self.evaluator.assistant.describe(name);
        // Of macros there is the source only.
        let is_macro = name.ends_with('!');
        let last = name.trim_end_matches('!').rsplit("::").next().unwrap_or(name);
        let source = (source || is_macro).then(|| self.evaluator.sources.of(last)).flatten();
        if known.is_none() && source.is_none() {
            if let Some(nearest) = numpy_names::nearest(name) {
                return self.print(&nearest);
            }
            let mut text = format!(
                "`{name}` is unknown. `%who` lists the variables; a path such as `gpu::zeros` leads to items of \
                 crates."
            );
            if self.evaluator.session.installation.as_ref().is_ok_and(|installation| !installation.has_sources()) {
                text += " The standard library's sources are missing; `warpcell doctor` says how to get them.";
            }
            return self.print(&text);
        }
        let mut data = known.unwrap_or_default();
        if let Some(source) = source {
            documentation::add_source(&mut data, &source);
        }
        self.open_pager(data);
    }

    fn set_next_input(&mut self, text: &str) {
        self.outcome.payload.push(json!({ "source": "set_next_input", "text": text, "replace": true }));
    }

    fn resolve(&self, path: &str) -> PathBuf {
        paths::resolve(path, &directory(&self.evaluator.link))
    }

    fn last_cell_time(&self) -> Option<String> {
        self.evaluator.last_time.as_ref().map(ToString::to_string)
    }

    fn display(&mut self, mime_type: &str, text: &str) {
        let mut data = Map::from_iter([("text/plain".to_owned(), Value::from(text))]);
        data.insert(mime_type.to_owned(), Value::from(text));
        (self.task.sink)(Output::Display { data, metadata: Map::new(), display_id: None, update: false });
    }

    fn inputs(&self) -> Vec<(usize, String)> {
        let before = self.evaluator.inputs.len().saturating_sub(1);
        self.evaluator.inputs[..before].iter().enumerate().map(|(index, text)| (index + 1, text.clone())).collect()
    }

    fn check(&mut self, code: &str) -> Result<(), ActionError> {
        let task = Task { checks: true, ..self.task };
        self.evaluator.execute_text(task, code).map(drop).map_err(|error| failed(error, None))
    }

    fn run(&mut self, file: &str, code: &str) -> Result<(), ActionError> {
        if self.evaluator.nested >= NESTED_RUNS {
            let message = format!("{file} is run by a file that it runs itself; end the circle");
            return Err(ActionError::new("RecursionError", message));
        }
        if self.task.checks && std::mem::replace(&mut self.has_checked, true) {
            return Err(ActionError::new("UsageError", KNOWN_WHEN_IT_RUNS.to_owned()));
        }
        self.evaluator.nested += 1;
        // The value of the cell is that of its own last expression.
        let shown = without_value(self.task.sink);
        let result = self.evaluator.execute_text(Task { sink: &shown, ..self.task }, code);
        self.evaluator.nested -= 1;
        self.outcome.add(result.map_err(|error| failed(error, Some(file)))?);
        Ok(())
    }

    fn text(&mut self, expression: &str) -> Result<String, ActionError> {
        if self.task.checks {
            return Err(ActionError::new("UsageError", VALUES_WHEN_IT_RUNS.to_owned()));
        }
        let file = self.evaluator.session.path().join("text");
        let path = magics::literal(&file.display().to_string());
        let code = format!(
            "{{ let text: &str = {expression}; std::fs::write({path}, text).expect(\"the text is written\"); }}"
        );
        // It is a part of a line, and not a cell.
        let last_time = self.evaluator.last_time.take();
        let result = self.evaluator.execute_text(self.task, &code);
        self.evaluator.last_time = last_time;
        result.map_err(|error| ActionError::new(&error.name, error.value))?;
        let text = std::fs::read_to_string(&file);
        let _ = std::fs::remove_file(&file);
        text.map_err(|error| ActionError::new("FileError", format!("{}: {error}", file.display())))
    }

    fn capture(&mut self, code: &str, shown: Shown, variable: Option<&str>) -> Result<(), ActionError> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (sink, keep) = (Arc::clone(self.task.sink), Arc::clone(&kept));
        let capturing: OutputSink = Arc::new(move |output| {
            let is_shown = match &output {
                Output::Stream { name: StreamName::Stdout, .. } => shown.stdout,
                Output::Stream { name: StreamName::Stderr, .. } => shown.stderr,
                Output::Input { .. } | Output::Waiting { .. } | Output::InteractionClosed { .. } => true,
                _ => shown.displays,
            };
            match is_shown {
                true => sink(output),
                false => keep.lock().unwrap_or_else(PoisonError::into_inner).push(output),
            }
        });
        let result = self.evaluator.execute_text(Task { sink: &capturing, ..self.task }, code);
        let kept = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
        match result {
            Ok(outcome) => self.outcome.add(outcome),
            Err(error) => {
                kept.into_iter().for_each(|output| (self.task.sink)(output));
                return Err(failed(error, None));
            }
        }
        let Some(name) = variable.filter(|_| !self.task.checks) else { return Ok(()) };
        let kept = captured(kept);
        let text = magics::literal(&kept.to_string());
        let line = format!("let {name} = warpcell::session::captured({text});");
        self.evaluator.execute_text(self.task, &line).map(drop).map_err(|error| failed(error, None))?;
        if let Some(dropped) = kept["stderr"].as_str().and_then(supervisor::dropped) {
            let text = format!("{}\n", incomplete(name, dropped, code));
            (self.task.sink)(Output::Stream { name: StreamName::Stderr, text });
        }
        Ok(())
    }

    fn formatted(&self, code: &str) -> Result<String, ActionError> {
        let of_toolchain =
            self.evaluator.session.installation.as_ref().map(|installation| installation.real_tool("rustfmt"));
        let rustfmt = of_toolchain.ok().filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("rustfmt"));
        formatting::formatted(code, &rustfmt, &directory(&self.evaluator.link))
            .map_err(|message| ActionError::new("FormatError", message))
    }
}

/// What is said if `%%capture` could not keep everything.
fn incomplete(name: &str, Dropped { what, limit }: Dropped<'_>, code: &str) -> String {
    let first = code.trim_start().lines().next().unwrap_or_default();
    let first = if first.contains("set_output_limit") { "" } else { first };
    format!(
        "%%capture: `{name}` is not complete: {what} Raise the limit in the first line of the cell:\n\
         %%capture {name}\ngpu::set_output_limit({limit});\n{first}"
    )
    .trim_end()
    .to_owned()
}

/// Outputs as `warpcell::session::captured` reads them. Displays that were replaced are there in their last form, and what was cleared
/// is not there.
fn captured(outputs: Vec<Output>) -> Value {
    let (mut stdout, mut stderr) = (String::new(), String::new());
    let mut displays: Vec<(Option<String>, Map<String, Value>)> = Vec::new();
    // Of an interaction the outputs of its first state are kept: its controls would have nothing to change.
    let outputs = outputs.into_iter().flat_map(|output| match output {
        Output::Interaction { outputs, .. } => outputs,
        other => vec![other],
    });
    for output in outputs {
        match output {
            Output::Stream { name: StreamName::Stdout, text } => stdout.push_str(&text),
            Output::Stream { name: StreamName::Stderr, text } => stderr.push_str(&text),
            Output::Display { data, display_id, update: true, .. } => {
                let same = displays.iter_mut().filter(|(id, _)| *id == display_id);
                same.for_each(|(_, shown)| shown.clone_from(&data));
            }
            Output::Display { data, display_id, .. } => displays.push((display_id, data)),
            Output::Result { data, .. } => displays.push((None, data)),
            Output::Clear { .. } => {
                stdout.clear();
                stderr.clear();
                displays.clear();
            }
            Output::Progress { .. }
            | Output::Waiting { .. }
            | Output::Input { .. }
            | Output::Interaction { .. }
            | Output::InteractionClosed { .. } => {}
        }
    }
    let displays: Vec<Map<String, Value>> = displays.into_iter().map(|(_, data)| data).collect();
    json!({ "stdout": stdout, "stderr": stderr, "outputs": displays })
}

/// A sink that shows the value of a cell as a display.
pub fn without_value(sink: &OutputSink) -> OutputSink {
    let sink = Arc::clone(sink);
    Arc::new(move |output| {
        sink(match output {
            Output::Result { data, metadata } => Output::Display { data, metadata, display_id: None, update: false },
            other => other,
        });
    })
}

/// The error of a cell that is checked, and uses what a file defines.
pub const KNOWN_WHEN_IT_RUNS: &str = "`%check` runs nothing, so it does not know what `%run` defines: run the line with `%run` in a cell of \
     its own first, and check the other lines without it";

/// The error of a cell that is checked, and names a file by values of variables.
const VALUES_WHEN_IT_RUNS: &str =
    "`%check` runs nothing, so it does not know the values in the name of the file: write the name itself";

/// How deep `%run` may go: files that run files.
const NESTED_RUNS: usize = 8;

/// The error of a cell as that of an action, with the file that the cell's text is from.
fn failed(error: CellError, file: Option<&str>) -> ActionError {
    let mut traceback = error.traceback;
    traceback.extend(file.map(|file| format!("in {file}")));
    ActionError { name: error.name, message: error.value, traceback }
}

/// The current directory of the cells. This is the directory of the process that runs them, or else of the kernel.
pub fn directory(link: &SupervisorLink) -> PathBuf {
    let process = link.state().cell_process;
    process
        .and_then(|process| std::fs::read_link(format!("/proc/{process}/cwd")).ok())
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_default()
}
