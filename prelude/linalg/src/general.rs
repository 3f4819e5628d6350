//! Eigenvalues and eigenvectors of general matrices.
//!
//! `faer` neither balances a matrix nor looks at the size of what it computes. So a matrix is scaled and balanced first, as LAPACK's
//! `geev` does it, the eigenvalues are compared with the traces, and an eigenvector that has left the range of the type is computed
//! again, by inverse iteration.

mod balance;
mod iteration;

use crate::{Factorise, Float, Job, Routine, Shapes, WorkspaceSize, number};
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{self, ComputeEigenvectors, EvdParams};
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::traits::ComplexField;
use faer::traits::math_utils::{eps, min_positive};
use faer::{Auto, MatMut, MatRef, Par, Spec};
use iteration::Hessenberg;
use num_complex::Complex;

/// The eigenvalues of a general matrix, in rows of two: the real and the imaginary part. And the eigenvectors, if they are asked for:
/// as a matrix with twice as many columns, in which the real part of each element is followed by the imaginary one. A complex matrix
/// has this form, too.
pub static EIG: Routine = Routine::of_floats(&Eig);

struct Eig;

impl Eig {
    /// `faer` takes 64 shifts at once and a window of 96 from 590 rows on, as LAPACK does; with 32 and 48 it takes 3 to 15 of 100 less
    /// time up to 1,500 rows.
    fn parameters<T: ComplexField>() -> Spec<EvdParams, T> {
        let mut parameters = <EvdParams as Auto<T>>::auto();
        parameters.schur.recommended_shift_count = shifts;
        parameters.schur.recommended_deflation_window = window;
        Spec::new(parameters)
    }
}

extern "C" fn shifts(rows: usize, _active: usize) -> usize {
    match rows {
        0..30 => 2,
        30..60 => 4,
        60..150 => 12,
        150..1500 => 32,
        1500..3000 => 64,
        3000..6000 => 128,
        _ => 256,
    }
}

extern "C" fn window(rows: usize, active: usize) -> usize {
    match rows {
        0..60 => shifts(rows, active),
        60..150 => 10,
        150..590 => (rows as f64 / (rows as f64).log2()) as usize,
        _ => shifts(rows, active) * 3 / 2,
    }
}

/// Rows and columns of a tile.
const TILE: usize = 32;

/// A number of any of the types.
type Wide = Complex<f64>;

impl<T: Float> Factorise<T> for Eig {
    fn work(&self, shapes: &Shapes) -> usize {
        let (n, columns) = shapes.inputs[0];
        columns.saturating_mul(columns).saturating_mul(n).saturating_mul(16)
    }

    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let Shapes { inputs: [(n, columns), _], more: [vectors, _] } = *shapes;
        let (none, wanted) =
            (ComputeEigenvectors::No, vectors.map_or(ComputeEigenvectors::No, |_| ComputeEigenvectors::Yes));
        let rest = match columns / n {
            1 => evd::evd_scratch::<T>(n, none, wanted, par, Eig::parameters()),
            _ => evd::evd_scratch::<Complex<T>>(n, none, wanted, par, Eig::parameters()),
        };
        WorkspaceSize { matrices: [(columns, n), (2 * n, vectors.map_or(0, |_| n)), (2 * n, 1)], rest }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job {
            inputs: [source, _],
            mut out,
            more: [vectors, _],
            matrices: [matrix, columns, values],
            par,
            rest,
            ..
        } = job;
        let mut a = Elements::of(source, matrix);
        let scale = a.scale();
        let balance = a.balance();
        let traces = a.traces();
        let mut columns = vectors.is_some().then_some(columns);
        let Some(values) = a.decompose(columns.as_mut().map(|columns| columns.rb_mut()), values, par, rest) else {
            return Some(0);
        };
        if !traces.fit(&values, eps::<T>().into()) {
            return Some(0);
        }
        for (row, value) in values.iter().enumerate() {
            out[(row, 0)] = number(value.re / scale);
            out[(row, 1)] = number(value.im / scale);
        }
        let (Some(columns), Some(mut vectors)) = (columns, vectors) else { return None };
        let mut hessenberg = None;
        for (at, &value) in values.iter().enumerate() {
            let mut vector: Vec<Wide> = (0..a.size()).map(|row| element(columns.rb(), row, at)).collect();
            if vector.iter().any(|element| !(element.re.is_finite() && element.im.is_finite())) {
                vector = hessenberg.get_or_insert_with(|| Hessenberg::of(&a)).vector(value, eps::<T>().into());
            }
            balance.undo(&mut vector);
            normalise(&mut vector, a.parts == 1 && value.im == 0.0);
            for (row, element) in vector.into_iter().enumerate() {
                vectors[(row, 2 * at)] = number(element.re);
                vectors[(row, 2 * at + 1)] = number(element.im);
            }
        }
        None
    }
}

