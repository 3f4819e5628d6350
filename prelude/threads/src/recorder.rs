//! Makes a recording: puts what threads do into the steps of their warps.

use crate::access::Element;
use crate::arithmetic::Operations;
use crate::checker::Touch;
use crate::failure::Memory;
use crate::lockstep::Group;
use crate::recording::{Called, Event, LocalName, Plan, RecordedArray, RecordedBlock, RecordedStep, Recording, What};
use crate::region::{Name, Region};
use crate::values::{self, Word};
use crate::waits::{LANES, Operation, Wait};
use rustc_hash::FxHashMap;
use std::panic::Location;

/// The statement that a thread executes.
#[derive(Clone, Copy, Default)]
struct Statement {
    line: u32,
    position: u32,
    /// If it is none of the kernel's, or a return to one.
    called: Option<Called>,
    changes: bool,
    /// Counts the groups: those of one number execute it together.
    group: u64,
}

/// A write of which it is not known yet what is written.
struct Unsettled {
    event: usize,
    element: Element,
}

pub(crate) struct Recorder {
    plan: Plan,
    recording: Recording,
    /// The block that is recorded now, if it is.
    block: Option<RecordedBlock>,
    /// As many events as it may have.
    room: usize,
    phase: u32,
    groups: u64,
    /// Of each thread of the block.
    statements: Vec<Statement>,
    /// The group of the last step, and whether its lanes are fixed.
    last: (u64, bool),
    unsettled: Option<Unsettled>,
    /// Lanes of the last group's warp that wait or have ended, which become steps when the group has gone on.
    waiting: (u32, u32, u32),
    ended: (u32, u32),
    arrays: FxHashMap<Memory, u32>,
    names: FxHashMap<LocalName, u32>,
    words: FxHashMap<Word, u32>,
    /// What was looked up last: the lanes of a warp do the same, one after another.
    last_array: Option<(Memory, u32)>,
    last_name: Option<(LocalName, u32)>,
    last_word: Option<(Word, u32)>,
    /// What was computed in the line that was last told of, and is not in the recording yet.
    counted: (u32, Operations),
}

impl Recorder {
    pub(crate) fn new(plan: Plan, threads: usize) -> Recorder {
        Recorder {
            plan,
            recording: Recording::default(),
            block: None,
            room: 0,
            phase: 0,
            groups: 0,
            statements: vec![Statement::default(); threads],
            last: (0, false),
            unsettled: None,
            waiting: (0, 0, 0),
            ended: (0, 0),
            arrays: FxHashMap::default(),
            names: FxHashMap::default(),
            words: FxHashMap::default(),
            last_array: None,
            last_name: None,
            last_word: None,
            counted: Default::default(),
        }
    }

    pub(crate) fn into_recording(mut self) -> Recording {
        self.finish();
        self.count(0);
        self.recording
    }

    /// Begins a block; gives whether it is recorded.
    pub(crate) fn begin_block(&mut self, number: usize) -> bool {
        self.finish();
        let is_chosen = self.plan.blocks.binary_search(&number).is_ok();
        if is_chosen {
            self.block = Some(RecordedBlock { number, ..RecordedBlock::default() });
            self.room = self.plan.most_events / self.plan.blocks.len().max(1);
            self.phase = 0;
            self.last = (0, false);
            self.statements.fill(Statement::default());
        }
        is_chosen
    }

    /// Whether a block is not to run.
    pub(crate) fn leaves_out(&self, number: usize) -> bool {
        self.plan.only && self.plan.blocks.binary_search(&number).is_err()
    }

    fn finish(&mut self) {
        if self.block.is_some() {
            self.settle();
            self.flush();
        }
        self.recording.blocks.extend(self.block.take());
    }

    /// Whether what happens is recorded, and there is room.
    pub(crate) fn is_open(&self) -> bool {
        self.block.as_ref().is_some_and(|block| !block.is_cut)
    }

