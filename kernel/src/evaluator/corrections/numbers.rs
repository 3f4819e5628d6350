//! The corrected line for an operator between two types of numbers.

use crate::evaluator::corrections::line::is_integer;
use crate::evaluator::corrections::operators::as_object;
use crate::syntax::{offset_of, range_of, statements};
use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxToken};
use std::ops::Range;

/// `bool`, whose arrays are counted as numbers, and Rust's integers, the narrow ones first, and the compiler's name for an integer whose type is open.
const INTEGERS: [&str; 14] =
    ["bool", "u8", "i8", "u16", "i16", "{integer}", "i32", "u32", "u64", "i64", "isize", "usize", "u128", "i128"];
/// Floats and complex numbers, with their ranks and the names that conversions take.
const FLOATS: [(&str, usize, &str); 6] = [
    ("f32", 1, "f32"),
    ("f64", 2, "f64"),
    ("{float}", 2, "f64"),
    ("Complex<f32>", COMPLEX, "gpu::Complex<f32>"),
    ("Complex<f64>", COMPLEX + 1, "gpu::Complex<f64>"),
    ("Complex<{float}>", COMPLEX + 1, "gpu::Complex<f64>"),
];
/// The rank of complex numbers and above.
const COMPLEX: usize = 3;

/// The corrected line for an operator at `line` and `column` (from 1, in characters), by the code and the text of the compiler's message.
pub fn of_operands(code: &str, message: &str, cell: &str, line: usize, column: usize) -> Option<String> {
    match code {
        "E0277" => of_mixed_numbers(message, cell, line, column),
        "E0369" => of_double_references(message, cell, line, column),
        _ => None,
    }
}

/// The line with numbers of one type, if an operator at `line` and `column` (from 1, in characters) combines two.
fn of_mixed_numbers(message: &str, cell: &str, line: usize, column: usize) -> Option<String> {
    let mut quoted = message.strip_prefix("cannot ")?.split('`').skip(1).step_by(2);
    let (first, second) = (quoted.next()?, quoted.next()?);
    // "add the right one to the left one", but "multiply the left one by the right one".
    let is_turned = message.starts_with("cannot add") || message.starts_with("cannot subtract");
    let (left, right) = if is_turned { (second, first) } else { (first, second) };
    let (left_name, right_name) = (left, right);
    let (left, right) = (Number::of(left)?, Number::of(right)?);
    let is_truth = |number: &Number| number.width == 0;
    if [&left, &right].iter().any(|number| is_truth(number) && !number.is_array) || is_truth(&left) && is_truth(&right)
    {
        return None;
    }
    // What is assigned to cannot be converted.
    if message.contains("-assign") && left.rank < right.rank {
        return None;
    }
    let is_reference = |name: &str| name.starts_with('&') && !name.contains('<');
    let start = offset_of(cell, line, 1);
    let operator = offset_of(cell, line, column);
    let Some(operands) = operands(cell, operator) else {
        return of_literal(cell[start..].lines().next()?, operator - start, left.rank < right.rank);
    };
    // As in NumPy, a float beside an array of floats gets the array's type.
    let is_scalar_wider =
        |scalar: &Number, array: &Number| !scalar.is_array && array.is_array && array.rank > 0 && scalar.rank < COMPLEX;
    let is_left = match (left.rank, right.rank) {
        _ if is_scalar_wider(&left, &right) && left.rank > right.rank => true,
        _ if is_scalar_wider(&right, &left) && right.rank > left.rank => false,
        (left, right) if left < right => true,
        (left, right) if left > right => false,
        _ if left.rank > 0 => return None,
        // A variable keeps its type.
        _ if !(left.is_array || right.is_array) && message.contains("-assign") => return None,
        _ if !(left.is_array || right.is_array) => common_integer(&left, &right)? != INTEGERS[left.width],
        // Of integers the number is converted, or the narrower array.
        // A number cannot take an array.
        _ if message.contains("-assign") && !left.is_array => return None,
        _ if message.contains("-assign") || left.is_array && !right.is_array => false,
        _ => right.is_array && !left.is_array || left.width < right.width,
    };
    let (left, right) = if left.rank == 0 && right.rank == 0 && !(left.is_array || right.is_array) {
        let type_name = common_integer(&left, &right)?;
        (Number { type_name, ..left }, Number { type_name, ..right })
    } else if left.rank == 0 && right.rank == 0 {
        let exact = |number: Number| {
            let type_name = if INTEGERS[number.width] == "{integer}" { "i32" } else { INTEGERS[number.width] };
            Number { type_name, ..number }
        };
        (exact(left), exact(right))
    } else {
        (left, right)
    };
    let ((side, range), of_side, target) =
        if is_left { (&operands[0], left, right.type_name) } else { (&operands[1], right, left.type_name) };
    let end_of_line = cell[start..].find('\n').map_or(cell.len(), |length| start + length);
    // Complex numbers have operators with floats of their parts.
    let part = target.strip_prefix("gpu::Complex<").and_then(|rest| rest.strip_suffix('>'));
    let target = match part {
        Some(_) if of_side.rank >= COMPLEX => return None,
        Some("f32") if of_side.is_array && of_side.type_name == "f64" => return None,
        Some(part) if !of_side.is_array => part,
        _ => target,
    };
    if range.start < start || range.end > end_of_line {
        return None;
    }
    let corrected = converted(side, of_side.is_array, target);
    let corrected =
        if is_reference(if is_left { left_name } else { right_name }) { format!("*{corrected}") } else { corrected };
    // `n as f64 < 2.0` begins a list of types.
    let is_before_less = cell[range.end..].trim_start().starts_with('<');
    let corrected = if is_before_less && !of_side.is_array { format!("({corrected})") } else { corrected };
    Some(format!("{}{corrected}{}", &cell[start..range.start], &cell[range.end..end_of_line]).trim().to_owned())
}

