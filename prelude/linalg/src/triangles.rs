//! Factorisations by triangular matrices other than LU: QR and Cholesky's.

use crate::{Factorise, Field, Job, Routine, Shape, Shapes, WorkspaceSize, number};
use faer::dyn_stack::StackReq;
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::householder::{
    apply_block_householder_on_the_left_in_place_scratch, apply_block_householder_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Conj, MatMut, Par};

/// R by reflections, of as many rows as it is given; and Q, if it is asked for.
pub static QR: Routine = Routine::new(&Qr);
/// The lower triangular factor of a symmetric or Hermitian matrix, whose lower triangle is read; a leading minor that is not
/// positive is a fault.
pub static CHOLESKY: Routine = Routine::new(&Cholesky);

struct Qr;
struct Cholesky;

/// Makes what is below the diagonal of a matrix 0.
pub fn keep_upper<T: Field>(mut matrix: MatMut<'_, T>) {
    let columns = matrix.ncols();
    for row in 0..matrix.nrows() {
        (0..row.min(columns)).for_each(|column| matrix[(row, column)] = number(0.0));
    }
}

/// Makes what is above the diagonal of a matrix 0, and the diagonal real.
pub fn keep_lower<T: Field>(mut matrix: MatMut<'_, T>) {
    keep_upper(matrix.rb_mut().transpose_mut());
    without_imaginary_diagonal(matrix);
}

/// Makes the diagonal of a matrix real: that of a Hermitian one is, and LAPACK does not look at its imaginary parts.
pub(crate) fn without_imaginary_diagonal<T: Field>(mut matrix: MatMut<'_, T>) {
    if !T::IS_REAL {
        (0..matrix.nrows().min(matrix.ncols())).for_each(|at| matrix[(at, at)] = matrix[(at, at)].without_imaginary());
    }
}

/// Makes what is above the diagonal of a matrix 0, and the diagonal 1.
pub fn keep_unit_lower<T: Field>(mut matrix: MatMut<'_, T>) {
    keep_lower(matrix.rb_mut());
    matrix.diagonal_mut().fill(number(1.0));
}

/// How many reflections make a block.
fn block_size<T: Field>((rows, columns): Shape) -> usize {
    factor::recommended_block_size::<T>(rows, columns)
}

impl<T: Field> Factorise<T> for Qr {
    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let Shapes { inputs: [(m, n), _], more: [q, _] } = *shapes;
        let (width, columns) = (block_size::<T>((m, n)), q.map_or(0, |(_, columns)| columns));
        let factorise = factor::qr_in_place_scratch::<T>(m, n, width, par, Default::default());
        let reflect = apply_block_householder_on_the_left_in_place_scratch::<T>(m, width, columns);
        WorkspaceSize {
            matrices: [(m, n), (width, m.min(n)), (m, columns)],
            rest: StackReq::any_of(&[factorise, reflect]),
        }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, _], out: mut r, more: [q, _], matrices, par, rest, copy, .. } = job;
        let [mut matrix, mut blocks, mut product] = matrices;
        copy(source, matrix.rb_mut(), par);
        factor::qr_in_place(matrix.rb_mut(), blocks.rb_mut(), par, rest, Default::default());
        copy(matrix.rb().get(..r.nrows(), ..), r.rb_mut(), par);
        keep_upper(r);
        if let Some(q) = q {
            product.fill(number(0.0));
            product.rb_mut().diagonal_mut().fill(number(1.0));
            // The last reflections first: those before them change nothing in the columns that are left out.
            let (width, size) = (blocks.nrows(), blocks.ncols());
            for first in (0..size).step_by(width).rev() {
                let last = size.min(first + width);
                apply_block_householder_on_the_left_in_place_with_conj(
                    matrix.rb().get(first.., first..last),
                    blocks.rb().get(..last - first, first..last),
                    Conj::No,
                    product.rb_mut().get_mut(first.., first..),
                    par,
                    rest,
                );
            }
            copy(product.rb(), q, par);
        }
        None
    }
}

impl<T: Field> Factorise<T> for Cholesky {
    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let (n, _) = shapes.inputs[0];
        let rest = llt::cholesky_in_place_scratch::<T>(n, par, Default::default());
        WorkspaceSize { matrices: [(n, n), (0, 0), (0, 0)], rest }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, _], mut out, matrices: [mut matrix, ..], par, rest, copy, .. } = job;
        copy(source, matrix.rb_mut(), par);
        without_imaginary_diagonal(matrix.rb_mut());
        let done = llt::cholesky_in_place(matrix.rb_mut(), Default::default(), par, rest, Default::default());
        if let Err(llt::LltError::NonPositivePivot { index }) = done {
            return Some(index + 1);
        }
        copy(matrix.rb(), out.rb_mut(), par);
        keep_lower(out);
        None
    }
}
