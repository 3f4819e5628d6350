//! Powers of frequencies, and their averages over segments.

use crate::array::DeviceArray;
use crate::error::{Error, Result};
use crate::operations::elementwise::RawOperand;
use crate::operations::map::registered;
use num_complex::Complex;
use warpcell_macros::vectorize;

/// What a function over arrays makes of some.
pub(super) fn formula<F>(
    operation: &'static str,
    function: &F,
    of: [&DeviceArray<f64>; 3],
) -> Result<DeviceArray<f64>> {
    let operands = of.map(|array| RawOperand::Array(&array.raw));
    registered(operation, std::any::type_name_of_val(function), &operands).map(DeviceArray::from_raw)
}

/// A sample of a segment with a mean, in a window.
#[vectorize]
pub(super) fn levelled(sample: f64, mean: f64, weight: f64) -> f64 {
    (sample - mean) * weight
}

/// The power of a frequency.
#[vectorize]
pub(super) fn power(real: f64, imaginary: f64, scale: f64) -> f64 {
    (real * real + imaginary * imaginary) * scale
}

/// Numbers of each segment, averaged over the segments: `[rows, frequencies]`.
pub(super) fn averaged(part: &DeviceArray<f64>, average: &str) -> Result<DeviceArray<f64>> {
    let segments = part.shape()[1];
    match average {
        "mean" if segments == 1 => Ok(part.slice(ndarray::s![.., 0, ..])),
        "mean" => Ok(part.mean_axis(1)),
        "median" => {
            // The bias of the median of so many numbers of a chi-square distribution, as in SciPy.
            let bias =
                1.0 + (1..=(segments - 1) / 2).map(|k| 1.0 / (2 * k + 1) as f64 - 1.0 / (2 * k) as f64).sum::<f64>();
            Ok(crate::median_axis(part, 1) / bias)
        }
        _ => Err(Error::argument("csd", format!("`average` is {average:?}; give \"mean\" or \"median\""))),
    }
}

/// The products of the transforms of two signals, `[rows, frequencies]`, averaged over the segments.
pub(super) fn cross(
    x: &DeviceArray<Complex<f64>>,
    y: &DeviceArray<Complex<f64>>,
    average: &str,
    scales: &DeviceArray<f64>,
) -> Result<DeviceArray<Complex<f64>>> {
    let products = &x.conj() * y;
    let real = &averaged(&products.real(), average)? * scales;
    let imaginary = &averaged(&products.imag(), average)? * scales;
    Ok(&real.astype::<Complex<f64>>() + &(&imaginary.astype::<Complex<f64>>() * Complex::new(0.0, 1.0)))
}

/// The squares of the absolute values.
pub(super) fn squares(of: &DeviceArray<Complex<f64>>) -> DeviceArray<f64> {
    let (real, imaginary) = (of.real(), of.imag());
    &(&real * &real) + &(&imaginary * &imaginary)
}
