//! Covariances, correlations and weighted means.

use crate::array::triangles::diagonal_view;
use crate::array::{DeviceArray, OnDevice, RawArray, join};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::operations::composing::Composed;
use crate::operations::elementwise::{RawOperand, binary, binary_into, unary};
use crate::operations::formulas::{self, apply_one};
use crate::operations::products::multiply;
use crate::operations::reduce::{as_mean, mean_along, reduce};
use crate::operations::statistics::with_axes;
use crate::thin::thin;

thin! {
    /// The covariances of the rows of a matrix, each a variable (`f64` for integers), divided by the number of columns less
    /// one; of a 1-D array, or of one variable, its variance, without axes. NumPy's `cov`; `gpu::cov!(&m, y = &n, rowvar = false,
    /// aweights = &w)` has its keywords.
    ///
    /// **Panics** if the array is neither 1-D nor 2-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let c = gpu::cov(&gpu::array(&[[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]));
    /// assert_eq!(c.ravel().tolist(), [1.0, -2.0, -2.0, 4.0]);
    /// ```
    pub fn cov<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T::Mean> =>
        covariances("cov", m.raw(), Options::default(), T::Mean::DTYPE);

    /// The correlation coefficients of the rows of a matrix (`f64` for integers). NumPy's `corrcoef`;
    /// `gpu::corrcoef!(&x, &y)` has its keywords.
    ///
    /// **Panics** as [`cov`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let c = gpu::corrcoef(&gpu::array(&[[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]));
    /// assert!(gpu::allclose(&c, &[[1.0, -1.0], [-1.0, 1.0]]));
    /// ```
    pub fn corrcoef<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T::Mean> =>
        correlations(m.raw(), Options::default(), T::Mean::DTYPE);
}

/// The mean of all elements, NumPy's `average`; with weights `gpu::average!(&a, weights = &w)`. Waits for the result.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::average(&gpu::array(&[1.0, 2.0])), 1.5);
/// ```
#[track_caller]
pub fn average<A: OnDevice<Elem = T>, T: Element>(a: &A) -> T::Mean {
    crate::mean(a)
}

/// What the keywords of [`cov`] say.
pub(crate) struct Options<'a> {
    /// More variables.
    pub y: Option<&'a RawArray>,
    /// Whether the rows are the variables.
    pub rowvar: bool,
    /// What is taken off the number of observations.
    pub ddof: f64,
    /// How often each observation counts.
    pub frequencies: Option<&'a RawArray>,
    /// How much each observation counts.
    pub importances: Option<&'a RawArray>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { y: None, rowvar: true, ddof: 1.0, frequencies: None, importances: None }
    }
}

/// The variables of an array as rows.
fn variables(name: &'static str, m: &RawArray, rowvar: bool) -> Result<RawArray> {
    match *m.shape() {
        [length] => Ok(m.with_layout(Layout {
            shape: vec![1, length],
            strides: vec![0, m.layout.strides[0]],
            offset: m.layout.offset,
        })),
        [_, _] if rowvar => Ok(m.clone()),
        [_, _] => Ok(m.moved(1, 0)),
        _ => {
            let reason = "is neither 1-D nor 2-D; give a matrix whose rows are variables";
            Err(Error::shape(name, m.shape(), reason))
        }
    }
}

