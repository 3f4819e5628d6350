//! Polynomials as 1-D arrays of coefficients.
//!
//! `polyval`, `polyfit`, `poly`, `roots`, `polyadd`, `polysub`, `polymul`, `polydiv`, `polyder` and `polyint` are NumPy's of these
//! names, in which the coefficient of the highest power comes first; [`Poly1d`] (`poly1d.rs`) is made of them. `polyvander`,
//! `polyvalfromroots`, `polycompanion`, `trimcoef`, `trimseq` and `as_series` are those of `numpy.polynomial`, in which that of the
//! lowest power comes first.

mod poly1d;
mod roots;

pub use poly1d::{Poly1d, PolyArgument, poly1d, try_poly1d};
pub(crate) use roots::roots_of;
pub use roots::{roots, try_roots};

use crate::array::sides::AnyView;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, join, slice_axis, transfer};
use crate::backend::{BinaryOperation, Layout, Operand, ReduceOperation, UnaryOperation};
use crate::device;
use crate::dtype::{Arithmetic, DType, Element, Float, Inexact, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::linalg::equations::{inv_of, lstsq_of};
use crate::operations::composing::Composed;
use crate::operations::convolve::{Mode, Sum, slide_raw};
use crate::operations::elementwise::{RawOperand, binary};
use crate::operations::formulas::{self, apply_one};
use crate::operations::products::matmul_by;
use crate::operations::reduce::{as_mean, reduce};
use crate::operations::selection::flat_positions;
use crate::operations::statistics::with_axes;
use crate::thin::thin;

thin! {
    /// The values at `x` of the polynomial with these coefficients, that of the highest power first; `x` has any shape. By
    /// Horner's scheme. NumPy's `polyval`.
    ///
    /// **Panics** if `p` is not 1-D ([`Error::InvalidShape`]) or a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// // x² + 2x + 3
    /// assert_eq!(gpu::polyval(&gpu::array(&[1.0, 2.0, 3.0]), &gpu::array(&[0.0, 1.0])).tolist(), [3.0, 6.0]);
    /// ```
    pub fn polyval<P: OnDevice<Elem = T>, X: OnDevice<Elem = T>, T: Arithmetic>(p: &P, x: &X) -> DeviceArray<T> =>
        values(p.raw(), x.raw());

    /// The coefficients of the polynomial of degree `deg` that fits the points `(x, y)` best, with the least sum of squares,
    /// that of the highest power first (`f64` for integers). `x` is 1-D; `y` too, or a matrix with a column for each
    /// polynomial. By the singular value decomposition; waits. NumPy's `polyfit`; `gpu::polyfit!(&x, &y, 2, w = &w)` has its
    /// weights, `cov = true` gives the covariances of the coefficients too, and `full = true` what the fit found out.
    ///
    /// **Panics** if the shapes do not fit or there is no point ([`Error::InvalidShape`]), and as
    /// [`lstsq`](fn@crate::linalg::lstsq) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, y) = (gpu::array(&[0.0, 1.0, 2.0, 3.0]), gpu::array(&[1.0, 3.0, 5.0, 7.0]));
    /// assert!(gpu::allclose(&gpu::polyfit(&x, &y, 1), &[2.0, 1.0]));
    /// ```
    pub fn polyfit<X, Y, T>(x: &X, y: &Y, deg: usize) -> DeviceArray<T::Mean>
    where X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number =>
        fitted(x.raw(), y.raw(), deg, None, None, T::Mean::DTYPE).map(|fit| fit.coefficients);

    /// The coefficients of the polynomial with these roots, that of the highest power, 1, first. NumPy's `poly`, which gives
    /// real coefficients also for complex roots in conjugate pairs: here they have the type of the roots, and `.real()` takes
    /// the real parts. [`roots`](roots()) is the opposite.
    ///
    /// Of a square matrix it is the characteristic polynomial, whose roots are the eigenvalues; see
    /// [`eigvals`](crate::linalg::eigvals()), which waits.
    ///
    /// **Panics** if the array is neither 1-D nor a square matrix with elements ([`Error::InvalidShape`]), and as `eigvals`
    /// does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// // (x − 1)(x − 2)
    /// assert_eq!(gpu::poly(&gpu::array(&[1.0, 2.0])).tolist(), [1.0, -3.0, 2.0]);
    /// ```
    pub fn poly<A: OnDevice<Elem = T>, T: Inexact>(roots: &A) -> DeviceArray<T> => roots::coefficients(roots.raw());

    /// The coefficients of the sum of two polynomials, that of the highest power first; NumPy's `polyadd`.
    ///
    /// **Panics** if an array is not 1-D ([`Error::InvalidShape`]) or a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::polyadd(&gpu::array(&[1, 2, 3]), &gpu::array(&[10, 20])).tolist(), [1, 12, 23]);
    /// ```
    pub fn polyadd<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Arithmetic>(a: &A, b: &B) -> DeviceArray<T> =>
        aligned("polyadd", BinaryOperation::Add, a.raw(), b.raw());

    /// The coefficients of the difference of two polynomials, that of the highest power first; NumPy's `polysub`.
    ///
    /// **Panics** if an array is not 1-D ([`Error::InvalidShape`]) or a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::polysub(&gpu::array(&[10, 20]), &gpu::array(&[1, 2, 3])).tolist(), [-1, 8, 17]);
    /// ```
    pub fn polysub<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Arithmetic>(a: &A, b: &B) -> DeviceArray<T> =>
        aligned("polysub", BinaryOperation::Subtract, a.raw(), b.raw());

    /// The coefficients of the product of two polynomials, that of the highest power first, without zeros in front. NumPy's
    /// `polymul`. Waits for the device, since only it knows how many zeros there are.
    ///
    /// **Panics** if an array is not 1-D ([`Error::InvalidShape`]) or a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// // (x + 1)(x − 1)
    /// assert_eq!(gpu::polymul(&gpu::array(&[1, 1]), &gpu::array(&[0, 1, -1])).tolist(), [1, 0, -1]);
    /// ```
    pub fn polymul<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Arithmetic>(a: &A, b: &B) -> DeviceArray<T> =>
        product(a.raw(), b.raw());
}

fallible! {
    /// The quotient of two polynomials and what is left over, `(q, r)`: `u` is `q · v + r`, and the degree of `r` is less
    /// than that of `v`. The coefficients of the highest powers come first. NumPy's `polydiv`. Of integers, which are divided
    /// as `f64`. Waits; it is computed on the host, because each step needs the one before.
    ///
    /// As in NumPy, coefficients of `r` in front that are not greater than 1e-8 are left out, and division by a `v` whose first
    /// coefficient is 0 gives infinity or NaN.
    ///
    /// **Panics** if an array is not 1-D or has no elements ([`Error::InvalidShape`]), or a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// // x² + 5x + 7 is (x + 2)(x + 3) + 1.
    /// let (q, r) = gpu::polydiv(&gpu::array(&[1.0, 5.0, 7.0]), &gpu::array(&[1.0, 2.0]));
    /// assert_eq!((q.tolist(), r.tolist()), (vec![1.0, 3.0], vec![1.0]));
    /// ```
    pub fn polydiv, try_polydiv<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Arithmetic>(
        u: &A,
        v: &B,
    ) -> Result<(DeviceArray<T::Mean>, DeviceArray<T::Mean>)> {
        let (quotient, rest) = divided(u.raw(), v.raw(), T::Mean::DTYPE)?;
        Ok((DeviceArray::from_raw(quotient), DeviceArray::from_raw(rest)))
    }

    /// The coefficients of the derivative, that of the highest power first; NumPy's `polyder`. `gpu::polyder!(&p, m = 2)` is
    /// the second derivative. The derivative of a constant has no coefficients.
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// // x³ + x² + x + 1
    /// assert_eq!(gpu::polyder(&gpu::array(&[1, 1, 1, 1])).tolist(), [3, 2, 1]);
    /// ```
    pub fn polyder, try_polyder<A: OnDevice<Elem = T>, T: Arithmetic>(p: &A) -> Result<DeviceArray<T>> {
        derivative(p.raw(), 1).map(DeviceArray::from_raw)
    }

    /// The coefficients of an integral, that of the highest power first, with the constant 0; `f64` for integers. NumPy's
    /// `polyint`. `gpu::polyint!(&p, m = 2, k = [1.0, 0.0])` integrates twice, with these constants.
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// // 3x² + 2x + 1
    /// assert_eq!(gpu::polyint(&gpu::array(&[3.0, 2.0, 1.0])).tolist(), [1.0, 1.0, 1.0, 0.0]);
    /// ```
    pub fn polyint, try_polyint<A: OnDevice<Elem = T>, T: Arithmetic>(p: &A) -> Result<DeviceArray<T::Mean>> {
        antiderivative(p.raw(), &[T::Mean::default().to_scalar()], T::Mean::DTYPE).map(DeviceArray::from_raw)
    }
}

thin! {
    /// The powers 0 to `deg` of each element, along a new last axis; `numpy.polynomial.polynomial.polyvander`. An array
    /// without axes is one with one element.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::polyvander(&gpu::array(&[2.0, 3.0]), 2).ravel().tolist(), [1.0, 2.0, 4.0, 1.0, 3.0, 9.0]);
    /// ```
    pub fn polyvander<A: OnDevice<Elem = T>, T: Float>(x: &A, deg: usize) -> DeviceArray<T> => {
        let x = crate::atleast_1d(x);
        powers("polyvander", &x.raw, deg, false)
    };

    /// The values at `x` of the polynomial with these roots and the highest coefficient 1; `x` has any shape. Of a matrix of
    /// roots, one polynomial for each column, and an axis for them before those of `x`.
    /// `numpy.polynomial.polynomial.polyvalfromroots`.
    ///
    /// **Panics** if there is no axis of roots ([`Error::InvalidShape`]) or a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// // (x − 1)(x − 2)
    /// assert_eq!(gpu::polyvalfromroots(&gpu::array(&[0.0, 1.0]), &gpu::array(&[1.0, 2.0])).tolist(), [2.0, 0.0]);
    /// ```
    pub fn polyvalfromroots<X: OnDevice<Elem = T>, R: OnDevice<Elem = T>, T: Float>(x: &X, roots: &R) -> DeviceArray<T> =>
        values_from_roots(x.raw(), roots.raw());

    /// The companion matrix of the polynomial with these coefficients, that of the lowest power first: its eigenvalues are
    /// the roots. `numpy.polynomial.polynomial.polycompanion`. Waits for the device, since zeros at the end do not count.
    ///
    /// **Panics** if the array is not 1-D, or the degree is less than 1 ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::polycompanion(&gpu::array(&[6.0, -5.0, 1.0])).ravel().tolist(), [0.0, -6.0, 1.0, 5.0]);
    /// ```
    pub fn polycompanion<A: OnDevice<Elem = T>, T: Float>(c: &A) -> DeviceArray<T> => companion(c.raw());

    /// The coefficients without those of the highest powers, at the end, that are 0; one is always left.
    /// `numpy.polynomial.polyutils.trimcoef`; `gpu::trimcoef!(&c, tol = 1e-9)` also drops those that are not greater than
    /// this. Waits for the device, since only it knows how many there are.
    ///
    /// **Panics** if the array is not 1-D or empty ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::trimcoef(&gpu::array(&[0.0, 3.0, 0.0, 0.0])).tolist(), [0.0, 3.0]);
    /// ```
    pub fn trimcoef<A: OnDevice<Elem = T>, T: Float>(c: &A) -> DeviceArray<T> => trimmed(c.raw(), 0.0);

    /// The array without zeros at the end; one element is always left if there is one. `numpy.polynomial.polyutils.trimseq`.
    /// A view; waits for the device, since only it knows how many there are.
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::trimseq(&gpu::array(&[0, 3, 0, 0])).tolist(), [0, 3]);
    /// ```
    pub fn trimseq<A: OnDevice<Elem = T>, T: Element>(seq: &A) -> DeviceArray<T> => without_end("trimseq", seq.raw());
}

