//! DLPack: arrays as managed tensors, and managed tensors as arrays.

use super::{Elements, adopted, row_major};
use crate::array::{DeviceArray, RawArray};
use crate::backend::StreamOrder;
use crate::device::{self, Device, Handle};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use dlpark::allocation::dynamic::Allocation;
use dlpark::ffi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use dlpark::{DlpackFlags, Managed, ManagedTensorBase, legacy, versioned};

/// DLPack's name of an element type.
fn name_of(dtype: DType) -> DLDataType {
    DLDataType::new(DLDataTypeCode(dtype.dlpack_code()), 8 * dtype.size() as u8, 1)
}

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// The array as a managed tensor of DLPack 1.x: it shares the elements, and keeps them until it is dropped or
        /// its deleter is called. Other libraries take its pointer, [`into_raw`](dlpark::Managed::into_raw).
        ///
        /// Waits until what was queued is done, so that the elements can be used on any stream
        /// ([`to_dlpack_for`](Self::to_dlpack_for) does not wait). A broadcast view is marked as read-only. What others
        /// write to the tensor, this array sees; see [`interop`](crate::interop) for the order of such work.
        ///
        /// **Panics** if a queued operation failed on the device.
        ///
        /// ```
        /// let a = warpcell::DeviceArray::from([[1.0f32, 2.0], [3.0, 4.0]]);
        /// let tensor = a.t().to_dlpack();
        /// let description = tensor.validate().unwrap();
        /// assert_eq!((description.shape(), description.strides()), (&[2, 2][..], Some(&[1, 2][..])));
        /// ```
        pub fn to_dlpack, try_to_dlpack(&self) -> Result<versioned::Dlpack> {
            export("to_dlpack", &self.raw, ForUse::Anywhere)
        }
    }

    /// As [`to_dlpack`](Self::to_dlpack), but for use on one stream, which is made to wait for what was queued: the host does not
    /// wait.
    ///
    /// # Safety
    ///
    /// `stream` is the handle (a `cudaStream_t` or `CUstream`) of a stream of the array's device that exists; 1 and 2 are CUDA's
    /// default streams.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an array on the CPU, which has no streams.
    pub unsafe fn to_dlpack_for(&self, stream: usize) -> Result<versioned::Dlpack> {
        export("to_dlpack_for", &self.raw, ForUse::OnStream(stream))
    }

    fallible! {
        /// As [`to_dlpack`](Self::to_dlpack), but the tensor of DLPack before 1.0, `DLManagedTensor`, which some
        /// libraries still ask for. It cannot say that it is read-only, so of a broadcast view it is a copy.
        ///
        /// **Panics** as that does.
        pub fn to_dlpack_legacy, try_to_dlpack_legacy(&self) -> Result<legacy::Dlpack> {
            export_legacy("to_dlpack_legacy", &self.raw, ForUse::Anywhere)
        }
    }

    /// The elements of a managed tensor of DLPack, of either version, as an array, without copying: it is on the device where the
    /// elements are (host memory and CUDA's pinned host memory are the CPU), has their strides, and drops the tensor when its last
    /// clone or view is dropped. NumPy's and CuPy's `from_dlpack`.
    ///
    /// A tensor that is marked as read-only, and one whose elements overlap, is copied.
    ///
    /// ```
    /// use warpcell::DeviceArray;
    /// let a = DeviceArray::from([1, 2, 3]);
    /// // SAFETY: the tensor is an array's own, whose elements are complete.
    /// let mut b = unsafe { DeviceArray::<i32>::from_dlpack(a.to_dlpack()) };
    /// b += 1; // the same elements
    /// assert_eq!(a.get(&[2]), 4);
    /// ```
    ///
    /// # Safety
    ///
    /// 1. The tensor is what DLPack says: its pointers lead to what it describes, until its deleter is called, from any thread.
    /// 2. Nothing else writes to the elements, or reads what operations on the array write, while these run. On a GPU, work that
    ///    was queued elsewhere is complete or ordered before ([`wait_for_stream`](crate::interop::wait_for_stream)).
    ///
    /// # Panics
    ///
    /// If the elements are not of `T`, are on another kind of device or on one that cannot be used, are not aligned, or the
    /// description contradicts itself.
    #[track_caller]
    pub unsafe fn from_dlpack<M: ManagedTensorBase + 'static>(tensor: Managed<M>) -> DeviceArray<T> {
        // SAFETY: the caller's promise.
        check(unsafe { Self::try_from_dlpack(tensor) })
    }

    /// As [`from_dlpack`](Self::from_dlpack), but returns the error; the tensor is dropped.
    ///
    /// # Safety
    ///
    /// As of [`from_dlpack`](Self::from_dlpack).
    pub unsafe fn try_from_dlpack<M: ManagedTensorBase + 'static>(tensor: Managed<M>) -> Result<DeviceArray<T>> {
        // SAFETY: the caller's promise.
        unsafe { import(tensor, T::DTYPE) }.map(DeviceArray::from_raw)
    }
}

