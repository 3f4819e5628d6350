//! A line as tokens of Rust and of Python: Rust's own lexers refuse `f"…"` and `'text'`.

use crate::syntax::is_word;

pub use crate::syntax::is_name;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineTokenKind {
    Word,
    Number,
    Text,
    Sign,
}

/// A token by its place.
#[derive(Clone, Copy, Debug)]
struct LineToken {
    kind: LineTokenKind,
    start: usize,
    end: usize,
}

/// A line and its tokens. A token that is not there is an empty text.
pub struct Line {
    pub text: String,
    tokens: Vec<LineToken>,
}

/// Longer lines are data, or text: the rules do not look at them.
pub const LONGEST_LINE: usize = 2000;

/// Signs of more than one character.
const SIGNS: [&str; 21] = [
    "..=", "...", "**", "//", "==", "!=", "<=", ">=", "->", "=>", "+=", "-=", "*=", "/=", "&&", "||", "..", ":=", "++",
    "--", "::",
];

/// Words that stand before an expression.
const BEFORE_EXPRESSIONS: [&str; 12] =
    ["return", "in", "if", "while", "match", "let", "mut", "else", "and", "or", "not", "for"];

/// Whether a text is a whole number.
pub fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|character| character.is_ascii_digit() || character == '_')
}

