//! Arrays whose elements have two types, in functions and methods: the narrower ones are converted. Operators have `numbers.rs`.

use super::arithmetic::numbers_of;
use super::dtypes::Kind;
use super::known::{ARRAY, Known};
use super::line::{Line, is_integer};
use super::operators::as_object;
use crate::evaluator::elements;
use crate::syntax::list_has;

/// Methods that are operators, and take what their array has.
const OPERATORS: &str = "gt lt ge le eq ne add subtract multiply divide true_divide floor_divide modulo remainder maximum minimum fmax fmin hypot copysign";

/// `i.add(&j)`, `i.gt(2.5)`: the elements of the array of a method, and those of its argument, have two types.
pub fn mixed_arrays(line: &Line, known: &Known<'_>) -> Option<String> {
    let (left, right) = mixed_types(known).next()?;
    let is_array = right.starts_with(ARRAY);
    let element = right.strip_prefix(ARRAY).map_or(right.as_str(), |rest| rest.trim_end_matches('>'));
    // A number beside an array has the array's type, if it can.
    let target = match common_type(&left, element) {
        Some(target) if is_array || target.starts_with('f') => target,
        _ if !is_array && elements::is_integer(&left) => left.as_str(),
        _ => return None,
    };
    line.calls(true).filter(|at| !list_has(MODULES, line.before(*at, 2))).find_map(|at| {
        let first = line.operand_before(at - 1)?;
        let object = line.slice(first, at - 2);
        let parts = line.parts(at + 1, ",")?;
        let is_of = |text: &str| text.ends_with(&format!("astype::<{target}>()"));
        let is_right = |part: &&(usize, usize)| {
            let text = line.part(**part);
            let is_literal = is_integer(text) && element == "{integer}";
            if is_array { known.is_array(text) } else { is_literal || !known.is_array(text) && !is_integer(text) }
        };
        let part = *parts.iter().find(is_right)?;
        if target != left {
            return (!is_of(object) && known.is_array(object))
                .then(|| line.with(first, at - 2, &format!("{object}.astype::<{target}>()")));
        }
        let argument = line.part(part).trim_start_matches('&');
        if !is_array && is_integer(argument) {
            // Other methods take whole numbers, such as exponents and axes.
            let is_operator = list_has(OPERATORS, line.at(at));
            return (target.starts_with('f') && is_operator)
                .then(|| line.with(part.0, part.1, &format!("{argument}.0")));
        }
        if !is_array {
            let is_variable = known.variable(argument).is_some_and(|name| name == right);
            return is_variable.then(|| line.with(part.0, part.1, &format!("{argument} as {target}")));
        }
        (!is_of(argument)).then(|| line.with(part.0, part.1, &format!("&{}.astype::<{target}>()", as_object(argument))))
    })
}

/// `m - m.mean_axis(0)`: means of whole numbers are floats.
pub fn of_means(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says(" as Element>::Mean == ") && !known.says(" as gpu::Element>::Mean == ") {
        return None;
    }
    (1..line.len()).filter(|at| matches!(line.at(*at), "+" | "-" | "*" | "/")).find_map(|at| {
        let (first, last) = (line.operand_before(at)?, line.operand_after(at + 1)?);
        let as_floats = |first: usize, last: usize| {
            let text = line.slice(first, last).trim_start_matches('&');
            let is_whole = numbers_of(text, known).is_some_and(|numbers| numbers.is_array && numbers.is_whole());
            (is_whole && !text.contains("mean")).then(|| {
                let first = if line.before(first, 1) == "&" { first - 1 } else { first };
                line.with(first, last, &format!("{}.astype::<f64>()", as_object(text)))
            })
        };
        as_floats(first, at - 1).or_else(|| as_floats(at + 1, last))
    })
}

/// The types that the compiler says do not go together: the elements of an array, and an array or a number.
pub fn mixed_types(known: &Known<'_>) -> impl Iterator<Item = (String, String)> {
    known.faults.iter().filter_map(|(_, text)| {
        let (left, right) = text.split_once("cannot combine an array of `")?.1.split_once("` with `")?;
        Some((left.to_owned(), right.trim_end_matches('`').trim_start_matches('&').to_owned()))
    })
}

/// Where functions of arrays are.
const MODULES: &str = "gpu np cp numpy cupy linalg random";

