//! What `#[vectorize]` emits: the function as it is, and its registration with the prelude.

use crate::device::{bare, parse};
use crate::head::{Words, signature, tag, type_of};
use crate::kernel::{instrument, is_recorded};
use crate::notebook::Notebook;
use crate::registration::{Registration, at, checked, mark, prelude, register, text};
use crate::text::Text;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, FnArg, ItemFn, Path, Result, ReturnType, Signature, Token, Type};
use warpcell_translate::{References, Role, Scalar, element_names, element_of_path, may_be_struct};

/// What is checked here, in messages.
const VECTORIZE: &str = "a `#[vectorize]` function";

/// What messages say of such functions.
const WORDS: Words = Words {
    attribute: "#[vectorize]",
    example: "fn f(x: f32) -> f32 { … }",
    without_types: "write one function for each type, such as `fn f(x: f32) -> f32`",
};

/// As many arguments as the tuples that `gpu::map` takes may have.
pub const MOST_ARGUMENTS: usize = 8;

/// As many parts as the tuples may have that a function returns.
const MOST_RESULTS: usize = 8;

pub fn registration(arguments: TokenStream, item: TokenStream, notebook: Option<&Notebook>) -> Registration {
    let (arguments, quick) = match notebook {
        None => quick_of(arguments).map_err(|error| vec![error])?,
        Some(_) => (arguments, None),
    };
    let (signature, parameters, results) = head(arguments, item.clone()).map_err(|error| vec![error])?;
    let whole: ItemFn = parse(item.clone())?;
    let references = checked(&whole, Role::Vectorize, notebook)?;
    let function = &signature.ident;
    let hash = notebook.map_or("", |notebook| notebook.hash(&function.to_string())).to_owned();
    let written = Text::of(&bare(item), notebook);
    let places = notebook.map_or_else(Vec::new, |notebook| notebook.places(&function.to_string()));
    let recorded = is_recorded(notebook, &hash)
        .then(|| recorded(&whole, &references, &parameters, &results, written.compiled, &places));
    let text = text(Role::Vectorize, &written, "", &references);
    let name = quote!(::core::any::type_name_of_val(&#function));
    let registration = register(&name, &hash, &text, &quote!(::core::option::Option::Some(&__WARPCELL_BLOCKS)));
    let vectors = match notebook {
        Some(_) if has_wide_vectors(notebook) => Vectors::Wide,
        None if cfg!(target_arch = "x86_64") => Vectors::Found,
        _ => Vectors::Plain,
    };
    let blocks = blocks(function, &parameters, &results, vectors, quick.as_ref(), recorded.is_some());
    let mark = mark(&whole.vis, function);
    Ok(quote! { #mark const _: () = { #blocks #recorded #registration }; })
}

/// What functions of the prelude say of themselves, so that loops of them take less time.
enum Quick {
    /// `#[vectorize(quick(applies, function))]`: what gives the same results for most arguments, those that `applies` names. It has no
    /// branches and calls, so a loop of it becomes one of vectors.
    Mostly { applies: Path, function: Path },
    /// `#[vectorize(prepared(of(a, b), function))]`: what the first arguments give alone, and the function that takes it behind the
    /// arguments.
    Prepared { of: Path, count: usize, function: Path },
}

/// The arguments of the attribute without those that the prelude uses.
fn quick_of(arguments: TokenStream) -> Result<(TokenStream, Option<Quick>)> {
    let list = |input: ParseStream<'_>| {
        let word: Ident = input.parse()?;
        let inner;
        syn::parenthesized!(inner in input);
        let first: Path = inner.parse()?;
        if word == "quick" {
            inner.parse::<Token![,]>()?;
            return Ok(Quick::Mostly { applies: first, function: inner.parse()? });
        }
        let names;
        syn::parenthesized!(names in inner);
        let count = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?.len();
        inner.parse::<Token![,]>()?;
        Ok(Quick::Prepared { of: first, count, function: inner.parse()? })
    };
    let word = arguments.clone().into_iter().next().map(|word| word.to_string()).unwrap_or_default();
    if word != "quick" && word != "prepared" {
        return Ok((arguments, None));
    }
    Ok((TokenStream::new(), Some(list.parse2(arguments)?)))
}

/// Whether the code is for this very processor, which has AVX2 and FMA. A notebook's is.
pub fn has_wide_vectors(notebook: Option<&Notebook>) -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    notebook.is_some() && has
}

/// Which vector instructions the loop over a block may use.
enum Vectors {
    /// Those that all processors have.
    Plain,
    /// AVX2 and FMA too.
    Wide,
    /// Those that the processor is found to have when the loop is called: a library's code is for all processors.
    Found,
}

/// The loop over a block, and the static that has it.
fn blocks(
    function: &Ident,
    parameters: &[Kind],
    results: &[Scalar],
    vectors: Vectors,
    quick: Option<&Quick>,
    is_recorded: bool,
) -> TokenStream {
    let prelude = prelude();
    let recorded = if is_recorded {
        quote! { ::core::option::Option::Some(&__WARPCELL_ELEMENT) }
    } else {
        quote! { ::core::option::Option::None }
    };
    let numbered = |what: &str, count: usize| -> Vec<Ident> {
        (0..count).map(|index| format_ident!("__warpcell_{what}_{index}")).collect()
    };
    let inputs = numbered("input", parameters.len());
    let outputs = numbered("output", results.len());
    let (result_tags, result_types): (Vec<Ident>, Vec<TokenStream>) =
        results.iter().map(|&scalar| (tag(scalar), type_of(scalar))).unzip();
    let declared = parameters.iter().map(|kind| match kind {
        Kind::Element(scalar) => {
            let tag = tag(*scalar);
            quote! { Element(::#prelude::DType::#tag) }
        }
        Kind::Struct(of) => {
            quote_spanned! { at(of.span()) => Struct(::#prelude::registry::StructParameter::of::<#of>()) }
        }
    });
    let reads = parameters.iter().zip(&inputs).enumerate().map(|(index, (kind, input))| match kind {
        Kind::Element(scalar) => {
            let of = type_of(*scalar);
            quote! {
                let #input = <#of as ::#prelude::registry::Block>::input(__warpcell_inputs, #index);
                assert!(#input.len() == __warpcell_length);
            }
        }
        Kind::Struct(of) => quote_spanned! { at(of.span()) =>
            let #input = __warpcell_inputs.structure::<#of>(#index);
        },
    });
    let arguments = parameters.iter().zip(&inputs).map(|(kind, input)| match kind {
        Kind::Element(_) => quote! { #input[__warpcell_index] },
        Kind::Struct(_) => quote! { ::#prelude::registry::copied(&#input) },
    });
    let arguments: Vec<TokenStream> = arguments.collect();
    let reads: Vec<TokenStream> = reads.collect();
    let call = quote! { #function(#(#arguments),*) };
    let first = &outputs[0];
    let declared_outputs = quote! {
        #(let #outputs = <#result_types as ::#prelude::registry::Block>::output(__warpcell_outputs);)*
        let __warpcell_length = #first.len();
        #(assert!(#outputs.len() == __warpcell_length);)*
        #(#reads)*
        let mut __warpcell_index = 0usize;
    };
    let wide_body = match quick {
        // In vectors, and then what is left.
        Some(Quick::Mostly { applies, function: quick }) => quote! {
            #declared_outputs
            let mut __warpcell_left = 0usize;
            while __warpcell_index < __warpcell_length {
                #first[__warpcell_index] = #quick(#(#arguments),*);
                __warpcell_left += !#applies(#(#arguments),*) as usize;
                __warpcell_index += 1;
            }
            __warpcell_index = 0;
            while __warpcell_left > 0 && __warpcell_index < __warpcell_length {
                if !#applies(#(#arguments),*) {
                    #first[__warpcell_index] = #call;
                    __warpcell_left -= 1;
                }
                __warpcell_index += 1;
            }
        },
        Some(Quick::Prepared { of, count, function: prepared }) => {
            let shapes = &arguments[..*count];
            quote! {
                #declared_outputs
                let mut __warpcell_known = ::core::option::Option::None;
                while __warpcell_index < __warpcell_length {
                    let __warpcell_shape = [#(#shapes.to_bits()),*];
                    let __warpcell_value = match __warpcell_known {
                        ::core::option::Option::Some((__warpcell_of, __warpcell_value))
                            if __warpcell_of == __warpcell_shape => __warpcell_value,
                        _ => #of(#(#shapes),*),
                    };
                    __warpcell_known = ::core::option::Option::Some((__warpcell_shape, __warpcell_value));
                    #first[__warpcell_index] = #prepared(#(#arguments,)* __warpcell_value);
                    __warpcell_index += 1;
                }
            }
        }
        None => quote! { __warpcell_block(__warpcell_inputs, __warpcell_outputs) },
    };
    let store = if let [output] = &outputs[..] {
        quote! { #output[__warpcell_index] = #call; }
    } else {
        let parts = numbered("result", results.len());
        quote! {
            let (#(#parts),*) = #call;
            #(#outputs[__warpcell_index] = #parts;)*
        }
    };
    let wide = quote! { #[target_feature(enable = "avx2,fma")] };
    let (attribute, run) = match vectors {
        Vectors::Plain => (None, quote! { __warpcell_block }),
        Vectors::Wide => {
            // SAFETY: the processor has these instructions, as `has_wide_vectors` has seen.
            let run = quote! {
                |__warpcell_inputs, __warpcell_outputs| unsafe { __warpcell_block(__warpcell_inputs, __warpcell_outputs) }
            };
            (Some(wide), run)
        }
        Vectors::Found => {
            // SAFETY: the processor has these instructions, as is asked.
            let run = quote! {
                |__warpcell_inputs, __warpcell_outputs| {
                    #wide
                    fn __warpcell_wide_block(
                        __warpcell_inputs: &::#prelude::registry::Inputs<'_>,
                        __warpcell_outputs: &mut ::#prelude::registry::Outputs<'_>,
                    ) {
                        #wide_body
                    }
                    if ::#prelude::registry::has_wide_vectors() {
                        unsafe { __warpcell_wide_block(__warpcell_inputs, __warpcell_outputs) }
                    } else {
                        __warpcell_block(__warpcell_inputs, __warpcell_outputs)
                    }
                }
            };
            (Some(quote! { #[inline(always)] }), run)
        }
    };
    // Only operations that need no instantiation: a loop that is written out costs the compiler a third of one over
    // iterators. The assertions let it leave out the checks of the indices.
    quote! {
        #attribute
        fn __warpcell_block(
            __warpcell_inputs: &::#prelude::registry::Inputs<'_>,
            __warpcell_outputs: &mut ::#prelude::registry::Outputs<'_>,
        ) {
            #declared_outputs
            while __warpcell_index < __warpcell_length {
                #store
                __warpcell_index += 1;
            }
        }
        static __WARPCELL_BLOCKS: ::#prelude::registry::Blocks = ::#prelude::registry::Blocks {
            parameters: &[#(::#prelude::registry::FunctionParameter::#declared),*],
            results: &[#(::#prelude::DType::#result_tags),*],
            run: #run,
            recorded: #recorded,
        };
    }
}

/// What computes one element with a call before each statement, as a kernel of one thread: it reads the arguments from views and writes
/// the results to some.
fn recorded(
    whole: &ItemFn,
    references: &References,
    parameters: &[Kind],
    results: &[Scalar],
    line: usize,
    places: &[(String, isize)],
) -> TokenStream {
    let (prelude, copy) = (prelude(), instrument::copy(whole, references, false));
    // As a place of the user's, which the steps name.
    let here = whole.sig.ident.span();
    let called = Ident::new(instrument::COPY, proc_macro2::Span::call_site());
    let names: Vec<String> = whole.sig.inputs.iter().enumerate().map(|(number, input)| name(number, input)).collect();
    let result = if names.iter().any(|name| name == "result") { "the result" } else { "result" };
    let result_names: Vec<String> = match results.len() {
        1 => vec![result.to_owned()],
        count => (0..count).map(|number| format!("{result}.{number}")).collect(),
    };
    let value = |what: &str, number: usize| format_ident!("__warpcell_{what}_{number}", span = here);
    let views = parameters.iter().filter(|kind| matches!(kind, Kind::Element(_))).count() + results.len();
    // Behind the views and structs stand the numbers of the elements, one for each view.
    let first = parameters.len() + results.len();
    let mut view = 0;
    let mut declared = Vec::new();
    let mut reads = Vec::new();
    let mut passed = Vec::new();
    for (number, (kind, name)) in parameters.iter().zip(&names).enumerate() {
        let argument = value("argument", number);
        match kind {
            Kind::Struct(of) => {
                declared.push(quote_spanned! { at(of.span()) =>
                    ::#prelude::registry::Parameter::Struct(#name, ::#prelude::registry::StructParameter::of::<#of>())
                });
                reads.push(quote_spanned! { at(of.span()) =>
                    let #argument = __warpcell_arguments.structure::<#of>(#number);
                });
                passed.push(quote! { ::#prelude::registry::copied(&#argument) });
            }
            Kind::Element(scalar) => {
                let (tag, of) = (tag(*scalar), type_of(*scalar));
                let element = value("element", view);
                declared
                    .push(quote! { ::#prelude::registry::Parameter::View(#name, ::#prelude::registry::DType::#tag) });
                reads.push(quote! {
                    let #argument = <#of as ::#prelude::registry::ViewArgument>::view(__warpcell_arguments, #number);
                });
                passed.push(quote_spanned! { here => #argument[#element] });
                view += 1;
            }
        }
    }
    let mut stores = Vec::new();
    let mut parts = Vec::new();
    for (number, (scalar, name)) in results.iter().zip(&result_names).enumerate() {
        let (tag, of, at) = (tag(*scalar), type_of(*scalar), parameters.len() + number);
        let (target, part, element) = (value("target", number), value("part", number), value("element", view));
        declared.push(quote! { ::#prelude::registry::Parameter::ViewMut(#name, ::#prelude::registry::DType::#tag) });
        reads.push(quote! {
            let #target = <#of as ::#prelude::registry::ViewArgument>::view_mut(__warpcell_arguments, #at);
        });
        stores.push(quote_spanned! { here =>
            let mut #target = #target;
            #target[#element] = #part;
        });
        parts.push(part);
        view += 1;
    }
    for number in 0..views {
        let (element, at) = (value("element", number), first + number);
        declared.push(quote! { ::#prelude::registry::Parameter::Scalar("", ::#prelude::registry::ScalarType::Usize) });
        reads.push(quote! {
            let #element = <usize as ::#prelude::registry::ScalarArgument>::value(__warpcell_arguments, #at);
        });
    }
    let pattern = if let [part] = &parts[..] {
        quote! { #part }
    } else {
        quote! { (#(#parts),*) }
    };
    let places = places.iter().map(|(name, behind)| {
        let line = line.saturating_add_signed(*behind);
        quote! { (#name, #line) }
    });
    quote! {
        #copy
        fn __warpcell_element(
            __warpcell_arguments: &::#prelude::registry::Arguments<'_>,
            __warpcell_run: &mut dyn ::core::ops::FnMut(&(dyn ::core::ops::Fn() + ::core::marker::Sync)),
        ) {
            #(#reads)*
            __warpcell_run(&|| {
                let #pattern = #called(#(#passed),*);
                #(#stores)*
            });
        }
        static __WARPCELL_ELEMENT: ::#prelude::registry::Threads = ::#prelude::registry::Threads {
            parameters: &[#(#declared),*],
            run: __warpcell_element,
            recorded: ::core::option::Option::Some(__warpcell_element),
            line: #line,
            places: &[#(#places),*],
        };
    }
}

/// What messages and films call an argument.
fn name(number: usize, input: &FnArg) -> String {
    match input {
        FnArg::Typed(parameter) => match &*parameter.pat {
            syn::Pat::Ident(pattern) => {
                let name = pattern.ident.to_string();
                name.strip_prefix("r#").unwrap_or(&name).to_owned()
            }
            _ => format!("argument {}", number + 1),
        },
        FnArg::Receiver(_) => "self".to_owned(),
    }
}

/// The signature, the types of the parameters and of the results.
fn head(arguments: TokenStream, item: TokenStream) -> Result<(Signature, Vec<Kind>, Vec<Scalar>)> {
    let signature = signature(arguments, item, &WORDS)?;
    let (parameters, results) = (parameters(&signature)?, results(&signature)?);
    Ok((signature, parameters, results))
}

/// What a parameter is.
enum Kind {
    /// An element of an array.
    Element(Scalar),
    /// A `#[device]` struct.
    Struct(Box<Type>),
}

fn parameters(signature: &Signature) -> Result<Vec<Kind>> {
    if signature.inputs.is_empty() {
        let text = "a `#[vectorize]` function needs at least one argument, which is an element of an array, such as \
                    `x: f32`";
        return Err(Error::new(signature.paren_token.span.join(), text));
    }
    if let Some(argument) = signature.inputs.iter().nth(MOST_ARGUMENTS) {
        let text = format!("a `#[vectorize]` function can take at most {MOST_ARGUMENTS} arguments");
        return Err(Error::new_spanned(argument, text));
    }
    let parameters = signature.inputs.iter().map(|argument| match argument {
        FnArg::Receiver(receiver) => {
            let text =
                "a `#[vectorize]` function must be outside of `impl` blocks; it takes scalars and structs, not `self`";
            Err(Error::new_spanned(receiver, text))
        }
        FnArg::Typed(parameter) if is_struct(&parameter.ty) => Ok(Kind::Struct(parameter.ty.clone())),
        FnArg::Typed(parameter) => scalar(&parameter.ty, "an argument", VECTORIZE).map(Kind::Element),
    });
    parameters.collect()
}

/// Whether a type may be that of a user's struct.
fn is_struct(written: &Type) -> bool {
    match written {
        Type::Path(path) if path.qself.is_none() => element_of_path(&path.path).is_none() && may_be_struct(&path.path),
        Type::Group(group) => is_struct(&group.elem),
        Type::Paren(paren) => is_struct(&paren.elem),
        _ => false,
    }
}

fn results(signature: &Signature) -> Result<Vec<Scalar>> {
    match &signature.output {
        ReturnType::Default => {
            let text = "a `#[vectorize]` function must return a value, the element of the resulting array; write its \
                        type, such as `-> f32`";
            Err(Error::new_spanned(&signature.ident, text))
        }
        ReturnType::Type(_, of) => match &**of {
            Type::Tuple(parts) if (2..=MOST_RESULTS).contains(&parts.elems.len()) => {
                parts.elems.iter().map(|part| scalar(part, "each part of the result", VECTORIZE)).collect()
            }
            Type::Tuple(_) => {
                let text = format!(
                    "the result of {VECTORIZE} must be a scalar, or a tuple of two to {MOST_RESULTS} scalars; return \
                     one of these"
                );
                Err(Error::new_spanned(of, text))
            }
            _ => Ok(vec![scalar(of, "the result", VECTORIZE)?]),
        },
    }
}

/// The type of an array's elements that is written; `role` says what of `function` it is the type of.
pub fn scalar(written: &Type, role: &str, function: &str) -> Result<Scalar> {
    let fail = |advice: &str| {
        let elements = element_names(", ");
        let text = format!("{role} of {function} must have one of the types {elements}; {advice}");
        Err(Error::new_spanned(written, text))
    };
    let path = match written {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Group(group) => return scalar(&group.elem, role, function),
        Type::Paren(paren) => return scalar(&paren.elem, role, function),
        Type::Reference(_) | Type::Ptr(_) => {
            return fail("write the scalar type itself: the function gets one element at a time");
        }
        Type::Array(_) if role == "the result" => return fail("return a tuple of these, such as `(f32, f32)`"),
        // Formulas take no structs.
        Type::Tuple(_) if function == VECTORIZE => {
            return fail("write one argument for each part, or a `#[device]` struct that has them");
        }
        Type::Array(_) | Type::Slice(_) if function == VECTORIZE => {
            return fail("write one argument for each element, or a `#[device]` struct that has them");
        }
        Type::Tuple(_) => return fail("write one argument for each part"),
        Type::Array(_) | Type::Slice(_) => return fail("write one argument for each element"),
        _ => return fail("write one of these"),
    };
    if let Some(scalar) = element_of_path(path) {
        return Ok(scalar);
    }
    let Some(name) = path.get_ident() else { return fail("write one of these, without a path or type arguments") };
    let text = name.to_string();
    match text.as_str() {
        "usize" | "u128" => fail("write `u64`"),
        "isize" | "i128" => fail("write `i64`"),
        "char" => fail("write `u32`"),
        _ => fail("write one of these, not the name of another type for it"),
    }
}

#[cfg(test)]
mod tests;
