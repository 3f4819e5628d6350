//! What `interact!` gives: the controls, a copy of each variable that the code uses, and the closure that they call.

mod captures;

use crate::registration::{at, prelude};
use captures::captures;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashSet;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Block, Error, Expr, ExprRange, Lifetime, LitStr, RangeLimits, Result, Token, Type, bracketed};

/// The words behind the values of a control.
mod word {
    syn::custom_keyword!(play);
    syn::custom_keyword!(step);
    syn::custom_keyword!(every);
}

/// An expression for the interaction, or what is wrong with it.
pub fn expand(call: TokenStream) -> TokenStream {
    match Interact::parse.parse2(call) {
        Ok(interact) => interact.expression(),
        Err(error) => {
            let errors: TokenStream = error.into_iter().map(|error| error.to_compile_error()).collect();
            quote! {{ #errors }}
        }
    }
}

/// `sigma: f64 in 0.5..5.0, [size: usize in 3..31, invert: bool] => …`
struct Interact {
    rows: Vec<Vec<Control>>,
    body: TokenStream,
}

/// One control.
struct Control {
    name: Ident,
    kind: Type,
    default: Option<Expr>,
    values: Values,
}

/// Where the values of a control come from.
enum Values {
    /// `in 0.5..5.0 step 0.1`
    Slider { range: Ends, step: Option<Box<Expr>> },
    /// `in ["a", "b"]`
    List(Expr),
    /// `play 0..100 step 2 every 50`
    Play { range: Ends, step: Option<Box<Expr>>, every: Option<Box<Expr>> },
    /// Its type says it.
    OfType,
}

/// The ends of a range.
struct Ends {
    start: Box<Expr>,
    end: Box<Expr>,
    is_closed: bool,
}

impl Parse for Interact {
    fn parse(input: ParseStream<'_>) -> Result<Interact> {
        let mut rows = Vec::new();
        while !input.peek(Token![=>]) {
            if input.is_empty() {
                let text = "write what the controls call behind `=>`: `interact!(sigma: f64 in 0.5..5.0 => \
                            gpu::imshow(&blur(sigma)))`";
                return Err(input.error(text));
            }
            if input.peek(syn::token::Bracket) {
                let row;
                bracketed!(row in input);
                rows.push(row.parse_terminated(Control::parse, Token![,])?.into_iter().collect());
            } else {
                rows.push(vec![input.parse()?]);
            }
            if !input.peek(Token![=>]) && !input.is_empty() {
                input.parse::<Token![,]>().map_err(|error| {
                    let text = "a control ends here: put a comma before the next one, or `=>` before what they call";
                    Error::new(error.span(), text)
                })?;
            }
        }
        input.parse::<Token![=>]>()?;
        let body: TokenStream = input.parse()?;
        if body.is_empty() {
            return Err(input.error("write what the controls call behind `=>`, such as `=> gpu::imshow(&blur(sigma))`"));
        }
        let mut names = HashSet::new();
        for Control { name, .. } in rows.iter().flatten() {
            if !names.insert(name.to_string()) {
                return Err(Error::new(
                    name.span(),
                    format!("there is a control `{name}` already; give this one another name"),
                ));
            }
        }
        Ok(Interact { rows, body })
    }
}

impl Parse for Control {
    fn parse(input: ParseStream<'_>) -> Result<Control> {
        let name: Ident = input.parse().map_err(|error| {
            Error::new(error.span(), "a control is a name with a type and its values: `sigma: f64 in 0.5..5.0`")
        })?;
        if !input.peek(Token![:]) {
            let text = format!("write the type of the control behind its name: `{name}: f64 in 0.5..5.0`");
            return Err(Error::new(name.span(), text));
        }
        input.parse::<Token![:]>()?;
        let kind: Type = input.parse()?;
        let default = if input.peek(Token![=]) && !input.peek(Token![=>]) {
            input.parse::<Token![=]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        let values = Values::parse(input, &name, &kind)?;
        Ok(Control { name, kind, default, values })
    }
}

impl Values {
    fn parse(input: ParseStream<'_>, name: &Ident, kind: &Type) -> Result<Values> {
        let step = |input: ParseStream<'_>| -> Result<Option<Box<Expr>>> {
            if !input.peek(word::step) {
                return Ok(None);
            }
            input.parse::<word::step>()?;
            input.parse().map(Some)
        };
        if input.peek(Token![in]) {
            input.parse::<Token![in]>()?;
            return match input.parse()? {
                Expr::Range(range) => {
                    Ok(Values::Slider { range: Ends::of(range, name, kind, "in")?, step: step(input)? })
                }
                list => Ok(Values::List(list)),
            };
        }
        if input.peek(word::play) {
            let play: word::play = input.parse()?;
            let Expr::Range(range) = input.parse()? else {
                let text = format!("what plays goes through a range: `{name}: {} play 0..100`", kind.to_token_stream());
                return Err(Error::new(play.span, text));
            };
            let (range, step) = (Ends::of(range, name, kind, "play")?, step(input)?);
            let every = if input.peek(word::every) {
                input.parse::<word::every>()?;
                Some(input.parse()?)
            } else {
                None
            };
            return Ok(Values::Play { range, step, every });
        }
        Ok(Values::OfType)
    }
}

impl Ends {
    fn of(range: ExprRange, name: &Ident, kind: &Type, word: &str) -> Result<Ends> {
        let is_closed = matches!(range.limits, RangeLimits::Closed(_));
        match range {
            ExprRange { start: Some(start), end: Some(end), .. } => Ok(Ends { start, end, is_closed }),
            open => {
                let text = format!("a slider has two ends: `{name}: {} {word} 0..10`", kind.to_token_stream());
                Err(Error::new_spanned(open, text))
            }
        }
    }
}

impl Interact {
    fn expression(&self) -> TokenStream {
        let prelude = prelude();
        let [controls, read] = ["rows", "values"].map(own);
        let names: Vec<&Ident> = self.rows.iter().flatten().map(|control| &control.name).collect();
        let parts: Result<Vec<Part>> =
            self.rows.iter().flatten().enumerate().map(|(index, control)| control.part(index)).collect();
        let mut parts = match parts {
            Ok(parts) => parts.into_iter(),
            Err(error) => {
                let error = error.to_compile_error();
                return quote! {{ #error }};
            }
        };
        let (mut before, mut rows, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for row in &self.rows {
            let parts: Vec<Part> = parts.by_ref().take(row.len()).collect();
            let mut controls = Vec::new();
            for part in parts {
                before.push(part.before);
                controls.push(part.control);
                values.push(part.value);
            }
            rows.push(quote!(::std::vec![#(#controls),*]));
        }
        let body = &self.body;
        let kept = captures(&as_block(body), &names).into_iter().map(|name| {
            quote_spanned! {at(name.span())=> let #name = (&&::#prelude::interactions::Kept(&#name)).keep(); }
        });
        quote! {{
            #(#before)*
            let #controls = ::std::vec![#(#rows),*];
            #[allow(unused_imports)]
            use ::#prelude::interactions::{KeepArray as _, KeepClone as _};
            #(#kept)*
            ::#prelude::interactions::interact(#controls, move |#read: &::#prelude::interactions::Values| {
                #(#values)*
                { #body }
            })
        }}
    }
}

/// A name that the user's code does not see.
fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The code that the controls call as a block. Code that cannot be read has no variables; the compiler says what is wrong
/// with it.
fn as_block(body: &TokenStream) -> Block {
    let block = |stmts| Block { brace_token: Default::default(), stmts };
    block(Block::parse_within.parse2(body.clone()).unwrap_or_default())
}

/// The code of a control.
struct Part {
    /// Before the controls.
    before: TokenStream,
    /// An expression for the control.
    control: TokenStream,
    /// In the closure: its value.
    value: TokenStream,
}

impl Control {
    fn part(&self, index: usize) -> Result<Part> {
        let (prelude, read) = (prelude(), own("values"));
        let Control { name, kind, default, values } = self;
        let label = LitStr::new(&name.to_string().trim_start_matches("r#").replace('_', " "), name.span());
        let default = match default {
            Some(default) => quote!(::core::option::Option::Some(#default)),
            None => quote!(::core::option::Option::None),
        };
        let of_kind = at(syn::spanned::Spanned::span(kind));
        let call = |function: &str, arguments: TokenStream| {
            let function = Ident::new(function, of_kind);
            quote_spanned!(of_kind=> ::#prelude::interactions::#function(#label, #default, #arguments))
        };
        let value_of = |function: &str, kind: TokenStream| {
            let function = Ident::new(function, Span::call_site());
            quote! { #[allow(unused_variables)] let #name: #kind = #read.#function(#index); }
        };
        let number = |control| {
            let read = quote_spanned!(of_kind=> #read.number::<#kind>(#index));
            let value = quote! { #[allow(unused_variables)] let #name: #kind = #read; };
            Part { before: TokenStream::new(), control, value }
        };
        let plain = |control, value| Ok(Part { before: TokenStream::new(), control, value });
        match values {
            Values::Slider { range, step } => {
                let (ends, step) = (range.arguments(), optional(step.as_deref()));
                Ok(number(call("slider", quote_spanned!(of_kind=> ::core::marker::PhantomData::<#kind>, #ends, #step))))
            }
            Values::Play { range, step, every } => {
                let (ends, step, every) = (range.arguments(), optional(step.as_deref()), optional(every.as_deref()));
                let kind = quote_spanned!(of_kind=> ::core::marker::PhantomData::<#kind>);
                Ok(number(call("play", quote!(#kind, #ends, #step, #every))))
            }
            Values::List(list) => {
                let choices = own(&format!("choices_{index}"));
                let lasting = lasting(kind);
                // A variable stays where it is.
                let list = match list {
                    Expr::Path(_) => quote!(::core::clone::Clone::clone(&#list)),
                    other => other.to_token_stream(),
                };
                let before = quote_spanned!(of_kind=>
                    let #choices = ::#prelude::interactions::choices::<#lasting, _>(#list);
                );
                let value = quote! {
                    #[allow(unused_variables)]
                    let #name: #kind = ::core::clone::Clone::clone(&#choices[#read.index(#index)]);
                };
                Ok(Part { before, control: call("dropdown", quote!(&#choices)), value })
            }
            Values::OfType => match kind.to_token_stream().to_string().as_str() {
                "bool" => plain(call("checkbox", quote!()), value_of("boolean", quote!(bool))),
                "String" => plain(call("text", quote!()), value_of("string", kind.to_token_stream())),
                "& str" | "& 'static str" => plain(call("text", quote!()), value_of("text", quote!(&str))),
                kind if kind.rsplit("::").next().is_some_and(|last| last.trim() == "Button") => {
                    plain(call("button", quote!()), value_of("boolean", quote!(bool)))
                }
                written => {
                    let values = if written.starts_with('f') { "0.0..1.0" } else { "0..10" };
                    let text = format!(
                        "say which values `{name}` has: `{name}: {written} in {values}` is a slider, and \
                         `{name}: {written} in [a, b]` a list to choose from"
                    );
                    Err(Error::new_spanned(kind, text))
                }
            },
        }
    }
}

impl Ends {
    fn arguments(&self) -> TokenStream {
        let Ends { start, end, is_closed } = self;
        quote!(#start, #end, #is_closed)
    }
}

fn optional(expression: Option<&Expr>) -> TokenStream {
    match expression {
        Some(expression) => quote!(::core::option::Option::Some(#expression)),
        None => quote!(::core::option::Option::None),
    }
}

/// The type of values that are kept: references last as long as the program.
fn lasting(kind: &Type) -> Type {
    match kind {
        Type::Reference(reference) if reference.lifetime.is_none() => {
            let mut lasting = reference.clone();
            lasting.lifetime = Some(Lifetime::new("'static", Span::call_site()));
            Type::Reference(lasting)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(call: &str) -> String {
        expand(call.parse().unwrap()).to_string()
    }

    #[test]
    fn each_form_has_its_control() {
        for (control, expected) in [
            (
                "s: f64 in 0.5..5.0",
                "slider (\"s\" , :: core :: option :: Option :: None , :: core :: marker :: PhantomData :: < f64 > , 0.5 , 5.0 , false",
            ),
            (
                "s: usize = 3 in 1..=9 step 2",
                "Option :: Some (3) , :: core :: marker :: PhantomData :: < usize > , 1 , 9 , true , :: core :: option :: Option :: Some (2)",
            ),
            ("f: i64 play 0..n every 50", "play (\"f\""),
            ("m: &str in [\"a\", \"b\"]", "choices :: < & 'static str , _ > ([\"a\" , \"b\"])"),
            ("m: usize in sizes", "Clone :: clone (& sizes)"),
            ("on: bool = true", "checkbox (\"on\" , :: core :: option :: Option :: Some (true)"),
            ("title: String = \"x\"", "let title : String = values . string (0usize)"),
            ("title: &str", "let title : & str = values . text (0usize)"),
            ("again: Button = \"Once more\"", "button (\"again\""),
            ("again: gpu::Button", "let again : bool = values . boolean (0usize)"),
            ("edge_width: f32 in 0.0..1.0", "slider (\"edge width\""),
        ] {
            let code = expanded(&format!("{control} => f()"));
            assert!(code.contains(expected), "{control}: {code}");
            assert!(!code.contains("compile_error"), "{control}: {code}");
        }
    }

    #[test]
    fn brackets_are_rows() {
        let code = expanded("[a: bool, b: bool], c: bool => f(a, b, c)");
        assert_eq!(code.matches(":: std :: vec !").count(), 3, "{code}");
        assert!(code.contains("values . boolean (2usize)"), "{code}");
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_write() {
        for (call, expected) in [
            ("sigma: f64 in 0.5..5.0", "write what the controls call behind `=>`"),
            ("sigma: f64 in 0.5..5.0 =>", "write what the controls call behind `=>`"),
            ("sigma in 0.5..5.0 => f()", "`sigma: f64 in 0.5..5.0`"),
            ("sigma: f64 => f()", "`sigma: f64 in 0.0..1.0` is a slider"),
            ("size: usize in ..5 => f()", "`size: usize in 0..10`"),
            ("size: usize play 5 => f()", "`size: usize play 0..100`"),
            ("a: bool b: bool => f()", "put a comma before the next one"),
            ("a: bool, a: bool => f()", "there is a control `a` already"),
            ("3..5 => f()", "a control is a name with a type"),
        ] {
            let code = expanded(call);
            assert!(code.contains("compile_error") && code.contains(expected), "{call}: {code}");
        }
    }

    #[test]
    fn variables_are_kept_and_controls_are_not() {
        let code = expanded("sigma: f64 in 0.0..1.0 => gpu::imshow(&blur(&image, sigma))");
        assert_eq!(code.matches("Kept (& image)").count(), 1, "{code}");
        assert_eq!(code.matches("Kept").count(), 1, "{code}");
    }
}
