//! Device memory from the caching pool.

use super::context::Device;
pub(crate) use super::pool::Figures;
use super::pool::{Chunk, Pool, UNIT};
use super::status::check;
use crate::error::{Error, Result};
use cudarc::driver::sys;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

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
    /// A block of no bytes, or of others' memory.
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
            None => return Err(out_of_memory(device, bytes, device.pool().figures())),
        };
        let mut pool = device.pool();
        let (chunk, address) = match pool.take(rounded) {
            Some(found) => found,
            None => grow(device, &mut pool, bytes, rounded)?,
        };
        drop(pool);
        Ok(DeviceMemory { device: device.clone(), address, bytes, origin: Origin::Pool(chunk) })
    }

    /// Uninitialised memory outside the pool, for what the backend keeps for itself.
    pub fn outside_pool(device: &Arc<Device>, bytes: usize) -> Result<DeviceMemory> {
        device.bind()?;
        let address = match driver_allocate(bytes)? {
            Some(address) => address,
            None => {
                trim(device)?;
                let figures = device.pool().figures();
                driver_allocate(bytes)?.ok_or_else(|| out_of_memory(device, bytes, figures))?
            }
        };
        Ok(DeviceMemory { device: device.clone(), address, bytes, origin: Origin::Driver })
    }

    /// Memory that others own, of whom the caller makes sure that they keep it as long as this.
    pub fn foreign(device: &Arc<Device>, address: u64, bytes: usize) -> DeviceMemory {
        DeviceMemory { device: device.clone(), address, bytes, origin: Origin::Nowhere }
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

/// What the pool holds.
pub(crate) fn pool_figures(device: &Device) -> Figures {
    device.pool().figures()
}

/// Limits what the pool may hold from now on.
pub(crate) fn set_limit(device: &Device, limit: Option<usize>) {
    device.pool().set_limit(limit);
}

/// Gives all segments of which nothing is in use back to the driver, after the queued work.
pub(crate) fn trim(device: &Device) -> Result<()> {
    device.bind()?;
    release_unused(device, &mut device.pool())
}

/// Gives segments that nothing has used for some time back to the driver, unless the device is at work.
pub(crate) fn trim_idle(device: &Device) -> Result<()> {
    release_idle(device, &mut device.pool())
}

/// Seconds after which a segment that nothing uses goes back to the driver: others may want it.
const IDLE: u64 = 60;

/// A segment from the driver of `rounded` bytes, all of it in use. Before it fails it has given back what is unused.
#[cold]
fn grow(device: &Device, pool: &mut Pool, requested: usize, rounded: usize) -> Result<(Chunk, u64)> {
    device.bind()?;
    release_idle(device, pool)?;
    for released in [false, true] {
        if released {
            release_unused(device, pool)?;
        }
        if pool.has_room_for(rounded)
            && let Some(address) = driver_allocate(rounded)?
        {
            return Ok((pool.add(address, rounded), address));
        }
    }
    Err(out_of_memory(device, requested, pool.figures()))
}

fn release_unused(device: &Device, pool: &mut Pool) -> Result<()> {
    // Queued work may still use what its owners have dropped.
    // SAFETY: the stream lives as long as the device.
    check(unsafe { sys::cuStreamSynchronize(device.stream) }, "the queued work")?;
    // SAFETY: the queued work is done.
    unsafe { free(pool.remove_unused()) }
}

fn release_idle(device: &Device, pool: &mut Pool) -> Result<()> {
    static START: OnceLock<Instant> = OnceLock::new();
    let now = START.get_or_init(Instant::now).elapsed().as_secs();
    if !pool.note_idle(now, IDLE) {
        return Ok(());
    }
    device.bind()?;
    // Not worth waiting for.
    // SAFETY: the stream lives as long as the device.
    match unsafe { sys::cuStreamQuery(device.stream) } {
        sys::CUresult::CUDA_ERROR_NOT_READY => Ok(()),
        status => {
            check(status, "the queued work")?;
            // SAFETY: the queued work is done.
            unsafe { free(pool.remove_idle(now, IDLE)) }
        }
    }
}

/// Gives segments that the pool has forgotten back to the driver.
///
/// # Safety
/// The context is current, the addresses came from `cuMemAlloc`, and no work uses them any more.
unsafe fn free(addresses: Vec<u64>) -> Result<()> {
    let mut result = Ok(());
    for address in addresses {
        // SAFETY: the caller's promise.
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
fn out_of_memory(device: &Device, requested: usize, pool: Figures) -> Error {
    let free = driver_figures(device).map_or(0, |(free, _)| free);
    Error::OutOfMemory { device: device.label(), requested, free, pooled: pool.total, limit: pool.limit }
}
