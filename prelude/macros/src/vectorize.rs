//! What `#[vectorize]` emits: the function as it is, and its registration with the prelude.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, FnArg, Result, ReturnType, Signature, Type, Visibility};

/// The element types of arrays: their names, and the names of the prelude's tags.
const SCALARS: [(&str, &str); 8] = [
    ("bool", "Bool"),
    ("u8", "U8"),
    ("i32", "I32"),
    ("u32", "U32"),
    ("i64", "I64"),
    ("u64", "U64"),
    ("f32", "F32"),
    ("f64", "F64"),
];

/// The crate whose `registry` takes the registrations.
const PRELUDE: &str = "warpcell";

/// As many arguments as the tuples that `gpu::map` takes may have.
const MOST_ARGUMENTS: usize = 8;

/// Lines `NAME HASH`: by what the kernel's build step recognises the functions of a notebook. Outside of a notebook
/// nobody asks for the hash.
const HASHES: &str = "WARPCELL_FUNCTION_HASHES";

/// The function as it is, and behind it its registration, or what is wrong with it.
pub fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let rest = match registration(arguments, item.clone()) {
        Ok(registration) => registration,
        Err(error) => error.to_compile_error(),
    };
    quote! { #item #rest }
}

/// The head of a function. Its body is the compiler's business.
struct Head {
    signature: Signature,
}

impl Parse for Head {
    fn parse(input: ParseStream<'_>) -> Result<Head> {
        Attribute::parse_outer(input)?;
        Visibility::parse(input)?;
        let start = input.span();
        let signature = input.parse().map_err(|_| {
            Error::new(start, "`#[vectorize]` stands before a plain function: `#[vectorize] fn f(x: f32) -> f32 { … }`")
        })?;
        input.parse::<TokenStream>()?;
        Ok(Head { signature })
    }
}

/// A scalar type as it is written, with the prelude's tag of it.
struct Scalar {
    name: Ident,
    tag: Ident,
}

fn registration(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(Error::new_spanned(arguments, "`#[vectorize]` takes no arguments; write `#[vectorize]`"));
    }
    let Head { signature } = syn::parse2(item)?;
    let function = &signature.ident;
    reject_qualifiers(&signature)?;
    let parameters = parameters(&signature)?;
    let result = result(&signature)?;
    let hash = hash_of(&function.to_string());

    let tags = parameters.iter().map(|parameter| &parameter.tag);
    let inputs: Vec<Ident> = (0..parameters.len()).map(|index| format_ident!("__warpcell_input_{index}")).collect();
    let getters = parameters.iter().map(|parameter| &parameter.name);
    let indices = 0..parameters.len();
    let prelude = Ident::new(PRELUDE, Span::call_site());
    let (result_tag, result_getter) = (&result.tag, &result.name);
    // Only operations that need no instantiation: a loop that is written out costs the compiler a third of one over
    // iterators. The assertions let it leave out the checks of the indices.
    Ok(quote! {
        const _: () = {
            fn __warpcell_block(
                __warpcell_inputs: &::#prelude::registry::Inputs<'_>,
                __warpcell_output: &mut ::#prelude::registry::Output<'_>,
            ) {
                let __warpcell_output = __warpcell_output.#result_getter();
                let __warpcell_length = __warpcell_output.len();
                #(
                    let #inputs = __warpcell_inputs.#getters(#indices);
                    assert!(#inputs.len() == __warpcell_length);
                )*
                let mut __warpcell_index = 0usize;
                while __warpcell_index < __warpcell_length {
                    __warpcell_output[__warpcell_index] = #function(#(#inputs[__warpcell_index]),*);
                    __warpcell_index += 1;
                }
            }
            extern "C" fn __warpcell_register() {
                ::#prelude::registry::register(
                    ::core::any::type_name_of_val(&#function),
                    #hash,
                    &[#(::#prelude::DType::#tags),*],
                    ::#prelude::DType::#result_tag,
                    __warpcell_block,
                );
            }
            // SAFETY: the loader calls what this section points to, without anything that the function would read.
            #[used]
            #[unsafe(link_section = ".init_array")]
            static __WARPCELL_REGISTER: extern "C" fn() = __warpcell_register;
        };
    })
}

