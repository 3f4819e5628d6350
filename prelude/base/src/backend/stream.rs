//! What a backend must do for streams, events and graphs.

use crate::error::{Error, Result};
use std::any::Any;

/// A queue of a device's work, in which it is done in order.
pub trait StreamHandle: Send + Sync {
    /// Which of the device's queues it is; 0 is the one that the device begins with.
    fn number(&self) -> usize;
    /// Lets the calling thread's work on the device go to this stream until [`leave`](Self::leave) is called, in the opposite
    /// order. Fails while the thread captures a graph.
    fn enter(&self) -> Result<()>;
    /// The opposite of `enter`, on the same thread.
    fn leave(&self);
    /// Records an event behind the work that the stream has.
    fn record(&self) -> Result<Box<dyn EventHandle>>;
    /// Lets the stream's further work wait for an event, which may be of another device.
    fn wait(&self, event: &dyn EventHandle) -> Result<()>;
    /// Waits until the stream's work is done, and reports errors of it.
    fn synchronize(&self) -> Result<()>;
    /// Whether the stream's work is done.
    fn is_done(&self) -> Result<bool>;
}

/// A recorded point in a device's queue of work. The methods suit a device that does its work at once.
pub trait EventHandle: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    /// Waits until the work in front of it is done.
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
    /// Whether the work in front of it is done.
    fn is_done(&self) -> Result<bool> {
        Ok(true)
    }
}

/// The capture of a graph by the calling thread: what that thread asks of the device meanwhile is noted and not done. Dropped,
/// it is given up.
pub trait CaptureHandle {
    /// Ends the capture.
    fn finish(self: Box<Self>) -> Result<Box<dyn GraphHandle>>;
}

/// Noted work, which can be done any number of times. It keeps the memory alive that it uses.
pub trait GraphHandle: Send + Sync {
    /// Queues the work in the calling thread's stream.
    fn launch(&self) -> Result<()>;
    /// How many pieces of work there are.
    fn operations(&self) -> usize;
}

/// The error for an operation that waits for results, while a graph is captured.
pub fn waits(operation: &'static str) -> Error {
    let reason = "it waits for results, and what is captured has not run yet; end the capture, launch the graph, and \
                  read the results then";
    Error::NotCapturable { operation, reason }
}

/// The error for an operation that copies memory of the host, while a graph is captured.
pub fn copies(operation: &'static str) -> Error {
    let reason =
        "it copies host memory, which may be gone when the graph is launched; make the array before the capture";
    Error::NotCapturable { operation, reason }
}

/// The error for work with streams and events, while a graph is captured.
pub fn orders(operation: &'static str) -> Error {
    let reason = "a graph is captured in one stream of its own; use streams and events around `launch`";
    Error::NotCapturable { operation, reason }
}
