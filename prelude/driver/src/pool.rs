//! Book-keeping of a device's memory: which parts of which segments are in use. Plain data; calls nothing of CUDA.
//!
//! Sizes are multiples of [`UNIT`]. A segment is memory from the driver; it starts as one chunk, is split by best fit,
//! and neighbouring free chunks are joined. The figures are those of CuPy's pool.
//!
//! A segment belongs to a queue, and so do its chunks: they are handed out for work in that queue, which is behind all earlier
//! work in it. A whole segment may be handed on to another queue when the first one is done.
//!
//! A segment of which nothing is used is idle from the next call of [`Pool::note_idle`] on, until a part of it is taken: so
//! taking and giving need no clock.

use super::queue::QUEUES;
use std::collections::BTreeSet;

/// Sizes are rounded up to this.
pub const UNIT: usize = 512;

const NONE: u32 = u32::MAX;

/// The number of a chunk that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk(u32);

struct Entry {
    address: u64,
    bytes: usize,
    /// Neighbours in the segment, or `NONE`.
    before: u32,
    after: u32,
    /// The number of its queue.
    queue: u8,
    free: bool,
    /// When a whole free segment was first seen to be so; `IN_USE` before that.
    idle_since: u64,
}

const IN_USE: u64 = u64::MAX;

#[derive(Default)]
pub struct Pool {
    entries: Vec<Entry>,
    /// Numbers of entries that stand for nothing.
    vacant: Vec<u32>,
    /// Free chunks of each queue by size: the first at or after a size is the best fit. A handful of entries in practice, so
    /// that a search, some tens of nanoseconds, is not what a small operation waits for.
    free: [BTreeSet<(usize, u32)>; QUEUES],
    /// Chunks that are neither in use nor free.
    withheld: usize,
    used: usize,
    total: usize,
    limit: Option<usize>,
}

impl Entry {
    /// Whether the chunk is a whole segment.
    fn is_segment(&self) -> bool {
        self.before == NONE && self.after == NONE
    }
}

/// What is in a pool, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// In use.
    pub used: usize,
    /// In all segments, in use or not.
    pub total: usize,
    /// The number of free chunks.
    pub free_chunks: usize,
    /// What all segments together may have.
    pub limit: Option<usize>,
}

impl Pool {
    pub fn figures(&self) -> Figures {
        let free_chunks = self.free.iter().map(BTreeSet::len).sum::<usize>() + self.withheld;
        Figures { used: self.used, total: self.total, free_chunks, limit: self.limit }
    }

    /// Limits what all segments together may have from now on.
    pub fn set_limit(&mut self, limit: Option<usize>) {
        self.limit = limit;
    }

