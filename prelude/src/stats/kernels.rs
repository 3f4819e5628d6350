//! What threads do of statistics.

use warpcell_macros::kernel;
use warpcell_threads::{View, ViewMut, grid_stride};

/// Where the longest run of equal elements begins in each row, among all rows, and its length. NaN is equal to none.
#[kernel]
pub(super) fn longest_runs(sorted: View<f64>, mut places: ViewMut<i64>, mut counts: ViewMut<i64>) {
    let (rows, length) = (sorted.shape()[0], sorted.shape()[1]);
    for row in grid_stride(rows) {
        let mut best = 0;
        let mut most = 0;
        let mut start = 0;
        for at in 1..length + 1 {
            if at == length || sorted[[row, at]] != sorted[[row, start]] {
                if at - start > most {
                    most = at - start;
                    best = start;
                }
                start = at;
            }
        }
        // The last one is NaN if any is, and then the result is NaN.
        if sorted[[row, length - 1]].is_nan() {
            best = length - 1;
            most = 0;
            for at in 0..length {
                most += if sorted[[row, at]].is_nan() { 1 } else { 0 };
            }
        }
        places[row] = (row * length + best) as i64;
        counts[row] = most as i64;
    }
}

/// Sums over parts of the data of normal densities around them, a row for each part. Points and data are such that the covariance of
/// each is the unit matrix; the first row of `data` has the weights.
#[kernel]
pub(super) fn sum_densities(points: View<f64>, data: View<f64>, part: u64, mut out: ViewMut<f64>) {
    let (parts, count) = (out.shape()[0], out.shape()[1]);
    let (dimensions, total) = (points.shape()[0], data.shape()[1]);
    for task in grid_stride(parts * count) {
        let at = task % count;
        let first = task / count * part as usize;
        let last = (first + part as usize).min(total);
        let mut sum = 0.0;
        if dimensions == 1 {
            let x = points[[0, at]];
            for other in first..last {
                let distance = x - data[[1, other]];
                sum += data[[0, other]] * (-0.5 * distance * distance).exp();
            }
        } else {
            for other in first..last {
                let mut square = 0.0;
                for axis in 0..dimensions {
                    let distance = points[[axis, at]] - data[[axis + 1, other]];
                    square += distance * distance;
                }
                sum += data[[0, other]] * (-0.5 * square).exp();
            }
        }
        out[[task / count, at]] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_a_translation() {
        let texts = [crate::cuda_source(longest_runs), crate::cuda_source(sum_densities)];
        assert!(texts.iter().all(|text| text.contains("__global__")));
    }
}
