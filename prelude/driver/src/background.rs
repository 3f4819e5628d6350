//! Work beside the user's own, in threads: compiling what makes later calls faster.

use std::sync::{Condvar, Mutex, Once, PoisonError};

/// How many pieces of work have begun and not ended.
static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

/// Does the work in a thread of its own; if there can be none, drops it. The process does not end before the work has:
/// libraries must not be unloaded under it.
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
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    let one = Running;
    // Without a thread the closure is dropped, and with it the count.
    let _ = std::thread::Builder::new().name("warpcell-compile".into()).spawn(move || {
        let _one = one;
        work();
    });
}

/// Waits until all work has ended.
pub fn wait() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    drop(ENDED.wait_while(running, |running| *running > 0));
}

/// One of those counted; also ends if the work panics.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_all();
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
