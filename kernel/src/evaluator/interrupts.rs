//! Interrupts of Rust cells. An interrupt is for one cell. It never stops another cell or the session's own work.

use crate::build_step::{BuildRequest, stop_compiler};
use crate::environment::{input_socket, interrupt_word};
use crate::evaluator::supervisor_link::{SupervisorLink, signal};
use crate::evaluator::{InputAnswer, InterruptHandle};
use crate::local_socket;
use crate::printing::errln;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A cell that still runs after this time is in a call that cannot be stopped.
const PATIENCE: Duration = Duration::from_secs(1);
/// What a cell waits for before its code runs.
const COMPILER: &str = "Waiting for the compiler. The first cell of a session takes longer than those after it.";

const CANNOT_BE_STOPPED: &str = "\
Interrupted: the cell is in a call that cannot be stopped, and ends when that call returns. Interrupt once more to end the \
process at once; this deletes all variables.
";

/// The handle with which other threads stop a cell.
pub struct Interrupts {
    session: PathBuf,
    link: Arc<SupervisorLink>,
    cells: Mutex<Cells>,
    /// The word that running cells look at.
    word: Mutex<File>,
}

#[derive(Default)]
struct Cells {
    /// The cell that can be stopped.
    current: Option<u64>,
    /// The last cell that has begun.
    begun: u64,
    /// The last cell that must stop.
    asked: u64,
    /// When the user first asked for that.
    asked_at: Option<Instant>,
}

impl Interrupts {
    /// For the session of this directory.
    pub fn new(session: PathBuf, link: Arc<SupervisorLink>) -> Result<Interrupts> {
        let word = Mutex::new(make_word(&session)?);
        Ok(Interrupts { session, link, cells: Mutex::default(), word })
    }

    /// Creates the word again, for cell processes that start later.
    pub fn renew(&self) -> Result<()> {
        *self.word.lock().unwrap_or_else(PoisonError::into_inner) = make_word(&self.session)?;
        Ok(())
    }

    fn set_word(&self, value: bool) -> Result<()> {
        let word = self.word.lock().unwrap_or_else(PoisonError::into_inner);
        word.write_all_at(&u32::from(value).to_ne_bytes(), 0).context("running cells cannot be reached")
    }

    /// From here on the cell can be stopped; leaves the request for its compilation.
    pub fn begin(&self, cell: u64, request: BuildRequest) -> Result<()> {
        let mut cells = self.cells();
        cells.current = Some(cell);
        cells.begun = cell;
        self.set_word(cells.asked >= cell)?;
        BuildRequest { interrupted: cells.asked >= cell, ..request }.write(&self.session)
    }

    /// From here on no cell can be stopped. The session's own work follows.
    pub fn end(&self) -> Result<()> {
        let mut cells = self.cells();
        cells.current = None;
        self.set_word(false)?;
        BuildRequest::default().write(&self.session)
    }

    /// From here on a call of an interaction's closure can be stopped. Nothing is compiled for it.
    pub fn begin_call(&self, number: u64) -> Result<()> {
        let mut cells = self.cells();
        cells.current = Some(number);
        cells.begun = number;
        self.set_word(cells.asked >= number)
    }

    /// The call is over.
    pub fn end_call(&self, number: u64) -> Result<()> {
        if self.is_interrupted(number) {
            return self.end();
        }
        self.cells().current = None;
        Ok(())
    }

    /// Whether the user has asked to stop the cell.
    pub fn is_interrupted(&self, cell: u64) -> bool {
        self.cells().asked >= cell
    }

    fn cells(&self) -> MutexGuard<'_, Cells> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make_word(session: &Path) -> Result<File> {
    let path = interrupt_word(session);
    let word = File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
    word.write_all_at(&0u32.to_ne_bytes(), 0)?;
    Ok(word)
}

