//! What a backend must do so that devices move and reduce elements among themselves: the trait [`Link`].

use super::{EventHandle, View};
use crate::dtype::DType;
use crate::error::{Error, Result};
use std::sync::{Arc, OnceLock};

/// How the elements of the members become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    /// Integers wrap.
    Sum,
    /// Integers wrap.
    Product,
    Max,
    Min,
    /// The mean.
    Average,
}

impl Joining {
    pub const ALL: [Joining; 5] = [Joining::Sum, Joining::Product, Joining::Max, Joining::Min, Joining::Average];
}

/// What all members of a link do together. Views are contiguous. Those that are written to were made for this.
#[derive(Clone, Copy)]
pub enum Exchange<'a> {
    /// The elements of all, joined. The link [joins](Link::joins) their type so.
    AllReduce { joining: Joining, x: View<'a>, out: View<'a> },
    /// The same for one member; the others have nothing to write to.
    Reduce { joining: Joining, x: View<'a>, out: Option<View<'a>>, root: usize },
    /// The same, of which each member gets a part, one behind the other.
    ReduceScatter { joining: Joining, x: View<'a>, out: View<'a> },
    /// The elements of one member.
    Broadcast { x: View<'a>, out: View<'a>, root: usize },
    /// The elements of all, as many of each, one behind the other.
    AllGather { x: View<'a>, out: View<'a> },
    /// To each member so many elements of `x` from a place on, and from each so many, one behind the other.
    Parts { x: View<'a>, sent: &'a [(usize, usize)], out: View<'a>, received: &'a [usize] },
}

/// How work ended that other devices take part in: its error, if it was given up. Nothing, if it came to its end.
pub type Fate = Arc<OnceLock<Error>>;

/// A member of a group of devices that move elements among themselves.
pub trait Link: Send + Sync {
    /// Whether elements of a type can be joined so, by the rules of the arrays.
    fn joins(&self, dtype: DType, joining: Joining) -> bool;
    /// Queues work, behind the other work on these arrays. What is computed from the results later is refused if `fate` tells of an error.
    /// Gives an event behind the work. The first exchanges of a kind and a size, or with a member, may wait for the other members.
    fn queue(&self, exchange: Exchange<'_>, fate: &Fate) -> Result<Box<dyn EventHandle>>;
    /// Gives up all work that is queued or runs, and ends the link; from any thread.
    fn abort(&self);
    /// Ends the link, of which all work is done.
    fn end(&self);
}

/// What makes links of a device.
pub trait Links {
    /// The version of the library that does, or why there is none. Members of one link have the same.
    fn version(&self) -> Result<i32>;
    /// What a new link begins with, made by one of its members.
    fn new_id(&self) -> Result<Vec<u8>>;
    /// Begins a link as one of so many members, which all do this with the same id, on devices of their own. Waits for all of them.
    fn begin(&self, id: &[u8], member: usize, size: usize) -> Result<Arc<dyn Link>>;
}
