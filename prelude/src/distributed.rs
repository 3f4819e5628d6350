//! Many GPUs and many processes: ranks that make calls together, and arrays that are split over them.
//!
//! A [`Communicator`] joins ranks. They are threads of this process, one for each GPU ([`Communicator::local`]), or processes that
//! `mpirun`, `srun`, `torchrun` or Kubernetes have started ([`Communicator::from_env`]). Without a GPU all of it works on the CPU, so programs can be
//! tried on a laptop. All ranks run the same program, and each has a part of the work.
//!
//! ```
//! use warpcell as gpu;
//! use gpu::distributed::{Communicator, Reduction};
//! // An estimate of π by four ranks: each draws points of its own.
//! let estimates = Communicator::local(4).run(|ranks| {
//!     let points = 100_000;
//!     let mut generator = gpu::random::default_rng(ranks.rank() as u64);
//!     let (x, y) = (generator.random(points), generator.random(points));
//!     let inside = (x.square() + y.square()).le(1.0).astype::<i64>().sum();
//!     let all = ranks.all_reduce(&gpu::full(1, inside), Reduction::Sum).item();
//!     4.0 * all as f64 / (points * ranks.size()) as f64
//! });
//! assert!((estimates[0] - std::f64::consts::PI).abs() < 0.02);
//! assert!(estimates.iter().all(|estimate| estimate == &estimates[0]));
//! ```

mod choice;
mod communicator;
mod environment;
mod linked;
mod mailbox;
mod rendezvous;
mod sharded;
mod tcp;
mod transport;
mod watch;
mod world;

pub use communicator::{Communicator, IntoRanks, LocalRanks};
pub use sharded::Sharded;
pub use transport::Reduction;
