//! Running a launch that is recorded: on copies of its arrays in the host's memory, which are copied back at the end.

use super::contents::{LANES, Recorded};
use super::json::MOST_INITIAL;
use crate::array::{RawArray, assign, download};
use crate::dtype::DType;
use crate::error::Result;
use crate::failures::of_threads;
use crate::launch::{LaunchArgument, Ready};
use crate::raw_kernels::RawArgument;
use crate::registry::{Arguments, Given, Kernel, Parameter};
use std::ops::Range;
use std::time::Instant;
use warpcell_base::backend::Layout;
use warpcell_base::interrupt::Stop;
use warpcell_threads::{Failure, FailureKind, Launch, Mode, Plan, Recording, element_texts, record};

/// An array of the launch.
pub(crate) struct TracedArray {
    pub name: &'static str,
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// As the launch was given it, in elements.
    pub strides: Vec<isize>,
    /// The elements before the launch, in C order; not all, or none, where nobody needs them.
    before: Buffer,
    /// The same after it.
    after: Option<Buffer>,
}

impl TracedArray {
    /// Of elements in C order.
    pub fn new(name: &'static str, dtype: DType, shape: &[usize], elements: &[u8]) -> TracedArray {
        let strides = Layout::contiguous(shape).strides;
        TracedArray { name, dtype, shape: shape.to_vec(), strides, before: Buffer::with(elements), after: None }
    }

    /// The elements before the launch, if they are known.
    pub fn bytes(&self) -> Option<&[u8]> {
        let bytes = self.before.bytes();
        (bytes.len() == self.elements() * self.dtype.size()).then_some(bytes)
    }

    /// Keeps the elements after the launch, if they are few.
    pub fn ends_with(&mut self, elements: &[u8]) {
        self.after = (self.elements() <= MOST_INITIAL).then(|| Buffer::with(elements));
    }

    /// The elements after the launch, as texts.
    pub fn texts_after(&self) -> Option<Vec<String>> {
        let after = self.after.as_ref()?;
        Some(element_texts(self.dtype.name(), after.bytes(), self.dtype.size()))
    }

    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Memory that is aligned for any element.
#[derive(Clone)]
pub(super) struct Buffer {
    memory: Box<[u128]>,
    length: usize,
}

impl Buffer {
    pub fn with(bytes: &[u8]) -> Buffer {
        let mut buffer =
            Buffer { memory: vec![0; bytes.len().div_ceil(size_of::<u128>())].into(), length: bytes.len() };
        // SAFETY: it has at least so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.memory.as_mut_ptr().cast(), bytes.len()) };
        buffer
    }

    pub fn of(array: &RawArray) -> Result<Buffer> {
        let length = array.size() * array.dtype.size();
        let mut memory: Box<[u128]> = vec![0; length.div_ceil(size_of::<u128>())].into();
        // SAFETY: it is as long as the elements together.
        unsafe { download(array, memory.as_mut_ptr().cast())? };
        Ok(Buffer { memory, length })
    }

    pub fn start(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().cast()
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: it has at least so many bytes, all of them written.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.length) }
    }
}

