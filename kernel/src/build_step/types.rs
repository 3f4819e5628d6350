//! The compiler's word on the types of variables that rust-analyzer cannot tell.
//!
//! evcxr asks rust-analyzer for the types of new variables. What that cannot infer, the compiler can: when evcxr has given
//! up, its code for the analysis stands in the cell crate, checked and without error. There, `let () = name;` makes the
//! compiler say in its error which type `name` has. The cell is then run with that type written into it.
//!
//! Without the standard library's sources rust-analyzer may also tell a wrong type: it takes an integer for `i32` if it cannot
//! see the function that wants another one. The cell then does not compile. [`with_no_types`] makes it give up, and the
//! compiler is asked about all variables.

use super::compile::{Cell, lead_group};
use super::rewrite::with_display;
use crate::installation::Installation;
use anyhow::{Context, Result};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Tells the build step which variables' types are asked for: names with commas between them.
const ASKED: &str = "WARPCELL_TYPES_OF";
/// What stands before a type in the compiler's error.
const HAS_TYPE: &str = "this expression has type `";
/// A function that changes nothing, and that rust-analyzer does not know without the standard library's sources.
const IDENTITY: &str = "::core::convert::identity";

/// Types as code, by the names of variables.
pub type Types = BTreeMap<String, String>;

/// The types of a cell's variables in the code that was checked last, as far as they can be written.
pub fn types_of(code: &str, context: &Path) -> Types {
    let names: Vec<String> = bound(code).into_iter().map(|bound| bound.name).collect();
    // Our own binary, which has the cell's crates at hand, and can be interrupted.
    let output = Command::new("cargo").arg("check").current_dir(context).env(ASKED, names.join(",")).output();
    let Ok(output) = output else { return Types::new() };
    said(&String::from_utf8_lossy(&output.stderr), &names)
}

/// Which variables' types this check is to say.
pub fn asked() -> Option<Vec<String>> {
    Some(std::env::var(ASKED).ok()?.split(',').map(str::to_owned).collect())
}

/// Makes the compiler say the types of variables, in its errors.
pub fn say(cell: &Cell<'_>, installation: &Installation, context: &Path, names: &[String]) -> Result<i32> {
    let path = context.join("src").join("lib.rs");
    let source = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let asking = context.join("build").join("types.rs");
    std::fs::create_dir_all(context.join("build"))?;
    let source = with_questions(&source, names).context("this is not evcxr's code for the analysis")?;
    std::fs::write(&asking, with_display(&source))?;
    std::fs::create_dir_all(context.join("target"))?;
    lead_group(cell.session())?;
    // Whole paths, and nothing left out of long types.
    let output = cell
        .checker(&asking)
        .args(["-Ztrim-diagnostic-paths=no", "--diagnostic-width=1000000"])
        .output()
        .with_context(|| format!("{} cannot be run", installation.real_tool("rustc").display()))?;
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Ok(output.status.code().unwrap_or(1))
}

/// evcxr's code for the analysis, with the questions at the end of its function.
fn with_questions(source: &str, names: &[String]) -> Option<String> {
    let function = source.rfind("async fn evcxr_analysis_wrapper(")?;
    let end = source.rfind("Ok(())").filter(|end| *end > function)?;
    let questions: String = names.iter().map(|name| question(name) + "\n").collect();
    Some(format!("{}{questions}{}", &source[..end], &source[end..]))
}

fn question(name: &str) -> String {
    format!("let () = {name};")
}

/// The types that the compiler's messages (JSON, one a line) say.
fn said(messages: &str, names: &[String]) -> Types {
    let mut types = Types::new();
    let mut others = false;
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
        let answer = spans.iter().find_map(|span| {
            let text = span["text"][0]["text"].as_str()?.trim();
            let name = names.iter().find(|name| question(name) == text)?;
            let type_name = span["label"].as_str()?.strip_prefix(HAS_TYPE)?.strip_suffix('`')?;
            Some((name.clone(), type_name.to_owned()))
        });
        others |= answer.is_none() && message["level"] == "error" && !spans.is_empty();
        types.extend(answer.filter(|(_, type_name)| can_be_written(type_name)));
    }
    if !others && !types.is_empty() {
        // Where the question is no error, it is right.
        let unasked = |name: &&String| !messages.contains(&question(name));
        let units: Vec<String> = names.iter().filter(unasked).cloned().collect();
        types.extend(units.into_iter().map(|name| (name, "()".to_owned())));
    }
    types
}

