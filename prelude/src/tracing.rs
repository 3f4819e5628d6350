//! Launches that are recorded: what each thread of chosen blocks did, statement by statement. [`launch_traced`].
//!
//! `#[kernel]` makes a copy of a kernel that tells its statements (`prelude/macros/src/kernel/instrument.rs`), and
//! `prelude/threads/src/lockstep.rs` says in which order they are executed. `run` has the launch, `contents` puts together what
//! was recorded, `film` makes steps of it, `json` writes them for the player, `report` counts what is slow, and `shown` is what a notebook
//! shows. `roofline` times a launch, and puts it beside the ceilings of its device, which `peaks` measures.

mod arithmetic;
mod cell;
mod contents;
mod element;
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

use crate::cell::offer_rich;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::launch::{Kernel, KernelArguments, LaunchConfig, Ready, ready};
use crate::raw_kernels::IntoDim3;
use crate::rich::MimeBundle;
pub(crate) use cell::{is_watched, watched};
pub use cell::{trace_begin, trace_end, trace_value};
use contents::Contents;
pub(crate) use contents::{Opening, Recorded};
pub(crate) use element::{ElementArgument, trace_element};
pub(crate) use run::{TracedArray, lines_of};
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

fallible! {
    /// As [`launch_checked`](crate::launch_checked), and records what every thread of some blocks does: each statement, with the values
    /// of its variables, what it reads and writes, barriers, functions of the warp, and which lanes of a warp take part. As the last
    /// line of a cell, the [`Trace`] is a film of the launch, which plays forwards and backwards. [`Trace::report`] says line by line
    /// what takes time.
    ///
    /// The threads of a warp execute statements in lockstep, as on a GPU. Of lanes that are at different places, the earliest go first: in
    /// the order of the text, and of passes of a loop the earlier ones. So the lanes that leave a loop wait behind it for the others, and
    /// the two sides of an `if` follow one another. Warps take turns. A `#[device]` function is stepped into
    /// where its line is known: all lanes that call it come back together.
    ///
    /// The first block, one in the middle and the last are recorded, and a block whose thread fails; of up to two million events in all.
    /// [`launch_traced_with`] chooses others. All blocks run, so the arrays have the same results as after
    /// [`launch`](fn@crate::launch). The launch runs on the CPU; arrays on a CUDA device are copied to the host before it and what it
    /// writes is copied back, so choose small ones. A recorded block takes up to thirty times as long as in a checked launch, and hundreds
    /// of times if its threads mostly compute without accessing memory, as each statement is recorded. The others take no longer.
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

fn traced(ready: Ready<'_, '_>) -> Result<Trace> {
    Trace::or_shown(run::run(&ready)?)
}

impl Trace {
    /// Of a launch.
    pub(crate) fn new(recorded: Recorded, opens: Option<Opening>) -> Trace {
        let blocks = recorded.recording.blocks.iter().map(|block| block.number).collect();
        let (error, took) = (recorded.error.clone(), recorded.took);
        let contents = Contents::new(recorded, opens);
        let (report, text) = (contents.report.clone(), contents.text());
        Trace { contents: Mutex::new(contents), report, error, recorded: blocks, took, text }
    }

    /// The same; if the user has ended the launch, what was recorded is shown, and the error comes back.
    pub(crate) fn or_shown(recorded: Recorded) -> Result<Trace> {
        let trace = Trace::new(recorded, None);
        match trace.error {
            Some(Error::Interrupted) => {
                trace.display();
                Err(Error::Interrupted)
            }
            _ => Ok(trace),
        }
    }

    /// Shows it at once, while the cell runs.
    pub(crate) fn display(&self) {
        crate::rich::display(&MimeBundle::new().text(&self.text).html(self.html()));
    }

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

    /// The elements of the arrays after the launch, of those that are small, with their names: for tests.
    #[doc(hidden)]
    pub fn arrays_after(&self) -> Vec<(String, Vec<String>)> {
        let contents = self.lock();
        let known = contents.given.iter().filter_map(|array| Some((array.name.to_owned(), array.texts_after()?)));
        known.collect()
    }

    /// The film as a piece of HTML.
    pub fn html(&self) -> String {
        let mut contents = self.lock();
        let fallback = shown::fallback(&contents);
        shown::html(&mut contents, &fallback)
    }

    /// The same beneath something else that is shown where no scripts run.
    pub(crate) fn html_beneath(&self) -> String {
        let fallback = "<p>Here is the film of this launch. It plays where scripts run, so not in a notebook that is not trusted.</p>";
        shown::html(&mut self.lock(), fallback)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        offer_rich(&self.text, || MimeBundle::new().html(self.html()).into_data());
        f.write_str(&self.text)
    }
}
