//! Kernels of splines: their coefficients, and their values between the elements.

use super::continued;
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
    if n == 1 && mode != 2 {
        return 0.0;
    }
    if mode == 2 {
        let period = (2 * n) as f64;
        let within = at + 0.5 - ((at + 0.5) / period).floor() * period;
        let folded = if within >= n as f64 { period - within } else { within };
        return folded - 0.5;
    }
    if mode == 3 {
        let period = (2 * n - 2) as f64;
        let within = at - (at / period).floor() * period;
        return if within > last { period - within } else { within };
    }
    if mode == 4 {
        return at - (at / n as f64).floor() * n as f64;
    }
    at - (at / last).floor() * last
}

/// The coefficients of cubic splines along an axis, in the place of the elements: a thread for each line. By a recursive filter
/// there and back (Unser, "Splines: a perfect fit for signal and image processing", 1999).
#[kernel]
pub fn spline_lines(mut x: ViewMut<f64>, inner: usize, length: usize, mode: i32, per: usize) {
    let pole = 3.0f64.sqrt() - 2.0;
    let start = global_idx().x * per;
    let end = (start + per).min(x.len() / length);
    for line in start..end {
        let base = line / inner * (inner * length) + line % inner;
        let last = base + (length - 1) * inner;
        for k in 0..length {
            x[base + k * inner] *= 6.0;
        }
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

/// The values of splines of the order 0, 1 or 3 between the elements. `meta` has the number of axes, how much the array was padded,
/// whether there are coordinates, and from 3, 7 and 11 on the lengths of the array and of the result and whether an axis is left as it is. Without coordinates they are a
/// matrix times the index, and what follows the matrix in `table`.
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
    mut out: ViewMut<f64>,
    per: usize,
) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    let rank = meta[0] as usize;
    let padding = meta[1] as f64;
    for i in start..end {
        let mut index = [0.0f64; 4];
        let mut weights = [0.0f64; 16];
        let mut places = [0i64; 16];
        let mut taps = [1usize; 4];
        if meta[2] == 0 {
            let mut rest = i as i64;
            for axis in (0..rank).rev() {
                index[axis] = (rest % meta[7 + axis]) as f64;
                rest /= meta[7 + axis];
            }
        }
        let mut is_outside = false;
        for axis in 0..rank {
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
            at = at.max(-5.0).min(n as f64 + 4.0);
            if mode != 6 && at <= -1.0 {
                is_outside = true;
            }
            let own = if meta[11 + axis] == 0 { order } else { 0 };
            taps[axis] = own as usize + 1;
            let whole = if own == 0 { (at + 0.5).floor() } else { at.floor() };
            let first = whole as i64 - own as i64 / 2;
            let f = at - whole;
            if own == 0 {
                weights[axis * 4] = 1.0;
            } else if own == 1 {
                weights[axis * 4] = 1.0 - f;
                weights[axis * 4 + 1] = f;
            } else {
                let g = 1.0 - f;
                weights[axis * 4] = g * g * g / 6.0;
                weights[axis * 4 + 1] = (f * f * (f - 2.0) * 3.0 + 4.0) / 6.0;
                weights[axis * 4 + 2] = (g * g * (g - 2.0) * 3.0 + 4.0) / 6.0;
                weights[axis * 4 + 3] = f * f * f / 6.0;
            }
            let edge = if mode == 6 {
                0
            } else if mode == 0 || mode == 5 {
                3
            } else {
                mode
            };
            for t in 0..taps[axis] {
                places[axis * 4 + t] = continued(first + t as i64, n, edge);
            }
        }
        let mut sum: f64 = 0.0;
        if is_outside {
            sum = outside;
        } else {
            let mut count: usize = 1;
            for axis in 0..rank {
                count *= taps[axis];
            }
            for tap in 0..count {
                let mut rest = tap;
                let mut weight: f64 = 1.0;
                let mut place: i64 = 0;
                let mut step: i64 = 1;
                let mut is_constant = false;
                for axis in (0..rank).rev() {
                    let t = rest % taps[axis];
                    rest /= taps[axis];
                    weight *= weights[axis * 4 + t];
                    if places[axis * 4 + t] < 0 {
                        is_constant = true;
                    }
                    place += places[axis * 4 + t] * step;
                    step *= meta[3 + axis];
                }
                sum += weight * if is_constant { outside } else { x[place as usize] };
            }
        }
        out[i] = sum;
    }
}