/// The line without the `&` before variables that are references already, as parameters of functions are, if an operator at `line` and
/// `column` does not take references to references of arrays.
fn of_double_references(message: &str, cell: &str, line: usize, column: usize) -> Option<String> {
    let mut quoted = message.strip_prefix("cannot ")?.split('`').skip(1).step_by(2);
    let is_double = |name: &str| name.starts_with("&&") && Number::of(name).is_some_and(|number| number.is_array);
    if !is_double(quoted.next()?) && !is_double(quoted.next()?) {
        return None;
    }
    let (start, operator) = (offset_of(cell, line, 1), offset_of(cell, line, column));
    let end = cell[start..].find('\n').map_or(cell.len(), |length| start + length);
    let mut text = cell[start..end].to_owned();
    for (side, range) in operands(cell, operator)?.into_iter().rev() {
        if let ast::Expr::RefExpr(reference) = side
            && let Some(ast::Expr::PathExpr(inner)) = reference.expr()
            && start <= range.start
            && range.end <= end
        {
            text.replace_range(range.start - start..range.end - start, &inner.syntax().text().to_string());
        }
    }
    (text != cell[start..end]).then(|| text.trim().to_owned())
}

/// The integer type of two numbers together, as in NumPy: the wider one, or `i64` of a number with a sign and one without. Of `u64`
/// and a number with a sign NumPy makes a float.
fn common_integer(left: &Number, right: &Number) -> Option<&'static str> {
    let names = [INTEGERS[left.width], INTEGERS[right.width]];
    let has_sign = |name: &str| !name.starts_with('u');
    match names.map(has_sign) {
        [one, other] if one == other => Some(INTEGERS[left.width.max(right.width)]),
        _ if names.iter().any(|name| matches!(*name, "u64" | "u128" | "i128")) => None,
        _ => Some("i64"),
    }
}

/// The line with a float for the integer beside an operator, also in the arguments of a macro.
fn of_literal(line: &str, operator: usize, is_left: bool) -> Option<String> {
    let before = line[..operator].trim_end();
    let behind = line[operator + 1..].trim_start();
    let digits = |text: &str| text.chars().all(|digit| digit.is_ascii_digit()) && !text.is_empty();
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '.' | '_');
    if is_left {
        let start = before.rfind(|character| !is_part(character)).map_or(0, |at| at + 1);
        return digits(&before[start..]).then(|| format!("{before}.0{}", &line[before.len()..]).trim().to_owned());
    }
    let length = behind.find(|character| !is_part(character)).unwrap_or(behind.len());
    let at = line.len() - behind.len() + length;
    digits(&behind[..length]).then(|| format!("{}.0{}", &line[..at], &line[at..]).trim().to_owned())
}

