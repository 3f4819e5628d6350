//! Python's and C's expressions that decide: conditions, membership, several targets, loops and truth.

use super::axes::axes_of;
use super::known::{ARRAY, Known};
use super::line::{Line, LineTokenKind, is_name};
use super::operators::{COMPARISONS, as_object, is_operand};
use crate::evaluator::elements;
use crate::syntax::list_has;

/// Whether an expression is an array of `bool`, as far as the line shows it.
fn is_mask(text: &str, known: &Known<'_>) -> bool {
    if known.type_of(text).is_some_and(|name| name.contains("DeviceArray<bool>")) {
        return true;
    }
    let line = Line::new(text.trim_start_matches(['(', '&']).trim_end_matches(')'));
    // The last bracket of a call may be among those that are cut off.
    let open = line.find("(").last();
    let is_comparison = |at: usize| COMPARISONS.iter().any(|(_, method)| line.before(at, 1) == *method);
    open.is_some_and(|open| is_comparison(open) && line.before(open, 2) == "." && line.closing(open).is_none())
}

/// `len(a), a.dtype` without parentheses.
pub fn tuple(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_plain = known.is_syntax() && !known.cell.trim().contains('\n') && line.find("=").next().is_none();
    let words = [
        "for", "if", "while", "let", "fn", "def", "import", "from", "del", "struct", "use", "assert", "return", "raise",
    ];
    if !is_plain || words.contains(&line.at(0)) || line.text.contains(['{', ':', ';', '@']) {
        return None;
    }
    let mut at = 0;
    let mut parts = 1;
    while at < line.len() {
        at = match line.at(at) {
            "(" | "[" => line.closing(at)?,
            "," => {
                parts += 1;
                at
            }
            _ => at,
        } + 1;
    }
    // What is shown stays.
    let whole = Line::new(&format!("({})", line.text));
    let parts = whole.arguments(0).filter(|_| parts > 1)?;
    let shown = parts.iter().map(|part| match known.type_of(part) {
        Some(name) if is_name(part) && (name.contains(ARRAY) || name.starts_with("Vec<") || name == "String") => {
            format!("&{part}")
        }
        _ => (*part).to_owned(),
    });
    Some(format!("({})", shown.collect::<Vec<_>>().join(", ")))
}

/// `return a, b` without parentheses.
pub fn returned(line: &Line, known: &Known<'_>) -> Option<String> {
    let last = line.last();
    let is_return = line.at(0) == "return" && known.is_syntax() && last > 1 && line.at(1) != "(";
    let whole = Line::new(&format!("({})", if is_return { line.slice(1, last) } else { "" }));
    let count = whole.parts(0, ",")?.len();
    (is_return && count > 1).then(|| line.with(1, last, &whole.text))
}

/// `x if x > 1.0 else 0.0`
pub fn ternary(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.is_syntax() {
        return None;
    }
    let at = line.find("if").find(|at| *at > 0 && line.before(*at, 1) != "else" && !is_start(line.before(*at, 1)))?;
    let other = line.find("else").find(|other| *other > at)?;
    if line.find("{").any(|open| open > at && open < other) {
        return None;
    }
    let first = (0..at).rev().take_while(|index| !is_start(line.at(*index))).last()?;
    let first = if line
        .find("(")
        .any(|open| line.closing(open).is_some_and(|close| open < first && close > first && close < at))
    {
        line.operand_before(at)?
    } else {
        first
    };
    let last = (other + 1..line.len()).take_while(|index| !is_end(line.at(*index))).last()?;
    let last = line.operand_after(other + 1).map_or(last, |end| end.max(last));
    let (value, condition) = (line.slice(first, at - 1), line.slice(at + 1, other - 1));
    let new = format!("if {condition} {{ {value} }} else {{ {} }}", line.slice(other + 1, last));
    // The braces end a statement no more.
    let end = if line.is_word(0) && line.at(1) == "=" && last + 1 == line.len() { ";" } else { "" };
    Some(line.with(first, last, &format!("{new}{end}")))
}

