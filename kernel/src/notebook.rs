//! Notebooks as files, and what `warpcell run` and `warpcell test` do with them: they execute their cells in a kernel, as Jupyter's
//! clients do, without Python.

pub mod commands;
pub mod export;

mod client;
mod comparison;
mod execution;
mod expectations;
mod outputs;
mod page;
mod parameters;
mod report;
mod tables;

use crate::files;
use anyhow::{Context, Result, bail};
use jupyter_protocol::media::{Media, MediaType};
use nbformat::Notebook as Parsed;
use nbformat::v4::{Cell, ErrorOutput, Notebook, Output};
use std::path::Path;

/// What is wrong with a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The cell's index.
    pub cell: usize,
    /// The text for a person.
    pub text: String,
}

/// Reads a notebook of any version from 3 on. Older ones come as 4.5, in which cells have identifiers.
pub fn read(path: &Path) -> Result<Notebook> {
    parse(&files::read(path)?).with_context(|| format!("{} is not a notebook that can be read", path.display()))
}

/// Reads the text of a notebook.
pub fn parse(text: &str) -> Result<Notebook> {
    Ok(match nbformat::parse_notebook(text)? {
        Parsed::V4(notebook) => notebook,
        Parsed::V4QuirksMode(quirks) => quirks.repair(),
        Parsed::Legacy(old) => nbformat::upgrade_legacy_notebook(old)?,
        Parsed::V3(old) => nbformat::upgrade_v3_notebook(old)?,
        _ => bail!("its version is not known"),
    })
}

/// Writes a notebook as Jupyter does: indented by one space, its keys sorted.
pub fn write(path: &Path, notebook: &Notebook) -> Result<()> {
    files::replace_for_all(path, nbformat::serialize_notebook(&Parsed::V4(notebook.clone()))?)
}

/// A cell's text.
pub fn source(cell: &Cell) -> String {
    cell.source().concat()
}

/// Whether a cell has a tag, such as `raises-exception`.
pub fn has_tag(cell: &Cell, tag: &str) -> bool {
    cell.metadata().tags.iter().flatten().any(|one| one == tag)
}

/// The cells with code that is not empty, and their indices.
pub fn code_cells(notebook: &Notebook) -> impl Iterator<Item = (usize, &Cell)> {
    let is_code = |cell: &Cell| matches!(cell, Cell::Code { .. }) && !source(cell).trim().is_empty();
    notebook.cells.iter().enumerate().filter(move |(_, cell)| is_code(cell))
}

/// The outputs of a cell.
fn outputs_of(cell: &Cell) -> &[Output] {
    match cell {
        Cell::Code { outputs, .. } => outputs,
        Cell::Markdown { .. } | Cell::Raw { .. } => &[],
    }
}

/// The errors among the outputs of a cell.
fn errors_of(cell: &Cell) -> impl Iterator<Item = &ErrorOutput> {
    outputs_of(cell).iter().filter_map(|output| if let Output::Error(error) = output { Some(error) } else { None })
}

/// The representations of an output that has several.
fn media_of(output: &Output) -> Option<&Media> {
    match output {
        Output::DisplayData(display) => Some(&display.data),
        Output::ExecuteResult(result) => Some(&result.data),
        Output::Stream { .. } | Output::Error(_) => None,
    }
}

/// What an output is as text.
fn text_of(output: &Output) -> String {
    if let Output::Stream { text, .. } = output {
        return text.0.clone();
    }
    let kinds = media_of(output).into_iter().flat_map(|media| &media.content);
    kinds.filter_map(|kind| if let MediaType::Plain(text) = kind { Some(text.as_str()) } else { None }).collect()
}

/// A text without the colours of a terminal.
fn plain(text: &str) -> String {
    strip_ansi_escapes::strip_str(text)
}

/// The number and the identifier of a cell, as messages name it.
fn name_of(notebook: &Notebook, cell: usize) -> String {
    match notebook.cells.get(cell) {
        Some(found) => format!("cell {} ({})", cell + 1, found.id()),
        None => format!("cell {}", cell + 1),
    }
}

/// The first line of a cell that says something.
fn headline(cell: &Cell) -> String {
    const LONGEST: usize = 60;
    let text = source(cell);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(LONGEST).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A notebook of code cells: the identifier, the code, the metadata and the outputs of each.
    pub fn notebook(cells: &[(&str, &str, Value, Value)]) -> Notebook {
        let cells: Vec<Value> = cells
            .iter()
            .map(|(id, source, metadata, outputs)| {
                json!({
                    "cell_type": "code", "id": id, "source": source, "metadata": metadata, "outputs": outputs,
                    "execution_count": null,
                })
            })
            .collect();
        parse(&json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells }).to_string()).unwrap()
    }

    #[test]
    fn a_notebook_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ipynb");
        let lesson = include_str!("../../lessons/07-inside-a-kernel.ipynb");
        write(&path, &parse(lesson).unwrap()).unwrap();
        let both: [Value; 2] = [lesson, &files::read(&path).unwrap()].map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(both[0], both[1]);
    }

    #[test]
    fn older_notebooks_are_read_and_other_files_are_not() {
        let old = json!({
            "nbformat": 4, "nbformat_minor": 2, "metadata": {},
            "cells": [{ "cell_type": "code", "source": "1 + 1", "metadata": {}, "outputs": [], "execution_count": 1 }],
        });
        let notebook = parse(&old.to_string()).unwrap();
        assert_eq!((notebook.nbformat_minor, source(&notebook.cells[0]).as_str()), (5, "1 + 1"));
        for text in ["", "# a text", "{}", "[]", r#"{"nbformat": 9, "nbformat_minor": 0}"#] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
