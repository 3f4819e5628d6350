//! Transfers between pageable host memory and the device, through pinned buffers.
//!
//! A large transfer is cut into pieces. Several threads each own two pinned buffers: while the device copies from one,
//! the thread fills the other. So copying on the host (and, for fresh memory, the page faults) overlaps with the bus.
//! Threads of its own, not rayon's: a rayon worker that waits may run another task, which may ask for a transfer, and
//! would wait for itself.

use super::context::{Device, lock};
use super::pinned;
use super::pool::Figures;
use super::status::check;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::ptr::NonNull;
use warpcell_base::error::{Error, Result};

/// Bytes of one pinned buffer, and of one piece.
const PIECE: usize = 2 << 20;
/// Buffers that a thread alternates between.
const BUFFERS_A_THREAD: usize = 2;
const MOST_THREADS: usize = 8;
/// Buffers of several streams' transfers.
const MOST_BUFFERS: usize = 2 * BUFFERS_A_THREAD * MOST_THREADS;
/// Why no transfer is a part of a graph.
const HOST: &str = "it needs host memory, which may be gone when the graph is launched; copy before the capture, and \
                    read results after the launch";

/// The pinned buffers of a device, made when first needed.
#[derive(Default)]
pub struct Staging {
    buffers: Vec<Buffer>,
    /// Bytes that all of them may have. One there must be.
    limit: Option<usize>,
}

struct Buffer {
    memory: NonNull<c_void>,
    /// Recorded behind the last transfer that used the buffer.
    done: sys::CUevent,
}

// SAFETY: pinned memory is ordinary host memory, and events may be used from every thread.
unsafe impl Send for Buffer {}

/// Copies host bytes to a device address, in this thread's stream. `source` has been read when this returns, unless it is pinned; the
/// last transfers may be queued.
///
/// # Safety
/// `source.len()` bytes from `target` lie in a live block of `device`.
pub unsafe fn upload(device: &Device, source: &[u8], target: u64) -> Result<()> {
    let pieces = source.len().div_ceil(PIECE);
    if device.is_capturing() {
        return Err(Error::NotCapturable { operation: "a copy to the device", reason: HOST });
    }
    if let Some(memory) = pinned::of(device, source.as_ptr(), source.len()) {
        // SAFETY: it was just seen to lie there; the rest is the caller's promise.
        return unsafe { memory.upload(source, target) };
    }
    // That of this thread: the others that take part have entered no stream.
    let stream = Stream(device.stream());
    run(device, pieces, |buffers, thread, threads| {
        let stream = &stream;
        for (turn, piece) in (thread..pieces).step_by(threads).enumerate() {
            let bytes = &source[piece * PIECE..source.len().min((piece + 1) * PIECE)];
            let buffer = &buffers[turn % buffers.len()];
            buffer.wait()?;
            // SAFETY: the buffer has PIECE bytes, and no transfer uses it: its event was waited for. The target's range
            // is the caller's promise; the buffer outlives the transfer, since it is reused or freed after its event.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.memory.as_ptr().cast(), bytes.len());
                let status = sys::cuMemcpyHtoDAsync_v2(
                    target + (piece * PIECE) as u64,
                    buffer.memory.as_ptr(),
                    bytes.len(),
                    stream.0,
                );
                check(status, "cuMemcpyHtoDAsync")?;
            }
            buffer.record(stream)?;
        }
        Ok(())
    })
}

