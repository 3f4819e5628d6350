//! What a backend must do to factorise matrices: the trait [`Factorisations`], and the table of factorisations.
//!
//! Matrices come in stacks: views of three axes, the first of which counts. All are f32, f64 or the complex numbers of both, none is
//! empty. Inputs may have any strides, what is written is contiguous, row-major, a new array that overlaps nothing, of the same type
//! unless it is said to be real. Where columns are written, as those of eigenvalues, a view without the last axis does.

use crate::backend::{Layout, View};
use crate::error::{Error, Result};
use std::panic::Location;

/// Which part of a matrix [`Factorisations::triangle`] takes; the rest becomes 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// The diagonal and what is above it.
    Upper,
    /// The diagonal, without its imaginary parts, and what is below it.
    Lower,
    /// What is below the diagonal, which becomes 1.
    UnitLower,
}

/// The first matrix of a stack that could not be factorised, and where: the number of the pivot or of the leading minor, from 1; 0 if
/// the matrix has elements that are not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub matrix: usize,
    pub order: usize,
}

/// What is to be said of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultCheck {
    pub what: Factorisation,
    /// The operation that was asked for.
    pub operation: &'static str,
    /// Whether the matrix is one of several, which have numbers.
    pub is_stack: bool,
    /// Where the call is.
    pub location: &'static Location<'static>,
}

/// Where singular vectors go.
#[derive(Clone, Copy)]
pub struct SvdOutputs<'a> {
    /// `[count, rows, rows]` or `[count, rows, k]`, where `k` is the smaller length.
    pub u: View<'a>,
    /// `[count, columns, columns]` or `[count, k, columns]`; both are full or neither is. The transpose, of complex matrices the
    /// conjugate one.
    pub vh: View<'a>,
}

/// Hands the table to a macro: the variants of [`Factorisation`] with what they read and write, the routine of the CPU in
/// `prelude/linalg/`, and the name in profiles.
#[macro_export]
macro_rules! factorisations {
    ($each:ident) => {
        $each! {
            /// Of square matrices, by LU: the determinants, their signs (0 for a determinant of 0, else of the length 1) and the
            /// logarithms of their absolute values, in columns of three.
            Determinants DETERMINANTS "det";
            /// The inverses of square matrices; a fault is a pivot of 0.
            Inverses INVERSES "inv";
            /// The solutions of equations, of square matrices and right sides; a fault is a pivot of 0.
            Solve SOLVE "solve";
            /// By reflections, as LAPACK does it: R, and Q if it is asked for. Q is `[count, rows, k]`, where `k` is the smaller
            /// length, or `[count, rows, rows]`; R is `[count, k, columns]`, or `[count, rows, columns]` if Q is square.
            Qr QR "qr";
            /// The lower triangular factors L, L·Lᴴ = x, of symmetric or Hermitian matrices of which the lower triangle is read,
            /// without imaginary parts on the diagonal; a fault is a leading minor that is not positive.
            Cholesky CHOLESKY "cholesky";
            /// The ascending eigenvalues, `[count, n]`, which are real, and in the columns of a matrix the eigenvectors, if they are
            /// asked for, of symmetric or Hermitian matrices of which the lower triangle is read, without imaginary parts on the
            /// diagonal; all elements are finite. A fault is one that does not converge.
            Eigh EIGH "eigh";
            /// The eigenvalues of general matrices, `[count, n, 2]`, and the eigenvectors, `[count, n, 2 n]`, if they are asked for; all
            /// elements are finite. All are floats: real and imaginary parts are neighbours, and so they are in complex matrices,
            /// `[count, n, 2 n]`, which then are contiguous. A fault is one that does not converge. Only a backend that
            /// [`finds_eigenvalues`](Factorisations::finds_eigenvalues) is asked for it.
            Eig EIG "eig";
            /// The descending singular values, `[count, k]`, which are real, and the singular vectors as [`SvdOutputs`] says, if
            /// they are asked for; all elements are finite. A fault is one that does not converge.
            Svd SVD "svd";
        }
    };
}
pub use factorisations;

