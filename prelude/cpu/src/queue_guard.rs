//! One operation after another: the queue of the backend, held while an operation is done.

use super::{CpuBackend, graph, map, pool};
use std::fmt::Debug;
use std::sync::{MutexGuard, PoisonError};
use warpcell_base::error::{Error, Result, fail};
use warpcell_base::profiling::{Kind, Span};

/// The queue, held by one operation.
#[allow(dead_code, reason = "both are held, not used")]
pub(super) struct QueueGuard<'a>(MutexGuard<'a, ()>, Option<Span>);

impl QueueGuard<'_> {
    /// Ends the operation. If the cell was interrupted meanwhile, parts of it were left out.
    pub fn end(self) -> Result<()> {
        if pool::left_out() || warpcell_base::interrupt::interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl CpuBackend {
    pub(super) fn lock(&self) -> QueueGuard<'_> {
        // The thread that waits for the function holds the lock.
        assert!(
            !map::is_running(),
            "functions with `#[vectorize]` or `#[kernel]` cannot use arrays: they are called for each element or thread; give them the \
             values, or views, as arguments"
        );
        // Methods that can be captured do not come here meanwhile.
        if graph::is_capturing() {
            fail(graph::not_recorded());
        }
        QueueGuard(self.queue.lock().unwrap_or_else(PoisonError::into_inner), None)
    }

    /// As `lock`, for what profiles list under the given name, and what is none of the operations that are recorded.
    pub(super) fn compute(&self, name: impl FnOnce() -> String) -> QueueGuard<'_> {
        warpcell_base::backend::recording::spoil();
        self.spend(Kind::Kernel, || (name(), 0))
    }

    /// As `compute`, for what moves or sets as many bytes as it says behind its name.
    pub(super) fn spend(&self, kind: Kind, describe: impl FnOnce() -> (String, usize)) -> QueueGuard<'_> {
        let mut guard = self.lock();
        // The time to wait for other threads is not the operation's.
        guard.1 = Some(Span::begin(kind, describe));
        guard
    }
}

/// What profiles call an operation: the name of its variant, as a function's name is written.
pub(super) fn name_of(operation: impl Debug) -> String {
    let mut name = String::new();
    for letter in format!("{operation:?}").chars().take_while(char::is_ascii_alphanumeric) {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
