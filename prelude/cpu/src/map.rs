//! Registered functions over arrays: blocks of contiguous elements, spread over the threads.
//!
//! Inputs that are not contiguous, or are one value, pass through a buffer of one block in the first-level cache, so
//! that the compiled function is one simple loop.

use super::elementwise::Input;
use super::numeric::{Shared, for_bits, for_dtype, for_number};
use super::pool;
use super::reduce::{All, Any, Cascade, Max, Min, Product, Reduction, Sum, leaf};
use super::runs::Runs;
use super::{QueueGuard, completed, origin};
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use warpcell_base::backend::launch::Argument;
use warpcell_base::backend::{Layout, ReduceOperation, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::Result;
use warpcell_base::interrupt;
use warpcell_base::registry::{Function, Inputs, Outputs, Value};

/// The elements of a block.
pub(super) const BLOCK: usize = 512;

/// Fewer elements than this are not worth a second thread. A function of the user may take long for each.
const GRAIN: usize = 1 << 12;

/// Room for a block of any element type, not cleared: that takes about as long as simple functions.
fn room() -> Vec<u128> {
    Vec::with_capacity(BLOCK)
}

/// An argument of a function over arrays.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// An array, or one value for all elements.
    Elements(Input<'a>),
    /// A struct.
    Struct(&'a Value),
}

/// An argument in the memory of this backend.
fn source<'a>(argument: &Argument<'a>) -> Source<'a> {
    match argument {
        Argument::Array(view, _) => Source::Elements(Input::Array(origin(view), view.layout)),
        Argument::Scalar(value) => Source::Elements(Input::Scalar(*value)),
        Argument::Struct(value) => Source::Struct(value),
    }
}

/// What a panic carries.
pub(super) type Payload = Box<dyn std::any::Any + Send>;