/// Coefficients as 1-D arrays of floats, without zeros of the highest powers, at the end. NumPy's `polyutils.as_series`;
/// `gpu::as_series!([&a, &b], trim = false)` leaves the zeros. The arrays have one element type, and the results are copies:
/// `f64` of integers. Waits for the device, since only it knows how many zeros there are.
///
/// **Panics** if an array is not 1-D or has no elements ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let series = gpu::as_series([&gpu::array(&[1, 2, 0]), &gpu::array(&[0, 0])]);
/// assert_eq!((series[0].tolist(), series[1].tolist()), (vec![1.0, 2.0], vec![0.0]));
/// ```
#[track_caller]
pub fn as_series<'a, A: OnDevice<Elem = T> + 'a, T: Arithmetic>(
    alist: impl IntoIterator<Item = &'a A>,
) -> Vec<DeviceArray<T::Mean>> {
    check(alist.into_iter().map(|one| series(one.raw(), true, T::Mean::DTYPE).map(DeviceArray::from_raw)).collect())
}

/// The length of a 1-D array.
fn length_of(name: &'static str, x: &RawArray) -> Result<usize> {
    match *x.shape() {
        [length] => Ok(length),
        _ => Err(Error::shape(name, x.shape(), "is not 1-D; give the coefficients or roots as a 1-D array")),
    }
}

