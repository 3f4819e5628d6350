//! Lists, dictionaries and texts of Python: what a `Vec`, a `HashMap` and a `String` have instead.

use super::calls::METHODS;
use super::known::Known;
use super::line::{Line, LineTokenKind, is_integer, is_name};
use super::operators::{array_of_list, as_float, as_object, is_list};
use super::values::{DEPTH, declared, is_place, without_parentheses};
use crate::syntax::{list_has, list_value};

/// The element type of a variable that is a `Vec`.
fn element(name: &str, known: &Known<'_>) -> Option<String> {
    Some(known.type_of(name)?.strip_prefix("Vec<")?.strip_suffix('>')?.to_owned())
}

/// `list(range(3))`, `max(v)`, `sum(v)`, `sorted(v)`, `map(f, v)`
pub fn function(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(false).find_map(|at| {
        let name = line.at(at);
        if known.cell.contains(&format!("fn {name}(")) || (known.type_of)(name).is_some() {
            return None;
        }
        let (arguments, close) = (line.arguments(at + 1)?, line.closing(at + 1)?);
        let element = arguments.first().and_then(|first| element(first, known));
        let new = match (name, arguments.as_slice(), element) {
            ("list", [one], _) if one.starts_with('(') || one.ends_with(')') && one.contains(".iter()") => {
                let over =
                    one.strip_prefix("((").map_or((*one).to_owned(), |rest| format!("({}", rest.trim_end_matches(')')));
                format!("{over}.collect::<Vec<_>>()")
            }
            ("list", [one], Some(_)) => format!("{one}.clone()"),
            ("sum", [one], _) if one.starts_with("range(") => {
                let ends = Line::new(one).arguments(1)?.join("..");
                format!("({}).sum::<i64>()", if ends.contains("..") { ends } else { format!("0..{ends}") })
            }
            ("sum", [one], _) if one.starts_with('(') && one.ends_with(')') && is_one_range(one) => {
                format!("{one}.sum::<i64>()")
            }
            ("sum", [one, start], _) if one.starts_with("range(") || is_one_range(one) => {
                format!("(sum({one}) + {start})")
            }
            // What a comprehension gives.
            ("any" | "all", [one], _) if one.ends_with(".collect::<Vec<_>>()") => {
                let over = one.trim_end_matches(".collect::<Vec<_>>()");
                match over.rsplit_once(".map(|") {
                    Some((over, test)) => format!("{over}.{name}(|{test}"),
                    None => format!("{over}.{name}(|one| one)"),
                }
            }
            ("sum" | "max" | "min" | "sorted", [one], _) if one.ends_with(".collect::<Vec<_>>()") => {
                if name == "sorted" {
                    format!("gpu::sort(&gpu::array(&{one}))")
                } else {
                    format!("gpu::array(&{one}).{name}()")
                }
            }
            ("list" | "tuple", [one], _) if one.ends_with(".collect::<Vec<_>>()") => (*one).to_owned(),
            ("list", [one], _) if known.is_array(one) => format!("{}.tolist()", as_object(one)),
            ("sum" | "max" | "min" | "sorted" | "len", [one], _) if is_list(one) => match name {
                "sorted" => format!("gpu::sort({})", array_of_list(one, false)),
                "len" => format!("{one}.len()"),
                _ => format!("{}.{name}()", &array_of_list(one, false)[1..]),
            },
            ("max" | "min", [one], _) if one.starts_with('(') && one.contains("..") => {
                format!("{one}.{name}().unwrap()")
            }
            ("max" | "min", [one], Some(element)) if element.starts_with('f') => {
                format!("{one}.iter().copied().reduce({element}::{name}).unwrap()")
            }
            ("max" | "min", [one], Some(_)) => format!("{one}.iter().max().unwrap()").replace("max", name),
            ("sum", [one], Some(element)) => format!("{one}.iter().sum::<{element}>()"),
            ("sorted", [one], Some(_)) => format!("gpu::sort(&gpu::array(&{one}))"),
            ("map", [function, one], _) if function.starts_with('|') => {
                format!("{one}.iter().map({function}).collect::<Vec<_>>()")
            }
            _ => return None,
        };
        Some(line.with(at, close, &new))
    })
}

