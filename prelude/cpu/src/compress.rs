//! The true elements of a mask: their positions, or the elements of an array at these positions.

use super::memory::Memory;
use super::numeric::{Shared, by_isa, for_bits};
use super::pool;
use std::arch::x86_64::{
    __m512i, _mm_loadu_epi8, _mm_test_epi8_mask, _mm512_maskz_compress_epi32, _mm512_maskz_compress_epi64,
    _mm512_storeu_epi32, _mm512_storeu_epi64,
};
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};

/// Elements whose true ones are counted, and later written, by one task.
const CHUNK: usize = 1 << 15;
/// Elements that pass through a buffer at a time.
const BLOCK: usize = 512;
/// What the buffer has room for: whole registers are written, too.
const ROOM: usize = BLOCK + 16;

/// The positions of the true ones among `size` bools, as i64; or, of an array of as many elements (its start and
/// its dtype), the elements at these positions. New memory, and how many there are.
///
/// # Safety
///
/// Both must be memory that nothing else accesses.
pub(super) unsafe fn compress(
    mask: *const u8,
    size: usize,
    source: Option<(*const u8, DType)>,
) -> Result<(Memory, usize)> {
    // SAFETY: the caller's promise.
    let mask = unsafe { std::slice::from_raw_parts(mask, size) };
    let chunks = size.div_ceil(CHUNK);
    let mut starts = vec![0usize; chunks];
    let counts = Shared(starts.as_mut_ptr());
    pool::split(size, CHUNK, &|range| {
        for (index, chunk) in mask[range.clone()].chunks(CHUNK).enumerate() {
            // SAFETY: a part begins at a multiple of a chunk; each chunk belongs to one task.
            unsafe { counts.get().add(range.start / CHUNK + index).write(count(chunk)) };
        }
    });
    // What was left out has no counts.
    if pool::left_out() {
        return Err(Error::Interrupted);
    }
    let mut total = 0;
    for start in &mut starts {
        total += std::mem::replace(start, total);
    }
    let bytes = source.map_or(8, |(_, dtype)| dtype.size());
    let memory = Memory::new(total * bytes)?;
    // SAFETY: the memory has room for all of the true elements, which were counted under the same lock.
    unsafe {
        match source {
            None => write(mask, &starts, &Positions, memory.start()),
            Some((from, dtype)) => for_bits!(dtype, T => {
                write(mask, &starts, &Elements(Shared(from.cast_mut().cast::<T>())), memory.start());
            }),
        }
    }
    Ok((memory, total))
}

/// What is written for the true ones.
trait Values: Sync {
    type Value: Copy + Default;
    /// That of a position.
    ///
    /// # Safety
    ///
    /// The mask has the position.
    unsafe fn at(&self, position: usize) -> Self::Value;
    /// Those of neighbouring positions.
    ///
    /// # Safety
    ///
    /// The mask has the positions.
    #[inline(always)]
    unsafe fn neighbours<const N: usize>(&self, position: usize) -> [Self::Value; N] {
        // SAFETY: the caller's promise.
        std::array::from_fn(|index| unsafe { self.at(position + index) })
    }
}

struct Positions;

impl Values for Positions {
    type Value = i64;

    #[inline(always)]
    unsafe fn at(&self, position: usize) -> i64 {
        position as i64
    }
}

/// The elements of an array that has as many as the mask, and that nothing else accesses.
struct Elements<T>(Shared<T>);

impl<T: Copy + Default> Values for Elements<T> {
    type Value = T;

    #[inline(always)]
    unsafe fn at(&self, position: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.0.get().add(position).read() }
    }
}

/// Writes the value of each position where the mask is true; those of a chunk begin at its start.
///
/// # Safety
///
/// `starts` must be the numbers of true elements before each chunk, and `out` must have room for all of them.
unsafe fn write<V: Values>(mask: &[u8], starts: &[usize], values: &V, out: *mut u8) {
    let out = Shared(out.cast::<V::Value>());
    let is_wide = has_compression() && matches!(size_of::<V::Value>(), 4 | 8);
    pool::split(mask.len(), CHUNK, &|range| {
        let mut buffer = [V::Value::default(); ROOM];
        let mut written = 0;
        for first in range.clone().step_by(BLOCK) {
            if first % CHUNK == 0 {
                written = starts[first / CHUNK];
            }
            let block = &mask[first..range.end.min(first + BLOCK)];
            let kept = if is_wide {
                // SAFETY: the processor has the instructions, the mask the positions, and values of this size are what it moves.
                unsafe { block_by_registers(block, first, values, &mut buffer) }
            } else {
                block_one_by_one(block, first, values, &mut buffer)
            };
            // SAFETY: the caller's promise; each chunk has its own places.
            unsafe { std::ptr::copy_nonoverlapping(buffer.as_ptr(), out.get().add(written), kept) };
            written += kept;
        }
    });
}

