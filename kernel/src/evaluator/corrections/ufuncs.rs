//! Methods of NumPy's universal functions: `np.add.reduce(a)`, `np.maximum.outer(x, y)`, `np.add.at(x, i, 1)`.

use super::known::Known;
use super::named::value_of;
use super::operators::{array_of_list, as_argument, as_element, as_float, as_object, is_list, with_references};

/// What a universal function is here.
struct Ufunc {
    name: &'static str,
    /// Between two arrays: an operator, or the name of a method.
    between: &'static str,
    /// The method that reduces.
    reduce: Option<&'static str>,
    /// The method that accumulates.
    accumulate: Option<&'static str>,
}

const fn ufunc(
    name: &'static str,
    between: &'static str,
    reduce: Option<&'static str>,
    accumulate: Option<&'static str>,
) -> Ufunc {
    Ufunc { name, between, reduce, accumulate }
}

const UFUNCS: [Ufunc; 13] = [
    ufunc("add", "+", Some("sum"), Some("cumsum")),
    ufunc("subtract", "-", None, None),
    ufunc("multiply", "*", Some("prod"), Some("cumprod")),
    ufunc("divide", "/", None, None),
    ufunc("true_divide", "/", None, None),
    ufunc("maximum", "maximum", Some("max"), None),
    ufunc("minimum", "minimum", Some("min"), None),
    ufunc("power", "pow", None, None),
    ufunc("hypot", "hypot", None, None),
    ufunc("logical_and", "logical_and", Some("all"), None),
    ufunc("logical_or", "logical_or", Some("any"), None),
    ufunc("greater", "gt", None, None),
    ufunc("less", "lt", None, None),
];

/// What the method of a universal function is here; `path` is `["np", "add", "reduce"]`. The outer `None` says that it is none.
pub fn method(path: &[&str], values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<Option<String>> {
    let [_, name, method] = path[..] else { return None };
    let ufunc = UFUNCS.iter().find(|ufunc| ufunc.name == name)?;
    match method {
        "reduce" | "accumulate" => Some(along(ufunc, method, values, named, known)),
        "outer" => Some(outer(ufunc, values, known)),
        "at" => Some(at(ufunc, values, known)),
        _ => None,
    }
}

/// `np.add.reduce(a)` is along the first axis, `np.add.reduce(a, axis=None)` of all elements.
fn along(ufunc: &Ufunc, method: &str, values: &[&str], named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let is_reduction = method == "reduce";
    let ours = if is_reduction { ufunc.reduce } else { ufunc.accumulate }?;
    let (array, axis) = match values {
        [array] => (array, value_of(named, "axis").unwrap_or("0")),
        [array, axis] => (array, *axis),
        _ => return None,
    };
    if named.iter().any(|(name, _)| *name != "axis") {
        return None;
    }
    let object = as_object(&with_references(array, known));
    Some(if axis == "None" { format!("{object}.{ours}()") } else { format!("{object}.{ours}_axis({axis})") })
}

/// Every element of the first with every element of the second.
fn outer(ufunc: &Ufunc, values: &[&str], known: &Known<'_>) -> Option<String> {
    let [one, other] = values else { return None };
    if ufunc.name == "multiply" {
        return Some(format!("gpu::outer({}, {})", as_argument(one, known), as_argument(other, known)));
    }
    let column = format!("{}.expand_dims(1)", as_object(&with_references(one, known)));
    let other = as_argument(other, known);
    let is_operator = !ufunc.between.starts_with(|first: char| first.is_alphabetic());
    Some(match is_operator {
        true => format!("{column} {} {other}", ufunc.between),
        false => format!("{column}.{}({other})", ufunc.between),
    })
}

/// `np.add.at(x, i, 1)`: places that are named several times count several times.
fn at(ufunc: &Ufunc, values: &[&str], known: &Known<'_>) -> Option<String> {
    let [array, places, what] = values else { return None };
    let sign = match ufunc.name {
        "add" => "+",
        "subtract" => "-",
        _ => return None,
    };
    let of_list = |text: &str| if is_list(text) { array_of_list(text, false) } else { as_argument(text, known) };
    let (places, size) = (of_list(places), format!("{}.size()", as_object(array)));
    let sums = if known.is_array(what) || is_list(what) {
        format!("gpu::bincount!({places}, weights = {}, minlength = {size})", of_list(what))
    } else {
        let counts = format!("gpu::bincount!({places}, minlength = {size})");
        let what = as_element(what, array, known);
        match known.element_of(array).as_deref() {
            Some("i64") => format!("{counts} * {what}"),
            Some(element) => format!("{counts}.astype::<{element}>() * {what}"),
            None => format!("{counts}.astype::<f64>() * {}", as_float(&what)),
        }
    };
    Some(format!("let {array} = &{array} {sign} {sums};"))
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
            ("np.subtract.outer(a, b)", "a.expand_dims(1) - &b"),
            ("np.multiply.outer(a, b)", "gpu::outer(&a, &b)"),
            ("np.maximum.outer(a, b)", "a.expand_dims(1).maximum(&b)"),
            (
                "np.add.at(a, [0, 1, 1], 2)",
                "let a = &a + gpu::bincount!(&gpu::array(&[0, 1, 1]), minlength = a.size()).astype::<f64>() * 2.0;",
            ),
            ("np.add.at(i, [0, 1], 2)", "let i = &i + gpu::bincount!(&gpu::array(&[0, 1]), minlength = i.size()) * 2;"),
            ("np.subtract.at(a, i, b)", "let a = &a - gpu::bincount!(&i, weights = &b, minlength = a.size());"),
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
