//! Real symmetric matrices made tridiagonal, by reflections, for eigenvalues alone.
//!
//! A column is brought up to date and multiplied by the next reflection while it is in the first-level cache, as `faer` does it, too.
//! But several threads share the columns, see [`crate::steps`]: each finds most of what it needs in its own cache. The size alone decides
//! how the columns are cut, so that results are the same with any number of threads.

use crate::lanes::{LANES, Lane, as_it_is, by_instructions, fused, lanes_of, reflection, total, write_lanes};
use crate::steps::{self, Columns, PARTS, Steps, Together};
use faer::MatMut;
use faer::reborrow::ReborrowMut;
use std::ops::Range;

/// Columns beside those of the matrix that hold vectors.
pub(crate) const VECTORS: usize = 4 + PARTS;
/// Elements of half of the matrix that are worth a part of their own.
const GRAIN: usize = 1 << 13;

/// Makes a symmetric matrix tridiagonal, of which the lower triangle is read: its diagonal, and the elements beside it. What is above
/// the diagonal is lost, too. The matrix is by columns, which begin at multiples of 64 bytes. Its largest element is about 1, and it has
/// more rows than columns, as many as make a multiple of [`LANES`], with numbers that do not matter. `vectors` has as many rows, and
/// [`VECTORS`] columns.
pub(crate) fn tridiagonalise<T: Lane>(
    mut matrix: MatMut<'_, T>,
    mut vectors: MatMut<'_, T>,
    together: Together<'_>,
) -> (Vec<T>, Vec<T>) {
    let (padded, size) = (matrix.nrows(), matrix.ncols());
    assert!(padded % LANES == 0 && padded >= size && size > 0);
    assert!(matrix.row_stride() == 1 && vectors.row_stride() == 1);
    assert!(vectors.nrows() == padded && vectors.ncols() == VECTORS);
    for column in 0..VECTORS {
        vectors.rb_mut().col_mut(column).iter_mut().for_each(|element| *element = T::ZERO);
    }
    for column in 0..size {
        matrix.rb_mut().col_mut(column).subrows_mut(size, padded - size).iter_mut().for_each(|x| *x = T::ZERO);
    }
    let (apart, vectors_apart) = (matrix.col_stride() as usize, vectors.col_stride() as usize);
    let (matrix, vectors) = (matrix.as_ptr_mut(), vectors.as_ptr_mut());
    let state = State {
        memory: Columns { matrix, apart, vectors, vectors_apart },
        padded,
        size,
        inverse: std::cell::Cell::new(T::ZERO),
    };
    let outcome = (Vec::with_capacity(size), Vec::with_capacity(size));
    steps::run(&state, size, outcome, together)
}

/// A matrix that is being reduced, and vectors as long as a column: the reflection, the one before it, what is subtracted with that
/// one, and the products of the columns with the reflection; then the sums of the parts.
struct State<T> {
    memory: Columns<T>,
    padded: usize,
    size: usize,
    /// 1 / τ of the reflection.
    inverse: std::cell::Cell<T>,
}

// SAFETY: in a step each column, its product, and each sum belongs to the thread that took the part, the rest is only read.
unsafe impl<T: Send> Sync for State<T> {}

impl<T: Lane> Steps for State<T> {
    type Outcome = (Vec<T>, Vec<T>);

    fn parts(&self, at: usize) -> usize {
        let rows = self.size - (at + 1).min(self.size);
        1 << (rows * rows / 2 / GRAIN).clamp(1, PARTS).ilog2()
    }

    unsafe fn before(&self, at: usize, outcome: &mut Self::Outcome) -> bool {
        // SAFETY: the caller's promise.
        let (diagonal, beside) = unsafe { self.reflect(at) };
        outcome.0.push(diagonal);
        if at + 1 < self.size {
            outcome.1.push(beside);
        }
        at + 1 < self.size
    }

    unsafe fn part(&self, at: usize, part: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.advance(at, part) };
    }

    unsafe fn after(&self, at: usize, _outcome: &mut Self::Outcome) {
        // SAFETY: the caller's promise.
        unsafe { self.finish(at) };
    }
}