/// An element, as an array without axes, or the part of an array at a place along its first axis.
fn at(x: &RawArray, place: usize) -> RawArray {
    let Layout { mut shape, mut strides, offset } = x.layout.clone();
    shape.remove(0);
    let step = strides.remove(0);
    // An array without elements may have no place for this one.
    let skipped = if x.size() == 0 { 0 } else { step * place as isize };
    let offset = offset.checked_add_signed(skipped).expect("within the allocation");
    x.with_layout(Layout { shape, strides, offset })
}

fn values(p: &RawArray, x: &RawArray) -> Result<RawArray> {
    const NAME: &str = "polyval";
    let calc = Composed(NAME);
    let count = length_of(NAME, p)?;
    p.same_device(NAME, x)?;
    if count == 0 {
        return RawArray::filled(NAME, &x.handle, x.shape(), Scalar::zero(x.dtype));
    }
    // As in NumPy, the first step multiplies by x, too: at infinity the result is NaN.
    let zero = RawOperand::Scalar(Scalar::zero(x.dtype));
    // In one pass a step, which takes longer to begin.
    if formulas::has_numbers(x.dtype) && x.size() > 1 {
        let step = |sum: RawOperand<'_>, place: usize| {
            let operands = [sum, RawOperand::Array(x), RawOperand::Array(&at(p, place))];
            apply_one(NAME, formulas::horner_step, &operands)
        };
        return (1..count).try_fold(step(zero, 0)?, |sum, place| step(RawOperand::Array(&sum), place));
    }
    let out = binary(NAME, BinaryOperation::Multiply, x, zero)?;
    for place in 0..count {
        if place > 0 {
            calc.pair_into(BinaryOperation::Multiply, &out, x)?;
        }
        calc.pair_into(BinaryOperation::Add, &out, &at(p, place))?;
    }
    Ok(out)
}

