//! The text of an item as its author has written it, so that messages and generated code can show its lines.

use crate::notebook::Notebook;
use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};

/// What the build step writes into loops (`kernel/src/build_step/checks.rs`).
const CHECK: &str = " ::warpcell::cell::check();";

/// A text, and the line on which it begins: in the cell, or else in the file; in a function of an earlier cell, whose place
/// is not known any more, its own first line is 1.
pub struct Text {
    pub source: String,
    pub line: usize,
    /// The line in the file that the compiler reads.
    pub compiled: usize,
}

impl Text {
    /// Of tokens that follow one another.
    pub fn of(tokens: &TokenStream, notebook: Option<&Notebook>) -> Text {
        let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
        match written(&trees) {
            Some(source) if is_text_of(&source, tokens) => {
                let source = source.replace(CHECK, "");
                let first = first_line(tokens);
                let earlier = |notebook: &Notebook| notebook.first_line_of(&item_name(&trees)?);
                let in_cell =
                    |notebook: &Notebook| notebook.line_of(&source).or_else(|| earlier(notebook)).unwrap_or(1);
                let line = notebook.map_or(first, in_cell);
                Text { source, line, compiled: first }
            }
            _ => Text::put_together(tokens),
        }
    }

    /// Of tokens that a macro has put together: they are not in any file as they are.
    pub fn put_together(tokens: &TokenStream) -> Text {
        let first = first_line(tokens);
        Text { source: without_checks(tokens.clone()).to_string(), line: first, compiled: first }
    }
}

/// The name behind `fn` or `struct`.
fn item_name(trees: &[TokenTree]) -> Option<String> {
    let mut words = trees.iter().map(ToString::to_string);
    words.find(|word| word == "fn" || word == "struct")?;
    words.next()
}

fn first_line(tokens: &TokenStream) -> usize {
    tokens.clone().into_iter().next().map_or(1, |tree| tree.span().start().line)
}

/// The text between the first and the last token, with blanks where there is anything else: tokens know their places.
pub fn written(trees: &[TokenTree]) -> Option<String> {
    let mut text = String::new();
    let mut last: Option<LineColumn> = None;
    for tree in trees {
        let span = tree.span();
        let start = span.start();
        let (lines, columns) = match last {
            Some(last) if start.line > last.line => (start.line - last.line, start.column),
            Some(last) => (0, start.column.saturating_sub(last.column)),
            None => (0, 0),
        };
        text.extend(std::iter::repeat_n('\n', lines));
        text.extend(std::iter::repeat_n(' ', columns));
        text.push_str(&span.source_text()?);
        last = Some(span.end());
    }
    Some(text)
}

fn is_text_of(text: &str, tokens: &TokenStream) -> bool {
    text.parse::<TokenStream>().is_ok_and(|parsed| parsed.to_string() == tokens.to_string())
}

/// Tokens without the checks that the build step writes into loops.
pub fn without_checks(tokens: TokenStream) -> TokenStream {
    // `:: warpcell :: cell :: check () ;`
    const LENGTH: usize = 11;
    let mut trees: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        trees.push(match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_checks(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        });
        if trees.len() >= LENGTH && is_check(&trees[trees.len() - LENGTH..]) {
            trees.truncate(trees.len() - LENGTH);
        }
    }
    trees.into_iter().collect()
}

fn is_check(trees: &[TokenTree]) -> bool {
    const WORDS: [&str; 11] = [":", ":", "warpcell", ":", ":", "cell", ":", ":", "check", "()", ";"];
    trees.iter().zip(WORDS).all(|(tree, word)| match tree {
        TokenTree::Punct(punct) => word.len() == 1 && word.starts_with(punct.as_char()),
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => {
            word == "()" && group.delimiter() == Delimiter::Parenthesis && group.stream().is_empty()
        }
        TokenTree::Literal(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_authors() {
        for source in [
            "fn f(\n    x: f32, // first\n) -> f32 {\n    // twice\n    x * 2.0\n}",
            "fn   f(x : f32)->f32{x}",
            "struct P { x: f32, y: [i32; 3] }",
            "'ä' x",
        ] {
            let text = Text::of(&source.parse().unwrap(), None);
            assert_eq!((text.source.as_str(), text.line), (source, 1));
        }
    }

    #[test]
    fn a_line_is_that_of_the_file_or_the_cell() {
        let tokens: TokenStream = "\n\n#[inline]\n  fn f() {}".parse().unwrap();
        let item: TokenStream = tokens.into_iter().skip(2).collect();
        assert_eq!((Text::of(&item, None).line, Text::of(&item, None).source.as_str()), (4, "fn f() {}"));
    }

    #[test]
    fn what_macros_put_together_is_written_anew() {
        let body: TokenStream = "{ x }".parse().unwrap();
        let mixed = quote::quote! { fn f(x: u8) -> u8 #body };
        assert_eq!(Text::of(&mixed, None).source, "fn f (x : u8) -> u8 { x }");
    }

    #[test]
    fn checks_are_left_out() {
        let source = format!("fn f() {{ loop {{{CHECK} while a {{{CHECK} }} }} }}");
        assert_eq!(without_checks(source.parse().unwrap()).to_string(), "fn f () { loop { while a { } } }");
        let text = Text::of(&source.parse().unwrap(), None);
        assert_eq!(text.source, "fn f() { loop { while a { } } }");
    }
}
