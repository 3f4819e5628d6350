//! Lengths of axes: those that a function gets one by one, and the corrected line of a cell that fails while it runs, because an array
//! has another number of axes than the line is for. Types do not say how many axes an array has.

use super::known::{ARRAY, Known};
use super::line::{Line, is_name};
use super::named::keyword;
use super::operators::{as_object, is_operand};
use crate::evaluator::elements;

/// `a.reshape(2, 3)`, `gpu::zeros(3, 4)`
pub fn lengths(line: &Line, known: &Known<'_>) -> Option<String> {
    if !(known.says("takes 1 argument but") || known.is_syntax()) {
        return None;
    }
    (0..line.len()).find_map(|at| {
        let name = line.at(at);
        let is_method = name == "reshape" && line.before(at, 1) == ".";
        let is_function =
            matches!(name, "zeros" | "ones" | "empty" | "random" | "arange") && line.before(at, 1) == "::";
        if !(is_method || is_function) || line.at(at + 1) != "(" {
            return None;
        }
        let (open, close) = (at + 1, line.closing(at + 1)?);
        let arguments = line.arguments(open)?;
        let are_lengths = arguments.len() > 1 && arguments.iter().all(|argument| keyword(argument).is_none());
        let step = match (name, arguments.len()) {
            ("arange", 2) if arguments.iter().any(|argument| argument.contains('.')) => ", 1.0",
            ("arange", 2) => ", 1",
            _ => "",
        };
        are_lengths.then(|| line.with(open, close, &format!("(({}{step}))", arguments.join(", "))))
    })
}

/// The line of a panic with this message, corrected if a correction is known.
pub fn of_panic(text: &str, message: &str, type_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let line = Line::new(text.trim());
    let (operation, rest) = message.split_once(": ")?;
    match operation {
        "dot" if rest.contains(" axes, not one") => product(&line, axes(rest)?),
        "item" if rest.contains(" elements, not one") => part(&line),
        "get" => row(&line, rest),
        "slice" => within(&line, rest),
        _ if operation.starts_with("`!") && rest.starts_with("exit status ") => negation(text, type_of),
        _ => None,
    }
}

/// `x.slice(s![i..i + 2])` at the end of an array: in Python a part ends there too.
fn within(line: &Line, rest: &str) -> Option<String> {
    let (_, place) = rest.split_once(" along axis ")?;
    let axis: usize = place.split(' ').next()?.parse().ok()?;
    if !rest.contains(" has no ") {
        return None;
    }
    line.calls(true).filter(|at| line.at(*at) == "slice" && line.at(at + 2) == "s").find_map(|at| {
        let (first, open) = (line.operand_before(at - 1)?, at + 4);
        let (from, last) = line.parts(open, ",")?.into_iter().nth(axis)?;
        let part = Line::new(line.slice(from, last));
        let sign = part.find("..").next().filter(|sign| sign + 1 < part.len())?;
        let end = part.find(";").next().unwrap_or(part.len()) - 1;
        let bound = part.slice(sign + 1, end);
        let array = line.slice(first, at - 2);
        let new = match bound.parse::<usize>() {
            Ok(_) => part.with(sign + 1, end, ""),
            Err(_) => part.with(sign + 1, end, &format!("({bound}).min({array}.shape()[{axis}])")),
        };
        Some(line.with(from, last, &new))
    })
}

/// `!mask`: a cell that begins with `!` is a command of the shell. Nothing, if the name is not that of a variable.
fn negation(text: &str, type_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let value = text.trim().strip_prefix('!')?;
    let line = Line::new(value);
    let type_name = type_of(line.at(0)).filter(|_| is_operand(value))?;
    let by = if line.len() == 1 && type_name.starts_with(ARRAY) { "&" } else { "" };
    Some(format!("(!{by}{value})"))
}

/// `gpu::flip(&m.get(&[1]), 0)`: where an array is needed, `m[1]` is a row; and where a matrix is needed, `dot` gives one.
pub fn of_parts(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("this function needs arrays on the device") && !known.says("expected `&DeviceArray<") {
        return None;
    }
    let argument = |at: usize| matches!(line.before(at, 1), "(" | ",") || line.before(at, 1) == "&";
    let row = line.find("get").filter(|at| line.before(*at, 1) == "." && line.at(at + 1) == "(").find_map(|at| {
        let (first, close) = (line.operand_before(at - 1)?, line.closing(at + 1)?);
        let numbers = line.arguments(at + 3).filter(|_| line.at(at + 3) == "[")?.join(", ");
        let is_whole = argument(first) && matches!(line.at(close + 1), ")" | ",");
        is_whole.then(|| line.with(at, close, &format!("slice(s![{numbers}])")))
    });
    let dot = || {
        line.find("dot").filter(|at| line.before(*at, 1) == "::" && line.before(*at, 2) == "gpu").find_map(|at| {
            let is_whole = line.before(at, 3) == "&" && matches!(line.at(line.closing(at + 1)? + 1), ")" | ",");
            is_whole.then(|| line.with(at, at, "matmul"))
        })
    };
    row.or_else(dot)
}

