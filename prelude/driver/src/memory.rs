//! Device memory from the caching pool.

use super::context::{Device, lock};
pub use super::pool::Figures;
use super::pool::{Chunk, Pool, UNIT};
use super::queue::new_marker;
use super::status::check;
use super::usage::Usage;
use cudarc::driver::sys::{self, CUresult};
use std::cell::RefCell;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use warpcell_base::error::{Error, Result};

/// A block of device memory; goes back to the pool when dropped.
///
/// It may be handed out again while queued work of its queue still uses it: whatever is queued there for the new owner runs
/// after that work. If other queues have used it too, it is withheld until they have come past that.
pub struct DeviceMemory {
    /// Also keeps the context alive, without which the address means nothing.
    device: Arc<Device>,
    address: u64,
    bytes: usize,
    origin: Origin,
    /// The queue that it was made for.
    queue: u8,
    usage: Usage,
    /// The checks that its contents depend on; see `checks.rs`.
    checks: AtomicU64,
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
        let queue = device.queue().number;
        let rounded = match bytes.checked_next_multiple_of(UNIT) {
            Some(0) => return Ok(DeviceMemory::of(device, 0, bytes, Origin::Nowhere, queue)),
            Some(rounded) => rounded,
            None => return Err(out_of_memory(device, bytes, lock(&device.pool).figures())),
        };
        let mut pool = lock(&device.pool);
        let (chunk, address) = match pool.take(rounded, queue) {
            Some(found) => found,
            None => grow(device, &mut pool, bytes, rounded, queue)?,
        };
        drop(pool);
        Ok(DeviceMemory::of(device, address, bytes, Origin::Pool(chunk), queue))
    }

    fn of(device: &Arc<Device>, address: u64, bytes: usize, origin: Origin, queue: u8) -> DeviceMemory {
        DeviceMemory {
            device: device.clone(),
            address,
            bytes,
            origin,
            queue,
            usage: Usage::of(1 << queue),
            checks: AtomicU64::new(0),
        }
    }

    /// Uninitialised memory outside the pool, for what the backend keeps for itself.
    pub fn outside_pool(device: &Arc<Device>, bytes: usize) -> Result<DeviceMemory> {
        device.bind()?;
        let address = match driver_allocate(bytes)? {
            Some(address) => address,
            None => {
                trim(device)?;
                let figures = lock(&device.pool).figures();
                driver_allocate(bytes)?.ok_or_else(|| out_of_memory(device, bytes, figures))?
            }
        };
        Ok(DeviceMemory::of(device, address, bytes, Origin::Driver, device.queue().number))
    }

    /// Lets this thread's queue wait for what other queues still do to the block, before work is queued there that writes to
    /// it or only reads it. Nothing while a graph is captured: what it uses is waited for when it is launched.
    ///
    /// Not needed for a block that was made for one operation: whoever had it before, worked in the same queue.
    #[inline]
    pub fn order(&self, writes: bool) -> Result<()> {
        if self.device.has_streams() { self.order_among_streams(writes) } else { Ok(()) }
    }

    fn order_among_streams(&self, writes: bool) -> Result<()> {
        let queue = self.device.queue();
        if queue.is_capture || self.bytes == 0 {
            return Ok(());
        }
        self.usage.note(queue.bit(), writes, |others| self.device.join(queue, others))
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Memory that others own, of whom the caller makes sure that they keep it as long as this.
    pub fn foreign(device: &Arc<Device>, address: u64, bytes: usize) -> DeviceMemory {
        DeviceMemory::of(device, address, bytes, Origin::Nowhere, device.queue().number)
    }

    /// Whether other queues have used the block than the one that it was made for.
    pub fn has_other_users(&self) -> bool {
        self.device.has_streams() && self.usage.touched() & !(1 << self.queue) != 0
    }

    /// Where `checks.rs` keeps what the contents depend on; 0 if that is nothing.
    #[inline]
    pub fn checks(&self) -> &AtomicU64 {
        &self.checks
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
        self.set_first_bytes(value, self.bytes)
    }

    /// The same for so many bytes at the beginning; all, if there are fewer.
    pub fn set_first_bytes(&self, value: u8, bytes: usize) -> Result<()> {
        let bytes = bytes.min(self.bytes);
        if bytes == 0 {
            return Ok(());
        }
        self.device.bind()?;
        let stream = self.device.stream();
        // SAFETY: the block has `bytes` bytes and lives until work queued behind this reuses it (see the type).
        check(unsafe { sys::cuMemsetD8Async(self.address, value, bytes, stream) }, "cuMemsetD8Async")
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        match self.origin {
            Origin::Nowhere => {}
            Origin::Pool(chunk) if self.device.has_streams() => self.give_among_streams(chunk),
            Origin::Pool(chunk) => lock(&self.device.pool).give(chunk),
            Origin::Driver => {
                // SAFETY: the address came from `cuMemAlloc` and is not used after this; the driver waits for queued work.
                let freed = |()| check(unsafe { sys::cuMemFree_v2(self.address) }, "cuMemFree");
                self.device.defer(self.device.bind().and_then(freed));
            }
        }
    }
}

