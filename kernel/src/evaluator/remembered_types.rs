//! The types of a cell's variables, as an earlier run of the same cell has found them.
//!
//! rust-analyzer takes most of a second to read the prelude and the standard library, and then some time for each `let`. A cell that
//! was run before need not wait for that: after a restart, or in the session of another student. What was found is an entry of the cache
//! of compiled cells (`build_step/cell_cache.rs`), under a hash of all that it depends on: the compiler, the prelude, the cell, the items
//! of the cells before it, and the types of the variables that the cell names. If the types do not fit all the same, the cell does not
//! compile, and runs as if nothing were remembered.

use crate::build_step::{self, Types};
use crate::evaluator::commands;
use crate::hashing::digest;
use crate::installation::Installation;
use crate::syntax::{statements, words};
use evcxr::CommandContext;
use ra_ap_syntax::ast::{self, AstNode};
use serde::Serialize;
use std::collections::BTreeSet;

/// A part of each key. Another layout of the entries has another.
const LAYOUT: &str = "types 1";
/// Types of code with these words may depend on other files.
const READS_FILES: [&str; 3] = ["include", "#[path", "extern crate"];

/// What the types of later variables depend on.
pub struct RememberedTypes {
    /// A hash of the items of all cells. `None` if they depend on more than the cells.
    items: Option<String>,
}

/// A cell whose types are looked for.
pub struct TypedCell {
    key: String,
    /// The variables that it binds.
    names: BTreeSet<String>,
}

impl Default for RememberedTypes {
    fn default() -> RememberedTypes {
        RememberedTypes { items: Some(String::new()) }
    }
}

impl RememberedTypes {
    /// A cell that binds variables without writing their types. `None` if its types depend on more than is known here.
    pub fn cell(&self, installation: &Installation, context: &CommandContext, code: &str) -> Option<TypedCell> {
        let items = self.items.as_ref()?;
        if depends_on_files(code) {
            return None;
        }
        let names: BTreeSet<String> = build_step::without_types(code).into_iter().collect();
        if names.is_empty() {
            return None;
        }
        let named: BTreeSet<&str> = words(code).collect();
        let variables: BTreeSet<(&str, &str)> =
            context.variables_and_types().filter(|(name, _)| named.contains(name)).collect();
        let prelude = &installation.record.prelude;
        let key = hash(&(LAYOUT, &prelude.compiler, &prelude.identity, items, code, variables))?;
        Some(TypedCell { key, names })
    }

    /// Takes note of the items of a cell that was compiled.
    pub fn learn(&mut self, code: &str) {
        let has_items = statements(code).iter().any(|(_, node)| ast::Item::can_cast(node.kind()));
        if commands::has_any(code) || (has_items && depends_on_files(code)) {
            // Crates of `:dep` can change, for example.
            self.items = None;
        } else if has_items {
            self.items = self.items.as_ref().and_then(|items| hash(&(items, code)));
        }
    }
}

impl TypedCell {
    /// The types, if they are remembered.
    pub fn types(&self, installation: &Installation) -> Option<Types> {
        let types: Types = serde_json::from_str(&build_step::remembered(installation, &self.key)?).ok()?;
        let is_whole =
            self.names.iter().eq(types.keys()) && types.values().all(|its_type| build_step::is_type(its_type));
        is_whole.then_some(types)
    }

    /// Remembers the types after the cell has run, if all are known.
    pub fn keep(&self, installation: &Installation, context: &CommandContext) {
        let of_cell = context.variables_and_types().filter(|(name, _)| self.names.contains(*name));
        let types: Types = of_cell.map(|(name, its_type)| (name.to_owned(), its_type.to_owned())).collect();
        if self.names.iter().eq(types.keys())
            && let Ok(text) = serde_json::to_string(&types)
        {
            build_step::remember(installation, &self.key, &text);
        }
    }
}

fn hash(parts: &impl Serialize) -> Option<String> {
    Some(digest(&serde_json::to_vec(parts).ok()?))
}

fn depends_on_files(code: &str) -> bool {
    READS_FILES.iter().any(|word| code.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_of_earlier_cells_count() {
        let after = |cells: &[&str]| {
            let mut types = RememberedTypes::default();
            cells.iter().for_each(|cell| types.learn(cell));
            types.items
        };
        assert_eq!(after(&["let x = 1;", "x + 1", "println!(\"{x}\");"]), after(&[]));
        assert_eq!(after(&["fn f() -> u8 { 1 }", "let x = f();"]), after(&["fn f() -> u8 { 1 }"]));
        assert_ne!(after(&["fn f() -> u8 { 1 }"]), after(&["fn f() -> u16 { 1 }"]));
        assert_ne!(after(&["use a::b;"]), after(&[]));
        assert_ne!(after(&["struct A;", "fn f() {}"]), after(&["fn f() {}", "struct A;"]));
        for unknown in [":dep a = \"1\"", "include!(\"a.rs\"); fn f() {}", "#[path = \"a.rs\"] mod a;"] {
            assert_eq!(after(&[unknown, "fn f() {}"]), None, "{unknown}");
        }
    }
}
