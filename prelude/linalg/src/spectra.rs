//! Eigenvalues and singular values, and their vectors. Of complex matrices both kinds of values are complex numbers without
//! imaginary parts.

use crate::lanes::LANES;
use crate::reduction::{Reduction, scale, workspace};
use crate::steps::Together;
use crate::symmetric::{VECTORS, tridiagonalise};
use crate::triangles::without_imaginary_diagonal;
use crate::{Factorise, Field, Float, Job, Routine, Shapes, Wide, WorkspaceSize, number, tridiagonal};
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{self, ComputeEigenvectors, SelfAdjointEvdParams, tridiag};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams};
use faer::reborrow::{IntoConst, Reborrow, ReborrowMut};
use faer::traits::math_utils::conj;
use faer::{Auto, MatMut, MatRef, Par, Spec};

/// The ascending eigenvalues of a symmetric or Hermitian matrix, whose lower triangle is read, in a column; and the eigenvectors in
/// the columns of a matrix, if they are asked for.
pub static EIGH: Routine = Routine::new(&Eigh);
/// The descending singular values, in a column; and U and the transpose of V, of complex matrices its conjugate,
/// if they are asked for.
pub static SVD: Routine = Routine::new(&Svd);

/// The elements of a matrix from which on `faer` reduces it with several threads. They meet after each row: for smaller ones that takes
/// longer than what they spare.
const SHARED: usize = 512 * 512;

struct Eigh;
struct Svd;

impl Eigh {
    fn parameters<T: Field>() -> Spec<SelfAdjointEvdParams, T> {
        let mut parameters = <SelfAdjointEvdParams as Auto<T>>::auto();
        parameters.tridiag.par_threshold = SHARED;
        Spec::new(parameters)
    }

    /// The eigenvalues alone, of what was made tridiagonal, and was multiplied by a factor before.
    fn values<T: Field>(
        mut diagonal: Vec<f64>,
        mut beside: Vec<f64>,
        factor: f64,
        mut values: MatMut<'_, T>,
    ) -> Option<usize> {
        if !tridiagonal::eigenvalues(&mut diagonal, &mut beside) {
            return Some(0);
        }
        for (row, value) in diagonal.into_iter().enumerate() {
            values[(row, 0)] = number(value / factor);
        }
        None
    }

    fn wanted(vectors: bool) -> ComputeEigenvectors {
        if vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
    }
}

/// A real symmetric matrix made tridiagonal, of which the lower triangle is read: the diagonal, what is beside it, and what all elements
/// were multiplied by before.
pub(crate) fn real<T: Float>(
    source: MatRef<'_, T>,
    [matrix, _]: [MatMut<'_, T>; 2],
    together: Together<'_>,
    _par: Par,
    _rest: &mut MemStack,
) -> (Vec<f64>, Vec<f64>, f64) {
    let n = source.ncols();
    let (mut matrix, vectors) = matrix.split_at_col_mut(n);
    matrix.rb_mut().subrows_mut(0, n).copy_from_triangular_lower(source);
    let factor = scale(matrix.rb_mut(), |column| column..n);
    let (diagonal, beside) = tridiagonalise(matrix, vectors, together);
    let widened = |values: Vec<T>| values.into_iter().map(Into::into).collect();
    (widened(diagonal), widened(beside), factor)
}

/// A Hermitian one, by `faer`.
pub(crate) fn complex<T: Field>(
    source: MatRef<'_, T>,
    [mut matrix, reflections]: [MatMut<'_, T>; 2],
    _together: Together<'_>,
    par: Par,
    rest: &mut MemStack,
) -> (Vec<f64>, Vec<f64>, f64) {
    let n = matrix.nrows();
    matrix.copy_from_triangular_lower(source);
    let parameters = Eigh::parameters::<T>().config.tridiag;
    tridiag::tridiag_in_place(matrix.rb_mut(), reflections, par, rest, parameters.into());
    let diagonal = (0..n).map(|row| matrix[(row, row)].re().into()).collect();
    let beside = (1..n).map(|row| matrix[(row, row - 1)].wide().length()).collect();
    (diagonal, beside, 1.0)
}

impl<T: Field> Factorise<T> for Eigh {
    fn work(&self, shapes: &Shapes) -> usize {
        // Several times as many as the others.
        let (n, _) = shapes.inputs[0];
        n.saturating_mul(n).saturating_mul(n).saturating_mul(4)
    }

    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let Shapes { inputs: [(n, _), _], more: [vectors, _] } = *shapes;
        let rest = evd::self_adjoint_evd_scratch::<T>(n, Eigh::wanted(vectors.is_some()), par, Eigh::parameters());
        // `faer` reads the imaginary parts on the diagonal.
        let without = if T::IS_REAL { 0 } else { n };
        let [matrix, reflections] = match vectors {
            Some(_) => [(n, n), (0, 0)],
            None if T::IS_REAL => [(n.next_multiple_of(LANES), n + VECTORS), (0, 0)],
            None => [(n, n), (recommended_block_size::<T>(n, n), n.saturating_sub(1))],
        };
        WorkspaceSize { matrices: [matrix, (n, without), reflections], rest }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, _], out: values, more: [vectors, _], matrices, par, rest, copy, together, .. } = job;
        let [mut matrix, mut without, reflections] = matrices;
        let source = if T::IS_REAL {
            source
        } else {
            copy(source, without.rb_mut(), par);
            without_imaginary_diagonal(without.rb_mut());
            without.into_const()
        };
        let Some(vectors) = vectors else {
            let workspace = [matrix, reflections];
            let (diagonal, beside, factor) = T::tridiagonalise(source, workspace, together, par, rest);
            return Eigh::values(diagonal, beside, factor, values);
        };
        let values = values.col_mut(0).as_diagonal_mut();
        if evd::self_adjoint_evd(source, values, Some(matrix.rb_mut()), par, rest, Eigh::parameters()).is_err() {
            return Some(0);
        }
        copy(matrix.rb(), vectors, par);
        None
    }
}

