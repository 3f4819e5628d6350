//! Matrices with a pattern, made of numbers or of other matrices; SciPy's "special matrices".
//!
//! What repeats along diagonals is a view of a vector with other strides, which is copied once.

use crate::array::create::of_values;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, slice_axis, transfer};
use crate::backend::loops::Loops;
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::device;
use crate::dtype::{Arithmetic, DType, Element, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::composing::{Composed, number};
use crate::operations::convolve::Mode;
use crate::operations::elementwise::binary;
use crate::operations::reduce::reduce_all;
use crate::thin::thin;
use num_complex::Complex;

thin! {
    /// The matrix with `c` in its first column and in its first row, of complex numbers the conjugates, and the same along each
    /// diagonal. SciPy's `linalg.toeplitz`: `gpu::linalg::toeplitz!(&c, r = &r)` has another first row, of which the first
    /// element is not looked at.
    ///
    /// **Panics** if `c` or `r` is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let t = gpu::linalg::toeplitz!(&gpu::array(&[1, 2, 3]), r = &gpu::array(&[1, 4, 5, 6]));
    /// assert_eq!(t.to_host(), ndarray::array![[1, 4, 5, 6], [2, 1, 4, 5], [3, 2, 1, 4]].into_dyn());
    /// ```
    pub fn toeplitz<A: OnDevice<Elem = T>, T: Element>(c: &A) -> DeviceArray<T> => toeplitz_of(c.raw(), None);

    /// As [`toeplitz`](fn@toeplitz), with the first row.
    pub fn toeplitz_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(c: &A, r: &B) -> DeviceArray<T> =>
        toeplitz_of(c.raw(), Some(r.raw()));

    /// The square matrix whose columns are `c`, each a place further down than the one before, and around. SciPy's
    /// `linalg.circulant`.
    ///
    /// **Panics** if `c` is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let c = gpu::linalg::circulant(&gpu::array(&[1, 2, 3]));
    /// assert_eq!(c.to_host(), ndarray::array![[1, 3, 2], [2, 1, 3], [3, 2, 1]].into_dyn());
    /// ```
    pub fn circulant<A: OnDevice<Elem = T>, T: Element>(c: &A) -> DeviceArray<T> => circulant_of(c.raw());

    /// The square matrix with `c` in its first column, the same along each diagonal that rises, and zeros behind the last element
    /// of `c`. SciPy's `linalg.hankel`: `gpu::linalg::hankel!(&c, r = &r)` has the last row too, of which the first element is
    /// not looked at.
    ///
    /// **Panics** if `c` or `r` is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let h = gpu::linalg::hankel(&gpu::array(&[1, 2, 3]));
    /// assert_eq!(h.to_host(), ndarray::array![[1, 2, 3], [2, 3, 0], [3, 0, 0]].into_dyn());
    /// let h = gpu::linalg::hankel!(&gpu::array(&[1, 2]), r = &gpu::array(&[2, 3, 4]));
    /// assert_eq!(h.to_host(), ndarray::array![[1, 2, 3], [2, 3, 4]].into_dyn());
    /// ```
    pub fn hankel<A: OnDevice<Elem = T>, T: Element>(c: &A) -> DeviceArray<T> => hankel_of(c.raw(), None);

    /// As [`hankel`](fn@hankel), with the last row.
    pub fn hankel_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(c: &A, r: &B) -> DeviceArray<T> =>
        hankel_of(c.raw(), Some(r.raw()));

    /// The matrix whose product with a vector of `n` elements is its convolution with `a`. SciPy's `linalg.convolution_matrix`:
    /// `gpu::linalg::convolution_matrix!(&a, 5, mode = "same")` has the rows of that part of the convolution.
    ///
    /// **Panics** if `a` is not 1-D or is empty ([`Error::InvalidShape`]), or `n` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let m = gpu::linalg::convolution_matrix(&gpu::array(&[1.0, 2.0]), 3);
    /// let v = gpu::array(&[1.0, 0.0, -1.0]);
    /// assert_eq!(gpu::matmul(&m, &v).tolist(), [1.0, 2.0, -1.0, -2.0]);
    /// ```
    pub fn convolution_matrix<A: OnDevice<Elem = T>, T: Element>(a: &A, n: usize) -> DeviceArray<T> =>
        convolution_of(a.raw(), n, Mode::Full);

    /// As [`convolution_matrix`](fn@convolution_matrix), of a part of the convolution.
    pub fn convolution_matrix_with<A: OnDevice<Elem = T>, T: Element>(a: &A, n: usize, mode: Mode) -> DeviceArray<T> =>
        convolution_of(a.raw(), n, mode);

    /// The companion matrix of the polynomial with the coefficients `a`, the highest power first: its eigenvalues are the roots.
    /// SciPy's `linalg.companion`; of integers it is `f64`. Waits for the first coefficient.
    ///
    /// **Panics** if `a` is not 1-D or has fewer than two elements ([`Error::InvalidShape`]), or the first one is 0
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let c = gpu::linalg::companion(&gpu::array(&[2.0, -10.0, 31.0, -30.0]));
    /// assert_eq!(c.to_host(), ndarray::array![[5.0, -15.5, 15.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].into_dyn());
    /// ```
    pub fn companion<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<T::Mean> =>
        companion_of(a.raw(), T::Mean::DTYPE);

    /// A companion matrix with five diagonals of the polynomial with the coefficients `a`, the highest power first, by Fiedler: its
    /// eigenvalues are the roots too. SciPy's `linalg.fiedler_companion`; of integers it is `f64`. Waits for the first coefficient.
    ///
    /// **Panics** if `a` is not 1-D or has fewer than two elements ([`Error::InvalidShape`]), or the first one is 0
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let c = gpu::linalg::fiedler_companion(&gpu::array(&[1.0, -6.0, 11.0, -6.0]));
    /// assert_eq!(c.to_host(), ndarray::array![[6.0, -11.0, 1.0], [1.0, 0.0, 0.0], [0.0, 6.0, 0.0]].into_dyn());
    /// ```
    pub fn fiedler_companion<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<T::Mean> =>
        fiedler_companion_of(a.raw(), T::Mean::DTYPE);

    /// The symmetric matrix of the distances between the elements of `a`. SciPy's `linalg.fiedler`.
    ///
    /// **Panics** if `a` is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let f = gpu::linalg::fiedler(&gpu::array(&[1, 4, 12]));
    /// assert_eq!(f.to_host(), ndarray::array![[0, 3, 11], [3, 0, 8], [11, 8, 0]].into_dyn());
    /// ```
    pub fn fiedler<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T> => fiedler_of(a.raw());

    /// The matrix by which a population grows: `f`, how many each age bears, in the first row, and `s`, how many of each age reach
    /// the next one, below the diagonal. SciPy's `linalg.leslie`.
    ///
    /// **Panics** if `f` or `s` is not 1-D, `s` is empty, or does not have one element less than `f` ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let l = gpu::linalg::leslie(&gpu::array(&[0.5, 2.0, 1.0]), &gpu::array(&[0.2, 0.8]));
    /// assert_eq!(l.to_host(), ndarray::array![[0.5, 2.0, 1.0], [0.2, 0.0, 0.0], [0.0, 0.8, 0.0]].into_dyn());
    /// ```
    pub fn leslie<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(f: &A, s: &B) -> DeviceArray<T> =>
        leslie_of(f.raw(), s.raw());

    /// The Kronecker product of each column of `a` with the same column of `b`: of matrices (m, k) and (n, k) one of (m·n, k).
    /// SciPy's `linalg.khatri_rao`.
    ///
    /// **Panics** if the arrays are not matrices with as many columns ([`Error::InvalidShape`]), or are on two devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let k = gpu::linalg::khatri_rao(&gpu::array(&[[1, 2]]), &gpu::array(&[[3, 4], [5, 6]]));
    /// assert_eq!(k.to_host(), ndarray::array![[3, 8], [5, 12]].into_dyn());
    /// ```
    pub fn khatri_rao<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Arithmetic>(a: &A, b: &B) -> DeviceArray<T> =>
        khatri_rao_of(a.raw(), b.raw());

    /// The matrix with these arrays along its diagonal, corner to corner, and zeros elsewhere. A vector counts as a matrix of one
    /// row. Without arrays it is (1, 0). SciPy's `linalg.block_diag`, of a list in place of arguments.
    ///
    /// **Panics** if an array has more than two axes ([`Error::InvalidShape`]), or arrays are on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::array(&[[1, 2], [3, 4]]), gpu::array(&[[5, 6]]));
    /// let blocks = gpu::linalg::block_diag([&a, &b]);
    /// assert_eq!(blocks.to_host(), ndarray::array![[1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 5, 6]].into_dyn());
    /// ```
    pub fn block_diag<'a, A: 'a + OnDevice<Elem = T>, T: Element>(
        arrays: impl IntoIterator<Item = &'a A>
    ) -> DeviceArray<T> => block_diagonal(&arrays.into_iter().map(|array| array.raw().clone()).collect::<Vec<_>>(), T::DTYPE);
}

thin! {
    /// The matrix of Hadamard with `n` rows: its elements are 1 and -1, its rows orthogonal. SciPy's `linalg.hadamard`:
    /// `gpu::linalg::hadamard!(8, dtype = f32)` converts it. By doubling, as Sylvester did.
    ///
    /// **Panics** if `n` is not a power of 2 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let h = warpcell::linalg::hadamard(2);
    /// assert_eq!(h.to_host(), ndarray::array![[1i64, 1], [1, -1]].into_dyn());
    /// ```
    pub fn hadamard(n: usize) -> DeviceArray<i64> => hadamard_of(n);

    /// The matrix of Hilbert with `n` rows: `1 / (i + j + 1)`. SciPy's `linalg.hilbert`.
    ///
    /// ```
    /// let h = warpcell::linalg::hilbert(2);
    /// assert!(warpcell::allclose(&h, &ndarray::array![[1.0, 0.5], [0.5, 1.0 / 3.0]]));
    /// ```
    pub fn hilbert(n: usize) -> DeviceArray<f64> => hilbert_of(n);

    /// The inverse of the [matrix of Hilbert](hilbert) with `n` rows, whose elements are integers: exact up to `n` = 12 or so,
    /// then rounded. SciPy's `linalg.invhilbert`. On the host.
    ///
    /// ```
    /// let h = warpcell::linalg::invhilbert(2);
    /// assert_eq!(h.to_host(), ndarray::array![[4.0, -6.0], [-6.0, 12.0]].into_dyn());
    /// ```
    pub fn invhilbert(n: usize) -> DeviceArray<f64> => invhilbert_of(n);

    /// The matrix of Helmert without its first row: `n - 1` rows that are orthogonal, of length 1, and of sum 0. SciPy's
    /// `linalg.helmert`: `gpu::linalg::helmert!(5, full = true)` has the first row too, in which all are equal.
    ///
    /// **Panics** if `n` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let h = gpu::linalg::helmert!(3, full = true);
    /// assert!(gpu::allclose(&gpu::matmul(&h, &h.t()), &gpu::eye::<f64>(3)));
    /// ```
    pub fn helmert(n: usize) -> DeviceArray<f64> => helmert_of(n, false);

    /// As [`helmert`](fn@helmert), with the first row if `full` is true.
    pub fn helmert_with(n: usize, full: bool) -> DeviceArray<f64> => helmert_of(n, full);

    /// The matrix whose product with a vector is its Fourier transform. SciPy's `linalg.dft`: `gpu::linalg::dft!(8, scale =
    /// "sqrtn")` divides it by the root of `n`, `"n"` by `n`.
    ///
    /// **Panics** if there is no such scale, or `n` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (m, x) = (gpu::linalg::dft(4), gpu::array(&[1.0, 2.0, 0.0, 3.0]));
    /// let product = gpu::matmul(&m, &x.astype::<gpu::Complex<f64>>());
    /// assert!((product - gpu::fft::fft(&x)).abs().max() < 1e-12);
    /// ```
    pub fn dft(n: usize) -> DeviceArray<Complex<f64>> => dft_of(n, "");

    /// As [`dft`](fn@dft), divided by something.
    pub fn dft_with(n: usize, scale: &str) -> DeviceArray<Complex<f64>> => dft_of(n, scale);
}

/// How far from the diagonal elements are not 0: below it, and above it. SciPy's `linalg.bandwidth`. Waits.
///
/// **Panics** if the array does not have two axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1.0, 0.0, 5.0], [2.0, 0.0, 0.0], [0.0, 0.0, 3.0]]);
/// assert_eq!(gpu::linalg::bandwidth(&a), (1, 2));
/// ```
#[track_caller]
pub fn bandwidth<A: OnDevice<Elem = T>, T: Element>(a: &A) -> (usize, usize) {
    check(bandwidth_of(a.raw()))
}

/// The length of a vector.
fn length(operation: &'static str, name: &str, x: &RawArray) -> Result<usize> {
    match x.shape() {
        &[length] => Ok(length),
        shape => {
            let reason = format!("is the shape of `{name}`, which must be a vector; use `ravel` or a slice");
            Err(Error::shape(operation, shape, reason))
        }
    }
}

/// A part of a vector.
fn part(x: &RawArray, start: usize, step: isize, count: usize) -> RawArray {
    slice_axis(x, 0, start, step, count)
}

fn reversed(x: &RawArray) -> RawArray {
    let count = x.shape()[0];
    part(x, count.saturating_sub(1), -1, count)
}

/// Vectors one behind the other; without one, so many zeros.
fn behind_one_another(
    operation: &'static str,
    like: &RawArray,
    parts: &[(Option<RawArray>, usize)],
) -> Result<RawArray> {
    let count = parts.iter().map(|(_, count)| count).sum();
    RawArray::written(operation, &like.handle, &[count], like.dtype, |out| {
        let mut from = 0;
        for (values, count) in parts {
            let target = part(out, from, 1, *count);
            from += count;
            match values {
                Some(values) => assign(operation, &target, values)?,
                None if *count > 0 => target.handle.backend.fill(Scalar::zero(like.dtype), target.view())?,
                None => {}
            }
        }
        Ok(())
    })
}

/// The matrix that begins with an element of a vector, and goes on by these steps along rows and columns.
fn stepped(
    operation: &'static str,
    values: &RawArray,
    first: usize,
    strides: [isize; 2],
    shape: [usize; 2],
) -> Result<RawArray> {
    if shape.contains(&0) {
        return RawArray::uninitialised(operation, &values.handle, &shape, values.dtype);
    }
    let offset = values.layout.offset + first;
    values.with_layout(Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset }).copied(operation)
}