/// C's `x > 1.0 ? x : 0.0`: the last one of a line, so that those around it follow.
pub fn conditional(line: &Line, known: &Known<'_>) -> Option<String> {
    // No value begins behind the `?` that passes an error on.
    let begins_value = |at: usize| {
        let is_sign = line.kind(at) == Some(LineTokenKind::Sign);
        at < line.len()
            && !matches!(line.at(at), "as" | "else")
            && (!is_sign || matches!(line.at(at), "(" | "[" | "{" | "-" | "!" | "&" | "*" | "|" | "||"))
    };
    let at = line.find("?").filter(|at| *at > 0 && begins_value(at + 1)).last().filter(|_| known.is_syntax())?;
    let past = |from: usize, ends: &dyn Fn(&str) -> bool| {
        let mut index = from;
        while index < line.len() && !ends(line.at(index)) {
            index = if matches!(line.at(index), "(" | "[" | "{") { line.closing(index)? } else { index } + 1;
        }
        (index > from).then_some(index)
    };
    let colon = past(at + 1, &|token| token == ":").filter(|colon| *colon < line.len())?;
    let end = past(colon + 1, &|token| is_end(token) || token == ":")?;
    let begins_other = |at: usize| line.before(at, 1) == "?" && begins_value(at);
    let mut first = at;
    while first > 0
        && !is_start(line.before(first, 1))
        && !matches!(line.before(first, 1), ":" | "=>")
        && !begins_other(first)
    {
        first -= 1;
        if matches!(line.at(first), ")" | "]") {
            first = line.opening(first)?;
        }
    }
    let in_parentheses = line.at(first) == "(" && line.closing(first) == Some(at - 1);
    let condition = if in_parentheses { line.slice(first + 1, at - 2) } else { line.slice(first, at - 1) };
    let (value, other) = (line.slice(at + 1, colon - 1), line.slice(colon + 1, end - 1));
    let new = format!("if {condition} {{ {value} }} else {{ {other} }}");
    (first < at && !condition.is_empty()).then(|| line.with(first, end - 1, &new))
}

/// `if x > 1.0 then x else 0.0`
pub fn then(line: &Line, known: &Known<'_>) -> Option<String> {
    let at = line.find("then").last().filter(|_| known.is_syntax())?;
    let first = line.find("if").filter(|first| *first + 1 < at).last()?;
    let other = line.find("else").find(|other| *other > at + 1)?;
    let (condition, value) = (line.slice(first + 1, at - 1), line.slice(at + 1, other - 1));
    let new = format!("if {condition} {{ {value} }} else");
    if line.at(other + 1) == "if" {
        return Some(line.with(first, other, &new));
    }
    let end = (other + 1..line.len()).find(|index| is_end(line.at(*index))).unwrap_or(line.len());
    (end > other + 1).then(|| line.with(first, end - 1, &format!("{new} {{ {} }}", line.slice(other + 1, end - 1))))
}

/// Whether an expression can begin behind a token.
fn is_start(token: &str) -> bool {
    matches!(token, "=" | "(" | "[" | "{" | "," | "return" | ";" | "|" | "+=" | "-=" | "for" | "in")
}

fn is_end(token: &str) -> bool {
    matches!(token, ")" | "]" | "}" | "," | ";" | "for")
}

/// `2 in v`, `n not in v`
pub fn membership(line: &Line, known: &Known<'_>) -> Option<String> {
    // There `in` stands before the values of a control.
    if line.text.contains("interact!") {
        return None;
    }
    let at = line.find("in").find(|at| !line.find("for").any(|each| each < *at))?;
    let is_negated = line.before(at, 1) == "not";
    let end = if is_negated { at - 1 } else { at };
    let (first, last) = (line.operand_before(end)?, line.operand_after(at + 1)?);
    let (value, container) = (line.slice(first, end - 1), line.slice(at + 1, last));
    let is_tuple = line.at(at + 1) == "(" && line.closing(at + 1) == Some(last) && container.contains(',');
    let found = if is_tuple {
        format!("[{}].contains(&{value})", &container[1..container.len() - 1])
    } else if known.is_array(container) {
        format!("{container}.eq({value}).any()")
    } else if line.kind(first) == Some(LineTokenKind::Text) && first + 1 == end {
        format!("{container}.contains({value})")
    } else {
        format!("{container}.contains(&{value})")
    };
    let new = match (is_negated, first) {
        (false, _) => found,
        // A cell that begins with `!` is a command of the shell.
        (true, 0) => format!("(!{found})"),
        (true, _) => format!("!{found}"),
    };
    Some(line.with(first, last, &new))
}

