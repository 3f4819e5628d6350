//! Sparse matrices, by the threads of the backend: products, other orders of their elements, and factors.

pub(super) mod made;
pub(super) mod order;
pub(super) mod transpose;

use super::loops::Float;
use super::numeric::{Native, Shared, by_isa};
use super::pool;
use std::ops::{Add, AddAssign, Mul, Range, Sub};
use warpcell_base::dtype::DType;
use warpcell_linalg::SparseLu;

/// About so many multiplications are worth a thread.
const GRAIN: usize = 1 << 14;

/// The lines of a sparse matrix.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a, T> {
    /// Where each line begins, and last where the last one ends.
    pub pointers: &'a [i32],
    pub indices: &'a [i32],
    pub data: &'a [T],
}

impl<T> Lines<'_, T> {
    /// How many there are.
    fn count(&self) -> usize {
        self.pointers.len() - 1
    }

    /// The elements of a line.
    fn range(&self, line: usize) -> Range<usize> {
        self.pointers[line] as usize..self.pointers[line + 1] as usize
    }

    /// The lines in parts of about as many elements.
    fn parts(&self, count: usize) -> Vec<Range<usize>> {
        let begin = |part: usize| {
            let place = (self.data.len() as u64 * part as u64 / count as u64) as i32;
            if part == count { self.count() } else { self.pointers[..self.count()].partition_point(|&at| at < place) }
        };
        (0..count).map(|part| begin(part)..begin(part + 1)).collect()
    }
}

/// The type of values.
pub(super) trait Entry:
    Float + Native + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + AddAssign
{
}
impl Entry for f32 {}
impl Entry for f64 {}

/// Evaluates an expression for the type of values.
macro_rules! for_entry {
    ($dtype:expr, $T:ident => $body:expr) => {
        if $dtype == warpcell_base::dtype::DType::F32 {
            type $T = f32;
            $body
        } else {
            type $T = f64;
            $body
        }
    };
}
use for_entry;

/// How many parts are worth it where each part has a number for each index.
fn parts_for(elements: usize, length: usize) -> usize {
    let worth = elements / GRAIN.max(length);
    worth.clamp(1, pool::threads())
}

/// Products of the lines of a sparse matrix with the columns of a dense one; see `SparseProduct`.
///
/// # Safety
///
/// `lines` are one pointer more than there are lines, which lead to as many elements of `indices` and `data`, of this dtype, f32 or f64.
/// The indices are those of rows of `x`, with `columns` elements each; `out` has a row for each line. Nothing else accesses `out`.
pub(super) unsafe fn multiply(
    dtype: DType,
    (pointers, count): (*const i32, usize),
    indices: *const i32,
    data: *const u8,
    x: *const u8,
    columns: usize,
    out: *mut u8,
) {
    // SAFETY: the caller's promise; there is a pointer behind the last line.
    unsafe {
        let pointers = std::slice::from_raw_parts(pointers, count + 1);
        let elements = pointers[count] as usize;
        let indices = std::slice::from_raw_parts(indices, elements);
        for_entry!(dtype, T => {
            let data = std::slice::from_raw_parts(data.cast::<T>(), elements);
            lines_times(&Lines { pointers, indices, data }, x.cast(), columns, out.cast());
        });
    }
}

/// # Safety
///
/// As for [`multiply`].
unsafe fn lines_times<T: Entry>(lines: &Lines<'_, T>, x: *const T, columns: usize, out: *mut T) {
    let (x, out) = (Shared(x.cast_mut()), Shared(out));
    let count = lines.count();
    let grain = (GRAIN / ((lines.data.len() / count.max(1) + 1) * columns)).max(1);
    pool::split(count, grain, &|range| {
        for line in range {
            let part = lines.range(line);
            let (indices, data) = (&lines.indices[part.clone()], &lines.data[part]);
            if columns == 1 {
                let mut sum = T::default();
                for (&index, &value) in indices.iter().zip(data) {
                    // SAFETY: the caller's promise about indices.
                    sum += value * unsafe { x.get().add(index as usize).read() };
                }
                // SAFETY: each line belongs to one task.
                unsafe { out.get().add(line).write(sum) };
            } else {
                // SAFETY: as above, of the row of the line.
                unsafe { line_times(indices, data, x.get(), columns, out.get().add(line * columns)) };
            }
        }
    });
}

by_isa! {
    /// The product of a line with some columns.
    ///
    /// # Safety
    ///
    /// The indices are those of rows of `x`, with `columns` elements each, as `out` has.
    unsafe fn line_times<T: Entry>(indices: &[i32], data: &[T], x: *const T, columns: usize, out: *mut T) {
        let mut column = 0;
        // SAFETY: the caller's promise.
        unsafe {
            while column + 32 <= columns {
                block_times::<T, 32>(indices, data, x.add(column), columns, out.add(column));
                column += 32;
            }
            while column + 8 <= columns {
                block_times::<T, 8>(indices, data, x.add(column), columns, out.add(column));
                column += 8;
            }
            while column < columns {
                block_times::<T, 1>(indices, data, x.add(column), columns, out.add(column));
                column += 1;
            }
        }
    }
}

/// The product of a line with so many columns, whose sums are kept in registers.
///
/// # Safety
///
/// As for [`line_times`], from the first of the columns on.
#[inline(always)]
unsafe fn block_times<T: Entry, const COUNT: usize>(
    indices: &[i32],
    data: &[T],
    x: *const T,
    columns: usize,
    out: *mut T,
) {
    let mut sums = [T::default(); COUNT];
    for (&index, &value) in indices.iter().zip(data) {
        // SAFETY: the caller's promise.
        let row = unsafe { x.add(index as usize * columns).cast::<[T; COUNT]>().read_unaligned() };
        for (sum, factor) in sums.iter_mut().zip(row) {
            *sum += value * factor;
        }
    }
    // SAFETY: the caller's promise.
    unsafe { out.cast::<[T; COUNT]>().write_unaligned(sums) };
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
