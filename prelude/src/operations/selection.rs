//! Choosing elements by bools: `where_`, masks, and the places of elements that are not zero.

use crate::array::view::{assign, broadcast_to};
use crate::array::{DeviceArray, RawArray, shape, writable};
use crate::backend::{self, BinaryOperation, Layout};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::elementwise::{Operand, RawOperand};
use crate::operations::insertion::resized;
use crate::thin::thin;

fallible! {
    /// The elements of `a` where the condition holds, else those of `b`; all three are broadcast. Either of the two may
    /// be one value for all. NumPy's `where(condition, a, b)`; what `where(condition)` gives is
    /// [`nonzero`](DeviceArray::nonzero).
    ///
    /// **Panics** if the shapes do not broadcast ([`Error::ShapeMismatch`]) or the devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[-1.5, 0.5, 2.0]);
    /// assert_eq!(gpu::where_(&a.gt(0.0), &a, 0.0).to_host(), ndarray::arr1(&[0.0, 0.5, 2.0]).into_dyn());
    /// assert_eq!(gpu::where_(&a.lt(0.0), -1, 1).sum(), 1i64);
    /// ```
    pub fn where_, try_where<T: Element>(
        condition: &DeviceArray<bool>,
        a: impl Operand<T>,
        b: impl Operand<T>,
    ) -> Result<DeviceArray<T>> {
        choose(&condition.raw, a.raw_operand(), b.raw_operand()).map(DeviceArray::from_raw)
    }
}

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// The elements where the mask is true, in row-major order; 1-D. NumPy's `a[mask]` and `extract(mask, a)`.
        ///
        /// The mask has the array's shape, or, as in `a[mask]`, that of its leading axes: then whole rows are taken.
        /// The device is waited for, since only it knows how many there are.
        ///
        /// **Panics** if the mask has another shape ([`Error::InvalidShape`]) or is on another device.
        ///
        /// ```
        /// let a = warpcell::array(&[[1, -2], [-3, 4], [5, 6]]);
        /// assert_eq!(a.extract(&a.gt(0)).to_host(), ndarray::arr1(&[1, 4, 5, 6]).into_dyn());
        /// let rows = a.extract(&warpcell::array(&[true, false, true]));
        /// assert_eq!(rows.to_host(), ndarray::arr2(&[[1, -2], [5, 6]]).into_dyn());
        /// ```
        pub fn extract, try_extract(&self, mask: &DeviceArray<bool>) -> Result<DeviceArray<T>> {
            extract(&self.raw, &mask.raw).map(DeviceArray::from_raw)
        }

        /// Sets the elements where the mask is true: to one value, or each to the one at its place in an array of values.
        /// Writes to the array that this is a view of, too.
        ///
        /// NumPy's `putmask`, and `a[mask] = value`. The mask has as many elements as the array. Values of another shape
        /// are repeated, or cut, in row-major order, until there is one for each element of the array; without values
        /// nothing changes. [`copyto`](fn@crate::copyto) broadcasts them instead, and [`place`](Self::place) takes
        /// values that follow one another, one for each true element. The mask may also have the shape of the array's
        /// leading axes, for whole rows: then the values broadcast.
        ///
        /// **Panics** if the mask does not fit ([`Error::InvalidShape`]), the values for whole rows do not broadcast
        /// ([`Error::ShapeMismatch`]), a device differs, or if this is a view made by
        /// [`broadcast_to`](Self::broadcast_to).
        ///
        /// ```
        /// let mut a = warpcell::array(&[3.0, f64::NAN, 5.0]);
        /// a.putmask(&a.is_nan(), 0.0);
        /// assert_eq!(a.sum(), 8.0);
        /// a.putmask(&a.gt(2.0), &warpcell::array(&[10.0, 20.0, 30.0]));
        /// assert_eq!(a.to_host(), ndarray::arr1(&[10.0, 0.0, 30.0]).into_dyn());
        /// ```
        pub fn putmask, try_putmask(&mut self, mask: &DeviceArray<bool>, values: impl Operand<T>) -> Result<()> {
            putmask_repeated(&self.raw, &mask.raw, values.raw_operand())
        }

        /// Sets the elements where the mask is true to the values, one after the other. NumPy's `place`: if there are fewer
        /// values than true elements, they are repeated; if there are more, the last ones are not used. Waits for the
        /// device.
        ///
        /// **Panics** if the mask has another number of elements than the array, or there is no value for a true element
        /// ([`Error::InvalidShape`]), a device differs, or if this is a view made by
        /// [`broadcast_to`](Self::broadcast_to).
        ///
        /// ```
        /// let mut a = warpcell::array(&[-1, 5, -2, -3]);
        /// a.place(&a.lt(0), &warpcell::array(&[10, 20]));
        /// assert_eq!(a.to_host(), ndarray::arr1(&[10, 5, 20, 10]).into_dyn());
        /// ```
        pub fn place, try_place(&mut self, mask: &DeviceArray<bool>, values: impl Operand<T>) -> Result<()> {
            match values.raw_operand() {
                RawOperand::Array(values) => place_repeated(&self.raw, &mask.raw, values),
                RawOperand::Scalar(value) => {
                    place_repeated(&self.raw, &mask.raw, &RawArray::filled("place", &self.raw.handle, &[1], value)?)
                }
            }
        }
    }

    thin! {
        /// Where the elements are that are not zero (NaN is not): for each axis, an array of their indices along it, in row-major
        /// order. NumPy's `nonzero`, and `where(condition)` for bools. Waits for the device, to know how many there are.
        ///
        /// **Panics** if the array has no axes ([`Error::InvalidShape`]).
        ///
        /// ```
        /// let a = warpcell::array(&[[0, 3], [5, 0]]);
        /// let places = a.nonzero();
        /// assert_eq!(places[0].to_host(), ndarray::arr1(&[0, 1]).into_dyn());
        /// assert_eq!(places[1].to_host(), ndarray::arr1(&[1, 0]).into_dyn());
        /// ```
        pub fn nonzero(&self) -> Vec<DeviceArray<i64>> => nonzero("nonzero", &self.raw);

        /// Where the elements of the flattened array are that are not zero; NumPy's `flatnonzero`. Waits for the device.
        ///
        /// ```
        /// let a = warpcell::array(&[[0.0, 3.0], [f64::NAN, 0.0]]);
        /// assert_eq!(a.flatnonzero().to_host(), ndarray::arr1(&[1, 2]).into_dyn());
        /// ```
        pub fn flatnonzero(&self) -> DeviceArray<i64> => flat_positions("flatnonzero", &self.raw);

        /// The index of each element that is not zero, a row each; NumPy's `argwhere`. Waits for the device.
        ///
        /// ```
        /// let a = warpcell::array(&[[0, 3], [5, 0]]);
        /// assert_eq!(a.argwhere().to_host(), ndarray::arr2(&[[0, 1], [1, 0]]).into_dyn());
        /// ```
        pub fn argwhere(&self) -> DeviceArray<i64> => argwhere(&self.raw);
    }
}

