//! Forms of other languages that Rust writes otherwise: types behind names, closures with an arrow, brackets behind the name of a
//! method, and conversions.

use super::known::Known;
use super::line::{Line, LineTokenKind, is_name};
use super::operators::as_object;

/// Types of Rust's own that begin with a small letter.
const TYPES: [&str; 17] = [
    "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "bool",
    "char", "str",
];

/// `"3.5".parse<f64>()`, `Vec<f64>::new()`
pub fn types_behind_name(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("comparison operators cannot be chained") {
        return None;
    }
    (1..line.len()).filter(|at| line.at(*at) == "<" && line.is_word(at - 1)).find_map(|open| {
        let close = end_of_types(line, open)?;
        let is_followed = line.at(close + 1) == "(" || line.at(close + 1) == ":" && line.at(close + 2) == ":";
        is_followed.then(|| line.with(open, open, "::<"))
    })
}

/// The bracket that closes a list of types.
fn end_of_types(line: &Line, open: usize) -> Option<usize> {
    let is_type = |word: &str| TYPES.contains(&word) || word == "_" || word.starts_with(char::is_uppercase);
    let mut depth = 0;
    let mut has_type = false;
    for at in open..line.len() {
        match line.at(at) {
            "<" => depth += 1,
            ">" if depth == 1 => return has_type.then_some(at),
            ">" => depth -= 1,
            "::" | "," | "&" | "(" | ")" | "[" | "]" | ";" => {}
            word if line.is_word(at) => has_type |= is_type(word),
            _ if line.kind(at) == Some(LineTokenKind::Number) => {}
            _ => return None,
        }
    }
    None
}

/// Methods whose closure has one parameter, which may be a pair.
const OF_ONE: [&str; 9] = ["map", "filter", "for_each", "all", "any", "find", "flat_map", "filter_map", "position"];

/// `filter(i -> i % 3 == 0)`, `fold(0, (a, b) => a + b)`
pub fn arrow(line: &Line, _: &Known<'_>) -> Option<String> {
    (1..line.len()).filter(|at| matches!(line.at(*at), "->" | "=>")).find_map(|arrow| {
        let first = if line.at(arrow - 1) == ")" { line.opening(arrow - 1)? } else { arrow - 1 };
        let names: Vec<&str> = match line.at(first) {
            "(" if first + 2 > arrow - 1 => Vec::new(),
            "(" => line.arguments(first)?,
            name => vec![name],
        };
        // An argument of a call, not an arm of `match`, and not behind the controls of a macro.
        let mut depth = 0;
        let open = (0..first).rev().find(|at| {
            depth += match line.at(*at) {
                ")" | "]" | "}" => 1,
                "(" | "[" | "{" => -1,
                _ => 0,
            };
            depth < 0
        })?;
        let is_argument = line.at(open) == "(" && line.is_word(open.checked_sub(1)?);
        if !is_argument
            || !matches!(line.before(first, 1), "(" | ",")
            || matches!(line.at(open - 1), "fn" | "Fn" | "FnMut" | "FnOnce")
            || !names.iter().all(|name| is_name(name))
        {
            return None;
        }
        let names_text = names.join(", ");
        let is_pair = names.len() > 1 && OF_ONE.contains(&line.at(open - 1));
        let parameters = if is_pair { format!("|({names_text})|") } else { format!("|{names_text}|") };
        Some(line.with(first, arrow, &parameters))
    })
}

/// `a.slice[..2, 2..]`, `a.slice[s![..2]]`
pub fn bracketed_slice(line: &Line, _: &Known<'_>) -> Option<String> {
    (1..line.len())
        .filter(|at| line.at(*at) == "slice" && line.before(*at, 1) == "." && line.at(at + 1) == "[")
        .find_map(|at| {
            let close = line.closing(at + 1).filter(|close| *close > at + 2)?;
            let inside = line.slice(at + 2, close - 1);
            let is_made = line.at(at + 2) == "s" && line.at(at + 3) == "!";
            let parts = if is_made { inside.to_owned() } else { format!("s![{inside}]") };
            Some(line.with(at, close, &format!("slice({parts})")))
        })
}

/// `n.as_f64()`, `n.to_f64()`
pub fn conversion(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(true).find_map(|at| {
        let name = line.at(at);
        let type_name = name.strip_prefix("as_").or_else(|| name.strip_prefix("to_"))?;
        let is_number = TYPES[..14].contains(&type_name);
        if !is_number || line.at(at + 2) != ")" || !known.says(&format!("no method named `{name}` found for type")) {
            return None;
        }
        let first = line.operand_before(at - 1)?;
        let number = format!("{} as {type_name}", as_object(line.slice(first, at - 2)));
        let is_part = first > 0 && !matches!(line.before(first, 1), "=" | "(" | ",") || line.at(at + 3) == ".";
        Some(line.with(first, at + 2, &if is_part { format!("({number})") } else { number }))
    })
}

