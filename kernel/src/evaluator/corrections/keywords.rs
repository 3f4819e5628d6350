//! Arguments with names: NumPy's keywords, and the macros that take them.

use super::calls::{CREATION, data_type_of, translated};
use super::known::Known;
use super::line::{Line, is_integer};
use super::modules;
use super::named::{REDUCTIONS, argument_counts, has_keywords, keyword, row_of, sorted_out, value_of};
use super::operators::{as_argument, as_element, as_float, as_object, is_list, is_reference, with_floats};
use super::plots::{is_logarithmic, is_plot};
use super::signatures::range_of_floats;
use crate::syntax::words;

/// NumPy's name of a keyword of PyTorch.
fn of_numpy(key: &str) -> &str {
    match key {
        "dim" => "axis",
        "keepdim" => "keepdims",
        key => key,
    }
}

/// Whether a method, a function or a type behind its name has all that is given by name.
pub fn is_short(name: &str, named: &[(&str, &str)]) -> bool {
    let has_axis = named.iter().any(|(key, _)| matches!(*key, "axis" | "dim"));
    named.iter().all(|(key, _)| match *key {
        "axis" | "dim" => REDUCTIONS.contains(&name) || matches!(name, "concatenate" | "stack" | "vstack" | "hstack"),
        "ddof" => has_axis && matches!(name, "var" | "std"),
        "dtype" => CREATION.contains(&name) || name == "tensor",
        _ => false,
    })
}

/// The call of a macro with NumPy's keywords, if there is such a macro. `values` are references where they must be.
pub fn with_keywords(name: &str, values: Vec<String>, named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let row = row_of(name)?;
    if !named.iter().all(|(key, _)| words(row).any(|word| word == of_numpy(key))) {
        return None;
    }
    let array = values.first().cloned().unwrap_or_default();
    // Texts of Python may have other quotes.
    let quoted = |text: &str| if text.contains('"') { text.to_owned() } else { text.replace('\'', "\"") };
    let named = named.iter().map(|(key, value)| {
        Some(match *key {
            // Each number of `((1, 2), (3, 4))` is an element.
            "constant_values" | "end_values" => {
                let line = Line::new(value);
                let numbers = (0..line.len()).rev().filter(|at| is_integer(line.at(*at)));
                let with_elements = numbers.fold(line.text.clone(), |text, at| {
                    let line = Line::new(&text);
                    line.with(at, at, &as_element(line.at(at), &array, known))
                });
                format!("{key} = {with_elements}")
            }
            "dtype" => format!("dtype = {}", data_type_of(value)?),
            "range" if is_list(value) => {
                format!("range = {}", with_floats(value, |_, _| true).replace('[', "(").replace(']', ")"))
            }
            "range" if value.starts_with('(') => format!("range = {}", range_of_floats(value)),
            // Pairs of axes are tuples.
            "axes" if value.starts_with("[[") || value.starts_with("([") => {
                format!("axes = {}", value.replace('[', "(").replace(']', ")"))
            }
            "keepdim" => format!("keepdims = {}", value.to_lowercase()),
            key => match (of_numpy(key), *value) {
                (key, "True") => format!("{key} = true"),
                (key, "False") => format!("{key} = false"),
                (key, value) if value.contains('\'') => format!("{key} = {}", quoted(value)),
                (key, value) => format!("{key} = {}", as_argument(value, known)),
            },
        })
    });
    let values = values.iter().map(|value| quoted(value));
    let arguments: Vec<String> = values.map(Some).chain(named).collect::<Option<_>>()?;
    Some(format!("gpu::{name}!({})", arguments.join(", ")))
}

