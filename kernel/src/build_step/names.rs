//! The names in a cell's code: which variables it means, assigns to, declares.

use crate::syntax::{identifiers, is_word, parse, plain, statements, words};
use ra_ap_parser::{Edition, LexedStr};
use ra_ap_syntax::ast::{self, AstNode, BinaryOp, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use std::borrow::Cow;
use std::collections::HashSet;

/// The variables of earlier cells that a cell may assign to.
pub fn assigned_in(cell: &str) -> Vec<String> {
    // Most cells have no assignment outside of a `let`.
    let assigned = if cell.contains('=') { assigned(cell) } else { HashSet::new() };
    assigned.into_iter().filter(|name| is_used(cell, name)).collect()
}

/// A variable that a `let` binds.
pub struct Binding {
    /// Its name as the code writes it.
    pub name: String,
    /// Whether it is mutable.
    pub is_mutable: bool,
    /// If it is declared without a value (`let x: T;`): its type, if the declaration has one.
    pub without_value: Option<Option<String>>,
    /// Whether the `let` has an `else`, so that its pattern may compare.
    has_else: bool,
}

impl Binding {
    /// Whether it may be a constant or variant, such as `None`, which a pattern compares with. Without an `else` a pattern matches
    /// always, so only a struct without fields could be meant, whose name has small letters: `X` and `Z0` are variables.
    pub fn may_be_constant(&self) -> bool {
        self.name.starts_with(char::is_uppercase) && (self.has_else || self.name.contains(char::is_lowercase))
    }
}

/// The variables that a statement binds, if it is a `let`.
pub fn bindings(statement: &SyntaxNode) -> Vec<Binding> {
    let Some(statement) = ast::LetStmt::cast(statement.clone()) else { return Vec::new() };
    let Some(pattern) = statement.pat() else { return Vec::new() };
    let is_declaration = statement.initializer().is_none() && matches!(pattern, ast::Pat::IdentPat(_));
    let has_else = statement.let_else().is_some();
    let type_name = || Some(statement.ty()?.syntax().text().to_string().replace('\n', " "));
    let bound = pattern.syntax().descendants().filter_map(ast::IdentPat::cast).filter_map(|pattern| {
        Some(Binding {
            name: pattern.name()?.text().to_string(),
            is_mutable: pattern.mut_token().is_some(),
            without_value: is_declaration.then(type_name),
            has_else,
        })
    });
    bound.collect()
}

/// The variables that the `let`s of a cell define, with the types of those that have no value (`let x: T;`).
pub fn defined_in(cell: &str) -> Vec<(String, Option<String>)> {
    if !cell.contains("let") {
        return Vec::new();
    }
    let bound = statements(cell).into_iter().flat_map(|(_, node)| bindings(&node));
    bound.map(|binding| (binding.name, binding.without_value.flatten())).collect()
}

/// A type as stable code may write it: `AtomicU64` is a name for `Atomic<u64>`, which is unstable.
pub fn stable(type_name: &str) -> Cow<'_, str> {
    const GENERIC: &str = "Atomic<";
    const ATOMIC: [&str; 11] = ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];
    let mut result = Cow::Borrowed(type_name);
    let mut from = 0;
    while let Some(at) = result[from..].find(GENERIC).map(|at| at + from) {
        from = at + GENERIC.len();
        let is_in_word = result[..at].ends_with(is_word);
        let Some(length) = result[from..].find(['>', '<', ',']) else { break };
        let inner = result[from..from + length].trim();
        if ATOMIC.contains(&inner) && !is_in_word && result[from + length..].starts_with('>') {
            let name = format!("Atomic{}{}", inner[..1].to_uppercase(), &inner[1..]);
            result.to_mut().replace_range(at..=from + length, &name);
            from = at + name.len();
        }
    }
    result
}

