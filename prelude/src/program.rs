//! Programs that `warpcell export` has made of notebooks: what they call where a notebook has cells. In place of the notebook, values
//! are shown in the terminal, and pictures are files in a folder.
//!
//! ```
//! use warpcell as gpu;
//!
//! # let folder = std::env::temp_dir().join(format!("warpcell-program-{}", std::process::id()));
//! # let folder = folder.to_str().unwrap();
//! gpu::program::start(folder); // the folder for pictures
//! gpu::program::cell("3-squares");
//! gpu::program::show(&gpu::plot(&gpu::arange(10).square()));
//! gpu::program::end();
//! assert!(std::path::Path::new(folder).join("3-squares.png").exists());
//! # std::fs::remove_dir_all(folder).unwrap();
//! ```

use crate::backend::cuda;
use crate::backend::cuda::driver::{embedded, recorded};
use crate::cell;
use crate::output::Data;
use base64::Engine;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Debug;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The formats of pictures: the MIME type, the ending of the file, and whether the content is in base64.
const PICTURES: [(&str, &str, bool); 4] = [
    ("image/png", "png", true),
    ("image/jpeg", "jpg", true),
    ("image/gif", "gif", true),
    ("image/svg+xml", "svg", false),
];
/// What a page has that is more than text: it becomes a file too.
const MORE_THAN_TEXT: [&str; 4] = ["<svg", "<img", "<script", "<canvas"];

static PROGRAM: Mutex<Option<Program>> = Mutex::new(None);

/// Where pictures go.
struct Program {
    folder: PathBuf,
    /// The name of the cell that runs.
    cell: String,
    /// How many files it has written.
    files: usize,
    /// The files of displays that can be replaced.
    displays: HashMap<String, PathBuf>,
}