/// `(0..5)`
fn is_one_range(text: &str) -> bool {
    let line = Line::new(text);
    let is_whole = line.at(0) == "(" && line.closing(0) == line.len().checked_sub(1);
    is_whole && line.find("..").count() == 1 && line.arguments(0).is_some_and(|all| all.len() == 1)
}

/// `m.nonzero()[0] + 1`: what a list holds is not moved out of it.
pub fn kept(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("cannot move out of index of `Vec<DeviceArray<") {
        return None;
    }
    line.find("[").find_map(|open| {
        let (first, close) = (line.operand_before(open)?, line.closing(open)?);
        let is_list = line.before(open, 1) != "!" && !known.is_array(line.slice(first, open - 1));
        (is_list && line.at(close + 1) != ".")
            .then(|| line.with(open, close, &format!("{}.clone()", line.slice(open, close))))
    })
}

/// The operands of a sum of lists, or of a list and its number, with the sign between them.
fn of_lists(line: &Line, first: usize, last: usize) -> Option<(&str, Vec<&str>)> {
    let (mut at, mut sign, mut all) = (first, "", Vec::new());
    loop {
        let end = if line.at(at) == "[" { line.closing(at)? } else { line.operand_after(at)? };
        all.push(line.slice(at, end));
        if end == last {
            return (all.len() > 1).then_some((sign, all));
        }
        let next = line.at(end + 1);
        if end > last || !matches!(next, "+" | "*") || !(sign.is_empty() || sign == next) {
            return None;
        }
        (sign, at) = (next, end + 2);
    }
}

/// A number of a list's copies, as a `usize`.
fn count(text: &str, known: &Known<'_>) -> Option<String> {
    let is_length = |text: &str| {
        let line = Line::new(text);
        line.at(0) == "len" && line.closing(1) == line.len().checked_sub(1)
            || [".size", ".size()", ".len()"].iter().any(|end| text.ends_with(end))
    };
    match known.variable(text) {
        Some(name) if name == "usize" => Some(text.to_owned()),
        Some(name) if matches!(&*name, "i32" | "i64" | "u32" | "u64") => Some(format!("{text} as usize")),
        _ if is_integer(text) || known.is_integer(text) || is_length(text) => Some(text.to_owned()),
        _ => is_place(text, known, DEPTH).then(|| format!("{} as usize", as_object(without_parentheses(text)))),
    }
}

