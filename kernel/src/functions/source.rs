//! The function that Python wants of a source, and the text behind it that calls it with Python's arguments.

use crate::evaluator::elements;
use crate::syntax::{attribute, name_of, parse, range_of};
use ra_ap_syntax::ast::{self, AstNode, HasDocComments, HasGenericParams, HasModuleItem};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};
use std::fmt::Write;
use std::ops::Range;

/// The most parameters that `#[kernel]` takes. A function in Python with more is better called with an array.
const MOST: usize = 16;

/// What every source may name. The crate `gpu` is there by itself.
const IMPORTS: &str = "use ::warpcell::prelude::*; use ::warpcell::python::names::*;";

/// The source with a line for each function, which calls it. The first one also imports names.
pub fn with_glue<'a>(text: &str, found: impl IntoIterator<Item = &'a Found>) -> String {
    let glue: Vec<&str> = found.into_iter().map(|found| found.glue.as_str()).collect();
    format!("{text}\n{IMPORTS} {}\n", glue.join("\n"))
}

/// A function for Python.
#[derive(Debug)]
pub struct Found {
    pub name: String,
    /// The head of the function, as it is written.
    pub signature: String,
    /// Its documentation.
    pub documentation: String,
    /// The place of the head, in bytes.
    pub head: Range<usize>,
    /// A line of Rust that calls it.
    pub glue: String,
    /// What it is.
    pub kind: Kind,
    /// The names of its parameters, with their types, without references.
    pub types: Vec<(String, String)>,
    /// The type of its results.
    pub returned: Option<String>,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Vectorize,
    Kernel,
    Plain,
}

/// What was found of a source.
#[derive(Debug)]
pub enum Wanted {
    /// The function; none if the source is at fault, which the compiler says better.
    Found(Option<Found>),
    /// There is no such function, or it cannot be called.
    Missing(String),
}

/// The function of this name, or else the last one.
pub fn find(text: &str, name: Option<&str>) -> Wanted {
    let parsed = parse(text);
    let functions: Vec<ast::Fn> = functions_of(&parsed.tree()).collect();
    let named = |function: &&ast::Fn| name.is_none_or(|name| name_of(*function).as_deref() == Some(name));
    let Some(function) = functions.iter().rfind(named) else {
        if !parsed.errors().is_empty() {
            return Wanted::Found(None);
        }
        let names: Vec<String> = functions.iter().filter_map(name_of).map(|name| format!("`{name}`")).collect();
        return Wanted::Missing(match (name, names.is_empty()) {
            (Some(name), false) => {
                format!("the source has no function `{name}`, but {}; give one of these names", names.join(", "))
            }
            _ => "the source has no function; write one, such as `fn f(x: f64) -> f64 { 2.0 * x }`".to_owned(),
        });
    };
    match written(text, function, 0) {
        Ok(found) => Wanted::Found(found),
        Err(reason) => Wanted::Missing(reason),
    }
}

/// The functions of these names, which Python knows by their places here. The error is the place of each that Python cannot call, and why.
pub fn find_all(text: &str, names: &[String]) -> Result<Vec<Found>, Vec<(usize, String)>> {
    let file = parse(text).tree();
    let find = |(number, name): (usize, &String)| {
        let function = functions_of(&file).filter(|function| name_of(function).as_ref() == Some(name)).last();
        let function = function.ok_or_else(|| format!("there is no function `{name}`"))?;
        written(text, &function, number)?.ok_or_else(|| format!("`{name}` is not Rust that can be parsed"))
    };
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for (number, name) in names.iter().enumerate() {
        match find((number, name)) {
            Ok(found) => all.push(found),
            Err(reason) => wrong.push((number, reason)),
        }
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong) }
}

/// The functions of items that Python can be meant to call: those without `#[device]`.
pub fn functions_in(text: &str) -> Vec<String> {
    let is_meant = |function: &ast::Fn| attribute(function, &["device"]).is_none();
    functions_of(&parse(text).tree()).filter(is_meant).filter_map(|function| name_of(&function)).collect()
}

fn functions_of(file: &ast::SourceFile) -> impl Iterator<Item = ast::Fn> {
    file.items().filter_map(|item| match item {
        ast::Item::Fn(function) => Some(function),
        _ => None,
    })
}

/// A parameter: its name, and its type as it is written.
struct Parameter {
    name: String,
    written: String,
    reference: Reference,
}

/// How a parameter refers to its argument.
#[derive(Clone, Copy, PartialEq)]
enum Reference {
    /// Not at all.
    None,
    Shared,
    Mutable,
}

