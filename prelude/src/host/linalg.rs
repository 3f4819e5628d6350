//! Linear algebra on host arrays: as in [`gpu::linalg`](crate::linalg), but always on the CPU, by its code.

use crate::array::sides::{HostView, sealed::Host};
use crate::array::{RawArray, transfer};
use crate::device;
use crate::dtype::{Element, Float, Number};
use crate::error::{Result, check};
use crate::linalg::{Qr, cholesky_of, determinant, eigh_of, inv_of, lu_of, qr_of, solve_of, svd_of};
use ndarray::{Array, Array1, Array2, ArrayBase, Data, Dimension, Ix2};

/// The QR factorisation `(q, r)` of a matrix; see [`gpu::linalg::qr`](crate::linalg::qr()).
///
/// ```
/// let (q, r) = warpcell::host::linalg::qr(&ndarray::array![[3.0, 1.0], [4.0, 2.0], [0.0, 2.0]]);
/// assert_eq!((q.dim(), r.dim()), ((3, 2), (2, 2)));
/// assert!((r[[0, 0]].abs() - 5.0f64).abs() < 1e-12);
/// ```
#[track_caller]
pub fn qr<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> (Array2<T>, Array2<T>) {
    let (q, r) = check(array("qr", &a.host_view()).and_then(|a| qr_of(&a, Qr::Reduced)));
    (check(host(&q.expect("Q was asked for"))), check(host(&r)))
}

/// The LU factorisation `(p, l, u)` of a matrix; see [`gpu::linalg::lu`](crate::linalg::lu()).
///
/// ```
/// let (p, _, u) = warpcell::host::linalg::lu(&ndarray::array![[0.0, 1.0], [2.0, 3.0]]);
/// assert_eq!((p[[0, 1]], u[[0, 0]]), (1.0, 2.0));
/// ```
#[track_caller]
pub fn lu<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> (Array2<T>, Array2<T>, Array2<T>) {
    let factors = check(array("lu", &a.host_view()).and_then(|a| lu_of(&a)));
    let [p, l, u] = factors.map(|factor| check(host(&factor)));
    (p, l, u)
}

/// The Cholesky factor of a symmetric positive definite matrix; see [`gpu::linalg::cholesky`](crate::linalg::cholesky).
///
/// **Panics** if the matrix is not positive definite or not square.
///
/// ```
/// let l = warpcell::host::linalg::cholesky(&ndarray::array![[4.0, 2.0], [2.0, 5.0]]);
/// assert_eq!(l, ndarray::array![[2.0, 0.0], [1.0, 2.0]]);
/// ```
#[track_caller]
pub fn cholesky<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> Array2<T> {
    check(array("cholesky", &a.host_view()).and_then(|a| host(&cholesky_of(&a)?)))
}

/// The determinant of a square matrix, of integers in `f64`; see [`gpu::linalg::det`](crate::linalg::det()).
///
/// **Panics** if the matrix is not square.
///
/// ```
/// assert!((warpcell::host::linalg::det(&ndarray::array![[1, 2], [3, 4]]) + 2.0).abs() < 1e-12);
/// ```
#[track_caller]
pub fn det<T: Number<Mean: Float>, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> T::Mean {
    let found = array("det", &a.host_view()).and_then(|a| determinant("det", &a, T::Mean::DTYPE));
    T::Mean::from_f64(check(found)[0])
}

