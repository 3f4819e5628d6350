//! Linear interpolation.

use crate::array::{DeviceArray, OnDevice, RawArray, assign, slice_axis};
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::{Float, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{RawOperand, binary};
use crate::operations::formulas::{self, apply_one};
use crate::operations::fourier::complex;
use crate::operations::indexing::parts;
use crate::operations::scan::differences;
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
        return Err(Error::shape(NAME, fp.shape(), reason));
    }
    // The point before each place among the points, and the slope behind it. Before the first one the function is as at that
    // point, and there is no slope behind the last. Both coordinates of a point are read at once, as a complex number.
    let starts = RawArray::uninitialised(NAME, &x.handle, &[count + 1], complex(fp.dtype))?;
    for (coordinates, is_value) in [(xp, false), (fp, true)] {
        let part = starts.part(is_value);
        assign(NAME, &slice_axis(&part, 0, 0, 1, 1), &slice_axis(coordinates, 0, 0, 1, 1))?;
        assign(NAME, &slice_axis(&part, 0, 1, 1, count), coordinates)?;
    }
    let slopes = RawArray::filled(NAME, &x.handle, &[count + 1], Scalar::zero(fp.dtype))?;
    let (heights, widths) = (differences(NAME, fp, 1, 0)?, differences(NAME, xp, 1, 0)?);
    let between = binary(NAME, BinaryOperation::Divide, &heights, &widths)?;
    assign(NAME, &slice_axis(&slopes, 0, 1, 1, count - 1), &between)?;

    let places = search(NAME, xp, x, Side::Right)?.flat(NAME)?;
    let at = |array: &RawArray| Ok(parts(NAME, array, 0, &places)?.with_layout(Layout::contiguous(x.shape())));
    let (start, slope) = (at(&starts)?, at(&slopes)?);
    let (x0, y0) = (start.part(false), start.part(true));
    apply_one(NAME, formulas::interpolated, &[x, &x0, &y0, &slope].map(RawOperand::Array))
}
