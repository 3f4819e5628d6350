//! Asks the compiler for the types of variables that rust-analyzer does not know.
//!
//! evcxr asks rust-analyzer for the types of new variables. The compiler can infer more types. When evcxr gives up, the
//! cell crate contains its code for the analysis, checked and without errors. A line `let () = name;` in this code
//! causes a compiler error that says the type of `name`. The cell is then run with this type written into it.
//!
//! Without the sources of the standard library rust-analyzer knows few types, and some of its answers are wrong: it
//! takes an integer for `i32` if it cannot see the function that needs another type. So it is made to give up at once
//! ([`with_no_types`]). evcxr then has the cell checked, and this check asks for the types of all variables
//! ([`check`]).

use super::borrows;
use super::cell::CellCrate;
use super::compiler_message::CompilerMessage;
use super::diagnostics::Diagnostics;
use super::messages::{BuildAnswer, Types};
use super::names::{Binding, bindings, stable};
use super::rewrite::with_display;
use crate::files;
use crate::syntax::{blank, parse, range_of, statements};
use anyhow::{Context, Result};
use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{Parse, SourceFile, SyntaxKind, SyntaxNode};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Tells the build step which types of variables are needed: names with commas between them.
const ASKED: &str = "WARPCELL_TYPES_OF";
/// Whole paths, and nothing left out of long types.
const WHOLE_TYPES: [&str; 2] = ["-Ztrim-diagnostic-paths=no", "--diagnostic-width=1000000"];
/// The text before a type in the compiler's error.
const HAS_TYPE: &str = "this expression has type `";
/// A function that changes nothing, and that rust-analyzer does not know without the standard library's sources.
const IDENTITY: &str = "::core::convert::identity";

/// The prelude's name for `!`.
const NEVER: &str = "::warpcell::cell::Never";

/// The function in evcxr's code for the analysis, and the text behind its arguments, which are the stored variables.
const ANALYSIS: &str = "async fn evcxr_analysis_wrapper(";
const END_OF_ARGUMENTS: &str = ") -> Result<(), EvcxrUserCodeError> {";
/// The value of the function. The other two texts mean the same even if the cell defines `Result` or `Ok`.
const VALUE: &str = "Ok(())";
const OWN_END_OF_ARGUMENTS: &str = ") -> ::core::result::Result<(), EvcxrUserCodeError> {";
const OWN_VALUE: &str = "::core::result::Result::Ok(())";

/// The types of a cell's variables in the code that was checked last, if they can be written.
pub fn types_of(code: &str, session: &Path) -> Types {
    let known = || BuildAnswer::change(session, |answer| answer.types.take()).ok().flatten();
    // A check of the cell may have found them already.
    known().unwrap_or_else(|| {
        let names: Vec<String> = bound(code).into_iter().map(|bound| bound.name).collect();
        // Our own binary, which has the cell's crates at hand, and can be interrupted.
        let mut check = Command::new("cargo");
        check.arg("check").current_dir(session.join("context")).env(ASKED, names.join(","));
        let _ = check.output();
        known().unwrap_or_default()
    })
}

/// The variables whose types this check must find.
pub fn asked() -> Option<Vec<String>> {
    Some(std::env::var(ASKED).ok()?.split(',').map(str::to_owned).collect())
}

/// Asks the compiler for the types of some variables, and records them for the kernel.
pub fn say(cell: &CellCrate<'_>, source: &str, asking: &Path, names: &[String]) -> Result<i32> {
    let asked = ask(cell, &for_analysis(source), asking, names)?;
    let (_, types) = asked.context("this is not evcxr's code for the analysis")?;
    BuildAnswer::change(cell.session(), |answer| answer.types = Some(types))?;
    Ok(0)
}

/// The compiler's messages about evcxr's code for the analysis, and the types of variables. `None` if it is other code.
/// The compiled file is `asking`.
fn ask(
    cell: &CellCrate<'_>,
    source: &str,
    asking: &Path,
    names: &[String],
) -> Result<Option<(Vec<CompilerMessage>, Types)>> {
    let Some(text) = with_questions(source, names) else { return Ok(None) };
    let compile = |text: &str| -> Result<Vec<CompilerMessage>> {
        let (messages, _) = borrows::checked(cell, &with_display(text), asking, &WHOLE_TYPES)?;
        Ok(CompilerMessage::all(&messages).collect())
    };
    let mut messages = compile(&text)?;
    // The compiler leaves parts of some types open in this phase, such as the `!` of `catch_unwind(|| panic!())`. So
    // they are asked for by an error that is found in a later phase.
    let is_open =
        |(name, type_name): (String, String)| (type_name.contains('_') && !is_type(&type_name)).then_some(name);
    let open: Vec<String> = messages.iter().filter_map(|message| answer(message, names)).filter_map(is_open).collect();
    if !open.is_empty() {
        let more = compile(&with_moves(source, &open))?;
        messages.extend(more.into_iter().filter(|message| answer(message, &open).is_some()));
    }
    let types = said(&messages, names);
    Ok(Some((messages, types)))
}

