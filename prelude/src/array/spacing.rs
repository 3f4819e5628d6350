//! Numbers whose logarithms are at equal distances.

use crate::array::create::evenly_spaced;
use crate::array::view::slice_axis;
use crate::array::{DeviceArray, RawArray};
use crate::backend::{BinaryOperation, UnaryOperation};
use crate::dtype::{DType, Float, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::{binary, unary};
use crate::thin::thin;

thin! {
    /// `count` powers of 10 whose exponents are evenly spaced from `start` to `stop`, both included; 1-D. NumPy's `logspace`;
    /// `gpu::logspace!(0.0, 3.0, base = 2.0)` has its keywords. Computed in `f64`.
    ///
    /// **Panics** if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!(gpu::allclose(&gpu::logspace(0.0, 3.0, 4), &[1.0, 10.0, 100.0, 1000.0]));
    /// ```
    pub fn logspace<T: Float>(start: T, stop: T, count: usize) -> DeviceArray<T> =>
        powers("logspace", start.to_f64(), stop.to_f64(), count, true, 10.0, T::DTYPE);

    /// `count` numbers from `start` to `stop`, both included, each the same multiple of the one before; 1-D. NumPy's
    /// `geomspace`; `gpu::geomspace!(1.0, 8.0, 3, endpoint = false)` has its keywords. Computed in `f64`.
    ///
    /// **Panics** if an end is 0, or the ends have different signs ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!(gpu::allclose(&gpu::geomspace(1.0, 8.0, 4), &[1.0, 2.0, 4.0, 8.0]));
    /// assert!(gpu::allclose(&gpu::geomspace(-1.0, -4.0, 3), &[-1.0, -2.0, -4.0]));
    /// ```
    pub fn geomspace<T: Float>(start: T, stop: T, count: usize) -> DeviceArray<T> =>
        multiples(start.to_f64(), stop.to_f64(), count, true, T::DTYPE);
}

/// `logspace` with all arguments.
pub(crate) fn powers(
    operation: &'static str,
    start: f64,
    stop: f64,
    count: usize,
    has_end: bool,
    base: f64,
    dtype: DType,
) -> Result<RawArray> {
    let exponents = evenly_spaced(operation, [start, stop], count, has_end, DType::F64)?;
    let powers = binary(operation, BinaryOperation::Power, Scalar::F64(base), &exponents)?;
    if dtype == DType::F64 { Ok(powers) } else { powers.converted(operation, dtype) }
}

/// `geomspace` with all arguments.
pub(crate) fn multiples(start: f64, stop: f64, count: usize, has_end: bool, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "geomspace";
    let is_negative = start < 0.0;
    if start == 0.0 || stop == 0.0 || is_negative != (stop < 0.0) {
        let reason = format!(
            "no number times itself again and again leads from {start} to {stop}; give two ends of one sign that are not 0"
        );
        return Err(Error::argument(NAME, reason));
    }
    let (start, stop) = (start.abs(), stop.abs());
    let out = powers(NAME, start.log10(), stop.log10(), count, has_end, 10.0, DType::F64)?;
    // Powers are rounded; the ends are what was asked for.
    let set =
        |place: usize, value: f64| out.handle.backend.fill(Scalar::F64(value), slice_axis(&out, 0, place, 1, 1).view());
    if count > 1 && has_end {
        set(count - 1, stop)?;
    }
    if count > 0 {
        set(0, start)?;
    }
    let out = if is_negative { unary(NAME, UnaryOperation::Negative, &out)? } else { out };
    if dtype == DType::F64 { Ok(out) } else { out.converted(NAME, dtype) }
}
