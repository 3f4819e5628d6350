//! Types of numbers that a program's cells leave open, which the kernel writes into them.
//!
//! The kernel compiles cell by cell: the types of variables are known at the end of their cell. In a program a later cell could still choose
//! them, such as an array of `i32` for `let o = gpu::ones(3);` because of `o * 3`. So the compiler says which types the variables have at the
//! ends of their cells. Those that are open get the type that the kernel gives them. Numbers in cells get their types as in the kernel, by
//! [`OpenTypes`].

use super::program::Program;
use crate::build_step::{CompilerMessage, bindings};
use crate::evaluator::open_types::{Failure, NextAttempt, OpenTypes, PlacedError, outermost, with_texts};
use crate::syntax::{attribute, is_word, offset_of, parse, range_of, words};
use anyhow::Result;
use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

/// What the compiler calls open numbers, and the types that the kernel gives them.
const NUMBERS: [(&str, &str); 2] = [("{float}", "f64"), ("{integer}", "i32")];
/// Arrays whose elements' type functions such as `gpu::zeros` leave open.
const ARRAYS: [&str; 2] = ["DeviceArray<", "ArrayBase<"];
/// Types that each program can name.
const TYPES: [&str; 13] =
    ["DeviceArray", "Vec", "Option", "Box", "String", "str", "usize", "u8", "i64", "f64", "f32", "i32", "bool"];
/// How the compiler calls arrays of `ndarray`, and the name that the prelude has for them: `NUMBER` is that of the axes.
const HOST_ARRAY: (&str, &str) = ("ArrayBase<OwnedRepr<", ">, Dim<[usize; NUMBER]>>");
/// How the compiler says the type of a value.
const HAS_TYPE: &str = "this expression has type `";
/// What modules of earlier definitions begin with.
pub const EARLIER: &str = "/// Definitions that later cells replace.";

/// The cells of a program, and the types that are written into them.
pub struct CellTypes {
    /// The program without these types.
    text: Rc<str>,
    cells: Vec<CellPart>,
    /// Behind the names of variables.
    annotations: BTreeMap<usize, String>,
}

/// The items or the statements of a cell.
struct CellPart {
    start: usize,
    nodes: Vec<(usize, SyntaxNode)>,
    /// Where all variables are known that later cells see, which tests and items do not have.
    end: Option<usize>,
    open: Option<OpenTypes>,
    /// Whether all was tried that the kernel tries.
    is_done: bool,
}

/// A variable of a cell, at its end.
struct Variable {
    part: usize,
    name: String,
    its_type: String,
}

impl CellTypes {
    /// The cells of a program.
    pub fn of(program: &Program) -> CellTypes {
        let mut types = CellTypes::with_starts(&program.text, &program.lines);
        let file = parse(&program.text).syntax_node();
        file.children().for_each(|node| types.add(node, program));
        types
    }

    /// The items of cells. `lines` are where cells begin, from 1.
    pub fn of_items(text: &str, lines: &[(usize, usize)]) -> CellTypes {
        let mut types = CellTypes::with_starts(text, lines);
        parse(text).syntax_node().children().for_each(|node| types.put(node));
        types
    }

    fn with_starts(text: &str, lines: &[(usize, usize)]) -> CellTypes {
        let starts = lines.iter().map(|&(line, _)| offset_of(text, line, 1));
        let part = |start| CellPart { start, nodes: Vec::new(), end: None, open: None, is_done: false };
        CellTypes { text: Rc::from(text), cells: starts.map(part).collect(), annotations: BTreeMap::new() }
    }

