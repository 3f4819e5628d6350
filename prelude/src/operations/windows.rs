//! Windows: weights that are large in the middle and small at the ends, for filters and spectra.

use crate::array::{DeviceArray, RawArray, slice_axis};
use crate::backend::Layout;
use crate::device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::composing::range_of_sums;
use crate::operations::elementwise::RawOperand;
use crate::operations::formulas::{self, Formula};
use crate::operations::map::registered_into;
use crate::operations::per_element::kaiser_weights;

macro_rules! windows {
    ($($(#[$doc:meta])* $name:ident $formula:ident $($number:literal)*;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(count: usize) -> DeviceArray<f64> {
            let name = stringify!($name);
            let weights = window(name, count, |places, span, target| {
                by_formula(name, formulas::$formula, places, &[span, $($number),*], target)
            });
            DeviceArray::from_raw(check(weights))
        }
    )*};
}
windows! {
    /// The window of Bartlett of `count` weights, a triangle from 0 to 1 and back to 0; NumPy's `bartlett`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::bartlett(5).tolist(), [0.0, 0.5, 1.0, 0.5, 0.0]);
    /// ```
    bartlett triangle;
    /// The window of Blackman of `count` weights, of three cosines; NumPy's `blackman`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!(gpu::allclose(&gpu::blackman(3), &[0.0, 1.0, 0.0]));
    /// ```
    blackman cosines 0.42 0.5 0.08;
    /// The window of Hamming of `count` weights, a cosine on a base of 0.08; NumPy's `hamming`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!(gpu::allclose(&gpu::hamming(3), &[0.08, 1.0, 0.08]));
    /// ```
    hamming cosines 0.54 0.46 0.0;
    /// The window of Hann of `count` weights, a cosine from 0 to 1 and back to 0; NumPy's `hanning`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!(gpu::allclose(&gpu::hanning(5), &[0.0, 0.5, 1.0, 0.5, 0.0]));
    /// ```
    hanning cosines 0.5 0.5 0.0;
}

/// The window of Kaiser of `count` weights with the shape `beta`: 0 gives equal weights, 14 a narrow window. NumPy's `kaiser`. The
/// Bessel function in it is that of [`i0`](fn@crate::i0).
///
/// **Panics** if `beta` is not from −700 to 700 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::kaiser(3, 0.0).tolist(), [1.0, 1.0, 1.0]);
/// assert!(gpu::allclose(&gpu::kaiser(3, 14.0), &[7.72686684e-06, 1.0, 7.72686684e-06]));
/// ```
#[track_caller]
pub fn kaiser(count: usize, beta: f64) -> DeviceArray<f64> {
    DeviceArray::from_raw(check(kaiser_of(count, beta)))
}

/// A window as a function of the places of its weights, from `-span` to `span` in steps of 2; one weight alone is 1. A place is the
/// sum of two numbers, which are broadcast. The weights go to the target, which has their shape.
fn window(
    name: &'static str,
    count: usize,
    weights: impl FnOnce([&RawArray; 2], f64, &RawArray) -> Result<()>,
) -> Result<RawArray> {
    let handle = device::current()?;
    if count < 2 {
        return RawArray::filled(name, &handle, &[count], Scalar::F64(1.0));
    }
    // A weight takes long, and the second half mirrors the first one. Of short windows all are computed, and perhaps a few more.
    let span = (count - 1) as f64;
    let first = if count < SHORT { count } else { count.div_ceil(2) };
    let [starts, steps] = range_of_sums(name, &handle, first, [-span, 2.0], DType::F64)?;
    let places = [starts.shape()[0], steps.shape()[1]];
    let computed = places[0] * places[1];
    let out = RawArray::uninitialised(name, &handle, &[count.max(computed)], DType::F64)?;
    weights([&starts, &steps], span, &out.with_layout(Layout::contiguous(&places)))?;
    if computed < count {
        let rest = count - computed;
        let (from, to) = (slice_axis(&out, 0, rest - 1, -1, rest), slice_axis(&out, 0, computed, 1, rest));
        // They have no element in common.
        handle.backend.copy(from.view(), to.view())?;
    }
    Ok(slice_axis(&out, 0, 0, 1, count))
}

/// Windows of fewer weights are short: half of one has a few lines of places.
const SHORT: usize = 1 << 13;

/// A formula of places and numbers, as [`window`] wants it.
fn by_formula(
    name: &'static str,
    formula: Formula,
    places: [&RawArray; 2],
    numbers: &[f64],
    target: &RawArray,
) -> Result<()> {
    let numbers = numbers.iter().map(|&value| RawOperand::Scalar(Scalar::F64(value)));
    let operands: Vec<RawOperand<'_>> = places.map(RawOperand::Array).into_iter().chain(numbers).collect();
    registered_into(name, formula(DType::F64), &operands, target)
}

fn kaiser_of(count: usize, beta: f64) -> Result<RawArray> {
    const NAME: &str = "kaiser";
    if !(-700.0..=700.0).contains(&beta) {
        let reason = format!("`beta` is {beta}; give a number from -700 to 700");
        return Err(Error::argument(NAME, reason));
    }
    window(NAME, count, |places, span, target| kaiser_weights(NAME, places, span, beta, target))
}