/// The powers of each element along a new last axis, ascending or descending.
pub(crate) fn powers(name: &'static str, x: &RawArray, deg: usize, descending: bool) -> Result<RawArray> {
    let count = deg.saturating_add(1);
    // Each power is one block of memory, written once.
    let out = RawArray::uninitialised(name, &x.handle, &[&[count], x.shape()].concat(), x.dtype)?;
    let power = |exponent: usize| {
        let place = if descending { deg - exponent } else { exponent };
        let Layout { shape, strides, offset } = slice_axis(&out, 0, place, 1, 1).layout;
        out.with_layout(Layout { shape: shape[1..].to_vec(), strides: strides[1..].to_vec(), offset })
    };
    if x.size() > 0 {
        x.handle.backend.fill(Scalar::one(x.dtype), power(0).view())?;
    }
    for exponent in 1..if x.size() > 0 { count } else { 0 } {
        let (before, out) = (power(exponent - 1), power(exponent));
        let factors = (Operand::Array(before.view()), Operand::Array(x.view()));
        x.handle.backend.binary(BinaryOperation::Multiply, factors.0, factors.1, out.view())?;
    }
    Ok(out.moved(0, x.shape().len()))
}

/// A fit by least squares.
pub(crate) struct Fit {
    pub coefficients: RawArray,
    /// The sums of the squares of the residuals; empty unless the rank is full and there are more points than coefficients.
    pub squares: RawArray,
    pub rank: usize,
    /// The singular values of the matrix of powers, whose columns have length 1.
    pub values: RawArray,
    /// The share of the largest singular value up to which others count as 0.
    pub rcond: f64,
    /// That matrix, and the lengths that its columns had.
    powers: RawArray,
    lengths: RawArray,
}

