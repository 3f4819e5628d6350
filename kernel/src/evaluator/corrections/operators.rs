//! Operators that Rust does not have, or not for arrays.

use super::known::{ARRAY, Known};
use super::line::{Line, LineTokenKind, is_integer, is_name};
use crate::evaluator::elements;
use crate::syntax::is_word;

/// An operand as the object of a method.
pub fn as_object(text: &str) -> String {
    let is_operand = |line: Line| line.operand_after(0).is_some_and(|last| last + 1 == line.len());
    let text = text.strip_prefix('&').filter(|rest| is_operand(Line::new(rest))).unwrap_or(text);
    let line = Line::new(text);
    let is_one = line.operand_after(0) == line.len().checked_sub(1) && !matches!(line.at(0), "-" | "&" | "!");
    if is_one { text.to_owned() } else { format!("({text})") }
}

/// An argument by reference, if it is an array or a sparse matrix.
pub fn as_argument(text: &str, known: &Known<'_>) -> String {
    if is_reference(text, known) {
        return text.to_owned();
    }
    let is_borrowed = known.is_array(text) || known.is_sparse(text);
    if !is_borrowed || text.starts_with('&') && is_operand(&text[1..]) {
        return text.to_owned();
    }
    if is_operand(text) && !text.starts_with(['-', '!', '~']) {
        return format!("&{text}");
    }
    format!("&({})", with_references(text, known))
}

/// Whether a name is a parameter that is a reference to an array already: `x` in `fn f(x: &DeviceArray<f64>)`.
pub fn is_reference(name: &str, known: &Known<'_>) -> bool {
    let lines: Vec<&str> = known.cell.lines().take(known.line).collect();
    let Some((text, before)) = lines.split_last().filter(|_| is_name(name)) else { return false };
    let is_head = |text: &&str| !text.starts_with([' ', '\t', '}']) && !text.trim().is_empty();
    let Some(at) = before.iter().rposition(is_head).filter(|_| text.starts_with([' ', '\t'])) else { return false };
    let Some(head) = before[at].strip_prefix("fn ").map(Line::new) else { return false };
    let is_own = |&(first, last): &(usize, usize)| {
        head.at(first) == name && head.at(first + 1) == ":" && head.slice(first + 2, last).starts_with("&DeviceArray<")
    };
    // `x = x - 1.0` makes an array of it.
    head.parts(1, ",").is_some_and(|parts| parts.iter().any(is_own))
        && !before[at + 1..].iter().any(|text| is_changed(name, text))
}

