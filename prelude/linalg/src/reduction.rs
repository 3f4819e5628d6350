//! Matrices made bidiagonal, for singular values and what needs no singular vectors.

use crate::bidiagonal::{self, Bidiagonal, VECTORS, bidiagonalise};
use crate::lanes::LANES;
use crate::rotations;
use crate::singular_values::singular_values;
use crate::steps::Together;
use crate::{Field, Float, Shape, Wide, number};
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
    apply_block_householder_sequence_transpose_on_the_left_in_place_scratch,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj, upgrade_householder_factor,
};
use faer::linalg::qr::no_pivoting::factor;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Conj, MatMut, MatRef, Par};
use std::ops::Range;

/// How many times as many rows as columns a matrix has from which on it is made triangular first.
const TALL: f64 = 1.6;
/// A matrix that becomes bidiagonal, and the memory for that.
pub struct Reduction<'a, T> {
    /// The matrix, with more rows, which are 0 in the columns of the matrix, and the vectors beside which it becomes bidiagonal.
    pub(crate) matrix: MatMut<'a, T>,
    pub(crate) vectors: MatMut<'a, T>,
    pub(crate) rows: usize,
    /// The triangular factors of blocks of reflections: from the left, from the right, and those that make the matrix triangular.
    pub(crate) blocks: [MatMut<'a, T>; 3],
    pub(crate) together: Together<'a>,
    pub(crate) diagonal: Vec<T>,
    pub(crate) beside: Vec<T>,
    /// What all elements were multiplied by.
    factor: f64,
}

/// Multiplies these rows of each column by a power of two, which it gives, so that the largest element is about 1: then squares keep
/// within the range of the type.
pub(crate) fn scale<T: Field>(mut matrix: MatMut<'_, T>, rows: impl Fn(usize) -> Range<usize>) -> f64 {
    const BY_COLUMNS: &str = "the memory is by columns";
    let mut most = [0.0f64; LANES];
    for column in 0..matrix.ncols() {
        let elements = matrix.rb().col(column).try_as_col_major().expect(BY_COLUMNS).as_slice();
        for elements in elements[rows(column)].chunks(LANES) {
            for (most, element) in most.iter_mut().zip(elements) {
                let size = element.wide().largest();
                *most = if size > *most { size } else { *most };
            }
        }
    }
    let most = most.into_iter().fold(0.0, f64::max);
    if most == 0.0 {
        return 1.0;
    }
    let limit = f64::from(T::MOST_EXPONENT);
    let factor = (-most.log2().floor().clamp(-limit, limit)).exp2();
    for column in 0..matrix.ncols() {
        let elements = matrix.rb_mut().col_mut(column).try_as_col_major_mut().expect(BY_COLUMNS).as_slice_mut();
        let by = number::<T>(factor);
        elements[rows(column)].iter_mut().for_each(|element| *element *= by);
    }
    factor
}

/// How many reflections make a block.
fn width<T: Field>((rows, columns): Shape) -> usize {
    factor::recommended_block_size::<T>(rows, columns)
}

/// Whether a matrix is made triangular first.
fn is_tall((rows, columns): Shape) -> bool {
    rows as f64 > TALL * columns as f64
}

/// The matrices that a reduction works with, of a matrix with at least as many rows as columns, and the memory of `faer`; `right` is the
/// number of columns that the reflections are applied to.
pub(crate) fn workspace<T: Field>(shape: Shape, right: usize, par: Par) -> ([Shape; 2], StackReq) {
    let ((rows, columns), width) = (shape, width::<T>(shape));
    let first = factor::qr_in_place_scratch::<T>(rows, columns, width, par, Default::default());
    let left = apply_block_householder_sequence_transpose_on_the_left_in_place_scratch::<T>(rows, width, right);
    let back = apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(columns, width, right);
    let matrices = [(rows.next_multiple_of(LANES), columns + VECTORS), (width, 3 * columns)];
    (matrices, StackReq::any_of(&[first, left, back]))
}

impl<'a, T: Field> Reduction<'a, T> {
    /// Of a copy of the matrix, in the memory that [`workspace`] asks for.
    pub fn of(
        source: MatRef<'_, T>,
        [matrix, blocks]: [MatMut<'a, T>; 2],
        copy: fn(MatRef<'_, T>, MatMut<'_, T>, Par),
        together: Together<'a>,
        par: Par,
    ) -> Reduction<'a, T> {
        let (rows, columns) = source.shape();
        let (mut matrix, vectors) = matrix.split_at_col_mut(columns);
        copy(source, matrix.rb_mut().subrows_mut(0, rows), par);
        let factor = scale(matrix.rb_mut(), |_| 0..rows);
        let padded = matrix.nrows();
        for column in 0..columns {
            matrix.rb_mut().col_mut(column).subrows_mut(rows, padded - rows).fill(number(0.0));
        }
        let (left, blocks) = blocks.split_at_col_mut(columns);
        let (right, triangular) = blocks.split_at_col_mut(columns);
        let right = right.subcols_mut(0, columns - 1);
        let blocks = [left, right, triangular];
        let (diagonal, beside) = (Vec::with_capacity(columns), Vec::with_capacity(columns));
        Reduction { matrix, vectors, rows, blocks, together, diagonal, beside, factor }
    }

