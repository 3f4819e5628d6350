//! The CUDA backend: [`Backend`] over the driver layer `warpcell_driver`, with the kernels in `prelude/cuda/kernels/`.
//!
//! Each family of operations has a file here and a `.cu` file of the same name. Programs are compiled when first used,
//! one for each operation and element type; their kernels are kept in tables, so that a call costs an index, a look at
//! the strides, and a launch: no text is built, nothing is hashed.

// Users never see this crate: names that say enough need no documentation.
#![allow(missing_docs, rustdoc::private_intra_doc_links)]

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use warpcell_base::backend::factorisations::Factorisations;
use warpcell_base::backend::launch::{Argument, Launch, Residency};
use warpcell_base::backend::link::Links;
use warpcell_base::backend::recording;
use warpcell_base::backend::stream::{orders, waits};
use warpcell_base::backend::text::{FunctionAttributes, Limits, Text, TextProgram};
use warpcell_base::backend::{
    Allocation, Backend, CaptureHandle, DeviceProperties, EventHandle, Foreign, IndexCheck, Layout, MemoryFigures,
    Operand, Operation, PinnedMemory, PoolFigures, PoolKind, Programs, ReduceOperation, Stage, StreamHandle,
    StreamOrder, Unique, View,
};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::{Error, Result};
use warpcell_base::profiling::{Kind, Recording};
use warpcell_base::registry::Kernel;
use warpcell_driver::context::{self, Device};
use warpcell_driver::event::Event;
use warpcell_driver::memory::{self, DeviceMemory};
use warpcell_driver::pinned::Pinned;
use warpcell_driver::queue::Stream;
use warpcell_driver::{attribute, compile, cufft, embedded, interop, nvrtc, profile, staging};

pub mod axes;
pub mod codegen;
mod compress;
mod convolve;
mod elementwise;
mod factorisations;
mod graph;
mod histogram;
mod index;
pub mod launch;
mod link;
pub mod map;
mod matmul;
mod naming;
mod program;
mod random;
mod reduce;
mod scan;
mod search;
mod sort;
mod sparse;
mod stream;
mod where_;

#[cfg(test)]
mod tests;
mod text;
mod transform;

pub use convolve::{convolves_on_tensor_cores, has_sized_program};
use histogram::Bins;
use program::{Compiled, Program, family, kernels, takes, typedefs};
use stream::{CudaEvent, CudaStream};
pub use warpcell_driver as driver;

/// Whether a CUDA device can be used; if not, why, in words that say what to do. Never panics.
pub fn probe() -> std::result::Result<(), String> {
    context::count()?;
    context::can_compile()
}

/// Whether programs are embedded in this process, for devices that [`probe`] does not say can be used.
pub fn embeds() -> bool {
    embedded::is_used()
}

/// The number of CUDA devices.
pub fn count() -> usize {
    context::count().unwrap_or(0)
}

/// The name of device `ordinal`, which is not opened.
pub fn name(ordinal: usize) -> Result<String> {
    context::name_of(ordinal)
}

/// Opens device `ordinal`.
pub fn open(ordinal: usize) -> Result<Arc<dyn Backend>> {
    Ok(Arc::new(CudaBackend::new(ordinal)?))
}

/// The backend of one device.
pub struct CudaBackend {
    pub device: Arc<Device>,
    elementwise: elementwise::Elementwise,
    reduce: reduce::Reduce,
    scan: scan::Scan,
    convolve: convolve::Convolve,
    where_: where_::Where,
    compress: compress::Compress,
    index: index::Index,
    sort: sort::Sort,
    search: search::Search,
    sparse: sparse::Sparse,
    histogram: histogram::Histogram,
    random: random::Random,
    transforms: transform::Plans,
    factorise: factorisations::Factorise,
    matmul: matmul::MatMul,
    maps: map::Maps,
    kernels: launch::Launches,
}

/// A block of device memory as the backend hands it out. The memory keeps its device, and so the context, alive.
struct CudaAllocation(DeviceMemory);

/// Memory that others have made, and what they keep it by.
struct ForeignAllocation {
    device: Arc<Device>,
    memory: DeviceMemory,
    /// There until the allocation is dropped.
    owner: Option<Box<dyn Any + Send + Sync>>,
    /// See `Backend::adopt_in_order`.
    is_in_order: bool,
}