/// The line with a conversion, if a number of another type is expected at these columns. `label` is the compiler's.
pub fn of_expected_number(label: &str, cell: &str, line: usize, columns: Range<usize>) -> Option<String> {
    let (expected, found) = label.strip_prefix("expected `")?.split_once("`, found `")?;
    let (expected, found) = (Number::of(expected)?.exact(expected)?, found.strip_suffix('`')?);
    let is_float = |name: &str| matches!(name, "f32" | "f64");
    let is_number = !found.starts_with(['{', '&']) && !found.contains('<') && Number::of(found).is_some();
    let text = cell.lines().nth(line - 1)?;
    let (start, end) = (offset_of(text, 1, columns.start), offset_of(text, 1, columns.end));
    // Behind an operator either side may be the narrower one.
    let before = text[..start].trim_end();
    if is_number && before.ends_with(['+', '-', '*', '/', '%']) {
        let column = before.chars().count();
        let message = format!("cannot multiply `{expected}` by `{found}`");
        if let Some(new) = of_mixed_numbers(&message, cell, line, column) {
            return Some(new);
        }
    }
    if !is_number || !(is_float(expected) || is_float(found)) {
        return None;
    }
    let value = as_object(text.get(start..end)?);
    Some(format!("{}{value} as {expected}{}", &text[..start], &text[end..]).trim().to_owned())
}

/// A number or an array of numbers, by the name of its type.
struct Number {
    is_array: bool,
    /// Numbers of a lower rank are converted to those of a higher rank.
    rank: usize,
    type_name: &'static str,
    /// The place among the integers.
    width: usize,
}

impl Number {
    /// The name of the type, if it is the type of a number.
    fn exact(self, name: &str) -> Option<&str> {
        (!self.is_array && !name.starts_with(['{', '&'])).then_some(name)
    }

    fn of(type_name: &str) -> Option<Number> {
        let name = type_name.trim_start_matches('&').trim_start_matches("mut ");
        let element = name.strip_prefix("DeviceArray<").and_then(|rest| rest.strip_suffix('>'));
        let (is_array, name) = (element.is_some(), element.unwrap_or(name));
        if let Some(width) = INTEGERS.iter().position(|known| *known == name) {
            return Some(Number { is_array, rank: 0, type_name: "i64", width });
        }
        let name = name.trim_start_matches("gpu::").trim_start_matches("num_complex::");
        let (_, rank, type_name) = *FLOATS.iter().find(|(known, ..)| *known == name)?;
        Some(Number { is_array, rank, type_name, width: INTEGERS.len() })
    }
}

/// The operands of the operator at a place of the cell, with their places. Also in the arguments of a macro.
fn operands(cell: &str, operator: usize) -> Option<[(ast::Expr, Range<usize>); 2]> {
    statements(cell).into_iter().find_map(|(start, node)| {
        let shift = range_of(&node).start.checked_sub(start)?;
        let at = operator + shift;
        let is_operator = |token: &SyntaxToken| usize::from(token.text_range().start()) == at;
        let placed = |side: ast::Expr| {
            let range = range_of(side.syntax());
            (side, range.start - shift..range.end - shift)
        };
        let binary = node.descendants().filter_map(ast::BinExpr::cast);
        if let Some(binary) =
            binary.into_iter().find(|binary| binary.op_token().is_some_and(|token| is_operator(&token)))
        {
            return Some([placed(binary.lhs()?), placed(binary.rhs()?)]);
        }
        let calls = node.descendants().filter_map(ast::MacroCall::cast);
        let arguments = calls.filter_map(|call| call.token_tree()).flat_map(|tree| arguments_of(&tree));
        let argument = arguments.into_iter().find(|argument| argument.contains(&at))?;
        let from = argument.start - shift;
        let inside = operands(&cell[from..argument.end - shift], operator - from)?;
        Some(inside.map(|(side, range)| (side, range.start + from..range.end + from)))
    })
}

/// The places of a macro's arguments: what stands between its commas.
fn arguments_of(tree: &ast::TokenTree) -> Vec<Range<usize>> {
    let whole = range_of(tree.syntax());
    let tokens = tree.syntax().children_with_tokens().filter_map(NodeOrToken::into_token);
    let commas =
        tokens.filter(|token| token.kind() == SyntaxKind::COMMA).map(|token| token.text_range().start().into());
    let mut ends: Vec<usize> = commas.collect();
    ends.push(whole.end - 1);
    let starts = std::iter::once(whole.start).chain(ends.clone()).map(|end| end + 1);
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
}

