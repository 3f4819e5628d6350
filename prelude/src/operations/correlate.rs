//! Correlation: convolution with the second argument as it is, not turned.

use crate::array::RawArray;
use crate::backend::Padding;
use crate::dtype::Number;
use crate::error::{Result, check};
use crate::fallible::fallible;
use crate::operations::convolve::{Boundary, Convolve, Mode, Plan2, SameSide, Sum, padding, planned_2d, reversed};
use crate::operations::fftconvolve::{Filter, FilterKind};

fallible! {
    /// The 1-D correlation of two arrays on the same side, `out[k] = Σ a[n + k] · v[n]`: two device arrays give a
    /// device array, two host arrays give an `Array1`; `numpy.correlate`.
    ///
    /// Both are 1-D, not empty, of one element type other than bool. [`Mode`] is as for [`convolve`](fn@crate::convolve);
    /// NumPy's default is `Mode::Valid`. If `v` is the longer one, the result is that of the exchanged arguments,
    /// reversed.
    ///
    /// **Panics** if an argument is not 1-D or is empty ([`Error::InvalidShape`](crate::Error::InvalidShape)), for
    /// arrays of bool, and for arrays on two devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::Mode;
    /// let signal = ndarray::array![1.0, 2.0, 3.0];
    /// let pattern = ndarray::array![0.0, 1.0, 0.5];
    /// assert_eq!(gpu::correlate(&signal, &pattern, Mode::Valid), ndarray::array![3.5]);
    /// let on_device = gpu::correlate(&gpu::asarray(&signal), &gpu::asarray(&pattern), Mode::Full);
    /// assert!(gpu::allclose(&on_device, &ndarray::array![0.5, 2.0, 3.5, 3.0, 0.0]));
    /// ```
    pub fn correlate, try_correlate<A, V>(a: &A, v: &V, mode: Mode) -> Result<A::Output>
    where
        A: Convolve,
        V: SameSide<A::Side, A::Elem>,
    {
        a.slide(v.any_view(), mode, Sum::Correlation)
    }
}

/// The 2-D correlation of two arrays on the same side, with zeros outside the image; SciPy's `signal.correlate2d`.
///
/// Both are 2-D, not empty, of one element type other than bool; device arrays give a device array, host arrays a host array.
/// The shape follows from [`Mode`] as for [`convolve2d`](fn@crate::convolve2d).
///
/// **Panics** if an argument is not 2-D or is empty, or if in `Mode::Valid` neither is as large as the other along both axes
/// ([`Error::InvalidShape`](crate::Error::InvalidShape), [`Error::InvalidArgument`](crate::Error::InvalidArgument)), for
/// arrays of bool, and for arrays on two devices.
///
/// ```
/// use warpcell as gpu;
/// use gpu::Mode;
/// let image = gpu::array(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// let pattern = gpu::array(&[[1.0, 10.0]]);
/// let out = gpu::correlate2d(&image, &pattern, Mode::Valid);
/// assert_eq!(out.to_host(), ndarray::array![[21.0, 32.0], [54.0, 65.0]].into_dyn());
/// ```
#[track_caller]
pub fn correlate2d<A: Convolve<Elem: Number>, K: SameSide<A::Side, A::Elem>>(
    image: &A,
    kernel: &K,
    mode: Mode,
) -> A::Filtered {
    correlate2d_with(image, kernel, mode, Boundary::Fill(A::Elem::default()))
}

/// As [`correlate2d`], with a choice of what lies outside the image.
///
/// ```
/// use warpcell as gpu;
/// use gpu::{Boundary, Mode};
/// let ramp = ndarray::array![[1.0, 2.0, 3.0]];
/// let step = ndarray::array![[-1.0, 1.0]];
/// let out = gpu::correlate2d_with(&ramp, &step, Mode::Same, Boundary::Wrap);
/// assert_eq!(out, ndarray::array![[1.0, 1.0, -2.0]]);
/// ```
#[track_caller]
pub fn correlate2d_with<A, K>(image: &A, kernel: &K, mode: Mode, boundary: Boundary<A::Elem>) -> A::Filtered
where
    A: Convolve<Elem: Number>,
    K: SameSide<A::Side, A::Elem>,
{
    check(image.filter(kernel.any_view(), Filter(FilterKind::Correlate2d(mode, padding(boundary)))))
}

pub(super) fn correlate2d_raw(image: &RawArray, kernel: &RawArray, mode: Mode, padding: Padding) -> Result<RawArray> {
    const NAME: &str = "correlate2d";
    image.same_device(NAME, kernel)?;
    let plan = Plan2::new(NAME, image.shape(), kernel.shape(), image.dtype, mode, Sum::Correlation)?;
    planned_2d(NAME, image, &reversed(kernel), &plan, padding)
}
