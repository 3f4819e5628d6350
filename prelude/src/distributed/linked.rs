//! The transport by links between devices, which NCCL makes: elements go from device to device, queued as all other work is.
//!
//! The first call makes the link. What NCCL reduces as arrays do, it reduces; all else it moves, and each rank reduces a part, in the order of
//! ranks.
//!
//! Ranks meet on the host before calls that could otherwise wait for a rank that does not come, where nobody can give up: the first ones of
//! a kind and a size, and the first one with another rank, in which NCCL sets up connections. Ranks that are threads of one process meet
//! before each call. Otherwise a device could wait for a rank that waits for CUDA, which in turn waits for that device. Ranks that send and
//! receive meet each time, too.

use super::mailbox::Fault;
use super::transport::{
    Collective, PointToPoint, Reduction, Transport, Wanted, bytes_of, combine, divide, elements, lengths, rest,
    row_length, shaped, with_rows,
};
use super::watch::{Watch, Work};
use super::world::{Call, Group, PANICKED};
use crate::array::sides::AnyView;
use crate::array::{RawArray, bounds, slice_axis, transfer};
use crate::backend::Operand;
use crate::backend::link::{Exchange, Fate, Joining, Link};
use crate::device::{self, Device, Handle};
use crate::dtype::DType;
use crate::error::{Error, Result};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often a rank that waits looks around.
const SLICE: Duration = Duration::from_millis(5);
/// How many calls may be under way, so that CUDA never waits for room for more.
const MOST_CALLS: usize = 400;

/// By links.
pub(super) struct ByLink {
    group: Arc<Group>,
    device: Device,
    linked: OnceLock<Linked>,
    /// Links of two, by the other rank: for what is sent before there is a link of all. All ranks end them in one order.
    pairs: Mutex<BTreeMap<usize, Arc<ByLink>>>,
}

/// A link, and who looks after its work.
struct Linked {
    group: Arc<Group>,
    link: Arc<dyn Link>,
    /// `None` when it has ended.
    watch: Option<Watch>,
    known: Mutex<Known>,
}

/// What the ranks have met for.
#[derive(Default)]
struct Known {
    /// Kinds of exchanges, with the number of binary digits of their bytes.
    kinds: HashSet<(&'static str, u32)>,
    /// Other ranks, with which parts were exchanged.
    ranks: HashSet<usize>,
}

/// How a reduction is done.
#[derive(Debug, PartialEq)]
struct Plan {
    /// The type in which elements are reduced.
    terms: DType,
    /// How the link joins them; otherwise ranks do it.
    joining: Option<Joining>,
    /// Whether the sum is divided by the number of ranks in the end.
    divides: bool,
}

impl Plan {
    /// For elements of a type, if the link joins what `joins` says.
    fn of(dtype: DType, reduction: Reduction, joins: impl Fn(DType, Joining) -> bool) -> Plan {
        let terms = reduction.terms(dtype);
        let (joining, divides) = match reduction {
            Reduction::Sum => (Joining::Sum, false),
            Reduction::Product => (Joining::Product, false),
            Reduction::Max => (Joining::Max, false),
            Reduction::Min => (Joining::Min, false),
            Reduction::Average if dtype.is_integer() => (Joining::Sum, true),
            Reduction::Average => (Joining::Average, false),
        };
        let is_direct = !divides && joins(dtype, joining);
        let terms = if is_direct { dtype } else { terms };
        Plan { terms, joining: joins(terms, joining).then_some(joining), divides }
    }
}

/// So many elements from a place on.
type Part = (usize, usize);

impl ByLink {
    pub fn new(group: Arc<Group>, device: Device) -> ByLink {
        ByLink { group, device, linked: OnceLock::new(), pairs: Mutex::default() }
    }

    fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// The link, which the first call makes.
    fn linked(&self, call: &Call<'_>, handle: &Handle) -> Result<&Linked> {
        if let Some(linked) = self.linked.get() {
            return Ok(linked);
        }
        let (group, made) = (self.group(), |error| self.failed(call, error));
        let links = handle.backend.links().expect("it was found that ranks can be linked");
        let id = if group.rank == 0 {
            let id = links.new_id().map_err(made)?;
            group.others().try_for_each(|to| call.send(to, id.clone()))?;
            id
        } else {
            call.receive(0)?
        };
        let link = self.begun(call, handle, id)?;
        let watch = Watch::begin(group, &link).map_err(|error| made(no_thread(call, &error)))?;
        Ok(self.linked.get_or_init(|| Linked {
            group: group.clone(),
            link,
            watch: Some(watch),
            known: Mutex::default(),
        }))
    }

