//! Linear interpolation.

use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::Float;
use crate::error::{Error, Result, check};

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
    xp.same_device(NAME, fp)?;
    RawArray::written(NAME, &x.handle, x.shape(), x.dtype, |out| {
        let [x, places, values] = [x, xp, fp].map(|array| array.contiguous(NAME));
        out.handle.backend.interpolate(x?.view(), places?.view(), values?.view(), out.view())
    })
}
