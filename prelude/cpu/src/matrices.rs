//! Stacks of matrices: as `faer` sees them, copies of them, and work on each.

use super::memory::Memory;
use super::numeric::{Native, Shared};
use super::pool;
use num_complex::Complex;
use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};
use warpcell_base::backend::View;
use warpcell_base::backend::factorisations::Fault;
use warpcell_base::error::Result;
use warpcell_linalg::Field;
use warpcell_linalg::faer::dyn_stack::{MemStack, StackReq};
use warpcell_linalg::faer::{MatMut, MatRef, Par};

/// Multiplications that are not worth a second thread.
const SMALL: usize = 64 * 64 * 64;
/// Multiplications of one matrix that are not worth the way to the threads of a pool, which takes some tens of microseconds.
const ALONE: usize = 1 << 20;
/// Multiplications from which on one matrix is worth all threads, one after the other.
const LARGE: usize = 256 * 256 * 256;
/// Rows and columns of a tile: those of two fit into the cache nearest to the processor.
const TILE: usize = 32;
/// Bytes between whose multiples a column begins.
const LINE: usize = 64;
/// Columns that are as many bytes apart displace one another from the cache.
const PAGE: usize = 4096;

/// What matrices are made of that are factorised: floats, and complex numbers.
pub(super) trait Entry: Native + Field {}
impl Entry for f32 {}
impl Entry for f64 {}
impl Entry for Complex<f32> {}
impl Entry for Complex<f64> {}

/// A stack of matrices in memory.
#[derive(Clone, Copy)]
pub(super) struct Matrices<T> {
    start: *mut T,
    pub count: usize,
    pub rows: usize,
    pub columns: usize,
    /// How many elements apart matrices, rows and columns are.
    strides: [isize; 3],
}

// SAFETY: whoever reads or writes a matrix promises that nothing else writes to it.
unsafe impl<T: Send> Send for Matrices<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send> Sync for Matrices<T> {}

impl<T> Matrices<T> {
    /// Of a view of three axes whose element of index zero is at `start`.
    pub fn new(start: *mut u8, view: &View<'_>) -> Matrices<T> {
        let (&[count, rows, columns], &[step, down, right]) = (&view.layout.shape[..], &view.layout.strides[..]) else {
            unreachable!("a stack of matrices has three axes")
        };
        Matrices { start: start.cast(), count, rows, columns, strides: [step, down, right] }
    }

    /// # Safety
    ///
    /// The memory is alive and not written to, as long as the matrix is used.
    pub unsafe fn get<'a>(&self, index: usize) -> MatRef<'a, T> {
        let [step, down, right] = self.strides;
        // SAFETY: a matrix of the view; the rest is the caller's promise.
        unsafe {
            MatRef::from_raw_parts(self.start.offset(index as isize * step), self.rows, self.columns, down, right)
        }
    }

    /// # Safety
    ///
    /// The memory is alive and nothing else accesses this matrix, as long as it is used.
    pub unsafe fn get_mut<'a>(&self, index: usize) -> MatMut<'a, T> {
        let [step, down, right] = self.strides;
        // SAFETY: as for `get`.
        unsafe {
            MatMut::from_raw_parts_mut(self.start.offset(index as isize * step), self.rows, self.columns, down, right)
        }
    }
}

/// Calls `one` with the number of each matrix, which takes about `work` multiplications: for small matrices several times at once,
/// for large ones with all threads to use. The first fault, or an error.
pub(super) fn each(
    count: usize,
    work: usize,
    one: &(dyn Fn(usize, Par) -> Result<Option<usize>> + Sync),
) -> Result<Option<Fault>> {
    let outcome: Mutex<Result<Option<Fault>>> = Mutex::new(Ok(None));
    let call = |matrix: usize, par: Par| {
        let result = one(matrix, par);
        if matches!(result, Ok(None)) {
            return;
        }
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Err(error) => *outcome = Err(error),
            Ok(order) => {
                if let (Some(order), Ok(first)) = (order, &mut *outcome)
                    && first.is_none_or(|first| matrix < first.matrix)
                {
                    *first = Some(Fault { matrix, order });
                }
            }
        }
    };
    if count == 1 && work <= ALONE {
        call(0, Par::Seq);
    } else if count > 1 && work <= LARGE {
        pool::split(count, (SMALL / work.max(1)).max(1), &|range| range.for_each(|matrix| call(matrix, Par::Seq)));
    } else {
        let stop = warpcell_base::interrupt::Stop::of_this_thread();
        pool::install(|| {
            for matrix in 0..count {
                if stop.is_asked() {
                    return;
                }
                call(matrix, Par::rayon(0));
            }
        });
    }
    outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Copies a matrix, tile by tile: whichever of both is crossed finds its lines in the cache.