/// Whether a line gives a name another value: `let x = x - 1.0;`
fn is_changed(name: &str, text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_prefix("let ").unwrap_or(text);
    let text = text.strip_prefix("mut ").unwrap_or(text);
    text.strip_prefix(name).is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// Whether a text is one operand: a name or a call, and what is called on it.
pub fn is_operand(text: &str) -> bool {
    let line = Line::new(text);
    line.operand_after(0).is_some_and(|last| last + 1 == line.len())
}

/// Rows of numbers in parentheses as lists: `[(1, 2), (3, 4)]` is `[[1, 2], [3, 4]]`.
pub fn with_lists(text: &str) -> String {
    let is_of_numbers = text.contains(',')
        && text.starts_with(['(', '['])
        && !text.contains(|sign: char| !(sign.is_ascii_digit() || "()[],. -+e".contains(sign)));
    if is_of_numbers { text.replace('(', "[").replace(')', "]").replace(",]", "]") } else { text.to_owned() }
}

/// The parts of a list or of a tuple.
fn listed(text: &str) -> Option<Vec<String>> {
    let line = Line::new(text.trim_start_matches('&'));
    if line.find("for").next().is_some() {
        return None;
    }
    let is_whole = matches!(line.at(0), "[" | "(") && line.closing(0) == line.len().checked_sub(1);
    let parts = line.arguments(0).filter(|parts| is_whole && (line.at(0) == "[" || parts.len() > 1))?;
    Some(parts.into_iter().map(str::to_owned).filter(|part| !part.is_empty()).collect())
}

/// A list or a tuple of arrays as a list of references: `[&a, &(&b + 1.0)]`.
pub fn list_of_arrays(text: &str, known: &Known<'_>) -> Option<String> {
    let parts = listed(text)?;
    let is_array =
        |part: &String| known.is_array(part) || known.is_sparse(part) || comparison(&Line::new(part), known).is_some();
    if parts.is_empty()
        || !parts.iter().all(|part| is_array(part) || is_list(part))
        || parts.iter().all(|part| is_list(part))
    {
        return None;
    }
    let references = parts.iter().map(|part| match comparison(&Line::new(part), known) {
        Some(mask) => format!("&{mask}"),
        None if is_list(part) => array_of_list(part, false),
        None => as_argument(part, known),
    });
    Some(format!("[{}]", references.collect::<Vec<_>>().join(", ")))
}

/// An argument that is an array, by reference: also what NumPy makes one of, lists of numbers and of arrays, and comparisons.
pub fn as_array(text: &str, known: &Known<'_>) -> String {
    let lists = with_lists(text);
    if is_list(&lists) {
        return array_of_list(&lists, false);
    }
    if let Some(list) = list_of_arrays(text, known) {
        return format!("&gpu::stack({list}, 0)");
    }
    match comparison(&Line::new(text), known) {
        Some(mask) => format!("&{mask}"),
        None => as_argument(text, known),
    }
}

/// A whole number as a float.
pub fn as_float(text: &str) -> String {
    if is_integer(text) { format!("{text}.0") } else { text.to_owned() }
}

/// A text in which the whole numbers at these places of the line are floats.
pub fn with_floats(text: &str, is_one: impl Fn(&Line, usize) -> bool) -> String {
    let line = Line::new(text);
    (0..line.len())
        .rev()
        .filter(|&at| is_integer(line.at(at)) && is_one(&line, at))
        .fold(line.text.clone(), |text, at| Line::new(&text).with(at, at, &as_float(line.at(at))))
}

/// An array of the numbers in a list of Python's: floats if they have to be, or one of them is.
pub fn array_of_list(list: &str, are_floats: bool) -> String {
    let list = list.trim_start_matches('&');
    let line = Line::new(list);
    let is_float =
        |at: usize| line.at(at).contains('.') && line.at(at).starts_with(|first: char| first.is_ascii_digit());
    let is_special = list.contains("nan") || list.contains("np.inf") || list.contains("f64::");
    if !are_floats && !is_special && !(0..line.len()).any(is_float) {
        return format!("&gpu::array(&{list})");
    }
    format!("&gpu::array(&{})", with_floats(list, |_, _| true))
}

/// Whether a text is a list of numbers, or of truth values.
pub fn is_list(text: &str) -> bool {
    let mut text = text.trim_start_matches('&').to_owned();
    for number in ["true", "false", "True", "False", "np.nan", "np.inf", "f64::NAN", "f64::INFINITY"] {
        text = text.replace(number, "1");
    }
    text.starts_with('[')
        && text.ends_with(']')
        && text.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '[' | ']' | ',' | ' ' | '.' | '-' | 'e'))
        && text.contains(|sign: char| sign.is_ascii_digit())
}

/// A number that becomes an element of an array: a float, if the elements are floats.
pub fn as_element(text: &str, array: &str, known: &Known<'_>) -> String {
    let of_floats = match known.element_of(array).filter(|element| !element.is_empty()) {
        Some(element) => matches!(element.as_str(), "f32" | "f64"),
        // `np.array([0.5, 2])`
        None => {
            let line = Line::new(array);
            (0..line.len()).any(|at| line.kind(at) == Some(LineTokenKind::Number) && line.at(at).contains('.'))
        }
    };
    let (sign, number) = text.strip_prefix('-').map_or(("", text), |number| ("-", number.trim()));
    if of_floats { format!("{sign}{}", as_float(number)) } else { as_argument(text, known) }
}

/// Whether an expression has numbers and their variables only.
pub fn is_of_numbers(text: &str, known: &Known<'_>) -> bool {
    let line = Line::new(text);
    let is_number = |at: usize| match line.kind(at) {
        Some(LineTokenKind::Number) => true,
        _ if line.is_word(at) => {
            known.variable(line.at(at)).is_some_and(|name| matches!(&*name, "f64" | "f32" | "i32" | "i64"))
        }
        _ => matches!(line.at(at), "+" | "-" | "*" | "/" | "(" | ")"),
    };
    // `std::f64::consts::PI`
    let is_constant = |at: usize| {
        matches!(line.at(at), "std" | "f64" | "consts" | "PI" | "E" | "::") && line.text.contains("std::f64::consts::")
    };
    line.len() > 0 && (0..line.len()).all(|at| is_number(at) || is_constant(at))
}

