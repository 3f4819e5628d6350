//! Lines and correlations of two samples.

use super::pair;
use super::ranks::average_ranks;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::dtype::Number;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::special::scalar;

/// What [`linregress`](fn@linregress) gives, with SciPy's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinregressResult {
    /// The slope of the line.
    pub slope: f64,
    /// Its value at 0.
    pub intercept: f64,
    /// The correlation coefficient.
    pub rvalue: f64,
    /// How probable such a slope is, or a steeper one, if there is none.
    pub pvalue: f64,
    /// The standard error of the slope.
    pub stderr: f64,
    /// The standard error of the intercept.
    pub intercept_stderr: f64,
}

/// What [`pearsonr`](fn@pearsonr) gives, with SciPy's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PearsonRResult {
    /// The correlation coefficient.
    pub statistic: f64,
    /// How probable such a coefficient is, or a greater one, if there is no correlation.
    pub pvalue: f64,
}

/// What [`spearmanr`](fn@spearmanr) gives, with SciPy's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignificanceResult {
    /// The correlation coefficient.
    pub statistic: f64,
    /// How probable such a coefficient is, or a greater one, if there is no correlation.
    pub pvalue: f64,
}

fallible! {
    /// The line through the points `(x, y)` with the least sum of squared distances in `y`. SciPy's `linregress`. Waits: sums are
    /// computed on the device, the rest on the host.
    ///
    /// **Panics** if `x` and `y` are not 1-D of one length, 2 or more ([`Error::InvalidShape`]), if all `x` are equal
    /// ([`Error::InvalidArgument`]), or if devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let fit = gpu::stats::linregress(&gpu::arange(4.0), &gpu::array(&[1.0, 3.0, 2.0, 4.0]));
    /// assert!((fit.slope - 0.8).abs() < 1e-12 && (fit.rvalue - 0.8).abs() < 1e-12 && (fit.pvalue - 0.2).abs() < 1e-12);
    /// ```
    pub fn linregress, try_linregress<X: OnDevice<Elem = T>, Y: OnDevice<Elem = U>, T: Number, U: Number>(
        x: &X,
        y: &Y
    ) -> Result<LinregressResult> {
        line(x.raw(), y.raw())
    }

    /// Pearson's correlation coefficient of two samples. SciPy's `pearsonr`. Waits.
    ///
    /// **Panics** if `x` and `y` are not 1-D of one length, 2 or more ([`Error::InvalidShape`]), or if devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let r = gpu::stats::pearsonr(&gpu::arange(4.0), &gpu::array(&[1.0, 3.0, 2.0, 4.0]));
    /// assert!((r.statistic - 0.8).abs() < 1e-12 && (r.pvalue - 0.2).abs() < 1e-12);
    /// ```
    pub fn pearsonr, try_pearsonr<X: OnDevice<Elem = T>, Y: OnDevice<Elem = U>, T: Number, U: Number>(
        x: &X,
        y: &Y
    ) -> Result<PearsonRResult> {
        pearson(x.raw(), y.raw())
    }

    /// Spearman's correlation coefficient of two samples, that of their ranks. SciPy's `spearmanr` of two samples. Waits.
    ///
    /// **Panics** if `a` and `b` are not 1-D of one length, 2 or more ([`Error::InvalidShape`]), or if devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let r = gpu::stats::spearmanr(&gpu::arange(5.0), &gpu::array(&[1.0, 4.0, 9.0, 16.0, 0.0]));
    /// assert!(r.statistic.abs() < 1e-12);
    /// ```
    pub fn spearmanr, try_spearmanr<A: OnDevice<Elem = T>, B: OnDevice<Elem = U>, T: Number, U: Number>(
        a: &A,
        b: &B
    ) -> Result<SignificanceResult> {
        spearman(a.raw(), b.raw())
    }
}

