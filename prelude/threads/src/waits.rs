//! The threads of a block that wait: at a barrier of the block, or at one of their warp.

use crate::failure::Elsewhere;
use std::panic::Location;

/// As many lanes a warp has.
pub(crate) const LANES: usize = 32;

/// At what a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    SyncThreads,
    SyncThreadsCount,
    SyncThreadsAnd,
    SyncThreadsOr,
    SyncWarp,
    Shuffle,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    Ballot,
    All,
    Any,
}

impl Operation {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operation::SyncThreads => "sync_threads",
            Operation::SyncThreadsCount => "sync_threads_count",
            Operation::SyncThreadsAnd => "sync_threads_and",
            Operation::SyncThreadsOr => "sync_threads_or",
            Operation::SyncWarp => "sync_warp",
            Operation::Shuffle => "shfl_sync",
            Operation::ShuffleUp => "shfl_up_sync",
            Operation::ShuffleDown => "shfl_down_sync",
            Operation::ShuffleXor => "shfl_xor_sync",
            Operation::Ballot => "ballot_sync",
            Operation::All => "all_sync",
            Operation::Any => "any_sync",
        }
    }

    /// Whether the whole block takes part, not one warp.
    fn is_of_the_block(self) -> bool {
        use Operation::{SyncThreads, SyncThreadsAnd, SyncThreadsCount, SyncThreadsOr};
        matches!(self, SyncThreads | SyncThreadsCount | SyncThreadsAnd | SyncThreadsOr)
    }
}

/// A thread's call that waits for others.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    pub(crate) operation: Operation,
    /// The lanes that take part, in an operation of the warp.
    pub(crate) mask: u32,
    /// What the thread brings: a predicate, or the bits of a value.
    pub(crate) word: u64,
    /// The type of that value.
    pub(crate) element: &'static str,
    /// Of a shuffle: a lane, a distance or a mask.
    pub(crate) lane: u32,
    pub(crate) place: &'static Location<'static>,
}

/// Threads that no thread will ever release, or that only a lenient device would: one that waits, and where another is.
pub(crate) struct Divergence {
    pub(crate) waiting: u32,
    pub(crate) other: u32,
}

/// What is known of a thread that waits or has waited.
#[derive(Clone, Copy)]
struct Seat {
    /// At what it waits.
    wait: Option<Wait>,
    /// The coroutine that it waits in.
    slot: u32,
    /// What it gets.
    result: u64,
}

#[derive(Clone, Copy)]
struct Warp {
    /// The lanes whose threads have not ended.
    alive: u32,
    /// The lanes that wait at an operation of the warp.
    waiting: u32,
}

/// The threads of a block, by their numbers.
pub(crate) struct Waits {
    seats: Vec<Seat>,
    warps: Vec<Warp>,
    /// Who waits at a barrier of the block, in the order of arrival.
    at_barrier: Vec<u32>,
    /// How many of them have brought a predicate.
    predicates: usize,
    /// Who can go on, in turn.
    ready: Vec<u32>,
    /// How many of these have gone on.
    gone: usize,
    /// How many wait at operations of their warps.
    at_warps: usize,
    /// The coroutines of those that will not go on.
    parked: Vec<usize>,
}

impl Waits {
    pub(crate) fn new(threads: usize) -> Waits {
        Waits {
            seats: vec![Seat { wait: None, slot: 0, result: 0 }; threads],
            warps: vec![Warp { alive: 0, waiting: 0 }; threads.div_ceil(LANES)],
            at_barrier: Vec::new(),
            predicates: 0,
            ready: Vec::new(),
            gone: 0,
            at_warps: 0,
            parked: Vec::new(),
        }
    }

    /// Begins a block, when all threads of the one before have ended.
    pub(crate) fn begin(&mut self) {
        let mut threads = self.seats.len();
        for warp in &mut self.warps {
            warp.alive = if threads >= LANES { u32::MAX } else { (1 << threads) - 1 };
            threads = threads.saturating_sub(LANES);
        }
    }

    /// How many threads wait, those that can go on included.
    pub(crate) fn waiting(&self) -> usize {
        self.at_barrier.len() + self.at_warps + self.ready.len() - self.gone + self.parked.len()
    }

    /// A thread is left where it is until it is evicted.
    pub(crate) fn park(&mut self, slot: usize) {
        self.parked.push(slot);
    }

    pub(crate) fn any_ready(&self) -> bool {
        self.gone < self.ready.len()
    }

