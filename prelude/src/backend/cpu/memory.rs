//! Host memory of arrays, and the blocks kept for reuse.

use crate::backend::{Allocation, Foreign};
use crate::error::{Error, Result};
use std::alloc;
use std::any::Any;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A block of host memory.
///
/// 1. It is initialised (zeroed when it comes from the system), so that any byte may be read as an integer or float.
/// 2. It is accessed only by methods of the backend that hold the queue's lock, or by threads that such a method
///    waits for, or by whoever has the only reference to it. Hence no two operations touch it at once, whatever threads the
///    arrays are used from. For memory that others own, whoever handed it in has promised that.
/// 3. Within an operation, `out` overlaps no other operand but (elementwise) one of exactly its layout.
pub(super) struct Memory {
    origin: Origin,
    bytes: usize,
}

enum Origin {
    Block(Block),
    /// Memory that others have made. It is theirs, so the pool's figures do not count it.
    Foreign(Borrowed),
}

struct Borrowed {
    start: *mut u8,
    /// Dropped when the memory is not used any more; none when it was taken out.
    owner: Option<Box<dyn Any + Send + Sync>>,
}

/// What the system's allocator gave.
struct Block {
    start: NonNull<u8>,
    /// What can be used, a multiple of [`UNIT`]; room for the alignment comes on top.
    size: usize,
}

/// A cache line, and enough for every vector register.
const ALIGNMENT: usize = 64;

/// From this size on, blocks are kept for reuse (the system would have to map and clear their pages again, which
/// takes longer than most operations), and the memory that is free is asked for first.
const LARGE: usize = 1 << 20;

/// Sizes of blocks are multiples of this; those of large blocks, of [`LARGE_UNIT`].
const UNIT: usize = 512;
const LARGE_UNIT: usize = LARGE / 16;

/// After this time, a block that no array uses goes back to the system: others may want it.
const IDLE: Duration = Duration::from_secs(60);

/// Bytes held by live arrays.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Bytes in blocks that no array uses.
static UNUSED: AtomicUsize = AtomicUsize::new(0);
/// The most bytes that both may be together.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Large blocks that no array uses, the one that was used last at the end.
#[derive(Default)]
struct Pool {
    by_size: HashMap<usize, Vec<Unused>>,
}

struct Unused {
    block: Block,
    since: Instant,
}

fn pool_of_blocks() -> MutexGuard<'static, Pool> {
    static POOL: OnceLock<Mutex<Pool>> = OnceLock::new();
    POOL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

// SAFETY: invariant 2 of `Memory`; blocks in the pool are not accessed at all.
unsafe impl Send for Block {}
// SAFETY: as for `Send`.
unsafe impl Sync for Block {}

// SAFETY: as for `Block`; owners may be sent and shared themselves.
unsafe impl Send for Borrowed {}
// SAFETY: as for `Send`.
unsafe impl Sync for Borrowed {}

impl Memory {
    pub fn new(bytes: usize) -> Result<Memory> {
        let block = Block::new(bytes)?;
        USED.fetch_add(block.size, Ordering::Relaxed);
        Ok(Memory { origin: Origin::Block(block), bytes })
    }

    /// # Safety
    ///
    /// What `Backend::adopt` asks for.
    pub unsafe fn foreign(memory: Foreign) -> Memory {
        let Foreign { address, bytes, owner } = memory;
        let start = std::ptr::with_exposed_provenance_mut(address);
        Memory { origin: Origin::Foreign(Borrowed { start, owner: Some(owner) }), bytes }
    }

    /// The first byte; aligned for every dtype, and in memory of others for those that are in it.
    pub fn start(&self) -> *mut u8 {
        match &self.origin {
            Origin::Block(block) => {
                // Room for the alignment was asked for.
                let start = block.start.as_ptr();
                start.wrapping_add(start.align_offset(ALIGNMENT))
            }
            Origin::Foreign(borrowed) => borrowed.start,
        }
    }
}

/// The owner of an allocation's memory, of type `T`, if it is one of this backend that was made of such an owner and nothing
/// else uses it; else the allocation.
pub(crate) fn owner_of<T: Any>(allocation: Arc<dyn Allocation>) -> std::result::Result<Box<T>, Arc<dyn Allocation>> {
    let any: Arc<dyn Any + Send + Sync> = allocation.clone();
    let Ok(mut memory) = any.downcast::<Memory>() else { return Err(allocation) };
    drop(allocation);
    // Nobody can have a reference who could make another one.
    if let Some(Memory { origin: Origin::Foreign(Borrowed { owner, .. }), .. }) = Arc::get_mut(&mut memory)
        && owner.as_ref().is_some_and(|owner| owner.is::<T>())
        && let Some(owner) = owner.take()
    {
        return owner.downcast().map_err(|_| unreachable!("it was seen to be one"));
    }
    Err(memory)
}

