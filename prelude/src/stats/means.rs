//! Means, and means of what lies within limits.

use super::along;
use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis};
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result};
use crate::floats::{IntoFloat, MaybeFloat};
use crate::thin::thin;

/// The least and the largest value that counts: `()` for none, or `(low, high)`, each a number or an `Option` of one. Not an
/// extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not limits",
    label = "expected `(low, high)`, such as `(0.0, 10.0)` or `(None, Some(10.0))`"
)]
pub trait Limits: sealed::Ends {}

pub(crate) mod sealed {
    pub trait Ends {
        fn ends(&self) -> (Option<f64>, Option<f64>);
    }
    impl Ends for () {
        fn ends(&self) -> (Option<f64>, Option<f64>) {
            (None, None)
        }
    }
    impl<A: crate::floats::MaybeFloat, B: crate::floats::MaybeFloat> Ends for (A, B) {
        fn ends(&self) -> (Option<f64>, Option<f64>) {
            (self.0.maybe_float(), self.1.maybe_float())
        }
    }
}
use sealed::Ends;
impl<L: Ends> Limits for L {}

thin! {
    /// The mean along the first axis without the share `proportiontocut` of the least elements and that of the largest ones, rounded
    /// down to whole elements (`f64` for integers). SciPy's `trim_mean`: `gpu::stats::trim_mean!(&a, 0.1, axis = 1)` has its keyword.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]), or the share is not from 0 to 0.5 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::trim_mean(&gpu::array(&[1.0, 2.0, 3.0, 100.0]), 0.25).item(), 2.5);
    /// ```
    pub fn trim_mean<A: OnDevice<Elem = T>, T: Number>(a: &A, proportiontocut: impl IntoFloat) -> DeviceArray<T::Mean> =>
        trimmed(a.raw(), proportiontocut.into_float(), 0, T::Mean::DTYPE);

    /// As [`trim_mean`](fn@trim_mean), along an axis.
    pub fn trim_mean_with<A: OnDevice<Elem = T>, T: Number>(a: &A, proportiontocut: impl IntoFloat, axis: isize) -> DeviceArray<T::Mean> =>
        trimmed(a.raw(), proportiontocut.into_float(), axis, T::Mean::DTYPE);

    /// The mean of all elements; `gpu::stats::tmean!(&a, limits = (0.0, 10.0), inclusive = (true, false))` is that of those within limits
    /// (`f64` for integers). SciPy's `tmean`, but along an axis it is [`mean`](fn@crate::mean). An array without axes.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1.0, 2.0, 3.0, 100.0]);
    /// assert_eq!(gpu::stats::tmean!(&a, limits = (None, 10.0)).item(), 2.0);
    /// ```
    pub fn tmean<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        mean_of_all(a.raw(), &(), (true, true), T::Mean::DTYPE);

    /// As [`tmean`](fn@tmean), of the elements within limits; each is counted if it is `inclusive`.
    pub fn tmean_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        limits: impl Limits,
        inclusive: (bool, bool),
    ) -> DeviceArray<T::Mean> => mean_of_all(a.raw(), &limits, inclusive, T::Mean::DTYPE);

    /// The variance of a sample along the first axis; `gpu::stats::tvar!(&a, limits = (0.0, 10.0), inclusive = (true, false), axis = 1,
    /// ddof = 0)` is that of the elements within limits (`f64` for integers). SciPy's `tvar`.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1.0, 2.0, 3.0, 100.0]);
    /// assert_eq!(gpu::stats::tvar!(&a, limits = (0.0, 10.0)).item(), 1.0);
    /// ```
    pub fn tvar<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        limited("tvar", a.raw(), &(), (true, true), 0, 1.0, Of::Variance, T::Mean::DTYPE);

    /// As [`tvar`](fn@tvar), with SciPy's other arguments.
    pub fn tvar_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        limits: impl Limits,
        inclusive: (bool, bool),
        axis: isize,
        ddof: impl Into<f64>,
    ) -> DeviceArray<T::Mean> => limited("tvar", a.raw(), &limits, inclusive, axis, ddof.into(), Of::Variance, T::Mean::DTYPE);

    /// The standard deviation of a sample along the first axis, the square root of [`tvar`](fn@tvar), with its keywords. SciPy's `tstd`.
    ///
    /// **Panics** as `tvar` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::tstd(&gpu::array(&[1.0, 2.0, 3.0])).item(), 1.0);
    /// ```
    pub fn tstd<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        limited("tstd", a.raw(), &(), (true, true), 0, 1.0, Of::Deviation, T::Mean::DTYPE);

    /// As [`tstd`](fn@tstd), with SciPy's other arguments.
    pub fn tstd_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        limits: impl Limits,
        inclusive: (bool, bool),
        axis: isize,
        ddof: impl Into<f64>,
    ) -> DeviceArray<T::Mean> => limited("tstd", a.raw(), &limits, inclusive, axis, ddof.into(), Of::Deviation, T::Mean::DTYPE);

    /// The standard error of the mean along the first axis: [`tstd`](fn@tstd) by the square root of how many elements count, with its
    /// keywords. SciPy's `tsem`.
    ///
    /// **Panics** as `tvar` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::tsem(&gpu::array(&[1.0, 1.0, 3.0, 3.0])).item(), (4.0f64 / 3.0).sqrt() / 2.0);
    /// ```
    pub fn tsem<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        limited("tsem", a.raw(), &(), (true, true), 0, 1.0, Of::Error, T::Mean::DTYPE);

    /// As [`tsem`](fn@tsem), with SciPy's other arguments.
    pub fn tsem_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        limits: impl Limits,
        inclusive: (bool, bool),
        axis: isize,
        ddof: impl Into<f64>,
    ) -> DeviceArray<T::Mean> => limited("tsem", a.raw(), &limits, inclusive, axis, ddof.into(), Of::Error, T::Mean::DTYPE);

    /// The least element along the first axis; `gpu::stats::tmin!(&a, lowerlimit = 1.0, axis = 1, inclusive = false)` is the least above a
    /// limit (`f64` for integers), NaN if there is none. SciPy's `tmin`.
    ///
    /// **Panics** if there is no such axis, or no element ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::tmin!(&gpu::array(&[1.0, 5.0, 3.0]), lowerlimit = 2.0).item(), 3.0);
    /// ```
    pub fn tmin<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        extreme("tmin", a.raw(), None, 0, true, true, T::Mean::DTYPE);

    /// As [`tmin`](fn@tmin), with SciPy's other arguments.
    pub fn tmin_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        lowerlimit: impl MaybeFloat,
        axis: isize,
        inclusive: bool,
    ) -> DeviceArray<T::Mean> => extreme("tmin", a.raw(), lowerlimit.maybe_float(), axis, inclusive, true, T::Mean::DTYPE);

    /// The largest element along the first axis; `gpu::stats::tmax!(&a, upperlimit = 9.0, axis = 1, inclusive = false)` is the largest
    /// below a limit (`f64` for integers), NaN if there is none. SciPy's `tmax`.
    ///
    /// **Panics** if there is no such axis, or no element ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::tmax!(&gpu::array(&[1.0, 5.0, 3.0]), upperlimit = 4.0).item(), 3.0);
    /// ```
    pub fn tmax<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        extreme("tmax", a.raw(), None, 0, true, false, T::Mean::DTYPE);

    /// As [`tmax`](fn@tmax), with SciPy's other arguments.
    pub fn tmax_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        upperlimit: impl MaybeFloat,
        axis: isize,
        inclusive: bool,
    ) -> DeviceArray<T::Mean> => extreme("tmax", a.raw(), upperlimit.maybe_float(), axis, inclusive, false, T::Mean::DTYPE);

    /// The geometric mean along the first axis (`f64` for integers). SciPy's `gmean`: `gpu::stats::gmean!(&a, axis = 1)` has its keyword.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!((gpu::stats::gmean(&gpu::array(&[1.0f64, 4.0])).item() - 2.0).abs() < 1e-15);
    /// ```
    pub fn gmean<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> => gmean_of(a.raw(), 0, T::Mean::DTYPE);

    /// As [`gmean`](fn@gmean), along an axis.
    pub fn gmean_with<A: OnDevice<Elem = T>, T: Number>(a: &A, axis: isize) -> DeviceArray<T::Mean> =>
        gmean_of(a.raw(), axis, T::Mean::DTYPE);

    /// The harmonic mean along the first axis (`f64` for integers); NaN if an element is negative. SciPy's `hmean`:
    /// `gpu::stats::hmean!(&a, axis = 1)` has its keyword.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::hmean(&gpu::array(&[1.0, 1.0, 2.0])).item(), 1.2);
    /// ```
    pub fn hmean<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        pmean_of("hmean", a.raw(), -1.0, 0, T::Mean::DTYPE);

    /// As [`hmean`](fn@hmean), along an axis.
    pub fn hmean_with<A: OnDevice<Elem = T>, T: Number>(a: &A, axis: isize) -> DeviceArray<T::Mean> =>
        pmean_of("hmean", a.raw(), -1.0, axis, T::Mean::DTYPE);

    /// The power mean `(mean of a^p)^(1/p)` along the first axis (`f64` for integers); NaN if an element is negative. SciPy's `pmean`:
    /// `gpu::stats::pmean!(&a, 2.0, axis = 1)` has its keyword.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::pmean(&gpu::array(&[1.0, 7.0]), 2.0).item(), 5.0);
    /// ```
    pub fn pmean<A: OnDevice<Elem = T>, T: Number>(a: &A, p: impl IntoFloat) -> DeviceArray<T::Mean> =>
        pmean_of("pmean", a.raw(), p.into_float(), 0, T::Mean::DTYPE);

    /// As [`pmean`](fn@pmean), along an axis.
    pub fn pmean_with<A: OnDevice<Elem = T>, T: Number>(a: &A, p: impl IntoFloat, axis: isize) -> DeviceArray<T::Mean> =>
        pmean_of("pmean", a.raw(), p.into_float(), axis, T::Mean::DTYPE);
}

