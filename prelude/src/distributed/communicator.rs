//! [`Communicator`]: ranks that compute together, and the calls that they make together.

use super::choice::{Capability, TRANSPORT_VARIABLE, Wish};
use super::linked::ByLink;
use super::mailbox::{Fault, Kind, Mailbox};
use super::tcp::Tcp;
use super::transport::{ByHost, Collective, PointToPoint, Reduction, Transport, Wanted};
use super::world::{Group, PANICKED, Settings, Threads, World};
use super::{environment, rendezvous};
use crate::array::{DeviceArray, IntoShape, RawArray};
use crate::device::{self, Device};
use crate::dtype::{Element, RealNumber};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use std::any::Any;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Ranks that compute together: threads of this process ([`local`](Self::local)), or processes on one host or on many
/// ([`from_env`](Self::from_env)). Each rank has a number, a device and its own arrays; what concerns all of them is a call that **all
/// make in the same order**, with arrays of the same shape and type.
///
/// Cloning is cheap: the clone is the same rank. A rank uses its communicator from one thread at a time.
///
/// If each rank has a CUDA device of its own and NCCL is installed, elements travel from device to device by NCCL. Such a call is queued as
/// other work of its arrays is, and may return before it is done. Otherwise elements travel by way of the host's memory, over TCP
/// between processes; then a call waits for the other ranks. `{:?}` says which it is, and `WARPCELL_DISTRIBUTED_TRANSPORT` (`nccl`, `host`)
/// can say which it is to be.
///
/// Integers are exact, and all ranks have the same bits. For floats, the sum of the elements `x` of `n` ranks differs from the exact one by
/// at most `(n - 1) · u · Σ|x|` and terms of `u²`, where `u` is 2⁻⁵³ for `f64` and 2⁻²⁴ for `f32`, and for `f16` and `bf16` 2⁻¹¹ and 2⁻⁸; a mean by
/// at most `(n + 1) · u · Σ|x| / n`. By way of the host elements are added in the order of ranks, and `f16` and `bf16` in `f32`, so that they are
/// rounded once. NCCL adds in an order of its own, and rounds each time.
///
/// **If something goes wrong** on one rank, all others get an error that names it, and the communicator cannot be used any more: a process
/// that is killed, or a thread that panics, is noticed at once. A rank that does not come to a call is noticed after a time: 300 s,
/// [`set_timeout`](Self::set_timeout), or `WARPCELL_DISTRIBUTED_TIMEOUT` in seconds. Ranks that make different calls get an error
/// as soon as that shows; with `WARPCELL_DISTRIBUTED_CHECK=1` all compare their calls, shapes and types before each, and the error names two
/// ranks and their calls. An interrupt of the cell ends the wait. Where a call has returned before it was done, the error comes where the
/// host waits for its result, and from the next call. What was computed from the result cannot be used, all other arrays can.
///
/// Nothing is encrypted: use a network that you trust.
///
/// ```
/// use warpcell as gpu;
/// use gpu::distributed::{Communicator, Reduction};
/// let sums = Communicator::local(4).run(|ranks| {
///     let x = gpu::full(3, ranks.rank() as f64);
///     ranks.all_reduce(&x, Reduction::Sum).get(&[0])
/// });
/// assert_eq!(sums, [6.0; 4]); // 0 + 1 + 2 + 3, on each rank
/// ```
#[derive(Clone)]
pub struct Communicator {
    pub(super) group: Arc<Group>,
    pub(super) transport: Arc<dyn Transport>,
    device: Device,
}

impl std::panic::UnwindSafe for Communicator {}
impl std::panic::RefUnwindSafe for Communicator {}

/// What can be given to [`Communicator::local`]: a number of ranks, or their devices. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` says no ranks",
    label = "expected a number of ranks, or their devices",
    note = "give a number such as `4`, or devices such as `gpu::devices()`"
)]
pub trait IntoRanks {
    /// The device of each rank.
    #[doc(hidden)]
    fn devices(self) -> Vec<Device>;
}

