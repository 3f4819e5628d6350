//! When a figure shows itself: as the value of its cell, when it is asked to, or when it is dropped in the cell that made
//! it, but never twice without being asked.

use crate::cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a figure still has to be shown, and in which cell.
pub(super) struct Due {
    cell: u64,
    done: AtomicBool,
}

impl Due {
    /// In the cell that runs.
    pub fn now() -> Due {
        Due { cell: cell::current_cell(), done: AtomicBool::new(false) }
    }

    /// Whether a figure that is dropped now has to be shown.
    pub fn is_open(&self) -> bool {
        let in_its_cell = self.cell != 0 && self.cell == cell::current_cell();
        in_its_cell && !self.done.load(Ordering::Relaxed) && !std::thread::panicking()
    }

    /// The figure has been shown.
    pub fn settle(&self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

impl Clone for Due {
    /// A copy is shown when asked only: the original is.
    fn clone(&self) -> Due {
        Due { cell: self.cell, done: AtomicBool::new(true) }
    }
}
