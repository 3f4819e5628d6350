//! The items of a notebook as items of one program. The last definition of a name stands at the root. Earlier ones that cells above
//! still use stand in modules, with all that refers to them: there a name means what it meant in these cells.

use super::cells::CodeCell;
use super::keys::{attaching_name, glob_of, has_visibility, is_name, keys_of, names_within, repeated_names, singles};
use super::tokens::{names, names_in_formats, qualified};
use crate::build_step::is_meant_by_patterns;
use crate::notebook::Finding;
use crate::syntax::{declared_name, parse};
use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasModuleItem, HasVisibility};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};
use std::collections::{BTreeMap, BTreeSet};

/// What an item is known by: later ones of the same key replace it.
pub type Key = String;
/// For each key, the index of its definition.
type Visible = BTreeMap<Key, usize>;
/// The definitions that an item and all that it refers to have at one point of the notebook: items with the same are the same.
type Version = Vec<usize>;

/// An item, as it is written.
#[derive(Debug)]
struct Item {
    /// The index of its cell.
    cell: usize,
    text: String,
    keys: Vec<Key>,
    /// The names in it.
    names: BTreeSet<String>,
    /// The type that it implements something for.
    implements_for: Option<String>,
    kind: Kind,
}

/// What has no name of its own that others refer to.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Use,
    Implementation,
    Macro,
    Other,
}

/// A `use` of all names, such as `use Color::*`.
#[derive(Debug)]
pub struct Glob {
    pub is_public: bool,
    /// The names that it brings at present.
    pub names: Vec<Key>,
}

/// A module of earlier definitions.
#[derive(Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub text: String,
}

/// All items of a program.
#[derive(Debug, Default)]
pub struct Items {
    items: Vec<Item>,
    /// The types and modules from which a `use` brings all names, with that `use`: of those that cells define again.
    globs: BTreeMap<Key, Glob>,
    /// The definitions at the root.
    last: Visible,
    /// The implementations that go with an item, as they stand behind it in its cell: a new definition of the item ends them.
    attached: BTreeMap<Key, Vec<usize>>,
    /// What each cell sees, by the cell's index.
    seen: BTreeMap<usize, Visible>,
}

/// What [`Items::modules`] gives.
#[derive(Debug, Default)]
pub struct Versions {
    pub modules: Vec<Module>,
    /// The modules of names, by the cell whose statements use them.
    used: BTreeMap<usize, BTreeMap<String, String>>,
    /// What cannot be written: a format text takes no path.
    pub hidden: Vec<Finding>,
}

impl Versions {
    /// A cell's statements with modules before the names of earlier definitions.
    pub fn statements(&self, cell: usize, text: &str) -> String {
        match self.used.get(&cell) {
            Some(used) => qualified(text, |name| used.get(name).cloned()),
            None => text.to_owned(),
        }
    }
}