impl IntoRanks for usize {
    fn devices(self) -> Vec<Device> {
        let devices = crate::devices();
        (0..self).map(|rank| devices[rank % devices.len()]).collect()
    }
}

impl IntoRanks for Vec<Device> {
    fn devices(self) -> Vec<Device> {
        self
    }
}

impl IntoRanks for &[Device] {
    fn devices(self) -> Vec<Device> {
        self.to_vec()
    }
}

impl<const N: usize> IntoRanks for [Device; N] {
    fn devices(self) -> Vec<Device> {
        self.to_vec()
    }
}

/// The ranks of a communicator within this process, made by [`Communicator::local`]: [`run`](Self::run) gives each a thread.
///
/// To start the threads yourself, move each of [`into_vec`](Self::into_vec) to one.
pub struct LocalRanks {
    ranks: Vec<Communicator>,
}

impl LocalRanks {
    /// Does `work` on all ranks at the same time, each in a thread with its device as the current one. Gives the results by rank.
    ///
    /// **Panics** if `work` panics on a rank, with the message of the first one. The other ranks get an error where they wait for it.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let ranks = gpu::distributed::Communicator::local(3);
    /// assert_eq!(ranks.run(|ranks| ranks.rank() * 10), [0, 10, 20]);
    /// ```
    #[track_caller]
    pub fn run<R: Send>(self, work: impl Fn(&Communicator) -> R + Sync) -> Vec<R> {
        let failures: Mutex<Vec<(usize, Box<dyn Any + Send>)>> = Mutex::default();
        let on_rank = |ranks: Communicator| {
            let done = catch_unwind(AssertUnwindSafe(|| ranks.device.with(|| work(&ranks))));
            done.map_err(|payload| {
                let rank = ranks.rank();
                failures.lock().unwrap_or_else(PoisonError::into_inner).push((rank, payload));
                ranks.group.world.fail(Fault::Rank { rank, reason: PANICKED.to_owned() });
            })
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let start = |ranks: Communicator| {
                let name = format!("rank {}", ranks.rank());
                std::thread::Builder::new().name(name).spawn_scoped(scope, || on_rank(ranks))
            };
            let started: Vec<_> = self.ranks.into_iter().map(start).collect();
            let joined = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, _>>| {
                thread.map(|thread| thread.join().expect("panics are caught"))
            };
            started.into_iter().map(joined).collect()
        });
        if let Some((rank, payload)) = failures.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().next()
        {
            let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
            match text {
                Some(text) => panic!("rank {rank}: {text}"),
                // An interrupt.
                None => resume_unwind(payload),
            }
        }
        let result = |result: std::io::Result<std::result::Result<R, ()>>| match result {
            Ok(result) => result.expect("nothing has panicked"),
            Err(error) => panic!("a thread for a rank cannot be started: {error}; use fewer ranks"),
        };
        results.into_iter().map(result).collect()
    }

    /// The ranks themselves. All of them must be in use at the same time, each in a thread of its own.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let ranks = gpu::distributed::Communicator::local(2).into_vec();
    /// let threads: Vec<_> = ranks.into_iter().map(|rank| std::thread::spawn(move || rank.barrier())).collect();
    /// threads.into_iter().for_each(|thread| thread.join().unwrap());
    /// ```
    pub fn into_vec(self) -> Vec<Communicator> {
        self.ranks
    }
}

impl Communicator {
    /// A communicator within this process: a rank for each device of a list, such as `gpu::devices()`, or so many ranks on the
    /// devices that there are, in turn. Without a GPU they share the CPU: so a program for many GPUs can be tried anywhere.
    ///
    /// **Panics** if there is no rank or a device cannot be used, or if `WARPCELL_DISTRIBUTED_TIMEOUT` or `WARPCELL_DISTRIBUTED_CHECK` have no
    /// meaning.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::distributed::Communicator;
    /// let sizes = Communicator::local(gpu::devices()).run(|ranks| ranks.size());
    /// assert_eq!(sizes[0], gpu::devices().len());
    /// ```
    #[track_caller]
    pub fn local(ranks: impl IntoRanks) -> LocalRanks {
        check(Communicator::try_local(ranks))
    }

