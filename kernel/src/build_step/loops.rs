//! The check for an interrupt at the head of each loop of the notebook's code, and after each statement that sleeps.
//!
//! It is put behind the opening brace of the loop's body, or the statement, on the same line, so no line moves; the
//! columns that the compiler names behind it are put right afterwards. Functions and formulas that also run on devices have
//! it too: the macros leave it out of what is translated (`prelude/macros/src/text.rs`).

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasLoopBody};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

/// What is put in.
const CHECK: &str = " ::warpcell::cell::check();";

/// What the functions are called that sleep.
const SLEEP: &str = "sleep";

/// Attributes of functions that run over arrays or in many threads, where a loop that is short and fixed becomes vector instructions.
const OVER_ARRAYS: [&str; 3] = ["vectorize", "device", "kernel"];

/// The macro whose argument is a closure.
const FUSE: &str = "fuse";

/// The source with the checks.
pub fn with_checks(source: &str) -> Cow<'_, str> {
    if !["loop", "while", "for", SLEEP].iter().any(|keyword| source.contains(keyword)) {
        return Cow::Borrowed(source);
    }
    let file = SourceFile::parse(source, Edition::Edition2024).tree();
    let mut places: Vec<usize> = file.syntax().descendants().filter_map(|node| place_in(&node)).collect();
    if source.contains(FUSE) {
        places.extend(file.syntax().descendants().filter_map(ast::MacroCall::cast).flat_map(places_in_formula));
    }
    places.sort_unstable();
    let mut result = String::with_capacity(source.len() + places.len() * CHECK.len());
    let mut copied = 0;
    for place in places {
        result.push_str(&source[copied..place]);
        result.push_str(CHECK);
        copied = place;
    }
    result.push_str(&source[copied..]);
    Cow::Owned(result)
}

/// The source without the checks.
pub fn without_checks(source: &str) -> String {
    source.replace(CHECK, "")
}

/// The column, from 1, without the checks before it in its line.
pub fn column_without_checks(line: &str, column: usize) -> usize {
    let checks: Vec<usize> = line.match_indices(CHECK).map(|(at, _)| line[..at].chars().count() + 1).collect();
    let length = CHECK.chars().count();
    checks
        .iter()
        .rev()
        .fold(column, |column, &start| if column > start { start.max(column - length.min(column)) } else { column })
}

/// The compiler's messages about a source, with the columns that it would have without the checks.
pub fn correct_columns(messages: &str, path: &Path, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let path = path.to_string_lossy();
    let corrected = messages.lines().map(|message| match serde_json::from_str(message) {
        Ok(mut value) if message.starts_with('{') => {
            correct(&mut value, &path, &lines);
            value.to_string()
        }
        _ => message.to_owned(),
    });
    corrected.flat_map(|message| [message, "\n".to_owned()]).collect()
}

fn correct(value: &mut Value, path: &str, lines: &[&str]) {
    match value {
        Value::Array(parts) => parts.iter_mut().for_each(|part| correct(part, path, lines)),
        Value::Object(fields) => {
            if fields.get("file_name").is_some_and(|name| name == path) {
                for (line, column) in [("line_start", "column_start"), ("line_end", "column_end")] {
                    let number = |name| usize::try_from(fields.get(name)?.as_u64()?).ok();
                    let (Some(line), Some(at)) = (number(line), number(column)) else { continue };
                    let Some(text) = line.checked_sub(1).and_then(|line| lines.get(line)) else { continue };
                    fields.insert(column.to_owned(), Value::from(column_without_checks(text, at)));
                }
            }
            fields.values_mut().for_each(|part| correct(part, path, lines));
        }
        _ => {}
    }
}

/// Where checks go in the argument of `fuse!`.
fn places_in_formula(call: ast::MacroCall) -> Vec<usize> {
    const BEFORE: &str = "fn f() { let _ = ";
    let is_fuse = call.path().and_then(|path| path.segment()?.name_ref()).is_some_and(|name| name.text() == FUSE);
    let (true, Some(argument)) = (is_fuse, call.token_tree()) else { return Vec::new() };
    // With the brackets around it, which become parentheses.
    let start = usize::from(argument.syntax().text_range().start()) + 1;
    let text = argument.syntax().text().to_string();
    let inside = text.get(1..text.len() - 1).unwrap_or_default();
    let file = SourceFile::parse(&format!("{BEFORE}{inside}; }}"), Edition::Edition2024).tree();
    file.syntax().descendants().filter_map(|node| place_in(&node)).map(|place| place + start - BEFORE.len()).collect()
}

