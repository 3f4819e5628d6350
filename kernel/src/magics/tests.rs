//! Snapshots of expansions (`UPDATE_EXPECT=1 cargo test` rewrites them) and walks over the table.

// Long by nature: a flat list of short snapshots.

use super::complete::words;
use super::reference::{lsmagic, page};
use super::table::{MAGICS, forms};
use super::usage::UsageError;
use super::{
    ActionError, Completing, Expansion, KernelServices, Notebook, Shown, complete_at, help, items_named, rust_around,
    word_at,
};
use expect_test::{Expect, expect, expect_file};
use std::path::PathBuf;

/// A notebook with some variables and a function.
fn notebook() -> Notebook {
    let variables = [("x", "i32"), ("flag", "bool"), ("array", "DeviceArray<f32>"), ("r#type", "String")];
    Notebook {
        variables: variables.map(|(name, type_name)| (name.to_owned(), type_name.to_owned())).to_vec(),
        items: ["is_odd".to_owned()].into(),
        ..Notebook::default()
    }
}

/// Expands a cell of that notebook.
pub(super) fn expand(cell: &str) -> Result<Expansion, UsageError> {
    super::expand(cell, &notebook())
}

/// A kernel that records what actions want of it. The current directory is an empty folder.
pub(super) struct Recorder {
    pub folder: tempfile::TempDir,
    did: Vec<(&'static str, String)>,
}

impl Recorder {
    pub fn new() -> Recorder {
        Recorder { folder: tempfile::tempdir().unwrap(), did: Vec::new() }
    }

    /// Runs the actions of a cell of the notebook. Returns a word and a text for each effect. The folder's name is left
    /// out.
    pub fn run(&mut self, expansion: &Expansion) -> Vec<(&'static str, String)> {
        for action in expansion.before.iter().chain(&expansion.after) {
            if let Err(error) = action.run(self) {
                self.did.push(("fails with", format!("{}: {}", error.name, error.message)));
            }
        }
        let folder = format!("{}/", self.folder.path().display());
        self.did.drain(..).map(|(word, text)| (word, text.replace(&folder, ""))).collect()
    }
}

impl KernelServices for Recorder {
    fn print(&mut self, text: &str) {
        self.did.push(("prints", text.to_owned()));
    }

    fn page(&mut self, text: &str) {
        self.did.push(("pages", text.to_owned()));
    }

    fn describe(&mut self, name: &str, source: bool) {
        self.did.push((if source { "describes with source" } else { "describes" }, name.to_owned()));
    }

    fn set_next_input(&mut self, text: &str) {
        self.did.push(("sets the next input", text.to_owned()));
    }

    fn resolve(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn last_cell_time(&self) -> Option<String> {
        Some("the time of the last cell".to_owned())
    }

    fn display(&mut self, mime_type: &str, text: &str) {
        self.did.push(("displays", format!("{mime_type}: {text}")));
    }

    fn inputs(&self) -> Vec<(usize, String)> {
        [(1, "let a = 1;"), (2, "a + 1"), (3, "let b = a;\nb\n")].map(|(at, text)| (at, text.to_owned())).to_vec()
    }

    fn check(&mut self, code: &str) -> Result<(), ActionError> {
        self.did.push(("checks", code.to_owned()));
        Ok(())
    }

    fn run(&mut self, file: &str, code: &str) -> Result<(), ActionError> {
        self.did.push(("runs", format!("{file}: {code}")));
        Ok(())
    }

    fn text(&mut self, expression: &str) -> Result<String, ActionError> {
        self.did.push(("computes", expression.rsplit("} } ").next().unwrap_or_default().to_owned()));
        Ok("a b.rs".to_owned())
    }

    fn capture(&mut self, code: &str, shown: Shown, variable: Option<&str>) -> Result<(), ActionError> {
        self.did.push(("captures", format!("{code}, {variable:?}, {shown:?}")));
        Ok(())
    }

    fn formatted(&self, code: &str) -> Result<String, ActionError> {
        Ok(format!("formatted: {code}"))
    }
}

/// Expands a cell and runs its actions. The code is preceded by a line with the rest of the expansion.
#[track_caller]
pub(super) fn check(cell: &str, expected: Expect) {
    let text = match expand(cell) {
        Ok(expansion) => {
            lines_kept(cell, &expansion.code);
            let timed = if expansion.timed { "timed" } else { "plain" };
            let shown = |(word, text): (&str, String)| match text.split_once('\n') {
                Some((first_line, _)) => format!(", {word} `{first_line}…`"),
                None => format!(", {word} `{text}`"),
            };
            let actions: String = Recorder::new().run(&expansion).into_iter().map(shown).collect();
            format!("[{timed}{actions}]\n{}", expansion.code)
        }
        Err(error) => format!("UsageError{}\n{error}", if error.incomplete { ", incomplete" } else { "" }),
    };
    expected.assert_eq(&text);
}

/// No line may move, and none may become a command of evcxr's.
#[track_caller]
fn lines_kept(cell: &str, code: &str) {
    assert_eq!(code.matches('\n').count(), cell.matches('\n').count(), "lines moved:\n{code}");
    let is_command = |line: &str| line.starts_with('!') || line.trim_start().starts_with(':');
    for (before, after) in cell.lines().zip(code.lines()) {
        assert!(is_command(before) || !is_command(after), "became a command: {after}");
    }
}

/// A cell that must be returned unchanged.
#[track_caller]
fn untouched(cell: &str) {
    let expansion = expand(cell).unwrap();
    assert_eq!((expansion.code.as_str(), expansion.timed, expansion.before.is_empty()), (cell, false, true));
}

#[test]
fn timeit_expression() {
    check(
        "%timeit f(x)",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(f(x)); });"#]],
    );
}

