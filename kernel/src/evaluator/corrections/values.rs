//! What an expression gives, as far as its text shows it: variables of the cell have no types yet where the cell does not compile.

use super::known::{ARRAY, Known};
use super::line::{Line, LineTokenKind, is_integer, is_name};
use super::named::{REDUCTIONS, keyword};
use super::operators::COMPARISONS;
use crate::syntax::list_has;

/// An array of `bool`.
const MASK: &str = "DeviceArray<bool>";

/// Functions of NumPy and of the prelude that do not give one array.
const OTHERS: &str = "\
    dot vdot trace norm det slogdet cond matrix_rank allclose array_equal array_equiv default_rng new seed ndim size shape len median \
    percentile quantile average nansum nanmean nanmax nanmin nanstd count_nonzero nonzero split hsplit vsplit dsplit array_split \
    meshgrid ix_ svd qr eig eigh lstsq slogdet histogram histogram2d histogramdd unique_counts unique_inverse unique_all \
    broadcast_arrays gradient unravel_index modf frexp divmod ndindex ndenumerate isscalar item get tolist lookup type_of \
    set_printoptions printoptions Plot device devices synchronize PrintOptions finfo iinfo dtype result_type promote_types can_cast \
    unstack load save savetxt savez argmin argmax ptp input subplots plot scatter hist imshow";

/// Methods and fields of an array that do not give one.
const NOT_ARRAYS: &str = "\
    shape ndim size dtype itemsize nbytes len item get tolist to_host numpy trace dot nonzero device strides iter is_empty";

/// Methods that keep the type of the elements.
const KEEPING: &str = "\
    copy clone reshape ravel flatten transpose t T permute_dims squeeze expand_dims swapaxes slice take take_axis extract sort \
    repeat clip maximum minimum flat view broadcast_to";

/// How many variables may lead to one another.
const DEPTH: usize = 8;

/// The type of an array that an expression gives; `DeviceArray<` if its elements are unknown.
pub fn type_of(expression: &str, known: &Known<'_>) -> Option<String> {
    at_depth(expression, known, DEPTH)
}

fn at_depth(expression: &str, known: &Known<'_>, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let expression = without_parentheses(expression.trim().trim_end_matches(';').trim_start_matches('&'));
    if let Some(name) = known.variable(expression) {
        return name.contains(ARRAY).then_some(name);
    }
    if is_name(expression) {
        return at_depth(declared(expression, known.cell)?, known, depth);
    }
    let line = Line::new(expression);
    let parts = operands(&line)?;
    let types = || parts.iter().filter_map(|part| at_depth(line.part(*part), known, depth));
    let has_comparison =
        parts.windows(2).any(|pair| COMPARISONS.iter().any(|(sign, _)| *sign == line.at(pair[0].1 + 1)));
    match parts[..] {
        [] => None,
        [part] if part == (0, line.len() - 1) => of_operand(&line, known, depth),
        _ if has_comparison => types().next().map(|_| MASK.to_owned()),
        _ => {
            let mut found: Vec<String> = types().collect();
            found.dedup();
            match &found[..] {
                [] => None,
                [one] => Some(one.clone()),
                _ => Some(ARRAY.to_owned()),
            }
        }
    }
}

/// `(a > 1)` without its parentheses.
fn without_parentheses(expression: &str) -> &str {
    let line = Line::new(expression);
    let is_whole = line.at(0) == "(" && line.closing(0) == line.len().checked_sub(1);
    let is_tuple = || line.parts(0, ",").is_none_or(|parts| parts.len() != 1);
    if is_whole && !is_tuple() { &expression[1..expression.len() - 1] } else { expression }
}

/// The value that the cell gives a variable, the last one.
pub fn declared<'a>(name: &str, cell: &'a str) -> Option<&'a str> {
    let value = |text: &'a str| {
        let text = text.trim();
        let text = text.strip_prefix("let ").unwrap_or(text);
        let text = text.strip_prefix("mut ").unwrap_or(text);
        let rest = text.strip_prefix(name)?.trim_start();
        let rest = if let Some((_, value)) = rest.strip_prefix(':').and_then(|rest| rest.split_once('=')) {
            value
        } else {
            rest.strip_prefix('=')?
        };
        (!rest.starts_with('=')).then(|| rest.split(';').next().unwrap_or(rest).trim())
    };
    // `z = z[::-1]` says nothing.
    let is_of_itself = |value: &&str| Line::new(value).find(name).next().is_none();
    cell.split(['\n', ';']).filter_map(value).rfind(is_of_itself)
}