impl DeviceMemory {
    /// Gives the block back to the pool, for when the queues that have used it are done with it.
    fn give_among_streams(&mut self, chunk: Chunk) {
        if self.device.is_capturing() {
            // The graph will use it at each launch.
            let origin = std::mem::replace(&mut self.origin, Origin::Nowhere);
            let usage = std::mem::replace(&mut self.usage, Usage::of(0));
            let (device, address, bytes, queue) = (self.device.clone(), self.address, self.bytes, self.queue);
            let kept = DeviceMemory { device, address, bytes, origin, queue, usage, checks: AtomicU64::new(0) };
            return KEPT.with_borrow_mut(|blocks| blocks.push(kept));
        }
        let others = self.usage.touched() & !(1 << self.queue);
        if others == 0 {
            return lock(&self.device.pool).give(chunk);
        }
        let marked = self.device.bind().and_then(|()| self.device.mark(others));
        let mut pool = lock(&self.device.pool);
        pool.withhold(chunk);
        match marked {
            Ok(events) => lock(&self.device.withheld).push(Withheld { chunk, events }),
            Err(_) => {
                // Without events: wait here.
                self.device.defer(self.device.wait_for_queues());
                pool.free(chunk);
            }
        }
    }
}

thread_local! {
    /// Blocks that were dropped while this thread captured a graph.
    static KEPT: RefCell<Vec<DeviceMemory>> = const { RefCell::new(Vec::new()) };
}

/// The blocks that were dropped since this thread has begun to capture a graph.
pub(super) fn take_kept() -> Vec<DeviceMemory> {
    KEPT.take()
}

/// A block of the pool that other queues than its own may still use.
pub struct Withheld {
    chunk: Chunk,
    /// One for each of these queues, behind its last use of the block.
    events: Vec<sys::CUevent>,
}

// SAFETY: events are tokens of the driver, which may be used from every thread.
unsafe impl Send for Withheld {}

impl Withheld {
    /// Whether the queues are done with the block. What cannot be asked counts as done: then the context is lost.
    fn is_done(&self) -> bool {
        // SAFETY: the events are alive until `end`.
        self.events.iter().all(|&event| unsafe { sys::cuEventQuery(event) } != CUresult::CUDA_ERROR_NOT_READY)
    }

    /// The block, when the queues are done with it.
    pub(super) fn end(self) -> Chunk {
        for event in self.events {
            // SAFETY: made by `mark`, used for the last time.
            let _ = unsafe { sys::cuEventDestroy_v2(event) };
        }
        self.chunk
    }
}

