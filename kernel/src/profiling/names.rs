//! Names of functions as users know them: without the types that they were compiled for, and without the code around cells.

use crate::build_step::ENTRY;
use crate::syntax::list_has;

/// What runs code and calls it, in all or part of its name. Its time is that of what has called it.
const PLUMBING: [&str; 22] = [
    "core::ops::function::",
    "core::panic::unwind_safe::",
    "std::panic::",
    "std::panicking::",
    "std::rt::",
    "std::sys::backtrace::",
    "std::sys::thread",
    "std::sys::pal::unix::thread",
    "std::thread::",
    "__rust_try",
    // The checks for interrupts in loops.
    "warpcell_base::interrupt::",
    "warpcell::cell::interrupt::",
    "warpcell::cell::check",
    "warpcell::cell::caught",
    "warpcell::cell::run",
    "warpcell::cell::statement",
    "rayon_core::",
    "rayon::iter::plumbing::",
    "start_thread",
    "clone3",
    "__clone",
    "__libc_start",
];

/// Crates whose small functions are not told apart from their callers, where they are built into these.
const STANDARD: [&str; 5] = ["core", "alloc", "std", "hashbrown", "__rustc"];
/// Types that the language has. Their methods are the standard library's.
const PRIMITIVE: &str = "bool char f16 f32 f64 f128 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize";

/// The crate of a cell.
const CELL: &str = "ctx";

/// Where a function is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// The notebook.
    Notebook,
    /// The prelude, and other crates.
    Crate,
    /// Rust's standard library, other libraries, and what has no name.
    System,
}

/// Where a function is from, by its plain name.
pub fn origin(plain: &str) -> Origin {
    match plain.split_once("::") {
        Some((CELL, _)) => Origin::Notebook,
        Some(_) if !is_standard(plain) => Origin::Crate,
        _ => Origin::System,
    }
}

/// Whether the function, by its plain name, is the one that a cell is compiled as.
pub fn is_entry(plain: &str) -> bool {
    let last = plain.rsplit("::").next().unwrap_or_default();
    last.strip_prefix(ENTRY).is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether it is a closure in the cell's own statements. The outermost ones are ours.
pub fn is_closure_of_cell(plain: &str) -> bool {
    plain.split("::").any(is_entry) && !is_entry(plain)
}

/// Whether a function only calls others for Rust, for threads or for cells.
pub fn is_plumbing(plain: &str) -> bool {
    PLUMBING.iter().any(|start| plain.starts_with(start)) || plain.ends_with("}::call_once")
}

/// Whether it stands for a function without a name: the file that it is from, in brackets.
pub fn is_unknown(name: &str) -> bool {
    name.starts_with('[') && !name.contains("::")
}

/// Whether it is of Rust's standard library.
pub fn is_standard(plain: &str) -> bool {
    let Some((first, _)) = plain.split_once("::") else { return false };
    STANDARD.contains(&first) || list_has(PRIMITIVE, first) || first.starts_with(['[', '('])
}

/// Whether it begins or ends the profile.
pub fn is_of_profile(plain: &str) -> bool {
    plain.contains("::session::prun_") || plain.contains("warpcell::session::profile")
}

/// A name without the types for which the function was compiled. `<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter` is
/// `alloc::vec::Vec::from_iter`.
pub fn plain(name: &str) -> String {
    if is_unknown(name) {
        return name.to_owned();
    }
    let parts = split(name, "::").into_iter().enumerate().filter_map(|(index, part)| plain_part(part, index == 0));
    parts.collect::<Vec<String>>().join("::")
}

/// A part of a path without types; None for the types that a function was compiled for, which follow its name.
fn plain_part(part: &str, is_first: bool) -> Option<String> {
    let Some(inner) = part.strip_prefix('<') else {
        let part = part.replace("{{closure}}", "{closure}");
        return Some(part[..part.find('<').unwrap_or(part.len())].to_owned());
    };
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    if let Some(implemented) = inner.strip_prefix("impl ") {
        return Some(plain_type(split(implemented, " for ").last().unwrap_or(&implemented)));
    }
    match split(inner, " as ")[..] {
        // The name of a parameter says nothing.
        [its_type, its_trait] if !its_type.contains("::") && its_type.len() <= 2 => Some(plain_type(its_trait)),
        [its_type, ..] => is_first.then(|| plain_type(its_type)),
        [] => None,
    }
}

/// The path of a type.
fn plain_type(text: &str) -> String {
    let mut text = text.trim();
    while let Some(rest) = ["&", "mut ", "dyn ", "*const ", "*mut "].iter().find_map(|start| text.strip_prefix(start)) {
        text = rest.trim_start();
    }
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']').unwrap_or(inner);
        let element = plain_type(inner.split(';').next().unwrap_or(inner));
        return format!("[{}]", element.rsplit("::").next().unwrap_or(&element));
    }
    if text.starts_with('(') {
        return "(…)".to_owned();
    }
    plain(text)
}

