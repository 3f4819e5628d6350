//! Kernels from CUDA C text, as in CuPy: [`ElementwiseKernel`], [`ReductionKernel`], [`RawKernel`], [`RawModule`].
//!
//! A text is read when a kernel is made, compiled when the kernel is first launched, and kept, on disk too. Arguments are checked
//! before anything is launched. `parameter_list` reads CuPy's lists of parameters. `signatures` reads the parameters of functions in
//! CUDA C, and `launch_checks` compares arguments with them. `program_text` writes programs around expressions, with the generator
//! of the CUDA backend (`backend::cuda::codegen`). Backends compile and launch the programs (`backend::text`).

mod arguments;
mod attributes;
mod bound_arguments;
mod compiler_log;
mod dim3;
mod elementwise_kernel;
mod launch_checks;
mod parameter_list;
mod program_cache;
mod program_text;
mod raw_module;
mod reduction_kernel;
mod signatures;
mod type_names;

pub(crate) use arguments::{RawArgument, sealed};
pub use arguments::{TextArgument, TextArguments, TextOutputs, TextResults};
pub use attributes::{KernelAttributes, Occupancy};
pub use dim3::IntoDim3;
pub use elementwise_kernel::ElementwiseKernel;
pub use raw_module::{RawKernel, RawModule};
pub use reduction_kernel::ReductionKernel;

#[cfg(test)]
mod tests;
