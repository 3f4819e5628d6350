//! Items with `#[vectorize]`, `#[device]` or `#[kernel]`: the items that the cell process has registered already, which
//! need not be compiled for it again, and the facts about the notebook that the macros need.
//!
//! evcxr writes every item of the notebook into every cell. The code of the attributes takes the compiler much longer
//! than the plain function. An item is identified by a hash of its text and of everything that its text may refer to:
//! functions, types, constants. The cell process lists what it has registered, by name and hash. If the last line for a
//! name has the same hash, the attribute is replaced with blanks, and the plain function remains. The type by which other functions
//! see that it runs on devices (`mark` in `prelude/macros`) is written for it. A struct keeps its attribute, which then only implements
//! a trait.
//!
//! Kernels of a notebook whose code names a traced launch or a puzzle are compiled once more, with the copy that such launches need:
//! their hashes get a letter. So are functions over arrays where the code names `trace_map`, and `#[device]` functions, which such copies
//! call.

use super::names::{end_of_items, items_before_runtime};
use crate::environment::{cell_text, functions_listing};
use crate::files;
use crate::hashing::hash;
use crate::syntax::{
    OVER_ARRAYS, attribute, blank, declared_name, identifiers, name_of, parse, plain, range_of, words,
};
use anyhow::Result;
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The variable with the path of the macros' file.
pub const NOTEBOOK: &str = "WARPCELL_NOTEBOOK";

/// Names by which code asks for the copies of kernels that tell their statements: the launches that are traced, the puzzles, and what
/// `%%trace` becomes.
const TRACING: [&str; 10] = [
    "launch_traced",
    "launch_traced_with",
    "try_launch_traced",
    "try_launch_traced_with",
    "roofline",
    "roofline_with",
    "try_roofline",
    "try_roofline_with",
    "puzzles",
    "trace_begin",
];
/// The same for functions over arrays.
const TRACING_ELEMENTS: [&str; 2] = ["trace_map", "try_trace_map"];
/// What the hash of an item with such a copy ends with.
const TRACED: char = 't';

/// An item with an attribute.
struct Attributed {
    attribute: ast::Attr,
    hash: String,
    is_registered: bool,
    /// The line where it begins in the cell that defined it, if that was an earlier one.
    first: Option<usize>,
}

/// The file that the macros read.
pub fn notebook_file(session: &Path) -> PathBuf {
    session.join("notebook")
}

/// The items of a cell crate.
pub struct Functions {
    /// The source, without the attributes of functions that are registered.
    pub source: String,
    /// Whether there are items that register themselves when the cell is loaded.
    pub registers: bool,
    /// The lines for the macros: `item NAME HASH LINE`, followed by ` registered` for registered items, and by ` first LINE` for one that
    /// is compiled again as it is: where it begins in the cell that defined it. And `plain NAME` for functions without an attribute.
    notebook: String,
    /// The names of the functions whose attributes are left out.
    pub marks: Vec<String>,
}

impl Functions {
    /// Reads a source that evcxr wrote, and writes the file for the macros.
    pub fn prepare(source: &str, session: &Path) -> Result<Functions> {
        // Without a listing, as before the first cell, nothing is registered.
        let listing = std::fs::read_to_string(functions_listing(session)).unwrap_or_default();
        let functions = Functions::read(source, &listing);
        let cell = std::fs::read_to_string(cell_text(session)).unwrap_or_default();
        files::write(&notebook_file(session), format!("{}\n{cell}", functions.notebook))?;
        Ok(functions)
    }

    /// The file for the macros of a library that is not a notebook's: nothing is registered.
    pub fn of_library(source: &str) -> String {
        format!("{}\n{source}", Functions::read(source, "").notebook)
    }

