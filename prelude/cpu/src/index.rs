//! Reading and writing elements by arrays of indices.

use super::elementwise::{GRAIN, Input};
use super::numeric::{Shared, Word, for_bits};
use super::pool;
use super::runs::Runs;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use warpcell_base::backend::Layout;
use warpcell_base::dtype::DType;

/// Indices that are written by before it is asked again whether the cell was interrupted.
const TURN: usize = 1 << 20;

/// A pointer to the element of index zero, with the layout, whose offset is not used.
type Array<'a> = (*mut u8, &'a Layout);

/// What [`gather`] does: the source, the axis that is indexed, the indices, and the start and shape of the output.
pub(super) struct Gather<'a> {
    pub source: Array<'a>,
    pub axis: usize,
    pub indices: Array<'a>,
    pub out: (*mut u8, &'a [usize]),
}

/// What [`scatter`] does.
pub(super) struct Scatter<'a> {
    pub values: Input<'a>,
    pub axis: usize,
    pub indices: Array<'a>,
    pub out: Array<'a>,
}

/// An index as it lies in memory.
trait Index: Copy + Send + Sync {
    /// The place along an axis of `length`: negative indices count from its end. What is out of range stays so.
    fn place(self, length: usize) -> usize;
    /// Negative if the index is, or if it is too large for an axis of any length.
    fn wide(self) -> i64;
}

macro_rules! signed {
    ($($type:ty)*) => {$(
        impl Index for $type {
            #[inline(always)]
            fn place(self, length: usize) -> usize {
                let index = self as isize;
                (if index < 0 { index.wrapping_add_unsigned(length) } else { index }) as usize
            }
            #[inline(always)]
            fn wide(self) -> i64 {
                self.into()
            }
        }
    )*};
}
signed!(i32 i64);

impl Index for u32 {
    #[inline(always)]
    fn place(self, _length: usize) -> usize {
        self as usize
    }
    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }
}

/// Calls a generic function for the size of an element and the type of an index: a u64 that is in range is an i64 too.
macro_rules! for_types {
    ($dtype:expr, $index:expr, $function:ident($job:expr)) => {
        match $index {
            DType::I32 => for_types!(@size $dtype, i32, $function($job)),
            DType::U32 => for_types!(@size $dtype, u32, $function($job)),
            DType::I64 | DType::U64 => for_types!(@size $dtype, i64, $function($job)),
            _ => unreachable!("operations take integers as indices"),
        }
    };
    (@size $dtype:expr, $index:ty, $function:ident($job:expr)) => {
        for_bits!($dtype, T => $function::<T, $index>($job))
    };
}

/// Copies the elements that the indices name to `out`, which is contiguous; whether all indices are in range. In place of what they
/// name outside, some element is copied.
///
/// # Safety
///
/// The indexed axis must have a length. The arrays must describe memory that nothing else accesses, for elements of `dtype` and indices of `index`; their
/// shapes must be those that [`Operation::Gather`](warpcell_base::backend::Operation::Gather) states, `out` not empty.
pub(super) unsafe fn gather(dtype: DType, index: DType, job: &Gather<'_>) -> bool {
    // SAFETY: the caller's promise; any bytes are a value of these types.
    unsafe { for_types!(dtype, index, gather_as(job)) }
}

/// Writes the values to the elements that the indices name; where several name one, the last is kept.
///
/// # Safety
///
/// As for [`gather`], with the shapes of [`Operation::Scatter`](warpcell_base::backend::Operation::Scatter), the indices not empty.
pub(super) unsafe fn scatter(dtype: DType, index: DType, job: &Scatter<'_>) {
    // SAFETY: the caller's promise; any bytes are a value of these types.
    unsafe { for_types!(dtype, index, scatter_as(job)) }
}

/// The layout without one of its axes.
pub(super) fn without(layout: &Layout, axis: usize) -> Layout {
    let mut layout = layout.clone();
    layout.shape.remove(axis);
    layout.strides.remove(axis);
    layout
}

/// The part of a layout before an axis, or behind it.
fn part(layout: &Layout, axes: Range<usize>) -> Layout {
    Layout { shape: layout.shape[axes.clone()].to_vec(), strides: layout.strides[axes].to_vec(), offset: 0 }
}

/// Whether the indices vary along `axis` only.
fn are_shared(indices: &Layout, axis: usize) -> bool {
    let axes = indices.shape.iter().zip(&indices.strides).enumerate();
    axes.filter(|(other, _)| *other != axis).all(|(_, (&length, &stride))| length == 1 || stride == 0)
}

