//! Moments and what is made of them.

use super::{along, doubles, in_type, kept_mean};
use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::floats::{FloatPair, IntoFloat, MaybeFloat};
use crate::thin::thin;

thin! {
    /// The moment of an order about the mean, along the first axis (`f64` for integers). SciPy's `moment`: `gpu::stats::moment!(&a, 3, axis =
    /// 1, center = 0.0)` has its keywords; `center` is a number in place of the mean.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::moment(&gpu::array(&[1.0, 3.0]), 2).item(), 1.0);
    /// ```
    pub fn moment<A: OnDevice<Elem = T>, T: Number>(a: &A, order: u32) -> DeviceArray<T::Mean> =>
        moments(a.raw(), order, 0, None, T::Mean::DTYPE);

    /// As [`moment`](fn@moment), with SciPy's other arguments.
    pub fn moment_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        order: u32,
        axis: isize,
        center: impl MaybeFloat,
    ) -> DeviceArray<T::Mean> => moments(a.raw(), order, axis, center.maybe_float(), T::Mean::DTYPE);

    /// The skewness along the first axis (`f64` for integers): the third moment by the power 3/2 of the second; NaN where all elements
    /// are equal. SciPy's `skew`: `gpu::stats::skew!(&a, axis = 1, bias = false)` has its keywords.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::skew(&gpu::array(&[1.0, 2.0, 3.0])).item(), 0.0);
    /// ```
    pub fn skew<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        skewness(a.raw(), 0, true, T::Mean::DTYPE);

    /// As [`skew`](fn@skew), with SciPy's other arguments.
    pub fn skew_with<A: OnDevice<Elem = T>, T: Number>(a: &A, axis: isize, bias: bool) -> DeviceArray<T::Mean> =>
        skewness(a.raw(), axis, bias, T::Mean::DTYPE);

    /// The kurtosis along the first axis (`f64` for integers): the fourth moment by the square of the second, less 3, that of a normal
    /// distribution; NaN where all elements are equal. SciPy's `kurtosis`: `gpu::stats::kurtosis!(&a, axis = 1, fisher = false, bias =
    /// false)` has its keywords; with `fisher = false` 3 is not taken away.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::kurtosis(&gpu::array(&[-1.0, 1.0])).item(), -2.0);
    /// ```
    pub fn kurtosis<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        kurtosis_of(a.raw(), 0, true, true, T::Mean::DTYPE);

    /// As [`kurtosis`](fn@kurtosis), with SciPy's other arguments.
    pub fn kurtosis_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        axis: isize,
        fisher: bool,
        bias: bool,
    ) -> DeviceArray<T::Mean> => kurtosis_of(a.raw(), axis, fisher, bias, T::Mean::DTYPE);

    /// The standard error of the mean along the first axis (`f64` for integers). SciPy's `sem`: `gpu::stats::sem!(&a, axis = 1, ddof = 0)`
    /// has its keywords.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::sem!(&gpu::array(&[1.0, 1.0, 3.0, 3.0]), ddof = 0).item(), 0.5);
    /// ```
    pub fn sem<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        error_of_mean(a.raw(), 0, 1.0, T::Mean::DTYPE);

    /// As [`sem`](fn@sem), with SciPy's other arguments.
    pub fn sem_with<A: OnDevice<Elem = T>, T: Number>(a: &A, axis: isize, ddof: impl Into<f64>) -> DeviceArray<T::Mean> =>
        error_of_mean(a.raw(), axis, ddof.into(), T::Mean::DTYPE);

    /// The standard deviation by the mean, along the first axis (`f64` for integers). SciPy's `variation`: `gpu::stats::variation!(&a, axis =
    /// 1, ddof = 1)` has its keywords.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::variation(&gpu::array(&[1.0, 3.0])).item(), 0.5);
    /// ```
    pub fn variation<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        coefficient(a.raw(), 0, 0.0, T::Mean::DTYPE);

    /// As [`variation`](fn@variation), with SciPy's other arguments.
    pub fn variation_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        axis: isize,
        ddof: impl Into<f64>,
    ) -> DeviceArray<T::Mean> => coefficient(a.raw(), axis, ddof.into(), T::Mean::DTYPE);

    /// The difference of the third and the first quartile of all elements (`f64` for integers): an array without axes. SciPy's `iqr`:
    /// `gpu::stats::iqr!(&x, rng = (10.0, 90.0), scale = 1.349)` has its keywords; along an axis it is a difference of
    /// [`percentile_axis`](crate::percentile_axis).
    ///
    /// **Panics** if there is no element ([`Error::InvalidShape`]), or a percentage is not from 0 to 100 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::iqr(&gpu::arange(5.0)).item(), 2.0);
    /// ```
    pub fn iqr<A: OnDevice<Elem = T>, T: Number>(x: &A) -> DeviceArray<T::Mean> =>
        range_of_quantiles(x.raw(), (25.0, 75.0), 1.0, T::Mean::DTYPE);

    /// As [`iqr`](fn@iqr), with SciPy's other arguments.
    pub fn iqr_with<A: OnDevice<Elem = T>, T: Number>(x: &A, rng: impl FloatPair, scale: impl IntoFloat) -> DeviceArray<T::Mean> =>
        range_of_quantiles(x.raw(), rng.into_pair(), scale.into_float(), T::Mean::DTYPE);

    /// The median of the distances from the median, along the first axis (`f64` for integers). SciPy's `median_abs_deviation`:
    /// `gpu::stats::median_abs_deviation!(&x, axis = 1, scale = 0.67449)` has its keywords.
    ///
    /// **Panics** if there is no such axis, or no element ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::median_abs_deviation(&gpu::array(&[1.0, 2.0, 4.0, 100.0, 3.0])).item(), 1.0);
    /// ```
    pub fn median_abs_deviation<A: OnDevice<Elem = T>, T: Number>(x: &A) -> DeviceArray<T::Mean> =>
        median_distance(x.raw(), 0, 1.0, T::Mean::DTYPE);

    /// As [`median_abs_deviation`](fn@median_abs_deviation), with SciPy's other arguments.
    pub fn median_abs_deviation_with<A: OnDevice<Elem = T>, T: Number>(x: &A, axis: isize, scale: impl IntoFloat) -> DeviceArray<T::Mean> =>
        median_distance(x.raw(), axis, scale.into_float(), T::Mean::DTYPE);
}

