//! The device's side of a measurement: its queue, and whether timings wait for it.

use super::{clock, format};
use crate::backend::{Backend, EventHandle};
use crate::device::{Device, Handle};
use crate::error::{Result, check};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

static SYNCHRONIZE: AtomicBool = AtomicBool::new(true);

/// Sets whether timings wait for the device and report its time; they do at first. `%gpusync on|off` calls this.
///
/// Without it, [`timeit`](super::timeit()) and the others time the host alone, which only queues the device's work.
///
/// ```
/// warpcell::timing::set_synchronize(false); // prints: Timings do not wait for the device.
/// warpcell::timing::set_synchronize(true);
/// ```
pub fn set_synchronize(on: bool) {
    SYNCHRONIZE.store(on, Ordering::Relaxed);
    println!("Timings {} for the device.", if on { "wait" } else { "do not wait" });
}

/// Waits until the device has done all queued work, and prints how long that took. `%gpusync` calls this.
///
/// **Panics** if an operation that was queued failed on the device.
///
/// ```
/// warpcell::timing::gpusync(); // prints: Device synchronised in 1.23 ms (cuda:0)
/// ```
#[track_caller]
pub fn gpusync() {
    let queue = queue_of(check(crate::device::current()));
    let start = clock::wall();
    check(queue.synchronize());
    println!("Device synchronised in {} ({})", format::time(clock::wall() - start, 3), queue.label());
}

/// What a measurement needs of a device; a part of `Backend`, so that tests can play the device.
pub(super) trait Queue {
    /// What the device is called, such as `cuda:0`.
    fn label(&self) -> String;
    /// Whether it is the host, which does not go on before its work is done: its time as a device is that of the host.
    fn is_host(&self) -> bool;
    /// Marks the end of the work queued so far.
    fn record(&self) -> Result<Box<dyn EventHandle>>;
    /// Waits for `end`, then gives the seconds from `start` to `end`.
    fn elapsed(&self, start: &dyn EventHandle, end: &dyn EventHandle) -> Result<f64>;
    /// Waits for all queued work, and reports errors of it.
    fn synchronize(&self) -> Result<()>;
}

/// The queue of an opened device.
struct DeviceQueue {
    device: Device,
    backend: Arc<dyn Backend>,
}

impl Queue for DeviceQueue {
    fn label(&self) -> String {
        self.device.to_string()
    }

    fn is_host(&self) -> bool {
        self.device == Device::Cpu
    }

    fn record(&self) -> Result<Box<dyn EventHandle>> {
        self.backend.record()
    }

    fn elapsed(&self, start: &dyn EventHandle, end: &dyn EventHandle) -> Result<f64> {
        self.backend.elapsed(start, end)
    }

    fn synchronize(&self) -> Result<()> {
        self.backend.synchronize()
    }
}

fn queue_of(handle: Handle) -> Arc<dyn Queue> {
    Arc::new(DeviceQueue { device: handle.device, backend: handle.backend })
}

/// The queue of the current device, if it can be used.
pub(super) fn current() -> Option<Arc<dyn Queue>> {
    crate::device::current().ok().map(queue_of)
}

/// The queue that a measurement has to wait for, if timings synchronise.
pub(super) fn watched() -> Option<Arc<dyn Queue>> {
    if SYNCHRONIZE.load(Ordering::Relaxed) { current() } else { None }
}

/// The beginning of a measurement on a queue that was empty then.
pub(super) struct Mark {
    queue: Arc<dyn Queue>,
    start: Box<dyn EventHandle>,
}

impl Mark {
    /// Waits until earlier work is done, and marks the beginning.
    #[track_caller]
    pub fn set(queue: Arc<dyn Queue>) -> Mark {
        check(queue.synchronize());
        let start = check(queue.record());
        Mark { queue, start }
    }

    /// Waits for all work since; gives the seconds that it took on the device. The host spent `host` seconds before.
    #[track_caller]
    pub fn elapsed(&self, host: f64) -> f64 {
        let end = check(self.queue.record());
        let seconds = check(self.queue.elapsed(&*self.start, &*end));
        check(self.queue.synchronize());
        if self.queue.is_host() { host } else { seconds }
    }

    /// What the device is called.
    pub fn label(&self) -> String {
        self.queue.label()
    }
}

/// Whether the device went on so long after the host had returned that both times are worth showing. Recording the
/// two events itself takes some ten microseconds, which the device's time includes.
pub(super) fn differs(host: f64, device: f64) -> bool {
    device > 1.1 * host && device - host > 50e-6
}
