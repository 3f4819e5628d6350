//! Arrays on a device: [`DeviceArray`], a thin typed shell, over the non-generic [`RawArray`].
//!
//! Cells are compiled at each execution, so what is generic here is compiled over and over: public generic functions
//! only convert their arguments and call a function over [`RawArray`].

pub(crate) mod axes;
mod complex;
pub(crate) mod conversions;
pub(crate) mod create;
pub(crate) mod dimensions;
mod display;
pub(crate) mod grids;
pub(crate) mod html;
pub(crate) mod indices;
mod like;
mod manipulate;
mod ndindex;
mod objects;
mod operators;
pub(crate) mod ownership;
pub(crate) mod padding;
pub mod pieces;
mod pinned;
mod print_options;
mod range;
mod rows;
pub mod set;
pub(crate) mod shape;
pub(crate) mod sides;
pub(crate) mod spacing;
mod splitting;
mod strides;
pub(crate) mod transfer;
pub(crate) mod triangles;
pub(crate) mod view;

pub use axes::IntoAxes;
pub use complex::real_if_close;
pub(crate) use complex::reals_if_close;
pub use create::{
    arange, array, asarray, asarray_chkfinite, empty, eye, frombuffer, fromiter, full, linspace, meshgrid, ones, tile,
    try_arange, try_array, try_asarray, try_asarray_chkfinite, try_empty, try_fromiter, try_full, try_linspace,
    try_ones, try_tile, try_zeros, zeros,
};
pub(crate) use create::{arange_length, bad_range};
pub use dimensions::{
    ascontiguousarray, asfortranarray, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, fliplr, flipud,
    matrix_transpose, rollaxis, rot90, sliding_window_view,
};
pub(crate) use display::{copy_of_shown, with_gap};
pub use grids::{fromfunction, indices, mgrid, ogrid};
pub use indices::{Index, IntoIndices};
pub use like::{empty_like, full_like, ones_like, zeros_like};
pub use manipulate::{
    column_stack, concatenate, dstack, flip, hstack, repeat, roll, split, stack, try_concatenate, try_stack, vstack,
};
pub(crate) use manipulate::{expanded, join, repeated, rolled, stacked, with_rank};
pub use ndindex::{IndexedShape, NdIndex, ndindex};
pub use objects::{Object, iscomplexobj, isrealobj, isscalar};
pub use ownership::IntoDevice;
pub use padding::{IntoPadValues, IntoPadding, Pad, pad};
pub use pinned::{
    HostTarget, PinnedArray, empty_pinned, try_empty_pinned, try_zeros_like_pinned, try_zeros_pinned,
    zeros_like_pinned, zeros_pinned,
};
pub use print_options::{PrintOptions, get_printoptions, set_printoptions};
pub(crate) use print_options::{Settings, settings};
pub use range::IntoRange;
pub use rows::Iter;
pub use shape::{IntoNewShape, IntoShape, Length};
pub use sides::{AnyArray, OnDevice, OnHost};
pub use spacing::{geomspace, logspace};
pub use splitting::{IntoSections, Sections, array_split, dsplit, hsplit, vsplit};
pub(crate) use splitting::{bounds, cut};
pub use strides::{as_strided, broadcast_shapes, isfortran, try_as_strided, try_broadcast_shapes};
pub(crate) use transfer::download;
pub use triangles::{diag, diagflat, fill_diagonal, identity, tri, tril, triu, vander};
pub(crate) use view::{assign, slice_axis, writable};

use crate::backend::{Allocation, Layout, View};
use crate::device::{Device, Handle};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// An array on a device: elements of type `T`, any rank, shape known at run time; CuPy's `ndarray`.
///
/// Cloning is cheap: the clone shares the elements. So do the views that [`slice`](Self::slice),
/// [`t`](Self::t), [`diagonal`](Self::diagonal) and, where possible, [`reshape`](Self::reshape) give:
/// **writing to a view or clone (`fill`, `assign`, `+=`) writes to the array it came from.**
/// [`copy`](Self::copy) makes an array of its own.
///
/// Operations run in order on the array's [`Device`] and may return before the device is done; reading values back
/// ([`to_host`](Self::to_host), [`item`](Self::item), printing) waits.
///
/// ```
/// use warpcell::prelude::*;
/// let a = warpcell::arange(6.0).reshape((2, 3));
/// let total: f64 = (&a * 2.0).sum();
/// assert_eq!(total, 30.0);
/// assert_eq!(a.slice(s![.., 0]).to_host(), ndarray::arr1(&[0.0, 3.0]).into_dyn());
/// ```
#[derive(Clone)]
pub struct DeviceArray<T: Element> {
    pub(crate) raw: Owned,
    element: PhantomData<T>,
}

