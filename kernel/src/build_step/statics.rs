//! Statics of the notebook. Each exists once, as in a program. evcxr writes every item into every cell, so each cell
//! would have its own copy.
//!
//! The cell that defines a static exports it under a unique name. In later cells its definition becomes a declaration
//! of this symbol, which the dynamic linker finds. A definition is recorded when the cell process has loaded the cell
//! ([`loaded`]), and forgotten when the process ends. If the text of a static or the definition of its type has
//! changed, it is a new static.

use super::definitions::Definitions;
use super::names::end_of_items;
use crate::environment::cell_text;
use crate::files;
use crate::hashing::hash;
use crate::syntax::{parse, range_of};
use anyhow::Result;
use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName, HasVisibility};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Prefix of the linker's names of statics.
pub const SYMBOL: &str = "warpcell_static_";

/// The statics of the cell process: hashes and symbols, by the place of the definition.
type KnownStatics = BTreeMap<String, Static>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Static {
    hash: String,
    symbol: String,
}

fn known_file(session: &Path) -> PathBuf {
    session.join("statics.json")
}

/// What will be known when the library that was compiled last has been loaded.
fn next_file(session: &Path) -> PathBuf {
    session.join("statics-next.json")
}

/// A source whose statics exist once.
pub struct Statics<'a> {
    /// The source.
    pub source: Cow<'a, str>,
    /// Those that will be known when the cell has been loaded, if it defines some.
    next: Option<KnownStatics>,
}