/// Waits for the work in this thread's stream and copies from a device address to host bytes.
///
/// # Safety
/// `target.len()` bytes from `source` lie in a live block of `device`.
pub unsafe fn download(device: &Device, source: u64, target: &mut [u8]) -> Result<()> {
    let length = target.len();
    let pieces = length.div_ceil(PIECE);
    if device.is_capturing() {
        return Err(Error::NotCapturable { operation: "a copy to the host", reason: HOST });
    }
    if let Some(memory) = pinned::of(device, target.as_ptr(), length) {
        // SAFETY: as for uploads.
        unsafe { memory.download(source, target)? };
        return device.failure();
    }
    let (base, stream) = (Shared(target.as_mut_ptr()), Stream(device.stream()));
    run(device, pieces, |buffers, thread, threads| {
        let (base, stream) = (&base, &stream);
        let mine: Vec<usize> = (thread..pieces).step_by(threads).collect();
        let size = |piece: usize| length.min((piece + 1) * PIECE) - piece * PIECE;
        let fetch = |turn: usize| -> Result<()> {
            let (piece, buffer) = (mine[turn], &buffers[turn % buffers.len()]);
            buffer.wait()?;
            // SAFETY: the source's range is the caller's promise; the buffer has PIECE bytes and no transfer uses it.
            let status = unsafe {
                let from = source + (piece * PIECE) as u64;
                sys::cuMemcpyDtoHAsync_v2(buffer.memory.as_ptr(), from, size(piece), stream.0)
            };
            check(status, "cuMemcpyDtoHAsync")?;
            buffer.record(stream)
        };
        for turn in 0..mine.len().min(buffers.len()) {
            fetch(turn)?;
        }
        for turn in 0..mine.len() {
            let (piece, buffer) = (mine[turn], &buffers[turn % buffers.len()]);
            buffer.wait()?;
            // SAFETY: the transfer into the buffer is done; each piece of the target belongs to one thread alone, and
            // `target` is borrowed until all threads have ended.
            unsafe {
                let to = base.0.add(piece * PIECE);
                std::ptr::copy_nonoverlapping(buffer.memory.as_ptr().cast::<u8>(), to, size(piece));
            }
            if turn + buffers.len() < mine.len() {
                fetch(turn + buffers.len())?;
            }
        }
        Ok(())
    })?;
    // The work that the copy has waited for may have failed.
    device.failure()
}