/// Whether this is a type as code has it: without closures, `impl Trait` and parts that the compiler left open.
fn can_be_written(type_name: &str) -> bool {
    let parsed = SourceFile::parse(&format!("const _: {type_name} = x;"), Edition::Edition2024);
    let has_no_name =
        |kind| matches!(kind, SyntaxKind::INFER_TYPE | SyntaxKind::IMPL_TRAIT_TYPE | SyntaxKind::NEVER_TYPE);
    parsed.errors().is_empty() && !parsed.syntax_node().descendants().any(|node| has_no_name(node.kind()))
}

/// A variable of a cell, by the last `let` that binds it: that is what later cells get.
struct Bound {
    name: String,
    is_mutable: bool,
    /// Where the statement ends.
    end: usize,
}

/// The variables that a cell's statements bind.
fn bound(code: &str) -> Vec<Bound> {
    // Commands and shell lines are not Rust.
    let is_rust = |line: &&str| !line.starts_with(':') && !line.starts_with('!');
    let masked: String =
        code.split_inclusive('\n').map(|line| if is_rust(&line) { line.to_owned() } else { blank(line) }).collect();
    let head = "fn cell() {";
    let file = SourceFile::parse(&format!("{head}{masked}\n}}"), Edition::Edition2024).tree();
    let Some(ast::Item::Fn(function)) = file.items().next() else { return Vec::new() };
    let Some(body) = function.body() else { return Vec::new() };
    let mut found: Vec<Bound> = Vec::new();
    for statement in body.statements() {
        let ast::Stmt::LetStmt(statement) = statement else { continue };
        let Some(end) = usize::from(statement.syntax().text_range().end()).checked_sub(head.len()) else { continue };
        let patterns = statement.pat().into_iter().flat_map(|pattern| {
            pattern.syntax().descendants().filter_map(ast::IdentPat::cast).collect::<Vec<_>>()
        });
        for pattern in patterns {
            // What begins with a capital is a constant or a variant, as `None`.
            let name = pattern.name().map(|name| name.text().to_string());
            let Some(name) = name.filter(|name| !name.starts_with(char::is_uppercase)) else { continue };
            found.retain(|bound| bound.name != name);
            found.push(Bound { name, is_mutable: pattern.mut_token().is_some(), end });
        }
    }
    found
}

/// A cell in which variables have their types said, behind the `let`s.
pub fn with_types(code: &str, types: &Types) -> String {
    with_lets(code, |name| Some((format!(": {}", types.get(name)?), name.to_owned())))
}

/// A cell of whose variables rust-analyzer can tell no type without the standard library's sources; `None` if it binds none.
pub fn with_no_types(code: &str) -> Option<String> {
    let result = with_lets(code, |name| Some((String::new(), format!("{IDENTITY}({name})"))));
    (result != code).then_some(result)
}

/// A cell with one more `let` for each variable, behind the last one; its type and value are given by the name.
fn with_lets(code: &str, anew: impl Fn(&str) -> Option<(String, String)>) -> String {
    let mut result = code.to_owned();
    // From the back, so that places stay right.
    for Bound { name, is_mutable, end } in bound(code).into_iter().rev() {
        if let Some((type_name, value)) = anew(&name) {
            let mutable = if is_mutable { "mut " } else { "" };
            result.insert_str(end, &format!(" let {mutable}{name}{type_name} = {value};"));
        }
    }
    result
}

