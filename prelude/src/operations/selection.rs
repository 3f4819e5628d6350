//! Choosing elements by bools: `where_`, masks, and the places of elements that are not zero.

use crate::array::view::{assign, broadcast_to};
use crate::array::{DeviceArray, RawArray, shape, writable};
use crate::backend::{self, BinaryOperation, Layout};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::elementwise::{Operand, RawOperand, binary};

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

        /// Sets the elements where the mask is true: to one value, or each to the one at its place in an array that
        /// broadcasts to this shape. Writes to the array that this is a view of, too.
        ///
        /// NumPy's `a[mask] = value`, and `copyto(a, values, where=mask)` for an array. The mask has the array's shape,
        /// or that of its leading axes, for whole rows. Values that follow one another, one for each true element, are
        /// written by [`place`](Self::place).
        ///
        /// **Panics** if the mask has another shape ([`Error::InvalidShape`]), the values do not broadcast
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
            putmask(&self.raw, &mask.raw, values.raw_operand())
        }
    }

    /// Sets the elements where the mask is true to the values, one after the other. NumPy's `a[mask] = values` with an array,
    /// where there must be as many values as true elements. (NumPy's `place` also takes more or fewer.) Waits for the device.
    ///
    /// **Panics** if the mask has another shape than the array, there are more or fewer values ([`Error::InvalidShape`]), a
    /// device differs, or if this is a view made by [`broadcast_to`](Self::broadcast_to).
    ///
    /// ```
    /// let mut a = warpcell::array(&[-1, 5, -2]);
    /// a.place(&a.lt(0), &warpcell::array(&[10, 20]));
    /// assert_eq!(a.to_host(), ndarray::arr1(&[10, 5, 20]).into_dyn());
    /// ```
    #[track_caller]
    pub fn place(&mut self, mask: &DeviceArray<bool>, values: &DeviceArray<T>) {
        check(place(&self.raw, &mask.raw, &values.raw))
    }

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
    #[track_caller]
    pub fn nonzero(&self) -> Vec<DeviceArray<i64>> {
        check(nonzero("nonzero", &self.raw)).into_iter().map(DeviceArray::from_raw).collect()
    }

    /// Where the elements of the flattened array are that are not zero; NumPy's `flatnonzero`. Waits for the device.
    ///
    /// ```
    /// let a = warpcell::array(&[[0.0, 3.0], [f64::NAN, 0.0]]);
    /// assert_eq!(a.flatnonzero().to_host(), ndarray::arr1(&[1, 2]).into_dyn());
    /// ```
    #[track_caller]
    pub fn flatnonzero(&self) -> DeviceArray<i64> {
        DeviceArray::from_raw(check(flat_positions("flatnonzero", &self.raw)))
    }

    /// The index of each element that is not zero, a row each; NumPy's `argwhere`. Waits for the device.
    ///
    /// ```
    /// let a = warpcell::array(&[[0, 3], [5, 0]]);
    /// assert_eq!(a.argwhere().to_host(), ndarray::arr2(&[[0, 1], [1, 0]]).into_dyn());
    /// ```
    #[track_caller]
    pub fn argwhere(&self) -> DeviceArray<i64> {
        DeviceArray::from_raw(check(argwhere(&self.raw)))
    }
}

