//! Device arrays, operations, timing and plots for GPU notebooks in Rust.

mod backend;
mod cuda;
mod dtype;
mod error;
mod output;

pub use dtype::{DType, Element, Scalar};
pub use error::{Error, Result};
