//! The backend's own threads: `team` has those that share out loops, a pool of rayon those for what spreads itself.
//!
//! Not rayon's global pool: a method holds the queue's lock while it waits for its tasks. In the global pool, the
//! user's tasks could occupy all threads, each waiting for that lock; or the waiting thread, if it is one of the
//! pool's, could pick up such a task and wait for its own lock.

use super::team::Team;
use std::cell::Cell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use warpcell_base::interrupt::Stop;

/// After this time without a look a task looks whether the cell was interrupted. A piece of work that
/// is longer cannot be stopped within it.
const LONG: Duration = Duration::from_millis(10);

fn pool() -> &'static rayon::ThreadPool {
    static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
    POOL.get_or_init(|| {
        let builder = rayon::ThreadPoolBuilder::new().thread_name(|index| format!("warpcell-pool-{index}"));
        builder.build().expect("the system grants threads")
    })
}

fn team() -> &'static Team {
    static TEAM: OnceLock<&'static Team> = OnceLock::new();
    // The caller of an operation is one more.
    TEAM.get_or_init(|| Team::start(threads() - 1))
}

/// The number of threads.
pub(super) fn threads() -> usize {
    pool().current_num_threads()
}

/// Calls `work` for parts of `0..total` of at least `grain`, in parallel if there is more than one, and waits.
///
/// Parts begin at multiples of `grain`. What has not begun when the cell is interrupted is left out; ask [`left_out`]
/// afterwards. Long parts come in pieces, so that this is soon.
pub(super) fn split(total: usize, grain: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    split_finely(total, grain, grain, work);
}

/// The same, with pieces of `piece`, which may take long even where a grain is not worth a thread.
pub(super) fn split_finely(total: usize, grain: usize, piece: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    if total <= piece {
        if total > 0 {
            work(0..total);
        }
        return;
    }
    let stop = Stop::of_this_thread();
    let stopped = AtomicBool::new(false);
    let stop = || stop.is_asked();
    // A few parts per thread balance the load; whole grains keep results independent of the number of threads.
    let part = total.div_ceil(grain).div_ceil(threads() * 32) * grain;
    let parts = total.div_ceil(part);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut length = piece;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= parts {
                return;
            }
            if !in_pieces(index * part..total.min((index + 1) * part), piece, &mut length, &stop, work) {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    if total <= grain {
        if !in_pieces(0..total, piece, &mut { piece }, &stop, work) {
            stopped.store(true, Ordering::Relaxed);
        }
    } else {
        match parts.min(threads()) {
            1 => run(),
            count => team().with(count - 1, &run),
        }
    }
    if stopped.into_inner() {
        LEFT_OUT.set(true);
    }
}

/// Calls `work`, which shares itself out, on this thread and on those of the others that have nothing to do, and waits.
pub(super) fn together(work: &(dyn Fn() + Sync)) {
    match threads() {
        1 => work(),
        count => team().with(count - 1, work),
    }
}

/// Calls `work`, which spreads itself over the threads, on one of them, and waits.
pub(super) fn install<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if rayon::current_thread_index().is_some() {
        // The caller is one of some pool's threads: let it block rather than pick up that pool's tasks.
        std::thread::scope(|scope| scope.spawn(|| pool().install(work)).join()).expect("the tasks do not panic")
    } else {
        pool().install(work)
    }
}

/// Calls `work` for pieces of `part`, multiples of `piece`, until `stop` says so; whether it came to the end. The `length` of pieces
/// grows until they take long, over all parts of a thread: of quick work there are few.
fn in_pieces(
    part: Range<usize>,
    piece: usize,
    length: &mut usize,
    stop: &dyn Fn() -> bool,
    work: &dyn Fn(Range<usize>),
) -> bool {
    let mut start = part.start;
    while start < part.end {
        if stop() {
            return false;
        }
        let end = part.end.min(start + *length);
        let began = Instant::now();
        work(start..end);
        start = end;
        let took = began.elapsed();
        if took < LONG / 2 && *length < part.len() {
            *length *= 2;
        } else if took > LONG && *length > piece {
            *length /= 2;
        }
    }
    true
}

thread_local! {
    static LEFT_OUT: Cell<bool> = const { Cell::new(false) };
}

/// Whether [`split`] has left parts out on this thread since this was last asked.
pub(super) fn left_out() -> bool {
    LEFT_OUT.take()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn long_work_is_stopped_between_grains_and_quick_work_has_few_pieces() {
        let pieces = RefCell::new(Vec::new());
        let slow = |range| {
            pieces.borrow_mut().push(range);
            let began = Instant::now();
            while began.elapsed() < LONG {
                std::hint::spin_loop();
            }
        };
        assert!(!in_pieces(8..100, 4, &mut 4, &|| pieces.borrow().len() == 3, &slow));
        assert_eq!(*pieces.borrow(), [8..12, 12..16, 16..20]);
        pieces.take();
        let mut length = 10;
        assert!(in_pieces(0..1_000_001, 10, &mut length, &|| false, &|range| pieces.borrow_mut().push(range)));
        let pieces = pieces.take();
        assert!(pieces.len() < 40, "{}", pieces.len());
        assert!(pieces.windows(2).all(|two| two[0].end == two[1].start) && pieces.last().unwrap().end == 1_000_001);
        assert!(pieces.iter().all(|piece| piece.start % 10 == 0));
        // The next part of quick work begins with long pieces; of slow work they become short again.
        let next = RefCell::new(Vec::new());
        assert!(in_pieces(0..640, 10, &mut length, &|| false, &|range| next.borrow_mut().push(range)));
        assert_eq!(next.take().as_slice(), std::slice::from_ref(&(0..640)));
        let (mut length, slowly) = (40, |_| std::thread::sleep(LONG + LONG / 10));
        assert!(in_pieces(0..120, 10, &mut length, &|| false, &slowly));
        assert_eq!(length, 10);
    }
}