    fn add(&mut self, node: SyntaxNode, program: &Program) {
        if let Some(module) = ast::Module::cast(node.clone())
            && node.text().to_string().starts_with(EARLIER)
        {
            let items = module.item_list().into_iter().flat_map(|list| list.items());
            return items.for_each(|item| self.put(item.syntax().clone()));
        }
        let function = ast::Fn::cast(node.clone());
        let is_test = function.as_ref().is_some_and(|function| attribute(function, &["test"]).is_some());
        let has_cells = |function: &ast::Fn| function.name().is_some_and(|name| program.has_cells(name.text()));
        let Some(list) = function
            .filter(|function| is_test || has_cells(function))
            .and_then(|function| function.body()?.stmt_list())
        else {
            return self.put(node);
        };
        let is_value = |node: &SyntaxNode| ast::Expr::can_cast(node.kind()) && !node.text().to_string().ends_with('}');
        for node in list.syntax().children().filter(|node| !is_value(node)) {
            match ast::IfExpr::cast(node.clone()).or_else(|| node.children().find_map(ast::IfExpr::cast)) {
                Some(test) if program.is_test(&test.syntax().text().to_string()) => {
                    let block = test.then_branch().and_then(|block| block.stmt_list());
                    block.into_iter().flat_map(|list| list.syntax().children()).for_each(|node| self.put(node));
                }
                _ => {
                    let end = range_of(&node).end;
                    if let Some(part) = self.put_of(node)
                        && !is_test
                    {
                        self.cells[part].end = Some(end);
                    }
                }
            }
        }
    }

    fn put(&mut self, node: SyntaxNode) {
        self.put_of(node);
    }

    /// Gives a statement or an item to its part.
    fn put_of(&mut self, node: SyntaxNode) -> Option<usize> {
        let start = range_of(&node).start;
        let part = self.part_at(start)?;
        self.cells[part].nodes.push((start, node));
        Some(part)
    }

    fn part_at(&self, place: usize) -> Option<usize> {
        self.cells.partition_point(|part| part.start <= place).checked_sub(1)
    }

    /// The types, each behind a byte of the text.
    fn written(&self) -> BTreeMap<usize, String> {
        let open = self.cells.iter().filter_map(|part| part.open.as_ref()).flat_map(OpenTypes::written);
        open.chain(self.annotations.iter().map(|(&place, written)| (place, written.clone()))).collect()
    }

    /// The program with the types.
    pub fn text(&self) -> String {
        with_texts(&self.text, self.written().into_iter())
    }

    /// Learns from what the compiler says of the program with the types: `file` is that of the program, and `ask` has the compiler read
    /// another text. Returns whether there are other types.
    pub fn learn(&mut self, messages: &str, file: &str, ask: &mut dyn FnMut(&str) -> Result<String>) -> Result<bool> {
        let variables = self.variables(file, ask)?;
        let mut is_changed = self.close_arrays(&variables);
        if is_changed {
            return Ok(true);
        }
        for (part, errors) in self.errors_by_part(messages, file) {
            is_changed |= self.learn_of(part, Failure::by(errors), &variables);
        }
        Ok(is_changed)
    }

    /// Learns from the errors of a part.
    fn learn_of(&mut self, part: usize, failure: Failure, variables: &[Variable]) -> bool {
        if self.cells[part].is_done || !failure.is_about_types() {
            return false;
        }
        // The kernel knows the types of earlier cells' variables.
        if self.close_numbers(part, variables) {
            return true;
        }
        let next = match &mut self.cells[part].open {
            Some(open) => open.learn_from(&failure),
            None if !failure.is_open() => return false,
            None => match self.opened(part).begin(&failure) {
                true => NextAttempt::Try,
                false => NextAttempt::SayLast,
            },
        };
        if next == NextAttempt::SayFirst {
            self.cells[part].open = None;
        }
        self.cells[part].is_done = next != NextAttempt::Try;
        next == NextAttempt::Try
    }

    /// The places for types in a part.
    fn opened(&mut self, part: usize) -> &mut OpenTypes {
        let text = Rc::clone(&self.text);
        let CellPart { nodes, open, .. } = &mut self.cells[part];
        open.get_or_insert_with(|| OpenTypes::in_statements(text, nodes.clone()))
    }