/// An array that is dropped by a call. Cells drop arrays of every kind, and the code for this is here and not in each of them.
#[derive(Clone)]
pub(crate) struct Owned(ManuallyDrop<RawArray>);

impl Owned {
    /// The array itself.
    pub fn into_inner(self) -> RawArray {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: the value is not used again, nor is it dropped.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl Drop for Owned {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: the value is not used after this.
        unsafe { ManuallyDrop::drop(&mut self.0) };
    }
}

impl Deref for Owned {
    type Target = RawArray;

    fn deref(&self) -> &RawArray {
        &self.0
    }
}

impl DerefMut for Owned {
    fn deref_mut(&mut self) -> &mut RawArray {
        &mut self.0
    }
}

// A panic in an operation leaves the elements of its output unspecified, but nothing that is unsafe to use.
impl<T: Element> std::panic::UnwindSafe for DeviceArray<T> {}
impl<T: Element> std::panic::RefUnwindSafe for DeviceArray<T> {}

/// An array whose element type is a value.
///
/// 1. `layout` keeps the invariants that [`Layout`] states, within `allocation`.
/// 2. `allocation` was made by `handle.backend`.
/// 3. A layout with a zero stride along an axis longer than 1 (a broadcast view), or in which two indices have one element (a
///    view of windows), is never written to.
#[derive(Clone)]
pub struct RawArray {
    pub(crate) handle: Handle,
    pub(crate) allocation: Arc<dyn Allocation>,
    pub(crate) layout: Layout,
    pub(crate) dtype: DType,
}

impl<T: Element> DeviceArray<T> {
    /// Wraps an array of dtype `T`.
    pub(crate) fn from_raw(raw: RawArray) -> Self {
        debug_assert_eq!(raw.dtype, T::DTYPE);
        DeviceArray { raw: Owned(ManuallyDrop::new(raw)), element: PhantomData }
    }

    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.raw.layout.shape
    }

    /// The number of axes.
    pub fn ndim(&self) -> usize {
        self.raw.layout.shape.len()
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.raw.layout.size()
    }

    /// The number of bytes that the elements take.
    pub fn nbytes(&self) -> usize {
        self.size() * T::DTYPE.size()
    }

    /// The number of bytes that an element takes.
    ///
    /// ```
    /// assert_eq!(warpcell::zeros::<f32>(3).itemsize(), 4);
    /// ```
    pub fn itemsize(&self) -> usize {
        T::DTYPE.size()
    }

    /// How many elements apart neighbours along each axis are (NumPy counts bytes).
    pub fn strides(&self) -> &[isize] {
        &self.raw.layout.strides
    }

    /// The element type, as a value.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// Where the elements are.
    pub fn device(&self) -> Device {
        self.raw.handle.device
    }
}

impl RawArray {
    /// A new array with unspecified elements.
    pub(crate) fn uninitialised(
        operation: &'static str,
        handle: &Handle,
        shape: &[usize],
        dtype: DType,
    ) -> Result<RawArray> {
        let bytes = byte_count(operation, shape, dtype)?;
        let allocation = handle.backend.allocate_for(bytes, dtype)?;
        Ok(RawArray { handle: handle.clone(), allocation, layout: Layout::contiguous(shape), dtype })
    }

    /// A new array that `write` fills, unless it has no elements.
    pub(crate) fn written(
        operation: &'static str,
        handle: &Handle,
        shape: &[usize],
        dtype: DType,
        write: impl FnOnce(&RawArray) -> Result<()>,
    ) -> Result<RawArray> {
        let out = RawArray::uninitialised(operation, handle, shape, dtype)?;
        if out.size() > 0 {
            write(&out)?;
        }
        Ok(out)
    }

    /// A new contiguous array of this value's type, with this value for all elements.
    pub(crate) fn filled(operation: &'static str, handle: &Handle, shape: &[usize], value: Scalar) -> Result<RawArray> {
        RawArray::written(operation, handle, shape, value.dtype(), |out| handle.backend.fill(value, out.view()))
    }

    /// A new contiguous array of f32 or f64 with these values, as far as the type has them.
    pub(crate) fn of_floats(
        operation: &'static str,
        handle: &Handle,
        shape: &[usize],
        values: impl Iterator<Item = f64>,
        dtype: DType,
    ) -> Result<RawArray> {
        let bytes: Vec<u8> = match dtype {
            DType::F32 => values.flat_map(|value| (value as f32).to_ne_bytes()).collect(),
            _ => values.flat_map(f64::to_ne_bytes).collect(),
        };
        RawArray::of_bytes(operation, handle, shape, &bytes, dtype)
    }