/// The mean of a power of numbers.
fn mean_of_power(x: &DeviceArray<f64>, order: u32, axis: isize) -> DeviceArray<f64> {
    match order {
        2 => (x * x).mean_axis(axis),
        3 => (&(x * x) * x).mean_axis(axis),
        4 => {
            let square = x * x;
            (&square * &square).mean_axis(axis)
        }
        _ => x.powi(order as i32).mean_axis(axis),
    }
}

fn moments(x: &RawArray, order: u32, axis: isize, center: Option<f64>, dtype: DType) -> Result<RawArray> {
    along("moment", x, axis, dtype, |x, axis| match (order, center) {
        // NaN stays.
        (0, _) => x.mean_axis(axis) * 0.0 + 1.0,
        (1, None) => x.mean_axis(axis) * 0.0,
        (_, None) => mean_of_power(&(x - &kept_mean(x, axis)), order, axis),
        (_, Some(center)) => mean_of_power(&(x - center), order, axis),
    })
}

/// The second moment and a higher one, both NaN where all that is left of the elements is rounding.
fn standardised(x: &DeviceArray<f64>, axis: isize, order: u32) -> [DeviceArray<f64>; 2] {
    let mean = kept_mean(x, axis);
    let distances = x - &mean;
    let square = mean_of_power(&distances, 2, axis);
    let least = x.mean_axis(axis) * f64::EPSILON;
    let is_flat = square.le(&(&least * &least));
    [crate::where_(&is_flat, f64::NAN, &square), mean_of_power(&distances, order, axis)]
}

fn skewness(x: &RawArray, axis: isize, bias: bool, dtype: DType) -> Result<RawArray> {
    along("skew", x, axis, dtype, |x, axis| {
        let count = x.shape()[axis as usize] as f64;
        let [m2, m3] = standardised(x, axis, 3);
        let skew = &m3 / &(&m2 * &m2.sqrt());
        if bias || count < 3.0 { skew } else { skew * ((count - 1.0) * count).sqrt() / (count - 2.0) }
    })
}

fn kurtosis_of(x: &RawArray, axis: isize, fisher: bool, bias: bool, dtype: DType) -> Result<RawArray> {
    along("kurtosis", x, axis, dtype, |x, axis| {
        let n = x.shape()[axis as usize] as f64;
        let [m2, m4] = standardised(x, axis, 4);
        let excess = &m4 / &(&m2 * &m2) - 3.0;
        let excess = if bias || n < 4.0 {
            excess
        } else {
            ((excess + 3.0) * (n * n - 1.0) - 3.0 * (n - 1.0) * (n - 1.0)) / ((n - 2.0) * (n - 3.0))
        };
        if fisher { excess } else { excess + 3.0 }
    })
}

