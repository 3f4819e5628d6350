//! Threads that join in the work of another one, if they come before it is done.
//!
//! Most operations take less time than a thread that sleeps needs to wake up, in a virtual machine or beside other programs. So the
//! thread that has the work begins at once, and when nothing is left it waits only for those that have begun too. For a short time
//! nobody sleeps who waits: the next operation, or the end of this one, is mostly near.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// So long a thread waits before it sleeps.
const AWAKE: Duration = Duration::from_micros(50);

/// What several threads do together: each calls the same function, which shares the work out.
struct Job {
    work: Work,
    /// How many threads beside the owner are inside the function.
    inside: AtomicUsize,
    owner: Thread,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The function; it is alive while the job is offered, or a thread is inside.
struct Work(*const (dyn Fn() + Sync));

// SAFETY: the function may be called from several threads, and [`Team::with`] keeps it alive.
unsafe impl Send for Work {}
// SAFETY: as for `Send`.
unsafe impl Sync for Work {}

/// Threads that wait for jobs.
pub(super) struct Team {
    offers: Mutex<Offers>,
    /// As many threads are wanted; read without the lock.
    wanted: AtomicUsize,
    wake: Condvar,
}

#[derive(Default)]
struct Offers {
    /// With how many threads more may join in; none is 0.
    jobs: VecDeque<(Arc<Job>, usize)>,
    sleeping: usize,
}

/// Waits, asleep when it takes long; `sleep` may end too early.
fn wait_until(done: impl Fn() -> bool, sleep: impl Fn()) {
    if !is_soon(&done) {
        while !done() {
            sleep();
        }
    }
}

/// Whether something happens in the time that a thread stays awake for it.
fn is_soon(happens: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    loop {
        // The clock takes longer than a look.
        for _ in 0..16 {
            if happens() {
                return true;
            }
            std::hint::spin_loop();
        }
        if began.elapsed() > AWAKE {
            return false;
        }
    }
}

impl Team {
    /// So many threads, for as long as the process lives.
    pub fn start(threads: usize) -> &'static Team {
        let team = Team { offers: Mutex::default(), wanted: AtomicUsize::new(0), wake: Condvar::new() };
        let team: &'static Team = Box::leak(Box::new(team));
        for index in 1..=threads {
            let builder = std::thread::Builder::new().name(format!("warpcell-cpu-{index}"));
            builder.spawn(|| team.join_in()).expect("the system grants threads");
        }
        team
    }

    /// Calls `work` on this thread and, at the same time, on up to `count` of the team, and waits.
    pub fn with(&self, count: usize, work: &(dyn Fn() + Sync)) {
        // SAFETY: only the lifetime changes. Below, nobody can enter any more, and all who have entered have left, before this
        // returns.
        let unbounded = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(work) };
        let job = Arc::new(Job {
            work: Work(unbounded),
            inside: AtomicUsize::new(0),
            owner: std::thread::current(),
            panic: Mutex::default(),
        });
        self.offer(&job, count);
        let own = catch_unwind(AssertUnwindSafe(work));
        self.withdraw(&job);
        wait_until(|| job.inside.load(Ordering::Acquire) == 0, std::thread::park);
        let of_others = job.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = own.err().or(of_others) {
            resume_unwind(payload);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Offers> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offer(&self, job: &Arc<Job>, count: usize) {
        let mut offers = self.lock();
        offers.jobs.push_back((job.clone(), count));
        let asleep = offers.sleeping;
        self.wanted.fetch_add(count, Ordering::Release);
        drop(offers);
        for _ in 0..count.min(asleep) {
            self.wake.notify_one();
        }
    }

    /// From now on nobody joins in.
    fn withdraw(&self, job: &Arc<Job>) {
        let mut offers = self.lock();
        if let Some(at) = offers.jobs.iter().position(|(offered, _)| Arc::ptr_eq(offered, job)) {
            let (_, count) = offers.jobs.remove(at).expect("it was found there");
            self.wanted.fetch_sub(count, Ordering::Release);
        }
    }

    /// A job to join in, which cannot end now before the thread has left it.
    fn take(&self, offers: &mut Offers) -> Option<Arc<Job>> {
        let (job, count) = offers.jobs.front_mut()?;
        job.inside.fetch_add(1, Ordering::Relaxed);
        let job = job.clone();
        *count -= 1;
        if *count == 0 {
            offers.jobs.pop_front();
        }
        self.wanted.fetch_sub(1, Ordering::Release);
        Some(job)
    }

    /// What each thread of the team does, for ever. One that was woken too late for a job stays awake for the next one: else it would
    /// come too late for each of many short ones.
    fn join_in(&self) -> ! {
        loop {
            is_soon(|| self.wanted.load(Ordering::Acquire) > 0);
            let mut offers = self.lock();
            if let Some(job) = self.take(&mut offers) {
                drop(offers);
                job.help();
            } else {
                offers.sleeping += 1;
                offers = self.wake.wait(offers).unwrap_or_else(PoisonError::into_inner);
                offers.sleeping -= 1;
            }
        }
    }
}

impl Job {
    fn help(&self) {
        // SAFETY: the owner waits until this thread has left.
        let work = unsafe { &*self.work.0 };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        }
        // The owner may drop what it has of the job as soon as the last one has left.
        if self.inside.fetch_sub(1, Ordering::Release) == 1 {
            self.owner.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn all_join_in_where_there_is_time() {
        let barrier = Barrier::new(4);
        let calls = AtomicUsize::new(0);
        Team::start(3).with(3, &|| {
            calls.fetch_add(1, Ordering::Relaxed);
            barrier.wait();
        });
        assert_eq!(calls.into_inner(), 4);
    }

    #[test]
    fn many_threads_and_nested_work_share_one_team() {
        let (team, total) = (Team::start(3), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        let next = AtomicUsize::new(0);
                        team.with(2, &|| {
                            while next.fetch_add(1, Ordering::Relaxed) < 5 {
                                let inner = AtomicUsize::new(0);
                                team.with(1, &|| {
                                    while inner.fetch_add(1, Ordering::Relaxed) < 3 {
                                        total.fetch_add(1, Ordering::Relaxed);
                                    }
                                });
                            }
                        });
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 4 * 2000 * 5 * 3);
    }

    #[test]
    fn a_panic_of_any_thread_reaches_the_caller() {
        let team = Team::start(1);
        for panics in 0..2 {
            let barrier = Barrier::new(2);
            let owner = std::thread::current().id();
            let caught = catch_unwind(AssertUnwindSafe(|| {
                team.with(1, &|| {
                    barrier.wait();
                    if (std::thread::current().id() == owner) == (panics == 0) {
                        panic!("number {panics}");
                    }
                });
            }));
            let payload = caught.expect_err("a thread panicked");
            assert_eq!(payload.downcast_ref::<String>(), Some(&format!("number {panics}")));
        }
    }
}
