//! Questions about Rust text that several modules ask: its tree, its statements, its names and words.

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasName};
use ra_ap_syntax::{Edition, NodeOrToken, Parse, SourceFile, SyntaxKind, SyntaxNode, SyntaxToken, T};
use std::borrow::Cow;
use std::ops::Range;

/// The attributes of functions that run over arrays or in many threads.
pub const OVER_ARRAYS: [&str; 3] = ["vectorize", "device", "kernel"];

/// The types that the kernel writes behind numbers which a cell leaves open: Rust's own choice, and those of what is beside them.
pub const NUMBER_SUFFIXES: [&str; 12] =
    ["_f64", "_f32", "_i32", "_i64", "_u64", "_usize", "_u32", "_u8", "_i8", "_u16", "_i16", "_isize"];

/// Parses a file.
pub fn parse(text: &str) -> Parse<SourceFile> {
    SourceFile::parse(text, Edition::Edition2024)
}

/// The statements and the last expression of code, each with the byte at which it begins.
pub fn statements(code: &str) -> Vec<(usize, SyntaxNode)> {
    const BEFORE: &str = "fn f() { ";
    let file = parse(&format!("{BEFORE}{code}\n}}")).syntax_node();
    let list = file.descendants().find_map(ast::StmtList::cast);
    let nodes = list.into_iter().flat_map(|list| list.syntax().children());
    let placed = nodes.map(|node| (range_of(&node).start - BEFORE.len(), node));
    // If the text is not code, the parser may create nodes behind it.
    placed.filter(|(start, _)| *start < code.len()).collect()
}

/// Code whose calls of macros are references to tuples, lists and blocks of their arguments: `vec![a + 1]` is `&   [a + 1]`. So the tree has
/// expressions where it has tokens otherwise. Each call begins where it began, and all else stands where it stood. The arguments of some
/// macros are not expressions, so this text is for questions only.
pub fn with_arguments(code: &str) -> Cow<'_, str> {
    if !code.contains('!') {
        return Cow::Borrowed(code);
    }
    let file = parse(code).syntax_node();
    let tokens = file.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let tokens: Vec<_> = tokens.filter(|token| !token.kind().is_trivia()).collect();
    let kind = |at: usize| tokens.get(at).map(SyntaxToken::kind);
    let mut text = code.to_owned();
    let is_colons = |at: usize| matches!(kind(at), Some(T![::] | T![:]));
    let is_part_of_path = |at: usize| matches!(kind(at), Some(SyntaxKind::IDENT | T![crate] | T![self] | T![super]));
    let mut put = |from: &SyntaxToken, to: &SyntaxToken, with: &str| {
        let range = from.text_range().start().into()..to.text_range().end().into();
        let blanks = blank(&text[range.clone()]);
        text.replace_range(range, &format!("{with}{}", &blanks[with.len()..]));
    };
    // For each bracket that is open, where it is if it is a macro's; and what closes one that was changed.
    let mut brackets: Vec<(Option<usize>, Option<&str>)> = Vec::new();
    for at in 0..tokens.len() {
        let is_macro = at > 1
            && kind(at - 1) == Some(T![!])
            && kind(at - 2) == Some(SyntaxKind::IDENT)
            && tokens[at - 2].text() != "macro_rules";
        match tokens[at].kind() {
            T!['('] | T!['['] | T!['{'] => {
                // `set!(a[0, 1..] = 2)`: such an index is an expression only as a call.
                let is_index = !is_macro
                    && tokens[at].kind() == T!['[']
                    && at > 0
                    && matches!(kind(at - 1), Some(SyntaxKind::IDENT | T![')'] | T![']']))
                    && brackets.iter().any(|(open, _)| open.is_some());
                if is_index {
                    put(&tokens[at], &tokens[at], "(");
                }
                brackets.push((is_macro.then_some(at), is_index.then_some(")")));
                if is_macro {
                    let mut first = at - 2;
                    // `gpu::sum!`: in the arguments of a macro the colons are two tokens.
                    while let Some(colon) = first.checked_sub(1).filter(|colon| is_colons(*colon)) {
                        let colons = if kind(colon) == Some(T![::]) { 1 } else { 2 };
                        first = first.saturating_sub(colons);
                        if let Some(name) = first.checked_sub(1).filter(|name| is_part_of_path(*name)) {
                            first = name;
                        }
                    }
                    put(&tokens[first], &tokens[at - 1], "&");
                }
            }
            T![')'] | T![']'] | T!['}'] => {
                if let Some((_, Some(close))) = brackets.pop() {
                    put(&tokens[at], &tokens[at], close);
                }
            }
            // `interact!(n: usize in 1..9 => …)`: what stands before the arrow is not an expression.
            T![=] | T![=>] => {
                let is_arrow = kind(at) == Some(T![=>]) || kind(at + 1) == Some(T![>]);
                let end = if kind(at) == Some(T![=>]) { at } else { at + 1 };
                if is_arrow && let Some((Some(open), _)) = brackets.last().copied() {
                    put(&tokens[open + 1], &tokens[end], "");
                }
            }
            _ => {}
        }
    }
    Cow::Owned(text)
}