impl Drop for Memory {
    fn drop(&mut self) {
        let Origin::Block(block) = &self.origin else { return };
        let block = Block { start: block.start, size: block.size };
        USED.fetch_sub(block.size, Ordering::Relaxed);
        if block.size < LARGE {
            return block.free();
        }
        let mut pool = pool_of_blocks();
        if unused() + block.size <= total() / 8 {
            UNUSED.fetch_add(block.size, Ordering::Relaxed);
            pool.by_size.entry(block.size).or_default().push(Unused { block, since: Instant::now() });
        } else {
            drop(pool);
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
        let unit = if bytes < LARGE { UNIT } else { LARGE_UNIT };
        let size = bytes.checked_next_multiple_of(unit).filter(|&size| size <= isize::MAX as usize - ALIGNMENT);
        let size = size.ok_or_else(|| out_of_memory(bytes))?;
        if size >= LARGE {
            let mut pool = pool_of_blocks();
            if let Some(found) = pool.by_size.get_mut(&size).and_then(Vec::pop) {
                UNUSED.fetch_sub(size, Ordering::Relaxed);
                return Ok(found.block);
            }
            drop(pool);
            trim_idle();
        }
        // Linux grants more memory than there is, and ends the process when it is touched.
        let fits = || is_within_limit(size) && (size < LARGE || size <= available());
        let allocated = fits().then(|| Block::from_system(size)).flatten();
        let allocated = allocated.or_else(|| {
            trim();
            fits().then(|| Block::from_system(size)).flatten()
        });
        allocated.ok_or_else(|| out_of_memory(bytes))
    }

    /// Zeroed memory.
    fn from_system(size: usize) -> Option<Block> {
        // SAFETY: the size with the alignment's room is not zero.
        let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout(size)) })?;
        prefer_large_pages(start.as_ptr(), size + ALIGNMENT);
        Some(Block { start, size })
    }

    fn free(self) {
        // SAFETY: allocated with this layout in `from_system`; no array uses it any more.
        unsafe { alloc::dealloc(self.start.as_ptr(), layout(self.size)) };
    }
}

/// The alignment is made by hand: `alloc_zeroed` with more than the allocator's own writes all zeros itself, while fresh pages
/// from the system are zero.
fn layout(size: usize) -> alloc::Layout {
    alloc::Layout::from_size_align(size + ALIGNMENT, 1).expect("the size was checked")
}

fn is_within_limit(size: usize) -> bool {
    let limit = LIMIT.load(Ordering::Relaxed);
    limit == usize::MAX || (used() + unused()).saturating_add(size) <= limit
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

#[cold]
fn out_of_memory(requested: usize) -> Error {
    let (free, pooled) = (available(), used() + unused());
    Error::OutOfMemory { device: "cpu".into(), requested, free, pooled, limit: limit() }
}

/// The error for memory that the host has not, before it is asked for: Linux grants more than there is.
pub(crate) fn room_for(bytes: usize) -> Result<()> {
    if bytes >= LARGE && bytes > available() {
        trim();
        if bytes > available() {
            return Err(out_of_memory(bytes));
        }
    }
    Ok(())
}

/// Bytes held by live arrays.
pub(super) fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// Bytes in blocks that no array uses.
pub(super) fn unused() -> usize {
    UNUSED.load(Ordering::Relaxed)
}

/// The number of blocks that no array uses.
pub(super) fn unused_blocks() -> usize {
    pool_of_blocks().by_size.values().map(Vec::len).sum()
}

/// The most bytes that arrays and unused blocks may have.
pub(super) fn limit() -> Option<usize> {
    Some(LIMIT.load(Ordering::Relaxed)).filter(|&limit| limit < usize::MAX)
}

pub(super) fn set_limit(limit: Option<usize>) {
    LIMIT.store(limit.unwrap_or(usize::MAX), Ordering::Relaxed);
}

/// Gives the unused blocks back to the system.
pub(super) fn trim() {
    release(|_| true);
}

/// Gives blocks that nothing has used for some time back to the system.
pub(super) fn trim_idle() {
    let now = Instant::now();
    release(|since| now.saturating_duration_since(since) >= IDLE);
}

fn release(goes: impl Fn(Instant) -> bool) {
    let mut released = Vec::new();
    pool_of_blocks().by_size.retain(|_, blocks| {
        released.extend(blocks.extract_if(.., |unused| goes(unused.since)));
        !blocks.is_empty()
    });
    for unused in released {
        UNUSED.fetch_sub(unused.block.size, Ordering::Relaxed);
        unused.block.free();
    }
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