    /// As [`local`](Self::local), but returns the error.
    pub fn try_local(ranks: impl IntoRanks) -> Result<LocalRanks> {
        const NAME: &str = "Communicator::local";
        let settings = Settings::read(NAME, &|name| std::env::var(name).ok())?;
        local_of(NAME, ranks.devices(), settings)
    }

    /// A communicator of processes that a launcher has started, one for each rank: `mpirun`, `srun`, `torchrun`, a Job of Kubernetes, or
    /// you. All processes call it once, at the start.
    ///
    /// It reads `RANK`, `WORLD_SIZE` and `LOCAL_RANK`, or what Open MPI, MPICH or SLURM set in their place. Rank 0 listens at
    /// `MASTER_ADDR` and `MASTER_PORT`, and the others find it there. On one host, and in jobs of SLURM, these need not be set, nor is the
    /// port if the launcher numbers its jobs. The device of the rank's number on its host becomes the current one ([`set_device`](crate::set_device)).
    ///
    /// Ranks that have ended without dropping the communicator, as by `std::process::exit`, count as failed.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] with the name of the variable, if one is missing or wrong. [`Error::RankFailed`] if a rank has not
    /// come within the time that `WARPCELL_DISTRIBUTED_TIMEOUT` sets, 300 s if it is not set.
    ///
    /// ```no_run
    /// use gpu::distributed::{Communicator, Reduction};
    /// use warpcell as gpu;
    /// let ranks = Communicator::from_env(); // mpirun -n 4 program
    /// let part = gpu::full(1, ranks.rank() as i64);
    /// println!("{:?}: {}", ranks, ranks.all_reduce(&part, Reduction::Sum));
    /// ```
    #[track_caller]
    pub fn from_env() -> Communicator {
        check(Communicator::try_from_env())
    }

    /// As [`from_env`](Self::from_env), but returns the error.
    pub fn try_from_env() -> Result<Communicator> {
        const NAME: &str = "Communicator::from_env";
        let variable = |name: &str| std::env::var(name).ok();
        let settings = Settings::read(NAME, &variable)?;
        let place = environment::read(&variable)?;
        let met = rendezvous::meet(&place, settings.timeout)?;
        // Of ranks on the same host, each takes the next device.
        let before = || met.hosts[..place.rank].iter().filter(|host| **host == met.hosts[place.rank]).count();
        let devices = crate::devices();
        let device = devices[place.local_rank.unwrap_or_else(before) % devices.len()];
        crate::try_set_device(device)?;
        let mailbox = Arc::new(Mailbox::new(place.size));
        let post = Tcp::new(place.rank, met.streams, &mailbox).map_err(|error| {
            Error::argument(NAME, format!("the connections cannot be used: {error}; allow more open files and threads"))
        })?;
        let world = World::new(place.rank, met.hosts, mailbox, Box::new(post), settings);
        let group = Group::of_all(Arc::new(world));
        let own = serde_json::to_string(&Capability::of(device, settings.wish)?).expect("text and numbers");
        let parsed =
            |text: String| serde_json::from_str(&text).map_err(|error| Error::argument(NAME, error.to_string()));
        let all = group.tell(NAME, own)?.into_iter().map(parsed).collect::<Result<Vec<Capability>>>()?;
        Communicator::of_all(NAME, group, device, all, settings.wish)
    }

    /// All ranks, of which each has said what it can.
    fn of_all(
        name: &'static str,
        group: Group,
        device: Device,
        all: Vec<Capability>,
        wish: Wish,
    ) -> Result<Communicator> {
        let _ = group.world.capabilities.set(all);
        match group.obstacle() {
            Some(obstacle) if wish == Wish::Nccl && group.size() > 1 => {
                let reason = format!(
                    "{TRANSPORT_VARIABLE} is nccl, but {obstacle}; to go by way of the host: {TRANSPORT_VARIABLE}=host"
                );
                Err(Error::argument(name, reason))
            }
            _ => Ok(Communicator::of(group, device)),
        }
    }

