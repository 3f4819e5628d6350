//! What to do where the code of `interact!` changes or moves away a variable of the notebook. The compiler knows only the copy that
//! the macro makes, and would have it changed where it cannot be.

use super::{Error, ErrorPlace};
use crate::syntax::{is_word, offset_of};

/// Puts this advice in place of the compiler's.
pub fn explain(error: &mut Error, cell: &str) {
    if let Some(advice) = advice(error, cell) {
        error.children.clear();
        error.labels.retain(|label| label.is_primary);
        error.labels.truncate(1);
        error.advice = vec![advice];
    }
}

fn advice(error: &Error, cell: &str) -> Option<String> {
    let is_of_macro = ["interact!(", "interact! ("].iter().any(|call| cell.contains(call));
    let Some(ErrorPlace::Cell([line, column, ..])) = error.place() else { return None };
    let place = offset_of(cell, *line, *column);
    let name: String =
        cell.get(place..)?.chars().skip_while(|next| *next == '&').take_while(|next| is_word(*next)).collect();
    let has_no_name = ["cannot assign to value,", "cannot borrow value as mutable,"];
    match error.code.as_deref()? {
        _ if !is_of_macro || name.is_empty() => None,
        "E0594" | "E0596" if has_no_name.iter().any(|start| error.message.starts_with(start)) => Some(format!(
            "the code of `interact!` works on a copy of `{name}`, which it cannot change: put what changes into an `Rc`, of which copies \
             share the value, `let {name} = std::rc::Rc::new(std::cell::RefCell::new({name}));`, and write `{name}.borrow_mut()` in \
             the code (`*{name}.borrow_mut() += 1` for a number)"
        )),
        "E0507" if error.message.ends_with("a captured variable in an `Fn` closure") => Some(format!(
            "the code of `interact!` runs again with each value, so it cannot move `{name}` away: write `&{name}`, or \
             `{name}.clone()`"
        )),
        _ => None,
    }
}
