//! Host memory that is locked in place (pinned): the device reads and writes it itself. A transfer to the device is queued, and nobody
//! copies on the host.
//!
//! A transfer finds by its address that it concerns such memory ([`of`]). The memory stays what it is until the last transfer from it
//! has ended, for which its owner waits ([`PinnedMemory::wait`]) before it writes to it.

use super::context::{Device, lock};
use super::status::check;
use cudarc::driver::sys;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use warpcell_base::backend::PinnedMemory;
use warpcell_base::error::Result;

/// The memory that is locked, by its first address.
static LOCKED: Mutex<BTreeMap<usize, Arc<Memory>>> = Mutex::new(BTreeMap::new());

/// A part of the host's memory that is locked.
pub struct Memory {
    device: Arc<Device>,
    bytes: usize,
    /// Recorded behind the last transfer from it.
    read: sys::CUevent,
    /// Held while a transfer is queued, so that the event is that of the last one.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether there was a transfer since somebody has waited.
    is_read: bool,
    /// Whether somebody may write to it without waiting again.
    is_lent: bool,
}

// SAFETY: events may be used from every thread.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

/// Locks memory until it is dropped.
pub struct Pinned {
    start: usize,
    memory: Arc<Memory>,
}

impl Pinned {
    /// Locks memory.
    ///
    /// # Safety
    /// The memory is there until the result is dropped, nothing else locks it, and after each transfer from it, it is written to only
    /// when [`wait`](PinnedMemory::wait) has returned, or the transfer came while it was [lent](PinnedMemory::set_lent).
    pub unsafe fn new(device: &Arc<Device>, start: *mut u8, bytes: usize) -> Result<Pinned> {
        device.bind()?;
        let mut read = std::ptr::null_mut();
        // SAFETY: the context is current; the memory is the caller's promise, and the pointer is a local to write to.
        unsafe {
            let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
            check(sys::cuMemHostRegister_v2(start.cast::<c_void>(), bytes, flags), "cuMemHostRegister")?;
            let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
            if let Err(error) = check(sys::cuEventCreate(&raw mut read, flags), "cuEventCreate") {
                let _ = sys::cuMemHostUnregister(start.cast::<c_void>());
                return Err(error);
            }
        }
        let memory = Arc::new(Memory { device: device.clone(), bytes, read, state: Mutex::default() });
        lock(&LOCKED).insert(start.addr(), memory.clone());
        Ok(Pinned { start: start.addr(), memory })
    }
}

impl PinnedMemory for Pinned {
    fn wait(&self) -> Result<()> {
        self.memory.wait()
    }

    fn set_lent(&self, is_lent: bool) {
        lock(&self.memory.state).is_lent = is_lent;
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        lock(&LOCKED).remove(&self.start);
        let waited = self.memory.device.bind().and_then(|()| self.memory.wait());
        // SAFETY: locked by `new`, and no transfer uses it: nobody finds it any more, and the last one was waited for. A context that
        // is lost does none.
        let status = unsafe {
            let _ = sys::cuEventDestroy_v2(self.memory.read);
            sys::cuMemHostUnregister(std::ptr::without_provenance_mut(self.start))
        };
        self.memory.device.defer(waited.and_then(|()| check(status, "cuMemHostUnregister")));
    }
}

impl Memory {
    fn wait(&self) -> Result<()> {
        self.wait_in(&mut lock(&self.state))
    }

    fn wait_in(&self, state: &mut State) -> Result<()> {
        if state.is_read {
            self.device.bind()?;
            // SAFETY: the event lives as long as the memory is locked.
            check(unsafe { sys::cuEventSynchronize(self.read) }, "a transfer")?;
            state.is_read = false;
        }
        Ok(())
    }

    /// Queues a transfer to a device address in this thread's stream, behind earlier ones of other streams.
    ///
    /// # Safety
    /// The range lies in this memory, and `source.len()` bytes from `target` in a live block of the device.
    pub(super) unsafe fn upload(&self, source: &[u8], target: u64) -> Result<()> {
        self.device.bind()?;
        let stream = self.device.stream();
        let mut state = lock(&self.state);
        // SAFETY: the caller's promise; event and stream are of one context and alive.
        unsafe {
            if state.is_read {
                check(sys::cuStreamWaitEvent(stream, self.read, 0), "cuStreamWaitEvent")?;
            }
            let status = sys::cuMemcpyHtoDAsync_v2(target, source.as_ptr().cast(), source.len(), stream);
            check(status, "cuMemcpyHtoDAsync")?;
            state.is_read = true;
            check(sys::cuEventRecord(self.read, stream), "cuEventRecord")?;
        }
        if state.is_lent { self.wait_in(&mut state) } else { Ok(()) }
    }

    /// Copies from a device address, and waits.
    ///
    /// # Safety
    /// The range lies in this memory, and `target.len()` bytes from `source` in a live block of the device.
    pub(super) unsafe fn download(&self, source: u64, target: &mut [u8]) -> Result<()> {
        self.device.bind()?;
        let stream = self.device.stream();
        // SAFETY: the caller's promise; the memory is borrowed until the transfer has ended.
        unsafe {
            let status = sys::cuMemcpyDtoHAsync_v2(target.as_mut_ptr().cast(), source, target.len(), stream);
            check(status, "cuMemcpyDtoHAsync")?;
            check(sys::cuStreamSynchronize(stream), "cuStreamSynchronize")
        }
    }
}

/// The memory of a device that a range of addresses lies in, if it is locked.
pub(super) fn of(device: &Device, start: *const u8, bytes: usize) -> Option<Arc<Memory>> {
    let locked = lock(&LOCKED);
    let (first, memory) = locked.range(..=start.addr()).next_back()?;
    let is_inside = start.addr() + bytes <= first + memory.bytes && std::ptr::eq(&raw const *memory.device, device);
    is_inside.then(|| memory.clone())
}
