//! The lessons as a book for browsers: `warpcell lessons book`. The lessons are executed as `warpcell run` does it, `pages.rs` writes what
//! the book is made of, and Sphinx makes the site.

mod pages;
mod times;

use self::pages::{Contents, Repository, SOLUTIONS};
use self::times::Run;
use super::{CLUSTER, DISTRIBUTED, INSTRUCTORS_FILES, NOTEBOOKS, STUDENTS_FILES, write_all};
use crate::files;
use crate::notebook::{self, execution, expectations};
use crate::printing::outln;
use crate::side_by_side;
use anyhow::{Context, Result, bail};
use clap::Args;
use nbformat::v4::Notebook;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The packages of Python that make the site, with their versions.
const REQUIREMENTS: &str = include_str!("../../../assets/requirements-book.txt");
/// Their modules.
const MODULES: &str = "import sphinx, myst_nb, sphinx_book_theme";
/// rustdoc's first page of the library.
const API_INDEX: &str = "warpcell/index.html";

#[derive(Args)]
pub struct BookArguments {
    /// The directory, which must be new or empty. The site is in DIR/html, what it is made of in DIR/source.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Without the part for instructors, which has notes and the solutions of the puzzles.
    #[arg(long)]
    student: bool,
    /// Take the lessons that `warpcell test --output RUN` has executed. By default they are executed now.
    #[arg(long, value_name = "RUN")]
    executed: Option<PathBuf>,
    /// Show the times of another such run beside, for example of a GPU. May be repeated.
    #[arg(long, value_name = "RUN")]
    beside: Vec<PathBuf>,
    /// How many lessons run side by side. With more than one, times are longer.
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// The repository on GitHub that Binder and Colab open, such as `https://github.com/OWNER/NAME`.
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// Its branch.
    #[arg(long, value_name = "BRANCH", default_value = "main", requires = "repository")]
    branch: String,
    /// The folder in which rustdoc has written the documentation of the library. It is copied into the site.
    #[arg(long, value_name = "DIR")]
    api: Option<PathBuf>,
}

/// Makes the book.
///
/// # Errors
/// Python or its packages are missing, a lesson does not run as it should, or a file cannot be read or written.
pub fn make(arguments: &BookArguments) -> Result<()> {
    let directory = &arguments.directory;
    // What is wrong with the arguments is said before minutes of work.
    if files::paths_in(directory).next().is_some() || directory.is_file() {
        bail!("{} is there already and is not empty; name another directory", directory.display());
    }
    let repository = arguments.repository.as_deref();
    let repository = repository.map(|address| Repository::new(address, &arguments.branch)).transpose()?;
    if let Some(api) = &arguments.api
        && !api.join(API_INDEX).is_file()
    {
        bail!(
            "{} has no {API_INDEX}; name the folder `doc` in which `cargo doc -p warpcell` has written its pages",
            api.display()
        );
    }
    let python = python()?;
    let beside = beside(&arguments.beside)?;

    let books = match &arguments.executed {
        Some(run) => stored(run, !arguments.student)?,
        None => executed(arguments)?,
    };
    let contents = Contents {
        lessons: &books.lessons,
        in_python: &books.in_python,
        beside: &beside,
        solutions: books.solutions.as_ref(),
        repository: repository.as_ref(),
        has_api: arguments.api.is_some(),
    };
    let pages = pages::files(&contents)?;
    let (source, html) = (directory.join("source"), directory.join("html"));
    write_all(&source, pages.iter().map(|(path, text)| (path.as_str(), text.as_str())))?;
    outln!("Making the site");
    build(&python, &source, &html)?;
    // MyST-NB leaves the pictures there that it has copied into the site.
    let _ = std::fs::remove_dir_all(directory.join("jupyter_execute"));
    if let Some(api) = &arguments.api {
        files::copy_folder(api, &html.join("api"), &[])?;
    }
    outln!("The book is in {}", html.join("index.html").display());
    Ok(())
}

/// The text of a notebook of the lessons, as it came with the kernel.
fn original(name: &str) -> Result<&'static str> {
    let mut all = lessons().chain(&CLUSTER).chain(&INSTRUCTORS_FILES);
    Ok(all.find(|(known, _)| *known == name).with_context(|| format!("there is no lesson {name}"))?.1)
}

