//! Streams of the CPU: work is done at once, in whatever stream, so they have numbers and nothing else.

use super::{Moment, backend, may_wait};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use warpcell_base::backend::stream::orders;
use warpcell_base::backend::{EventHandle, StreamHandle};
use warpcell_base::error::Result;

struct CpuStream {
    number: usize,
}

/// The numbers in use. The first stream is always there.
fn numbers() -> MutexGuard<'static, BTreeSet<usize>> {
    static NUMBERS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    NUMBERS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn first() -> Arc<dyn StreamHandle> {
    Arc::new(CpuStream { number: 0 })
}

pub(super) fn new() -> Arc<dyn StreamHandle> {
    let mut numbers = numbers();
    let number = (1..).find(|number| !numbers.contains(number)).expect("there is always another number");
    numbers.insert(number);
    Arc::new(CpuStream { number })
}

impl Drop for CpuStream {
    fn drop(&mut self) {
        numbers().remove(&self.number);
    }
}

impl StreamHandle for CpuStream {
    fn number(&self) -> usize {
        self.number
    }

    fn enter(&self) -> Result<()> {
        if super::graph::is_capturing() { Err(orders("Stream::with")) } else { Ok(()) }
    }

    fn leave(&self) {}

    fn record(&self) -> Result<Box<dyn EventHandle>> {
        if super::graph::is_capturing() {
            return Err(orders("Event::record"));
        }
        // Not in the middle of another thread's operation.
        backend().synchronize()?;
        Ok(Box::new(Moment(Instant::now())))
    }

    fn wait(&self, event: &dyn EventHandle) -> Result<()> {
        if super::graph::is_capturing() {
            return Err(orders("Stream::wait"));
        }
        // What comes next is done at once.
        event.synchronize()
    }

    fn synchronize(&self) -> Result<()> {
        may_wait("Stream::synchronize")?;
        backend().synchronize()
    }

    fn is_done(&self) -> Result<bool> {
        Ok(true)
    }
}
