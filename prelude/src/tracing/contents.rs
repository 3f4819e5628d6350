//! All that is known of a launch that was recorded, put together.

use super::arithmetic::uncounted;
use super::film::{Cutter, FilmArray, Step};
use super::report::{Counter, TraceReport};
use super::run::{TracedArray, number_of};
use crate::error::Error;
use crate::failures::Places;
use crate::registry::Kernel;
use std::time::Duration;
use warpcell_threads::{Elsewhere, Event, Failure, FailureKind, Recording, Texts, What};

/// The lanes of a warp.
pub(super) const LANES: usize = 32;

/// A launch that was recorded, as it went.
pub(crate) struct Recorded {
    pub kernel: Kernel,
    pub grid: [usize; 3],
    pub block: [usize; 3],
    pub most_events: usize,
    pub arrays: Vec<TracedArray>,
    pub recording: Recording,
    pub failure: Option<Failure>,
    pub error: Option<Error>,
    pub took: Duration,
    /// What is said of the launch's size and of the chosen blocks.
    pub notes: Vec<String>,
    /// If it was the element of a function over arrays.
    pub element: Option<TracedElement>,
}

/// An element of a function over arrays: its index, and what the function has given.
pub(crate) struct TracedElement {
    pub index: Vec<usize>,
    pub gives: Vec<String>,
}

/// Where the player opens, if no thread has failed: what is to be said there, and what is marked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opening {
    /// The number of the block among those recorded.
    pub block: usize,
    /// After so many steps.
    pub position: usize,
    pub message: String,
    /// The number of the thread in its block.
    pub thread: Option<usize>,
    /// The number of the array among those of the launch, and that of the element in C order.
    pub element: Option<(usize, usize)>,
}

/// All that is known of a launch.
pub(super) struct Contents {
    pub kernel: &'static str,
    pub grid: [usize; 3],
    pub block: [usize; 3],
    /// The user's line of the first one.
    pub first: usize,
    pub lines: Vec<&'static str>,
    /// The functions that were called and have told their statements.
    pub functions: Vec<FilmFunction>,
    pub given: Vec<TracedArray>,
    pub texts: Texts,
    pub arrays: Vec<FilmArray>,
    pub total_blocks: usize,
    pub left_out: u64,
    pub blocks: Vec<FilmBlock>,
    pub fault: Option<Fault>,
    pub opens: Option<Opening>,
    pub element: Option<TracedElement>,
    pub report: TraceReport,
    pub notes: Vec<String>,
}

/// A function that is called: its name, the user's line of the first one, and its lines.
pub(super) struct FilmFunction {
    pub name: &'static str,
    pub first: usize,
    pub lines: Vec<&'static str>,
}

pub(super) struct FilmBlock {
    pub index: [usize; 3],
    pub steps: Vec<Step>,
}

/// What has ended the launch: the number of its block among those recorded, its step, the threads in that block, and in words.
pub(super) struct Fault {
    pub block: usize,
    pub step: usize,
    pub threads: Vec<usize>,
    pub kind: &'static str,
    pub message: String,
    /// The other side of a race, if it is in another block.
    pub other: Option<OtherSide>,
}

/// The first access of a race between blocks: its block among those recorded, after how many steps it has been made, and by which of
/// the block's threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OtherSide {
    pub block: usize,
    pub position: usize,
    pub thread: usize,
}

