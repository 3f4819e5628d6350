//! Determinants, inverses, systems of linear equations, powers.

use super::factors::r_of;
use super::matrices::matrices;
use super::spectra::svd_of;
use super::stacks::{Stack, adjoint, column, epsilon, fill_identity, line, numbers, squares};
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, shape, slice_axis, transfer};
use crate::backend::factorisations::Factorisation;
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::{Arithmetic, DType, Element, Inexact, Scalar, Signal};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::binary;
use crate::operations::indexing::Call;
use crate::operations::products::multiply;
use crate::operations::reduce::as_mean;
use std::panic::Location;

/// The determinant of a square matrix, by LU: 0 of a singular one, 1 of one without elements. NumPy's `linalg.det`. Of integers it
/// is computed in `f64`, and so rounded as floats are. Waits for the result.
///
/// The product of the pivots leaves the type's range only if the determinant does; then use [`slogdet`]. For stacks of matrices
/// there is [`det_each`].
///
/// **Panics** if the array is not a square matrix ([`Error::InvalidShape`]), or on a CUDA device without cuSOLVER
/// ([`Error::LibraryMissing`]).
///
/// ```
/// use warpcell as gpu;
/// let determinant: f64 = gpu::linalg::det(&gpu::array(&[[1, 2], [3, 4]]));
/// assert!((determinant + 2.0).abs() < 1e-12);
/// assert_eq!(gpu::linalg::det(&gpu::ones::<f32>((3, 3))), 0.0);
/// let i = gpu::Complex::new(0.0, 1.0);
/// assert_eq!(gpu::linalg::det(&gpu::array(&[[i, 0.0 * i], [5.0 * i, i]])), i * i);
/// ```
#[track_caller]
pub fn det<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> T::Mean {
    let [det, ..] = check(determinant("det", a.raw(), T::Mean::DTYPE));
    transfer::typed_scalar(det)
}

/// The determinants of the matrices in the last two axes; see [`det()`].
///
/// **Panics** as [`det()`] does, but any number of axes from two on may be given.
///
/// ```
/// use warpcell::prelude::*;
/// let a = warpcell::array(&[1.0, 2.0, 3.0, 4.0, 2.0, 0.0, 0.0, 2.0]).reshape((2, 2, 2));
/// assert!(warpcell::allclose(&warpcell::linalg::det_each(&a), &[-2.0, 4.0]));
/// ```
#[track_caller]
pub fn det_each<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<T::Mean> {
    let [det, ..] = check(determinants("det_each", a.raw(), T::Mean::DTYPE));
    DeviceArray::from_raw(det)
}

/// The sign of a square matrix's determinant, 0 if it is 0, and the logarithm of its absolute value, -∞ then. The sign of a complex
/// determinant is the determinant divided by its absolute value. NumPy's `linalg.slogdet`, for determinants that are too large or
/// too small for a float. Waits for the result. For stacks of matrices there is [`slogdet_each`].
///
/// **Panics** as [`det()`] does.
///
/// ```
/// use warpcell as gpu;
/// let (sign, logarithm) = gpu::linalg::slogdet(&(gpu::eye::<f64>(1000) * -1e10));
/// assert!(sign == 1.0 && (logarithm - 1000.0 * 1e10f64.ln()).abs() < 1e-6);
/// let (sign, _) = gpu::linalg::slogdet(&gpu::array(&[[gpu::Complex::new(0.0, -7.0)]]));
/// assert_eq!(sign, gpu::Complex::new(0.0, -1.0));
/// ```
#[track_caller]
pub fn slogdet<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> (T::Mean, Signal<T>) {
    let [_, sign, logarithm] = check(determinant("slogdet", a.raw(), T::Mean::DTYPE));
    (transfer::typed_scalar(sign), transfer::typed_scalar(logarithm))
}

