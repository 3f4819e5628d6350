//! A thread that owns an evaluator and does one job after the other.

use super::event::{Answer, Event, LaneName, Ready};
use super::log::log;
use crate::completeness;
use crate::controls::Call;
use crate::environment;
use crate::evaluator::{Called, CellError, Completions, Evaluator, OutputSink};
use crate::wire::request::{AtCursor, Execute, IsComplete};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Makes an evaluator, on the thread that will own it.
///
/// An error does not end the kernel: each cell is answered with it, so that the user reads it in the notebook.
pub type Factory = Box<dyn FnOnce() -> anyhow::Result<Box<dyn Evaluator>> + Send>;

/// The evaluators of a language.
pub struct Language {
    /// Runs the cells.
    pub evaluator: Factory,
    /// Answers completion and inspection. Without it they wait for cells.
    pub assistant: Option<Factory>,
    /// How long the first cell may take before it says what it waits for.
    pub patience: Duration,
}

/// A client's request to an evaluator.
#[derive(Clone)]
pub enum Task {
    /// Run a cell.
    Execute(Execute),
    /// Call the closure of an interaction.
    Call(Call),
    /// Find candidates.
    Complete(AtCursor),
    /// Find documentation.
    Inspect(AtCursor),
    /// Say whether code is finished.
    IsComplete(IsComplete),
}

impl Task {
    /// Whether it is a cell.
    pub fn is_cell(&self) -> bool {
        matches!(self, Self::Execute(_))
    }

    /// Whether it runs the user's code, and can be interrupted.
    pub fn runs_code(&self) -> bool {
        matches!(self, Self::Execute(_) | Self::Call(_))
    }

    /// Has an evaluator do it; `cell` is the number of a cell, or of a call.
    fn answer(&self, cell: u64, evaluator: &mut dyn Evaluator, sink: &OutputSink) -> Answer {
        match self {
            Self::Execute(execute) => {
                if execute.store_history && !execute.silent {
                    evaluator.keep_input(&execute.code);
                }
                Answer::Executed(evaluator.execute(cell, &execute.code, sink))
            }
            Self::Call(call) => Answer::Called(evaluator.call(cell, call, sink)),
            Self::Complete(at) => Answer::Completed(evaluator.complete(&at.code, at.byte_offset())),
            Self::Inspect(at) => Answer::Inspected(evaluator.inspect(&at.code, at.byte_offset(), at.detail_level)),
            Self::IsComplete(IsComplete { code }) => Answer::Completeness(evaluator.is_complete(code)),
        }
    }

    /// The answer when no evaluator can do it.
    pub fn failed(&self, error: CellError) -> Answer {
        match self {
            Self::Execute(_) => Answer::Executed(Err(error)),
            Self::Call(_) => Answer::Called(Called { error: Some(error), ..Called::default() }),
            Self::Complete(at) => {
                let cursor = at.byte_offset();
                Answer::Completed(Completions { candidates: vec![], start: cursor, end: cursor })
            }
            Self::Inspect(_) => Answer::Inspected(None),
            Self::IsComplete(IsComplete { code }) => Answer::Completeness(completeness::is_complete(code)),
        }
    }
}

/// Work for an evaluator: the number of the cell or call, if it is one, and the task.
pub type Job = (u64, Task);

/// Starts the thread. It ends when the jobs' sender is dropped, or with the process.
pub fn start(
    name: LaneName,
    factory: Factory,
    sink: OutputSink,
    events: UnboundedSender<Event>,
) -> std::io::Result<mpsc::Sender<Job>> {
    let (jobs, received) = mpsc::channel();
    std::thread::Builder::new()
        .name(format!("{name:?}").to_lowercase())
        // rust-analyzer recurses deeply. Only the touched pages use memory.
        .stack_size(64 << 20)
        .spawn(move || run(name, factory, &sink, &received, &events))?;
    Ok(jobs)
}

/// A time without jobs after which the user reads or writes: what takes the processors for long does not slow a cell.
const QUIET: Duration = Duration::from_secs(2);