/// Means, and means of the products of the distances from them: `x`, `y`, `xx`, `xy`, `yy`. One transfer.
fn products(x: &DeviceArray<f64>, y: &DeviceArray<f64>) -> Result<[f64; 5]> {
    let means = [x.mean_axis(0), y.mean_axis(0)];
    let [dx, dy] = [x - &means[0], y - &means[1]];
    let of = [
        means[0].clone(),
        means[1].clone(),
        (&dx * &dx).mean_axis(0),
        (&dx * &dy).mean_axis(0),
        (&dy * &dy).mean_axis(0),
    ];
    let all = crate::stack(&of, 0);
    let numbers: Vec<f64> = transfer::download_vec(&all.raw)?;
    Ok(numbers.try_into().expect("five numbers"))
}

/// The share of Student's distribution that is as far from 0 as `t`.
pub(super) fn both_tails(df: f64, t: f64) -> f64 {
    if t.is_nan() { f64::NAN } else { scalar::betainc(0.5 * df, 0.5, df / (df + t * t)) }
}

fn line(x: &RawArray, y: &RawArray) -> Result<LinregressResult> {
    const NAME: &str = "linregress";
    let [x, y] = pair(NAME, x, y, 2)?;
    let count = x.size() as f64;
    let [mean_x, mean_y, xx, xy, yy] = products(&x, &y)?;
    if xx == 0.0 {
        return Err(Error::argument(NAME, format!("all `x` are equal, to {mean_x}; give points at different places")));
    }
    let rvalue = if yy == 0.0 { 0.0 } else { (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0) };
    let slope = xy / xx;
    let intercept = mean_y - slope * mean_x;
    let df = count - 2.0;
    let (pvalue, stderr, intercept_stderr) = if df == 0.0 {
        // Two points: a line fits.
        (if y.get(&[0]) == y.get(&[1]) { 1.0 } else { 0.0 }, 0.0, 0.0)
    } else {
        let tiny = 1e-20;
        let t = rvalue * (df / ((1.0 - rvalue + tiny) * (1.0 + rvalue + tiny))).sqrt();
        let stderr = ((1.0 - rvalue * rvalue) * yy / xx / df).sqrt();
        (both_tails(df, t), stderr, stderr * (xx + mean_x * mean_x).sqrt())
    };
    Ok(LinregressResult { slope, intercept, rvalue, pvalue, stderr, intercept_stderr })
}

fn pearson(x: &RawArray, y: &RawArray) -> Result<PearsonRResult> {
    let [x, y] = pair("pearsonr", x, y, 2)?;
    let count = x.size() as f64;
    let [_, _, xx, xy, yy] = products(&x, &y)?;
    // By each root for itself: the product may overflow.
    let statistic = (xy / xx.sqrt() / yy.sqrt()).clamp(-1.0, 1.0);
    let pvalue = if statistic.is_nan() {
        f64::NAN
    } else if count == 2.0 {
        1.0
    } else {
        let half = count / 2.0 - 1.0;
        2.0 * scalar::betainc(half, half, 0.5 * (1.0 - statistic.abs()))
    };
    Ok(PearsonRResult { statistic, pvalue })
}

fn spearman(a: &RawArray, b: &RawArray) -> Result<SignificanceResult> {
    let [a, b] = pair("spearmanr", a, b, 2)?;
    let count = a.size() as f64;
    let [_, _, xx, xy, yy] = products(&average_ranks(&a), &average_ranks(&b))?;
    let has_nan = a.is_nan().any() || b.is_nan().any();
    let statistic = if has_nan { f64::NAN } else { (xy / xx.sqrt() / yy.sqrt()).clamp(-1.0, 1.0) };
    let df = count - 2.0;
    let t = statistic * (df / ((statistic + 1.0) * (1.0 - statistic))).max(0.0).sqrt();
    let pvalue = if df == 0.0 { f64::NAN } else { both_tails(df, t) };
    Ok(SignificanceResult { statistic, pvalue })
}
