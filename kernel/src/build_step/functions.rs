//! Functions with `#[vectorize]`: which ones the cell process has registered already, so that they need not be compiled
//! for it again.
//!
//! evcxr writes every item of the notebook into every cell, and what the attribute emits costs the compiler many times
//! what the plain function does. A function is known by a hash of its text and of all that its text may lead to: what
//! it calls, the types and constants that it names, and so on. The cell process lists what it has registered, by name
//! and hash; where the last line for a name has the hash, the attribute is blanked out, and the plain function is left.

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, NodeOrToken, SourceFile, SyntaxKind, SyntaxNode};
use std::collections::{BTreeSet, HashMap};

/// The variable by which the macro gets lines `NAME HASH`.
pub const HASHES: &str = "WARPCELL_FUNCTION_HASHES";

/// The attribute.
pub const VECTORIZE: &str = "vectorize";

/// The functions of a cell crate.
pub struct Functions {
    /// The source, without the attributes of functions that are registered.
    pub source: String,
    /// Lines `NAME HASH`, for the macro.
    pub hashes: String,
}

impl Functions {
    /// Looks through a source that evcxr wrote; `listing` is what the cell process has registered.
    pub fn read(source: &str, listing: &str) -> Functions {
        let mut functions = Functions { source: source.to_owned(), hashes: String::new() };
        if !source.contains(VECTORIZE) {
            return functions;
        }
        let items = source.split("\nmod evcxr_internal_runtime {").next().unwrap_or_default();
        let file = SourceFile::parse(items, Edition::Edition2024).tree();
        let items: Vec<ast::Item> = file.items().collect();
        let leads = Leads::of(&items);
        for item in &items {
            let ast::Item::Fn(function) = item else { continue };
            let attribute = function.attrs().find(|attribute| {
                let name = attribute.path().and_then(|path| path.segment()?.name_ref());
                name.is_some_and(|name| name.text() == VECTORIZE)
            });
            let (Some(attribute), Some(name)) = (attribute, function.name()) else { continue };
            let name = name.text();
            let hash = leads.hash(item.syntax());
            functions.hashes.push_str(&format!("{name} {hash}\n"));
            if registered(listing, name) == Some(&hash) {
                let range = attribute.syntax().text_range();
                let range = usize::from(range.start())..usize::from(range.end());
                let blank: String = source[range.clone()]
                    .chars()
                    .flat_map(|character| {
                        let blank = if character == '\n' { '\n' } else { ' ' };
                        std::iter::repeat_n(blank, character.len_utf8())
                    })
                    .collect();
                functions.source.replace_range(range, &blank);
            }
        }
        functions
    }
}

/// The hash on the last line for a function at the root of the cell crate.
fn registered<'a>(listing: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = listing.lines().rev().filter_map(|line| line.rsplit_once(' '));
    lines.find(|(path, _)| path.split_once("::").is_some_and(|(_, rest)| rest == name)).map(|(_, hash)| hash)
}

/// To what the names of a crate may lead.
struct Leads {
    by_name: HashMap<String, Vec<SyntaxNode>>,
    /// What may give any name a meaning: imports of all that a module has.
    everywhere: Vec<SyntaxNode>,
}

impl Leads {
    fn of(items: &[ast::Item]) -> Leads {
        let mut leads = Leads { by_name: HashMap::new(), everywhere: Vec::new() };
        for item in items {
            let node = item.syntax();
            match item {
                ast::Item::Use(_) if node.descendants_with_tokens().any(|part| part.kind() == SyntaxKind::STAR) => {
                    leads.everywhere.push(node.clone());
                }
                ast::Item::Use(_) | ast::Item::ExternCrate(_) => leads.add(names(node), node),
                // Found by the type, the trait, and what is in it.
                ast::Item::Impl(implementation) => {
                    let parts = implementation.assoc_item_list().map(|list| list.syntax().clone());
                    let head = node.children().filter(|child| Some(child) != parts.as_ref());
                    let inside = parts.iter().flat_map(|parts| parts.children()).filter_map(own_name);
                    leads.add(head.flat_map(|child| names(&child)).chain(inside).collect::<BTreeSet<_>>(), node);
                }
                ast::Item::Trait(of) => {
                    let parts = of.assoc_item_list().map(|list| list.syntax().clone());
                    let inside = parts.iter().flat_map(|parts| parts.children()).filter_map(own_name);
                    leads.add(inside.chain(own_name(node.clone())).collect::<BTreeSet<_>>(), node);
                }
                _ => leads.add(own_name(node.clone()), node),
            }
        }
        leads
    }

    fn add(&mut self, names: impl IntoIterator<Item = String>, node: &SyntaxNode) {
        for name in names {
            self.by_name.entry(name).or_default().push(node.clone());
        }
    }

