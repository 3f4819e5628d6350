//! Convolutions under SciPy's names and with its defaults: of arrays with any number of axes, all of the result unless it is said.

use crate::array::DeviceArray;
use crate::array::flip;
use crate::dtype::Float;
use crate::operations::convolve::Mode;
use crate::operations::fftconvolve::Method;
use crate::operations::fftconvolve::{convolve_with as convolved, fftconvolve as transformed};

/// The convolution of two arrays with as many axes, by the faster method. SciPy's `convolve`: `gpu::signal::convolve!(&a, &b, mode =
/// "same")` is the part as large as the first.
///
/// **Panics** as [`gpu::fftconvolve`](fn@crate::fftconvolve) does.
///
/// ```
/// use warpcell as gpu;
/// let y = gpu::signal::convolve(&gpu::array(&[1.0, 2.0, 3.0]), &gpu::array(&[0.0, 1.0]));
/// assert!(gpu::allclose(&y, &[0.0, 1.0, 2.0, 3.0]));
/// ```
#[track_caller]
pub fn convolve<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>) -> DeviceArray<T> {
    convolved(in1, in2, Mode::Full, Method::Auto)
}

/// As [`convolve`](fn@convolve), of a part.
#[track_caller]
pub fn convolve_with<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>, mode: Mode) -> DeviceArray<T> {
    convolved(in1, in2, mode, Method::Auto)
}

/// The correlation of two arrays with as many axes, by the faster method. SciPy's `correlate`, with the keyword `mode`;
/// [`correlation_lags`](fn@super::correlation_lags) are how far the second one is moved.
///
/// **Panics** as [`gpu::fftconvolve`](fn@crate::fftconvolve) does.
///
/// ```
/// use warpcell as gpu;
/// let y = gpu::signal::correlate(&gpu::array(&[1.0, 2.0, 3.0]), &gpu::array(&[0.0, 1.0]));
/// assert!(gpu::allclose(&y, &[1.0, 2.0, 3.0, 0.0]));
/// ```
#[track_caller]
pub fn correlate<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>) -> DeviceArray<T> {
    correlate_with(in1, in2, Mode::Full)
}

/// As [`correlate`](fn@correlate), of a part.
#[track_caller]
pub fn correlate_with<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>, mode: Mode) -> DeviceArray<T> {
    let axes: Vec<isize> = (0..in2.ndim() as isize).collect();
    convolved(in1, &flip(in2, axes), mode, Method::Auto)
}

/// The convolution of two arrays with as many axes by Fourier transforms. SciPy's `fftconvolve`, with the keyword `mode`.
///
/// **Panics** as [`gpu::fftconvolve`](fn@crate::fftconvolve) does.
///
/// ```
/// use warpcell as gpu;
/// let y = gpu::signal::fftconvolve!(&gpu::array(&[1.0, 2.0, 3.0]), &gpu::array(&[0.0, 1.0]), mode = "same");
/// assert!(gpu::allclose(&y, &[0.0, 1.0, 2.0]));
/// ```
#[track_caller]
pub fn fftconvolve<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>) -> DeviceArray<T> {
    transformed(in1, in2, Mode::Full)
}

/// As [`fftconvolve`](fn@fftconvolve), of a part.
#[track_caller]
pub fn fftconvolve_with<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>, mode: Mode) -> DeviceArray<T> {
    transformed(in1, in2, mode)
}

/// The convolution of two arrays of which one is much longer, by transforms of pieces of it. SciPy's `oaconvolve`, with the keyword
/// `mode`. The same as [`fftconvolve`](fn@fftconvolve), which takes pieces where they serve: pieces that overlap ("overlap-save"),
/// in place of SciPy's results that do ("overlap-add").
///
/// **Panics** as [`gpu::fftconvolve`](fn@crate::fftconvolve) does.
///
/// ```
/// use warpcell as gpu;
/// let y = gpu::signal::oaconvolve(&gpu::ones::<f64>(1000), &gpu::array(&[1.0, 1.0]));
/// assert_eq!(y.shape(), [1001]);
/// ```
#[track_caller]
pub fn oaconvolve<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>) -> DeviceArray<T> {
    transformed(in1, in2, Mode::Full)
}

/// As [`oaconvolve`](fn@oaconvolve), of a part.
#[track_caller]
pub fn oaconvolve_with<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>, mode: Mode) -> DeviceArray<T> {
    transformed(in1, in2, mode)
}
