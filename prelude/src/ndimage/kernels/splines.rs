//! Kernels of splines: their coefficients, and their values between the elements.

use super::continued;
use crate::backend::loops::Taps;
use crate::prelude::*;
use warpcell_macros::{device, kernel};

/// The coordinate within `n` elements that a coordinate beyond their ends stands for; -1 where the array has a constant value there.
/// SciPy's `map_coordinate`.
#[device]
fn extended(at: f64, n: i64, mode: i32) -> f64 {
    let last = (n - 1) as f64;
    if at >= 0.0 && at <= last {
        return at;
    }
    if mode == 0 {
        return -1.0;
    }
    if mode == 1 {
        return if at < 0.0 { 0.0 } else { last };
    }
    if n == 1 {
        return 0.0;
    }
    if mode == 2 {
        let period = (2 * n) as f64;
        if at < 0.0 {
            let within = if at < -period { at + period * (-at / period).floor() } else { at };
            return if within < -(n as f64) { within + period } else { (-within).max(1e-15) - 1.0 };
        }
        let within = at - period * (at / period).floor();
        return if within >= n as f64 { period - within - 1.0 } else { within };
    }
    if mode == 3 {
        let period = (2 * n - 2) as f64;
        if at < 0.0 {
            let within = at + period * (-at / period).floor();
            return if within <= (1 - n) as f64 { within + period } else { -within };
        }
        let within = at - period * (at / period).floor();
        return if within >= n as f64 { period - within } else { within };
    }
    if mode == 4 {
        return at - (at / n as f64).floor() * n as f64;
    }
    if at < 0.0 { at + last * ((-at / last).floor() + 1.0) } else { at - (at / last).floor() * last }
}

/// The coefficients of splines along an axis, in the place of the elements: a thread for each line. By a recursive filter there
/// and back for each of their one or two poles (Unser, "Splines: a perfect fit for signal and image processing", 1999).
#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn spline_lines(
    mut x: ViewMut<f64>,
    inner: usize,
    length: usize,
    mode: i32,
    gain: f64,
    first_pole: f64,
    second_pole: f64,
    poles: usize,
    per: usize,
) {
    let start = global_idx().x * per;
    let end = (start + per).min(x.len() / length);
    for line in start..end {
        let base = line / inner * (inner * length) + line % inner;
        let last = base + (length - 1) * inner;
        for k in 0..length {
            x[base + k * inner] *= gain;
        }
        for which in 0..poles {
            let pole = if which == 0 { first_pole } else { second_pole };
            let mut power = pole;
            let mut sum = x[base];
            if mode == 4 {
                for k in 1..length {
                    sum += power * x[last + inner - k * inner];
                    power *= pole;
                }
                sum /= 1.0 - power;
            } else if mode == 2 {
                let mut all = 1.0;
                for _ in 0..length {
                    all *= pole;
                }
                let first = x[base];
                sum += all * x[last];
                for k in 1..length {
                    // The last term has the sum so far in the place of the first element, as in SciPy: with few elements that shows.
                    let behind = if k == length - 1 { sum } else { x[last - k * inner] };
                    sum += power * (x[base + k * inner] + all * behind);
                    power *= pole;
                }
                sum = sum * pole / (1.0 - all * all) + first;
            } else {
                let mut all = 1.0;
                for _ in 1..length {
                    all *= pole;
                }
                sum += all * x[last];
                for k in 1..length - 1 {
                    sum += power * (x[base + k * inner] + all * x[last - k * inner]);
                    power *= pole;
                }
                sum /= 1.0 - all * all;
            }
            x[base] = sum;
            for k in 1..length {
                let before = x[base + (k - 1) * inner];
                x[base + k * inner] += pole * before;
            }
            let end_value = x[last];
            if mode == 4 {
                let mut sum = end_value;
                let mut power = pole;
                for k in 0..length - 1 {
                    sum += power * x[base + k * inner];
                    power *= pole;
                }
                x[last] = sum * pole / (power - 1.0);
            } else if mode == 2 {
                x[last] = end_value * pole / (pole - 1.0);
            } else {
                x[last] = (pole * x[last - inner] + end_value) * pole / (pole * pole - 1.0);
            }
            for k in (0..length - 1).rev() {
                let behind = x[base + (k + 1) * inner];
                let place = base + k * inner;
                x[place] = pole * (behind - x[place]);
            }
        }
    }
}

