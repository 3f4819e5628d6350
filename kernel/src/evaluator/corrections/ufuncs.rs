//! Methods of NumPy's universal functions: `np.add.reduce(a)`, `np.maximum.outer(x, y)`, `np.add.at(x, i, 1)`.

use super::known::Known;
use super::line::Line;
use super::named::value_of;
use super::operators::{array_of_list, as_argument, as_array, as_element, as_float, as_object, is_list};
use crate::evaluator::elements;

/// What a universal function is here.
struct Ufunc {
    name: &'static str,
    /// Of two arrays `x` and `y`, as a function that is given to another one.
    of_two: &'static str,
    /// The method that reduces.
    reduce: Option<&'static str>,
    /// The method that accumulates.
    accumulate: Option<&'static str>,
    /// Whether elements may be combined in any grouping.
    is_associative: bool,
}

/// A universal function of two elements. Those that are associative may combine all elements along an axis.
const fn ufunc(name: &'static str, of_two: &'static str, is_associative: bool) -> Ufunc {
    Ufunc { name, of_two, reduce: None, accumulate: None, is_associative }
}

/// A universal function with methods of arrays that reduce and accumulate.
const fn reducing(name: &'static str, of_two: &'static str, reduce: &'static str) -> Ufunc {
    Ufunc { reduce: Some(reduce), ..ufunc(name, of_two, true) }
}

const UFUNCS: [Ufunc; 35] = [
    Ufunc { accumulate: Some("cumsum"), ..reducing("add", "x + y", "sum") },
    Ufunc { accumulate: Some("cumprod"), ..reducing("multiply", "x * y", "prod") },
    ufunc("subtract", "x - y", false),
    ufunc("divide", "x.true_divide(y)", false),
    ufunc("true_divide", "x.true_divide(y)", false),
    ufunc("floor_divide", "x.floor_divide(y)", false),
    ufunc("remainder", "x.modulo(y)", false),
    ufunc("mod", "x.modulo(y)", false),
    ufunc("fmod", "x.remainder(y)", false),
    ufunc("power", "x.pow(y)", false),
    reducing("maximum", "x.maximum(y)", "max"),
    reducing("minimum", "x.minimum(y)", "min"),
    ufunc("fmax", "gpu::fmax(x, y)", true),
    ufunc("fmin", "gpu::fmin(x, y)", true),
    ufunc("hypot", "x.hypot(y)", true),
    ufunc("logaddexp", "gpu::logaddexp(x, y)", true),
    ufunc("arctan2", "x.atan2(y)", false),
    ufunc("copysign", "x.copysign(y)", false),
    reducing("logical_and", "gpu::logical_and(x, y)", "all"),
    reducing("logical_or", "gpu::logical_or(x, y)", "any"),
    ufunc("logical_xor", "gpu::logical_xor(x, y)", true),
    ufunc("bitwise_and", "x & y", true),
    ufunc("bitwise_or", "x | y", true),
    ufunc("bitwise_xor", "x ^ y", true),
    ufunc("left_shift", "x << y", false),
    ufunc("right_shift", "x >> y", false),
    ufunc("gcd", "gpu::gcd(x, y)", true),
    ufunc("lcm", "gpu::lcm(x, y)", true),
    ufunc("equal", "x.eq(y)", false),
    ufunc("not_equal", "x.ne(y)", false),
    ufunc("greater", "x.gt(y)", false),
    ufunc("greater_equal", "x.ge(y)", false),
    ufunc("less", "x.lt(y)", false),
    ufunc("less_equal", "x.le(y)", false),
    ufunc("heaviside", "gpu::heaviside(x, y)", false),
];

