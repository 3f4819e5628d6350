//! Arrays of other shapes and at other places, by splines; and filters in the frequency domain.

use super::arguments::IntoNumbers;
use super::with;
use crate::array::{AnyArray, DeviceArray, OnDevice};
use crate::dtype::{Element, Real, Spectrum};
use crate::floats::IntoFloat;

/// The array with other lengths along its axes, by splines; SciPy's `zoom`. Keywords of its macro: `order` (0 to 5; 3), `mode` (`"constant"`), `cval`, `prefilter`, `grid_mode`.
///
/// **Panics** if a factor is not positive; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(12.0).reshape((3, 4));
/// let y = gpu::ndimage::zoom(&x, 2.0);
/// assert_eq!(y.shape(), [6, 8]);
/// assert!(gpu::allclose(&y.slice(ndarray::s![5, 7]), &x.slice(ndarray::s![2, 3])));
/// ```
#[track_caller]
pub fn zoom<A: OnDevice<Elem = T>, T: Real>(input: &A, zoom: impl IntoNumbers) -> DeviceArray<T> {
    with::zoom(input, zoom, 3, "constant", 0.0, true, false)
}

/// The array with its elements moved by as many places along each axis, which may be fractions, by splines; SciPy's `shift`.
/// Keywords of its macro: `order` (0 to 5; 3 is the default), `mode` (`"constant"`), `cval`, `prefilter`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[1.0, 2.0, 3.0]);
/// assert!(gpu::allclose(&gpu::ndimage::shift(&x, 1.0), &[0.0, 1.0, 2.0]));
/// ```
#[track_caller]
pub fn shift<A: OnDevice<Elem = T>, T: Real>(input: &A, shift: impl IntoNumbers) -> DeviceArray<T> {
    with::shift(input, shift, 3, "constant", 0.0, true)
}

/// The array rotated by an angle in degrees in the plane of two axes, by splines; SciPy's `rotate`. Keywords of its macro:
/// `order` (0 to 5; 3 is the default), `mode` (`"constant"`), `cval`, `prefilter`, `axes` (`(1, 0)`), `reshape` (whether the
/// result is as large as the rotated array; yes).
///
/// **Panics** if there are not two axes; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(6.0).reshape((2, 3));
/// assert!(gpu::allclose(&gpu::ndimage::rotate(&x, 90.0), &gpu::rot90(&x)));
/// ```
#[track_caller]
pub fn rotate<A: OnDevice<Elem = T>, T: Real>(input: &A, angle: impl IntoFloat) -> DeviceArray<T> {
    let angle = angle.into_float();
    with::rotate(input, angle, (1, 0), true, 3, "constant", 0.0, true)
}

/// The values at a matrix times each index of the result, by splines; SciPy's `affine_transform`. The matrix has a row for each
/// axis, and perhaps a column with the offset and a last row of zeros and 1; or it is the diagonal alone. A matrix on a device
/// is read back, for which the function waits. Keywords of its macro: `order` (0 to 5; 3 is the default), `mode` (`"constant"`),
/// `cval`, `prefilter`, `offset`, `output_shape`.
///
/// **Panics** if the matrix has another shape; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(6.0).reshape((2, 3));
/// let y = gpu::ndimage::affine_transform(&x, &[[1.0, 0.0], [0.0, 0.5]]);
/// assert!(gpu::allclose(&y.slice(ndarray::s![1, ..;2]), &[3.0, 4.0]));
/// ```
#[track_caller]
pub fn affine_transform<A: OnDevice<Elem = T>, T: Real, M: ?Sized + AnyArray>(input: &A, matrix: &M) -> DeviceArray<T> {
    with::affine_transform(input, matrix, 0.0, (), 3, "constant", 0.0, true)
}

