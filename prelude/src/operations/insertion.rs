//! Arrays made longer or shorter: parts appended, inserted, deleted or repeated.

use crate::array::axes::{axes_of, axis_of};
use crate::array::indices::{IntoIndices, RawIndices};
use crate::array::view::{assign, broadcast_to};
use crate::array::{DeviceArray, IntoShape, OnDevice, RawArray, join, slice_axis, transfer, with_rank};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, ScanOperation};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::indexing::{Indices, extremes, parts, scatter};
use crate::operations::reduce::reduce;
use crate::operations::scan::scan_axis;
use crate::operations::selection::compressed;
use crate::thin::thin;

thin! {
    /// The elements of an array and behind them other values, an array or a number, both in row-major order; 1-D and new.
    /// NumPy's `append`; along an axis `gpu::append!(&a, &values, axis = 0)`, where the values have the same axes. To append
    /// often, collect the parts and call [`concatenate`](fn@crate::concatenate) once.
    ///
    /// **Panics** if the arrays are on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::append(&gpu::array(&[1, 2]), &gpu::array(&[[3], [4]]));
    /// assert_eq!(gpu::append(&a, 5).tolist(), [1, 2, 3, 4, 5]);
    /// ```
    pub fn append<A: OnDevice<Elem = T>, T: Element>(arr: &A, values: impl Operand<T>) -> DeviceArray<T> =>
        appended(arr.raw(), values.raw_operand(), None);

    /// The elements of an array in row-major order without those at some places; 1-D and new. NumPy's `delete`; along an axis
    /// `gpu::delete!(&a, [0, 2], axis = 1)`. Negative indices count from the end, and an index may be repeated. Of bools:
    /// [`a.extract(&!mask)`](DeviceArray::extract).
    ///
    /// With indices from the host it is queued. With those on the device it waits, since only the device knows how many there
    /// are.
    ///
    /// **Panics** if an index is out of range ([`Error::IndexOutOfRange`]), or the devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[10, 20, 30, 40]);
    /// assert_eq!(gpu::delete(&a, 1).tolist(), [10, 30, 40]);
    /// assert_eq!(gpu::delete(&a, [0, -1]).tolist(), [20, 30]);
    /// assert_eq!(gpu::delete(&a, 1..3).tolist(), [10, 40]);
    /// ```
    pub fn delete<A: OnDevice<Elem = T>, T: Element>(arr: &A, obj: impl IntoIndices) -> DeviceArray<T> =>
        deleted(arr.raw(), obj.raw_indices(), None);

    /// The elements of an array in row-major order with values before some places, which are counted as if nothing were
    /// inserted; 1-D and new. NumPy's `insert`; along an axis `gpu::insert!(&a, 1, &column, axis = 1)`.
    ///
    /// There is one place for all values, or one for each; one value may stand for all places. Negative indices count from
    /// the end; what is inserted at the length of the array comes behind it. With indices from the host it is queued, with
    /// those on the device it waits for them.
    ///
    /// **Panics** if an index is out of range ([`Error::InvalidArgument`]), if the values do not fit
    /// ([`Error::ShapeMismatch`]), or the devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1, 2, 3]);
    /// assert_eq!(gpu::insert(&a, 1, 9).tolist(), [1, 9, 2, 3]);
    /// assert_eq!(gpu::insert(&a, 1, &gpu::array(&[8, 9])).tolist(), [1, 8, 9, 2, 3]);
    /// assert_eq!(gpu::insert(&a, [0, 3], &gpu::array(&[8, 9])).tolist(), [8, 1, 2, 3, 9]);
    /// ```
    pub fn insert<A: OnDevice<Elem = T>, T: Element>(arr: &A, obj: impl IntoIndices, values: impl Operand<T>)
    -> DeviceArray<T> => inserted(arr.raw(), obj.raw_indices(), values.raw_operand(), None);

    /// A new array of a shape with the elements in row-major order, again and again until it is full; zeros if there are
    /// none. NumPy's function `resize`. [`reshape`](DeviceArray::reshape) keeps the number of elements.
    ///
    /// **Panics** if the shape is too large to address, or if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::resize(&gpu::array(&[1, 2, 3]), (2, 4)).ravel().tolist(), [1, 2, 3, 1, 2, 3, 1, 2]);
    /// ```
    pub fn resize<A: OnDevice<Elem = T>, T: Element>(a: &A, new_shape: impl IntoShape) -> DeviceArray<T> =>
        resized("resize", a.raw(), &new_shape.into_shape());

    /// The array without the zeros at both ends; of an array with several axes, without the parts at both ends of each axis
    /// that have only zeros; a view. NumPy's `trim_zeros`; `gpu::trim_zeros!(&a, trim = "f")` looks at the front only, `"b"`
    /// at the back, and `axis = 1` at the ends of that axis. Waits, to know where they end.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::trim_zeros(&gpu::array(&[0, 0, 1, 0, 2, 0])).tolist(), [1, 0, 2]);
    /// ```
    pub fn trim_zeros<A: OnDevice<Elem = T>, T: Element>(filt: &A) -> DeviceArray<T> => trimmed(filt.raw(), "fb", None);
}