/// [`slogdet`] of each of the matrices in the last two axes: the signs, and the logarithms.
///
/// **Panics** as [`det()`] does, but any number of axes from two on may be given.
///
/// ```
/// let (signs, logarithms) = warpcell::linalg::slogdet_each(&warpcell::zeros::<f32>((3, 2, 2)));
/// assert_eq!((signs.sum(), logarithms.max()), (0.0, f32::NEG_INFINITY));
/// ```
#[track_caller]
pub fn slogdet_each<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> (DeviceArray<T::Mean>, DeviceArray<Signal<T>>) {
    let found = determinants("slogdet_each", a.raw(), T::Mean::DTYPE);
    let [_, signs, logarithms] = check(found.and_then(|[det, signs, logarithms]| {
        // Of complex matrices they are complex, too.
        let is_complex = logarithms.dtype.is_complex();
        Ok([det, signs, if is_complex { logarithms.part(false).copied("slogdet_each")? } else { logarithms }])
    }));
    (DeviceArray::from_raw(signs), DeviceArray::from_raw(logarithms))
}

matrices! {
    /// The inverse of a square matrix. NumPy's `linalg.inv`. To solve equations, [`solve`] is faster and more accurate.
    ///
    /// The last two axes are matrices; those before them count matrices, which are inverted one by one. NaN spreads as
    /// it does in arithmetic.
    ///
    /// Does not wait for a GPU: it reports a singular matrix where the host waits next, at the end of the cell at the latest
    /// ([`Error::FoundLater`]). `try_inv` waits.
    ///
    /// **Panics** if a matrix is singular ([`Error::SingularMatrix`], with the pivot that is 0) or not square
    /// ([`Error::InvalidShape`]), or on a CUDA device without cuSOLVER ([`Error::LibraryMissing`]). Rounding may leave
    /// a singular matrix with small pivots instead; see [`cond`](fn@super::cond).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let inverse = gpu::linalg::inv(&gpu::array(&[[2.0, 0.0], [0.0, 4.0]]));
    /// assert_eq!(inverse.to_host(), ndarray::array![[0.5, 0.0], [0.0, 0.25]].into_dyn());
    /// let error = gpu::linalg::try_inv(&gpu::array(&[[1.0, 2.0], [2.0, 4.0]])).unwrap_err();
    /// assert!(matches!(error, gpu::Error::SingularMatrix { pivot: 2, .. }));
    /// ```
    pub fn inv, try_inv<T: Inexact>(a: Matrix<T>; call) -> (inverse: Matrix<T>) {
        inv_of("inv", a, call).map(|inverse| [inverse])
    }

    /// The pseudoinverse of any matrix, of Moore and Penrose: the inverse if there is one. By the singular value
    /// decomposition; waits.
    ///
    /// The last two axes are matrices, those before them count matrices. Singular values that are at most the largest
    /// one times the type's epsilon and the larger length count as 0, as in NumPy's `linalg.pinv(a, rtol=None)`;
    /// another fraction can be given to [`pinv_with`]. (NumPy's own default, 1e-15, is less than the rounding errors of
    /// most matrices.)
    ///
    /// **Panics** as [`svd`](fn@super::svd) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let inverse = gpu::linalg::pinv(&gpu::array(&[[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]));
    /// assert_eq!(inverse.to_host(), ndarray::array![[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]].into_dyn());
    /// ```
    pub fn pinv<T: Inexact>(a: Matrix<T>) -> (inverse: Matrix<T>) {
        pinv_of(a, None)
    }

    /// As [`pinv`], with the fraction of the largest singular value up to which singular values count as 0; NumPy's
    /// `rcond`.
    ///
    /// ```
    /// let inverse = warpcell::linalg::pinv_with(&warpcell::array(&[[1.0, 0.0], [0.0, 1e-3]]), 0.01);
    /// assert_eq!(inverse.sum(), 1.0);
    /// ```
    pub fn pinv_with<T: Inexact>(a: Matrix<T>, rcond: f64) -> (inverse: Matrix<T>) {
        pinv_of(a, Some(rcond))
    }

    /// The product of as many of a square matrix as `exponent` says, by repeated squaring: the identity for 0. NumPy's
    /// `linalg.matrix_power`. Of floats and complex numbers a negative exponent takes the [inverse](inv), for which it
    /// waits. Integers wrap.
    ///
    /// The last two axes are matrices, those before them count matrices. Types for storage are multiplied in the wider
    /// type, and the power is converted back.
    ///
    /// **Panics** if the matrices are not square ([`Error::InvalidShape`]), if `exponent` is negative and the elements
    /// are integers ([`Error::InvalidArgument`]) or a matrix is singular ([`Error::SingularMatrix`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let fibonacci = gpu::linalg::matrix_power(&gpu::array(&[[1i64, 1], [1, 0]]), 50);
    /// assert_eq!(fibonacci.get(&[0, 1]), 12_586_269_025);
    /// ```
    pub fn matrix_power<T: Arithmetic>(a: Matrix<T>, exponent: i64) -> (power: Matrix<T>) {
        power_of(a, exponent).map(|power| [power])
    }
}

