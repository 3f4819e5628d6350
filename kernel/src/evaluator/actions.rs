//! What the kernel does itself for magics: files, documentation, the next input.

use crate::evaluator::documentation;
use crate::evaluator::link::Link;
use crate::evaluator::paths::resolve;
use crate::evaluator::rust::RustEvaluator;
use crate::evaluator::{CellError, Outcome, Output, OutputSink, StreamName};
use crate::magics::{self, Action, Selection};
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// More than this in one cell is a mistake.
const LONGEST_INPUT: u64 = 8 << 20;

impl RustEvaluator {
    /// Does what a magic asks of the kernel.
    pub(super) fn act(&mut self, action: &Action, outcome: &mut Outcome, sink: &OutputSink) -> Result<(), CellError> {
        match action {
            Action::Print(text) => print(text, sink),
            Action::ListMagics => print(&magics::lsmagic(), sink),
            Action::Page(text) => {
                page(Map::from_iter([("text/plain".to_owned(), Value::from(text.as_str()))]), outcome);
            }
            Action::Describe { name, source } => self.describe(name, *source, outcome, sink),
            Action::Load { path, part } => load(path, part, &directory(&self.link), outcome)?,
            Action::Write { path, text, append } => {
                write(path, text, *append, &directory(&self.link), sink)?;
            }
            Action::CellTime => match &self.last_time {
                Some(time) => print(&time.to_string(), sink),
                None => print("No cell with code has run yet.", sink),
            },
        }
        Ok(())
    }

    /// Opens the documentation of a name, or says that there is none.
    fn describe(&mut self, name: &str, source: bool, outcome: &mut Outcome, sink: &OutputSink) {
        let known = self.context.as_mut().ok().and_then(|context| documentation::of(name, context));
        // Of macros there is the source only.
        let is_macro = name.ends_with('!');
        let last = name.trim_end_matches('!').rsplit("::").next().unwrap_or(name);
        let source = (source || is_macro).then(|| self.sources.of(last)).flatten();
        let mut data = match (known, &source) {
            (Some(data), _) => data,
            (None, Some(_)) => Map::new(),
            (None, None) => {
                let mut text = format!(
                    "Nothing is known of `{name}`. `%who` lists the variables; a path such as `gpu::zeros` leads to items \
                     of crates."
                );
                if self.session.installation.as_ref().is_ok_and(|installation| !installation.has_sources()) {
                    text += " The standard library's sources are missing; `warpcell doctor` says how to get them.";
                }
                return print(&text, sink);
            }
        };
        if let Some(source) = source {
            documentation::add_source(&mut data, &source);
        }
        page(data, outcome);
    }
}

/// Prints a text on the cell's stdout.
fn print(text: &str, sink: &OutputSink) {
    let text = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    sink(Output::Stream { name: StreamName::Stdout, text });
}

/// Opens the front end's pager.
fn page(data: Map<String, Value>, outcome: &mut Outcome) {
    outcome.payload.push(json!({ "source": "page", "data": data, "start": 0 }));
}

/// Makes a file, or a part of it, the text of the cell.
fn load(path: &str, part: &Selection, directory: &Path, outcome: &mut Outcome) -> Result<(), CellError> {
    let place = resolve(path, directory);
    let known = std::fs::metadata(&place).map_err(|error| file_error("%load", &place, "cannot be read", &error))?;
    if !known.is_file() || known.len() > LONGEST_INPUT {
        let (what, limit) = (known.len(), LONGEST_INPUT >> 20);
        let reason = if known.is_file() {
            format!("it has {what} bytes, more than {limit} MiB")
        } else {
            "it is not a file".to_owned()
        };
        return Err(file_error("%load", &place, "cannot be loaded", &reason));
    }
    let bytes = std::fs::read(&place).map_err(|error| file_error("%load", &place, "cannot be read", &error))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| file_error("%load", &place, "is not text", &format!("not UTF-8 at {}", error.utf8_error())))?;
    let text = part.of(&text).map_err(|problem| plain(format!("%load: {} {problem}", place.display())))?;
    // As a comment, so that running the cell does not load the file again.
    let text = format!("// %load {path}\n{}", text.trim_end_matches('\n'));
    outcome.payload.push(json!({ "source": "set_next_input", "text": text, "replace": true }));
    Ok(())
}

/// Writes a file and says so.
fn write(path: &str, text: &str, append: bool, directory: &Path, sink: &OutputSink) -> Result<(), CellError> {
    use std::io::Write;
    let place = resolve(path, directory);
    let word = match (append, place.exists()) {
        (true, _) => "Appending to",
        (false, true) => "Overwriting",
        (false, false) => "Writing",
    };
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(append).write(true).truncate(!append);
    options
        .open(&place)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| file_error("%%writefile", &place, "cannot be written", &error))?;
    print(&format!("{word} {path}"), sink);
    Ok(())
}

/// Where the cells are: the current directory of the process that runs them, else that of the kernel.
pub fn directory(link: &Link) -> PathBuf {
    let process = link.state().cell_process;
    process
        .and_then(|process| std::fs::read_link(format!("/proc/{process}/cwd")).ok())
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_default()
}

fn file_error(magic: &str, place: &Path, what: &str, error: &dyn Display) -> CellError {
    plain(format!("{magic}: {} {what}: {error}", place.display()))
}

fn plain(value: String) -> CellError {
    let traceback = vec![format!("\u{1b}[1;31mFileError\u{1b}[0m: {value}")];
    CellError { name: "FileError".to_owned(), value, traceback }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_loaded_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bytes"), [0xff, 0xfe]).unwrap();
        let failed =
            |path| load(path, &Selection::default(), folder.path(), &mut Outcome::default()).unwrap_err().value;
        assert!(failed("bytes").ends_with("is not text: not UTF-8 at invalid utf-8 sequence of 1 bytes from index 0"));
        assert!(failed("missing").contains("missing cannot be read: No such file"));
        assert!(failed(".").ends_with("cannot be loaded: it is not a file"));
        let long = std::fs::File::create(folder.path().join("long")).unwrap();
        long.set_len(LONGEST_INPUT + 1).unwrap();
        assert!(failed("long").contains("cannot be loaded: it has 8388609 bytes, more than 8 MiB"));
    }
}
