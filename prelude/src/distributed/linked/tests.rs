//! The transport over links that are made here, of threads on the CPU: what it asks of them, and what follows when they do not come to an end.

use super::*;
use crate::backend::EventHandle;
use crate::distributed::choice::Wish;
use crate::distributed::mailbox::Kind;
use crate::distributed::transport::ByHost;
use crate::distributed::world::{Settings, Threads};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};

/// As NCCL does it.
fn joins(dtype: DType, joining: Joining) -> bool {
    let is_known = !matches!(dtype, DType::Bool | DType::I16 | DType::U16) && !dtype.is_complex();
    let is_same = match joining {
        Joining::Sum | Joining::Product => true,
        Joining::Max | Joining::Min => dtype.is_integer(),
        Joining::Average => dtype.is_float(),
    };
    is_known && is_same
}

#[test]
fn reductions_are_planned() {
    let plan = |dtype, reduction| {
        let Plan { terms, joining, divides } = Plan::of(dtype, reduction, joins);
        (terms, joining, divides)
    };
    use Reduction::{Average, Max, Min, Product, Sum};
    for dtype in [DType::U8, DType::I8, DType::I32, DType::U32, DType::I64, DType::U64] {
        assert_eq!(plan(dtype, Sum), (dtype, Some(Joining::Sum), false));
        assert_eq!(plan(dtype, Product), (dtype, Some(Joining::Product), false));
        assert_eq!(plan(dtype, Max), (dtype, Some(Joining::Max), false));
        assert_eq!(plan(dtype, Min), (dtype, Some(Joining::Min), false));
        assert_eq!(plan(dtype, Average), (dtype.sum(), Some(Joining::Sum), true));
    }
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        assert_eq!(plan(dtype, Sum), (dtype, Some(Joining::Sum), false));
        assert_eq!(plan(dtype, Average), (dtype, Some(Joining::Average), false));
        // The library takes NaN for no number.
        assert_eq!(plan(dtype, Max), (dtype.compute_type(), None, false));
    }
    for (dtype, wide) in [(DType::I16, DType::I32), (DType::U16, DType::U32)] {
        assert_eq!(plan(dtype, Product), (wide, Some(Joining::Product), false));
        assert_eq!(plan(dtype, Max), (wide, Some(Joining::Max), false));
        assert_eq!(plan(dtype, Average), (dtype.sum(), Some(Joining::Sum), true));
    }
}

/// What a member gives: its bytes, and which parts of them are for whom.
type Given = (Vec<u8>, Vec<Part>);

/// Where members of a link meet.
struct Hub {
    given: Vec<Mutex<Given>>,
    meeting: Barrier,
}

/// A member of a link between threads.
struct ThreadLink {
    hub: Arc<Hub>,
    member: usize,
    handle: Handle,
}

struct Done;

impl EventHandle for Done {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl ThreadLink {
    fn all_of(size: usize) -> Vec<ThreadLink> {
        let given = (0..size).map(|_| Mutex::default()).collect();
        let hub = Arc::new(Hub { given, meeting: Barrier::new(size) });
        (0..size).map(|member| ThreadLink { hub: hub.clone(), member, handle: device::host() }).collect()
    }

    /// What all give, joined.
    fn joined(&self, joining: Joining, dtype: DType, all: &[Given]) -> Result<Vec<u8>> {
        let reduction = match joining {
            Joining::Sum => Reduction::Sum,
            Joining::Product => Reduction::Product,
            Joining::Max => Reduction::Max,
            Joining::Min => Reduction::Min,
            Joining::Average => Reduction::Average,
        };
        let of = |(bytes, _): &Given| {
            let raw = RawArray::of_bytes("test", &self.handle, &[bytes.len() / dtype.size()], bytes, dtype)?;
            raw.in_type("test", dtype.compute_type())
        };
        let total = of(&all[0])?.copied("test")?;
        for given in &all[1..] {
            combine(reduction.operation(), &total, Operand::Array(of(given)?.view()))?;
        }
        if joining == Joining::Average {
            divide(&total, all.len())?;
        }
        let total = total.in_type("test", dtype)?;
        let mut bytes = vec![0; total.size() * dtype.size()];
        self.handle.backend.download(&total.allocation, 0, &mut bytes)?;
        Ok(bytes)
    }
}

impl Link for ThreadLink {
    fn joins(&self, dtype: DType, joining: Joining) -> bool {
        joins(dtype, joining)
    }