impl Device {
    /// An event behind the work of each queue of a set. The context is current.
    fn mark(&self, queues: u32) -> Result<Vec<sys::CUevent>> {
        let mut events = Vec::new();
        let result = self.streams(queues).try_for_each(|stream| {
            let event = new_marker()?;
            events.push(event);
            // SAFETY: both are alive and of the current context.
            check(unsafe { sys::cuEventRecord(event, stream) }, "cuEventRecord")
        });
        if let Err(error) = result {
            for event in events {
                // SAFETY: made above, used for the last time.
                let _ = unsafe { sys::cuEventDestroy_v2(event) };
            }
            return Err(error);
        }
        Ok(events)
    }
}

/// Copies `bytes` bytes from one device address to another, queued.
///
/// # Safety
/// Both ranges lie in live blocks of `device` and do not overlap.
pub unsafe fn copy(device: &Device, source: u64, target: u64, bytes: usize) -> Result<()> {
    device.bind()?;
    // SAFETY: by the caller's promise.
    check(unsafe { sys::cuMemcpyDtoDAsync_v2(target, source, bytes, device.stream()) }, "cuMemcpyDtoDAsync")
}

/// Copies `bytes` bytes from a block of one device, from `offset` on, to the start of one of another device: queued there,
/// behind earlier work on both. Later work in this thread's queue of the first device waits for it.
pub fn copy_between(source: &DeviceMemory, offset: usize, target: &DeviceMemory, bytes: usize) -> Result<()> {
    let end = offset.checked_add(bytes);
    assert!(end.is_some_and(|end| end <= source.bytes) && bytes <= target.bytes, "a copy stays within both blocks");
    if bytes == 0 {
        return Ok(());
    }
    let (from, to) = (&source.device, &target.device);
    source.order(false)?;
    target.order(true)?;
    to.join_other(from)?;
    to.allow_peer(from)?;
    to.bind()?;
    let (start, stream) = (source.address + offset as u64, to.stream());
    // SAFETY: both ranges lie in live blocks, as was just checked, of two devices or in two blocks of one, so they do not
    // overlap. The blocks may be dropped when this returns: both queues that they belong to, or have noted as users, are behind.
    let status = unsafe { sys::cuMemcpyPeerAsync(target.address, to.context, start, from.context, bytes, stream) };
    check(status, "cuMemcpyPeerAsync")?;
    // What the first device does with its block from now on comes after the copy.
    from.join_other(to)
}

/// Bytes that the driver has free, and all bytes of the device.
pub fn driver_figures(device: &Device) -> Result<(usize, usize)> {
    let (mut free, mut total) = (0, 0);
    device.bind()?;
    // SAFETY: the context is current; both are sizes to write to.
    check(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) }, "cuMemGetInfo")?;
    Ok((free, total))
}

/// What the pool holds.
pub fn pool_figures(device: &Device) -> Figures {
    lock(&device.pool).figures()
}

/// What the environment limits the pool of each device of the process to.
const LIMIT: &str = "WARPCELL_GPU_MEMORY";

/// The limit that `WARPCELL_GPU_MEMORY` sets for the pool of a device with so many bytes; none if it is not set.
pub fn limit_from_environment(total: usize) -> Result<Option<usize>> {
    let Some(text) = std::env::var_os(LIMIT).filter(|text| !text.is_empty()) else { return Ok(None) };
    let text = text.to_string_lossy();
    let reason =
        || format!("\"{text}\" is no size; write `{LIMIT}=2GB`, or a share of the GPU's memory, `{LIMIT}=25%`");
    parsed_limit(&text, total).map(Some).ok_or_else(|| Error::argument(LIMIT, reason()))
}

/// Bytes, with a unit or without, or a percentage of `total`.
fn parsed_limit(text: &str, total: usize) -> Option<usize> {
    const UNITS: [(&str, f64); 8] = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("B", 1.0),
        ("", 1.0),
    ];
    let text = text.trim();
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    if let Some(share) = text.strip_suffix('%') {
        return number(share).filter(|&share| share <= 100.0).map(|share| (total as f64 * share / 100.0) as usize);
    }
    let ends_with = |unit: &str| {
        text.len() >= unit.len()
            && text.is_char_boundary(text.len() - unit.len())
            && text[text.len() - unit.len()..].eq_ignore_ascii_case(unit)
    };
    let (unit, factor) = UNITS.into_iter().find(|(unit, _)| ends_with(unit))?;
    number(&text[..text.len() - unit.len()]).map(|amount| (amount * factor) as usize)
}