impl Fit {
    /// The covariances of the coefficients; of residuals that are as large as they are here, or of weights that say it. For several
    /// polynomials the last axis has them.
    pub fn covariance(&self, scaled: bool) -> Result<RawArray> {
        const NAME: &str = "polyfit";
        let calc = Composed(NAME);
        let gram = matmul_by(&self.powers.moved(0, 1), &self.powers, false)?;
        let inverse = inv_of(NAME, &gram, None)?;
        let both = calc.pair(BinaryOperation::Multiply, &with_axes(&self.lengths, &[1]), &self.lengths)?;
        let base = calc.pair(BinaryOperation::Divide, &inverse, &both)?;
        let of_each = if self.coefficients.shape().len() == 1 { base } else { with_axes(&base, &[2]) };
        if !scaled {
            return Ok(of_each);
        }
        let [points, order] = [self.powers.shape()[0], self.powers.shape()[1]];
        if points <= order || self.rank < order {
            let reason = format!(
                "{points} points with rank {} do not say how large the residuals of {order} coefficients are; give more \
                 points, or write `cov = \"unscaled\"`",
                self.rank
            );
            return Err(Error::argument(NAME, reason));
        }
        let variances = calc.with(BinaryOperation::Divide, &self.squares, (points - order) as f64)?;
        calc.pair(BinaryOperation::Multiply, &of_each, &variances)
    }
}

/// The polynomial of least squares, of weighted residuals if there are weights, with floats of `dtype`.
pub(crate) fn fitted(
    x: &RawArray,
    y: &RawArray,
    deg: usize,
    rcond: Option<f64>,
    weights: Option<&RawArray>,
    dtype: DType,
) -> Result<Fit> {
    const NAME: &str = "polyfit";
    let calc = Composed(NAME);
    x.same_device(NAME, y)?;
    let invalid = |shape: &RawArray, reason: String| Err(Error::shape(NAME, shape.shape(), reason));
    let count = length_of(NAME, x)?;
    if count == 0 {
        return invalid(x, "has no elements; give at least one point".into());
    }
    if !matches!(y.shape().len(), 1 | 2) || y.shape()[0] != count {
        let reason =
            format!("of `y` does not fit the {count} elements of `x`; give a value for each, or a row of values");
        return invalid(y, reason);
    }
    let mut right = as_mean(NAME, y, dtype)?;
    let left = powers(NAME, &as_mean(NAME, x, dtype)?, deg, true)?;
    if let Some(weights) = weights {
        x.same_device(NAME, weights)?;
        if weights.shape() != [count] {
            return invalid(
                weights,
                format!("of the weights does not fit the {count} elements of `x`; give one for each"),
            );
        }
        let column = with_axes(weights, &[1]);
        calc.pair_into(BinaryOperation::Multiply, &left, &column)?;
        let of_rows = if right.shape().len() == 1 { weights } else { &column };
        right = calc.pair(BinaryOperation::Multiply, &right, of_rows)?;
    }
    // Columns of length 1, so that powers of all sizes count alike.
    let scale = calc.each(UnaryOperation::Sqrt, &reduce(NAME, ReduceOperation::SumSquares, &left, &[0])?)?;
    calc.pair_into(BinaryOperation::Divide, &left, &scale)?;
    let epsilon = if dtype == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let rcond = rcond.unwrap_or(epsilon * count as f64);
    let (found, squares, rank, values) = lstsq_of(&left, &right, Some(rcond))?;
    let of_each = if found.shape().len() == 1 { scale.clone() } else { with_axes(&scale, &[1]) };
    let coefficients = calc.pair(BinaryOperation::Divide, &found, &of_each)?;
    Ok(Fit { coefficients, squares, rank, values, rcond, powers: left, lengths: scale })
}