/// Where the check goes, if the node gets one.
fn place_in(node: &SyntaxNode) -> Option<usize> {
    let body = match node.kind() {
        SyntaxKind::EXPR_STMT if sleeps(node) && !node.ancestors().any(|around| runs_elsewhere(&around)) => {
            return Some(usize::from(node.text_range().end()));
        }
        SyntaxKind::LOOP_EXPR => ast::LoopExpr::cast(node.clone())?.loop_body(),
        SyntaxKind::WHILE_EXPR => ast::WhileExpr::cast(node.clone())?.loop_body(),
        SyntaxKind::FOR_EXPR => ast::ForExpr::cast(node.clone())?.loop_body(),
        _ => None,
    }?;
    if node.ancestors().any(|around| runs_elsewhere(&around)) || (is_short(node) && is_over_arrays(node)) {
        return None;
    }
    let brace = body.stmt_list()?.l_curly_token()?;
    // Attributes of the body must come first in it.
    let mut following = std::iter::successors(brace.next_token(), |token| token.next_token());
    let first = following.find(|token| !token.kind().is_trivia())?;
    (first.kind() != SyntaxKind::POUND).then(|| usize::from(brace.text_range().end()))
}

/// Whether a statement is a call of a function that sleeps.
fn sleeps(statement: &SyntaxNode) -> bool {
    let call = statement.first_child().and_then(ast::CallExpr::cast);
    let ends_with = |call: ast::CallExpr| call.expr().map(|path| path.syntax().text().to_string().ends_with(SLEEP));
    // Without the semicolon it is the value of its block.
    call.and_then(ends_with) == Some(true) && statement.text().to_string().ends_with(';')
}

/// Whether code in this node may run at compile time, or where nothing may unwind.
fn runs_elsewhere(node: &SyntaxNode) -> bool {
    match node.kind() {
        SyntaxKind::CONST
        | SyntaxKind::STATIC
        | SyntaxKind::CONST_ARG
        | SyntaxKind::ARRAY_TYPE
        | SyntaxKind::VARIANT => true,
        SyntaxKind::BLOCK_EXPR => ast::BlockExpr::cast(node.clone()).is_some_and(|block| block.const_token().is_some()),
        SyntaxKind::FN => ast::Fn::cast(node.clone()).is_some_and(|function| {
            function.const_token().is_some() || function.abi().is_some_and(|_| !is_entry(&function))
        }),
        _ => false,
    }
}

fn has_attribute(function: &ast::Fn, names: &[&str]) -> bool {
    function.attrs().any(|attribute| {
        let name = attribute.path().and_then(|path| path.segment()?.name_ref());
        name.is_some_and(|name| names.iter().any(|word| name.text() == *word))
    })
}

/// Whether a node is in a function that runs over arrays.
fn is_over_arrays(node: &SyntaxNode) -> bool {
    node.ancestors().filter_map(ast::Fn::cast).any(|function| has_attribute(&function, &OVER_ARRAYS))
}

/// Whether a loop is over a range of numbers that stand there: `for i in 0..16`.
fn is_short(node: &SyntaxNode) -> bool {
    let Some(ast::Expr::RangeExpr(range)) = ast::ForExpr::cast(node.clone()).and_then(|node| node.iterable()) else {
        return false;
    };
    let is_short = |bound: SyntaxNode| {
        let text = bound.text().to_string().replace('_', "");
        bound.kind() == SyntaxKind::LITERAL && text.chars().take_while(char::is_ascii_digit).count() <= 4
    };
    range.syntax().children().count() == 2 && range.syntax().children().all(is_short)
}

