//! `Timer`: named steps, printed as they end, and shown together as a table and as bars.

use super::device::{self, Queue};
use super::table::{self, Table};
use super::{clock, format};
use crate::error::check;
use base64::Engine;
use std::fmt;
use std::sync::Arc;

/// Named steps and the time that each took.
///
/// It waits for the device before it reads the clock, so that a step has the time of the work that it queued (unless
/// `%gpusync off`, see [`set_synchronize`](super::set_synchronize)).
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let mut timer = gpu::timing::Timer::new("add vectors");
/// let x = timer.time("create", || gpu::linspace(0.0, 1.0, 1000));
/// let y = timer.time("add", || &x + &x);
/// // prints, for example:
/// // add vectors: create took 23.1 μs
/// // add vectors: add took 12.3 μs
/// println!("{}", timer.steps());
/// assert_eq!(timer.steps().names().collect::<Vec<_>>(), ["create", "add"]);
/// assert!(timer.steps().seconds("add").unwrap() > 0.0);
/// ```
#[derive(Clone)]
pub struct Timer {
    steps: Steps,
}

/// The steps of a [`Timer`] in the order in which each was first taken. `Display` and `Debug` write a table; as the value of a
/// cell they are a table and a bar chart.
#[derive(Clone, PartialEq)]
pub struct Steps {
    description: String,
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq)]
struct Step {
    name: String,
    seconds: f64,
    count: usize,
}

impl Timer {
    /// A timer without steps.
    pub fn new(description: &str) -> Timer {
        Timer { steps: Steps { description: description.to_owned(), steps: Vec::new() } }
    }

    /// Does `work`, prints how long it took and adds that to the step of this name.
    ///
    /// **Panics** if work on the device failed.
    ///
    /// ```
    /// let mut timer = warpcell::timing::Timer::new("sums");
    /// let sum: u64 = timer.time("first", || (0..1000).sum()); // prints: sums: first took 1.23 μs
    /// assert_eq!(sum, 499_500);
    /// ```
    #[track_caller]
    pub fn time<R>(&mut self, step: &str, work: impl FnOnce() -> R) -> R {
        let start = begin(device::watched().as_deref());
        let result = work();
        println!("{}", self.end(step, start, device::watched(), &clock::wall));
        result
    }

    /// The steps so far.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Adds the time since `start`, and says so.
    #[track_caller]
    fn end(&mut self, step: &str, start: f64, queue: Option<Arc<dyn Queue>>, now: &dyn Fn() -> f64) -> String {
        if let Some(queue) = queue {
            check(queue.synchronize());
        }
        let seconds = now() - start;
        self.steps.add(step, seconds);
        let description = &self.steps.description;
        let separator = if description.is_empty() { "" } else { ": " };
        format!("{description}{separator}{step} took {}", format::time(seconds, 3))
    }
}

/// Waits for earlier work; the time then.
#[track_caller]
fn begin(queue: Option<&dyn Queue>) -> f64 {
    if let Some(queue) = queue {
        check(queue.synchronize());
    }
    clock::wall()
}

/// The steps, as [`Timer::steps`] gives them.
impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.fmt(f)
    }
}

impl Steps {
    fn add(&mut self, name: &str, seconds: f64) {
        match self.steps.iter_mut().find(|step| step.name == name) {
            Some(step) => {
                step.seconds += seconds;
                step.count += 1;
            }
            None => self.steps.push(Step { name: name.to_owned(), seconds, count: 1 }),
        }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.name.as_str())
    }

    /// The seconds of the step of this name, all of its times together.
    pub fn seconds(&self, step: &str) -> Option<f64> {
        self.steps.iter().find(|known| known.name == step).map(|known| known.seconds)
    }

    /// The seconds of all steps.
    pub fn total(&self) -> f64 {
        // (The sum of no floats is -0.)
        self.steps.iter().fold(0.0, |sum, step| sum + step.seconds)
    }

    /// A bar for each step.
    ///
    /// **Panics** if there are no steps.
    ///
    /// ```
    /// let mut timer = warpcell::timing::Timer::new("sums");
    /// timer.time("first", || (0..1000u64).sum::<u64>());
    /// timer.steps().plot().yscale("log").show();
    /// ```
    #[track_caller]
    pub fn plot(&self) -> crate::Plot {
        let longest = self.steps.iter().map(|step| step.seconds).fold(0.0, f64::max);
        let (unit, scale) = match longest {
            seconds if seconds >= 1.0 => ("s", 1.0),
            seconds if seconds >= 1e-3 => ("ms", 1e3),
            _ => ("μs", 1e6),
        };
        let names: Vec<String> = self.names().map(short).collect();
        let heights: Vec<f64> = self.steps.iter().map(|step| step.seconds * scale).collect();
        // Each name gets the room that it needs below its bar.
        let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as u32;
        let width = (100 + names.len() as u32 * (widest * 8 + 16)).clamp(480, 1600);
        let plot = check(crate::try_bar(&names, &heights));
        plot.title(self.description.as_str()).ylabel(unit).size(width, 300)
    }

    fn table(&self) -> Table {
        let total = self.total();
        let mut table = Table::new(1, &["step", "count", "time", "share"]);
        let share = |seconds: f64| format::percent(if total > 0.0 { seconds / total } else { 0.0 });
        let time = |seconds| format::time(seconds, 3);
        for Step { name, seconds, count } in &self.steps {
            table.row(vec![name.clone(), format::thousands(*count as u64), time(*seconds), share(*seconds)]);
        }
        let count: usize = self.steps.iter().map(|step| step.count).sum();
        table.total(vec!["total".into(), format::thousands(count as u64), time(total), share(total)]);
        table
    }

    /// The bars as an `<img>`.
    fn picture(&self) -> String {
        let png = base64::engine::general_purpose::STANDARD.encode(self.plot().into_png());
        format!("<img alt=\"bar chart of the steps\" src=\"data:image/png;base64,{png}\">")
    }
}