fn is_read_only(raw: &RawArray) -> bool {
    crate::array::writable("to_dlpack", raw).is_err()
}

/// Where the elements of a tensor are used.
#[derive(Clone, Copy)]
pub(crate) enum ForUse {
    /// On any stream.
    Anywhere,
    /// On the stream of this handle.
    OnStream(usize),
    /// On the stream that the calling thread is in.
    OnThisStream,
}

/// A tensor of DLPack before 1.0, which cannot say that it is read-only: of such an array it is a copy.
pub(crate) fn export_legacy(operation: &'static str, raw: &RawArray, used: ForUse) -> Result<legacy::Dlpack> {
    if is_read_only(raw) {
        return export(operation, &raw.copied(operation)?, used);
    }
    export(operation, raw, used)
}

pub(crate) fn export<M: ManagedTensorBase>(
    operation: &'static str,
    raw: &RawArray,
    used: ForUse,
) -> Result<Managed<M>> {
    let invalid = |reason: String| Error::argument(operation, reason);
    let too_large = |error: dlpark::allocation::Error| invalid(format!("the tensor cannot be described: {error}"));
    let backend = &raw.handle.backend;
    let address = match raw.size() {
        0 => 0,
        _ => backend.address(&raw.allocation) + raw.layout.offset * raw.dtype.size(),
    };
    match used {
        // SAFETY: only `to_dlpack_for` gives a stream, and its caller promises this.
        ForUse::OnStream(stream) => unsafe { backend.order(stream, StreamOrder::Ours)? },
        ForUse::Anywhere => backend.synchronize()?,
        // `address` has seen to the order.
        ForUse::OnThisStream => {}
    }
    let rank = raw.shape().len();
    let mut allocation = Allocation::<M>::allocate(2 * rank).map_err(too_large)?;
    let lengths = raw.layout.shape.iter().map(|&length| length as i64);
    let steps = raw.layout.strides.iter().map(|&stride| stride as i64);
    allocation.extra_mut().iter_mut().zip(lengths.chain(steps)).for_each(|(place, value)| *place = value);
    let mut tensor = allocation.initialize(Box::new(raw.clone()), rank).map_err(too_large)?;
    if rank > 0 {
        let numbers = tensor.extra_mut().as_mut_ptr();
        tensor.tensor_mut().shape = numbers;
        tensor.tensor_mut().strides = numbers.wrapping_add(rank);
    }
    let device = match raw.handle.device {
        Device::Cpu => DLDevice::CPU,
        Device::Cuda(ordinal) => DLDevice::cuda(ordinal as i32),
    };
    tensor.set_data(std::ptr::with_exposed_provenance_mut(address)).set_dtype(name_of(raw.dtype)).set_device(device);
    if is_read_only(raw) {
        tensor.set_flags(DlpackFlags::READ_ONLY).map_err(|error| invalid(error.to_string()))?;
    }
    // SAFETY: the array that the tensor owns keeps the elements, which its layout describes; the numbers of shape and strides are
    // in the tensor's own allocation; what must not be written to is marked.
    Ok(unsafe { tensor.finish() })
}

/// # Safety
///
/// What `DeviceArray::from_dlpack` asks for.
unsafe fn import<M: ManagedTensorBase + 'static>(tensor: Managed<M>, wanted: DType) -> Result<RawArray> {
    const OPERATION: &str = "from_dlpack";
    let invalid = |reason: String| Error::argument(OPERATION, reason);
    let malformed = |error: dlpark::tensor::Error| invalid(format!("the tensor's fields do not fit together: {error}"));
    let description = tensor.validate().map_err(malformed)?;
    let found = description.dtype();
    match dtype_of_tensor(found) {
        Ok(dtype) if dtype == wanted => {}
        Ok(dtype) => {
            let reason =
                format!("the tensor's elements are {dtype}, not {wanted}; use `DeviceArray::<{dtype}>::from_dlpack`");
            return Err(invalid(reason));
        }
        Err(name) => {
            let reason = format!(
                "the tensor's elements are {name}, which arrays cannot hold; convert it to {wanted} in the other library"
            );
            return Err(invalid(reason));
        }
    }
    let handle = device_of_tensor(description.device())?;
    let shape: Vec<usize> = description.shape().iter().map(|&length| length as usize).collect();
    let strides = match description.strides() {
        Some(strides) => strides.iter().map(|&stride| stride as isize).collect(),
        None => row_major(&shape),
    };
    let offset = usize::try_from(description.byte_offset()).ok();
    let Some(address) = offset.and_then(|offset| description.data_ptr().addr().checked_add(offset)) else {
        return Err(invalid(format!(
            "the tensor's offset of {} bytes goes beyond the memory",
            description.byte_offset()
        )));
    };
    let is_read_only = tensor.flags().contains(DlpackFlags::READ_ONLY);
    let elements = Elements { address, dtype: wanted, shape, strides, is_read_only };
    // SAFETY: the caller's promise; the tensor keeps the elements.
    unsafe { adopted(OPERATION, &handle, elements, Box::new(tensor.into_deleter())) }
}

