//! `warpcell export`: a notebook as a Cargo project, which is built and run without Jupyter and without this program; or its functions as a
//! Python package.
//!
//! `cells.rs` reads the notebook, `items.rs` and `program.rs` write `src/main.rs`, `check.rs` has the compiler check it, `left_out.rs` says what it lacks, and
//! `manifest.rs` writes the rest of the project, with the list of `libraries.rs`. `types.rs` knows the types that `check.rs` writes. `data.rs` copies files that the cells name. `embedding.rs` has kernels compiled for `--embed`. `package.rs` makes the package, with `stubs.rs` for its types and `wheel.rs` for the archive.

mod cells;
mod check;
mod data;
mod embedding;
mod items;
mod keys;
mod left_out;
mod libraries;
mod manifest;
mod package;
mod program;
mod stubs;
#[cfg(test)]
mod tests;
mod tokens;
mod types;
mod wheel;

use super::{Finding, name_of, read, source};
use crate::choices::installation;
use crate::files;
use crate::installation::{Installation, directories};
use crate::printing::{errln, outln};
use anyhow::{Context, Result, bail};
use cells::{Cells, Part, ProgramCell};
use clap::Args;
use data::Data;
use manifest::Project;
use nbformat::v4::Notebook;
use program::Program;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The arguments of `warpcell export`.
#[derive(Args)]
pub struct ExportArguments {
    /// The notebook.
    #[arg(value_name = "NOTEBOOK")]
    notebook: PathBuf,
    /// The folder of the project, which must not exist or must be empty; or that of the wheel, which is the present one by default.
    #[arg(long, value_name = "DIR", required_unless_present = "python")]
    to: Option<PathBuf>,
    /// Copy the array library's sources into the project, so that it can be built on other machines.
    #[arg(long)]
    vendor: bool,
    /// Write the project although there are cells that cannot be exported. They become comments.
    #[arg(long)]
    force: bool,
    /// Compile the kernels now, for GPUs of these architectures, such as sm_80,sm_90: the program needs no NVRTC. It runs once on this machine's GPU to record its kernels.
    #[arg(long, value_name = "LIST", conflicts_with = "python")]
    embed: Option<String>,
    /// With --embed: take the kernels from this folder, to which a run on a machine with a GPU has recorded them (WARPCELL_RECORD_PROGRAMS=DIR).
    #[arg(long, value_name = "DIR", requires = "embed")]
    programs: Option<PathBuf>,
    /// Make a Python package of this name, as a wheel, of the functions in cells with the tag `export` or with `%%rust --export`.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["vendor", "force"])]
    python: Option<String>,
    /// The version of the package.
    #[arg(long, value_name = "VERSION", default_value = "0.1.0", requires = "python")]
    package_version: String,
}

/// Exports a notebook. The status is that of a failure, and nothing is written, if there are cells that cannot be exported.
pub fn export(arguments: &ExportArguments) -> Result<ExitCode> {
    let ExportArguments { notebook: path, to, vendor, force, python, package_version, embed, programs } = arguments;
    let notebook = read(path)?;
    if let Some(name) = python {
        let folder = to.as_deref().unwrap_or(Path::new("."));
        return package::export(&notebook, path, &package::Wanted { name, version: package_version, folder });
    }
    let to = to.as_deref().context("the folder of the project is missing; name it by `--to`")?;
    if directories::entries(to).is_ok_and(|entries| !entries.is_empty()) || to.is_file() {
        bail!("{} is there already; name another folder, or remove it", to.display());
    }
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let installation = installation()?;
    let mut cells = cells::read(&notebook);
    let program = checked(&notebook, &mut cells, (&file_name, embed.is_some()), &installation, *force)?;
    report(&notebook, &cells.findings);
    if !cells.findings.is_empty() && !force {
        errln!("Nothing was written. Correct these cells, or write the program without them by `--force`.");
        return Ok(ExitCode::FAILURE);
    }
    report(&notebook, &left_out::changes(&notebook, &cells));
    let embeds = embed.is_some();
    let project =
        Project { program: &program, cells: &cells, installation: &installation, stem: &stem, vendor: *vendor, embeds };
    let wanted = embed.as_deref().map(|architectures| embedding::Wanted {
        architectures,
        programs: programs.as_deref(),
        notebook: path,
    });
    let data = Data::of(&cells, path.parent().unwrap_or(Path::new("")));
    let kernels = put(&project, wanted.as_ref(), &data, to)?;
    let kernels = kernels.map_or(String::new(), |kernels| format!("\nEmbedded {kernels}."));
    let needed = libraries::needed(&program.text, embeds);
    let note = match program.is_checked {
        true => "",
        false => {
            "\nThe compiler has not checked it, as it has crates that are not built yet. So types such as `f64` and `&` before arrays are not \
             written out. Run the notebook once on this machine, which builds the crates, and export it again; or correct by hand what \
             `cargo check` says in this folder."
        }
    };
    outln!("{}{}{kernels}{note}\n{}", summary(&cells, to), data.line(), libraries::line(&needed));
    Ok(ExitCode::SUCCESS)
}

