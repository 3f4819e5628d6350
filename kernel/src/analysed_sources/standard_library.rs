//! The standard library for rust-analyzer: each crate is one file, in which the compiler has expanded all macros. At the
//! start of a session rust-analyzer reads all items of these crates. It would need more than half of that time to expand the
//! macros that define the integer types and their traits, each time with the same result.

use super::expansion::Expansion;
use anyhow::Result;
use std::path::Path;

/// The crates that rust-analyzer reads. The compiler expands those that have a list of crates: these it must be given.
const CRATES: [(&str, Option<&[&str]>); 4] = [
    ("core", Some(&[])),
    ("alloc", Some(&[])),
    (
        "std",
        Some(&["addr2line", "alloc", "cfg_if", "hashbrown", "miniz_oxide", "object", "rustc_demangle", "std_detect"]),
    ),
    // It is small, and cells do not name it.
    ("proc_macro", None),
];

/// The modules of the processor's instructions and of vectors. They are a third of the core library. The first is no part of
/// the copied sources either, the second is unstable.
const LEFT_OUT: [&str; 2] = ["\nmod core_arch {", "\nmod core_simd {"];

/// Writes the sources of the standard library that rust-analyzer reads. `library` has the sources. `compiler` is the one
/// that they belong to; if it does not understand them, they are copied as they are.
pub fn write(compiler: &Path, architecture: &str, library: &Path, to: &Path) -> Result<()> {
    std::thread::scope(|scope| {
        let writers = CRATES.map(|(name, externs)| {
            scope.spawn(move || {
                let from = library.join(name);
                let expanded = externs.and_then(|externs| expanded(compiler, architecture, &from, name, externs));
                super::write(expanded, &from.join("src"), &to.join(name).join("src"))
            })
        });
        writers
            .into_iter()
            .try_for_each(|writer| writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// A crate as one file without macro calls between its items, and shortened.
fn expanded(compiler: &Path, architecture: &str, from: &Path, name: &str, externs: &[&str]) -> Option<String> {
    Expansion::new(compiler, name, "2024", &from.join("src/lib.rs"))
        .arguments(["-Zforce-unstable-if-unmarked"])
        .arguments(externs.iter().map(|name| format!("--extern={name}")))
        .variable("STD_ENV_ARCH", architecture)
        .run(|text| without_pattern_types(&LEFT_OUT.iter().fold(text, |text, header| without_module(&text, header))))
}

/// The core library without the items of a module.
fn without_module(text: &str, header: &str) -> String {
    let Some(start) = text.find(header).map(|at| at + header.len()) else { return text.to_owned() };
    let end = text[start..].find("\n}\n").map_or(start, |length| start + length);
    format!("{}{}", &text[..start], &text[end..])
}

/// The text with plain types for those of a range of values, such as `u32 is 1..`, which rust-analyzer does not know.
fn without_pattern_types(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some(at) = rest.find(" is ").filter(|_| !line.contains(['"', '/'])) {
            let (before, pattern) = rest.split_at(at);
            let pattern = &pattern[" is ".len()..];
            let length = match pattern.strip_prefix("!null") {
                Some(_) => "!null".len(),
                None if pattern.starts_with("const ") || pattern.starts_with("..") => {
                    pattern.find([')', '>', ';', ',', '\n']).unwrap_or(pattern.len())
                }
                None => break,
            };
            result.push_str(before);
            rest = &pattern[length..];
        }
        result.push_str(rest);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_range_become_plain() {
        for (text, expected) in [
            ("pub struct NotZero(u32 is const 1..);\n", "pub struct NotZero(u32);\n"),
            ("struct I(i64 is ..const -1 | const 0..);\n", "struct I(i64);\n"),
            ("A::<char is const '\\u{1}'..=const '\\u{10ffff}'>;\n", "A::<char>;\n"),
            (
                "Unsize<*const U is !null>\n    for *const T is !null where T: U<V> {}",
                "Unsize<*const U>\n    for *const T where T: U<V> {}",
            ),
            ("/// This is const 1.. here.\n", "/// This is const 1.. here.\n"),
            ("let this is = 1;", "let this is = 1;"),
        ] {
            assert_eq!(without_pattern_types(text), expected);
        }
    }

    #[test]
    fn modules_that_are_left_out_are_empty() {
        let text = "mod a {}\nmod core_arch {\n    mod x {\n    }\n}\nmod b {}\n";
        assert_eq!(without_module(text, LEFT_OUT[0]), "mod a {}\nmod core_arch {\n}\nmod b {}\n");
        assert_eq!(without_module("mod a {}\n", LEFT_OUT[0]), "mod a {}\n");
    }
}
