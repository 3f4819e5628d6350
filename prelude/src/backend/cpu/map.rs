//! Registered functions over arrays: blocks of contiguous elements, spread over the threads.
//!
//! Inputs that are not contiguous, or are one value, pass through a buffer of one block in the first-level cache, so
//! that the compiled function is one simple loop.

use super::elementwise::Input;
use super::numeric::{Shared, for_bits};
use super::pool;
use super::runs::Runs;
use crate::backend::Layout;
use crate::cell;
use crate::dtype::{DType, Scalar};
use crate::registry::{Function, Inputs, Output};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The elements of a block.
const BLOCK: usize = 512;

/// Fewer elements than this are not worth a second thread. A function of the user may take long for each.
const GRAIN: usize = 1 << 12;

/// Room for a block of any element type.
type Buffer = [u128; BLOCK];

/// What a panic carries.
type Payload = Box<dyn Any + Send>;

/// Computes every element of the output; gives what the function has panicked with.
///
/// # Safety
///
/// The operands must describe memory that nothing else accesses, for elements of the function's types; arrays have the
/// layout's shape; `out` overlaps no input.
pub(super) unsafe fn map(function: &Function, inputs: &[Input<'_>], out: *mut u8, layout: &Layout) -> Option<Payload> {
    let mut layouts = vec![layout];
    let sources: Vec<Option<(Shared<u8>, usize)>> = inputs
        .iter()
        .map(|input| match *input {
            Input::Array(start, layout) => {
                layouts.push(layout);
                Some((Shared(start.cast_mut()), layouts.len() - 1))
            }
            Input::Scalar(_) => None,
        })
        .collect();
    let filled: Vec<Buffer> = inputs
        .iter()
        .map(|input| match *input {
            Input::Array(..) => [0; BLOCK],
            Input::Scalar(value) => repeated(value),
        })
        .collect();
    let runs = Runs::new(&layouts);
    let out = Shared(out);
    let caller = cell::runs_cells();
    let (panicked, payload) = (AtomicBool::new(false), Mutex::new(None));
    pool::split_finely(runs.total(), GRAIN, BLOCK, &|range| {
        if panicked.load(Ordering::Relaxed) {
            return;
        }
        let mut buffers = filled.clone();
        let mut result: Buffer = [0; BLOCK];
        let mut blocks: Vec<*const u8> = buffers.iter().map(|buffer| buffer.as_ptr().cast()).collect();
        let work = || {
            let _running = Running::begin();
            runs.visit(range, &mut |offsets, length| {
                for first in (0..length).step_by(BLOCK) {
                    let count = BLOCK.min(length - first);
                    let at = |operand: usize| offsets[operand] + first as isize * runs.inner_strides[operand];
                    for (index, source) in sources.iter().enumerate() {
                        let Some((start, operand)) = *source else { continue };
                        let (dtype, stride) = (function.parameters[index], runs.inner_strides[operand]);
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
                    // SAFETY: the run's indices lie within the layout; each belongs to one task.
                    let target = unsafe { out.get().offset(at(0) * function.result.size() as isize) };
                    let in_place = runs.inner_strides[0] == 1;
                    let written = if in_place { target } else { result.as_mut_ptr().cast() };
                    // SAFETY: each block is `count` elements of an input, which nobody writes to, or a buffer that was
                    // filled with as many; bools have gone through `gather` or come from a `bool`.
                    let given = unsafe { Inputs::new(&blocks, &function.parameters, count) };
                    // SAFETY: as many initialised elements of the output, or of the buffer; of this task alone.
                    let mut taken = unsafe { Output::new(written, function.result, count) };
                    (function.block)(&given, &mut taken);
                    if !in_place {
                        let stride = runs.inner_strides[0];
                        // SAFETY: as for `target`; the buffer holds `count` elements.
                        unsafe { scatter(result.as_ptr().cast(), target, stride, count, function.result.size()) };
                    }
                }
            });
        };
        // A panic is the caller's, who passes it on when all tasks have ended.
        if let Err(caught) = cell::on_behalf_of(caller, || catch_unwind(AssertUnwindSafe(work))) {
            panicked.store(true, Ordering::Relaxed);
            payload.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(caught);
        }
    });
    payload.into_inner().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a function of the user.
pub(super) fn is_running() -> bool {
    RUNNING.get()
}

/// While this lives, the thread is inside a function of the user.
struct Running;

impl Running {
    fn begin() -> Running {
        RUNNING.set(true);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(false);
    }
}

/// A block of one value.
fn repeated(value: Scalar) -> Buffer {
    let mut bits = value.bits();
    let mut size = value.dtype().size();
    while size < 16 {
        bits |= bits << (8 * size);
        size *= 2;
    }
    [bits; BLOCK]
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
    for index in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let place = target.offset(index as isize * stride * size as isize);
            std::ptr::copy_nonoverlapping(buffer.add(index * size), place, size);
        }
    }
}
