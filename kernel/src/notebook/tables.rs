//! What executed notebooks of a folder say about their runs: tables of times, and an index of the pages. It is in a notebook's
//! metadata, under `warpcell`: the device, the date, the seconds of all and of each cell, and which cell failed.

use super::page::{self, escaped};
use crate::files;
use anyhow::{Context, Result};
use nbformat::v4::Notebook;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Cells of a notebook in the tables.
const SLOWEST: usize = 3;

/// Writes `times.json` and `times.md` of the notebooks in a folder, and with `pages` the page of each notebook and an `index.html`.
/// `sources` are the notebooks that were executed: pictures that a text names are beside them. What cannot be read is left out. Gives
/// the paths of the files.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, sources: &[PathBuf], with_pages: bool) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = files::paths_in(folder)
        .filter(|path| path.extension().is_some_and(|end| end == "ipynb") && path.is_file())
        .collect();
    paths.sort_unstable();
    let (mut runs, mut written) = (Vec::new(), Vec::new());
    let mut write = |name: String, text: String| -> Result<()> {
        let path = folder.join(name);
        files::replace_as_usual(&path, text)?;
        written.push(path);
        Ok(())
    };
    let mut pages = Vec::new();
    for path in &paths {
        let Ok(notebook) = super::read(path) else { continue };
        let name = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .with_context(|| format!("{} is not UTF-8", path.display()))?;
        runs.extend(Run::of(&notebook, name));
        if with_pages {
            let source = sources.iter().find(|source| source.file_name() == path.file_name());
            let beside = source.map_or(folder, |source| super::folder_of(source));
            pages.push((format!("{name}.html"), page::page(&notebook, beside)));
        }
    }
    write("times.json".to_owned(), json(&runs)?)?;
    write("times.md".to_owned(), markdown(&runs))?;
    for (name, text) in pages {
        write(name, text)?;
    }
    if with_pages {
        write("index.html".to_owned(), index(&runs))?;
    }
    Ok(written)
}

/// One executed notebook.
struct Run {
    /// The name of its file, without its end.
    lesson: String,
    title: String,
    /// What its metadata say.
    record: Map<String, Value>,
}

impl Run {
    /// None for a notebook that was not executed.
    fn of(notebook: &Notebook, lesson: &str) -> Option<Run> {
        let record =
            notebook.metadata.additional.get("warpcell")?.as_object().filter(|record| !record.is_empty())?.clone();
        let title = page::title(notebook).unwrap_or_else(|| lesson.to_owned());
        Some(Run { lesson: lesson.to_owned(), title, record })
    }

