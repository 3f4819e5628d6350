//! What `#[device]` emits: the function or the struct as it is, and its registration with the prelude.

use crate::kernel::{instrument, is_recorded};
use crate::notebook::Notebook;
use crate::registration::{Registration, at, checked, mark, prelude, register, text};
use crate::text::{Text, without_checks};
use proc_macro2::{TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{Error, ItemFn, ItemStruct, Member, Result};
use warpcell_translate::Role;

pub fn registration(arguments: TokenStream, item: TokenStream, notebook: Option<&Notebook>) -> Registration {
    let own = if notebook.is_none() { Own::of(&arguments) } else { None };
    if !arguments.is_empty() && own.is_none() {
        return Err(vec![Error::new_spanned(arguments, "`#[device]` takes no arguments; write `#[device]`")]);
    }
    let bare = bare(item.clone());
    match keyword(&bare).as_str() {
        "const" if !bare.clone().into_iter().any(|tree| is_word(&tree, "fn")) => Err(vec![Error::new_spanned(
            bare.into_iter().next(),
            "device code can use a constant without an attribute; remove `#[device]`",
        )]),
        "struct" => structure(item, &bare, notebook),
        "fn" | "const" | "async" | "unsafe" | "extern" => function(item, &bare, notebook, own),
        _ => Err(vec![Error::new_spanned(
            bare.into_iter().next(),
            "`#[device]` goes before a function or a struct: `#[device] fn f(x: f32) -> f32 { … }`",
        )]),
    }
}

/// What functions of the prelude say of themselves.
enum Own {
    /// `#[device(apart)]`: a compiler for a GPU does not copy it to where it is called, whatever that of the CPU does.
    Apart,
    /// `#[device(elsewhere(expression))]`: what a GPU computes in place of its body.
    Elsewhere(TokenStream),
}

impl Own {
    fn of(arguments: &TokenStream) -> Option<Own> {
        let trees: Vec<TokenTree> = arguments.clone().into_iter().collect();
        match &trees[..] {
            [word] if is_word(word, "apart") => Some(Own::Apart),
            [word, TokenTree::Group(group)] if is_word(word, "elsewhere") => Some(Own::Elsewhere(group.stream())),
            _ => None,
        }
    }
}

/// An item without its attributes and its visibility.
pub fn bare(item: TokenStream) -> TokenStream {
    let mut trees = item.into_iter().peekable();
    loop {
        match trees.peek() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '#' => {
                trees.next();
                trees.next();
            }
            Some(TokenTree::Ident(ident)) if ident == "pub" => {
                trees.next();
                trees.next_if(|tree| matches!(tree, TokenTree::Group(_)));
            }
            // A visibility that a macro has put in.
            Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::None => {
                trees.next();
            }
            _ => return trees.collect(),
        }
    }
}

fn keyword(item: &TokenStream) -> String {
    item.clone().into_iter().next().map(|tree| tree.to_string()).unwrap_or_default()
}

fn is_word(tree: &TokenTree, word: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == word)
}

fn function(item: TokenStream, bare: &TokenStream, notebook: Option<&Notebook>, own: Option<Own>) -> Registration {
    let mut function: ItemFn = parse(item)?;
    let mut written = match &own {
        Some(Own::Elsewhere(expression)) => {
            *function.block = syn::parse_quote!({ #expression });
            let signature = &function.sig;
            Text::put_together(&quote! { #signature { #expression } })
        }
        _ => Text::of(bare, notebook),
    };
    let references = checked(&function, Role::Device, notebook)?;
    let name = &function.sig.ident;
    let hash = notebook.map_or("", |notebook| notebook.hash(&name.to_string())).to_owned();
    let is_apart = match own {
        Some(Own::Apart) => true,
        // Its attributes are for the body that the CPU has.
        Some(Own::Elsewhere(_)) => false,
        None => function.attrs.iter().any(warpcell_translate::is_inline_never),
    };
    if is_apart {
        // On the same line, so that all lines keep their numbers.
        written.source.insert_str(0, "#[inline(never)] ");
    }
    let text = text(Role::Device, &written, "", &references);
    let registration =
        register(&quote!(::core::any::type_name_of_val(&#name)), &hash, &text, &quote!(::core::option::Option::None));
    let mark = mark(&function.vis, name);
    let called = if is_recorded(notebook, &hash) { instrument::called(&function, &references) } else { None };
    Ok(quote! { #mark const _: () = { #called #registration }; })
}

fn structure(item: TokenStream, bare: &TokenStream, notebook: Option<&Notebook>) -> Registration {
    let structure: ItemStruct = parse(item)?;
    let references = warpcell_translate::check_struct(&structure)?;
    let (name, prelude) = (&structure.ident, prelude());
    let members: Vec<Member> = structure.fields.members().collect();
    let fields: Vec<String> = members
        .iter()
        .map(|member| match member {
            Member::Named(ident) => ident.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        })
        .collect();
    let indices = 0..members.len();
    // Constants of the struct's type are values for the translator.
    let value = quote! {
        impl ::#prelude::registry::Constant for #name {
            fn value(&self) -> ::#prelude::registry::Value {
                ::#prelude::registry::structure(::core::any::type_name::<#name>(), &[#((#fields, &self.#members)),*])
            }
            fn kind() -> ::#prelude::registry::Type {
                ::#prelude::registry::structure_type(::core::any::type_name::<#name>())
            }
            fn from_value(value: &::#prelude::registry::Value) -> ::core::option::Option<#name> {
                ::core::option::Option::Some(#name {
                    #(#members: ::#prelude::registry::field(value, #indices, #fields)?,)*
                })
            }
        }
        ::#prelude::__device_struct!(#name);
    };
    let own = name.to_string();
    if notebook.is_some_and(|notebook| notebook.is_registered(&own)) {
        return Ok(value);
    }
    // What is passed by value there is copied here.
    let copied = quote_spanned! { at(name.span()) =>
        const fn a_device_struct_needs_derive_clone_copy<T: ::core::marker::Copy>() {}
        const _: () = a_device_struct_needs_derive_clone_copy::<#name>();
    };
    let hash = notebook.map_or("", |notebook| notebook.hash(&own)).to_owned();
    let text = text(Role::Device, &Text::of(bare, notebook), "", &references);
    let registration =
        register(&quote!(::core::any::type_name::<#name>()), &hash, &text, &quote!(::core::option::Option::None));
    Ok(quote! { #value const _: () = { #copied #registration }; })
}

/// Reads an item without the checks that the build step has written into its loops.
pub fn parse<T: syn::parse::Parse>(item: TokenStream) -> std::result::Result<T, Vec<Error>> {
    let parsed: Result<T> = syn::parse2(without_checks(item));
    parsed.map_err(|error| vec![error])
}

#[cfg(test)]
mod tests;
