//! The layout of Python as Rust: blocks by indentation get braces, and statements a semicolon.

use super::line::Line;
use super::plots::is_plot;
use crate::syntax::list_value;

/// Where the comment behind the code of a line begins, Python's or Rust's.
pub fn comment_behind(text: &str) -> Option<usize> {
    let start = text.len() - text.trim_start().len();
    let (mut quote, mut before) = (None, ' ');
    for (at, character) in text.char_indices().skip_while(|(at, _)| *at < start) {
        match (quote, character) {
            (Some(open), _) if open == character && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '#') if at > start && before == ' ' && text[at + 1..].starts_with(' ') => return Some(at),
            // `a // 2` divides in Python: what a correction has put there stands behind two spaces.
            (None, '/')
                if text[at..].starts_with("// ")
                    && at > start
                    && (text[..at].ends_with("  ") || text[..at].trim_end().ends_with([';', '{', '}'])) =>
            {
                return Some(at);
            }
            _ => {}
        }
        before = character;
    }
    None
}

/// The cell in which lines that an open bracket continues are one line.
pub fn with_joined_lines(cell: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut depth = 0;
    for text in cell.lines() {
        match lines.last_mut().filter(|_| depth > 0) {
            Some(last) => {
                let gap =
                    if last.ends_with(['(', '[', '{']) || text.trim().starts_with([')', ']', '}']) { "" } else { " " };
                last.push_str(&format!("{gap}{}", text.trim()));
            }
            None => lines.push(text.trim_end().to_owned()),
        }
        let line = Line::new(text.trim());
        let change = |at: usize| match line.at(at) {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        };
        depth += if text.trim_start().starts_with('#') { 0 } else { (0..line.len()).map(change).sum::<i32>() };
    }
    // A bracket that nothing closes.
    if depth == 0 { lines.join("\n") } else { cell.to_owned() }
}

/// The words that begin a block in Python.
const HEADS: [&str; 8] = ["def", "for", "while", "if", "elif", "else", "class", "with"];

/// Whether a line begins a block in Python.
fn is_head(text: &str) -> bool {
    let line = Line::new(text);
    HEADS.contains(&line.at(0)) && line.len() > 1 && line.at(line.len() - 1) == ":"
}

/// `with np.errstate(divide='ignore'):`
fn is_of_warnings(text: &str) -> bool {
    is_head(text) && text.starts_with("with ") && text.contains(".errstate(")
}

