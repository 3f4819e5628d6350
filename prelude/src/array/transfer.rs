//! Between host and device.

use crate::array::sides::{AnyView, HostView};
use crate::array::{DeviceArray, RawArray};
use crate::backend::{Layout, cpu};
use crate::device::{self, Device, Handle};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use half::{bf16, f16};
use ndarray::{Array, ArrayD, Dimension, IxDyn};

impl<T: Element> DeviceArray<T> {
    /// Copies the elements to a host array of the same shape; waits for queued work.
    ///
    /// **Panics** if a queued operation failed on the device.
    ///
    /// ```
    /// let a = warpcell::array(&[1, 2, 3]);
    /// assert_eq!(a.to_host(), ndarray::arr1(&[1, 2, 3]).into_dyn());
    /// ```
    #[track_caller]
    pub fn to_host(&self) -> ArrayD<T> {
        check(self.try_to_host())
    }

    /// As [`to_host`](Self::to_host), but returns the error.
    pub fn try_to_host(&self) -> Result<ArrayD<T>> {
        self.raw.handle.may_wait("to_host")?;
        let elements = download_vec::<T>(&self.raw)?;
        Ok(Array::from_shape_vec(IxDyn(self.shape()), elements).expect("as many elements as the shape has"))
    }

    /// Copies the elements to a host array of a rank known at compile time, such as
    /// `a.to_host_as::<Ix2>()` for an `Array2`; waits for queued work.
    ///
    /// **Panics** if the array has another rank, or as [`to_host`](Self::to_host) does.
    ///
    /// ```
    /// use warpcell::prelude::*;
    /// let a: Array2<f64> = warpcell::eye(3).to_host_as::<Ix2>();
    /// assert_eq!(a[[1, 1]], 1.0);
    /// ```
    #[track_caller]
    pub fn to_host_as<D: Dimension>(&self) -> Array<T, D> {
        check(self.try_to_host_as())
    }

