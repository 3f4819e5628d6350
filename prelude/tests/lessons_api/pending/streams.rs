//! Streams, queues of a device, and events, marks in them.

/// A queue of the current device. Work in one stream runs in order; an operation waits for what other streams still write to
/// its arrays, so no cell needs to order streams.
#[derive(Clone, Debug)]
pub struct Stream {}

/// A mark in a stream.
#[derive(Debug)]
pub struct Event {}

/// The stream that operations go to; `cupy.cuda.get_current_stream`.
pub fn current_stream() -> Stream {
    todo!()
}

impl Stream {
    /// A new stream of the current device.
    pub fn new() -> Stream {
        todo!()
    }

    /// Does `work` with this as the current stream; as for devices.
    pub fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        todo!()
    }

    /// Waits for the stream's work.
    pub fn synchronize(&self) {
        todo!()
    }
}

impl Event {
    /// An event that is not yet in a stream.
    pub fn new() -> Event {
        todo!()
    }

    /// Puts the event behind the work that the stream has.
    pub fn record(&self, stream: &Stream) {
        todo!()
    }

    /// Waits for the work in front of the event.
    pub fn synchronize(&self) {
        todo!()
    }
}