/// Zeros with so many rows and columns.
fn zeros(operation: &'static str, like: &RawArray, shape: [usize; 2]) -> Result<RawArray> {
    RawArray::filled(operation, &like.handle, &shape, Scalar::zero(like.dtype))
}

/// The places `first`, `first + step`, … of a new matrix.
fn places(matrix: &RawArray, first: [usize; 2], step: [usize; 2], count: usize) -> RawArray {
    let columns = matrix.shape()[1];
    let offset = if count > 0 { first[0] * columns + first[1] } else { 0 };
    let strides = vec![(step[0] * columns + step[1]) as isize];
    matrix.with_layout(Layout { shape: vec![count], strides, offset })
}

fn fill(target: &RawArray, value: f64) -> Result<()> {
    if target.size() == 0 {
        return Ok(());
    }
    target.handle.backend.fill(number(value, target.dtype), target.view())
}

fn toeplitz_of(c: &RawArray, r: Option<&RawArray>) -> Result<RawArray> {
    const NAME: &str = "toeplitz";
    let rows = length(NAME, "c", c)?;
    let row = match r {
        Some(r) => r.clone(),
        None if c.dtype.is_complex() => Composed(NAME).each(UnaryOperation::Conjugate, c)?,
        None => c.clone(),
    };
    let columns = length(NAME, "r", &row)?;
    c.same_device(NAME, &row)?;
    if rows == 0 || columns == 0 {
        return RawArray::uninitialised(NAME, &c.handle, &[rows, columns], c.dtype);
    }
    let rest = part(&row, usize::from(columns > 1), 1, columns - 1);
    let values = behind_one_another(NAME, c, &[(Some(reversed(c)), rows), (Some(rest), columns - 1)])?;
    stepped(NAME, &values, rows - 1, [-1, 1], [rows, columns])
}

