//! Eigenvalues and singular values, and what they tell of a matrix.

use super::matrices::matrices;
use super::stacks::{Stack, epsilon, fill_identity, numbers};
use crate::array::sides::AnyView;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::Layout;
use crate::backend::factorisations::{Factorisation, SvdOutputs};
use crate::device;
use crate::dtype::{Arithmetic, DType, Element, Inexact, Scalar, Signal};
use crate::error::{Error, Result, check};
use crate::operations::fourier::complex;
use crate::operations::indexing::Call;
use crate::operations::reduce::as_mean;

matrices! {
    /// The eigenvalues and eigenvectors `(w, v)` of a symmetric or Hermitian matrix: `w` real and ascending, the
    /// eigenvector of `w[i]` in column `i` of `v`, orthogonal to the others and of length 1. NumPy's `linalg.eigh`; only
    /// the matrix's lower triangle is read, and on its diagonal only the real parts.
    ///
    /// The last two axes are matrices, those before them count matrices. Eigenvectors have no certain sign, complex ones
    /// no certain phase, and those of equal eigenvalues no certain direction: these may differ between devices.
    ///
    /// Does not wait for a GPU: it reports elements that are not finite, and a matrix for which it does not converge, where the host
    /// waits next, at the end of the cell at the latest ([`Error::FoundLater`]).
    ///
    /// **Panics** if a matrix is not square ([`Error::InvalidShape`]), if an element is NaN or infinite
    /// ([`Error::NotFinite`]), if the iteration does not converge ([`Error::NoConvergence`]), or on a CUDA device
    /// without cuSOLVER ([`Error::LibraryMissing`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (w, v) = gpu::linalg::eigh(&gpu::array(&[[2.0, 1.0], [1.0, 2.0]]));
    /// assert!(gpu::allclose(&w, &[1.0, 3.0]));
    /// assert!(gpu::allclose(&(&v * &w), &gpu::matmul(&gpu::array(&[[2.0, 1.0], [1.0, 2.0]]), &v)));
    /// let (one, i) = (gpu::Complex::new(1.0, 0.0), gpu::Complex::new(0.0, 1.0));
    /// let (w, _) = gpu::linalg::eigh(&gpu::array(&[[2.0 * one, -i], [i, 2.0 * one]]));
    /// assert!(gpu::allclose(&w, &[1.0, 3.0]));
    /// ```
    pub fn eigh<T: Inexact>(a: Matrix<T>; call) -> (w: RealVector<T>, v: Matrix<T>) {
        eigh_of("eigh", a, true, call).map(|(w, v)| [w, v.expect("they were asked for")])
    }

    /// The eigenvalues of a symmetric or Hermitian matrix, real and ascending. NumPy's `linalg.eigvalsh`; see [`eigh`].
    ///
    /// **Panics** as [`eigh`] does.
    ///
    /// ```
    /// let w = warpcell::linalg::eigvalsh(&warpcell::array(&[[0.0, 1.0], [1.0, 0.0]]));
    /// assert!(warpcell::allclose(&w, &[-1.0, 1.0]));
    /// ```
    pub fn eigvalsh<T: Inexact>(a: Matrix<T>; call) -> (w: RealVector<T>) {
        eigh_of("eigvalsh", a, false, call).map(|(w, _)| [w])
    }

    /// The eigenvalues and eigenvectors `(w, v)` of any square matrix, real or complex: `a · v` is `v · diag(w)`, so the
    /// eigenvector of `w[i]` is in column `i` of `v`. Both are complex. NumPy's `linalg.eig`, which gives real arrays
    /// where all imaginary parts are 0. For symmetric matrices [`eigh`] is faster and more exact, and its eigenvectors
    /// are orthogonal. Waits for the device.
    ///
    /// The last two axes are matrices, those before them count matrices. Those of a GPU are factorised there by cuSOLVER 11.7.1
    /// or later, if they have 256 rows or more, else on the host, by `faer`; the results are on the array's device. As in LAPACK,
    /// eigenvectors have the length 1, and the largest element of a complex one is real; the host balances matrices first.
    /// Eigenvalues of a real
    /// matrix are real or in conjugate pairs; they have no certain order. A defective matrix has fewer eigenvectors than
    /// rows: some columns are then the same up to rounding errors, and equal eigenvalues have larger errors.
    ///
    /// **Panics** if a matrix is not square ([`Error::InvalidShape`]), if an element is NaN or infinite
    /// ([`Error::NotFinite`]), or if the iteration does not converge ([`Error::NoConvergence`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[2.0, 0.0], [1.0, 3.0]]);
    /// let (w, v) = gpu::linalg::eig(&a);
    /// assert!(gpu::allclose(&gpu::sort(&w.real()), &[2.0, 3.0]));
    /// // Both are real here: `a · v` is `v · diag(w)`.
    /// assert!((gpu::matmul(&a, &v.real()) - (&v * &w).real()).abs().max() < 1e-12);
    /// ```
    pub fn eig, try_eig<T: Inexact>(a: Matrix<T>) -> (w: ComplexVector<T>, v: ComplexMatrix<T>) {
        eig_of("eig", a, true).map(|(w, v)| [w, v.expect("they were asked for")])
    }

    /// The eigenvalues of any square matrix, real or complex, as complex numbers without a certain order. NumPy's
    /// `linalg.eigvals`; see [`eig`].
    ///
    /// **Panics** as [`eig`] does.
    ///
    /// ```
    /// // A quarter of a turn.
    /// let w = warpcell::linalg::eigvals(&warpcell::array(&[[0.0, -1.0], [1.0, 0.0]]));
    /// assert!(warpcell::allclose(&warpcell::sort(&w.imag()), &[-1.0, 1.0]));
    /// ```
    pub fn eigvals, try_eigvals<T: Inexact>(a: Matrix<T>) -> (w: ComplexVector<T>) {
        eig_of("eigvals", a, false).map(|(w, _)| [w])
    }

    /// The singular value decomposition `(u, s, vh)`: `u · diag(s) · vh` is the matrix, `u` and `vh` are orthogonal or
    /// unitary, `s` is real, descending and not negative. NumPy's `linalg.svd`: of an (m, n) matrix with k, the smaller length, the
    /// shapes are (m, m), (k) and (n, n). For (m, k), (k) and (k, n) there is [`svd_with`]. Waits for the device.
    ///
    /// The last two axes are matrices, those before them count matrices. Singular vectors have no certain sign or
    /// phase, as those of [`eigh`].
    ///
    /// **Panics** if the array has less than two axes ([`Error::InvalidShape`]), if an element is NaN or infinite
    /// ([`Error::NotFinite`]), if the iteration does not converge ([`Error::NoConvergence`]), or on a CUDA device
    /// without cuSOLVER ([`Error::LibraryMissing`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (u, s, vh) = gpu::linalg::svd(&gpu::array(&[[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]));
    /// assert_eq!((u.shape(), vh.shape()), (&[3, 3][..], &[2, 2][..]));
    /// assert!(gpu::allclose(&s, &[4.0, 3.0]));
    /// let (_, s, _) = gpu::linalg::svd(&gpu::array(&[[gpu::Complex::new(3.0, 4.0)]]));
    /// assert!(gpu::allclose(&s, &[5.0]));
    /// ```
    pub fn svd<T: Inexact>(a: Matrix<T>) -> (u: Matrix<T>, s: RealVector<T>, vh: Matrix<T>) {
        svd_with(a, true)
    }

    /// As [`svd`]; without `full_matrices` there are only as many singular vectors as singular values.
    ///
    /// ```
    /// let (u, s, vh) = warpcell::linalg::svd_with(&warpcell::ones::<f32>((5, 3)), false);
    /// assert_eq!((u.shape(), s.shape(), vh.shape()), (&[5, 3][..], &[3][..], &[3, 3][..]));
    /// ```
    pub fn svd_with<T: Inexact>(a: Matrix<T>, full_matrices: bool) -> (u: Matrix<T>, s: RealVector<T>, vh: Matrix<T>) {
        let (s, vectors) = svd_of("svd", a, Some(full_matrices))?;
        let (u, vh) = vectors.expect("they were asked for");
        Ok([u, s, vh])
    }

    /// The singular values of a matrix, descending. NumPy's `linalg.svdvals`; see [`svd`].
    ///
    /// **Panics** as [`svd`] does.
    ///
    /// ```
    /// let s = warpcell::linalg::svdvals(&warpcell::array(&[[0.0, 2.0], [-5.0, 0.0]]));
    /// assert!(warpcell::allclose(&s, &[5.0, 2.0]));
    /// ```
    pub fn svdvals<T: Inexact>(a: Matrix<T>) -> (s: RealVector<T>) {
        svd_of("svdvals", a, None).map(|(s, _)| [s])
    }
}

