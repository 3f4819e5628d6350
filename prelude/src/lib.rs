//! Device arrays, operations, timing and plots for GPU notebooks in Rust.

mod backend;
#[doc(hidden)]
pub mod cell;
mod dtype;
mod error;
mod output;

pub use dtype::{DType, Element, Scalar};
pub use error::{Error, Result};

/// What `use gpu::prelude::*;` brings into a cell.
pub mod prelude {
    pub use ndarray::{Array1, Array2, s};
}
