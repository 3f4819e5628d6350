//! Finds the place in the cell for a place in compiled code. evcxr writes each statement and each item of a cell on its
//! own lines. Their order stays the same, and evcxr's own lines stand between them.

use crate::build_step::checks;
use crate::syntax::{NUMBER_SUFFIXES, blank, statements};
use ra_ap_syntax::ast::{self, AstNode};

/// The names of the function that contains the cell's statements: in code that runs, and in code for the analysis.
const FUNCTIONS: [&str; 2] = ["fn run_user_code_", "fn evcxr_analysis_wrapper("];

/// What [`open_types`](super::open_types) writes behind the names of functions.
const OF_FUNCTIONS: [&str; 4] = ["::<f64>", "::<f64, _>", "::<f32>", "::<f32, _>"];

/// The places in a cell of the lines of a source.
pub struct Places {
    /// For each line of the source: the line of the cell, from 1, and the number of characters by which the cell's text
    /// is further to the right. If the lines differ only in types, the characters are counted in lines [without
    /// types](without_types).
    lines: Vec<Option<(usize, isize)>>,
    /// The lines of the cell's code.
    code: Vec<String>,
    /// The lines of the source.
    source: Vec<String>,
    /// The line on which the function with the statements begins.
    body: usize,
}

impl Places {
    /// The places of a source that evcxr made of a cell's code.
    pub fn new(source: &str, code: &str) -> Places {
        let source: Vec<String> = checks::without_checks(source).lines().map(str::to_owned).collect();
        let body = source.iter().position(|line| FUNCTIONS.iter().any(|name| line.contains(name)));
        let body = body.unwrap_or(source.len());
        let code = without_commands(code);
        let code_lines = code.lines().map(str::to_owned).collect();
        let mut places = Places { lines: vec![None; source.len()], code: code_lines, source, body };
        let lines: Vec<&str> = code.lines().collect();
        let mut next = body;
        for (start, node) in statements(&code) {
            let first = code[..start].matches('\n').count();
            let text = node.text().to_string();
            let texts: Vec<&str> = text.lines().collect();
            let is_item = ast::Item::can_cast(node.kind());
            let found =
                if is_item { places.find(&texts, 0, body, true) } else { places.find(&texts, next, usize::MAX, false) };
            let Some(found) = found else { continue };
            for index in 0..texts.len() {
                places.set(found + index, first + index, &lines);
            }
            if !is_item {
                next = found + texts.len();
            }
        }
        places.find_alone(&lines);
        places
    }

    /// The first line from which on the source has these lines.
    fn find(&self, texts: &[&str], from: usize, to: usize, is_item: bool) -> Option<usize> {
        let to = to.min(self.source.len().saturating_sub(texts.len() - 1));
        // What begins with an attribute of ours is compiled without it.
        let is_without_attribute = |line: &str, text: &str| {
            is_item
                && !line.is_empty()
                && std::iter::successors(Some(text), |text| behind_attribute(text)).any(|rest| rest == line)
        };
        let agrees = |line: &String, text: &&str| is_same(line, text) || is_without_attribute(line.trim(), text.trim());
        (from..to).find(|&start| self.source[start..].iter().zip(texts).all(|(line, text)| agrees(line, text)))
    }

    /// Finds the remaining lines one by one. Such lines are not statements, or evcxr has taken the statement apart.
    fn find_alone(&mut self, lines: &[&str]) {
        for (line, text) in lines.iter().enumerate() {
            let is_known = self.lines.iter().flatten().any(|(known, _)| *known == line + 1);
            if is_known || text.trim().is_empty() {
                continue;
            }
            let same = |at: &usize| self.lines[*at].is_none() && is_same(&self.source[*at], text);
            if let Some(at) = (self.body..self.source.len()).find(same).or_else(|| (0..self.body).rev().find(same)) {
                self.set(at, line, lines);
            }
        }
    }

    /// Notes where a line of the source stands in the cell.
    fn set(&mut self, at: usize, line: usize, lines: &[&str]) {
        let Some(in_cell) = lines.get(line) else { return };
        let (mut text, mut in_cell) = (self.source[at].trim().to_owned(), (*in_cell).to_owned());
        if !in_cell.contains(&text) {
            (text, in_cell) = (without_types(&text), without_types(&in_cell));
        }
        let column = |line: &str| line.find(&text).map(|at| line[..at].chars().count());
        let indent = |line: &str| line.chars().take_while(|character| character.is_whitespace()).count();
        let (here, there) = (indent(&self.source[at]), column(&in_cell).unwrap_or_else(|| indent(&in_cell)));
        self.lines[at] = Some((line + 1, there.cast_signed() - here.cast_signed()));
    }

