//! Matrices made bidiagonal, by reflections from both sides: real ones here, complex ones in `complex`.
//!
//! `faer` goes through what is left of the matrix twice for each row and column: once to bring it up to date and to multiply it by the
//! reflection from the left, once for the one from the right. Here both are done with a column while it is in the first-level cache,
//! since the row that decides about the second reflection is known column by column (Howell and others, "Cache efficient bidiagonalization
//! using BLAS 2.5 operators", 2008). And several threads share the columns: each finds most of what it needs in its own cache.
//!
//! The size alone decides how the columns are cut, so that results are the same with any number of threads.

pub(crate) mod complex;

use crate::lanes::{LANES, Lane, as_it_is, by_instructions, fused, lanes_of, reflection, total, write_lanes};
use crate::steps::{self, Columns, PARTS, Steps, Together};
use faer::MatMut;
use faer::reborrow::ReborrowMut;
use std::ops::Range;

/// Columns beside those of the matrix that hold vectors.
pub(crate) const VECTORS: usize = 3 + PARTS;
/// Elements of the matrix that are worth a part of their own.
const GRAIN: usize = 1 << 14;

/// What is left of a matrix, apart from the reflections that stay in it.
pub(crate) struct Bidiagonal<T> {
    pub diagonal: Vec<T>,
    /// Above the diagonal, one less.
    pub beside: Vec<T>,
    /// The reflections are `1 - u uᵀ / τ`, and infinite τ leave everything as it is: those from the left, and from the right.
    pub left: Vec<T>,
    pub right: Vec<T>,
}

/// Makes a matrix bidiagonal that has at least as many rows as columns, in place: the reflections from the left stay below the
/// diagonal, those from the right in the rows above it, if `keeps_right`; all without their first element, which is 1. The matrix is by
/// columns, which begin at multiples of 64 bytes. Its largest element is about 1, and those of the rows from `rows` on are 0, as many as
/// make a multiple of [`LANES`]. `vectors` has as many rows, and [`VECTORS`] columns.
pub(crate) fn bidiagonalise<T: Lane>(
    matrix: MatMut<'_, T>,
    rows: usize,
    mut vectors: MatMut<'_, T>,
    keeps_right: bool,
    together: Together<'_>,
) -> Bidiagonal<T> {
    let (padded, columns) = (matrix.nrows(), matrix.ncols());
    assert!(padded % LANES == 0 && padded >= rows && rows >= columns && columns > 0);
    assert!(matrix.row_stride() == 1 && vectors.row_stride() == 1);
    assert!(vectors.nrows() == padded && vectors.ncols() == VECTORS);
    for column in 0..VECTORS {
        vectors.rb_mut().col_mut(column).iter_mut().for_each(|element| *element = T::ZERO);
    }
    let mut multiples = vec![[T::ZERO; 2]; columns];
    let (apart, vectors_apart) = (matrix.col_stride() as usize, vectors.col_stride() as usize);
    let start = vectors.as_ptr_mut();
    let state = State {
        memory: Columns { matrix: matrix.as_ptr_mut(), apart, vectors: start, vectors_apart },
        padded,
        rows,
        columns,
        multiples: multiples.as_mut_ptr(),
        inverse: std::cell::Cell::new(T::ZERO),
        keeps_right,
    };
    let outcome = Bidiagonal {
        diagonal: Vec::with_capacity(columns),
        beside: Vec::with_capacity(columns),
        left: Vec::with_capacity(columns),
        right: Vec::with_capacity(columns),
    };
    steps::run(&state, columns, outcome, together)
}

/// A matrix that is being reduced, and what the step from one row and column to the next needs: three vectors as long as a column (the
/// reflection from the left, the one before it, and the product with the reflection from the right), then the sums of the parts; and for
/// each column the product with the reflection from the left, and the reflection from the right.
struct State<T> {
    memory: Columns<T>,
    padded: usize,
    rows: usize,
    columns: usize,
    multiples: *mut [T; 2],
    /// 1 / τ of the reflection from the left.
    inverse: std::cell::Cell<T>,
    keeps_right: bool,
}

// SAFETY: in a step each column and each sum belongs to the thread that took the part, the rest is only read.
unsafe impl<T: Send> Sync for State<T> {}

impl<T: Lane> Steps for State<T> {
    type Outcome = Bidiagonal<T>;