/// The type of a tensor's elements; what DLPack calls it, if arrays cannot hold them.
pub(crate) fn dtype_of_tensor(found: DLDataType) -> std::result::Result<DType, String> {
    DType::ALL.into_iter().find(|&dtype| name_of(dtype).matches(found)).ok_or_else(|| type_name(found))
}

/// The device on which operations can use a tensor's elements.
pub(crate) fn device_of_tensor(device: DLDevice) -> Result<Handle> {
    let DLDevice { device_type, device_id } = device;
    match device_type {
        DLDeviceType::CPU | DLDeviceType::CUDAHOST => Ok(device::host()),
        DLDeviceType::CUDA if device_id >= 0 => device::open(Device::Cuda(device_id.unsigned_abs() as usize)),
        _ => {
            let reason = format!(
                "the tensor is on {}; arrays can be on the CPU (kDLCPU, kDLCUDAHost) and on CUDA devices (kDLCUDA), copy it \
                 there in the other library",
                device_name(device)
            );
            Err(Error::argument("from_dlpack", reason))
        }
    }
}

/// What DLPack calls a device.
fn device_name(device: DLDevice) -> String {
    let name = match device.device_type {
        DLDeviceType::CPU => "kDLCPU",
        DLDeviceType::CUDA => "kDLCUDA",
        DLDeviceType::CUDAHOST => "kDLCUDAHost",
        DLDeviceType::OPENCL => "kDLOpenCL",
        DLDeviceType::VULKAN => "kDLVulkan",
        DLDeviceType::METAL => "kDLMetal",
        DLDeviceType::ROCM => "kDLROCM",
        DLDeviceType::ROCMHOST => "kDLROCMHost",
        DLDeviceType::CUDAMANAGED => "kDLCUDAManaged",
        DLDeviceType::ONEAPI => "kDLOneAPI",
        DLDeviceType(number) => return format!("a device of kind {number}, number {}", device.device_id),
    };
    format!("{name}:{}", device.device_id)
}

