//! Brackets that a cell leaves open, or closes wrongly. The compiler would name code behind the cell.

use ra_ap_parser::{Edition, LexedStr, SyntaxKind, T};

/// What the compiler says of code of which it has nothing else to say, where the kernel makes it fail.
pub const ONLY_A_BLOCK: &str = "the kernel has put the cell into a block";

/// The compiler's message about the brackets in code, with the places and their labels.
pub fn unbalanced(code: &str) -> Option<(String, Vec<(usize, &'static str)>)> {
    const UNCLOSED: &str = "unclosed delimiter";
    let tokens = LexedStr::new(Edition::Edition2024, code);
    let mut open: Vec<(usize, SyntaxKind)> = Vec::new();
    for index in 0..tokens.len() {
        let at = tokens.text_start(index);
        let closed_by = |kind| match kind {
            T!['('] => Some(T![')']),
            T!['['] => Some(T![']']),
            T!['{'] => Some(T!['}']),
            _ => None,
        };
        let kind = tokens.kind(index);
        if let Some(closing) = closed_by(kind) {
            open.push((at, closing));
        } else if matches!(kind, T![')'] | T![']'] | T!['}']) {
            let text = tokens.text(index);
            match open.pop() {
                None => {
                    let message = format!("unexpected closing delimiter: `{text}`");
                    return Some((message, vec![(at, "unexpected closing delimiter")]));
                }
                Some((_, closing)) if closing == kind => {}
                Some((opening, _)) => {
                    let message = format!("mismatched closing delimiter: `{text}`");
                    return Some((message, vec![(at, "mismatched closing delimiter"), (opening, UNCLOSED)]));
                }
            }
        }
    }
    let (opening, _) = open.pop()?;
    Some((format!("this file contains an {UNCLOSED}"), vec![(opening, UNCLOSED)]))
}
