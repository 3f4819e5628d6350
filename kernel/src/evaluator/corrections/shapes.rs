//! Lengths of axes: those that a function gets one by one, and the corrected line of a cell that fails while it runs, because an array
//! has another number of axes than the line is for. Types do not say how many axes an array has.

use super::known::Known;
use super::line::{Line, is_name};
use super::named::keyword;
use super::operators::as_object;
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
pub fn of_panic(text: &str, message: &str) -> Option<String> {
    let line = Line::new(text.trim());
    let (operation, rest) = message.split_once(": ")?;
    match operation {
        "dot" if rest.contains(" axes, not one") => product(&line, axes(rest)?),
        "item" if rest.contains(" elements, not one") => part(&line),
        "get" => row(&line, rest),
        _ => None,
    }
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
        ] {
            assert_eq!(of_panic(line, message).as_deref(), expected, "{line}");
        }
    }
}
