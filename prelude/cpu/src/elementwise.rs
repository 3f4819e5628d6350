//! Elementwise kernels: blocks of contiguous elements, in vector instructions.
//!
//! Operands that are not contiguous, are one value, or are the output itself pass through a buffer of one block in
//! the first-level cache, so that each kernel is one simple loop over slices.

use super::numeric::{
    Arithmetic, Bit, Bits, Integer, Native, Shared, Word, by_isa, for_bits, for_dtype, for_integer, for_number,
};
use super::runs::Runs;
use super::vector::{Function, Lanes};
use super::{complex, divide, pool};
use std::mem::MaybeUninit;
use warpcell_base::backend::functions::{float_functions, float_functions_of_two};
use warpcell_base::backend::{BinaryOperation, Layout, UnaryOperation};
use warpcell_base::dtype::{DType, Scalar};

/// The elements of a block; three blocks of eight-byte elements fit in half of a first-level cache.
pub(super) const BLOCK: usize = 512;

/// The elements of a block where nothing passes through a buffer but values, of which there is a block that all threads read.
const LONG_BLOCK: usize = 2048;

/// As many elements need no plan, if they follow one another.
const FEW: usize = 1 << 12;

/// Fewer elements than this are not worth a second thread.
pub(super) const GRAIN: usize = 1 << 15;

/// Fewer bytes of an operand than this are not worth a second thread: of small elements there are more in them.
const GRAIN_BYTES: usize = 1 << 18;

/// An operand: the element of index zero and the layout (its offset is not used), or one value.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    Array(*const u8, &'a Layout),
    Scalar(Scalar),
}

/// Sets every element.
///
/// # Safety
///
/// `out` and `layout` must describe memory that nothing else accesses, for elements of the value's dtype.
pub(super) unsafe fn fill(value: Scalar, out: *mut u8, layout: &Layout) {
    for_bits!(value.dtype(), T => {
        let value = <T as Word>::of_bits(value.bits());
        // SAFETY: the caller's promise.
        unsafe { blocks::<T, T, 0>([], out, layout, &|_, out| out.fill(value)) }
    });
}

/// Writes `start + index * step`.
///
/// # Safety
///
/// As for [`fill`], for `length` elements of `dtype` that are `stride` apart.
pub unsafe fn arange(start: Scalar, step: Scalar, dtype: DType, out: *mut u8, stride: isize, length: usize) {
    /// What `values` writes to blocks of neighbours, given the index of the first one of them.
    unsafe fn write<T: Copy + Default>(
        out: *mut u8,
        stride: isize,
        length: usize,
        values: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let out = Shared(out.cast::<T>());
        pool::split(length, GRAIN, &|range| {
            if stride == 1 {
                // SAFETY: the caller's promise; each element belongs to one task.
                let part = unsafe { std::slice::from_raw_parts_mut(out.get().add(range.start), range.len()) };
                range.step_by(BLOCK).zip(part.chunks_mut(BLOCK)).for_each(|(first, block)| values(first, block));
                return;
            }
            for index in range {
                let mut one = [T::default()];
                values(index, &mut one);
                // SAFETY: the caller's promise; each element belongs to one task.
                unsafe { out.get().offset(index as isize * stride).write(one[0]) };
            }
        });
    }
    macro_rules! floats {
        ($T:ty) => {{
            let [start, step] = [start, step].map(|value| value.float().expect("a float"));
            // The second part of an index suits vector instructions.
            let values = |first: usize, block: &mut [$T]| {
                for (index, element) in (0u32..).zip(block) {
                    *element = (start + step * (first as f64 + f64::from(index))) as $T;
                }
            };
            // SAFETY: the caller's promise.
            unsafe { write(out, stride, length, values) }
        }};
    }
    match dtype {
        DType::F32 => floats!(f32),
        DType::F64 => floats!(f64),
        // Modulo a power of two, where signs do not matter. One after the other, since vectors of integers of 64 bits are quickly added,
        // but not multiplied.
        dtype => for_integer!(dtype, T => {
            let [start, step] = [start, step].map(<T>::of);
            let values = |first: usize, block: &mut [T]| {
                let mut next = start.wrapping_add(step.wrapping_mul(first as T));
                for element in block {
                    *element = next;
                    next = next.wrapping_add(step);
                }
            };
            // SAFETY: the caller's promise.
            unsafe { write(out, stride, length, values) }
        }),
    }
}