/// The solution x of `a · x = b`, for a square matrix. NumPy's `linalg.solve`: `b` is a vector, or a matrix with a
/// column for each system.
///
/// The last two axes of `a` are matrices. If `b` has one axis it is a vector, else its last two axes are matrices;
/// the axes before them count matrices, and are broadcast.
///
/// Does not wait for a GPU: it reports a singular matrix where the host waits next, at the end of the cell at the latest
/// ([`Error::FoundLater`]). [`try_solve`] waits.
///
/// **Panics** if a matrix is singular ([`Error::SingularMatrix`]) or not square, if `b` has another number of rows
/// ([`Error::InvalidShape`]) or the other axes do not broadcast ([`Error::ShapeMismatch`]), if the arrays are on
/// two devices, or on a CUDA device without cuSOLVER ([`Error::LibraryMissing`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[2.0, 1.0], [0.0, 4.0]]);
/// let x = gpu::linalg::solve(&a, &gpu::array(&[4.0, 8.0]));
/// assert_eq!(x.to_host(), ndarray::array![1.0, 2.0].into_dyn());
/// let i = gpu::array(&[[gpu::Complex::new(0.0, 1.0)]]);
/// assert_eq!(gpu::linalg::solve(&i, &i).item(), gpu::Complex::new(1.0, 0.0));
/// ```
#[track_caller]
pub fn solve<A, B, T>(a: &A, b: &B) -> DeviceArray<T>
where
    A: OnDevice<Elem = T>,
    B: OnDevice<Elem = T>,
    T: Inexact,
{
    DeviceArray::from_raw(check(solve_of(a.raw(), b.raw(), Some(Location::caller()))))
}

/// As [`solve`], but returns the error, for which it waits.
pub fn try_solve<A, B, T>(a: &A, b: &B) -> Result<DeviceArray<T>>
where
    A: OnDevice<Elem = T>,
    B: OnDevice<Elem = T>,
    T: Inexact,
{
    solve_of(a.raw(), b.raw(), None).map(DeviceArray::from_raw)
}

/// What [`lstsq`] gives: the solution, the sums of squares, the rank, and the singular values.
pub type LeastSquares<T> =
    (DeviceArray<T>, DeviceArray<<T as Arithmetic>::Part>, usize, DeviceArray<<T as Arithmetic>::Part>);

