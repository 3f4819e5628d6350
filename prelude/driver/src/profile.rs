//! Profiles of what devices do: by CUPTI, which sees all of it, or by events around what this layer itself queues.
//!
//! Two events around a kernel also time what the device does between them and the kernel, some microseconds: that is why
//! CUPTI comes first.

use super::context::{Device, lock};
use super::cupti;
use super::event::Event;
use super::status::check;
use cudarc::driver::sys;
use std::sync::{Arc, Mutex};
use warpcell_base::error::Result;
use warpcell_base::profiling::{self, Kind, Listener, Listening, Recorded, Recording};

/// Begins a profile. All queued work is done.
pub fn profile(device: &Device) -> Result<Box<dyn Recording>> {
    let driver_major = device.target().driver_major;
    let begun = cupti::Cupti::get(driver_major).and_then(cupti::Cupti::begin);
    Ok(match begun {
        Ok(session) => Box::new(session),
        Err(reason) => by_events(reason),
    })
}

/// Begins a profile that does without CUPTI, for this reason.
pub fn by_events(reason: String) -> Box<dyn Recording> {
    Box::new(ByEvents { listening: Listening::begin(Listener::Events), reason })
}

/// Work that was queued between two events.
struct Queued {
    kind: Kind,
    name: &'static str,
    bytes: u64,
    start: Event,
    end: Event,
}

static QUEUED: Mutex<Vec<Queued>> = Mutex::new(Vec::new());
/// So many are kept before their times are asked for.
const MOST_QUEUED: usize = 4096;

/// Work that is about to be queued. What is dropped without an end is not listed.
pub struct Span {
    kind: Kind,
    name: &'static str,
    bytes: u64,
    start: Event,
}

/// Marks the beginning of work, if a profile by events runs.
#[inline]
pub fn begin(device: &Arc<Device>, kind: Kind, name: &'static str, bytes: usize) -> Result<Option<Span>> {
    if profiling::listens(Listener::Events) { mark(device, kind, name, bytes) } else { Ok(None) }
}

/// Marks the end of work that was begun.
#[inline]
pub fn end(device: &Arc<Device>, span: Option<Span>) -> Result<()> {
    span.map_or(Ok(()), |span| span.end(device))
}

#[cold]
fn mark(device: &Arc<Device>, kind: Kind, name: &'static str, bytes: usize) -> Result<Option<Span>> {
    if is_captured(device)? {
        // What goes into a graph is not done now.
        return Ok(None);
    }
    Ok(Some(Span { kind, name, bytes: bytes as u64, start: Event::in_stream(device, device.stream())? }))
}

fn is_captured(device: &Device) -> Result<bool> {
    let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    device.bind()?;
    // SAFETY: the stream is alive, and `status` is one to write to.
    check(unsafe { sys::cuStreamIsCapturing(device.stream(), &raw mut status) }, "cuStreamIsCapturing")?;
    Ok(status != sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}

impl Span {
    #[cold]
    fn end(self, device: &Arc<Device>) -> Result<()> {
        let Span { kind, name, bytes, start } = self;
        let end = Event::in_stream(device, device.stream())?;
        let mut queued = lock(&QUEUED);
        queued.push(Queued { kind, name, bytes, start, end });
        if queued.len() < MOST_QUEUED {
            return Ok(());
        }
        let all = std::mem::take(&mut *queued);
        drop(queued);
        report(all)
    }
}

/// Waits for work, and reports how long it took.
fn report(all: Vec<Queued>) -> Result<()> {
    for Queued { kind, name, bytes, start, end } in all {
        profiling::report(kind, name, end.seconds_since(&start)?, bytes);
    }
    Ok(())
}

struct ByEvents {
    listening: Listening,
    /// Why CUPTI is not used.
    reason: String,
}

impl Recording for ByEvents {
    fn end(self: Box<Self>) -> Result<Recorded> {
        report(std::mem::take(&mut *lock(&QUEUED)))?;
        let remark = format!(
            "Without CUPTI, kernels of libraries are missing, and each time is some microseconds too long: {}",
            self.reason
        );
        Ok(Recorded { totals: self.listening.take(), source: "events", remark })
    }
}

impl Drop for ByEvents {
    fn drop(&mut self) {
        lock(&QUEUED).clear();
    }
}