/// The rank of a matrix: how many singular values are more than the largest one times the type's epsilon and the larger length. NumPy's
/// `linalg.matrix_rank`; 0 of a matrix without elements. Of integers it is computed in `f64`. For stacks of matrices there is
/// [`matrix_rank_each`].
///
/// **Panics** if the array is not a matrix ([`Error::InvalidShape`]), and as [`svd`] does.
///
/// ```
/// assert_eq!(warpcell::linalg::matrix_rank(&warpcell::array(&[[1, 2], [2, 4], [0, 0]])), 1);
/// ```
#[track_caller]
pub fn matrix_rank<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> usize {
    check(Stack::single("matrix_rank", a.raw(), "matrix_rank_each").and_then(|_| ranks(a.raw(), None, T::Mean::DTYPE)))
        [0]
}

/// The ranks of the matrices in the last two axes; see [`matrix_rank`].
///
/// **Panics** as [`svd`] does.
///
/// ```
/// let ranks = warpcell::linalg::matrix_rank_each(&warpcell::ones::<f64>((4, 3, 3)));
/// assert_eq!(ranks.to_host(), ndarray::array![1i64, 1, 1, 1].into_dyn());
/// ```
#[track_caller]
pub fn matrix_rank_each<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<i64> {
    DeviceArray::from_raw(check(ranks_of_each(a.raw(), T::Mean::DTYPE)))
}