    /// A hash of an item's text and of all that it may lead to, whatever order that is written in.
    fn hash(&self, item: &SyntaxNode) -> String {
        let mut seen = vec![item.clone()];
        seen.extend(self.everywhere.iter().cloned());
        let mut next = 0;
        while let Some(node) = seen.get(next).cloned() {
            next += 1;
            for found in names(&node).iter().filter_map(|name| self.by_name.get(name)).flatten() {
                if !seen.contains(found) {
                    seen.push(found.clone());
                }
            }
        }
        let texts: BTreeSet<String> = seen.iter().map(text_of).collect();
        super::hash(&(text_of(item), texts))
    }
}

/// The identifiers in a node.
fn names(node: &SyntaxNode) -> BTreeSet<String> {
    let tokens = node.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    tokens.filter(|token| token.kind() == SyntaxKind::IDENT).map(|token| plain(token.text())).collect()
}

fn own_name(node: SyntaxNode) -> Option<String> {
    node.children().find_map(ast::Name::cast).map(|name| plain(name.text()))
}

/// A name without the mark of a raw identifier.
fn plain(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

/// A node's text without blanks between the tokens, and comments.
fn text_of(node: &SyntaxNode) -> String {
    let tokens = node.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let texts = tokens.filter(|token| !token.kind().is_trivia()).map(|token| token.text().to_owned());
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: &str = "use gpu::prelude::*;\nfn g(x: f32) -> f32 { x + ONE }\nconst ONE: f32 = 1.0;\n\
                        #[vectorize]\nfn f(x: f32) -> f32 { g(x) } // ä\n#[gpu::vectorize] fn other(x: u8) -> u8 { x }\n\
                        mod evcxr_internal_runtime {\n}\nfn run_user_code_1() {}";

    fn hash(source: &str, name: &str) -> String {
        let hashes = Functions::read(source, "").hashes;
        let line = hashes.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().to_owned()
    }

    #[test]
    fn what_is_registered_is_left_plain_and_nothing_moves() {
        let listing = format!("ctx::f 0\nctx::f {}\nctx::m::other {}\n", hash(CELL, "f"), hash(CELL, "other"));
        let functions = Functions::read(CELL, &listing);
        assert_eq!(functions.source, CELL.replacen("#[vectorize]", "            ", 1));
        assert_eq!(functions.hashes.lines().count(), 2);
    }

    #[test]
    fn the_last_line_counts() {
        let listing = format!("ctx::f {}\nctx::f 0\n", hash(CELL, "f"));
        assert_eq!(Functions::read(CELL, &listing).source, CELL);
        assert_eq!(Functions::read(CELL, "").source, CELL);
        assert_eq!(Functions::read(CELL, "ctx::f \n\nnonsense").source, CELL);
    }

    #[test]
    fn a_change_of_what_it_calls_is_a_change() {
        for (from, to) in [
            ("{ g(x) }", "{ g(x) * 2.0 }"),
            ("x + ONE", "x - ONE"),
            ("f32 = 1.0", "f32 = 2.0"),
            ("use gpu::prelude::*;", "use gpu::prelude::*; use std::f32::consts::*;"),
        ] {
            let changed = CELL.replacen(from, to, 1);
            assert_ne!(hash(&changed, "f"), hash(CELL, "f"), "{from} became {to}");
        }
        for (from, to) in
            [("x }\nmod", "x + 1 }\nmod"), ("// ä", "// ö"), ("g(x) }", "g( x )  }"), ("code_1", "code_2")]
        {
            let changed = CELL.replacen(from, to, 1);
            assert_ne!(changed, CELL);
            assert_eq!(hash(&changed, "f"), hash(CELL, "f"), "{from} became {to}");
        }
    }

    #[test]
    fn methods_and_macros_are_followed() {
        let source = "#[vectorize] fn f(x: f32) -> f32 { m!(x).twice() }\nmacro_rules! m { ($x:expr) => { V($x) } }\n\
                      struct V(f32);\nimpl V { fn twice(self) -> f32 { self.0 * 2.0 } }\n\
                      impl Other { fn unrelated(self) -> u8 { 1 } }\n";
        for (from, to) in [("V($x)", "V($x + 1.0)"), ("V(f32)", "V(f32, )"), ("* 2.0", "* 3.0")] {
            assert_ne!(hash(&source.replacen(from, to, 1), "f"), hash(source, "f"), "{from} became {to}");
        }
        assert_eq!(hash(&source.replacen("{ 1 }", "{ 2 }", 1), "f"), hash(source, "f"));
    }

    #[test]
    fn the_order_of_items_does_not_matter() {
        let one = "fn a() {}\nfn b() {}\n#[vectorize] fn f(x: u8) -> u8 { a(); b(); x }\n";
        let other = "#[vectorize] fn f(x: u8) -> u8 { a(); b(); x }\nfn b() {}\nfn a() {}\n";
        assert_eq!(hash(one, "f"), hash(other, "f"));
    }
}