impl Items {
    /// The items of cells, with the cells' indices.
    pub fn of<'a>(cells: impl Iterator<Item = (usize, &'a CodeCell)> + Clone) -> Items {
        let mut items = Items::default();
        let mut visible = Visible::new();
        let repeated = repeated_names(cells.clone().flat_map(|(_, cell)| cell.items.iter()));
        for (index, cell) in cells {
            if cell.clears {
                visible.clear();
                items.globs.clear();
            }
            let mut above = None;
            for text in cell.items.iter().flat_map(|text| singles(text, &repeated)) {
                match glob_of(&text).filter(|(root, _)| repeated.contains(root)) {
                    Some((root, glob)) => {
                        items.globs.insert(root.clone(), glob);
                        items.bring(index, &root, &mut visible);
                    }
                    None => {
                        if let Some(key) = attaching_name(&text) {
                            above = Some(key);
                        }
                        let last = items.items.len();
                        items.add(index, text, &mut visible);
                        if let (Some(above), Some(Kind::Implementation)) =
                            (&above, items.items.get(last).map(|item| &item.kind))
                        {
                            items.attached.entry(above.clone()).or_default().push(last);
                        }
                    }
                }
            }
            items.give_to_variables(cell, &mut visible);
            items.seen.insert(index, visible.clone());
        }
        items
    }

    /// Ends constants and other items that patterns mean by their names, where a cell gives these names to variables.
    fn give_to_variables(&mut self, cell: &CodeCell, visible: &mut Visible) {
        for name in &cell.replaces {
            let Some(&index) = visible.get(name) else { continue };
            let item = parse(&self.items[index].text).tree().items().next();
            if item.is_some_and(|item| is_meant_by_patterns(&item, name))
                && !cell.items.contains(&self.items[index].text)
            {
                visible.remove(name);
                self.last.remove(name);
            }
        }
    }

    fn add(&mut self, cell: usize, text: String, visible: &mut Visible) {
        let Some(node) = parse(&text).tree().items().next() else { return };
        let (keys, implements_for) = keys_of(&node);
        let is_static = matches!(node, ast::Item::Static(_));
        let is_known = |key: &Key| visible.get(key).is_some_and(|&index| same_text(&self.items[index].text, &text));
        if keys.iter().all(is_known) {
            return;
        }
        // Which is at the root already, forgotten by `:clear` and written again. A static begins anew then.
        let again = keys
            .first()
            .and_then(|key| self.last.get(key))
            .copied()
            .filter(|&at| !is_static && same_text(&self.items[at].text, &text));
        let index = again.unwrap_or(self.items.len());
        // With a `use` or a macro they stay.
        let ended = attaching_name(&text).and_then(|name| self.attached.remove(&name)).unwrap_or_default();
        for key in ended.iter().flat_map(|&item| self.items[item].keys.clone()) {
            for known in [&mut *visible, &mut self.last] {
                known.retain(|other, item| *other != key || !ended.contains(item));
            }
        }
        for key in &keys {
            visible.insert(key.clone(), index);
            self.last.insert(key.clone(), index);
        }
        if again.is_none() {
            let names = names(&text).into_iter().chain(names_in_formats(&text)).collect();
            let kind = match node {
                ast::Item::Use(_) => Kind::Use,
                ast::Item::Impl(_) => Kind::Implementation,
                ast::Item::MacroRules(_) => Kind::Macro,
                _ => Kind::Other,
            };
            self.items.push(Item { cell, text, keys: keys.clone(), names, implements_for, kind });
        }
        for key in keys.iter().filter(|key| is_name(key)) {
            self.bring(cell, key, visible);
        }
    }

    /// Has a `use` of all names of a type or module bring those that this has now, each by a `use` of its own: an earlier definition has
    /// others.
    fn bring(&mut self, cell: usize, root: &str, visible: &mut Visible) {
        let Some(glob) = self.globs.get_mut(root) else { return };
        let Some(&index) = visible.get(root) else { return };
        for name in std::mem::replace(&mut glob.names, names_within(&self.items[index].text)) {
            visible.remove(&name);
            self.last.remove(&name);
        }
        let before = if glob.is_public { "pub use" } else { "use" };
        let texts: Vec<String> = glob.names.iter().map(|name| format!("{before} self::{root}::{name};")).collect();
        texts.into_iter().for_each(|text| self.add(cell, text, visible));
    }

    /// Leaves at the root what these names need: all that they refer to, and the implementations for it. A `use` stays too, as methods do not
    /// name the trait that they come from, unless it names one of the crates in `without`.
    pub fn keep(&mut self, names: &[String], without: &BTreeSet<String>) {
        let is_kept_use = |item: &Item| item.kind == Kind::Use && item.names.is_disjoint(without);
        let mut wanted = names.to_vec();
        wanted.extend(
            self.last.iter().filter(|(_, index)| is_kept_use(&self.items[**index])).map(|(key, _)| key.clone()),
        );
        loop {
            let found = self.needed(&self.last, &wanted);
            // Those for other types, such as of a trait of the notebook's for `f32`.
            let implements = |(_, index): &(&Key, &usize)| {
                let item = &self.items[**index];
                let is_wanted = |name: &String| self.last.get(name).is_some_and(|index| found.contains(index));
                let is_for_other = item.implements_for.as_ref().is_none_or(|of| !self.last.contains_key(of));
                item.kind == Kind::Implementation
                    && is_for_other
                    && !found.contains(index)
                    && item.names.iter().any(is_wanted)
            };
            let more: Vec<Key> = self.last.iter().filter(implements).map(|(key, _)| key.clone()).collect();
            if more.is_empty() {
                self.last.retain(|_, index| found.contains(index));
                return;
            }
            wanted.extend(more);
        }
    }

    /// The items at the root of a cell, in order.
    pub fn at_root(&self, cell: usize) -> impl Iterator<Item = &str> {
        self.all_at_root(cell).filter(|item| !self.is_repeated_macro(item)).map(|item| item.text.as_str())
    }

    /// Macros of a cell that replace earlier ones. They stand before all other items, as these may be from earlier cells.
    pub fn macros_at_root(&self, cell: usize) -> impl Iterator<Item = &str> {
        self.all_at_root(cell).filter(|item| self.is_repeated_macro(item)).map(|item| item.text.as_str())
    }

    fn all_at_root(&self, cell: usize) -> impl Iterator<Item = &Item> {
        let of_cell = self.items.iter().enumerate().filter(move |(_, item)| item.cell == cell);
        of_cell.filter(|(index, _)| self.is_at_root(*index)).map(|(_, item)| item)
    }

    fn is_repeated_macro(&self, item: &Item) -> bool {
        let is_other = |other: &Item| other.cell != item.cell && other.keys == item.keys;
        item.kind == Kind::Macro && self.items.iter().any(is_other)
    }

    fn is_at_root(&self, index: usize) -> bool {
        let keys = &self.items[index].keys;
        keys.iter().any(|key| key != MAIN && self.last.get(key) == Some(&index))
    }

    /// The modules of earlier definitions that statements use.
    pub fn modules<'a>(&self, cells: impl Iterator<Item = (usize, &'a CodeCell)>) -> Versions {
        let mut versions = Versions::default();
        // Where a version stands already: the module, by the item.
        let mut placed: BTreeMap<(usize, Version), String> = BTreeMap::new();
        // The cell that has bound each variable last.
        let mut bound: BTreeMap<String, usize> = BTreeMap::new();
        for (index, cell) in cells {
            let Some(visible) = self.seen.get(&index) else { continue };
            if cell.clears {
                bound.clear();
            }
            // A name means what was defined last, an item or a variable.
            let variable = |name: &String| bound.get(name).copied();
            let is_variable = |name: &String| {
                let item = visible.get(name).map(|&item| self.items[item].cell);
                variable(name).is_some_and(|bound| item.is_none_or(|item| item <= bound))
            };
            let used_names: Vec<String> =
                names(&cell.statements).into_iter().filter(|name| !is_variable(name)).collect();
            let mut wanted = self.needed(visible, &used_names);
            let over_variables =
                used_names.iter().filter(|name| variable(name).is_some() && visible.contains_key(*name));
            let mut used: BTreeMap<String, String> =
                over_variables.map(|name| (name.clone(), "crate".to_owned())).collect();
            bound.extend(cell.variables.iter().map(|name| (name.clone(), index)));
            wanted.retain(|&item| !self.is_last(visible, item));
            for name in names_in_formats(&cell.statements) {
                if visible.get(&name).is_some_and(|&item| !self.is_last(visible, item)) {
                    let text = format!(
                        "a later cell defines `{name}` again, and a format text cannot name the earlier one; \
                         write `{{}}` in the text and `{name}` behind it"
                    );
                    versions.hidden.push(Finding { cell: index, text });
                }
            }
            if wanted.is_empty() {
                versions.used.insert(index, used);
                continue;
            }
            let module = format!("until_cell_{}", index + 1);
            let mut text = String::new();
            let mut macros = Vec::new();
            for item in wanted {
                let version = self.version(visible, item);
                let names = || self.items[item].keys.iter().filter(|key| is_name(key));
                let before = placed.entry((item, version)).or_insert_with(|| module.clone()).clone();
                if self.items[item].kind == Kind::Macro {
                    // A macro cannot be shown to all by its name, but it can stand in several modules.
                    macros.push(item);
                } else if before == module {
                    text += &format!("{}\n\n", public(&self.items[item].text));
                } else {
                    for name in names() {
                        text += &format!("    pub use super::{before}::{name};\n\n");
                    }
                }
                used.extend(names().map(|name| (name.clone(), before.clone())));
            }
            // Macros are known behind their definition only. What they name must be found where they are used.
            let place_of = |name: &str| used.get(name).map(|place| format!("$crate::{place}"));
            let macros =
                macros.iter().map(|&item| format!("{}\n\n", public(&with_places(&self.items[item].text, place_of))));
            text.insert_str(0, &macros.collect::<String>());
            // A module of nothing but names of others need not be.
            if used.values().any(|name| *name == module) || text.contains("impl") {
                versions.modules.push(Module { name: module, text });
            }
            versions.used.insert(index, used);
        }
        versions
    }

    /// The items that names mean, with all that these refer to, and the implementations for their types.
    fn needed(&self, visible: &Visible, names: &[String]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open: Vec<usize> = names.iter().filter_map(|name| visible.get(name)).copied().collect();
        while let Some(item) = open.pop() {
            if !found.insert(item) {
                continue;
            }
            let known = &self.items[item];
            open.extend(known.names.iter().filter_map(|name| visible.get(name)));
            let is_for = |other: &&usize| {
                let of = self.items[**other].implements_for.as_ref();
                of.is_some_and(|of| known.keys.contains(of))
            };
            open.extend(visible.values().filter(is_for));
        }
        found
    }

    /// Whether an item means at the root what it means here.
    fn is_last(&self, visible: &Visible, item: usize) -> bool {
        self.is_at_root(item) && self.version(visible, item) == self.version(&self.last, item)
    }

    /// The definitions that an item depends on. Implementations count only if there are others of the same key.
    fn version(&self, visible: &Visible, item: usize) -> Version {
        let mut found = BTreeSet::new();
        let mut open = vec![item];
        while let Some(item) = open.pop() {
            if !found.insert(item) {
                continue;
            }
            let known = &self.items[item];
            open.extend(known.names.iter().filter_map(|name| visible.get(name)));
            let replaced = |(key, other): (&Key, &usize)| {
                let of = self.items[*other].implements_for.as_ref();
                let is_for = of.is_some_and(|of| known.keys.contains(of));
                (is_for && self.items.iter().filter(|item| item.keys.contains(key)).count() > 1).then_some(*other)
            };
            open.extend(visible.iter().filter_map(replaced));
        }
        found.into_iter().collect()
    }
}