pub(crate) fn choose(condition: &RawArray, a: RawOperand<'_>, b: RawOperand<'_>) -> Result<RawArray> {
    let mut shape = condition.shape().to_vec();
    for operand in [a, b] {
        if let RawOperand::Array(array) = operand {
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
    let arrays = [a, b].map(|operand| match operand {
        RawOperand::Array(array) => (Some(wide(array)), Scalar::Bool(false)),
        RawOperand::Scalar(value) => (None, value),
    });
    let [a, b] = arrays.each_ref().map(|(array, value)| match array {
        Some(array) => backend::Operand::Array(array.view()),
        None => backend::Operand::Scalar(*value),
    });
    out.handle.backend.where_(condition.view(), a, b, out.view())
}

/// How many of the array's leading axes the mask has; it has no other.
fn leading_axes(operation: &'static str, array: &RawArray, mask: &RawArray) -> Result<usize> {
    array.same_device(operation, mask)?;
    let (shape, rank) = (array.shape(), mask.shape().len());
    if shape.get(..rank) != Some(mask.shape()) {
        return Err(Error::InvalidShape {
            operation,
            shape: mask.shape().to_vec(),
            reason: format!(
                "of the mask is neither the shape of the array, {shape:?}, nor the shape of its leading axes; make the \
                 mask from the array itself, such as `a.gt(0.0)`, or broadcast it first with `broadcast_to`"
            ),
        });
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
    let out = RawArray::uninitialised("extract", &array.handle, &shape, array.dtype)?;
    if out.size() > 0 {
        let array = array.contiguous("extract")?;
        let mut rows = vec![taken];
        rows.extend_from_slice(rest);
        let rows = array.with_layout(Layout { offset: array.layout.offset, ..Layout::contiguous(&rows) });
        let mut strides = vec![0; shape.len()];
        strides[0] = 1;
        let indices = places.with_layout(Layout { shape, strides, offset: 0 });
        array.handle.backend.gather(rows.view(), 0, indices.view(), out.view())?;
    }
    Ok(out)
}

/// The positions of the true elements of a mask as i64, or the elements of an array of its shape there.
pub(super) fn compressed(operation: &'static str, mask: &RawArray, source: Option<&RawArray>) -> Result<RawArray> {
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
    let copy;
    let values = match values {
        RawOperand::Array(array) => {
            target.same_device("putmask", array)?;
            copy = apart("putmask", &broadcast_to("putmask", array, target.shape())?, target)?;
            RawOperand::Array(&copy)
        }
        value => value,
    };
    select(&mask, values, RawOperand::Array(target), target)
}

pub(crate) fn place(target: &RawArray, mask: &RawArray, values: &RawArray) -> Result<()> {
    writable("place", target)?;
    target.same_device("place", mask)?;
    target.same_device("place", values)?;
    if mask.shape() != target.shape() {
        return Err(Error::InvalidShape {
            operation: "place",
            shape: mask.shape().to_vec(),
            reason: format!(
                "of the mask differs from the shape of the array, {:?}; make the mask from the array itself",
                target.shape()
            ),
        });
    }
    let places = compressed("place", mask, None)?;
    if places.size() != values.size() {
        return Err(Error::InvalidShape {
            operation: "place",
            shape: values.shape().to_vec(),
            reason: format!(
                "has {} values for {} true elements of the mask; give one value for each, or use `putmask`, which \
                 takes an array of values with the shape of the array",
                values.size(),
                places.size()
            ),
        });
    }
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
        return Err(Error::InvalidShape {
            operation,
            shape: Vec::new(),
            reason: "has no axes, but indices need at least one; add one with `expand_dims`, or use `flatnonzero`"
                .into(),
        });
    }
    unravelled(operation, &flat_positions(operation, array)?, array.shape())
}

/// The indices along each axis of a shape to which positions in the flattened array belong: i64, none negative.
pub(super) fn unravelled(operation: &'static str, positions: &RawArray, shape: &[usize]) -> Result<Vec<RawArray>> {
    let by = |kind, array: &RawArray, number: usize| {
        let number = RawOperand::Scalar(Scalar::I64(number as i64));
        binary(operation, kind, RawOperand::Array(array), number)
    };
    let mut rest = positions.clone();
    let mut found = Vec::with_capacity(shape.len());
    for &length in shape.iter().skip(1).rev() {
        found.push(by(BinaryOperation::Remainder, &rest, length)?);
        rest = by(BinaryOperation::Divide, &rest, length)?;
    }
    if !shape.is_empty() {
        found.push(rest);
    }
    found.reverse();
    Ok(found)
}

fn argwhere(array: &RawArray) -> Result<RawArray> {
    let positions = flat_positions("argwhere", array)?;
    let columns = unravelled("argwhere", &positions, array.shape())?;
    let out = RawArray::uninitialised("argwhere", &array.handle, &[positions.size(), columns.len()], DType::I64)?;
    for (axis, column) in columns.iter().enumerate() {
        let (shape, strides) = (vec![positions.size()], vec![columns.len() as isize]);
        assign("argwhere", &out.with_layout(Layout { shape, strides, offset: axis }), column)?;
    }
    Ok(out)
}