impl<'a> Statics<'a> {
    /// Changes the statics in a source that evcxr wrote of the cell that runs, and of items of earlier ones.
    pub fn prepare(source: &'a str, session: &Path, crates: &[(String, String)]) -> Statics<'a> {
        if !source.contains("static ") {
            return Statics { source: Cow::Borrowed(source), next: None };
        }
        let known = std::fs::read_to_string(known_file(session)).unwrap_or_default();
        let cell = std::fs::read_to_string(cell_text(session)).unwrap_or_default();
        Statics::read(source, &serde_json::from_str(&known).unwrap_or_default(), &cell, crates)
    }

    fn read(source: &'a str, known: &KnownStatics, cell: &str, crates: &[(String, String)]) -> Statics<'a> {
        let end = end_of_items(source).unwrap_or(source.len());
        let items = &source[..end];
        let function = source[end..].split("fn run_user_code_").nth(1).unwrap_or_default();
        let number: String = function.chars().take_while(char::is_ascii_digit).collect();
        let file = parse(items).tree();
        let mut definitions = None;
        let mut next = known.clone();
        let mut result = String::with_capacity(source.len() + 256);
        let mut copied = 0;
        let mut defines = false;
        for (index, item) in file.items().enumerate() {
            let is_of_cell = cell.contains(item.syntax().text().to_string().trim());
            for found in item.syntax().descendants().filter_map(ast::Static::cast) {
                let (Some(name), Some(of), Some(_)) = (found.name(), found.ty(), found.body()) else { continue };
                let text = found.syntax().text().to_string();
                let type_name = of.syntax().text().to_string();
                let definitions = definitions.get_or_insert_with(|| Definitions::read(items, crates));
                let hash = hash(&(&text, definitions.hash(&type_name)));
                let place = place_of(&found);
                let range = range_of(found.syntax());
                result.push_str(&source[copied..range.start]);
                match known.get(&place).filter(|known| !is_of_cell && known.hash == hash) {
                    Some(Static { symbol, .. }) => {
                        let visibility =
                            found.visibility().map(|visibility| format!("{visibility} ")).unwrap_or_default();
                        let kind = if found.mut_token().is_some() { "static mut" } else { "safe static" };
                        let lines = "\n".repeat(text.matches('\n').count());
                        let type_name = with_static_lifetimes(&of).replace('\n', " ");
                        result.push_str(&format!(
                            "unsafe extern \"Rust\" {{ #[link_name = \"{symbol}\"] {visibility}{kind} {name}: {type_name}; }}{lines}"
                        ));
                    }
                    None => {
                        let symbol = format!("{SYMBOL}{number}_{index}_{}", range.start);
                        let attribute = format!("#[unsafe(export_name = \"{symbol}\")]");
                        // On the line before it, so that columns stay, unless that is a comment.
                        let before = result.trim_end_matches([' ', '\t']);
                        let line =
                            before.strip_suffix('\n').map(|before| before.rsplit('\n').next().unwrap_or_default());
                        match line {
                            // The crate's attributes are compiled from another file (`compile_ahead.rs`).
                            Some(line) if !line.contains("//") && !line.starts_with("#!") => {
                                let at = before.len() - 1;
                                result.insert_str(at, &format!(" {attribute}"));
                            }
                            _ => result.push_str(&format!("{attribute} ")),
                        }
                        result.push_str(&text);
                        next.insert(place, Static { hash, symbol });
                        defines = true;
                    }
                }
                copied = range.end;
            }
        }
        result.push_str(&source[copied..]);
        Statics { source: Cow::Owned(result), next: defines.then_some(next) }
    }

    /// Whether the cell has statics of its own. Then it must be loaded.
    pub fn defines(&self) -> bool {
        self.next.is_some()
    }

    /// Records what is known after the library has been loaded.
    pub fn write(&self, session: &Path) -> Result<()> {
        let file = next_file(session);
        match &self.next {
            Some(next) => files::write(&file, serde_json::to_string(next)?),
            None => {
                let _ = std::fs::remove_file(file);
                Ok(())
            }
        }
    }
}

/// The place of the definition of a static: the names of the surrounding items, and its own.
fn place_of(found: &ast::Static) -> String {
    let headers = found.syntax().ancestors().filter_map(|node| {
        let text = node.text().to_string();
        let header = text.split(['{', '=']).next().unwrap_or_default().trim().to_owned();
        ast::Item::can_cast(node.kind()).then_some(header)
    });
    headers.collect::<Vec<_>>().join(" in ")
}

/// Whether the library that was compiled last defines statics, which later libraries must find.
pub fn are_defined(session: &Path) -> bool {
    next_file(session).exists()
}

/// Notes that this library has been loaded.
pub fn loaded(session: &Path) {
    let _ = std::fs::rename(next_file(session), known_file(session));
}

/// Forgets the statics of an earlier cell process.
pub fn forget(session: &Path) {
    let _ = std::fs::remove_file(known_file(session));
}

/// A type as the declaration of a static of another library has it: there references may not leave out `'static`, as they may where the
/// static is defined. References in the signature of a function have lifetimes of their own.
fn with_static_lifetimes(of: &ast::Type) -> String {
    const SIGNATURES: [SyntaxKind; 4] =
        [SyntaxKind::FN_PTR_TYPE, SyntaxKind::PARENTHESIZED_ARG_LIST, SyntaxKind::PARAM_LIST, SyntaxKind::RET_TYPE];
    let whole = range_of(of.syntax());
    let mut text = of.syntax().text().to_string();
    let references = of.syntax().descendants().filter_map(ast::RefType::cast);
    let is_of_signature = |reference: &ast::RefType| {
        let above = reference.syntax().ancestors();
        above.take_while(|node| whole.contains(&range_of(node).start)).any(|node| SIGNATURES.contains(&node.kind()))
    };
    let places: Vec<usize> = references
        .filter(|reference| reference.lifetime().is_none() && !is_of_signature(reference))
        .map(|reference| range_of(reference.syntax()).start + 1 - whole.start)
        .collect();
    places.iter().rev().for_each(|&place| text.insert_str(place, "'static "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: &str = "static COUNTER: AtomicUsize = AtomicUsize::new(0);";

    fn source(items: &str, number: usize) -> String {
        format!(
            "use warpcell as gpu;\n{items}\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_{number}(\nbody\n}}\n"
        )
    }

    /// The source of a cell, and what is known after it.
    fn prepared(items: &str, number: usize, known: &KnownStatics, cell: &str) -> (String, KnownStatics) {
        let source = source(items, number);
        let statics = Statics::read(&source, known, cell, &[]);
        assert_eq!(statics.source.lines().count(), source.lines().count());
        (statics.source.clone().into_owned(), statics.next.clone().unwrap_or_else(|| known.clone()))
    }

    #[test]
    fn references_without_lifetimes_are_static_in_declarations() {
        for (written, declared) in [
            ("&str", "&'static str"),
            ("[&str; 2]", "[&'static str; 2]"),
            ("LazyLock<HashMap<&str, &mut [&u8]>>", "LazyLock<HashMap<&'static str, &'static mut [&'static u8]>>"),
            ("&'static str", "&'static str"),
            ("fn(&str) -> &str", "fn(&str) -> &str"),
            ("(&str, fn(&u8))", "(&'static str, fn(&u8))"),
            ("&dyn Fn(&str) -> &str", "&'static dyn Fn(&str) -> &str"),
            ("Mutex<Vec<Box<dyn Fn(&[f64]) -> f64 + Send>>>", "Mutex<Vec<Box<dyn Fn(&[f64]) -> f64 + Send>>>"),
        ] {
            let (_, known) = prepared(&format!("static S: {written} = V;"), 1, &KnownStatics::new(), "static S");
            let (later, _) = prepared(&format!("static S: {written} = V;"), 2, &known, "S");
            assert!(later.contains(&format!("safe static S: {declared}; }}")), "{written}: {later}");
        }
    }

    #[test]
    fn the_first_cell_defines_and_later_ones_declare() {
        let (first, known) = prepared(COUNTER, 3, &KnownStatics::new(), COUNTER);
        let symbol = &known.values().next().unwrap().symbol;
        assert!(symbol.starts_with("warpcell_static_3_"));
        assert!(
            first.contains(&format!("use warpcell as gpu; #[unsafe(export_name = \"{symbol}\")]\n{COUNTER}\n")),
            "{first}"
        );
        let (later, same) = prepared(COUNTER, 4, &known, "COUNTER.load(Relaxed)");
        let declaration =
            format!("unsafe extern \"Rust\" {{ #[link_name = \"{symbol}\"] safe static COUNTER: AtomicUsize; }}\n");
        assert!(later.contains(&declaration), "{later}");
        assert_eq!(same, known);
        // The cell is run again.
        let (again, renewed) = prepared(COUNTER, 5, &known, COUNTER);
        assert!(again.contains("export_name = \"warpcell_static_5_") && renewed != known);
    }

    #[test]
    fn one_behind_the_crates_attributes_keeps_its_own() {
        let source = format!(
            "#![allow(dead_code)]\n{COUNTER}\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_3(\n}}\n"
        );
        let statics = Statics::read(&source, &KnownStatics::new(), COUNTER, &[]);
        let lines: Vec<&str> = statics.source.lines().collect();
        assert_eq!(lines[0], "#![allow(dead_code)]");
        assert!(lines[1].starts_with("#[unsafe(export_name = ") && lines[1].ends_with(COUNTER), "{}", lines[1]);
    }

    #[test]
    fn those_in_functions_and_mutable_ones_too() {
        let function = "/// Counts.\npub fn next() -> usize {\n    static mut N: usize =\n        0;\n    unsafe { N += 1; N }\n}\nmod m { pub static N: u8 = 1; }";
        let (first, known) = prepared(function, 3, &KnownStatics::new(), function);
        assert_eq!(first.matches("export_name").count(), 2);
        assert_eq!(known.len(), 2);
        let (later, _) = prepared(function, 4, &known, "next()");
        assert!(later.contains("static mut N: usize; }\n\n"), "{later}");
        assert!(later.contains("pub safe static N: u8; }"), "{later}");
    }

    #[test]
    fn another_text_or_another_layout_of_its_type_is_another_static() {
        let of = |size: &str| format!("struct P({size});\nstatic LIST: Mutex<Vec<P>> = Mutex::new(Vec::new());");
        let (_, known) = prepared(&of("u8"), 3, &KnownStatics::new(), &of("u8"));
        assert!(prepared(&of("u8"), 4, &known, "").0.contains("link_name"));
        assert!(!prepared(&of("u16"), 4, &known, "struct P(u16);").0.contains("link_name"));
        let changed = COUNTER.replace("(0)", "(1)");
        let (_, known) = prepared(COUNTER, 3, &KnownStatics::new(), COUNTER);
        assert!(!prepared(&changed, 4, &known, "").0.contains("link_name"));
    }

    #[test]
    fn what_is_no_static_of_the_notebook_is_left_alone() {
        for items in ["fn f(x: &'static str) {}", "unsafe extern \"C\" { static environ: u8; }", "// a static one"] {
            let (same, known) = prepared(items, 3, &KnownStatics::new(), items);
            assert_eq!(same, source(items, 3));
            assert!(known.is_empty());
        }
    }
}
