//! Host memory of arrays, and the blocks kept for reuse.

use super::memory_limits::{available, total};
use super::numeric::Native;
use std::alloc;
use std::any::Any;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use warpcell_base::backend::{Allocation, Foreign};
use warpcell_base::dtype::Tagged;
use warpcell_base::error::{Error, Result};

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
    /// Taken out, and about to be dropped.
    Nothing,
    Block(Block),
    /// Memory that others have made. It is theirs, so the pool's figures do not count it.
    Foreign(Borrowed),
}

struct Borrowed {
    start: *mut u8,
    /// Dropped when the memory is not used any more.
    owner: Box<dyn Any + Send + Sync>,
}

/// What the system's allocator gave.
struct Block {
    start: NonNull<u8>,
    /// What can be used, a multiple of [`UNIT`]; room for the alignment comes on top.
    size: usize,
    /// What the allocator was asked for, an element type's: a vector of such elements can take the block over.
    alignment: usize,
}

/// A cache line, and enough for every vector register.
const ALIGNMENT: usize = 64;

/// From this size on, blocks are kept for reuse (the system would have to map and clear their pages again, which
/// takes longer than most operations), and the memory that is free is asked for first.
const LARGE: usize = 1 << 17;

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
    /// By size, and by what alignment the allocator was asked for.
    by_size: HashMap<(usize, usize), Vec<Unused>>,
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
        Memory::of_elements(bytes, align_of::<u64>())
    }

    /// Memory for elements of a type of this alignment, so that a vector of them can take it over.
    pub fn of_elements(bytes: usize, alignment: usize) -> Result<Memory> {
        let block = Block::new(bytes, alignment)?;
        USED.fetch_add(block.size, Ordering::Relaxed);
        Ok(Memory { origin: Origin::Block(block), bytes })
    }

    /// # Safety
    ///
    /// What `Backend::adopt` asks for.
    pub unsafe fn foreign(memory: Foreign) -> Memory {
        let Foreign { address, bytes, owner } = memory;
        let start = std::ptr::with_exposed_provenance_mut(address);
        Memory { origin: Origin::Foreign(Borrowed { start, owner }), bytes }
    }

    /// The bytes, unless others have made the memory.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let Origin::Block(_) = self.origin else { return None };
        // SAFETY: the block has so many bytes, which are initialised; this is the only reference (see invariant 2).
        Some(unsafe { std::slice::from_raw_parts_mut(self.start(), self.bytes) })
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
            Origin::Nothing => unreachable!("memory that was taken out is not used"),
        }
    }
}

/// Elements that an operation works with and then drops, of no value in particular. Many of them are a block that is kept: the system
/// takes longer to map and clear new pages than most operations take.
pub(super) struct Scratch<T> {
    memory: Memory,
    count: usize,
    of: PhantomData<T>,
}

impl<T: Native> Scratch<T> {
    pub fn new(count: usize) -> Result<Scratch<T>> {
        const { assert!(align_of::<T>() <= ALIGNMENT) };
        let bytes = count.saturating_mul(size_of::<T>());
        Ok(Scratch { memory: Memory::new(bytes)?, count, of: PhantomData })
    }
}

impl<T: Native> Deref for Scratch<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the memory has room for them, is initialised, and belongs to this; any bytes are a value.
        unsafe { std::slice::from_raw_parts(self.memory.start().cast(), self.count) }
    }
}

impl<T: Native> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.memory.start().cast(), self.count) }
    }
}

