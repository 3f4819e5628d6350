//! The text of a program that was a notebook: `src/main.rs`.

use super::cells::{Cells, CodeCell, Part, ProgramCell};
use super::items::{Items, Versions};
use super::tokens::{indented, names};
use super::types::EARLIER;
use crate::notebook::Finding;
use crate::syntax::plain;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The crate by which cells with `.await` wait, and what evcxr asks of it.
pub const TOKIO: (&str, &str) = ("tokio", "{ version = \"1.34.0\", features = [\"rt\", \"rt-multi-thread\"] }");

/// What is said at the top of each program.
const LINTS: &str = "#![allow(unused, dropping_copy_types, dropping_references, clippy::all)]\n\
                     #![allow(non_snake_case, non_upper_case_globals, non_camel_case_types)]";
/// The names that cells have.
pub const IMPORTS: &str = "use warpcell as gpu;\nuse gpu::prelude::*;";
const RESULT: &str = "std::result::Result<(), gpu::program::Failure>";
/// What `main` and tests return where cells may fail.
const STATUS: &str = "std::process::ExitCode";
/// Behind the line that holds a variable until the end of the cell which replaces it, and behind the line that drops it.
const REPLACED: &str = "; // replaced below";
const DROPPED: &str = "; // replaced above";
/// The folder of pictures.
pub const OUTPUT: &str = "output";
/// The file of kernels that are compiled already, beside the program's text.
pub const KERNELS: &str = "kernels.bin";

/// A program's text, and where its cells are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub text: String,
    /// The first line of each part of a cell, from 1, with the cell's index. A part ends where the next one begins.
    pub lines: Vec<(usize, usize)>,
    /// Whether it waits for futures.
    pub awaits: bool,
    /// What of the cells could not be written.
    pub hidden: Vec<Finding>,
    /// Whether the compiler has read it.
    pub is_checked: bool,
    /// The names of its own.
    names: OwnNames,
}

/// Names that are the program's own: no word of the notebook's is one of them, or begins with one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OwnNames {
    /// The function that runs the cells. With `_1` that of the cells up to the first `:clear`.
    run_cells: String,
    /// Its argument, the test that is wanted.
    run_test: String,
    /// What the names of tests begin with.
    cell: String,
}

impl OwnNames {
    /// The name of a test's function.
    fn test(&self, cell: &ProgramCell) -> String {
        let name: String = cell.name().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("{}{name}", self.cell)
    }

    fn of<'a>(cells: impl Iterator<Item = &'a CodeCell>) -> OwnNames {
        let texts: Vec<&str> =
            cells.flat_map(|code| code.items.iter().chain([&code.statements])).map(String::as_str).collect();
        let words: BTreeSet<&str> = texts.into_iter().flat_map(crate::syntax::words).collect();
        let free = |name: &str, is_taken: &dyn Fn(&str, &str) -> bool| {
            let mut name = name.to_owned();
            while words.iter().any(|word| is_taken(plain(word), &name)) {
                name.insert_str(0, "program_");
            }
            name
        };
        let begins = |word: &str, name: &str| word.starts_with(name);
        OwnNames {
            run_cells: free("run_cells", &begins),
            run_test: free("run_test", &|word, name| word == name),
            cell: free("cell_", &begins),
        }
    }
}

impl Program {
    /// The cell that a line belongs to.
    pub fn cell_at(&self, line: usize) -> Option<usize> {
        let parts = self.lines.iter().take_while(|(first, _)| *first <= line);
        parts.last().map(|(_, cell)| *cell)
    }

    /// Whether a statement is a test among the statements of other cells.
    pub fn is_test(&self, statement: &str) -> bool {
        statement.strip_prefix("if ").is_some_and(|rest| rest.starts_with(&format!("{} == ", self.names.run_test)))
    }

    /// Whether a function of the program has statements of cells that are no tests.
    pub fn has_cells(&self, function: &str) -> bool {
        function == "main" || function.starts_with(&self.names.run_cells)
    }

