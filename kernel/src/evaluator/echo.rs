//! An evaluator without a language, for tests of the protocol: each line of a cell is a command.
//!
//! | line | effect |
//! |---|---|
//! | `print TEXT`, `eprint TEXT` | a line on standard output or error |
//! | `partial TEXT` | text without a newline |
//! | `flood BYTES` | that much text, in lines |
//! | `display TEXT`, `update TEXT` | a display with the identity `echo`, or its replacement |
//! | `progress TEXT`, `progressed TEXT` | a bar, or its last state |
//! | `clear` | removes the output |
//! | `result TEXT` | the value of the cell |
//! | `page TEXT` | a payload |
//! | `late FILE` | a thread that outlives the cell reads the file, a pipe, and prints what comes |
//! | `deaf FILE` | the cell reads the file, a pipe, to its end, and prints what comes, whatever the user asks |
//! | `compile FILE` | the cell waits for a compiler, until it has read the file, a pipe, to its end; only then it runs |
//! | `ask TEXT`, `ask-secret TEXT` | asks the user, and prints the answer |
//! | `error NAME` | the cell fails |
//! | `interact TEXT` | an interaction with a slider from 0 to 9, which shows the text; 8 is an error, 9 waits for an interrupt |
//! | `sleep-until-interrupted` | the cell waits, and fails when it is interrupted |
//! | `pass` | nothing |
//! | `panic` | a bug in the evaluator |
//!
//! Anything else is printed as it is.

use super::{
    Called, CellError, Completeness, Completion, Completions, Evaluator, InputAnswer, InterruptHandle, Outcome, Output,
    OutputSink, StreamName,
};
use crate::completeness;
use crate::controls::{Call, Control, Interaction, Kind};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// See the module.
#[derive(Default)]
pub struct Echo {
    interrupts: Arc<EchoInterrupts>,
}

/// Knows the last cell that must stop, and the user's answer.
#[derive(Default)]
struct EchoInterrupts {
    cell: Mutex<u64>,
    changed: Condvar,
    answer: Mutex<Option<InputAnswer>>,
    answered: Condvar,
    compiles: AtomicBool,
}

impl EchoInterrupts {
    fn wait_for(&self, cell: u64) {
        let last = self.cell.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(last, |last| *last < cell));
    }

    fn wait_for_answer(&self) -> InputAnswer {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.answered.wait_while(answer, |answer| answer.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).take().unwrap_or(InputAnswer::Interrupted)
    }
}

impl InterruptHandle for EchoInterrupts {
    fn interrupt(&self, cell: u64) {
        let mut last = self.cell.lock().unwrap_or_else(PoisonError::into_inner);
        *last = cell.max(*last);
        self.changed.notify_all();
        self.answer(InputAnswer::Interrupted);
    }

    fn answer(&self, answer: InputAnswer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        self.answered.notify_all();
    }

    fn has_not_run(&self, _cell: u64) -> bool {
        true
    }

    fn waits_for(&self, _cell: u64) -> Option<&'static str> {
        self.compiles.load(Ordering::Relaxed).then_some("Waiting for the compiler.")
    }

    fn kill(&self) {}
}

impl Evaluator for Echo {
    fn interrupt_handle(&self) -> Arc<dyn InterruptHandle> {
        Arc::clone(&self.interrupts) as Arc<dyn InterruptHandle>
    }

    fn execute(&mut self, cell: u64, code: &str, sink: &OutputSink) -> Result<Outcome, CellError> {
        self.run(cell, code, sink)
    }

    /// Shows the values.
    fn call(&mut self, number: u64, call: &Call, _sink: &OutputSink) -> Called {
        let error = match call.values[0].as_i64() {
            Some(8) => Some(error("TooMuch", "asked for")),
            Some(9) => {
                self.interrupts.wait_for(number);
                Some(error("Interrupted", "the call was interrupted"))
            }
            _ => None,
        };
        Called { outputs: vec![stream(StreamName::Stdout, json!(call.values).to_string())], error, is_gone: false }
    }

    /// Completes the word before the cursor to its capitals.
    fn complete(&mut self, code: &str, cursor: usize) -> Completions {
        let start = code[..cursor].rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let candidate =
            Completion { text: code[start..cursor].to_uppercase(), kind: "keyword".into(), signature: None };
        Completions { candidates: vec![candidate], start, end: cursor }
    }

    /// Knows the text up to the cursor, unless there is none.
    fn inspect(&mut self, code: &str, cursor: usize, _: u8) -> Option<Map<String, Value>> {
        (cursor > 0).then(|| bundle(&code[..cursor]))
    }