/// The function that the program has itself.
const MAIN: &str = "main";

/// A macro with a module before each name that has one; its parameters stay.
fn with_places(text: &str, place_of: impl Fn(&str) -> Option<String>) -> String {
    let Some(ast::Item::MacroRules(item)) = parse(text).tree().items().next() else { return text.to_owned() };
    let Some(body) = item.token_tree().map(|tree| usize::from(tree.syntax().text_range().start())) else {
        return text.to_owned();
    };
    let place_of = |name: &str| place_of(name).filter(|_| !text.contains(&format!("${name}")));
    format!("{}{}", &text[..body], qualified(&text[body..], place_of))
}

fn same_text(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// An item whose parts can all be named outside of its module.
fn public(text: &str) -> String {
    let Some(item) = parse(text).tree().items().next() else { return text.to_owned() };
    let mut places: BTreeSet<usize> = BTreeSet::new();
    let mut open = |node: &SyntaxNode, has_visibility: bool| {
        if !has_visibility {
            places.extend(start_behind_attributes(node));
        }
    };
    match &item {
        ast::Item::Impl(block) if block.trait_().is_none() => {
            for part in block.assoc_item_list().iter().flat_map(|list| list.assoc_items()) {
                if !matches!(part, ast::AssocItem::MacroCall(_)) {
                    open(part.syntax(), has_visibility(part.syntax()));
                }
            }
        }
        ast::Item::Impl(_) | ast::Item::ExternBlock(_) | ast::Item::MacroCall(_) | ast::Item::ExternCrate(_) => {}
        ast::Item::MacroRules(macro_rules) => {
            let name = declared_name(macro_rules.syntax()).unwrap_or_default();
            return format!("{text}\npub(crate) use {name};");
        }
        other => {
            open(other.syntax(), has_visibility(other.syntax()));
            if matches!(other, ast::Item::Struct(_) | ast::Item::Union(_)) {
                for node in other.syntax().descendants() {
                    if let Some(field) = ast::RecordField::cast(node.clone()) {
                        open(&node, field.visibility().is_some());
                    } else if let Some(field) = ast::TupleField::cast(node.clone()) {
                        open(&node, field.visibility().is_some());
                    }
                }
            }
        }
    }
    let mut result = text.to_owned();
    places.iter().rev().for_each(|place| result.insert_str(*place, "pub "));
    result
}

/// Where an item or field begins, behind its comments and attributes.
fn start_behind_attributes(node: &SyntaxNode) -> Option<usize> {
    let attributes = ast::AnyHasAttrs::cast(node.clone());
    let end = attributes.and_then(|node| node.attrs().last()).map(|last| last.syntax().text_range().end());
    let tokens = node.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let mut code = tokens.filter(|token| !matches!(token.kind(), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT));
    let first = code.find(|token| end.is_none_or(|end| token.text_range().start() >= end))?;
    Some(first.text_range().start().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(items: &[&str], statements: &str) -> CodeCell {
        CodeCell {
            items: items.iter().map(|&item| item.to_owned()).collect(),
            statements: statements.to_owned(),
            ..CodeCell::default()
        }
    }

    /// The program's items and statements as text.
    fn program(cells: &[CodeCell]) -> String {
        let all = || cells.iter().enumerate();
        let items = Items::of(all());
        let versions = items.modules(all());
        let mut text = String::new();
        for (index, _) in all() {
            items.macros_at_root(index).chain(items.at_root(index)).for_each(|item| text += &format!("{item}\n"));
        }
        for module in &versions.modules {
            text += &format!("mod {} {{\n{}\n}}\n", module.name, module.text.trim());
        }
        for (index, cell) in all().filter(|(_, cell)| !cell.statements.is_empty()) {
            text += &format!("{}: {}\n", index + 1, versions.statements(index, &cell.statements));
        }
        text
    }

    #[test]
    fn what_is_defined_once_stays() {
        let text = program(&[cell(&["fn f() {}", "use a::b;"], "f();"), cell(&["fn f() {}"], "f(); b()")]);
        assert_eq!(text, "fn f() {}\nuse a::b;\n1: f();\n2: f(); b()\n");
    }

    #[test]
    fn earlier_definitions_stand_in_modules_with_what_refers_to_them() {
        let text = program(&[
            cell(&["/// Doc.\n#[derive(Debug)]\nstruct S { x: u8 }", "impl S { fn new() -> S { S { x: 1 } } }"], ""),
            cell(&["fn f(s: &S) -> u8 { s.x }", "fn g() -> u8 { 1 }"], "let s = S::new(); f(&s); g();"),
            cell(&[], "f(&s); g();"),
            cell(
                &["struct S { y: u8 }", "impl S { fn new() -> S { S { y: 2 } } }", "fn f(s: &S) -> u8 { s.y }"],
                "f(&S::new()); S { y: g() };",
            ),
            cell(&["impl Clone for S { fn clone(&self) -> S { S { y: self.y } } }"], "f(&S::new());"),
        ]);
        expect_test::expect![[r#"
            fn g() -> u8 { 1 }
            struct S { y: u8 }
            impl S { fn new() -> S { S { y: 2 } } }
            fn f(s: &S) -> u8 { s.y }
            impl Clone for S { fn clone(&self) -> S { S { y: self.y } } }
            mod until_cell_2 {
            /// Doc.
            #[derive(Debug)]
            pub struct S { pub x: u8 }

            impl S { pub fn new() -> S { S { x: 1 } } }

            pub fn f(s: &S) -> u8 { s.x }
            }
            2: let s = until_cell_2::S::new(); until_cell_2::f(&s); g();
            3: until_cell_2::f(&s); g();
            4: f(&S::new()); S { y: g() };
            5: f(&S::new());
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_use_gives_a_name_away() {
        let text =
            program(&[cell(&["use a::{b, c::{self, d as e}, f::*};"], "b();"), cell(&["fn b() {}"], "b(); c();")]);
        expect_test::expect![[r#"
            use a::c;
            use a::c::d as e;
            use a::f::*;
            fn b() {}
            mod until_cell_1 {
            pub use a::b;
            }
            1: until_cell_1::b();
            2: b(); c();
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn all_names_of_a_type_are_those_of_its_definition() {
        let text = program(&[
            cell(&["enum C { A, B }", "use C::*;"], "let x = A; match x { A => 1, B => 2 };"),
            cell(&["enum C { B, D }"], "D;"),
            cell(&["mod m { pub fn f() {} fn g() {} }", "use m::*;"], "f();"),
        ]);
        expect_test::expect![[r#"
            enum C { B, D }
            use self::C::B;
            use self::C::D;
            mod m { pub fn f() {} fn g() {} }
            use m::*;
            mod until_cell_1 {
            pub enum C { A, B }

            pub use self::C::A;

            pub use self::C::B;
            }
            1: let x = until_cell_1::A; match x { until_cell_1::A => 1, until_cell_1::B => 2 };
            2: D;
            3: f();
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_variable_takes_the_name_of_a_constant() {
        let variable = CodeCell { variables: vec!["N".into()], replaces: vec!["N".into()], ..cell(&[], "let N = 2;") };
        let text = program(&[cell(&["const N: u8 = 1;", "fn f() {}"], "N; f();"), variable, cell(&[], "N; f();")]);
        expect_test::expect![[r#"
            fn f() {}
            mod until_cell_1 {
            pub const N: u8 = 1;
            }
            1: until_cell_1::N; f();
            2: let N = 2;
            3: N; f();
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_static_that_is_forgotten_begins_anew() {
        let item = "static N: Cell = Cell::new();";
        let text = program(&[
            cell(&[item, "fn f() { N.add(1) }"], "f();"),
            CodeCell { clears: true, ..cell(&[item, "fn f() { N.add(1) }"], "f();") },
        ]);
        expect_test::expect![[r#"
            fn f() { N.add(1) }
            static N: Cell = Cell::new();
            mod until_cell_1 {
            pub static N: Cell = Cell::new();

            pub fn f() { N.add(1) }
            }
            1: until_cell_1::f();
            2: f();
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn macros_that_replace_others_stand_first() {
        let text = program(&[
            cell(&["macro_rules! m { () => { f() } }", "fn f() -> u8 { 1 }", "fn all() -> u8 { m!() }"], "all();"),
            cell(&["macro_rules! m { ($f:expr) => { m!() }; () => { 2 } }"], "all();"),
            cell(&["fn f() -> u8 { 3 }", "macro_rules! m { () => { 4 } }"], "m!(); all();"),
        ]);
        expect_test::expect![[r#"
            fn all() -> u8 { m!() }
            macro_rules! m { () => { 4 } }
            fn f() -> u8 { 3 }
            mod until_cell_1 {
            macro_rules! m { () => { $crate::until_cell_1::f() } }
            pub(crate) use m;

            pub fn f() -> u8 { 1 }

            pub fn all() -> u8 { m!() }
            }
            mod until_cell_2 {
            macro_rules! m { ($f:expr) => { $crate::until_cell_2::m!() }; () => { 2 } }
            pub(crate) use m;

                pub use super::until_cell_1::f;

            pub fn all() -> u8 { m!() }
            }
            1: until_cell_1::all();
            2: until_cell_2::all();
            3: m!(); all();
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn implementations_stand_beside_one_another_or_replace_others() {
        let text = program(&[
            cell(&["struct S;", "impl S { fn a() {} }", "impl S { fn b() {} }"], ""),
            cell(&["impl S { fn c() {} }", "impl<T> From<T> for S { }"], "S::a();"),
            cell(&["impl S { fn a() { 1; } fn d() {} }", "impl<'a, U: Copy> From<U> for S { /* again */ }"], "S::a();"),
        ]);
        expect_test::expect![[r#"
            struct S;
            impl S { fn b() {} }
            impl S { fn c() {} }
            impl S { fn a() { 1; } }
            impl S { fn d() {} }
            impl<'a, U: Copy> From<U> for S { /* again */ }
            mod until_cell_2 {
            pub struct S;

            impl S { pub fn a() {} }

            impl S { pub fn b() {} }

            impl S { pub fn c() {} }

            impl<T> From<T> for S { }
            }
            2: until_cell_2::S::a();
            3: S::a();
        "#]]
        .assert_eq(&text);
        // As evcxr has it, those behind a type go with it.
        let text = program(&[
            cell(&["struct S { x: u8 }", "impl S { fn x(&self) -> u8 { self.x } }", "fn f() {}"], ""),
            cell(&["impl Clone for S { fn clone(&self) -> S { todo!() } }"], ""),
            cell(&["struct S { y: u8 }"], ""),
        ]);
        expect_test::expect![[r#"
            fn f() {}
            impl Clone for S { fn clone(&self) -> S { todo!() } }
            struct S { y: u8 }
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn names_mean_what_was_defined_last() {
        let variable =
            |items: &[&str], statements: &str| CodeCell { variables: vec!["f".to_owned()], ..cell(items, statements) };
        let text = program(&[
            variable(&[], "let f = 1;"),
            cell(&["fn f() {}"], "f();"),
            cell(&[], "f();"),
            variable(&[], "let f = 2;"),
            cell(&["fn g() { f() }"], "f; g();"),
        ]);
        assert_eq!(
            text,
            "fn f() {}\nfn g() { f() }\n1: let f = 1;\n2: crate::f();\n3: crate::f();\n4: let f = 2;\n5: f; g();\n"
        );
    }

    #[test]
    fn the_program_has_a_main_of_its_own() {
        let text = program(&[cell(&["fn main() { 1; }"], ""), cell(&[], "main();")]);
        assert_eq!(text, "mod until_cell_2 {\npub fn main() { 1; }\n}\n2: until_cell_2::main();\n");
    }

    #[test]
    fn parts_become_public() {
        for (text, expected) in [
            ("#[kernel]\nfn f() {}", "#[kernel]\npub fn f() {}"),
            ("pub(crate) fn f() {}", "pub(crate) fn f() {}"),
            ("struct P(u8, pub u8);", "pub struct P(pub u8, pub u8);"),
            ("// c\nunsafe fn f() {}", "// c\npub unsafe fn f() {}"),
            ("impl T for S { fn f() {} }", "impl T for S { fn f() {} }"),
            ("enum E { A(u8), B { c: u8 } }", "pub enum E { A(u8), B { c: u8 } }"),
            ("macro_rules! m { () => {} }", "macro_rules! m { () => {} }\npub(crate) use m;"),
        ] {
            assert_eq!(public(text), expected);
        }
    }
}