    /// This rank's member of a new link. A thread of its own waits for the other members, so that this one can give up.
    fn begun(&self, call: &Call<'_>, handle: &Handle, id: Vec<u8>) -> Result<Arc<dyn Link>> {
        call.meet(|_| 0, |_| 0)?;
        let deadline = Instant::now() + self.group().world.timeout();
        let (rank, size, backend) = (self.group().rank, self.group().size(), handle.backend.clone());
        let (made, is_made) = channel();
        let make = move || {
            let links = backend.links().expect("it was asked for an id");
            // If nobody waits any more, it ends when it is dropped.
            let _ = made.send(links.begin(&id, rank, size));
        };
        let thread = std::thread::Builder::new().name("warpcell-link-begin".into()).spawn(make);
        thread.map_err(|error| self.failed(call, no_thread(call, &error)))?;
        loop {
            match is_made.recv_timeout(SLICE) {
                Ok(link) => return link.map_err(|error| self.failed(call, error)),
                Err(RecvTimeoutError::Timeout) => call.may_wait(deadline)?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(
                        self.failed(call, Error::argument(call.name(), "the thread that begins the link has panicked"))
                    );
                }
            }
        }
    }

    /// Tells all ranks of an error of this one, unless it is known already who has failed.
    fn failed(&self, call: &Call<'_>, error: Error) -> Error {
        let world = &self.group().world;
        let rank = world.rank;
        let reason = format!("cannot go on: {error}; {}=host does without NCCL", super::choice::TRANSPORT_VARIABLE);
        call.fail(world.mailbox.explained(rank, Fault::Rank { rank, reason }))
    }

    /// Queues work, and lets it be looked after.
    fn run(&self, call: &Call<'_>, linked: &Linked, exchange: Exchange<'_>) -> Result<()> {
        let watch = linked.watch.as_ref().expect("it ends when the link is dropped");
        if !self.group().world.post.is_local() {
            linked.meet(call, &exchange)?;
        }
        let (fate, since) = (Fate::default(), Instant::now());
        if watch.works() > MOST_CALLS {
            let deadline = since + self.group().world.timeout();
            while watch.works() > MOST_CALLS / 2 {
                call.may_wait(deadline)?;
                std::thread::sleep(SLICE / 10);
            }
        }
        match linked.link.queue(exchange, &fate) {
            Ok(event) => {
                let work = Work { name: call.name(), number: call.number(), fate, event, since };
                watch.add(work, self.group().world.rank);
                Ok(())
            }
            Err(error) => {
                let error = self.failed(call, error);
                let _ = fate.set(error.clone());
                watch.give_up();
                Err(error)
            }
        }
    }

