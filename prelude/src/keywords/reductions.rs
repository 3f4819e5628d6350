//! The reductions, with all their keywords as arguments.

use crate::array::axes::{IntoAxes, axes_of, axis_of};
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::dtype::{Arithmetic, DType, Element, Scalar, Signal};
use crate::error::{Error, Result};
use crate::files::npz::MixedArray;
use crate::keywords::samples::brought;
use crate::linalg::norms::{NormOrder, Order, matrix_norms, vector_norms};
use crate::operations::composing::Composed;
use crate::operations::elementwise::{binary, unary};
use crate::operations::quantiles::{self, Rank};
use crate::operations::reduce::{as_mean, mean_along, reduce, remaining, truths};
use crate::operations::selection::choose;
use crate::operations::statistics::{counts_of_true, variance, with_axes};
use crate::thin::thin;

/// The axes along which is reduced, and whether the result keeps them with length 1.
pub struct Axes {
    /// All of them if there is no list.
    axes: Option<Vec<isize>>,
    keepdims: bool,
}

/// These axes.
pub fn axes(axes: impl IntoAxes, keepdims: bool) -> Axes {
    Axes { axes: Some(axes.into_axes()), keepdims }
}

/// All axes.
pub fn every_axis(keepdims: bool) -> Axes {
    Axes { axes: None, keepdims }
}

impl Axes {
    /// The axes of an array of this shape, sorted.
    pub(super) fn of(&self, name: &'static str, shape: &[usize]) -> Result<Vec<usize>> {
        match &self.axes {
            Some(axes) => axes_of(name, shape, axes),
            None => Ok((0..shape.len()).collect()),
        }
    }

    /// What the function makes of the array and of the axes that it shall reduce.
    pub(super) fn reduced(
        &self,
        name: &'static str,
        x: &RawArray,
        work: impl FnOnce(&RawArray, &[usize]) -> Result<RawArray>,
    ) -> Result<RawArray> {
        let axes = self.of(name, x.shape())?;
        let out = work(x, &axes)?;
        Ok(if self.keepdims { with_axes(&out, &axes) } else { out })
    }

    /// As [`reduced`](Self::reduced), for a function that reduces the last axis: all axes are joined there.
    pub(super) fn joined(
        &self,
        name: &'static str,
        x: &RawArray,
        work: impl FnOnce(&RawArray) -> Result<RawArray>,
    ) -> Result<RawArray> {
        self.reduced(name, x, |x, axes| work(&rows_along(name, x, axes)?))
    }
}

/// The array with some axes, sorted, joined to one, which is the last.
pub(super) fn rows_along(name: &'static str, x: &RawArray, axes: &[usize]) -> Result<RawArray> {
    let last = x.shape().len().saturating_sub(1);
    // The first axis that is moved to the end comes to stand before the others.
    let moved = axes.iter().enumerate().fold(x.clone(), |x, (done, axis)| x.moved(axis - done, last));
    let kept = &moved.shape()[..x.shape().len() - axes.len()];
    let length = axes.iter().map(|&axis| x.shape()[axis]).product();
    let shape = [kept, &[length]].concat();
    let rows = if axes.len() == 1 { moved } else { moved.contiguous(name)? };
    let layout = match axes.len() {
        1 => rows.layout.clone(),
        _ => Layout { offset: rows.layout.offset, ..Layout::contiguous(&shape) },
    };
    Ok(rows.with_layout(layout))
}

pub(super) type Mask<'a> = Option<&'a DeviceArray<bool>>;

/// The elements where the mask is true, elsewhere `identity`.
pub(super) fn masked(name: &'static str, x: &RawArray, mask: Mask<'_>, identity: Scalar) -> Result<RawArray> {
    let Some(mask) = mask else { return Ok(x.clone()) };
    x.same_device(name, &mask.raw)?;
    let mask = broadcast_to(name, &mask.raw, x.shape())?;
    choose(&mask, x, identity)
}

/// `a` and one more value in an operation on all elements.
pub(super) fn with_initial(
    name: &'static str,
    operation: BinaryOperation,
    x: RawArray,
    initial: Option<Scalar>,
) -> Result<RawArray> {
    match initial {
        None => Ok(x),
        Some(initial) => binary(name, operation, &x, initial),
    }
}

