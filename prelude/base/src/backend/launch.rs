//! Launches of kernels in Rust, as a backend gets them: plain data in.

use super::View;
use super::text::FunctionAttributes;
pub use super::text::LaunchSize;
use crate::dtype::Scalar;
use crate::registry::{Kernel, Value};
use std::time::Duration;

/// What a launch checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Nothing, where a backend can do without.
    None,
    /// That indices are within arrays.
    Bounds,
    /// Also that threads do not race, that all of them come to barriers, and that shared memory is written to before it is read.
    All,
}

/// A launch. Its size is within the limits of the device, its arguments are those of the kernel's parameters: arrays of one to four
/// axes on the backend's device, of which those that are written to overlap no other.
#[derive(Clone, Copy)]
pub struct Launch {
    /// The function that was called, for messages.
    pub operation: &'static str,
    pub kernel: Kernel,
    pub size: LaunchSize,
    pub checks: Checks,
    /// Those of the arguments, a bit for each, that are integers or truth values which stay the same for many launches: a backend may
    /// compile the kernel for their values.
    pub fixed: u16,
    /// If there is one, the backend waits until the kernel is done.
    pub time_limit: Option<Duration>,
}

/// A kernel as it was compiled for a launch, and what a multiprocessor has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    pub attributes: FunctionAttributes,
    /// Blocks of the launch's size that a multiprocessor runs at once.
    pub blocks: usize,
    pub room: Room,
}

/// What a multiprocessor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Threads at once.
    pub threads: usize,
    /// Blocks at once.
    pub blocks: usize,
    pub registers: usize,
    /// Bytes of shared memory.
    pub shared_bytes: usize,
    /// Bytes of these that each block needs for itself.
    pub reserved_bytes: usize,
}

/// An argument of a kernel, or of a function over arrays.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// An array, and whether the kernel may write to it.
    Array(View<'a>, bool),
    /// A value; those of pointers' size have 64 bits.
    Scalar(Scalar),
    /// The value of a struct, for a parameter of its type.
    Struct(&'a Value),
}
