//! Sums, products, extremes, means, variances, medians and running sums that pass over NaN, and the span of values.
//!
//! NaN is replaced by the value that changes nothing, and counted where that counts.

use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, ScanOperation, UnaryOperation};
use crate::dtype::{Arithmetic, DType, Element, Real, Scalar, Signal};
use crate::error::{Result, check};
use crate::operations::complex_order;
use crate::operations::composing::{Composed, number};
use crate::operations::elementwise::RawOperand;
use crate::operations::formulas::{self, apply_one};
use crate::operations::quantiles::{self, Rank};
use crate::operations::reduce::{mean_along, reduce, squared_distances};
use crate::operations::scan::{scan_all, scan_axis};
use crate::operations::selection::choose;
use crate::operations::sorting::sorted_rows;
use crate::operations::statistics::{variance, with_axes};
use crate::thin::thin;

/// All axes of the array.
fn all_axes(x: &RawArray) -> Vec<usize> {
    (0..x.shape().len()).collect()
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $(of $bound:ident)? -> $result:ty, |$x:ident, $axes:ident, $dtype:ident| $found:expr;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<A: OnDevice<Elem = T>, T: Element $(+ $bound)?>(a: &A) -> $result {
            fn found($x: &RawArray, $dtype: DType) -> Result<Scalar> {
                $x.handle.may_wait(stringify!($name))?;
                let $axes = &all_axes($x)[..];
                transfer::item(&$found?)
            }
            transfer::typed_scalar(check(found(a.raw(), T::Mean::DTYPE)))
        }
    )*};
}
reductions! {
    /// The sum of all elements but NaN, 0 if there are none; NumPy's `nansum`. Integers widen as in
    /// [`sum`](DeviceArray::sum). `gpu::nansum!(&a, axis = 0)` has the keywords. Waits for the result.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nansum(&gpu::array(&[1.0, f64::NAN, 2.0])), 3.0);
    /// ```
    nansum -> T::Sum, |x, axes, _dtype| nan_reduce("nansum", ReduceOperation::Sum, x, axes);
    /// The product of all elements but NaN, 1 if there are none; NumPy's `nanprod`. Integers widen as in
    /// [`prod`](DeviceArray::prod). `gpu::nanprod!(&a, axis = 0)` has the keywords. Waits for the result.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanprod(&gpu::array(&[3.0, f64::NAN, 2.0])), 6.0);
    /// ```
    nanprod -> T::Sum, |x, axes, _dtype| nan_reduce("nanprod", ReduceOperation::Product, x, axes);
    /// The largest of all elements but NaN; NaN if there is nothing else. NumPy's `nanmax`. `gpu::nanmax!(&a, axis = 0)` has
    /// the keywords. Waits for the result.
    ///
    /// **Panics** if the array is empty ([`Error::InvalidShape`](crate::Error::InvalidShape)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanmax(&gpu::array(&[1.0, f64::NAN, 2.0])), 2.0);
    /// ```
    nanmax -> T, |x, axes, _dtype| nan_reduce("nanmax", ReduceOperation::Max, x, axes);
    /// The smallest of all elements but NaN; NaN if there is nothing else. NumPy's `nanmin`. `gpu::nanmin!(&a, axis = 0)` has
    /// the keywords. Waits for the result.
    ///
    /// **Panics** if the array is empty ([`Error::InvalidShape`](crate::Error::InvalidShape)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanmin(&gpu::array(&[1.0, f64::NAN, 2.0])), 1.0);
    /// ```
    nanmin -> T, |x, axes, _dtype| nan_reduce("nanmin", ReduceOperation::Min, x, axes);
    /// The mean of all elements but NaN (`f64` for integers); NaN if there are none. NumPy's `nanmean`.
    /// `gpu::nanmean!(&a, axis = 0)` has the keywords. Waits for the result.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanmean(&gpu::array(&[1.0, f64::NAN, 2.0])), 1.5);
    /// ```
    nanmean -> T::Mean, |x, axes, dtype| nan_mean("nanmean", x, axes, dtype);
    /// The variance of all elements but NaN (`f64` for integers); NaN if there are none. NumPy's `nanvar`.
    /// `gpu::nanvar!(&a, axis = 0, ddof = 1)` has the keywords. Waits for the result.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanvar(&gpu::array(&[1.0, f64::NAN, 3.0])), 1.0);
    /// ```
    nanvar -> Signal<T>, |x, axes, dtype| nan_variance("nanvar", x, axes, 0.0, dtype);
    /// The standard deviation of all elements but NaN, the square root of [`nanvar`](fn@nanvar). NumPy's `nanstd`.
    /// `gpu::nanstd!(&a, axis = 0, ddof = 1)` has the keywords. Waits for the result.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanstd(&gpu::array(&[1.0, f64::NAN, 5.0])), 2.0);
    /// ```
    nanstd -> Signal<T>, |x, axes, dtype|
        nan_variance("nanstd", x, axes, 0.0, dtype)
            .and_then(|variance| Composed("nanstd").each(UnaryOperation::Sqrt, &variance));
    /// The median of all elements but NaN (`f64` for integers); NaN if there are none. NumPy's `nanmedian`.
    /// `gpu::nanmedian!(&a, axis = 0)` has the keywords. Waits for the result.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanmedian(&gpu::array(&[7.0, f64::NAN, 1.0, 2.0])), 2.0);
    /// ```
    nanmedian of Real -> T::Mean, |x, _axes, dtype| nan_median_of_rows("nanmedian", &x.flat("nanmedian")?, dtype);
    /// The distance from the smallest to the largest of all elements, of their type; NaN if there is a NaN. NumPy's `ptp`.
    /// `gpu::ptp!(&a, axis = 0)` has the keywords. Waits for the result.
    ///
    /// **Panics** if the array is empty ([`Error::InvalidShape`](crate::Error::InvalidShape)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::ptp(&gpu::array(&[4, -1, 7])), 8);
    /// ```
    ptp of Arithmetic -> T, |x, axes, _dtype| span("ptp", x, axes);
}