/// `0.0 < x < 3.0`
pub fn chain(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("comparison operators cannot be chained") {
        return None;
    }
    let is_comparison = |at: usize| COMPARISONS.iter().any(|(sign, _)| *sign == line.at(at));
    let signs: Vec<usize> = (1..line.len()).filter(|at| is_comparison(*at)).collect();
    let (left, right) = signs.windows(2).map(|pair| (pair[0], pair[1])).next()?;
    let (first, last) = (line.operand_before(left)?, line.operand_after(right + 1)?);
    if line.operand_after(left + 1).is_none_or(|end| end + 1 != right) {
        return None;
    }
    let between = line.slice(left + 1, right - 1);
    let (low, high) = (line.slice(first, left), line.slice(right, last));
    Some(if known.is_array(between) {
        line.with(first, last, &format!("({low} {between}) & ({between} {high})"))
    } else {
        line.with(first, last, &format!("{low} {between} && {between} {high}"))
    })
}

/// `(a > 1.0) and (b > 0.0)`: arrays of `bool` are combined by `&`.
pub fn logic(line: &Line, known: &Known<'_>) -> Option<String> {
    (1..line.len()).find_map(|at| {
        let ours = match line.at(at) {
            "&&" => "&",
            "||" => "|",
            _ => return None,
        };
        let (first, last) = (line.operand_before(at)?, line.operand_after(at + 1)?);
        if !is_mask(line.slice(first, at - 1), known) {
            return None;
        }
        // As arguments of an operator they stay.
        let by_reference = |text: &str| if is_name(text) { format!("&{text}") } else { text.to_owned() };
        let (left, right) = (by_reference(line.slice(first, at - 1)), by_reference(line.slice(at + 1, last)));
        Some(line.with(first, last, &format!("{left} {ours} {right}")))
    })
}

/// `if a > 2.0 { }`, `if n { }`: a condition is one `bool`.
pub fn truth(line: &Line, known: &Known<'_>) -> Option<String> {
    let (first, last) = match line.at(0) {
        "if" | "while" => (1, line.find("{").next()?.checked_sub(1)?),
        "assert" if line.at(1) == "!" => (3, line.closing(2)?.checked_sub(1)?),
        _ => return None,
    };
    let condition = line.slice(first, last);
    let type_name = known.type_of(condition).unwrap_or_default();
    let new = if is_mask(condition, known) {
        format!("{}.all()", as_object(condition))
    } else if !is_name(condition.trim_start_matches('!')) {
        return None;
    } else if type_name.starts_with("Vec<") || type_name == "String" {
        format!("!{condition}.is_empty()")
    } else if type_name.starts_with(['i', 'u']) {
        format!("{condition} != 0")
    } else {
        let negated = condition.strip_prefix('!')?;
        let is_list = known.type_of(negated).is_some_and(|name| name.starts_with("Vec<") || name == "String");
        is_list.then(|| format!("{negated}.is_empty()"))?
    };
    (last >= first).then(|| line.with(first, last, &new))
}

/// `for k in 3 { }`, `for k in 0..x { }`
pub fn range(line: &Line, known: &Known<'_>) -> Option<String> {
    let (within, open) = (line.find("in").next()?, line.find("{").next()?);
    let last = open.checked_sub(1).filter(|last| line.at(0) == "for" && *last > within)?;
    if known.says("`{integer}` is not an iterator")
        || known.says("`i32` is not an iterator")
        || known.says("`usize` is not an iterator")
    {
        return Some(line.with(within + 1, last, &format!("0..{}", line.slice(within + 1, last))));
    }
    let is_float = known.says("expected integer, found `f64`") || known.says("expected integer, found `f32`");
    (is_float && line.before(last, 1) == "..").then(|| line.with(last, last, &format!("{} as usize", line.at(last))))
}

