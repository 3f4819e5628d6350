//! Kernels of splines: their coefficients.

use crate::prelude::*;
use warpcell_macros::kernel;

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

/// One way of the filter for one pole, along lines that are long: a thread for each `run` elements of a line. The filter forgets what
/// was `warm` elements ago, so that each thread begins so many elements before its own. Powers of the pole end where they are too small
/// to count. `broken` gets a 1 for lines with elements that are not finite, which are to be known by all threads.
#[kernel]
#[allow(clippy::too_many_arguments, clippy::manual_div_ceil, clippy::implicit_saturating_sub)]
pub fn causal(
    x: View<f64>,
    inner: usize,
    length: usize,
    mode: i32,
    gain: f64,
    pole: f64,
    warm: usize,
    run: usize,
    broken: ViewMut<i32>,
    mut out: ViewMut<f64>,
    per: usize,
) {
    let runs = (length + run - 1) / run;
    let start = global_idx().x * per;
    let end = (start + per).min(x.len() / length * runs);
    for i in start..end {
        let column = i % inner;
        let first = i / inner % runs * run;
        let line = i / (inner * runs) * inner + column;
        let base = i / (inner * runs) * (length * inner) + column;
        let begin = if first > warm { first - warm } else { 0 };
        let mut value = x[base + begin * inner] * gain;
        if begin == 0 {
            let last = base + (length - 1) * inner;
            let mut power = pole;
            let mut k: usize = 1;
            if mode == 4 {
                while k < length && power.abs() > 1e-60 {
                    value += power * (x[last + inner - k * inner] * gain);
                    power *= pole;
                    k += 1;
                }
            } else if mode == 2 {
                let edge = value;
                while k < length && power.abs() > 1e-60 {
                    value += power * (x[base + k * inner] * gain);
                    power *= pole;
                    k += 1;
                }
                value = value * pole + edge;
            } else {
                while k < length - 1 && power.abs() > 1e-60 {
                    value += power * (x[base + k * inner] * gain);
                    power *= pole;
                    k += 1;
                }
            }
        }
        for k in begin + 1..first + 1 {
            value = x[base + k * inner] * gain + pole * value;
        }
        out[base + first * inner] = value;
        for k in first + 1..(first + run).min(length) {
            value = x[base + k * inner] * gain + pole * value;
            out[base + k * inner] = value;
        }
        if value.is_nan() || value.is_infinite() {
            broken.atomic_max(line, 1);
        }
    }
}

/// The other way.
#[kernel]
#[allow(clippy::too_many_arguments, clippy::manual_div_ceil)]
pub fn anticausal(
    x: View<f64>,
    inner: usize,
    length: usize,
    mode: i32,
    pole: f64,
    warm: usize,
    run: usize,
    broken: View<i32>,
    mut out: ViewMut<f64>,
    per: usize,
) {
    let runs = (length + run - 1) / run;
    let start = global_idx().x * per;
    let end = (start + per).min(x.len() / length * runs);
    for i in start..end {
        let column = i % inner;
        let first = i / inner % runs * run;
        let line = i / (inner * runs) * inner + column;
        let base = i / (inner * runs) * (length * inner) + column;
        let last = (first + run).min(length) - 1;
        let begin = (last + warm).min(length - 1);
        let mut value = x[base + begin * inner];
        if broken[line] != 0 {
            value = f64::NAN;
        } else if begin < length - 1 {
            value = value * pole / (pole - 1.0);
        } else if mode == 4 {
            let mut power = pole;
            let mut k: usize = 0;
            while k < length - 1 && power.abs() > 1e-60 {
                value += power * x[base + k * inner];
                power *= pole;
                k += 1;
            }
            value = value * pole / (power - 1.0);
        } else if mode == 2 {
            value = value * pole / (pole - 1.0);
        } else {
            value = (pole * x[base + (begin - 1) * inner] + value) * pole / (pole * pole - 1.0);
        }
        for back in 0..begin - last {
            value = pole * (value - x[base + (begin - 1 - back) * inner]);
        }
        out[base + last * inner] = value;
        for back in 0..last - first {
            let k = last - 1 - back;
            value = pole * (value - x[base + k * inner]);
            out[base + k * inner] = value;
        }
    }
}
