//! The table of planted faults: kernels with one fault each, and what a checked launch must say of it, in full.
//!
//! Comments mark the lines that a message must name: `//~ kernel`, and a word more where there are several.

#![allow(clippy::manual_is_multiple_of)] // kernels are written as by somebody who knows CUDA C

mod barriers;
mod bounds;
mod other;
mod races;
mod uninitialised;

use std::cell::Cell;
use std::collections::HashSet;
use warpcell as gpu;
use warpcell::{IntoDim3, Kernel, KernelArguments};

thread_local! {
    /// Whether launches are traced.
    static TRACED: Cell<bool> = const { Cell::new(false) };
}

/// Launches a kernel, checked or traced.
fn launched<P, K: Kernel<P>, A: KernelArguments<P>>(
    kernel: K,
    grid: impl IntoDim3,
    block: impl IntoDim3,
    arguments: A,
) -> gpu::Result<()> {
    if !TRACED.get() {
        return gpu::try_launch_checked(kernel, grid, block, arguments);
    }
    let trace = gpu::try_launch_traced(kernel, grid, block, arguments)?;
    // What races cannot be played in another order than that in which it ran, so only the fault is looked at.
    let Some(error) = trace.error() else { return Ok(()) };
    let fault = crate::tracing::fault_of(&trace).expect("the fault is in the trace");
    assert!(error.to_string().contains(&fault.trim_start_matches("In line ")[4..].trim_end_matches('.')), "{fault}");
    Err(error.clone())
}

/// A kernel with a fault.
struct Planted {
    kernel: &'static str,
    launched: fn() -> gpu::Result<()>,
    finds: Finds,
}

/// What a checked launch finds.
enum Finds {
    OutOfBounds {
        array: &'static str,
        index: &'static [i64],
        shape: &'static [usize],
        at: At,
    },
    WrongAxes {
        array: &'static str,
        given: usize,
        shape: &'static [usize],
    },
    Race {
        memory: &'static str,
        index: &'static [usize],
        first: Access,
        second: Access,
    },
    /// `other` has ended, or waits at another barrier.
    Divergence {
        waits: At,
        other: At,
        ended: bool,
    },
    Uninitialised {
        memory: &'static str,
        index: &'static [usize],
        at: At,
    },
    Panics {
        message: &'static str,
        at: At,
    },
    /// The launch is not begun, for a reason that names these.
    Refused(&'static [&'static str]),
}

/// A thread.
#[derive(Clone, Copy)]
struct At {
    block: [usize; 3],
    thread: [usize; 3],
}

/// The thread of a grid along x.
const fn at(block: usize, thread: usize) -> At {
    at3([block, 0, 0], [thread, 0, 0])
}

const fn at3(block: [usize; 3], thread: [usize; 3]) -> At {
    At { block, thread }
}

/// One side of a race.
#[derive(Clone, Copy)]
struct Access {
    kind: &'static str,
    at: At,
    /// The word of its line's mark.
    mark: &'static str,
}

impl Access {
    const fn by(self, at: At) -> Access {
        Access { at, ..self }
    }

    const fn marked(self, mark: &'static str) -> Access {
        Access { mark, ..self }
    }
}

const fn reads(block: usize, thread: usize) -> Access {
    Access { kind: "reads", at: at(block, thread), mark: "read" }
}

const fn writes(block: usize, thread: usize) -> Access {
    Access { kind: "writes", at: at(block, thread), mark: "write" }
}

const fn atomic(block: usize, thread: usize) -> Access {
    Access { kind: "changes", at: at(block, thread), mark: "atomic" }
}

/// A file of the table, with its text.
struct Part {
    name: &'static str,
    text: &'static str,
    planted: &'static [Planted],
}

const PARTS: [Part; 5] = [
    Part { name: "bounds", text: include_str!("faults/bounds.rs"), planted: bounds::PLANTED },
    Part { name: "races", text: include_str!("faults/races.rs"), planted: races::PLANTED },
    Part { name: "barriers", text: include_str!("faults/barriers.rs"), planted: barriers::PLANTED },
    Part { name: "uninitialised", text: include_str!("faults/uninitialised.rs"), planted: uninitialised::PLANTED },
    Part { name: "other", text: include_str!("faults/other.rs"), planted: other::PLANTED },
];

impl Part {
    /// The line with the mark `//~ kernel word`, or with `//~ kernel`.
    fn line(&self, kernel: &str, word: &str) -> Option<usize> {
        let (long, short) = (format!("//~ {kernel} {word}"), format!("//~ {kernel}"));
        let find = |mark: &str| self.text.lines().position(|line| line.ends_with(mark)).map(|line| line + 1);
        find(&long).or_else(|| find(&short))
    }

    /// A line, by its number.
    fn text_of(&self, line: usize) -> &'static str {
        self.text.lines().nth(line - 1).unwrap_or("")
    }

    /// The function that a line is of.
    fn function(&self, line: usize) -> &'static str {
        let head = self.text.lines().take(line).filter_map(|line| line.strip_prefix("fn ")).last();
        head.and_then(|head| head.split('(').next()).unwrap_or("")
    }

    /// The barrier, or the operation of a warp, in a line.
    fn operation(&self, line: usize) -> &'static str {
        let words = self.text_of(line).split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.into_iter().find(|word| word.starts_with("sync_") || word.ends_with("_sync")).unwrap_or("")
    }
}

fn in_brackets(index: &[impl ToString]) -> String {
    let indices: Vec<String> = index.iter().map(ToString::to_string).collect();
    if index.len() == 1 { format!("[{}]", indices[0]) } else { format!("[[{}]]", indices.join(", ")) }
}