/// The covariances as floats of `dtype`.
pub(crate) fn covariances(name: &'static str, m: &RawArray, options: Options<'_>, dtype: DType) -> Result<RawArray> {
    let mut rows = variables(name, m, options.rowvar)?;
    if let Some(y) = options.y {
        m.same_device(name, y)?;
        let more = variables(name, y, options.rowvar)?;
        if more.shape()[1] != rows.shape()[1] {
            let reason = format!(
                "of `y` has {} observations, but the other variables have {}; give as many of each",
                more.shape()[1],
                rows.shape()[1]
            );
            return Err(Error::shape(name, y.shape(), reason));
        }
        rows = join(name, &[rows, more], 0)?;
    }
    let count = rows.shape()[1];
    let x = as_mean(name, &rows, dtype)?;
    let weights = |key: &str, weights: Option<&RawArray>| -> Result<Option<RawArray>> {
        let Some(weights) = weights else { return Ok(None) };
        x.same_device(name, weights)?;
        if weights.shape() != [count] {
            let reason = format!("of `{key}` is not that of {count} observations; give one number for each");
            return Err(Error::shape(name, weights.shape(), reason));
        }
        as_mean(name, weights, dtype).map(Some)
    };
    let calc = Composed(name);
    let frequencies = weights("fweights", options.frequencies)?;
    let importances = weights("aweights", options.importances)?;
    let both = match (&frequencies, &importances) {
        (Some(one), Some(other)) => Some(calc.pair(BinaryOperation::Multiply, one, other)?),
        (one, other) => one.as_ref().or(other.as_ref()).cloned(),
    };
    let sums = match &both {
        None => {
            let means = with_axes(&mean_along(name, &x, &[1], dtype)?, &[1]);
            let distances = calc.pair(BinaryOperation::Subtract, &x, &means)?;
            let sums = multiply(name, &distances, &conjugates(name, &distances)?.moved(1, 0))?;
            let free = RawOperand::Scalar(Scalar::of_float((count as f64 - options.ddof).max(0.0), dtype.part()));
            shares(name, &sums, free)?
        }
        Some(both) => {
            let sum = |x: &RawArray, axis: usize| reduce(name, ReduceOperation::Sum, x, &[axis]);
            let total = sum(both, 0)?;
            let weighted = |x: &RawArray| calc.pair(BinaryOperation::Multiply, x, both);
            let means = calc.pair(BinaryOperation::Divide, &sum(&weighted(&x)?, 1)?, &total)?;
            let distances = calc.pair(BinaryOperation::Subtract, &x, &with_axes(&means, &[1]))?;
            let sums = multiply(name, &weighted(&distances)?, &conjugates(name, &distances)?.moved(1, 0))?;
            // What is taken off is the mean of the importances, for each degree of freedom.
            let off = match &importances {
                Some(importances) if options.ddof != 0.0 => {
                    let terms = calc.pair(BinaryOperation::Multiply, both, importances)?;
                    let mean = calc.pair(BinaryOperation::Divide, &sum(&terms, 0)?, &total)?;
                    calc.with(BinaryOperation::Multiply, &mean, options.ddof)?
                }
                _ => RawArray::filled(name, &x.handle, &[], Scalar::of_float(options.ddof, dtype))?,
            };
            let free = calc.pair(BinaryOperation::Subtract, &total, &off)?;
            let free = if dtype.is_complex() { free.part(false) } else { free };
            let free = calc.with(BinaryOperation::Maximum, &free, 0.0)?;
            shares(name, &sums, RawOperand::Array(&free))?
        }
    };
    // Of one variable it is a number, as in NumPy.
    Ok(if sums.shape() == [1, 1] {
        sums.with_layout(Layout { offset: sums.layout.offset, ..Layout::contiguous(&[]) })
    } else {
        sums
    })
}

/// The array, or the conjugates of complex numbers.
fn conjugates(name: &'static str, x: &RawArray) -> Result<RawArray> {
    if x.dtype.is_complex() { unary(name, UnaryOperation::Conjugate, x) } else { Ok(x.clone()) }
}

/// The numbers divided by a real one.
fn shares(name: &'static str, x: &RawArray, divisor: RawOperand<'_>) -> Result<RawArray> {
    if x.dtype.is_complex() {
        return Ok(binary(name, BinaryOperation::Divide, &x.parts(), divisor)?.joined(x.dtype));
    }
    binary(name, BinaryOperation::Divide, x, divisor)
}

/// The correlations as floats of `dtype`.
pub(crate) fn correlations(m: &RawArray, options: Options<'_>, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "corrcoef";
    let covariances = covariances(NAME, m, options, dtype)?;
    if covariances.shape().is_empty() {
        return binary(NAME, BinaryOperation::Divide, &covariances, &covariances);
    }
    if dtype.is_complex() {
        let variances = diagonal_view(&covariances, 0).part(false);
        let deviations = with_axes(&unary(NAME, UnaryOperation::Sqrt, &variances)?, &[1]);
        let scaled = binary(NAME, BinaryOperation::Divide, &covariances.parts(), &with_axes(&deviations, &[1]))?;
        binary_into(NAME, BinaryOperation::Divide, &scaled, &deviations)?;
        let [low, high] = [-1.0, 1.0].map(|end| RawOperand::Scalar(Scalar::of_float(end, dtype.part())));
        return Ok(apply_one(NAME, formulas::limited, &[RawOperand::Array(&scaled), low, high])?.joined(dtype));
    }
    let deviations = unary(NAME, UnaryOperation::Sqrt, &diagonal_view(&covariances, 0))?;
    let scaled = binary(NAME, BinaryOperation::Divide, &covariances, &with_axes(&deviations, &[1]))?;
    binary_into(NAME, BinaryOperation::Divide, &scaled, &deviations)?;
    let [low, high] = [-1.0, 1.0].map(|end| RawOperand::Scalar(Scalar::of_float(end, dtype)));
    apply_one(NAME, formulas::limited, &[RawOperand::Array(&scaled), low, high])
}
