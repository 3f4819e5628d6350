//! A worker runs blocks, one after another, on one thread of the processor.
//!
//! The threads of a block are plain calls, one after another, in a loop on a stack of its own: a coroutine. A thread that has
//! to wait for others suspends that coroutine with it, and another one goes on with the threads that have not begun; when all
//! wait or have ended, the barrier opens and the coroutines are resumed in turn. So a kernel without barriers never switches
//! stacks. A coroutine stays on one thread of the processor from its beginning to its end.

use crate::access::Element;
use crate::arithmetic::Operations;
use crate::checker::{Checker, Fault, Touch, place_of};
use crate::failure::{Failure, FailureKind};
use crate::launch::{Mode, Whole};
use crate::lockstep::Lockstep;
use crate::panics;
use crate::recorder::Recorder;
use crate::recording::{LocalName, Plan, Recording};
use crate::region::Region;
use crate::shared::Store;
use crate::stacks;
use crate::values::Word;
use crate::waits::{Divergence, Released, Wait, Waits};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::OnceLock;

thread_local! {
    /// The worker that runs on this thread of the processor.
    static WORKER: Cell<*const Worker<'static>> = const { Cell::new(std::ptr::null()) };
}

/// How many threads begin or go on before the launch asks whether it should stop.
const PATIENCE: u32 = 16;

/// What unwinds a thread that has failed, or whose launch is given up.
struct Ended;

type Thread = Coroutine<(), (), (), DefaultStack>;

/// The thread that a coroutine runs. It is on the coroutine's stack.
struct Current {
    /// Which thread of its block it is, `x` first.
    number: Cell<usize>,
    index: Cell<[usize; 3]>,
    /// The coroutine's number, and how it is suspended.
    slot: usize,
    yielder: *const Yielder<(), ()>,
}

pub(crate) struct Worker<'a> {
    whole: &'a Whole<'a>,
    /// How many threads a block has.
    threads: usize,
    /// The thread whose turn it is; null before there is one.
    current: Cell<*const Current>,
    /// The block's number, and its place in the grid.
    block: Cell<usize>,
    block_idx: Cell<[usize; 3]>,
    /// Blocks that are this worker's, but have not begun.
    upcoming: RefCell<Range<usize>>,
    /// How many threads of the block have begun, and the place of the next one.
    begun: Cell<usize>,
    next_index: Cell<[usize; 3]>,
    /// Whether there is no further block.
    exhausted: Cell<bool>,
    /// Whether this block is given up, and so all later ones.
    given_up: Cell<bool>,
    /// Whether coroutines end when they have nothing to do.
    closing: Cell<bool>,
    patience: Cell<u32>,
    /// Coroutines that have nothing to do.
    idle: RefCell<Vec<usize>>,
    waits: RefCell<Waits>,
    pub(crate) store: RefCell<Store>,
    checker: Option<RefCell<Checker>>,
    /// What the checker has found that another thread's turn may still explain.
    suspicion: RefCell<Option<Failure>>,
    /// In a recorded launch, and whether the block is recorded.
    recorder: Option<RefCell<Recorder>>,
    records: Cell<bool>,
    lockstep: RefCell<Lockstep>,
}

/// The worker of this thread of the processor, in a kernel.
#[inline]
pub(crate) fn running<'a>() -> Option<&'a Worker<'a>> {
    let worker = WORKER.get();
    // SAFETY: the pointer is set while `Worker::run` is below on the stack, or on the stack that the coroutine came from, and
    // nobody keeps the reference beyond the call of a kernel's function.
    unsafe { worker.cast::<Worker<'a>>().as_ref() }
}

/// The same, for a function that has a meaning in kernels only.
#[inline]
#[track_caller]
pub(crate) fn here<'a>(function: &str) -> &'a Worker<'a> {
    match running() {
        Some(worker) => worker,
        None => outside(function),
    }
}