/// The least-squares solution of `a · x = b` for any matrix: x with the smallest sum of squares of `b - a · x`, and of several the
/// one that is shortest itself. NumPy's `linalg.lstsq(a, b)`, which gives the same four: the solution, the sums of squares for each
/// column of `b` (none if `a` has no more rows than columns, or not full rank), the rank of `a`, and its singular values. `b` is a
/// vector, or a matrix with a column for each system. By the singular value decomposition, without its vectors where the CPU has a
/// matrix of full rank; waits.
///
/// Singular values that are at most the largest one times the type's epsilon and the larger length of `a` count as 0; another
/// fraction can be given to [`lstsq_with`].
///
/// **Panics** if `a` is not a matrix or `b` has another number of rows ([`Error::InvalidShape`]), and as [`svd`](fn@super::svd) does.
///
/// ```
/// use warpcell as gpu;
/// // The line through points at 0, 1, 2 and 3.
/// let a = gpu::array(&[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]);
/// let (line, squares, rank, _) = gpu::linalg::lstsq(&a, &gpu::array(&[-1.0, 0.2, 0.9, 2.1]));
/// assert!(gpu::allclose(&line, &[1.0, -0.95]) && gpu::allclose(&squares, &[0.05]) && rank == 2);
/// ```
#[track_caller]
pub fn lstsq<A, B, T>(a: &A, b: &B) -> LeastSquares<T>
where
    A: OnDevice<Elem = T>,
    B: OnDevice<Elem = T>,
    T: Inexact,
{
    let (x, squares, rank, values) = check(lstsq_of(a.raw(), b.raw(), None));
    (DeviceArray::from_raw(x), DeviceArray::from_raw(squares), rank, DeviceArray::from_raw(values))
}

/// As [`lstsq`], with the fraction of the largest singular value up to which singular values count as 0; NumPy's `rcond`.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1.0, 0.0], [0.0, 1e-3]]);
/// let (x, _, rank, _) = gpu::linalg::lstsq_with(&a, &gpu::array(&[1.0, 1.0]), 0.01);
/// assert_eq!((x.to_host(), rank), (ndarray::array![1.0, 0.0].into_dyn(), 1));
/// ```
#[track_caller]
pub fn lstsq_with<A, B, T>(a: &A, b: &B, rcond: f64) -> LeastSquares<T>
where
    A: OnDevice<Elem = T>,
    B: OnDevice<Elem = T>,
    T: Inexact,
{
    let (x, squares, rank, values) = check(lstsq_of(a.raw(), b.raw(), Some(rcond)));
    (DeviceArray::from_raw(x), DeviceArray::from_raw(squares), rank, DeviceArray::from_raw(values))
}

/// The determinants, their signs and the logarithms of their absolute values, for each matrix.
fn determinants(operation: &'static str, a: &RawArray, dtype: DType) -> Result<[RawArray; 3]> {
    let stack = Stack::square(operation, &as_mean(operation, a, dtype)?)?;
    let out = RawArray::uninitialised(operation, &stack.raw.handle, &[3, stack.count()], dtype)?;
    let rows = [0, 1, 2].map(|row| {
        let layout = Layout::contiguous(&stack.leading);
        out.with_layout(Layout { offset: row * stack.count(), ..layout })
    });
    if !stack.is_empty() {
        stack.backend()?.determinants(stack.raw.view(), out.view())?;
    } else if out.size() > 0 {
        // The products of no factors.
        for (row, of) in rows.iter().zip([Scalar::one, Scalar::one, Scalar::zero]) {
            row.handle.backend.fill(of(dtype), row.view())?;
        }
    }
    Ok(rows)
}

/// The same for one matrix, as numbers.
pub(crate) fn determinant(operation: &'static str, a: &RawArray, dtype: DType) -> Result<[Scalar; 3]> {
    Stack::single(operation, a, if operation == "det" { "det_each" } else { "slogdet_each" })?;
    let [first, ..] = determinants(operation, a, dtype)?;
    // All three, one behind the other.
    let mut bytes = [0u8; 48];
    let size = dtype.size();
    first.handle.backend.download(&first.allocation, first.layout.offset * size, &mut bytes[..3 * size])?;
    let [det, sign, logarithm] = [0, 1, 2].map(|at| {
        let mut bits = [0; 16];
        bits[..size].copy_from_slice(&bytes[at * size..][..size]);
        Scalar::from_bits(dtype, u128::from_ne_bytes(bits))
    });
    let logarithm = match logarithm {
        Scalar::C64(logarithm) => Scalar::F32(logarithm.re),
        Scalar::C128(logarithm) => Scalar::F64(logarithm.re),
        real => real,
    };
    Ok([det, sign, logarithm])
}

