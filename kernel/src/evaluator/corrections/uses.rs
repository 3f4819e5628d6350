//! What a function does with its parameters, as the text of a cell shows it.

use super::line::{Line, is_integer, is_name};
use crate::syntax::list_has;

/// Whether a kernel writes to the elements of a parameter.
pub fn written(name: &str, cell: &Line) -> bool {
    let is_used = |at: &usize| cell.at(*at) == name && !matches!(cell.before(*at, 1), "." | "::");
    (0..cell.len()).filter(is_used).any(|at| {
        let mut close = at;
        while cell.at(close + 1) == "[" {
            close = cell.closing(close + 1).unwrap_or(cell.len());
        }
        let is_assigned = close > at && matches!(cell.at(close + 1), "=" | "+=" | "-=" | "*=" | "/=");
        let is_address =
            cell.before(at, 1) == "&" && cell.before(at, 2) == "(" && cell.before(at, 3).starts_with("atomic");
        is_assigned || is_address || is_atomic(at, cell)
    })
}

/// Whether an array is that of an atomic operation: `cuda.atomic.add(counts, …)`, `atomic_add(counts, …)`, `counts.atomic_add(…)`
fn is_atomic(at: usize, cell: &Line) -> bool {
    let is_method = cell.at(at + 1) == "." && cell.at(at + 2).starts_with("atomic_");
    let is_first = cell.before(at, 1) == "(";
    is_method || is_first && (cell.before(at, 4) == "atomic" || cell.before(at, 2).starts_with("atomic"))
}

/// Whether all that a kernel does with an array is adding whole numbers in one step: it counts.
pub fn counts(name: &str, cell: &Line) -> bool {
    let is_used = |at: &usize| cell.at(*at) == name && cell.before(*at, 1) == "(" && is_atomic(*at, cell);
    let mut places = (0..cell.len()).filter(is_used).peekable();
    places.peek().is_some()
        && places.all(|at| {
            let values = cell.arguments(at - 1).unwrap_or_default();
            values.last().is_some_and(|value| values.len() > 2 && is_integer(value))
        })
}

/// Whether a function of the host computes with an array of this name: it has elements.
pub fn is_array(name: &str, text: &str) -> bool {
    let cell = Line::new(text);
    let is_used = |at: &usize| cell.at(*at) == name && !matches!(cell.before(*at, 1), "." | "::");
    let places: Vec<usize> = (0..cell.len()).filter(is_used).collect();
    let is_indexed = places.iter().any(|at| cell.at(at + 1) == "[");
    // Elements are gone through, or functions for arrays are called.
    let is_gone_through = places.iter().any(|at| {
        cell.before(*at, 1) == "in"
            || (matches!(cell.before(*at, 2), "len" | "sum" | "enumerate") && cell.before(*at, 1) == "(")
            || (cell.before(*at, 1) == "("
                && cell.before(*at, 3) == "."
                && matches!(cell.before(*at, 4), "np" | "cp" | "jnp"))
    });
    // What is computed of all elements: `(x ** 2).sum()`, `np.mean(x - y)`, `x.shape`.
    const OF_ALL: &str = "sum mean std var min max prod median cumsum argmax argmin argsort sort reshape ravel shape size ndim T dot any all";
    // `d = x - y`, and then `d.sum()`
    let mut names = vec![name];
    for text in text.lines().map(str::trim) {
        let (target, value) = text.split_once('=').unwrap_or_default();
        let value = Line::new(value);
        let is_derived = names.iter().any(|one| value.find(one).next().is_some()) && is_name(target.trim());
        names.extend(is_derived.then(|| target.trim()));
    }
    let is_within = |first: usize, last: usize| {
        (first..=last).any(|at| names.contains(&cell.at(at)) && !matches!(cell.before(at, 1), "." | "::"))
    };
    let is_of_all = (1..cell.len()).any(|at| {
        if !list_has(OF_ALL, cell.at(at)) || cell.before(at, 1) != "." {
            return false;
        }
        let is_module = matches!(cell.before(at, 2), "np" | "cp" | "jnp" | "torch" | "numpy" | "gpu");
        match cell.operand_before(at - 1) {
            _ if is_module => cell.closing(at + 1).is_some_and(|close| cell.at(at + 1) == "(" && is_within(at, close)),
            Some(first) => is_within(first, at) && cell.before(first, 1) != "def",
            None => false,
        }
    });
    is_gone_through || is_indexed || is_of_all
}
