//! The CPU backend: all cores, vector instructions chosen at run time.
//!
//! Work is not queued: each method returns when it is done. One lock, the queue, orders the operations of all
//! threads as a stream would, and makes the shared memory sound to access (see [`Memory`]). While a thread captures a graph,
//! methods note what they are asked for, and the graph's launch calls them again.

// Users never see this crate: names that say enough need no documentation.
#![allow(missing_docs, rustdoc::private_intra_doc_links)]

// Long because: each method of the backend stands here, and calls the file of its family.

mod argminmax;
mod cache;
mod complex;
mod compress;
mod convert;
pub mod convolve;
pub mod copy;
mod divide;
pub mod dot;
pub mod elementwise;
mod factorisations;
mod fold;
mod graph;
mod histogram;
mod index;
mod launch;
mod loops;
pub mod map;
pub mod matmul;
mod matrices;
pub mod memory;
mod memory_limits;
mod numeric;
mod operations;
mod pool;
mod queue_guard;
pub mod random;
mod reduce;
mod runs;
mod scan;
mod search;
pub mod sort;
pub mod sparse;
mod stream;
mod team;
mod transform;
mod vector;
mod where_;

use memory::Memory;
pub use memory_limits::available as free_memory;
use queue_guard::{QueueGuard, name_of};
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use warpcell_base::backend::factorisations::Factorisations;
use warpcell_base::backend::loops::{Loops, Made, NewLines};
use warpcell_base::backend::recording::{self, Fold};
use warpcell_base::backend::stream::{copies, orders, waits};
use warpcell_base::backend::text::Limits;
use warpcell_base::backend::{
    Allocation, Backend, CaptureHandle, DeviceProperties, EventHandle, Foreign, MemoryFigures, Operand, Operation,
    PoolFigures, PoolKind, StreamHandle, StreamOrder, Unique, View,
};
use warpcell_base::dtype::{DType, typestr};
use warpcell_base::error::{Error, Result};
use warpcell_base::profiling::{Kind, Listener, Listening, Recorded, Recording};

/// The backend; one per process.
pub fn backend() -> Arc<dyn Backend> {
    static BACKEND: OnceLock<Arc<CpuBackend>> = OnceLock::new();
    BACKEND.get_or_init(|| Arc::new(CpuBackend { queue: Mutex::new(()) })).clone()
}

/// The number of threads that operations use.
pub fn threads() -> usize {
    pool::threads()
}

/// The error if the work that this thread has just waited for was stopped by an interrupt, and is not whole.
pub fn completed() -> Result<()> {
    if pool::left_out() { Err(Error::Interrupted) } else { Ok(()) }
}

struct CpuBackend {
    queue: Mutex<()>,
}

/// The start of an allocation of this backend.
fn start(allocation: &Arc<dyn Allocation>) -> *mut u8 {
    let memory = allocation.as_any().downcast_ref::<Memory>();
    memory.expect("operations reject arrays on other devices").start()
}

/// The element of index zero of a view.
fn origin(view: &View<'_>) -> *mut u8 {
    // SAFETY: the layout lies within the allocation.
    unsafe { start(view.allocation).add(view.layout.offset * view.dtype.size()) }
}

/// An operand as kernels take it.
fn input<'a>(operand: &Operand<'a>) -> elementwise::Input<'a> {
    match operand {
        Operand::Array(array) => elementwise::Input::Array(origin(array), array.layout),
        Operand::Scalar(value) => elementwise::Input::Scalar(*value),
    }
}

/// The number of rows along the last axis, and their length.
fn rows(view: &View<'_>) -> (usize, usize) {
    let length = *view.layout.shape.last().expect("sorted arrays have an axis");
    (view.layout.size() / length.max(1), length)
}

impl Backend for CpuBackend {
    fn name(&self) -> String {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("model name"));
        line.and_then(|line| line.split_once(':')).map_or("x86-64", |(_, name)| name.trim()).to_owned()
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        vec![("Threads", threads().to_string())]
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Allocation>> {
        Ok(Arc::new(Memory::new(bytes)?))
    }

    fn upload(&self, source: &[u8], target: &Arc<dyn Allocation>) -> Result<()> {
        if graph::is_capturing() {
            return Err(copies("a copy to the device"));
        }
        recording::spoil();
        let guard = self.spend(Kind::Copy, || ("host to device".into(), source.len()));
        assert!(source.len() <= target.bytes(), "the allocation is as large as the array");
        // SAFETY: the target is large enough, and by invariant 2 nothing else accesses it.
        unsafe { copy::bytes(source.as_ptr(), start(target), source.len()) };
        guard.end()
    }

