//! What is wrong with a call with keywords, `gpu::sum!(&m, axs = 0)`, said at the token that is wrong.
//!
//! Calls are read by declarative macros (`prelude/src/keywords/`). What they cannot read comes here.

use crate::text::written;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Result, Type, bracketed, parenthesized};
use warpcell_translate::distance;

/// Keywords under the names that they have elsewhere.
const OTHER_NAMES: [(&str, &str); 9] = [
    ("dim", "axis"),
    ("axes", "axis"),
    ("keepdim", "keepdims"),
    ("correction", "ddof"),
    ("type", "dtype"),
    ("mask", "where"),
    ("p", "ord"),
    ("retstep", "endpoint"),
    ("size", "shape"),
];

/// Element types under NumPy's names.
const TYPES: [(&str, &str); 12] = [
    ("float32", "f32"),
    ("float64", "f64"),
    ("float16", "gpu::f16"),
    ("float", "f64"),
    ("int64", "i64"),
    ("int32", "i32"),
    ("int", "i64"),
    ("uint8", "u8"),
    ("uint32", "u32"),
    ("bool_", "bool"),
    ("complex64", "gpu::Complex<f32>"),
    ("complex128", "gpu::Complex<f64>"),
];

fn found<'a>(table: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    table.iter().find(|(other, _)| *other == name).map(|(_, ours)| *ours)
}

/// A row of the table, as the macros pass it on: `(sum [a] [axis] [dtype keepdims])`.
struct Signature {
    name: Ident,
    needed: Vec<String>,
    positional: Vec<String>,
    others: Vec<String>,
}

impl Parse for Signature {
    fn parse(input: ParseStream<'_>) -> Result<Signature> {
        let row;
        parenthesized!(row in input);
        let names = || -> Result<Vec<String>> {
            let list;
            bracketed!(list in row);
            Ok(list.parse::<TokenStream>()?.into_iter().map(|name| name.to_string()).collect())
        };
        let name = row.parse()?;
        Ok(Signature { name, needed: names()?, positional: names()?, others: names()? })
    }
}

/// Modules in modules.
const INNER_MODULES: [&str; 4] = ["signal_windows_", "sparse_linalg_", "sparse_csgraph_", "spatial_distance_"];

impl Signature {
    /// As it is called. A macro of a module has a name such as `__fft_rfft`.
    fn path(&self) -> String {
        let name = self.name.to_string();
        let Some(path) = name.strip_prefix("__") else { return name };
        // `distance_matrix` is a function of `spatial`.
        let is_nested =
            INNER_MODULES.iter().any(|module| path.starts_with(module)) && path != "spatial_distance_matrix";
        path.replacen('_', "::", if is_nested { 2 } else { 1 })
    }

    fn keywords(&self) -> impl Iterator<Item = &str> {
        self.positional.iter().chain(&self.others).map(String::as_str)
    }

    /// The keyword that was meant.
    fn meant(&self, given: &str) -> Option<&str> {
        let other = found(&OTHER_NAMES, given).and_then(|name| self.keywords().find(|keyword| *keyword == name));
        other.or_else(|| {
            let nearest = self.keywords().min_by_key(|keyword| distance(keyword, given))?;
            (distance(nearest, given) <= nearest.len().div_ceil(3)).then_some(nearest)
        })
    }

    /// The keywords in a sentence.
    fn listed(&self) -> String {
        let quoted: Vec<String> = self.keywords().map(|keyword| format!("`{keyword}`")).collect();
        match quoted.as_slice() {
            [] => "no keywords".to_owned(),
            [one] => format!("the keyword {one}"),
            [others @ .., last] => format!("the keywords {} and {last}", others.join(", ")),
        }
    }
}

/// An argument as it is written.
struct Argument {
    keyword: Option<Ident>,
    value: TokenStream,
}

