//! The cells of a notebook as parts of a program: items, statements, crates, comments. Also what keeps a cell from being one.

use super::tokens::with_short_paths;
use crate::evaluator::commands;
use crate::magics::{self, Expansion, Notebook as Facts};
use crate::notebook::{FAILS, Finding, SKIPPED, has_tag, language, outputs_of, source};
use crate::syntax::{declared_name, parse, plain, statements, words};
use nbformat::v4::{Cell, Notebook, Output};
use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, T};
use std::collections::BTreeMap;

/// The tag of cells that become tests.
const TEST: &str = "test";
/// The magic of Rust cells in a Python notebook.
const RUST: &str = "%%rust";
/// Macros whose value is `()`.
const WITHOUT_VALUE: [&str; 10] = [
    "println",
    "print",
    "eprintln",
    "eprint",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
];
/// What magics that only describe the session become, where they are code.
const OF_SESSION: &str = "warpcell::session::whos(";
/// Commands of evcxr's that only show something or set how values are shown.
const ONLY_SHOWS: [&str; 15] = [
    ":vars",
    ":version",
    ":help",
    ":internal_debug",
    ":last_compile_dir",
    ":last_error_json",
    ":types",
    ":fmt",
    ":efmt",
    ":timing",
    ":time_passes",
    ":explain",
    ":show_deps",
    ":t",
    ":type",
];
/// Those that set how cells are compiled: cargo's profile does it here.
const SETS_BUILD: [&str; 10] = [
    ":opt",
    ":linker",
    ":toolchain",
    ":offline",
    ":preserve_vars_on_panic",
    ":sccache",
    ":cache",
    ":allow_static_linking",
    ":codegen_backend",
    ":quit",
];

/// What a cell is in the program.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// Comments.
    Text(String),
    /// Code that is left out, as comments, and why.
    LeftOut { code: String, reason: String },
    /// Code.
    Code(CodeCell),
}

/// The code of a cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CodeCell {
    /// Its items, in order.
    pub items: Vec<String>,
    /// Its statements, with the comments between them.
    pub statements: String,
    /// The variables that it binds.
    pub variables: Vec<String>,
    /// Those among them whose names it does not use before: an earlier variable of the name is not needed from its beginning on.
    pub replaces: Vec<String>,
    /// Whether a `?` ends the program with an error.
    pub may_fail: bool,
    /// Whether it waits for futures.
    pub awaits: bool,
    /// Whether variables and items of the cells before are forgotten first.
    pub clears: bool,
    /// Whether it is a test.
    pub is_test: bool,
    /// Notes about lines that are left out.
    pub notes: Vec<String>,
}

/// A cell of the program.
#[derive(Debug, PartialEq, Eq)]
pub struct ProgramCell {
    /// Its index in the notebook.
    pub index: usize,
    /// Its identifier.
    pub id: String,
    pub part: Part,
}

impl ProgramCell {
    /// The name for comments, functions and files: the number, and the identifier if people have chosen it.
    pub fn name(&self) -> String {
        let is_chosen = self.id.contains(|c: char| c.is_ascii_alphabetic() && !c.is_ascii_hexdigit());
        if is_chosen { format!("{}-{}", self.index + 1, self.id) } else { (self.index + 1).to_string() }
    }

    /// The code, if the cell has any.
    pub fn code(&self) -> Option<&CodeCell> {
        if let Part::Code(code) = &self.part { Some(code) } else { None }
    }
}

/// A notebook as cells of a program.
#[derive(Debug, Default)]
pub struct Cells {
    pub cells: Vec<ProgramCell>,
    /// The crates of `:dep`, with what Cargo.toml says of each.
    pub dependencies: BTreeMap<String, toml::Value>,
    /// What cannot be exported.
    pub findings: Vec<Finding>,
}

