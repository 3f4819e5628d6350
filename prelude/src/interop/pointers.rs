//! Pointers, streams, and slices of the bindings to CUDA.

use super::{Elements, adopted, row_major};
use crate::array::{DeviceArray, IntoShape, RawArray, byte_count};
use crate::backend::StreamOrder;
use crate::backend::cuda::driver::interop::{CudaSlice, Taken, take};
use crate::device::{self, Device};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use std::any::Any;

impl<T: Element> DeviceArray<T> {
    /// The address of the array's first element (0 if there are none): on the GPU, or in the host's memory if the array is on the
    /// CPU. The name is PyTorch's; CuPy's is `data.ptr`.
    ///
    /// [`strides`](Self::strides) tell where the others are. The array must live as long as the address is used, and work on the
    /// elements be in order: see [`interop`](crate::interop).
    ///
    /// ```
    /// let a = warpcell::arange(6.0);
    /// assert_eq!(a.slice(ndarray::s![2..]).data_ptr() - a.data_ptr(), 16);
    /// ```
    pub fn data_ptr(&self) -> usize {
        match self.size() {
            0 => 0,
            _ => self.raw.handle.backend.address(&self.raw.allocation) + self.raw.layout.offset * size_of::<T>(),
        }
    }

    /// The elements at an address, in row-major order, as an array on `device`, without copying; drops `owner`, which keeps them,
    /// when its last clone or view is dropped.
    ///
    /// ```
    /// use warpcell::{Device, DeviceArray};
    /// let values = vec![1.0f32, 2.0, 3.0, 4.0];
    /// // SAFETY: the vector has the elements, and is given away with them.
    /// let a = unsafe { DeviceArray::<f32>::from_data_ptr(values.as_ptr() as usize, (2, 2), Device::Cpu, values) };
    /// assert_eq!(a.get(&[1, 0]), 3.0);
    /// ```
    ///
    /// # Safety
    ///
    /// 1. As many elements as the shape has are there, in memory of the device (initialised, on the CPU), until `owner` is dropped.
    /// 2. Nothing else writes to them, or reads what operations on the array write, while these run. On a GPU, work that was queued
    ///    elsewhere is complete or ordered before ([`wait_for_stream`]).
    ///
    /// # Panics
    ///
    /// If the device cannot be used, the shape is too large to address, or the address is null or not aligned.
    #[track_caller]
    pub unsafe fn from_data_ptr(
        address: usize,
        shape: impl IntoShape,
        device: Device,
        owner: impl Send + Sync + 'static,
    ) -> DeviceArray<T> {
        // SAFETY: the caller's promise.
        let raw =
            unsafe { from_pointer("from_data_ptr", address, shape.into_shape(), device, T::DTYPE, Box::new(owner)) };
        DeviceArray::from_raw(check(raw))
    }
}

/// # Safety
///
/// What [`DeviceArray::from_data_ptr`] asks for.
unsafe fn from_pointer(
    operation: &'static str,
    address: usize,
    shape: Vec<usize>,
    device: Device,
    dtype: DType,
    owner: Box<dyn Any + Send + Sync>,
) -> Result<RawArray> {
    let handle = device::open(device)?;
    byte_count(operation, &shape, dtype)?;
    let elements = Elements { address, dtype, strides: row_major(&shape), shape, is_read_only: false };
    // SAFETY: the caller's promise.
    unsafe { adopted(operation, &handle, elements, owner) }
}

fallible! {
    /// A slice of `cudarc` (`interop::cudarc`) as a 1-D array on its device, without copying. Waits for the work that
    /// writes to it.
    ///
    /// The slice is freed when the last clone or view of the array is dropped. For the other way, `cudarc`'s functions
    /// on raw pointers take [`data_ptr`](DeviceArray::data_ptr), once [`synchronize`](crate::synchronize) or
    /// [`hold_stream`] has seen to the order.
    ///
    /// **Panics** if work on the slice failed, or its device cannot be used.
    ///
    /// ```no_run
    /// use warpcell::interop::{cudarc::driver::CudaContext, from_cuda_slice};
    /// let stream = CudaContext::new(0)?.new_stream()?;
    /// let a = from_cuda_slice(stream.clone_htod(&[1.0f32, 2.0, 3.0])?);
    /// assert_eq!(a.sum(), 6.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_cuda_slice, try_from_cuda_slice<T: Element>(slice: CudaSlice<T>) -> Result<DeviceArray<T>> {
        let Taken { ordinal, address, length, owner } = take(slice)?;
        // SAFETY: the slice has the elements in memory of its device, and nobody else can use it any more.
        let raw = unsafe {
            from_pointer("from_cuda_slice", address as usize, vec![length], Device::Cuda(ordinal), T::DTYPE, owner)
        };
        raw.map(DeviceArray::from_raw)
    }
}

