//! Filters: windows that move over an array, and the morphology of grey values.

use super::arguments::{IntoNumbers, MaybeAxes};
use super::with;
use crate::array::{AnyArray, DeviceArray, IntoAxes, OnDevice};
use crate::dtype::Real;
use crate::floats::IntoFloat;

/// The weighted sums of the elements around each one, along an axis; SciPy's `correlate1d`. Keywords of its macro: `axis` (the
/// last one), `mode`, `cval`, `origin`.
///
/// **Panics** if the weights are not a vector; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2.0, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0]);
/// assert_eq!(gpu::ndimage::correlate1d(&x, &[1.0, 3.0]).tolist(), [8.0, 26.0, 8.0, 12.0, 7.0, 28.0, 36.0, 9.0]);
/// ```
#[track_caller]
pub fn correlate1d<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(input: &A, weights: &W) -> DeviceArray<T> {
    with::correlate1d(input, weights, -1, "reflect", 0.0, 0)
}

/// The convolution with weights, along an axis: as [`correlate1d`](fn@correlate1d) with the weights in reverse; SciPy's
/// `convolve1d`. Keywords of its macro: `axis` (the last one), `mode`, `cval`, `origin`.
///
/// **Panics** if the weights are not a vector; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2.0, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0]);
/// assert_eq!(gpu::ndimage::convolve1d(&x, &[1.0, 3.0]).tolist(), [14.0, 24.0, 4.0, 13.0, 12.0, 36.0, 27.0, 0.0]);
/// ```
#[track_caller]
pub fn convolve1d<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(input: &A, weights: &W) -> DeviceArray<T> {
    with::convolve1d(input, weights, -1, "reflect", 0.0, 0)
}

/// The weighted sums of the elements around each one; SciPy's `correlate`. The weights have as many axes as the array, an array
/// of the host or of the device. Keywords of its macro: `mode`, `cval`, `origin`.
///
/// **Panics** if the weights have other axes; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(9.0).reshape((3, 3));
/// let y = gpu::ndimage::correlate(&x, &[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
/// assert_eq!(y.get(&[1, 1]), 4.0);
/// ```
#[track_caller]
pub fn correlate<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(input: &A, weights: &W) -> DeviceArray<T> {
    with::correlate(input, weights, "reflect", 0.0, 0)
}

/// The convolution with weights: as [`correlate`](fn@correlate) with the weights in reverse; SciPy's `convolve`. The weights
/// have as many axes as the array, an array of the host or of the device. Keywords of its macro: `mode`, `cval`, `origin`.
///
/// **Panics** if the weights have other axes; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(9.0).reshape((3, 3));
/// let y = gpu::ndimage::convolve(&x, &[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
/// assert_eq!(y.get(&[1, 1]), 12.0);
/// ```
#[track_caller]
pub fn convolve<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(input: &A, weights: &W) -> DeviceArray<T> {
    with::convolve(input, weights, "reflect", 0.0, 0)
}

/// The array smoothed by a Gaussian, or by its derivatives, along each axis; SciPy's `gaussian_filter`. `sigma` is the standard
/// deviation in elements. Keywords of its macro: `order` (of the derivative, 0), `mode`, `cval`, `truncate` (where the weights
/// end, 4.0 times sigma), `radius`, `axes`.
///
/// **Panics** if a sigma is negative; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let mut x = gpu::zeros::<f64>((9, 9));
/// x.slice(ndarray::s![4, 4]).fill(1.0);
/// let y = gpu::ndimage::gaussian_filter(&x, 1.0);
/// assert!((y.sum() - 1.0).abs() < 1e-12);
/// assert!((y.get(&[4, 4]) - 0.1592).abs() < 1e-4);
/// ```
#[track_caller]
pub fn gaussian_filter<A: OnDevice<Elem = T>, T: Real>(input: &A, sigma: impl IntoNumbers) -> DeviceArray<T> {
    with::gaussian_filter(input, sigma, 0, "reflect", 0.0, 4.0, (), ())
}

/// As [`gaussian_filter`](fn@gaussian_filter), along one axis; SciPy's `gaussian_filter1d`. Keywords of its macro: `axis` (the
/// last one), `order`, `mode`, `cval`, `truncate`, `radius`.
///
/// **Panics** as [`gaussian_filter`](fn@gaussian_filter) does.
///
/// ```
/// use warpcell as gpu;
/// let y = gpu::ndimage::gaussian_filter1d(&gpu::array(&[1.0, 2.0, 3.0, 4.0, 5.0]), 1.0);
/// assert!(gpu::allclose(&y, &[1.42704095, 2.06782203, 3.0, 3.93217797, 4.57295905]));
/// ```
#[track_caller]
pub fn gaussian_filter1d<A: OnDevice<Elem = T>, T: Real>(input: &A, sigma: impl IntoFloat) -> DeviceArray<T> {
    let sigma = sigma.into_float();
    with::gaussian_filter1d(input, sigma, -1, 0, "reflect", 0.0, 4.0, ())
}