/// A number as an array without axes, to be used beside another array.
pub fn array_of_number(number: &str, beside: &str, known: &Known<'_>) -> String {
    let is_whole = is_integer(number.trim_start_matches('-').trim());
    let number = if is_whole { as_element(number, beside, known) } else { number.to_owned() };
    format!("&gpu::array({number})")
}

/// `a @ b`
pub fn matrix_product(line: &Line, known: &Known<'_>) -> Option<String> {
    let at = line.find("@").next()?;
    let (mut first, last) = (line.operand_before(at)?, line.operand_after(at + 1)?);
    let left = line.slice(first, at - 1);
    if line.before(first, 1) == "&"
        && !matches!(line.kind(first.wrapping_sub(2)), Some(LineTokenKind::Word | LineTokenKind::Number))
    {
        first -= 1;
    }
    let right = line.slice(at + 1, last).trim_start_matches('&');
    if known.is_sparse(left) {
        return Some(line.with(first, last, &format!("{left}.dot(&{right})")));
    }
    Some(line.with(first, last, &format!("gpu::matmul(&{left}, &{right})")))
}

/// `matrix * x` of a sparse matrix, which is a product of matrices in SciPy.
pub fn sparse_product(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("cannot multiply `SparseMatrix<") && !known.says("cannot multiply `&SparseMatrix<") {
        return None;
    }
    line.find("*").find_map(|at| {
        let (mut first, last) = (line.operand_before(at)?, line.operand_after(at + 1)?);
        let left = line.slice(first, at - 1);
        if !known.is_sparse(left) {
            return None;
        }
        if line.before(first, 1) == "&" {
            first -= 1;
        }
        let right = line.slice(at + 1, last).trim_start_matches('&');
        Some(line.with(first, last, &format!("{}.dot(&{right})", left.trim_start_matches('&'))))
    })
}

/// `a ** 2`, and `a ^ 2` if the operands are not whole numbers.
pub fn power(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_xor = ["f64 ^", "f32 ^", "{float} ^", "> ^"].iter().any(|text| known.says(text));
    let at = line.find("**").next().or_else(|| line.find("^").next().filter(|_| is_xor))?;
    let (first, last) = (line.operand_before(at)?, line.operand_after(at + 1)?);
    let (base, power) = (line.slice(first, at - 1), line.slice(at + 1, last));
    // Of `i.tolist().into_iter().map(|w| …)`, the array has it.
    let is_of_elements = |text: &str| {
        line.text.contains(&format!("|{text}|"))
            && line.find("tolist").any(|at| {
                let array = line.operand_before(at - 1).map(|first| line.slice(first, at - 2));
                array.and_then(|array| known.element_of(array)).is_some_and(|element| elements::is_integer(&element))
            })
    };
    let is_whole = |text: &str| {
        // Of a closure's parameter in `v.iter().copied().map(|w| …)`, the list has the type.
        let is_of_list = line.text.contains(&format!("|{text}|"))
            && (0..line.len()).any(|at| {
                known.type_of(line.at(at)).is_some_and(|name| name.starts_with("Vec<i") || name.starts_with("Vec<u"))
            });
        is_integer(text)
            || known.is_integer(text)
            || is_of_list
            || is_of_elements(text)
            || known
                .type_of(text)
                .is_some_and(|known| known.starts_with(['i', 'u']) && known[1..].chars().all(|c| c.is_ascii_digit()))
    };
    let power_as = |type_name: &str| {
        if is_integer(power) { power.to_owned() } else { format!("{} as {type_name}", as_object(power)) }
    };
    let new = match (is_whole(base), is_whole(power)) {
        _ if known.is_array(power) && !known.is_array(base) && is_of_numbers(base, known) => {
            let base = if base.starts_with('(') { &base[1..base.len() - 1] } else { base };
            format!("gpu::full((), {base}).pow({})", as_argument(power, known))
        }
        _ if known.is_array(power) => format!("{}.pow({})", as_object(base), as_argument(power, known)),
        (_, true) if known.element_of(base).is_some_and(|element| elements::is_integer(&element)) => {
            format!("{}.pow({power})", as_object(base))
        }
        (true, true) if power.starts_with('-') => {
            if is_integer(base) {
                format!("{base}_f64.powi({power})")
            } else {
                format!("({base} as f64).powi({power})")
            }
        }
        (true, true) => {
            // Python's integers have any length.
            let number = base.parse::<i128>().ok().zip(power.parse().ok());
            let value = number.and_then(|(base, power)| base.checked_pow(power));
            let of_type = if value.is_some_and(|value| value > i128::from(i32::MAX)) { "i64" } else { "i32" };
            let base = if is_integer(base) { format!("{base}_{of_type}") } else { as_object(base) };
            format!("{base}.pow({})", power_as("u32"))
        }
        (true, false) if is_integer(base) => format!("{base}_f64.powf({power})"),
        (true, false) => format!("({base} as f64).powf({power})"),
        (false, is_whole_power) => {
            let is_literal = line.kind(first) == Some(LineTokenKind::Number) && first + 1 == at;
            let base = if is_literal { format!("{base}_f64") } else { as_object(base) };
            if is_whole_power { format!("{base}.powi({})", power_as("i32")) } else { format!("{base}.powf({power})") }
        }
    };
    Some(line.with(first, last, &new))
}