/// `gpu::sum(&m, axis = 0)`, and values of keywords as NumPy has them: `dtype = "float32"`, `keepdims = True`
pub fn keywords_of_function(line: &Line, known: &Known<'_>) -> Option<String> {
    (2..line.len()).find_map(|at| {
        let is_macro = line.at(at + 1) == "!";
        let open = if is_macro { at + 2 } else { at + 1 };
        if !is_macro && let Some(new) = of_path(line, at, known) {
            return Some(new);
        }
        let is_function = line.before(at, 1) == "::" && line.before(at, 2) == "gpu" && line.at(open) == "(";
        let arguments = line.arguments(open).filter(|_| is_function && line.is_word(at))?;
        let (values, named) = sorted_out(&arguments);
        // `gpu::eye(2, 3)`: the second argument of other functions that make arrays is a type, or a length.
        let has_number = line.at(at) == "eye" && values.get(1).is_some_and(|value| data_type_of(value).is_none());
        // The function needs more than NumPy's, or it takes fewer; the macro has its defaults.
        let is_miscounted = known.faults.iter().filter_map(|(_, text)| argument_counts(text)).any(|(takes, given)| {
            given == arguments.len()
                && (given < takes
                    || given > takes
                        && !REDUCTIONS.contains(&line.at(at))
                        && (has_number || !CREATION.contains(&line.at(at))))
        });
        // Several axes, where the function takes one.
        let has_several = values.iter().any(|value| value.starts_with('('))
            && (known.says("expected `isize`, found `(") || known.says("expected `usize`, found `("));
        let is_macro_only = known.says(&format!("found macro `gpu::{}`", line.at(at)));
        if named.is_empty() && (is_macro || !(is_miscounted || has_several || is_macro_only)) {
            return None;
        }
        let values = values.iter().map(|value| as_argument(value, known)).collect();
        let call = with_keywords(line.at(at), values, &named, known)?;
        Some(line.with(at - 2, line.closing(open)?, &call))
    })
}

/// `gpu::random::normal(size = 3)`, `gpu::plot(&a, label = "a")`
fn of_path(line: &Line, at: usize, known: &Known<'_>) -> Option<String> {
    let arguments = line.arguments(at + 1).filter(|_| line.at(at + 1) == "(" && line.is_word(at))?;
    let (values, named) = sorted_out(&arguments);
    let module = line.before(at, 2);
    let has_format = values.len() > 1 && values.iter().any(|value| value.starts_with('"'));
    let lacks_one = || {
        let counts = known.faults.iter().filter_map(|(_, text)| argument_counts(text));
        counts.into_iter().any(|(takes, given)| given == arguments.len() && takes == given + 1)
    };
    let (first, new) = match (line.before(at, 1), module, line.before(at, 4)) {
        // The macro has a size.
        ("::", "random", "gpu") if named.is_empty() && lacks_one() => {
            let values = values.iter().map(|value| as_argument(value, known)).collect();
            (at - 4, modules::macro_call(&format!("random::{}", line.at(at)), values, &named, known)?)
        }
        ("::", "random", "gpu") if !named.is_empty() => {
            (at - 4, translated(&["np", module, line.at(at)], &arguments, known)?)
        }
        ("::", "gpu", _)
            if is_plot(line.at(at)) && (!named.is_empty() || has_format || is_logarithmic(line.at(at))) =>
        {
            (at - 2, translated(&["plt", line.at(at)], &arguments, known)?)
        }
        _ => return None,
    };
    Some(line.with(first, line.closing(at + 1)?, &new))
}

/// The line with the macro of that name in place of a method, whose name stands at `at` and whose call ends at `close`.
fn method_as_macro(
    line: &Line,
    at: usize,
    close: usize,
    values: &[&str],
    named: &[(&str, &str)],
    known: &Known<'_>,
) -> Option<String> {
    let first = line.operand_before(at - 1)?;
    let object = line.slice(first, at - 2);
    let object = if is_reference(object, known) { object.to_owned() } else { format!("&{}", as_object(object)) };
    let values = values.iter().map(|value| as_argument(value, known));
    let call = with_keywords(line.at(at), std::iter::once(object).chain(values).collect(), named, known)?;
    Some(line.with(first, close, &call))
}