/// `[0] * 5`, `[1, 2] + [3]`, `v + [4]`: what Python makes of lists. Lists beside a float or an array are left to the rules for arrays.
pub fn combined(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.is_python || known.device.is_some() || line.find("for").next().is_some() {
        return None;
    }
    // `np.array([0] * 5)`
    let of_array = line.find("array").find(|at| line.before(*at, 1) == "." && line.at(at + 1) == "(");
    // `v = [0] * 5; v`
    let end = line.semicolons().next().map_or_else(|| line.last(), |end| end.saturating_sub(1));
    let (first, last) = match (of_array, line.find("=").next()) {
        (Some(at), _) => (at + 2, line.parts(at + 1, ",")?.first()?.1),
        (None, Some(sign)) => (sign + 1, end),
        (None, None) => (usize::from(line.at(0) == "return"), end),
    };
    if last <= first {
        return None;
    }
    let (sign, parts) = of_lists(line, first, last)?;
    let is_literal = |part: &str| part.starts_with('[') && part.ends_with(']') && part.len() > 2;
    if sign == "*" {
        let [one, other] = parts[..] else { return None };
        let (list, number) = if is_literal(one) { (one, other) } else { (other, one) };
        if !is_literal(list) || !is_list(list) && !list.starts_with("[True") && !list.starts_with("[False") {
            return None;
        }
        let number = count(number, known)?;
        let listed = Line::new(list);
        let new = match listed.arguments(0)?[..] {
            // The rows of a list would be one list.
            [element] if element.starts_with('[') => return None,
            [element] => format!("vec![{element}; {number}]"),
            _ => format!("{list}.repeat({number})"),
        };
        return Some(line.with(first, last, &new));
    }
    let is_own = |part: &str| {
        let of_cell = || declared(part, known.cell).is_some_and(|value| is_list(value) || value.starts_with("vec!["));
        is_name(part) && (element(part, known).is_some() || known.variable(part).is_none() && of_cell())
    };
    let are_lists = parts.iter().all(|part| is_literal(part) && is_list(part) || is_own(part));
    // Of the notebook's lists `+` may be meant for their elements.
    let is_of_notebook = |part: &&str| !is_literal(part) && known.variable(part).is_some();
    if !are_lists || parts.iter().all(is_of_notebook) {
        return None;
    }
    let of_floats = |text: &str| text.contains('.');
    let has_float = parts.iter().any(|part| {
        let value = declared(part, known.cell).unwrap_or(part);
        of_floats(value) || element(part, known).is_some_and(|element| element.starts_with('f'))
    });
    let all = parts.iter().map(|part| match part {
        part if !is_literal(part) => format!("{part}.clone()"),
        part if has_float => {
            format!("vec!{}", &array_of_list(part, true).trim_start_matches("&gpu::array(&").trim_end_matches(')'))
        }
        part => format!("vec!{part}"),
    });
    Some(line.with(first, last, &format!("[{}].concat()", all.collect::<Vec<_>>().join(", "))))
}

/// `lst += [5]` of a `Vec`.
pub fn extended(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_refused = known.says("binary assignment operation `+=` cannot be applied to type `Vec<");
    (is_refused && line.is_word(0) && line.at(1) == "+=")
        .then(|| format!("{}.extend({});", line.at(0), line.slice(2, line.last())))
}

/// Methods of Python's texts, and Rust's.
const TEXT_METHODS: &str = "\
    upper=to_uppercase lower=to_lowercase strip=trim lstrip=trim_start rstrip=trim_end startswith=starts_with \
    endswith=ends_with splitlines=lines";

/// `v.sum()`, `v.map(|x| x * 2)`, `text.upper()`, `", ".join(v)`
pub fn method(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(true).find_map(|at| {
        let name = line.at(at);
        let is_missing = |of: &str| {
            known
                .faults
                .iter()
                .any(|(_, text)| text.contains(&format!("no method named `{name}` found for")) && text.contains(of))
        };
        let (first, close, arguments) = (line.operand_before(at - 1)?, line.closing(at + 1)?, line.arguments(at + 1)?);
        let object = line.slice(first, at - 2);
        let is_of_cell = || {
            declared(object, known.cell)
                .is_some_and(|value| value.starts_with("Vec::new()") || value.starts_with("vec!["))
        };
        // Python's gives a list.
        let is_text_of_cell = || {
            let declared = declared(object, known.cell);
            declared.is_some_and(|value| value.starts_with(['"', '\'']))
                || known.variable(object).is_some_and(|name| name.ends_with("str") || name == "String")
        };
        if name == "split"
            && known.is_python
            && line.at(close + 1) != "."
            && (line.kind(first) == Some(LineTokenKind::Text) || is_text_of_cell())
        {
            let call = if arguments.is_empty() {
                "split_whitespace()".to_owned()
            } else {
                format!("split({})", arguments[0].replace('\'', "\""))
            };
            return Some(line.with(at, close, &format!("{call}.collect::<Vec<_>>()")));
        }
        // What a list holds of the notebook's arrays they keep.
        if name == "append" && arguments.len() == 1 && is_of_cell() {
            let shared = if known.is_array(arguments[0]) && is_name(arguments[0]) { ".clone()" } else { "" };
            return Some(line.with(at, close, &format!("push({}{shared})", arguments[0])));
        }
        let is_text = is_missing("str` in") || is_missing("String` in");
        if let Some(ours) = list_value(TEXT_METHODS, name).filter(|_| is_text) {
            return Some(line.with(at, at, ours));
        }
        if name == "join" && is_text && line.kind(first) == Some(LineTokenKind::Text) && arguments.len() == 1 {
            return Some(line.with(first, close, &format!("{}.join({object})", arguments[0])));
        }
        // `[1, 2, 3].sum()`
        let is_array = object.starts_with('[') && object.ends_with(']');
        if is_array && list_has(METHODS, name) && known.says(&format!("`{name}` ")) {
            return Some(line.with(first, close, &format!("gpu::array(&{object}).{name}({})", arguments.join(", "))));
        }
        let of_list = element(object, known).filter(|_| is_missing("`Vec<") || known.says("is not an iterator"))?;
        let new = match (name, arguments.as_slice()) {
            ("map" | "filter", [function]) => format!("{object}.iter().{name}({function}).collect::<Vec<_>>()"),
            ("sum", []) => format!("{object}.iter().sum::<{of_list}>()"),
            ("max" | "min", []) if !of_list.starts_with('f') => format!("{object}.iter().{name}().unwrap()"),
            _ if list_has(METHODS, name) => format!("gpu::array(&{object}).{name}({})", arguments.join(", ")),
            _ => return None,
        };
        Some(line.with(first, close, &new))
    })
}

