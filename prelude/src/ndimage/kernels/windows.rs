//! Kernels of windows that move over an array, along an axis or around each element.

use crate::dtype::DType;

/// The name of a kernel, by the type of elements.
pub(in crate::ndimage) type Named = fn(DType) -> &'static str;

/// Gives kernels of f32 and f64 one name.
macro_rules! named {
    ($($name:ident)*) => {
        /// The names of the kernels that are there for f32 and f64.
        pub(in crate::ndimage) mod named {
            use super::{DType, of_f32, of_f64};
            $(
                pub(in crate::ndimage) fn $name(dtype: DType) -> &'static str {
                    if dtype == DType::F32 {
                        std::any::type_name_of_val(&of_f32::$name)
                    } else {
                        std::any::type_name_of_val(&of_f64::$name)
                    }
                }
            )*
        }
    };
}

/// A kernel that goes through the window around each element, in row-major order. `meta` has the lengths of four axes, the lengths of
/// the window, and how far it begins before the element. Its text has no hygiene on a device, so callers use other names.
macro_rules! neighbourhood {
    (
        $name:ident $element:ident $output:ident ($($extra:tt)*)
        |$x:ident, $per:ident, $start:ident, $i:ident, $value:ident, $tap:ident|
        before { $($before:tt)* } first { $($first:tt)* } each { $($each:tt)* } last { $($last:tt)* }
    ) => {
        #[kernel]
        #[allow(clippy::too_many_arguments, clippy::manual_swap)]
        pub fn $name(
            $x: View<$element>,
            meta: View<i64>,
            mode: i32,
            outside: $element,
            $($extra)*
            mut out: ViewMut<$output>,
            $per: usize,
        ) {
            let $start = global_idx().x * $per;
            let end = ($start + $per).min(out.len());
            let (n0, n1, n2, n3) = (meta[0], meta[1], meta[2], meta[3]);
            let (w0, w1, w2, w3) = (meta[4], meta[5], meta[6], meta[7]);
            $($before)*
            // The index of the first element, which is counted on: divisions cost more than small windows do.
            let index = $start as i64;
            let mut c3 = index % n3;
            let mut c2 = index / n3 % n2;
            let mut c1 = index / (n3 * n2) % n1;
            let mut c0 = index / (n3 * n2 * n1);
            for $i in $start..end {
                let f3 = c3 - meta[11];
                let f2 = c2 - meta[10];
                let f1 = c1 - meta[9];
                let f0 = c0 - meta[8];
                let inside = f0 >= 0
                    && f1 >= 0
                    && f2 >= 0
                    && f3 >= 0
                    && f0 + w0 <= n0
                    && f1 + w1 <= n1
                    && f2 + w2 <= n2
                    && f3 + w3 <= n3;
                let mut $tap: usize = 0;
                $($first)*
                for a in 0..w0 {
                    let p0 = continued(f0 + a, n0, mode);
                    for b in 0..w1 {
                        let p1 = continued(f1 + b, n1, mode);
                        for c in 0..w2 {
                            let p2 = continued(f2 + c, n2, mode);
                            let row = ((p0 * n1 + p1) * n2 + p2) * n3;
                            for d in 0..w3 {
                                let $value = if inside {
                                    $x[(row + f3 + d) as usize]
                                } else {
                                    let p3 = continued(f3 + d, n3, mode);
                                    if p0 < 0 || p1 < 0 || p2 < 0 || p3 < 0 { outside } else { $x[(row + p3) as usize] }
                                };
                                $($each)*
                                $tap += 1;
                            }
                        }
                    }
                }
                out[$i] = { $($last)* };
                c3 += 1;
                if c3 == n3 {
                    c3 = 0;
                    c2 += 1;
                    if c2 == n2 {
                        c2 = 0;
                        c1 += 1;
                        if c1 == n1 {
                            c1 = 0;
                            c0 += 1;
                        }
                    }
                }
            }
        }
    };
}

pub(super) use neighbourhood;

/// The element of rank `k` among the first `count` of `kept`, from `base` on, by Hoare's selection in the form of Wirth.
macro_rules! selection {
    ($name:ident $element:ident ($($extra:tt)*) $kept:ident { $($before:tt)* } $base:ident { $($place:tt)* }) => {
        neighbourhood! {
            $name $element $element (footprint: View<bool>, rank: usize, $($extra)*)
            |x, per, start, at, value, tap|
            before { $($before)* let $base = { let thread = start / per; thread * ($($place)*) }; }
            first { let mut count: usize = 0; }
            each {
                if footprint[tap] {
                    $kept[$base + count] = value;
                    count += 1;
                }
            }
            last {
                let k = rank as i64;
                let mut low: i64 = 0;
                let mut high = count as i64 - 1;
                while low < high {
                    let pivot = $kept[$base + k as usize];
                    let mut i = low;
                    let mut j = high;
                    while i <= j {
                        while i < high && $kept[$base + i as usize] < pivot {
                            i += 1;
                        }
                        while j > low && pivot < $kept[$base + j as usize] {
                            j -= 1;
                        }
                        if i <= j {
                            let left = $kept[$base + i as usize];
                            $kept[$base + i as usize] = $kept[$base + j as usize];
                            $kept[$base + j as usize] = left;
                            i += 1;
                            j -= 1;
                        }
                    }
                    if j < k {
                        low = i;
                    }
                    if k < i {
                        high = j;
                    }
                }
                $kept[$base + k as usize]
            }
        }
    };
}