/// Reads the cells of a notebook.
pub fn read(notebook: &Notebook) -> Cells {
    let mut reader = Reader {
        is_python: language(notebook).is_some_and(|name| name.eq_ignore_ascii_case("python")),
        ..Reader::default()
    };
    for (index, cell) in notebook.cells.iter().enumerate() {
        let text = source(cell);
        if text.trim().is_empty() {
            continue;
        }
        let part = match cell {
            Cell::Code { execution_count, .. } => reader.code(index, cell, &text, *execution_count),
            Cell::Markdown { .. } => Part::Text(text),
            Cell::Raw { .. } => Part::LeftOut { code: text, reason: "a raw cell".to_owned() },
        };
        reader.found.cells.push(ProgramCell { index, id: cell.id().to_string(), part });
    }
    reader.found
}

#[derive(Default)]
struct Reader {
    is_python: bool,
    found: Cells,
    facts: Facts,
    /// The last execution count, and the cell that had it.
    last_count: Option<(i32, usize)>,
    /// The cell that defines `main`.
    main: Option<usize>,
}

impl Reader {
    fn find(&mut self, cell: usize, text: impl Into<String>) {
        self.found.findings.push(Finding { cell, text: text.into() });
    }

    /// Leaves a cell out.
    fn refuse(&mut self, cell: usize, code: &str, text: impl Into<String>) -> Part {
        let reason = text.into();
        self.find(cell, reason.clone());
        Part::LeftOut { code: code.to_owned(), reason }
    }

    fn code(&mut self, index: usize, cell: &Cell, text: &str, count: Option<i32>) -> Part {
        let text = match (self.is_python, text.strip_prefix(RUST)) {
            (true, Some(rest)) => rest.split_once('\n').map_or("", |(_, body)| body),
            (true, None) => {
                return self.refuse(index, text, "it is a cell of Python; only cells with `%%rust` become a program");
            }
            (false, _) => text,
        };
        if has_tag(cell, FAILS) {
            return Part::LeftOut { code: text.to_owned(), reason: "it fails on purpose".to_owned() };
        }
        if has_tag(cell, SKIPPED) {
            return Part::LeftOut { code: text.to_owned(), reason: format!("it has the tag `{SKIPPED}`") };
        }
        if let Some(error) = outputs_of(cell).iter().find_map(|output| match output {
            Output::Error(error) => Some(format!("{}: {}", error.ename, error.evalue)),
            _ => None,
        }) {
            let line = error.lines().next().unwrap_or_default().to_owned();
            let advice = format!("it has failed ({line}); correct it and run it again, or give it the tag `{FAILS}`");
            return self.refuse(index, text, advice);
        }
        if let Some(count) = count {
            if let Some((last, before)) = self.last_count.filter(|(last, _)| count < *last) {
                self.find(
                    index,
                    format!(
                        "it was run as number {count}, before cell {} (number {last}), which stands above it; restart the kernel \
                         and run all cells",
                        before + 1
                    ),
                );
            }
            self.last_count = Some((count, index));
        }
        self.rust(index, text, has_tag(cell, TEST))
    }

    fn rust(&mut self, index: usize, text: &str, is_test: bool) -> Part {
        let mut notes = Vec::new();
        let text = &without_inner(text, &mut notes);
        let expansion = match magics::expand(text, &self.facts) {
            Ok(expansion) => expansion,
            Err(error) => return self.refuse(index, text, error.to_string()),
        };
        let mut cell = CodeCell { is_test, notes, ..CodeCell::default() };
        let before = self.found.findings.len();
        let mut code = self.without_commands(index, &expansion, &mut cell);
        for action in expansion.before.iter().chain(&expansion.after) {
            match action.in_program() {
                Some(does) => code = format!("{does}\n{}", code.trim_start_matches('\n')),
                None => self.find(index, of_session(&action.line)),
            }
        }
        if code.contains(OF_SESSION) {
            self.find(index, "`%whos` shows the session, which a program does not have");
        }
        if self.found.findings.len() > before {
            return Part::LeftOut { code: text.to_owned(), reason: self.reasons(before) };
        }
        let code = with_short_paths(&code);
        if let Some(problem) = syntax_problem(&code) {
            return self.refuse(index, text, format!("it is not Rust that can be parsed: {problem}"));
        }
        self.take_apart(index, &code, &mut cell);
        if self.found.findings.len() > before {
            return Part::LeftOut { code: text.to_owned(), reason: self.reasons(before) };
        }
        Part::Code(cell)
    }

