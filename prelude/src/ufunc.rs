//! The methods of NumPy's universal functions, for any function of two arrays: `np.maximum.accumulate(a)` is
//! `gpu::ufunc::accumulate(|x, y| x.maximum(y), &a, 0)`.
//!
//! The function combines elements, and which ones come together is open: it must be associative, as sums, maxima, `&`, `|`, greatest
//! common divisors and lengths of hypotenuses are. So arrays are combined in as many calls as their length has bits, and each call is
//! an operation on whole arrays. Sums and products have functions of their own, which are faster: [`cumsum`](crate::DeviceArray::cumsum),
//! [`sum`](crate::DeviceArray::sum).

use crate::array::axes::axis_of;
use crate::array::indices::IntoIndices;
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, join as join_arrays, slice_axis, stacked};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{Operand, RawOperand};

/// A function of two arrays without their type.
type Join<'a> = &'a dyn Fn(RawArray, RawArray) -> RawArray;

/// The function of arrays with a type as one of arrays without.
fn untyped<T: Element>(
    function: &impl Fn(&DeviceArray<T>, &DeviceArray<T>) -> DeviceArray<T>,
) -> impl Fn(RawArray, RawArray) -> RawArray {
    |x, y| function(&DeviceArray::from_raw(x), &DeviceArray::from_raw(y)).raw.into_inner()
}

/// All elements along an axis combined to one by an associative function; the result lacks the axis. NumPy's `np.gcd.reduce(a,
/// axis)`. Calls the function as often as the length of the axis has bits.
///
/// **Panics** if there is no such axis, if it has no elements, or if the function gives an array of another shape
/// ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[12, 18, 30], [7, 21, 35]]);
/// assert_eq!(gpu::ufunc::reduce(|x, y| gpu::gcd(x, y), &a, 1).tolist(), [6, 7]);
/// assert_eq!(gpu::ufunc::reduce(|x, y| x | y, &gpu::array(&[1, 4, 8]), 0).item(), 13);
/// ```
#[track_caller]
pub fn reduce<A: OnDevice<Elem = T>, T: Element>(
    function: impl Fn(&DeviceArray<T>, &DeviceArray<T>) -> DeviceArray<T>,
    a: &A,
    axis: isize,
) -> DeviceArray<T> {
    DeviceArray::from_raw(check(reduced(a.raw(), axis, &untyped(&function))))
}

/// The elements along an axis up to each, combined by an associative function; the shape stays. NumPy's
/// `np.maximum.accumulate(a, axis)`. Calls the function as often as the length of the axis has bits.
///
/// **Panics** if there is no such axis, or if the function gives an array of another shape ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[3.0, 1.0, 4.0, 1.0, 5.0]);
/// assert_eq!(gpu::ufunc::accumulate(|x, y| x.maximum(y), &a, 0).tolist(), [3.0, 3.0, 4.0, 4.0, 5.0]);
/// ```
#[track_caller]
pub fn accumulate<A: OnDevice<Elem = T>, T: Element>(
    function: impl Fn(&DeviceArray<T>, &DeviceArray<T>) -> DeviceArray<T>,
    a: &A,
    axis: isize,
) -> DeviceArray<T> {
    DeviceArray::from_raw(check(accumulated(a.raw(), axis, &untyped(&function))))
}

/// The parts along an axis that begin at `indices`, each combined to one element by an associative function. NumPy's
/// `np.add.reduceat(a, indices, axis)`: a part ends before the next index, the last one at the end of the array; if the next index
/// is not larger, the part is one element. Combines the parts one after the other.
///
/// **Panics** if there is no such axis ([`Error::InvalidShape`]), if an index is negative or too large
/// ([`Error::IndexOutOfRange`]), if there is no index ([`Error::InvalidArgument`]), or if the function gives an array of another
/// shape.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::arange(8);
/// assert_eq!(gpu::ufunc::reduceat(|x, y| x + y, &a, &[0, 4, 1, 5], 0).tolist(), [6, 4, 10, 18]);
/// ```
#[track_caller]
pub fn reduceat<A: OnDevice<Elem = T>, T: Element>(
    function: impl Fn(&DeviceArray<T>, &DeviceArray<T>) -> DeviceArray<T>,
    a: &A,
    indices: &[usize],
    axis: isize,
) -> DeviceArray<T> {
    DeviceArray::from_raw(check(reduced_parts(a.raw(), indices, axis, &untyped(&function))))
}

