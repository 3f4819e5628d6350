//! The CPU backend: all cores, vector instructions chosen at run time.
//!
//! Work is not queued: each method returns when it is done. One lock, the queue, orders the operations of all
//! threads as a stream would, and makes the shared memory sound to access (see [`Memory`]). While a thread captures a graph,
//! methods note what they are asked for, and the graph's launch calls them again.

// Users never see this crate: names that say enough need no documentation.
#![allow(missing_docs)]

// Long because: each method of the backend stands here, and calls the file of its family.

mod arg;
mod cache;
mod complex;
mod compress;
mod convert;
pub mod convolve;
pub mod copy;
mod count;
pub mod dot;
pub mod elementwise;
mod factorisations;
mod fft;
mod graph;
mod index;
mod kernel;
pub mod map;
mod matrices;
pub mod memory;
pub mod multiply;
mod numeric;
pub mod permutation;
mod pool;
pub mod random;
mod reduce;
mod room;
mod runs;
mod scan;
mod search;
mod select;
pub mod sort;
mod stream;
mod transform;
mod turn;

use graph::{KeptView, noted};
use memory::Memory;
pub use room::available as free_memory;
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use turn::{Turn, name_of};
use warpcell_base::backend::factorisations::Factorisations;
use warpcell_base::backend::kernel::{Argument, Launch};
use warpcell_base::backend::stream::{copies, orders, waits};
use warpcell_base::backend::text::Limits;
use warpcell_base::backend::{
    Allocation, Backend, BinaryOperation, Bins, CaptureHandle, DeviceProperties, Distinct, Distribution, EventHandle,
    Foreign, MemoryFigures, Operand, Padding, PoolFigures, PoolKind, ReduceOperation, ScanOperation, StreamHandle,
    Transform, UnaryOperation, View, Whose,
};
use warpcell_base::dtype::{DType, Scalar, typestr};
use warpcell_base::error::{Error, Result};
use warpcell_base::philox::Blocks;
use warpcell_base::profiling::{Kind, Listener, Listening, Recorded, Recording};
use warpcell_base::registry::Function;

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
        let turn = self.spend(Kind::Copy, || ("host to device".into(), source.len()));
        assert!(source.len() <= target.bytes(), "the allocation is as large as the array");
        // SAFETY: the target is large enough, and by invariant 2 nothing else accesses it.
        unsafe { copy::bytes(source.as_ptr(), start(target), source.len()) };
        turn.end()
    }

    fn download(&self, source: &Arc<dyn Allocation>, offset: usize, target: &mut [u8]) -> Result<()> {
        may_wait("a copy to the host")?;
        let turn = self.spend(Kind::Copy, || ("device to host".into(), target.len()));
        assert!(offset + target.len() <= source.bytes(), "the array lies within its allocation");
        // SAFETY: the range lies within the source, which by invariant 2 nothing else accesses.
        unsafe { copy::bytes(start(source).add(offset), target.as_mut_ptr(), target.len()) };
        turn.end()
    }

    fn fill(&self, value: Scalar, out: View<'_>) -> Result<()> {
        noted!(|cpu, out| cpu.fill(value, out.view()));
        let turn = self.compute(|| format!("fill {}", out.dtype));
        // SAFETY: the invariants of `Memory`.
        unsafe { elementwise::fill(value, origin(&out), out.layout) };
        turn.end()
    }

    fn arange(&self, start: Scalar, step: Scalar, out: View<'_>) -> Result<()> {
        noted!(|cpu, out| cpu.arange(start, step, out.view()));
        let turn = self.compute(|| format!("arange {}", out.dtype));
        // SAFETY: the invariants of `Memory`; `out` is 1-D.
        unsafe { elementwise::arange(start, step, origin(&out), out.layout.strides[0], out.layout.shape[0]) };
        turn.end()
    }

    fn copy(&self, source: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, source, out| cpu.copy(source.view(), out.view()));
        let turn = if source.dtype == out.dtype {
            self.spend(Kind::Copy, || (format!("copy {}", out.dtype), out.layout.size() * out.dtype.size()))
        } else {
            self.compute(|| format!("convert {} to {}", source.dtype, out.dtype))
        };
        // SAFETY: the invariants of `Memory`.
        unsafe { convert::convert(source.dtype, origin(&source), source.layout, out.dtype, origin(&out), out.layout) };
        turn.end()
    }

    fn unary(&self, operation: UnaryOperation, x: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, x, out| cpu.unary(operation, x.view(), out.view()));
        let turn = self.compute(|| format!("{} {}", name_of(operation), x.dtype));
        let input = elementwise::Input::Array(origin(&x), x.layout);
        // SAFETY: the invariants of `Memory`.
        unsafe { elementwise::unary(operation, x.dtype, input, origin(&out), out.layout) };
        turn.end()
    }

    fn binary(&self, operation: BinaryOperation, a: Operand<'_>, b: Operand<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, a, b, out| cpu.binary(operation, a.view(), b.view(), out.view()));
        let dtype = match (a, b) {
            (Operand::Array(array), _) | (_, Operand::Array(array)) => array.dtype,
            (Operand::Scalar(scalar), _) => scalar.dtype(),
        };
        let turn = self.compute(|| format!("{} {dtype}", name_of(operation)));
        let inputs = [&a, &b].map(input);
        // SAFETY: the invariants of `Memory`.
        unsafe { elementwise::binary(operation, dtype, inputs, origin(&out), out.layout) };
        turn.end()
    }

    fn map(&self, function: &Function, inputs: &[Operand<'_>], outs: &[View<'_>]) -> Result<()> {
        map::on_arrays(self, function, inputs, outs)
    }

    fn map_reduce(
        &self,
        function: &Function,
        operation: ReduceOperation,
        inputs: &[Operand<'_>],
        shape: &[usize],
        out: View<'_>,
    ) -> Result<()> {
        map::reduced(self, function, operation, inputs, shape, out)
    }

    fn reduce(&self, operation: ReduceOperation, x: View<'_>, axes: &[usize], out: View<'_>) -> Result<()> {
        noted!(|cpu, x, axes, out| cpu.reduce(operation, x.view(), &axes, out.view()));
        let turn = self.compute(|| format!("{} {}", name_of(operation), x.dtype));
        // SAFETY: the invariants of `Memory`.
        unsafe {
            match operation {
                ReduceOperation::ArgMax | ReduceOperation::ArgMin => {
                    arg::arg(operation, x.dtype, origin(&x), x.layout, axes[0], origin(&out).cast());
                }
                _ => reduce::reduce(operation, x.dtype, origin(&x), x.layout, axes, origin(&out)),
            }
        }
        turn.end()
    }

    fn scan(&self, operation: ScanOperation, x: View<'_>, axis: usize, out: View<'_>) -> Result<()> {
        noted!(|cpu, x, out| cpu.scan(operation, x.view(), axis, out.view()));
        let turn = self.compute(|| format!("cumulative {} {}", name_of(operation), x.dtype));
        // SAFETY: the invariants of `Memory`; both are contiguous.
        unsafe { scan::scan(operation, x.dtype, origin(&x), x.layout.around(axis), origin(&out)) };
        turn.end()
    }

    fn convolve2d(
        &self,
        image: View<'_>,
        kernel: View<'_>,
        origin_: (usize, usize),
        padding: Padding,
        out: View<'_>,
    ) -> Result<()> {
        noted!(|cpu, image, kernel, out| { cpu.convolve2d(image.view(), kernel.view(), origin_, padding, out.view()) });
        let turn = self.compute(|| format!("convolve2d {}", image.dtype));
        let shape = |view: &View<'_>| [view.layout.shape[0], view.layout.shape[1]];
        let job = convolve::Job {
            image: origin(&image),
            image_shape: shape(&image),
            kernel: origin(&kernel),
            kernel_shape: shape(&kernel),
            origin: origin_,
            padding,
            out: origin(&out),
            out_shape: shape(&out),
        };
        // SAFETY: the invariants of `Memory`; all three are contiguous.
        unsafe { convolve::convolve2d(image.dtype, &job) };
        turn.end()
    }

    fn convolve(&self, signal: View<'_>, kernel: View<'_>, origin_: usize, out: View<'_>) -> Result<()> {
        noted!(|cpu, signal, kernel, out| cpu.convolve(signal.view(), kernel.view(), origin_, out.view()));
        let turn = self.compute(|| format!("convolve {}", signal.dtype));
        let shape = |view: &View<'_>| [1, view.layout.shape[0]];
        let job = convolve::Job {
            image: origin(&signal),
            image_shape: shape(&signal),
            kernel: origin(&kernel),
            kernel_shape: shape(&kernel),
            origin: (0, origin_),
            padding: Padding::Fill(convolve::zero(signal.dtype)),
            out: origin(&out),
            out_shape: shape(&out),
        };
        // SAFETY: the invariants of `Memory`; all three are contiguous.
        unsafe { convolve::convolve2d(signal.dtype, &job) };
        turn.end()
    }

    fn select(&self, condition: View<'_>, a: Operand<'_>, b: Operand<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, condition, a, b, out| cpu.select(condition.view(), a.view(), b.view(), out.view()));
        let turn = self.compute(|| format!("where {}", out.dtype));
        let inputs = [&a, &b].map(input);
        let condition = (origin(&condition).cast_const(), condition.layout);
        // SAFETY: the invariants of `Memory`.
        unsafe { select::select(out.dtype, condition, inputs, origin(&out), out.layout) };
        turn.end()
    }

    fn compress(&self, mask: View<'_>, source: Option<View<'_>>) -> Result<(Arc<dyn Allocation>, usize)> {
        may_wait("a selection of elements")?;
        let turn = self.compute(|| source.map_or_else(|| "nonzero".into(), |source| format!("mask {}", source.dtype)));
        let start = source.as_ref().map(|source| (origin(source).cast_const(), source.dtype));
        // SAFETY: the invariants of `Memory`; both are contiguous.
        let (memory, count) = unsafe { compress::compress(origin(&mask), mask.layout.size(), start) }?;
        turn.end()?;
        Ok((Arc::new(memory), count))
    }

    fn gather(&self, source: View<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, source, indices, out| cpu.gather(source.view(), axis, indices.view(), out.view()));
        let turn = self.compute(|| format!("take {}", out.dtype));
        let job = index::Gather {
            source: (origin(&source), source.layout),
            axis,
            indices: (origin(&indices), indices.layout),
            out: (origin(&out), &out.layout.shape),
        };
        // SAFETY: the invariants of `Memory`; `out` is contiguous.
        unsafe { index::gather(out.dtype, indices.dtype, &job) };
        turn.end()
    }

    fn scatter(&self, values: Operand<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, values, indices, out| cpu.scatter(values.view(), axis, indices.view(), out.view()));
        let turn = self.compute(|| format!("put {}", out.dtype));
        let job = index::Scatter {
            values: input(&values),
            axis,
            indices: (origin(&indices), indices.layout),
            out: (origin(&out), out.layout),
        };
        // SAFETY: the invariants of `Memory`.
        unsafe { index::scatter(out.dtype, indices.dtype, &job) };
        turn.end()
    }

    fn random(&self, blocks: Blocks, distribution: Distribution, out: View<'_>) -> Result<()> {
        noted!(|cpu, out| cpu.random(blocks, distribution, out.view()));
        let turn = self.compute(|| format!("random {} {}", name_of(distribution), out.dtype));
        // SAFETY: the invariants of `Memory`; `out` is contiguous.
        unsafe { random::fill(blocks, distribution, out.dtype, origin(&out), out.layout.size()) };
        turn.end()
    }

    fn sort(&self, x: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, x, out| cpu.sort(x.view(), out.view()));
        let turn = self.compute(|| format!("sort {}", x.dtype));
        let (rows, length) = rows(&x);
        // SAFETY: the invariants of `Memory`; both are contiguous and of one shape.
        unsafe { sort::sort(x.dtype, origin(&x), origin(&out), rows, length)? };
        turn.end()
    }

    fn argsort(&self, x: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, x, out| cpu.argsort(x.view(), out.view()));
        let turn = self.compute(|| format!("argsort {}", x.dtype));
        let (rows, length) = rows(&x);
        // SAFETY: the invariants of `Memory`; both are contiguous and of one shape.
        unsafe { sort::argsort(x.dtype, origin(&x), origin(&out).cast(), rows, length)? };
        turn.end()
    }

    fn search_sorted(&self, sorted: View<'_>, values: View<'_>, right: bool, out: View<'_>) -> Result<()> {
        noted!(|cpu, sorted, values, out| cpu.search_sorted(sorted.view(), values.view(), right, out.view()));
        let turn = self.compute(|| format!("searchsorted {}", sorted.dtype));
        let elements = |view: &View<'_>| (origin(view).cast_const(), view.layout.size());
        // SAFETY: the invariants of `Memory`; all are contiguous.
        unsafe {
            search::search_sorted(sorted.dtype, elements(&sorted), elements(&values), right, origin(&out).cast());
        }
        turn.end()
    }

    fn distinct(&self, sorted: View<'_>) -> Result<Distinct> {
        may_wait("unique")?;
        let turn = self.compute(|| format!("unique {}", sorted.dtype));
        // SAFETY: the invariants of `Memory`; the array is contiguous.
        let (elements, starts, count) =
            unsafe { search::distinct(sorted.dtype, origin(&sorted), sorted.layout.size())? };
        turn.end()?;
        Ok(Distinct { elements: Arc::new(elements), starts: Arc::new(starts), count })
    }

    fn count(&self, x: View<'_>, bins: Bins<'_>, weights: Option<View<'_>>, out: View<'_>) -> Result<()> {
        noted!(|cpu, x, bins, weights, out| {
            cpu.count(x.view(), bins.view(), weights.as_ref().map(KeptView::view), out.view())
        });
        let turn = self.compute(|| format!("histogram {}", x.dtype));
        let elements = (origin(&x).cast_const(), x.layout.size());
        let (target, count) = (origin(&out), out.layout.size());
        // SAFETY: the invariants of `Memory`; all are contiguous, with as many elements.
        unsafe {
            match bins {
                Bins::Values => {
                    let weights = weights.map(|weights| origin(&weights).cast_const());
                    count::values(x.dtype, elements, weights, (target, count));
                }
                Bins::Between(edges, span) => {
                    count::between(x.dtype, elements, origin(&edges).cast(), span, (target.cast(), count));
                }
            }
        }
        turn.end()
    }

    fn can_transform(&self) -> Result<()> {
        Ok(())
    }

    fn transform_real(&self, x: View<'_>, spectrum: View<'_>) -> Result<()> {
        fn run<T: fft::Real>(x: View<'_>, spectrum: View<'_>) {
            let (shape, distance) = (&x.layout.shape, x.layout.strides[0]);
            // SAFETY: the invariants of `Memory`; the spectrum's elements are pairs of parts.
            unsafe { fft::forward::<T>(origin(&x).cast(), distance, shape[0], &shape[1..], origin(&spectrum).cast()) }
        }
        noted!(|cpu, x, spectrum| cpu.transform_real(x.view(), spectrum.view()));
        let turn = self.compute(|| format!("rfft {}", x.dtype));
        if x.dtype == DType::F32 {
            run::<f32>(x, spectrum)
        } else {
            run::<f64>(x, spectrum)
        }
        turn.end()
    }

    fn transform_back(&self, spectrum: View<'_>, x: View<'_>) -> Result<()> {
        fn run<T: fft::Real>(spectrum: View<'_>, x: View<'_>) {
            let shape = &x.layout.shape;
            // SAFETY: the invariants of `Memory`; the spectrum's elements are pairs of parts.
            unsafe { fft::backward::<T>(origin(&spectrum).cast(), shape[0], &shape[1..], origin(&x).cast()) }
        }
        noted!(|cpu, spectrum, x| cpu.transform_back(spectrum.view(), x.view()));
        let turn = self.compute(|| format!("irfft {}", x.dtype));
        if x.dtype == DType::F32 {
            run::<f32>(spectrum, x)
        } else {
            run::<f64>(spectrum, x)
        }
        turn.end()
    }

    fn multiply_spectra(&self, a: View<'_>, b: View<'_>, scale: f64) -> Result<()> {
        noted!(|cpu, a, b| cpu.multiply_spectra(a.view(), b.view(), scale));
        let turn = self.compute(|| format!("multiply spectra {}", a.dtype));
        let (size, others) = (a.layout.size() / 2, b.layout.size() / 2);
        let (first, second) = (origin(&a), origin(&b));
        // SAFETY: the invariants of `Memory`; the elements are pairs of parts.
        unsafe {
            match a.dtype {
                DType::F32 => fft::multiply::<f32>(first.cast(), size, second.cast(), others, scale as f32),
                _ => fft::multiply::<f64>(first.cast(), size, second.cast(), others, scale),
            }
        }
        turn.end()
    }

    fn factorisations(&self) -> &dyn Factorisations {
        self
    }

    fn multiplies(&self, _dtype: DType) -> bool {
        false
    }

    fn multiply(&self, a: View<'_>, b: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, a, b, out| cpu.multiply(a.view(), b.view(), out.view()));
        let turn = self.compute(|| format!("matmul {}", a.dtype));
        let (pairs, [rows, columns]) = out.layout.shape.split_last_chunk().expect("`out` has two axes");
        let pairs = multiply::pairs(pairs, &a.layout.strides, &b.layout.strides);
        let factor = |view: &View<'_>| {
            let &[.., down, across] = &view.layout.strides[..] else { unreachable!("factors have two axes") };
            multiply::Factor { start: origin(view), strides: [down, across] }
        };
        let inner = a.layout.shape[a.layout.shape.len() - 1];
        let products = multiply::Products {
            lengths: [*rows, inner, *columns],
            a: factor(&a),
            b: factor(&b),
            pairs: &pairs,
            out: origin(&out),
        };
        // SAFETY: the invariants of `Memory`; `out` is contiguous.
        unsafe { multiply::multiply(a.dtype, &products) };
        turn.end()
    }

    fn dot(&self, a: View<'_>, b: View<'_>, out: View<'_>) -> Result<()> {
        noted!(|cpu, a, b, out| cpu.dot(a.view(), b.view(), out.view()));
        let turn = self.compute(|| format!("dot {}", a.dtype));
        let vector = |view: &View<'_>| (origin(view).cast_const(), view.layout.strides[0]);
        // SAFETY: the invariants of `Memory`.
        unsafe { dot::dot(a.dtype, vector(&a), vector(&b), a.layout.shape[0], origin(&out)) };
        turn.end()
    }

    fn transform(&self, transform: Transform<'_>, x: View<'_>, out: View<'_>) -> Result<()> {
        let Transform { axes, is_inverse, scale } = transform;
        noted!(|cpu, axes, x, out| {
            cpu.transform(Transform { axes: &axes, is_inverse, scale }, x.view(), out.view())
        });
        let turn = self.compute(|| format!("fft {}", x.dtype));
        let from = (origin(&x), x.layout, x.dtype.is_complex());
        let to = (origin(&out), out.layout, out.dtype.is_complex());
        // SAFETY: the invariants of `Memory`; both are contiguous.
        unsafe {
            match out.dtype.part() {
                DType::F32 => transform::transform::<f32>(transform, from, to)?,
                _ => transform::transform::<f64>(transform, from, to)?,
            }
        }
        turn.end()
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
            _ => Err(Error::InvalidArgument {
                operation: "elapsed",
                reason: "the events were recorded on two devices; record both on one".into(),
            }),
        }
    }

    fn synchronize(&self) -> Result<()> {
        may_wait("synchronize")?;
        drop(self.lock());
        Ok(())
    }

    fn memory(&self) -> MemoryFigures {
        let used = memory::used();
        let (free, total) = (room::available(), room::total());
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

    unsafe fn order(&self, _stream: usize, _first: Whose) -> Result<()> {
        Err(Error::InvalidArgument {
            operation: "order",
            reason: "the device is the CPU, which has no streams: its operations are done when they return".into(),
        })
    }

    fn cache_bytes(&self) -> usize {
        cache::bytes()
    }

    fn profile(&self) -> Result<Box<dyn Recording>> {
        Ok(Box::new(Profile(Listening::begin(Listener::Host))))
    }

    fn properties(&self) -> DeviceProperties {
        DeviceProperties::new(self.name(), [room::available(), room::total()], threads())
    }

    fn copy_between(&self, _: &Arc<dyn Allocation>, _: usize, _: &Arc<dyn Allocation>, _: usize) -> Result<bool> {
        Ok(false)
    }

    fn launch_limits(&self) -> Result<Limits> {
        Ok(kernel::limits())
    }

    fn launch(&self, launch: &Launch, arguments: &[Argument<'_>]) -> Result<()> {
        kernel::launch(self, launch, arguments)
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
