//! Linear interpolation.

use crate::array::indices::RawIndices;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::BinaryOperation;
use crate::dtype::{Float, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{RawOperand, binary};
use crate::operations::indexing::take;
use crate::operations::selection::choose;
use crate::operations::sorting::{Side, search};

/// The values at `x` of the function that is linear between the points `(xp, fp)`; before the first point and behind the last
/// one it is constant. NumPy's `interp`. `xp` is 1-D and ascending, `x` has any shape.
///
/// **Panics** if `xp` and `fp` are not 1-D and of one length, or empty ([`Error::InvalidShape`]), or if a device differs.
///
/// ```
/// use warpcell as gpu;
/// let (xp, fp) = (gpu::array(&[1.0, 2.0, 4.0]), gpu::array(&[3.0, 2.0, 0.0]));
/// assert_eq!(gpu::interp(&gpu::array(&[0.0, 1.5, 3.0, 9.0]), &xp, &fp).tolist(), [3.0, 2.5, 1.0, 0.0]);
/// ```
#[track_caller]
pub fn interp<X, P, F, T>(x: &X, xp: &P, fp: &F) -> DeviceArray<T>
where
    X: OnDevice<Elem = T>,
    P: OnDevice<Elem = T>,
    F: OnDevice<Elem = T>,
    T: Float,
{
    DeviceArray::from_raw(check(interpolated(x.raw(), xp.raw(), fp.raw())))
}

fn interpolated(x: &RawArray, xp: &RawArray, fp: &RawArray) -> Result<RawArray> {
    const NAME: &str = "interp";
    x.same_device(NAME, fp)?;
    let count = fp.size();
    if xp.shape() != fp.shape() || fp.shape().len() != 1 || count == 0 {
        let reason = format!(
            "of `fp` does not fit that of `xp`, {:?}; give two 1-D arrays of one length, with a point at least",
            xp.shape()
        );
        return Err(Error::InvalidShape { operation: NAME, shape: fp.shape().to_vec(), reason });
    }
    let of =
        |operation, a: &RawArray, b: &RawArray| binary(NAME, operation, RawOperand::Array(a), RawOperand::Array(b));
    let with = |operation, a: &RawArray, number: i64| {
        binary(NAME, operation, RawOperand::Array(a), RawOperand::Scalar(Scalar::I64(number)))
    };
    // The point before each value, and the one behind it; at the ends they are the same.
    let behind = search(NAME, xp, x, Side::Right)?;
    let before = with(BinaryOperation::Maximum, &with(BinaryOperation::Subtract, &behind, 1)?, 0)?;
    let behind = with(BinaryOperation::Minimum, &behind, count as i64 - 1)?;
    let at = |array: &RawArray, places: &RawArray| take(array, RawIndices::Device(places.clone()));
    let (x0, x1, f0, f1) = (at(xp, &before)?, at(xp, &behind)?, at(fp, &before)?, at(fp, &behind)?);
    let width = of(BinaryOperation::Subtract, &x1, &x0)?;
    let slope = of(BinaryOperation::Divide, &of(BinaryOperation::Subtract, &f1, &f0)?, &width)?;
    let distance = of(BinaryOperation::Subtract, x, &x0)?;
    let inner = of(BinaryOperation::Add, &f0, &of(BinaryOperation::Multiply, &slope, &distance)?)?;
    // Without a width there is no slope. NaN stays NaN: it is behind all points, and not equal to itself.
    let is_end = of(BinaryOperation::Equal, &before, &behind)?;
    let is_number = of(BinaryOperation::Equal, x, x)?;
    let is_end = of(BinaryOperation::LogicalAnd, &is_end, &is_number)?;
    choose(&is_end, RawOperand::Array(&f0), RawOperand::Array(&inner))
}
