//! How deeply code is nested. Parsers call themselves for each level, and one whose stack is full ends its process; so what no program
//! needs is refused before anything parses it. Only tokens are looked at.

use ra_ap_parser::{Edition, LexedStr, SyntaxKind, T};

/// How many brackets may be open at once.
const BRACKETS: usize = 200;
/// How many operators may follow one another without a `;` or a `,` between them.
const OPERATORS: usize = 4000;

/// The place at which code is nested too deeply.
#[derive(Debug, PartialEq, Eq)]
pub struct TooDeep {
    /// In bytes.
    pub offset: usize,
    /// What there is too much of.
    pub what: String,
}

/// Looks for such a place.
pub fn too_deep(code: &str) -> Option<TooDeep> {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    // The operators since the last separator, for each open bracket.
    let mut operators = vec![0usize];
    for index in 0..tokens.len() {
        let kind = tokens.kind(index);
        match kind {
            T!['('] | T!['['] | T!['{'] => operators.push(0),
            T![')'] | T![']'] | T!['}'] if operators.len() > 1 => {
                operators.pop();
            }
            T![;] | T![,] => *operators.last_mut()? = 0,
            _ if is_operator(kind) => *operators.last_mut()? += 1,
            _ => {}
        }
        let brackets = operators.len() > BRACKETS + 1;
        if brackets || operators.last().is_some_and(|count| *count > OPERATORS) {
            let what = match brackets {
                true => format!("more than {BRACKETS} brackets are open at once"),
                false => format!("an expression has more than {OPERATORS} operators"),
            };
            return Some(TooDeep { offset: tokens.text_start(index), what });
        }
    }
    None
}

/// Whether a token may make an expression deeper.
fn is_operator(kind: SyntaxKind) -> bool {
    kind.is_punct() || kind == T![else]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_need_is_allowed() {
        let list = format!("let v = vec![{}];", "-1.5 + 2.0, ".repeat(20_000));
        let statements = "a += 1;\n".repeat(50_000);
        let brackets = format!("{}1{}", "(".repeat(200), ")".repeat(200));
        let sum = format!("1{}", " + 1".repeat(3000));
        for code in ["", "f(g(h(1)))", "}}}", &list, &statements, &brackets, &sum] {
            assert_eq!(too_deep(code), None, "{}", &code[..code.len().min(50)]);
        }
    }

    #[test]
    fn what_would_fill_a_stack_is_found() {
        for (code, offset) in [
            ("{".repeat(10_000), 200),
            (format!("x;\n{}", "(".repeat(201)), 203),
            ("!".repeat(1_000_000), 4000),
            (format!("1{}", "+1".repeat(500_000)), 8001),
            ("if a {} else ".repeat(5000), 13 * 4000 + 8),
        ] {
            assert_eq!(too_deep(&code).unwrap().offset, offset, "{}", &code[..30]);
        }
    }
}