/// Calls a function for each row and column of a square matrix, by tiles: so both its rows and its columns are in the cache.
fn by_tiles(n: usize, mut each: impl FnMut(usize, usize)) {
    let tiles = || (0..n).step_by(TILE).map(|start| start..n.min(start + TILE));
    for columns in tiles() {
        for rows in tiles() {
            for column in columns.clone() {
                rows.clone().for_each(|row| each(row, column));
            }
        }
    }
}

/// A square matrix by columns. Its elements have one part, or two in neighbouring rows: the real and the imaginary one.
struct Elements<'a, T: Float> {
    matrix: MatMut<'a, T>,
    parts: usize,
}

impl<'a, T: Float> Elements<'a, T> {
    /// A copy of the matrix of a job.
    fn of(source: MatRef<'_, T>, mut matrix: MatMut<'a, T>) -> Elements<'a, T> {
        let parts = matrix.nrows() / matrix.ncols();
        by_tiles(matrix.ncols(), |row, column| {
            for part in 0..parts {
                matrix[(row * parts + part, column)] = source[(row, column * parts + part)];
            }
        });
        Elements { matrix, parts }
    }

    fn size(&self) -> usize {
        self.matrix.ncols()
    }

    fn get(&self, row: usize, column: usize) -> Wide {
        let part = |part: usize| self.matrix[(row * self.parts + part, column)].into();
        Wide::new(part(0), if self.parts == 1 { 0.0 } else { part(1) })
    }

    fn multiply(&mut self, row: usize, column: usize, factor: f64) {
        for part in row * self.parts..(row + 1) * self.parts {
            let value: f64 = self.matrix[(part, column)].into();
            self.matrix[(part, column)] = number(value * factor);
        }
    }

    /// Exchanges two rows, and the columns of the same numbers.
    fn exchange(&mut self, one: usize, other: usize) {
        if one == other {
            return;
        }
        for column in 0..self.size() {
            for part in 0..self.parts {
                let (above, below) = ((one * self.parts + part, column), (other * self.parts + part, column));
                (self.matrix[above], self.matrix[below]) = (self.matrix[below], self.matrix[above]);
            }
        }
        for row in 0..self.matrix.nrows() {
            (self.matrix[(row, one)], self.matrix[(row, other)]) = (self.matrix[(row, other)], self.matrix[(row, one)]);
        }
    }

    /// Multiplies the matrix by a power of 2, which it gives, if squares of elements may leave the range of the type.
    fn scale(&mut self) -> f64 {
        let (epsilon, least): (f64, f64) = (eps::<T>().into(), min_positive::<T>().into());
        let small = least.sqrt() / epsilon;
        let mut most = 0.0f64;
        for column in 0..self.size() {
            for row in 0..self.matrix.nrows() {
                let value: f64 = self.matrix[(row, column)].into();
                most = most.max(value.abs());
            }
        }
        if most == 0.0 || (small..=1.0 / small).contains(&most) {
            return 1.0;
        }
        let factor = 2f64.powi(-(most.log2().floor().clamp(-1000.0, 1000.0) as i32));
        for column in 0..self.size() {
            for row in 0..self.size() {
                self.multiply(row, column, factor);
            }
        }
        factor
    }

    fn traces(&self) -> Traces {
        let mut traces = Traces { first: Wide::ZERO, second: Wide::ZERO, squares: 0.0 };
        by_tiles(self.size(), |row, column| {
            let element = self.get(row, column);
            if row == column {
                traces.first += element;
            }
            traces.second += element * self.get(column, row);
            traces.squares += element.norm_sqr();
        });
        traces
    }

    /// The eigenvalues; the eigenvectors, if they are asked for, in columns of elements with two parts.
    fn decompose(
        &mut self,
        mut columns: Option<MatMut<'_, T>>,
        mut values: MatMut<'_, T>,
        par: Par,
        rest: &mut MemStack,
    ) -> Option<Vec<Wide>> {
        let n = self.size();
        let is_done = if n == 1 {
            // `faer` has no matrix below the diagonal then.
            if let Some(columns) = &mut columns {
                (columns[(0, 0)], columns[(1, 0)]) = (number(1.0), number(0.0));
            }
            return Some(vec![self.get(0, 0)]);
        } else if self.parts == 1 {
            let (re, im) = values.rb_mut().split_at_row_mut(n);
            let (re, im) = (re.col_mut(0).as_diagonal_mut(), im.col_mut(0).as_diagonal_mut());
            let vectors = columns.as_mut().map(|columns| columns.rb_mut().subrows_mut(0, n));
            evd::evd_real(self.matrix.rb(), re, im, None, vectors, par, rest, Eig::parameters())
        } else {
            let s = complex(values.rb_mut()).col_mut(0).as_diagonal_mut();
            let vectors = columns.as_mut().map(|columns| complex(columns.rb_mut()));
            let matrix = complex(self.matrix.rb_mut());
            evd::evd_cplx(matrix.rb(), s, None, vectors, par, rest, Eig::parameters())
        };
        if is_done.is_err() {
            return None;
        }
        if self.parts == 2 {
            return Some((0..n).map(|row| element(values.rb(), row, 0)).collect());
        }
        let found: Vec<Wide> =
            (0..n).map(|row| Wide::new(values[(row, 0)].into(), values[(n + row, 0)].into())).collect();
        if let Some(columns) = columns {
            widen(columns, &found);
        }
        Some(found)
    }
}

