//! Graphs: work that is captured in a stream of its own, and can be queued again and again as a whole.

use super::context::Device;
use super::memory::{DeviceMemory, take_kept};
use super::queue::{self, Queue};
use super::status::check;
use cudarc::driver::sys;
use std::sync::{Arc, Mutex, PoisonError};
use warpcell_base::error::{Error, Result};

/// What this thread queues on a device goes into a graph while this lives.
pub struct Capture {
    device: Arc<Device>,
    /// Null when the capture has ended.
    stream: sys::CUstream,
}

/// A graph that can be launched.
pub struct Graph {
    device: Arc<Device>,
    raw: sys::CUgraphExec,
    operations: usize,
    /// The memory of what lived during the capture only.
    kept: Vec<DeviceMemory>,
    /// The driver must not be called for one graph from two threads at once.
    launching: Mutex<()>,
}

// SAFETY: a token of the driver; `launching` keeps calls apart.
unsafe impl Send for Graph {}
// SAFETY: as for `Send`.
unsafe impl Sync for Graph {}

impl Capture {
    pub fn begin(device: &Arc<Device>) -> Result<Capture> {
        if queue::captures_anything() {
            let reason = "another graph is being captured; capture one after the other";
            return Err(Error::NotCapturable { operation: "Graph::capture", reason });
        }
        device.bind()?;
        let outside = device.queue();
        let stream = queue::new_stream()?;
        // Relaxed: kernels are compiled and loaded, and memory is asked for, when an operation is first used. What would wait is
        // refused above the driver.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is new, and of the current context.
        if let Err(error) = check(unsafe { sys::cuStreamBeginCapture_v2(stream, mode) }, "cuStreamBeginCapture") {
            // SAFETY: the stream is used by nothing.
            let _ = unsafe { sys::cuStreamDestroy_v2(stream) };
            return Err(error);
        }
        queue::enter(device, Queue { stream, number: outside.number, is_capture: true });
        Ok(Capture { device: device.clone(), stream })
    }

    pub fn finish(mut self) -> Result<Graph> {
        let (captured, kept) = self.end();
        let captured = captured?;
        let (mut raw, mut operations) = (std::ptr::null_mut(), 0);
        // SAFETY: the graph is alive until it is destroyed here; the others are locals to write to, and without a list of nodes
        // only their number is written.
        let made = unsafe {
            let made =
                check(sys::cuGraphGetNodes(captured, std::ptr::null_mut(), &raw mut operations), "cuGraphGetNodes")
                    .and_then(|()| {
                        check(
                            sys::cuGraphInstantiateWithFlags(&raw mut raw, captured, 0),
                            "cuGraphInstantiateWithFlags",
                        )
                    });
            let _ = sys::cuGraphDestroy(captured);
            made
        };
        made?;
        Ok(Graph { device: self.device.clone(), raw, operations, kept, launching: Mutex::default() })
    }

    /// Ends the capture: the driver's graph, and the memory that it needs beside that of arrays.
    fn end(&mut self) -> (Result<sys::CUgraph>, Vec<DeviceMemory>) {
        queue::leave(&self.device, self.stream);
        let mut captured = std::ptr::null_mut();
        let result = self.device.bind().and_then(|()| {
            // SAFETY: the stream is captured since `begin`, and used by nothing else; it is destroyed here.
            unsafe {
                let ended = check(sys::cuStreamEndCapture(self.stream, &raw mut captured), "the capture of a graph");
                let _ = sys::cuStreamDestroy_v2(self.stream);
                ended
            }
        });
        self.stream = std::ptr::null_mut();
        (result.map(|()| captured), take_kept())
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if self.stream.is_null() {
            return;
        }
        // What was captured is given up, and with it whatever the driver says of it.
        if let (Ok(captured), _) = self.end()
            && !captured.is_null()
        {
            // SAFETY: the driver's new graph, which nothing else has.
            let _ = unsafe { sys::cuGraphDestroy(captured) };
        }
    }
}

impl Graph {
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Queues the work, after `order` has made this thread's queue wait for whoever uses the graph's arrays.
    pub fn launch(&self, order: impl FnOnce() -> Result<()>) -> Result<()> {
        if warpcell_base::interrupt::interrupted() {
            return Err(Error::Interrupted);
        }
        if queue::captures_anything() {
            let reason = "a graph cannot be part of another graph; end the capture first";
            return Err(Error::NotCapturable { operation: "Graph::launch", reason });
        }
        let _turn = self.launching.lock().unwrap_or_else(PoisonError::into_inner);
        self.device.settle();
        order()?;
        self.kept.iter().try_for_each(|memory| memory.order(true))?;
        self.device.bind()?;
        // SAFETY: graph and stream are alive; the memory that the graph uses is kept with it.
        check(unsafe { sys::cuGraphLaunch(self.raw, self.device.stream()) }, "cuGraphLaunch")
    }

    pub fn operations(&self) -> usize {
        self.operations
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made by `finish`, not used after this; the driver keeps it until launches under way are done.
        self.device.release(|| check(unsafe { sys::cuGraphExecDestroy(self.raw) }, "cuGraphExecDestroy"));
    }
}
