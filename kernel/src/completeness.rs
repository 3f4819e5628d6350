//! Whether a cell is complete, or more lines will follow.
//!
//! Consoles ask this at every Enter. The answer uses only the tokens, so it is fast. If the tokens do not decide, the
//! cell counts as complete, and the compiler reports the rest.

use crate::evaluator::Completeness;
use ra_ap_parser::SyntaxKind::{self, *};
use ra_ap_parser::{Edition, LexedStr, T};

/// Judges a cell.
pub fn is_complete(code: &str) -> Completeness {
    let first = code.trim_start();
    if first.starts_with("%%") {
        return cell_magic(code);
    }
    if is_shell_command(first) {
        return Completeness::Complete;
    }
    let code = blank_directives(code);
    let tokens = LexedStr::new(Edition::Edition2024, &code);
    if ends_inside_token(&tokens) {
        return Completeness::Incomplete { indent: String::new() };
    }
    let mut scan = Scan::default();
    let mut line = 0;
    for index in 0..tokens.len() {
        if !scan.token(tokens.kind(index), line) {
            return Completeness::Invalid;
        }
        line += tokens.text(index).matches('\n').count();
    }
    if scan.open.is_empty() && !scan.expects_more() {
        return Completeness::Complete;
    }
    Completeness::Incomplete { indent: scan.indent(&code) }
}

/// A cell magic has a body of any text, which an empty line ends.
fn cell_magic(code: &str) -> Completeness {
    if code.trim_start().rsplit_once('\n').is_some_and(|(_, last)| last.trim().is_empty()) {
        return Completeness::Complete;
    }
    Completeness::Incomplete { indent: String::new() }
}

/// `!command`, in a cell of one line. In a longer one `!` is more likely the operator.
fn is_shell_command(code: &str) -> bool {
    let mut rest = code.chars();
    rest.next() == Some('!') && !code.trim_end().contains('\n') && rest.next().is_some_and(char::is_alphabetic)
}

