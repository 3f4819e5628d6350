//! Magics: the `%` commands of a notebook, rewritten to Rust before a cell is compiled. Text in, text out.
//!
//! This module runs nothing and knows neither evcxr nor the prelude's types, only the names in `warpcell::timing`
//! that its expansions call. An expansion has as many lines as the cell, and each line of the user stays where it
//! is, because the compiler's errors are traced to the cell by line; columns are traced by
//! [`Expansion::original_offset`].
//!
//! `table.rs` is the one list of magics; dispatch, `%lsmagic`, `%name?` and completion read it.

mod expand;
mod lexer;
mod options;
mod rewrite;
mod rust;
mod table;
mod timing;
mod usage;

#[cfg(test)]
mod tests;

pub use expand::{Action, Expansion, expand, word_at};
#[cfg(test)]
use table::lsmagic;
pub use table::{complete, help};
