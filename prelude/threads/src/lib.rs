//! Grids of threads on the CPU: what a kernel calls, and what runs it.
//!
//! [`run`] calls a function once for each thread of a grid. In it, [`thread_idx`] and its kin say which thread it is, the threads
//! of a block wait for each other at [`sync_threads`] and share arrays ([`shared_array`]), those of a warp pass values on
//! ([`shfl_down_sync`]), and arrays are accessed through checked views ([`View`], [`ViewMut`]). Nothing is known here of devices
//! and their arrays.
//!
//! ```
//! use warpcell_threads::{Launch, Mode, ViewMut, global_idx, run};
//!
//! let mut squares = vec![0; 1000];
//! // SAFETY: the vector is used by the launch alone while it runs.
//! let out = unsafe { ViewMut::from_raw(squares.as_mut_ptr(), &[1000], &[1], "out") };
//! let kernel = |mut out: ViewMut<i32>| {
//!     let i = global_idx().x;
//!     if i < out.len() {
//!         out[i] = (i * i) as i32;
//!     }
//! };
//! let launch = Launch {
//!     function: "square",
//!     grid: [8, 1, 1],
//!     block: [128, 1, 1],
//!     dynamic_shared_bytes: 0,
//!     mode: Mode::Plain,
//!     interrupted: &|| false,
//! };
//! // SAFETY: each thread writes an element of its own.
//! let result = unsafe { run(&launch, &|| kernel(out)) };
//! assert_eq!(result, Ok(()));
//! assert_eq!(squares[999], 998_001);
//! ```

mod access;
mod accesses;
mod arithmetic;
mod barrier;
mod checker;
mod element;
mod failure;
mod indices;
mod launch;
mod lockstep;
mod panics;
mod recorder;
mod recording;
mod region;
mod shared;
mod stacks;
pub mod steps;
mod values;
mod view;
mod waits;
mod warp;
mod worker;

pub use accesses::RecordedAccess;
pub use arithmetic::Operations;
pub use barrier::{sync_threads, sync_threads_and, sync_threads_count, sync_threads_or, thread_fence};
pub use element::{AtomicElement, AtomicInteger, ShuffleElement, ViewElement};
pub use failure::{Access, AccessKind, Elsewhere, Failure, FailureKind, Memory};
pub use indices::{Dim3, block_dim, block_idx, global_idx, grid_dim, grid_stride, lane_id, thread_idx, warp_size};
pub use launch::{Launch, Mode, SHARED_MEMORY_LIMIT, record, run};
pub use recording::{
    Called, Event, LocalName, Plan, RecordedArray, RecordedBlock, RecordedStep, Recording, Texts, What,
};
pub use region::{MOST_AXES, SharedShape, ViewIndex};
pub use shared::{dynamic_shared_array, shared_array};
pub use values::element_texts;
pub use view::{SharedArray, View, ViewMut};
pub use warp::{
    Lane, all_sync, any_sync, ballot_sync, shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync, sync_warp,
};
pub use worker::keep_while_running;

/// Whether this is called in a thread of a launch.
pub fn in_kernel() -> bool {
    worker::running().is_some()
}
