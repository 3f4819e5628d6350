//! Matrices as products of triangular, orthogonal and permuting ones: `qr`, `lu`, `cholesky`.

use super::matrices::matrices;
use super::stacks::{Stack, fill_identity};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::factorisations::{Factorisation, Triangle};
use crate::backend::{Layout, Operand};
use crate::dtype::{Inexact, Scalar};
use crate::error::Result;
use crate::operations::indexing::Call;

matrices! {
    /// The QR factorisation `(q, r)`: `q · r` is the matrix, the columns of `q` are orthogonal to one another and of
    /// length 1, and `r` is zero below its diagonal. NumPy's `linalg.qr` in its mode "reduced": of an (m, n) matrix
    /// with k, the smaller length, `q` is (m, k) and `r` is (k, n).
    ///
    /// The last two axes are matrices; those before them count matrices, which are factorised one by one. By
    /// Householder reflections, as in LAPACK, so elements on the diagonal of `r` may be negative; those of complex
    /// matrices have no certain direction, and may differ between devices. NaN spreads as it does in arithmetic. Does
    /// not wait.
    ///
    /// **Panics** if the array has less than two axes ([`Error::InvalidShape`](crate::Error::InvalidShape)), or on a
    /// CUDA device without cuSOLVER ([`Error::LibraryMissing`](crate::Error::LibraryMissing)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[3.0, 1.0], [4.0, 2.0], [0.0, 2.0]]);
    /// let (q, r) = gpu::linalg::qr(&a);
    /// assert_eq!((q.shape(), r.shape()), (&[3, 2][..], &[2, 2][..]));
    /// assert!(gpu::allclose(&gpu::matmul(&q, &r), &a) && r.get(&[1, 0]) == 0.0);
    /// let complex = a.astype::<gpu::Complex<f64>>() * gpu::Complex::new(0.0, 1.0);
    /// let (q, r) = gpu::linalg::qr(&complex);
    /// assert!((gpu::matmul(&q, &r) - complex).abs().max() < 1e-12);
    /// ```
    pub fn qr<T: Inexact>(a: Matrix<T>) -> (q: Matrix<T>, r: Matrix<T>) {
        qr_of(a, false)
    }

    /// As [`qr()`], with all columns of `q`: of an (m, n) matrix `q` is (m, m) and `r` is (m, n). NumPy's mode
    /// "complete".
    ///
    /// ```
    /// let (q, r) = warpcell::linalg::qr_complete(&warpcell::ones::<f32>((3, 2)));
    /// assert_eq!((q.shape(), r.shape()), (&[3, 3][..], &[3, 2][..]));
    /// ```
    pub fn qr_complete<T: Inexact>(a: Matrix<T>) -> (q: Matrix<T>, r: Matrix<T>) {
        qr_of(a, true)
    }

    /// As [`qr()`], but `r` alone, in about half the time. NumPy's mode "r".
    ///
    /// ```
    /// let r = warpcell::linalg::qr_r(&warpcell::array(&[[3.0], [4.0]]));
    /// assert!(warpcell::allclose(&r.abs(), &[5.0]));
    /// ```
    pub fn qr_r<T: Inexact>(a: Matrix<T>) -> (r: Matrix<T>) {
        r_of(a)
    }

    /// The LU factorisation `(p, l, u)` with row exchanges: `p · l · u` is the matrix, `p` permutes rows, `l` has ones
    /// on its diagonal and zeros above it, none larger than 1, and `u` is zero below its diagonal. SciPy's `linalg.lu`:
    /// of an (m, n) matrix with k, the smaller length, the shapes are (m, m), (m, k) and (k, n).
    ///
    /// The last two axes are matrices, those before them count matrices. Singular matrices have factors too: `u` then
    /// has a 0 on its diagonal. Waits for the device.
    ///
    /// **Panics** as [`qr()`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (p, l, u) = gpu::linalg::lu(&gpu::array(&[[0.0, 1.0], [2.0, 3.0]]));
    /// assert_eq!(p.to_host(), ndarray::array![[0.0, 1.0], [1.0, 0.0]].into_dyn());
    /// assert_eq!(l.to_host(), ndarray::array![[1.0, 0.0], [0.0, 1.0]].into_dyn());
    /// assert_eq!(u.to_host(), ndarray::array![[2.0, 3.0], [0.0, 1.0]].into_dyn());
    /// ```
    pub fn lu<T: Inexact>(a: Matrix<T>) -> (p: Matrix<T>, l: Matrix<T>, u: Matrix<T>) {
        lu_of(a)
    }

    /// The Cholesky factor of a symmetric or Hermitian positive definite matrix: `l`, zero above its diagonal, with
    /// `l · lᴴ` the matrix. NumPy's `linalg.cholesky`; only the matrix's lower triangle is read, and on its diagonal only
    /// the real parts.
    ///
    /// The last two axes are matrices, those before them count matrices.
    ///
    /// Does not wait for a GPU: it reports a matrix that is not positive definite where the host waits next, at the end of the
    /// cell at the latest ([`Error::FoundLater`](crate::Error::FoundLater)). `try_cholesky` waits.
    ///
    /// **Panics** if a matrix is not positive definite
    /// ([`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite), with the leading minor that is not positive;
    /// a matrix with NaN is none either) or not square, and as [`qr()`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let l = gpu::linalg::cholesky(&gpu::array(&[[4.0, 2.0], [2.0, 5.0]]));
    /// assert_eq!(l.to_host(), ndarray::array![[2.0, 0.0], [1.0, 2.0]].into_dyn());
    /// let (one, i) = (gpu::Complex::new(1.0, 0.0), gpu::Complex::new(0.0, 1.0));
    /// let l = gpu::linalg::cholesky(&gpu::array(&[[4.0 * one, -2.0 * i], [2.0 * i, 2.0 * one]]));
    /// assert_eq!(l.to_host(), ndarray::array![[2.0 * one, 0.0 * one], [i, one]].into_dyn());
    /// let error = gpu::linalg::try_cholesky(&gpu::array(&[[1.0, 2.0], [2.0, 1.0]])).unwrap_err();
    /// assert!(matches!(error, gpu::Error::NotPositiveDefinite { minor: 2, .. }));
    /// ```
    pub fn cholesky, try_cholesky<T: Inexact>(a: Matrix<T>; call) -> (l: Matrix<T>) {
        cholesky_of(a, call)
    }
}

