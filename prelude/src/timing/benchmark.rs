//! `benchmark`: the times of single calls on the host and on the device, with bandwidths, from a warm or a cold cache.
//!
//! Unlike [`timeit`](super::timeit()), which times many calls in a row, it waits for the device before and after each call,
//! as `cupyx.profiler.benchmark` does.

use super::ceiling::{self, Flush};
use super::device::{self, Mark, Queue};
use super::statistics::Statistics;
use super::table::{self, Table};
use super::{clock, format};
use crate::error::check;
use crate::setters::setters;
use std::fmt;
use std::sync::Arc;

/// How [`benchmark_with`] measures.
///
/// ```
/// use warpcell::timing::BenchmarkOptions;
/// let options = BenchmarkOptions::new().repeat(20).warmup(3).bytes(24_000_000).cold_cache();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkOptions {
    repeat: usize,
    warmup: Option<usize>,
    bytes: Option<u64>,
    cold: bool,
}

impl BenchmarkOptions {
    /// 10 calls, an automatic number of calls for warming up, a warm cache, no bandwidth.
    pub fn new() -> BenchmarkOptions {
        BenchmarkOptions { repeat: 10, warmup: None, bytes: None, cold: false }
    }

    setters! {
        /// The number of calls that are measured; at least one.
        pub fn repeat(repeat: usize) => repeat = repeat.max(1);

        /// The number of calls before these, which are not measured: they compile kernels, fill caches and pools. Without this
        /// they are 10, or as many as fit into 0.2 s, but at least one.
        pub fn warmup(calls: usize) => warmup = Some(calls);

        /// How many bytes a call reads from memory and writes to it: for `&a + &b` the bytes of three arrays. From that follows
        /// the bandwidth, and its share of what a copy on the same device reaches.
        pub fn bytes(bytes: usize) => bytes = Some(bytes as u64);

        /// Fills the device's last cache with other data before each call, so that every call reads from memory. A repeated call
        /// finds what fits into the cache there, which a call in a program may not.
        pub fn cold_cache() => cold = true;
    }
}

impl Default for BenchmarkOptions {
    fn default() -> BenchmarkOptions {
        BenchmarkOptions::new()
    }
}

/// Times of single calls, in seconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallTimes {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (of the population).
    pub std: f64,
    /// The one in the middle.
    pub median: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// All of them, in the order of the calls.
    pub all: Vec<f64>,
}

impl CallTimes {
    fn new(all: Vec<f64>) -> CallTimes {
        let Statistics { mean, std, median, min, max } = Statistics::of(&all);
        CallTimes { mean, std, median, min, max, all }
    }
}

/// What [`benchmark()`] measured. `Display` and `Debug` write a table; as the value of a cell it is one in HTML.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct BenchmarkResult {
    /// Until the call returned. For work on a device that is the time to queue it.
    pub host: CallTimes,
    /// From the beginning of the call until the device had done its work, by events; none if timings do not wait for the
    /// device ([`set_synchronize`](super::set_synchronize)).
    pub device: Option<CallTimes>,
    /// How many calls were made before for warming up.
    pub warmup: usize,
    /// The bytes of a call, if they were given.
    pub bytes: Option<u64>,
    /// Whether the cache was cold at each call.
    pub cold_cache: bool,
    /// Bytes a second that a copy on the same device reads and writes, if the bytes of a call were given.
    pub ceiling: Option<f64>,
    /// The device's name.
    label: String,
}