pub(super) fn copy<T: Entry>(source: MatRef<'_, T>, target: MatMut<'_, T>, par: Par) {
    // The target's columns, or else its rows, are those of which neighbours are written one after the other.
    let (source, target) = if target.row_stride().unsigned_abs() <= target.col_stride().unsigned_abs() {
        (source, target)
    } else {
        (source.transpose(), target.transpose_mut())
    };
    let (rows, columns) = (target.nrows(), target.ncols());
    let (down, right) = (source.row_stride(), source.col_stride());
    let [target_down, target_right] = [target.row_stride(), target.col_stride()];
    let (from, to) = (Shared(source.as_ptr().cast_mut()), Shared(target.as_ptr_mut()));
    let strip = |strip: usize| {
        let first = strip * TILE;
        for top in (0..rows).step_by(TILE) {
            for column in first..columns.min(first + TILE) {
                let height = TILE.min(rows - top);
                // SAFETY: the elements of a part of a column of both; each column belongs to one task.
                unsafe {
                    let from = from.get().offset(column as isize * right + top as isize * down);
                    let to = to.get().offset(column as isize * target_right + top as isize * target_down);
                    if down == 1 && target_down == 1 {
                        std::ptr::copy_nonoverlapping(from, to, height);
                        continue;
                    }
                    for row in 0..height as isize {
                        to.offset(row * target_down).write(from.offset(row * down).read());
                    }
                }
            }
        }
    };
    match par {
        Par::Rayon(_) if rows * columns > TILE * TILE * TILE => {
            (0..columns.div_ceil(TILE)).into_par_iter().for_each(strip);
        }
        _ => (0..columns.div_ceil(TILE)).for_each(strip),
    }
}

/// Memory for matrices by columns, and for what `faer` needs beside them; what it holds at first is any numbers.
pub(super) struct Workspace<const N: usize> {
    memory: Memory,
    shapes: [(usize, usize); N],
    leading: [usize; N],
    /// Bytes of the matrices, and of the rest.
    bytes: [usize; 2],
}

impl<const N: usize> Workspace<N> {
    /// Matrices with these numbers of rows and columns.
    pub fn new<T: Entry>(shapes: [(usize, usize); N], rest: StackReq) -> Result<Workspace<N>> {
        let size = size_of::<T>();
        let leading = shapes.map(|(rows, _)| {
            let bytes = (rows * size).next_multiple_of(LINE);
            (if bytes.is_multiple_of(PAGE) { bytes + LINE } else { bytes }) / size
        });
        let matrices = (0..N).map(|index| leading[index] * shapes[index].1 * size).sum();
        let bytes = [matrices, rest.unaligned_bytes_required()];
        Ok(Workspace { memory: Memory::new(bytes[0] + bytes[1])?, shapes, leading, bytes })
    }

    pub fn parts<T: Entry>(&mut self) -> ([MatMut<'_, T>; N], &mut MemStack) {
        let mut start = self.memory.start();
        let matrices = std::array::from_fn(|index| {
            let ((rows, columns), leading) = (self.shapes[index], self.leading[index]);
            // SAFETY: the memory has room for all matrices, one behind the other, and is initialised; `self` is borrowed as
            // long as they live.
            unsafe {
                let matrix = MatMut::from_raw_parts_mut(start.cast::<T>(), rows, columns, 1, leading as isize);
                start = start.add(leading * columns * size_of::<T>());
                matrix
            }
        });
        // SAFETY: what is behind the matrices.
        let rest = unsafe { std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<u8>>(), self.bytes[1]) };
        (matrices, MemStack::new(rest))
    }
}
