//! Running a kernel on a puzzle's arrays, recorded, and comparing what it does with what it should.

use super::case::{Case, Topic};
use super::film::{self, Film};
use crate::tracing::{Trace, TracedArray};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use warpcell_threads::{
    AccessKind, Elsewhere, Failure, FailureKind, Launch, Memory, Mode, Plan, RecordedAccess, Recording, record,
};

/// As many events of a launch are recorded at most. The kernels of puzzles have some thousands.
const MOST_EVENTS: usize = 1_000_000;

/// The elements of an array while a kernel runs.
#[derive(Clone, Debug)]
pub(super) enum Buffer {
    F32(Vec<f32>),
    U32(Vec<u32>),
}

impl Buffer {
    /// The address of the first element.
    pub fn start(&mut self) -> *mut u8 {
        match self {
            Buffer::F32(elements) => elements.as_mut_ptr().cast(),
            Buffer::U32(elements) => elements.as_mut_ptr().cast(),
        }
    }

    /// The bytes of all elements.
    pub fn bytes(&self) -> &[u8] {
        let (start, length) = match self {
            Buffer::F32(elements) => (elements.as_ptr().cast::<u8>(), size_of_val(&elements[..])),
            Buffer::U32(elements) => (elements.as_ptr().cast::<u8>(), size_of_val(&elements[..])),
        };
        // SAFETY: numbers have no padding, and these live as long as the buffer.
        unsafe { std::slice::from_raw_parts(start, length) }
    }

    fn values(&self) -> Vec<f64> {
        match self {
            Buffer::F32(elements) => elements.iter().copied().map(f64::from).collect(),
            Buffer::U32(elements) => elements.iter().copied().map(f64::from).collect(),
        }
    }
}

/// What one thread does.
pub(super) type Thread<'a> = &'a (dyn Fn() + Sync);

/// The kernel that is checked, seen from here.
pub(super) trait Subject: Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// A buffer of the type of a parameter.
    fn buffer(&self, parameter: usize, values: &[f64]) -> Buffer;

    /// An array as a film has it.
    fn traced(&self, parameter: usize, buffer: &Buffer, shape: &[usize]) -> TracedArray;

    /// Calls `then` with what one thread does, and with what it does where it is recorded, given the buffers and shapes of all
    /// parameters.
    fn prepare(&self, buffers: &mut [(Buffer, &[usize])], then: &mut dyn FnMut(Thread<'_>, Thread<'_>));

    /// The film of a launch.
    fn film(&self, film: Film) -> Trace;

    /// The lines of the kernel in the file that was compiled.
    fn lines(&self) -> Range<u32>;

    /// The line in the user's file or cell, for one of the compiled file.
    fn line(&self, compiled: u32) -> u32;

    /// What the user calls an array.
    fn memory(&self, memory: &Memory) -> String;

    /// What is said of a failure.
    fn message(&self, failure: &Failure) -> String;

    /// Whether the user has asked to stop.
    fn interrupted(&self) -> bool;
}

/// A launch, as it went.
pub(super) struct Examined {
    pub case: Case,
    /// What was accessed, with the user's lines, but for those by which shared arrays are told apart.
    pub accesses: Vec<RecordedAccess>,
    /// The memory that was accessed, with the lengths of its axes.
    pub shapes: Vec<(Memory, Vec<usize>)>,
    /// What is in the array that was written to.
    pub found: Vec<f64>,
    pub problem: Option<Problem>,
    /// The launch as a film, which opens at the problem.
    pub film: Arc<Trace>,
    /// What the user calls the arrays.
    names: BTreeMap<String, String>,
}

impl Examined {
    /// What the user calls an array.
    pub fn name(&self, memory: &Memory) -> &str {
        self.names.get(&key(memory)).map_or("shared memory", String::as_str)
    }
}

/// Tells memory apart.
fn key(memory: &Memory) -> String {
    format!("{memory:?}")
}