    fn reasons(&self, from: usize) -> String {
        let texts: Vec<&str> = self.found.findings[from..].iter().map(|finding| finding.text.as_str()).collect();
        texts.join("; ")
    }

    /// The code of a cell below its commands, and what they mean.
    fn without_commands(&mut self, index: usize, expansion: &Expansion, cell: &mut CodeCell) -> String {
        let code = &expansion.code;
        let mut before = String::new();
        let mut end = 0;
        for (place, name, argument) in commands::commands(code) {
            before.push_str(&shell_lines(&code[end..place.start], &self.facts));
            end = place.end;
            match name {
                ":dep" => self.dependency(index, argument),
                ":clear" | ":restart" => {
                    cell.clears = true;
                    self.facts = Facts::default();
                }
                ":env" => match argument.split_once('=') {
                    Some((name, value)) => {
                        before.push_str(&format!("warpcell::session::env_set({name:?}, {value:?});\n"));
                    }
                    None => self.find(index, format!("`{name}` takes NAME=value")),
                },
                _ if ONLY_SHOWS.contains(&name) || SETS_BUILD.contains(&name) => {
                    cell.notes.push(format!("`{}` has no meaning in a program", format!("{name} {argument}").trim()));
                }
                _ => self.find(index, format!("the command `{name}` has no meaning in a program")),
            }
        }
        let rest = &code[end..];
        let leading: usize =
            rest.split_inclusive('\n').take_while(|line| commands::is_above_code(line)).map(str::len).sum();
        before + &shell_lines(&rest[..leading], &self.facts) + &rest[leading..]
    }

    fn dependency(&mut self, index: usize, argument: &str) {
        let (name, requirement) = match argument.split_once('=') {
            Some((name, requirement)) => (name.trim(), requirement.trim()),
            None => (argument.trim(), "\"*\""),
        };
        if name.contains(['/', '.']) {
            return self.find(
                index,
                format!("`:dep {argument}` names a folder of this machine; publish the crate, or name its repository"),
            );
        }
        let value = toml::from_str::<toml::Table>(&format!("value = {requirement}")).ok();
        let Some(value) = value.and_then(|mut table| table.remove("value")).filter(|_| !name.is_empty()) else {
            return self.find(index, format!("`:dep {argument}` is not a line of Cargo.toml"));
        };
        if value.get("path").is_some() {
            return self.find(
                index,
                format!("`:dep {name}` names a folder of this machine (`path`); publish the crate, or name its repository (`git`)"),
            );
        }
        self.found.dependencies.insert(name.to_owned(), value);
    }

    /// Divides code into items and statements.
    fn take_apart(&mut self, index: usize, code: &str, cell: &mut CodeCell) {
        let nodes = statements(code);
        let last = nodes.len().saturating_sub(1);
        let mut end = 0;
        for (position, (start, node)) in nodes.iter().enumerate() {
            let text = node.text().to_string();
            let above = &code[end..(*start).max(end)];
            end = start + text.len();
            if let Some(item) = ast::Item::cast(node.clone()).filter(|item| !matches!(item, ast::Item::MacroCall(_))) {
                self.learn_item(index, &item);
                cell.items.push(comments_of(above) + &text);
                continue;
            }
            cell.statements.push_str(above);
            // Arguments of macros are tokens only.
            cell.may_fail |= is_outside(node, |node| ast::TryExpr::can_cast(node.kind()) || has_token(node, T![?]));
            cell.awaits |= is_outside(node, |node| ast::AwaitExpr::can_cast(node.kind()) || has_token(node, T![await]));
            if is_outside(node, |node| ast::ReturnExpr::can_cast(node.kind())) {
                self.find(index, "a `return` outside of functions would end the program; put the code into a function");
            }
            for name in bound_by(node) {
                // Texts name variables too.
                let uses = words(&cell.statements).chain(words(&text)).filter(|word| *word == name).count();
                if uses == 1 && !cell.variables.contains(&name) {
                    cell.replaces.push(name.clone());
                }
                cell.variables.push(name);
            }
            let shown = (position == last).then(|| ast::Expr::cast(node.clone())).flatten();
            match shown {
                Some(expression) if has_value(&expression) => {
                    cell.statements.push_str(&format!("gpu::program::show(&{});", in_parentheses(&expression)));
                }
                Some(_) if !text.ends_with('}') => cell.statements.push_str(&format!("{text};")),
                _ => cell.statements.push_str(&text),
            }
        }
        cell.statements.push_str(&code[end.min(code.len())..]);
        let of_variable = |name: &String| (name.clone(), String::new());
        self.facts.variables.extend(cell.variables.iter().map(of_variable));
    }

