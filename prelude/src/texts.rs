//! Texts of numbers and of arrays as NumPy writes them. What `{}` and `{:?}` print is in `prelude/src/array/display.rs`.
//!
//! [`digits`] has the digits of floats, [`floats`] writes one float, [`integers`] integers of any base, [`arrays`] whole arrays.

mod arrays;
mod digits;
mod floats;
mod integers;

pub(crate) use arrays::{ArrayStyle, repr_of, str_of, text_of};
pub use arrays::{array_repr, array_str, array2string};
pub(crate) use floats::{Options, positional_of, scientific_of};
pub use floats::{TextFloat, format_float_positional, format_float_scientific};
pub use integers::{base_repr, binary_repr};
pub(crate) use integers::{in_base, in_binary, whole};
