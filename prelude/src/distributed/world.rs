//! The ranks that were started together, and groups of them: who sends bytes to whom, how long one waits, and who is to blame.

use super::choice::{self, Capability, TRANSPORT_VARIABLE, Wish};
use super::mailbox::{Delivered, Fault, Kind, Letter, Mailbox, Tag};
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

/// How letters get to the mailboxes of other ranks.
pub(super) trait Post: Send + Sync {
    /// What carries them, for `{:?}`.
    fn name(&self) -> &'static str;
    /// Brings a letter to a rank. While it cannot be brought on, `may_wait` is asked from time to time whether to give up.
    fn bring(&self, to: usize, letter: Letter, may_wait: &dyn Fn() -> Delivered) -> Delivered;
    /// Whether all ranks are in this process.
    fn is_local(&self) -> bool;
}

/// All ranks that were started together, as one of them sees them.
pub(super) struct World {
    pub rank: usize,
    /// Where each rank runs.
    pub places: Vec<String>,
    pub mailbox: Arc<Mailbox>,
    pub post: Box<dyn Post>,
    /// What the ranks say of their devices, when that is known.
    pub capabilities: OnceLock<Vec<Capability>>,
    /// In milliseconds.
    timeout: AtomicU64,
    checks: bool,
}

/// How long the ranks' own answers are waited for, once a call has waited in vain.
const PATIENCE: Duration = Duration::from_secs(2);

impl World {
    pub fn new(
        rank: usize,
        places: Vec<String>,
        mailbox: Arc<Mailbox>,
        post: Box<dyn Post>,
        settings: Settings,
    ) -> World {
        let (capabilities, timeout, checks) = (OnceLock::new(), AtomicU64::new(0), settings.checks);
        let world = World { rank, places, mailbox, post, capabilities, timeout, checks };
        world.set_timeout(settings.timeout);
        world
    }

    pub fn size(&self) -> usize {
        self.places.len()
    }

    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout.load(Ordering::Relaxed))
    }

    pub fn set_timeout(&self, timeout: Duration) {
        let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX).clamp(1, LONGEST);
        self.timeout.store(milliseconds, Ordering::Relaxed);
    }

    fn bring(&self, to: usize, letter: Letter, timeout: Duration) -> Delivered {
        let deadline = Instant::now() + timeout;
        let may_wait = || match self.mailbox.fault() {
            Some(fault) => Err(fault),
            None if crate::cell::interrupted() => Err(Fault::Interrupted { rank: self.rank }),
            None if Instant::now() > deadline => Err(Fault::Rank { rank: to, reason: SILENT.to_owned() }),
            None => Ok(()),
        };
        self.post.bring(to, letter, &may_wait).map_err(|fault| match fault {
            Fault::Rank { .. } => self.mailbox.explained(to, fault),
            other => other,
        })
    }

    /// Notes a failure and tells all others. Gives the one that was first.
    pub fn fail(&self, fault: Fault) -> Fault {
        let is_new = self.mailbox.fault().is_none();
        let first = self.mailbox.fail(fault);
        if is_new {
            for to in (0..self.size()).filter(|&to| to != self.rank) {
                // Who cannot be told finds out. What is blocked by the failure itself must not keep the others from it.
                let deadline = Instant::now() + PATIENCE;
                let may_wait = || if Instant::now() > deadline { Err(first.clone()) } else { Ok(()) };
                let _ = self.post.bring(to, Letter::Failed(first.clone()), &may_wait);
            }
        }
        first
    }
}

const SILENT: &str = "does not answer: its process is stopped, or its host or the network is down; end what is left of the job, and \
                      start it again";

/// Longer times are cut, so that they can be added to the clock.
const LONGEST: u64 = 1000 * 3600 * 24 * 365;

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.fail(Fault::Rank { rank: self.rank, reason: PANICKED.to_owned() });
        }
        // Who waits for this rank hears of the failure that has ended it, also if its own connection tells that later.
        let fault = self.mailbox.fault();
        for to in (0..self.size()).filter(|&to| to != self.rank) {
            let deadline = Instant::now() + PATIENCE;
            let gone = Fault::Rank { rank: to, reason: SILENT.to_owned() };
            let may_wait = || if Instant::now() > deadline { Err(gone.clone()) } else { Ok(()) };
            let letter = fault.clone().map_or(Letter::Farewell, Letter::Failed);
            let _ = self.post.bring(to, letter, &may_wait);
        }
    }
}

