//! What can go wrong in a launch, as facts: whoever shows it to a user makes the sentence.

use crate::trace::AccessKind;

/// Why a launch has failed: what happened, and in which thread. Lines are those of the compiled file.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// The line of the access, call or panic; not known for an interrupt, and for some panics.
    pub line: Option<u32>,
    /// `thread_idx()` of the thread, as `[x, y, z]`.
    pub thread: [usize; 3],
    /// `block_idx()` of its block.
    pub block: [usize; 3],
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum FailureKind {
    /// An index is not below the length of its axis.
    OutOfBounds { memory: Memory, index: Vec<usize>, shape: Vec<usize> },
    /// An element is named by more or fewer indices than there are axes.
    WrongAxes { memory: Memory, index: Vec<usize>, shape: Vec<usize> },
    /// Two threads access one element, at least one of them changes it, and nothing orders them. The failure's line and thread
    /// are those of `second`.
    Race { memory: Memory, index: Vec<usize>, first: Access, second: Access },
    /// Some threads wait where the others will never come. The failure's line and thread are those of the one that waits, at
    /// a call of `operation`.
    DivergentBarrier { operation: &'static str, other: Elsewhere },
    /// A read of shared memory where nothing has been written in this block.
    Uninitialised { memory: Memory, index: Vec<usize> },
    /// Shared arrays and dynamic shared memory of one block together take more than a block has.
    SharedMemoryTooLarge { bytes: usize, limit: usize },
    /// A function of threads was given what it cannot work with, for a reason that is a whole sentence without its full stop.
    Misuse { operation: &'static str, reason: String },
    /// The kernel panicked: an overflow, a division by zero, an assertion.
    Panic { message: String },
    /// There is no memory for the stacks of the threads that wait.
    OutOfStacks { stacks: usize },
    /// The launch was stopped from outside.
    Interrupted,
}

/// What an index was for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// An argument, by the name of its parameter.
    Array { name: &'static str },
    /// A shared array, by the line that makes it.
    Shared { line: u32 },
    /// The dynamic shared memory.
    DynamicShared,
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub kind: AccessKind,
    pub line: u32,
    pub thread: [usize; 3],
    pub block: [usize; 3],
}

/// Where a thread is that others wait for.
#[derive(Clone, Debug, PartialEq)]
pub enum Elsewhere {
    /// It has ended: returned, or come to the end of the kernel.
    Ended { thread: [usize; 3] },
    /// It waits at a call of `operation` in another line, or of another kind.
    Waits { thread: [usize; 3], operation: &'static str, line: u32 },
}
