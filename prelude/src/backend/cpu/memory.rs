//! Host memory of arrays, and the blocks kept for reuse.

use crate::backend::Allocation;
use crate::error::{Error, Result};
use std::alloc;
use std::any::Any;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A block of host memory.
///
/// 1. It is initialised (zeroed when it comes from the system), so that any byte may be read as an integer or float.
/// 2. It is accessed only by methods of the backend that hold the queue's lock, or by threads that such a method
///    waits for. Hence no two operations touch it at once, whatever threads the arrays are used from.
/// 3. Within an operation, `out` overlaps no other operand but (elementwise) one of exactly its layout.
pub(super) struct Memory {
    block: Block,
    bytes: usize,
}

/// What the system's allocator gave.
struct Block {
    start: NonNull<u8>,
    size: usize,
}

/// A cache line, and enough for every vector register.
const ALIGNMENT: usize = 64;

/// From this size on, blocks are kept for reuse (the system would have to map and clear their pages again, which
/// takes longer than most operations), and the memory that is free is asked for first.
const LARGE: usize = 1 << 20;

/// Bytes held by live arrays.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Large blocks that no array uses.
#[derive(Default)]
struct Pool {
    by_size: HashMap<usize, Vec<Block>>,
    bytes: usize,
}

fn pool_of_blocks() -> MutexGuard<'static, Pool> {
    static POOL: OnceLock<Mutex<Pool>> = OnceLock::new();
    POOL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

// SAFETY: invariant 2 of `Memory`; blocks in the pool are not accessed at all.
unsafe impl Send for Block {}
// SAFETY: as for `Send`.
unsafe impl Sync for Block {}

impl Memory {
    pub fn new(bytes: usize) -> Result<Memory> {
        let block = Block::new(bytes)?;
        USED.fetch_add(bytes, Ordering::Relaxed);
        Ok(Memory { block, bytes })
    }

    /// The first byte; aligned for every dtype.
    pub fn start(&self) -> *mut u8 {
        // Room for the alignment was asked for.
        let start = self.block.start.as_ptr();
        start.wrapping_add(start.align_offset(ALIGNMENT))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        USED.fetch_sub(self.bytes, Ordering::Relaxed);
        let block = Block { start: self.block.start, size: self.block.size };
        if block.size < LARGE {
            return block.free();
        }
        let mut pool = pool_of_blocks();
        if pool.bytes + block.size <= total() / 8 {
            pool.bytes += block.size;
            pool.by_size.entry(block.size).or_default().push(block);
        } else {
            block.free();
        }
    }
}

impl Allocation for Memory {
    fn bytes(&self) -> usize {
        self.bytes
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Block {
    fn new(bytes: usize) -> Result<Block> {
        let size = if bytes < LARGE { bytes + ALIGNMENT } else { (bytes + ALIGNMENT).next_multiple_of(LARGE / 16) };
        if size >= LARGE {
            let mut pool = pool_of_blocks();
            if let Some(block) = pool.by_size.get_mut(&size).and_then(Vec::pop) {
                pool.bytes -= size;
                return Ok(block);
            }
            drop(pool);
            // Linux grants more memory than there is, and ends the process when it is touched.
            if size > available() {
                trim();
                if size > available() {
                    return Err(out_of_memory(bytes));
                }
            }
        }
        // The alignment is made by hand: `alloc_zeroed` with more than the allocator's own writes all zeros itself,
        // while fresh pages from the system are zero.
        let layout = alloc::Layout::from_size_align(size, 1).map_err(|_| out_of_memory(bytes))?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout) }).ok_or_else(|| out_of_memory(bytes))?;
        prefer_large_pages(start.as_ptr(), size);
        Ok(Block { start, size })
    }

    fn free(self) {
        // SAFETY: allocated with this layout in `new`; no array uses it any more.
        unsafe { alloc::dealloc(self.start.as_ptr(), alloc::Layout::from_size_align_unchecked(self.size, 1)) };
    }
}

/// Asks for pages of 2 MiB for memory that was not touched yet, where the system gives them only on request: mapping
/// and clearing pages of 4 KiB takes about as long as a convolution of what they hold.
pub(crate) fn prefer_large_pages(start: *mut u8, bytes: usize) {
    const PAGE: usize = 4096;
    let skipped = start.align_offset(PAGE);
    if bytes < 4 * LARGE || skipped >= bytes {
        return;
    }
    // The result does not matter: without large pages all is the same, but slower.
    // SAFETY: the range lies within the allocation; the advice changes no contents.
    unsafe { libc::madvise(start.wrapping_add(skipped).cast(), bytes - skipped, libc::MADV_HUGEPAGE) };
}

fn out_of_memory(requested: usize) -> Error {
    Error::OutOfMemory { device: "cpu".into(), requested, free: available(), pooled: pool_of_blocks().bytes }
}

/// Bytes held by live arrays.
pub(super) fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// Bytes in blocks that no array uses.
pub(super) fn unused() -> usize {
    pool_of_blocks().bytes
}

/// Gives the unused blocks back to the system.
pub(super) fn trim() {
    let mut pool = pool_of_blocks();
    pool.bytes = 0;
    pool.by_size.drain().flat_map(|(_, blocks)| blocks).for_each(Block::free);
}

/// Bytes of memory that can be had; all of them where the system does not say.
pub(super) fn available() -> usize {
    meminfo("MemAvailable:").unwrap_or(isize::MAX as usize)
}

/// The machine's memory in bytes; zero where the system does not say.
pub(super) fn total() -> usize {
    static TOTAL: OnceLock<usize> = OnceLock::new();
    *TOTAL.get_or_init(|| meminfo("MemTotal:").unwrap_or(0))
}

fn meminfo(field: &str) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}
