//! Who looks after work that runs on devices while nobody waits for it: a thread for each communicator that has a [`Link`].
//!
//! A rank that dies leaves the others' devices waiting for it. The thread hears of that as whoever waits on the host does, from the
//! mailbox, and gives the work up. So the host, which waits for the device somewhere, comes on, and finds the error.

use super::mailbox::Fault;
use super::world::Group;
use crate::backend::EventHandle;
use crate::backend::link::{Fate, Link};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the thread looks around while there is work.
const SLICE: Duration = Duration::from_millis(2);
/// The same when somebody waits for the end.
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
    /// How many works are not known to be done.
    works: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// What the thread has not taken yet.
    new: Vec<Work>,
    /// Whether nothing comes any more.
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

    /// How many works are not known to be done.
    pub fn works(&self) -> usize {
        self.shared.works.load(Ordering::Relaxed)
    }

    /// Looks after this work of a rank, too.
    pub fn add(&self, work: Work, rank: usize) {
        let mut state = self.shared.state();
        if let Some(fault) = &state.fault {
            let _ = work.fate.set(fault.clone().error(work.name, rank));
            return;
        }
        state.new.push(work);
        if self.shared.works.fetch_add(1, Ordering::Relaxed) == 0 {
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
        self.shared.state().is_closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn look_after(group: &Group, link: &dyn Link, shared: &Shared) {
    let world = &group.world;
    let mut works: VecDeque<Work> = VecDeque::new();
    let mut state = shared.state();
    loop {
        works.extend(state.new.drain(..));
        if works.is_empty() && !state.gives_up {
            if state.is_closed {
                return;
            }
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        // Others need not wait while the device is asked. An error of it is found by whoever waits for the work.
        drop(state);
        while works.front().is_some_and(|work| work.event.is_done().unwrap_or(true)) {
            works.pop_front();
            shared.works.fetch_sub(1, Ordering::Relaxed);
        }
        let too_long = |work: &Work| {
            let age = work.since.elapsed();
            if age > SHORT && crate::cell::interrupted() {
                return Some(Fault::Interrupted { rank: world.rank });
            }
            (age > world.timeout()).then(|| group.culprit(work.number, None))
        };
        let fault = world.mailbox.fault().or_else(|| too_long(works.front()?));
        state = shared.state();
        if let Some(fault) = fault {
            let first = world.fail(fault);
            // Whoever waits for the device finds the error when it comes on. So nobody else gives work up.
            for Work { name, fate, .. } in works.drain(..).chain(state.new.drain(..)) {
                let _ = fate.set(first.clone().error(name, world.rank));
            }
            state.fault = Some(first);
            drop(state);
            return link.abort();
        }
        if works.is_empty() {
            continue;
        }
        let slice = if state.is_closed { LAST_SLICE } else { SLICE };
        state = shared.changed.wait_timeout(state, slice).unwrap_or_else(PoisonError::into_inner).0;
    }
}
