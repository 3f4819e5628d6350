//! Answers to the questions that a session asks cargo and rustc before its first cell: questions about the compiler,
//! and the cells that evcxr and the kernel run themselves. They are recorded at installation and returned at every
//! start. Starting cargo and rustc for them would take most of a second.
//!
//! An answer is returned only for exactly the recorded question: the same arguments, or the same source with the same
//! arguments. Other calls go to the real tools.

use crate::environment::RECORD;
use crate::files;
use crate::hashing::hash;
use crate::installation::Installation;
use crate::installation::package::metadata::{CONTEXT_PLACEHOLDER, HOME_PLACEHOLDER};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The placeholder for the toolchain's directory.
const TOOLCHAIN_PLACEHOLDER: &str = "/@WARPCELL-TOOLCHAIN@";

/// A question and its answer, as recorded.
#[derive(Serialize, Deserialize)]
struct Recorded {
    question: String,
    /// The output of the tool. For a compiled cell, the name of the library beside this file.
    answer: String,
}

/// Whether this process belongs to the start that the installation records.
pub fn is_recording() -> bool {
    std::env::var_os(RECORD).is_some()
}

/// The recorded answer of a tool to a question about itself, if there is one. While recording, asks the tool.
pub fn answer(
    installation: &Installation,
    tool: &str,
    arguments: &[OsString],
    context: Option<&Path>,
    ask: impl FnOnce() -> Command,
) -> Result<Option<String>> {
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    if words.len() != arguments.len() || !is_question(tool, &words) {
        return Ok(None);
    }
    let places = PathPlaceholders::new(installation, context);
    let question = places.hide(&format!("{tool}\n{}", words.join("\n")));
    if is_recording() {
        let output = ask().args(arguments).output().with_context(|| format!("{tool} cannot be run"))?;
        if !output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8(output.stdout).with_context(|| format!("{tool} does not answer in UTF-8"))?;
        write(installation, &Recorded { question, answer: places.hide(&text) })?;
        return Ok(Some(text));
    }
    Ok(read(installation, &question).map(|answer| places.show(&answer)))
}

/// Directories that may change between recording and use, with their placeholders.
struct PathPlaceholders(Vec<(String, &'static str)>);

impl PathPlaceholders {
    fn new(installation: &Installation, context: Option<&Path>) -> PathPlaceholders {
        let known = [
            (context, CONTEXT_PLACEHOLDER),
            (Some(installation.home.as_path()), HOME_PLACEHOLDER),
            (Some(installation.record.toolchain.as_path()), TOOLCHAIN_PLACEHOLDER),
        ];
        let paths = known.into_iter().filter_map(|(path, stands_for)| Some((path?.to_str()?.to_owned(), stands_for)));
        PathPlaceholders(paths.collect())
    }

    fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (path, stands_for)| text.replace(path, stands_for))
    }

    fn show(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (path, stands_for)| text.replace(stands_for, path))
    }
}

/// Whether a call does nothing but print what depends on the tool alone.
fn is_question(tool: &str, words: &[&str]) -> bool {
    let prints = words.iter().any(|word| word.starts_with("--print") || ["-vV", "-Vv", "--version"].contains(word));
    match tool {
        "rustc" => prints,
        _ => {
            words.first() == Some(&"locate-project")
                || (words.first() == Some(&"rustc") && prints)
                || words == ["--version"]
        }
    }
}

/// Copies the recorded library of one of the session's own cells to the place where the compiler would write it. While
/// recording, compiles the cell. Returns the compiler's exit status.
pub fn own_cell(
    installation: &Installation,
    source: &str,
    command: &mut Command,
    context: &Path,
    library: &Path,
) -> Result<Option<i32>> {
    let question = compilation(source, command, context);
    if is_recording() {
        let status = command.status().context("the compiler cannot be run")?;
        if status.success() {
            let answer = format!("{}.so", hash(&question));
            std::fs::copy(library, installation.recorded().join(&answer))?;
            write(installation, &Recorded { question, answer })?;
        }
        return Ok(Some(status.code().unwrap_or(1)));
    }
    let recorded = read(installation, &question)
        .is_some_and(|name| std::fs::copy(installation.recorded().join(name), library).is_ok());
    Ok(recorded.then_some(0))
}

/// A compilation by its arguments and its source; sessions differ in their directory only.
fn compilation(source: &str, command: &Command, context: &Path) -> String {
    let place = context.to_string_lossy();
    let arguments: Vec<String> =
        command.get_args().map(|argument| argument.to_string_lossy().replace(&*place, CONTEXT_PLACEHOLDER)).collect();
    format!("{}\n\n{source}", arguments.join("\n"))
}

fn read(installation: &Installation, question: &str) -> Option<String> {
    let text = std::fs::read_to_string(file(installation, question)).ok()?;
    // One that cannot be read is as good as none.
    let recorded: Recorded = serde_json::from_str(&text).ok()?;
    (recorded.question == question).then_some(recorded.answer)
}

fn write(installation: &Installation, recorded: &Recorded) -> Result<()> {
    files::write(&file(installation, &recorded.question), serde_json::to_string(recorded)?)
}

fn file(installation: &Installation, question: &str) -> PathBuf {
    installation.recorded().join(format!("{}.json", hash(&question)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_about_the_tools_are_recorded() {
        assert!(is_question("rustc", &["-vV"]));
        assert!(is_question("rustc", &["-O", "--print", "cfg", "--target", "x"]));
        assert!(is_question("cargo", &["rustc", "-Z", "unstable-options", "--print", "cfg"]));
        assert!(is_question("cargo", &["locate-project", "--workspace"]));
        assert!(!is_question("cargo", &["rustc", "--release"]));
        assert!(!is_question("cargo", &["metadata", "--format-version", "1"]));
        assert!(!is_question("rustc", &["lib.rs"]));
    }

    #[test]
    fn a_compilation_is_told_apart_by_source_and_arguments() {
        let command = |level: &str| {
            let mut command = Command::new("rustc");
            command.arg("/tmp/one/lib.rs").arg(level);
            command
        };
        let question = |source, level, context| compilation(source, &command(level), Path::new(context));
        assert_eq!(question("a", "-O", "/tmp/one"), question("a", "-O", "/tmp/one"));
        assert_ne!(question("a", "-O", "/tmp/one"), question("b", "-O", "/tmp/one"));
        assert_ne!(question("a", "-O", "/tmp/one"), question("a", "-g", "/tmp/one"));
        assert!(question("a", "-O", "/tmp/one").contains(CONTEXT_PLACEHOLDER), "sessions differ in their directory");
    }
}