/// `for k, t in v:`, `for (i, j), x in np.ndenumerate(m):`
pub fn several_in_a_loop(line: &Line, _: &Known<'_>) -> Option<String> {
    let within = line.find("in").next().filter(|within| line.at(0) == "for" && *within > 3)?;
    if line.at(2) == "," {
        return Some(line.with(1, within - 1, &format!("({})", line.slice(1, within - 1))));
    }
    // The index of an element is one value here.
    let close =
        line.closing(1).filter(|close| line.at(1) == "(" && line.at(close + 1) == "," && close + 3 == within)?;
    let (names, value) = (line.arguments(1)?, line.at(close + 2));
    let open = line.find("ndenumerate").next()? + 1;
    let end = line.closing(open)?;
    let places: Vec<String> = (0..names.len()).map(|at| format!("place[{at}]")).collect();
    let over = line.slice(within + 1, end);
    let (names, places) = (names.join(", "), places.join(", "));
    Some(line.with(
        0,
        end,
        &format!("for ([{names}], {value}) in {over}.map(|(place, {value})| ([{places}], {value}))"),
    ))
}

/// `let (p, q) = 1, 2;`
pub fn several_values(line: &Line, known: &Known<'_>) -> Option<String> {
    let close = line.closing(1).filter(|_| line.at(0) == "let" && line.at(1) == "(" && known.is_syntax())?;
    let (first, last) = (close + 2, line.last());
    if line.at(close + 1) != "=" || first >= last {
        return None;
    }
    let values = Line::new(&format!("({})", line.slice(first, last))).arguments(0)?.len();
    (values > 1).then(|| line.with(first, last, &format!("({})", line.slice(first, last))))
}

/// `rows, cols = m.shape`, `let p, q = 1, 2;`
pub fn several_targets(line: &Line, known: &Known<'_>) -> Option<String> {
    let start = usize::from(line.at(0) == "let");
    let equals = line.find("=").next()?;
    let names: Vec<&str> = (start..equals).step_by(2).map(|at| line.at(at)).collect();
    let are_names =
        names.iter().all(|name| is_name(name)) && (start + 1..equals).step_by(2).all(|at| line.at(at) == ",");
    if names.len() < 2 || !are_names || !known.is_syntax() {
        return None;
    }
    // `p, q = f(a); p` shows the value.
    let end = line.semicolons().find(|at| *at > equals).filter(|at| at + 1 < line.len());
    let tail = end.map_or_else(String::new, |end| format!(" {}", line.slice(end + 1, line.len() - 1)));
    let (first, last) = (equals + 1, end.map_or_else(|| line.last(), |end| end - 1));
    let value = line.slice(first, last).trim_end_matches("()");
    let new = match value.strip_suffix(".shape") {
        Some(array) => {
            let lengths: Vec<String> = (0..names.len()).map(|axis| format!("{array}.shape()[{axis}]")).collect();
            format!("({})", lengths.join(", "))
        }
        None if line.find(",").any(|comma| {
            comma > equals && comma <= last && line.operand_after(first).is_some_and(|end| end < comma)
        }) =>
        {
            format!("({value})")
        }
        None => line.slice(first, last).to_owned(),
    };
    // In a loop the variables of before get other values.
    let is_there = |name: &&str| known.changes(name) || known.is_of_outer_block(name, false);
    let declares = if start == 0 && names.iter().all(is_there) { "" } else { "let " };
    Some(format!("{declares}({}) = {new};{tail}", names.join(", ")))
}

/// `for (int k = 0; k < 3; k++) {`, `if (x > 1.0) x = 0.0;`
pub fn of_c(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.is_syntax() || line.at(1) != "(" {
        return None;
    }
    let close = line.closing(1)?;
    if line.at(0) == "for" {
        let semicolons: Vec<usize> = line.find(";").filter(|at| *at < close).collect();
        let [one, two] = semicolons[..] else { return None };
        let equals = line.find("=").find(|at| *at < one)?;
        let bound = (one + 2 < two).then(|| line.slice(one + 3, two - 1))?;
        let range = match line.at(one + 2) {
            "<" => "..",
            "<=" => "..=",
            _ => return None,
        };
        let is_by_one = matches!(line.at(close - 1), "++") || matches!(line.at(two + 1), "++");
        let body = if close == line.len() - 1 { "{" } else { line.slice(close + 1, line.len() - 1) };
        let range = format!("{}{range}{bound}", line.slice(equals + 1, one - 1));
        return is_by_one.then(|| format!("for {} in {range} {body}", line.before(equals, 1)));
    }
    let is_statement = matches!(line.at(0), "if" | "while")
        && line.is_word(close + 1)
        && !matches!(line.at(close + 1), "and" | "or" | "is" | "in" | "not" | "if" | "else");
    let end = line.len().checked_sub(1)?;
    is_statement.then(|| format!("{} {} {{ {} }}", line.at(0), line.slice(2, close - 1), line.slice(close + 1, end)))
}

