//! Sources as evcxr 0.22 writes them, and what becomes of them.

use super::{CHECK_OTHERS, CompilerFindings, VariablePlan, is_used};
use crate::build_step::report::VariableReport;
use crate::build_step::rewrite::{RewriteOptions, rewrite};
use crate::build_step::types::KnownTypes;
use crate::printing::outln;
use serde_json::json;

/// A cell crate: items, stored variables (`mut` included, with their types), the user's code, new variables, others.
pub fn source(items: &str, stored: &[(&str, &str)], code: &str, new: &[(&str, &str)]) -> String {
    let name = |binding: &str| binding.trim_start_matches("mut ").to_owned();
    let mut text =
        format!("#![allow(unused_imports, unused_mut, dead_code)]\n{items}\nmod evcxr_internal_runtime {{\n}}\n");
    text += "#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_3(\n";
    text += "let evcxr_variable_store = unsafe {&mut *evcxr_variable_store};\n{let mut vars_ok = true;\n";
    for (binding, kind) in stored {
        text += &format!("vars_ok &= evcxr_variable_store.check_variable::<{kind}>(stringify!({}));\n", name(binding));
    }
    text += "if !vars_ok {return evcxr_variable_store;}}\n";
    for (binding, kind) in stored {
        let name = name(binding);
        text += &format!("let {binding} = evcxr_variable_store.take_variable::<{kind}>(stringify!({name}));\n");
    }
    text += "match std::panic::catch_unwind(\n  std::panic::AssertUnwindSafe(||{\n";
    text += code;
    let put =
        |name: &str, kind: &str| format!("evcxr_variable_store.put_variable::<{kind}>(stringify!({name}), {name});\n");
    for (name, kind) in new {
        text += &put(name, kind);
    }
    text += "})) { \n  Ok(_) => {}\n  Err(_) => {\n    println!(\"EVCXR_PANIC_NOTIFICATION\");\n}}\n";
    for (binding, kind) in stored.iter().filter(|(binding, _)| !new.iter().any(|(new, _)| *new == name(binding))) {
        text += &put(&name(binding), kind);
    }
    text + "evcxr_variable_store\n}\n"
}

pub fn rewritten(source: &str, findings: &CompilerFindings) -> String {
    let text = rewrite(source, RewriteOptions { findings: Some(findings), ..RewriteOptions::default() }).text;
    assert_eq!(text.lines().count(), source.lines().count(), "every line keeps its number:\n{text}");
    text
}

fn plan_of(source: &str, findings: &CompilerFindings) -> VariablePlan {
    VariablePlan::new(source, &[], &KnownTypes::default(), findings)
}

fn report(source: &str, findings: &CompilerFindings) -> VariableReport {
    plan_of(source, findings).report()
}

/// The message of the compiler about the line that contains a text.
pub fn message(text: &str, part: &str, code: &str, message: &str) -> String {
    let line = text.lines().position(|line| line.contains(part)).expect(part) + 1;
    let span = json!({ "is_primary": true, "line_start": line });
    json!({ "level": "error", "message": message, "code": { "code": code }, "spans": [span] }).to_string()
}

const STORED: [(&str, &str); 2] = [("mut x", "Vec<i32>"), ("y", "String")];

#[test]
fn variables_that_a_cell_does_not_name_are_checked_and_stay_in_the_store() {
    let cases = [
        ("let z = y.len();\n", &[("z", "usize")][..], &["x"][..]),
        ("y.len() + x.len();\n", &[], &[]),
        ("println!(\"{x:?} {}\", 1);\n", &[], &["y"]),
        ("1 + 1;\n", &[], &["x", "y"]),
    ];
    for (code, new, expected) in cases {
        let source = source("fn f() {}", &STORED, code, new);
        let plan = plan_of(&source, &CompilerFindings::default());
        for (index, line) in source.lines().enumerate() {
            let is_moved = ["check_variable", "take_variable", "put_variable"].iter().any(|call| line.contains(call));
            let is_idle = is_moved && expected.iter().any(|name| line.contains(&format!("stringify!({name})")));
            let planned = plan.line(index, line);
            assert_eq!(planned != line, is_idle, "{code}{planned}");
            let is_checked = || planned.starts_with(CHECK_OTHERS) || planned == "\n";
            assert!(!is_idle || planned.starts_with("//") || is_checked(), "{planned}");
        }
        assert_eq!(plan.may_fail(), !expected.is_empty(), "{code}");
    }
}

