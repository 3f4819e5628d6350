//! Functions of the caller along axes and on parts of arrays.

use crate::array::axes::{IntoAxes, axis_of};
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray, stacked};
use crate::backend::Layout;
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use crate::operations::composing::Composed;
use crate::operations::selection::choose;

/// What a function gives for each 1-D part of the array along an axis; the axes of its results stand where the axis was. The
/// function is called once for each part, so a function of arrays with axes is faster. NumPy's `apply_along_axis`.
///
/// **Panics** if there is no such axis, no part, or if results have different shapes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[3, 1, 2], [6, 5, 4]]);
/// assert_eq!(gpu::apply_along_axis(|row| gpu::sort(&row), 1, &a).ravel().tolist(), [1, 2, 3, 4, 5, 6]);
/// assert_eq!(gpu::apply_along_axis(|column| column.max_axis(0), 0, &a).tolist(), [6, 5, 4]);
/// ```
#[track_caller]
pub fn apply_along_axis<A: OnDevice<Elem = T>, T: Element, U: Element>(
    mut function: impl FnMut(DeviceArray<T>) -> DeviceArray<U>,
    axis: isize,
    a: &A,
) -> DeviceArray<U> {
    let parts = check(parts_along(a.raw(), axis));
    let results: Vec<RawArray> =
        parts.into_iter().map(|part| function(DeviceArray::from_raw(part)).raw.into_inner()).collect();
    DeviceArray::from_raw(check(put_together(a.raw(), axis, &results)))
}

/// What a function of an array and an axis gives for one axis after the other, each applied to the result of the one before. A
/// result that lacks the axis gets it back with length 1. NumPy's `apply_over_axes`.
///
/// **Panics** if there is no such axis, or if a result has neither the rank of the array nor one axis less
/// ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::ones::<f64>((2, 3, 4));
/// let sums = gpu::apply_over_axes(|a, axis| a.sum_axis(axis), &a, (0, 2));
/// assert_eq!((sums.shape(), sums.max()), (&[1, 3, 1][..], 8.0));
/// ```
#[track_caller]
pub fn apply_over_axes<A: OnDevice<Elem = T>, T: Element>(
    mut function: impl FnMut(&DeviceArray<T>, isize) -> DeviceArray<T>,
    a: &A,
    axes: impl IntoAxes,
) -> DeviceArray<T> {
    let mut result = DeviceArray::from_raw(a.raw().clone());
    for axis in axes.into_axes() {
        let at = check(axis_of("apply_over_axes", result.shape(), axis));
        let found = function(&result, at as isize);
        result = DeviceArray::from_raw(check(with_axis(result.shape(), &found.raw, at)));
    }
    result
}

/// For each element the result of the function whose condition is the last that is true there. One function more than there are
/// conditions is for the elements where none is true; without it they give 0. NumPy's `piecewise`, which gives a function only the
/// elements that belong to it: here each function is called once, with all elements, and its results are taken where they belong.
///
/// **Panics** if there are not as many functions as conditions, or one more ([`Error::InvalidArgument`]), if conditions or results
/// do not broadcast to the array ([`Error::ShapeMismatch`]), or a device differs.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[-2.0, -1.0, 3.0]);
/// let y = gpu::piecewise(&x, &[&x.lt(0.0), &x.ge(2.0)], &[&|x| -x, &|x| x * 10.0]);
/// assert_eq!(y.tolist(), [2.0, 1.0, 30.0]);
/// ```
#[allow(clippy::type_complexity, reason = "NumPy's arguments: a list of functions")]
#[track_caller]
pub fn piecewise<T: Element>(
    x: &DeviceArray<T>,
    condlist: &[&DeviceArray<bool>],
    funclist: &[&dyn Fn(&DeviceArray<T>) -> DeviceArray<T>],
) -> DeviceArray<T> {
    let count = condlist.len();
    check(enough(count, funclist.len()));
    let filled = RawArray::filled("piecewise", &x.raw.handle, x.shape(), T::default().to_scalar());
    let mut result = check(filled);
    if let Some(otherwise) = funclist.get(count) {
        let values = otherwise(x).raw;
        result = check(broadcast_to("piecewise", &values, x.shape()));
    }
    for (condition, function) in condlist.iter().zip(funclist) {
        result = check(piece(&condition.raw, &function(x).raw, &result));
    }
    // Not a view of what a function gave.
    DeviceArray::from_raw(if count == 0 { check(result.copied("piecewise")) } else { result })
}

fn enough(conditions: usize, functions: usize) -> Result<()> {
    if functions == conditions || functions == conditions + 1 {
        return Ok(());
    }
    let reason = format!(
        "there are {functions} functions for {conditions} conditions; give one for each, and perhaps one for the rest"
    );
    Err(Error::argument("piecewise", reason))
}

fn piece(condition: &RawArray, values: &RawArray, others: &RawArray) -> Result<RawArray> {
    for part in [condition, values] {
        broadcast_to("piecewise", part, others.shape())?;
    }
    choose(condition, values, others)
}

/// The 1-D parts along an axis, in row-major order of the other axes; views.
fn parts_along(a: &RawArray, axis: isize) -> Result<Vec<RawArray>> {
    const NAME: &str = "apply_along_axis";
    let axis = axis_of(NAME, a.shape(), axis)?;
    if a.size() == 0 {
        let reason = "has no elements, so there is no part to call the function with";
        return Err(Error::shape(NAME, a.shape(), reason));
    }
    let Layout { mut shape, mut strides, offset } = a.layout.clone();
    let (length, step) = (shape.remove(axis), strides.remove(axis));
    let count = shape.iter().product();
    let mut index = vec![0; shape.len()];
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let skipped: isize = index.iter().zip(&strides).map(|(&at, &stride): (&usize, _)| at as isize * stride).sum();
        let offset = offset.checked_add_signed(skipped).expect("within the allocation");
        parts.push(a.with_layout(Layout { shape: vec![length], strides: vec![step], offset }));
        for (at, &length) in index.iter_mut().zip(&shape).rev() {
            *at += 1;
            if *at < length {
                break;
            }
            *at = 0;
        }
    }
    Ok(parts)
}

/// The results in the place of the parts.
fn put_together(a: &RawArray, axis: isize, results: &[RawArray]) -> Result<RawArray> {
    const NAME: &str = "apply_along_axis";
    let axis = axis_of(NAME, a.shape(), axis)?;
    let mut kept = a.shape().to_vec();
    kept.remove(axis);
    let all = stacked(results, 0)?;
    let own = results[0].shape();
    let mut whole = Composed(NAME).shaped(&all, &[&kept, own].concat())?;
    // The axes of the results come behind the others; they go to where the axis was.
    for at in 0..own.len() {
        whole = whole.moved(kept.len() + at, axis + at);
    }
    Ok(whole)
}

/// The result with the axis, if it lacks it.
fn with_axis(before: &[usize], found: &RawArray, axis: usize) -> Result<RawArray> {
    let rank = found.shape().len();
    if rank == before.len() {
        return Ok(found.clone());
    }
    if rank + 1 == before.len() {
        return Ok(crate::operations::statistics::with_axes(found, &[axis]));
    }
    let reason = format!(
        "of the result does not fit the shape {before:?} of the array; the function shall keep all axes, or drop axis {axis}"
    );
    Err(Error::shape("apply_over_axes", found.shape(), reason))
}
