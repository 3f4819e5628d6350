//! Statistics: scores, moments, tests and densities; SciPy's `stats`.
//!
//! Arrays are reduced along an axis, the first one unless another is given; of an array with more axes it is one number for each
//! column. Everything is computed on the device of the array, in `f64`; for `f32` the result is `f32`. NaN in a column makes its result
//! NaN. Tests and fits give structs with SciPy's names, with numbers on the host.
//!
//! ```
//! use warpcell as gpu;
//! let x = gpu::arange(10.0f64);
//! let fit = gpu::stats::linregress(&x, &(&x * 2.0 + 1.0));
//! assert!((fit.slope - 2.0).abs() < 1e-12 && (fit.intercept - 1.0).abs() < 1e-12);
//! let z = gpu::stats::zscore(&x);
//! assert!(z.mean().abs() < 1e-12 && (z.std() - 1.0).abs() < 1e-12);
//! ```

mod correlation;
mod density;
mod kernels;
mod means;
mod moments;
mod ranks;
mod scores;
mod smirnov;
mod tests_of_means;

pub use correlation::{LinregressResult, PearsonRResult, SignificanceResult, linregress, pearsonr, spearmanr};
pub use density::{Bandwidth, gaussian_kde};
pub use means::{
    Limits, gmean, gmean_with, hmean, hmean_with, pmean, pmean_with, tmax, tmax_with, tmean, tmean_with, tmin,
    tmin_with, trim_mean, trim_mean_with, tsem, tsem_with, tstd, tstd_with, tvar, tvar_with,
};
pub use moments::{
    DescribeResult, describe, describe_with, iqr, iqr_with, kurtosis, kurtosis_with, median_abs_deviation,
    median_abs_deviation_with, moment, moment_with, sem, sem_with, skew, skew_with, variation, variation_with,
};
pub use ranks::{ModeResult, mode, mode_with, rankdata, rankdata_with};
pub use scores::{
    boxcox_llf, entropy, entropy_with, gzscore, gzscore_with, relative_entropy, zmap, zmap_with, zscore, zscore_with,
};
pub use smirnov::{KstestResult, ks_2samp, ks_2samp_with};
pub use tests_of_means::{
    Power_divergenceResult, TtestResult, chisquare, chisquare_with, jarque_bera, ttest_1samp, ttest_ind,
    ttest_ind_with, ttest_rel,
};

// The macros for calls with keywords.
pub use {
    __stats_chisquare as chisquare, __stats_describe as describe, __stats_entropy as entropy, __stats_gmean as gmean,
    __stats_gzscore as gzscore, __stats_hmean as hmean, __stats_iqr as iqr, __stats_ks_2samp as ks_2samp,
    __stats_kurtosis as kurtosis, __stats_median_abs_deviation as median_abs_deviation, __stats_mode as mode,
    __stats_moment as moment, __stats_pmean as pmean, __stats_rankdata as rankdata, __stats_sem as sem,
    __stats_skew as skew, __stats_tmax as tmax, __stats_tmean as tmean, __stats_tmin as tmin,
    __stats_trim_mean as trim_mean, __stats_tsem as tsem, __stats_tstd as tstd, __stats_ttest_ind as ttest_ind,
    __stats_tvar as tvar, __stats_variation as variation, __stats_zmap as zmap, __stats_zscore as zscore,
};

use crate::array::axes::axis_of;
use crate::array::{DeviceArray, RawArray};
use crate::backend::BinaryOperation;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::operations::composing::Composed;

/// The elements as `f64`; without a copy if they are.
fn doubles(operation: &'static str, x: &RawArray) -> Result<DeviceArray<f64>> {
    let raw = if x.dtype == DType::F64 { x.clone() } else { x.converted(operation, DType::F64)? };
    Ok(DeviceArray::from_raw(raw))
}

/// What a function makes of an array and one of its axes, as floats of `dtype`.
fn along(
    operation: &'static str,
    x: &RawArray,
    axis: isize,
    dtype: DType,
    of: impl FnOnce(&DeviceArray<f64>, isize) -> DeviceArray<f64>,
) -> Result<RawArray> {
    let axis = axis_of(operation, x.shape(), axis)?;
    in_type(operation, of(&doubles(operation, x)?, axis as isize), dtype)
}

fn in_type(operation: &'static str, result: DeviceArray<f64>, dtype: DType) -> Result<RawArray> {
    if dtype == DType::F64 { Ok((*result.raw).clone()) } else { result.raw.converted(operation, dtype) }
}

/// The means along an axis, which stays with the length 1.
fn kept_mean(x: &DeviceArray<f64>, axis: isize) -> DeviceArray<f64> {
    x.mean_axis(axis).expand_dims(axis)
}

/// The difference of arrays that perhaps do not broadcast.
fn difference(operation: &'static str, a: &DeviceArray<f64>, b: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    Composed(operation).pair(BinaryOperation::Subtract, &a.raw, &b.raw).map(DeviceArray::from_raw)
}

/// Two samples, each of one axis, and their length.
fn pair(operation: &'static str, x: &RawArray, y: &RawArray, least: usize) -> Result<[DeviceArray<f64>; 2]> {
    x.same_device(operation, y)?;
    if x.shape().len() != 1 || x.shape() != y.shape() || x.size() < least {
        let reason = format!(
            "does not fit that of the other sample, {:?}; give two 1-D arrays of one length, with {least} elements or more",
            y.shape()
        );
        return Err(Error::shape(operation, x.shape(), reason));
    }
    Ok([doubles(operation, x)?, doubles(operation, y)?])
}