/// The code with lines of evcxr's `:commands` and of `%magics` made blank; their text follows no rule of Rust's.
fn blank_directives(code: &str) -> String {
    let is_directive = |line: &str| {
        let line = line.trim_start();
        if keeps_lines(line) {
            return true;
        }
        let word = line.strip_prefix(':').or_else(|| line.strip_prefix('%'));
        word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let lines = code.split('\n').map(|line| if is_directive(line) { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// `let lines = !command …`: more than one word behind the `!` can hardly be Rust.
fn keeps_lines(line: &str) -> bool {
    let Some((target, command)) = line.split_once("= !") else { return false };
    let mut words = command.split_whitespace();
    let is_command = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./~$".contains(c));
    let is_operator = |word: &str| word.len() <= 2 && word.chars().all(|c| "&|^=!<>".contains(c));
    target.starts_with("let ")
        && words.next().is_some_and(is_command)
        && words.next().is_some_and(|second| !is_operator(second))
}

/// Whether the text ends in a string or in a block comment.
fn ends_inside_token(tokens: &LexedStr<'_>) -> bool {
    let Some(last) = tokens.len().checked_sub(1) else { return false };
    let open_ended = matches!(tokens.kind(last), STRING | BYTE_STRING | C_STRING | COMMENT);
    // The lexer reports this for a raw string only if the end of the text cuts it off.
    let unfinished = |error: &str| error.contains("terminate") || error == "Invalid raw string literal";
    open_ended && tokens.error(last).is_some_and(unfinished)
}

/// The state of the scan.
#[derive(Default)]
struct Scan {
    /// The closing tokens that are due, with the line of each opening one.
    open: Vec<(SyntaxKind, usize)>,
    /// The tokens of the statement at hand, outside of brackets.
    statement: Vec<SyntaxKind>,
    /// The last two tokens that are neither space nor comment, the last one first.
    last: [Option<SyntaxKind>; 2],
    /// Whether the last closed bracket belongs to an attribute.
    after_attribute: bool,
    /// Whether the bracket at depth one opened an attribute.
    in_attribute: bool,
}

impl Scan {
    /// Takes a token; false if it closes a bracket that is not open.
    fn token(&mut self, kind: SyntaxKind, line: usize) -> bool {
        if matches!(kind, WHITESPACE | COMMENT) {
            return true;
        }
        let outside = self.open.is_empty();
        match kind {
            T!['('] => self.open.push((T![')'], line)),
            T!['['] => {
                if outside {
                    self.in_attribute = self.last[0] == Some(T![#]);
                }
                self.open.push((T![']'], line));
            }
            T!['{'] => self.open.push((T!['}'], line)),
            T![')'] | T![']'] | T!['}'] => match self.open.pop() {
                Some((due, _)) if due == kind => {}
                _ => return false,
            },
            _ => {}
        }
        if outside || self.open.is_empty() {
            self.after_attribute = kind == T![']'] && self.in_attribute;
            match kind {
                T![;] | T!['}'] => self.statement.clear(),
                _ if self.after_attribute => self.statement.clear(),
                _ => self.statement.push(kind),
            }
        }
        self.last = [Some(kind), self.last[0]];
        true
    }

    /// Whether the tokens outside of brackets cannot be the end.
    fn expects_more(&self) -> bool {
        self.after_attribute || wants_operand(self.last) || self.is_header()
    }

    /// Whether the statement at hand begins an item or a block whose body has not come yet.
    fn is_header(&self) -> bool {
        let modifier = |kind: &SyntaxKind| {
            matches!(kind, T![pub] | T!['('] | T![')'] | T![async] | T![unsafe] | T![const] | T![extern] | STRING)
        };
        self.statement.iter().find(|kind| !modifier(kind)).is_some_and(|kind| HEADS.contains(kind))
    }

    /// The spaces for the next line: as in the last line, plus four for a bracket that it has left open.
    fn indent(&self, code: &str) -> String {
        let lines: Vec<&str> = code.split('\n').collect();
        let spaces = |line: usize| lines.get(line).map_or(0, |line| line.len() - line.trim_start().len());
        let base = match self.open.last() {
            Some(&(_, line)) => spaces(line),
            None => 0,
        };
        " ".repeat(base + 4)
    }
}

/// Whether an expression, a name or a block must follow these last tokens.
fn wants_operand([last, before]: [Option<SyntaxKind>; 2]) -> bool {
    let Some(last) = last else { return false };
    // The lexer returns operators as single characters. `>` may end a type, but not as `->` and `=>`. `.` may end a
    // range, as `..`. `*` may end a `use`. `!` and `?` end something complete.
    match last {
        T![>] => matches!(before, Some(T![-] | T![=])),
        T![.] => before != Some(T![.]),
        _ => UNFINISHED.contains(&last),
    }
}

/// Tokens that begin an item or a block with a body.
const HEADS: [SyntaxKind; 11] =
    [T![fn], T![struct], T![enum], T![trait], T![impl], T![mod], T![if], T![while], T![for], T![match], T![loop]];

/// What cannot be the end of a cell.
const UNFINISHED: [SyntaxKind; 29] = [
    T![=],
    T![,],
    T![:],
    T![+],
    T![-],
    T![/],
    T![%],
    T![^],
    T![&],
    T![|],
    T![<],
    T![#],
    T![as],
    T![else],
    T![let],
    T![in],
    T![fn],
    T![mut],
    T![ref],
    T![dyn],
    T![where],
    T![use],
    T![const],
    T![static],
    T![type],
    T![pub],
    T![unsafe],
    T![extern],
    T![move],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: &str) {
        let answer = match is_complete(code) {
            Completeness::Complete => "complete".to_owned(),
            Completeness::Incomplete { indent } => format!("incomplete {}", indent.len()),
            Completeness::Invalid => "invalid".to_owned(),
        };
        assert_eq!(answer, expected, "{code:?}");
    }

    #[test]
    fn complete_cells() {
        for code in [
            "",
            "\n\n",
            "1 + 1",
            "let x = 5;",
            "let files = !ls *",
            "fn f() { }",
            "fn f() -> u8 {\n    1\n}\n",
            "struct A;",
            "struct A { x: i32 }",
            "mod m;",
            "use std::fmt::*;",
            "if a { 1 } else { 2 }",
            "let f = |x| x;",
            "a?",
            "Vec?",
            "1..",
            "println!(\"(\")",
            "'('",
            "b'['",
            "fn f<'a>(x: &'a str) {}",
            "r#\"a \" ( \"#",
            "c\"x\"",
            "\"a\\\"b\"",
            "\"two\nlines\"",
            "// an open ( in a comment",
            "/* ( /* nested [ */ */ 1",
            "x // trailing comment =",
            "'label: loop { break 'label; }",
            "let f: fn(i32) -> i32 = g;",
            "#[derive(Debug)]\nstruct A;",
            "\"日本語 🦀\".len()",
            "!flag",
        ] {
            check(code, "complete");
        }
    }

    #[test]
    fn incomplete_cells() {
        for (code, indent) in [
            ("fn f() {", 4),
            ("fn f() {\n    if x {", 8),
            ("fn f() {\n    if x {\n        y();\n    }", 4),
            ("foo(1,", 4),
            ("vec![", 4),
            ("let x =", 4),
            ("let x = 1 +", 4),
            ("x = a &&", 4),
            ("a.", 4),
            ("std::", 4),
            ("x as", 4),
            ("fn f() ->", 4),
            ("a ||", 4),
            ("|x|", 4),
            ("if a { 1 } else", 4),
            ("if a", 4),
            ("match x", 4),
            ("while a < b", 4),
            ("pub(crate) fn f()", 4),
            ("async fn f() -> Result<u8, E>", 4),
            ("impl<T> Trait for T", 4),
            ("struct A", 4),
            ("#[derive(Debug)]", 4),
            ("#[vectorize]\n", 4),
            ("let x = 1 + // more", 4),
            ("\"open", 0),
            ("\"open \\\"", 0),
            ("r#\"open \"", 0),
            ("b\"open", 0),
            ("/* open", 0),
            ("/* open /* closed */", 0),
            ("f(\"🦀\", '{',", 4),
        ] {
            check(code, &format!("incomplete {indent}"));
        }
    }

    #[test]
    fn wrong_whatever_follows() {
        for code in ["}", "fn f() { ) }", "(]", "let x = (1, 2};", "a)\nb("] {
            check(code, "invalid");
        }
    }

    #[test]
    fn directives() {
        for code in [
            ":dep rand = \"0.9\"",
            ":vars",
            ":dep serde = { version = \"1\", features = [\"derive\"",
            "%timeit f((",
            "%who",
            "  %env A=(",
            "%time a\n:vars",
            "%%bash\nls (\n\n",
            "%%timeit\n",
            "!ls | grep (",
            ":dep a\nlet x = 1;",
        ] {
            check(code, "complete");
        }
        for code in ["%%bash", "%%timeit -n 3\nf()", "%%writefile a.txt\nline\n\nline"] {
            check(code, "incomplete 0");
        }
        check("%time f()\nfn g() {", "incomplete 4");
        // `%` in an expression of several lines is not a magic, because no word follows it directly.
        check("(a\n% b)", "complete");
    }
}
