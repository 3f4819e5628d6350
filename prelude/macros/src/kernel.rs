//! What `#[kernel]` emits: the function as it is, and its registration with the prelude.

mod count;
pub mod instrument;

use crate::device::{bare, parse};
use crate::head::{Words, signature, tag, type_of};
use crate::notebook::Notebook;
use crate::registration::{Registration, at, checked, prelude, register_kernel, text};
use crate::text::Text;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, FnArg, GenericArgument, Pat, PathArguments, Result, ReturnType, Signature, Type};
use warpcell_translate::{Role, Scalar, element_names, element_of_path, may_be_struct, scalar_of_path};

/// What messages say of such functions.
const WORDS: Words = Words {
    attribute: "#[kernel]",
    example: "fn f(input: View<f32>, mut out: ViewMut<f32>) { … }",
    without_types: "write one kernel for each type, such as `fn f(input: View<f32>)`",
};

/// As many arguments as the tuples that `gpu::launch` takes may have.
const MOST_ARGUMENTS: usize = 16;

/// A parameter: its name, and what it is.
struct Parameter {
    name: String,
    kind: Kind,
}

enum Kind {
    View(Scalar),
    ViewMut(Scalar),
    Scalar(Scalar),
    /// A path that may be that of a `#[device]` struct.
    Struct(Box<Type>),
}

