//! What the lessons' cells need and the prelude lacks, as signatures; nothing here is in the shipped crate.
//!
//! A topic a file. A comment gives the reason where another design was possible: the one was chosen whose cells read shortest.

mod fusion;
pub mod host;
mod kernels;
mod map_host;

pub use fusion::Fused;
pub use kernels::{View, ViewMut, block_dim, block_idx, launch, thread_idx};
pub use map_host::map_host;

/// What will be in scope in every cell.
pub mod prelude {
    pub(crate) use super::fusion::fuse;
}