/// Runs the launch, and copies what it has written to the arrays that it was given.
pub(super) fn run(ready: &Ready<'_, '_>) -> Result<Recorded> {
    let mut arrays = arrays_of(ready)?;
    let grid = ready.size.grid.map(|length| length as usize);
    let blocks: usize = grid.iter().product();
    let mut plan = plan(ready, blocks);
    let began = Instant::now();
    let mut after: Vec<Buffer> = arrays.iter().map(|array| array.before.clone()).collect();
    let (mut result, mut recording) = launch(ready, &plan, &arrays, &mut after);
    // Once more, with the block in which it failed, and that of the other thread of a race: threads take the same turns again.
    if let Err(failure) = &result
        && failure.kind != FailureKind::Interrupted
    {
        let blocks = concerned(failure, grid);
        let last = blocks[blocks.len() - 1];
        if blocks.iter().any(|block| plan.blocks.binary_search(block).is_err()) {
            plan.blocks.retain(|block| *block < last);
            plan.blocks.extend(blocks);
            plan.blocks.sort_unstable();
            plan.blocks.dedup();
            after = arrays.iter().map(|array| array.before.clone()).collect();
            (result, recording) = launch(ready, &plan, &arrays, &mut after);
        }
    }
    let took = began.elapsed();
    let given_back = give_back(ready, &after);
    // While an interrupt is asked for, backends do nothing more.
    if !matches!(&result, Err(failure) if failure.kind == FailureKind::Interrupted) {
        given_back?;
    }
    arrays.iter_mut().zip(&after).for_each(|(array, after)| array.ends_with(after.bytes()));
    let failure = result.err();
    let error = failure.as_ref().map(|failure| of_threads(ready.operation, &ready.kernel, failure, "cpu".to_owned()));
    let block = ready.size.block.map(|length| length as usize);
    let most_events = ready.config.trace_events;
    Ok(Recorded {
        kernel: ready.kernel,
        grid,
        block,
        most_events,
        arrays,
        recording,
        failure,
        error,
        took,
        notes: [said_of_missing(ready, blocks), said_of_lanes(block.iter().product(), blocks)]
            .into_iter()
            .flatten()
            .collect(),
        element: None,
    })
}

/// The numbers of the blocks that a failure is about, in ascending order: all others that matter have run before the last.
fn concerned(failure: &Failure, grid: [usize; 3]) -> Vec<usize> {
    let own = number_of(failure.block, grid);
    match &failure.kind {
        FailureKind::Race { first, .. } => {
            let other = number_of(first.block, grid);
            if other < own { vec![other, own] } else { vec![own] }
        }
        _ => vec![own],
    }
}

/// The number of a block, or of a thread in its block.
pub(super) fn number_of([x, y, z]: [usize; 3], [width, height, _]: [usize; 3]) -> usize {
    x + width * (y + height * z)
}

/// Runs the chosen blocks alone, on copies of the arrays, and gives nothing back.
pub(super) fn watch(ready: &Ready<'_, '_>) -> Result<Recorded> {
    let arrays = arrays_of(ready)?;
    let blocks = ready.size.grid.iter().map(|&length| length as usize).product();
    let plan = Plan { only: true, ..plan(ready, blocks) };
    let began = Instant::now();
    let mut after: Vec<Buffer> = arrays.iter().map(|array| array.before.clone()).collect();
    let (result, recording) = launch(ready, &plan, &arrays, &mut after);
    let failure = result.err();
    let error = failure.as_ref().map(|failure| of_threads(ready.operation, &ready.kernel, failure, "cpu".to_owned()));
    let [grid, block] = [ready.size.grid, ready.size.block].map(|size| size.map(|length| length as usize));
    let (kernel, most_events, took) = (ready.kernel, ready.config.trace_events, began.elapsed());
    let notes = Vec::new();
    Ok(Recorded { kernel, grid, block, most_events, arrays, recording, failure, error, took, notes, element: None })
}

/// What is said of chosen blocks that the grid does not have.
fn said_of_missing(ready: &Ready<'_, '_>, blocks: usize) -> Option<String> {
    let mut missing = ready.config.trace_blocks.iter().flatten().filter(|&&block| block >= blocks);
    let (first, more) = (missing.next()?, missing.count());
    let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let last = blocks - 1;
    Some(format!(
        "There is no block {first}{and_more}, as `trace_blocks` has it: the blocks have the numbers 0 to {last}."
    ))
}

/// What is said of warps that lack more than a quarter of their lanes, where larger blocks would have more of them.
fn said_of_lanes(threads: usize, blocks: usize) -> Option<String> {
    let (all, warps) = (threads.next_multiple_of(LANES), threads.div_ceil(LANES));
    // A grid of one small block may have no more work.
    let is_choice = blocks > 1 || threads == 1;
    let what = if threads == 1 { "thread" } else { "threads" };
    let of = if warps == 1 { "its warp" } else { "its warps" };
    (is_choice && (all - threads) * 4 > all).then(|| {
        format!(
            "A block of {threads} {what} leaves {} of the {all} lanes of {of} idle; let blocks have a multiple of 32 threads.",
            all - threads
        )
    })
}

