//! Functions of NumPy that call a function of Python's: `np.apply_along_axis(np.sum, 0, a)`, `np.fromfunction(lambda i, j: i + j, (3, 3))`.

use super::control::ternary;
use super::known::Known;
use super::line::Line;
use super::named::REDUCTIONS;
use super::operators::{as_argument, as_element, as_object, comparison, with_floats};
use crate::syntax::list_value;

/// The parameters and the value of `lambda i, j: i + j`, also of a closure that an earlier correction has made.
fn lambda(text: &str) -> Option<(Vec<&str>, &str)> {
    let (parameters, value) = match text.strip_prefix("lambda ") {
        Some(rest) => rest.split_once(':')?,
        None => text.strip_prefix('|')?.split_once('|')?,
    };
    Some((parameters.split(',').map(str::trim).collect(), value.trim()))
}

/// Arguments with those closures whole whose parameters have a comma between them.
fn with_whole_closures(values: &[&str]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for value in values {
        match whole.last_mut().filter(|last| last.starts_with('|') && !last[1..].contains('|')) {
            Some(last) => last.push_str(&format!(", {value}")),
            None => whole.push((*value).to_owned()),
        }
    }
    whole
}

/// What a call of such a function is here.
pub fn translated(name: &str, values: &[&str], known: &Known<'_>) -> Option<String> {
    let values = with_whole_closures(values);
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    match (name, &values[..]) {
        ("apply_along_axis", [function, axis, array]) => {
            let of_line = match lambda(function) {
                Some((parameters, value)) => format!("|{}| {value}", parameters.first()?),
                None => {
                    let ours = function.rsplit('.').next()?;
                    let value = match ours {
                        ours if REDUCTIONS.contains(&ours) => format!("line.{ours}_axis(0)"),
                        ours if function.contains('.') => format!("gpu::{ours}(&line)"),
                        ours => format!("{ours}(&line)"),
                    };
                    format!("|line| {value}")
                }
            };
            Some(format!("gpu::apply_along_axis({of_line}, {axis}, {})", as_argument(array, known)))
        }
        ("fromfunction", [function, shape]) => {
            let (parameters, value) = lambda(function)?;
            let shape = shape.trim_matches(['(', ')', '[', ']']).trim_end_matches(',');
            // Places are floats, as NumPy's.
            let value = floats(value);
            Some(format!("gpu::fromfunction(|[{}]| {value}, [{shape}])", parameters.join(", ")))
        }
        ("piecewise", [array, conditions, functions]) => {
            let (conditions, functions) = (Line::new(conditions), Line::new(functions));
            let masks = conditions.arguments(0)?.into_iter().map(|mask| {
                let mask = comparison(&Line::new(mask), known).unwrap_or_else(|| mask.to_owned());
                format!("&{}", mask.trim_start_matches('&'))
            });
            let pieces = functions.arguments(0)?.into_iter().map(|piece| match lambda(piece) {
                Some((parameters, value)) => format!("&|{}| {}", parameters.join(", "), floats(value)),
                None => format!("&|_| gpu::full((), {})", as_element(piece, array, known)),
            });
            let [masks, pieces] = [masks.collect::<Vec<_>>().join(", "), pieces.collect::<Vec<_>>().join(", ")];
            Some(format!("gpu::piecewise({}, &[{masks}], &[{pieces}])", as_argument(array, known)))
        }
        ("nditer", [array, ..]) => Some(format!("{}.flatten().tolist()", as_object(array))),
        ("ndindex", [shape]) => Some(format!("gpu::ndindex({})", shape.trim_start_matches('*'))),
        ("ndindex", lengths) if !lengths.is_empty() => Some(format!("gpu::ndindex(({}))", lengths.join(", "))),
        ("ndenumerate", [array]) => {
            let array = as_object(array);
            Some(format!("gpu::ndindex({array}.shape()).zip({array}.flatten().tolist())"))
        }
        _ => None,
    }
}

/// A value with floats in place of its whole numbers. The power of an array may stay whole.
fn floats(value: &str) -> String {
    with_floats(value, |line, at| !matches!(line.before(at, 1), "**" | "["))
}

/// `np.vectorize(f)(a, b)`: `f` has `#[vectorize]` here.
pub fn vectorized(function: &str, arrays: &[&str], known: &Known<'_>) -> Option<String> {
    let arrays: Vec<String> = arrays.iter().map(|array| as_argument(array, known)).collect();
    match &arrays[..] {
        [] => None,
        [array] => Some(format!("gpu::map({function}, {array})")),
        _ => Some(format!("gpu::map({function}, ({}))", arrays.join(", "))),
    }
}

/// `double = np.vectorize(lambda v: 2 * v)`: a function that runs over arrays.
pub fn defined(line: &Line, known: &Known<'_>) -> Option<String> {
    let at = line.find("vectorize").find(|at| line.before(*at, 1) == "." && line.at(at + 1) == "(")?;
    let name = usize::from(line.at(0) == "let");
    let is_whole = line.is_word(name) && line.at(name + 1) == "=" && at == name + 4;
    let close = line.closing(at + 1).filter(|close| is_whole && *close == line.last())?;
    let inner = line.slice(at + 2, close - 1);
    // Also as an earlier correction has it.
    let (parameters, value) = match inner.strip_prefix("lambda ") {
        Some(rest) => rest.split_once(':')?,
        None => inner.strip_prefix('|')?.split_once('|')?,
    };
    let types: Vec<String> = parameters.split(',').map(|one| format!("{}: f64", one.trim())).collect();
    let value = value.trim();
    let value = ternary(&Line::new(value), known).unwrap_or_else(|| value.to_owned());
    Some(format!(
        "#[vectorize] fn {}({}) -> f64 {{ {} }}",
        line.at(name),
        types.join(", "),
        with_floats(&value, |_, _| true)
    ))
}

/// Functions of `np.testing`, and what has to be true.
const TESTS: &str = "\
    assert_allclose=allclose assert_almost_equal=allclose assert_array_almost_equal=allclose assert_array_equal=array_equal \
    assert_equal=array_equal";

/// What `np.testing.assert_allclose` asks.
pub fn of_testing(path: &[&str]) -> Option<&'static str> {
    let [_, "testing", name] = path else { return None };
    list_value(TESTS, name)
}
