//! Documentation of a path: for the tooltip of a front end, and for `name?`.

use crate::evaluator::doc_pages::{self, Page};
use crate::evaluator::numpy_names;
use crate::evaluator::open_call;
use crate::magics::items_named;
use crate::syntax::{is_keyword, is_word};
use evcxr::CommandContext;
use serde_json::{Map, Value};

/// What rust-analyzer knows of a path, and what the table of NumPy's names has about it, by MIME type. `known` is code with the
/// definitions that the context does not have.
pub fn of(known: &str, path: &str, context: &mut CommandContext) -> Option<Map<String, Value>> {
    let page = page(known, path, context)?;
    Some(by_type(match numpy_names::of_ours(last_path(path)) {
        Some(names) => page.with(names),
        None => page,
    }))
}

/// The path at the end of code.
fn last_path(code: &str) -> &str {
    let is_path = |character: char| is_word(character) || matches!(character, ':' | '.');
    &code[code.trim_end_matches(is_path).len()..]
}

/// Where the methods of arrays are.
const METHODS: &str = "gpu::DeviceArray::<f64>::";

fn page(known: &str, path: &str, context: &mut CommandContext) -> Option<Page> {
    // `np.where` is no name of Rust's: its last word is one of the language.
    let name = last_path(path);
    if name.rsplit_once('.').is_some_and(|(_, word)| is_keyword(word))
        && let Some(page) = of_numpy(known, name, context)
    {
        return Some(page);
    }
    // rust-analyzer knows a method only where it is called.
    let found = ["", "("].into_iter().find_map(|call| {
        let code = format!("{known}{path}{call}");
        let found = context.hover_at(&code, code.len()).ok()?;
        (!found.0.trim().is_empty() && found.0 != "No documentation found").then_some(found)
    });
    let Some((plain, html)) = found else { return of_numpy(known, last_path(path), context) };
    let page = Page::new(&plain, &html);
    // The documentation of functions that a macro makes is not known. The methods of these names have it.
    let name = path.rsplit_once("gpu::").map(|(_, name)| name).filter(|_| !page.is_explained());
    let method = name.filter(|name| name.chars().all(is_word)).and_then(|name| method(known, name, context));
    Some(match method {
        Some(method) => page.explained_by(&method),
        None => page,
    })
}

/// The documentation of a method of arrays.
fn method(known: &str, name: &str, context: &mut CommandContext) -> Option<Page> {
    let code = format!("{known}{METHODS}{name}");
    let (plain, html) = context.hover_at(&code, code.len()).ok()?;
    Some(Page::new(&plain, &html)).filter(Page::is_explained)
}

/// What a name of NumPy is here, and the documentation of our function.
fn of_numpy(known: &str, name: &str, context: &mut CommandContext) -> Option<Page> {
    let (names, ours) = numpy_names::of_theirs(name)?;
    let documentation = ours.and_then(|ours| match ours.strip_prefix('.') {
        Some(name) => method(known, name, context),
        None => page(known, &ours, context),
    });
    Some(match documentation {
        Some(documentation) => names.with(documentation),
        None => names,
    })
}

fn by_type(page: Page) -> Map<String, Value> {
    Map::from_iter([
        ("text/plain".to_owned(), Value::from(page.plain)),
        ("text/html".to_owned(), Value::from(page.html)),
    ])
}

/// The documentation of the call that the cursor is in, in short or whole. `known` is code with the definitions that
/// the context does not have.
pub fn of_call(
    known: &str,
    code: &str,
    cursor: usize,
    is_whole: bool,
    context: &mut CommandContext,
) -> Option<Map<String, Value>> {
    let mut found: Option<Page> = None;
    for call in open_call::at(code, cursor) {
        let page = match call.callee.strip_suffix('!') {
            Some(function) => match doc_pages::of_macro(&call.callee) {
                Some(page) => Some(page),
                None => page(known, function, context),
            },
            None => page(known, &call.callee, context)
                .or_else(|| page(known, &format!("{}{}", finished(code, call.start), call.callee), context)),
        };
        let page = page.map(|page| if is_whole { page } else { page.short() });
        // The part of an array is an argument itself.
        let is_part = call.callee == "s!";
        found = match (found, page) {
            (Some(inner), Some(page)) => Some(inner.with(page)),
            (inner, page) => inner.or(page),
        };
        if found.is_some() && !is_part {
            break;
        }
    }
    found.map(by_type)
}

/// The statements of a cell that end before a place.
fn finished(code: &str, place: usize) -> &str {
    code[..place].rfind(';').map_or("", |end| &code[..=end])
}