thin! {
    /// The sums of all elements up to each, in row-major order along one axis, with NaN as 0; NumPy's `nancumsum`. Types are
    /// as for [`cumsum`](DeviceArray::cumsum). `gpu::nancumsum!(&a, axis = 0)` has the keywords.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nancumsum(&gpu::array(&[1.0, f64::NAN, 2.0])).tolist(), [1.0, 1.0, 3.0]);
    /// ```
    pub fn nancumsum<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T::Sum> =>
        nan_scan("nancumsum", ScanOperation::Sum, a.raw(), None);

    /// The products of all elements up to each, in row-major order along one axis, with NaN as 1; NumPy's `nancumprod`. Types
    /// are as for [`cumsum`](DeviceArray::cumsum). `gpu::nancumprod!(&a, axis = 0)` has the keywords.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nancumprod(&gpu::array(&[3.0, f64::NAN, 2.0])).tolist(), [3.0, 3.0, 6.0]);
    /// ```
    pub fn nancumprod<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T::Sum> =>
        nan_scan("nancumprod", ScanOperation::Product, a.raw(), None);
}

/// The array with this value in place of NaN; the array itself if its type has none.
pub(crate) fn without_nan(name: &'static str, x: &RawArray, value: f64) -> Result<RawArray> {
    if x.dtype.is_complex() {
        return complex_order::without_nan(name, x, value);
    }
    if !x.dtype.is_float() {
        return Ok(x.clone());
    }
    let x = &x.to_compute_type(name)?;
    let scalar = |value: f64| RawOperand::Scalar(number(value, x.dtype));
    let operands = [RawOperand::Array(x), scalar(value), scalar(f64::INFINITY), scalar(f64::NEG_INFINITY)];
    apply_one(name, formulas::number_for, &operands)
}

