//! Copying rows by their indices.

use super::numeric::Shared;
use super::pool;

/// `out[i, …] = source[indices[i], …]`, rows of `row` bytes.
///
/// # Safety
///
/// The indices must lie within the source, `out` must have a row for each, and only this call may access them.
pub(super) unsafe fn gather(source: *const u8, indices: &[i64], row: usize, out: *mut u8) {
    // Elements of the sizes that dtypes have are copied as integers of that size.
    // SAFETY: the caller's promise; rows of such a size are elements, and aligned.
    unsafe {
        match row {
            1 => elements::<u8>(source, indices, out),
            4 => elements::<u32>(source, indices, out),
            8 => elements::<u64>(source, indices, out),
            _ => rows(source, indices, row, out),
        }
    }
}

/// # Safety
///
/// As for [`gather`]; both arrays are aligned for `T`.
unsafe fn elements<T: Copy>(source: *const u8, indices: &[i64], out: *mut u8) {
    let (source, out) = (Shared(source.cast_mut().cast::<T>()), Shared(out.cast::<T>()));
    pool::split(indices.len(), 1 << 14, &|range| {
        for place in range {
            // SAFETY: the caller's promise; each place belongs to one task.
            unsafe { out.get().add(place).write(source.get().offset(indices[place] as isize).read()) };
        }
    });
}

/// # Safety
///
/// As for [`gather`].
unsafe fn rows(source: *const u8, indices: &[i64], row: usize, out: *mut u8) {
    let (source, out) = (Shared(source.cast_mut()), Shared(out));
    let grain = ((1 << 17) / row).max(1);
    pool::split(indices.len(), grain, &|range| {
        for place in range {
            // SAFETY: the caller's promise; each row belongs to one task.
            unsafe {
                let from = source.get().add(indices[place] as usize * row);
                std::ptr::copy_nonoverlapping(from, out.get().add(place * row), row);
            }
        }
    });
}
