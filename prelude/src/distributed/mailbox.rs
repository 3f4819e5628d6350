//! What a rank has been sent and has not read yet, and what it knows of the other ranks.
//!
//! However letters travel, they end here. So a rank waits in one place: for bytes of a call, for the failure of another rank, for
//! the end of its time, and for an interrupt of the cell.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

macro_rules! kinds {
    ($($variant:ident $name:literal)*) => {
        /// What is called.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Kind {
            $($variant),*
        }

        impl Kind {
            const ALL: &[Kind] = &[$(Kind::$variant),*];

            /// The name of the method.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$variant => $name),*
                }
            }
        }
    };
}
kinds! {
    AllReduce "all_reduce"
    Broadcast "broadcast"
    Reduce "reduce"
    AllGather "all_gather"
    ReduceScatter "reduce_scatter"
    AllToAll "all_to_all"
    Barrier "barrier"
    Split "split"
    Check "WARPCELL_DISTRIBUTED_CHECK"
    Send "send"
    Receive "receive"
}

impl Kind {
    /// The kind, if it concerns two ranks, and not all of a group: what one offers the other, and that the other one takes it.
    fn between_two(self) -> Option<Kind> {
        matches!(self, Kind::Send | Kind::Receive).then_some(self)
    }

    /// The number in letters.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The kind with this number.
    pub fn of_code(code: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(code)).copied()
    }
}

/// Which call bytes belong to: its kind, and how many calls of all ranks the group has made before. Letters from one rank to another
/// are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub kind: Kind,
    pub number: u32,
}

impl Tag {
    fn described(self) -> String {
        format!("`{}` as call {} of the communicator", self.kind.name(), self.number)
    }
}

/// Why a communicator cannot be used any more. All ranks get the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Fault {
    /// A rank is missing or has failed: what it did, and what to do.
    Rank { rank: usize, reason: String },
    /// Two ranks do not call the same.
    Calls { ranks: (usize, usize), calls: (String, String) },
    /// The user has interrupted the cell of this rank.
    Interrupted { rank: usize },
}

impl Fault {
    /// The error of an operation of rank `own`.
    pub fn error(self, operation: &'static str, own: usize) -> Error {
        match self {
            Fault::Rank { rank, reason } => Error::RankFailed { operation, rank, reason },
            Fault::Calls { ranks, calls } => Error::RanksDisagree { operation, ranks, calls: Box::new(calls) },
            Fault::Interrupted { rank } if rank == own => Error::Interrupted,
            Fault::Interrupted { rank } => {
                let reason = "was interrupted; make a new communicator to go on".to_owned();
                Error::RankFailed { operation, rank, reason }
            }
        }
    }
}

/// Whether a letter could be brought, or a wait goes on.
pub(super) type Delivered = std::result::Result<(), Fault>;

/// What a rank does.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Activity {
    /// How many calls it has made.
    pub calls: u64,
    /// The number of the last call of all ranks of each group.
    pub calls_in: HashMap<u64, u32>,
    /// The call that it is in, if it is in one.
    pub inside: Option<String>,
}

/// What ranks send each other.
#[derive(Debug)]
pub(super) enum Letter {
    /// Bytes of a call in a group.
    Data { group: u64, tag: Tag, bytes: Vec<u8> },
    /// The rank has come to the end of its work. What it had to say it has said.
    Farewell,
    /// The communicator cannot be used any more.
    Failed(Fault),
    /// A question for the activity.
    Ask,
    /// The answer.
    Answer(Activity),
}

/// The letters for one rank.
pub(super) struct Mailbox {
    contents: Mutex<Contents>,
    arrived: Condvar,
}

type Queue = VecDeque<(Tag, Vec<u8>)>;

#[derive(Default)]
struct Contents {
    /// By group, sender, and the kind of a letter from one rank to another.
    queues: HashMap<(u64, usize, Option<Kind>), Queue>,
    /// Which ranks have come to the end of their work.
    left: Vec<bool>,
    fault: Option<Fault>,
    answers: HashMap<usize, Activity>,
    activity: Activity,
}

const LEFT: &str = "has ended its part, and this call waits for it; let all ranks make the same calls, and drop the communicator after \
                    the last one";

/// What an offer of `send` begins with: the name of the call.
const SENT_ALONE: &[u8] = b"send\n";

/// The same, whichever rank finds it.
fn both_send(rank: usize, other: usize) -> Fault {
    let reason = format!(
        "waits until rank {other} receives what it sends, and rank {other} until rank {rank} does; let one of them receive first, or let both \
         call `send_receive`, which does both at once"
    );
    Fault::Rank { rank, reason }
}

/// How often who waits looks for an interrupt. Letters wake it at once.
const SLICE: Duration = Duration::from_millis(20);

