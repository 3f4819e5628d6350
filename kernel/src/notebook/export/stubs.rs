//! Types of Rust functions as Python's type checkers know them: the stubs of a package.
//!
//! They are read off the text: an alias of a type is `Any`. What a function really takes is checked in Rust, at each call.

use crate::functions::source::{Found, Kind};
use std::fmt::Write;

/// What begins each stub file. An array is of any library: results are of the one that came in.
const HEAD: &str = r#"from typing import Any, Protocol, Sequence, TypeVar, Union, overload

import numpy
from numpy.typing import NDArray

class RustError(Exception):
    """Code in Rust has panicked, or returned an error."""

    ename: str
    evalue: str
    traceback: list[str]
    line: int | None

def synchronize() -> None:
    """Waits for what functions in Rust still do on GPUs, and raises `RustError` if that has failed."""

class _SupportsDLPack(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> Any: ...

_Array = TypeVar("_Array", bound=_SupportsDLPack)
_Bool = Union[bool, numpy.bool_]
_Int = Union[int, numpy.integer[Any]]
_Float = Union[float, numpy.integer[Any], numpy.floating[Any]]
_Complex = Union[complex, numpy.number[Any]]
_Sizes = Union[int, Sequence[int]]
"#;

/// Numbers: in Rust; of parameters and of results in Python; in NumPy, if it has them.
const NUMBERS: [(&str, &str, &str, &str); 19] = [
    ("bool", "_Bool", "bool", "bool_"),
    ("i8", "_Int", "int", "int8"),
    ("i16", "_Int", "int", "int16"),
    ("i32", "_Int", "int", "int32"),
    ("i64", "_Int", "int", "int64"),
    ("isize", "_Int", "int", "int64"),
    ("u8", "_Int", "int", "uint8"),
    ("u16", "_Int", "int", "uint16"),
    ("u32", "_Int", "int", "uint32"),
    ("u64", "_Int", "int", "uint64"),
    ("usize", "_Int", "int", "uint64"),
    ("f16", "_Float", "float", "float16"),
    ("bf16", "_Float", "float", ""),
    ("f32", "_Float", "float", "float32"),
    ("f64", "_Float", "float", "float64"),
    ("Complex<f32>", "_Complex", "complex", "complex64"),
    ("Complex<f64>", "_Complex", "complex", "complex128"),
    ("Complex32", "_Complex", "complex", "complex64"),
    ("Complex64", "_Complex", "complex", "complex128"),
];

/// Arrays, by the beginning of the type's name.
const ARRAYS: [&str; 5] = ["DeviceArray<", "View<", "ViewMut<", "Array", "Vec<"];

/// Words of Python's, which name nothing else.
const KEYWORDS: &str = " False None True and as assert async await break class continue def del elif else except finally for from global if \
                        import in is lambda nonlocal not or pass raise return try while with yield ";

/// Whether a name is a word of Python's.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&format!(" {name} "))
}

/// For type checkers: a call with numbers only means the first of two overloads that would take it.
const OVERLAP: &str = "  # type: ignore[overload-overlap]";

/// A type as Python sees it.
#[derive(Debug, PartialEq)]
enum Type {
    Number {
        parameter: &'static str,
        result: &'static str,
        numpy: &'static str,
    },
    /// An array; of NumPy's type, if that is known.
    Array {
        element: Option<&'static str>,
    },
    Tuple(Vec<Type>),
    Nothing,
    Other,
}

/// How arrays are written.
#[derive(Clone, Copy)]
enum Arrays {
    /// As NumPy's, with their elements.
    Numpy,
    /// By one name for all, so that results are what came in.
    Same,
    /// By what they can do.
    Any,
}

impl Arrays {
    fn of(self, element: Option<&str>) -> String {
        match (self, element) {
            (Arrays::Numpy, Some(element)) => format!("NDArray[numpy.{element}]"),
            (Arrays::Numpy, None) => "NDArray[Any]".to_owned(),
            (Arrays::Same, _) => "_Array".to_owned(),
            (Arrays::Any, _) => "_SupportsDLPack".to_owned(),
        }
    }
}

