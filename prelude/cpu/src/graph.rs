//! Graphs of the CPU: the operations that a thread captures are kept, and executed again at each launch.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};
use warpcell_base::backend::{CaptureHandle, GraphHandle, KeptOperation};
use warpcell_base::error::{Error, Result};

thread_local! {
    /// What this thread captures.
    static OPERATIONS: RefCell<Option<Vec<KeptOperation>>> = const { RefCell::new(None) };
}

/// Whether this thread captures a graph.
pub(super) fn is_capturing() -> bool {
    OPERATIONS.with_borrow(Option::is_some)
}

/// Adds an operation to the graph that this thread captures.
pub(super) fn record(operation: KeptOperation) {
    OPERATIONS.with_borrow_mut(|operations| {
        if let Some(operations) = operations {
            operations.push(operation);
        }
    });
}

/// The error of a method that cannot be part of a graph.
pub(super) fn not_recorded() -> Error {
    let reason = "a graph on the CPU does not support it; do it before the capture, or do not use a graph";
    Error::NotCapturable { operation: "this operation", reason }
}

/// A capture under way.
pub(super) struct CpuCapture {
    is_open: bool,
}

impl CpuCapture {
    pub fn begin() -> Result<CpuCapture> {
        if is_capturing() {
            let reason = "another graph is being captured; capture one after the other";
            return Err(Error::NotCapturable { operation: "Graph::capture", reason });
        }
        OPERATIONS.set(Some(Vec::new()));
        Ok(CpuCapture { is_open: true })
    }
}

impl CaptureHandle for CpuCapture {
    fn finish(mut self: Box<Self>) -> Result<Box<dyn GraphHandle>> {
        self.is_open = false;
        let operations = OPERATIONS.take().unwrap_or_default();
        Ok(Box::new(CpuGraph { operations, launching: Mutex::default() }))
    }
}

impl Drop for CpuCapture {
    fn drop(&mut self) {
        if self.is_open {
            drop(OPERATIONS.take());
        }
    }
}

/// A captured graph.
struct CpuGraph {
    operations: Vec<KeptOperation>,
    /// Launches follow one another: they use the same memory.
    launching: Mutex<()>,
}

impl GraphHandle for CpuGraph {
    fn launch(&self) -> Result<()> {
        if is_capturing() {
            let reason = "a graph cannot be part of another graph; end the capture first";
            return Err(Error::NotCapturable { operation: "Graph::launch", reason });
        }
        let _guard = self.launching.lock().unwrap_or_else(PoisonError::into_inner);
        let backend = super::backend();
        self.operations.iter().try_for_each(|operation| operation.execute(&*backend))
    }

    fn operations(&self) -> usize {
        self.operations.len()
    }
}
