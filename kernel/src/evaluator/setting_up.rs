//! Waiting for an installation that is being made when the kernel starts for the first time. A process of its own makes it, with
//! the user's environment, while the kernel answers clients; the first cell waits for it and shows what it says.

use crate::environment::{self, INSTALLATION, SESSION};
use crate::installation::Installation;
use crate::user_installation::Needed;
use anyhow::{Context, Result, anyhow};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// An installation that is being made.
pub struct SettingUp {
    child: Child,
    /// What the process says, line by line.
    lines: Receiver<String>,
    errors: ChildStderr,
    home: PathBuf,
    began: Instant,
    /// What was said and not shown yet.
    news: String,
    /// Whether the line that is shown last can be overwritten.
    is_open: bool,
}

impl SettingUp {
    /// Starts the process for a session.
    pub fn start(needed: &Needed, session: &Path) -> Result<SettingUp> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["setup", "--for-user"]).process_group(0).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        environment::restore_user(&mut command);
        // By the session's name the watcher finds it if the kernel ends.
        command.env_remove(INSTALLATION).env(SESSION, session);
        let mut child = command.spawn().context("the process that sets Warpcell up cannot be started")?;
        let output = child.stdout.take().context("its output is missing")?;
        let errors = child.stderr.take().context("its messages are missing")?;
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(std::result::Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        let duration =
            if needed.is_quick() { "some seconds" } else { "some minutes, as the array library is built for it" };
        let news = format!(
            "Warpcell is being set up for this user and {}; this happens once and takes {duration}.\n",
            needed.toolchain.compiler
        );
        Ok(SettingUp { child, lines, errors, home: needed.home.clone(), began: Instant::now(), news, is_open: false })
    }

    /// Waits a little. Gives the installation if it is made, or why there is none.
    pub fn wait(&mut self, patience: Duration) -> Option<Result<Installation>> {
        let deadline = Instant::now() + patience;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.say(&line),
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => return Some(self.end()),
            }
        }
    }

    /// Waits to the end, and shows what is said.
    pub fn finish(&mut self, show: &mut dyn FnMut(&str)) -> Result<Installation> {
        loop {
            show(&self.take_news());
            match self.lines.recv() {
                Ok(line) => self.say(&line),
                Err(_) => break,
            }
        }
        let made = self.end();
        show(&self.take_news());
        made
    }

    /// What was said and not shown yet.
    pub fn take_news(&mut self) -> String {
        std::mem::take(&mut self.news)
    }

    /// A line of progress takes the place of the one before.
    fn say(&mut self, line: &str) {
        self.news.push_str(if self.is_open { "\r" } else { "" });
        self.news.push_str(line);
        self.is_open = true;
    }

    fn end(&mut self) -> Result<Installation> {
        let mut said = String::new();
        // What cannot be read cannot be shown.
        let _ = self.errors.read_to_string(&mut said);
        let status = self.child.wait().context("the process that sets Warpcell up is lost")?;
        if self.is_open {
            self.news.push('\n');
            self.is_open = false;
        }
        if !status.success() {
            let said = said.trim().trim_start_matches("warpcell: ");
            return Err(anyhow!("Warpcell could not be set up ({status}): {said}"));
        }
        let installation = Installation::open(&self.home)?;
        let seconds = self.began.elapsed().as_secs();
        self.news.push_str(&format!("Warpcell was set up in {seconds} s, in {}.\n", self.home.display()));
        Ok(installation)
    }
}

impl Drop for SettingUp {
    fn drop(&mut self) {
        // It has come to its end, or the kernel does.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