/// The parameters and the result of the function `name` behind the code `before`: `(x: &A, axis: usize) -> f64`.
pub fn signature(before: &str, name: &str, context: &mut CommandContext) -> Option<String> {
    let called = format!("{before}{name}(");
    let (text, _) = context.hover_at(&called, called.len()).ok()?;
    signature_in(&text, name).map(str::to_owned)
}

fn signature_in<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let head = format!("fn {name}");
    let is_head = |line: &&str| {
        line.split_once(&head)
            .is_some_and(|(before, after)| after.starts_with(['(', '<']) && !before.trim_start().starts_with("//"))
    };
    let after = text.lines().find(is_head)?.split_once(&head)?.1;
    let start = if after.starts_with('<') { end_of_generics(after)? } else { 0 };
    let signature = after[start..].trim_end().trim_end_matches(['{', ';', ',']).trim_end();
    // The rest of a signature of several lines is in the documentation.
    let is_whole = signature.starts_with('(') && signature.matches('(').count() == signature.matches(')').count();
    is_whole.then_some(signature)
}

/// The end of the generic parameters at the start of a text.
fn end_of_generics(text: &str) -> Option<usize> {
    let (mut depth, mut before) = (0, ' ');
    for (index, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
        before = character;
    }
    None
}

/// Adds a source to documentation.
pub fn add_source(data: &mut Map<String, Value>, source: &str) {
    let escaped = doc_pages::escaped(source);
    for (mime_type, addition) in [
        ("text/plain", format!("\n\nSource:\n\n{source}")),
        ("text/html", format!("<pre><code>{escaped}</code></pre>")),
    ] {
        let known = data.get(mime_type).and_then(Value::as_str).unwrap_or_default();
        data.insert(mime_type.to_owned(), Value::from(format!("{}{addition}", known.trim_end()).trim_start()));
    }
}

/// The texts of the cells that have run and define something.
#[derive(Default)]
pub struct DefinitionSources {
    cells: Vec<String>,
}

impl DefinitionSources {
    /// Keeps a cell that may define something.
    pub fn keep(&mut self, cell: &str) {
        const DEFINING: [&str; 10] =
            ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules!", "union", "use"];
        if cell.split_whitespace().any(|word| DEFINING.contains(&word)) {
            self.cells.push(cell.to_owned());
        }
    }

    /// The last definition of a name, with the `impl` blocks of the same cell.
    pub fn of(&self, name: &str) -> Option<String> {
        let found = self.cells.iter().rev().map(|cell| items_named(cell, name)).find(|items| !items.is_empty());
        found.map(|items| items.join("\n\n"))
    }

    /// The cells, in the order in which they have run.
    pub fn cells(&self) -> &[String] {
        &self.cells
    }

    /// Forgets everything, as `:clear` does.
    pub fn clear(&mut self) {
        self.cells.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_definition_counts() {
        let mut sources = DefinitionSources::default();
        sources.keep("fn f() -> i32 { 1 }");
        sources.keep("/// Doubles.\nfn f() -> i32 { 2 }\nstruct S; impl S { fn g() {} }\nlet x = 3;");
        sources.keep("f()");
        assert_eq!(sources.of("f").as_deref(), Some("/// Doubles.\nfn f() -> i32 { 2 }"));
        assert_eq!(sources.of("S").as_deref(), Some("struct S;\n\nimpl S { fn g() {} }"));
        assert_eq!(sources.of("x"), None);
        sources.clear();
        assert_eq!(sources.of("f"), None);
    }

    #[test]
    fn a_path_ends_the_code() {
        assert_eq!(last_path("let x = 1;\nnp.linalg.svd"), "np.linalg.svd");
        assert_eq!(last_path("gpu::sort"), "gpu::sort");
        assert_eq!(last_path("f(ä.x"), "ä.x");
        assert_eq!(last_path("f("), "");
    }

    #[test]
    fn signatures_are_found_in_documentation() {
        let text = "warpcell\n\npub fn map<F: Fn(f64) -> f64, T>(f: F, x: &[T]) -> Vec<T>\nwhere\n    T: Copy,\n\n___\n\nfn map2()";
        assert_eq!(signature_in(text, "map"), Some("(f: F, x: &[T]) -> Vec<T>"));
        assert_eq!(signature_in(text, "map2"), Some("()"));
        assert_eq!(signature_in(text, "ma"), None);
        assert_eq!(signature_in("fn f(\n    x: i32,\n) -> i32", "f"), None);
    }

    #[test]
    fn a_source_is_shown_below_the_documentation() {
        let mut data = Map::from_iter([("text/plain".to_owned(), Value::from("fn f()"))]);
        add_source(&mut data, "fn f<T>() {}");
        assert_eq!(data["text/plain"], "fn f()\n\nSource:\n\nfn f<T>() {}");
        assert_eq!(data["text/html"], "<pre><code>fn f&lt;T&gt;() {}</code></pre>");
    }
}
