//! Calls of NumPy's functions by what they take: names of arguments by their place, and sequences of arrays.

use super::axes::axes_of;
use super::known::Known;
use super::line::{Line, is_integer, is_name};
use super::named::{REDUCTIONS, has_keywords, keyword, row_of, value_of};
use super::operators::{
    array_of_list, array_of_number, as_argument, as_array, as_element, as_float, as_object, is_list, is_of_numbers,
    list_of_arrays, with_floats, with_lists,
};
use crate::evaluator::elements;
use crate::syntax::{list_has, list_value, words};

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

/// The variable that `np.add(a, b, out=c)` as a statement is for, the other arguments, and how the statement ends.
pub fn with_target<'a>(
    path: &[&str],
    arguments: &[&'a str],
    named: &[(&str, &'a str)],
    known: &Known<'_>,
) -> Option<(&'a str, Vec<&'a str>, &'static str)> {
    let target = value_of(named, "out").filter(|target| is_name(target))?;
    let is_other = |one: &&str| keyword(one).is_none_or(|(name, _)| name != "out");
    let others = arguments.iter().copied().filter(is_other).collect();
    let call = format!("{}({})", path.join("."), arguments.join(", "));
    // However it is spaced.
    let tokens = |text: &str| text.trim_end_matches(';').replace(' ', "");
    let statement = known.cell.lines().map(str::trim).find(|line| tokens(line) == tokens(&call))?;
    Some((target, others, if statement.ends_with(';') { "" } else { ";" }))
}

/// Functions of two arrays that are not operators.
pub const OF_TWO: &str = "\
    power pow float_power copysign fmod mod remainder hypot arctan2 maximum minimum fmax fmin floor_divide logaddexp logaddexp2 \
    nextafter heaviside gcd lcm";

/// The ends of a range as floats: `(0, a.max())` as `(0.0, a.max())`.
pub fn range_of_floats(range: &str) -> String {
    let is_end = |line: &Line, at: usize| {
        let sign = usize::from(line.before(at, 1) == "-");
        matches!(line.before(at, 1 + sign), "(" | "," | "[") && matches!(line.at(at + 1), ")" | "," | "]")
    };
    // Not what stands in the parentheses of a call.
    let line = Line::new(range);
    let depth = |at: usize| {
        (0..at).filter(|before| matches!(line.at(*before), "(" | "[")).count()
            - (0..at).filter(|before| matches!(line.at(*before), ")" | "]")).count()
    };
    with_floats(range, |line, at| is_end(line, at) && depth(at) == 1)
}

/// Convolutions and correlations of two arrays.
const CONVOLUTIONS: &str = "convolve correlate fftconvolve convolve2d correlate2d";

/// A list beside an array: with elements of the array's type, as NumPy's result has it.
fn list_beside(list: &str, element: &str) -> String {
    match element {
        "i64" => format!("{}.astype::<i64>()", array_of_list(list, false)),
        _ => array_of_list(list, element.starts_with('f')),
    }
}

/// Arguments of a function that needs arrays of one type, lists of numbers among them: `np.convolve(a, [1, -1])`.
fn of_one_type(values: &[&str], known: &Known<'_>) -> Option<Vec<String>> {
    let mut element = values.iter().find_map(|value| known.element_of(value)).unwrap_or_default();
    let has_list = values.iter().any(|value| is_list(value));
    if !has_list {
        return Some(values.iter().map(|value| as_array(value, known)).collect());
    }
    // Of Python's numbers and `f32` NumPy makes `f64`.
    let is_narrow = matches!(&*element, "f32" | "f16");
    if !is_narrow && values.iter().any(|value| is_list(value) && value.contains('.')) && !element.starts_with('f') {
        // Integers beside floats have another rule.
        element.clear();
    }
    let all = values.iter().map(|value| match value {
        value if is_list(value) => list_beside(value, &element),
        value if is_narrow && known.is_array(value) => {
            format!("&{}.astype::<f64>()", as_object(&as_array(value, known)))
        }
        value => as_array(value, known),
    });
    Some(all.collect())
}

/// `np.convolve(a, [1, -1], 'same')`, `signal.convolve2d(m, m)`: the macros, which know `mode` as a text.
pub fn convolved(name: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let (arrays, rest) = values.split_at_checked(2).filter(|_| list_has(CONVOLUTIONS, name))?;
    let rest = rest.iter().map(|text| text.replace('\'', "\""));
    checked_macro(name, of_one_type(arrays, known)?.into_iter().chain(rest), named)
}

/// `np.pad(a, 1, 'edge')`, `np.searchsorted(a, 2, 'right')`: a text that only the macro knows.
fn with_text(name: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let (first, rest) = values.split_first()?;
    let is_text = |value: &&str| value.starts_with(['"', '\'']);
    if !matches!(name, "pad" | "searchsorted") || !rest.iter().any(is_text) {
        return None;
    }
    let rest = rest.iter().map(|value| match (name, value) {
        (_, value) if is_text(value) => value.replace('\'', "\""),
        ("pad", value) => (*value).to_owned(),
        (_, value) if is_list(value) => list_beside(value, &known.element_of(first).unwrap_or_default()),
        (_, value) if is_integer(value.trim_start_matches('-')) => as_element(value, first, known),
        (_, value) => as_argument(value, known),
    });
    checked_macro(name, std::iter::once(as_array(first, known)).chain(rest), named)
}

/// `np.fft.fftfreq(8)`: `d` is needed here, and the number is not a reference.
pub fn frequencies(name: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    if !matches!(name, "fftfreq" | "rfftfreq") || named.iter().any(|(key, _)| !matches!(*key, "n" | "d")) {
        return None;
    }
    let of = |place: usize, key: &str| values.get(place).copied().or(value_of(named, key));
    let count = of(0, "n")?;
    let line = Line::new(count);
    let is_narrow = |at: usize| {
        let name = line.at(at);
        let other = known.variable(name).is_some_and(|name| name != "usize" && elements::is_integer(&name));
        line.is_word(at) && other && !matches!(line.at(at + 1), "." | "[")
    };
    let count =
        if (0..line.len()).any(is_narrow) { format!("{} as usize", as_object(count)) } else { count.to_owned() };
    Some(format!("gpu::fft::{name}({count}, {})", as_float(of(1, "d").unwrap_or("1.0"))))
}

/// Calls of arrays that have another form here.
fn of_arrays(name: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    match (name, values) {
        ("array_equal", [one, other]) if named.is_empty() && values.iter().any(|value| known.is_array(value)) => {
            Some(format!("gpu::array_equal({})", of_one_type(&[*one, *other], known)?.join(", ")))
        }
        ("histogram", [array, bins, range]) if named.is_empty() && range.starts_with('(') => {
            let bins = if is_list(bins) { array_of_list(bins, true) } else { as_argument(bins, known) };
            Some(format!("gpu::histogram({}, {bins}, {})", as_array(array, known), range_of_floats(range)))
        }
        ("clip", [array, low, high]) => clipped(&as_object(&as_array(array, known)), array, &[low, high], known),
        // A number before an array: functions begin with an array.
        (_, [number, array, ..]) if list_has(OF_TWO, name) && is_of_numbers(number, known) && known.is_array(array) => {
            let name = list_value("mod=modulo remainder=modulo pow=power", name).unwrap_or(name);
            let others: Vec<String> = values[1..].iter().map(|value| as_argument(value, known)).collect();
            Some(format!("gpu::{name}({}, {})", array_of_number(number, array, known), others.join(", ")))
        }
        // Of integers NumPy's quotient is a float.
        ("divide", [one, other]) if known.element_of(one).is_some_and(|element| elements::is_integer(&element)) => {
            Some(format!("gpu::true_divide({}, {})", as_argument(one, known), as_argument(other, known)))
        }
        ("permutation", [array]) if known.is_array(array) => Some(permuted("gpu::random::permutation", array)),
        // All elements, one array behind the other.
        ("concatenate", [arrays]) if value_of(named, "axis") == Some("None") => {
            Some(format!("gpu::concatenate!({}, axis = None)", list_of_arrays(arrays, known)?))
        }
        ("load", [path]) if path.trim_end_matches(['"', '\'']).ends_with(".npz") => {
            Some(format!("gpu::load_npz({})", path.replace('\'', "\"")))
        }
        ("load", [path]) => Some(format!("gpu::load::<f64>({path})")),
        ("savez" | "savez_compressed", [path]) if !named.is_empty() => {
            let arrays = named.iter().map(|(key, value)| format!("(\"{key}\", {})", as_array(value, known)));
            let path = path.replace('\'', "\"");
            Some(format!("gpu::{name}({path}, [{}])", arrays.collect::<Vec<_>>().join(", ")))
        }
        _ => None,
    }
}

/// The rows of an array in the order that a function gives for their number.
pub fn permuted(function: &str, array: &str) -> String {
    let object = as_object(array.trim_start_matches('&'));
    format!("{object}.take_axis(&{function}({object}.shape()[0]), 0)")
}

/// `b.clip(None, 2)`: a bound that is `None` is none.
pub fn clipped(object: &str, array: &str, bounds: &[&str], known: &Known<'_>) -> Option<String> {
    match *bounds {
        ["None", high] if high != "None" => Some(format!("{object}.minimum({})", as_element(high, array, known))),
        [low, "None"] if low != "None" => Some(format!("{object}.maximum({})", as_element(low, array, known))),
        _ => None,
    }
}

/// `np.random.normal(means, 1.0)`: distributions of which a parameter is an array.
fn drawn(name: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let (ours, count) = match name {
        "normal" | "uniform" => (name, 2),
        "randint" | "integers" => ("randint", 2),
        "exponential" => (name, 1),
        _ => return None,
    };
    let is_parameter = |key: &str| matches!(key, "loc" | "scale" | "low" | "high");
    let of_names = || named.iter().filter(|(key, _)| is_parameter(key)).map(|(_, value)| *value);
    let has_array =
        values.iter().take(count).copied().chain(of_names()).any(|text| is_list(text) || known.is_array(text));
    if !has_array || named.iter().any(|(key, _)| !is_parameter(key) && *key != "size") {
        return None;
    }
    let parameter = |text: &str| match text {
        text if is_list(text) => array_of_list(text, ours != "randint"),
        text if known.is_array(text) || ours == "randint" => as_argument(text, known),
        text => as_float(text),
    };
    let values = values.iter().enumerate();
    let values = values.map(|(at, value)| if at < count { parameter(value) } else { (*value).to_owned() });
    let named = named.iter().map(|(key, value)| {
        let value = if is_parameter(key) { parameter(value) } else { (*value).to_owned() };
        format!("{key} = {value}")
    });
    Some(format!("gpu::random::{ours}!({})", values.chain(named).collect::<Vec<_>>().join(", ")))
}

/// The call of the macro of a function, with what Python's words and texts are here.
fn as_macro(name: &str, values: impl Iterator<Item = String>, named: &[(&str, &str)]) -> Option<String> {
    if named.iter().any(|(key, _)| *key == "dtype") {
        return None;
    }
    let named = named.iter().map(|(key, value)| match *value {
        "True" => format!("{key} = true"),
        "False" => format!("{key} = false"),
        value => format!("{key} = {}", value.replace('\'', "\"")),
    });
    Some(format!("gpu::{name}!({})", values.chain(named).collect::<Vec<_>>().join(", ")))
}

/// The call of a macro, if it has all that is given by name.
fn checked_macro(name: &str, values: impl Iterator<Item = String>, named: &[(&str, &str)]) -> Option<String> {
    let row = row_of(name)?;
    let has_all = named.iter().all(|(key, _)| words(row).any(|word| word == *key));
    if has_all { as_macro(name, values, named) } else { None }
}

/// Calls that have another form here.
pub fn of_another_form(name: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    // Of all elements.
    if let ("sort" | "argsort" | "partition" | "argpartition", "None") =
        (name, value_of(named, "axis").unwrap_or_default())
    {
        let rest: String = values.iter().skip(1).map(|value| format!(", {value}")).collect();
        return Some(format!("gpu::{name}(&{}.ravel(){rest})", as_object(&as_array(values.first()?, known))));
    }
    let new = of_arrays(name, values, named, known)
        .or_else(|| drawn(name, values, named, known))
        .or_else(|| convolved(name, values, named, known))
        .or_else(|| with_text(name, values, named, known))
        .or_else(|| frequencies(name, values, named, known));
    if new.is_some() {
        return new;
    }
    // More than our function takes: the macro has them.
    let is_length = |text: &str| is_integer(text) || known.is_integer(text) || known.variable(text).is_some();
    match (name, values) {
        ("eye", [_, columns]) if is_length(columns) => {
            return as_macro(name, values.iter().map(|value| (*value).to_owned()), named);
        }
        ("meshgrid", [_, _, _, ..]) => return as_macro(name, values.iter().map(|value| as_array(value, known)), named),
        _ => {}
    }
    // A tuple of levels is a list.
    if let ("percentile" | "quantile", [array, levels]) = (name, values)
        && levels.starts_with('(')
        && is_list(&with_lists(levels))
        && named.is_empty()
    {
        let levels = with_floats(&with_lists(levels), |_, _| true);
        return Some(format!("gpu::{name}!({}, {levels})", as_array(array, known)));
    }
    if let ("atleast_1d" | "atleast_2d" | "atleast_3d", [_, _, ..]) = (name, values) {
        let all = values.iter().map(|value| format!("gpu::{name}({})", as_array(value, known)));
        return Some(format!("({})", all.collect::<Vec<_>>().join(", ")));
    }
    if let ("repeat", [array, counts]) = (name, values)
        && (known.is_array(counts) || is_list(counts))
        && named.is_empty()
    {
        return Some(format!("gpu::repeat!({}, {})", as_array(array, known), as_array(counts, known)));
    }
    // Of numbers.
    let float = |text: &str| match text {
        text if is_integer(text) => format!("{text}.0_f64"),
        text if text.ends_with(".pi") => "std::f64::consts::PI".to_owned(),
        text => as_object(text),
    };
    let is_number = |text: &str| text.parse::<f64>().is_ok() || text.ends_with(".pi") || text.ends_with("::PI");
    match (name, values) {
        ("degrees" | "rad2deg", [angle]) if is_number(angle) => {
            return Some(format!("{}.to_degrees()", float(angle)));
        }
        ("radians" | "deg2rad", [angle]) if is_number(angle) => {
            return Some(format!("{}.to_radians()", float(angle)));
        }
        ("bitwise_and", [one, other]) if is_integer(one) && is_integer(other) => {
            return Some(format!("{one} & {other}"));
        }
        ("bitwise_or", [one, other]) if is_integer(one) && is_integer(other) => {
            return Some(format!("{one} | {other}"));
        }
        ("bitwise_xor", [one, other]) if is_integer(one) && is_integer(other) => {
            return Some(format!("{one} ^ {other}"));
        }
        _ => {}
    }
    // Of matrices.
    if let ("dot", [one, other]) = (name, values)
        && let axes = [one, other].map(|text| axes_of(text, known))
        && (axes.contains(&Some(2)) || axes[0] > Some(2) && axes[1].is_none_or(|axes| axes == 1))
    {
        return Some(format!("gpu::matmul({}, {})", as_array(one, known), as_array(other, known)));
    }
    None
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
        let mut differing = Vec::new();
        for (typed, expected) in [
            ("np.expand_dims(a, axis=1)", "a.expand_dims(1)"),
            ("np.swapaxes(m, axis1=0, axis2=1)", "m.swapaxes(0, 1)"),
            ("np.column_stack((a, b))", "gpu::column_stack([&a, &b])"),
            ("np.dstack([a, b])", "gpu::dstack([&a, &b])"),
            ("np.column_stack((a[:, None], b + 1))", "gpu::column_stack([&a.slice(s![.., NewAxis]), &(&b + 1)])"),
            ("np.ix_(a, b)", "gpu::ix_([&a, &b])"),
            ("np.add(a, 1, out=b)", "let b = a.add(1);"),
            ("np.dot(np.ones((2, 3)), m)", "gpu::matmul(&gpu::ones((2, 3)), &m)"),
            ("np.sort(m, axis=None)", "gpu::sort(&m.ravel())"),
            ("np.repeat(a, [1, 2])", "gpu::repeat!(&a, &gpu::array(&[1, 2]))"),
            ("np.deg2rad(180)", "180.0_f64.to_radians()"),
            ("let (u, p) = np.unique(a, return_index=True);", "let (u, p) = gpu::unique!(&a, return_index = true);"),
            ("np.unique(a, return_index=True)", "gpu::unique!(&a, return_index = true)"),
            ("np.clip(a, None, 2)", "a.minimum(2.0)"),
            ("np.clip(i, 1, None)", "i.maximum(1)"),
            ("np.power(2, a)", "gpu::power(&gpu::array(2.0), &a)"),
            ("np.concatenate((a, b), axis=None)", "gpu::concatenate!([&a, &b], axis = None)"),
            ("np.random.permutation(a)", "a.take_axis(&gpu::random::permutation(a.shape()[0]), 0)"),
            ("np.load('c.npz')", "gpu::load_npz(\"c.npz\")"),
            ("np.savez('c.npz', x=a, y=i)", "gpu::savez(\"c.npz\", [(\"x\", &a), (\"y\", &i)])"),
            ("np.squeeze(a, axis=0)", "gpu::squeeze!(&a, axis = 0)"),
            ("np.eye(2, 3)", "gpu::eye!(2, 3)"),
            ("np.eye(2, 3, k=1)", "gpu::eye!(2, 3, k = 1)"),
            ("np.meshgrid(a, b, a)", "gpu::meshgrid!(&a, &b, &a)"),
            ("np.meshgrid(a, b, a, indexing='ij')", "gpu::meshgrid!(&a, &b, &a, indexing = \"ij\")"),
            ("np.random.normal(a, 1)", "gpu::random::normal!(&a, 1.0)"),
            (
                "np.random.normal(loc=a, scale=2, size=(3, 5))",
                "gpu::random::normal!(loc = &a, scale = 2.0, size = (3, 5))",
            ),
            ("np.random.normal([0, 1], 2, (3, 2))", "gpu::random::normal!(&gpu::array(&[0.0, 1.0]), 2.0, (3, 2))"),
            ("np.random.uniform(a, b)", "gpu::random::uniform!(&a, &b)"),
            ("np.random.randint(1, [3, 5, 10])", "gpu::random::randint!(1, &gpu::array(&[3, 5, 10]))"),
            ("np.random.normal(0, 1, 5)", "gpu::random::normal(0.0, 1.0, 5)"),
            ("np.pad(a, 2, constant_values=5)", "gpu::pad!(&a, 2, constant_values = 5.0)"),
            ("np.pad(i, 2, constant_values=5)", "gpu::pad!(&i, 2, constant_values = 5)"),
            (
                "np.pad(a, (1, 2), mode='linear_ramp', end_values=(5, -4))",
                "gpu::pad!(&a, (1, 2), mode = \"linear_ramp\", end_values = (5.0, -4.0))",
            ),
            (
                "np.pad(m, ((1, 1), (2, 2)), 'constant', constant_values=((0, 1), (2, 3)))",
                "gpu::pad!(&m, ((1, 1), (2, 2)), \"constant\", constant_values = ((0.0, 1.0), (2.0, 3.0)))",
            ),
            ("np.savetxt('t.txt', m, fmt=['%d', '%.2f'])", "gpu::savetxt!(\"t.txt\", &m, fmt = [\"%d\", \"%.2f\"])"),
            ("np.polyfit(a, b, 1, full=True)", "gpu::polyfit!(&a, &b, 1, full = true)"),
            (
                "np.quantile(a, 0.5, weights=b, method='inverted_cdf')",
                "gpu::quantile!(&a, 0.5, weights = &b, method = \"inverted_cdf\")",
            ),
            ("np.convolve(a, b, 'same')", "gpu::convolve!(&a, &b, \"same\")"),
            ("np.correlate(a, b, \"full\")", "gpu::correlate!(&a, &b, \"full\")"),
            ("np.pad(a, (1, 1), 'wrap')", "gpu::pad!(&a, (1, 1), \"wrap\")"),
            ("np.searchsorted(a, 2, 'right')", "gpu::searchsorted!(&a, 2.0, \"right\")"),
            (
                "np.convolve(a, [1, 0, -1], mode='valid')",
                "gpu::convolve!(&a, &gpu::array(&[1.0, 0.0, -1.0]), mode = \"valid\")",
            ),
            ("np.convolve(a, [1, -1])", "gpu::convolve!(&a, &gpu::array(&[1.0, -1.0]))"),
            ("np.convolve([1, -1], i)", "gpu::convolve!(&gpu::array(&[1, -1]).astype::<i64>(), &i)"),
            ("np.fft.fftfreq(8)", "gpu::fft::fftfreq(8, 1.0)"),
            ("np.fft.fftfreq(len(a))", "gpu::fft::fftfreq(len(a), 1.0)"),
            ("np.fft.rfftfreq(n, d=2)", "gpu::fft::rfftfreq(n as usize, 2.0)"),
            ("np.fft.fftfreq(8, 1/50)", "gpu::fft::fftfreq(8, 1.0 / 50.0)"),
            ("np.array_equal(a, a[1:])", "gpu::array_equal(&a, &a.slice(s![1..]))"),
            ("np.array_equal(a, [1, 2])", "gpu::array_equal(&a, &gpu::array(&[1.0, 2.0]))"),
            ("np.histogram(a, bins=10, range=(0, 1))", "gpu::histogram!(&a, bins = 10, range = (0.0, 1.0))"),
            ("np.histogram(a, 4, (-1, 7))", "gpu::histogram(&a, 4, (-1.0, 7.0))"),
            ("np.histogram(a, range=(a.min(), 10))", "gpu::histogram!(&a, range = (a.min(), 10.0))"),
            ("np.divide(i, 2)", "gpu::true_divide(&i, 2)"),
            ("np.sqrt(i / 2)", "(i.astype::<f64>() / 2.0).sqrt()"),
            ("np.sqrt(a / 2)", "(&a / 2).sqrt()"),
            ("np.sqrt(1 / i)", "(1.0 / i.astype::<f64>()).sqrt()"),
        ] {
            let faults = [(Some("E0425"), np)];
            let corrected = of_line(typed, &Known::of_line(&faults, typed, 1, &type_of));
            if corrected.as_deref() != Some(expected) {
                differing.push(format!("{typed}: {corrected:?}, not {expected}"));
            }
        }
        for (message, typed, expected) in [
            ("this function takes 1 argument but 2 arguments were supplied", "gpu::eye(2, 3)", "gpu::eye!(2, 3)"),
            (
                "this function takes 2 arguments but 3 arguments were supplied",
                "gpu::meshgrid(&a, &b, &a)",
                "gpu::meshgrid!(&a, &b, &a)",
            ),
            (
                "this function takes 3 arguments but 2 arguments were supplied",
                "gpu::random::normal(&a, 1.0)",
                "gpu::random::normal!(&a, 1.0)",
            ),
            (
                "this function takes 2 arguments but 1 argument was supplied",
                "gpu::random::poisson(3)",
                "gpu::random::poisson!(3.0)",
            ),
            (
                "cannot combine an array of `{integer}` with `{float}`",
                "gpu::random::normal(0, 1.0, 3)",
                "gpu::random::normal(0.0, 1.0, 3)",
            ),
            (
                "cannot combine an array of `{float}` with `i32`",
                "gpu::linspace(0.0, n, 5)",
                "gpu::linspace(0.0, n as f64, 5)",
            ),
            (
                "cannot combine an array of `{float}` with `{integer}`",
                "gpu::linspace(0.5, -2, 5)",
                "gpu::linspace(0.5, -2.0, 5)",
            ),
            (
                "cannot combine an array of `f64` with `{integer}`",
                "gpu::pad!(&a, 2, constant_values = (0, 1))",
                "gpu::pad!(&a, 2, constant_values = (0.0, 1.0))",
            ),
            ("cannot find value `y` in this scope", "y = i / 2", "let y = i.astype::<f64>() / 2.0;"),
        ] {
            let faults = [(Some("E0061"), message)];
            let corrected = of_line(typed, &Known::of_line(&faults, typed, 1, &type_of));
            if corrected.as_deref() != Some(expected) {
                differing.push(format!("{typed}: {corrected:?}, not {expected}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
        assert_eq!(names_of("expand_dims").as_deref(), Some(&["a", "axis"][..]));
    }
}
