//! Between host and device.

use crate::array::sides::{AnyView, HostView};
use crate::array::{DeviceArray, RawArray, byte_count};
use crate::backend::{Foreign, Layout, View};
use crate::device::{self, Device, Handle};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::host::memory;
use ndarray::{Array, ArrayD, Dimension, IxDyn};
use std::any::Any;

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// Copies the elements to a host array of the same shape; waits for queued work.
        ///
        /// **Panics** if a queued operation failed on the device.
        ///
        /// ```
        /// let a = warpcell::array(&[1, 2, 3]);
        /// assert_eq!(a.to_host(), ndarray::arr1(&[1, 2, 3]).into_dyn());
        /// ```
        pub fn to_host, try_to_host(&self) -> Result<ArrayD<T>> {
            self.raw.handle.may_wait("to_host")?;
            let elements = download_vec::<T>(&self.raw)?;
            Ok(Array::from_shape_vec(IxDyn(self.shape()), elements).expect("as many elements as the shape has"))
        }

        /// Copies the elements to a host array of a rank known at compile time, such as
        /// `a.to_host_as::<Ix2>()` for an `Array2`; waits for queued work.
        ///
        /// **Panics** if the array has another rank ([`Error::InvalidShape`]), or as [`to_host`](Self::to_host) does.
        ///
        /// ```
        /// use warpcell::prelude::*;
        /// let a: Array2<f64> = warpcell::eye(3).to_host_as::<Ix2>();
        /// assert_eq!(a[[1, 1]], 1.0);
        /// ```
        pub fn to_host_as, try_to_host_as<D: Dimension>(&self) -> Result<Array<T, D>> {
            let mut dimension = D::zeros(D::NDIM.unwrap_or(self.ndim()));
            if dimension.ndim() != self.ndim() {
                return Err(wrong_rank(&self.raw, dimension.ndim()));
            }
            dimension.slice_mut().copy_from_slice(self.shape());
            self.raw.handle.may_wait("to_host_as")?;
            let elements = download_vec::<T>(&self.raw)?;
            Ok(Array::from_shape_vec(dimension, elements).expect("as many elements as the shape"))
        }

        /// The only element of an array that has one; waits for queued work.
        ///
        /// **Panics** if the array has more elements or none ([`Error::InvalidShape`]).
        ///
        /// ```
        /// assert_eq!(warpcell::full((1, 1), 2.5).item(), 2.5);
        /// ```
        pub fn item, try_item(&self) -> Result<T> {
            self.raw.handle.may_wait("item")?;
            item(&self.raw).map(typed_scalar)
        }

        /// The element at an index; waits for queued work. Each call is a transfer: copy the array to the host to read
        /// many.
        ///
        /// **Panics** if the index is out of bounds or has another rank ([`Error::InvalidShape`]).
        ///
        /// ```
        /// let a = warpcell::array(&[[1, 2], [3, 4]]);
        /// assert_eq!(a.get(&[1, 0]), 3);
        /// ```
        pub fn get, try_get(&self, index: &[usize]) -> Result<T> {
            self.raw.handle.may_wait("get")?;
            get(&self.raw, index).map(typed_scalar)
        }

        /// Copies the elements to a new array on another device, of the same shape and contiguous; also on the array's
        /// own device, so that the same code means the same with one device and with several.
        ///
        /// Between CUDA devices the copy is queued: directly, if the machine can, else by way of the host. It comes
        /// behind what was asked of the array before, and what is asked of either array from now on comes behind the
        /// copy. Between CUDA devices and the CPU it waits.
        ///
        /// **Panics** if the device cannot be used ([`Error::DeviceUnavailable`]) or its memory does not suffice.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let a = gpu::arange(4i64);
        /// let b = a.to_device(gpu::Device::Cpu);
        /// assert_eq!((b.device(), b.sum()), (gpu::Device::Cpu, 6));
        /// ```
        pub fn to_device, try_to_device(&self, device: Device) -> Result<DeviceArray<T>> {
            let handle = device::open(device)?;
            if handle.device == self.raw.handle.device {
                return self.raw.copied("to_device").map(DeviceArray::from_raw);
            }
            self.raw.handle.may_wait("to_device")?;
            handle.may_upload("to_device")?;
            bring("to_device", &AnyView::Device(&self.raw), &handle).map(DeviceArray::from_raw)
        }
    }
}

/// A scalar of `T`'s dtype as a `T`.
pub(crate) fn typed_scalar<T: Element>(scalar: Scalar) -> T {
    T::from_scalar(scalar).expect("the scalar has the array's dtype")
}

fn wrong_rank(raw: &RawArray, wanted: usize) -> Error {
    let reason = format!("has rank {}, not {wanted}; name the right one, or use `to_host`", raw.shape().len());
    Error::shape("to_host_as", raw.shape(), reason)
}