/// The array and an axis of it: the flattened array and its only one if no axis is given.
fn along(name: &'static str, x: &RawArray, axis: Option<isize>) -> Result<(RawArray, usize)> {
    match axis {
        None => Ok((x.flat(name)?, 0)),
        Some(axis) => Ok((x.clone(), axis_of(name, x.shape(), axis)?)),
    }
}

/// An operand as an array.
fn as_array(name: &'static str, like: &RawArray, operand: RawOperand<'_>) -> Result<RawArray> {
    if let Some(array) = operand.array() {
        like.same_device(name, array)?;
    }
    operand.on(name, &like.handle)
}

/// Positions on the device of an array.
fn uploaded(name: &'static str, like: &RawArray, positions: &[i64]) -> Result<RawArray> {
    like.handle.may_upload(name)?;
    RawArray::of_indices(name, &like.handle, &[positions.len()], positions)
}

/// `append` of the flattened arrays, or along an axis.
pub(crate) fn appended(x: &RawArray, values: RawOperand<'_>, axis: Option<isize>) -> Result<RawArray> {
    const NAME: &str = "append";
    let values = as_array(NAME, x, values)?;
    match axis {
        None => join(NAME, &[x.flat(NAME)?, values.flat(NAME)?], 0),
        Some(axis) => join(NAME, &[x.clone(), values], axis),
    }
}

/// Up to so many parts are copied one by one; elements of more are gathered by their positions.
const FEW: usize = 8;

/// Indices of a device that an array is on, too. Waits for them.
fn downloaded(name: &'static str, x: &RawArray, indices: &RawArray) -> Result<Vec<i64>> {
    x.same_device(name, indices)?;
    x.handle.may_wait(name)?;
    transfer::download_vec(&indices.converted(name, DType::I64)?)
}

/// `delete` from the flattened array, or along an axis.
pub(crate) fn deleted(x: &RawArray, indices: RawIndices, axis: Option<isize>) -> Result<RawArray> {
    const NAME: &str = "delete";
    let given = axis;
    let (x, axis) = along(NAME, x, axis)?;
    let length = x.shape()[axis];
    let values = match indices {
        RawIndices::Host { values, .. } => values,
        RawIndices::Device(raw) if raw.size() <= FEW && raw.dtype != DType::U64 => downloaded(NAME, &x, &raw)?,
        device => {
            let indices = Indices::new(NAME, device, &x.handle, given.map(|_| axis), length)?;
            let is_kept = RawArray::filled(NAME, &x.handle, &[length], Scalar::Bool(true))?;
            scatter(NAME, &is_kept, 0, &indices.flat(), RawOperand::Scalar(Scalar::Bool(false)))?;
            return parts(NAME, &x, axis, &compressed(NAME, &is_kept, None)?);
        }
    };
    let mut gone = Vec::with_capacity(values.len());
    for index in values {
        let place = if index < 0 { index + length as i64 } else { index };
        let place = usize::try_from(place).ok().filter(|&place| place < length);
        gone.push(place.ok_or(Error::IndexOutOfRange {
            operation: NAME,
            index: index.into(),
            axis: given.map(|_| axis),
            length,
        })?);
    }
    gone.sort_unstable();
    gone.dedup();
    // What is kept lies between the places that are not: runs of neighbours, with an empty one in front, so that there is one.
    let starts = gone.iter().map(|&place| place + 1);
    let bounds = std::iter::once(0).chain(starts).zip(gone.iter().copied().chain([length]));
    let mut runs = vec![(0, 0)];
    runs.extend(bounds.filter(|(start, end)| start < end));
    if runs.len() <= FEW {
        let parts: Vec<RawArray> =
            runs.iter().map(|&(start, end)| slice_axis(&x, axis, start, 1, end - start)).collect();
        return join(NAME, &parts, axis as isize);
    }
    // Each of these places moves those of the elements behind it up by one.
    let count = length - gone.len();
    let jumps: Vec<i64> = (0..).zip(&gone).map(|(before, &place)| place as i64 - before).collect();
    let moved = not_greater(NAME, &uploaded(NAME, &x, &jumps)?, count)?;
    let places = RawArray::uninitialised(NAME, &x.handle, &[count], DType::I64)?;
    places.handle.backend.arange(Scalar::I64(0), Scalar::I64(1), places.view())?;
    let places = binary(NAME, BinaryOperation::Add, &places, &moved)?;
    parts(NAME, &x, axis, &places)
}

