//! What the book of lessons is made of: its pages as Markdown and notebooks, in the folders that they have in the repository, so that
//! the links between them hold. Nothing here runs or reads a file.

use super::super::{BEGIN, Edition, INSTRUCTORS_FILES, STUDENTS_FILES, lines, notebook as edited, source_of};
use super::times::{self, Run};
use crate::notebook::page::rewrite::{literal, resolved, rewritten};
use crate::notebook::page::title;
use crate::notebook::{code_cells, headline, outputs_of, source, text};
use anyhow::{Context, Result, bail};
use nbformat::v4::Notebook;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The solutions of the puzzles.
pub const SOLUTIONS: &str = "solutions/puzzles.ipynb";

/// Sphinx's settings.
const SETTINGS: &str = include_str!("conf.py");

/// What differs from the look of the theme.
const STYLE: &str = include_str!("style.css");

/// A page of the repository: its path, and its text.
macro_rules! page {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../../", $path)))
    };
}

/// The tables of names and of magics, and how crates are used.
const TABLES: [(&str, &str); 4] =
    [page!("prelude/NUMPY.md"), page!("prelude/SCIPY.md"), page!("kernel/MAGICS.md"), page!("lessons/parquet.md")];

/// The pages before the notebooks on many ranks.
const RANKS: [(&str, &str); 2] = [page!("lessons/distributed/README.md"), page!("prelude/DISTRIBUTED.md")];

/// The page before the notebooks in Python.
const IN_PYTHON: (&str, &str) = page!("lessons/cluster/README.md");

/// The folders of what students do not see.
const FOR_INSTRUCTORS: [&str; 2] = ["lessons/instructors", "lessons/solutions"];

/// The section of the notes for instructors that has stored times.
const STORED: &str = "## Figures to expect";

/// What the pages are made of.
pub struct Contents<'a> {
    /// The lessons by the names of their files, as they were executed.
    pub lessons: &'a [(&'static str, Notebook)],
    /// Notebooks in Python, with or without outputs.
    pub in_python: &'a [(&'static str, Notebook)],
    /// Other runs of a lesson, by the name of its file.
    pub beside: &'a [(String, Run)],
    /// The part for instructors: the solutions of the puzzles. Without it there is no such part.
    pub solutions: Option<&'a Notebook>,
    pub repository: Option<&'a Repository>,
    /// Whether rustdoc's pages will be in the site's folder `api`.
    pub has_api: bool,
}

/// A repository on GitHub, which Binder and Colab open.
#[derive(Clone, Debug, PartialEq)]
pub struct Repository {
    /// OWNER/NAME.
    name: String,
    branch: String,
}

impl Repository {
    pub fn new(address: &str, branch: &str) -> Result<Self> {
        let path = address.strip_prefix("https://github.com/").unwrap_or_default();
        let name = path.trim_end_matches('/').trim_end_matches(".git");
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let is_branch = !branch.is_empty() && branch.split('/').all(is_word);
        match name.split_once('/') {
            Some((owner, project)) if is_word(owner) && is_word(project) && is_branch => {
                Ok(Self { name: name.to_owned(), branch: branch.to_owned() })
            }
            _ => bail!(
                "Binder and Colab open repositories on GitHub, and {address} with the branch {branch} is not one; \
                 write --repository https://github.com/OWNER/NAME --branch main"
            ),
        }
    }

    /// Binder's address of a lesson.
    fn binder(&self, lesson: &str) -> String {
        let branch = self.branch.replace('/', "%2F");
        let lesson = lesson.replace('/', "%2F");
        format!("https://mybinder.org/v2/gh/{}/{branch}?urlpath=lab%2Ftree%2Flessons%2F{lesson}", self.name)
    }

    /// GitHub's address of a file, or of a heading in it.
    fn file(&self, path: &str) -> String {
        format!("https://github.com/{}/blob/{}/{path}", self.name, self.branch)
    }

    /// Colab's address of the notebook that installs Warpcell there.
    fn colab(&self) -> String {
        let Self { name, branch } = self;
        format!("https://colab.research.google.com/github/{name}/blob/{branch}/assets/colab/warpcell.ipynb")
    }
}