/// Calls `function` some times for warming up and `repeat` times for the statistics, and gives the times of host and device;
/// CuPy's `cupyx.profiler.benchmark`.
///
/// It waits for the device before and after each call (unless `%gpusync off`, see
/// [`set_synchronize`](super::set_synchronize)). The device's time is that between two events around the call. What the
/// function returns is dropped behind the measurement.
///
/// **Panics** if work on the device failed.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let x = gpu::linspace(0.0, 1.0, 1000);
/// let result = gpu::timing::benchmark(5, || x.sin());
/// println!("{result}");
/// // prints, for example:
/// //                   mean      std   median      min      max
/// // host           12.3 μs   408 ns   12.1 μs   11.9 μs    13 μs
/// // device (cpu)   12.5 μs   410 ns   12.3 μs   12.1 μs  13.2 μs
/// // 5 calls, after 10 to warm up
/// assert_eq!(result.host.all.len(), 5);
/// ```
#[track_caller]
pub fn benchmark<R>(repeat: usize, function: impl FnMut() -> R) -> BenchmarkResult {
    benchmark_with(BenchmarkOptions::new().repeat(repeat), function)
}

/// As [`benchmark()`], with options: the bytes that a call moves, for the bandwidth, and a cold cache.
///
/// **Panics** as [`benchmark()`] does, and if there is no memory for what a cold cache is filled with.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
/// use gpu::timing::{BenchmarkOptions, benchmark_with};
///
/// let x = gpu::zeros::<f32>(1 << 20);
/// let options = BenchmarkOptions::new().repeat(3).bytes(2 * x.nbytes()).cold_cache();
/// let result = benchmark_with(options, || &x + 1.0);
/// let gigabytes = result.bandwidth().unwrap() / 1e9;
/// println!("{gigabytes} GB/s, {} of what is possible", result.share_of_ceiling().unwrap());
/// ```
#[track_caller]
pub fn benchmark_with<R>(options: BenchmarkOptions, mut function: impl FnMut() -> R) -> BenchmarkResult {
    // Each call's result waits here until the clocks have been read.
    let mut result = None;
    run(&options, &mut |step| match step {
        Step::Call => result = Some(std::hint::black_box(function())),
        Step::Drop => result = None,
    })
}

/// What the measurement asks of the cell's code.
#[derive(Clone, Copy)]
enum Step {
    Call,
    /// Drops what the last call returned.
    Drop,
}

#[track_caller]
fn run(options: &BenchmarkOptions, work: &mut dyn FnMut(Step)) -> BenchmarkResult {
    let handle = check(crate::device::current());
    let flush = options.cold.then(|| check(Flush::new(&handle)));
    let mut make_cold = || {
        if let Some(flush) = &flush {
            check(flush.run());
            check(handle.backend.synchronize());
        }
    };
    let measured = measure(options, work, &mut make_cold, &clock::wall, device::watched());
    let ceiling = options.bytes.and_then(|_| check(ceiling::copy_bandwidth(&handle)));
    BenchmarkResult { ceiling, label: handle.device.to_string(), ..measured }
}

#[track_caller]
fn measure(
    options: &BenchmarkOptions,
    work: &mut dyn FnMut(Step),
    make_cold: &mut dyn FnMut(),
    now: &dyn Fn() -> f64,
    queue: Option<Arc<dyn Queue>>,
) -> BenchmarkResult {
    let warmup = warm_up(options.warmup, work, now, queue.as_deref());
    let (mut host, mut on_device) = (Vec::with_capacity(options.repeat), Vec::with_capacity(options.repeat));
    for _ in 0..options.repeat {
        make_cold();
        let mark = queue.clone().map(Mark::set);
        let start = now();
        work(Step::Call);
        let seconds = now() - start;
        host.push(seconds);
        on_device.extend(mark.map(|mark| mark.elapsed(seconds)));
        work(Step::Drop);
        crate::cell::check();
    }
    BenchmarkResult {
        host: CallTimes::new(host),
        device: queue.map(|_| CallTimes::new(on_device)),
        warmup,
        bytes: options.bytes,
        cold_cache: options.cold,
        ceiling: None,
        label: String::new(),
    }
}

/// Makes the calls that are not measured; gives their number.
#[track_caller]
fn warm_up(
    calls: Option<usize>,
    work: &mut dyn FnMut(Step),
    now: &dyn Fn() -> f64,
    queue: Option<&dyn Queue>,
) -> usize {
    const MOST: usize = 10;
    const LONG_ENOUGH: f64 = 0.2;
    let start = now();
    let mut done = 0;
    while done < calls.unwrap_or(MOST) && (calls.is_some() || done == 0 || now() - start < LONG_ENOUGH) {
        work(Step::Call);
        if let Some(queue) = queue {
            check(queue.synchronize());
        }
        work(Step::Drop);
        crate::cell::check();
        done += 1;
    }
    done
}

