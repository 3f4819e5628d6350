//! The equations of one triangular matrix with one right side, from row to row. Each element is read once, which is what takes the time.

use super::super::dot::part;
use super::super::matmul::Ring;
use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use num_complex::Complex;
use std::ops::{Div, Mul, Sub};
use warpcell_base::dtype::DType;

/// Rows that are solved one after the other, when what is known from others has been taken from all of them.
const BLOCK: usize = 64;
/// About so many elements are worth a thread.
const GRAIN: usize = 1 << 16;

/// A triangular matrix.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub start: *const u8,
    /// Elements from a row to the next, and from a column to the next.
    pub strides: [isize; 2],
    pub lower: bool,
    /// Whether the diagonal counts as ones.
    pub unit: bool,
}

/// Solves the equations; or gives the first place on the diagonal, from 1 on, where there is a 0.
///
/// # Safety
///
/// The matrix has as many rows and columns as there are elements at `b` and `out`, a step apart, all of this dtype.
pub(super) unsafe fn solve(
    dtype: DType,
    a: Triangle,
    b: (*const u8, isize),
    out: (*mut u8, isize),
    length: usize,
) -> Option<usize> {
    macro_rules! of {
        ($T:ty) => {
            // SAFETY: the caller's promise.
            unsafe { of_type::<$T>(a, (b.0.cast(), b.1), (out.0.cast(), out.1), length) }
        };
    }
    match dtype {
        DType::F32 => of!(f32),
        DType::F64 => of!(f64),
        DType::C64 => of!(Complex<f32>),
        DType::C128 => of!(Complex<f64>),
        _ => unreachable!("equations have floats or complex numbers"),
    }
}

trait Field: Ring + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {}
impl<T: Ring + Sub<Output = T> + Mul<Output = T> + Div<Output = T>> Field for T {}

/// # Safety
///
/// As for [`solve`].
unsafe fn of_type<T: Field>(a: Triangle, b: (*const T, isize), out: (*mut T, isize), n: usize) -> Option<usize> {
    let [down, across] = a.strides;
    let start = Shared(a.start.cast_mut().cast::<T>());
    let at = |row: usize, column: usize| {
        start.get().cast_const().wrapping_offset(row as isize * down + column as isize * across)
    };
    // SAFETY: the elements of the diagonal are the matrix's.
    let pivot = |row: usize| unsafe { at(row, row).read() };
    if let Some(row) = (0..n).find(|&row| !a.unit && pivot(row) == T::default()) {
        return Some(row + 1);
    }
    // SAFETY: there are so many.
    let mut x: Vec<T> = (0..n).map(|row| unsafe { b.0.offset(row as isize * b.1).read() }).collect();
    let by_pivot = |value: T, row: usize| if a.unit { value } else { value / pivot(row) };
    let number = |index: usize| if a.lower { index } else { n - 1 - index };
    if down == 1 && across != 1 {
        // The columns lie in lines: what has been found is taken from all other rows.
        for column in (0..n).map(number) {
            let found = by_pivot(x[column], column);
            x[column] = found;
            let rest = if a.lower { column + 1..n } else { 0..column };
            // SAFETY: this part of the column follows one another.
            let line = unsafe { std::slice::from_raw_parts(at(rest.start, column), rest.len()) };
            take_away(&mut x[rest], line, found);
        }
    } else {
        for first in (0..n).step_by(BLOCK) {
            let last = n.min(first + BLOCK);
            let rows = if a.lower { first..last } else { n - last..n - first };
            let known = if a.lower { 0..rows.start } else { rows.end..n };
            let values = Shared(x.as_mut_ptr());
            pool::split(rows.len(), (GRAIN / known.len().max(1)).max(1), &|range| {
                for row in range.map(|index| rows.start + index) {
                    // SAFETY: the elements are the matrix's; each row is one thread's, and what is known nobody writes to.
                    unsafe {
                        let line = (at(row, known.start), across);
                        let sum = part(line, (values.get().cast_const().add(known.start), 1), known.len());
                        let place = values.get().add(row);
                        place.write(place.read() - sum);
                    }
                }
            });
            for row in (first..last).map(number) {
                let known = if a.lower { rows.start..row } else { row + 1..rows.end };
                // SAFETY: the elements are the matrix's.
                let sum =
                    unsafe { part((at(row, known.start), across), (x.as_ptr().add(known.start), 1), known.len()) };
                x[row] = by_pivot(x[row] - sum, row);
            }
        }
    }
    for (row, value) in x.into_iter().enumerate() {
        // SAFETY: there is room for so many.
        unsafe { out.0.offset(row as isize * out.1).write(value) };
    }
    None
}

by_isa! {
    /// Takes a multiple of one vector from another.
    fn take_away<T: Field>(from: &mut [T], line: &[T], factor: T) {
        for (value, &element) in from.iter_mut().zip(line) {
            *value = *value - element * factor;
        }
    }
}
