//! Kernels of windows that move over an array, along an axis or around each element.

use crate::dtype::DType;

/// The name of a kernel, by the type of elements.
pub(in crate::ndimage) type Named = fn(DType) -> &'static str;

/// Gives kernels of f32 and f64 one name.
macro_rules! names_of_floats {
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

pub(super) use names_of_floats;

/// A kernel that goes through the window around each element, in row-major order. `w01` and `w23` have the lengths of the window,
/// two in each number. Its text has no hygiene on a device, so callers use other names.
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
            around: Around,
            w01: i64,
            w23: i64,
            axes: i32,
            is_small: bool,
            mode: i32,
            outside: $element,
            $($extra)*
            mut out: ViewMut<$output>,
            $per: usize,
        ) {
            let $start = global_idx().x * $per;
            let end = ($start + $per).min(out.len());
            let (n0, n1, n2, n3) = (around.n0, around.n1, around.n2, around.n3);
            $($before)*
            for $i in $start..end {
                let (mut c0, mut c1, mut c2, mut c3) = (0i64, 0i64, 0i64, $i as i64);
                if axes > 1 {
                    c2 = quotient($i, n3 as usize, is_small) as i64;
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
                let (f0, f1, f2, f3) = (c0 - around.b0, c1 - around.b1, c2 - around.b2, c3 - around.b3);
                let inside = f0 >= 0
                    && f1 >= 0
                    && f2 >= 0
                    && f3 >= 0
                    && f0 + (w01 >> 32) <= n0
                    && f1 + (w01 & 0xffff_ffff) <= n1
                    && f2 + (w23 >> 32) <= n2
                    && f3 + (w23 & 0xffff_ffff) <= n3;
                let mut $tap: usize = 0;
                $($first)*
                if inside {
                    let corner = ((f0 * n1 + f1) * n2 + f2) * n3 + f3;
                    for a in 0..(w01 >> 32) as i32 {
                        for b in 0..(w01 & 0xffff_ffff) as i32 {
                            for c in 0..(w23 >> 32) as i32 {
                                let row = corner + ((a as i64 * n1 + b as i64) * n2 + c as i64) * n3;
                                for d in 0..(w23 & 0xffff_ffff) as i32 {
                                    let $value = $x[(row + d as i64) as usize];
                                    $($each)*
                                    $tap += 1;
                                }
                            }
                        }
                    }
                } else {
                    for a in 0..(w01 >> 32) as i32 {
                        let p0 = continued(f0 + a as i64, n0, mode);
                        for b in 0..(w01 & 0xffff_ffff) as i32 {
                            let p1 = continued(f1 + b as i64, n1, mode);
                            for c in 0..(w23 >> 32) as i32 {
                                let p2 = continued(f2 + c as i64, n2, mode);
                                let row = ((p0 * n1 + p1) * n2 + p2) * n3;
                                for d in 0..(w23 & 0xffff_ffff) as i32 {
                                    let p3 = continued(f3 + d as i64, n3, mode);
                                    let is_there = mode != 0 || (p0 >= 0 && p1 >= 0 && p2 >= 0 && p3 >= 0);
                                    let $value = if is_there { $x[(row + p3) as usize] } else { outside };
                                    $($each)*
                                    $tap += 1;
                                }
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

macro_rules! of_floats {
    ($($module:ident $float:ident)*) => {$(
        pub(super) mod $module {
            use super::super::{Around, along, continued, quotient};
            use crate::prelude::*;
            use warpcell_macros::kernel;

            /// The weighted sums of the elements around each one, along an axis whose neighbours are `inner` elements apart,
            /// over `divisor`. An odd number of weights that are symmetric (`form` 1), or the negative ones on the other side (2),
            /// are used by pairs, and other weights (0) from the last one on: SciPy's order, which shows where integers are cut off.
            /// With a form of -1 each thread finds out.
            #[kernel]
            #[allow(clippy::too_many_arguments)]
            pub fn correlate1d(
                x: View<$float>,
                weights: View<f64>,
                size: usize,
                form: i32,
                divides: bool,
                divisor: f64,
                inner: usize,
                length: usize,
                place: i32,
                is_small: bool,
                left: i64,
                mode: i32,
                outside: f64,
                mut out: ViewMut<$float>,
                per: usize,
            ) {
                let start = global_idx().x * per;
                let end = (start + per).min(out.len());
                let half = size / 2;
                let mut is_even = form == 1 || (form < 0 && size % 2 == 1);
                let mut is_odd = form == 2 || (form < 0 && size % 2 == 1 && half > 0);
                if form < 0 {
                    for k in 1..half + 1 {
                        if is_even && (weights[half + k] - weights[size - 1 - half - k]).abs() > 2.220446049250313e-16 {
                            is_even = false;
                        }
                        if is_odd && (weights[half + k] + weights[size - 1 - half - k]).abs() > 2.220446049250313e-16 {
                            is_odd = false;
                        }
                    }
                }
                let is_paired = is_even || is_odd;
                for i in start..end {
                    let at = along(i, inner, length, place, is_small);
                    let base = i - at * inner;
                    let first = at as i64 - left;
                    // The first term is that of the middle, or of the last one.
                    let begin = if is_paired { half } else { size - 1 };
                    let mut sum: f64 = 0.0;
                    if first >= 0 && first as usize + size <= length {
                        let from = base + first as usize * inner;
                        sum += x[from + begin * inner] as f64 * weights[begin];
                        if is_paired {
                            for k in 0..half {
                                let before = x[from + k * inner] as f64;
                                let behind = x[from + (size - 1 - k) * inner] as f64;
                                sum += (if is_even { before + behind } else { before - behind }) * weights[k];
                            }
                        } else {
                            for k in 0..size - 1 {
                                sum += x[from + k * inner] as f64 * weights[k];
                            }
                        }
                    } else {
                        let n = length as i64;
                        let middle = continued(first + begin as i64, n, mode);
                        let value = if middle < 0 { outside } else { x[base + middle as usize * inner] as f64 };
                        sum += value * weights[begin];
                        if is_paired {
                            for k in 0..half {
                                let low = continued(first + k as i64, n, mode);
                                let high = continued(first + (size - 1 - k) as i64, n, mode);
                                let before = if low < 0 { outside } else { x[base + low as usize * inner] as f64 };
                                let behind = if high < 0 { outside } else { x[base + high as usize * inner] as f64 };
                                sum += (if is_even { before + behind } else { before - behind }) * weights[k];
                            }
                        } else {
                            for k in 0..size - 1 {
                                let other = continued(first + k as i64, n, mode);
                                let value = if other < 0 { outside } else { x[base + other as usize * inner] as f64 };
                                sum += value * weights[k];
                            }
                        }
                    }
                    out[i] = (if divides { sum / divisor } else { sum }) as $float;
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

            /// The least or the greatest of few elements around each one, along an axis.
            #[kernel]
            #[allow(clippy::too_many_arguments)]
            pub fn extreme1d_few(
                x: View<$float>,
                size: usize,
                inner: usize,
                length: usize,
                place: i32,
                is_small: bool,
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
                    let at = along(i, inner, length, place, is_small);
                    let base = i - at * inner;
                    let first = at as i64 - left;
                    let inside = first >= 0 && first as usize + size <= length;
                    let mut best: $float = 0.0;
                    for k in 0..size {
                        let mut other = first + k as i64;
                        if !inside {
                            other = continued(other, length as i64, mode);
                        }
                        let value = if other < 0 { outside } else { x[base + other as usize * inner] };
                        if k == 0 || (is_maximum && value > best) || (!is_maximum && value < best) {
                            best = value;
                        }
                    }
                    out[i] = best;
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
        }
    )*};
}
of_floats! {
    of_f32 f32
    of_f64 f64
}
names_of_floats! { correlate1d uniform1d extreme1d extreme1d_few correlate extreme }
