//! Products and factorisations of matrices by `faer`, compiled for `f32` and `f64`.
//!
//! `faer` is generic: what it has to compile, the crate that calls it compiles. That takes as long as the rest of the prelude, so
//! it has a crate of its own, which is built beside others and not again for the prelude's tests. [`Float`] has the functions that
//! the CPU backend calls, with `faer`'s own types; what they mean, and which memory they need, `faer` says.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::cholesky::llt::factor as cholesky_factor;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::householder::{
    apply_block_householder_on_the_left_in_place_scratch, apply_block_householder_on_the_left_in_place_with_conj,
};
use faer::linalg::lu::partial_pivoting::{factor as lu_factor, inverse as lu_inverse, solve as lu_solve};
use faer::linalg::qr::no_pivoting::factor as qr_factor;
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::perm::PermRef;
use faer::traits::RealField;
use faer::{Accum, Conj, MatMut, MatRef, Par};

pub use faer;

/// An iteration that did not come to its end, as over NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoConvergence;

/// The floats. Functions with `scratch` in their names give the memory that the others need.
pub trait Float: RealField {
    /// Writes a product of matrices to `out`, or adds it.
    fn matmul(out: MatMut<'_, Self>, mode: Accum, a: MatRef<'_, Self>, b: MatRef<'_, Self>, par: Par);

    /// For [`Float::lu`].
    fn lu_scratch(rows: usize, columns: usize) -> StackReq;
    /// Replaces a matrix by its LU factors, and notes the permutation of its rows and the inverse of that. Gives the number of
    /// exchanges.
    fn lu(matrix: MatMut<'_, Self>, order: &mut [usize], back: &mut [usize], par: Par, scratch: &mut MemStack)
    -> usize;

    /// For [`Float::inverse`].
    fn inverse_scratch(size: usize, par: Par) -> StackReq;
    /// The inverse of a matrix by its LU factors.
    fn inverse(
        out: MatMut<'_, Self>,
        factors: MatRef<'_, Self>,
        order: PermRef<'_, usize>,
        par: Par,
        scratch: &mut MemStack,
    );

    /// For [`Float::solve`].
    fn solve_scratch(size: usize, columns: usize, par: Par) -> StackReq;
    /// Replaces right sides by solutions, by a matrix's LU factors.
    fn solve(
        factors: MatRef<'_, Self>,
        order: PermRef<'_, usize>,
        right: MatMut<'_, Self>,
        par: Par,
        scratch: &mut MemStack,
    );

    /// How many reflections make a block.
    fn qr_block_size(rows: usize, columns: usize) -> usize;
    /// For [`Float::qr`].
    fn qr_scratch(rows: usize, columns: usize, block_size: usize, par: Par) -> StackReq;
    /// Replaces a matrix by its QR factors: R, and below it reflections, whose blocks are completed in `blocks`.
    fn qr(matrix: MatMut<'_, Self>, blocks: MatMut<'_, Self>, par: Par, scratch: &mut MemStack);
    /// For [`Float::reflect`].
    fn reflect_scratch(rows: usize, block_size: usize, columns: usize) -> StackReq;
    /// Applies a block of reflections to a matrix from the left.
    fn reflect(
        reflections: MatRef<'_, Self>,
        block: MatRef<'_, Self>,
        matrix: MatMut<'_, Self>,
        par: Par,
        scratch: &mut MemStack,
    );

    /// For [`Float::cholesky`].
    fn cholesky_scratch(size: usize, par: Par) -> StackReq;
    /// Replaces a matrix's lower triangle by its Cholesky factor.
    ///
    /// # Errors
    ///
    /// The index of the first pivot that is not positive.
    fn cholesky(matrix: MatMut<'_, Self>, par: Par, scratch: &mut MemStack) -> Result<(), usize>;

    /// For [`Float::eigh`].
    fn eigh_scratch(size: usize, vectors: ComputeEigenvectors, par: Par) -> StackReq;
    /// The eigenvalues of a symmetric matrix, of which the lower triangle is read, and its eigenvectors if they are asked for.
    ///
    /// # Errors
    ///
    /// [`NoConvergence`].
    fn eigh(
        matrix: MatRef<'_, Self>,
        values: DiagMut<'_, Self>,
        vectors: Option<MatMut<'_, Self>>,
        par: Par,
        scratch: &mut MemStack,
    ) -> Result<(), NoConvergence>;

    /// For [`Float::svd`].
    fn svd_scratch(rows: usize, columns: usize, vectors: ComputeSvdVectors, par: Par) -> StackReq;
    /// The singular values of a matrix, and its singular vectors if they are asked for.
    ///
    /// # Errors
    ///
    /// [`NoConvergence`].
    fn svd(
        matrix: MatRef<'_, Self>,
        values: DiagMut<'_, Self>,
        left: Option<MatMut<'_, Self>>,
        right: Option<MatMut<'_, Self>>,
        par: Par,
        scratch: &mut MemStack,
    ) -> Result<(), NoConvergence>;
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Float for $type {
            fn matmul(out: MatMut<'_, Self>, mode: Accum, a: MatRef<'_, Self>, b: MatRef<'_, Self>, par: Par) {
                faer::linalg::matmul::matmul(out, mode, a, b, 1.0, par);
            }

            fn lu_scratch(rows: usize, columns: usize) -> StackReq {
                lu_factor::lu_in_place_scratch::<usize, Self>(rows, columns, Par::Seq, Default::default())
            }

            fn lu(
                matrix: MatMut<'_, Self>,
                order: &mut [usize],
                back: &mut [usize],
                par: Par,
                scratch: &mut MemStack,
            ) -> usize {
                let (info, _) = lu_factor::lu_in_place(matrix, order, back, par, scratch, Default::default());
                info.transposition_count
            }

            fn inverse_scratch(size: usize, par: Par) -> StackReq {
                lu_inverse::inverse_scratch::<usize, Self>(size, par)
            }

            fn inverse(
                out: MatMut<'_, Self>,
                factors: MatRef<'_, Self>,
                order: PermRef<'_, usize>,
                par: Par,
                scratch: &mut MemStack,
            ) {
                lu_inverse::inverse(out, factors, factors, order, par, scratch);
            }

            fn solve_scratch(size: usize, columns: usize, par: Par) -> StackReq {
                lu_solve::solve_in_place_scratch::<usize, Self>(size, columns, par)
            }

            fn solve(
                factors: MatRef<'_, Self>,
                order: PermRef<'_, usize>,
                right: MatMut<'_, Self>,
                par: Par,
                scratch: &mut MemStack,
            ) {
                lu_solve::solve_in_place(factors, factors, order, right, par, scratch);
            }

            fn qr_block_size(rows: usize, columns: usize) -> usize {
                qr_factor::recommended_block_size::<Self>(rows, columns)
            }

            fn qr_scratch(rows: usize, columns: usize, block_size: usize, par: Par) -> StackReq {
                qr_factor::qr_in_place_scratch::<Self>(rows, columns, block_size, par, Default::default())
            }

            fn qr(matrix: MatMut<'_, Self>, blocks: MatMut<'_, Self>, par: Par, scratch: &mut MemStack) {
                qr_factor::qr_in_place(matrix, blocks, par, scratch, Default::default());
            }

            fn reflect_scratch(rows: usize, block_size: usize, columns: usize) -> StackReq {
                apply_block_householder_on_the_left_in_place_scratch::<Self>(rows, block_size, columns)
            }

            fn reflect(
                reflections: MatRef<'_, Self>,
                block: MatRef<'_, Self>,
                matrix: MatMut<'_, Self>,
                par: Par,
                scratch: &mut MemStack,
            ) {
                apply_block_householder_on_the_left_in_place_with_conj(
                    reflections,
                    block,
                    Conj::No,
                    matrix,
                    par,
                    scratch,
                );
            }

            fn cholesky_scratch(size: usize, par: Par) -> StackReq {
                cholesky_factor::cholesky_in_place_scratch::<Self>(size, par, Default::default())
            }

            fn cholesky(matrix: MatMut<'_, Self>, par: Par, scratch: &mut MemStack) -> Result<(), usize> {
                let done =
                    cholesky_factor::cholesky_in_place(matrix, Default::default(), par, scratch, Default::default());
                match done {
                    Ok(_) => Ok(()),
                    Err(cholesky_factor::LltError::NonPositivePivot { index }) => Err(index),
                }
            }

            fn eigh_scratch(size: usize, vectors: ComputeEigenvectors, par: Par) -> StackReq {
                evd::self_adjoint_evd_scratch::<Self>(size, vectors, par, Default::default())
            }

            fn eigh(
                matrix: MatRef<'_, Self>,
                values: DiagMut<'_, Self>,
                vectors: Option<MatMut<'_, Self>>,
                par: Par,
                scratch: &mut MemStack,
            ) -> Result<(), NoConvergence> {
                evd::self_adjoint_evd(matrix, values, vectors, par, scratch, Default::default())
                    .map_err(|_| NoConvergence)
            }

            fn svd_scratch(rows: usize, columns: usize, vectors: ComputeSvdVectors, par: Par) -> StackReq {
                svd::svd_scratch::<Self>(rows, columns, vectors, vectors, par, Default::default())
            }

            fn svd(
                matrix: MatRef<'_, Self>,
                values: DiagMut<'_, Self>,
                left: Option<MatMut<'_, Self>>,
                right: Option<MatMut<'_, Self>>,
                par: Par,
                scratch: &mut MemStack,
            ) -> Result<(), NoConvergence> {
                svd::svd(matrix, values, left, right, par, scratch, Default::default()).map_err(|_| NoConvergence)
            }
        }
    )*};
}
floats!(f32 f64);