#[test]
fn a_variable_that_a_macro_names_is_taken_after_all() {
    let source = source("", &STORED, "macro_that_names_x!();\n", &[]);
    let plan = plan_of(&source, &CompilerFindings::default());
    let text = rewritten(&source, &CompilerFindings::default());
    let message = message(&text, "macro_that_names_x", "E0425", "cannot find value `x` in this scope");
    let findings = plan.findings(&message).unwrap();
    assert_eq!(findings.used, ["x"]);
    let again = rewritten(&source, &findings);
    assert!(again.lines().any(|line| line.starts_with("let mut x =")), "{again}");
    assert!(!again.lines().any(|line| line.starts_with("let y =")), "{again}");
}

#[test]
fn an_old_value_that_is_not_used_stays_in_the_store() {
    let source = source("", &STORED, "let x = panics();\n", &[("x", "f64")]);
    let text = rewritten(&source, &CompilerFindings::default());
    assert!(!text.lines().any(|line| line.trim_start().starts_with("let mut x =")), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("let y =")), "it is not named");
    let taken = report(&source, &CompilerFindings::default());
    assert_eq!(taken.names, ["x"]);
    assert_eq!(taken.left.len(), 1);
    let expected = "let mut x: Vec<i32> = evcxr_variable_store.take_variable::<Vec<i32>>(stringify!(x));";
    assert_eq!(taken.left[0].take, expected);
    assert!(!taken.has_moved("x") && !taken.has_moved("y"));
}

#[test]
fn an_old_value_that_is_used_goes_back_to_the_store() {
    let source = source("", &STORED, "let y = f(&y);\n", &[("y", "f64")]);
    let text = rewritten(&source, &CompilerFindings::default());
    assert!(text.contains("}} evcxr_variable_store.keep_variable::<String>(stringify!(y), y);"), "{text}");
    let taken = report(&source, &CompilerFindings::default());
    let expected = "let y: String = evcxr_variable_store.take_variable::<String>(stringify!(y));";
    assert_eq!((taken.left[0].name.as_str(), taken.left[0].take.as_str()), ("y", expected));
    assert!(!taken.has_moved("x"), "what is not named stays in the store");
}

#[test]
fn what_the_compiler_knows_better_is_found_in_its_messages() {
    let source = source("", &STORED, "let y = f(y);\nlet x = macro_that_names_x!();\n", &[("x", "f64"), ("y", "i32")]);
    let plan = plan_of(&source, &CompilerFindings::default());
    assert!(plan.may_fail());
    let text = rewritten(&source, &CompilerFindings::default());
    let moved = plan.findings(&message(&text, "keep_variable", "E0382", "use of moved value: `y`")).unwrap();
    assert_eq!(moved.moved, ["y"]);
    assert!(!rewritten(&source, &moved).contains("keep_variable"));
    assert!(report(&source, &moved).has_moved("y"));
    let used = message(&text, "macro_that", "E0425", "cannot find value `x` in this scope");
    let used = plan.findings(&used).unwrap();
    assert_eq!(used.used, ["x"]);
    assert!(rewritten(&source, &used).contains("keep_variable::<Vec<i32>>(stringify!(x), x)"));
    assert_eq!(plan.findings(&message(&text, "macro_that", "E0308", "mismatched types")), None);
}

#[test]
fn types_of_the_notebook_carry_their_hash() {
    let stored = [("p", "Vec<P>"), ("mut q", "P"), ("n", "i32")];
    let of = |items: &str| {
        rewritten(&source(items, &stored, "p.len();\nlet q = P(3);\n", &[("q", "P")]), &CompilerFindings::default())
    };
    let (old, new) = (of("struct P(i32);"), of("struct P(i64);"));
    assert_ne!(old.replace("struct P(i32);", ""), new.replace("struct P(i64);", ""));
    for part in ["check_variable::<Vec<P>>", "put_variable::<Vec<P>>", "put_variable::<P>"] {
        let line = old.lines().find(|line| line.contains(part)).expect(part);
        assert!(line.contains("evcxr_variable_store.defined_by("), "{line}");
    }
    assert!(old.contains("check_others(&[(stringify!(n), \"i32\", 0u64), ]);"), "{old}");
    let idle = rewritten(&source("struct P(i32);", &stored, "1;\n", &[]), &CompilerFindings::default());
    let check = idle.lines().find(|line| line.starts_with(CHECK_OTHERS)).expect("check");
    for part in ["(stringify!(p), \"Vec<P>\", ", "(stringify!(q), \"P\", ", "(stringify!(n), \"i32\", 0u64), ]);"] {
        assert!(check.contains(part), "{check}");
    }
    assert!(!check.contains("\"P\", 0u64") && !idle.contains("check_variable::<"), "{idle}");

    let old = source("struct P(i32);", &stored, "let q = f(&q);\n", &[("q", "P")]);
    let demand = &report(&old, &CompilerFindings::default()).left[0].demand;
    assert!(demand.starts_with("evcxr_variable_store.defined_by("), "{demand}");
}

