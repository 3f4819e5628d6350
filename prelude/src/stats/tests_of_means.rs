//! Tests of means and of counts.

use super::moments::{kurtosis, skew};
use super::{difference, doubles, in_type};
use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use crate::special;
use crate::special::scalar;

/// What tests of means give, with SciPy's names.
#[derive(Clone, Debug)]
pub struct TtestResult<T: Element> {
    /// Student's `t`.
    pub statistic: DeviceArray<T>,
    /// How probable such a statistic is, or one farther from 0, if the means are equal.
    pub pvalue: DeviceArray<T>,
    /// The degrees of freedom.
    pub df: DeviceArray<T>,
}

/// What [`chisquare`](fn@chisquare) and [`jarque_bera`](fn@jarque_bera) give, with SciPy's names.
#[allow(non_camel_case_types, reason = "SciPy's name")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power_divergenceResult {
    /// The statistic.
    pub statistic: f64,
    /// How probable such a statistic is, or a greater one.
    pub pvalue: f64,
}

fn typed<T: Element>([statistic, pvalue, df]: [RawArray; 3]) -> TtestResult<T> {
    TtestResult {
        statistic: DeviceArray::from_raw(statistic),
        pvalue: DeviceArray::from_raw(pvalue),
        df: DeviceArray::from_raw(df),
    }
}

/// Student's test whether the mean along the first axis is `popmean` (`f64` for integers). SciPy's `ttest_1samp`.
///
/// **Panics** if there are no axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let t = gpu::stats::ttest_1samp(&gpu::array(&[1.0f64, 2.0, 3.0]), 1.0);
/// assert!((t.statistic.item() - 3f64.sqrt()).abs() < 1e-12 && t.df.item() == 2.0);
/// ```
#[track_caller]
pub fn ttest_1samp<A: OnDevice<Elem = T>, T: Number>(a: &A, popmean: impl IntoFloat) -> TtestResult<T::Mean> {
    let popmean = popmean.into_float();
    const NAME: &str = "ttest_1samp";
    typed(check(doubles(NAME, a.raw()).and_then(|a| against(NAME, &a, popmean, T::Mean::DTYPE))))
}

/// Student's test whether two samples of pairs have one mean, along the first axis (`f64` for integers). SciPy's `ttest_rel`.
///
/// **Panics** if shapes or devices differ, or there are no axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let t = gpu::stats::ttest_rel(&gpu::array(&[2.0f64, 3.0, 5.0]), &gpu::array(&[1.0, 1.0, 2.0]));
/// assert!((t.statistic.item() - 12f64.sqrt()).abs() < 1e-12);
/// ```
#[track_caller]
pub fn ttest_rel<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(a: &A, b: &B) -> TtestResult<T::Mean> {
    const NAME: &str = "ttest_rel";
    let found = || {
        let (a, b) = (a.raw(), b.raw());
        a.same_device(NAME, b)?;
        if a.shape() != b.shape() {
            let reason = format!("is not that of the other sample, {:?}; give as many elements", b.shape());
            return Err(Error::shape(NAME, a.shape(), reason));
        }
        against(NAME, &(doubles(NAME, a)? - &doubles(NAME, b)?), 0.0, T::Mean::DTYPE)
    };
    typed(check(found()))
}

/// Student's test whether two independent samples have one mean, along the first axis (`f64` for integers). SciPy's `ttest_ind`:
/// `gpu::stats::ttest_ind!(&a, &b, axis = 1, equal_var = false)` has its keywords; without equal variances it is Welch's test.
///
/// **Panics** if the shapes without the axis do not broadcast, or there is no such axis ([`Error::InvalidShape`]), or if devices
/// differ.
///
/// ```
/// use warpcell as gpu;
/// let t = gpu::stats::ttest_ind(&gpu::array(&[1.0f64, 2.0, 3.0]), &gpu::array(&[2.0, 3.0, 4.0]));
/// assert!((t.statistic.item() + 1.5f64.sqrt()).abs() < 1e-12 && t.df.item() == 4.0);
/// ```
#[track_caller]
pub fn ttest_ind<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(a: &A, b: &B) -> TtestResult<T::Mean> {
    ttest_ind_with(a, b, 0, true)
}

/// As [`ttest_ind`](fn@ttest_ind), with SciPy's other arguments.
#[track_caller]
pub fn ttest_ind_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(
    a: &A,
    b: &B,
    axis: isize,
    equal_var: bool,
) -> TtestResult<T::Mean> {
    typed(check(independent(a.raw(), b.raw(), axis, equal_var, T::Mean::DTYPE)))
}

/// The share of Student's distribution that is as far from 0 as `t`, for each.
fn both_tails(df: &DeviceArray<f64>, t: &DeviceArray<f64>) -> DeviceArray<f64> {
    let x = df / &(df + &(t * t));
    special::betainc(&(df * 0.5), 0.5, &x)
}

fn against(operation: &'static str, x: &DeviceArray<f64>, mean: f64, dtype: DType) -> Result<[RawArray; 3]> {
    axis_of(operation, x.shape(), 0)?;
    let count = x.shape()[0] as f64;
    let t = (x.mean_axis(0) - mean) / &(x.std_with(0, 1.0) / count.sqrt());
    let df = crate::ones_like(&t) * (count - 1.0);
    let pvalue = both_tails(&df, &t);
    Ok([in_type(operation, t, dtype)?, in_type(operation, pvalue, dtype)?, in_type(operation, df, dtype)?])
}

