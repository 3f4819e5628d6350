//! Calls with NumPy's keywords: a macro of the same name for each function that has optional arguments.
//!
//! `gpu::sum!(&m, axis = 0, keepdims = true)` is read by [`__keywords!`](crate::__keywords) (`read.rs`): values by position
//! come first, keywords in any order; a value that is needed may be given by its name, too. It looks for each keyword of the row of the table (`table.rs`), in the order of the table, and gives
//! what is there to [`__call!`](crate::__call) (`call.rs`), which writes the call of a function. So a cell compiles that call
//! and nothing else. What cannot be read, or has no rule, goes to a macro of `prelude/macros/src/keywords.rs`, which says
//! what is wrong at the token that is wrong.
//!
//! A new function is a row. A new keyword or a new name of a value is a word in the lists of `read.rs`, too.

#[macro_use]
mod read;
#[macro_use]
mod call;
mod calculus;
mod functions;
mod levels;
#[macro_use]
mod row;
// After `row`, whose macro it calls; its own macros are named below, in the modules of `gpu`.
#[macro_use]
mod linear;
#[macro_use]
mod modules;
mod nan_reductions;
mod reductions;
mod samples;
mod shapes;
mod special;
mod table;
mod texts;
mod views;

pub use calculus::*;
pub use functions::*;
pub use levels::*;
pub use nan_reductions::*;
pub use reductions::*;
// The call of a reduction is made from the name of its macro.
pub use reductions::norm as __linalg_norm;
pub use reductions::{max as amax, min as amin};
pub use samples::*;
pub use shapes::*;
pub use special::*;
pub use texts::*;
pub use views::*;

/// A call with keywords, as its row in the table has it.
pub struct Signature {
    /// As in the table: `__fft_fft` is `fft::fft`.
    pub name: &'static str,
    /// The values that are needed.
    pub needed: &'static [&'static str],
    /// The keywords, each with its default if the row has one.
    pub keywords: &'static [(&'static str, &'static str)],
}

/// All calls with keywords. prelude/tests/integration/names.rs writes them into the page of names.
pub const SIGNATURES: [&[Signature]; 3] = [table::SIGNATURES, linear::SIGNATURES, modules::SIGNATURES];

#[cfg(test)]
mod tests {
    use super::SIGNATURES;

    /// The list of `reader!`.
    #[test]
    fn the_reader_knows_all_keywords() {
        let known: Vec<&str> = include_str!("keywords/read.rs").split_whitespace().collect();
        let keywords = SIGNATURES.iter().flat_map(|signatures| *signatures).flat_map(|signature| signature.keywords);
        let missing: Vec<&str> =
            keywords.map(|(keyword, _)| *keyword).filter(|keyword| !known.contains(keyword)).collect();
        assert!(missing.is_empty(), "add to the first list in read.rs: {missing:?}");
        let needed = SIGNATURES.iter().flat_map(|signatures| *signatures).flat_map(|signature| signature.needed);
        let (_, second) = include_str!("keywords/read.rs").split_once("] [\n").expect("two lists");
        let known: Vec<&str> = second.split_whitespace().collect();
        let missing: Vec<&&str> = needed.filter(|name| !known.contains(name)).collect();
        assert!(missing.is_empty(), "add to the second list in read.rs: {missing:?}");
    }
}
