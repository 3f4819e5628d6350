//! The compiler's word on the types of variables that rust-analyzer cannot tell.
//!
//! evcxr asks rust-analyzer for the types of new variables. What that cannot infer, the compiler can: when evcxr has given
//! up, its code for the analysis stands in the cell crate, checked and without error. There, `let () = name;` makes the
//! compiler say in its error which type `name` has. The cell is then run with that type written into it.
//!
//! Without the standard library's sources rust-analyzer knows few types, and may tell wrong ones: it takes an integer for `i32` if
//! it cannot see the function that wants another one. So it is made to give up at once ([`with_no_types`]); evcxr then has the cell
//! checked, and that check asks for the types of all variables ([`check`]).

use super::cell::Cell;
use super::diagnostics::{Diagnostics, first_line};
use super::messages::{Answer, Types};
use super::names::stable;
use super::rewrite::with_display;
use super::tools::lead_group;
use anyhow::{Context, Result};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, Parse, SourceFile, SyntaxKind, SyntaxNode};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Tells the build step which variables' types are asked for: names with commas between them.
const ASKED: &str = "WARPCELL_TYPES_OF";
/// Whole paths, and nothing left out of long types.
const WHOLE_TYPES: [&str; 2] = ["-Ztrim-diagnostic-paths=no", "--diagnostic-width=1000000"];
/// What stands before a type in the compiler's error.
const HAS_TYPE: &str = "this expression has type `";
/// A function that changes nothing, and that rust-analyzer does not know without the standard library's sources.
const IDENTITY: &str = "::core::convert::identity";

/// The prelude's name for `!`.
const NEVER: &str = "::warpcell::cell::Never";

/// The function in evcxr's code for the analysis, and what follows its arguments, the stored variables.
const ANALYSIS: &str = "async fn evcxr_analysis_wrapper(";
const END_OF_ARGUMENTS: &str = ") -> Result<(), EvcxrUserCodeError> {";
/// The function's value, and both as they are whatever the cell calls `Result` and `Ok`.
const VALUE: &str = "Ok(())";
const OWN_END_OF_ARGUMENTS: &str = ") -> ::core::result::Result<(), EvcxrUserCodeError> {";
const OWN_VALUE: &str = "::core::result::Result::Ok(())";