/// The sum or difference of coefficients with those of the lowest powers, at the ends, on one another.
fn aligned(name: &'static str, operation: BinaryOperation, a: &RawArray, b: &RawArray) -> Result<RawArray> {
    let (count_a, count_b) = (length_of(name, a)?, length_of(name, b)?);
    a.same_device(name, b)?;
    let count = count_a.max(count_b);
    let out = RawArray::filled(name, &a.handle, &[count], Scalar::zero(a.dtype))?;
    assign(name, &slice_axis(&out, 0, count - count_a, 1, count_a), a)?;
    Composed(name).pair_into(operation, &slice_axis(&out, 0, count - count_b, 1, count_b), b)?;
    Ok(out)
}

/// The place of an extreme element that is not zero, if there is one; the device is waited for.
fn nonzero_place(name: &'static str, x: &RawArray, last: bool) -> Result<Option<usize>> {
    // Mostly it is the one at the end, for which one number is read.
    let end = if last { x.size().wrapping_sub(1) } else { 0 };
    if end < x.size() && transfer::item(&at(x, end))? != Scalar::zero(x.dtype) {
        return Ok(Some(end));
    }
    let places = flat_positions(name, x)?;
    let Some(most) = places.size().checked_sub(1) else { return Ok(None) };
    let place: i64 = transfer::typed_scalar(transfer::item(&at(&places, if last { most } else { 0 }))?);
    Ok(usize::try_from(place).ok())
}

fn product(a: &RawArray, b: &RawArray) -> Result<RawArray> {
    const NAME: &str = "polymul";
    a.same_device(NAME, b)?;
    let without_start = |x: &RawArray| -> Result<RawArray> {
        let count = length_of(NAME, x)?;
        match nonzero_place(NAME, x, false)? {
            Some(place) => Ok(slice_axis(x, 0, place, 1, count - place)),
            None => RawArray::filled(NAME, &x.handle, &[1], Scalar::zero(x.dtype)),
        }
    };
    full_product(&without_start(a)?, &without_start(b)?)
}

/// As [`product`], with the zeros in front.
fn full_product(a: &RawArray, b: &RawArray) -> Result<RawArray> {
    const NAME: &str = "polymul";
    let of = |a: &RawArray, b: &RawArray| slide_raw(a, b, Mode::Full, Sum::Convolution);
    if !a.dtype.is_complex() {
        return of(&a.to_compute_type(NAME)?, &b.to_compute_type(NAME)?)?.converted(NAME, a.dtype);
    }
    let calc = Composed(NAME);
    let parts = |one: bool, other: bool| of(&a.part(one), &b.part(other));
    let out = RawArray::uninitialised(NAME, &a.handle, &[a.size() + b.size() - 1], a.dtype)?;
    let real = calc.pair(BinaryOperation::Subtract, &parts(false, false)?, &parts(true, true)?)?;
    let imaginary = calc.pair(BinaryOperation::Add, &parts(false, true)?, &parts(true, false)?)?;
    assign(NAME, &out.part(false), &real)?;
    assign(NAME, &out.part(true), &imaginary)?;
    Ok(out)
}

