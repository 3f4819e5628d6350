//! Fourier transforms of real arrays: lines of one axis at a time, spread over the threads.
//!
//! The lines' own transforms are those of `realfft` and `rustfft`, which choose vector instructions at run time.

use super::numeric::{Native, Shared};
use super::pool;
use num_complex::Complex;
use realfft::{ComplexToReal, FftNum, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftPlanner};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Points that are not worth a second thread.
const GRAIN: usize = 1 << 14;
/// Lines of an axis that is not the last which are transformed together: neighbours lie in one cache line.
const COLUMNS: usize = 8;

/// Plans of transforms, which are kept.
pub(super) struct Planners<T: FftNum> {
    pub real: RealFftPlanner<T>,
    pub complex: FftPlanner<T>,
}

/// The floats.
pub(super) trait Real: Native + FftNum {
    fn planners<R>(plan: impl FnOnce(&mut Planners<Self>) -> R) -> R;
}

macro_rules! reals {
    ($($type:ty)*) => {$(
        impl Real for $type {
            fn planners<R>(plan: impl FnOnce(&mut Planners<Self>) -> R) -> R {
                static PLANNERS: OnceLock<Mutex<Planners<$type>>> = OnceLock::new();
                let new = || Mutex::new(Planners { real: RealFftPlanner::new(), complex: FftPlanner::new() });
                plan(&mut PLANNERS.get_or_init(new).lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    )*};
}
reals!(f32 f64);

/// Transforms `count` arrays of these lengths along all their axes. Those of `x` are `distance` elements apart and may overlap;
/// the spectra follow one another, with `last / 2 + 1` numbers along the last axis.
///
/// # Safety
///
/// Both must describe memory that only this call accesses, without overlap.
pub(super) unsafe fn forward<T: Real>(
    x: *const T,
    distance: isize,
    count: usize,
    lengths: &[usize],
    spectrum: *mut Complex<T>,
) {
    let (&last, outer) = lengths.split_last().expect("an axis");
    let lines: usize = outer.iter().product();
    let plan: Arc<dyn RealToComplex<T>> = T::planners(|planners| planners.real.plan_fft_forward(last));
    let (source, target) = (Shared(x.cast_mut()), Shared(spectrum));
    let half = last / 2 + 1;
    pool::split(count * lines, GRAIN.div_ceil(last), &|range| {
        let mut line = plan.make_input_vec();
        let mut scratch = plan.make_scratch_vec();
        for index in range {
            let from = (index / lines) as isize * distance + (index % lines * last) as isize;
            // SAFETY: a line of the arrays, and its place in the spectra, which belongs to one task.
            let out = unsafe {
                std::ptr::copy_nonoverlapping(source.get().offset(from), line.as_mut_ptr(), last);
                std::slice::from_raw_parts_mut(target.get().add(index * half), half)
            };
            plan.process_with_scratch(&mut line, out, &mut scratch).expect("the plan's lengths");
        }
    });
    // SAFETY: the caller's promise.
    unsafe { other_axes(spectrum, count, outer, half, FftDirection::Forward) };
}

/// The opposite of [`forward`], times the number of elements; destroys the spectra. The arrays follow one another.
///
/// # Safety
///
/// As for [`forward`].
pub(super) unsafe fn backward<T: Real>(spectrum: *mut Complex<T>, count: usize, lengths: &[usize], x: *mut T) {
    let (&last, outer) = lengths.split_last().expect("an axis");
    let lines: usize = outer.iter().product();
    let half = last / 2 + 1;
    // SAFETY: the caller's promise.
    unsafe { other_axes(spectrum, count, outer, half, FftDirection::Inverse) };
    let plan: Arc<dyn ComplexToReal<T>> = T::planners(|planners| planners.real.plan_fft_inverse(last));
    let (source, target) = (Shared(spectrum), Shared(x));
    pool::split(count * lines, GRAIN.div_ceil(last), &|range| {
        let mut scratch = plan.make_scratch_vec();
        for index in range {
            // SAFETY: a line of the spectra and its place in the arrays, which belong to one task.
            let (line, out) = unsafe {
                (
                    std::slice::from_raw_parts_mut(source.get().add(index * half), half),
                    std::slice::from_raw_parts_mut(target.get().add(index * last), last),
                )
            };
            // These are 0 but for rounding.
            line[0].im = T::default();
            if last.is_multiple_of(2) {
                line[half - 1].im = T::default();
            }
            plan.process_with_scratch(line, out, &mut scratch).expect("the plan's lengths, and real ends");
        }
    });
}

/// Transforms `count` arrays of complex numbers along all axes but the last one.
///
/// # Safety
///
/// As for [`forward`].
unsafe fn other_axes<T: Real>(
    data: *mut Complex<T>,
    count: usize,
    outer: &[usize],
    last: usize,
    direction: FftDirection,
) {
    for (axis, &length) in outer.iter().enumerate().rev() {
        if length == 1 {
            continue;
        }
        let before = count * outer[..axis].iter().product::<usize>();
        let inner = outer[axis + 1..].iter().product::<usize>() * last;
        let plan: Arc<dyn Fft<T>> = T::planners(|planners| planners.complex.plan_fft(length, direction));
        let across = inner.div_ceil(COLUMNS);
        let data = Shared(data);
        pool::split(before * across, GRAIN.div_ceil(length * COLUMNS), &|range: Range<usize>| {
            let zero = Complex::new(T::default(), T::default());
            let mut lines = vec![zero; length * COLUMNS];
            let mut scratch = vec![zero; plan.get_inplace_scratch_len()];
            for index in range {
                let column = index % across * COLUMNS;
                let columns = COLUMNS.min(inner - column);
                // SAFETY: the first element of lines that belong to one task.
                let start = unsafe { data.get().add(index / across * length * inner + column) };
                for row in 0..length {
                    for column in 0..columns {
                        // SAFETY: an element of the lines.
                        lines[column * length + row] = unsafe { start.add(row * inner + column).read() };
                    }
                }
                plan.process_with_scratch(&mut lines[..columns * length], &mut scratch);
                for row in 0..length {
                    for column in 0..columns {
                        // SAFETY: as above.
                        unsafe { start.add(row * inner + column).write(lines[column * length + row]) };
                    }
                }
            }
        });
    }
}

/// `a[i] *= b[i % others] * scale`.
///
/// # Safety
///
/// Both must describe memory that only this call accesses, without overlap.
pub(super) unsafe fn multiply<T: Real>(a: *mut Complex<T>, size: usize, b: *const Complex<T>, others: usize, scale: T) {
    let (a, b) = (Shared(a), Shared(b.cast_mut()));
    pool::split(size, GRAIN, &|range| {
        let mut start = range.start;
        while start < range.end {
            let from = start % others;
            let count = (others - from).min(range.end - start);
            // SAFETY: parts of both; that of `a` belongs to one task.
            let (a, b) = unsafe {
                let a = std::slice::from_raw_parts_mut(a.get().add(start), count);
                (a, std::slice::from_raw_parts(b.get().add(from), count))
            };
            for (a, &b) in a.iter_mut().zip(b) {
                *a = Complex::new((a.re * b.re - a.im * b.im) * scale, (a.re * b.im + a.im * b.re) * scale);
            }
            start += count;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One term after the other, as the definition says, along one axis.
    fn along_axis(data: &[Complex<f64>], lengths: &[usize], axis: usize) -> Vec<Complex<f64>> {
        let (length, inner) = (lengths[axis], lengths[axis + 1..].iter().product::<usize>());
        (0..data.len())
            .map(|index| {
                let (k, start) = (index / inner % length, index / (inner * length) * inner * length + index % inner);
                let term = |n: usize| {
                    let angle = -std::f64::consts::TAU * (k * n % length) as f64 / length as f64;
                    data[start + n * inner] * Complex::from_polar(1.0, angle)
                };
                (0..length).map(term).sum()
            })
            .collect()
    }

    #[test]
    fn transforms_are_the_sums_by_definition_and_come_back() {
        for lengths in [&[1][..], &[2], &[7], &[12], &[1, 5], &[6, 4], &[3, 1, 2], &[4, 9, 10], &[2, 3, 2, 5]] {
            for count in [1usize, 3] {
                let size: usize = lengths.iter().product();
                let x: Vec<f64> = (0..size * count).map(|index| ((index * index * 7 + 3) % 19) as f64 - 9.0).collect();
                let last = *lengths.last().unwrap();
                let half = last / 2 + 1;
                let mut spectrum = vec![Complex::new(0.0, 0.0); size / last * half * count];
                // SAFETY: the vectors have the elements.
                unsafe { forward(x.as_ptr(), size as isize, count, lengths, spectrum.as_mut_ptr()) };
                for which in 0..count {
                    let mut full: Vec<Complex<f64>> =
                        x[which * size..][..size].iter().map(|&x| Complex::new(x, 0.0)).collect();
                    for axis in 0..lengths.len() {
                        full = along_axis(&full, lengths, axis);
                    }
                    for (line, expected) in full.chunks(last).enumerate() {
                        let found = &spectrum[(which * size / last + line) * half..][..half];
                        for (found, expected) in found.iter().zip(expected) {
                            assert!((found - expected).norm() < 1e-10, "{lengths:?}: {found}, not {expected}");
                        }
                    }
                }
                let mut back = vec![0.0; x.len()];
                // SAFETY: as above.
                unsafe { backward(spectrum.as_mut_ptr(), count, lengths, back.as_mut_ptr()) };
                for (back, x) in back.iter().zip(&x) {
                    assert!((back / size as f64 - x).abs() < 1e-12, "{lengths:?}");
                }
            }
        }
    }

    #[test]
    fn arrays_may_overlap() {
        let x: Vec<f32> = (0..40).map(|index| (index % 7) as f32).collect();
        let mut together = vec![Complex::new(0.0, 0.0); 5 * 4];
        let mut one = vec![Complex::new(0.0, 0.0); 5];
        // SAFETY: the vectors have the elements.
        unsafe {
            forward(x.as_ptr(), 6, 4, &[8], together.as_mut_ptr());
            forward(x[12..].as_ptr(), 0, 1, &[8], one.as_mut_ptr());
            assert_eq!(together[10..15], one);
            multiply(together.as_mut_ptr(), 20, one.as_ptr(), 5, 0.5);
        }
        let square = one[1] * one[1] * 0.5;
        assert!((together[11] - square).norm() < 1e-5);
    }
}
