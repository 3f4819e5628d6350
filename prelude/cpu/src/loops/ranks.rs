//! Ranks of elements, from their order.

use super::super::numeric::Shared;
use super::super::pool;
use warpcell_base::backend::loops::RankOf;

/// So many elements are worth a thread.
const GRAIN: usize = 1 << 12;

/// Writes the ranks; see `Loops::Ranks`.
///
/// # Safety
///
/// The order has each index of `out` once.
pub(super) unsafe fn write(sorted: &[f64], order: &[i64], of: RankOf, out: &mut [f64]) {
    assert!(sorted.len() == order.len() && out.len() == order.len());
    let target = Shared(out.as_mut_ptr());
    pool::split(sorted.len(), GRAIN, &|range| {
        let mut at = range.start;
        while at < range.end {
            let value = sorted[at];
            // A run of equal elements may begin before the part and end behind it.
            let first = if at == range.start { sorted[..at].partition_point(|&other| other < value) } else { at };
            let more = sorted[at..range.end].iter().take_while(|&&other| other == value).count().max(1);
            let end = at + more;
            let last =
                if end == range.end { end + sorted[end..].partition_point(|&other| other == value) } else { end };
            let (before, up_to) = (first as f64, last as f64);
            let shared = match of {
                RankOf::Average => (before + up_to + 1.0) * 0.5,
                RankOf::Least => before + 1.0,
                RankOf::Greatest => up_to,
                RankOf::Place => 0.0,
            };
            for (place, &index) in (at..end).zip(&order[at..end]) {
                let rank = if of == RankOf::Place { place as f64 + 1.0 } else { shared };
                // SAFETY: each element of `out` is written once.
                unsafe { target.get().add(index as usize).write(rank) };
            }
            at = end;
        }
    });
}
