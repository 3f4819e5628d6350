//! Checks that the device makes while it computes: the host hears of them where it waits anyway, at the end of a cell at the latest.
//!
//! A call that checks its indices in this way returns without waiting. Its kernel reads nothing outside, and writes a report to
//! pinned memory of the host if an index was out of range. A factorisation does the same with a matrix that has no result. Until it is known how that went, each block of memory has a set of the
//! checks that its contents depend on: one bit for each report. An operation gives its results the sets of its operands. If a
//! check has failed, its bit is kept together with the error. So blocks that have the bit are refused from then on, and no others.
//!
//! The bits of one *round* are used again in the next. A round ends when all of its checks are known. A call that finds no bit left waits
//! for that.
//!
//! Work that other devices take part in is followed in the same way: whether it came to its end is known by the host alone, which notes
//! that in its [`Fate`] before it gives the work up.

use super::context::{Device, lock};
use super::cusolver;
use super::mapped::Mapped;
use super::memory::DeviceMemory;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use warpcell_base::backend::IndexCheck;
use warpcell_base::backend::factorisations::FaultCheck;
use warpcell_base::backend::link::Fate;
use warpcell_base::error::{Error, Result};

/// `Report` in the kernels' source.
#[repr(C)]
#[derive(Clone, Copy)]
struct Report {
    /// The number of the call, from 1, that failed; 0 if there is none.
    call: u32,
    unused: u32,
    /// The index that is out of range; or the number of a matrix in the upper half, and its status in the lower one.
    found: i64,
}

/// A report of nothing.
const NOTHING: Report = Report { call: 0, unused: 0, found: 0 };

/// The reports and calls of a round: as many as a set has bits.
const REPORTS: usize = 32;

/// The checks of a device.
#[derive(Default)]
pub(super) struct Checks {
    /// Whether there are some of which it is not known how they went, or of which nobody has heard that they failed.
    pending: AtomicBool,
    /// Held while a check begins, until its kernel is queued; and while it is waited for all of them. Lock it before the state.
    turn: Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    reports: Option<Mapped<Report, REPORTS>>,
    /// The number of the round, less one.
    ended: u32,
    /// The checks of the round.
    calls: Vec<Asked>,
    /// Those that failed, also of earlier rounds.
    failed: Vec<Failed>,
}

/// What is to be known.
pub enum Asked {
    /// Whether all indices are in range.
    Index(IndexCheck),
    /// Whether all matrices have a result.
    Factors(FaultCheck),
    /// What became of work whose fate the host gets to know.
    Work(Fate),
}

/// A check that failed.
struct Failed {
    round: u32,
    bit: u32,
    error: Error,
    /// Whether somebody has got the error.
    is_reported: bool,
}

/// A check that a kernel is to make; dropped when that is queued.
pub struct Check<'a> {
    /// The address of its report.
    pub report: u64,
    /// What the kernel writes there.
    pub call: u32,
    /// Its bit.
    pub set: u32,
    _turn: MutexGuard<'a, ()>,
}

/// How the bits of a block are kept: those of a round, and its number.
fn word(round: u32, set: u32) -> u64 {
    u64::from(round) << 32 | u64::from(set)
}

impl State {
    fn round(&self) -> u32 {
        self.ended + 1
    }

    /// What is known to have failed in this round at this moment, by the numbers of the bits.
    fn found(&self) -> Vec<(usize, Error)> {
        let mut found = Vec::new();
        if let Some(reports) = &self.reports {
            for number in 0..self.calls.len().min(REPORTS) {
                // SAFETY: it is in a live block; the device writes to it, so it is read as what changes by itself.
                let report = unsafe { reports.value(number).read_volatile() };
                if report.call != 0 {
                    found.push((number, self.error(report)));
                }
            }
        }
        for (number, asked) in self.calls.iter().enumerate() {
            if let Asked::Work(fate) = asked
                && let Some(error) = fate.get()
            {
                found.push((number.min(REPORTS - 1), error.clone()));
            }
        }
        found
    }

    /// Ends the round, of which everything is known.
    fn end_round(&mut self) {
        self.calls.clear();
        self.ended = self.ended.wrapping_add(1);
    }

    /// The error of a report that says something.
    fn error(&self, report: Report) -> Error {
        let call = (report.call as usize).checked_sub(1).and_then(|number| self.calls.get(number));
        let (error, location) = match call {
            Some(&Asked::Index(IndexCheck { operation, axis, length, location })) => {
                (Error::IndexOutOfRange { operation, index: report.found.into(), axis, length }, location)
            }
            Some(Asked::Factors(check)) => {
                let [matrix, status] = [report.found >> 32, report.found];
                let fault = cusolver::fault(matrix as usize, status as i32);
                (fault.map_or_else(|error| error, |fault| check.error(fault)), check.location)
            }
            Some(Asked::Work(_)) | None => unreachable!("kernels write numbers of calls of their round"),
        };
        Error::FoundLater { error: Box::new(error), location }
    }
}