/// Applies a function to each element.
///
/// # Safety
///
/// The operands must describe memory that nothing else accesses, for elements of `dtype` and the operation's output
/// dtype; `out` overlaps the input only if their layouts are the same.
pub(super) unsafe fn unary(operation: UnaryOperation, dtype: DType, x: Input<'_>, out: *mut u8, layout: &Layout) {
    use UnaryOperation as U;
    if dtype.is_complex() {
        // SAFETY: the caller's promise.
        return unsafe { complex::unary(operation, dtype, x, out, layout) };
    }
    macro_rules! apply {
        // SAFETY (of the expansion): the caller's promise.
        ($T:ty, $U:ty, $function:expr) => {
            // SAFETY: the caller's promise.
            unsafe { blocks::<$T, $U, 1>([x], out, layout, &|[x], out| map(x, out, $function)) }
        };
    }
    macro_rules! float {
        ($name:literal, $T:ty, $dtype:ident, $function:expr) => {{
            static VECTORS: Function = Function::new($name, 1, DType::$dtype);
            if VECTORS.exists() {
                // SAFETY: the caller's promise, and a function of one argument.
                unsafe { blocks::<$T, $T, 1>([x], out, layout, &|x, out| Lanes::call(&VECTORS, x, out)) }
            } else {
                apply!($T, $T, $function)
            }
        }};
    }
    macro_rules! number {
        ($function:ident) => {
            for_number!(dtype, T => apply!(T, T, Arithmetic::$function))
        };
    }
    macro_rules! apply_operation {
        ($($variant:ident $method:ident $cuda:literal |$x:ident| $value:expr;)*) => {
            match operation {
                U::Negative => number!(negative),
                U::Abs => number!(absolute),
                U::Sign => number!(sign),
                U::Floor => number!(floor),
                U::Ceil => number!(ceil),
                U::Round => number!(round),
                U::Trunc => number!(trunc),
                U::LogicalNot => apply!(Bit, Bit, |x: Bit| Bit::from(!x.is_true())),
                U::IsNan => for_number!(dtype, T => apply!(T, Bit, |x: T| Bit::from(Arithmetic::is_nan(x)))),
                U::IsInf => for_number!(dtype, T => apply!(T, Bit, |x: T| Bit::from(Arithmetic::is_infinite(x)))),
                U::IsFinite => for_number!(dtype, T => apply!(T, Bit, |x: T| Bit::from(Arithmetic::is_finite(x)))),
                U::BitwiseNot if dtype == DType::Bool => apply!(Bit, Bit, Bits::not),
                U::BitwiseNot => for_integer!(dtype, T => apply!(T, T, Bits::not)),
                U::Conjugate | U::Angle => unreachable!("complex numbers have these"),
                $(U::$variant => match dtype {
                    DType::F32 => float!($cuda, f32, F32, |$x: f32| -> f32 { $value }),
                    DType::F64 => float!($cuda, f64, F64, |$x: f64| -> f64 { $value }),
                    _ => unreachable!("operations reject all but floats"),
                },)*
            }
        };
    }
    float_functions!(apply_operation)
}