    /// As [`to_host_as`](Self::to_host_as), but returns [`Error::InvalidShape`] for another rank.
    pub fn try_to_host_as<D: Dimension>(&self) -> Result<Array<T, D>> {
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
    /// **Panics** if the array has more elements or none.
    ///
    /// ```
    /// assert_eq!(warpcell::full((1, 1), 2.5).item(), 2.5);
    /// ```
    #[track_caller]
    pub fn item(&self) -> T {
        check(self.try_item())
    }

    /// As [`item`](Self::item), but returns [`Error::InvalidShape`] unless there is one element.
    pub fn try_item(&self) -> Result<T> {
        self.raw.handle.may_wait("item")?;
        item(&self.raw).map(typed_scalar)
    }

    /// The element at an index; waits for queued work. Each call is a transfer: copy the array to the host to read
    /// many.
    ///
    /// **Panics** if the index is out of bounds or has another rank.
    ///
    /// ```
    /// let a = warpcell::array(&[[1, 2], [3, 4]]);
    /// assert_eq!(a.get(&[1, 0]), 3);
    /// ```
    #[track_caller]
    pub fn get(&self, index: &[usize]) -> T {
        check(self.try_get(index))
    }

    /// As [`get`](Self::get), but returns [`Error::InvalidShape`] if the index is out of bounds.
    pub fn try_get(&self, index: &[usize]) -> Result<T> {
        self.raw.handle.may_wait("get")?;
        get(&self.raw, index).map(typed_scalar)
    }

    /// Copies the elements to a new array on another device, of the same shape and contiguous; also on the array's own device, so
    /// that the same code means the same with one device and with several.
    ///
    /// Between CUDA devices the copy is queued: directly, if the machine can, else by way of the host. It comes behind what was
    /// asked of the array before, and what is asked of either array from now on comes behind the copy. Between CUDA devices
    /// and the CPU it waits.
    ///
    /// **Panics** if the device cannot be used ([`Error::DeviceUnavailable`]) or its memory does not suffice.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::arange(4i64);
    /// let b = a.to_device(gpu::Device::Cpu);
    /// assert_eq!((b.device(), b.sum()), (gpu::Device::Cpu, 6));
    /// ```
    #[track_caller]
    pub fn to_device(&self, device: Device) -> DeviceArray<T> {
        check(self.try_to_device(device))
    }

    /// As [`to_device`](Self::to_device), but returns the error.
    pub fn try_to_device(&self, device: Device) -> Result<DeviceArray<T>> {
        let handle = device::open(device)?;
        if handle.device == self.raw.handle.device {
            return self.raw.copied("to_device").map(DeviceArray::from_raw);
        }
        self.raw.handle.may_wait("to_device")?;
        handle.may_upload("to_device")?;
        bring("to_device", &AnyView::Device(&self.raw), &handle).map(DeviceArray::from_raw)
    }
}

/// A scalar of `T`'s dtype as a `T`.
pub(crate) fn typed_scalar<T: Element>(scalar: Scalar) -> T {
    T::from_scalar(scalar).expect("the scalar has the array's dtype")
}

fn wrong_rank(raw: &RawArray, wanted: usize) -> Error {
    Error::InvalidShape {
        operation: "to_host_as",
        shape: raw.shape().to_vec(),
        reason: format!("has rank {}, not {wanted}; name the right one, or use `to_host`", raw.shape().len()),
    }
}

/// The elements in row-major order.
pub(crate) fn download_vec<T: Element>(raw: &RawArray) -> Result<Vec<T>> {
    debug_assert_eq!(raw.dtype, T::DTYPE);
    let size = raw.size();
    let mut elements = Vec::<T>::with_capacity(size);
    cpu::memory::prefer_large_pages(elements.as_mut_ptr().cast(), raw.size() * size_of::<T>());
    // SAFETY: the vector has capacity for `size` elements; `download` writes all of them, with values valid for the
    // dtype, before the length is set.
    unsafe {
        download(raw, elements.as_mut_ptr().cast())?;
        elements.set_len(size);
    }
    Ok(elements)
}

/// Copies all elements in row-major order to `target`; bools become exactly 0 or 1.
///
/// # Safety
///
/// `target` must be valid for writes of as many bytes as the elements have.
unsafe fn download(raw: &RawArray, target: *mut u8) -> Result<()> {
    let size = raw.size();
    if size == 0 {
        return Ok(());
    }
    let raw = raw.contiguous("to_host")?;
    let bytes = size * raw.dtype.size();
    // SAFETY: the caller vouches for the memory. It may be uninitialised, but backends only write to the target.
    let target = unsafe { std::slice::from_raw_parts_mut(target, bytes) };
    raw.handle.backend.download(&raw.allocation, raw.layout.offset * raw.dtype.size(), target)?;
    if raw.dtype == DType::Bool {
        // A byte other than 0 and 1 (from a user's kernel) would be undefined behaviour as a `bool`.
        target.iter_mut().for_each(|byte| *byte = (*byte != 0) as u8);
    }
    Ok(())
}

/// The only element.
pub(crate) fn item(raw: &RawArray) -> Result<Scalar> {
    if raw.size() != 1 {
        return Err(Error::InvalidShape {
            operation: "item",
            shape: raw.shape().to_vec(),
            reason: format!("has {} elements, not one; use `to_host`, or `get` with an index", raw.size()),
        });
    }
    let mut bytes = [0u8; 8];
    let size = raw.dtype.size();
    raw.handle.backend.download(&raw.allocation, raw.layout.offset * size, &mut bytes[..size])?;
    let two = || [bytes[0], bytes[1]];
    let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
    Ok(match raw.dtype {
        DType::Bool => Scalar::Bool(bytes[0] != 0),
        DType::U8 => Scalar::U8(bytes[0]),
        DType::I8 => Scalar::I8(bytes[0].cast_signed()),
        DType::U16 => Scalar::U16(u16::from_ne_bytes(two())),
        DType::I16 => Scalar::I16(i16::from_ne_bytes(two())),
        DType::I32 => Scalar::I32(i32::from_ne_bytes(four())),
        DType::U32 => Scalar::U32(u32::from_ne_bytes(four())),
        DType::I64 => Scalar::I64(i64::from_ne_bytes(bytes)),
        DType::U64 => Scalar::U64(u64::from_ne_bytes(bytes)),
        DType::F16 => Scalar::F16(f16::from_ne_bytes(two())),
        DType::BF16 => Scalar::BF16(bf16::from_ne_bytes(two())),
        DType::F32 => Scalar::F32(f32::from_ne_bytes(four())),
        DType::F64 => Scalar::F64(f64::from_ne_bytes(bytes)),
    })
}

fn get(raw: &RawArray, index: &[usize]) -> Result<Scalar> {
    let layout = &raw.layout;
    if index.len() != layout.shape.len() || index.iter().zip(&layout.shape).any(|(i, length)| i >= length) {
        return Err(Error::InvalidShape {
            operation: "get",
            shape: layout.shape.clone(),
            reason: format!("has no element {index:?}; give one index per axis, each below its length"),
        });
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
    let packed = cpu::copy::packed(host);
    let pointer = packed.as_ref().map_or(host.pointer, |copy| copy.as_ptr().cast());
    // SAFETY: the elements follow one another, are initialised, and are borrowed by the view or owned by `packed`.
    handle.backend.upload(unsafe { std::slice::from_raw_parts(pointer, bytes) }, &out.allocation)?;
    Ok(out)
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
