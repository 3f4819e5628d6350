//! Interrupts: how a running cell learns that the user wants it to stop.
//!
//! The kernel sets a word of memory that it shares with the cell process. The build step writes [`check`] at the head of
//! each loop and recursive function of the notebook's code, and where iterators may be endless; operations, `%timeit`, sleeps and
//! `.await` look too. A cell that finds the word set unwinds as in a panic, so that its variables go back into the store.

use std::future::poll_fn;
use std::panic::Location;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;
use warpcell_base::interrupt::{is_set, stop_at, take_place};

/// How often a cell that waits for a future is looked at.
const WAITING: Duration = Duration::from_millis(20);

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

/// Reports that the cell has unwound because of an interrupt, if that is so; whether it is.
pub(super) fn report() -> bool {
    // A thread that waits for an interrupted one sees a panic, or nothing of it.
    let place = take_place();
    let interrupted = is_set();
    if interrupted {
        crate::device::stop_functions();
        crate::output::interrupted(place.map(ToString::to_string).as_deref());
    }
    interrupted
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn without_a_kernel_nothing_is_interrupted() {
        check();
        assert!(!warpcell_base::interrupt::interrupted());
    }
}
