//! The table of planted faults: kernels with one fault each, and what a checked launch must say of it, in full.
//!
//! Comments mark the lines that a message must name: `//~ kernel`, and a word more where there are several.

mod barriers;
mod bounds;
mod other;
mod races;
mod uninitialised;

use std::collections::HashSet;
use warpcell as gpu;

/// A kernel with a fault.
struct Planted {
    kernel: &'static str,
    launched: fn() -> gpu::Result<()>,
    finds: Finds,
}

/// What a checked launch finds.
enum Finds {
    OutOfBounds { array: &'static str, index: &'static [i64], shape: &'static [usize], at: At },
    WrongAxes { array: &'static str, given: usize, shape: &'static [usize], at: At },
    Race { memory: &'static str, index: &'static [usize], first: Access, second: Access },
    /// `other` has ended, or waits at another barrier.
    Divergence { waits: At, other: At, ended: bool },
    Uninitialised { memory: &'static str, index: &'static [usize], at: At },
    Panics { message: &'static str, at: At },
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
    Access { kind: "read", at: at(block, thread), mark: "read" }
}

const fn writes(block: usize, thread: usize) -> Access {
    Access { kind: "write", at: at(block, thread), mark: "write" }
}

const fn atomic(block: usize, thread: usize) -> Access {
    Access { kind: "atomic", at: at(block, thread), mark: "atomic" }
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

    /// What a message calls an array: its name, or for a shared one the line that makes it.
    fn memory(&self, kernel: &str, name: &str) -> String {
        let lines = || self.text.lines().enumerate().skip_while(|(_, line)| !line.starts_with(&format!("fn {kernel}(")));
        let made = |by: &str| {
            let made = [format!("let {name} = {by}"), format!("let mut {name} = {by}")];
            let mut body = lines().take_while(|(_, line)| *line != "}");
            body.find(|(_, line)| made.iter().any(|made| line.trim_start().starts_with(made.as_str())))
        };
        match (made("shared_array"), made("dynamic_shared_array")) {
            (Some((line, _)), _) => format!("shared {}", line + 1),
            (_, Some(_)) => "dynamic".to_owned(),
            _ => name.to_owned(),
        }
    }
}

impl Part {
    /// What the message about a kernel must be; for a launch that is refused, its parts.
    fn message(&self, planted: &Planted) -> Vec<String> {
        let kernel = planted.kernel;
        let line = |word: &str| self.line(kernel, word).unwrap_or_else(|| panic!("{}: no mark of {kernel}", self.name));
        let memory = |name: &str| self.memory(kernel, name);
        let text = match &planted.finds {
            Finds::OutOfBounds { array, index, shape, at } => {
                format!("bounds {}{index:?} of {shape:?}, line {}, {at}", memory(array), line(""))
            }
            Finds::WrongAxes { array, given, shape, at } => {
                format!("axes {} {given} of {shape:?}, line {}, {at}", memory(array), line(""))
            }
            Finds::Race { memory: name, index, first, second } => {
                let side = |access: &Access| format!("{} line {} {}", access.kind, line(access.mark), access.at);
                format!("race {}{index:?}: {}, {}", memory(name), side(first), side(second))
            }
            Finds::Divergence { waits, other, ended } => {
                let second = if *ended { "ended".to_owned() } else { format!("waits line {}", line("second")) };
                format!("divergence line {} {waits}, {:?} {second}", line(""), other.thread)
            }
            Finds::Uninitialised { memory: name, index, at } => {
                format!("uninitialised {}{index:?}, line {}, {at}", memory(name), line(""))
            }
            Finds::Panics { message, at } => format!("panic {message}, line {}, {at}", line("")),
            Finds::Refused(parts) => return parts.iter().map(|&part| part.to_owned()).collect(),
        };
        vec![text]
    }

    /// What is wrong with a checked launch of this kernel, if anything is.
    fn complaint(&self, planted: &Planted) -> Option<String> {
        let expected = self.message(planted);
        let found = match (planted.launched)() {
            Ok(()) => "nothing".to_owned(),
            Err(error) => error.to_string(),
        };
        let is_named = expected.iter().all(|part| found.contains(part.as_str()));
        (!is_named).then(|| format!("{}\n  should be: {}\n  but is:    {found}", planted.kernel, expected.join(" … ")))
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} of {:?}", self.thread, self.block)
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
fn the_table_is_long_and_has_each_fault_once() {
    let kernels: Vec<&str> = PARTS.iter().flat_map(|part| part.planted).map(|planted| planted.kernel).collect();
    let different: HashSet<&str> = kernels.iter().copied().collect();
    assert!(different.len() >= 40, "{} kernels", different.len());
}
