//! Points in queues of work, for timing and for other streams to wait for.

use super::context::Device;
use super::queue::{new_marker, other_device};
use super::status::check;
use cudarc::driver::sys::{self, CUresult};
use std::sync::Arc;
use warpcell_base::error::Result;

/// A recorded event.
pub struct Event {
    device: Arc<Device>,
    raw: sys::CUevent,
}

// SAFETY: events may be used from every thread.
unsafe impl Send for Event {}
// SAFETY: as for `Send`; the driver's calls on an event are safe from several threads at once.
unsafe impl Sync for Event {}

impl Event {
    /// Records an event behind the work that all queues have now.
    pub fn record(device: &Arc<Device>) -> Result<Event> {
        device.bind()?;
        Event::in_stream(device, device.meeting()?)
    }

    /// Records an event behind the work that a stream of the device has now.
    pub(super) fn in_stream(device: &Arc<Device>, stream: sys::CUstream) -> Result<Event> {
        device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the context is current; `raw` is a local to write to.
        check(unsafe { sys::cuEventCreate(&raw mut raw, 0) }, "cuEventCreate")?;
        Event { device: device.clone(), raw }.recorded(stream)
    }

    /// An event behind the work that this thread's queue has. It keeps no time.
    pub fn mark(device: &Arc<Device>) -> Result<Event> {
        device.bind()?;
        Event { device: device.clone(), raw: new_marker()? }.recorded(device.stream())
    }

    /// A new event, behind the work that a stream has now. The device's context is current.
    fn recorded(self, stream: sys::CUstream) -> Result<Event> {
        // SAFETY: event and stream are of one context and alive.
        check(unsafe { sys::cuEventRecord(self.raw, stream) }, "cuEventRecord")?;
        Ok(self)
    }

    /// Waits for this event.
    pub fn wait(&self) -> Result<()> {
        self.device.bind()?;
        // SAFETY: the event is alive.
        check(unsafe { sys::cuEventSynchronize(self.raw) }, "the queued work")?;
        self.device.failure()
    }

    /// Whether the work in front of this event is done.
    pub fn is_done(&self) -> Result<bool> {
        self.device.bind()?;
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(self.raw) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            status => check(status, "the queued work").map(|()| true),
        }
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn raw(&self) -> sys::CUevent {
        self.raw
    }

    /// Waits for both events; the seconds from `start` to this one, negative if it was first.
    pub fn seconds_since(&self, start: &Event) -> Result<f64> {
        if self.device.id != start.device.id {
            return Err(other_device("elapsed_since", &start.device, &self.device));
        }
        start.wait()?;
        self.wait()?;
        let mut milliseconds = 0f32;
        // SAFETY: both events are alive, recorded and done, and of one context.
        let status = unsafe { sys::cuEventElapsedTime(&raw mut milliseconds, start.raw, self.raw) };
        check(status, "cuEventElapsedTime")?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: made by `record` and not used after this; the driver keeps it until queued work is done with it.
        self.device.release(|| check(unsafe { sys::cuEventDestroy_v2(self.raw) }, "cuEventDestroy"));
    }
}
