//! Takes samples: a timer of the process counts the time of its processors and sends SIGPROF, and the thread that gets it writes
//! down which functions are on its stack.
//!
//! The signal interrupts a thread anywhere, also while it allocates or holds a lock. So the handler allocates nothing, waits for
//! nothing, and writes into memory that is there. It walks the stack by the tables for unwinding, which all code has: frame pointers
//! are missing in most libraries. The timer counts only while processors work, so calls that wait are hardly interrupted, and they are
//! restarted (`SA_RESTART`).

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The time between two samples, in microseconds of a processor. Most systems look at such timers every four milliseconds.
const INTERVAL: libc::suseconds_t = 1000;
/// As many functions of a stack are written down, from the innermost one on.
const DEPTH: usize = 256;
/// The words for samples. They take memory only when they are written.
const WORDS: usize = 16 << 20;
/// How long to wait for a handler that has begun.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether samples are taken.
static RUNNING: AtomicBool = AtomicBool::new(false);
/// How many threads are in the handler.
static HANDLERS: AtomicUsize = AtomicUsize::new(0);
/// The words: for each sample the number of its thread and the number of its addresses, then the addresses.
static BUFFER: AtomicPtr<AtomicUsize> = AtomicPtr::new(null_mut());
/// How many of them are taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// Samples without room.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Samples of one thread with the same addresses.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The number of the thread.
    pub thread: libc::pid_t,
    /// Where it was, and where the calls return that have led there.
    pub addresses: Vec<usize>,
}

/// What was sampled.
pub struct Samples {
    /// How often each sample was taken.
    pub counts: HashMap<Sample, u64>,
    /// How many samples there was no room for.
    pub dropped: u64,
}

/// The sampler while it runs.
pub struct Sampler {
    /// What the signal did before.
    before: libc::sigaction,
}

#[repr(C)]
struct UnwindContext {
    _private: UnsafeCell<[u8; 0]>,
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

/// A stack that is being walked.
struct Walk {
    /// Where the thread was interrupted. What is above it belongs to the handler.
    interrupted: usize,
    addresses: [usize; DEPTH],
    length: usize,
}

extern "C" fn visit(context: *mut UnwindContext, argument: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 5;
    // SAFETY: `sample` passes a `Walk`, which nobody else uses meanwhile.
    let walk = unsafe { &mut *argument.cast::<Walk>() };
    // SAFETY: the unwinder's own context.
    let address = unsafe { _Unwind_GetIP(context) };
    if walk.length == 0 && address != walk.interrupted {
        return GO_ON;
    }
    if walk.length == DEPTH || address == 0 {
        return STOP;
    }
    walk.addresses[walk.length] = address;
    walk.length += 1;
    GO_ON
}

/// Where a thread was when the signal came.
#[cfg(target_arch = "x86_64")]
fn interrupted_at(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.gregs[libc::REG_RIP as usize].cast_unsigned() as usize
}

/// Where a thread was when the signal came.
#[cfg(target_arch = "aarch64")]
fn interrupted_at(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.pc as usize
}

/// The handler of the signal.
extern "C" fn sample(_signal: c_int, _information: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: each thread has its own.
    let error = unsafe { *libc::__errno_location() };
    HANDLERS.fetch_add(1, Ordering::SeqCst);
    if RUNNING.load(Ordering::SeqCst) && !context.is_null() {
        // SAFETY: the system passes it, for the time of the call.
        let interrupted = interrupted_at(unsafe { &*context.cast::<libc::ucontext_t>() });
        let mut walk = Walk { interrupted, addresses: [0; DEPTH], length: 0 };
        // SAFETY: `visit` takes a `Walk`, which exists during the call.
        unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
        if walk.length == 0 {
            // The unwinder has not found its way out of the handler.
            (walk.addresses[0], walk.length) = (interrupted, 1);
        }
        keep(usize::try_from(this_thread()).unwrap_or(0), &walk.addresses[..walk.length]);
    }
    HANDLERS.fetch_sub(1, Ordering::SeqCst);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = error };
}

/// The number of the thread that calls. C libraries before 2020 have no function for that.
pub fn this_thread() -> libc::pid_t {
    // SAFETY: the call has no preconditions.
    libc::pid_t::try_from(unsafe { libc::syscall(libc::SYS_gettid) }).unwrap_or(0)
}

/// Writes a sample down. Its first word comes last, so that a sample is there as a whole.
fn keep(thread: usize, addresses: &[usize]) {
    let length = addresses.len() + 1;
    let at = TAKEN.fetch_add(length, Ordering::Relaxed);
    let Some(words) = words().get(at..at + length) else {
        DROPPED.fetch_add(1, Ordering::Relaxed);
        return;
    };
    words[1..].iter().zip(addresses).for_each(|(word, address)| word.store(*address, Ordering::Relaxed));
    words[0].store(thread << 16 | addresses.len(), Ordering::Release);
}

/// The words for samples.
fn words() -> &'static [AtomicUsize] {
    let buffer = BUFFER.load(Ordering::Relaxed);
    if buffer.is_null() {
        return &[];
    }
    // SAFETY: `start` has mapped so many words, zero all of them, and `stop` unmaps them when no handler runs any more.
    unsafe { std::slice::from_raw_parts(buffer, WORDS) }
}