/// The values of a control of `interact!` as ipywidgets takes them: `n: i32 in (0, 10)`; texts and floats of another type.
pub fn control(line: &Line, known: &Known<'_>) -> Option<String> {
    line.find("interact").find(|at| line.at(at + 1) == "!")?;
    line.find("in").find_map(|at| {
        let kind = line.before(at, 1);
        let is_float = matches!(kind, "f64" | "f32");
        match line.at(at + 1) {
            "(" if known.says("is not an iterator") => {
                let number = |text: &str| {
                    let is_whole = super::line::is_integer(text);
                    if is_float && is_whole { format!("{text}.0") } else { text.to_owned() }
                };
                let numbers: Vec<String> = line.arguments(at + 1)?.into_iter().map(number).collect();
                let dots = if is_float { ".." } else { "..=" };
                let range = match &numbers[..] {
                    [start, end] => format!("{start}{dots}{end}"),
                    [start, end, step] => format!("{start}{dots}{end} step {step}"),
                    _ => return None,
                };
                Some(line.with(at + 1, line.closing(at + 1)?, &range))
            }
            "[" if kind == "String" && known.says("::Item == String") => Some(line.with(at - 1, at - 1, "&str")),
            _ if TYPES[2..14].contains(&kind)
                && line.kind(at + 1) == Some(LineTokenKind::Number)
                && known.says("found floating-point number") =>
            {
                Some(line.with(at - 1, at - 1, "f64"))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::type_of;
    use super::super::{Known, of_line};

    #[test]
    fn forms_of_other_languages_are_rewritten() {
        const CHAINED: &str = "comparison operators cannot be chained";
        for (code, message, typed, expected) in [
            (None, CHAINED, "\"3.5\".parse<f64>()", "\"3.5\".parse::<f64>()"),
            (None, CHAINED, "(0..3).collect<Vec<i32>>()", "(0..3).collect::<Vec<i32>>()"),
            (None, CHAINED, "let v = Vec<f64>::new();", "let v = Vec::<f64>::new();"),
            (None, CHAINED, "let v = w.sum<i32>() + 1;", "let v = w.sum::<i32>() + 1;"),
            (None, CHAINED, "let v = HashMap<&str, [f64; 3]>::new();", "let v = HashMap::<&str, [f64; 3]>::new();"),
            (None, CHAINED, "0.0 < x < 3.0", "0.0 < x && x < 3.0"),
            (None, "expected", "(0..3).filter(j -> j % 3 == 0)", "(0..3).filter(|j| j % 3 == 0)"),
            (None, "expected", "(0..3).map((j) => j + 1)", "(0..3).map(|j| j + 1)"),
            (None, "expected", "(0..3).fold(0, (p, q) => p + q)", "(0..3).fold(0, |p, q| p + q)"),
            (None, "expected", "w.map((p, q) -> p + q)", "w.map(|(p, q)| p + q)"),
            (None, "expected", "f(() => 3)", "f(|| 3)"),
            (
                Some("E0615"),
                "attempted to take value of method `slice` on type `DeviceArray<f64>`",
                "m.slice[s![..2, 2..]]",
                "m.slice(s![..2, 2..])",
            ),
            (None, "expected `;`", "m.slice[..2, 2..]", "m.slice(s![..2, 2..])"),
            (None, "expected `;`", "m.slice[:2, 2:]", "m.slice(s![..2, 2..])"),
            (Some("E0599"), "no method named `as_f64` found for type `i32`", "n.as_f64() / 2.0", "n as f64 / 2.0"),
            (Some("E0599"), "no method named `to_f64` found for type `i32`", "1.0 + n.to_f64()", "1.0 + (n as f64)"),
            (
                Some("E0277"),
                "`({integer}, {integer})` is not an iterator",
                "gpu::interact!(n: i32 in (0, 10) => n)",
                "gpu::interact!(n: i32 in 0..=10 => n)",
            ),
            (
                Some("E0277"),
                "`({float}, {float}, {float})` is not an iterator",
                "gpu::interact!(t: f64 in (0, 1, 0.1) => t)",
                "gpu::interact!(t: f64 in 0.0..1.0 step 0.1 => t)",
            ),
            (
                Some("E0271"),
                "type mismatch resolving `<[&str; 2] as IntoIterator>::Item == String`",
                "gpu::interact!(t: String in [\"a\", \"b\"] => t)",
                "gpu::interact!(t: &str in [\"a\", \"b\"] => t)",
            ),
            (
                None,
                "invalid format string: expected `}`, found `.`",
                "println!(\"{n} {a.sum()} {n * 2:>5} {{}}\");",
                "println!(\"{n} {} {:>5} {{}}\", a.sum(), n * 2);",
            ),
            (
                None,
                "invalid format string: expected `}`, found `.`",
                "println!(\"{v:?} {a.sum()}\")",
                "println!(\"{v:?} {}\", a.sum())",
            ),
            (None, "invalid format string: expected `}`, found `[`", "format!(\"{v[0]}\")", "format!(\"{}\", v[0])"),
            (
                Some("E0308"),
                "mismatched types: expected `&mut DeviceArray<f64>`, found `DeviceArray<f64>`",
                "gpu::random::shuffle(a)",
                "gpu::random::shuffle(&mut a)",
            ),
            (
                Some("E0308"),
                "mismatched types: expected `&mut DeviceArray<f64>`, found `&DeviceArray<f64>`",
                "gpu::map_into(f, (&a, &b), &m);",
                "gpu::map_into(f, (&a, &b), &mut m);",
            ),
            (
                Some("E0308"),
                "expected `usize`, found floating-point number",
                "gpu::interact!(t: usize in 0.5..5.0 => t)",
                "gpu::interact!(t: f64 in 0.5..5.0 => t)",
            ),
        ] {
            let faults = [(code, message)];
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(of_line(typed, &known).as_deref(), Some(expected), "{typed}");
        }
        for typed in ["match n { 1 => 2, _ => 3 }", "fn f(g: fn(i32) -> i32) {}", "fn f(g: impl Fn(i32) -> i32) {}"] {
            let faults = [(None, "expected")];
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(of_line(typed, &known), None, "{typed}");
        }
    }
}