    /// Counts what is not recorded in a block that was to be.
    pub(crate) fn skip(&mut self) {
        self.recording.left_out += u64::from(self.block.is_some());
    }

    /// Lanes begin a statement.
    pub(crate) fn begin(&mut self, group: &Group) {
        self.settle();
        self.flush();
        self.groups += 1;
        let first = group.warp as usize * LANES;
        let Group { line, position, changes, calls, returns, .. } = *group;
        let called = (calls > 0 || returns).then_some(Called { depth: calls, position });
        for lane in crate::waits::each(group.lanes) {
            self.statements[first + lane] = Statement { line, position, called, changes, group: self.groups };
        }
        self.step(Some(group.warp), line, position, called, group.lanes);
        self.last = (self.groups, true);
    }

    fn step(&mut self, warp: Option<u32>, line: u32, position: u32, called: Option<Called>, mask: u32) {
        let phase = self.phase;
        let Some(block) = &mut self.block else { return };
        if block.events.len() + block.steps.len() >= self.room {
            block.is_cut = true;
            return;
        }
        let first = block.events.len();
        let position = if called.is_some() { 0 } else { position };
        block.steps.push(RecordedStep { warp, line, position, called, mask, first, phase });
    }

    /// The event of a thread, in the step of its statement, or in a further one of the same statement if others came between.
    fn event(&mut self, thread: usize, line: Option<u32>, what: What, place: Option<&'static Location<'static>>) {
        if !self.is_open() {
            return self.skip();
        }
        let (warp, lane) = ((thread / LANES) as u32, thread % LANES);
        // Else they would become steps among those of this warp.
        let of_others = |lanes: u32, of: u32| lanes != 0 && of != warp;
        if of_others(self.waiting.1, self.waiting.0) || of_others(self.ended.1, self.ended.0) {
            self.flush();
        }
        let own = self.statements[thread];
        // Of a kernel that does not tell its statements, lines are steps.
        let (line, group, position, called) = match line.filter(|_| own.position == 0) {
            Some(line) => (line, u64::MAX - u64::from(line), 0, None),
            None => (own.line, own.group, own.position, own.called),
        };
        let bit = 1 << lane;
        let joins = self.block.as_ref().and_then(|block| block.steps.last()).is_some_and(|step| {
            let is_there = step.mask & bit != 0;
            step.warp == Some(warp) && self.last.0 == group && (is_there || !self.last.1)
        });
        if !joins {
            self.step(Some(warp), line, position, called, bit);
            self.last = (group, false);
        }
        // A step may have any number of events: a line of a kernel that does not tell its statements, or the closure of an iterator.
        let room = self.room;
        if let Some(block) = &mut self.block {
            block.is_cut |= block.events.len() + block.steps.len() >= room;
        }
        let Some(block) = self.block.as_mut().filter(|block| !block.is_cut) else { return self.skip() };
        if let Some(step) = block.steps.last_mut() {
            step.mask |= bit;
        }
        block.events.push(Event { lane: lane as u8, what, place });
    }

    /// A step of its own, which is not that of a statement.
    fn mark(&mut self, warp: Option<u32>, line: u32, mask: u32, what: What) {
        self.step(warp, line, 0, None, mask);
        self.last = (0, true);
        if let Some(block) = self.block.as_mut().filter(|block| !block.is_cut) {
            let lane = if mask == 0 { 0 } else { mask.trailing_zeros() as u8 };
            block.events.push(Event { lane, what, place: None });
        }
    }

