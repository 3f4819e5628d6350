//! The facts that the rules use: about the cell, and from the compiler's messages.

use super::line::is_name;

/// The name of the type of arrays.
pub const ARRAY: &str = "DeviceArray<";

/// The facts about the cell.
pub struct Known<'a> {
    /// The compiler's messages about the line: codes and texts.
    pub faults: &'a [(Option<&'a str>, &'a str)],
    /// The cell.
    pub cell: &'a str,
    /// The type of a variable of the notebook.
    pub type_of: &'a dyn Fn(&str) -> Option<String>,
    /// Whether `m[0]` is a row, not a number.
    pub rows: bool,
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

    /// The type of an expression, if it is a variable or makes an array.
    pub fn type_of(&self, expression: &str) -> Option<String> {
        let expression = expression.trim().trim_start_matches('&');
        if let Some(known) = (self.type_of)(expression) {
            return Some(known);
        }
        if is_name(expression) {
            let declared = [format!("let {expression} = gpu::"), format!("let mut {expression} = gpu::")];
            return declared.iter().any(|text| self.cell.contains(text)).then(|| ARRAY.to_owned());
        }
        // What is not called is a constant, such as `gpu::Mode::Full`.
        let is_made =
            expression.starts_with("gpu::") && expression.contains('(') && !expression.starts_with("gpu::DType");
        is_made.then(|| ARRAY.to_owned())
    }

    /// Whether an expression is an array of the host.
    pub fn is_host_array(&self, expression: &str) -> bool {
        const NAMES: [&str; 5] = ["ArrayBase<", "ArrayD<", "Array<", "Array1<", "Array2<"];
        let is_one = |known: String| NAMES.iter().any(|name| known.trim_start_matches("ndarray::").starts_with(name));
        (self.type_of)(expression.trim().trim_start_matches('&')).is_some_and(is_one)
    }

    /// Whether an expression is a device array, if this can be known.
    pub fn is_array(&self, expression: &str) -> bool {
        self.type_of(expression).is_some_and(|known| known.contains(ARRAY))
    }
}
