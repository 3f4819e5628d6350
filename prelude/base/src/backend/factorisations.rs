//! What a backend must do to factorise matrices: the trait [`Factorisations`].
//!
//! Matrices come in stacks: views of three axes, the first of which counts. All are f32 or f64, none is empty. Inputs may have
//! any strides, what is written is contiguous, row-major, a new array that overlaps nothing.

use crate::backend::View;
use crate::error::Result;

/// Which part of a matrix [`Factorisations::triangle`] takes; the rest becomes 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// The diagonal and what is above it.
    Upper,
    /// The diagonal and what is below it.
    Lower,
    /// What is below the diagonal, which becomes 1.
    UnitLower,
}

/// The first matrix of a stack that could not be factorised, and where: the number of the pivot or of the leading minor, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub matrix: usize,
    pub order: usize,
}

/// Where singular vectors go.
#[derive(Clone, Copy)]
pub struct SvdOutputs<'a> {
    /// `[count, rows, rows]` or `[count, rows, k]`, where `k` is the smaller length.
    pub u: View<'a>,
    /// `[count, columns, columns]` or `[count, k, columns]`; both are full or neither is.
    pub vh: View<'a>,
}

/// Factorisations of stacks of matrices. Those that return a fault wait for the device, and leave undefined what they wrote if
/// there is one.
pub trait Factorisations {
    /// Whether matrices can be factorised; if not, what is missing.
    fn can_factorise(&self) -> Result<()>;
    /// Copies a part of each matrix; `out` may have any strides.
    fn triangle(&self, x: View<'_>, part: Triangle, out: View<'_>) -> Result<()>;
    /// Of square matrices, by LU: the determinants, their signs (0 for a determinant of 0) and the logarithms of their absolute
    /// values, in the three rows of `out`, `[3, count]`.
    fn determinants(&self, x: View<'_>, out: View<'_>) -> Result<()>;
    /// The inverses of square matrices; a fault is a pivot of 0.
    fn inverses(&self, x: View<'_>, out: View<'_>) -> Result<Option<Fault>>;
    /// Solves `x[i] · out[i] = b[i]`, where the matrices of `x` are square; a fault is a pivot of 0.
    fn solve(&self, x: View<'_>, b: View<'_>, out: View<'_>) -> Result<Option<Fault>>;
    /// LU with row exchanges: `packed`, which may have any strides, gets L without its diagonal of ones and U. Gives for each row
    /// of L·U, one matrix after the other, which row of the matrix it is; waits.
    fn lu(&self, x: View<'_>, packed: View<'_>) -> Result<Vec<usize>>;
    /// QR by reflections, as LAPACK does it. `q` is `[count, rows, k]`, where `k` is the smaller length, or `[count, rows, rows]`;
    /// `r` is `[count, k, columns]`, or `[count, rows, columns]` if `q` is square.
    fn qr(&self, x: View<'_>, q: Option<View<'_>>, r: View<'_>) -> Result<()>;
    /// The lower triangular factors L, L·Lᵀ = x, of symmetric matrices of which the lower triangle is read; a fault is a leading
    /// minor that is not positive.
    fn cholesky(&self, x: View<'_>, out: View<'_>) -> Result<Option<Fault>>;
    /// The ascending eigenvalues, `[count, n]`, and in the columns of `vectors` the eigenvectors of symmetric matrices of which the
    /// lower triangle is read; all elements are finite. A fault is one that does not converge.
    fn eigh(&self, x: View<'_>, values: View<'_>, vectors: Option<View<'_>>) -> Result<Option<Fault>>;
    /// The descending singular values, `[count, k]`, and the singular vectors; all elements are finite. A fault is one that does
    /// not converge.
    fn svd(&self, x: View<'_>, values: View<'_>, vectors: Option<SvdOutputs<'_>>) -> Result<Option<Fault>>;
}