    fn download(&self, source: &Arc<dyn Allocation>, offset: usize, target: &mut [u8]) -> Result<()> {
        may_wait("a copy to the host")?;
        recording::spoil();
        let guard = self.spend(Kind::Copy, || ("device to host".into(), target.len()));
        assert!(offset + target.len() <= source.bytes(), "the array lies within its allocation");
        // SAFETY: the range lies within the source, which by invariant 2 nothing else accesses.
        unsafe { copy::bytes(start(source).add(offset), target.as_mut_ptr(), target.len()) };
        guard.end()
    }

    fn execute(&self, operation: Operation<'_>) -> Result<()> {
        if graph::is_capturing() {
            graph::record(operation.keep());
            return Ok(());
        }
        operations::execute(self, operation)
    }

    fn compress(&self, mask: View<'_>, source: Option<View<'_>>) -> Result<(Arc<dyn Allocation>, usize)> {
        may_wait("a selection of elements")?;
        let guard = self.compute(|| source.map_or_else(|| "nonzero".into(), |source| format!("mask {}", source.dtype)));
        let start = source.as_ref().map(|source| (origin(source).cast_const(), source.dtype));
        // SAFETY: the invariants of `Memory`; both are contiguous.
        let (memory, count) = unsafe { compress::compress(origin(&mask), mask.layout.size(), start) }?;
        guard.end()?;
        Ok((Arc::new(memory), count))
    }

