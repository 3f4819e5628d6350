//! Reading and writing elements by arrays of indices: `take`, `put` and their kin.

mod scattering;

use crate::array::axes::axis_of;
use crate::array::indices::{IntoIndices, RawIndices};
use crate::array::sides::sealed::Host;
use crate::array::view::{assign, broadcast_to};
use crate::array::{DeviceArray, IntoShape, RawArray, byte_count, shape, transfer, writable};
use crate::backend::{BinaryOperation, IndexCheck, Layout, ReduceOperation};
use crate::device::{self, Handle};
use crate::dtype::{DType, Element, Kind, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::choosing::Outside;
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::formulas::{self, apply_one};
use crate::operations::insertion::resized;
use crate::operations::map::registered_reduced;
use crate::operations::selection::{apart, unravelled};
use std::panic::Location;

impl<T: Element> DeviceArray<T> {
    /// The elements at `indices` of the flattened array, in the shape of the indices. NumPy's `take(a, indices)`,
    /// and `a[indices]` of a 1-D array. Negative indices count from the end.
    ///
    /// Indices are checked. A GPU checks those that it has while it takes the elements, and the call does not wait for that. If one is
    /// out of range, this is reported where the program waits for the GPU next, at the end of the cell at the latest
    /// ([`Error::FoundLater`]). The arrays that were computed from the result since then cannot be used
    /// ([`Error::InvalidResult`]); all others can. [`try_take`](Self::try_take) waits. Of `u64`, the largest index is looked for before.
    /// Indices that come from the host are checked there.
    ///
    /// **Panics** if an index is out of range ([`Error::IndexOutOfRange`]) or the devices differ.
    ///
    /// ```
    /// let a = warpcell::array(&[10, 20, 30, 40]);
    /// let indices = warpcell::array(&[[3i64, 0], [-1, 1]]);
    /// assert_eq!(a.take(&indices).to_host(), ndarray::arr2(&[[40, 10], [40, 20]]).into_dyn());
    /// assert_eq!(a.take([0, 2]).sum(), 40i64);
    /// ```
    #[track_caller]
    pub fn take(&self, indices: impl IntoIndices) -> DeviceArray<T> {
        DeviceArray::from_raw(check(take_later(&self.raw, indices.raw_indices(), Some(Location::caller()))))
    }

    /// As [`take`](Self::take), but returns the error. It waits until all indices are checked.
    pub fn try_take(&self, indices: impl IntoIndices) -> Result<DeviceArray<T>> {
        take(&self.raw, indices.raw_indices()).map(DeviceArray::from_raw)
    }

    /// The parts of the array at `indices` along an axis, such as rows along axis 0; the shape of the indices takes
    /// the place of the axis. NumPy's `take(a, indices, axis)`, `a[indices]` and `a[:, indices]`. Checks as
    /// [`take`](Self::take) does.
    ///
    /// **Panics** as [`take`](Self::take) does, and if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// let a = warpcell::array(&[[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(a.take_axis([1, 0, 1], 0).to_host(), ndarray::arr2(&[[4, 5, 6], [1, 2, 3], [4, 5, 6]]).into_dyn());
    /// assert_eq!(a.take_axis([-1], 1).to_host(), ndarray::arr2(&[[3], [6]]).into_dyn());
    /// ```
    #[track_caller]
    pub fn take_axis(&self, indices: impl IntoIndices, axis: isize) -> DeviceArray<T> {
        let taken = take_axis_later(&self.raw, indices.raw_indices(), axis, Some(Location::caller()));
        DeviceArray::from_raw(check(taken))
    }

    /// As [`take_axis`](Self::take_axis), but returns the error. It waits until all indices are checked.
    pub fn try_take_axis(&self, indices: impl IntoIndices, axis: isize) -> Result<DeviceArray<T>> {
        take_axis(&self.raw, indices.raw_indices(), axis).map(DeviceArray::from_raw)
    }

    /// For each index the element at it along an axis, and at the index's own place along the others: what the indices of
    /// sorted or extreme elements lead to. NumPy's `take_along_axis`. Checks as [`take`](Self::take) does.
    ///
    /// The indices have as many axes as the array; the other axes are broadcast.
    ///
    /// **Panics** as [`take_axis`](Self::take_axis) does, and if the shapes do not fit ([`Error::InvalidShape`]).
    ///
    /// ```
    /// let a = warpcell::array(&[[1, 2, 3], [4, 5, 6]]);
    /// let of_rows = warpcell::array(&[[2i64], [0]]);
    /// assert_eq!(a.take_along_axis(&of_rows, 1).to_host(), ndarray::arr2(&[[3], [4]]).into_dyn());
    /// ```
    #[track_caller]
    pub fn take_along_axis(&self, indices: impl IntoIndices, axis: isize) -> DeviceArray<T> {
        let taken = take_along_axis_later(&self.raw, indices.raw_indices(), axis, Some(Location::caller()));
        DeviceArray::from_raw(check(taken))
    }

    fallible! {
        /// Sets the elements at `indices` of the flattened array to the values. NumPy's `put`: if there are fewer values
        /// than indices, they are repeated; if there are more, the last ones are not used; without values nothing
        /// changes. Writes to the array that this is a view of, too. Where an index is repeated, its last value stays, on
        /// every device.
        ///
        /// Indices are checked before anything is written: for the largest of those on the device, the call waits;
        /// `gpu::put!(&mut a, &indices, 1.0, mode = "wrap")` or `"clip"` gives those out of range a meaning.
        ///
        /// **Panics** if an index is out of range ([`Error::IndexOutOfRange`]), the devices differ, or if this is a view
        /// made by [`broadcast_to`](Self::broadcast_to).
        ///
        /// ```
        /// let mut a = warpcell::zeros::<i32>(4);
        /// a.put([0, -1], 7);
        /// a.put(&warpcell::array(&[1i64, 2]), &warpcell::array(&[10, 20]));
        /// assert_eq!(a.to_host(), ndarray::arr1(&[7, 10, 20, 7]).into_dyn());
        /// ```
        pub fn put, try_put(&mut self, indices: impl IntoIndices, values: impl Operand<T>) -> Result<()> {
            put(&self.raw, indices.raw_indices(), values.raw_operand())
        }

        /// Sets the parts of the array at `indices` along an axis, such as rows along axis 0. NumPy's `a[indices] =
        /// values` and `a[:, indices] = values`: the values broadcast to what [`take_axis`](Self::take_axis) gives for
        /// these indices. Where an index is repeated, its last values stay. Checks as [`put`](Self::put) does.
        ///
        /// **Panics** as [`put`](Self::put) does, if there is no such axis ([`Error::InvalidShape`]), or if the values
        /// do not broadcast ([`Error::ShapeMismatch`]).
        ///
        /// ```
        /// let mut a = warpcell::zeros::<i32>((3, 2));
        /// a.put_axis([0, 2], &warpcell::array(&[[1, 2], [3, 4]]), 0);
        /// a.put_axis([-1], 9, 1);
        /// assert_eq!(a.to_host(), ndarray::arr2(&[[1, 9], [0, 9], [3, 9]]).into_dyn());
        /// ```
        pub fn put_axis, try_put_axis(
            &mut self,
            indices: impl IntoIndices,
            values: impl Operand<T>,
            axis: isize,
        ) -> Result<()> {
            put_axis(&self.raw, indices.raw_indices(), values.raw_operand(), axis)
        }
    }

    /// Sets, for each index, the element at it along an axis and at the index's own place along the others. NumPy's
    /// `put_along_axis`. Where an index is repeated, its last value stays. Checks as [`put`](Self::put) does.
    ///
    /// The indices have as many axes as the array, and their other axes broadcast to the array's; the values broadcast to the
    /// shape that results.
    ///
    /// **Panics** as [`put_axis`](Self::put_axis) does, and if the shapes do not fit ([`Error::InvalidShape`]).
    ///
    /// ```
    /// let mut a = warpcell::array(&[[1, 2, 3], [4, 5, 6]]);
    /// a.put_along_axis(&warpcell::array(&[[2i64], [0]]), 0, 1);
    /// assert_eq!(a.to_host(), ndarray::arr2(&[[1, 2, 0], [0, 5, 6]]).into_dyn());
    /// ```
    #[track_caller]
    pub fn put_along_axis(&mut self, indices: impl IntoIndices, values: impl Operand<T>, axis: isize) {
        check(put_along_axis(&self.raw, indices.raw_indices(), values.raw_operand(), axis))
    }
}

/// The positions in the flattened array to which indices along each axis lead; the indices broadcast. NumPy's
/// `ravel_multi_index`; here negative indices count from the end. With it, `a[rows, columns]` is
/// `a.take(&gpu::ravel_multi_index([&rows, &columns], a.shape()))`.
///
/// **Panics** if there is not one array of indices for each axis ([`Error::InvalidShape`]), if they do not broadcast or are
/// on different devices, or if an index is out of range ([`Error::IndexOutOfRange`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1, 2, 3], [4, 5, 6]]);
/// let (rows, columns) = (gpu::array(&[0i64, 1, 1]), gpu::array(&[2i64, 0, -1]));
/// let positions = gpu::ravel_multi_index([&rows, &columns], a.shape());
/// assert_eq!(a.take(&positions).to_host(), ndarray::arr1(&[3, 4, 6]).into_dyn());
/// ```
#[track_caller]
pub fn ravel_multi_index<I: IntoIndices>(
    indices: impl IntoIterator<Item = I>,
    shape: impl IntoShape,
) -> DeviceArray<i64> {
    let indices = indices.into_iter().map(I::raw_indices).collect();
    DeviceArray::from_raw(check(ravel_multi_index_raw(indices, &shape.into_shape())))
}

/// The indices along each axis of an array of `shape` to which positions in the flattened array belong. NumPy's
/// `unravel_index`; here negative positions count from the end.
///
/// **Panics** if a position is out of range ([`Error::IndexOutOfRange`]).
///
/// ```
/// use warpcell as gpu;
/// let places = gpu::unravel_index([5, 0], (2, 3));
/// assert_eq!(places[0].to_host(), ndarray::arr1(&[1, 0]).into_dyn());
/// assert_eq!(places[1].to_host(), ndarray::arr1(&[2, 0]).into_dyn());
/// ```
#[track_caller]
pub fn unravel_index(indices: impl IntoIndices, shape: impl IntoShape) -> Vec<DeviceArray<i64>> {
    let found = unravel_index_raw(indices.raw_indices(), &shape.into_shape());
    check(found).into_iter().map(DeviceArray::from_raw).collect()
}

/// Indices on the device, contiguous. All of them are in range, but for [`Indices::unchecked`].
pub(super) struct Indices {
    raw: RawArray,
    operation: &'static str,
    /// The axis that they belong to, if there is one, and its length, or the number of all elements.
    axis: Option<usize>,
    length: usize,
    /// Whether they are known to be in range.
    is_checked: bool,
}

impl Indices {
    /// Checks indices along an axis of `length`, or in an array of that many elements.
    pub(super) fn new(
        operation: &'static str,
        indices: RawIndices,
        handle: &Handle,
        axis: Option<usize>,
        length: usize,
    ) -> Result<Indices> {
        let indices = Indices::unchecked(operation, indices, handle, axis, length)?;
        indices.check()?;
        Ok(indices)
    }

    /// Checks indices, if they come from the host or are empty.
    fn unchecked(
        operation: &'static str,
        indices: RawIndices,
        handle: &Handle,
        axis: Option<usize>,
        length: usize,
    ) -> Result<Indices> {
        let new = |raw, is_checked| Indices { raw, operation, axis, length, is_checked };
        match indices {
            RawIndices::Host { shape, values } => {
                if let Some(&index) = values.iter().find(|&&index| !is_in(index.into(), length)) {
                    return Err(Error::IndexOutOfRange { operation, index: index.into(), axis, length });
                }
                let raw = transfer::upload(operation, &values.host_view(), handle)?;
                Ok(new(raw.with_layout(Layout::contiguous(&shape)), true))
            }
            RawIndices::Device(raw) => {
                if raw.handle.device != handle.device {
                    let (left, right) = (handle.device.to_string(), raw.handle.device.to_string());
                    return Err(Error::DeviceMismatch { operation, left, right });
                }
                let raw = raw.contiguous(operation)?;
                let is_empty = raw.size() == 0;
                if !is_empty {
                    handle.may_wait(operation)?;
                }
                Ok(new(raw, is_empty))
            }
        }
    }

    /// The error for the first index that is out of range, if there is one.
    fn check(&self) -> Result<()> {
        let &Indices { ref raw, operation, axis, length, is_checked } = self;
        if is_checked {
            return Ok(());
        }
        let farthest = formulas::unsigned_index(raw.dtype);
        let farthest = registered_reduced(operation, farthest, ReduceOperation::Max, &[RawOperand::Array(raw)])?;
        let farthest = transfer::item(&farthest)?.integer().expect("an integer");
        if farthest < length as i128 {
            return Ok(());
        }
        let index = first(raw, &|index| is_in(index, length))?.unwrap_or(farthest);
        Err(Error::IndexOutOfRange { operation, index, axis, length })
    }

    /// Copies the elements that these indices name, laid out as `by`, to `out`, which is new and not empty. If they are not checked,
    /// they are now: in the same pass, where the device can do that; and if the place of the call is given, without waiting for it.
    fn gather(&self, source: &RawArray, axis: usize, by: &RawArray, out: &RawArray, call: Call) -> Result<()> {
        let backend = &source.handle.backend;
        // Large u64 would be taken for negative indices.
        if !self.is_checked && self.length > 0 && self.raw.dtype != DType::U64 {
            let [source, by, out] = [source.view(), by.view(), out.view()];
            let &Indices { operation, axis: named, length, .. } = self;
            let check = |location| IndexCheck { operation, axis: named, length, location };
            let is_done = match call.map(check) {
                Some(check) => backend.gather_later(source, axis, by, out, check)?,
                None => backend.gather_checked(source, axis, by, out)? == Some(true),
            };
            if is_done {
                return Ok(());
            }
        }
        self.check()?;
        backend.gather(source.view(), axis, by.view(), out.view())
    }

    /// The indices one after the other.
    pub(super) fn flat(&self) -> RawArray {
        let layout = Layout { offset: self.raw.layout.offset, ..Layout::contiguous(&[self.raw.size()]) };
        self.raw.with_layout(layout)
    }

    /// The indices as i64, none of them negative.
    fn positions(&self, operation: &'static str, length: usize) -> Result<RawArray> {
        let length = RawOperand::Scalar(Scalar::I64(length as i64));
        apply_one(operation, formulas::from_start, &[RawOperand::Array(&self.raw), length])
    }
}

/// Whether an index leads to one of `length` places.
fn is_in(index: i128, length: usize) -> bool {
    (-(length as i128)..length as i128).contains(&index)
}

/// The smallest and the largest of some integers, with one wait for both. The smallest of unsigned ones is said to be 0.
pub(super) fn extremes(operation: &'static str, raw: &RawArray) -> Result<(i128, i128)> {
    let flat = raw.with_layout(Layout { offset: raw.layout.offset, ..Layout::contiguous(&[raw.size()]) });
    let pair = RawArray::uninitialised(operation, &raw.handle, &[2], raw.dtype)?;
    let backend = &raw.handle.backend;
    let reduce = |kind, offset| {
        let entry = pair.with_layout(Layout { shape: Vec::new(), strides: Vec::new(), offset });
        backend.reduce(kind, flat.view(), &[0], entry.view())
    };
    reduce(ReduceOperation::Max, 1)?;
    let is_signed = raw.dtype.kind() == Kind::Signed;
    if is_signed {
        reduce(ReduceOperation::Min, 0)?;
    }
    let mut bytes = [0; 16];
    let size = raw.dtype.size();
    backend.download(&pair.allocation, 0, &mut bytes[..2 * size])?;
    let number = |bytes: &[u8]| -> i128 {
        let mut word = [0; 16];
        word[..size].copy_from_slice(bytes);
        Scalar::from_bits(raw.dtype, u128::from_ne_bytes(word)).integer().expect("indices are integers")
    };
    let least = if is_signed { number(&bytes[..size]) } else { 0 };
    Ok((least, number(&bytes[size..2 * size])))
}

/// The first of some integers, in row-major order, that is not as it should be.
#[cold]
fn first(raw: &RawArray, is_right: &dyn Fn(i128) -> bool) -> Result<Option<i128>> {
    fn find<T: Element + Into<i128>>(raw: &RawArray, is_right: &dyn Fn(i128) -> bool) -> Result<Option<i128>> {
        Ok(transfer::download_vec::<T>(raw)?.into_iter().map(Into::into).find(|&index| !is_right(index)))
    }
    match raw.dtype {
        DType::I32 => find::<i32>(raw, is_right),
        DType::U32 => find::<u32>(raw, is_right),
        DType::U64 => find::<u64>(raw, is_right),
        _ => find::<i64>(raw, is_right),
    }
}

/// The elements along one axis: a view of an array that has one, or is contiguous; else of a copy.
fn line(operation: &'static str, raw: &RawArray) -> Result<RawArray> {
    if raw.shape().len() == 1 { Ok(raw.clone()) } else { raw.flat(operation) }
}

/// A layout in which an array of indices along `axis` is broadcast to `shape`.
fn along(shape: &[usize], axis: usize, indices: &RawArray) -> RawArray {
    let mut strides = vec![0; shape.len()];
    strides[axis] = 1;
    indices.with_layout(Layout { shape: shape.to_vec(), strides, offset: indices.layout.offset })
}

/// The shape with another one in place of an axis.
fn replaced(shape: &[usize], axis: usize, with: &[usize]) -> Vec<usize> {
    [&shape[..axis], with, &shape[axis + 1..]].concat()
}

/// Where a call is that need not wait until a device has checked what it is given.
pub(crate) type Call = Option<&'static Location<'static>>;

pub(crate) fn take(array: &RawArray, indices: RawIndices) -> Result<RawArray> {
    take_later(array, indices, None)
}

fn take_later(array: &RawArray, indices: RawIndices, call: Call) -> Result<RawArray> {
    let indices = Indices::unchecked("take", indices, &array.handle, None, array.size())?;
    RawArray::written("take", &array.handle, indices.raw.shape(), array.dtype, |out| {
        let target = out.with_layout(Layout::contiguous(&[out.size()]));
        indices.gather(&line("take", array)?, 0, &indices.flat(), &target, call)
    })
}

pub(crate) fn take_axis(array: &RawArray, indices: RawIndices, axis: isize) -> Result<RawArray> {
    take_axis_later(array, indices, axis, None)
}

fn take_axis_later(array: &RawArray, indices: RawIndices, axis: isize, call: Call) -> Result<RawArray> {
    let axis = axis_of("take_axis", array.shape(), axis)?;
    let indices = Indices::unchecked("take_axis", indices, &array.handle, Some(axis), array.shape()[axis])?;
    let shape = replaced(array.shape(), axis, indices.raw.shape());
    let out = RawArray::uninitialised("take_axis", &array.handle, &shape, array.dtype)?;
    if out.size() > 0 {
        let shape = replaced(array.shape(), axis, &[indices.raw.size()]);
        let target = out.with_layout(Layout::contiguous(&shape));
        indices.gather(array, axis, &along(&shape, axis, &indices.flat()), &target, call)?;
    } else {
        indices.check()?;
    }
    Ok(out)
}

/// The parts of an array at positions along an axis, which are known to be in range: i64, 1-D and contiguous.
pub(super) fn parts(operation: &'static str, array: &RawArray, axis: usize, positions: &RawArray) -> Result<RawArray> {
    let shape = replaced(array.shape(), axis, &[positions.size()]);
    RawArray::written(operation, &array.handle, &shape, array.dtype, |out| {
        let indices = along(&shape, axis, positions);
        array.handle.backend.gather(array.view(), axis, indices.view(), out.view())
    })
}

/// The shape of indices, if they have as many axes as the array.
fn same_rank(operation: &'static str, array: &RawArray, indices: &RawIndices) -> Result<Vec<usize>> {
    let shape = match indices {
        RawIndices::Device(raw) => raw.shape(),
        RawIndices::Host { shape, .. } => shape,
    };
    if shape.len() == array.shape().len() {
        return Ok(shape.to_vec());
    }
    let reason = format!(
        "of the indices has a different number of axes than the shape of the array, {:?}; insert axes \
             with `expand_dims`, or use `take_axis` or `put_axis` if the indices are the same along the other axes",
        array.shape()
    );
    Err(Error::shape(operation, shape, reason))
}

pub(super) fn take_along_axis(array: &RawArray, indices: RawIndices, axis: isize) -> Result<RawArray> {
    take_along_axis_later(array, indices, axis, None)
}

fn take_along_axis_later(array: &RawArray, indices: RawIndices, axis: isize, call: Call) -> Result<RawArray> {
    let operation = "take_along_axis";
    let axis = axis_of(operation, array.shape(), axis)?;
    let count = same_rank(operation, array, &indices)?[axis];
    let indices = Indices::unchecked(operation, indices, &array.handle, Some(axis), array.shape()[axis])?;
    // All axes but this one are broadcast.
    let one = |shape: &[usize]| replaced(shape, axis, &[1]);
    let common = shape::broadcast_shapes(operation, &one(array.shape()), &one(indices.raw.shape()))?;
    let out = RawArray::uninitialised(operation, &array.handle, &replaced(&common, axis, &[count]), array.dtype)?;
    if out.size() == 0 {
        indices.check()?;
    } else {
        let broadcast = |raw: &RawArray| {
            let shape = replaced(&common, axis, &[raw.shape()[axis]]);
            raw.with_layout(shape::broadcast_layout(&raw.layout, &shape))
        };
        indices.gather(&broadcast(array), axis, &broadcast(&indices.raw), &out, call)?;
    }
    Ok(out)
}

/// Scatters, if there is anything to write. The values, if an array, broadcast to the indices' shape; the target is written
/// to through a copy if it shares memory with another operand.
pub(super) fn scatter(
    operation: &'static str,
    target: &RawArray,
    axis: usize,
    indices: &RawArray,
    values: RawOperand<'_>,
) -> Result<()> {
    let indices = &apart(operation, indices, target)?;
    let copy = values.array().map(|array| apart(operation, array, target)).transpose()?;
    if indices.size() == 0 {
        return Ok(());
    }
    target.handle.backend.scatter(values.replaced(&copy).view(), axis, indices.view(), target.view())
}

pub(crate) fn put(target: &RawArray, indices: RawIndices, values: RawOperand<'_>) -> Result<()> {
    writable("put", target)?;
    let indices = Indices::new("put", indices, &target.handle, None, target.size())?;
    let count = indices.raw.size();
    let mut fitting = None;
    if let Some(array) = values.array() {
        target.same_device("put", array)?;
        fitting = Some(match array.size() {
            0 => return Ok(()),
            1 => array.with_layout(Layout { shape: vec![count], strides: vec![0], offset: array.layout.offset }),
            size if size == count => line("put", array)?,
            _ => resized("put", array, &[count])?,
        });
    }
    let places = line("put", target)?;
    scatter("put", &places, 0, &indices.flat(), values.replaced(&fitting))?;
    if places.shares_memory(target) { Ok(()) } else { assign("put", target, &reshaped(&places, target.shape())) }
}

/// [`put`] with a meaning of indices that are out of range.
pub(crate) fn put_with(target: &RawArray, indices: RawIndices, values: RawOperand<'_>, outside: Outside) -> Result<()> {
    put(target, within("put", indices, target.size(), outside)?, values)
}

/// The indices, those that an array of so many elements does not have replaced by others. An array without elements has none.
pub(super) fn within(
    operation: &'static str,
    indices: RawIndices,
    length: usize,
    outside: Outside,
) -> Result<RawIndices> {
    if outside == Outside::Refused || length == 0 {
        return Ok(indices);
    }
    let most = length as i64 - 1;
    match indices {
        RawIndices::Host { shape, mut values } => {
            for value in &mut values {
                *value = match outside {
                    Outside::Wrapped => value.rem_euclid(length as i64),
                    _ => (*value).clamp(0, most),
                };
            }
            Ok(RawIndices::Host { shape, values })
        }
        RawIndices::Device(raw) => {
            // These have the length for certain.
            let raw = if raw.dtype == DType::U64 { raw } else { raw.converted(operation, DType::I64)? };
            // Not negative, so its bits are those of each type.
            let by = |kind, raw: &RawArray, number: i64| {
                binary(operation, kind, raw, Scalar::from_bits(raw.dtype, number as u128))
            };
            Ok(RawIndices::Device(match outside {
                Outside::Wrapped => by(BinaryOperation::Modulo, &raw, length as i64)?,
                _ => by(BinaryOperation::Minimum, &by(BinaryOperation::Maximum, &raw, 0)?, most)?,
            }))
        }
    }
}

/// A contiguous array in another shape.
fn reshaped(raw: &RawArray, shape: &[usize]) -> RawArray {
    raw.with_layout(Layout { offset: raw.layout.offset, ..Layout::contiguous(shape) })
}

pub(crate) fn put_axis(target: &RawArray, indices: RawIndices, values: RawOperand<'_>, axis: isize) -> Result<()> {
    let operation = "put_axis";
    writable(operation, target)?;
    let axis = axis_of(operation, target.shape(), axis)?;
    let indices = Indices::new(operation, indices, &target.handle, Some(axis), target.shape()[axis])?;
    let shape = replaced(target.shape(), axis, &[indices.raw.size()]);
    let flat = |array: &RawArray| {
        target.same_device(operation, array)?;
        let whole = replaced(target.shape(), axis, indices.raw.shape());
        // Nothing of that size is made, but its strides must not overflow.
        byte_count(operation, &whole, array.dtype)?;
        let wide = broadcast_to(operation, array, &whole)?;
        if indices.raw.shape().len() == 1 { Ok(wide) } else { Ok(reshaped(&wide.contiguous(operation)?, &shape)) }
    };
    let flat = values.array().map(flat).transpose()?;
    scatter(operation, target, axis, &along(&shape, axis, &indices.flat()), values.replaced(&flat))
}

fn put_along_axis(target: &RawArray, indices: RawIndices, values: RawOperand<'_>, axis: isize) -> Result<()> {
    let operation = "put_along_axis";
    writable(operation, target)?;
    let axis = axis_of(operation, target.shape(), axis)?;
    let count = same_rank(operation, target, &indices)?[axis];
    let indices = Indices::new(operation, indices, &target.handle, Some(axis), target.shape()[axis])?;
    let shape = replaced(target.shape(), axis, &[count]);
    let wide_indices = broadcast_to(operation, &indices.raw, &shape)?;
    let broadcast = |array: &RawArray| {
        target.same_device(operation, array)?;
        broadcast_to(operation, array, &shape)
    };
    let wide = values.array().map(broadcast).transpose()?;
    scatter(operation, target, axis, &wide_indices, values.replaced(&wide))
}

/// Where indices are.
fn handle_of(indices: &RawIndices) -> Result<Handle> {
    match indices {
        RawIndices::Device(raw) => Ok(raw.handle.clone()),
        RawIndices::Host { .. } => device::current(),
    }
}

/// The number of elements of a shape, if positions in it are i64.
fn element_count(operation: &'static str, shape: &[usize]) -> Result<usize> {
    byte_count(operation, shape, DType::U8)?;
    Ok(shape.iter().product())
}

pub(crate) fn ravel_multi_index_raw(indices: Vec<RawIndices>, shape: &[usize]) -> Result<RawArray> {
    let operation = "ravel_multi_index";
    element_count(operation, shape)?;
    if indices.len() != shape.len() || indices.is_empty() {
        let reason = format!(
            "has {} axes, but there are indices for {} axes; give one array of indices for each axis",
            shape.len(),
            indices.len()
        );
        return Err(Error::shape(operation, shape, reason));
    }
    let on_device = indices.iter().find(|indices| matches!(indices, RawIndices::Device(_)));
    let handle = handle_of(on_device.unwrap_or(&indices[0]))?;
    let mut positions: Option<RawArray> = None;
    for (axis, (indices, &length)) in indices.into_iter().zip(shape).enumerate() {
        let places = Indices::new(operation, indices, &handle, Some(axis), length)?.positions(operation, length)?;
        positions = Some(match positions {
            None => places,
            Some(outer) => {
                let rows = binary(operation, BinaryOperation::Multiply, &outer, Scalar::I64(length as i64))?;
                binary(operation, BinaryOperation::Add, &rows, &places)?
            }
        });
    }
    Ok(positions.expect("there is one axis at least"))
}

fn unravel_index_raw(indices: RawIndices, shape: &[usize]) -> Result<Vec<RawArray>> {
    let operation = "unravel_index";
    let count = element_count(operation, shape)?;
    let handle = handle_of(&indices)?;
    let positions = Indices::new(operation, indices, &handle, None, count)?.positions(operation, count)?;
    if shape.len() == 1 {
        return Ok(vec![positions]);
    }
    unravelled(operation, &positions, shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn indices_are_checked_while_elements_are_taken() {
        let length = 10_000;
        let a = crate::arange(length);
        let mut indices: Vec<i64> = (0..100_000).map(|number| number * 7919 % (2 * length) - length).collect();
        let places: Vec<i64> = indices.iter().map(|&index| index.rem_euclid(length)).collect();
        assert_eq!(a.take(&crate::array(&indices)).tolist(), places);
        assert_eq!(crate::take_along_axis(&a, &crate::array(&indices), 0).tolist(), places);
        for (at, wrong) in [(99_999, length), (50_000, -length - 1), (7, i64::MIN)] {
            indices[at] = wrong;
            let on_device = crate::array(&indices);
            for taken in [a.try_take(&on_device), a.try_take_axis(&on_device, 0)] {
                let Error::IndexOutOfRange { index, .. } = taken.map(drop).unwrap_err() else {
                    panic!("another error")
                };
                assert_eq!(index, wrong.into());
            }
        }
        assert!(a.try_take_axis(crate::array(&[0u32, 10_000]), 0).is_err());
        let nothing = crate::zeros::<f32>((0, 3));
        assert!(nothing.try_take(crate::array(&[0i64])).is_err());
        assert!(nothing.try_take_axis(crate::array(&[3i64]), 1).is_err());
        assert_eq!(nothing.take_axis(crate::array(&[2i64, -3]), 1).shape(), [0, 2]);
    }

    #[test]
    fn the_first_index_out_of_range_is_named_before_anything_is_written() {
        let mut a = crate::zeros::<f64>((3, 4));
        let indices = crate::array(&[0i64, 5, -13, 12, 11]);
        let text = |error: Result<()>| error.unwrap_err().to_string();
        expect!["put: the index -13 is out of range for an array of 12 elements; indices go from -12 to 11"]
            .assert_eq(&text(a.try_put(&indices, 1.0)));
        expect!["put: the index 12 is out of range for an array of 12 elements; indices go from -12 to 11"]
            .assert_eq(&text(a.try_put([1, 12], 1.0)));
        expect!["put_axis: the index 3 is out of range for axis 0 of length 3; indices go from -3 to 2"]
            .assert_eq(&text(a.try_put_axis(crate::array(&[0u32, 3]), 1.0, 0)));
        assert_eq!(a.sum(), 0.0);
        let taken = a.try_take_axis(crate::array(&[u64::MAX]), -1).map(drop);
        expect![
            "take_axis: the index 18446744073709551615 is out of range for axis 1 of length 4; indices go from -4 to 3"
        ]
        .assert_eq(&text(taken));
        let empty = crate::zeros::<f64>((0, 4)).try_take_axis([0], 0).map(drop);
        expect!["take_axis: the index 0 is out of range for axis 0, which has no elements"].assert_eq(&text(empty));
        assert_eq!(crate::zeros::<f64>((0, 4)).take_axis(0..0, 0).shape(), [0, 4]);
    }

    #[test]
    fn values_that_do_not_fit_are_named() {
        let mut a = crate::zeros::<f64>((3, 4));
        let text = |error: Result<()>| error.unwrap_err().to_string();
        assert!(text(a.try_put_axis([0, 1], crate::zeros::<f64>((2, 3)), 0)).contains("do not broadcast"));
        let mut view = crate::zeros::<f64>(1).broadcast_to(3);
        assert!(text(view.try_put([0], 1.0)).contains("broadcast view"));
    }

    #[test]
    fn values_are_repeated_or_cut() {
        let of = |write: &dyn Fn(&mut DeviceArray<i64>)| {
            let mut a = crate::zeros::<i64>((2, 3));
            write(&mut a);
            a.ravel().tolist()
        };
        let values = crate::array(&[[1i64, 2]]);
        assert_eq!(of(&|a| a.put([5, 4, 3], &values)), [0, 0, 0, 1, 2, 1]);
        assert_eq!(of(&|a| a.put([5], &values)), [0, 0, 0, 0, 0, 1]);
        assert_eq!(of(&|a| a.put(&ndarray::arr2(&[[0, 1], [2, 3]]), &values.t())), [1, 2, 1, 2, 0, 0]);
        assert_eq!(of(&|a| a.put([5, 4], crate::array(&[7i64]))), [0, 0, 0, 0, 7, 7]);
        assert_eq!(of(&|a| a.put([5, 4], crate::zeros::<i64>(0))), [0; 6]);
        assert_eq!(of(&|a| a.put(0..0, &values)), [0; 6]);
        assert!(crate::zeros::<i64>(3).try_put([7], crate::zeros::<i64>(0)).is_err());
        // What an index out of range stands for.
        let indices = crate::array(&[7i64, -1, -9]);
        assert_eq!(of(&|a| crate::keywords::put_wrapped(a, &indices, &values)), [0, 1, 0, 1, 0, 2]);
        assert_eq!(of(&|a| crate::keywords::put_wrapped(a, [7, -1, -9], &values)), [0, 1, 0, 1, 0, 2]);
        assert_eq!(of(&|a| crate::keywords::put_clipped(a, &indices.astype::<i32>(), 5)), [5, 0, 0, 0, 0, 5]);
        assert_eq!(of(&|a| crate::keywords::put_clipped(a, [7, -1, -9], 5)), [5, 0, 0, 0, 0, 5]);
        assert_eq!(of(&|a| crate::keywords::put_wrapped(a, crate::array(&[u64::MAX]), 5)), [0, 0, 0, 5, 0, 0]);
        assert_eq!(of(&|a| crate::keywords::put_clipped(a, crate::array(&[u64::MAX]), 5)), [0, 0, 0, 0, 0, 5]);
        let empty = crate::zeros::<i64>(0);
        let first = RawIndices::Host { shape: Vec::new(), values: vec![0] };
        let error = put_with(&empty.raw, first, RawOperand::Scalar(Scalar::I64(1)), Outside::Clipped).unwrap_err();
        assert!(error.to_string().contains("an array that has no elements"));
    }

    #[test]
    fn the_last_of_repeated_indices_wins() {
        let (n, m) = (1000, 300_000);
        let indices = crate::asarray(&(0..m).map(|i: i64| i * 7919 % n - n / 2).collect::<Vec<i64>>());
        let values = crate::arange(m);
        let mut last = vec![0i64; n as usize];
        for (index, value) in indices.to_host().iter().zip(0..) {
            last[index.rem_euclid(n) as usize] = value;
        }
        let mut a = crate::zeros::<i64>(n as usize);
        a.put(&indices, &values);
        assert_eq!(a.to_host(), ndarray::arr1(&last).into_dyn());
        // Rows, columns, and an index for each element.
        let mut rows = crate::zeros::<i64>((n as usize, 3));
        rows.put_axis(&indices, values.expand_dims(1), 0);
        let mut columns = crate::zeros::<i64>((3, n as usize));
        columns.put_axis(&indices, &values, 1);
        let mut elements = crate::zeros::<i64>((n as usize, 3));
        elements.put_along_axis(indices.expand_dims(1), values.expand_dims(1), 0);
        for column in 0..3 {
            let column = ndarray::s![.., column];
            assert_eq!(rows.to_host_as::<ndarray::Ix2>().slice(column), ndarray::aview1(&last));
            assert_eq!(columns.t().to_host_as::<ndarray::Ix2>().slice(column), ndarray::aview1(&last));
            assert_eq!(elements.to_host_as::<ndarray::Ix2>().slice(column), ndarray::aview1(&last));
        }
    }

    #[test]
    fn writing_through_views_and_from_the_array_itself() {
        let base = crate::arange(12).reshape((3, 4));
        let mut columns = base.t();
        columns.put([0, 1], -1); // a[0, 0] and a[1, 0]
        assert_eq!((base.get(&[0, 0]), base.get(&[1, 0]), base.get(&[0, 1])), (-1, -1, 1));
        let mut every_other = base.slice(ndarray::s![0, ..;-2]);
        every_other.put([0], 30);
        assert_eq!(base.get(&[0, 3]), 30);
        let mut a = crate::arange(4i64);
        a.put(a.clone(), a.slice(ndarray::s![..;-1]));
        assert_eq!(a.to_host(), ndarray::arr1(&[3i64, 2, 1, 0]).into_dyn());
    }
}
