//! Pinned memory of the host that the device writes to as well: how kernels tell the host something without a copy.

use super::status::check;
use cudarc::driver::sys;
use std::ptr::NonNull;
use warpcell_base::error::Result;

/// `COUNT` values, which begin as zeros. Whoever has it frees it.
pub(super) struct Mapped<T, const COUNT: usize> {
    host: NonNull<T>,
    device: u64,
}

// SAFETY: pinned memory of the host may be used from every thread.
unsafe impl<T: Send, const COUNT: usize> Send for Mapped<T, COUNT> {}

impl<T: Copy, const COUNT: usize> Mapped<T, COUNT> {
    /// Zeros are a value of the type. The context is current.
    pub fn zeros() -> Result<Mapped<T, COUNT>> {
        let (mut host, mut device) = (std::ptr::null_mut(), 0);
        let bytes = COUNT * size_of::<T>();
        // SAFETY: the context is current; the pointers are to locals, and the memory is written to within its size.
        unsafe {
            let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
            check(sys::cuMemHostAlloc(&raw mut host, bytes, flags), "cuMemHostAlloc")?;
            std::ptr::write_bytes(host.cast::<u8>(), 0, bytes);
            let status = sys::cuMemHostGetDevicePointer_v2(&raw mut device, host, 0);
            if let Err(error) = check(status, "cuMemHostGetDevicePointer") {
                let _ = sys::cuMemFreeHost(host);
                return Err(error);
            }
        }
        match NonNull::new(host.cast()) {
            Some(host) => Ok(Mapped { host, device }),
            None => unreachable!("cuMemHostAlloc reports a failure as a status"),
        }
    }

    /// A value, as the host has it. The device may write to it at any time, so it is read as what changes by itself.
    pub fn value(&self, number: usize) -> *mut T {
        assert!(number < COUNT, "value {number} of {COUNT}");
        // SAFETY: there are as many.
        unsafe { self.host.as_ptr().add(number) }
    }

    /// The address of a value on the device.
    pub fn address(&self, number: usize) -> u64 {
        self.device + (number * size_of::<T>()) as u64
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// The context is current, and no kernel that knows the memory runs.
    pub unsafe fn release(self) {
        // SAFETY: the caller's promise.
        let _ = unsafe { sys::cuMemFreeHost(self.host.as_ptr().cast()) };
    }
}
