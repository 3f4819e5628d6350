//! Timings of cells: what `%timeit`, `%time` and `%gpusync` call.
//!
//! The magics of the kernel expand to calls of these functions; programs may call them too. Reports go to standard
//! output in IPython's words and number format.
//!
//! Work on a device is queued: a call returns before its result is there. While timings synchronise (the default,
//! see [`set_synchronize`]), each measurement waits for the device once, after its last call, takes the device's time
//! by events, and reports it beside the host's if the two differ.

mod clock;
mod device;
mod format;
mod once;
mod timeit;

pub use device::{gpusync, set_synchronize};
pub use once::{gpusync_begin, gpusync_end, gpusync_value, time_begin, time_end, time_value};
pub use timeit::{DeviceTimes, TimeitOptions, TimeitResult, timeit};