    /// This rank and another one.
    fn pair(&self, other: usize) -> Arc<ByLink> {
        let group = self.group();
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let members = [group.rank.min(other), group.rank.max(other)].map(|rank| group.members[rank]);
            let mut hasher = DefaultHasher::new();
            ("pair", group.id, members).hash(&mut hasher);
            Arc::new(ByLink::new(Arc::new(group.of_some(hasher.finish(), members.to_vec())), self.device))
        };
        pairs.entry(other).or_insert_with(new).clone()
    }

    /// Sends a flat array to a member, and fills another one with what a member sends.
    fn pass(
        &self,
        call: &Call<'_>,
        linked: &Linked,
        sent: Option<&(usize, RawArray)>,
        out: Option<&(usize, RawArray)>,
    ) -> Result<()> {
        let (mut parts, mut received) = (vec![(0, 0); self.group().size()], vec![0; self.group().size()]);
        if let Some((to, x)) = sent {
            parts[*to] = (0, x.size());
        }
        if let Some((from, out)) = out {
            received[*from] = out.size();
        }
        let Some((_, one)) = sent.or(out) else { return Ok(()) };
        let nothing = RawArray::uninitialised(call.name(), &one.handle, &[0], one.dtype)?;
        let (x, out) = (sent.map_or(&nothing, |(_, x)| x), out.map_or(&nothing, |(_, out)| out));
        if x.size() + out.size() == 0 {
            return Ok(());
        }
        self.run(call, linked, Exchange::Parts { x: x.view(), sent: &parts, out: out.view(), received: &received })
    }

    /// Moves parts of flat arrays: to each rank this part of `x`, and from each so many elements, one behind the other.
    fn exchanged(
        &self,
        call: &Call<'_>,
        linked: &Linked,
        x: &RawArray,
        sent: &[Part],
        received: &[usize],
    ) -> Result<RawArray> {
        let all = received.iter().sum();
        let out = RawArray::uninitialised(call.name(), &x.handle, &[all], x.dtype)?;
        if all > 0 || sent.iter().any(|&(_, count)| count > 0) {
            self.run(call, linked, Exchange::Parts { x: x.view(), sent, out: out.view(), received })?;
        }
        Ok(out)
    }

    /// The flat arrays of all ranks, of which each has so many elements, one behind the other.
    fn gathered(&self, call: &Call<'_>, linked: &Linked, x: &RawArray, counts: &[usize]) -> Result<RawArray> {
        if counts.iter().any(|count| *count != counts[0]) {
            return self.exchanged(call, linked, x, &vec![(0, x.size()); counts.len()], counts);
        }
        let out = RawArray::uninitialised(call.name(), &x.handle, &[counts.iter().sum()], x.dtype)?;
        if out.size() > 0 {
            self.run(call, linked, Exchange::AllGather { x: x.view(), out: out.view() })?;
        }
        Ok(out)
    }

    /// This rank's part of the flat arrays of all ranks, reduced here in the order of ranks.
    fn reduced_part(
        &self,
        call: &Call<'_>,
        linked: &Linked,
        x: &RawArray,
        bounds: &[usize],
        reduction: Reduction,
    ) -> Result<RawArray> {
        let (rank, size) = (self.group().rank, self.group().size());
        let counts = lengths(bounds);
        let sent: Vec<Part> = bounds.iter().copied().zip(counts.iter().copied()).collect();
        let each = counts[rank];
        let all = self.exchanged(call, linked, x, &sent, &vec![each; size])?;
        let part = |from: usize| slice_axis(&all, 0, from * each, 1, each);
        let total = part(0).copied(call.name())?;
        (1..size).try_for_each(|from| combine(reduction.operation(), &total, Operand::Array(part(from).view())))?;
        Ok(total)
    }

    /// The elements of all ranks, reduced; at `root`, or on all.
    fn reduced(
        &self,
        call: &Call<'_>,
        linked: &Linked,
        x: &RawArray,
        reduction: Reduction,
        root: Option<usize>,
    ) -> Result<Option<RawArray>> {
        let (name, group) = (call.name(), self.group());
        let plan = Plan::of(x.dtype, reduction, |dtype, joining| linked.link.joins(dtype, joining));
        let terms = x.in_type(name, plan.terms)?.flat(name)?;
        let here = root.is_none_or(|root| root == group.rank);
        let out = match plan.joining {
            _ if terms.size() == 0 => terms,
            None => {
                let bounds = bounds(terms.size(), group.size());
                let part = self.reduced_part(call, linked, &terms, &bounds, reduction)?;
                self.gathered(call, linked, &part, &lengths(&bounds))?
            }
            Some(joining) => {
                let length = if here { terms.size() } else { 0 };
                let out = RawArray::uninitialised(name, &x.handle, &[length], terms.dtype)?;
                let (x, to) = (terms.view(), out.view());
                let exchange = match root {
                    None => Exchange::AllReduce { joining, x, out: to },
                    Some(root) => Exchange::Reduce { joining, x, out: here.then_some(to), root },
                };
                self.run(call, linked, exchange)?;
                out
            }
        };
        if !here {
            return Ok(None);
        }
        self.finished(name, out, &plan, x.shape(), x.dtype).map(Some)
    }

    /// What was reduced, as it is given.
    fn finished(
        &self,
        name: &'static str,
        out: RawArray,
        plan: &Plan,
        shape: &[usize],
        dtype: DType,
    ) -> Result<RawArray> {
        if plan.divides {
            divide(&out, self.group().size())?;
        }
        shaped(out, shape).in_type(name, dtype)
    }

    /// Carries out a call of arrays on this rank's device, which all ranks are in.
    fn carry_out(&self, call: &Call<'_>, linked: &Linked, collective: Collective<'_>) -> Result<Option<RawArray>> {
        let (name, size) = (call.name(), self.group().size());
        match collective {
            Collective::AllReduce(x, reduction) => self.reduced(call, linked, x, reduction, None),
            Collective::Reduce(x, reduction, root) => self.reduced(call, linked, x, reduction, Some(root)),
            Collective::ReduceScatter(x, reduction) => {
                let shape = with_rows(x, x.shape()[0] / size);
                let each: usize = shape.iter().product();
                let plan = Plan::of(x.dtype, reduction, |dtype, joining| linked.link.joins(dtype, joining));
                let terms = x.in_type(name, plan.terms)?.flat(name)?;
                let out = match plan.joining {
                    Some(joining) => {
                        let out = RawArray::uninitialised(name, &x.handle, &[each], terms.dtype)?;
                        if each > 0 {
                            self.run(
                                call,
                                linked,
                                Exchange::ReduceScatter { joining, x: terms.view(), out: out.view() },
                            )?;
                        }
                        out
                    }
                    None => {
                        let bounds: Vec<usize> = (0..=size).map(|rank| rank * each).collect();
                        self.reduced_part(call, linked, &terms, &bounds, reduction)?
                    }
                };
                self.finished(name, out, &plan, &shape, x.dtype).map(Some)
            }
            Collective::Broadcast(x, root) => {
                let flat = x.flat(name)?;
                let out = RawArray::uninitialised(name, &x.handle, x.shape(), x.dtype)?;
                if out.size() > 0 {
                    self.run(call, linked, Exchange::Broadcast { x: flat.view(), out: out.view(), root })?;
                }
                Ok(Some(out))
            }
            Collective::AllGather(x, counts) => {
                let shape = with_rows(x, counts.iter().sum());
                let all = self.gathered(call, linked, &x.flat(name)?, &elements(x, counts))?;
                Ok(Some(shaped(all, &shape)))
            }
            Collective::AllToAll(x, sent, received) => {
                let shape = with_rows(x, received.iter().sum());
                let mut end = 0;
                let part = |count: usize| {
                    let start = end;
                    end += count;
                    (start, count)
                };
                let sent: Vec<Part> = elements(x, sent).into_iter().map(part).collect();
                let all = self.exchanged(call, linked, &x.flat(name)?, &sent, &elements(x, received))?;
                Ok(Some(shaped(all, &shape)))
            }
        }
    }
}

