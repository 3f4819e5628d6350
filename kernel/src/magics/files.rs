//! The magics that read and write files: `%load`, `%%writefile`.

use super::action::{Action, ActionError, KernelServices};
use super::literal::literal;
use super::magic::{Arguments, TextCell};
use super::notebook::Notebook;
use super::rust::items_named;
use super::values::KernelText;
use crate::notebook;
use std::fmt::Display;
use std::io::Write as _;
use std::path::Path;

/// More than this in one cell is a mistake.
const LONGEST_INPUT: u64 = 8 << 20;

/// `%load`.
pub(super) fn load(arguments: &Arguments<'_>, notebook: &Notebook) -> Result<Action, String> {
    let path = path_in(arguments, "%load", notebook)?;
    let lines = arguments.option("-r").map_or(Ok(Vec::new()), lines)?;
    let symbols = arguments.option("-s").unwrap_or_default();
    let symbols = symbols.split(',').filter(|symbol| !symbol.is_empty()).map(str::to_owned).collect();
    let part = Selection { lines, symbols };
    Ok(Action::new(move |kernel| {
        let path = path.get(kernel)?;
        let text = read("%load", &path, &part, kernel)?;
        // As a comment, so that running the cell does not load the file again.
        kernel.set_next_input(&format!("// %load {path}\n{}", text.trim_end_matches('\n')));
        Ok(())
    }))
}

fn path_in(arguments: &Arguments<'_>, magic: &str, notebook: &Notebook) -> Result<KernelText, String> {
    match arguments.path() {
        "" => Err(format!("the path of the file is missing; write it after `{magic}`")),
        _ => Ok(KernelText::of(arguments.rest, notebook)),
    }
}

fn lines(text: &str) -> Result<Vec<(usize, Option<usize>)>, String> {
    let wrong = || format!("`-r` needs lines such as `5`, `5-10`, `5-` or `1-3,7`, not `{text}`");
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0).ok_or_else(wrong);
    text.split(',')
        .map(|part| match part.split_once('-') {
            None => number(part).map(|line| (line, Some(line))),
            Some((first, "")) => Ok((number(first)?, None)),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first <= last { Ok((first, Some(last))) } else { Err(wrong()) }
            }
        })
        .collect()
}

/// Which part of a file `%load` takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Selection {
    /// First and last line, from 1. Without a last line it goes to the end of the file.
    lines: Vec<(usize, Option<usize>)>,
    /// Names of items.
    symbols: Vec<String>,
}

impl Selection {
    /// The selected part of a text. An error says what the text does not contain.
    fn of(&self, text: &str) -> Result<String, String> {
        if self.lines.is_empty() && self.symbols.is_empty() {
            return Ok(text.to_owned());
        }
        let mut parts: Vec<String> = Vec::new();
        let lines: Vec<&str> = text.lines().collect();
        for &(first, last) in &self.lines {
            if first > lines.len() {
                return Err(format!("has {} lines, so there is no line {first}", lines.len()));
            }
            parts.push(lines[first - 1..last.unwrap_or(lines.len()).min(lines.len())].join("\n"));
        }
        for symbol in &self.symbols {
            let found = items_named(text, symbol);
            if found.is_empty() {
                return Err(format!("has no item `{symbol}`"));
            }
            parts.extend(found);
        }
        Ok(parts.join("\n"))
    }
}

/// The part of a file that becomes the text of the cell.
fn read(magic: &str, path: &str, part: &Selection, kernel: &dyn KernelServices) -> Result<String, ActionError> {
    let file = kernel.resolve(path);
    let fail = |what: &str, reason: &dyn Display| file_error(magic, &file, &format!("{what}: {reason}"));
    let known = std::fs::metadata(&file).map_err(|error| fail("cannot be read", &error))?;
    if !known.is_file() {
        return Err(fail("cannot be loaded", &"it is not a regular file"));
    }
    if known.len() > LONGEST_INPUT {
        let reason = format!("it has {} bytes, more than {} MiB", known.len(), LONGEST_INPUT >> 20);
        return Err(fail("cannot be loaded", &reason));
    }
    let bytes = std::fs::read(&file).map_err(|error| fail("cannot be read", &error))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| fail("is not text", &format!("not UTF-8 at {}", error.utf8_error())))?;
    // Windows' editors write a mark at the beginning, which is no text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    part.of(text).map_err(|problem| file_error(magic, &file, &problem))
}

