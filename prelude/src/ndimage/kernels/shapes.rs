//! Kernels of bools: erosion, sets of neighbours, and distances.

use super::windows::neighbourhood;
use super::{Around, continued, quotient};
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
/// A thread for each line. It keeps the elements whose parabolas are on the lower envelope, in `kept`, and then goes along them
/// (Felzenszwalb and Huttenlocher, "Distance transforms of sampled functions", 2012); parabolas are compared without divisions, so
/// that whole squares stay exact.
#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn distances(
    x: View<f64>,
    nearest: View<i64>,
    inner: usize,
    length: usize,
    step: f64,
    mut kept: ViewMut<i64>,
    mut out: ViewMut<f64>,
    mut found: ViewMut<i64>,
    per: usize,
) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len() / length);
    let square = step * step;
    for line in start..end {
        let base = line / inner * (inner * length) + line % inner;
        let mut count: usize = 0;
        for c in 0..length {
            let value = x[base + c * inner];
            if value < f64::INFINITY {
                let place = c as f64;
                let mut is_open = count > 1;
                while is_open {
                    let a = kept[base + (count - 2) * inner] as usize;
                    let b = kept[base + (count - 1) * inner] as usize;
                    let (left, middle) = (a as f64, b as f64);
                    let from = x[base + b * inner] - x[base + a * inner] + square * (middle - left) * (middle + left);
                    let to = value - x[base + b * inner] + square * (place - middle) * (place + middle);
                    // The parabola of `b` is below the others only from where it meets the one of `a` to where it meets this one.
                    if from * (place - middle) >= to * (middle - left) {
                        count -= 1;
                        is_open = count > 1;
                    } else {
                        is_open = false;
                    }
                }
                kept[base + count * inner] = c as i64;
                count += 1;
            }
        }
        let mut at: usize = 0;
        for c in 0..length {
            let i = base + c * inner;
            if count == 0 {
                out[i] = x[i];
                found[i] = nearest[i];
            } else {
                let mut other = kept[base + at * inner] as usize;
                let mut away = (c as f64 - other as f64) * step;
                let mut best = x[base + other * inner] + away * away;
                let mut is_open = at + 1 < count;
                while is_open {
                    let next = kept[base + (at + 1) * inner] as usize;
                    away = (c as f64 - next as f64) * step;
                    let sum = x[base + next * inner] + away * away;
                    if sum < best {
                        best = sum;
                        other = next;
                        at += 1;
                        is_open = at + 1 < count;
                    } else {
                        is_open = false;
                    }
                }
                out[i] = best;
                found[i] = nearest[base + other * inner];
            }
        }
    }
}

/// Parts of lines of so many elements, within which runs are found by going back; runs go on across them by being united.
const PART: usize = 32;

