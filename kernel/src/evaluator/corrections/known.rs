//! The facts that the rules use: about the cell, and from the compiler's messages.

pub use super::device_functions::DeviceFunction;
pub use super::dtypes::ARRAY;
use super::line::{Line, is_name};
use super::{languages, values};

/// The facts about the cell.
pub struct Known<'a> {
    /// The compiler's messages about the line: codes and texts.
    pub faults: &'a [(Option<&'a str>, &'a str)],
    /// The cell.
    pub cell: &'a str,
    /// The type of a variable of the notebook.
    pub type_of: &'a dyn Fn(&str) -> Option<String>,
    /// How many axes a variable of the notebook has, if the cells that have run show it.
    pub axes: &'a dyn Fn(&str) -> Option<usize>,
    /// The source of a function of an earlier cell.
    pub source: &'a dyn Fn(&str) -> Option<String>,
    /// Whether `m[0]` is a row, not a number.
    pub rows: bool,
    /// The function of device code that the line belongs to.
    pub device: Option<DeviceFunction>,
    /// The line of the cell, counted from 1.
    pub line: usize,
    /// Whether the line is Python's, so that its operators mean what they mean there.
    pub is_python: bool,
}

/// Whether a line gives a variable a value: `p = 0`, `let (p, mut q) = (0, 1);`
fn is_target(text: &str, name: &str) -> bool {
    const WORDS: [&str; 7] = ["if", "elif", "while", "for", "return", "assert", "print"];
    let Some((targets, value)) = text.split_once('=') else { return false };
    let line = Line::new(targets.trim().trim_start_matches("let "));
    let is_call = line.is_word(0) && line.at(1) == "(";
    !is_call
        && !value.starts_with('=')
        && !WORDS.contains(&line.at(0))
        && (0..line.len()).all(|at| line.is_word(at) || matches!(line.at(at), "(" | ")" | ","))
        && line.find(name).next().is_some()
}

/// Whether a line declares a variable or gives it a value: `p = 0`, `let mut p: f64 = 0.0;`
pub fn declares(text: &str, name: &str) -> bool {
    let rest = text.trim().strip_prefix("let ").map(|rest| rest.trim_start_matches("mut "));
    let is_typed = rest.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with([':', ';']));
    is_typed || is_target(text, name)
}

/// Whether a line is the head of a loop with this variable: `for p in v:`
pub fn is_counter(text: &str, name: &str) -> bool {
    let tokens = Line::new(text.trim());
    let end = tokens.find("in").next().unwrap_or(0);
    tokens.at(0) == "for" && tokens.find(name).any(|at| at < end)
}

/// Whether a line, counted from 1, gives a value to a variable of a block around its own: one that an earlier line there declares, or a
/// parameter of the function whose body that block is. A `let` would make another variable, which ends with the inner block. `is_within` says
/// that the line has a block of its own, in which this happens.
pub fn is_of_outer_block(cell: &str, line: usize, is_within: bool, name: &str) -> bool {
    let indent = |text: &str| text.len() - text.trim_start().len();
    let mut lines = cell.lines().take(line).collect::<Vec<_>>().into_iter().rev();
    let Some(own) = lines.next().map(|text| indent(text) + usize::from(is_within)) else { return false };
    let mut around = own;
    for text in lines.filter(|text| !text.trim().is_empty()) {
        let depth = indent(text);
        if depth > around {
            continue;
        }
        let head = text.trim_start();
        if depth < own && (head.starts_with("fn ") || head.starts_with("def ")) {
            let is_parameter = Line::new(head).find(name).any(|at| at > 2);
            return is_parameter && around < own;
        }
        if depth < own && is_counter(head, name) {
            return around < own;
        }
        around = around.min(depth);
        if depth < own && declares(text, name) {
            return true;
        }
    }
    false
}

