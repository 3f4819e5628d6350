//! `profile`: which kernels, copies and memsets a closure has the device do, how often, and how long they take.

use super::table::{self, Table};
use super::{clock, format};
use crate::backend::Backend;
use crate::error::{Result, check};
use crate::profiling::{Kind, Recorded, Recording, Total};
use std::cell::Cell;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The sorts of work that a [`Profile`] lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WorkKind {
    /// A function that runs on the device; on the CPU, an operation.
    Kernel,
    /// A copy, within the device or between it and the host.
    Copy,
    /// Memory of a device that is set to one value.
    Memset,
}

impl fmt::Display for WorkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WorkKind::Kernel => "kernel",
            WorkKind::Copy => "copy",
            WorkKind::Memset => "memset",
        })
    }
}

/// All work of one name in a [`Profile`]. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProfileEntry {
    /// What it is.
    pub kind: WorkKind,
    /// The kernel's name, or from where to where is copied.
    pub name: String,
    /// How often it was done.
    pub count: u64,
    /// The time that all of it took.
    pub total: f64,
    /// The shortest time.
    pub min: f64,
    /// The longest time.
    pub max: f64,
    /// The bytes that were copied or set; 0 for kernels.
    pub bytes: u64,
}

impl ProfileEntry {
    /// The mean time.
    pub fn mean(&self) -> f64 {
        self.total / self.count as f64
    }
}

/// What [`profile()`] has found. `Display` and `Debug` write a table; as the value of a cell it is one in HTML.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// What was done, the longest first.
    pub entries: Vec<ProfileEntry>,
    /// Seconds on the host's clock, from the beginning of the closure until the device had done its work.
    pub elapsed: f64,
    /// The device's name.
    label: String,
    source: &'static str,
    remark: String,
}

/// Lists what `function` has the device do: kernels, copies and memsets, how often each was done, how long it took, and its
/// share of all that time.
///
/// On CUDA devices CUPTI, the library under NVIDIA's own profilers, observes all work of the process. Where it is not
/// installed (`pip install nvidia-cuda-cupti`), events are put around each kernel and transfer of this crate; then kernels of
/// libraries such as cuFFT are missing, and each time is some microseconds too long. On the CPU the list has the operations of
/// arrays and their times on the host's clock.
///
/// Once CUPTI has observed a process, calls that queue work take somewhat more host time until it ends: measure first, then
/// profile. Kernels are compiled at their first use: call `function` once before, if that is not to be in the time that has elapsed.
/// One profile runs at a time: another thread's waits. Work of other threads is listed, too.
///
/// **Panics** if work on the device failed, or if `function` itself profiles something.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let x = gpu::linspace(0.0, 1.0, 1000);
/// let profile = gpu::timing::profile(|| (&x + 1.0).sin().to_host());
/// println!("{profile}");
/// // prints, for example:
/// // kind     name             count     total      mean       min       max     share
/// // kernel   sin f64              1   6.02 μs   6.02 μs   6.02 μs   6.02 μs    61.2 %
/// // kernel   add f64              1   2.91 μs   2.91 μs   2.91 μs   2.91 μs    29.6 %
/// // copy     device to host       1    904 ns    904 ns    904 ns    904 ns    9.19 %
/// // total                         3   9.83 μs                                   100 %
/// // cpu: busy for 9.83 μs of 14.2 μs, 69.2 %; observed by the host's clock
/// assert!(profile.entries.iter().any(|entry| entry.name.contains("sin")));
/// ```
#[track_caller]
pub fn profile<R>(function: impl FnOnce() -> R) -> Profile {
    let mut function = Some(function);
    // The result waits here until the profile has ended.
    let mut result = None;
    run(|backend| backend.profile(), &mut || result = function.take().map(|function| std::hint::black_box(function())))
}

thread_local! {
    static RUNS_HERE: Cell<bool> = const { Cell::new(false) };
}

/// That this thread's profile runs, until it is dropped.
struct Here;