fn independent(a: &RawArray, b: &RawArray, axis: isize, equal_var: bool, dtype: DType) -> Result<[RawArray; 3]> {
    const NAME: &str = "ttest_ind";
    a.same_device(NAME, b)?;
    let axes = [axis_of(NAME, a.shape(), axis)?, axis_of(NAME, b.shape(), axis)?];
    let [a, b] = [doubles(NAME, a)?, doubles(NAME, b)?];
    let of = |x: &DeviceArray<f64>, axis: usize| {
        let count = x.shape()[axis] as f64;
        let axis = axis as isize;
        (count, x.mean_axis(axis), x.var_with(axis, 1.0))
    };
    let ((n1, mean1, v1), (n2, mean2, v2)) = (of(&a, axes[0]), of(&b, axes[1]));
    let distance = difference(NAME, &mean1, &mean2)?;
    let (df, error) = if equal_var {
        let df = n1 + n2 - 2.0;
        // One element has no variance, and none to add.
        let squares = |variance: &DeviceArray<f64>, count: f64| {
            if count > 1.0 { variance * (count - 1.0) } else { crate::zeros_like(variance) }
        };
        let variance = (squares(&v1, n1) + &squares(&v2, n2)) / df;
        (crate::ones_like(&distance) * df, (variance * (1.0 / n1 + 1.0 / n2)).sqrt())
    } else {
        let (e1, e2) = (&v1 / n1, &v2 / n2);
        let sum = &e1 + &e2;
        let df = &(&sum * &sum) / &(&(&e1 * &e1) / (n1 - 1.0) + &(&(&e2 * &e2) / (n2 - 1.0)));
        // Of constant samples it does not matter.
        (crate::where_(&df.is_nan(), 1.0, &df), sum.sqrt())
    };
    let t = &distance / &error;
    let pvalue = both_tails(&df, &t);
    Ok([in_type(NAME, t, dtype)?, in_type(NAME, pvalue, dtype)?, in_type(NAME, df, dtype)?])
}

/// Pearson's test whether counts are as expected: all equal. SciPy's `chisquare` of one axis: `gpu::stats::chisquare!(&f_obs, f_exp =
/// &expected, ddof = 1)` has its keywords. Waits.
///
/// **Panics** if the counts are not 1-D, or those expected have another shape ([`Error::InvalidShape`]), or if their sums differ
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let c = gpu::stats::chisquare(&gpu::array(&[16.0, 18.0, 16.0, 14.0, 12.0, 12.0]));
/// assert!((c.statistic - 2.0).abs() < 1e-12 && (c.pvalue - 0.8491450360846096).abs() < 1e-12);
/// ```
#[track_caller]
pub fn chisquare<A: OnDevice<Elem = T>, T: Number>(f_obs: &A) -> Power_divergenceResult {
    check(of_counts(f_obs.raw(), None, 0))
}

/// As [`chisquare`](fn@chisquare), with SciPy's other arguments.
#[track_caller]
pub fn chisquare_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(
    f_obs: &A,
    f_exp: &B,
    ddof: usize,
) -> Power_divergenceResult {
    check(of_counts(f_obs.raw(), Some(f_exp.raw()), ddof))
}

fn of_counts(observed: &RawArray, expected: Option<&RawArray>, ddof: usize) -> Result<Power_divergenceResult> {
    const NAME: &str = "chisquare";
    if observed.shape().len() != 1 || observed.size() == 0 {
        return Err(Error::shape(NAME, observed.shape(), "is not that of counts; give a 1-D array with elements"));
    }
    let counts = doubles(NAME, observed)?;
    let expected = match expected {
        None => crate::ones_like(&counts) * counts.mean(),
        Some(expected) => {
            observed.same_device(NAME, expected)?;
            if expected.shape() != observed.shape() {
                let reason = format!("is not that of the counts, {:?}", observed.shape());
                return Err(Error::shape(NAME, expected.shape(), reason));
            }
            let expected = doubles(NAME, expected)?;
            let (one, other) = (counts.sum(), expected.sum());
            if ((one - other) / one.abs().min(other.abs())).abs() > 1.5e-8 {
                let reason = format!("the counts sum to {one}, and what is expected to {other}; scale it to the sum");
                return Err(Error::argument(NAME, reason));
            }
            expected
        }
    };
    let distance = &counts - &expected;
    let statistic = (&(&distance * &distance) / &expected).sum();
    let df = counts.size() as f64 - 1.0 - ddof as f64;
    Ok(Power_divergenceResult { statistic, pvalue: scalar::chdtrc(df, statistic) })
}

/// Jarque's and Bera's test whether all elements are from a normal distribution, by their skewness and kurtosis. SciPy's
/// `jarque_bera`. Waits.
///
/// **Panics** if there is no element ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let j = gpu::stats::jarque_bera(&gpu::array(&[-1.0, 0.0, 1.0]));
/// assert!((j.statistic - 0.28125).abs() < 1e-12);
/// ```
#[track_caller]
pub fn jarque_bera<A: OnDevice<Elem = T>, T: Number>(x: &A) -> Power_divergenceResult {
    const NAME: &str = "jarque_bera";
    let found = || {
        let x = x.raw();
        if x.size() == 0 {
            return Err(Error::shape(NAME, x.shape(), "has no elements; give some"));
        }
        let x = doubles(NAME, &x.flat(NAME)?)?;
        let (s, k) = (skew(&x).item(), kurtosis(&x).item());
        let statistic = x.size() as f64 / 6.0 * (s * s + k * k / 4.0);
        Ok(Power_divergenceResult { statistic, pvalue: scalar::chdtrc(2.0, statistic) })
    };
    check(found())
}