/// The condition number of a matrix: its largest singular value divided by its smallest, infinite for a singular one. NumPy's
/// `linalg.cond` with its default norm. The relative error of a solution is up to this times that of the input. Of integers it is
/// computed in `f64`. For stacks of matrices there is [`cond_each`].
///
/// **Panics** if the array is not a matrix with elements ([`Error::InvalidShape`]), and as [`svd`] does.
///
/// ```
/// let condition: f64 = warpcell::linalg::cond(&warpcell::array(&[[100.0, 0.0], [0.0, 1.0]]));
/// assert!((condition - 100.0).abs() < 1e-9);
/// ```
#[track_caller]
pub fn cond<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> Signal<T> {
    let found =
        Stack::single("cond", a.raw(), "cond_each").and_then(|_| conditions("cond", a.raw(), T::Mean::DTYPE, false));
    transfer::typed_scalar(Scalar::of_float(check(found)[0], Signal::<T>::DTYPE))
}

/// The condition numbers of the matrices in the last two axes; see [`cond`].
///
/// **Panics** as [`cond`] does, but any number of axes from two on may be given.
///
/// ```
/// assert_eq!(warpcell::linalg::cond_each(&warpcell::ones::<f32>((3, 1, 1))).sum(), 3.0);
/// ```
#[track_caller]
pub fn cond_each<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<Signal<T>> {
    DeviceArray::from_raw(check(conditions_of_each(a.raw(), T::Mean::DTYPE)))
}