    /// The errors about each part, with their places in the text without types.
    fn errors_by_part(&self, messages: &str, file: &str) -> BTreeMap<usize, Vec<PlacedError>> {
        let (written, typed) = (self.written(), self.text());
        let mut parts: BTreeMap<usize, Vec<PlacedError>> = BTreeMap::new();
        for message in CompilerMessage::own_errors(messages) {
            let place = range_in(&typed, &message, file);
            let place = place.map(|range| without(&written, range.start)..without(&written, range.end));
            if let Some(part) = place.as_ref().and_then(|range| self.part_at(range.start)) {
                parts.entry(part).or_default().push((message, place));
            }
        }
        parts
    }

    /// The variables at the ends of their cells, as far as the compiler knows their types.
    fn variables(&self, file: &str, ask: &mut dyn FnMut(&str) -> Result<String>) -> Result<Vec<Variable>> {
        let mut written = self.written();
        // A pattern that fits no value, on the same line.
        let question = |name: &str| format!(" let () = {name};");
        let mut asked = Vec::new();
        for (part, CellPart { end, nodes, .. }) in self.cells.iter().enumerate() {
            let Some(end) = end else { continue };
            let names: BTreeSet<String> =
                nodes.iter().flat_map(|(_, node)| bindings(node)).map(|binding| binding.name).collect();
            let text = written.entry(*end).or_default();
            for name in names {
                let behind = text.len();
                text.push_str(&question(&name));
                asked.push((*end, behind..text.len(), part, name));
            }
        }
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let text = with_texts(&self.text, written.clone().into_iter());
        let messages = ask(&text)?;
        let mut found = BTreeMap::new();
        for message in CompilerMessage::own_errors(&messages) {
            let label = message.spans().iter().find_map(|span| span["label"].as_str()?.strip_prefix(HAS_TYPE));
            if let (Some(said), Some(range)) = (label, range_in(&text, &message, file)) {
                found.insert(range.start, said.trim_end_matches('`').to_owned());
            }
        }
        let before = |place: usize| written.range(..place).map(|(_, text)| text.len()).sum::<usize>();
        let variables = asked.into_iter().filter_map(|(end, within, part, name)| {
            let start = end + before(end) + within.start;
            let (_, its_type) = found.range(start..start + within.len()).next()?;
            Some(Variable { part, name, its_type: its_type.clone() })
        });
        Ok(variables.collect())
    }

    /// Writes the types for arrays whose elements' type is open at the ends of their cells.
    fn close_arrays(&mut self, variables: &[Variable]) -> bool {
        let mut is_changed = false;
        for Variable { part, its_type, .. } in variables {
            let is_array = ARRAYS.iter().any(|array| its_type.contains(array));
            if is_array && words(its_type).any(|word| word == "_") && !self.cells[*part].is_done {
                let open = self.opened(*part);
                is_changed |= open.write_functions() || open.write_open();
            }
        }
        is_changed
    }

    /// Gives the variables of earlier cells that a part uses the types that the kernel knows.
    fn close_numbers(&mut self, part: usize, variables: &[Variable]) -> bool {
        let used: BTreeSet<String> = self.cells[part].nodes.iter().flat_map(|(_, node)| words_of(node)).collect();
        let mut is_changed = false;
        for Variable { part, name, its_type } in variables.iter().filter(|variable| variable.part < part) {
            if used.contains(name) && NUMBERS.iter().any(|(said, _)| its_type.contains(said)) {
                is_changed |= self.close(*part, name, its_type);
            }
        }
        is_changed
    }

    /// Gives a variable its type: behind its name, or else behind the numbers that it is made of.
    fn close(&mut self, part: usize, name: &str, its_type: &str) -> bool {
        let defines = |(_, node): &&(usize, SyntaxNode)| bindings(node).iter().any(|binding| binding.name == name);
        let Some((start, node)) = self.cells[part].nodes.iter().rfind(defines) else { return false };
        let range = *start..start + range_of(node).len();
        let place = ast::LetStmt::cast(node.clone()).filter(|statement| statement.ty().is_none());
        let pattern = place.and_then(|statement| statement.pat());
        let pattern = pattern.filter(|pattern| matches!(pattern, ast::Pat::IdentPat(ident) if ident.pat().is_none()));
        if let (Some(pattern), Some(known)) = (pattern, self.type_as_code(its_type)) {
            let end = range_of(pattern.syntax()).end;
            return self.annotations.insert(end, format!(": {known}")).is_none();
        }
        let wanted = [its_type.contains("{float}"), its_type.contains("{integer}")];
        let open = self.opened(part);
        let mut is_changed = false;
        for (floats, _) in [true, false].into_iter().zip(wanted).filter(|(_, is_wanted)| *is_wanted) {
            is_changed |= open.write_within(&range, floats);
        }
        is_changed
    }