impl Here {
    #[track_caller]
    fn enter() -> Here {
        assert!(!RUNS_HERE.get(), "profile: another profile is already running around this one; remove one of them");
        RUNS_HERE.set(true);
        Here
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        RUNS_HERE.set(false);
    }
}

/// How a profile of a device begins.
type Begin = fn(&dyn Backend) -> Result<Box<dyn Recording>>;

#[track_caller]
pub(crate) fn run(begin: Begin, function: &mut dyn FnMut()) -> Profile {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _here = Here::enter();
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let handle = check(crate::device::current());
    check(handle.backend.synchronize());
    let recording = check(begin(&*handle.backend));
    let start = clock::wall();
    function();
    check(handle.backend.synchronize());
    let elapsed = clock::wall() - start;
    Profile::new(check(recording.end()), elapsed, handle.device.to_string())
}

impl Profile {
    fn new(recorded: Recorded, elapsed: f64, label: String) -> Profile {
        let entry = |(kind, name, total): (Kind, String, Total)| {
            let kind = match kind {
                Kind::Kernel => WorkKind::Kernel,
                Kind::Copy => WorkKind::Copy,
                Kind::Memset => WorkKind::Memset,
            };
            let Total { count, total, min, max, bytes } = total;
            ProfileEntry { kind, name, count, total, min, max, bytes }
        };
        let entries = recorded.totals.sorted().into_iter().map(entry).collect();
        Profile { entries, elapsed, label, source: recorded.source, remark: recorded.remark }
    }

    /// Seconds that all of the work took; more than have elapsed where the device did several things at once.
    pub fn total(&self) -> f64 {
        // (The sum of no floats is -0.)
        self.entries.iter().fold(0.0, |sum, entry| sum + entry.total)
    }

    fn table(&self) -> Table {
        let total = self.total();
        let share = |seconds: f64| format::percent(if total > 0.0 { seconds / total } else { 0.0 });
        let time = |seconds| format::time(seconds, 3);
        let has_bytes = self.entries.iter().any(|entry| entry.bytes > 0);
        let mut header = vec!["kind", "name", "count", "total", "mean", "min", "max", "share"];
        if has_bytes {
            header.push("bytes");
        }
        let mut table = Table::new(2, &header);
        for entry in &self.entries {
            let ProfileEntry { kind, name, count, total, min, max, bytes } = entry;
            let times = [*total, entry.mean(), *min, *max].map(time);
            let mut cells = vec![kind.to_string(), name.clone(), format::thousands(*count)];
            cells.extend(times);
            cells.push(share(*total));
            if has_bytes {
                cells.push(if *bytes > 0 { format::bytes(*bytes) } else { String::new() });
            }
            table.row(cells);
        }
        let count = self.entries.iter().map(|entry| entry.count).sum();
        let mut cells = vec!["total".to_owned(), String::new(), format::thousands(count), time(total)];
        cells.extend([String::new(), String::new(), String::new(), share(total)]);
        cells.resize(header.len(), String::new());
        table.total(cells);
        table
    }

