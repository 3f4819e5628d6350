//! A scan of Rust text that tells code from strings, characters and comments: enough to see where lines, brackets
//! and statements begin. It is no parser: it must also pass over text that is not Rust yet.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Blanks other than line ends.
    Space,
    /// One line end.
    Newline,
    /// `// …`, without the line end.
    LineComment,
    /// `/* … */`, nested ones included.
    BlockComment,
    /// A string of any sort, a character, or a byte.
    Quoted,
    /// An identifier, keyword, number or lifetime.
    Word,
    /// `(`, `[` or `{`.
    Open(char),
    /// `)`, `]` or `}`.
    Close(char),
    /// Any other character.
    Symbol(char),
}

impl Kind {
    /// Whether the compiler skips such a token.
    pub fn is_trivia(self) -> bool {
        matches!(self, Kind::Space | Kind::Newline | Kind::LineComment | Kind::BlockComment)
    }
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// False for a string or block comment that the text's end cuts off.
    pub terminated: bool,
}

/// The tokens of `text` from byte `start` on; they cover it without gaps.
pub(super) fn tokens(text: &str, start: usize) -> Tokens<'_> {
    Tokens { text, position: start }
}

/// The iterator of [`tokens`].
pub(super) struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = &self.text[self.position..];
        let first = rest.chars().next()?;
        let mut terminated = true;
        let (kind, length) = match first {
            '\n' => (Kind::Newline, 1),
            c if c.is_whitespace() => {
                (Kind::Space, rest.find(|c: char| c == '\n' || !c.is_whitespace()).unwrap_or(rest.len()))
            }
            '/' if rest.starts_with("//") => (Kind::LineComment, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => {
                let end = block_comment_end(rest);
                terminated = end.is_some();
                (Kind::BlockComment, end.unwrap_or(rest.len()))
            }
            '"' => quoted(string_end(rest, 1), rest, &mut terminated),
            '\'' => match character_end(rest) {
                Some(end) => (Kind::Quoted, end),
                None => (Kind::Word, 1 + word_length(&rest[1..])),
            },
            c if is_word(c) => match prefixed_literal(rest) {
                Some(end) => quoted(end, rest, &mut terminated),
                None => (Kind::Word, word_length(rest)),
            },
            '(' | '[' | '{' => (Kind::Open(first), 1),
            ')' | ']' | '}' => (Kind::Close(first), 1),
            c => (Kind::Symbol(c), c.len_utf8()),
        };
        let range = self.position..self.position + length;
        self.position = range.end;
        Some(Token { kind, range, terminated })
    }
}

/// Whether a character belongs to an identifier or number.
pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The length of the identifier or number at the start of `text`.
pub(super) fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}

fn quoted(end: Option<usize>, rest: &str, terminated: &mut bool) -> (Kind, usize) {
    *terminated = end.is_some();
    (Kind::Quoted, end.unwrap_or(rest.len()))
}

/// The end of the literal with a prefix (`b"…"`, `r#"…"#`, `b'…'`, …) at the start of `rest`: `None` if there is no
/// such literal, `Some(None)` if it is cut off.
fn prefixed_literal(rest: &str) -> Option<Option<usize>> {
    let prefix = word_length(rest);
    match &rest[..prefix] {
        "b" | "c" if rest[prefix..].starts_with('"') => Some(string_end(rest, prefix + 1)),
        "b" if rest[prefix..].starts_with('\'') => character_end(&rest[prefix..]).map(|end| Some(prefix + end)),
        "r" | "br" | "cr" => {
            let hashes = rest[prefix..].bytes().take_while(|&b| b == b'#').count();
            let open = prefix + hashes;
            if !rest[open..].starts_with('"') {
                return None; // `r#name`, or a variable `r`
            }
            let close = format!("\"{}", "#".repeat(hashes));
            Some(rest[open + 1..].find(&close).map(|at| open + 1 + at + close.len()))
        }
        _ => None,
    }
}

/// The end of a string with escapes whose content starts at `from`.
fn string_end(rest: &str, from: usize) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// The end of the character at the start of `rest`, or `None` for a lifetime or a lone quote.
fn character_end(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    let (_, first) = chars.next()?;
    if first == '\\' {
        chars.next()?;
        let (at, _) = chars.take_while(|&(_, c)| c != '\n').find(|&(_, c)| c == '\'')?;
        return Some(at + 1);
    }
    match chars.next() {
        Some((at, '\'')) if first != '\'' && first != '\n' => Some(at + 1),
        _ => None,
    }
}

fn block_comment_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => {
                depth += 1;
                at += 2;
            }
            b"*/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}
