//! Texts with values in them, as Python and C write them.

use super::known::Known;
use super::line::{Line, LineTokenKind};
use super::printing::Format;

/// The text between the quotes of a literal.
fn inner(literal: &str) -> Option<&str> {
    let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    literal.strip_prefix(quote)?.strip_suffix(quote)
}

/// How Rust writes a width and a precision: `.2f` is `.2`.
fn how(text: &str) -> String {
    text.trim_start_matches('>').trim_end_matches(['f', 'd', 's', 'g', 'i', 'u', 'F', 'l']).to_owned()
}

/// A text with `%d` in it, and values.
fn of_percents(literal: &str, values: &[&str], known: &Known<'_>) -> Option<Format> {
    let (mut format, mut values) = (Format::default(), values.iter());
    let mut rest = inner(literal)?;
    while let Some(at) = rest.find('%') {
        format.text += &rest[..at].replace('{', "{{").replace('}', "}}");
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            format.text.push('%');
            rest = behind;
            continue;
        }
        let end = rest.find(|character: char| character.is_ascii_alphabetic() && character != 'l')? + 1;
        let how = match &rest[end - 1..end] {
            "e" => format!(
                "{}e",
                rest[..end - 1].trim_end_matches(|character: char| character != '.' && !character.is_ascii_digit())
            ),
            "x" => "x".to_owned(),
            _ => how(&rest[..end]),
        };
        format.value(values.next()?, &how, known);
        rest = &rest[end..];
    }
    format.text += &rest.replace('{', "{{").replace('}', "}}");
    Some(format)
}

/// `"n = %d" % n`, `"{:.2f}".format(x)`
pub fn formatted(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).filter(|at| line.kind(*at) == Some(LineTokenKind::Text)).find_map(|at| {
        let literal = line.at(at);
        if line.at(at + 1) == "%" {
            let last = line.operand_after(at + 2)?;
            let is_tuple = line.at(at + 2) == "(" && line.closing(at + 2) == Some(last);
            let values = if is_tuple { line.arguments(at + 2)? } else { vec![line.slice(at + 2, last)] };
            let format = of_percents(literal, &values, known)?;
            return Some(line.with(at, last, &format!("format!({})", format.end())));
        }
        if line.at(at + 1) == "." && line.at(at + 2) == "format" && line.at(at + 3) == "(" {
            let values = line.arguments(at + 3)?;
            let (mut format, mut next) = (Format::default(), 0);
            let mut rest = inner(literal)?;
            while let Some(start) = rest.find('{') {
                format.text += &rest[..start];
                let end = start + rest[start..].find('}')?;
                let field = &rest[start + 1..end];
                let (name, spec) = field.split_once(':').unwrap_or((field, ""));
                let index = if name.is_empty() { next } else { name.parse().ok()? };
                format.value(values.get(index)?, &how(spec), known);
                next += 1;
                rest = &rest[end + 1..];
            }
            format.text += rest;
            return Some(line.with(at, line.closing(at + 3)?, &format!("format!({})", format.end())));
        }
        None
    })
}

/// `println!("{}", format!("…"))`, which the other rules leave.
pub fn printed_format(line: &Line, _: &Known<'_>) -> Option<String> {
    line.find("format").find_map(|at| {
        let is_inner = line.at(at + 1) == "!" && line.before(at, 1) == "," && line.before(at, 2) == "\"{}\"";
        let close = line.closing(at + 2).filter(|close| is_inner && line.at(close + 1) == ")")?;
        Some(line.with(at - 2, close, line.slice(at + 3, close - 1)))
    })
}

/// `println!("{}", a.shape())` of what has no form for users.
pub fn debug(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("doesn't implement `std::fmt::Display`") {
        return None;
    }
    let at = line.find("!").find(|at| line.at(at + 1) == "(" && line.kind(at + 2) == Some(LineTokenKind::Text))?;
    let text = line.at(at + 2);
    let is_text = |value: &str| Line::new(value).len() == 1 && value.starts_with('"');
    // Which of the fields is meant is not said. Arrays have a form for users.
    let values = line.arguments(at + 1)?;
    let (mut new, mut rest, mut next) = (String::new(), text, 1);
    while let Some(start) = rest.find('{') {
        let end = start + rest[start..].find('}')?;
        let field = &rest[start + 1..end];
        let value = if field.is_empty() { values.get(next).copied().unwrap_or_default() } else { field };
        next += usize::from(field.is_empty());
        let is_plain = !field.contains([':', '{']) && !known.is_array(value) && !is_text(value);
        new += &rest[..=start];
        new += field;
        new += if is_plain { ":?}" } else { "}" };
        rest = &rest[end + 1..];
    }
    new += rest;
    (new != text).then(|| line.with(at + 2, at + 2, &new))
}

