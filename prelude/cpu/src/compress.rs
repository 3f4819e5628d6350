//! The true elements of a mask: their positions, or the elements of an array at these positions.

use super::memory::Memory;
use super::numeric::{Shared, by_isa, for_bits};
use super::pool;
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};

/// Elements whose true ones are counted, and later written, by one task.
const CHUNK: usize = 1 << 15;
/// Elements that pass through a buffer at a time.
const BLOCK: usize = 512;

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
            None => write::<i64>(mask, &starts, &|position| position as i64, memory.start()),
            Some((from, dtype)) => for_bits!(dtype, T => write_elements::<T>(mask, &starts, from, memory.start())),
        }
    }
    Ok((memory, total))
}

/// # Safety
///
/// As for [`write()`]; `from` must be the start of as many elements as the mask has.
unsafe fn write_elements<T: Copy + Default>(mask: &[u8], starts: &[usize], from: *const u8, out: *mut u8) {
    let from = Shared(from.cast_mut().cast::<T>());
    // SAFETY: the caller's promise.
    unsafe { write::<T>(mask, starts, &|position| from.get().add(position).read(), out) };
}

/// Writes the value of each position where the mask is true; those of a chunk begin at its start.
///
/// # Safety
///
/// `starts` must be the numbers of true elements before each chunk, and `out` must have room for all of them.
unsafe fn write<T: Copy + Default>(mask: &[u8], starts: &[usize], value: &(impl Fn(usize) -> T + Sync), out: *mut u8) {
    let out = Shared(out.cast::<T>());
    pool::split(mask.len(), CHUNK, &|range| {
        let mut buffer = [T::default(); BLOCK];
        let mut written = 0;
        for first in range.clone().step_by(BLOCK) {
            if first % CHUNK == 0 {
                written = starts[first / CHUNK];
            }
            let mut kept = 0;
            let mut at = first;
            // Without a branch: each element is written, and stays if it is true.
            let mut one = |at: usize, flag: u8, kept: &mut usize| {
                buffer[*kept % BLOCK] = value(at);
                *kept += usize::from(flag != 0);
            };
            let (eights, rest) = mask[first..range.end.min(first + BLOCK)].as_chunks::<8>();
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
            // SAFETY: the caller's promise; each chunk has its own places.
            unsafe { std::ptr::copy_nonoverlapping(buffer.as_ptr(), out.get().add(written), kept) };
            written += kept;
        }
    });
}

by_isa! {
    fn count(mask: &[u8]) -> usize {
        // A sum of bytes fits a byte for 255 of them.
        mask.chunks(255).map(|few| usize::from(few.iter().fold(0u8, |sum, &flag| sum + u8::from(flag != 0)))).sum()
    }
}