/// A function over arrays: `outs` are its results, or one is what `reduction` makes of them. Passes a panic of the function on,
/// when the queue is free again.
pub(super) fn on_arrays(
    guard: QueueGuard<'_>,
    function: &Function,
    reduction: Option<ReduceOperation>,
    inputs: &[Argument<'_>],
    shape: &[usize],
    outs: &[View<'_>],
) -> Result<()> {
    let inputs: Vec<Source<'_>> = inputs.iter().map(source).collect();
    // SAFETY: the invariants of `Memory`.
    let panicked = unsafe { on_memory(function, reduction, &inputs, shape, outs) };
    end(guard, panicked)
}

/// A function over host arrays: `outs` are new arrays of this backend for its results, or one for what `reduction` makes of
/// them. Passes a panic of the function on.
///
/// # Safety
///
/// The inputs must describe memory that is not written to, for elements of the function's types, with `shape`.
pub unsafe fn on_host(
    function: &Function,
    reduction: Option<ReduceOperation>,
    inputs: &[Source<'_>],
    shape: &[usize],
    outs: &[View<'_>],
) -> Result<()> {
    // SAFETY: the caller's promise; nothing else knows the new arrays.
    match unsafe { on_memory(function, reduction, inputs, shape, outs) } {
        Some(payload) => resume_unwind(payload),
        None => completed(),
    }
}

/// Ends the operation; passes a panic of the function on.
pub(super) fn end(guard: QueueGuard<'_>, panicked: Option<Payload>) -> Result<()> {
    match panicked {
        Some(payload) => {
            // It also forgets that parts were left out, which would stop the next operation.
            drop(guard.end());
            resume_unwind(payload)
        }
        None => guard.end(),
    }
}

/// # Safety
///
/// As for [`Operation::Map`](warpcell_base::backend::Operation::Map) and `MapReduce`.
unsafe fn on_memory(
    function: &Function,
    reduction: Option<ReduceOperation>,
    inputs: &[Source<'_>],
    shape: &[usize],
    outs: &[View<'_>],
) -> Option<Payload> {
    match reduction {
        // SAFETY: the caller's promise.
        Some(operation) => unsafe { map_reduce(function, operation, inputs, shape, origin(&outs[0])) },
        None => {
            let outs: Vec<(*mut u8, &Layout)> = outs.iter().map(|out| (origin(out), out.layout)).collect();
            // SAFETY: the caller's promise.
            unsafe { map(function, inputs, &outs, shape) }
        }
    }
}

/// Computes every element of the outputs; gives what the function has panicked with.
///
/// # Safety
///
/// The operands must describe memory that nothing else accesses, for elements of the function's types; arrays and outputs
/// have `shape`; an output overlaps no input, unless both are the very same elements, and no other output.
unsafe fn map(
    function: &Function,
    inputs: &[Source<'_>],
    outs: &[(*mut u8, &Layout)],
    shape: &[usize],
) -> Option<Payload> {
    let plan = Plan::new(function, inputs, outs, shape);
    spread(plan.runs.total(), GRAIN, BLOCK, &|range| {
        // SAFETY: the caller's promise; each index is of one task.
        unsafe { plan.run(range, &mut |_, _| {}) }
    })
}

/// Reduces the results of a function that has one; gives what the function has panicked with.
///
/// # Safety
///
/// As for [`map`]; `out` has room for an element of the operation's dtype.
unsafe fn map_reduce(
    function: &Function,
    operation: ReduceOperation,
    inputs: &[Source<'_>],
    shape: &[usize],
    out: *mut u8,
) -> Option<Payload> {
    let plan = Plan::new(function, inputs, &[], shape);
    let dtype = function.results[0];
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            ReduceOperation::Sum => for_dtype!(dtype, T => plan.reduce::<Sum<T>>(out)),
            ReduceOperation::Product => for_dtype!(dtype, T => plan.reduce::<Product<T>>(out)),
            ReduceOperation::Max => for_number!(dtype, T => plan.reduce::<Max<T>>(out)),
            ReduceOperation::Min => for_number!(dtype, T => plan.reduce::<Min<T>>(out)),
            ReduceOperation::All => plan.reduce::<All>(out),
            ReduceOperation::Any => plan.reduce::<Any>(out),
            _ => unreachable!("no reduction of results"),
        }
    }
}

/// What is the same for all blocks.
struct Plan<'a> {
    function: &'a Function,
    /// Of each input that is an array: its start, and the number of its layout.
    sources: Vec<Option<(Shared<u8>, usize)>>,
    /// For each input, a block of its value if it is a scalar, else nothing.
    filled: Vec<Vec<u128>>,
    /// The inputs that are structs, with their numbers.
    structs: Vec<(usize, &'a Value)>,
    /// Of each result that is stored: where, and the number of its layout.
    targets: Vec<Option<Target>>,
    runs: Runs,
}

/// Where the elements of an output are.
struct Target {
    start: Shared<u8>,
    layout: usize,
    /// Whether an input has the very same elements, and results must not be written while the function reads them.
    is_input: bool,
}

impl<'a> Plan<'a> {
    fn new(function: &'a Function, inputs: &[Source<'a>], outs: &[(*mut u8, &Layout)], shape: &[usize]) -> Plan<'a> {
        let whole = Layout::contiguous(shape);
        let arrays = inputs.iter().filter_map(|input| match *input {
            Source::Elements(Input::Array(start, layout)) => Some((start, layout)),
            Source::Elements(Input::Scalar(_)) | Source::Struct(_) => None,
        });
        // The first layout decides in which order the axes are walked.
        let repeats = |layout: &Layout| layout.shape.iter().zip(&layout.strides).any(|(&n, &step)| n > 1 && step == 0);
        let first = match outs.first() {
            Some((_, layout)) => layout,
            None => arrays.clone().map(|(_, layout)| layout).find(|layout| !repeats(layout)).unwrap_or(&whole),
        };
        let mut layouts = vec![first];
        let mut sources = Vec::new();
        let mut filled = Vec::new();
        let mut structs = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let (source, buffer) = match *input {
                Source::Elements(Input::Array(start, layout)) => {
                    layouts.push(layout);
                    (Some((Shared(start.cast_mut()), layouts.len() - 1)), Vec::new())
                }
                Source::Elements(Input::Scalar(value)) => (None, repeated(value)),
                Source::Struct(value) => {
                    structs.push((index, value));
                    (None, Vec::new())
                }
            };
            sources.push(source);
            filled.push(buffer);
        }
        let mut targets: Vec<Option<Target>> = function.results.iter().map(|_| None).collect();
        for (target, &(start, layout)) in targets.iter_mut().zip(outs) {
            layouts.push(layout);
            let is_input = arrays.clone().any(|(input, _)| std::ptr::eq(input, start));
            *target = Some(Target { start: Shared(start), layout: layouts.len() - 1, is_input });
        }
        Plan { function, sources, filled, structs, targets, runs: Runs::new(&layouts) }
    }

    /// Computes the elements in `range`, and shows `done` the blocks of results with their length.
    ///
    /// # Safety
    ///
    /// As for [`map`]; the indices are of this task alone.
    unsafe fn run(&self, range: Range<usize>, done: &mut dyn FnMut(&[*mut u8], usize)) {
        let Plan { function, runs, .. } = self;
        let is_direct = |operand: usize| runs.inner_strides[operand] == 1;
        let in_place = |target: &Target| is_direct(target.layout) && !target.is_input;
        // Where elements pass through: those of arrays that the function cannot read or write where they lie.
        let mut buffers: Vec<Vec<u128>> = Vec::with_capacity(self.sources.len());
        for (source, parameter) in self.sources.iter().zip(function.parameters) {
            let passes =
                source.is_some_and(|(_, operand)| !is_direct(operand) || parameter.dtype() == Some(DType::Bool));
            buffers.push(if passes { room() } else { Vec::new() });
        }
        let passes = |target: &Option<Target>| !target.as_ref().is_some_and(in_place);
        let mut results: Vec<Vec<u128>> =
            self.targets.iter().map(|target| vec![0; if passes(target) { BLOCK } else { 0 }]).collect();
        let mut blocks: Vec<*const u8> = self.filled.iter().map(|block| block.as_ptr().cast()).collect();
        for &(index, value) in &self.structs {
            blocks[index] = std::ptr::from_ref(value).cast();
        }
        let mut written: Vec<*mut u8> = results.iter_mut().map(|buffer| buffer.as_mut_ptr().cast()).collect();
        runs.visit(range, &mut |offsets, length| {
            for first in (0..length).step_by(BLOCK) {
                let count = BLOCK.min(length - first);
                let at = |operand: usize| offsets[operand] + first as isize * runs.inner_strides[operand];
                for (index, source) in self.sources.iter().enumerate() {
                    let (Some((start, operand)), Some(dtype)) = (*source, function.parameters[index].dtype()) else {
                        continue;
                    };
                    let stride = runs.inner_strides[operand];
                    // SAFETY: the run's indices lie within the layout, which the caller vouches for.
                    let start = unsafe { start.get().offset(at(operand) * dtype.size() as isize) };
                    blocks[index] = if stride == 1 && dtype != DType::Bool {
                        start
                    } else {
                        // SAFETY: as for `start`, and the buffer has room for a block of any type.
                        unsafe { gather(start, stride, count, dtype, buffers[index].as_mut_ptr().cast()) };
                        buffers[index].as_ptr().cast()
                    };
                }
                let place = |target: &Target, dtype: DType| {
                    // SAFETY: the run's indices lie within the layout; each belongs to one task.
                    unsafe { target.start.get().offset(at(target.layout) * dtype.size() as isize) }
                };
                for (index, target) in self.targets.iter().enumerate() {
                    if let Some(target) = target.as_ref().filter(|target| in_place(target)) {
                        written[index] = place(target, function.results[index]);
                    }
                }
                // SAFETY: each block is `count` elements of an input, which nobody writes to before the function has returned,
                // or a buffer that was filled with as many; bools have gone through `gather` or come from a `bool`. Those of
                // structs are their values. Results are as many initialised elements of an output that is not an input, or of a
                // buffer; of this task alone.
                unsafe { call_block(function, &blocks, &written, count) };
                for (index, target) in self.targets.iter().enumerate() {
                    let Some(target) = target.as_ref().filter(|target| !in_place(target)) else { continue };
                    let (dtype, stride) = (function.results[index], runs.inner_strides[target.layout]);
                    // SAFETY: as for `place`; the buffer holds `count` elements.
                    unsafe { scatter(written[index], place(target, dtype), stride, count, dtype.size()) };
                }
                done(&written, count);
            }
        });
    }

    /// Reduces the results.
    ///
    /// # Safety
    ///
    /// As for [`map_reduce`], for a function whose result is of the reduction's input.
    unsafe fn reduce<R: Reduction<Centre = ()>>(&self, out: *mut u8) -> Option<Payload> {
        let total = self.runs.total();
        // Cut by the shape alone, as other sums are.
        let parts = total.div_ceil(GRAIN);
        let mut partial = vec![R::identity(); parts];
        let places = Shared(partial.as_mut_ptr());
        let panicked = spread(parts, 1, 1, &|range| {
            for part in range {
                let mut cascade = Cascade::<R>::new();
                // SAFETY: the caller's promise; without targets, the blocks are buffers of this task.
                unsafe {
                    self.run(part * GRAIN..total.min((part + 1) * GRAIN), &mut |blocks, count| {
                        let block = std::slice::from_raw_parts(blocks[0].cast::<R::Input>().cast_const(), count);
                        cascade.push(leaf::<R>(block, ()));
                    });
                }
                // SAFETY: there is a place for each part, and each part is of one task.
                unsafe { places.get().add(part).write(cascade.total()) };
            }
        });
        let mut cascade = Cascade::<R>::new();
        partial.into_iter().for_each(|value| cascade.push(value));
        // SAFETY: the caller's promise.
        unsafe { out.cast::<R::Output>().write(cascade.total()) };
        panicked
    }
}

/// Calls `work` for parts of `0..total`, spread over the threads; gives what a function of the user in it has panicked with.
pub(super) fn spread(
    total: usize,
    grain: usize,
    piece: usize,
    work: &(dyn Fn(Range<usize>) + Sync),
) -> Option<Payload> {
    let caller = interrupt::runs_cells();
    let (panicked, payload) = (AtomicBool::new(false), Mutex::new(None));
    pool::split_finely(total, grain, piece, &|range| {
        if panicked.load(Ordering::Relaxed) {
            return;
        }
        // A panic is the caller's, who passes it on when all tasks have ended.
        if let Some(caught) = interrupt::on_behalf_of(caller, || caught(|| work(range))) {
            panicked.store(true, Ordering::Relaxed);
            payload.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(caught);
        }
    });
    payload.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work`, in which functions of the user run; gives what they have panicked with.
pub(super) fn caught(work: impl FnOnce()) -> Option<Payload> {
    let run = || {
        let _running = Running::begin();
        work();
    };
    catch_unwind(AssertUnwindSafe(run)).err()
}

/// Calls a function for one block of elements, `BLOCK` at most.
///
/// # Safety
///
/// For each parameter there are `count` elements of its type, bools are 0 or 1, and for each result there is room for as many, which
/// overlaps nothing. For a struct there is its value.
pub(super) unsafe fn call_block(function: &Function, given: &[*const u8], made: &[*mut u8], count: usize) {
    // SAFETY: the caller's promise.
    let (given, mut made) = unsafe {
        let given = Inputs::new(given, function.parameters, &function.captures, count);
        (given, Outputs::new(made, function.results, count))
    };
    (function.block)(&given, &mut made);
}

thread_local! {
    /// How many functions of the user this thread is inside of: those of a block's threads that wait count too.
    static RUNNING: Cell<usize> = const { Cell::new(0) };
}

/// Whether this thread is inside a function of the user.
pub(super) fn is_running() -> bool {
    RUNNING.get() > 0
}

/// While this lives, the thread is inside a function of the user.
pub(super) struct Running;

impl Running {
    pub fn begin() -> Running {
        RUNNING.set(RUNNING.get() + 1);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(RUNNING.get() - 1);
    }
}

/// A block of one value.
pub(super) fn repeated(value: Scalar) -> Vec<u128> {
    let mut bits = value.bits();
    let mut size = value.dtype().size();
    while size < 16 {
        bits |= bits << (8 * size);
        size *= 2;
    }
    vec![bits; BLOCK]
}

/// Copies elements that are `stride` apart to a buffer; bools become 0 or 1.
///
/// # Safety
///
/// `count` elements must be readable from `source` on, and room for as many at `buffer`.
unsafe fn gather(source: *const u8, stride: isize, count: usize, dtype: DType, buffer: *mut u8) {
    // SAFETY (of the expansions): the caller's promise; elements of a dtype are aligned to their size.
    macro_rules! gather {
        ($type:ty, |$value:ident| $store:expr) => {
            for index in 0..count {
                // SAFETY: the caller's promise; elements are aligned to their size.
                unsafe {
                    let $value = source.cast::<$type>().offset(index as isize * stride).read();
                    buffer.cast::<$type>().add(index).write($store);
                }
            }
        };
    }
    match dtype {
        DType::Bool => gather!(u8, |value| u8::from(value != 0)),
        dtype => for_bits!(dtype, T => gather!(T, |value| value)),
    }
}

/// Copies elements of a buffer to places that are `stride` elements apart.
///
/// # Safety
///
/// `count` elements of `size` bytes must be readable from `buffer` on, and the places must be writable.
unsafe fn scatter(buffer: *const u8, target: *mut u8, stride: isize, count: usize, size: usize) {
    if stride == 1 {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(buffer, target, count * size) };
        return;
    }
    for index in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let place = target.offset(index as isize * stride * size as isize);
            std::ptr::copy_nonoverlapping(buffer.add(index * size), place, size);
        }
    }
}
