//! Lines and cells for the shell: `!command`, `%%bash`. The functions that they call are in `warpcell::session`.

use super::lexer::word_length;
use super::literal::literal;
use super::magic::{Arguments, TextCell};
use crate::syntax::is_word;

/// The code of a line `!command`.
pub fn command(line: &str) -> String {
    format!("warpcell::session::shell({});", literal(line.trim_start_matches('!').trim()))
}

/// Whether a line that starts with `!`, below other code, is for the shell and no negation: `known` tells the names that
/// mean something in Rust.
pub(super) fn is_command(line: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let command = &line[1..];
    let Some(first) = command.chars().next() else { return false };
    if !is_word(first) {
        return matches!(first, '.' | '/' | '~' | '$' | '!');
    }
    let word = word_length(command);
    let is_operand = |c: char| is_word(c) || c == '.' || c == ':';
    let operand = command.find(|c: char| !is_operand(c)).unwrap_or(command.len());
    let is_called = command[operand..].starts_with(['(', '[', '{', '!', '<', '?']);
    !is_called && !known(&command[..word]) && !["true", "false", "self"].contains(&&command[..word])
}

/// `%%bash`.
pub(super) fn bash(arguments: &Arguments<'_>, body: &str) -> Result<TextCell, String> {
    if !arguments.rest.is_empty() {
        return Err(format!(
            "only options may follow it on its line, but got `{}`; write the script below",
            arguments.rest
        ));
    }
    if body.trim().is_empty() {
        return Err("there is nothing to run; write the script below".to_owned());
    }
    let must_succeed = arguments.option("--no-raise-error").is_none();
    // The line end before the script makes bash count lines as the cell does.
    let script = literal(&format!("\n{body}"));
    Ok(TextCell::Code(format!("warpcell::session::script(\"bash\", {must_succeed}, {script});")))
}