    fn parts(&self, at: usize) -> usize {
        let elements = (self.rows - at.min(self.rows)) * (self.columns - (at + 1).min(self.columns));
        1 << (elements / GRAIN).clamp(1, PARTS).ilog2()
    }

    unsafe fn before(&self, at: usize, outcome: &mut Bidiagonal<T>) -> bool {
        // SAFETY: the caller's promise.
        let (element, tau) = unsafe { self.reflect_left(at) };
        outcome.diagonal.push(element);
        outcome.left.push(tau);
        at + 1 < self.columns
    }

    unsafe fn part(&self, at: usize, part: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.advance(at, part) };
    }

    unsafe fn after(&self, at: usize, outcome: &mut Bidiagonal<T>) {
        // SAFETY: the caller's promise.
        let (element, tau) = unsafe { self.reflect_right(at) };
        outcome.beside.push(element);
        outcome.right.push(tau);
    }
}

impl<T: Lane> State<T> {
    fn columns_of(&self, at: usize, part: usize) -> Range<usize> {
        let (parts, count) = (self.parts(at), self.columns - at - 1);
        at + 1 + count * part / parts..at + 1 + count * (part + 1) / parts
    }

    by_instructions! {
        /// Brings a column up to date, and finds the reflection that makes what is below the diagonal 0: the element on the diagonal, and τ.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the memory.
        unsafe fn reflect_left(at: usize) -> (T, T) => reflect_left_with;
        /// Brings the columns of a part up to date, and multiplies them by the reflections.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the columns of the part and its sum, or writes to the rest.
        unsafe fn advance(at: usize, part: usize) => advance_with;
        /// Finds the reflection that makes what is right of the element beside the diagonal 0: that element, and τ.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the memory.
        unsafe fn reflect_right(at: usize) -> (T, T) => reflect_right_with;
    }

    /// # Safety
    ///
    /// As for `reflect_left`.
    #[inline(always)]
    unsafe fn reflect_left_with<const FMA: bool, const W: usize>(&self, at: usize) -> (T, T) {
        let ([u, before], z, column) = (self.memory.reflections(at), self.memory.vector(2), self.memory.column(at));
        let first = at / LANES * LANES;
        // SAFETY: the caller's promise; all of these are as long as a column.
        unsafe {
            if at > 0 {
                // Its row is done.
                before.add(at - 1).write(T::ZERO);
            }
            let [y, v] = self.multiples.add(at).read();
            let mut squares = [T::ZERO; LANES];
            for start in (first..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let (before, z) = (lanes_of(before, start), lanes_of(z, start));
                let mut x = lanes_of(column, start);
                for lane in 0..LANES {
                    x[lane] = fused::<T, FMA>(z[lane], -v, fused::<T, FMA>(before[lane], -y, x[lane]));
                }
                write_lanes(column, start, x);
                if start == first {
                    x[..=at - first].fill(T::ZERO);
                }
                write_lanes(u, start, x);
                for lane in 0..LANES {
                    squares[lane] = fused::<T, FMA>(x[lane], x[lane], squares[lane]);
                }
            }
            let (element, tau, factor) = reflection(column.add(at).read(), total(squares));
            for start in (first..self.padded).step_by(LANES) {
                write_lanes(u, start, lanes_of(u, start).map(|x| x * factor));
            }
            std::ptr::copy_nonoverlapping(u.add(at + 1), column.add(at + 1), self.rows - at - 1);
            u.add(at).write(T::ONE);
            self.inverse.set(T::ONE / tau);
            (element, tau)
        }
    }

    /// # Safety
    ///
    /// As for `advance`.
    #[inline(always)]
    unsafe fn advance_with<const FMA: bool, const W: usize>(&self, at: usize, part: usize) {
        let (columns, sum) = (self.columns_of(at, part), self.memory.vector(3 + part));
        // SAFETY: the caller's promise.
        unsafe {
            for start in (at / LANES * LANES..self.padded).step_by(LANES) {
                write_lanes(sum, start, [T::ZERO; LANES]);
            }
            let mut column = columns.start;
            while column + W <= columns.end {
                self.some_columns::<FMA, W>(at, column, sum);
                column += W;
            }
            for column in column..columns.end {
                self.some_columns::<FMA, 1>(at, column, sum);
            }
        }
    }