impl Sampler {
    /// Begins to sample. There is one sampler at a time.
    pub fn start() -> std::io::Result<Sampler> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: asks for new memory.
        let buffer = unsafe { libc::mmap(null_mut(), WORDS * size_of::<usize>(), protection, flags, -1, 0) };
        if buffer == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        BUFFER.store(buffer.cast(), Ordering::SeqCst);
        TAKEN.store(0, Ordering::SeqCst);
        DROPPED.store(0, Ordering::SeqCst);
        let before = set_action(&action(sample as *const () as usize, libc::SA_SIGINFO | libc::SA_RESTART));
        // The unwinder loads and prepares what it needs at its first call: not in the handler.
        let mut walk = Walk { interrupted: 0, addresses: [0; DEPTH], length: 0 };
        // SAFETY: as in `sample`.
        unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
        RUNNING.store(true, Ordering::SeqCst);
        set_timer(INTERVAL);
        Ok(Sampler { before })
    }

    /// Ends it: timer and handler are gone when this returns.
    pub fn stop(self) -> Samples {
        set_timer(0);
        RUNNING.store(false, Ordering::SeqCst);
        // A signal on its way would end the process if there were no handler. Ignoring it drops it.
        set_action(&action(libc::SIG_IGN, 0));
        let began = Instant::now();
        while HANDLERS.load(Ordering::SeqCst) > 0 && began.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        set_action(&self.before);
        let counts = counted(words(), TAKEN.load(Ordering::SeqCst));
        let dropped = DROPPED.load(Ordering::SeqCst);
        let buffer = BUFFER.swap(null_mut(), Ordering::SeqCst);
        if HANDLERS.load(Ordering::SeqCst) == 0 {
            // SAFETY: `start` has mapped it, and no handler uses it.
            unsafe { libc::munmap(buffer.cast(), WORDS * size_of::<usize>()) };
        }
        Samples { counts, dropped }
    }
}

/// The samples in words.
fn counted(words: &[AtomicUsize], taken: usize) -> HashMap<Sample, u64> {
    let mut counts = HashMap::new();
    let mut at = 0;
    while at < taken {
        let Some(head) = words.get(at).map(|word| word.load(Ordering::Acquire)) else { break };
        let length = head & 0xffff;
        let Some(addresses) = words.get(at + 1..at + 1 + length).filter(|_| length > 0) else { break };
        let addresses = addresses.iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let thread = libc::pid_t::try_from(head >> 16).unwrap_or(0);
        *counts.entry(Sample { thread, addresses }).or_default() += 1;
        at += 1 + length;
    }
    counts
}

fn action(handler: usize, flags: c_int) -> libc::sigaction {
    // SAFETY: all bits may be zero.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    action
}

/// Sets what the signal does; gives what it did.
fn set_action(action: &libc::sigaction) -> libc::sigaction {
    // SAFETY: all bits may be zero.
    let mut before: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: both exist during the call. The handlers that this module sets may run at any time.
    unsafe { libc::sigaction(libc::SIGPROF, action, &raw mut before) };
    before
}

/// Sets the timer to so many microseconds; 0 stops it.
fn set_timer(microseconds: libc::suseconds_t) {
    let time = libc::timeval { tv_sec: 0, tv_usec: microseconds };
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: it exists during the call.
    unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn samples_are_read_as_they_were_written() {
        let words: Vec<AtomicUsize> =
            [7 << 16 | 2, 10, 20, 8 << 16 | 1, 10, 7 << 16 | 2, 10, 20, 0, 0].map(AtomicUsize::new).into();
        let counts = counted(&words, 8);
        let sample = |thread, addresses: &[usize]| Sample { thread, addresses: addresses.to_vec() };
        assert_eq!(counts.len(), 2);
        assert_eq!((counts[&sample(7, &[10, 20])], counts[&sample(8, &[10])]), (2, 1));
        assert_eq!(counted(&words, 500), counts, "what has no room ends it");
    }

    #[test]
    fn work_is_sampled_and_nothing_stays() {
        let sampler = Sampler::start().unwrap();
        let began = Instant::now();
        let mut sum = 0u64;
        while began.elapsed() < Duration::from_millis(300) {
            sum = black_box(sum.wrapping_mul(31).wrapping_add(1));
        }
        let samples = sampler.stop();
        let number: u64 = samples.counts.values().sum();
        assert!(number >= 5, "{number} samples in 300 ms");
        let own = this_thread();
        let deepest = samples.counts.keys().filter(|sample| sample.thread == own).map(|sample| sample.addresses.len());
        assert!(deepest.max().is_some_and(|depth| depth > 3), "callers are found");
        let now = set_action(&action(libc::SIG_DFL, 0));
        assert_eq!(now.sa_sigaction, libc::SIG_DFL);
        // SAFETY: all bits may be zero; the call writes it.
        let mut timer: libc::itimerval = unsafe { MaybeUninit::zeroed().assume_init() };
        // SAFETY: it exists during the call.
        unsafe { libc::getitimer(libc::ITIMER_PROF, &raw mut timer) };
        assert_eq!((timer.it_value.tv_sec, timer.it_value.tv_usec), (0, 0));
        assert!(BUFFER.load(Ordering::SeqCst).is_null());
    }
}
