//! Text of Rust token by token: what is indented, what gets another name, which names it has.

use crate::syntax::{is_word, parse, plain};
use ra_ap_parser::{Edition, LexedStr, SyntaxKind, T};
use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode, HasName};
use std::collections::BTreeSet;

/// A token: its kind and its text.
pub type Token<'a> = (SyntaxKind, &'a str);

/// The tokens of a text, blanks and comments included.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let lexed = LexedStr::new(Edition::Edition2024, text);
    (0..lexed.len()).map(|index| (lexed.kind(index), &text[lexed.text_range(index)])).collect()
}

/// The text with blanks before each line. Lines within strings and comments of several lines stay as they are.
pub fn indented(text: &str, blanks: usize) -> String {
    let before = " ".repeat(blanks);
    let mut result = before.clone();
    for (kind, text) in tokens(text) {
        if kind != SyntaxKind::WHITESPACE {
            result.push_str(text);
            continue;
        }
        let lines: Vec<&str> = text.split('\n').collect();
        for (index, line) in lines.iter().enumerate() {
            let is_last = index + 1 == lines.len();
            if index > 0 {
                result.push('\n');
                result.push_str(if is_last { &before } else { "" });
            }
            result.push_str(if is_last || index == 0 { line } else { "" });
        }
    }
    let lines: Vec<&str> = result.trim_end().split('\n').collect();
    lines.join("\n")
}

/// Whether a token is an identifier.
fn is_name(kind: SyntaxKind) -> bool {
    kind == SyntaxKind::IDENT
}

/// The names in a text: identifiers that are not behind a point or a path.
pub fn names(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    places_of_names(&tokens).map(|index| plain(tokens[index].1).to_owned()).collect()
}

/// The names that format texts have in braces, such as `"{x:.2}"`.
pub fn names_in_formats(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let texts = tokens.iter().filter(|(kind, _)| *kind == SyntaxKind::STRING);
    let mut found = Vec::new();
    for (_, text) in texts {
        // `{{` is a brace.
        let text = text.replace("{{", "");
        for part in text.split('{').skip(1) {
            let length = part.find(|character: char| !is_word(character)).unwrap_or(part.len());
            let (name, rest) = part.split_at(length);
            let is_name = name.starts_with(|first: char| first == '_' || first.is_alphabetic());
            if is_name && rest.starts_with([':', '}']) {
                found.push(name.to_owned());
            }
        }
    }
    found
}

/// The text with a module before each name that has one. `module_of` tells it. Names of variables, and what these mean then, stay.
pub fn qualified(text: &str, module_of: impl Fn(&str) -> Option<String>) -> String {
    let tokens = tokens(text);
    let local = places_of_variables(text, |name| module_of(name).is_some());
    let starts = tokens.iter().scan(0, |at, (_, text)| Some(std::mem::replace(at, *at + text.len())));
    let starts: Vec<usize> = starts.collect();
    let mut parts: Vec<String> = tokens.iter().map(|(_, text)| (*text).to_owned()).collect();
    for index in places_of_names(&tokens).collect::<Vec<_>>() {
        // A field of a struct, or a type that is written behind a name.
        let is_label = next(&tokens, index).is_some_and(|at| tokens[at].0 == T![:] && !is_path(&tokens, at));
        if let Some(module) = module_of(plain(tokens[index].1)).filter(|_| !is_label && !local.contains(&starts[index]))
        {
            parts[index] = format!("{module}::{}", parts[index]);
        }
    }
    parts.concat()
}

/// The places of names that are variables of the text itself: where a pattern binds one, and where it is meant. Constants and variants of
/// enums can be patterns too: they have capital letters.
fn places_of_variables(text: &str, is_meant: impl Fn(&str) -> bool) -> BTreeSet<usize> {
    let is_meant = |name: &str| !name.starts_with(char::is_uppercase) && is_meant(name);
    let mut found = BTreeSet::new();
    add_variables(text, ("fn cell() {", "\n}"), (0, &|_| false), &is_meant, &mut found);
    found
}

