//! Arguments with names, and their number; names that are almost right.

use super::known::Known;
use super::line::{Line, is_name};

/// Methods that have a twin for one axis.
pub const REDUCTIONS: [&str; 14] = [
    "sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "all", "any", "cumsum", "cumprod", "median",
];

/// The name and the value of an argument with a name.
pub fn keyword(argument: &str) -> Option<(&str, &str)> {
    let (name, value) = argument.split_once('=')?;
    (is_name(name.trim()) && !value.starts_with('=')).then(|| (name.trim(), value.trim()))
}

/// Arguments without a name, and those with one.
pub fn sorted_out<'a>(arguments: &[&'a str]) -> (Vec<&'a str>, Vec<(&'a str, &'a str)>) {
    let named = arguments.iter().filter_map(|argument| keyword(argument)).collect();
    (arguments.iter().copied().filter(|argument| keyword(argument).is_none()).collect(), named)
}

pub fn value_of<'a>(named: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// How many arguments a function takes, and how many it was given, if a message is about that.
pub fn argument_counts(message: &str) -> Option<(usize, usize)> {
    let (takes, given) = message.strip_prefix("this function takes ")?.split_once(" but ")?;
    let count = |text: &str| text.split(' ').next()?.parse().ok();
    Some((count(takes)?, count(given)?))
}

/// `gpu::histogramm(a, bins=3)`: the function that the compiler takes to be meant.
pub fn similar_name(line: &Line, known: &Known<'_>) -> Option<String> {
    const MEANT: &str = "a function with a similar name exists: `";
    let of = |start: &str| known.faults.iter().find_map(|(_, text)| text.split_once(start)?.1.split('`').next());
    let (wrong, right) = (of("cannot find function `")?, of(MEANT)?);
    let at = (0..line.len()).find(|at| line.at(*at) == wrong && line.before(*at, 1) == "::")?;
    Some(line.with(at, at, right))
}
