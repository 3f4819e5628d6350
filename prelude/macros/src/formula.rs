//! What the half of `fuse!` that reads the formula gives: its text as a function's, and what it captures.

use crate::device::parse;
use crate::notebook::Notebook;
use crate::registration::{Registration, at, checked, prelude, report, text};
use crate::text::{Text, without_checks};
use crate::vectorize::{MOST_ARGUMENTS, has_wide_vectors, scalar};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{Error, Result, Token, Type};
use warpcell_translate::Role;

/// As many variables as a formula may capture.
const MOST_CAPTURES: usize = 8;

const WRONG: &str = "write a formula with a type for each parameter: `fuse!(|x: f32, y: f32| (x - y) * (x - y))`";

/// An expression for the formula, or what is wrong with it.
pub fn expand(formula: TokenStream) -> TokenStream {
    let notebook = Notebook::open();
    expression(formula, notebook.as_ref()).unwrap_or_else(|errors| {
        let errors = report(errors);
        quote! {{ #errors }}
    })
}

/// A formula as it is written: `|x: f32, y: f32| (x - y) * (x - y)`, or `sum |x: f32| x` for what is reduced.
struct Formula {
    reduction: Option<Ident>,
    parameters: Vec<(Ident, Type)>,
    output: Option<Type>,
    body: TokenStream,
}

impl Parse for Formula {
    fn parse(input: ParseStream<'_>) -> Result<Formula> {
        if input.peek(Token![move]) {
            return Err(input.error("`fuse!` always captures by value; remove `move`"));
        }
        let reduction = input.parse()?;
        if input.peek(Token![||]) {
            return Err(
                input.error("a formula needs at least one parameter, which is an element of an array: `|x: f32| …`")
            );
        }
        input.parse::<Token![|]>().map_err(|error| Error::new(error.span(), WRONG))?;
        let mut parameters: Vec<(Ident, Type)> = Vec::new();
        while !input.peek(Token![|]) {
            if parameters.len() == MOST_ARGUMENTS {
                return Err(input.error(format!("a formula can have at most {MOST_ARGUMENTS} parameters")));
            }
            let name: Ident = input.parse().map_err(|error| {
                let text = "a parameter of a formula must be a name with a type, such as `x: f32`; to destructure it \
                            or to make it mutable, write a `let` in the formula";
                Error::new(error.span(), text)
            })?;
            if !input.peek(Token![:]) {
                return Err(Error::new(name.span(), format!("write the type of the parameter, such as `{name}: f32`")));
            }
            input.parse::<Token![:]>()?;
            parameters.push((name, input.parse()?));
            if !input.peek(Token![|]) {
                input.parse::<Token![,]>()?;
            }
        }
        if parameters.is_empty() {
            return Err(
                input.error("a formula needs at least one parameter, which is an element of an array: `|x: f32| …`")
            );
        }
        input.parse::<Token![|]>()?;
        let output = if input.peek(Token![->]) {
            input.parse::<Token![->]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        let body: TokenStream = input.parse()?;
        if body.is_empty() {
            return Err(input.error("the formula is missing: `|x: f32| x * x`"));
        }
        Ok(Formula { reduction, parameters, output, body })
    }
}

fn expression(formula: TokenStream, notebook: Option<&Notebook>) -> Registration {
    let mut trees = formula.into_iter().peekable();
    // What is not a formula by the form of `fuse!`'s own patterns.
    let is_other = trees.next_if(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '@')).is_some();
    if is_other {
        trees.next();
    }
    let formula: TokenStream = trees.collect();
    let first = formula.clone().into_iter().next();
    let formula: Formula = syn::parse2(formula).map_err(|error| vec![error])?;
    if is_other {
        return Err(vec![Error::new_spanned(first, WRONG)]);
    }
    for (_, of) in &formula.parameters {
        scalar(of, "a parameter", "a formula of `fuse!`").map_err(|error| vec![error])?;
    }
    let Formula { reduction, parameters, output, body } = formula;
    let comma = body.clone().into_iter().find(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ','));
    if let (Some(reduction), Some(comma)) = (&reduction, comma) {
        let text = format!(
            "`{reduction}(…)` around a formula takes one value, and reduces the results over all elements; for two \
             numbers, write `a.min(b)` or `a.max(b)`"
        );
        return Err(vec![Error::new(comma.span(), text)]);
    }
    let names = parameters.iter().map(|(name, of)| quote!(#name: #of));
    let result = output.as_ref().map(|of| quote!(-> #of));
    let function = parse(quote! { fn formula(#(#names),*) #result { #body } })?;
    let references = checked(&function, Role::Formula, notebook)?;
    if let Some(capture) = references.captures.get(MOST_CAPTURES) {
        let text = format!("a formula can capture at most {MOST_CAPTURES} variables; pass some as arguments");
        return Err(vec![Error::new(capture.span(), text)]);
    }

    let head =
        parameters.iter().map(|(name, of)| format!("{name}: {}", written_type(of))).collect::<Vec<_>>().join(", ");
    let captures = references.captures.iter().map(|name| format!(", {name}: _")).collect::<String>();
    let Text { source, line, compiled } = Text::of(&body, notebook);
    let arrow = output.as_ref().map_or_else(|| "-> _".to_owned(), |of| format!("-> {}", written_type(of)));
    let written = match (&reduction, &output) {
        (Some(reduction), _) => format!("|{head}| {reduction}({source})"),
        (None, Some(_)) => format!("|{head}| {arrow} {source}"),
        (None, None) => format!("|{head}| {source}"),
    };
    // A comment may end the line.
    let source = format!("fn formula({head}{captures}) {arrow} {{ {source}\n}}");
    let text = text(Role::Formula, &Text { source, line, compiled }, &written, &references);
    let captured = references.captures.iter().map(|name| {
        let prelude = prelude();
        quote_spanned! { at(name.span()) => ::#prelude::registry::Capture::captured(#name) }
    });
    let (prelude, is_wide) = (prelude(), has_wide_vectors(notebook));
    Ok(quote! {{
        static __WARPCELL_TEXT: ::#prelude::registry::Text = #text;
        ::#prelude::registry::Formula::<#is_wide>::new(&__WARPCELL_TEXT, &[#(#captured),*])
    }})
}

fn written_type(of: &Type) -> String {
    without_checks(of.to_token_stream()).to_string().replace(' ', "")
}

#[cfg(test)]
mod tests;
