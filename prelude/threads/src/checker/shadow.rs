//! What is known of each element that a launch has accessed: the last write, and the reads and atomic operations since.

use super::fences::Fences;
use super::{Clock, Touch};
use crate::failure::AccessKind;
use crate::waits::LANES;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;

/// Who accessed an element, where, and when: after how many barriers of the block, and at which time of the thread.
#[derive(Clone, Copy)]
pub(super) struct Record {
    pub(super) thread: u32,
    pub(super) block: u32,
    pub(super) phase: u32,
    pub(super) time: u32,
    pub(super) place: &'static Location<'static>,
}

impl Record {
    fn warp(&self) -> u32 {
        self.thread / LANES as u32
    }

    /// The bit of the thread's lane.
    fn lane(&self) -> u32 {
        1 << (self.thread % LANES as u32)
    }

    /// Whether this is before `now`.
    fn is_before(&self, now: &Record, known: &Known<'_>) -> bool {
        if self.block != now.block {
            return known.fences.order(self, now);
        }
        self.thread == now.thread
            || self.phase < now.phase
            || (self.warp() == now.warp() && self.time <= known.clock[self.thread as usize % LANES])
    }
}

/// What a thread knows of the times of others.
pub(super) struct Known<'a> {
    /// Of those of its warp.
    pub(super) clock: &'a Clock,
    /// Of other blocks.
    pub(super) fences: &'a Fences,
}

/// Accesses of one kind to one element, as many as it takes to find one that is not before another thread's.
#[derive(Default)]
enum Accesses {
    #[default]
    None,
    One(Record),
    Many(Box<Crowd>),
}

/// Accesses of several threads.
struct Crowd {
    /// One of an earlier block than the others.
    earlier: Option<Record>,
    /// In the latest phase of the latest block: those of one warp, the last of each thread.
    warp: Vec<Record>,
    /// A bit for each of their lanes.
    lanes: u32,
    /// One of another warp. A third one needs no place: whatever would race with it races with one of these.
    other: Option<Record>,
}

impl Accesses {
    fn is_empty(&self) -> bool {
        match self {
            Accesses::None => true,
            Accesses::One(_) => false,
            Accesses::Many(crowd) => crowd.warp.is_empty(),
        }
    }

    /// Forgets all, but not the memory: there will be as many again after the next barrier.
    fn clear(&mut self) {
        match self {
            Accesses::None => {}
            Accesses::One(_) => *self = Accesses::None,
            Accesses::Many(crowd) => {
                crowd.warp.clear();
                crowd.lanes = 0;
                (crowd.earlier, crowd.other) = (None, None);
            }
        }
    }

    fn add(&mut self, record: Record) {
        match self {
            Accesses::None => *self = Accesses::One(record),
            Accesses::One(one) => {
                if one.block == record.block && (one.thread == record.thread || one.phase < record.phase) {
                    *one = record;
                } else {
                    let mut crowd = Crowd { earlier: None, warp: vec![*one], lanes: one.lane(), other: None };
                    crowd.add(record);
                    *self = Accesses::Many(Box::new(crowd));
                }
            }
            Accesses::Many(crowd) => crowd.add(record),
        }
    }

    /// One that is not before `now`.
    fn conflict(&self, now: &Record, known: &Known<'_>) -> Option<Record> {
        match self {
            Accesses::None => None,
            Accesses::One(one) => Some(*one).filter(|one| !one.is_before(now, known)),
            Accesses::Many(crowd) => {
                let mut all = crowd.earlier.iter().chain(&crowd.warp).chain(&crowd.other);
                all.find(|one| !one.is_before(now, known)).copied()
            }
        }
    }
}

impl Crowd {
    fn add(&mut self, record: Record) {
        if let Some(&first) = self.warp.first()
            && (first.block, first.phase) != (record.block, record.phase)
        {
            if first.block != record.block {
                self.earlier.get_or_insert(first);
            }
            self.warp.clear();
            self.lanes = 0;
            self.other = None;
        }
        if self.warp.first().is_some_and(|first| first.warp() != record.warp()) {
            self.other = Some(record);
        } else if self.lanes & record.lane() == 0 {
            self.lanes |= record.lane();
            self.warp.push(record);
        } else if let Some(known) = self.warp.iter_mut().find(|known| known.thread == record.thread) {
            *known = record;
        }
    }
}

/// What is known of an element.
#[derive(Default)]
pub(super) struct Cell {
    write: Option<Record>,
    reads: Accesses,
    atomics: Accesses,
}

impl Cell {
    /// Whether something was written.
    pub(super) fn is_set(&self) -> bool {
        self.write.is_some() || !self.atomics.is_empty()
    }

    /// An access that is not before `now` and does not go together with it.
    pub(super) fn conflict(&self, touch: Touch, now: &Record, known: &Known<'_>) -> Option<(AccessKind, Record)> {
        let write = self.write.filter(|write| !write.is_before(now, known));
        if let Some(write) = write {
            return Some((AccessKind::Write, write));
        }
        if touch != Touch::Read
            && let Some(read) = self.reads.conflict(now, known)
        {
            return Some((AccessKind::Read, read));
        }
        if matches!(touch, Touch::Read | Touch::Write)
            && let Some(atomic) = self.atomics.conflict(now, known)
        {
            return Some((AccessKind::Atomic, atomic));
        }
        None
    }

    /// Notes an access that conflicts with none.
    pub(super) fn add(&mut self, touch: Touch, record: Record) {
        match touch {
            Touch::Read => self.reads.add(record),
            Touch::Atomic | Touch::Exchange => self.atomics.add(record),
            Touch::Write => {
                // All others are before this one: what races with them races with this.
                self.write = Some(record);
                self.reads.clear();
                self.atomics.clear();
            }
        }
    }
}

/// The length of the memory that a page tells of.
const PAGE: usize = 512;

struct Page {
    /// Of shared memory: the block whose memory this is. Another one's begins with nothing in it.
    block: Option<u32>,
    cells: Box<[Cell]>,
}

/// What is known of all elements.
pub(super) struct Shadow {
    pages: HashMap<usize, Page, BuildHasherDefault<Mixer>>,
}

impl Shadow {
    pub(super) fn new() -> Shadow {
        Shadow { pages: HashMap::default() }
    }

    /// What is known of the element of `size` bytes at an address, which is in the shared memory of `block` if one is given.
    pub(super) fn cell(&mut self, address: usize, size: usize, block: Option<u32>) -> &mut Cell {
        // Arrays of small and of large elements may lie side by side, and so may shared memory and arguments: all have pages of
        // their own.
        let bits = size.trailing_zeros();
        let key = address / PAGE * 16 + usize::from(block.is_some()) * 8 + bits as usize;
        let empty = || (0..PAGE >> bits).map(|_| Cell::default()).collect();
        let page = self.pages.entry(key).or_insert_with(|| Page { block, cells: empty() });
        if page.block != block {
            *page = Page { block, cells: empty() };
        }
        &mut page.cells[(address % PAGE) >> bits]
    }
}

/// Hashes one number: by a multiplication that brings what differs to the top.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}