    fn of(group: Group, device: Device) -> Communicator {
        let group = Arc::new(group);
        let is_linked = group.size() > 1 && group.obstacle().is_none();
        let transport: Arc<dyn Transport> = match is_linked {
            true => Arc::new(ByLink::new(group.clone(), device)),
            false => Arc::new(ByHost { group: group.clone() }),
        };
        Communicator { transport, group, device }
    }

    /// The number of this rank, from 0 on.
    pub fn rank(&self) -> usize {
        self.group.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// The device of this rank, on which arrays are made in [`LocalRanks::run`] and after [`from_env`](Self::from_env).
    pub fn device(&self) -> Device {
        self.device
    }

    /// Where a rank runs: the name of its host, or its device if all are in this process.
    ///
    /// **Panics** if there is no such rank.
    pub fn place(&self, rank: usize) -> &str {
        &self.group.world.places[self.group.members[rank]]
    }

    /// How long a call waits for other ranks.
    pub fn timeout(&self) -> Duration {
        self.group.world.timeout()
    }

    /// Sets how long calls of this rank wait for other ranks, in all communicators that were split from one.
    pub fn set_timeout(&self, timeout: Duration) {
        self.group.world.set_timeout(timeout);
    }

    fn root(&self, kind: Kind, root: usize) -> Result<()> {
        self.member(kind.name(), root)
    }

    pub(super) fn member(&self, operation: &'static str, rank: usize) -> Result<()> {
        if rank < self.size() {
            return Ok(());
        }
        let last = self.size() - 1;
        let reason = format!("there is no rank {rank}; ranks go from 0 to {last}");
        Err(Error::argument(operation, reason))
    }

    fn divided(&self, kind: Kind, x: &RawArray) -> Result<usize> {
        match x.shape().first() {
            Some(length) if length % self.size() == 0 => Ok(length / self.size()),
            _ => {
                let reason = format!(
                    "cannot be cut into {} equal parts along axis 0; give it a length that is a multiple of {}",
                    self.size(),
                    self.size()
                );
                Err(Error::shape(kind.name(), x.shape(), reason))
            }
        }
    }

    fn get<T: Element>(&self, collective: Collective<'_>) -> Result<DeviceArray<T>> {
        let raw = self.transport.execute(collective)?;
        Ok(DeviceArray::from_raw(raw.expect("each rank gets an array")))
    }

    fallible! {
        /// The elements of all ranks, reduced; MPI's `Allreduce`. All ranks get the same array, of the shape and type of the one given.
        ///
        /// `u16` and `i16` are computed in a wider type and wrap at the end. See [`Communicator`] for how floats are rounded.
        ///
        /// **Panics** if a rank fails or does not come ([`Error::RankFailed`]), if ranks call different things
        /// ([`Error::RanksDisagree`]), or if there is not enough memory. Bools and complex numbers are reduced as numbers and as parts.
        ///
        /// By way of the host, each rank reduces a part of the elements and sends it to the others (Rabenseifner's algorithm, without
        /// halving).
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::{Communicator, Reduction};
        /// let means = Communicator::local(2).run(|ranks| {
        ///     let x = gpu::array(&[ranks.rank() as f32, 5.0]);
        ///     ranks.all_reduce(&x, Reduction::Average).tolist()
        /// });
        /// assert_eq!(means, [[0.5, 5.0], [0.5, 5.0]]);
        /// ```
        pub fn all_reduce, try_all_reduce<T: RealNumber>(&self, x: &DeviceArray<T>, reduction: Reduction) -> Result<DeviceArray<T>> {
            self.get(Collective::AllReduce(&x.raw, reduction))
        }

        /// The array of one rank, `root`, on all; MPI's `Bcast`. The other ranks give an array of the same shape, whose elements do not count.
        ///
        /// **Panics** if there is no such rank, and as [`all_reduce`](Self::all_reduce) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::Communicator;
        /// let got = Communicator::local(3).run(|ranks| ranks.broadcast(&gpu::full(2, ranks.rank() as i32), 1).tolist());
        /// assert_eq!(got, [[1, 1], [1, 1], [1, 1]]);
        /// ```
        pub fn broadcast, try_broadcast<T: Element>(&self, x: &DeviceArray<T>, root: usize) -> Result<DeviceArray<T>> {
            self.root(Kind::Broadcast, root)?;
            self.get(Collective::Broadcast(&x.raw, root))
        }

        /// As [`all_reduce`](Self::all_reduce), but only the rank `root` gets the result; MPI's `Reduce`. The others get `None`.
        ///
        /// **Panics** as that does, and if there is no such rank.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::{Communicator, Reduction};
        /// let most = Communicator::local(3).run(|ranks| {
        ///     let x = gpu::full(1, ranks.rank() as i64);
        ///     ranks.reduce(&x, Reduction::Max, 0).map(|most| most.item())
        /// });
        /// assert_eq!(most, [Some(2), None, None]);
        /// ```
        pub fn reduce, try_reduce<T: RealNumber>(&self, x: &DeviceArray<T>, reduction: Reduction, root: usize) -> Result<Option<DeviceArray<T> > > {
            self.root(Kind::Reduce, root)?;
            Ok(self.transport.execute(Collective::Reduce(&x.raw, reduction, root))?.map(DeviceArray::from_raw))
        }

        /// The arrays of all ranks, one behind the other along axis 0, on all; MPI's `Allgather`. They have the same shape; numbers, arrays
        /// without axes, become an array with one.
        ///
        /// **Panics** as [`all_reduce`](Self::all_reduce) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::Communicator;
        /// let got = Communicator::local(2).run(|ranks| ranks.all_gather(&gpu::full(2, ranks.rank() as u8)).tolist());
        /// assert_eq!(got, [[0, 0, 1, 1], [0, 0, 1, 1]]);
        /// ```
        pub fn all_gather, try_all_gather<T: Element>(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
            let raw = crate::array::with_rank("all_gather", &x.raw, 1)?;
            let counts = vec![raw.shape()[0]; self.size()];
            self.get(Collective::AllGather(&raw, &counts))
        }

        /// The elements of all ranks, reduced, of which each rank gets its part: of as many parts along axis 0 as there are ranks; MPI's
        /// `Reduce_scatter_block`.
        ///
        /// **Panics** if the length along axis 0 is no multiple of the number of ranks ([`Error::InvalidShape`]), and as
        /// [`all_reduce`](Self::all_reduce) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::{Communicator, Reduction};
        /// let parts = Communicator::local(2).run(|ranks| ranks.reduce_scatter(&gpu::arange(4i32), Reduction::Sum).tolist());
        /// assert_eq!(parts, [[0, 2], [4, 6]]);
        /// ```
        pub fn reduce_scatter, try_reduce_scatter<T: RealNumber>(&self, x: &DeviceArray<T>, reduction: Reduction) -> Result<DeviceArray<T>> {
            self.divided(Kind::ReduceScatter, &x.raw)?;
            self.get(Collective::ReduceScatter(&x.raw, reduction))
        }

        /// Sends to each rank its part, of as many parts along axis 0 as there are ranks, and gets one of each, one behind the
        /// other; MPI's `Alltoall`.
        ///
        /// **Panics** as [`reduce_scatter`](Self::reduce_scatter) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::Communicator;
        /// let got = Communicator::local(2).run(|ranks| {
        ///     let first = 10 * ranks.rank() as i32;
        ///     ranks.all_to_all(&gpu::array(&[first, first + 1])).tolist()
        /// });
        /// assert_eq!(got, [[0, 10], [1, 11]]);
        /// ```
        pub fn all_to_all, try_all_to_all<T: Element>(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
            let counts = vec![self.divided(Kind::AllToAll, &x.raw)?; self.size()];
            self.get(Collective::AllToAll(&x.raw, &counts, &counts))
        }

        /// Sends an array to another rank, and waits until that rank [`receive`](Self::receive)s it. Then the elements travel as those of a
        /// call of all ranks do, and other ranks need not take part. MPI's `Ssend`.
        ///
        /// Two ranks that send to each other would wait for each other: let one of them receive first, or call
        /// [`send_receive`](Self::send_receive).
        ///
        /// **Panics** if there is no such rank or it is this one, if both ranks send to each other, and as [`all_reduce`](Self::all_reduce) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::Communicator;
        /// let got = Communicator::local(2).run(|ranks| {
        ///     if ranks.rank() == 0 {
        ///         ranks.send(&gpu::arange(3i64), 1);
        ///         return 0;
        ///     }
        ///     ranks.receive::<i64>(0, 3).sum()
        /// });
        /// assert_eq!(got, [0, 3]);
        /// ```
        pub fn send, try_send<T: Element>(&self, x: &DeviceArray<T>, to: usize) -> Result<()> {
            self.point_to_point("send", Some((to, &x.raw)), None).map(drop)
        }

        /// Waits for an array that another rank [`send`](Self::send)s, of this shape and of type `T`. Several come in the order in which they
        /// were sent.
        ///
        /// **Panics** if the array has another shape or type ([`Error::RanksDisagree`]), and as [`send`](Self::send) does.
        ///
        /// ```
        /// # use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let got = Communicator::local(2).run(|ranks| match ranks.rank() {
        ///     0 => ranks.receive::<f32>(1, (2, 2)).sum(),
        ///     _ => {
        ///         ranks.send(&gpu::ones::<f32>((2, 2)), 0);
        ///         0.0
        ///     }
        /// });
        /// assert_eq!(got, [4.0, 0.0]);
        /// ```
        pub fn receive, try_receive<T: Element>(&self, from: usize, shape: impl IntoShape) -> Result<DeviceArray<T>> {
            let wanted = Wanted { from, shape: &shape.into_shape(), dtype: T::DTYPE };
            let got = self.point_to_point("receive", None, Some(wanted))?;
            Ok(DeviceArray::from_raw(got.expect("it was wanted")))
        }

        /// Sends an array to a rank and at the same time receives one of this shape and of the same type, from that rank or another one. So ranks
        /// in a ring, or two that exchange their arrays, do not wait for each other. MPI's `Sendrecv`: another rank may `send` and `receive` instead.
        ///
        /// **Panics** as [`send`](Self::send) and [`receive`](Self::receive) do.
        ///
        /// ```
        /// # use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let got = Communicator::local(3).run(|ranks| {
        ///     let (rank, size) = (ranks.rank(), ranks.size());
        ///     let x = gpu::full(2, rank as f32);
        ///     ranks.send_receive(&x, (rank + 1) % size, (rank + size - 1) % size, 2).tolist()
        /// });
        /// assert_eq!(got, [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]);
        /// ```
        pub fn send_receive, try_send_receive<T: Element>(
            &self, x: &DeviceArray<T>, to: usize, from: usize, shape: impl IntoShape
        ) -> Result<DeviceArray<T>> {
            let wanted = Wanted { from, shape: &shape.into_shape(), dtype: T::DTYPE };
            let got = self.point_to_point("send_receive", Some((to, &x.raw)), Some(wanted))?;
            Ok(DeviceArray::from_raw(got.expect("it was wanted")))
        }

        /// Waits until all ranks have called it, and the work that was queued before is done; MPI's `Barrier`.
        ///
        /// **Panics** as [`all_reduce`](Self::all_reduce) does.
        ///
        /// ```
        /// use warpcell::distributed::Communicator;
        /// Communicator::local(4).run(|ranks| ranks.barrier());
        /// ```
        pub fn barrier, try_barrier(&self) -> Result<()> {
            device::open(self.device)?.backend.synchronize()?;
            let call = self.group.begin(Kind::Barrier, &String::new)?;
            for to in self.group.others() {
                call.send(to, Vec::new())?;
            }
            self.group.others().try_for_each(|from| call.receive(from).map(drop))
        }

        /// Divides the ranks into groups: those that give the same colour form a new communicator; MPI's `Comm_split`. In it they are
        /// numbered by `key`, and those of one key as before. A rank that gives `None` is in no group, and gets `None`.
        ///
        /// The new communicator belongs to the old one: a failure ends both.
        ///
        /// **Panics** as [`all_reduce`](Self::all_reduce) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::distributed::{Communicator, Reduction};
        /// let sums = Communicator::local(4).run(|ranks| {
        ///     let pair = ranks.split(Some(ranks.rank() as u32 / 2), 0).unwrap(); // ranks 0 and 1, ranks 2 and 3
        ///     pair.all_reduce(&gpu::full(1, ranks.rank() as i64), Reduction::Sum).item()
        /// });
        /// assert_eq!(sums, [1, 1, 5, 5]);
        /// ```
        pub fn split, try_split(&self, colour: Option<u32>, key: i64) -> Result<Option<Communicator> > {
            let call = self.group.begin(Kind::Split, &String::new)?;
            let own = [colour.map_or(-1, i64::from), key];
            let bytes: Vec<u8> = own.iter().flat_map(|number| number.to_be_bytes()).collect();
            for to in self.group.others() {
                call.send(to, bytes.clone())?;
            }
            let mut members = Vec::new();
            for from in 0..self.size() {
                let [of, key] = if from == self.rank() { own } else { numbers(&call.receive_exact(from, 16)?) };
                if of == own[0] {
                    members.push((key, from));
                }
            }
            members.sort_unstable();
            if colour.is_none() {
                return Ok(None);
            }
            let mut hasher = DefaultHasher::new();
            (self.group.id, call.number(), own[0]).hash(&mut hasher);
            let members = members.into_iter().map(|(_, member)| self.group.members[member]).collect();
            Ok(Some(Communicator::of(self.group.of_some(hasher.finish(), members), self.device)))
        }
    }

    fn point_to_point(
        &self,
        name: &'static str,
        sent: Option<(usize, &RawArray)>,
        wanted: Option<Wanted<'_>>,
    ) -> Result<Option<RawArray>> {
        let others = sent.iter().map(|(to, _)| *to).chain(wanted.iter().map(|wanted| wanted.from));
        others.into_iter().try_for_each(|other| self.other(name, other))?;
        let handle = device::open(self.device)?;
        self.transport.point_to_point(&PointToPoint { name, sent, wanted, handle: &handle })
    }

    fn other(&self, operation: &'static str, rank: usize) -> Result<()> {
        self.member(operation, rank)?;
        if rank != self.rank() {
            return Ok(());
        }
        let reason = format!("rank {rank} is this rank; name another one");
        Err(Error::argument(operation, reason))
    }
}

fn numbers(bytes: &[u8]) -> [i64; 2] {
    let number = |at: usize| i64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    [number(0), number(8)]
}

/// Ranks in this process, with these devices.
pub(super) fn local_of(name: &'static str, devices: Vec<Device>, settings: Settings) -> Result<LocalRanks> {
    if devices.is_empty() {
        return Err(Error::argument(name, "there must be a rank at least; give a number from 1 on"));
    }
    // What cannot be used is found here, and not by one of the ranks.
    let all = devices.iter().map(|&device| Capability::of(device, settings.wish)).collect::<Result<Vec<_>>>()?;
    let places: Vec<String> = devices.iter().map(ToString::to_string).collect();
    let worlds = Threads::worlds(&places, settings);
    let rank = |(world, device)| {
        Communicator::of_all(name, Group::of_all(Arc::new(world)), device, all.clone(), settings.wish)
    };
    Ok(LocalRanks { ranks: worlds.into_iter().zip(devices).map(rank).collect::<Result<_>>()? })
}

/// The rank, the number of ranks, the device, and what carries the elements.
impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.size(), self.device)?;
        if self.size() > 1 {
            write!(f, ", by {}", self.transport.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for LocalRanks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.ranks).finish()
    }
}