/// # Safety
///
/// As for [`gather`].
unsafe fn gather_as<T: Copy, I: Index>(job: &Gather<'_>) -> bool {
    let behind = part(job.source.1, job.axis + 1..job.source.1.shape.len());
    let outside = AtomicBool::new(false);
    // SAFETY: the caller's promise.
    unsafe {
        if are_shared(job.indices.1, job.axis) && behind.is_contiguous() {
            gather_rows::<T, I>(job, behind.size(), &outside);
        } else {
            gather_elements::<T, I>(job, &outside);
        }
    }
    !outside.into_inner()
}

/// Places along an axis, and whether one of them was outside.
struct Places {
    length: usize,
    outside: bool,
}

impl Places {
    /// The place of an index; of one that is out of range, the last place.
    #[inline(always)]
    fn place(&mut self, index: impl Index) -> isize {
        let place = index.place(self.length);
        let last = self.length - 1;
        self.outside |= place > last;
        place.min(last) as isize
    }

    fn report(self, outside: &AtomicBool) {
        if self.outside {
            outside.store(true, Ordering::Relaxed);
        }
    }
}

/// One index for a whole row of `row` elements that follow one another.
///
/// # Safety
///
/// As for [`gather`].
unsafe fn gather_rows<T: Copy, I: Index>(job: &Gather<'_>, row: usize, outside: &AtomicBool) {
    let (layout, axis) = (job.source.1, job.axis);
    let (length, step, count) = (layout.shape[axis], layout.strides[axis], job.out.1[axis]);
    let outer = part(layout, 0..axis);
    let index_step = job.indices.1.strides[axis];
    let (source, indices, out) =
        (Shared(job.source.0.cast::<T>()), Shared(job.indices.0.cast::<I>()), Shared(job.out.0.cast::<T>()));
    pool::split(outer.size() * count, (GRAIN / row).max(1), &|range| {
        let mut places = Places { length, outside: false };
        let mut at = range.start;
        while at < range.end {
            let (block, first) = (at / count, at % count);
            let rows = (count - first).min(range.end - at);
            // SAFETY: places are clamped to the axis, so that all elements lie within the layouts, which the caller vouches
            // for (the output's one after the other); each row of the output belongs to one task.
            unsafe {
                let block = source.get().offset(distance(&outer, block));
                let indices = indices.get().offset(first as isize * index_step);
                let out = out.get().add(at * row);
                if row == 1 && index_step == 1 {
                    let indices = std::slice::from_raw_parts(indices, rows);
                    take(block, step, indices, &mut places, out);
                } else {
                    for number in 0..rows {
                        let index = indices.offset(number as isize * index_step).read();
                        let from = block.offset(places.place(index) * step);
                        if row == 1 {
                            out.add(number).write(from.read());
                        } else {
                            std::ptr::copy_nonoverlapping(from, out.add(number * row), row);
                        }
                    }
                }
            }
            at += rows;
        }
        places.report(outside);
    });
}

/// Indices that are checked together before their elements are taken.
const CHECKED: usize = 512;

/// Takes one element for each index. Where the next indices are all from 0 on and in range, which one look at their bits says, the elements
/// are taken without more ado: a check of each index by itself takes half as long again.
///
/// # Safety
///
/// The source must have as many elements as the places allow, `step` apart, and `out` room for one for each index.
unsafe fn take<T: Copy, I: Index>(source: *const T, step: isize, indices: &[I], places: &mut Places, out: *mut T) {
    let last = places.length as i64 - 1;
    for (number, indices) in indices.chunks(CHECKED).enumerate() {
        let out = out.wrapping_add(number * CHECKED);
        // The sign of the distance from the last place is that of an index behind it.
        let signs = indices.iter().fold(0, |signs, index| signs | index.wide() | last.wrapping_sub(index.wide()));
        // SAFETY: the caller's promise.
        unsafe {
            if signs >= 0 && step == 1 {
                for (number, index) in indices.iter().enumerate() {
                    out.add(number).write(source.offset(index.wide() as isize).read());
                }
            } else {
                for (number, &index) in indices.iter().enumerate() {
                    out.add(number).write(source.offset(places.place(index) * step).read());
                }
            }
        }
    }
}

/// What [`repeat`] does: the source, an axis behind which its elements follow one another, the place behind the last repetition of
/// each part along this axis, and the start of the output.
pub(super) struct Repeat<'a> {
    pub source: Array<'a>,
    pub axis: usize,
    pub ends: *const i64,
    pub out: *mut u8,
}

