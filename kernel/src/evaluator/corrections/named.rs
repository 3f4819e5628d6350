//! Arguments with names, and their number.

use super::line::is_name;

/// The prelude's table of functions that are macros too, for calls with NumPy's keywords.
const TABLE: &str = include_str!("../../../../prelude/src/keywords/table.rs");

/// The row of a function in that table.
pub fn row_of(name: &str) -> Option<&'static str> {
    TABLE.split_once(&format!("\n    {name}("))?.1.lines().next()
}

/// Whether a function of the prelude is a macro too.
pub fn has_keywords(name: &str) -> bool {
    row_of(name).is_some()
}

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
