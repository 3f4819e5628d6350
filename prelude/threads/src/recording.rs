//! What is recorded of chosen blocks of a launch: every step of every warp, with what its lanes did.

use crate::arithmetic::Operations;
use crate::failure::Memory;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::Location;

/// What is to be recorded.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The numbers of the blocks, in ascending order.
    pub blocks: Vec<usize>,
    /// Whether no other blocks run.
    pub only: bool,
    /// As many events are recorded at most, in equal parts for the blocks.
    pub most_events: usize,
    /// The lines of the kernel in the file that was compiled.
    pub lines: Range<u32>,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The blocks, in the order in which they ran.
    pub blocks: Vec<RecordedBlock>,
    /// The variables that events name.
    pub names: Vec<LocalName>,
    /// The values that events name.
    pub texts: Texts,
    /// The memory that events name.
    pub arrays: Vec<RecordedArray>,
    /// What the recorded threads computed, by the lines of the file that was compiled.
    pub operations: BTreeMap<u32, Operations>,
    /// How many events there were beyond the limit, in blocks that were to be recorded.
    pub left_out: u64,
}

/// Texts that are named by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    all: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Texts {
    /// All of them, by their numbers.
    pub fn all(&self) -> &[String] {
        &self.all
    }

    /// The number of a text, which it gets if it has none.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let number = self.all.len() as u32;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// Memory that was accessed.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedArray {
    /// What it is.
    pub memory: Memory,
    /// The lengths of its axes.
    pub shape: Vec<usize>,
    /// The name of the elements' type.
    pub dtype: &'static str,
    /// How many bytes an element has.
    pub size: usize,
}

/// A variable: its name, and the positions of the statements in which it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalName {
    /// As it is written.
    pub name: &'static str,
    /// The statement that makes it; zero for one that is only known to be assigned to.
    pub start: u32,
    /// The last statement of its block.
    pub end: u32,
}

/// What was recorded of a block.
#[derive(Clone, Debug, Default)]
pub struct RecordedBlock {
    /// Its number in the grid, `x` first.
    pub number: usize,
    /// In the order in which they were made.
    pub steps: Vec<RecordedStep>,
    /// Those of the first step, then those of the second, and so on.
    pub events: Vec<Event>,
    /// Whether there was more than the limit allows.
    pub is_cut: bool,
    /// The step of the failure that ended the launch.
    pub fault: Option<usize>,
}

/// A statement that lanes of a warp execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// The warp; none if a barrier of the block opens.
    pub warp: Option<u32>,
    /// The line of the file that was compiled.
    pub line: u32,
    /// The statement's number in the kernel, from 1; 0 if it is none of the kernel's, or a return to one.
    pub position: u32,
    /// What it is then, if it is a statement.
    pub called: Option<Called>,
    /// The lanes that take part.
    pub mask: u32,
    /// Its first event.
    pub first: usize,
    /// How often the threads of the block had met at a barrier before.
    pub phase: u32,
}

/// A statement of a function that is called, or one to which such a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// How many calls lead to the statement.
    pub depth: u32,
    /// Its number in its function.
    pub position: u32,
}

/// What a lane did in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The lane.
    pub lane: u8,
    /// What it did.
    pub what: What,
    /// Where, if it is an access.
    pub place: Option<&'static Location<'static>>,
}

/// What a lane did. Values, variables and memory are given by their numbers in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum What {
    /// A variable was bound.
    Local { name: u32, value: u32 },
    /// A variable got another value.
    Assigned { name: u32, value: u32 },
    /// An element was read, by its number in C order.
    Read { array: u32, index: u32, value: u32 },
    /// An element was written; the value is there after it.
    Write { array: u32, index: u32, value: u32 },
    /// An element was changed by an atomic operation.
    Atomic { array: u32, index: u32, old: u32, new: u32 },
    /// A function of the warp or the block has given a value.
    Result { operation: u32, value: u32 },
    /// The lane waits for its block.
    Waits,
    /// Everybody goes on from the barrier of the block.
    Opens,
    /// The thread has ended.
    Ends,
    /// The launch fails here.
    Fails,
}

impl RecordedBlock {
    /// The events of a step.
    pub fn events_of(&self, step: usize) -> &[Event] {
        let end = self.steps.get(step + 1).map_or(self.events.len(), |next| next.first);
        &self.events[self.steps[step].first..end]
    }
}
