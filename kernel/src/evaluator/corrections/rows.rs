//! Calls of NumPy's functions as the table of names has them: a row shows of each argument whether it is an array, a float or a number.

use super::known::Known;
use super::line::{Line, is_integer, is_name};
use super::modules;
use super::operators::{array_of_list, as_argument, as_element, as_float, comparison, is_list};

/// The page with all names of the prelude.
const NAMES: &str = include_str!("../../../../prelude/NUMPY.md");

/// The function and the arguments of a call that is the whole text.
fn parts(call: &str) -> Option<(String, Vec<String>)> {
    let line = Line::new(call);
    let open = line.find("(").next()?;
    let arguments = line.arguments(open)?.into_iter().map(str::to_owned).collect();
    (line.closing(open)? == line.last()).then(|| (call[..call.find('(').unwrap_or(0)].to_owned(), arguments))
}

/// The call that a row has for a function of NumPy with so many arguments: our function and its arguments.
fn row(theirs: &str, count: usize) -> Option<(String, Vec<String>)> {
    NAMES.lines().filter(|line| line.starts_with(&format!("| `np.{theirs}("))).find_map(|line| {
        let (numpys, ours) = line.trim_start_matches("| `").split_once("` | `")?;
        let (_, given) = parts(numpys)?;
        let (function, arguments) = parts(ours.strip_suffix("` |")?)?;
        let is_plain = given.len() == count && arguments.len() == count && !given.iter().any(|one| one.contains('='));
        (is_plain && function.starts_with("gpu::") && !function.ends_with('!')).then_some((function, arguments))
    })
}

/// Whether a row has a number at a place among the arguments of one of our functions.
pub fn takes_number(name: &str, place: usize) -> bool {
    has_argument(name, place, |one| one.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()))
}

/// Whether a row has a whole number there: a place, an axis or a count.
pub fn takes_whole(name: &str, place: usize) -> bool {
    has_argument(name, place, is_integer)
}

fn has_argument(name: &str, place: usize, is_one: impl Fn(&str) -> bool) -> bool {
    let call = format!("`gpu::{name}(");
    NAMES.lines().filter_map(|line| line.split_once(&call)).any(|(_, rest)| {
        let line = Line::new(&format!("({rest}"));
        let argument = line.arguments(0).and_then(|all| all.get(place).map(|one| (*one).to_owned()));
        argument.is_some_and(|one| is_one(&one))
    })
}

/// The arguments that the rows have for a function that changes its first one: `gpu::put(&mut c, [0, 1], &gpu::array(&[7.0]))`.
fn changing_rows(name: &str) -> impl Iterator<Item = Vec<String>> {
    let call = format!("gpu::{name}(&mut c, ");
    NAMES.lines().filter_map(move |line| {
        let at = line.find(&call)?;
        let line = Line::new(&line[at + call.len() - "(&mut c, ".len()..line.rfind("; c }")?]);
        Some(line.arguments(0)?.into_iter().map(str::to_owned).collect())
    })
}

/// `np.put(x, [0, 2], [9, 8])`, `np.fill_diagonal(m, 0)`: functions that change an array.
pub fn changing(name: &str, values: &[&str], known: &Known<'_>) -> Option<String> {
    let (array, others) = values.split_first()?;
    let is_array = |text: &str| text.starts_with('&') || matches!(text, "b" | "mask");
    let fits = |models: &Vec<String>| {
        let kinds = others.iter().zip(&models[1..]).filter(|(value, model)| is_list(value) && model.starts_with('['));
        (models.len() == values.len()).then(|| kinds.count())
    };
    let models = changing_rows(name).filter_map(|models| Some((fits(&models)?, models))).max_by_key(|(fit, _)| *fit)?.1;
    let mut before = String::new();
    let argument = |(value, model): (&&str, &String)| {
        match comparison(&Line::new(value), known) {
            // A mask of the array itself is made before the array is borrowed.
            Some(mask) if Line::new(&mask).find(array).next().is_some() => {
                before = format!("let mask = {mask}; ");
                "&mask".to_owned()
            }
            Some(mask) => format!("&{mask}"),
            None if is_array(model) && is_list(value) => array_of_list(value, true),
            None if known.is_array(value) => as_argument(value, known),
            None if model.starts_with('[') => (*value).to_owned(),
            None => as_element(value, array, known),
        }
    };
    let new: Vec<String> = others.iter().zip(&models[1..]).map(argument).collect();
    let array = array.trim_start_matches("&mut ").trim_start_matches('&');
    Some(format!("{before}gpu::{name}(&mut {array}, {})", new.join(", ")))
}

