//! Where the largest or the smallest element along an axis is.
//!
//! The extreme of a block is found in vector lanes, as in `reduce`; only the block that has the final one is searched.

use super::numeric::{Arithmetic, Shared, by_isa, for_number};
use super::pool;
use super::reduce::{COLUMNS, LEAF, Max, Min, Reduction, TASK, leaf};
use super::runs::Runs;
use std::hint::select_unpredictable;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use warpcell_base::backend::{Layout, ReduceOperation};
use warpcell_base::dtype::DType;

/// Lines up to this length are not worth blocks.
const SHORT: usize = 32;

/// Writes the place of the extreme element along `axis` for each index of the other axes, in row-major order.
///
/// # Safety
///
/// `x` and `layout` must describe memory that nothing else accesses, the axis must not be empty, and `out` must have room
/// for a place for each index of the other axes.
pub(super) unsafe fn arg(
    operation: ReduceOperation,
    dtype: DType,
    x: *const u8,
    layout: &Layout,
    axis: usize,
    out: *mut i64,
) {
    // Bools are bytes of 0 and 1.
    let dtype = if dtype == DType::Bool { DType::U8 } else { dtype };
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            ReduceOperation::ArgMax => for_number!(dtype, T => run::<Largest<T>>(x, layout, axis, out)),
            _ => for_number!(dtype, T => run::<Smallest<T>>(x, layout, axis, out)),
        }
    }
}

/// Which element is looked for.
trait Extreme: Sync {
    type Element: Arithmetic;
    /// Gives the value of the extreme element, NaN if there is one.
    type Value: Reduction<Input = Self::Element, Output = Self::Element, Centre = ()>;
    fn is_beyond(x: Self::Element, best: Self::Element) -> bool;

    /// Whether `x`, which comes later, takes the place of the best so far: the first NaN is kept, and the first of equals.
    #[inline(always)]
    fn wins(x: Self::Element, best: Self::Element) -> bool {
        !best.is_nan() & (x.is_nan() | Self::is_beyond(x, best))
    }
}

struct Largest<T>(PhantomData<fn() -> T>);
struct Smallest<T>(PhantomData<fn() -> T>);

impl<T: Arithmetic> Extreme for Largest<T> {
    type Element = T;
    type Value = Max<T>;
    #[inline(always)]
    fn is_beyond(x: T, best: T) -> bool {
        x > best
    }
}

impl<T: Arithmetic> Extreme for Smallest<T> {
    type Element = T;
    type Value = Min<T>;
    #[inline(always)]
    fn is_beyond(x: T, best: T) -> bool {
        x < best
    }
}

/// An element and its place along the axis.
#[derive(Clone, Copy, Default)]
struct Found<T> {
    value: T,
    place: i64,
}

/// # Safety
///
/// As for [`arg`].
unsafe fn run<E: Extreme>(x: *const u8, layout: &Layout, axis: usize, out: *mut i64) {
    let (length, stride) = (layout.shape[axis], layout.strides[axis]);
    let mut kept = Layout { offset: 0, ..layout.clone() };
    kept.shape.remove(axis);
    kept.strides.remove(axis);
    let results = kept.size();
    let kept = Runs::row_major(&[&kept]);
    let (x, out) = (Shared(x.cast_mut().cast::<E::Element>()), Shared(out));
    let side_by_side = kept.inner > 1 && kept.inner_strides[0] == 1 && stride != 1 && length > 1;
    // As in `reduce`: neighbouring results are computed at once, long lines in chunks.
    let width = if side_by_side { kept.inner.min(COLUMNS) } else { 1 };
    let chunk = (TASK / width).next_multiple_of(LEAF);
    let chunks = length.div_ceil(chunk);
    if chunks == 1 && !side_by_side {
        pool::split(results, (TASK / length).max(1), &|range| {
            // SAFETY: the line lies within the layout, and `out` has room for each result.
            kept.each(range, |result, offset| unsafe {
                out.get().add(result).write(line::<E>(x.get().offset(offset), stride, 0..length).place);
            });
        });
        return;
    }
    let groups_per_row = kept.inner.div_ceil(width);
    let groups = results / kept.inner * groups_per_row;
    // The first result of a group, and how many it has.
    let results_of = |group: usize| {
        let column = group % groups_per_row * width;
        (group / groups_per_row * kept.inner + column, width.min(kept.inner - column))
    };
    let mut partial = vec![Found::<E::Element>::default(); groups * chunks * width];
    let parts = Shared(partial.as_mut_ptr());
    let task = |index: usize| {
        let (group, number) = (index / chunks, index % chunks);
        let (first, count) = results_of(group);
        let range = number * chunk..length.min((number + 1) * chunk);
        let mut base = 0;
        kept.visit(first..first + 1, &mut |offsets, _| base = offsets[0]);
        // SAFETY: the first element of the group's first line.
        let start = unsafe { x.get().offset(base) };
        // SAFETY: each task has its own places in `partial`.
        let target = unsafe { std::slice::from_raw_parts_mut(parts.get().add(index * width), count) };
        if side_by_side {
            // SAFETY: the group's elements lie side by side, `stride` apart along the axis.
            unsafe { columns::<E>(start, stride, range, target) };
        } else {
            // SAFETY: the line lies within the layout.
            target[0] = unsafe { line::<E>(start, stride, range) };
        }
    };
    let grain = (TASK / (length.min(chunk) * width)).max(1);
    pool::split(groups * chunks, grain, &|range| range.for_each(task));
    for group in 0..groups {
        let (first, count) = results_of(group);
        for column in 0..count {
            let of_chunks = (0..chunks).map(|number| partial[(group * chunks + number) * width + column]);
            let best = of_chunks.reduce(|best, found| if E::wins(found.value, best.value) { found } else { best });
            // SAFETY: `out` has room for each result.
            unsafe { out.get().add(first + column).write(best.expect("a chunk at least").place) };
        }
    }
}

