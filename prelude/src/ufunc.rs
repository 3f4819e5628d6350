//! The methods of NumPy's universal functions, for any function of two arrays: `np.maximum.accumulate(a)` is
//! `gpu::ufunc::accumulate(|x, y| x.maximum(y), &a, 0)`.
//!
//! The function combines elements, and which ones come together is open: it must be associative, as sums, maxima, `&`, `|`, greatest
//! common divisors and lengths of hypotenuses are. Each element of its result must come from the two at the same place along the axis.
//!
//! Where it is worth it, the function is first called with one pair along the axis, and the operations on elements that it asks for are
//! noted. On the CPU they are then done in one pass over the array, a row of elements in the first-level cache after the other. One
//! operation that devices reduce by, such as `+`, `&` or `maximum`, is that reduction on every device, or running sum or product. In all
//! other cases arrays are combined by calls, of which there are a few for each bit of their length; each is an operation on whole
//! arrays.

use crate::array::axes::axis_of;
use crate::array::indices::IntoIndices;
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, expanded, join as join_arrays, slice_axis};
use crate::backend::recording::{Fold, Program, Recording};
use crate::backend::{BinaryOperation, ReduceOperation, ScanOperation};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{Operand, RawOperand};
use crate::operations::reduce::reduce as reduce_axes;
use crate::operations::scan::scan_axis;
use std::ops::Range;

/// A function of two arrays without their type.
type Join<'a> = &'a dyn Fn(RawArray, RawArray) -> RawArray;

/// The function of arrays with a type as one of arrays without.
fn untyped<T: Element>(
    function: &impl Fn(&DeviceArray<T>, &DeviceArray<T>) -> DeviceArray<T>,
) -> impl Fn(RawArray, RawArray) -> RawArray {
    |x, y| function(&DeviceArray::from_raw(x), &DeviceArray::from_raw(y)).raw.into_inner()
}

/// All elements along an axis combined to one by an associative function; the result lacks the axis. NumPy's `np.gcd.reduce(a,
/// axis)`.
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
/// `np.maximum.accumulate(a, axis)`.
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
/// is not larger, the part is one element.
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

/// Fewer elements along an axis are combined by a few calls: no other way is shorter.
const FEW: usize = 16;
/// As many parts are reduced one after the other.
const FEW_PARTS: usize = 8;

/// What the function does to a pair of elements, if it is made of operations on elements: it is called once for that, with the first
/// elements along the axis, of which there are two.
fn recorded(name: &'static str, a: &RawArray, axis: usize, join: Join<'_>) -> Result<Option<Program>> {
    if a.handle.backend.is_capturing() {
        return Ok(None);
    }
    let [x, y] = [0, 1].map(|start| slice_axis(a, axis, start, 1, 1).copied(name));
    let (x, y) = (x?, y?);
    let recording = Recording::begin([x.view(), y.view()]);
    let found = fitting(name, join(x.clone(), y.clone()), x.shape())?;
    Ok(recording.end(found.view()))
}

/// The reduction that devices have for a function.
fn reduction_of(program: &Program) -> Option<ReduceOperation> {
    use {BinaryOperation as B, ReduceOperation as R};
    let dtype = program.dtypes[0];
    let is_bool = dtype == DType::Bool;
    match program.operation()? {
        B::BitwiseAnd | B::LogicalAnd if is_bool => Some(R::All),
        B::BitwiseOr | B::LogicalOr if is_bool => Some(R::Any),
        B::BitwiseXor => Some(R::BitwiseXor),
        _ if is_bool => None,
        B::BitwiseAnd => Some(R::BitwiseAnd),
        B::BitwiseOr => Some(R::BitwiseOr),
        B::Add => Some(R::Sum),
        B::Multiply if !dtype.is_complex() => Some(R::Product),
        B::Maximum if !dtype.is_complex() => Some(R::Max),
        B::Minimum if !dtype.is_complex() => Some(R::Min),
        _ => None,
    }
}

/// What the device makes of the elements along an axis, in one pass.
fn folded(
    name: &'static str,
    a: &RawArray,
    axis: usize,
    program: &Program,
    parts: Option<&[Range<usize>]>,
) -> Result<Option<RawArray>> {
    let mut shape = a.shape().to_vec();
    shape[axis] = parts.map_or(shape[axis], <[_]>::len);
    let out = RawArray::uninitialised(name, &a.handle, &shape, a.dtype)?;
    let fold = Fold { program, x: a.view(), axis, parts, out: out.view() };
    Ok(a.handle.backend.fold(fold)?.then_some(out))
}

