//! Arguments that functions want by reference, to read them or to write to them.

use super::arguments::calls_of_prelude;
use super::known::Known;
use super::line::{Line, is_name};
use super::operators::{as_argument, reference_of_reference};

/// `gpu::random::shuffle(&mut a)`, `gpu::map_into(f, (&a, &b), &mut out)`: what a call writes to stands last.
pub fn changed(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("expected `&mut ") && !known.says("types differ in mutability") {
        return None;
    }
    calls_of_prelude(line).find_map(|at| {
        let (first, last) = *line.parts(at + 1, ",")?.last()?;
        let name = line.part((first, last)).trim_start_matches('&').trim_start();
        is_name(name).then(|| line.with(first, last, &format!("&mut {name}")))
    })
}

/// `gpu::matmul(m, c)`, `gpu::array(vec![1.0])`, `gpu::matmul(&m, &h)`
pub fn borrowed(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_wanted =
        |(_, text): &(Option<&str>, &str)| text.contains("expected `&") && !text.contains("expected `&mut ");
    let needs_reference = known.says("is made from host arrays, but `(")
        || known.faults.iter().any(is_wanted)
        || known.says("cannot be plotted")
        || known.says("expected reference `&");
    let needs_device = known.says("not a device array")
        || known.says("expected `&_`, found `ArrayBase<")
        || known.says("found `ArrayBase<")
        || known.says("cannot combine an array of `f64` with `ArrayBase<");
    if !(needs_reference || needs_device) {
        return None;
    }
    calls_of_prelude(line).find_map(|at| {
        let (close, arguments) = (line.closing(at + 1)?, line.arguments(at + 1)?);
        let is_array_maker = matches!(line.at(at), "array" | "asarray");
        let convert = |argument: &&str| {
            let name = argument.trim_start_matches('&');
            let type_name = known.type_of(name).unwrap_or_default();
            let is_host = known.is_host_array(name) || type_name.starts_with("Vec<");
            if is_host && !is_array_maker && is_name(name) {
                format!("&gpu::asarray(&{name})")
            } else if is_array_maker && argument.starts_with('(') {
                format!("&[{}]", argument.trim_start_matches('(').trim_end_matches([')', ',']))
            } else if (argument.starts_with("vec!") || argument.starts_with('[')) && is_array_maker
                || is_host && is_array_maker && !argument.starts_with('&')
            {
                format!("&{argument}")
            } else {
                as_argument(argument, known)
            }
        };
        let new: Vec<String> = arguments.iter().map(convert).collect();
        (new.iter().ne(arguments.iter())).then(|| line.with(at + 1, close, &format!("({})", new.join(", "))))
    })
}

/// `gpu::max!(&x, axis = 0)` of a parameter that is a reference itself, in a line that an earlier correction has made.
pub fn of_references(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("but this argument is not one") && !known.says("`&&DeviceArray<") {
        return None;
    }
    let at = reference_of_reference(line, known)?;
    Some(line.with(at - 1, at, line.at(at)))
}

#[cfg(test)]
mod tests {
    use super::super::operators::is_reference;
    use super::super::tests::{second, type_of};
    use super::*;

    #[test]
    fn parameters_that_are_references_stay_as_they_are() {
        let head = "fn f(x: &DeviceArray<f64>, y: DeviceArray<f64>) -> DeviceArray<f64> {";
        for (typed, expected) in [
            ("    e = np.exp(x - x.max())", "e = (x - x.max()).exp()"),
            ("    return np.max(x, axis=0)", "return x.max_axis(0)"),
            ("    return x.max(axis=0, keepdims=True)", "return gpu::max!(x, axis = 0, keepdims = true)"),
            ("    return np.sort(x, axis=0)", "return gpu::sort!(x, axis = 0)"),
            ("    return np.where(x > 0, x, 0.0)", "return gpu::where_(&x.gt(0), x, 0.0)"),
            ("    return np.percentile(x, 75)", "return gpu::percentile(x, 75)"),
            ("    return np.percentile(y, 75)", "return gpu::percentile(&y, 75)"),
            ("    z = x - np.mean(x)", "z = x - x.mean()"),
        ] {
            assert_eq!(second(head, typed).as_deref(), Some(expected), "{typed}");
        }
        let known = |cell| Known::of_line(&[], cell, 3, &type_of);
        let body = "fn f(x: &DeviceArray<f64>) -> f64 {\n    let y = 1.0;\n    x.sum()\n}";
        let changed = "fn f(x: &DeviceArray<f64>) -> f64 {\n    let x = x - 1.0;\n    x.sum()\n}";
        assert_eq!([body, changed].map(|cell| is_reference("x", &known(cell))), [true, false]);
    }
}
