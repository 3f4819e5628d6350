//! Densities by kernels.

use super::doubles;
use super::kernels::sum_densities;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::Layout;
use crate::device::Device;
use crate::dtype::{DType, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::floats::IntoFloat;
use crate::launch::try_launch_unchecked;
use crate::operations::elementwise::RawOperand;
use crate::operations::map::registered;
use warpcell_macros::vectorize;

/// How wide the kernels of a density are: `()` or "scott" for Scott's rule, "silverman" for Silverman's, or a factor of the deviation.
/// Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the width of kernels",
    label = "expected a number, \"scott\" or \"silverman\""
)]
pub trait Bandwidth: sealed::Width {}

pub(crate) mod sealed {
    use super::{Error, IntoFloat, Result};

    pub enum Rule {
        Scott,
        Silverman,
        Factor(f64),
    }
    pub trait Width {
        fn rule(&self, operation: &'static str) -> Result<Rule>;
    }
    impl Width for () {
        fn rule(&self, _operation: &'static str) -> Result<Rule> {
            Ok(Rule::Scott)
        }
    }
    impl<F: IntoFloat> Width for F {
        fn rule(&self, operation: &'static str) -> Result<Rule> {
            let factor = self.into_float();
            if factor > 0.0 && factor.is_finite() {
                return Ok(Rule::Factor(factor));
            }
            Err(Error::argument(operation, format!("`bw_method` is {factor}; give a positive number")))
        }
    }
    impl Width for &str {
        fn rule(&self, operation: &'static str) -> Result<Rule> {
            match *self {
                "scott" => Ok(Rule::Scott),
                "silverman" => Ok(Rule::Silverman),
                other => {
                    let reason = format!("`bw_method` is {other:?}; give a number, \"scott\" or \"silverman\"");
                    Err(Error::argument(operation, reason))
                }
            }
        }
    }
}
use sealed::{Rule, Width};
impl<W: Width> Bandwidth for W {}

/// The density of the distribution from which data are, as the sum of normal densities around them; SciPy's `gaussian_kde`. By Scott,
/// "Multivariate density estimation" (1992). The data stay on the device; the covariance, a small matrix, is factorised on the host.
///
/// ```
/// use warpcell as gpu;
/// use gpu::stats::gaussian_kde;
/// let kde = gaussian_kde::new(&gpu::array(&[-1.0, 0.0, 1.0]));
/// let x = gpu::linspace(-10.0, 10.0, 2001);
/// assert!((kde.evaluate(&x).sum() * 0.01 - 1.0).abs() < 1e-6);
/// assert!((kde.integrate_box_1d(-10.0, 0.0) - 0.5).abs() < 1e-12);
/// let narrow = gaussian_kde::with(&gpu::array(&[-1.0, 0.0, 1.0]), 0.1, None);
/// assert!(narrow.evaluate(&gpu::array(&[0.5])).item() < 1e-3);
/// ```
#[allow(non_camel_case_types, reason = "SciPy's name")]
#[derive(Clone)]
pub struct gaussian_kde {
    /// A row of weights, then a row for each coordinate, such that their covariance is the unit matrix.
    data: DeviceArray<f64>,
    dimensions: usize,
    count: usize,
    factor: f64,
    effective: f64,
    covariance: Vec<f64>,
    /// The inverse of the covariance's Cholesky factor, a lower triangle.
    whitening: Vec<f64>,
    determinant_root: f64,
    mean: Vec<f64>,
}

impl std::fmt::Debug for gaussian_kde {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "gaussian_kde({} points of {} coordinates, factor {})", self.count, self.dimensions, self.factor)
    }
}

/// The exponent of a normal density with one coordinate more.
#[vectorize]
fn less_half_square(sum: f64, x: f64, y: f64) -> f64 {
    let distance = x - y;
    sum - 0.5 * distance * distance
}

/// The parts of the data that are summed on their own, at least, if there are few points.
const TASKS: usize = 1 << 15;

