//! Values in lines that are not Rust: `{name}` and `$name` in a line for the shell, `$NAME` in `%env`, `%cd` and the
//! names of files.
//!
//! Only what names a variable is replaced. All other braces and dollars are the shell's, awk's or sed's. This module writes
//! Rust that puts the text together when the line runs, so a value is the one of that time.

use super::action::{ActionError, KernelServices};
use super::lexer::{CellTokenKind, tokens, word_length};
use super::literal::literal;
use super::magic::unquoted;
use super::notebook::Notebook;
use crate::syntax::{is_keyword, is_word, plain};
use ra_ap_syntax::ast::{self, AstNode};
use std::collections::BTreeSet;

/// What `$NAME` is if the notebook has no variable of that name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dollar {
    /// Left to the shell.
    Shell,
    /// A variable of the environment.
    Environment,
}

/// A piece of a line.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// An expression, and how it is written, as in `{x:.3}`.
    Value {
        expression: String,
        format: String,
    },
    Environment(String),
}

/// What text becomes in Rust: an expression of type `&str`, and the items that it needs before it.
pub(super) struct Text {
    pub items: &'static str,
    pub expression: String,
}

/// The code for the text of a line.
pub(super) fn text(line: &str, notebook: &Notebook, dollar: Dollar) -> Text {
    let pieces = pieces(line, notebook, dollar);
    match &pieces[..] {
        [] => return Text { items: "", expression: literal("") },
        [Piece::Text(text)] => return Text { items: "", expression: literal(text) },
        _ => {}
    }
    let is_plain = |piece: &Piece| matches!(piece, Piece::Value { format, .. } if format.is_empty());
    let items = if pieces.iter().any(is_plain) { AS_TEXT } else { "" };
    let code: Vec<String> = pieces.iter().map(Piece::code).collect();
    Text { items, expression: format!("&[{}].concat()", code.join(", ")) }
}

/// A text that the kernel itself needs, such as the path of a file: known, or code of the cells that gives it.
pub(super) enum KernelText {
    Known(String),
    Computed(String),
}

impl KernelText {
    /// That of a line, in which `{name}` and `$NAME` are values as in `%cd`. A text in single quotes stays as it is.
    pub fn of(line: &str, notebook: &Notebook) -> KernelText {
        let plain = unquoted(line);
        if line.starts_with('\'') && plain != line {
            return KernelText::Known(plain.to_owned());
        }
        match &pieces(plain, notebook, Dollar::Environment)[..] {
            [] => return KernelText::Known(String::new()),
            [Piece::Text(text)] => return KernelText::Known(text.clone()),
            _ => {}
        }
        let Text { items, expression } = text(plain, notebook, Dollar::Environment);
        KernelText::Computed(format!("{{ {items}{expression} }}"))
    }

    /// The text, which has the values of now.
    ///
    /// # Errors
    /// A value has no text, or the cell is only checked.
    pub fn get(&self, kernel: &mut dyn KernelServices) -> Result<String, ActionError> {
        match self {
            KernelText::Known(text) => Ok(text.clone()),
            KernelText::Computed(code) => kernel.text(code),
        }
    }
}

/// Chooses how a value is written, by its type: as `Display` does, or else as a path. Other types have no text.
const AS_TEXT: &str = "struct ValueInLine<'a, T: ?Sized>(&'a T, &'static str); \
    trait DisplayInLine { fn in_line(&self) -> String; } trait PathInLine { fn in_line(&self) -> String; } \
    trait OtherInLine { fn in_line(&self) -> String; } \
    impl<T: std::fmt::Display + ?Sized> DisplayInLine for &&ValueInLine<'_, T> { fn in_line(&self) -> String { self.0.to_string() } } \
    impl<T: AsRef<std::path::Path> + ?Sized> PathInLine for &ValueInLine<'_, T> \
    { fn in_line(&self) -> String { self.0.as_ref().display().to_string() } } \
    impl<T: ?Sized> OtherInLine for ValueInLine<'_, T> { fn in_line(&self) -> String { \
    panic!(\"the value of `{0}` has no text (no `Display`, and it is not a path); write its `Debug` text: `{{{0}:?}}`\", self.1) } } ";