/// `a.shape() == (5,)`: a shape is a slice.
pub fn shape_comparison(line: &Line, _: &Known<'_>) -> Option<String> {
    (2..line.len()).find_map(|at| {
        let is_shape = matches!(line.at(at), "==" | "!=") && line.before(at, 1) == ")" && line.before(at, 3) == "shape";
        let close = line.closing(at + 1).filter(|_| is_shape && line.at(at + 1) == "(")?;
        let lengths = line.slice(at + 2, close - 1).trim_end_matches(',');
        Some(line.with(at + 1, close, &format!("[{lengths}]")))
    })
}

/// `(a.gt(1.0))` without what is left of its parentheses.
pub fn parentheses(line: &Line, _: &Known<'_>) -> Option<String> {
    line.find("(").find_map(|open| {
        let close = line.closing(open)?;
        let before = line.before(open, 1);
        let is_free = open == 0 || !(line.is_word(open - 1) || matches!(before, ")" | "]" | ">" | "!"));
        let is_one = line.operand_after(open + 1).is_some_and(|last| last + 1 == close);
        let inner = line.slice(open + 1, close - 1);
        // `(!a.gt(1)).any()`: what is called comes before the sign.
        let is_called = matches!(line.at(open + 1), "!" | "-" | "&") && line.at(close + 1) == ".";
        let ends = |(_, method): &(&str, &str)| inner.contains(&format!(".{method}("));
        (is_free && is_one && !is_called && inner.ends_with(')') && COMPARISONS.iter().any(ends))
            .then(|| line.with(open, close, inner))
    })
}

/// `v[n]` with a number that is not a `usize`.
pub fn place(line: &Line, known: &Known<'_>) -> Option<String> {
    line.find("[").find_map(|open| {
        let (close, name) = (line.closing(open)?, line.at(open + 1));
        let type_name = known.type_of(name).unwrap_or_default();
        let is_variable = is_name(name) && known.says("cannot be indexed by `i") && !type_name.contains(ARRAY);
        let is_refused =
            known.says("cannot be indexed by `") || line.before(open, 2) == "get" || line.before(open, 1) == "&";
        let is_number = elements::is_integer(&type_name);
        (close == open + 2 && (is_refused && is_number || is_variable))
            .then(|| line.with(open + 1, open + 1, &format!("{name} as usize")))
    })
}

/// `[i * 2 for i in range(3)]`
pub fn comprehension(line: &Line, known: &Known<'_>) -> Option<String> {
    line.find("[").find_map(|open| {
        let close = line.closing(open)?;
        let each = line.find("for").find(|at| *at > open && *at < close)?;
        let within = line.find("in").find(|at| *at > each && *at < close)?;
        let condition = line.find("if").find(|at| *at > within && *at < close);
        let end = condition.unwrap_or(close) - 1;
        let (value, name) = (line.slice(open + 1, each - 1), line.slice(each + 1, within - 1));
        let several = format!("({name})");
        let name = if name.contains(',') && !name.starts_with('(') { several.as_str() } else { name };
        let over = line.slice(within + 1, end);
        let over = if known.is_array(over) && axes_of(over, known) == Some(1) {
            format!("{}.tolist().into_iter()", as_object(over))
        } else if known.is_array(over) {
            format!("{}.iter()", as_object(over))
        } else if over.starts_with('(') || over.contains('(') && !over.contains("..") {
            over.to_owned()
        } else if over.contains("..") {
            format!("({over})")
        } else if known
            .type_of(over)
            .is_some_and(|name| ["Vec<i", "Vec<u", "Vec<f"].iter().any(|start| name.starts_with(start)))
        {
            format!("{over}.iter().copied()")
        } else {
            format!("{over}.iter()")
        };
        // Rows are no copies.
        let by = if over.ends_with(".iter()") && known.is_array(over.trim_end_matches(".iter()")) { "" } else { "&" };
        let kept =
            condition.map_or_else(String::new, |at| format!(".filter(|{by}{name}| {})", line.slice(at + 1, close - 1)));
        let made = if value == name { String::new() } else { format!(".map(|{name}| {value})") };
        Some(line.with(open, close, &format!("{over}{kept}{made}.collect::<Vec<_>>()")))
    })
}

