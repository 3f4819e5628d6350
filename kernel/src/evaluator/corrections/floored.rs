//! Python's `//`, which rounds down.

use super::arithmetic::numbers_of;
use super::known::Known;
use super::lengths::is_length;
use super::line::{Line, LineTokenKind, is_integer};
use super::operators::{as_argument, as_object, with_references};
use crate::evaluator::elements;

/// `a // 2` is a comment in Rust.
pub fn floor_quotient(line: &Line, known: &Known<'_>) -> Option<String> {
    let at = line.find("//").next()?;
    let (mut first, last) = (line.operand_before(at)?, line.operand_after(at + 1)?);
    // A minus belongs to what is divided.
    let is_sign = first > 0 && line.before(first, 1) == "-" && line.operand_before(first - 1).is_none();
    first -= usize::from(is_sign);
    let (left, right) = (line.slice(first, at - 1), line.slice(at + 1, last));
    let is_end = last + 1 == line.len() || line.kind(last + 1) == Some(LineTokenKind::Sign);
    // A reference belongs to it too.
    let is_borrowed = first > 0 && line.before(first, 1) == "&" && line.operand_before(first - 1).is_none();
    let (first, left) = if is_borrowed { (first - 1, left) } else { (first, left) };
    let is_value = |text: &str| {
        let line = Line::new(text);
        matches!(line.at(0), "(" | "-")
            || line.kind(0) == Some(LineTokenKind::Number)
            || known.variable(line.at(0)).is_some()
            || (known.type_of)(line.at(0)).is_some()
            || known.is_array(text)
            || known.is_integer(line.at(0))
    };
    if !is_end || !is_value(left) || !is_value(right) {
        return None;
    }
    let are_whole = |text: &str| {
        is_integer(text)
            || known.is_integer(text)
            || known.variable(text).is_some_and(|name| elements::is_integer(&name) || name == "usize")
            || numbers_of(text, known).is_some_and(|numbers| numbers.is_whole() && !numbers.is_array)
    };
    let has_type = |text: &str| {
        let name = known.variable(text);
        name.is_some_and(|name| elements::is_integer(&name) || name == "usize")
            || text.ends_with(".len()")
            || text.ends_with(".size()")
            || text.ends_with(']')
            || is_length(text, known)
    };
    let new = if known.is_array(left) {
        format!("{}.floor_divide({})", as_object(&with_references(left, known)), as_argument(right, known))
    } else if is_sign && are_whole(&left[1..]) && are_whole(right) {
        let number = if is_integer(left) { format!("{left}_i32") } else { left.to_owned() };
        format!("({number}).div_euclid({right})")
    } else if are_whole(left) && are_whole(right) && right.starts_with('-') {
        format!("(({left}) as f64 / ({right}) as f64).floor() as i64")
    } else if are_whole(left) && are_whole(right) {
        // `/` would be read as Python's once more.
        match left {
            left if left.parse::<i32>().is_ok() => format!("{left}_i32.div_euclid({right})"),
            left if is_integer(left) => format!("{left}_i64.div_euclid({right})"),
            left if has_type(left) => format!("{}.div_euclid({right})", as_object(left)),
            left => format!("i32::div_euclid({left}, {right})"),
        }
    } else {
        format!("({left} / {right}).floor()")
    };
    Some(line.with(first, last, &new))
}
