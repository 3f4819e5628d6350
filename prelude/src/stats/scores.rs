//! Scores and entropies.

use super::{along, difference, doubles, in_type, kept_mean};
use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::floats::{IntoFloat, MaybeFloat};
use crate::special;
use crate::thin::thin;

thin! {
    /// How many standard deviations each element is above the mean, along the first axis (`f64` for integers); NaN where all elements
    /// are equal. SciPy's `zscore`: `gpu::stats::zscore!(&a, axis = 1, ddof = 1)` has its keywords.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::stats::zscore(&gpu::array(&[1.0, 3.0])).tolist(), [-1.0, 1.0]);
    /// ```
    pub fn zscore<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        scores("zscore", a.raw(), None, 0, 0.0, false, T::Mean::DTYPE);

    /// As [`zscore`](fn@zscore), with SciPy's other arguments.
    pub fn zscore_with<A: OnDevice<Elem = T>, T: Number>(a: &A, axis: isize, ddof: impl Into<f64>) -> DeviceArray<T::Mean> =>
        scores("zscore", a.raw(), None, axis, ddof.into(), false, T::Mean::DTYPE);

    /// How many standard deviations of `compare` each element of `scores` is above the mean of `compare`, along the first axis (`f64`
    /// for integers). SciPy's `zmap`: `gpu::stats::zmap!(&scores, &compare, axis = 1, ddof = 1)` has its keywords.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]), or shapes do not broadcast, or devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let z = gpu::stats::zmap(&gpu::array(&[5.0]), &gpu::array(&[1.0, 3.0]));
    /// assert_eq!(z.tolist(), [3.0]);
    /// ```
    pub fn zmap<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(scores: &A, compare: &B) -> DeviceArray<T::Mean> =>
        self::scores("zmap", scores.raw(), Some(compare.raw()), 0, 0.0, false, T::Mean::DTYPE);

    /// As [`zmap`](fn@zmap), with SciPy's other arguments.
    pub fn zmap_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(
        scores: &A,
        compare: &B,
        axis: isize,
        ddof: impl Into<f64>,
    ) -> DeviceArray<T::Mean> => self::scores("zmap", scores.raw(), Some(compare.raw()), axis, ddof.into(), false, T::Mean::DTYPE);

    /// The [`zscore`](fn@zscore) of the logarithms. SciPy's `gzscore`, with its keywords: `gpu::stats::gzscore!(&a, axis = 1, ddof = 1)`.
    ///
    /// **Panics** as `zscore` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!(gpu::allclose(&gpu::stats::gzscore(&gpu::array(&[1.0, 100.0])), &[-1.0, 1.0]));
    /// ```
    pub fn gzscore<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T::Mean> =>
        scores("gzscore", a.raw(), None, 0, 0.0, true, T::Mean::DTYPE);

    /// As [`gzscore`](fn@gzscore), with SciPy's other arguments.
    pub fn gzscore_with<A: OnDevice<Elem = T>, T: Number>(a: &A, axis: isize, ddof: impl Into<f64>) -> DeviceArray<T::Mean> =>
        scores("gzscore", a.raw(), None, axis, ddof.into(), true, T::Mean::DTYPE);

    /// Shannon's entropy of the distributions `pk`, which need not sum to 1, along the first axis, in nats (`f64` for integers). SciPy's
    /// `entropy`: `gpu::stats::entropy!(&pk, qk = &qk, base = 2.0, axis = 1)` has its keywords; with `qk` it is the relative entropy.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]), `base` is not positive ([`Error::InvalidArgument`]), or shapes do
    /// not broadcast.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let coin = gpu::array(&[1.0f64, 1.0]);
    /// assert_eq!(gpu::stats::entropy!(&coin, base = 2.0).item(), 1.0);
    /// let unfair = gpu::stats::entropy!(&coin, qk = &gpu::array(&[9.0, 1.0]));
    /// assert!((unfair.item() - 0.5108256237659907).abs() < 1e-15);
    /// ```
    pub fn entropy<A: OnDevice<Elem = T>, T: Number>(pk: &A) -> DeviceArray<T::Mean> =>
        entropies("entropy", pk.raw(), None, None, 0, T::Mean::DTYPE);

    /// As [`entropy`](fn@entropy), with SciPy's other arguments.
    pub fn entropy_with<A: OnDevice<Elem = T>, T: Number>(
        pk: &A,
        base: impl MaybeFloat,
        axis: isize,
    ) -> DeviceArray<T::Mean> => entropies("entropy", pk.raw(), None, base.maybe_float(), axis, T::Mean::DTYPE);

    /// The entropy of the distributions `pk` relative to `qk`, with SciPy's other arguments of [`entropy`](fn@entropy).
    pub fn relative_entropy<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(
        pk: &A,
        qk: &B,
        base: impl MaybeFloat,
        axis: isize,
    ) -> DeviceArray<T::Mean> => entropies("entropy", pk.raw(), Some(qk.raw()), base.maybe_float(), axis, T::Mean::DTYPE);
}

