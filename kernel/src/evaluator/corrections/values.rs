//! What an expression gives, as far as its text shows it: variables of the cell have no types yet where the cell does not compile.

use super::known::{ARRAY, Known};
use super::line::{Line, is_integer, is_name};
use super::named::{REDUCTIONS, keyword};
use super::operators::COMPARISONS;
use crate::evaluator::elements;
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
    unstack load save savetxt savez argmin argmax ptp input subplots plot scatter hist imshow label find_peaks triu_indices \
    tril_indices diag_indices mask_indices lu lu_factor cho_factor freqz sosfreqz stft topk welch periodogram spectrogram csd coherence \
    deconvolve polydiv max_len_seq find_objects";

/// Methods and fields of an array that do not give one.
const NOT_ARRAYS: &str = "\
    shape ndim size dtype itemsize nbytes len item get tolist to_host numpy trace dot nonzero device strides iter is_empty";

/// Methods that keep the type of the elements.
const KEEPING: &str = "\
    copy clone reshape ravel flatten transpose t T permute_dims squeeze expand_dims swapaxes slice take take_axis extract sort \
    repeat clip maximum minimum flat view broadcast_to";

/// How many variables may lead to one another.
pub const DEPTH: usize = 8;

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
        return match declared(expression, known.cell) {
            Some(value) => at_depth(value, known, depth),
            None => of_several(expression, known, depth),
        };
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
pub fn without_parentheses(expression: &str) -> &str {
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
        (!rest.starts_with('=')).then(|| rest.trim())
    };
    // `z = z[::-1]` says nothing.
    let is_of_itself = |value: &&str| Line::new(value).find(name).next().is_none();
    cell.lines().flat_map(statements).filter_map(value).rfind(is_of_itself)
}

/// The value that a cell gives several names, one of them this one: the place of the name, and how many there are.
pub fn declared_beside<'a>(name: &str, cell: &'a str) -> Option<(usize, usize, &'a str)> {
    cell.lines().rev().find_map(|text| {
        let text = text.trim();
        let (names, value) = text.strip_prefix("let ").unwrap_or(text).split_once('=')?;
        let names = names.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
        let names: Vec<&str> = names.split(',').map(|name| name.trim().trim_start_matches("mut ")).collect();
        let place = names.iter().position(|one| *one == name)?;
        let is_list = names.len() > 1 && names.iter().all(|one| is_name(one));
        is_list.then(|| (place, names.len(), value.trim().trim_end_matches(';')))
    })
}

/// The own value of one of several names: the second one of `p, q = 0, 1`.
pub fn listed_value(place: usize, count: usize, value: &str) -> Option<String> {
    let of = |text: &str| {
        let line = Line::new(text);
        let all = line.arguments(0).filter(|_| line.closing(0) == line.len().checked_sub(1))?;
        (all.len() == count).then(|| all[place].to_owned())
    };
    if value.starts_with('(') { of(value) } else { None }.or_else(|| of(&format!("({value})")))
}

/// Functions that give several arrays, of places and of other numbers.
const OF_PLACES: &str = "nonzero where triu_indices tril_indices diag_indices unravel_index mask_indices";
const OF_ARRAYS: &str = "\
    meshgrid mgrid ogrid unique histogram split array_split hsplit vsplit dsplit gradient eigh qr svd indices broadcast_arrays";

/// The type of one of several values: `i, j = np.nonzero(m)`.
fn of_several(name: &str, known: &Known<'_>, depth: usize) -> Option<String> {
    let (place, count, value) = declared_beside(name, known.cell)?;
    if let Some(own) = listed_value(place, count, value) {
        return at_depth(&own, known, depth);
    }
    let line = Line::new(value);
    let function = (0..line.len()).find(|at| matches!(line.at(at + 1), "(" | "[" | "!") && line.is_word(*at))?;
    match line.at(function) {
        function if list_has(OF_PLACES, function) => Some("DeviceArray<i64>".to_owned()),
        function if list_has(OF_ARRAYS, function) => Some(ARRAY.to_owned()),
        _ => None,
    }
}

/// The statements of a line. In `s![..;2]` a semicolon ends none.
pub fn statements(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth <= 0 => {
                all.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(text[from..].trim());
    all.retain(|one| !one.is_empty());
    all
}

/// Whether a call gives something else than one array.
pub fn gives_another(expression: &str) -> bool {
    let line = Line::new(expression.trim_start_matches('&'));
    let open = line.find("(").next().unwrap_or_default();
    let is_whole = line.closing(open).is_some_and(|close| close + 1 == line.len());
    // `gpu::diff(&a, 1, -1).nonzero()`
    let last = line.len().checked_sub(1).filter(|last| line.at(*last) == ")").and_then(|last| line.opening(last));
    let is_other =
        last.is_some_and(|open| open > 1 && line.before(open, 2) == "." && list_has(NOT_ARRAYS, line.at(open - 1)));
    // Also of a macro: `gpu::histogram!(&a, bins = 4)`.
    let name = if line.before(open, 1) == "!" { line.before(open, 2) } else { line.before(open, 1) };
    is_other || is_whole && (list_has(OTHERS, name) || gives_several(name, &line.text))
}

/// Whether a call gives several arrays as its arguments say: `gpu::unique!(&a, return_counts = true)`
fn gives_several(name: &str, call: &str) -> bool {
    name == "unique" && call.contains("return_")
}

/// The operands of an expression of operators.
pub fn operands(line: &Line) -> Option<Vec<(usize, usize)>> {
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
        let has_several = gives_several(name, line.slice(open, line.closing(open)?));
        if !gives_one || has_several || !(between.is_empty() || between == "!" || between.starts_with("::<")) {
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
                if is_element(line, start, at, known) {
                    return None;
                }
                at = line.closing(at)? + 1;
            }
            _ => return None,
        }
    }
    Some(made)
}