/// The inverses. With the place of the call, faults are reported later, if the device can.
pub(crate) fn inv_of(operation: &'static str, a: &RawArray, call: Call) -> Result<RawArray> {
    let stack = Stack::square(operation, a)?;
    let out = stack.output(operation, &[stack.rows(), stack.columns()])?;
    if !stack.is_empty() {
        stack.factorise(Factorisation::Inverses, operation, call, |backend, later| {
            backend.inverses(stack.raw.view(), out.view(), later)
        })?;
    }
    Ok(stack.unstacked(&out))
}

/// The error for a right side with another number of rows than the matrix has.
fn wrong_rows(operation: &'static str, a: &RawArray, b: &RawArray) -> Error {
    let rows = a.shape()[a.shape().len() - 2];
    let reason = format!(
        "of the right side does not fit the shape {:?} of the matrix; give a vector of {rows} elements, or a matrix of {rows} \
             rows with a column for each system",
        a.shape()
    );
    Error::shape(operation, b.shape(), reason)
}

/// The solutions. With the place of the call, faults are reported later, if the device can.
pub(crate) fn solve_of(a: &RawArray, b: &RawArray, call: Call) -> Result<RawArray> {
    let operation = "solve";
    a.same_device(operation, b)?;
    let n = Stack::square(operation, a)?.rows();
    let is_vector = b.shape().len() == 1;
    let b = if is_vector { column(b) } else { b.clone() };
    let Some((counts, &[rows, k])) = b.shape().split_last_chunk() else { return Err(wrong_rows(operation, a, &b)) };
    if rows != n {
        return Err(wrong_rows(operation, a, &if is_vector { line(&b) } else { b.clone() }));
    }
    let leading = shape::broadcast_shapes(operation, &a.shape()[..a.shape().len() - 2], counts)?;
    let matrices = Stack::new(operation, &broadcast_to(operation, a, &[&leading[..], &[n, n]].concat())?)?;
    let right = Stack::new(operation, &broadcast_to(operation, &b, &[&leading[..], &[n, k]].concat())?)?;
    let out = right.output(operation, &[n, k])?;
    if !right.is_empty() {
        matrices.factorise(Factorisation::Solve, operation, call, |backend, later| {
            backend.solve(matrices.raw.view(), right.raw.view(), out.view(), later)
        })?;
    }
    let out = right.unstacked(&out);
    Ok(if is_vector { line(&out) } else { out })
}

/// A factorisation by singular values, and what stands for dividing by them.
struct Division {
    u: RawArray,
    values: RawArray,
    vh: RawArray,
    /// The reciprocals, with an axis of length 1 behind them; 0 where a value counts as 0.
    reciprocals: RawArray,
    /// For each matrix the number of values that do not.
    ranks: Vec<usize>,
}

impl Division {
    fn new(operation: &'static str, a: &RawArray, rcond: Option<f64>) -> Result<Division> {
        let (values, vectors) = svd_of(operation, a, Some(false))?;
        let (u, vh) = vectors.expect("they were asked for");
        let (_, &[m, n]) = a.shape().split_last_chunk().expect("`svd_of` has found two axes");
        let size = m.min(n).max(1);
        let fraction = rcond.unwrap_or(epsilon(a.dtype) * m.max(n) as f64);
        let mut numbers = numbers(&values)?;
        let mut ranks = Vec::with_capacity(numbers.len() / size);
        for values in numbers.chunks_mut(size) {
            let least = values[0] * fraction;
            ranks.push(values.iter().filter(|&&value| value > least).count());
            values.iter_mut().for_each(|value| *value = if *value > least { 1.0 / *value } else { 0.0 });
        }
        let of = numbers.into_iter();
        let reciprocals = RawArray::of_floats(operation, &a.handle, values.shape(), of, values.dtype)?;
        let reciprocals = column(&as_mean(operation, &reciprocals, a.dtype)?);
        Ok(Division { u, values, vh, reciprocals, ranks })
    }