/// How long no job has come. It decides what an idle evaluator does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quiet {
    /// The client has just heard that the kernel is there. Its first cells come now, and the first part of the warming
    /// takes long.
    New,
    /// There is more to warm up.
    Cold,
    /// The evaluator has not rested yet.
    Warm,
    /// The evaluator has all that it may need, and keeps it while the user may come back soon.
    Rested,
    /// The user is away; there is nothing left to do.
    Away,
}

impl Quiet {
    /// How long this lasts without jobs.
    fn patience(self, until_away: Duration) -> Duration {
        match self {
            // A cell that waited for the start comes at once, and before any warming.
            Quiet::New => Duration::from_millis(250),
            Quiet::Cold => Duration::from_millis(20),
            Quiet::Warm => QUIET,
            Quiet::Rested => until_away,
            Quiet::Away => Duration::MAX,
        }
    }

    /// Does the work that is due, and returns the next state. If the work panics, the result is missing and is made
    /// when it is needed.
    fn next(self, evaluator: &mut dyn Evaluator, until_away: Duration) -> Quiet {
        let work = AssertUnwindSafe(|| match self {
            Quiet::New | Quiet::Cold => evaluator.warm_up(),
            Quiet::Warm => {
                evaluator.rest();
                false
            }
            Quiet::Rested | Quiet::Away => !evaluator.free_memory(until_away),
        });
        let has_more = catch_unwind(work).unwrap_or(false);
        match self {
            Quiet::New | Quiet::Cold if has_more => Quiet::Cold,
            Quiet::New | Quiet::Cold => Quiet::Warm,
            Quiet::Warm => Quiet::Rested,
            Quiet::Rested | Quiet::Away if has_more => Quiet::Rested,
            Quiet::Rested | Quiet::Away => Quiet::Away,
        }
    }
}

fn run(
    lane: LaneName,
    factory: Factory,
    sink: &OutputSink,
    jobs: &mpsc::Receiver<Job>,
    events: &UnboundedSender<Event>,
) {
    let made = catch_unwind(AssertUnwindSafe(factory))
        .unwrap_or_else(|panic| Err(anyhow::anyhow!("a bug in Warpcell: {}", panic_message(panic.as_ref()))));
    let mut evaluator = match made {
        Ok(evaluator) => evaluator,
        Err(error) => {
            log(format_args!("the {lane:?} cannot start: {error:#}"));
            let _ = events.send(Event::Started { lane, outcome: Err(start_error(&error)) });
            return;
        }
    };
    let ready = Ready { handle: evaluator.interrupt_handle(), banner: evaluator.banner() };
    let _ = events.send(Event::Started { lane, outcome: Ok(ready) });
    let until_away = environment::until_away();
    let mut quiet = Quiet::New;
    loop {
        let (cell, task) = match jobs.recv_timeout(quiet.patience(until_away)) {
            Ok(job) => job,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                quiet = quiet.next(evaluator.as_mut(), until_away);
                continue;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        };
        // A panic costs only one answer, not the session. rust-analyzer panics on some unfinished code.
        let answer = catch_unwind(AssertUnwindSafe(|| task.answer(cell, evaluator.as_mut(), sink)))
            .unwrap_or_else(|panic| task.failed(bug(panic.as_ref())));
        if quiet == Quiet::Away {
            quiet = Quiet::Warm;
        }
        if events.send(Event::Answered { lane, answer }).is_err() {
            return;
        }
    }
}

fn start_error(error: &anyhow::Error) -> CellError {
    CellError {
        name: "KernelStartError".into(),
        value: error.to_string(),
        traceback: vec![
            format!("The kernel could not start: {error:#}"),
            "`warpcell doctor` in a terminal says what is missing. Install it, then restart the kernel.".into(),
        ],
    }
}

fn bug(panic: &(dyn Any + Send)) -> CellError {
    let value = format!("a bug in Warpcell: {}", panic_message(panic));
    let hint = "Variables may be lost. If later cells fail without reason, restart the kernel.";
    CellError { name: "KernelError".into(), traceback: vec![value.clone(), hint.into()], value }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic without a message")
}
