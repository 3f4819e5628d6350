//! What macros emit so that the prelude knows an item: its text, and what that refers to.

use crate::notebook::Notebook;
use crate::text::Text;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, ItemFn, Visibility};
use warpcell_translate::{References, Role, path_text};

/// The crate whose `registry` takes the registrations.
pub fn prelude() -> Ident {
    Ident::new("warpcell", Span::call_site())
}

/// What a macro adds to an item, or what is wrong with the item.
pub type Registration = Result<TokenStream, Vec<Error>>;

/// Makes the registration of an item from the attribute's arguments and the item.
pub type Register = fn(TokenStream, TokenStream, Option<&Notebook>) -> Registration;

/// The item as it is, and behind it its registration, or what is wrong with it.
pub fn beside(arguments: TokenStream, item: TokenStream, register: Register) -> TokenStream {
    let rest = register(arguments, item.clone(), Notebook::open().as_ref()).unwrap_or_else(report);
    quote! { #item #rest }
}

/// All errors as what the compiler reports.
pub fn report(errors: Vec<Error>) -> TokenStream {
    errors.iter().map(Error::to_compile_error).collect()
}

/// What a function refers to, if it can run on devices.
pub fn checked(function: &ItemFn, role: Role, notebook: Option<&Notebook>) -> Result<References, Vec<Error>> {
    let references = warpcell_translate::check(function, role)?;
    let plain = notebook.map_or_else(Vec::new, |notebook| notebook.plain_calls(&references));
    if plain.is_empty() { Ok(references) } else { Err(plain) }
}

/// The value of type `registry::Text`, for a static. `written` is a formula as it is written.
pub fn text(role: Role, text: &Text, written: &str, references: &References) -> TokenStream {
    let prelude = prelude();
    let role = Ident::new(
        match role {
            Role::Vectorize => "Vectorize",
            Role::Device => "Device",
            Role::Formula => "Formula",
            Role::Kernel => "Kernel",
        },
        Span::call_site(),
    );
    let Text { source, line, .. } = text;
    let references = found(references);
    quote! {
        ::#prelude::registry::Text {
            role: ::#prelude::registry::Role::#role,
            source: #source,
            written: #written,
            line: #line,
            references: #references,
        }
    }
}

/// A function that tells what is referred to.
fn found(references: &References) -> TokenStream {
    let functions = references.functions.iter().map(|path| {
        let written = path_text(path);
        // The type is there if the function runs on devices (`mark`).
        quote_spanned! { at(path.span()) =>
            __warpcell_found.function(#written, ::core::any::type_name_of_val(&#path));
            let _: #path;
        }
    });
    let structs = references.structs.iter().map(|path| {
        let written = path_text(path);
        quote_spanned! { at(path.span()) => __warpcell_found.structure(#written, ::core::any::type_name::<#path>()); }
    });
    let constants = references.constants.iter().map(|path| {
        let written = path_text(path);
        quote_spanned! { at(path.span()) => __warpcell_found.constant(#written, &#path); }
    });
    quote! { |__warpcell_found| { #(#functions)* #(#structs)* #(#constants)* } }
}

/// Marks a function as one that runs on devices, by a type of the same name: a path to the function is one to the type too, also
/// where `use` has brought it. So a call of another function, such as one of another crate, is an error when the caller is
/// compiled, and not only where it is translated.
pub fn mark(visibility: &Visibility, function: &Ident) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #visibility struct #function {}
    }
}

/// A place for what the macro itself names: it is looked up where the macro is called.
pub fn at(place: Span) -> Span {
    Span::call_site().located_at(place)
}

/// Registers an item when the library that has it is loaded; `name` is an expression for the name, `blocks` one for what runs
/// it over blocks.
pub fn register(name: &TokenStream, hash: &str, text: &TokenStream, blocks: &TokenStream) -> TokenStream {
    call("register", name, hash, text, blocks)
}

/// The same for a kernel; `threads` is an expression for what runs one of its threads.
pub fn register_kernel(name: &TokenStream, hash: &str, text: &TokenStream, threads: &TokenStream) -> TokenStream {
    call("register_kernel", name, hash, text, threads)
}

fn call(function: &str, name: &TokenStream, hash: &str, text: &TokenStream, runs: &TokenStream) -> TokenStream {
    let (prelude, function) = (prelude(), Ident::new(function, Span::call_site()));
    quote! {
        static __WARPCELL_TEXT: ::#prelude::registry::Text = #text;
        extern "C" fn __warpcell_register() {
            ::#prelude::registry::#function(#name, #hash, &__WARPCELL_TEXT, #runs);
        }
        // SAFETY: the loader calls what this section points to, without anything that the function would read.
        #[used]
        #[unsafe(link_section = ".init_array")]
        static __WARPCELL_REGISTER: extern "C" fn() = __warpcell_register;
    }
}
