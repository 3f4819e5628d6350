//! Records of the programs that a process asks for, as files in a folder: `WARPCELL_RECORD_PROGRAMS` names it. `warpcell export --embed`
//! compiles them for programs that have no NVRTC.
//!
//! A record is a file of CUDA C. Its first lines are comments with what else there is to know. It is named by the
//! [key](Request::key) of the program, so a program that several processes ask for has one record. Files are written under another
//! name and renamed.

use super::cache::{self, Key};
use std::collections::BTreeSet;
use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use warpcell_base::error::{Error, Result};

/// The environment variable that names the folder.
pub const VARIABLE: &str = "WARPCELL_RECORD_PROGRAMS";

/// The first line of a record.
const HEAD: &str = "// A program of Warpcell's, format 1.";
/// The line above the source.
const END: &str = "// end of the head";
/// The ending of a record's name.
const ENDING: &str = "cu";

/// A program as the backend asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What the compiler's messages call the source.
    pub name: &'a str,
    pub source: &'a str,
    /// The options, without those that depend on the device, the compiler or the machine.
    pub options: &'a [String],
    /// The functions that are meant, by the names that C++ has for them. None of a program of ours: its functions are `extern "C"`,
    /// and it is [minimal](super::nvrtc::Nvrtc::minimal).
    pub functions: Option<&'a [String]>,
}

/// A program that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub name: String,
    pub source: String,
    pub options: Vec<String>,
    pub functions: Option<Vec<String>>,
}

impl Request<'_> {
    /// What tells it from all other programs, whatever it is compiled for. Names of files do not count.
    pub fn key(&self) -> Key {
        let kind = if self.functions.is_some() { &b"named"[..] } else { b"ours" };
        // A list's length stands before it, so that no option is taken for a function.
        let count = (self.options.len() as u64).to_le_bytes();
        let parts = [kind, self.source.as_bytes(), &count];
        let more = self.options.iter().chain(self.functions.into_iter().flatten());
        Key::of(parts.into_iter().chain(more.map(|text| text.as_bytes())))
    }

    /// The program in words: its name, and the macros that choose what it does.
    pub fn label(&self) -> String {
        let macros: Vec<&str> = self.options.iter().filter_map(|option| option.strip_prefix("-DWARPCELL_")).collect();
        if macros.is_empty() { format!("`{}`", self.name) } else { format!("`{}` ({})", self.name, macros.join(", ")) }
    }
}

impl Recorded {
    pub fn request(&self) -> Request<'_> {
        let Recorded { name, source, options, functions } = self;
        Request { name, source, options, functions: functions.as_deref() }
    }
}

/// Where programs are recorded, if they are. Asked once per process, so that a later change of the working directory means nothing.
fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let folder = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from)?;
        Some(std::path::absolute(&folder).unwrap_or(folder))
    };
    FOLDER.get_or_init(find).as_deref()
}

/// Whether programs are recorded.
pub fn is_wished() -> bool {
    folder().is_some()
}

/// Records a program, if that is wished and this process has not done it.
pub fn note(request: &Request<'_>) -> Result<()> {
    let Some(folder) = folder() else { return Ok(()) };
    static NOTED: Mutex<BTreeSet<Key>> = Mutex::new(BTreeSet::new());
    let key = request.key();
    if NOTED.lock().unwrap_or_else(PoisonError::into_inner).contains(&key) {
        return Ok(());
    }
    write(folder, request).map_err(|error| {
        let reason = format!(
            "{VARIABLE} is set to {}, where nothing can be written: {error}; set it to a folder of yours: {VARIABLE}=records",
            folder.display()
        );
        Error::argument("recording programs", reason)
    })?;
    NOTED.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    Ok(())
}

/// Writes a record, unless it is there.
pub fn write(folder: &Path, request: &Request<'_>) -> std::io::Result<()> {
    let path = folder.join(format!("{}.{ENDING}", request.key()));
    if path.exists() { Ok(()) } else { cache::put(&path, text(request).as_bytes()) }
}

/// A record's text.
fn text(request: &Request<'_>) -> String {
    let mut text = format!("{HEAD}\n");
    let mut line = |word: &str, value: &str| text += &format!("// {word}: {}\n", escaped(value));
    line("name", request.name);
    request.options.iter().for_each(|option| line("option", option));
    if let Some(functions) = request.functions {
        line("functions", &functions.len().to_string());
        functions.iter().for_each(|function| line("function", function));
    }
    text + END + "\n" + request.source
}

/// The opposite of [`text`]; none if it is not that.
fn parsed(text: &str) -> Option<Recorded> {
    let mut recorded = Recorded { name: String::new(), source: String::new(), options: Vec::new(), functions: None };
    let mut rest = text.strip_prefix(HEAD)?.strip_prefix('\n')?;
    loop {
        let (line, behind) = rest.split_once('\n')?;
        rest = behind;
        if line == END {
            recorded.source = rest.to_owned();
            return Some(recorded);
        }
        let (word, value) = line.strip_prefix("// ")?.split_once(": ")?;
        match word {
            "name" => recorded.name = unescaped(value),
            "option" => recorded.options.push(unescaped(value)),
            "functions" => recorded.functions = Some(Vec::new()),
            "function" => recorded.functions.as_mut()?.push(unescaped(value)),
            _ => return None,
        }
    }
}