    /// Removes the lines that hold and drop variables which later ones of the name replace, those among `lines` (from 1) or all.
    pub fn keep_variables(&mut self, lines: Option<&BTreeSet<usize>>) -> bool {
        let held: Vec<(usize, &str)> =
            (1..).zip(self.text.lines()).filter_map(|(line, text)| Some((line, held_by(text)?))).collect();
        let is_meant = |line: &usize| lines.is_none_or(|lines| lines.contains(line));
        let meant: BTreeSet<&str> = held.iter().filter(|(line, _)| is_meant(line)).map(|(_, name)| *name).collect();
        let removed: Vec<usize> = held.iter().filter(|(_, name)| meant.contains(name)).map(|(line, _)| *line).collect();
        let mut line = 0;
        let kept = self.text.split_inclusive('\n').filter(|_| {
            line += 1;
            !removed.contains(&line)
        });
        self.text = kept.collect();
        for (first, _) in &mut self.lines {
            *first -= removed.iter().filter(|removed| **removed < *first).count();
        }
        !removed.is_empty()
    }

    fn begin(&mut self, cell: usize) {
        self.lines.push((1 + self.text.matches('\n').count(), cell));
    }
}

/// The program of a notebook's cells. `title` is the notebook's name; `embeds` says whether kernels come along. No line depends on that.
pub fn write(cells: &Cells, title: &str, embeds: bool) -> Program {
    let all = || cells.cells.iter().filter_map(|cell| Some((cell.index, cell.code()?)));
    let items = Items::of(all());
    let versions = items.modules(all());
    let awaits = all().any(|(_, code)| code.awaits);
    let names = OwnNames::of(all().map(|(_, code)| code));
    let mut program = Program { awaits, hidden: versions.hidden.clone(), names, ..Program::default() };
    let _ = write!(
        program.text,
        "//! The notebook `{title}` as a program, written by Warpcell {}.\n//!\n//! `cargo run --release` runs its cells in their order. \
         Pictures become files in the folder `{OUTPUT}`.\n\n{LINTS}\n\n{IMPORTS}\n",
        env!("CARGO_PKG_VERSION")
    );
    for (cell, text) in
        cells.cells.iter().flat_map(|cell| items.macros_at_root(cell.index).map(move |text| (cell, text)))
    {
        program.text.push('\n');
        program.begin(cell.index);
        let _ = writeln!(program.text, "// Cell {}\n{text}", cell.name());
    }
    for cell in &cells.cells {
        let own: Vec<&str> = items.at_root(cell.index).collect();
        if !own.is_empty() {
            program.text.push('\n');
            program.begin(cell.index);
            let _ = writeln!(program.text, "// Cell {}", cell.name());
            for item in own {
                let _ = writeln!(program.text, "{item}\n");
            }
            program.text.truncate(program.text.trim_end().len());
            program.text.push('\n');
        }
    }
    for module in &versions.modules {
        let _ = write!(
            program.text,
            "\n{EARLIER}\nmod {} {{\n    use super::*;\n\n{}\n}}\n",
            module.name,
            indented(module.text.trim(), 4)
        );
    }
    Body { cells, versions: &versions, awaits, embeds, inside: inner_tests(cells) }.write(&mut program);
    program
}

/// The tests that use variables of other cells: they run behind the cells above them.
fn inner_tests(cells: &Cells) -> BTreeSet<usize> {
    let mut variables: BTreeSet<&str> = BTreeSet::new();
    let mut found = BTreeSet::new();
    for cell in &cells.cells {
        let Some(code) = cell.code() else { continue };
        if code.clears {
            variables.clear();
        }
        let uses = |name: &String| variables.contains(name.as_str());
        // A format text names variables too.
        let in_texts = || crate::syntax::words(&code.statements).any(|word| variables.contains(word));
        if code.is_test && (names(&code.statements).iter().any(uses) || in_texts()) {
            found.insert(cell.index);
        }
        variables.extend(code.variables.iter().map(String::as_str));
    }
    found
}

