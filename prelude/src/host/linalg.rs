//! Linear algebra on host arrays: as in [`gpu::linalg`](crate::linalg), but always on the CPU, by its code.

use crate::array::sides::sealed::Host;
use crate::array::transfer::typed_scalar;
use crate::dtype::{Arithmetic, Element, Inexact};
use crate::error::check;
use crate::linalg::equations::{determinant, solve_of};
use crate::linalg::matrices::{from_host, to_host};
use ndarray::{Array, ArrayBase, Data, Dimension, Ix2};

pub use crate::linalg::equations::host::*;
pub use crate::linalg::factors::host::*;
pub use crate::linalg::spectra::host::*;

/// The determinant of a square matrix, of integers in `f64`; see [`gpu::linalg::det`](crate::linalg::det()).
///
/// **Panics** if the matrix is not square.
///
/// ```
/// let determinant: f64 = warpcell::host::linalg::det(&ndarray::array![[1, 2], [3, 4]]);
/// assert!((determinant + 2.0).abs() < 1e-12);
/// ```
#[track_caller]
pub fn det<T: Arithmetic, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> T::Mean {
    let found = from_host("det", &a.host_view()).and_then(|a| determinant("det", &a, T::Mean::DTYPE));
    let [det, ..] = check(found);
    typed_scalar(det)
}

/// The solution x of `a · x = b`, for a square matrix and a vector or matrix `b`; see
/// [`gpu::linalg::solve`](crate::linalg::solve).
///
/// **Panics** if the matrix is singular or not square, or if `b` has another number of rows.
///
/// ```
/// use ndarray::array;
/// let x = warpcell::host::linalg::solve(&array![[2.0, 1.0], [0.0, 4.0]], &array![4.0, 8.0]);
/// assert_eq!(x, array![1.0, 2.0]);
/// ```
#[track_caller]
pub fn solve<T, R, S, D>(a: &ArrayBase<R, Ix2>, b: &ArrayBase<S, D>) -> Array<T, D>
where
    T: Inexact,
    R: Data<Elem = T>,
    S: Data<Elem = T>,
    D: Dimension,
{
    let both = from_host("solve", &a.host_view()).and_then(|a| Ok((a, from_host("solve", &b.host_view())?)));
    check(both.and_then(|(a, b)| to_host(&solve_of(&a, &b, None)?)))
}
