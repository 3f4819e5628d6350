//! Decorators of Python's functions, and the types that they give: `@cuda.jit`, `@vectorize(['int64(int64, int64)'])`.

use super::device_functions::{is_of_any_function, kind, path};
use super::known::{DeviceFunction, Known};
use super::line::Line;
use crate::evaluator::elements;
use crate::syntax::list_value;

/// Decorators of Python, and ours: `@cuda.jit`, `@vectorize`, `#[jit]`
pub fn attribute(line: &Line, known: &Known<'_>) -> Option<String> {
    let text = line.text.as_str();
    if let Some(name) = text.strip_prefix("#[").and_then(|rest| rest.strip_suffix(']')) {
        let is_missing = known.says(&format!("cannot find attribute `{name}` in this scope"));
        return (is_missing && matches!(name, "jit" | "njit")).then(|| "#[vectorize]".to_owned());
    }
    if matches!(path(text)?.as_slice(), ["torch", "no_grad" | "inference_mode"]) {
        return Some("// no gradients are recorded".to_owned());
    }
    let kind = kind(text)?;
    if is_of_any_function(text) && known.device.is_none() {
        return Some("// each function is compiled".to_owned());
    }
    let ours = match kind {
        DeviceFunction::Kernel => "#[kernel]",
        DeviceFunction::OfNumbers if text.contains("device") && path(text)?.last() == Some(&"jit") => "#[device]",
        DeviceFunction::OfNumbers => "#[vectorize]",
    };
    Some(ours.to_owned())
}

/// A type of a signature: its elements, and whether it is an array of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    pub element: &'static str,
    pub is_array: bool,
}

/// The parameters and the result of `int64(int64, int64)`.
#[derive(Debug, PartialEq, Eq)]
struct Signature {
    parameters: Vec<Declared>,
    result: Option<Declared>,
}

/// Numba's short names.
const SHORT: &str = "f4=f32 f8=f64 i4=i32 i8=i64 u1=u8 u4=u32 u8=u64 b1=bool boolean=bool intp=i64 int_=i64";

/// The element type with a name of Numba's.
fn element(name: &str) -> Option<&'static str> {
    list_value(SHORT, name).or_else(|| elements::named(name))
}

/// The type that ends with some token: `float32`, `nb.float32`, `float32[:, :]`
fn declared(line: &Line, (first, last): (usize, usize)) -> Option<Declared> {
    let is_array = line.at(last) == "]";
    let name = if is_array { line.opening(last)?.checked_sub(1)? } else { last };
    Some(Declared { element: element(line.at(name)).filter(|_| name >= first)?, is_array })
}

/// The types that a decorator gives. Of several signatures it is the last, which has the widest types.
fn signature(decorator: &str) -> Option<Signature> {
    let line = Line::new(&decorator.replace(['\'', '"'], " "));
    let is_result = |name: &str| name == "void" || element(name).is_some();
    let open = line.find("(").filter(|open| *open > 1 && is_result(line.before(*open, 1))).last()?;
    let result = (line.before(open, 1) != "void").then(|| declared(&line, (open - 1, open - 1))).flatten();
    let parameters = line.parts(open, ",")?.into_iter().map(|part| declared(&line, part)).collect::<Option<_>>()?;
    Some(Signature { parameters, result })
}

/// Whether the function with this head, on the line that is looked at, divides: integers divide otherwise than in Python.
fn divides(head: &str, known: &Known<'_>) -> bool {
    let body =
        known.cell.lines().skip(known.line).take_while(|text| text.is_empty() || text.starts_with([' ', '\t', '}']));
    let has_sign = |text: &str| {
        let tokens = Line::new(text.trim());
        (1..tokens.len()).any(|at| matches!(tokens.at(at), "/" | "//" | "%" | "**" | "/=" | "%="))
    };
    head.split_once("):").is_some_and(|(_, body)| has_sign(body)) || body.into_iter().any(has_sign)
}

/// The types that the decorator gives of the function whose head is the line that is looked at.
fn of_head(known: &Known<'_>) -> Option<Signature> {
    let lines: Vec<&str> = known.cell.lines().take(known.line).map(str::trim).collect();
    let (head, before) = lines.split_last()?;
    if !matches!(Line::new(head).at(0), "def" | "fn") {
        return None;
    }
    let decorator = before.iter().rev().take_while(|text| text.starts_with('@')).find(|text| kind(text).is_some())?;
    let found = signature(decorator)?;
    let is_whole = |declared: &Declared| elements::is_integer(declared.element) && !declared.is_array;
    let has_whole = found.parameters.iter().chain(&found.result).any(is_whole);
    (!(has_whole && divides(head, known))).then_some(found)
}

/// The type of a parameter that the decorator of its function gives.
pub fn of_parameter(name: &str, known: &Known<'_>) -> Option<Declared> {
    let head = Line::new(known.cell.lines().nth(known.line.checked_sub(1)?)?.trim());
    let at = head.parts(2, ",")?.iter().position(|(first, _)| head.at(*first) == name)?;
    of_head(known)?.parameters.get(at).copied()
}

