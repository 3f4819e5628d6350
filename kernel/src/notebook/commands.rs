//! The commands `warpcell run` and `warpcell test`.

use super::comparison::Comparison;
use super::execution::{self, Event, Outcome, record_failure};
use super::report::{self, Tested};
use super::{Finding, code_cells, expectations, folder_of, headline, name_of, page, parameters, read, source, write};
use crate::files;
use crate::printing::{errln, out, outln};
use crate::side_by_side;
use anyhow::{Context, Result, bail};
use clap::Args;
use nbformat::v4::Notebook;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The status of a program that a signal has ended, as shells have it: 130 after Ctrl-C.
fn ended_by(signal: i32) -> ExitCode {
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// How often a notebook that runs for long is written.
const BETWEEN_WRITES: Duration = Duration::from_secs(5);

#[derive(Args)]
pub struct RunArguments {
    /// The notebook.
    #[arg(value_name = "NOTEBOOK")]
    notebook: PathBuf,
    /// Set a parameter, of those that the cell with the tag `parameters` declares. May be repeated.
    #[arg(short = 'p', long = "parameter", num_args = 2, value_names = ["NAME", "VALUE"], allow_hyphen_values = true)]
    parameters: Vec<String>,
    /// Where the executed notebook goes, or a page if the name ends with .html. By default executed/NAME beside the notebook.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write a page for browsers too, beside the executed notebook.
    #[arg(long)]
    html: bool,
    /// Seconds that a cell may take.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
}

#[derive(Args)]
pub struct TestArguments {
    /// The notebooks.
    #[arg(value_name = "NOTEBOOK", required = true)]
    notebooks: Vec<PathBuf>,
    /// How many run side by side. By default as many as there are processors.
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,
    /// Compare outputs with those that the notebooks have. Times, rates and addresses may differ.
    #[arg(long)]
    compare: bool,
    /// With --compare: what matches this regular expression may differ too. May be repeated.
    #[arg(long, value_name = "REGEX", requires = "compare")]
    ignore: Vec<String>,
    /// Run nothing: check the outputs that the notebooks have.
    #[arg(long, conflicts_with_all = ["compare", "output"])]
    stored: bool,
    /// Write a report as JUnit's XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the executed notebooks to this folder, with a table of times.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// With --output: write pages for browsers too.
    #[arg(long, requires = "output")]
    html: bool,
    /// Seconds that a cell may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    timeout: f64,
}

/// `warpcell run`: executes a notebook, and says how it goes.
pub fn run(arguments: &RunArguments) -> Result<ExitCode> {
    let path = &arguments.notebook;
    let mut notebook = read(path)?;
    let given: Vec<(String, String)> =
        arguments.parameters.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    parameters::set(&mut notebook, &given)?;
    let output = match &arguments.output {
        Some(output) => output.clone(),
        None => path.with_file_name("executed").join(path.file_name().context("the notebook has no name")?),
    };
    let output = match path.file_name() {
        Some(name) if output.is_dir() => output.join(name),
        _ => output,
    };
    let limit = seconds(arguments.timeout)?;
    files::create_folder(folder_of(&output))?;
    let is_page = output.extension().is_some_and(|extension| extension == "html");
    // The notebook itself is replaced once, by the whole result. Another file is written now, so that a wrong place is said at once.
    let is_kept = is_page || is_same_file(path, &output);
    if !is_kept {
        write(&output, &notebook)?;
    }

    let total = code_cells(&notebook).count();
    outln!("Running {}", path.display());
    let mut progress = Progress { done: 0, total, is_live: std::io::stdout().is_terminal() };
    let mut written = Instant::now();
    let outcome = execution::execute(&mut notebook, folder_of(path), limit, &mut |notebook, event| {
        progress.show(notebook, &event);
        if !is_kept && written.elapsed() > BETWEEN_WRITES {
            // The last one counts: it says what is wrong.
            let _ = write(&output, notebook);
            written = Instant::now();
        }
    });
    let outcome = outcome.with_context(|| path.display().to_string())?;
    let mut unexpected = expectations::surprises(&notebook);
    unexpected.retain(|finding| outcome.can_judge(finding.cell));
    if let (None, Some(first)) = (&outcome.failure, unexpected.first()) {
        record_failure(&mut notebook, first.cell);
    }
    if !is_page {
        write(&output, &notebook)?;
        page::carry_pictures(&notebook, folder_of(path), folder_of(&output))?;
    }
    if is_page || arguments.html {
        files::replace_as_usual(&output.with_extension("html"), page::page(&notebook, folder_of(path)))?;
    }
    Ok(said(&notebook, &outcome, &unexpected, &output))
}

/// Says how a run went. Returns the exit status.
fn said(notebook: &Notebook, outcome: &Outcome, unexpected: &[Finding], output: &Path) -> ExitCode {
    let (seconds, count, output) = (outcome.seconds, outcome.cells.len(), output.display());
    unexpected.iter().for_each(|finding| errln!("\n{}: {}", name_of(notebook, finding.cell), finding.text));
    if let Some(Finding { cell, text }) = &outcome.failure {
        let code = source(&notebook.cells[*cell]);
        errln!("\n{}:\n\n{code}\n\n{text}\n", name_of(notebook, *cell));
        errln!("Failed after {seconds:.1} s. What ran until then is in {output}");
        return outcome.interrupted.map_or(ExitCode::FAILURE, ended_by);
    }
    if !unexpected.is_empty() {
        errln!("\nAll {count} cells ran in {seconds:.1} s, but not as their metadata say. The result is in {output}");
        return ExitCode::FAILURE;
    }
    outln!("All {count} cells ran in {seconds:.1} s. The result is in {output}");
    ExitCode::SUCCESS
}

/// The lines about cells, on the terminal.
struct Progress {
    done: usize,
    total: usize,
    /// The line of a cell that runs is written over when it ends.
    is_live: bool,
}

impl Progress {
    fn show(&mut self, notebook: &Notebook, event: &Event) {
        let total = self.total;
        match event {
            Event::Begins { cell } if self.is_live => {
                let line = headline(&notebook.cells[*cell]);
                out!("  {}/{total}  cell {}       …    {line}", self.done + 1, cell + 1);
            }
            Event::Begins { .. } => {}
            Event::Ends { cell, seconds } => {
                self.done += 1;
                let line = headline(&notebook.cells[*cell]);
                let clear = if self.is_live { "\r\x1b[2K" } else { "" };
                outln!("{clear}  {}/{total}  cell {}  {seconds:6.2} s  {line}", self.done, cell + 1);
            }
        }
    }
}

/// `warpcell test`: executes notebooks side by side, and says which are not as they should be.
pub fn test(arguments: &TestArguments) -> Result<ExitCode> {
    let began = Instant::now();
    let comparison = if arguments.compare { Some(Comparison::new(&arguments.ignore)?) } else { None };
    let limit = seconds(Some(arguments.timeout))?;
    if let Some(folder) = &arguments.output {
        files::create_folder(folder)?;
        different_files(&arguments.notebooks, folder)?;
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.unwrap_or(processors).clamp(1, arguments.notebooks.len());
    let test = |path: &PathBuf| {
        let (tested, interrupted) = test_one(path, arguments, comparison.as_ref(), limit);
        outln!("{}", tested.text());
        (tested, interrupted)
    };
    let ended = side_by_side::each(&arguments.notebooks, jobs, test, |(_, interrupted)| interrupted.is_some());
    let interrupted = ended.iter().find_map(|(_, interrupted)| *interrupted);
    let tested: Vec<Tested> = ended.into_iter().map(|(tested, _)| tested).collect();
    if let Some(file) = &arguments.junit {
        files::write(file, report::junit(&tested)?)?;
    }
    if let Some(folder) = &arguments.output {
        for written in super::tables::write(folder, &arguments.notebooks, arguments.html)? {
            outln!("Written: {}", written.display());
        }
    }
    outln!("{}", report::summary(&tested, began.elapsed().as_secs_f64()));
    let well = tested.len() == arguments.notebooks.len() && tested.iter().all(|one| one.findings.is_empty());
    Ok(interrupted.map_or(ExitCode::from(u8::from(!well)), ended_by))
}

/// Tests one notebook. Also gives the signal that has ended it.
fn test_one(
    path: &Path,
    arguments: &TestArguments,
    comparison: Option<&Comparison>,
    limit: Option<Duration>,
) -> (Tested, Option<i32>) {
    let mut tested = Tested {
        path: path.to_owned(),
        notebook: Notebook { metadata: Default::default(), nbformat: 4, nbformat_minor: 5, cells: Vec::new() },
        findings: Vec::new(),
        cells: Vec::new(),
        seconds: 0.0,
    };
    let mut interrupted = None;
    let mut go = || -> Result<()> {
        let stored = read(path)?;
        tested.notebook = stored.clone();
        if arguments.stored {
            tested.cells = code_cells(&stored).map(|(cell, _)| (cell, 0.0)).collect();
            tested.findings = expectations::surprises(&stored);
            return Ok(());
        }
        let outcome = execution::execute(&mut tested.notebook, folder_of(path), limit, &mut |_, _| {})?;
        (tested.cells, tested.seconds, interrupted) = (outcome.cells.clone(), outcome.seconds, outcome.interrupted);
        tested.findings = judged(&stored, &tested.notebook, &outcome, comparison);
        let mut of_cells = tested.findings.iter().filter(|finding| finding.cell < stored.cells.len());
        if let (None, Some(first)) = (&outcome.failure, of_cells.next()) {
            record_failure(&mut tested.notebook, first.cell);
        }
        tested.findings.extend(outcome.failure);
        if let (Some(folder), Some(name)) = (&arguments.output, path.file_name()) {
            write(&folder.join(name), &tested.notebook)?;
            page::carry_pictures(&tested.notebook, folder_of(path), folder)?;
        }
        Ok(())
    };
    if let Err(error) = go() {
        tested.findings.push(Finding::of_notebook(format!("{error:#}")));
    }
    (tested, interrupted)
}

/// What is wrong with the outputs of the cells that ran.
fn judged(stored: &Notebook, executed: &Notebook, outcome: &Outcome, comparison: Option<&Comparison>) -> Vec<Finding> {
    let mut found = expectations::surprises(executed);
    match comparison.map(|comparison| comparison.differences(stored, executed)) {
        Some(Ok(differences)) => found.extend(differences),
        Some(Err(error)) => found.push(Finding::of_notebook(format!("{error:#}"))),
        None => {}
    }
    found.retain(|finding| executed.cells.get(finding.cell).is_none() || outcome.can_judge(finding.cell));
    found
}

fn seconds(given: Option<f64>) -> Result<Option<Duration>> {
    let limit = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|limit| !limit.is_zero())
            .with_context(|| format!("--timeout {seconds}: the seconds must be more than 0"))
    };
    given.map(limit).transpose()
}

/// Whether two paths are one file. What is not there is none.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Notebooks of the same name would be one file in the folder, and a notebook in the folder would be overwritten.
fn different_files(notebooks: &[PathBuf], folder: &Path) -> Result<()> {
    for (number, path) in notebooks.iter().enumerate() {
        if is_same_file(folder_of(path), folder) {
            bail!(
                "--output {} is the folder of {}, which would be overwritten; name another folder",
                folder.display(),
                path.display()
            );
        }
        if let Some(other) = notebooks[..number].iter().find(|other| other.file_name() == path.file_name()) {
            bail!("{} and {} would be the same file in the folder of --output", other.display(), path.display());
        }
    }
    Ok(())
}