pub(crate) fn choose<'a>(
    condition: &RawArray,
    a: impl Into<RawOperand<'a>>,
    b: impl Into<RawOperand<'a>>,
) -> Result<RawArray> {
    let (a, b) = (a.into(), b.into());
    let mut shape = condition.shape().to_vec();
    for operand in [a, b] {
        if let Some(array) = operand.array() {
            condition.same_device("where_", array)?;
            shape = shape::broadcast_shapes("where_", &shape, array.shape())?;
        }
    }
    let out = RawArray::uninitialised("where_", &condition.handle, &shape, a.dtype())?;
    select(condition, a, b, &out)?;
    Ok(out)
}

/// Writes to `out`, to whose shape the others broadcast.
pub(super) fn select(condition: &RawArray, a: RawOperand<'_>, b: RawOperand<'_>, out: &RawArray) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let wide = |array: &RawArray| array.with_layout(shape::broadcast_layout(&array.layout, out.shape()));
    let condition = wide(condition);
    let (wide_a, wide_b) = (a.array().map(wide), b.array().map(wide));
    let (a, b) = (a.replaced(&wide_a).view(), b.replaced(&wide_b).view());
    out.handle.backend.where_(condition.view(), a, b, out.view())
}

/// How many of the array's leading axes the mask has; it has no other.
fn leading_axes(operation: &'static str, array: &RawArray, mask: &RawArray) -> Result<usize> {
    array.same_device(operation, mask)?;
    let (shape, rank) = (array.shape(), mask.shape().len());
    if shape.get(..rank) != Some(mask.shape()) {
        let reason = format!(
            "of the mask is neither the shape of the array, {shape:?}, nor the shape of its leading axes; make the \
                 mask from the array itself, such as `a.gt(0.0)`, or broadcast it first with `broadcast_to`"
        );
        return Err(Error::shape(operation, mask.shape(), reason));
    }
    Ok(rank)
}