/// Modules in the type names of compiled programs, and the paths for code. For the crates in the second table, all
/// types are at the root.
const PRIVATE_MODULES: [(&str, &str); 14] = [
    // The crate of a cell.
    ("ctx::", ""),
    ("alloc::collections::btree::map::", "std::collections::btree_map::"),
    ("alloc::collections::btree::set::", "std::collections::btree_set::"),
    ("alloc::collections::", "std::collections::"),
    ("std::collections::hash::map::", "std::collections::hash_map::"),
    ("std::collections::hash::set::", "std::collections::hash_set::"),
    ("core::ops::function::", "std::ops::"),
    ("core::ops::range::", "std::ops::"),
    ("core::net::ip_addr::", "std::net::"),
    ("core::net::socket_addr::", "std::net::"),
    ("std::sync::poison::mutex::", "std::sync::"),
    ("std::sync::poison::rwlock::", "std::sync::"),
    ("alloc::", "std::"),
    ("core::", "std::"),
];
const AT_ROOT: [&str; 2] = ["warpcell", "ndarray"];

/// The type in code for the name of a type in a compiled program (`std::any::type_name`).
pub fn type_as_code(type_name: &str) -> String {
    let is_part = |c: char| is_word(c) || c == ':';
    let mut result = String::new();
    let mut rest = type_name;
    while let Some(start) = rest.find(is_part) {
        let length = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        let (before, path) = (&rest[..start], &rest[start..start + length]);
        result.push_str(before);
        rest = &rest[start + length..];
        let known = PRIVATE_MODULES.iter().find_map(|(private, public)| Some((public, path.strip_prefix(private)?)));
        let of_root = path.split("::").next().filter(|first| AT_ROOT.contains(first) && path.contains("::"));
        match (known, of_root) {
            (Some((public, name)), _) => result.extend([public, name]),
            (None, Some(first)) => result.extend([first, "::", path.rsplit("::").next().unwrap_or(path)]),
            (None, None) => result.push_str(path),
        }
    }
    result.push_str(rest);
    stable(&result).into_owned()
}

/// Modules whose types a notebook has without their paths, by the standard library's prelude and by the imports of each session; the
/// second part is what is left to write.
const IN_SCOPE: [(&str, &str); 8] = [
    ("std::vec::Vec", "Vec"),
    ("std::string::String", "String"),
    ("std::boxed::Box", "Box"),
    ("std::option::Option", "Option"),
    ("std::result::Result", "Result"),
    ("warpcell::DeviceArray", "DeviceArray"),
    ("warpcell::", "gpu::"),
    ("ndarray::ArrayBase", "ArrayBase"),
];

