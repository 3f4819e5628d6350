//! Copies of crates for rust-analyzer, without text that it does not need: bodies of functions, attributes, private fields and
//! methods, and the documentation inside macro definitions. At the start of a session rust-analyzer parses every file and expands all macros
//! between items. The rest is enough for the types of variables, for completion and for documentation.

pub mod expansion;
pub mod standard_library;

use crate::files;
use anyhow::{Context, Result};
use ra_ap_syntax::ast::{HasAttrs, HasName};
use ra_ap_syntax::{AstNode, NodeOrToken, SyntaxElement, SyntaxKind, SyntaxNode, TextRange, ast};
use std::path::Path;

/// Attributes that tell rust-analyzer nothing. It does read `unstable`, and names what is so.
const USELESS: [&str; 14] = [
    "allow",
    "automatically_derived",
    "cold",
    "inline",
    "must_use",
    "rustc_allow_const_fn_unstable",
    "rustc_const_stable",
    "rustc_const_unstable",
    "rustc_diagnostic_item",
    "rustc_inherit_overflow_checks",
    "rustc_never_returns_null_ptr",
    "rustc_specialization_trait",
    "stable",
    "track_caller",
];

/// Writes a crate's source directory: one file of what the compiler has expanded, or a copy of `from`.
pub fn write(expanded: Option<String>, from: &Path, to: &Path) -> Result<()> {
    let Some(text) = expanded else { return copy(from, to) };
    files::create_folder(to)?;
    files::write(&to.join("lib.rs"), text)
}