/// `.5` as Python's users write it.
pub fn leading_zero(line: &Line, _: &Known<'_>) -> Option<String> {
    let is_digits = |at: usize| line.at(at).chars().all(|digit| digit.is_ascii_digit());
    let is_start = |at: usize| {
        at == 0
            || matches!(
                line.before(at, 1),
                "(" | "[" | "," | "=" | "+" | "-" | "*" | "/" | "**" | "<" | ">" | "<=" | ">="
            )
    };
    let at = line.find(".").find(|at| {
        is_start(*at)
            && line.kind(at + 1) == Some(LineTokenKind::Number)
            && is_digits(at + 1)
            && line.slice(*at, at + 1).len() == line.at(at + 1).len() + 1
    })?;
    Some(line.with(at, at + 1, &format!("0.{}", line.at(at + 1))))
}

/// `m.any()` of numbers, as NumPy has it: whether one is not zero.
pub fn truth_of_numbers(line: &Line, known: &Known<'_>) -> Option<String> {
    const METHODS: [&str; 4] = ["any", "all", "any_axis", "all_axis"];
    line.calls(true).filter(|at| METHODS.contains(&line.at(*at))).find_map(|at| {
        let is_missing = known.says(&format!("no method named `{}` found for struct `DeviceArray<", line.at(at)));
        let is_done = line.slice(at.saturating_sub(5), at) == format!("ne(0).{}", line.at(at));
        (is_missing && !is_done).then(|| line.with(at, at, &format!("ne(0).{}", line.at(at))))
    })
}

/// `x = i / 2` of an array of integers gives floats in Python. A line with other errors that are Python's is meant so.
pub fn true_quotient(line: &Line, known: &Known<'_>) -> Option<String> {
    if known.device.is_some() || !known.says("cannot find value") {
        return None;
    }
    let are_whole = |text: &str| known.element_of(text).is_some_and(|element| elements::is_integer(&element));
    line.find("/").find_map(|at| {
        let (first, last) = (line.operand_before(at)?, line.operand_after(at + 1)?);
        let (left, right) = (line.slice(first, at - 1), line.slice(at + 1, last));
        let first = if line.before(first, 1) == "&" { first - 1 } else { first };
        let new = if are_whole(left) && (is_integer(right) || are_whole(right)) {
            format!("{}.true_divide({})", as_object(left.trim_start_matches('&')), as_argument(right, known))
        } else if is_integer(left) && are_whole(right) {
            format!("{} / {}.astype::<f64>()", as_float(left), as_object(right.trim_start_matches('&')))
        } else {
            return None;
        };
        Some(line.with(first, last, &new))
    })
}

/// `1 / 3` is a float in Python.
pub fn quotient(line: &Line, _: &Known<'_>) -> Option<String> {
    let at = line.find("/").find(|at| *at > 0 && is_integer(line.at(at - 1)) && is_integer(line.at(at + 1)))?;
    let is_number = matches!(line.before(at, 2), "." | "..") || matches!(line.at(at + 2), "." | "..");
    (!is_number)
        .then(|| line.with(at - 1, at + 1, &format!("{} / {}", as_float(line.at(at - 1)), as_float(line.at(at + 1)))))
}

/// `a.powi(2)` of whole numbers, as an earlier correction has it.
pub fn whole_power(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_refused = known.says("the method `powi` exists for struct `DeviceArray<");
    let at = line.calls(true).find(|at| is_refused && line.at(*at) == "powi")?;
    Some(line.with(at, at, "pow"))
}

/// The methods of comparisons.
pub const COMPARISONS: [(&str, &str); 6] =
    [("==", "eq"), ("!=", "ne"), ("<=", "le"), (">=", "ge"), ("<", "lt"), (">", "gt")];

