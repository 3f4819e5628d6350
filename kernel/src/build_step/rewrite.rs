//! Replaces what evcxr pastes into each cell by what the prelude has precompiled. Every line keeps its number, because
//! evcxr maps errors to their causes by line.
//!
//! Each replaced text is one that evcxr 0.22 generates; the tests hold them against evcxr's own output.

use super::names::stable;
use super::store_calls::STORE;
use super::stored_variables::{CompilerFindings, Crates, TAIL, VariablePlan, WAITS};
use std::borrow::Cow;

/// The text that evcxr puts around a value to show it.
pub const SHOW: &str = ").evcxr_display();";

/// The first line of each cell crate.
const ATTRIBUTES: &str = "#![allow(unused_imports, unused_mut, dead_code)]";

/// The line behind the code of a cell with `.await`.
const WAITED: &str = "});";

/// What the rewriting of a cell depends on besides its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct RewriteOptions<'a> {
    /// The crates that the user added.
    pub crates: &'a Crates,
    /// Whether types of these may come with an `evcxr_display` of their own.
    pub own_display: bool,
    /// What the compiler said of an earlier attempt.
    pub findings: Option<&'a CompilerFindings>,
}

/// A cell crate as the compiler gets it.
pub struct Rewritten {
    /// The source.
    pub text: String,
    /// What was done for the variables.
    pub plan: VariablePlan,
}

/// Rewrites the source of a cell crate.
pub fn rewrite(source: &str, surroundings: RewriteOptions<'_>) -> Rewritten {
    let none = CompilerFindings::default();
    let findings = surroundings.findings.unwrap_or(&none);
    let stable = with_stable_types(source);
    let source = &*stable;
    let plan = VariablePlan::new(source, surroundings.crates, findings);
    let shorter = (!findings.nameless.is_empty()).then(|| plan.only_lose(source, &findings.nameless));
    let source = shorter.as_deref().unwrap_or(source);
    let blanket = !surroundings.own_display && source.matches("evcxr_display").count() == source.matches(SHOW).count();
    let waiting = waiting_lines(source);
    let mut result = String::with_capacity(source.len() + 1024);
    let mut lines = source.split_inclusive('\n').enumerate();
    while let Some((index, line)) = lines.next() {
        match line.trim_end_matches('\n') {
            // Where the blanket display is not in scope, the compiler advises to import it, at the first import of the
            // crate; evcxr would take advice about the user's imports for an error of the user. So there is one of
            // ours before them (unless inner attributes of the user follow, which must come first).
            ATTRIBUTES if !blanket && source.matches("#![").count() == 1 => {
                result.push_str(ATTRIBUTES);
                result.push_str(" use ::core::marker::Sized as _;\n");
            }
            "mod evcxr_internal_runtime {" => {
                result.push_str("mod evcxr_internal_runtime { pub use ::warpcell::cell::*; }\n");
                skip_block(&mut lines, 1, &mut result);
            }
            text if text.starts_with("fn evcxr_send_text_plain(") => {
                result.push_str("fn evcxr_send_text_plain(text: &str) { ::warpcell::cell::send_text_plain(text) }\n");
                // The body may start on the next line, or be on this one.
                if !(text.contains('{') && depth_after(text) == 0) {
                    skip_block(&mut lines, depth_after(text), &mut result);
                }
            }
            text @ ("let evcxr_variable_store = unsafe {&mut *evcxr_variable_store};"
            | "evcxr_variable_store: *mut u8) -> *mut u8 {") => {
                result.push_str(text);
                if blanket {
                    result.push_str(" use ::warpcell::cell::EvcxrDisplay as _;");
                }
                result.push('\n');
            }
            text if text.trim() == "println!(\"EVCXR_PANIC_NOTIFICATION\");" => {
                result.push_str("::warpcell::cell::panicked();\n");
            }
            text if text.trim_start().starts_with("eprintln!(\"{") && text.ends_with("}\", error);") => {
                // `{}` or `{:?}`, as the user chose by `:efmt`; the mark that the error occurred follows on the next line.
                let arguments = text.trim_start().trim_start_matches("eprintln!");
                result
                    .push_str(&format!("::warpcell::cell::user_error(&format!{arguments}\n").replace(");\n", "));\n"));
            }
            text if text.trim() == "println!(\"{}\", evcxr_internal_runtime::USER_ERROR_OCCURRED);" => {
                result.push('\n');
            }
            WAITS if waiting.is_some_and(|(first, _)| first == index) => {
                result.push_str(".block_on(::warpcell::cell::interruptible(async {\n");
            }
            WAITED if waiting.is_some_and(|(_, last)| last == index) => result.push_str("}));\n"),
            _ if shorter.is_some() => result.push_str(line),
            _ => result.push_str(&plan.line(index, line)),
        }
    }
    Rewritten { text: result, plan }
}

