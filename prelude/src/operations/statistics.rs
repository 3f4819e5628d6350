//! Variances, standard deviations and counts.

use crate::array::axes::{IntoAxes, axes_of};
use crate::array::{DeviceArray, RawArray, transfer};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Element, Scalar, Signal};
use crate::error::{Result, check};
use crate::operations::elementwise::{binary, unary};
use crate::operations::reduce::{as_mean, as_terms, reduce, squared_deviations, truths};
use crate::thin::thin;

impl<T: Element> DeviceArray<T> {
    /// The variance of all elements: the mean of their squared distances from the mean (`f64` for integers and bools, real for
    /// complex elements), NaN if there are none. In two passes, so it keeps its accuracy where the mean is large. Waits for the
    /// result.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[1.0, 3.0, 5.0, 7.0]).var(), 5.0);
    /// ```
    #[track_caller]
    pub fn var(&self) -> Signal<T> {
        check(self.raw.handle.may_wait("var"));
        let axes: Vec<usize> = (0..self.ndim()).collect();
        let variance = check(variance("var", &self.raw, &axes, 0.0, T::Mean::DTYPE));
        transfer::typed_scalar(check(transfer::item(&variance)))
    }

    /// The standard deviation of all elements, the square root of [`var`](Self::var). Waits for the result.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[1, 3]).std(), 1.0);
    /// ```
    #[track_caller]
    pub fn std(&self) -> Signal<T> {
        let axes: Vec<usize> = (0..self.ndim()).collect();
        let variance = variance("std", &self.raw, &axes, 0.0, T::Mean::DTYPE);
        let deviation = check(variance.and_then(|variance| unary("std", UnaryOperation::Sqrt, &variance)));
        transfer::typed_scalar(check(transfer::item(&deviation)))
    }

    /// The variances along one axis or several, which the result lacks.
    ///
    /// **Panics** if there is no such axis, or one is named twice ([`Error::InvalidShape`](crate::Error::InvalidShape)).
    ///
    /// ```
    /// let a = warpcell::array(&[[1.0, 3.0], [2.0, 2.0]]);
    /// assert_eq!(a.var_axis(1).to_host(), ndarray::arr1(&[1.0, 0.0]).into_dyn());
    /// ```
    #[track_caller]
    pub fn var_axis(&self, axes: impl IntoAxes) -> DeviceArray<Signal<T>> {
        self.var_with(axes, 0.0)
    }

    /// The standard deviations along one axis or several, which the result lacks.
    ///
    /// **Panics** as [`var_axis`](Self::var_axis) does.
    ///
    /// ```
    /// let a = warpcell::array(&[[1.0, 3.0], [2.0, 2.0]]);
    /// assert_eq!(a.std_axis(-1).get(&[0]), 1.0);
    /// ```
    #[track_caller]
    pub fn std_axis(&self, axes: impl IntoAxes) -> DeviceArray<Signal<T>> {
        self.std_with(axes, 0.0)
    }

    thin! {
        /// As [`var_axis`](Self::var_axis), the sums of squares divided by the number of elements less `ddof`: 1 for a
        /// sample's variance.
        ///
        /// **Panics** as [`var_axis`](Self::var_axis) does.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.0, 3.0]).var_with(0, 1.0).item(), 2.0);
        /// ```
        pub fn var_with(&self, axes: impl IntoAxes, ddof: f64) -> DeviceArray<Signal<T>> =>
            variance_axes("var_axis", &self.raw, &axes.into_axes(), ddof, T::Mean::DTYPE);

        /// As [`std_axis`](Self::std_axis), with `ddof` as in [`var_with`](Self::var_with).
        ///
        /// **Panics** as [`var_axis`](Self::var_axis) does.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0, 4.0, 8.0]).std_with(0, 1.0).item(), 4.0);
        /// ```
        pub fn std_with(&self, axes: impl IntoAxes, ddof: f64) -> DeviceArray<Signal<T>> => {
            let variance = variance_axes("std_axis", &self.raw, &axes.into_axes(), ddof, T::Mean::DTYPE);
            variance.and_then(|variance| unary("std_axis", UnaryOperation::Sqrt, &variance))
        };
    }