/// `%run`.
pub(super) fn run(arguments: &Arguments<'_>, notebook: &Notebook) -> Result<Action, String> {
    let path = path_in(arguments, "%run", notebook)?;
    let run = Action::new(move |kernel| {
        let path = path.get(kernel)?;
        let text = read("%run", &path, &Selection::default(), kernel)?;
        if !path.ends_with(".ipynb") {
            kernel.run(&path, &text)?;
            if !items_named(&text, "main").is_empty() {
                kernel.print(&format!("{path} defines `main`, and `%run` does not call it. Write `main()` to do so."));
            }
            return Ok(());
        }
        let cells = cells_of(&text).map_err(|problem| file_error("%run", &kernel.resolve(&path), &problem))?;
        cells.iter().try_for_each(|(number, code)| kernel.run(&format!("cell {number} of {path}"), code))
    });
    Ok(run.also_checked().defining())
}

/// The code cells of a notebook that is Rust, with their numbers among all cells, from 1.
fn cells_of(text: &str) -> Result<Vec<(usize, String)>, String> {
    let notebook = notebook::parse(text).map_err(|error| format!("is no notebook: {error:#}"))?;
    if let Some(language) = notebook::language(&notebook).filter(|language| *language != "rust") {
        return Err(format!("is a notebook in {language}; `%run` takes those in Rust"));
    }
    Ok(notebook::code_cells(&notebook).map(|(index, cell)| (index + 1, notebook::source(cell))).collect())
}

/// `%%writefile`.
pub(super) fn writefile(arguments: &Arguments<'_>, body: &str, notebook: &Notebook) -> Result<TextCell, String> {
    let path = path_in(arguments, "%%writefile", notebook)?;
    let append = arguments.option("-a").is_some();
    let mut text = body.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let path_code = match &path {
        KernelText::Known(path) => literal(path),
        KernelText::Computed(code) => code.clone(),
    };
    let code = format!("warpcell::program::write_file({path_code}, {append}, {});", literal(&text));
    let act = move |kernel: &mut dyn KernelServices| {
        let path = path.get(kernel)?;
        let file = kernel.resolve(&path);
        let word = match (append, file.exists()) {
            (true, _) => "Appending to",
            (false, true) => "Overwriting",
            (false, false) => "Writing",
        };
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(append).write(true).truncate(!append);
        options
            .open(&file)
            .and_then(|mut open| open.write_all(text.as_bytes()))
            .map_err(|error| file_error("%%writefile", &file, &format!("cannot be written: {error}")))?;
        kernel.print(&format!("{word} {path}"));
        Ok(())
    };
    Ok(TextCell::Act(Action::new(act).with_code(code)))
}