    /// A new contiguous array of i64 with these values.
    pub(crate) fn of_indices(
        operation: &'static str,
        handle: &Handle,
        shape: &[usize],
        values: &[i64],
    ) -> Result<RawArray> {
        // SAFETY: the bytes of the slice.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) };
        RawArray::of_bytes(operation, handle, shape, bytes, DType::I64)
    }

    /// A new contiguous array of the elements with these bytes.
    pub(crate) fn of_bytes(
        operation: &'static str,
        handle: &Handle,
        shape: &[usize],
        bytes: &[u8],
        dtype: DType,
    ) -> Result<RawArray> {
        let out = RawArray::uninitialised(operation, handle, shape, dtype)?;
        if !bytes.is_empty() {
            handle.backend.upload(bytes, &out.allocation)?;
        }
        Ok(out)
    }

    pub(crate) fn view(&self) -> View<'_> {
        View { allocation: &self.allocation, layout: &self.layout, dtype: self.dtype }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }

    /// The same elements under another layout, which the caller makes sure lies within this one's elements.
    pub(crate) fn with_layout(&self, layout: Layout) -> RawArray {
        RawArray { handle: self.handle.clone(), allocation: self.allocation.clone(), layout, dtype: self.dtype }
    }

    /// A new contiguous array with the same elements.
    pub(crate) fn copied(&self, operation: &'static str) -> Result<RawArray> {
        self.converted(operation, self.dtype)
    }

    /// A new contiguous array with the elements converted to `dtype`.
    pub(crate) fn converted(&self, operation: &'static str, dtype: DType) -> Result<RawArray> {
        if self.dtype != dtype && (self.dtype.is_complex() || dtype.is_complex()) {
            return complex::converted(operation, self, dtype);
        }
        RawArray::written(operation, &self.handle, self.shape(), dtype, |out| {
            self.handle.backend.copy(self.view(), out.view())
        })
    }

    /// The array with elements of `dtype`: itself, if it has them, or a copy.
    pub(crate) fn in_type(&self, operation: &'static str, dtype: DType) -> Result<RawArray> {
        if self.dtype == dtype { Ok(self.clone()) } else { self.converted(operation, dtype) }
    }

    /// The array in the type that operations compute in: itself, or a copy of an array of a type for storage.
    pub(crate) fn to_compute_type(&self, operation: &'static str) -> Result<RawArray> {
        if self.dtype.is_storage() { self.converted(operation, self.dtype.compute_type()) } else { Ok(self.clone()) }
    }

    /// This array if its elements follow one another in row-major order, else a copy that has them so.
    pub(crate) fn contiguous(&self, operation: &'static str) -> Result<RawArray> {
        if self.layout.is_contiguous() { Ok(self.clone()) } else { self.copied(operation) }
    }

    /// The elements in row-major order along one axis: a view of a contiguous array, else of a copy.
    pub(crate) fn flat(&self, operation: &'static str) -> Result<RawArray> {
        let raw = self.contiguous(operation)?;
        let offset = raw.layout.offset;
        Ok(raw.with_layout(Layout { offset, ..Layout::contiguous(&[raw.size()]) }))
    }

    /// The array with an axis moved to another place; a view.
    pub(crate) fn moved(&self, from: usize, to: usize) -> RawArray {
        let mut layout = self.layout.clone();
        let (length, stride) = (layout.shape.remove(from), layout.strides.remove(from));
        layout.shape.insert(to, length);
        layout.strides.insert(to, stride);
        self.with_layout(layout)
    }

    /// Whether both arrays are views of one allocation.
    pub(crate) fn shares_memory(&self, other: &RawArray) -> bool {
        Arc::ptr_eq(&self.allocation, &other.allocation)
    }

    /// The error for arrays on two devices, if they are.
    pub(crate) fn same_device(&self, operation: &'static str, other: &RawArray) -> Result<()> {
        if self.handle.device == other.handle.device {
            return Ok(());
        }
        Err(Error::DeviceMismatch {
            operation,
            left: self.handle.device.to_string(),
            right: other.handle.device.to_string(),
        })
    }
}

/// The bytes that a contiguous array takes, or [`Error::InvalidShape`] if they are more than one allocation can have.
pub(crate) fn byte_count(operation: &'static str, shape: &[usize], dtype: DType) -> Result<usize> {
    // Zero-length axes do not excuse the others: strides are products of lengths and must not overflow either.
    let extent = shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length.max(1)));
    match extent.and_then(|extent| extent.checked_mul(dtype.size())) {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(bytes) if bytes <= isize::MAX as usize => Ok(bytes),
        _ => {
            let reason = format!("has more elements of {dtype} than memory can address; use a smaller one");
            Err(Error::shape(operation, shape, reason))
        }
    }
}