    /// The place in the cell of a place in the source; lines and columns from 1.
    pub fn in_cell(&self, line: usize, column: usize) -> Option<(usize, usize)> {
        let index = line.checked_sub(1)?;
        let ((line, shift), source) = ((*self.lines.get(index)?)?, &self.source[index]);
        let in_cell = self.code.get(line - 1).map(String::as_str).unwrap_or_default();
        if in_cell.contains(source.trim()) {
            return Some((line, column.saturating_add_signed(shift).max(1)));
        }
        let plain = column_without_types(source, column.saturating_sub(1)).saturating_add_signed(shift);
        Some((line, column_with_types(in_cell, plain) + 1))
    }

    /// The same for the start of an expression. The cell's value has brackets, on the lines before and behind it, and they are a part
    /// of it.
    pub fn start_in_cell(&self, line: usize, column: usize) -> Option<(usize, usize)> {
        let behind = || {
            let value = self.source.get(line)?;
            let blanks = value.chars().take_while(|character| character.is_whitespace()).count();
            let bracket = self.source[line.checked_sub(1)?].strip_suffix('(')?;
            (column == bracket.chars().count() + 1).then(|| self.in_cell(line + 1, blanks + 1))?
        };
        self.in_cell(line, column).or_else(behind)
    }

    /// The same for the end of an expression.
    pub fn end_in_cell(&self, line: usize, column: usize) -> Option<(usize, usize)> {
        let before = || {
            let value = self.source.get(line.checked_sub(2)?)?;
            let bracket = self.source[line - 1].find(')')?;
            (column == bracket + 2).then(|| self.in_cell(line - 1, value.trim_end().chars().count() + 1))?
        };
        self.in_cell(line, column).or_else(before)
    }

    /// The line of the source, if it is an item of an earlier cell.
    pub fn of_earlier_cell(&self, line: usize) -> Option<&str> {
        let index = line.checked_sub(1).filter(|index| *index < self.body && self.lines[*index].is_none())?;
        let text = self.source[index].trim();
        (!text.is_empty() && !text.contains("evcxr") && !text.starts_with("#!")).then_some(text)
    }
}

/// What stands behind the attribute that a line begins with.
fn behind_attribute(text: &str) -> Option<&str> {
    let mut depth = 0;
    let inside = text.strip_prefix('#')?;
    let end = inside.find(|character| {
        depth += i32::from(character == '[') - i32::from(character == ']');
        depth <= 0
    })?;
    inside[end..].strip_prefix(']').map(str::trim_start)
}

/// A line of code without types behind its numbers.
fn without_types(line: &str) -> String {
    let plain =
        NUMBER_SUFFIXES.iter().chain(&OF_FUNCTIONS).fold(line.to_owned(), |plain, written| plain.replace(written, ""));
    // `2.` has got a zero too; so `2.0` is the same here.
    let mut parts = plain.split(".0");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str(if part.starts_with(|next: char| next.is_ascii_digit() || next == '_') { ".0" } else { "." });
        result.push_str(part);
    }
    result
}

/// The column (from 0, in characters) of such a line, of one in the line itself.
fn column_without_types(line: &str, column: usize) -> usize {
    without_types(&line.chars().take(column).collect::<String>()).chars().count()
}

/// The column (from 0, in characters) of a line, of one in the line without types.
fn column_with_types(line: &str, column: usize) -> usize {
    (column..line.chars().count()).find(|&with| column_without_types(line, with + 1) > column).unwrap_or(column)
}

/// Whether a line of the source is a line of the cell. Spaces around it and types behind numbers do not count.
fn is_same(line: &str, text: &str) -> bool {
    let (line, text) = (line.trim(), text.trim());
    // evcxr leaves the comment behind a statement.
    let line = line.find("//").filter(|_| !text.contains("//")).map_or(line, |comment| line[..comment].trim_end());
    line == text || (line.len() > text.len() && without_types(line) == without_types(text))
}

