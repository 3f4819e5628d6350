//! `timeit`: many runs of a statement, as IPython's `%timeit` does them.

use super::device::{self, Mark, Queue};
use super::statistics::Statistics;
use super::{clock, format};
use crate::setters::setters;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How [`timeit`] measures: the options of `%timeit`.
///
/// ```
/// use warpcell::timing::TimeitOptions;
/// let options = TimeitOptions::new().loops(10).repeat(3).precision(4).quiet();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeitOptions {
    loops: Option<u64>,
    repeat: usize,
    precision: usize,
    quiet: bool,
    cpu_time: bool,
}

impl TimeitOptions {
    /// An automatic number of loops, 7 runs, 3 digits, wall time, with a report.
    pub fn new() -> TimeitOptions {
        TimeitOptions { loops: None, repeat: 7, precision: 3, quiet: false, cpu_time: false }
    }

    setters! {
        /// Calls per run (`-n`); at least one.
        pub fn loops(loops: u64) => loops = Some(loops.max(1));

        /// Number of runs (`-r`); at least one.
        pub fn repeat(repeat: usize) => repeat = repeat.max(1);

        /// Significant digits of the report (`-p`).
        pub fn precision(precision: usize) => precision = precision;

        /// Prints nothing (`-q`).
        pub fn quiet() => quiet = true;

        /// Measures the CPU time of the process, all threads together, instead of wall time (`-c`).
        pub fn cpu_time() => cpu_time = true;
    }
}

impl Default for TimeitOptions {
    fn default() -> TimeitOptions {
        TimeitOptions::new()
    }
}

/// What [`timeit`] measured; times are in seconds. `Display` and `Debug` write the report.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct TimeitResult {
    /// Mean time of one call on the host. For work on a device that is the time to queue it; see `device`.
    pub average: f64,
    /// Standard deviation of the runs' times per call (of the population, as in IPython).
    pub stdev: f64,
    /// Time per call in the fastest run.
    pub best: f64,
    /// Time per call in the slowest run.
    pub worst: f64,
    /// Calls per run.
    pub loops: u64,
    /// Number of runs.
    pub repeat: usize,
    /// The time of each run: of `loops` calls.
    pub all_runs: Vec<f64>,
    /// The time that the compiler took for the whole cell; none in a program without a kernel.
    pub compile_time: Option<f64>,
    /// The same on the device, if timings waited for one and measured wall time.
    pub device: Option<DeviceTimes>,
    precision: usize,
}

/// Times on the device, in seconds, from the first call of a run until the device had done all of its work.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceTimes {
    /// Mean time of one call.
    pub average: f64,
    /// Standard deviation of the runs' times per call.
    pub stdev: f64,
    /// Time per call in the fastest run.
    pub best: f64,
    /// Time per call in the slowest run.
    pub worst: f64,
    /// The time of each run.
    pub all_runs: Vec<f64>,
}

/// Times many calls of `statement`, prints the report and returns the measurement. `%timeit` calls this.
///
/// The number of calls per run is 1, 2, 5, 10, 20, … until one run takes at least 0.2 s, unless it is given: so that run takes
/// no more than some 0.5 s, if no call takes longer. A run ends with one wait for the device (see
/// [`set_synchronize`](super::set_synchronize)).
///
/// **Panics** if work on the device failed.
///
/// Source of the procedure and of the report: `%timeit` of IPython; of the numbers of calls: `timeit.Timer.autorange` of Python,
/// with which a run is never ten times as long as it must be.
///
/// ```
/// use warpcell::timing::{TimeitOptions, timeit};
/// let result = timeit(TimeitOptions::new().loops(1000).repeat(3), || {
///     std::hint::black_box((0..100u64).sum::<u64>());
/// });
/// // prints, for example: 1.21 ns ± 0.08 ns per loop (mean ± std. dev. of 3 runs, 1,000 loops each)
/// assert_eq!((result.loops, result.repeat), (1000, 3));
/// ```
#[track_caller]
pub fn timeit(options: TimeitOptions, mut statement: impl FnMut()) -> TimeitResult {
    // The loop alone is compiled in each cell; the rest is compiled once, here.
    timeit_loops(options, &mut |loops| {
        for _ in 0..loops {
            statement();
        }
    })
}

