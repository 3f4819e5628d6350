//! What the threads of a warp, 32 with consecutive numbers, do together.
//!
//! The lanes that a mask names have to make the same call with the same mask; those whose threads have ended, or that a small
//! block does not have, are not waited for.

use crate::element::ShuffleElement;
use crate::failure::FailureKind;
use crate::waits::{LANES, Operation, Wait};
use crate::worker::here;
use std::panic::Location;

/// What names a lane, a distance between lanes or a mask of them: an integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the number of a lane",
    note = "write it as usize, i32 or u32"
)]
pub trait Lane: sealed::Sealed {
    #[doc(hidden)]
    fn lane(self) -> u32;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! lanes {
    ($($type:ident)*) => {$(
        impl sealed::Sealed for $type {}
        impl Lane for $type {
            #[inline]
            fn lane(self) -> u32 {
                self as u32
            }
        }
    )*};
}
lanes!(usize i32 u32);

/// Waits until all threads of the warp have come to a `sync_warp()`; what they have written to memory before is seen by all of
/// them after. CUDA's `__syncwarp`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn sync_warp() {
    wait(Operation::SyncWarp, u32::MAX, 0, 0, 0);
}

/// The `value` of the thread in the lane `source`, modulo 32. CUDA's `__shfl_sync`. It is the thread's own one if that lane
/// takes no part.
///
/// # Panics
///
/// Outside of a kernel. In one, the launch fails if `mask` leaves out the thread's own lane.
#[track_caller]
pub fn shfl_sync<T: ShuffleElement>(mask: u32, value: T, source: impl Lane) -> T {
    shuffle(Operation::Shuffle, mask, value, source.lane())
}

/// The `value` of the thread `delta` lanes below. CUDA's `__shfl_up_sync`. It is the thread's own one if there is none,
/// or it takes no part.
///
/// # Panics
///
/// As [`shfl_sync`].
#[track_caller]
pub fn shfl_up_sync<T: ShuffleElement>(mask: u32, value: T, delta: impl Lane) -> T {
    shuffle(Operation::ShuffleUp, mask, value, delta.lane())
}

/// The `value` of the thread `delta` lanes above. CUDA's `__shfl_down_sync`. It is the thread's own one if there is
/// none, or it takes no part.
///
/// # Panics
///
/// As [`shfl_sync`].
#[track_caller]
pub fn shfl_down_sync<T: ShuffleElement>(mask: u32, value: T, delta: impl Lane) -> T {
    shuffle(Operation::ShuffleDown, mask, value, delta.lane())
}

/// The `value` of the thread whose lane differs from this one's in the bits of `lane_mask`. CUDA's `__shfl_xor_sync`. It is the
/// thread's own one if that lane takes no part.
///
/// # Panics
///
/// As [`shfl_sync`].
#[track_caller]
pub fn shfl_xor_sync<T: ShuffleElement>(mask: u32, value: T, lane_mask: impl Lane) -> T {
    shuffle(Operation::ShuffleXor, mask, value, lane_mask.lane())
}

/// A bit for each lane in `mask`: whether its thread was called with `true`. CUDA's `__ballot_sync`.
///
/// # Panics
///
/// As [`shfl_sync`].
#[track_caller]
pub fn ballot_sync(mask: u32, predicate: bool) -> u32 {
    wait(Operation::Ballot, mask, predicate.into(), 0, 0) as u32
}

/// Whether the threads of all lanes in `mask` were called with `true`. CUDA's `__all_sync`.
///
/// # Panics
///
/// As [`shfl_sync`].
#[track_caller]
pub fn all_sync(mask: u32, predicate: bool) -> bool {
    wait(Operation::All, mask, predicate.into(), 0, 0) != 0
}

/// Whether the thread of any lane in `mask` was called with `true`. CUDA's `__any_sync`.
///
/// # Panics
///
/// As [`shfl_sync`].
#[track_caller]
pub fn any_sync(mask: u32, predicate: bool) -> bool {
    wait(Operation::Any, mask, predicate.into(), 0, 0) != 0
}

#[inline]
#[track_caller]
fn shuffle<T: ShuffleElement>(operation: Operation, mask: u32, value: T, lane: u32) -> T {
    T::from_word(wait(operation, mask, value.to_word(), T::TAG, lane))
}

#[track_caller]
fn wait(operation: Operation, mask: u32, word: u64, element: u8, lane: u32) -> u64 {
    let (worker, place) = (here(operation.name()), Location::caller());
    let own = worker.number() % LANES;
    if mask >> own & 1 == 0 {
        let reason = format!("the mask {mask:#010x} leaves out lane {own}, which makes the call");
        worker.fail(FailureKind::Misuse { operation: operation.name(), reason }, place);
    }
    worker.wait(Wait { operation, mask, word, element, lane, place })
}
