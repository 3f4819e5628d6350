//! What is asked of sorted elements: where values belong, and which are distinct. NaN is greater than all others, and equal
//! to itself.

use super::memory::Memory;
use super::numeric::{Ordered, Shared, for_dtype};
use super::pool;
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};

/// Fewer searches than this are not worth a second thread.
const SEARCHES: usize = 1 << 11;
/// The elements whose runs one task finds.
const CHUNK: usize = 1 << 16;

#[inline(always)]
#[allow(clippy::eq_op, reason = "only NaN is unequal to itself")]
fn less<T: Ordered>(a: T, b: T) -> bool {
    a < b || (b != b && a == a)
}

#[inline(always)]
#[allow(clippy::eq_op, reason = "only NaN is unequal to itself")]
fn equal<T: Ordered>(a: T, b: T) -> bool {
    a == b || (a != a && b != b)
}

/// Halves the part in which the answer lies; without branches on what is compared, which nothing could predict.
#[inline(always)]
pub(super) fn position<T: Copy>(sorted: &[T], before: impl Fn(T) -> bool) -> usize {
    let (mut first, mut size) = (0, sorted.len());
    while size > 1 {
        let half = size / 2;
        first += if before(sorted[first + half - 1]) { half } else { 0 };
        size -= half;
    }
    first + usize::from(size == 1 && before(sorted[first]))
}

/// Writes an answer for each of `count` values.
///
/// # Safety
///
/// Both must be memory of as many elements that nothing else accesses, and not overlap.
#[inline(always)]
unsafe fn answer_each<T: Copy, R>(values: *const u8, count: usize, out: *mut R, answer: impl Fn(T) -> R + Sync) {
    let (values, out) = (Shared(values.cast_mut().cast::<T>()), Shared(out));
    pool::split(count, SEARCHES, &|range| {
        for index in range {
            // SAFETY: the caller's promise; each element belongs to one task.
            unsafe { out.get().add(index).write(answer(values.get().add(index).read())) };
        }
    });
}

/// For each of `count` values, how many of the `length` sorted elements are less; with `right`, less or equal.
///
/// # Safety
///
/// All must be memory of as many elements of this dtype, `out` of `i64`, that nothing else accesses; `out` overlaps neither
/// of the others.
pub(super) unsafe fn search_sorted(
    dtype: DType,
    (sorted, length): (*const u8, usize),
    (values, count): (*const u8, usize),
    right: bool,
    out: *mut i64,
) {
    for_dtype!(dtype, T => {
        // SAFETY: the caller's promise.
        let sorted = unsafe { std::slice::from_raw_parts(sorted.cast::<T>(), length) };
        let place = |value: T| {
            if right {
                position(sorted, |element| !less(value, element)) as i64
            } else {
                position(sorted, |element| less(element, value)) as i64
            }
        };
        // SAFETY: the caller's promise.
        unsafe { answer_each(values, count, out, place) };
    });
}

/// For each of `count` values, whether one of the `length` sorted elements equals it, or with `is_inverted`, whether none does.
///
/// # Safety
///
/// As for [`search_sorted`], `out` of bools.
pub(super) unsafe fn contains(
    dtype: DType,
    (sorted, length): (*const u8, usize),
    (values, count): (*const u8, usize),
    is_inverted: bool,
    out: *mut bool,
) {
    for_dtype!(dtype, T => {
        // SAFETY: the caller's promise.
        let sorted = unsafe { std::slice::from_raw_parts(sorted.cast::<T>(), length) };
        let is_wanted = |value: T| {
            let place = position(sorted, |element| less(element, value));
            // Without a branch, which nothing could predict. What is greater than all is not the last one.
            let is_there = length > 0 && sorted[place.min(length - 1)] == value;
            is_there != is_inverted
        };
        // SAFETY: the caller's promise.
        unsafe { answer_each(values, count, out, is_wanted) };
    });
}

