//! How work learns that the user wants the cell to stop: a word that the kernel sets, and which threads it is for.
//!
//! The kernel shares the word with the cell process. Operations and the backends read it here, and the code of cells by
//! `warpcell::cell::check`. What finds it set unwinds as in a panic, so that the cell's variables go back into the store.

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

thread_local! {
    static RUNS_CELLS: Cell<bool> = const { Cell::new(false) };
    /// When this thread was started, in clock ticks since the system's start. The system is asked once: that takes some 20 µs, longer
    /// than many operations.
    static START: Option<u64> = thread_start();
}

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
pub unsafe fn watch(word: *const AtomicU32) {
    WORD.store(word.cast_mut(), Ordering::Release);
}

/// Notes that the calling thread begins a cell: threads that are older are not stopped with it.
pub fn enter_cell() {
    RUNS_CELLS.set(true);
    // SAFETY: `sysconf` has no preconditions.
    let ticks = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100);
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) };
    let (seconds, nanoseconds) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    BEGAN.store(seconds * ticks + nanoseconds * ticks / 1_000_000_000, Ordering::Relaxed);
}

/// Whether the user has asked to stop the cell.
#[inline]
pub fn is_set() -> bool {
    // SAFETY: the pointer is to a static, or to what `watch` was promised.
    unsafe { (*WORD.load(Ordering::Relaxed)).load(Ordering::Relaxed) != 0 }
}

/// Whether the calling thread runs cells.
pub fn runs_cells() -> bool {
    RUNS_CELLS.get()
}

/// Does a part of what a thread waits for: if that runs cells, a panic here is one of the cell.
pub fn on_behalf_of<R>(runs_cells: bool, work: impl FnOnce() -> R) -> R {
    let own = RUNS_CELLS.replace(runs_cells);
    let result = work();
    RUNS_CELLS.set(own);
    result
}

/// Whether the user has asked to stop what this thread does.
pub fn interrupted() -> bool {
    is_set() && is_of_the_cell()
}

/// Whether the work of one thread is to stop. Threads that do a part of it ask for that thread: asked for themselves, those
/// that are older than the cell would go on.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    is_of_the_cell: bool,
}

impl Stop {
    /// For the work of the calling thread.
    pub fn of_this_thread() -> Stop {
        Stop { is_of_the_cell: is_of_the_cell() }
    }

    /// Whether the user has asked to stop it. From any thread.
    #[inline]
    pub fn is_asked(self) -> bool {
        self.is_of_the_cell && is_set()
    }
}

/// Stops the cell: unwinds, without the panic hook.
#[cold]
#[inline(never)]
#[track_caller]
pub fn stop() {
    stop_at(Some(Location::caller()));
}

/// As [`stop`], at a place in the notebook's code, or at none that the user knows.
#[cold]
#[inline(never)]
pub fn stop_at(place: Option<&'static Location<'static>>) {
    if !is_of_the_cell() {
        return;
    }
    if runs_cells() {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
    std::panic::resume_unwind(Box::new(Interrupted));
}

/// Where the cell was stopped, once.
pub fn take_place() -> Option<&'static Location<'static>> {
    PLACE.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Whether this thread can be stopped, as it works for the cell that runs: it runs cells, or was started by this one, or is one of
/// rayon's. Threads that an earlier cell has left running go on, and so does what drops values on the way out of a panic or an
/// interrupt: another panic there would end the process.
pub fn is_of_the_cell() -> bool {
    !std::thread::panicking()
        && (runs_cells()
            || rayon::current_thread_index().is_some()
            || START.with(|start| *start).is_some_and(|start| start >= BEGAN.load(Ordering::Relaxed)))
}

/// When this thread was started, as the system says.
fn thread_start() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The second field is the name, in brackets, and may hold anything; the start is the 22nd.
    text.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There is one cell at a time, and one word: tests of them take turns.
    fn turn() -> std::sync::MutexGuard<'static, ()> {
        static TURN: Mutex<()> = Mutex::new(());
        TURN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn threads_of_earlier_cells_are_told_from_those_of_this_one() {
        let _turn = turn();
        enter_cell();
        let start = std::thread::spawn(|| thread_start().unwrap()).join().unwrap();
        assert!(start >= BEGAN.load(Ordering::Relaxed), "a thread of the cell");
        assert!(thread_start().unwrap() <= start);
    }

    #[test]
    fn older_threads_stop_what_they_do_for_the_cell() {
        static SET: AtomicU32 = AtomicU32::new(0);
        let _turn = turn();
        let (ask, asked) = std::sync::mpsc::channel::<Stop>();
        let (answer, answers) = std::sync::mpsc::channel();
        let (ready, is_ready) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                ready.send(thread_start().unwrap()).unwrap();
                asked.iter().for_each(|stop| answer.send((stop.is_asked(), interrupted())).unwrap());
            });
            let start = is_ready.recv().unwrap();
            let stop = std::thread::scope(|scope| {
                let cell = scope.spawn(|| {
                    // The clock ticks in hundredths of a second.
                    while BEGAN.load(Ordering::Relaxed) <= start {
                        enter_cell();
                    }
                    Stop::of_this_thread()
                });
                cell.join().unwrap()
            });
            ask.send(stop).unwrap();
            assert_eq!(answers.recv().unwrap(), (false, false));
            // SAFETY: it is static.
            unsafe { watch(&raw const SET) };
            SET.store(1, Ordering::Relaxed);
            ask.send(stop).unwrap();
            assert_eq!(answers.recv().unwrap(), (true, false));
            ask.send(Stop { is_of_the_cell: false }).unwrap();
            assert_eq!(answers.recv().unwrap(), (false, false));
            SET.store(0, Ordering::Relaxed);
            drop(ask);
        });
    }

    #[test]
    fn a_thread_that_unwinds_is_not_stopped() {
        struct AsksInDrop<'a>(&'a mut bool);
        impl Drop for AsksInDrop<'_> {
            fn drop(&mut self) {
                *self.0 = is_of_the_cell();
            }
        }
        let _turn = turn();
        enter_cell();
        let mut stoppable = true;
        let of_the_cell = std::thread::scope(|scope| {
            let unwinding = scope.spawn(|| {
                let before = is_of_the_cell();
                let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    let _asks = AsksInDrop(&mut stoppable);
                    std::panic::resume_unwind(Box::new(Interrupted));
                }));
                (before, caught.is_err())
            });
            unwinding.join().unwrap()
        });
        assert_eq!((of_the_cell, stoppable), ((true, true), false));
    }
}
