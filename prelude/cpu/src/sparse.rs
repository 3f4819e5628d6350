//! Products and factors of sparse matrices, by the threads of the backend.

use super::numeric::Shared;
use super::pool;
use std::ops::{AddAssign, Mul};
use warpcell_base::dtype::DType;
use warpcell_linalg::SparseLu;

/// About so many multiplications are worth a thread.
const GRAIN: usize = 1 << 14;

/// Products of the lines of a sparse matrix with the columns of a dense one; see `SparseProduct`.
///
/// # Safety
///
/// `lines` are one pointer more than there are lines, which lead to as many elements of `indices` and `data`, of this dtype, f32 or f64.
/// The indices are those of rows of `x`, with `columns` elements each; `out` has a row for each line. Nothing else accesses `out`.
pub(super) unsafe fn multiply(
    dtype: DType,
    lines: (*const i32, usize),
    indices: *const i32,
    data: *const u8,
    x: *const u8,
    columns: usize,
    out: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => lines_times::<f32>(lines, indices, data.cast(), x.cast(), columns, out.cast()),
            _ => lines_times::<f64>(lines, indices, data.cast(), x.cast(), columns, out.cast()),
        }
    }
}

/// # Safety
///
/// As for [`multiply`].
unsafe fn lines_times<T>(
    (pointers, lines): (*const i32, usize),
    indices: *const i32,
    data: *const T,
    x: *const T,
    columns: usize,
    out: *mut T,
) where
    T: Copy + Default + Mul<Output = T> + AddAssign + Send + Sync,
{
    // SAFETY: the caller's promise; there is a pointer behind the last line.
    let pointers = unsafe { std::slice::from_raw_parts(pointers, lines + 1) };
    let count = pointers[lines] as usize;
    // SAFETY: the caller's promise.
    let (indices, data) =
        unsafe { (std::slice::from_raw_parts(indices, count), std::slice::from_raw_parts(data, count)) };
    let (x, out) = (Shared(x.cast_mut()), Shared(out));
    let grain = (GRAIN / ((count / lines.max(1) + 1) * columns)).max(1);
    pool::split(lines, grain, &|range| {
        for line in range {
            let part = pointers[line] as usize..pointers[line + 1] as usize;
            let elements = indices[part.clone()].iter().zip(&data[part]);
            if columns == 1 {
                let mut sum = T::default();
                for (&index, &value) in elements {
                    // SAFETY: the caller's promise about indices.
                    sum += value * unsafe { x.get().add(index as usize).read() };
                }
                // SAFETY: each line belongs to one task.
                unsafe { out.get().add(line).write(sum) };
                continue;
            }
            // SAFETY: as above, of the row of the line.
            let row = unsafe { std::slice::from_raw_parts_mut(out.get().add(line * columns), columns) };
            row.fill(T::default());
            for (&index, &value) in elements {
                // SAFETY: the caller's promise about indices.
                let other = unsafe { std::slice::from_raw_parts(x.get().add(index as usize * columns), columns) };
                for (sum, &factor) in row.iter_mut().zip(other) {
                    *sum += value * factor;
                }
            }
        }
    });
}

/// The LU factors of a square matrix.
pub struct Factors(SparseLu);

impl Factors {
    /// Factorises a matrix by its columns, whose indices ascend without duplicates. None if the pattern alone makes it singular.
    ///
    /// # Panics
    ///
    /// If pointers and indices are not those of a square matrix.
    pub fn new(pointers: &[i32], indices: &[i32], values: &[f64]) -> Option<Factors> {
        let unsigned = |numbers: &[i32]| numbers.iter().map(|&number| number as u32).collect::<Vec<u32>>();
        let (pointers, indices) = (unsigned(pointers), unsigned(indices));
        pool::install(|| SparseLu::new(&pointers, &indices, values)).map(Factors)
    }

    /// Solves for columns one after another, in place; of the transposed matrix if it `transposes`.
    pub fn solve(&self, columns: &mut [f64], transposes: bool) {
        pool::install(|| self.0.solve(columns, transposes));
    }
}
