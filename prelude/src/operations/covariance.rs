//! Covariances, correlations and weighted means.

use crate::array::triangles::diagonal_view;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, Layout, UnaryOperation};
use crate::dtype::{DType, Element, Number, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::{RawOperand, binary, binary_into, unary};
use crate::operations::formulas::{self, apply_one};
use crate::operations::products::multiply;
use crate::operations::reduce::{as_mean, mean_along};
use crate::operations::statistics::with_axes;
use crate::thin::thin;

thin! {
    /// The covariances of the rows of a matrix, each a variable (`f64` for integers), divided by the number of columns less
    /// one; of a 1-D array, or of one variable, its variance, without axes. NumPy's `cov`; `gpu::cov!(&m, rowvar = false,
    /// ddof = 0)` has its keywords.
    ///
    /// **Panics** if the array is neither 1-D nor 2-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let c = gpu::cov(&gpu::array(&[[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]));
    /// assert_eq!(c.ravel().tolist(), [1.0, -2.0, -2.0, 4.0]);
    /// ```
    pub fn cov<A: OnDevice<Elem = T>, T: Number>(m: &A) -> DeviceArray<T::Mean> =>
        covariances("cov", m.raw(), true, 1.0, T::Mean::DTYPE);

    /// The correlation coefficients of the rows of a matrix (`f64` for integers). NumPy's `corrcoef`.
    ///
    /// **Panics** as [`cov`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let c = gpu::corrcoef(&gpu::array(&[[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]));
    /// assert!(gpu::allclose(&c, &[[1.0, -1.0], [-1.0, 1.0]]));
    /// ```
    pub fn corrcoef<A: OnDevice<Elem = T>, T: Number>(m: &A) -> DeviceArray<T::Mean> =>
        correlations(m.raw(), true, T::Mean::DTYPE);
}

/// The mean of all elements, NumPy's `average`; with weights `gpu::average!(&a, weights = &w)`. Waits for the result.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::average(&gpu::array(&[1.0, 2.0])), 1.5);
/// ```
#[track_caller]
pub fn average<A: OnDevice<Elem = T>, T: Number>(a: &A) -> T::Mean {
    crate::mean(a)
}

/// The covariances of the rows, or of the columns, as floats of `dtype`.
pub(crate) fn covariances(name: &'static str, m: &RawArray, rowvar: bool, ddof: f64, dtype: DType) -> Result<RawArray> {
    let rows = match *m.shape() {
        [length] => m.with_layout(Layout {
            shape: vec![1, length],
            strides: vec![0, m.layout.strides[0]],
            offset: m.layout.offset,
        }),
        [_, _] if rowvar => m.clone(),
        [_, _] => m.moved(1, 0),
        _ => {
            let reason = "is neither 1-D nor 2-D; give a matrix whose rows are variables";
            return Err(Error::shape(name, m.shape(), reason));
        }
    };
    let count = rows.shape()[1] as f64;
    let x = as_mean(name, &rows, dtype)?;
    let means = with_axes(&mean_along(name, &x, &[1], dtype)?, &[1]);
    let distances = binary(name, BinaryOperation::Subtract, &x, &means)?;
    let sums = multiply(name, &distances, &distances.moved(1, 0))?;
    let out = binary(name, BinaryOperation::Divide, &sums, Scalar::of_float((count - ddof).max(0.0), dtype))?;
    // Of one variable it is a number, as in NumPy.
    Ok(if out.shape() == [1, 1] {
        out.with_layout(Layout { offset: out.layout.offset, ..Layout::contiguous(&[]) })
    } else {
        out
    })
}

/// The correlations of the rows, or of the columns, as floats of `dtype`.
pub(crate) fn correlations(m: &RawArray, rowvar: bool, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "corrcoef";
    let covariances = covariances(NAME, m, rowvar, 1.0, dtype)?;
    if covariances.shape().is_empty() {
        return binary(NAME, BinaryOperation::Divide, &covariances, &covariances);
    }
    let deviations = unary(NAME, UnaryOperation::Sqrt, &diagonal_view(&covariances, 0))?;
    let scaled = binary(NAME, BinaryOperation::Divide, &covariances, &with_axes(&deviations, &[1]))?;
    binary_into(NAME, BinaryOperation::Divide, &scaled, &deviations)?;
    let [low, high] = [-1.0, 1.0].map(|end| RawOperand::Scalar(Scalar::of_float(end, dtype)));
    apply_one(NAME, formulas::limited, &[RawOperand::Array(&scaled), low, high])
}