/// `fn f(x: i64) -> f64 {` of a function whose decorator or head gives another type: `@vectorize(['int64(int64)'])`, `-> int:`
pub fn result(line: &Line, known: &Known<'_>) -> Option<String> {
    let close = line.closing(2).filter(|_| line.at(0) == "fn" && line.at(2) == "(")?;
    let is_default = line.at(close + 1) == "->" && line.at(close + 2) == "f64" && line.at(close + 3) == "{";
    if known.device != Some(DeviceFunction::OfNumbers) || !is_default {
        return None;
    }
    let head = Line::new(known.cell.lines().nth(known.line.checked_sub(1)?)?.trim());
    let behind = head.closing(2).filter(|close| head.at(0) == "def" && head.at(close + 1) == "->");
    let annotated = behind
        .and_then(|close| element(head.at(close + 2)))
        .filter(|own| !(elements::is_integer(own) && divides(&head.text, known)));
    let given = annotated.or_else(|| of_head(known)?.result.map(|result| result.element))?;
    (given != "f64").then(|| line.with(close + 2, close + 2, given))
}

#[cfg(test)]
mod tests {
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn decorators_have_attributes() {
        for (typed, expected) in [
            ("@cuda.jit", "#[kernel]"),
            ("@numba.cuda.jit", "#[kernel]"),
            ("@cuda.jit('void(float32[:])')", "#[kernel]"),
            ("@cuda.jit(device=True)", "#[device]"),
            ("@cuda.jit('float32(float32)', device=True)", "#[device]"),
            ("@vectorize(['float64(float64)'], target='cuda')", "#[vectorize]"),
            ("@nb.vectorize", "#[vectorize]"),
            ("@jit", "#[vectorize]"),
            ("@jit(nopython=True)", "#[vectorize]"),
            ("@njit(parallel=True)", "#[vectorize]"),
            ("@jax.jit", "#[vectorize]"),
            ("@torch.compile", "#[vectorize]"),
            ("@torch.compile(mode='reduce-overhead')", "#[vectorize]"),
            ("@torch.no_grad()", "// no gradients are recorded"),
        ] {
            let faults = [(None, "expected expression, found `@`")];
            let corrected = attribute(&Line::new(typed), &Known::of_line(&faults, typed, 1, &type_of));
            assert_eq!(corrected.as_deref(), Some(expected), "{typed}");
        }
        let of_array = "@jit\ndef f(v):\n    return np.sum(v)";
        let known = Known::of_line(&[], of_array, 1, &type_of);
        assert_eq!(attribute(&Line::new("@jit"), &known).as_deref(), Some("// each function is compiled"));
        let faults = [(None, "cannot find attribute `jit` in this scope")];
        let known = Known::of_line(&faults, "#[jit]", 1, &type_of);
        assert_eq!(attribute(&Line::new("#[jit]"), &known).as_deref(), Some("#[vectorize]"));
        assert_eq!(attribute(&Line::new("@dataclass"), &known), None);
    }

    #[test]
    fn signatures_give_types() {
        for (typed, expected) in [
            ("@vectorize(['int64(int64, int64)'])", "i64, i64 -> i64"),
            ("@vectorize([float32(float32)])", "f32 -> f32"),
            ("@vectorize(['int32(int32)', 'float64(float64)'], target='cuda')", "f64 -> f64"),
            ("@vectorize([nb.float32(nb.float32, nb.int32)])", "f32, i32 -> f32"),
            ("@cuda.jit('void(float32[:], float32[:, :], int32)')", "f32[], f32[], i32"),
            ("@njit('f8(f8)')", "f64 -> f64"),
            ("@cuda.jit(void(int32[::1]))", "i32[]"),
            ("@vectorize", ""),
            ("@cuda.jit(device=True)", ""),
            ("@vectorize(['T(T)'])", ""),
        ] {
            let shown = |one: &Declared| format!("{}{}", one.element, if one.is_array { "[]" } else { "" });
            let found = signature(typed).map(|found| {
                let parameters: Vec<String> = found.parameters.iter().map(shown).collect();
                let result = found.result.map_or(String::new(), |result| format!(" -> {}", shown(&result)));
                format!("{}{result}", parameters.join(", "))
            });
            assert_eq!(found.unwrap_or_default(), expected, "{typed}");
        }
    }

    #[test]
    fn heads_have_the_types_of_their_decorators() {
        for (cell, expected) in [
            ("@vectorize(['int64(int64, int64)'])\ndef f(x, y):\n    return x + y", "fn f(x: i64, y: i64) -> i64 {"),
            ("@vectorize([float32(float32)])\ndef f(x):\n    return x * x", "fn f(x: f32) -> f32 {"),
            // `/` gives floats in Python.
            ("@vectorize(['int64(int64, int64)'])\ndef f(x, y):\n    return x / y", "fn f(x: f64, y: f64) -> f64 {"),
            ("@vectorize\ndef f(x: int) -> int:\n    return x + 1", "fn f(x: i64) -> i64 {"),
            ("@vectorize\ndef f(x: int) -> int:\n    return x / 2", "fn f(x: i64) -> f64 {"),
            (
                "@cuda.jit('void(float32[:], float32[:], int32)')\ndef f(p, q, n):\n    i = cuda.grid(1)\n    q[i] = p[i] * n",
                "fn f(p: View<f32>, mut q: ViewMut<f32>, n: i32) {",
            ),
            ("@cuda.jit('float32(float32)', device=True)\ndef f(x):\n    return x + 1", "fn f(x: f32) -> f32 {"),
            ("@njit\ndef f(v):\n    return np.sum(v)", "fn f(v: &DeviceArray<f64>) -> f64 {"),
        ] {
            let faults = [(None, "expected something")];
            let head = cell.lines().nth(1).unwrap();
            let corrected = super::super::of_line(head, &Known::of_line(&faults, cell, 2, &type_of));
            assert_eq!(corrected.as_deref(), Some(expected), "{cell}");
        }
    }
}
