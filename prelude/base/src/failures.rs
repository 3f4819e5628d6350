//! What is said of the user's functions and kernels that fail while they run: the same sentences for all devices.

use crate::error::Error;
use crate::limits::too_much_shared_memory;
use crate::registry::{Kernel, Role, items_of_kernel};
use warpcell_threads::{Access, AccessKind, Elsewhere, Failure, FailureKind, Memory};

/// Which thread of which block it was, both as `[x, y, z]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    pub thread: [usize; 3],
    pub block: [usize; 3],
}

impl Thread {
    /// As the subject of a sentence.
    fn name(self) -> String {
        format!("thread {} of block {}", place(self.thread), place(self.block))
    }
}

/// Three indices, as kernels have them.
fn place([x, y, z]: [usize; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// An integer was divided by zero; of that thread of a kernel, if it is known.
pub fn division(value: Option<i64>, of: Option<Thread>) -> String {
    let what = value.map_or_else(|| "an integer".to_owned(), |value| value.to_string());
    let text =
        format!("{what} was divided by zero; test the divisor first, such as `if d == 0 {{ 0 }} else {{ n / d }}`");
    in_thread(text, of)
}

/// The same for the remainder.
pub fn remainder(value: Option<i64>, of: Option<Thread>) -> String {
    let what = value.map_or_else(|| "an integer".to_owned(), |value| value.to_string());
    let text = format!(
        "the remainder of {what} was computed with the divisor zero; test the divisor first, such as `if d == 0 {{ 0 \
         }} else {{ n % d }}`"
    );
    in_thread(text, of)
}

/// An index past the end of an array of the function's own.
pub fn index(index: i64, length: i64, of: Option<Thread>) -> String {
    let text = format!(
        "the index {} is out of bounds for an array of length {length}; test it first, or use `index.min({})`",
        written(index),
        length.saturating_sub(1).max(0)
    );
    in_thread(text, of)
}

/// An index that an argument or a shared array does not have.
pub fn view_index(array: &str, index: i64, axis: usize, length: i64, thread: Thread) -> String {
    let (name, index) = (thread.name(), written(index));
    match length {
        0 => format!("{name} used the index {index} along axis {axis} of `{array}`, which has no elements there"),
        _ => format!(
            "{name} used the index {index} along axis {axis} of `{array}`, which has length {length} there; let threads without an \
             element do nothing, such as `if i < {array}.shape()[{axis}] {{ … }}`"
        ),
    }
}

/// More or fewer indices than an array has axes.
pub fn wrong_axes(array: &str, axes: usize, given: usize) -> String {
    let indices = match axes {
        1 => "i".to_owned(),
        2 => "[y, x]".to_owned(),
        3 => "[z, y, x]".to_owned(),
        _ => "[w, z, y, x]".to_owned(),
    };
    // What the translator says of the same.
    let given = if given == 1 { "this is one index".to_owned() } else { format!("these are {given} indices") };
    format!("`{array}` has {axes} {}, but {given}; write `{array}[{indices}]`", if axes == 1 { "axis" } else { "axes" })
}

/// A loop was told to end.
pub fn stopped() -> String {
    "an interrupt has stopped it; call it again to get the whole result".to_owned()
}

/// A kernel has run into its time limit.
pub fn out_of_time(kernel: &str, seconds: f64, device: String, line: usize) -> Error {
    let reason = format!(
        "it was still running after its time limit of {seconds} s; look for loops that do not end, and for threads that wait for one \
         another, or give it more time"
    );
    Error::FunctionFailed { function: kernel.to_owned(), line, device, reason }
}

/// A panic, on a device that has no text of it.
pub fn panicked(of: Option<Thread>) -> String {
    let advice = match of {
        Some(_) => "test the values first, or leave that element out",
        None => "let it return a value for such elements, such as NaN",
    };
    in_thread(format!("it has reached a `panic!`, `unreachable!` or `assert!`; {advice}"), of)
}

fn in_thread(text: String, of: Option<Thread>) -> String {
    match of {
        Some(thread) => format!("in {}, {text}", thread.name()),
        None => text,
    }
}

/// An index as it was meant: one below zero has become very large.
fn written(index: i64) -> String {
    if index < 0 { format!("{index} (a difference of indices has gone below 0)") } else { index.to_string() }
}

/// The error for a kernel that has failed on the CPU; none if it was interrupted.
#[cold]
pub fn of_threads(operation: &'static str, kernel: &Kernel, failure: &Failure, device: String) -> Error {
    let places = Places::of(kernel);
    let thread = Thread { thread: failure.thread, block: failure.block };
    let reason = match &failure.kind {
        FailureKind::Interrupted => return Error::Interrupted,
        FailureKind::SharedMemoryTooLarge { bytes, limit } => {
            return too_much_shared_memory(operation, kernel.short_name(), &device, [*bytes, 0], *limit);
        }
        FailureKind::OutOfStacks { stacks } => {
            return Error::DeviceUnavailable {
                device,
                reason: format!(
                    "there is no memory for the stacks of {stacks} threads that wait at barriers; launch smaller blocks"
                ),
            };
        }
        FailureKind::OutOfBounds { memory, index, shape } => {
            let beyond = index.iter().zip(shape).position(|(index, length)| index >= length).unwrap_or(0);
            let (index, length) = (index.get(beyond).copied().unwrap_or(0), shape.get(beyond).copied().unwrap_or(0));
            view_index(&places.memory(memory), index.cast_signed() as i64, beyond, length as i64, thread)
        }
        FailureKind::WrongAxes { memory, index, shape } => wrong_axes(&places.memory(memory), shape.len(), index.len()),
        FailureKind::Race { memory, index, first, second } => race(&places, memory, index, first, second),
        FailureKind::DivergentBarrier { operation, other } => divergent(&places, operation, other, thread),
        FailureKind::Uninitialised { memory, index } => format!(
            "{} read `{}`, where no thread of its block has written yet; shared memory starts with undefined values: write \
             to it first, and then write `sync_threads();` if other threads read it",
            thread.name(),
            places.element(memory, index)
        ),
        FailureKind::Misuse { operation, reason } => format!("{}, at `{operation}`: {reason}", thread.name()),
        FailureKind::Panic { message } => of_panic(message, thread),
    };
    let (function, line) = places.find(failure.line);
    Error::FunctionFailed { function: function.to_owned(), line, device, reason }
}

/// The error of a checked launch, with how to see what led there.
#[cold]
pub fn with_trace(error: Error) -> Error {
    match error {
        Error::FunctionFailed { function, line, device, reason } => {
            let reason = format!("{reason}; `gpu::launch_traced(…)` with the same arguments shows how it came to this");
            Error::FunctionFailed { function, line, device, reason }
        }
        other => other,
    }
}

fn race(places: &Places, memory: &Memory, index: &[usize], first: &Access, second: &Access) -> String {
    let element = places.element(memory, index);
    let side = |access: &Access| {
        let what = match access.kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Atomic => "changes",
        };
        let thread = Thread { thread: access.thread, block: access.block };
        format!("{} {what} it in line {}", thread.name(), places.find(Some(access.line)).1)
    };
    let advice = if first.block != second.block {
        "blocks run in any order: let each block write to its own elements, use atomics such as `a.atomic_add(i, x)` \
         for all of them, or launch a second kernel for the next step"
    } else if first.kind == AccessKind::Atomic || second.kind == AccessKind::Atomic {
        "write `sync_threads();` between the two, or make both atomic"
    } else if first.kind == AccessKind::Write && second.kind == AccessKind::Write {
        "let one thread write it, add with an atomic such as `a.atomic_add(i, x)`, or write `sync_threads();` between the two"
    } else {
        "write `sync_threads();` between the two"
    };
    format!("two threads race for `{element}`: {}, {}, and nothing orders them; {advice}", side(first), side(second))
}

fn divergent(places: &Places, operation: &str, other: &Elsewhere, thread: Thread) -> String {
    let elsewhere = match other {
        Elsewhere::Ended { thread } => format!("thread {} of the same block has ended", place(*thread)),
        Elsewhere::Waits { thread, operation, line } => format!(
            "thread {} of the same block waits at `{operation}` in line {}",
            place(*thread),
            places.find(Some(*line)).1
        ),
    };
    let all = if operation.starts_with("sync_threads") { "threads of a block" } else { "lanes of the mask" };
    format!(
        "{} waits at `{operation}`, but {elsewhere}; all {all} must reach the same call: do not put it inside an `if`, \
         inside a loop that some leave earlier, or after a `return`",
        thread.name()
    )
}

/// What the panics of integers and arrays become, which devices report by themselves.
fn of_panic(message: &str, thread: Thread) -> String {
    let bounds = message.strip_prefix("index out of bounds: the len is ").and_then(|rest| {
        let (length, given) = rest.split_once(" but the index is ")?;
        Some((length.parse::<u64>().ok()?.cast_signed(), given.parse::<u64>().ok()?.cast_signed()))
    });
    match (message, bounds) {
        ("attempt to divide by zero", _) => division(None, Some(thread)),
        ("attempt to calculate the remainder with a divisor of zero", _) => remainder(None, Some(thread)),
        (_, Some((length, given))) => index(given, length, Some(thread)),
        (overflow, None) if overflow.starts_with("attempt to ") && overflow.ends_with(" with overflow") => format!(
            "{} did: {overflow}; on CUDA devices integers wrap; if you want that, write `wrapping_add`, `wrapping_sub` \
             or `wrapping_mul`; if not, test the values first, or use a larger type",
            thread.name()
        ),
        (other, None) => format!("{} panicked: {other}", thread.name()),
    }
}

/// The functions that a kernel is made of: where each begins in the file that was compiled, and for the user.
pub struct Places {
    kernel: &'static str,
    functions: Vec<Function>,
}

struct Function {
    name: &'static str,
    source: &'static str,
    compiled: usize,
    line: usize,
    /// How many lines it has.
    length: usize,
}

impl Function {
    fn new(name: &'static str, source: &'static str, compiled: usize, line: usize) -> Function {
        Function { name, source, compiled, line, length: source.lines().count().max(1) }
    }
}

impl Places {
    pub fn of(kernel: &Kernel) -> Places {
        let own = Function::new(kernel.short_name(), kernel.text.source, kernel.threads.line, kernel.text.line);
        let mut functions = vec![own];
        let items = items_of_kernel(kernel);
        for (name, text) in items.texts().filter(|(name, text)| *name != kernel.name && text.role != Role::Kernel) {
            let name = name.rsplit("::").next().unwrap_or(name);
            let known = kernel.threads.places.iter().find(|(known, _)| *known == name).map(|(_, line)| *line);
            // Outside of notebooks, a line of the text is one of the file.
            let is_file = kernel.threads.line == kernel.text.line;
            if let Some(compiled) = known.or(is_file.then_some(text.line)) {
                functions.push(Function::new(name, text.source, compiled, text.line));
            }
        }
        Places { kernel: kernel.short_name(), functions }
    }

    /// The function that has a line of the file, and the user's line.
    pub fn find(&self, compiled: Option<u32>) -> (&'static str, usize) {
        let first = &self.functions[0];
        let Some(compiled) = compiled.map(|line| line as usize) else { return (self.kernel, first.line) };
        let has = |function: &&Function| (function.compiled..function.compiled + function.length).contains(&compiled);
        match self.functions.iter().find(has) {
            Some(function) => (function.name, function.line + compiled - function.compiled),
            None => (self.kernel, (first.line + compiled).saturating_sub(first.compiled)),
        }
    }

    /// The text of a function, and the user's line where it begins.
    pub fn text_of(&self, name: &str) -> Option<(&'static str, usize)> {
        let function = self.functions.iter().find(|function| function.name == name)?;
        Some((function.source, function.line))
    }

    /// What the user calls an array.
    pub fn memory(&self, memory: &Memory) -> String {
        match memory {
            Memory::Array { name } => (*name).to_owned(),
            Memory::Shared { line } => {
                self.shared(*line, "shared_array").unwrap_or_else(|| "a shared array".to_owned())
            }
            Memory::DynamicShared => self
                .functions
                .iter()
                .flat_map(|function| function.source.lines())
                .find_map(|line| bound(line, "dynamic_shared_array"))
                .unwrap_or_else(|| "the dynamic shared array".to_owned()),
        }
    }

    /// The variable that a shared array was made for.
    fn shared(&self, compiled: u32, call: &str) -> Option<String> {
        let (name, line) = self.find(Some(compiled));
        let function = self.functions.iter().find(|function| function.name == name)?;
        bound(function.source.lines().nth(line.checked_sub(function.line)?)?, call)
    }

    fn element(&self, memory: &Memory, index: &[usize]) -> String {
        let indices = index.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let name = self.memory(memory);
        if index.len() == 1 { format!("{name}[{indices}]") } else { format!("{name}[[{indices}]]") }
    }
}

/// The variable of `let mut tile = shared_array…`.
fn bound(line: &str, call: &str) -> Option<String> {
    let (before, _) = line.split_once(call)?;
    let (_, binding) = before.rsplit_once("let ")?;
    let name = binding.trim_start().strip_prefix("mut ").unwrap_or(binding).split(['=', ':']).next()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