fn circulant_of(c: &RawArray) -> Result<RawArray> {
    const NAME: &str = "circulant";
    let n = length(NAME, "c", c)?;
    if n == 0 {
        return RawArray::uninitialised(NAME, &c.handle, &[0, 0], c.dtype);
    }
    let again = part(&reversed(c), 0, 1, n - 1);
    let values = behind_one_another(NAME, c, &[(Some(reversed(c)), n), (Some(again), n - 1)])?;
    stepped(NAME, &values, n - 1, [-1, 1], [n, n])
}

fn hankel_of(c: &RawArray, r: Option<&RawArray>) -> Result<RawArray> {
    const NAME: &str = "hankel";
    let rows = length(NAME, "c", c)?;
    let columns = r.map_or(Ok(rows), |r| length(NAME, "r", r))?;
    r.map_or(Ok(()), |r| c.same_device(NAME, r))?;
    if rows == 0 || columns == 0 {
        return RawArray::uninitialised(NAME, &c.handle, &[rows, columns], c.dtype);
    }
    let rest = r.map(|r| part(r, usize::from(columns > 1), 1, columns - 1));
    let values = behind_one_another(NAME, c, &[(Some(c.clone()), rows), (rest, columns - 1)])?;
    stepped(NAME, &values, 0, [1, 1], [rows, columns])
}

