//! Interrupts: how a running cell learns that the user wants it to stop.
//!
//! The kernel sets a word of memory that it shares with the cell process. The build step writes [`check`] at the head of
//! each loop of the notebook's code; operations, `%timeit` and sleeps look too. A cell that finds the word set unwinds
//! as in a panic, so that its variables go back into the store.

use std::panic::Location;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

static NEVER: AtomicU32 = AtomicU32::new(0);
static WORD: AtomicPtr<AtomicU32> = AtomicPtr::new((&raw const NEVER).cast_mut());
/// When the cell began, in the unit of [`thread_start`].
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// Where the cell was stopped.
static PLACE: Mutex<Option<&'static Location<'static>>> = Mutex::new(None);

/// What unwinds through an interrupted cell.
struct Interrupted;

/// Takes the word that the kernel sets.
///
/// # Safety
///
/// `word` must be valid for reads for the rest of the process.
pub(super) unsafe fn watch(word: *const AtomicU32) {
    WORD.store(word.cast_mut(), Ordering::Release);
}

/// Notes that a cell begins: threads that are older are not stopped with it.
pub(super) fn enter_cell() {
    // SAFETY: `sysconf` has no preconditions.
    let ticks = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100);
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) };
    let (seconds, nanoseconds) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    BEGAN.store(seconds * ticks + nanoseconds * ticks / 1_000_000_000, Ordering::Relaxed);
}

pub(super) fn is_set() -> bool {
    // SAFETY: the pointer is to a static, or to what `watch` was promised.
    unsafe { (*WORD.load(Ordering::Relaxed)).load(Ordering::Relaxed) != 0 }
}

/// Stops the cell if the user has asked for that. Cells call this at the head of each loop.
#[inline(always)]
#[track_caller]
pub fn check() {
    if is_set() {
        stop();
    }
}

/// Whether the user has asked to stop what this thread does.
pub(crate) fn interrupted() -> bool {
    is_set() && is_of_the_cell()
}

/// Stops the cell: unwinds, without the panic hook.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn stop() {
    // A panic on the way out of another would end the process.
    if std::thread::panicking() || !is_of_the_cell() {
        return;
    }
    if super::runs_cells() {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Location::caller());
    }
    std::panic::resume_unwind(Box::new(Interrupted));
}

/// Reports that the cell has unwound because of an interrupt, if that is so; whether it is.
pub(super) fn report() -> bool {
    // A thread that waits for an interrupted one sees a panic, or nothing of it.
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
    let interrupted = is_set();
    if interrupted {
        crate::device::stop_functions();
        crate::output::interrupted(place.map(ToString::to_string).as_deref());
    }
    interrupted
}

/// Whether this thread works for the cell that runs: it runs cells, or was started by this one, or is one of rayon's.
/// Threads that an earlier cell has left running go on.
pub(crate) fn is_of_the_cell() -> bool {
    super::runs_cells()
        || rayon::current_thread_index().is_some()
        || thread_start().is_some_and(|start| start >= BEGAN.load(Ordering::Relaxed))
}

/// When this thread was started, in clock ticks since the system's start.
fn thread_start() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The second field is the name, in brackets, and may hold anything; the start is the 22nd.
    text.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_earlier_cells_are_told_from_those_of_this_one() {
        enter_cell();
        let start = std::thread::spawn(|| thread_start().unwrap()).join().unwrap();
        assert!(start >= BEGAN.load(Ordering::Relaxed), "a thread of the cell");
        assert!(thread_start().unwrap() <= start);
    }

    #[test]
    fn without_a_kernel_nothing_is_interrupted() {
        check();
        assert!(!interrupted());
    }
}
