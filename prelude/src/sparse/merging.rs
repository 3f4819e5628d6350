//! What threads do to multiply sparse matrices whose lines are short: the lines of the second matrix, which ascend, are merged, the least
//! index first.
//!
//! Kernels are made for lines of the first matrix of up to so many elements. A GPU keeps where it is in so many lines in registers, as
//! all loops over them have a fixed length.

#![expect(clippy::too_many_arguments, reason = "kernels have such arguments")]

/// The most elements of a line of the first matrix for which a thread merges the lines of the second one.
pub(super) const MOST: usize = 32;

/// The most elements of a line for the kernels of few elements.
pub(super) const FEW: usize = 8;

macro_rules! collecting {
    ($most:tt $($module:ident $float:ident)*) => {$(
        pub mod $module {
            use warpcell_macros::kernel;
            use warpcell_threads::{View, ViewMut, global_idx};

            /// Writes what `count_merged` has counted: sums of products, in the order of the first matrix's elements.
            #[kernel]
            pub fn collect_merged(
                a_pointers: View<i32>,
                a_indices: View<i32>,
                a_data: View<$float>,
                b_pointers: View<i32>,
                b_indices: View<i32>,
                b_data: View<$float>,
                starts: View<i32>,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let lines = a_pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let from = a_pointers[line] as usize;
                    let many = a_pointers[line + 1] as usize - from;
                    let mut heads: [i32; $most] = [0; $most];
                    let mut ends: [i32; $most] = [0; $most];
                    let mut found: [i32; $most] = [2147483647; $most];
                    let mut factors: [$float; $most] = [0.0; $most];
                    for k in 0..$most {
                        if k < many {
                            let row = a_indices[from + k] as usize;
                            factors[k] = a_data[from + k];
                            heads[k] = b_pointers[row];
                            ends[k] = b_pointers[row + 1];
                            if heads[k] < ends[k] {
                                found[k] = b_indices[heads[k] as usize];
                            }
                        }
                    }
                    for place in starts[line] as usize..starts[line + 1] as usize {
                        let mut least = 2147483647;
                        for k in 0..$most {
                            least = least.min(found[k]);
                        }
                        let mut sum = 0.0 as $float;
                        for k in 0..$most {
                            while found[k] == least {
                                sum += factors[k] * b_data[heads[k] as usize];
                                heads[k] += 1;
                                found[k] = if heads[k] < ends[k] { b_indices[heads[k] as usize] } else { 2147483647 };
                            }
                        }
                        targets[place] = least;
                        values[place] = sum;
                    }
                }
            }
        }
    )*};
}

macro_rules! merging {
    ($($module:ident $most:tt;)*) => {$(
        pub(super) mod $module {
            use warpcell_macros::kernel;
            use warpcell_threads::{View, ViewMut, global_idx};

            /// How many different indices the products of each line have: those of the lines of the other matrix that its indices name.
            #[kernel]
            pub fn count_merged(
                a_pointers: View<i32>,
                a_indices: View<i32>,
                b_pointers: View<i32>,
                b_indices: View<i32>,
                chunk: u64,
                mut counts: ViewMut<i32>,
            ) {
                let lines = a_pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let from = a_pointers[line] as usize;
                    let many = a_pointers[line + 1] as usize - from;
                    let mut heads: [i32; $most] = [0; $most];
                    let mut ends: [i32; $most] = [0; $most];
                    let mut found: [i32; $most] = [2147483647; $most];
                    for k in 0..$most {
                        if k < many {
                            let row = a_indices[from + k] as usize;
                            heads[k] = b_pointers[row];
                            ends[k] = b_pointers[row + 1];
                            if heads[k] < ends[k] {
                                found[k] = b_indices[heads[k] as usize];
                            }
                        }
                    }
                    let mut count = 0;
                    let mut going = true;
                    while going {
                        let mut least = 2147483647;
                        for k in 0..$most {
                            least = least.min(found[k]);
                        }
                        going = least < 2147483647;
                        if going {
                            count += 1;
                            for k in 0..$most {
                                while found[k] == least {
                                    heads[k] += 1;
                                    found[k] = if heads[k] < ends[k] { b_indices[heads[k] as usize] } else { 2147483647 };
                                }
                            }
                        }
                    }
                    counts[line + 1] = count;
                }
            }

            collecting!($most single f32 double f64);
        }
    )*};
}
merging! {
    few 8;
    several 32;
}