/// All files of the book: their paths and their texts.
pub fn files(contents: &Contents<'_>) -> Result<Vec<(String, String)>> {
    let in_lessons = |names: &mut dyn Iterator<Item = &&'static str>| -> Vec<String> {
        names.map(|name| format!("lessons/{name}")).collect()
    };
    let is_on_ranks = |name: &&&str| name.starts_with("distributed/");
    let (on_ranks, lessons): (Vec<_>, Vec<_>) = contents.lessons.iter().map(|(name, _)| name).partition(is_on_ranks);
    let in_python = in_lessons(&mut contents.in_python.iter().map(|(name, _)| name));
    let (pages, others): (Vec<_>, Vec<_>) = STUDENTS_FILES.iter().partition(|(name, _)| name.ends_with(".md"));
    let tables = pages.iter().map(|(name, text)| (format!("lessons/{name}"), *text));
    let tables: Vec<_> = tables.chain(TABLES.map(|(path, text)| (path.to_owned(), text))).collect();
    let paths_of = |pages: &[(&str, &str)]| pages.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>();
    let names_of_tables = tables.iter().map(|(path, _)| path.clone()).chain(["api.md".to_owned()]);
    // Each part of the book has its pages in their order.
    let mut parts: Vec<(&str, Vec<String>)> = vec![
        ("Lessons", in_lessons(&mut lessons.into_iter())),
        ("Many GPUs", [paths_of(&RANKS), in_lessons(&mut on_ranks.into_iter())].concat()),
        ("Clusters, in Python", [paths_of(&[IN_PYTHON]), in_python].concat()),
        ("Tables and terms", names_of_tables.collect()),
    ];
    let for_students: HashSet<String> = parts.iter().flat_map(|(_, names)| names.clone()).collect();
    let places = Places { pages: &for_students, repository: contents.repository };

    let settings =
        [("conf.py", SETTINGS), ("_static/book.css", STYLE)].map(|(path, text)| (path.to_owned(), text.to_owned()));
    let mut files = Vec::from(settings);
    files.push(("api.md".to_owned(), api(contents.has_api)));
    for (name, notebook) in contents.lessons.iter().chain(contents.in_python) {
        let page = lesson(name, notebook, contents, &places).with_context(|| (*name).to_owned())?;
        files.push((format!("lessons/{name}"), page));
        files.push((format!("notebooks/{name}"), edited(Edition::Student, super::original(name)?)?));
    }
    let more = RANKS.into_iter().chain([IN_PYTHON]).map(|(path, text)| (path.to_owned(), text));
    for (path, text) in tables.into_iter().chain(more) {
        let text = rewritten(text, &|address| places.link(address, &path));
        files.push((path, text));
    }
    files.extend(others.iter().map(|(name, text)| (format!("lessons/{name}"), (*text).to_owned())));

    if let Some(solutions) = contents.solutions {
        let notes = INSTRUCTORS_FILES.iter().filter(|(name, _)| name.ends_with(".md"));
        let notes: Vec<_> = notes.map(|(name, text)| (format!("lessons/{name}"), *text)).collect();
        let solved = format!("lessons/{SOLUTIONS}");
        let names: Vec<String> = notes.iter().map(|(name, _)| name.clone()).chain([solved.clone()]).collect();
        let pages = for_students.iter().chain(&names).cloned().collect();
        let places = Places { pages: &pages, repository: contents.repository };
        for (name, text) in &notes {
            files.push((name.clone(), rewritten(text, &|address| places.link(address, name))));
        }
        let mut notebook: Value = serde_json::from_str(&text(solutions)?)?;
        change_texts(&mut notebook, &|text| rewritten(text, &|address| places.link(address, &solved)));
        files.push((solved, notebook.to_string()));
        parts.push(("For instructors", names));
    }
    files.push(("index.md".to_owned(), index(contents, &parts)));
    Ok(files)
}

