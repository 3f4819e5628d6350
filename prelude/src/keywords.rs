//! Calls with NumPy's keywords: a macro of the same name for each function that has optional arguments.
//!
//! `gpu::sum!(&m, axis = 0, keepdims = true)` is read by [`__keywords!`](crate::__keywords) (`read.rs`): values by position
//! come first, keywords in any order. It looks for each keyword of the row of the table (`table.rs`), in the order of the table, and gives
//! what is there to [`__call!`](crate::__call) (`call.rs`), which writes the call of a function. So a cell compiles that call
//! and nothing else. What cannot be read, or has no rule, goes to a macro of `prelude/macros/src/keywords.rs`, which says
//! what is wrong at the token that is wrong.
//!
//! A new function is a row. A new keyword is a word in the list below too.

#[macro_use]
mod read;
#[macro_use]
mod call;
mod calculus;
mod functions;
#[macro_use]
mod row;
// After `row`, whose macro it calls; its own macros are named below, in the modules of `gpu`.
#[macro_use]
mod modules;
mod nan_reductions;
mod reductions;
mod shapes;
mod table;

pub use calculus::*;
pub use functions::*;
pub use nan_reductions::*;
pub use reductions::*;
// The call of a reduction is made from the name of its macro.
pub use reductions::norm as __linalg_norm;
pub use reductions::{max as amax, min as amin};
pub use shapes::*;