/// Whether the brackets that open there lead to one element: with whole numbers only, one for each axis.
fn is_element(line: &Line, start: usize, open: usize, known: &Known<'_>) -> bool {
    let Some(indices) = line.arguments(open).filter(|indices| !indices.is_empty()) else { return false };
    let is_number = |index: &&str| is_integer(index.trim_start_matches('-').trim());
    let are_numbers = indices.iter().all(is_number);
    if !are_numbers && !indices.iter().all(|index| is_number(index) || is_place(index, known, DEPTH)) {
        return false;
    }
    // Of the notebook's arrays the axes may be known.
    let array = line.slice(start, open - 1);
    match known.variable(array).and_then(|_| (known.axes)(array)) {
        Some(axes) => axes <= indices.len(),
        None => are_numbers || indices.len() > 1 || !known.rows,
    }
}

/// Whether an index is one whole number: `k + 1` of a loop, `middle` after `middle = (low + high) // 2`.
pub fn is_place(index: &str, known: &Known<'_>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let index = without_parentheses(index.trim().trim_end_matches(';'));
    if is_name(index) {
        return known.is_integer(index)
            || known.variable(index).is_some_and(|name| name == "usize" || elements::is_integer(&name))
            || is_counter(index, known)
            || first_declared(index, known.cell).is_some_and(|value| is_place(value, known, depth));
    }
    if is_integer(index) {
        return true;
    }
    if let Some(index) = index.strip_prefix('-') {
        return is_place(index, known, depth);
    }
    let line = Line::new(index);
    let Some(parts) = operands(&line) else { return false };
    if parts.len() > 1 {
        let is_sum = |at: usize| matches!(line.at(at), "+" | "-" | "*" | "%" | "//" | "/");
        return parts.windows(2).all(|pair| is_sum(pair[0].1 + 1))
            && parts.iter().all(|part| is_place(line.part(*part), known, depth));
    }
    // `len(a)`, `a.len()`, `a.shape[0]`
    let is_length = matches!(line.at(0), "len" | "int") && line.at(1) == "(" && line.closing(1) == Some(line.len() - 1);
    let is_of_array = |name: &str| line.find(name).any(|at| line.before(at, 1) == "." && at + 4 > line.len());
    is_length
        || is_of_array("len")
        || is_of_array("size")
        || line.find("shape").any(|at| line.before(at, 1) == "." && line.at(line.len() - 1) == "]")
}

/// Whether a loop counts with a name: `for k, value in enumerate(a):`
fn is_counter(name: &str, known: &Known<'_>) -> bool {
    let begins = [format!("for {name}, "), format!("for ({name}, ")];
    let counts = |line: &str| line.contains("enumerate(") || line.contains(".enumerate()");
    known.cell.lines().map(str::trim_start).any(|line| begins.iter().any(|head| line.starts_with(head)) && counts(line))
}

/// The value with which a variable of the cell begins.
fn first_declared<'a>(name: &str, cell: &'a str) -> Option<&'a str> {
    cell.lines().flat_map(statements).find_map(|text| declared(name, text))
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
                    let f = (d - 1) * 2;\nlet g = gpu::zeros::<f32>(3);\nlet rows = m.mean(axis=1);\n\
                    low = 0\nhigh = len(a)\nfor k in range(3):\nfor j, value in enumerate(a):\nmiddle = (low + high) // 2\nlow = middle + 1\nhigh = middle";
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
            ("a[k]", None),
            ("a[k + 1]", None),
            ("a[-k]", None),
            ("a[middle]", None),
            ("m[k, 0]", None),
            ("a[n]", None),
            ("a[len(a) - 1]", None),
            ("a[k] % 2", None),
            ("a[k] - a[j]", None),
            ("a[k:]", Some("DeviceArray<f64>")),
            ("m[k, :]", Some("DeviceArray<f64>")),
            ("a[i]", Some("DeviceArray<f64>")),
            ("a[big]", Some("DeviceArray<f64>")),
            ("a[unknown]", Some("DeviceArray<f64>")),
            ("gpu::histogram!(&a, bins = 4)", None),
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
    }
}