/// `range(10, 0, -3)`
pub fn stepped(start: &str, end: &str, step: &str) -> String {
    let Some(back) = step.strip_prefix('-') else { return format!("({start}..{end}).step_by({step})") };
    let first = end.parse::<i64>().map_or_else(|_| format!("{end} + 1"), |end| (end + 1).to_string());
    format!("({first}..={start}).rev().step_by({back})")
}

/// What goes through a list, or through an array: its numbers, if it has one axis, or its rows.
pub fn gone_through(over: &str, known: &Known<'_>) -> String {
    if known.is_array(over) && axes_of(over, known) == Some(1) {
        return format!("{}.tolist().into_iter()", as_object(over));
    }
    format!("{}.iter()", as_object(over))
}

/// `zip(a, v)`
pub fn together(first: &str, second: &str, known: &Known<'_>) -> String {
    let other = match gone_through(second, known).strip_suffix(".into_iter()") {
        Some(numbers) => numbers.to_owned(),
        None if is_operand(second) => format!("&{second}"),
        None => format!("&({second})"),
    };
    format!("{}.zip({other})", gone_through(first, known))
}

/// `sum(x ** 2 for x in a)`: what gives values one by one, as a list.
pub fn generator(line: &Line, _: &Known<'_>) -> Option<String> {
    const TAKING: &str = "sum max min any all list tuple sorted join array len mean";
    line.find("(").filter(|open| list_has(TAKING, line.before(*open, 1))).find_map(|open| {
        let parts = line.parts(open, "for").filter(|parts| parts.len() == 2)?;
        let (first, last) = (open + 1, line.closing(open)?.checked_sub(1)?);
        let is_whole = line.at(first) != "[" || line.closing(first) != Some(last);
        let has_comma = line.parts(open, ",")?.len() > 1;
        (is_whole && !has_comma && parts[0].0 < parts[0].1 + 1)
            .then(|| line.with(first, last, &format!("[{}]", line.slice(first, last))))
    })
}

/// `a[0], a[2] = a[2], a[0]`: parts of arrays that get values together.
pub fn exchanged(line: &Line, known: &Known<'_>) -> Option<String> {
    const NAMES: [&str; 4] = ["first", "second", "third", "fourth"];
    let listed = |text: &str| {
        Line::new(&format!("({text})"))
            .arguments(0)
            .map(|all| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>())
    };
    let equals = line.find("=").next()?;
    let (targets, values) =
        (listed(line.slice(0, equals.checked_sub(1)?))?, listed(line.slice(equals + 1, line.last()))?);
    let has_part = targets.iter().any(|target| target.ends_with(']'));
    let is_plain = line.at(0) != "let" && line.is_word(0) && known.device.is_none();
    if targets.len() < 2 || targets.len() != values.len() || targets.len() > NAMES.len() || !has_part || !is_plain {
        return None;
    }
    let names = NAMES[..targets.len()].join(", ");
    let given: String = targets.iter().zip(NAMES).map(|(target, name)| format!(" {target} = {name};")).collect();
    Some(format!("let ({names}) = ({});{given}", values.join(", ")))
}