/// Why a kernel does not solve a puzzle.
#[derive(Debug)]
pub(super) enum Problem {
    /// The launch has failed. The lines are the user's.
    Failed { failure: Failure, message: String },
    /// These elements have another value than they should.
    Wrong { elements: Vec<usize> },
    /// This thread accesses arrays other than shared ones too often.
    Limit { reads: bool, count: usize, most: usize, block: [usize; 3], thread: [usize; 3] },
}

impl Problem {
    /// What a hint could be about.
    pub fn topic(&self, accesses: &[RecordedAccess], out: &str) -> Option<Topic> {
        match self {
            Problem::Failed { failure, .. } => match failure.kind {
                FailureKind::OutOfBounds { .. } | FailureKind::WrongAxes { .. } => Some(Topic::Bounds),
                FailureKind::Race { .. } => Some(Topic::Race),
                FailureKind::DivergentBarrier { .. } => Some(Topic::Barrier),
                FailureKind::Uninitialised { .. } => Some(Topic::Uninitialised),
                // Where arithmetic is checked, an index below zero is one of these.
                FailureKind::Panic { ref message } if message.contains("overflow") => Some(Topic::Bounds),
                _ => None,
            },
            Problem::Wrong { elements } => {
                let unwritten = elements.iter().any(|&element| writers(accesses, out, element).next().is_none());
                Some(if unwritten { Topic::Unwritten } else { Topic::Wrong })
            }
            Problem::Limit { .. } => Some(Topic::Limit),
        }
    }
}

/// The accesses that have changed an element of an array.
pub(super) fn writers<'a>(
    accesses: &'a [RecordedAccess],
    name: &'a str,
    element: usize,
) -> impl Iterator<Item = &'a RecordedAccess> {
    accesses.iter().filter(move |access| {
        access.kind != AccessKind::Read && access.index == element && is_array(&access.memory, name)
    })
}

/// Whether the memory is the argument of this name.
pub(super) fn is_array(memory: &Memory, name: &str) -> bool {
    matches!(memory, Memory::Array { name: found } if *found == name)
}

/// Launches a kernel on the arrays of a case.
pub(super) fn examine(case: Case, subject: &dyn Subject) -> Examined {
    let zeros = vec![0.0; case.out.values.len()];
    let mut buffers: Vec<(Buffer, &[usize])> = Vec::new();
    for (parameter, array) in case.arrays().enumerate() {
        let values = if parameter == case.inputs.len() { &zeros } else { &array.values };
        buffers.push((subject.buffer(parameter, values), &array.shape));
    }
    let traced = |(parameter, (buffer, shape)): (usize, &(Buffer, &[usize]))| subject.traced(parameter, buffer, shape);
    let mut arrays: Vec<TracedArray> = buffers.iter().enumerate().map(traced).collect();
    let blocks = 0..case.grid.iter().product();
    let plan = Plan { blocks: blocks.collect(), only: false, most_events: MOST_EVENTS, lines: subject.lines() };
    let began = Instant::now();
    let mut outcome = (Ok(()), Recording::default());
    subject.prepare(&mut buffers, &mut |thread, recorded| {
        let launch = Launch {
            function: subject.name(),
            grid: case.grid,
            block: case.block,
            dynamic_shared_bytes: 0,
            mode: Mode::Checked,
            interrupted: &|| subject.interrupted(),
        };
        // SAFETY: the buffers live until the launch has ended, are as long as their shapes say, and nothing else accesses them.
        outcome = unsafe { record(&launch, plan.clone(), thread, recorded) };
    });
    let (result, recording) = outcome;
    let took = began.elapsed();
    let mut accesses = recording.accesses(case.grid, case.block);
    let shapes = recording.arrays.iter().map(|array| (array.memory.clone(), array.shape.clone())).collect();
    arrays.iter_mut().zip(&buffers).for_each(|(array, (buffer, _))| array.ends_with(buffer.bytes()));
    let found = buffers.last().map_or(Vec::new(), |(buffer, _)| buffer.values());
    let problem = match result {
        Err(ref failure) => {
            let message = subject.message(failure);
            Some(Problem::Failed { failure: in_users_lines(failure.clone(), subject), message })
        }
        Ok(()) => None,
    };
    let mut names = BTreeMap::new();
    let failed = match &problem {
        Some(Problem::Failed { failure, .. }) => memory_of(failure),
        _ => None,
    };
    for memory in accesses.iter().map(|access| &access.memory).chain(failed) {
        names.entry(key(memory)).or_insert_with(|| subject.memory(memory));
    }
    let mut lines = BTreeMap::new();
    for access in &mut accesses {
        access.line = *lines.entry(access.line).or_insert_with(|| subject.line(access.line));
    }
    let problem = problem.or_else(|| wrong(&case, &found)).or_else(|| beyond_limits(&case, &accesses));
    let opens = film::opening(&case, &accesses, &found, &recording, problem.as_ref());
    let film = Film {
        grid: case.grid,
        block: case.block,
        most_events: MOST_EVENTS,
        arrays,
        recording,
        failure: result.err(),
        opens,
        took,
    };
    let film = Arc::new(subject.film(film));
    Examined { case, accesses, shapes, found, problem, film, names }
}

