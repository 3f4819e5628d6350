//! What a backend must do, over dtype tags and raw allocations: the trait [`Backend`] and its vocabulary.
//!
//! The crates `prelude/cpu` and `prelude/cuda` implement it; arrays and operations use it and know neither. All checks of
//! shapes, dtypes and devices happen above, in the operations: a backend may rely on what each method states.

use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::profiling::Recording;
use crate::registry::{Function, Kernel};
use std::any::Any;
use std::panic::Location;
use std::sync::Arc;
use text::{FunctionAttributes, Limits};

pub mod factorisations;
pub mod functions;
pub mod launch;
pub mod link;
pub mod loops;
pub mod operation;
pub mod operations;
mod programs;
pub mod recording;
pub mod stream;
pub mod text;

pub use operation::{KeptOperation, Operation};
pub use operations::{BinaryOperation, ReduceOperation, ScanOperation, UnaryOperation};
pub use programs::{COMPILER, Programs, best_or_general};
pub use stream::{CaptureHandle, EventHandle, GraphHandle, StreamHandle};

/// A formula of [`Backend::map_along`], and how its results are reduced.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    pub function: &'a Function,
    pub reduction: Option<ReduceOperation>,
}

/// A block of memory on one device; freed (or given back to a pool) when the last reference is dropped.
pub trait Allocation: Any + Send + Sync {
    /// The size in bytes.
    fn bytes(&self) -> usize;
    /// The backend's own type, to which it downcasts.
    fn as_any(&self) -> &dyn Any;
}

/// Where the elements of an array lie in an allocation. Strides and offset count elements, not bytes.
///
/// Invariants, kept by the array type: `shape` and `strides` have one entry per axis; every index inside `shape`
/// maps into the allocation; arrays that are written to have no two indices on one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
}

impl Layout {
    /// The row-major layout of `shape` from the start of an allocation.
    pub fn contiguous(shape: &[usize]) -> Layout {
        let mut strides = vec![0isize; shape.len()];
        let mut step = 1isize;
        for (stride, &length) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            step *= length.max(1) as isize;
        }
        Layout { shape: shape.to_vec(), strides, offset: 0 }
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// The layout of an array of complex numbers as one of real numbers, with one more axis for the two parts.
    pub fn parts(&self) -> Layout {
        let mut parts = Layout {
            shape: self.shape.clone(),
            strides: self.strides.iter().map(|stride| 2 * stride).collect(),
            offset: 2 * self.offset,
        };
        parts.shape.push(2);
        parts.strides.push(1);
        parts
    }

    /// How many elements lie before `axis`, along it, and behind it: a contiguous array of any rank as one of three axes.
    pub fn around(&self, axis: usize) -> [usize; 3] {
        [self.shape[..axis].iter().product(), self.shape[axis], self.shape[axis + 1..].iter().product()]
    }

    /// Whether the elements follow one another in row-major order (the offset may be anything).
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1isize;
        for (&stride, &length) in self.strides.iter().zip(&self.shape).rev() {
            if length != 1 && stride != step {
                return false;
            }
            step *= length.max(1) as isize;
        }
        true
    }

    /// Whether all indices lead to one element, which there is.
    pub fn is_one_element(&self) -> bool {
        self.shape.iter().zip(&self.strides).all(|(&length, &stride)| length == 1 || (stride == 0 && length > 0))
    }

    /// How the matrix of the last two axes lies in memory, if its rows, or else its columns, are lines of neighbours.
    pub fn leading_dimension(&self) -> Option<LeadingDimension> {
        let (&[.., rows, columns], &[.., down, across]) = (&self.shape[..], &self.strides[..]) else { return None };
        let lines = |count: usize, length: usize, step: isize, apart: isize| {
            let distance = if count <= 1 { length.max(1) } else { usize::try_from(apart).ok()? };
            ((length <= 1 || step == 1) && distance >= length.max(1)).then_some(distance)
        };
        if let Some(distance) = lines(rows, columns, across, down) {
            return Some(LeadingDimension { are_rows: true, distance });
        }
        lines(columns, rows, down, across).map(|distance| LeadingDimension { are_rows: false, distance })
    }
}

