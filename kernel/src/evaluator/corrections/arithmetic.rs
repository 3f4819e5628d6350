//! Python's arithmetic of whole numbers: `/` gives floats, `%` has the sign of the divisor, and integers have 64 bits.
//!
//! In Rust such a line may compile and give other numbers. So this rule comes before the others: it reads the expressions of a line
//! that is Python's by its operators, and writes the conversions into them. A line of the user's own Rust keeps its meaning.

use super::axes::axes_of;
use super::dtypes::{Kind, Numbers, kind_of_dtype, kind_of_element, of_function};
use super::known::{ARRAY, Known};
use super::languages::{MODULES, has_rust};
use super::line::{LONGEST_LINE, Line, LineTokenKind, is_integer, is_name};
use super::named::keyword;
use super::operators::{COMPARISONS, as_argument, as_object, keeping_arrays, with_references};
use super::values::declared;
use std::cell::Cell;

/// How many variables may lead to one another, and how deep expressions are read.
const DEPTH: usize = 12;

/// How many bytes may be read to read one expression: those of the cell for each of its operands, which may be variables of the cell.
/// What takes more is left as it is.
const MOST_READ: usize = 2_000_000;

/// The same for the notes about a cell.
const MOST_READ_FOR_NOTES: usize = 4_000_000;

/// Integers whose squares `i32` can hold.
const SAFE: i128 = 46_340;

/// Words that are no operands.
const WORDS: [&str; 22] = [
    "return", "in", "if", "while", "match", "let", "mut", "else", "elif", "and", "or", "not", "for", "lambda", "is",
    "def", "fn", "import", "from", "assert", "del", "as",
];

/// `counts / counts.sum()`, `-z % 3`, `z ** 2` with the numbers that NumPy gives.
pub fn in_numpy(line: &Line, known: &Known<'_>) -> Option<String> {
    let left = Cell::new(MOST_READ);
    in_numpy_within(line, known, &left)
}

fn in_numpy_within(line: &Line, known: &Known<'_>, left: &Cell<usize>) -> Option<String> {
    if !known.is_python || known.device.is_some() || line.text.len() > LONGEST_LINE {
        return None;
    }
    let new = rewritten(&line.text, known, Bounds { depth: DEPTH, left });
    // What was read in part only would get a part of the conversions.
    if left.get() == 0 {
        return None;
    }
    (new != line.text).then_some(new)
}

/// `gpu::arange(100000_i64)`: integers that are too large to be squared as `i32`.
pub fn of_large_numbers(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_maker = |at: &usize| {
        matches!(line.at(*at), "arange" | "array") && line.before(*at, 1) == "::" && line.at(at + 1) == "("
    };
    if !known.is_python {
        return None;
    }
    (0..line.len()).filter(is_maker).find_map(|at| {
        let close = line.closing(at + 1)?;
        let is_number = |at: &usize| line.kind(*at) == Some(LineTokenKind::Number);
        let numbers: Vec<usize> = (at + 2..close).filter(is_number).collect();
        let is_other = |at: usize| {
            line.is_word(at)
                || !is_number(&at) && !matches!(line.at(at), "(" | ")" | "[" | "]" | "," | "-" | "&" | "..")
        };
        if (at + 2..close).any(is_other) || !numbers.iter().all(|at| is_integer(line.at(*at))) {
            return None;
        }
        let large =
            numbers.into_iter().find(|at| line.at(*at).replace('_', "").parse().is_ok_and(|n: i128| n > SAFE))?;
        Some(line.with(large, large, &format!("{}_i64", line.at(large))))
    })
}

/// What to say of the lines of a cell that ran, in which `/` or `%` of the notebook's arrays has given other numbers than in Python.
/// Nothing of a cell that has something of Rust.
pub fn notes(cell: &str, type_of: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    if !cell.contains(['/', '%']) || has_rust(cell) {
        return Vec::new();
    }
    let left = Cell::new(MOST_READ_FOR_NOTES);
    let has_sign = |(_, text): &(usize, &str)| text.len() <= LONGEST_LINE && text.contains(['/', '%']);
    let lines = cell.lines().enumerate().filter(has_sign).filter_map(|(index, text)| {
        let line = Line::new(text.trim());
        let is_array = |at| line.is_word(at) && type_of(line.at(at)).is_some_and(|name| name.starts_with(ARRAY));
        if !(0..line.len()).any(is_array) {
            return None;
        }
        left.set(left.get().saturating_sub(cell.len()));
        if left.get() == 0 {
            return None;
        }
        let known = Known::of_line(&[], cell, index + 1, type_of);
        let python = in_numpy_within(&line, &known, &left)?;
        let why = if python.contains(" as f64") || python.contains("astype") {
            "a quotient of integers is an integer in Rust"
        } else if python.contains("gpu::modulo(") {
            "what `%` gives has the sign of the first number in Rust"
        } else {
            return None;
        };
        Some(format!(
            "note: line {}: {why}; for what NumPy gives, write `{}`\n",
            index + 1,
            keeping_arrays(&python, &known)
        ))
    });
    lines.collect()
}