/// The values at coordinates, by splines; SciPy's `map_coordinates`. The first axis of the coordinates has one for each axis of
/// the array, and the result has the other axes. Keywords of its macro: `order` (0 to 5; 3 is the default), `mode` (`"constant"`),
/// `cval`, `prefilter`.
///
/// **Panics** if there are not as many coordinates as axes; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(12.0).reshape((4, 3));
/// let y = gpu::ndimage::map_coordinates(&x, &[[0.5, 2.0], [0.5, 1.0]]);
/// assert!(gpu::allclose(&y, &[1.3625, 7.0]));
/// ```
#[track_caller]
pub fn map_coordinates<A: OnDevice<Elem = T>, T: Real, C: ?Sized + AnyArray>(
    input: &A,
    coordinates: &C,
) -> DeviceArray<T> {
    with::map_coordinates(input, coordinates, 3, "constant", 0.0, true)
}

/// The coefficients of splines through the elements, for functions of this module with `prefilter = false`; SciPy's
/// `spline_filter`. Keywords of its macro: `order` (0 to 5; 3 is the default), `mode` (`"mirror"`).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::ones::<f64>((4, 4));
/// assert!(gpu::allclose(&gpu::ndimage::spline_filter(&x), &x));
/// ```
#[track_caller]
pub fn spline_filter<A: OnDevice<Elem = T>, T: Real>(input: &A) -> DeviceArray<f64> {
    with::spline_filter(input, 3, "mirror")
}

/// As [`spline_filter`](fn@spline_filter), along one axis; SciPy's `spline_filter1d`. Keywords of its macro: `order`, `axis`
/// (the last one), `mode`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::ones::<f64>((4, 4));
/// assert!(gpu::allclose(&gpu::ndimage::spline_filter1d(&x), &x));
/// ```
#[track_caller]
pub fn spline_filter1d<A: OnDevice<Elem = T>, T: Real>(input: &A) -> DeviceArray<f64> {
    with::spline_filter1d(input, 3, -1, "mirror")
}

/// The Fourier transform of an array times that of a Gaussian, so that its inverse is smoothed; SciPy's `fourier_gaussian`.
/// Keywords of its macro: `n`, the length along `axis` before a transform of real numbers (-1: the array is that of complex
/// ones), and `axis`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::ones::<f64>(4);
/// assert!((gpu::ndimage::fourier_gaussian(&x, 1.0).get(&[1]) - 0.2912).abs() < 1e-4);
/// ```
#[track_caller]
pub fn fourier_gaussian<A: OnDevice<Elem = T>, T: Element>(input: &A, sigma: impl IntoNumbers) -> DeviceArray<T::Mean> {
    with::fourier_gaussian(input, sigma, -1, -1)
}

/// The Fourier transform of an array times that of a box, so that its inverse is averaged; SciPy's `fourier_uniform`. Keywords
/// of its macro: `n`, the length along `axis` before a transform of real numbers (-1: the array is that of complex ones), and
/// `axis`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::ones::<f64>(4);
/// assert!((gpu::ndimage::fourier_uniform(&x, 2.0).get(&[1]) - 0.6366).abs() < 1e-4);
/// ```
#[track_caller]
pub fn fourier_uniform<A: OnDevice<Elem = T>, T: Element>(input: &A, size: impl IntoNumbers) -> DeviceArray<T::Mean> {
    with::fourier_uniform(input, size, -1, -1)
}

/// The Fourier transform of an array times that of a shift, so that the elements of its inverse are moved; SciPy's
/// `fourier_shift`. Keywords of its macro: `n`, the length along `axis` before a transform of real numbers (-1: the array is
/// that of complex ones), and `axis`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::fft::fft(&gpu::array(&[1.0, 2.0, 3.0, 4.0]));
/// let y = gpu::fft::ifft(&gpu::ndimage::fourier_shift(&x, 1.0));
/// assert!(gpu::allclose(&y.real(), &[4.0, 1.0, 2.0, 3.0]));
/// ```
#[track_caller]
pub fn fourier_shift<A: OnDevice<Elem = T>, T: Element>(
    input: &A,
    shift: impl IntoNumbers,
) -> DeviceArray<Spectrum<T>> {
    with::fourier_shift(input, shift, -1, -1)
}