    /// The coroutine of the next thread that can go on.
    pub(crate) fn next_ready(&mut self) -> Option<usize> {
        let thread = *self.ready.get(self.gone)?;
        self.gone += 1;
        if self.gone == self.ready.len() {
            self.ready.clear();
            self.gone = 0;
        }
        let seat = &mut self.seats[thread as usize];
        seat.wait = None;
        Some(seat.slot as usize)
    }

    /// The coroutine of any thread that waits, to end it.
    pub(crate) fn evict(&mut self) -> Option<usize> {
        if let Some(slot) = self.next_ready().or_else(|| self.parked.pop()) {
            return Some(slot);
        }
        let thread = match self.at_barrier.pop() {
            Some(thread) => thread as usize,
            None => {
                let (number, warp) = self.warps.iter_mut().enumerate().find(|(_, warp)| warp.waiting != 0)?;
                let lane = warp.waiting.trailing_zeros();
                warp.waiting &= !(1 << lane);
                self.at_warps -= 1;
                number * LANES + lane as usize
            }
        };
        self.seats[thread].wait = None;
        Some(self.seats[thread].slot as usize)
    }

    /// What the thread got from what it waited at.
    pub(crate) fn result(&self, thread: usize) -> u64 {
        self.seats[thread].result
    }

    /// A thread comes to wait. Gives the lanes that its warp's operation has released, with the number of the first.
    pub(crate) fn arrive(&mut self, thread: usize, slot: usize, wait: Wait) -> Option<Released> {
        let seat = &mut self.seats[thread];
        (seat.wait, seat.slot) = (Some(wait), slot as u32);
        if wait.operation.is_of_the_block() {
            self.predicates += usize::from(wait.operation != Operation::SyncThreads);
            self.at_barrier.push(thread as u32);
            return None;
        }
        self.at_warps += 1;
        let warp = thread / LANES;
        self.warps[warp].waiting |= 1 << (thread % LANES);
        self.release(warp, wait)
    }

    /// A thread has ended. Gives whether others of its warp wait, perhaps for nobody any longer.
    #[inline]
    pub(crate) fn end(&mut self, thread: usize) -> bool {
        let warp = &mut self.warps[thread / LANES];
        warp.alive &= !(1 << (thread % LANES));
        warp.waiting != 0
    }

    /// Releases lanes in the warp of a thread that has ended, if some do not wait for others any longer.
    pub(crate) fn release_any(&mut self, thread: usize) -> Option<Released> {
        let warp = thread / LANES;
        each(self.warps[warp].waiting).find_map(|lane| {
            let wait = self.seats[warp * LANES + lane].wait?;
            self.release(warp, wait)
        })
    }

    /// Releases the lanes of a warp that wait at this operation, if all that take part have come.
    fn release(&mut self, number: usize, wait: Wait) -> Option<Released> {
        let first = number * LANES;
        let warp = self.warps[number];
        let lanes = wait.mask & warp.alive;
        let agrees = |lane: usize| {
            self.seats[first + lane].wait.is_some_and(|other| {
                (other.operation, other.mask, other.element) == (wait.operation, wait.mask, wait.element)
            })
        };
        if lanes & !warp.waiting != 0 || !each(lanes).all(agrees) {
            return None;
        }
        let word = |lane: usize| self.seats[first + lane].wait.map_or(0, |wait| wait.word);
        let votes = each(lanes).filter(|&lane| word(lane) != 0).fold(0u32, |votes, lane| votes | 1 << lane);
        let mut results = [0; LANES];
        for lane in each(lanes) {
            let distance = self.seats[first + lane].wait.map_or(0, |wait| wait.lane) as usize;
            let source = match wait.operation {
                Operation::Ballot => {
                    results[lane] = votes.into();
                    continue;
                }
                Operation::All => {
                    results[lane] = u64::from(votes == lanes);
                    continue;
                }
                Operation::Any => {
                    results[lane] = u64::from(votes != 0);
                    continue;
                }
                Operation::Shuffle => Some(distance % LANES),
                Operation::ShuffleUp => lane.checked_sub(distance),
                Operation::ShuffleDown => lane.checked_add(distance).filter(|&lane| lane < LANES),
                Operation::ShuffleXor => Some(lane ^ distance).filter(|&lane| lane < LANES),
                _ => None,
            };
            // A device gives anything for a lane that takes no part; here it is the thread's own value.
            results[lane] = word(source.filter(|&lane| lanes >> lane & 1 == 1).unwrap_or(lane));
        }
        for lane in each(lanes) {
            self.seats[first + lane].result = results[lane];
            self.ready.push((first + lane) as u32);
        }
        self.warps[number].waiting &= !lanes;
        self.at_warps -= lanes.count_ones() as usize;
        // Devices let a warp's barrier be in several lines, but not what gives something.
        let place = |lane: usize| self.seats[first + lane].wait.map_or(wait.place, |wait| wait.place);
        let lowest = lanes.trailing_zeros() as usize;
        let divergence = each(lanes)
            .find(|&lane| wait.operation != Operation::SyncWarp && !same(place(lane), place(lowest)))
            .map(|lane| Divergence { waiting: (first + lowest) as u32, other: (first + lane) as u32 });
        Some(Released { first, lanes, divergence })
    }