    /// A type as the program can write it.
    fn type_as_code(&self, said: &str) -> Option<String> {
        let mut code = NUMBERS.iter().fold(said.to_owned(), |code, (open, known)| code.replace(open, known));
        for axes in 1..=6 {
            let end = HOST_ARRAY.1.replace("NUMBER", &axes.to_string());
            while let Some(start) = code.find(HOST_ARRAY.0)
                && let Some(close) = code[start..].find(&end).map(|at| start + at)
            {
                let element = code[start + HOST_ARRAY.0.len()..close].to_owned();
                code.replace_range(start..close + end.len(), &format!("Array{axes}<{element}>"));
            }
        }
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_host = |word: &str| word.strip_prefix("Array").is_some_and(is_number);
        let is_named = |word: &str| {
            let begins = |line: &str| line.starts_with("use ") || line.contains(&format!("struct {word}"));
            self.text.lines().any(|line| begins(line) && words(line).any(|known| known == word))
        };
        let is_known = |word: &str| TYPES.contains(&word) || is_number(word) || is_host(word) || is_named(word);
        let is_plain = code.chars().all(|c| is_word(c) || "<>,; ()[]&".contains(c));
        (is_plain && words(&code).all(|word| word != "_" && is_known(word))).then_some(code)
    }
}

/// The words of a node, also those in texts.
fn words_of(node: &SyntaxNode) -> Vec<String> {
    words(&node.text().to_string()).map(str::to_owned).collect()
}

/// A place in a text without what is written into it.
fn without(written: &BTreeMap<usize, String>, place: usize) -> usize {
    let mut inserted = 0;
    for (&at, text) in written {
        if at + inserted >= place {
            break;
        }
        inserted = (inserted + text.len()).min(place - at);
    }
    place - inserted
}

/// The main place of a message in a file.
pub fn span_in<'a>(message: &'a CompilerMessage, file: &str) -> Option<&'a Value> {
    let span = outermost(message)?;
    let is_here = |name: &str| Path::new(name).file_name().is_some_and(|name| *name == *file);
    span["file_name"].as_str().is_none_or(is_here).then_some(span)
}

fn range_in(text: &str, message: &CompilerMessage, file: &str) -> Option<Range<usize>> {
    let span = span_in(message, file)?;
    let place = |line: &str, column: &str| {
        let number = |name: &str| usize::try_from(span[name].as_u64()?).ok();
        Some(offset_of(text, number(line)?, number(column)?))
    };
    Some(place("line_start", "column_start")?..place("line_end", "column_end")?)
}

#[cfg(test)]
mod tests {
    use super::super::{cells, program, tests::notebook};
    use super::*;
    use crate::syntax::line_and_column;
    use serde_json::json;

    fn program(cells: &[&str]) -> Program {
        let cells: Vec<_> = cells.iter().map(|code| ("code", *code, json!({}))).collect();
        program::write(&cells::read(&notebook("rust", &cells)), "a.ipynb", false)
    }

    /// An error at the `nth` place of a text.
    fn error(text: &str, of: &str, code: &str, message: &str, label: &str) -> String {
        let start = text.find(of).unwrap();
        let ((line_start, column_start), (line_end, column_end)) =
            (line_and_column(text, start), line_and_column(text, start + of.len()));
        let span = json!({"is_primary": true, "label": label, "file_name": "/t/main.rs", "line_start": line_start, "line_end": line_end,
            "column_start": column_start, "column_end": column_end});
        json!({"level": "error", "code": {"code": code}, "message": message, "spans": [span]}).to_string()
    }