/// Whether one of the lines up to one, counted from 1, gives a name a value that does not come of it: `p = 0`, `for p in v:`,
/// `def f(p):`
pub fn is_given(cell: &str, line: usize, name: &str) -> bool {
    cell.lines().take(line).map(str::trim).any(|text| {
        let tokens = Line::new(text);
        let value = text.split_once('=').map_or("", |(_, value)| value);
        let head = tokens.find("in").next().unwrap_or(tokens.len());
        match tokens.at(0) {
            "def" => tokens.find(name).any(|at| at > 2),
            "for" => tokens.find(name).any(|at| at < head),
            _ => is_target(text, name) && Line::new(value).find(name).next().is_none(),
        }
    })
}

impl<'a> Known<'a> {
    /// What is known of a line of a cell, counted from 1.
    pub fn of_line(
        faults: &'a [(Option<&'a str>, &'a str)],
        cell: &'a str,
        line: usize,
        type_of: &'a dyn Fn(&str) -> Option<String>,
    ) -> Known<'a> {
        let device = DeviceFunction::around(cell, line);
        let is_python = !languages::has_rust(cell);
        Known { faults, cell, type_of, axes: &|_| None, source: &|_| None, rows: false, device, line, is_python }
    }
}

impl Known<'_> {
    /// Whether the compiler blames a name, or has not come to look at names.
    pub fn blames(&self, name: &str) -> bool {
        let quoted = format!("`{name}`");
        self.faults.iter().any(|(code, message)| code.is_none() || message.contains(&quoted))
    }

    /// Whether the line is not Rust by its form.
    pub fn is_syntax(&self) -> bool {
        self.faults.iter().any(|(code, _)| code.is_none())
    }

    /// Whether one of the messages contains a text.
    pub fn says(&self, text: &str) -> bool {
        self.faults.iter().any(|(_, message)| message.contains(text))
    }

    /// Whether the line is in a block: a loop, a branch or a function.
    pub fn is_in_block(&self) -> bool {
        let text = self.cell.lines().nth(self.line.saturating_sub(1)).unwrap_or_default();
        self.cell.trim().contains('\n') && text.starts_with([' ', '\t'])
    }

    fn lines_before(&self) -> impl Iterator<Item = &str> {
        self.cell.lines().take(self.line.saturating_sub(1))
    }

    /// Whether the line, in a block, gives a variable another value that is there before the block.
    pub fn changes(&self, name: &str) -> bool {
        let mut before = self.lines_before();
        let is_function = |text: &str| text.starts_with("def ") || text.starts_with("fn ");
        let is_of_notebook = (self.type_of)(name).is_some() && !self.lines_before().any(is_function);
        self.is_in_block() && (before.any(|text| is_target(text, name)) || is_of_notebook)
    }

    /// Whether a `let` of the name, at a token of the line, would hide a variable of a block around.
    pub fn is_of_outer_block(&self, name: &str, is_within: bool) -> bool {
        is_of_outer_block(self.cell, self.line, is_within, name)
    }

    /// The type of a variable of the notebook. One of the cell hides it, also that of a loop, a closure or a function.
    pub fn variable(&self, name: &str) -> Option<String> {
        // Functions of device code do not see the notebook's.
        if self.device.is_some() && self.is_in_block() {
            return None;
        }
        let is_in_head = |line: &str| {
            let head = line.trim_start().strip_prefix("for ").and_then(|rest| rest.split_once(" in "));
            head.is_some_and(|(names, _)| Line::new(names).find(name).next().is_some())
        };
        if is_name(name) && self.cell.lines().any(is_in_head) {
            return None;
        }
        // `p, q = 0, 1`, and `p = 0` of an array of the notebook. What comes of the variable itself may be the same.
        let is_other = |text: &str| {
            let value = text.split_once('=').map_or("", |(_, value)| value);
            is_target(text, name) && (text.contains(',') || Line::new(value).find(name).next().is_none())
        };
        if is_name(name) && self.lines_before().any(is_other) {
            return None;
        }
        if let Some(type_name) = self.parameter(name) {
            return Some(type_name);
        }
        // `|p: &DeviceArray<f32>, q: f64| …`
        let in_closure = |text: &str| {
            let before = text.split(&format!("{name}: ")).next().filter(|before| before.len() < text.len());
            before.is_some_and(|before| {
                let list = before.rsplit('|').next().filter(|list| list.len() < before.len());
                list.is_some_and(|list| list.is_empty() || list.ends_with(", ") && list.contains(": "))
            })
        };
        if is_name(name) && self.cell.lines().any(in_closure) {
            return None;
        }
        let hiding = [
            format!("for {name} in "),
            format!("|{name}|"),
            format!("let {name} = "),
            format!("let mut {name} = "),
            format!("({name}: "),
            format!(", {name}: "),
            format!("({name})"),
            format!("({name}, "),
        ];
        let is_function = self.cell.contains("fn ") || self.cell.contains("def ");
        let hides = |text: &String| self.cell.contains(text);
        if is_name(name) && (hiding[..4].iter().any(hides) || is_function && hiding[4..6].iter().any(hides)) {
            return None;
        }
        let heads = || self.cell.lines().filter(|line| line.trim_start().starts_with("def "));
        if is_name(name) && heads().any(|line| hiding[6..].iter().any(|text| line.contains(text))) {
            return None;
        }
        (self.type_of)(name)
    }

    /// The type of a parameter of the function around the line, if its head is Rust.
    fn parameter(&self, name: &str) -> Option<String> {
        let text = self.cell.lines().nth(self.line.checked_sub(1)?)?;
        if !text.starts_with([' ', '\t']) {
            return None;
        }
        let head = self
            .lines_before()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .find(|text| !text.starts_with([' ', '\t', '}']) && !text.trim().is_empty())?;
        let head = Line::new(head.strip_prefix("fn ")?);
        let parts = head.parts(1, ",")?;
        let (first, last) =
            parts.into_iter().find(|(first, _)| head.at(*first) == name && head.at(first + 1) == ":")?;
        let type_name = head.slice(first + 2, last).trim_start_matches('&');
        type_name.starts_with(ARRAY).then(|| type_name.to_owned())
    }

    /// The type of an expression, if it is a variable or makes an array.
    pub fn type_of(&self, expression: &str) -> Option<String> {
        let expression = expression.trim().trim_start_matches('&');
        if let Some(known) = self.variable(expression) {
            return Some(known);
        }
        if let Some(made) = values::type_of(expression, self) {
            return Some(made);
        }
        // What is not called is a constant, such as `gpu::Mode::Full`.
        let is_made = !values::gives_another(expression)
            && expression.starts_with("gpu::")
            && expression.contains('(')
            && !expression.starts_with("gpu::DType");
        is_made.then(|| ARRAY.to_owned())
    }

    /// Whether an expression is an array of the host.
    pub fn is_host_array(&self, expression: &str) -> bool {
        const NAMES: [&str; 5] = ["ArrayBase", "ArrayD", "Array", "Array1", "Array2"];
        // `ndarray::prelude::ArrayBase<…>`
        let is_one = |known: String| {
            let path = known.split('<').next().unwrap_or_default();
            NAMES.contains(&path.rsplit("::").next().unwrap_or_default())
        };
        (self.type_of)(expression.trim().trim_start_matches('&')).is_some_and(is_one)
    }

    /// Whether a name is an integer: that of a loop, or of a variable that begins with one.
    pub fn is_integer(&self, name: &str) -> bool {
        let begins = |text: &str| {
            let value = self.cell.split_once(text).map_or("", |(_, rest)| rest.trim_start());
            let number =
                value.split(|next: char| !next.is_ascii_alphanumeric() && next != '.').next().unwrap_or_default();
            !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit())
        };
        let counts = [format!("for {name} in range("), format!("|{name}| {name} % "), format!("|&{name}| {name} % ")];
        is_name(name)
            && (counts.iter().any(|text| self.cell.contains(text))
                || [
                    format!("for {name} in "),
                    format!("\n{name} = "),
                    format!("let {name} = "),
                    format!("let mut {name} = "),
                ]
                .iter()
                .any(|text| begins(text))
                || self.cell.strip_prefix(&format!("{name} = ")).is_some_and(|_| begins(&format!("{name} = "))))
    }

    /// Whether an expression is a sparse matrix, if this can be known.
    pub fn is_sparse(&self, expression: &str) -> bool {
        let name = expression.trim().trim_start_matches('&');
        match self.variable(name) {
            Some(known) => known.contains("SparseMatrix<"),
            None => is_name(name) && self.cell.contains(&format!("let {name} = gpu::sparse::")),
        }
    }

    /// The element type of a device array, if this can be known.
    pub fn element_of(&self, expression: &str) -> Option<String> {
        Some(self.type_of(expression)?.strip_prefix(ARRAY)?.strip_suffix('>')?.to_owned())
    }

    /// Whether an expression is a device array, if this can be known.
    pub fn is_array(&self, expression: &str) -> bool {
        self.type_of(expression).is_some_and(|known| known.contains(ARRAY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_outer_blocks_are_told_from_new_ones() {
        let cell = "t = 0\nfor q in v {\n    t = q\n    if q > 1 {\n        t = 2\n        u = 3\n    }\n    u = t\n}\nt = 5\nfor q in v { t = q; }";
        for (line, is_within, name, expected) in [
            (1, false, "t", false),
            (3, false, "t", true),
            (5, false, "t", true),
            (6, false, "u", false),
            (8, false, "u", false),
            (10, false, "t", false),
            (11, true, "t", true),
        ] {
            assert_eq!(is_of_outer_block(cell, line, is_within, name), expected, "{line} {name}");
        }
        let cell = "n = 1\ndef f(a, b):\n    a = 2\n    n = 3\n    while b:\n        a, b = b, 1\n        n = 4";
        for (line, name, expected) in [(3, "a", false), (4, "n", false), (6, "a", true), (6, "b", true), (7, "n", true)]
        {
            assert_eq!(is_of_outer_block(cell, line, false, name), expected, "{line} {name}");
        }
        let cell = "for t in v:\n    t = t + 1\n    if t > 2:\n        t = 0.5";
        assert_eq!([2, 4].map(|line| is_of_outer_block(cell, line, false, "t")), [false, true]);
        assert!(is_of_outer_block("let mut y: f64 = 0.0;\nloop {\n    y = 1;\n}", 3, false, "y"));
    }

    #[test]
    fn targets_of_assignments() {
        for (text, names) in [
            ("p = 0", "p"),
            ("p, q = 0, 1", "p q"),
            ("let (p, mut q) = (0, 1);", "p q"),
            ("f(p, q=1)", ""),
            ("print(p, q == 1)", ""),
            ("p[0] = 1", ""),
            ("if p == 1:", ""),
            ("p == 1", ""),
        ] {
            let found: Vec<&str> = ["p", "q"].into_iter().filter(|name| is_target(text, name)).collect();
            assert_eq!(found.join(" "), names, "{text}");
        }
    }

    #[test]
    fn names_that_get_a_value_are_not_missed() {
        for (cell, line, expected) in [
            ("p = 0\np", 2, true),
            ("p = p + 1", 1, false),
            ("q = p\np = 0", 1, false),
            ("def f(p):\n    return p", 2, true),
            ("for p in v:\n    p", 2, true),
            ("for k in p:", 1, false),
            ("p, q = 0, 1", 1, true),
            ("if p == 1:", 1, false),
        ] {
            assert_eq!(is_given(cell, line, "p"), expected, "{cell}");
        }
    }
}
