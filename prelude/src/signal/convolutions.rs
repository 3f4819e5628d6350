//! Convolutions under SciPy's names and with its defaults: of arrays with any number of axes, all of the result unless it is said.

use crate::array::axes::axes_of;
use crate::array::flip;
use crate::array::{DeviceArray, IntoAxes, OnDevice, RawArray, slice_axis};
use crate::backend::BinaryOperation;
use crate::dtype::Float;
use crate::error::{Error, Result};
use crate::fft::{Norm, next_fast_len};
use crate::operations::convolve::Mode;
use crate::operations::elementwise::binary;
use crate::operations::fftconvolve::Method;
use crate::operations::fftconvolve::{convolve_with as convolved, fftconvolve as by_spectra};
use crate::operations::fourier::{Request, TransformKind, transformed};
use crate::thin::thin;

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

/// The convolution of two arrays with as many axes by Fourier transforms. SciPy's `fftconvolve`, with the keywords `mode` and `axes`.
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
    by_spectra(in1, in2, Mode::Full)
}

/// As [`fftconvolve`](fn@fftconvolve), of a part.
#[track_caller]
pub fn fftconvolve_with<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>, mode: Mode) -> DeviceArray<T> {
    by_spectra(in1, in2, mode)
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
    by_spectra(in1, in2, Mode::Full)
}

/// As [`oaconvolve`](fn@oaconvolve), of a part.
#[track_caller]
pub fn oaconvolve_with<T: Float>(in1: &DeviceArray<T>, in2: &DeviceArray<T>, mode: Mode) -> DeviceArray<T> {
    by_spectra(in1, in2, mode)
}

thin! {
    /// As [`fftconvolve_with`](fn@fftconvolve_with), along some axes only; along the others the arrays are broadcast. SciPy's
    /// `fftconvolve` with `axes`: `gpu::signal::fftconvolve!(&a, &b, mode = "same", axes = 1)`.
    ///
    /// **Panics** if there is no such axis, or nothing along it, or one of the arrays is not the longer one along all axes in the mode
    /// "valid" ([`Error::InvalidShape`]), the other axes do not broadcast ([`Error::ShapeMismatch`]), or the devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let rows = gpu::array(&[[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]);
    /// let y = gpu::signal::fftconvolve!(&rows, &gpu::array(&[[1.0, 1.0]]), axes = -1);
    /// assert!(gpu::allclose(&y, &gpu::array(&[[1.0, 3.0, 5.0, 3.0], [0.0, 1.0, 1.0, 0.0]])));
    /// ```
    pub fn fftconvolve_axes<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Float>(
        in1: &A,
        in2: &B,
        mode: Mode,
        axes: impl IntoAxes
    ) -> DeviceArray<T> => along(in1.raw(), in2.raw(), mode, &axes.into_axes());
}

fn along(a: &RawArray, b: &RawArray, mode: Mode, axes: &[isize]) -> Result<RawArray> {
    const NAME: &str = "fftconvolve";
    a.same_device(NAME, b)?;
    let rank = a.shape().len();
    if b.shape().len() != rank {
        let reason = format!("is the shape of the second array; give {rank} axes, as many as the first one has");
        return Err(Error::shape(NAME, b.shape(), reason));
    }
    let axes = axes_of(NAME, a.shape(), axes)?;
    let lengths = |axis: usize| (a.shape()[axis], b.shape()[axis]);
    if let Some(axis) = axes.iter().find(|axis| lengths(**axis).0 == 0 || lengths(**axis).1 == 0) {
        let reason = format!("has nothing along axis {axis}, or the other array {:?} has not", b.shape());
        return Err(Error::shape(NAME, a.shape(), reason));
    }
    let is_ordered = |is_first: bool| {
        axes.iter()
            .all(|axis| (lengths(*axis).0 >= lengths(*axis).1) == is_first || lengths(*axis).0 == lengths(*axis).1)
    };
    if mode == Mode::Valid && !(is_ordered(true) || is_ordered(false)) {
        let reason = format!("is neither longer than {:?} along all of the axes nor shorter", b.shape());
        return Err(Error::shape(NAME, a.shape(), reason));
    }
    if axes.is_empty() {
        return binary(NAME, BinaryOperation::Multiply, a, b);
    }
    a.handle.backend.can_transform()?;
    let points: Vec<usize> = axes.iter().map(|axis| next_fast_len(lengths(*axis).0 + lengths(*axis).1 - 1)).collect();
    let signed: Vec<isize> = axes.iter().map(|axis| *axis as isize).collect();
    let transform = |kind, x: &RawArray| {
        let request = Request {
            operation: NAME,
            kind,
            lengths: Some(&points),
            axes: &signed,
            norm: Norm::Backward,
            part: a.dtype,
        };
        transformed(&request, x)
    };
    let (one, other) = (transform(TransformKind::Half, a)?, transform(TransformKind::Half, b)?);
    let product = binary(NAME, BinaryOperation::Multiply, &one, &other)?;
    let whole = transform(TransformKind::Back, &product)?;
    let cut = axes.iter().fold(whole, |whole, axis| {
        let (n, k) = lengths(*axis);
        let (start, count) = match mode {
            Mode::Full => (0, n + k - 1),
            Mode::Same => ((k - 1) / 2, n),
            Mode::Valid => (n.min(k) - 1, n.max(k) - n.min(k) + 1),
        };
        slice_axis(&whole, *axis, start, 1, count)
    });
    cut.contiguous(NAME)
}