impl Part {
    /// What the message about a kernel must contain: all but its advice. For a launch that is refused, its parts.
    fn message(&self, planted: &Planted) -> Vec<String> {
        let kernel = planted.kernel;
        let line = |word: &str| self.line(kernel, word).unwrap_or_else(|| panic!("{}: no mark of {kernel}", self.name));
        let failed = |line: usize, reason: String| {
            vec![format!("the function `{}` failed in line {line} on cpu: {reason}", self.function(line))]
        };
        match &planted.finds {
            Finds::OutOfBounds { array, index, shape, at } => {
                let is_beyond =
                    |axis: &usize| usize::try_from(index[*axis]).map_or(true, |index| index >= shape[*axis]);
                let axis = (0..index.len()).find(is_beyond).expect("an index that is out of bounds");
                let wrapped = if index[axis] < 0 { " (a difference of indices has gone below 0)" } else { "" };
                let length = match shape[axis] {
                    0 => "has no elements there".to_owned(),
                    length => format!("has length {length} there; "),
                };
                let index = index[axis];
                failed(
                    line(""),
                    format!("{at} used the index {index}{wrapped} along axis {axis} of `{array}`, which {length}"),
                )
            }
            Finds::WrongAxes { array, given, shape } => {
                let many =
                    |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
                let axes = many(shape.len(), "axis", "axes");
                let given = if *given == 1 { "this is one index".into() } else { format!("these are {given} indices") };
                failed(line(""), format!("`{array}` has {axes}, but {given}; "))
            }
            Finds::Race { memory, index, first, second } => {
                let side = |access: &Access| format!("{} {} it in line {}", access.at, access.kind, line(access.mark));
                let sides = format!("{}, {}, and nothing orders them; ", side(first), side(second));
                failed(line(second.mark), format!("two threads race for `{memory}{}`: {sides}", in_brackets(index)))
            }
            Finds::Divergence { waits, other, ended } => {
                let [x, y, z] = other.thread;
                let elsewhere = if *ended {
                    "has ended; ".to_owned()
                } else {
                    format!("waits at `{}` in line {}; ", self.operation(line("second")), line("second"))
                };
                let waits = format!("{waits} waits at `{}`", self.operation(line("")));
                failed(line(""), format!("{waits}, but thread ({x}, {y}, {z}) of the same block {elsewhere}"))
            }
            Finds::Uninitialised { memory, index, at } => {
                let element = format!("{memory}{}", in_brackets(index));
                failed(line(""), format!("{at} read `{element}`, where no thread of its block has written yet; "))
            }
            Finds::Panics { message, at } => failed(line(""), message.replace("THREAD", &at.to_string())),
            Finds::Refused(parts) => parts.iter().map(|&part| part.to_owned()).collect(),
        }
    }

    /// What is wrong with a checked launch of this kernel, if anything is.
    fn complaint(&self, planted: &Planted) -> Option<String> {
        let expected = self.message(planted);
        let found = match (planted.launched)() {
            Ok(()) => "nothing".to_owned(),
            Err(error) => error.to_string(),
        };
        let is_named = match planted.finds {
            Finds::Refused(_) => expected.iter().all(|part| found.contains(part.as_str())),
            _ => expected.iter().all(|start| found.starts_with(start.as_str())),
        };
        (!is_named).then(|| format!("{}\n  should be: {}\n  but is:    {found}", planted.kernel, expected.join(" … ")))
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ([x, y, z], [u, v, w]) = (self.thread, self.block);
        write!(f, "thread ({x}, {y}, {z}) of block ({u}, {v}, {w})")
    }
}

fn all_are_named(name: &str) {
    let part = PARTS.iter().find(|part| part.name == name).expect("a part of the table");
    if gpu::device() == gpu::Device::Cpu {
        let complaints: Vec<String> = part.planted.iter().filter_map(|planted| part.complaint(planted)).collect();
        assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), part.planted.len(), complaints.join("\n"));
    }
}

#[test]
fn accesses_out_of_bounds_are_named() {
    all_are_named("bounds");
}

#[test]
fn races_are_named() {
    all_are_named("races");
}

#[test]
fn barriers_in_divergent_flow_are_named() {
    all_are_named("barriers");
}

#[test]
fn reads_of_uninitialised_memory_are_named() {
    all_are_named("uninitialised");
}

#[test]
fn panics_and_impossible_launches_are_named() {
    all_are_named("other");
}

#[test]
fn traces_show_the_same_faults() {
    if gpu::device() != gpu::Device::Cpu {
        return;
    }
    TRACED.set(true);
    let planted = PARTS.iter().flat_map(|part| part.planted);
    let missed: Vec<String> = planted
        .filter_map(|planted| {
            let word = match planted.finds {
                Finds::OutOfBounds { .. } => "used the index",
                Finds::WrongAxes { .. } => "write `",
                Finds::Race { .. } => "two threads race for",
                Finds::Divergence { .. } => "must reach the same call",
                Finds::Uninitialised { .. } => "where no thread of its block has written",
                Finds::Panics { .. } => "thread (",
                Finds::Refused(_) => "",
            };
            let found = (planted.launched)().map_or_else(|error| error.to_string(), |()| "nothing".to_owned());
            (!found.contains(word)).then(|| format!("{}: {found}", planted.kernel))
        })
        .collect();
    TRACED.set(false);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn the_table_is_long_and_has_each_fault_once() {
    let kernels: Vec<&str> = PARTS.iter().flat_map(|part| part.planted).map(|planted| planted.kernel).collect();
    let different: HashSet<&str> = kernels.iter().copied().collect();
    assert!(different.len() >= 40, "{} kernels", different.len());
}