fn scores(
    operation: &'static str,
    x: &RawArray,
    compare: Option<&RawArray>,
    axis: isize,
    ddof: f64,
    of_logarithms: bool,
    dtype: DType,
) -> Result<RawArray> {
    let of = compare.unwrap_or(x);
    x.same_device(operation, of)?;
    let axis = axis_of(operation, of.shape(), axis)? as isize;
    let [x, of] = if compare.is_some() {
        [doubles(operation, x)?, doubles(operation, of)?]
    } else {
        let x = doubles(operation, x)?;
        let x = if of_logarithms { x.log() } else { x };
        [x.clone(), x]
    };
    let mean = kept_mean(&of, axis);
    let deviation = of.std_with(axis, ddof).expand_dims(axis);
    let scores = difference(operation, &x, &mean)? / &deviation;
    let scores = if compare.is_none() {
        // Of equal elements nothing but rounding is left.
        let least = mean.abs() * f64::EPSILON;
        let nan = crate::where_(&deviation.le(&least), f64::NAN, 0.0);
        &scores + &nan
    } else {
        scores
    };
    in_type(operation, scores, dtype)
}

fn entropies(
    operation: &'static str,
    pk: &RawArray,
    qk: Option<&RawArray>,
    base: Option<f64>,
    axis: isize,
    dtype: DType,
) -> Result<RawArray> {
    if let Some(base) = base.filter(|base| base.is_nan() || *base <= 0.0) {
        return Err(Error::argument(operation, format!("`base` is {base}; give a positive number")));
    }
    let unit = base.map_or(1.0, f64::ln);
    let share = |of: &DeviceArray<f64>, axis: isize| of / &of.sum_axis(axis).expand_dims(axis);
    let Some(qk) = qk else {
        return along(operation, pk, axis, dtype, |pk, axis| special::entr(&share(pk, axis)).sum_axis(axis) / unit);
    };
    pk.same_device(operation, qk)?;
    let shape = crate::array::shape::broadcast_shapes(operation, pk.shape(), qk.shape())?;
    let [pk, qk] = [pk, qk].map(|of| crate::array::view::broadcast_to(operation, of, &shape));
    let qk = doubles(operation, &qk?)?;
    along(operation, &pk?, axis, dtype, |pk, axis| {
        special::rel_entr(&share(pk, axis), &share(&qk, axis)).sum_axis(axis) / unit
    })
}

/// The logarithm of the likelihood that the powers `lmb` of the data, after Box and Cox, "An analysis of transformations" (1964), come
/// from a normal distribution, along the first axis: without the constant terms. SciPy's `boxcox_llf`.
///
/// **Panics** if the data have no axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let data = gpu::array(&[1.0, 2.0, 4.0, 8.0]);
/// // With the power 0 the data are evenly spaced.
/// assert!(gpu::stats::boxcox_llf(0.0, &data).item() > gpu::stats::boxcox_llf(1.0, &data).item());
/// ```
#[track_caller]
pub fn boxcox_llf<A: OnDevice<Elem = T>, T: Number>(lmb: impl IntoFloat, data: &A) -> DeviceArray<T::Mean> {
    let lmb = lmb.into_float();
    const NAME: &str = "boxcox_llf";
    let count = data.raw().shape().first().copied().unwrap_or(0) as f64;
    let found = along(NAME, data.raw(), 0, T::Mean::DTYPE, |data, axis| {
        let logarithms = data.log();
        let spread = if lmb == 0.0 {
            logarithms.var_axis(axis).log()
        } else {
            // By the powers over their largest one, so that they do not overflow.
            let scaled = &logarithms * lmb;
            let largest = scaled.max_axis(axis).expand_dims(axis);
            let powers = (&scaled - &largest).exp();
            powers.var_axis(axis).log() + scaled.max_axis(axis) * 2.0 - 2.0 * lmb.abs().ln()
        };
        logarithms.sum_axis(axis) * (lmb - 1.0) - spread * (0.5 * count)
    });
    DeviceArray::from_raw(check(found))
}