/// Whether `<` or `>` is about types, as in `zeros::<f32>` and `Vec<_>`.
fn is_of_types(line: &Line, at: usize, known: &Known<'_>) -> bool {
    let is_type = |name: &str| name.starts_with(|first: char| first.is_uppercase()) && !known.is_array(name);
    let opens = |at: usize| line.at(at) == "<" && (line.before(at, 1) == "::" || is_type(line.before(at, 1)));
    let open = (0..at).filter(|before| opens(*before)).count();
    opens(at) || (line.at(at) == ">" && open > line.find(">").filter(|close| *close < at).count())
}

/// `[1.0, 2.0] * 2.0`
pub fn list(line: &Line, known: &Known<'_>) -> Option<String> {
    if !["add", "subtract", "multiply", "divide"].iter().any(|verb| known.says(&format!("cannot {verb} `[{{"))) {
        return None;
    }
    let open = line
        .find("[")
        .filter(|open| line.operand_before(*open).is_none() && !matches!(line.before(*open, 1), "&" | "!"))
        .find(|open| {
            let is_sign = |sign: &str| matches!(sign, "+" | "-" | "*" | "/");
            is_sign(line.before(*open, 1)) || line.closing(*open).is_some_and(|close| is_sign(line.at(close + 1)))
        })?;
    let close = line.closing(open)?;
    // In Python `[0] * k` repeats the list.
    let is_repeated = line.before(open, 1) == "*" || line.at(close + 1) == "*";
    if known.is_python && is_repeated && !line.text.contains('.') {
        return None;
    }
    Some(line.with(open, close, &format!("gpu::array(&{})", line.slice(open, close))))
}

/// `a > 2.0` of an array.
pub fn comparison(line: &Line, known: &Known<'_>) -> Option<String> {
    // Functions of device code do not compute with arrays.
    if known.device.is_some() { None } else { comparison_of_arrays(line, known) }
}

fn comparison_of_arrays(line: &Line, known: &Known<'_>) -> Option<String> {
    (1..line.len()).find_map(|at| {
        let (sign, method) = COMPARISONS.iter().find(|(sign, _)| *sign == line.at(at))?;
        if is_of_types(line, at, known) {
            return None;
        }
        // Lower than all other operators but the logical ones.
        let ends = |text: &str| {
            matches!(
                text,
                "(" | "[" | "{" | "," | "=" | ";" | "&&" | "||" | "&" | "|" | "if" | "while" | "return" | "!"
            )
        };
        let mut first = at;
        while first > 0 && !ends(line.at(first - 1)) {
            first = if matches!(line.at(first - 1), ")" | "]") { line.opening(first - 1)? } else { first - 1 };
        }
        // A reference at the beginning belongs to it.
        if first > 0
            && line.at(first - 1) == "&"
            && !matches!(line.kind(first.wrapping_sub(2)), Some(LineTokenKind::Word | LineTokenKind::Number))
            && line.before(first, 2) != ")"
        {
            first -= 1;
        }
        let mut last = at;
        while last + 1 < line.len()
            && !(matches!(line.at(last + 1), ")" | "]" | "}" | "{" | "," | ";" | "&&" | "||" | "|" | ":")
                || (line.at(last + 1) == "&" && last > at))
        {
            last = if matches!(line.at(last + 1), "(" | "[") { line.closing(last + 1)? } else { last + 1 };
        }
        if first == at || last == at {
            return None;
        }
        let (left, right) = (line.slice(first, at - 1), line.slice(at + 1, last));
        // `1.0 < a`
        let has_array = |text: &str| text.split(|character| !is_word(character)).any(|word| known.is_array(word));
        if known.is_array(right) && !has_array(left) {
            let mirrored = match method {
                &"lt" => "gt",
                &"gt" => "lt",
                &"le" => "ge",
                &"ge" => "le",
                same => same,
            };
            let right = with_references(right.strip_prefix('&').unwrap_or(right), known);
            return Some(line.with(first, last, &format!("{}.{mirrored}({left})", as_object(&right))));
        }
        let is_refused = known.says(&format!("binary operation `{sign}` cannot be applied to type `{ARRAY}"))
            || known.says(&format!("binary operation `{sign}` cannot be applied to type `&{ARRAY}"));
        // `a.get(&[k])` is a number.
        let is_number = [".get(", ".item("].iter().any(|call| left.contains(call)) && left.ends_with(')');
        let is_meant = is_refused && !is_name(left) && !is_number;
        if !is_meant && !known.is_array(left) {
            return None;
        }
        let left = with_references(left.strip_prefix('&').unwrap_or(left), known);
        Some(line.with(first, last, &format!("{}.{method}({})", as_object(&left), as_argument(right, known))))
    })
}