/// What the method of a universal function is here; `path` is `["np", "add", "reduce"]`. The outer `None` says that it is none.
pub fn method(path: &[&str], values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<Option<String>> {
    let [_, name, method] = path[..] else { return None };
    let ufunc = UFUNCS.iter().find(|ufunc| ufunc.name == name)?;
    match method {
        "reduce" | "accumulate" | "reduceat" => Some(along(ufunc, method, values, named, known)),
        "outer" => Some(outer(ufunc, values, known).filter(|_| named.is_empty())),
        "at" => Some(at(ufunc, values, known).filter(|_| named.is_empty())),
        _ => None,
    }
}

/// `np.add.reduce(a)` is along the first axis, `np.add.reduce(a, axis=None)` of all elements.
fn along(ufunc: &Ufunc, method: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let ours = match method {
        "reduce" => ufunc.reduce,
        "accumulate" => ufunc.accumulate,
        _ => None,
    };
    let (array, rest) = values.split_first()?;
    // Indices stand before the axis.
    let indices = usize::from(method == "reduceat");
    let axis = value_of(named, "axis").or(rest.get(indices).copied()).unwrap_or("0");
    let array = as_array(array, known);
    let others: Vec<_> = named.iter().filter(|(name, _)| *name != "axis").copied().collect();
    if let Some(ours) = ours {
        if !others.is_empty() {
            let named: Vec<_> = std::iter::once(("axis", axis)).chain(others).collect();
            return with_names(ours, &array, &named);
        }
        let object = as_object(&array);
        return match axis {
            "None" => Some(format!("{object}.{ours}()")),
            axis if axis.starts_with('(') => with_names(ours, &array, &[("axis", axis)]),
            axis => Some(format!("{object}.{ours}_axis({axis})")),
        };
    }
    let is_reducible = ufunc.is_associative || method == "reduceat" && ufunc.reduce.is_some();
    if !others.is_empty() || !is_reducible {
        return None;
    }
    let function = format!("|x, y| {}", ufunc.of_two);
    if method == "reduceat" {
        let indices = rest.first().filter(|indices| is_list(indices))?;
        return Some(format!("gpu::ufunc::reduceat({function}, {array}, &{indices}, {axis})"));
    }
    let (array, axis) = match axis {
        "None" => (format!("&{}.ravel()", as_object(&array)), "0"),
        axis => (array, axis),
    };
    Some(format!("gpu::ufunc::{method}({function}, {array}, {axis})"))
}

/// The macro of a reduction with NumPy's keywords.
fn with_names(ours: &str, array: &str, named: &[(&str, &str)]) -> Option<String> {
    let keys = ["axis", "keepdims", "initial", "where"];
    let named = named.iter().map(|(key, value)| {
        let value = if matches!(*value, "True" | "False") { value.to_lowercase() } else { (*value).to_owned() };
        keys.contains(key).then(|| format!(", {key} = {value}"))
    });
    Some(format!("gpu::{ours}!({array}{})", named.collect::<Option<String>>()?))
}

/// Every element of the first with every element of the second.
fn outer(ufunc: &Ufunc, values: &[&str], known: &Known<'_>) -> Option<String> {
    let [one, other] = values else { return None };
    let element = |text: &str| known.element_of(text);
    let are_floats = [*one, *other].iter().any(|text| element(text).is_some_and(|name| name.starts_with('f')));
    let [one, other] = [one, other].map(|text| match is_list(text) {
        true => array_of_list(text, are_floats),
        false => as_array(text, known),
    });
    Some(match ufunc.name {
        "multiply" => format!("gpu::outer({one}, {other})"),
        _ => format!("gpu::ufunc::outer(|x, y| {}, {one}, {other})", ufunc.of_two),
    })
}

/// `np.add.at(x, i, 1)`: places that are named several times count several times.
fn at(ufunc: &Ufunc, values: &[&str], known: &Known<'_>) -> Option<String> {
    let [array, places, what] = values else { return None };
    // What is subtracted is added up first.
    let (function, sign) = match ufunc.name {
        "subtract" => ("x + y", "-"),
        "divide" | "true_divide" => return None,
        _ if ufunc.is_associative => (ufunc.of_two, ""),
        _ => return None,
    };
    // Of several axes, they are places in the flat array.
    let flat = Line::new(places);
    let (target, places) = if is_list(places) {
        ((*array).to_owned(), (*places).to_owned())
    } else if flat.at(0) == "(" {
        let along: Vec<String> = flat.arguments(0)?.iter().map(|one| as_argument(one, known)).collect();
        let places = format!("gpu::ravel_multi_index([{}], {array}.shape())", along.join(", "));
        (format!("{array}.reshape(-1)"), places)
    } else {
        ((*array).to_owned(), as_argument(places, known))
    };
    let are_floats = known.element_of(array).is_none_or(|element| !elements::is_integer(&element));
    let what = match is_list(what) {
        true => array_of_list(what, are_floats),
        false if known.is_array(what) => as_argument(what, known),
        false if are_floats => as_float(what),
        false => as_element(what, array, known),
    };
    let what = if sign.is_empty() { what } else { format!("{sign}{}", as_object_of_sign(&what)) };
    let what = if what.starts_with("-&") { format!("&({what})") } else { what };
    Some(format!("gpu::ufunc::at(|x, y| {function}, &mut {target}, {places}, {what})"))
}

/// What a sign may stand before.
fn as_object_of_sign(text: &str) -> String {
    if text.starts_with('-') { format!("({text})") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn functions_that_take_functions() {
        let np = "cannot find value `np` in this scope";
        for (typed, expected) in [
            ("np.add.reduce(m)", "m.sum_axis(0)"),
            ("np.multiply.reduce(m, axis=1)", "m.prod_axis(1)"),
            ("np.maximum.reduce(m, axis=None)", "m.max()"),
            ("np.logical_or.reduce(m > 1)", "m.gt(1).any_axis(0)"),
            ("np.add.accumulate(a)", "a.cumsum_axis(0)"),
            ("np.subtract.outer(a, b)", "gpu::ufunc::outer(|x, y| x - y, &a, &b)"),
            ("np.less_equal.outer(a, b)", "gpu::ufunc::outer(|x, y| x.le(y), &a, &b)"),
            ("np.power.outer(a, [1, 2])", "gpu::ufunc::outer(|x, y| x.pow(y), &a, &gpu::array(&[1.0, 2.0]))"),
            ("np.maximum.accumulate(a)", "gpu::ufunc::accumulate(|x, y| x.maximum(y), &a, 0)"),
            ("np.minimum.accumulate(m, axis=1)", "gpu::ufunc::accumulate(|x, y| x.minimum(y), &m, 1)"),
            ("np.add.reduce(m, axis=1, keepdims=True)", "gpu::sum!(&m, axis = 1, keepdims = true)"),
            ("np.add.reduce(m, axis=(0, 1))", "gpu::sum!(&m, axis = (0, 1))"),
            ("np.maximum.reduce([a, b])", "gpu::stack([&a, &b], 0).max_axis(0)"),
            ("np.logical_and.reduce([a > 1, b > 1])", "gpu::stack([&a.gt(1), &b.gt(1)], 0).all_axis(0)"),
            ("np.lcm.reduce([2, 3])", "gpu::ufunc::reduce(|x, y| gpu::lcm(x, y), &gpu::array(&[2, 3]), 0)"),
            ("np.bitwise_or.reduce(i, axis=None)", "gpu::ufunc::reduce(|x, y| x | y, &i.ravel(), 0)"),
            ("np.add.reduceat(a, [0, 2])", "gpu::ufunc::reduceat(|x, y| x + y, &a, &[0, 2], 0)"),
            ("np.multiply.outer(a, b)", "gpu::outer(&a, &b)"),
            ("np.maximum.outer(a, b)", "gpu::ufunc::outer(|x, y| x.maximum(y), &a, &b)"),
            ("np.add.at(a, [0, 1, 1], 2)", "gpu::ufunc::at(|x, y| x + y, &mut a, [0, 1, 1], 2.0)"),
            ("np.add.at(i, [0, 1], 2)", "gpu::ufunc::at(|x, y| x + y, &mut i, [0, 1], 2)"),
            ("np.subtract.at(a, i, b)", "gpu::ufunc::at(|x, y| x + y, &mut a, &i, &(-&b))"),
            (
                "np.maximum.at(a, i, [1, 2])",
                "gpu::ufunc::at(|x, y| x.maximum(y), &mut a, &i, &gpu::array(&[1.0, 2.0]))",
            ),
            ("np.apply_along_axis(np.sum, 0, m)", "gpu::apply_along_axis(|line| line.sum_axis(0), 0, &m)"),
            ("np.apply_along_axis(np.sort, -1, m)", "gpu::apply_along_axis(|line| gpu::sort(&line), -1, &m)"),
            ("np.apply_along_axis(lambda r: r.cumsum(), 1, m)", "gpu::apply_along_axis(|r| r.cumsum(), 1, &m)"),
            ("np.fromfunction(lambda r, c: 10 * r + c, (3, 4))", "gpu::fromfunction(|[r, c]| 10.0 * r + c, [3, 4])"),
            (
                "np.piecewise(a, [a < 0, a >= 0], [lambda x: -x, 1])",
                "gpu::piecewise(&a, &[&a.lt(0), &a.ge(0)], &[&|x| -x, &|_| gpu::full((), 1.0)])",
            ),
            ("np.vectorize(f)(a)", "gpu::map(f, &a)"),
            ("np.vectorize(f)(a, b)", "gpu::map(f, (&a, &b))"),
            ("np.put(a, [0, 2], [9, 8])", "gpu::put(&mut a, [0, 2], &gpu::array(&[9.0, 8.0]))"),
            ("np.put(a, [0, 2], 7)", "gpu::put(&mut a, [0, 2], 7.0)"),
            ("np.place(a, a > 1, 0)", "let mask = a.gt(1); gpu::place(&mut a, &mask, 0.0)"),
            ("np.fill_diagonal(m, 0)", "gpu::fill_diagonal(&mut m, 0.0)"),
            ("np.copyto(a, b)", "gpu::copyto(&mut a, &b)"),
        ] {
            let faults = [(Some("E0425"), np)];
            let corrected = of_line(typed, &Known::of_line(&faults, typed, 1, &type_of));
            assert_eq!(corrected.as_deref(), Some(expected), "{typed}");
        }
    }
}
