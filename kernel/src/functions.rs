//! `warpcell function`: compiles a function in Rust for Python, which loads it into its own process.
//!
//! The source comes on standard input. What was made is told on standard output as JSON: the library, and what Python shows of the function;
//! or the error, as a cell would have it. `functions/source.rs` finds the function and writes what calls it, `build_step/library.rs` has it
//! compiled or finds it in the cache. The library is loaded by `kernel/python/warpcell/calls.py`, and calls `prelude/src/python.rs`.

pub mod source;

use crate::build_step::{CompilerMessage, Diagnostics, Library, library, with_objects};
use crate::choices::{installation, package_of};
use crate::evaluator::CellError;
use crate::evaluator::diagnostics::{Facts, Notebook, compile_error};
use crate::installation::{Installation, user};
use crate::nesting;
use crate::printing::{errln, outln};
use crate::syntax::line_and_column;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use source::{Found, Wanted};
use std::io::Read;
use std::process::ExitCode;

/// The command: compiles the function of this name, or the last one, of standard input.
pub fn run(name: Option<&str>) -> Result<ExitCode> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("the source cannot be read")?;
    let (answer, status) = match made(&text, name) {
        Ok(Ok(answer)) => (answer, ExitCode::SUCCESS),
        Ok(Err(CellError { name, value, traceback })) => {
            (json!({"ename": name, "evalue": value, "traceback": traceback}), ExitCode::FAILURE)
        }
        Err(error) => {
            (json!({"ename": "InstallationError", "evalue": format!("{error:#}"), "traceback": []}), ExitCode::FAILURE)
        }
    };
    outln!("{answer}");
    Ok(status)
}

/// What Python needs of a function, or why the source has none that can be compiled.
fn made(text: &str, name: Option<&str>) -> Result<Result<Value, CellError>> {
    if let Some(place) = nesting::too_deep(text, nesting::CELLS) {
        let (line, _) = line_and_column(text, place.offset);
        return Ok(Err(usage(&format!(
            "line {line}: {}; divide it into parts, such as variables of their own",
            place.what
        ))));
    }
    let found = match source::find(text, name) {
        Wanted::Found(found) => found,
        Wanted::Missing(reason) => return Ok(Err(usage(&reason))),
    };
    let installation = set_up()?;
    let written = source::with_glue(text, found.as_ref());
    let compiled = library::build(&installation, text, &written)?;
    Ok(match (compiled, found) {
        (Library::Built(path), Some(found)) => Ok(json!({
            "library": path,
            "name": found.name,
            "signature": found.signature,
            "documentation": found.documentation,
        })),
        (Library::Built(_), None) => Err(usage("the source has no function")),
        (Library::Refused(messages), found) => Err(refused(text, &written, &messages, found.as_slice())),
    })
}

fn usage(reason: &str) -> CellError {
    CellError { name: "UsageError".to_owned(), value: reason.to_owned(), traceback: Vec::new() }
}

/// The installation. What came with pip is set up by the first use, as by the first start of a kernel.
pub fn set_up() -> Result<Installation> {
    let found = installation();
    let is_usable = found.as_ref().is_ok_and(|found| found.problem().is_none());
    let program = std::env::current_exe().context("the path of this program cannot be found")?;
    if is_usable || package_of(&program).is_none() {
        let found = found?;
        return found.problem().map_or(Ok(found), |problem| Err(anyhow::anyhow!(problem)));
    }
    errln!("Warpcell is being set up for this user; this happens once, and may take some minutes.");
    Installation::open(&user::set_up()?)
}

/// The compiler's errors, at lines of the user's.
pub fn refused(text: &str, written: &str, messages: &str, found: &[Found]) -> CellError {
    // The line behind the text, which calls the first function. What is wrong with a line that calls one is said of the function's head.
    let first = text.matches('\n').count() as u64 + 2;
    let messages = with_objects(messages, |object| {
        let line = object.get("line_start").and_then(Value::as_u64);
        let number = line.and_then(|line| usize::try_from(line.checked_sub(first)?).ok());
        let Some(found) = number.and_then(|number| found.get(number)) else { return };
        if object.contains_key("file_name") {
            let (start, end) = (line_and_column(text, found.head.start), line_and_column(text, found.head.end));
            for (key, value) in
                [("line_start", start.0), ("column_start", start.1), ("line_end", end.0), ("column_end", end.1)]
            {
                object.insert(key.to_owned(), value.into());
            }
            object.insert("expansion".to_owned(), Value::Null);
        }
    });
    let said = Diagnostics { source: written.to_owned(), messages };
    let notebook = Notebook { missed: &|_| None, facts: Facts::default(), check: None };
    let mut error = compile_error(&[], Some(&said), text, text, &|line, column| (line, column), notebook);
    // There is no next cell.
    error.traceback.retain(|part| !part.starts_with("`:explain`"));
    if error.traceback.is_empty() {
        let told = CompilerMessage::errors(&said.messages).map(|message| message.text().to_owned());
        error.traceback = told.collect();
        error.value = error.traceback.first().cloned().unwrap_or(error.value);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_at_the_users_lines() {
        let text = "// twice\nfn f(x: Wrong) -> f64 { 1.0 }";
        let Wanted::Found(found) = source::find(text, None) else { panic!("there is a function") };
        let found = found.unwrap();
        let written = source::with_glue(text, Some(&found));
        let message = |line: usize, text: &str| {
            let span = json!({"file_name": "/s/lib.rs", "is_primary": true, "line_start": line, "line_end": line,
                "column_start": 9, "column_end": 14, "label": "here", "expansion": null});
            json!({"level": "error", "message": text, "code": {"code": "E0277"}, "spans": [span], "children": []})
                .to_string()
        };
        let error = refused(text, &written, &message(3, "a function for Python cannot take `Wrong`"), &[found]);
        assert_eq!(
            (error.name.as_str(), error.value.as_str()),
            ("CompileError", "a function for Python cannot take `Wrong`")
        );
        let shown = error.traceback.concat();
        assert!(shown.contains("fn f(x: Wrong) -> f64 { 1.0 }") && !shown.contains("explain"), "{shown}");
        let error = refused(text, &written, &message(2, "cannot find type `Wrong`"), &[]);
        assert!(error.traceback.concat().contains("fn f(x: Wrong)"));
    }
}