/// Applies a function to each pair of elements.
///
/// # Safety
///
/// As for [`unary`]; arrays have the layout's shape.
pub(super) unsafe fn binary(
    operation: BinaryOperation,
    dtype: DType,
    inputs: [Input<'_>; 2],
    out: *mut u8,
    layout: &Layout,
) {
    use BinaryOperation as B;
    if dtype.is_complex() {
        // SAFETY: the caller's promise.
        return unsafe { complex::binary(operation, dtype, inputs, out, layout) };
    }
    if let [x @ Input::Array(..), Input::Scalar(divisor)] = inputs
        && matches!(operation, B::FloorDivide | B::Modulo | B::Divide | B::Remainder)
        // SAFETY: the caller's promise.
        && unsafe { divide::by_value(operation, dtype, x, divisor, out, layout) }
    {
        return;
    }
    macro_rules! apply {
        ($T:ty, $U:ty, $function:expr) => {
            // SAFETY: the caller's promise.
            unsafe { blocks::<$T, $U, 2>(inputs, out, layout, &|[a, b], out| zip(a, b, out, $function)) }
        };
    }
    macro_rules! float {
        ($name:literal, $T:ty, $dtype:ident, $function:expr) => {{
            static VECTORS: Function = Function::new($name, 2, DType::$dtype);
            if VECTORS.exists() {
                // SAFETY: the caller's promise, and a function of two arguments.
                unsafe { blocks::<$T, $T, 2>(inputs, out, layout, &|pair, out| Lanes::call(&VECTORS, pair, out)) }
            } else {
                apply!($T, $T, $function)
            }
        }};
    }
    macro_rules! number {
        ($function:ident) => {
            for_number!(dtype, T => apply!(T, T, Arithmetic::$function))
        };
    }
    macro_rules! bits {
        ($function:ident) => {
            match dtype {
                DType::Bool => apply!(Bit, Bit, Bits::$function),
                dtype => for_integer!(dtype, T => apply!(T, T, Bits::$function)),
            }
        };
    }
    macro_rules! compare {
        ($operator:tt) => {
            for_dtype!(dtype, T => apply!(T, Bit, |a: T, b: T| Bit::from(a $operator b)))
        };
    }
    macro_rules! apply_operation {
        ($($variant:ident $method:ident $cuda:literal |$a:ident, $b:ident| $value:expr;)*) => {
            match operation {
                B::Add => number!(add),
                B::Subtract => number!(subtract),
                B::Multiply => number!(multiply),
                B::Divide => number!(divide),
                B::Remainder => number!(remainder),
                B::Power if dtype == DType::F32 => float!("pow", f32, F32, f32::powf),
                B::Power if dtype == DType::F64 => float!("pow", f64, F64, f64::powf),
                B::Power => number!(power),
                B::Maximum => number!(maximum),
                B::Minimum => number!(minimum),
                B::Equal => compare!(==),
                B::NotEqual => compare!(!=),
                B::Less => compare!(<),
                B::LessEqual => compare!(<=),
                B::Greater => compare!(>),
                B::GreaterEqual => compare!(>=),
                B::LogicalAnd => apply!(Bit, Bit, |a: Bit, b: Bit| Bit::from(a.is_true() & b.is_true())),
                B::LogicalOr => apply!(Bit, Bit, |a: Bit, b: Bit| Bit::from(a.is_true() | b.is_true())),
                B::FloorDivide => number!(floor_divide),
                B::Modulo => number!(modulo),
                B::BitwiseAnd => bits!(and),
                B::BitwiseOr => bits!(or),
                B::BitwiseXor => bits!(xor),
                B::LeftShift => for_integer!(dtype, T => apply!(T, T, Integer::left_shift)),
                B::RightShift => for_integer!(dtype, T => apply!(T, T, Integer::right_shift)),
                $(B::$variant => match dtype {
                    DType::F32 => float!($cuda, f32, F32, |$a: f32, $b: f32| -> f32 { $value }),
                    DType::F64 => float!($cuda, f64, F64, |$a: f64, $b: f64| -> f64 { $value }),
                    _ => unreachable!("operations reject all but floats"),
                },)*
            }
        };
    }
    float_functions_of_two!(apply_operation)
}

/// What elements are read from: the element of index zero and the layout (its offset is not used), or one value.
#[derive(Clone, Copy)]
enum Source<'a, T> {
    Array(*const T, &'a Layout),
    Value(T),
}

/// Computes one block of the output from as much of each input.
type Kernel<'a, T, U, const M: usize> = dyn Fn([&[T]; M], &mut [U]) + Sync + 'a;

/// Calls `kernel` for all elements, a block of contiguous ones at a time.
///
/// # Safety
///
/// As for [`unary`], with inputs of `T` and outputs of `U`.
pub(super) unsafe fn blocks<T: Native, U: Native, const M: usize>(
    inputs: [Input<'_>; M],
    out: *mut u8,
    layout: &Layout,
    kernel: &Kernel<'_, T, U, M>,
) {
    // SAFETY: the caller's promise.
    if unsafe { one_block(&inputs, out, layout, kernel) } {
        return;
    }
    // An array whose elements are one element is a value, too.
    let inputs: [Source<'_, T>; M] = inputs.map(|input| match input {
        Input::Scalar(value) => Source::Value(T::of(value)),
        Input::Array(pointer, layout) if layout.is_one_element() => {
            // SAFETY: the caller's promise; nothing has been written yet.
            Source::Value(unsafe { pointer.cast::<T>().read() })
        }
        Input::Array(pointer, layout) => Source::Array(pointer.cast(), layout),
    });
    let mut layouts = vec![layout];
    layouts.extend(inputs.iter().filter_map(|input| match input {
        Source::Array(_, layout) => Some(*layout),
        Source::Value(_) => None,
    }));
    let mut runs = Runs::new(&layouts);
    let plane = runs.join_short();
    // Per input: the pointer, its place among the runs' operands, and whether blocks of it may be read in place.
    let mut operand = 0;
    let sources: [(Shared<T>, usize, bool); M] = inputs.map(|input| match input {
        Source::Array(pointer, _) => {
            operand += 1;
            let in_place = runs.inner_strides[operand] == 1 && plane.is_none() && !std::ptr::addr_eq(pointer, out);
            (Shared(pointer.cast_mut()), operand, in_place)
        }
        Source::Value(_) => (Shared(std::ptr::null_mut()), 0, false),
    });
    let is_direct =
        runs.inner_strides[0] == 1 && sources.iter().all(|&(_, operand, in_place)| operand == 0 || in_place);
    let has_values = sources.iter().any(|&(_, operand, _)| operand == 0);
    let block = match (is_direct, has_values) {
        (true, false) => usize::MAX,
        (true, true) => LONG_BLOCK,
        (false, _) => BLOCK,
    };
    let values: [Vec<T>; M] = inputs.map(|input| match input {
        Source::Array(..) => Vec::new(),
        Source::Value(value) => vec![value; block.min(runs.inner)],
    });
    let out = Shared(out.cast::<U>());
    let grain = (GRAIN_BYTES / size_of::<T>().max(size_of::<U>())).max(GRAIN);
    pool::split(runs.total(), grain, &|range| {
        // Not cleared, which takes as long as some operations.
        let mut buffers = [const { [const { MaybeUninit::<T>::uninit() }; BLOCK] }; M];
        let mut result = [const { MaybeUninit::<U>::uninit() }; BLOCK];
        let mut position = range.start;
        runs.visit(range, &mut |offsets, length| {
            let column = position % runs.inner;
            position += length;
            let mut first = 0;
            while first < length {
                let count = block.min(length - first);
                let at = |operand: usize| offsets[operand] + first as isize * runs.inner_strides[operand];
                for (buffer, &(pointer, operand, in_place)) in buffers.iter_mut().zip(&sources) {
                    if operand == 0 || in_place {
                        continue;
                    }
                    if let Some((columns, steps)) = &plane {
                        let (start, at) = (pointer.get().wrapping_offset(offsets[operand]), column + first);
                        // SAFETY: as below; the plane's first element is at the offset.
                        unsafe { gather_rows(start, steps[operand], *columns, at, &mut buffer[..count]) };
                    } else {
                        // SAFETY: the run's indices lie within the layout, which the caller vouches for.
                        unsafe {
                            let start = pointer.get().offset(at(operand));
                            gather_into(start, runs.inner_strides[operand], &mut buffer[..count]);
                        }
                    }
                }
                let mut number = 0;
                let slices = sources.map(|(pointer, operand, in_place)| {
                    let input = number;
                    number += 1;
                    if in_place {
                        // SAFETY: contiguous along the run, initialised, and not written to: the output is elsewhere.
                        unsafe { std::slice::from_raw_parts(pointer.get().offset(at(operand)), count) }
                    } else if operand == 0 {
                        &values[input][..count]
                    } else {
                        // SAFETY: so many were gathered.
                        unsafe { buffers[input][..count].assume_init_ref() }
                    }
                });
                // SAFETY: the run's indices lie within the layout; each belongs to one task.
                let target = unsafe { out.get().offset(at(0)) };
                if runs.inner_strides[0] == 1 {
                    // SAFETY: contiguous along the run, initialised, and no slice of the inputs overlaps it.
                    kernel(slices, unsafe { std::slice::from_raw_parts_mut(target, count) });
                } else {
                    let result = &mut result[..count];
                    result.fill(MaybeUninit::new(U::default()));
                    // SAFETY: all of them were written.
                    let result = unsafe { result.assume_init_mut() };
                    kernel(slices, result);
                    for (index, &value) in result.iter().enumerate() {
                        // SAFETY: as for `target`.
                        unsafe { target.offset(index as isize * runs.inner_strides[0]).write(value) };
                    }
                }
                first += count;
            }
        });
    });
}

/// Computes few elements at once, if all are where they can be read and written: then most of the time would go into planning. Whether
/// it has done so.
///
/// # Safety
///
/// As for [`blocks`].
unsafe fn one_block<T: Native, U: Native, const M: usize>(
    inputs: &[Input<'_>; M],
    out: *mut u8,
    layout: &Layout,
    kernel: &Kernel<'_, T, U, M>,
) -> bool {
    let count = layout.size();
    let mut places = [std::ptr::null::<T>(); M];
    for (place, input) in places.iter_mut().zip(inputs) {
        match *input {
            Input::Array(start, of) if start != out.cast_const() && of.is_contiguous() => *place = start.cast(),
            _ => return false,
        }
    }
    if count == 0 || count > FEW || !layout.is_contiguous() {
        return false;
    }
    // SAFETY: the caller's promise: so many elements follow one another, and those of the output are elsewhere.
    unsafe {
        let slices = places.map(|place| std::slice::from_raw_parts(place, count));
        kernel(slices, std::slice::from_raw_parts_mut(out.cast::<U>(), count));
    }
    true
}

/// Copies elements of a plane of short rows to a buffer, from the one that is number `at` on.
///
/// # Safety
///
/// They must be readable; the plane's first element is at `source`.
unsafe fn gather_rows<T: Copy>(
    source: *const T,
    [down, across]: [isize; 2],
    columns: usize,
    at: usize,
    buffer: &mut [MaybeUninit<T>],
) {
    let (mut row, mut column, mut filled) = (at / columns, at % columns, 0);
    // Elements that are repeated, a few times.
    if across == 0 && column == 0 {
        macro_rules! repeat {
            ($($count:literal)*) => {
                match columns {
                    $($count => {
                        let (rows, _) = buffer.as_chunks_mut::<$count>();
                        for (index, values) in rows.iter_mut().enumerate() {
                            // SAFETY: the caller's promise.
                            let value = unsafe { source.wrapping_offset((row + index) as isize * down).read() };
                            *values = [MaybeUninit::new(value); $count];
                        }
                        (row, filled) = (row + rows.len(), $count * rows.len());
                    })*
                    _ => {}
                }
            };
        }
        repeat!(2 3 4 8);
    }
    while filled < buffer.len() {
        let count = (columns - column).min(buffer.len() - filled);
        let start = source.wrapping_offset(row as isize * down + column as isize * across);
        for (index, value) in buffer[filled..filled + count].iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            value.write(unsafe { start.offset(index as isize * across).read() });
        }
        (row, column, filled) = (row + 1, 0, filled + count);
    }
}

/// Copies elements that are `stride` apart to a buffer.
///
/// # Safety
///
/// As many elements as the buffer has must be readable from `source` on.
#[inline]
pub(super) unsafe fn gather<T: Copy>(source: *const T, stride: isize, buffer: &mut [T]) {
    for (index, value) in buffer.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *value = unsafe { source.offset(index as isize * stride).read() };
    }
}

/// As [`gather`], to a buffer that need not be initialised before.
///
/// # Safety
///
/// As for [`gather`].
#[inline]
unsafe fn gather_into<T: Copy>(source: *const T, stride: isize, buffer: &mut [MaybeUninit<T>]) {
    if stride == 1 {
        // SAFETY: the caller's promise; a buffer is elsewhere.
        return unsafe { std::ptr::copy_nonoverlapping(source.cast(), buffer.as_mut_ptr(), buffer.len()) };
    }
    for (index, value) in buffer.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        value.write(unsafe { source.offset(index as isize * stride).read() });
    }
}

by_isa! {
    /// One loop over a block.
    pub(super) fn map<T: Copy, U>(x: &[T], out: &mut [U], function: impl Fn(T) -> U) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = function(x);
        }
    }
}

by_isa! {
    /// As [`map`], for pairs.
    pub(super) fn zip<T: Copy, U>(a: &[T], b: &[T], out: &mut [U], function: impl Fn(T, T) -> U) {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *out = function(a, b);
        }
    }
}
