//! The tokens of a cell, from the compiler's lexer. They show where lines, brackets and statements begin. The text need
//! not be valid Rust.

use crate::syntax::is_word;
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellTokenKind {
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
    /// An identifier, keyword, number, lifetime or lone quote.
    Word,
    /// `(`, `[` or `{`.
    Open(char),
    /// `)`, `]` or `}`.
    Close(char),
    /// Any other character.
    Symbol(char),
}

impl CellTokenKind {
    /// Whether the compiler skips such a token.
    pub fn is_trivia(self) -> bool {
        matches!(
            self,
            CellTokenKind::Space | CellTokenKind::Newline | CellTokenKind::LineComment | CellTokenKind::BlockComment
        )
    }
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CellToken {
    /// The kind of the token.
    pub kind: CellTokenKind,
    /// Its range, in bytes.
    pub range: Range<usize>,
    /// False for a string or block comment that the text's end cuts off.
    pub terminated: bool,
}

/// The tokens of `text` from byte `start` on; they cover it without gaps.
pub(super) fn tokens(text: &str, start: usize) -> Tokens<'_> {
    Tokens { text, position: start }
}

/// The ranges of the strings and characters of a text.
pub fn quoted(text: &str) -> Vec<Range<usize>> {
    let is_quoted = |token: &CellToken| token.kind == CellTokenKind::Quoted;
    tokens(text, 0).filter(is_quoted).map(|token| token.range).collect()
}

/// The iterator of [`tokens`].
pub(super) struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl Iterator for Tokens<'_> {
    type Item = CellToken;

    fn next(&mut self) -> Option<CellToken> {
        let rest = &self.text[self.position..];
        let first = rest.chars().next()?;
        let (kind, length, terminated) = if first == '\n' {
            (CellTokenKind::Newline, 1, true)
        } else if first.is_whitespace() {
            // The lexer makes one token of many lines.
            (CellTokenKind::Space, rest.find(|c: char| c == '\n' || !c.is_whitespace()).unwrap_or(rest.len()), true)
        } else {
            of_code(rest, first)?
        };
        let range = self.position..self.position + length;
        self.position = range.end;
        Some(CellToken { kind, range, terminated })
    }
}

/// The token at the start of a text that starts with `first`, its length, and whether it has its end.
fn of_code(rest: &str, first: char) -> Option<(CellTokenKind, usize, bool)> {
    let token = ra_ap_rustc_lexer::tokenize(rest, FrontmatterAllowed::No).next()?;
    let length = usize::try_from(token.len).ok()?;
    Some(match token.kind {
        TokenKind::LineComment { .. } => (CellTokenKind::LineComment, length, true),
        TokenKind::BlockComment { terminated, .. } => (CellTokenKind::BlockComment, length, terminated),
        TokenKind::Literal { kind, .. } => match kind {
            LiteralKind::Int { .. } | LiteralKind::Float { .. } => (CellTokenKind::Word, length, true),
            // A lone quote.
            LiteralKind::Char { terminated: false } | LiteralKind::Byte { terminated: false } => {
                (CellTokenKind::Word, 1, true)
            }
            LiteralKind::Char { .. } | LiteralKind::Byte { .. } => (CellTokenKind::Quoted, length, true),
            LiteralKind::Str { terminated }
            | LiteralKind::ByteStr { terminated }
            | LiteralKind::CStr { terminated } => (CellTokenKind::Quoted, length, terminated),
            LiteralKind::RawStr { n_hashes }
            | LiteralKind::RawByteStr { n_hashes }
            | LiteralKind::RawCStr { n_hashes } => (CellTokenKind::Quoted, length, n_hashes.is_some()),
        },
        _ => match first {
            '(' | '[' | '{' => (CellTokenKind::Open(first), 1, true),
            ')' | ']' | '}' => (CellTokenKind::Close(first), 1, true),
            c if is_word(c) || c == '\'' => (CellTokenKind::Word, length, true),
            // Also the first of `#"` and `##`, which are one token to the lexer.
            c => (CellTokenKind::Symbol(c), c.len_utf8(), true),
        },
    })
}

/// The length of the identifier or number at the start of `text`.
pub(super) fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}