impl<T: Lane> State<T> {
    /// The columns of a part: about as many elements of the triangle as of each other part.
    fn columns_of(&self, at: usize, part: usize) -> Range<usize> {
        let (parts, count) = (self.parts(at) as f64, (self.size - at - 1) as f64);
        let bound = |part: usize| {
            let column = (count * (1.0 - (1.0 - part as f64 / parts).sqrt())) as usize;
            // Columns that are taken together have their diagonals in the same lanes.
            if part == 0 { at + 1 } else { (at + 1 + column).next_multiple_of(4).min(self.size) }
        };
        let end = if part + 1 == self.parts(at) { self.size } else { bound(part + 1) };
        bound(part)..end
    }

    by_instructions! {
        /// Brings a column up to date, and finds the reflection that makes what is below the element beside the diagonal 0: the element on
        /// the diagonal, and the one beside it.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the memory.
        unsafe fn reflect(at: usize) -> (T, T) => reflect_with;
        /// Brings the columns of a part up to date, and multiplies them by the reflection.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the columns of the part, their products and their sum, or writes to the rest.
        unsafe fn advance(at: usize, part: usize) => advance_with;
        /// Finds what is subtracted with the reflection.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the memory.
        unsafe fn finish(at: usize) => finish_with;
    }

    /// # Safety
    ///
    /// As for `reflect`.
    #[inline(always)]
    unsafe fn reflect_with<const FMA: bool, const W: usize>(&self, at: usize) -> (T, T) {
        let ([u, before], w, column) = (self.memory.reflections(at), self.memory.vector(2), self.memory.column(at));
        let first = at / LANES * LANES;
        // SAFETY: the caller's promise; all of these are as long as a column.
        unsafe {
            let (own_u, own_w) = (before.add(at).read(), w.add(at).read());
            let mut squares = [T::ZERO; LANES];
            for start in (first..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let (before, w, mut x) = (lanes_of(before, start), lanes_of(w, start), lanes_of(column, start));
                for lane in 0..LANES {
                    x[lane] = fused::<T, FMA>(w[lane], -own_u, fused::<T, FMA>(before[lane], -own_w, x[lane]));
                }
                write_lanes(column, start, x);
                // The diagonal, and the element beside it, which may be the first one of the next lanes.
                if start <= at + 1 {
                    x[..(at + 2 - start).min(LANES)].fill(T::ZERO);
                }
                write_lanes(u, start, x);
                for lane in 0..LANES {
                    squares[lane] = fused::<T, FMA>(x[lane], x[lane], squares[lane]);
                }
            }
            let diagonal = column.add(at).read();
            if at + 1 == self.size {
                return (diagonal, T::ZERO);
            }
            let (element, tau, factor) = reflection(column.add(at + 1).read(), total(squares));
            for start in (first..self.padded).step_by(LANES) {
                write_lanes(u, start, lanes_of(u, start).map(|x| x * factor));
            }
            u.add(at + 1).write(T::ONE);
            self.inverse.set(T::ONE / tau);
            (diagonal, element)
        }
    }

    /// # Safety
    ///
    /// As for `advance`.
    #[inline(always)]
    unsafe fn advance_with<const FMA: bool, const W: usize>(&self, at: usize, part: usize) {
        let (columns, sum) = (self.columns_of(at, part), self.memory.vector(4 + part));
        // SAFETY: the caller's promise.
        unsafe {
            for start in (at / LANES * LANES..self.padded).step_by(LANES) {
                write_lanes(sum, start, [T::ZERO; LANES]);
            }
            let mut column = columns.start;
            while column < columns.end {
                if column.is_multiple_of(W) && column + W <= columns.end {
                    self.some_columns::<FMA, W>(at, column, sum);
                    column += W;
                } else {
                    self.some_columns::<FMA, 1>(at, column, sum);
                    column += 1;
                }
            }
        }
    }

