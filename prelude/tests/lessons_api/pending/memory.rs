//! The pools that memory comes from.

/// A pool of a device's memory or of pinned memory of the host, with CuPy's statistics. One type for both, so that both have
/// all of them; CuPy's pinned pool cannot say how many bytes it holds.
#[derive(Clone, Debug)]
pub struct MemoryPool {}

/// The pool of the current device; `cupy.get_default_memory_pool`.
pub fn memory_pool() -> MemoryPool {
    todo!()
}

/// The pool of pinned memory for transfers; `cupy.get_default_pinned_memory_pool`.
pub fn pinned_memory_pool() -> MemoryPool {
    todo!()
}

impl MemoryPool {
    /// The bytes that arrays use, in units of 512.
    pub fn used_bytes(&self) -> usize {
        todo!()
    }

    /// The bytes that the pool holds, used or not.
    pub fn total_bytes(&self) -> usize {
        todo!()
    }

    /// Gives unused blocks back to the device.
    pub fn free_all_blocks(&self) {
        todo!()
    }
}
