//! Checks for an interrupt. The build step writes them into the notebook's code wherever it may run for ever.
//!
//! They stand behind other code on the same line, so no line moves. The columns in the compiler's messages are
//! corrected afterwards. Functions and formulas that also run on devices have checks too. The macros do not translate
//! them (`prelude/macros/src/text.rs`).

mod places;

use super::borrows::{BORROW, BORROW_OF, END_OF_BORROW};
use super::compiler_message::with_objects;
use super::names::is_own;
use places::{AFTER_ELEMENT, BEFORE_ELEMENT, CALLED, CHECK, EACH_ELEMENT, END_OF_CALLED};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

/// Code without any of these words and without functions never needs a check.
const MAY_NEED_CHECKS: [&str; 10] =
    ["loop", "while", "for", "sleep", "park", "..", "iter", "cycle", "macro_rules", "interact"];

/// All that the build step puts into lines of the user.
const INSERTED: [&str; 9] =
    [CHECK, EACH_ELEMENT, BEFORE_ELEMENT, AFTER_ELEMENT, CALLED, END_OF_CALLED, BORROW, BORROW_OF, END_OF_BORROW];

/// The source with the checks.
pub fn with_checks(source: &str) -> Cow<'_, str> {
    let has_functions = || source.split("fn ").skip(1).any(|name| !is_own(name));
    if !MAY_NEED_CHECKS.iter().any(|word| source.contains(word)) && !has_functions() {
        return Cow::Borrowed(source);
    }
    let places = places::places(source);
    let mut result = String::with_capacity(source.len() + places.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut copied = 0;
    for (place, text) in places {
        result.push_str(&source[copied..place]);
        result.push_str(text);
        copied = place;
    }
    result.push_str(&source[copied..]);
    Cow::Owned(result)
}

/// The source without the checks, and without the references before operands.
pub fn without_checks(source: &str) -> String {
    INSERTED.iter().fold(source.to_owned(), |source, text| source.replace(text, ""))
}

/// The source with the references as a person writes them.
pub fn with_plain_borrows(source: &str) -> String {
    source.replace(BORROW_OF, "&(").replace(END_OF_BORROW, ")").replace(BORROW, "&")
}

/// The column, from 1, without the checks before it in its line.
pub fn column_without_checks(line: &str, column: usize) -> usize {
    let found = |text: &'static str| {
        line.match_indices(text).map(|(at, _)| (line[..at].chars().count() + 1, text.chars().count()))
    };
    let mut inserted: Vec<(usize, usize)> = INSERTED.into_iter().flat_map(found).collect();
    inserted.sort_unstable();
    let without = |column, &(start, length): &(usize, usize)| match column > start {
        true => start.max(column - length.min(column)),
        false => column,
    };
    inserted.iter().rev().fold(column, without)
}

