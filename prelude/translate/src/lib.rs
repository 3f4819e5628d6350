//! The translation of a subset of Rust to CUDA C: plain data and text in, text out.
//!
//! It is used twice. The macros call `check` when a function is compiled, so that what the subset lacks is an error at its
//! place; there one function is seen at a time. The prelude calls `translate` when a function is first run on a CUDA
//! device; there all of the registered items are known, and with them the types of what the function calls.
//!
//! What the generated code promises: integers wrap, `as` saturates, shifts take the count modulo the width, and floats are those of
//! the literals' types: with `--fmad=false` the results are the host's, bit for bit, but for functions of `libm`.

mod methods;
mod program;
mod support;

pub use program::{Error, Item, Items, References, Role, Scalar, Translation, Type, Value};