/// As many bytes, and the same end of the line.
fn blank(line: &str) -> String {
    line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(pairs: &[(&str, &str)]) -> Types {
        pairs.iter().map(|(name, type_name)| ((*name).to_owned(), (*type_name).to_owned())).collect()
    }

    #[test]
    fn a_type_is_written_behind_the_last_let_of_the_name() {
        let typed = |code: &str| with_types(code, &types(&[("x", "a::T<u8>")]));
        assert_eq!(typed("let x = f(); x"), "let x = f(); let x: a::T<u8> = x; x");
        assert_eq!(
            typed(":dep a = \"1\"\nlet (y, mut x) = f(); // ü"),
            ":dep a = \"1\"\nlet (y, mut x) = f(); let mut x: a::T<u8> = x; // ü"
        );
        assert_eq!(typed("let x = 1; let x = f(x);"), "let x = 1; let x = f(x); let x: a::T<u8> = x;");
        assert_eq!(
            typed("let Some(x) = f() else {\n return };\n1"),
            "let Some(x) = f() else {\n return }; let x: a::T<u8> = x;\n1"
        );
        assert_eq!(typed("{ let x = 1; } let y = 2;"), "{ let x = 1; } let y = 2;");
    }

    #[test]
    fn several_types_are_written_each_behind_its_let() {
        let types = types(&[("a", "A"), ("b", "B"), ("c", "C")]);
        assert_eq!(
            with_types("let (a, b) = f();\nlet mut c = g(a);", &types),
            "let (a, b) = f(); let a: A = a; let b: B = b;\nlet mut c = g(a); let mut c: C = c;"
        );
    }

    #[test]
    fn no_type_is_left_to_rust_analyzer() {
        assert_eq!(
            with_no_types("let mut n = 0;\nlet None = o else { return };").unwrap(),
            "let mut n = 0; let mut n = ::core::convert::identity(n);\nlet None = o else { return };"
        );
        assert_eq!(with_no_types("f(1); { let x = 1; }"), None);
    }

    #[test]
    fn types_without_a_name_are_told_apart() {
        for type_name in
            ["i32", "a::B<f64, c::D>", "&[u8]", "[f32; 4]", "(u8, Box<dyn Fn(i32) -> i32>)", "<a as b::C>::D"]
        {
            assert!(can_be_written(type_name), "{type_name}");
        }
        for type_name in
            ["_", "Vec<_>", "!", "impl Iterator<Item = u8>", "{closure@src/lib.rs:1:2}", "Map<.., {integer}>"]
        {
            assert!(!can_be_written(type_name), "{type_name}");
        }
    }

    #[test]
    fn the_questions_are_the_last_statements_and_their_answers_are_found() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let source = "fn f() { Ok(()) }\nasync fn evcxr_analysis_wrapper() -> R {\nlet x = f();\nOk(())\n}\n";
        let asking = with_questions(source, &names(&["x", "y"])).unwrap();
        assert!(asking.ends_with("let x = f();\nlet () = x;\nlet () = y;\nOk(())\n}\n"), "{asking}");
        assert!(asking.starts_with("fn f() { Ok(()) }"));
        assert_eq!(with_questions("fn run_user_code_1() { Ok(()) }", &names(&["x"])), None);
        let answer = |name: &str, type_name: &str| {
            let text = question(name);
            serde_json::json!({ "level": "error", "code": { "code": "E0308" }, "spans": [
                { "label": format!("expected `{type_name}`, found `()`"), "text": [{ "text": text }] },
                { "label": format!("this expression has type `{type_name}`"), "text": [{ "text": text }] },
            ] })
        };
        let messages = format!("no message\n{}\n{}\n", answer("x", "a::B<u8>"), answer("y", "{closure@src/lib.rs:1:2}"));
        assert_eq!(said(&messages, &names(&["x", "y"])), types(&[("x", "a::B<u8>")]));
        // What is `()` is no error.
        assert_eq!(said(&messages, &names(&["x", "y", "z"])), types(&[("x", "a::B<u8>"), ("z", "()")]));
        let other = serde_json::json!({ "level": "error", "spans": [{ "label": null, "text": [{ "text": "f(" }] }] });
        assert_eq!(said(&format!("{messages}{other}\n"), &names(&["x", "z"])), types(&[("x", "a::B<u8>")]));
    }
}
