//! Linear algebra; NumPy's `linalg`, and what CuPy has of SciPy's.
//!
//! Results of one number are scalars, as those of `sum`: they wait for the device. Of integers they are `f64`.
//!
//! Factorisations are those of `f32`, `f64` and the complex numbers of both. Norms, singular values and the eigenvalues of Hermitian
//! matrices are real. Functions take stacks of matrices: the last two axes are matrices, the axes before them count. On CUDA they
//! are computed by cuSOLVER and cuBLAS, which must be installed, on the CPU by `faer`; [`eig`](eig()) and [`eigvals`](eigvals()) are
//! computed on the CPU for all devices. Orthogonal factors, inverses and solutions have rounding errors in proportion to the type's epsilon, to the
//! size and norm of the matrix, and where it counts to its [condition number](fn@cond); signs
//! of singular vectors and eigenvectors, of complex ones the phases, may differ between devices.

pub(crate) mod constructed;
pub(crate) mod equations;
pub(crate) mod exponential;
pub(crate) mod factors;
pub(crate) mod matrices;
pub(crate) mod norms;
pub(crate) mod spectra;
pub(crate) mod stacks;
pub(crate) mod tensors;
pub(crate) mod triangular;

pub use constructed::*;
pub use equations::*;
pub use exponential::expm;
pub use factors::*;
pub use norms::NormOrder;
pub use spectra::*;
pub use tensors::{tensorinv, tensorsolve};
pub use triangular::*;

#[doc(no_inline)]
pub use crate::array::matrix_transpose;
#[doc(no_inline)]
pub use crate::operations::calculus::cross;
#[doc(no_inline)]
pub use crate::operations::products::{kron, matmul, try_matmul};

// The macros for calls with keywords.
pub use {
    __linalg_cho_factor as cho_factor, __linalg_cholesky as cholesky, __linalg_cond as cond,
    __linalg_convolution_matrix as convolution_matrix, __linalg_dft as dft, __linalg_eigh as eigh,
    __linalg_eigvalsh as eigvalsh, __linalg_hadamard as hadamard, __linalg_hankel as hankel,
    __linalg_helmert as helmert, __linalg_lstsq as lstsq, __linalg_lu_solve as lu_solve,
    __linalg_matrix_rank as matrix_rank, __linalg_norm as norm, __linalg_pinv as pinv, __linalg_qr as qr,
    __linalg_solve_triangular as solve_triangular, __linalg_svd as svd, __linalg_tensorinv as tensorinv,
    __linalg_tensorsolve as tensorsolve, __linalg_toeplitz as toeplitz,
};

use crate::array::{OnDevice, RawArray, transfer};
use crate::backend::ReduceOperation;
use crate::dtype::{Arithmetic, DType, Element, Scalar, Signal};
use crate::error::{Result, check};
use crate::operations::reduce::{as_mean, reduce_all};

/// The Euclidean norm: the square root of the sum of the squares of all elements' absolute values, 0 if there are none. For arrays
/// of any rank; of a matrix it is the Frobenius norm. Of complex numbers it is real.
///
/// The squares are added as the elements of [`sum`](crate::DeviceArray::sum) are, so a norm whose square is too large for its
/// type is infinite.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::linalg::norm(&gpu::array(&[3.0f32, 4.0])), 5.0);
/// assert_eq!(gpu::linalg::norm(&gpu::array(&[[1, 1], [1, 1]])), 2.0);
/// assert_eq!(gpu::linalg::norm(&gpu::array(&[gpu::Complex::new(0.0, 3.0), gpu::Complex::new(4.0, 0.0)])), 5.0);
/// ```
#[track_caller]
pub fn norm<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> Signal<T> {
    transfer::typed_scalar(check(euclidean(a.raw(), T::Mean::DTYPE)))
}

fn euclidean(a: &RawArray, dtype: DType) -> Result<Scalar> {
    let mut floats = as_mean("norm", a, dtype)?;
    if dtype.is_complex() {
        floats = floats.parts();
    }
    let squares = reduce_all("norm", ReduceOperation::SumSquares, &floats)?;
    Ok(Scalar::of_float(squares.float().expect("a sum of squares is a float").sqrt(), dtype.part()))
}