/// `v.sort(reverse=True)`, `v.size`, `s[0]`
pub fn member(line: &Line, known: &Known<'_>) -> Option<String> {
    (1..line.len()).find_map(|at| {
        let object = if matches!(line.before(at, 1), "." | "[") { line.before(at, 2) } else { return None };
        let type_name = known.type_of(object)?;
        let is_list = type_name.starts_with("Vec<");
        if is_list && line.at(at) == "sort" && line.at(at + 2) == "reverse" {
            let compare = if type_name.starts_with("Vec<f") { "q.total_cmp(p)" } else { "q.cmp(p)" };
            return Some(line.with(at, line.closing(at + 1)?, &format!("sort_by(|p, q| {compare})")));
        }
        if (is_list || type_name == "String")
            && matches!(line.at(at), "size" | "length" | "len" | "shape")
            && line.at(at + 1) != "("
        {
            return Some(line.with(at, at, "len()"));
        }
        let is_letter =
            type_name == "String" && line.before(at, 1) == "[" && line.at(at + 1) == "]" && is_integer(line.at(at));
        is_letter.then(|| line.with(at - 2, at + 1, &format!("{object}.chars().nth({}).unwrap()", line.at(at))))
    })
}

/// `v * 2`: arithmetic is for arrays.
pub fn arithmetic(line: &Line, known: &Known<'_>) -> Option<String> {
    if !["add", "subtract", "multiply", "divide"].iter().any(|verb| known.says(&format!("cannot {verb} `")))
        || !known.says("`Vec<")
    {
        return None;
    }
    let is_operand = |at: usize| {
        let beside = |sign: &str| matches!(sign, "+" | "-" | "*" | "/");
        let before = if line.before(at, 1) == "&" { line.before(at, 2) } else { line.before(at, 1) };
        line.is_word(at) && element(line.at(at), known).is_some() && (beside(before) || beside(line.at(at + 1)))
    };
    let at = (0..line.len()).find(|at| is_operand(*at) && line.before(*at, 2) != "array")?;
    let first = if line.before(at, 1) == "&" { at - 1 } else { at };
    Some(line.with(first, at, &format!("gpu::array(&{})", line.at(at))))
}