impl InterruptHandle for Interrupts {
    fn interrupt(&self, cell: u64) {
        let mut cells = self.cells();
        // A user who presses the key twice quickly does not want to lose the variables.
        let again = cells.asked >= cell && cells.asked_at.is_some_and(|first| first.elapsed() >= PATIENCE);
        if cells.asked < cell {
            cells.asked = cell;
            cells.asked_at = Some(Instant::now());
        }
        if cells.current != Some(cell) {
            return;
        }
        // The order matters: a compiler that starts after this line ends without help.
        let request = BuildRequest { interrupted: true, ..BuildRequest::read(&self.session) };
        if let Err(error) = request.write(&self.session).and_then(|()| self.set_word(true)) {
            errln!("the interrupt cannot be passed on: {error:#}");
        }
        stop_compiler(&self.session);
        let state = self.link.state();
        if state.asks {
            // The cell only waits, so it can end without a signal.
            drop(state);
            self.answer(InputAnswer::Interrupted);
            return;
        }
        if !state.running {
            return;
        }
        if again {
            signal(state.cell_process, libc::SIGKILL);
            return;
        }
        signal(state.cell_process, libc::SIGINT);
        drop(state);
        let link = Arc::clone(&self.link);
        let watched = std::thread::Builder::new()
            .name("interrupted cell".to_owned())
            .spawn(move || link.say_if_it_still_runs(PATIENCE, CANNOT_BE_STOPPED));
        if let Err(error) = watched {
            errln!("nobody watches the interrupted cell: {error}");
        }
    }

    fn has_not_run(&self, cell: u64) -> bool {
        // Until a cell has begun, the link tells of what ran before it.
        self.cells().begun < cell || !self.link.state().has_run
    }

    fn waits_for(&self, cell: u64) -> Option<&'static str> {
        self.has_not_run(cell).then_some(COMPILER)
    }

    fn answer(&self, answer: InputAnswer) {
        if !std::mem::take(&mut self.link.state().asks) {
            return;
        }
        let answered = serde_json::to_vec(&answer)
            .map_err(std::io::Error::other)
            .and_then(|answer| local_socket::connect(&input_socket(&self.session))?.write_all(&answer));
        if let Err(error) = answered {
            errln!("what was typed cannot be passed on: {error}");
        }
    }

    fn forget(&self, interaction: &str) {
        self.link.forget(interaction);
    }

    fn kill(&self) {
        stop_compiler(&self.session);
        signal(self.link.state().cell_process, libc::SIGKILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interrupts(directory: &std::path::Path) -> Interrupts {
        Interrupts::new(directory.to_owned(), Arc::default()).unwrap()
    }

    #[test]
    fn an_interrupt_meets_its_cell_only() {
        let directory = tempfile::tempdir().unwrap();
        let interrupts = interrupts(directory.path());
        let stopped = || BuildRequest::read(directory.path()).interrupted;
        interrupts.begin(1, BuildRequest::default()).unwrap();
        interrupts.end().unwrap();
        interrupts.begin(2, BuildRequest::default()).unwrap();
        interrupts.interrupt(1);
        assert!(!interrupts.is_interrupted(2) && !stopped(), "it was for the cell before");
        interrupts.interrupt(2);
        assert!(interrupts.is_interrupted(2) && stopped());
        interrupts.begin(3, BuildRequest { checked: true, ..BuildRequest::default() }).unwrap();
        interrupts.interrupt(3);
        assert!(BuildRequest::read(directory.path()).checked, "a cell that is checked must not run then");
        interrupts.end().unwrap();
        assert!(!stopped(), "what the session does for itself comes to its end");
        interrupts.interrupt(2);
        assert!(!stopped());
    }

    #[test]
    fn an_interrupt_just_before_the_cell_counts() {
        let directory = tempfile::tempdir().unwrap();
        let interrupts = interrupts(directory.path());
        interrupts.interrupt(3);
        interrupts.link.state().has_run = true;
        assert!(interrupts.has_not_run(3), "what has run was before the cell");
        interrupts.link.begin(Arc::new(|_| {}), Box::new(str::to_owned));
        interrupts.begin(3, BuildRequest { timed: true, ..BuildRequest::default() }).unwrap();
        assert!(interrupts.has_not_run(3));
        interrupts.link.state().has_run = true;
        assert!(!interrupts.has_not_run(3));
        assert!(interrupts.is_interrupted(3));
        assert_eq!(
            BuildRequest::read(directory.path()),
            BuildRequest { timed: true, interrupted: true, ..BuildRequest::default() }
        );
    }
}
