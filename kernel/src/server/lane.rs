//! A thread that owns an evaluator and does one job after the other.

use super::event::{Answer, Event, LaneName, Ready};
use super::log::log;
use crate::environment;
use crate::evaluator::{CellError, Completeness, Completions, Evaluator, OutputSink};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Makes an evaluator, on the thread that will own it.
///
/// An error does not end the kernel: each cell is answered with it, so that the user reads it in the notebook.
pub type Factory = Box<dyn FnOnce() -> anyhow::Result<Box<dyn Evaluator>> + Send>;

/// What a kernel needs to know of its language.
pub struct Language {
    /// Runs the cells.
    pub evaluator: Factory,
    /// Answers completion and inspection while a cell runs. Without it they wait for the cell.
    pub assistant: Option<Factory>,
}

/// Work for an evaluator.
pub enum Job {
    /// Run the cell of this number.
    Execute(u64, String),
    /// Find candidates at a byte offset.
    Complete(String, usize),
    /// Find documentation at a byte offset.
    Inspect(String, usize),
    /// Say whether code is finished.
    IsComplete(String),
}

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
        // rust-analyzer recurses deeply; only what is touched becomes memory.
        .stack_size(64 << 20)
        .spawn(move || run(name, factory, &sink, &received, &events))?;
    Ok(jobs)
}

/// A time without jobs after which the user reads or writes: what takes the processors for long does not slow a cell.
const QUIET: Duration = Duration::from_secs(2);

/// How quiet it is: what an evaluator does while it has no job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quiet {
    /// There is more to warm up.
    Cold,
    /// The evaluator has not rested yet.
    Warm,
    /// It has what it may need, and keeps it while the user may come back soon.
    Rested,
    /// The user is away; there is nothing left to do.
    Away,
}

impl Quiet {
    /// How long this lasts without jobs.
    fn patience(self, until_away: Duration) -> Duration {
        match self {
            // A cell that waited for the start comes at once, and before any warming.
            Quiet::Cold => Duration::from_millis(20),
            Quiet::Warm => QUIET,
            Quiet::Rested => until_away,
            Quiet::Away => Duration::MAX,
        }
    }

    /// Does what is to be done when the time has passed, and gives what follows. A panic costs what it would have
    /// prepared, which is made when it is needed.
    fn next(self, evaluator: &mut dyn Evaluator) -> Quiet {
        let done = |work: &mut dyn FnMut() -> bool| catch_unwind(AssertUnwindSafe(work)).unwrap_or(false);
        match self {
            Quiet::Cold => {
                if done(&mut || evaluator.warm_up()) {
                    Quiet::Cold
                } else {
                    Quiet::Warm
                }
            }
            Quiet::Warm => {
                done(&mut || {
                    evaluator.rest();
                    true
                });
                Quiet::Rested
            }
            Quiet::Rested | Quiet::Away => {
                done(&mut || {
                    evaluator.retire();
                    true
                });
                Quiet::Away
            }
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
    let mut quiet = Quiet::Cold;
    loop {
        let job = match jobs.recv_timeout(quiet.patience(until_away)) {
            Ok(job) => job,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                quiet = quiet.next(evaluator.as_mut());
                continue;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        };
        let answer = do_job(evaluator.as_mut(), job, sink);
        if quiet == Quiet::Away {
            quiet = Quiet::Warm;
        }
        if events.send(Event::Answered { lane, answer }).is_err() {
            return;
        }
    }
}

/// A panic costs the one answer, not the session: rust-analyzer panics on some unfinished code.
fn do_job(evaluator: &mut dyn Evaluator, job: Job, sink: &OutputSink) -> Answer {
    match job {
        Job::Execute(cell, code) => {
            let result = catch_unwind(AssertUnwindSafe(|| evaluator.execute(cell, &code, sink)));
            Answer::Executed(result.unwrap_or_else(|panic| Err(bug(panic.as_ref()))))
        }
        Job::Complete(code, cursor) => {
            let result = catch_unwind(AssertUnwindSafe(|| evaluator.complete(&code, cursor)));
            let nothing = || Completions { candidates: vec![], start: cursor, end: cursor };
            Answer::Completed(result.unwrap_or_else(|_| nothing()))
        }
        Job::Inspect(code, cursor) => {
            let result = catch_unwind(AssertUnwindSafe(|| evaluator.inspect(&code, cursor)));
            Answer::Inspected(result.unwrap_or_default())
        }
        Job::IsComplete(code) => {
            let result = catch_unwind(AssertUnwindSafe(|| evaluator.is_complete(&code)));
            Answer::Completeness(result.unwrap_or(Completeness::Complete))
        }
    }
}

fn start_error(error: &anyhow::Error) -> CellError {
    CellError {
        name: "KernelStartError".into(),
        value: error.to_string(),
        traceback: vec![
            format!("The kernel could not start: {error:#}"),
            "`warpcell doctor` in a terminal says what is missing. Restart the kernel after mending it.".into(),
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