/// For each number below `count`, how many of `places` are not greater: these are i64, from 0 to `count`, 1-D and contiguous.
fn not_greater(name: &'static str, places: &RawArray, count: usize) -> Result<RawArray> {
    let each = RawArray::uninitialised(name, &places.handle, &[count + 1], DType::I64)?;
    each.handle.backend.bincount(places.view(), None, each.view())?;
    scan_axis(name, ScanOperation::Sum, &slice_axis(&each, 0, 0, 1, count), 0)
}

/// `repeat` with a number of times for each part along an axis.
pub(crate) fn repeated_each(x: &RawArray, counts: RawIndices, axis: isize) -> Result<RawArray> {
    const NAME: &str = "repeat";
    let axis = axis_of(NAME, x.shape(), axis)?;
    let length = x.shape()[axis];
    let invalid = |reason: String| Error::shape(NAME, x.shape(), reason);
    let (shape, counts) = match counts {
        RawIndices::Host { shape, values } => (shape, uploaded(NAME, x, &values)?),
        RawIndices::Device(raw) => {
            x.same_device(NAME, &raw)?;
            (raw.shape().to_vec(), raw.converted(NAME, DType::I64)?)
        }
    };
    let wrong =
        || invalid(format!("has {length} elements along axis {axis}; give one count for each, none of them negative"));
    if shape != [length] {
        return Err(wrong());
    }
    if length == 0 {
        return x.copied(NAME);
    }
    x.handle.may_wait(NAME)?;
    let (least, most) = extremes(NAME, &counts)?;
    if least < 0 {
        return Err(wrong());
    }
    if most.saturating_mul(length as i128) > isize::MAX as i128 {
        return Err(invalid(format!("would have more elements than memory can address; the largest count is {most}")));
    }
    // Where the repetitions of each part end, and so where the next one's begin.
    let ends = scan_axis(NAME, ScanOperation::Sum, &counts, 0)?;
    let total: Vec<i64> = transfer::download_vec(&slice_axis(&ends, 0, length - 1, 1, 1))?;
    let total = total[0] as usize;
    let mut shape = x.shape().to_vec();
    shape[axis] = total;
    let out = RawArray::uninitialised(NAME, &x.handle, &shape, x.dtype)?;
    if out.size() == 0 {
        return Ok(out);
    }
    let behind = axis + 1..shape.len();
    let row =
        Layout { shape: x.shape()[behind.clone()].to_vec(), strides: x.layout.strides[behind].to_vec(), offset: 0 };
    let source = if row.is_contiguous() { x.clone() } else { x.contiguous(NAME)? };
    if x.handle.backend.repeat(source.view(), axis, ends.view(), out.view())? {
        return Ok(out);
    }
    drop(out);
    parts(NAME, x, axis, &not_greater(NAME, &ends, total)?)
}

/// `insert` into the flattened array, or along an axis.
pub(crate) fn inserted(
    x: &RawArray,
    indices: RawIndices,
    values: RawOperand<'_>,
    axis: Option<isize>,
) -> Result<RawArray> {
    const NAME: &str = "insert";
    let (x, axis) = along(NAME, x, axis)?;
    let values = as_array(NAME, &x, values)?;
    let (rank, places) = match indices {
        RawIndices::Host { shape, values } => (shape.len(), values),
        RawIndices::Device(raw) => (raw.shape().len(), downloaded(NAME, &x, &raw)?),
    };
    let length = x.shape()[axis];
    let invalid = |reason: String| Error::argument(NAME, reason);
    if rank > 1 {
        return Err(invalid(format!("the indices have {rank} axes; give one index, or a 1-D array of indices")));
    }
    let places = places
        .into_iter()
        .map(|index| {
            let place = if index < 0 { index + length as i64 } else { index };
            usize::try_from(place).ok().filter(|&place| place <= length).ok_or_else(|| {
                invalid(format!(
                    "there is no place {index} along an axis of length {length}; indices go from -{length} to {length}"
                ))
            })
        })
        .collect::<Result<Vec<usize>>>()?;
    let mut shape = x.shape().to_vec();
    if let [place] = *places {
        // All values before one place.
        let mut values = with_rank(NAME, &values, x.shape().len())?;
        if rank == 0 {
            values = values.moved(0, axis);
        }
        shape[axis] = values.shape()[axis];
        let values = broadcast_to(NAME, &values, &shape)?;
        let (before, behind) = (slice_axis(&x, axis, 0, 1, place), slice_axis(&x, axis, place, 1, length - place));
        return join(NAME, &[before, values, behind], axis as isize);
    }
    shape[axis] = places.len();
    let values = broadcast_to(NAME, &values, &shape)?;
    let both = join(NAME, &[x.clone(), values], axis as isize)?;
    // Values for one place keep their order.
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&value| places[value]);
    let mut sources = Vec::with_capacity(length + places.len());
    let mut next = 0;
    for value in order {
        sources.extend(next as i64..places[value] as i64);
        sources.push((length + value) as i64);
        next = places[value];
    }
    sources.extend(next as i64..length as i64);
    parts(NAME, &both, axis, &uploaded(NAME, &x, &sources)?)
}