#[test]
fn a_variable_whose_type_has_no_name_any_more_is_given_up_alone() {
    let source = source("struct P<T>(T);", &[("p", "P"), ("n", "i32")], "p.0 + n + 1;\n", &[]);
    let plan = plan_of(&source, &CompilerFindings::default());
    let text = rewritten(&source, &CompilerFindings::default());
    let check = message(&text, "check_variable::<P>", "E0107", "missing generics for struct `P`");
    let take = message(&text, "take_variable::<P>", "E0107", "missing generics for struct `P`");
    let findings = plan.findings(&format!("{check}\n{take}\n")).unwrap();
    assert_eq!(findings.nameless, ["p"]);
    let text = rewritten(&source, &findings);
    assert!(text.contains("evcxr_variable_store.lose_variable(stringify!(p), \"P\");"), "{text}");
    assert!(text.contains("check_variable::<i32>") && !text.contains("take_variable") && !text.contains("n + 1"));
    assert!(text.ends_with("evcxr_variable_store\n}\n"));
    let own = message(&text, "struct P", "E0425", "cannot find value `z` in this scope");
    assert_eq!(plan.findings(&format!("{check}\n{own}\n")), None, "a cell that will not run gives up nothing");
}

#[test]
fn a_variable_that_is_moved_away_and_made_anew_is_stored_inside() {
    let wrap =
        |code: &str| format!("let _ = (|| -> std::result::Result<(), EvcxrUserCodeError> {{\n{code}Ok(())}})();\n");
    let code = "for _ in 0..3 {\nx = f(x);\n}\n";
    for code in [code.to_owned(), wrap(code)] {
        let source = source("", &STORED, &code, &[]);
        let plan = plan_of(&source, &CompilerFindings::default());
        let text = rewritten(&source, &CompilerFindings::default());
        let moved = message(&text, "put_variable::<Vec<i32>>", "E0382", "use of moved value: `x`");
        let findings = plan.findings(&moved).unwrap();
        assert_eq!(findings.replaced, ["x"]);
        assert_eq!(plan.about_gone(&moved, &findings.replaced), None);
        let text = rewritten(&source, &findings);
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("take_variable::<Vec<i32>>")).collect();
        assert!(lines[0].starts_with("// inside: ") && lines[1].ends_with("take_variable::<Vec<i32>>(stringify!(x));"));
        let put = "evcxr_variable_store.put_variable::<Vec<i32>>(stringify!(x), x); ";
        assert!(text.contains(&format!("}}\n{put}")), "{text}");
        assert!(text.contains("miss_variable(stringify!(x));"));
        assert_eq!(report(&source, &findings).replaced, ["x"]);
        // It has no value at the end: evcxr is to know.
        let plan = plan_of(&source, &findings);
        let no_value = plan.findings(&message(&text, put, "E0382", "use of moved value: `x`")).unwrap();
        assert_eq!(no_value.without_value, ["x"]);
        let findings = CompilerFindings { without_value: vec!["x".to_owned()], ..findings };
        assert!(!rewritten(&source, &findings).contains("// inside"));
    }
}

#[test]
fn evcxr_learns_of_the_variables_that_are_gone_and_of_no_others() {
    let source = source("", &STORED, "x = f(x); drop(y);\n", &[]);
    let plan = plan_of(&source, &CompilerFindings::default());
    let text = rewritten(&source, &CompilerFindings::default());
    let x = message(&text, "put_variable::<Vec<i32>>", "E0382", "use of moved value: `x`");
    let y = message(&text, "put_variable::<String>", "E0382", "use of moved value: `y`");
    let messages = format!("{x}\n{y}\n");
    let findings = plan.findings(&messages).unwrap();
    assert_eq!(findings.replaced, ["x"]);
    assert_eq!(plan.about_gone(&messages, &findings.replaced), Some(format!("{y}\n")));
    let own = message(&text, "x = f(x)", "E0425", "cannot find function `f`");
    assert_eq!(plan.about_gone(&format!("{messages}{own}\n"), &findings.replaced), None);
}