    /// `v · (reciprocals * x)`, where `x` has a row for each singular value.
    fn apply(&self, operation: &'static str, x: &RawArray) -> Result<RawArray> {
        let divided = binary(operation, BinaryOperation::Multiply, x, &self.reciprocals)?;
        multiply(operation, &adjoint(operation, &self.vh)?, &divided)
    }
}

fn pinv_of(a: &RawArray, rcond: Option<f64>) -> Result<[RawArray; 1]> {
    let division = Division::new("pinv", a, rcond)?;
    division.apply("pinv", &adjoint("pinv", &division.u)?).map(|inverse| [inverse])
}

pub(crate) fn lstsq_of(
    a: &RawArray,
    b: &RawArray,
    rcond: Option<f64>,
) -> Result<(RawArray, RawArray, usize, RawArray)> {
    let operation = "lstsq";
    a.same_device(operation, b)?;
    let &[m, n] = a.shape() else {
        let reason = "is not the shape of one matrix; slice or reshape the array to two axes";
        return Err(Error::shape(operation, a.shape(), reason));
    };
    let is_vector = b.shape().len() == 1;
    let b = if is_vector { column(b) } else { b.clone() };
    if b.shape().len() != 2 || b.shape()[0] != m {
        return Err(wrong_rows(operation, a, &if is_vector { line(&b) } else { b }));
    }
    let columns = b.shape()[1];
    let has_direct = a.handle.backend.factorisations().finds_least_squares();
    if has_direct && (1..=MOST_COLUMNS).contains(&columns) && n > 0 && m >= n {
        let (x, squares, rank, values) = directly(operation, a, &b, rcond)?;
        return Ok((if is_vector { line(&x) } else { x }, squares, rank, values));
    }
    if columns == 1 && n > 0 && m >= 2 * n {
        let (x, squares, rank, values) = least_squares(operation, a, &b, rcond)?;
        return Ok((if is_vector { line(&x) } else { x }, squares, rank, values));
    }
    let division = Division::new(operation, a, rcond)?;
    let rank = division.ranks.first().copied().unwrap_or(0);
    let x = division.apply(operation, &multiply(operation, &adjoint(operation, &division.u)?, &b)?)?;
    let squares = if m > n && rank == n {
        let product = multiply(operation, a, &x)?;
        squares(operation, &binary(operation, BinaryOperation::Subtract, &b, &product)?, &[0])?
    } else {
        RawArray::uninitialised(operation, &a.handle, &[0], a.dtype.part())?
    };
    Ok((if is_vector { line(&x) } else { x }, squares, rank, division.values))
}

/// With more right sides than these, singular vectors are quicker if the rank is not full: about half a matrix of them is multiplied
/// in the time that rotations of one right side take.
const MOST_COLUMNS: usize = 32;