/// The extreme element of a part of a line.
///
/// # Safety
///
/// The elements in `range`, `stride` apart, must lie within memory that nothing else accesses. There must be one.
unsafe fn line<E: Extreme>(start: *const E::Element, stride: isize, range: Range<usize>) -> Found<E::Element> {
    // SAFETY: called for indices in `range` only, so the caller's promise holds.
    let element = |index: usize| unsafe { start.offset(index as isize * stride).read() };
    if range.len() <= SHORT {
        let mut best = Found { value: element(range.start), place: range.start as i64 };
        for index in range.skip(1) {
            let value = element(index);
            if E::wins(value, best.value) {
                best = Found { value, place: index as i64 };
            }
        }
        return best;
    }
    let mut buffer = [const { MaybeUninit::<E::Element>::uninit() }; LEAF];
    // The elements of a block, one after the other.
    let mut block = |places: &Range<usize>| {
        let elements = if stride == 1 {
            // SAFETY: the block's elements follow one another.
            unsafe { start.add(places.start) }
        } else {
            buffer.iter_mut().zip(places.clone()).for_each(|(value, index)| _ = value.write(element(index)));
            buffer.as_ptr().cast()
        };
        // SAFETY: as many elements of the line, or of the buffer, which were written; both outlive the use of the slice.
        unsafe { std::slice::from_raw_parts(elements, places.len()) }
    };
    let mut best: Option<(E::Element, Range<usize>)> = None;
    for first in range.clone().step_by(LEAF) {
        let places = first..range.end.min(first + LEAF);
        let value = leaf::<E::Value>(block(&places), ());
        if best.as_ref().is_none_or(|(best, _)| E::wins(value, *best)) {
            best = Some((value, places));
        }
    }
    let (value, places) = best.expect("an element at least");
    let place = position(block(&places), value).expect("the block has its extreme element");
    Found { value, place: (places.start + place) as i64 }
}

by_isa! {
    /// Where the value, or NaN, is for the first time.
    fn position<T: Arithmetic>(x: &[T], value: T) -> Option<usize> {
        let is_it = |x: T| (x == value) | (x.is_nan() & value.is_nan());
        // Without a branch for each element.
        let before =
            x.chunks(SHORT).take_while(|chunk| !chunk.iter().fold(false, |any, &x| any | is_it(x))).count() * SHORT;
        let rest = x.get(before..)?;
        rest.iter().position(|&x| is_it(x)).map(|place| before + place)
    }
}

/// The extreme elements of a part of as many lines as `target` has, which are neighbours in memory.
///
/// # Safety
///
/// As for [`line()`], for each line.
unsafe fn columns<E: Extreme>(
    start: *const E::Element,
    stride: isize,
    range: Range<usize>,
    target: &mut [Found<E::Element>],
) {
    let width = target.len();
    // SAFETY: called for indices in `range` only, so the caller's promise holds.
    let row = |index: usize| unsafe { std::slice::from_raw_parts(start.offset(index as isize * stride), width) };
    let mut values = [E::Element::default(); COLUMNS];
    let mut places = [range.start as i64; COLUMNS];
    values[..width].copy_from_slice(row(range.start));
    for index in range.skip(1) {
        take_row::<E>(row(index), index as i64, &mut values[..width], &mut places[..width]);
    }
    for ((target, &value), &place) in target.iter_mut().zip(&values).zip(&places) {
        *target = Found { value, place };
    }
}

by_isa! {
    /// Puts what wins in a later row in place of the best so far.
    fn take_row<E: Extreme>(row: &[E::Element], index: i64, values: &mut [E::Element], places: &mut [i64]) {
        for ((&x, value), place) in row.iter().zip(values).zip(places) {
            let wins = E::wins(x, *value);
            *value = select_unpredictable(wins, x, *value);
            *place = select_unpredictable(wins, index, *place);
        }
    }
}
