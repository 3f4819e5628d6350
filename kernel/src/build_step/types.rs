//! The compiler's word on the types of variables that rust-analyzer cannot tell.
//!
//! evcxr asks rust-analyzer for the types of new variables. What that cannot infer, the compiler can: when evcxr has given
//! up, its code for the analysis stands in the cell crate, checked and without error. There, `let () = name;` makes the
//! compiler say in its error which type `name` has. The cell is then run with that type written into it.

use super::compile::{Cell, lead_group};
use super::rewrite::with_display;
use crate::installation::Installation;
use anyhow::{Context, Result};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Tells the build step which variable's type is asked for.
const ASKED: &str = "WARPCELL_TYPE_OF";
/// What stands before a type in the compiler's error.
const HAS_TYPE: &str = "this expression has type `";

/// The type of a variable in the code that was checked last, as code; `None` if it has none that can be written.
pub fn type_of(name: &str, context: &Path) -> Option<String> {
    // Our own binary, which has the cell's crates at hand, and can be interrupted.
    let output = Command::new("cargo").arg("check").current_dir(context).env(ASKED, name).output().ok()?;
    said(&String::from_utf8_lossy(&output.stderr), name).filter(|type_name| can_be_written(type_name))
}

/// Which variable's type this check is to say.
pub fn asked() -> Option<String> {
    std::env::var(ASKED).ok()
}

/// Makes the compiler say the type of a variable, in its error.
pub fn say(cell: &Cell<'_>, installation: &Installation, context: &Path, name: &str) -> Result<i32> {
    let path = context.join("src").join("lib.rs");
    let source = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let asking = context.join("build").join("types.rs");
    std::fs::create_dir_all(context.join("build"))?;
    let source = with_question(&source, name).context("this is not evcxr's code for the analysis")?;
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

/// evcxr's code for the analysis, with the question at the end of its function.
fn with_question(source: &str, name: &str) -> Option<String> {
    let function = source.rfind("async fn evcxr_analysis_wrapper(")?;
    let end = source.rfind("Ok(())").filter(|end| *end > function)?;
    Some(format!("{}{}\n{}", &source[..end], question(name), &source[end..]))
}

fn question(name: &str) -> String {
    format!("let () = {name};")
}

/// The type that the compiler's messages (JSON, one a line) say.
fn said(messages: &str, name: &str) -> Option<String> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.filter(|message| message["code"]["code"] == "E0308").find_map(|message| {
        message["spans"].as_array()?.iter().find_map(|span| {
            let is_ours = span["text"][0]["text"].as_str()?.trim() == question(name);
            let type_name = span["label"].as_str()?.strip_prefix(HAS_TYPE)?.strip_suffix('`')?;
            is_ours.then(|| type_name.to_owned())
        })
    })
}

/// Whether this is a type as code has it: without closures, `impl Trait` and parts that the compiler left open.
fn can_be_written(type_name: &str) -> bool {
    let parsed = SourceFile::parse(&format!("const _: {type_name} = x;"), Edition::Edition2024);
    let has_no_name =
        |kind| matches!(kind, SyntaxKind::INFER_TYPE | SyntaxKind::IMPL_TRAIT_TYPE | SyntaxKind::NEVER_TYPE);
    parsed.errors().is_empty() && !parsed.syntax_node().descendants().any(|node| has_no_name(node.kind()))
}

/// A cell in which a variable has its type said; `None` if the cell has no `let` of it.
pub fn with_type(code: &str, name: &str, type_name: &str) -> Option<String> {
    // Commands and shell lines are not Rust.
    let is_rust = |line: &&str| !line.starts_with(':') && !line.starts_with('!');
    let masked: String =
        code.split_inclusive('\n').map(|line| if is_rust(&line) { line.to_owned() } else { blank(line) }).collect();
    let head = "fn cell() {";
    let file = SourceFile::parse(&format!("{head}{masked}\n}}"), Edition::Edition2024).tree();
    let ast::Item::Fn(function) = file.items().next()? else { return None };
    let body = function.body()?;
    let statements = body.statements().filter_map(|statement| match statement {
        ast::Stmt::LetStmt(statement) => Some(statement),
        _ => None,
    });
    let mut result = code.to_owned();
    let binds = statements.filter_map(|statement| {
        let names = statement.pat()?.syntax().descendants().filter_map(ast::IdentPat::cast);
        let bound = names.filter(|bound| bound.name().is_some_and(|bound| bound.text() == name)).last()?;
        Some((statement, bound.mut_token().is_some()))
    });
    // The last one is what later cells get.
    let (statement, is_mutable) = binds.last()?;
    let end = usize::from(statement.syntax().text_range().end()).checked_sub(head.len())?;
    let mutable = if is_mutable { "mut " } else { "" };
    result.insert_str(end, &format!(" let {mutable}{name}: {type_name} = {name};"));
    Some(result)
}

/// As many bytes, and the same end of the line.
fn blank(line: &str) -> String {
    line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_written_behind_the_last_let_of_the_name() {
        let typed = |code: &str| with_type(code, "x", "a::T<u8>");
        assert_eq!(typed("let x = f(); x").unwrap(), "let x = f(); let x: a::T<u8> = x; x");
        assert_eq!(
            typed(":dep a = \"1\"\nlet (y, mut x) = f(); // ü").unwrap(),
            ":dep a = \"1\"\nlet (y, mut x) = f(); let mut x: a::T<u8> = x; // ü"
        );
        assert_eq!(typed("let x = 1; let x = f(x);").unwrap(), "let x = 1; let x = f(x); let x: a::T<u8> = x;");
        assert_eq!(
            typed("let Some(x) = f() else {\n return };\n1").unwrap(),
            "let Some(x) = f() else {\n return }; let x: a::T<u8> = x;\n1"
        );
        assert_eq!(typed("{ let x = 1; } let y = 2;"), None);
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
    fn the_question_is_the_last_statement_and_its_answer_is_found() {
        let source = "fn f() { Ok(()) }\nasync fn evcxr_analysis_wrapper() -> R {\nlet x = f();\nOk(())\n}\n";
        let asking = with_question(source, "x").unwrap();
        assert!(asking.ends_with("let x = f();\nlet () = x;\nOk(())\n}\n") && asking.starts_with("fn f() { Ok(()) }"));
        assert_eq!(with_question("fn run_user_code_1() { Ok(()) }", "x"), None);
        let message = serde_json::json!({ "code": { "code": "E0308" }, "spans": [
            { "label": "expected `a::B<u8>`, found `()`", "text": [{ "text": "let () = x;" }] },
            { "label": "this expression has type `a::B<u8>`", "text": [{ "text": "let () = x;" }] },
        ] });
        assert_eq!(said(&format!("no message\n{message}\n"), "x").as_deref(), Some("a::B<u8>"));
        assert_eq!(said(&message.to_string(), "y"), None);
    }
}