#[track_caller]
fn timeit_loops(options: TimeitOptions, body: &mut dyn FnMut(u64)) -> TimeitResult {
    let wall: fn() -> f64 = clock::wall;
    let now = if options.cpu_time { || clock::cpu().total() } else { wall };
    let result = measure(&options, &mut |loops| call(body, loops), &now, device::watched());
    if !options.quiet {
        println!("{}", report(&result));
    }
    result
}

/// One run.
#[derive(Clone, Copy)]
struct Run {
    host: f64,
    device: Option<f64>,
}

#[track_caller]
fn measure(
    options: &TimeitOptions,
    body: &mut dyn FnMut(u64),
    now: &dyn Fn() -> f64,
    queue: Option<Arc<dyn Queue>>,
) -> TimeitResult {
    let mut run = |loops| {
        let mark = queue.clone().map(Mark::set);
        let wall = clock::wall();
        let start = now();
        body(loops);
        let host = now() - start;
        let wall = clock::wall() - wall;
        let device = mark.map(|mark| mark.elapsed(if options.cpu_time { wall } else { host }));
        Run { host, device }
    };
    let loops = options.loops.unwrap_or_else(|| automatic_loops(&mut run));
    let runs: Vec<Run> = (0..options.repeat).map(|_| run(loops)).collect();
    let all_runs: Vec<f64> = runs.iter().map(|run| run.host).collect();
    let host = Statistics::of_calls(&all_runs, loops);
    // CPU time and the device's time do not compare.
    let on_device: Option<Vec<f64>> = runs.iter().map(|run| run.device.filter(|_| !options.cpu_time)).collect();
    TimeitResult {
        average: host.mean,
        stdev: host.std,
        best: host.min,
        worst: host.max,
        loops,
        repeat: options.repeat,
        all_runs,
        compile_time: crate::cell::compile_time(),
        device: on_device.map(|all_runs| {
            let Statistics { mean, std, min, max, .. } = Statistics::of_calls(&all_runs, loops);
            DeviceTimes { average: mean, stdev: std, best: min, worst: max, all_runs }
        }),
        precision: options.precision,
    }
}

/// Calls the statement `loops` times, in parts that are short enough for an interrupt to be noticed soon.
#[track_caller]
fn call(body: &mut dyn FnMut(u64), loops: u64) {
    const SHORT: Duration = Duration::from_millis(20);
    // So few calls are long ones, or the user's own wish.
    const FEW: u64 = 1000;
    let mut part = 1;
    let mut done = 0;
    while done < loops {
        let count = part.min(loops - done);
        if loops < FEW {
            body(count);
        } else {
            let start = Instant::now();
            body(count);
            if start.elapsed() < SHORT {
                part = part.saturating_mul(2);
            }
        }
        done += count;
        crate::cell::check();
    }
}

/// 1, 2, 5, 10, 20, … up to 10⁹: the first number of calls that takes at least 0.2 s, on the host or on the device.
fn automatic_loops(run: &mut dyn FnMut(u64) -> Run) -> u64 {
    const LONG_ENOUGH: f64 = 0.2;
    const MOST: u64 = 1_000_000_000;
    let mut numbers = (0..).map(|decade| 10_u64.pow(decade)).flat_map(|ten| [ten, 2 * ten, 5 * ten]);
    numbers
        .find(|&loops| {
            let mut time = run(loops);
            if loops == 1 && time.device.is_some() && time.longest() >= LONG_ENOUGH {
                // The first call of device work may have compiled its kernels.
                time = run(loops);
            }
            time.longest() >= LONG_ENOUGH || loops == MOST
        })
        .unwrap_or(MOST)
}