/// Whether a cell computes with whole numbers, or sets elements to them: `z[0] = 1`, `np.ones(3) * 2`.
pub fn meets_whole_numbers(known: &Known<'_>) -> bool {
    let is_set = |line: &str| {
        let line = Line::new(line.trim().trim_end_matches([';', ')']));
        let sign = (1..line.len()).find(|at| matches!(line.at(*at), "=" | "+=" | "-=" | "*=" | "/="));
        sign.is_some_and(|sign| {
            let value = line.slice(sign + 1, line.len() - 1);
            line.before(sign, 1) == "]" && numbers_of(value, known).is_some_and(|numbers| numbers.is_whole())
        })
    };
    let is_made_with = |line: &str| {
        let line = Line::new(line);
        (0..line.len()).any(|at| {
            let is_maker = matches!(line.at(at), "zeros" | "ones" | "empty") && line.at(at + 1) == "(";
            let behind = line.closing(at + 1).filter(|_| is_maker).map(|close| close + 1);
            let before = at.checked_sub(4);
            let is_sign = |sign: &str| matches!(sign, "+" | "-" | "*" | "/");
            behind.is_some_and(|at| is_sign(line.at(at)) && is_integer(line.at(at + 1)))
                || is_maker && before.is_some_and(|before| is_integer(line.at(before)) && is_sign(line.at(before + 1)))
        })
    };
    // An array of whole numbers anywhere: `image += padded[1:]`
    let cell = Line::new(known.cell);
    let is_array = |at: usize| {
        let is_name = cell.is_word(at) && !matches!(cell.before(at, 1), "." | "::") && cell.at(at + 1) != "(";
        is_name && numbers_of(cell.at(at), known).is_some_and(|numbers| numbers.is_array && numbers.is_whole())
    };
    known.cell.lines().any(|line| is_set(line) || is_made_with(line)) || (0..cell.len()).any(is_array)
}

/// What an expression gives.
pub fn numbers_of(text: &str, known: &Known<'_>) -> Option<Numbers> {
    let left = Cell::new(MOST_READ);
    at_depth(text, known, Bounds { depth: DEPTH, left: &left })
}

/// How much may still be read.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    /// How deep.
    depth: usize,
    /// How many bytes.
    left: &'a Cell<usize>,
}

impl Bounds<'_> {
    /// The bounds one level deeper.
    fn below(self) -> Option<Self> {
        Some(Bounds { depth: self.depth.checked_sub(1)?, ..self })
    }
}

fn at_depth(text: &str, known: &Known<'_>, bounds: Bounds<'_>) -> Option<Numbers> {
    if text.len() > LONGEST_LINE {
        return None;
    }
    let line = Line::new(text.trim());
    let value = Reader { line: &line, known, bounds: bounds.below()? }.expression(0, 0)?;
    value.numbers.filter(|_| value.last + 1 == line.len())
}

/// A text of expressions, signs and words with NumPy's arithmetic in its expressions.
fn rewritten(text: &str, known: &Known<'_>, bounds: Bounds<'_>) -> String {
    let line = Line::new(text);
    let Some(bounds) = bounds.below() else { return text.to_owned() };
    let reader = Reader { line: &line, known, bounds };
    let (mut at, mut found) = (0, Vec::new());
    // Behind a statement `//` begins a comment.
    let end = line.find("//").find(|at| line.before(*at, 1) == ";").unwrap_or(line.len());
    while at < end {
        match reader.expression(at, 0) {
            Some(value) if value.last < end => {
                at = value.last + 1;
                found.push(value);
            }
            _ => at += 1,
        }
    }
    let mut new = text.to_owned();
    for value in found.into_iter().rev() {
        new = line.with_tail(&new, value.first, value.last, &value.text);
    }
    new
}

/// A part of a line that gives a value.
struct Value {
    first: usize,
    last: usize,
    /// How it is written with NumPy's arithmetic.
    text: String,
    numbers: Option<Numbers>,
    /// How strongly its operator binds.
    binds: u8,
}

const COMPARING: u8 = 3;
const ADDING: u8 = 7;
const MULTIPLYING: u8 = 8;
const NEGATING: u8 = 9;
const RAISING: u8 = 10;
const OPERAND: u8 = 12;