/// The compiler's messages about a source, with the columns that it would have without the checks.
pub fn correct_columns(messages: &str, path: &Path, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let path = path.to_string_lossy();
    with_objects(messages, |span| {
        if span.get("file_name").is_none_or(|name| *name != *path) {
            return;
        }
        for (line, column) in [("line_start", "column_start"), ("line_end", "column_end")] {
            let number = |name| usize::try_from(span.get(name)?.as_u64()?).ok();
            let (Some(line), Some(at)) = (number(line), number(column)) else { continue };
            let Some(text) = line.checked_sub(1).and_then(|line| lines.get(line)) else { continue };
            span.insert(column.to_owned(), Value::from(column_without_checks(text, at)));
        }
    })
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
    fn functions_of_any_name_are_called_in_macros() {
        for source in ["fn run() { fuse!(|x: f64| f(x) * 2.0); }", "fn run() { gpu::interact!(b: bool => f(b)); }"] {
            assert_eq!(with_checks(source), source);
        }
    }

    #[test]
    fn the_code_behind_the_controls_is_checked() {
        let source = "fn run() { gpu::interact!(n: usize in 0..9, [b: bool] => { for i in 0..n { f(i) } loop {} }); }";
        let checked = with_checks(source);
        assert_eq!(checked.matches(CHECK).count(), 2, "{checked}");
        assert!(checked.contains(&format!("for i in 0..n {{{CHECK} f(i)")), "{checked}");
        assert_eq!(without_checks(&checked), source);
        // Texts of controls are left as they are.
        let source = r#"fn run() { interact!(t: String = "a => for x in y {", b: bool => f(t)); }"#;
        assert_eq!(with_checks(source), source);
    }

    #[test]
    fn variables_that_the_code_behind_the_controls_calls_are_in_brackets() {
        let source = "fn run(h: F) { let blur = |x| x; let (a, b) = (f, g); { let inner = f; }\n\
                      interact!(n: f64 in 0.0..1.0 => { println!(\"{}\", a(n)); imshow(&blur(n)); half(n) + inner(n) + h(n) + later(n) });\n\
                      let later = f; }";
        let checked = with_checks(source);
        assert_eq!(without_checks(&checked), source);
        let plain = |checked: &str| checked.replace(CALLED, "(").replace(END_OF_CALLED, ")");
        let shown = plain(&checked);
        let expected = "{ println!(\"{}\", (a)(n)); imshow(&(blur)(n)); half(n) + inner(n) + h(n) + later(n) }";
        assert!(shown.contains(expected), "{shown}");
        // A last expression is in a macro of evcxr's.
        let source = "fn run() { let f = g; send(&format!(\"{:?}\",&(\ninteract!(n: f64 in 0.0..1.0 => f(n))\n))); }";
        assert!(plain(&with_checks(source)).contains("=> (f)(n))"), "{}", with_checks(source));
    }

    /// The source with `!` for each check at the head of a block, `.!` for a check of an iterator, and `!{ }` around an
    /// expression.
    fn marked(source: &str) -> String {
        let checked = with_checks(source);
        assert_eq!(without_checks(&checked), source);
        assert_eq!(checked.lines().count(), source.lines().count());
        checked
            .replace(EACH_ELEMENT, ".!")
            .replace(BEFORE_ELEMENT, "!{ ")
            .replace(AFTER_ELEMENT, " }")
            .replace(CHECK, "!")
    }

    #[test]
    fn functions_that_may_call_themselves_are_checked() {
        for (source, expected) in [
            (
                "fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }",
                "fn fib(n: u64) -> u64 {! if",
            ),
            (
                "fn a(n: u64) -> u64 { b(n) }\nfn b(n: u64) -> u64 { a(n) }",
                "fn a(n: u64) -> u64 {! b(n) }\nfn b(n: u64) -> u64 {! a",
            ),
            ("fn f(n: u64) -> u64 { vec![f(n)].len() as u64 }", "{! vec"),
            (
                "impl T { fn depth(&self) -> u32 { self.of.iter().map(|t| t.depth()).max().unwrap_or(0) + 1 } }",
                "u32 {! self",
            ),
            ("#[gpu::device] fn f(x: f32) -> f32 { f(x) }", "f32 {! f(x)"),
            ("impl T<u8> { fn go(n: u64) -> u64 { Self::go(n) } }", "u64 {! Self"),
            ("impl P { fn a(&self) { A::b(self) } }\nimpl A { fn b(p: &P) { p.a() } }", "fn b(p: &P) {! p.a()"),
            ("fn outer() { fn inner(n: u64) { inner(n) } }", "fn outer() { fn inner(n: u64) {! inner"),
            (
                "impl Iterator for E { type Item = u8; fn next(&mut self) -> Option<u8> { Some(1) } }",
                "Option<u8> {! Some",
            ),
        ] {
            assert!(marked(source).contains(expected), "{}", marked(source));
        }
        for leaf in [
            "fn f(x: f64) -> f64 { x * 2.0 }\nfn g(x: f64) -> f64 { f(f(x)) }",
            "impl S { fn len(&self) -> usize { self.items.len() } fn new() -> S { S { items: Vec::new() } } }",
            "fn sum(p: &P) -> f64 { p.sum }",
            "impl P { fn new(x: f64) -> P { P { a: A::new(x) } } }\nimpl A { fn new(x: f64) -> A { A(x) } }",
            "impl P { fn norm(&self) -> f64 { norm(self.x) } }\nfn norm(x: f64) -> f64 { x.abs() }",
            "const fn f(n: u64) -> u64 { if n == 0 { 0 } else { f(n - 1) } }",
            "extern \"C\" fn f(n: u64) { if n > 0 { f(n) } }",
            "impl Iterator for E { type Item = u8; fn next(&mut self) -> Option<u8> { if self.0 { None } else { Some(1) } } }",
        ] {
            assert_eq!(marked(leaf), leaf);
        }
    }

    #[test]
    fn iterators_without_an_end_are_checked() {
        let cell = |code: &str| format!("use std::iter::{{self, repeat_with}}; fn run_user_code_1() {{ {code} }}");
        for (code, expected) in [
            ("iter::repeat(1).for_each(|x| f(x));", "iter::repeat(1).!.for_each"),
            ("std::iter::repeat::<u8>(1).map(f).sum::<u64>();", "repeat::<u8>(1).!.map"),
            ("repeat_with(f).count();", "repeat_with(f).!.count"),
            ("(0u64..).filter(|n| n % 2 > 2).next_back();", "(0u64..).!.filter"),
            ("v.iter().cycle().all(|x| *x > 0);", "cycle().!.all"),
            ("let it = iter::repeat(1); it.for_each(|x| f(x));", "it.for_each(|x| !{ f(x) });"),
            ("it.for_each(|x| { f(x) });", "it.for_each(|x| {! f(x) });"),
            ("endless().try_for_each(|x| { f(x) });", "|x| {! f(x)"),
        ] {
            assert!(marked(&cell(code)).contains(expected), "{}", marked(&cell(code)));
        }
        for code in [
            "(0..9).map(|x| x * 2).sum::<u64>();",
            "(0..).map(f).take(9).sum::<u64>();",
            "(0..).zip(&v).for_each(f);",
            "(0..).contains(&3);",
            "v.iter().for_each(|x| f(x));",
            "(0..9).into_par_iter().for_each(|x| f(x));",
            "std::array::from_fn::<u8, 3, _>(f).map(g);",
            "repeat(1).map(f);",
            "s.repeat(3).chars().for_each(f);",
            "let r = 0..; let it = iter::repeat(1);",
            "const N: u64 = { (0..).count(); 1 };",
        ] {
            assert_eq!(marked(&cell(code)), cell(code));
        }
    }

    #[test]
    fn what_the_notebooks_macros_write_is_checked() {
        for (source, expected) in [
            ("macro_rules! forever { () => { loop {} }; }", "=> { loop {!} }"),
            (
                "macro_rules! m { ($n:expr, $b:block) => {{ let mut i = 0; while i < $n { $b i += 1; } }} }",
                "while i < $n {! $b",
            ),
            ("macro_rules! m { ($x:ident in $v:expr => $($s:stmt;)*) => { for $x in $v { $($s;)* } } }", "in $v {! $("),
            ("macro_rules! def { ($f:ident) => { fn $f(n: u64) -> u64 { $f(n - 1) } } }", "u64 {! $f"),
            (
                "macro_rules! run { ($($t:tt)*) => { $($t)* } }\nfn f() { run! { loop { g() } } }",
                "run! { loop {! g() } }",
            ),
        ] {
            assert!(marked(source).contains(expected), "{}", marked(source));
        }
        for source in [
            "macro_rules! text { ($e:expr) => { stringify!($e) } }\nfn f() { text!(loop {}); }",
            "macro_rules! eat { (loop $t:tt $($r:tt)*) => { eat!($($r)*) }; () => {} }\nfn f() { eat!(loop {}); }",
            "macro_rules! run { ($e:expr) => { $e } }\nconst N: u8 = run!(loop { break 1 });",
            "fn f() { other!(loop {}); }",
        ] {
            assert_eq!(marked(source), source);
        }
    }

    #[test]
    fn what_is_written_as_text_is_checked() {
        // evcxr writes a value without a display so: `%%prun` of an endless loop could not be interrupted.
        let source = "fn run() { evcxr_send_text_plain(&format!(\"{:?}\",&(\nprun_value(loop {})\n))); }";
        assert!(marked(source).contains("prun_value(loop {!})"), "{}", marked(source));
        for (source, expected) in [
            ("fn f() { println!(\"{} {n}\", (0u64..).filter(g).count(), n = { loop { h() } }); }", "(0u64..).!.filter"),
            ("fn f() { println!(\"{} {n}\", 1, n = { loop { h() } }); }", "n = { loop {! h() } }"),
            ("fn f() { let v = vec![{ while a() {} 1 }; 3]; }", "while a() {!} 1"),
            ("fn f() { println!(\"{}\", gpu::map(fuse!(|x: i64| { while x > 0 {} x }), &a)); }", "while x > 0 {!}"),
        ] {
            assert!(marked(source).contains(expected), "{}", marked(source));
        }
        for source in ["fn f() { assert!({ loop {} }); dbg!(loop {}); }", "const X: usize = vec![{ loop {} }].len();"] {
            assert_eq!(marked(source), source);
        }
    }

    #[test]
    fn columns_behind_a_check_are_put_right() {
        let line = with_checks("fn f() { for i in 0..3 { g(i); } for j in 0..2 { h(j); } }").into_owned();
        let plain = without_checks(&line);
        for (text, count) in [("for i", 1), ("g(i)", 1), ("for j", 1), ("h(j)", 1)] {
            let column = |line: &str| line.find(text).unwrap() + 1;
            assert_eq!(column_without_checks(&line, column(&line)), column(&plain), "{text} {count}");
        }
        // A place inside the check becomes the place of the brace before it.
        let inside = line.find("::warpcell").unwrap() + 1;
        assert_eq!(column_without_checks(&line, inside), plain.find("{ g(i)").unwrap() + 2);
        let source = "fn f() { (0..).for_each(|n| g(n)); it.for_each(|x| h(x)); last() }";
        let line = with_checks(source);
        for text in [".for_each(|n|", "g(n)", "h(x)", "last()"] {
            let column = |line: &str| line.find(text).unwrap() + 1;
            assert_eq!(column_without_checks(&line, column(&line)), column(source), "{text}: {line}");
        }
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
