//! Kernels from CUDA C text, as in CuPy: [`ElementwiseKernel`], [`ReductionKernel`], [`RawKernel`], [`RawModule`].
//!
//! Texts are read when a kernel is made, compiled when it is first launched, and kept, on disk too. Arguments are checked
//! against the text before anything is launched: `parameter_list` reads CuPy's lists, `signatures` the parameters of functions in
//! CUDA C, of which `launch_checks` takes care. `generate` writes the programs around expressions. Backends compile and launch; that
//! is all that this module asks of them (`crate::backend::text`).

mod arguments;
mod attributes;
mod axes;
mod compiler_log;
mod dim3;
mod elementwise_kernel;
mod generate;
mod launch_checks;
mod parameter_list;
mod program_cache;
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

use crate::error::Error;

fn invalid(operation: &'static str, reason: impl Into<String>) -> Error {
    Error::InvalidArgument { operation, reason: reason.into() }
}

#[cfg(test)]
mod tests;