/// How strongly an operator of two operands binds.
fn strength(sign: &str) -> Option<u8> {
    Some(match sign {
        "or" | "||" => 1,
        "and" | "&&" => 2,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "+" | "-" => ADDING,
        "*" | "/" | "//" | "%" | "@" => MULTIPLYING,
        "**" => RAISING,
        _ if COMPARISONS.iter().any(|(comparison, _)| *comparison == sign) => COMPARING,
        _ => return None,
    })
}

struct Reader<'a> {
    line: &'a Line,
    known: &'a Known<'a>,
    bounds: Bounds<'a>,
}

impl Reader<'_> {
    /// The longest expression from a token on whose operators bind at least so strongly.
    fn expression(&self, first: usize, least: u8) -> Option<Value> {
        let mut left = self.prefixed(first)?;
        while let Some(binds) = strength(self.line.at(left.last + 1)).filter(|binds| *binds >= least) {
            let sign = left.last + 1;
            // The exponent may have a sign, and `a ** b ** c` is read from the right.
            let next = if binds == RAISING { NEGATING } else { binds + 1 };
            let Some(right) = self.expression(sign + 1, next) else { break };
            left = self.joined(left, sign, right, binds);
        }
        Some(left)
    }

    fn prefixed(&self, at: usize) -> Option<Value> {
        if !matches!(self.line.at(at), "-" | "+" | "~" | "!" | "&" | "*") {
            return self.operand(at);
        }
        let inner = self.expression(at + 1, NEGATING)?;
        let range = inner.numbers.as_ref().and_then(|numbers| numbers.range);
        let range = if self.line.at(at) == "-" { range.map(|(low, high)| (-high, -low)) } else { range };
        let numbers = inner.numbers.map(|numbers| Numbers { range, ..numbers });
        Some(Value {
            first: at,
            text: format!("{}{}{}", self.line.at(at), self.line.gap(at, inner.first), inner.text),
            numbers,
            binds: NEGATING,
            ..inner
        })
    }

    /// A number, a variable, a list, or a call, and what is called on it.
    fn operand(&self, at: usize) -> Option<Value> {
        let line = self.line;
        let left = self.bounds.left;
        left.set(left.get().saturating_sub(self.known.cell.len() + line.text.len()));
        if left.get() == 0 {
            return None;
        }
        let kind = line.kind(at)?;
        if kind == LineTokenKind::Word && WORDS.contains(&line.at(at))
            || !matches!(line.at(at), "(" | "[") && kind == LineTokenKind::Sign
        {
            return None;
        }
        // In `s![..]` there are places.
        let mut last = line.operand_after(at)?;
        let mut text = String::new();
        let mut token = at;
        while token <= last {
            let before = if token == at { "" } else { line.gap(token - 1, token) };
            text.push_str(before);
            let close = line.closing(token).filter(|_| matches!(line.at(token), "(" | "["));
            match close {
                Some(close) if close > token + 1 && line.before(token, 1) != "!" => {
                    let inside = rewritten(line.slice(token + 1, close - 1), self.known, self.bounds);
                    text.push_str(&format!("{}{inside}{}", line.at(token), line.at(close)));
                    token = close + 1;
                }
                Some(close) if close > token + 1 => {
                    let inside = line.slice(token + 1, close - 1);
                    let inside = if line.before(token, 2) == "s" {
                        inside.to_owned()
                    } else {
                        rewritten(inside, self.known, self.bounds)
                    };
                    text.push_str(&format!("{}{inside}{}", line.at(token), line.at(close)));
                    token = close + 1;
                }
                _ => {
                    text.push_str(line.at(token));
                    token += 1;
                }
            }
        }
        let mut numbers = self.numbers_of_operand(at, last);
        let mut binds = OPERAND;
        // `n as f64`
        while line.at(last + 1) == "as" && line.is_word(last + 2) {
            text.push_str(&format!(" as {}", line.at(last + 2)));
            numbers = kind_of_element(line.at(last + 2)).map(Numbers::scalar);
            (last, binds) = (last + 2, RAISING);
        }
        Some(Value { first: at, last, text, numbers, binds })
    }

    /// What an operand gives.
    fn numbers_of_operand(&self, first: usize, last: usize) -> Option<Numbers> {
        let line = self.line;
        let (mut numbers, mut at) = match line.at(first) {
            "(" => {
                let close = line.closing(first)?;
                (at_depth(line.slice(first + 1, close.checked_sub(1)?), self.known, self.bounds), close + 1)
            }
            "[" => (self.of_list(first), line.closing(first)? + 1),
            text if line.kind(first) == Some(LineTokenKind::Number) => (Some(of_number(text)?), first + 1),
            _ if !line.is_word(first) => return None,
            name => {
                let mut path = first;
                while matches!(line.at(path + 1), "." | "::")
                    && line.is_word(path + 2)
                    && (MODULES.contains(&name) || name == "gpu")
                {
                    path += 2;
                }
                if path == first && !matches!(line.at(first + 1), "(" | "!") {
                    (self.of_variable(name), first + 1)
                } else {
                    let open = (path + 1..=last).find(|at| line.at(*at) == "(");
                    match open {
                        Some(open) => {
                            let element =
                                line.slice(path + 1, open - 1).trim_start_matches("::<").trim_end_matches('>');
                            let numbers = self.of_call(line.at(path), None, open, element);
                            (numbers, line.closing(open)? + 1)
                        }
                        None if matches!(line.at(path), "pi" | "e" | "inf" | "nan" | "PI" | "E") => {
                            (Some(Numbers::scalar(Kind::Float)), path + 1)
                        }
                        None => return None,
                    }
                }
            }
        };
        while at <= last {
            match line.at(at) {
                "." => {
                    let name = line.at(at + 1);
                    let open = (at + 2..=last).find(|open| line.at(*open) == "(");
                    let open = open.filter(|open| *open == at + 2 || line.at(at + 2) == "::");
                    numbers = match open {
                        _ if matches!(name, "shape" | "size" | "ndim") => Some(Numbers::scalar(Kind::Integer)),
                        Some(open) => {
                            let element = line.slice(at + 2, open - 1).trim_start_matches("::<").trim_end_matches('>');
                            self.of_call(name, Some(numbers), open, element)
                        }
                        None if matches!(name, "T" | "real" | "imag" | "flat") => numbers,
                        None => None,
                    };
                    at = match open {
                        Some(open) => line.closing(open)? + 1,
                        None => at + 2,
                    };
                }
                "[" => {
                    let close = line.closing(at)?;
                    // One element, if there are only places.
                    let is_place = |index: usize| {
                        matches!(line.kind(index), Some(LineTokenKind::Number))
                            || matches!(line.at(index), "," | "-")
                            || self.of_variable(line.at(index)).is_some_and(|place| !place.is_array)
                    };
                    let parts = line.arguments(at)?.len();
                    let is_row = axes_of(line.slice(first, at - 1), self.known).is_some_and(|axes| axes > parts);
                    let is_one = !self.known.rows && !is_row && (at + 1..close).all(is_place);
                    numbers = numbers.map(|numbers| Numbers {
                        is_array: numbers.is_array && !is_one,
                        range: None,
                        ..numbers
                    });
                    at = close + 1;
                }
                _ => return None,
            }
        }
        numbers
    }

    fn of_list(&self, open: usize) -> Option<Numbers> {
        let parts = self.line.arguments(open)?;
        let mut all = parts.iter().map(|part| at_depth(part, self.known, self.bounds));
        let first = all.next()??;
        let joined = all.try_fold(first, |so_far, next| {
            let next = next?;
            let range = so_far.range.zip(next.range).map(|(one, other)| (one.0.min(other.0), one.1.max(other.1)));
            Some(Numbers { range, ..so_far.with(&next) })
        })?;
        Some(Numbers { is_array: true, ..joined })
    }

    fn of_variable(&self, name: &str) -> Option<Numbers> {
        if matches!(name, "True" | "False" | "true" | "false") {
            return Some(Numbers::scalar(Kind::Bool));
        }
        if let Some(type_name) = self.known.variable(name) {
            return Numbers::of_type(&type_name);
        }
        let cell = self.known.cell;
        if let Some(value) = declared(name, cell) {
            let made = at_depth(value.split("  #").next().unwrap_or(value), self.known, self.bounds)?;
            // Its numbers may have changed since.
            let is_changed = ["[", " += ", " *= ", " -= "].iter().any(|by| cell.contains(&format!("\n{name}{by}")));
            return Some(Numbers { range: made.range.filter(|_| !is_changed), ..made });
        }
        if let Some(numbers) = of_several(name, cell) {
            return Some(numbers);
        }
        self.known.is_integer(name).then(|| Numbers::scalar(Kind::Integer))
    }

    /// What a call gives: `object` is what a method is called on.
    fn of_call(&self, name: &str, object: Option<Option<Numbers>>, open: usize, element: &str) -> Option<Numbers> {
        let parts = self.line.arguments(open)?;
        let named: Vec<(&str, &str)> = parts.iter().filter_map(|part| keyword(part)).collect();
        let given = |word: &str| named.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        let others: Vec<&str> = parts.iter().filter(|part| keyword(part).is_none()).copied().collect();
        let is_method = object.is_some();
        if name == "astype" {
            let kind = kind_of_element(element).or_else(|| kind_of_dtype(others.first()?))?;
            let name = (!element.is_empty()).then(|| element.to_owned());
            return Some(Numbers { kind, name, range: None, ..object?? });
        }
        let of_part = |part: &str| at_depth(part, self.known, self.bounds);
        let has_axis = given("axis").or(given("dim")).is_some_and(|axis| axis != "None")
            || given("keepdims").is_some()
            || is_method && others.first().is_some_and(|axis| is_integer(&axis.replace("- ", "-")))
            || !is_method && others.get(1).is_some_and(|axis| is_integer(&axis.replace("- ", "-")));
        if name == "arange" || name == "range" {
            return of_range(&others, given("dtype").or(Some(element).filter(|element| !element.is_empty())), &of_part);
        }
        let takes_list = matches!(name, "concatenate" | "stack" | "vstack" | "hstack" | "column_stack" | "dstack");
        let arguments: Vec<Option<Numbers>> = match &object {
            Some(object) => std::iter::once(object.clone()).chain(others.iter().map(|part| of_part(part))).collect(),
            None if takes_list => others
                .first()
                .map(|list| of_part(&list.replacen('(', "[", 1).trim_start_matches('&').replace("),", "],")))
                .into_iter()
                .collect(),
            None => others.iter().map(|part| of_part(part)).collect(),
        };
        let made = of_function(name, &arguments, has_axis);
        let made = made.map(|numbers| if name == "array" { Numbers { is_array: true, ..numbers } } else { numbers });
        match given("dtype").or(Some(element).filter(|element| !element.is_empty() && *element != "!")) {
            Some(dtype) => {
                let kind = kind_of_dtype(dtype)?;
                Some(Numbers { kind, name: None, range: None, ..made.unwrap_or_else(|| Numbers::array(kind)) })
            }
            None => made,
        }
    }

    /// Two operands with the operator between them.
    fn joined(&self, left: Value, sign: usize, right: Value, binds: u8) -> Value {
        let (first, last) = (left.first, right.last);
        let known = self.known;
        let gap = self.line.gap(left.last, right.first);
        let both = left.numbers.as_ref().zip(right.numbers.as_ref());
        let numbers = both.map(|(left, right)| left.with(right));
        let plain = |left: &str, right: &str| format!("{left}{gap}{right}");
        let (text, numbers) = match self.line.at(sign) {
            "/" => {
                let of = |value: &Value| value.numbers.as_ref().map(Numbers::is_whole);
                let is_array =
                    [&left, &right].iter().any(|value| value.numbers.as_ref().is_some_and(|numbers| numbers.is_array));
                let quotient = if is_array { Numbers::array(Kind::Float) } else { Numbers::scalar(Kind::Float) };
                match (of(&left), of(&right)) {
                    (Some(false), _) | (_, Some(false)) => {
                        let kind = [&left, &right].iter().filter_map(|value| Some(value.numbers.as_ref()?.kind)).max();
                        (plain(&left.text, &right.text), kind.map(|kind| Numbers { kind, ..quotient }))
                    }
                    (None, None) => (plain(&left.text, &right.text), None),
                    // The compiler says it of what is not known.
                    (Some(true), _) | (_, Some(true)) => {
                        let (left, right) = (as_float(&left), as_float(&right));
                        // `n as f64 < 2.0` begins a list of types.
                        let is_cast = right.ends_with("as f64") && self.line.at(last + 1).starts_with('<');
                        let right = if is_cast { format!("({right})") } else { right };
                        (format!("{left} / {right}"), Some(quotient))
                    }
                }
            }
            "%" => (modulo(&left, &right, known).unwrap_or_else(|| plain(&left.text, &right.text)), numbers),
            "**" => raised(left, right, gap),
            "+" | "-" | "*" if both.is_some_and(|(left, right)| left.kind.max(right.kind) == Kind::Float) => {
                let is_one = |value: &Value| value.numbers.as_ref().is_some_and(|numbers| !numbers.is_array);
                // `1 + 0.1`
                let as_float = |value: &Value, other: &Value| {
                    let is_literal = is_integer(&value.text) && is_one(other);
                    if is_literal { format!("{}.0", value.text) } else { value.text.clone() }
                };
                (plain(&as_float(&left, &right), &as_float(&right, &left)), numbers)
            }
            _ if binds == COMPARING => {
                let is_array = numbers.as_ref().is_some_and(|numbers| numbers.is_array);
                (plain(&left.text, &right.text), numbers.map(|_| Numbers { is_array, ..Numbers::scalar(Kind::Bool) }))
            }
            _ => (plain(&left.text, &right.text), numbers),
        };
        Value { first, last, text, numbers, binds }
    }
}