/// Checks evcxr's code for the analysis, and writes the types of all its variables for the kernel. Returns the errors. `None` if it is
/// other code.
pub fn check(cell: &CellCrate<'_>, source: &str, asking: &Path) -> Result<Option<String>> {
    let names = stored(source);
    if names.is_empty() {
        return Ok(None);
    }
    let Some((messages, types)) = ask(cell, source, asking, &names)? else { return Ok(None) };
    let line_of = |text: &str| source.lines().position(|line| line.contains(text));
    let signature =
        line_of(ANALYSIS).map_or(0..0, |start| start..line_of(OWN_END_OF_ARGUMENTS).map_or(start, |end| end + 1));
    let is_error = |message: &&CompilerMessage| {
        // The cell itself may end with `return;`. It may also lose a variable whose type was redefined.
        let is_of_analysis =
            message.code() == "E0069" || message.line().is_some_and(|index| signature.contains(&index));
        message.is_error() && !message.is_count() && !is_of_analysis && answer(message, &names).is_none()
    };
    let errors: String = messages.iter().filter(is_error).map(|message| format!("{}\n", message.json())).collect();
    BuildAnswer::change(cell.session(), |answer| {
        answer.types = Some(types);
        answer.diagnostics = Some(Diagnostics::new(source.to_owned(), errors.clone()));
    })?;
    Ok(Some(errors))
}

/// The variables that evcxr's code for the analysis stores. Each has its own statement.
fn stored(source: &str) -> Vec<String> {
    source.lines().filter_map(stored_by).map(str::to_owned).collect()
}

/// The variable that a line of evcxr's code for the analysis stores.
fn stored_by(line: &str) -> Option<&str> {
    line.trim().strip_prefix("evcxr_variable_store(")?.strip_suffix(");")
}

/// evcxr's code for the analysis, changed for the check.
pub fn for_analysis(source: &str) -> Cow<'_, str> {
    let source = with_static_references(source);
    let Some(function) = source.rfind(ANALYSIS) else { return source };
    let (items, function) = source.split_at(function);
    let Some((code, end)) = function.rsplit_once(VALUE) else { return source };
    let code = code.replacen(END_OF_ARGUMENTS, OWN_END_OF_ARGUMENTS, 1);
    Cow::Owned(format!("{items}{code}{OWN_VALUE}{end}"))
}

/// evcxr's code for the analysis, in which stored references are `'static`. It passes stored variables as arguments,
/// whose references would live only as long as the call.
fn with_static_references(source: &str) -> Cow<'_, str> {
    let arguments = source.rfind(ANALYSIS).map(|at| at + ANALYSIS.len()).and_then(|start| {
        let length = source[start..].find(END_OF_ARGUMENTS)?;
        Some(start..start + length)
    });
    let Some(arguments) = arguments.filter(|arguments| source[arguments.clone()].contains('&')) else {
        return Cow::Borrowed(source);
    };
    let before = "fn f(";
    let parsed = parse(&format!("{before}{}) {{}}", &source[arguments.clone()])).syntax_node();
    let mut result = source.to_owned();
    let references = parsed.descendants().filter_map(ast::RefType::cast);
    // References in a function's own arguments live as long as each call.
    let is_of_function = |kind| matches!(kind, SyntaxKind::FN_PTR_TYPE | SyntaxKind::PARENTHESIZED_ARG_LIST);
    let mut places: Vec<usize> = references
        .filter(|reference| reference.lifetime().is_none())
        .filter(|reference| !reference.syntax().ancestors().any(|node| is_of_function(node.kind())))
        .map(|reference| arguments.start + range_of(reference.syntax()).start - before.len() + 1)
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

/// evcxr's code for the analysis, in which variables are moved twice and not stored.
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