/// An argument in the form that the row has.
fn as_in_row(value: &str, model: &str, known: &Known<'_>) -> String {
    let is_array = model.starts_with('&') || matches!(model, "a" | "b" | "i" | "mask");
    let is_float = model.contains('.') && model.starts_with(|first: char| first.is_ascii_digit());
    // `i` has whole numbers, as lists may have.
    let are_floats = model != "i" && (!model.contains("array(&[") || model.contains('.'));
    match value {
        value if is_array && is_list(value) => array_of_list(value, are_floats),
        // One number where there may be many.
        value if is_array && value.parse::<f64>().is_ok() => {
            format!("&gpu::full((), {})", if are_floats { as_float(value) } else { value.to_owned() })
        }
        value if is_array && !value.starts_with('&') => as_argument(value, known),
        value if is_float => as_float(value),
        value => value.replace('\'', "\""),
    }
}

/// What `np.random.poisson(5, 3)`, `np.interp(x, [0, 1], [2, 3])`, `np.tri(3)` are here. `path` has no module of Python in front.
pub fn by_row(path: &[&str], values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let (theirs, ours) = (path.join("."), path.join("::"));
    if let Some((function, models)) = row(&theirs, values.len()).filter(|_| named.is_empty()) {
        let new: Vec<String> =
            values.iter().zip(&models).map(|(value, model)| as_in_row(value, model, known)).collect();
        // Arrays of one call have one type.
        let are_floats = new.iter().any(|one| one.starts_with("&gpu::array(&[") && one.contains('.'));
        let new = new.into_iter().zip(values.iter().zip(&models)).map(|(new, (value, model))| {
            if are_floats && is_list(value) && new.starts_with("&gpu::array(&[") && model != "i" {
                array_of_list(value, true)
            } else {
                new
            }
        });
        return Some(format!("{function}({})", new.collect::<Vec<_>>().join(", ")));
    }
    // The macro of a module has defaults: `np.random.poisson(5, size=3)`, `np.random.exponential()`.
    if path.len() < 2 {
        return None;
    }
    let values = values.iter().map(|value| as_argument(value, known)).collect();
    modules::macro_call(&ours, values, named, known)
}

/// `gpu::bincount(&[1, 2, 2])`: the compiler misses an array.
pub fn list(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_missed = known.says("but this argument is not one")
        || known.says("found `[")
        || known.says("found `&[")
        || known.says("` with `[");
    if !is_missed || known.is_syntax() {
        return None;
    }
    (2..line.len())
        .filter_map(|at| match (line.is_word(at), line.at(at + 1), line.at(at + 2)) {
            (true, "(", _) => Some((at, at + 1)),
            (true, "!", "(") => Some((at, at + 2)),
            _ => None,
        })
        .find_map(|(at, open)| {
            let of_array = || {
                let first = line.operand_before(at - 1);
                line.before(at, 1) == "." && first.is_some_and(|first| known.is_array(line.slice(first, at - 2)))
            };
            let is_ours = (line.before(at, 1) == "::" || of_array())
                && !matches!(line.at(at), "array" | "asarray" | "lookup" | "get" | "percentile" | "quantile");
            let parts = line.parts(open, ",").filter(|_| is_ours)?;
            let is_variable = |part: &(usize, usize)| {
                let name = line.part(*part).trim_start_matches('&');
                let is_declared =
                    || ["[", "vec!["].iter().any(|start| known.cell.contains(&format!("let {name} = {start}")));
                let is_list = |name: String| name.starts_with('[') || name.starts_with("Vec<");
                is_name(name) && (known.variable(name).is_some_and(is_list) || is_declared())
            };
            if let Some(part) = parts.iter().find(|part| is_list(line.part(**part))) {
                return Some(line.with(part.0, part.1, &array_of_list(line.part(*part), false)));
            }
            let part = parts.into_iter().find(is_variable)?;
            Some(line.with(part.0, part.1, &format!("&gpu::array(&{})", line.part(part).trim_start_matches('&'))))
        })
}

