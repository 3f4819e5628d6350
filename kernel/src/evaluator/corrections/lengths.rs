//! Lengths of arrays, which are `usize`: where an array has them as elements, and where they are bounds of a part.

use super::known::Known;
use super::line::{Line, LineTokenKind, is_name};
use super::values::declared;

/// How many variables may lead to one another.
const DEPTH: usize = 8;

/// Whether an operand is a `usize`, as far as its text shows it: `x.len()`, `n` after `let n = x.shape()[0];`
pub fn is_length(text: &str, known: &Known<'_>) -> bool {
    at_depth(text, known, DEPTH)
}

fn at_depth(text: &str, known: &Known<'_>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let text = text.trim().trim_end_matches(';');
    if is_name(text) {
        return match known.variable(text) {
            Some(name) => name == "usize",
            None => declared(text, known.cell).is_some_and(|value| at_depth(value, known, depth)),
        };
    }
    let line = Line::new(text);
    let Some(last) = line.len().checked_sub(1) else { return false };
    if line.find("as").next().is_some() {
        return false;
    }
    // `n + 1`
    let operands: Vec<(usize, usize)> = operands(&line).collect();
    if operands.len() > 1 {
        let is_sign = |at: usize| matches!(line.at(at), "+" | "-" | "*" | "/" | "%" | "(" | ")");
        let covered = |at: usize| operands.iter().any(|(first, end)| (*first..=*end).contains(&at));
        return (0..=last).all(|at| covered(at) || is_sign(at))
            && operands.iter().any(|(first, end)| at_depth(line.slice(*first, *end), known, depth));
    }
    let close = if line.at(last) == "]" { line.opening(last).and_then(|open| open.checked_sub(1)) } else { Some(last) };
    let name =
        close.filter(|close| line.at(*close) == ")" && line.before(*close, 1) == "(").and_then(|at| at.checked_sub(2));
    name.is_some_and(|at| match line.at(at) {
        "len" | "size" | "ndim" | "nnz" => close == Some(last),
        "shape" => close != Some(last),
        _ => false,
    })
}

/// The operands of a text: numbers, names and calls, each with what is called on it.
fn operands(line: &Line) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < line.len() {
            let is_start = matches!(line.kind(at), Some(LineTokenKind::Word | LineTokenKind::Number));
            match line.operand_after(at).filter(|_| is_start) {
                Some(last) => {
                    let first = at;
                    at = last + 1;
                    return Some((first, last));
                }
                None => at += 1,
            }
        }
        None
    })
}

/// A text in which the lengths that stand alone or beside operators are of another type.
fn with_lengths_as(text: &str, type_name: &str, known: &Known<'_>) -> Option<String> {
    let line = Line::new(text);
    let all: Vec<(usize, usize)> = operands(&line).collect();
    let mut new = text.to_owned();
    for (first, last) in all.into_iter().rev() {
        let operand = line.slice(first, last);
        if line.at(last + 1) == "as" || !is_length(operand, known) {
            continue;
        }
        let is_negated = line.before(first, 1) == "-" && line.operand_before(first - 1).is_none();
        let cast = if is_negated { format!("({operand} as {type_name})") } else { format!("{operand} as {type_name}") };
        new = line.with_tail(&new, first, last, &cast);
    }
    (new != text).then_some(new)
}

/// Functions that take the type of their elements from these arguments.
const MAKERS: [(&str, usize); 5] = [("arange", 0), ("array", 0), ("asarray", 0), ("full", 1), ("full_like", 1)];

/// `gpu::arange(x.len())`, `gpu::full(3, n)`, `gpu::array(&[n, 2])`: an array cannot hold a `usize`.
pub fn as_elements(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("`usize` is not a range of numbers") && !known.says("device arrays cannot hold `usize`") {
        return None;
    }
    (2..line.len()).filter(|at| line.before(*at, 1) == "::" && line.before(*at, 2) == "gpu").find_map(|at| {
        let (_, start) = MAKERS.iter().find(|(name, _)| *name == line.at(at))?;
        let open = if line.at(at + 1) == "!" { at + 2 } else { at + 1 };
        let parts = line.parts(open, ",").filter(|_| line.at(open) == "(")?;
        let is_of_elements = line.at(at) != "full" && line.at(at) != "full_like";
        let parts = parts.into_iter().skip(*start).take(if is_of_elements { usize::MAX } else { 1 });
        parts.into_iter().find_map(|part| {
            let new = with_lengths_as(line.part(part), "i64", known)?;
            Some(line.with(part.0, part.1, &new))
        })
    })
}

/// `gpu::ones(n) / n`: the length beside an array whose elements nothing else says.
pub fn beside_arrays(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("arrays of `usize` do not support arithmetic") {
        return None;
    }
    (1..line.len()).filter(|at| matches!(line.at(*at), "+" | "-" | "*" | "/")).find_map(|at| {
        let is_whole = |text: &str| is_length(text, known) || known.is_integer(text);
        let last = line.operand_after(at + 1)?;
        let (right, first) = (line.slice(at + 1, last), line.operand_before(at)?);
        let left = line.slice(first, at - 1);
        if is_whole(right) && line.at(last + 1) != "as" {
            return Some(line.with(at + 1, last, &format!("{right} as f64")));
        }
        is_whole(left).then(|| line.with(first, at - 1, &format!("{left} as f64")))
    })
}

