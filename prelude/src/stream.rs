//! Streams, queues of a device, and events, marks in them.

use crate::backend::{EventHandle, StreamHandle};
use crate::device::{self, Device, Handle, Scope};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use std::cell::RefCell;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

/// A queue of the current device. Work in one stream runs in order; an operation waits for what other streams still write to
/// its arrays, so no cell needs to order streams.
///
/// Work goes to the stream of the innermost [`with`](Self::with) in its thread, else to the one that the device begins with:
/// so everything runs in order as long as no other is made. What different streams do to different arrays, or reads of the same
/// array, may run at the same time. Memory is safe, too: a block that one stream's work still uses is not handed to
/// another's.
///
/// On the CPU work is done at once, in whatever stream: the same program gives the same results, but nothing overlaps.
///
/// A device has 32 queues at most; further streams share them. A stream that is dropped lets its work come to an end.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::arange(1000.0f64);
/// let (one, other) = (gpu::Stream::new(), gpu::Stream::new());
/// let b = one.with(|| &a + 1.0);
/// let c = other.with(|| &a * 2.0);
/// assert_eq!((&b + &c).get(&[10]), 31.0); // in a third stream, that of the device
/// ```
#[derive(Clone)]
pub struct Stream {
    handle: Handle,
    stream: Arc<dyn StreamHandle>,
}

// A panic leaves streams and events as they were.
impl UnwindSafe for Stream {}
impl RefUnwindSafe for Stream {}

thread_local! {
    /// The streams that this thread has entered, the innermost at the end.
    static ENTERED: RefCell<Vec<Stream>> = const { RefCell::new(Vec::new()) };
}

/// The stream of the current device that operations go to; `cupy.cuda.get_current_stream`.
///
/// **Panics** if `WARPCELL_DEVICE` names a device that cannot be used.
///
/// ```
/// println!("{:?}", warpcell::current_stream()); // Stream 0 of cuda:0
/// ```
#[track_caller]
pub fn current_stream() -> Stream {
    let handle = check(device::current());
    let innermost = |entered: &RefCell<Vec<Stream>>| {
        entered.borrow().iter().rev().find(|stream| stream.handle.device == handle.device).cloned()
    };
    ENTERED.with(innermost).unwrap_or_else(|| Stream { stream: handle.backend.first_stream(), handle })
}

impl Stream {
    /// A new stream of the current device.
    ///
    /// **Panics** if the device cannot be used, or has no resources for another stream.
    #[track_caller]
    #[allow(clippy::new_without_default, reason = "a stream of whatever device is current is no default")]
    pub fn new() -> Stream {
        check(Stream::try_new())
    }

    /// As [`new`](Self::new), but returns the error.
    pub fn try_new() -> Result<Stream> {
        let handle = device::current()?;
        let stream = handle.backend.new_stream()?;
        Ok(Stream { handle, stream })
    }

    /// A stream of the current device that another library has made, by its handle (a `cudaStream_t` or `CUstream`); CuPy's
    /// `ExternalStream`. 0 and 1 are CUDA's default stream, 2 is that of the calling thread. Up to 16 different ones can be used.
    ///
    /// # Safety
    ///
    /// `stream` is a stream of the current device, and exists until the process ends.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] on the CPU, which has no streams, and where 16 others are in use already.
    ///
    /// ```
    /// use warpcell as gpu;
    /// // SAFETY: 1 is CUDA's default stream.
    /// let stream = unsafe { gpu::Stream::from_raw(1) };
    /// assert_eq!(stream.is_ok(), gpu::device() != gpu::Device::Cpu);
    /// ```
    pub unsafe fn from_raw(stream: usize) -> Result<Stream> {
        // SAFETY: the caller's promise.
        unsafe { Stream::of_handle(device::current()?, stream) }
    }

    /// As [`from_raw`](Self::from_raw), for another device.
    ///
    /// # Safety
    ///
    /// As of [`from_raw`](Self::from_raw).
    pub(crate) unsafe fn of_handle(handle: Handle, stream: usize) -> Result<Stream> {
        // SAFETY: the caller's promise.
        let stream = unsafe { handle.backend.foreign_stream(stream) }?;
        Ok(Stream { handle, stream })
    }

