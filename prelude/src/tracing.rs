//! Launches that are recorded: what each thread of chosen blocks did, statement by statement. [`launch_traced`].
//!
//! `#[kernel]` makes a copy of a kernel that tells its statements (`prelude/macros/src/kernel/instrument.rs`), and
//! `prelude/threads/src/lockstep.rs` says in which order they are executed. `run` has the launch, `film` makes steps of what was
//! recorded, `json` writes them for the player, `report` counts what is slow, and `shown` is what a notebook shows. `roofline` times a
//! launch, and puts it beside the ceilings of its device, which `peaks` measures.

mod arithmetic;
mod film;
mod json;
mod occupancy;
mod peaks;
mod report;
mod roofline;
mod run;
mod shown;

pub use arithmetic::TraceArithmetic;
pub use occupancy::LaunchOccupancy;
pub use report::{TraceFinding, TraceReport, TraceRow};
pub use roofline::{Roofline, roofline, roofline_with, try_roofline, try_roofline_with};

use crate::cell;
use crate::error::{Error, Result};
use crate::failures::Places;
use crate::fallible::fallible;
use crate::launch::{Kernel, KernelArguments, LaunchConfig, Ready, ready};
use crate::raw_kernels::IntoDim3;
use crate::rich::MimeBundle;
use arithmetic::uncounted;
use film::{Cutter, FilmArray, Step};
use report::Counter;
use run::TracedArray;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;
use warpcell_threads::{Elsewhere, Failure, FailureKind, Texts};

fallible! {
    /// As [`launch_checked`](crate::launch_checked), and records what every thread of some blocks does: each statement, with the values
    /// of its variables, what it reads and writes, barriers, functions of the warp, and which lanes of a warp take part. As the last
    /// line of a cell, the [`Trace`] is a film of the launch, which plays forwards and backwards. [`Trace::report`] says line by line
    /// what takes time.
    ///
    /// The threads of a warp execute statements in lockstep, as on a GPU. Of lanes that are at different places, the earliest go first: in
    /// the order of the text, and of passes of a loop the earlier ones. So the lanes that leave a loop wait behind it for the others, and
    /// the two sides of an `if` follow one another. Warps take turns. The call of a `#[device]` function is one step.
    ///
    /// The first block, one in the middle and the last are recorded, and a block whose thread fails; of up to two million events in all.
    /// [`launch_traced_with`] chooses others. All blocks run, so the arrays have the same results as after
    /// [`launch`](fn@crate::launch). The launch runs on the CPU; arrays on a CUDA device are copied to the host before it and what it
    /// writes is copied back, so choose small ones. A recorded block takes up to thirty times as long as in a checked launch.
    ///
    /// A race, a barrier that not all threads reach, an index out of bounds and the like do not end the call: the trace shows where it came
    /// to that, and [`Trace::error`] is the error. After an interrupt, what was recorded is shown, and the call ends with the interrupt.
    ///
    /// In a notebook, variables and statements are known where the cell itself, or a function that it uses, names `launch_traced`. Otherwise
    /// the steps are only the lines that access memory.
    ///
    /// **Panics** if the function has no `#[kernel]`, devices differ, or the CPU cannot launch blocks or grids of that size.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn transpose(a: View<f32>, mut out: ViewMut<f32>) {
    ///     let (x, y) = (thread_idx().x, thread_idx().y);
    ///     out[[x, y]] = a[[y, x]];
    /// }
    ///
    /// let a = gpu::arange(1024.0f32).reshape((32, 32));
    /// let mut out = gpu::zeros::<f32>((32, 32));
    /// let trace = gpu::launch_traced(transpose, 1, (32, 32), (&a, &mut out));
    /// assert!(gpu::array_equal(&out, &a.t()));
    /// // A warp reads 32 neighbours, and writes to 32 rows.
    /// let sectors = |what: &str| trace.report().rows().iter().find(|row| row.access == what).unwrap().value;
    /// assert_eq!((sectors("reads `a`"), sectors("writes `out`")), (4.0, 32.0));
    /// ```
    pub fn launch_traced, try_launch_traced<P, K: Kernel<P>, A: KernelArguments<P>>(
        kernel: K,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: A,
    ) -> Result<Trace> {
        ready("launch_traced", LaunchConfig::new(grid, block), kernel, &arguments, traced)
    }

    /// As [`launch_traced`], with what a [`LaunchConfig`] says: which blocks are recorded, how many events, dynamic shared memory.
    ///
    /// **Panics** as [`launch_traced`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn double(mut a: ViewMut<f32>) {
    ///     let i = global_idx().x;
    ///     a[i] *= 2.0;
    /// }
    ///
    /// let mut a = gpu::ones::<f32>(1024);
    /// let trace = gpu::launch_traced_with(gpu::LaunchConfig::new(16, 64).trace_blocks([0, 7]), double, &mut a);
    /// assert_eq!((trace.recorded_blocks(), a.sum()), (vec![0, 7], 2048.0));
    /// ```
    pub fn launch_traced_with, try_launch_traced_with<P, K: Kernel<P>, A: KernelArguments<P>>(
        config: LaunchConfig,
        kernel: K,
        arguments: A,
    ) -> Result<Trace> {
        ready("launch_traced_with", config, kernel, &arguments, traced)
    }
}

