//! Comparing arrays to a tolerance, on either side.

use crate::array::sides::{AnyView, sealed::Any};
use crate::array::{AnyArray, DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::{BinaryOperation, ReduceOperation, UnaryOperation};
use crate::device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Result, check};
use crate::fallible::fallible;
use crate::operations::elementwise::{RawOperand, binary, unary};
use crate::operations::formulas::{self, apply_one};
use crate::operations::map::registered_reduced;
use crate::operations::reduce::reduce_all;

/// Whether all elements satisfy `|x − y| ≤ 1e-8 + 1e-5·|y|`, after broadcasting; NumPy's `allclose`.
///
/// Takes arrays on the host and on the device in any mix, of any element types; they are compared as `f64`, or as
/// `Complex<f64>` if one of them is complex. Equal
/// infinities are close, NaN is close to nothing. Two device arrays are compared on their device, others on the
/// host. Waits for the result.
///
/// **Panics** if the shapes do not broadcast ([`Error::ShapeMismatch`](crate::Error::ShapeMismatch)).
///
/// ```
/// let a = warpcell::linspace(0.0, 1.0, 4);
/// assert!(warpcell::allclose(&a, &a.to_host()));
/// assert!(!warpcell::allclose(&a, &[0.0]));
/// ```
#[track_caller]
pub fn allclose<X: AnyArray + ?Sized, Y: AnyArray + ?Sized>(x: &X, y: &Y) -> bool {
    check(try_allclose_with(x, y, 1e-5, 1e-8, false))
}

fallible! {
    /// As [`allclose`], with tolerances: `|x − y| ≤ absolute + relative·|y|`, and NaN equal to NaN if `equal_nan`.
    ///
    /// ```
    /// assert!(warpcell::allclose_with(&[1.0, f64::NAN], &[1.01, f64::NAN], 0.1, 0.0, true));
    /// ```
    pub fn allclose_with, try_allclose_with<X, Y>(
        x: &X,
        y: &Y,
        relative: f64,
        absolute: f64,
        equal_nan: bool,
    ) -> Result<bool>
    where
        X: ?Sized + AnyArray,
        Y: ?Sized + AnyArray,
    {
        compare(&Any::any_view(x), &Any::any_view(y), relative, absolute, equal_nan)
    }
}

/// Whether each element of `x` is close to that of `y`, as [`allclose`] says; shapes broadcast. NumPy's `isclose`;
/// `gpu::isclose!(&x, &y, rtol = 1e-3)` has its keywords.
///
/// **Panics** if the shapes do not broadcast ([`Error::ShapeMismatch`](crate::Error::ShapeMismatch)), or a device differs.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::isclose(&gpu::array(&[1.0, 2.0]), &gpu::array(&[1.0, 2.1])).tolist(), [true, false]);
/// ```
#[track_caller]
pub fn isclose<X: OnDevice, Y: OnDevice>(x: &X, y: &Y) -> DeviceArray<bool> {
    DeviceArray::from_raw(check(close_elements(x.raw(), y.raw(), 1e-5, 1e-8, false)))
}

pub(crate) fn close_elements(
    x: &RawArray,
    y: &RawArray,
    relative: f64,
    absolute: f64,
    equal_nan: bool,
) -> Result<RawArray> {
    x.same_device("isclose", y)?;
    closeness(&AnyView::Device(x), &AnyView::Device(y), relative, absolute, equal_nan)
}

/// Whether two arrays have one shape and the same elements; NumPy's `array_equal`. NaN differs from NaN. Waits for the result.
///
/// **Panics** if a device differs.
///
/// ```
/// use warpcell as gpu;
/// assert!(gpu::array_equal(&gpu::array(&[1, 2]), &gpu::arange(1..3)));
/// assert!(!gpu::array_equal(&gpu::array(&[1, 2]), &gpu::array(&[[1, 2]])));
/// ```
#[track_caller]
pub fn array_equal<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Element>(x: &X, y: &Y) -> bool {
    check(all_equal(x.raw(), y.raw(), false))
}

/// Whether the arrays are equal, where NaN may equal NaN.
pub(crate) fn all_equal(x: &RawArray, y: &RawArray, equal_nan: bool) -> Result<bool> {
    const NAME: &str = "array_equal";
    x.same_device(NAME, y)?;
    if x.shape() != y.shape() {
        return Ok(false);
    }
    let mut equal = binary(NAME, BinaryOperation::Equal, x, y)?;
    if equal_nan && (x.dtype.is_float() || x.dtype.is_complex()) {
        // Only NaN differs from itself.
        let [nan_x, nan_y] = [x, y].map(|side| binary(NAME, BinaryOperation::NotEqual, side, side));
        let both = binary(NAME, BinaryOperation::LogicalAnd, &nan_x?, &nan_y?)?;
        equal = binary(NAME, BinaryOperation::LogicalOr, &equal, &both)?;
    }
    Ok(reduce_all(NAME, ReduceOperation::All, &equal)? == Scalar::Bool(true))
}