/// The differences of neighbours along an axis, smoothed along the others with the weights 1, 2, 1; SciPy's `sobel`. Keywords of
/// its macro: `axis` (the last one), `mode`, `cval`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(25.0).reshape((5, 5));
/// assert_eq!(gpu::ndimage::sobel(&x).get(&[2, 2]), 8.0);
/// ```
#[track_caller]
pub fn sobel<A: OnDevice<Elem = T>, T: Real>(input: &A) -> DeviceArray<T> {
    with::sobel(input, -1, "reflect", 0.0)
}

/// The differences of neighbours along an axis, smoothed along the others with the weights 1, 1, 1; SciPy's `prewitt`. Keywords
/// of its macro: `axis` (the last one), `mode`, `cval`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(25.0).reshape((5, 5));
/// assert_eq!(gpu::ndimage::prewitt(&x).get(&[2, 2]), 6.0);
/// ```
#[track_caller]
pub fn prewitt<A: OnDevice<Elem = T>, T: Real>(input: &A) -> DeviceArray<T> {
    with::prewitt(input, -1, "reflect", 0.0)
}

/// The sums of the second differences along all axes; SciPy's `laplace`. Keywords of its macro: `mode`, `cval`, `axes`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[0.0, 1.0, 4.0, 9.0, 16.0]);
/// assert_eq!(gpu::ndimage::laplace(&x).tolist(), [1.0, 2.0, 2.0, 2.0, -7.0]);
/// ```
#[track_caller]
pub fn laplace<A: OnDevice<Elem = T>, T: Real>(input: &A) -> DeviceArray<T> {
    with::laplace(input, "reflect", 0.0, ())
}

/// The sums of the second derivatives along all axes, of the array smoothed by a Gaussian; SciPy's `gaussian_laplace`. Keywords
/// of its macro: `mode`, `cval`, `truncate`, `radius`, `axes`.
///
/// **Panics** as [`gaussian_filter`](fn@gaussian_filter) does.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::linspace(-3.0f64, 3.0, 61);
/// let y = gpu::ndimage::gaussian_laplace(&(&x * &x), 2.0);
/// assert!((y.get(&[30]) - 0.02).abs() < 1e-3);
/// ```
#[track_caller]
pub fn gaussian_laplace<A: OnDevice<Elem = T>, T: Real>(input: &A, sigma: impl IntoNumbers) -> DeviceArray<T> {
    with::gaussian_laplace(input, sigma, "reflect", 0.0, 4.0, (), ())
}

/// The lengths of the gradients of the array smoothed by a Gaussian; SciPy's `gaussian_gradient_magnitude`. Keywords of its
/// macro: `mode`, `cval`, `truncate`, `radius`, `axes` (of the gradients;
/// the array is smoothed along all).
///
/// **Panics** as [`gaussian_filter`](fn@gaussian_filter) does.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(40.0f64) * 2.0;
/// assert!((gpu::ndimage::gaussian_gradient_magnitude(&x, 1.0).get(&[20]) - 2.0).abs() < 1e-2);
/// ```
#[track_caller]
pub fn gaussian_gradient_magnitude<A: OnDevice<Elem = T>, T: Real>(
    input: &A,
    sigma: impl IntoNumbers,
) -> DeviceArray<T> {
    with::gaussian_gradient_magnitude(input, sigma, "reflect", 0.0, 4.0, (), ())
}

/// The means of the boxes around the elements; SciPy's `uniform_filter`. `size` is the length of a box along all axes, or along
/// each. Keywords of its macro: `mode`, `cval`, `origin`, `axes`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2.0, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0]);
/// assert!(gpu::allclose(&gpu::ndimage::uniform_filter(&x, 3), &[4.0, 10.0 / 3.0, 4.0, 5.0 / 3.0, 14.0 / 3.0, 19.0 / 3.0, 6.0, 3.0]));
/// ```
#[track_caller]
pub fn uniform_filter<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl IntoAxes) -> DeviceArray<T> {
    with::uniform_filter(input, size, "reflect", 0.0, 0, ())
}