/// A complex number of a matrix whose elements have two parts, in neighbouring rows.
fn element<T: Float>(matrix: MatRef<'_, T>, row: usize, column: usize) -> Wide {
    Wide::new(matrix[(2 * row, column)].into(), matrix[(2 * row + 1, column)].into())
}

/// Complex numbers whose parts are in neighbouring rows.
fn complex<T: Float>(matrix: MatMut<'_, T>) -> MatMut<'_, Complex<T>> {
    let (rows, columns, step) = (matrix.nrows() / 2, matrix.ncols(), matrix.col_stride());
    assert!(matrix.row_stride() == 1 && step % 2 == 0, "parts of a complex number are neighbours, as in each column");
    // SAFETY: a complex number is two neighbouring parts, and these are borrowed as long as the result lives.
    unsafe { MatMut::from_raw_parts_mut(matrix.as_ptr_mut().cast(), rows, columns, 1, step / 2) }
}

/// Makes elements with two parts of the eigenvectors of a real matrix, in place. They are in the first half of the rows: real ones, and
/// for each conjugate pair of eigenvalues a column with the real parts and one with the imaginary parts.
fn widen<T: Float>(mut columns: MatMut<'_, T>, values: &[Wide]) {
    let (n, mut at) = (values.len(), 0);
    while at < n {
        let is_pair = values[at].im != 0.0 && at + 1 < n;
        // From the end, because what is written lies behind what is still to be read.
        for row in (0..n).rev() {
            let re = columns[(row, at)];
            if is_pair {
                let im = columns[(row, at + 1)];
                (columns[(2 * row, at)], columns[(2 * row + 1, at)]) = (re, im);
                let opposite: f64 = im.into();
                (columns[(2 * row, at + 1)], columns[(2 * row + 1, at + 1)]) = (re, number(-opposite));
            } else {
                (columns[(2 * row, at)], columns[(2 * row + 1, at)]) = (re, number(0.0));
            }
        }
        at += if is_pair { 2 } else { 1 };
    }
}

/// Gives a vector the length 1. Its largest element becomes real and positive, unless the vector is that of a real eigenvalue of a real
/// matrix. So LAPACK does it.
fn normalise(vector: &mut [Wide], is_real: bool) {
    let most = largest(vector);
    let (mut squares, mut leading) = (0.0, 0);
    for at in 0..vector.len() {
        vector[at] /= most;
        squares += vector[at].norm_sqr();
        if vector[at].norm_sqr() > vector[leading].norm_sqr() {
            leading = at;
        }
    }
    let turn = if is_real { Wide::ONE } else { vector[leading].conj() / vector[leading].norm() };
    for element in vector.iter_mut() {
        *element = *element * turn / squares.sqrt();
    }
    if !is_real {
        vector[leading].im = 0.0;
    }
}

/// The largest part of all elements, or 1 if all are 0.
fn largest(vector: &[Wide]) -> f64 {
    let most = vector.iter().fold(0.0f64, |most, element| most.max(element.re.abs()).max(element.im.abs()));
    if most == 0.0 { 1.0 } else { most }
}

/// What the eigenvalues of a matrix and their squares add up to, and the sum of the squares of its elements.
struct Traces {
    first: Wide,
    second: Wide,
    squares: f64,
}

impl Traces {
    /// Whether these can be the eigenvalues: `faer` does not say that an iteration came to no end.
    fn fit(&self, values: &[Wide], epsilon: f64) -> bool {
        let n = values.len() as f64;
        let room = 64.0 * epsilon * n * n.sqrt();
        let first: Wide = values.iter().sum();
        let second: Wide = values.iter().map(|value| value * value).sum();
        let is_near = |found: Wide, expected: Wide, scale: f64| (found - expected).norm() <= room * scale;
        is_near(first, self.first, self.squares.sqrt()) && is_near(second, self.second, self.squares)
    }
}
