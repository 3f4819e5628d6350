//! Leaves out what a session has defined and a cell does not name.
//!
//! Each cell is a crate with all items of its session, and the compiler looks at all of them. A type with `derive(Debug)` costs 10 ms: the
//! compiler reads every implementation of `Debug` in all crates. So functions and types that a cell does not name, and the
//! implementations of these types, are replaced by spaces.
//!
//! Only items that have compiled are left out, and only while none has changed since. Messages may name other items, as those with
//! similar names; so [`concerns_all`] says after which errors the whole cell has to be compiled.

use super::names::items_before_runtime;
use super::stored_variables::CHECK_OTHERS;
use crate::syntax::{blank, list_has, name_of, parse, plain, words};
use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasModuleItem};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Attributes of items that may be left out. Other ones may have an effect of their own.
const HARMLESS: &str = "allow cold deny deprecated derive doc expect inline must_use warn";
/// What may be derived by them.
const DERIVED: &str = "Clone Copy Debug Default Eq Hash Ord PartialEq PartialOrd";
/// Errors in the code of a function, whose messages name nothing but what the code names: of borrows and moves, of types that do not
/// match, of calls, of methods (the traits are there), of casts.
const OF_CODE: &str = "E0381 E0382 E0384 E0499 E0502 E0503 E0505 E0506 E0507 E0515 E0594 E0596 E0597 E0712 E0713 E0716 E0621 E0373 \
                       E0061 E0282 E0308 E0599 E0600 E0604 E0605 E0606 E0607 E0608 E0614 E0618";

/// The items that compiled last in a session.
pub struct KnownItems {
    file: PathBuf,
    now: u64,
    /// Whether all of them have compiled.
    pub have_compiled: bool,
}

impl KnownItems {
    /// The items of a source. `crates` is what the compiler is told of other crates.
    pub fn of(session: &Path, source: &str, crates: &[String]) -> KnownItems {
        let mut hasher = DefaultHasher::new();
        (items_before_runtime(source), crates).hash(&mut hasher);
        let (file, now) = (session.join("items"), hasher.finish());
        let have_compiled = std::fs::read(&file).is_ok_and(|known| known == now.to_le_bytes());
        KnownItems { file, now, have_compiled }
    }

    /// Notes that they have.
    pub fn keep(&self) -> std::io::Result<()> {
        if self.have_compiled { Ok(()) } else { std::fs::write(&self.file, self.now.to_le_bytes()) }
    }
}

/// An item that may be left out.
struct Candidate {
    /// Its name; that of the type for an implementation.
    name: String,
    place: Range<usize>,
}

impl Candidate {
    fn leave_out(&self, source: &mut String) {
        let blank = blank(&source[self.place.clone()]);
        source.replace_range(self.place.clone(), &blank);
    }
}

/// A source without the items that it does not name. `None` if it names them all. Lines and columns stay.
pub fn without(source: &str) -> Option<String> {
    let candidates = candidates(items_before_runtime(source));
    if candidates.is_empty() {
        return None;
    }
    let mut rest = source.to_owned();
    candidates.iter().for_each(|candidate| candidate.leave_out(&mut rest));
    // Names in text count too: `println!("{SIZE}")`. What is said of other variables does not.
    let is_of_others = |line: &str| line.starts_with("// ") || line.starts_with(CHECK_OTHERS);
    let mut named: HashSet<&str> = rest.lines().filter(|line| !is_of_others(line)).flat_map(words).map(plain).collect();
    let mut left: Vec<&Candidate> = candidates.iter().collect();
    loop {
        let (needed, others): (Vec<&Candidate>, Vec<&Candidate>) =
            left.iter().partition(|candidate| named.contains(&*candidate.name));
        if others.is_empty() {
            return None;
        }
        if needed.is_empty() {
            let mut text = source.to_owned();
            others.iter().for_each(|candidate| candidate.leave_out(&mut text));
            return Some(text);
        }
        named.extend(needed.iter().flat_map(|candidate| words(&source[candidate.place.clone()]).map(plain)));
        left = others;
    }
}

/// The functions and types of the notebook, with the implementations of these types.
fn candidates(items: &str) -> Vec<Candidate> {
    let file = parse(items).tree();
    let name = |item: &ast::Item| match item {
        ast::Item::Fn(item) if has_no_effect(item) && item.abi().is_none() => name_of(item),
        ast::Item::Struct(item) if has_no_effect(item) => name_of(item),
        ast::Item::Enum(item) if has_no_effect(item) => name_of(item),
        ast::Item::Union(item) if has_no_effect(item) => name_of(item),
        _ => None,
    };
    let types: HashSet<String> =
        file.items().filter(|item| !matches!(item, ast::Item::Fn(_))).filter_map(|item| name(&item)).collect();
    let of = |item: &ast::Item| match item {
        ast::Item::Impl(block) if has_no_effect(block) => of_type(block).filter(|name| types.contains(name)),
        item => name(item),
    };
    let candidate = |item: ast::Item| Some(Candidate { name: of(&item)?, place: item.syntax().text_range().into() });
    file.items().filter_map(candidate).collect()
}

