//! Kernels of bools: erosion, sets of neighbours, and distances.

use super::continued;
use super::windows::neighbourhood;
use crate::prelude::*;
use warpcell_macros::{device, kernel};

neighbourhood! {
    erode bool bool (structure: View<bool>, mask: View<bool>, has_mask: bool, is_dilation: bool,)
    |x, per, start, at, value, tap|
    before {}
    first { let mut all = true; }
    each {
        if structure[tap] && value == is_dilation {
            all = false;
        }
    }
    last { if has_mask && !mask[at] { x[at] } else { all != is_dilation } }
}

/// The least of the squares of distances along an axis, each the distance to an element and what that has; and where it is found.
/// It looks from each element outwards until all that follows is farther, as Saito and Toriwaki do (1994).
#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn distances(
    x: View<f64>,
    nearest: View<i64>,
    inner: usize,
    length: usize,
    step: f64,
    mut out: ViewMut<f64>,
    mut found: ViewMut<i64>,
    per: usize,
) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    for i in start..end {
        let at = i / inner % length;
        let mut best = x[i];
        let mut place = nearest[i];
        let mut r: usize = 1;
        while r <= at || at + r < length {
            let distance = r as f64 * step;
            let square = distance * distance;
            if square >= best {
                break;
            }
            if r <= at {
                let other = i - r * inner;
                let sum = x[other] + square;
                if sum < best {
                    best = sum;
                    place = nearest[other];
                }
            }
            if at + r < length {
                let other = i + r * inner;
                let sum = x[other] + square;
                if sum < best {
                    best = sum;
                    place = nearest[other];
                }
            }
            r += 1;
        }
        out[i] = best;
        found[i] = place;
    }
}

/// The first element of each run of elements that are true, along the last axis; -1 where they are not. A thread for each line.
#[kernel]
pub fn runs(mask: View<bool>, length: usize, joins: bool, mut parents: ViewMut<i64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(mask.len() / length);
    for line in start..end {
        let mut first: i64 = -1;
        for k in 0..length {
            let i = line * length + k;
            if mask[i] {
                if first < 0 || !joins {
                    first = i as i64;
                }
            } else {
                first = -1;
            }
            parents[i] = first;
        }
    }
}

/// The element that a set is named after. Other threads may unite sets meanwhile, so each element is read in one step.
#[device]
fn root(parents: &ViewMut<i64>, from: i64) -> i64 {
    let mut at = from;
    loop {
        let next = parents.atomic_max(at as usize, -1);
        if next == at {
            break;
        }
        at = next;
    }
    at
}

/// Unites the sets of neighbours. `structure` says which of the 81 elements around one along four axes are neighbours.
#[kernel]
pub fn unite(mask: View<bool>, structure: View<bool>, meta: View<i64>, joins: bool, parents: ViewMut<i64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(mask.len());
    let (n0, n1, n2, n3) = (meta[0], meta[1], meta[2], meta[3]);
    for i in start..end {
        if mask[i] {
            let at = i as i64;
            let c3 = at % n3;
            let c2 = at / n3 % n2;
            let c1 = at / (n3 * n2) % n1;
            let c0 = at / (n3 * n2 * n1);
            // The other half is seen from the other side. The last of these is in the same line.
            let taps: i64 = if joins { 39 } else { 40 };
            for tap in 0..taps {
                let p0 = c0 + tap / 27 - 1;
                let p1 = c1 + tap / 9 % 3 - 1;
                let p2 = c2 + tap / 3 % 3 - 1;
                let p3 = c3 + tap % 3 - 1;
                let is_within = p0 >= 0 && p1 >= 0 && p2 >= 0 && p3 >= 0 && p0 < n0 && p1 < n1 && p2 < n2 && p3 < n3;
                if structure[tap as usize] && is_within {
                    let other = ((p0 * n1 + p1) * n2 + p2) * n3 + p3;
                    if mask[other as usize] {
                        // The elements before them in their runs are neighbours too.
                        let is_known = joins && c3 > 0 && p3 > 0 && mask[i - 1] && mask[other as usize - 1];
                        if !is_known {
                            let mut a = at;
                            let mut b = other;
                            loop {
                                a = root(&parents, a);
                                b = root(&parents, b);
                                if a == b {
                                    break;
                                }
                                if a < b {
                                    std::mem::swap(&mut a, &mut b);
                                }
                                let old = parents.atomic_min(a as usize, b);
                                if old == a {
                                    break;
                                }
                                a = old;
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The element that each set is named after, its first one; and whether an element is one of those.
#[kernel]
pub fn roots(parents: View<i64>, mut out: ViewMut<i64>, mut firsts: ViewMut<i64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    for i in start..end {
        let mut at = parents[i];
        if at >= 0 {
            while parents[at as usize] != at {
                at = parents[at as usize];
            }
        }
        out[i] = at;
        firsts[i] = (at == i as i64) as i64;
    }
}

/// The numbers of sets.
#[kernel]
pub fn numbers(roots: View<i64>, ranks: View<i64>, mut out: ViewMut<i32>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    for i in start..end {
        out[i] = if roots[i] < 0 { 0 } else { ranks[roots[i] as usize] as i32 };
    }
}

/// Marks the sets that have an element in `seeds`.
#[kernel]
pub fn mark(roots: View<i64>, seeds: View<bool>, marks: ViewMut<i32>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(roots.len());
    for i in start..end {
        if roots[i] >= 0 && seeds[i] {
            marks.atomic_max(roots[i] as usize, 1);
        }
    }
}

/// Whether the set of each element is marked; elements of no set stay as they are.
#[kernel]
pub fn marked(roots: View<i64>, marks: View<i32>, x: View<bool>, mut out: ViewMut<bool>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    for i in start..end {
        out[i] = if roots[i] < 0 { x[i] } else { marks[roots[i] as usize] != 0 };
    }
}
