//! Rows of lanes: where they lie in an array, or copied side by side.

use super::super::numeric::for_bits;
use super::{ROWS, WIDTH};
use warpcell_base::dtype::DType;

/// Whether lanes lie side by side.
pub(super) fn are_neighbours(offsets: &[isize]) -> bool {
    offsets.windows(2).all(|two| two[1] - two[0] == 1)
}

/// Rows of lanes: where they are in the array, or a copy.
pub(super) struct Gathered<'a> {
    dtype: DType,
    start: *const u8,
    offsets: &'a [isize],
    step: isize,
    length: usize,
    /// Bools pass through a copy, which has 0 or 1.
    is_direct: bool,
}

impl<'a> Gathered<'a> {
    pub fn new(dtype: DType, start: *const u8, offsets: &'a [isize], step: isize, length: usize) -> Gathered<'a> {
        let is_direct = dtype != DType::Bool && are_neighbours(offsets);
        Gathered { dtype, start, offsets, step, length, is_direct }
    }

    /// Where a row is, until the next one is asked for. They are asked for one after the other.
    ///
    /// # Safety
    ///
    /// There are lanes of `length` elements; the tile is this one's since the first row.
    pub unsafe fn row(&mut self, number: usize, tile: &mut Vec<u128>) -> *const u8 {
        let size = self.dtype.size();
        let start = self.start.wrapping_offset(number as isize * self.step * size as isize);
        if self.is_direct {
            return start.wrapping_offset(self.offsets[0] * size as isize);
        }
        // Rows that lie a power of two apart would share a set of the first-level cache.
        let pitch = WIDTH + 64 / size;
        let in_tile = number % ROWS;
        if in_tile == 0 {
            tile.resize((ROWS * pitch * size).div_ceil(16), 0);
            let rows = ROWS.min(self.length - number);
            // SAFETY: the caller's promise; the tile has room for so many rows.
            unsafe { gather(self.dtype, start, self.offsets, self.step, rows, tile.as_mut_ptr().cast(), pitch) };
        }
        tile.as_ptr().cast::<u8>().wrapping_add(in_tile * pitch * size)
    }
}

/// As many lanes are gathered at once: their elements of a row fill a line of the cache.
const TOGETHER: usize = 8;

/// Copies elements of lanes to rows, `pitch` elements apart; bools become 0 or 1.
///
/// # Safety
///
/// Lanes of so many elements are at the offsets from `source`, a step apart; there is room for the rows at `target`.
pub(super) unsafe fn gather(
    dtype: DType,
    source: *const u8,
    offsets: &[isize],
    step: isize,
    rows: usize,
    target: *mut u8,
    pitch: usize,
) {
    macro_rules! copied {
        ($T:ty, |$value:ident| $stored:expr) => {{
            let (source, target) = (source.cast::<$T>(), target.cast::<$T>());
            for (number, offsets) in offsets.chunks(TOGETHER).enumerate() {
                let column = target.wrapping_add(number * TOGETHER);
                let copy = |row: usize, lane: usize, offset: isize| {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let $value = source.offset(offset + row as isize * step).read();
                        column.add(row * pitch + lane).write($stored);
                    }
                };
                if let Ok(offsets) = <[isize; TOGETHER]>::try_from(offsets) {
                    for row in 0..rows {
                        for (lane, offset) in offsets.into_iter().enumerate() {
                            copy(row, lane, offset);
                        }
                    }
                } else {
                    for row in 0..rows {
                        for (lane, &offset) in offsets.iter().enumerate() {
                            copy(row, lane, offset);
                        }
                    }
                }
            }
        }};
    }
    match dtype {
        DType::Bool => copied!(u8, |value| u8::from(value != 0)),
        dtype => for_bits!(dtype, T => copied!(T, |value| value)),
    }
}

/// The opposite of [`gather`].
///
/// # Safety
///
/// There are so many rows at `source`, `pitch` elements apart; nothing else accesses the places.
pub(super) unsafe fn scatter(
    dtype: DType,
    source: *const u8,
    pitch: usize,
    rows: usize,
    target: *mut u8,
    offsets: &[isize],
    step: isize,
) {
    for_bits!(dtype, T => {
        let (source, target) = (source.cast::<T>(), target.cast::<T>());
        for (number, offsets) in offsets.chunks(TOGETHER).enumerate() {
            for row in 0..rows {
                for (lane, &offset) in offsets.iter().enumerate() {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let value = source.add(row * pitch + number * TOGETHER + lane).read();
                        target.offset(offset + row as isize * step).write(value);
                    }
                }
            }
        }
    });
}