    fn queue(&self, exchange: Exchange<'_>, _: &Fate) -> Result<Box<dyn EventHandle>> {
        let (x, out, parts) = match exchange {
            Exchange::AllReduce { x, out, .. }
            | Exchange::ReduceScatter { x, out, .. }
            | Exchange::Broadcast { x, out, .. }
            | Exchange::AllGather { x, out } => (x, Some(out), Vec::new()),
            Exchange::Reduce { x, out, .. } => (x, out, Vec::new()),
            Exchange::Parts { x, out, sent, .. } => (x, Some(out), sent.to_vec()),
        };
        assert!(x.layout.is_contiguous() && out.is_none_or(|out| out.layout.is_contiguous() && out.layout.offset == 0));
        let size = x.dtype.size();
        let mut bytes = vec![0; x.layout.size() * size];
        if !bytes.is_empty() {
            self.handle.backend.download(x.allocation, x.layout.offset * size, &mut bytes)?;
        }
        *self.hub.given[self.member].lock().unwrap() = (bytes, parts);
        self.hub.meeting.wait();
        let all: Vec<Given> = self.hub.given.iter().map(|given| given.lock().unwrap().clone()).collect();
        self.hub.meeting.wait();
        let made = match exchange {
            Exchange::AllReduce { joining, .. } | Exchange::Reduce { joining, .. } => {
                self.joined(joining, x.dtype, &all)?
            }
            Exchange::ReduceScatter { joining, out, .. } => {
                let bytes = out.layout.size() * size;
                self.joined(joining, x.dtype, &all)?[self.member * bytes..][..bytes].to_vec()
            }
            Exchange::Broadcast { root, .. } => all[root].0.clone(),
            Exchange::AllGather { .. } => all.iter().flat_map(|(bytes, _)| bytes.clone()).collect(),
            Exchange::Parts { received, .. } => {
                let from = |(member, (bytes, parts)): (usize, &Given)| {
                    let (start, count) = parts[self.member];
                    assert_eq!(count, received[member], "both know how much there is");
                    bytes[start * size..][..count * size].to_vec()
                };
                all.iter().enumerate().flat_map(from).collect()
            }
        };
        if let Some(out) = out {
            assert_eq!(made.len(), out.layout.size() * size);
            self.handle.backend.upload(&made, out.allocation)?;
        }
        Ok(Box::new(Done))
    }

    fn abort(&self) {}

