//! Windows around the elements along an axis: those of neighbouring elements together, in vectors.

use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use super::{Float, continued};
use warpcell_base::dtype::DType;

/// About so many multiplications are worth a thread.
const GRAIN: usize = 1 << 14;
/// Rows with fewer elements behind the axis are computed as one line.
const NARROW: usize = 32;
/// The elements that are copied, with their border, before they are computed.
const SEGMENT: usize = 4096;
/// The columns that are computed row by row.
const TILE: usize = 1024;

/// Windows along an axis; `around` has how many elements lie before it, along it and behind it.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub around: [usize; 3],
    /// The elements of a window, and how many of them lie before its element.
    pub size: usize,
    pub left: i64,
    pub mode: i32,
    pub outside: f64,
}

/// What becomes of the elements of a window.
trait Window: Sync {
    /// Computes it for some neighbours at once.
    ///
    /// # Safety
    ///
    /// Behind each pointer are so many elements from `at` on, and behind `out`.
    unsafe fn block<S: Float, T: Float, const COUNT: usize>(&self, taps: &[*const S], out: *mut T, at: usize);
}

/// Weighted sums, over a divisor. Elements on both sides of one have the same weights (1), negative ones (-1), or others (0).
struct Sums<'a, const SIGN: i32> {
    weights: &'a [f64],
    divisor: f64,
}

/// The largest element, or the least one.
struct Extreme<const IS_LARGEST: bool>;

/// Whether weights are symmetric (1), antisymmetric (-1), or neither: equal up to 2⁻⁵², as in SciPy.
fn sign_of(weights: &[f64]) -> i32 {
    let half = weights.len() / 2;
    let all = |difference: fn(f64, f64) -> f64| {
        (1..=half).all(|k| difference(weights[half + k], weights[half - k]).abs() <= f64::EPSILON)
    };
    if weights.len().is_multiple_of(2) {
        0
    } else if all(|behind, before| behind - before) {
        1
    } else if all(|behind, before| behind + before) {
        -1
    } else {
        0
    }
}

/// Correlates; see `Loops::CorrelateLine`.
///
/// # Safety
///
/// `x` and `out` have the elements of the line, f32 or f64; nothing else accesses `out`.
pub(super) unsafe fn correlate(
    dtype: DType,
    line: &Line,
    (weights, divisor): (&[f64], f64),
    x: *const u8,
    out: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match sign_of(weights) {
            1 => along(dtype, line, &Sums::<1> { weights, divisor }, x, out),
            -1 => along(dtype, line, &Sums::<-1> { weights, divisor }, x, out),
            _ => along(dtype, line, &Sums::<0> { weights, divisor }, x, out),
        }
    }
}

/// Finds the largest element of each window, or the least one.
///
/// # Safety
///
/// As for [`correlate`].
pub(super) unsafe fn extreme(dtype: DType, line: &Line, is_largest: bool, x: *const u8, out: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        if is_largest {
            along(dtype, line, &Extreme::<true>, x, out);
        } else {
            along(dtype, line, &Extreme::<false>, x, out);
        }
    }
}

/// # Safety
///
/// As for [`correlate`].
unsafe fn along<W: Window>(dtype: DType, line: &Line, window: &W, x: *const u8, out: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => of_floats::<f32, W>(line, window, x.cast(), out.cast()),
            _ => of_floats::<f64, W>(line, window, x.cast(), out.cast()),
        }
    }
}

/// # Safety
///
/// As for [`correlate`].
unsafe fn of_floats<T: Float, W: Window>(line: &Line, window: &W, x: *const T, out: *mut T) {
    let [outer, length, inner] = line.around;
    if outer * length * inner == 0 {
        return;
    }
    // The value outside is not rounded, so a row of it is not one of f32.
    let is_exact = line.mode != 0 || T::narrow(line.outside).wide() == line.outside;
    // SAFETY: the caller's promise.
    unsafe {
        if inner < NARROW || !is_exact {
            in_segments(line, window, Shared(x.cast_mut()), Shared(out));
        } else {
            in_rows(line, window, Shared(x.cast_mut()), Shared(out));
        }
    }
}

/// Copies parts of lines with their borders.
///
/// # Safety
///
/// As for [`correlate`].
unsafe fn in_segments<T: Float, W: Window>(line: &Line, window: &W, x: Shared<T>, out: Shared<T>) {
    let Line { around: [outer, length, inner], size, left, mode, outside } = *line;
    let segment = (SEGMENT / inner).clamp(1, length);
    let segments = length.div_ceil(segment);
    let grain = (GRAIN / (segment * inner * size)).max(1);
    pool::split(outer * segments, grain, &|range| {
        let mut buffer = vec![0.0; (segment + size - 1) * inner];
        for task in range {
            let (outer, first) = (task / segments, task % segments * segment);
            let count = segment.min(length - first);
            // SAFETY: the line is one of `outer`.
            let base = unsafe { x.get().add(outer * length * inner) };
            for (k, part) in buffer.chunks_exact_mut(inner).take(count + size - 1).enumerate() {
                match continued((first + k) as i64 - left, length as i64, mode) {
                    Some(at) => {
                        for (column, value) in part.iter_mut().enumerate() {
                            // SAFETY: the index is within the line.
                            *value = unsafe { base.add(at * inner + column).read() }.wide();
                        }
                    }
                    None => part.fill(outside),
                }
            }
            let taps: Vec<*const f64> = (0..size).map(|k| buffer[k * inner..].as_ptr()).collect();
            // SAFETY: behind each of the pointers are `count * inner` elements; so many of `out` belong to this task.
            unsafe {
                combine(window, &taps, out.get().add((outer * length + first) * inner), count * inner);
            }
        }
    });
}