    /// What stands below the table.
    fn remarks(&self) -> String {
        let (busy, elapsed) = (format::time(self.total(), 3), format::time(self.elapsed, 3));
        let share = format::percent(if self.elapsed > 0.0 { self.total() / self.elapsed } else { 0.0 });
        let mut text = format!("{}: busy for {busy} of {elapsed}, {share}; observed by {}", self.label, self.source);
        if !self.remark.is_empty() {
            text += "\n";
            text += &self.remark;
        }
        text
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.entries.is_empty() {
            return write!(f, "No work was done on {}.\n{}", self.label, self.remarks());
        }
        write!(f, "{}\n{}", self.table().text(), self.remarks())
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.entries.is_empty() {
            return fmt::Display::fmt(self, f);
        }
        table::write_rich(f, &self.to_string(), ["", &self.remarks()], &self.table(), String::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use crate::profiling::Totals;
    use expect_test::expect;

    fn profile_of(work: &[(Kind, &str, f64, u64)], remark: &str) -> Profile {
        let mut totals = Totals::default();
        for (kind, name, seconds, bytes) in work {
            totals.add(*kind, name, *seconds, *bytes);
        }
        let recorded = Recorded { totals, source: "CUPTI", remark: remark.to_owned() };
        Profile::new(recorded, 0.004, "cuda:0".to_owned())
    }

    #[test]
    fn the_table_has_what_took_longest_first() {
        let work = [
            (Kind::Kernel, "packed_add_float", 1e-4, 0),
            (Kind::Copy, "host to device", 0.0015, 12_000_000),
            (Kind::Kernel, "packed_add_float", 3e-4, 0),
            (Kind::Memset, "memset", 1e-4, 512),
        ];
        let shown = profile_of(&work, "");
        expect![[r#"
            kind     name               count    total     mean      min      max   share       bytes
            copy     host to device         1   1.5 ms   1.5 ms   1.5 ms   1.5 ms    75 %       12 MB
            kernel   packed_add_float       2   400 μs   200 μs   100 μs   300 μs    20 %
            memset   memset                 1   100 μs   100 μs   100 μs   100 μs     5 %   512 bytes
            total                           4     2 ms                              100 %
            cuda:0: busy for 2 ms of 4 ms, 50 %; observed by CUPTI"#]]
        .assert_eq(&shown.to_string());
        let html = representations_of(&shown).unwrap()["text/html"].as_str().unwrap().to_owned();
        assert!(html.contains("packed_add_float</td>") && html.contains("observed by CUPTI"), "{html}");
        assert!((shown.entries[1].mean() - 2e-4).abs() < 1e-12);
    }

    #[test]
    fn bytes_are_listed_where_there_are_any() {
        let shown = profile_of(&[(Kind::Kernel, "f", 0.002, 0)], "CUPTI was not found: install it");
        expect![[r#"
            kind     name   count   total   mean    min    max   share
            kernel   f          1    2 ms   2 ms   2 ms   2 ms   100 %
            total               1    2 ms                        100 %
            cuda:0: busy for 2 ms of 4 ms, 50 %; observed by CUPTI
            CUPTI was not found: install it"#]]
        .assert_eq(&shown.to_string());
    }

    #[test]
    fn without_work_it_says_so() {
        expect![[r#"
            No work was done on cuda:0.
            cuda:0: busy for 0 ns of 4 ms, 0 %; observed by CUPTI"#]]
        .assert_eq(&format!("{:?}", profile_of(&[], "")));
    }

    #[test]
    fn operations_on_the_cpu_are_listed_by_name() {
        let x = crate::linspace(0.0f32, 1.0, 1000);
        let found = profile(|| (&x + &x).cbrt().to_host());
        // Other tests may compute at the same time.
        let entry = |name: &str| found.entries.iter().find(|entry| entry.name == name);
        for (name, kind) in
            [("add f32", WorkKind::Kernel), ("cbrt f32", WorkKind::Kernel), ("device to host", WorkKind::Copy)]
        {
            let entry = entry(name).unwrap_or_else(|| panic!("{name} is missing:\n{found}"));
            assert!(entry.kind == kind && entry.count >= 1 && entry.total > 0.0 && entry.min <= entry.max);
        }
        assert!(entry("device to host").unwrap().bytes >= 4000);
        assert!(found.elapsed > 0.0 && found.total() > 0.0);
    }

    #[test]
    fn a_panic_ends_the_profile() {
        let outcome = std::panic::catch_unwind(|| profile(|| panic!("on purpose")));
        assert!(outcome.is_err());
        let nested = std::panic::catch_unwind(|| profile(|| profile(|| ()).elapsed));
        let message = *nested.unwrap_err().downcast::<&str>().unwrap();
        assert_eq!(message, "profile: another profile is already running around this one; remove one of them");
        assert!(profile(|| ()).elapsed >= 0.0);
    }
}