/// The arrays of a launch, and what is in them.
fn arrays_of(ready: &Ready<'_, '_>) -> Result<Vec<TracedArray>> {
    let mut arrays = Vec::new();
    for (argument, parameter) in ready.arguments.iter().zip(ready.kernel.threads.parameters) {
        if let Some(array) = argument.array() {
            arrays.push(TracedArray {
                name: parameter.name(),
                dtype: array.dtype,
                shape: array.shape().to_vec(),
                strides: array.layout.strides.clone(),
                before: Buffer::of(array)?,
                after: None,
            });
        }
    }
    Ok(arrays)
}

/// Which blocks are recorded.
fn plan(ready: &Ready<'_, '_>, blocks: usize) -> Plan {
    let mut chosen = match &ready.config.trace_blocks {
        Some(chosen) => chosen.iter().copied().filter(|&block| block < blocks).collect(),
        None => vec![0, blocks / 2, blocks - 1],
    };
    chosen.sort_unstable();
    chosen.dedup();
    Plan { blocks: chosen, only: false, most_events: ready.config.trace_events, lines: lines_of(&ready.kernel) }
}

/// The lines of a kernel in the file that was compiled.
pub(crate) fn lines_of(kernel: &Kernel) -> Range<u32> {
    let first = u32::try_from(kernel.threads.line).unwrap_or(0);
    first..first + kernel.text.source.lines().count().max(1) as u32
}

fn launch(
    ready: &Ready<'_, '_>,
    plan: &Plan,
    arrays: &[TracedArray],
    after: &mut [Buffer],
) -> (std::result::Result<(), Failure>, Recording) {
    let threads = ready.kernel.threads;
    let layouts: Vec<Layout> = arrays.iter().map(|array| Layout::contiguous(&array.shape)).collect();
    let mut buffers = layouts.iter().zip(after.iter_mut());
    let given: Vec<Given<'_>> = ready
        .arguments
        .iter()
        .map(|argument| match argument {
            LaunchArgument::Plain(RawArgument::Scalar { value, .. }) => Given::Scalar(*value),
            LaunchArgument::Struct(value) => Given::Struct(value),
            LaunchArgument::Plain(RawArgument::Array { .. }) => {
                let (Layout { shape, strides, .. }, buffer) = buffers.next().expect("one for each array");
                Given::Array { start: buffer.start(), shape, strides }
            }
        })
        .collect();
    // SAFETY: the launch has checked the types; the buffers have the elements that the shapes say, bools among them 0 or 1, and nothing
    // else accesses them.
    let arguments = unsafe { Arguments::new(&given, threads.parameters) };
    let stop = Stop::of_this_thread();
    let interrupted = || stop.is_asked();
    let spec = Launch {
        function: ready.kernel.short_name(),
        grid: ready.size.grid.map(|length| length as usize),
        block: ready.size.block.map(|length| length as usize),
        dynamic_shared_bytes: ready.size.shared as usize,
        mode: Mode::Checked,
        interrupted: &interrupted,
    };
    let mut outcome = None;
    (threads.run)(&arguments, &mut |thread| {
        let mut work = |recorded: &(dyn Fn() + Sync)| {
            // SAFETY: as above.
            outcome = Some(unsafe { record(&spec, plan.clone(), thread, recorded) });
        };
        match threads.recorded {
            Some(run) => run(&arguments, &mut work),
            None => work(thread),
        }
    });
    outcome.expect("the macro's function runs the threads")
}

/// Copies what was written to the arrays of the launch.
fn give_back(ready: &Ready<'_, '_>, after: &[Buffer]) -> Result<()> {
    let mut buffers = after.iter();
    for (argument, parameter) in ready.arguments.iter().zip(ready.kernel.threads.parameters) {
        let Some(array) = argument.array() else { continue };
        let buffer = buffers.next().expect("one for each array");
        if matches!(parameter, Parameter::ViewMut(..)) && buffer.length > 0 {
            let copy = RawArray::uninitialised(ready.operation, &array.handle, array.shape(), array.dtype)?;
            copy.handle.backend.upload(buffer.bytes(), &copy.allocation)?;
            assign(ready.operation, array, &copy)?;
        }
    }
    Ok(())
}