/// The numbers of a literal.
fn of_number(text: &str) -> Option<Numbers> {
    if text.ends_with(['j', 'J']) {
        return Some(Numbers::scalar(Kind::Complex));
    }
    if let Ok(number) = text.replace('_', "").parse::<i128>() {
        return Some(Numbers { range: Some((number, number)), ..Numbers::scalar(Kind::Integer) });
    }
    let of_type = ["f32", "f64", "i32", "i64", "u8", "usize", "u32", "u64"].iter().find(|name| text.ends_with(**name));
    if let Some(name) = of_type {
        return Numbers::of_type(name);
    }
    text.starts_with("0x")
        .then(|| Numbers::scalar(Kind::Integer))
        .or_else(|| text.replace('_', "").parse::<f64>().ok().map(|_| Numbers::scalar(Kind::Float)))
}

/// What `np.arange` and `range` give.
fn of_range(parts: &[&str], dtype: Option<&str>, of_part: &dyn Fn(&str) -> Option<Numbers>) -> Option<Numbers> {
    if let Some(dtype) = dtype {
        return Some(Numbers::array(kind_of_dtype(dtype)?));
    }
    let mut all: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    // Here the bounds are a range, or a tuple with the step.
    if let [one] = parts {
        let inner = one.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(one);
        all = inner.split("..").flat_map(|part| part.split(',')).map(|part| part.trim().to_owned()).collect();
    }
    let numbers: Vec<Numbers> = all.iter().map(|part| of_part(part)).collect::<Option<_>>()?;
    let bounds: Option<Vec<i128>> = numbers.iter().map(|bound| bound.range.map(|(low, _)| low)).collect();
    let range = bounds.map(|bounds| match bounds[..] {
        [end] => (0, end),
        [start, end, ..] => (start.min(end), start.max(end)),
        [] => (0, 0),
    });
    let kind = numbers.iter().map(|bound| bound.kind).max()?;
    let name = numbers[0].name.clone();
    Some(Numbers { range, name, ..Numbers::array(kind.max(Kind::Integer)) })
}