/// Combines rows where they are.
///
/// # Safety
///
/// As for [`correlate`].
unsafe fn in_rows<T: Float, W: Window>(line: &Line, window: &W, x: Shared<T>, out: Shared<T>) {
    let Line { around: [outer, length, inner], size, left, mode, outside } = *line;
    let beyond = vec![T::narrow(outside); if mode == 0 { TILE.min(inner) } else { 0 }];
    let grain = (GRAIN / (inner * size)).max(1);
    pool::split(outer * length, grain, &|range| {
        let mut taps = Vec::with_capacity(size);
        for start in (0..inner).step_by(TILE) {
            let count = TILE.min(inner - start);
            for row in range.clone() {
                let (outer, at) = (row / length, row % length);
                taps.clear();
                taps.extend((0..size).map(|k| {
                    match continued((at + k) as i64 - left, length as i64, mode) {
                        // SAFETY: a row of the line.
                        Some(other) => unsafe { x.get().add((outer * length + other) * inner + start) }.cast_const(),
                        None => beyond.as_ptr(),
                    }
                }));
                // SAFETY: behind each of the pointers are `count` elements; the row belongs to this task.
                unsafe { combine(window, &taps, out.get().add(row * inner + start), count) };
            }
        }
    });
}

by_isa! {
    /// What becomes of the elements behind some pointers.
    ///
    /// # Safety
    ///
    /// Behind each pointer are `count` elements, and behind `out`.
    unsafe fn combine<S: Float, T: Float, W: Window>(window: &W, taps: &[*const S], out: *mut T, count: usize) {
        let mut at = 0;
        // SAFETY: the caller's promise.
        unsafe {
            while at + 16 <= count {
                window.block::<S, T, 16>(taps, out, at);
                at += 16;
            }
            while at + 4 <= count {
                window.block::<S, T, 4>(taps, out, at);
                at += 4;
            }
            while at < count {
                window.block::<S, T, 1>(taps, out, at);
                at += 1;
            }
        }
    }
}

/// Some neighbours.
///
/// # Safety
///
/// They are there.
#[inline(always)]
unsafe fn read<S: Float, const COUNT: usize>(tap: *const S, at: usize) -> [f64; COUNT] {
    // SAFETY: the caller's promise.
    unsafe { tap.add(at).cast::<[S; COUNT]>().read_unaligned() }.map(S::wide)
}

impl<const SIGN: i32> Window for Sums<'_, SIGN> {
    #[inline(always)]
    unsafe fn block<S: Float, T: Float, const COUNT: usize>(&self, taps: &[*const S], out: *mut T, at: usize) {
        let (size, half) = (taps.len(), taps.len() / 2);
        let mut sums = [0.0f64; COUNT];
        let mut add = |values: [f64; COUNT], weight: f64| {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value * weight;
            }
        };
        // SAFETY: the caller's promise.
        unsafe {
            if SIGN == 0 {
                add(read(taps[size - 1], at), self.weights[size - 1]);
                for (&tap, &weight) in taps[..size - 1].iter().zip(self.weights) {
                    add(read(tap, at), weight);
                }
            } else {
                add(read(taps[half], at), self.weights[half]);
                let pairs = taps[..half].iter().zip(taps[half + 1..].iter().rev());
                for ((&before, &behind), &weight) in pairs.zip(self.weights) {
                    let (mut both, behind): ([f64; COUNT], [f64; COUNT]) = (read(before, at), read(behind, at));
                    for (one, other) in both.iter_mut().zip(behind) {
                        *one += if SIGN < 0 { -other } else { other };
                    }
                    add(both, weight);
                }
            }
            if self.divisor != 1.0 {
                for sum in &mut sums {
                    *sum /= self.divisor;
                }
            }
            out.add(at).cast::<[T; COUNT]>().write_unaligned(sums.map(T::narrow));
        }
    }
}

impl<const IS_LARGEST: bool> Window for Extreme<IS_LARGEST> {
    #[inline(always)]
    unsafe fn block<S: Float, T: Float, const COUNT: usize>(&self, taps: &[*const S], out: *mut T, at: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut best: [f64; COUNT] = read(taps[0], at);
            for &tap in &taps[1..] {
                for (best, value) in best.iter_mut().zip(read::<S, COUNT>(tap, at)) {
                    let is_better = if IS_LARGEST { value > *best } else { value < *best };
                    *best = if is_better { value } else { *best };
                }
            }
            out.add(at).cast::<[T; COUNT]>().write_unaligned(best.map(T::narrow));
        }
    }
}