impl BenchmarkResult {
    /// Bytes a second that a call reads and writes, by the median of the device's times (or the host's, if there are none);
    /// `None` if the bytes of a call were not given.
    pub fn bandwidth(&self) -> Option<f64> {
        let times = self.device.as_ref().unwrap_or(&self.host);
        self.bytes.map(|bytes| bytes as f64 / times.median)
    }

    /// The bandwidth as a share of that of a copy on the same device: 1 is all that there is.
    pub fn share_of_ceiling(&self) -> Option<f64> {
        Some(self.bandwidth()? / self.ceiling?)
    }

    fn table(&self) -> Table {
        let mut table = Table::new(1, &["", "mean", "std", "median", "min", "max"]);
        let mut row = |name: String, times: &CallTimes| {
            let figures = [times.mean, times.std, times.median, times.min, times.max];
            table.row(std::iter::once(name).chain(figures.map(|seconds| format::time(seconds, 3))).collect());
        };
        row("host".into(), &self.host);
        if let Some(device) = &self.device {
            row(format!("device ({})", self.label), device);
        }
        table
    }

    /// What stands below the table.
    fn remarks(&self) -> String {
        let plural = |count: usize| if count == 1 { "call" } else { "calls" };
        let calls = self.host.all.len();
        let mut lines =
            vec![format!("{} {}, after {} to warm up", format::thousands(calls as u64), plural(calls), self.warmup)];
        if self.cold_cache {
            lines[0] += "; the cache was filled with other data before each call";
        }
        if let (Some(bytes), Some(bandwidth)) = (self.bytes, self.bandwidth()) {
            let mut line = format!("{} a call: {}", format::bytes(bytes), format::bandwidth(bandwidth));
            if let (Some(share), Some(ceiling)) = (self.share_of_ceiling(), self.ceiling) {
                let (share_text, ceiling) = (format::percent(share), format::bandwidth(ceiling));
                line += &format!(", {share_text} of the {ceiling} of a copy in memory");
                if share > 1.05 && !self.cold_cache {
                    line += "; this is more than memory can give, so part of the data came from the cache (see \
                             `cold_cache`)";
                }
            }
            lines.push(line);
        }
        lines.join("\n")
    }
}

impl fmt::Display for BenchmarkResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.table().text(), self.remarks())
    }
}