/// `&a + 1.0` for `a + 1.0`, which would move the array.
pub fn with_references(expression: &str, known: &Known<'_>) -> String {
    let mut line = Line::new(expression);
    for at in (0..line.len()).rev() {
        let is_operand = line.len() > 1
            && !matches!(line.before(at, 1), "&" | "." | "::")
            && !matches!(line.at(at + 1), "." | "::" | "(" | "[" | "!" | "**" | "@");
        if is_operand && line.is_word(at) && known.is_array(line.at(at)) && !is_reference(line.at(at), known) {
            line = Line::new(&line.with(at, at, &format!("&{}", line.at(at))));
        }
    }
    line.text
}

/// `~mask`: at the beginning of a cell, `!` would be a command of the shell.
pub fn inverted(line: &Line, known: &Known<'_>) -> Option<String> {
    let at = line.find("~").next()?;
    let last = line.operand_after(at + 1)?;
    let value = line.slice(at + 1, last);
    let is_whole = line.at(at + 1) == "(" && line.closing(at + 1) == Some(last);
    let inner = if is_whole { &value[1..value.len() - 1] } else { value };
    // A comparison gets its method first.
    let has_comparison = || COMPARISONS.iter().any(|(sign, _)| Line::new(inner).find(sign).next().is_some());
    let value = if is_whole && has_comparison() {
        comparison_of_arrays(&Line::new(inner), known)?
    } else {
        as_argument(value, known)
    };
    let inverted = if at == 0 { format!("(!{value})") } else { format!("!{value}") };
    Some(line.with(at, last, &inverted))
}

/// `mask + 1`: arrays of `bool` are counted as numbers.
pub fn of_masks(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_refused =
        ["add", "subtract", "multiply", "divide"].iter().any(|verb| known.says(&format!("cannot {verb} `")));
    if !is_refused || !known.says("DeviceArray<bool>") {
        return None;
    }
    let at = (0..line.len()).find(|at| {
        let is_mask = known.type_of(line.at(*at)).is_some_and(|name| name.contains("DeviceArray<bool>"));
        is_mask && line.at(at + 1) != "."
    })?;
    let first = if line.before(at, 1) == "&" { at - 1 } else { at };
    Some(line.with(first, at, &format!("{}.astype::<i64>()", line.at(at))))
}

/// `gpu::set!(a[0] = n * 2)` of an integer, `gpu::set!(a[1..] = a + b)`
pub fn set_value(line: &Line, known: &Known<'_>) -> Option<String> {
    let (element, found) = known.faults.iter().find_map(|(_, text)| {
        let (element, found) = text.strip_prefix("cannot combine an array of `")?.split_once("` with `")?;
        Some((element, found.strip_suffix('`')?.trim_start_matches('&')))
    })?;
    let is_array = found.starts_with(ARRAY);
    let is_number = is_array || found == "{integer}" || found.len() <= 5 && found.starts_with(['i', 'u', 'f']);
    let set = line.find("set").find(|at| line.at(at + 1) == "!" && line.at(at + 2) == "(" && is_number)?;
    let sign = (set..line.len()).find(|at| matches!(line.at(*at), "=" | "+=" | "-=" | "*=" | "/="))?;
    let last = line.closing(set + 2)?.checked_sub(1)?;
    let value = line.slice(sign + 1, last);
    // The compiler may mean a comparison between the brackets.
    let array = line.operand_before(sign).map_or("", |first| line.slice(first, sign - 1));
    let of_array = known.element_of(array.split('[').next().unwrap_or_default()).filter(|element| !element.is_empty());
    let element = of_array.as_deref().filter(|_| !is_array).unwrap_or(element);
    if elements::is_integer(element) && is_integer(value.trim_start_matches('-')) {
        return None;
    }
    if let Some(part) = element.split_once("Complex<").map(|(_, part)| part.trim_end_matches('>')) {
        let number = is_integer(value.trim_start_matches('-'));
        return (number && part == "f64")
            .then(|| line.with(sign + 1, last, &format!("gpu::Complex::new({value}.0, 0.0)")));
    }
    let element = match element {
        "{float}" => "f64",
        "{integer}" => "i32",
        element => element,
    };
    if is_array {
        let of = found.trim_start_matches(ARRAY).trim_end_matches('>');
        let is_other = of != element && !value.ends_with(&format!("astype::<{element}>()"));
        let converted = if is_other { format!(".astype::<{element}>()") } else { String::new() };
        let value = value.strip_prefix('&').map_or_else(|| as_object(value), as_object);
        let new = format!("&{value}{converted}");
        return (new != line.slice(sign + 1, last)).then(|| line.with(sign + 1, last, &new));
    }
    // Then a number between the brackets is meant.
    if element.starts_with('f') && value.contains('.') && value.parse::<f64>().is_ok() {
        return None;
    }
    if is_integer(value.trim_start_matches('-')) {
        return element.starts_with('f').then(|| line.with(sign + 1, last, &format!("{value}.0")));
    }
    (!value.ends_with(&format!(" as {element}")))
        .then(|| line.with(sign + 1, last, &format!("{} as {element}", as_object(value))))
}