/// `gpu::concatenate([&i, &j], 0)`, `gpu::maximum(&i, &j)` of arrays whose elements have two types: the narrower ones are converted.
pub fn mixed_references(line: &Line, known: &Known<'_>) -> Option<String> {
    let of = |name: &str| Some(name.trim_start_matches('&').strip_prefix(ARRAY)?.split('>').next()?.to_owned());
    let (expected, found) = known
        .faults
        .iter()
        .find_map(|(_, text)| {
            // `type mismatch resolving <DeviceArray<i64> as OnDevice>::Elem == i32`
            if let Some((found, expected)) = text.split_once(" as OnDevice>::Elem == ") {
                return Some((expected.trim_end_matches('`').to_owned(), of(found.split_once("resolving `<")?.1)?));
            }
            let (expected, found) = text.split_once("expected `")?.1.split_once("`, found `")?;
            of(expected).zip(of(found.trim_end_matches('`')))
        })
        .or_else(|| mixed_types(known).next().map(|(left, right)| (left, of(&right).unwrap_or(right))))?;
    let target = common_type(&expected, &found)?;
    let narrow = if target == expected { found } else { expected };
    let is_narrow = |text: &str| match known.element_of(text).filter(|element| !element.is_empty()) {
        Some(element) => element == narrow,
        None => numbers_of(text, known).is_some_and(|numbers| {
            numbers.is_array && numbers.kind == Kind::Integer && numbers.name.is_none_or(|name| name == narrow)
        }),
    };
    // What `set!` has between the brackets are places.
    let set = line.find("set").find(|at| line.at(at + 1) == "!" && line.at(at + 2) == "(");
    let from = set.and_then(|set| (set..line.len()).find(|at| matches!(line.at(*at), "=" | "+=" | "-=" | "*=" | "/=")));
    let is_value = |at: usize| from.is_none_or(|from| at > from);
    let mut places = line.find("&").filter(|at| matches!(line.before(*at, 1), "(" | "[" | ",") && is_value(*at));
    places.find_map(|at| {
        let last = line.operand_after(at + 1)?;
        let text = line.slice(at + 1, last);
        // A list of the host becomes an array as it is.
        if text.starts_with('[') {
            return None;
        }
        let is_done = text.ends_with(&format!("astype::<{target}>()"));
        (!is_done && is_narrow(text))
            .then(|| line.with(at + 1, last, &format!("{}.astype::<{target}>()", as_object(text))))
    })
}

/// The element type of two arrays together, if one of them has it: the float, or the wider integer.
fn common_type(left: &str, right: &str) -> Option<&'static str> {
    const TYPES: [&str; 9] = ["bool", "u8", "i8", "u16", "i16", "i32", "u32", "u64", "i64"];
    const FLOATS: [&str; 2] = ["f32", "f64"];
    let open = |name: &str| match name {
        "{integer}" => "i32".to_owned(),
        "{float}" => "f64".to_owned(),
        name => name.to_owned(),
    };
    let (left, right) = (open(left), open(right));
    let place = |list: &[&str], name: &str| list.iter().position(|known| *known == name);
    match [&left, &right].map(|name| place(&FLOATS, name)) {
        [Some(_), Some(_)] => None,
        [Some(float), None] | [None, Some(float)] => {
            let other = if place(&FLOATS, &left).is_some() { &right } else { &left };
            place(&TYPES, other).map(|_| FLOATS[float])
        }
        [None, None] => {
            let wider = place(&TYPES, &left)?.max(place(&TYPES, &right)?);
            (left != right).then_some(TYPES[wider])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn type_of(name: &str) -> Option<String> {
        let known = match name {
            "i" => "DeviceArray<i64>",
            "j" => "DeviceArray<i32>",
            "a" => "DeviceArray<f32>",
            "mask" => "DeviceArray<bool>",
            "n" => "i64",
            _ => return None,
        };
        Some(known.to_owned())
    }

    #[test]
    fn the_narrower_elements_are_converted() {
        for (message, typed, expected) in [
            ("cannot combine an array of `i64` with `&DeviceArray<i32>`", "i.eq(&j)", Some("i.eq(&j.astype::<i64>())")),
            ("cannot combine an array of `i32` with `&DeviceArray<i64>`", "j.eq(&i)", Some("j.astype::<i64>().eq(&i)")),
            ("cannot combine an array of `i32` with `&DeviceArray<f32>`", "j.lt(&a)", Some("j.astype::<f32>().lt(&a)")),
            ("cannot combine an array of `i32` with `{float}`", "j.gt(2.5)", Some("j.astype::<f64>().gt(2.5)")),
            ("cannot combine an array of `i32` with `i64`", "j.gt(n)", Some("j.gt(n as i32)")),
            (
                "cannot combine an array of `i32` with `&DeviceArray<i64>`",
                "gpu::append(&j, &i)",
                Some("gpu::append(&j.astype::<i64>(), &i)"),
            ),
            (
                "cannot combine an array of `i32` with `{float}`",
                "gpu::where_(&j.gt(1), &j, 0.5)",
                Some("gpu::where_(&j.gt(1), &j.astype::<f64>(), 0.5)"),
            ),
            (
                "expected `&DeviceArray<i64>`, found `&DeviceArray<i32>`",
                "gpu::concatenate([&i, &j], 0)",
                Some("gpu::concatenate([&i, &j.astype::<i64>()], 0)"),
            ),
            (
                "type mismatch resolving `<DeviceArray<i64> as OnDevice>::Elem == i32`",
                "gpu::dot(&j, &i)",
                Some("gpu::dot(&j.astype::<i64>(), &i)"),
            ),
            ("cannot combine an array of `f32` with `&DeviceArray<f64>`", "a.add(&a)", None),
            ("cannot find value `j` in this scope", "gpu::dot(&j, &i)", None),
        ] {
            let faults = [(Some("E0277"), message)];
            let known = Known::of_line(&faults, typed, 1, &type_of);
            let line = Line::new(typed);
            let corrected = mixed_arrays(&line, &known).or_else(|| mixed_references(&line, &known));
            assert_eq!(corrected.as_deref(), expected, "{typed}");
        }
    }
}
