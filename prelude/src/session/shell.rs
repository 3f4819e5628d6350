//! Commands of the shell: what `!command` and `%%bash` call.

use crate::session::driver_settings;
use std::process::{Command, ExitStatus, Stdio};

/// Runs a command line in `sh`. What it writes is shown as it comes; there is nothing for it to read.
///
/// **Panics** if it fails.
#[track_caller]
pub fn shell(line: &str) {
    let status = run("sh", line);
    assert!(status.success(), "`!{line}` failed: {}", in_words(status));
}

/// Runs a script by `program`, such as `bash`. What it writes is shown as it comes; there is nothing for it to read.
///
/// **Panics** if the program cannot be started or, with `must_succeed`, if the script fails.
#[track_caller]
pub fn script(program: &str, must_succeed: bool, text: &str) {
    let status = run(program, text);
    assert!(!must_succeed || status.success(), "the {program} script failed: {}", in_words(status));
}

#[track_caller]
fn run(program: &str, text: &str) -> ExitStatus {
    // What the cell has printed so far comes first.
    crate::output::flush();
    let mut command = Command::new(program);
    driver_settings::keep_from(&mut command);
    match command.arg("-c").arg(text).stdin(Stdio::null()).status() {
        Ok(status) => {
            // An interrupt ends the command, and the cell with it.
            crate::cell::check();
            status
        }
        Err(error) => panic!("`{program}` cannot be started: {error}"),
    }
}

fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(127), _) => "exit status 127 (a command was not found)".to_owned(),
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_in_words() {
        for (line, expected) in [
            ("exit 3", "exit status 3"),
            ("no-such-command-at-all 2> /dev/null", "exit status 127 (a command was not found)"),
            ("kill -9 $$", "ended by signal 9"),
        ] {
            assert_eq!(in_words(run("sh", line)), expected, "{line}");
        }
    }

    #[test]
    #[should_panic(expected = "`!false` failed: exit status 1")]
    fn a_failing_command_panics() {
        shell("false");
    }

    #[test]
    fn a_script_may_be_allowed_to_fail() {
        script("sh", false, "\nexit 1");
    }

    #[test]
    #[should_panic(expected = "`no-such-shell` cannot be started")]
    fn a_shell_that_is_not_there() {
        script("no-such-shell", false, "");
    }
}
