//! The elements of one operand where a condition holds, else those of another.

use super::elementwise::{BLOCK, GRAIN, Input, gather};
use super::numeric::{Shared, Word, by_isa, for_bits};
use super::pool;
use super::runs::Runs;
use std::hint::select_unpredictable;
use warpcell_base::backend::Layout;
use warpcell_base::dtype::DType;

/// Writes `condition ? a : b` to each element; only the size of the elements matters.
///
/// # Safety
///
/// The operands must describe memory that nothing else accesses: bools for the condition, for the others elements of
/// `dtype`. Arrays have the layout's shape; `out` may be one of the two inputs, with the same layout.
pub(super) unsafe fn where_(
    dtype: DType,
    condition: (*const u8, &Layout),
    inputs: [Input<'_>; 2],
    out: *mut u8,
    layout: &Layout,
) {
    // SAFETY: the caller's promise; any bytes are a value of these types.
    unsafe {
        for_bits!(dtype, T => run::<T>(condition, inputs, out, layout));
    }
}

/// # Safety
///
/// As for [`where_`].
unsafe fn run<T: Word>(condition: (*const u8, &Layout), inputs: [Input<'_>; 2], out: *mut u8, layout: &Layout) {
    let mut layouts = vec![layout, condition.1];
    layouts.extend(inputs.iter().filter_map(|input| match input {
        Input::Array(_, layout) => Some(*layout),
        Input::Scalar(_) => None,
    }));
    let runs = Runs::new(&layouts);
    let flags = Shared(condition.0.cast_mut());
    // Per input: the pointer and its place among the runs' operands, 0 for a value.
    let mut operand = 1;
    let sources: [(Shared<T>, usize); 2] = inputs.map(|input| match input {
        Input::Array(pointer, _) => {
            operand += 1;
            (Shared(pointer.cast_mut().cast()), operand)
        }
        Input::Scalar(_) => (Shared(std::ptr::null_mut()), 0),
    });
    let values: [T; 2] = inputs.map(|input| match input {
        Input::Array(..) => T::default(),
        Input::Scalar(value) => T::of_bits(value.bits()),
    });
    let out = Shared(out.cast::<T>());
    pool::split(runs.total(), GRAIN, &|range| {
        let mut chosen = [0u8; BLOCK];
        let mut buffers = values.map(|value| [value; BLOCK]);
        let mut result = [T::default(); BLOCK];
        runs.visit(range, &mut |offsets, length| {
            for first in (0..length).step_by(BLOCK) {
                let count = BLOCK.min(length - first);
                let at = |operand: usize| offsets[operand] + first as isize * runs.inner_strides[operand];
                // SAFETY: the run's indices lie within the layouts, which the caller vouches for; each element of the
                // output belongs to one task. Operands that are read in place are not written to: they are not `out`.
                unsafe {
                    let flags = flags.get().offset(at(1));
                    let flags = if runs.inner_strides[1] == 1 {
                        std::slice::from_raw_parts(flags, count)
                    } else {
                        gather(flags, runs.inner_strides[1], &mut chosen[..count]);
                        &chosen[..count]
                    };
                    let [a_buffer, b_buffer] = &mut buffers;
                    let read = |(source, operand): (Shared<T>, usize), buffer: &mut [T; BLOCK]| -> *const T {
                        if operand == 0 {
                            return buffer.as_ptr();
                        }
                        let from = source.get().offset(at(operand));
                        if runs.inner_strides[operand] == 1 && source.get() != out.get() {
                            return from;
                        }
                        gather(from, runs.inner_strides[operand], &mut buffer[..count]);
                        buffer.as_ptr()
                    };
                    let a = std::slice::from_raw_parts(read(sources[0], a_buffer), count);
                    let b = std::slice::from_raw_parts(read(sources[1], b_buffer), count);
                    let target = out.get().offset(at(0));
                    if runs.inner_strides[0] == 1 {
                        choose(flags, a, b, std::slice::from_raw_parts_mut(target, count));
                    } else {
                        choose(flags, a, b, &mut result[..count]);
                        for (index, &value) in result[..count].iter().enumerate() {
                            target.offset(index as isize * runs.inner_strides[0]).write(value);
                        }
                    }
                }
            }
        });
    });
}

by_isa! {
    fn choose<T: Copy>(flags: &[u8], a: &[T], b: &[T], out: &mut [T]) {
        for (((out, &flag), &a), &b) in out.iter_mut().zip(flags).zip(a).zip(b) {
            // Not a branch: of a mask without an order, it would be wrong every other time.
            *out = select_unpredictable(flag != 0, a, b);
        }
    }
}