impl Run {
    fn longest(self) -> f64 {
        self.device.map_or(self.host, |device| device.max(self.host))
    }
}

/// What is printed: IPython's warning about the slowest run, then the result.
fn report(result: &TimeitResult) -> String {
    let (best, worst) = (result.best, result.worst);
    if worst > 4.0 * best && best > 0.0 && worst > 1e-6 {
        return format!(
            "The slowest run took {:.2} times longer than the fastest. This could mean that an intermediate result \
             is being cached.\n{result}",
            worst / best
        );
    }
    result.to_string()
}

impl TimeitResult {
    /// The time per call in each run.
    pub fn timings(&self) -> Vec<f64> {
        self.all_runs.iter().map(|run| run / self.loops as f64).collect()
    }
}

impl fmt::Display for TimeitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |average, stdev| format::timeit(average, stdev, self.repeat, self.loops, self.precision);
        let host = line(self.average, self.stdev);
        let loops = self.loops as f64;
        match &self.device {
            Some(device) if device::differs(self.average * loops, device.average * loops) => write!(
                f,
                "Host time:   {host}\nDevice time: {}\n\
                 The host only queued the work and went on; the device was done after the device time.",
                line(device.average, device.stdev)
            ),
            _ => f.write_str(&host),
        }
    }
}

