//! Interrupts: how a running cell learns that the user wants it to stop.
//!
//! The kernel sets a word of memory that it shares with the cell process. The build step writes [`check`] at the head of
//! each loop and recursive function of the notebook's code, and where iterators may be endless; operations, `%timeit`, sleeps and
//! `.await` look too. A cell that finds the word set unwinds as in a panic, so that its variables go back into the store.

use std::future::poll_fn;
use std::panic::Location;
use std::pin::pin;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

/// How often a cell that waits for a future is looked at.
const WAITING: Duration = Duration::from_millis(20);

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
///
/// The notebook's macros may be used in constants, too, so this does nothing where the compiler computes one.
#[cfg(warpcell_cells)]
#[inline(always)]
#[track_caller]
pub const fn check() {
    const fn at_compile_time(_: &'static Location<'static>) {}
    std::intrinsics::const_eval_select((Location::caller(),), at_compile_time, check_at);
}

/// Stops the cell if the user has asked for that.
#[cfg(not(warpcell_cells))]
#[inline(always)]
#[track_caller]
pub fn check() {
    check_at(Location::caller());
}

#[inline(always)]
fn check_at(location: &'static Location<'static>) {
    if is_set() {
        stop_at(Some(location));
    }
}

/// Waits for a future; an interrupt ends that. Cells with `.await` wait so.
pub async fn interruptible<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut watched: Option<Arc<Mutex<Waker>>> = None;
    poll_fn(move |context| {
        if is_set() {
            // The place would be one in the code around the cell.
            stop_at(None);
        }
        let polled = future.as_mut().poll(context);
        if polled.is_pending() {
            match &watched {
                Some(waker) => {
                    waker.lock().unwrap_or_else(PoisonError::into_inner).clone_from(context.waker());
                }
                None => watched = Some(wake_when_interrupted(context.waker())),
            }
        }
        polled
    })
    .await
}

/// Has a thread wake a task when the user has asked to stop, as long as somebody else holds its waker.
fn wake_when_interrupted(waker: &Waker) -> Arc<Mutex<Waker>> {
    let watched = Arc::new(Mutex::new(waker.clone()));
    let seen = Arc::downgrade(&watched);
    // Without a thread the task ends as it would have.
    let _ = std::thread::Builder::new().name("warpcell-await".to_owned()).spawn(move || {
        while let Some(waker) = seen.upgrade() {
            if is_set() {
                waker.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
            }
            drop(waker);
            std::thread::sleep(WAITING);
        }
    });
    watched
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
    stop_at(Some(Location::caller()));
}

#[cold]
#[inline(never)]
fn stop_at(place: Option<&'static Location<'static>>) {
    if !is_of_the_cell() {
        return;
    }
    if super::runs_cells() {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
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

/// Whether this thread can be stopped, as it works for the cell that runs: it runs cells, or was started by this one, or is one of
/// rayon's. Threads that an earlier cell has left running go on, and so does what drops values on the way out of a panic or an
/// interrupt: another panic there would end the process.
pub(crate) fn is_of_the_cell() -> bool {
    !std::thread::panicking()
        && (super::runs_cells()
            || rayon::current_thread_index().is_some()
            || thread_start().is_some_and(|start| start >= BEGAN.load(Ordering::Relaxed)))
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
    fn futures_are_waited_for() {
        let mut polls = 0;
        let twice = poll_fn(move |context| {
            polls += 1;
            context.waker().wake_by_ref();
            if polls < 3 { std::task::Poll::Pending } else { std::task::Poll::Ready(polls) }
        });
        let mut waiting = pin!(interruptible(twice));
        let mut context = std::task::Context::from_waker(Waker::noop());
        let results: Vec<_> = (0..3).map(|_| waiting.as_mut().poll(&mut context)).collect();
        assert_eq!(results, [std::task::Poll::Pending, std::task::Poll::Pending, std::task::Poll::Ready(3)]);
    }

    #[test]
    fn a_thread_that_unwinds_is_not_stopped() {
        struct AsksInDrop<'a>(&'a mut bool);
        impl Drop for AsksInDrop<'_> {
            fn drop(&mut self) {
                *self.0 = is_of_the_cell();
            }
        }
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

    #[test]
    fn without_a_kernel_nothing_is_interrupted() {
        check();
        assert!(!interrupted());
    }
}
