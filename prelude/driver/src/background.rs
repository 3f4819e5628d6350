//! Work beside the user's own, in threads: compiling what makes later calls faster.

use std::sync::{Mutex, Once, PoisonError};
use std::thread::JoinHandle;

/// The threads that may still work.
static THREADS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// Does the work in a thread of its own; if there can be none, drops it. The process does not end before the thread has:
/// libraries must not be unloaded under it, nor while it gives up what they keep for each thread.
pub fn start(work: impl FnOnce() + Send + 'static) {
    static AT_EXIT: Once = Once::new();
    extern "C" fn at_exit() {
        wait();
    }
    // SAFETY: a function without arguments that does not unwind. It is registered after the libraries that the work uses were
    // loaded, so it runs before their own functions. If it cannot be registered, exits wait for nothing, as without it.
    AT_EXIT.call_once(|| unsafe {
        let _ = libc::atexit(at_exit);
    });
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    for ended in threads.extract_if(.., |thread| thread.is_finished()) {
        let _ = ended.join();
    }
    threads.extend(std::thread::Builder::new().name("warpcell-compile".into()).spawn(work));
}

/// Waits until all work has ended, and its threads.
pub fn wait() {
    // Without the lock: work may begin other work.
    let next = || THREADS.lock().unwrap_or_else(PoisonError::into_inner).pop();
    while let Some(thread) = next() {
        // What has panicked has said so.
        let _ = thread.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn waiting_is_for_all_work_and_for_work_that_panics() {
        let done = Arc::new(AtomicUsize::new(0));
        for number in 0..5 {
            let done = done.clone();
            start(move || {
                done.fetch_add(1, Ordering::SeqCst);
                assert_ne!(number, 3, "one of them panics");
            });
        }
        wait();
        assert_eq!(done.load(Ordering::SeqCst), 5);
    }
}
