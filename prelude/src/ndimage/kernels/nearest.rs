//! Kernels of distances on devices with many threads.

use super::quotient;
use crate::prelude::*;
use warpcell_macros::kernel;

/// For some elements of each line the element of the line from which the square of the distance, and what that element has, are the least
/// together: the first of those that are as good, or -1 where all are infinite. Elements are counted from 1; these are the multiples of
/// `stride`, with `refines` the odd ones. What is nearest never goes back along a line, so the elements that are `stride` before and after
/// one say between which its own lies: to divide and conquer takes n log n steps at most. A thread looks from the element outwards until
/// what it has found is nearer than all others can be, so that most take few.
#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn nearest(
    x: View<f64>,
    inner: usize,
    length: usize,
    step: f64,
    stride: usize,
    refines: bool,
    is_small: bool,
    mut sites: ViewMut<i32>,
    mut out: ViewMut<f64>,
    per: usize,
) {
    let each = if refines { (length + stride) / (2 * stride) } else { length / stride };
    let start = global_idx().x * per;
    let end = (start + per).min(x.len() / length * each);
    for i in start..end {
        let row = quotient(i, inner, is_small);
        let column = i - row * inner;
        let outer = quotient(row, each, is_small);
        let number = row - outer * each;
        let place = if refines { (2 * number + 1) * stride } else { (number + 1) * stride };
        let base = outer * (length * inner) + column;
        let c = place as i64 - 1;
        let mut low: i64 = 0;
        let mut high = length as i64 - 1;
        if refines {
            if place > stride {
                low = sites[base + (place - stride - 1) * inner] as i64;
            }
            if place + stride <= length {
                high = sites[base + (place + stride - 1) * inner] as i64;
            }
        }
        let mut best: f64 = f64::INFINITY;
        let mut site: i64 = -1;
        if low >= 0 && high >= 0 {
            let mut k = c.min(high);
            while k >= low {
                let away = (c - k) as f64 * step;
                let square = away * away;
                if square > best {
                    k = -1;
                } else {
                    let value = x[base + k as usize * inner] + square;
                    if value < f64::INFINITY && value <= best {
                        best = value;
                        site = k;
                    }
                    k -= 1;
                }
            }
            k = (c + 1).max(low);
            while k <= high {
                let away = (k - c) as f64 * step;
                let square = away * away;
                if square >= best {
                    k = high;
                } else {
                    let value = x[base + k as usize * inner] + square;
                    if value < best {
                        best = value;
                        site = k;
                    }
                }
                k += 1;
            }
        }
        sites[base + c as usize * inner] = site as i32;
        out[base + c as usize * inner] = best;
    }
}

/// What the nearest elements of a line have found themselves.
#[kernel]
pub fn found(
    before: View<i64>,
    sites: View<i32>,
    inner: usize,
    length: usize,
    is_small: bool,
    mut out: ViewMut<i64>,
    per: usize,
) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    for i in start..end {
        let row = quotient(i, inner, is_small);
        let at = row - quotient(row, length, is_small) * length;
        let site = sites[i] as i64;
        let place = if site < 0 { i as i64 } else { i as i64 + (site - at as i64) * inner as i64 };
        out[i] = before[place as usize];
    }
}
