//! What becomes of Rust functions on CUDA devices, for people to read: [`cuda_source`], [`ptx`]; and [`set_fmad`], which decides
//! how it rounds.

use crate::backend::ReduceOperation;
use crate::backend::cuda::map;
use crate::device::{Device, device};
use crate::error::{Result, check};
use crate::operations::map::{Function, Results};
use crate::registry;

/// The CUDA C that [`map`](crate::map) makes of a function with `#[vectorize]` before it, or of a formula of
/// [`fuse!`](crate::fuse): the function and all that it calls, each Rust line as a comment above its translation, and the
/// kernel that runs it over arrays whose elements follow one another. For arrays of other strides another kernel is made.
///
/// No CUDA device is needed. Numbers that a formula has captured are parameters of the kernel, behind the arrays.
///
/// **Panics** if the function has no `#[vectorize]`, or cannot be translated.
///
/// ```
/// use warpcell as gpu; // in a notebook, this and the next line are done already
/// use gpu::prelude::*;
///
/// #[vectorize]
/// fn squared_difference(x: f32, y: f32) -> f32 {
///     (x - y) * (x - y)
/// }
///
/// let text = gpu::cuda_source(squared_difference);
/// println!("{text}");
/// assert!(text.contains("// (x - y) * (x - y)"));
/// assert!(text.contains("__global__"));
/// ```
#[track_caller]
pub fn cuda_source<T, F: Function<T>>(function: F) -> String {
    check(try_cuda_source(function))
}

/// As [`cuda_source`], but returns the error.
pub fn try_cuda_source<T, F: Function<T>>(function: F) -> Result<String> {
    source(&function.found("cuda_source")?, F::Output::reduction().map(|reduction| reduction.0))
}

/// What NVIDIA's compiler makes of [`cuda_source`]: PTX, the assembly that the driver turns into machine code. For the
/// [current device](crate::device()); if that is the CPU, for devices of compute capability 8.0 and newer ones.
///
/// The compiler, NVRTC, must be installed; a device need not be there.
///
/// **Panics** as [`cuda_source`] does, and if NVRTC is not found; the message says how to install it.
///
/// ```no_run
/// use warpcell as gpu;
/// use gpu::prelude::*;
///
/// #[vectorize]
/// fn squared_difference(x: f32, y: f32) -> f32 {
///     (x - y) * (x - y)
/// }
///
/// let text = gpu::ptx(squared_difference);
/// println!("{text}");
/// assert!(text.contains("mul.f32") || text.contains("mul.rn.f32"));
/// ```
#[track_caller]
pub fn ptx<T, F: Function<T>>(function: F) -> String {
    check(try_ptx(function))
}

/// As [`ptx`], but returns the error.
pub fn try_ptx<T, F: Function<T>>(function: F) -> Result<String> {
    assembly(&function.found("ptx")?, F::Output::reduction().map(|reduction| reduction.0))
}

/// Whether Rust functions that run on CUDA devices from now on compute `a * b + c` of floats in one step, with one rounding
/// (`true`, as at the start, and as `nvcc` does), or in two as the host does (`false`); `nvcc`'s option `--fmad`.
///
/// With `false`, results are those of the host bit for bit, but for what `exp`, `sin`, `powf` and the like round differently;
/// functions that are bound by arithmetic may take up to twice as long. On the CPU device the two steps are always two. The setting
/// is the process's; what was compiled with either is kept.
///
/// ```
/// use warpcell as gpu;
///
/// gpu::set_fmad(false);
/// // … what is to be compared with the host
/// gpu::set_fmad(true);
/// ```
pub fn set_fmad(contracts: bool) {
    map::contract(contracts);
}

// Not generic: what is generic is compiled again in each cell.
fn source(function: &registry::Function, reduction: Option<ReduceOperation>) -> Result<String> {
    map::source(function, reduction)
}

fn assembly(function: &registry::Function, reduction: Option<ReduceOperation>) -> Result<String> {
    let ordinal = match device() {
        Device::Cuda(ordinal) => Some(ordinal),
        Device::Cpu => None,
    };
    map::ptx(function, reduction, ordinal)
}