    fn learn_item(&mut self, index: usize, item: &ast::Item) {
        let Some(name) = declared_name(item.syntax()) else { return };
        if name == "main" && matches!(item, ast::Item::Fn(_)) {
            match self.main {
                Some(first) if first != index => {
                    self.find(
                        index,
                        format!("it defines `main`, as cell {} does; give one of them another name", first + 1),
                    );
                }
                _ => self.main = Some(index),
            }
        }
        self.facts.items.insert(name);
    }
}

/// What is wrong with a magic that a program cannot do.
fn of_session(line: &str) -> String {
    let mut words = line.split_whitespace();
    match (words.next().unwrap_or_default(), words.next()) {
        (name @ ("%run" | "%load"), Some(file)) => {
            format!("`{name} {file}` reads the file in the session; write the file's code into the cell")
        }
        (name @ "%%capture", _) => format!("`{name}` keeps what the cell shows in the session; leave the line out"),
        (name, _) => {
            format!("`{name}` shows or changes the session, which a program does not have; leave the line out")
        }
    }
}

/// A cell without what is about all of it at its top: documentation becomes comments, and attributes are noted.
fn without_inner(text: &str, notes: &mut Vec<String>) -> String {
    let mut is_top = true;
    let lines = text.split_inclusive('\n').map(|line| {
        let code = line.trim();
        is_top &= code.is_empty() || code.starts_with("//") || code.starts_with("#![");
        match (is_top, code.strip_prefix("//!")) {
            (true, Some(comment)) => format!("//{comment}\n"),
            (true, None) if code.starts_with("#![") && code.ends_with(']') => {
                notes.push(format!("`{code}` is left out: it would be about the whole program"));
                "\n".to_owned()
            }
            _ => line.to_owned(),
        }
    });
    lines.collect()
}