fn accumulated(a: &RawArray, axis: isize, join: Join<'_>) -> Result<RawArray> {
    const NAME: &str = "ufunc::accumulate";
    let axis = axis_of(NAME, a.shape(), axis)?;
    if a.size() > 0
        && a.shape()[axis] >= FEW
        && let Some(program) = recorded(NAME, a, axis, join)?
    {
        let scan = match reduction_of(&program) {
            Some(ReduceOperation::Sum) if !a.dtype.is_complex() => Some(ScanOperation::Sum),
            Some(ReduceOperation::Product) => Some(ScanOperation::Product),
            _ => None,
        };
        if let Some(scan) = scan {
            return scan_axis(NAME, scan, a, axis as isize)?.in_type(NAME, a.dtype);
        }
        if let Some(found) = folded(NAME, a, axis, &program, None)? {
            return Ok(found);
        }
    }
    let out = a.copied(NAME)?;
    if out.size() > 0 {
        sweep(NAME, &out, axis, join)?;
    }
    Ok(out)
}

/// Replaces each element along an axis by what it and all before it are combined to. Every second element gets the one before it; then
/// those, half as many, get all before them, and at last the others get what is before them. So an element is combined twice at most.
fn sweep(name: &'static str, x: &RawArray, axis: usize, join: Join<'_>) -> Result<()> {
    let length = x.shape()[axis];
    if length < 2 {
        return Ok(());
    }
    // Combines each of so many elements, every second one from `first` on, with the one before it.
    let joined = |first: usize, count: usize| {
        let [before, here] = [first - 1, first].map(|start| slice_axis(x, axis, start, 2, count));
        let found = fitting(name, join(before, here.clone()), here.shape())?;
        assign(name, &here, &found)?;
        Ok(here)
    };
    let odd = joined(1, length / 2)?;
    sweep(name, &odd, axis, join)?;
    if length > 2 { joined(2, (length - 1) / 2).map(drop) } else { Ok(()) }
}

/// The array without an axis, along which it has one element.
fn without(a: &RawArray, axis: usize) -> RawArray {
    let mut layout = a.layout.clone();
    layout.shape.remove(axis);
    layout.strides.remove(axis);
    a.with_layout(layout)
}

fn reduced(a: &RawArray, axis: isize, join: Join<'_>) -> Result<RawArray> {
    const NAME: &str = "ufunc::reduce";
    let axis = axis_of(NAME, a.shape(), axis)?;
    let length = a.shape()[axis];
    if length == 0 {
        return Err(Error::shape(NAME, a.shape(), format!("has no elements along axis {axis} to combine")));
    }
    let whole = 0..length;
    Ok(without(&parts_of(NAME, a, std::slice::from_ref(&whole), axis, join)?, axis))
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
    let parts: Vec<_> = indices.iter().zip(ends).map(|(&start, end)| start..end.max(start + 1)).collect();
    parts_of(NAME, a, &parts, axis, join)
}

/// A new array with an element along the axis for each of the parts, which are not empty.
fn parts_of(name: &'static str, a: &RawArray, parts: &[Range<usize>], axis: usize, join: Join<'_>) -> Result<RawArray> {
    let longest = parts.iter().map(Range::len).max().unwrap_or(0);
    let program = if a.size() > 0 && longest >= FEW { recorded(name, a, axis, join)? } else { None };
    let part = |range: &Range<usize>| slice_axis(a, axis, range.start, 1, range.len());
    let by_device = |range: &Range<usize>, operation: ReduceOperation| {
        let found = reduce_axes(name, operation, &part(range), &[axis])?;
        let found = if found.dtype == a.dtype { found } else { found.converted(name, a.dtype)? };
        expanded(name, &found, axis as isize)
    };
    let mut made = Vec::with_capacity(parts.len());
    if let Some(program) = program {
        let operation = reduction_of(&program);
        if let Some(operation) = operation
            && (parts.len() <= FEW_PARTS || !a.handle.backend.folds())
        {
            for range in parts {
                made.push(by_device(range, operation)?);
            }
        } else if let Some(found) = folded(name, a, axis, &program, Some(parts))? {
            return Ok(found);
        }
    }
    for range in &parts[made.len()..] {
        made.push(halved(name, part(range), axis, join)?);
    }
    match &made[..] {
        // Not a view of the array.
        [one] if one.shares_memory(a) => one.copied(name),
        [one] => Ok(one.clone()),
        _ => join_arrays(name, &made, axis as isize),
    }
}

/// Combines the elements along an axis by halves: neighbours come together.
fn halved(name: &'static str, mut rest: RawArray, axis: usize, join: Join<'_>) -> Result<RawArray> {
    while rest.shape()[axis] > 1 {
        let length = rest.shape()[axis];
        let pairs = length / 2;
        let [first, second] = [0, 1].map(|start| slice_axis(&rest, axis, start, 2, pairs));
        let shape = first.shape().to_vec();
        let joined = fitting(name, join(first, second), &shape)?;
        rest = if length.is_multiple_of(2) {
            joined
        } else {
            let last = slice_axis(&rest, axis, length - 1, 1, 1);
            join_arrays(name, &[joined, last], axis as isize)?
        };
    }
    Ok(rest)
}