macro_rules! sums {
    ($($name:ident $bound:ident $reduce:ident $reduction:ident $operation:ident $identity:ident $word:literal;)*) => {
        $crate::thin::thin! {$(
            #[doc = concat!("The ", $word, " where the mask is true, from `initial` on.")]
            pub fn $name<A: OnDevice<Elem = T>, T: $bound>(a: &A, axes: Axes, initial: Option<T::Sum>, mask: Mask<'_>)
            -> DeviceArray<T::Sum> => axes.reduced(stringify!($name), a.raw(), |x, axes| {
                const NAME: &str = stringify!($name);
                let x = masked(NAME, x, mask, Scalar::$identity(x.dtype))?;
                let out = $reduce(NAME, ReduceOperation::$reduction, &x, axes)?;
                with_initial(NAME, BinaryOperation::$operation, out, initial.map(Element::to_scalar))
            });
        )*}
    };
}
pub(super) use sums;
sums! {
    sum Element reduce Sum Add zero "sum of the elements";
    prod Element reduce Product Multiply one "product of the elements";
}

thin! {
    /// The largest of `initial` and of the elements where the mask is true.
    pub fn max<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, initial: Option<T>, mask: Mask<'_>)
    -> DeviceArray<T> => {
        let operations = (ReduceOperation::Max, BinaryOperation::Maximum);
        extreme("max", operations, a.raw(), &axes, initial.map(Element::to_scalar), mask)
    };

    /// The smallest of `initial` and of the elements where the mask is true.
    pub fn min<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, initial: Option<T>, mask: Mask<'_>)
    -> DeviceArray<T> => {
        let operations = (ReduceOperation::Min, BinaryOperation::Minimum);
        extreme("min", operations, a.raw(), &axes, initial.map(Element::to_scalar), mask)
    };

    /// Whether all elements are true, of those where the mask is true.
    pub fn all<A: OnDevice>(a: &A, axes: Axes, mask: Mask<'_>) -> DeviceArray<bool> =>
        truth("all", ReduceOperation::All, true, a.raw(), &axes, mask);

    /// Whether any elements are true, of those where the mask is true.
    pub fn any<A: OnDevice>(a: &A, axes: Axes, mask: Mask<'_>) -> DeviceArray<bool> =>
        truth("any", ReduceOperation::Any, false, a.raw(), &axes, mask);

    /// Where the largest element is along an axis.
    pub fn argmax<A: OnDevice>(a: &A, axes: Axes) -> DeviceArray<i64> =>
        place("argmax", ReduceOperation::ArgMax, a.raw(), &axes);

    /// Where the smallest element is along an axis.
    pub fn argmin<A: OnDevice>(a: &A, axes: Axes) -> DeviceArray<i64> =>
        place("argmin", ReduceOperation::ArgMin, a.raw(), &axes);

    /// How many elements are not zero.
    pub fn count_nonzero<A: OnDevice>(a: &A, axes: Axes) -> DeviceArray<i64> =>
        axes.reduced("count_nonzero", a.raw(), |x, axes| counts_of_true("count_nonzero", x, axes));
}

pub(super) fn extreme(
    name: &'static str,
    (reduction, operation): (ReduceOperation, BinaryOperation),
    x: &RawArray,
    axes: &Axes,
    initial: Option<Scalar>,
    mask: Mask<'_>,
) -> Result<RawArray> {
    axes.reduced(name, x, |x, axes| {
        let Some(initial) = initial else {
            if mask.is_some() {
                let reason = format!(
                    "where the mask is false everywhere there is no element to take; write `gpu::{name}!(…, where = &mask, \
                     initial = …)`"
                );
                return Err(Error::argument(name, reason));
            }
            return reduce(name, reduction, x, axes);
        };
        if axes.iter().any(|&axis| x.shape()[axis] == 0) {
            return RawArray::filled(name, &x.handle, &remaining(x.shape(), axes), initial);
        }
        let out = reduce(name, reduction, &masked(name, x, mask, initial)?, axes)?;
        with_initial(name, operation, out, Some(initial))
    })
}

/// `all` or `any` of the elements where the mask is true; elsewhere is `identity`.
fn truth(
    name: &'static str,
    operation: ReduceOperation,
    identity: bool,
    x: &RawArray,
    axes: &Axes,
    mask: Mask<'_>,
) -> Result<RawArray> {
    let x = truths(name, x)?;
    axes.reduced(name, &x, |x, axes| reduce(name, operation, &masked(name, x, mask, Scalar::Bool(identity))?, axes))
}

/// The places of the extremes.
fn place(name: &'static str, operation: ReduceOperation, x: &RawArray, axes: &Axes) -> Result<RawArray> {
    axes.joined(name, x, |rows| reduce(name, operation, rows, &[rows.shape().len() - 1]))
}

/// How many elements along `axes` the mask selects, as floats of `dtype`: an array, or one number for all.
fn counts(
    name: &'static str,
    x: &RawArray,
    mask: &DeviceArray<bool>,
    axes: &[usize],
    dtype: DType,
) -> Result<RawArray> {
    let mask = broadcast_to(name, &mask.raw, x.shape())?;
    reduce(name, ReduceOperation::Sum, &mask, axes)?.converted(name, dtype)
}

thin! {
    /// The mean of the elements where the mask is true.
    pub fn mean<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, mask: Mask<'_>) -> DeviceArray<T::Mean> =>
        mean_of("mean", a.raw(), &axes, mask, T::Mean::DTYPE);

    /// The variance of the elements where the mask is true.
    pub fn var<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, ddof: f64, mask: Mask<'_>)
    -> DeviceArray<Signal<T>> =>
        variance_of("var", a.raw(), &axes, ddof, mask, T::Mean::DTYPE);

    /// The standard deviation of the elements where the mask is true.
    pub fn std<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, ddof: f64, mask: Mask<'_>)
    -> DeviceArray<Signal<T>> => {
        let variance = variance_of("std", a.raw(), &axes, ddof, mask, T::Mean::DTYPE);
        variance.and_then(|variance| unary("std", UnaryOperation::Sqrt, &variance))
    };

    /// The median.
    pub fn median<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes) -> DeviceArray<T::Mean> =>
        ranked("median", a.raw(), &axes, Rank::Middle, T::Mean::DTYPE);

    /// The mean, weighted if there are weights: as many as there are elements, or along the axis.
    pub fn average<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: Axes, weights: Option<&dyn MixedArray>)
    -> DeviceArray<T::Mean> => {
        let weights = brought("average", weights, a.raw());
        weights.and_then(|weights| weighted(a.raw(), &axes, weights.as_ref(), T::Mean::DTYPE))
    };

    /// The norms of vectors along one axis, or of matrices along two. Without axes: that of the vector or matrix, or of all
    /// elements.
    pub fn norm<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A, axes: Axes, order: impl NormOrder) -> DeviceArray<Signal<T>> =>
        order.order().and_then(|order| norm_of(a.raw(), &axes, order, T::Mean::DTYPE));
}