    fn end(&self) {}
}

fn worlds(size: usize, timeout: Duration) -> Vec<Arc<Group>> {
    let settings = Settings { timeout, checks: false, wish: Wish::Either };
    let worlds = Threads::worlds(&vec!["cpu".to_owned(); size], settings);
    worlds.into_iter().map(|world| Arc::new(Group::of_all(Arc::new(world)))).collect()
}

/// The transport of a rank over a link that there is already.
fn over(group: Arc<Group>, link: Arc<dyn Link>) -> ByLink {
    let watch = Watch::begin(&group, &link).unwrap();
    let linked = OnceLock::from(Linked { group: group.clone(), link, watch: Some(watch), known: Mutex::default() });
    ByLink { group, device: Device::Cpu, linked, pairs: Mutex::default() }
}

/// What all ranks get from `work` by links, and by way of the host.
fn both(size: usize, work: impl Fn(&dyn Transport, usize) -> Vec<u8> + Sync) -> [Vec<Vec<u8>>; 2] {
    let wait = Duration::from_secs(60);
    let links = ThreadLink::all_of(size).into_iter();
    let linked = worlds(size, wait).into_iter().zip(links).map(|(group, link)| {
        let transport: Box<dyn Transport> = Box::new(over(group, Arc::new(link)));
        transport
    });
    let by_host = worlds(size, wait).into_iter().map(|group| {
        let transport: Box<dyn Transport> = Box::new(ByHost { group });
        transport
    });
    let run = |transports: Vec<Box<dyn Transport>>| -> Vec<Vec<u8>> {
        std::thread::scope(|scope| {
            let start = |(rank, transport): (usize, Box<dyn Transport>)| {
                scope.spawn({
                    let work = &work;
                    move || work(&*transport, rank)
                })
            };
            let started: Vec<_> = transports.into_iter().enumerate().map(start).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    };
    [run(linked.collect()), run(by_host.collect())]
}

/// Small numbers of every type, some of which are equal.
fn numbers(rank: usize, shape: &[usize], dtype: DType) -> RawArray {
    let size: usize = shape.iter().product();
    let values: Vec<f64> = (0..size).map(|at| ((at * 7 + rank * 5) % 11) as f64).collect();
    let raw = RawArray::of_floats("test", &device::host(), shape, values.into_iter(), DType::F64).unwrap();
    // Columns first, so that it is not contiguous.
    raw.converted("test", dtype).unwrap().moved(0, shape.len() - 1).copied("test").unwrap().moved(shape.len() - 1, 0)
}

fn bytes_of(raw: Option<RawArray>) -> Vec<u8> {
    let Some(raw) = raw else { return b"nothing".to_vec() };
    let raw = raw.contiguous("test").unwrap();
    let mut bytes = vec![0; raw.size() * raw.dtype.size()];
    if !bytes.is_empty() {
        raw.handle.backend.download(&raw.allocation, raw.layout.offset * raw.dtype.size(), &mut bytes).unwrap();
    }
    bytes.extend(format!("{:?} {}", raw.shape(), raw.dtype).into_bytes());
    bytes
}

#[test]
fn links_give_what_the_host_does() {
    const REDUCTIONS: [Reduction; 5] =
        [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min, Reduction::Average];
    for size in 1..4 {
        for dtype in DType::ALL {
            for rows in [0, size, 3 * size] {
                let [linked, by_host] = both(size, |transport, rank| {
                    let x = numbers(rank, &[rows, 2], dtype);
                    let run = |collective: Collective<'_>| bytes_of(transport.execute(collective).unwrap());
                    // Rank r has r rows for each other one.
                    let (sent, received): (Vec<usize>, Vec<usize>) = (vec![rank; size], (0..size).collect());
                    let uneven = numbers(rank, &[rank * size, 2], dtype);
                    let counts: Vec<usize> = (0..size).map(|rank| rank * size).collect();
                    let mut all = vec![
                        run(Collective::Broadcast(&x, size - 1)),
                        run(Collective::AllGather(&x, &vec![rows; size])),
                        run(Collective::AllGather(&uneven, &counts)),
                        run(Collective::AllToAll(&x, &vec![rows / size; size], &vec![rows / size; size])),
                        run(Collective::AllToAll(&uneven, &sent, &received)),
                    ];
                    for reduction in REDUCTIONS.iter().filter(|_| !dtype.is_complex() && dtype != DType::Bool) {
                        all.push(run(Collective::AllReduce(&x, *reduction)));
                        all.push(run(Collective::Reduce(&x, *reduction, 0)));
                        all.push(run(Collective::ReduceScatter(&x, *reduction)));
                    }
                    all.concat()
                });
                assert_eq!(linked, by_host, "{rows} rows of {dtype} on {size}");
            }
        }
    }
}

/// What a rank gets from the one before it in a ring, and by turns: even ranks send first.
fn around(transport: &dyn Transport, rank: usize, size: usize, x: &RawArray) -> Vec<u8> {
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let wanted = || Some(Wanted { from: before, shape: x.shape(), dtype: x.dtype });
    let pass = |name, sent: Option<(usize, &RawArray)>, wanted: Option<Wanted<'_>>| {
        transport.point_to_point(&PointToPoint { name, sent, wanted, handle: &x.handle }).unwrap()
    };
    let ring = bytes_of(pass("send_receive", Some((next, x)), wanted()));
    let by_turns = match rank % 2 {
        0 => {
            pass("send", Some((next, x)), None);
            pass("receive", None, wanted())
        }
        _ => {
            let got = pass("receive", None, wanted());
            pass("send", Some((next, x)), None);
            got
        }
    };
    assert_eq!(bytes_of(by_turns), ring);
    ring
}

#[test]
fn links_pass_from_rank_to_rank_what_the_host_does() {
    for dtype in DType::ALL {
        for rows in [0, 3] {
            let [linked, by_host] =
                both(2, |transport, rank| around(transport, rank, 2, &numbers(rank, &[rows, 2], dtype)));
            assert_eq!(linked, by_host, "{rows} rows of {dtype}");
        }
    }
}

#[test]
fn ranks_pass_arrays_in_pairs_before_there_is_a_link_of_all() {
    for size in 3..6 {
        let groups = worlds(size, Duration::from_secs(60));
        let ranks: Vec<ByLink> = groups.into_iter().map(|group| ByLink::new(group, Device::Cpu)).collect();
        for low in 0..size {
            for high in low + 1..size {
                let links: [ThreadLink; 2] =
                    ThreadLink::all_of(2).try_into().unwrap_or_else(|_| panic!("there are two"));
                for ((rank, other), link) in [(low, high), (high, low)].into_iter().zip(links) {
                    let group = ranks[rank].pair(other).group().clone();
                    assert_eq!((group.rank, &group.members), (usize::from(rank > other), &vec![low, high]));
                    ranks[rank].pairs.lock().unwrap().insert(other, Arc::new(over(group, Arc::new(link))));
                }
            }
        }
        let got: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let start = |(rank, transport): (usize, ByLink)| {
                scope.spawn(move || {
                    let x = numbers(rank, &[3, 2], DType::I32);
                    let got = around(&transport, rank, size, &x);
                    assert_eq!(mixed(&transport, rank, size, &x), got);
                    got
                })
            };
            let started: Vec<_> = ranks.into_iter().enumerate().map(start).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let wanted = |rank: usize| bytes_of(Some(numbers((rank + size - 1) % size, &[3, 2], DType::I32)));
        assert_eq!(got, (0..size).map(wanted).collect::<Vec<_>>(), "{size} ranks");
    }
}

/// A ring in which rank 1 receives before it sends, and all others do both at once.
fn mixed(transport: &dyn Transport, rank: usize, size: usize, x: &RawArray) -> Vec<u8> {
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let wanted = || Some(Wanted { from: before, shape: x.shape(), dtype: x.dtype });
    let pass = |name, sent: Option<(usize, &RawArray)>, wanted: Option<Wanted<'_>>| {
        transport.point_to_point(&PointToPoint { name, sent, wanted, handle: &x.handle }).unwrap()
    };
    if rank != 1 {
        return bytes_of(pass("send_receive", Some((next, x)), wanted()));
    }
    let got = pass("receive", None, wanted());
    pass("send", Some((next, x)), None);
    bytes_of(got)
}

/// A link whose work does not come to an end before it is given up.
#[derive(Default)]
struct Stuck {
    is_aborted: Arc<AtomicBool>,
    fates: Mutex<Vec<Fate>>,
}

struct NotDone(Arc<AtomicBool>);

impl EventHandle for NotDone {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_done(&self) -> Result<bool> {
        Ok(self.0.load(Ordering::Relaxed))
    }
}

impl Link for Stuck {
    fn joins(&self, _: DType, _: Joining) -> bool {
        true
    }

