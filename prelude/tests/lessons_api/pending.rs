//! What the lessons' cells need and the prelude lacks, as signatures; nothing here is in the shipped crate.
//!
//! A topic a file. A comment gives the reason where another design was possible: the one was chosen whose cells read shortest.

mod kernels;

pub use kernels::{View, ViewMut, block_dim, block_idx, launch, thread_idx};