impl fmt::Debug for BenchmarkResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        table::write_rich(f, &self.to_string(), ["", &self.remarks()], &self.table(), String::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::fake::Fake;
    use expect_test::expect;
    use std::rc::Rc;

    /// A measurement of calls that take so many seconds on host and device, one after the other.
    fn measured(options: &BenchmarkOptions, times: &[(f64, Option<f64>)]) -> (BenchmarkResult, Vec<String>) {
        let fake = Rc::new(Fake::default());
        let mut calls = times.iter().cycle();
        let mut work = |step| match step {
            Step::Call => {
                fake.log.borrow_mut().push("call".into());
                let (host, device) = *calls.next().unwrap();
                fake.work(host, device);
            }
            Step::Drop => fake.log.borrow_mut().push("drop".into()),
        };
        let queue = times[0].1.map(|_| fake.queue());
        let mut make_cold = || fake.log.borrow_mut().push("flush".into());
        let result = measure(options, &mut work, &mut make_cold, &|| fake.host.get(), queue);
        (result, fake.log.take())
    }

    fn result(host: &[f64], device: Option<&[f64]>) -> BenchmarkResult {
        BenchmarkResult {
            host: CallTimes::new(host.to_vec()),
            device: device.map(|times| CallTimes::new(times.to_vec())),
            warmup: 10,
            bytes: None,
            cold_cache: false,
            ceiling: None,
            label: "cuda:0".into(),
        }
    }

    #[test]
    fn the_table_has_both_times() {
        let shown = result(&[10e-6, 12e-6, 11e-6, 27e-6], Some(&[2e-3, 2.5e-3, 2.25e-3, 2.25e-3]));
        expect![[r#"
                                 mean       std    median     min      max
            host                15 μs   6.96 μs   11.5 μs   10 μs    27 μs
            device (cuda:0)   2.25 ms    177 μs   2.25 ms    2 ms   2.5 ms
            4 calls, after 10 to warm up"#]]
        .assert_eq(&shown.to_string());
        assert_eq!(format!("{shown:?}"), shown.to_string());
        expect![[r#"
                     mean    std   median      min      max
            host   500 ms   0 ns   500 ms   500 ms   500 ms
            1 call, after 10 to warm up"#]]
        .assert_eq(&result(&[0.5], None).to_string());
    }

    #[test]
    fn bytes_give_the_bandwidth_and_its_share() {
        let with = |bytes, ceiling, cold_cache| BenchmarkResult {
            bytes: Some(bytes),
            ceiling,
            cold_cache,
            ..result(&[1e-5], Some(&[1e-3, 1e-3]))
        };
        let lines = |result: BenchmarkResult| result.remarks();
        expect![[r#"
            1 call, after 10 to warm up
            3.2 GB a call: 3,200 GB/s, 80 % of the 4,000 GB/s of a copy in memory"#]]
        .assert_eq(&lines(with(3_200_000_000, Some(4e12), false)));
        expect![[r#"
            1 call, after 10 to warm up; the cache was filled with other data before each call
            12 MB a call: 12 GB/s"#]]
        .assert_eq(&lines(with(12_000_000, None, true)));
        expect![[r#"
            1 call, after 10 to warm up
            24 MB a call: 24 GB/s, 240 % of the 10 GB/s of a copy in memory; this is more than memory can give, so part of the data came from the cache (see `cold_cache`)"#]]
        .assert_eq(&lines(with(24_000_000, Some(1e10), false)));
        assert_eq!(with(3_200_000_000, Some(4e12), false).share_of_ceiling(), Some(0.8));
        // Without the device's times, by the host's.
        let host_alone = BenchmarkResult { device: None, ..with(1000, None, false) };
        assert!((host_alone.bandwidth().unwrap() - 1e8).abs() < 1.0);
    }

    #[test]
    fn each_call_is_between_two_events_of_a_device_that_waits() {
        let options = BenchmarkOptions::new().repeat(1).warmup(1);
        let (result, log) = measured(&options, &[(1e-5, Some(2e-3))]);
        let expected = "call synchronize drop flush synchronize record call record synchronize drop";
        assert_eq!(log.join(" "), expected);
        assert!((result.host.mean - 1e-5).abs() < 1e-9);
        assert!((result.device.unwrap().mean - 2e-3).abs() < 1e-9);
    }

    #[test]
    fn warming_up_ends_after_ten_calls_or_a_fifth_of_a_second() {
        let warmup = |options: BenchmarkOptions, seconds| measured(&options, &[(seconds, None)]).0.warmup;
        assert_eq!(warmup(BenchmarkOptions::new(), 1e-3), 10);
        assert_eq!(warmup(BenchmarkOptions::new(), 0.09), 3);
        assert_eq!(warmup(BenchmarkOptions::new(), 7.0), 1);
        assert_eq!(warmup(BenchmarkOptions::new().warmup(2), 7.0), 2);
        assert_eq!(warmup(BenchmarkOptions::new().warmup(0), 7.0), 0);
    }

    #[test]
    fn without_waiting_only_the_host_is_timed() {
        let (result, log) = measured(&BenchmarkOptions::new().repeat(2).warmup(0), &[(0.25, None), (0.75, None)]);
        assert_eq!((result.device.is_none(), result.host.all), (true, vec![0.25, 0.75]));
        assert_eq!(log.join(" "), "flush call drop flush call drop");
    }
}