impl gaussian_kde {
    /// The density of a 1-D array of data, or of a matrix with a row for each coordinate and a column for each point, with Scott's
    /// width. Waits for the covariance.
    ///
    /// **Panics** if there are not two points at least ([`Error::InvalidShape`]), or they lie on a line or a plane
    /// ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<D: OnDevice<Elem = T>, T: Number>(dataset: &D) -> gaussian_kde {
        check(gaussian_kde::made(dataset.raw(), &(), None))
    }

    /// As [`new`](Self::new), with SciPy's other arguments: `bw_method` is a number, "scott" or "silverman", and `weights` are those of the
    /// points, `Some(&w)` or `None`.
    #[track_caller]
    pub fn with<D: OnDevice<Elem = T>, T: Number>(
        dataset: &D,
        bw_method: impl Bandwidth,
        weights: Option<&DeviceArray<T>>,
    ) -> gaussian_kde {
        check(gaussian_kde::made(dataset.raw(), &bw_method, weights.map(|weights| &*weights.raw)))
    }

    fn made(dataset: &RawArray, bandwidth: &dyn Width, weights: Option<&RawArray>) -> Result<gaussian_kde> {
        const NAME: &str = "gaussian_kde";
        let rule = bandwidth.rule(NAME)?;
        let (d, n) = match *dataset.shape() {
            [n] => (1, n),
            [d, n] => (d, n),
            _ => {
                return Err(Error::shape(
                    NAME,
                    dataset.shape(),
                    "is neither that of numbers nor of points, a column for each",
                ));
            }
        };
        if n < 2 || d == 0 {
            return Err(Error::shape(NAME, dataset.shape(), "has not two points; give more"));
        }
        let data = dataset.converted(NAME, DType::F64)?;
        let data = DeviceArray::<f64>::from_raw(data.with_layout(Layout::contiguous(&[d, n])));
        let weights = match weights {
            None => crate::ones_like(&data.slice(ndarray::s![0, ..])) / n as f64,
            Some(weights) => {
                dataset.same_device(NAME, weights)?;
                if weights.shape() != [n] {
                    let reason = format!("of `weights` is not that of {n} points");
                    return Err(Error::shape(NAME, weights.shape(), reason));
                }
                let weights = doubles(NAME, weights)?;
                &weights / &weights.sum_axis(0)
            }
        };
        let mean = (&data * &weights).sum_axis(1);
        let distances = &data - &mean.expand_dims(1);
        // Of a few rows the products are sums over the columns.
        let products = (&distances * &weights).matmul(&distances.swapaxes(0, 1));
        let squares = (&weights * &weights).sum_axis(0);
        let all = crate::concatenate(&[mean, products.reshape(d * d), squares.reshape(1)], 0);
        let numbers: Vec<f64> = transfer::download_vec(&all.raw)?;
        let effective = 1.0 / numbers[d + d * d];
        // As numpy.cov with aweights.
        let unbiased = 1.0 - 1.0 / effective;
        let factor = match rule {
            Rule::Scott => effective.powf(-1.0 / (d as f64 + 4.0)),
            Rule::Silverman => (effective * (d as f64 + 2.0) / 4.0).powf(-1.0 / (d as f64 + 4.0)),
            Rule::Factor(factor) => factor,
        };
        let covariance: Vec<f64> = numbers[d..d + d * d].iter().map(|sum| sum / unbiased * factor * factor).collect();
        let Some(root) = cholesky(&covariance, d) else {
            let reason =
                "the covariance of the data is singular: they lie on a line or a plane; give fewer coordinates";
            return Err(Error::argument(NAME, reason));
        };
        let whitening = inverse(&root, d);
        let determinant_root = (0..d).map(|at| root[at * d + at]).product();
        let mean = numbers[..d].to_vec();
        let mut kde = gaussian_kde {
            data: data.clone(),
            dimensions: d,
            count: n,
            factor,
            effective,
            covariance,
            whitening,
            determinant_root,
            mean,
        };
        let white = kde.whitened(&data);
        kde.data = crate::concatenate(&[weights.reshape((1, n)), white], 0);
        Ok(kde)
    }

    /// Points, a column for each, such that the covariance of the data is the unit matrix, and their mean 0.
    fn whitened(&self, points: &DeviceArray<f64>) -> DeviceArray<f64> {
        let d = self.dimensions;
        let row = |at: usize| points.slice(ndarray::s![at..at + 1, ..]) - self.mean[at];
        let rows: Vec<DeviceArray<f64>> = (0..d)
            .map(|at| {
                (1..=at).fold(row(0) * self.whitening[at * d], |sum, other| {
                    sum + &(row(other) * self.whitening[at * d + other])
                })
            })
            .collect();
        crate::concatenate(&rows, 0)
    }

    fn density(&self, operation: &'static str, points: &RawArray) -> Result<DeviceArray<f64>> {
        self.data.raw.same_device(operation, points)?;
        let d = self.dimensions;
        let count = match *points.shape() {
            [] if d == 1 => 1,
            [count] if d == 1 => count,
            [length] if length == d => 1,
            [rows, count] if rows == d => count,
            _ => {
                let reason = format!("is not that of points of {d} coordinates; give a row for each coordinate");
                return Err(Error::shape(operation, points.shape(), reason));
            }
        };
        let points = points.converted(operation, DType::F64)?;
        let points = DeviceArray::<f64>::from_raw(points.with_layout(Layout::contiguous(&[d, count])));
        let points = self.whitened(&points);
        let norm = std::f64::consts::TAU.powf(0.5 * d as f64) * self.determinant_root;
        if points.device() == Device::Cpu && count > 0 {
            return Ok(self.sums_of_tiles(operation, &points, count)? / norm);
        }
        let parts = (TASKS / count.max(1)).clamp(1, self.count.div_ceil(256));
        let part = self.count.div_ceil(parts);
        let parts = self.count.div_ceil(part);
        let sums = RawArray::uninitialised(operation, &points.raw.handle, &[parts, count], DType::F64)?;
        let mut sums = DeviceArray::<f64>::from_raw(sums);
        if count > 0 {
            let blocks = (parts * count).div_ceil(128);
            let arguments = (&points, &self.data, part as u64, &mut sums);
            // SAFETY: a thread writes one sum.
            unsafe { try_launch_unchecked(sum_densities, blocks, 128, arguments)? };
        }
        Ok(sums.sum_axis(0) / norm)
    }

    /// The sums for the CPU: tile by tile, each in a few passes that use the vector instructions of the processor.
    fn sums_of_tiles(
        &self,
        operation: &'static str,
        points: &DeviceArray<f64>,
        count: usize,
    ) -> Result<DeviceArray<f64>> {
        let weights = self.data.slice(ndarray::s![0, ..]);
        let height = (TASKS / self.count).max(1);
        let sums = (0..count).step_by(height).map(|first| {
            let last = (first + height).min(count);
            let square = (0..self.dimensions).try_fold(None, |square: Option<RawArray>, axis| {
                let column = points.slice(ndarray::s![axis, first..last]).expand_dims(1);
                let row = self.data.slice(ndarray::s![axis + 1, ..]);
                let square = square.as_ref().map_or(RawOperand::Scalar(Scalar::F64(0.0)), RawOperand::Array);
                let operands = [square, RawOperand::Array(&column.raw), RawOperand::Array(&row.raw)];
                registered(operation, std::any::type_name_of_val(&less_half_square), &operands).map(Some)
            })?;
            let square = DeviceArray::<f64>::from_raw(square.expect("there is a coordinate"));
            Ok(square.exp().matmul(&weights))
        });
        Ok(crate::concatenate(&sums.collect::<Result<Vec<_>>>()?, 0))
    }

    fallible! {
        /// The density at points: a 1-D array of numbers, or a matrix with a row for each coordinate. An array of as many numbers.
        /// Queues.
        ///
        /// **Panics** if the coordinates are not those of the data ([`Error::InvalidShape`]), or if the device differs.
        pub fn evaluate, try_evaluate<P: OnDevice<Elem = T>, T: Number>(&self, points: &P) -> Result<DeviceArray<f64>> {
            self.density("evaluate", points.raw())
        }

        /// As [`evaluate`](Self::evaluate), under SciPy's other name.
        pub fn pdf, try_pdf<P: OnDevice<Elem = T>, T: Number>(&self, x: &P) -> Result<DeviceArray<f64>> {
            self.density("pdf", x.raw())
        }

        /// The logarithm of the density at points.
        ///
        /// **Panics** as [`evaluate`](Self::evaluate) does.
        pub fn logpdf, try_logpdf<P: OnDevice<Elem = T>, T: Number>(&self, x: &P) -> Result<DeviceArray<f64>> {
            Ok(self.density("logpdf", x.raw())?.log())
        }

        /// The integral of the density of numbers from `low` to `high`. Waits.
        ///
        /// **Panics** if the data have several coordinates ([`Error::InvalidArgument`]).
        pub fn integrate_box_1d, try_integrate_box_1d(&self, low: impl IntoFloat, high: impl IntoFloat) -> Result<f64> {
            let low = low.into_float();
            let high = high.into_float();
            if self.dimensions != 1 {
                let reason = format!("the data have {} coordinates; give those of a density of numbers", self.dimensions);
                return Err(Error::argument("integrate_box_1d", reason));
            }
            let [low, high] = [low, high].map(|end| (end - self.mean[0]) * self.whitening[0]);
            let (weights, data) = (self.data.slice(ndarray::s![0, ..]), self.data.slice(ndarray::s![1, ..]));
            let below = |end: f64| crate::special::ndtr(&(-(&data - end)));
            Ok((&weights * &(below(high) - &below(low))).sum())
        }
    }

    /// The width of the kernels as a factor of the deviation.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// How many points of one weight would be as good.
    pub fn neff(&self) -> f64 {
        self.effective
    }

    /// How many coordinates there are.
    pub fn d(&self) -> usize {
        self.dimensions
    }

    /// How many points there are.
    pub fn n(&self) -> usize {
        self.count
    }

    /// The covariance of a kernel, a matrix.
    pub fn covariance(&self) -> DeviceArray<f64> {
        let shape = [self.dimensions, self.dimensions];
        let values = self.covariance.iter().copied();
        let raw = check(RawArray::of_floats("covariance", &self.data.raw.handle, &shape, values, DType::F64));
        DeviceArray::from_raw(raw)
    }
}

/// The lower triangle whose product with its transpose is the matrix, if that is positive definite.
fn cholesky(matrix: &[f64], d: usize) -> Option<Vec<f64>> {
    let mut root = vec![0.0; d * d];
    for row in 0..d {
        for column in 0..=row {
            let sum: f64 = (0..column).map(|k| root[row * d + k] * root[column * d + k]).sum();
            let rest = matrix[row * d + column] - sum;
            if row == column {
                if rest.is_nan() || rest <= f64::EPSILON * matrix[row * d + row].abs() {
                    return None;
                }
                root[row * d + row] = rest.sqrt();
            } else {
                root[row * d + column] = rest / root[column * d + column];
            }
        }
    }
    Some(root)
}

/// The inverse of a lower triangle.
fn inverse(root: &[f64], d: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; d * d];
    for column in 0..d {
        for row in column..d {
            let sum: f64 = (column..row).map(|k| root[row * d + k] * inverse[k * d + column]).sum();
            let unit = if row == column { 1.0 } else { 0.0 };
            inverse[row * d + column] = (unit - sum) / root[row * d + row];
        }
    }
    inverse
}