/// `a[0] = a[1] = 0`: the value goes to the last target first.
pub fn chained_assignment(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.is_python || line.at(0) == "let" || !line.is_word(0) {
        return None;
    }
    let mut signs = Vec::new();
    let mut at = 0;
    while at < line.len() {
        match line.at(at) {
            "(" | "[" | "{" => at = line.closing(at)?,
            "=" => signs.push(at),
            _ => {}
        }
        at += 1;
    }
    let (&last, &first) = (signs.last()?, signs.first()?);
    let value = line.slice(last + 1, line.last());
    let is_simple = Line::new(value).len() <= 2;
    // Statements behind one another are several.
    let is_one = line.find(";").all(|at| at + 1 == line.len());
    if signs.len() < 2 || !is_one || !is_simple || first == 0 {
        return None;
    }
    let starts = std::iter::once(0).chain(signs.iter().map(|sign| sign + 1));
    let targets: Vec<String> =
        starts.zip(&signs).map(|(start, sign)| format!("{} = {value};", line.slice(start, sign - 1))).collect();
    Some(targets.into_iter().rev().collect::<Vec<_>>().join(" "))
}

/// `for x in a { … }`
pub fn iteration(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_refused = known.says(&format!("`{ARRAY}")) && known.says("is not an iterator");
    let (within, open) = (line.find("in").next()?, line.find("{").next()?);
    if !is_refused || line.at(0) != "for" || open < within + 2 {
        return None;
    }
    let over = line.slice(within + 1, open - 1);
    if over.ends_with(".tolist()") {
        return None;
    }
    // The elements of an array of one axis are numbers.
    if known.is_python && axes_of(over, known) == Some(1) {
        return Some(line.with(within + 1, open - 1, &format!("{}.tolist()", as_object(over))));
    }
    (!over.starts_with('&')).then(|| line.with(within + 1, open - 1, &format!("&{over}")))
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn pythons_statements_and_comprehensions() {
        let of_one_axis = |name: &str| matches!(name, "a" | "b" | "i" | "mask").then_some(1);
        let faults = [(None, "expected something")];
        let mut differing = Vec::new();
        for (typed, expected) in [
            (
                "a[0], a[2] = a[2], a[0]",
                "let (first, second) = (a.get(&[2]), a.get(&[0])); gpu::set!(a[0] = first); gpu::set!(a[2] = second);",
            ),
            ("a[0] = a[1] = 0.5", "gpu::set!(a[1] = 0.5); gpu::set!(a[0] = 0.5);"),
            ("[t ** 2 for t in a]", "a.tolist().into_iter().map(|t| t.powi(2)).collect::<Vec<_>>()"),
            ("[t ** 2 for t in i]", "i.tolist().into_iter().map(|t| t.pow(2)).collect::<Vec<_>>()"),
            (
                "sum(t for t in a if t > 0)",
                "gpu::array(&a.tolist().into_iter().filter(|&t| t > 0).collect::<Vec<_>>()).sum()",
            ),
            ("any(t > 2.0 for t in a)", "a.tolist().into_iter().any(|t| t > 2.0)"),
            ("[row.sum() for row in m]", "m.iter().map(|row| row.sum()).collect::<Vec<_>>()"),
            ("for k, t in enumerate(a):", "for (k, t) in a.tolist().into_iter().enumerate() {"),
            ("for k, t in zip(v, a):", "for (k, t) in v.iter().zip(a.tolist()) {"),
            ("for k in range(10, 0, -3):", "for k in (1..=10).rev().step_by(3) {"),
            ("return a.mean(), a.std()", "return (a.mean(), a.std())"),
            ("assert n == 3, \"three\"", "assert!(n == 3, \"three\");"),
            ("m[1:3][0] = 2.0", "{ let part = &m.slice(s![1..3]); gpu::set!(part[0] = 2.0); }"),
            ("f(a)[0] = 2.0", "f(a)[0] = 2.0"),
            ("print(a, n, sep=\", \", end=\"\")", "print!(\"{a}, {n}\")"),
            ("print(n, end=\" \")", "print!(\"{n} \")"),
            ("print(f\"{x:.2%}\")", "println!(\"{:.2}%\", 100.0 * x)"),
            ("17 // 5", "17_i32.div_euclid(5)"),
            ("n // 2", "n.div_euclid(2)"),
            ("7 // -2", "((7) as f64 / (-2) as f64).floor() as i64"),
            ("m[:len(a) // 2]", "m.slice(s![..a.len().div_euclid(2)])"),
            ("2 ** -1", "2_f64.powi(-1)"),
            ("10 ** 10", "10_i64.pow(10)"),
            ("lst = []", "lst = []"),
            ("x = -1.0", "let x = -1.0;"),
            ("m[np.ix_([0, 2], i)]", "m.take_axis(&gpu::array(&[0, 2]), 0).take_axis(&i, 1)"),
        ] {
            let known = Known { axes: &of_one_axis, ..Known::of_line(&faults, typed, 1, &type_of) };
            let corrected = of_line(typed, &known).unwrap_or_else(|| typed.to_owned());
            if corrected != expected {
                differing.push(format!("{typed}: {corrected}, not {expected}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }

    #[test]
    fn conditions_as_other_languages_write_them() {
        let faults = [(None, "Rust has no ternary operator")];
        for (typed, expected) in [
            ("x > 2.0 ? 1 : 0", "if x > 2.0 { 1 } else { 0 }"),
            ("let y = (x > 2.0) ? 1 : -1;", "let y = if x > 2.0 { 1 } else { -1 };"),
            (
                "let y: i32 = n > 2 && x < 1.0 ? f(n, 1) : v[0];",
                "let y: i32 = if n > 2 && x < 1.0 { f(n, 1) } else { v[0] };",
            ),
            ("return n == 1 ? 2 : 3;", "return if n == 1 { 2 } else { 3 };"),
            ("println!(\"{}\", n > 2 ? 1 : 0);", "println!(\"{}\", if n > 2 { 1 } else { 0 });"),
            (
                "v.iter().map(|k| k % 2 == 0 ? 1 : 0).sum::<i32>()",
                "v.iter().map(|k| if k % 2 == 0 { 1 } else { 0 }).sum::<i32>()",
            ),
            ("let c = n > 2 ? 1 : n < 0 ? 5 : 0;", "let c = if n > 2 { 1 } else { if n < 0 { 5 } else { 0 } };"),
            ("let c = n > 2 ? n > 3 ? 1 : 2 : 0;", "let c = if n > 2 { if n > 3 { 1 } else { 2 } } else { 0 };"),
            ("fn sign(x: f64) -> i32 { x > 0.0 ? 1 : -1 }", "fn sign(x: f64) -> i32 { if x > 0.0 { 1 } else { -1 } }"),
            (
                "impl P { fn s(&self) -> i32 { self.x > 0.0 ? 1 : -1 } }",
                "impl P { fn s(&self) -> i32 { if self.x > 0.0 { 1 } else { -1 } } }",
            ),
            ("let k = a.get(&[0])? > 1.0 ? 1 : 0;", "let k = if a.get(&[0])? > 1.0 { 1 } else { 0 };"),
            ("let y = if x > 1.0 then x else 0.0;", "let y = if x > 1.0 { x } else { 0.0 };"),
            ("if n > 1 then 2 else if n > 0 then 1 else 0", "if n > 1 { 2 } else if n > 0 { 1 } else { 0 }"),
        ] {
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(of_line(typed, &known).as_deref(), Some(expected), "{typed}");
        }
        for typed in ["let y = f()?;", "f()? + 1", "std::fs::read(name)?.len() as", "let x: i32 = g()? else"] {
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(conditional(&Line::new(typed), &known), None, "{typed}");
        }
    }

    #[test]
    fn lists_of_python_grow() {
        let faults = [(Some("E0425"), "cannot find value `lst` in this scope")];
        for (typed, expected) in [
            ("lst = []", Some("let lst = Vec::new();")),
            ("lst = [1, 2]", Some("let lst = vec![1, 2];")),
            ("lst = [[1, 2], [3, 4]]", Some("let lst = [[1, 2], [3, 4]];")),
        ] {
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(of_line(typed, &known).as_deref(), expected, "{typed}");
        }
        let cell = "let mut lst = Vec::new();\nlst.append(x)";
        let faults = [(Some("E0308"), "mismatched types")];
        let known = Known::of_line(&faults, cell, 2, &type_of);
        assert_eq!(of_line("lst.append(x)", &known).as_deref(), Some("lst.push(x)"));
    }
}
