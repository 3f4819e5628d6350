//! What a traced launch has done to memory.

use crate::failure::Memory;

/// How an element was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// `a[i]`
    Read,
    /// `a[i] = v`; also `a[i] += v` and the like, which read as well.
    Write,
    /// `a.atomic_add(i, v)` and its kin.
    Atomic,
}

/// One access of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedAccess {
    /// What was accessed.
    pub memory: Memory,
    /// The element's number in C order.
    pub index: usize,
    /// How.
    pub kind: AccessKind,
    /// `thread_idx()` of the thread.
    pub thread: [usize; 3],
    /// `block_idx()` of its block.
    pub block: [usize; 3],
    /// The line of the compiled file.
    pub line: u32,
    /// How many barriers of its block the thread had passed.
    pub phase: usize,
}

/// What the threads of a launch have accessed, block after block. Within a block, threads take turns at barriers: between two
/// of these, the accesses of one thread stand together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The accesses, in the order in which they were made.
    pub accesses: Vec<TracedAccess>,
    /// How many accesses more there were than the trace holds ([`Trace::LONGEST`]).
    pub left_out: usize,
}

impl Trace {
    /// As many accesses a trace holds at most.
    pub const LONGEST: usize = 1 << 20;
}