/// The stub file of a package.
pub fn stubs(title: &str, functions: &[Found]) -> String {
    let mut text = format!("\"\"\"{title}\"\"\"\n\n{HEAD}");
    for function in functions {
        text.push('\n');
        let stub = Stub::of(function);
        match function.kind {
            Kind::Vectorize => stub.vectorized(&mut text),
            Kind::Kernel => stub.kernel(&mut text),
            Kind::Plain => stub.plain(&mut text),
        }
    }
    text
}

/// A text as a literal of Python's.
pub fn literal(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn parameter_name(index: usize, name: &str) -> String {
    let is_identifier = !name.is_empty()
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !name.starts_with(|c: char| c.is_numeric());
    match (is_identifier, is_keyword(name)) {
        (true, false) => name.to_owned(),
        _ => format!("argument_{}", index + 1),
    }
}

/// A function with its types.
struct Stub<'a> {
    name: &'a str,
    parameters: Vec<(String, Type)>,
    returned: Type,
    /// The documentation with the head in Rust, as a literal.
    documentation: String,
}

impl Stub<'_> {
    fn of(function: &Found) -> Stub<'_> {
        let parameters = function.types.iter().enumerate();
        let documentation = [function.documentation.as_str(), function.signature.as_str()];
        let documentation: Vec<&str> = documentation.into_iter().filter(|part| !part.is_empty()).collect();
        Stub {
            name: &function.name,
            parameters: parameters
                .map(|(index, (name, written))| (parameter_name(index, name), read(written)))
                .collect(),
            returned: function.returned.as_deref().map_or(Type::Nothing, read),
            documentation: literal(&documentation.join("\n\n")),
        }
    }

    fn parameters(&self, of: impl Fn(&Type) -> String) -> String {
        let listed = self.parameters.iter().map(|(name, written)| format!("{name}: {}", of(written)));
        listed.collect::<Vec<_>>().join(", ")
    }

    /// The overloads, parameters and result; a single one is none. The first has the documentation, and may overlap others.
    fn write(&self, text: &mut String, overloads: &[(String, String)], overlap: &str) {
        let before = if overloads.len() > 1 { "@overload\n" } else { "" };
        for (number, (parameters, returned)) in overloads.iter().enumerate() {
            let body = if number == 0 { format!("{overlap}\n    {}", self.documentation) } else { " ...".to_owned() };
            let _ = writeln!(text, "{before}def {}({parameters}) -> {returned}:{body}", self.name);
        }
    }

    fn vectorized(&self, text: &mut String) {
        let with = |arrays: Arrays| {
            let parameter = |of: &Type| format!("{} | {}", arrays.of(of.element()), of.parameter(arrays));
            (self.parameters(parameter), self.returned.of_elements(arrays))
        };
        let numbers = (self.parameters(|of| of.parameter(Arrays::Any)), self.returned.result(Arrays::Any));
        let elements: Vec<Option<&str>> = self.parameters.iter().map(|(_, of)| of.element()).collect();
        let mut overloads = vec![numbers];
        if !self.parameters.is_empty() {
            if !self.returned.is_like(&elements) {
                overloads.push(with(Arrays::Numpy));
            }
            overloads.push(with(Arrays::Same));
        }
        self.write(text, &overloads, if overloads.len() > 1 { OVERLAP } else { "" });
    }

    fn kernel(&self, text: &mut String) {
        let Stub { name, documentation, .. } = self;
        let listed = self.parameters(|of| of.parameter(Arrays::Any));
        let listed = if listed.is_empty() { listed } else { format!(", {listed}") };
        let _ = writeln!(
            text,
            "class _{name}:\n    {documentation}\n\n    def launch(self, grid: _Sizes, block: _Sizes{listed}) -> None: ...\n    \
             def launch_for(self, n: _Sizes{listed}) -> None: ...\n\n{name}: _{name}"
        );
    }

    fn plain(&self, text: &mut String) {
        let arrays = self.parameters.iter().filter(|(_, of)| matches!(of, Type::Array { .. }));
        let elements: Vec<Option<&str>> = arrays.map(|(_, of)| of.element()).collect();
        let with = |arrays: Arrays| (self.parameters(|of| of.parameter(arrays)), self.returned.result(arrays));
        let overloads = match (elements.is_empty(), self.returned.has_arrays()) {
            // What is made of nothing is NumPy's.
            (true, _) => vec![with(Arrays::Numpy)],
            (false, false) => vec![with(Arrays::Any)],
            (false, true) if self.returned.is_like(&elements) => vec![with(Arrays::Same)],
            (false, true) => vec![with(Arrays::Numpy), with(Arrays::Same)],
        };
        self.write(text, &overloads, "");
    }
}