/// The notebooks that are executed.
fn lessons() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    NOTEBOOKS.iter().chain(&DISTRIBUTED)
}

type Named = Vec<(&'static str, Notebook)>;

/// The notebooks of the book.
struct Notebooks {
    lessons: Named,
    /// Those that this program cannot execute.
    in_python: Named,
    /// For instructors: the solutions of the puzzles.
    solutions: Option<Notebook>,
}

/// Executes the lessons, and the solutions of the puzzles for instructors.
fn executed(arguments: &BookArguments) -> Result<Notebooks> {
    let folder = tempfile::tempdir()?;
    // Cells read some of these.
    write_all(folder.path(), STUDENTS_FILES.iter().copied())?;
    let solutions = (!arguments.student).then_some(SOLUTIONS);
    let names: Vec<&'static str> = lessons().map(|(name, _)| *name).chain(solutions).collect();
    let execute = |name: &&'static str| Ok((*name, execute(name, folder.path()).with_context(|| (*name).to_owned())?));
    let notebooks = side_by_side::each(&names, arguments.jobs.max(1), execute, Result::is_err);
    let mut lessons = notebooks.into_iter().collect::<Result<Named>>()?;
    let solutions = if solutions.is_some() { lessons.pop().map(|(_, notebook)| notebook) } else { None };
    let in_python = CLUSTER.iter().map(|&(name, text)| Ok((name, notebook::parse(text)?)));
    Ok(Notebooks { lessons, in_python: in_python.collect::<Result<_>>()?, solutions })
}

/// Executes one notebook of the lessons.
fn execute(name: &str, folder: &Path) -> Result<Notebook> {
    let mut notebook = notebook::parse(original(name)?)?;
    let outcome = execution::execute(&mut notebook, folder, None, &mut |_, _| {})?;
    let wrong = outcome.failure.or_else(|| expectations::surprises(&notebook).into_iter().next());
    if let Some(finding) = wrong {
        let cell = notebook.cells.get(finding.cell).map_or("the notebook", |cell| cell.id().as_str());
        bail!("{cell}: {}", finding.text);
    }
    outln!("{name}: {} cells in {:.1} s", outcome.cells.len(), outcome.seconds);
    Ok(notebook)
}

/// The lessons that were executed earlier. They must be those of this kernel. The notebooks in Python and the solutions of the puzzles
/// may be without outputs.
fn stored(run: &Path, with_solutions: bool) -> Result<Notebooks> {
    let read = |name: &'static str| -> Result<Notebook> {
        let path = place(run, name);
        let found = notebook::read(&path)?;
        if !same_cells(&found, &notebook::parse(original(name)?)?) {
            bail!(
                "{} was made of another version of the lesson; execute the lessons again, or leave out --executed",
                path.display()
            );
        }
        Ok(found)
    };
    let lesson = |&(name, _): &(&'static str, &str)| {
        let found = read(name)?;
        if Run::of(&found).is_none() {
            bail!("{} was not executed to its end; see `warpcell test --output`", place(run, name).display());
        }
        Ok((name, found))
    };
    let perhaps = |name: &'static str| match place(run, name).is_file() {
        true => read(name),
        false => notebook::parse(original(name)?),
    };
    Ok(Notebooks {
        lessons: lessons().map(lesson).collect::<Result<_>>()?,
        in_python: CLUSTER.iter().map(|&(name, _)| Ok((name, perhaps(name)?))).collect::<Result<_>>()?,
        solutions: with_solutions.then(|| perhaps(SOLUTIONS)).transpose()?,
    })
}

/// Where a run has a notebook. `warpcell test` puts all notebooks into one folder.
fn place(run: &Path, name: &str) -> PathBuf {
    let flat = Path::new(name).file_name().filter(|_| name != SOLUTIONS).map(|name| run.join(name));
    flat.filter(|path| path.is_file()).unwrap_or_else(|| run.join(name))
}