/// The brackets of the parts of arrays: `s![..]`, and `a[..]` of `set!`.
fn part_brackets(line: &Line) -> impl Iterator<Item = usize> {
    line.find("[").filter(|open| {
        let of_slice = line.before(*open, 1) == "!" && line.before(*open, 2) == "s";
        let of_set = || line.find("set").any(|set| line.at(set + 1) == "!" && set + 2 < *open);
        of_slice || of_set()
    })
}

/// `a.slice(s![-n..])` of a length `n`, which has no sign.
pub fn from_end(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("cannot apply unary operator `-` to type `usize`") {
        return None;
    }
    part_brackets(line).find_map(|open| {
        let close = line.closing(open)?;
        line.find("-").filter(|at| *at > open && *at < close).find_map(|at| {
            let last = line.operand_after(at + 1)?;
            let operand = line.slice(at + 1, last);
            let is_sign = line.operand_before(at).is_none();
            (is_sign && is_length(operand, known)).then(|| line.with(at + 1, last, &format!("({operand} as isize)")))
        })
    })
}

/// `a.slice(s![..split])` of an `i64`: the bounds of a part are `isize`.
pub fn bounds(line: &Line, known: &Known<'_>) -> Option<String> {
    const TYPES: [&str; 7] = ["i64", "u64", "u32", "i16", "u16", "u8", "i8"];
    let is_refused = TYPES.iter().any(|name| {
        known.faults.iter().any(|(_, text)| text.contains("SliceInfoElem: From<") && text.contains(&format!("{name}>")))
    });
    if !is_refused {
        return None;
    }
    part_brackets(line).find_map(|open| {
        line.parts(open, ",")?.into_iter().find_map(|(first, last)| {
            let part = Line::new(line.slice(first, last));
            let sign = part.find("..").next();
            let ends = match sign {
                Some(sign) => vec![(0, sign.wrapping_sub(1)), (sign + 1, part.len() - 1)],
                None => vec![(0, part.len() - 1)],
            };
            let (from, to) = ends.into_iter().find(|(from, to)| {
                let is_number = |at: usize| part.kind(at) == Some(LineTokenKind::Number) || part.at(at) == "-";
                let is_there = *to < part.len() && from <= to;
                is_there && part.at(to - 1.min(*to)) != "as" && !(*from..=*to).all(is_number)
            })?;
            let bound = part.slice(from, to);
            let cast = if from == to { format!("{bound} as isize") } else { format!("({bound}) as isize") };
            let new = part.with(from, to, &cast);
            Some(line.with(first, last, &new))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    /// A variable `count` is a length.
    fn variable(name: &str) -> Option<String> {
        if name == "count" { Some("usize".to_owned()) } else { type_of(name) }
    }

    #[test]
    fn lengths_get_the_type_that_is_needed() {
        let (range, held) = ("`usize` is not a range of numbers", "device arrays cannot hold `usize`");
        let (negative, bound) = (
            "cannot apply unary operator `-` to type `usize`",
            "the trait bound `SliceInfoElem: From<RangeTo<i64>>` is not satisfied",
        );
        for (message, typed, expected) in [
            (range, "gpu::arange(a.len())", Some("gpu::arange(a.len() as i64)")),
            (range, "gpu::arange(count)", Some("gpu::arange(count as i64)")),
            (range, "gpu::arange(2 * count + 1).sum()", Some("gpu::arange(2 * count as i64 + 1).sum()")),
            (range, "gpu::arange(1..a.shape()[0])", Some("gpu::arange(1..a.shape()[0] as i64)")),
            (range, "gpu::arange((0, count, 2))", Some("gpu::arange((0, count as i64, 2))")),
            (held, "gpu::full(count, a.size())", Some("gpu::full(count, a.size() as i64)")),
            (held, "gpu::array(&[count, 2])", Some("gpu::array(&[count as i64, 2])")),
            (held, "gpu::array([-count, 2])", Some("gpu::array([-(count as i64), 2])")),
            (held, "gpu::zeros::<usize>(count)", None),
            (held, "gpu::arange(n)", None),
            (negative, "a.slice(s![-count..])", Some("a.slice(s![-(count as isize)..])")),
            (negative, "a.slice(s![..-count+1])", Some("a.slice(s![..-(count as isize)+1])")),
            (negative, "gpu::set!(a[-count..] = 0.0);", Some("gpu::set!(a[-(count as isize)..] = 0.0);")),
            (negative, "-count", None),
            (bound, "a.slice(s![..k])", Some("a.slice(s![..k as isize])")),
            (bound, "a.slice(s![k + 1..])", Some("a.slice(s![(k + 1) as isize..])")),
            (bound, "a.slice(s![..3])", None),
        ] {
            let faults = [(Some("E0277"), message)];
            let known = Known::of_line(&faults, typed, 1, &variable);
            assert_eq!(of_line(typed, &known).as_deref(), expected, "{typed}");
        }
        let cell = "let k = a.len();\nlet q = gpu::arange(k);";
        let faults = [(Some("E0277"), range)];
        let known = Known::of_line(&faults, cell, 2, &variable);
        let line = Line::new("let q = gpu::arange(k);");
        assert_eq!(as_elements(&line, &known).as_deref(), Some("let q = gpu::arange(k as i64);"));
    }
}
