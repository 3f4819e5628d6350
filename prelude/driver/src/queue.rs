//! The queues of a device: its CUDA streams. Which one a thread's work goes to, and how one waits for others.
//!
//! A queue that was made is kept: a [`Stream`] that is dropped leaves it to the next one. So the number of a queue stands for
//! the work in it for good, and a block of memory can note its users as bits.

use super::context::Device;
use super::event::Event;
use super::status::check;
use cudarc::driver::sys::{self, CUresult};
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use warpcell_base::error::{Error, Result};

/// The most queues that a device has; streams beyond that share them.
pub(super) const QUEUES: usize = 32;
/// The most of them that are streams of others.
const FOREIGN: usize = 16;
/// The handle of CUDA's default stream where it cannot mean another one.
const LEGACY: usize = 1;

/// A device's queues by number. The first one is there from the beginning.
#[derive(Default)]
pub(super) struct Queues {
    made: [OnceLock<Made>; QUEUES],
    /// How many streams use each.
    users: Mutex<[usize; QUEUES]>,
    /// A stream that waits for all others where all work of the device is to be marked, so that they need not wait.
    meeting: OnceLock<Raw>,
}

/// A CUDA stream, and an event in which to mark the end of its work for others to wait for.
struct Made {
    stream: sys::CUstream,
    marker: sys::CUevent,
    /// Whether others have made the stream.
    is_foreign: bool,
}

struct Raw(sys::CUstream);

// SAFETY: streams and events are tokens of the driver, which may be used from every thread.
unsafe impl Send for Made {}
// SAFETY: as for `Send`.
unsafe impl Sync for Made {}
// SAFETY: as above.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

/// Where a thread's work goes.
#[derive(Clone, Copy)]
pub(super) struct Queue {
    pub stream: sys::CUstream,
    /// Of the device's queues; while a graph is captured, that of the thread's stream outside.
    pub number: u8,
    /// Whether work is captured and not done.
    pub is_capture: bool,
}

impl Queue {
    /// The queue as one of a set.
    pub fn bit(self) -> u32 {
        1 << self.number
    }
}

thread_local! {
    /// What the thread has entered, by the numbers of devices, the innermost at the end.
    static ENTERED: RefCell<Vec<(usize, Queue)>> = const { RefCell::new(Vec::new()) };
}

/// Lets this thread's work on a device go to `queue`.
pub(super) fn enter(device: &Device, queue: Queue) {
    // From here on, threads look for what they have entered.
    device.has_streams.store(true, Ordering::Release);
    ENTERED.with_borrow_mut(|entered| entered.push((device.id, queue)));
}

/// The opposite of [`enter`].
pub(super) fn leave(device: &Device, stream: sys::CUstream) {
    ENTERED.with_borrow_mut(|entered| {
        let last = entered.iter().rposition(|(id, queue)| *id == device.id && queue.stream == stream);
        if let Some(last) = last {
            entered.remove(last);
        }
    });
}

/// Whether this thread captures a graph, of whatever device.
pub(super) fn captures_anything() -> bool {
    ENTERED.with_borrow(|entered| entered.iter().any(|(_, queue)| queue.is_capture))
}

impl Device {
    /// Where this thread's work goes. A device without further streams is asked for nothing but that.
    #[inline]
    pub(super) fn queue(&self) -> Queue {
        if self.has_streams() { self.entered() } else { self.first_queue() }
    }

    /// The CUDA stream of this thread's work.
    #[inline]
    pub(super) fn stream(&self) -> sys::CUstream {
        self.queue().stream
    }

    /// The number of this thread's queue, below [`queues`].
    #[inline]
    pub fn queue_number(&self) -> usize {
        self.queue().number.into()
    }

    /// Whether there may be other streams than the first, or graphs.
    #[inline]
    pub fn has_streams(&self) -> bool {
        self.has_streams.load(Ordering::Relaxed)
    }

    /// Whether this thread captures a graph of this device.
    #[inline]
    pub fn is_capturing(&self) -> bool {
        self.has_streams() && self.entered().is_capture
    }

    fn first_queue(&self) -> Queue {
        Queue { stream: self.first_stream, number: 0, is_capture: false }
    }

    fn entered(&self) -> Queue {
        let innermost = |entered: &RefCell<Vec<(usize, Queue)>>| {
            entered.borrow().iter().rev().find(|(id, _)| *id == self.id).map(|(_, queue)| *queue)
        };
        // A thread that ends has left everything.
        ENTERED.try_with(innermost).ok().flatten().unwrap_or_else(|| self.first_queue())
    }

    /// Makes the first queue known to the others; called when the device is opened, with its context current.
    pub(super) fn begin_queues(&self) -> Result<()> {
        let marker = new_marker()?;
        let _ = self.queues.made[0].set(Made { stream: self.first_stream, marker, is_foreign: false });
        Ok(())
    }