/// `gpu::array(&rows)` of a list of arrays
pub fn of_arrays(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("device arrays cannot hold `DeviceArray<") && !known.says("device arrays cannot hold `&DeviceArray<")
    {
        return None;
    }
    let at = (2..line.len()).find(|at| {
        matches!(line.at(*at), "array" | "asarray") && line.before(*at, 2) == "gpu" && line.at(at + 1) == "("
    })?;
    let close = line.closing(at + 1)?;
    let rows = line.slice(at + 2, close - 1);
    let rows = if rows.starts_with('&') { rows.to_owned() } else { format!("&{rows}") };
    Some(line.with(at, close, &format!("stack({rows}, 0)")))
}

/// `DeviceArray::<f32>::zeros(3)`, as other libraries have it
pub fn made(line: &Line, _: &Known<'_>) -> Option<String> {
    line.find("DeviceArray").find_map(|at| {
        let first = if line.before(at, 1) == "::" && line.before(at, 2) == "gpu" { at - 2 } else { at };
        let open = (at + 1..line.len()).find(|place| line.at(*place) == "(")?;
        let name = line.at(open - 1);
        let between = line.slice(at + 1, open - 2);
        let is_function = super::calls::CREATION.contains(&name) && between.ends_with("::");
        let types = between.replace("::", "");
        let is_type = types.is_empty() || types.starts_with('<') && types.ends_with('>') && !types.contains('_');
        let types = if types.is_empty() { String::new() } else { format!("::{types}") };
        (is_function && is_type).then(|| line.with(first, open - 1, &format!("gpu::{name}{types}")))
    })
}

/// What the type of a number is asked for, in Python and here.
const LIMITS: [(&str, &str); 5] =
    [("eps", "EPSILON"), ("max", "MAX"), ("min", "MIN"), ("tiny", "MIN_POSITIVE"), ("smallest_normal", "MIN_POSITIVE")];

/// `np.finfo(np.float32).eps`, `np.iinfo('int64').max`
pub fn limit(line: &Line, _: &Known<'_>) -> Option<String> {
    line.calls(true).filter(|at| matches!(line.at(*at), "finfo" | "iinfo")).find_map(|at| {
        let close = line.closing(at + 1)?;
        let [data_type] = line.arguments(at + 1)?[..] else { return None };
        let data_type = super::calls::data_type_of(data_type)?;
        let (_, ours) = LIMITS.iter().find(|(theirs, _)| *theirs == line.at(close + 2) && line.at(close + 1) == ".")?;
        Some(line.with(at - 2, close + 2, &format!("{data_type}::{ours}")))
    })
}

/// A range of Python's between brackets: `0:3` is `0..3`, and `0:1:0.25` is `(0.0, 1.0, 0.25)`.
fn range(text: &str) -> Option<String> {
    let ends: Vec<&str> = text.split(':').map(str::trim).collect();
    let is_float = ends.iter().any(|end| end.contains('.'));
    let number = |end: &&str| if is_float { as_float(end) } else { (*end).to_owned() };
    match ends[..] {
        [start, stop] if !start.is_empty() && !stop.is_empty() => {
            Some(format!("{}..{}", number(&start), number(&stop)))
        }
        [_, _, _] if ends.iter().all(|end| !end.is_empty()) => {
            Some(format!("({})", ends.iter().map(number).collect::<Vec<_>>().join(", ")))
        }
        _ => None,
    }
}