    /// How many elements are true, or not zero, as NaN is. Waits for the result.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[0, 3, -1]).count_nonzero(), 2);
    /// assert_eq!(warpcell::arange(10).gt(6).count_nonzero(), 3);
    /// ```
    #[track_caller]
    pub fn count_nonzero(&self) -> usize {
        check(count_of_true(&self.raw))
    }
}

fn count_of_true(x: &RawArray) -> Result<usize> {
    const NAME: &str = "count_nonzero";
    x.handle.may_wait(NAME)?;
    let axes: Vec<usize> = (0..x.shape().len()).collect();
    let count: i64 = transfer::typed_scalar(transfer::item(&counts_of_true(NAME, x, &axes)?)?);
    Ok(usize::try_from(count).expect("no more than there are elements"))
}

/// How many elements over `axes`, sorted, are not zero, as i64.
pub(crate) fn counts_of_true(name: &'static str, x: &RawArray, axes: &[usize]) -> Result<RawArray> {
    if x.dtype != DType::Bool && !x.dtype.is_complex() {
        return reduce(name, ReduceOperation::CountNonzero, x, axes);
    }
    reduce(name, ReduceOperation::Sum, &truths(name, x)?, axes)?.converted(name, DType::I64)
}

fn variance_axes(name: &'static str, x: &RawArray, axes: &[isize], ddof: f64, dtype: DType) -> Result<RawArray> {
    variance(name, x, &axes_of(name, x.shape(), axes)?, ddof, dtype)
}

/// The variances over `axes`, sorted, as floats of `dtype`, or of its parts.
pub(crate) fn variance(name: &'static str, x: &RawArray, axes: &[usize], ddof: f64, dtype: DType) -> Result<RawArray> {
    let count: f64 = axes.iter().map(|&axis| x.shape()[axis] as f64).product();
    let squares = if dtype.is_complex() {
        // Those of the real parts and those of the imaginary parts.
        let of_parts = squared_deviations(name, &as_mean(name, x, dtype)?.parts(), axes, dtype.part())?;
        reduce(name, ReduceOperation::Sum, &of_parts, &[of_parts.shape().len() - 1])?
    } else if x.dtype == DType::Bool {
        return variance(name, &x.converted(name, DType::U8)?, axes, ddof, dtype);
    } else {
        squared_deviations(name, &as_terms(name, x, dtype)?, axes, dtype)?
    };
    binary(name, BinaryOperation::Divide, &squares, Scalar::of_float((count - ddof).max(0.0), dtype.part()))
}

/// The array with axes of length 1 where `axes`, sorted, were reduced.
pub(crate) fn with_axes(raw: &RawArray, axes: &[usize]) -> RawArray {
    let Layout { mut shape, mut strides, offset } = raw.layout.clone();
    for &axis in axes {
        shape.insert(axis, 1);
        strides.insert(axis, 0);
    }
    raw.with_layout(Layout { shape, strides, offset })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_large_mean_costs_no_accuracy() {
        let a = crate::arange(1000.0) + 1e9;
        let (found, expected): (f64, f64) = (a.var(), (1000.0 * 1000.0 - 1.0) / 12.0);
        assert!((found / expected - 1.0).abs() < 1e-15, "{found} for {expected}");
        let single = crate::full(1_000_000, 16_777_216.0f32);
        assert_eq!(single.std(), 0.0);
    }

    #[test]
    fn edges() {
        assert!(crate::zeros::<f32>(0).var().is_nan());
        assert!(crate::zeros::<f64>((2, 0)).std_axis(1).is_nan().all());
        assert_eq!(crate::zeros::<f64>((0, 2)).var_axis(1).shape(), [0]);
        assert!(crate::ones::<f64>(1).var_with(0, 1.0).item().is_nan());
        assert_eq!(crate::full((), 3).var(), 0.0);
        let failed = std::panic::catch_unwind(|| crate::zeros::<f64>((2, 2)).var_axis(2));
        let message = *failed.err().unwrap().downcast::<String>().unwrap();
        assert!(message.contains("var_axis") && message.contains("no axis 2"), "{message}");
    }
}