/// `1 < x` of a float.
pub fn whole_number(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_refused = |left: &str, right: &str| known.says(&format!("can't compare `{left}` with `{right}`"));
    const FLOATS: [&str; 3] = ["f64", "f32", "{float}"];
    // `x > 0`
    if FLOATS.iter().any(|float| is_refused(float, "{integer}")) {
        let at = (1..line.len())
            .find(|at| COMPARISONS.iter().any(|(sign, _)| *sign == line.at(*at)) && is_integer(line.at(at + 1)))?;
        return Some(line.with(at + 1, at + 1, &as_float(line.at(at + 1))));
    }
    if !FLOATS.iter().any(|float| is_refused("{integer}", float)) {
        return None;
    }
    let at = (1..line.len())
        .find(|at| COMPARISONS.iter().any(|(sign, _)| *sign == line.at(*at)) && is_integer(line.before(*at, 1)))?;
    Some(line.with(at - 1, at - 1, &as_float(line.before(at, 1))))
}

/// `x++`, `++n`, `x =+ 1.0`
pub fn increment(line: &Line, known: &Known<'_>) -> Option<String> {
    let last = line.last();
    let sign_of = |sign: &str| match sign {
        "++" => Some("+="),
        "--" => Some("-="),
        _ => None,
    };
    // `x = -1` gives a value, as does `x=-1`.
    let is_spaced = !line.gap(0, 1).is_empty() && line.gap(1, 2).is_empty() && !line.gap(2, 3).is_empty();
    if line.at(1) == "="
        && matches!(line.at(2), "+" | "-" | "*" | "/")
        && is_spaced
        && line.is_word(0)
        && known.is_syntax()
        && last > 2
    {
        return Some(format!("{} {}= {};", line.at(0), line.at(2), line.slice(3, last)));
    }
    let (sign, name) = match sign_of(line.at(0)) {
        Some(sign) if last == 1 => (sign, line.at(1)),
        _ => (sign_of(line.at(last))?, line.slice(0, last.checked_sub(1)?)),
    };
    let one = if known.type_of(name).is_some_and(|name| name.starts_with('f')) { "1.0" } else { "1" };
    Some(format!("{name} {sign} {one};"))
}

/// `(-3).abs()` of a number whose type is open.
pub fn ambiguous(line: &Line, known: &Known<'_>) -> Option<String> {
    let (method, type_name) = known
        .faults
        .iter()
        .find_map(|(_, text)| text.strip_prefix("can't call method `")?.split_once("` on ambiguous numeric type `"))?;
    let suffix = if type_name.starts_with("{float}") { "_f64" } else { "_i32" };
    line.calls(true).filter(|at| line.at(*at) == method).find_map(|at| {
        let end = at.checked_sub(2)?;
        let number = if line.at(end) == ")" { end.checked_sub(1)? } else { end };
        let is_open = line.kind(number) == Some(LineTokenKind::Number)
            && line.at(number).chars().all(|sign| sign.is_ascii_digit() || sign == '.');
        is_open.then(|| line.with(number, number, &format!("{}{suffix}", line.at(number))))
    })
}