/// A type as a user writes it in a notebook.
pub fn in_scope(type_name: &str) -> String {
    let mut result = String::new();
    let mut rest = type_name;
    while let Some(character) = rest.chars().next() {
        let begins = !result.ends_with(|before| is_word(before) || before == ':');
        let shorter =
            IN_SCOPE.iter().filter(|_| begins).find_map(|(path, name)| Some((name, rest.strip_prefix(path)?)));
        match shorter {
            Some((name, following)) => {
                result.push_str(name);
                rest = following;
            }
            None => {
                result.push(character);
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    result
}

/// How names begin that evcxr writes into each cell crate.
const OWN_NAMES: [&str; 2] = ["evcxr_", "run_user_code_"];

/// Whether a name is one that evcxr writes.
pub fn is_own(name: &str) -> bool {
    OWN_NAMES.iter().any(|start| name.starts_with(start))
}

/// A name that is reserved for evcxr, if a cell gives it to an item or a variable.
pub fn own_name_in(cell: &str) -> Option<String> {
    if !OWN_NAMES.iter().any(|start| cell.contains(start)) {
        return None;
    }
    let items = statements(cell).into_iter().map(|(_, node)| node).filter_map(ast::Item::cast);
    let items = items.filter_map(|item| item.syntax().children().find_map(ast::Name::cast));
    let mut names = items.map(|name| name.text().to_string()).chain(defined_in(cell).into_iter().map(|(name, _)| name));
    names.find(|name| is_own(name) && name != "evcxr_display")
}

/// The functions, constants, statics and structs without named fields that a cell defines. A variable of the same name
/// would hide them.
pub fn items_in(cell: &str) -> Vec<String> {
    if !["fn ", "const ", "static ", "struct "].iter().any(|keyword| cell.contains(keyword)) {
        return Vec::new();
    }
    let items = statements(cell).into_iter().map(|(_, node)| node).filter_map(ast::Item::cast);
    let names = items.filter_map(|item| match item {
        ast::Item::Fn(function) => function.name(),
        ast::Item::Const(constant) => constant.name(),
        ast::Item::Static(variable) => variable.name(),
        ast::Item::Struct(structure) if !matches!(structure.kind(), ast::StructKind::Record(_)) => structure.name(),
        _ => None,
    });
    names.map(|name| name.text().to_string()).collect()
}

/// The items of the notebook in a cell crate: the text before evcxr's own module.
pub fn items_before_runtime(source: &str) -> &str {
    source.split("\nmod evcxr_internal_runtime {").next().unwrap_or_default()
}

/// What evcxr writes behind the items, one or the other.
const BEHIND_ITEMS: [&str; 3] = [
    "\nmod evcxr_internal_runtime {",
    "\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_",
    "\nasync fn evcxr_analysis_wrapper(",
];

/// The end of the items in what evcxr wrote: the newline before its own code.
pub fn end_of_items(source: &str) -> Option<usize> {
    BEHIND_ITEMS.iter().filter_map(|behind| source.find(behind)).min()
}

/// The names that code may assign to, as in `a = f(a)`, `(a, b) = (b, a)`, and in the arguments of macros.
pub fn assigned(code: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    for node in parse(&format!("fn f() {{ {code} }}")).syntax_node().descendants() {
        if let Some(assignment) = ast::BinExpr::cast(node.clone()) {
            let is_plain = assignment.op_kind() == Some(BinaryOp::Assignment { op: None });
            let target = assignment.lhs().filter(|_| is_plain);
            names.extend(target.iter().flat_map(|target| identifiers(target.syntax())));
        } else if ast::TokenTree::can_cast(node.kind()) && node.text().to_string().contains('=') {
            names.extend(identifiers(&node));
        }
    }
    names
}

/// The names that code may refer to: its identifiers, and the names in format strings.
pub fn mentioned(code: &str) -> HashSet<String> {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    let mut names = HashSet::new();
    for index in 0..tokens.len() {
        let text = tokens.text(index);
        match tokens.kind(index) {
            SyntaxKind::IDENT => {
                names.insert(plain(text).to_owned());
            }
            SyntaxKind::STRING => {
                names.extend(words(text).map(str::to_owned));
            }
            _ => {}
        }
    }
    names
}

/// Whether the user's code uses a variable before it redefines it.
pub fn is_used(code: &str, name: &str) -> bool {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    let mut depth = 0usize;
    // Whether a `let` of the cell itself is before its `=`, and whether it binds the name.
    let (mut in_pattern, mut binds) = (false, false);
    for index in 0..tokens.len() {
        let text = tokens.text(index);
        match tokens.kind(index) {
            SyntaxKind::L_CURLY | SyntaxKind::L_PAREN | SyntaxKind::L_BRACK => depth += 1,
            SyntaxKind::R_CURLY | SyntaxKind::R_PAREN | SyntaxKind::R_BRACK => depth = depth.saturating_sub(1),
            SyntaxKind::LET_KW if depth == 0 => in_pattern = true,
            SyntaxKind::EQ if depth == 0 => in_pattern = false,
            SyntaxKind::SEMICOLON if depth == 0 => {
                if binds {
                    return false;
                }
                in_pattern = false;
            }
            SyntaxKind::IDENT if text == name => {
                if !in_pattern {
                    return true;
                }
                binds = true;
            }
            // Formatted with the name inside.
            SyntaxKind::STRING if text.contains(&format!("{{{name}")) => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_names_are_found() {
        for code in [
            "mod evcxr_internal_runtime {}",
            "let evcxr_variable_store = 1;",
            "macro_rules! evcxr_x { () => {} }",
            "1; fn run_user_code_3() {}",
        ] {
            assert!(own_name_in(code).is_some(), "{code}");
        }
        for code in [
            "impl S { fn evcxr_display(&self) {} }",
            "fn evcxr_display() {}",
            "\"evcxr_x\"",
            "let x = evcxr_x;",
            "mod mine {}",
        ] {
            assert_eq!(own_name_in(code), None, "{code}");
        }
    }

    #[test]
    fn types_are_short_where_a_notebook_has_their_names() {
        for (type_name, short) in [
            ("std::vec::Vec<std::string::String>", "Vec<String>"),
            ("(warpcell::DeviceArray<f64>, warpcell::Stream)", "(DeviceArray<f64>, gpu::Stream)"),
            ("std::collections::HashMap<&str, i32>", "std::collections::HashMap<&str, i32>"),
            ("own::std::vec::Vec<u8>", "own::std::vec::Vec<u8>"),
        ] {
            assert_eq!(in_scope(type_name), short);
        }
    }

    #[test]
    fn types_of_compiled_programs_are_written_as_code() {
        for (known, code) in [
            ("i64", "i64"),
            ("(alloc::string::String, i64)", "(std::string::String, i64)"),
            ("core::option::Option<alloc::vec::Vec<&str>>", "std::option::Option<std::vec::Vec<&str>>"),
            ("alloc::collections::btree::map::BTreeMap<u8, ()>", "std::collections::btree_map::BTreeMap<u8, ()>"),
            ("alloc::collections::vec_deque::VecDeque<u8>", "std::collections::vec_deque::VecDeque<u8>"),
            ("std::collections::hash::map::HashMap<u8, u8>", "std::collections::hash_map::HashMap<u8, u8>"),
            ("warpcell::array::DeviceArray<f64>", "warpcell::DeviceArray<f64>"),
            ("core::ops::range::Range<i32>", "std::ops::Range<i32>"),
            (
                "ndarray::ArrayBase<ndarray::data_repr::OwnedRepr<f64>, ndarray::dimension::dim::Dim<[usize; 2]>>",
                "ndarray::ArrayBase<ndarray::OwnedRepr<f64>, ndarray::Dim<[usize; 2]>>",
            ),
            ("core::sync::atomic::Atomic<u64>", "std::sync::atomic::AtomicU64"),
            ("alloc::vec::Vec<ctx::shapes::Pair<ctx::Point>>", "std::vec::Vec<shapes::Pair<Point>>"),
            (
                "alloc::boxed::Box<dyn core::ops::function::Fn(i32) -> i32>",
                "std::boxed::Box<dyn std::ops::Fn(i32) -> i32>",
            ),
        ] {
            assert_eq!(type_as_code(known), code);
        }
    }

    #[test]
    fn atomic_numbers_have_their_stable_names() {
        for (unstable, expected) in [
            ("Arc<std::sync::atomic::Atomic<u64>>", "Arc<std::sync::atomic::AtomicU64>"),
            ("(Atomic<bool>, Atomic<usize>)", "(AtomicBool, AtomicUsize)"),
            ("Vec<MyAtomic<u64>>", "Vec<MyAtomic<u64>>"),
            ("Atomic<*mut u8>", "Atomic<*mut u8>"),
            ("Atomic<Vec<Atomic<i8>>>", "Atomic<Vec<AtomicI8>>"),
            ("Atomic<", "Atomic<"),
        ] {
            assert_eq!(stable(unstable), expected);
        }
    }

    #[test]
    fn what_a_cell_defines() {
        assert_eq!(items_in("fn f() {} let g = 1; const C: u8 = 1; struct P(u8); struct Q { x: u8 }"), ["f", "C", "P"]);
        let defined = defined_in("let (a, mut b) = f(); let c: Vec<u8>; let d: u8 = 1;");
        let c = ("c".to_owned(), Some("Vec<u8>".to_owned()));
        let names: Vec<&str> = defined.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        assert!(defined.contains(&c) && defined.iter().filter(|(_, kind)| kind.is_some()).count() == 1);
    }

    #[test]
    fn what_a_cell_assigns_to() {
        let sorted = |code| {
            let mut names = assigned_in(code);
            names.sort();
            names
        };
        assert_eq!(sorted("a = a + 1; (b, c[0]) = f(); d.x = 1; e == 2; g += 1;"), ["a", "b", "c", "d", "x"]);
        assert_eq!(sorted("let a = 1; a = 2;"), [""; 0]);
        assert_eq!(sorted("m!(a = 1)"), ["a"]);
    }
}
