//! The process that completes and documents: an evcxr context that runs nothing. The definitions of
//! the session come as code before each question, so the process has no state that could be wrong.

use crate::environment::{EVCXR_IS_RUNTIME, SESSION};
use crate::evaluator::Completions;
use crate::evaluator::completion::{complete, inspect, nothing};
use crate::evaluator::context::{WARM_UP, open_context};
use crate::evaluator::documentation;
use crate::magics::Notebook;
use crate::printing::errln;
use anyhow::{Context, Result};
use evcxr::CommandContext;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;

/// The kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HelpGoal {
    /// Candidates.
    Complete,
    /// Documentation.
    Inspect {
        /// Jupyter's level.
        detail: u8,
    },
    /// The documentation of a path, which the code is.
    Describe,
}

/// A question about a place in a cell.
#[derive(Debug, Serialize, Deserialize)]
pub struct HelpQuestion {
    /// The kind of question.
    pub goal: HelpGoal,
    /// The session's `:dep` commands.
    pub crates: Vec<String>,
    /// The definitions of the session, as code.
    pub known: String,
    /// The cell.
    pub code: String,
    /// The place in it, in bytes.
    pub cursor: usize,
}

/// The answer to a question.
#[derive(Debug, Serialize, Deserialize)]
pub enum HelpAnswer {
    /// To [`HelpGoal::Complete`].
    Completions(Completions),
    /// To [`HelpGoal::Inspect`] and [`HelpGoal::Describe`], by MIME type.
    Documentation(Option<Map<String, Value>>),
}

/// The role: answers until the kernel closes the connection, which is this process's standard input. evcxr starts its
/// runtime with the same environment; that one runs no cells but says that it had.
pub fn run() -> i32 {
    if std::env::var_os(EVCXR_IS_RUNTIME).is_some() {
        return pretend();
    }
    // rust-analyzer recurses deeply.
    let thread = std::thread::Builder::new().name("assistant".to_owned()).stack_size(64 << 20).spawn(serve);
    match thread.map_err(anyhow::Error::from).and_then(|thread| thread.join().unwrap_or(Ok(()))) {
        Ok(()) => 0,
        Err(error) => {
            errln!("the process that completes: {error:#}");
            1
        }
    }
}

/// The first line of the process, when it can answer soon.
const READY: &str = "ready";

/// evcxr's runtime, without cells.
fn pretend() -> i32 {
    for _ in std::io::stdin().lines().map_while(Result::ok) {
        if writeln!(std::io::stdout(), "EVCXR_EXECUTION_COMPLETE").is_err() {
            break;
        }
    }
    0
}

fn serve() -> Result<()> {
    let mut connection = take_standard_input()?;
    let session = std::env::var_os(SESSION).map(PathBuf::from).context("the session has no directory")?;
    let command = Command::new(std::env::current_exe()?);
    let context = open_context(&session, command).map_err(anyhow::Error::msg)?;
    let mut helper = Helper { context, crates: Vec::new() };
    let (sender, questions) = mpsc::channel();
    let reader = BufReader::new(connection.try_clone()?);
    std::thread::Builder::new().name("questions".to_owned()).spawn(move || {
        for line in reader.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        // The kernel is gone. Nobody waits for the running analysis.
        std::process::exit(0);
    })?;
    let mut cold = WARM_UP.iter();
    if let Some(code) = cold.next() {
        // The first question takes seconds, so it is not the user's.
        let _ = helper.context.completions(code, code.len());
    }
    writeln!(connection, "{READY}")?;
    loop {
        let line = match questions.try_recv() {
            Ok(line) => line,
            Err(mpsc::TryRecvError::Empty) => match cold.next() {
                Some(code) => {
                    // Only what rust-analyzer learns by it counts.
                    let _ = helper.context.completions(code, code.len());
                    continue;
                }
                None => match questions.recv() {
                    Ok(line) => line,
                    Err(_) => return Ok(()),
                },
            },
            Err(mpsc::TryRecvError::Disconnected) => return Ok(()),
        };
        let question: HelpQuestion = serde_json::from_str(&line)?;
        // rust-analyzer panics on some unfinished code.
        let answer = catch_unwind(AssertUnwindSafe(|| helper.answer(&question)));
        let answer = answer.unwrap_or_else(|_| nothing_for(&question));
        writeln!(connection, "{}", serde_json::to_string(&answer)?)?;
    }
}

struct Helper {
    context: CommandContext,
    /// The `:dep` commands that were carried out.
    crates: Vec<String>,
}

impl Helper {
    fn answer(&mut self, question: &HelpQuestion) -> HelpAnswer {
        let missing: Vec<&String> = question.crates.iter().filter(|line| !self.crates.contains(line)).collect();
        if !missing.is_empty() {
            let commands = missing.iter().map(|line| line.as_str()).collect::<Vec<_>>().join("\n");
            // The session has built them, so they are in the cache.
            if let Err(error) = self.context.execute(&commands) {
                errln!("{commands}: unknown to completions: {error}");
            }
            self.crates = question.crates.clone();
        }
        let HelpQuestion { goal, known, code, cursor, .. } = question;
        match goal {
            HelpGoal::Complete => {
                HelpAnswer::Completions(complete(&mut self.context, &Notebook::default(), known, code, *cursor))
            }
            HelpGoal::Inspect { detail } => {
                HelpAnswer::Documentation(inspect(&mut self.context, known, code, *cursor, *detail))
            }
            HelpGoal::Describe => HelpAnswer::Documentation(documentation::of(known, code, &mut self.context)),
        }
    }
}

fn nothing_for(question: &HelpQuestion) -> HelpAnswer {
    match question.goal {
        HelpGoal::Complete => HelpAnswer::Completions(nothing(question.cursor)),
        HelpGoal::Inspect { .. } | HelpGoal::Describe => HelpAnswer::Documentation(None),
    }
}

/// The connection that is standard input, which is empty from then on: the tools that evcxr starts must not read it.
fn take_standard_input() -> Result<UnixStream> {
    let connection = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let empty = std::fs::File::open("/dev/null")?;
    // SAFETY: both descriptors are open. The connection has a descriptor of its own by now.
    if unsafe { libc::dup2(empty.as_raw_fd(), libc::STDIN_FILENO) } < 0 {
        return Err(std::io::Error::last_os_error()).context("standard input cannot be emptied");
    }
    Ok(connection)
}