/// The functions with the statements.
struct Body<'a> {
    cells: &'a Cells,
    versions: &'a Versions,
    awaits: bool,
    embeds: bool,
    /// The tests among the statements.
    inside: BTreeSet<usize>,
}

impl Body<'_> {
    fn write(&self, program: &mut Program) {
        let OwnNames { run_cells, run_test, .. } = program.names.clone();
        let parts = self.parts();
        let may_fail = self.cells.cells.iter().filter_map(ProgramCell::code).any(|code| code.may_fail);
        let has_tests = !self.inside.is_empty();
        let returns = if may_fail { format!(" -> {RESULT}") } else { String::new() };
        let (asynchronous, wait) = if self.awaits { ("async ", ".await") } else { ("", "") };
        let argument = if has_tests { format!("{run_test}: &str") } else { String::new() };
        let passed = if has_tests { run_test.as_str() } else { "" };
        let question = if may_fail { "?" } else { "" };
        let end = if may_fail { "    Ok(())\n" } else { "" };
        let begin = match self.embeds {
            true => format!("    gpu::program::start_with_kernels(\"{OUTPUT}\", include_bytes!(\"{KERNELS}\"));\n"),
            false => format!("    gpu::program::start(\"{OUTPUT}\");\n"),
        };
        if parts.len() == 1 && !self.awaits && !has_tests && !may_fail {
            let _ = write!(program.text, "\nfn main() {{\n{begin}");
            self.statements(program, parts[0], end);
            program.text.push_str("\n    gpu::program::end();\n}\n");
        } else {
            let run = |test: &str| match self.awaits {
                true => {
                    format!(
                        "tokio::runtime::Runtime::new().expect(\"a runtime for futures\").block_on({run_cells}({test}))"
                    )
                }
                false => format!("{run_cells}({test})"),
            };
            program.text += &function("fn main()", &run(if has_tests { "\"\"" } else { "" }), may_fail);
            program.text.push_str("\n/// Runs the cells.");
            let about = " With the name of a test, its part ends behind this test; without one, tests are left out.";
            program.text.push_str(if has_tests { about } else { "" });
            let _ = write!(program.text, "\n{asynchronous}fn {run_cells}({argument}){returns} {{\n{begin}");
            if parts.len() == 1 {
                self.statements(program, parts[0], end);
            } else {
                (1..=parts.len()).for_each(|part| {
                    let _ = writeln!(program.text, "    {run_cells}_{part}({passed}){wait}{question};");
                });
            }
            let _ = write!(program.text, "\n    gpu::program::end();\n{end}}}\n");
            for (number, part) in parts.iter().enumerate().filter(|_| parts.len() > 1) {
                let head = "/// The cells up to the next `:clear`, which forgets their variables.";
                let name = number + 1;
                let _ = write!(program.text, "\n{head}\n{asynchronous}fn {run_cells}_{name}({argument}){returns} {{\n");
                self.statements(program, part, end);
                let _ = writeln!(program.text, "{end}}}");
            }
            for cell in self.cells.cells.iter().filter(|cell| self.inside.contains(&cell.index)) {
                let name = program.names.test(cell);
                program.text += &function(&format!("#[test]\nfn {name}()"), &run(&format!("\"{name}\"")), may_fail);
            }
        }
        for cell in &self.cells.cells {
            let Some(code) = cell.code().filter(|code| code.is_test && !self.inside.contains(&cell.index)) else {
                continue;
            };
            if !code.statements.trim().is_empty() {
                self.test(program, cell, code);
            }
        }
    }

    /// A test that uses no variables of other cells.
    fn test(&self, program: &mut Program, cell: &ProgramCell, code: &CodeCell) {
        let text = self.versions.statements(cell.index, code.statements.trim());
        let head = format!("#[test]\nfn {}()", program.names.test(cell));
        program.text.push('\n');
        program.begin(cell.index);
        if code.may_fail {
            let inner = format!("fn test() -> {RESULT} {{\n{}\n    Ok(())\n}}", indented(&text, 4));
            let _ = writeln!(
                program.text,
                "{head} -> {STATUS} {{\n{}\n    gpu::program::finish(test())\n}}",
                indented(&inner, 4)
            );
        } else {
            let _ = writeln!(program.text, "{head} {{\n{}\n}}", indented(&text, 4));
        }
    }

    /// The cells between those that forget the ones before.
    fn parts(&self) -> Vec<&[ProgramCell]> {
        let cells = &self.cells.cells;
        let clears = |cell: &ProgramCell| cell.code().is_some_and(|code| code.clears);
        let mut begins: Vec<usize> =
            cells.iter().enumerate().filter(|(_, cell)| clears(cell)).map(|(at, _)| at).collect();
        begins.retain(|&at| at > 0);
        begins.insert(0, 0);
        begins.push(cells.len());
        begins.windows(2).map(|pair| &cells[pair[0]..pair[1]]).collect()
    }

    fn statements(&self, program: &mut Program, cells: &[ProgramCell], end: &str) {
        let mut variables: BTreeSet<&str> = BTreeSet::new();
        for cell in cells {
            let before = program.text.len();
            match &cell.part {
                Part::Text(text) => {
                    let _ = write!(program.text, "\n{}", comment("    // ", text));
                }
                Part::LeftOut { code, reason } => {
                    let _ = write!(program.text, "\n    // Cell {} is left out: {}\n", cell.name(), one_line(reason));
                    program.text.push_str(&comment("    //     ", code));
                }
                Part::Code(code) => {
                    let replaced: Vec<&String> = code
                        .replaces
                        .iter()
                        .filter(|name| !code.is_test && variables.contains(name.as_str()))
                        .collect();
                    self.code(program, cell, code, &replaced, end);
                    variables.extend(code.variables.iter().map(String::as_str));
                }
            }
            // No blank line behind the brace of a function.
            if program.text[..before].ends_with("{\n") && program.text[before..].starts_with('\n') {
                program.text.remove(before);
                if let Some((line, _)) = program.lines.iter_mut().rfind(|(_, index)| *index == cell.index) {
                    *line -= 1;
                }
            }
        }
    }

    fn code(&self, program: &mut Program, cell: &ProgramCell, code: &CodeCell, replaced: &[&String], end: &str) {
        for note in &code.notes {
            let _ = write!(program.text, "\n{}", comment("    // ", note));
        }
        if code.statements.trim().is_empty() || (code.is_test && !self.inside.contains(&cell.index)) {
            return;
        }
        program.text.push('\n');
        program.begin(cell.index);
        let text = self.versions.statements(cell.index, code.statements.trim_matches(['\n', '\r']).trim_end());
        if code.is_test {
            let name = program.names.test(cell);
            let value = if end.is_empty() { "return;" } else { "return Ok(());" };
            let _ = write!(
                program.text,
                "    if {} == \"{name}\" {{\n{}\n        {value}\n    }}\n",
                program.names.run_test.clone(),
                indented(&text, 8)
            );
        } else {
            let _ = writeln!(program.text, "    gpu::program::cell(\"{}\");", cell.name());
            let holder = |name: &str| format!("{}_before_{}", plain(name), cell.index + 1);
            for name in replaced {
                let _ = writeln!(program.text, "    let {} = {name}{REPLACED}", holder(name));
            }
            let _ = writeln!(program.text, "{}", indented(&text, 4));
            // As the kernel does it, where a new value is stored when the statements behind it have run.
            for name in replaced.iter().rev() {
                let _ = writeln!(program.text, "    drop({}){DROPPED}", holder(name));
            }
        }
    }
}

