//! Points in the stream's queue of work, for timing.

use super::context::Device;
use super::status::check;
use crate::error::Result;
use cudarc::driver::sys;
use std::sync::Arc;

/// A recorded event.
pub(crate) struct Event {
    device: Arc<Device>,
    raw: sys::CUevent,
}

// SAFETY: events may be used from every thread.
unsafe impl Send for Event {}
// SAFETY: as for `Send`; the driver's calls on an event are safe from several threads at once.
unsafe impl Sync for Event {}

impl Event {
    /// Records an event behind the work queued so far.
    pub fn record(device: &Arc<Device>) -> Result<Event> {
        device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the context is current; `raw` is a local to write to.
        check(unsafe { sys::cuEventCreate(&raw mut raw, 0) }, "cuEventCreate")?;
        let event = Event { device: device.clone(), raw };
        // SAFETY: event and stream are of one context and alive.
        check(unsafe { sys::cuEventRecord(event.raw, device.stream) }, "cuEventRecord")?;
        Ok(event)
    }

    /// Waits for this event.
    pub fn wait(&self) -> Result<()> {
        self.device.bind()?;
        // SAFETY: the event is alive.
        check(unsafe { sys::cuEventSynchronize(self.raw) }, "the queued work")
    }

    /// Waits for this event; the seconds since `start`.
    pub fn seconds_since(&self, start: &Event) -> Result<f64> {
        self.wait()?;
        let mut milliseconds = 0f32;
        // SAFETY: both events are alive and recorded, and `self` is done, so `start`, which is earlier in the same
        // stream, is too. (The driver reports it if the caller has swapped them.)
        let status = unsafe { sys::cuEventElapsedTime(&raw mut milliseconds, start.raw, self.raw) };
        check(status, "cuEventElapsedTime")?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: made by `record` and not used after this; the driver keeps it until queued work is done with it.
            let result = check(unsafe { sys::cuEventDestroy_v2(self.raw) }, "cuEventDestroy");
            self.device.defer(result);
        }
    }
}