impl Line {
    pub fn new(text: &str) -> Line {
        let mut tokens: Vec<LineToken> = Vec::new();
        // The quotes that nothing closes from some place on: behind it no other one of their kind is closed.
        let mut unclosed = String::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let (kind, length) = if rest.starts_with("//") && tokens.is_empty() {
                (LineTokenKind::Text, rest.len())
            } else if let Some(length) = text_length(rest, &mut unclosed) {
                (LineTokenKind::Text, length)
            } else if first.is_ascii_digit() {
                (LineTokenKind::Number, number_length(rest))
            } else if first == '_' || first.is_alphabetic() {
                let end = rest.find(|character| !is_word(character));
                (LineTokenKind::Word, end.unwrap_or(rest.len()))
            } else {
                // In `a[::2]` there are two colons, in `a::b` is a path.
                let is_path = |sign: &str| {
                    sign != "::"
                        || (tokens.last().is_some_and(|token| token.kind == LineTokenKind::Word)
                            && rest[2..].starts_with(|next: char| next == '<' || next == '_' || next.is_alphabetic()))
                };
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign) && is_path(sign));
                (LineTokenKind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len()))
            };
            tokens.push(LineToken { kind, start: at, end: at + length });
            at += length;
        }
        Line { text: text.to_owned(), tokens }
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The text of a token.
    pub fn at(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.text[token.start..token.end])
    }

    /// The text of the token `back` tokens before one.
    pub fn before(&self, index: usize, back: usize) -> &str {
        index.checked_sub(back).map_or("", |index| self.at(index))
    }

    pub fn kind(&self, index: usize) -> Option<LineTokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    pub fn is_word(&self, index: usize) -> bool {
        self.kind(index) == Some(LineTokenKind::Word)
    }

    /// The last token before a semicolon at the end.
    pub fn last(&self) -> usize {
        let last = self.len().saturating_sub(1);
        if self.at(last) == ";" { last.saturating_sub(1) } else { last }
    }

    /// The text from one token to another, with both.
    pub fn slice(&self, first: usize, last: usize) -> &str {
        match (self.tokens.get(first), self.tokens.get(last)) {
            (Some(first), Some(last)) if first.start <= last.end => &self.text[first.start..last.end],
            _ => "",
        }
    }

    /// The line with other text in place of these tokens.
    pub fn with(&self, first: usize, last: usize, text: &str) -> String {
        format!("{}{text}{}", &self.text[..self.tokens[first].start], &self.text[self.tokens[last].end..])
    }

    /// What stands between two tokens: the signs and spaces.
    pub fn gap(&self, left: usize, right: usize) -> &str {
        match (self.tokens.get(left), self.tokens.get(right)) {
            (Some(left), Some(right)) if left.end <= right.start => &self.text[left.end..right.start],
            _ => "",
        }
    }

    /// `changed`, which is this line up to the end of a token and has other text behind it, with other text for these tokens too.
    pub fn with_tail(&self, changed: &str, first: usize, last: usize, text: &str) -> String {
        let tail = changed.get(self.tokens[last].end..).unwrap_or_default();
        format!("{}{text}{tail}", &self.text[..self.tokens[first].start])
    }

    /// The places of a token of this text.
    pub fn find(&self, text: &str) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(move |index| self.at(*index) == text)
    }

    /// The places of the semicolons behind statements, outside of brackets.
    pub fn semicolons(&self) -> impl Iterator<Item = usize> {
        let mut depth = 0;
        (0..self.len()).filter(move |index| {
            depth += self.nesting(*index);
            depth == 0 && self.at(*index) == ";"
        })
    }

    /// The bracket that closes the bracket at a position.
    pub fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        (open..self.len()).find(|index| {
            depth += self.nesting(*index);
            depth <= 0
        })
    }

    /// The bracket that opens the bracket at a position.
    pub fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0;
        (0..=close).rev().find(|index| {
            depth -= self.nesting(*index);
            depth <= 0
        })
    }

    /// The change of the nesting depth by a token.
    fn nesting(&self, index: usize) -> i32 {
        match self.at(index) {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        }
    }

    /// The parts between a bracket and its closing bracket, split at a sign. A part is given by its first and last
    /// token. In a part without tokens, the last token comes before the first.
    pub fn parts(&self, open: usize, sign: &str) -> Option<Vec<(usize, usize)>> {
        let close = self.closing(open).filter(|close| *close > open)?;
        if close == open + 1 {
            return Some(Vec::new());
        }
        let (mut parts, mut first, mut index) = (Vec::new(), open + 1, open + 1);
        while index < close {
            if matches!(self.at(index), "(" | "[" | "{") {
                index = self.closing(index)?;
            } else if self.at(index) == sign {
                parts.push((first, index - 1));
                first = index + 1;
            }
            index += 1;
        }
        parts.push((first, close - 1));
        Some(parts)
    }

    /// The text of a part.
    pub fn part(&self, (first, last): (usize, usize)) -> &str {
        if last < first { "" } else { self.slice(first, last) }
    }

    /// The texts of a call's arguments.
    pub fn arguments(&self, open: usize) -> Option<Vec<&str>> {
        Some(self.parts(open, ",")?.into_iter().map(|part| self.part(part)).collect())
    }

    /// The first token of the operand that ends before a token: a name or a number, with calls and brackets.
    pub fn operand_before(&self, index: usize) -> Option<usize> {
        let mut at = index.checked_sub(1)?;
        loop {
            match self.at(at) {
                ")" | "]" => {
                    at = self.opening(at)?;
                    let before = self.before(at, 1);
                    if before == ">" {
                        at = (0..at)
                            .rev()
                            .find(|index| self.at(*index) == "<" && self.before(*index, 1) == "::")?
                            .checked_sub(2)?;
                        continue;
                    }
                    let continues = before == "!"
                        || matches!(before, ")" | "]")
                        || (at > 0 && self.is_word(at - 1) && !BEFORE_EXPRESSIONS.contains(&before));
                    if !continues {
                        return Some(at);
                    }
                    at -= if before == "!" { 2 } else { 1 };
                }
                "?" => at = at.checked_sub(1)?,
                _ if self.kind(at) != Some(LineTokenKind::Sign) && !BEFORE_EXPRESSIONS.contains(&self.at(at)) => {
                    if !matches!(self.before(at, 1), "." | "::") {
                        return Some(at);
                    }
                    at = at.checked_sub(2)?;
                }
                _ => return None,
            }
        }
    }

    /// The last token of the operand that begins at a token.
    pub fn operand_after(&self, index: usize) -> Option<usize> {
        let mut at = index;
        while matches!(self.at(at), "-" | "&" | "!") {
            at += 1;
        }
        match self.at(at) {
            "(" | "[" => at = self.closing(at)?,
            _ if matches!(self.kind(at), Some(LineTokenKind::Word | LineTokenKind::Number | LineTokenKind::Text)) => {}
            _ => return None,
        }
        loop {
            match self.at(at + 1) {
                "(" | "[" => at = self.closing(at + 1)?,
                "!" if matches!(self.at(at + 2), "(" | "[") => at = self.closing(at + 2)?,
                "." if self.is_word(at + 2) => at += 2,
                "::" if self.is_word(at + 2) => at += 2,
                "::" if self.at(at + 2) == "<" => at = (at + 2..self.len()).find(|index| self.at(*index) == ">")?,
                _ => return Some(at),
            }
        }
    }

    /// Whether a call has an argument with a name, which Rust takes for an assignment. Macros may have such arguments.
    pub fn has_keyword_argument(&self) -> bool {
        self.find("=").any(|index| {
            self.is_word(index.wrapping_sub(1)) && matches!(self.before(index, 2), "(" | ",") && {
                let mut open = Vec::new();
                (0..index).for_each(|at| match self.at(at) {
                    "(" => open.push(at),
                    ")" => drop(open.pop()),
                    _ => {}
                });
                open.last().is_some_and(|at| self.before(*at, 1) != "!")
            }
        })
    }

    /// The calls of functions or methods: the positions of the names.
    pub fn calls(&self, is_method: bool) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(move |index| {
            self.is_word(*index)
                && self.at(index + 1) == "("
                && match self.before(*index, 1) {
                    "." => is_method,
                    "::" | "!" | "fn" => false,
                    _ => !is_method,
                }
        })
    }
}

