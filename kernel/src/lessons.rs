//! The lessons that come with the kernel: notebooks without solutions for students, and with solutions for instructors.
//!
//! A solution is the text between the lines `// BEGIN SOLUTION` and `// END SOLUTION` of a code cell, or in `<details>`
//! of a text cell, unless its summary contains the word "hint" or "answer". Instructors get notebooks in the source format of
//! nbgrader, with the configuration that lets nbgrader make the notebooks for students. A cell with `points` in its
//! metadata is a test of nbgrader. It gives so many points if it does not fail.

pub mod book;
pub mod precompile;

use crate::files;
use anyhow::{Context, bail};
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

const BEGIN: &str = "// BEGIN SOLUTION";
const END: &str = "// END SOLUTION";
/// The text that replaces a solution. `nbgrader_config.py` has the same text.
const STUB: [&str; 2] = ["// YOUR CODE HERE", "todo!()"];

/// A file of the lessons: its path, and its text.
macro_rules! lesson {
    ($name:literal) => {
        ($name, include_str!(concat!("../../lessons/", $name)))
    };
}

/// The notebooks.
const NOTEBOOKS: [(&str, &str); 9] = [
    lesson!("00-rust-for-notebooks.ipynb"),
    lesson!("01-convolution.ipynb"),
    lesson!("02-arrays-memory-kernels.ipynb"),
    lesson!("03-ufuncs-and-device-functions.ipynb"),
    lesson!("04-performance-fusion-streams.ipynb"),
    lesson!("05-workshop-day-one.ipynb"),
    lesson!("06-signals-and-images.ipynb"),
    lesson!("07-inside-a-kernel.ipynb"),
    lesson!("puzzles.ipynb"),
];

/// Notebooks on many ranks, which are in the book.
const DISTRIBUTED: [(&str, &str); 4] = [
    lesson!("distributed/pi.ipynb"),
    lesson!("distributed/k-means.ipynb"),
    lesson!("distributed/heat.ipynb"),
    lesson!("distributed/regression.ipynb"),
];

/// Notebooks in Python, which are in the book.
const CLUSTER: [(&str, &str); 5] = [
    lesson!("cluster/dask-images.ipynb"),
    lesson!("cluster/dask-monte-carlo.ipynb"),
    lesson!("cluster/dask-k-means.ipynb"),
    lesson!("cluster/ray.ipynb"),
    lesson!("cluster/processes.ipynb"),
];

/// What students get beside the notebooks: pages, and the files that the notebooks show and read.
const STUDENTS_FILES: &[(&str, &str)] = &[
    lesson!("cheat-sheet.md"),
    lesson!("first-lines.md"),
    lesson!("glossary.md"),
    lesson!("data/airports.csv"),
    lesson!("data/carbon-dioxide.csv"),
    lesson!("data/galaxies.csv"),
    lesson!("data/nile.csv"),
    lesson!("data/photograph.csv"),
    lesson!("data/retina.csv"),
    lesson!("data/sea-temperature.csv"),
    lesson!("data/weather.csv"),
    lesson!("figures/00-error.svg"),
    lesson!("figures/00-moving.svg"),
    lesson!("figures/01-stamping.svg"),
    lesson!("figures/01-two-sides.svg"),
    lesson!("figures/02-devices.svg"),
    lesson!("figures/02-grid.svg"),
    lesson!("figures/02-pool.svg"),
    lesson!("figures/02-reduction.svg"),
    lesson!("figures/03-broadcasting.svg"),
    lesson!("figures/03-polar.svg"),
    lesson!("figures/03-strides.svg"),
    lesson!("figures/04-fusion.svg"),
    lesson!("figures/04-streams.svg"),
    lesson!("figures/05-convolution.svg"),
    lesson!("figures/05-cores.svg"),
    lesson!("figures/06-csr.svg"),
    lesson!("figures/06-labels.svg"),
    lesson!("figures/06-scan.svg"),
    lesson!("figures/06-sections.svg"),
    lesson!("figures/07-banks.svg"),
    lesson!("figures/07-sectors.svg"),
];

/// What instructors get beside what students get.
const INSTRUCTORS_FILES: [(&str, &str); 11] = [
    lesson!("instructors/00-rust-for-notebooks.md"),
    lesson!("instructors/01-convolution.md"),
    lesson!("instructors/02-arrays-memory-kernels.md"),
    lesson!("instructors/03-ufuncs-and-device-functions.md"),
    lesson!("instructors/04-performance-fusion-streams.md"),
    lesson!("instructors/05-workshop-day-one.md"),
    lesson!("instructors/06-signals-and-images.md"),
    lesson!("instructors/07-inside-a-kernel.md"),
    lesson!("instructors/grading.md"),
    lesson!("solutions/puzzles.ipynb"),
    ("nbgrader_config.py", include_str!("../../assets/nbgrader_config.py")),
];

