//! Kernels of splines: their values between the elements.

use super::{continued, quotient};
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
    // As it is: the nearest elements continue the array.
    if mode == 1 || mode == 6 {
        return at;
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
    let at = extended(at, n, mode).max(-8.0).min(n as f64 + 8.0);
    let count = order as usize + 1;
    let mut found = Taps { weights: [0.0; 6], places: [0; 6], count, is_outside: mode == 0 && at <= -1.0 };
    let whole = if order % 2 == 0 { (at + 0.5).floor() } else { at.floor() };
    let first = whole as i64 - i64::from(order) / 2;
    let edge = match mode {
        6 => 0,
        0 | 5 => 3,
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

/// Where the values of a result lie in an array: without coordinates at a matrix times their index, and an offset. `from` has the lengths
/// of the array, which was padded, and `to` those of the result.
#[device]
#[derive(Clone, Copy)]
pub(in crate::ndimage) struct Grid {
    pub matrix: [f64; 16],
    pub offset: [f64; 4],
    pub from: [i64; 4],
    pub to: [i64; 4],
    pub padding: f64,
}

/// What [`interpolate_grid`] reads: for each index along each axis of a result, from the last axis to the first, the elements along this axis
/// that values come from. Each axis has a row for each element of the window: the weights, and the places, in steps of the array. A place
/// is -1 where the array has a constant value, and -2 where the result has it. A thread for each index along each axis.
#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn axis_taps(
    grid: Grid,
    count: usize,
    rank: usize,
    counts: i32,
    mode: i32,
    mut weights: ViewMut<f64>,
    mut places: ViewMut<i32>,
    per: usize,
) {
    let start = global_idx().x * per;
    let end = (start + per).min(count);
    for i in start..end {
        let mut c = i;
        let mut first: usize = 0;
        let mut step: i64 = 1;
        let mut is_found = false;
        for axis in (0..rank).rev() {
            let (n, length) = (grid.from[axis], grid.to[axis] as usize);
            let taps = ((counts >> (4 * (rank - 1 - axis) as i32)) & 15) as usize;
            if !is_found && c < length {
                is_found = true;
                let mut at = 0.0 + grid.matrix[axis * rank + axis] * c as f64;
                at += grid.offset[axis];
                at += grid.padding;
                at = extended(at, n, mode).max(-8.0).min(n as f64 + 8.0);
                let is_outside = mode == 0 && at <= -1.0;
                let own = taps as i32 - 1;
                let whole = if own % 2 == 0 { (at + 0.5).floor() } else { at.floor() };
                let before = whole as i64 - own as i64 / 2;
                let edge = if mode == 6 {
                    0
                } else if mode == 0 || mode == 5 {
                    3
                } else {
                    mode
                };
                let mut rest: f64 = 1.0;
                for t in 0..taps {
                    let slot = first + t * length + c;
                    let weight = if (t as i32) < own { knot(own, at - whole, t) } else { rest };
                    weights[slot] = weight;
                    rest -= weight;
                    let place = continued(before + t as i64, n, edge);
                    places[slot] = if is_outside {
                        -2
                    } else if place < 0 {
                        -1
                    } else {
                        (place * step) as i32
                    };
                }
            }
            if !is_found {
                c -= length;
                first += taps * length;
                step *= n;
            }
        }
    }
}

/// As [`interpolate`] without coordinates, for a matrix with zeros beside its diagonal. Then what lies along one axis does not depend on
/// the index along another one, and is read from the tables of [`axis_taps`]. Arrays have less than 2³¹ elements.
#[kernel]
#[allow(clippy::too_many_arguments, clippy::needless_range_loop)]
pub fn interpolate_grid(
    x: View<f64>,
    all_weights: View<f64>,
    all_places: View<i32>,
    grid: Grid,
    rank: usize,
    counts: i32,
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
    for i in start..end {
        let mut weights = [0.0f64; 24];
        let mut places = [0i32; 24];
        // Axes that the array does not have are before its own.
        weights[0] = 1.0;
        weights[6] = 1.0;
        weights[12] = 1.0;
        weights[18] = 1.0;
        let mut rest = i as u32;
        let mut first: u32 = 0;
        let mut is_outside = false;
        for axis in (0..rank).rev() {
            let length = grid.to[axis] as u32;
            let mut c = rest;
            if axis > 0 {
                rest /= length;
                c -= rest * length;
            }
            let slot = 4 - rank + axis;
            let taps = ((counts >> (12 - 4 * slot as i32)) & 15) as usize;
            for t in 0..6usize {
                if t < taps {
                    let row = (first + t as u32 * length + c) as usize;
                    weights[slot * 6 + t] = all_weights[row];
                    places[slot * 6 + t] = all_places[row];
                }
            }
            if places[slot * 6] == -2 {
                is_outside = true;
            }
            first += taps as u32 * length;
        }
        let mut sum: f64 = 0.0;
        if is_outside {
            sum = outside;
        } else {
            for a in 0..((counts >> 12) & 15) as usize {
                let place_a = places[a];
                for b in 0..((counts >> 8) & 15) as usize {
                    let place_b = places[6 + b];
                    for c in 0..((counts >> 4) & 15) as usize {
                        let place_c = places[12 + c];
                        for d in 0..(counts & 15) as usize {
                            let place_d = places[18 + d];
                            let is_there = mode != 6 || (place_a >= 0 && place_b >= 0 && place_c >= 0 && place_d >= 0);
                            let value =
                                if is_there { x[(place_a + place_b + place_c + place_d) as usize] } else { outside };
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

/// Makes [`interpolate`] for coordinates of a type. Integers are read as they are, and so need no pass that converts them.
macro_rules! at_coordinates {
    ($($name:ident $coordinate:ident;)*) => {$(
        /// The values of splines of the orders 0 to 5 between the elements. `counts` has how many elements along each of four axes a value comes
        /// from, of four bits each: one more than the order, or 1 along axes that are left as they are or missing. With `rounds`
        /// values become the nearest integers from `least` to `most`, halves away from 0.
        #[kernel]
        #[allow(clippy::too_many_arguments, clippy::needless_range_loop, clippy::unnecessary_cast)]
        pub fn $name(
            x: View<f64>,
            coordinates: View<$coordinate>,
            grid: Grid,
            rank: usize,
            has_coordinates: bool,
            is_small: bool,
            counts: i32,
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
            for i in start..end {
                let mut index = [0.0f64; 4];
                let mut weights = [0.0f64; 24];
                let mut places = [0i64; 24];
                // Axes that the array does not have are before its own.
                weights[0] = 1.0;
                weights[6] = 1.0;
                weights[12] = 1.0;
                weights[18] = 1.0;
                if !has_coordinates {
                    let mut rest = i;
                    for axis in (1..rank).rev() {
                        let whole = quotient(rest, grid.to[axis] as usize, is_small);
                        index[axis] = (rest - whole * grid.to[axis] as usize) as f64;
                        rest = whole;
                    }
                    index[0] = rest as f64;
                }
                let mut is_outside = false;
                let mut step: i64 = 1;
                for axis in (0..rank).rev() {
                    let n = grid.from[axis];
                    let mut at: f64 = 0.0;
                    if has_coordinates {
                        at = coordinates[axis * out.len() + i] as f64;
                    } else {
                        for other in 0..rank {
                            at += grid.matrix[axis * rank + other] * index[other];
                        }
                        at += grid.offset[axis];
                    }
                    at += grid.padding;
                    at = extended(at, n, mode).max(-8.0).min(n as f64 + 8.0);
                    if mode == 0 && at <= -1.0 {
                        is_outside = true;
                    }
                    let slot = 4 - rank + axis;
                    let own = ((counts >> (12 - 4 * slot as i32)) & 15) - 1;
                    let whole = if own % 2 == 0 { (at + 0.5).floor() } else { at.floor() };
                    let first = whole as i64 - own as i64 / 2;
                    let edge = if mode == 6 {
                        0
                    } else if mode == 0 || mode == 5 {
                        3
                    } else {
                        mode
                    };
                    let is_inside = first >= 0 && first + (own as i64) < n;
                    let mut rest: f64 = 1.0;
                    for t in 0..6usize {
                        if t as i32 <= own {
                            // All are 1 together, which gives the last one.
                            weights[slot * 6 + t] = if (t as i32) < own { knot(own, at - whole, t) } else { rest };
                            rest -= weights[slot * 6 + t];
                            let mut place = first + t as i64;
                            if !is_inside {
                                place = continued(place, n, edge);
                            }
                            places[slot * 6 + t] = if place < 0 { -1 } else { place * step };
                        }
                    }
                    step *= n;
                }
                let mut sum: f64 = 0.0;
                if is_outside {
                    sum = outside;
                } else {
                    for a in 0..((counts >> 12) & 15) as usize {
                        let place_a = places[a];
                        for b in 0..((counts >> 8) & 15) as usize {
                            let place_b = places[6 + b];
                            for c in 0..((counts >> 4) & 15) as usize {
                                let place_c = places[12 + c];
                                for d in 0..(counts & 15) as usize {
                                    let place_d = places[18 + d];
                                    let is_there = mode != 6 || (place_a >= 0 && place_b >= 0 && place_c >= 0 && place_d >= 0);
                                    let value =
                                        if is_there { x[(place_a + place_b + place_c + place_d) as usize] } else { outside };
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
    )*};
}
at_coordinates! {
    interpolate f64;
    interpolate_at_integers i64;
}