impl Piece {
    fn code(&self) -> String {
        match self {
            Piece::Text(text) => literal(text),
            Piece::Value { expression, format } if format.is_empty() => {
                format!("(&&&ValueInLine(&({expression}), {})).in_line().as_str()", literal(expression))
            }
            Piece::Value { expression, format } => format!("format!(\"{{:{format}}}\", {expression}).as_str()"),
            Piece::Environment(name) => {
                let message = format!(
                    "the environment variable `{name}` is not set; `%env {name}=value` sets it, and single quotes around \
                     the text keep `${name}` as it is"
                );
                format!(
                    "std::env::var({}).unwrap_or_else(|_| panic!(\"{{}}\", {})).as_str()",
                    literal(name),
                    literal(&message)
                )
            }
        }
    }
}

fn pieces(line: &str, notebook: &Notebook, dollar: Dollar) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let (rest, before) = (&line[at..], line[..at].chars().next_back());
        let found = match (first, before) {
            (_, Some('\\')) => None,
            ('{', Some('$')) if dollar == Dollar::Shell => None,
            ('{', _) => in_braces(rest, notebook),
            ('$', _) => after_dollar(line, at, notebook, dollar),
            _ => None,
        };
        match found {
            Some((piece, length)) => {
                at += length;
                match piece {
                    Piece::Text(kept) => text.push_str(&kept),
                    other => {
                        if !text.is_empty() {
                            pieces.push(Piece::Text(std::mem::take(&mut text)));
                        }
                        pieces.push(other);
                    }
                }
            }
            None => {
                text.push(first);
                at += first.len_utf8();
            }
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// What stands at a `{`, and its length. `{{name}}` is the text `{name}`, as in Python.
fn in_braces(rest: &str, notebook: &Notebook) -> Option<(Piece, usize)> {
    let doubled = rest.starts_with("{{");
    let inside = &rest[if doubled { 2 } else { 1 }..];
    let end = inside.find(['{', '}', '\n']).filter(|end| inside[*end..].starts_with('}'))?;
    let inside = &inside[..end];
    let value = value(inside, notebook)?;
    match doubled {
        true if rest[2 + end..].starts_with("}}") => Some((Piece::Text(format!("{{{inside}}}")), end + 4)),
        true => None,
        false => Some((value, end + 2)),
    }
}

/// The value that stands in braces: an expression with a variable of the notebook, and perhaps a format.
fn value(inside: &str, notebook: &Notebook) -> Option<Piece> {
    if inside.is_empty() || inside.trim() != inside {
        return None;
    }
    let with_format =
        inside.rsplit_once(':').filter(|(expression, format)| !expression.ends_with(':') && is_format(format));
    let choices = [Some((inside, "")), with_format];
    let (expression, format) = choices.into_iter().flatten().find(|(expression, _)| is_value(expression, notebook))?;
    let expression = if is_keyword(expression) { format!("r#{expression}") } else { expression.to_owned() };
    Some(Piece::Value { expression, format: format.to_owned() })
}

/// Whether a text is the rest of a placeholder of `format!`: `.3`, `>8`, `?`.
fn is_format(text: &str) -> bool {
    let known = |c: char| c.is_ascii_digit() || "<^>+#.?xXobeE".contains(c);
    !text.is_empty() && text.chars().all(known)
}

/// Whether a text is an expression that reads a variable of the notebook and changes nothing.
fn is_value(text: &str, notebook: &Notebook) -> bool {
    if is_keyword(text) || text.chars().all(is_word) {
        return notebook.has_value(text);
    }
    const OPEN: &str = "fn line() { let _ = ";
    let file = crate::syntax::parse(&format!("{OPEN}{text}; }}"));
    if !file.errors().is_empty() {
        return false;
    }
    let root = file.tree();
    let Some(expression) = root.syntax().descendants().find_map(ast::LetStmt::cast).and_then(|one| one.initializer())
    else {
        return false;
    };
    let is_whole = usize::from(expression.syntax().text_range().len()) == text.len();
    let is_allowed = |expression: &ast::Expr| match expression {
        ast::Expr::BinExpr(binary) => !matches!(binary.op_kind(), Some(ast::BinaryOp::Assignment { .. })),
        ast::Expr::PathExpr(_)
        | ast::Expr::FieldExpr(_)
        | ast::Expr::MethodCallExpr(_)
        | ast::Expr::CallExpr(_)
        | ast::Expr::IndexExpr(_)
        | ast::Expr::PrefixExpr(_)
        | ast::Expr::ParenExpr(_)
        | ast::Expr::RefExpr(_)
        | ast::Expr::CastExpr(_)
        | ast::Expr::ClosureExpr(_)
        | ast::Expr::Literal(_) => true,
        _ => false,
    };
    let mut paths = expression.syntax().descendants().filter_map(ast::PathExpr::cast);
    let mut all = expression.syntax().descendants().filter_map(ast::Expr::cast);
    is_whole
        && !matches!(expression, ast::Expr::RangeExpr(_))
        && paths.any(|path| notebook.has_value(&path.syntax().text().to_string()))
        && all.all(|inner| is_allowed(&inner) || matches!(inner, ast::Expr::RangeExpr(_)))
}

/// What stands at a `$`, and its length.
fn after_dollar(line: &str, at: usize, notebook: &Notebook, dollar: Dollar) -> Option<(Piece, usize)> {
    let rest = &line[at + 1..];
    let name_in = |text: &str| {
        let name = text[..word_length(text)].to_owned();
        (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
    };
    if let Some(name) = rest.strip_prefix('$').and_then(name_in) {
        let is_ours = dollar == Dollar::Environment || notebook.has_value(&name);
        return is_ours.then(|| (Piece::Text(format!("${name}")), name.len() + 2));
    }
    if let Some(inside) = rest.strip_prefix('{') {
        let name =
            name_in(inside).filter(|name| dollar == Dollar::Environment && inside[name.len()..].starts_with('}'))?;
        let length = name.len() + 3;
        return Some((Piece::Environment(name), length));
    }
    let name = name_in(rest)?;
    let length = name.len() + 1;
    if notebook.has_value(&name) && !is_set_in(line, &name) {
        let expression = if is_keyword(&name) { format!("r#{name}") } else { name };
        return Some((Piece::Value { expression, format: String::new() }, length));
    }
    (dollar == Dollar::Environment).then_some((Piece::Environment(name), length))
}

/// Whether a line sets a variable of the shell: `name=…`, `for name in …`, `read name`.
fn is_set_in(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) || before.ends_with('$') {
            return false;
        }
        let command = before.trim_end().rsplit([';', '|', '&', '(']).next().unwrap_or_default();
        let begins_word = before.is_empty() || before.ends_with([' ', '\t', ';', '|', '&', '(']);
        let words: Vec<&str> = command.split_whitespace().collect();
        (begins_word && after.starts_with('=')) || words.last() == Some(&"for") || words.contains(&"read")
    })
}