fn mean_of(name: &'static str, x: &RawArray, axes: &Axes, mask: Mask<'_>, dtype: DType) -> Result<RawArray> {
    axes.reduced(name, x, |x, axes| {
        let Some(selected) = mask else { return mean_along(name, x, axes, dtype) };
        let x = masked(name, &as_mean(name, x, dtype)?, mask, Scalar::zero(dtype))?;
        let sums = reduce(name, ReduceOperation::Sum, &x, axes)?;
        let counts = counts(name, &x, selected, axes, dtype)?;
        binary(name, BinaryOperation::Divide, &sums, &counts)
    })
}

fn variance_of(
    name: &'static str,
    x: &RawArray,
    axes: &Axes,
    ddof: f64,
    mask: Mask<'_>,
    dtype: DType,
) -> Result<RawArray> {
    let Some(mask) = mask else { return axes.reduced(name, x, |x, axes| variance(name, x, axes, ddof, dtype)) };
    let x = as_mean(name, x, dtype)?;
    let kept = Axes { axes: axes.axes.clone(), keepdims: true };
    let means = mean_of(name, &x, &kept, Some(mask), dtype)?;
    let calc = Composed(name);
    let distances = calc.pair(BinaryOperation::Subtract, &x, &means)?;
    let squares = if dtype.is_complex() {
        let sizes = calc.each(UnaryOperation::Abs, &distances)?;
        calc.pair(BinaryOperation::Multiply, &sizes, &sizes)?
    } else {
        calc.pair(BinaryOperation::Multiply, &distances, &distances)?
    };
    let dtype = dtype.part();
    axes.reduced(name, &squares, |squares, axes| {
        let chosen = masked(name, squares, Some(mask), Scalar::zero(dtype))?;
        let sums = reduce(name, ReduceOperation::Sum, &chosen, axes)?;
        let free = calc.with(BinaryOperation::Subtract, &counts(name, squares, mask, axes, dtype)?, ddof)?;
        let free = calc.with(BinaryOperation::Maximum, &free, 0.0)?;
        calc.pair(BinaryOperation::Divide, &sums, &free)
    })
}

