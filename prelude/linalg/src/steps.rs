//! Work in many short steps, which several threads share.
//!
//! Between two steps the owner works, alone; in a step each thread takes parts that are left. So nobody waits for a thread that does
//! nothing, and what has no other threads goes on without them. Which thread takes a part decides nothing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls a function on this thread and, at the same time, on others that have nothing to do, and waits for all.
pub type Together<'a> = &'a (dyn Fn(&(dyn Fn() + Sync)) + Sync);

/// Most parts of a step.
pub(crate) const PARTS: usize = 16;

/// What is done in steps, which are counted from 0.
pub(crate) trait Steps: Sync {
    /// What the owner collects.
    type Outcome: Send;
    /// How many parts a step has, a power of two up to [`PARTS`]; no more than the step before it.
    fn parts(&self, at: usize) -> usize;
    /// Whether there is a step, after what the owner does before it.
    ///
    /// # Safety
    ///
    /// Nobody else works.
    unsafe fn before(&self, at: usize, outcome: &mut Self::Outcome) -> bool;
    /// A part.
    ///
    /// # Safety
    ///
    /// Others do other parts of the same step, and nothing else.
    unsafe fn part(&self, at: usize, part: usize);
    /// What the owner does after a step.
    ///
    /// # Safety
    ///
    /// Nobody else works.
    unsafe fn after(&self, at: usize, outcome: &mut Self::Outcome);
}

/// A matrix by columns that is being reduced, and vectors as long as a column.
pub(crate) struct Columns<T> {
    pub matrix: *mut T,
    /// Elements from one column to the next.
    pub apart: usize,
    pub vectors: *mut T,
    /// The same for the vectors.
    pub vectors_apart: usize,
}

impl<T> Columns<T> {
    #[inline(always)]
    pub fn column(&self, column: usize) -> *mut T {
        self.matrix.wrapping_add(column * self.apart)
    }

    #[inline(always)]
    pub fn vector(&self, index: usize) -> *mut T {
        self.vectors.wrapping_add(index * self.vectors_apart)
    }

    /// The reflection of this step, and the one before it: they change places.
    #[inline(always)]
    pub fn reflections(&self, at: usize) -> [*mut T; 2] {
        [self.vector(at % 2), self.vector(1 - at % 2)]
    }
}

/// Does so many steps.
pub(crate) fn run<S: Steps>(steps: &S, count: usize, mut outcome: S::Outcome, together: Together<'_>) -> S::Outcome {
    let shared = Shared {
        steps,
        step: AtomicUsize::new(0),
        taken: [const { AtomicUsize::new(0) }; PARTS],
        done: AtomicUsize::new(0),
        helpers: AtomicUsize::new(0),
    };
    let mut at = 0;
    if steps.parts(0) > 1 {
        let (owner, own) = (std::thread::current().id(), Mutex::new((&mut at, &mut outcome)));
        together(&|| {
            if std::thread::current().id() == owner {
                let mut own = own.lock().expect("only the owner takes it");
                let (at, outcome) = &mut *own;
                shared.lead(at, count, outcome);
            } else {
                shared.help();
            }
        });
    }
    (at..count).for_each(|at| shared.advance(at, &mut outcome));
    outcome
}

struct Shared<'a, S> {
    steps: &'a S,
    /// The number of the step, from 1; [`END`] behind the last one that is shared.
    step: AtomicUsize,
    /// For each part the step in which it was taken last.
    taken: [AtomicUsize; PARTS],
    /// The parts that were done, in all steps.
    done: AtomicUsize,
    helpers: AtomicUsize,
}

const END: usize = usize::MAX;

/// Ends the steps, whatever happens: helpers wait for it.
struct Ending<'a>(&'a AtomicUsize);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(END, Ordering::Release);
    }
}

