//! What a profile hears of the work that backends do: one atomic word says whether anybody listens, and who.
//!
//! The CPU backend reports the operations that it has done, the CUDA driver layer the kernels that it has queued, if
//! CUPTI does not see them. While nobody listens that costs one relaxed load.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The sorts of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Kernel,
    Copy,
    Memset,
}

/// Figures of all work of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    pub count: u64,
    /// In seconds, as the next two.
    pub total: f64,
    pub min: f64,
    pub max: f64,
    /// What copies have moved and memsets have set.
    pub bytes: u64,
}

impl Total {
    fn add(&mut self, seconds: f64, bytes: u64) {
        self.count += 1;
        self.total += seconds;
        self.min = self.min.min(seconds);
        self.max = self.max.max(seconds);
        self.bytes += bytes;
    }
}

/// Work by its sort and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals(HashMap<(Kind, String), Total>);

impl Totals {
    /// Adds one piece of work.
    pub fn add(&mut self, kind: Kind, name: &str, seconds: f64, bytes: u64) {
        let new = Total { count: 0, total: 0.0, min: f64::INFINITY, max: 0.0, bytes: 0 };
        self.0.entry((kind, name.to_owned())).or_insert(new).add(seconds, bytes);
    }

    /// All of it, what took longest first.
    pub fn sorted(self) -> Vec<(Kind, String, Total)> {
        let mut all: Vec<_> = self.0.into_iter().map(|((kind, name), total)| (kind, name, total)).collect();
        all.sort_by(|a, b| b.2.total.total_cmp(&a.2.total).then_with(|| (a.0, &a.1).cmp(&(b.0, &b.1))));
        all
    }
}

/// What has happened during a profile.
pub struct Recorded {
    pub totals: Totals,
    /// How it was observed.
    pub source: &'static str,
    /// What the totals lack, and what to do about it; empty if they lack nothing.
    pub remark: String,
}

/// A profile that runs, of the backend that made it. Ends it when dropped, too.
pub trait Recording {
    /// Ends it. All work that was queued is done.
    fn end(self: Box<Self>) -> crate::error::Result<Recorded>;
}

/// Who wants to hear of work.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Listener {
    /// A profile of the CPU.
    Host = 1,
    /// A profile of CUDA devices by events.
    Events = 2,
}

/// The listener's number; 0 if there is none.
static LISTENER: AtomicU8 = AtomicU8::new(0);
static HEARD: Mutex<Option<Totals>> = Mutex::new(None);

fn heard() -> MutexGuard<'static, Option<Totals>> {
    HEARD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a profile of this sort runs.
#[inline]
pub fn listens(listener: Listener) -> bool {
    LISTENER.load(Ordering::Relaxed) == listener as u8
}

/// A listener, which hears of work until it is dropped. Profiles run one after the other, so there is one at a time.
pub struct Listening(());

impl Listening {
    pub fn begin(listener: Listener) -> Listening {
        *heard() = Some(Totals::default());
        LISTENER.store(listener as u8, Ordering::Relaxed);
        Listening(())
    }

    /// What was heard so far; the next call gives what comes after.
    pub fn take(&self) -> Totals {
        heard().as_mut().map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENER.store(0, Ordering::Relaxed);
        *heard() = None;
    }
}

/// Tells the listener of work that was done.
#[cold]
pub fn report(kind: Kind, name: &str, seconds: f64, bytes: u64) {
    if let Some(totals) = heard().as_mut() {
        totals.add(kind, name, seconds, bytes);
    }
}

/// Work of the host that is being done; reports itself when dropped.
pub struct Span(Option<Box<Running>>);

struct Running {
    kind: Kind,
    name: String,
    bytes: u64,
    start: Instant,
}

impl Span {
    /// Begins work, of which `name` and the bytes that it moves are asked for only if a profile of the host runs.
    #[inline]
    pub fn begin(kind: Kind, describe: impl FnOnce() -> (String, usize)) -> Span {
        if !listens(Listener::Host) {
            return Span(None);
        }
        let (name, bytes) = describe();
        Span(Some(Box::new(Running { kind, name, bytes: bytes as u64, start: Instant::now() })))
    }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if let Some(running) = &self.0 {
            report(running.kind, &running.name, running.start.elapsed().as_secs_f64(), running.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_added_up_by_name_and_sorted_by_time() {
        let mut totals = Totals::default();
        totals.add(Kind::Kernel, "add", 0.25, 0);
        totals.add(Kind::Copy, "host to device", 1.0, 100);
        totals.add(Kind::Kernel, "add", 0.5, 0);
        totals.add(Kind::Copy, "add", 1.0, 7);
        let sorted = totals.sorted();
        let names: Vec<_> = sorted.iter().map(|(kind, name, _)| (*kind, name.as_str())).collect();
        assert_eq!(names, [(Kind::Copy, "add"), (Kind::Copy, "host to device"), (Kind::Kernel, "add")]);
        assert_eq!(sorted[2].2, Total { count: 2, total: 0.75, min: 0.25, max: 0.5, bytes: 0 });
        assert_eq!(sorted[1].2.bytes, 100);
    }
}
