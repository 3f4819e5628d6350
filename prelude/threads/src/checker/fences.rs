//! Order between blocks: what a thread has written is there for others if it has called `thread_fence` since, then changed an
//! element by an atomic operation, and the others have come to know that by one of their own.
//!
//! So the last block that counts itself done may add up what all of them have left. What is said of the thread before its atomic
//! operation holds for its whole block before the last barrier.

use super::shadow::Record;
use std::collections::HashMap;

pub(super) struct Fences {
    /// Of each thread of the block: whether it has called `thread_fence` and written to no argument since.
    fenced: Vec<bool>,
    /// Atomic operations after a fence: by the address of the element, and by block.
    given: HashMap<usize, HashMap<u32, Vec<Given>>>,
    /// Atomic operations of the block on such elements.
    taken: Vec<Taken>,
}

struct Given {
    thread: u32,
    phase: u32,
    time: u32,
}

struct Taken {
    address: usize,
    thread: u32,
    phase: u32,
}

impl Fences {
    pub(super) fn new(threads: usize) -> Fences {
        Fences { fenced: vec![false; threads], given: HashMap::new(), taken: Vec::new() }
    }

    pub(super) fn begin_block(&mut self) {
        self.fenced.fill(false);
        self.taken.clear();
    }

    pub(super) fn fence(&mut self, thread: usize) {
        self.fenced[thread] = true;
    }

    /// A thread has written to an argument.
    pub(super) fn write(&mut self, thread: usize) {
        self.fenced[thread] = false;
    }

    /// An atomic operation on an element of an argument. Gives whether others may learn of what was before it.
    pub(super) fn atomic(&mut self, address: usize, now: &Record) -> bool {
        let gives = self.fenced[now.thread as usize];
        if gives {
            let given = Given { thread: now.thread, phase: now.phase, time: now.time };
            self.given.entry(address).or_default().entry(now.block).or_default().push(given);
        }
        if self.given.contains_key(&address) {
            let known = |taken: &Taken| taken.address == address && taken.holds(now);
            if !self.taken.iter().any(known) {
                self.taken.push(Taken { address, thread: now.thread, phase: now.phase });
            }
        }
        gives
    }

    /// Whether an access of another block, an earlier one, is before `now`.
    pub(super) fn order(&self, earlier: &Record, now: &Record) -> bool {
        self.taken.iter().filter(|taken| taken.holds(now)).any(|taken| {
            let given = self.given.get(&taken.address).and_then(|blocks| blocks.get(&earlier.block));
            given.into_iter().flatten().any(|given| {
                earlier.phase < given.phase || (earlier.thread == given.thread && earlier.time <= given.time)
            })
        })
    }
}

impl Taken {
    /// Whether the thread knows of it: its own, or one before a barrier.
    fn holds(&self, now: &Record) -> bool {
        self.thread == now.thread || self.phase < now.phase
    }
}