/// What a failure is about.
fn memory_of(failure: &Failure) -> Option<&Memory> {
    match &failure.kind {
        FailureKind::Race { memory, .. }
        | FailureKind::OutOfBounds { memory, .. }
        | FailureKind::WrongAxes { memory, .. }
        | FailureKind::Uninitialised { memory, .. } => Some(memory),
        _ => None,
    }
}

fn in_users_lines(mut failure: Failure, subject: &dyn Subject) -> Failure {
    failure.line = failure.line.map(|line| subject.line(line));
    match &mut failure.kind {
        FailureKind::Race { first, second, .. } => {
            (first.line, second.line) = (subject.line(first.line), subject.line(second.line));
        }
        FailureKind::DivergentBarrier { other: Elsewhere::Waits { line, .. }, .. } => *line = subject.line(*line),
        _ => {}
    }
    failure
}

fn wrong(case: &Case, found: &[f64]) -> Option<Problem> {
    let differs =
        |(expected, found): (&f64, &f64)| (expected - found).abs() > 1e-4 * expected.abs().max(1.0) || found.is_nan();
    let elements: Vec<usize> =
        (0..found.len()).filter(|&element| differs((&case.out.values[element], &found[element]))).collect();
    (!elements.is_empty()).then_some(Problem::Wrong { elements })
}

/// How often a thread reads and writes arrays other than shared ones, by block and thread with `z` first.
pub(super) fn counts(accesses: &[RecordedAccess]) -> BTreeMap<([usize; 3], [usize; 3]), [usize; 2]> {
    let mut counts = BTreeMap::new();
    for access in accesses {
        if matches!(access.memory, Memory::Array { .. }) {
            let count: &mut [usize; 2] = counts.entry((reversed(access.block), reversed(access.thread))).or_default();
            // An atomic operation is one access, whatever it does.
            count[usize::from(access.kind != AccessKind::Read)] += 1;
        }
    }
    counts
}

fn reversed([x, y, z]: [usize; 3]) -> [usize; 3] {
    [z, y, x]
}

fn beyond_limits(case: &Case, accesses: &[RecordedAccess]) -> Option<Problem> {
    let counts = counts(accesses);
    for (which, most) in [case.limits.reads, case.limits.writes].into_iter().enumerate() {
        let Some(most) = most else { continue };
        // The first of those that have the most.
        let worst = counts.iter().rev().max_by_key(|(_, count)| count[which]);
        if let Some((&(block, thread), count)) = worst
            && count[which] > most
        {
            let (block, thread) = (reversed(block), reversed(thread));
            return Some(Problem::Limit { reads: which == 0, count: count[which], most, block, thread });
        }
    }
    None
}
