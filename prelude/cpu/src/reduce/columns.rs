//! Reductions of columns that are neighbours in memory: side by side, row after row.

use super::super::numeric::by_isa;
use super::super::runs::Runs;
use super::Reduction;

/// The rows that are added up one after the other.
pub(super) const ROWS: usize = 64;
/// As many of them at a time, so that the sums are read and written a quarter as often.
const SOME: usize = 4;

/// Reduces as many columns as `target` has, over the rows in `range`; the columns are neighbours in memory.
///
/// # Safety
///
/// The elements must lie within memory that nothing else accesses.
pub(super) unsafe fn columns<R: Reduction>(
    start: *const R::Input,
    rows: &Runs,
    range: std::ops::Range<usize>,
    centres: &[R::Centre],
    target: &mut [R::Output],
) {
    let width = target.len();
    let stride = rows.inner_strides[0];
    let mut levels: Vec<(bool, Vec<R::Output>)> = Vec::new();
    let mut sums = vec![R::identity(); width];
    let mut added = 0;
    let mut push = |sums: &mut [R::Output]| {
        // As `Cascade`, for rows.
        for (occupied, level) in &mut levels {
            if !*occupied {
                level.copy_from_slice(sums);
                *occupied = true;
                sums.fill(R::identity());
                return;
            }
            sums.iter_mut().zip(level).for_each(|(sum, &mut earlier)| *sum = R::join(earlier, *sum));
            *occupied = false;
        }
        levels.push((true, sums.to_vec()));
        sums.fill(R::identity());
    };
    rows.visit(range, &mut |offsets, length| {
        let mut next = 0;
        while next < length {
            let row = |index: usize| {
                let distance = offsets[0] + (next + index) as isize * stride;
                // SAFETY: the caller's promise.
                unsafe { std::slice::from_raw_parts(start.offset(distance), width) }
            };
            let count = if length - next >= SOME && added + SOME <= ROWS { SOME } else { 1 };
            if count == SOME {
                add_rows::<R, SOME>(&mut sums, std::array::from_fn(row), centres);
            } else {
                add_rows::<R, 1>(&mut sums, [row(0)], centres);
            }
            next += count;
            added += count;
            if added == ROWS {
                push(&mut sums);
                added = 0;
            }
        }
    });
    if added > 0 {
        push(&mut sums);
    }
    target.fill(R::identity());
    for (_, level) in levels.iter().filter(|(occupied, _)| *occupied) {
        target.iter_mut().zip(level).for_each(|(target, &earlier)| *target = R::join(earlier, *target));
    }
}

by_isa! {
    /// Adds rows to the sums, one after the other.
    fn add_rows<R: Reduction; const K: usize>(sums: &mut [R::Output], rows: [&[R::Input]; K], centres: &[R::Centre]) {
        let width = sums.len();
        let (rows, centres) = (rows.map(|row| &row[..width]), &centres[..width]);
        for column in 0..width {
            let mut sum = sums[column];
            for row in &rows {
                sum = R::join(sum, R::lift(row[column], centres[column]));
            }
            sums[column] = sum;
        }
    }
}
