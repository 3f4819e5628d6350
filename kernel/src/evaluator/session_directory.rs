//! The directory of a session, and its installation: everything that must exist before evcxr starts.

use crate::choices;
use crate::environment;
use crate::installation::user::Needed;
use crate::installation::{Installation, place_of};
use crate::printing::errln;
use crate::private;
use crate::watcher;
use anyhow::{Context, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The session's directory: the thread that owns it need not come to its end when the kernel does.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Removes the session's files, at the end of the kernel.
pub fn remove_session_files() {
    if let Some(directory) = DIRECTORY.get() {
        // A directory that is gone need not be removed. A directory that cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(directory);
    }
}

/// The folders in it.
const FOLDERS: [&str; 3] = ["configuration", "context/src", environment::TEMPORARY];
/// The tools that are links to this program.
const TOOLS: [&str; 2] = ["cargo", "rustc"];

fn tools(session: &Path) -> PathBuf {
    environment::tool_home(session).join("bin")
}

fn make_files(session: &Path, program: &Path) -> Result<()> {
    for folder in FOLDERS.iter().map(|name| session.join(name)).chain([tools(session)]) {
        private::create(&folder)?;
    }
    for name in TOOLS {
        let link = tools(session).join(name);
        match std::os::unix::fs::symlink(program, &link) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(error).with_context(|| format!("{} cannot be made", link.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The session's directories, set up while the process has one thread.
pub struct SessionDirectory {
    directory: tempfile::TempDir,
    /// The installation, or why there is none.
    pub installation: std::result::Result<Installation, String>,
    /// Which directory the installation was when the session began.
    pub place: Option<(u64, u64)>,
    /// The program that runs, and which file it was when the session began.
    program: PathBuf,
    program_place: Option<(u64, u64)>,
    /// The installation to make first, if nobody has set Warpcell up.
    pub needed: Option<Needed>,
}

impl SessionDirectory {
    /// Makes the session's directory and prepares the environment.
    ///
    /// Must be called before any thread is started, because it changes the environment.
    pub fn prepare() -> Result<SessionDirectory> {
        let directory = private::temporary(&std::env::temp_dir(), "warpcell-")
            .context("no directory for the session's files could be made; is the temporary directory writable?")?;
        DIRECTORY.get_or_init(|| directory.path().to_owned());
        if let Err(error) = watcher::start(directory.path()) {
            errln!("{error:#}");
        }
        let program = std::env::current_exe().context("the path of this program cannot be found")?;
        make_files(directory.path(), &program)?;
        // The kernel also starts with a damaged installation, so that the first cell can report the problem.
        let installation = choices::installation()
            .map_err(|error| format!("{error:#}"))
            .and_then(|installation| installation.problem().map_or(Ok(installation), Err));
        let mut needed = None;
        let installation = installation.or_else(|problem| {
            needed = Needed::find(&program).map_err(|error| format!("{error:#}"))?;
            Err(problem)
        });
        let home = installation.as_ref().map(|found| &found.home).ok().or(needed.as_ref().map(|needed| &needed.home));
        if let Some(home) = home {
            environment::prepare_kernel(home, directory.path());
        }
        let place = installation.as_ref().ok().and_then(Installation::place);
        Ok(SessionDirectory { directory, installation, place, program_place: place_of(&program), program, needed })
    }

    /// Why cells cannot be compiled any longer, if the installation has changed since the session began.
    pub fn problem(&self) -> Option<String> {
        let installation = self.installation.as_ref().ok()?;
        let place = installation.place();
        let home = installation.home.display();
        if place.is_none() {
            return Some(format!(
                "The installation that this kernel runs from is gone: {home} does not exist. The variables are still \
                 there, but no cell can be compiled. Install Warpcell again and restart the kernel."
            ));
        }
        // The installation may be in the user's cache, and the program in an environment.
        let program = place_of(&self.program);
        if program.is_none() {
            return Some(format!(
                "The environment that this kernel runs from is gone: {} does not exist. The variables are still there, \
                 but no cell can be compiled. Install Warpcell again and restart the kernel.",
                self.program.display()
            ));
        }
        if place != self.place || program != self.program_place {
            return Some(format!(
                "Warpcell was installed again in {} while this kernel was running. Cells of the old and the new \
                 installation cannot work together. Restart the kernel; this deletes the variables.",
                if place == self.place { self.program.display() } else { home }
            ));
        }
        installation.problem()
    }

    /// Creates the removed files of the session again, except the files that evcxr writes.
    pub fn make_files(&self) -> Result<()> {
        make_files(self.path(), &self.program)
    }

    /// Why cells cannot be compiled, if somebody has removed files of the session, for example by cleaning the folder
    /// for temporary files.
    pub fn missing(&self) -> Option<String> {
        let tools = tools(self.path());
        let needed = FOLDERS.iter().map(|name| self.path().join(name)).chain(TOOLS.iter().map(|name| tools.join(name)));
        let missing = needed.chain([self.supervisor_socket()]).find(|path| path.symlink_metadata().is_err())?;
        Some(format!(
            "The kernel's own files are gone: {} does not exist. Something has removed them while the kernel was running. No cell can \
             be compiled; `:restart` makes them again. It keeps functions, types and imports, but not variables.",
            missing.display()
        ))
    }

    /// The socket on which the kernel listens to supervisors.
    pub fn supervisor_socket(&self) -> PathBuf {
        self.path().join("supervisor.socket")
    }

    /// The session's directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The source of the cell crate as evcxr wrote it last.
    pub fn written_source(&self) -> PathBuf {
        self.path().join("context").join("src").join("lib.rs")
    }

    /// The source of the cell crate as the build step last compiled it.
    pub fn compiled_source(&self) -> PathBuf {
        self.path().join("context").join("build").join("lib.rs")
    }
}
