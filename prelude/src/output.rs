//! The prelude's side of the output contract: messages from the cell process, in order with the cell's text.
//!
//! The format is fixed by `kernel/OUTPUT_CONTRACT.md`; the kernel's side is `kernel/src/output_contract.rs`. A
//! message is written to standard output behind a marker that is random per session, after libstd's own buffer has
//! been flushed, so that text and messages keep their order. Outside a kernel, where no marker was given, a display
//! prints its plain text.

use serde_json::{Map, Value, json};
use std::io::Write;
use std::sync::{Mutex, OnceLock};

static MARKER: OnceLock<String> = OnceLock::new();
static WRITER: Mutex<()> = Mutex::new(());

/// Takes the session's marker; called once, before any cell runs.
pub(crate) fn set_marker(marker: String) {
    MARKER.get_or_init(|| marker);
}

/// Whether this process runs cells of a kernel.
pub(crate) fn in_kernel() -> bool {
    MARKER.get().is_some()
}

/// Writes what libstd's and C's standard output still hold.
pub(crate) fn flush() {
    // A closed standard output is no reason to end the user's program.
    let _ = std::io::stdout().flush();
    // SAFETY: `fflush` with a null pointer flushes every open C stream and has no other precondition.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

fn send(message: &Value) {
    let Some(marker) = MARKER.get() else { return };
    let text = message.to_string();
    let frame = format!("{marker}{}\n{text}\n", text.len());
    let _guard = WRITER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    flush();
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(frame.as_bytes());
    let _ = stdout.flush();
}

fn representations_to_json(representations: &[(&str, String)]) -> Map<String, Value> {
    representations.iter().map(|(mime_type, content)| (mime_type.to_string(), json!(content))).collect()
}

fn print_plain(representations: &[(&str, String)]) {
    if let Some((_, text)) = representations.iter().find(|(mime_type, _)| *mime_type == "text/plain") {
        println!("{text}");
    }
}

/// Shows one display, with a representation per MIME type (binary content in base64).
pub(crate) fn display(representations: &[(&str, String)]) {
    if in_kernel() {
        send(&json!({ "type": "display", "data": representations_to_json(representations) }));
    } else {
        print_plain(representations);
    }
}

/// Shows the value of a cell's last expression.
pub(crate) fn result(representations: &[(&str, String)]) {
    if in_kernel() {
        send(&json!({ "type": "result", "data": representations_to_json(representations) }));
    } else {
        print_plain(representations);
    }
}

/// Reports a panic of the cell's thread or of another one.
pub(crate) fn panic(message: &str, location: &str, on_cell_thread: bool, backtrace: &[String]) {
    send(&json!({
        "type": "panic",
        "message": message,
        "location": location,
        "cell_thread": on_cell_thread,
        "backtrace": backtrace,
    }));
}

/// Reports that the cell has stopped, because the user asked for that; `location` is where it was, if that is known.
pub(crate) fn interrupted(location: Option<&str>) {
    send(&json!({ "type": "interrupted", "location": location }));
}

/// Reports that `?` ended the cell with an error.
pub(crate) fn user_error(message: &str) {
    send(&json!({ "type": "user_error", "message": message }));
}

/// Asks the user for a line.
pub(crate) fn input(prompt: &str, password: bool) {
    send(&json!({ "type": "input", "prompt": prompt, "password": password }));
}

/// Hands a control line to evcxr.
pub(crate) fn control(line: &str) {
    send(&json!({ "type": "control", "line": line }));
}

/// Reports that the cell has come to its end.
pub(crate) fn end_of_cell() {
    send(&json!({ "type": "end" }));
}