/// The least element around each one, in a box of the lengths `size`; SciPy's `minimum_filter`. Keywords of its macro:
/// `footprint`, an array of bools, which says which elements of a box count, in the place of `size`; `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2, 8, 0, 4, 1, 9, 9, 0]);
/// assert_eq!(gpu::ndimage::minimum_filter(&x, 3).tolist(), [2, 0, 0, 0, 1, 1, 0, 0]);
/// ```
#[track_caller]
pub fn minimum_filter<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::minimum_filter(input, size, (), "reflect", 0.0, 0)
}

/// The greatest element around each one, in a box of the lengths `size`; SciPy's `maximum_filter`. Keywords of its macro:
/// `footprint`, an array of bools, which says which elements of a box count, in the place of `size`; `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2, 8, 0, 4, 1, 9, 9, 0]);
/// assert_eq!(gpu::ndimage::maximum_filter(&x, 3).tolist(), [8, 8, 8, 4, 9, 9, 9, 9]);
/// ```
#[track_caller]
pub fn maximum_filter<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::maximum_filter(input, size, (), "reflect", 0.0, 0)
}

/// As [`uniform_filter`](fn@uniform_filter), along one axis; SciPy's `uniform_filter1d`. Keywords of its macro: `axis` (the last
/// one), `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[3.0, 3.0, 3.0]);
/// assert!(gpu::allclose(&gpu::ndimage::uniform_filter1d(&x, 3), &[3.0, 3.0, 3.0]));
/// ```
#[track_caller]
pub fn uniform_filter1d<A: OnDevice<Elem = T>, T: Real>(input: &A, size: isize) -> DeviceArray<T> {
    with::uniform_filter1d(input, size, -1, "reflect", 0.0, 0)
}

/// As [`minimum_filter`](fn@minimum_filter), along one axis; SciPy's `minimum_filter1d`. Keywords of its macro: `axis` (the last
/// one), `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 2.0, 8.0]);
/// assert!(gpu::allclose(&gpu::ndimage::minimum_filter1d(&x, 3), &[2.0, 2.0, 2.0]));
/// ```
#[track_caller]
pub fn minimum_filter1d<A: OnDevice<Elem = T>, T: Real>(input: &A, size: isize) -> DeviceArray<T> {
    with::minimum_filter1d(input, size, -1, "reflect", 0.0, 0)
}

/// As [`maximum_filter`](fn@maximum_filter), along one axis; SciPy's `maximum_filter1d`. Keywords of its macro: `axis` (the last
/// one), `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 2.0, 8.0]);
/// assert!(gpu::allclose(&gpu::ndimage::maximum_filter1d(&x, 3), &[5.0, 8.0, 8.0]));
/// ```
#[track_caller]
pub fn maximum_filter1d<A: OnDevice<Elem = T>, T: Real>(input: &A, size: isize) -> DeviceArray<T> {
    with::maximum_filter1d(input, size, -1, "reflect", 0.0, 0)
}

/// The median of the elements around each one, in a box of the lengths `size`; of an even number of elements the upper one in
/// the middle. SciPy's `median_filter`. Keywords of its macro: `footprint`, an array of bools, in the place of `size`; `mode`,
/// `cval`, `origin`. By Hoare's selection; in boxes of up to 49 elements on a GPU by exchanges of pairs.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2, 80, 6, 3, 5]);
/// assert_eq!(gpu::ndimage::median_filter(&x, 3).tolist(), [2, 6, 6, 5, 5]);
/// ```
#[track_caller]
pub fn median_filter<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::median_filter(input, size, (), "reflect", 0.0, 0)
}

/// The percentile of the elements around each one, in a box of the lengths `size`; SciPy's `percentile_filter`. A negative
/// percentile counts from 100. Keywords of its macro: `footprint`, `mode`, `cval`, `origin`.
///
/// **Panics** if the percentile is not from -100 to 100; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2, 80, 6, 3, 5]);
/// assert_eq!(gpu::ndimage::percentile_filter(&x, 0.0, 3).tolist(), [2, 2, 3, 3, 3]);
/// ```
#[track_caller]
pub fn percentile_filter<A: OnDevice<Elem = T>, T: Real>(
    input: &A,
    percentile: impl IntoFloat,
    size: impl MaybeAxes,
) -> DeviceArray<T> {
    let percentile = percentile.into_float();
    with::percentile_filter(input, percentile, size, (), "reflect", 0.0, 0)
}