    /// Reads a source that evcxr wrote. `listing` lists what the cell process has registered.
    fn read(source: &str, listing: &str) -> Functions {
        let mut functions =
            Functions { source: source.to_owned(), registers: false, notebook: "\n".to_owned(), marks: Vec::new() };
        // Formulas need the plain functions too.
        if !OVER_ARRAYS.iter().chain(&["fuse"]).any(|word| source.contains(word)) {
            return functions;
        }
        let items_text = items_before_runtime(source);
        let items: Vec<ast::Item> = parse(items_text).tree().items().collect();
        let leads = Leads::of(&items);
        let names = |all: &[&str]| words(source).any(|word| all.contains(&word));
        let (traces, traces_elements) = (names(&TRACING), names(&TRACING_ELEMENTS));
        // The name of an item and its attribute; by what it is recognised, and whether it is registered.
        let read = |item: &ast::Item| -> Option<(String, Option<Attributed>)> {
            let (name, attribute) = match item {
                ast::Item::Fn(function) => (name_of(function)?, attribute(function, &OVER_ARRAYS)),
                ast::Item::Struct(structure) => (name_of(structure)?, attribute(structure, &OVER_ARRAYS)),
                _ => return None,
            };
            let known = attribute.map(|attribute| {
                let mut hash = leads.hash(item.syntax());
                let is_called =
                    is(&attribute, "device") && matches!(item, ast::Item::Fn(_)) && (traces || traces_elements);
                if traces && is(&attribute, "kernel") || traces_elements && is(&attribute, "vectorize") || is_called {
                    hash.push(TRACED);
                }
                let known = registered(listing, &name);
                // What has the copy can do without it, too.
                let is_registered =
                    known.is_some_and(|(known, _)| known == hash || known.strip_suffix(TRACED) == Some(&hash));
                let stem = |hash: &str| hash.trim_end_matches(TRACED).to_owned();
                let first = known.filter(|(known, _)| stem(known) == stem(&hash)).and_then(|(_, first)| first);
                Attributed { attribute, hash, is_registered, first }
            });
            Some((name, known))
        };
        let read: Vec<_> = items.iter().filter_map(|item| Some((item, read(item)?))).collect();
        // Copies call those of `#[device]` functions, so these are compiled with them.
        let copies = read.iter().any(|(_, (_, known))| {
            known.as_ref().is_some_and(|known| {
                !known.is_registered && !is(&known.attribute, "device") && known.hash.ends_with(TRACED)
            })
        });
        let mut lines = String::new();
        for (item, (name, known)) in read {
            let Some(Attributed { attribute, hash, is_registered, first }) = known else {
                if let ast::Item::Fn(_) = item {
                    lines.push_str(&format!("plain {name}\n"));
                }
                continue;
            };
            let is_registered = is_registered && !(copies && is(&attribute, "device") && hash.ends_with(TRACED));
            let is_kernel = is(&attribute, "kernel");
            let keyword = match item {
                ast::Item::Fn(function) => function.fn_token(),
                ast::Item::Struct(structure) => structure.struct_token(),
                _ => None,
            };
            let line = keyword.map_or(0, |keyword| {
                let start: usize = keyword.text_range().start().into();
                1 + items_text[..start].matches('\n').count()
            });
            let known = match first {
                _ if is_registered => " registered".to_owned(),
                Some(first) => format!(" first {first}"),
                None => String::new(),
            };
            lines.push_str(&format!("item {name} {hash} {line}{known}\n"));
            functions.registers |= !is_registered;
            if let (true, ast::Item::Fn(_)) = (is_registered, item) {
                let range = range_of(attribute.syntax());
                let blank = blank(&functions.source[range.clone()]);
                functions.source.replace_range(range, &blank);
                if !is_kernel {
                    functions.marks.push(name);
                }
            }
        }
        if !lines.is_empty() {
            functions.notebook = lines;
        }
        functions
    }
}

/// Whether it is the attribute of this name.
fn is(attribute: &ast::Attr, name: &str) -> bool {
    attribute.path().is_some_and(|path| path.syntax().text().to_string().ends_with(name))
}

/// The source with a type for each of these functions that it has, on a line that is not the user's.
pub fn with_marks<'a>(source: &'a str, marks: &[String]) -> Cow<'a, str> {
    let Some((items, rest)) = end_of_items(source).map(|newline| source.split_at(newline + 1)) else {
        return Cow::Borrowed(source);
    };
    let written: HashSet<&str> = if marks.is_empty() { HashSet::new() } else { words(items).collect() };
    let marked = marks.iter().filter(|name| written.contains(plain(name)));
    let types: String =
        marked.map(|name| format!("#[allow(non_camel_case_types, dead_code)] struct {name} {{}} ")).collect();
    if types.is_empty() { Cow::Borrowed(source) } else { Cow::Owned(format!("{items}{types}{rest}")) }
}

