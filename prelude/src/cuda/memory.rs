//! Device memory from the caching pool.

use super::context::Device;
use super::pool::{Chunk, UNIT};
use super::status::check;
use crate::error::{Error, Result};
use cudarc::driver::sys;
use std::sync::Arc;

/// A block of device memory; goes back to the pool when dropped.
///
/// It may be handed out again while queued work still uses it: the device has one stream, so whatever is queued for the
/// new owner runs after that work.
pub(crate) struct DeviceMemory {
    /// Also keeps the context alive, without which the address means nothing.
    device: Arc<Device>,
    address: u64,
    bytes: usize,
    origin: Origin,
}

#[derive(Clone, Copy)]
enum Origin {
    /// A block of no bytes.
    Nowhere,
    Pool(Chunk),
    /// Outside the pool, so that its figures count arrays only.
    Driver,
}

impl DeviceMemory {
    /// Uninitialised memory of `bytes` bytes. Asks the driver only if the pool has no chunk that is large enough.
    pub fn new(device: &Arc<Device>, bytes: usize) -> Result<DeviceMemory> {
        let rounded = match bytes.checked_next_multiple_of(UNIT) {
            Some(0) => return Ok(DeviceMemory { device: device.clone(), address: 0, bytes, origin: Origin::Nowhere }),
            Some(rounded) => rounded,
            None => return Err(out_of_memory(device, bytes)),
        };
        let mut pool = device.pool();
        let (chunk, address) = match pool.take(rounded) {
            Some(found) => found,
            None => {
                device.bind()?;
                let address = match driver_allocate(rounded)? {
                    Some(address) => address,
                    None => {
                        release_unused(device, &mut pool)?;
                        match driver_allocate(rounded)? {
                            Some(address) => address,
                            None => {
                                drop(pool);
                                return Err(out_of_memory(device, bytes));
                            }
                        }
                    }
                };
                (pool.add(address, rounded), address)
            }
        };
        drop(pool);
        Ok(DeviceMemory { device: device.clone(), address, bytes, origin: Origin::Pool(chunk) })
    }

    /// Uninitialised memory outside the pool, for what the backend keeps for itself.
    pub fn outside_pool(device: &Arc<Device>, bytes: usize) -> Result<DeviceMemory> {
        device.bind()?;
        let address = driver_allocate(bytes)?.ok_or_else(|| out_of_memory(device, bytes))?;
        Ok(DeviceMemory { device: device.clone(), address, bytes, origin: Origin::Driver })
    }

    /// The first byte's address on the device; 0 if there are no bytes.
    pub fn address(&self) -> u64 {
        self.address
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sets all bytes to `value`, queued.
    pub fn set_bytes(&self, value: u8) -> Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        self.device.bind()?;
        // SAFETY: the block has `bytes` bytes and lives until work queued behind this reuses it (see the type).
        check(unsafe { sys::cuMemsetD8Async(self.address, value, self.bytes, self.device.stream) }, "cuMemsetD8Async")
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        match self.origin {
            Origin::Nowhere => {}
            Origin::Pool(chunk) => self.device.pool().give(chunk),
            Origin::Driver => {
                // SAFETY: the address came from `cuMemAlloc` and is not used after this; the driver waits for queued work.
                let freed = |()| check(unsafe { sys::cuMemFree_v2(self.address) }, "cuMemFree");
                self.device.defer(self.device.bind().and_then(freed));
            }
        }
    }
}

/// Copies `bytes` bytes from one device address to another, queued.
///
/// # Safety
/// Both ranges lie in live blocks of `device` and do not overlap.
pub(crate) unsafe fn copy(device: &Device, source: u64, target: u64, bytes: usize) -> Result<()> {
    device.bind()?;
    // SAFETY: by the caller's promise.
    check(unsafe { sys::cuMemcpyDtoDAsync_v2(target, source, bytes, device.stream) }, "cuMemcpyDtoDAsync")
}

/// Bytes that the driver has free, and all bytes of the device.
pub(crate) fn driver_figures(device: &Device) -> Result<(usize, usize)> {
    let (mut free, mut total) = (0, 0);
    device.bind()?;
    // SAFETY: the context is current; both are sizes to write to.
    check(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) }, "cuMemGetInfo")?;
    Ok((free, total))
}

/// Bytes in use and bytes held by the pool.
pub(crate) fn pool_figures(device: &Device) -> (usize, usize) {
    device.pool().figures()
}

/// Gives all segments of which nothing is in use back to the driver, after the queued work.
pub(crate) fn trim(device: &Device) -> Result<()> {
    device.bind()?;
    release_unused(device, &mut device.pool())
}

fn release_unused(device: &Device, pool: &mut super::pool::Pool) -> Result<()> {
    // Queued work may still use what its owners have dropped.
    // SAFETY: the stream lives as long as the device.
    check(unsafe { sys::cuStreamSynchronize(device.stream) }, "the queued work")?;
    let mut result = Ok(());
    for address in pool.remove_unused() {
        // SAFETY: the address came from `cuMemAlloc`; the pool has forgotten it, and no work uses it any more.
        result = result.and(check(unsafe { sys::cuMemFree_v2(address) }, "cuMemFree"));
    }
    result
}

/// Memory from the driver; `None` if it has none left.
fn driver_allocate(bytes: usize) -> Result<Option<u64>> {
    let mut address = 0;
    // SAFETY: the caller has made the context current; `address` is a device pointer to write to.
    match unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) } {
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
        status => check(status, "cuMemAlloc").map(|()| Some(address)),
    }
}

#[cold]
fn out_of_memory(device: &Device, requested: usize) -> Error {
    let free = driver_figures(device).map_or(0, |(free, _)| free);
    Error::OutOfMemory { device: device.label(), requested, free, pooled: pool_figures(device).1 }
}