    /// Writes down which lanes wait now or have ended.
    fn flush(&mut self) {
        let (warp, lanes, line) = std::mem::take(&mut self.waiting);
        if lanes != 0 {
            let steps = self.block.as_ref().map_or(&[][..], |block| &block.steps);
            // All lanes of the last step: it is the barrier's.
            let is_whole = steps.last().is_some_and(|step| step.warp == Some(warp) && step.mask == lanes);
            match self.block.as_mut().filter(|block| is_whole && !block.is_cut) {
                Some(block) => {
                    block.events.push(Event { lane: lanes.trailing_zeros() as u8, what: What::Waits, place: None });
                }
                None => self.mark(Some(warp), line, lanes, What::Waits),
            }
        }
        let (warp, lanes) = std::mem::take(&mut self.ended);
        if lanes != 0 {
            let line = self.plan.lines.end.saturating_sub(1);
            self.mark(Some(warp), line, lanes, What::Ends);
        }
    }

    /// An access of a thread, before it happens.
    pub(crate) fn access(
        &mut self,
        thread: usize,
        element: Element,
        region: &Region,
        index: &[usize],
        touch: Touch,
        place: &'static Location<'static>,
    ) {
        self.settle();
        if !self.is_open() {
            return self.skip();
        }
        let array = self.array(region, element);
        let index = u32::try_from(region.number_of(index)).unwrap_or(u32::MAX);
        let is_unset = !matches!(region.name, Name::Parameter(_)) && element.is_unset();
        let value = if is_unset { self.recording.texts.number("?") } else { self.word(element.word()) };
        let changes = self.statements[thread].changes && touch == Touch::Write;
        let what = match touch {
            Touch::Read => What::Read { array, index, value },
            Touch::Write => What::Write { array, index, value },
            Touch::Atomic | Touch::Exchange => What::Atomic { array, index, old: value, new: value },
        };
        let line = Some(place.line());
        if changes {
            self.event(thread, line, What::Read { array, index, value }, Some(place));
        }
        self.event(thread, line, what, Some(place));
        let event = self.block.as_ref().map_or(0, |block| block.events.len());
        if touch != Touch::Read && event > 0 && self.is_open() {
            self.unsettled = Some(Unsettled { event: event - 1, element });
        }
    }

    /// Looks what the last write has written. To be called before anything else happens.
    pub(crate) fn settle(&mut self) {
        let Some(Unsettled { event, element }) = self.unsettled.take() else { return };
        let now = self.word(element.word());
        let Some(event) = self.block.as_mut().and_then(|block| block.events.get_mut(event)) else { return };
        match &mut event.what {
            What::Write { value, .. } => *value = now,
            What::Atomic { new, .. } => *new = now,
            _ => {}
        }
    }

    /// A variable of a thread is bound, or assigned to.
    pub(crate) fn text(&mut self, thread: usize, name: LocalName, value: &str) {
        self.settle();
        let value = self.recording.texts.number(value);
        self.local(thread, name, value);
    }

    /// The same for a number.
    pub(crate) fn bits(&mut self, thread: usize, name: LocalName, value: Word) {
        self.settle();
        let value = self.word(value);
        self.local(thread, name, value);
    }

    fn local(&mut self, thread: usize, name: LocalName, value: u32) {
        let is_assigned = name.start == 0;
        let number = match self.last_name {
            Some((last, number)) if last == name => number,
            _ => self.name(name),
        };
        let what = match is_assigned {
            true => What::Assigned { name: number, value },
            false => What::Local { name: number, value },
        };
        self.event(thread, None, what, None);
    }

    /// A thread computes something in its statement.
    pub(crate) fn computes(&mut self, thread: usize, operations: Operations) {
        if self.is_open() {
            let line = self.statements[thread].line;
            if self.counted.0 != line {
                self.count(line);
            }
            self.counted.1 += operations;
        }
    }

    /// Goes on to another line, with what was computed in the last one.
    fn count(&mut self, line: u32) {
        let (last, operations) = std::mem::replace(&mut self.counted, (line, Operations::default()));
        if operations != Operations::default() {
            *self.recording.operations.entry(last).or_default() += operations;
        }
    }

