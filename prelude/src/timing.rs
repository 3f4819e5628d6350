//! Timings: what `%timeit`, `%time` and `%gpusync` call, and what cells call themselves: [`benchmark()`] for the times of single
//! calls, [`Timer`] for named steps, [`profile()`] for the kernels and copies behind a cell.
//!
//! The magics of the kernel expand to calls of these functions; programs may call them too. Their reports go to standard
//! output in IPython's words and number format.
//!
//! Work on a device is queued: a call returns before its result is there. While timings synchronise (the default,
//! see [`set_synchronize`]), each measurement waits for the device once, after its last call, takes the device's time
//! by events, and reports it beside the host's if the two differ.

mod benchmark;
pub(crate) mod ceiling;
mod clock;
mod device;
#[cfg(test)]
mod fake;
pub(crate) mod format;
mod once;
mod profile;
mod statistics;
pub(crate) mod table;
mod timeit;
mod timer;

pub use benchmark::{BenchmarkOptions, BenchmarkResult, CallTimes, benchmark, benchmark_with};
pub use device::{gpusync, set_synchronize};
pub use once::{gpusync_begin, gpusync_end, gpusync_value, time_begin, time_end, time_value};
#[cfg(test)]
pub(crate) use profile::run as run_profile;
pub use profile::{Profile, ProfileEntry, WorkKind, profile};
pub use timeit::{DeviceTimes, TimeitOptions, TimeitResult, timeit};
pub use timer::{Steps, Timer};