/// Where this process began, and whose turn it is to run cells: tests of a program run its cells in several threads, and cells have
/// the files and the directory of the process for themselves.
static DIRECTORY: LazyLock<Option<PathBuf>> = LazyLock::new(|| std::env::current_dir().ok());
static TURN: Mutex<()> = Mutex::new(());
thread_local! {
    static OWN_TURN: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// Begins a program that was a notebook. Pictures that it shows become files in `folder`, which is made when it is needed. Where several
/// threads of a process do so, as tests, one after another runs cells until its thread ends; each begins in the directory of the process.
pub fn start(folder: &str) {
    OWN_TURN.with(|own| {
        own.borrow_mut().get_or_insert_with(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    });
    if let Some(directory) = &*DIRECTORY {
        // A directory that is gone is none to begin in.
        let _ = std::env::set_current_dir(directory);
    }
    let program =
        Program { folder: PathBuf::from(folder), cell: "cell".to_owned(), files: 0, displays: HashMap::new() };
    *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(program);
    crate::reexported_crates::register_fonts();
}

/// As [`start`], of a program that brings its kernels along: an archive of machine code, which `warpcell export --embed` has written. While
/// its bytes are none, kernels are compiled as in other programs.
pub fn start_with_kernels(folder: &str, kernels: &'static [u8]) {
    embedded::register(kernels);
    start(folder);
}

/// The command behind `warpcell export --embed`, which asks the array library by a program of two lines.
///
/// - `check ARCHITECTURES`: fails where no code can be made for one of these, and says why.
/// - `device`: fails where no CUDA device can be used, and says why.
/// - `compile RECORDS ARCHITECTURES NOTEBOOK FILE`: compiles the records of a folder into an archive, and says in one line what it has.
#[doc(hidden)]
pub fn embedding(arguments: &[String]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["check", architectures] => embedded::check(architectures),
        ["device"] => cuda::probe(),
        ["compile", records, architectures, notebook, file] => compile_records(records, architectures, notebook, file),
        _ => Err(format!("there is no command {words:?}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn compile_records(records: &str, architectures: &str, notebook: &str, file: &str) -> Result<(), String> {
    let programs = recorded::read(records.as_ref())?;
    if programs.is_empty() {
        return Err(format!(
            "{records} has no record of a program; record a run on a machine with a GPU: {}={records} cargo run --release",
            recorded::VARIABLE
        ));
    }
    let (archive, architectures) = embedded::compiled(&programs, architectures, notebook)?;
    std::fs::write(file, &archive).map_err(|error| format!("{file} cannot be written: {error}"))?;
    println!(
        "{} programs for {}, {} bytes",
        programs.len(),
        embedded::names_of(&architectures).join(" and "),
        archive.len()
    );
    Ok(())
}

/// Begins a cell. Its pictures get its name.
///
/// **Panics** if the device has found an error in the work of the cell before, such as an index out of bounds.
#[track_caller]
pub fn cell(name: &str) {
    end();
    cell::begin_in_program();
    if let Some(program) = &mut *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) {
        program.cell = name.to_owned();
        program.files = 0;
    }
}

/// Ends the last cell: waits for what the device checks.
///
/// **Panics** if it has found an error.
#[track_caller]
pub fn end() {
    if let Err(error) = crate::device::settle() {
        panic!("{error}");
    }
    crate::output::flush();
}

/// Shows a value as the last expression of a cell: its text, and its picture in a file. `()` shows nothing.
pub fn show<T: Debug + ?Sized>(value: &T) {
    if std::any::type_name::<T>() == "()" {
        return;
    }
    if let Some(data) = cell::representations_of(&value) {
        crate::output::result(&data);
    }
}

/// Writes a text to a file, or adds it to one, and says so: `%%writefile`.
///
/// **Panics** if the file cannot be written.
#[track_caller]
pub fn write_file(path: &str, append: bool, text: &str) {
    let word = match (append, std::path::Path::new(path).exists()) {
        (true, _) => "Appending to",
        (false, true) => "Overwriting",
        (false, false) => "Writing",
    };
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(append).write(true).truncate(!append);
    match options.open(path).and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => println!("{word} {path}"),
        Err(error) => panic!("{path} cannot be written: {error}"),
    }
}

/// Shows a text of a MIME type, as `%%html` and its like do. A picture in SVG, and a page with pictures or scripts, is a file.
pub fn display(mime_type: &str, text: &str) {
    let texts = [mime_type, "text/plain"].map(|kind| (kind.to_owned(), Value::from(text)));
    crate::output::display(&texts.into_iter().collect(), None, false);
}

/// The error of a `?` outside of functions. Every error that has `Debug` becomes one, so it has no `Debug` itself.
pub struct Failure(String);

impl<E: Debug> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure(format!("{error:?}"))
    }
}