impl Type {
    /// As the type of a parameter.
    fn parameter(&self, arrays: Arrays) -> String {
        match self {
            Type::Number { parameter, .. } => (*parameter).to_owned(),
            Type::Array { element } => arrays.of(*element),
            Type::Tuple(_) | Type::Nothing | Type::Other => "Any".to_owned(),
        }
    }

    /// As that of a result.
    fn result(&self, arrays: Arrays) -> String {
        match self {
            Type::Number { result, .. } => (*result).to_owned(),
            Type::Array { element } => arrays.of(*element),
            Type::Tuple(types) => tuple(types.iter().map(|of| of.result(arrays))),
            Type::Nothing => "None".to_owned(),
            Type::Other => "Any".to_owned(),
        }
    }

    /// As the arrays of the results of a function over elements.
    fn of_elements(&self, arrays: Arrays) -> String {
        match self {
            Type::Tuple(types) => tuple(types.iter().map(|of| of.of_elements(arrays))),
            other => arrays.of(other.element()),
        }
    }

    /// The elements of an array of it, or of the array that it is.
    fn element(&self) -> Option<&'static str> {
        match self {
            Type::Number { numpy, .. } => (!numpy.is_empty()).then_some(*numpy),
            Type::Array { element } => *element,
            Type::Tuple(_) | Type::Nothing | Type::Other => None,
        }
    }

    fn has_arrays(&self) -> bool {
        match self {
            Type::Array { .. } => true,
            Type::Tuple(types) => types.iter().any(Type::has_arrays),
            Type::Number { .. } | Type::Nothing | Type::Other => false,
        }
    }

    /// Whether results have the elements of all arguments, so that arrays are of the argument's type.
    fn is_like(&self, elements: &[Option<&str>]) -> bool {
        match self {
            Type::Tuple(types) => types.iter().all(|of| of.is_like(elements)),
            other => other.element().is_some() && elements.iter().all(|element| *element == other.element()),
        }
    }
}

fn tuple(types: impl Iterator<Item = String>) -> String {
    format!("tuple[{}]", types.collect::<Vec<_>>().join(", "))
}

/// A type as it is written in Rust.
fn read(written: &str) -> Type {
    let text: String = written.split_whitespace().collect();
    let text = text.trim_start_matches("&mut").trim_start_matches('&');
    if text == "()" {
        return Type::Nothing;
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return Type::Tuple(arguments(inner).into_iter().map(read).collect());
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return Type::Array { element: element_of(inner) };
    }
    if let Some((parameter, result, numpy)) = number(text) {
        return Type::Number { parameter, result, numpy };
    }
    let name = without_path(text);
    let inner = || name.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>')).map(arguments).unwrap_or_default();
    if name.starts_with("Result<") {
        return inner().first().map_or(Type::Other, |of| read(of));
    }
    if ARRAYS.iter().any(|start| name.starts_with(start)) {
        let element = inner().into_iter().find(|argument| !argument.starts_with('\''));
        return Type::Array { element: element.and_then(element_of) };
    }
    Type::Other
}

/// A number: as a parameter and as a result in Python, and in NumPy.
fn number(text: &str) -> Option<(&'static str, &'static str, &'static str)> {
    let name = without_path(text);
    NUMBERS.iter().find(|(rust, ..)| *rust == name).map(|(_, parameter, result, numpy)| (*parameter, *result, *numpy))
}

fn element_of(text: &str) -> Option<&'static str> {
    number(text).map(|(.., numpy)| numpy).filter(|numpy| !numpy.is_empty())
}

/// The last part of a path, with its arguments.
fn without_path(text: &str) -> &str {
    let name = text.split('<').next().unwrap_or_default();
    &text[name.rfind("::").map_or(0, |colons| colons + 2)..]
}