/// A lesson's page: without solutions, with links at the top. One in Rust has times at the end.
fn lesson(name: &str, executed: &Notebook, contents: &Contents<'_>, places: &Places<'_>) -> Result<String> {
    let path = format!("lessons/{name}");
    let mut notebook: Value = serde_json::from_str(&edited(Edition::Student, &text(executed)?)?)?;
    change_texts(&mut notebook, &|text| rewritten(text, &|address| places.link(address, &path)));
    let Some(cells) = notebook["cells"].as_array_mut() else { bail!("it has no cells") };
    let first = cells.iter_mut().find(|cell| cell["cell_type"] == "markdown").context("it has no text")?;
    let text = source_of(first);
    let (heading, rest) = text.split_once('\n').unwrap_or((&text, ""));
    if !heading.starts_with("# ") {
        bail!("its first text does not begin with a heading");
    }
    let is_in_python = contents.in_python.iter().any(|(other, _)| *other == name);
    let opening = match is_in_python {
        true => in_python(name, executed),
        false => ways_to_open(name, contents.repository),
    };
    first["source"] = lines(&format!("{heading}\n\n{opening}\n{rest}"));
    if !is_in_python {
        cells.push(times_of(name, executed, contents)?);
    }
    Ok(notebook.to_string())
}

/// The last cell of a lesson: its times.
fn times_of(name: &str, executed: &Notebook, contents: &Contents<'_>) -> Result<Value> {
    let run = Run::of(executed).context("it was not executed to its end")?;
    let is_open = |cell: &nbformat::v4::Cell| !source(cell).contains(BEGIN);
    let rows: Vec<_> = code_cells(executed).filter(|(_, cell)| is_open(cell)).collect();
    let rows: Vec<_> = rows.into_iter().map(|(_, cell)| (cell.id().to_string(), headline(cell))).collect();
    let beside: Vec<&Run> = beside(contents, name).collect();
    let mut parts = vec![measured(&run, &rows, &beside)];
    parts.extend(stored(name).map(|stored| rewritten(&stored, &|_| None)));
    Ok(json!({
        "cell_type": "markdown", "id": "times-of-this-page", "metadata": {}, "source": lines(&parts.join("\n\n")),
    }))
}

/// The other runs of a lesson.
fn beside<'a>(contents: &'a Contents<'_>, name: &'a str) -> impl Iterator<Item = &'a Run> {
    contents.beside.iter().filter(move |(lesson, _)| lesson == name).map(|(_, run)| run)
}

/// The link that gives a reader the notebook.
fn download(name: &str) -> String {
    let up = "../".repeat(name.matches('/').count() + 1);
    format!("[Download the notebook](path:{up}notebooks/{name})")
}

/// The lines below the title of a notebook in Python.
fn in_python(name: &str, notebook: &Notebook) -> String {
    let was_executed = code_cells(notebook).any(|(_, cell)| !outputs_of(cell).is_empty());
    let outputs = if was_executed { "" } else { " It was not executed for this page." };
    format!("{}\n\nThis notebook is for a Python kernel with the packages that it names.{outputs}\n", download(name))
}

/// The line of links below a lesson's title.
fn ways_to_open(name: &str, repository: Option<&Repository>) -> String {
    let mut links = vec![download(name)];
    if let Some(repository) = repository {
        links.push(format!("[Open in Binder]({})", repository.binder(name)));
        links.push(format!("[Open in Colab]({}), which installs Warpcell first", repository.colab()));
    }
    links.join(" · ") + "\n"
}

/// The section with the times of this page.
fn measured(run: &Run, rows: &[(String, String)], beside: &[&Run]) -> String {
    let runs: Vec<&Run> = [run].into_iter().chain(beside.iter().copied()).collect();
    let whole = |run: &Run| format!("- {}: {:.1} s for the whole notebook", run.head(), run.seconds);
    let mut text = format!("## Times\n\nThe outputs of this page were measured in this run:\n\n{}", whole(run));
    if !beside.is_empty() {
        let others: Vec<String> = beside.iter().map(|run| whole(run)).collect();
        text += &format!("\n\nBeside it, from other runs:\n\n{}", others.join("\n"));
    }
    let table = times::table(rows, &runs);
    if !table.is_empty() {
        text += &format!("\n\nCells that print times:\n\n{table}");
    }
    text
}

/// The stored times of a lesson, from the notes for instructors: the text and the first table of their section.
fn stored(name: &str) -> Option<String> {
    let notes = format!("instructors/{}.md", name.strip_suffix(".ipynb")?);
    let (_, text) = INSTRUCTORS_FILES.iter().find(|(name, _)| *name == notes)?;
    let (_, section) = text.split_once(STORED)?;
    let is_row = |line: &&str| line.starts_with('|');
    let before = section.lines().take_while(|line| !is_row(line));
    let table: Vec<&str> = section.lines().skip_while(|line| !is_row(line)).take_while(is_row).collect();
    let text = before.chain(table).collect::<Vec<_>>().join("\n");
    let note = "These figures were **stored** with the lesson. They were not measured for this page.";
    Some(format!("### Stored figures of CPUs and GPUs\n\n{note}\n\n{}", text.trim()))
}

