//! The panic hook of the cell process: what a panic becomes in the notebook.

use std::backtrace::Backtrace;
use std::sync::{Mutex, PoisonError};

/// The last panic of the cell, of which it is not known yet whether the cell catches it.
static LAST: Mutex<Option<Panic>> = Mutex::new(None);

/// A panic as the hook saw it.
struct Panic {
    message: String,
    location: String,
    /// The user's functions on the stack, innermost first.
    frames: Vec<String>,
}

impl Panic {
    fn send(&self, ends_cell: bool) {
        crate::output::panic(&self.message, &self.location, ends_cell, &self.frames);
    }
}

/// Takes the last panic of the cell, and puts another one in its place.
fn replace_last(next: Option<Panic>) -> Option<Panic> {
    std::mem::replace(&mut LAST.lock().unwrap_or_else(PoisonError::into_inner), next)
}

/// Reports the panic that has ended the cell's code.
pub(super) fn report() {
    let unknown = || Panic {
        // By `resume_unwind`, or the user's own hook.
        message: "the cell panicked without a message".to_owned(),
        location: String::new(),
        frames: Vec::new(),
    };
    replace_last(None).unwrap_or_else(unknown).send(true);
}

/// Reports an error as a panic that has ended the cell's code.
pub(super) fn report_error(error: &crate::Error) {
    let location = match error {
        crate::Error::FoundLater { location, .. } => location.to_string(),
        _ => String::new(),
    };
    Panic { message: error.to_string(), location, frames: Vec::new() }.send(true);
}

/// Writes the panic that has ended the code of a child process, which must not speak to the kernel.
pub(super) fn report_in_child() {
    if let Some(panic) = replace_last(None) {
        eprintln!("panic in process {}: {}", std::process::id(), panic.message);
    }
}

/// Reports a panic that the cell has caught, if there is one left.
pub(super) fn report_caught() {
    if let Some(caught) = replace_last(None) {
        caught.send(false);
    }
}

/// Replaces libstd's hook by one that reports the panic's message, place and the user's frames. One that the cell catches is no
/// error of the cell: it is reported when that is known.
pub(super) fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("a value that is not text was given to `panic_any`").to_owned();
        let location = warpcell_base::error::place_of_panic()
            .or(info.location())
            .filter(|location| !super::memory::is_ours(location.file()));
        let location = location.map(ToString::to_string).unwrap_or_default();
        let frames = user_frames(&Backtrace::force_capture().to_string());
        let panic = Panic { message, location, frames };
        // rayon hands a panic of its threads to the one that waits for them; if several panic, one of those.
        let in_pool = rayon::current_thread_index().is_some();
        if !in_pool && !warpcell_base::interrupt::runs_cells() {
            panic.send(false);
        } else if let Some(earlier) = replace_last(Some(panic)).filter(|_| !in_pool) {
            earlier.send(false);
        }
    }));
}

/// The names of those frames of a backtrace that are the user's own functions.
fn user_frames(backtrace: &str) -> Vec<String> {
    backtrace
        .lines()
        .filter_map(|line| line.trim_start().split_once(": ").map(|(_, name)| name))
        .filter_map(|name| name.strip_prefix("ctx::"))
        .filter(|name| !name.starts_with("run_user_code") && !name.starts_with("evcxr_"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::user_frames;

    #[test]
    fn only_functions_of_the_notebook_are_kept() {
        let backtrace = "   0: std::panicking::begin\n   1: ctx::inner\n             at ./src/lib.rs:3:5\n   \
                         2: ctx::outer\n   3: ctx::run_user_code_4::{{closure}}\n   4: main\n";
        assert_eq!(user_frames(backtrace), ["inner", "outer"]);
    }
}
