//! Items of earlier cells whose names a cell gives to variables: `const N: usize = 5;`, and later `let N = 10;`. The later definition counts,
//! as it does where an item takes the name of a variable. To the compiler a pattern that is the name of a constant is the constant.

use super::names::{defined_in, is_used};
use crate::syntax::{declared_name, imported, statements, words};
use ra_ap_syntax::ast::{self, AstNode};
use std::collections::BTreeSet;

/// Whether a pattern with this name means the item: a constant, a static, a struct without named fields. Of what a `use` brings, names in
/// capitals are those of constants.
pub fn is_meant_by_patterns(item: &ast::Item, name: &str) -> bool {
    match item {
        ast::Item::Struct(structure) if matches!(structure.kind(), ast::StructKind::Record(_)) => false,
        ast::Item::Const(_) | ast::Item::Static(_) | ast::Item::Struct(_) => {
            declared_name(item.syntax()).is_some_and(|declared| declared == name)
        }
        ast::Item::Use(_) => {
            !name.contains(char::is_lowercase) && imported(item.syntax()).iter().any(|brought| brought == name)
        }
        _ => false,
    }
}

/// What to write before a cell so that its `let`s can have the names of such items. evcxr keeps one item of a name, and a macro has a
/// namespace of its own, so a macro ends the item. `knows` says whether the notebook has an item of a name, and `earlier` are the cells that may
/// define some. An item that other items, types of variables or the cell itself use stays.
pub fn ended_items(cell: &str, knows: impl Fn(&str) -> bool, earlier: &[String], types: &[(String, String)]) -> String {
    // Most cells name no such item, and need not be parsed.
    if earlier.is_empty() || !words(cell).any(&knows) {
        return String::new();
    }
    let bound: BTreeSet<String> =
        defined_in(cell).into_iter().map(|(name, _)| name).filter(|name| knows(name)).collect();
    if bound.is_empty() {
        return String::new();
    }
    let items: Vec<ast::Item> =
        earlier.iter().flat_map(|cell| statements(cell)).filter_map(|(_, node)| ast::Item::cast(node)).collect();
    let says = |text: &str, name: &str| words(text).any(|word| word == name);
    // As an item of the cell, or in the type of a variable.
    let uses = |name: &str| {
        statements(cell).into_iter().any(|(_, node)| match ast::LetStmt::cast(node.clone()) {
            Some(given) => given.ty().is_some_and(|its_type| says(&its_type.syntax().text().to_string(), name)),
            None => ast::Item::can_cast(node.kind()) && says(&node.text().to_string(), name),
        })
    };
    let ends = |name: &&String| {
        let (meant, others): (Vec<&ast::Item>, Vec<&ast::Item>) =
            items.iter().partition(|item| is_meant_by_patterns(item, name));
        !meant.is_empty()
            && !uses(name)
            && !is_used(cell, name)
            && !others.iter().any(|item| says(&item.syntax().text().to_string(), name))
            && !types.iter().any(|(_, type_name)| says(type_name, name))
    };
    bound.iter().filter(ends).map(|name| format!("macro_rules! {name} {{ () => {{}} }} ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that are given to variables.
    fn ended(earlier: &[&str], types: &[&str], cell: &str) -> Vec<String> {
        let earlier: Vec<String> = earlier.iter().map(|&text| text.to_owned()).collect();
        let types: Vec<(String, String)> = types.iter().map(|&text| ("v".to_owned(), text.to_owned())).collect();
        let text = ended_items(cell, |_| true, &earlier, &types);
        text.split("macro_rules! ").skip(1).map(|part| part.split(' ').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn variables_take_the_names_of_items_that_patterns_would_mean() {
        let none: [&str; 0] = [];
        for (earlier, cell, expected) in [
            ("const N: usize = 5;", "let N = 10;", &["N"][..]),
            ("const N: usize = 5; const M: u8 = 1;", "let (N, mut M) = (1, 2); N + M", &["M", "N"]),
            ("static K: i32 = 3;", "let x = 1; let K: i32 = 4;", &["K"]),
            (
                "struct Unit; struct Pair(u8, u8); struct Named { x: u8 }",
                "let (Unit, Pair, Named) = t;",
                &["Pair", "Unit"],
            ),
            ("use std::f64::consts::{PI, E as EULER}; use std::rc::Rc;", "let (PI, EULER, Rc) = t;", &["EULER", "PI"]),
            ("fn f() {} mod m {} enum T {} trait U {} type V = u8;", "let (f, m, T, U, V) = t;", &none),
            ("const N: u8 = 1;", "{ let N = 2; } for N in 0..3 {} |N: u8| N", &none),
            ("const N: u8 = 1;", "let n = 2;", &none),
        ] {
            assert_eq!(ended(&[earlier], &[], cell), expected, "{earlier} {cell}");
        }
    }

    #[test]
    fn items_that_are_used_stay() {
        let constant = "const N: usize = 5;";
        for (earlier, types, cell) in [
            ("fn f() -> usize { N }", "u8", "let N = 1;"),
            ("fn f() { println!(\"{N}\") }", "u8", "let N = 1;"),
            ("static TABLE: [u8; N] = [0; N];", "u8", "let N = 1;"),
            ("", "[f64; N]", "let N = 1;"),
            ("", "u8", "let N = N + 1;"),
            ("", "u8", "println!(\"{N}\"); let N = 1;"),
            ("", "u8", "const N: u8 = 2; let N = 1;"),
            ("", "u8", "let N = 2; fn half() -> usize { N / 2 }"),
            ("", "u8", "let y: [u8; N] = make(); let N = 3;"),
        ] {
            assert!(ended(&[constant, earlier], &[types], cell).is_empty(), "{earlier} {types} {cell}");
        }
    }
}
