//! Book-keeping of a device's memory: which parts of which segments are in use. Plain data; calls nothing of CUDA.
//!
//! Sizes are multiples of [`UNIT`]. A segment is memory from the driver; it starts as one chunk, is split by best fit,
//! and neighbouring free chunks are joined. The figures are those of CuPy's pool.

use std::collections::BTreeSet;

/// Sizes are rounded up to this.
pub(crate) const UNIT: usize = 512;

const NONE: u32 = u32::MAX;

/// The number of a chunk that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk(u32);

struct Entry {
    address: u64,
    bytes: usize,
    /// Neighbours in the segment, or `NONE`.
    before: u32,
    after: u32,
    free: bool,
}

#[derive(Default)]
pub(crate) struct Pool {
    entries: Vec<Entry>,
    /// Numbers of entries that stand for nothing.
    vacant: Vec<u32>,
    /// Free chunks by size: the first at or after a size is the best fit. A handful of entries in practice, so that a
    /// search, some tens of nanoseconds, is not what a small operation waits for.
    free: BTreeSet<(usize, u32)>,
    used: usize,
    total: usize,
}

impl Pool {
    /// Bytes in use, and bytes in all segments.
    pub fn figures(&self) -> (usize, usize) {
        (self.used, self.total)
    }

    /// A chunk of `bytes` (a multiple of [`UNIT`], not zero) from what is free: its number and address.
    pub fn take(&mut self, bytes: usize) -> Option<(Chunk, u64)> {
        let &(found, number) = self.free.range((bytes, 0)..).next()?;
        self.free.remove(&(found, number));
        let entry = &mut self.entries[number as usize];
        entry.free = false;
        let (address, after) = (entry.address, entry.after);
        if found > bytes {
            entry.bytes = bytes;
            let rest =
                Entry { address: address + bytes as u64, bytes: found - bytes, before: number, after, free: true };
            let rest = self.insert(rest);
            self.entries[number as usize].after = rest;
            if after != NONE {
                self.entries[after as usize].before = rest;
            }
            self.free.insert((found - bytes, rest));
        }
        self.used += bytes;
        Some((Chunk(number), address))
    }

    /// Adds a segment from the driver, all of it in use as one chunk.
    pub fn add(&mut self, address: u64, bytes: usize) -> Chunk {
        self.used += bytes;
        self.total += bytes;
        Chunk(self.insert(Entry { address, bytes, before: NONE, after: NONE, free: false }))
    }

    /// Takes a chunk back, and joins it with free neighbours.
    pub fn give(&mut self, chunk: Chunk) {
        let number = chunk.0;
        self.used -= self.entries[number as usize].bytes;
        let mut first = number;
        let before = self.entries[number as usize].before;
        if before != NONE && self.entries[before as usize].free {
            self.free.remove(&(self.entries[before as usize].bytes, before));
            self.join(before, number);
            first = before;
        }
        let after = self.entries[first as usize].after;
        if after != NONE && self.entries[after as usize].free {
            self.free.remove(&(self.entries[after as usize].bytes, after));
            self.join(first, after);
        }
        let entry = &mut self.entries[first as usize];
        entry.free = true;
        self.free.insert((entry.bytes, first));
    }

    /// Removes the segments of which nothing is in use, and gives their addresses.
    pub fn remove_unused(&mut self) -> Vec<u64> {
        let unused: Vec<(usize, u32)> = self
            .free
            .iter()
            .copied()
            .filter(|&(_, number)| {
                let entry = &self.entries[number as usize];
                entry.before == NONE && entry.after == NONE
            })
            .collect();
        let mut addresses = Vec::with_capacity(unused.len());
        for (bytes, number) in unused {
            self.free.remove(&(bytes, number));
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
        let (big, small) = (pool.add(0x1_0000, 8 * UNIT), pool.add(0x9_0000, 2 * UNIT));
        assert_eq!(pool.take(UNIT), None, "all is in use");
        pool.give(big);
        pool.give(small);
        assert_eq!(pool.figures(), (0, 10 * UNIT));
        let (a, address) = pool.take(UNIT).unwrap();
        assert_eq!(address, 0x9_0000, "the smaller segment fits best");
        let (b, b_address) = pool.take(3 * UNIT).unwrap();
        let (c, c_address) = pool.take(2 * UNIT).unwrap();
        assert_eq!((b_address, c_address), (0x1_0000, 0x1_0000 + 3 * UNIT as u64));
        assert_eq!(pool.figures().0, 6 * UNIT);
        assert_eq!(pool.take(4 * UNIT), None);
        pool.give(b);
        pool.give(c);
        let (whole, address) = pool.take(8 * UNIT).unwrap();
        assert_eq!(address, 0x1_0000, "the pieces were joined again");
        assert_eq!(pool.remove_unused(), Vec::<u64>::new(), "a part of each segment is in use");
        pool.give(a);
        assert_eq!(pool.remove_unused(), vec![0x9_0000]);
        pool.give(whole);
        assert_eq!(pool.remove_unused(), vec![0x1_0000]);
        assert_eq!(pool.figures(), (0, 0));
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
                let (chunk, address) = pool.take(bytes).unwrap_or_else(|| {
                    end += bytes as u64 + UNIT as u64;
                    (pool.add(end - bytes as u64, bytes), end - bytes as u64)
                });
                let apart = |&(_, other, length): &(Chunk, u64, usize)| {
                    address + bytes as u64 <= other || other + length as u64 <= address
                };
                assert!(live.iter().all(apart));
                live.push((chunk, address, bytes));
            }
            assert_eq!(pool.figures().0, live.iter().map(|(_, _, bytes)| bytes).sum::<usize>());
        }
        live.into_iter().for_each(|(chunk, ..)| pool.give(chunk));
        pool.remove_unused();
        assert_eq!(pool.figures(), (0, 0));
    }
}
