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
            for $i in $start..end {
                let index = $i as i64;
                let f3 = index % n3 - meta[11];
                let f2 = index / n3 % n2 - meta[10];
                let f1 = index / (n3 * n2) % n1 - meta[9];
                let f0 = index / (n3 * n2 * n1) - meta[8];
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
            }
        }
    };
}

pub(super) use neighbourhood;

/// The element of rank `k` among the first `count` of `kept`, from `base` on, by Hoare's selection in the form of Wirth.
macro_rules! selection {
    ($name:ident $element:ident ($($extra:tt)*) $kept:ident { $($before:tt)* } $base:ident { $($place:tt)* }) => {
        neighbourhood! {
            $name $element $element (footprint: View<bool>, percent: f64, rank: i64, $($extra)*)
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
                // A percentile is that of the window's own elements.
                let mut k = if rank < 0 { rank + count as i64 } else { rank };
                if percent >= 0.0 {
                    k = if percent >= 100.0 { count as i64 - 1 } else { (count as f64 * percent / 100.0) as i64 };
                }
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

macro_rules! of_floats {
    ($($module:ident $float:ident)*) => {$(
        pub(super) mod $module {
            use super::super::continued;
            use crate::prelude::*;
            use warpcell_macros::kernel;

            /// The weighted sums of the elements around each one, along an axis whose neighbours are `inner` elements apart.
            #[kernel]
            #[allow(clippy::too_many_arguments)]
            pub fn correlate1d(
                x: View<$float>,
                weights: View<f64>,
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
                for i in start..end {
                    let at = i / inner % length;
                    let base = i - at * inner;
                    let first = at as i64 - left;
                    let mut sum: f64 = 0.0;
                    if first >= 0 && first as usize + size <= length {
                        let mut place = base + first as usize * inner;
                        for k in 0..size {
                            sum += weights[k] * x[place] as f64;
                            place += inner;
                        }
                    } else {
                        for k in 0..size {
                            let place = continued(first + k as i64, length as i64, mode);
                            let value = if place < 0 { outside } else { x[base + place as usize * inner] as f64 };
                            sum += weights[k] * value;
                        }
                    }
                    out[i] = sum as $float;
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

            /// The least or the greatest of the elements around each one, along an axis.
            #[kernel]
            #[allow(clippy::too_many_arguments)]
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
                let start = global_idx().x * per;
                let end = (start + per).min(out.len());
                for i in start..end {
                    let at = i / inner % length;
                    let base = i - at * inner;
                    let first = at as i64 - left;
                    let mut best: $float = 0.0;
                    for k in 0..size {
                        let place = continued(first + k as i64, length as i64, mode);
                        let value = if place < 0 { outside } else { x[base + place as usize * inner] };
                        if k == 0 || (is_maximum && value > best) || (!is_maximum && value < best) {
                            best = value;
                        }
                    }
                    out[i] = best;
                }
            }

            neighbourhood! {
                correlate $float $float (weights: View<f64>,)
                |x, per, start, at, value, tap|
                before {}
                first { let mut sum: f64 = 0.0; }
                each { sum += weights[tap] * value as f64; }
                last { sum as $float }
            }

            neighbourhood! {
                extreme $float $float (footprint: View<bool>, heights: View<f64>, is_maximum: bool,)
                |x, per, start, at, value, tap|
                before {}
                first {
                    let mut best: f64 = 0.0;
                    let mut is_first = true;
                }
                each {
                    if footprint[tap] {
                        let height = heights[tap];
                        let value = if is_maximum { value as f64 + height } else { value as f64 - height };
                        if is_first || (is_maximum && value > best) || (!is_maximum && value < best) {
                            best = value;
                        }
                        is_first = false;
                    }
                }
                last { best as $float }
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
named! { correlate1d uniform1d extreme1d correlate extreme rank rank_of_many }