    fn gather_checked(&self, source: View<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<Option<bool>> {
        may_wait("a check of indices")?;
        let guard = self.compute(|| format!("take {}", out.dtype));
        let (from, by) = ((origin(&source), source.layout), (origin(&indices), indices.layout));
        let job = index::Gather { source: from, axis, indices: by, out: (origin(&out), &out.layout.shape) };
        // SAFETY: the invariants of `Memory`; the layouts are those of a `Gather`.
        let are_inside = unsafe { index::gather(out.dtype, indices.dtype, &job) };
        guard.end()?;
        Ok(Some(are_inside))
    }

    fn repeat(&self, source: View<'_>, axis: usize, ends: View<'_>, out: View<'_>) -> Result<bool> {
        may_wait("repeat")?;
        let guard = self.compute(|| format!("repeat {}", out.dtype));
        let from = (origin(&source), source.layout);
        let job = index::Repeat { source: from, axis, ends: origin(&ends).cast(), out: origin(&out) };
        // SAFETY: the invariants of `Memory`; the arrays are as the method asks for.
        unsafe { index::repeat(out.dtype, &job) };
        guard.end()?;
        Ok(true)
    }

    fn by_loops(&self, loops: Loops<'_>) -> Result<bool> {
        // A graph keeps the kernels.
        if graph::is_capturing() || warpcell_base::backend::loops::only_kernels() {
            return Ok(false);
        }
        let guard = self.compute(|| loops.name().to_owned());
        // SAFETY: the invariants of `Memory`; the arrays are as the variants say.
        unsafe { loops::run(loops)? };
        guard.end()?;
        Ok(true)
    }

    fn folds(&self) -> bool {
        !graph::is_capturing()
    }

    fn fold(&self, fold: Fold<'_>) -> Result<bool> {
        if graph::is_capturing() {
            return Ok(false);
        }
        let guard = self.compute(|| format!("fold {}", fold.x.dtype));
        // SAFETY: the invariants of `Memory`; the arrays are as `Fold` says.
        let panicked = unsafe { fold::fold(&fold) };
        map::end(guard, panicked)?;
        Ok(true)
    }

    fn make_lines(&self, made: Made<'_>) -> Result<Option<NewLines>> {
        may_wait("a sparse matrix with a number of elements that is not known")?;
        let guard = self.compute(|| made.name().to_owned());
        // SAFETY: the invariants of `Memory`; the arrays are as the variants say.
        let found = unsafe { sparse::made::made(made)? };
        guard.end()?;
        Ok(found)
    }

    fn unique(&self, sorted: View<'_>) -> Result<Unique> {
        may_wait("unique")?;
        let guard = self.compute(|| format!("unique {}", sorted.dtype));
        // SAFETY: the invariants of `Memory`; the array is contiguous.
        let (elements, starts, count) = unsafe { search::unique(sorted.dtype, origin(&sorted), sorted.layout.size())? };
        guard.end()?;
        Ok(Unique { elements: Arc::new(elements), starts: Arc::new(starts), count })
    }

    fn can_transform(&self) -> Result<()> {
        Ok(())
    }

    fn factorisations(&self) -> &dyn Factorisations {
        self
    }

    fn multiplies(&self, _dtype: DType) -> bool {
        false
    }

    fn record(&self) -> Result<Box<dyn EventHandle>> {
        if graph::is_capturing() {
            return Err(orders("an event"));
        }
        let _turn = self.lock();
        Ok(Box::new(Moment(Instant::now())))
    }

    fn elapsed(&self, start: &dyn EventHandle, end: &dyn EventHandle) -> Result<f64> {
        let moment = |event: &dyn EventHandle| event.as_any().downcast_ref::<Moment>().map(|moment| moment.0);
        match (moment(start), moment(end)) {
            (Some(start), Some(end)) if end >= start => Ok((end - start).as_secs_f64()),
            (Some(start), Some(end)) => Ok(-(start - end).as_secs_f64()),
            _ => Err(Error::argument("elapsed", "the events were recorded on two devices; record both on one")),
        }
    }

    fn synchronize(&self) -> Result<()> {
        may_wait("synchronize")?;
        drop(self.lock());
        Ok(())
    }

    fn memory(&self) -> MemoryFigures {
        let used = memory::used();
        let (free, total) = (memory_limits::available(), memory_limits::total());
        MemoryFigures { used, pooled: used + memory::unused(), free, total }
    }

    fn pool(&self, kind: PoolKind) -> PoolFigures {
        match kind {
            PoolKind::Device => PoolFigures {
                used: memory::used(),
                held: memory::used() + memory::unused(),
                free_blocks: memory::unused_blocks(),
                limit: memory::limit(),
            },
            // Nothing is transferred.
            PoolKind::Pinned => PoolFigures::default(),
        }
    }

    fn limit_pool(&self, kind: PoolKind, limit: Option<usize>) {
        if kind == PoolKind::Device {
            memory::set_limit(limit);
        }
    }

    fn trim(&self, kind: PoolKind) -> Result<()> {
        if kind == PoolKind::Device {
            memory::trim();
        }
        Ok(())
    }

    fn trim_idle(&self) {
        memory::trim_idle();
    }

    fn allocate_for(&self, bytes: usize, dtype: DType) -> Result<Arc<dyn Allocation>> {
        Ok(Arc::new(Memory::of_elements(bytes, typestr::word(dtype))?))
    }

    fn host_bytes<'a>(&self, allocation: &'a mut Arc<dyn Allocation>) -> Option<&'a mut [u8]> {
        let unshared: &mut dyn Any = Arc::get_mut(allocation)?;
        unshared.downcast_mut::<Memory>()?.bytes_mut()
    }

    unsafe fn adopt(&self, memory: Foreign) -> Result<Arc<dyn Allocation>> {
        // SAFETY: the caller's promise.
        Ok(Arc::new(unsafe { Memory::foreign(memory) }))
    }

    fn address(&self, allocation: &Arc<dyn Allocation>) -> usize {
        start(allocation) as usize
    }

    fn stream(&self) -> Option<usize> {
        None
    }

    unsafe fn order(&self, _stream: usize, _first: StreamOrder) -> Result<()> {
        let reason = "the device is the CPU, which has no streams: its operations are done when they return";
        Err(Error::argument("order", reason))
    }

    fn cache_bytes(&self) -> usize {
        cache::bytes()
    }

    fn profile(&self) -> Result<Box<dyn Recording>> {
        Ok(Box::new(Profile(Listening::begin(Listener::Host))))
    }

    fn properties(&self) -> DeviceProperties {
        DeviceProperties::new(self.name(), [memory_limits::available(), memory_limits::total()], threads())
    }

    fn copy_between(&self, _: &Arc<dyn Allocation>, _: usize, _: &Arc<dyn Allocation>, _: usize) -> Result<bool> {
        Ok(false)
    }

    fn launch_limits(&self) -> Result<Limits> {
        Ok(launch::limits())
    }

    fn first_stream(&self) -> Arc<dyn StreamHandle> {
        stream::first()
    }

    fn new_stream(&self) -> Result<Arc<dyn StreamHandle>> {
        Ok(stream::new())
    }

    fn begin_capture(&self) -> Result<Box<dyn CaptureHandle>> {
        Ok(Box::new(graph::CpuCapture::begin()?))
    }

    fn is_capturing(&self) -> bool {
        graph::is_capturing()
    }
}

/// Hears of each operation that is done.
struct Profile(Listening);

impl Recording for Profile {
    fn end(self: Box<Self>) -> Result<Recorded> {
        Ok(Recorded { totals: self.0.take(), source: "the host's clock", remark: String::new() })
    }
}

/// Fails while this thread captures a graph.
fn may_wait(operation: &'static str) -> Result<()> {
    if graph::is_capturing() { Err(waits(operation)) } else { Ok(()) }
}

/// A point in time: work is done when it is recorded.
struct Moment(Instant);

impl EventHandle for Moment {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
