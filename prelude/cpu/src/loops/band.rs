//! How far from the diagonal of a matrix there are elements that are not 0.

use super::super::numeric::{Shared, for_dtype};
use super::super::pool;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpcell_base::dtype::DType;

/// About so many elements are worth a thread.
const GRAIN: usize = 1 << 16;
/// Elements that are looked at together.
const TOGETHER: usize = 32;

/// How far they are below the diagonal, and above it.
///
/// # Safety
///
/// `x` has the elements of a matrix of this shape, row by row.
pub(super) unsafe fn widths(dtype: DType, x: *const u8, shape: [usize; 2]) -> [usize; 2] {
    // SAFETY: the caller's promise.
    for_dtype!(dtype, T => unsafe { of_type::<T>(x.cast(), shape) })
}

/// # Safety
///
/// As for [`widths`].
unsafe fn of_type<T: Copy + Default + PartialEq + Send + Sync>(x: *const T, [rows, columns]: [usize; 2]) -> [usize; 2] {
    let (lower, upper) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let x = Shared(x.cast_mut());
    pool::split(rows, GRAIN.div_ceil(columns), &|range| {
        let (mut below, mut above) = (lower.load(Ordering::Relaxed), upper.load(Ordering::Relaxed));
        for row in range {
            // SAFETY: a row of the matrix.
            let line = unsafe { std::slice::from_raw_parts(x.get().add(row * columns), columns) };
            // Only what is beyond the band that is known is looked at.
            let before = &line[..row.saturating_sub(below).min(columns)];
            if let Some(first) = first_not_zero(before) {
                below = row - first;
            }
            let behind = &line[(row + above + 1).min(columns)..];
            if let Some(last) = last_not_zero(behind) {
                above += 1 + last;
            }
        }
        lower.fetch_max(below, Ordering::Relaxed);
        upper.fetch_max(above, Ordering::Relaxed);
    });
    [lower.into_inner(), upper.into_inner()]
}

fn is_there<T: Copy + Default + PartialEq>(value: &T) -> bool {
    *value != T::default()
}

/// Whether any of a few is not 0, without a branch for each.
fn any_there<T: Copy + Default + PartialEq>(values: &[T]) -> bool {
    values.iter().fold(false, |any, value| any | is_there(value))
}

fn first_not_zero<T: Copy + Default + PartialEq>(values: &[T]) -> Option<usize> {
    let part = values.chunks(TOGETHER).position(any_there)?;
    values[part * TOGETHER..].iter().position(is_there).map(|at| part * TOGETHER + at)
}

fn last_not_zero<T: Copy + Default + PartialEq>(values: &[T]) -> Option<usize> {
    let mut end = values.len();
    for part in values.rchunks(TOGETHER) {
        if any_there(part) {
            return values[..end].iter().rposition(is_there);
        }
        end -= part.len();
    }
    None
}
