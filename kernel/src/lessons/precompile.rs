//! Compiles the cells of notebooks ahead, for all users of an installation: `warpcell lessons precompile`.
//!
//! The cells are run in sessions of their own, one for each notebook, which keep what they compile in the installation's folder
//! `cells` (`build_step/cell_cache.rs`). A cell that a user leaves as it is, behind the same cells, then starts no compiler. Nobody
//! but the owner of the installation can write there.

use super::{Edition, STUDENTS_FILES, files, write_all};
use crate::build_step::CELL_CACHE;
use crate::choices;
use crate::environment::INSTALLATION;
use crate::files::paths_in;
use crate::installation::{CELLS, Installation};
use crate::notebook;
use anyhow::{Context, Result, bail};
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The hidden subcommand that runs the cells of one notebook.
pub const RUN_CELLS: &str = "run-cells";

/// Compiles the cells of notebooks for the users of this installation: of these files, or of the lessons that come with the kernel.
/// `say` gets lines for the user.
pub fn precompile(notebooks: &[PathBuf], say: &(dyn Fn(&str) + Sync)) -> Result<()> {
    let installation = choices::installation()?;
    let found = if notebooks.is_empty() { of_lessons()? } else { of_files(notebooks)? };
    fill(&installation, &installation.home.join(CELLS), found, say)
}

/// Compiles the cells of the lessons by an installation, into any folder.
pub fn lessons_into(installation: &Installation, folder: &Path, say: &(dyn Fn(&str) + Sync)) -> Result<()> {
    fill(installation, folder, of_lessons()?, say)
}

fn fill(
    installation: &Installation,
    folder: &Path,
    notebooks: Vec<Notebook>,
    say: &(dyn Fn(&str) + Sync),
) -> Result<()> {
    open_folder(folder)?;
    let sessions = std::thread::available_parallelism().map_or(1, usize::from).min(notebooks.len());
    let notebooks = Mutex::new(notebooks.into_iter());
    let next = || notebooks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let compile = || -> Result<()> {
        while let Some((name, cells)) = next() {
            let began = Instant::now();
            let failed = run(installation, folder, &cells).with_context(|| name.clone())?;
            let note = if failed == 0 { String::new() } else { format!(", {failed} of them with errors") };
            say(&format!("{name}: {} cells in {:.0} s{note}", cells.len(), began.elapsed().as_secs_f64()));
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..sessions).map(|_| scope.spawn(compile)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    let sizes: Vec<u64> = paths_in(folder).filter_map(|path| Some(path.metadata().ok()?.len())).collect();
    let size = sizes.iter().sum::<u64>() as f64 / 1e6;
    say(&format!("{} compiled cells, {size:.1} MB, in {}", sizes.len(), folder.display()));
    Ok(())
}

/// Makes the folder, which others may read and not change. Kernels read no other.
fn open_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::set_permissions(folder, Permissions::from_mode(0o755)))
        .and_then(|()| tempfile::tempfile_in(folder).map(drop))
        .with_context(|| {
            format!("{} cannot be written; run this command as the user who has installed Warpcell", folder.display())
        })
}

/// A name and the code of its cells.
type Notebook = (String, Vec<String>);

/// The lessons as students get them.
fn of_lessons() -> Result<Vec<Notebook>> {
    let notebooks = files(Edition::Student)?.into_iter().filter(|(name, _)| name.ends_with(".ipynb"));
    notebooks.map(|(name, text)| Ok((name.to_owned(), code_of(&notebook::parse(&text).context(name)?)))).collect()
}

fn of_files(paths: &[PathBuf]) -> Result<Vec<Notebook>> {
    paths.iter().map(|path| Ok((path.display().to_string(), code_of(&notebook::read(path)?)))).collect()
}

/// The code of a notebook's cells.
fn code_of(notebook: &nbformat::v4::Notebook) -> Vec<String> {
    notebook::code_cells(notebook).map(|(_, cell)| notebook::source(cell)).collect()
}

/// Runs cells in a new session that keeps compiled cells in `folder`. Returns how many have failed.
fn run(installation: &Installation, folder: &Path, cells: &[String]) -> Result<usize> {
    let directory = tempfile::tempdir()?;
    // Cells of the lessons read some of these.
    write_all(directory.path(), STUDENTS_FILES.iter().copied())?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(RUN_CELLS).env(CELL_CACHE, folder).env(INSTALLATION, &installation.home).current_dir(directory.path());
    // With it cells are linked in another way, and are not for all machines.
    command.env_remove("LIBRARY_PATH");
    // The one who runs this, such as root in an image, may have somebody else's home.
    command.env("WARPCELL_CACHE_DIR", directory.path().join("cache"));
    let mut session = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    session.stdin.take().context("no pipe")?.write_all(serde_json::to_string(cells)?.as_bytes())?;
    let output = session.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    match said.trim().parse() {
        Ok(failed) if output.status.success() => Ok(failed),
        _ => bail!("the cells could not be run: {}", output.status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lessons_have_cells() {
        let lessons = of_lessons().unwrap();
        assert!(lessons.len() >= 6 && lessons.iter().all(|(_, cells)| cells.len() > 5), "{lessons:?}");
    }
}