fn convolution_of(a: &RawArray, n: usize, mode: Mode) -> Result<RawArray> {
    const NAME: &str = "convolution_matrix";
    let count = length(NAME, "a", a)?;
    if count == 0 {
        return Err(Error::shape(NAME, a.shape(), "is the shape of `a`, which must have at least one element"));
    }
    if n == 0 {
        return Err(Error::argument(NAME, "`n` is 0; give how many elements the vector has, at least 1"));
    }
    let padded = behind_one_another(NAME, a, &[(None, n - 1), (Some(a.clone()), count), (None, n - 1)])?;
    let less = n.min(count) - 1;
    let (above, rows) = match mode {
        Mode::Full => (0, count + n - 1),
        Mode::Same => (less / 2, count + n - 1 - less),
        Mode::Valid => (less, count + n - 1 - 2 * less),
    };
    stepped(NAME, &padded, n - 1 + above, [1, -1], [rows, n])
}

/// The coefficients behind the first one, divided by it and negated.
fn monic(operation: &'static str, a: &RawArray, dtype: DType) -> Result<RawArray> {
    let count = length(operation, "a", a)?;
    if count < 2 {
        let reason = "is the shape of the coefficients `a`, which must be at least two";
        return Err(Error::shape(operation, a.shape(), reason));
    }
    let a = a.in_type(operation, dtype)?;
    let first = part(&a, 0, 1, 1).copied(operation)?;
    a.handle.may_wait(operation)?;
    if transfer::item(&first.with_layout(Layout::contiguous(&[])))? == Scalar::zero(dtype) {
        return Err(Error::argument(operation, "the first coefficient is 0; leave out zeros at the front of `a`"));
    }
    let made = Composed(operation);
    let rest = made.pair(BinaryOperation::Divide, &part(&a, 1, 1, count - 1), &first)?;
    made.with_into(BinaryOperation::Multiply, &rest, -1.0)?;
    Ok(rest)
}