/// `np.mgrid[0:3, 0:4]`, `np.r_[1:4, 0]`, `np.c_[a, b]`
pub fn grid(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_grid = |at: &usize| matches!(line.at(*at), "mgrid" | "ogrid" | "r_" | "c_") && line.at(at + 1) == "[";
    let is_of_module = |at: &usize| matches!(line.before(*at, 1), "." | "::") && line.is_word(at - 2);
    (2..line.len()).filter(is_grid).filter(is_of_module).find_map(|at| {
        let (close, parts) = (line.closing(at + 1)?, line.arguments(at + 1)?);
        let is_macro = line.at(at).ends_with('_');
        let part = |text: &&str| {
            if text.contains(':') {
                range(text)
            } else if is_macro {
                Some(if is_list(text) { (*text).to_owned() } else { as_argument(&text.replace('\'', "\""), known) })
            } else {
                None
            }
        };
        let new = parts.iter().map(part).collect::<Option<Vec<_>>>()?.join(", ");
        let new =
            if is_macro { format!("gpu::{}![{new}]", line.at(at)) } else { format!("gpu::{}([{new}])", line.at(at)) };
        Some(line.with(at - 2, close, &new))
    })
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn arguments_as_rows_have_them() {
        let np = "cannot find value `np` in this scope";
        let surplus = "this function takes 2 arguments but 3 arguments were supplied";
        for (message, typed, expected) in [
            (np, "np.random.poisson(5, 3)", "gpu::random::poisson(5.0, 3)"),
            (np, "np.random.poisson(5, size=3)", "gpu::random::poisson!(5.0, size = 3)"),
            (np, "np.random.binomial(10, 1, (2, 3))", "gpu::random::binomial(10, 1.0, (2, 3))"),
            (np, "np.tri(3)", "gpu::tri::<f64>(3)"),
            (
                np,
                "np.interp(a, [1, 2], [0, 0.5])",
                "gpu::interp(&a, &gpu::array(&[1.0, 2.0]), &gpu::array(&[0.0, 0.5]))",
            ),
            (np, "np.logspace(0, 2, 3)", "gpu::logspace(0.0, 2.0, 3)"),
            (np, "np.random.choice(10, 3, replace=False)", "gpu::random::choice(&gpu::arange(10), 3, false)"),
            (np, "np.finfo(np.float32).eps * 2.0", "f32::EPSILON * 2.0"),
            (np, "np.mgrid[0:3, 0:1:0.5]", "gpu::mgrid([0..3, (0.0, 1.0, 0.5)])"),
            ("ambiguous associated type", "gpu::DeviceArray::<f32>::zeros((3, 4))", "gpu::zeros::<f32>((3, 4))"),
            ("no function", "DeviceArray::ones(3)", "gpu::ones(3)"),
            (np, "np.c_[a, b]", "gpu::c_![&a, &b]"),
            (np, "np.r_[1:4, 0, [7, 8]]", "gpu::r_![1..4, 0, [7, 8]]"),
            (
                "this function needs arrays on the device, but this argument is not one",
                "gpu::bincount(&[1, 2, 2])",
                "gpu::bincount(&gpu::array(&[1, 2, 2]))",
            ),
            (
                "mismatched types: expected `&DeviceArray<bool>`, found `&[bool; 2]`",
                "gpu::where_(&[true, false], 1, 0)",
                "gpu::where_(&gpu::array(&[true, false]), 1, 0)",
            ),
            (surplus, "gpu::random::integers(0, 10, 5)", "gpu::random::integers(0..10, 5)"),
            (surplus, "let y = gpu::random::integers(0, n, (3, 4));", "let y = gpu::random::integers(0..n, (3, 4));"),
            (surplus, "gpu::einsum(\"ij,jk\", &a, &m)", "gpu::einsum(\"ij,jk\", [&a, &m])"),
            (
                "`{integer}` is not a range of integers",
                "gpu::random::integers(10, 5)",
                "gpu::random::integers(0..10, 5)",
            ),
            (
                "mismatched types: expected `&_`, found integer",
                "gpu::random::choice(5, 3, true)",
                "gpu::random::choice(&gpu::arange(5), 3, true)",
            ),
        ] {
            let faults = [(Some("E0425"), message)];
            let corrected = of_line(typed, &Known::of_line(&faults, typed, 1, &type_of));
            assert_eq!(corrected.as_deref(), Some(expected), "{typed}");
        }
    }
}
