//! Calls of NumPy's functions by what they take: names of arguments by their place, and sequences of arrays.

use super::keywords::has_keywords;
use super::known::Known;
use super::line::Line;
use super::named::REDUCTIONS;
use super::operators::{as_argument, list_of_arrays};

/// What NumPy's functions take, as the prelude's tests have it from NumPy.
const SIGNATURES: &str = include_str!("../../../../prelude/tests/integration/names/arguments.txt");

/// The page with all names of the prelude.
const NAMES: &str = include_str!("../../../../prelude/NUMPY.md");

/// The names of the arguments of NumPy's function, in its order.
fn names_of(function: &str) -> Option<Vec<&'static str>> {
    let start = format!("{function}(");
    let (_, arguments) = SIGNATURES.lines().find(|line| line.starts_with(&start))?.split_once('(')?;
    Some(arguments.trim_end_matches(')').split(", ").map(|name| name.trim_end_matches('=')).collect())
}

/// All arguments of a call without names, `np.expand_dims(a, axis=1)` as `np.expand_dims(a, 1)`: for functions that have no macro
/// with these names, if no argument before them is left out.
pub fn by_position(function: &str, values: &[&str], named: &[(&str, &str)]) -> Option<Vec<String>> {
    if named.is_empty() || has_keywords(function) || REDUCTIONS.contains(&function) {
        return None;
    }
    // What other rules read.
    const READ: [&str; 4] = ["dtype", "size", "bins", "order"];
    if named.iter().any(|(name, _)| READ.contains(name)) || !NAMES.contains(&format!("| `np.{function}(")) {
        return None;
    }
    let names = names_of(function)?;
    let mut all: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
    for name in names.get(values.len()..values.len() + named.len())? {
        all.push(named.iter().find(|(given, _)| given == name)?.1.to_owned());
    }
    Some(all)
}

/// Whether a row shows that our function takes one list of arrays where NumPy's takes them one by one.
fn takes_list_of_all(function: &str) -> bool {
    let start = format!("np.{function}(");
    NAMES.lines().filter(|line| line.contains(&start)).any(|line| {
        let of_numpy = line.split_once(&start).is_some_and(|(_, rest)| !rest.starts_with(['(', '[', '*']));
        of_numpy && line.contains(&format!("gpu::{function}(["))
    })
}

/// `np.column_stack((a, b))`, `np.ix_(a, b)`: functions that take a list of arrays here.
pub fn of_sequence(function: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    if !named.is_empty() {
        return None;
    }
    let takes_list = NAMES.contains(&format!("gpu::{function}(["));
    // These have an axis here.
    if !takes_list || matches!(function, "concatenate" | "stack" | "vstack" | "hstack" | "einsum") {
        return None;
    }
    let (first, rest) = values.split_first()?;
    let line = Line::new(first);
    if matches!(line.at(0), "(" | "[") {
        let list = list_of_arrays(first, known)?;
        let rest: String = rest.iter().map(|value| format!(", {value}")).collect();
        return Some(format!("gpu::{function}({list}{rest})"));
    }
    let are_arrays = values.len() > 1 && values.iter().all(|value| known.is_array(value) || value.starts_with('['));
    if !takes_list_of_all(function) || !are_arrays {
        return None;
    }
    let all: Vec<String> = values.iter().map(|value| as_argument(value, known)).collect();
    Some(format!("gpu::{function}([{}])", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn arguments_stand_where_numpy_has_them() {
        let np = "cannot find value `np` in this scope";
        for (typed, expected) in [
            ("np.expand_dims(a, axis=1)", "a.expand_dims(1)"),
            ("np.swapaxes(m, axis1=0, axis2=1)", "m.swapaxes(0, 1)"),
            ("np.column_stack((a, b))", "gpu::column_stack([&a, &b])"),
            ("np.dstack([a, b])", "gpu::dstack([&a, &b])"),
            ("np.column_stack((a[:, None], b + 1))", "gpu::column_stack([&a.slice(s![.., NewAxis]), &(&b + 1)])"),
            ("np.ix_(a, b)", "gpu::ix_([&a, &b])"),
        ] {
            let faults = [(Some("E0425"), np)];
            let corrected = of_line(typed, &Known::of_line(&faults, typed, 1, &type_of));
            assert_eq!(corrected.as_deref(), Some(expected), "{typed}");
        }
        assert_eq!(names_of("expand_dims").as_deref(), Some(&["a", "axis"][..]));
    }
}