/// The types of a cell's variables in the code that was checked last, as far as they can be written.
pub fn types_of(code: &str, session: &Path) -> Types {
    // It is of one cell.
    if let Ok(Some(known)) = Answer::change(session, |answer| answer.types.take()) {
        return known;
    }
    let context = &session.join("context");
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
pub fn say(cell: &Cell<'_>, context: &Path, names: &[String]) -> Result<i32> {
    let path = context.join("src").join("lib.rs");
    let whole = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let asking = context.join("build").join("types.rs");
    std::fs::create_dir_all(context.join("build"))?;
    let source = with_questions(&for_analysis(&whole), names).context("this is not evcxr's code for the analysis")?;
    std::fs::create_dir_all(context.join("target"))?;
    lead_group(cell.session())?;
    let (status, messages) = ask(cell, &asking, &source)?;
    eprint!("{messages}{}", said_behind_moves(cell, &for_analysis(&whole), &asking, &messages, names)?);
    Ok(status.code().unwrap_or(1))
}

/// What the compiler says of `source`, one message a line. It is compiled in the file `asking`.
fn ask(cell: &Cell<'_>, asking: &Path, source: &str) -> Result<(ExitStatus, String)> {
    std::fs::write(asking, with_display(source))?;
    let output = cell.checker(asking).args(WHOLE_TYPES).output().with_context(|| cell.cannot_run())?;
    Ok((output.status, String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// What the compiler says of variables whose types it had left open in parts: a type that nothing has fixed, as the `!` of
/// `catch_unwind(|| panic!())`, is settled only behind the analysis of types. So it is asked by a fault that is found after that.
fn said_behind_moves(cell: &Cell<'_>, source: &str, asking: &Path, messages: &str, names: &[String]) -> Result<String> {
    let answers = messages.lines().filter_map(|line| answer(&serde_json::from_str(line).ok()?, names));
    let open: Vec<String> = answers
        .filter(|(_, type_name)| type_name.contains('_') && !can_be_written(type_name))
        .map(|(name, _)| name)
        .collect();
    if open.is_empty() {
        return Ok(String::new());
    }
    let (_, messages) = ask(cell, asking, &with_moves(source, &open))?;
    let is_answer = |line: &&str| serde_json::from_str(line).is_ok_and(|message| answer(&message, &open).is_some());
    Ok(messages.lines().filter(is_answer).flat_map(|line| [line, "\n"]).collect())
}

/// Checks evcxr's code for the analysis, and leaves the types of all its variables for the kernel. `None` if it is other code.
pub fn check(cell: &Cell<'_>, source: &str, asking: &Path) -> Result<Option<i32>> {
    let names = stored(source);
    let Some(text) = with_questions(source, &names).filter(|_| !names.is_empty()) else { return Ok(None) };
    let (_, messages) = ask(cell, asking, &text)?;
    let line_of = |text: &str| source.lines().position(|line| line.contains(text));
    let signature =
        line_of(ANALYSIS).map_or(0..0, |start| start..line_of(OWN_END_OF_ARGUMENTS).map_or(start, |end| end + 1));
    let mut errors = String::new();
    for line in messages.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let is_error = message["level"] == "error";
        // The last one counts the others.
        let is_count = is_error && message["spans"].as_array().is_some_and(Vec::is_empty) && message["code"].is_null();
        // The cell itself may end by `return;`, and give up a variable whose type has been redefined.
        let is_of_analysis =
            message["code"]["code"] == "E0069" || first_line(&message).is_some_and(|index| signature.contains(&index));
        if is_count || is_of_analysis || answer(&message, &names).is_some() {
            continue;
        }
        if is_error {
            errors.push_str(line);
            errors.push('\n');
        }
    }
    eprint!("{errors}");
    let status = i32::from(!errors.is_empty());
    let behind = said_behind_moves(cell, source, asking, &messages, &names)?;
    let types = said(&format!("{messages}{behind}"), &names);
    Answer::change(cell.session(), |answer| {
        answer.types = Some(types);
        answer.diagnostics = Some(Diagnostics::new(source.to_owned(), errors));
    })?;
    Ok(Some(status))
}

/// The variables that evcxr's code for the analysis stores, each in a statement of its own.
fn stored(source: &str) -> Vec<String> {
    source.lines().filter_map(stored_by).map(str::to_owned).collect()
}

/// The variable that a line of evcxr's code for the analysis stores.
fn stored_by(line: &str) -> Option<&str> {
    line.trim().strip_prefix("evcxr_variable_store(")?.strip_suffix(");")
}

/// evcxr's code for the analysis as it is to be checked.
pub fn for_analysis(source: &str) -> Cow<'_, str> {
    let source = with_static_references(source);
    let Some(function) = source.rfind(ANALYSIS) else { return source };
    let (items, function) = source.split_at(function);
    let Some((code, end)) = function.rsplit_once(VALUE) else { return source };
    let code = code.replacen(END_OF_ARGUMENTS, OWN_END_OF_ARGUMENTS, 1);
    Cow::Owned(format!("{items}{code}{OWN_VALUE}{end}"))
}

/// evcxr's code for the analysis, in which references that are stored live for ever: it passes stored variables as arguments, and
/// those of an argument's type would live as long as the call.
fn with_static_references(source: &str) -> Cow<'_, str> {
    let arguments = source.rfind(ANALYSIS).map(|at| at + ANALYSIS.len()).and_then(|start| {
        let length = source[start..].find(END_OF_ARGUMENTS)?;
        Some(start..start + length)
    });
    let Some(arguments) = arguments.filter(|arguments| source[arguments.clone()].contains('&')) else {
        return Cow::Borrowed(source);
    };
    let before = "fn f(";
    let parsed = SourceFile::parse(&format!("{before}{}) {{}}", &source[arguments.clone()]), Edition::Edition2024);
    let mut result = source.to_owned();
    let references = parsed.syntax_node().descendants().filter_map(ast::RefType::cast);
    // Those of a function's own arguments are as long as each call.
    let is_of_function = |kind| matches!(kind, SyntaxKind::FN_PTR_TYPE | SyntaxKind::PARENTHESIZED_ARG_LIST);
    let mut places: Vec<usize> = references
        .filter(|reference| reference.lifetime().is_none())
        .filter(|reference| !reference.syntax().ancestors().any(|node| is_of_function(node.kind())))
        .map(|reference| arguments.start + usize::from(reference.syntax().text_range().start()) - before.len() + 1)
        .collect();
    places.sort_unstable();
    places.into_iter().rev().for_each(|place| result.insert_str(place, "'static "));
    Cow::Owned(result)
}

/// evcxr's code for the analysis, with the questions at the end of its function.
fn with_questions(source: &str, names: &[String]) -> Option<String> {
    let function = source.rfind(ANALYSIS)?;
    let end = source.rfind(OWN_VALUE).filter(|end| *end > function)?;
    let questions: String = names.iter().map(|name| question(name) + "\n").collect();
    Some(format!("{}{questions}{}", &source[..end], &source[end..]))
}

fn question(name: &str) -> String {
    format!("let () = {name};")
}

/// evcxr's code for the analysis, in which variables are moved away twice and not stored.
fn with_moves(source: &str, names: &[String]) -> String {
    let moved = |line: &str| {
        let name = names.iter().find(|name| Some(name.as_str()) == stored_by(line));
        name.map_or_else(|| line.to_owned(), |name| moved_twice(name)) + "\n"
    };
    source.lines().map(moved).collect()
}

/// Moves a variable away twice, whatever its type.
fn moved_twice(name: &str) -> String {
    format!("let {name} = ({name}, ::std::string::String::new()); drop({name}); drop({name});")
}

/// The types that the compiler's messages (JSON, one a line) say.
fn said(messages: &str, names: &[String]) -> Types {
    let mut types = Types::new();
    let mut others = false;
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let answer = answer(&message, names);
        let has_place = message["spans"].as_array().is_some_and(|spans| !spans.is_empty());
        others |= answer.is_none() && message["level"] == "error" && has_place;
        // What nothing has fixed is what Rust takes it for.
        let answer = answer.map(|(name, said)| (name, said.replace("{integer}", "i32").replace("{float}", "f64")));
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

/// The name and the type that a message of the compiler's says, if it is the answer to a question.
fn answer(message: &Value, names: &[String]) -> Option<(String, String)> {
    message["spans"].as_array()?.iter().find_map(|span| {
        let text = span["text"][0]["text"].as_str()?.trim();
        let name = names.iter().find(|name| question(name) == text || moved_twice(name) == text)?;
        let label = span["label"].as_str()?;
        let type_name = match label.strip_prefix(HAS_TYPE) {
            Some(rest) => rest.strip_suffix('`')?,
            None => label.split_once(" has type `(")?.1.rsplit_once(", std::string::String)`")?.0,
        };
        Some((name.clone(), with_never_named(&stable(type_name))))
    })
}

/// The constant whose type is looked at.
const TYPED: &str = "const _: ";

fn parsed(type_name: &str) -> Parse<SourceFile> {
    SourceFile::parse(&format!("{TYPED}{type_name} = x;"), Edition::Edition2024)
}

/// A type in which `!` has a name, where it is not what a function returns: stable code may not write it elsewhere.
fn with_never_named(type_name: &str) -> String {
    let mut result = type_name.to_owned();
    if !type_name.contains('!') {
        return result;
    }
    let parsed = parsed(type_name).syntax_node();
    let is_returned = |node: &SyntaxNode| node.parent().is_some_and(|parent| ast::RetType::can_cast(parent.kind()));
    let nevers = parsed.descendants().filter(|node| ast::NeverType::can_cast(node.kind()) && !is_returned(node));
    let mut places: Vec<usize> = nevers.map(|node| usize::from(node.text_range().start()) - TYPED.len()).collect();
    places.reverse();
    places.into_iter().for_each(|place| result.replace_range(place..=place, NEVER));
    result
}

/// Whether this is a type as code has it: without closures, `impl Trait` and parts that the compiler left open.
fn can_be_written(type_name: &str) -> bool {
    let parsed = parsed(type_name);
    let has_no_name = |kind| matches!(kind, SyntaxKind::INFER_TYPE | SyntaxKind::IMPL_TRAIT_TYPE);
    parsed.errors().is_empty() && !parsed.syntax_node().descendants().any(|node| has_no_name(node.kind()))
}

/// A variable of a cell, by the last `let` that binds it: that is what later cells get.
struct Bound {
    name: String,
    is_mutable: bool,
    /// Whether its `let` says its whole type.
    has_type: bool,
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
    let parsed = SourceFile::parse(&format!("{head}{masked}\n}}"), Edition::Edition2024);
    // What follows an error may be anything; the compiler is to say what is wrong with the user's own text.
    let Some(file) = parsed.ok().ok() else { return Vec::new() };
    let Some(ast::Item::Fn(function)) = file.items().next() else { return Vec::new() };
    let Some(body) = function.body() else { return Vec::new() };
    let mut found: Vec<Bound> = Vec::new();
    for statement in body.statements() {
        let ast::Stmt::LetStmt(statement) = statement else { continue };
        let said = statement
            .ty()
            .is_some_and(|said| said.syntax().descendants().all(|node| node.kind() != SyntaxKind::INFER_TYPE));
        let has_type = said && matches!(statement.pat(), Some(ast::Pat::IdentPat(_)));
        let Some(end) = usize::from(statement.syntax().text_range().end()).checked_sub(head.len()) else { continue };
        let patterns = statement
            .pat()
            .into_iter()
            .flat_map(|pattern| pattern.syntax().descendants().filter_map(ast::IdentPat::cast).collect::<Vec<_>>());
        for pattern in patterns {
            // What begins with a capital is a constant or a variant, as `None`.
            let name = pattern.name().map(|name| name.text().to_string());
            let Some(name) = name.filter(|name| !name.starts_with(char::is_uppercase)) else { continue };
            found.retain(|bound| bound.name != name);
            found.push(Bound { name, is_mutable: pattern.mut_token().is_some(), has_type, end });
        }
    }
    found
}

/// A cell in which variables have their types said, behind the `let`s.
pub fn with_types(code: &str, types: &Types) -> String {
    with_lets(code, |name| Some((format!(": {}", types.get(name)?), name.to_owned())))
}

/// A cell of whose variables rust-analyzer can tell no type without the standard library's sources, but for those that say it.
pub fn with_no_types(code: &str) -> String {
    with_unknown(code, IDENTITY)
}

/// The cell with its variables passed through a function, so that rust-analyzer does not know their types.
fn with_unknown(code: &str, identity: &str) -> String {
    let open: BTreeSet<String> =
        bound(code).into_iter().filter(|bound| !bound.has_type).map(|bound| bound.name).collect();
    with_lets(code, |name| open.contains(name).then(|| (String::new(), format!("{identity}({name})"))))
}

/// The same for a rust-analyzer that knows the standard library: it does not read files that a cell includes.
pub fn with_hidden_types(code: &str, session: &Path) -> Result<String> {
    let file = session.join("identity.rs");
    std::fs::write(&file, IDENTITY).with_context(|| format!("{} cannot be written", file.display()))?;
    Ok(with_unknown(code, &format!("include!({:?})", file.display().to_string())))
}

/// A cell with one more `let` for each variable, behind the last one; its type and value are given by the name.
fn with_lets(code: &str, anew: impl Fn(&str) -> Option<(String, String)>) -> String {
    let mut result = code.to_owned();
    // From the back, so that places stay right.
    for Bound { name, is_mutable, end, .. } in bound(code).into_iter().rev() {
        if let Some((type_name, value)) = anew(&name) {
            let mutable = if is_mutable { "mut " } else { "" };
            result.insert_str(end, &format!(" let {mutable}{name}{type_name} = {value};"));
        }
    }
    result
}

/// As many bytes, and the same end of the line.
pub fn blank(line: &str) -> String {
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
            with_no_types("let mut n = 0;\nlet None = o else { return };"),
            "let mut n = 0; let mut n = ::core::convert::identity(n);\nlet None = o else { return };"
        );
        for same in ["f(1); { let x = 1; }", "let x: Vec<u8> = f();", "let x = 1"] {
            assert_eq!(with_no_types(same), same);
        }
        assert!(with_no_types("let x: Vec<_> = f();").contains("identity(x)"));
        assert!(with_no_types("let (x, y): (u8, u8) = f();").contains("identity(y)"));
    }

    #[test]
    fn stored_references_live_for_ever() {
        let source = |arguments: &str| {
            format!(
                "fn g(x: &str) {{}}\nasync fn evcxr_analysis_wrapper(\n{arguments}\n) -> Result<(), EvcxrUserCodeError> {{\n"
            )
        };
        let changed = |arguments: &str| with_static_references(&source(arguments)).into_owned();
        assert_eq!(
            changed("s: &str,\nmut t: (&[&u8], &'static str),"),
            source("s: &'static str,\nmut t: (&'static [&'static u8], &'static str),")
        );
        for same in ["f: Box<dyn Fn(&str) -> usize>,", "f: fn(&u8) -> &u8,", "x: i32,"] {
            assert_eq!(changed(same), source(same));
        }
    }

    #[test]
    fn what_is_stored_is_asked_for() {
        assert_eq!(
            stored(
                "let x = 1;\nevcxr_variable_store(x);\n evcxr_variable_store(y);\nfn evcxr_variable_store<T>(_: T) {}"
            ),
            ["x", "y"]
        );
    }

    #[test]
    fn types_without_a_name_are_told_apart() {
        for type_name in
            ["i32", "a::B<f64, c::D>", "&[u8]", "[f32; 4]", "(u8, Box<dyn Fn(i32) -> i32>)", "<a as b::C>::D"]
        {
            assert!(can_be_written(type_name), "{type_name}");
        }
        for type_name in ["_", "Vec<_>", "impl Iterator<Item = u8>", "{closure@src/lib.rs:1:2}", "Map<.., {integer}>"] {
            assert!(!can_be_written(type_name), "{type_name}");
        }
    }

    #[test]
    fn never_has_a_name_where_it_is_not_returned() {
        for (type_name, written) in [
            ("a::R<!, Box<dyn b::Any>>", "a::R<NEVER, Box<dyn b::Any>>"),
            ("!", "NEVER"),
            ("(!, fn(!) -> !, [!; 2])", "(NEVER, fn(NEVER) -> !, [NEVER; 2])"),
            ("Box<dyn Fn() -> !>", "Box<dyn Fn() -> !>"),
        ] {
            assert_eq!(with_never_named(type_name), written.replace("NEVER", NEVER));
            assert!(can_be_written(written), "{written}");
        }
    }

    #[test]
    fn the_questions_are_the_last_statements_and_their_answers_are_found() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let source = format!("fn f() {{ Ok(()) }}\n{ANALYSIS}\n{END_OF_ARGUMENTS}\nlet x = f();\nOk(())\n}}\n");
        let asking = with_questions(&for_analysis(&source), &names(&["x", "y"])).unwrap();
        let end = format!("{OWN_END_OF_ARGUMENTS}\nlet x = f();\nlet () = x;\nlet () = y;\n{OWN_VALUE}\n}}\n");
        assert!(asking.ends_with(&end), "{asking}");
        assert!(asking.starts_with("fn f() { Ok(()) }"));
        assert_eq!(with_questions("fn run_user_code_1() { Ok(()) }", &names(&["x"])), None);
        let answer = |name: &str, type_name: &str| {
            let text = question(name);
            serde_json::json!({ "level": "error", "code": { "code": "E0308" }, "spans": [
                { "label": format!("expected `{type_name}`, found `()`"), "text": [{ "text": text }] },
                { "label": format!("this expression has type `{type_name}`"), "text": [{ "text": text }] },
            ] })
        };
        let messages =
            format!("no message\n{}\n{}\n", answer("x", "a::B<u8>"), answer("y", "{closure@src/lib.rs:1:2}"));
        assert_eq!(said(&messages, &names(&["x", "y"])), types(&[("x", "a::B<u8>")]));
        let open = answer("x", "(Vec<{integer}>, {float})").to_string();
        assert_eq!(said(&open, &names(&["x"])), types(&[("x", "(Vec<i32>, f64)")]));
        // What is `()` is no error.
        assert_eq!(said(&messages, &names(&["x", "y", "z"])), types(&[("x", "a::B<u8>"), ("z", "()")]));
        let other = serde_json::json!({ "level": "error", "spans": [{ "label": null, "text": [{ "text": "f(" }] }] });
        assert_eq!(said(&format!("{messages}{other}\n"), &names(&["x", "z"])), types(&[("x", "a::B<u8>")]));
    }
}
