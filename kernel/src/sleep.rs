//! Sleeps in the cell process. An interrupt of the cell ends a sleep. libstd would continue the sleep after a signal.
//!
//! The binary's `clock_nanosleep` replaces that of the C library for everything that is loaded (`kernel/build.rs`
//! exports it). It sleeps in short parts and asks the prelude between them.

use libc::{c_int, clockid_t, timespec};
use std::sync::OnceLock;

/// Asks whether the calling thread must stop.
pub type Interrupted = unsafe extern "C" fn() -> bool;

static INTERRUPTED: OnceLock<Interrupted> = OnceLock::new();

/// The longest time between two questions, in nanoseconds: half of the time that a user may wait for an interrupt.
const PART: i128 = 100_000_000;

/// From now on sleeps can be interrupted.
pub fn watch(interrupted: Interrupted) {
    INTERRUPTED.get_or_init(|| interrupted);
}

/// The C library's function; an interrupted sleep ends as if its time were over.
///
/// # Safety
///
/// As for the C library's: `request` points to a time, `remaining` to room for one, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    request: *const timespec,
    remaining: *mut timespec,
) -> c_int {
    let Some(interrupted) = INTERRUPTED.get() else {
        // SAFETY: the arguments are the caller's.
        return unsafe { sleep(clock, flags, request, remaining) };
    };
    // SAFETY: the caller's promise.
    let request = unsafe { *request };
    if !(0..1_000_000_000).contains(&request.tv_nsec) || request.tv_sec < 0 {
        // SAFETY: the local is a time; nothing remains of what cannot be slept.
        return unsafe { sleep(clock, flags, &request, std::ptr::null_mut()) };
    }
    let is_absolute = flags & libc::TIMER_ABSTIME != 0;
    let end = nanoseconds(request) + if is_absolute { 0 } else { now(clock) };
    loop {
        let part = end.min(now(clock) + PART);
        // SAFETY: the local is a time; an absolute sleep leaves no rest.
        let status = unsafe { sleep(clock, libc::TIMER_ABSTIME, &time(part), std::ptr::null_mut()) };
        // SAFETY: the prelude's function has no preconditions.
        if (status == 0 && part == end) || unsafe { interrupted() } {
            return 0;
        }
        if status != 0 {
            if !is_absolute && !remaining.is_null() {
                // SAFETY: the caller's promise.
                unsafe { *remaining = time((end - now(clock)).max(0)) };
            }
            return status;
        }
    }
}

/// The system call. Returns the error's number like the C library.
unsafe fn sleep(clock: clockid_t, flags: c_int, request: *const timespec, remaining: *mut timespec) -> c_int {
    // SAFETY: the arguments are valid by the caller's promise.
    let status = unsafe { libc::syscall(libc::SYS_clock_nanosleep, clock, flags, request, remaining) };
    if status == 0 { 0 } else { std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL) }
}

/// The time of a clock in nanoseconds.
fn now(clock: clockid_t) -> i128 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for writes. An unknown clock leaves it, and the sleep reports the clock.
    unsafe { libc::clock_gettime(clock, &mut time) };
    nanoseconds(time)
}

const SECOND: i128 = 1_000_000_000;

fn nanoseconds(time: timespec) -> i128 {
    i128::from(time.tv_sec) * SECOND + i128::from(time.tv_nsec)
}

/// The time of that many nanoseconds, or the largest time.
fn time(nanoseconds: i128) -> timespec {
    let tv_sec = i64::try_from(nanoseconds / SECOND).unwrap_or(i64::MAX);
    timespec { tv_sec, tv_nsec: (nanoseconds % SECOND) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_nanoseconds() {
        let counted = |tv_sec, tv_nsec| nanoseconds(timespec { tv_sec, tv_nsec });
        let parts = |nanoseconds| (time(nanoseconds).tv_sec, time(nanoseconds).tv_nsec);
        assert_eq!(parts(counted(1, 700_000_000) + counted(2, 400_000_000)), (4, 100_000_000));
        assert_eq!(parts(counted(4, 100_000_000) - counted(1, 700_000_000)), (2, 400_000_000));
        assert_eq!(parts(counted(i64::MAX, 0) + counted(1, 0)).0, i64::MAX);
    }

    #[test]
    fn an_interrupted_sleep_ends_early_and_another_does_not() {
        static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        unsafe extern "C" fn at_the_second_call() -> bool {
            CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 0
        }
        watch(at_the_second_call);
        let start = std::time::Instant::now();
        let request = time(1_000_000);
        // SAFETY: the local is a time.
        assert_eq!(unsafe { clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &request, std::ptr::null_mut()) }, 0);
        assert!(start.elapsed() >= std::time::Duration::from_millis(1), "a short sleep is a whole one");
        let request = time(3600 * SECOND);
        // SAFETY: the local is a time.
        assert_eq!(unsafe { clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &request, std::ptr::null_mut()) }, 0);
    }
}