#[test]
fn timeit_options() {
    check(
        "%timeit -n 10 -r3 -p 5 -qc f(x)",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new().loops(10).repeat(3).precision(5).cpu_time().quiet(), || { std::hint::black_box(f(x)); });"#]],
    );
}

#[test]
fn timeit_zero_loops_is_automatic() {
    check(
        "%timeit -n0 f(x)",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(f(x)); });"#]],
    );
}

#[test]
fn timeit_result_as_value() {
    check(
        "%timeit -o f(x)",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(f(x)); })"#]],
    );
}

#[test]
fn timeit_result_as_value_only_at_the_end() {
    check(
        "%timeit -o f(x)\nlet y = 3;",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(f(x)); });
            let y = 3;"#]],
    );
}

#[test]
fn timeit_result_in_variable() {
    check(
        "%timeit -q -v result f(x)",
        expect![[r#"
            [timed]
            let result = warpcell::timing::timeit(warpcell::timing::TimeitOptions::new().quiet(), || { std::hint::black_box(f(x)); });"#]],
    );
}

#[test]
fn timeit_statement_after_two_minuses() {
    check(
        "%timeit -n 2 -- -x + 1",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new().loops(2), || { std::hint::black_box(-x + 1); });"#]],
    );
}

#[test]
fn timeit_statements_and_comment() {
    check(
        "%timeit let y = f(x); g(&y); // both",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { let y = f(x); std::hint::black_box(g(&y)); }); // both"#]],
    );
}

#[test]
fn timeit_keeps_the_value_of_let() {
    check(
        "%timeit let y = f(x)",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { let y = f(x); std::hint::black_box(&y); });"#]],
    );
}

#[test]
fn timeit_does_not_move_a_variable() {
    check(
        "%timeit x",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(&x); });"#]],
    );
}

#[test]
fn timeit_over_lines() {
    check(
        "let a = 1;\n%timeit f(\n    a, // first\n    \"%timeit )\",\n)\n    .max();\nlet b = 2;",
        expect![[r#"
            [timed]
            let a = 1;
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(f(
                a, // first
                "%timeit )",
            )
                .max()); });
            let b = 2;"#]],
    );
}