/// Q and R; all columns of Q, or as many as the smaller length.
fn qr_of(a: &RawArray, is_complete: bool) -> Result<[RawArray; 2]> {
    let stack = Stack::new("qr", a)?;
    let (m, n) = (stack.rows(), stack.columns());
    let width = if is_complete { m } else { m.min(n) };
    let (q, r) = (stack.output("qr", &[m, width])?, stack.output("qr", &[width, n])?);
    if stack.is_empty() {
        fill_identity(&q)?;
    } else {
        stack.backend()?.qr(stack.raw.view(), Some(q.view()), r.view())?;
    }
    Ok([q, r].map(|factor| stack.unstacked(&factor)))
}

/// R alone.
pub(super) fn r_of(a: &RawArray) -> Result<[RawArray; 1]> {
    let stack = Stack::new("qr", a)?;
    let r = stack.output("qr", &[stack.rows().min(stack.columns()), stack.columns()])?;
    if !stack.is_empty() {
        stack.backend()?.qr(stack.raw.view(), None, r.view())?;
    }
    Ok([stack.unstacked(&r)])
}

fn lu_of(a: &RawArray) -> Result<[RawArray; 3]> {
    let operation = "lu";
    let stack = Stack::new(operation, a)?;
    let (count, m, n) = (stack.count(), stack.rows(), stack.columns());
    let size = m.min(n);
    let p = stack.output(operation, &[m, m])?;
    let (l, u) = (stack.output(operation, &[m, size])?, stack.output(operation, &[size, n])?);
    if stack.is_empty() {
        fill_identity(&p)?;
        return Ok([p, l, u].map(|factor| stack.unstacked(&factor)));
    }
    let packed = stack.output(operation, &[m, n])?;
    let order = stack.backend()?.lu(stack.raw.view(), packed.view())?;
    let part = |rows: usize, columns: usize| {
        packed.with_layout(Layout { shape: vec![count, rows, columns], ..packed.layout.clone() })
    };
    stack.backend()?.triangle(part(m, size).view(), Triangle::UnitLower, l.view())?;
    stack.backend()?.triangle(part(size, n).view(), Triangle::Upper, u.view())?;
    // Row `i` of the product of the others is row `order[i]` of the matrix.
    let handle = &stack.raw.handle;
    let order: Vec<i64> = order.into_iter().map(|row| row as i64).collect();
    let indices = RawArray::of_indices(operation, handle, &[count, 1, m], &order)?;
    handle.backend.fill(Scalar::zero(p.dtype), p.view())?;
    handle.backend.scatter(Operand::Scalar(Scalar::one(p.dtype)), 1, indices.view(), p.view())?;
    Ok([p, l, u].map(|factor| stack.unstacked(&factor)))
}

/// The factors. With the place of the call, faults are reported later, if the device can.
pub(crate) fn cholesky_of(a: &RawArray, call: Call) -> Result<[RawArray; 1]> {
    let operation = "cholesky";
    let stack = Stack::square(operation, a)?;
    let out = stack.output(operation, &[stack.rows(), stack.columns()])?;
    if !stack.is_empty() {
        stack.factorise(Factorisation::Cholesky, operation, call, |backend, later| {
            backend.cholesky(stack.raw.view(), out.view(), later)
        })?;
    }
    Ok([stack.unstacked(&out)])
}