fn trimmed(x: &RawArray, share: f64, axis: isize, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "trim_mean";
    if !(0.0..=0.5).contains(&share) {
        let reason = format!("`proportiontocut` is {share}; give a share of each end from 0 to 0.5");
        return Err(Error::argument(NAME, reason));
    }
    along(NAME, x, axis, dtype, |x, axis| {
        let length = x.shape()[axis as usize];
        let cut = (share * length as f64) as usize;
        let sorted = crate::sort_axis(x, axis);
        let part = |start: usize, count: usize| {
            DeviceArray::<f64>::from_raw(slice_axis(&sorted.raw, axis as usize, start, 1, count))
        };
        let mean = part(cut, length - 2 * cut).mean_axis(axis);
        // NaN stands at the end, where it would be cut.
        let last = part(length.saturating_sub(1), length.min(1));
        &mean + &crate::where_(&last.is_nan(), f64::NAN, 0.0).sum_axis(axis)
    })
}

fn mean_of_all(x: &RawArray, limits: &dyn Ends, inclusive: (bool, bool), dtype: DType) -> Result<RawArray> {
    const NAME: &str = "tmean";
    limited(NAME, &x.flat(NAME)?, limits, inclusive, 0, 0.0, Of::Mean, dtype)
}

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Mean,
    Variance,
    Deviation,
    Error,
}

