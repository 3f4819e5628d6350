//! Graphs of CUDA devices: what arrays they use, and in which way.

use super::{memory_of, usable};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use warpcell_base::backend::{Allocation, CaptureHandle, GraphHandle};
use warpcell_base::error::Result;
use warpcell_driver::context::Device;
use warpcell_driver::graph::{Capture, Graph};
use warpcell_driver::memory::DeviceMemory;

/// The memory of arrays that a graph uses, and whether it writes to it; and what else must live as long as the graph.
#[derive(Default)]
struct Uses {
    blocks: Vec<(Arc<dyn Allocation>, bool)>,
    /// Where each is, by its address here.
    places: HashMap<usize, usize>,
    kept: Vec<Kept>,
}

/// A program that goes when nobody holds it any more.
type Kept = Arc<dyn Any + Send + Sync>;

thread_local! {
    /// Of the graph that this thread captures.
    static USES: RefCell<Uses> = RefCell::default();
}

/// Orders work behind what other streams do to an array's memory. If it is captured, it is noted that the graph uses the memory:
/// the graph keeps it alive, and each launch is ordered.
#[cold]
#[inline(never)]
pub(super) fn order(allocation: &Arc<dyn Allocation>, memory: &DeviceMemory, writes: bool) -> Result<()> {
    if !memory.device().is_capturing() {
        return memory.order(writes);
    }
    USES.with_borrow_mut(|uses| match uses.places.entry(Arc::as_ptr(allocation).addr()) {
        Entry::Occupied(place) => uses.blocks[*place.get()].1 |= writes,
        Entry::Vacant(place) => {
            place.insert(uses.blocks.len());
            uses.blocks.push((allocation.clone(), writes));
        }
    });
    Ok(())
}

/// Keeps a program as long as the graph that this thread captures.
#[cold]
pub(super) fn keep(program: Kept) {
    USES.with_borrow_mut(|uses| uses.kept.push(program));
}

/// A capture under way.
pub(super) struct CudaCapture {
    capture: Option<Capture>,
}

impl CudaCapture {
    pub fn begin(device: &Arc<Device>) -> Result<CudaCapture> {
        Ok(CudaCapture { capture: Some(Capture::begin(device)?) })
    }
}

impl CaptureHandle for CudaCapture {
    fn finish(mut self: Box<Self>) -> Result<Box<dyn GraphHandle>> {
        let Some(capture) = self.capture.take() else { unreachable!("it is taken here only") };
        let graph = capture.finish();
        let Uses { blocks, kept, .. } = USES.take();
        Ok(Box::new(CudaGraph { graph: graph?, blocks, _kept: kept }))
    }
}

impl Drop for CudaCapture {
    fn drop(&mut self) {
        // First the capture, so that blocks go back to the pool.
        if self.capture.take().is_some() {
            drop(USES.take());
        }
    }
}

/// A captured graph.
struct CudaGraph {
    graph: Graph,
    blocks: Vec<(Arc<dyn Allocation>, bool)>,
    /// Dropped after the graph.
    _kept: Vec<Kept>,
}

impl GraphHandle for CudaGraph {
    fn launch(&self) -> Result<()> {
        self.graph.device().learn_checks()?;
        let order = || {
            self.blocks.iter().try_for_each(|(allocation, writes)| {
                let memory = memory_of(allocation)?;
                usable(memory)?;
                memory.order(*writes)
            })
        };
        self.graph.launch(order)
    }

    fn operations(&self) -> usize {
        self.graph.operations()
    }
}