impl Svd {
    fn parameters<T: Field>() -> Spec<SvdParams, T> {
        let mut parameters = <SvdParams as Auto<T>>::auto();
        parameters.bidiag.par_threshold = SHARED;
        Spec::new(parameters)
    }

    fn wanted(shapes: &Shapes) -> ComputeSvdVectors {
        let (m, n) = shapes.inputs[0];
        match shapes.more {
            [Some((_, left)), Some((right, _))] if left == m && right == n => ComputeSvdVectors::Full,
            [Some(_), _] => ComputeSvdVectors::Thin,
            _ => unreachable!("values alone are found without `faer`"),
        }
    }
}

impl<T: Field> Factorise<T> for Svd {
    fn work(&self, shapes: &Shapes) -> usize {
        let (m, n) = shapes.inputs[0];
        m.saturating_mul(n).saturating_mul(m.min(n)).saturating_mul(8)
    }

    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let Shapes { inputs: [(m, n), _], more: [u, _] } = *shapes;
        if u.is_none() {
            let ([matrix, blocks], rest) = workspace::<T>((m.max(n), m.min(n)), 0, par);
            return WorkspaceSize { matrices: [matrix, blocks, (0, 0)], rest };
        }
        let wanted = Svd::wanted(shapes);
        let rest = svd::svd_scratch::<T>(m, n, wanted, wanted, par, Svd::parameters());
        WorkspaceSize { matrices: [(m, u.map_or(0, |(_, columns)| columns)), (0, 0), (0, 0)], rest }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, _], out: values, more: [u, vh], matrices, par, rest, copy, together, .. } = job;
        let [mut left, blocks, _] = matrices;
        if u.is_none() {
            let source = if source.nrows() < source.ncols() { source.transpose() } else { source };
            let mut reduction = Reduction::of(source, [left, blocks], copy, together, par);
            reduction.reduce(None, par, rest);
            return if reduction.singular_values(values) { None } else { Some(0) };
        }
        let values = values.col_mut(0).as_diagonal_mut();
        // `faer` does not write all of the square matrix of a side that is much longer than the other one.
        left.fill(T::zero_impl());
        let columns = u.is_some().then_some(left.rb_mut());
        // By columns it is the matrix that is asked for by rows.
        let mut right = vh.map(|vh| vh.transpose_mut());
        if let Some(right) = &mut right {
            right.fill(T::zero_impl());
        }
        if svd::svd(source, values, columns, right.rb_mut(), par, rest, Svd::parameters()).is_err() {
            return Some(0);
        }
        if let (Some(right), false) = (right, T::IS_REAL) {
            conjugate(right);
        }
        if let Some(u) = u {
            copy(left.rb(), u, par);
        }
        None
    }
}

/// Negates the imaginary parts.
fn conjugate<T: Field>(mut matrix: MatMut<'_, T>) {
    for column in 0..matrix.ncols() {
        for row in 0..matrix.nrows() {
            matrix[(row, column)] = conj(&matrix[(row, column)]);
        }
    }
}