/// The elements in row-major order, again and again, in a new array of a shape.
pub(crate) fn resized(name: &'static str, x: &RawArray, shape: &[usize]) -> Result<RawArray> {
    let count = x.size();
    if count == 0 {
        return RawArray::filled(name, &x.handle, shape, Scalar::zero(x.dtype));
    }
    let out = RawArray::uninitialised(name, &x.handle, shape, x.dtype)?;
    let (flat, line) = (x.flat(name)?, out.flat(name)?);
    let (times, rest) = (out.size() / count, out.size() % count);
    if times > 0 {
        assign(name, &line.with_layout(Layout::contiguous(&[times, count])), &flat)?;
    }
    assign(name, &slice_axis(&line, 0, times * count, 1, rest), &slice_axis(&flat, 0, 0, 1, rest))?;
    Ok(out)
}

/// `trim_zeros` at the ends that `ends` names by `f` and `b`, of some axes or of all.
pub(crate) fn trimmed(x: &RawArray, ends: &str, axes: Option<&[isize]>) -> Result<RawArray> {
    const NAME: &str = "trim_zeros";
    let ends = ends.to_lowercase();
    if !matches!(ends.as_str(), "fb" | "bf" | "f" | "b") {
        let reason = format!("there are no ends {ends:?}; write \"f\" for the front, \"b\" for the back, or \"fb\"");
        return Err(Error::argument(NAME, reason));
    }
    let rank = x.shape().len();
    let all: Vec<usize> = (0..rank).collect();
    let axes = axes.map_or_else(|| Ok(all.clone()), |axes| axes_of(NAME, x.shape(), axes))?;
    if rank == 0 {
        return Ok(x.clone());
    }
    if x.size() == 0 {
        return Ok(axes.iter().fold(x.clone(), |part, &axis| slice_axis(&part, axis, 0, 1, 0)));
    }
    x.handle.may_wait(NAME)?;
    let is_set = x.converted(NAME, DType::Bool)?;
    // For each axis the first place and the last that are not zero, the latter counted from the end; and whether there is one.
    let mut found = Vec::with_capacity(2 * axes.len() + 1);
    for &axis in &axes {
        let others: Vec<usize> = all.iter().copied().filter(|&other| other != axis).collect();
        let line = if rank == 1 { is_set.clone() } else { reduce(NAME, ReduceOperation::Any, &is_set, &others)? };
        let length = line.size();
        found.push(reduce(NAME, ReduceOperation::ArgMax, &line, &[0])?);
        found.push(reduce(NAME, ReduceOperation::ArgMax, &slice_axis(&line, 0, length - 1, -1, length), &[0])?);
    }
    found.push(reduce(NAME, ReduceOperation::Any, &is_set, &all)?.converted(NAME, DType::I64)?);
    let found: Vec<RawArray> = found.iter().map(|one| one.flat(NAME)).collect::<Result<_>>()?;
    let found: Vec<i64> = transfer::download_vec(&join(NAME, &found, 0)?)?;
    let has_any = found[2 * axes.len()] == 1;
    Ok(axes.iter().enumerate().fold(x.clone(), |part, (place, &axis)| {
        let length = x.shape()[axis];
        if !has_any {
            return slice_axis(&part, axis, 0, 1, 0);
        }
        let skipped = |end: char, at: usize| if ends.contains(end) { found[at] as usize } else { 0 };
        let (front, back) = (skipped('f', 2 * place), skipped('b', 2 * place + 1));
        slice_axis(&part, axis, front, 1, length - front - back)
    }))
}