/// The variable that a line holds for another one, or drops.
fn held_by(line: &str) -> Option<&str> {
    match line.strip_suffix(REPLACED) {
        Some(line) => Some(line.trim_start().strip_prefix("let ")?.split_once(" = ")?.0),
        None => line.strip_suffix(DROPPED)?.trim_start().strip_prefix("drop(")?.strip_suffix(')'),
    }
}

/// A function that makes a call. If that may fail, its value is the exit status.
fn function(head: &str, call: &str, may_fail: bool) -> String {
    match may_fail {
        true => format!("\n{head} -> {STATUS} {{\n    gpu::program::finish({call})\n}}\n"),
        false => format!("\n{head} {{\n    {call};\n}}\n"),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as comments. Pictures that are in it are left out.
fn comment(before: &str, text: &str) -> String {
    let lines = text.trim().lines().map(|line| if line.len() > LONGEST { "(a long line is left out)" } else { line });
    // A carriage return or another control character is not allowed in a comment, nor what changes the direction of text.
    let is_allowed =
        |c: &char| (!c.is_control() || *c == '\t') && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let clean = |line: &str| line.chars().filter(is_allowed).collect::<String>();
    lines.map(|line| format!("{}\n", format!("{before}{}", clean(line)).trim_end())).collect()
}

/// Lines of text that are longer are pictures.
const LONGEST: usize = 2000;

#[cfg(test)]
mod tests {
    use super::super::{cells, tests::notebook};
    use super::*;
    use serde_json::{Value, json};

    fn program(cells: &[(&str, &str, Value)]) -> Program {
        let found = cells::read(&notebook("rust", cells));
        assert_eq!(found.findings, []);
        write(&found, "a.ipynb", false)
    }

    #[test]
    fn kernels_that_come_along_move_no_line() {
        let test = json!({"metadata": {"tags": ["test"]}});
        for cells in [
            vec![("code", "1 + 1", json!({}))],
            vec![("code", "let x: i32 = \"1\".parse()?;", json!({})), ("code", "assert_eq!(x, 1);", test)],
        ] {
            let found = cells::read(&notebook("rust", &cells));
            let [plain, embedding] = [false, true].map(|embeds| write(&found, "a.ipynb", embeds));
            assert_eq!(plain.lines, embedding.lines);
            let start = "gpu::program::start_with_kernels(\"output\", include_bytes!(\"kernels.bin\"));";
            assert_eq!(embedding.text.replacen(start, "gpu::program::start(\"output\");", 1), plain.text);
            assert_ne!(embedding.text, plain.text);
        }
    }

    #[test]
    fn a_notebook_becomes_a_program() {
        let fails = json!({"metadata": {"tags": ["raises-exception"]}});
        let mut written = program(&[
            ("markdown", "# A title\n\nSome text.", json!({})),
            (
                "code",
                "use std::fmt::Write;\nlet x = 1;\nlet s = \"a\n  b\";\n\n// Sum.\nx + 1",
                json!({"id": "sum-up"}),
            ),
            ("code", "x.y()", fails),
            ("code", "#[vectorize]\nfn f(x: f32) -> f32 { 2.0 * x }\n%timeit -n 1 f(2.0)", json!({})),
            ("code", "let x = x + 1;\nlet s = 2;", json!({})),
        ]);
        expect_test::expect![[r#"
            //! The notebook `a.ipynb` as a program, written by Warpcell 0.1.0.
            //!
            //! `cargo run --release` runs its cells in their order. Pictures become files in the folder `output`.

            #![allow(unused, dropping_copy_types, dropping_references, clippy::all)]
            #![allow(non_snake_case, non_upper_case_globals, non_camel_case_types)]

            use warpcell as gpu;
            use gpu::prelude::*;

            // Cell 2-sum-up
            use std::fmt::Write;

            // Cell 4
            #[vectorize]
            fn f(x: f32) -> f32 { 2.0 * x }

            fn main() {
                gpu::program::start("output");

                // # A title
                //
                // Some text.

                gpu::program::cell("2-sum-up");
                let x = 1;
                let s = "a
              b";

                // Sum.
                gpu::program::show(&(x + 1));

                // Cell 3 is left out: it fails on purpose
                //     x.y()

                gpu::program::cell("4");
                gpu::timing::timeit(gpu::timing::TimeitOptions::new().loops(1), || { std::hint::black_box(f(2.0)); });

                gpu::program::cell("5");
                let s_before_5 = s; // replaced below
                let x = x + 1;
                let s = 2;
                drop(s_before_5); // replaced above

                gpu::program::end();
            }
        "#]]
        .assert_eq(&written.text);
        let line = 1 + written.text.lines().position(|line| line.contains("let x")).unwrap();
        assert_eq!((written.cell_at(line), written.cell_at(1)), (Some(1), None));
        let cell_of = |written: &Program| {
            let line = 1 + written.text.lines().position(|line| line.contains("let s = 2")).unwrap();
            written.cell_at(line)
        };
        assert!(!written.text.contains("x_before"));
        assert!(!written.keep_variables(Some(&BTreeSet::from([1, 2]))) && written.keep_variables(None));
        assert!(!written.text.contains("drop(") && cell_of(&written) == Some(4));
    }

    #[test]
    fn cells_may_fail_wait_forget_and_test() {
        let test = || json!({"metadata": {"tags": ["test"]}});
        let written = program(&[
            ("code", ":dep tokio\nlet n: i32 = \"1\".parse()?;\nf().await;\nasync fn f() {}", json!({})),
            ("code", "assert_eq!(n, 1);", test()),
            ("code", "assert_eq!(1 + 1, 2);", test()),
            ("code", "assert_eq!(\"2\".parse::<i32>()?, 2);", test()),
            ("code", ":clear\nlet m = 2;", json!({})),
        ]);
        expect_test::expect![[r#"
            //! The notebook `a.ipynb` as a program, written by Warpcell 0.1.0.
            //!
            //! `cargo run --release` runs its cells in their order. Pictures become files in the folder `output`.

            #![allow(unused, dropping_copy_types, dropping_references, clippy::all)]
            #![allow(non_snake_case, non_upper_case_globals, non_camel_case_types)]

            use warpcell as gpu;
            use gpu::prelude::*;

            // Cell 1
            async fn f() {}

            fn main() -> std::process::ExitCode {
                gpu::program::finish(tokio::runtime::Runtime::new().expect("a runtime for futures").block_on(run_cells("")))
            }

            /// Runs the cells. With the name of a test, its part ends behind this test; without one, tests are left out.
            async fn run_cells(run_test: &str) -> std::result::Result<(), gpu::program::Failure> {
                gpu::program::start("output");
                run_cells_1(run_test).await?;
                run_cells_2(run_test).await?;

                gpu::program::end();
                Ok(())
            }

            /// The cells up to the next `:clear`, which forgets their variables.
            async fn run_cells_1(run_test: &str) -> std::result::Result<(), gpu::program::Failure> {
                gpu::program::cell("1");
                let n: i32 = "1".parse()?;
                f().await;

                if run_test == "cell_2" {
                    assert_eq!(n, 1);
                    return Ok(());
                }
                Ok(())
            }

            /// The cells up to the next `:clear`, which forgets their variables.
            async fn run_cells_2(run_test: &str) -> std::result::Result<(), gpu::program::Failure> {
                gpu::program::cell("5");
                let m = 2;
                Ok(())
            }

            #[test]
            fn cell_2() -> std::process::ExitCode {
                gpu::program::finish(tokio::runtime::Runtime::new().expect("a runtime for futures").block_on(run_cells("cell_2")))
            }

            #[test]
            fn cell_3() {
                assert_eq!(1 + 1, 2);
            }

            #[test]
            fn cell_4() -> std::process::ExitCode {
                fn test() -> std::result::Result<(), gpu::program::Failure> {
                    assert_eq!("2".parse::<i32>()?, 2);
                    Ok(())
                }
                gpu::program::finish(test())
            }
        "#]]
        .assert_eq(&written.text);
    }
}