/// A plain name as it is shown: of functions of the notebook all of it, of others the last two parts.
pub fn short(plain: &str) -> String {
    let mut parts: Vec<&str> = plain.split("::").collect();
    if parts.iter().any(|part| is_entry(part)) {
        return if is_entry(plain) { "cell".to_owned() } else { "closure".to_owned() };
    }
    let closures = parts.iter().rev().take_while(|part| part.starts_with("{closure")).count();
    parts.truncate(parts.len() - closures);
    let kept = if parts.first() == Some(&CELL) { &parts[1..] } else { &parts[parts.len().saturating_sub(2)..] };
    let mut text = kept.join("::");
    if closures > 0 {
        text.push_str("::{closure}");
    }
    text
}

/// Splits a name where `separator` is not inside of brackets.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut depth, mut start, mut at) = (Vec::new(), 0usize, 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if depth == 0 && rest.starts_with(separator) {
            parts.push(&text[start..at]);
            at += separator.len();
            start = at;
            continue;
        }
        let step = if rest.starts_with("->") { 2 } else { rest.chars().next().map_or(1, char::len_utf8) };
        match &rest[..step] {
            "<" | "(" | "[" | "{" => depth += 1,
            ">" | ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += step;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened() {
        for (name, expected_plain, expected) in [
            ("ctx::slow", "ctx::slow", "slow"),
            ("ctx::model::step::<f64>", "ctx::model::step", "model::step"),
            ("<ctx::Model>::step", "ctx::Model::step", "Model::step"),
            ("<ctx::Model as core::ops::arith::Add<f64>>::add", "ctx::Model::add", "Model::add"),
            ("ctx::slow::{{closure}}", "ctx::slow::{closure}", "slow::{closure}"),
            ("ctx::slow::{closure#2}::{closure#0}", "ctx::slow::{closure#2}::{closure#0}", "slow::{closure}"),
            ("run_user_code_", "run_user_code_", "cell"),
            ("ctx::run_user_code_::{{closure}}::{{closure}}", "ctx::run_user_code_::{closure}::{closure}", "closure"),
            (
                "<alloc::vec::Vec<T> as core::iter::FromIterator>::from_iter",
                "alloc::vec::Vec::from_iter",
                "Vec::from_iter",
            ),
            (
                "<alloc::vec::Vec<f64> as core::iter::traits::collect::FromIterator<f64>>::from_iter::<core::ops::range::Range<u64>>",
                "alloc::vec::Vec::from_iter",
                "Vec::from_iter",
            ),
            ("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec::push", "Vec::push"),
            ("core::slice::<impl [T]>::sort", "core::slice::[T]::sort", "[T]::sort"),
            ("<[alloc::vec::Vec<f64>]>::sort", "[Vec]::sort", "[Vec]::sort"),
            ("<f64>::sqrt", "f64::sqrt", "f64::sqrt"),
            (
                "<I as core::iter::traits::iterator::Iterator>::sum",
                "core::iter::traits::iterator::Iterator::sum",
                "Iterator::sum",
            ),
            ("<&mut ctx::Deck as core::iter::Iterator>::next", "ctx::Deck::next", "Deck::next"),
            (
                "warpcell::operations::reduce::sum_rows::<f32, fn(f32) -> f32>",
                "warpcell::operations::reduce::sum_rows",
                "reduce::sum_rows",
            ),
            ("exp", "exp", "exp"),
            ("[libm.so.6]", "[libm.so.6]", "[libm.so.6]"),
            ("a->b", "a->b", "a->b"),
            ("<<<", "", ""),
        ] {
            assert_eq!((plain(name).as_str(), short(&plain(name)).as_str()), (expected_plain, expected), "{name}");
        }
    }

    #[test]
    fn functions_have_origins() {
        let of = |name: &str| origin(&plain(name));
        assert_eq!(of("ctx::slow"), Origin::Notebook);
        assert_eq!(of("<ctx::Model as core::ops::Add>::add"), Origin::Notebook);
        assert_eq!(of("warpcell::operations::reduce::sum"), Origin::Crate);
        assert_eq!(of("<alloc::vec::Vec<ctx::Model>>::push"), Origin::System);
        assert_eq!(of("exp"), Origin::System);
        assert_eq!(of("<u64 as core::slice::sort::Less>::lt"), Origin::System);
        assert_eq!(of("<[f64]>::sort"), Origin::System);
        assert_eq!(of("corelib::f"), Origin::Crate);
        assert!(is_standard("f64::sqrt") && !is_standard("sqrt") && !is_standard("ctx::core::f"));
    }

    #[test]
    fn what_is_around_cells_is_known() {
        assert!(is_entry("run_user_code_") && is_entry("ctx::run_user_code_17"));
        assert!(!is_entry("ctx::run_user_code_::{closure}") && is_closure_of_cell("ctx::run_user_code_::{closure}"));
        assert!(!is_closure_of_cell("ctx::slow::{closure}"));
        for name in [
            "std::panicking::catch_unwind::do_call",
            "<warpcell::cell::caught<F> as X>::y",
            "<core::panic::unwind_safe::AssertUnwindSafe<F> as core::ops::function::FnOnce<()>>::call_once",
            "rayon_core::registry::WorkerThread::wait_until_cold",
        ] {
            assert!(is_plumbing(&plain(name)), "{name}");
        }
        assert!(is_plumbing(&plain("<{closure#0} as core::ops::function::FnOnce<()>>::call_once")));
        assert!(!is_plumbing("ctx::clone3_of") && !is_plumbing("warpcell::cells"));
    }
}