#[test]
fn timeit_in_a_block() {
    check(
        "for n in [10, 100] {\n    %timeit -n 1 f(n)\n}",
        expect![[r#"
            [timed]
            for n in [10, 100] {
                warpcell::timing::timeit(warpcell::timing::TimeitOptions::new().loops(1), || { std::hint::black_box(f(n)); });
            }"#]],
    );
}

#[test]
fn timeit_in_a_comment_spelling() {
    check(
        "let x = 1;\n//%timeit f(x) // twice\nx",
        expect![[r#"
            [timed]
            let x = 1;
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(f(x)); }); // twice
            x"#]],
    );
}

#[test]
fn timeit_unicode() {
    check(
        "let größe = \"ñ%\";\n%timeit zähle(größe, 'ß', '\\u{e9}') /* é */",
        expect![[r#"
            [timed]
            let größe = "ñ%";
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { std::hint::black_box(zähle(größe, 'ß', '\u{e9}')); }); /* é */"#]],
    );
}

#[test]
fn timeit_of_broken_code_leaves_the_error_to_the_compiler() {
    check(
        "%timeit f(x) +",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || { f(x) + });"#]],
    );
}

#[test]
fn timeit_without_statement() {
    check(
        "let x = 1;\n%timeit -n 10 // nothing",
        expect![[r#"
        UsageError
        line 2: `%timeit`: there is nothing to time; write a statement after it
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
}

#[test]
fn timeit_bad_values() {
    check(
        "%timeit -n ten f(x)",
        expect![[r#"
        UsageError
        line 1: `%timeit`: `-n` needs a whole number, not `ten`
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
    check(
        "%timeit -r0 f(x)",
        expect![[r#"
        UsageError
        line 1: `%timeit`: `-r` needs a whole number from 1, not `0`
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
    check(
        "%timeit -p",
        expect![[r#"
        UsageError
        line 1: `%timeit`: `-p` needs a value
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
    check(
        "%timeit -x",
        expect![[r#"
        UsageError
        line 1: `%timeit`: there is no option `-x`; write `--` before a statement that starts with a minus
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
    check(
        "%timeit -v 3x f()",
        expect![[r#"
        UsageError
        line 1: `%timeit`: `-v` needs the name of a variable, not `3x`
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
}

#[test]
fn timeit_open_bracket() {
    check(
        "%timeit f(x",
        expect![[r#"
        UsageError, incomplete
        line 1: `%timeit`: a bracket, string or comment is not closed
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
    check(
        "%timeit f(\"x)",
        expect![[r#"
        UsageError, incomplete
        line 1: `%timeit`: a bracket, string or comment is not closed
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
    check(
        "//%timeit f(\n// x)",
        expect![[r#"
        UsageError
        line 1: `%timeit`: a bracket, string or comment is not closed
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
}

#[test]
fn cell_timeit() {
    check(
        "%%timeit\nlet y = f(x);\ng(y) // last",
        expect![[r#"
            [timed]
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || {
            let y = f(x);
            std::hint::black_box(g(y)); }); // last"#]],
    );
}

#[test]
fn cell_timeit_with_setup() {
    check(
        "%%timeit -n 5 let v = vec![1]; // made once\nv.iter().sum::<i32>()\n",
        expect![[r#"
            [timed]
            { let v = vec![1]; warpcell::timing::timeit(warpcell::timing::TimeitOptions::new().loops(5), || { // made once
            std::hint::black_box(v.iter().sum::<i32>()); }); }
        "#]],
    );
}

#[test]
fn cell_timeit_with_setup_and_result() {
    check(
        "%%timeit -o let v = &data[..]\nf(v)",
        expect![[r#"
            [timed]
            { let v = &data[..]; warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || {
            std::hint::black_box(f(v)); }) }"#]],
    );
    check(
        "%%timeit -v r let v = &data[..]\nf(v);",
        expect![[r#"
            [timed]
            let r = { let v = &data[..]; warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || {
            std::hint::black_box(f(v)); }) };"#]],
    );
}

#[test]
fn cell_timeit_below_comments_and_before_commands() {
    check(
        "// A lesson.\n\n%%timeit let n = 2;\n// Needs rand.\n:dep rand = \"0.8\"\n\nf(n)",
        expect![[r#"
            [timed]
            // A lesson.


            // Needs rand.
            :dep rand = "0.8"
            { let n = 2; warpcell::timing::timeit(warpcell::timing::TimeitOptions::new(), || {
            std::hint::black_box(f(n)); }); }"#]],
    );
}

#[test]
fn cell_timeit_without_body() {
    check(
        "%%timeit f(x)",
        expect![[r#"
            UsageError
            line 1: `%%timeit`: there is nothing to time; write the statements below
            Usage: %%timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] [setup]
            `%timeit?` shows more."#]],
    );
    check(
        "%%timeit let v = vec![\n1];",
        expect![[r#"
        UsageError
        line 1: `%%timeit`: a bracket, string or comment is not closed on its line
        Usage: %%timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] [setup]
        `%timeit?` shows more."#]],
    );
}

#[test]
fn time_let_stays_in_the_cell() {
    check(
        "%time let x = f()",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin(); let x = f(); warpcell::timing::time_end();"#]],
    );
}

#[test]
fn time_expression_shows_its_value() {
    check(
        "%time f(x)",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin(); warpcell::timing::time_value(f(x))"#]],
    );
    check(
        "%time f(x);",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin(); f(x); warpcell::timing::time_end();"#]],
    );
}

#[test]
fn time_expression_in_the_middle() {
    check(
        "%time f(x)\nlet y = 1;",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin(); warpcell::timing::time_value(f(x));
            let y = 1;"#]],
    );
}

#[test]
fn time_statements() {
    check(
        "%time let y = f(x); y.sum() // both",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin(); let y = f(x); warpcell::timing::time_value(y.sum()) // both"#]],
    );
}

#[test]
fn time_loop() {
    check(
        "%time for i in 0..3 { f(i) }",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin(); for i in 0..3 { f(i) } warpcell::timing::time_end();"#]],
    );
    check(
        "%time if x > 1 { 2 } else { 3 }",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin(); warpcell::timing::time_value(if x > 1 { 2 } else { 3 })"#]],
    );
}

#[test]
fn time_without_statement() {
    check(
        "%time",
        expect![[r#"
        UsageError
        line 1: `%time`: there is nothing to time; write a statement after it
        Usage: %time statement
        `%time?` shows more."#]],
    );
}

#[test]
fn cell_time_keeps_items_and_value() {
    check(
        "%%time\nuse std::fmt;\nfn f(n: u64) -> u64 {\n    n + 1\n}\nlet y = f(2);\nfor i in 0..3 {\n    f(i);\n}\nf(y) // the value",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin();
            use std::fmt;
            fn f(n: u64) -> u64 {
                n + 1
            }
            let y = f(2);
            for i in 0..3 {
                f(i);
            }
            warpcell::timing::time_value(f(y)) // the value"#]],
    );
}

#[test]
fn cell_time_does_not_move_the_shown_variable() {
    check(
        "%%time\nlet y = f(2);\ny",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin();
            let y = f(2);
            warpcell::timing::time_end(); y"#]],
    );
    check(
        "%%time\nlet y = f(2);\ny.items[0]",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin();
            let y = f(2);
            warpcell::timing::time_end(); y.items[0]"#]],
    );
    check(
        "%%time\nlet y = f(2);\n(y + 1)",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin();
            let y = f(2);
            warpcell::timing::time_value((y + 1))"#]],
    );
}

#[test]
fn cell_time_ending_in_a_statement() {
    check(
        "%%time\nlet y = f(2); // \"quoted\n",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin();
            let y = f(2); warpcell::timing::time_end(); // "quoted
        "#]],
    );
    check(
        "%%time\nfn g() {}",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin();
            fn g() {} warpcell::timing::time_end();"#]],
    );
}

#[test]
fn cell_time_with_line_magics() {
    check(
        "%%time\nlet a = 1;\n%timeit -n 3 f(a)\n%time g(a)",
        expect![[r#"
            [timed]
            warpcell::timing::time_begin();
            let a = 1;
            warpcell::timing::timeit(warpcell::timing::TimeitOptions::new().loops(3), || { std::hint::black_box(f(a)); });
            warpcell::timing::time_begin(); warpcell::timing::time_value(warpcell::timing::time_value(g(a)))"#]],
    );
}

#[test]
fn cell_time_takes_nothing_on_its_line() {
    check(
        "%%time f(x)\ny",
        expect![[r#"
        UsageError
        line 1: `%%time`: nothing may follow it on its line, but got `f(x)`; write the statements below
        Usage: %%time
        `%time?` shows more."#]],
    );
    check(
        "%%time\n// nothing",
        expect![[r#"
        UsageError
        line 1: `%%time`: there is nothing to time; write the statements below
        Usage: %%time
        `%time?` shows more."#]],
    );
}

#[test]
fn gpusync_forms() {
    check(
        "let a = f();\n%gpusync\n%gpusync off // the trap\n%gpusync on",
        expect![[r#"
            [plain]
            let a = f();
            warpcell::timing::gpusync();
            warpcell::timing::set_synchronize(false); // the trap
            warpcell::timing::set_synchronize(true);"#]],
    );
    check(
        "%gpusync maybe",
        expect![[r#"
        UsageError
        line 1: `%gpusync`: takes `on`, `off` or nothing, not `maybe`
        Usage: %gpusync [on|off]
        `%gpusync?` shows more."#]],
    );
}

#[test]
fn cell_gpusync() {
    check(
        "%%gpusync\nlet c = convolve(&a, &b);\nc.sum()",
        expect![[r#"
            [timed]
            warpcell::timing::gpusync_begin();
            let c = convolve(&a, &b);
            warpcell::timing::gpusync_value(c.sum())"#]],
    );
}

#[test]
fn listing_and_help() {
    check(
        "%lsmagic",
        expect![[r#"
            [plain, prints `Line magics:…`]
        "#]],
    );
    check(
        "%timeit?\nlet x = 1;\n%%time?",
        expect![[r#"
        [plain, pages `Time many runs of a statement, or of the cell, with mean and deviation.…`, pages `Time one run of a statement, or of the cell.…`]

        let x = 1;
    "#]],
    );
    check(
        "%lsmagic all",
        expect![[r#"
        UsageError
        line 1: `%lsmagic`: takes no arguments, but got `all`
        Usage: %lsmagic
        `%lsmagic?` shows more."#]],
    );
}

#[test]
fn unknown_words() {
    check(
        "%timit f(x)",
        expect![[r#"
        UsageError
        line 1: there is no magic `%timit`; did you mean `%timeit` or `%time`? `%lsmagic` lists all"#]],
    );
    check(
        "let a = 1;\n%%tiem\na",
        expect![[r#"
        UsageError
        line 2: there is no magic `%%tiem`; did you mean `%%time`? `%lsmagic` lists all"#]],
    );
    check(
        "%matplotlib inline",
        expect![[r#"
        UsageError
        line 1: there is no magic `%matplotlib`; leave the line out: plots are shown below the cell. `%lsmagic` lists all"#]],
    );
    check(
        "%%lsmagic\n1",
        expect![[r#"
        UsageError
        line 1: there is no `%%lsmagic`; write `%lsmagic`"#]],
    );
}

#[test]
fn cell_magic_below_code() {
    check(
        "let a = 1;\n%%time\nf(a)",
        expect![[r#"
        UsageError
        line 2: `%%time` must be on the first line of the cell"#]],
    );
}

#[test]
fn after_an_unfinished_statement() {
    check(
        "let a = f()\n%timeit g(a)",
        expect![[r#"
        UsageError
        line 2: `%timeit`: the statement before it is unfinished; end it with `;`
        Usage: %timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
        `%timeit?` shows more."#]],
    );
}

#[test]
fn what_is_no_magic() {
    for cell in [
        "",
        "x",
        "let r = a\n    % b;",
        "let r = a\n%b;",
        "f(\n%time\n)",
        "let s = \"\n%timeit x\n\";",
        "let s = r#\"\n%timeit \"x\"\n\"#;",
        "let s = br##\"\n%timeit\n\"# \"##;",
        "/* \n%timeit x\n/* %time */\n%time\n*/ x",
        "// %timeit x",
        "/// %timeit x\nfn f() {}",
        "//% is a remainder",
        "//%percent",
        "let c = '\"';\nlet r = a % time;",
        "let c = '\\'';\nlet d: &'static str = \"%time\";",
        "println!(\"{}\", 7\n%time);",
        "!echo \"\n:dep rand = \"it's\"\nlet x = 1;",
        "!echo it's\n// below\n:vars",
        "let a = 1;\n!a",
        "let a = true;\n!flag",
        "let a = 1;\n!is_odd(a)",
        "let a = 1;\n!array.is_empty()",
        "let a = 1;\n!unknown(a)",
        "let a = 1;\n!matches!(a, 1)",
        "let a = 1;\n!(a == 2)",
        "let a = 1;\n!true",
        "let a = f(\n!b\n);",
        "let a = 1\n!ls",
        "fn f(a: bool) -> bool {\n!ls\n}",
        "x?;",
        "let a = f()\nx?",
        "x?\n.g()",
        "{\nx?\n}",
        "x()?",
        "x? + 1",
        "let s = \"\nx?\n!ls\n\";",
    ] {
        untouched(cell);
    }
}

#[test]
fn magics_after_quotes_that_are_no_strings() {
    check(
        "fn f<'a>(x: &'a str) -> &'a str { x }\n%time f(\"a\")",
        expect![[r#"
            [timed]
            fn f<'a>(x: &'a str) -> &'a str { x }
            warpcell::timing::time_begin(); warpcell::timing::time_value(f("a"))"#]],
    );
    check(
        "!echo it's \"\n:dep x = \"'\"\n%time f()",
        expect![[r#"
            [timed]
            !echo it's "
            :dep x = "'"
            warpcell::timing::time_begin(); warpcell::timing::time_value(f())"#]],
    );
    check(
        "let q = b'\"'; let r#type = '\\\\';\n%time f()",
        expect![[r#"
            [timed]
            let q = b'"'; let r#type = '\\';
            warpcell::timing::time_begin(); warpcell::timing::time_value(f())"#]],
    );
}

#[test]
fn columns_lead_back_to_the_cell() {
    let cell = "%%time\nlet a = 1;\n%timeit -n 3 first(a)\nsecond(a)";
    let expansion = expand(cell).unwrap();
    for word in ["let a", "first(a", "second(a"] {
        let original = expansion.original_offset(expansion.code.find(word).unwrap());
        assert_eq!(&cell[original..original + word.len()], word);
    }
    let inserted = expansion.original_offset(expansion.code.find("timeit").unwrap());
    assert_eq!(inserted, cell.find("%timeit").unwrap());
    assert_eq!(expansion.original_offset(expansion.code.len()), cell.len());
}

#[test]
fn columns_lead_to_the_code() {
    let cell = "%%time\nlet a = 1;\n%timeit -n 3 first(a)\nsecond(a)";
    let expansion = expand(cell).unwrap();
    for word in ["let a", "first(a", "second(a"] {
        let end = cell.find(word).unwrap() + word.len();
        let offset = expansion.code_offset(end).unwrap();
        assert!(expansion.code[..offset].ends_with(word), "{word}: {}", &expansion.code[..offset]);
        assert_eq!(expansion.original_offset(offset), end);
    }
    assert_eq!(expansion.code_offset(cell.find("imeit").unwrap()), None);
    assert_eq!(expansion.code_offset(cell.len()), Some(expansion.code.len() - 1), "in front of the bracket");
}

/// Cells glued together from fragments at random: whatever comes out, nothing panics and no line moves.
#[test]
fn no_cell_breaks_the_expansion() {
    let fragments = [
        "%timeit ",
        "%%timeit",
        "%%time",
        "%time",
        "//%time",
        "%gpusync",
        "%lsmagic",
        "?",
        "-n ",
        "-",
        "3 ",
        "f(x)",
        "let é = ",
        "\n",
        "\n",
        "\n",
        ";",
        "{",
        "}",
        "(",
        ")",
        "\"",
        "'",
        "r#\"",
        "\"#",
        "/*",
        "*/",
        "// ",
        ":dep",
        "!ls",
        "x?",
        "%%bash",
        "%%writefile a",
        "%env A=",
        "%cd ",
        "%load ",
        "%whos",
        "\\",
        "\r\n",
        "fn g() {}",
        ".a",
        "%",
        " ",
        "\t",
        "for",
        "\u{a0}",
    ];
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..20_000 {
        let cell: String = (0..random(12)).map(|_| fragments[random(fragments.len())]).collect();
        let cursor = cell.floor_char_boundary(random(cell.len() + 1));
        word_at(&cell, cursor);
        complete_at(&cell, cursor, &Notebook::default());
        if let Ok(expansion) = expand(&cell) {
            assert_eq!(expansion.code.matches('\n').count(), cell.matches('\n').count(), "{cell:?}");
            assert!(expansion.code_offset(cursor).is_none_or(|offset| offset <= expansion.code.len()), "{cell:?}");
            let offset = random(expansion.code.len() + 1);
            assert!(expansion.original_offset(offset) <= cell.len(), "{cell:?}");
        }
    }
}

#[test]
fn words_under_the_cursor() {
    assert_eq!(word_at("%ti", 3), Some(0..3));
    assert_eq!(word_at("%", 1), Some(0..1));
    assert_eq!(word_at("let a = 1;\n  //%%ti", 19), Some(13..19));
    assert_eq!(word_at("%timeit f(x)", 3), Some(0..7));
    assert_eq!(word_at("%timeit f(x)", 9), None);
    assert_eq!(word_at("let s = \"\n%ti\n\"", 13), None);
    assert_eq!(word_at("", 0), None);
}

#[test]
fn completions() {
    let names = |prefix| words(prefix).into_iter().map(|candidate| candidate.text).collect::<Vec<_>>();
    assert_eq!(names("%ti"), ["%time", "%timeit"]);
    assert_eq!(names("%%g"), ["%%gpusync"]);
    assert_eq!(names("//%%g"), ["//%%gpusync"]);
    assert_eq!(names("%x"), [""; 0]);
    assert_eq!(names("%").len(), forms().count());
}

#[test]
fn the_table_is_sound() {
    for (index, magic) in MAGICS.iter().enumerate() {
        let name = magic.name;
        if index > 0 {
            assert!(MAGICS[index - 1].name < name, "{name} is a duplicate or out of order");
        }
        for text in [name, magic.summary, magic.usage, magic.details] {
            assert!(!text.trim().is_empty(), "{name} lacks a text");
        }
        assert!(!magic.summary.ends_with('.') && !magic.summary.contains('\n'), "{name}: one line without full stop");
        assert!(magic.line.is_some() || magic.cell.is_some(), "{name} has no handler");
        assert!(help(name).unwrap().contains(magic.details));
    }
}

#[test]
fn each_form_has_usage_and_an_example_that_expands() {
    for (percent, magic) in forms() {
        let form = format!("{percent}{}", magic.name);
        let starts = |text: &str| text == form || text.starts_with(&format!("{form} "));
        assert!(magic.usage.lines().any(starts), "{form} lacks its usage");
        assert!(magic.examples.iter().any(|cell| cell.lines().any(starts)), "{form} lacks an example");
        assert!(lsmagic().contains(&form));
    }
    for cell in MAGICS.iter().flat_map(|magic| magic.examples) {
        let expansion = expand(cell).unwrap_or_else(|error| panic!("{cell}: {error}"));
        let is_magic = |line: &str| line.trim_start().starts_with('%') || line.trim_end().ends_with('?');
        assert!(!expansion.code.lines().any(is_magic), "{cell} is not expanded");
        lines_kept(cell, &expansion.code);
    }
}

#[test]
fn help_page() {
    assert_eq!(help("%time?"), help("time"));
    assert_eq!(help("nothing"), None);
    expect![[r#"
        Wait for the device and say how long that took.

        Usage:
          %gpusync [on|off]
          %%gpusync

        Work on a GPU is queued: a call returns before its result is ready. %gpusync waits until the
        device has done all queued work and prints how long that took.

        %%gpusync runs the cell, waits for the device, and reports the host's and the device's time
        separately.

        Options:
          on    %timeit, %time and their %% forms wait for the device (default)
          off   they time only the host

        Examples:
          %gpusync
          %gpusync off

          %%gpusync
          let y = x + 1;
          y
    "#]]
    .assert_eq(&help("%%gpusync").unwrap());
}

#[test]
fn shell_lines() {
    check(
        "!ls -l \"a b\" 'c\\' # // all",
        expect![[r#"
            [plain]
            warpcell::session::shell("ls -l \"a b\" 'c\\' # // all");"#]],
    );
    check(
        "// first\n!ls\nlet ls_done = 1;\n!ls\nfor i in 0..3 {\n}\n!./run.sh --fast",
        expect![[r#"
            [plain]
            // first
            warpcell::session::shell("ls");
            let ls_done = 1;
            warpcell::session::shell("ls");
            for i in 0..3 {
            }
            warpcell::session::shell("./run.sh --fast");"#]],
    );
    check(
        "!ls\n%%time\nf(x)",
        expect![[r#"
            [timed]
            !ls
            warpcell::timing::time_begin();
            warpcell::timing::time_value(f(x))"#]],
    );
}

#[test]
fn scripts() {
    check(
        "// A script.\n%%bash\n# it's %time\necho \"a\\tb\" | cat\n!x?\n",
        expect![[r#"
            [plain]
            // A script.
            warpcell::session::script("bash", true, "
            # it's %time
            echo \"a\\tb\" | cat
            !x?
            ");"#]],
    );
    check(
        "%%bash --no-raise-error\nexit 1",
        expect![[r#"
            [plain]
            warpcell::session::script("bash", false, "
            exit 1");"#]],
    );
    check(
        "%%bash -x\nls",
        expect![[r#"
            UsageError
            line 1: `%%bash`: there is no option `-x`; there is `--no-raise-error`
            Usage: %%bash [--no-raise-error]
            `%bash?` shows more."#]],
    );
    check(
        "%%bash ls\nls",
        expect![[r#"
            UsageError
            line 1: `%%bash`: only options may follow it on its line, but got `ls`; write the script below
            Usage: %%bash [--no-raise-error]
            `%bash?` shows more."#]],
    );
    check(
        "%%bash\n  \n",
        expect![[r#"
            UsageError
            line 1: `%%bash`: there is nothing to run; write the script below
            Usage: %%bash [--no-raise-error]
            `%bash?` shows more."#]],
    );
}

#[test]
fn environment() {
    check(
        "let a = 1;\n%env\n%env HOME\n%env A=b // c\n%env A b = c\n%env URL=http://x\n%env Q=\"a b\"\n%env -u A",
        expect![[r#"
            [plain]
            let a = 1;
            warpcell::session::env_list();
            warpcell::session::env_get("HOME");
            warpcell::session::env_set("A", "b"); // c
            warpcell::session::env_set("A", "b = c");
            warpcell::session::env_set("URL", "http://x");
            warpcell::session::env_set("Q", "a b");
            warpcell::session::env_unset("A");"#]],
    );
    check(
        "%env -x A",
        expect![[r#"
            UsageError
            line 1: `%env`: there is no option `-x`; there is `-u`
            Usage: %env
            Usage: %env NAME
            Usage: %env NAME=VALUE
            Usage: %env -u NAME
            `%env?` shows more."#]],
    );
    check(
        "%env =b",
        expect![[r#"
            UsageError
            line 1: `%env`: `` cannot be the name of an environment variable
            Usage: %env
            Usage: %env NAME
            Usage: %env NAME=VALUE
            Usage: %env -u NAME
            `%env?` shows more."#]],
    );
    check(
        "%env A=1\n// then\n:dep rand",
        expect![[r#"
            UsageError
            line 1: `%env`: commands of evcxr, such as `:dep`, must stand above it
            Usage: %env
            Usage: %env NAME
            Usage: %env NAME=VALUE
            Usage: %env -u NAME
            `%env?` shows more."#]],
    );
}

#[test]
fn directories() {
    check(
        "%cd\n%cd -\n%cd -q ~/it's here // now\n%cd \"/a b\"\nfor d in dirs {\n    %cd ..\n}",
        expect![[r#"
            [plain]
            warpcell::session::cd("", false);
            warpcell::session::cd("-", false);
            warpcell::session::cd("~/it's here", true); // now
            warpcell::session::cd("/a b", false);
            for d in dirs {
                warpcell::session::cd("..", false);
            }"#]],
    );
    check(
        "%cd -x",
        expect![[r#"
            UsageError
            line 1: `%cd`: there is no option `-x`; there is `-q`
            Usage: %cd [-q] [DIRECTORY | -]
            `%cd?` shows more."#]],
    );
}

#[test]
fn variables() {
    check(
        "%who",
        expect![[r#"
            [plain, prints `array  flag  type  x`]
        "#]],
    );
    check(
        "%who bool i32\n%who u8",
        expect![[r#"
            [plain, prints `flag  x`, prints `There are no variables of type u8.`]

        "#]],
    );
    check(
        "%whos f32 String",
        expect![[r#"
            [plain]
            { #[allow(unused_imports)] use warpcell::session::{DescribeDevice as _, DescribeHost as _, DescribeDebug as _, DescribeAny as _}; warpcell::session::whos(&[("array", "DeviceArray<f32>", (&&&&warpcell::session::Probe(&array)).describe()), ("type", "String", (&&&&warpcell::session::Probe(&r#type)).describe())]); }"#]],
    );
    check(
        "%whos u8",
        expect![[r#"
            [plain]
            println!("{}", "There are no variables of type u8.");"#]],
    );
}

#[test]
fn device() {
    check(
        "%gpuinfo // all",
        expect![[r#"
            [plain]
            warpcell::session::gpuinfo(); // all"#]],
    );
    check(
        "%gpuinfo 0",
        expect![[r#"
            UsageError
            line 1: `%gpuinfo`: takes no arguments, but got `0`
            Usage: %gpuinfo
            `%gpuinfo?` shows more."#]],
    );
}

#[test]
fn questions() {
    check(
        "let y = 1;\ny?\n?gpu::zeros\n  Vec::new?\nprintln!??\nx.len? // twice\n// last\nf()",
        expect![[r#"
            [plain, describes `y`, describes `gpu::zeros`, describes `Vec::new`, describes with source `println!`]
            let y = 1;




            x.len? // twice
            // last
            f()"#]],
    );
}

#[test]
fn arguments_are_completed() {
    let complete = |cell: &str| match complete_at(cell, cell.len(), &notebook()) {
        Some(Completing::Words { range, candidates }) => {
            let words: Vec<String> = candidates.into_iter().map(|candidate| candidate.text).collect();
            format!("{} -> {}", &cell[range], words.join(" "))
        }
        Some(Completing::Path { range, directories, shell }) => format!("{} {directories} {shell}", &cell[range]),
        None => "Rust".to_owned(),
    };
    assert_eq!(complete("%ti"), "%ti -> %time %timeit");
    assert_eq!(complete("%timeit -"), "- -> -n -r -t -c -p -q -o -v --");
    assert_eq!(complete("%%timeit -n 3 -"), "- -> -n -r -t -c -p -q -o -v --");
    assert_eq!(complete("%timeit x -"), "Rust");
    assert_eq!(complete("%timeit arr"), "Rust");
    assert_eq!(complete("%gpusync o"), "o -> on off");
    assert_eq!(complete("%gpusync "), " -> on off");
    assert_eq!(complete("%env -"), "- -> -u");
    assert_eq!(complete("%%bash -"), "- -> --no-raise-error");
    assert_eq!(complete("let a = 1;\n%cd -q a b"), "a b true false");
    assert_eq!(complete("%cd "), " true false");
    assert_eq!(complete("%cd -"), "- -> -q");
    assert_eq!(complete("%load -r 1-3 src/l"), "src/l false false");
    assert_eq!(complete("%%writefile -a out"), "out false false");
    assert_eq!(complete("!cat a\\ b/c"), "a\\ b/c false true");
    assert_eq!(complete("!ls -l sr"), "sr false true");
    assert_eq!(complete("let a = 1;\n!./ru"), "./ru false true");
    assert_eq!(complete("let a = 1;\n!array.is_em"), "Rust");
    assert_eq!(complete("%%writefile out\nsr"), " -> ");
    assert_eq!(complete("let a = sr"), "Rust");
}

#[test]
fn in_other_languages_nothing_of_rust_is_completed() {
    let none = |cell: &str| match complete_at(cell, cell.len(), &notebook()) {
        Some(Completing::Words { candidates, .. }) => candidates.is_empty(),
        _ => false,
    };
    for cell in ["%%html\nx", "%%writefile a.rs\nx", "%%sh\nx", "%%latex\na\n%ti"] {
        assert!(none(cell), "{cell}");
    }
    for (cell, start) in [("%%bash\nls da", 10), ("%%bash\n", 7), ("%%bash\ncat a\\ b", 11)] {
        let path = Completing::Path { range: start..cell.len(), directories: false, shell: true };
        assert_eq!(complete_at(cell, cell.len(), &notebook()), Some(path), "{cell}");
    }
}

#[test]
fn below_a_cell_magic_rust_is_completed() {
    let of = |cell: &str| rust_around(cell, cell.len()).into_owned();
    for (cell, expected) in [
        ("%%capture é\nx.", "            \nx."),
        ("// a\n%check\n%%time\nx.", "// a\n      \n      \nx."),
        ("%%prun -l 3\n%time x.", "           \n%time x."),
        ("%%timeit -n 2 let a = x;\na.", "              let a = x;\na."),
        ("%%timeit let a = x.", "         let a = x."),
    ] {
        assert_eq!(of(cell), expected, "{cell}");
    }
    for cell in ["%%bash\nx", "%%capture", "%%timeit -n 3 -", "%%timeit -n", "x\n%%time\nx", "%time x.", "%%nothing\nx"]
    {
        assert_eq!(of(cell), cell);
    }
    assert_eq!(rust_around("%%capture out\nx", 5), "%%capture out\nx");
}

#[test]
fn items_are_found_by_name() {
    let text = "/// One.\n#[inline]\npub fn f() {}\nmod m { fn f() {} }\nlet x = 1;\nmacro_rules! say { () => {} }";
    assert_eq!(items_named(text, "f"), ["/// One.\n#[inline]\npub fn f() {}", "fn f() {}"]);
    assert_eq!(items_named(text, "say"), ["macro_rules! say { () => {} }"]);
    assert_eq!(items_named(text, "x"), [""; 0]);
}

/// `kernel/MAGICS.md` is what the table says (`UPDATE_EXPECT=1 cargo test` rewrites it).
#[test]
fn the_reference_page_is_made_from_the_table() {
    expect_file!["../../MAGICS.md"].assert_eq(&page());
}

#[test]
fn options_of_the_table_are_those_of_the_usage() {
    for magic in MAGICS {
        for option in magic.options.iter().filter(|option| option.text != "--") {
            let form = format!("{} {}", option.text, option.value);
            assert!(magic.usage.contains(form.trim_end()), "the usage of {} lacks {form}", magic.name);
            assert!(!option.meaning.is_empty() && !option.meaning.ends_with('.'), "{}: {form}", magic.name);
        }
        for part in magic.usage.split(['[', ' ', '|', ']', '\n']).filter(|part| part.len() > 1 && part.starts_with('-'))
        {
            assert!(magic.options.iter().any(|option| option.text == part), "{}: {part} is not described", magic.name);
        }
    }
}