#[test]
fn a_variable_without_a_value_is_gone() {
    let source = source("", &[], "let y: i32;\n", &[("y", "i32")]);
    let plan = plan_of(&source, &CompilerFindings::default());
    let message = message(&source, "put_variable", "E0381", "used binding `y` isn't initialized");
    assert!(plan.for_evcxr(&message).contains("E0382"));
}

#[test]
fn types_over_several_lines() {
    let kind = "HashMap<\n  String,\n  i32,\n>";
    let first = source("", &[("mut x", kind)], "let x = f(&x);\n", &[("x", kind)]);
    let text = rewritten(&first, &CompilerFindings::default());
    assert!(text.contains("keep_variable::<HashMap<   String,   i32, >>(stringify!(x), x);"), "{text}");
    let second = source("", &[("mut x", kind)], "let x = f();\n", &[("x", kind)]);
    let taken = report(&second, &CompilerFindings::default());
    assert!(taken.left[0].take.starts_with("let mut x: HashMap<\n  String,"), "{taken:?}");
}

#[test]
fn cells_inside_of_what_allows_question_marks_and_await() {
    for (start, end) in [
        ("let _ = (|| -> std::result::Result<(), EvcxrUserCodeError> {\n", "Ok(())})();\n"),
        ("let mut mutex = evcxr_variable_store.lazy_arc(\"evcxr_tokio_runtime\", ||\nx)\n.block_on(async {\n", "});\n"),
    ] {
        let plain = source("", &STORED, "let x = panics();\n", &[("x", "f64")]);
        let put = "evcxr_variable_store.put_variable::<f64>(stringify!(x), x);\n";
        let wrapped = plain
            .replace("let x = panics();\n", &format!("{start}let x = panics();\n"))
            .replace(put, &format!("{put}{end}"));
        assert_eq!(report(&wrapped, &CompilerFindings::default()).left.len(), 1, "{wrapped}");
    }
}

#[test]
fn uses_before_the_new_definition() {
    for code in [
        "let x = f(x);",
        "let y = &mut x; let x = 3;",
        "{ let x = x; }",
        "{ let x = 3; } let x = 3;",
        "if true { x.push(1) } let x = 3;",
        "println!(\"{x}\"); let x = 3;",
        "println!(\"{x:?}\"); let x = 3;",
        "let x = { let x = x.len(); x };",
        "let (a, b) = (x, 2); let x = 3;",
    ] {
        assert!(is_used(code, "x"), "{code}");
    }
    for code in [
        "let x = f(); let x = g(x); x.len()",
        "let mut x: Vec<i32> = vec![];\nx.push(1);",
        "let (a, mut x) = (1, 2); x += 1;",
        "let P { a: x, .. } = p; x",
        "let Some(x) = f() else { panic!(\"no\") };",
        "// x\nlet x = y.max(max_x);",
        "println!(\"x\"); let x = 3; println!(\"{x}\")",
    ] {
        assert!(!is_used(code, "x"), "{code}");
    }
}

#[test]
fn a_large_notebook_costs_a_millisecond_or_two() {
    let functions: String =
        (0..30).map(|n| format!("fn f{n}(x: f64) -> f64 {{ let y = x * {n}.0; y + f0(y) }}\n")).collect();
    let types: String = (0..10).map(|n| format!("#[derive(Debug)] struct S{n} {{ a: f64, b: Vec<S0> }}\n")).collect();
    let names: Vec<String> = (0..50).map(|n| format!("variable_{n}")).collect();
    let stored: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "Vec<Option<S3>>")).collect();
    for (kind, items) in [("without types", functions.clone()), ("with types", functions + &types)] {
        let source = source(&items, &stored, "let z = 3;\n", &[("z", "i32")]);
        let start = std::time::Instant::now();
        for _ in 0..10 {
            rewritten(&source, &CompilerFindings::default());
        }
        let each = start.elapsed() / 10;
        outln!("{kind}: {each:?} a cell of {} bytes", source.len());
        // Far above what it takes, for machines that are busy or not optimising.
        assert!(each < std::time::Duration::from_millis(100), "{each:?}");
    }
}