/// The median of nine elements, by exchanges of pairs that do not depend on the elements (Paeth, "Median finding on a 3 x 3 grid",
/// 1990; in the form of Devillard).
macro_rules! median_of_nine {
    ($name:ident $element:ident $($from:literal $to:literal),*) => {
        neighbourhood! {
            $name $element $element ()
            |x, per, start, at, value, tap|
            before { let mut kept: [$element; 9] = [0.0; 9]; }
            first {}
            each { kept[tap] = value; }
            last {
                $(
                    let (first, second) = (kept[$from], kept[$to]);
                    kept[$from] = if second < first { second } else { first };
                    kept[$to] = if second < first { first } else { second };
                )*
                kept[4]
            }
        }
    };
}

macro_rules! of_floats {
    ($($module:ident $float:ident)*) => {$(
        pub(super) mod $module {
            use super::super::continued;
            use crate::prelude::*;
            use warpcell_macros::kernel;

            /// The weighted sums of the elements around each one, along an axis whose neighbours are `inner` elements apart,
            /// over `divisor`. An odd number of weights that are symmetric, or the negative ones on the other side, are used
            /// by pairs, and other weights from the last one on: SciPy's order, which shows where integers are cut off.
            #[kernel]
            #[allow(clippy::too_many_arguments)]
            pub fn correlate1d(
                x: View<$float>,
                weights: View<f64>,
                divisor: f64,
                inner: usize,
                length: usize,
                left: i64,
                mode: i32,
                outside: f64,
                mut out: ViewMut<$float>,
                per: usize,
            ) {
                let size = weights.len();
                let start = global_idx().x * per;
                let end = (start + per).min(out.len());
                let half = size / 2;
                let mut is_even = size % 2 == 1;
                let mut is_odd = is_even && half > 0;
                for k in 1..(half + 1) {
                    if is_even && (weights[half + k] - weights[size - 1 - half - k]).abs() > 2.220446049250313e-16 {
                        is_even = false;
                    }
                    if is_odd && (weights[half + k] + weights[size - 1 - half - k]).abs() > 2.220446049250313e-16 {
                        is_odd = false;
                    }
                }
                let sign: f64 = if is_even { 1.0 } else { -1.0 };
                // The index of the first element, which is counted on: divisions cost more than few weights do.
                let mut column = start % inner;
                let mut at = start / inner % length;
                for i in start..end {
                    let base = i - at * inner;
                    let first = at as i64 - left;
                    let mut sum: f64 = 0.0;
                    if first >= 0 && first as usize + size <= length {
                        let place = base + first as usize * inner;
                        if is_even || is_odd {
                            sum += x[place + half * inner] as f64 * weights[half];
                            for k in 0..half {
                                let before = x[place + k * inner] as f64;
                                let behind = x[place + (size - 1 - k) * inner] as f64;
                                sum += (before + sign * behind) * weights[k];
                            }
                        } else {
                            sum += x[place + (size - 1) * inner] as f64 * weights[size - 1];
                            for k in 0..size - 1 {
                                sum += x[place + k * inner] as f64 * weights[k];
                            }
                        }
                    } else if is_even || is_odd {
                        let middle = continued(first + half as i64, length as i64, mode);
                        let value = if middle < 0 { outside } else { x[base + middle as usize * inner] as f64 };
                        sum += value * weights[half];
                        for k in 0..half {
                            let low = continued(first + k as i64, length as i64, mode);
                            let high = continued(first + (size - 1 - k) as i64, length as i64, mode);
                            let before = if low < 0 { outside } else { x[base + low as usize * inner] as f64 };
                            let behind = if high < 0 { outside } else { x[base + high as usize * inner] as f64 };
                            sum += (before + sign * behind) * weights[k];
                        }
                    } else {
                        let last = continued(first + (size - 1) as i64, length as i64, mode);
                        let value = if last < 0 { outside } else { x[base + last as usize * inner] as f64 };
                        sum += value * weights[size - 1];
                        for k in 0..size - 1 {
                            let place = continued(first + k as i64, length as i64, mode);
                            let value = if place < 0 { outside } else { x[base + place as usize * inner] as f64 };
                            sum += value * weights[k];
                        }
                    }
                    out[i] = (sum / divisor) as $float;
                    column += 1;
                    if column == inner {
                        column = 0;
                        at += 1;
                        if at == length {
                            at = 0;
                        }
                    }
                }
            }

            /// The means of `size` elements around each one, by a running sum over the `run` elements that a thread computes.
            #[kernel]
            #[allow(clippy::too_many_arguments, clippy::manual_div_ceil)]
            pub fn uniform1d(
                x: View<$float>,
                size: usize,
                inner: usize,
                length: usize,
                left: i64,
                mode: i32,
                outside: f64,
                run: usize,
                mut out: ViewMut<$float>,
                per: usize,
            ) {
                let runs = (length + run - 1) / run;
                let lines = out.len() / length;
                let start = global_idx().x * per;
                let end = (start + per).min(lines * runs);
                for i in start..end {
                    let column = i % inner;
                    let first = i / inner % runs * run;
                    let base = i / (inner * runs) * (length * inner) + column;
                    let mut sum: f64 = 0.0;
                    for k in 0..size {
                        let place = continued(first as i64 - left + k as i64, length as i64, mode);
                        sum += if place < 0 { outside } else { x[base + place as usize * inner] as f64 };
                    }
                    for at in first..(first + run).min(length) {
                        out[base + at * inner] = (sum / size as f64) as $float;
                        let old = continued(at as i64 - left, length as i64, mode);
                        let new = continued(at as i64 - left + size as i64, length as i64, mode);
                        sum += if new < 0 { outside } else { x[base + new as usize * inner] as f64 };
                        sum -= if old < 0 { outside } else { x[base + old as usize * inner] as f64 };
                    }
                }
            }

            /// The least or the greatest of the elements around each one, along an axis: of `size` windows after each other,
            /// which have one element in common, from that one back and from there on (van Herk, "A fast algorithm for local
            /// minimum and maximum filters on rectangular and octagonal kernels", 1992; Gil and Werman, 1993).
            #[kernel]
            #[allow(clippy::too_many_arguments, clippy::manual_div_ceil)]
            pub fn extreme1d(
                x: View<$float>,
                size: usize,
                inner: usize,
                length: usize,
                left: i64,
                mode: i32,
                outside: $float,
                is_maximum: bool,
                mut out: ViewMut<$float>,
                per: usize,
            ) {
                let blocks = (length + size - 1) / size;
                let lines = out.len() / length;
                let start = global_idx().x * per;
                let end = (start + per).min(lines * blocks);
                for i in start..end {
                    let column = i % inner;
                    let first = i / inner % blocks * size;
                    let base = i / (inner * blocks) * (length * inner) + column;
                    let begin = first as i64 - left;
                    let mut best: $float = 0.0;
                    for k in (0..size).rev() {
                        let place = continued(begin + k as i64, length as i64, mode);
                        let value = if place < 0 { outside } else { x[base + place as usize * inner] };
                        if k == size - 1 || (is_maximum && value > best) || (!is_maximum && value < best) {
                            best = value;
                        }
                        if first + k < length {
                            out[base + (first + k) * inner] = best;
                        }
                    }
                    let last = size.min(length - first);
                    for k in 1..last {
                        let place = continued(begin + (size - 1 + k) as i64, length as i64, mode);
                        let value = if place < 0 { outside } else { x[base + place as usize * inner] };
                        if k == 1 || (is_maximum && value > best) || (!is_maximum && value < best) {
                            best = value;
                        }
                        let before = out[base + (first + k) * inner];
                        if (is_maximum && best > before) || (!is_maximum && best < before) {
                            out[base + (first + k) * inner] = best;
                        }
                    }
                }
            }

            neighbourhood! {
                correlate $float $float (weights: View<f64>,)
                |x, per, start, at, value, tap|
                before {}
                first { let mut sum: f64 = 0.0; }
                each {
                    let weight = weights[tap];
                    // An infinite element counts only where the window has a weight.
                    if weight.abs() > 2.220446049250313e-16 {
                        sum += weight * value as f64;
                    }
                }
                last { sum as $float }
            }

            neighbourhood! {
                extreme $float $float (footprint: View<bool>, heights: View<f64>, is_maximum: bool, low: f64, modulus: f64,)
                |x, per, start, at, value, tap|
                before {}
                first {
                    let mut best: f64 = 0.0;
                    let mut is_first = true;
                }
                each {
                    if footprint[tap] {
                        let height = if is_maximum { heights[tap] } else { -heights[tap] };
                        let mut value = value as f64 + height;
                        // SciPy has integers for all but the first element.
                        if modulus > 0.0 && !is_first {
                            value -= height - height.trunc();
                            value -= ((value - low) / modulus).floor() * modulus;
                        }
                        if is_first || (is_maximum && value > best) || (!is_maximum && value < best) {
                            best = value;
                        }
                        is_first = false;
                    }
                }
                last { best as $float }
            }

            median_of_nine! {
                median9 $float
                1 2, 4 5, 7 8, 0 1, 3 4, 6 7, 1 2, 4 5, 7 8, 0 3, 5 8, 4 7, 3 6, 1 4, 2 5, 4 7, 4 2, 6 4, 4 2
            }

            selection! {
                rank $float () kept { let mut kept: [$float; 128] = [0.0; 128]; } base { 0usize }
            }

            selection! {
                rank_of_many $float (mut kept: ViewMut<$float>, most: usize,) kept {} base { most }
            }
        }
    )*};
}
of_floats! {
    of_f32 f32
    of_f64 f64
}
named! { correlate1d uniform1d extreme1d correlate extreme median9 rank rank_of_many }
