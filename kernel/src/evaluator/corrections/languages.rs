//! Which language a line and a cell are in: Python, or Rust.

use super::line::{Line, LineTokenKind};

/// Names of Python's modules.
pub const MODULES: [&str; 7] = ["np", "numpy", "cp", "cupy", "torch", "math", "scipy"];

/// Whether a line is Python's by what it has.
pub fn is_python_line(text: &str) -> bool {
    let line = Line::new(text.trim());
    let is_call = |at: usize| MODULES.contains(&line.at(at)) && line.at(at + 1) == "." && line.before(at, 1) != ".";
    let has_word = |at: usize| is_call(at) || line.at(at) == "**" || line.at(at) == "print" && line.at(at + 1) == "(";
    let ends_head = || {
        matches!(line.at(0), "for" | "while" | "if" | "elif" | "else" | "def")
            && line.at(line.len().saturating_sub(1)) == ":"
    };
    (0..line.len()).any(has_word) || ends_head()
}

/// Whether a cell has something that only Rust has.
pub fn has_rust(cell: &str) -> bool {
    cell.lines().any(|text| {
        let line = Line::new(text.trim());
        let is_reference = |at: usize| {
            line.at(at) == "&"
                && line.is_word(at + 1)
                && (at == 0 || line.kind(at - 1) == Some(LineTokenKind::Sign) && !matches!(line.at(at - 1), ")" | "]"))
        };
        let has = |at: usize| {
            line.at(at) == "::"
                || is_reference(at)
                || line.at(at) == "as" && !line.text.starts_with("import") && !line.text.starts_with("with")
                || line.at(at) == "!" && line.is_word(at.wrapping_sub(1)) && matches!(line.at(at + 1), "(" | "[")
        };
        matches!(line.at(0), "let" | "fn" | "use" | "#") && !text.trim_start().starts_with("# ")
            || matches!(line.at(line.len().saturating_sub(1)), ";" | "{" | "}")
            || (0..line.len()).any(has)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_languages_are_told_apart() {
        for (cell, is_rust) in [
            ("y = x / 2", false),
            ("x = np.arange(3)\nprint(x & 1)", false),
            ("import numpy as np", false),
            ("# a comment", false),
            ("let y = x;", true),
            ("y / 2;", true),
            ("&a + 1", true),
            ("gpu::ones(3)", true),
            ("println!(\"{}\", x)", true),
            ("x as f64", true),
            ("#[kernel]\nfn f() {}", true),
        ] {
            assert_eq!(has_rust(cell), is_rust, "{cell}");
        }
        assert!(is_python_line("let y = np.ones(3);") && is_python_line("print(x)") && is_python_line("for k in v:"));
        assert!(!is_python_line("y = x / 2") && !is_python_line("println!(\"{x}\")"));
    }
}
