//! Timing of steps and of functions, beside `%timeit`.

use std::fmt;

/// Named steps and the time that each took. It waits for the device before it reads the clock (`%gpusync off` changes that).
pub struct Timer {}

/// The steps of a timer in their order, with the seconds of each; shown as a table.
pub struct Steps {}

impl Timer {
    /// A timer without steps.
    pub fn new(description: &str) -> Timer {
        todo!()
    }

    /// Does `work`, prints how long it took and adds that to the step of this name.
    ///
    /// A closure, as for devices: most steps make one value, and such a cell is one line.
    pub fn time<R>(&mut self, step: &str, work: impl FnOnce() -> R) -> R {
        todo!()
    }

    /// The steps so far.
    pub fn steps(&self) -> &Steps {
        todo!()
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

/// The time that a function takes on the host and on the device: mean, deviation, minimum and maximum.
pub struct BenchmarkResult {}

/// Calls `function` some times for warming up and `repeat` times for the statistics; `cupyx.profiler.benchmark`.
///
/// A closure instead of a function and its arguments: the call is written as it is elsewhere.
pub fn benchmark<R>(repeat: usize, function: impl FnMut() -> R) -> BenchmarkResult {
    todo!()
}

impl fmt::Display for BenchmarkResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}