/// Whether a function is the one that evcxr calls, in which the cell's statements are.
fn is_entry(function: &ast::Fn) -> bool {
    use ra_ap_syntax::ast::HasName;
    function.name().is_some_and(|name| name.text().starts_with("run_user_code_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loop_gets_a_check_and_no_line_moves() {
        let source = "fn f() {\n    'a: loop {\n        while x() { y() }\n    }\n    for i in 0..3 { }\n}\n";
        let expected = format!(
            "fn f() {{\n    'a: loop {{{CHECK}\n        while x() {{{CHECK} y() }}\n    }}\n    for i in 0..3 {{{CHECK} }}\n}}\n"
        );
        let checked = with_checks(source);
        assert_eq!(checked, expected);
        assert_eq!(without_checks(&checked), source);
    }

    #[test]
    fn a_statement_that_sleeps_is_followed_by_a_check() {
        let source = "fn f() { std::thread::sleep(d); g(); let x = sleep(d); loop { sleep(d) } }";
        let checked = with_checks(source);
        assert_eq!(checked.matches(CHECK).count(), 2, "{checked}");
        assert!(checked.contains(&format!("thread::sleep(d);{CHECK} g();")), "{checked}");
    }

    #[test]
    fn the_statements_of_the_cell_are_checked() {
        let source = "#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_3() { loop {} }";
        assert!(with_checks(source).contains(CHECK));
    }

    #[test]
    fn what_runs_elsewhere_is_left_alone() {
        for source in [
            "const fn f() { loop {} }",
            "const X: u8 = { let mut x = 0; while x < 3 { x += 1; } x };",
            "static X: u8 = { loop { break 1 } };",
            "fn f() -> u8 { const { loop { break 1 } } }",
            "extern \"C\" fn callback() { loop {} }",
            "#[vectorize] fn f(x: f32) -> f32 { for _ in 0..3 {} for _ in 0..=16i32 {} x }",
            "#[gpu::kernel] fn f() { for i in 0..16 {} }",
            "impl X for Y {}",
            "fn f() { loop { #![allow(dead_code)] } }",
            "fn f() { m!(loop {}); \"for x in y {\"; }",
        ] {
            assert_eq!(with_checks(source), source);
        }
    }

    #[test]
    fn functions_over_arrays_and_formulas_are_checked() {
        let source = "#[vectorize] fn f(n: i64) -> i64 { loop {} }\n#[gpu::device] fn g(n: i64) { for i in 0..n {} for i in 0..99999 {} }\n\
                      fn run() { let h = fuse!(|n: i64| { let mut i = 0; while i < n { i += 1; } i }); gpu::fuse![|x: u8| x]; }";
        let checked = with_checks(source);
        assert_eq!(checked.matches(CHECK).count(), 4, "{checked}");
        assert!(checked.contains(&format!("while i < n {{{CHECK} i += 1;")), "{checked}");
        assert_eq!(without_checks(&checked), source);
        assert!(with_checks("#[gpu::kernel] fn f() { loop {} }").contains(CHECK));
    }

    #[test]
    fn columns_behind_a_check_are_put_right() {
        let line = with_checks("fn f() { for i in 0..3 { g(i); } for j in 0..2 { h(j); } }").into_owned();
        let plain = without_checks(&line);
        for (text, count) in [("for i", 1), ("g(i)", 1), ("for j", 1), ("h(j)", 1)] {
            let column = |line: &str| line.find(text).unwrap() + 1;
            assert_eq!(column_without_checks(&line, column(&line)), column(&plain), "{text} {count}");
        }
        // The check's own place is that of the brace before it.
        let inside = line.find("::warpcell").unwrap() + 1;
        assert_eq!(column_without_checks(&line, inside), plain.find("{ g(i)").unwrap() + 2);
    }

    #[test]
    fn messages_of_the_compiler_are_put_right_in_this_file_only() {
        let source = with_checks("fn f() { loop { g(1) } }").into_owned();
        let at = source.find("g(1)").unwrap() + 1;
        let message = |file: &str| {
            format!(
                "{{\"message\":\"m\",\"children\":[{{\"spans\":[{{\"column_end\":{},\"column_start\":{at},\
                 \"file_name\":\"{file}\",\"line_end\":1,\"line_start\":1}}]}}]}}",
                at + 4
            )
        };
        let corrected = correct_columns(&message("/s/lib.rs"), Path::new("/s/lib.rs"), &source);
        assert!(corrected.contains("\"column_start\":17") && corrected.contains("\"column_end\":21"), "{corrected}");
        let other = correct_columns(&message("/s/other.rs"), Path::new("/s/lib.rs"), &source);
        assert!(other.contains(&format!("\"column_start\":{at}")));
        assert_eq!(correct_columns("no JSON", Path::new("/s/lib.rs"), &source), "no JSON\n");
    }
}