/// Copies each part along an axis as often as there is room before its end.
///
/// # Safety
///
/// The arrays must describe memory that nothing else accesses, for elements of `dtype`; ends must ascend from 0 on, one for each
/// part, and `out` have room for as many parts as the last one says.
pub(super) unsafe fn repeat(dtype: DType, job: &Repeat<'_>) {
    // SAFETY: the caller's promise; any bytes are a value of these types.
    unsafe { for_bits!(dtype, T => repeat_as::<T>(job)) }
}

/// # Safety
///
/// As for [`repeat`].
unsafe fn repeat_as<T: Copy + Send + Sync>(job: &Repeat<'_>) {
    let (layout, axis) = (job.source.1, job.axis);
    let (outer, row) = (part(layout, 0..axis), part(layout, axis + 1..layout.shape.len()).size());
    let (length, step) = (layout.shape[axis], layout.strides[axis]);
    // SAFETY: the caller's promise.
    let ends = unsafe { std::slice::from_raw_parts(job.ends, length) };
    let count = ends.last().map_or(0, |&end| end as usize);
    let (source, out) = (Shared(job.source.0.cast::<T>()), Shared(job.out.cast::<T>()));
    pool::split(outer.size() * count, (GRAIN / row.max(1)).max(1), &|range| {
        let mut at = range.start;
        while at < range.end {
            let (block, first) = (at / count, at % count);
            let rest = (count - first).min(range.end - at);
            let mut part = ends.partition_point(|&end| end as usize <= first);
            // SAFETY: the parts are those of the source, and each row of the output belongs to one task.
            unsafe {
                let block = source.get().offset(distance(&outer, block));
                let mut number = 0;
                while number < rest {
                    let times = (ends[part] as usize - first).min(rest) - number;
                    let from = block.offset(part as isize * step);
                    let to = out.get().add((at + number) * row);
                    if row == 1 {
                        std::slice::from_raw_parts_mut(to, times).fill(from.read());
                    } else {
                        for time in 0..times {
                            std::ptr::copy_nonoverlapping(from, to.add(time * row), row);
                        }
                    }
                    number += times;
                    part += 1;
                }
            }
            at += rest;
        }
    });
}

/// How far the element of a row-major number is from the first one.
pub(super) fn distance(layout: &Layout, mut number: usize) -> isize {
    let mut distance = 0;
    for (&length, &stride) in layout.shape.iter().zip(&layout.strides).rev() {
        distance += (number % length) as isize * stride;
        number /= length;
    }
    distance
}

/// An index for each element.
///
/// # Safety
///
/// As for [`gather`].
unsafe fn gather_elements<T: Copy, I: Index>(job: &Gather<'_>, outside: &AtomicBool) {
    let (layout, axis) = (job.source.1, job.axis);
    let (length, step) = (layout.shape[axis], layout.strides[axis]);
    let out_layout = Layout::contiguous(job.out.1);
    let mut base = Layout { strides: layout.strides.clone(), ..out_layout.clone() };
    base.strides[axis] = 0;
    let runs = Runs::row_major(&[&out_layout, &base, job.indices.1]);
    let (source, indices, out) =
        (Shared(job.source.0.cast::<T>()), Shared(job.indices.0.cast::<I>()), Shared(job.out.0.cast::<T>()));
    let strides = [runs.inner_strides[0], runs.inner_strides[1], runs.inner_strides[2]];
    pool::split(runs.total(), GRAIN, &|range| {
        let mut places = Places { length, outside: false };
        runs.visit(range, &mut |offsets, count| {
            for number in 0..count as isize {
                // SAFETY: as in `gather_rows`.
                unsafe {
                    let index = indices.get().offset(offsets[2] + number * strides[2]).read();
                    let from = source.get().offset(offsets[1] + number * strides[1] + places.place(index) * step);
                    out.get().offset(offsets[0] + number * strides[0]).write(from.read());
                }
            }
        });
        places.report(outside);
    });
}

/// Which places a task writes to: blocks of `1 << shift` neighbours go to the tasks in turn.
#[derive(Clone, Copy)]
struct Share {
    shift: u32,
    mask: usize,
    mine: usize,
}

impl Share {
    const ALL: Share = Share { shift: 0, mask: 0, mine: 0 };

    #[inline(always)]
    fn has(self, place: usize) -> bool {
        (place >> self.shift) & self.mask == self.mine
    }
}

