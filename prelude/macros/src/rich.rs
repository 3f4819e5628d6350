//! What `#[rich]` emits: the implementation of `Rich` as it is, and `Debug` by it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Error, ItemImpl, Result};

/// The implementation as it is, and behind it that of `Debug`, or what is wrong.
pub fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let rest = match debug(arguments, item.clone()) {
        Ok(debug) => debug,
        Err(error) => error.to_compile_error(),
    };
    quote! { #item #rest }
}

fn debug(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(Error::new_spanned(arguments, "`#[rich]` takes no arguments; write `#[rich]`"));
    }
    const WRONG: &str = "`#[rich]` goes before an implementation: `#[rich] impl gpu::Rich for Molecule { … }`";
    let item: ItemImpl = syn::parse2(item.clone()).map_err(|_| Error::new_spanned(item.into_iter().next(), WRONG))?;
    let is_rich = |path: &syn::Path| path.segments.last().is_some_and(|segment| segment.ident == "Rich");
    if !item.trait_.as_ref().is_some_and(|(_, path, _)| is_rich(path)) {
        return Err(Error::new_spanned(&item.self_ty, WRONG));
    }
    let prelude = Ident::new("warpcell", Span::call_site());
    let (generics, _, bounds) = item.generics.split_for_impl();
    let itself = &item.self_ty;
    Ok(quote! {
        impl #generics ::core::fmt::Debug for #itself #bounds {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::#prelude::write_rich(self, formatter)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::debug;

    fn emitted(item: &str) -> Result<String, String> {
        debug(Default::default(), item.parse().unwrap())
            .map(|tokens| tokens.to_string())
            .map_err(|error| format!("{}: {error}", error.span().source_text().unwrap_or_default()))
    }

    #[test]
    fn generics_and_bounds_are_kept() {
        let text =
            emitted("impl<'a, T: Copy> gpu::Rich for Pair<'a, T> where T: Into<f64> { fn f(&self) {} }").unwrap();
        assert!(
            text.starts_with(
                "impl < 'a , T : Copy > :: core :: fmt :: Debug for Pair < 'a , T > where T : Into < f64 > {"
            ),
            "{text}"
        );
        assert!(text.contains(":: warpcell :: write_rich (self , formatter)"), "{text}");
    }

    #[test]
    fn anything_else_is_an_error_that_says_what_to_write() {
        let message = "`#[rich]` goes before an implementation: `#[rich] impl gpu::Rich for Molecule { … }`";
        for (item, place) in [("struct S;", "struct"), ("impl S { }", "S"), ("impl Clone for S { }", "S")] {
            assert_eq!(emitted(item).unwrap_err(), format!("{place}: {message}"), "{item}");
        }
    }
}