/// What `h, e = np.histogram(a)` gives a name.
fn of_several(name: &str, cell: &str) -> Option<Numbers> {
    cell.lines().find_map(|text| {
        let (names, value) = text.trim().trim_start_matches("let ").split_once('=')?;
        let names: Vec<&str> = names.trim().trim_matches(['(', ')']).split(',').map(str::trim).collect();
        let at = names.iter().position(|one| *one == name).filter(|_| names.len() > 1)?;
        let called =
            |function: &str| value.contains(&format!(".{function}(")) || value.contains(&format!("::{function}"));
        let is_integer = match at {
            0 => called("histogram") || called("nonzero") || called("where"),
            _ => called("unique") || called("nonzero") || called("where"),
        };
        (is_integer && !value.contains("density")).then(|| Numbers::array(Kind::Integer))
    })
}

/// An operand of `/` as floats. Whether one of another kind is an array only the compiler knows: numbers are floats beside it.
fn as_float(value: &Value) -> String {
    let is_literal = |text: &str| is_integer(text);
    match &value.numbers {
        _ if is_literal(&value.text) => format!("{}.0", value.text),
        Some(numbers) if numbers.is_whole() && numbers.is_array => format!("{}.astype::<f64>()", object(value)),
        Some(numbers) if numbers.is_whole() => {
            let is_one =
                value.binds >= OPERAND || value.binds == NEGATING && is_name(value.text.trim_start_matches('-'));
            if is_one { format!("{} as f64", value.text) } else { format!("({}) as f64", value.text) }
        }
        _ => value.text.clone(),
    }
}

