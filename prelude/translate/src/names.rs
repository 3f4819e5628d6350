//! Names in the generated text: Rust's own where C++ has no other use for them.

use crate::scalars::{ALL, name_of};
use std::collections::HashSet;

/// Words of C++ and of CUDA's compiler that are not words of Rust, or that Rust may write as raw identifiers; macros that a
/// host's headers may define.
const TAKEN: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "NULL",
    "EOF",
    "INFINITY",
    "NAN",
    "HUGE_VAL",
    "HUGE_VALF",
    "RAND_MAX",
    "INT_MAX",
    "INT_MIN",
    "assert",
    "errno",
    "linux",
    "unix",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "stdin",
    "stdout",
    "stderr",
    "main",
    "std",
    "rust",
    "checked_index",
    "checked_axis",
    "look_at_once",
    "look_for_stop",
    "panicked",
    "final",
    "override",
];

/// A name as C++ can have it: raw identifiers without `r#`, other letters than ASCII by their numbers, and a line at the end
/// of what would mean something else.
pub(crate) fn c_name(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut result = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || character == '_' {
            result.push(character);
        } else {
            result += &format!("u{:04x}", u32::from(character));
        }
    }
    let reserved = |name: &str| {
        TAKEN.contains(&name)
            // The generated types and the support's functions begin with these and an underscore.
            || ALL
                .into_iter()
                .any(|scalar| name.strip_prefix(name_of(scalar)).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
            || name.to_ascii_lowercase().starts_with("warpcell")
            || name.starts_with("__")
            || (name.starts_with('_')
                && name.chars().nth(1).is_some_and(|second| second.is_ascii_uppercase() || second.is_ascii_digit()))
    };
    if result.is_empty() || result == "_" {
        return "unnamed".to_owned();
    }
    if result.starts_with('_') && reserved(&result) {
        return format!("local{result}");
    }
    if result.starts_with(|first: char| first.is_ascii_digit()) {
        return format!("_{result}");
    }
    if reserved(&result) { format!("{result}_") } else { result }
}

/// A member: those of tuples and tuple structs are numbers.
pub(crate) fn member_name(name: &str) -> String {
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { c_name(name) }
}

/// Names that are in use, scope by scope.
#[derive(Clone, Default)]
pub(crate) struct Names {
    scopes: Vec<HashSet<String>>,
}

impl Names {
    pub(crate) fn open(&mut self) {
        self.scopes.push(HashSet::new());
    }

    pub(crate) fn close(&mut self) {
        self.scopes.pop();
    }

    fn is_used(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    /// A name like the wanted one that nothing around has.
    pub(crate) fn declare(&mut self, wanted: &str) -> String {
        self.declare_beside(wanted, &Names::default())
    }

    /// The same, which other names must not be either.
    pub(crate) fn declare_beside(&mut self, wanted: &str, others: &Names) -> String {
        self.declare_outside(wanted, others, 0)
    }

    /// The same, known in a scope so many steps outside of the innermost one.
    pub(crate) fn declare_outside(&mut self, wanted: &str, others: &Names, steps: usize) -> String {
        let base = c_name(wanted);
        let mut name = base.clone();
        let mut number = 2;
        while self.is_used(&name) || others.is_used(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        if let Some(scope) = self.scopes.iter_mut().rev().nth(steps) {
            scope.insert(name.clone());
        }
        name
    }
}
