//! Calls of the store of variables in the code that evcxr writes.

use std::ops::Range;

/// How they begin.
pub const STORE: &str = "evcxr_variable_store.";
/// An explicit type of the user may go over several lines.
pub const LONGEST_STATEMENT: usize = 100;

/// A call of the store that evcxr wrote.
#[derive(Clone, Debug)]
pub struct Statement {
    pub lines: Range<usize>,
    pub name: String,
    pub type_name: String,
}

/// The call of an operation that begins on a line, after the text `start`.
pub fn statement_at(lines: &[&str], from: usize, start: &str, operation: &str) -> Option<Statement> {
    let call = format!("{STORE}{operation}::<");
    let first = lines.get(from)?.trim_start();
    if !first.starts_with(start) || !first.contains(&call) {
        return None;
    }
    let length = lines[from..].iter().take(LONGEST_STATEMENT).position(|line| line.ends_with(");"))? + 1;
    let text = lines[from..from + length].join("\n");
    let (_, rest) = text.split_once(&call)?;
    let (type_name, rest) = rest.rsplit_once(">(stringify!(")?;
    let (name, _) = rest.split_once(')')?;
    Some(Statement { lines: from..from + length, name: name.to_owned(), type_name: type_name.to_owned() })
}

/// A call of the store, with the hash of the definitions of its type.
pub fn with_definitions(call: &str, hash: u64) -> String {
    if hash == 0 { call.to_owned() } else { call.replacen(STORE, &format!("{STORE}defined_by({hash}u64)."), 1) }
}

/// A call of the store without the hash of the definitions of its type, and the hash.
pub fn without_definitions(call: &str) -> (String, u64) {
    let parts = call.split_once("defined_by(").and_then(|(_, rest)| rest.split_once("u64)."));
    match parts.and_then(|(hash, rest)| Some((hash.parse().ok()?, rest))) {
        Some((hash, rest)) => (format!("{STORE}{rest}"), hash),
        None => (call.trim_start().to_owned(), 0),
    }
}