    /// Lets `queue` wait for the work that the queues of the set `others` have now.
    pub(super) fn join(&self, queue: Queue, others: u32) -> Result<()> {
        self.bind()?;
        for (number, made) in self.made() {
            if others & 1 << number != 0 {
                // SAFETY: both streams and the event are alive, and of one context. A thread that marks the queue at the same
                // moment marks a later point of it.
                unsafe {
                    check(sys::cuEventRecord(made.marker, made.stream), "cuEventRecord")?;
                    check(sys::cuStreamWaitEvent(queue.stream, made.marker, 0), "cuStreamWaitEvent")?;
                }
            }
        }
        Ok(())
    }

    /// Lets this thread's queue of the device wait for the work that this thread's queue of another one has now.
    pub(super) fn join_other(&self, other: &Device) -> Result<()> {
        let theirs = other.queue();
        let Some(made) = other.queues.made[usize::from(theirs.number)].get() else { return Ok(()) };
        other.bind()?;
        // SAFETY: stream and event are alive, and of one context, which is current.
        check(unsafe { sys::cuEventRecord(made.marker, theirs.stream) }, "cuEventRecord")?;
        self.bind()?;
        // SAFETY: both are alive; a stream may wait for events of other contexts.
        check(unsafe { sys::cuStreamWaitEvent(self.stream(), made.marker, 0) }, "cuStreamWaitEvent")
    }

    /// Waits for the work of all queues. The context is current.
    pub(super) fn wait_for_queues(&self) -> Result<()> {
        // SAFETY: streams live as long as the device; none of these is captured.
        self.made().try_for_each(|(_, made)| check(unsafe { sys::cuStreamSynchronize(made.stream) }, "the queued work"))
    }

    /// Whether a queue's work is done. The context is current.
    pub(super) fn is_queue_done(&self, number: u8) -> Result<bool> {
        self.queues.made[usize::from(number)].get().map_or(Ok(true), |made| is_done(made.stream))
    }

    /// Whether the work of all queues is done. The context is current.
    pub(super) fn are_queues_done(&self) -> Result<bool> {
        for (_, made) in self.made() {
            if !is_done(made.stream)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A stream that has no work but to wait for all that the queues have now. The context is current.
    pub(super) fn meeting(&self) -> Result<sys::CUstream> {
        if !self.has_streams() {
            return Ok(self.first_stream);
        }
        let meeting = match self.queues.meeting.get() {
            Some(meeting) => meeting,
            None => {
                let new = Raw(new_stream()?);
                // Of two threads at once, the second one's stream is not used; it goes when the process ends.
                self.queues.meeting.get_or_init(|| new)
            }
        };
        self.join(Queue { stream: meeting.0, number: 0, is_capture: false }, u32::MAX)?;
        Ok(meeting.0)
    }

    /// The CUDA streams of a set of queues.
    pub(super) fn streams(&self, queues: u32) -> impl Iterator<Item = sys::CUstream> {
        self.made().filter(move |(number, _)| queues & 1 << number != 0).map(|(_, made)| made.stream)
    }

    fn made(&self) -> impl Iterator<Item = (usize, &Made)> {
        self.queues.made.iter().enumerate().filter_map(|(number, made)| made.get().map(|made| (number, made)))
    }

    /// Destroys all queues.
    ///
    /// # Safety
    /// The context is current, all work is done, and nothing uses them any more.
    pub(super) unsafe fn end_queues(&mut self) {
        for made in self.queues.made.iter_mut().filter_map(OnceLock::take) {
            // SAFETY: the caller's promise.
            unsafe {
                let _ = sys::cuEventDestroy_v2(made.marker);
                if !made.is_foreign {
                    let _ = sys::cuStreamDestroy_v2(made.stream);
                }
            }
        }
        if let Some(Raw(stream)) = self.queues.meeting.take() {
            // SAFETY: the caller's promise.
            let _ = unsafe { sys::cuStreamDestroy_v2(stream) };
        }
    }
}

/// How many queues a device can have.
pub const fn queues() -> usize {
    QUEUES
}

/// A new stream of the current context. It is non-blocking: it does not wait for the legacy default stream, and it can be
/// captured.
pub(super) fn new_stream() -> Result<sys::CUstream> {
    let mut stream = std::ptr::null_mut();
    let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
    // SAFETY: the context is current; `stream` is a local to write to.
    check(unsafe { sys::cuStreamCreate(&raw mut stream, flags) }, "cuStreamCreate")?;
    Ok(stream)
}

/// An event of the current context that keeps no time.
pub(super) fn new_marker() -> Result<sys::CUevent> {
    let mut marker = std::ptr::null_mut();
    let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
    // SAFETY: the context is current; `marker` is a local to write to.
    check(unsafe { sys::cuEventCreate(&raw mut marker, flags) }, "cuEventCreate")?;
    Ok(marker)
}

fn is_done(stream: sys::CUstream) -> Result<bool> {
    // SAFETY: the stream is alive, and not captured.
    match unsafe { sys::cuStreamQuery(stream) } {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        status => check(status, "the queued work").map(|()| true),
    }
}

/// One of a device's queues, in use.
pub struct Stream {
    device: Arc<Device>,
    queue: Queue,
}

// SAFETY: a token of the driver, which may be used from every thread.
unsafe impl Send for Stream {}
// SAFETY: as for `Send`.
unsafe impl Sync for Stream {}

impl Stream {
    /// The queue that the device begins with.
    pub fn first(device: &Arc<Device>) -> Stream {
        Stream { device: device.clone(), queue: device.first_queue() }
    }

    /// A queue that no other stream uses: one that was left and is done, or a new one. If there are too many, it is shared.
    pub fn new(device: &Arc<Device>) -> Result<Stream> {
        device.bind()?;
        let mut users = device.queues.users.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left = None;
        for (number, made) in device.made().skip(1) {
            if users[number] == 0 && !made.is_foreign && device.is_queue_done(number as u8)? {
                left = Some(number);
                break;
            }
        }
        let number = match left.or_else(|| device.queues.made.iter().position(|made| made.get().is_none())) {
            Some(number) => number,
            None => {
                let own = device.made().skip(1).filter(|(_, made)| !made.is_foreign).map(|(number, _)| number);
                own.min_by_key(|&number| users[number]).unwrap_or(0)
            }
        };
        if device.queues.made[number].get().is_none() {
            let stream = new_stream()?;
            let marker = match new_marker() {
                Ok(marker) => marker,
                Err(error) => {
                    // SAFETY: made above, and used by nothing.
                    let _ = unsafe { sys::cuStreamDestroy_v2(stream) };
                    return Err(error);
                }
            };
            let _ = device.queues.made[number].set(Made { stream, marker, is_foreign: false });
        }
        Ok(Stream::in_use(device, number, &mut users))
    }

    /// The queue that is a stream of others, by its handle; 0 is CUDA's default stream, as 1 is. Such queues are kept for good, and no
    /// other streams share them.
    ///
    /// # Safety
    ///
    /// It is a stream of the device, and exists until the process ends.
    pub unsafe fn of_handle(device: &Arc<Device>, stream: usize) -> Result<Stream> {
        let stream: sys::CUstream = std::ptr::with_exposed_provenance_mut(stream.max(LEGACY));
        let mut users = device.queues.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, _)) = device.made().find(|(_, made)| made.stream == stream) {
            return Ok(Stream::in_use(device, number, &mut users));
        }
        let foreign = device.made().filter(|(_, made)| made.is_foreign).count();
        let vacant = device.queues.made.iter().position(|made| made.get().is_none());
        let Some(number) = vacant.filter(|_| foreign < FOREIGN) else {
            let reason = format!(
                "{foreign} streams of other libraries are in use already, and there is no room for another; use the same few streams again"
            );
            return Err(Error::argument("Stream::from_raw", reason));
        };
        device.bind()?;
        let _ = device.queues.made[number].set(Made { stream, marker: new_marker()?, is_foreign: true });
        Ok(Stream::in_use(device, number, &mut users))
    }

