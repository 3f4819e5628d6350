//! Kernels of the elements of a rank among those of a window.

use super::windows::{names_of_floats, neighbourhood};
use crate::dtype::DType;

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

/// The element of a rank in a window of at most 64 elements, by exchanges of pairs that do not depend on the elements: the `keep` least
/// of them, or the greatest ones, stay sorted, and the last of these is it.
macro_rules! few {
    ($name:ident $element:ident) => {
        neighbourhood! {
            $name $element $element (count: usize, keep: usize, is_of_greatest: bool,)
            |x, per, start, at, value, tap|
            before {}
            first { let mut kept: [$element; 64] = [0.0; 64]; }
            each { kept[tap] = value; }
            last {
                let mut sorted: [$element; 32] = [0.0; 32];
                for which in 0..count {
                    let mut moving = kept[which];
                    for slot in 0..keep {
                        if slot < which {
                            let other = sorted[slot];
                            let goes_before = if is_of_greatest { moving > other } else { moving < other };
                            sorted[slot] = if goes_before { moving } else { other };
                            moving = if goes_before { other } else { moving };
                        } else if slot == which {
                            sorted[slot] = moving;
                        }
                    }
                }
                sorted[keep - 1]
            }
        }
    };
}

macro_rules! of_floats {
    ($($module:ident $float:ident)*) => {$(
        pub(super) mod $module {
            use super::super::{Around, continued, quotient};
            use super::neighbourhood;
            use crate::prelude::*;
            use warpcell_macros::kernel;

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

            few! { rank_of_few $float }
        }
    )*};
}
of_floats! {
    of_f32 f32
    of_f64 f64
}
names_of_floats! { median9 rank rank_of_many rank_of_few }