/// The stream on which operations on arrays of the current device are queued, as a `CUstream` (which is a `cudaStream_t`); none on
/// the CPU.
///
/// **Panics** if `WARPCELL_DEVICE` names a device that cannot be used.
#[track_caller]
pub fn stream() -> Option<usize> {
    check(device::current()).backend.stream()
}

/// Makes operations on arrays of the current device wait, from now on, for what another stream was given so far; the host does not
/// wait.
///
/// # Safety
///
/// `stream` is the handle (a `cudaStream_t` or `CUstream`) of a stream of the current device that exists; 1 and 2 are CUDA's default
/// streams.
///
/// # Errors
///
/// [`Error::InvalidArgument`] on the CPU, which has no streams.
pub unsafe fn wait_for_stream(stream: usize) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { ordered("wait_for_stream", stream, StreamOrder::Theirs) }
}

/// Makes another stream wait, from now on, for the operations on arrays of the current device so far; the host does not wait.
///
/// # Safety
///
/// As of [`wait_for_stream`].
///
/// # Errors
///
/// As of [`wait_for_stream`].
pub unsafe fn hold_stream(stream: usize) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { ordered("hold_stream", stream, StreamOrder::Ours) }
}

/// # Safety
///
/// What [`wait_for_stream`] asks for.
unsafe fn ordered(operation: &'static str, stream: usize, first: StreamOrder) -> Result<()> {
    if stream == 0 {
        let reason = "the stream 0 can mean two streams; give 1 or 2, CUDA's default streams";
        return Err(Error::argument(operation, reason));
    }
    // SAFETY: the caller's promise.
    unsafe { device::current()?.backend.order(stream, first) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arange;

    #[test]
    fn elements_at_an_address_are_shared_and_their_owner_dropped_last() {
        let owner = std::sync::Arc::new(vec![1i32, 2, 3, 4, 5, 6]);
        let address = owner.as_ptr().expose_provenance();
        // SAFETY: the owner has the elements, which nothing else reads while operations run.
        let a = unsafe { DeviceArray::<i32>::from_data_ptr(address, (2, 3), Device::Cpu, owner.clone()) };
        assert_eq!((a.data_ptr(), a.shape(), a.sum()), (address, &[2, 3][..], 21));
        let view = a.t();
        drop(a);
        assert_eq!(std::sync::Arc::strong_count(&owner), 2);
        drop(view);
        assert_eq!(std::sync::Arc::strong_count(&owner), 1);
    }

    #[test]
    fn bad_addresses_are_errors() {
        let refused = |address: usize, shape: Vec<usize>, said: &str| {
            // SAFETY: nothing is read: the address is refused.
            let raw = unsafe { from_pointer("from_data_ptr", address, shape, Device::Cpu, DType::F64, Box::new(())) };
            let error = raw.err().expect("an error").to_string();
            assert!(error.contains(said), "{error}");
        };
        refused(0, vec![1], "null");
        refused(12, vec![1], "not a multiple of 8");
        refused(usize::MAX - 7, vec![2], "go beyond");
        refused(8, vec![usize::MAX, 2], "more elements");
        // SAFETY: as above.
        let empty = unsafe { from_pointer("from_data_ptr", 0, vec![0, 3], Device::Cpu, DType::F64, Box::new(())) };
        assert_eq!(empty.unwrap().shape(), [0, 3]);
    }

    #[test]
    fn streams_are_those_of_a_gpu() {
        assert_eq!(stream().is_some(), crate::device() != Device::Cpu);
        // SAFETY: 0 is refused, and 1 is CUDA's default stream.
        let (zero, default) = unsafe { (wait_for_stream(0), hold_stream(1)) };
        assert!(zero.is_err());
        assert_eq!(default.is_ok(), crate::device() != Device::Cpu);
        assert_eq!(arange(3).slice(ndarray::s![3..]).data_ptr(), 0);
    }
}