/// Whether code is Rust by its form: statements, of whatever meaning.
pub fn has_form(code: &str) -> bool {
    parse(&format!("fn f() {{{code}\n}}")).errors().is_empty()
}

/// The range of a node, in bytes.
pub fn range_of(node: &SyntaxNode) -> Range<usize> {
    let range = node.text_range();
    range.start().into()..range.end().into()
}

/// The name of an item or variable, without the mark of a raw identifier.
pub fn name_of(item: &impl HasName) -> Option<String> {
    item.name().map(|name| plain(name.text()).to_owned())
}

/// The name that a node declares.
pub fn declared_name(node: &SyntaxNode) -> Option<String> {
    node.children().find_map(ast::Name::cast).map(|name| plain(name.text()).to_owned())
}

/// The names that a `use` brings, without those of `*` and `_`.
pub fn imported(node: &SyntaxNode) -> Vec<String> {
    let leaves = node.descendants().filter_map(ast::UseTree::cast).filter(|tree| tree.use_tree_list().is_none());
    let names = leaves.filter(|tree| tree.star_token().is_none()).filter_map(|tree| match tree.rename() {
        Some(rename) => declared_name(rename.syntax()),
        None => {
            let name = tree.path()?.segment()?.syntax().text().to_string();
            if name == "self" {
                return tree
                    .syntax()
                    .ancestors()
                    .skip(1)
                    .filter_map(ast::UseTree::cast)
                    .find_map(|above| Some(above.path()?.segment()?.syntax().text().to_string()));
            }
            Some(plain(&name).to_owned())
        }
    });
    names.collect()
}

/// A name without the mark of a raw identifier.
pub fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// The identifiers in a node.
pub fn identifiers(node: &SyntaxNode) -> impl Iterator<Item = String> + use<> {
    let tokens = node.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    tokens.filter(|token| token.kind() == SyntaxKind::IDENT).map(|token| plain(token.text()).to_owned())
}

/// The attribute of an item that has one of these names. Only the last part of a path counts, as in `gpu::kernel`.
pub fn attribute(item: &impl HasAttrs, names: &[&str]) -> Option<ast::Attr> {
    item.attrs().find(|attribute| {
        let name = attribute.path().and_then(|path| path.segment()?.name_ref());
        name.is_some_and(|name| names.iter().any(|word| name.text() == *word))
    })
}

/// Whether a node is in a function that runs over arrays or in many threads.
pub fn is_over_arrays(node: &SyntaxNode) -> bool {
    node.ancestors().filter_map(ast::Fn::cast).any(|function| attribute(&function, &OVER_ARRAYS).is_some())
}