/// The sums, products or extremes over `axes`, sorted.
pub(crate) fn nan_reduce(
    name: &'static str,
    reduction: ReduceOperation,
    x: &RawArray,
    axes: &[usize],
) -> Result<RawArray> {
    let of_numbers = match reduction {
        ReduceOperation::Sum => ReduceOperation::SumNumbers,
        ReduceOperation::Product => ReduceOperation::ProductNumbers,
        ReduceOperation::Max => ReduceOperation::MaxNumbers,
        ReduceOperation::Min => ReduceOperation::MinNumbers,
        _ => unreachable!("no other reduction passes over NaN"),
    };
    if x.dtype.is_complex() {
        let neutral = match reduction {
            ReduceOperation::Sum => 0.0,
            ReduceOperation::Product => 1.0,
            ReduceOperation::Max => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        let is_extreme = neutral.is_infinite();
        let found = reduce(name, reduction, &complex_order::without_nan(name, x, neutral)?, axes)?;
        // Where there is nothing else, it is NaN.
        return if is_extreme { complex_order::nan_where_all_are(name, x, axes, &found) } else { Ok(found) };
    }
    reduce(name, if x.dtype.is_float() { of_numbers } else { reduction }, x, axes)
}

/// How many elements over `axes` are not NaN, as floats of `dtype`.
pub(crate) fn counts(name: &'static str, x: &RawArray, axes: &[usize], dtype: DType) -> Result<RawArray> {
    if x.dtype.is_complex() {
        let numbers = Composed(name).each(UnaryOperation::LogicalNot, &complex_order::is_nan(name, x)?)?;
        return reduce(name, ReduceOperation::Sum, &numbers, axes)?.converted(name, dtype);
    }
    reduce(name, ReduceOperation::CountNumbers, x, axes)?.converted(name, dtype)
}

/// The means over `axes`, sorted, as floats of `dtype`.
pub(crate) fn nan_mean(name: &'static str, x: &RawArray, axes: &[usize], dtype: DType) -> Result<RawArray> {
    if !(x.dtype.is_float() || x.dtype.is_complex()) {
        return mean_along(name, x, axes, dtype);
    }
    let sums = nan_reduce(name, ReduceOperation::Sum, x, axes)?;
    Composed(name).pair(BinaryOperation::Divide, &sums, &counts(name, x, axes, dtype)?)
}

/// The variances over `axes`, sorted, as floats of `dtype`; NaN where no more elements than `ddof` are there.
pub(crate) fn nan_variance(
    name: &'static str,
    x: &RawArray,
    axes: &[usize],
    ddof: f64,
    dtype: DType,
) -> Result<RawArray> {
    if !(x.dtype.is_float() || x.dtype.is_complex()) {
        return variance(name, x, axes, ddof, dtype);
    }
    let calc = Composed(name);
    if x.dtype.is_complex() {
        return complex_variance(calc, x, axes, ddof, dtype);
    }
    let x = &x.to_compute_type(name)?;
    let counts = counts(name, x, axes, dtype)?;
    let means = calc.pair(BinaryOperation::Divide, &nan_reduce(name, ReduceOperation::Sum, x, axes)?, &counts)?;
    // What is NaN by itself is passed over, not what an infinite mean makes NaN.
    let squares = squared_distances(name, x, axes, &means, true)?;
    let free = calc.with(BinaryOperation::Subtract, &counts, ddof)?;
    let is_enough = calc.with(BinaryOperation::Greater, &free, 0.0)?;
    let variances = calc.pair(BinaryOperation::Divide, &squares, &free)?;
    choose(&is_enough, &variances, number(f64::NAN, dtype))
}

/// As [`nan_variance`], of complex numbers: the mean squares of the absolute values of the distances, which are real numbers.
fn complex_variance(calc: Composed, x: &RawArray, axes: &[usize], ddof: f64, dtype: DType) -> Result<RawArray> {
    let name = calc.0;
    let means = with_axes(&nan_mean(name, x, axes, dtype)?, axes);
    let distances = calc.pair(BinaryOperation::Subtract, x, &means)?;
    // What is NaN by itself is passed over.
    let zero = RawOperand::Scalar(Scalar::zero(dtype));
    let distances = choose(&complex_order::is_nan(name, x)?, zero, &distances)?.parts();
    let squares = calc.pair(BinaryOperation::Multiply, &distances, &distances)?;
    let axes_and_parts = [axes, &[distances.shape().len() - 1]].concat();
    let sums = reduce(name, ReduceOperation::Sum, &squares, &axes_and_parts)?;
    let free = calc.with(BinaryOperation::Subtract, &counts(name, x, axes, dtype.part())?, ddof)?;
    let is_enough = calc.with(BinaryOperation::Greater, &free, 0.0)?;
    choose(&is_enough, &calc.pair(BinaryOperation::Divide, &sums, &free)?, number(f64::NAN, dtype.part()))
}

/// The median of each row along the last axis, which there is, as floats of `dtype`.
pub(crate) fn nan_median_of_rows(name: &'static str, x: &RawArray, dtype: DType) -> Result<RawArray> {
    if !x.dtype.is_float() {
        return quantiles::of_rows(name, x, Rank::Middle, dtype);
    }
    let last = x.shape().len() - 1;
    let kept = &x.shape()[..last];
    if x.size() == 0 {
        return RawArray::filled(name, &x.handle, kept, number(f64::NAN, dtype));
    }
    let calc = Composed(name);
    // NaN stands behind the numbers of a row. Without numbers both places are 0, where NaN is.
    let sorted = sorted_rows(name, x, false)?;
    let counts = counts(name, &sorted, &[last], DType::I64)?;
    let element = |places: &RawArray| -> Result<RawArray> {
        let places = with_axes(places, &[last]);
        let out = RawArray::uninitialised(name, &x.handle, places.shape(), x.dtype)?;
        out.handle.backend.gather(sorted.view(), last, places.view(), out.view())?;
        Ok(out.with_layout(Layout::contiguous(kept)))
    };
    let before = calc.with(BinaryOperation::Maximum, &calc.with(BinaryOperation::Subtract, &counts, 1.0)?, 0.0)?;
    let low = element(&calc.with(BinaryOperation::FloorDivide, &before, 2.0)?)?;
    let high = element(&calc.with(BinaryOperation::FloorDivide, &counts, 2.0)?)?;
    let sum = calc.pair(BinaryOperation::Add, &low, &high)?;
    calc.with(BinaryOperation::Multiply, &sum, 0.5)
}

/// The largest elements over `axes`, sorted, less the smallest ones.
pub(crate) fn span(name: &'static str, x: &RawArray, axes: &[usize]) -> Result<RawArray> {
    let most = reduce(name, ReduceOperation::Max, x, axes)?;
    Composed(name).pair(BinaryOperation::Subtract, &most, &reduce(name, ReduceOperation::Min, x, axes)?)
}

/// Running sums or products along an axis, or of all elements.
pub(crate) fn nan_scan(
    name: &'static str,
    operation: ScanOperation,
    x: &RawArray,
    axis: Option<isize>,
) -> Result<RawArray> {
    let neutral = if operation == ScanOperation::Product { 1.0 } else { 0.0 };
    let x = without_nan(name, x, neutral)?;
    match axis {
        Some(axis) => scan_axis(name, operation, &x, axis),
        None => scan_all(name, operation, &x),
    }
}