#[cold]
#[track_caller]
fn outside(function: &str) -> ! {
    panic!("`{function}` was called outside of a kernel; it works only in the threads of a launch")
}

/// How many workers there may be for blocks of this size.
pub(crate) fn most_at_once(threads: usize) -> usize {
    (stacks::MOST_USED / threads.max(1)).max(1)
}

/// While this lives, a worker is the one of this thread of the processor.
struct Entered {
    before: *const Worker<'static>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        WORKER.set(self.before);
    }
}

/// Makes what a worker keeps while it runs.
static KEPT: OnceLock<fn() -> Box<dyn Any>> = OnceLock::new();

/// Has each worker call `make` before it runs, and keep what it gives until it ends, on its thread of the processor. The threads of the grid have
/// stacks of their own there, of which others may have to be told. The first call counts.
///
/// ```
/// warpcell_threads::keep_while_running(|| Box::new(()));
/// ```
pub fn keep_while_running(make: fn() -> Box<dyn Any>) {
    KEPT.get_or_init(|| make);
}

impl<'a> Worker<'a> {
    pub(crate) fn new(whole: &'a Whole<'a>, plan: Option<Plan>) -> Worker<'a> {
        let launch = whole.launch;
        let threads = launch.block.iter().product();
        Worker {
            whole,
            threads,
            current: Cell::new(std::ptr::null()),
            block: Cell::new(0),
            block_idx: Cell::new([0; 3]),
            upcoming: RefCell::new(0..0),
            begun: Cell::new(threads),
            next_index: Cell::new([0; 3]),
            exhausted: Cell::new(false),
            given_up: Cell::new(false),
            closing: Cell::new(false),
            patience: Cell::new(PATIENCE),
            idle: RefCell::new(Vec::new()),
            waits: RefCell::new(Waits::new(threads)),
            store: RefCell::new(Store::new(launch.dynamic_shared_bytes)),
            checker: (launch.mode != Mode::Plain).then(|| RefCell::new(Checker::new(launch.grid, launch.block))),
            suspicion: RefCell::new(None),
            lockstep: RefCell::new(Lockstep::new(if plan.is_some() { threads } else { 0 })),
            recorder: plan.map(|plan| RefCell::new(Recorder::new(plan, threads))),
            records: Cell::new(false),
        }
    }

    /// Runs blocks until there are no more.
    pub(crate) fn run(self) -> Recording {
        let entered = Entered { before: WORKER.replace((&raw const self).cast()) };
        let _kept = KEPT.get().map(|make| make());
        let mut coroutines: Vec<Thread> = Vec::new();
        while let Some(slot) = self.turn(&mut coroutines) {
            coroutines[slot].resume(());
        }
        self.closing.set(true);
        stacks::give(coroutines.into_iter().map(|mut coroutine| {
            coroutine.resume(());
            coroutine.into_stack()
        }));
        drop(entered);
        self.recorder.map_or_else(Recording::default, |recorder| recorder.into_inner().into_recording())
    }

    /// Whose turn it is.
    fn turn(&self, coroutines: &mut Vec<Thread>) -> Option<usize> {
        loop {
            if self.given_up.get() || self.should_stop() {
                return self.waits.borrow_mut().evict().or_else(|| self.lockstep.borrow_mut().evict());
            }
            if let Some(slot) = self.waits.borrow_mut().next_ready() {
                return Some(slot);
            }
            let waiting = self.waiting();
            if self.begun.get() < self.threads || (waiting == 0 && !self.exhausted.get()) {
                if let Some(slot) = self.idle.borrow_mut().pop() {
                    return Some(slot);
                }
                match stacks::take() {
                    Ok(stack) => coroutines.push(self.coroutine(coroutines.len(), stack)),
                    Err(_) => {
                        self.report(FailureKind::OutOfStacks { stacks: coroutines.len() + 1 }, None);
                        continue;
                    }
                }
                return Some(coroutines.len() - 1);
            }
            if self.records.get()
                && let Some(slot) = self.next_in_lockstep()
            {
                return Some(slot);
            }
            if waiting == 0 {
                return None;
            }
            if !self.confirmed() {
                self.open();
            }
        }
    }

    /// How many threads of the block have begun and do not run.
    fn waiting(&self) -> usize {
        self.waits.borrow().waiting() + self.lockstep.borrow().waiting()
    }

    /// The next thread to execute a statement.
    fn next_in_lockstep(&self) -> Option<usize> {
        let (slot, group) = self.lockstep.borrow_mut().next()?;
        if let Some((group, recorder)) = group.zip(self.recorder.as_ref()) {
            recorder.borrow_mut().begin(&group);
        }
        Some(slot)
    }

    /// A coroutine that runs threads as long as there are some to begin, and is idle then.
    fn coroutine(&self, slot: usize, stack: DefaultStack) -> Thread {
        let worker: *const Worker<'a> = self;
        let threads = move |yielder: &Yielder<(), ()>, ()| {
            // SAFETY: the worker outlives its coroutines, which end in `run`.
            let worker = unsafe { &*worker };
            let current = Current { number: Cell::new(0), index: Cell::new([0; 3]), slot, yielder };
            while !worker.closing.get() {
                worker.current.set(&current);
                worker.run_threads(&current);
                worker.idle.borrow_mut().push(slot);
                yielder.suspend(());
            }
        };
        // SAFETY: what the closure borrows, the worker, lives until `run` has resumed the coroutine to its end.
        unsafe { Coroutine::with_stack_unchecked(stack, threads) }
    }

    /// Calls the kernel for one thread after another.
    fn run_threads(&self, current: &Current) {
        while self.begin_next(current) {
            let ended = catch_unwind(AssertUnwindSafe(|| {
                loop {
                    let thread = if self.records.get() { self.whole.recorded } else { self.whole.thread };
                    thread();
                    self.end(current.number.get());
                    if !self.begin_next(current) {
                        break;
                    }
                }
            }));
            if let Err(payload) = ended {
                if !payload.is::<Ended>() && !self.whole.ask() {
                    let (message, line) = panics::caught(&*payload);
                    self.report(FailureKind::Panic { message }, line);
                }
                self.given_up.set(true);
                self.end(current.number.get());
            }
        }
    }

    /// Makes the next thread the current one, of the next block if need be. There may be none, or others whose turn it is.
    fn begin_next(&self, current: &Current) -> bool {
        loop {
            if self.given_up.get() || self.should_stop() {
                return false;
            }
            let begun = self.begun.get();
            if begun < self.threads {
                if self.waits.borrow().any_ready() {
                    return false;
                }
                self.begun.set(begun + 1);
                let index = self.next_index.get();
                self.next_index.set(self.behind(index));
                current.number.set(begun);
                current.index.set(index);
                return true;
            }
            if self.waiting() > 0 || self.confirmed() || !self.begin_block() {
                return false;
            }
        }
    }

    /// The place of the thread that follows another one.
    #[inline]
    fn behind(&self, [x, y, z]: [usize; 3]) -> [usize; 3] {
        let block = self.whole.launch.block;
        if x + 1 < block[0] {
            [x + 1, y, z]
        } else if y + 1 < block[1] {
            [0, y + 1, z]
        } else {
            [0, 0, z + 1]
        }
    }

    /// The next block, if there is one.
    fn next_block(&self) -> Option<usize> {
        let mut upcoming = self.upcoming.borrow_mut();
        loop {
            if upcoming.is_empty() {
                match self.whole.take() {
                    Some(some) => *upcoming = some,
                    None => {
                        self.exhausted.set(true);
                        return None;
                    }
                }
            }
            let block = upcoming.next()?;
            if !self.recorder.as_ref().is_some_and(|recorder| recorder.borrow().leaves_out(block)) {
                return Some(block);
            }
        }
    }

    /// Begins the next block, if there is one.
    fn begin_block(&self) -> bool {
        let Some(block) = self.next_block() else { return false };
        self.block.set(block);
        self.block_idx.set(place_of(block, self.grid_dim()));
        self.begun.set(0);
        self.next_index.set([0; 3]);
        self.waits.borrow_mut().begin();
        self.store.borrow_mut().begin();
        if let Some(checker) = &self.checker {
            checker.borrow_mut().begin_block(block);
        }
        if let Some(recorder) = &self.recorder {
            self.records.set(recorder.borrow_mut().begin_block(block));
            self.lockstep.borrow_mut().begin();
        }
        true
    }

    /// The current thread, of this number, has ended.
    #[inline]
    fn end(&self, number: usize) {
        if let Some(checker) = &self.checker {
            let unset = checker.borrow_mut().settle();
            if let Some(failure) = unset {
                self.suspicion.borrow_mut().get_or_insert(failure);
            }
        }
        if let Some(mut recorder) = self.recording() {
            recorder.ends(number);
        }
        let others_wait = self.waits.borrow_mut().end(number);
        if others_wait {
            loop {
                let released = self.waits.borrow_mut().release_any(number);
                let Some(some) = released else { break };
                self.released(some);
            }
        }
    }

    /// Waits until the others have come; gives what the operation gives.
    // Inlined, as the processor expects a call that ends behind a switch to end elsewhere.
    #[inline(always)]
    pub(crate) fn wait(&self, wait: Wait) -> u64 {
        // A thread that unwinds must not be left half unwound, nor may it begin to unwind again.
        if std::thread::panicking() {
            return 0;
        }
        let current = self.current();
        if let Some(checker) = &self.checker {
            let unset = checker.borrow_mut().settle();
            if let Some(failure) = unset {
                self.park(failure);
            }
        }
        if let Some(mut recorder) = self.recording() {
            recorder.waits(current.number.get(), &wait);
        }
        let end = 0u8;
        let released = self.waits.borrow_mut().arrive(current.number.get(), current.slot, &wait, &raw const end);
        if let Some(some) = released {
            self.released(some);
        }
        // SAFETY: the yielder is that of the coroutine that runs this, and so alive.
        unsafe { (*current.yielder).suspend(()) };
        self.current.set(current);
        if self.given_up.get() {
            resume_unwind(Box::new(Ended));
        }
        let result = self.waits.borrow().result(current.number.get());
        if let Some(mut recorder) = self.recording() {
            recorder.result(current.number.get(), &wait, result);
        }
        result
    }

    /// Some lanes of a warp have met.
    fn released(&self, some: Released) {
        if let Some(checker) = &self.checker {
            checker.borrow_mut().warp_met(some.first, some.lanes);
            if let Some(divergence) = some.divergence {
                self.diverged(&divergence);
            }
        }
    }

    /// Opens the barrier of the block, if all who wait can go on.
    fn open(&self) {
        let line = self.waits.borrow().line_of_barrier();
        let opened = self.waits.borrow_mut().open(self.checker.is_some());
        match opened {
            Ok(()) => {
                if let Some(checker) = &self.checker {
                    checker.borrow_mut().barrier_opened();
                }
                if let Some(mut recorder) = self.recording() {
                    recorder.opens(line.unwrap_or(0));
                }
            }
            Err(divergence) => self.diverged(&divergence),
        }
    }

    fn diverged(&self, divergence: &Divergence) {
        let waits = self.waits.borrow();
        let Some((operation, place)) = waits.call_of(divergence.waiting) else { return };
        let other = waits.whereabouts(divergence.other, place_of(divergence.other as usize, self.block_dim()));
        let kind = FailureKind::DivergentBarrier { operation, other };
        let thread = place_of(divergence.waiting as usize, self.block_dim());
        let failure = Failure { kind, line: Some(place.line()), thread, block: self.block_idx.get() };
        self.failed(failure);
        self.given_up.set(true);
    }

    /// Keeps a failure.
    fn failed(&self, failure: Failure) {
        if let Some(mut recorder) = self.recording() {
            let ([x, y, _], [i, j, k]) = (self.block_dim(), failure.thread);
            recorder.fails(i + x * (j + y * k), failure.line);
        }
        self.whole.failed(self.block.get(), failure);
    }

    /// The recorder, if the block is recorded.
    #[inline]
    fn recording(&self) -> Option<std::cell::RefMut<'_, Recorder>> {
        if self.records.get() { self.recorder.as_ref().map(RefCell::borrow_mut) } else { None }
    }

    /// The current thread comes to a statement of a recorded kernel.
    pub(crate) fn step(&self, position: u32, depth: usize, line: u32, changes: bool) {
        if std::thread::panicking() {
            return;
        }
        let is_open = self.recording().is_some_and(|mut recorder| {
            recorder.settle();
            recorder.is_open() || {
                recorder.skip();
                false
            }
        });
        if !is_open {
            if self.should_stop() {
                resume_unwind(Box::new(Ended));
            }
            return;
        }
        self.pause(|lockstep, thread, slot| lockstep.pause(thread, slot, position, depth, line, changes));
    }

    /// The current thread of a recorded block calls a function that tells its statements.
    pub(crate) fn enter(&self) {
        if self.records.get() {
            self.lockstep.borrow_mut().enter(self.number());
        }
    }

    /// It comes back, and waits for those that called it too.
    pub(crate) fn leave(&self) {
        if std::thread::panicking() || !self.records.get() {
            return;
        }
        self.lockstep.borrow_mut().come_back(self.number());
        let is_open = self.recording().is_some_and(|mut recorder| {
            recorder.settle();
            recorder.is_open()
        });
        if is_open {
            self.pause(Lockstep::pause_behind);
        }
    }

    /// Suspends the current thread, after `pause` was told of it with its coroutine, until it is its turn.
    fn pause(&self, pause: impl FnOnce(&mut Lockstep, usize, usize)) {
        if let Some(checker) = &self.checker {
            let unset = checker.borrow_mut().settle();
            if let Some(failure) = unset {
                self.park(failure);
            }
        }
        let current = self.current();
        pause(&mut self.lockstep.borrow_mut(), current.number.get(), current.slot);
        // SAFETY: the yielder is that of the coroutine that runs this, and so alive.
        unsafe { (*current.yielder).suspend(()) };
        self.current.set(current);
        if self.given_up.get() {
            resume_unwind(Box::new(Ended));
        }
    }

    /// The current thread begins a pass of a loop of a recorded kernel.
    pub(crate) fn pass(&self, number: u32, depth: usize) {
        self.lockstep.borrow_mut().pass(self.number(), number, depth);
    }

    /// A variable of the current thread has a value, whose text is made only if it is kept.
    pub(crate) fn local(&self, name: LocalName, value: &dyn Fn() -> String) {
        let Some(mut recorder) = self.recording() else { return };
        if recorder.is_open() {
            recorder.text(self.number(), name, &value());
        } else {
            recorder.skip();
        }
    }

    /// The same for a number, of which the recorder makes a text once.
    pub(crate) fn bits(&self, name: LocalName, word: Word) {
        let Some(mut recorder) = self.recording() else { return };
        if recorder.is_open() {
            recorder.bits(self.number(), name, word);
        } else {
            recorder.skip();
        }
    }

    /// The current thread of a recorded kernel computes something.
    pub(crate) fn computes(&self, operations: Operations) {
        if let Some(mut recorder) = self.recording() {
            recorder.computes(self.number(), operations);
        }
    }

    /// Whether the block is to end, because of a failure or from outside. It looks now and then only.
    #[inline]
    fn should_stop(&self) -> bool {
        let patience = self.patience.get();
        self.patience.set(patience.wrapping_sub(1));
        patience == 0 && self.looks_around()
    }

    #[cold]
    fn looks_around(&self) -> bool {
        self.patience.set(PATIENCE);
        let stop = self.whole.gives_up(self.block.get()) || self.whole.ask();
        if stop {
            self.given_up.set(true);
        }
        stop
    }

    /// Keeps a failure of the current thread and gives the block up.
    fn report(&self, kind: FailureKind, line: Option<u32>) {
        // SAFETY: as for `current`, if there is one.
        let thread = unsafe { self.current.get().as_ref() }.map_or([0; 3], |current| current.index.get());
        let failure = Failure { kind, line, thread, block: self.block_idx.get() };
        self.failed(failure);
        self.given_up.set(true);
    }

    /// Whether there is a suspicion, and nobody's turn that would explain it: then it is a failure.
    fn confirmed(&self) -> bool {
        let Some(failure) = self.suspicion.borrow_mut().take() else { return false };
        self.failed(failure);
        self.given_up.set(true);
        true
    }

    /// Leaves the current thread where it is, as it cannot go on, until the others have had their turn.
    fn park(&self, suspicion: Failure) -> ! {
        self.suspicion.borrow_mut().get_or_insert(suspicion);
        let current = self.current();
        self.waits.borrow_mut().park(current.slot);
        // SAFETY: the yielder is that of the coroutine that runs this, and so alive.
        unsafe { (*current.yielder).suspend(()) };
        self.current.set(current);
        resume_unwind(Box::new(Ended))
    }

    /// Ends the current thread, and with it the launch.
    #[cold]
    pub(crate) fn fail(&self, kind: FailureKind, place: &'static Location<'static>) -> ! {
        self.report(kind, Some(place.line()));
        resume_unwind(Box::new(Ended))
    }

    /// Tells the checker of a fence.
    pub(crate) fn fence(&self) {
        if let Some(checker) = &self.checker {
            checker.borrow_mut().fence(self.number());
        }
    }

    /// Tells the checker of an access; ends the thread if that finds a fault.
    pub(crate) fn note(
        &self,
        element: Element,
        region: &Region,
        index: &[usize],
        touch: Touch,
        place: &'static Location<'static>,
    ) {
        let Some(checker) = &self.checker else { return };
        // What destructors do on the way out is nothing that the kernel does.
        if std::thread::panicking() {
            return;
        }
        let number = self.current().number.get();
        if let Some(mut recorder) = self.recording() {
            recorder.access(number, element, region, index, touch, place);
        }
        let fault = checker.borrow_mut().note(number, element, region, index, touch, place);
        match fault {
            None => {}
            Some(Fault::Unset(failure)) => self.park(failure),
            Some(Fault::Race(failure)) => {
                self.failed(failure);
                self.given_up.set(true);
                resume_unwind(Box::new(Ended));
            }
        }
    }

    /// The current thread. Only what a kernel calls may ask.
    #[inline]
    fn current(&self) -> &Current {
        // SAFETY: a kernel is called when there is a current thread, whose coroutine runs this. What is on that one's stack lives
        // until `run` ends it.
        unsafe { &*self.current.get() }
    }

    #[inline]
    pub(crate) fn thread_idx(&self) -> [usize; 3] {
        self.current().index.get()
    }

    /// Which thread of its block this is, `x` first.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        self.current().number.get()
    }

    #[inline]
    pub(crate) fn block_idx(&self) -> [usize; 3] {
        self.block_idx.get()
    }

    #[inline]
    pub(crate) fn block_dim(&self) -> [usize; 3] {
        self.whole.launch.block
    }

    #[inline]
    pub(crate) fn grid_dim(&self) -> [usize; 3] {
        self.whole.launch.grid
    }
}