/// A name that fits below a bar.
fn short(name: &str) -> String {
    const LONGEST: usize = 28;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.description.is_empty() { "" } else { "\n" };
        if self.steps.is_empty() {
            return write!(f, "{}{separator}no steps yet", self.description);
        }
        write!(f, "{}{separator}{}", self.description, self.table().text())
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return fmt::Display::fmt(self, f);
        }
        table::write_rich(f, &self.to_string(), [&self.description, ""], &self.table(), || self.picture())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use crate::timing::fake::Fake;
    use expect_test::expect;
    use std::rc::Rc;

    fn timer() -> Timer {
        let mut timer = Timer::new("add_vec");
        for (name, seconds) in [("GPU_create", 0.25), ("add <both>", 0.0015), ("GPU_create", 0.05), ("copy", 0.0985)] {
            timer.steps.add(name, seconds);
        }
        timer
    }

    #[test]
    fn steps_of_one_name_are_added_up() {
        expect![[r#"
            add_vec
            step         count      time     share
            GPU_create       2    300 ms      75 %
            add <both>       1    1.5 ms   0.375 %
            copy             1   98.5 ms    24.6 %
            total            4    400 ms     100 %"#]]
        .assert_eq(&timer().steps().to_string());
        assert_eq!(timer().steps().seconds("GPU_create"), Some(0.3));
        assert_eq!(timer().steps().seconds("none"), None);
    }

    #[test]
    fn without_steps_it_says_so() {
        let timer = Timer::new("add_vec");
        assert_eq!(timer.steps().to_string(), "add_vec\nno steps yet");
        assert_eq!(format!("{:?}", Timer::new("")), "no steps yet");
        assert!(!representations_of(&timer.steps()).unwrap().contains_key("text/html"));
    }

    #[test]
    fn a_notebook_gets_a_table_and_bars() {
        for shown in [representations_of(timer().steps()), representations_of(&&timer())] {
            let shown = shown.unwrap();
            let html = shown["text/html"].as_str().unwrap();
            assert!(html.starts_with("<div>add_vec</div><table>") && html.contains("add &lt;both&gt;"), "{html}");
            assert!(html.contains("<img alt=") && html.contains("src=\"data:image/png;base64,iVBOR"), "{html}");
            assert_eq!(shown["text/plain"], timer().steps().to_string());
        }
    }

    #[test]
    fn a_step_waits_for_the_device() {
        let fake = Rc::new(Fake::default());
        let mut timer = Timer::new("queue");
        let start = fake.host.get();
        fake.work(1e-5, Some(2e-3));
        let printed = timer.end("compute", start, Some(fake.queue()), &|| fake.host.get());
        assert_eq!(printed, "queue: compute took 2 ms");
        assert_eq!(fake.log.take(), ["synchronize"]);
        let start = fake.host.get();
        fake.work(1e-5, Some(2e-3));
        let printed = timer.end("compute", start, None, &|| fake.host.get());
        assert_eq!(printed, "queue: compute took 10 μs");
        assert_eq!(timer.steps().names().count(), 1);
    }

    #[test]
    fn the_value_of_the_work_is_given_back() {
        let mut timer = Timer::new("");
        assert_eq!(timer.time("one", || String::from("done")), "done");
        assert!(timer.steps().total() > 0.0);
    }

    #[test]
    fn long_names_are_cut_below_bars() {
        assert_eq!(short(&"ä".repeat(28)), "ä".repeat(28));
        assert_eq!(short(&"ä".repeat(29)), "ä".repeat(27) + "…");
    }
}