fn ranked(name: &'static str, x: &RawArray, axes: &Axes, rank: Rank, dtype: DType) -> Result<RawArray> {
    axes.joined(name, x, |rows| quantiles::of_rows(name, rows, rank, dtype))
}

fn weighted(x: &RawArray, axes: &Axes, weights: Option<&RawArray>, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "average";
    let Some(weights) = weights else { return mean_of(NAME, x, axes, None, dtype) };
    axes.reduced(NAME, &as_mean(NAME, x, dtype)?, |x, axes| {
        let weights = spread(NAME, x, weights, axes, dtype)?;
        let sum = |x: &RawArray| reduce(NAME, ReduceOperation::Sum, x, axes);
        let weighted = binary(NAME, BinaryOperation::Multiply, x, &weights)?;
        binary(NAME, BinaryOperation::Divide, &sum(&weighted)?, &sum(&weights)?)
    })
}

/// The sums of the weights of `average`; without weights how many elements there are.
pub(super) fn total_weights(
    x: &RawArray,
    axes: &Axes,
    weights: Option<&dyn MixedArray>,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "average";
    let weights = brought(NAME, weights, x)?;
    axes.reduced(NAME, x, |x, axes| match &weights {
        Some(weights) => reduce(NAME, ReduceOperation::Sum, &spread(NAME, x, weights, axes, dtype)?, axes),
        None => {
            let count = axes.iter().map(|&axis| x.shape()[axis] as f64).product();
            RawArray::filled(NAME, &x.handle, &remaining(x.shape(), axes), Scalar::of_float(count, dtype))
        }
    })
}

/// The weights as floats, one for each element.
pub(super) fn spread(
    name: &'static str,
    x: &RawArray,
    weights: &RawArray,
    axes: &[usize],
    dtype: DType,
) -> Result<RawArray> {
    let weights = as_mean(name, weights, dtype)?;
    let weights = match axes {
        // Along the axis: all other axes have length 1.
        &[axis] if weights.shape() == [x.shape()[axis]] => {
            let others: Vec<usize> = (axis + 1..x.shape().len()).map(|at| at - axis).collect();
            with_axes(&weights, &others)
        }
        _ if weights.shape() == x.shape() => weights.clone(),
        _ => {
            let reason = format!(
                "does not fit the weights, {:?}; give one weight for each element, or for each along one axis",
                weights.shape()
            );
            return Err(Error::shape(name, x.shape(), reason));
        }
    };
    broadcast_to(name, &weights, x.shape())
}

/// The norms along axes.
pub(super) fn norm_of(x: &RawArray, axes: &Axes, order: Order, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "norm";
    let x = as_mean(NAME, x, dtype)?;
    let is_of_all = axes.axes.is_none() && order == Order::Usual;
    let is_turned = match axes.axes.as_deref() {
        Some(&[row, column]) => axis_of(NAME, x.shape(), row)? > axis_of(NAME, x.shape(), column)?,
        _ => false,
    };
    axes.reduced(NAME, &x, |x, axes| match axes {
        [_] => vector_norms(x, axes, order),
        _ if is_of_all => vector_norms(x, axes, order),
        &[first, second] => {
            let last = x.shape().len() - 1;
            let matrices = x.moved(second, last).moved(first, last - 1);
            matrix_norms(&if is_turned { matrices.moved(last, last - 1) } else { matrices }, order)
        }
        _ => {
            let reason = "has norms along one axis, or along two; write `gpu::norm!(&a, axis = 0)`";
            Err(Error::shape(NAME, x.shape(), reason))
        }
    })
}
