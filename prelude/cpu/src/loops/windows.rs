//! Windows around elements: those of neighbouring elements of a row together, in vectors.

use super::super::numeric::{Bit, Shared, by_isa};
use super::super::pool;
use super::{Float, continued};
use std::marker::PhantomData;
use warpcell_base::backend::loops::Windows;
use warpcell_base::dtype::DType;

/// About so many elements of windows are worth a thread.
const GRAIN: usize = 1 << 14;
/// The most elements of windows in which one of a rank is found.
const MOST_RANKED: usize = 100;
/// The columns of a row that are computed together.
const SEGMENT: usize = 4096;

/// What becomes of the elements of a window.
trait Window: Sync {
    type In: Copy + Send + Sync;
    type Out: Copy + Send + Sync;

    /// Computes it for some neighbours at once.
    ///
    /// # Safety
    ///
    /// Behind each source, a pointer with the weight of its element, are so many elements from `at` on, and behind `out`.
    unsafe fn block<const COUNT: usize>(&self, sources: &[(*const Self::In, f64)], out: *mut Self::Out, at: usize);
}

/// Some neighbours.
///
/// # Safety
///
/// They are there.
#[inline(always)]
unsafe fn read<T: Copy, const COUNT: usize>(source: *const T, at: usize) -> [T; COUNT] {
    // SAFETY: the caller's promise.
    unsafe { source.add(at).cast::<[T; COUNT]>().read_unaligned() }
}

/// Weighted sums.
struct Sums<T>(PhantomData<T>);

impl<T: Float> Window for Sums<T> {
    type In = T;
    type Out = T;
    #[inline(always)]
    unsafe fn block<const COUNT: usize>(&self, sources: &[(*const T, f64)], out: *mut T, at: usize) {
        let mut sums = [0.0; COUNT];
        // SAFETY: the caller's promise.
        unsafe {
            for &(source, weight) in sources {
                for (sum, value) in sums.iter_mut().zip(read::<T, COUNT>(source, at)) {
                    *sum += weight * value.wide();
                }
            }
            out.add(at).cast::<[T; COUNT]>().write_unaligned(sums.map(T::narrow));
        }
    }
}

/// Whether all are true, or any.
struct Bits<const IS_ALL: bool>;

impl<const IS_ALL: bool> Window for Bits<IS_ALL> {
    type In = Bit;
    type Out = Bit;
    #[inline(always)]
    unsafe fn block<const COUNT: usize>(&self, sources: &[(*const Bit, f64)], out: *mut Bit, at: usize) {
        let mut found = [u8::from(IS_ALL); COUNT];
        // SAFETY: the caller's promise.
        unsafe {
            for &(source, _) in sources {
                for (found, bit) in found.iter_mut().zip(read::<Bit, COUNT>(source, at)) {
                    let bit = u8::from(bit.is_true());
                    *found = if IS_ALL { *found & bit } else { *found | bit };
                }
            }
            out.add(at).cast::<[Bit; COUNT]>().write_unaligned(found.map(Bit));
        }
    }
}

/// The element of a rank, by exchanges of pairs that do not depend on the elements: the least and the greatest of some elements are
/// left out in turns, as long as they cannot be the one of the rank (Hudson's "forgetful selection").
struct Ranked<T, const MOST: usize> {
    rank: usize,
    of: PhantomData<T>,
}

impl<T: Float + PartialOrd + Default, const MOST: usize> Window for Ranked<T, MOST> {
    type In = T;
    type Out = T;
    #[inline(always)]
    unsafe fn block<const COUNT: usize>(&self, sources: &[(*const T, f64)], out: *mut T, at: usize) {
        let mut kept = [[T::default(); COUNT]; MOST];
        // How many are to be left out below and above.
        let (mut below, mut above) = (self.rank, sources.len() - 1 - self.rank);
        let mut waiting = sources.iter();
        let (mut first, mut last) = (0, 0);
        // SAFETY: the caller's promise.
        unsafe {
            for &(source, _) in waiting.by_ref().take(below.max(above) + 2) {
                kept[last] = read(source, at);
                last += 1;
            }
            while below + above > 0 {
                let part = &mut kept[first..last];
                let count = part.len();
                for low in 0..count / 2 {
                    exchange(part, low, count - 1 - low);
                }
                // With an odd number, the one in the middle may be either.
                let half = count.div_ceil(2);
                let drops_least = below > 0 && count > above + 1;
                let drops_greatest = above > 0 && count > below + 1;
                if drops_least {
                    for other in 1..half {
                        exchange(part, 0, other);
                    }
                    below -= 1;
                    first += 1;
                }
                if drops_greatest {
                    for other in count / 2..count - 1 {
                        exchange(part, other, count - 1);
                    }
                    above -= 1;
                    last -= 1;
                }
                if let Some(&(source, _)) = waiting.next() {
                    // One of the places that have become free.
                    if drops_greatest {
                        last += 1;
                        kept[last - 1] = read(source, at);
                    } else {
                        first -= 1;
                        kept[first] = read(source, at);
                    }
                }
            }
            out.add(at).cast::<[T; COUNT]>().write_unaligned(kept[first]);
        }
    }
}