pub(crate) fn extract(array: &RawArray, mask: &RawArray) -> Result<RawArray> {
    let leading = leading_axes("extract", array, mask)?;
    if leading == array.shape().len() {
        return compressed("extract", mask, Some(array));
    }
    let places = compressed("extract", mask, None)?;
    let (taken, rest) = (mask.size(), &array.shape()[leading..]);
    let mut shape = vec![places.size()];
    shape.extend_from_slice(rest);
    RawArray::written("extract", &array.handle, &shape, array.dtype, |out| {
        let array = array.contiguous("extract")?;
        let mut rows = vec![taken];
        rows.extend_from_slice(rest);
        let rows = array.with_layout(Layout { offset: array.layout.offset, ..Layout::contiguous(&rows) });
        let mut strides = vec![0; shape.len()];
        strides[0] = 1;
        let indices = places.with_layout(Layout { shape: shape.clone(), strides, offset: 0 });
        array.handle.backend.gather(rows.view(), 0, indices.view(), out.view())
    })
}

/// The positions of the true elements of a mask as i64, or the elements of an array of its shape there.
pub(crate) fn compressed(operation: &'static str, mask: &RawArray, source: Option<&RawArray>) -> Result<RawArray> {
    mask.handle.may_wait(operation)?;
    let mask = mask.contiguous(operation)?;
    let source = source.map(|source| source.contiguous(operation)).transpose()?;
    let (allocation, count) = mask.handle.backend.compress(mask.view(), source.as_ref().map(RawArray::view))?;
    let dtype = source.map_or(DType::I64, |source| source.dtype);
    Ok(RawArray { handle: mask.handle, allocation, layout: Layout::contiguous(&[count]), dtype })
}

/// The array, or a copy of it if it shares memory with the target.
pub(super) fn apart(operation: &'static str, array: &RawArray, target: &RawArray) -> Result<RawArray> {
    if array.shares_memory(target) { array.copied(operation) } else { Ok(array.clone()) }
}

pub(crate) fn putmask(target: &RawArray, mask: &RawArray, values: RawOperand<'_>) -> Result<()> {
    writable("putmask", target)?;
    leading_axes("putmask", target, mask)?;
    let mut mask = apart("putmask", mask, target)?;
    mask.layout.shape.resize(target.shape().len(), 1);
    mask.layout.strides.resize(target.shape().len(), 0);
    let fitting = |array: &RawArray| {
        target.same_device("putmask", array)?;
        apart("putmask", &broadcast_to("putmask", array, target.shape())?, target)
    };
    let copy = values.array().map(fitting).transpose()?;
    select(&mask, values.replaced(&copy), target.into(), target)
}

/// The mask in the shape of the array, if it has as many elements.
fn reshaped_mask(operation: &'static str, target: &RawArray, mask: &RawArray) -> Result<RawArray> {
    if mask.shape() == target.shape() {
        return Ok(mask.clone());
    }
    let mask = mask.contiguous(operation)?;
    Ok(mask.with_layout(Layout { offset: mask.layout.offset, ..Layout::contiguous(target.shape()) }))
}

/// NumPy's `putmask`: values of another shape are repeated.
fn putmask_repeated(target: &RawArray, mask: &RawArray, values: RawOperand<'_>) -> Result<()> {
    const NAME: &str = "putmask";
    let RawOperand::Array(array) = values else { return putmask(target, mask, values) };
    writable(NAME, target)?;
    if mask.size() != target.size() {
        return putmask(target, mask, values);
    }
    target.same_device(NAME, mask)?;
    target.same_device(NAME, array)?;
    let mask = reshaped_mask(NAME, target, mask)?;
    if array.size() == 0 {
        return Ok(());
    }
    // Axes of length 1 in front do not count. What is then the end of the shape is repeated by broadcasting.
    let ones = array.shape().iter().take_while(|&&length| length == 1).count();
    let repeated = if target.shape().ends_with(&array.shape()[ones..]) {
        let Layout { shape, strides, offset } = &array.layout;
        array.with_layout(Layout { shape: shape[ones..].to_vec(), strides: strides[ones..].to_vec(), offset: *offset })
    } else {
        resized(NAME, array, target.shape())?
    };
    putmask(target, &mask, RawOperand::Array(&repeated))
}

/// NumPy's `place`: too few values are repeated, and too many are cut.
fn place_repeated(target: &RawArray, mask: &RawArray, values: &RawArray) -> Result<()> {
    const NAME: &str = "place";
    writable(NAME, target)?;
    target.same_device(NAME, mask)?;
    target.same_device(NAME, values)?;
    if mask.size() != target.size() {
        let reason = format!(
            "of the mask does not have the {} elements of the array's shape, {:?}; make the mask from the array itself",
            target.size(),
            target.shape()
        );
        return Err(Error::shape(NAME, mask.shape(), reason));
    }
    let places = compressed(NAME, &reshaped_mask(NAME, target, mask)?, None)?;
    if places.size() == 0 {
        return Ok(());
    }
    if values.size() == 0 {
        let reason = format!("has no values for {} true elements of the mask; give one value at least", places.size());
        return Err(Error::shape(NAME, values.shape(), reason));
    }
    place_at(target, &places, &resized(NAME, values, &[places.size()])?)
}