/// An allocation's memory as a vector, and how many of its elements lie before the allocation's first; without copying, if it
/// is a vector that was taken over or a large block, and nothing else uses it. Else the allocation.
pub fn vector_of<T: Tagged>(
    allocation: Arc<dyn Allocation>,
) -> std::result::Result<(Vec<T>, usize), Arc<dyn Allocation>> {
    let any: Arc<dyn Any + Send + Sync> = allocation.clone();
    let Ok(mut memory) = any.downcast::<Memory>() else { return Err(allocation) };
    drop(allocation);
    // Nobody can have a reference who could make another one.
    let Some(unshared) = Arc::get_mut(&mut memory) else { return Err(memory) };
    let (start, bytes) = (unshared.start() as usize, unshared.bytes);
    match std::mem::replace(&mut unshared.origin, Origin::Nothing) {
        Origin::Foreign(Borrowed { start: pointer, owner }) => {
            let owner = match owner.downcast::<Vec<T>>() {
                // It may be the owner of other memory, too, or of a part only.
                Ok(values) => match start.checked_sub(values.as_ptr() as usize) {
                    Some(before)
                        if before.is_multiple_of(size_of::<T>())
                            && before.saturating_add(bytes) <= size_of_val(values.as_slice()) =>
                    {
                        return Ok((*values, before / size_of::<T>()));
                    }
                    _ => values as Box<dyn Any + Send + Sync>,
                },
                Err(owner) => owner,
            };
            unshared.origin = Origin::Foreign(Borrowed { start: pointer, owner });
            Err(memory)
        }
        // Of a small block, the copy costs less than what the vector would have too much.
        Origin::Block(block) if block.size >= LARGE && block.alignment == align_of::<T>() => {
            USED.fetch_sub(block.size, Ordering::Relaxed);
            let first = block.start.as_ptr();
            let length = (block.size + ALIGNMENT) / size_of::<T>();
            assert_eq!(length * size_of::<T>(), block.size + ALIGNMENT, "units are multiples of all elements' sizes");
            // SAFETY: the block was allocated with the size and the alignment of so many elements, its bytes are initialised,
            // and those of a type other than bool, of which the caller takes care, are values of `T`.
            let values = unsafe { Vec::from_raw_parts(first.cast::<T>(), length, length) };
            Ok((values, (start - first as usize) / size_of::<T>()))
        }
        origin => {
            unshared.origin = origin;
            Err(memory)
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let Origin::Block(block) = std::mem::replace(&mut self.origin, Origin::Nothing) else { return };
        USED.fetch_sub(block.size, Ordering::Relaxed);
        if block.size < LARGE {
            return block.free();
        }
        let mut pool = pool_of_blocks();
        if unused() + block.size <= total() / 8 {
            UNUSED.fetch_add(block.size, Ordering::Relaxed);
            pool.by_size
                .entry((block.size, block.alignment))
                .or_default()
                .push(Unused { block, since: Instant::now() });
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
    fn new(bytes: usize, alignment: usize) -> Result<Block> {
        let unit = if bytes < LARGE { UNIT } else { LARGE_UNIT };
        let size = bytes.checked_next_multiple_of(unit).filter(|&size| size <= isize::MAX as usize - ALIGNMENT);
        let size = size.ok_or_else(|| out_of_memory(bytes))?;
        if size >= LARGE {
            let mut pool = pool_of_blocks();
            if let Some(found) = pool.by_size.get_mut(&(size, alignment)).and_then(Vec::pop) {
                UNUSED.fetch_sub(size, Ordering::Relaxed);
                return Ok(found.block);
            }
            drop(pool);
            trim_idle();
        }
        // Linux grants more memory than there is, and ends the process when it is touched.
        let fits = || is_within_limit(size) && (size < LARGE || size <= available());
        let allocated = fits().then(|| Block::from_system(size, alignment)).flatten();
        let allocated = allocated.or_else(|| {
            trim();
            fits().then(|| Block::from_system(size, alignment)).flatten()
        });
        allocated.ok_or_else(|| out_of_memory(bytes))
    }

    /// Zeroed memory.
    fn from_system(size: usize, alignment: usize) -> Option<Block> {
        // SAFETY: the size with the alignment's room is not zero.
        let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout(size, alignment)) })?;
        prefer_large_pages(start.as_ptr(), size + ALIGNMENT);
        Some(Block { start, size, alignment })
    }

    fn free(self) {
        // SAFETY: allocated with this layout in `from_system`; no array uses it any more.
        unsafe { alloc::dealloc(self.start.as_ptr(), layout(self.size, self.alignment)) };
    }
}

/// The alignment to cache lines is made by hand: `alloc_zeroed` with more than the allocator's own writes all zeros itself, while fresh pages
/// from the system are zero.
fn layout(size: usize, alignment: usize) -> alloc::Layout {
    alloc::Layout::from_size_align(size + ALIGNMENT, alignment).expect("the size was checked")
}

fn is_within_limit(size: usize) -> bool {
    let limit = LIMIT.load(Ordering::Relaxed);
    limit == usize::MAX || (used() + unused()).saturating_add(size) <= limit
}

/// Asks for pages of 2 MiB for memory that was not touched yet, where the system gives them only on request: mapping
/// and clearing pages of 4 KiB takes about as long as a convolution of what they hold.
pub fn prefer_large_pages(start: *mut u8, bytes: usize) {
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
pub fn room_for(bytes: usize) -> Result<()> {
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