macro_rules! variants {
    ($($(#[$doc:meta])* $variant:ident $routine:ident $name:literal;)*) => {
        /// What [`Factorisations::factorise`] does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Factorisation {
            $($(#[$doc])* $variant,)*
        }
    };
}
factorisations!(variants);

impl Factorisation {
    /// The error of a fault in a call of `operation`, for one matrix or for a stack of them.
    pub fn error(self, operation: &'static str, is_stack: bool, Fault { matrix, order }: Fault) -> Error {
        let matrix = is_stack.then_some(matrix);
        match self {
            _ if order == 0 => Error::NotFinite { operation },
            Factorisation::Inverses | Factorisation::Solve => Error::SingularMatrix { operation, matrix, pivot: order },
            Factorisation::Cholesky => Error::NotPositiveDefinite { operation, matrix, minor: order },
            Factorisation::Eigh | Factorisation::Eig | Factorisation::Svd => Error::NoConvergence { operation, matrix },
            Factorisation::Determinants | Factorisation::Qr => unreachable!("these have no faults"),
        }
    }
}

impl FaultCheck {
    /// The error of a fault.
    pub fn error(&self, fault: Fault) -> Error {
        self.what.error(self.operation, self.is_stack, fault)
    }
}

/// Factorisations of stacks of matrices. Those that have faults wait for the device, unless they get a [`FaultCheck`]; they leave
/// undefined what they wrote if there is one.
pub trait Factorisations {
    /// Whether matrices can be factorised; if not, what is missing.
    fn can_factorise(&self) -> Result<()>;
    /// Whether the backend takes general matrices of so many rows for [`Factorisation::Eig`]; the CPU's takes all.
    fn finds_eigenvalues(&self, rows: usize) -> bool;
    /// Whether the backend has [`least_squares`](Factorisations::least_squares).
    fn finds_least_squares(&self) -> bool;
    /// Copies a part of each matrix; `out` may have any strides.
    fn triangle(&self, x: View<'_>, part: Triangle, out: View<'_>) -> Result<()>;
    /// LU with row exchanges: `packed`, which may have any strides, gets L without its diagonal of ones and U. Gives for each row
    /// of L·U, one matrix after the other, which row of the matrix it is; waits.
    fn lu(&self, x: View<'_>, packed: View<'_>) -> Result<Vec<usize>>;
    /// Of matrices with at least as many rows as columns, and right sides: the descending singular values, `[count, columns]`, which
    /// are real; what solves the equations with the least squares, the shortest where singular values up to `fraction` times the
    /// largest one, which count as 0, make the rank less than full; and of matrices with more rows than columns these sums of squares,
    /// `[count, 1, right sides]`, without imaginary parts, and without a meaning unless the rank is full. All elements of the matrices
    /// are finite. A fault is one whose singular values do not converge. Only a backend that
    /// [`finds_least_squares`](Factorisations::finds_least_squares) is asked for it.
    fn least_squares(&self, inputs: [View<'_>; 2], fraction: f64, outputs: &[View<'_>]) -> Result<Option<Fault>>;
    /// Whether faults can be reported later, without waiting: where the host waits next, or [settles](super::Backend::settle) what it has
    /// not heard of. Until then the results, and what is computed from them, count as unknown. Matrices for [`Factorisation::Eigh`] need
    /// not be finite then; those that are not are faults.
    fn reports_later(&self) -> bool {
        false
    }
    /// Every other factorisation: reads and writes what [`Factorisation`] says, in that order. Outputs that are not asked for are
    /// left out. A backend that [`reports_later`](Factorisations::reports_later) may report a fault so, as `later` says, and gives none.
    fn factorise(
        &self,
        what: Factorisation,
        inputs: &[View<'_>],
        outputs: &[View<'_>],
        later: Option<FaultCheck>,
    ) -> Result<Option<Fault>>;

    /// [`Factorisation::Determinants`], in the three rows of `out`, `[3, count]`.
    fn determinants(&self, x: View<'_>, out: View<'_>) -> Result<()> {
        let count = out.layout.shape[1];
        let columns = Layout { shape: vec![count, 3], strides: vec![1, count as isize], offset: out.layout.offset };
        self.factorise(Factorisation::Determinants, &[x], &[View { layout: &columns, ..out }], None).map(drop)
    }

    /// [`Factorisation::Inverses`].
    fn inverses(&self, x: View<'_>, out: View<'_>, later: Option<FaultCheck>) -> Result<Option<Fault>> {
        self.factorise(Factorisation::Inverses, &[x], &[out], later)
    }

    /// [`Factorisation::Solve`].
    fn solve(&self, x: View<'_>, b: View<'_>, out: View<'_>, later: Option<FaultCheck>) -> Result<Option<Fault>> {
        self.factorise(Factorisation::Solve, &[x, b], &[out], later)
    }

    /// [`Factorisation::Qr`].
    fn qr(&self, x: View<'_>, q: Option<View<'_>>, r: View<'_>) -> Result<()> {
        let outputs = [Some(r), q].into_iter().flatten().collect::<Vec<_>>();
        self.factorise(Factorisation::Qr, &[x], &outputs, None).map(drop)
    }

    /// [`Factorisation::Cholesky`].
    fn cholesky(&self, x: View<'_>, out: View<'_>, later: Option<FaultCheck>) -> Result<Option<Fault>> {
        self.factorise(Factorisation::Cholesky, &[x], &[out], later)
    }

    /// [`Factorisation::Eigh`].
    fn eigh(
        &self,
        x: View<'_>,
        values: View<'_>,
        vectors: Option<View<'_>>,
        later: Option<FaultCheck>,
    ) -> Result<Option<Fault>> {
        let outputs = [Some(values), vectors].into_iter().flatten().collect::<Vec<_>>();
        self.factorise(Factorisation::Eigh, &[x], &outputs, later)
    }

    /// [`Factorisation::Eig`].
    fn eig(&self, x: View<'_>, values: View<'_>, vectors: Option<View<'_>>) -> Result<Option<Fault>> {
        let outputs = [Some(values), vectors].into_iter().flatten().collect::<Vec<_>>();
        self.factorise(Factorisation::Eig, &[x], &outputs, None)
    }

    /// [`Factorisation::Svd`].
    fn svd(&self, x: View<'_>, values: View<'_>, vectors: Option<SvdOutputs<'_>>) -> Result<Option<Fault>> {
        match vectors {
            None => self.factorise(Factorisation::Svd, &[x], &[values], None),
            Some(SvdOutputs { u, vh }) => self.factorise(Factorisation::Svd, &[x], &[values, u, vh], None),
        }
    }
}