/// A value as the object of a method; the minus before one of its numbers stays before all of it.
fn object(value: &Value) -> String {
    if value.binds >= NEGATING && value.binds != RAISING { value.text.clone() } else { format!("({})", value.text) }
}

/// `-z % 3`, where the divisor gives the sign.
fn modulo(left: &Value, right: &Value, known: &Known<'_>) -> Option<String> {
    let (numbers, divisor) = (left.numbers.as_ref()?, right.numbers.as_ref()?);
    let is_positive = |numbers: &Numbers| numbers.range.is_some_and(|(low, _)| low >= 0);
    if is_positive(numbers) && is_positive(divisor) {
        return None;
    }
    if numbers.is_array && left.binds >= OPERAND {
        return Some(format!("{}.modulo({})", as_object(&left.text), as_argument(&right.text, known)));
    }
    if numbers.is_array {
        let value = with_references(&left.text, known);
        return Some(format!("gpu::modulo(&({value}), {})", as_argument(&right.text, known)));
    }
    let is_negative = left.text.starts_with('-') && numbers.is_whole() && divisor.is_whole() && !divisor.is_array;
    is_negative.then(|| {
        let number = if is_integer(&left.text) { format!("{}_i32", left.text) } else { left.text.clone() };
        format!("({number}).rem_euclid({})", right.text)
    })
}