/// Copies the Rust files of a crate's source directory, without tests and benchmarks.
fn copy(from: &Path, to: &Path) -> Result<()> {
    files::create_folder(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("the directory {} cannot be read", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        if path.is_dir() {
            if name != "tests" && name != "benches" {
                copy(&path, &to.join(name))?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = files::read(&path)?;
            files::write(&to.join(name), shortened(&text, Calls::Present).unwrap_or(text))?;
        }
    }
    Ok(())
}

/// Whether the macros of a file have to be expanded still.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    Present,
    Expanded,
}

/// A Rust file without the parts that rust-analyzer does not need; `None` if what remains does not parse.
fn shortened(text: &str, calls: Calls) -> Option<String> {
    let parse = crate::syntax::parse(text);
    let has_errors = !parse.errors().is_empty();
    let mut dropped = Vec::new();
    let mut nodes = parse.syntax_node().preorder();
    while let Some(event) = nodes.next() {
        let ra_ap_syntax::WalkEvent::Enter(node) = event else { continue };
        if let Some(function) = ast::Fn::cast(node.clone()) {
            if is_private_method(&function) {
                dropped.push(node.text_range());
                nodes.skip_subtree();
            } else if let Some(range) = useless_body(&function) {
                let attributes = function.attrs().filter(is_useless);
                dropped.extend(attributes.map(|attribute| attribute.syntax().text_range()));
                dropped.push(range);
                nodes.skip_subtree();
            }
        } else if calls == Calls::Expanded && (is_private(&node) || is_injected(&node)) {
            dropped.push(node.text_range());
            nodes.skip_subtree();
        } else if matches!(node.kind(), SyntaxKind::MACRO_RULES | SyntaxKind::MACRO_DEF) {
            for tree in node.descendants().filter(is_transcriber) {
                drop_from_macro(&tree, &mut dropped);
            }
            nodes.skip_subtree();
        } else if ast::Attr::cast(node.clone()).is_some_and(|attribute| is_useless(&attribute)) {
            dropped.push(node.text_range());
            nodes.skip_subtree();
        } else if is_private_field(&node) {
            dropped.push(with_comma(&node));
            nodes.skip_subtree();
        }
    }
    let mut result = String::with_capacity(text.len());
    let mut end = 0;
    for range in dropped {
        result.push_str(&text[end..usize::from(range.start())]);
        end = usize::from(range.end());
    }
    result.push_str(&text[end..]);
    // The errors may stand in what was dropped.
    (!has_errors || crate::syntax::parse(&result).errors().is_empty()).then_some(result)
}

/// Whether a node is a macro that nothing outside its crate can call.
fn is_private(node: &SyntaxNode) -> bool {
    ast::MacroRules::cast(node.clone())
        .is_some_and(|rules| crate::syntax::attribute(&rules, &["macro_export"]).is_none())
}

/// Whether all crates can name what a node declares. rust-analyzer would offer the rest in completions, as evcxr has it take all crates for the
/// user's own.
fn is_public(node: &SyntaxNode) -> bool {
    let visibility = node.children().find_map(ast::Visibility::cast);
    visibility.is_some_and(|visibility| visibility.syntax().text() == "pub")
}

/// Whether a function is a method, not a trait's, that other crates cannot name. A constant one may be the length of an array.
fn is_private_method(function: &ast::Fn) -> bool {
    let block = function.syntax().ancestors().nth(2).and_then(ast::Impl::cast);
    block.is_some_and(|block| block.trait_().is_none())
        && function.const_token().is_none()
        && !is_public(function.syntax())
}

/// Whether a node is a field of a struct that other crates cannot name. Of fields without names only those behind all others: they are known
/// by their places.
fn is_private_field(node: &SyntaxNode) -> bool {
    let is_of_struct = node.ancestors().nth(2).is_some_and(|item| ast::Struct::can_cast(item.kind()));
    let is_last =
        || std::iter::successors(node.next_sibling(), SyntaxNode::next_sibling).all(|field| !is_public(&field));
    match node.kind() {
        SyntaxKind::RECORD_FIELD => is_of_struct && !is_public(node),
        SyntaxKind::TUPLE_FIELD => is_of_struct && !is_public(node) && is_last(),
        _ => false,
    }
}

/// A node's range, and that of the comma behind it.
fn with_comma(node: &SyntaxNode) -> TextRange {
    let behind = std::iter::successors(node.next_sibling_or_token(), SyntaxElement::next_sibling_or_token);
    let comma = behind.take_while(|element| element.kind().is_trivia() || element.kind() == SyntaxKind::COMMA);
    let comma = comma.filter(|element| element.kind() == SyntaxKind::COMMA).last();
    let end = comma.map_or(node.text_range(), |comma| comma.text_range()).end();
    TextRange::new(node.text_range().start(), end)
}

/// Whether the compiler has written an item, which brings the standard library: rust-analyzer does that itself, and would
/// offer the name in completions.
fn is_injected(node: &SyntaxNode) -> bool {
    let name =
        ast::ExternCrate::cast(node.clone()).filter(|item| item.rename().is_none()).and_then(|item| item.name_ref());
    name.is_some_and(|name| matches!(name.text(), "core" | "std"))
}

/// Whether an attribute tells rust-analyzer nothing.
fn is_useless(attribute: &ast::Attr) -> bool {
    let name = attribute.path().map(|path| path.syntax().text().to_string());
    name.is_some_and(|name| USELESS.contains(&&*name))
}

/// The inside of a body that does not determine the type of the function. The body is needed for an `impl Trait`. A
/// constant function may be the length of an array.
fn useless_body(function: &ast::Fn) -> Option<TextRange> {
    let body = function.body()?.stmt_list()?;
    let opaque = function
        .ret_type()
        .is_some_and(|result| result.syntax().descendants().any(|node| node.kind() == SyntaxKind::IMPL_TRAIT_TYPE));
    let kept = opaque || function.const_token().is_some() || function.name().is_none();
    let inside = TextRange::new(body.l_curly_token()?.text_range().end(), body.r_curly_token()?.text_range().start());
    (!kept).then_some(inside)
}

/// Whether a node is the output of a rule of a macro definition: the text behind its `=>`, or the body of a `macro`.
fn is_transcriber(node: &SyntaxNode) -> bool {
    if node.kind() != SyntaxKind::TOKEN_TREE {
        return false;
    }
    let before: Vec<SyntaxKind> =
        std::iter::successors(node.prev_sibling_or_token(), SyntaxElement::prev_sibling_or_token)
            .map(|element| element.kind())
            .filter(|kind| !kind.is_trivia())
            .take(2)
            .collect();
    let behind_arrow =
        before == [SyntaxKind::R_ANGLE, SyntaxKind::EQ] || before.first() == Some(&SyntaxKind::FAT_ARROW);
    let outermost = node.ancestors().skip(1).filter(|ancestor| ancestor.kind() == SyntaxKind::TOKEN_TREE).count() == 1;
    behind_arrow && outermost
}

/// Records the ranges of documentation and of function bodies in a token tree, in their order. Other attributes stay,
/// because macros match on them.
fn drop_from_macro(tree: &SyntaxNode, dropped: &mut Vec<TextRange>) {
    let mut in_signature = false;
    for element in tree.children_with_tokens() {
        match element {
            NodeOrToken::Token(token) => match token.kind() {
                SyntaxKind::COMMENT => dropped.push(token.text_range()),
                SyntaxKind::FN_KW => in_signature = true,
                SyntaxKind::SEMICOLON | SyntaxKind::IMPL_KW => in_signature = false,
                _ => {}
            },
            NodeOrToken::Node(inner) => {
                let hash = inner.prev_sibling_or_token().filter(|before| before.kind() == SyntaxKind::POUND);
                let braces = inner.first_token().zip(inner.last_token()).filter(|(open, _)| open.text() == "{");
                match (hash, braces) {
                    (Some(hash), _) if is_documentation(&inner) => {
                        dropped.push(TextRange::new(hash.text_range().start(), inner.text_range().end()));
                    }
                    (_, Some((open, close))) if in_signature => {
                        in_signature = false;
                        dropped.push(TextRange::new(open.text_range().end(), close.text_range().start()));
                    }
                    _ => drop_from_macro(&inner, dropped),
                }
            }
        }
    }
}

/// Whether a token tree is the `[doc = …]` of an attribute.
fn is_documentation(tree: &SyntaxNode) -> bool {
    let tokens = tree.children_with_tokens().filter(|element| !element.kind().is_trivia());
    tokens.take(3).map(|token| token.to_string()).eq(["[", "doc", "="])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_go_and_signatures_stay() {
        let text =
            "/// Kept.\npub fn f<T>(x: T) -> Vec<T> { let y = g(x); vec![y] }\ntrait T { fn a(); fn b() { c() } }\n";
        let short = "/// Kept.\npub fn f<T>(x: T) -> Vec<T> {}\ntrait T { fn a(); fn b() {} }\n";
        assert_eq!(shortened(text, Calls::Present).as_deref(), Some(short));
        // What is wrong in a body goes with it.
        assert_eq!(shortened("fn f() { a b c }", Calls::Present).as_deref(), Some("fn f() {}"));
        assert_eq!(shortened("struct S { fn f() {}", Calls::Present), None);
    }

    #[test]
    fn bodies_that_tell_a_type_or_a_value_stay() {
        for text in
            ["fn f() -> impl Iterator<Item = u8> { [1, 2].into_iter() }", "const fn length() -> usize { 3 + 4 }"]
        {
            assert_eq!(shortened(text, Calls::Present).as_deref(), Some(text));
        }
    }

    #[test]
    fn attributes_that_tell_nothing_go() {
        let text = "#[inline]\n#[unstable(feature = \"x\")]\n#[cfg(unix)]\npub fn f() { 1 }\n#[allow(x)]\nstruct S;\n";
        let short = "\n#[unstable(feature = \"x\")]\n#[cfg(unix)]\npub fn f() {}\n\nstruct S;\n";
        assert_eq!(shortened(text, Calls::Present).as_deref(), Some(short));
    }

    #[test]
    fn what_is_private_goes() {
        for (text, short) in [
            (
                "impl S { fn a() {} pub fn b() {} const fn c() {} pub(crate) fn d() {} }",
                "impl S {  pub fn b() {} const fn c() {}  }",
            ),
            ("impl T for S { fn a() {} }", "impl T for S { fn a() {} }"),
            ("pub struct S<T> { a: T, pub b: u8, /* c */ pub(crate) c: u8 }", "pub struct S<T> {  pub b: u8,  }"),
            ("pub struct P(pub u8, u8, pub(super) u8);", "pub struct P(pub u8,  );"),
            ("struct Q(u8, pub u8);", "struct Q(u8, pub u8);"),
            ("enum E { A { a: u8 }, B(u8) }", "enum E { A { a: u8 }, B(u8) }"),
        ] {
            assert_eq!(shortened(text, Calls::Present).as_deref(), Some(short));
        }
    }

    #[test]
    fn macros_of_a_crate_that_is_expanded_go() {
        let text = "extern crate std;\nmacro_rules! m {}\n#[macro_export]\nmacro_rules! n {}\npub macro o {}\nextern crate self as std;\n";
        let short = "\n\n#[macro_export]\nmacro_rules! n {}\npub macro o {}\nextern crate self as std;\n";
        assert_eq!(shortened(text, Calls::Expanded).as_deref(), Some(short));
        assert_eq!(shortened(text, Calls::Present).as_deref(), Some(text));
    }

    #[test]
    fn macros_lose_documentation_where_they_expand_only() {
        let text = "macro_rules! m {\n    (#[doc = $d:expr] $t:ty) => {\n        /// Text.\n        #[doc = concat!(\"a\", $d)]\n        \
                    #[stable(feature = \"x\", since = \"1\")]\n        #[rustc_intrinsic] #[inline(always)]\n        \
                    pub const fn f(self) -> $t { #[cfg(x)] { 1 } }\n        fn g() -> impl Sized { 1 }\n        type T = fn();\n    };\n}\n";
        let short = shortened(text, Calls::Present).unwrap();
        assert!(short.contains("(#[doc = $d:expr] $t:ty) => {"), "{short}");
        assert!(short.contains("#[rustc_intrinsic]") && short.contains("pub const fn f(self) -> $t {}"), "{short}");
        assert!(short.contains("fn g() -> impl Sized { 1 }") && short.contains("type T = fn();"), "{short}");
        assert!(short.contains("#[stable(feature"), "{short}");
        for gone in ["Text", "concat"] {
            assert!(!short.contains(gone), "{gone} is still in {short}");
        }
    }
}