fn companion_of(a: &RawArray, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "companion";
    let rest = monic(NAME, a, dtype)?;
    let n = rest.shape()[0];
    let matrix = zeros(NAME, &rest, [n, n])?;
    assign(NAME, &places(&matrix, [0, 0], [0, 1], n), &rest)?;
    fill(&places(&matrix, [1, 0], [1, 1], n - 1), 1.0)?;
    Ok(matrix)
}

fn fiedler_companion_of(a: &RawArray, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "fiedler_companion";
    // `rest[k]` is the coefficient `k + 1`.
    let rest = monic(NAME, a, dtype)?;
    let n = rest.shape()[0];
    let matrix = zeros(NAME, &rest, [n, n])?;
    let set = |first: [usize; 2], from: usize| {
        // As many as there are rows, columns and coefficients.
        let count = |first: usize| n.saturating_sub(first).div_ceil(2);
        let target = places(&matrix, first, [2, 2], count(first[0].max(first[1])).min(count(from)));
        assign(NAME, &target, &part(&rest, from.min(n - 1), 2, target.size()))
    };
    let ones = |first: [usize; 2]| {
        fill(&places(&matrix, first, [2, 2], n.saturating_sub(first[0].max(first[1])).div_ceil(2)), 1.0)
    };
    assign(NAME, &places(&matrix, [0, 0], [0, 0], 1), &part(&rest, 0, 1, 1))?;
    if n > 1 {
        fill(&places(&matrix, [1, 0], [0, 0], 1), 1.0)?;
        set([0, 1], 1)?;
        ones([3, 1])?;
        ones([0, 2])?;
        set([2, 1], 2)?;
    }
    Ok(matrix)
}