/// The beginning of the line of a byte.
pub fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Whether a character belongs to an identifier or number.
pub fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// The parts of a text that look like identifiers or numbers.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_word(character)).filter(|word| !word.is_empty())
}

/// Whether a list of words, separated by blanks, contains a word.
pub fn list_has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Whether a text is a name, or a word of Rust's own.
pub fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first == '_' || first.is_alphabetic()) && characters.all(is_word)
}

/// Whether a word is one of Rust's own.
pub fn is_keyword(word: &str) -> bool {
    SyntaxKind::from_keyword(word, Edition::CURRENT).is_some()
}

/// The value of a word in a list of pairs `WORD=VALUE`.
pub fn list_value(list: &'static str, word: &str) -> Option<&'static str> {
    list.split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .find(|(known, _)| *known == word)
        .map(|(_, value)| value)
}

/// The byte at a line and column of a text; both from 1, the column in characters.
pub fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = &text[start..];
    start + rest.chars().take_while(|c| *c != '\n').take(column.saturating_sub(1)).map(char::len_utf8).sum::<usize>()
}

/// The line and column of a byte of a text.
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    (before.matches('\n').count() + 1, column + 1)
}

/// Blanks in place of a text: as many bytes, and the same line ends.
pub fn blank(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_lie_within_the_code_whatever_it_is() {
        for code in ["# //! x", "a; // b", "}", "# [", "fn", "'", "let x = 1 /*", "\u{202e}#!", "r#\"", "}}}} {"] {
            assert!(statements(code).iter().all(|(start, _)| *start < code.len()), "{code}");
        }
        assert_eq!(statements("a; // b\nc").into_iter().map(|(start, _)| start).collect::<Vec<_>>(), [0, 8]);
    }

    #[test]
    fn arguments_of_macros_are_expressions() {
        for (code, expected) in [
            ("x + 1", "x + 1"),
            ("a != (b)", "a != (b)"),
            ("!(b)", "!(b)"),
            ("println!(\"{}!\", &x + 1);", "&       (\"{}!\", &x + 1);"),
            ("vec![1, 2].len()", "&   [1, 2].len()"),
            ("vec![1; format!(\"{n}\").len()]", "&   [1; &      (\"{n}\").len()]"),
            ("let s = gpu::sum !{&a, axis = 0};", "let s = &         {&a, axis = 0};"),
            ("dbg!(::core::assert!(a /* ! */))", "&   (&              (a /* ! */))"),
            (
                "interact!(n = 1..9 => match n { 1 => 2, _ => vec![3] })",
                "&        (            match n { 1 => 2, _ => &   [3] })",
            ),
            ("set!(a[0, 1..] = b[2] + [3][0]); a[0]", "&   (a(0, 1..) = b(2) + [3](0)); a[0]"),
            ("dbg!(m::n!(3 => 4))", "&   (&    (     4))"),
            ("macro_rules! m { ($a:expr) => { $a + 1 } }", "macro_rules! m { ($a:expr) => { $a + 1 } }"),
            ("é!(\"ü\", 1)", "&  (\"ü\", 1)"),
        ] {
            let text = with_arguments(code);
            assert_eq!(text, expected);
            assert_eq!(text.len(), code.len());
        }
    }

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let text = "é = 1;\nlet ü = é;";
        for (line, column, rest) in [(1, 1, "é = 1"), (1, 3, "= 1"), (2, 5, "ü"), (2, 9, "é;")] {
            let offset = offset_of(text, line, column);
            assert!(text[offset..].starts_with(rest), "{rest}");
            assert_eq!(line_and_column(text, offset), (line, column));
        }
        assert_eq!((offset_of(text, 1, 99), offset_of(text, 9, 1)), (7, text.len()));
    }

    #[test]
    fn a_blank_text_has_the_same_bytes_and_lines() {
        assert_eq!(blank("é = 1;\n// b\n"), "       \n    \n");
    }
}