/// The eigenvalues and, if they are asked for, the eigenvectors of symmetric matrices. With the place of the call, faults are reported
/// later, if the device can.
pub(crate) fn eigh_of(
    operation: &'static str,
    a: &RawArray,
    with_vectors: bool,
    call: Call,
) -> Result<(RawArray, Option<RawArray>)> {
    let stack = Stack::square(operation, a)?;
    let n = stack.rows();
    let values = stack.real_output(operation, &[n])?;
    let vectors = if with_vectors { Some(stack.output(operation, &[n, n])?) } else { None };
    if !stack.is_empty() {
        let vectors = vectors.as_ref().map(RawArray::view);
        stack.factorise(Factorisation::Eigh, operation, call, |backend, later| {
            backend.eigh(stack.raw.view(), values.view(), vectors, later)
        })?;
    }
    Ok((stack.unstacked(&values), vectors.map(|vectors| stack.unstacked(&vectors))))
}

/// The eigenvalues and, if they are asked for, the eigenvectors of general matrices: computed on the host, unless the array's device
/// takes them.
pub(crate) fn eig_of(
    operation: &'static str,
    a: &RawArray,
    with_vectors: bool,
) -> Result<(RawArray, Option<RawArray>)> {
    let stack = Stack::square(operation, a)?;
    let stays = a.handle.backend.factorisations().finds_eigenvalues(stack.rows());
    let place = if stays { a.handle.clone() } else { device::host() };
    let raw = transfer::bring(operation, &AnyView::Device(&stack.raw), &place)?.contiguous(operation)?;
    let stack = Stack { raw, ..stack };
    let (count, n) = (stack.count(), stack.rows());
    let handle = &stack.raw.handle;
    let new = |shape: &[usize]| RawArray::uninitialised(operation, handle, shape, complex(stack.raw.dtype.part()));
    let values = new(&[count, n])?;
    let vectors = if with_vectors { Some(new(&[count, n, n])?) } else { None };
    if !stack.is_empty() {
        stack.finite(operation)?;
        let x = if stack.raw.dtype.is_complex() { beside(&stack.raw) } else { stack.raw.clone() };
        let (pairs, columns) = (values.parts(), vectors.as_ref().map(beside));
        let fault =
            handle.backend.factorisations().eig(x.view(), pairs.view(), columns.as_ref().map(RawArray::view))?;
        stack.sound(Factorisation::Eig, operation, fault)?;
    }
    let back = |output: &RawArray| transfer::bring(operation, &AnyView::Device(&stack.unstacked(output)), &a.handle);
    Ok((back(&values)?, vectors.as_ref().map(back).transpose()?))
}

/// Contiguous complex matrices as real ones with twice as many columns, in which real and imaginary parts are neighbours; a view.
fn beside(complex: &RawArray) -> RawArray {
    let &[count, rows, columns] = complex.shape() else { unreachable!("a stack of matrices has three axes") };
    let parts = complex.parts();
    parts.with_layout(Layout { offset: parts.layout.offset, ..Layout::contiguous(&[count, rows, 2 * columns]) })
}

/// The singular values and, if it is said whether all of them, the singular vectors.
pub(crate) fn svd_of(
    operation: &'static str,
    a: &RawArray,
    full_matrices: Option<bool>,
) -> Result<(RawArray, Option<(RawArray, RawArray)>)> {
    let stack = Stack::new(operation, a)?;
    let (m, n) = (stack.rows(), stack.columns());
    let size = m.min(n);
    let values = stack.real_output(operation, &[size])?;
    let vectors = match full_matrices {
        None => None,
        Some(true) => Some((stack.output(operation, &[m, m])?, stack.output(operation, &[n, n])?)),
        Some(false) => Some((stack.output(operation, &[m, size])?, stack.output(operation, &[size, n])?)),
    };
    if !stack.is_empty() {
        stack.finite(operation)?;
        let outputs = vectors.as_ref().map(|(u, vh)| SvdOutputs { u: u.view(), vh: vh.view() });
        let fault = stack.backend()?.svd(stack.raw.view(), values.view(), outputs)?;
        stack.sound(Factorisation::Svd, operation, fault)?;
    } else if let Some((u, vh)) = &vectors {
        fill_identity(u)?;
        fill_identity(vh)?;
    }
    let vectors = vectors.map(|(u, vh)| (stack.unstacked(&u), stack.unstacked(&vh)));
    Ok((stack.unstacked(&values), vectors))
}