fn file_error(magic: &str, file: &Path, problem: &str) -> ActionError {
    ActionError::new("FileError", format!("{magic}: {} {problem}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::magics::tests::{Recorder, check, expand};
    use expect_test::expect;

    /// What `%load` with some options makes of the file `a b.rs`.
    fn loaded(kernel: &mut Recorder, options: &str) -> (&'static str, String) {
        kernel.run(&expand(&format!("%load {options} a b.rs")).unwrap()).remove(0)
    }

    #[test]
    fn parts_of_files_become_the_next_input() {
        let mut kernel = Recorder::new();
        let text = "fn f() {}\n\nstruct S;\nimpl S {}\nimpl std::fmt::Debug for S {}\nfn g() {\n}\n";
        std::fs::write(kernel.folder.path().join("a b.rs"), text).unwrap();
        for (options, part) in [
            ("", text.trim_end()),
            ("-r 6-", "fn g() {\n}"),
            ("-r 1,3-4", "fn f() {}\nstruct S;\nimpl S {}"),
            ("-s S,g", "struct S;\nimpl S {}\nimpl std::fmt::Debug for S {}\nfn g() {\n}"),
            ("-r 1-3,5,7- -s f,g", "fn f() {}\n\nstruct S;\nimpl std::fmt::Debug for S {}\n}\nfn f() {}\nfn g() {\n}"),
        ] {
            let input = format!("// %load a b.rs\n{part}");
            assert_eq!(loaded(&mut kernel, options), ("sets the next input", input), "{options}");
        }
        for (options, problem) in [("-s h", "has no item `h`"), ("-r 9", "has 7 lines, so there is no line 9")] {
            let message = format!("FileError: %load: a b.rs {problem}");
            assert_eq!(loaded(&mut kernel, options), ("fails with", message), "{options}");
        }
    }

    #[test]
    fn files_and_notebooks_are_run() {
        let mut kernel = Recorder::new();
        let folder = kernel.folder.path().to_owned();
        let mut run = |line: &str| kernel.run(&expand(line).unwrap());
        std::fs::write(folder.join("a b.rs"), "let x = 1;\n").unwrap();
        assert_eq!(run("%run a b.rs"), [("runs", "a b.rs: let x = 1;\n".to_owned())]);
        let cell = |kind: &str, text: &str| {
            let outputs = if kind == "code" { r#","outputs":[],"execution_count":null"# } else { "" };
            format!(
                r#"{{"cell_type":"{kind}","id":"{kind}{}","metadata":{{}},"source":["{text}"]{outputs}}}"#,
                text.len()
            )
        };
        let notebook = |language: &str| {
            let cells = [cell("markdown", "# A"), cell("code", "let a = 1;"), cell("code", "a")].join(",");
            let metadata = format!(r#"{{"kernelspec":{{"name":"k","display_name":"k","language":"{language}"}}}}"#);
            format!(r#"{{"cells":[{cells}],"metadata":{metadata},"nbformat":4,"nbformat_minor":5}}"#)
        };
        std::fs::write(folder.join("n.ipynb"), notebook("rust")).unwrap();
        let both = ["cell 2 of n.ipynb: let a = 1;", "cell 3 of n.ipynb: a"].map(|text| ("runs", text.to_owned()));
        assert_eq!(run("%run n.ipynb"), both);
        std::fs::write(folder.join("n.ipynb"), notebook("python")).unwrap();
        let problem = "FileError: %run: n.ipynb is a notebook in python; `%run` takes those in Rust";
        assert_eq!(run("%run n.ipynb"), [("fails with", problem.to_owned())]);
        std::fs::write(folder.join("n.ipynb"), "{").unwrap();
        assert!(run("%run n.ipynb")[0].1.starts_with("FileError: %run: n.ipynb is no notebook: "));
        assert!(run("%run no.rs")[0].1.starts_with("FileError: %run: no.rs cannot be read: No such file"));
    }

    #[test]
    fn values_are_put_into_the_names_of_files() {
        let mut kernel = Recorder::new();
        std::fs::write(kernel.folder.path().join("a b.rs"), "let a = 1;").unwrap();
        let value = r#"&[(&&&ValueInLine(&(x), "x")).in_line().as_str(), ".rs"].concat() }"#;
        for (line, computed, done) in [
            ("%run {x}.rs", Some(value), ("runs", "a b.rs: let a = 1;")),
            ("%run \"{x}.rs\"", Some(value), ("runs", "a b.rs: let a = 1;")),
            ("%load {x}.rs", Some(value), ("sets the next input", "// %load a b.rs\nlet a = 1;")),
            ("%load -r 1 {x}.rs", Some(value), ("sets the next input", "// %load a b.rs\nlet a = 1;")),
            (
                "%history -f {x}.rs",
                Some(value),
                (
                    "fails with",
                    "FileError: %history: a b.rs is there already, and would be overwritten; write another name behind `-f`",
                ),
            ),
            ("%%writefile {x}.rs\nlet b = {x};", Some(value), ("prints", "Overwriting a b.rs")),
            // What is not a value of the notebook stays.
            ("%%writefile {{x}}.rs\n1", None, ("prints", "Writing {x}.rs")),
            ("%%writefile '{x}.rs'\n1", None, ("prints", "Overwriting {x}.rs")),
            ("%%writefile {other}.rs\n1", None, ("prints", "Writing {other}.rs")),
            ("%%writefile a{,b}.rs\n1", None, ("prints", "Writing a{,b}.rs")),
        ] {
            let expected = computed.map(|code| ("computes", format!("{{ {code}").trim_start_matches("{ ").to_owned()));
            let expected: Vec<_> = expected.into_iter().chain([(done.0, done.1.to_owned())]).collect();
            assert_eq!(kernel.run(&expand(line).unwrap()), expected, "{line}");
        }
        assert_eq!(std::fs::read_to_string(kernel.folder.path().join("a b.rs")).unwrap(), "let b = {x};\n");
    }

    #[test]
    fn a_file_that_cannot_be_loaded_is_named() {
        let mut kernel = Recorder::new();
        let file = kernel.folder.path().join("a b.rs");
        let missing = loaded(&mut kernel, "").1;
        assert!(missing.starts_with("FileError: %load: a b.rs cannot be read: No such file"), "{missing}");
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        let problem = "is not text: not UTF-8 at invalid utf-8 sequence of 1 bytes from index 0";
        assert_eq!(loaded(&mut kernel, "").1, format!("FileError: %load: a b.rs {problem}"));
        let long = std::fs::File::create(&file).unwrap();
        long.set_len(LONGEST_INPUT + 1).unwrap();
        let problem = "cannot be loaded: it has 8388609 bytes, more than 8 MiB";
        assert_eq!(loaded(&mut kernel, "").1, format!("FileError: %load: a b.rs {problem}"));
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert_eq!(loaded(&mut kernel, "").1, "FileError: %load: a b.rs cannot be loaded: it is not a regular file");
    }

    #[test]
    fn a_cell_is_written_as_it_stands() {
        let mut kernel = Recorder::new();
        let mut write = |line: &str| {
            let expansion = expand(&format!("%%writefile {line}\nit's\n%time \"\n\n  x?")).unwrap();
            assert_eq!(expansion.code, "\n".repeat(4));
            kernel.run(&expansion).remove(0)
        };
        assert_eq!(write("'a b.txt'"), ("prints", "Writing a b.txt".to_owned()));
        assert_eq!(write("'a b.txt'"), ("prints", "Overwriting a b.txt".to_owned()));
        assert_eq!(write("-a 'a b.txt'"), ("prints", "Appending to a b.txt".to_owned()));
        assert!(write("no/folder").1.starts_with("FileError: %%writefile: no/folder cannot be written: No such file"));
        let text = "it's\n%time \"\n\n  x?\n";
        assert_eq!(std::fs::read_to_string(kernel.folder.path().join("a b.txt")).unwrap(), text.repeat(2));
    }

    #[test]
    fn files_are_named_as_the_usage_says() {
        check(
            "%load",
            expect![[r#"
                UsageError
                line 1: `%load`: the path of the file is missing; write it after `%load`
                Usage: %load [-r LINES] [-s NAMES] FILE
                `%load?` shows more."#]],
        );
        check(
            "%load -r 3-1 a.rs",
            expect![[r#"
                UsageError
                line 1: `%load`: `-r` needs lines such as `5`, `5-10`, `5-` or `1-3,7`, not `3-1`
                Usage: %load [-r LINES] [-s NAMES] FILE
                `%load?` shows more."#]],
        );
        check(
            "%load -r",
            expect![[r#"
                UsageError
                line 1: `%load`: `-r` needs a value: LINES
                Usage: %load [-r LINES] [-s NAMES] FILE
                `%load?` shows more."#]],
        );
        check(
            "%%writefile\nx",
            expect![[r#"
                UsageError
                line 1: `%%writefile`: the path of the file is missing; write it after `%%writefile`
                Usage: %%writefile [-a] FILE
                `%writefile?` shows more."#]],
        );
    }
}