/// `z ** 2` of integers, which have 64 bits in NumPy; `z ** 0.5` of integers gives floats.
fn raised(left: Value, right: Value, gap: &str) -> (String, Option<Numbers>) {
    let plain = |left: &str| format!("{left}{gap}{}", right.text);
    let (Some(base), Some(power)) = (&left.numbers, &right.numbers) else { return (plain(&left.text), None) };
    let both = base.with(power);
    if !(base.is_array && base.is_whole()) {
        return (plain(&left.text), Some(both));
    }
    let negative = power.range.is_some_and(|(low, _)| low < 0);
    if !power.is_whole() || negative {
        return (plain(&format!("{}.astype::<f64>()", object(&left))), Some(Numbers { name: None, ..both }));
    }
    // Whether `i32` holds the powers.
    let largest = base.range.map(|(low, high)| low.abs().max(high.abs()));
    let exponent = power.range.and_then(|(_, high)| u32::try_from(high).ok());
    let fits = largest
        .zip(exponent)
        .and_then(|(largest, exponent)| largest.checked_pow(exponent))
        .is_some_and(|most| most <= i128::from(i32::MAX));
    let is_narrow = base
        .name
        .as_deref()
        .is_none_or(|name| matches!(name, "i32" | "i16" | "i8" | "u8" | "u16" | "u32" | "{integer}"));
    // Then the array is made of wide ones.
    let is_wide = largest.is_some_and(|largest| largest > SAFE);
    if fits || is_wide || !is_narrow || base.kind == Kind::Bool || base.range.is_none() && base.name.is_none() {
        return (plain(&left.text), Some(both));
    }
    let text = plain(&format!("{}.astype::<i64>()", object(&left)));
    (text, Some(Numbers { name: Some("i64".to_owned()), ..both }))
}

#[cfg(test)]
mod tests {
    use super::super::{of_line, tests::type_of};
    use super::*;

    /// A line of a cell with NumPy's arithmetic, where another rule has not changed it yet.
    fn arithmetic(cell: &str) -> String {
        let line = cell.lines().last().unwrap();
        let known = Known::of_line(&[], cell, cell.lines().count(), &type_of);
        in_numpy(&Line::new(line), &known).unwrap_or_else(|| line.to_owned())
    }