/// How many bytes a call sends to another rank, and how many it wants from it, if they are to be compared.
fn sent_to(collective: &Collective<'_>, to: usize) -> usize {
    match collective {
        Collective::AllToAll(x, sent, _) => sent[to] * row(x),
        other => bytes(other.array()),
    }
}

fn wanted_from(collective: &Collective<'_>, from: usize) -> usize {
    match collective {
        Collective::AllToAll(x, _, received) => received[from] * row(x),
        Collective::AllGather(x, counts) => counts[from] * row(x),
        other => bytes(other.array()),
    }
}

fn bytes(x: &RawArray) -> usize {
    x.size() * x.dtype.size()
}

/// The bytes of a row.
fn row(x: &RawArray) -> usize {
    row_length(x) * x.dtype.size()
}

impl Transport for ByLink {
    fn name(&self) -> &'static str {
        "NCCL"
    }

    fn execute(&self, collective: Collective<'_>) -> Result<Option<RawArray>> {
        let name = collective.kind().name();
        let given = collective.array();
        given.handle.may_wait(name)?;
        let handle = device::open(self.device)?;
        handle.may_wait(name)?;
        let x = transfer::bring(name, &AnyView::Device(given), &handle)?;
        let call = self.group().begin(collective.kind(), &|| collective.described())?;
        let linked = self.linked(&call, &handle)?;
        if self.group().world.post.is_local() {
            call.meet(|to| sent_to(&collective, to), |from| wanted_from(&collective, from))?;
        }
        let out = self.carry_out(&call, linked, collective.with(&x))?;
        let back = |out: RawArray| transfer::bring(name, &AnyView::Device(&out), &given.handle);
        if given.handle.device == self.device { Ok(out) } else { out.map(back).transpose() }
    }

    fn point_to_point(&self, pair: &PointToPoint<'_>) -> Result<Option<RawArray>> {
        let (name, handle) = (pair.name, pair.handle);
        handle.may_wait(name)?;
        let flat = |(to, x): (usize, &RawArray)| {
            x.handle.may_wait(name)?;
            transfer::bring(name, &AnyView::Device(x), handle)?.flat(name).map(|flat| (to, flat))
        };
        let sent = pair.sent.map(flat).transpose()?;
        let call = self.group().begin_between_two(name)?;
        let (to, from) = (sent.as_ref().map(|(to, _)| *to), pair.wanted.as_ref().map(|wanted| wanted.from));
        let is_linked = self.group().size() == 2 || self.linked.get().is_some();
        // By links of two, one part after the other, a rank could wait for one that waits for it in turn, by way of others.
        let goes = if is_linked || to.is_none() || from.is_none() || to == from { BY_LINK } else { BY_HOST };
        let [offer, answer] = pair.meet(&call, self.group(), goes, goes)?;
        let by_host = |said: &[u8]| goes == BY_HOST || said == BY_HOST;
        let mut by_link = (None, None);
        if let Some((to, x)) = &sent {
            match by_host(&answer) {
                true => call.send(*to, bytes_of(x)?)?,
                false => by_link.0 = Some((*to, x.clone())),
            }
        }
        let got = |wanted: &Wanted<'_>| {
            if by_host(rest(&offer)) {
                handle.may_upload(name)?;
                return pair.array_of(wanted, &call.receive(wanted.from)?);
            }
            let out = RawArray::uninitialised(name, handle, wanted.shape, wanted.dtype)?;
            by_link.1 = Some((wanted.from, out.clone()));
            Ok(out)
        };
        let out = pair.wanted.as_ref().map(got).transpose()?;
        let (sent, received) = by_link;
        match sent.as_ref().or(received.as_ref()).map(|(other, _)| *other) {
            None => (),
            Some(_) if is_linked => {
                self.pass(&call, self.linked(&call, handle)?, sent.as_ref(), received.as_ref())?;
            }
            Some(other) => {
                let two = self.pair(other);
                // This rank's number in the pair is 0 or 1.
                let there = 1 - two.group().rank;
                let call = two.group().begin_between_two(name)?;
                let [sent, received] = [sent, received].map(|part| part.map(|(_, x)| (there, x)));
                two.pass(&call, two.linked(&call, handle)?, sent.as_ref(), received.as_ref())?;
            }
        }
        Ok(out)
    }
}