/// What [`lstsq_of`] gives, by a backend that needs no singular vectors for it.
fn directly(
    operation: &'static str,
    a: &RawArray,
    b: &RawArray,
    rcond: Option<f64>,
) -> Result<(RawArray, RawArray, usize, RawArray)> {
    let &[m, n] = a.shape() else { unreachable!("a matrix") };
    let columns = b.shape()[1];
    let (matrix, right) = (Stack::new(operation, a)?, Stack::new(operation, b)?);
    matrix.finite(operation)?;
    let (values, x) = (matrix.real_output(operation, &[n])?, matrix.output(operation, &[n, columns])?);
    let squares = (m > n).then(|| matrix.output(operation, &[1, columns])).transpose()?;
    let outputs: Vec<_> =
        [Some(&values), Some(&x), squares.as_ref()].into_iter().flatten().map(RawArray::view).collect();
    let fraction = rcond.unwrap_or(epsilon(a.dtype) * m as f64);
    let fault = matrix.backend()?.least_squares([matrix.raw.view(), right.raw.view()], fraction, &outputs)?;
    matrix.sound(Factorisation::Svd, operation, fault)?;
    let found = numbers(&values)?;
    let rank = found.iter().filter(|&&value| value > found[0] * fraction).count();
    let squares = match squares {
        Some(squares) if rank == n => {
            let squares = squares.with_layout(Layout::contiguous(&[columns]));
            if a.dtype.is_complex() { squares.part(false).copied(operation)? } else { squares }
        }
        _ => RawArray::uninitialised(operation, &a.handle, &[0], a.dtype.part())?,
    };
    Ok((matrix.unstacked(&x), squares, rank, matrix.unstacked(&values)))
}

/// The same for a tall matrix and one column. QR of both beside each other leaves a triangular matrix with the singular values of `a`,
/// beside it what the solution is to give, and below that what no solution gives. So no matrix of the height of `a` is multiplied.
fn least_squares(
    operation: &'static str,
    a: &RawArray,
    b: &RawArray,
    rcond: Option<f64>,
) -> Result<(RawArray, RawArray, usize, RawArray)> {
    let &[m, n] = a.shape() else { unreachable!("a matrix") };
    let both = RawArray::uninitialised(operation, &a.handle, &[m, n + 1], a.dtype)?;
    assign(operation, &slice_axis(&both, 1, 0, 1, n), a)?;
    assign(operation, &slice_axis(&both, 1, n, 1, 1), b)?;
    let [r] = r_of(&both)?;
    let (above, below) = (slice_axis(&r, 0, 0, 1, n), slice_axis(&r, 0, n, 1, 1));
    let fraction = rcond.unwrap_or(epsilon(a.dtype) * m as f64);
    let division = Division::new(operation, &slice_axis(&above, 1, 0, 1, n), Some(fraction))?;
    let rank = division.ranks[0];
    let product = multiply(operation, &adjoint(operation, &division.u)?, &slice_axis(&above, 1, n, 1, 1))?;
    let squares = if rank == n {
        squares(operation, &slice_axis(&below, 1, n, 1, 1), &[0])?
    } else {
        RawArray::uninitialised(operation, &a.handle, &[0], a.dtype.part())?
    };
    Ok((division.apply(operation, &product)?, squares, rank, division.values))
}

fn power_of(a: &RawArray, exponent: i64) -> Result<RawArray> {
    let operation = "matrix_power";
    if a.dtype.is_storage() {
        return power_of(&a.to_compute_type(operation)?, exponent)?.converted(operation, a.dtype);
    }
    let stack = Stack::square(operation, a)?;
    if exponent == 0 {
        let out = stack.output(operation, &[stack.rows(), stack.columns()])?;
        fill_identity(&out)?;
        return Ok(stack.unstacked(&out));
    }
    if exponent < 0 && !(a.dtype.is_float() || a.dtype.is_complex()) {
        let reason = format!(
            "the exponent {exponent} is negative, but the inverse of an integer matrix needs floats; convert the array \
             first, such as `a.astype::<f64>()`"
        );
        return Err(Error::argument(operation, reason));
    }
    let mut square = if exponent < 0 { inv_of(operation, a, None)? } else { a.copied(operation)? };
    let (mut rest, mut power) = (exponent.unsigned_abs(), None);
    loop {
        if rest & 1 == 1 {
            power = Some(match power {
                None => square.clone(),
                Some(power) => multiply(operation, &power, &square)?,
            });
        }
        rest >>= 1;
        match power {
            Some(power) if rest == 0 => return Ok(power),
            _ => square = multiply(operation, &square, &square)?,
        }
    }
}