    fn queue(&self, _: Exchange<'_>, fate: &Fate) -> Result<Box<dyn EventHandle>> {
        self.fates.lock().unwrap().push(fate.clone());
        Ok(Box::new(NotDone(self.is_aborted.clone())))
    }

    fn abort(&self) {
        self.is_aborted.store(true, Ordering::Relaxed);
    }

    fn end(&self) {
        assert!(!self.is_aborted.load(Ordering::Relaxed));
    }
}

/// What two calls of rank 0 end with, whose rank 1 takes part in the first one only, then does what `other` says, and is there until the end.
fn fates(timeout: Duration, other: impl FnOnce(&Group) + Send) -> Vec<String> {
    let [group, others]: [Arc<Group>; 2] = worlds(2, timeout).try_into().unwrap_or_else(|_| panic!("there are two"));
    let link = Arc::new(Stuck::default());
    let transport = over(group.clone(), link.clone());
    let call = |group: &Arc<Group>| {
        let call = group.begin(Kind::AllReduce, &String::new).unwrap();
        call.meet(|_| 8, |_| 8).unwrap();
    };
    let (queued, ended) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            call(&others);
            queued.wait();
            other(&others);
            ended.wait();
        });
        call(&group);
        let x = numbers(0, &[1, 1], DType::F64);
        let call = group.begin(Kind::AllReduce, &String::new).unwrap();
        let exchange = Exchange::AllReduce { joining: Joining::Sum, x: x.view(), out: x.view() };
        let linked = transport.linked.get().unwrap();
        (0..2).for_each(|_| transport.run(&call, linked, exchange).unwrap());
        drop(call);
        queued.wait();
        // It waits until the work is given up.
        drop(transport);
        ended.wait();
    });
    assert!(link.is_aborted.load(Ordering::Relaxed));
    let fates = link.fates.lock().unwrap();
    fates.iter().map(|fate| fate.get().map_or("done".to_owned(), ToString::to_string)).collect()
}

#[test]
fn work_is_given_up_when_a_rank_fails() {
    let start = Instant::now();
    let fail = |group: &Group| {
        group.world.fail(Fault::Rank { rank: 1, reason: "was killed".to_owned() });
    };
    assert_eq!(fates(Duration::from_secs(60), fail), ["all_reduce: rank 1 was killed"; 2]);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn work_is_given_up_when_the_time_is_up_and_the_rank_that_did_not_come_is_named() {
    for fate in fates(Duration::from_millis(200), |_| ()) {
        let start = "all_reduce: rank 1 has not come to this call within 0.2 s: it is outside of calls, of which it has made 1;";
        assert!(fate.starts_with(start), "{fate}");
    }
}
