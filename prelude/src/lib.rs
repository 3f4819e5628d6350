//! Device arrays, operations, timing and plots for GPU notebooks in Rust.

mod backend;
mod dtype;
mod error;
mod number;
mod output;
mod plot;
pub mod timing;

pub use dtype::{DType, Element, Scalar};
pub use error::{Error, Result};
pub use plot::{Figure, ImageSource, imshow, try_imshow};
