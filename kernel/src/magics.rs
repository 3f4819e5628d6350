//! Magics are the `%` commands of a notebook. They are rewritten to Rust before a cell is compiled: text in, text out.
//!
//! Expanding a cell runs nothing. This module knows neither evcxr nor the prelude's types, only the names in
//! `warpcell::timing` and `warpcell::session` that its expansions call. If the kernel itself must act, the handler
//! returns an [`Action`], which knows the kernel only through the trait [`KernelServices`]. An expansion has as many
//! lines as the cell. Each line of the user keeps its number, because the compiler's errors are mapped to the cell by
//! line. Columns are mapped by [`Expansion::original_offset`].
//!
//! `table.rs` is the only list of magics. Dispatch, `%lsmagic`, `%name?`, completion and the page `kernel/MAGICS.md`
//! read it. There are also lines for the shell (`!command`) and questions (`name?`).

mod action;
mod complete;
mod display;
mod expand;
mod files;
mod inputs;
mod kernel;
mod lexer;
mod literal;
mod magic;
mod notebook;
mod options;
mod order;
mod profiling;
mod question;
mod reference;
mod rewrite;
mod rust;
mod session_state;
mod shell;
mod table;
mod timing;
mod tracing;
mod types;
mod unknown;
mod usage;
mod values;
mod whole_cell;

#[cfg(test)]
mod tests;

pub use action::{Action, ActionError, KernelServices, Shown};
pub use complete::{Completing, MagicCandidate, complete_at, is_at_empty_place, rust_around};
pub use expand::{Expansion, Foreign, expand, foreign, lines_of_magics, without_text, word_at};
pub use lexer::quoted;
pub use literal::literal;
pub use notebook::Notebook;
pub use order::in_order;
pub use reference::help;
pub use rust::items_named;
pub use shell::command as shell_line;