/// # Safety
///
/// As for [`scatter`].
unsafe fn scatter_as<T: Word, I: Index>(job: &Scatter<'_>) {
    let (axis, indices, out) = (job.axis, job.indices.1, job.out.1);
    // One value for all is an array that repeats it.
    let one: T;
    let repeated = Layout { shape: indices.shape.clone(), strides: vec![0; indices.shape.len()], offset: 0 };
    let (values, values_layout) = match job.values {
        Input::Array(pointer, layout) => (pointer.cast::<T>(), layout),
        Input::Scalar(value) => {
            one = T::of_bits(value.bits());
            (&raw const one, &repeated)
        }
    };
    // A lane is what one index along the axis leads to for each index along the other axes: lanes do not meet.
    let lanes = Runs::row_major(&[&without(out, axis), &without(indices, axis), &without(values_layout, axis)]);
    let writer = Writer {
        values: Shared(values.cast_mut()),
        indices: Shared(job.indices.0.cast::<I>()),
        out: Shared(job.out.0.cast::<T>()),
        length: out.shape[axis],
        steps: [out.strides[axis], indices.strides[axis], values_layout.strides[axis]],
        shared: are_shared(indices, axis),
        lanes,
    };
    let (count, lanes) = (indices.shape[axis], writer.lanes.total());
    let parts = pool::threads().next_power_of_two();
    let turn = (TURN / lanes).max(1);
    for first in (0..count).step_by(turn) {
        let range = first..count.min(first + turn);
        // SAFETY (of the calls of `write`): the caller's promise; each lane, or each place, belongs to one task.
        if range.len() * lanes < GRAIN {
            // SAFETY: see above.
            unsafe { writer.write(0..lanes, range, Share::ALL) };
        } else if lanes >= 4 * parts && !(writer.shared && writer.length >= 16 * parts) {
            let grain = (GRAIN / range.len()).max(16);
            // SAFETY: see above.
            pool::split(lanes, grain, &|lanes| unsafe { writer.write(lanes, range.clone(), Share::ALL) });
        } else {
            let shift = (4096 / lanes).max(1).ilog2().min((writer.length / parts).max(1).ilog2());
            pool::split(parts, 1, &|owners| {
                for mine in owners {
                    let share = Share { shift, mask: parts - 1, mine };
                    // SAFETY: see above.
                    unsafe { writer.write(0..lanes, range.clone(), share) };
                }
            });
        }
        if warpcell_base::interrupt::interrupted() {
            return;
        }
    }
}

struct Writer<T, I> {
    values: Shared<T>,
    indices: Shared<I>,
    out: Shared<T>,
    /// Of the output's axis that is indexed.
    length: usize,
    /// Strides of output, indices and values along the axis.
    steps: [isize; 3],
    /// Whether all lanes have the same indices.
    shared: bool,
    /// Output, indices and values without the axis.
    lanes: Runs,
}

impl<T: Copy, I: Index> Writer<T, I> {
    /// Writes the values of some lanes, in the order of the indices, as far as they go to the task's share of places.
    ///
    /// # Safety
    ///
    /// The arrays are as for [`scatter`]; no other task writes to the same lanes and places.
    unsafe fn write(&self, lanes: Range<usize>, indices: Range<usize>, share: Share) {
        let [out_step, index_step, value_step] = self.steps;
        let strides = [self.lanes.inner_strides[0], self.lanes.inner_strides[1], self.lanes.inner_strides[2]];
        let place = |index: I| Some(index.place(self.length)).filter(|&place| place < self.length && share.has(place));
        self.lanes.visit(lanes, &mut |offsets, width| {
            // SAFETY: lanes and indices lie within the layouts, and places within the axis; the rest is the caller's promise.
            unsafe {
                let [out, values] =
                    [(self.out, 0), (self.values, 2)].map(|(array, at)| array.get().offset(offsets[at]));
                let of_indices = self.indices.get().offset(offsets[1]);
                for number in indices.clone() {
                    let number = number as isize;
                    let (index, value) = (of_indices.offset(number * index_step), values.offset(number * value_step));
                    if self.shared || width == 1 {
                        let Some(place) = place(index.read()) else { continue };
                        let target = out.offset(place as isize * out_step);
                        if width == 1 {
                            target.write(value.read());
                        } else if strides[0] == 1 && strides[2] == 1 {
                            std::ptr::copy_nonoverlapping(value, target, width);
                        } else {
                            for lane in 0..width as isize {
                                target.offset(lane * strides[0]).write(value.offset(lane * strides[2]).read());
                            }
                        }
                        continue;
                    }
                    for lane in 0..width as isize {
                        if let Some(place) = place(index.offset(lane * strides[1]).read()) {
                            let target = out.offset(place as isize * out_step + lane * strides[0]);
                            target.write(value.offset(lane * strides[2]).read());
                        }
                    }
                }
            }
        });
    }
}
