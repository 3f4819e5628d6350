//! What sharing memory with other users of CUDA in the process needs: order between streams, and whose memory an address is.

use super::context::Device;
use super::library;
use super::status::check;
pub use cudarc::driver::CudaSlice;
use cudarc::driver::{DevicePtr, sys};
use std::any::Any;
use std::ffi::c_int;
use warpcell_base::error::{Error, Result};

/// The bindings themselves, for cells that name them.
pub mod bindings {
    #[doc(no_inline)]
    pub use cudarc;
}

/// The handle of the stream on which work is queued.
pub fn stream(device: &Device) -> usize {
    device.stream() as usize
}

/// Waits for the work that was queued, on whichever of our streams.
pub fn wait_for_all(device: &Device) -> Result<()> {
    device.bind()?;
    device.wait_for_queues()
}

/// Makes what is queued from now on wait for what `stream` was given so far; with `ours_first`, the other way round.
///
/// # Safety
///
/// `stream` is the handle of a stream of the device's context that exists (1 and 2 are the default ones).
pub unsafe fn order(device: &Device, stream: usize, ours_first: bool) -> Result<()> {
    device.bind()?;
    let theirs: sys::CUstream = std::ptr::with_exposed_provenance_mut(stream);
    let (first, second) = if ours_first { (device.stream(), theirs) } else { (theirs, device.stream()) };
    let mut event = std::ptr::null_mut();
    let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
    // SAFETY: the context is current, the pointer is to a local, and both streams exist (the caller's promise). A destroyed
    // event is kept by the driver until what waits for it is done.
    unsafe {
        check(sys::cuEventCreate(&raw mut event, flags), "cuEventCreate")?;
        let ordered = check(sys::cuEventRecord(event, first), "cuEventRecord")
            .and_then(|()| check(sys::cuStreamWaitEvent(second, event, 0), "cuStreamWaitEvent"));
        ordered.and(check(sys::cuEventDestroy_v2(event), "cuEventDestroy"))
    }
}

/// The context that is current in this thread: it is current again when this is dropped. Other libraries choose their device by it.
pub struct KeptContext(sys::CUcontext);

impl KeptContext {
    pub fn begin() -> Result<KeptContext> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the driver is initialised, as a device was opened; `current` is a local to write to.
        check(unsafe { sys::cuCtxGetCurrent(&raw mut current) }, "cuCtxGetCurrent")?;
        Ok(KeptContext(current))
    }
}

impl Drop for KeptContext {
    fn drop(&mut self) {
        // SAFETY: the context was current, or there was none.
        let _ = unsafe { sys::cuCtxSetCurrent(self.0) };
    }
}

/// The number of the device that an address of CUDA's memory belongs to.
pub fn ordinal_of(operation: &'static str, address: u64) -> Result<usize> {
    let invalid = |reason: String| Error::argument(operation, reason);
    library::driver().map_err(invalid)?;
    let mut ordinal: c_int = 0;
    // SAFETY: the driver is present, and initialised (any number of times is allowed); the attribute is an int, and any address
    // may be asked about.
    let status = unsafe {
        check(sys::cuInit(0), "cuInit")?;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        sys::cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address)
    };
    match status {
        sys::CUresult::CUDA_ERROR_INVALID_VALUE => {
            Err(invalid(format!("the address {address:#x} is not in memory of a CUDA device; give a device pointer")))
        }
        status => {
            check(status, "cuPointerGetAttribute")?;
            usize::try_from(ordinal).map_err(|_| invalid(format!("the address {address:#x} belongs to no device")))
        }
    }
}

/// Memory of a slice, taken over with it.
pub struct Taken {
    pub ordinal: usize,
    pub address: u64,
    pub length: usize,
    pub owner: Box<dyn Any + Send + Sync>,
}

/// Waits for the work that writes to a slice of the bindings, and takes it over.
pub fn take<T: 'static>(slice: CudaSlice<T>) -> Result<Taken> {
    let stream = slice.stream().clone();
    // The guard, which is dropped at once, would note work of ours for the bindings' own order; the slice is ours from now on.
    let (address, _) = slice.device_ptr(&stream);
    stream.synchronize().map_err(|error| Error::Cuda {
        operation: "the work that writes to the slice".into(),
        status: error.to_string(),
    })?;
    Ok(Taken { ordinal: slice.ordinal(), address, length: slice.len(), owner: Box::new(slice) })
}