/// Numbers from `first` down to 1, as elements of a type.
fn descending(name: &'static str, x: &RawArray, first: usize, dtype: DType) -> Result<RawArray> {
    let numbers = (1..=first).rev().map(|number| number as f64);
    RawArray::of_floats(name, &x.handle, &[first], numbers, DType::F64)?.converted(name, dtype)
}

/// The derivative of this order.
pub(crate) fn derivative(p: &RawArray, order: usize) -> Result<RawArray> {
    const NAME: &str = "polyder";
    let mut p = p.clone();
    let mut count = length_of(NAME, &p)?;
    for _ in 0..order.min(count) {
        count -= 1;
        let powers = descending(NAME, &p, count, p.dtype)?;
        p = Composed(NAME).pair(BinaryOperation::Multiply, &slice_axis(&p, 0, 0, 1, count), &powers)?;
    }
    if order == 0 { p.copied(NAME) } else { Ok(p) }
}

/// An integral, once for each of these constants, as floats of `dtype`.
pub(crate) fn antiderivative(p: &RawArray, constants: &[Scalar], dtype: DType) -> Result<RawArray> {
    const NAME: &str = "polyint";
    length_of(NAME, p)?;
    let mut p = p.converted(NAME, dtype)?;
    for &constant in constants {
        let powers = descending(NAME, &p, p.size(), dtype)?;
        let last = RawArray::filled(NAME, &p.handle, &[1], constant)?;
        p = join(NAME, &[Composed(NAME).pair(BinaryOperation::Divide, &p, &powers)?, last], 0)?;
    }
    Ok(p)
}

/// As many constants as integrals: those that are given, one for all, or 0 for all.
pub(crate) fn constants(count: usize, given: Vec<Scalar>, zero: Scalar) -> Result<Vec<Scalar>> {
    match *given {
        [] => Ok(vec![zero; count]),
        [one] => Ok(vec![one; count]),
        _ if given.len() >= count => Ok(given[..count].to_vec()),
        _ => {
            let reason = format!(
                "there are {} constants for {count} integrals; give one constant, or one for each integral",
                given.len()
            );
            Err(Error::argument("polyint", reason))
        }
    }
}

/// The quotient and the rest.
fn divided(u: &RawArray, v: &RawArray, dtype: DType) -> Result<(RawArray, RawArray)> {
    const NAME: &str = "polydiv";
    let calc = Composed(NAME);
    u.same_device(NAME, v)?;
    for one in [u, v] {
        if length_of(NAME, one)? == 0 {
            return Err(without_coefficients(NAME));
        }
    }
    u.handle.may_wait(NAME)?;
    // Many small steps: on the host.
    let on_host = |x: &RawArray| transfer::bring(NAME, &AnyView::Device(x), &device::host())?.converted(NAME, dtype);
    let (rest, v) = (on_host(u)?, on_host(v)?);
    let steps = (rest.size() + 1).saturating_sub(v.size());
    let quotient = RawArray::filled(NAME, &rest.handle, &[steps.max(1)], Scalar::zero(dtype))?;
    for step in 0..steps {
        let factor =
            calc.pair(BinaryOperation::Divide, &slice_axis(&rest, 0, step, 1, 1), &slice_axis(&v, 0, 0, 1, 1))?;
        assign(NAME, &slice_axis(&quotient, 0, step, 1, 1), &factor)?;
        let product = calc.pair(BinaryOperation::Multiply, &v, &factor)?;
        calc.pair_into(BinaryOperation::Subtract, &slice_axis(&rest, 0, step, 1, v.size()), &product)?;
    }
    let sizes = calc.each(UnaryOperation::Abs, &rest)?.converted(NAME, DType::F64)?;
    let sizes: Vec<f64> = transfer::download_vec(&sizes)?;
    let next_to_nothing = sizes[..sizes.len() - 1].iter().take_while(|&&size| size <= 1e-8).count();
    let rest = slice_axis(&rest, 0, next_to_nothing, 1, rest.size() - next_to_nothing);
    let back = |x: &RawArray| transfer::bring(NAME, &AnyView::Device(x), &u.handle);
    Ok((back(&quotient)?, back(&rest.copied(NAME)?)?))
}

