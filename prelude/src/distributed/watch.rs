//! Who looks after work that runs on devices while nobody waits for it: a thread for each communicator that has a [`Link`].
//!
//! A rank that dies leaves the others' devices waiting for it. The thread hears of that as whoever waits on the host does, from the
//! mailbox, and gives the work up. So the host, which waits for the device somewhere, comes on, and finds the error.
//!
//! While the host waits in CUDA for work that does not come to its end, other threads may wait in CUDA for the host. So this thread asks CUDA
//! nothing: the rank's own thread finds out which work is done, at its next call, and drops the events. Only when the time is up, the
//! thread looks whether the work is done, and nobody has noticed.

use super::mailbox::Fault;
use super::world::Group;
use crate::backend::EventHandle;
use crate::backend::link::{Fate, Link};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the thread looks around while there is work.
const SLICE: Duration = Duration::from_millis(2);
const LONGEST_SLICE: Duration = Duration::from_millis(50);
/// How often the rank's own thread does, when it waits for the end.
const LAST_SLICE: Duration = Duration::from_micros(200);
/// Shorter work is not given up because a cell was interrupted.
const SHORT: Duration = Duration::from_millis(200);

/// Work of one call.
pub(super) struct Work {
    /// The name of the call.
    pub name: &'static str,
    /// Its number in the group.
    pub number: u32,
    pub fate: Fate,
    /// Behind the work.
    pub event: Box<dyn EventHandle>,
    pub since: Instant,
}

/// The thread, and what it looks after.
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What is not known to be done, in the order of the calls.
    works: VecDeque<Work>,
    /// What the thread has found to be done; the rank's own thread drops it.
    done: Vec<Work>,
    /// Whether the thread is to end.
    is_closed: bool,
    /// Whether a call has failed, so that there is something to give up although no work is known.
    gives_up: bool,
    /// Why everything was given up.
    fault: Option<Fault>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    /// Begins to look after the work of a link.
    pub fn begin(group: &Arc<Group>, link: &Arc<dyn Link>) -> std::io::Result<Watch> {
        let shared: Arc<Shared> = Arc::default();
        let (group, link, own) = (group.clone(), link.clone(), shared.clone());
        let look_after = move || look_after(&group, &*link, &own);
        let thread = std::thread::Builder::new().name("warpcell-link".into()).spawn(look_after)?;
        Ok(Watch { shared, thread: Some(thread) })
    }

    /// How many works are not done. Called by the rank's own thread, as `add` is.
    pub fn works(&self) -> usize {
        let mut state = self.shared.state();
        let mut done = std::mem::take(&mut state.done);
        // An error of the device is found by whoever waits for the work.
        while state.works.front().is_some_and(is_done) {
            done.extend(state.works.pop_front());
        }
        let left = state.works.len();
        drop(state);
        left
    }

    /// Looks after this work of a rank, too.
    pub fn add(&self, work: Work, rank: usize) {
        let mut state = self.shared.state();
        if let Some(fault) = &state.fault {
            let _ = work.fate.set(fault.clone().error(work.name, rank));
            return;
        }
        state.works.push_back(work);
        if state.works.len() == 1 {
            self.shared.changed.notify_one();
        }
    }

    /// Gives everything up, after a failure that the mailbox knows.
    pub fn give_up(&self) {
        self.shared.state().gives_up = true;
        self.shared.changed.notify_one();
    }
}

impl Drop for Watch {
    /// Waits until all work is done or given up.
    fn drop(&mut self) {
        while self.works() > 0 && self.shared.state().fault.is_none() {
            std::thread::sleep(LAST_SLICE);
        }
        self.shared.state().is_closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn look_after(group: &Group, link: &dyn Link, shared: &Shared) {
    let world = &group.world;
    let mut state = shared.state();
    let mut is_first = true;
    loop {
        if state.works.is_empty() && !state.gives_up {
            if state.is_closed {
                return;
            }
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let age = state.works.front().map_or(Duration::ZERO, |oldest| oldest.since.elapsed());
        let is_interrupted = age > SHORT && crate::cell::interrupted();
        // The first time makes the device the current one of this thread, as giving up needs it.
        if is_first || is_interrupted || age > world.timeout() {
            is_first = false;
            while state.works.front().is_some_and(is_done) {
                let work = state.works.pop_front();
                state.done.extend(work);
            }
        }
        let late = |work: &Work| match work.since.elapsed() {
            age if age > SHORT && is_interrupted => Some(Fault::Interrupted { rank: world.rank }),
            age => (age > world.timeout()).then(|| group.culprit(work.number, None)),
        };
        if let Some(fault) = world.mailbox.fault().or_else(|| late(state.works.front()?)) {
            let first = world.fail(fault);
            // Whoever waits for the device finds the error when it comes on. So nobody else gives work up. The events are dropped by
            // the rank's own thread.
            for Work { name, fate, .. } in &state.works {
                let _ = fate.set(first.clone().error(name, world.rank));
            }
            state.fault = Some(first);
            drop(state);
            return link.abort();
        }
        // What has taken long already is not noticed at once.
        let slice = SLICE.max(age / 50).min(LONGEST_SLICE);
        state = shared.changed.wait_timeout(state, slice).unwrap_or_else(PoisonError::into_inner).0;
    }
}

fn is_done(work: &Work) -> bool {
    work.event.is_done().unwrap_or(true)
}