/// Values of a function that is linear between points, at as many places as `x` has.
///
/// # Safety
///
/// `x` and `out` must be memory of as many floats of this dtype, and the points' places and values of `length`, one at least; nothing
/// else accesses them; `out` overlaps none of the others.
pub(super) unsafe fn interpolate(
    dtype: DType,
    (x, count): (*const u8, usize),
    points: [*const u8; 2],
    length: usize,
    out: *mut u8,
) {
    macro_rules! of {
        ($float:ty) => {{
            let [places, values] = points.map(|points| {
                // SAFETY: the caller's promise.
                unsafe { std::slice::from_raw_parts(points.cast::<$float>(), length) }
            });
            let (x, out) = (Shared(x.cast_mut().cast::<$float>()), Shared(out.cast::<$float>()));
            pool::split(count, SEARCHES, &|range| {
                for index in range {
                    // SAFETY: the caller's promise; each element belongs to one task.
                    unsafe {
                        let at = x.get().add(index).read();
                        let behind = position(places, |place| !less(at, place));
                        let before = behind.saturating_sub(1);
                        let (x0, y0) = (places[before], values[before]);
                        let slope = if behind == 0 || behind == length {
                            0.0
                        } else {
                            (values[behind] - y0) / (places[behind] - x0)
                        };
                        // The distance may be infinite.
                        let is_at_point = at == x0 || slope == 0.0 && !at.is_nan();
                        out.get().add(index).write(if is_at_point { y0 } else { y0 + slope * (at - x0) });
                    }
                }
            });
        }};
    }
    if dtype == DType::F32 { of!(f32) } else { of!(f64) }
}

/// The first of each run of equal elements among `length` sorted ones: the elements, and their positions with `length` behind
/// them; how many there are.
///
/// # Safety
///
/// `sorted` must be memory of as many elements of this dtype that nothing writes to.
pub(super) unsafe fn unique(dtype: DType, sorted: *const u8, length: usize) -> Result<(Memory, Memory, usize)> {
    // What an interrupt of an earlier operation has left out is not this one's.
    pool::left_out();
    let ended = || if pool::left_out() { Err(Error::Interrupted) } else { Ok(()) };
    let chunks = length.div_ceil(CHUNK);
    let mut firsts = vec![0usize; chunks + 1];
    let counts = Shared(firsts.as_mut_ptr());
    for_dtype!(dtype, T => {
        // SAFETY: the caller's promise.
        let sorted = unsafe { std::slice::from_raw_parts(sorted.cast::<T>(), length) };
        let begins = |index: usize| index == 0 || !equal(sorted[index - 1], sorted[index]);
        let part = |chunk: usize| chunk * CHUNK..length.min((chunk + 1) * CHUNK);
        pool::split(chunks, 1, &|range| {
            for chunk in range {
                // SAFETY: each count belongs to one task.
                unsafe { counts.get().add(chunk + 1).write(part(chunk).filter(|&index| begins(index)).count()) };
            }
        });
        ended()?;
        for chunk in 0..chunks {
            firsts[chunk + 1] += firsts[chunk];
        }
        let count = firsts[chunks];
        let (elements, starts) = (Memory::new(count * size_of::<T>())?, Memory::new((count + 1) * size_of::<i64>())?);
        let (to_elements, to_starts) = (Shared(elements.start().cast::<T>()), Shared(starts.start().cast::<i64>()));
        // SAFETY: there is room for one more than are distinct.
        unsafe { to_starts.get().add(count).write(length as i64) };
        pool::split(chunks, 1, &|range| {
            for chunk in range {
                for (number, index) in (firsts[chunk]..).zip(part(chunk).filter(|&index| begins(index))) {
                    // SAFETY: as many were counted; each number belongs to one task.
                    unsafe {
                        to_elements.get().add(number).write(sorted[index]);
                        to_starts.get().add(number).write(index as i64);
                    }
                }
            }
        });
        ended()?;
        Ok((elements, starts, count))
    })
}