    /// Lets the types learn. The compiler knows types of variables, by their names.
    fn learn(types: &mut CellTypes, messages: &str, known: &[(&str, &str)]) -> bool {
        let mut ask = |text: &str| {
            let answers =
                known.iter().filter(|(name, _)| text.contains(&format!("let () = {name};"))).map(|(name, its_type)| {
                    error(
                        text,
                        &format!("() = {name};"),
                        "E0308",
                        "mismatched types",
                        &format!("{HAS_TYPE}{its_type}`"),
                    )
                });
            Ok(answers.collect::<Vec<_>>().join("\n"))
        };
        types.learn(messages, "main.rs", &mut ask).unwrap()
    }

    #[test]
    fn arrays_have_their_types_at_the_ends_of_their_cells() {
        let mut types = CellTypes::of(&program(&["let o = gpu::ones((2, 2));\nlet n = 3;", "o * 3"]));
        assert!(learn(&mut types, "", &[("o", "DeviceArray<_>"), ("n", "{integer}")]));
        assert!(types.text().contains("let o = gpu::ones::<f64>((2, 2));\n    let n = 3;"), "{}", types.text());
        assert!(!learn(&mut types, "", &[("o", "DeviceArray<f64>"), ("n", "{integer}")]));
        let said = error(&types.text(), "o * 3", "E0277", "cannot multiply `DeviceArray<f64>` by `{integer}`", "");
        assert!(learn(&mut types, &said, &[]));
        assert!(types.text().contains("show(&(o * 3_f64));"), "{}", types.text());
    }

    #[test]
    fn variables_of_earlier_cells_get_their_types_behind_their_names() {
        let cells = [
            "let mut x = 2.0;\nlet (p, q) = (1, 0.5);\nlet h = ndarray::array![[1.5]];\nlet other = 1.0;\nlet c = f(1.5, 2);",
            "g(x.sqrt(), q.sqrt(), h, c)",
        ];
        let mut types = CellTypes::of(&program(&cells));
        let said =
            error(&types.text(), "sqrt", "E0689", "can't call method `sqrt` on ambiguous numeric type `{float}`", "");
        let host = "ArrayBase<OwnedRepr<{float}>, Dim<[usize; 2]>>";
        let known = [("x", "{float}"), ("q", "{float}"), ("h", host), ("other", "{float}"), ("c", "Unknown<{float}>")];
        assert!(learn(&mut types, &said, &known));
        let text = types.text();
        for line in [
            "let mut x: f64 = 2.0;",
            "let (p, q) = (1, 0.5_f64);",
            "let h: Array2<f64> = ndarray::array![[1.5]];",
            "let other = 1.0;",
            "let c = f(1.5_f64, 2);",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn errors_about_moved_values_take_no_type_back() {
        let mut types = CellTypes::of(&program(&["let a = gpu::ones::<f64>(2);\nlet b = a * 2;", "a"]));
        let said = error(&types.text(), "a * 2", "E0277", "cannot multiply `DeviceArray<f64>` by `{integer}`", "");
        assert!(learn(&mut types, &said, &[]));
        let said = error(&types.text(), "a * 2_f64", "E0382", "use of moved value: `a`", "");
        assert!(!learn(&mut types, &said, &[]) && types.text().contains("a * 2_f64"));
    }

    #[test]
    fn the_parts_of_a_program_are_its_cells() {
        let types = CellTypes::of(&program(&["fn f() -> f64 { 2.0 }\nlet a = 1;", ":clear\nlet b = 2;\nf()"]));
        let shown: Vec<Vec<String>> = types
            .cells
            .iter()
            .map(|part| part.nodes.iter().map(|(_, node)| node.text().to_string()).collect())
            .collect();
        let find = |text: &str| shown.iter().position(|part| part.iter().any(|node| node.contains(text)));
        assert!(
            find("let a").is_some() && find("let a") != find("let b") && find("fn f() -> f64 { 2.0 }").is_some(),
            "{shown:?}"
        );
    }
}
