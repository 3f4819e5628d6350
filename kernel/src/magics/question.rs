//! Lines that ask for documentation: `name?`, `?name`, and with two marks for the source too.

use super::action::Action;
use crate::syntax::is_word;

/// The name that a line asks about, and whether it also asks for the source.
pub(super) fn asked(line: &str) -> Option<(&str, bool)> {
    let line = line.trim();
    let (name, marks) = match line.trim_start_matches('?') {
        rest if rest.len() < line.len() => (rest.trim_start(), line.len() - rest.len()),
        _ => {
            let rest = line.trim_end_matches('?');
            (rest.trim_end(), line.len() - rest.len())
        }
    };
    let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_path = name.trim_end_matches('!').chars().all(|c| is_word(c) || c == ':' || c == '.' || c == '#');
    let ends_well = !name.ends_with([':', '.']);
    (starts_well && is_path && ends_well && (1..=2).contains(&marks)).then_some((name, marks == 2))
}

/// The action for a line that asks for documentation.
pub(super) fn action(line: &str) -> Option<Action> {
    let (name, source) = asked(line)?;
    let name = name.to_owned();
    Some(Action::simple(move |kernel| kernel.describe(&name, source)))
}