/// An expression with its numbers converted.
fn converted(side: &ast::Expr, is_array: bool, target: &str) -> String {
    let text = side.syntax().text().to_string();
    if !is_array && is_integer(&text) && target.starts_with('f') {
        return format!("{text}.0");
    }
    if !is_array {
        let binds = !matches!(side, ast::Expr::BinExpr(_) | ast::Expr::RangeExpr(_) | ast::Expr::RefExpr(_));
        return if binds { format!("{text} as {target}") } else { format!("({text}) as {target}") };
    }
    let (inner, text) = match side {
        ast::Expr::RefExpr(reference) => match reference.expr() {
            Some(inner) => (inner.clone(), inner.syntax().text().to_string()),
            None => (side.clone(), text),
        },
        _ => (side.clone(), text),
    };
    let binds = !matches!(inner, ast::Expr::BinExpr(_) | ast::Expr::PrefixExpr(_) | ast::Expr::CastExpr(_));
    if binds { format!("{text}.astype::<{target}>()") } else { format!("({text}).astype::<{target}>()") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::line_and_column;

    #[test]
    fn references_to_references_lose_one() {
        for (message, cell, operator, expected) in [
            ("cannot multiply `&&DeviceArray<f32>` by `{integer}`", "&x * 2", "*", Some("x * 2")),
            (
                "cannot add `&&DeviceArray<f64>` to `{float}`",
                "fn f(x: &A) -> A {\n    (1.5 + &x).sqrt()\n}",
                "+",
                Some("(1.5 + x).sqrt()"),
            ),
            (
                "cannot subtract `&&DeviceArray<f32>` from `&&DeviceArray<f32>`",
                "println!(\"{}\", &x - &y);",
                "- ",
                Some("println!(\"{}\", x - y);"),
            ),
            ("cannot multiply `&&DeviceArray<f32>` by `{integer}`", "x * 2", "*", None),
            ("cannot multiply `&DeviceArray<f32>` by `String`", "&x * s", "*", None),
            ("cannot multiply `&&str` by `{integer}`", "&x * 2", "*", None),
        ] {
            let (line, column) = line_and_column(cell, cell.find(operator).unwrap());
            assert_eq!(of_double_references(message, cell, line, column).as_deref(), expected, "{cell}");
        }
    }

    #[test]
    fn the_operand_with_the_narrower_numbers_is_converted() {
        for (message, cell, operator, expected) in [
            (
                "cannot multiply `{float}` by `i64`",
                "let n = 1;\n4.0 * inside.sum() / n",
                "* ",
                Some("4.0 * inside.sum() as f64 / n"),
            ),
            ("cannot divide `f64` by `{integer}`", "x / (n + 1)", "/", Some("x / (n + 1) as f64")),
            ("cannot subtract-assign `{integer}` from `f64`", "x -= 1", "-=", Some("x -= 1.0")),
            (
                "cannot divide `f64` by `usize`",
                "let m = x.sum() / x.len();",
                "/",
                Some("let m = x.sum() / x.len() as f64;"),
            ),
            (
                "cannot multiply `DeviceArray<{integer}>` by `{float}`",
                "let a = b * 0.5;",
                "*",
                Some("let a = b.astype::<f64>() * 0.5;"),
            ),
            (
                "cannot add `&DeviceArray<f64>` to `&DeviceArray<f32>`",
                "let c = &a + &b;",
                "+",
                Some("let c = a.astype::<f64>() + &b;"),
            ),
            (
                "cannot subtract `&DeviceArray<i32>` from `DeviceArray<f32>`",
                "a.abs() - &(b + c)",
                "-",
                Some("a.abs() - (b + c).astype::<f32>()"),
            ),
            (
                "cannot multiply `&DeviceArray<gpu::Complex<f64>>` by `&DeviceArray<f64>`",
                "let z = &c * &r;",
                "*",
                Some("let z = &c * r.astype::<gpu::Complex<f64>>();"),
            ),
            (
                "cannot multiply `&DeviceArray<f32>` by `Complex<f32>`",
                "let z = &r * w;",
                "*",
                Some("let z = r.astype::<gpu::Complex<f32>>() * w;"),
            ),
            (
                "cannot add `&DeviceArray<i64>` to `&DeviceArray<gpu::Complex<f64>>`",
                "let z = &c + &i;",
                "+",
                Some("let z = &c + i.astype::<gpu::Complex<f64>>();"),
            ),
            ("cannot multiply `gpu::Complex<f64>` by `{integer}`", "let y = z * 2;", "*", Some("let y = z * 2.0;")),
            ("cannot multiply `Complex<f64>` by `f32`", "let y = z * x;", "*", Some("let y = z * x as f64;")),
            ("cannot multiply `Complex<f32>` by `Complex<f64>`", "let y = z * w;", "*", None),
            ("cannot multiply `DeviceArray<f64>` by `Complex<f32>`", "let y = a * w;", "*", None),
            (
                "cannot multiply `&DeviceArray<{integer}>` by `{float}`",
                "let i = gpu::arange(3);\nprintln!(\"{} of {}\", n, &i * 0.5);",
                "* 0",
                Some("println!(\"{} of {}\", n, i.astype::<f64>() * 0.5);"),
            ),
            (
                "cannot divide `f64` by `usize`",
                "assert_eq!(vec![x / n, 1.0], [0.5, 1.0]);",
                "/",
                Some("assert_eq!(vec![x / n as f64, 1.0], [0.5, 1.0]);"),
            ),
            ("cannot add `&DeviceArray<i64>` to `&DeviceArray<i32>`", "&i + &j", "+", Some("i.astype::<i64>() + &j")),
            ("cannot divide `DeviceArray<i64>` by `DeviceArray<i32>`", "i / j", "/", Some("i / j.astype::<i64>()")),
            ("cannot add `i64` to `&DeviceArray<i32>`", "&i + n", "+", Some("&i + n as i32")),
            (
                "cannot add-assign `&DeviceArray<i64>` to `DeviceArray<i32>`",
                "i += &j",
                "+=",
                Some("i += j.astype::<i32>()"),
            ),
            // Truth values are counted.
            (
                "cannot multiply `&DeviceArray<i32>` by `DeviceArray<bool>`",
                "&img * mask",
                "*",
                Some("&img * mask.astype::<i32>()"),
            ),
            ("cannot multiply `DeviceArray<bool>` by `f64`", "mask * x", "*", Some("mask.astype::<f64>() * x")),
            ("cannot add `DeviceArray<bool>` to `DeviceArray<bool>`", "mask + mask", "+", None),
            ("cannot multiply `f64` by `bool`", "x * t", "*", None),
            ("cannot add `String` to `f64`", "x + s", "+", None),
            // Integers of two types.
            ("cannot add `i32` to `i64`", "x + s", "+", Some("x + s as i64")),
            ("cannot add `i64` to `i32`", "i.max() + j.sum()", "+", Some("i.max() as i64 + j.sum()")),
            ("cannot subtract `usize` from `i32`", "n - v.len()", "-", Some("n as i64 - v.len()")),
            ("cannot subtract `usize` from `i64`", "n - v.len()", "-", Some("n - v.len() as i64")),
            ("cannot multiply `u8` by `u32`", "p * q", "*", Some("p as u32 * q")),
            ("cannot multiply `i64` by `u64`", "p * q", "*", None),
            ("cannot add-assign `i64` to `i32`", "n += j", "+=", None),
            ("cannot add `i32` to `i64`", "p + q < 3", "+", Some("p + (q as i64) < 3")),
            ("cannot add `f64` to `f32`", "f.max() + a.sum()", "+", Some("f.max() as f64 + a.sum()")),
            ("cannot add `i32` to `f64`", "not rust at all +", "+", None),
        ] {
            let line = cell[..cell.find(operator).unwrap()].matches('\n').count() + 1;
            let column = cell.lines().nth(line - 1).unwrap().find(operator.trim()).unwrap() + 1;
            assert_eq!(of_mixed_numbers(message, cell, line, column).as_deref(), expected, "{cell}");
        }
    }

    #[test]
    fn what_is_expected_behind_an_operator_may_be_the_narrower_one() {
        for (label, cell, columns, expected) in [
            ("expected `f32`, found `f64`", "f.max() + x.sum()", 11..18, Some("f.max() as f64 + x.sum()")),
            ("expected `f64`, found `f32`", "x.sum() + f.max()", 11..18, Some("x.sum() + f.max() as f64")),
            ("expected `i32`, found `i64`", "i.max() + j.sum()", 11..18, Some("i.max() as i64 + j.sum()")),
            ("expected `f64`, found `i64`", "f(j.sum())", 3..10, Some("f(j.sum() as f64)")),
            ("expected `i32`, found `i64`", "f(j.sum())", 3..10, None),
            ("expected `i32`, found `String`", "n + s", 5..6, None),
        ] {
            assert_eq!(of_expected_number(label, cell, 1, columns).as_deref(), expected, "{cell}");
        }
    }
}