/// The name of the type that a block implements, if it is one of the notebook by its form.
fn of_type(block: &ast::Impl) -> Option<String> {
    let Some(ast::Type::PathType(implemented)) = block.self_ty() else { return None };
    let path = implemented.path()?;
    let name = path.segment()?.name_ref()?;
    path.qualifier().is_none().then(|| plain(name.text()).to_owned())
}

/// Whether an item does nothing where it is not named.
fn has_no_effect(item: &impl HasAttrs) -> bool {
    item.attrs().all(|attribute| {
        let Some(name) = attribute.simple_name() else { return false };
        let text = attribute.syntax().text().to_string();
        list_has(HARMLESS, &name) && (name != "derive" || words(&text).skip(1).all(|word| list_has(DERIVED, word)))
    })
}

/// Whether messages of the compiler (JSON, one on each line) may concern items that were left out.
pub fn concerns_all(messages: &str) -> bool {
    let codes = || messages.split(r#""code":{"code":""#).skip(1).filter_map(|rest| rest.split('"').next());
    !codes().any(|code| list_has(OF_CODE, code))
        || codes().any(|code| code.starts_with('E') && !list_has(OF_CODE, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNTIME: &str = "\nmod evcxr_internal_runtime { pub use ::warpcell::cell::*; }\n";

    /// What is left of items beside a cell's code.
    fn left(items: &str, code: &str) -> String {
        let source = format!("{items}{RUNTIME}{code}");
        let text = without(&source).unwrap_or_else(|| source.clone());
        assert_eq!(text.len(), source.len());
        assert_eq!(text.lines().count(), source.lines().count());
        let kept = items_before_runtime(&text).lines().map(str::trim).filter(|line| !line.is_empty());
        kept.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_cell_does_not_name_is_left_out() {
        let items = "#[derive(Debug, Clone)]\nstruct P { x: f64 }\nimpl P { fn é(&self) {} }\nimpl Drop for P { fn drop(&mut self) {} }\n\
                     fn area(p: P) -> f64 { p.x }\n/// Doc.\nfn other() {}\nenum E { A }";
        assert_eq!(left(items, "1 + 1"), "");
        assert_eq!(left(items, "E::A"), "enum E { A }");
        // What is named names more.
        let of_p = "#[derive(Debug, Clone)] struct P { x: f64 } impl P { fn é(&self) {} } impl Drop for P { fn drop(&mut self) {} }";
        assert_eq!(left(items, "area"), format!("{of_p} fn area(p: P) -> f64 {{ p.x }}"));
        assert_eq!(left(items, "// not named in this cell: x::<P>()\n1"), "");
        assert_eq!(left("fn a() {}\nstruct A;", r#"println!("{A:?}")"#), "struct A;");
        assert_eq!(left("fn r#type() {}", "r#type()"), "fn r#type() {}");
    }

    #[test]
    fn what_has_an_effect_stays() {
        for item in [
            "#[kernel]\nfn k() {}",
            "#[derive(serde::Serialize)]\nstruct S;",
            "#[unsafe(no_mangle)]\nfn f() {}",
            "extern \"C\" fn f() {}",
            "use std::fmt::Debug;",
            "const N: usize = 3;",
            "static S: u8 = 1;",
            "trait T { fn f(&self); }",
            "impl T for f64 { fn f(&self) {} }",
            "impl<X: Copy> T for Vec<X> {}",
            "mod m { pub fn f() {} }",
            "macro_rules! m { () => {} }",
            "type A = f64;",
            "m!{}",
        ] {
            assert_eq!(left(item, "1"), item.replace('\n', " "), "{item}");
        }
        // The implementation for a type of others names the type.
        let items = "struct P;\nimpl From<P> for f64 { fn from(_: P) -> f64 { 1.0 } }";
        assert_eq!(left(items, "1"), items.replace('\n', " "));
    }

    #[test]
    fn items_are_known_when_they_have_compiled() {
        let session = tempfile::tempdir().unwrap();
        let known = |items: &str, crates: &str| {
            KnownItems::of(session.path(), &format!("{items}{RUNTIME}1"), &[crates.to_owned()])
        };
        assert!(!known("fn f() {}", "").have_compiled);
        known("fn f() {}", "").keep().unwrap();
        assert!(known("fn f() {}", "").have_compiled);
        assert!(!known("fn f() { }", "").have_compiled && !known("fn f() {}", "rand").have_compiled);
    }

    #[test]
    fn some_errors_concern_the_code_alone() {
        let message = |code: &str| format!(r#"{{"code":{{"code":"{code}","explanation":null}},"level":"error"}}"#);
        assert!(!concerns_all(&message("E0382")));
        assert!(concerns_all(&message("E0425")));
        assert!(concerns_all(&format!("{}\n{}", message("E0382"), message("E0277"))));
        assert!(concerns_all(r#"{"code":null,"level":"error"}"#));
        assert!(!concerns_all(&format!("{}\n{}", message("E0382"), message("unused_mut"))));
    }
}
