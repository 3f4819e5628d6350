//! Checks how deeply code is nested. Parsers call themselves for each level, and a full stack ends the process. So code
//! that is nested more deeply than any program needs is refused before it is parsed. The check uses only tokens.

use ra_ap_parser::{Edition, LexedStr, T};

/// How deeply code may be nested.
#[derive(Clone, Copy, Debug)]
pub struct NestingLimits {
    /// How many brackets may be open at once.
    brackets: usize,
    /// The maximum number of operators without a `;`, a `,` or a block between them, and of `else`.
    operators: usize,
}

/// For cells: the analysis of 1,000 operators takes half a minute, of 300 three seconds.
pub const CELLS: NestingLimits = NestingLimits { brackets: 200, operators: 600 };
/// For completion and help, which must be fast.
pub const HELP: NestingLimits = NestingLimits { brackets: 60, operators: 200 };

/// The place at which code is nested too deeply.
#[derive(Debug, PartialEq, Eq)]
pub struct TooDeep {
    /// In bytes.
    pub offset: usize,
    /// The quantity that is too large.
    pub what: String,
}

/// The counts since the last separator.
#[derive(Default)]
struct Level {
    operators: usize,
    elses: usize,
}

/// Looks for such a place.
pub fn too_deep(code: &str, limits: NestingLimits) -> Option<TooDeep> {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    // For each open bracket.
    let mut levels = vec![Level::default()];
    for index in 0..tokens.len() {
        let kind = tokens.kind(index);
        let mut closed = false;
        match kind {
            T!['('] | T!['['] | T!['{'] => levels.push(Level::default()),
            T![')'] | T![']'] | T!['}'] if levels.len() > 1 => {
                levels.pop();
                closed = kind == T!['}'];
            }
            _ => {}
        }
        let depth = levels.len() - 1;
        let level = levels.last_mut()?;
        match kind {
            T![;] | T![,] => *level = Level::default(),
            T!['}'] if closed => level.operators = 0,
            T![else] => level.elses += 1,
            _ if kind.is_punct() => level.operators += 1,
            _ => {}
        }
        let what = if depth > limits.brackets {
            format!("more than {} brackets are open at once", limits.brackets)
        } else if level.operators.max(level.elses) > limits.operators {
            format!("an expression has more than {} operators", limits.operators)
        } else {
            continue;
        };
        return Some(TooDeep { offset: tokens.text_start(index), what });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_need_is_allowed() {
        let list = format!("let v = vec![{}];", "-1.5 + 2.0, ".repeat(20_000));
        let statements = "a += 1;\n".repeat(50_000);
        let arms = format!("match x {{ {} }}", "std::a::B(..) => { 1 }\n".repeat(2000));
        let brackets = format!("{}1{}", "(".repeat(199), ")".repeat(199));
        let sum = format!("1{}", " + 1".repeat(500));
        for code in ["", "f(g(h(1)))", "}}}", &list, &statements, &arms, &brackets, &sum] {
            assert_eq!(too_deep(code, CELLS), None, "{}", &code[..code.len().min(50)]);
        }
    }

    #[test]
    fn what_would_fill_a_stack_is_found() {
        for (code, offset) in [
            ("{".repeat(10_000), 200),
            (format!("x;\n{}", "(".repeat(201)), 203),
            ("!".repeat(1_000_000), 600),
            (format!("1{}", "+1".repeat(500_000)), 1201),
            ("if a {} else ".repeat(5000), 13 * 600 + 8),
        ] {
            assert_eq!(too_deep(&code, CELLS).unwrap().offset, offset, "{}", &code[..30]);
        }
    }
}
