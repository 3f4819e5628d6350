//! The times that executed lessons have: what their metadata say, and the lines that their cells have printed about times.

use crate::notebook::page::rewrite::literal;
use crate::notebook::{code_cells, execution, outputs_of};
use nbformat::v4::{Notebook, Output};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

/// The most lines of a cell in a table. A cell that prints more has a table of its own.
const LINES: usize = 6;

/// One execution of one notebook.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub device: String,
    pub date: String,
    pub seconds: f64,
    /// The lines about times, by the identifiers of cells.
    cells: BTreeMap<String, Vec<String>>,
}

impl Run {
    /// None for a notebook that was not executed to its end.
    pub fn of(notebook: &Notebook) -> Option<Run> {
        let record = notebook.metadata.additional.get(execution::RECORD)?;
        let text = |key: &str| record.get(key).and_then(Value::as_str).map(str::to_owned);
        if record.get("failed").is_some() {
            return None;
        }
        let time = Regex::new(r"(?:^|[\s(:])\d[\d.,]* ?(?:ns|μs|µs|ms|s)(?:[\s,;:)]|$)").ok()?;
        let lines = |outputs: &[Output]| -> Vec<String> {
            let texts = outputs.iter().filter_map(|output| match output {
                Output::Stream { text, .. } => Some(text.0.as_str()),
                _ => None,
            });
            let lines = texts.flat_map(str::lines).filter(|line| time.is_match(line));
            // The numbers of runs and loops are on the page above.
            lines.map(|line| line.split(" per loop (mean").next().unwrap_or(line).trim().to_owned()).collect()
        };
        let cells = code_cells(notebook).map(|(_, cell)| (cell.id().to_string(), lines(outputs_of(cell))));
        Some(Run {
            device: text("device").filter(|device| !device.is_empty()).unwrap_or_else(|| "unknown device".to_owned()),
            date: text("executed")?,
            seconds: record.get("seconds").and_then(Value::as_f64)?,
            cells: cells.filter(|(_, lines)| !lines.is_empty()).collect(),
        })
    }

    /// The device and the date, as the head of a column.
    pub fn head(&self) -> String {
        literal(&format!("{}, {}", self.device, self.date))
    }
}

/// A table of what cells have printed about times: a row for each of `cells` (its identifier and its first line) of which one of the runs
/// has a time, and a column for each run. Empty if no cell has one.
pub fn table(cells: &[(String, String)], runs: &[&Run]) -> String {
    let lines_of = |run: &Run, id: &str| -> String {
        let lines = run.cells.get(id).map(Vec::as_slice).unwrap_or_default();
        let shown = lines.iter().take(LINES).map(|line| literal(line));
        let more = (lines.len() > LINES).then(|| "…".to_owned());
        shown.chain(more).collect::<Vec<_>>().join("<br>")
    };
    let mut rows = String::new();
    for (id, line) in cells {
        let columns: Vec<String> = runs.iter().map(|run| lines_of(run, id)).collect();
        if columns.iter().any(|column| !column.is_empty()) {
            rows += &format!("| {}<br><code>{}</code> | {} |\n", literal(id), literal(line), columns.join(" | "));
        }
    }
    if rows.is_empty() {
        return rows;
    }
    let heads: Vec<String> = runs.iter().map(|run| run.head()).collect();
    format!("| cell | {} |\n|---|{}\n{rows}", heads.join(" | "), "---|".repeat(runs.len()))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::notebook::tests::notebook;
    use serde_json::json;

    /// A notebook that was executed on a device, with what its cells have printed.
    pub fn executed(device: &str, cells: &[(&str, &str)]) -> Notebook {
        let cells: Vec<_> = cells
            .iter()
            .map(|(id, text)| {
                let output = json!([{ "output_type": "stream", "name": "stdout", "text": text }]);
                (*id, "f();", json!({}), output)
            })
            .collect();
        let mut notebook = notebook(&cells);
        let record = json!({ "device": device, "executed": "2026-11-29", "seconds": 4.5, "cells": [] });
        notebook.metadata.additional.insert(execution::RECORD.to_owned(), record);
        notebook
    }

    #[test]
    fn lines_with_times_are_found_and_others_are_not() {
        let text = "43 ms ± 3.98 ms per loop (mean ± std. dev. of 7 runs, 5 loops each)\nhost: dot  13.51 ms\n2 samples\n1.5 GB/s\ncall 1: 5s\n";
        let run = Run::of(&executed("CPU", &[("a", text), ("b", "nothing")])).unwrap();
        let lines = ["43 ms ± 3.98 ms", "host: dot  13.51 ms", "call 1: 5s"].map(str::to_owned).to_vec();
        assert_eq!(run.cells, BTreeMap::from([("a".to_owned(), lines)]));
    }

    #[test]
    fn runs_stand_side_by_side() {
        let [cpu, gpu] = [("CPU", "4 ms\n"), ("GPU", "90 μs\n")]
            .map(|(device, text)| Run::of(&executed(device, &[("a", text), ("c", "9")])).unwrap());
        let cells = ["a", "c"].map(|id| (id.to_owned(), "f()".to_owned()));
        let expected = "| cell | CPU&#44; 2026&#45;11&#45;29 | GPU&#44; 2026&#45;11&#45;29 |\n|---|---|---|\n\
                        | a<br><code>f&#40;&#41;</code> | 4 ms | 90 μs |\n";
        assert_eq!(table(&cells, &[&cpu, &gpu]), expected);
        assert_eq!(table(&cells[1..], &[&cpu, &gpu]), "");
    }

    #[test]
    fn what_was_not_executed_to_its_end_is_no_run() {
        let mut failed = executed("CPU", &[("a", "4 ms")]);
        failed.metadata.additional.get_mut(execution::RECORD).unwrap()["failed"] = json!("a");
        assert_eq!(Run::of(&failed), None);
        assert_eq!(Run::of(&notebook(&[("a", "1", json!({}), json!([]))])), None);
    }
}