    fn text(&self, key: &str) -> &str {
        self.record.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn device(&self) -> &str {
        Some(self.text("device")).filter(|device| !device.is_empty()).unwrap_or("unknown")
    }

    /// The cells that took longest, and their seconds.
    fn slowest(&self) -> Vec<(&str, f64)> {
        let cells = self.record.get("cells").and_then(Value::as_array).into_iter().flatten();
        let mut cells: Vec<(&str, f64)> =
            cells.filter_map(|cell| Some((cell.get("id")?.as_str()?, cell.get("seconds")?.as_f64()?))).collect();
        cells.sort_by(|one, other| other.1.total_cmp(&one.1));
        cells.truncate(SLOWEST);
        cells
    }

    /// The seconds, or where it ended.
    fn result(&self) -> String {
        match self.text("failed") {
            "" => self
                .record
                .get("seconds")
                .and_then(Value::as_f64)
                .map_or(String::new(), |seconds| format!("{seconds:.1}")),
            cell => format!("failed at {cell}"),
        }
    }
}

/// The table for programs.
fn json(runs: &[Run]) -> Result<String> {
    let lesson = |run: &Run| {
        let mut lesson = run.record.clone();
        lesson.insert("lesson".to_owned(), json!(run.lesson));
        lesson.insert("title".to_owned(), json!(run.title));
        Value::Object(lesson)
    };
    let lessons: Vec<Value> = runs.iter().map(lesson).collect();
    Ok(serde_json::to_string_pretty(&json!({ "lessons": lessons }))? + "\n")
}

/// The table for people.
fn markdown(runs: &[Run]) -> String {
    let mut text = String::from("| lesson | device | date | seconds | slowest cells |\n|---|---|---|---|---|\n");
    let plain = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    for run in runs {
        let cells: Vec<String> = run.slowest().iter().map(|(id, seconds)| format!("`{id}` {seconds:.1}")).collect();
        let row = [&run.title, run.device(), run.text("executed"), &run.result(), &cells.join(", ")].map(plain);
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

/// The page from which the others are reached.
fn index(runs: &[Run]) -> String {
    let names =
        ["lesson", "device", "date", "seconds", "slowest cells"].map(|name| format!("<th>{name}</th>")).concat();
    let mut body = format!(
        "<div class=\"words index\">\n<h1>Lessons, executed</h1>\n<table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n"
    );
    for run in runs {
        let link = format!("<a href=\"{}.html\">{}</a>", escaped(&run.lesson), escaped(&run.title));
        let cells: Vec<String> =
            run.slowest().iter().map(|(id, seconds)| format!("<code>{}</code> {seconds:.1}", escaped(id))).collect();
        let row =
            [link, escaped(run.device()), escaped(run.text("executed")), escaped(&run.result()), cells.join("<br>")];
        body += &format!("<tr>{}</tr>\n", row.map(|part| format!("<td>{part}</td>")).concat());
    }
    page::document("Lessons, executed", &(body + "</tbody>\n</table>\n</div>\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn save(folder: &Path, name: &str, metadata: Value) {
        let text = json!({ "cell_type": "markdown", "id": "title", "source": "# A lesson\n\nWith [another](other.ipynb).", "metadata": {} });
        let notebook = json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": [text] });
        files::write(&folder.join(name), notebook.to_string()).unwrap();
    }

    fn record(change: impl FnOnce(&mut Value)) -> Value {
        let cells = [("a", 1.0), ("b", 3.0), ("c", 0.25), ("d", 0.2)]
            .map(|(id, seconds)| json!({ "id": id, "seconds": seconds }));
        let mut record =
            json!({ "device": "CPU: <two> threads", "executed": "2026-11-22", "seconds": 4.5, "cells": cells });
        change(&mut record);
        json!({ "warpcell": record })
    }

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect()
    }

    #[test]
    fn a_folder_gets_pages_an_index_and_tables() {
        let folder = tempfile::tempdir().unwrap();
        save(folder.path(), "lesson.ipynb", record(|_| {}));
        save(folder.path(), "other.ipynb", record(|_| {}));
        save(
            folder.path(),
            "third.ipynb",
            record(|record| (record["failed"], record["device"]) = (json!("b"), json!(""))),
        );
        save(folder.path(), "never-run.ipynb", json!({}));
        files::write(&folder.path().join("notes.txt"), "text").unwrap();
        let tables = write(folder.path(), &[], false).unwrap();
        assert_eq!(names(&tables), ["times.json", "times.md"]);
        let written = write(folder.path(), &[], true).unwrap();
        let pages = ["lesson.html", "never-run.html", "other.html", "third.html", "index.html"];
        assert_eq!(names(&written), [&["times.json", "times.md"][..], &pages].concat());
        let text = |name: &str| files::read(&folder.path().join(name)).unwrap();
        expect![[r#"
            | lesson | device | date | seconds | slowest cells |
            |---|---|---|---|---|
            | A lesson | CPU: <two> threads | 2026-11-22 | 4.5 | `b` 3.0, `a` 1.0, `c` 0.2 |
            | A lesson | CPU: <two> threads | 2026-11-22 | 4.5 | `b` 3.0, `a` 1.0, `c` 0.2 |
            | A lesson | unknown | 2026-11-22 | failed at b | `b` 3.0, `a` 1.0, `c` 0.2 |
        "#]]
        .assert_eq(&text("times.md"));
        let index = text("index.html");
        expect![[r#"
            <main>
            <div class="words index">
            <h1>Lessons, executed</h1>
            <table>
            <thead><tr><th>lesson</th><th>device</th><th>date</th><th>seconds</th><th>slowest cells</th></tr></thead>
            <tbody>
            <tr><td><a href="lesson.html">A lesson</a></td><td>CPU: &lt;two&gt; threads</td><td>2026-11-22</td><td>4.5</td><td><code>b</code> 3.0<br><code>a</code> 1.0<br><code>c</code> 0.2</td></tr>
            <tr><td><a href="other.html">A lesson</a></td><td>CPU: &lt;two&gt; threads</td><td>2026-11-22</td><td>4.5</td><td><code>b</code> 3.0<br><code>a</code> 1.0<br><code>c</code> 0.2</td></tr>
            <tr><td><a href="third.html">A lesson</a></td><td>unknown</td><td>2026-11-22</td><td>failed at b</td><td><code>b</code> 3.0<br><code>a</code> 1.0<br><code>c</code> 0.2</td></tr>
            </tbody>
            </table>
            </div>
            </main>
            </body>
            </html>
        "#]].assert_eq(&index[index.find("<main>").unwrap()..]);
        assert!(text("lesson.html").contains("href=\"other.html\""));
        let times: Value = serde_json::from_str(&text("times.json")).unwrap();
        let lessons: Vec<&str> =
            times["lessons"].as_array().unwrap().iter().map(|run| run["lesson"].as_str().unwrap()).collect();
        assert_eq!(lessons, ["lesson", "other", "third"]);
        let first = &times["lessons"][0];
        assert_eq!((&first["title"], &first["seconds"]), (&json!("A lesson"), &json!(4.5)));
        assert_eq!(first["cells"][1], json!({ "id": "b", "seconds": 3.0 }));
    }

    #[test]
    fn records_that_are_not_complete_are_shown_as_far_as_they_go() {
        let folder = tempfile::tempdir().unwrap();
        save(
            folder.path(),
            "a.ipynb",
            json!({ "warpcell": { "cells": [{ "id": 1 }, { "id": "x", "seconds": "y" }], "executed": "a|b" } }),
        );
        save(folder.path(), "b.ipynb", json!({ "warpcell": "text" }));
        write(folder.path(), &[], true).unwrap();
        let text = files::read(&folder.path().join("times.md")).unwrap();
        assert_eq!(text.lines().last(), Some("| A lesson | unknown | a\\|b |  |  |"));
    }

    #[test]
    fn a_file_that_is_not_a_notebook_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        files::write(&folder.path().join("broken.ipynb"), "{").unwrap();
        let written = write(folder.path(), &[], true).unwrap();
        let names: Vec<_> = written.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["times.json", "times.md", "index.html"]);
    }
}