/// A matrix in memory, as libraries of linear algebra take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadingDimension {
    /// Whether the lines of neighbours are the rows, else the columns.
    pub are_rows: bool,
    /// How many elements apart the lines begin, at least their length and 1.
    pub distance: usize,
}

/// An array as a backend sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub allocation: &'a Arc<dyn Allocation>,
    pub layout: &'a Layout,
    pub dtype: DType,
}

/// An operand that is an array (already broadcast to the output's shape) or one value for all elements.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    Array(View<'a>),
    Scalar(Scalar),
}

/// How a 2-D convolution treats what lies outside the image; SciPy's `boundary`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Padding {
    /// This value everywhere (of the arrays' dtype).
    Fill(Scalar),
    /// The image repeats.
    Wrap,
    /// The image is mirrored at its edges, edge elements doubled.
    Symmetric,
}

/// A check of indices that a device makes while it reads by them: what is to be said if one is out of range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexCheck {
    /// The operation that was asked for.
    pub operation: &'static str,
    /// The axis that is indexed; none if the array is indexed as if it had one axis.
    pub axis: Option<usize>,
    /// The length of the axis, or the number of elements.
    pub length: usize,
    /// Where the call is.
    pub location: &'static Location<'static>,
}

/// Where bins begin and end, and how they are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The first edge.
    pub first: f64,
    /// The last edge, which belongs to the last bin.
    pub last: f64,
    /// Bins a unit, if all are of one width: the bin is computed, not searched for.
    pub scale: Option<f64>,
}

/// The first of each run of equal elements in a sorted array.
pub struct Unique {
    /// The elements.
    pub elements: Arc<dyn Allocation>,
    /// Their positions as i64, and behind them the array's length.
    pub starts: Arc<dyn Allocation>,
    /// How many elements there are.
    pub count: usize,
}

/// How random words become numbers. One element takes a word of 64 bits, or one of 32 where the element has as many and is a
/// float. On all backends the results are the same to the last bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Floats `low + span * u`, at most `last`; `u` is a multiple of 2^-53 (f32: 2^-24) in [0, 1).
    Uniform { low: Scalar, span: Scalar, last: Scalar },
    /// Floats `mean + deviation * z`, `z` by Box and Muller: the two numbers of a pair are neighbours.
    Normal { mean: Scalar, deviation: Scalar },
    /// Floats `scale * -ln(u)`, `u` in (0, 1].
    Exponential { scale: Scalar },
    /// Integers from `low` on, `count` of them (0 stands for 2^64), equally likely.
    Integers { low: Scalar, count: u64 },
}

impl Distribution {
    /// How many elements of a dtype one block of four 32-bit words makes.
    pub fn elements_of_a_block(self, dtype: DType) -> usize {
        if dtype == DType::F32 { 4 } else { 2 }
    }
}

/// Memory that others have made, as an allocation's: `bytes` bytes from `address` on, which are there until `owner` is dropped.
///
/// Elements in it are aligned for their type. On the CPU its bytes are initialised.
pub struct Foreign {
    pub address: usize,
    pub bytes: usize,
    pub owner: Box<dyn Any + Send + Sync>,
}

