//! What can go wrong in a launch, as facts: whoever shows it to a user makes the sentence.

/// Why a launch has failed: what happened, and in which thread. Lines are those of the compiled file.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What happened.
    pub kind: FailureKind,
    /// The line of the access, call or panic; not known for an interrupt, and for some panics.
    pub line: Option<u32>,
    /// `thread_idx()` of the thread, as `[x, y, z]`.
    pub thread: [usize; 3],
    /// `block_idx()` of its block.
    pub block: [usize; 3],
}

/// How an element is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// `a[i]`
    Read,
    /// `a[i] = v`; also `a[i] += v` and the like, which read as well.
    Write,
    /// `a.atomic_add(i, v)` and its kin.
    Atomic,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum FailureKind {
    /// An index is not below the length of its axis.
    OutOfBounds {
        /// What was indexed.
        memory: Memory,
        /// The index of each axis.
        index: Vec<usize>,
        /// The length of each axis.
        shape: Vec<usize>,
    },
    /// An element is named by more or fewer indices than there are axes.
    WrongAxes {
        /// What was indexed.
        memory: Memory,
        /// The indices that were given.
        index: Vec<usize>,
        /// The length of each axis.
        shape: Vec<usize>,
    },
    /// Two threads access one element, at least one of them changes it, and nothing orders them. The failure's line and thread
    /// are those of `second`.
    Race {
        /// What they access.
        memory: Memory,
        /// The index that `second` has given for the element.
        index: Vec<usize>,
        /// The access that was made first in this run.
        first: Box<Access>,
        /// The access that was made next.
        second: Box<Access>,
    },
    /// Some threads wait where the others will not come. The failure's line and thread are those of one that waits.
    DivergentBarrier {
        /// The function that it has called, such as `sync_threads`.
        operation: &'static str,
        /// Where one is that it waits for.
        other: Elsewhere,
    },
    /// A read of shared memory where nothing has been written in this block.
    Uninitialised {
        /// What was read.
        memory: Memory,
        /// The index of each axis.
        index: Vec<usize>,
    },
    /// The shared arrays of a block and its dynamic shared memory are together longer than a block's shared memory.
    SharedMemoryTooLarge {
        /// How long they are, as far as the thread that failed has come.
        bytes: usize,
        /// [`SHARED_MEMORY_LIMIT`](crate::SHARED_MEMORY_LIMIT).
        limit: usize,
    },
    /// A function of threads was called as it may not be.
    Misuse {
        /// The function, such as `shfl_sync`.
        operation: &'static str,
        /// What is wrong: a clause, without a capital and a full stop.
        reason: String,
    },
    /// The kernel panicked: an overflow, a division by zero, an assertion.
    Panic {
        /// What the panic said.
        message: String,
    },
    /// There is no memory for the stacks of the threads that wait.
    OutOfStacks {
        /// How many threads had to wait at once.
        stacks: usize,
    },
    /// The launch was stopped from outside.
    Interrupted,
}

/// What was accessed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// An argument.
    Array {
        /// The name of its parameter.
        name: &'static str,
    },
    /// A shared array.
    Shared {
        /// The line that makes it.
        line: u32,
    },
    /// The dynamic shared memory.
    DynamicShared,
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Whether it reads or changes the element.
    pub kind: AccessKind,
    /// The line of the compiled file.
    pub line: u32,
    /// `thread_idx()` of the thread that made it.
    pub thread: [usize; 3],
    /// `block_idx()` of its block.
    pub block: [usize; 3],
}

/// Where a thread is that others wait for.
#[derive(Clone, Debug, PartialEq)]
pub enum Elsewhere {
    /// It has ended: returned, or come to the end of the kernel.
    Ended {
        /// `thread_idx()` of it.
        thread: [usize; 3],
    },
    /// It waits itself, in another line or at another function.
    Waits {
        /// `thread_idx()` of it.
        thread: [usize; 3],
        /// The function that it has called.
        operation: &'static str,
        /// The line of that call.
        line: u32,
    },
}