/// Whether a cell has blocks by indentation.
pub fn has_blocks(cell: &str) -> bool {
    cell.lines().any(|line| is_head(line.trim()))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The cell with a brace at the end of each block. The heads of the blocks stay as they are.
pub fn with_braces(cell: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for line in cell.lines() {
        if line.trim().is_empty() {
            lines.push(line.to_owned());
            continue;
        }
        let indent = indent_of(line);
        let continues = matches!(Line::new(line.trim()).at(0), "else" | "elif");
        while let Some(&opened) = open.last().filter(|opened| **opened >= indent) {
            open.pop();
            // The head of the other branch closes the first one.
            if !(continues && opened == indent) {
                insert_closing(&mut lines, opened);
            }
        }
        // What is in it goes on without it.
        if is_of_warnings(line.trim()) {
            lines.push(format!("{}// a division by zero gives no warning here", &line[..indent]));
            continue;
        }
        if is_head(line.trim()) {
            open.push(indent);
        }
        lines.push(line.to_owned());
    }
    open.into_iter().rev().for_each(|opened| insert_closing(&mut lines, opened));
    lines.join("\n")
}

/// Closes a block behind its last line that is not blank.
fn insert_closing(lines: &mut Vec<String>, indent: usize) {
    let end = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    lines.insert(end, format!("{}}}", " ".repeat(indent)));
}

/// The cell with a semicolon behind each statement that has none, but for the last one of each block.
pub fn with_semicolons(cell: &str) -> String {
    let lines: Vec<&str> = cell.lines().collect();
    let mut depth = 0;
    let mut result: Vec<String> = Vec::with_capacity(lines.len());
    for (index, text) in lines.iter().enumerate() {
        let (text, comment) = text.split_at(comment_behind(text).unwrap_or(text.len()));
        let (text, gap) = text.split_at(text.trim_end().len());
        let line = Line::new(text.trim());
        let before = depth;
        for at in 0..line.len() {
            depth += match line.at(at) {
                "(" | "[" => 1,
                ")" | "]" => -1,
                _ => 0,
            };
        }
        let next = lines[index + 1..].iter().map(|next| next.trim()).find(|next| !next.is_empty());
        let last = line.at(line.len().saturating_sub(1));
        let goes_on = next.is_none_or(|next| next.starts_with(['.', '+', '*', '/', '?', ')', ']', '}', '{', '&', '|']));
        let ends = before == 0 && depth == 0 && line.len() > 0 && !goes_on;
        let is_statement = !matches!(last, ";" | "{" | "}" | "," | ":" | "(" | "[" | "=" | "+" | "-" | "*" | "/" | ".")
            && !text.trim().starts_with("//")
            && !text.trim().starts_with('#');
        let mark = if ends && is_statement { ";" } else { "" };
        result.push(format!("{text}{mark}{gap}{comment}"));
    }
    result.join("\n")
}

/// What `plt.title("a")` is translated to begins with this.
const NEW_PLOT: &str = "gpu::Plot::new()";

/// The cell in which plots on lines behind one another are one plot, as the calls of pyplot make it.
pub fn with_one_plot(cell: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for text in cell.lines() {
        let part = part_of_plot(text);
        let before = lines
            .iter()
            .rposition(|line| !line.trim().starts_with("//"))
            .filter(|at| part_of_plot(&lines[*at]).is_some());
        match (part, before) {
            (Some(part), Some(at)) => {
                let whole = format!("{}{part}", lines[at].trim_end_matches(';'));
                lines.truncate(at);
                lines.push(whole);
            }
            _ => lines.push(text.to_owned()),
        }
    }
    lines.join("\n")
}

/// Methods of matplotlib's axes that set what those of `plt` set.
const SETTERS: &str = "set_title=title set_xlabel=xlabel set_ylabel=ylabel set_xlim=xlim set_ylim=ylim";

/// The cell in which the lines that draw into the axes of a figure are one line: `fig, ax = plt.subplots(1, 2)` and
/// `ax[0].plot(a)`. `correct` corrects a line.
pub fn with_figure(cell: &str, correct: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let lines: Vec<&str> = cell.lines().collect();
    let head = lines.iter().position(|line| line.contains("plt.subplots("))?;
    let line = Line::new(lines[head].trim());
    let axes = line.at(line.find("=").next()?.checked_sub(1)?).to_owned();
    let (_, shape) = lines[head].split_once("plt.subplots(")?;
    let lengths: Vec<usize> = shape.split([',', ')']).map_while(|length| length.trim().parse().ok()).collect();
    let [rows, columns] = match lengths[..] {
        [] => [1, 1],
        [rows] => [rows, 1],
        [rows, columns] => [rows, columns],
        _ => return None,
    };
    let mut plots: Vec<String> = vec![String::new(); rows * columns];
    let mut others: Vec<String> = Vec::new();
    for text in &lines[head + 1..] {
        let call = Line::new(text.trim());
        if call.at(0) != axes {
            others.push((*text).to_owned());
            continue;
        }
        let (place, name) = if call.at(1) == "[" {
            let close = call.closing(1)?;
            let places: Vec<usize> =
                call.arguments(1)?.iter().map(|place| place.parse().ok()).collect::<Option<_>>()?;
            let place = if let [row, column] = places[..] { row * columns + column } else { *places.first()? };
            (place, close + 2)
        } else {
            (0, 2)
        };
        let method = list_value(SETTERS, call.at(name)).unwrap_or(call.at(name));
        let rest = call.slice(name + 1, call.last());
        let part = part_of_plot(&correct(&format!("plt.{method}{rest}"))?)?;
        plots.get_mut(place)?.push_str(&part);
    }
    if plots.iter().all(String::is_empty) {
        return None;
    }
    let made = plots.iter().map(|parts| match parts.strip_prefix('.') {
        // A plot begins with a function.
        Some(rest) if is_plot(rest.split('(').next().unwrap_or_default()) => format!("gpu::{rest}"),
        _ => format!("{NEW_PLOT}{parts}"),
    });
    let made: Vec<String> = made.collect();
    let whole = if rows * columns == 1 {
        made[0].clone()
    } else {
        format!("gpu::subplots(({rows}, {columns}), [{}])", made.join(", "))
    };
    others.retain(|line| !line.trim_start().starts_with("plt.") && !line.trim_start().starts_with("fig."));
    let mut all: Vec<String> = lines[..head].iter().map(|line| (*line).to_owned()).collect();
    all.extend(others);
    all.push(whole);
    Some(all.join("\n"))
}

/// The methods that a line adds to a plot, if it makes one.
fn part_of_plot(line: &str) -> Option<String> {
    let text = line.trim().trim_end_matches(';');
    if let Some(methods) = text.strip_prefix(NEW_PLOT) {
        return Some(methods.to_owned());
    }
    let call = text.strip_prefix("gpu::")?;
    is_plot(call.split('(').next()?).then(|| format!(".{call}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_get_braces() {
        for (typed, expected) in [
            ("for i in range(3):\n    print(i)", "for i in range(3):\n    print(i)\n}"),
            ("if x > 1:\n    a = 1\nelse:\n    a = 2\nprint(a)", "if x > 1:\n    a = 1\nelse:\n    a = 2\n}\nprint(a)"),
            (
                "def f(x):\n    if x > 0:\n        return x\n    return 0\n\nf(1)",
                "def f(x):\n    if x > 0:\n        return x\n    }\n    return 0\n}\n\nf(1)",
            ),
            (
                "while x < 3:\n  for i in range(2):\n    x += 1",
                "while x < 3:\n  for i in range(2):\n    x += 1\n  }\n}",
            ),
            ("let x = 1;\nx", "let x = 1;\nx"),
            (
                "with np.errstate(divide='ignore'):\n    z = a / b\nz",
                "// a division by zero gives no warning here\n    z = a / b\nz",
            ),
        ] {
            assert_eq!(with_braces(typed), expected);
        }
    }

    #[test]
    fn calls_of_pyplot_make_one_plot() {
        for (typed, expected) in [
            (
                "let x = 1;\ngpu::plot(&a);\ngpu::Plot::new().title(\"t\");\n// shown\ngpu::Plot::new().legend(true)",
                "let x = 1;\ngpu::plot(&a).title(\"t\").legend(true)",
            ),
            ("gpu::Plot::new();\ngpu::hist(&a);\nf()", "gpu::Plot::new().hist(&a)\nf()"),
            ("gpu::plot(&a);\nf();\ngpu::plot(&b)", "gpu::plot(&a);\nf();\ngpu::plot(&b)"),
        ] {
            assert_eq!(with_one_plot(typed), expected);
        }
    }

    #[test]
    fn a_figure_is_one_expression() {
        let correct = |line: &str| {
            line.starts_with("plt.").then(|| match line {
                "plt.title(\"t\")" => "gpu::Plot::new().title(\"t\")".to_owned(),
                other => other.replace("plt.", "gpu::").replace("(a)", "(&a)"),
            })
        };
        let cell = "let x = 1;\nfig, ax = plt.subplots(1, 2)\nax[0].plot(a)\nax[1].hist(a)\nax[1].set_title(\"t\")\nplt.show()";
        let expected = "let x = 1;\ngpu::subplots((1, 2), [gpu::plot(&a), gpu::hist(&a).title(\"t\")])";
        assert_eq!(with_figure(cell, &correct).as_deref(), Some(expected));
        assert_eq!(with_figure("fig, ax = plt.subplots()\nax.plot(a)", &correct).as_deref(), Some("gpu::plot(&a)"));
        assert_eq!(with_figure("fig, ax = plt.subplots(1, 2)", &correct), None);
        assert_eq!(with_figure("ax[0].plot(a)", &correct), None);
    }

    #[test]
    fn lines_in_brackets_are_one() {
        for (typed, expected) in [
            ("x = f(1,\n      [2,\n  3])\ny = 1", "x = f(1, [2, 3])\ny = 1"),
            ("x = f(\n    1,\n)\n# (", "x = f(1,)\n# ("),
            ("x = f(1,\ny = 2", "x = f(1,\ny = 2"),
        ] {
            assert_eq!(with_joined_lines(typed), expected);
        }
    }

    #[test]
    fn comments_behind_code_are_found() {
        for (text, code) in [
            ("a = 3  # three", "a = 3  "),
            ("x = \"a # b\"", "x = \"a # b\""),
            ("# only", "# only"),
            ("let a = 3; // three", "let a = 3; "),
            ("a // 2", "a // 2"),
            ("a.sum()  // all", "a.sum()  "),
            ("#[kernel] # x", "#[kernel] "),
        ] {
            assert_eq!(&text[..comment_behind(text).unwrap_or(text.len())], code, "{text}");
        }
    }

    #[test]
    fn statements_get_semicolons() {
        for (typed, expected) in [
            ("x = 1  # one\ny", "x = 1;  # one\ny"),
            ("x = 1\ny = 2\nx + y", "x = 1;\ny = 2;\nx + y"),
            ("f(1,\n  2)\ng()", "f(1,\n  2)\ng()"),
            ("a\n  .b()\nc", "a\n  .b();\nc"),
            ("// a\nfor i in 0..3 {\n    f(i)\n}\ng()", "// a\nfor i in 0..3 {\n    f(i)\n}\ng()"),
        ] {
            assert_eq!(with_semicolons(typed), expected);
        }
    }
}
