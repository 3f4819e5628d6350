//! Notebooks for the unit tests.

use crate::notebook::parse;
use nbformat::v4::Notebook;
use serde_json::{Value, json};

/// A notebook of cells: the type, the text, and what else they have.
pub fn notebook(language: &str, cells: &[(&str, &str, Value)]) -> Notebook {
    let cells: Vec<Value> = cells
        .iter()
        .enumerate()
        .map(|(index, (kind, source, more))| {
            let mut cell = json!({"cell_type": kind, "id": format!("c{index}"), "source": source, "metadata": {}});
            if *kind == "code" {
                cell["outputs"] = json!([]);
                cell["execution_count"] = json!(null);
            }
            for (name, value) in more.as_object().into_iter().flatten() {
                cell[name] = value.clone();
            }
            cell
        })
        .collect();
    let kernel = json!({"name": "warpcell", "display_name": "Rust GPU", "language": language});
    let notebook = json!({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells});
    parse(&notebook.to_string()).unwrap()
}