/// Makes the kernels of sets of neighbours for indices of a type: of 32 bits where these are enough, since these kernels are bound by
/// memory.
macro_rules! sets {
    ($($word:ident: $runs:ident $root:ident $join:ident $unite:ident $roots:ident $numbers:ident $mark:ident $marked:ident;)*) => {$(
        /// The first element of the part of a run within [`PART`] elements of its line, for each element that is true; -1 where they are not.
        #[kernel]
        pub fn $runs(mask: View<bool>, length: usize, is_small: bool, joins: bool, mut parents: ViewMut<$word>, per: usize) {
            let start = global_idx().x * per;
            let end = (start + per).min(mask.len());
            for i in start..end {
                let mut first = i;
                if mask[i] && joins {
                    let place = i - quotient(i, length, is_small) * length;
                    let mut left = place % PART;
                    while left > 0 && mask[first - 1] {
                        first -= 1;
                        left -= 1;
                    }
                }
                parents[i] = if mask[i] { first as $word } else { -1 };
            }
        }

        /// The element that a set is named after. Other threads may unite sets meanwhile.
        #[device]
        fn $root(parents: &ViewMut<$word>, from: $word) -> $word {
            let mut at = from;
            let mut next = parents.atomic_load(at as usize);
            let mut steps = 0i32;
            while next != at {
                let after = parents.atomic_load(next as usize);
                // A long way is halved for those who come later.
                if steps > 6 && after != next {
                    parents.atomic_min(at as usize, after);
                }
                steps += 1;
                at = next;
                next = after;
            }
            at
        }

        /// Unites the sets of two elements, under the first element of both.
        #[device]
        fn $join(parents: &ViewMut<$word>, one: $word, other: $word) {
            let (mut a, mut b) = (one, other);
            loop {
                a = $root(parents, a);
                b = $root(parents, b);
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

        /// Unites the sets of neighbours. `taps` has a bit for each of the 40 elements before one, of the 81 around it along four axes, that is a
        /// neighbour: the other half is seen from the other side.
        #[kernel]
        #[allow(clippy::too_many_arguments)]
        pub fn $unite(
            mask: View<bool>,
            taps: i64,
            around: Around,
            axes: i32,
            is_small: bool,
            joins: bool,
            parents: ViewMut<$word>,
            per: usize,
        ) {
            let start = global_idx().x * per;
            let end = (start + per).min(mask.len());
            let (n0, n1, n2, n3) = (around.n0, around.n1, around.n2, around.n3);
            for i in start..end {
                if mask[i] {
                    let at = i as i64;
                    let (mut c0, mut c1, mut c2, mut c3) = (0i64, 0i64, 0i64, at);
                    if axes > 1 {
                        c2 = quotient(i, n3 as usize, is_small) as i64;
                        c3 -= c2 * n3;
                    }
                    if axes > 2 {
                        c1 = quotient(c2 as usize, n2 as usize, is_small) as i64;
                        c2 -= c1 * n2;
                    }
                    if axes > 3 {
                        c0 = quotient(c1 as usize, n1 as usize, is_small) as i64;
                        c1 -= c0 * n1;
                    }
                    if joins && c3 > 0 && c3 as usize % PART == 0 && mask[i - 1] {
                        $join(&parents, i as $word, i as $word - 1);
                    }
                    for tap in 0..40i32 {
                        if (taps >> tap) & 1 == 1 {
                            let p0 = c0 + (tap / 27) as i64 - 1;
                            let p1 = c1 + (tap / 9 % 3) as i64 - 1;
                            let p2 = c2 + (tap / 3 % 3) as i64 - 1;
                            let p3 = c3 + (tap % 3) as i64 - 1;
                            let is_within =
                                p0 >= 0 && p1 >= 0 && p2 >= 0 && p3 >= 0 && p0 < n0 && p1 < n1 && p2 < n2 && p3 < n3;
                            if is_within {
                                let other = ((p0 * n1 + p1) * n2 + p2) * n3 + p3;
                                if mask[other as usize] {
                                    // The elements before them in their runs are neighbours too.
                                    let is_known = joins && c3 > 0 && p3 > 0 && mask[i - 1] && mask[other as usize - 1];
                                    if !is_known {
                                        $join(&parents, i as $word, other as $word);
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
        pub fn $roots(parents: ViewMut<$word>, mut out: ViewMut<$word>, mut firsts: ViewMut<i32>, per: usize) {
            let start = global_idx().x * per;
            let end = (start + per).min(out.len());
            for i in start..end {
                let mut at = parents.atomic_load(i);
                if at >= 0 {
                    at = $root(&parents, at);
                }
                out[i] = at;
                firsts[i] = (at == i as $word) as i32;
            }
        }

        /// The numbers of sets.
        #[kernel]
        pub fn $numbers(roots: View<$word>, ranks: View<i64>, mut out: ViewMut<i32>, per: usize) {
            let start = global_idx().x * per;
            let end = (start + per).min(out.len());
            for i in start..end {
                out[i] = if roots[i] < 0 { 0 } else { ranks[roots[i] as usize] as i32 };
            }
        }

        /// Marks the sets that have an element in `seeds`.
        #[kernel]
        pub fn $mark(roots: View<$word>, seeds: View<bool>, marks: ViewMut<i32>, per: usize) {
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
        pub fn $marked(roots: View<$word>, marks: View<i32>, x: View<bool>, mut out: ViewMut<bool>, per: usize) {
            let start = global_idx().x * per;
            let end = (start + per).min(out.len());
            for i in start..end {
                out[i] = if roots[i] < 0 { x[i] } else { marks[roots[i] as usize] != 0 };
            }
        }
    )*};
}
sets! {
    i32: runs root join unite roots numbers mark marked;
    i64: long_runs long_root long_join long_unite long_roots long_numbers long_mark long_marked;
}
