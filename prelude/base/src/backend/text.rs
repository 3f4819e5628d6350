//! Programs of the user's CUDA C text, as a backend compiles and launches them: plain data in, a handle out.

use super::View;
use crate::dtype::Scalar;
use crate::error::{Error, Result};

/// The size of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchSize {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

/// The attributes of a compiled kernel (`cuFuncGetAttribute`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Of each thread.
    pub registers: usize,
    /// Bytes of a block, those that are asked for at the launch not counted.
    pub shared_bytes: usize,
    /// Bytes of each thread, for what has no place in registers.
    pub local_bytes: usize,
    pub constant_bytes: usize,
    /// The most threads of a block.
    pub max_threads: usize,
    /// Major and minor version of the machine code.
    pub binary_version: (usize, usize),
}

/// What a device can launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Threads of a block.
    pub threads: usize,
    /// Along each axis.
    pub block: [usize; 3],
    pub grid: [usize; 3],
    /// Bytes of shared memory of a block.
    pub shared_bytes: usize,
    /// Threads that a multiprocessor runs at once.
    pub resident_threads: usize,
    pub multiprocessors: usize,
}

/// A program before it is compiled.
pub struct Text<'a> {
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
pub enum Passed<'a> {
    /// The address of the view's first element, and whether the kernel may write through it.
    Address(View<'a>, bool),
    /// A value.
    Scalar(Scalar),
    /// A value in words of 64 bits.
    Words(&'a [i64]),
}

/// A compiled program on a device. Kernels are meant by their numbers among those that were asked for.
pub trait TextProgram: Send + Sync {
    /// Queues a kernel. The arguments are as many as its parameters and at least as large; the size is within the limits.
    fn launch(&self, kernel: usize, size: LaunchSize, arguments: &[Passed<'_>]) -> Result<()>;
    /// The attributes of a compiled kernel.
    fn attributes(&self, kernel: usize) -> Result<FunctionAttributes>;
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
pub fn needs_cuda(name: &str) -> Error {
    let reason = format!(
        "`{name}` cannot run on the CPU device, as CUDA C needs an NVIDIA GPU; write it in Rust, which runs on both: a function \
         of single elements with `#[vectorize]` before it, for `gpu::map`, or one of threads with `#[kernel]`, for `gpu::launch`"
    );
    Error::argument("a kernel of CUDA C text", reason)
}