/// Lines for the shell as code; others as they are.
fn shell_lines(text: &str, facts: &Facts) -> String {
    let line = |line: &str| match line.starts_with('!') {
        true => format!("{}\n", magics::shell_line(line.trim_end(), facts)),
        false => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The first error of the parser.
fn syntax_problem(code: &str) -> Option<String> {
    parse(&format!("fn f() {{ {code}\n}}")).errors().first().map(ToString::to_string)
}

/// Comments between two items, without the blank lines around them.
fn comments_of(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{}\n", text.trim()) }
}

/// Whether something stands in a statement outside of the functions, closures and async blocks in it.
fn is_outside(node: &SyntaxNode, wanted: impl Fn(&SyntaxNode) -> bool) -> bool {
    let is_inner = |node: &SyntaxNode| {
        (ast::Item::can_cast(node.kind()) && !ast::MacroCall::can_cast(node.kind()))
            || ast::ClosureExpr::can_cast(node.kind())
            || ast::BlockExpr::cast(node.clone()).is_some_and(|block| block.async_token().is_some())
    };
    node.descendants().filter(|found| wanted(found)).any(|found| {
        !found
            .ancestors()
            .take_while(|above| above != node)
            .chain(std::iter::once(node.clone()))
            .any(|above| is_inner(&above))
    })
}

/// Whether a node is tokens of a macro's call with this one among them.
fn has_token(node: &SyntaxNode, kind: SyntaxKind) -> bool {
    let tokens = || node.children_with_tokens().filter_map(NodeOrToken::into_token);
    ast::TokenTree::can_cast(node.kind()) && tokens().any(|token| token.kind() == kind)
}

/// The variables that a `let` binds.
fn bound_by(node: &SyntaxNode) -> Vec<String> {
    let Some(statement) = ast::LetStmt::cast(node.clone()) else { return Vec::new() };
    let patterns = statement.pat().into_iter().flat_map(|pattern| pattern.syntax().descendants());
    let names = patterns.filter_map(ast::IdentPat::cast).filter_map(|pattern| pattern.name());
    names.map(|name| plain(name.text()).to_owned()).collect()
}

/// Whether an expression may have a value that a cell shows.
fn has_value(expression: &ast::Expr) -> bool {
    match expression {
        ast::Expr::ForExpr(_) | ast::Expr::WhileExpr(_) => false,
        ast::Expr::MacroExpr(call) => {
            let path = call.macro_call().and_then(|call| call.path());
            path.is_none_or(|path| !WITHOUT_VALUE.contains(&path.syntax().text().to_string().as_str()))
        }
        _ => true,
    }
}

/// The text of an expression as an operand of `&`.
fn in_parentheses(expression: &ast::Expr) -> String {
    let text = expression.syntax().text();
    match expression {
        ast::Expr::PathExpr(_)
        | ast::Expr::CallExpr(_)
        | ast::Expr::MethodCallExpr(_)
        | ast::Expr::FieldExpr(_)
        | ast::Expr::Literal(_)
        | ast::Expr::MacroExpr(_)
        | ast::Expr::ParenExpr(_)
        | ast::Expr::TupleExpr(_) => text.to_string(),
        _ => format!("({text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::export::tests::notebook;
    use serde_json::{Value, json};

    fn findings(language: &str, cells: &[(&str, &str, Value)]) -> Vec<String> {
        let found = read(&notebook(language, cells)).findings;
        found.into_iter().map(|finding| format!("{}: {}", finding.cell + 1, finding.text)).collect()
    }

    fn code(text: &str) -> CodeCell {
        let found = read(&notebook("rust", &[("code", text, json!({}))]));
        assert_eq!(found.findings, []);
        match found.cells.into_iter().next().unwrap().part {
            Part::Code(code) => code,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bad_cells_are_named() {
        let failed =
            json!({"outputs": [{"output_type": "error", "ename": "Panic", "evalue": "no\nmore", "traceback": []}]});
        let all = findings(
            "rust",
            &[
                ("code", "1 / 0", failed),
                ("code", ":dep mine = { path = \"../mine\" }\nlet x = 1;", json!({})),
                ("code", "fn main() {}", json!({})),
                ("code", "fn main() { 1; }", json!({})),
                ("code", "%matplotlib inline", json!({})),
                ("code", "%who", json!({})),
                ("code", "let c = 1;\n%run a.rs", json!({})),
                ("code", "%%capture out\n1 + 1", json!({})),
                ("code", "let a = 1;", json!({"execution_count": 5})),
                ("code", "let b = 1;", json!({"execution_count": 2})),
                ("code", "if a > 1 { return; }", json!({})),
                ("code", "import numpy as np", json!({})),
                ("code", ":dep ../mine", json!({})),
                ("code", "let", json!({"metadata": {"tags": ["raises-exception"]}})),
            ],
        );
        expect_test::expect![[r#"
            1: it has failed (Panic: no); correct it and run it again, or give it the tag `raises-exception`
            2: `:dep mine` names a folder of this machine (`path`); publish the crate, or name its repository (`git`)
            4: it defines `main`, as cell 3 does; give one of them another name
            5: line 1: there is no magic `%matplotlib`; leave the line out: plots are shown below the cell. `%lsmagic` lists all
            6: `%who` shows or changes the session, which a program does not have; leave the line out
            7: `%run a.rs` reads the file in the session; write the file's code into the cell
            8: `%%capture` keeps what the cell shows in the session; leave the line out
            10: it was run as number 2, before cell 9 (number 5), which stands above it; restart the kernel and run all cells
            11: a `return` outside of functions would end the program; put the code into a function
            12: it is not Rust that can be parsed: expected SEMICOLON
            13: `:dep ../mine` names a folder of this machine; publish the crate, or name its repository
        "#]]
        .assert_eq(&format!("{}\n", all.join("\n")));
    }

    #[test]
    fn cells_of_python_are_named() {
        let cells = [("code", "import numpy", json!({})), ("code", "%%rust\nlet x = 1;\nx", json!({}))];
        assert_eq!(
            findings("python", &cells),
            ["1: it is a cell of Python; only cells with `%%rust` become a program"]
        );
        let found = read(&notebook("python", &cells));
        assert_eq!(found.cells[1].code().unwrap().statements, "let x = 1;\ngpu::program::show(&x);");
    }

    #[test]
    fn values_are_shown_and_statements_are_not() {
        for (text, statements) in [
            ("1 + 1", "gpu::program::show(&(1 + 1));"),
            ("let x = 1; x", "let x = 1; gpu::program::show(&x);"),
            ("println!(\"a\")", "println!(\"a\");"),
            ("for i in 0..3 { f(i) }", "for i in 0..3 { f(i) }"),
            ("f(x); // said\n// end", "f(x); // said\n// end"),
            ("if a { 1 } else { 2 }", "gpu::program::show(&(if a { 1 } else { 2 }));"),
            ("vec![1]", "gpu::program::show(&vec![1]);"),
            ("%cd -q x", "gpu::session::cd(\"x\", true);"),
            ("!ls -l", "gpu::session::shell(\"ls -l\");"),
            (
                "%timeit -n 1 -r 1 f(2)",
                "gpu::timing::timeit(gpu::timing::TimeitOptions::new().loops(1).repeat(1), || { std::hint::black_box(f(2)); });",
            ),
            ("%%prun\nlet x = f(2);", "gpu::session::prun_begin(\"\");\nlet x = f(2); gpu::session::prun_end();"),
            ("%%writefile a.txt\nx \"y\"", "gpu::program::write_file(\"a.txt\", false, \"x \\\"y\\\"\n\");\n"),
            (":env A=b\n1;", "gpu::session::env_set(\"A\", \"b\");\n\n1;"),
        ] {
            assert_eq!(code(text).statements.trim(), statements.trim(), "{text}");
        }
    }

    #[test]
    fn items_and_statements_are_told_apart() {
        let cell = code(
            "use std::fmt;\n// About f.\nfn f() -> Option<u8> { Some(g()?) }\nlet (a, mut b) = (f()?, 1);\nstruct S;\na",
        );
        assert_eq!(cell.items, ["use std::fmt;", "// About f.\nfn f() -> Option<u8> { Some(g()?) }", "struct S;"]);
        assert_eq!(cell.variables, ["a", "b"]);
        assert!(cell.may_fail && !cell.awaits && !cell.clears);
        assert!(!code("let f = || -> Option<u8> { x? };").may_fail && code("for x in y { z(x)?; }").may_fail);
        assert!(code("println!(\"{}\", f()?);").may_fail && code("println!(\"{}\", f().await);").awaits);
        assert!(code("f().await").awaits && !code("let f = async { g().await };").awaits);
    }

    #[test]
    fn what_is_about_a_whole_cell_becomes_comments() {
        let cell = code("//! About it.\n#![allow(unused)]\n\nlet a = 1;\n//! not at the top");
        assert_eq!(cell.notes, ["`#![allow(unused)]` is left out: it would be about the whole program"]);
        assert!(cell.statements.starts_with("// About it.\n\n\nlet a = 1;"), "{}", cell.statements);
    }

    #[test]
    fn dependencies_are_lines_of_cargo() {
        let cells = [(
            "code",
            ":dep rand\n:dep serde = { version = \"1\", features = [\"derive\"] }\n:opt 3\nuse rand;",
            json!({}),
        )];
        let found = read(&notebook("rust", &cells));
        let texts: Vec<String> = found.dependencies.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        assert_eq!(texts, ["rand = \"*\"", "serde = { features = [\"derive\"], version = \"1\" }"]);
        assert_eq!(found.cells[0].code().unwrap().notes, ["`:opt 3` has no meaning in a program"]);
    }

    #[test]
    fn names_of_cells_are_readable() {
        let name = |id: &str| ProgramCell { index: 3, id: id.to_owned(), part: Part::Text(String::new()) }.name();
        assert_eq!([name("gauss"), name("3f2a9c1e"), name("0aa3-b1")], ["4-gauss", "4", "4"]);
    }
}