/// For whom lessons are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// Without solutions.
    Student,
    /// With solutions, notes and the configuration of nbgrader.
    Instructor,
}

/// Writes the lessons into a directory and returns the number of files. If one of the files exists already, nothing is
/// written, because it may be somebody's work.
pub fn export(edition: Edition, directory: &Path) -> anyhow::Result<usize> {
    let files = files(edition)?;
    for (name, _) in &files {
        let path = directory.join(name);
        if path.exists() {
            bail!("{} is there already; name another directory, or move the file", path.display());
        }
    }
    write_all(directory, files.iter().map(|(name, text)| (*name, text.as_str())))?;
    Ok(files.len())
}

/// Writes files into a directory: their paths in it, and their texts.
fn write_all<'a>(directory: &Path, files: impl Iterator<Item = (&'a str, &'a str)>) -> anyhow::Result<()> {
    for (name, text) in files {
        let path = directory.join(name);
        files::create_folder(path.parent().unwrap_or(directory))?;
        files::write(&path, text)?;
    }
    Ok(())
}

/// The files of an edition, and their text.
fn files(edition: Edition) -> anyhow::Result<Vec<(&'static str, String)>> {
    let plain = |files: &[(&'static str, &'static str)]| -> Vec<(&'static str, String)> {
        files.iter().map(|&(name, text)| (name, text.to_owned())).collect()
    };
    let mut files = Vec::new();
    for (name, text) in NOTEBOOKS {
        files.push((name, notebook(edition, text).with_context(|| name.to_owned())?));
    }
    files.extend(plain(STUDENTS_FILES));
    if edition == Edition::Instructor {
        files.extend(plain(&INSTRUCTORS_FILES));
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    for (name, text) in files.iter_mut().filter(|(name, _)| name.ends_with(".ipynb") || name.ends_with(".md")) {
        *text = without_dead_links(name, text, &names);
    }
    Ok(files)
}

/// The text of a page or a notebook in which links to files that are not exported are their words alone.
fn without_dead_links(name: &str, text: &str, exported: &[&str]) -> String {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let (mut written, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("](") {
        let (before, behind) = (&rest[..at], &rest[at + 2..]);
        let target = behind.split([')', '#', ' ', '"', '\n']).next().unwrap_or_default();
        let is_file =
            [".ipynb", ".md", ".svg", ".csv"].iter().any(|end| target.ends_with(end)) && !target.contains(':');
        let words = before.rfind('[').filter(|open| is_file && !before[*open..].contains("\n\n"));
        match (words, behind.find(')')) {
            (Some(open), Some(end)) if !exported.iter().any(|other| Path::new(other) == joined(folder, target)) => {
                written += &before[..open];
                written += &before[open + 1..];
                rest = &behind[end + 1..];
            }
            _ => {
                written += &rest[..at + 2];
                rest = behind;
            }
        }
    }
    written + rest
}

/// A path from a folder, in which `..` goes up.
fn joined(folder: &Path, link: &str) -> PathBuf {
    folder.join(link).components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
        path
    })
}

/// A notebook as an edition has it.
fn notebook(edition: Edition, text: &str) -> anyhow::Result<String> {
    let mut notebook: Value = serde_json::from_str(text)?;
    let Some(cells) = notebook.get_mut("cells").and_then(Value::as_array_mut) else { bail!("it has no cells") };
    let mut kept = Vec::new();
    for mut cell in std::mem::take(cells) {
        let id = cell["id"].as_str().unwrap_or_default().to_owned();
        let is_code = cell["cell_type"] == "code";
        let source = source_of(&cell);
        let points = cell["metadata"]["warpcell"]["points"].as_u64();
        if is_code && source.contains(BEGIN) {
            if points.is_some() {
                bail!("the cell {id} has both a solution and points; put the check into a cell of its own");
            }
            let without = without_solution(&source).with_context(|| format!("the cell {id}"))?;
            match edition {
                Edition::Student => {
                    cell["source"] = lines(&without);
                    // What a solution has shown goes with it.
                    (cell["outputs"], cell["execution_count"]) = (json!([]), Value::Null);
                }
                Edition::Instructor => cell["metadata"]["nbgrader"] = nbgrader(&id, None),
            }
        } else if let (Some(points), Edition::Instructor) = (points, edition) {
            cell["metadata"]["nbgrader"] = nbgrader(&id, Some(points));
        } else if !is_code && edition == Edition::Student {
            let without = without_details(&source).with_context(|| format!("the cell {id}"))?;
            if without.trim().is_empty() {
                continue;
            }
            cell["source"] = lines(&without);
        }
        kept.push(cell);
    }
    *cells = kept;
    let mut written = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut written, PrettyFormatter::with_indent(b" "));
    serde::Serialize::serialize(&notebook, &mut serializer)?;
    Ok(String::from_utf8(written)? + "\n")
}