/// The hash and the line of the cell on the last line for a function at the root of the cell crate.
fn registered<'a>(listing: &'a str, name: &str) -> Option<(&'a str, Option<usize>)> {
    let mut lines = listing.lines().rev().filter_map(|line| line.split_once(' '));
    let (_, rest) = lines.find(|(path, _)| path.split_once("::").is_some_and(|(_, rest)| rest == name))?;
    let (hash, line) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((hash, line.parse().ok()))
}

/// What the names of a crate may refer to.
struct Leads {
    by_name: HashMap<String, Vec<SyntaxNode>>,
    /// Imports of everything in a module. They may define any name.
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
                ast::Item::Use(_) | ast::Item::ExternCrate(_) => {
                    leads.add(identifiers(node).collect::<BTreeSet<_>>(), node)
                }
                // It is found by the type, the trait, and the names inside.
                ast::Item::Impl(implementation) => {
                    let parts = implementation.assoc_item_list().map(|list| list.syntax().clone());
                    let head = node.children().filter(|child| Some(child) != parts.as_ref());
                    let inside =
                        parts.iter().flat_map(|parts| parts.children()).filter_map(|part| declared_name(&part));
                    leads.add(head.flat_map(|child| identifiers(&child)).chain(inside).collect::<BTreeSet<_>>(), node);
                }
                ast::Item::Trait(of) => {
                    let parts = of.assoc_item_list().map(|list| list.syntax().clone());
                    let inside =
                        parts.iter().flat_map(|parts| parts.children()).filter_map(|part| declared_name(&part));
                    leads.add(inside.chain(declared_name(node)).collect::<BTreeSet<_>>(), node);
                }
                _ => leads.add(declared_name(node), node),
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
            for found in identifiers(&node).filter_map(|name| self.by_name.get(&name)).flatten() {
                if !seen.contains(found) {
                    seen.push(found.clone());
                }
            }
        }
        let texts: BTreeSet<String> = seen.iter().map(text_of).collect();
        hash(&(text_of(item), texts))
    }
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
        let notebook = Functions::read(source, "").notebook;
        let line = notebook.lines().find_map(|line| line.strip_prefix("item ")?.strip_prefix(name)).unwrap();
        line.trim().split(' ').next().unwrap().to_owned()
    }

    #[test]
    fn what_is_registered_is_left_plain_and_nothing_moves() {
        let listing = format!("ctx::f 0\nctx::f {}\nctx::m::other {}\n", hash(CELL, "f"), hash(CELL, "other"));
        let functions = Functions::read(CELL, &listing);
        assert_eq!(functions.source, CELL.replacen("#[vectorize]", "            ", 1));
        let (f, other) = (hash(CELL, "f"), hash(CELL, "other"));
        assert_eq!(functions.notebook, format!("plain g\nitem f {f} 5 registered\nitem other {other} 6\n"));
        assert!(functions.registers);
        assert_eq!(functions.marks, ["f"]);
        let marked = with_marks(&functions.source, &functions.marks);
        assert!(
            marked
                .contains("x }\n#[allow(non_camel_case_types, dead_code)] struct f {} mod evcxr_internal_runtime {\n}"),
            "{marked}"
        );
        assert_eq!(marked.lines().count(), CELL.lines().count());
        let without = with_marks("fn g() {}\nmod evcxr_internal_runtime {\n}\n", &functions.marks).into_owned();
        assert!(!without.contains("struct f"), "it was left out: {without}");
    }

    #[test]
    fn structs_keep_their_attribute() {
        let cell = "#[device]\n#[derive(Clone, Copy)]\nstruct P { x: f32 }\n#[gpu::device] fn f(p: P) -> f32 { p.x }\n";
        let listing = format!("ctx::P {}\nctx::f {}\n", hash(cell, "P"), hash(cell, "f"));
        let functions = Functions::read(cell, &listing);
        assert_eq!(functions.source, cell.replacen("#[gpu::device]", "              ", 1));
        assert!(!functions.registers);
        assert_ne!(hash(&cell.replacen("x: f32 }", "x: f32, y: f32 }", 1), "f"), hash(cell, "f"));
    }

    #[test]
    fn kernels_are_known() {
        let cell = "fn g() {}\n\n#[kernel]\npub fn k(mut out: View<f32>) {\n    out[0] = 1.0;\n}\n";
        let functions = Functions::read(cell, "");
        assert_eq!(functions.notebook, format!("plain g\nitem k {} 4\n", hash(cell, "k")));
        assert!(functions.registers);
        let listing = format!("ctx::k {}\n", hash(cell, "k"));
        let functions = Functions::read(cell, &listing);
        assert_eq!(functions.source, cell.replacen("#[kernel]", "         ", 1));
        assert!(functions.marks.is_empty(), "no function calls a kernel");
    }

    #[test]
    fn kernels_of_traced_launches_are_compiled_once_more() {
        let kernel = "#[kernel]\npub fn k(mut out: View<f32>) {\n    out[0] = 1.0;\n}\n";
        let plain = format!("{kernel}fn run() {{ gpu::launch(k, 1, 1, &mut a); }} // not traced: launch_traceds\n");
        let traced = format!("{kernel}fn run() {{ gpu::launch_traced(k, 1, 1, &mut a); }}\n");
        let known = hash(&plain, "k");
        assert_eq!(hash(&traced, "k"), format!("{known}t"));
        let roofline = traced.replace("launch_traced", "roofline");
        assert_eq!(hash(&roofline, "k"), format!("{known}t"));
        let is_compiled = |cell: &str, known: &str| Functions::read(cell, &format!("ctx::k {known}\n")).registers;
        assert!(!is_compiled(&plain, &known) && is_compiled(&traced, &known));
        for other in ["gpu::puzzles::map().check(k)", "warpcell::session::trace_begin()"] {
            let other = format!("{kernel}fn run() {{ {other}; }}\n");
            assert_eq!(hash(&other, "k"), format!("{known}t"));
        }
        // The copy does no harm where it is not needed.
        assert!(!is_compiled(&plain, &format!("{known}t")) && !is_compiled(&traced, &format!("{known}t")));
        assert!(is_compiled(&plain, "0t"));
    }

    #[test]
    fn functions_of_traced_elements_are_compiled_once_more() {
        let item = "#[vectorize]\nfn f(x: f32) -> f32 { x }\n";
        let plain = format!("{item}fn run() {{ gpu::launch_traced(k, 1, 1, gpu::map(f, &a)); }}\n");
        let traced = format!("{item}fn run() {{ gpu::trace_map(f, &a, 3); }}\n");
        assert_eq!(hash(&traced, "f"), format!("{}t", hash(&plain, "f")));
    }

    #[test]
    fn device_functions_are_compiled_with_the_copies_that_call_them() {
        let cell = "#[device]\nfn g(x: f32) -> f32 { x }\n#[kernel]\nfn k(mut out: View<f32>) { out[0] = g(1.0); }\n\
                    fn run() { gpu::launch_traced(k, 1, 1, &mut a); }\n";
        let (g, k) = (hash(cell, "g"), hash(cell, "k"));
        assert!(g.ends_with(TRACED) && k.ends_with(TRACED));
        let kept = |listing: String| {
            let source = Functions::read(cell, &listing).source;
            (source.contains("#[device]"), source.contains("#[kernel]"))
        };
        assert_eq!(kept(format!("ctx::g {g}\nctx::k {k}\n")), (false, false));
        assert_eq!(kept(format!("ctx::g {g}\n")), (true, true));
        let plain = g.strip_suffix(TRACED).unwrap();
        assert_eq!(kept(format!("ctx::g {plain}\nctx::k {k}\n")), (true, false));
        assert!(!hash(&cell.replace("launch_traced", "launch"), "g").ends_with(TRACED));
    }

    #[test]
    fn what_needs_no_macro_is_not_read() {
        let functions = Functions::read("fn g() {}\n", "");
        assert_eq!((functions.notebook.as_str(), functions.registers), ("\n", false));
        assert_eq!(
            Functions::read("fn g() {}\nfn run() { fuse!(|x: f32| g(x)); }", "").notebook,
            "plain g\nplain run\n"
        );
    }

    #[test]
    fn what_is_compiled_again_begins_where_it_did() {
        let cell = "#[kernel]\nfn k(mut out: View<f32>) { out[0] = 1.0; }\nfn run() { gpu::launch_traced(k, 1, 1, &mut a); }\n";
        let traced = hash(cell, "k");
        let listing = format!("ctx::k {} 7\n", traced.strip_suffix(TRACED).unwrap());
        assert_eq!(Functions::read(cell, &listing).notebook, format!("item k {traced} 2 first 7\nplain run\n"));
        // Another function of the name begins where it stands.
        assert_eq!(Functions::read(cell, "ctx::k 0 7\n").notebook, format!("item k {traced} 2\nplain run\n"));
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