    #[test]
    fn quotients_of_whole_numbers_are_floats() {
        for (typed, expected) in [
            ("i / 2", "i.astype::<f64>() / 2.0"),
            ("1 / i", "1.0 / i.astype::<f64>()"),
            ("i / i.sum()", "i.astype::<f64>() / i.sum() as f64"),
            ("i.sum() / 2", "i.sum() as f64 / 2.0"),
            ("len(a) / 2", "len(a) as f64 / 2.0"),
            ("a.shape[0] / 2", "a.shape[0] as f64 / 2.0"),
            ("i[0] / i[1]", "i[0] as f64 / i[1] as f64"),
            ("2 * i / 3", "(2 * i).astype::<f64>() / 3.0"),
            ("-i / 2", "-i.astype::<f64>() / 2.0"),
            ("-7 / 2", "-7.0 / 2.0"),
            ("(n + 1) / 2", "(n + 1) as f64 / 2.0"),
            ("i ** 2 / 4", "(i ** 2).astype::<f64>() / 4.0"),
            ("mask / 2", "mask.astype::<f64>() / 2.0"),
            ("np.arange(10) / 4", "np.arange(10).astype::<f64>() / 4.0"),
            (
                "np.array([1, 2]) / np.arange(1, 3)",
                "np.array([1, 2]).astype::<f64>() / np.arange(1, 3).astype::<f64>()",
            ),
            ("np.ones(3, dtype=int) / 2", "np.ones(3, dtype=int).astype::<f64>() / 2.0"),
            ("print(i / i.max(), 3)", "print(i.astype::<f64>() / i.max() as f64, 3)"),
            ("y = (i / 2).sum()", "y = (i.astype::<f64>() / 2.0).sum()"),
            ("i.sum() / n < 2", "i.sum() as f64 / (n as f64) < 2"),
            ("i.sum(axis=0) / 2", "i.sum(axis=0).astype::<f64>() / 2.0"),
            ("i.mean() / 2", "i.mean() / 2"),
            ("f(i) / 2", "f(i) / 2.0"),
            ("y = np.arange(4)\ny / 2", "y.astype::<f64>() / 2.0"),
            ("y = np.bincount(i)\nprint(y / y.sum())", "print(y.astype::<f64>() / y.sum() as f64)"),
            ("y, e = np.histogram(a)\nprint(y / y.sum())", "print(y.astype::<f64>() / y.sum() as f64)"),
            ("for k in range(3):\n    print(k / 2)", "    print(k as f64 / 2.0)"),
            // Floats, and what is Rust.
            ("a / 2", "a / 2"),
            ("a / i", "a / i"),
            ("np.arange(10.0) / 4", "np.arange(10.0) / 4"),
            ("np.linspace(0, 1, 5) / 4", "np.linspace(0, 1, 5) / 4"),
            ("x / 2", "x / 2"),
            ("2j / 2", "2j / 2"),
            ("let y = &i / 2;", "let y = &i / 2;"),
            ("gpu::arange(4) / 2", "gpu::arange(4) / 2"),
            ("i / 2;", "i / 2;"),
        ] {
            assert_eq!(arithmetic(typed), expected, "{typed}");
            let lines: Vec<&str> = typed.lines().collect();
            let cell = [&lines[..lines.len() - 1], &[expected]].concat().join("\n");
            let known = Known { is_python: true, ..Known::of_line(&[], &cell, lines.len(), &type_of) };
            if expected != typed.lines().last().unwrap() {
                assert_eq!(in_numpy(&Line::new(expected), &known), None, "a second time: {expected}");
            }
        }
    }

    #[test]
    fn remainders_and_powers_are_those_of_numpy() {
        for (typed, expected) in [
            ("-i % 3", "gpu::modulo(&(-&i), 3)"),
            ("i % 3", "i.modulo(3)"),
            ("a % 2", "a.modulo(2)"),
            ("np.arange(10) % 3", "np.arange(10) % 3"),
            ("-7 % 3", "(-7_i32).rem_euclid(3)"),
            ("n % 2", "n % 2"),
            ("\"%d\" % n", "\"%d\" % n"),
            ("i ** 0.5", "i.astype::<f64>() ** 0.5"),
            ("i ** -1.0", "i.astype::<f64>() ** -1.0"),
            ("i ** 2", "i ** 2"),
            ("np.arange(10) ** 2", "np.arange(10) ** 2"),
            ("np.arange(1000) ** 4", "np.arange(1000).astype::<i64>() ** 4"),
            ("np.array([3, 2000]) ** 3", "np.array([3, 2000]).astype::<i64>() ** 3"),
            ("y = np.arange(1000)\ny ** 4", "y.astype::<i64>() ** 4"),
            ("-a ** 2", "-a ** 2"),
        ] {
            assert_eq!(arithmetic(typed), expected, "{typed}");
        }
    }

    #[test]
    fn what_rust_computes_otherwise_is_noted() {
        for (cell, expected) in [
            (
                "i / i.sum()",
                "a quotient of integers is an integer in Rust; for what NumPy gives, write `i.astype::<f64>() / i.sum() as f64`",
            ),
            (
                "-i % 3",
                "what `%` gives has the sign of the first number in Rust; for what NumPy gives, write `gpu::modulo(&(-&i), 3)`",
            ),
        ] {
            assert_eq!(notes(cell, &type_of), [format!("note: line 1: {expected}\n")], "{cell}");
        }
        for cell in ["&i / 2", "let y = i / 2;", "a / 2", "n / 2", "i % 3", "i + 1"] {
            assert_eq!(notes(cell, &type_of), [""; 0], "{cell}");
        }
    }

    #[test]
    fn large_integers_are_wide() {
        let faults = [(Some("E0425"), "cannot find value `np` in this scope")];
        for (typed, expected) in [
            ("np.arange(100000)", "gpu::arange(100000_i64)"),
            ("np.arange(5, 100000)", "gpu::arange((5, 100000_i64, 1))"),
            ("np.array([1, 100000])", "gpu::array(&[1, 100000_i64])"),
            ("np.arange(1000)", "gpu::arange(1000)"),
        ] {
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(of_line(typed, &known).as_deref(), Some(expected), "{typed}");
        }
    }
}