    /// Opens the barrier of the block, where everybody waits who has not ended. Gives who waits for threads that will not come:
    /// those of a warp's operation, or, if `strict`, of a barrier in another line, or that have ended.
    pub(crate) fn open(&mut self, strict: bool) -> Result<(), Divergence> {
        if self.at_warps > 0 {
            return Err(self.stuck());
        }
        if strict && let Some(divergence) = self.divergence() {
            return Err(divergence);
        }
        if self.predicates > 0 {
            let waits = self.at_barrier.iter().filter_map(|&thread| self.seats[thread as usize].wait);
            let (mut count, mut brought) = (0, 0);
            for wait in waits.filter(|wait| wait.operation != Operation::SyncThreads) {
                brought += 1;
                count += u64::from(wait.word != 0);
            }
            for &thread in &self.at_barrier {
                let seat = &mut self.seats[thread as usize];
                seat.result = match seat.wait.map(|wait| wait.operation) {
                    Some(Operation::SyncThreadsAnd) => u64::from(count == brought),
                    Some(Operation::SyncThreadsOr) => u64::from(count > 0),
                    _ => count,
                };
            }
            self.predicates = 0;
        }
        std::mem::swap(&mut self.at_barrier, &mut self.ready);
        Ok(())
    }

    /// A thread that waits at an operation of its warp, and a lane that the mask names and that is not there.
    fn stuck(&self) -> Divergence {
        let waiting = |thread: usize| self.seats[thread].wait;
        for (number, warp) in self.warps.iter().enumerate().filter(|(_, warp)| warp.waiting != 0) {
            let first = number * LANES;
            for lane in each(warp.waiting) {
                let Some(wait) = waiting(first + lane) else { continue };
                let other = each(wait.mask & warp.alive).find(|&other| {
                    waiting(first + other)
                        .is_none_or(|other| (other.operation, other.mask) != (wait.operation, wait.mask))
                });
                if let Some(other) = other {
                    return Divergence { waiting: (first + lane) as u32, other: (first + other) as u32 };
                }
            }
        }
        // Lanes that differ in the type of their values only.
        let lane = self.warps.iter().position(|warp| warp.waiting != 0).unwrap_or(0) * LANES;
        Divergence { waiting: lane as u32, other: lane as u32 }
    }

    /// A thread at the barrier, and another that has ended or waits in another line.
    fn divergence(&self) -> Option<Divergence> {
        let first = self.at_barrier.iter().copied().min()?;
        let wait = self.seats[first as usize].wait?;
        let other = (0..self.seats.len() as u32)
            .find(|&thread| self.seats[thread as usize].wait.is_none_or(|other| !same(other.place, wait.place)))?;
        Some(Divergence { waiting: first, other })
    }

    /// At what a thread waits.
    pub(crate) fn wait_of(&self, thread: u32) -> Option<Wait> {
        self.seats[thread as usize].wait
    }

    /// Where a thread is that others wait for; `index` is its place in the block.
    pub(crate) fn whereabouts(&self, thread: u32, index: [usize; 3]) -> Elsewhere {
        match self.wait_of(thread) {
            None => Elsewhere::Ended { thread: index },
            Some(wait) => Elsewhere::Waits { thread: index, operation: wait.operation.name(), line: wait.place.line() },
        }
    }
}

/// Lanes that go on from an operation of their warp.
pub(crate) struct Released {
    /// The thread of the warp's first lane.
    pub(crate) first: usize,
    pub(crate) lanes: u32,
    /// Two of them that called from different lines, where that is not allowed.
    pub(crate) divergence: Option<Divergence>,
}

/// The lanes of a mask.
pub(crate) fn each(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize)?;
        lanes &= lanes - 1;
        Some(lane)
    })
}

/// Whether two places are one. A place may have several addresses.
pub(crate) fn same(one: &'static Location<'static>, other: &'static Location<'static>) -> bool {
    std::ptr::eq(one, other) || (one.line(), one.column(), one.file()) == (other.line(), other.column(), other.file())
}
