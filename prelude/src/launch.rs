//! Kernels: functions with `#[kernel]` before them, of which many threads run at once. [`launch`] and its relatives.
//!
//! `arguments` has what may be given to them as types; `request` checks a launch, in the order in which one would look for a mistake,
//! and hands it to the backend. Each backend knows its own way of running threads (`prelude/cpu/src/kernel.rs`,
//! `prelude/cuda/src/kernel.rs`). What is said of those that fail is in `prelude/base/src/failures.rs`, once for both.

mod arguments;
mod config;

pub(crate) mod overlap;
mod request;
mod sources;

pub use arguments::{Kernel, KernelArgument, KernelArguments, LaunchArgument, hidden};
pub use config::LaunchConfig;
pub(crate) use config::TRACE_EVENTS;

use crate::backend::launch::Checks;
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::raw_kernels::{IntoDim3, KernelAttributes};
use crate::registry::find_kernel;
pub(crate) use request::Ready;
pub(crate) use request::without_room;
use request::{Request, attributes};
pub use sources::{by_kernels, sources_of};

/// Runs a kernel of the prelude, by the name of its type, with at least so many threads. `fixed` has a bit for each argument that is an
/// integer or a truth value for which a backend may compile the kernel. Indices are not checked on CUDA devices.
///
/// # Safety
///
/// As for [`launch_unchecked`].
pub(crate) unsafe fn run_kernel(
    operation: &'static str,
    name: &'static str,
    threads: usize,
    arguments: &[LaunchArgument<'_>],
    fixed: u16,
) -> Result<()> {
    let kernel = find_kernel(name).expect("the loader has registered it");
    let threads = i64::try_from(threads).unwrap_or(i64::MAX);
    Request::for_threads(operation, kernel, [threads, 1, 1])?.compiled_for(fixed).run(&Untyped(arguments))
}

fallible! {
    /// Runs a kernel, a function that has `#[kernel]` before it: `grid` blocks of `block` threads each, both `n`, `(x,
    /// y)` or `(x, y, z)`.
    ///
    /// The arguments are a tuple with one for each parameter: `&a` for a `View`, `&mut a` for a `ViewMut`, scalars for
    /// scalars; the parameter decides about the type, so `3` needs no suffix. Arrays have one to four axes and any
    /// strides, and are all on one device, where the kernel runs. Of an array that is read and overlaps one that is
    /// written to, the kernel reads a copy that was made before.
    ///
    /// On a CUDA device the kernel's text is translated to CUDA C at the first launch, and the launch is queued in the
    /// current [`Stream`](crate::Stream). On the CPU it runs as the cell that defined it has compiled it, block after
    /// block on all cores, and is done when this returns; blocks with barriers give what they give on a GPU.
    ///
    /// Indices are checked: a thread that uses one that an array does not have ends the kernel with an error that names
    /// the function, the line, the index and the thread. On CUDA devices it appears where the host waits next, such as
    /// in [`to_host`](crate::DeviceArray::to_host). What the kernel writes to holds anything then; all else is as it
    /// was. [`launch_unchecked`] does without, [`launch_checked`] looks for races too.
    ///
    /// **Panics** if the function has no `#[kernel]`, devices differ, or the device cannot launch blocks or grids of
    /// that size: at most 1024 threads in a block, and 64 along its z axis; 48 KiB of shared memory on the CPU. On the
    /// CPU also if a thread fails.
    ///
    /// ```
    /// use warpcell as gpu; // in a notebook, this and the next line are done already
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn transpose(input: View<f32>, mut out: ViewMut<f32>) {
    ///     let mut tile = shared_array::<f32>([16, 17]);
    ///     let (t, b) = (thread_idx(), block_idx());
    ///     let (rows, columns) = (input.shape()[0], input.shape()[1]);
    ///     let (x, y) = (b.x * 16 + t.x, b.y * 16 + t.y);
    ///     if x < columns && y < rows {
    ///         tile[[t.y, t.x]] = input[[y, x]];
    ///     }
    ///     sync_threads();
    ///     let (x, y) = (b.y * 16 + t.x, b.x * 16 + t.y);
    ///     if x < rows && y < columns {
    ///         out[[y, x]] = tile[[t.x, t.y]];
    ///     }
    /// }
    ///
    /// let a = gpu::arange(40.0f32 * 50.0).reshape((40, 50));
    /// let mut out = gpu::zeros::<f32>((50, 40));
    /// gpu::launch(transpose, (50usize.div_ceil(16), 40usize.div_ceil(16)), (16, 16), (&a, &mut out));
    /// assert!(gpu::allclose(&out, &a.t()));
    /// ```
    pub fn launch, try_launch<P, K: Kernel<P>, A: KernelArguments<P>>(
        kernel: K,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: A,
    ) -> Result<()> {
        Request::new("launch", kernel.found("launch")?, LaunchConfig::new(grid, block)).run_or_trace(&arguments)
    }

    /// As [`launch`], with at least one thread for each of `n` elements, or `(x, y)` or `(x, y, z)`: blocks and grid
    /// are picked. There may be more threads than elements, so the kernel guards what it does: `if i < n`. For none,
    /// nothing is launched.
    ///
    /// Blocks are of 256 threads, or of fewer for fewer elements; of 32 × 8 along two axes, and of 16 × 4 × 4 along
    /// three.
    ///
    /// **Panics** as [`launch`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn scale(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
    ///     let i = global_idx().x;
    ///     if i < out.len() {
    ///         out[i] = by * a[i];
    ///     }
    /// }
    ///
    /// let a = gpu::arange(1000.0f32);
    /// let mut out = gpu::zeros::<f32>(1000);
    /// gpu::launch_for(scale, 1000, (&a, 2.0, &mut out));
    /// assert_eq!(out.get(&[999]), 1998.0);
    /// ```
    pub fn launch_for, try_launch_for<P, K: Kernel<P>, A: KernelArguments<P>>(
        kernel: K,
        n: impl IntoDim3,
        arguments: A,
    ) -> Result<()> {
        Request::for_threads("launch_for", kernel.found("launch_for")?, n.into_dim3())?.run_or_trace(&arguments)
    }

    /// As [`launch`], with what a [`LaunchConfig`] says: dynamic shared memory, a stream, a time limit.
    ///
    /// **Panics** as [`launch`] does.
    pub fn launch_with, try_launch_with<P, K: Kernel<P>, A: KernelArguments<P>>(
        config: LaunchConfig,
        kernel: K,
        arguments: A,
    ) -> Result<()> {
        Request::new("launch_with", kernel.found("launch_with")?, config).run_or_trace(&arguments)
    }
}

/// As [`launch`], but on CUDA devices indices are not checked, so that the kernel runs as fast as CUDA C; on the CPU it is [`launch`].
///
/// # Safety
///
/// Every index that the kernel uses must be within its array. One that is not reads or writes what lies there, or ends in
/// [`Error::ContextLost`].
///
/// **Panics** as [`launch`] does.
#[track_caller]
pub unsafe fn launch_unchecked<P, K: Kernel<P>, A: KernelArguments<P>>(
    kernel: K,
    grid: impl IntoDim3,
    block: impl IntoDim3,
    arguments: A,
) {
    // SAFETY: the caller's promise.
    check(unsafe { try_launch_unchecked(kernel, grid, block, arguments) });
}

/// As [`launch_unchecked`], but returns the error.
///
/// # Safety
///
/// As for [`launch_unchecked`].
pub unsafe fn try_launch_unchecked<P, K: Kernel<P>, A: KernelArguments<P>>(
    kernel: K,
    grid: impl IntoDim3,
    block: impl IntoDim3,
    arguments: A,
) -> Result<()> {
    let config = LaunchConfig { checks: Checks::None, ..LaunchConfig::new(grid, block) };
    Request::new("launch_unchecked", kernel.found("launch_unchecked")?, config).run_or_trace(&arguments)
}

/// Checks a launch that is to be traced, and does `work` with what is needed for it.
pub(crate) fn ready<P, K: Kernel<P>, A: KernelArguments<P>, R>(
    operation: &'static str,
    config: LaunchConfig,
    kernel: K,
    arguments: &A,
    work: impl FnOnce(Ready<'_, '_>) -> Result<R>,
) -> Result<R> {
    let request = Request::new(operation, kernel.found(operation)?, config);
    let (mut work, mut done) = (Some(work), None);
    hidden::Arguments::with(arguments, &mut |arguments| {
        let ready = request.ready(arguments)?;
        done = work.take().map(|work| work(ready)).transpose()?;
        Ok(())
    })?;
    done.ok_or_else(|| Error::argument(operation, "the launch has no arguments".to_owned()))
}

/// Launches a kernel for Python, by the name of its type. The first number says whether grid and block are given, six numbers behind it;
/// otherwise the next three are the threads along each axis.
pub(crate) fn from_python(name: &'static str, launch: &[i64; 7], arguments: &[LaunchArgument<'_>]) -> Result<()> {
    let kernel = find_kernel(name).expect("the loader has registered it");
    let [is_given, rest @ ..] = *launch;
    let request = if is_given == 1 {
        let [x, y, z, width, height, depth] = rest;
        Request::new("launch", kernel, LaunchConfig::new((x, y, z), (width, height, depth)))
    } else {
        Request::for_threads("launch_for", kernel, [rest[0], rest[1], rest[2]])?
    };
    request.run(&Untyped(arguments))
}

/// The arguments of a kernel of ours, without their types.
pub(crate) struct Untyped<'a>(pub &'a [LaunchArgument<'a>]);

impl hidden::Arguments for Untyped<'_> {
    fn with(&self, work: &mut dyn FnMut(&[LaunchArgument<'_>]) -> Result<()>) -> Result<()> {
        work(self.0)
    }
}

/// The threads of a kernel of ours.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// The blocks.
    pub grid: usize,
    /// The threads of each.
    pub block: usize,
}

impl Work {
    /// At least so many threads.
    pub fn threads(count: usize) -> Work {
        Work { grid: count.div_ceil(128), block: 128 }
    }
}

/// Runs a kernel of ours, if it has threads. Types are compared at run time; indices are not checked on CUDA devices.
///
/// # Safety
///
/// As for [`launch_unchecked`].
pub(crate) unsafe fn launch_untyped<P, K: Kernel<P>>(
    operation: &'static str,
    kernel: K,
    work: Work,
    arguments: &[LaunchArgument<'_>],
) -> Result<()> {
    if work.grid == 0 {
        return Ok(());
    }
    let config = LaunchConfig { checks: Checks::None, ..LaunchConfig::new(work.grid, work.block) };
    Request::new(operation, kernel.found(operation)?, config).run(&Untyped(arguments))
}

fallible! {
    /// As [`launch`] on the CPU, and looks for mistakes that show only now and then: two threads that race for an
    /// element, a barrier to which not all threads of a block come, shared memory that is read before anything was
    /// written to it. The first one is the error, with the lines and the threads of both sides.
    ///
    /// Threads run one after another, and each access is noted, so it takes many times as long: choose small arrays. On
    /// CUDA devices it is an error, which says how to use NVIDIA's `compute-sanitizer`; copy the arrays with
    /// [`to_device(gpu::Device::Cpu)`](crate::DeviceArray::to_device) to look for the mistake here.
    ///
    /// **Panics** with what it finds, and as [`launch`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn sum(a: View<i32>, mut out: ViewMut<i32>) {
    ///     out[0] += a[thread_idx().x]; // should be `out.atomic_add(0, …)`
    /// }
    ///
    /// let a = gpu::ones::<i32>(32).to_device(gpu::Device::Cpu);
    /// let mut out = gpu::zeros::<i32>(1).to_device(gpu::Device::Cpu);
    /// let error = gpu::try_launch_checked(sum, 1, 32, (&a, &mut out)).unwrap_err();
    /// assert!(error.to_string().contains("race for `out[0]`"));
    /// ```
    pub fn launch_checked, try_launch_checked<P, K: Kernel<P>, A: KernelArguments<P>>(
        kernel: K,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: A,
    ) -> Result<()> {
        let config = LaunchConfig::new(grid, block).checked();
        Request::new("launch_checked", kernel.found("launch_checked")?, config).run_or_trace(&arguments)
    }

    /// Registers, memory and occupancy of a kernel on the current CUDA device, as the compiler has made it for checked
    /// indices and for arrays whose elements follow one another; compiles it if it is not.
    ///
    /// **Panics** if the function has no `#[kernel]`, cannot be translated, or the current device is the CPU.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn scale(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
    ///     let i = global_idx().x;
    ///     if i < out.len() {
    ///         out[i] = by * a[i];
    ///     }
    /// }
    ///
    /// if gpu::device() != gpu::Device::Cpu {
    ///     println!("{:?}", gpu::kernel_attributes(scale));
    /// }
    /// ```
    pub fn kernel_attributes, try_kernel_attributes<P, K: Kernel<P>>(kernel: K) -> Result<KernelAttributes> {
        attributes(&kernel.found("kernel_attributes")?)
    }
}