impl Argument {
    fn of(tokens: Vec<TokenTree>) -> Argument {
        let is_equals = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == '=');
        match tokens.first() {
            Some(TokenTree::Ident(name)) if is_equals(1) && !is_equals(2) => {
                Argument { keyword: Some(name.clone()), value: tokens[2..].iter().cloned().collect() }
            }
            _ => Argument { keyword: None, value: tokens.into_iter().collect() },
        }
    }

    fn text(&self) -> String {
        let trees: Vec<TokenTree> = self.value.clone().into_iter().collect();
        let value = written(&trees).unwrap_or_else(|| self.value.to_string());
        let value = match (&self.keyword, value.as_str()) {
            (_, "True") => "true".to_owned(),
            (_, "False") => "false".to_owned(),
            (Some(keyword), _) if keyword == "dtype" => element_type(&value).map_or(value, str::to_owned),
            _ => value,
        };
        match &self.keyword {
            Some(keyword) => format!("{keyword} = {value}"),
            None => value,
        }
    }

    /// Where an error about the value is shown.
    fn place(&self) -> Span {
        let all = TokenTree::Group(Group::new(Delimiter::None, self.value.clone()));
        self.value
            .clone()
            .into_iter()
            .next()
            .map_or_else(|| self.keyword.as_ref().map_or_else(|| all.span(), Ident::span), |first| first.span())
    }
}

/// `np.float32` and `"float32"` in Rust.
fn element_type(text: &str) -> Option<&'static str> {
    let name = text.rsplit('.').next()?.trim_matches(['"', '\'', ' ']);
    found(&TYPES, name).or_else(|| TYPES.iter().map(|(_, ours)| *ours).find(|ours| *ours == name))
}

fn arguments(tokens: TokenStream) -> Vec<Argument> {
    let mut arguments = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while tokens.peek().is_some() {
        let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ',');
        arguments.push(Argument::of(tokens.by_ref().take_while(|tree| !is_comma(tree)).collect()));
    }
    arguments
}

/// The error for a call: `(sum [a] [axis] [dtype]) &m, axs = 0`.
pub fn wrong_call(call: TokenStream) -> TokenStream {
    let read = |input: ParseStream<'_>| Ok((input.parse::<Signature>()?, input.parse::<TokenStream>()?));
    match syn::parse::Parser::parse2(read, call) {
        Ok((signature, given)) => fault(&signature, arguments(given)).to_compile_error(),
        Err(error) => error.to_compile_error(),
    }
}