fn written(text: &str, function: &ast::Fn, number: usize) -> Result<Option<Found>, String> {
    let Some(name) = name_of(function) else { return Ok(None) };
    let (Some(list), Some(token)) = (function.param_list(), function.fn_token()) else { return Ok(None) };
    let wrong = |what: &str, remedy: &str| Err(format!("`{name}` {what}, so Python cannot call it; {remedy}"));
    if function.async_token().is_some() {
        return wrong("is `async`", "remove `async`");
    }
    if function.unsafe_token().is_some() {
        return wrong("is `unsafe`", "write a safe function that calls it");
    }
    if function.generic_param_list().is_some_and(|list| list.type_or_const_params().next().is_some()) {
        return wrong("has type parameters", "write one function for each type, such as `f32`");
    }
    if list.params().count() > MOST {
        return wrong(&format!("has more than {MOST} parameters"), "join numbers into an array");
    }
    let start: usize = token.text_range().start().into();
    let end = function.body().map_or(range_of(function.syntax()).end, |body| range_of(body.syntax()).start);
    let head = start..start + text[start..end].trim_end().len();
    let Some(parameters) = list.params().enumerate().map(parameter).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let is_number = |written: &str| elements::is_element(written) || matches!(written, "usize" | "isize");
    let number_to_change =
        parameters.iter().find(|parameter| parameter.reference == Reference::Mutable && is_number(&parameter.written));
    if let Some(Parameter { name: changed, written, .. }) = number_to_change {
        return wrong(
            &format!("changes the number `{changed}: &mut {written}`, and numbers of Python do not change"),
            &format!("take `{changed}: {written}`, and return the new number"),
        );
    }
    let kind = match attribute(function, &["vectorize", "kernel"]) {
        Some(attribute) if attribute.syntax().text().to_string().contains("kernel") => Kind::Kernel,
        Some(_) => Kind::Vectorize,
        None => Kind::Plain,
    };
    let returned = function.ret_type().and_then(|of| of.ty());
    let body = match kind {
        Kind::Plain => plain(&name, &parameters, returned.clone()),
        kind => format!("::warpcell::python::Body::{kind:?}(|| ::core::any::type_name_of_val(&{name}))"),
    };
    let names: String = parameters.iter().fold(String::new(), |mut names, parameter| {
        let _ = write!(names, "{:?}, ", parameter.name);
        names
    });
    let glue = format!(
        "const _: () = {{ static FUNCTION: ::warpcell::python::Function = ::warpcell::python::Function {{ name: {name:?}, \
         names: &[{names}], body: {body} }}; \
         #[unsafe(no_mangle)] extern \"C\" fn warpcell_describe_{number}() -> *const ::core::ffi::c_char {{ \
         ::warpcell::python::describe(&FUNCTION) }} \
         #[unsafe(no_mangle)] unsafe extern \"C\" fn warpcell_call_{number}(values: *mut ::warpcell::python::Value, stream: u64, \
         flags: u32, launch: *const [i64; 7]) -> i32 {{ \
         unsafe {{ ::warpcell::python::call(&FUNCTION, values, stream, flags, launch) }} }} }};"
    );
    let documentation = function.doc_comments().filter_map(|line| {
        let text = line.doc_comment()?.0;
        Some(text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned())
    });
    let documentation = documentation.collect::<Vec<_>>().join("\n").trim().to_owned();
    let signature = text[head.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
    let types = parameters.into_iter().map(|parameter| (parameter.name, parameter.written)).collect();
    let returned = returned.map(|of| of.syntax().text().to_string());
    Ok(Some(Found { name, signature, documentation, head, glue, kind, types, returned }))
}

/// None where the source is at fault.
fn parameter((number, parameter): (usize, ast::Param)) -> Option<Parameter> {
    let name = match parameter.pat()? {
        ast::Pat::IdentPat(pattern) => name_of(&pattern)?,
        _ => format!("argument {}", number + 1),
    };
    let mut of = parameter.ty()?;
    let mut reference = Reference::None;
    if let ast::Type::RefType(referring) = &of {
        let inner = referring.ty()?;
        // Slices are taken as they are.
        if !matches!(inner, ast::Type::SliceType(_)) {
            reference = if referring.mut_token().is_some() { Reference::Mutable } else { Reference::Shared };
            of = inner;
        }
    }
    Some(Parameter { name, written: without_lifetimes(of.syntax()), reference })
}

/// A type with `'_` for lifetimes, which the function has named.
fn without_lifetimes(of: &SyntaxNode) -> String {
    let tokens = of.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let texts = tokens.map(|token| match token.kind() {
        SyntaxKind::LIFETIME_IDENT if token.text() != "'static" => "'_".to_owned(),
        SyntaxKind::COMMENT => " ".to_owned(),
        kind if kind.is_trivia() => " ".to_owned(),
        _ => token.text().to_owned(),
    });
    texts.collect()
}

/// The body of an ordinary function.
fn plain(name: &str, parameters: &[Parameter], returned: Option<ast::Type>) -> String {
    let returned = returned.map_or_else(|| "()".to_owned(), |of| without_lifetimes(of.syntax()));
    let (mut kinds, mut slots, mut taken, mut passed) = (String::new(), String::new(), String::new(), String::new());
    let mut put_back = String::new();
    for (number, Parameter { written, reference, .. }) in parameters.iter().enumerate() {
        let (after, before) = match reference {
            Reference::None => ("", ""),
            Reference::Shared => ("", "&"),
            Reference::Mutable => (".written()", "&mut "),
        };
        let _ = write!(kinds, "<{written} as ::warpcell::python::Parameter<'_>>::KIND{after}, ");
        let _ = write!(slots, "slot_{number}, ");
        let _ = write!(
            taken,
            "let mut argument_{number}: {written} = ::warpcell::python::Parameter::take(slot_{number}); "
        );
        let _ = write!(passed, "{before}argument_{number}, ");
        if *reference == Reference::Mutable {
            let _ = write!(taken, "let before_{number} = ::warpcell::python::Parameter::shared(&argument_{number}); ");
            let _ = write!(put_back, "::warpcell::python::Parameter::put_back(&argument_{number}, before_{number})?; ");
        }
    }
    format!(
        "::warpcell::python::Body::Plain {{ parameters: &[{kinds}], results: <{returned} as ::warpcell::python::Returned>::COUNT, \
         call: |slots| {{ let [{slots}] = slots else {{ unreachable!() }}; {taken}\
         let given = ::warpcell::python::Returned::give({name}({passed})); {put_back}given }} }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, name: Option<&str>) -> Found {
        match find(text, name) {
            Wanted::Found(Some(found)) => found,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_function_is_meant_or_that_of_the_name() {
        let text = "#[device] fn g(x: f64) -> f64 { x }\n\n/// Twice.\n/// And more.\n#[vectorize]\npub fn f(\n    x: f64,\n) -> f64 { g(x) }\nconst N: u8 = 1;";
        let last = found(text, None);
        assert_eq!((last.name.as_str(), last.signature.as_str()), ("f", "fn f( x: f64, ) -> f64"));
        assert_eq!(last.documentation, "Twice.\nAnd more.");
        assert!(last.glue.contains("Body::Vectorize(|| ::core::any::type_name_of_val(&f))"));
        assert!(last.glue.contains("names: &[\"x\", ]"));
        assert_eq!(found(text, Some("g")).name, "g");
        let Wanted::Missing(reason) = find(text, Some("h")) else { panic!("there is no `h`") };
        assert_eq!(reason, "the source has no function `h`, but `g`, `f`; give one of these names");
        assert!(matches!(find("let x = 1;", None), Wanted::Found(None)), "the compiler says it");
        assert!(matches!(find("const N: u8 = 1;", None), Wanted::Missing(_)));
    }

    #[test]
    fn arguments_are_taken_as_the_parameters_are_written() {
        let text = "fn f<'a>(a: &'a DeviceArray<f32>, mut b: &mut DeviceArray<u8>, v: ArrayView2<'a, f64>, s: &mut [i32], n: usize) {}";
        let glue = found(text, None).glue;
        for part in [
            "<DeviceArray<f32> as ::warpcell::python::Parameter<'_>>::KIND, ",
            "<DeviceArray<u8> as ::warpcell::python::Parameter<'_>>::KIND.written(), ",
            "<ArrayView2<'_, f64> as",
            "<&mut [i32] as",
            "f(&argument_0, &mut argument_1, argument_2, argument_3, argument_4, )",
            "<() as ::warpcell::python::Returned>::COUNT",
        ] {
            assert!(glue.contains(part), "{part} is not in {glue}");
        }
        let kernel = found("#[gpu::kernel]\nfn k(mut out: ViewMut<f32>) {}", None).glue;
        assert!(kernel.contains("Body::Kernel") && kernel.contains("names: &[\"out\", ]"));
    }

    #[test]
    fn several_functions_have_numbers() {
        let text = "#[device] fn g(x: f64) -> f64 { x }\n#[vectorize] fn f(x: f64) -> f64 { g(x) }\n/// One.\nfn one(a: &[f32]) -> Vec<f32> { a.to_vec() }";
        assert_eq!(functions_in(text), ["f", "one"]);
        let found = find_all(text, &functions_in(text)).unwrap();
        assert_eq!((found[0].kind, found[1].kind), (Kind::Vectorize, Kind::Plain));
        assert_eq!(found[1].types, [("a".to_owned(), "&[f32]".to_owned())]);
        assert_eq!(found[1].returned.as_deref(), Some("Vec<f32>"));
        let written = with_glue(text, &found);
        assert!(written.contains("warpcell_call_0") && written.contains("warpcell_describe_1"), "{written}");
        assert_eq!(find_all(text, &["h".to_owned()]).unwrap_err(), [(0, "there is no function `h`".to_owned())]);
    }

    #[test]
    fn what_python_cannot_call_is_said() {
        for (text, said) in [
            ("async fn f() {}", "remove `async`"),
            ("unsafe fn f() {}", "write a safe function"),
            ("fn f<T>(x: T) -> T { x }", "write one function for each type"),
        ] {
            let Wanted::Missing(reason) = find(text, None) else { panic!("{text}") };
            assert!(reason.starts_with("`f` ") && reason.contains(said), "{reason}");
        }
    }
}