impl Allocation for ForeignAllocation {
    fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for ForeignAllocation {
    fn drop(&mut self) {
        // Queued work may still use the memory, and its owner knows nothing of that.
        if !self.is_in_order || self.memory.has_other_users() {
            self.device.defer(interop::wait_for_all(&self.device));
        }
        drop(self.owner.take());
    }
}

impl Allocation for CudaAllocation {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The unsigned integer of an element type's size: for what moves bits or computes modulo a power of two. For what no integer is
/// large enough, the complex number.
const fn unsigned(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        _ => DType::C128,
    }
}

/// The bytes of a value of 8 at most, in the low end of a word.
fn bits(value: Scalar) -> u64 {
    value.bits() as u64
}

/// A value's bytes as two words, the low one first: `Bits` in the kernels' sources.
fn words(value: Scalar) -> [u64; 2] {
    let bits = value.bits();
    [bits as u64, (bits >> 64) as u64]
}

/// An allocation's memory.
pub fn memory_of(allocation: &Arc<dyn Allocation>) -> Result<&DeviceMemory> {
    let any = allocation.as_any();
    let own = any.downcast_ref::<CudaAllocation>().map(|allocation| &allocation.0);
    match own.or_else(|| any.downcast_ref::<ForeignAllocation>().map(|allocation| &allocation.memory)) {
        Some(memory) => Ok(memory),
        None => Err(Error::DeviceMismatch {
            operation: "a CUDA operation",
            left: "a CUDA device".to_string(),
            right: "another device".to_string(),
        }),
    }
}

/// The address of a view's first element, for work that writes to the view, or reads and writes, and is queued right after.
#[inline]
fn address_of(view: View<'_>) -> Result<u64> {
    ordered(view, true)
}

/// As [`address_of`], for work that only reads: it need not wait for other streams that read, too.
#[inline]
fn source_of(view: View<'_>) -> Result<u64> {
    ordered(view, false)
}

#[inline]
fn ordered(view: View<'_>, writes: bool) -> Result<u64> {
    let memory = memory_of(view.allocation)?;
    usable(memory)?;
    if memory.device().has_streams() {
        graph::order(view.allocation, memory, writes)?;
    }
    Ok(memory.address() + (view.layout.offset * view.dtype.size()) as u64)
}

/// What is shown the arrays of some work, each with whether it is written to.
type See<'a> = &'a mut dyn FnMut(View<'_>, bool);

/// An error if the memory has what was computed from the result of a call that failed.
#[inline]
fn usable(memory: &DeviceMemory) -> Result<()> {
    if memory.checks().load(Ordering::Relaxed) == 0 { Ok(()) } else { memory.device().checks_of(memory).map(|_| ()) }
}

/// The number of blocks for `items`, `each` a block.
fn blocks(operation: &'static str, items: usize, each: usize) -> Result<u32> {
    let blocks = items.div_ceil(each);
    // A grid's x ends at 2^31 - 1.
    if blocks > i32::MAX as usize {
        let reason = format!("{items} elements are more than one kernel can work on; split the array");
        return Err(Error::argument(operation, reason));
    }
    Ok(blocks as u32)
}

impl CudaBackend {
    /// Fails while this thread captures a graph.
    fn may_wait(&self, operation: &'static str) -> Result<()> {
        if self.device.is_capturing() { Err(waits(operation)) } else { Ok(()) }
    }

    /// Memory of others as an allocation.
    fn adopted(&self, memory: Foreign, is_in_order: bool) -> Arc<dyn Allocation> {
        let Foreign { address, bytes, owner } = memory;
        let memory = DeviceMemory::foreign(&self.device, address as u64, bytes);
        Arc::new(ForeignAllocation { device: self.device.clone(), memory, owner: Some(owner), is_in_order })
    }

    /// Waits for the checks that are not known yet, before work that is not an [`Operation`].
    fn know_checks(&self) {
        self.device.defer(self.device.learn_checks());
    }

    /// Says of what work writes that it depends on the checks that its arrays depend on. `each` shows the arrays, each with whether it is
    /// written to.
    #[inline]
    fn follow_checks(&self, each: impl Fn(See<'_>)) -> Result<()> {
        if self.device.has_checks() { self.follow_all_checks(&each) } else { Ok(()) }
    }

    #[cold]
    fn follow_all_checks(&self, each: &dyn Fn(See<'_>)) -> Result<()> {
        let mut set = Ok(0);
        each(&mut |view, _| {
            let of_view = memory_of(view.allocation).and_then(|memory| self.device.checks_of(memory));
            set = std::mem::replace(&mut set, Ok(0)).and_then(|set| Ok(set | of_view?));
        });
        let set = set?;
        if set != 0 {
            each(&mut |view, writes| {
                if writes && let Ok(memory) = memory_of(view.allocation) {
                    self.device.add_checks(memory, set);
                }
            });
        }
        Ok(())
    }

    pub fn new(ordinal: usize) -> Result<CudaBackend> {
        let device = Device::open(ordinal)?;
        Ok(CudaBackend {
            elementwise: elementwise::Elementwise::new(&device),
            reduce: reduce::Reduce::new(&device),
            scan: scan::Scan::new(&device),
            convolve: convolve::Convolve::new(&device),
            where_: where_::Where::new(&device),
            compress: compress::Compress::new(&device),
            index: index::Index::new(&device),
            sort: sort::Sort::new(&device),
            search: search::Search::new(&device),
            sparse: sparse::Sparse::new(&device),
            histogram: histogram::Histogram::new(&device),
            random: random::Random::new(&device),
            transforms: transform::Plans::default(),
            factorise: factorisations::Factorise::new(&device),
            matmul: matmul::MatMul::new(&device),
            maps: map::Maps::new(&device),
            kernels: launch::Launches::new(&device),
            device,
        })
    }

    fn run_reduction(&self, operation: ReduceOperation, x: View<'_>, axes: &[usize], out: View<'_>) -> Result<()> {
        if x.dtype.is_complex() {
            // The sums of the parts.
            let (parts, sums) = (x.layout.parts(), out.layout.parts());
            let parts = View { layout: &parts, dtype: x.dtype.part(), ..x };
            let sums = View { layout: &sums, dtype: out.dtype.part(), ..out };
            return self.run_reduction(operation, parts, axes, sums);
        }
        match self.reduce.run(operation, x, axes, out)? {
            reduce::Outcome::Done => Ok(()),
            reduce::Outcome::Constant(value) => self.elementwise.fill(value, out),
        }
    }

    fn run_squared_distances(
        &self,
        x: View<'_>,
        axes: &[usize],
        centres: View<'_>,
        skips_nan: bool,
        out: View<'_>,
    ) -> Result<()> {
        if out.layout.size() == 0 {
            return Ok(());
        }
        if x.layout.size() == 0 {
            return self.elementwise.fill(Scalar::zero(out.dtype), out);
        }
        self.reduce.squared_distances(x, axes, centres, skips_nan, out)
    }

    fn run_scatter(&self, values: Operand<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<()> {
        if matches!(values, Operand::Scalar(_)) || index::is_shared(indices, axis) || indices.layout.is_contiguous() {
            return self.index.scatter(values, axis, indices, out);
        }
        // What finds repeated indices takes them one after the other.
        let memory = DeviceMemory::new(&self.device, indices.layout.size() * indices.dtype.size())?;
        let allocation: Arc<dyn Allocation> = Arc::new(CudaAllocation(memory));
        let layout = Layout::contiguous(&indices.layout.shape);
        let copy = View { allocation: &allocation, layout: &layout, dtype: indices.dtype };
        self.elementwise.copy(indices, copy)?;
        self.index.scatter(values, axis, copy, out)
    }
}

impl Backend for CudaBackend {
    fn name(&self) -> String {
        self.device.name().to_string()
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let unknown = |error: Error| format!("unknown: {error}");
        let (major, minor) = self.device.capability();
        let cuda = context::driver_version().map_or_else(unknown, |(major, minor)| format!("{major}.{minor}"));
        let compiler = nvrtc::Nvrtc::get(self.device.target().driver_major)
            .map_or_else(unknown, |nvrtc| format!("NVRTC {}.{}", nvrtc.version.0, nvrtc.version.1));
        let (driver, busy) = match self.device.monitor() {
            Ok(monitored) => (
                monitored.driver.unwrap_or_else(|| "unknown".to_owned()),
                monitored.busy.map_or_else(
                    || "unknown: the device does not report it (perhaps it is a MIG part)".to_owned(),
                    |(kernels, memory)| format!("{kernels} % kernels, {memory} % memory traffic"),
                ),
            ),
            Err(reason) => ("unknown".to_owned(), format!("unknown: {reason}")),
        };
        vec![
            ("Capability", format!("{major}.{minor}, {} multiprocessors", self.device.multiprocessors())),
            ("Driver", format!("{driver}, supports CUDA {cuda}")),
            ("Compiler", compiler),
            ("Utilisation", busy),
        ]
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Allocation>> {
        Ok(Arc::new(CudaAllocation(DeviceMemory::new(&self.device, bytes)?)))
    }

    unsafe fn pin(&self, start: *mut u8, bytes: usize) -> Result<Option<Box<dyn PinnedMemory>>> {
        // SAFETY: the caller's promise.
        Ok(Some(Box::new(unsafe { Pinned::new(&self.device, start, bytes)? })))
    }

    fn upload(&self, source: &[u8], target: &Arc<dyn Allocation>) -> Result<()> {
        let memory = memory_of(target)?;
        assert!(source.len() <= memory.bytes(), "upload: {} bytes into {}", source.len(), memory.bytes());
        recording::spoil();
        usable(memory)?;
        memory.order(true)?;
        let span = profile::begin(&self.device, Kind::Copy, "host to device", source.len())?;
        // SAFETY: the block is borrowed, so it lives, and was just seen to be large enough.
        unsafe { staging::upload(&self.device, source, memory.address())? };
        profile::end(&self.device, span)
    }

    fn download(&self, source: &Arc<dyn Allocation>, offset: usize, target: &mut [u8]) -> Result<()> {
        let memory = memory_of(source)?;
        let end = offset.checked_add(target.len());
        assert!(end.is_some_and(|end| end <= memory.bytes()), "download: past the end of {} bytes", memory.bytes());
        recording::spoil();
        usable(memory)?;
        memory.order(false)?;
        let span = profile::begin(&self.device, Kind::Copy, "device to host", target.len())?;
        // SAFETY: the block is borrowed, so it lives, and was just seen to hold the range.
        unsafe { staging::download(&self.device, memory.address() + offset as u64, target)? };
        profile::end(&self.device, span)
    }

    fn execute(&self, operation: Operation<'_>) -> Result<()> {
        use Operation as O;
        self.follow_checks(|see| operation.each_array(see))?;
        match operation {
            O::Fill { value, out } => self.elementwise.fill(value, out),
            O::Arange { start, step, out } => self.elementwise.arange(start, step, out),
            O::Copy { source, out } => self.elementwise.copy(source, out),
            O::Unary { function, x, out } => self.elementwise.unary(function, x, out),
            O::Binary { function, a, b, out } => self.elementwise.binary(function, a, b, out),
            O::Map { function, inputs, outs } => self.maps.run(function, inputs, outs),
            O::MapReduce { reduction, shape, out, .. } if shape.contains(&0) => {
                self.elementwise.fill(reduce::of_nothing(reduction, out.dtype), out)
            }
            O::MapReduce { function, reduction, inputs, shape, out } => {
                self.maps.reduce(&self.reduce, function, reduction, inputs, shape, out)
            }
            O::Reduce { reduction, x, axes, out } => self.run_reduction(reduction, x, axes, out),
            O::SquaredDistances { x, axes, centres, skips_nan, out } => {
                self.run_squared_distances(x, axes, centres, skips_nan, out)
            }
            O::Scan { reduction, x, axis, out } => self.scan.run(reduction, x, axis, out),
            O::Convolve2d { image, filter, origin, padding, out } => {
                self.convolve.two_dimensional(image, filter, origin, padding, out)
            }
            O::Convolve { signal, filter, origin, out } => self.convolve.one_dimensional(signal, filter, origin, out),
            O::Where { condition, a, b, out } => self.where_.run(condition, a, b, out),
            O::Gather { source, axis, indices, out } => self.index.gather(source, axis, indices, out),
            O::Scatter { values, axis, indices, out } => self.run_scatter(values, axis, indices, out),
            O::Sort { x, out, .. } => self.sort.run(x, out, false),
            O::ArgSort { x, out } => self.sort.run(x, out, true),
            O::Interpolate { x, places, values, out } => self.search.interpolate(x, places, values, out),
            O::Contains { sorted, values, is_inverted, out } => self.search.contains(sorted, values, is_inverted, out),
            O::SearchSorted { sorted, values, right, out } => self.search.search_sorted(sorted, values, right, out),
            O::BinCount { x, weights, out } => {
                let zero = if weights.is_some() { Scalar::F64(0.0) } else { Scalar::I64(0) };
                self.elementwise.fill(zero, out)?;
                self.histogram.run(x, Bins::Values(weights), out)
            }
            O::Histogram { x, edges, span, out } => {
                self.elementwise.fill(Scalar::I64(0), out)?;
                self.histogram.run(x, Bins::Between(edges, span), out)
            }
            O::Random { blocks, distribution, out } => self.random.run(blocks, distribution, out),
            O::MatMul { a, b, may_round, out } => self.matmul.run(a, b, may_round, out),
            O::Dot { a, b, conjugates, out } => self.reduce.dot(a, b, conjugates, out),
            O::SparseProduct { pointers, indices, data, x, out } => {
                self.sparse.multiply(pointers, indices, data, x, out)
            }
            O::Transform { axes, is_inverse, scale, destroys, x, out } => {
                self.run_transform(axes, is_inverse, scale, destroys, x, out)
            }
            O::Launch { launch, arguments } => self.kernels.launch(launch, arguments),
        }
    }

    fn compress(&self, mask: View<'_>, source: Option<View<'_>>) -> Result<(Arc<dyn Allocation>, usize)> {
        self.may_wait("a selection of elements")?;
        let (memory, count) = self.compress.run(mask, source)?;
        Ok((Arc::new(CudaAllocation(memory)), count))
    }

    fn gather_checked(&self, source: View<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<Option<bool>> {
        self.may_wait("a check of indices")?;
        self.index.gather_checked(source, axis, indices, out).map(Some)
    }

    fn gather_later(
        &self,
        source: View<'_>,
        axis: usize,
        indices: View<'_>,
        out: View<'_>,
        check: IndexCheck,
    ) -> Result<bool> {
        self.may_wait("a check of indices")?;
        self.index.gather_later(source, axis, indices, out, check).map(|()| true)
    }

    fn has_checks(&self) -> bool {
        self.device.has_checks()
    }

    fn settle(&self) -> Result<()> {
        self.device.settle_checks()
    }

    fn unique(&self, sorted: View<'_>) -> Result<Unique> {
        self.may_wait("unique")?;
        self.search.unique(sorted)
    }

    fn map_along(
        &self,
        stages: &[Stage<'_>],
        inputs: &[Argument<'_>],
        shape: [usize; 2],
        out: View<'_>,
    ) -> Result<bool> {
        self.follow_checks(|see| {
            for input in inputs {
                if let Argument::Array(view, writes) = *input {
                    see(view, writes);
                }
            }
            see(out, true);
        })?;
        self.maps.along(stages, inputs, shape, out)
    }

    fn programs(&self) -> Programs {
        compile::programs()
    }

    fn selects(&self, rows: usize, length: usize) -> bool {
        self.sort.selects(rows, length)
    }

    fn select(&self, x: View<'_>, places: [usize; 3], out: View<'_>) -> Result<()> {
        self.follow_checks(|see| {
            see(x, false);
            see(out, true);
        })?;
        self.sort.select(x, places, out)
    }

    fn can_transform(&self) -> Result<()> {
        cufft::present(self.device.target().driver_major)
    }

    fn factorisations(&self) -> &dyn Factorisations {
        self
    }

    fn converts_terms(&self) -> bool {
        true
    }

    fn multiplies(&self, dtype: DType) -> bool {
        matmul::MatMul::takes(dtype)
    }

    fn record(&self) -> Result<Box<dyn EventHandle>> {
        if self.device.is_capturing() {
            return Err(orders("an event"));
        }
        Ok(Box::new(CudaEvent(Event::record(&self.device)?)))
    }

    fn elapsed(&self, start: &dyn EventHandle, end: &dyn EventHandle) -> Result<f64> {
        match (start.as_any().downcast_ref(), end.as_any().downcast_ref()) {
            (Some(CudaEvent(start)), Some(CudaEvent(end))) => end.seconds_since(start),
            _ => Err(Error::DeviceMismatch {
                operation: "the time between two events",
                left: self.device.label(),
                right: "another device".to_string(),
            }),
        }
    }

    fn synchronize(&self) -> Result<()> {
        self.may_wait("synchronize")?;
        self.device.synchronize()
    }

    fn memory(&self) -> MemoryFigures {
        let memory::Figures { used, total: pooled, .. } = memory::pool_figures(&self.device);
        let (free, total) = memory::driver_figures(&self.device).unwrap_or((0, self.device.total_memory()));
        MemoryFigures { used, pooled, free, total }
    }

    fn pool(&self, kind: PoolKind) -> PoolFigures {
        let figures = match kind {
            PoolKind::Device => memory::pool_figures(&self.device),
            PoolKind::Pinned => staging::figures(&self.device),
        };
        let memory::Figures { used, total, free_chunks, limit } = figures;
        PoolFigures { used, held: total, free_blocks: free_chunks, limit }
    }

    fn limit_pool(&self, kind: PoolKind, limit: Option<usize>) {
        match kind {
            PoolKind::Device => memory::set_limit(&self.device, limit),
            PoolKind::Pinned => staging::set_limit(&self.device, limit),
        }
    }

    fn trim(&self, kind: PoolKind) -> Result<()> {
        match kind {
            PoolKind::Device => memory::trim(&self.device),
            PoolKind::Pinned => staging::trim(&self.device),
        }
    }

    fn trim_idle(&self) {
        self.device.defer(memory::trim_idle(&self.device));
    }

    unsafe fn adopt(&self, memory: Foreign) -> Result<Arc<dyn Allocation>> {
        Ok(self.adopted(memory, false))
    }

    unsafe fn adopt_in_order(&self, memory: Foreign) -> Result<Arc<dyn Allocation>> {
        Ok(self.adopted(memory, true))
    }

    fn address(&self, allocation: &Arc<dyn Allocation>) -> usize {
        let Ok(memory) = memory_of(allocation) else { return 0 };
        self.know_checks();
        self.device.defer(usable(memory));
        self.device.defer(memory.order(true));
        memory.address() as usize
    }

    fn stream(&self) -> Option<usize> {
        Some(interop::stream(&self.device))
    }

    unsafe fn order(&self, stream: usize, first: StreamOrder) -> Result<()> {
        self.may_wait("sharing with another stream")?;
        // SAFETY: the caller's promise.
        unsafe { interop::order(&self.device, stream, first == StreamOrder::Ours) }
    }

    fn cache_bytes(&self) -> usize {
        // Where the driver does not tell: as much as large devices have.
        attribute::cache_bytes(&self.device).unwrap_or(64 << 20)
    }

    fn profile(&self) -> Result<Box<dyn Recording>> {
        profile::profile(&self.device)
    }

    fn properties(&self) -> DeviceProperties {
        let (free, total) = memory::driver_figures(&self.device).unwrap_or((0, self.device.total_memory()));
        let multiprocessors = self.device.multiprocessors() as usize;
        let mut properties = DeviceProperties::new(self.name(), [free, total], multiprocessors);
        properties.compute_capability = Some(self.device.capability());
        properties.peak_bandwidth = self.device.peak_bandwidth();
        properties.uuid = self.device.uuid();
        properties
    }

    fn copy_between(
        &self,
        source: &Arc<dyn Allocation>,
        offset: usize,
        target: &Arc<dyn Allocation>,
        bytes: usize,
    ) -> Result<bool> {
        let Some(CudaAllocation(source)) = source.as_any().downcast_ref() else { return Ok(false) };
        recording::spoil();
        source.device().learn_checks()?;
        usable(source)?;
        if self.device.is_capturing() || source.device().is_capturing() {
            return Err(orders("a copy between devices"));
        }
        memory::copy_between(source, offset, memory_of(target)?, bytes).map(|()| true)
    }

    fn first_stream(&self) -> Arc<dyn StreamHandle> {
        Arc::new(CudaStream(Stream::first(&self.device)))
    }

    fn new_stream(&self) -> Result<Arc<dyn StreamHandle>> {
        Ok(Arc::new(CudaStream(Stream::new(&self.device)?)))
    }

    unsafe fn foreign_stream(&self, stream: usize) -> Result<Arc<dyn StreamHandle>> {
        // SAFETY: the caller's promise.
        Ok(Arc::new(CudaStream(unsafe { Stream::of_handle(&self.device, stream) }?)))
    }

    fn begin_capture(&self) -> Result<Box<dyn CaptureHandle>> {
        self.know_checks();
        Ok(Box::new(graph::CudaCapture::begin(&self.device)?))
    }

    fn is_capturing(&self) -> bool {
        self.device.is_capturing()
    }

    fn stop_functions(&self) {
        self.device.stop_functions();
    }

    fn launch_limits(&self) -> Result<Limits> {
        self.kernels.limits()
    }

    fn kernel_attributes(&self, kernel: &Kernel) -> Result<(FunctionAttributes, Vec<(usize, usize)>)> {
        self.kernels.attributes(kernel)
    }

    fn residency(&self, launch: &Launch, arguments: &[Argument<'_>]) -> Result<Option<Residency>> {
        self.kernels.residency(launch, arguments).map(Some)
    }

    fn links(&self) -> Option<&dyn Links> {
        Some(self)
    }

    fn compile_text(&self, text: &Text<'_>) -> Result<Arc<dyn TextProgram>> {
        text::compile(&self.device, text)
    }
}