pub(super) const PANICKED: &str = "has panicked; look at its output, and start again";

/// What the environment sets for all communicators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    /// How long a call waits for other ranks, and ranks for each other at the start.
    pub timeout: Duration,
    /// Whether ranks compare their calls.
    pub checks: bool,
    /// How elements are to travel.
    pub wish: Wish,
}

pub(super) const TIMEOUT_VARIABLE: &str = "WARPCELL_DISTRIBUTED_TIMEOUT";
pub(super) const CHECK_VARIABLE: &str = "WARPCELL_DISTRIBUTED_CHECK";

impl Settings {
    /// As the variables say.
    pub fn read(operation: &'static str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Settings> {
        let timeout = match variable(TIMEOUT_VARIABLE) {
            None => Duration::from_secs(300),
            Some(text) => {
                let seconds = text.trim().parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
                let seconds = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                seconds.ok_or_else(|| {
                    let reason = format!(
                        "{TIMEOUT_VARIABLE} is {text:?}, which is no number of seconds; set it to one: {TIMEOUT_VARIABLE}=300"
                    );
                    Error::argument(operation, reason)
                })?
            }
        };
        let checks = match variable(CHECK_VARIABLE).as_deref() {
            None | Some("" | "0") => false,
            Some("1") => true,
            Some(text) => {
                let reason = format!("{CHECK_VARIABLE} is {text:?}, but must be 0 or 1; set it so: {CHECK_VARIABLE}=1");
                return Err(Error::argument(operation, reason));
            }
        };
        let wish = Wish::read(operation, variable(TRANSPORT_VARIABLE).as_deref())?;
        Ok(Settings { timeout, checks, wish })
    }
}

/// Some ranks of a world, which make calls together.
pub(super) struct Group {
    pub world: Arc<World>,
    /// Tells the letters of groups apart; the same for all members.
    pub id: u64,
    /// The numbers in the world, by the number in the group.
    pub members: Vec<usize>,
    /// The number in the group.
    pub rank: usize,
    /// How many calls of all ranks there were.
    calls: AtomicU32,
}

impl Group {
    /// All ranks.
    pub fn of_all(world: Arc<World>) -> Group {
        let (members, rank) = ((0..world.size()).collect(), world.rank);
        Group { world, id: 0, members, rank, calls: AtomicU32::new(0) }
    }

