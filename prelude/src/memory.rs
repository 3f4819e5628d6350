//! The pools that memory of arrays and transfers comes from.

use crate::backend::PoolKind;
use crate::device::{self, Handle};
use crate::error::{Error, Result, check};
use std::fmt;

/// A pool of a device's memory, or of pinned host memory for transfers, with CuPy's statistics.
///
/// When the last array that uses a block of memory is dropped, the block goes to the pool, from where the next array of that
/// size gets it in some nanoseconds. So memory that the pool holds is not free for other processes. It becomes so by
/// [`free_all_blocks`](Self::free_all_blocks), or when an allocation would fail without it; and **blocks that nothing has used
/// for a minute** go back by themselves: while no cell runs, and when more memory is asked of the device. That is for the
/// sake of others on a shared GPU. A pool has no limit unless [`set_limit`](Self::set_limit) is called, or the environment
/// variable `WARPCELL_GPU_MEMORY` is set when the device is opened (`2GB`, `1.5GiB` or `25%`): that limits the pool of each NVIDIA GPU.
///
/// ```
/// use warpcell as gpu;
/// let pool = gpu::memory_pool();
/// let before = pool.used_bytes();
/// let a = gpu::zeros::<f32>(100);
/// assert_eq!(pool.used_bytes() - before, 512); // 400 bytes, in units of 512
/// drop(a);
/// assert_eq!(pool.used_bytes(), before);
/// pool.free_all_blocks();
/// assert_eq!(pool.free_bytes(), 0);
/// ```
#[derive(Clone)]
pub struct MemoryPool {
    handle: Handle,
    kind: PoolKind,
}

/// The pool of the current device's memory; CuPy's `get_default_memory_pool`. On the CPU, it is the host memory of arrays, of
/// which the pool keeps large blocks only.
///
/// **Panics** if `WARPCELL_DEVICE` names a device that cannot be used.
#[track_caller]
pub fn memory_pool() -> MemoryPool {
    MemoryPool { handle: check(device::current()), kind: PoolKind::Device }
}

/// The pool of pinned host memory, through which arrays travel between host and current device; CuPy's
/// `get_default_pinned_memory_pool`. It is in use while a transfer is under way. On the CPU device it is always empty.
///
/// **Panics** if `WARPCELL_DEVICE` names a device that cannot be used.
///
/// ```
/// let pinned = warpcell::pinned_memory_pool();
/// println!("{} bytes for transfers, {} of them in use", pinned.total_bytes(), pinned.used_bytes());
/// ```
#[track_caller]
pub fn pinned_memory_pool() -> MemoryPool {
    MemoryPool { handle: check(device::current()), kind: PoolKind::Pinned }
}

impl MemoryPool {
    /// The bytes in use, in units of 512 (on the CPU, large blocks in units of 64 KiB).
    pub fn used_bytes(&self) -> usize {
        self.handle.backend.pool(self.kind).used
    }

    /// The bytes that the pool holds, in use or not.
    pub fn total_bytes(&self) -> usize {
        self.handle.backend.pool(self.kind).held
    }

    /// The bytes that the pool holds and nothing uses.
    pub fn free_bytes(&self) -> usize {
        let figures = self.handle.backend.pool(self.kind);
        figures.held - figures.used
    }

    /// The number of blocks that nothing uses; neighbouring ones count as one.
    pub fn n_free_blocks(&self) -> usize {
        self.handle.backend.pool(self.kind).free_blocks
    }

    /// Gives unused blocks back to the device, or to the host. On a GPU that waits for queued work, which may still use them;
    /// and what is partly in use stays, as in CuPy.
    ///
    /// **Panics** if a queued operation failed on the device.
    #[track_caller]
    pub fn free_all_blocks(&self) {
        check(self.handle.backend.trim(self.kind));
    }

    /// Limits the bytes that the pool may hold: a number of bytes, or, as an `f64`, a fraction of the device's memory (of the
    /// host's for pinned memory). 0 removes the limit. Memory that is in use already stays; what would exceed the limit
    /// from now on, after unused blocks were given back, is [`Error::OutOfMemory`].
    ///
    /// Transfers go on with a single pinned buffer of 2 MiB, however low the limit.
    ///
    /// **Panics** if a fraction is not between 0 and 1, or the memory's size is not known ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let pool = warpcell::memory_pool();
    /// pool.set_limit(1 << 40);
    /// assert_eq!(pool.get_limit(), 1 << 40);
    /// pool.set_limit(0.5);
    /// assert!(pool.get_limit() > 0);
    /// pool.set_limit(0);
    /// ```
    #[track_caller]
    pub fn set_limit(&self, limit: impl MemoryLimit) {
        check(self.limit(limit.amount()));
    }

    /// The limit in bytes; 0 if there is none, as in CuPy.
    pub fn get_limit(&self) -> usize {
        self.handle.backend.pool(self.kind).limit.unwrap_or(0)
    }

    fn limit(&self, amount: Amount) -> Result<()> {
        let bytes = match amount {
            Amount::Bytes(bytes) => bytes,
            Amount::Fraction(fraction) => {
                let backend = match self.kind {
                    PoolKind::Device => self.handle.backend.clone(),
                    PoolKind::Pinned => device::host().backend,
                };
                let total = backend.memory().total;
                if !(0.0..=1.0).contains(&fraction) || total == 0 {
                    let reason = if total == 0 {
                        "the system does not say how much memory there is; give a number of bytes".to_owned()
                    } else {
                        format!(
                            "{fraction} is not a fraction of the memory; give a fraction from 0.0 to 1.0, or bytes as \
                             an integer"
                        )
                    };
                    return Err(Error::argument("set_limit", reason));
                }
                (total as f64 * fraction) as usize
            }
        };
        self.handle.backend.limit_pool(self.kind, (bytes > 0).then_some(bytes));
        Ok(())
    }
}

impl fmt::Debug for MemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = self.handle.backend.pool(self.kind);
        let mut fields = f.debug_struct("MemoryPool");
        fields.field("device", &self.handle.device).field("pinned", &(self.kind == PoolKind::Pinned));
        fields.field("used_bytes", &figures.used).field("total_bytes", &figures.held);
        fields.field("limit", &figures.limit).finish()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for f64 {}
}

/// How much memory a pool may hold.
pub enum Amount {
    /// So many bytes.
    Bytes(usize),
    /// So much of all there is.
    Fraction(f64),
}

/// A limit of a [`MemoryPool`]: bytes as a `usize`, or a fraction as an `f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a memory limit",
    label = "expected bytes or a fraction",
    note = "a limit is a number of bytes, such as `4 << 30`, of type usize, or a fraction of the memory, such as `0.5`"
)]
pub trait MemoryLimit: sealed::Sealed {
    /// The limit, by its kind.
    #[doc(hidden)]
    fn amount(self) -> Amount;
}

impl MemoryLimit for usize {
    fn amount(self) -> Amount {
        Amount::Bytes(self)
    }
}
impl MemoryLimit for f64 {
    fn amount(self) -> Amount {
        Amount::Fraction(self)
    }
}