/// What a function gives for each element of `a` with each of `b`: the axes of the result are those of `a`, then those of `b`. NumPy's
/// `np.subtract.outer(a, b)`. The function is called once.
///
/// ```
/// use warpcell as gpu;
/// let (a, b) = (gpu::array(&[1, 2]), gpu::array(&[1, 10, 100]));
/// assert_eq!(gpu::ufunc::outer(|x, y| x - y, &a, &b).shape(), [2, 3]);
/// assert_eq!(gpu::ufunc::outer(|x, y| x.lt(y), &a, &b).sum(), 4);
/// ```
#[track_caller]
pub fn outer<A: OnDevice<Elem = T>, B: OnDevice<Elem = V>, T: Element, V: Element, U: Element>(
    function: impl FnOnce(&DeviceArray<T>, &DeviceArray<V>) -> DeviceArray<U>,
    a: &A,
    b: &B,
) -> DeviceArray<U> {
    let mut shape = a.raw().shape().to_vec();
    shape.resize(shape.len() + b.raw().shape().len(), 1);
    let column = DeviceArray::<T>::from_raw(a.raw().clone()).reshape(shape);
    function(&column, &DeviceArray::from_raw(b.raw().clone()))
}

/// Combines the parts of the array at `indices` along the first axis with the values, by an associative function; an index that
/// occurs several times counts several times. NumPy's `np.add.at(a, indices, values)`. The values broadcast to what
/// [`take_axis`](DeviceArray::take_axis) gives for these indices. Writes to the array that this is a view of, too.
///
/// Values with the same index come together in the order in which they stand. Sorts the indices, and calls the function once more
/// than the number of indices has bits.
///
/// **Panics** if the array has no axis, if the function gives an array of another shape ([`Error::InvalidShape`]), if an index is out
/// of range ([`Error::IndexOutOfRange`]), if the values do not broadcast ([`Error::ShapeMismatch`]), or if devices differ. The array
/// is unchanged then.
///
/// ```
/// use warpcell as gpu;
/// let mut counts = gpu::zeros::<i64>(4);
/// gpu::ufunc::at(|x, y| x + y, &mut counts, [0, 2, 2, -1], 1);
/// assert_eq!(counts.tolist(), [1, 0, 2, 1]);
/// let mut best = gpu::array(&[1.0, 1.0]);
/// gpu::ufunc::at(|x, y| x.maximum(y), &mut best, [0, 0], &gpu::array(&[3.0, 2.0]));
/// assert_eq!(best.tolist(), [3.0, 1.0]);
/// ```
#[track_caller]
pub fn at<T: Element>(
    function: impl Fn(&DeviceArray<T>, &DeviceArray<T>) -> DeviceArray<T>,
    a: &mut DeviceArray<T>,
    indices: impl IntoIndices,
    values: impl Operand<T>,
) {
    const NAME: &str = "ufunc::at";
    let length = a.shape().first().copied().unwrap_or(0);
    // Indices in range and from the beginning.
    let numbers = RawArray::written(NAME, &a.raw.handle, &[length], DType::I64, |out| {
        a.raw.handle.backend.arange(Scalar::I64(0), Scalar::I64(1), out.view())
    });
    let positions = DeviceArray::<i64>::from_raw(check(numbers)).take_axis(indices, 0).ravel();
    let old = a.take_axis(&positions, 0);
    let values = match values.raw_operand() {
        RawOperand::Array(values) => check(broadcast_to(NAME, values, old.shape())),
        RawOperand::Scalar(value) => check(RawArray::filled(NAME, &a.raw.handle, old.shape(), value)),
    };
    if old.size() == 0 {
        return;
    }
    let order = crate::argsort(&positions);
    let (positions, values) = (positions.take(&order), DeviceArray::<T>::from_raw(values).take_axis(&order, 0));
    let count = positions.size();
    let mut shape = vec![1; old.shape().len()];
    // Each value with all of the same index before it: then the last of each index has all.
    let join = untyped(&function);
    let mut step = 1;
    while step < count {
        let part = |raw: &RawArray, start| slice_axis(raw, 0, start, 1, count - step);
        let index = |start| DeviceArray::<i64>::from_raw(part(&positions.raw, start));
        shape[0] = count - step;
        let is_same = index(0).eq(&index(step)).reshape(shape.clone());
        let [before, here] = [part(&values.raw, 0), part(&values.raw, step)];
        let joined = check(fitting(NAME, join(before, here.clone()), here.shape()));
        let here = DeviceArray::<T>::from_raw(here);
        let new = crate::where_(&is_same, &DeviceArray::<T>::from_raw(joined), &here);
        check(assign(NAME, &here.raw, &new.raw));
        step *= 2;
    }
    let ends =
        DeviceArray::<bool>::from_raw(check(RawArray::filled(NAME, &a.raw.handle, &[count], Scalar::Bool(true))));
    let [first, next] =
        [0, 1].map(|start| DeviceArray::<i64>::from_raw(slice_axis(&positions.raw, 0, start, 1, count - 1)));
    check(assign(NAME, &slice_axis(&ends.raw, 0, 0, 1, count - 1), &first.ne(&next).raw));
    let last = crate::flatnonzero(&ends);
    let (positions, values) = (positions.take(&last), values.take_axis(&last, 0));
    let old = a.take_axis(&positions, 0);
    let new = check(fitting(
        NAME,
        join(old.raw.into_inner(), values.raw.into_inner()),
        &[&[positions.size()], &a.shape()[1..]].concat(),
    ));
    a.put_axis(&positions, &DeviceArray::<T>::from_raw(new), 0);
}