    /// # Safety
    ///
    /// As for `advance`, of these columns, whose diagonals are in the same lanes.
    #[inline(always)]
    unsafe fn some_columns<const FMA: bool, const W: usize>(&self, at: usize, column: usize, sum: *mut T) {
        let ([u, before], w, products) = (self.memory.reflections(at), self.memory.vector(2), self.memory.vector(3));
        let columns: [*mut T; W] = std::array::from_fn(|index| self.memory.column(column + index));
        let first = column / LANES * LANES;
        // SAFETY: the caller's promise.
        unsafe {
            let of_columns =
                |vector: *mut T| -> [T; W] { std::array::from_fn(|index| vector.add(column + index).read()) };
            let (own_u, own_before, own_w) = (of_columns(u), of_columns(before), of_columns(w));
            let mut lanes = [[T::ZERO; LANES]; W];
            // Where the diagonals are, the triangle ends.
            let (near, old, less) = (lanes_of(u, first), lanes_of(before, first), lanes_of(w, first));
            let mut sums = lanes_of(sum, first);
            for index in 0..W {
                let mut x = lanes_of(columns[index], first);
                for lane in 0..LANES {
                    let value = fused::<T, FMA>(
                        less[lane],
                        -own_before[index],
                        fused::<T, FMA>(old[lane], -own_w[index], x[lane]),
                    );
                    let row = first + lane;
                    x[lane] = if row >= column + index { value } else { T::ZERO };
                    lanes[index][lane] = near[lane] * x[lane];
                    let below = if row > column + index { value } else { T::ZERO };
                    sums[lane] = fused::<T, FMA>(below, own_u[index], sums[lane]);
                }
                write_lanes(columns[index], first, x);
            }
            write_lanes(sum, first, sums);
            for start in (first + LANES..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let (near, old, less) = (lanes_of(u, start), lanes_of(before, start), lanes_of(w, start));
                let mut sums = lanes_of(sum, start);
                for index in 0..W {
                    let mut x = lanes_of(columns[index], start);
                    for lane in 0..LANES {
                        x[lane] = fused::<T, FMA>(
                            less[lane],
                            -own_before[index],
                            fused::<T, FMA>(old[lane], -own_w[index], x[lane]),
                        );
                    }
                    write_lanes(columns[index], start, x);
                    for lane in 0..LANES {
                        lanes[index][lane] = fused::<T, FMA>(near[lane], x[lane], lanes[index][lane]);
                        sums[lane] = fused::<T, FMA>(x[lane], own_u[index], sums[lane]);
                    }
                }
                write_lanes(sum, start, sums);
            }
            for (index, lanes) in lanes.into_iter().enumerate() {
                products.add(column + index).write(total(lanes));
            }
        }
    }

    /// # Safety
    ///
    /// As for `finish`.
    #[inline(always)]
    unsafe fn finish_with<const FMA: bool, const W: usize>(&self, at: usize) {
        let ([u, _], w, products, parts) =
            (self.memory.reflections(at), self.memory.vector(2), self.memory.vector(3), self.parts(at));
        let (first, inverse) = (at / LANES * LANES, self.inverse.get());
        // SAFETY: the caller's promise.
        unsafe {
            let mut lanes = [T::ZERO; LANES];
            for start in (first..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let mut sums = lanes_of(products, start);
                for part in 0..parts {
                    let more = lanes_of(self.memory.vector(4 + part), start);
                    for lane in 0..LANES {
                        sums[lane] = sums[lane] + more[lane];
                    }
                }
                sums = sums.map(|sum| sum * inverse);
                if start <= at {
                    // Their rows are done.
                    sums[..=at - start].fill(T::ZERO);
                }
                write_lanes(w, start, sums);
                let u = lanes_of(u, start);
                for lane in 0..LANES {
                    lanes[lane] = fused::<T, FMA>(u[lane], sums[lane], lanes[lane]);
                }
            }
            let half = total(lanes) * inverse / (T::ONE + T::ONE);
            for start in (first..self.padded).step_by(LANES) {
                let start = as_it_is(start);
                let (u, mut x) = (lanes_of(u, start), lanes_of(w, start));
                for lane in 0..LANES {
                    x[lane] = fused::<T, FMA>(u[lane], -half, x[lane]);
                }
                write_lanes(w, start, x);
            }
        }
    }
}