/// The names that `let`, `const` and `static` bind in code, outside of all brackets.
pub(super) fn bound_in(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut depth = 0usize;
    // Whether a pattern is read, and in how many brackets it began.
    let mut pattern = None;
    for token in tokens(code, 0) {
        match token.kind {
            CellTokenKind::Open(_) => depth += 1,
            CellTokenKind::Close(_) => depth = depth.saturating_sub(1),
            CellTokenKind::Symbol('=' | ';' | ':') if pattern == Some(depth) => pattern = None,
            CellTokenKind::Word => {
                let word = &code[token.range];
                if depth == 0 && matches!(word, "let" | "const" | "static") {
                    pattern = Some(depth);
                } else if pattern.is_some() && !matches!(word, "mut" | "ref" | "fn" | "_") {
                    found.insert(plain(word).to_owned());
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notebook() -> Notebook {
        let variables = ["name", "n", "path", "v", "a"].map(|name| (name.to_owned(), "T".to_owned())).to_vec();
        Notebook {
            variables,
            items: ["LIMIT".to_owned(), "Point".to_owned()].into(),
            above: ["here".to_owned()].into(),
        }
    }

    /// The line, with `<expression|format>` for values and `<$NAME>` for variables of the environment.
    fn read(line: &str, dollar: Dollar) -> String {
        let pieces = pieces(line, &notebook(), dollar).into_iter();
        let shown = pieces.map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Value { expression, format } if format.is_empty() => format!("<{expression}>"),
            Piece::Value { expression, format } => format!("<{expression}|{format}>"),
            Piece::Environment(name) => format!("<${name}>"),
        });
        shown.collect()
    }

    #[test]
    fn variables_are_replaced() {
        for (line, expected) in [
            ("cat {name}.txt $name", "cat <name>.txt <name>"),
            ("head -n {n + 1} \"{path}/{here}\"", "head -n <n + 1> \"<path>/<here>\""),
            ("echo {v.len()} {v[0]} {-n} {name.to_uppercase()}", "echo <v.len()> <v[0]> <-n> <name.to_uppercase()>"),
            ("echo {n:03} {v:?} {n as f64:.2} {LIMIT}", "echo <n|03> <v|?> <n as f64|.2> <LIMIT>"),
            ("echo {v.iter().map(|x| x * 2).sum::<i32>()}", "echo <v.iter().map(|x| x * 2).sum::<i32>()>"),
            ("echo {{name}} $$name", "echo {name} $name"),
            ("for i in 1 2; do echo $i $n; done", "for i in 1 2; do echo $i <n>; done"),
        ] {
            assert_eq!(read(line, Dollar::Shell), expected);
        }
    }

    #[test]
    fn all_else_is_the_shells() {
        for line in [
            "echo $HOME ${HOME} ${name} ${name:-x} $1 $? $$ $(date)",
            "awk '{print $1}' f",
            "awk '{ n }' f",
            "awk '{n += $1} END {print n}'",
            "awk '{n += 1}'",
            "echo {a,b} {a..b} {1..3} {} {unknown} {Point}",
            "curl -d '{\"name\": 1}'",
            "echo \\{name} \\$name",
            "for name in *; do echo $name; done",
            "n=3; echo $n",
            "read name; echo $name",
            "find . -exec cat {} \\;",
            "f() { n; }; f",
            "echo {",
            "echo ${",
            "echo $",
        ] {
            assert_eq!(read(line, Dollar::Shell), line);
        }
    }

    #[test]
    fn in_the_environment_a_dollar_is_a_variable_of_it() {
        for (text, expected) in [
            ("$PATH:/opt/x", "<$PATH>:/opt/x"),
            ("${HOME}/x", "<$HOME>/x"),
            ("{name}-$name", "<name>-<name>"),
            ("a$$b", "a$b"),
            ("5$ {a,b}", "5$ {a,b}"),
        ] {
            assert_eq!(read(text, Dollar::Environment), expected);
        }
    }

    #[test]
    fn text_without_values_stays_a_literal() {
        let text = super::text("ls -l", &notebook(), Dollar::Shell);
        assert_eq!((text.items, &*text.expression), ("", "\"ls -l\""));
        assert_eq!(super::text("", &notebook(), Dollar::Environment).expression, "\"\"");
        let formatted = super::text("echo {n:03}", &notebook(), Dollar::Shell);
        assert_eq!(
            (formatted.items, &*formatted.expression),
            ("", "&[\"echo \", format!(\"{:03}\", n).as_str()].concat()")
        );
    }

    #[test]
    fn names_that_a_cell_binds() {
        let code =
            "let a = 1; let mut b: Vec<C> = f(|d| d);\nlet (e, f) = (1, 2);\nif x { let g = 1; }\nconst H: usize = 3;";
        assert_eq!(bound_in(code).into_iter().collect::<Vec<_>>(), ["H", "a", "b", "e", "f"]);
    }
}