/// The types that the compiler's messages say.
fn said(messages: &[CompilerMessage], names: &[String]) -> Types {
    let answers = messages.iter().map(|message| answer(message, names));
    let is_other = |message: &&CompilerMessage| {
        message.is_error() && !message.spans().is_empty() && answer(message, names).is_none()
    };
    // What nothing has fixed is what Rust takes it for.
    let fixed = |said: String| said.replace("{integer}", "i32").replace("{float}", "f64");
    let mut types: Types =
        answers.flatten().map(|(name, said)| (name, fixed(said))).filter(|(_, type_name)| is_type(type_name)).collect();
    if !types.is_empty() && !messages.iter().any(|message| is_other(&message)) {
        // If the question causes no error, the type is `()`.
        let is_asked = |name: &str| messages.iter().any(|message| message.json().to_string().contains(&question(name)));
        let units = names.iter().filter(|name| !is_asked(name));
        types.extend(units.map(|name| (name.clone(), "()".to_owned())));
    }
    types
}

/// The name and the type that a message of the compiler's says, if it is the answer to a question.
fn answer(message: &CompilerMessage, names: &[String]) -> Option<(String, String)> {
    message.spans().iter().find_map(|span| {
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
    parse(&format!("{TYPED}{type_name} = x;"))
}

/// A type in which `!` is replaced by a name, except as the result of a function. Stable code may not write it
/// elsewhere.
fn with_never_named(type_name: &str) -> String {
    let mut result = type_name.to_owned();
    if !type_name.contains('!') {
        return result;
    }
    let parsed = parsed(type_name).syntax_node();
    let is_returned = |node: &SyntaxNode| node.parent().is_some_and(|parent| ast::RetType::can_cast(parent.kind()));
    let nevers = parsed.descendants().filter(|node| ast::NeverType::can_cast(node.kind()) && !is_returned(node));
    let mut places: Vec<usize> = nevers.map(|node| range_of(&node).start - TYPED.len()).collect();
    places.reverse();
    places.into_iter().for_each(|place| result.replace_range(place..=place, NEVER));
    result
}

/// Whether this is a type as code has it: without closures, `impl Trait` and parts that the compiler left open.
pub fn is_type(type_name: &str) -> bool {
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
    /// The end of the statement.
    end: usize,
}

/// The variables that a cell's statements bind.
fn bound(code: &str) -> Vec<Bound> {
    // Commands and shell lines are not Rust.
    let is_rust = |line: &&str| !line.starts_with(':') && !line.starts_with('!');
    let masked: String =
        code.split_inclusive('\n').map(|line| if is_rust(&line) { line.to_owned() } else { blank(line) }).collect();
    // Code behind an error may be anything. The compiler reports errors in the user's own text.
    if !parse(&format!("fn cell() {{{masked}\n}}")).errors().is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Bound> = Vec::new();
    for (start, node) in statements(&masked) {
        let said = ast::LetStmt::cast(node.clone()).filter(|said| matches!(said.pat(), Some(ast::Pat::IdentPat(_))));
        let has_type = said
            .and_then(|said| said.ty())
            .is_some_and(|said| said.syntax().descendants().all(|node| node.kind() != SyntaxKind::INFER_TYPE));
        let end = start + usize::from(node.text_range().len());
        for binding in bindings(&node).into_iter().filter(|binding| !binding.may_be_constant()) {
            let Binding { name, is_mutable, .. } = binding;
            found.retain(|bound| bound.name != name);
            found.push(Bound { name, is_mutable, has_type, end });
        }
    }
    found
}

/// Whether a cell is code that binds no variables, so that nobody need know any type.
pub fn binds_nothing(code: &str) -> bool {
    parse(&format!("fn cell() {{{code}\n}}")).errors().is_empty()
        && statements(code).iter().all(|(_, node)| !ast::LetStmt::can_cast(node.kind()))
}

/// The variables of a cell whose types it does not write.
pub fn without_types(code: &str) -> Vec<String> {
    bound(code).into_iter().filter(|bound| !bound.has_type).map(|bound| bound.name).collect()
}

/// What stands around a type that is known from an earlier run. It is for evcxr; the compiler gets the cell without it, as in that run.
const REMEMBERED: [&str; 2] = [" /*warpcell: a known type*/", "/*warpcell: its end*/"];

/// A cell with types of an earlier run.
pub fn with_remembered_types(code: &str, types: &Types) -> String {
    let [before, after] = REMEMBERED;
    with_lets(code, |name, mutable| {
        let known = types.get(name)?;
        Some(format!("{before}let {mutable}{name}: {known} = {name};{after}"))
    })
}

/// The source without them.
pub fn without_remembered_types(source: &str) -> Cow<'_, str> {
    let [before, after] = REMEMBERED;
    if !source.contains(before) {
        return Cow::Borrowed(source);
    }
    let mut result = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((kept, following)) = rest.split_once(before)
        && let Some((_, behind)) = following.split_once(after)
    {
        result.push_str(kept);
        rest = behind;
    }
    result.push_str(rest);
    Cow::Owned(result)
}

/// A cell with the types of variables written behind the `let`s.
pub fn with_types(code: &str, types: &Types) -> String {
    with_lets(code, |name, mutable| Some(format!(" let {mutable}{name}: {} = {name};", types.get(name)?)))
}

/// The cell, changed so that rust-analyzer finds no type without the standard library's sources, except where the cell
/// writes one.
pub fn with_no_types(code: &str) -> String {
    with_unknown(code, IDENTITY)
}

/// The cell with its variables passed through a function, so that rust-analyzer does not know their types.
fn with_unknown(code: &str, identity: &str) -> String {
    let open: BTreeSet<String> = without_types(code).into_iter().collect();
    with_lets(code, |name, mutable| open.contains(name).then(|| format!(" let {mutable}{name} = {identity}({name});")))
}

/// The same for a rust-analyzer that knows the standard library: it does not read files that a cell includes.
pub fn with_hidden_types(code: &str, session: &Path) -> Result<String> {
    let file = session.join("identity.rs");
    files::write(&file, IDENTITY)?;
    Ok(with_unknown(code, &format!("include!({:?})", file.display().to_string())))
}

/// A cell with one more `let` for each variable, behind the last one. `anew` returns it for a name, and `mut ` or nothing.
fn with_lets(code: &str, anew: impl Fn(&str, &str) -> Option<String>) -> String {
    let mut result = code.to_owned();
    // From the back, so that places stay right.
    for Bound { name, is_mutable, end, .. } in bound(code).into_iter().rev() {
        if let Some(statement) = anew(&name, if is_mutable { "mut " } else { "" }) {
            result.insert_str(end, &statement);
        }
    }
    result
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
    fn the_compiler_gets_a_cell_with_remembered_types_as_it_was() {
        let cell = "let (a, mut b) = f(); // first\nlet c: u8 = 1; a + 1";
        let known = with_remembered_types(cell, &types(&[("a", "Vec<u8>"), ("b", "[u8; 2]")]));
        assert!(known.contains("*/let a: Vec<u8> = a;/*") && known.contains("*/let mut b: [u8; 2] = b;/*"), "{known}");
        assert_eq!(without_types(cell), ["a", "b"]);
        assert_eq!(without_remembered_types(&known), cell);
        assert_eq!(without_remembered_types(cell), cell);
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
    fn cells_that_bind_nothing_are_told_apart() {
        for code in
            ["1 + 1", "fn f() { let x = 1; }\nf()", "{ let x = 1; x }", "use a::b; // let", "if let Some(x) = o {}"]
        {
            assert!(binds_nothing(code), "{code}");
        }
        for code in ["let x = 1;", "1;\nlet (a, b) = f(); a", "let Some(x) = o else { return };", "let x", "f(", "}"] {
            assert!(!binds_nothing(code), "{code}");
        }
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
            assert!(is_type(type_name), "{type_name}");
        }
        for type_name in ["_", "Vec<_>", "impl Iterator<Item = u8>", "{closure@src/lib.rs:1:2}", "Map<.., {integer}>"] {
            assert!(!is_type(type_name), "{type_name}");
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
            assert!(is_type(written), "{written}");
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
        let said = |text: &str, names: &[String]| said(&CompilerMessage::all(text).collect::<Vec<_>>(), names);
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
        // A variable of type `()` causes no error.
        assert_eq!(said(&messages, &names(&["x", "y", "z"])), types(&[("x", "a::B<u8>"), ("z", "()")]));
        let other = serde_json::json!({ "level": "error", "spans": [{ "label": null, "text": [{ "text": "f(" }] }] });
        assert_eq!(said(&format!("{messages}{other}\n"), &names(&["x", "z"])), types(&[("x", "a::B<u8>")]));
    }
}