impl fmt::Debug for TimeitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::fake::Fake;
    use expect_test::expect;
    use std::rc::Rc;

    /// A measurement of a statement that takes `host` seconds to queue `device` seconds of work.
    fn measured(options: &TimeitOptions, host: f64, device: Option<f64>) -> (TimeitResult, Vec<String>) {
        let fake = Rc::new(Fake::default());
        let mut body = |loops: u64| {
            fake.log.borrow_mut().push(format!("{loops} calls"));
            fake.work(loops as f64 * host, device.map(|device| loops as f64 * device));
        };
        let queue = device.map(|_| fake.queue());
        let result = measure(options, &mut body, &|| fake.host.get(), queue);
        (result, fake.log.take())
    }

    fn result(loops: u64, all_runs: &[f64], precision: usize) -> TimeitResult {
        let Statistics { mean, std, min, max, .. } = Statistics::of_calls(all_runs, loops);
        TimeitResult {
            average: mean,
            stdev: std,
            best: min,
            worst: max,
            loops,
            repeat: all_runs.len(),
            all_runs: all_runs.to_vec(),
            compile_time: None,
            device: None,
            precision,
        }
    }

    /// From IPython 8.12:
    /// ```python
    /// from IPython.core.magics.execution import TimeitResult
    /// runs = [...]
    /// line = TimeitResult(loops, len(runs), min(runs) / loops, max(runs) / loops, runs, 0, precision)
    /// print(str(line).replace("\xb5", "μ"))
    /// ```
    #[test]
    fn lines_are_written_as_ipython_writes_them() {
        let seven = [0.0158, 0.0161, 0.0157, 0.0155, 0.0159, 0.0149, 0.0166];
        for (loops, runs, precision, expected) in [
            (1, &[0.5][..], 3, "500 ms ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each)"),
            (5, &seven, 3, "3.16 ms ± 97.1 μs per loop (mean ± std. dev. of 7 runs, 5 loops each)"),
            (
                10_000_000,
                &[0.21, 0.22, 0.215],
                3,
                "21.5 ns ± 0.408 ns per loop (mean ± std. dev. of 3 runs, 10,000,000 loops each)",
            ),
            (1000, &[70.0, 71.0], 4, "70.5 ms ± 500 μs per loop (mean ± std. dev. of 2 runs, 1,000 loops each)"),
            (1, &[60.0, 66.0], 3, "1min 3s ± 3 s per loop (mean ± std. dev. of 2 runs, 1 loop each)"),
        ] {
            let result = result(loops, runs, precision);
            assert_eq!(result.to_string(), expected);
            assert_eq!(format!("{result:?}"), expected);
        }
    }

    #[test]
    fn a_slow_run_is_remarked_on() {
        expect![[r#"
            The slowest run took 6.01 times longer than the fastest. This could mean that an intermediate result is being cached.
            3.5 ms ± 2.5 ms per loop (mean ± std. dev. of 2 runs, 1 loop each)"#]]
        .assert_eq(&report(&result(1, &[0.000_998, 0.005_998], 3)));
        // Not below a microsecond, where it means nothing.
        assert!(!report(&result(1000, &[1e-5, 9e-5], 3)).contains("slowest"));
    }

    #[test]
    fn loops_grow_until_a_run_takes_long_enough() {
        for (host, expected) in [
            (0.3, 1),
            (0.11, 2),
            (0.099, 5),
            (0.021, 10),
            (0.019, 20),
            (0.009, 50),
            (1.1e-5, 20_000),
            (1e-12, 1_000_000_000),
        ] {
            let (result, _) = measured(&TimeitOptions::new(), host, None);
            assert_eq!((result.loops, result.repeat), (expected, 7), "{host} s");
            assert!(result.device.is_none());
        }
    }

    #[test]
    fn given_loops_are_run_as_given() {
        let (result, log) = measured(&TimeitOptions::new().loops(3).repeat(2), 1e-3, None);
        assert_eq!(log, ["3 calls", "3 calls"]);
        assert_eq!(result.all_runs.len(), 2);
        assert_eq!(result.timings(), result.all_runs.iter().map(|run| run / 3.0).collect::<Vec<_>>());
        assert_eq!(result.compile_time, None, "no cell runs here");
    }

    #[test]
    fn a_run_waits_for_the_device_once() {
        let (_, log) = measured(&TimeitOptions::new().loops(5).repeat(1), 1e-5, Some(2e-3));
        assert_eq!(log, ["synchronize", "record", "5 calls", "record", "synchronize"]);
    }

    #[test]
    fn queued_work_shows_both_times() {
        let (result, _) = measured(&TimeitOptions::new(), 1e-5, Some(2.1e-3));
        assert_eq!(result.loops, 100, "chosen by the device's time");
        expect![[r#"
            Host time:   10 μs ± 0 ns per loop (mean ± std. dev. of 7 runs, 100 loops each)
            Device time: 2.1 ms ± 0 ns per loop (mean ± std. dev. of 7 runs, 100 loops each)
            The host only queued the work and went on; the device was done after the device time."#]]
        .assert_eq(&strip_rounding(&result));
    }

    #[test]
    fn the_host_does_not_queue_its_own_work() {
        // What comes between the two clocks is no time of the work.
        let fake = Rc::new(Fake::default());
        let queue = fake.host_queue();
        let options = TimeitOptions::new().loops(1).repeat(2);
        let result = measure(&options, &mut |_| fake.work(2e-3, Some(0.5)), &|| fake.host.get(), Some(queue));
        assert_eq!(result.to_string().lines().count(), 1);
        assert_eq!(result.device.unwrap().all_runs, result.all_runs);
    }

    #[test]
    fn work_that_waits_by_itself_shows_one_time() {
        let (result, _) = measured(&TimeitOptions::new(), 2e-3, Some(1e-3));
        assert_eq!(result.to_string().lines().count(), 1);
        assert!((result.device.unwrap().average - 2e-3).abs() < 1e-4);
    }

    #[test]
    fn the_first_call_of_device_work_does_not_choose_the_loops() {
        let mut times = vec![0.5, 0.04, 0.08, 0.19, 0.4].into_iter();
        let loops = automatic_loops(&mut |_| Run { host: 0.0, device: times.next() });
        assert_eq!(loops, 10);
    }

    /// The report without the deviation that rounding of sums leaves.
    fn strip_rounding(result: &TimeitResult) -> String {
        let mut result = result.clone();
        result.stdev = 0.0;
        result.device.as_mut().unwrap().stdev = 0.0;
        result.to_string()
    }
}