/// Brings the less one of each pair to the first place.
#[inline(always)]
fn exchange<T: Copy + PartialOrd, const COUNT: usize>(kept: &mut [[T; COUNT]], first: usize, second: usize) {
    let (one, other) = (kept[first], kept[second]);
    for lane in 0..COUNT {
        let is_less = other[lane] < one[lane];
        kept[first][lane] = if is_less { other[lane] } else { one[lane] };
        kept[second][lane] = if is_less { one[lane] } else { other[lane] };
    }
}

/// An element of the window: where it is from the first one on, and its weight.
struct Tap {
    place: [usize; 4],
    weight: f64,
}

/// The elements of a window that count, by their numbers.
fn taps(windows: &Windows, weight_of: impl Fn(usize) -> Option<f64>) -> Vec<Tap> {
    let [_, second, third, fourth] = windows.window;
    let count = windows.window.iter().product();
    (0..count)
        .filter_map(|tap| {
            let place =
                [tap / (second * third * fourth), tap / (third * fourth) % second, tap / fourth % third, tap % fourth];
            weight_of(tap).map(|weight| Tap { place, weight })
        })
        .collect()
}

/// Correlates; see `Loops::Correlate`.
///
/// # Safety
///
/// `x` and `out` have the elements of the array, f32 or f64; nothing else accesses `out`.
pub(super) unsafe fn correlate(
    dtype: DType,
    windows: &Windows,
    weights: &[f64],
    outside: f64,
    x: *const u8,
    out: *mut u8,
) {
    // An infinite element counts only where the window has a weight.
    let taps = taps(windows, |tap| Some(weights[tap]).filter(|weight| weight.abs() > f64::EPSILON));
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => {
                let (x, outside) = (Shared(x.cast::<f32>().cast_mut()), f32::narrow(outside));
                over_rows(&Sums(PhantomData::<f32>), windows, &taps, outside, x, Shared(out.cast()));
            }
            _ => {
                let x = Shared(x.cast::<f64>().cast_mut());
                over_rows(&Sums(PhantomData::<f64>), windows, &taps, outside, x, Shared(out.cast()));
            }
        }
    }
}

/// Finds the elements of a rank; see `Loops::Rank`.
///
/// # Safety
///
/// As for [`correlate`].
pub(super) unsafe fn ranked(
    dtype: DType,
    windows: &Windows,
    (footprint, rank): (&[Bit], usize),
    outside: f64,
    x: *const u8,
    out: *mut u8,
) {
    let taps = taps(windows, |tap| footprint[tap].is_true().then_some(1.0));
    assert!(rank < taps.len());
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => ranked_of::<f32>(windows, &taps, rank, f32::narrow(outside), x.cast(), out.cast()),
            _ => ranked_of::<f64>(windows, &taps, rank, outside, x.cast(), out.cast()),
        }
    }
}

/// # Safety
///
/// As for [`correlate`].
unsafe fn ranked_of<T: Float + PartialOrd + Default>(
    windows: &Windows,
    taps: &[Tap],
    rank: usize,
    outside: T,
    x: *const T,
    out: *mut T,
) {
    let (x, out) = (Shared(x.cast_mut()), Shared(out));
    // SAFETY: the caller's promise.
    unsafe {
        match taps.len() {
            ..=9 => over_rows(&Ranked::<T, 9> { rank, of: PhantomData }, windows, taps, outside, x, out),
            10..=32 => over_rows(&Ranked::<T, 32> { rank, of: PhantomData }, windows, taps, outside, x, out),
            _ => over_rows(&Ranked::<T, MOST_RANKED> { rank, of: PhantomData }, windows, taps, outside, x, out),
        }
    }
}

/// What is eroded; see `Loops::Erode`.
pub(super) struct Erosion<'a> {
    pub structure: &'a [Bit],
    pub mask: Option<&'a [Bit]>,
    pub border: bool,
    pub is_dilation: bool,
}