fn fiedler_of(a: &RawArray) -> Result<RawArray> {
    const NAME: &str = "fiedler";
    let n = length(NAME, "a", a)?;
    let Layout { strides, offset, .. } = &a.layout;
    let shaped = |shape: [usize; 2], strides: [isize; 2]| {
        a.with_layout(Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: *offset })
    };
    let (column, row) = (shaped([n, 1], [strides[0], 0]), shaped([1, n], [0, strides[0]]));
    let made = Composed(NAME);
    // So that unsigned integers do not wrap.
    let larger = made.pair(BinaryOperation::Maximum, &column, &row)?;
    made.pair_into(BinaryOperation::Subtract, &larger, &made.pair(BinaryOperation::Minimum, &column, &row)?)?;
    Ok(larger)
}

fn leslie_of(f: &RawArray, s: &RawArray) -> Result<RawArray> {
    const NAME: &str = "leslie";
    let (n, steps) = (length(NAME, "f", f)?, length(NAME, "s", s)?);
    f.same_device(NAME, s)?;
    if steps == 0 || steps + 1 != n {
        let reason =
            format!("is the shape of `s`, which must have at least one element and one less than `f`, but `f` has {n}");
        return Err(Error::shape(NAME, s.shape(), reason));
    }
    let matrix = zeros(NAME, f, [n, n])?;
    assign(NAME, &places(&matrix, [0, 0], [0, 1], n), f)?;
    assign(NAME, &places(&matrix, [1, 0], [1, 1], steps), s)?;
    Ok(matrix)
}

fn khatri_rao_of(a: &RawArray, b: &RawArray) -> Result<RawArray> {
    const NAME: &str = "khatri_rao";
    a.same_device(NAME, b)?;
    let (&[m, columns], &[n, others]) = (a.shape(), b.shape()) else {
        let wrong = if a.shape().len() == 2 { b } else { a };
        return Err(Error::shape(NAME, wrong.shape(), "is not the shape of a matrix; use `reshape` or `expand_dims`"));
    };
    if columns != others {
        let reason = format!("is the shape of `b`, which must have as many columns as `a`, {columns}");
        return Err(Error::shape(NAME, b.shape(), reason));
    }
    let between = |x: &RawArray, axis: usize| {
        let mut layout = x.layout.clone();
        layout.shape.insert(axis, 1);
        layout.strides.insert(axis, 0);
        x.with_layout(layout)
    };
    let products = Composed(NAME).pair(BinaryOperation::Multiply, &between(a, 1), &between(b, 0))?;
    Composed(NAME).shaped(&products, &[m * n, columns])
}

