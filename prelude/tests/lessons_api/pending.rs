//! What the lessons' cells need and the prelude lacks, as signatures; nothing here is in the shipped crate.
//!
//! A topic a file. A comment gives the reason where another design was possible: the one was chosen whose cells read shortest.

mod cuda_text;
mod devices;
mod fusion;
pub mod host;
mod kernels;
mod map_host;
mod streams;

pub use cuda_text::{ElementwiseKernel, RawKernel};
pub use devices::{devices, set_device};
pub use fusion::Fused;
pub use kernels::{View, ViewMut, block_dim, block_idx, launch, thread_idx};
pub use map_host::map_host;
pub use streams::{Event, Stream, current_stream};

/// What will be in scope in every cell, and what will be a method of a type of the prelude.
pub mod prelude {
    pub use super::devices::DeviceScope;
    pub(crate) use super::fusion::fuse;
}
