//! Notebooks as files, and what `warpcell run` and `warpcell test` do with them: they execute their cells in a kernel, as Jupyter's
//! clients do, without Python.

pub mod commands;
pub mod execution;
pub mod expectations;
pub mod export;
pub mod page;

mod client;
mod comparison;
mod outputs;
mod parameters;
mod report;
mod tables;

use crate::files;
use anyhow::{Context, Result, anyhow, bail};
use jupyter_protocol::media::{Media, MediaType};
use nbformat::Notebook as Parsed;
use nbformat::v4::{Cell, CellId, ErrorOutput, Notebook, Output};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

/// What is wrong with a cell, or with the notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The cell's index; that of no cell if it is about the notebook.
    pub cell: usize,
    /// The text for a person.
    pub text: String,
}

impl Finding {
    /// Of the notebook as a whole.
    pub fn of_notebook(text: String) -> Self {
        Self { cell: usize::MAX, text }
    }
}

/// Reads a notebook of any version from 3 on. Older ones come as 4.5, in which cells have identifiers.
pub fn read(path: &Path) -> Result<Notebook> {
    parse(&files::read(path)?).with_context(|| format!("{} is not a notebook that can be read", path.display()))
}

/// Reads the text of a notebook.
pub fn parse(text: &str) -> Result<Notebook> {
    let mut json: Value = serde_json::from_str(text)?;
    complete(&mut json);
    for sheet in json.get_mut("worksheets").and_then(Value::as_array_mut).into_iter().flatten() {
        complete(sheet);
    }
    // The error's own text has its cause already.
    let parsed = nbformat::parse_notebook(&json.to_string()).map_err(|error| anyhow!("{error}"))?;
    Ok(match parsed {
        Parsed::V4(notebook) => notebook,
        Parsed::V4QuirksMode(quirks) => quirks.repair(),
        Parsed::Legacy(old) => nbformat::upgrade_legacy_notebook(old)?,
        Parsed::V3(old) => nbformat::upgrade_v3_notebook(old)?,
        _ => bail!("its version is not known"),
    })
}

/// Adds what the format asks for and programs that write notebooks leave out, and takes out identifiers that two cells have, or that
/// are none: such cells get new ones.
fn complete(notebook: &mut Value) {
    let set = |value: &mut Value, key: &str, new: Value| {
        if let Value::Object(fields) = value {
            fields.entry(key).or_insert(new);
        }
    };
    set(notebook, "metadata", json!({}));
    let mut seen = HashSet::new();
    for cell in notebook.get_mut("cells").and_then(Value::as_array_mut).into_iter().flatten() {
        set(cell, "metadata", json!({}));
        if cell["cell_type"] == "code" {
            set(cell, "outputs", json!([]));
            set(cell, "execution_count", Value::Null);
        }
        for output in cell.get_mut("outputs").and_then(Value::as_array_mut).into_iter().flatten() {
            if output.get("data").is_some() {
                set(output, "metadata", json!({}));
            }
            // Tools that take counts out of notebooks leave a null.
            if output.get("execution_count").is_some_and(Value::is_null) {
                output["execution_count"] = 0.into();
            }
        }
        let id = cell.get("id").and_then(Value::as_str).and_then(|id| CellId::new(id).ok());
        if let (Value::Object(fields), false) = (cell, id.is_some_and(|id| seen.insert(id))) {
            fields.remove("id");
        }
    }
}

/// Writes a notebook as Jupyter does: indented by one space, its keys sorted.
pub fn write(path: &Path, notebook: &Notebook) -> Result<()> {
    files::replace_as_usual(path, text(notebook)?)
}

/// A notebook's text, indented by one space, its keys sorted.
pub fn text(notebook: &Notebook) -> Result<String> {
    Ok(nbformat::serialize_notebook(&Parsed::V4(notebook.clone()))?)
}

/// A cell's text.
pub fn source(cell: &Cell) -> String {
    cell.source().concat()
}

/// The language of a notebook's kernel, if it says one.
pub fn language(notebook: &Notebook) -> Option<&str> {
    let metadata = &notebook.metadata;
    let of_kernel = metadata.kernelspec.as_ref().and_then(|kernel| kernel.language.as_deref());
    of_kernel.or(metadata.language_info.as_ref().map(|language| language.name.as_str()))
}

/// The tag of a cell that is meant to fail.
pub const FAILS: &str = "raises-exception";
/// The tag of a cell that is not executed, as nbclient has it.
pub const SKIPPED: &str = "skip-execution";

/// Whether a cell has a tag, such as `raises-exception`.
pub fn has_tag(cell: &Cell, tag: &str) -> bool {
    cell.metadata().tags.iter().flatten().any(|one| one == tag)
}

/// The cells that are executed, and their indices: those with code that is not empty, and without the tag that says otherwise.
pub fn code_cells(notebook: &Notebook) -> impl Iterator<Item = (usize, &Cell)> {
    let is_code =
        |cell: &Cell| matches!(cell, Cell::Code { .. }) && !source(cell).trim().is_empty() && !has_tag(cell, SKIPPED);
    notebook.cells.iter().enumerate().filter(move |(_, cell)| is_code(cell))
}

/// The outputs of a cell.
pub fn outputs_of(cell: &Cell) -> &[Output] {
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

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The number and the identifier of a cell, as messages name it.
fn name_of(notebook: &Notebook, cell: usize) -> String {
    match notebook.cells.get(cell) {
        Some(found) => format!("cell {} ({})", cell + 1, found.id()),
        None => "the notebook".to_owned(),
    }
}

/// The first line of a cell that says something.
pub fn headline(cell: &Cell) -> String {
    const LONGEST: usize = 60;
    let text = source(cell);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(LONGEST).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

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
    fn what_programs_leave_out_is_added() {
        let shown = json!({ "output_type": "display_data", "data": { "text/plain": "1" } });
        let cells = json!([
            { "cell_type": "markdown", "source": "# A" },
            { "cell_type": "code", "source": "1", "id": "a" },
            { "cell_type": "code", "source": "2", "id": "a", "outputs": [shown] },
            { "cell_type": "code", "source": "3", "id": "not one" },
        ]);
        let notebook = parse(&json!({ "nbformat": 4, "nbformat_minor": 5, "cells": cells }).to_string()).unwrap();
        assert_eq!(notebook.cells.iter().map(source).collect::<Vec<_>>(), ["# A", "1", "2", "3"]);
        assert_eq!((notebook.cells[1].id().as_str(), outputs_of(&notebook.cells[2]).len()), ("a", 1));
        assert!(notebook.cells[2..].iter().all(|cell| uuid::Uuid::parse_str(cell.id().as_str()).is_ok()));
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
