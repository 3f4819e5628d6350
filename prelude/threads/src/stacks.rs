//! Stacks for threads that wait, kept from launch to launch: making one takes longer than a small launch.

use corosensei::stack::DefaultStack;
use std::sync::{Mutex, PoisonError};

/// How long a stack is. Memory is taken as it is used.
const LENGTH: usize = 1024 * 1024;

/// As many stacks are kept: two blocks of the largest size, for two processors.
const MOST_KEPT: usize = 2048;

/// As many stacks are in use at once. Each takes two of the system's mappings, of which a process has 65530.
pub(crate) const MOST_USED: usize = 16 * 1024;

static KEPT: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// A stack, old or new.
pub(crate) fn take() -> std::io::Result<DefaultStack> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).pop();
    kept.map_or_else(|| DefaultStack::new(LENGTH), Ok)
}

/// Takes stacks back.
pub(crate) fn give(stacks: impl Iterator<Item = DefaultStack>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MOST_KEPT.saturating_sub(kept.len());
    kept.extend(stacks.take(room));
}