/// What is known of a device; see `Device::properties`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// What the device calls itself, such as `NVIDIA H200` or the processor's model.
    pub name: String,
    /// Bytes of memory that are free at the moment: of the GPU's own, or of the host's as far as this process may have it
    /// (containers and `ulimit -v` set limits).
    pub free_memory: usize,
    /// Bytes of memory in all; of the host's, those that a container may have.
    pub total_memory: usize,
    /// The major and minor version of what a CUDA device can do, such as (9, 0).
    pub compute_capability: Option<(i32, i32)>,
    /// The number of multiprocessors; of the processor, the number of threads that operations use.
    pub multiprocessors: usize,
    /// The most bytes a second that can be read from and written to a GPU's memory, by its clock and width. Large copies come
    /// to about nine tenths of it.
    pub peak_bandwidth: Option<f64>,
    /// What tells a CUDA device, or a part of a divided one, from all others, such as
    /// `GPU-5d1d7f8e-7a0c-4b0e-9f52-8f6a3b1c2d4e`: what `nvidia-smi -L` prints and `CUDA_VISIBLE_DEVICES` takes.
    pub uuid: Option<String>,
}

impl DeviceProperties {
    /// What every device has; the rest is not known.
    #[doc(hidden)]
    pub fn new(name: String, [free_memory, total_memory]: [usize; 2], multiprocessors: usize) -> DeviceProperties {
        let (compute_capability, peak_bandwidth, uuid) = (None, None, None);
        DeviceProperties { name, free_memory, total_memory, compute_capability, multiprocessors, peak_bandwidth, uuid }
    }
}

/// Figures of the device's memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryFigures {
    /// Held by live arrays.
    pub used: usize,
    /// Held by the pool, `used` included.
    pub pooled: usize,
    /// Free on the device as the driver sees it (for the CPU: available host memory).
    pub free: usize,
    /// The device's memory in all.
    pub total: usize,
}

/// The pools of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// Of its own memory.
    Device,
    /// Of pinned memory of the host, for transfers.
    Pinned,
}

/// What a pool holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolFigures {
    /// Bytes in use.
    pub used: usize,
    /// Bytes in use or not.
    pub held: usize,
    /// The number of blocks that are not in use.
    pub free_blocks: usize,
    /// The bytes that the pool may hold, if that is limited.
    pub limit: Option<usize>,
}

/// Host memory that is locked in place.
pub trait PinnedMemory: Send + Sync {
    /// Waits until no transfer reads it.
    fn wait(&self) -> Result<()>;
    /// Says whether somebody may write to it without waiting again. Then a transfer from it is waited for at once.
    fn set_lent(&self, is_lent: bool);
}