/// As [`try_allclose_with`], of arrays without their types.
pub(crate) fn compare(x: &AnyView<'_>, y: &AnyView<'_>, relative: f64, absolute: f64, equal_nan: bool) -> Result<bool> {
    let (x, y) = brought(x, y)?;
    let all = if x.dtype.is_float() {
        // In one pass.
        x.handle.may_wait(NAME)?;
        let operands = tolerances(&x, &y, relative, absolute, equal_nan);
        transfer::item(&registered_reduced(NAME, formulas::is_close(x.dtype), ReduceOperation::All, &operands)?)?
    } else {
        reduce_all(NAME, ReduceOperation::All, &close_parts(&x, &y, relative, absolute, equal_nan)?)?
    };
    Ok(all == Scalar::Bool(true))
}

const NAME: &str = "allclose";

/// Which elements are close to each other.
fn closeness(x: &AnyView<'_>, y: &AnyView<'_>, relative: f64, absolute: f64, equal_nan: bool) -> Result<RawArray> {
    let (x, y) = brought(x, y)?;
    if x.dtype.is_float() {
        let operands = tolerances(&x, &y, relative, absolute, equal_nan);
        apply_one(NAME, formulas::is_close, &operands)
    } else {
        close_parts(&x, &y, relative, absolute, equal_nan)
    }
}

/// Both arrays on one device, as `f32` if both are, else as `f64`, or as complex numbers if one of them is.
fn brought(x: &AnyView<'_>, y: &AnyView<'_>) -> Result<(RawArray, RawArray)> {
    let handle = match (x, y) {
        (AnyView::Device(x), AnyView::Device(y)) if x.handle.device == y.handle.device => x.handle.clone(),
        _ => device::host(),
    };
    let dtypes = [x, y].map(|view| match view {
        AnyView::Host(view) => view.dtype,
        AnyView::Device(raw) => raw.dtype,
    });
    let dtype = match dtypes {
        [DType::F32, DType::F32] => DType::F32,
        [x, y] if x.is_complex() || y.is_complex() => DType::C128,
        _ => DType::F64,
    };
    let bring = |view| -> Result<RawArray> { transfer::bring(NAME, view, &handle)?.in_type(NAME, dtype) };
    Ok((bring(x)?, bring(y)?))
}

/// The operands of the formula for floats.
fn tolerances<'a>(
    x: &'a RawArray,
    y: &'a RawArray,
    relative: f64,
    absolute: f64,
    equal_nan: bool,
) -> [RawOperand<'a>; 5] {
    let number = |value| RawOperand::Scalar(Scalar::F64(value));
    let equal_nan = RawOperand::Scalar(Scalar::Bool(equal_nan));
    [RawOperand::Array(x), RawOperand::Array(y), number(relative), number(absolute), equal_nan]
}

/// Which complex numbers are close to each other.
fn close_parts(x: &RawArray, y: &RawArray, relative: f64, absolute: f64, equal_nan: bool) -> Result<RawArray> {
    let pair = |operation, a: &RawArray, b: &RawArray| binary(NAME, operation, a, b);
    let with = |operation, a: &RawArray, value: f64| binary(NAME, operation, a, Scalar::F64(value));
    let distance = unary(NAME, UnaryOperation::Abs, &pair(BinaryOperation::Subtract, x, y)?)?;
    let magnitude = unary(NAME, UnaryOperation::Abs, y)?;
    let tolerance = with(BinaryOperation::Add, &with(BinaryOperation::Multiply, &magnitude, relative)?, absolute)?;
    // An infinite `y` has an infinite tolerance, within which every finite `x` would lie.
    let finite = with(BinaryOperation::Less, &magnitude, f64::INFINITY)?;
    let within = pair(BinaryOperation::LogicalAnd, &pair(BinaryOperation::LessEqual, &distance, &tolerance)?, &finite)?;
    let mut close = pair(BinaryOperation::LogicalOr, &within, &pair(BinaryOperation::Equal, x, y)?)?;
    if equal_nan {
        let is_nan = |raw: &RawArray| unary(NAME, UnaryOperation::IsNan, raw);
        let (x, y) = (is_nan(x)?, is_nan(y)?);
        close = pair(BinaryOperation::LogicalOr, &close, &pair(BinaryOperation::LogicalAnd, &x, &y)?)?;
    }
    Ok(close)
}