/// `(a - a.min()) / 2.0`: an operator or a function moves an array that it does not get by reference.
pub fn moved(line: &Line, known: &Known<'_>) -> Option<String> {
    let name = known.faults.iter().find_map(|(_, text)| text.split_once("of moved value: `")?.1.split('`').next())?;
    let is_array = known.is_array(name)
        || known.is_sparse(name)
        || known.says("type `DeviceArray<")
        || known.says("type `SparseMatrix<");
    let beside = |sign: &str| matches!(sign, "+" | "-" | "*" | "/" | "%");
    let whole = |at: &usize| line.at(*at) == name && !matches!(line.before(*at, 1), "&" | "." | "::");
    let of_operator = |at: &usize| {
        (beside(line.before(*at, 1)) || beside(line.at(at + 1))) && !matches!(line.at(at + 1), "." | "(" | "[")
    };
    let of_function = |at: &usize| {
        matches!(line.before(*at, 1), "(" | ",") && matches!(line.at(at + 1), ")" | ",") && line.text.contains("gpu::")
    };
    let mut places = (0..line.len()).filter(whole).filter(|at| of_operator(at) || of_function(at));
    let at = places.next().filter(|_| is_array)?;
    Some(line.with(at, at, &format!("&{name}")))
}

/// The line with references to the notebook's arrays beside its operators, which would move them away.
pub fn keeping_arrays(text: &str, known: &Known<'_>) -> String {
    let line = Line::new(text);
    let beside = |sign: &str| matches!(sign, "+" | "-" | "*" | "/" | "%");
    let at = (0..line.len()).find(|at| {
        let is_left = beside(line.at(at + 1)) && !matches!(line.before(*at, 1), "&" | "." | "::" | "-" | "!");
        // A sign before a name may be a prefix.
        let is_right = beside(line.before(*at, 1))
            && at.checked_sub(2).is_some_and(|before| {
                line.kind(before) != Some(LineTokenKind::Sign) || matches!(line.at(before), ")" | "]")
            });
        let is_whole = !matches!(line.at(at + 1), "." | "(" | "[" | "::" | "!" | "=" | "+=" | "-=" | "*=" | "/=");
        let is_assigned = line.at(1) == "=" && line.at(0) == line.at(*at);
        (is_left || is_right)
            && is_whole
            && !is_assigned
            && !is_reference(line.at(*at), known)
            && known.variable(line.at(*at)).is_some_and(|name| name.starts_with(ARRAY))
    });
    match (at, reference_of_reference(&line, known)) {
        (Some(at), _) => keeping_arrays(&line.with(at, at, &format!("&{}", line.at(at))), known),
        (None, Some(at)) => keeping_arrays(&line.with(at - 1, at, line.at(at)), known),
        (None, None) => text.to_owned(),
    }
}

/// The place of a name behind `&` that is a parameter and a reference itself.
pub fn reference_of_reference(line: &Line, known: &Known<'_>) -> Option<usize> {
    (1..line.len()).find(|at| {
        let is_prefix = line.before(*at, 1) == "&"
            && matches!(
                line.before(*at, 2),
                "" | "(" | "[" | "," | "=" | "return" | "+" | "-" | "*" | "/" | "%" | "&" | "|"
            );
        is_prefix && !matches!(line.at(at + 1), "." | "(" | "[" | "::" | "!") && is_reference(line.at(*at), known)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::second;

    #[test]
    fn elements_at_places_of_variables_are_numbers() {
        for (head, typed, expected) in [
            ("for q in range(3):", "if a[q] > 2.0:", "if a.get(&[q]) > 2.0 {"),
            ("for q in range(3):", "if m[q, 0] > 2:", "if m.get(&[q, 0]) > 2 {"),
            ("for q in range(3):", "if i[q] == 3:", "if i.get(&[q]) == 3 {"),
            ("for j in range(3):", "if a[j] > a[j + 1]:", "if a.get(&[j]) > a.get(&[j + 1]) {"),
            ("middle = 3", "if a[middle] < 5:", "if a.get(&[middle]) < 5 {"),
            ("for q in range(3):", "if i[q] % 2 == 0:", "if i.get(&[q]) % 2 == 0 {"),
            ("for q in range(3):", "while q < 3 and a[q] != 0:", "while q < 3 && a.get(&[q]) != 0 {"),
            ("for q in range(3):", "if a[q] > 1 and a[q] < 4:", "if a.get(&[q]) > 1 && a.get(&[q]) < 4 {"),
            ("q = 1", "a[:q] > 2.0", "a.slice(s![..q]).gt(2.0)"),
        ] {
            assert_eq!(second(head, typed).as_deref(), Some(expected), "{head} {typed}");
        }
    }
}