/// How elements go between two ranks: by a link if both say so.
const BY_LINK: &[u8] = b"link";
const BY_HOST: &[u8] = b"host";

impl Linked {
    /// Waits for the other ranks, if they have not met for such an exchange.
    fn meet(&self, call: &Call<'_>, exchange: &Exchange<'_>) -> Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, view) = match exchange {
            Exchange::AllReduce { x, .. } => ("all_reduce", x),
            Exchange::Reduce { x, .. } => ("reduce", x),
            Exchange::ReduceScatter { x, .. } => ("reduce_scatter", x),
            Exchange::Broadcast { x, .. } => ("broadcast", x),
            Exchange::AllGather { x, .. } => ("all_gather", x),
            Exchange::Parts { sent, received, .. } => {
                // Both ranks of a pair know the same of it.
                let are_new = |other: &usize| sent[*other].1 + received[*other] > 0 && !known.ranks.contains(other);
                let others: Vec<usize> = self.group.others().filter(are_new).collect();
                others.iter().try_for_each(|&to| call.send(to, Vec::new()))?;
                others.iter().try_for_each(|&from| call.receive_exact(from, 0).map(drop))?;
                known.ranks.extend(others);
                return Ok(());
            }
        };
        let bytes = view.layout.size() * view.dtype.size();
        if known.kinds.insert((name, bytes.checked_ilog2().unwrap_or(0))) {
            call.meet(|_| bytes, |_| bytes)
        } else {
            Ok(())
        }
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        let world = &self.group.world;
        if std::thread::panicking() {
            world.fail(Fault::Rank { rank: world.rank, reason: PANICKED.to_owned() });
        }
        // It waits for the work, or gives it up.
        drop(self.watch.take());
        match world.mailbox.fault() {
            Some(_) => self.link.abort(),
            None => self.link.end(),
        }
    }
}

fn no_thread(call: &Call<'_>, error: &std::io::Error) -> Error {
    Error::argument(call.name(), format!("no thread can be started: {error}; allow more threads"))
}

#[cfg(test)]
mod tests;