/// On one line.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(text: &str) -> String {
    let (mut plain, mut characters) = (String::new(), text.chars());
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => break,
            },
            other => other,
        });
    }
    plain
}

/// The records of a folder, in the order of their names; in words what is wrong with it, or with one of them.
pub fn read(folder: &Path) -> std::result::Result<Vec<Recorded>, String> {
    let failed = |path: &Path, error: IoError| format!("{} cannot be read: {error}", path.display());
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| failed(folder, error))?;
    let is_record = |path: &PathBuf| path.extension().is_some_and(|ending| ending == ENDING);
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_record).collect();
    paths.sort();
    let one = |path: &PathBuf| {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() != ErrorKind::InvalidData => return Err(failed(path, error)),
            text => text.unwrap_or_default(),
        };
        // Who asks for it later has the text that was asked for, so a record that was changed is of no use.
        let recorded = parsed(&text).filter(|recorded| {
            path.file_stem().is_some_and(|stem| *stem.to_string_lossy() == recorded.request().key().to_string())
        });
        recorded.ok_or_else(|| {
            format!(
                "{} is no record of a program, or was changed after it was written; remove it, or record again: \
                 {VARIABLE}={}",
                path.display(),
                folder.display()
            )
        })
    };
    paths.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn keys_tell_options_from_functions() {
        let options = texts(&["--fmad=false", "-DX=1"]);
        let request = Request { name: "a.cu", source: "text", options: &options, functions: None };
        assert_eq!(request.key(), Request { name: "b.cu", ..request }.key(), "names are for messages");
        let functions = texts(&["-DX=1"]);
        let others = [
            Request { source: "text ", ..request },
            Request { options: &options[..1], ..request },
            Request { functions: Some(&[]), ..request },
            Request { options: &options[..1], functions: Some(&functions), ..request },
        ];
        for other in others {
            assert_ne!(request.key(), other.key(), "{other:?}");
        }
        assert_ne!(
            Request { functions: Some(&[]), ..request }.key(),
            Request { options: &options[..1], functions: Some(&functions), ..request }.key()
        );
    }

    #[test]
    fn programs_are_named_by_their_macros() {
        let options = texts(&["-DWARPCELL_INPUT=float", "--fmad=false", "-DWARPCELL_OPERATION=add"]);
        let request = Request { name: "elementwise.cu", source: "", options: &options, functions: None };
        assert_eq!(request.label(), "`elementwise.cu` (INPUT=float, OPERATION=add)");
        assert_eq!(Request { options: &[], ..request }.label(), "`elementwise.cu`");
    }

    #[test]
    fn records_give_the_programs_back() {
        let folder = std::env::temp_dir().join(format!("warpcell-records-{}", std::process::id()));
        let programs = [
            Recorded {
                name: "a\nname.cu".to_owned(),
                source: format!("{HEAD}\n{END}\n\r\nsource without an end, {END}"),
                options: texts(&["-DPATH=\"C:\\new\"", "-DLINES=a\nb\r", ""]),
                functions: Some(texts(&["rust::fill", "add<float>"])),
            },
            Recorded { name: "b.cu".to_owned(), source: String::new(), options: Vec::new(), functions: None },
            Recorded {
                name: "c.cu".to_owned(),
                source: String::new(),
                options: Vec::new(),
                functions: Some(Vec::new()),
            },
        ];
        // Several threads that ask for all of them leave one record of each, and no drafts.
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| programs.iter().for_each(|program| write(&folder, &program.request()).unwrap()));
            }
        });
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), programs.len());
        let read_back = read(&folder).unwrap();
        assert_eq!(read_back.len(), programs.len());
        assert!(programs.iter().all(|program| read_back.contains(program)), "{read_back:?}");

        // Other files are not looked at; a record that was changed or cut is named.
        std::fs::write(folder.join("notes.txt"), "not a record").unwrap();
        assert_eq!(read(&folder).unwrap(), read_back);
        let path = folder.join(format!("{}.cu", programs[0].request().key()));
        let whole = std::fs::read_to_string(&path).unwrap();
        for damaged in [whole.replace("source", "sauce"), whole[..40].to_owned(), String::new()] {
            std::fs::write(&path, damaged).unwrap();
            let error = read(&folder).unwrap_err();
            assert!(error.contains(&*path.to_string_lossy()) && error.contains(VARIABLE), "{error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(read(&folder).unwrap_err().contains("cannot be read"));
        std::fs::write(&folder, "a file where the folder should be").unwrap();
        assert!(write(&folder, &programs[1].request()).is_err());
        std::fs::remove_file(&folder).unwrap();
    }
}