fn block_diagonal(arrays: &[RawArray], dtype: DType) -> Result<RawArray> {
    const NAME: &str = "block_diag";
    let Some(first) = arrays.first() else {
        return RawArray::uninitialised(NAME, &device::current()?, &[1, 0], dtype);
    };
    let mut lengths = Vec::with_capacity(arrays.len());
    for array in arrays {
        first.same_device(NAME, array)?;
        lengths.push(match array.shape() {
            [] => [1, 1],
            &[columns] => [1, columns],
            &[rows, columns] => [rows, columns],
            shape => {
                return Err(Error::shape(NAME, shape, "has more than two axes, but a block is a matrix; slice it"));
            }
        });
    }
    let total = [0, 1].map(|axis| lengths.iter().map(|lengths| lengths[axis]).sum());
    let matrix = zeros(NAME, first, total)?;
    let mut corner = [0, 0];
    for (array, [rows, columns]) in arrays.iter().zip(lengths) {
        let block = slice_axis(&slice_axis(&matrix, 0, corner[0], 1, rows), 1, corner[1], 1, columns);
        if block.size() > 0 {
            assign(NAME, &block, array)?;
        }
        corner = [corner[0] + rows, corner[1] + columns];
    }
    Ok(matrix)
}

fn hadamard_of(n: usize) -> Result<RawArray> {
    const NAME: &str = "hadamard";
    if !n.is_power_of_two() {
        return Err(Error::argument(NAME, format!("`n` is {n}; give a power of 2, such as {}", n.next_power_of_two())));
    }
    RawArray::written(NAME, &device::current()?, &[n, n], DType::I64, |out| {
        let corner =
            |row: usize, column: usize, size: usize| slice_axis(&slice_axis(out, 0, row, 1, size), 1, column, 1, size);
        fill(&corner(0, 0, 1), 1.0)?;
        let mut size = 1;
        while size < n {
            let done = corner(0, 0, size);
            for [row, column] in [[0, size], [size, 0], [size, size]] {
                // They have no element in common.
                out.handle.backend.copy(done.view(), corner(row, column, size).view())?;
            }
            Composed(NAME).with_into(BinaryOperation::Multiply, &corner(size, size, size), -1.0)?;
            size *= 2;
        }
        Ok(())
    })
}

/// `start`, `start + 1`, …
fn counted(operation: &'static str, start: f64, count: usize) -> Result<RawArray> {
    let handle = device::current()?;
    RawArray::written(operation, &handle, &[count], DType::F64, |out| {
        handle.backend.arange(Scalar::F64(start), Scalar::F64(1.0), out.view())
    })
}

fn hilbert_of(n: usize) -> Result<RawArray> {
    const NAME: &str = "hilbert";
    let numbers = counted(NAME, 1.0, (2 * n).max(1) - 1)?;
    let fractions = binary(NAME, BinaryOperation::Divide, Scalar::F64(1.0), &numbers)?;
    stepped(NAME, &fractions, 0, [1, 1], [n, n])
}

/// By the binomials of the formula of M.-D. Choi, "Tricks or treats with the Hilbert matrix" (1983).
fn invhilbert_of(n: usize) -> Result<RawArray> {
    let binomial = |n: usize, k: usize| (1..=k).fold(1.0, |product, j| product * (n - k + j) as f64 / j as f64).round();
    let element = |i: usize, j: usize| {
        let (sum, sign) = (i + j, if (i + j).is_multiple_of(2) { 1.0 } else { -1.0 });
        let middle = binomial(sum, i);
        sign * (sum + 1) as f64 * binomial(n + i, n - j - 1) * binomial(n + j, n - i - 1) * (middle * middle)
    };
    let values = (0..n * n).map(|at| element((at / n).max(at % n), (at / n).min(at % n))).collect();
    Ok(of_values(values)?.raw.with_layout(Layout::contiguous(&[n, n])))
}

