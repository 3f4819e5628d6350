//! How a kernel is launched: [`LaunchConfig`].

use crate::backend::launch::Checks;
use crate::raw_kernels::IntoDim3;
use crate::stream::Stream;
use std::time::Duration;

/// The size of a launch and what else can be said of it, for [`launch_with`](crate::launch_with).
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
///
/// #[kernel]
/// fn reverse(mut a: ViewMut<f32>) {
///     let mut room = dynamic_shared_array::<f32>();
///     let (i, n) = (thread_idx().x, block_dim().x);
///     room[i] = a[i];
///     sync_threads();
///     a[i] = room[n - 1 - i];
/// }
///
/// let mut a = gpu::arange(64.0f32);
/// gpu::launch_with(gpu::LaunchConfig::new(1, 64).dynamic_shared_bytes(4 * 64), reverse, &mut a);
/// assert_eq!(a.get(&[0]), 63.0);
/// ```
#[derive(Clone, Debug)]
pub struct LaunchConfig {
    pub(crate) grid: [i64; 3],
    pub(crate) block: [i64; 3],
    pub(crate) dynamic_shared_bytes: usize,
    pub(crate) stream: Option<Stream>,
    pub(crate) checks: Checks,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) trace_blocks: Option<Vec<usize>>,
    pub(crate) trace_events: usize,
}

/// As many events a trace has at most, if nothing else is said.
pub(crate) const TRACE_EVENTS: usize = 2_000_000;

impl LaunchConfig {
    /// A grid of so many blocks, with so many threads each; both are `n`, `(x, y)` or `(x, y, z)`.
    pub fn new(grid: impl IntoDim3, block: impl IntoDim3) -> LaunchConfig {
        LaunchConfig {
            grid: grid.into_dim3(),
            block: block.into_dim3(),
            dynamic_shared_bytes: 0,
            stream: None,
            checks: Checks::Bounds,
            time_limit: None,
            trace_blocks: None,
            trace_events: TRACE_EVENTS,
        }
    }

    /// How many bytes the kernel's `dynamic_shared_array` has in each block.
    pub fn dynamic_shared_bytes(self, bytes: usize) -> LaunchConfig {
        LaunchConfig { dynamic_shared_bytes: bytes, ..self }
    }

    /// Launches in this stream, instead of the current one.
    pub fn stream(self, stream: &Stream) -> LaunchConfig {
        LaunchConfig { stream: Some(stream.clone()), ..self }
    }

    /// Launches as [`launch_checked`](crate::launch_checked) does: races, barriers and shared memory are checked, too.
    pub fn checked(self) -> LaunchConfig {
        LaunchConfig { checks: Checks::All, ..self }
    }

    /// Launches as [`launch_unchecked`](crate::launch_unchecked) does: on CUDA devices, indices are not checked.
    ///
    /// # Safety
    ///
    /// As for that.
    pub unsafe fn unchecked(self) -> LaunchConfig {
        LaunchConfig { checks: Checks::None, ..self }
    }

    /// Ends the kernel with an error when it has run for so long; the arrays that it writes to hold anything then. With a limit, the
    /// launch waits until the kernel is done.
    ///
    /// On CUDA devices, loops whose number of passes is not known look at the limit, and barriers do not: a kernel whose threads wait
    /// for one another at barriers that not all of them reach need not end. On the CPU it is looked at when a thread begins, and at
    /// barriers; a loop of a single thread that does not end is ended by an interrupt of the cell alone.
    pub fn time_limit(self, limit: Duration) -> LaunchConfig {
        LaunchConfig { time_limit: Some(limit), ..self }
    }

    /// Of which blocks [`launch_traced_with`](crate::launch_traced_with) records what their threads do: their numbers in the grid, which
    /// run along `x` first. Without, these are the first block, one in the middle and the last. A block whose thread fails is recorded
    /// in any case, and with a race the block of the other thread. Numbers of blocks that there are not are left out, and the trace says so.
    pub fn trace_blocks(self, blocks: impl IntoIterator<Item = usize>) -> LaunchConfig {
        LaunchConfig { trace_blocks: Some(blocks.into_iter().collect()), ..self }
    }

    /// As many events, such as a statement of a warp or an access of a thread, a trace has at most; two million if nothing is said.
    /// The blocks that are recorded have equal parts of it. What is beyond is counted, and the launch goes on.
    pub fn trace_events(self, events: usize) -> LaunchConfig {
        LaunchConfig { trace_events: events, ..self }
    }
}
