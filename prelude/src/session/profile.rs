//! Statements and cells with `%prun`: the cell process samples them.

use std::sync::OnceLock;

/// What the cell process does: begins a profile with options, as JSON, and ends it.
struct Profiler {
    begin: unsafe extern "C" fn(*const u8, usize),
    end: extern "C" fn(),
}

static PROFILER: OnceLock<Profiler> = OnceLock::new();

/// While this lives, no samples are taken of this thread. Threads of kernels on the CPU have stacks of their own, and between two of these there is
/// none that could be walked.
struct NotSampled {
    before: libc::sigset_t,
}

impl NotSampled {
    fn begin() -> NotSampled {
        // SAFETY: `sigemptyset` fills the set, and all pointers are to live sets. The mask is that of this thread.
        unsafe {
            let (mut signals, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigemptyset(&raw mut signals);
            libc::sigaddset(&raw mut signals, libc::SIGPROF);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, &raw mut before);
            NotSampled { before }
        }
    }
}

impl Drop for NotSampled {
    fn drop(&mut self) {
        // SAFETY: the set is the one that `begin` has got.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}

/// Called by the cell process: has it asked when a cell begins and ends a profile.
///
/// # Safety
///
/// `begin` may be called with the address and the length of a text that exists during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpcell_profile_by(begin: unsafe extern "C" fn(*const u8, usize), end: extern "C" fn()) {
    PROFILER.get_or_init(|| Profiler { begin, end });
    warpcell_threads::keep_while_running(|| Box::new(NotSampled::begin()));
}

/// Begins what [`prun_end`] or [`prun_value`] ends: the functions that run until then are sampled, and shown then. `%prun` calls this.
/// `options` are its options as JSON, or empty. Without a kernel it does nothing.
///
/// ```
/// use warpcell::session::{prun_begin, prun_end};
///
/// prun_begin("");
/// let sum: u64 = (0..1000).sum();
/// prun_end();
/// assert_eq!(sum, 499_500);
/// ```
pub fn prun_begin(options: &str) {
    if let Some(profiler) = PROFILER.get() {
        // SAFETY: the text exists during the call.
        unsafe { (profiler.begin)(options.as_ptr(), options.len()) };
    }
}

/// Ends what [`prun_begin`] began, and shows what was sampled.
pub fn prun_end() {
    if let Some(profiler) = PROFILER.get() {
        (profiler.end)();
    }
}

/// As [`prun_end`], and returns `value`, which is computed before.
pub fn prun_value<T>(value: T) -> T {
    prun_end();
    value
}
