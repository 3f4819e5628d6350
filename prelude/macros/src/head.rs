//! The heads of functions with an attribute: their signatures, and what makes them no plain functions.

use crate::registration::prelude;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Result, Signature, Visibility};
use warpcell_translate::{Scalar, name_of};

/// The prelude's tag of a type, which has the name of the translator's.
pub fn tag(scalar: Scalar) -> Ident {
    Ident::new(&format!("{scalar:?}"), Span::call_site())
}

/// The type, wherever the macro is called.
pub fn type_of(scalar: Scalar) -> TokenStream {
    let prelude = prelude();
    match scalar {
        Scalar::C64 => quote!(::#prelude::Complex<f32>),
        Scalar::C128 => quote!(::#prelude::Complex<f64>),
        other => Ident::new(name_of(other), Span::call_site()).to_token_stream(),
    }
}

/// What messages say of a function with an attribute.
pub struct Words {
    /// The attribute: `#[vectorize]`.
    pub attribute: &'static str,
    /// A function with it, behind the attribute.
    pub example: &'static str,
    /// What to write instead of type parameters.
    pub without_types: &'static str,
}

/// The signature of a plain function with an attribute that takes no arguments.
pub fn signature(arguments: TokenStream, item: TokenStream, words: &Words) -> Result<Signature> {
    let Words { attribute, example, .. } = words;
    if !arguments.is_empty() {
        return Err(Error::new_spanned(arguments, format!("`{attribute}` takes no arguments; write `{attribute}`")));
    }
    // The body is the compiler's business.
    let head = |input: ParseStream<'_>| {
        Attribute::parse_outer(input)?;
        input.parse::<Visibility>()?;
        let start = input.span();
        let signature: Signature = input.parse().map_err(|_| {
            Error::new(start, format!("`{attribute}` goes before a plain function: `{attribute} {example}`"))
        })?;
        input.parse::<TokenStream>()?;
        Ok(signature)
    };
    let signature = head.parse2(item)?;
    reject_qualifiers(&signature, words)?;
    Ok(signature)
}

fn reject_qualifiers(signature: &Signature, words: &Words) -> Result<()> {
    let Words { attribute, without_types, .. } = words;
    let plain = |token: &dyn ToTokens, what: &str| {
        let text = format!("a `{attribute}` function must be a plain `fn`; remove `{what}`");
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
        let text = format!("a `{attribute}` function cannot have type parameters; {without_types}");
        return Err(Error::new_spanned(&signature.generics, text));
    }
    if let Some(clause) = &signature.generics.where_clause {
        let text = format!("a `{attribute}` function cannot have a `where` clause; remove it");
        return Err(Error::new_spanned(clause, text));
    }
    if let Some(variadic) = &signature.variadic {
        let text = format!("a `{attribute}` function must have a fixed number of arguments");
        return Err(Error::new_spanned(variadic, text));
    }
    Ok(())
}