/// Runs `work(buffers, thread, threads)` on as many threads as the pieces are worth.
fn run(device: &Device, pieces: usize, work: impl Fn(&[Buffer], usize, usize) -> Result<()> + Sync) -> Result<()> {
    if pieces == 0 {
        return Ok(());
    }
    device.bind()?;
    // Starting a thread costs about as long as copying a quarter of a piece. For few pieces one does: to ask the system for the
    // number of its processors takes as long as copying a number.
    let cores = if pieces < 4 { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let mut staging = lock(&device.staging);
    let most = staging.most_buffers();
    let threads = (pieces / 2).min(most / BUFFERS_A_THREAD).clamp(1, cores.min(MOST_THREADS));
    let wanted = pieces.min(threads * BUFFERS_A_THREAD).min(most);
    staging.grow(wanted)?;
    if device.has_streams() {
        // What another stream transfers may wait for that stream's work: it is passed over.
        let busy = staging.buffers.iter().filter(|buffer| !buffer.is_done()).count();
        staging.grow((wanted + busy).min(most).min(MOST_BUFFERS))?;
        staging.buffers.sort_by_cached_key(|buffer| !buffer.is_done());
    }
    if threads == 1 {
        // One piece, or a low limit, may leave one buffer only.
        return work(&staging.buffers[..staging.buffers.len().min(BUFFERS_A_THREAD)], 0, 1);
    }
    let work = &work;
    std::thread::scope(|scope| {
        let running: Vec<_> = staging
            .buffers
            .chunks(BUFFERS_A_THREAD)
            .take(threads)
            .enumerate()
            .map(|(thread, buffers)| {
                let buffers = SharedBuffers(buffers);
                scope.spawn(move || {
                    let buffers = buffers;
                    device.bind()?;
                    work(buffers.0, thread, threads)
                })
            })
            .collect();
        let mut result = Ok(());
        for thread in running {
            match thread.join() {
                Ok(outcome) => result = result.and(outcome),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result
    })
}

/// What the pinned buffers are: in use while a transfer is under way.
pub fn figures(device: &Device) -> Figures {
    let staging = lock(&device.staging);
    let total = staging.buffers.len() * PIECE;
    let busy = staging.buffers.iter().filter(|buffer| !buffer.is_done()).count();
    Figures { used: busy * PIECE, total, free_chunks: staging.buffers.len() - busy, limit: staging.limit }
}

/// Limits the bytes that the pinned buffers may have, and frees what is above it. One buffer may always be there.
pub fn set_limit(device: &Device, limit: Option<usize>) {
    let mut staging = lock(&device.staging);
    staging.limit = limit;
    let most = staging.most_buffers();
    device.defer(device.bind().and_then(|()| staging.shrink(most)));
}

/// Frees all pinned buffers, when the transfers under way are done.
pub fn trim(device: &Device) -> Result<()> {
    device.bind()?;
    lock(&device.staging).shrink(0)
}

impl Staging {
    /// The number of buffers that the limit leaves.
    fn most_buffers(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| (limit / PIECE).max(1))
    }

    /// Frees buffers until there are `count`, waiting for the transfers that use them. The context is current.
    fn shrink(&mut self, count: usize) -> Result<()> {
        while self.buffers.len() > count {
            if let Some(buffer) = self.buffers.last() {
                buffer.wait()?;
            }
            if let Some(buffer) = self.buffers.pop() {
                // SAFETY: the context is current, and the buffer's transfer is done.
                unsafe { buffer.free() };
            }
        }
        Ok(())
    }

    /// Makes buffers until there are `count`.
    fn grow(&mut self, count: usize) -> Result<()> {
        while self.buffers.len() < count {
            let (mut memory, mut done) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: the context is current; both pointers are locals to write to. The flags ask for memory that the
            // host reads at full speed: not write-combined.
            unsafe {
                let flags = sys::CU_MEMHOSTALLOC_PORTABLE;
                check(sys::cuMemHostAlloc(&raw mut memory, PIECE, flags), "cuMemHostAlloc")?;
                let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
                if let Err(error) = check(sys::cuEventCreate(&raw mut done, flags), "cuEventCreate") {
                    let _ = sys::cuMemFreeHost(memory);
                    return Err(error);
                }
            }
            match NonNull::new(memory) {
                Some(memory) => self.buffers.push(Buffer { memory, done }),
                None => unreachable!("cuMemHostAlloc reports a failure as a status"),
            }
        }
        Ok(())
    }

    /// Frees all buffers.
    ///
    /// # Safety
    /// The context is current and no transfer is under way.
    pub(super) unsafe fn release(&mut self) {
        for buffer in self.buffers.drain(..) {
            // SAFETY: the caller's promise.
            unsafe { buffer.free() };
        }
    }
}

impl Buffer {
    /// Whether no transfer uses the buffer. What cannot be asked counts as done.
    fn is_done(&self) -> bool {
        // SAFETY: the event lives as long as the buffer.
        unsafe { sys::cuEventQuery(self.done) != sys::CUresult::CUDA_ERROR_NOT_READY }
    }

    /// # Safety
    /// The context is current and no transfer uses the buffer.
    unsafe fn free(self) {
        // SAFETY: made by `grow`, used by no transfer, and dropped here.
        unsafe {
            let _ = sys::cuEventDestroy_v2(self.done);
            let _ = sys::cuMemFreeHost(self.memory.as_ptr());
        }
    }

    /// Waits until no transfer uses the buffer. An event that was never recorded counts as done.
    fn wait(&self) -> Result<()> {
        // SAFETY: the event lives as long as the buffer.
        check(unsafe { sys::cuEventSynchronize(self.done) }, "a transfer")
    }

    fn record(&self, stream: &Stream) -> Result<()> {
        // SAFETY: event and stream are of one context and alive.
        check(unsafe { sys::cuEventRecord(self.done, stream.0) }, "cuEventRecord")
    }
}

/// The stream of a transfer.
struct Stream(sys::CUstream);
// SAFETY: a token of the driver, which may be used from every thread.
unsafe impl Sync for Stream {}

/// The target of a download, whose pieces the threads share out among them.
struct Shared(*mut u8);
// SAFETY: each thread writes its own pieces only.
unsafe impl Sync for Shared {}

/// The buffers of one thread.
struct SharedBuffers<'a>(&'a [Buffer]);
// SAFETY: the chunks are disjoint, each goes to one thread, and that thread alone uses them until it has ended.
unsafe impl Send for SharedBuffers<'_> {}