    /// Makes the matrix bidiagonal, and applies the reflections from the left to `right`. A tall one is made triangular first.
    pub fn reduce(&mut self, right: Option<MatMut<'_, T>>, par: Par, stack: &mut MemStack) {
        let (rows, columns) = (self.rows, self.matrix.ncols());
        let keeps = right.is_some();
        let mut right = right;
        if is_tall((rows, columns)) {
            let [.., mut blocks] = self.blocks.each_mut().map(|blocks| blocks.rb_mut());
            let mut matrix = self.matrix.rb_mut().subrows_mut(0, rows);
            factor::qr_in_place(matrix.rb_mut(), blocks.rb_mut(), par, stack, Default::default());
            if let Some(right) = &mut right {
                apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
                    matrix.rb(),
                    blocks.rb(),
                    Conj::Yes,
                    right.rb_mut(),
                    par,
                    stack,
                );
            }
            self.rows = columns;
            let padded = self.padded();
            for column in 0..columns {
                self.matrix.rb_mut().col_mut(column).subrows_mut(column + 1, padded - column - 1).fill(number(0.0));
            }
        }
        T::bidiagonalise(self, keeps, par, stack);
        if let Some(right) = right {
            apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
                self.matrix.rb().subrows(0, self.rows),
                self.blocks[0].rb(),
                Conj::Yes,
                right.subrows_mut(0, self.rows),
                par,
                stack,
            );
        }
    }

    /// Takes over what was found, and with `keeps` makes blocks of the reflections.
    fn keep(&mut self, found: Bidiagonal<T>, keeps: bool, par: Par) {
        (self.diagonal, self.beside) = (found.diagonal, found.beside);
        if keeps {
            let (matrix, n) = (self.matrix.rb(), self.matrix.ncols());
            let [left, right, _] = self.blocks.each_mut().map(|blocks| blocks.rb_mut());
            block(matrix.subrows(0, self.rows), &found.left, left, par);
            block(matrix.get(..n - 1, 1..).transpose(), &found.right, right, par);
        }
    }

    /// The rows, and those of zeros behind them.
    fn padded(&self) -> usize {
        self.rows.next_multiple_of(LANES)
    }

    /// Writes the singular values, in a column. Whether the iteration came to an end.
    pub fn singular_values(&self, mut out: MatMut<'_, T>) -> bool {
        let mut values: Vec<f64> = self.diagonal.iter().map(|element| element.wide().length()).collect();
        let beside: Vec<f64> = self.beside.iter().map(|element| element.wide().length()).collect();
        if !singular_values(&mut values, &beside) {
            return false;
        }
        for (row, value) in values.into_iter().enumerate() {
            out[(row, 0)] = number(value / self.factor);
        }
        true
    }

    /// Solves the equations for right sides to which the reflections from the left were applied, in place; singular values beyond
    /// so many count as 0. Whether the iteration for that came to an end.
    pub fn solve(&self, rank: usize, mut right: MatMut<'_, T>, par: Par, stack: &mut MemStack) -> bool {
        let n = self.diagonal.len();
        let factor = number::<T>(self.factor);
        if rank < n {
            if !rotations::solve(&self.diagonal, &self.beside, rank, right.rb_mut()) {
                return false;
            }
            for column in 0..right.ncols() {
                (0..n).for_each(|row| right[(row, column)] *= factor);
            }
        } else {
            self.substitute(right.rb_mut());
        }
        if n > 1 {
            let basis = self.matrix.rb().get(..n - 1, 1..).transpose();
            let right = right.subrows_mut(1, n - 1);
            let blocks = self.blocks[1].rb();
            apply_block_householder_sequence_on_the_left_in_place_with_conj(
                basis,
                blocks,
                Conj::Yes,
                right,
                par,
                stack,
            );
        }
        true
    }

    /// Solves the equations with the bidiagonal matrix, of full rank.
    fn substitute(&self, mut right: MatMut<'_, T>) {
        let n = self.diagonal.len();
        let factor = number::<T>(self.factor);
        for column in 0..right.ncols() {
            let mut below = number::<T>(0.0);
            for row in (0..n).rev() {
                let mut element = right[(row, column)];
                if row + 1 < n {
                    element -= self.beside[row] * below;
                }
                element /= self.diagonal[row];
                below = element;
                right[(row, column)] = element * factor;
            }
        }
    }
}

/// Of a real matrix.
pub(crate) fn real<T: Float>(reduction: &mut Reduction<'_, T>, keeps: bool, par: Par, _stack: &mut MemStack) {
    let (padded, rows) = (reduction.padded(), reduction.rows);
    let matrix = reduction.matrix.rb_mut().subrows_mut(0, padded);
    let vectors = reduction.vectors.rb_mut().subrows_mut(0, padded);
    let found = bidiagonalise(matrix, rows, vectors, keeps, reduction.together);
    reduction.keep(found, keeps, par);
}

/// The triangular factors of blocks of reflections, from their τ.
fn block<T: Field>(basis: MatRef<'_, T>, taus: &[T], mut blocks: MatMut<'_, T>, par: Par) {
    let width = blocks.nrows();
    for first in (0..taus.len()).step_by(width) {
        let size = width.min(taus.len() - first);
        let mut block = blocks.rb_mut().get_mut(..size, first..first + size);
        (0..size).for_each(|at| block[(at, at)] = taus[first + at]);
        upgrade_householder_factor(block, basis.get(first.., first..first + size), size, 1, par);
    }
}

/// Of a complex matrix.
pub(crate) fn complex<T: Field>(reduction: &mut Reduction<'_, T>, keeps: bool, par: Par, _stack: &mut MemStack) {
    let (padded, rows) = (reduction.padded(), reduction.rows);
    let matrix = reduction.matrix.rb_mut().subrows_mut(0, padded);
    let vectors = reduction.vectors.rb_mut().subrows_mut(0, padded);
    let found = bidiagonal::complex::bidiagonalise(matrix, rows, vectors, keeps, reduction.together);
    reduction.keep(found, keeps, par);
}