fn helmert_of(n: usize, full: bool) -> Result<RawArray> {
    const NAME: &str = "helmert";
    if n == 0 {
        return Err(Error::argument(NAME, "`n` is 0; give the number of columns, at least 1"));
    }
    let made = Composed(NAME);
    let numbers = counted(NAME, 0.0, n)?;
    let line = |x: &RawArray, shape: [usize; 2], strides: [isize; 2]| {
        x.with_layout(Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: x.layout.offset })
    };
    let (row, column) = (line(&numbers, [1, n], [0, 1]), line(&numbers, [n, 1], [1, 0]));
    // In row i: 1 before the diagonal, -i on it, 0 behind it; all divided by the root of i (i + 1).
    let matrix = made.pair(BinaryOperation::Less, &row, &column)?.converted(NAME, DType::F64)?;
    assign(NAME, &places(&matrix, [0, 0], [1, 1], n), &made.with(BinaryOperation::Multiply, &numbers, -1.0)?)?;
    let next = made.with(BinaryOperation::Add, &numbers, 1.0)?;
    let lengths = made.each(UnaryOperation::Sqrt, &made.pair(BinaryOperation::Multiply, &numbers, &next)?)?;
    fill(&part(&lengths, 0, 1, 1), (n as f64).sqrt())?;
    fill(&places(&matrix, [0, 0], [0, 1], n), 1.0)?;
    made.pair_into(BinaryOperation::Divide, &matrix, &line(&lengths, [n, 1], [1, 0]))?;
    Ok(if full { matrix } else { slice_axis(&matrix, 0, usize::from(n > 1), 1, n - 1) })
}

fn dft_of(n: usize, scale: &str) -> Result<RawArray> {
    const NAME: &str = "dft";
    let norm = match scale {
        "" => crate::fft::Norm::Backward,
        "sqrtn" => crate::fft::Norm::Ortho,
        "n" => crate::fft::Norm::Forward,
        _ => {
            return Err(Error::argument(
                NAME,
                format!("`scale` is {scale:?}; give \"sqrtn\" or \"n\", or leave it out"),
            ));
        }
    };
    if n == 0 {
        return Err(Error::argument(NAME, "`n` is 0; give the number of points, at least 1"));
    }
    let handle = device::current()?;
    let identity = RawArray::filled(NAME, &handle, &[n, n], Scalar::F64(0.0))?;
    fill(&places(&identity, [0, 0], [1, 1], n), 1.0)?;
    let request = crate::operations::fourier::Request {
        operation: NAME,
        kind: crate::operations::fourier::TransformKind::Forward,
        lengths: None,
        axes: &[-1],
        norm,
        part: DType::F64,
    };
    crate::operations::fourier::transformed(&request, &identity)
}

fn bandwidth_of(a: &RawArray) -> Result<(usize, usize)> {
    const NAME: &str = "bandwidth";
    let &[rows, columns] = a.shape() else {
        return Err(Error::shape(NAME, a.shape(), "is not the shape of a matrix; use `reshape` or a slice"));
    };
    if rows == 0 || columns == 0 {
        return Ok((0, 0));
    }
    if a.dtype == a.dtype.compute_type() && !a.dtype.is_complex() {
        let (matrix, out) = (a.contiguous(NAME)?, RawArray::uninitialised(NAME, &a.handle, &[2], DType::I64)?);
        if a.handle.backend.by_loops(Loops::Band { x: matrix.view(), out: out.view() })? {
            let found = transfer::download_vec::<i64>(&out)?;
            return Ok((found[0] as usize, found[1] as usize));
        }
    }
    let made = Composed(NAME);
    let numbers = |start: f64, step: f64, shape: [usize; 2]| {
        RawArray::written(NAME, &a.handle, &shape, DType::I64, |out| {
            let line = out.with_layout(Layout::contiguous(&[out.size()]));
            a.handle.backend.arange(number(start, DType::I64), number(step, DType::I64), line.view())
        })
    };
    // How far above the diagonal, and 0 where the element is 0.
    let distances =
        made.pair(BinaryOperation::Subtract, &numbers(0.0, 1.0, [1, columns])?, &numbers(0.0, 1.0, [rows, 1])?)?;
    let zero = RawArray::filled(NAME, &a.handle, &[], Scalar::zero(a.dtype))?;
    let is_there = made.pair(BinaryOperation::NotEqual, a, &zero)?.converted(NAME, DType::I64)?;
    made.pair_into(BinaryOperation::Multiply, &distances, &is_there)?;
    let extreme = |operation| match reduce_all(NAME, operation, &distances)? {
        Scalar::I64(distance) => Ok(distance),
        _ => unreachable!("distances are integers"),
    };
    let (lower, upper) = (extreme(ReduceOperation::Min)?, extreme(ReduceOperation::Max)?);
    Ok((lower.min(0).unsigned_abs() as usize, upper.max(0) as usize))
}