/// What a backend must do. A thread's work is queued in its stream, in order, and behind what other streams still do to the same
/// memory. Only what says so waits: `download`, `synchronize` and what gives a number of elements. Those, and `upload`, cannot
/// be captured in a graph.
///
/// Unless a method says otherwise, `out` is a view that no other operand overlaps (or, elementwise, is identical
/// to one), of the shape of the broadcast operands; strides may be anything, zero and negative included. What only moves
/// elements takes all dtypes, what computes takes those in [`DType::COMPUTED`], and of complex numbers sums and what
/// `takes_complex` says of an operation.
pub trait Backend: Send + Sync {
    /// What the device calls itself, such as `NVIDIA H200` or the CPU's model name.
    fn name(&self) -> String;
    /// What else is to be known of the device at this moment, such as its driver and how busy it is: names and values.
    fn details(&self) -> Vec<(&'static str, String)>;
    /// Uninitialised memory of at least `bytes` bytes (zero is allowed).
    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Allocation>>;
    /// Copies host bytes to the start of `target`; `source` may be reused when this returns, unless it was [pinned](Self::pin).
    fn upload(&self, source: &[u8], target: &Arc<dyn Allocation>) -> Result<()>;
    /// Waits for queued work, then copies from byte `offset` of `source` into `target`.
    fn download(&self, source: &Arc<dyn Allocation>, offset: usize, target: &mut [u8]) -> Result<()>;
    /// Locks host memory in place, so that the device reads it itself. None where that means nothing.
    ///
    /// # Safety
    ///
    /// The memory is there until the result is dropped, nothing else locks it, and after each transfer from it, it is written to only
    /// when [`PinnedMemory::wait`] has returned, or the transfer came while it was [lent](PinnedMemory::set_lent).
    unsafe fn pin(&self, _start: *mut u8, _bytes: usize) -> Result<Option<Box<dyn PinnedMemory>>> {
        Ok(None)
    }
    /// Does an operation, or queues it.
    fn execute(&self, operation: Operation<'_>) -> Result<()>;
    /// The positions of the true elements of `mask`, ascending, as i64; or the elements of `source` at these positions.
    /// Both are contiguous and have as many elements. Gives a new allocation and the number of its elements, for which it
    /// waits.
    fn compress(&self, mask: View<'_>, source: Option<View<'_>>) -> Result<(Arc<dyn Allocation>, usize)>;
    /// As [`Operation::Gather`], but of indices that nobody has looked at: i32, i64 or u32; the axis has a length. Gives whether all of them are in
    /// range, for which it waits; if not, `out` has anything. `None` from a backend that would have to look at them before, and
    /// has not done anything.
    fn gather_checked(
        &self,
        _source: View<'_>,
        _axis: usize,
        _indices: View<'_>,
        _out: View<'_>,
    ) -> Result<Option<bool>> {
        Ok(None)
    }
    /// As [`gather_checked`](Self::gather_checked), but without waiting. If an index is out of range, the device reports it where the host
    /// waits for it next, or [settles](Self::settle) what it has not heard of; until then the results, and what is computed from
    /// them, count as unknown. `false` from a backend that would have to look at the indices before, and has not done anything.
    fn gather_later(
        &self,
        _source: View<'_>,
        _axis: usize,
        _indices: View<'_>,
        _out: View<'_>,
        _check: IndexCheck,
    ) -> Result<bool> {
        Ok(false)
    }
    /// Whether there are checks that nobody has waited for yet.
    fn has_checks(&self) -> bool {
        false
    }
    /// Waits for the checks that nobody has waited for yet, and reports what they found. Waits for nothing if there are none.
    fn settle(&self) -> Result<()> {
        Ok(())
    }
    /// Copies each part of `source` along `axis`, behind which its elements follow one another, to as many neighbouring places
    /// along the same axis of `out`, which is contiguous, as there are before the part's number in `ends`: i64, ascending from 0
    /// on, contiguous, the last one the length of the axis of `out`. `false` from a backend on which this is composed of other
    /// operations, and which has not done anything.
    fn repeat(&self, _source: View<'_>, _axis: usize, _ends: View<'_>, _out: View<'_>) -> Result<bool> {
        Ok(false)
    }
    /// Computes something by loops of the backend's own. `false` where kernels compute it, from a backend that has not done anything.
    fn by_loops(&self, _loops: loops::Loops<'_>) -> Result<bool> {
        Ok(false)
    }
    /// Makes lines of a sparse matrix. `None` from a backend on which kernels make them, or if there were more than 2³¹ - 1 elements.
    fn make_lines(&self, _made: loops::Made<'_>) -> Result<Option<loops::NewLines>> {
        Ok(None)
    }
    /// Finds the runs of equal elements (NaN equal to itself) in a sorted array: 1-D, contiguous, not empty. Waits.
    fn unique(&self, sorted: View<'_>) -> Result<Unique>;
    /// Whether [`fold`](Self::fold) does anything.
    fn folds(&self) -> bool {
        false
    }
    /// Combines elements along an axis by a function that was recorded, in one pass over memory. Passes a panic of the function on.
    /// `false` from a backend that has not done anything.
    fn fold(&self, _fold: recording::Fold<'_>) -> Result<bool> {
        Ok(false)
    }
    /// Runs formulas along rows: each of `stages` takes the `inputs` and what those before it were reduced to over the row, all but the
    /// last one are reduced. Inputs are values and arrays of two axes, broadcast to `shape`; `out` is contiguous, of that shape, or has an
    /// element for each row if the last results are reduced too. `false` from a backend that has not done anything.
    fn map_along(
        &self,
        _stages: &[Stage<'_>],
        _inputs: &[launch::Argument<'_>],
        _shape: [usize; 2],
        _out: View<'_>,
    ) -> Result<bool> {
        Ok(false)
    }
    /// Where the programs of the device come from.
    fn programs(&self) -> Programs {
        Programs::Compiled
    }
    /// Whether [`select`](Self::select) finds elements of so many rows of this length.
    fn selects(&self, _rows: usize, _length: usize) -> bool {
        false
    }
    /// Writes the elements at three places, which ascend, of each sorted row of `x` to a row of `out`: in the order of
    /// [`Operation::Sort`], but without sorting. Both are contiguous and of one dtype.
    fn select(&self, _x: View<'_>, _places: [usize; 3], _out: View<'_>) -> Result<()> {
        Err(Error::argument("a selection by order", "this device sorts; use `sort`"))
    }
    /// Whether Fourier transforms can be computed; if not, what is missing.
    fn can_transform(&self) -> Result<()>;
    /// What factorises matrices.
    fn factorisations(&self) -> &dyn factorisations::Factorisations;
    /// Whether sums and [`Operation::SquaredDistances`] take elements of other types, and convert them, as [`Operation::Copy`] does, while
    /// they read them.
    fn converts_terms(&self) -> bool {
        false
    }
    /// Whether [`Operation::MatMul`] takes arrays of a dtype that is for storage.
    fn multiplies(&self, dtype: DType) -> bool;
    /// Records an event behind the work that all streams have.
    fn record(&self) -> Result<Box<dyn EventHandle>>;
    /// Waits for `end`, then gives the seconds between two recorded events.
    fn elapsed(&self, start: &dyn EventHandle, end: &dyn EventHandle) -> Result<f64>;
    /// Waits until all queued work is done, and reports errors of it.
    fn synchronize(&self) -> Result<()>;
    /// Figures of the device's memory.
    fn memory(&self) -> MemoryFigures;
    /// What a pool holds; asks neither driver nor system.
    fn pool(&self, kind: PoolKind) -> PoolFigures;
    /// Limits the bytes that a pool may hold from now on.
    fn limit_pool(&self, kind: PoolKind, limit: Option<usize>);
    /// Gives memory of a pool that is not in use back to the system; waits for queued work that may still use it.
    fn trim(&self, kind: PoolKind) -> Result<()>;
    /// Gives pooled memory that nothing has used for some time back to the system; waits for nothing.
    fn trim_idle(&self);
    /// As `allocate`, for elements of `dtype`.
    fn allocate_for(&self, bytes: usize, dtype: DType) -> Result<Arc<dyn Allocation>> {
        let _ = dtype;
        self.allocate(bytes)
    }
    /// The bytes of an allocation of this backend's own making, if the host can write to them, and if nobody else has a reference to
    /// it: for what fills memory by other means than operations.
    fn host_bytes<'a>(&self, allocation: &'a mut Arc<dyn Allocation>) -> Option<&'a mut [u8]> {
        let _ = allocation;
        None
    }
    /// Takes memory that others have made as an allocation. Its owner is dropped when the last reference to the allocation is,
    /// and the work that was queued until then is done.
    ///
    /// # Safety
    ///
    /// What [`Foreign`] says holds, the memory is the device's (on the CPU: the host's), and while work of this backend runs
    /// on it nothing else touches it.
    unsafe fn adopt(&self, memory: Foreign) -> Result<Arc<dyn Allocation>>;
    /// As [`adopt`](Self::adopt), for memory of whose owner it is known that it reuses the memory only for work that is queued behind that
    /// of the calling thread's stream. So if no other stream has used it, its owner is dropped at once.
    ///
    /// # Safety
    ///
    /// As of [`adopt`](Self::adopt).
    unsafe fn adopt_in_order(&self, memory: Foreign) -> Result<Arc<dyn Allocation>> {
        // SAFETY: the caller's promise.
        unsafe { self.adopt(memory) }
    }
    /// The address of an allocation's first byte, anything if it has none. What other streams of ours do to it comes before what is
    /// queued from now on.
    fn address(&self, allocation: &Arc<dyn Allocation>) -> usize;
    /// The stream on which work is queued, as the driver's handle; none where work is not queued.
    fn stream(&self) -> Option<usize>;
    /// Makes work that is queued from now on wait for what another stream of the device was given so far, or the other way
    /// round (`first` tells whose work comes first).
    ///
    /// # Safety
    ///
    /// `stream` is the driver's handle of a stream of this device that exists.
    unsafe fn order(&self, stream: usize, first: StreamOrder) -> Result<()>;
    /// The bytes that the caches in front of the device's memory hold together, the last level of them.
    fn cache_bytes(&self) -> usize;
    /// Begins a profile, before which all queued work is done. There is one at a time.
    fn profile(&self) -> Result<Box<dyn Recording>>;
    /// What is known of the device.
    fn properties(&self) -> DeviceProperties;
    /// Queues a copy of bytes, from `offset` of an allocation of another device on, to the start of one of this backend: behind
    /// the work that writes to the first, and in front of further work that writes to it. Does nothing and gives false if the
    /// other device is of another kind; then the bytes must travel through the host.
    fn copy_between(
        &self,
        source: &Arc<dyn Allocation>,
        offset: usize,
        target: &Arc<dyn Allocation>,
        bytes: usize,
    ) -> Result<bool>;
    /// The stream that the device begins with.
    fn first_stream(&self) -> Arc<dyn StreamHandle>;
    /// Another stream.
    fn new_stream(&self) -> Result<Arc<dyn StreamHandle>>;
    /// A stream that others have made, by the driver's handle.
    ///
    /// # Safety
    ///
    /// `stream` is a stream of this device, and exists until the process ends.
    unsafe fn foreign_stream(&self, stream: usize) -> Result<Arc<dyn StreamHandle>> {
        let reason =
            format!("the CPU has no streams, so there is none with the handle {stream:#x}; use `Stream::new()`");
        Err(Error::argument("Stream::from_raw", reason))
    }
    /// Begins to capture what the calling thread asks of the device.
    fn begin_capture(&self) -> Result<Box<dyn CaptureHandle>>;
    /// Whether the calling thread captures a graph of this device.
    fn is_capturing(&self) -> bool;
    /// Lets loops of the user's functions end that run on the device now, if a device runs beside the host.
    fn stop_functions(&self) {}
    /// What the device can launch.
    fn launch_limits(&self) -> Result<Limits>;
    /// What the compiler has made of a kernel, and how many blocks of some numbers of threads a multiprocessor runs at once; an error
    /// where there is no CUDA.
    fn kernel_attributes(&self, kernel: &Kernel) -> Result<(FunctionAttributes, Vec<(usize, usize)>)> {
        let reason = format!(
            "`{}` has registers and occupancy on CUDA devices only, and the current device is the CPU",
            kernel.short_name()
        );
        Err(Error::argument("kernel_attributes", reason))
    }
    /// What the compiler has made of a kernel for a launch, and how many of its blocks a multiprocessor runs at once; none where there is
    /// no CUDA.
    fn residency(
        &self,
        launch: &launch::Launch,
        arguments: &[launch::Argument<'_>],
    ) -> Result<Option<launch::Residency>> {
        let _ = (launch, arguments);
        Ok(None)
    }
    /// What links devices of this kind; none on the CPU, whose ranks share its memory.
    fn links(&self) -> Option<&dyn link::Links> {
        None
    }
    /// Compiles a program of the user's CUDA C text, or takes it from the cache; an error where there is no CUDA.
    fn compile_text(&self, text: &text::Text<'_>) -> Result<Arc<dyn text::TextProgram>> {
        Err(text::needs_cuda(text.name))
    }
}

/// Which work comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamOrder {
    /// That of this backend.
    Ours,
    /// That of another stream.
    Theirs,
}
