//! Programs of the user's CUDA C text, as a backend compiles and launches them: plain data in, a handle out.

use super::View;
pub(crate) use crate::cuda::text::{Facts, LaunchSize, Limits};
use crate::dtype::Scalar;
use crate::error::{Error, Result};

/// A program before it is compiled.
pub(crate) struct Text<'a> {
    /// What messages call it.
    pub name: &'a str,
    pub source: &'a str,
    /// The compiler's, beside those for the device.
    pub options: &'a [String],
    /// The kernels that will be launched, by the names that C++ has for them: `add`, `space::add`, `add<float>`.
    pub kernels: &'a [String],
}

/// An argument of a launch.
#[derive(Clone, Copy)]
pub(crate) enum Passed<'a> {
    /// The address of the view's first element, and whether the kernel may write through it.
    Address(View<'a>, bool),
    /// A value.
    Scalar(Scalar),
    /// A value in words of 64 bits.
    Words(&'a [i64]),
}

/// A compiled program on a device. Kernels are meant by their numbers among those that were asked for.
pub(crate) trait TextProgram: Send + Sync {
    /// Queues a kernel. The arguments are as many as its parameters and at least as large; the size is within the limits.
    fn launch(&self, kernel: usize, size: LaunchSize, arguments: &[Passed<'_>]) -> Result<()>;
    /// What the compiler has made of a kernel.
    fn facts(&self, kernel: usize) -> Result<Facts>;
    /// What the device can launch.
    fn limits(&self) -> Limits;
    /// How many blocks of `threads` threads and `shared` bytes of dynamic shared memory a multiprocessor runs at once.
    fn resident_blocks(&self, kernel: usize, threads: usize, shared: usize) -> Result<usize>;
    /// The sizes in bytes of a kernel's parameters, if the driver tells them.
    fn parameter_sizes(&self, kernel: usize) -> Result<Option<Vec<usize>>>;
    /// The address of a variable and its size in bytes; none if there is no such variable.
    fn global(&self, name: &str) -> Result<Option<(usize, usize)>>;
}

/// The error for a device that runs no CUDA C.
pub(crate) fn needs_cuda(name: &str) -> Error {
    let reason = format!(
        "`{name}` cannot run on the CPU device, as CUDA C needs an NVIDIA GPU; write it in Rust, which runs on both: a function \
         of single elements with `#[vectorize]` before it, for `gpu::map`, or one of threads with `#[kernel]`, for `gpu::launch`"
    );
    Error::InvalidArgument { operation: "a kernel of CUDA C text", reason }
}