/// `{"a": 1, "b": 2}`
pub fn dictionary(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.is_syntax() {
        return None;
    }
    line.find("{").find_map(|open| {
        let close = line.closing(open)?;
        if line.kind(open + 1) != Some(LineTokenKind::Text) || line.at(open + 2) != ":" {
            return None;
        }
        let parts = line.parts(open, ",")?;
        // One type for all values.
        let has_float = parts.iter().any(|(first, last)| {
            line.kind(first + 2) == Some(LineTokenKind::Number) && line.slice(first + 2, *last).contains('.')
        });
        let pairs = parts.into_iter().map(|(first, last)| {
            let value = line.slice(first + 2, last);
            let value = if has_float { as_float(value) } else { value.to_owned() };
            (line.at(first + 1) == ":").then(|| format!("({}, {value})", line.at(first)))
        });
        let pairs: Vec<String> = pairs.collect::<Option<_>>()?;
        Some(line.with(open, close, &format!("std::collections::HashMap::from([{}])", pairs.join(", "))))
    })
}

/// `x == None`
pub fn comparison_with_none(line: &Line, _: &Known<'_>) -> Option<String> {
    (1..line.len()).find_map(|at| {
        let method = match line.at(at) {
            "==" => "is_none",
            "!=" => "is_some",
            _ => return None,
        };
        let first = line.operand_before(at).filter(|_| line.at(at + 1) == "None")?;
        Some(line.with(first, at + 1, &format!("{}.{method}()", as_object(line.slice(first, at - 1)))))
    })
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn lists_are_repeated_and_joined() {
        let refused = [
            (Some("E0369"), "cannot multiply `[{integer}; 1]` by `{integer}`"),
            (Some("E0425"), "cannot find value `np` in this scope"),
            (Some("E0425"), "cannot find value `lst` in this scope"),
        ];
        for (cell, expected) in [
            ("lst = [0] * 5", Some("let lst = vec![0; 5];")),
            ("lst = 5 * [0]", Some("let lst = vec![0; 5];")),
            ("lst = [0] * 5; lst", Some("let lst = vec![0; 5]; lst")),
            ("[0.0] * len(a)", Some("vec![0.0; len(a)]")),
            ("[0] * n", Some("vec![0; n as usize]")),
            ("[1, 2] * 2", Some("[1, 2].repeat(2)")),
            ("[1, 2] + [3]", Some("[vec![1, 2], vec![3]].concat()")),
            ("[1, 2] + [3.5]", Some("[vec![1.0, 2.0], vec![3.5]].concat()")),
            ("w = [1, 2]\nw + [4]", Some("[w.clone(), vec![4]].concat()")),
            ("p = [1, 2]\nq = [3]\np + q", Some("[p.clone(), q.clone()].concat()")),
            ("np.array([0] * 5)", Some("gpu::asarray(&vec![0; 5])")),
            ("np.array([1, 2] + [3])", Some("gpu::array(&[vec![1, 2], vec![3]].concat())")),
            ("v + [4]", Some("[v.clone(), vec![4]].concat()")),
            ("v = v + [4]", Some("let v = [v.clone(), vec![4]].concat();")),
            ("[1.0, 2.0] * 2.0", Some("gpu::array(&[1.0, 2.0]) * 2.0")),
            ("a + [1, 2]", None),
            ("[0] * (n + 1)", Some("vec![0; (n + 1) as usize]")),
        ] {
            let line = cell.lines().count();
            let known = Known::of_line(&refused, cell, line, &type_of);
            let found = of_line(cell.lines().last().unwrap_or_default(), &known);
            match expected {
                Some(expected) => assert_eq!(found.as_deref(), Some(expected), "{cell}"),
                None => assert!(found.is_none_or(|found| !found.contains("concat")), "{cell}"),
            }
        }
        // The rows of the list twice.
        let refused = [(Some("E0369"), "cannot multiply `[[{integer}; 2]; 1]` by `{integer}`")];
        let cell = "[[0, 1]] * 2";
        assert_eq!(of_line(cell, &Known::of_line(&refused, cell, 1, &type_of)), None);
    }
}
