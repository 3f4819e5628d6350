//! Texts, and what prints them.

use super::known::Known;
use super::line::{Line, LineTokenKind, is_name};
use super::named::{sorted_out, value_of};
use super::operators::as_object;

/// A text for `format!` and its arguments.
#[derive(Default)]
pub struct Format {
    pub text: String,
    arguments: Vec<String>,
}

impl Format {
    /// Adds an expression.
    pub fn value(&mut self, expression: &str, how: &str, known: &Known<'_>) {
        // Python's `%` shows a hundred times the value, with six digits if their number is not given.
        if let Some(how) = how.strip_suffix('%') {
            let how = if how.contains('.') { how.to_owned() } else { format!("{how}.6") };
            self.value(&format!("100.0 * {}", as_object(expression)), &how, known);
            self.text.push('%');
            return;
        }
        let type_name = known.type_of(expression).unwrap_or_default();
        let is_shown = !["Vec<", "[", "(", "Option<", "HashMap<"].iter().any(|start| type_name.starts_with(start))
            && ![".shape", ".shape()", ".strides()", ".tolist()"].iter().any(|end| expression.ends_with(end));
        let how = if is_shown || how.ends_with('?') { how.to_owned() } else { format!("{how}?") };
        let how = if how.is_empty() { how } else { format!(":{how}") };
        if is_name(expression) {
            self.text += &format!("{{{expression}{how}}}");
        } else {
            self.text += &format!("{{{how}}}");
            self.arguments.push(expression.to_owned());
        }
    }

    /// Adds a text in quotes, with its prefix.
    fn literal(&mut self, literal: &str, known: &Known<'_>) -> Option<()> {
        let is_formatted = literal.starts_with(['f', 'F']);
        let quoted = literal.trim_start_matches(['f', 'F', 'r', 'b']);
        let quote = quoted.chars().next()?;
        let text = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
        let text = if quote == '\'' { text.replace('"', "\\\"") } else { text.to_owned() };
        if !is_formatted {
            self.text += &text.replace('{', "{{").replace('}', "}}");
            return Some(());
        }
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            self.text += &rest[..at];
            rest = &rest[at..];
            if rest.starts_with("{{") || rest.starts_with("}}") {
                self.text += &rest[..2];
                rest = &rest[2..];
                continue;
            }
            let end = rest.find('}')?;
            let field = rest[..end].strip_prefix('{')?;
            rest = &rest[end + 1..];
            let (expression, how) = match field.rsplit_once(':') {
                Some((expression, how)) if !expression.ends_with(':') => (expression, how),
                _ => (field, ""),
            };
            let (named, expression) = match expression.strip_suffix('=') {
                Some(expression) => (true, expression),
                None => (false, expression),
            };
            if named {
                self.text += &format!("{expression} = ");
            }
            self.value(
                expression.trim_end_matches("!r").trim(),
                how.trim_end_matches(['f', 'd', 's', 'g', 'F']),
                known,
            );
        }
        self.text += rest;
        Some(())
    }

    /// The arguments of the macro.
    pub fn end(self) -> String {
        let arguments: String = self.arguments.iter().map(|argument| format!(", {argument}")).collect();
        format!("\"{}\"{arguments}", self.text)
    }
}

/// `print(a)`, `print(f"…")`, `println!(a)`
pub fn print(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        if !matches!(line.at(at), "print" | "println") || matches!(line.before(at, 1), "." | "::" | "fn") {
            return None;
        }
        let is_macro = line.at(at + 1) == "!";
        let open = if is_macro { at + 2 } else { at + 1 };
        if line.at(open) != "(" || !(is_macro || known.blames(line.at(at))) {
            return None;
        }
        let close = line.closing(open)?;
        let arguments = line.arguments(open)?;
        let is_text = line.kind(open + 1) == Some(LineTokenKind::Text);
        let has_fields = is_text && line.at(open + 1).contains('{') && !line.at(open + 1).starts_with('f');
        let is_right = is_text && (has_fields || arguments.len() == 1) && line.at(open + 1).starts_with('"');
        if is_macro && (is_right || arguments.is_empty()) {
            return None;
        }
        let (values, named) = sorted_out(&arguments);
        let text =
            |name: &str| Some(value_of(&named, name)?.trim_matches(['"', '\'']).replace('{', "{{").replace('}', "}}"));
        let (separator, end) = (text("sep").unwrap_or_else(|| " ".to_owned()), text("end").filter(|end| end != "\\n"));
        let name = if end.is_some() { "print!" } else { "println!" };
        if is_right && !is_macro && has_fields && named.is_empty() {
            // It has the form that the macro takes.
            return Some(line.with(at, close, &format!("{name}({})", values.join(", "))));
        }
        let mut format = Format::default();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                format.text += &separator;
            }
            let own = Line::new(value);
            if own.len() == 1 && own.kind(0) == Some(LineTokenKind::Text) {
                format.literal(value, known)?
            } else {
                format.value(value, "", known)
            }
        }
        format.text += &end.unwrap_or_default();
        Some(line.with(at, close, &format!("{name}({})", if values.is_empty() { String::new() } else { format.end() })))
    })
}

/// `println!("{a.sum()}")`: in Rust only names can be between the braces.
pub fn expressions(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_alone = |at: &usize| line.arguments(at + 1).is_some_and(|arguments| arguments.len() == 1);
    let at = line.find("!").find(is_alone).filter(|_| known.says("invalid format string"))? + 2;
    let literal = Some(line.at(at)).filter(|text| text.starts_with('"')).map(|text| format!("f{text}"))?;
    let mut format = Format::default();
    format.literal(&literal, known)?;
    Some(line.with(at, at, &format.end()))
}

/// `f"…"` and `'text'`
pub fn text(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).filter(|at| line.kind(*at) == Some(LineTokenKind::Text)).find_map(|at| {
        let literal = line.at(at);
        let is_formatted = literal.starts_with(['f', 'F']);
        let is_long = literal.starts_with('\'') && literal.chars().count() > 3 && !literal.starts_with("'\\");
        let is_lifetime = matches!(line.before(at, 1), "&" | "<");
        if !(is_formatted || (is_long && !is_lifetime && known.is_syntax())) {
            return None;
        }
        let mut format = Format::default();
        format.literal(literal, known)?;
        if is_formatted {
            return Some(line.with(at, at, &format!("format!({})", format.end())));
        }
        Some(line.with(at, at, &format!("\"{}\"", literal.trim_matches('\'').replace('"', "\\\""))))
    })
}

/// `np.set_printoptions(precision=3, suppress=True)`
pub fn print_options(named: &[(&str, &str)]) -> Option<String> {
    let options = named.iter().map(|(name, value)| match *name {
        "suppress" => Some(format!(".suppress({})", value.to_lowercase())),
        "threshold" if value.ends_with("inf") || value.ends_with("maxsize") => {
            Some(".threshold(usize::MAX)".to_owned())
        }
        "precision" | "threshold" | "edgeitems" | "linewidth" => Some(format!(".{name}({value})")),
        _ => None,
    });
    Some(format!("gpu::set_printoptions(gpu::PrintOptions::new(){})", options.collect::<Option<String>>()?))
}
