//! The backend's own threads.
//!
//! Not rayon's global pool: a method holds the queue's lock while it waits for its tasks. In the global pool, the
//! user's tasks could occupy all threads, each waiting for that lock; or the waiting thread, if it is one of the
//! pool's, could pick up such a task and wait for its own lock.

use rayon::prelude::*;
use std::cell::Cell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

fn pool() -> &'static rayon::ThreadPool {
    static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
    POOL.get_or_init(|| {
        let builder = rayon::ThreadPoolBuilder::new().thread_name(|index| format!("warpcell-cpu-{index}"));
        builder.build().expect("the system grants threads")
    })
}

/// The number of threads.
pub(super) fn threads() -> usize {
    pool().current_num_threads()
}

/// Calls `work` for parts of `0..total` of at least `grain`, in parallel if there is more than one, and waits.
///
/// Parts begin at multiples of `grain`. Those that have not begun when the cell is interrupted are left out; ask
/// [`left_out`] afterwards.
pub(super) fn split(total: usize, grain: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    if total <= grain {
        if total > 0 {
            work(0..total);
        }
        return;
    }
    let stoppable = crate::cell::is_of_the_cell();
    let stopped = AtomicBool::new(false);
    let run = || {
        // A few parts per thread balance the load; whole grains keep results independent of the number of threads.
        let grains = total.div_ceil(grain);
        let part = grains.div_ceil(threads() * 32) * grain;
        (0..total.div_ceil(part)).into_par_iter().for_each(|index| {
            if stoppable && crate::cell::interrupted() {
                stopped.store(true, Ordering::Relaxed);
            } else {
                work(index * part..total.min((index + 1) * part));
            }
        });
    };
    if rayon::current_thread_index().is_some() {
        // The caller is one of some pool's threads: let it block rather than pick up that pool's tasks.
        std::thread::scope(|scope| scope.spawn(|| pool().install(run)).join()).expect("the tasks do not panic");
    } else {
        pool().install(run);
    }
    if stopped.into_inner() {
        LEFT_OUT.set(true);
    }
}

thread_local! {
    static LEFT_OUT: Cell<bool> = const { Cell::new(false) };
}

/// Whether [`split`] has left parts out on this thread since this was last asked.
pub(super) fn left_out() -> bool {
    LEFT_OUT.take()
}