/// The code with evcxr's `:commands` and shell lines made blank.
fn without_commands(code: &str) -> String {
    let is_command = |line: &str| line.trim_start().starts_with(':') && !line.trim_start().starts_with("::");
    code.split_inclusive('\n').map(|line| if is_command(line) { blank(line) } else { line.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "#![allow(unused_mut)]\nfn old() {}\nfn f(x: i32) -> i32 {\n    x + y\n}\n\
        pub extern \"C\" fn run_user_code_3(\nmatch std::panic::catch_unwind(\nlet a = 1;\na;\nlet b = g(\n    a);\na;\n(\nh(b)\n\
        ).evcxr_display();\n}\n";

    #[test]
    fn statements_and_items_are_found_where_they_stand() {
        let code =
            ":dep a = \"1\"\nlet a = 1; a; fn f(x: i32) -> i32 {\n    x + y\n}\nlet b = g(\n    a);  a;\n  h(b) // c";
        let places = Places::new(SOURCE, code);
        let of = |text: &str, nth: usize| {
            let (line, text_line) =
                SOURCE.lines().enumerate().filter(|(_, line)| line.contains(text)).nth(nth).unwrap();
            places.in_cell(line + 1, text_line.find(text).unwrap() + 1)
        };
        assert_eq!(of("a = 1", 0), Some((2, 5)));
        assert_eq!(of("a;", 0), Some((2, 12)));
        assert_eq!(of("f(x", 0), Some((2, 18)));
        assert_eq!(of("y", 0), Some((3, 9)));
        assert_eq!(of("g(", 0), Some((5, 9)));
        assert_eq!(of("a);", 0), Some((6, 5)));
        assert_eq!(of("a;", 1), Some((6, 10)), "the second of two lines that are alike");
        assert_eq!(of("b)", 0), Some((7, 5)));
        assert_eq!(of("catch_unwind", 0), None);
        assert_eq!(places.of_earlier_cell(2), Some("fn old() {}"));
        assert_eq!(places.of_earlier_cell(3), None);
        assert_eq!(places.of_earlier_cell(7), None);
    }

    #[test]
    fn places_of_code_that_ran_are_those_of_the_cell() {
        let (code, ran) = ("let y = 2. * 1.05 / 3.0 + f(1, x);", "let y = 2.0_f64 * 1.05_f64 / 3.0_f64 + f(1_i32, x);");
        assert_eq!(without_types(code), without_types(ran));
        for found in ["y", "*", "1.05", "/", "+", "f(", "x"] {
            let plain = column_without_types(ran, ran.find(found).unwrap());
            assert_eq!(column_with_types(code, plain), code.find(found).unwrap(), "{found}");
        }
    }

    #[test]
    fn types_that_were_written_behind_numbers_change_no_place() {
        let source = "pub extern \"C\" fn run_user_code_3(\nlet y = 2.0_f64 * (a + 1_i32);\n(\ny + 3.0_f64 + z\n).evcxr_display();\n";
        let code = "  let y = 2. * (a + 1); y + 3.0 + z";
        let places = Places::new(source, code);
        let line = |index: usize| source.lines().nth(index).unwrap();
        for (index, found) in [(1, "y"), (1, "*"), (1, "(a"), (1, "1"), (1, ")"), (3, "3"), (3, "z")] {
            let expected = if index == 1 { code.find(found) } else { code.rfind(found) }.unwrap() + 1;
            assert_eq!(places.in_cell(index + 1, line(index).find(found).unwrap() + 1), Some((1, expected)), "{found}");
        }
    }

    #[test]
    fn a_comment_behind_a_statement_changes_no_place() {
        let source =
            "pub extern \"C\" fn run_user_code_3(\nlet mut i = 0_i32;\ni += 1.5_f64; // step\nf(\"//\", i); // x\n";
        let places = Places::new(source, "let mut i = 0; i += 1.5; // step\nf(\"//\", i); // x");
        assert_eq!((places.in_cell(3, 6), places.in_cell(4, 9)), (Some((1, 21)), Some((2, 9))));
    }

    #[test]
    fn a_line_with_a_type_of_any_integer_is_found() {
        for written in NUMBER_SUFFIXES {
            let source = format!("pub extern \"C\" fn run_user_code_3(\nassert_eq!(x, 5{written}, z);\n");
            let places = Places::new(&source, "assert_eq!(x, 5, z);");
            let line = source.lines().nth(1).unwrap();
            assert_eq!(places.in_cell(2, line.find(", z").unwrap() + 1), Some((1, 16)), "{written}");
        }
    }

    #[test]
    fn functions_are_compiled_without_our_attributes() {
        for before in ["", "#![allow(dead_code)]\n\n"] {
            let source = format!("{before}fn f(x: f32) -> f32 {{ x }}\npub extern \"C\" fn run_user_code_3(\n");
            let places = Places::new(&source, "#[vectorize] fn f(x: f32) -> f32 { x }");
            assert_eq!(places.in_cell(source.lines().count() - 1, 23), Some((1, 36)));
        }
        // A line of evcxr's that ends alike is another one.
        let source =
            "fn old() {\n}\n#[derive(Clone)] struct A { x: i32, y i32 }\npub extern \"C\" fn run_user_code_3(\n";
        let places = Places::new(source, "#[derive(Clone)] struct A { x: i32, y i32 }");
        assert_eq!((places.in_cell(2, 1), places.in_cell(3, 39)), (None, Some((1, 39))));
        let source = "}\n                    fn f(x: f64) -> f64 { x * ; }\npub extern \"C\" fn run_user_code_3(\n";
        let places = Places::new(source, "#[vectorize(a[0])]   fn f(x: f64) -> f64 { x * ; }");
        assert_eq!((places.in_cell(1, 1), places.in_cell(2, 47)), (None, Some((1, 48))));
    }
}