    /// Does `work` with this as the current stream, and its device as the current device; as for devices. Gives what `work`
    /// gives, which need not be done yet on the device.
    ///
    /// That holds for the calling thread.
    ///
    /// **Panics** while a graph is captured ([`Error::NotCapturable`]), or if `work` does.
    #[track_caller]
    pub fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        let _entered = check(Entered::begin(self));
        work()
    }

    /// Waits for the stream's work.
    ///
    /// **Panics** if a queued operation failed on the device.
    #[track_caller]
    pub fn synchronize(&self) {
        check(self.stream.synchronize());
    }

    /// Lets the stream's further work wait until the work in front of an event is done; the host does not wait. The event may
    /// be in a stream of another device. (For arrays, that happens by itself.)
    ///
    /// **Panics** if the event was never recorded ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (one, other) = (gpu::Stream::new(), gpu::Stream::new());
    /// let event = one.record();
    /// other.wait(&event);
    /// ```
    #[track_caller]
    pub fn wait(&self, event: &Event) {
        check(event.recorded("Stream::wait").and_then(|recorded| self.stream.wait(&*recorded.event)));
    }

    /// A new event behind the work that the stream has.
    #[track_caller]
    pub fn record(&self) -> Event {
        let event = Event::new();
        event.record(self);
        event
    }

    /// Whether the stream's work is done; does not wait.
    ///
    /// **Panics** if a queued operation failed on the device.
    #[track_caller]
    pub fn is_done(&self) -> bool {
        check(self.stream.is_done())
    }

    /// The device whose stream this is.
    pub fn device(&self) -> Device {
        self.handle.device
    }
}

/// Two streams that are one queue of one device are equal.
impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        (self.handle.device, self.stream.number()) == (other.handle.device, other.stream.number())
    }
}
impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream {} of {}", self.stream.number(), self.handle.device)
    }
}

/// A stream that is entered: left at the end of the scope, also if that is a panic.
struct Entered<'a> {
    stream: &'a Stream,
    _device: Scope,
}

impl Entered<'_> {
    fn begin(stream: &Stream) -> Result<Entered<'_>> {
        stream.stream.enter()?;
        ENTERED.with_borrow_mut(|entered| entered.push(stream.clone()));
        Ok(Entered { stream, _device: Scope::begin(stream.handle.clone()) })
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let left = ENTERED.with_borrow_mut(Vec::pop);
        drop(left);
        self.stream.stream.leave();
    }
}

/// A mark in a stream: to wait for, and to measure times with.
///
/// ```
/// use warpcell as gpu;
/// let stream = gpu::current_stream();
/// let (start, end) = (gpu::Event::new(), gpu::Event::new());
/// start.record(&stream);
/// let a = gpu::arange(1000.0).exp();
/// end.record(&stream);
/// println!("{} s on the device", end.elapsed_since(&start)); // waits for both
/// ```
pub struct Event {
    recorded: Mutex<Option<Recorded>>,
}

/// Where an event is.
#[derive(Clone)]
struct Recorded {
    handle: Handle,
    event: Arc<dyn EventHandle>,
}

impl UnwindSafe for Event {}
impl RefUnwindSafe for Event {}

impl Event {
    /// An event that is not yet in a stream.
    #[allow(clippy::new_without_default, reason = "as for streams")]
    pub fn new() -> Event {
        Event { recorded: Mutex::new(None) }
    }

    /// Puts the event behind the work that the stream has. One that is in a stream already moves.
    ///
    /// **Panics** while a graph is captured ([`Error::NotCapturable`]).
    #[track_caller]
    pub fn record(&self, stream: &Stream) {
        let event = Arc::from(check(stream.stream.record()));
        let recorded = Recorded { handle: stream.handle.clone(), event };
        *self.recorded.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorded);
    }

    /// Waits for the work in front of the event.
    ///
    /// **Panics** if it was never recorded ([`Error::InvalidArgument`]), or that work failed.
    #[track_caller]
    pub fn synchronize(&self) {
        check(self.recorded("Event::synchronize").and_then(|recorded| recorded.event.synchronize()));
    }

    /// Whether the work in front of the event is done; does not wait.
    ///
    /// **Panics** if it was never recorded ([`Error::InvalidArgument`]), or that work failed.
    #[track_caller]
    pub fn is_done(&self) -> bool {
        check(self.recorded("Event::is_done").and_then(|recorded| recorded.event.is_done()))
    }

    fallible! {
        /// The seconds from another event to this one, negative if this one was first; waits for both. CuPy's
        /// `get_elapsed_time`, which counts milliseconds.
        ///
        /// **Panics** if one of them was never recorded, or they are in streams of two devices
        /// ([`Error::InvalidArgument`]).
        pub fn elapsed_since, try_elapsed_since(&self, start: &Event) -> Result<f64> {
            let operation = "Event::elapsed_since";
            let (start, end) = (start.recorded(operation)?, self.recorded(operation)?);
            if start.handle.device != end.handle.device {
                let reason = format!(
                    "the events are in streams of {} and {}; record both in streams of one device",
                    start.handle.device, end.handle.device
                );
                return Err(Error::argument(operation, reason));
            }
            end.handle.may_wait(operation)?;
            end.handle.backend.elapsed(&*start.event, &*end.event)
        }
    }

    fn recorded(&self, operation: &'static str) -> Result<Recorded> {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner).clone();
        recorded.ok_or_else(|| {
            let reason = "the event was never recorded; put it into a stream first, with `event.record(&stream)`";
            Error::argument(operation, reason)
        })
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.recorded.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(recorded) => write!(f, "Event on {}", recorded.handle.device),
            None => f.write_str("Event, not recorded"),
        }
    }
}