fn fault(signature: &Signature, mut arguments: Vec<Argument>) -> Error {
    let name = signature.path();
    let corrected = |arguments: &[Argument]| {
        format!("write `gpu::{name}!({})`", arguments.iter().map(Argument::text).collect::<Vec<_>>().join(", "))
    };
    let takes = signature.listed();
    for at in 0..arguments.len() {
        let Some(keyword) = arguments[at].keyword.clone() else { continue };
        if signature.keywords().any(|known| keyword == known) {
            if arguments[..at].iter().any(|argument| argument.keyword.as_ref() == Some(&keyword)) {
                arguments.remove(at);
                let text = format!("`{keyword}` is given twice; {}", corrected(&arguments));
                return Error::new(keyword.span(), text);
            }
            continue;
        }
        let place = signature.needed.iter().position(|needed| keyword == needed);
        if let Some(place) = place {
            let by_position = arguments.iter().filter(|argument| argument.keyword.is_none()).count();
            let by_name = arguments[..at].iter().any(|argument| argument.keyword.as_ref() == Some(&keyword));
            if by_name || place < by_position {
                arguments.remove(at);
                let text = format!("`{keyword}` is given twice; {}", corrected(&arguments));
                return Error::new(keyword.span(), text);
            }
            continue;
        }
        // The other names that are wrong are corrected in the line too.
        arguments.retain_mut(|argument| {
            let Some(keyword) = &argument.keyword else { return true };
            if signature.keywords().chain(signature.needed.iter().map(String::as_str)).any(|known| keyword == known) {
                return true;
            }
            let meant = signature.meant(&keyword.to_string()).map(|meant| Ident::new(meant, keyword.span()));
            argument.keyword = meant;
            argument.keyword.is_some()
        });
        let text = format!("`gpu::{name}!` has no keyword `{keyword}`; it takes {takes}; {}", corrected(&arguments));
        return Error::new(keyword.span(), text);
    }
    // A keyword that is given by name leaves no place for one by position.
    let most = signature.needed.len() + signature.positional.len();
    let values = arguments.iter().filter(|argument| argument.keyword.is_none()).count();
    let is_named =
        |name: &String| arguments.iter().any(|argument| argument.keyword.as_ref().is_some_and(|key| key == name));
    if let Some(missing) = signature.needed.iter().skip(values).find(|name| !is_named(name)) {
        let place = arguments.iter().position(|argument| argument.keyword.is_some()).unwrap_or(arguments.len());
        let value = Ident::new(missing, Span::call_site()).into_token_stream();
        let span = arguments.get(place).and_then(|argument| argument.keyword.as_ref()).map(Ident::span);
        arguments.insert(place, Argument { keyword: None, value });
        let text = format!("`gpu::{name}!` needs `{missing}`, which is not given; {}", corrected(&arguments));
        return Error::new(span.unwrap_or_else(Span::call_site), text);
    }
    if values > most {
        let too_many: Vec<usize> =
            (0..arguments.len()).filter(|&at| arguments[at].keyword.is_none()).skip(most).collect();
        let place = arguments[too_many[0]].place();
        for at in too_many.into_iter().rev() {
            arguments.remove(at);
        }
        let text = format!(
            "`gpu::{name}!` takes {most} value{} by position, and {takes}; {}",
            if most == 1 { "" } else { "s" },
            corrected(&arguments)
        );
        return Error::new(place, text);
    }
    for argument in &arguments {
        let is_type = argument.keyword.as_ref().is_some_and(|keyword| keyword == "dtype");
        let what = argument.keyword.as_ref().map_or_else(|| "this value".to_owned(), |keyword| format!("`{keyword}`"));
        if is_type && syn::parse2::<Type>(argument.value.clone()).is_err() {
            let text = format!("`dtype` is a type of Rust, such as `f32` or `i64`; {}", corrected(&arguments));
            return Error::new(argument.place(), text);
        }
        if !is_type && syn::parse2::<Expr>(argument.value.clone()).is_err() {
            return Error::new(
                argument.place(),
                format!("the value of {what} is not an expression of Rust; write one such as `0`"),
            );
        }
    }
    let keyword =
        |name: &str| arguments.iter().find(|argument| argument.keyword.as_ref().is_some_and(|key| key == name));
    if let (Some(keepdims), None) = (keyword("keepdims"), keyword("axis")) {
        let text =
            "without `axis`, `keepdims` must be `true` or `false` itself, because a number or an array follows from it";
        let value = keepdims.text();
        let ours = if value.ends_with("false") { "false" } else { "true" };
        let line = corrected(&arguments).replace(&value, &format!("keepdims = {ours}"));
        return Error::new(keepdims.place(), format!("{text}; {line}"));
    }
    let python = arguments.iter().find(|argument| matches!(argument.value.to_string().as_str(), "True" | "False"));
    if let Some(argument) = python {
        let text = format!(
            "`{}` is `{}` in Rust; {}",
            argument.value,
            argument.value.to_string().to_lowercase(),
            corrected(&arguments)
        );
        return Error::new(argument.place(), text);
    }
    let first = arguments.iter().find_map(|argument| argument.keyword.as_ref().map(Ident::span));
    let text = format!(
        "`gpu::{name}!` does not take these values together; {takes} are known; {}",
        corrected(&arguments[..signature.needed.len()])
    );
    Error::new(first.unwrap_or_else(Span::call_site), text)
}

/// The error for a word: `side ["left" "right"] "rigth"`.
pub fn wrong_word(input: TokenStream) -> TokenStream {
    let read = |input: ParseStream<'_>| -> Result<Error> {
        let keyword: Ident = input.parse()?;
        let list;
        bracketed!(list in input);
        let words: Vec<String> = list.parse::<TokenStream>()?.into_iter().map(|word| word.to_string()).collect();
        let given: TokenTree = input.parse()?;
        let text = given.to_string();
        let nearest = words.iter().min_by_key(|word| distance(word, &text)).cloned().unwrap_or_default();
        let text = format!("`{keyword}` is one of {}, not {text}; write `{keyword} = {nearest}`", words.join(", "));
        Ok(Error::new(given.span(), text))
    };
    syn::parse::Parser::parse2(read, input).unwrap_or_else(|error| error).to_compile_error()
}

#[cfg(test)]
mod tests;
