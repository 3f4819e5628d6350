//! A launch: blocks are spread over the threads of the processor, or run one after another under the checker.

use crate::access::CHECKED_LAUNCHES;
use crate::failure::{Failure, FailureKind};
use crate::panics;
use crate::recording::{Plan, Recording};
use crate::worker::{self, Worker};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is launched, and how.
pub struct Launch<'a> {
    /// The kernel's name.
    pub function: &'a str,
    /// How many blocks there are along each axis.
    pub grid: [usize; 3],
    /// How many threads a block has along each axis.
    pub block: [usize; 3],
    /// How long the dynamic shared memory of a block is.
    pub dynamic_shared_bytes: usize,
    /// Whether accesses and barriers are checked.
    pub mode: Mode,
    /// Whether the launch should stop. It is asked often.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// What is done beside running the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing: blocks run at once on all processors.
    Plain,
    /// Blocks run one after another, and every access is checked for races and for memory that is not initialised, every
    /// barrier for threads that will not come.
    Checked,
}

/// As much memory the threads of a block share at most, dynamic shared memory included.
pub const SHARED_MEMORY_LIMIT: usize = 48 * 1024;

/// Calls `thread` once for each thread of the grid; there, `thread_idx()` and its kin say which one it is, and
/// `sync_threads()` waits for the others of the block.
///
/// A failure ends the launch soon; it is that of the first block, in the order of their numbers, in which something went wrong
/// (if blocks run at once and do not depend on each other). What the threads have written until then stays.
///
/// # Safety
///
/// `thread` must be safe to call in any OS thread, at any number of places at once: views that it uses must be made of memory
/// that they may access so.
#[allow(clippy::result_large_err)] // once a launch
pub unsafe fn run(launch: &Launch<'_>, thread: &(dyn Fn() + Sync)) -> Result<(), Failure> {
    if worker::running().is_some() {
        let reason = "a kernel cannot launch another kernel".to_owned();
        let kind = FailureKind::Misuse { operation: "launch", reason };
        return Err(Failure { kind, line: None, thread: [0; 3], block: [0; 3] });
    }
    panics::listen();
    let whole = Whole::new(launch, thread);
    if launch.mode == Mode::Plain {
        whole.spread();
    } else {
        let _checked = CheckedLaunch::begin();
        Worker::new(&whole, None).run();
    }
    whole.into_failure().map_or(Ok(()), Err)
}

/// As [`run`] with [`Mode::Checked`], and records what happens in some blocks: there, `recorded` is called for each thread in place of
/// `thread`. It is to do the same, and to call [`step`](crate::steps::step) before each statement: then the threads of a warp execute
/// statements in lockstep. Without, threads run one after another between barriers, and each line that accesses memory is a step.
///
/// # Safety
///
/// As for [`run`], of both functions.
pub unsafe fn record(
    launch: &Launch<'_>,
    plan: Plan,
    thread: &(dyn Fn() + Sync),
    recorded: &(dyn Fn() + Sync),
) -> (Result<(), Failure>, Recording) {
    if worker::running().is_some() {
        let reason = "a kernel cannot launch another kernel".to_owned();
        let kind = FailureKind::Misuse { operation: "launch_traced", reason };
        return (Err(Failure { kind, line: None, thread: [0; 3], block: [0; 3] }), Recording::default());
    }
    panics::listen();
    let mut whole = Whole::new(launch, thread);
    whole.recorded = recorded;
    let _checked = CheckedLaunch::begin();
    let recording = Worker::new(&whole, Some(plan)).run();
    (whole.into_failure().map_or(Ok(()), Err), recording)
}

/// While this lives, accesses ask whether they are to be noted.
struct CheckedLaunch;

impl CheckedLaunch {
    fn begin() -> CheckedLaunch {
        CHECKED_LAUNCHES.fetch_add(1, Ordering::Relaxed);
        CheckedLaunch
    }
}

impl Drop for CheckedLaunch {
    fn drop(&mut self) {
        CHECKED_LAUNCHES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What all workers of a launch share.
pub(crate) struct Whole<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) thread: &'a (dyn Fn() + Sync),
    /// What a thread of a recorded block does.
    pub(crate) recorded: &'a (dyn Fn() + Sync),
    /// How many blocks there are.
    blocks: usize,
    /// The first block that nobody has taken.
    next: AtomicUsize,
    /// How many blocks a worker takes at once.
    chunk: usize,
    /// Blocks from here on are given up.
    limit: AtomicUsize,
    interrupted: AtomicBool,
    /// With the number of its block. The lowest wins.
    failure: Mutex<Option<(usize, Failure)>>,
}

impl<'a> Whole<'a> {
    fn new(launch: &'a Launch<'a>, thread: &'a (dyn Fn() + Sync)) -> Whole<'a> {
        let threads = launch.block.iter().product::<usize>();
        let blocks = if threads == 0 { 0 } else { launch.grid.iter().fold(1, |all: usize, &n| all.saturating_mul(n)) };
        // Small enough that all workers end together.
        let chunk = (blocks / (rayon::current_num_threads() * 32)).clamp(1, 1024);
        Whole {
            launch,
            thread,
            recorded: thread,
            blocks,
            next: AtomicUsize::new(0),
            chunk,
            limit: AtomicUsize::new(usize::MAX),
            interrupted: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Runs all blocks by as many workers as there are threads in the pool.
    fn spread(&self) {
        let threads = self.launch.block.iter().product::<usize>();
        let workers = rayon::current_num_threads().min(self.blocks).min(worker::most_at_once(threads));
        if workers <= 1 {
            Worker::new(self, None).run();
        } else {
            rayon::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|_| {
                        Worker::new(self, None).run();
                    });
                }
            });
        }
    }

    /// Some blocks that nobody has taken yet.
    pub(crate) fn take(&self) -> Option<std::ops::Range<usize>> {
        // It goes beyond the end by a chunk for each worker, and no further.
        let first = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        (first < self.blocks).then(|| first..self.blocks.min(first.saturating_add(self.chunk)))
    }

    /// Whether a block should end, as an earlier one or itself has failed, or everything is to stop.
    #[inline]
    pub(crate) fn gives_up(&self, block: usize) -> bool {
        block >= self.limit.load(Ordering::Relaxed)
    }

    /// Asks whether everything is to stop.
    pub(crate) fn ask(&self) -> bool {
        let stop = (self.launch.interrupted)();
        if stop {
            self.interrupted.store(true, Ordering::Relaxed);
            self.limit.store(0, Ordering::Relaxed);
        }
        stop
    }

    /// Keeps a failure, if no earlier block has one.
    pub(crate) fn failed(&self, block: usize, failure: Failure) {
        let mut kept = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|(first, _)| block < *first) {
            *kept = Some((block, failure));
        }
        self.limit.fetch_min(block, Ordering::Relaxed);
    }

    /// What has gone wrong.
    fn into_failure(self) -> Option<Failure> {
        let failure = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        let interrupted = || Failure { kind: FailureKind::Interrupted, line: None, thread: [0; 3], block: [0; 3] };
        failure.map(|(_, failure)| failure).or_else(|| self.interrupted.into_inner().then(interrupted))
    }
}
