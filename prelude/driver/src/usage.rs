//! Which queues use a block of memory: what each of them must wait for before it reads or writes. Plain data; calls nothing of
//! CUDA.
//!
//! A queue is a bit. Reads wait for the last write, writes for the last write and all reads since. Uses by one queue are in
//! order anyway, so where there is one queue, nothing is ever noted: a block begins as written by the queue it was made for.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use warpcell_base::error::Result;

pub(super) struct Usage {
    /// The queue that wrote last in the upper half. In the lower half those that have read since: their further reads are
    /// behind that write.
    state: AtomicU64,
    /// All queues that have ever used the block.
    touched: AtomicU32,
}

impl Usage {
    /// Of a block that was made for the queue of this bit.
    pub fn of(bit: u32) -> Usage {
        Usage { state: AtomicU64::new(written(bit)), touched: AtomicU32::new(bit) }
    }

    /// Notes that the queue of this bit reads, or writes, after `wait` was called for the set of queues that it must wait for.
    ///
    /// In this order: if two threads work in one queue, the second must not go on before the queue waits.
    pub fn note(&self, bit: u32, writes: bool, mut wait: impl FnMut(u32) -> Result<()>) -> Result<()> {
        if self.touched.load(Ordering::Relaxed) & bit == 0 {
            self.touched.fetch_or(bit, Ordering::AcqRel);
        }
        loop {
            let state = self.state.load(Ordering::Acquire);
            let (writer, readers) = ((state >> 32) as u32, state as u32);
            let (others, new) = if writes {
                // Who has read was behind the writer.
                (if readers == 0 { writer } else { readers } & !bit, written(bit))
            } else {
                (if readers & bit == 0 { writer & !bit } else { 0 }, state | u64::from(bit))
            };
            if others != 0 {
                wait(others)?;
            }
            let is_noted =
                state == new || self.state.compare_exchange(state, new, Ordering::AcqRel, Ordering::Acquire).is_ok();
            if is_noted {
                return Ok(());
            }
        }
    }

    /// All queues that have ever used the block.
    pub fn touched(&self) -> u32 {
        self.touched.load(Ordering::Acquire)
    }
}

fn written(bit: u32) -> u64 {
    u64::from(bit) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u32 = 1;
    const B: u32 = 2;
    const C: u32 = 4;

    /// The set of queues that a use waits for.
    fn waits(usage: &Usage, bit: u32, writes: bool) -> u32 {
        let mut set = 0;
        usage
            .note(bit, writes, |others| {
                set |= others;
                Ok(())
            })
            .unwrap();
        set
    }

    #[test]
    fn reads_wait_for_the_write_and_writes_for_both() {
        let usage = Usage::of(A);
        assert_eq!((waits(&usage, A, true), waits(&usage, A, false)), (0, 0), "one queue never waits");
        assert_eq!(waits(&usage, B, false), A);
        assert_eq!(waits(&usage, B, false), 0, "once is enough");
        assert_eq!(waits(&usage, C, false), A, "readers do not wait for one another");
        assert_eq!(waits(&usage, A, false), 0);
        assert_eq!(waits(&usage, B, true), A | C, "all that have read, also the old writer");
        assert_eq!(waits(&usage, B, true), 0);
        assert_eq!(waits(&usage, C, true), B, "nobody has read since");
        assert_eq!(waits(&usage, A, false), C);
        assert_eq!(waits(&usage, A, true), 0, "its own read was behind the write");
        assert_eq!(usage.touched(), A | B | C);
    }

    #[test]
    fn a_failed_wait_is_not_taken_for_one() {
        let usage = Usage::of(A);
        assert!(usage.note(B, false, |_| Err(warpcell_base::error::Error::Interrupted)).is_err());
        assert_eq!(waits(&usage, B, false), A);
    }

    /// Every order of uses by three queues, against the rule that each use is behind all earlier ones that conflict with it.
    #[test]
    fn no_order_of_uses_leaves_a_conflict() {
        const LENGTH: u32 = 6;
        for case in 0..6u32.pow(LENGTH) {
            let usage = Usage::of(A);
            // For each queue, how much of each queue's work it is behind; queues count their uses.
            let mut behind = [[0usize; 3]; 3];
            let mut done: Vec<(usize, bool, usize)> = vec![(0, true, 1)];
            let mut counts = [1usize, 0, 0];
            let mut rest = case;
            for _ in 0..LENGTH {
                let (queue, writes) = ((rest % 3) as usize, rest / 3 % 2 == 1);
                rest /= 6;
                let others = waits(&usage, 1 << queue, writes);
                for other in (0..3).filter(|other| others & 1 << other != 0) {
                    // All that the other queue has now, and what that is behind.
                    let known = behind[other];
                    for (mine, theirs) in behind[queue].iter_mut().zip(known) {
                        *mine = (*mine).max(theirs);
                    }
                    behind[queue][other] = behind[queue][other].max(counts[other]);
                }
                for &(earlier, wrote, number) in &done {
                    let conflicts = earlier != queue && (writes || wrote);
                    assert!(!conflicts || behind[queue][earlier] >= number, "{case}: {done:?}");
                }
                counts[queue] += 1;
                done.push((queue, writes, counts[queue]));
            }
        }
    }
}
