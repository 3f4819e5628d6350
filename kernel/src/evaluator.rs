//! The seam between the protocol and the language: the trait [`Evaluator`] and what crosses it.
//!
//! Sockets and the request loop know this trait and nothing of evcxr; `evaluator/rust.rs` implements it for Rust
//! cells, `evaluator/echo.rs` for tests of the protocol.

pub mod actions;
pub mod advice;
pub mod assistant;
pub mod celltime;
pub mod commands;
pub mod completion;
pub mod context;
mod corrections;
mod devices;
pub mod diagnostics;
pub mod doc_pages;
mod documentation;
pub mod echo;
pub mod elements;
pub mod ended;
pub mod failures;
mod formatting;
mod interactions;
pub mod interrupts;
mod numpy_names;
mod open_call;
pub mod open_types;
mod origins;
pub mod paths;
pub mod places;
pub mod rust;
pub mod session_directory;
pub mod setting_up;
pub mod supervisor_link;
pub mod variable_history;

use crate::controls::{Call, Interaction};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Output of a running cell, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Text on a stream.
    Stream {
        /// `stdout` or `stderr`.
        name: StreamName,
        /// The text; may end anywhere, not only at a line's end.
        text: String,
    },
    /// A display with one representation per MIME type.
    Display {
        /// MIME type to content: text as a string, binary content in base64, JSON types as JSON.
        data: Map<String, Value>,
        /// Metadata per MIME type.
        metadata: Map<String, Value>,
        /// Identity for later updates.
        display_id: Option<String>,
        /// Whether this replaces the display of that identity instead of adding one.
        update: bool,
    },
    /// How far something is: a bar, or a line in clients that have neither HTML nor updates.
    Progress {
        /// As in `Display`: the bar as HTML, the line as plain text.
        data: Map<String, Value>,
        /// Which bar.
        id: String,
        /// Whether the bar exists already.
        update: bool,
        /// Whether the bar will not move again.
        done: bool,
    },
    /// The value of the cell's last expression.
    Result {
        /// As in `Display`.
        data: Map<String, Value>,
        /// As in `Display`.
        metadata: Map<String, Value>,
    },
    /// Removes what the cell has shown so far.
    Clear {
        /// Whether to wait for the next output, to avoid flicker.
        wait: bool,
    },
    /// What the cell waits for. It is shown if the cell has shown nothing yet, and removed before what the cell shows.
    Waiting {
        /// One line; `None`: it waits no longer.
        what: Option<String>,
    },
    /// Asks the user for a line. The cell waits for [`InterruptHandle::answer`].
    Input {
        /// What the user is asked.
        prompt: String,
        /// Whether the line must not be shown.
        password: bool,
    },
    /// A closure that controls of the notebook call has been called for the first time.
    Interaction {
        /// The closure's identity, and its controls.
        interaction: Interaction,
        /// What it has shown, in order.
        outputs: Vec<Output>,
    },
    /// Closures cannot be called any more.
    InteractionClosed {
        /// The one that the program has closed. `None`: all, because the process that had them has ended.
        id: Option<String>,
        /// One of them that was being called, whose error is yet to be shown.
        but: Option<String>,
    },
}

/// The answer to a cell that asked the user for a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum InputAnswer {
    /// What the user has typed.
    Value {
        /// The line, without its end.
        value: String,
    },
    /// Nobody can be asked.
    Refused {
        /// Why, and what to do instead.
        reason: String,
    },
    /// The cell was interrupted.
    Interrupted,
}

/// One of the two text streams of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamName {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Receives outputs; called from several threads.
pub type OutputSink = Arc<dyn Fn(Output) + Send + Sync>;

/// Why a cell failed, as Jupyter shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellError {
    /// Kind of the error: `CompileError`, `Panic`, `Interrupted`, `CellProcessDied`, `UsageError`, …
    pub name: String,
    /// The message in one line or a few.
    pub value: String,
    /// What the front end shows; may contain ANSI colours.
    pub traceback: Vec<String>,
}

/// What a finished cell leaves behind besides its outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Jupyter payloads, such as a page or the text of the next cell.
    pub payload: Vec<Value>,
    /// Whether the cell has asked for the end of the kernel.
    pub quits: bool,
}

impl Outcome {
    /// Adds what code within the cell leaves behind.
    pub fn add(&mut self, other: Outcome) {
        self.payload.extend(other.payload);
        self.quits |= other.quits;
    }
}