/// The weight of the element number `tap` of those around a place, for a spline of an order. `f` is how far the place is from the
/// nearest element, or from the one before it for odd orders.
#[device]
fn knot(order: i32, f: f64, tap: usize) -> f64 {
    if order == 0 {
        return 1.0;
    }
    // The weights are the same from the other side.
    let is_low = tap as i32 * 2 <= order - 1 + (order + 1) % 2;
    let g = if order % 2 == 0 { -f } else { 1.0 - f };
    let x = if is_low { f } else { g };
    let from_end = if is_low { tap as i32 } else { order - tap as i32 };
    let y = if order % 2 == 0 { 0.5 - x } else { 1.0 - x };
    if order == 1 {
        return y;
    }
    if order == 2 {
        return if from_end == 0 { 0.5 * y * y } else { 0.75 - x * x };
    }
    if order == 3 {
        return if from_end == 0 { y * y * y / 6.0 } else { (x * x * (x - 2.0) * 3.0 + 4.0) / 6.0 };
    }
    if order == 4 {
        if from_end == 0 {
            return y * y * y * y / 24.0;
        }
        if from_end == 1 {
            let up = x + 1.0;
            return up * (up * (up * (5.0 - up) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0;
        }
        return x * x * (x * x * 0.25 - 0.625) + 115.0 / 192.0;
    }
    if from_end == 0 {
        return y * y * y * y * y / 120.0;
    }
    if from_end == 1 {
        let up = x + 1.0;
        return up * (up * (up * (up * (up / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425;
    }
    x * x * (x * x * (0.25 - x / 12.0) - 0.5) + 0.55
}

/// The elements along an axis of `n` that a spline has its value from, at a coordinate: what the kernel below finds for each axis.
pub(in crate::ndimage) fn taps(at: f64, n: i64, order: i32, mode: i32) -> Taps {
    let at = if mode == 6 { at } else { extended(at, n, mode) };
    let at = at.max(-8.0).min(n as f64 + 8.0);
    let count = order as usize + 1;
    let mut found = Taps { weights: [0.0; 6], places: [0; 6], count, is_outside: mode != 6 && at <= -1.0 };
    let whole = if order % 2 == 0 { (at + 0.5).floor() } else { at.floor() };
    let first = whole as i64 - i64::from(order) / 2;
    let edge = match mode {
        6 => 0,
        0 | 1 | 5 => 3,
        other => other,
    };
    let mut rest = 1.0;
    for tap in 0..count {
        found.weights[tap] = if tap + 1 < count { knot(order, at - whole, tap) } else { rest };
        rest -= found.weights[tap];
        found.places[tap] = continued(first + tap as i64, n, edge);
    }
    found
}

/// The values of splines of the orders 0 to 5 between the elements. `meta` has the number of axes, how much the array was padded,
/// whether there are coordinates, and from 3, 7 and 11 on the lengths of the array and of the result and whether an axis is left as
/// it is. Without coordinates they are a matrix times the index, and what follows the matrix in `table`. With `rounds` values become
/// the nearest integers from `least` to `most`, halves away from 0.
#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn interpolate(
    x: View<f64>,
    table: View<f64>,
    coordinates: View<f64>,
    meta: View<i64>,
    order: i32,
    mode: i32,
    outside: f64,
    rounds: bool,
    least: f64,
    most: f64,
    mut out: ViewMut<f64>,
    per: usize,
) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    let rank = meta[0] as usize;
    let padding = meta[1] as f64;
    for i in start..end {
        let mut index = [0.0f64; 4];
        let mut weights = [0.0f64; 24];
        let mut places = [0i64; 24];
        let mut taps = [1usize; 4];
        // Axes that the array does not have are before its own.
        weights[0] = 1.0;
        weights[6] = 1.0;
        weights[12] = 1.0;
        weights[18] = 1.0;
        if meta[2] == 0 {
            let mut rest = i as i64;
            for axis in (0..rank).rev() {
                index[axis] = (rest % meta[7 + axis]) as f64;
                rest /= meta[7 + axis];
            }
        }
        let mut is_outside = false;
        let mut step: i64 = 1;
        for axis in (0..rank).rev() {
            let n = meta[3 + axis];
            let mut at: f64 = 0.0;
            if meta[2] == 0 {
                for other in 0..rank {
                    at += table[axis * rank + other] * index[other];
                }
                at += table[rank * rank + axis];
            } else {
                at = coordinates[axis * out.len() + i];
            }
            at += padding;
            if mode != 6 {
                at = extended(at, n, mode);
            }
            at = at.max(-8.0).min(n as f64 + 8.0);
            if mode != 6 && at <= -1.0 {
                is_outside = true;
            }
            let own = if meta[11 + axis] == 0 { order } else { 0 };
            let slot = 4 - rank + axis;
            taps[slot] = own as usize + 1;
            let whole = if own % 2 == 0 { (at + 0.5).floor() } else { at.floor() };
            let first = whole as i64 - own as i64 / 2;
            let edge = if mode == 6 {
                0
            } else if mode == 0 || mode == 1 || mode == 5 {
                3
            } else {
                mode
            };
            let mut rest: f64 = 1.0;
            for t in 0..taps[slot] {
                let place = continued(first + t as i64, n, edge);
                // All are 1 together, which gives the last one.
                weights[slot * 6 + t] = if t + 1 < taps[slot] { knot(own, at - whole, t) } else { rest };
                rest -= weights[slot * 6 + t];
                places[slot * 6 + t] = if place < 0 { -1 } else { place * step };
            }
            step *= n;
        }
        let mut sum: f64 = 0.0;
        if is_outside {
            sum = outside;
        } else {
            for a in 0..taps[0] {
                let place_a = places[a];
                for b in 0..taps[1] {
                    let place_b = places[6 + b];
                    for c in 0..taps[2] {
                        let place_c = places[12 + c];
                        let is_known = place_a >= 0 && place_b >= 0 && place_c >= 0;
                        for d in 0..taps[3] {
                            let place = places[18 + d];
                            let value = if is_known && place >= 0 {
                                x[(place_a + place_b + place_c + place) as usize]
                            } else {
                                outside
                            };
                            // In SciPy's order, which shows where results are cut off.
                            sum += value * weights[a] * weights[6 + b] * weights[12 + c] * weights[18 + d];
                        }
                    }
                }
            }
        }
        if rounds {
            sum = if sum > 0.0 { (sum + 0.5).floor() } else { (sum - 0.5).ceil() };
            sum = sum.max(least).min(most);
        }
        out[i] = sum;
    }
}