/// Coefficients as floats of `dtype`, without zeros at the end if they are to be trimmed.
pub(crate) fn series(x: &RawArray, trim: bool, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "as_series";
    if length_of(NAME, x)? == 0 {
        return Err(without_coefficients(NAME));
    }
    if trim { without_end(NAME, x)?.converted(NAME, dtype) } else { x.converted(NAME, dtype) }
}

fn without_coefficients(name: &'static str) -> Error {
    let reason = "has no elements; give at least one coefficient";
    Error::shape(name, [0], reason)
}

fn values_from_roots(x: &RawArray, roots: &RawArray) -> Result<RawArray> {
    const NAME: &str = "polyvalfromroots";
    let calc = Composed(NAME);
    x.same_device(NAME, roots)?;
    let Some((&count, kept)) = roots.shape().split_first() else {
        let reason = "has no axis of roots; give a 1-D array";
        return Err(Error::shape(NAME, Vec::new(), reason));
    };
    let out = RawArray::filled(NAME, &x.handle, &[kept, x.shape()].concat(), Scalar::one(x.dtype))?;
    let behind: Vec<usize> = (kept.len()..kept.len() + x.shape().len()).collect();
    for place in 0..count {
        let distance = calc.pair(BinaryOperation::Subtract, x, &with_axes(&at(roots, place), &behind))?;
        calc.pair_into(BinaryOperation::Multiply, &out, &distance)?;
    }
    Ok(out)
}

fn without_end(name: &'static str, x: &RawArray) -> Result<RawArray> {
    let count = length_of(name, x)?;
    let kept = nonzero_place(name, x, true)?.map_or(count.min(1), |place| place + 1);
    Ok(slice_axis(x, 0, 0, 1, kept))
}

fn companion(c: &RawArray) -> Result<RawArray> {
    const NAME: &str = "polycompanion";
    let calc = Composed(NAME);
    let c = without_end(NAME, c)?;
    let order = c.size().saturating_sub(1);
    if order == 0 {
        let reason = "has no coefficient but that of the power 0 that counts; give a polynomial of degree 1 at least";
        return Err(Error::shape(NAME, c.shape(), reason));
    }
    let out = RawArray::filled(NAME, &c.handle, &[order, order], Scalar::zero(c.dtype))?;
    let below = crate::array::triangles::diagonal_view(&out, -1);
    if below.size() > 0 {
        below.handle.backend.fill(Scalar::one(c.dtype), below.view())?;
    }
    let ratios = calc.pair(BinaryOperation::Divide, &slice_axis(&c, 0, 0, 1, order), &at(&c, order))?;
    let column = Layout { shape: vec![order], strides: vec![order as isize], offset: order - 1 };
    calc.pair_into(BinaryOperation::Subtract, &out.with_layout(column), &ratios)?;
    Ok(out)
}

/// The coefficients up to the last one whose absolute value is greater than the tolerance, or a zero.
pub(crate) fn trimmed(c: &RawArray, tolerance: f64) -> Result<RawArray> {
    const NAME: &str = "trimcoef";
    let calc = Composed(NAME);
    if length_of(NAME, c)? == 0 {
        return Err(without_coefficients(NAME));
    }
    if tolerance < 0.0 {
        let reason = format!("the tolerance {tolerance} is negative; give 0 or a positive one");
        return Err(Error::argument(NAME, reason));
    }
    let counts = calc.with(BinaryOperation::Greater, &calc.each(UnaryOperation::Abs, c)?, tolerance)?;
    match nonzero_place(NAME, &counts, true)? {
        Some(place) => slice_axis(c, 0, 0, 1, place + 1).copied(NAME),
        // NumPy's zero is the first coefficient times 0.
        None => calc.with(BinaryOperation::Multiply, &slice_axis(c, 0, 0, 1, 1), 0.0),
    }
}
