//! The directories of a session, and the installation that it works with: what is there before evcxr starts.

use crate::choices;
use crate::environment;
use crate::installation::{Installation, place_of};
use crate::private;
use crate::user_installation::Needed;
use crate::watcher;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The session's directory: the thread that owns it need not come to its end when the kernel does.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Removes the session's files, at the end of the kernel.
pub fn remove_session_files() {
    if let Some(directory) = DIRECTORY.get() {
        // What is not there any more need not be removed; what cannot be is left to the system's own cleaning.
        let _ = std::fs::remove_dir_all(directory);
    }
}

/// The session's directories, set up while the process has one thread.
pub struct Session {
    directory: tempfile::TempDir,
    /// The installation, or why there is none.
    pub installation: std::result::Result<Installation, String>,
    /// Which directory the installation was when the session began.
    pub place: Option<(u64, u64)>,
    /// The program that runs, and which file it was when the session began.
    program: PathBuf,
    program_place: Option<(u64, u64)>,
    /// What has to be made first, if nobody has set Warpcell up.
    pub needed: Option<Needed>,
}

impl Session {
    /// Makes the session's directory and prepares the environment.
    ///
    /// Must be called before any thread is started, because it changes the environment.
    pub fn prepare() -> Result<Session> {
        let directory = private::temporary(&std::env::temp_dir(), "warpcell-")
            .context("no directory for the session's files could be made; is the temporary directory writable?")?;
        DIRECTORY.get_or_init(|| directory.path().to_owned());
        if let Err(error) = watcher::start(directory.path()) {
            eprintln!("{error:#}");
        }
        for name in ["configuration", "context", environment::TEMPORARY] {
            std::fs::create_dir(directory.path().join(name))?;
        }
        let program = std::env::current_exe().context("the path of this program cannot be found")?;
        let tools = environment::tool_home(directory.path()).join("bin");
        std::fs::create_dir_all(&tools)?;
        for name in ["cargo", "rustc"] {
            std::os::unix::fs::symlink(&program, tools.join(name))?;
        }
        // With a damaged installation the kernel still starts, so that the first cell can say what is wrong.
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
        Ok(Session { directory, installation, place, program_place: place_of(&program), program, needed })
    }

    /// What has become of the installation since the session began, if that keeps cells from being compiled.
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
                "Warpcell was installed anew in {} while this kernel was running, and cells do not mix with those of \
                 the old installation. Restart the kernel; the variables are lost by that.",
                if place == self.place { self.program.display() } else { home }
            ));
        }
        installation.problem()
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