/// The page about the documentation of the library.
fn api(has_pages: bool) -> String {
    let where_it_is = if has_pages {
        "<a href=\"api/warpcell/index.html\">The documentation of the library</a>, as rustdoc has written it: all modules, types and \
         functions, each with its arguments, its errors and an example."
    } else {
        "This book was made without rustdoc's pages. In a checkout, `cargo doc --release --no-deps -p warpcell` writes them to \
         `target/doc`. `warpcell lessons book --api target/doc DIR` puts them into the book."
    };
    format!(
        "# Documentation of the library\n\nIn a notebook, `gpu::exp?` opens the documentation of a function, and \
         `gpu::lookup(\"np.exp\")` says what a name of NumPy is here.\n\n{where_it_is}\n"
    )
}

/// The first page: what there is, the times of the lessons, and the order of the pages.
fn index(contents: &Contents<'_>, parts: &[(&str, Vec<String>)]) -> String {
    let mut text = String::from(
        "# Warpcell: GPU notebooks in Rust\n\nLessons on arrays, functions and kernels, for a GPU and for a CPU. The outputs on \
         these pages come from an execution of each notebook. Solutions are left out. At its end each lesson has the times of this \
         execution, and figures of CPUs and GPUs side by side.\n",
    );
    if let Some(repository) = contents.repository {
        let first = contents.lessons.first().map_or("", |(name, _)| name);
        text += &format!(
            "\nWithout an installation: [open the lessons in Binder]({}), or [lesson 1 in Colab]({}).\n",
            repository.binder(first),
            repository.colab()
        );
    }
    let has_others = !contents.beside.is_empty();
    text += &format!(
        "\n| lesson | run for this book |{}\n",
        if has_others { " other runs |\n|---|---|---|" } else { "\n|---|---|" }
    );
    for (name, notebook) in contents.lessons {
        let title = title(notebook).unwrap_or_else(|| (*name).to_owned());
        let told = |run: &Run| format!("{:.1} s: {}", run.seconds, run.head());
        let own = Run::of(notebook).map_or(String::new(), |run| told(&run));
        let others: Vec<String> = beside(contents, name).map(told).collect();
        let others = if has_others { format!(" {} |", others.join("<br>")) } else { String::new() };
        text += &format!("| [{}](lessons/{name}) | {own} |{others}\n", literal(&title));
    }
    for (caption, names) in parts {
        let names: Vec<&str> = names.iter().map(|name| document(name)).collect();
        text += &format!("\n```{{toctree}}\n:caption: {caption}\n:hidden:\n\n{}\n```\n", names.join("\n"));
    }
    text
}

/// A page's name in Sphinx: without the end.
fn document(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Changes the texts of a notebook in JSON.
fn change_texts(notebook: &mut Value, change: &dyn Fn(&str) -> String) {
    for cell in notebook["cells"].as_array_mut().into_iter().flatten() {
        if cell["cell_type"] == "markdown" {
            cell["source"] = lines(&change(&source_of(cell)));
        }
    }
}

/// Where links lead.
struct Places<'a> {
    /// The pages of the book that a reader sees.
    pages: &'a HashSet<String>,
    repository: Option<&'a Repository>,
}

