//! Graphs: operations that are captured once and launched as a whole, any number of times.

use crate::backend::{GraphHandle, recording};
use crate::device::{self, Device, Handle};
use crate::error::{Result, check};
use crate::fallible::fallible;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// Captured operations, and what the closure gave in which they were captured: CUDA graphs.
///
/// Starting an operation takes some microseconds; if there are many small ones, that is what a program does most of the time.
/// A graph is started as a whole.
///
/// During the capture, operations on the current device are noted and not done. [`launch`](Self::launch) does all of them, on
/// the same memory each time:
/// - Arrays that the closure reads may be changed between launches (`assign`, `fill`, `+=`); the launch sees what they hold then.
/// - Arrays that it makes and gives back hold new elements after each launch, and unspecified ones before the first.
/// - What it does to arrays in place, each launch does again.
/// - Scalars, shapes and random numbers are those of the capture. The closure's other code runs once, and what it asks of other
///   devices is done at once.
///
/// What waits for results ([`to_host`](crate::DeviceArray::to_host), `item`, `sum` of a whole array, printing), what copies host
/// memory ([`asarray`](crate::asarray())) and what has to do with streams cannot be captured: that is
/// [`Error::NotCapturable`](crate::Error::NotCapturable), which ends the capture if it is not handled, and leaves all as it was.
///
/// A graph keeps all memory that its operations need. On the CPU, a launch does the operations one after the other, with the
/// same results.
///
/// ```
/// use warpcell as gpu;
/// let mut x = gpu::arange(4.0f64);
/// let graph = gpu::Graph::capture(|| {
///     let y = &x * 2.0;
///     &y + 1.0
/// });
/// assert_eq!(graph.launch().sum(), 16.0);
/// x.fill(3.0);
/// assert_eq!(graph.launch().sum(), 28.0);
/// ```
pub struct Graph<R = ()> {
    handle: Handle,
    graph: Box<dyn GraphHandle>,
    value: R,
}

impl<R: UnwindSafe> UnwindSafe for Graph<R> {}
impl<R: RefUnwindSafe> RefUnwindSafe for Graph<R> {}

impl<R> Graph<R> {
    /// Captures what `work` does with arrays of the current device, in this thread.
    ///
    /// **Panics** if `work` does, such as by an operation that cannot be captured, or within another capture.
    #[track_caller]
    pub fn capture(work: impl FnOnce() -> R) -> Graph<R> {
        check(Graph::try_capture(work))
    }

    /// As [`capture`](Self::capture), but returns errors of the capture itself; a panic of `work` stays one.
    pub fn try_capture(work: impl FnOnce() -> R) -> Result<Graph<R>> {
        let handle = device::current()?;
        // Given up when dropped, as in a panic.
        let capture = handle.backend.begin_capture()?;
        let value = work();
        let graph = capture.finish()?;
        Ok(Graph { handle, graph, value })
    }

    fallible! {
        /// Queues the captured operations in the current stream; gives what the closure gave, whose arrays hold the
        /// results as soon as they are done.
        ///
        /// **Panics** if they cannot be queued, or within a capture.
        pub fn launch, try_launch(&self) -> Result<&R> {
            // It may write to any array, again and again.
            recording::spoil();
            self.graph.launch()?;
            Ok(&self.value)
        }
    }

    /// How many operations were captured, copies and the parts of operations that have several counted apart.
    pub fn operations(&self) -> usize {
        self.graph.operations()
    }

    /// The device whose work it is.
    pub fn device(&self) -> Device {
        self.handle.device
    }
}

impl<R> fmt::Debug for Graph<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph of {} operations on {}", self.operations(), self.handle.device)
    }
}