/// Sets the elements where the mask is true; there must be a value for each.
pub(crate) fn place(target: &RawArray, mask: &RawArray, values: &RawArray) -> Result<()> {
    writable("place", target)?;
    target.same_device("place", mask)?;
    target.same_device("place", values)?;
    if mask.shape() != target.shape() {
        let reason = format!(
            "of the mask differs from the shape of the array, {:?}; make the mask from the array itself",
            target.shape()
        );
        return Err(Error::shape("place", mask.shape(), reason));
    }
    let places = compressed("place", mask, None)?;
    if places.size() != values.size() {
        let reason = format!(
            "has {} values for {} true elements of the mask; give one value for each, or use `putmask`, which \
                 takes an array of values with the shape of the array",
            values.size(),
            places.size()
        );
        return Err(Error::shape("place", values.shape(), reason));
    }
    place_at(target, &places, values)
}

/// Sets the elements at positions of the flattened array to as many values.
fn place_at(target: &RawArray, places: &RawArray, values: &RawArray) -> Result<()> {
    if places.size() == 0 {
        return Ok(());
    }
    let values = apart("place", values, target)?.contiguous("place")?;
    let values = values.with_layout(Layout { offset: values.layout.offset, ..Layout::contiguous(&[places.size()]) });
    let flat = target.contiguous("place")?;
    let line = flat.with_layout(Layout { offset: flat.layout.offset, ..Layout::contiguous(&[flat.size()]) });
    target.handle.backend.scatter(backend::Operand::Array(values.view()), 0, places.view(), line.view())?;
    if flat.shares_memory(target) { Ok(()) } else { assign("place", target, &flat) }
}

/// The positions of the elements of the flattened array that are not zero.
pub(crate) fn flat_positions(operation: &'static str, array: &RawArray) -> Result<RawArray> {
    let truths = if array.dtype == DType::Bool {
        array.contiguous(operation)?
    } else {
        array.converted(operation, DType::Bool)?
    };
    compressed(operation, &truths, None)
}

fn nonzero(operation: &'static str, array: &RawArray) -> Result<Vec<RawArray>> {
    if array.shape().is_empty() {
        let reason = "has no axes, but indices need at least one; add one with `expand_dims`, or use `flatnonzero`";
        return Err(Error::shape(operation, Vec::new(), reason));
    }
    unravelled(operation, &flat_positions(operation, array)?, array.shape())
}

/// The indices along each axis of a shape to which positions in the flattened array belong: i64, none negative.
pub(crate) fn unravelled(operation: &'static str, positions: &RawArray, shape: &[usize]) -> Result<Vec<RawArray>> {
    let new = |_| RawArray::uninitialised(operation, &positions.handle, positions.shape(), DType::I64);
    let columns = (0..shape.len()).map(new).collect::<Result<Vec<RawArray>>>()?;
    unravel_into(operation, &columns, positions, shape)?;
    Ok(columns)
}

/// As [`unravelled`], into an array for each axis, which is of the shape of the positions.
fn unravel_into(operation: &'static str, columns: &[RawArray], positions: &RawArray, shape: &[usize]) -> Result<()> {
    if positions.size() == 0 {
        return Ok(());
    }
    let backend = &positions.handle.backend;
    let mut rest = positions.clone();
    for (axis, (column, &length)) in columns.iter().zip(shape).enumerate().rev() {
        if axis == 0 {
            return backend.copy(rest.view(), column.view());
        }
        let by = backend::Operand::Scalar(Scalar::I64(length as i64));
        backend.binary(BinaryOperation::Remainder, backend::Operand::Array(rest.view()), by, column.view())?;
        // The column of the first axis takes the last quotient.
        let quotient = match axis {
            1 => columns[0].clone(),
            _ => RawArray::uninitialised(operation, &rest.handle, rest.shape(), DType::I64)?,
        };
        backend.binary(BinaryOperation::Divide, backend::Operand::Array(rest.view()), by, quotient.view())?;
        if axis == 1 {
            break;
        }
        rest = quotient;
    }
    Ok(())
}

fn argwhere(array: &RawArray) -> Result<RawArray> {
    let positions = flat_positions("argwhere", array)?;
    let rank = array.shape().len();
    let out = RawArray::uninitialised("argwhere", &array.handle, &[positions.size(), rank], DType::I64)?;
    let column = |axis| {
        let (shape, strides) = (vec![positions.size()], vec![rank as isize]);
        out.with_layout(Layout { shape, strides, offset: axis })
    };
    let columns: Vec<RawArray> = (0..rank).map(column).collect();
    unravel_into("argwhere", &columns, &positions, array.shape())?;
    Ok(out)
}
