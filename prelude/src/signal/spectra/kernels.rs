//! What threads do of spectra.

use warpcell_macros::kernel;
use warpcell_threads::{View, ViewMut, grid_stride};

/// The sums of segments that overlap, divided by those of the squares of the window where they are not about 0.
#[kernel]
pub(super) fn overlap_add(parts: View<f64>, squares: View<f64>, step: u64, mut out: ViewMut<f64>) {
    let (rows, length) = (out.shape()[0], out.shape()[1]);
    let (segments, count) = (parts.shape()[1], parts.shape()[2]);
    let step = step as usize;
    for at in grid_stride(rows * length) {
        let row = at / length;
        let place = at % length;
        let first = if place < count { 0 } else { (place - count) / step + 1 };
        let last = (place / step + 1).min(segments);
        let mut sum = 0.0;
        let mut norm = 0.0;
        for segment in first..last {
            sum += parts[[row, segment, place - segment * step]];
            norm += squares[place - segment * step];
        }
        out[[row, place]] = if norm > 1e-10 { sum / norm } else { sum };
    }
}