/// The exit status of a program whose cells may fail. Says why they have failed.
pub fn finish(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(reason)) => {
            crate::output::flush();
            eprintln!("Error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the pictures of a display to files, if this is such a program. `id`: the identity of a display that can be replaced;
/// `update`: it is, so its file is written again.
pub(crate) fn keep(data: &Data, id: Option<&str>, update: bool) {
    let mut program = PROGRAM.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(program) = &mut *program else { return };
    let Some((ending, bytes)) = file_of(data) else { return };
    let (path, is_known) = program.place(ending, id, update);
    let written = std::fs::create_dir_all(&program.folder).and_then(|()| std::fs::write(&path, bytes));
    match written {
        Ok(()) if is_known => {}
        Ok(()) => println!("{}", path.display()),
        Err(error) => eprintln!("{} cannot be written: {error}", path.display()),
    }
}

impl Program {
    /// Where the picture of a display belongs, and whether it replaces the file that is there. A picture of another format than before
    /// gets a file of its own: its name says what it is.
    fn place(&mut self, ending: &str, id: Option<&str>, update: bool) -> (PathBuf, bool) {
        let known = id.and_then(|id| self.displays.get(id)).filter(|_| update);
        let same = known.filter(|path| path.extension().is_some_and(|extension| extension == ending)).cloned();
        let is_known = same.is_some();
        let path = same.unwrap_or_else(|| self.next(ending));
        if let Some(id) = id {
            self.displays.insert(id.to_owned(), path.clone());
        }
        (path, is_known)
    }

    /// The path of the next file.
    fn next(&mut self, ending: &str) -> PathBuf {
        self.files += 1;
        let number = if self.files == 1 { String::new() } else { format!("-{}", self.files) };
        self.folder.join(format!("{}{number}.{ending}", self.cell))
    }
}

/// The ending and the content of the file for a display, if it is more than text.
fn file_of(data: &Data) -> Option<(&'static str, Vec<u8>)> {
    let text = |kind: &str| data.get(kind).and_then(Value::as_str);
    for (kind, ending, is_base64) in PICTURES {
        let Some(content) = text(kind) else { continue };
        if !is_base64 {
            return Some((ending, content.as_bytes().to_vec()));
        }
        if let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(content.trim()) {
            return Some((ending, bytes));
        }
    }
    let page = text("text/html").filter(|page| MORE_THAN_TEXT.iter().any(|part| page.contains(part)))?;
    Some(("html", page.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn data(value: Value) -> Data {
        let Value::Object(data) = value else { unreachable!("it is written as an object") };
        data
    }

    #[test]
    fn pictures_become_files_and_tables_do_not() {
        let file = |value| file_of(&data(value)).map(|(ending, bytes)| (ending, String::from_utf8(bytes).unwrap()));
        assert_eq!(file(json!({"text/plain": "x", "image/png": "YWI="})), Some(("png", "ab".to_owned())));
        assert_eq!(file(json!({"image/svg+xml": "<svg/>"})), Some(("svg", "<svg/>".to_owned())));
        let page = "<div><script>1</script></div>";
        assert_eq!(file(json!({"text/plain": "x", "text/html": page})), Some(("html", page.to_owned())));
        assert_eq!(file(json!({"text/plain": "[1]", "text/html": "<table></table>"})), None);
        assert_eq!(file(json!({"text/plain": "[1]"})), None);
    }

    #[test]
    fn files_have_the_name_of_the_cell() {
        let folder = PathBuf::from("output");
        let mut program = Program { folder, cell: "3-plot".to_owned(), files: 0, displays: HashMap::new() };
        let names = ["png", "png", "svg"].map(|ending| program.next(ending).display().to_string());
        assert_eq!(names, ["output/3-plot.png", "output/3-plot-2.png", "output/3-plot-3.svg"]);
    }

    #[test]
    fn an_update_keeps_its_file_unless_its_format_changes() {
        let folder = PathBuf::from("output");
        let mut program = Program { folder, cell: "2".to_owned(), files: 0, displays: HashMap::new() };
        let mut place = |ending, id, update| {
            let (path, is_known) = program.place(ending, id, update);
            (path.display().to_string(), is_known)
        };
        let is = |path: &str, is_known| (path.to_owned(), is_known);
        assert_eq!(place("png", Some("a"), false), is("output/2.png", false));
        assert_eq!(place("png", Some("a"), true), is("output/2.png", true));
        assert_eq!(place("svg", Some("a"), true), is("output/2-2.svg", false));
        assert_eq!(place("svg", Some("a"), true), is("output/2-2.svg", true));
        // Another display, and one without an identity.
        assert_eq!(place("svg", Some("b"), true), is("output/2-3.svg", false));
        assert_eq!(place("svg", None, false), is("output/2-4.svg", false));
    }

    #[test]
    fn every_error_is_a_failure() {
        let parsed = || -> Result<i32, Failure> { Ok("x".parse::<i32>()?) };
        assert_eq!(parsed().err().unwrap().0, "ParseIntError { kind: InvalidDigit }");
        let refused = || -> Result<(), Failure> { Err("no")? };
        assert_eq!(refused().err().unwrap().0, "\"no\"");
        let again = || -> Result<(), Failure> {
            refused()?;
            Ok(())
        };
        assert_eq!((finish(again()), finish(Ok(()))), (ExitCode::FAILURE, ExitCode::SUCCESS));
    }
}
