//! Passes over the keys of a row: each moves them to where their bins or digits say, in their order.

use super::keys::Key;
use super::{BINS, CHUNK, DIGITS, LONG, PairsOf, Rows, ended};
use crate::numeric::Shared;
use crate::pool;
use std::ops::Range;
use warpcell_base::error::Result;

pub(super) fn least_and_most<K: Key>(range: Range<usize>, read: impl Fn(usize) -> K) -> (K, K) {
    let first = read(range.start);
    range.fold((first, first), |(least, most), index| (least.min(read(index)), most.max(read(index))))
}

/// Moves keys and values to their bins, each bin's in their order, on all threads; gives where the bins end.
pub(super) fn partition<K: Key, V: Copy>(
    keys: Range<usize>,
    bin: impl Fn(K) -> usize + Copy + Sync,
    read: impl Fn(usize) -> (K, V) + Copy + Sync,
    write: impl Fn(usize, K, V) + Copy + Sync,
) -> Result<Vec<usize>> {
    let chunk = keys.len().div_ceil(4 * pool::threads()).clamp(LONG / 8, CHUNK);
    let chunks = keys.len().div_ceil(chunk);
    let part = |index: usize| keys.start + index * chunk..keys.end.min(keys.start + (index + 1) * chunk);
    let mut tables = vec![[0usize; BINS]; chunks];
    let shared = Shared(tables.as_mut_ptr());
    pool::split(chunks, 1, &|range| {
        for index in range {
            // SAFETY: each chunk has a table of its own.
            let table = unsafe { &mut *shared.get().add(index) };
            count(part(index), table, move |index| bin(read(index).0));
        }
    });
    ended()?;
    let mut sum = keys.start;
    for value in 0..BINS {
        for table in &mut tables {
            let count = table[value];
            table[value] = sum;
            sum += count;
        }
    }
    let shared = Shared(tables.as_mut_ptr());
    pool::split(chunks, 1, &|range| {
        for index in range {
            // SAFETY: each chunk has a table of its own.
            let table = unsafe { &mut *shared.get().add(index) };
            move_to(part(index), table, bin, read, write);
        }
    });
    ended()?;
    // The last chunk's keys are the last of each bin.
    Ok(tables.pop().map_or_else(Vec::new, |ends| ends.to_vec()))
}

#[inline(always)]
pub(super) fn count<const N: usize>(range: Range<usize>, counts: &mut [usize; N], bin: impl Fn(usize) -> usize) {
    // A local table, which nothing else can be writing to.
    let mut table = [0usize; N];
    range.for_each(|index| table[bin(index)] += 1);
    *counts = table;
}

/// Makes of each count the sum of those before it.
pub(super) fn starts_of(counts: &mut [usize], start: usize) {
    let mut sum = start;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

/// Moves keys and values to where their bin ends so far, and the end on.
#[inline(always)]
pub(super) fn move_to<K: Key, V, const N: usize>(
    range: Range<usize>,
    ends: &mut [usize; N],
    bin: impl Fn(K) -> usize,
    read: impl Fn(usize) -> (K, V),
    write: impl Fn(usize, K, V),
) {
    for index in range {
        let (key, value) = read(index);
        let end = &mut ends[bin(key)];
        let place = *end;
        *end += 1;
        write(place, key, value);
    }
}

/// A pass over the digit that begins at a bit. The first reads the row, the last one writes the results.
///
/// # Safety
///
/// The places must have room for the row, and what is read must have been written.
pub(super) unsafe fn any_pass<R: Rows>(
    rows: R,
    row: usize,
    (first, last): (bool, bool),
    (from, to): (PairsOf<R>, PairsOf<R>),
    length: usize,
    shift: u32,
) {
    #[inline(always)]
    fn pass<K: Key, V>(length: usize, shift: u32, read: impl Fn(usize) -> (K, V) + Copy, write: impl Fn(usize, K, V)) {
        let mut ends = [0; DIGITS];
        count(0..length, &mut ends, move |index| read(index).0.digit(shift));
        starts_of(&mut ends, 0);
        move_to(0..length, &mut ends, move |key: K| key.digit(shift), read, write);
    }
    // SAFETY: the caller's promise.
    let of_rows = move |index: usize| unsafe { rows.read(row, index) };
    // SAFETY: the caller's promise.
    let of_place = move |index: usize| unsafe { from.read(index) };
    // SAFETY: the caller's promise.
    let to_rows = move |index: usize, key: R::Key, value: R::Value| unsafe { rows.write(row, index, key, value) };
    // SAFETY: the caller's promise.
    let to_place = move |index: usize, key: R::Key, value: R::Value| unsafe { to.write(index, key, value) };
    match (first, last) {
        (true, true) => pass(length, shift, of_rows, to_rows),
        (true, false) => pass(length, shift, of_rows, to_place),
        (false, true) => pass(length, shift, of_place, to_rows),
        (false, false) => pass(length, shift, of_place, to_place),
    }
}

/// Sorts by the first digits alone, below the bit `end`, and moves what is then out of order, one by one: mostly next to nothing. Whether
/// that was so; else nothing is written.
///
/// # Safety
///
/// The row must have as many elements, which nothing else accesses; the places must have room for the row.
pub(super) unsafe fn sort_by_first_digits<R: Rows>(
    rows: R,
    row: usize,
    length: usize,
    places: [PairsOf<R>; 2],
    end: u32,
    digits: u32,
) -> bool {
    for pass in 0..digits {
        let (from, to) = (places[(pass as usize + 1) % 2], places[pass as usize % 2]);
        let shift = end - (digits - pass) * DIGITS.ilog2();
        // SAFETY: the caller's promise.
        unsafe { any_pass(rows, row, (pass == 0, false), (from, to), length, shift) };
    }
    let sorted = places[(digits as usize + 1) % 2];
    let mut moves = 0;
    // SAFETY: the caller's promise; all places were written.
    unsafe {
        let mut last = sorted.read(0).0;
        for index in 1..length {
            let (key, value) = sorted.read(index);
            if key >= last {
                last = key;
                continue;
            }
            let mut at = index;
            while at > 0 && sorted.read(at - 1).0 > key {
                let (key, value) = sorted.read(at - 1);
                sorted.write(at, key, value);
                at -= 1;
            }
            sorted.write(at, key, value);
            moves += index - at;
            if moves > length {
                return false;
            }
        }
        for index in 0..length {
            let (key, value) = sorted.read(index);
            rows.write(row, index, key, value);
        }
    }
    true
}
