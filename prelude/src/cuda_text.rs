//! Kernels from CUDA C text, as in CuPy: [`ElementwiseKernel`], [`ReductionKernel`], [`RawKernel`], [`RawModule`].
//!
//! Texts are read when a kernel is made, compiled when it is first launched, and kept, on disk too. Arguments are checked
//! against the text before anything is launched: `parameters` reads CuPy's lists, `signature` the parameters of functions in
//! CUDA C, of which `checks` takes care. `generate` writes the programs around expressions. Backends compile and launch; that
//! is all that this module asks of them (`crate::backend::text`).

mod arguments;
mod attributes;
mod axes;
mod checks;
mod dim;
mod elementwise;
mod generate;
mod log;
mod parameters;
mod programs;
mod raw;
mod reduction;
mod signature;
mod tokens;
mod types;

pub(crate) use arguments::{RawArgument, sealed};
pub use arguments::{TextArgument, TextArguments, TextOutputs, TextResults};
pub use attributes::{KernelAttributes, Occupancy};
pub use dim::IntoDim3;
pub use elementwise::ElementwiseKernel;
pub use raw::{RawKernel, RawModule};
pub use reduction::ReductionKernel;

use crate::error::Error;

fn invalid(operation: &'static str, reason: impl Into<String>) -> Error {
    Error::InvalidArgument { operation, reason: reason.into() }
}

#[cfg(test)]
mod tests;