/// Whether a call gives something else than one array.
pub fn gives_another(expression: &str) -> bool {
    let line = Line::new(expression.trim_start_matches('&'));
    let open = line.find("(").next().unwrap_or_default();
    let is_whole = line.closing(open).is_some_and(|close| close + 1 == line.len());
    is_whole && open > 0 && list_has(OTHERS, line.at(open - 1))
}

/// How many axes the array of an expression has, if its text shows it.
pub fn axes_of(expression: &str, known: &Known<'_>) -> Option<usize> {
    axes_at_depth(expression, known.cell, DEPTH)
}

fn axes_at_depth(expression: &str, cell: &str, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let expression = without_parentheses(expression.trim().trim_end_matches(';').trim_start_matches('&'));
    if is_name(expression) {
        return axes_at_depth(declared(expression, cell)?, cell, depth);
    }
    let line = Line::new(expression);
    let last = line.len().checked_sub(1)?;
    let is_transposed =
        line.at(last) == "T" || line.at(last) == ")" && line.before(last, 1) == "(" && line.before(last, 2) == "t";
    let dot = (0..last).rev().find(|at| line.at(*at) == "." && matches!(line.at(at + 1), "T" | "t"));
    if let Some(dot) = dot.filter(|_| is_transposed) {
        return axes_at_depth(line.slice(0, dot.checked_sub(1)?), cell, depth);
    }
    let open = line.opening(last).filter(|open| line.at(*open) == "(" && *open > 0)?;
    let arguments = line.arguments(open)?;
    let lengths = |shape: &str| {
        let shape = Line::new(shape);
        if shape.at(0) == "(" { shape.arguments(0).map(|all| all.len()) } else { Some(1) }
    };
    match (line.at(open - 1), &arguments[..]) {
        ("zeros" | "ones" | "empty" | "full" | "random" | "reshape", [shape, ..]) if shape.starts_with('(') => {
            lengths(shape)
        }
        ("reshape" | "rand" | "randn", all) if !all.is_empty() => Some(all.len()),
        ("eye" | "identity" | "matmul", _) => Some(2),
        ("arange" | "linspace", _) => Some(1),
        ("array", [list, ..]) => {
            let list = list.trim_start_matches('&');
            Some(list.len() - list.trim_start_matches(['[', '(']).len())
        }
        _ => None,
    }
}

/// The operands of an expression of operators.
fn operands(line: &Line) -> Option<Vec<(usize, usize)>> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while at < line.len() {
        while matches!(line.at(at), "~" | "+") {
            at += 1;
        }
        let last = line.operand_after(at)?;
        parts.push((at, last));
        let sign = line.at(last + 1);
        let is_operator = matches!(sign, "+" | "-" | "*" | "/" | "%" | "**" | "@" | "&" | "|" | "^" | "//")
            || COMPARISONS.iter().any(|(comparison, _)| *comparison == sign);
        if last + 1 < line.len() && !is_operator {
            return None;
        }
        at = last + 2;
    }
    Some(parts)
}