/// What a call of an interaction's closure has led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Called {
    /// What it has shown, in order.
    pub outputs: Vec<Output>,
    /// Why it has failed.
    pub error: Option<CellError>,
    /// Whether the process that has the closures has ended.
    pub is_gone: bool,
}

/// One completion candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// `function`, `variable`, `magic`, … as JupyterLab names types.
    pub kind: String,
    /// The parameters and the result of a function, such as `(image: &A, mode: Mode) -> f64`, if they are known.
    pub signature: Option<String>,
}

/// Candidates to replace the text from `start` to `end` (byte offsets into the code).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completions {
    /// The candidates, best first.
    pub candidates: Vec<Completion>,
    /// Start of the replaced text.
    pub start: usize,
    /// End of the replaced text.
    pub end: usize,
}

/// Whether a cell can be run as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can.
    Complete,
    /// More lines are needed; the next one starts with this indentation.
    Incomplete {
        /// Spaces for the next line.
        indent: String,
    },
    /// It is wrong whatever follows.
    Invalid,
}

/// Stops a running cell and answers its questions; usable from other threads while `execute` runs.
pub trait InterruptHandle: Send + Sync {
    /// Asks the cell of this number to stop.
    ///
    /// It may not have begun, and then must not; or it may have ended, and then nothing happens: least of all to the
    /// cell after it.
    fn interrupt(&self, cell: u64);
    /// Whether the cell of this number, the last one, has not run any code yet. The user need not wait for the end of
    /// such a cell: the work that it still does has no effect.
    fn has_not_run(&self, cell: u64) -> bool;
    /// What the cell of this number, the last one, waits for before its code runs, in one line. `None`: its code runs.
    fn waits_for(&self, _cell: u64) -> Option<&'static str> {
        None
    }
    /// Passes the user's answer to the running cell. If no cell waits, nothing happens.
    fn answer(&self, answer: InputAnswer);
    /// Drops the closure of an interaction. If it runs, it comes to its end.
    fn forget(&self, _interaction: &str) {}
    /// Ends all child processes at once, at shutdown.
    fn kill(&self);
}

/// Runs cells. It lives on its own thread. Other threads use only [`InterruptHandle`].
pub trait Evaluator {
    /// A handle to stop cells.
    fn interrupt_handle(&self) -> Arc<dyn InterruptHandle>;
    /// Runs a cell. `Ok` means that it ran to its end. Cells are numbered in their order, from 1.
    ///
    /// All outputs of the cell have been given to `sink` when this returns.
    fn execute(&mut self, cell: u64, code: &str, sink: &OutputSink) -> Result<Outcome, CellError>;
    /// Calls the closure of an interaction. It has a number as a cell has, by which it can be interrupted.
    ///
    /// What it shows is returned. What other code shows meanwhile in outputs of the notebook is given to `sink`.
    fn call(&mut self, _number: u64, _call: &Call, _sink: &OutputSink) -> Called {
        Called::default()
    }
    /// Keeps the text of a numbered cell, just before it runs.
    fn keep_input(&mut self, _code: &str) {}
    /// Does one part of the work that makes later cells faster, while no job waits. Returns `false` when no part is
    /// left.
    ///
    /// A cell that arrives in the meantime waits for the part, so parts are short.
    fn warm_up(&mut self) -> bool {
        false
    }
    /// Called when nothing was asked for some seconds after the warming: the time for what takes long.
    fn rest(&mut self) {}
    /// Called after `idle`, a long time without a job, when the user is probably away. Frees memory that can be filled again
    /// later, unless something has used it in the meantime. Whether all of it is free; if not, it is called again later.
    /// After the next job [`Evaluator::rest`] follows as before.
    fn free_memory(&mut self, _idle: Duration) -> bool {
        true
    }
    /// Candidates at a byte offset.
    fn complete(&mut self, code: &str, cursor: usize) -> Completions;
    /// Documentation of the code at a byte offset, by MIME type. `None` if nothing is known.
    fn inspect(&mut self, code: &str, cursor: usize, detail: u8) -> Option<Map<String, Value>>;
    /// Whether the code can be run as it stands.
    fn is_complete(&self, code: &str) -> Completeness;
    /// The banner of `kernel_info`.
    fn banner(&self) -> String;
}