/// Limits what the pool may hold from now on.
pub fn set_limit(device: &Device, limit: Option<usize>) {
    lock(&device.pool).set_limit(limit);
}

/// Gives all segments of which nothing is in use back to the driver, after the queued work.
pub fn trim(device: &Device) -> Result<()> {
    device.bind()?;
    release_unused(device, &mut lock(&device.pool))
}

/// Gives segments that nothing has used for some time back to the driver, unless the device is at work.
pub fn trim_idle(device: &Device) -> Result<()> {
    release_idle(device, &mut lock(&device.pool))
}

/// Seconds after which a segment that nothing uses goes back to the driver: others may want it.
const IDLE: u64 = 60;

/// A chunk of `rounded` bytes where the pool had none for the queue: what others are done with, or a segment from the driver.
/// Before it fails it has given back what is unused.
#[cold]
fn grow(device: &Device, pool: &mut Pool, requested: usize, rounded: usize, queue: u8) -> Result<(Chunk, u64)> {
    device.bind()?;
    if device.has_streams() {
        free_withheld(device, pool);
        if let Some(found) = pool.take(rounded, queue) {
            return Ok(found);
        }
        if pool.hand_on(rounded, queue, |other| device.is_queue_done(other))?
            && let Some(found) = pool.take(rounded, queue)
        {
            return Ok(found);
        }
    }
    release_idle(device, pool)?;
    for released in [false, true] {
        if released {
            release_unused(device, pool)?;
        }
        if pool.has_room_for(rounded)
            && let Some(address) = driver_allocate(rounded)?
        {
            return Ok((pool.add(address, rounded, queue), address));
        }
    }
    Err(out_of_memory(device, requested, pool.figures()))
}

/// Lets withheld blocks that no queue uses any more be handed out.
fn free_withheld(device: &Device, pool: &mut Pool) {
    let mut withheld = lock(&device.withheld);
    for done in withheld.extract_if(.., |withheld| withheld.is_done()) {
        pool.free(done.end());
    }
}

fn release_unused(device: &Device, pool: &mut Pool) -> Result<()> {
    // Queued work may still use what its owners have dropped.
    device.wait_for_queues()?;
    free_withheld(device, pool);
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
    if !device.are_queues_done()? {
        return Ok(());
    }
    free_withheld(device, pool);
    // SAFETY: the queued work is done.
    unsafe { free(pool.remove_idle(now, IDLE)) }
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
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
        status => check(status, "cuMemAlloc").map(|()| Some(address)),
    }
}

#[cold]
fn out_of_memory(device: &Device, requested: usize, pool: Figures) -> Error {
    let free = driver_figures(device).map_or(0, |(free, _)| free);
    Error::OutOfMemory { device: device.label(), requested, free, pooled: pool.total, limit: pool.limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_sizes_or_shares() {
        let limits = [
            ("1000", Some(1000)),
            (" 2GB ", Some(2_000_000_000)),
            ("2 gb", Some(2_000_000_000)),
            ("1.5GiB", Some(1_610_612_736)),
            ("512MiB", Some(512 << 20)),
            ("64kB", Some(64_000)),
            ("7B", Some(7)),
            ("25%", Some(2_000)),
            ("100 %", Some(8_000)),
            ("101%", None),
            ("0", None),
            ("-1GB", None),
            ("2G", None),
            ("GB", None),
            ("NaN", None),
            ("inf%", None),
            ("zwölf", None),
        ];
        for (text, expected) in limits {
            assert_eq!(parsed_limit(text, 8_000), expected, "{text}");
        }
    }
}