/// What an operand gives: a variable or a call, and what is called on it.
fn of_operand(line: &Line, known: &Known<'_>, depth: usize) -> Option<String> {
    let start = (0..line.len()).find(|at| !matches!(line.at(*at), "-" | "&" | "!" | "~"))?;
    let (mut made, mut at) = if line.at(start) == "(" {
        let close = line.closing(start)?;
        (at_depth(line.slice(start, close), known, depth)?, close + 1)
    } else if matches!(line.at(start), "gpu" | "np" | "numpy" | "cp" | "cupy") {
        let mut last = start;
        while matches!(line.at(last + 1), "." | "::") && line.is_word(last + 2) {
            last += 2;
        }
        let open = (last + 1..line.len()).find(|at| line.at(*at) == "(")?;
        // `gpu::zeros::<f32>(3)`, but not `gpu::DType::F32` or a macro of arguments with names.
        let between = line.slice(last + 1, open - 1);
        let has_axis = || line.arguments(open).is_some_and(|all| all.iter().any(|one| is_axis(one)));
        let name = line.at(last);
        let gives_one =
            !list_has(OTHERS, name) && (!REDUCTIONS.contains(&name) || name.starts_with("cum") || has_axis());
        if !gives_one || !(between.is_empty() || between == "!" || between.starts_with("::<")) {
            return None;
        }
        let element = between.strip_prefix("::<").and_then(|rest| rest.strip_suffix('>'));
        let closed = if element.is_some() { ">" } else { "" };
        (format!("{ARRAY}{}{closed}", element.unwrap_or_default()), line.closing(open)? + 1)
    } else {
        // What follows is called on a variable.
        if !line.is_word(start) || line.len() == 1 {
            return None;
        }
        (at_depth(line.at(start), known, depth)?, start + 1)
    };
    while at < line.len() {
        match line.at(at) {
            "." if line.is_word(at + 1) => {
                let name = line.at(at + 1);
                let open = (at + 2..line.len()).find(|open| line.at(*open) == "(");
                let open = open.filter(|open| *open == at + 2 || line.at(at + 2) == "::");
                let has_axis = || {
                    let arguments = open.and_then(|open| line.arguments(open)).unwrap_or_default();
                    arguments.iter().any(|one| is_axis(one) || is_integer(one))
                };
                if list_has(NOT_ARRAYS, name) || REDUCTIONS.contains(&name) && !name.starts_with("cum") && !has_axis() {
                    return None;
                }
                if COMPARISONS.iter().any(|(_, method)| *method == name) || name.starts_with("is_") {
                    made = MASK.to_owned();
                } else if let Some(element) = open.and_then(|open| element_between(line, at + 2, open)) {
                    made = format!("{ARRAY}{element}>");
                } else if !list_has(KEEPING, name) {
                    made = ARRAY.to_owned();
                }
                at = match open {
                    Some(open) => line.closing(open)? + 1,
                    None => at + 2,
                };
            }
            "[" => {
                // One element, if there are only numbers.
                let close = line.closing(at)?;
                let is_number =
                    |at: usize| line.kind(at) == Some(LineTokenKind::Number) || matches!(line.at(at), "," | "-");
                if (at + 1..close).all(is_number) {
                    return None;
                }
                at = close + 1;
            }
            _ => return None,
        }
    }
    Some(made)
}

/// The element type in `a.astype::<f64>()`.
fn element_between(line: &Line, first: usize, open: usize) -> Option<&str> {
    line.slice(first, open.checked_sub(1)?).strip_prefix("::<")?.strip_suffix('>')
}

fn is_axis(argument: &str) -> bool {
    keyword(argument).is_some_and(|(name, value)| matches!(name, "axis" | "dim") && value != "None")
}

#[cfg(test)]
mod tests {
    use super::super::tests::type_of as variables;
    use super::*;

    #[test]
    fn expressions_of_arrays_are_known() {
        let cell = "let d = a.copy();\nlet big = (a >= 5)\nlet e = np.sin(np.arange(20)).reshape(5, 4);\ntotal = a.sum()\n\
                    let f = (d - 1) * 2;\nlet g = gpu::zeros::<f32>(3);\nlet rows = m.mean(axis=1);";
        let known = Known::of_line(&[], cell, 1, &variables);
        for (expression, expected) in [
            ("d", Some("DeviceArray<f64>")),
            ("big", Some("DeviceArray<bool>")),
            ("e", Some(ARRAY)),
            ("total", None),
            ("f", Some("DeviceArray<f64>")),
            ("g", Some("DeviceArray<f32>")),
            ("rows", Some(ARRAY)),
            ("a.shape[0]", None),
            ("m[1:3]", Some("DeviceArray<f64>")),
            ("m[1, 2]", None),
            ("(a > 2) & big", Some("DeviceArray<bool>")),
            ("a % 2 == 0", Some("DeviceArray<bool>")),
            ("-a + 1", Some("DeviceArray<f64>")),
            ("x * 2", None),
            ("np.sum(m)", None),
            ("np.sum(m, axis=0)", Some(ARRAY)),
            ("gpu::DType::F32", None),
            ("[1, 2]", None),
            ("x", None),
        ] {
            assert_eq!(type_of(expression, &known).as_deref(), expected, "{expression}");
        }
        for (expression, expected) in [
            ("e", Some(2)),
            ("e.T", Some(2)),
            ("np.ones((5, 3))", Some(2)),
            ("np.array([[1, 2], [3, 4]])", Some(2)),
            ("np.arange(3)", Some(1)),
            ("a", None),
        ] {
            assert_eq!(axes_of(expression, &known), expected, "{expression}");
        }
    }
}