impl Contents {
    pub fn new(recorded: Recorded, opens: Option<Opening>) -> Contents {
        let Recorded { kernel, grid, block, most_events, arrays: given, notes: said, .. } = recorded;
        let Recorded { recording, failure, error, element, .. } = recorded;
        let places = Places::of(&kernel);
        let lines: Vec<&'static str> = kernel.text.source.lines().collect();
        let first = kernel.text.line;
        let threads = block.iter().product();
        let mut counter = Counter::new(&recording, &places, &given, threads);
        recording.blocks.iter().for_each(|block| counter.count(block));
        let report = counter.report(&lines, first, uncounted(&kernel));
        let mut cutter = Cutter::new(&recording, &places, &lines, first, &given);
        let [x, y, _] = grid;
        let film = |block: &warpcell_threads::RecordedBlock| FilmBlock {
            index: [block.number % x, block.number / x % y, block.number / x / y],
            steps: cutter.cut(block),
        };
        let blocks: Vec<FilmBlock> = recording.blocks.iter().map(film).collect();
        let functions = cutter.functions[1..].iter().map(|&name| {
            let (source, first) = places.text_of(name).unwrap_or(("", 1));
            FilmFunction { name, first, lines: source.lines().collect() }
        });
        let functions = functions.collect();
        let (texts, arrays) = (cutter.texts, cutter.arrays);
        let fault = failure.as_ref().and_then(|failure| {
            let at = recording.blocks.iter().position(|block| block.fault.is_some())?;
            let message = match &error {
                Some(Error::FunctionFailed { line, reason, .. }) => format!("In line {line}, {reason}."),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            let kind = kind_of(failure);
            Some(Fault {
                block: at,
                step: recording.blocks[at].fault?,
                threads: threads_of(failure, block),
                kind,
                message,
                other: other_side(failure, &recording, grid, block),
            })
        });
        let total_blocks = grid.iter().product();
        let mut notes = Vec::new();
        if blocks.len() < total_blocks {
            notes.push(format!(
                "{} of {total_blocks} blocks were recorded; `gpu::LaunchConfig::trace_blocks` chooses others.",
                blocks.len()
            ));
        }
        notes.extend(said);
        if recording.left_out > 0 {
            let advice = if element.is_none() { " `gpu::LaunchConfig::trace_events` sets it." } else { "" };
            notes.push(format!(
                "The limit of {most_events} events was met: {} more were counted and not recorded.{advice}",
                recording.left_out
            ));
        }
        if kernel.threads.recorded.is_none() {
            notes.push(
                "Statements and variables are missing, as the kernel was compiled in a cell that traces nothing: run the cell \
                 with the kernel again."
                    .to_owned(),
            );
        }
        if matches!(error, Some(Error::Interrupted)) {
            notes.push("The launch was interrupted; this is what was recorded until then.".to_owned());
        }
        Contents {
            kernel: kernel.short_name(),
            grid,
            block,
            first,
            lines,
            functions,
            given,
            texts,
            arrays,
            total_blocks,
            left_out: recording.left_out,
            blocks,
            fault,
            opens,
            element,
            report,
            notes,
        }
    }

    pub fn text(&self) -> String {
        let times = |[x, y, z]: [usize; 3]| match [y, z] {
            [1, 1] => x.to_string(),
            [_, 1] => format!("({x}, {y})"),
            _ => format!("({x}, {y}, {z})"),
        };
        let steps: usize = self.blocks.iter().map(|block| block.steps.len()).sum();
        let counted = |count: usize, what: &str| if count == 1 { what.to_owned() } else { format!("{what}s") };
        if let Some(TracedElement { index, gives }) = &self.element {
            let mut said = vec![format!(
                "Trace of `{}` for the element {index:?}: {steps} {}.",
                self.kernel,
                counted(steps, "step")
            )];
            match &gives[..] {
                [] => {}
                [one] => said.push(format!("It gives {one}.")),
                all => said.push(format!("It gives ({}).", all.join(", "))),
            }
            said.extend(self.fault.as_ref().map(|fault| fault.message.clone()));
            said.extend(self.notes.iter().cloned());
            return said.join("\n");
        }
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
        said.extend(self.opens.as_ref().map(|opens| opens.message.clone()));
        // What a launch that has failed costs is not what its reader wants to know.
        said.extend(self.fault.is_none().then(|| self.report.summary().to_owned()));
        said.extend(self.notes.iter().cloned());
        said.join("\n")
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

/// Where the first access of a race was, if that is another block than the one that has failed.
fn other_side(failure: &Failure, recording: &Recording, grid: [usize; 3], block: [usize; 3]) -> Option<OtherSide> {
    let FailureKind::Race { memory, index, first, .. } = &failure.kind else { return None };
    let number = number_of(first.block, grid);
    let at = recording.blocks.iter().position(|block| block.number == number && first.block != failure.block)?;
    let (found, thread) = (&recording.blocks[at], number_of(first.thread, block));
    let array = recording.arrays.iter().position(|array| array.memory == *memory)?;
    let element = index.iter().zip(&recording.arrays[array].shape).fold(0, |all, (index, length)| all * length + index);
    let is_it = |event: &Event| match event.what {
        What::Read { array: of, index, .. }
        | What::Write { array: of, index, .. }
        | What::Atomic { array: of, index, .. } => {
            (of as usize, index as usize) == (array, element) && usize::from(event.lane) == thread % LANES
        }
        _ => false,
    };
    let is_of_it = |step: &usize| {
        found.steps[*step].warp == Some((thread / LANES) as u32) && found.events_of(*step).iter().any(is_it)
    };
    let step = (0..found.steps.len()).rev().find(is_of_it)?;
    Some(OtherSide { block: at, position: step + 1, thread })
}

/// The threads of the block that a failure is about, by their numbers.
fn threads_of(failure: &Failure, block: [usize; 3]) -> Vec<usize> {
    let number = |thread| number_of(thread, block);
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