/// Adds the places of variables in a text, which is parsed between two others. It stands at `start`, where names are bound already. The arguments
/// of macros are tokens; where they can be read as expressions, they are.
fn add_variables(
    text: &str,
    (before, behind): (&str, &str),
    (start, is_bound_around): (usize, &dyn Fn(&str) -> bool),
    is_meant: &dyn Fn(&str) -> bool,
    found: &mut BTreeSet<usize>,
) {
    let parsed = parse(&format!("{before}{text}{behind}"));
    if start > 0 && !parsed.errors().is_empty() {
        return;
    }
    let place = |node: &SyntaxNode| usize::from(node.text_range().start()).checked_sub(before.len());
    for node in parsed.tree().syntax().descendants() {
        if let Some(name) = ast::IdentPat::cast(node.clone()).and_then(|pattern| pattern.name()) {
            found.extend(place(name.syntax()).filter(|_| is_meant(plain(name.text()))).map(|at| start + at));
        } else if let Some(name) = ast::NameRef::cast(node.clone()).filter(|name| is_meant(plain(name.text()))) {
            let name = plain(name.text());
            found.extend(place(&node).filter(|_| is_bound_around(name) || is_bound(&node, name)).map(|at| start + at));
        } else if let Some(arguments) = ast::MacroCall::cast(node.clone()).and_then(|call| call.token_tree()) {
            let whole = arguments.syntax().text().to_string();
            let inside = whole.get(1..whole.len().saturating_sub(1)).unwrap_or_default();
            if let Some(at) = place(arguments.syntax()) {
                let is_known = |name: &str| is_bound_around(name) || is_bound(&node, name);
                add_variables(inside, ("fn cell() { f(", "\n); }"), (start + at + 1, &is_known), is_meant, found);
            }
        }
    }
}

/// Whether a pattern around a node, or above it in a block around it, binds a name.
fn is_bound(node: &SyntaxNode, name: &str) -> bool {
    let binds = |part: Option<&SyntaxNode>| {
        let patterns = part.into_iter().flat_map(SyntaxNode::descendants).filter_map(ast::IdentPat::cast);
        patterns.filter_map(|pattern| pattern.name()).any(|bound| plain(bound.text()) == name)
    };
    let pattern_of = |node: &SyntaxNode| node.children().find(|child| ast::Pat::can_cast(child.kind()));
    let range = node.text_range();
    let is_above = |other: &SyntaxNode| other.text_range().end() <= range.start();
    node.ancestors().skip(1).any(|around| {
        let part = around.children().position(|child| child.text_range().contains_range(range));
        match around.kind() {
            SyntaxKind::CLOSURE_EXPR | SyntaxKind::FN => {
                binds(around.children().find(|child| ast::ParamList::can_cast(child.kind())).as_ref())
            }
            SyntaxKind::MATCH_ARM => binds(pattern_of(&around).as_ref()),
            // Behind the pattern and what it goes over.
            SyntaxKind::FOR_EXPR => part == Some(2) && binds(pattern_of(&around).as_ref()),
            // The condition binds what the first branch means.
            SyntaxKind::IF_EXPR | SyntaxKind::WHILE_EXPR => {
                let condition = around.children().next().filter(|_| part.is_some_and(|part| part < 2));
                let lets = condition.into_iter().flat_map(|condition| condition.descendants());
                let mut above = lets.filter(|node| ast::LetExpr::can_cast(node.kind()) && is_above(node));
                above.any(|node| binds(pattern_of(&node).as_ref()))
            }
            SyntaxKind::STMT_LIST => {
                let lets = around.children().filter(|child| ast::LetStmt::can_cast(child.kind()));
                let mut above = lets.filter(is_above);
                above.any(|child| binds(pattern_of(&child).as_ref()))
            }
            _ => false,
        }
    })
}

/// The text with the prelude's modules for magics under the name that notebooks have for it.
pub fn with_short_paths(text: &str) -> String {
    let tokens = tokens(text);
    let mut parts: Vec<&str> = tokens.iter().map(|(_, text)| *text).collect();
    for index in places_of_names(&tokens).filter(|&index| tokens[index].1 == "warpcell").collect::<Vec<_>>() {
        parts[index] = "gpu";
    }
    parts.concat()
}

/// The indices of names that begin a path.
fn places_of_names<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = usize> + 'a {
    (0..tokens.len()).filter(|&index| is_name(tokens[index].0) && !is_behind(tokens, index))
}