/// What nbgrader wants to know of a cell: a test with points, or a solution.
fn nbgrader(id: &str, points: Option<u64>) -> Value {
    let is_test = points.is_some();
    let mut facts = json!({
        "grade": is_test, "grade_id": id, "locked": is_test, "schema_version": 3, "solution": !is_test,
        "task": false,
    });
    if let Some(points) = points {
        facts["points"] = points.into();
    }
    facts
}

/// A cell's text.
fn source_of(cell: &Value) -> String {
    match &cell["source"] {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

/// A text as notebooks keep it: its lines, each with its end.
fn lines(text: &str) -> Value {
    text.trim_end().split_inclusive('\n').collect()
}

/// Code with the stub in place of each solution.
fn without_solution(source: &str) -> anyhow::Result<String> {
    let (mut text, mut inside) = (String::new(), false);
    for line in source.lines() {
        match (line.trim(), inside) {
            (BEGIN, false) => {
                let indent = &line[..line.len() - line.trim_start().len()];
                STUB.iter().for_each(|stub| text += &format!("{indent}{stub}\n"));
                inside = true;
            }
            (END, true) => inside = false,
            (BEGIN | END, _) => bail!("`{}` has no matching line", line.trim()),
            (_, false) => text += &format!("{line}\n"),
            (_, true) => {}
        }
    }
    if inside {
        bail!("`{BEGIN}` has no matching line");
    }
    Ok(text)
}

/// Text without its `<details>`, but for hints and the answers of questions.
fn without_details(source: &str) -> anyhow::Result<String> {
    const OPEN: &str = "<details>";
    const CLOSE: &str = "</details>";
    let (mut text, mut rest) = (String::new(), source);
    while let Some(at) = rest.find(OPEN) {
        let Some(length) = rest[at..].find(CLOSE) else { bail!("`{OPEN}` without `{CLOSE}`") };
        let end = at + length + CLOSE.len();
        let summary = rest[at..end].split("</summary>").next().unwrap_or_default().to_lowercase();
        let stays = ["hint", "answer"].iter().any(|word| summary.contains(word));
        text += if stays { &rest[..end] } else { rest[..at].trim_end_matches('\n') };
        rest = &rest[end..];
    }
    Ok(text + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_becomes_a_stub() {
        let source = "let x = timed(|| {\n    // BEGIN SOLUTION\n    let y = 1;\n    y\n    // END SOLUTION\n});\nx";
        let expected = "let x = timed(|| {\n    // YOUR CODE HERE\n    todo!()\n});\nx\n";
        assert_eq!(without_solution(source).unwrap(), expected);
        for half in
            ["// BEGIN SOLUTION\nx", "x\n// END SOLUTION", "// BEGIN SOLUTION\n// BEGIN SOLUTION\n// END SOLUTION"]
        {
            assert!(without_solution(half).is_err(), "{half}");
        }
    }

    #[test]
    fn details_go_but_hints_and_answers_stay() {
        for name in ["A hint", "<b>Answer</b>"] {
            let kept = format!("<details>\n<summary>{name}</summary>\n\nLook.\n\n</details>");
            let source =
                format!("Try.\n\n{kept}\n\n<details>\n<summary><b>Solution</b></summary>\n\nSo.\n\n</details>\n\nOn.");
            assert_eq!(without_details(&source).unwrap(), format!("Try.\n\n{kept}\n\nOn."));
        }
        assert!(without_details("<details>").is_err());
    }

    #[test]
    fn students_get_no_solutions_and_instructors_all() {
        let text = |edition| -> Vec<(&str, String)> { files(edition).unwrap() };
        let count = |files: &[(&str, String)], part: &str| -> usize {
            files.iter().map(|(_, text)| text.matches(part).count()).sum()
        };
        let (students, instructors) = (text(Edition::Student), text(Edition::Instructor));
        assert_eq!((count(&students, "BEGIN SOLUTION\\n"), count(&students, "<summary><b>Solution")), (0, 0));
        let solutions = count(&instructors, "BEGIN SOLUTION\\n");
        assert!(solutions >= 10, "only {solutions} solutions");
        assert_eq!(count(&students, "todo!()"), solutions);
        assert_eq!(count(&instructors, "\"solution\": true"), solutions);
        let tests = count(&instructors, "\"grade\": true");
        assert!(tests >= 5 && tests == count(&students, "\"points\": "), "{tests} tests");
        for (name, text) in instructors.iter().chain(&students).filter(|(name, _)| name.ends_with(".ipynb")) {
            let notebook: Value = serde_json::from_str(text).unwrap();
            assert!(notebook["cells"].as_array().unwrap().len() > 10, "{name}");
        }
    }

    #[test]
    fn links_lead_to_files_that_are_exported_too() {
        for edition in [Edition::Student, Edition::Instructor] {
            let files = files(edition).unwrap();
            let mut links = 0;
            for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".ipynb") || name.ends_with(".md")) {
                let folder = Path::new(name).parent().unwrap();
                for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ', '"']).next()) {
                    let is_file = [".ipynb", ".md", ".svg", ".csv"].iter().any(|end| link.ends_with(end));
                    if is_file && !link.contains(':') {
                        let target = joined(folder, link);
                        let is_there = files.iter().any(|(other, _)| Path::new(other) == target);
                        assert!(is_there, "{edition:?}: {name} links to {link}");
                        links += 1;
                    }
                }
            }
            assert!(links > 50, "{links} links");
        }
    }

    #[test]
    fn links_to_what_is_not_exported_become_words() {
        let text = "a [b](c.md), [d](../e.md#f) and ![g](h.svg) [i](https://j.md) [k](l.md)";
        let written = without_dead_links("m/n.md", text, &["m/c.md", "h.svg", "e.md"]);
        assert_eq!(written, "a [b](c.md), [d](../e.md#f) and !g [i](https://j.md) k");
    }

    #[test]
    fn notebooks_pages_for_instructors_and_figures_are_exported() {
        let lessons = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons");
        let listed: Vec<&str> = [&NOTEBOOKS[..], &DISTRIBUTED, &CLUSTER, STUDENTS_FILES, &INSTRUCTORS_FILES]
            .concat()
            .iter()
            .map(|(name, _)| *name)
            .collect();
        for (folder, extension) in [
            ("", "ipynb"),
            ("data", "csv"),
            ("figures", "svg"),
            ("instructors", "md"),
            ("solutions", "ipynb"),
            ("distributed", "ipynb"),
            ("cluster", "ipynb"),
        ] {
            let found: Vec<_> = files::paths_in(&lessons.join(folder))
                .filter(|path| path.extension().is_some_and(|it| it == extension))
                .map(|path| path.strip_prefix(&lessons).unwrap().to_str().unwrap().to_owned())
                .collect();
            assert!(!found.is_empty(), "{folder}");
            for name in found {
                assert!(listed.contains(&name.as_str()), "{name} is not in the lists of this file");
            }
        }
    }

    #[test]
    fn a_cell_with_a_solution_is_no_test() {
        let cell = json!({
            "cell_type": "code", "id": "both", "metadata": {"warpcell": {"points": 1}}, "source": "// BEGIN SOLUTION\n// END SOLUTION",
        });
        let error = notebook(Edition::Instructor, &json!({"cells": [cell]}).to_string()).unwrap_err().to_string();
        assert!(error.contains("the cell both has both a solution and points"), "{error}");
    }

    #[test]
    fn the_stub_is_the_one_that_nbgrader_is_told() {
        let (_, configuration) = INSTRUCTORS_FILES.iter().find(|(name, _)| *name == "nbgrader_config.py").unwrap();
        assert!(configuration.contains(&format!("{{\"rust\": \"{}\"}}", STUB.join("\\n"))), "{configuration}");
        assert!(configuration.contains(&format!("\"{}\"", BEGIN.trim_start_matches("// "))));
    }

    #[test]
    fn what_is_there_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("course");
        assert!(export(Edition::Student, &target).unwrap() >= NOTEBOOKS.len());
        std::fs::remove_file(target.join(NOTEBOOKS[0].0)).unwrap();
        let error = export(Edition::Student, &target).unwrap_err().to_string();
        assert!(error.contains("01-convolution.ipynb is there already"), "{error}");
        assert!(!target.join(NOTEBOOKS[0].0).exists(), "nothing is written then");
    }
}