/// The number of matrices, and the singular values of each, which are as many as the smaller length.
fn spectra(operation: &'static str, a: &RawArray, dtype: DType) -> Result<(usize, usize, Vec<f64>)> {
    let (values, _) = svd_of(operation, &as_mean(operation, a, dtype)?, None)?;
    let (leading, size) = values.shape().split_at(values.shape().len() - 1);
    Ok((leading.iter().product(), size[0], numbers(&values)?))
}

/// The axes that count matrices.
fn leading(matrices: &RawArray) -> &[usize] {
    &matrices.shape()[..matrices.shape().len() - 2]
}

fn ranks_of_each(a: &RawArray, dtype: DType) -> Result<RawArray> {
    let ranks: Vec<i64> = ranks(a, None, dtype)?.into_iter().map(|rank| rank as i64).collect();
    RawArray::of_indices("matrix_rank_each", &a.handle, leading(a), &ranks)
}

fn conditions_of_each(a: &RawArray, dtype: DType) -> Result<RawArray> {
    let found = conditions("cond_each", a, dtype, false)?;
    RawArray::of_floats("cond_each", &a.handle, leading(a), found.into_iter(), dtype.part())
}

/// The ranks: how many singular values are more than a bound, or than the usual one.
pub(crate) fn ranks(a: &RawArray, bound: Option<Bound>, dtype: DType) -> Result<Vec<usize>> {
    let (count, size, values) = spectra("matrix_rank", a, dtype)?;
    if size == 0 {
        return Ok(vec![0; count]);
    }
    let length = a.shape()[a.shape().len() - 2..].iter().copied().max().unwrap_or(0);
    let bound = bound.unwrap_or(Bound::Share(epsilon(dtype) * length as f64));
    let bound = |largest: f64| match bound {
        Bound::Value(value) => value,
        Bound::Share(share) => largest * share,
    };
    Ok(values.chunks(size).map(|values| values.iter().filter(|&&value| value > bound(values[0])).count()).collect())
}

/// Singular values up to this count as 0.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    Value(f64),
    /// Of the largest one.
    Share(f64),
}

/// The largest singular value of each matrix, divided by the smallest one; or the smallest by the largest: NumPy's `p` of 2 and -2.
pub(crate) fn conditions(operation: &'static str, a: &RawArray, dtype: DType, by_largest: bool) -> Result<Vec<f64>> {
    let (count, size, values) = spectra(operation, a, dtype)?;
    if size == 0 && count > 0 {
        return Err(no_condition(operation, a));
    }
    let condition = |values: &[f64]| {
        let (largest, smallest) = (values[0], values[size - 1]);
        let (above, below) = if by_largest { (smallest, largest) } else { (largest, smallest) };
        // All elements are finite: 0 divided by 0 is no NaN, but infinite as for other singular matrices.
        if below == 0.0 { f64::INFINITY } else { above / below }
    };
    Ok(values.chunks(size.max(1)).map(condition).collect())
}

/// The error for a matrix without elements.
pub(crate) fn no_condition(operation: &'static str, a: &RawArray) -> Error {
    let reason = "has no elements, so the matrix has no condition number; give a matrix with elements";
    Error::shape(operation, a.shape(), reason)
}