/// The lines around the code of a cell with `.await`.
fn waiting_lines(source: &str) -> Option<(usize, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let entry = lines.iter().rposition(|line| line.contains("fn run_user_code_"))?;
    let first = entry + lines[entry..].iter().position(|line| *line == WAITS)?;
    let last = lines.windows(2).rposition(|pair| pair == [WAITED, TAIL[0]])?;
    Some((first, last))
}

/// The source with types of variables as stable code may write them.
fn with_stable_types(source: &str) -> Cow<'_, str> {
    if !source.contains("Atomic<") {
        return Cow::Borrowed(source);
    }
    let change = |line| if str::contains(line, STORE) { stable(line) } else { Cow::Borrowed(line) };
    source.split_inclusive('\n').map(change).collect::<String>().into()
}

/// The source of a cell that is only checked: values show themselves in it as they do when it is built.
pub fn with_display(source: &str) -> String {
    if source.matches("#![").count() != 1 {
        return source.to_owned();
    }
    source.replacen(ATTRIBUTES, &format!("{ATTRIBUTES} use ::warpcell::cell::EvcxrDisplay as _;"), 1)
}

/// Replaces the lines up to the end of a block, of which `depth` braces are open, by empty ones.
fn skip_block<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>, mut depth: isize, result: &mut String) {
    for (_, line) in lines {
        depth += depth_after(line);
        result.push('\n');
        if depth <= 0 && line.contains('}') {
            return;
        }
    }
}

/// How many more braces a line opens than it closes.
fn depth_after(line: &str) -> isize {
    line.matches('{').count() as isize - line.matches('}').count() as isize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(source: &str) -> String {
        rewrite(source, RewriteOptions::default()).text
    }

    #[test]
    fn lines_keep_their_numbers() {
        let source = "#![allow(x)]\nmod evcxr_internal_runtime {\npub struct S {\n}\nfn f() { println!(\"{x}\"); }\n}\n\
                      evcxr_variable_store: *mut u8) -> *mut u8 {\n(\n1\n).evcxr_display();\n    \
                      println!(\"EVCXR_PANIC_NOTIFICATION\");\n}\n";
        let rewritten = text_of(source);
        assert_eq!(rewritten.lines().count(), source.lines().count());
        let line_of = |text: &str, wanted: &str| text.lines().position(|line| line.contains(wanted));
        assert_eq!(line_of(&rewritten, ").evcxr_display();"), line_of(source, ").evcxr_display();"));
        assert_eq!(line_of(&rewritten, "::warpcell::cell::panicked();"), line_of(source, "EVCXR_PANIC_NOTIFICATION"));
        assert!(rewritten.contains("use ::warpcell::cell::EvcxrDisplay as _;"));
        assert!(!rewritten.contains("struct S"));
    }

    #[test]
    fn the_blanket_display_steps_back_where_a_type_may_have_its_own() {
        let start = "evcxr_variable_store: *mut u8) -> *mut u8 {\n(\nx\n).evcxr_display();\n";
        assert!(text_of(start).contains("EvcxrDisplay"));
        let crates = [("shapes".to_owned(), String::new())];
        let beside_crates = rewrite(start, RewriteOptions { crates: &crates, own_display: true, findings: None });
        assert!(!beside_crates.text.contains("EvcxrDisplay"));
        let own = format!("impl S {{ fn evcxr_display(&self) {{}} }}\n{start}");
        assert!(!text_of(&own).contains("EvcxrDisplay"));
    }

    #[test]
    fn waiting_can_be_interrupted() {
        let source = "pub fn run_user_code_1(\n.block_on(async {\nf(|| {\n});\ng().await;\n});\n})) { \n";
        let expected = "pub fn run_user_code_1(\n.block_on(::warpcell::cell::interruptible(async {\nf(|| {\n});\ng().await;\n}));\n})) { \n";
        assert_eq!(text_of(source), expected);
        assert_eq!(text_of("f(|| {\n});\n"), "f(|| {\n});\n");
    }

    #[test]
    fn user_text_of_the_same_kind_is_left_alone() {
        let source = "println!(\"EVCXR_PANIC_NOTIFICATION today\");\nlet s = \"mod evcxr_internal_runtime {\";\n";
        assert_eq!(text_of(source), source);
    }
}