    /// Whether a segment of `bytes` more stays within the limit.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        let total = self.total.checked_add(bytes);
        total.is_some_and(|total| self.limit.is_none_or(|limit| total <= limit))
    }

    /// A chunk of `bytes` (a multiple of [`UNIT`], not zero) from what is free for a queue: its number and address.
    pub fn take(&mut self, bytes: usize, queue: u8) -> Option<(Chunk, u64)> {
        let free = &mut self.free[usize::from(queue)];
        let &(found, number) = free.range((bytes, 0)..).next()?;
        free.remove(&(found, number));
        let entry = &mut self.entries[number as usize];
        entry.free = false;
        entry.idle_since = IN_USE;
        let (address, after) = (entry.address, entry.after);
        if found > bytes {
            entry.bytes = bytes;
            let rest = self.insert(Entry {
                address: address + bytes as u64,
                bytes: found - bytes,
                before: number,
                after,
                queue,
                free: true,
                idle_since: IN_USE,
            });
            self.entries[number as usize].after = rest;
            if after != NONE {
                self.entries[after as usize].before = rest;
            }
            self.free[usize::from(queue)].insert((found - bytes, rest));
        }
        self.used += bytes;
        Some((Chunk(number), address))
    }

    /// Adds a segment from the driver, all of it in use by a queue as one chunk.
    pub fn add(&mut self, address: u64, bytes: usize, queue: u8) -> Chunk {
        self.used += bytes;
        self.total += bytes;
        let whole = Entry { address, bytes, before: NONE, after: NONE, queue, free: false, idle_since: IN_USE };
        Chunk(self.insert(whole))
    }

    /// Hands a free segment of `bytes` at least from another queue, for which `is_done` holds, on to this one; whether there was
    /// one. The smallest such queue's best fit.
    pub fn hand_on<E>(
        &mut self,
        bytes: usize,
        queue: u8,
        mut is_done: impl FnMut(u8) -> Result<bool, E>,
    ) -> Result<bool, E> {
        for other in (0..QUEUES as u8).filter(|&other| other != queue) {
            let mut enough = self.free[usize::from(other)].range((bytes, 0)..);
            let Some(&found) = enough.find(|(_, number)| self.entries[*number as usize].is_segment()) else { continue };
            if is_done(other)? {
                self.free[usize::from(other)].remove(&found);
                self.free[usize::from(queue)].insert(found);
                self.entries[found.1 as usize].queue = queue;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes a chunk back, and joins it with free neighbours.
    pub fn give(&mut self, chunk: Chunk) {
        self.withhold(chunk);
        self.free(chunk);
    }

    /// Takes a chunk back that cannot be handed out yet.
    pub fn withhold(&mut self, chunk: Chunk) {
        self.used -= self.entries[chunk.0 as usize].bytes;
        self.withheld += 1;
    }

    /// Lets a chunk that was withheld be handed out again, joined with free neighbours.
    pub fn free(&mut self, chunk: Chunk) {
        self.withheld -= 1;
        let number = chunk.0;
        let queue = usize::from(self.entries[number as usize].queue);
        let mut first = number;
        let before = self.entries[number as usize].before;
        if before != NONE && self.entries[before as usize].free {
            self.free[queue].remove(&(self.entries[before as usize].bytes, before));
            self.join(before, number);
            first = before;
        }
        let after = self.entries[first as usize].after;
        if after != NONE && self.entries[after as usize].free {
            self.free[queue].remove(&(self.entries[after as usize].bytes, after));
            self.join(first, after);
        }
        let entry = &mut self.entries[first as usize];
        entry.free = true;
        entry.idle_since = IN_USE;
        self.free[queue].insert((entry.bytes, first));
    }

    /// Removes the segments of which nothing is in use, and gives their addresses.
    pub fn remove_unused(&mut self) -> Vec<u64> {
        self.remove(|_| true)
    }

    /// Notes at the time `now` which segments nothing is in use of; whether some have been idle for `age`, in its unit.
    pub fn note_idle(&mut self, now: u64, age: u64) -> bool {
        let mut is_old = false;
        for &(_, number) in self.free.iter().flatten() {
            let entry = &mut self.entries[number as usize];
            if entry.is_segment() {
                entry.idle_since = entry.idle_since.min(now);
                is_old |= now - entry.idle_since >= age;
            }
        }
        is_old
    }

    /// Removes the segments that were noted to be idle for `age`, and gives their addresses.
    pub fn remove_idle(&mut self, now: u64, age: u64) -> Vec<u64> {
        self.remove(|entry| now.checked_sub(entry.idle_since).is_some_and(|idle| idle >= age))
    }

    fn remove(&mut self, goes: impl Fn(&Entry) -> bool) -> Vec<u64> {
        let unused: Vec<(usize, u32)> = self
            .free
            .iter()
            .flatten()
            .copied()
            .filter(|&(_, number)| {
                let entry = &self.entries[number as usize];
                entry.is_segment() && goes(entry)
            })
            .collect();
        let mut addresses = Vec::with_capacity(unused.len());
        for (bytes, number) in unused {
            self.free[usize::from(self.entries[number as usize].queue)].remove(&(bytes, number));
            self.total -= bytes;
            self.vacant.push(number);
            addresses.push(self.entries[number as usize].address);
        }
        addresses
    }

    /// Lets the first of two neighbours take over the second.
    fn join(&mut self, first: u32, second: u32) {
        let (bytes, after) = (self.entries[second as usize].bytes, self.entries[second as usize].after);
        self.entries[first as usize].bytes += bytes;
        self.entries[first as usize].after = after;
        if after != NONE {
            self.entries[after as usize].before = first;
        }
        self.vacant.push(second);
    }

    fn insert(&mut self, entry: Entry) -> u32 {
        match self.vacant.pop() {
            Some(number) => {
                self.entries[number as usize] = entry;
                number
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_fit_splits_and_joins() {
        let mut pool = Pool::default();
        let (big, small) = (pool.add(0x1_0000, 8 * UNIT, 0), pool.add(0x9_0000, 2 * UNIT, 0));
        assert_eq!(pool.take(UNIT, 0), None, "all is in use");
        pool.give(big);
        pool.give(small);
        assert_eq!((pool.figures().used, pool.figures().total), (0, 10 * UNIT));
        assert_eq!(pool.figures().free_chunks, 2);
        let (a, address) = pool.take(UNIT, 0).unwrap();
        assert_eq!(address, 0x9_0000, "the smaller segment fits best");
        let (b, b_address) = pool.take(3 * UNIT, 0).unwrap();
        let (c, c_address) = pool.take(2 * UNIT, 0).unwrap();
        assert_eq!((b_address, c_address), (0x1_0000, 0x1_0000 + 3 * UNIT as u64));
        assert_eq!(pool.figures().used, 6 * UNIT);
        assert_eq!(pool.take(4 * UNIT, 0), None);
        pool.give(b);
        pool.give(c);
        let (whole, address) = pool.take(8 * UNIT, 0).unwrap();
        assert_eq!(address, 0x1_0000, "the pieces were joined again");
        assert_eq!(pool.remove_unused(), Vec::<u64>::new(), "a part of each segment is in use");
        pool.give(a);
        assert_eq!(pool.remove_unused(), vec![0x9_0000]);
        pool.give(whole);
        assert_eq!(pool.remove_unused(), vec![0x1_0000]);
        assert_eq!(pool.figures(), Figures::default());
    }

    #[test]
    fn segments_are_idle_from_when_it_was_noted_until_they_are_used() {
        let mut pool = Pool::default();
        let (a, b) = (pool.add(0x1_0000, 8 * UNIT, 0), pool.add(0x9_0000, 2 * UNIT, 0));
        pool.give(a);
        assert!(!pool.note_idle(100, 60));
        pool.give(b);
        assert!(!pool.note_idle(159, 60), "the first one is idle for 59");
        assert!(pool.note_idle(160, 60));
        assert_eq!(pool.remove_idle(160, 60), vec![0x1_0000]);
        assert_eq!(pool.remove_idle(218, 60), Vec::<u64>::new());
        // Taken and given back: it begins anew.
        let (part, _) = pool.take(UNIT, 0).unwrap();
        assert!(!pool.note_idle(300, 60), "a part is in use");
        pool.give(part);
        assert!(!pool.note_idle(310, 60) && !pool.note_idle(369, 60) && pool.note_idle(370, 60));
        assert_eq!(pool.remove_idle(370, 60), vec![0x9_0000]);
        assert_eq!(pool.figures(), Figures::default());
    }

    #[test]
    fn a_limit_counts_what_is_unused_too() {
        let mut pool = Pool::default();
        assert!(pool.has_room_for(usize::MAX));
        pool.set_limit(Some(4 * UNIT));
        let chunk = pool.add(0x1_0000, 3 * UNIT, 0);
        assert!(pool.has_room_for(UNIT) && !pool.has_room_for(2 * UNIT) && !pool.has_room_for(usize::MAX));
        pool.give(chunk);
        assert!(!pool.has_room_for(2 * UNIT));
        pool.remove_unused();
        assert!(pool.has_room_for(4 * UNIT));
        assert_eq!(pool.figures().limit, Some(4 * UNIT));
    }

    #[test]
    fn chunks_never_overlap() {
        let mut pool = Pool::default();
        let mut state = 1u64;
        let mut next = move |below: u64| {
            // Marsaglia's xorshift64.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let (mut live, mut end) = (Vec::<(Chunk, u64, usize)>::new(), 0u64);
        for _ in 0..5000 {
            if next(2) == 0 && !live.is_empty() {
                let (chunk, ..) = live.swap_remove(next(live.len() as u64) as usize);
                pool.give(chunk);
            } else {
                let bytes = (1 + next(40) as usize) * UNIT;
                let (chunk, address) = pool.take(bytes, 0).unwrap_or_else(|| {
                    end += bytes as u64 + UNIT as u64;
                    (pool.add(end - bytes as u64, bytes, 0), end - bytes as u64)
                });
                let apart = |&(_, other, length): &(Chunk, u64, usize)| {
                    address + bytes as u64 <= other || other + length as u64 <= address
                };
                assert!(live.iter().all(apart));
                live.push((chunk, address, bytes));
            }
            assert_eq!(pool.figures().used, live.iter().map(|(_, _, bytes)| bytes).sum::<usize>());
        }
        live.into_iter().for_each(|(chunk, ..)| pool.give(chunk));
        pool.remove_unused();
        assert_eq!(pool.figures(), Figures::default());
    }

    #[test]
    fn chunks_are_for_their_own_queue() {
        let mut pool = Pool::default();
        let (whole, small) = (pool.add(0x1_0000, 8 * UNIT, 1), pool.add(0x9_0000, 2 * UNIT, 1));
        pool.give(whole);
        pool.give(small);
        assert_eq!((pool.take(UNIT, 0), pool.take(UNIT, 2)), (None, None));
        let done = |wanted: u8| move |queue: u8| Ok::<bool, ()>(queue == wanted);
        assert_eq!(pool.hand_on(UNIT, 0, done(2)), Ok(false), "its queue is at work");
        assert_eq!(pool.hand_on(3 * UNIT, 0, |_| Err("lost")), Err("lost"));
        let (part, address) = pool.take(UNIT, 1).unwrap();
        assert_eq!(address, 0x9_0000);
        assert_eq!(pool.hand_on(UNIT, 0, done(1)), Ok(true));
        assert_eq!(pool.hand_on(UNIT, 0, done(1)), Ok(false), "a part of the other is in use");
        let (other, address) = pool.take(8 * UNIT, 0).unwrap();
        assert_eq!((address, pool.take(8 * UNIT, 1)), (0x1_0000, None));
        pool.give(part);
        pool.give(other);
        assert_eq!(pool.take(8 * UNIT, 1), None, "it came back to the queue that it was handed on to");
        assert_eq!(pool.remove_unused().len(), 2);
        assert_eq!(pool.figures(), Figures::default());
    }

    #[test]
    fn what_is_withheld_is_neither_used_nor_handed_out() {
        let mut pool = Pool::default();
        let whole = pool.add(0x1_0000, 8 * UNIT, 3);
        pool.give(whole);
        let (part, _) = pool.take(UNIT, 3).unwrap();
        pool.withhold(part);
        assert_eq!((pool.figures().used, pool.figures().free_chunks), (0, 2));
        assert_eq!(pool.take(8 * UNIT, 3), None);
        assert_eq!(pool.remove_unused(), Vec::<u64>::new());
        pool.free(part);
        assert_eq!(pool.figures().free_chunks, 1);
        assert!(pool.take(8 * UNIT, 3).is_some());
    }
}