impl<S: Steps> Shared<'_, S> {
    /// What the owner does while others help.
    fn lead(&self, at: &mut usize, count: usize, outcome: &mut S::Outcome) {
        let _ending = Ending(&self.step);
        while *at < count && self.steps.parts(*at) > 1 {
            self.advance(*at, outcome);
            *at += 1;
        }
    }

    /// A step of the owner.
    fn advance(&self, at: usize, outcome: &mut S::Outcome) {
        // SAFETY: others work on parts only, for which the owner waits. What is written before `step` or `done` changes is read after
        // it.
        unsafe {
            if !self.steps.before(at, outcome) {
                return;
            }
            let parts = self.steps.parts(at);
            if parts == 1 {
                self.steps.part(at, 0);
            } else {
                let before = self.done.load(Ordering::Relaxed);
                self.step.store(at + 1, Ordering::Release);
                (0..parts).for_each(|part| self.take(at, part));
                wait_until(|| self.done.load(Ordering::Acquire) == before + parts);
            }
            self.steps.after(at, outcome);
        }
    }

    /// Does a part if nobody else does.
    fn take(&self, at: usize, part: usize) {
        if self.taken[part].compare_exchange(at, at + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            // SAFETY: each part is taken once in each step, and the owner waits until it is done.
            unsafe { self.steps.part(at, part) };
            self.done.fetch_add(1, Ordering::Release);
        }
    }

    /// What other threads do: parts from the other end, so that a thread finds what it had before.
    fn help(&self) {
        let (own, mut seen) = (self.helpers.fetch_add(1, Ordering::Relaxed), 0);
        loop {
            wait_until(|| self.step.load(Ordering::Acquire) != seen);
            seen = self.step.load(Ordering::Acquire);
            if seen == END {
                return;
            }
            let parts = self.steps.parts(seen - 1);
            let first = own * parts.div_ceil(4);
            (0..parts).for_each(|part| self.take(seen - 1, parts - 1 - (first + part) % parts));
        }
    }
}

/// Waits for what is near.
fn wait_until(happens: impl Fn() -> bool) {
    let mut looks = 0u32;
    while !happens() {
        looks += 1;
        // The thread that is waited for may have no processor.
        if looks.is_multiple_of(1 << 14) { std::thread::yield_now() } else { std::hint::spin_loop() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts, and fails where two do the same or are in different steps.
    struct Counts {
        most: usize,
        now: AtomicUsize,
        cells: [AtomicUsize; PARTS],
    }

    impl Steps for Counts {
        type Outcome = Vec<usize>;
        fn parts(&self, at: usize) -> usize {
            (PARTS >> (at / 500)).max(1)
        }
        unsafe fn before(&self, at: usize, _outcome: &mut Vec<usize>) -> bool {
            self.now.store(at, Ordering::Relaxed);
            at + 1 < self.most
        }
        unsafe fn part(&self, at: usize, part: usize) {
            assert_eq!(self.now.load(Ordering::Relaxed), at);
            assert_eq!(self.cells[part].swap(at + 1, Ordering::Relaxed), at);
        }
        unsafe fn after(&self, at: usize, outcome: &mut Vec<usize>) {
            let parts = self.parts(at);
            assert!(self.cells[..parts].iter().all(|cell| cell.load(Ordering::Relaxed) == at + 1));
            outcome.push(parts);
        }
    }

    #[test]
    fn each_part_of_each_step_is_done_once() {
        let threads = |work: &(dyn Fn() + Sync)| {
            std::thread::scope(|scope| {
                (0..3).for_each(|_| drop(scope.spawn(work)));
                work();
            });
        };
        for together in [&threads as Together<'_>, &|work| work()] {
            let (cells, most) = ([const { AtomicUsize::new(0) }; PARTS], 2600);
            let counts = Counts { most, now: AtomicUsize::new(0), cells };
            let outcome = run(&counts, most, Vec::new(), together);
            assert_eq!(outcome, (0..most - 1).map(|at| counts.parts(at)).collect::<Vec<_>>());
        }
    }
}