    fn is_complete(&self, code: &str) -> Completeness {
        completeness::is_complete(code)
    }

    fn banner(&self) -> String {
        "echo".into()
    }
}

impl Echo {
    fn run(&mut self, cell: u64, code: &str, sink: &OutputSink) -> Result<Outcome, CellError> {
        let (mut payload, mut quits) = (Vec::new(), false);
        for line in code.lines() {
            let (command, text) = line.split_once(' ').unwrap_or((line, ""));
            match command {
                "print" => sink(stream(StreamName::Stdout, format!("{text}\n"))),
                "eprint" => sink(stream(StreamName::Stderr, format!("{text}\n"))),
                "partial" => sink(stream(StreamName::Stdout, text.to_owned())),
                "flood" => flood(text.parse().unwrap_or(0), sink),
                "display" => sink(display(text, false)),
                "update" => sink(display(text, true)),
                "progress" => sink(progress(text, false)),
                "progressed" => sink(progress(text, true)),
                "clear" => sink(Output::Clear { wait: false }),
                "result" => sink(Output::Result { data: bundle(text), metadata: Map::new() }),
                "page" => payload.push(json!({ "source": "page", "data": bundle(text), "start": 0 })),
                "late" => late(text.to_owned(), sink),
                "deaf" => sink(stream(StreamName::Stdout, read(text))),
                "compile" => {
                    self.interrupts.compiles.store(true, Ordering::Relaxed);
                    read(text);
                    self.interrupts.compiles.store(false, Ordering::Relaxed);
                    sink(Output::Waiting { what: None });
                }
                "ask" | "ask-secret" => self.ask(text, command == "ask-secret", sink)?,
                "interact" => {
                    let kind = Kind::IntSlider { min: 0, max: 9, step: 1, value: 1 };
                    let rows = vec![vec![Control { name: "n".to_owned(), kind }]];
                    let interaction = Interaction { id: text.to_owned(), rows };
                    let outputs = vec![stream(StreamName::Stdout, text.to_owned())];
                    sink(Output::Interaction { interaction, outputs });
                }
                "error" => return Err(error(text, "asked for")),
                "sleep-until-interrupted" => {
                    self.interrupts.wait_for(cell);
                    return Err(error("Interrupted", "the cell was interrupted"));
                }
                "pass" => {}
                "quit" => quits = true,
                "panic" => panic!("asked for"),
                _ => sink(stream(StreamName::Stdout, line.to_owned())),
            }
        }
        Ok(Outcome { payload, quits })
    }
}

impl Echo {
    fn ask(&self, prompt: &str, password: bool, sink: &OutputSink) -> Result<(), CellError> {
        // An earlier cell may have been interrupted after it had its answer.
        *self.interrupts.answer.lock().unwrap_or_else(PoisonError::into_inner) = None;
        sink(Output::Input { prompt: prompt.to_owned(), password });
        match self.interrupts.wait_for_answer() {
            InputAnswer::Value { value } => sink(stream(StreamName::Stdout, format!("{value}\n"))),
            InputAnswer::Refused { reason } => return Err(error("Refused", &reason)),
            InputAnswer::Interrupted => return Err(error("Interrupted", "the cell was interrupted")),
        }
        Ok(())
    }
}

fn late(pipe: String, sink: &OutputSink) {
    let sink = Arc::clone(sink);
    std::thread::spawn(move || {
        sink(stream(StreamName::Stdout, read(&pipe)));
    });
}

fn read(pipe: &str) -> String {
    std::fs::read_to_string(pipe).unwrap_or_else(|error| error.to_string())
}

fn flood(bytes: usize, sink: &OutputSink) {
    let line = format!("{}\n", "x".repeat(999));
    for _ in 0..bytes / line.len() {
        sink(stream(StreamName::Stdout, line.clone()));
    }
}

fn stream(name: StreamName, text: String) -> Output {
    Output::Stream { name, text }
}

fn display(text: &str, update: bool) -> Output {
    Output::Display { data: bundle(text), metadata: Map::new(), display_id: Some("echo".into()), update }
}

fn progress(text: &str, done: bool) -> Output {
    Output::Progress { data: bundle(text), id: "echo".into(), update: done, done }
}

fn bundle(text: &str) -> Map<String, Value> {
    Map::from_iter([("text/plain".to_owned(), json!(text))])
}

fn error(name: &str, value: &str) -> CellError {
    CellError { name: name.into(), value: value.into(), traceback: vec![format!("{name}: {value}")] }
}