/// `a.sum!(axis = 0)`, `gpu::clip!(&a, 0.0, 1.0)`, `gpu::linspace!(0, 1, num = 5)`
pub fn macros(line: &Line, known: &Known<'_>) -> Option<String> {
    line.find("!").filter(|at| *at > 1 && line.is_word(at - 1) && line.at(at + 1) == "(").find_map(|at| {
        let (name, close, arguments) = (line.at(at - 1), line.closing(at + 1)?, line.arguments(at + 1)?);
        if line.before(at, 2) == "." {
            let (values, named) = sorted_out(&arguments);
            return method_as_macro(line, at - 1, close, &values, &named, known);
        }
        if line.before(at, 2) != "::" {
            return None;
        }
        if known.says(&format!("cannot find macro `{name}`")) || known.says(&format!("cannot find `{name}` in")) {
            return Some(line.with(at, at, ""));
        }
        // `axis = "0"`
        let quoted = arguments.iter().find(|argument| {
            let value = keyword(argument).map(|(_, value)| value.trim_matches(['"', '\'']));
            known.says("is not an axis") && argument.contains('"') && value.is_some_and(is_integer)
        });
        if let Some(quoted) = quoted {
            let all = arguments.join(", ").replace(quoted, &quoted.replace('"', ""));
            return Some(line.with(at + 1, close, &format!("({all})")));
        }
        let is_whole = known.says("`{integer}`") || known.says("found integer");
        let is_float = is_whole && matches!(name, "linspace" | "normal" | "uniform" | "logspace");
        let new: Vec<String> = arguments
            .iter()
            .enumerate()
            .filter(|_| is_float)
            .map(|(index, argument)| match keyword(argument) {
                Some((key @ ("start" | "stop" | "loc" | "scale" | "low" | "high"), value)) => {
                    format!("{key} = {}", as_float(value))
                }
                None if index < 2 => as_float(argument),
                _ => (*argument).to_owned(),
            })
            .collect();
        (is_float && new.iter().ne(arguments.iter()))
            .then(|| line.with(at + 1, close, &format!("({})", new.join(", "))))
    })
}

/// `m.sum(axis=0, keepdims=True)`
pub fn keywords(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(true).find_map(|at| {
        let name = line.at(at);
        let (arguments, close) = (line.arguments(at + 1)?, line.closing(at + 1)?);
        let (values, named) = sorted_out(&arguments);
        // `a.sort(axis=0)` changes the array.
        if named.is_empty() || name == "sort" {
            return None;
        }
        if !REDUCTIONS.contains(&name) || !is_short(name, &named) {
            return method_as_macro(line, at, close, &values, &named, known);
        }
        let axis = value_of(&named, "axis").or(value_of(&named, "dim")).or(values.first().copied())?;
        let new = match value_of(&named, "ddof") {
            None if axis == "None" => format!("{name}()"),
            None => format!("{name}_axis({axis})"),
            Some(ddof) => format!("{name}_with({axis}, {})", as_float(ddof)),
        };
        Some(line.with(at, close, &new))
    })
}

/// `m.mean(0)`
pub fn positional_axis(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("takes 0 arguments but 1 argument was supplied") {
        return None;
    }
    line.calls(true).filter(|at| line.at(at + 2) != ")").find_map(|at| {
        let [argument] = line.arguments(at + 1)?[..] else { return None };
        // `m.sort(0)` changes the array.
        if line.at(at) == "sort" && at == 2 && line.closing(at + 1)? == line.last() {
            let argument = match keyword(argument) {
                Some(("axis", axis)) if axis != "None" => axis,
                Some(_) => return None,
                None => argument,
            };
            let (name, last) = (line.at(0), line.len() - 1);
            return Some(line.with(0, last, &format!("{name} = gpu::sort!(&{name}, axis = {argument});")));
        }
        if known.is_array(argument) || !REDUCTIONS.contains(&line.at(at)) {
            return None;
        }
        Some(line.with(at, line.closing(at + 1)?, &format!("{}_axis({argument})", line.at(at))))
    })
}

/// `a.repeat(2)`: a method that wants the axis too, where the macro of that name does without.
pub fn missing_axis(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("this method takes 2 arguments but 1 argument was supplied") {
        return None;
    }
    line.calls(true).filter(|at| has_keywords(line.at(*at))).find_map(|at| {
        let [argument] = line.arguments(at + 1)?[..] else { return None };
        method_as_macro(line, at, line.closing(at + 1)?, &[argument], &[], known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_their_keywords_are_those_of_the_preludes_table() {
        assert!(["sum", "linspace", "searchsorted", "nansum"].iter().all(|name| has_keywords(name)));
        assert!(!has_keywords("clip") && !has_keywords("axis"));
        let row = row_of("sum").unwrap();
        assert!(
            ["axis", "dtype", "keepdims", "initial", "where"].iter().all(|key| words(row).any(|word| word == *key))
        );
        assert!(!words(row).any(|word| word == "ddof"));
    }
}