    /// A queue that is there, with one more user.
    fn in_use(device: &Arc<Device>, number: usize, users: &mut [usize; QUEUES]) -> Stream {
        let Some(made) = device.queues.made[number].get() else { unreachable!("it was made") };
        users[number] += 1;
        device.has_streams.store(true, Ordering::Release);
        let queue = Queue { stream: made.stream, number: number as u8, is_capture: false };
        Stream { device: device.clone(), queue }
    }

    pub fn number(&self) -> usize {
        self.queue.number.into()
    }

    /// Lets this thread's work go here.
    pub fn enter(&self) {
        enter(&self.device, self.queue);
    }

    /// Ends what `enter` began.
    pub fn leave(&self) {
        leave(&self.device, self.queue.stream);
    }

    /// An event behind the work that the stream has.
    pub fn record(&self) -> Result<Event> {
        Event::in_stream(&self.device, self.queue.stream)
    }

    /// Lets further work wait for an event.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.device.bind()?;
        // SAFETY: both are alive; a stream may wait for events of other contexts.
        check(unsafe { sys::cuStreamWaitEvent(self.queue.stream, event.raw(), 0) }, "cuStreamWaitEvent")
    }

    pub fn synchronize(&self) -> Result<()> {
        self.device.bind()?;
        // SAFETY: the stream lives as long as the device.
        check(unsafe { sys::cuStreamSynchronize(self.queue.stream) }, "the queued work")?;
        self.device.failure()?;
        self.device.deferred()
    }

    pub fn is_done(&self) -> Result<bool> {
        self.device.bind()?;
        is_done(self.queue.stream)
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The first queue belongs to no stream alone.
        if self.queue.number > 0 {
            self.device.queues.users.lock().unwrap_or_else(PoisonError::into_inner)[self.number()] -= 1;
        }
    }
}

/// The error for a use of an event of another device where it has to be one of the same.
pub fn other_device(operation: &'static str, one: &Device, other: &Device) -> Error {
    let reason = format!(
        "the events belong to two devices, {} and {}; record both in streams of one device",
        one.label(),
        other.label()
    );
    Error::argument(operation, reason)
}