    /// # Safety
    ///
    /// As for `advance`, of these columns.
    #[inline(always)]
    unsafe fn some_columns<const FMA: bool, const W: usize>(&self, at: usize, column: usize, sum: *mut T) {
        let ([u, before], z, first) = (self.memory.reflections(at), self.memory.vector(2), at / LANES * LANES);
        let columns: [*mut T; W] = std::array::from_fn(|index| self.memory.column(column + index));
        // SAFETY: the caller's promise.
        unsafe {
            let multiples: [[T; 2]; W] = std::array::from_fn(|index| self.multiples.add(column + index).read());
            let mut products = [[T::ZERO; LANES]; W];
            for start in (first..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let (u, before, z) = (lanes_of(u, start), lanes_of(before, start), lanes_of(z, start));
                for index in 0..W {
                    let [y, v] = multiples[index];
                    let mut x = lanes_of(columns[index], start);
                    for lane in 0..LANES {
                        x[lane] = fused::<T, FMA>(z[lane], -v, fused::<T, FMA>(before[lane], -y, x[lane]));
                    }
                    write_lanes(columns[index], start, x);
                    for lane in 0..LANES {
                        products[index][lane] = fused::<T, FMA>(u[lane], x[lane], products[index][lane]);
                    }
                }
            }
            let mut factors = [T::ZERO; W];
            for index in 0..W {
                let y = total(products[index]) * self.inverse.get();
                let row = columns[index].add(at).read() - y;
                self.multiples.add(column + index).write([y, row]);
                // The first element of the reflection is known.
                factors[index] = if column + index == at + 1 { T::ZERO } else { row };
            }
            for start in (first..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let mut sums = lanes_of(sum, start);
                for index in 0..W {
                    let x = lanes_of(columns[index], start);
                    for lane in 0..LANES {
                        sums[lane] = fused::<T, FMA>(x[lane], factors[index], sums[lane]);
                    }
                }
                write_lanes(sum, start, sums);
            }
        }
    }

    /// # Safety
    ///
    /// As for `reflect_right`.
    #[inline(always)]
    unsafe fn reflect_right_with<const FMA: bool, const W: usize>(&self, at: usize) -> (T, T) {
        let ([u, _], z, next) = (self.memory.reflections(at), self.memory.vector(2), self.memory.column(at + 1));
        let first = at / LANES * LANES;
        // SAFETY: the caller's promise.
        unsafe {
            let multiples = std::slice::from_raw_parts_mut(self.multiples.add(at + 1), self.columns - at - 1);
            let (head, others) = multiples.split_first_mut().expect("there is a column behind this one");
            let mut lanes = [T::ZERO; LANES];
            for (place, [_, row]) in others.iter().enumerate() {
                let lane = place % LANES;
                lanes[lane] = fused::<T, FMA>(*row, *row, lanes[lane]);
            }
            let (element, tau, factor) = reflection(head[1], total(lanes));
            head[1] = T::ONE;
            let mut lanes = [T::ZERO; LANES];
            for (place, [y, row]) in others.iter_mut().enumerate() {
                *row = *row * factor;
                let lane = place % LANES;
                lanes[lane] = fused::<T, FMA>(*y, *row, lanes[lane]);
            }
            let (product, inverse) = (head[0] + total(lanes), T::ONE / tau);
            if self.keeps_right {
                for (place, [_, row]) in others.iter().enumerate() {
                    self.memory.column(at + 2 + place).add(at).write(*row);
                }
            }
            let parts = self.parts(at);
            for start in (first..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let mut sums = lanes_of(self.memory.vector(3), start);
                for part in 1..parts {
                    let more = lanes_of(self.memory.vector(3 + part), start);
                    for lane in 0..LANES {
                        sums[lane] = sums[lane] + more[lane];
                    }
                }
                let (u, next) = (lanes_of(u, start), lanes_of(next, start));
                for lane in 0..LANES {
                    let column = fused::<T, FMA>(sums[lane], factor, next[lane]);
                    sums[lane] = fused::<T, FMA>(u[lane], -product, column) * inverse;
                }
                if start == first {
                    sums[..=at - first].fill(T::ZERO);
                }
                write_lanes(z, start, sums);
            }
            (element, tau)
        }
    }
}
