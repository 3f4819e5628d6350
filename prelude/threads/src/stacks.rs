//! Stacks for threads that wait, kept from launch to launch: making one takes longer than a small launch.

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// How long a stack is. Memory is taken as it is used.
const LENGTH: usize = 512 * 1024;

/// As many stacks are kept: two blocks of the largest size, for two processors.
const MOST_KEPT: usize = 2048;

/// As many stacks are in use at once. Each takes two of the system's mappings, of which a process has 65530.
pub(crate) const MOST_USED: usize = 16 * 1024;

/// Lines of the cache: how long one is, how many a page has, and how many are between the beginnings of two stacks.
const LINE: usize = 64;
const PAGE_LINES: usize = 64;
const SHIFT_LINES: usize = 11;

static KEPT: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// A stack that does not begin where its memory ends. If all did, the threads of a block, which come to the same call in turn,
/// would use the same few lines of the processor's first cache.
pub(crate) struct Shifted {
    memory: DefaultStack,
    /// A multiple of the alignment.
    shift: usize,
}

// SAFETY: the memory has a guard page below, and more than enough is left above it.
unsafe impl Stack for Shifted {
    #[inline]
    fn base(&self) -> StackPointer {
        NonZeroUsize::new(self.memory.base().get() - self.shift).unwrap_or(self.memory.base())
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        self.memory.limit()
    }
}

/// A stack, old or new, for the coroutine with this number.
pub(crate) fn take(slot: usize) -> std::io::Result<Shifted> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let memory = kept.map_or_else(|| DefaultStack::new(LENGTH), Ok)?;
    Ok(Shifted { memory, shift: slot * SHIFT_LINES % PAGE_LINES * LINE })
}

/// Takes stacks back.
pub(crate) fn give(stacks: impl Iterator<Item = Shifted>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MOST_KEPT.saturating_sub(kept.len());
    kept.extend(stacks.take(room).map(|stack| stack.memory));
}
