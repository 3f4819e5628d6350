//! Random permutations: every one of them equally likely, as far as the generator goes, and the same whatever the threads.
//!
//! Swapping in place (Fisher and Yates) reads memory all over. Where there is more than a cache holds, each number is thrown
//! into one of many bins first, and then each bin is shuffled by itself (Rao 1961, Sandelius 1962): the result is as evenly
//! distributed, and the bins can be filled and shuffled on all cores.

use super::numeric::Shared;
use super::pool;
use super::random::{WORDS, halves, words_of};
use std::ops::Range;
use warpcell_base::error::{Error, Result};
use warpcell_base::philox::Blocks;

/// Numbers in one bin, about; they stay in a second-level cache.
const BIN: usize = 1 << 15;
/// Numbers that are thrown in one piece.
const PIECE: usize = 1 << 17;

/// How many blocks a permutation of `n` takes: a half word for each bin, and a word for each swap.
pub fn blocks_of(n: usize) -> u64 {
    n.div_ceil(4) as u64 + n.div_ceil(2) as u64
}

/// The numbers from 0 to below `n` in random order.
pub fn permutation(blocks: Blocks, n: usize) -> Result<Vec<i64>> {
    if n <= BIN {
        let mut numbers: Vec<i64> = (0..n as i64).collect();
        shuffle(swaps(blocks, n), 0, &mut numbers);
        return Ok(numbers);
    }
    let bits = n.div_ceil(BIN).next_power_of_two().ilog2();
    let bins = 1usize << bits;
    let pieces = n.div_ceil(PIECE);
    let piece = |index: usize| index * PIECE..n.min((index + 1) * PIECE);

    // How many of each piece fall into each bin; then where each piece begins in each bin.
    let mut places = vec![0usize; pieces * bins];
    let rows = Shared(places.as_mut_ptr());
    pool::split(pieces, 1, &|range| {
        for index in range {
            // SAFETY: the row of this piece, which belongs to one task.
            let row = unsafe { std::slice::from_raw_parts_mut(rows.get().add(index * bins), bins) };
            thrown(blocks, bits, piece(index), |_, bin| row[bin] += 1);
        }
    });
    complete()?;
    let mut starts = Vec::with_capacity(bins + 1);
    let mut position = 0;
    for bin in 0..bins {
        starts.push(position);
        for piece in 0..pieces {
            position += std::mem::replace(&mut places[piece * bins + bin], position);
        }
    }
    starts.push(n);

    let mut numbers = vec![0i64; n];
    let out = Shared(numbers.as_mut_ptr());
    let rows = Shared(places.as_mut_ptr());
    pool::split(pieces, 1, &|range| {
        for index in range {
            // SAFETY: as above.
            let row = unsafe { std::slice::from_raw_parts_mut(rows.get().add(index * bins), bins) };
            // SAFETY: each piece has a part of each bin to itself, as large as was counted above.
            thrown(blocks, bits, piece(index), |number, bin| unsafe {
                out.get().add(row[bin]).write(number as i64);
                row[bin] += 1;
            });
        }
    });
    complete()?;
    pool::split(bins, 1, &|range| {
        for bin in range {
            let (start, end) = (starts[bin], starts[bin + 1]);
            // SAFETY: the bin belongs to one task.
            let numbers = unsafe { std::slice::from_raw_parts_mut(out.get().add(start), end - start) };
            shuffle(swaps(blocks, n), start, numbers);
        }
    });
    complete()?;
    Ok(numbers)
}

/// Whether the work was done to the end.
fn complete() -> Result<()> {
    if pool::left_out() { Err(Error::Interrupted) } else { Ok(()) }
}

/// The blocks for the swaps, behind those for the bins.
fn swaps(blocks: Blocks, n: usize) -> Blocks {
    Blocks { first: blocks.first.wrapping_add(n.div_ceil(4) as u64), ..blocks }
}

/// Calls `each` with every number of a range, which begins at a piece, and its bin.
fn thrown(blocks: Blocks, bits: u32, range: Range<usize>, mut each: impl FnMut(usize, usize)) {
    let mut words = [0; WORDS];
    for first in range.clone().step_by(2 * WORDS) {
        words_of(blocks, (first / 4) as u64, &mut words);
        for (number, &half) in (first..range.end).zip(halves(&words)) {
            each(number, (half >> (32 - bits)) as usize);
        }
    }
}

/// Swaps each number with one at or before its place. The numbers are those from `start` on of the whole.
fn shuffle(blocks: Blocks, start: usize, numbers: &mut [i64]) {
    let mut words = [0; WORDS];
    // The first word of those at hand; words are made two at a time.
    let mut made = start / 2 * 2;
    words_of(blocks, (made / 2) as u64, &mut words);
    for place in 1..numbers.len() {
        let index = start + place;
        if index - made >= WORDS {
            made = index / 2 * 2;
            words_of(blocks, (made / 2) as u64, &mut words);
        }
        let other = blocks.below(words[index - made], index as u64, place as u64 + 1);
        numbers.swap(place, other as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpcell_base::philox::Stream;

    fn is_permutation(numbers: &[i64]) -> bool {
        let mut seen = vec![false; numbers.len()];
        numbers.iter().all(|&number| !std::mem::replace(&mut seen[number as usize], true))
    }

    #[test]
    fn every_number_is_there_once() {
        for n in [0, 1, 2, 3, 1000, 1025, BIN, BIN + 1, 3 * PIECE + 17] {
            let mut stream = Stream::new(n as u64);
            let numbers = permutation(stream.take(blocks_of(n)), n).unwrap();
            assert!(numbers.len() == n && is_permutation(&numbers), "{n}");
        }
    }

    #[test]
    fn all_orders_of_few_are_equally_likely() {
        let mut stream = Stream::new(5);
        let mut times = std::collections::HashMap::new();
        for _ in 0..24_000 {
            *times.entry(permutation(stream.take(blocks_of(4)), 4).unwrap()).or_insert(0) += 1;
        }
        assert_eq!(times.len(), 24);
        // Chi-squared with 23 degrees of freedom: beyond 60 once in 30,000 times.
        let squares: f64 = times.values().map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0).sum();
        assert!(squares < 60.0, "{squares}");
    }

    #[test]
    fn places_and_numbers_are_independent_where_there_are_bins() {
        let n = 8 * BIN;
        let numbers = permutation(Stream::new(9).take(0), n).unwrap();
        // How many numbers of each eighth are at places of each eighth.
        let mut table = [[0f64; 8]; 8];
        let (mut fixed, mut rising) = (0, 0);
        for (place, &number) in numbers.iter().enumerate() {
            table[place * 8 / n][number as usize * 8 / n] += 1.0;
            fixed += usize::from(place as i64 == number);
            rising += usize::from(place > 0 && numbers[place - 1] < number);
        }
        let expected = n as f64 / 64.0;
        let squares: f64 = table.iter().flatten().map(|count| (count - expected).powi(2) / expected).sum();
        // 49 degrees of freedom.
        assert!((20.0..100.0).contains(&squares), "{squares}");
        assert!(fixed < 10, "{fixed}");
        // Rising neighbours: half of them, with a standard deviation of √(n / 12).
        assert!((rising as f64 - n as f64 / 2.0).abs() < 5.0 * (n as f64 / 12.0).sqrt(), "{rising}");
    }
}