/// The elements in row-major order.
pub(crate) fn download_vec<T: Element>(raw: &RawArray) -> Result<Vec<T>> {
    debug_assert_eq!(raw.dtype, T::DTYPE);
    let size = raw.size();
    let mut elements = Vec::<T>::with_capacity(size);
    memory::prefer_large_pages(elements.as_mut_ptr().cast(), raw.size() * size_of::<T>());
    // SAFETY: the vector has capacity for `size` elements; `download` writes all of them, with values valid for the
    // dtype, before the length is set.
    unsafe {
        download(raw, elements.as_mut_ptr().cast())?;
        elements.set_len(size);
    }
    Ok(elements)
}

/// Copies the elements in row-major order to as many that are there.
pub(crate) fn download_into<T: Element>(raw: &RawArray, target: &mut [T]) -> Result<()> {
    debug_assert_eq!((raw.dtype, raw.size()), (T::DTYPE, target.len()));
    // SAFETY: there is room for all of them. What is written is valid for the dtype; only bools are made so at the end.
    let result = unsafe { download(raw, target.as_mut_ptr().cast()) };
    if result.is_err() && raw.dtype == DType::Bool {
        // SAFETY: bools whose bytes are 0 are false.
        unsafe { target.as_mut_ptr().write_bytes(0, target.len()) };
    }
    result
}

/// Copies all elements in row-major order to `target`; bools become exactly 0 or 1.
///
/// # Safety
///
/// `target` must be valid for writes of as many bytes as the elements have.
pub(crate) unsafe fn download(raw: &RawArray, target: *mut u8) -> Result<()> {
    let size = raw.size();
    if size == 0 {
        return Ok(());
    }
    let bytes = size * raw.dtype.size();
    if raw.handle.device == Device::Cpu && !raw.layout.is_contiguous() {
        // In one pass: the target is memory of the same device.
        let memory = Foreign { address: target.expose_provenance(), bytes, owner: Box::new(()) };
        // SAFETY: the caller vouches for the memory. It may be uninitialised, but the copy only writes to it.
        let allocation = unsafe { raw.handle.backend.adopt(memory) }?;
        let layout = Layout::contiguous(raw.shape());
        let out = RawArray { handle: raw.handle.clone(), allocation, layout, dtype: raw.dtype };
        raw.handle.backend.copy(raw.view(), out.view())?;
    } else {
        let raw = raw.contiguous("to_host")?;
        // SAFETY: the caller vouches for the memory. It may be uninitialised, but backends only write to the target.
        let target = unsafe { std::slice::from_raw_parts_mut(target, bytes) };
        raw.handle.backend.download(&raw.allocation, raw.layout.offset * raw.dtype.size(), target)?;
    }
    if raw.dtype == DType::Bool {
        // SAFETY: the caller vouches for the memory, and all of it was written.
        let target = unsafe { std::slice::from_raw_parts_mut(target, bytes) };
        // A byte other than 0 and 1 (from a user's kernel) would be undefined behaviour as a `bool`.
        target.iter_mut().for_each(|byte| *byte = (*byte != 0) as u8);
    }
    Ok(())
}

/// The only element.
pub(crate) fn item(raw: &RawArray) -> Result<Scalar> {
    if raw.size() != 1 {
        let reason = format!("has {} elements, not one; use `to_host`, or `get` with an index", raw.size());
        return Err(Error::shape("item", raw.shape(), reason));
    }
    let mut bytes = [0u8; 16];
    let size = raw.dtype.size();
    raw.handle.backend.download(&raw.allocation, raw.layout.offset * size, &mut bytes[..size])?;
    Ok(Scalar::from_bits(raw.dtype, u128::from_ne_bytes(bytes)))
}

fn get(raw: &RawArray, index: &[usize]) -> Result<Scalar> {
    let layout = &raw.layout;
    if index.len() != layout.shape.len() || index.iter().zip(&layout.shape).any(|(i, length)| i >= length) {
        let reason = format!("has no element {index:?}; give one index per axis, each below its length");
        return Err(Error::shape("get", layout.shape.clone(), reason));
    }
    let distance: isize = index.iter().zip(&layout.strides).map(|(&i, &stride)| i as isize * stride).sum();
    let offset = layout.offset.checked_add_signed(distance).expect("within the allocation");
    item(&raw.with_layout(Layout { shape: Vec::new(), strides: Vec::new(), offset }))
}

/// A new array on `handle`'s device with the elements of a host array.
pub(crate) fn upload(operation: &'static str, host: &HostView<'_>, handle: &Handle) -> Result<RawArray> {
    handle.may_upload(operation)?;
    let out = RawArray::uninitialised(operation, handle, &host.shape, host.dtype)?;
    let bytes = out.size() * host.dtype.size();
    if bytes == 0 {
        return Ok(out);
    }
    let layout = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
    if handle.device == Device::Cpu && !layout.is_contiguous() {
        // In one pass: the host's memory is the device's, too.
        let placed = placed(host.pointer.expose_provenance(), host.dtype, layout.shape, layout.strides);
        let (layout, address, bytes) = placed.expect("the array is in memory");
        let memory = Foreign { address, bytes, owner: Box::new(()) };
        // SAFETY: the elements are borrowed by the view, and nothing is written to this allocation.
        let allocation = unsafe { handle.backend.adopt(memory) }?;
        handle.backend.copy(View { allocation: &allocation, layout: &layout, dtype: host.dtype }, out.view())?;
        return Ok(out);
    }
    let reversed = reversed(&layout);
    let packed = if reversed.is_contiguous() { None } else { memory::packed(host) };
    let pointer = packed.as_ref().map_or(host.pointer, |copy| copy.as_ptr().cast());
    // SAFETY: the elements follow one another, are initialised, and are borrowed by the view or owned by `packed`.
    handle.backend.upload(unsafe { std::slice::from_raw_parts(pointer, bytes) }, &out.allocation)?;
    if packed.is_none() && !layout.is_contiguous() {
        // Columns follow one another; the device puts them into order faster than the host.
        let columns = out.with_layout(self::reversed(&Layout::contiguous(&reversed.shape)));
        return columns.copied(operation);
    }
    Ok(out)
}