/// What DLPack calls an element type.
fn type_name(dtype: DLDataType) -> String {
    let DLDataType { code, bits, lanes } = dtype;
    let kind = match code {
        DLDataTypeCode::INT => "int",
        DLDataTypeCode::UINT => "uint",
        DLDataTypeCode::FLOAT => "float",
        DLDataTypeCode::BFLOAT => "bfloat",
        DLDataTypeCode::COMPLEX => "complex",
        DLDataTypeCode::BOOL => "bool",
        DLDataTypeCode(number) => return format!("of type code {number} with {bits} bits and {lanes} lanes"),
    };
    if lanes == 1 { format!("{kind}{bits}") } else { format!("vectors of {lanes} times {kind}{bits}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Complex, arange, array, bf16, f16, full, zeros};
    use dlpark::allocation::dynamic;
    use dlpark::ffi::{DLManagedTensor, DLManagedTensorVersioned};
    use ndarray::{ArrayD, arr1, arr2, s};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts how often it is dropped, and keeps elements.
    struct Kept(#[allow(dead_code, reason = "kept, not used")] Vec<u64>, Arc<AtomicUsize>);

    impl Drop for Kept {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A tensor as another library makes it, of elements in host memory; and how often it was dropped.
    fn foreign<M: ManagedTensorBase>(
        elements: Vec<u64>,
        dtype: DLDataType,
        shape: &[i64],
        strides: Option<&[i64]>,
        change: impl FnOnce(&mut dynamic::Initialized<M>),
    ) -> (Managed<M>, Arc<AtomicUsize>) {
        let drops = Arc::new(AtomicUsize::new(0));
        let data = elements.as_ptr().expose_provenance();
        let mut allocation = Allocation::<M>::allocate(2 * shape.len()).unwrap();
        allocation.extra_mut()[..shape.len()].copy_from_slice(shape);
        if let Some(strides) = strides {
            allocation.extra_mut()[shape.len()..].copy_from_slice(strides);
        }
        let mut tensor = allocation.initialize(Box::new(Kept(elements, drops.clone())), shape.len()).unwrap();
        let numbers = tensor.extra_mut().as_mut_ptr();
        tensor.tensor_mut().shape = numbers;
        if strides.is_some() {
            tensor.tensor_mut().strides = numbers.wrapping_add(shape.len());
        }
        tensor.set_data(std::ptr::with_exposed_provenance_mut(data)).set_dtype(dtype).set_device(DLDevice::CPU);
        change(&mut tensor);
        // SAFETY: the elements are kept by the tensor, and described as they are, or the test does not read them.
        (unsafe { tensor.finish() }, drops)
    }

    fn import_host<T: Element, M: ManagedTensorBase + 'static>(tensor: Managed<M>) -> Result<ArrayD<T>> {
        // SAFETY: the tests' tensors keep their elements.
        unsafe { DeviceArray::<T>::try_from_dlpack(tensor) }.map(|a| a.to_host())
    }

    #[test]
    fn a_round_trip_shares_the_elements_of_every_type() {
        fn check<T: Element>(values: [T; 4]) {
            let a = array(&values).reshape((2, 2));
            // SAFETY: the tensors are arrays' own.
            let mut b = unsafe { DeviceArray::<T>::from_dlpack(a.to_dlpack()) };
            assert_eq!((b.device(), b.shape(), b.strides()), (a.device(), a.shape(), a.strides()));
            // SAFETY: as above.
            let legacy = unsafe { DeviceArray::<T>::from_dlpack(a.t().to_dlpack_legacy()) };
            assert_eq!(legacy.strides(), [1, 2]);
            b.fill(values[1]);
            assert_eq!(a.to_host(), full((2, 2), values[1]).to_host());
            assert_eq!(legacy.to_host(), a.to_host());
        }
        check([true, false, true, true]);
        check([1u8, 2, 3, 4]);
        check([1i8, 2, 3, 4]);
        check([1u16, 2, 3, 4]);
        check([1i16, 2, 3, 4]);
        check([1i32, 2, 3, 4]);
        check([1u32, 2, 3, 4]);
        check([1i64, 2, 3, 4]);
        check([1u64, 2, 3, 4]);
        check([1.0, 2.0, 3.0, 4.0].map(f16::from_f32));
        check([1.0, 2.0, 3.0, 4.0].map(bf16::from_f32));
        check([1.0f32, 2.0, 3.0, 4.0]);
        check([1.0f64, 2.0, 3.0, 4.0]);
        check([1.0f32, 2.0, 3.0, 4.0].map(|part| Complex::new(part, -part)));
        check([1.0f64, 2.0, 3.0, 4.0].map(|part| Complex::new(part, -part)));
    }

    #[test]
    fn views_keep_their_strides_and_their_elements() {
        let a = arange(24).reshape((4, 6));
        let view = a.slice(s![1..;-1, ..;-2]);
        let tensor = view.to_dlpack();
        drop((a, view.clone()));
        assert_eq!(tensor.validate().unwrap().strides().unwrap(), [-6, -2]);
        // SAFETY: the tensor is an array's own.
        let again = unsafe { DeviceArray::<i32>::from_dlpack(tensor) };
        assert_eq!((again.to_host(), again.strides()), (view.to_host(), view.strides()));
        // SAFETY: as above.
        let scalar = unsafe { DeviceArray::<f64>::from_dlpack(full((), 2.5).to_dlpack()) };
        assert_eq!((scalar.item(), scalar.ndim()), (2.5, 0));
        let none = zeros::<f32>((3, 0)).to_dlpack();
        assert!(none.validate().unwrap().data_ptr().is_null());
        // SAFETY: as above.
        assert_eq!(unsafe { DeviceArray::<f32>::from_dlpack(none) }.shape(), [3, 0]);
    }

    #[test]
    fn what_must_not_be_written_to_is_copied() {
        let repeated = full(1, 2.0).broadcast_to(3);
        let tensor = repeated.to_dlpack();
        assert_eq!(tensor.flags(), DlpackFlags::READ_ONLY);
        // SAFETY: the tensors are arrays' own.
        let mut copy = unsafe { DeviceArray::<f64>::from_dlpack(tensor) };
        copy.fill(1.0);
        assert_eq!(repeated.sum(), 6.0);
        assert_eq!(repeated.to_dlpack_legacy().validate().unwrap().strides().unwrap(), [1]);
        // A window that slides over its elements.
        let (window, drops) =
            foreign::<DLManagedTensor>(vec![1, 2, 3, 4], DLDataType::U64, &[3, 2], Some(&[1, 1]), |_| {});
        // SAFETY: the tensor keeps its elements.
        let mut windows = unsafe { DeviceArray::<u64>::from_dlpack(window) };
        assert_eq!(drops.load(Ordering::Relaxed), 1);
        windows.slice(s![0, 1]).fill(7);
        assert_eq!(windows.to_host(), arr2(&[[1, 7], [2, 3], [3, 4]]).into_dyn());
        windows.fill(0);
    }

    #[test]
    fn a_tensor_is_dropped_with_the_last_view() {
        let (tensor, drops) = foreign::<DLManagedTensorVersioned>(
            vec![1, 2, 3, 4, 5, 6],
            DLDataType::U64,
            &[2, 3],
            Some(&[3, 1]),
            |_| {},
        );
        // SAFETY: the tensor keeps its elements.
        let a = unsafe { DeviceArray::<u64>::from_dlpack(tensor) };
        let row = a.slice(s![1, ..]);
        drop(a);
        assert_eq!((row.to_host(), drops.load(Ordering::Relaxed)), (arr1(&[4, 5, 6]).into_dyn(), 0));
        drop(row);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn offsets_and_missing_strides_are_understood() {
        let (tensor, _) = foreign::<DLManagedTensor>(vec![1, 2, 3, 4, 5], DLDataType::U64, &[2, 2], None, |tensor| {
            tensor.set_byte_offset(8);
        });
        assert_eq!(import_host::<u64, _>(tensor), Ok(arr2(&[[2, 3], [4, 5]]).into_dyn()));
        let (backwards, _) = foreign::<DLManagedTensor>(vec![1, 2, 3], DLDataType::U64, &[3], Some(&[-1]), |tensor| {
            tensor.set_byte_offset(16);
        });
        assert_eq!(import_host::<u64, _>(backwards), Ok(arr1(&[3, 2, 1]).into_dyn()));
        let (pinned, _) = foreign::<DLManagedTensor>(vec![9], DLDataType::U64, &[1], Some(&[1]), |tensor| {
            tensor.set_device(DLDevice { device_type: DLDeviceType::CUDAHOST, device_id: 0 });
        });
        assert_eq!(import_host::<u64, _>(pinned), Ok(arr1(&[9]).into_dyn()));
    }

    #[test]
    fn what_does_not_fit_is_an_error_that_names_it() {
        let refused = |dtype: DLDataType, change: fn(&mut dynamic::Initialized<DLManagedTensor>), said: &str| {
            let (tensor, drops) = foreign(vec![0; 4], dtype, &[2, 2], Some(&[2, 1]), change);
            let error = import_host::<f64, _>(tensor).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
            assert_eq!(drops.load(Ordering::Relaxed), 1);
        };
        refused(DLDataType::F32, |_| {}, "elements are f32, not f64; use `DeviceArray::<f32>::from_dlpack`");
        refused(DLDataType::C64, |_| {}, "elements are Complex<f32>, not f64");
        refused(DLDataType::new(DLDataTypeCode::FLOAT, 32, 4), |_| {}, "vectors of 4 times float32");
        refused(DLDataType::F8E5M2, |_| {}, "type code 12 with 8 bits");
        let metal = |tensor: &mut dynamic::Initialized<DLManagedTensor>| {
            tensor.set_device(DLDevice::metal(1));
        };
        refused(DLDataType::F64, metal, "kDLMetal:1");
        let odd = |tensor: &mut dynamic::Initialized<DLManagedTensor>| {
            tensor.set_byte_offset(3);
        };
        refused(DLDataType::F64, odd, "not a multiple of 8");
        let null = |tensor: &mut dynamic::Initialized<DLManagedTensor>| {
            tensor.set_data(std::ptr::null_mut());
        };
        refused(DLDataType::F64, null, "null");
        let negative = |tensor: &mut dynamic::Initialized<DLManagedTensor>| tensor.extra_mut()[0] = -1;
        refused(DLDataType::F64, negative, "negative");
        let endless = |tensor: &mut dynamic::Initialized<DLManagedTensor>| tensor.extra_mut()[2] = i64::MAX;
        refused(DLDataType::F64, endless, "strides go beyond");
        let nowhere = |tensor: &mut dynamic::Initialized<DLManagedTensor>| {
            tensor.set_device(DLDevice::cuda(4000));
        };
        refused(DLDataType::F64, nowhere, "cuda:4000");
    }
}