#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
fn limited(
    operation: &'static str,
    x: &RawArray,
    limits: &dyn Ends,
    inclusive: (bool, bool),
    axis: isize,
    ddof: f64,
    of: Of,
    dtype: DType,
) -> Result<RawArray> {
    let (low, high) = limits.ends();
    along(operation, x, axis, dtype, |x, axis| {
        let mut counts = crate::ones_like(x).gt(0.0);
        if let Some(low) = low {
            counts = counts.logical_and(&if inclusive.0 { x.ge(low) } else { x.gt(low) });
        }
        if let Some(high) = high {
            counts = counts.logical_and(&if inclusive.1 { x.le(high) } else { x.lt(high) });
        }
        let weights = counts.astype::<f64>();
        let count = weights.sum_axis(axis);
        let mean = crate::where_(&counts, x, 0.0).sum_axis(axis) / &count;
        if of == Of::Mean {
            return mean;
        }
        let distances = crate::where_(&counts, &(x - &mean.expand_dims(axis)), 0.0);
        // Of no elements there is none.
        let variance = (&distances * &distances).sum_axis(axis) / &(&count - ddof);
        let variance = crate::where_(&count.gt(0.0), &variance, f64::NAN);
        match of {
            Of::Variance | Of::Mean => variance,
            Of::Deviation => variance.sqrt(),
            Of::Error => (&variance / &count).sqrt(),
        }
    })
}

fn extreme(
    operation: &'static str,
    x: &RawArray,
    limit: Option<f64>,
    axis: isize,
    inclusive: bool,
    is_least: bool,
    dtype: DType,
) -> Result<RawArray> {
    along(operation, x, axis, dtype, |x, axis| {
        let reduce = |x: &DeviceArray<f64>| if is_least { x.min_axis(axis) } else { x.max_axis(axis) };
        let Some(limit) = limit else { return reduce(x) };
        let counts = match (is_least, inclusive) {
            (true, true) => x.ge(limit),
            (true, false) => x.gt(limit),
            (false, true) => x.le(limit),
            (false, false) => x.lt(limit),
        };
        let counts = counts.logical_or(&x.is_nan());
        let none = if is_least { f64::INFINITY } else { f64::NEG_INFINITY };
        let found = reduce(&crate::where_(&counts, x, none));
        crate::where_(&counts.any_axis(axis), &found, f64::NAN)
    })
}

fn gmean_of(x: &RawArray, axis: isize, dtype: DType) -> Result<RawArray> {
    along("gmean", x, axis, dtype, |x, axis| x.log().mean_axis(axis).exp())
}

fn pmean_of(operation: &'static str, x: &RawArray, p: f64, axis: isize, dtype: DType) -> Result<RawArray> {
    if p == 0.0 {
        return gmean_of(x, axis, dtype);
    }
    along(operation, x, axis, dtype, |x, axis| {
        let x = crate::where_(&x.lt(0.0), f64::NAN, x);
        if p == -1.0 { 1.0 / (1.0 / x).mean_axis(axis) } else { x.powf(p).mean_axis(axis).powf(1.0 / p) }
    })
}
