//! The page of a notebook: one HTML file that needs no network. Code has its colours, formulas are MathML, and the pictures are in
//! the file. There is no script in it, except those of the notebook's own outputs.

mod escape;
mod formulas;
mod highlight;
mod links;
mod markdown;
mod outputs;
pub mod rewrite;
mod terminal;
mod texts;

pub use escape::escaped;

use self::links::Places;
use self::markdown::{Origin, Shared};
use super::{has_tag, language, source};
use crate::files;
use anyhow::{Context as _, Result};
use escape::escape;
use nbformat::v4::{Cell, CellMetadata, Notebook};
use std::path::Path;

const STYLE: &str = include_str!("page/style.css");

/// A notebook with its outputs as HTML. Pictures, notebooks and texts that its text names are looked for in `folder`.
pub fn page(notebook: &Notebook, folder: &Path) -> String {
    formulas::with_room(|| made(notebook, folder))
}

fn made(notebook: &Notebook, folder: &Path) -> String {
    let mut shared = Shared::default();
    let is_rust = language(notebook).is_none_or(|name| name.eq_ignore_ascii_case("rust"));
    let mut body = String::new();
    for cell in &notebook.cells {
        cell_into(&mut body, cell, is_rust, folder, &mut shared);
    }
    body += &texts::sections(folder, &mut shared);
    document(&title(notebook).unwrap_or_else(|| "Notebook".to_owned()), &body)
}

/// The first heading of a notebook, one of the first level if there is one.
pub fn title(notebook: &Notebook) -> Option<String> {
    let texts = notebook.cells.iter().filter(|cell| matches!(cell, Cell::Markdown { .. }));
    let headings: Vec<(usize, String)> = texts.flat_map(|cell| markdown::headings(&source(cell))).collect();
    let first = headings.iter().find(|(level, _)| *level == 1).or(headings.first());
    first.map(|(_, text)| text.clone()).filter(|text| !text.is_empty())
}

/// Copies the pictures that a notebook's texts name from its folder to that of a copy of it. Those that are neither in the folder
/// nor below it are left out, and files that are there already stay.
pub fn carry_pictures(notebook: &Notebook, from: &Path, to: &Path) -> Result<()> {
    let places = Places { folder: from, attachments: None };
    for cell in notebook.cells.iter().filter(|cell| matches!(cell, Cell::Markdown { .. })) {
        for address in markdown::pictures(&source(cell)) {
            let Some(name) = places.picture_below(&address) else { continue };
            let copy = to.join(&name);
            if !copy.exists() {
                files::create_folder(copy.parent().unwrap_or(to))?;
                std::fs::copy(from.join(&name), &copy)
                    .with_context(|| format!("{} cannot be written", copy.display()))?;
            }
        }
    }
    Ok(())
}

/// A page with the look of all pages; `body` is HTML.
pub fn document(title: &str, body: &str) -> String {
    let title = escaped(title);
    let head = "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n{head}\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         {body}</main>\n</body>\n</html>\n"
    )
}

fn cell_into(html: &mut String, cell: &Cell, is_rust: bool, folder: &Path, shared: &mut Shared) {
    if has_tag(cell, "remove-cell") {
        return;
    }
    let (text, id) = (source(cell), cell.id().as_str());
    let attachments = match cell {
        Cell::Markdown { attachments, .. } => attachments.as_ref(),
        Cell::Code { .. } | Cell::Raw { .. } => None,
    };
    let origin = Origin { places: Places { folder, attachments }, cell: id, is_output: false, text: None };
    let kind = match cell {
        Cell::Markdown { .. } => "text",
        Cell::Code { .. } => "code",
        Cell::Raw { .. } => "raw",
    };
    let mut inside = String::new();
    match cell {
        Cell::Markdown { .. } => {
            inside += "<div class=\"words\">\n";
            inside += &markdown::to_html(&text, origin, shared);
            inside += "</div>\n";
        }
        Cell::Code { execution_count, outputs, .. } => {
            let shown = outputs::html(outputs, origin, shared);
            if text.trim().is_empty() && shown.is_empty() {
                return;
            }
            if !has_tag(cell, "remove-input") {
                let number = execution_count.map_or(" ".to_owned(), |number| number.to_string());
                input_into(&mut inside, &number, &text, is_rust, is_source_hidden(cell));
            }
            if !shown.is_empty() && !has_tag(cell, "remove-output") {
                match are_outputs_hidden(cell) {
                    true => folded_into(&mut inside, "Output", &format!("<div class=\"rows\">{shown}</div>")),
                    false => inside += &shown,
                }
            }
        }
        // For another format, unless it says that it is HTML.
        Cell::Raw { metadata, .. } if is_html(metadata) => inside += &text,
        Cell::Raw { .. } => {
            inside += "<pre>\n";
            escape(&mut inside, &text);
            inside += "</pre>\n";
        }
    }
    *html += &format!("<section class=\"cell {kind}\" id=\"cell-{}\">\n", escaped(id));
    html.push_str(&inside);
    html.push_str("</section>\n");
}

fn input_into(html: &mut String, number: &str, code: &str, is_rust: bool, is_hidden: bool) {
    let is_rust = is_rust || code.starts_with("%%rust");
    let coloured = if is_rust { highlight::cell(code.trim_end()) } else { escaped(code.trim_end()) };
    let panel = format!("<pre class=\"source\"><code>{coloured}</code></pre>\n");
    *html += &format!("<div class=\"prompt\">[{number}]:</div>");
    match is_hidden {
        true => folded_into(html, "Code", &panel),
        false => html.push_str(&panel),
    }
}

/// What a reader opens.
fn folded_into(html: &mut String, name: &str, inside: &str) {
    *html += &format!("<details class=\"folded\"><summary>{name}</summary>\n{inside}</details>\n");
}

fn is_source_hidden(cell: &Cell) -> bool {
    let jupyter = cell.metadata().jupyter.as_ref();
    has_tag(cell, "hide-input")
        || has_tag(cell, "hide-cell")
        || jupyter.and_then(|metadata| metadata.source_hidden) == Some(true)
}

fn are_outputs_hidden(cell: &Cell) -> bool {
    let jupyter = cell.metadata().jupyter.as_ref();
    has_tag(cell, "hide-output")
        || has_tag(cell, "hide-cell")
        || cell.metadata().collapsed == Some(true)
        || jupyter.and_then(|metadata| metadata.outputs_hidden) == Some(true)
}

fn is_html(metadata: &CellMetadata) -> bool {
    let kind = metadata.additional.get("raw_mimetype").and_then(|kind| kind.as_str()).or(metadata.format.as_deref());
    kind == Some("text/html")
}

#[cfg(test)]
mod tests;