fn reject_qualifiers(signature: &Signature) -> Result<()> {
    let plain = |token: &dyn ToTokens, what: &str| {
        let text = format!("a `#[vectorize]` function is a plain `fn`; remove `{what}`");
        Err(Error::new_spanned(token.to_token_stream(), text))
    };
    if let Some(token) = &signature.constness {
        return plain(token, "const");
    }
    if let Some(token) = &signature.asyncness {
        return plain(token, "async");
    }
    if let Some(token) = &signature.unsafety {
        return plain(token, "unsafe");
    }
    if let Some(abi) = &signature.abi {
        return plain(abi, "extern");
    }
    if !signature.generics.params.is_empty() {
        let text = "a `#[vectorize]` function has no type parameters; write one function for each type, such as \
                    `fn f(x: f32) -> f32`";
        return Err(Error::new_spanned(&signature.generics, text));
    }
    if let Some(clause) = &signature.generics.where_clause {
        return Err(Error::new_spanned(clause, "a `#[vectorize]` function has no `where` clause; remove it"));
    }
    if let Some(variadic) = &signature.variadic {
        return Err(Error::new_spanned(variadic, "a `#[vectorize]` function has a fixed number of arguments"));
    }
    Ok(())
}

fn parameters(signature: &Signature) -> Result<Vec<Scalar>> {
    if signature.inputs.is_empty() {
        let text = "a `#[vectorize]` function takes at least one argument, which is an element of an array; such as \
                    `x: f32`";
        return Err(Error::new(signature.paren_token.span.join(), text));
    }
    if let Some(argument) = signature.inputs.iter().nth(MOST_ARGUMENTS) {
        let text = format!("a `#[vectorize]` function takes at most {MOST_ARGUMENTS} arguments");
        return Err(Error::new_spanned(argument, text));
    }
    let parameters = signature.inputs.iter().map(|argument| match argument {
        FnArg::Receiver(receiver) => {
            let text = "a `#[vectorize]` function stands outside of `impl` blocks and takes scalars, not `self`";
            Err(Error::new_spanned(receiver, text))
        }
        FnArg::Typed(parameter) => scalar(&parameter.ty, "an argument"),
    });
    parameters.collect()
}

fn result(signature: &Signature) -> Result<Scalar> {
    match &signature.output {
        ReturnType::Default => {
            let text = "a `#[vectorize]` function returns the element of the resulting array; write its type, such as \
                        `-> f32`";
            Err(Error::new_spanned(&signature.ident, text))
        }
        ReturnType::Type(_, of) => scalar(of, "the result"),
    }
}

fn scalar(written: &Type, role: &str) -> Result<Scalar> {
    let fail = |advice: &str| {
        let text =
            format!("{role} of a `#[vectorize]` function is one of bool, u8, i32, u32, i64, u64, f32, f64; {advice}");
        Err(Error::new_spanned(written, text))
    };
    let path = match written {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Reference(_) | Type::Ptr(_) => {
            return fail("write the scalar type itself: the function gets elements, one by one");
        }
        Type::Tuple(_) if role == "the result" => return fail("write one function for each result"),
        Type::Tuple(_) => return fail("write one argument for each part"),
        Type::Array(_) | Type::Slice(_) => return fail("write one argument for each element"),
        _ => return fail("write one of these"),
    };
    let Some(name) = path.get_ident() else { return fail("write one of these, without a path or type arguments") };
    let text = name.to_string();
    if let Some((_, tag)) = SCALARS.iter().find(|(scalar, _)| *scalar == text) {
        return Ok(Scalar { name: Ident::new(&text, Span::call_site()), tag: Ident::new(tag, Span::call_site()) });
    }
    match text.as_str() {
        "usize" | "u128" => fail("write `u64`"),
        "isize" | "i128" => fail("write `i64`"),
        "i8" | "i16" => fail("write `i32`"),
        "u16" | "char" => fail("write `u32`"),
        "f16" | "bf16" => fail("write `f32`"),
        _ => fail("write one of these, not the name of another type for it"),
    }
}

fn hash_of(function: &str) -> String {
    let hashes = std::env::var(HASHES).unwrap_or_default();
    let mut lines = hashes.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == function).map_or_else(String::new, |(_, hash)| hash.to_owned())
}

#[cfg(test)]
mod tests;