impl Mailbox {
    /// An empty one in a world of so many ranks.
    pub fn new(size: usize) -> Mailbox {
        let contents = Contents { left: vec![false; size], ..Contents::default() };
        Mailbox { contents: Mutex::new(contents), arrived: Condvar::new() }
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a letter in. Gives what is to be answered.
    pub fn deliver(&self, from: usize, letter: Letter) -> Option<Letter> {
        let mut contents = self.contents();
        match letter {
            Letter::Data { group, tag, bytes } => {
                contents.queues.entry((group, from, tag.kind.between_two())).or_default().push_back((tag, bytes));
            }
            Letter::Farewell => contents.left[from] = true,
            Letter::Failed(fault) => _ = contents.fault.get_or_insert(fault),
            Letter::Ask => return Some(Letter::Answer(contents.activity.clone())),
            Letter::Answer(activity) => _ = contents.answers.insert(from, activity),
        }
        self.arrived.notify_all();
        None
    }

    /// Notes that nothing comes from a rank any more. That is a failure, unless it has said farewell.
    pub fn lose(&self, from: usize, why: &str) {
        let mut contents = self.contents();
        if !contents.left[from] {
            let reason = format!(
                "has ended without a word ({why}): it was killed or has crashed; look at its output, and start again"
            );
            contents.fault.get_or_insert(Fault::Rank { rank: from, reason });
            self.arrived.notify_all();
        }
    }

    /// Notes a failure, if there is none yet. Gives the first one.
    pub fn fail(&self, fault: Fault) -> Fault {
        let first = self.contents().fault.get_or_insert(fault).clone();
        self.arrived.notify_all();
        first
    }

    /// The failure, if there is one.
    pub fn fault(&self) -> Option<Fault> {
        self.contents().fault.clone()
    }

    /// Why a rank cannot be sent to: what it or another one has said of it, which may still be on its way, or else `fault`.
    pub fn explained(&self, to: usize, fault: Fault) -> Fault {
        let deadline = Instant::now() + 10 * SLICE;
        let mut contents = self.contents();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if let Some(known) = &contents.fault {
                return known.clone();
            }
            if contents.left[to] {
                return Fault::Rank { rank: to, reason: LEFT.to_owned() };
            }
            if left.is_zero() {
                return fault;
            }
            contents = self.wait(contents, left);
        }
    }

    /// Notes that this rank enters a call, or leaves it.
    pub fn set_inside(&self, call: Option<&str>) {
        let activity = &mut self.contents().activity;
        activity.calls += u64::from(call.is_some());
        activity.inside = call.map(str::to_owned);
    }

    /// Notes that this rank begins a call of all ranks of a group.
    pub fn note_call(&self, group: u64, number: u32) {
        self.contents().activity.calls_in.insert(group, number);
    }

    /// Waits for bytes of a call. What was sent before a failure is still read. `None` if the time is up.
    pub fn receive(
        &self,
        group: u64,
        tag: Tag,
        [own, from]: [usize; 2],
        timeout: Duration,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let deadline = Instant::now() + timeout;
        let mut contents = self.contents();
        loop {
            let queue = contents.queues.get_mut(&(group, from, tag.kind.between_two()));
            if let Some((found, bytes)) = queue.and_then(VecDeque::pop_front) {
                if found == tag {
                    return Ok(Some(bytes));
                }
                return Err(Fault::Calls { ranks: (own, from), calls: (tag.described(), found.described()) });
            }
            if let Some(fault) = &contents.fault {
                return Err(fault.clone());
            }
            // Who sends alone takes nothing before somebody has taken what it sends.
            let offered = contents.queues.get(&(group, from, Some(Kind::Send))).and_then(VecDeque::front);
            if tag.kind == Kind::Receive && offered.is_some_and(|(_, bytes)| bytes.starts_with(SENT_ALONE)) {
                return Err(both_send(own.min(from), own.max(from)));
            }
            if contents.left[from] {
                return Err(Fault::Rank { rank: from, reason: LEFT.to_owned() });
            }
            if crate::cell::interrupted() {
                return Err(Fault::Interrupted { rank: own });
            }
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                return Ok(None);
            };
            contents = self.wait(contents, left);
        }
    }

    /// Forgets what was answered before a question.
    pub fn forget_answers(&self) {
        self.contents().answers.clear();
    }

    /// Waits for the answers of some ranks, at most so long. Gives those that have come.
    pub fn answers(&self, of: &[usize], timeout: Duration) -> HashMap<usize, Activity> {
        let deadline = Instant::now() + timeout;
        let mut contents = self.contents();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let is_done = of.iter().all(|rank| contents.answers.contains_key(rank));
            if is_done || left.is_zero() || contents.fault.is_some() || crate::cell::interrupted() {
                return contents.answers.clone();
            }
            contents = self.wait(contents, left);
        }
    }

    fn wait<'a>(&self, contents: MutexGuard<'a, Contents>, left: Duration) -> MutexGuard<'a, Contents> {
        self.arrived.wait_timeout(contents, left.min(SLICE)).unwrap_or_else(PoisonError::into_inner).0
    }
}
