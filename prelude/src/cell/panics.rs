//! The panic hook of the cell process: what a panic becomes in the notebook.

use std::backtrace::Backtrace;
use std::cell::Cell;

thread_local! {
    static RUNS_CELLS: Cell<bool> = const { Cell::new(false) };
}

/// Marks the calling thread as the one that runs cells.
pub(super) fn enter_cell() {
    RUNS_CELLS.set(true);
}

/// Whether the calling thread runs cells.
pub(crate) fn runs_cells() -> bool {
    RUNS_CELLS.get()
}

/// Does a part of what a thread waits for: if that runs cells, a panic here is one of the cell.
pub(crate) fn on_behalf_of<R>(runs_cells: bool, work: impl FnOnce() -> R) -> R {
    let own = RUNS_CELLS.replace(runs_cells);
    let result = work();
    RUNS_CELLS.set(own);
    result
}

/// Replaces libstd's hook by one that sends the panic's message, place and the user's frames.
pub(super) fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("a value that is not text was given to `panic_any`").to_owned();
        let location = info.location().map(ToString::to_string).unwrap_or_default();
        let frames = user_frames(&Backtrace::force_capture().to_string());
        crate::output::panic(&message, &location, RUNS_CELLS.get(), &frames);
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
