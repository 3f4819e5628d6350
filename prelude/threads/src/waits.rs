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
    pub(crate) fn is_of_the_block(self) -> bool {
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
    pub(crate) element: u8,
    /// Of a shuffle: a lane, a distance or a mask.
    pub(crate) lane: u32,
    pub(crate) place: &'static Location<'static>,
}

/// Threads that no thread will ever release, or that only a lenient device would: one that waits, and where another is.
pub(crate) struct Divergence {
    pub(crate) waiting: u32,
    pub(crate) other: u32,
}

/// A thread that waits or has waited. It is written at each barrier, so it is small.
#[derive(Clone, Copy)]
struct Seat {
    /// Where it waits, if it does.
    place: Option<&'static Location<'static>>,
    /// What it brings, and then what it gets.
    word: u64,
    mask: u32,
    lane: u32,
    /// The coroutine that it waits in.
    slot: u32,
    operation: Operation,
    element: u8,
    /// About where its stack ends.
    frame: *const u8,
}

impl Seat {
    const EMPTY: Seat = Seat {
        place: None,
        word: 0,
        mask: 0,
        lane: 0,
        slot: 0,
        operation: Operation::SyncThreads,
        element: 0,
        frame: std::ptr::null(),
    };

    /// Whether it waits for the same as another one.
    fn agrees(&self, other: &Seat) -> bool {
        let what = |seat: &Seat| (seat.operation, seat.mask, seat.element);
        self.place.is_some() && other.place.is_some() && what(self) == what(other)
    }

    /// Whether both wait in one line.
    fn is_beside(&self, other: &Seat) -> bool {
        self.place.zip(other.place).is_some_and(|(one, other)| same(one, other))
    }
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
            seats: vec![Seat::EMPTY; threads],
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
        if let Some(&next) = self.ready.get(self.gone) {
            fetch(self.seats[next as usize].frame);
        }
        if self.gone == self.ready.len() {
            self.ready.clear();
            self.gone = 0;
        }
        let seat = &mut self.seats[thread as usize];
        seat.place = None;
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
        self.seats[thread].place = None;
        Some(self.seats[thread].slot as usize)
    }

    /// What the thread got from what it waited at.
    pub(crate) fn result(&self, thread: usize) -> u64 {
        self.seats[thread].word
    }

    /// A thread comes to wait. Gives the lanes that its warp's operation has released, with the number of the first.
    #[inline]
    pub(crate) fn arrive(&mut self, thread: usize, slot: usize, wait: &Wait, frame: *const u8) -> Option<Released> {
        let seat = &mut self.seats[thread];
        seat.place = Some(wait.place);
        seat.word = wait.word;
        seat.slot = slot as u32;
        seat.operation = wait.operation;
        seat.frame = frame;
        if wait.operation.is_of_the_block() {
            self.predicates += usize::from(wait.operation != Operation::SyncThreads);
            self.at_barrier.push(thread as u32);
            return None;
        }
        (seat.mask, seat.lane, seat.element) = (wait.mask, wait.lane, wait.element);
        self.at_warps += 1;
        self.warps[thread / LANES].waiting |= 1 << (thread % LANES);
        self.release(thread)
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
        each(self.warps[warp].waiting).find_map(|lane| self.release(warp * LANES + lane))
    }

    /// Releases the lanes that wait at the same operation as this thread, if all that take part have come.
    fn release(&mut self, thread: usize) -> Option<Released> {
        let (number, first) = (thread / LANES, thread / LANES * LANES);
        let (warp, own) = (self.warps[number], self.seats[thread]);
        let lanes = own.mask & warp.alive;
        if lanes & !warp.waiting != 0 || !each(lanes).all(|lane| self.seats[first + lane].agrees(&own)) {
            return None;
        }
        let word = |lane: usize| self.seats[first + lane].word;
        let votes = each(lanes).filter(|&lane| word(lane) != 0).fold(0u32, |votes, lane| votes | 1 << lane);
        let mut results = [0; LANES];
        for lane in each(lanes) {
            let distance = self.seats[first + lane].lane as usize;
            let source = match own.operation {
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
            self.seats[first + lane].word = results[lane];
            self.ready.push((first + lane) as u32);
        }
        self.warps[number].waiting &= !lanes;
        self.at_warps -= lanes.count_ones() as usize;
        // Devices let a warp's barrier be in several lines, but not what gives something.
        let lowest = lanes.trailing_zeros() as usize;
        let beside = |lane: usize| self.seats[first + lane].is_beside(&self.seats[first + lowest]);
        let divergence = each(lanes)
            .find(|&lane| own.operation != Operation::SyncWarp && !beside(lane))
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
            let (mut count, mut brought) = (0, 0);
            for &thread in &self.at_barrier {
                let seat = &self.seats[thread as usize];
                if seat.operation != Operation::SyncThreads {
                    brought += 1;
                    count += u64::from(seat.word != 0);
                }
            }
            for &thread in &self.at_barrier {
                let seat = &mut self.seats[thread as usize];
                seat.word = match seat.operation {
                    Operation::SyncThreadsAnd => u64::from(count == brought),
                    Operation::SyncThreadsOr => u64::from(count > 0),
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
        for (number, warp) in self.warps.iter().enumerate() {
            let first = number * LANES;
            for lane in each(warp.waiting) {
                let own = &self.seats[first + lane];
                let other = each(own.mask & warp.alive).find(|&other| !self.seats[first + other].agrees(own));
                if let Some(other) = other {
                    return Divergence { waiting: (first + lane) as u32, other: (first + other) as u32 };
                }
            }
        }
        unreachable!("lanes that agree with all that they wait for are released")
    }

    /// A thread at the barrier, and another that has ended or waits in another line.
    fn divergence(&self) -> Option<Divergence> {
        let first = self.at_barrier.iter().copied().min()?;
        let own = &self.seats[first as usize];
        let other = (0..self.seats.len() as u32).find(|&thread| !self.seats[thread as usize].is_beside(own))?;
        Some(Divergence { waiting: first, other })
    }

    /// The line of the barrier of the block at which threads wait.
    pub(crate) fn line_of_barrier(&self) -> Option<u32> {
        let first = *self.at_barrier.first()?;
        self.seats[first as usize].place.map(Location::line)
    }

    /// The function that a thread waits in, and where it was called.
    pub(crate) fn call_of(&self, thread: u32) -> Option<(&'static str, &'static Location<'static>)> {
        let seat = &self.seats[thread as usize];
        Some((seat.operation.name(), seat.place?))
    }

    /// Where a thread is that others wait for; `index` is its place in the block.
    pub(crate) fn whereabouts(&self, thread: u32, index: [usize; 3]) -> Elsewhere {
        match self.call_of(thread) {
            None => Elsewhere::Ended { thread: index },
            Some((operation, place)) => Elsewhere::Waits { thread: index, operation, line: place.line() },
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

/// Has the processor fetch the end of a stack, for the thread that is next: those of a block do not fit into the first cache.
#[inline]
fn fetch(frame: *const u8) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..8 {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(frame.wrapping_add(line * 64).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = frame;
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
