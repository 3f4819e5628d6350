//! The checker of a launch: which thread has accessed what, and whether a barrier lies between.
//!
//! Two accesses of one element are a race if different threads make them, at least one changes the element, not both are atomic,
//! and nothing orders them: no barrier of their block and no operation of their warp in which both took part (or that leads from
//! one to the other through further threads). Blocks are ordered by `thread_fence` with atomic operations alone. What is kept of
//! an element is in the manner of FastTrack (Flanagan and Freund, 2009): the last write and the reads since, each with the time
//! of its thread; the barriers that a block has passed are one clock for all its threads, and the threads of a warp have vector
//! clocks beside it.

mod fences;
mod shadow;

use crate::access::Element;
use crate::failure::{Access, AccessKind, Failure, FailureKind};
use crate::region::{Name, Region};
use crate::waits::{LANES, each};
use fences::Fences;
use shadow::{Known, Record, Shadow};
use std::panic::Location;

/// What is wrong with an access.
pub(crate) enum Fault {
    /// It is in a race.
    Race(Failure),
    /// It has read shared memory that holds nothing; unless another thread writes there before the next barrier, for then that is
    /// the fault: a race.
    Unset(Failure),
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    /// An atomic operation on what is there.
    Atomic,
    /// An atomic operation that needs nothing to be there.
    Exchange,
}

impl Touch {
    fn kind(self) -> AccessKind {
        match self {
            Touch::Read => AccessKind::Read,
            Touch::Write => AccessKind::Write,
            Touch::Atomic | Touch::Exchange => AccessKind::Atomic,
        }
    }
}

/// A write to an element of shared memory that held nothing: was it `a[i] = v`, or `a[i] += v`, which reads it too? Both ask for
/// `&mut`. What is there after it tells.
struct Doubtful {
    element: Element,
    failure: Failure,
}

/// The times at which the threads of a warp are known to have been, to one of them.
pub(crate) type Clock = [u32; LANES];

pub(crate) struct Checker {
    grid: [usize; 3],
    block_dim: [usize; 3],
    /// The block that runs, and how many barriers it has passed.
    block: u32,
    phase: u32,
    /// Of each thread of the block.
    clocks: Vec<Clock>,
    fences: Fences,
    shadow: Shadow,
    doubtful: Option<Doubtful>,
}

impl Checker {
    pub(crate) fn new(grid: [usize; 3], block_dim: [usize; 3]) -> Checker {
        let threads = block_dim.iter().product();
        Checker {
            grid,
            block_dim,
            block: 0,
            phase: 0,
            clocks: vec![[0; LANES]; threads],
            fences: Fences::new(threads),
            shadow: Shadow::new(),
            doubtful: None,
        }
    }

    pub(crate) fn begin_block(&mut self, block: usize) {
        (self.block, self.phase) = (block as u32, 0);
        for (thread, clock) in self.clocks.iter_mut().enumerate() {
            *clock = [0; LANES];
            clock[thread % LANES] = 1;
        }
        self.fences.begin_block();
    }

    /// A thread has called `thread_fence`.
    pub(crate) fn fence(&mut self, thread: usize) {
        self.fences.fence(thread);
    }

    /// All threads of the block have passed a barrier, which orders what was before it and what comes after.
    pub(crate) fn barrier_opened(&mut self) {
        self.phase += 1;
    }

    /// Lanes of the warp that begins with the thread `first` have met: each knows now what any of them knew.
    pub(crate) fn warp_met(&mut self, first: usize, lanes: u32) {
        let mut known = [0; LANES];
        for lane in each(lanes) {
            known.iter_mut().zip(&self.clocks[first + lane]).for_each(|(known, &time)| *known = time.max(*known));
        }
        for lane in each(lanes) {
            let clock = &mut self.clocks[first + lane];
            *clock = known;
            clock[lane] += 1;
        }
    }

    /// Decides about the last write to an element of shared memory that held nothing. To be called before anything else happens.
    pub(crate) fn settle(&mut self) -> Option<Failure> {
        let Doubtful { element, failure } = self.doubtful.take()?;
        // SAFETY: the element is in the shared memory of the block, which lives as long as the worker, and is of that type.
        unsafe { (element.comes_from_unset)(element.at) }.then_some(failure)
    }

    /// An access of the thread `thread` of the block. Gives what is wrong with it, or with the one before.
    pub(crate) fn note(
        &mut self,
        thread: usize,
        element: Element,
        region: &Region,
        index: &[usize],
        touch: Touch,
        place: &'static Location<'static>,
    ) -> Option<Fault> {
        if let Some(failure) = self.settle() {
            return Some(Fault::Unset(failure));
        }
        let is_shared = !matches!(region.name, Name::Parameter(_));
        let known = Known { clock: &self.clocks[thread], fences: &self.fences };
        let now = Record {
            thread: thread as u32,
            block: self.block,
            phase: self.phase,
            time: known.clock[thread % LANES],
            place,
        };
        // Dynamic memory may be used as several types at once.
        let (pieces, size) = if matches!(region.name, Name::Dynamic) { (element.size, 1) } else { (1, element.size) };
        let mut held = true;
        for piece in 0..pieces {
            let cell = self.shadow.cell(element.at.addr() + piece, size, is_shared.then_some(self.block));
            held &= cell.is_set();
            if let Some((kind, earlier)) = cell.conflict(touch, &now, &known) {
                return Some(Fault::Race(self.race(kind, &earlier, touch, &now, region, index)));
            }
            cell.add(touch, now);
        }
        match touch {
            Touch::Write if !is_shared => self.fences.write(thread),
            Touch::Atomic | Touch::Exchange if !is_shared && self.fences.atomic(element.at.addr(), &now) => {
                // What the thread does from now on is later.
                self.clocks[thread][thread % LANES] += 1;
            }
            _ => {}
        }
        if is_shared && !held && touch != Touch::Exchange {
            let kind = FailureKind::Uninitialised { memory: region.name.memory(), index: index.to_vec() };
            let block = self.block_idx(self.block);
            let failure = Failure { kind, line: Some(place.line()), thread: self.thread_idx(thread), block };
            if touch != Touch::Write {
                return Some(Fault::Unset(failure));
            }
            self.doubtful = Some(Doubtful { element, failure });
        }
        None
    }

    fn race(
        &self,
        kind: AccessKind,
        earlier: &Record,
        touch: Touch,
        now: &Record,
        region: &Region,
        index: &[usize],
    ) -> Failure {
        let first = Box::new(self.access(kind, earlier));
        let second = Box::new(self.access(touch.kind(), now));
        let (line, thread, block) = (Some(second.line), second.thread, second.block);
        let kind = FailureKind::Race { memory: region.name.memory(), index: index.to_vec(), first, second };
        Failure { kind, line, thread, block }
    }

    fn access(&self, kind: AccessKind, record: &Record) -> Access {
        let (thread, block) = (self.thread_idx(record.thread as usize), self.block_idx(record.block));
        Access { kind, line: record.place.line(), thread, block }
    }

    fn thread_idx(&self, number: usize) -> [usize; 3] {
        place_of(number, self.block_dim)
    }

    fn block_idx(&self, number: u32) -> [usize; 3] {
        place_of(number as usize, self.grid)
    }
}

/// The place of the thread or block with this number.
pub(crate) fn place_of(number: usize, [x, y, _]: [usize; 3]) -> [usize; 3] {
    [number % x, number / x % y, number / x / y]
}