/// The length of a text in quotes at the beginning, with a letter before it as in Python. A quote that nothing closes is added to
/// `unclosed`, so that the line is searched for it once.
fn text_length(rest: &str, unclosed: &mut String) -> Option<usize> {
    let is_quote = |character: &char| matches!(character, '"' | '\'');
    let mut characters = rest.chars();
    let first = characters.next()?;
    let prefix = if is_quote(&first) { 0 } else { 1 };
    if prefix == 1 && !matches!(first, 'f' | 'r' | 'b' | 'F') {
        return None;
    }
    let quote = if prefix == 0 { first } else { characters.next().filter(is_quote)? };
    if unclosed.contains(quote) {
        return None;
    }
    let mut escaped = false;
    for (at, character) in rest[prefix + 1..].char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(prefix + 1 + at + 1),
            _ => {}
        }
    }
    unclosed.push(quote);
    None
}

/// The length of a number at the beginning: its point is followed by neither a point nor a name.
fn number_length(rest: &str) -> usize {
    let word = |text: &str| text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let mut length = word(rest);
    let behind = &rest[length..];
    if let Some(fraction) = behind.strip_prefix('.')
        && !fraction.starts_with(|c: char| c == '.' || c == '_' || c.is_alphabetic())
    {
        length += 1 + word(fraction);
    }
    let so_far = &rest[..length];
    let is_power = so_far.ends_with(['e', 'E']) && !so_far.starts_with("0x");
    if is_power && let Some(power) = rest[length..].strip_prefix(['-', '+']) {
        length += 1 + word(power);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let line = Line::new(text);
        (0..line.len()).map(|index| line.at(index).to_owned()).collect()
    }

    #[test]
    fn tokens_of_both_languages() {
        assert_eq!(tokens("a[::2]"), ["a", "[", ":", ":", "2", "]"]);
        assert_eq!(tokens("gpu::f(1.5e-3, 0..2)"), ["gpu", "::", "f", "(", "1.5e-3", ",", "0", "..", "2", ")"]);
        assert_eq!(tokens("f\"{x}\" + 'it' ** 2.5"), ["f\"{x}\"", "+", "'it'", "**", "2.5"]);
        assert_eq!(tokens("2.0.sqrt() 1.max(2)"), ["2.0", ".", "sqrt", "(", ")", "1", ".", "max", "(", "2", ")"]);
    }

    #[test]
    fn operands() {
        let line = Line::new("y + v.f(1)[2].g::<T>(x) ** -a.b(2) * z");
        let power = line.find("**").next().unwrap();
        let (first, last) = (line.operand_before(power).unwrap(), line.operand_after(power + 1).unwrap());
        assert_eq!(line.slice(first, power - 1), "v.f(1)[2].g::<T>(x)");
        assert_eq!(line.slice(power + 1, last), "-a.b(2)");
    }
}