    /// Some of them.
    pub fn of_some(&self, id: u64, members: Vec<usize>) -> Group {
        let rank = members.iter().position(|&rank| rank == self.world.rank).expect("a group has its own rank");
        Group { world: self.world.clone(), id, members, rank, calls: AtomicU32::new(0) }
    }

    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The members other than this one, each rank beginning with the next one, so that not all send to the same.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, size) = (self.rank, self.size());
        (1..size).map(move |step| (rank + step) % size)
    }

    /// Begins a call of all ranks. `described` says with what, for comparison with those of the other ranks.
    pub fn begin(&self, kind: Kind, described: &dyn Fn() -> String) -> Result<Call<'_>> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        self.world.mailbox.note_call(self.id, number);
        let call = self.enter(kind.name(), Tag { kind, number })?;
        if self.world.checks && self.size() > 1 {
            self.compare(&call, &described())?;
        }
        Ok(call)
    }

    /// Begins what concerns two ranks, under this name.
    pub fn begin_between_two(&self, name: &'static str) -> Result<Call<'_>> {
        self.enter(name, Tag { kind: Kind::Send, number: 0 })
    }

    fn enter(&self, name: &'static str, tag: Tag) -> Result<Call<'_>> {
        if let Some(fault) = self.world.mailbox.fault() {
            return Err(fault.error(name, self.world.rank));
        }
        self.world.mailbox.set_inside(Some(name));
        Ok(Call { group: self, name, tag })
    }

    /// Lets all members know what each says, when they have just met. Gives what each has said.
    pub fn tell(&self, name: &'static str, own: String) -> Result<Vec<String>> {
        let tag = Tag { kind: Kind::Check, number: 0 };
        self.told(&Call { group: self, name, tag }, tag, own)
    }

    fn told(&self, call: &Call<'_>, tag: Tag, own: String) -> Result<Vec<String>> {
        for to in self.others() {
            call.bring(tag, to, own.clone().into_bytes())?;
        }
        let said = |from| if from == self.rank { Ok(own.clone()) } else { call.take(tag, from).map(text) };
        (0..self.size()).map(said).collect()
    }

    /// Why the members cannot use NCCL; nothing if they can.
    pub fn obstacle(&self) -> Option<String> {
        match self.world.capabilities.get() {
            Some(known) => choice::obstacle(self.members.iter().map(|&rank| &known[rank])),
            None => Some("nobody has said what the ranks can".to_owned()),
        }
    }

    /// Who is to blame that a call, of which this is the number, does not come to an end: if only one rank was waited for, perhaps that one.
    pub fn culprit(&self, number: u32, from: Option<usize>) -> Fault {
        let world = &self.world;
        world.mailbox.forget_answers();
        let others: Vec<usize> = self.members.iter().copied().filter(|&rank| rank != world.rank).collect();
        for &rank in &others {
            let _ = world.bring(rank, Letter::Ask, PATIENCE);
        }
        let answers = world.mailbox.answers(&others, PATIENCE);
        if let Some(fault) = world.mailbox.fault() {
            return fault;
        }
        let seconds = world.timeout().as_secs_f64();
        let late = |what: String| {
            format!(
                "has not come to this call within {seconds} s: {what}; give it more time (`set_timeout`, or \
                 {TIMEOUT_VARIABLE} in seconds), or let all ranks make the same calls ({CHECK_VARIABLE}=1 tells which do not)"
            )
        };
        if let Some(rank) = others.iter().copied().find(|rank| !answers.contains_key(rank)) {
            return Fault::Rank { rank, reason: SILENT.to_owned() };
        }
        let is_behind =
            |rank: &usize| number > 0 && answers[rank].calls_in.get(&self.id).is_none_or(|made| *made < number);
        let is_outside = |rank: &usize| answers[rank].inside.is_none();
        let find = |test: &dyn Fn(&usize) -> bool| others.iter().copied().find(|rank| test(rank));
        let rank = find(&is_behind).or_else(|| find(&is_outside)).or(from).unwrap_or(others[0]);
        let activity = &answers[&rank];
        let what = match &activity.inside {
            None => format!("it is outside of calls, of which it has made {}", activity.calls),
            Some(inside) => format!("it is in `{inside}`"),
        };
        Fault::Rank { rank, reason: late(what) }
    }

    /// Fails if another rank calls something else.
    fn compare(&self, call: &Call<'_>, own: &str) -> Result<()> {
        let check = Tag { kind: Kind::Check, number: call.tag.number };
        let own = format!("`{}`{own} as call {} of the communicator", call.tag.kind.name(), call.tag.number);
        let texts = self.told(call, check, own)?;
        match texts.iter().position(|text| *text != texts[0]) {
            None => Ok(()),
            Some(other) => {
                let ranks = (self.members[0], self.members[other]);
                Err(call.fail(Fault::Calls { ranks, calls: (texts[0].clone(), texts[other].clone()) }))
            }
        }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A call that a rank is in.
pub(super) struct Call<'a> {
    group: &'a Group,
    name: &'static str,
    tag: Tag,
}

impl Call<'_> {
    /// The name of the method.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The number of the call.
    pub fn number(&self) -> u32 {
        self.tag.number
    }

    /// Sends bytes to a member.
    pub fn send(&self, to: usize, bytes: Vec<u8>) -> Result<()> {
        self.bring(self.tag, to, bytes)
    }

    /// Waits for bytes of a member.
    pub fn receive(&self, from: usize) -> Result<Vec<u8>> {
        self.take(self.tag, from)
    }

    /// The same, if there must be so many of them.
    pub fn receive_exact(&self, from: usize, count: usize) -> Result<Vec<u8>> {
        let bytes = self.receive(from)?;
        if bytes.len() == count {
            return Ok(bytes);
        }
        Err(self.unequal(from, count, bytes.len()))
    }

    fn unequal(&self, from: usize, own: usize, others: usize) -> Error {
        let ranks = (self.group.world.rank, self.group.members[from]);
        let what = |count: usize| format!("`{}` with {count} bytes for the other rank", self.name());
        self.fail(Fault::Calls { ranks, calls: (what(own), what(others)) })
    }

    /// Waits until the rank that gets an array, and the one that sends one, are in the call too. `offered` goes to the first one, and `answer`
    /// to the other one, if `is_wanted` has no objection to what it offers. Gives what these two have said: the offer and the answer.
    pub fn meet_between_two(
        &self,
        offered: Option<(usize, Vec<u8>)>,
        from: Option<usize>,
        answer: &[u8],
        is_wanted: impl Fn(usize, &[u8]) -> Delivered,
    ) -> Result<[Vec<u8>; 2]> {
        let [offer, ready] = [Kind::Send, Kind::Receive].map(|kind| Tag { kind, number: 0 });
        let to = offered.as_ref().map(|(to, _)| *to);
        if let Some((to, bytes)) = offered {
            self.bring(offer, to, bytes)?;
        }
        let mut said = [Vec::new(), Vec::new()];
        if let Some(from) = from {
            said[0] = self.take(offer, from)?;
            is_wanted(from, &said[0]).map_err(|fault| self.fail(fault))?;
            self.bring(ready, from, answer.to_vec())?;
        }
        if let Some(to) = to {
            said[1] = self.take(ready, to)?;
        }
        Ok(said)
    }

    /// Waits until all members are in the call. Fails if one does not send as many bytes as this one wants of it.
    pub fn meet(&self, sent: impl Fn(usize) -> usize, wanted: impl Fn(usize) -> usize) -> Result<()> {
        for to in self.group.others() {
            self.send(to, (sent(to) as u64).to_be_bytes().to_vec())?;
        }
        for from in self.group.others() {
            let said = self.receive_exact(from, 8)?.iter().fold(0, |number, &byte| number << 8 | usize::from(byte));
            if said != wanted(from) {
                return Err(self.unequal(from, wanted(from), said));
            }
        }
        Ok(())
    }

    /// Fails if the communicator has failed, the cell was interrupted, or the time is up.
    pub fn may_wait(&self, deadline: Instant) -> Result<()> {
        let world = &self.group.world;
        let fault = match world.mailbox.fault() {
            Some(fault) => fault,
            None if crate::cell::interrupted() => Fault::Interrupted { rank: world.rank },
            None if Instant::now() > deadline => self.group.culprit(self.tag.number, None),
            None => return Ok(()),
        };
        Err(self.fail(fault))
    }

    fn bring(&self, tag: Tag, to: usize, bytes: Vec<u8>) -> Result<()> {
        let world = &self.group.world;
        let letter = Letter::Data { group: self.group.id, tag, bytes };
        world.bring(self.group.members[to], letter, world.timeout()).map_err(|fault| self.fail(fault))
    }

    fn take(&self, tag: Tag, from: usize) -> Result<Vec<u8>> {
        let world = &self.group.world;
        let sender = self.group.members[from];
        match world.mailbox.receive(self.group.id, tag, [world.rank, sender], world.timeout()) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(self.fail(self.group.culprit(self.tag.number, Some(sender)))),
            Err(fault) => Err(self.fail(fault)),
        }
    }

    /// Ends the use of the communicator, on all ranks.
    pub fn fail(&self, fault: Fault) -> Error {
        self.group.world.fail(fault).error(self.name(), self.group.world.rank)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.group.world.mailbox.set_inside(None);
    }
}

/// Letters between threads of one process.
pub(super) struct Threads {
    rank: usize,
    mailboxes: Vec<Weak<Mailbox>>,
}

impl Threads {
    /// The worlds of so many ranks, one for each.
    pub fn worlds(places: &[String], settings: Settings) -> Vec<World> {
        let mailboxes: Vec<Arc<Mailbox>> = places.iter().map(|_| Arc::new(Mailbox::new(places.len()))).collect();
        let weak: Vec<Weak<Mailbox>> = mailboxes.iter().map(Arc::downgrade).collect();
        let world = |(rank, mailbox)| {
            let post = Threads { rank, mailboxes: weak.clone() };
            World::new(rank, places.to_vec(), mailbox, Box::new(post), settings)
        };
        mailboxes.into_iter().enumerate().map(world).collect()
    }
}

impl Post for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn bring(&self, to: usize, letter: Letter, _may_wait: &dyn Fn() -> Delivered) -> Delivered {
        // Who is gone has said so.
        if let Some(mailbox) = self.mailboxes[to].upgrade()
            && let Some(answer) = mailbox.deliver(self.rank, letter)
            && let Some(own) = self.mailboxes[self.rank].upgrade()
        {
            own.deliver(to, answer);
        }
        Ok(())
    }
}
