//! What threads do of smooth curves and of other rates of samples.

use warpcell_macros::{device, kernel};
use warpcell_threads::{View, ViewMut, grid_stride};

/// Sums of samples with weights: with the polynomial of the window at the ends (0), or with samples beyond them that are mirrored
/// (1), the nearest (2), those of the other end (3), or a number (4). Sums from one place on and before another are left out.
#[kernel]
pub(super) fn slide_weights(
    data: View<f64>,
    weights: View<f64>,
    kind: i32,
    cval: f64,
    from: u64,
    to: u64,
    mut out: ViewMut<f64>,
) {
    let (rows, length, count) = (data.shape()[0], data.shape()[1], weights.shape()[1]);
    // A window of an even length has one sample more behind its place than before it.
    let (half, before) = (count / 2, (count - 1) / 2);
    let known = (to - from) as usize;
    for at in grid_stride(rows * (length - known)) {
        let row = at / (length - known);
        let number = at % (length - known);
        let place = if number < from as usize { number } else { number + known };
        let mut sum = 0.0;
        if kind == 0 {
            // The window's first sample, and which weights are those of the place.
            let mut first = 0;
            let mut weight = place;
            if place >= half {
                first = (place - before).min(length - count);
                weight = half;
                if place + half >= length {
                    first = length - count;
                    weight = half + 1 + place + half - length;
                }
            }
            for j in 0..count {
                sum += weights[[weight, j]] * data[[row, first + j]];
            }
        } else {
            let last = length as i64 - 1;
            for j in 0..count {
                let mut from = place as i64 + j as i64 - before as i64;
                let mut value = cval;
                if kind == 1 {
                    while from < 0 || from > last {
                        if from < 0 {
                            from = -from;
                        }
                        if from > last {
                            from = 2 * last - from;
                        }
                        if last == 0 {
                            from = 0;
                        }
                    }
                }
                if kind == 2 {
                    from = from.max(0).min(last);
                }
                if kind == 3 {
                    from = ((from % (last + 1)) + last + 1) % (last + 1);
                }
                if from >= 0 && from <= last {
                    value = data[[row, from as usize]];
                }
                sum += weights[[half, j]] * value;
            }
        }
        out[[row, place]] = sum;
    }
}

/// A quotient, in 32 bits where these are enough: a GPU takes long for 64.
#[device]
fn quotient(a: usize, b: usize) -> usize {
    if (a | b) >> 32 == 0 { (a as u32 / b as u32) as usize } else { a / b }
}

#[kernel]
pub(super) fn filter_between(data: View<f64>, taps: View<f64>, up: u64, down: u64, first: u64, mut out: ViewMut<f64>) {
    let (rows, count, length, order) = (out.shape()[0], out.shape()[1], data.shape()[1], taps.shape()[0]);
    let (up, down, first) = (up as usize, down as usize, first as usize);
    for at in grid_stride(rows * count) {
        let row = if rows == 1 { 0 } else { quotient(at, count) };
        let place = (first + at - row * count) * down;
        // The samples `k` for which `place - k up` is the place of a tap.
        let from = if place < order { 0 } else { quotient(place - order, up) + 1 };
        let to = (quotient(place, up) + 1).min(length);
        let mut sum = 0.0;
        for k in from..to {
            sum += taps[place - k * up] * data[[row, k]];
        }
        out[[row, at % count]] = sum;
    }
}