/// The element of a rank among those around each one, in a box of the lengths `size`: 0 is the least one, -1 the greatest.
/// SciPy's `rank_filter`. Keywords of its macro: `footprint`, `mode`, `cval`, `origin`.
///
/// **Panics** if the window has fewer elements; and as the module says.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[2, 80, 6, 3, 5]);
/// assert_eq!(gpu::ndimage::rank_filter(&x, -2, 3).tolist(), [2, 6, 6, 5, 5]);
/// ```
#[track_caller]
pub fn rank_filter<A: OnDevice<Elem = T>, T: Real>(input: &A, rank: isize, size: impl MaybeAxes) -> DeviceArray<T> {
    with::rank_filter(input, rank, size, (), "reflect", 0.0, 0)
}

/// The least of the elements around each one, less the heights of the structure; SciPy's `grey_erosion`. `size` has the lengths
/// of a box. Keywords of its macro: `footprint`, an array of bools, or `structure`, an array of heights, in its place; `mode`,
/// `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::grey_erosion(&x, 3).tolist(), [1.0, 1.0, 1.0, 2.0, 2.0]);
/// ```
#[track_caller]
pub fn grey_erosion<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::grey_erosion(input, size, (), (), "reflect", 0.0, 0)
}

/// The greatest of the elements around each one, plus the heights of the structure in reverse; SciPy's `grey_dilation`. `size`
/// has the lengths of a box. Keywords of its macro: `footprint`, an array of bools, or `structure`, an array of heights, in its
/// place; `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::grey_dilation(&x, 3).tolist(), [5.0, 5.0, 3.0, 3.0, 3.0]);
/// ```
#[track_caller]
pub fn grey_dilation<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::grey_dilation(input, size, (), (), "reflect", 0.0, 0)
}

/// An erosion and then a dilation, which removes small bright parts; SciPy's `grey_opening`. `size` has the lengths of a box.
/// Keywords of its macro: `footprint`, an array of bools, or `structure`, an array of heights, in its place; `mode`, `cval`,
/// `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::grey_opening(&x, 3).tolist(), [1.0, 1.0, 2.0, 2.0, 2.0]);
/// ```
#[track_caller]
pub fn grey_opening<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::grey_opening(input, size, (), (), "reflect", 0.0, 0)
}

/// A dilation and then an erosion, which removes small dark parts; SciPy's `grey_closing`. `size` has the lengths of a box.
/// Keywords of its macro: `footprint`, an array of bools, or `structure`, an array of heights, in its place; `mode`, `cval`,
/// `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::grey_closing(&x, 3).tolist(), [5.0, 3.0, 3.0, 3.0, 3.0]);
/// ```
#[track_caller]
pub fn grey_closing<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::grey_closing(input, size, (), (), "reflect", 0.0, 0)
}

/// A dilation less an erosion; SciPy's `morphological_gradient`. `size` has the lengths of a box. Keywords of its macro:
/// `footprint`, an array of bools, or `structure`, an array of heights, in its place; `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::morphological_gradient(&x, 3).tolist(), [4.0, 4.0, 2.0, 1.0, 1.0]);
/// ```
#[track_caller]
pub fn morphological_gradient<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::morphological_gradient(input, size, (), (), "reflect", 0.0, 0)
}

/// The sum of a dilation and of an erosion, less twice the array; SciPy's `morphological_laplace`. `size` has the lengths of a
/// box. Keywords of its macro: `footprint`, an array of bools, or `structure`, an array of heights, in its place; `mode`,
/// `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::morphological_laplace(&x, 3).tolist(), [-4.0, 4.0, -2.0, -1.0, 1.0]);
/// ```
#[track_caller]
pub fn morphological_laplace<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::morphological_laplace(input, size, (), (), "reflect", 0.0, 0)
}

/// The array less its opening: small bright parts; SciPy's `white_tophat`. `size` has the lengths of a box. Keywords of its
/// macro: `footprint`, an array of bools, or `structure`, an array of heights, in its place; `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::white_tophat(&x, 3).tolist(), [4.0, 0.0, 1.0, 1.0, 0.0]);
/// ```
#[track_caller]
pub fn white_tophat<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::white_tophat(input, size, (), (), "reflect", 0.0, 0)
}

/// The closing of the array less the array: small dark parts; SciPy's `black_tophat`. `size` has the lengths of a box. Keywords
/// of its macro: `footprint`, an array of bools, or `structure`, an array of heights, in its place; `mode`, `cval`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
/// assert_eq!(gpu::ndimage::black_tophat(&x, 3).tolist(), [0.0, 2.0, 0.0, 0.0, 1.0]);
/// ```
#[track_caller]
pub fn black_tophat<A: OnDevice<Elem = T>, T: Real>(input: &A, size: impl MaybeAxes) -> DeviceArray<T> {
    with::black_tophat(input, size, (), (), "reflect", 0.0, 0)
}