/// The layout with its axes in reverse order.
pub(crate) fn reversed(layout: &Layout) -> Layout {
    let mut layout = layout.clone();
    layout.shape.reverse();
    layout.strides.reverse();
    layout
}

/// The layout of elements, of which that of index zero is at `address`, within the range of memory that holds them; and the
/// range's address and length. None if they lie outside what can be addressed.
pub(crate) fn placed(
    address: usize,
    dtype: DType,
    shape: Vec<usize>,
    mut strides: Vec<isize>,
) -> Option<(Layout, usize, usize)> {
    let (mut below, mut above) = (0isize, 0isize);
    for (stride, &length) in strides.iter_mut().zip(&shape) {
        if length == 1 {
            // Of no effect, and perhaps nonsense.
            *stride = 0;
        }
        let reach = stride.checked_mul(isize::try_from(length - 1).ok()?)?;
        if reach < 0 {
            below = below.checked_add(reach)?;
        } else {
            above = above.checked_add(reach)?;
        }
    }
    let size = dtype.size() as isize;
    let first = address.checked_add_signed(below.checked_mul(size)?)?;
    let bytes = above.checked_sub(below)?.checked_add(1)?.checked_mul(size)?.unsigned_abs();
    first.checked_add(bytes)?;
    Some((Layout { shape, strides, offset: below.unsigned_abs() }, first, bytes))
}

/// A host array's memory, to be taken over: row-major elements of one type, and the vector that has them.
pub(crate) struct Owned {
    pointer: *const u8,
    shape: Vec<usize>,
    dtype: DType,
    owner: Box<dyn Any + Send + Sync>,
}

impl Owned {
    /// A vector with the elements of an array of this shape: so many, and perhaps more.
    pub fn vector<T: Element>(mut values: Vec<T>, shape: &[usize]) -> Owned {
        assert!(shape.iter().product::<usize>() <= values.len(), "the vector has as many elements as the array");
        let pointer = values.as_mut_ptr();
        // What an array computes in place is written through this pointer.
        pointer.expose_provenance();
        Owned { pointer: pointer.cast_const().cast(), shape: shape.to_vec(), dtype: T::DTYPE, owner: Box::new(values) }
    }
}

/// An array on `handle`'s device with the elements of a vector: on the CPU the vector itself, without copying.
pub(crate) fn take_over(operation: &'static str, owned: Owned, handle: &Handle) -> Result<RawArray> {
    let Owned { pointer, shape, dtype, owner } = owned;
    let bytes = byte_count(operation, &shape, dtype)?;
    if bytes == 0 {
        return RawArray::uninitialised(operation, handle, &shape, dtype);
    }
    if handle.device != Device::Cpu {
        let out = RawArray::uninitialised(operation, handle, &shape, dtype)?;
        // SAFETY: the owner has as many bytes from there on, and lives until the end of this block.
        handle.backend.upload(unsafe { std::slice::from_raw_parts(pointer, bytes) }, &out.allocation)?;
        drop(owner);
        return Ok(out);
    }
    let memory = Foreign { address: pointer.addr(), bytes, owner };
    // SAFETY: the vector has the bytes, aligned for their type and initialised; it is in `memory`, so nothing else uses it.
    let allocation = unsafe { handle.backend.adopt(memory) }?;
    Ok(RawArray { handle: handle.clone(), allocation, layout: Layout::contiguous(&shape), dtype })
}

/// The argument on the device of `handle`, copied there if it is elsewhere.
pub(crate) fn bring(operation: &'static str, any: &AnyView<'_>, handle: &Handle) -> Result<RawArray> {
    match any {
        AnyView::Host(host) => upload(operation, host, handle),
        AnyView::Device(raw) if raw.handle.device == handle.device => Ok((*raw).clone()),
        AnyView::Device(raw) => {
            let raw = raw.contiguous(operation)?;
            let out = RawArray::uninitialised(operation, handle, raw.shape(), raw.dtype)?;
            let (offset, length) = (raw.layout.offset * raw.dtype.size(), out.size() * raw.dtype.size());
            if length == 0 || handle.backend.copy_between(&raw.allocation, offset, &out.allocation, length)? {
                return Ok(out);
            }
            let mut bytes = vec![0u8; length];
            raw.handle.backend.download(&raw.allocation, offset, &mut bytes)?;
            handle.backend.upload(&bytes, &out.allocation)?;
            Ok(out)
        }
    }
}