impl Places<'_> {
    /// The address that a link of a page gets: itself if it leads to another site, to a heading or to a page of the book. The lessons'
    /// README is the first page. Other files are in the repository, if there is one.
    fn link(&self, address: &str, page: &str) -> Option<String> {
        let (file, _) = address.split_at(address.find('#').unwrap_or(address.len()));
        if file.is_empty() || file.contains(':') {
            return Some(address.to_owned());
        }
        let whole = resolved(page, address)?;
        let path = whole.split('#').next().unwrap_or_default();
        if path == "lessons/README.md" {
            return Some("../".repeat(page.matches('/').count()) + "index.md");
        }
        if self.pages.contains(path) {
            return Some(address.to_owned());
        }
        let is_hidden = FOR_INSTRUCTORS.iter().any(|folder| path.starts_with(folder));
        self.repository.filter(|_| !is_hidden).map(|repository| repository.file(&whole))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{CLUSTER, END};
    use super::super::lessons as all_lessons;
    use super::*;
    use crate::notebook::page::rewrite::addresses;
    use crate::notebook::{execution, parse};

    /// The lessons as if a CPU had executed them.
    fn executed() -> Vec<(&'static str, Notebook)> {
        let run = |&(name, text): &(&'static str, &str)| {
            let mut notebook = parse(text).unwrap();
            let record = json!({ "device": "CPU", "executed": "2026-11-29", "seconds": 2.0, "cells": [] });
            notebook.metadata.additional.insert(execution::RECORD.to_owned(), record);
            (name, notebook)
        };
        all_lessons().map(run).collect()
    }

    /// The notebooks in Python as they are.
    fn in_python() -> Vec<(&'static str, Notebook)> {
        CLUSTER.into_iter().map(|(name, text)| (name, parse(text).unwrap())).collect()
    }

    /// The book, with or without the part for instructors.
    fn book(with_instructors: bool) -> Vec<(String, String)> {
        let lessons = executed();
        let solutions = parse(super::super::original(SOLUTIONS).unwrap()).unwrap();
        let gpu = times::tests::executed("A GPU", &[("time-host", "3.3 ms\n")]);
        let repository = Repository::new("https://github.com/owner/name", "main").unwrap();
        let contents = Contents {
            lessons: &lessons,
            in_python: &in_python(),
            beside: &[("01-convolution.ipynb".to_owned(), Run::of(&gpu).unwrap())],
            solutions: with_instructors.then_some(&solutions),
            repository: Some(&repository),
            has_api: true,
        };
        files(&contents).unwrap()
    }

    /// The Markdown of a page or of a notebook.
    fn texts(text: &str) -> String {
        let Ok(notebook) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
        let cells = notebook["cells"].as_array().unwrap();
        cells.iter().filter(|cell| cell["cell_type"] == "markdown").map(|cell| source_of(cell) + "\n\n").collect()
    }

    fn page<'f>(files: &'f [(String, String)], name: &str) -> &'f str {
        &files.iter().find(|(path, _)| path == name).unwrap_or_else(|| panic!("{name}")).1
    }

    #[test]
    fn the_table_of_contents_has_each_page_once() {
        for with_instructors in [true, false] {
            let files = book(with_instructors);
            let index = page(&files, "index.md");
            let listed: Vec<&str> = index
                .split("```{toctree}")
                .skip(1)
                .flat_map(|tree| tree.split("```").next().unwrap().lines().filter(|line| !line.starts_with(':')))
                .filter(|line| !line.is_empty())
                .collect();
            let is_page = |path: &str| {
                (path.ends_with(".md") || path.ends_with(".ipynb"))
                    && !path.starts_with("notebooks/")
                    && path != "index.md"
            };
            let mut pages: Vec<&str> =
                files.iter().map(|(path, _)| path.as_str()).filter(|path| is_page(path)).collect();
            pages.sort_unstable();
            let mut documents = listed.clone();
            documents.sort_unstable();
            let expected: Vec<&str> = pages.iter().map(|path| document(path)).collect();
            assert_eq!(documents, expected);
            for (name, _) in all_lessons() {
                assert!(index.contains(&format!("](lessons/{name})")), "{name} is not in the table");
            }
            assert_eq!(index.contains("For instructors"), with_instructors);
            assert_eq!(
                listed.iter().any(|page| page.contains("instructors") || page.contains("solutions")),
                with_instructors
            );
        }
    }

    #[test]
    fn links_and_pictures_lead_to_files_of_the_book() {
        let files = book(true);
        let names: HashSet<String> = files.iter().map(|(path, _)| path.clone()).collect();
        // Pictures are not pages, so they are looked for here.
        let places = Places { pages: &names, repository: None };
        let (mut links, mut pictures) = (0, 0);
        for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".md") || path.starts_with("lessons/")) {
            for address in addresses(&texts(text)) {
                let file = address.split('#').next().unwrap();
                if file.is_empty() || file.contains(':') {
                    continue;
                }
                assert!(places.link(file, path).is_some(), "{path}: {address}");
                links += 1;
                pictures += usize::from(file.ends_with(".svg"));
            }
        }
        assert!(links > 60 && pictures > 15, "{links} links, {pictures} pictures");
        for (path, text) in files.iter().filter(|(path, _)| path.starts_with("lessons/0")) {
            let download = path.replace("lessons/", "notebooks/");
            assert!(texts(text).contains(&format!("(path:../{download})")) && names.contains(&download), "{path}");
            assert!(
                texts(text).contains("https://mybinder.org/v2/gh/owner/name/main?urlpath=lab%2Ftree%2Flessons%2F0")
            );
            assert!(texts(text).contains("https://colab.research.google.com/github/owner/name/blob/main/"));
        }
    }

    #[test]
    fn students_pages_have_no_solutions() {
        // Lines that stand only in solutions.
        let mut solved = HashSet::new();
        let mut open = String::new();
        for (_, text) in all_lessons() {
            for (_, cell) in code_cells(&parse(text).unwrap()) {
                let (mut rest, mut is_inside) = (String::new(), false);
                for line in source(cell).lines().map(str::trim) {
                    is_inside = (is_inside || line == BEGIN) && line != END;
                    match is_inside && line != BEGIN && line.len() > 25 {
                        true => drop(solved.insert(line.to_owned())),
                        false => rest += &format!("{line}\n"),
                    }
                }
                open += &rest;
            }
        }
        solved.retain(|line| !open.contains(line.as_str()));
        assert!(solved.len() > 20, "{} lines", solved.len());
        let files = book(true);
        let is_students = |path: &str| !path.contains("instructors/") && !path.contains("solutions/");
        for (path, text) in files.iter().filter(|(path, _)| is_students(path) && path.ends_with(".ipynb")) {
            let notebook: Value = serde_json::from_str(text).unwrap();
            let all: String = notebook["cells"].as_array().unwrap().iter().map(source_of).collect();
            assert!(solved.iter().all(|line| !all.contains(line.as_str())), "{path}");
            assert!(!all.contains("<summary><b>Solution"), "{path}");
        }
        assert!(page(&files, "lessons/solutions/puzzles.ipynb").len() > 1000);
    }

    #[test]
    fn a_lesson_has_its_times_beside_others_and_stored_ones() {
        let files = book(false);
        let text = texts(page(&files, "lessons/01-convolution.ipynb"));
        let text = &text[text.find("## Times").unwrap()..];
        for part in [
            "measured in this run:\n\n- CPU&#44; 2026",
            "Beside it, from other runs:\n\n- A GPU&#44; 2026",
            "| time&#45;host<br>",
            "|  | 3&#46;3 ms |",
            "They were not measured for this page.",
            "| convolution on the host | 40 to 90 ms |",
            "one H200",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("So on a GPU the speedup"), "only the table is taken");
        let text = texts(page(&files, "lessons/02-arrays-memory-kernels.ipynb"));
        assert!(!text.contains("from other runs"));
    }

    #[test]
    fn outputs_of_solutions_go_with_them() {
        let mut lessons = executed();
        let shown = json!([{ "output_type": "stream", "name": "stdout", "text": "the answer\n" }]);
        for (_, lesson) in &mut lessons {
            for cell in &mut lesson.cells {
                if let nbformat::v4::Cell::Code { source, outputs, .. } = cell
                    && source.concat().contains(BEGIN)
                {
                    *outputs = serde_json::from_value(shown.clone()).unwrap();
                }
            }
        }
        let contents = Contents {
            lessons: &lessons,
            in_python: &[],
            beside: &[],
            solutions: None,
            repository: None,
            has_api: false,
        };
        let files = files(&contents).unwrap();
        assert!(files.iter().all(|(_, text)| !text.contains("the answer\\n")));
    }

    #[test]
    fn repositories_are_on_github() {
        let repository = Repository::new("https://github.com/a/b.git", "next/one").unwrap();
        assert_eq!(
            repository.binder("x.ipynb"),
            "https://mybinder.org/v2/gh/a/b/next%2Fone?urlpath=lab%2Ftree%2Flessons%2Fx.ipynb"
        );
        for address in
            ["https://example.org/a/b", "https://github.com/a", "https://github.com/a/b/c", "https://github.com/a/(b)"]
        {
            let error = Repository::new(address, "main").unwrap_err().to_string();
            assert!(error.contains(address) && error.contains("--repository https://github.com/OWNER/NAME"), "{error}");
        }
        assert!(Repository::new("https://github.com/a/b", "").is_err());
    }
}