/// What the function has given, if it has the shape of its arguments.
fn fitting(name: &'static str, found: RawArray, shape: &[usize]) -> Result<RawArray> {
    if found.shape() == shape {
        return Ok(found);
    }
    let reason = format!("is what the function gives for arrays of the shape {shape:?}; it must keep the shape");
    Err(Error::shape(name, found.shape(), reason))
}

fn accumulated(a: &RawArray, axis: isize, join: Join<'_>) -> Result<RawArray> {
    const NAME: &str = "ufunc::accumulate";
    let axis = axis_of(NAME, a.shape(), axis)?;
    let out = a.copied(NAME)?;
    let length = out.shape()[axis];
    let mut step = 1;
    while step < length && out.size() > 0 {
        // The first of these elements have all before them already; the others get as many more as they have.
        let [before, here] = [0, step].map(|start| slice_axis(&out, axis, start, 1, length - step));
        let found = fitting(NAME, join(before, here.clone()), here.shape())?;
        assign(NAME, &here, &found)?;
        step *= 2;
    }
    Ok(out)
}

fn reduced(a: &RawArray, axis: isize, join: Join<'_>) -> Result<RawArray> {
    const NAME: &str = "ufunc::reduce";
    let axis = axis_of(NAME, a.shape(), axis)?;
    if a.shape()[axis] == 0 {
        return Err(Error::shape(NAME, a.shape(), format!("has no elements along axis {axis} to combine")));
    }
    let mut rest = a.clone();
    while rest.shape()[axis] > 1 {
        let length = rest.shape()[axis];
        let pairs = length / 2;
        let [first, second] = [0, 1].map(|start| slice_axis(&rest, axis, start, 2, pairs));
        let shape = first.shape().to_vec();
        let joined = fitting(NAME, join(first, second), &shape)?;
        rest = if length.is_multiple_of(2) {
            joined
        } else {
            let last = slice_axis(&rest, axis, length - 1, 1, 1);
            join_arrays(NAME, &[joined, last], axis as isize)?
        };
    }
    let mut layout = rest.layout.clone();
    layout.shape.remove(axis);
    layout.strides.remove(axis);
    // Not a view of the array.
    let result = rest.with_layout(layout);
    if result.shares_memory(a) { result.copied(NAME) } else { Ok(result) }
}

fn reduced_parts(a: &RawArray, indices: &[usize], axis: isize, join: Join<'_>) -> Result<RawArray> {
    const NAME: &str = "ufunc::reduceat";
    let axis = axis_of(NAME, a.shape(), axis)?;
    let length = a.shape()[axis];
    if indices.is_empty() {
        return Err(Error::argument(NAME, "there are no indices; give the index at which each part begins".to_owned()));
    }
    if let Some(&index) = indices.iter().find(|index| **index >= length) {
        return Err(Error::IndexOutOfRange { operation: NAME, index: index as i128, axis: Some(axis), length });
    }
    let ends = indices.iter().skip(1).copied().chain([length]);
    let parts = indices.iter().zip(ends).map(|(&start, end)| {
        let count = end.saturating_sub(start).max(1);
        reduced(&slice_axis(a, axis, start, 1, count), axis as isize, join)
    });
    stacked(&parts.collect::<Result<Vec<_>>>()?, axis as isize)
}
