//! Barriers of a block, and fences.

use crate::waits::{Operation, Wait};
use crate::worker::{here, running};
use std::panic::Location;
use std::sync::atomic::{Ordering, fence};

/// Waits until all threads of the block have come here; what they have written to memory before is seen by all of them after.
/// CUDA's `__syncthreads`. All threads of a block have to come to the same call.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn sync_threads() {
    wait(Operation::SyncThreads, false);
}

/// As [`sync_threads`]; gives how many threads of the block were called with `true`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn sync_threads_count(predicate: bool) -> u32 {
    wait(Operation::SyncThreadsCount, predicate) as u32
}

/// As [`sync_threads`]; gives whether all threads of the block were called with `true`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn sync_threads_and(predicate: bool) -> bool {
    wait(Operation::SyncThreadsAnd, predicate) != 0
}

/// As [`sync_threads`]; gives whether any thread of the block was called with `true`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn sync_threads_or(predicate: bool) -> bool {
    wait(Operation::SyncThreadsOr, predicate) != 0
}

/// What the thread has written before is seen by other threads before what it writes after; CUDA's `__threadfence`. It waits
/// for nobody.
pub fn thread_fence() {
    fence(Ordering::SeqCst);
    if let Some(worker) = running() {
        worker.fence();
    }
}

#[track_caller]
fn wait(operation: Operation, predicate: bool) -> u64 {
    let word = predicate.into();
    here(operation.name()).wait(Wait { operation, mask: 0, word, element: 0, lane: 0, place: Location::caller() })
}