/// Puts the values of a block of the mask, which begins at a position, into the buffer; how many there are.
#[inline(always)]
fn block_one_by_one<V: Values>(mask: &[u8], first: usize, values: &V, buffer: &mut [V::Value; ROOM]) -> usize {
    let (mut kept, mut at) = (0, first);
    // Without a branch: each element is written, and stays if it is true.
    let mut one = |at: usize, flag: u8, kept: &mut usize| {
        // SAFETY: a position of the mask.
        buffer[*kept % BLOCK] = unsafe { values.at(at) };
        *kept += usize::from(flag != 0);
    };
    let (eights, rest) = mask.as_chunks::<8>();
    for eight in eights {
        match eight {
            [0, 0, 0, 0, 0, 0, 0, 0] => {}
            // All true: often so are many neighbours.
            [1, 1, 1, 1, 1, 1, 1, 1] => (at..at + 8).for_each(|at| one(at, 1, &mut kept)),
            eight => (at..).zip(eight).for_each(|(at, &flag)| one(at, flag, &mut kept)),
        }
        at += 8;
    }
    (at..).zip(rest).for_each(|(at, &flag)| one(at, flag, &mut kept));
    kept
}

fn has_compression() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl")
}

/// The same for values of 4 or 8 bytes, as many at a time as fit a register.
///
/// # Safety
///
/// The processor must have the instructions, see [`has_compression`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
unsafe fn block_by_registers<V: Values>(mask: &[u8], first: usize, values: &V, buffer: &mut [V::Value; ROOM]) -> usize {
    let mut kept = 0;
    let (sixteens, rest) = mask.as_chunks::<16>();
    for (index, flags) in sixteens.iter().enumerate() {
        let at = first + 16 * index;
        // SAFETY: 16 bytes.
        let flags = unsafe { _mm_loadu_epi8(flags.as_ptr().cast()) };
        let bits = _mm_test_epi8_mask(flags, flags);
        // SAFETY: the mask has the positions; the buffer has room for a whole register behind those of a block.
        unsafe {
            let target = buffer.as_mut_ptr().add(kept);
            if size_of::<V::Value>() == 8 {
                let halves = [values.neighbours::<8>(at), values.neighbours::<8>(at + 8)];
                let halves = halves.map(|eight| eight.as_ptr().cast::<__m512i>().read_unaligned());
                let low = bits as u8;
                _mm512_storeu_epi64(target.cast(), _mm512_maskz_compress_epi64(low, halves[0]));
                let target = target.add(low.count_ones() as usize);
                _mm512_storeu_epi64(target.cast(), _mm512_maskz_compress_epi64((bits >> 8) as u8, halves[1]));
            } else {
                let all = values.neighbours::<16>(at);
                let all = all.as_ptr().cast::<__m512i>().read_unaligned();
                _mm512_storeu_epi32(target.cast(), _mm512_maskz_compress_epi32(bits, all));
            }
        }
        kept += bits.count_ones() as usize;
    }
    for (index, &flag) in rest.iter().enumerate() {
        // SAFETY: a position of the mask.
        buffer[kept] = unsafe { values.at(first + mask.len() - rest.len() + index) };
        kept += usize::from(flag != 0);
    }
    kept
}

by_isa! {
    fn count(mask: &[u8]) -> usize {
        // A sum of bytes fits a byte for 255 of them.
        mask.chunks(255).map(|few| usize::from(few.iter().fold(0u8, |sum, &flag| sum + u8::from(flag != 0)))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Copy + Default + PartialEq + std::fmt::Debug>(mask: &[u8], of: impl Fn(usize) -> T) {
        let elements: Vec<T> = (0..mask.len()).map(of).collect();
        let expected: Vec<T> = (0..mask.len()).filter(|&at| mask[at] != 0).map(|at| elements[at]).collect();
        let values = Elements(Shared(elements.as_ptr().cast_mut()));
        let mut buffer = [T::default(); ROOM];
        let kept = block_one_by_one(mask, 0, &values, &mut buffer);
        assert_eq!(buffer[..kept], expected);
        if has_compression() && matches!(size_of::<T>(), 4 | 8) {
            // SAFETY: as was just found; there are as many elements.
            let kept = unsafe { block_by_registers(mask, 0, &values, &mut buffer) };
            assert_eq!(buffer[..kept], expected);
        }
    }

    #[test]
    fn the_true_ones_of_blocks() {
        for length in [0, 1, 7, 8, 15, 16, 17, 100, BLOCK - 1, BLOCK] {
            for every in [1, 2, 3, 17, 1000] {
                let mask: Vec<u8> = (0..length).map(|at| u8::from(at * 7919 % every == 0)).collect();
                check(&mask, |at| at as u64 * 3);
                check(&mask, |at| at as f64);
                check(&mask, |at| at as u32 * 5);
                check(&mask, |at| at as u8);
                check(&mask, |at| (at as u64, at as u64));
            }
        }
    }
}