/// Whether a name is behind `.` or `::`, but for `self::` and `crate::`, which lead to the program's own names.
fn is_behind(tokens: &[Token<'_>], index: usize) -> bool {
    let Some(before) = previous(tokens, index) else { return false };
    match tokens[before].0 {
        // `..x` is a range.
        T![.] => previous(tokens, before).is_none_or(|first| tokens[first].0 != T![.]),
        T![:] => is_path(tokens, before) && !is_behind_root(tokens, before),
        _ => false,
    }
}

/// Whether the second colon of a path is behind the name of the program's root.
fn is_behind_root(tokens: &[Token<'_>], colon: usize) -> bool {
    let root = previous(tokens, colon).and_then(|first| previous(tokens, first));
    root.is_some_and(|root| matches!(tokens[root].0, T![self] | T![crate]))
}

/// Whether a colon is one of two.
fn is_path(tokens: &[Token<'_>], colon: usize) -> bool {
    let is_colon = |index: Option<usize>| index.is_some_and(|index| tokens[index].0 == T![:]);
    is_colon(colon.checked_sub(1)) || is_colon((colon + 1 < tokens.len()).then_some(colon + 1))
}

fn is_trivia(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::WHITESPACE | SyntaxKind::COMMENT)
}

fn previous(tokens: &[Token<'_>], index: usize) -> Option<usize> {
    (0..index).rev().find(|&at| !is_trivia(tokens[at].0))
}

fn next(tokens: &[Token<'_>], index: usize) -> Option<usize> {
    (index + 1..tokens.len()).find(|&at| !is_trivia(tokens[at].0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_paths() {
        let text = "let y = f(a.b, m::n::<T>(0..x), \"g\"); // h\ns! { k }";
        assert_eq!(names(text), ["y", "f", "a", "m", "T", "x", "s", "k"]);
    }

    #[test]
    fn format_texts_have_names() {
        let text = "println!(\"{N} {x:.2} {{y}} {} {0} {_z:?} {a.b}\", n);";
        assert_eq!(names_in_formats(text), ["N", "x", "_z"]);
    }

    #[test]
    fn modules_are_written_before_names() {
        let module_of = |name: &str| ["f", "S", "m"].contains(&name).then(|| "old".to_owned());
        let text = "let s = S { f: 1, g: f(2) }; s.f(m!(f), other::f, \"f\"); let f: S = s;";
        assert_eq!(
            qualified(text, module_of),
            "let s = old::S { f: 1, g: old::f(2) }; s.f(old::m!(old::f), other::f, \"f\"); let f: old::S = s;"
        );
    }

    #[test]
    fn names_of_variables_stay() {
        let module_of = |name: &str| ["f", "F"].contains(&name).then(|| "old".to_owned());
        for (text, expected) in [
            ("let g = |f: u8| f + 1; f(2)", "let g = |f: u8| f + 1; old::f(2)"),
            ("let a = f(1); let f = 2; f + a", "let a = old::f(1); let f = 2; f + a"),
            ("{ let f = 5; f }; f(1)", "{ let f = 5; f }; old::f(1)"),
            ("match f(1) { Some(f) => f, None => f(2) }", "match old::f(1) { Some(f) => f, None => old::f(2) }"),
            ("if let Some(f) = f(1) { f } else { f(2) }", "if let Some(f) = old::f(1) { f } else { old::f(2) }"),
            ("match x { F => f(1) }", "match x { old::F => old::f(1) }"),
            ("for f in f(1) { f; }", "for f in old::f(1) { f; }"),
            ("println!(\"{}\", f(1));", "println!(\"{}\", old::f(1));"),
            ("let f = 1; println!(\"{}\", f);", "let f = 1; println!(\"{}\", f);"),
            ("dbg!({ let g = |f: u8| f; g(f(1)) });", "dbg!({ let g = |f: u8| f; g(old::f(1)) });"),
            ("vec![f(1); 2]", "vec![old::f(1); 2]"),
            ("crate::f(a::f(1), self.f)", "crate::old::f(a::f(1), self.f)"),
        ] {
            assert_eq!(qualified(text, module_of), expected);
        }
    }

    #[test]
    fn strings_keep_their_lines() {
        let text = "let s = \"a\nb\";\n\nif x {\n    y(); // z\n}\n";
        assert_eq!(indented(text, 4), "    let s = \"a\nb\";\n\n    if x {\n        y(); // z\n    }");
    }

    #[test]
    fn the_prelude_has_its_short_name() {
        assert_eq!(
            with_short_paths("warpcell::timing::f(x.warpcell, \"warpcell::x\")"),
            "gpu::timing::f(x.warpcell, \"warpcell::x\")"
        );
    }
}