fn error_of_mean(x: &RawArray, axis: isize, ddof: f64, dtype: DType) -> Result<RawArray> {
    along("sem", x, axis, dtype, |x, axis| {
        let count = x.shape()[axis as usize] as f64;
        x.std_with(axis, ddof) / count.sqrt()
    })
}

fn coefficient(x: &RawArray, axis: isize, ddof: f64, dtype: DType) -> Result<RawArray> {
    along("variation", x, axis, dtype, |x, axis| &x.std_with(axis, ddof) / &x.mean_axis(axis))
}

fn range_of_quantiles(x: &RawArray, rng: (f64, f64), scale: f64, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "iqr";
    for q in [rng.0, rng.1] {
        if !(0.0..=100.0).contains(&q) {
            return Err(Error::argument(NAME, format!("`rng` has {q}; give percentages from 0 to 100")));
        }
    }
    if x.size() == 0 {
        return Err(Error::shape(NAME, x.shape(), "has no elements; give some"));
    }
    along(NAME, &x.flat(NAME)?, 0, dtype, |x, axis| {
        let [low, high] = [rng.0.min(rng.1), rng.0.max(rng.1)].map(|q| crate::percentile_axis(x, q, axis));
        (high - low) / scale
    })
}

fn median_distance(x: &RawArray, axis: isize, scale: f64, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "median_abs_deviation";
    let at = axis_of(NAME, x.shape(), axis)?;
    if x.shape()[at] == 0 {
        return Err(Error::shape(NAME, x.shape(), "has no elements along the axis; give some"));
    }
    along(NAME, x, axis, dtype, |x, axis| {
        let median = crate::median_axis(x, axis).expand_dims(axis);
        crate::median_axis(&(x - &median).abs(), axis) / scale
    })
}

/// What [`describe`](fn@describe) gives, with SciPy's names.
#[derive(Clone, Debug)]
pub struct DescribeResult<T: Element> {
    /// How many elements there are along the axis.
    pub nobs: usize,
    /// The least and the largest.
    pub minmax: (DeviceArray<T>, DeviceArray<T>),
    /// The mean.
    pub mean: DeviceArray<T>,
    /// The variance of the sample.
    pub variance: DeviceArray<T>,
    /// The skewness.
    pub skewness: DeviceArray<T>,
    /// The kurtosis, less 3.
    pub kurtosis: DeviceArray<T>,
}

/// Some statistics along the first axis (`f64` for integers). SciPy's `describe`: `gpu::stats::describe!(&a, axis = 1, ddof = 0, bias =
/// false)` has its keywords.
///
/// **Panics** if there is no such axis, or no element ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let d = gpu::stats::describe(&gpu::arange(5.0));
/// assert_eq!((d.nobs, d.minmax.1.item(), d.mean.item(), d.variance.item()), (5, 4.0, 2.0, 2.5));
/// ```
#[track_caller]
pub fn describe<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DescribeResult<T::Mean> {
    describe_with(a, 0, 1.0, true)
}

/// As [`describe`](fn@describe), with SciPy's other arguments.
#[track_caller]
pub fn describe_with<A: OnDevice<Elem = T>, T: Number>(
    a: &A,
    axis: isize,
    ddof: impl Into<f64>,
    bias: bool,
) -> DescribeResult<T::Mean> {
    let (nobs, arrays) = check(described(a.raw(), axis, ddof.into(), bias, T::Mean::DTYPE));
    let [least, largest, mean, variance, skewness, kurtosis] = arrays.map(DeviceArray::from_raw);
    DescribeResult { nobs, minmax: (least, largest), mean, variance, skewness, kurtosis }
}

fn described(x: &RawArray, axis: isize, ddof: f64, bias: bool, dtype: DType) -> Result<(usize, [RawArray; 6])> {
    const NAME: &str = "describe";
    let at = axis_of(NAME, x.shape(), axis)?;
    let count = x.shape()[at];
    if x.size() == 0 {
        return Err(Error::shape(NAME, x.shape(), "has no elements; give some"));
    }
    let axis = at as isize;
    let values = doubles(NAME, x)?;
    let typed = |array: DeviceArray<f64>| in_type(NAME, array, dtype);
    let arrays = [
        typed(values.min_axis(axis))?,
        typed(values.max_axis(axis))?,
        typed(values.mean_axis(axis))?,
        typed(values.var_with(axis, ddof))?,
        skewness(x, axis, bias, dtype)?,
        kurtosis_of(x, axis, true, bias, dtype)?,
    ];
    Ok((count, arrays))
}