/// Erodes, or dilates.
pub(super) fn erode(windows: &Windows, job: &Erosion<'_>, x: &[Bit], out: &mut [Bit]) {
    let taps = taps(windows, |tap| job.structure[tap].is_true().then_some(1.0));
    let (border, from) = (job.border.into(), Shared(x.as_ptr().cast_mut()));
    let target = Shared(out.as_mut_ptr());
    // SAFETY: both have the elements of the array.
    unsafe {
        if job.is_dilation {
            over_rows(&Bits::<false>, windows, &taps, border, from, target);
        } else {
            over_rows(&Bits::<true>, windows, &taps, border, from, target);
        }
    }
    if let Some(mask) = job.mask {
        let out = Shared(out.as_mut_ptr());
        pool::split(mask.len(), GRAIN, &|range| {
            for at in range {
                if !mask[at].is_true() {
                    // SAFETY: each element belongs to one task.
                    unsafe { out.get().add(at).write(Bit::from(x[at].is_true())) };
                }
            }
        });
    }
}

/// Computes parts of rows.
///
/// # Safety
///
/// `x` and `out` have the elements of the array; nothing else accesses `out`.
unsafe fn over_rows<W: Window>(
    window: &W,
    windows: &Windows,
    taps: &[Tap],
    outside: W::In,
    x: Shared<W::In>,
    out: Shared<W::Out>,
) {
    let [_, second, third, length] = windows.shape;
    let rows = windows.shape[..3].iter().product::<usize>();
    if rows * length == 0 {
        return;
    }
    let segments = length.div_ceil(SEGMENT);
    let (width, before) = (windows.window[3], windows.before[3]);
    // The columns whose windows lie within the row.
    let low = (before.max(0) as usize).min(length);
    let high = (length as i64 + before + 1 - width as i64).clamp(low as i64, length as i64) as usize;
    let beyond = vec![outside; length + width];
    let grain = (GRAIN / (SEGMENT.min(length) * taps.len().max(1))).max(1);
    pool::split(rows * segments, grain, &|range| {
        let mut rows: Vec<Option<*const W::In>> = Vec::with_capacity(taps.len());
        let mut values: Vec<W::In> = Vec::with_capacity(taps.len());
        let mut sources: Vec<(*const W::In, f64)> = Vec::with_capacity(taps.len());
        for task in range {
            let (row, start) = (task / segments, task % segments * SEGMENT);
            let end = length.min(start + SEGMENT);
            let index = [row / (second * third), row / third % second, row % third];
            // The row of an element of the window; none where that has a value outside.
            let row_of = |tap: &Tap| {
                let along = |axis: usize| {
                    let at = (index[axis] + tap.place[axis]) as i64 - windows.before[axis];
                    continued(at, windows.shape[axis] as i64, windows.mode)
                };
                let (a, b, c) = (along(0)?, along(1)?, along(2)?);
                // SAFETY: a row of the array.
                Some(unsafe { x.get().add(((a * second + b) * third + c) * length) }.cast_const())
            };
            rows.clear();
            rows.extend(taps.iter().map(row_of));
            let target = out.get().wrapping_add(row * length);
            let mut near_ends = |columns: std::ops::Range<usize>| {
                for column in columns {
                    values.clear();
                    values.extend(taps.iter().zip(&rows).map(|(tap, row)| {
                        let at = (column + tap.place[3]) as i64 - before;
                        match (row, continued(at, length as i64, windows.mode)) {
                            // SAFETY: an element of the row.
                            (Some(row), Some(place)) => unsafe { row.add(place).read() },
                            _ => outside,
                        }
                    }));
                    sources.clear();
                    sources.extend(values.iter().zip(taps).map(|(value, tap)| (std::ptr::from_ref(value), tap.weight)));
                    // SAFETY: one element is behind each pointer; each element of `out` belongs to one task.
                    unsafe { combine(window, &sources, target.add(column), 1) };
                }
            };
            near_ends(start..end.min(low));
            near_ends(start.max(high.max(low))..end);
            let inner = start.max(low)..end.min(high);
            if !inner.is_empty() {
                sources.clear();
                sources.extend(taps.iter().zip(&rows).map(|(tap, row)| {
                    let first = inner.start + tap.place[3] - before as usize;
                    (row.unwrap_or(beyond.as_ptr()).wrapping_add(first), tap.weight)
                }));
                // SAFETY: the windows of these columns lie within the rows.
                unsafe { combine(window, &sources, target.add(inner.start), inner.len()) };
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
    unsafe fn combine<W: Window>(window: &W, sources: &[(*const W::In, f64)], out: *mut W::Out, count: usize) {
        let mut at = 0;
        // SAFETY: the caller's promise.
        unsafe {
            if size_of::<W::In>() == 1 {
                while at + 64 <= count {
                    window.block::<64>(sources, out, at);
                    at += 64;
                }
            }
            while at + 16 <= count {
                window.block::<16>(sources, out, at);
                at += 16;
            }
            while at + 4 <= count {
                window.block::<4>(sources, out, at);
                at += 4;
            }
            while at < count {
                window.block::<1>(sources, out, at);
                at += 1;
            }
        }
    }
}