/// `gpu::zeros::<f64>(n)`, `m.reshape((n, 2 * n))` with a whole number that is not a `usize`
pub fn of_lengths(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("is not a shape") {
        return None;
    }
    let is_number = |name: &str| match known.variable(name) {
        Some(of) => elements::is_integer(&of) && of != "usize",
        None => known.is_integer(name),
    };
    let is_alone = |at: usize| {
        !matches!(line.before(at, 1), "." | "::" | "&" | "let" | "mut")
            && !matches!(line.at(at + 1), "." | "::" | "(" | "[" | "!" | "as" | "=")
    };
    let numbers = (0..line.len()).rev().filter(|at| is_name(line.at(*at)) && is_alone(*at) && is_number(line.at(*at)));
    let new =
        numbers.fold(line.text.clone(), |text, at| Line::new(&text).with(at, at, &format!("{} as usize", line.at(at))));
    (new != line.text).then_some(new)
}

/// How many axes the first shape in a message has.
fn axes(message: &str) -> Option<usize> {
    let (_, shape) = message.split_once("the shape [")?;
    Some(shape.split(']').next()?.split(',').filter(|length| !length.trim().is_empty()).count())
}

/// `a.dot(&b)`, `gpu::dot(&a, &b)` of matrices
fn product(line: &Line, axes: usize) -> Option<String> {
    if axes != 2 {
        return None;
    }
    let at = line.find("dot").find(|at| line.at(at + 1) == "(" && matches!(line.before(*at, 1), "." | "::"))?;
    let (arguments, close) = (line.arguments(at + 1)?, line.closing(at + 1)?);
    let by_reference =
        |text: &str| if text.starts_with('&') { text.to_owned() } else { format!("&{}", as_object(text)) };
    let new = |left: &str, right: &str| format!("gpu::matmul({}, {})", by_reference(left), by_reference(right));
    match arguments[..] {
        [other] if line.before(at, 1) == "." => {
            let first = line.operand_before(at - 1)?;
            Some(line.with(first, close, &new(line.slice(first, at - 2), other)))
        }
        [one, other] if line.before(at, 2) == "gpu" => Some(line.with(at - 2, close, &new(one, other))),
        _ => None,
    }
}

/// `m.slice(s![-1]).item()` of a row
fn part(line: &Line) -> Option<String> {
    let at = line.find("item").find(|at| {
        line.before(*at, 1) == "." && line.at(at + 1) == "(" && line.at(at + 2) == ")" && line.before(*at, 2) == ")"
    })?;
    let open = line.opening(at - 2)?;
    let is_slice = line.before(open, 1) == "slice" && line.before(open, 2) == ".";
    is_slice.then(|| line.with(at - 1, at + 2, ""))
}

/// `m.get(&[1])` of a row: there are fewer indices than axes
fn row(line: &Line, message: &str) -> Option<String> {
    let (_, index) = message.split_once("has no element [")?;
    let given = index.split(']').next()?.split(',').count();
    if given >= axes(message)? {
        return None;
    }
    let is_one = |at: &usize| line.at(at + 1) == "(" && line.at(at + 2) == "&" && line.at(at + 3) == "[";
    let at = line
        .find("get")
        .filter(|at| line.before(*at, 1) == ".")
        .filter(is_one)
        .find(|at| line.arguments(at + 3).is_some_and(|numbers| numbers.len() == given))?;
    let numbers = line.arguments(at + 3)?.join(", ");
    Some(line.with(at, line.closing(at + 1)?, &format!("slice(s![{numbers}])")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_another_number_of_axes() {
        let dot = "dot: the shape [2, 3] has 2 axes, not one; use `matmul` for matrices";
        let part =
            "slice: the shape [5, 2] has no 4..6;1 along axis 0 of length 5; keep each bound within the array's shape";
        let type_of = |name: &str| (name == "mask").then(|| "DeviceArray<bool>".to_owned());
        let item = "item: the shape [4] has 4 elements, not one; use `to_host`, or `get` with an index";
        for (message, line, expected) in [
            (dot, "m.dot(m.t())", Some("gpu::matmul(&m, &m.t())")),
            (dot, "let c = gpu::dot(&m, &b) + 1.0;", Some("let c = gpu::matmul(&m, &b) + 1.0;")),
            (dot, "f(m)", None),
            (item, "m.slice(s![-1]).item()", Some("m.slice(s![-1])")),
            (item, "m.item()", None),
            (
                "get: the shape [5, 4] has no element [2]; give one index per axis, each below its length",
                "let row = b.get(&[2]);",
                Some("let row = b.slice(s![2]);"),
            ),
            ("get: the shape [5, 4] has no element [2, 7]; give one index per axis", "b.get(&[2, 7])", None),
            (part, "m.slice(s![k..k + 2, ..])", Some("m.slice(s![k..(k + 2).min(m.shape()[0]), ..])")),
            (part, "m.slice(s![4..6])", Some("m.slice(s![4..])")),
            (part, "m.slice(s![4])", None),
            ("`!mask` failed: exit status 127 (a command was not found)", "!mask", Some("(!&mask)")),
            ("`!mask.any()` failed: exit status 2", "!mask.any()", Some("(!mask.any())")),
            ("`!false_name` failed: exit status 1", "!false_name", None),
        ] {
            assert_eq!(of_panic(line, message, &type_of).as_deref(), expected, "{line}");
        }
    }
}