/// Whether two notebooks have the same cells, but for their outputs.
fn same_cells(one: &Notebook, other: &Notebook) -> bool {
    let cells = |notebook: &Notebook| -> Vec<(String, String)> {
        let cells = notebook.cells.iter();
        cells.map(|cell| (cell.id().to_string(), notebook::source(cell).trim_end().to_owned())).collect()
    };
    cells(one) == cells(other)
}

/// The times of other runs: of each lesson that a folder has.
fn beside(folders: &[PathBuf]) -> Result<Vec<(String, Run)>> {
    let mut runs = Vec::new();
    for folder in folders {
        let before = runs.len();
        for (name, _) in lessons() {
            let path = place(folder, name);
            if path.is_file() {
                runs.extend(Run::of(&notebook::read(&path)?).map(|run| ((*name).to_owned(), run)));
            }
        }
        if runs.len() == before {
            bail!(
                "{} has no executed lesson; `warpcell test --output {0} lessons/*.ipynb lessons/distributed/*.ipynb` writes them there",
                folder.display()
            );
        }
    }
    Ok(runs)
}

/// A Python that has what makes the site: beside this program, or in PATH.
fn python() -> Result<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("python3")));
    let candidates = own.into_iter().chain(["python3", "python"].map(PathBuf::from));
    let has_modules = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", MODULES]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    candidates.into_iter().find(has_modules).with_context(|| {
        let packages = REQUIREMENTS.lines().collect::<Vec<_>>().join(" ");
        format!("the book is made by Sphinx, and python3 does not have it or its packages. Install them: pip install {packages}")
    })
}

/// Makes the site of its sources.
fn build(python: &Path, source: &Path, html: &Path) -> Result<()> {
    let cache = tempfile::tempdir()?;
    let mut command = Command::new(python);
    command.args(["-m", "sphinx", "-q", "-b", "html", "-j", "auto", "-d"]).arg(cache.path()).arg(source).arg(html);
    let status =
        command.stdin(Stdio::null()).status().with_context(|| format!("{} does not start", python.display()))?;
    if !status.success() {
        bail!("Sphinx has failed ({status}); what it says is above. The sources are in {}", source.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::tests::notebook;
    use serde_json::json;

    #[test]
    fn runs_of_other_lessons_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = beside(&[folder.path().to_owned()]).unwrap_err().to_string();
        assert!(error.contains("has no executed lesson; `warpcell test --output "), "{error}");
        let name = NOTEBOOKS[0].0;
        let path = folder.path().join(name);
        notebook::write(&path, &times::tests::executed("A GPU", &[("a", "1 ms")])).unwrap();
        let runs = beside(&[folder.path().to_owned()]).unwrap();
        assert_eq!((runs.len(), runs[0].0.as_str(), runs[0].1.device.as_str()), (1, name, "A GPU"));
        let error = stored(folder.path(), false).err().unwrap().to_string();
        assert!(error.contains("was made of another version of the lesson"), "{error}");
        files::write(&path, NOTEBOOKS[0].1).unwrap();
        let error = stored(folder.path(), false).err().unwrap().to_string();
        assert!(error.contains("was not executed to its end"), "{error}");
    }

    #[test]
    fn cells_are_compared_without_outputs() {
        let output = json!([{ "output_type": "stream", "name": "stdout", "text": "1" }]);
        let one = notebook(&[("a", "f()", json!({}), json!([]))]);
        assert!(same_cells(&one, &notebook(&[("a", "f()\n", json!({}), output)])));
        assert!(!same_cells(&one, &notebook(&[("a", "g()", json!({}), json!([]))])));
        assert!(!same_cells(&one, &notebook(&[("b", "f()", json!({}), json!([]))])));
    }

    #[test]
    fn what_is_there_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        files::write(&folder.path().join("mine.txt"), "x").unwrap();
        let arguments = BookArguments {
            directory: folder.path().to_owned(),
            student: false,
            executed: None,
            beside: Vec::new(),
            jobs: 1,
            repository: None,
            branch: "main".to_owned(),
            api: None,
        };
        let error = make(&arguments).unwrap_err().to_string();
        assert!(error.ends_with("is there already and is not empty; name another directory"), "{error}");
    }
}
