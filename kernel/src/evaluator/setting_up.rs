//! Waits for an installation that is made at the first start of a kernel. A separate process makes it, in the user's
//! environment. The kernel answers clients meanwhile. The first cell waits for the installation and shows its messages.

use crate::environment::{self, INSTALLATION, SESSION};
use crate::installation::Installation;
use crate::installation::toolchain::search::Surroundings;
use crate::installation::user::Needed;
use anyhow::{Context, Result, anyhow};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// An installation that is being made.
pub struct SettingUp {
    child: Child,
    /// The output of the process, line by line.
    lines: Receiver<String>,
    /// Gathers its messages.
    messages: Option<JoinHandle<String>>,
    home: PathBuf,
    began: Instant,
    /// Messages that were not shown yet.
    news: String,
    /// The line of progress that stands last.
    open: Open,
}

/// A line that the next one overwrites.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    None,
    /// It was shown.
    Shown,
    /// It begins here in the news.
    At(usize),
}

/// How many lines of messages are shown if the installation fails.
const LAST_LINES: usize = 30;

impl SettingUp {
    /// Starts the process for a session.
    pub fn start(needed: &Needed, session: &Path) -> Result<SettingUp> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["setup", "--for-user"]).process_group(0).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        environment::restore_user(&mut command);
        // By the session's name the watcher finds it if the kernel ends.
        command.env_remove(INSTALLATION).env(SESSION, session);
        let child = command.spawn().context("the process that sets Warpcell up cannot be started")?;
        let (duration, shortcut) = if needed.is_quick() {
            ("some seconds", None)
        } else {
            ("some minutes, as the array library is built for it", Surroundings::here(None).shortcut())
        };
        let mut news = format!(
            "Warpcell is being set up for this user and {}; this happens once and takes {duration}.\n",
            needed.toolchain.compiler
        );
        if let Some(command) = shortcut {
            news += &format!(
                "A faster way: shut the kernel down, run `{command}` in a terminal, and start it again: then it takes seconds.\n"
            );
        }
        SettingUp::watch(child, needed.home.clone(), news)
    }

    /// Reads the output of a process through pipes. `news` is shown before it.
    fn watch(mut child: Child, home: PathBuf, news: String) -> Result<SettingUp> {
        let output = child.stdout.take().context("its output is missing")?;
        let errors = child.stderr.take().context("its messages are missing")?;
        let messages = std::thread::spawn(move || last_lines(errors));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(std::result::Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Ok(SettingUp { child, lines, messages: Some(messages), home, began: Instant::now(), news, open: Open::None })
    }

    /// Waits for a short time. Returns the installation, or the error, when the process has ended.
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

    /// Waits until the process has ended, and shows its messages.
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

    /// The messages that were not shown yet.
    pub fn take_news(&mut self) -> String {
        if self.open != Open::None {
            self.open = Open::Shown;
        }
        std::mem::take(&mut self.news)
    }

    /// Records a line of progress. It replaces the line before.
    fn say(&mut self, line: &str) {
        match self.open {
            Open::None => self.open = Open::At(self.news.len()),
            Open::Shown => {
                self.open = Open::At(self.news.len());
                self.news.push('\r');
            }
            Open::At(start) => self.news.truncate(start + usize::from(self.news[start..].starts_with('\r'))),
        }
        self.news.push_str(line);
    }

    fn end(&mut self) -> Result<Installation> {
        let said = self.messages.take().and_then(|messages| messages.join().ok()).unwrap_or_default();
        let status = self.child.wait().context("the process that sets Warpcell up is lost")?;
        if self.open != Open::None {
            self.news.push('\n');
            self.open = Open::None;
        }
        if !status.success() {
            return Err(anyhow!("Warpcell could not be set up ({status}):\n{said}"));
        }
        let installation = Installation::open(&self.home)?;
        let seconds = self.began.elapsed().as_secs();
        self.news.push_str(&format!("Warpcell was set up in {seconds} s, in {}.\n", self.home.display()));
        Ok(installation)
    }
}

/// The last lines of an output, when the output has ended.
fn last_lines(messages: impl Read) -> String {
    let mut last = VecDeque::new();
    for line in BufReader::new(messages).split(b'\n').map_while(std::result::Result::ok) {
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(String::from_utf8_lossy(&line).into_owned());
    }
    Vec::from(last).join("\n")
}

impl Drop for SettingUp {
    fn drop(&mut self) {
        // It has come to its end, or the kernel does.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting_up(script: &str) -> SettingUp {
        let child =
            Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        SettingUp::watch(child, "/nowhere".into(), "begun\n".into()).unwrap()
    }

    #[test]
    fn a_line_of_progress_overwrites_the_one_before() {
        let mut process = setting_up("true");
        process.say("1 of 3");
        process.say("2 of 3");
        assert_eq!(process.take_news(), "begun\n2 of 3");
        process.say("2 of 3 again");
        process.say("3 of 3");
        assert_eq!(process.take_news(), "\r3 of 3");
    }

    #[test]
    fn a_failure_is_told_with_its_last_messages() {
        // More than a pipe holds.
        let mut process = setting_up("echo one; seq 100000 >&2; echo 'warpcell: no room' >&2; exit 3");
        let mut shown = String::new();
        let error = process.finish(&mut |text| shown.push_str(text)).unwrap_err().to_string();
        assert_eq!(shown, "begun\none\n");
        assert!(error.ends_with("100000\nwarpcell: no room"), "{error}");
        assert_eq!(error.lines().count(), 1 + LAST_LINES, "{error}");
    }
}