/// What the threads of a launch did, as [`launch_traced`] has recorded it. As the value of a cell it shows itself as a film.
pub struct Trace {
    contents: Mutex<Contents>,
    report: TraceReport,
    error: Option<Error>,
    recorded: Vec<usize>,
    took: Duration,
    text: String,
}

/// All that is known of a launch.
struct Contents {
    kernel: &'static str,
    grid: [usize; 3],
    block: [usize; 3],
    /// The user's line of the first one.
    first: usize,
    lines: Vec<&'static str>,
    given: Vec<TracedArray>,
    texts: Texts,
    arrays: Vec<FilmArray>,
    total_blocks: usize,
    left_out: u64,
    blocks: Vec<FilmBlock>,
    fault: Option<Fault>,
    report: TraceReport,
    notes: Vec<String>,
}

struct FilmBlock {
    index: [usize; 3],
    steps: Vec<Step>,
}

/// What has ended the launch: the number of its block among those recorded, its step, the threads in that block, and in words.
struct Fault {
    block: usize,
    step: usize,
    threads: Vec<usize>,
    kind: &'static str,
    message: String,
}

fn traced(ready: Ready<'_, '_>) -> Result<Trace> {
    let outcome = run::run(&ready)?;
    let kernel = ready.kernel;
    let places = Places::of(&kernel);
    let lines: Vec<&'static str> = kernel.text.source.lines().collect();
    let first = kernel.text.line;
    let (grid, block) = (ready.size.grid.map(|n| n as usize), ready.size.block.map(|n| n as usize));
    let threads = block.iter().product();
    let recording = outcome.recording;
    let mut counter = Counter::new(&recording, &places, &outcome.arrays, threads);
    recording.blocks.iter().for_each(|block| counter.count(block));
    let report = counter.report(&lines, first, uncounted(&kernel));
    let mut cutter = Cutter::new(&recording, &places, &lines, first, &outcome.arrays);
    let [x, y, _] = grid;
    let film = |block: &warpcell_threads::RecordedBlock| FilmBlock {
        index: [block.number % x, block.number / x % y, block.number / x / y],
        steps: cutter.cut(block),
    };
    let blocks: Vec<FilmBlock> = recording.blocks.iter().map(film).collect();
    let (texts, arrays) = (cutter.texts, cutter.arrays);
    let fault = outcome.failure.as_ref().and_then(|failure| {
        let at = recording.blocks.iter().position(|block| block.fault.is_some())?;
        let message = match &outcome.error {
            Some(Error::FunctionFailed { line, reason, .. }) => format!("In line {line}, {reason}."),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let kind = kind_of(failure);
        Some(Fault { block: at, step: recording.blocks[at].fault?, threads: threads_of(failure, block), kind, message })
    });
    let recorded: Vec<usize> = recording.blocks.iter().map(|block| block.number).collect();
    let mut notes = Vec::new();
    if recorded.len() < outcome.blocks {
        notes.push(format!(
            "{} of {} blocks were recorded; `gpu::LaunchConfig::trace_blocks` chooses others.",
            recorded.len(),
            outcome.blocks
        ));
    }
    if recording.left_out > 0 {
        notes.push(format!(
            "The limit of {} events was met: {} more were counted and not recorded. `gpu::LaunchConfig::trace_events` sets it.",
            ready.config.trace_events, recording.left_out
        ));
    }
    if kernel.threads.recorded.is_none() {
        notes.push(
            "Statements and variables are missing, as the kernel was compiled in a cell that traces nothing: run the cell with the \
             kernel again."
                .to_owned(),
        );
    }
    if matches!(outcome.error, Some(Error::Interrupted)) {
        notes.push("The launch was interrupted; this is what was recorded until then.".to_owned());
    }
    let mut contents = Contents {
        kernel: kernel.short_name(),
        grid,
        block,
        first,
        lines,
        given: outcome.arrays,
        texts,
        arrays,
        total_blocks: outcome.blocks,
        left_out: recording.left_out,
        blocks,
        fault,
        report: report.clone(),
        notes,
    };
    if let Some(Error::Interrupted) = outcome.error {
        let text = contents.text();
        crate::rich::display(&MimeBundle::new().text(text).html(shown::html(&mut contents)));
        return Err(Error::Interrupted);
    }
    let text = contents.text();
    let contents = Mutex::new(contents);
    Ok(Trace { contents, report, error: outcome.error, recorded, took: outcome.took, text })
}

impl Contents {
    fn text(&self) -> String {
        let times = |[x, y, z]: [usize; 3]| match [y, z] {
            [1, 1] => x.to_string(),
            [_, 1] => format!("({x}, {y})"),
            _ => format!("({x}, {y}, {z})"),
        };
        let steps: usize = self.blocks.iter().map(|block| block.steps.len()).sum();
        let counted = |count: usize, what: &str| if count == 1 { what.to_owned() } else { format!("{what}s") };
        let mut said = vec![format!(
            "Trace of `{}`, {} {} of {} {}: {steps} {} in {} recorded {}.",
            self.kernel,
            times(self.grid),
            counted(self.grid.iter().product(), "block"),
            times(self.block),
            counted(self.block.iter().product(), "thread"),
            counted(steps, "step"),
            self.blocks.len(),
            counted(self.blocks.len(), "block")
        )];
        said.extend(self.fault.as_ref().map(|fault| fault.message.clone()));
        said.push(self.report.summary().to_owned());
        said.extend(self.notes.iter().cloned());
        said.join("\n")
    }
}

impl Trace {
    /// Why the launch is slow, line by line: sectors of global memory, bank conflicts of shared memory, lanes that are idle, atomics that
    /// collide, and waiting at barriers, counted in the recorded blocks.
    pub fn report(&self) -> TraceReport {
        self.report.clone()
    }

    /// The error of the launch, if a thread has failed.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// The numbers of the blocks that were recorded.
    pub fn recorded_blocks(&self) -> Vec<usize> {
        self.recorded.clone()
    }

    /// How long the launch took.
    pub fn duration(&self) -> Duration {
        self.took
    }

    /// The whole trace as JSON, for programs: what the film is made of.
    pub fn json(&self) -> String {
        json::write(&mut self.lock())
    }

    /// The film as a piece of HTML.
    pub fn html(&self) -> String {
        shown::html(&mut self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        cell::offer_rich(&self.text, || MimeBundle::new().html(self.html()).into_data());
        f.write_str(&self.text)
    }
}

fn kind_of(failure: &Failure) -> &'static str {
    match failure.kind {
        FailureKind::OutOfBounds { .. } | FailureKind::WrongAxes { .. } => "out of bounds",
        FailureKind::Race { .. } => "race",
        FailureKind::DivergentBarrier { .. } => "divergent barrier",
        FailureKind::Uninitialised { .. } => "uninitialised",
        FailureKind::Interrupted => "interrupted",
        _ => "failed",
    }
}

/// The threads of the block that a failure is about, by their numbers.
fn threads_of(failure: &Failure, [x, y, _]: [usize; 3]) -> Vec<usize> {
    let number = |[i, j, k]: [usize; 3]| i + x * (j + y * k);
    let mut threads = vec![number(failure.thread)];
    match &failure.kind {
        FailureKind::Race { first, .. } if first.block == failure.block => threads.push(number(first.thread)),
        FailureKind::DivergentBarrier {
            other: Elsewhere::Ended { thread } | Elsewhere::Waits { thread, .. }, ..
        } => {
            threads.push(number(*thread));
        }
        _ => {}
    }
    threads
}
