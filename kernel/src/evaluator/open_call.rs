//! The call that the cursor is in: `gpu::linspace(0.0, |`, `m.slice(s![|`, `gpu::set!(|`.

use ra_ap_parser::{Edition, LexedStr, SyntaxKind, T};

/// A call that is open at the cursor.
#[derive(Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// The function, with the object of a method, such as `m.slice`; a macro has its `!`.
    pub callee: String,
    /// Where it begins.
    pub start: usize,
}

/// Whether the cursor is at a name that has its own documentation rather than at an argument: at a path, a method, or
/// the name of a call.
pub fn is_at_function(code: &str, cursor: usize) -> bool {
    let is_word = crate::syntax::is_word;
    let end = code[cursor..].find(|character| !is_word(character)).map_or(code.len(), |length| cursor + length);
    let start = code[..end].trim_end_matches(is_word).len();
    let is_path = code[..start].ends_with([':', '.']) && !code[..start].ends_with("..");
    start < end
        && (is_path && code[start..end].starts_with(|first: char| !first.is_ascii_digit())
            || code[end..].starts_with(['(', '!']))
}

/// The calls that are open at the cursor, the innermost first.
pub fn at(code: &str, cursor: usize) -> Vec<OpenCall> {
    let before = &code[..cursor];
    let tokens = LexedStr::new(Edition::Edition2024, before);
    let mut open: Vec<usize> = Vec::new();
    for index in 0..tokens.len() {
        match tokens.kind(index) {
            T!['('] | T!['['] | T!['{'] => open.push(index),
            T![')'] | T![']'] | T!['}'] => {
                open.pop();
            }
            // A statement has no brackets open. What stands before it is not finished.
            T![;] if !open.iter().any(|index| tokens.kind(*index) == T!['[']) => {
                open.retain(|index| tokens.kind(*index) == T!['{'])
            }
            _ => {}
        }
    }
    // A block has no call around it that one would ask for.
    let bracket_is_block = |index: usize| {
        tokens.kind(index) == T!['{'] && previous(&tokens, index).is_none_or(|before| tokens.kind(before) != T![!])
    };
    open.iter()
        .rev()
        .take_while(|index| !bracket_is_block(**index))
        .filter_map(|index| callee(&tokens, before, *index))
        .collect()
}

/// The token before one, without blanks and comments.
fn previous(tokens: &LexedStr<'_>, index: usize) -> Option<usize> {
    (0..index).rev().find(|before| !matches!(tokens.kind(*before), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT))
}

/// What is called by the bracket at a token.
fn callee(tokens: &LexedStr<'_>, text: &str, bracket: usize) -> Option<OpenCall> {
    let mut end = previous(tokens, bracket)?;
    let is_macro = tokens.kind(end) == T![!];
    let name_end = end;
    if is_macro {
        end = previous(tokens, end)?;
    } else if tokens.kind(bracket) != T!['('] {
        return None;
    }
    // `zeros::<f32>(`
    let mut name = end;
    if tokens.kind(end) == T![>] {
        name = opening(tokens, end)?;
        while matches!(tokens.kind(name), T![<] | T![:] | T![::]) {
            name = previous(tokens, name)?;
        }
    }
    if tokens.kind(name) != SyntaxKind::IDENT {
        return None;
    }
    let start = operand_start(tokens, name)?;
    // A definition is not a call.
    if previous(tokens, start).is_some_and(|before| tokens.kind(before) == T![fn]) {
        return None;
    }
    let from = tokens.text_start(start);
    let to = if is_macro { tokens.text_range(name_end).end } else { tokens.text_range(name).end };
    Some(OpenCall { callee: text[from..to].to_owned(), start: from })
}

/// The first token of the path or of the chain of methods that ends with a name.
fn operand_start(tokens: &LexedStr<'_>, name: usize) -> Option<usize> {
    let mut at = name;
    loop {
        let Some(mut before) = previous(tokens, at) else { return Some(at) };
        let is_path = matches!(tokens.kind(before), T![::] | T![:]);
        if !is_path && tokens.kind(before) != T![.] {
            return Some(at);
        }
        while matches!(tokens.kind(before), T![::] | T![:] | T![.] | T![?]) {
            before = previous(tokens, before)?;
        }
        // The object of a method: a name, a number, or what brackets end.
        loop {
            at = match tokens.kind(before) {
                T![')'] | T![']'] | T![>] => opening(tokens, before)?,
                _ => before,
            };
            let is_bracket = at != before;
            match previous(tokens, at) {
                Some(next)
                    if is_bracket
                        && matches!(
                            tokens.kind(next),
                            SyntaxKind::IDENT | T![')'] | T![']'] | T![>] | T![!] | T![::] | T![:]
                        ) =>
                {
                    before = next;
                    while matches!(tokens.kind(before), T![!] | T![::] | T![:]) {
                        before = previous(tokens, before)?;
                    }
                }
                _ => break,
            }
        }
    }
}

/// The bracket that opens what the bracket at a token closes.
fn opening(tokens: &LexedStr<'_>, close: usize) -> Option<usize> {
    let (mut depth, angles) = (0i32, tokens.kind(close) == T![>]);
    (0..=close).rev().find(|index| {
        match tokens.kind(*index) {
            T![')'] | T![']'] | T!['}'] if !angles => depth += 1,
            T!['('] | T!['['] | T!['{'] if !angles => depth -= 1,
            T![>] if angles => depth += 1,
            T![<] if angles => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callees(code: &str) -> Vec<String> {
        let cursor = code.find('|').unwrap();
        at(&code.replacen('|', "", 1), cursor).into_iter().map(|call| call.callee).collect()
    }

    #[test]
    fn calls_that_are_open_at_the_cursor() {
        for (code, expected) in [
            ("gpu::linspace(0.0, |", &["gpu::linspace"][..]),
            ("gpu::linspace(0.0, |)", &["gpu::linspace"]),
            ("gpu::sum(&gpu::exp(|", &["gpu::exp", "gpu::sum"]),
            ("gpu::sum(&gpu::exp(&a), |", &["gpu::sum"]),
            ("m.slice(s![|", &["s!", "m.slice"]),
            ("m.slice(s![.., |])", &["s!", "m.slice"]),
            ("gpu::set!(|", &["gpu::set!"]),
            ("let y = m.sum_axis(0).reshape((2, |", &["m.sum_axis(0).reshape"]),
            ("gpu::zeros::<f32>(|", &["gpu::zeros"]),
            ("a.astype::<f64>().pow(|", &["a.astype::<f64>().pow"]),
            ("f(1); g(\"(\", |", &["g"]),
            ("f(1);\nlet x = h(\n    // (\n    1, |", &["h"]),
            ("fn f(|", &[]),
            ("if x { f(|", &["f"]),
            ("f(|x| { |", &[]),
            ("(1 + |", &[]),
            ("done(1) |", &[]),
        ] {
            // In the closure the second mark is the cursor.
            if code.matches('|').count() > 1 {
                let cursor = code.rfind('|').unwrap();
                assert_eq!(at(code, cursor), [], "{code}");
                continue;
            }
            assert_eq!(callees(code), expected, "{code}");
        }
    }

    #[test]
    fn functions_under_the_cursor_are_not_arguments() {
        assert!(is_at_function("gpu::sum(&gpu::exp", 18));
        assert!(is_at_function("f(g(x))", 3));
        assert!(is_at_function("f(m.sum)", 7));
        assert!(!is_at_function("f(a", 3));
        assert!(!is_at_function("f(1.0", 5));
        assert!(!is_at_function("f(0..2", 6));
    }
}