impl Device {
    /// A check for the kernel that the calling thread starts next. It is known how it went when a function that waits for the
    /// device has returned, or [`settle_checks`](Self::settle_checks); [work](Asked::Work) when the device has come past it.
    pub fn begin_check(&self, asked: Asked) -> Result<Check<'_>> {
        if lock(&self.checks.state).calls.len() >= REPORTS {
            self.learn_checks()?;
        }
        let turn = lock(&self.checks.turn);
        let mut state = lock(&self.checks.state);
        // Others may have come first; then the last one is shared.
        let number = state.calls.len().min(REPORTS - 1);
        let report = match &state.reports {
            Some(reports) => reports.address(number),
            None => {
                self.bind()?;
                state.reports.insert(Mapped::zeros()?).address(number)
            }
        };
        state.calls.push(asked);
        self.checks.pending.store(true, Ordering::Release);
        let call = state.calls.len() as u32;
        Ok(Check { report, call, set: 1 << number, _turn: turn })
    }

    /// Whether results may depend on checks of which it is not known how they went.
    #[inline]
    pub fn has_checks(&self) -> bool {
        self.checks.pending.load(Ordering::Acquire)
    }

    /// The error of a check that failed, if there is one that nobody has heard of. Called where the host has waited for work.
    #[inline]
    pub(super) fn failed_check(&self) -> Result<()> {
        if !self.has_checks() {
            return Ok(());
        }
        if !lock(&self.checks.state).found().is_empty() {
            self.learn_checks()?;
        }
        self.report_check()
    }

    /// Waits until it is known how all checks went; the error of the first one that failed.
    pub fn settle_checks(&self) -> Result<()> {
        self.learn_checks()?;
        if self.has_checks() { self.report_check() } else { Ok(()) }
    }

    /// Waits until it is known how all checks went, for work that depends on arrays in ways that are not followed. Who uses the results
    /// of one that failed gets its error.
    pub fn learn_checks(&self) -> Result<()> {
        // A capture has begun with all of them known.
        if !self.has_checks() || self.is_capturing() {
            return Ok(());
        }
        let _turn = lock(&self.checks.turn);
        self.bind()?;
        self.wait_for_queues()?;
        let mut state = lock(&self.checks.state);
        let found = state.found();
        let round = state.round();
        for (number, error) in found {
            if let Some(reports) = &state.reports {
                // SAFETY: it is in a live block; no kernel that was started before this thread waited runs any more.
                unsafe { reports.value(number).write_volatile(NOTHING) };
            }
            state.failed.push(Failed { round, bit: 1 << number, error, is_reported: false });
        }
        state.end_round();
        let is_pending = state.failed.iter().any(|failed| !failed.is_reported);
        self.checks.pending.store(is_pending, Ordering::Release);
        Ok(())
    }

    /// The first error that nobody has heard of; with it, all are heard of.
    fn report_check(&self) -> Result<()> {
        let mut state = lock(&self.checks.state);
        let first = state.failed.iter().find(|failed| !failed.is_reported).map(|failed| failed.error.clone());
        state.failed.iter_mut().for_each(|failed| failed.is_reported = true);
        self.checks.pending.store(!state.calls.is_empty(), Ordering::Release);
        first.map_or(Ok(()), Err)
    }

    /// The checks that the contents of a block depend on; an error if one of them has failed.
    pub fn checks_of(&self, memory: &DeviceMemory) -> Result<u32> {
        let word = memory.checks().load(Ordering::Acquire);
        if word == 0 {
            return Ok(0);
        }
        let mut state = lock(&self.checks.state);
        let (round, set) = ((word >> 32) as u32, word as u32);
        if round == state.round() {
            return Ok(set);
        }
        // Without one, the round went well as far as this block is concerned.
        let Some(failed) = state.failed.iter_mut().find(|failed| failed.round == round && failed.bit & set != 0) else {
            drop(state);
            // Unless another thread has added some meanwhile.
            let _ = memory.checks().compare_exchange(word, 0, Ordering::AcqRel, Ordering::Relaxed);
            return Ok(0);
        };
        match &failed.error {
            Error::FoundLater { error, .. } if failed.is_reported => Err(Error::InvalidResult { cause: error.clone() }),
            error => {
                let error = error.clone();
                failed.is_reported = true;
                Err(error)
            }
        }
    }

    /// Adds checks to those that the contents of a block depend on; its own are known.
    pub fn add_checks(&self, memory: &DeviceMemory, set: u32) {
        let round = lock(&self.checks.state).round();
        let added = |old: u64| Some(word(round, if (old >> 32) as u32 == round { old as u32 | set } else { set }));
        // It never gives `None`.
        let _ = memory.checks().fetch_update(Ordering::AcqRel, Ordering::Acquire, added);
    }
}

impl Checks {
    /// Frees the memory.
    ///
    /// # Safety
    /// The context is current, and no kernel runs.
    pub(super) unsafe fn release(&self) {
        if let Some(reports) = lock(&self.state).reports.take() {
            // SAFETY: the caller's promise.
            unsafe { reports.release() };
        }
    }
}