/// `println!("{}", a, b)`, `println!("{x:.3f}")`
pub fn fields(line: &Line, known: &Known<'_>) -> Option<String> {
    let (is_unused, is_of_python) = (known.says("argument never used"), known.says("unknown format trait `"));
    let at = line.find("!").find(|at| is_unused || is_of_python && line.at(at + 1) == "(")?;
    let (literal, arguments) = (line.at(at + 2), line.arguments(at + 1)?);
    let mut text = inner(literal)?.to_owned();
    if is_of_python {
        for letter in ['f', 'd', 's', 'g', 'i', 'F'] {
            text = text.replace(&format!("{letter}}}"), "}");
        }
        text = text.replace(":}", "}");
    } else {
        let fields = text.replace("{{", "").matches('{').count();
        text += &" {}".repeat(arguments.len().checked_sub(1 + fields)?);
        text = text.trim_start().to_owned();
    }
    Some(line.with(at + 2, at + 2, &format!("\"{text}\"")))
}

/// `printf("%d\n", n)`, `console.log(x)`, `cout << x << endl;`
pub fn output(line: &Line, known: &Known<'_>) -> Option<String> {
    let end = line.last();
    if line.at(0) == "cout" || (line.at(0) == "std" && line.at(2) == "cout") {
        let start = line.find("<").next()?;
        let parts: Vec<&str> =
            line.slice(start, end).split("<<").map(str::trim).filter(|part| !part.is_empty()).collect();
        let is_end = |part: &&&str| !part.ends_with("endl");
        return printed(&parts.iter().filter(is_end).copied().collect::<Vec<_>>(), "", known)
            .map(|call| format!("{call};"));
    }
    (0..line.len()).find_map(|at| {
        let is_log = line.at(at) == "log" && matches!(line.before(at, 2), "console") && line.before(at, 1) == ".";
        let open = at + 1;
        if line.at(open) != "(" {
            return None;
        }
        let (close, arguments) = (line.closing(open)?, line.arguments(open)?);
        if is_log {
            return Some(line.with(at - 2, close, &printed(&arguments, " ", known)?));
        }
        if !matches!(line.at(at), "printf" | "sprintf") || !known.blames(line.at(at)) {
            return None;
        }
        let (literal, values) = arguments.split_first()?;
        let mut format = of_percents(literal, values, known)?;
        let name = if line.at(at) == "sprintf" {
            "format!"
        } else if let Some(text) = format.text.strip_suffix("\\n").map(str::to_owned) {
            format.text = text;
            "println!"
        } else {
            "print!"
        };
        Some(line.with(at, close, &format!("{name}({})", format.end())))
    })
}

/// A call that prints values.
fn printed(values: &[&str], between: &str, known: &Known<'_>) -> Option<String> {
    let mut format = Format::default();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            format.text += between;
        }
        match inner(value) {
            Some(text) => format.text += &text.replace('{', "{{").replace('}', "}}"),
            None => format.value(value, "", known),
        }
    }
    Some(format!("println!({})", format.end()))
}

/// `"value: " + x`
pub fn concatenation(line: &Line, known: &Known<'_>) -> Option<String> {
    if !(known.says("cannot concatenate") || known.says("cannot add `") && known.says("to `&str`")) {
        return None;
    }
    let plus = line.find("+").find(|at| line.kind(at.wrapping_sub(1)) == Some(LineTokenKind::Text))?;
    let last = line.operand_after(plus + 1)?;
    let are_texts = line.kind(plus + 1) == Some(LineTokenKind::Text) && last == plus + 1;
    let mut format = Format::default();
    format.text += inner(line.before(plus, 1))?;
    match are_texts {
        // The compiler's own help is right for two texts, but not within a call.
        true if line.before(plus, 2).is_empty() => return None,
        true => return Some(line.with(plus - 1, last, &format!("\"{}{}\"", format.text, inner(line.at(last))?))),
        false => format.value(line.slice(plus + 1, last), "", known),
    }
    Some(line.with(plus - 1, last, &format!("format!({})", format.end())))
}