/// What is separated by commas outside of brackets.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0i32, 0, Vec::new());
    for (place, character) in text.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found.retain(|argument| !argument.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::source::find_all;

    #[test]
    fn types_are_read_off_the_text() {
        let shown = |text: &str| (read(text).parameter(Arrays::Same), read(text).result(Arrays::Numpy));
        for (rust, parameter, result) in [
            ("f32", "_Float", "float"),
            ("usize", "_Int", "int"),
            ("& DeviceArray < f32 >", "_Array", "NDArray[numpy.float32]"),
            ("ArrayView2<'_, Complex<f64>>", "_Array", "NDArray[numpy.complex128]"),
            ("&mut [u8]", "_Array", "NDArray[numpy.uint8]"),
            ("ndarray::Array2<half::f16>", "_Array", "NDArray[numpy.float16]"),
            ("DeviceArray<bf16>", "_Array", "NDArray[Any]"),
            ("Result<(Vec<u64>, f32), Box<dyn Error>>", "Any", "tuple[NDArray[numpy.uint64], float]"),
            ("()", "Any", "None"),
            ("Mine", "Any", "Any"),
        ] {
            assert_eq!(shown(rust), (parameter.to_owned(), result.to_owned()), "{rust}");
        }
    }

    #[test]
    fn functions_have_stubs() {
        let text = "/// Their \"sum\".\n#[vectorize] fn f(x: f32, lambda: f32) -> (f32, bool) { (x + lambda, true) }\n\
                    #[vectorize] fn twice(x: f32) -> f32 { 2.0 * x }\n\
                    fn scale(a: &DeviceArray<f64>, by: f64) -> DeviceArray<f64> { a * by }\n\
                    fn ranks(a: &[f64]) -> Vec<u64> { vec![0; a.len()] }\n\
                    fn total(a: &[f64]) -> f64 { 0.0 }\n\
                    fn numbers(n: usize) -> Vec<f64> { vec![0.0; n] }\n\
                    #[kernel] fn k(a: View<f32>, mut out: ViewMut<f32>) {}";
        let names = ["f", "twice", "scale", "ranks", "total", "numbers", "k"].map(str::to_owned);
        let stubs = stubs("A title.", &find_all(text, &names).unwrap());
        assert!(stubs.starts_with("\"\"\"A title.\"\"\"\n"));
        let (_, own) = stubs.split_once("_Sizes = Union[int, Sequence[int]]\n").unwrap();
        expect_test::expect![[r#"

            @overload
            def f(x: _Float, argument_2: _Float) -> tuple[float, bool]:  # type: ignore[overload-overlap]
                "Their \"sum\".\n\nfn f(x: f32, lambda: f32) -> (f32, bool)"
            @overload
            def f(x: NDArray[numpy.float32] | _Float, argument_2: NDArray[numpy.float32] | _Float) -> tuple[NDArray[numpy.float32], NDArray[numpy.bool_]]: ...
            @overload
            def f(x: _Array | _Float, argument_2: _Array | _Float) -> tuple[_Array, _Array]: ...

            @overload
            def twice(x: _Float) -> float:  # type: ignore[overload-overlap]
                "fn twice(x: f32) -> f32"
            @overload
            def twice(x: _Array | _Float) -> _Array: ...

            def scale(a: _Array, by: _Float) -> _Array:
                "fn scale(a: &DeviceArray<f64>, by: f64) -> DeviceArray<f64>"

            @overload
            def ranks(a: NDArray[numpy.float64]) -> NDArray[numpy.uint64]:
                "fn ranks(a: &[f64]) -> Vec<u64>"
            @overload
            def ranks(a: _Array) -> _Array: ...

            def total(a: _SupportsDLPack) -> float:
                "fn total(a: &[f64]) -> f64"

            def numbers(n: _Int) -> NDArray[numpy.float64]:
                "fn numbers(n: usize) -> Vec<f64>"

            class _k:
                "fn k(a: View<f32>, mut out: ViewMut<f32>)"

                def launch(self, grid: _Sizes, block: _Sizes, a: _SupportsDLPack, out: _SupportsDLPack) -> None: ...
                def launch_for(self, n: _Sizes, a: _SupportsDLPack, out: _SupportsDLPack) -> None: ...

            k: _k
        "#]]
        .assert_eq(own);
    }
}