    /// A thread comes to wait, for its block or its warp.
    pub(crate) fn waits(&mut self, thread: usize, wait: &Wait) {
        self.settle();
        if !self.is_open() || !wait.operation.is_of_the_block() {
            return;
        }
        let warp = (thread / LANES) as u32;
        if self.waiting.1 != 0 && self.waiting.0 != warp {
            self.flush();
        }
        self.waiting = (warp, self.waiting.1 | 1 << (thread % LANES), wait.place.line());
    }

    /// It goes on, with what the operation has given.
    pub(crate) fn result(&mut self, thread: usize, wait: &Wait, word: u64) {
        let value = match wait.operation {
            Operation::SyncThreads | Operation::SyncWarp => return,
            Operation::SyncThreadsAnd | Operation::SyncThreadsOr | Operation::All | Operation::Any => {
                self.recording.texts.number(if word == 0 { "false" } else { "true" })
            }
            Operation::Ballot => self.recording.texts.number(&format!("{word:#x}")),
            Operation::SyncThreadsCount => self.recording.texts.number(&word.to_string()),
            _ => self.word((wait.element, word.into())),
        };
        let operation = self.recording.texts.number(wait.operation.name());
        self.event(thread, Some(wait.place.line()), What::Result { operation, value }, None);
    }

    /// The barrier of the block opens.
    pub(crate) fn opens(&mut self, line: u32) {
        self.settle();
        self.flush();
        self.phase += 1;
        self.mark(None, line, 0, What::Opens);
    }

    /// A thread has ended.
    pub(crate) fn ends(&mut self, thread: usize) {
        self.settle();
        // What ends after a failure is only given up.
        if self.block.as_ref().is_none_or(|block| block.fault.is_some()) {
            return;
        }
        let warp = (thread / LANES) as u32;
        if self.ended.1 != 0 && self.ended.0 != warp {
            self.flush();
        }
        self.ended = (warp, self.ended.1 | 1 << (thread % LANES));
    }

    /// The launch fails by what a thread has done.
    pub(crate) fn fails(&mut self, thread: usize, line: Option<u32>) {
        self.settle();
        if self.block.as_ref().is_none_or(|block| block.fault.is_some()) {
            return;
        }
        self.flush();
        // There is always room for it.
        let (room, was_cut) = (self.room, self.block.as_ref().is_some_and(|block| block.is_cut));
        self.room = usize::MAX;
        if let Some(block) = &mut self.block {
            block.is_cut = false;
        }
        let line = line.unwrap_or(self.statements[thread].line);
        self.mark(Some((thread / LANES) as u32), line, 1 << (thread % LANES), What::Fails);
        if let Some(block) = &mut self.block {
            block.fault = Some(block.steps.len() - 1);
            block.is_cut = was_cut;
        }
        self.room = room;
    }

    fn name(&mut self, name: LocalName) -> u32 {
        let names = &mut self.recording.names;
        let number = *self.names.entry(name).or_insert_with(|| {
            names.push(name);
            names.len() as u32 - 1
        });
        self.last_name = Some((name, number));
        number
    }

    fn array(&mut self, region: &Region, element: Element) -> u32 {
        let memory = region.name.memory();
        match &self.last_array {
            Some((last, number)) if *last == memory => return *number,
            _ => {}
        }
        let arrays = &mut self.recording.arrays;
        let number = *self.arrays.entry(memory.clone()).or_insert_with_key(|memory| {
            let shape = region.shape().to_vec();
            let dtype = values::name(element.tag);
            arrays.push(RecordedArray { memory: memory.clone(), shape, dtype, size: element.size });
            arrays.len() as u32 - 1
        });
        self.last_array = Some((memory, number));
        number
    }

    fn word(&mut self, word: Word) -> u32 {
        match self.last_word {
            Some((last, number)) if last == word => return number,
            _ => {}
        }
        let texts = &mut self.recording.texts;
        let number = *self.words.entry(word).or_insert_with(|| texts.number(&values::text(word)));
        self.last_word = Some((word, number));
        number
    }
}
