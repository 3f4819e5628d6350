//! What the kernel does itself for magics: files, documentation, the next input.

use crate::evaluator::link::Link;
use crate::evaluator::{CellError, Outcome, Output, OutputSink, StreamName};
use crate::magics::Selection;
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// More than this in one cell is a mistake.
const LONGEST_INPUT: u64 = 8 << 20;

/// Prints a text on the cell's stdout.
pub fn print(text: &str, sink: &OutputSink) {
    let text = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    sink(Output::Stream { name: StreamName::Stdout, text });
}

/// Opens the front end's pager.
pub fn page(data: Map<String, Value>, outcome: &mut Outcome) {
    outcome.payload.push(json!({ "source": "page", "data": data, "start": 0 }));
}

/// Makes a file, or a part of it, the text of the cell.
pub fn load(path: &str, part: &Selection, directory: &Path, outcome: &mut Outcome) -> Result<(), CellError> {
    let place = resolve(path, directory);
    let known = std::fs::metadata(&place).map_err(|error| file_error("%load", &place, "cannot be read", &error))?;
    if !known.is_file() || known.len() > LONGEST_INPUT {
        let (what, limit) = (known.len(), LONGEST_INPUT >> 20);
        let reason = if known.is_file() {
            format!("it has {what} bytes, more than {limit} MiB")
        } else {
            "it is no file".to_owned()
        };
        return Err(file_error("%load", &place, "cannot be loaded", &reason));
    }
    let bytes = std::fs::read(&place).map_err(|error| file_error("%load", &place, "cannot be read", &error))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| file_error("%load", &place, "is no text", &format!("not UTF-8 at {}", error.utf8_error())))?;
    let text = part.of(&text).map_err(|problem| plain(format!("%load: {} {problem}", place.display())))?;
    // As a comment, so that running the cell does not load the file again.
    let text = format!("// %load {path}\n{}", text.trim_end_matches('\n'));
    outcome.payload.push(json!({ "source": "set_next_input", "text": text, "replace": true }));
    Ok(())
}

/// Writes a file and says so.
pub fn write(path: &str, text: &str, append: bool, directory: &Path, sink: &OutputSink) -> Result<(), CellError> {
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

/// The place that a user's path means.
pub fn resolve(path: &str, directory: &Path) -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default();
    match path.strip_prefix('~') {
        Some("") => home(),
        Some(within) if within.starts_with('/') => home().join(within.trim_start_matches('/')),
        _ => directory.join(path),
    }
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
    fn paths_go_from_the_directory_of_the_cells() {
        let home = std::env::home_dir().unwrap();
        for (path, expected) in [("a b.rs", "/d/a b.rs".into()), ("/a", "/a".into()), ("~", home.clone())] {
            assert_eq!(resolve(path, Path::new("/d")), expected);
        }
        assert_eq!(resolve("~/x", Path::new("/d")), home.join("x"));
        assert_eq!(resolve("~x", Path::new("/d")), Path::new("/d/~x"));
    }

    #[test]
    fn a_file_that_cannot_be_loaded_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bytes"), [0xff, 0xfe]).unwrap();
        let failed =
            |path| load(path, &Selection::default(), folder.path(), &mut Outcome::default()).unwrap_err().value;
        assert!(failed("bytes").ends_with("is no text: not UTF-8 at invalid utf-8 sequence of 1 bytes from index 0"));
        assert!(failed("missing").contains("missing cannot be read: No such file"));
        assert!(failed(".").ends_with("cannot be loaded: it is no file"));
        let long = std::fs::File::create(folder.path().join("long")).unwrap();
        long.set_len(LONGEST_INPUT + 1).unwrap();
        assert!(failed("long").contains("cannot be loaded: it has 8388609 bytes, more than 8 MiB"));
    }
}