/// The program of the cells. The compiler checks it, unless it has crates of `:dep`, which are not built yet. What the compiler refuses is
/// added to the findings. With `force` such cells are left out.
fn checked(
    notebook: &Notebook,
    cells: &mut Cells,
    (title, embeds): (&str, bool),
    installation: &Installation,
    force: bool,
) -> Result<Program> {
    loop {
        let mut program = program::write(cells, title, embeds);
        let hidden = std::mem::take(&mut program.hidden);
        let crates = manifest::crates_here(cells, &program, installation);
        if hidden.is_empty() && crates.is_none() {
            program.keep_variables(None);
            return Ok(program);
        }
        if hidden.is_empty() && !cells.findings.is_empty() && !force {
            return Ok(program);
        }
        program.is_checked = true;
        let refused = match hidden.is_empty() {
            true => check::check(&mut program, installation, &crates.unwrap_or_default())?,
            false => hidden,
        };
        let mut has_less = false;
        for Finding { cell, text } in &refused {
            let code = |cell: &&mut ProgramCell| cell.code().is_some();
            if let Some(found) = cells.cells.iter_mut().filter(code).find(|found| found.index == *cell) {
                let code = notebook.cells.get(*cell).map(source).unwrap_or_default();
                found.part = Part::LeftOut { code, reason: text.clone() };
                has_less = true;
            }
        }
        cells.findings.extend(refused);
        if !force || !has_less {
            return Ok(program);
        }
    }
}

/// Writes the project beside its place first: it appears when it is complete. Gives the kernels that are `wanted` in words.
fn put(
    project: &Project<'_>,
    wanted: Option<&embedding::Wanted<'_>>,
    data: &Data,
    to: &Path,
) -> Result<Option<String>> {
    let to = std::path::absolute(to)?;
    let parent = to.parent().context("the folder of the project cannot be the root")?;
    files::create_folder(parent)?;
    let staging = tempfile::Builder::new().prefix(".warpcell-export-").tempdir_in(parent)?;
    project.write(staging.path())?;
    data.copy(staging.path())?;
    let kernels = wanted.map(|wanted| wanted.put(project, staging.path())).transpose()?;
    if kernels.is_some() {
        project.write_page(staging.path(), kernels.as_deref())?;
    }
    let failed = || format!("{} cannot be written", to.display());
    if to.is_dir() {
        // It is empty, and may be where the user's shell is.
        for entry in directories::entries(staging.path()).with_context(failed)? {
            std::fs::rename(entry.path(), to.join(entry.file_name())).with_context(failed)?;
        }
    } else {
        std::fs::rename(staging.path(), &to).with_context(failed)?;
        // Folders for temporary files are for their owner only.
        open_to_all(&to)?;
    }
    Ok(kernels)
}

fn open_to_all(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
        .with_context(|| format!("{} cannot be opened for reading", folder.display()))
}

fn report(notebook: &Notebook, findings: &[Finding]) {
    for Finding { cell, text } in findings {
        let place = if *cell < notebook.cells.len() { name_of(notebook, *cell) } else { "the program".to_owned() };
        errln!("{place}: {text}");
    }
}

fn summary(cells: &Cells, to: &Path) -> String {
    let code = cells.cells.iter().filter(|cell| cell.code().is_some()).count();
    let left_out = cells.cells.iter().filter(|cell| matches!(cell.part, Part::LeftOut { .. }));
    let names: Vec<String> = left_out.map(ProgramCell::name).collect();
    let without = match names.as_slice() {
        [] => String::new(),
        names => format!(" Left out: {}.", names.join(", ")),
    };
    format!(
        "Wrote {code} cells to {}.{without}\nIn this folder, `cargo run --release` builds and runs the program.",
        to.display()
    )
}