/// The inverse of a square matrix; see [`gpu::linalg::inv`](crate::linalg::inv).
///
/// **Panics** if the matrix is singular or not square.
///
/// ```
/// let inverse = warpcell::host::linalg::inv(&ndarray::array![[2.0, 0.0], [0.0, 4.0]]);
/// assert_eq!(inverse, ndarray::array![[0.5, 0.0], [0.0, 0.25]]);
/// ```
#[track_caller]
pub fn inv<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> Array2<T> {
    check(array("inv", &a.host_view()).and_then(|a| host(&inv_of("inv", &a)?)))
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
    T: Float,
    R: Data<Elem = T>,
    S: Data<Elem = T>,
    D: Dimension,
{
    let both = array("solve", &a.host_view()).and_then(|a| Ok((a, array("solve", &b.host_view())?)));
    check(both.and_then(|(a, b)| host(&solve_of(&a, &b)?)))
}

/// The eigenvalues, ascending, and the eigenvectors of a symmetric matrix; see [`gpu::linalg::eigh`](crate::linalg::eigh).
///
/// **Panics** if the matrix is not square, or has elements that are not finite.
///
/// ```
/// let (w, v) = warpcell::host::linalg::eigh(&ndarray::array![[2.0, 1.0], [1.0, 2.0]]);
/// assert!((w[1] - 3.0f64).abs() < 1e-12 && (v[[0, 1]] - v[[1, 1]]).abs() < 1e-12);
/// ```
#[track_caller]
pub fn eigh<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> (Array1<T>, Array2<T>) {
    let (values, vectors) = check(array("eigh", &a.host_view()).and_then(|a| eigh_of("eigh", &a, true)));
    (check(host(&values)), check(host(&vectors.expect("they were asked for"))))
}

/// The eigenvalues of a symmetric matrix, ascending; see [`gpu::linalg::eigvalsh`](crate::linalg::eigvalsh).
///
/// **Panics** as [`eigh`] does.
///
/// ```
/// let w = warpcell::host::linalg::eigvalsh(&ndarray::array![[0.0, 1.0], [1.0, 0.0]]);
/// assert!((w[0] + 1.0f64).abs() < 1e-12);
/// ```
#[track_caller]
pub fn eigvalsh<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> Array1<T> {
    check(array("eigvalsh", &a.host_view()).and_then(|a| host(&eigh_of("eigvalsh", &a, false)?.0)))
}

/// The singular value decomposition `(u, s, vh)` of a matrix, with all singular vectors; see
/// [`gpu::linalg::svd`](crate::linalg::svd()).
///
/// **Panics** if the matrix has elements that are not finite.
///
/// ```
/// let (u, s, vh) = warpcell::host::linalg::svd(&ndarray::array![[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]);
/// assert!((s[0] - 4.0f64).abs() < 1e-12 && u.dim() == (3, 3) && vh.dim() == (2, 2));
/// ```
#[track_caller]
pub fn svd<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> (Array2<T>, Array1<T>, Array2<T>) {
    let (values, vectors) = check(array("svd", &a.host_view()).and_then(|a| svd_of("svd", &a, Some(true))));
    let (u, vh) = vectors.expect("they were asked for");
    (check(host(&u)), check(host(&values)), check(host(&vh)))
}

/// The singular values of a matrix, descending; see [`gpu::linalg::svdvals`](crate::linalg::svdvals).
///
/// **Panics** as [`svd()`] does.
///
/// ```
/// let s = warpcell::host::linalg::svdvals(&ndarray::array![[0.0, 2.0], [-5.0, 0.0]]);
/// assert!((s[0] - 5.0f64).abs() < 1e-12);
/// ```
#[track_caller]
pub fn svdvals<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> Array1<T> {
    check(array("svdvals", &a.host_view()).and_then(|a| host(&svd_of("svdvals", &a, None)?.0)))
}

/// A copy for the CPU backend: factorisations take far longer.
fn array(operation: &'static str, view: &HostView<'_>) -> Result<RawArray> {
    transfer::upload(operation, view, &device::host())
}

/// A result as a host array.
fn host<T: Element, D: Dimension>(raw: &RawArray) -> Result<Array<T, D>> {
    let mut dimension = D::zeros(raw.shape().len());
    dimension.slice_mut().copy_from_slice(raw.shape());
    let elements = transfer::download_vec::<T>(raw)?;
    Ok(Array::from_shape_vec(dimension, elements).expect("as many elements as the shape"))
}