pub fn registration(arguments: TokenStream, item: TokenStream, notebook: Option<&Notebook>) -> Registration {
    let (signature, parameters) = head(arguments, item.clone()).map_err(|error| vec![error])?;
    let parsed = parse(item.clone())?;
    let references = checked(&parsed, Role::Kernel, notebook)?;
    let function = &signature.ident;
    let own = function.to_string();
    let hash = notebook.map_or("", |notebook| notebook.hash(&own)).to_owned();
    let written = Text::of(&bare(item), notebook);
    let places = notebook.map_or_else(Vec::new, |notebook| notebook.places(&own));
    let copy = is_recorded(notebook, &hash).then(|| instrument::copy(&parsed, &references, true));
    let threads = threads(function, &parameters, written.compiled, &places, copy.as_ref());
    let text = text(Role::Kernel, &written, "", &references);
    let name = quote!(::core::any::type_name_of_val(&#function));
    let registration = register_kernel(&name, &hash, &text, &quote!(&__WARPCELL_THREADS));
    Ok(quote! { const _: () = { #threads #registration }; })
}

/// What the build step writes behind the hash of a kernel, where the notebook has a launch that is traced; and behind that of a function
/// over arrays, where it traces an element.
const RECORDED: char = 't';

/// Whether an item gets a copy that tells its statements. In a notebook only where it is used, as each cell has the item; and not
/// in the prelude, whose functions nobody watches.
pub fn is_recorded(notebook: Option<&Notebook>, hash: &str) -> bool {
    match notebook {
        Some(_) => hash.ends_with(RECORDED),
        None => !is_in_prelude(),
    }
}

/// Whether the prelude itself is compiled, and not one of the examples in its documentation.
fn is_in_prelude() -> bool {
    let is_named = std::env::var("CARGO_CRATE_NAME").is_ok_and(|name| name == "warpcell");
    let is_example =
        || Span::call_site().file().contains("doctest") || std::env::var_os("UNSTABLE_RUSTDOC_TEST_PATH").is_some();
    is_named && !is_example()
}

/// What runs a thread, and the static that has it. The arguments are read once for all threads.
fn threads(
    function: &Ident,
    parameters: &[Parameter],
    line: usize,
    places: &[(String, isize)],
    copy: Option<&TokenStream>,
) -> TokenStream {
    let prelude = prelude();
    let ident = |name: &str| Ident::new(name, Span::call_site());
    let values: Vec<Ident> = (0..parameters.len()).map(|index| format_ident!("__warpcell_argument_{index}")).collect();
    let reads = parameters.iter().zip(&values).enumerate().map(|(index, (parameter, value))| {
        let (of, argument, getter) = match &parameter.kind {
            Kind::Struct(of) => {
                return quote_spanned! { at(of.span()) =>
                    let #value = __warpcell_arguments.structure::<#of>(#index);
                };
            }
            Kind::View(element) => (element, "ViewArgument", "view"),
            Kind::ViewMut(element) => (element, "ViewArgument", "view_mut"),
            Kind::Scalar(scalar) => (scalar, "ScalarArgument", "value"),
        };
        let (of, argument, getter) = (type_of(*of), ident(argument), ident(getter));
        quote! { let #value = <#of as ::#prelude::registry::#argument>::#getter(__warpcell_arguments, #index); }
    });
    let passed = parameters.iter().zip(&values).map(|(parameter, value)| match parameter.kind {
        Kind::Struct(_) => quote! { ::#prelude::registry::copied(&#value) },
        Kind::View(_) | Kind::ViewMut(_) | Kind::Scalar(_) => quote! { #value },
    });
    let declared = parameters.iter().map(|Parameter { name, kind }| {
        let (kind, of, scalar) = match kind {
            Kind::Struct(of) => {
                return quote! {
                    ::#prelude::registry::Parameter::Struct(
                        #name, ::#prelude::registry::StructParameter::of::<#of>()
                    )
                };
            }
            Kind::View(element) => ("View", "DType", element),
            Kind::ViewMut(element) => ("ViewMut", "DType", element),
            Kind::Scalar(scalar) => ("Scalar", "ScalarType", scalar),
        };
        let (kind, of, tag) = (ident(kind), ident(of), tag(*scalar));
        quote! { ::#prelude::registry::Parameter::#kind(#name, ::#prelude::registry::#of::#tag) }
    });
    let places = places.iter().map(|(name, behind)| {
        let line = line.saturating_add_signed(*behind);
        quote! { (#name, #line) }
    });
    let (reads, passed): (Vec<TokenStream>, Vec<TokenStream>) = (reads.collect(), passed.collect());
    let runs = |name: &Ident, function: &Ident| {
        quote! {
            fn #name(
                __warpcell_arguments: &::#prelude::registry::Arguments<'_>,
                __warpcell_run: &mut dyn ::core::ops::FnMut(&(dyn ::core::ops::Fn() + ::core::marker::Sync)),
            ) {
                #(#reads)*
                __warpcell_run(&|| #function(#(#passed),*));
            }
        }
    };
    let run = runs(&ident("__warpcell_threads"), function);
    let (recorded, run_recorded) = match copy {
        Some(copy) => {
            let run = runs(&ident("__warpcell_recorded_threads"), &ident(instrument::COPY));
            (quote!(::core::option::Option::Some(__warpcell_recorded_threads)), quote! { #copy #run })
        }
        None => (quote!(::core::option::Option::None), TokenStream::new()),
    };
    quote! {
        #run
        #run_recorded
        static __WARPCELL_THREADS: ::#prelude::registry::Threads = ::#prelude::registry::Threads {
            parameters: &[#(#declared),*],
            run: __warpcell_threads,
            recorded: #recorded,
            line: #line,
            places: &[#(#places),*],
        };
    }
}

/// The signature, and the parameters.
fn head(arguments: TokenStream, item: TokenStream) -> Result<(Signature, Vec<Parameter>)> {
    let signature = signature(arguments, item, &WORDS)?;
    reject_result(&signature)?;
    let parameters = parameters(&signature)?;
    Ok((signature, parameters))
}

fn reject_result(signature: &Signature) -> Result<()> {
    match &signature.output {
        ReturnType::Default => Ok(()),
        ReturnType::Type(_, of) if matches!(&**of, Type::Tuple(parts) if parts.elems.is_empty()) => Ok(()),
        ReturnType::Type(_, of) => {
            let text = "a `#[kernel]` function cannot return a value, because each thread would return one; write \
                        results to an array: a parameter such as `mut out: ViewMut<f32>`";
            Err(Error::new_spanned(of, text))
        }
    }
}

fn parameters(signature: &Signature) -> Result<Vec<Parameter>> {
    if let Some(argument) = signature.inputs.iter().nth(MOST_ARGUMENTS) {
        let text = format!(
            "a `#[kernel]` function can take at most {MOST_ARGUMENTS} arguments; join arrays, or put scalars into a \
             `#[device]` struct"
        );
        return Err(Error::new_spanned(argument, text));
    }
    let parameters = signature.inputs.iter().map(|argument| match argument {
        FnArg::Receiver(receiver) => {
            let text = "a `#[kernel]` function must be outside of `impl` blocks; it takes views, scalars and structs, not \
                        `self`";
            Err(Error::new_spanned(receiver, text))
        }
        FnArg::Typed(parameter) => {
            let name = match &*parameter.pat {
                Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                    pattern.ident.to_string()
                }
                Pat::Wild(_) => "_".to_owned(),
                other => {
                    let text = "a parameter of a `#[kernel]` function must be a name with a type, such as `mut out: \
                                ViewMut<f32>`";
                    return Err(Error::new_spanned(other, text));
                }
            };
            let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
            Ok(Parameter { name, kind: kind(&parameter.ty)? })
        }
    });
    parameters.collect()
}

/// What a parameter of the type that is written is.
fn kind(written: &Type) -> Result<Kind> {
    let fail = |advice: String| {
        let text = format!(
            "an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a \
             scalar or a `#[device]` struct; {advice}"
        );
        Err(Error::new_spanned(written, text))
    };
    let path = match written {
        Type::Group(group) => return kind(&group.elem),
        Type::Paren(paren) => return kind(&paren.elem),
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Reference(reference) => {
            let view = if reference.mutability.is_some() { "ViewMut" } else { "View" };
            if matches!(last_name(&reference.elem).as_deref(), Some("View" | "ViewMut")) {
                return fail("views are passed by value: remove the `&`".to_owned());
            }
            let element = match &*reference.elem {
                Type::Slice(slice) => element_name(&slice.elem),
                Type::Array(array) => element_name(&array.elem),
                other => argument_name(other),
            };
            return fail(format!(
                "write `{view}<{}>`: all threads use the same array",
                element.unwrap_or_else(|| "f32".into())
            ));
        }
        Type::Ptr(pointer) => {
            let view = if pointer.mutability.is_some() { "ViewMut" } else { "View" };
            return fail(format!("write `{view}<{}>`", element_name(&pointer.elem).unwrap_or_else(|| "f32".into())));
        }
        Type::Tuple(_) => return fail("write one argument for each part".to_owned()),
        Type::Array(_) | Type::Slice(_) => return fail("write a view, or one argument for each element".to_owned()),
        _ => return fail("write one of these".to_owned()),
    };
    let Some(last) = path.segments.last() else { return fail("write one of these".to_owned()) };
    let name = last.ident.to_string();
    match (name.as_str(), &last.arguments) {
        ("View" | "ViewMut", PathArguments::AngleBracketed(given)) => {
            let written = match given.args.first() {
                Some(GenericArgument::Type(written)) if given.args.len() == 1 => written,
                _ => return fail(format!("write only the type of its elements, such as `{name}<f32>`")),
            };
            let Some(found) = element(written) else {
                let text = format!(
                    "the elements of a view must have one of the types {}; convert the array with `astype`, and write one \
                     of these",
                    element_names(", ")
                );
                return Err(Error::new_spanned(written, text));
            };
            Ok(if name == "View" { Kind::View(found) } else { Kind::ViewMut(found) })
        }
        ("View" | "ViewMut", _) => fail(format!("write the type of its elements, such as `{name}<f32>`")),
        ("DeviceArray", _) => {
            let element = argument_name(written).unwrap_or_else(|| "f32".into());
            fail(format!(
                "write `View<{element}>`, or `ViewMut<{element}>` if it is written to; pass the array to `gpu::launch`"
            ))
        }
        ("SharedArray", _) => fail("write `let mut tile = shared_array::<f32>(256);` in the function".to_owned()),
        ("Vec" | "ArrayView" | "ArrayViewMut" | "Array" | "Array1" | "Array2" | "ArrayD", _) => {
            fail("write `View<f32>`, or `ViewMut<f32>` if it is written to".to_owned())
        }
        _ if let Some(scalar) = scalar_of_path(path) => Ok(Kind::Scalar(scalar)),
        (scalar, PathArguments::None) => {
            let advice = match scalar {
                "u128" => "write `u64`",
                "i128" => "write `i64`",
                "char" => "write `u32`",
                "String" | "str" => "text cannot be used on a device; pass numbers",
                _ if may_be_struct(path) => return Ok(Kind::Struct(Box::new(written.clone()))),
                _ => {
                    let elements = element_names(", ");
                    return fail(format!("write one of {elements}, usize, isize, or a `#[device]` struct"));
                }
            };
            fail(advice.to_owned())
        }
        _ => fail("write one of these".to_owned()),
    }
}

/// The type of elements that is written.
fn element(written: &Type) -> Option<Scalar> {
    match written {
        Type::Path(path) if path.qself.is_none() => element_of_path(&path.path),
        Type::Group(group) => element(&group.elem),
        _ => None,
    }
}

/// The name of a type that is one word.
fn element_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident().map(ToString::to_string),
        Type::Group(group) => element_name(&group.elem),
        _ => None,
    }
}

/// The last word of a path.
fn last_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// The name of the one type that is an argument of another.
fn argument_name(of: &Type) -> Option<String> {
    let Type::Path(path) = of else { return None };
    let PathArguments::AngleBracketed(given) = &path.path.segments.last()?.arguments else { return None };
    match given.args.first()? {
        GenericArgument::Type(element) => element_name(element),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
