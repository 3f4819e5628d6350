//! The reductions that pass over NaN, with all their keywords as arguments.

use super::reductions::{Axes, Mask, extreme, masked, sums, with_initial};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, ReduceOperation, ScanOperation, UnaryOperation};
use crate::dtype::{Arithmetic, DType, Element, Real, Scalar, Signal};
use crate::error::Result;
use crate::operations::composing::{Composed, number};
use crate::operations::nan_reductions::{nan_mean, nan_median_of_rows, nan_reduce, nan_scan, nan_variance, span};
use crate::operations::reduce::{as_mean, remaining};
use crate::operations::selection::choose;
use crate::thin::thin;

sums! {
    nansum Element nan_reduce Sum Add zero "sum of the elements but NaN";
    nanprod Element nan_reduce Product Multiply one "product of the elements but NaN";
}

thin! {
    /// The largest of `initial` and of the elements but NaN where the mask is true.
    pub fn nanmax<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, initial: Option<T>, mask: Mask<'_>)
    -> DeviceArray<T> => {
        let operations = (ReduceOperation::Max, BinaryOperation::Maximum);
        nan_extreme("nanmax", operations, a.raw(), &axes, initial.map(Element::to_scalar), mask)
    };

    /// The smallest of `initial` and of the elements but NaN where the mask is true.
    pub fn nanmin<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, initial: Option<T>, mask: Mask<'_>)
    -> DeviceArray<T> => {
        let operations = (ReduceOperation::Min, BinaryOperation::Minimum);
        nan_extreme("nanmin", operations, a.raw(), &axes, initial.map(Element::to_scalar), mask)
    };

    /// The mean of the elements but NaN where the mask is true.
    pub fn nanmean<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, mask: Mask<'_>) -> DeviceArray<T::Mean> => {
        let (name, dtype) = ("nanmean", T::Mean::DTYPE);
        axes.reduced(name, a.raw(), |x, axes| nan_mean(name, &selected(name, x, mask, dtype)?, axes, dtype))
    };

    /// The largest element less the smallest one.
    pub fn ptp<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A, axes: Axes) -> DeviceArray<T> =>
        axes.reduced("ptp", a.raw(), |x, axes| span("ptp", x, axes));

    /// The variance of the elements but NaN where the mask is true.
    pub fn nanvar<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, ddof: f64, mask: Mask<'_>)
    -> DeviceArray<Signal<T>> => variances("nanvar", a.raw(), &axes, ddof, mask, T::Mean::DTYPE);

    /// The standard deviation of the elements but NaN where the mask is true.
    pub fn nanstd<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, ddof: f64, mask: Mask<'_>)
    -> DeviceArray<Signal<T>> => {
        const NAME: &str = "nanstd";
        let variances = variances(NAME, a.raw(), &axes, ddof, mask, T::Mean::DTYPE);
        variances.and_then(|found| Composed(NAME).each(UnaryOperation::Sqrt, &found))
    };

    /// The median of the elements but NaN.
    pub fn nanmedian<A: OnDevice<Elem = T>, T: Real>(a: &A, axes: Axes) -> DeviceArray<T::Mean> => {
        const NAME: &str = "nanmedian";
        axes.joined(NAME, a.raw(), |rows| nan_median_of_rows(NAME, rows, T::Mean::DTYPE))
    };

    /// The running sums along an axis, with NaN as 0.
    pub fn nancumsum<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: isize) -> DeviceArray<T::Sum> =>
        nan_scan("nancumsum", ScanOperation::Sum, a.raw(), Some(axis));

    /// The running products along an axis, with NaN as 1.
    pub fn nancumprod<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: isize) -> DeviceArray<T::Sum> =>
        nan_scan("nancumprod", ScanOperation::Product, a.raw(), Some(axis));
}

/// An extreme of the elements that are numbers; of no numbers it is `initial`, or NaN.
fn nan_extreme(
    name: &'static str,
    operations: (ReduceOperation, BinaryOperation),
    x: &RawArray,
    axes: &Axes,
    initial: Option<Scalar>,
    mask: Mask<'_>,
) -> Result<RawArray> {
    let is_plain = !(x.dtype.is_float() || x.dtype.is_complex());
    let Some(initial) = initial.filter(|_| !is_plain) else {
        // What the mask leaves out needs an initial value, too, and the error says so.
        return if is_plain || mask.is_some() {
            extreme(name, operations, x, axes, initial, mask)
        } else {
            axes.reduced(name, x, |x, axes| nan_reduce(name, operations.0, x, axes))
        };
    };
    axes.reduced(name, x, |x, axes| {
        let x = masked(name, x, mask, Scalar::of_float(f64::NAN, x.dtype))?;
        if axes.iter().any(|&axis| x.shape()[axis] == 0) {
            return RawArray::filled(name, &x.handle, &remaining(x.shape(), axes), initial);
        }
        let found = nan_reduce(name, operations.0, &x, axes)?;
        let is_nan = Composed(name).pair(BinaryOperation::NotEqual, &found, &found)?;
        choose(&is_nan, initial, &with_initial(name, operations.1, found, Some(initial))?)
    })
}

/// What the mask leaves out is as NaN: it is passed over.
fn selected(name: &'static str, x: &RawArray, mask: Mask<'_>, dtype: DType) -> Result<RawArray> {
    match mask {
        Some(_) => masked(name, &as_mean(name, x, dtype)?, mask, number(f64::NAN, dtype)),
        None => Ok(x.clone()),
    }
}

fn variances(
    name: &'static str,
    x: &RawArray,
    axes: &Axes,
    ddof: f64,
    mask: Mask<'_>,
    dtype: DType,
) -> Result<RawArray> {
    axes.reduced(name, x, |x, axes| nan_variance(name, &selected(name, x, mask, dtype)?, axes, ddof, dtype))
}
