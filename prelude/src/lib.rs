//! Device arrays, operations, timing and plots for GPU notebooks in Rust.

mod backend;
mod dtype;
mod error;
mod output;
pub mod timing;

pub use dtype::{DType, Element, Scalar};
pub use error::{Error, Result};
