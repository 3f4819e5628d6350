//! Kernels whose barriers not all threads of a block come to, or not the same ones; and operations of warps likewise.

use super::Finds::Divergence;
use super::{Planted, at, at3, launched};
use crate::kernels::arrays::{device, ramp, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn barrier_in_an_if(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    tile[t] = a[t];
    if t < 4 {
        sync_threads(); //~ barrier_in_an_if
    }
    out[t] = tile[t];
}

#[kernel]
fn barrier_after_an_early_return(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let (i, t) = (global_idx().x, thread_idx().x);
    if i >= a.len() {
        return;
    }
    tile[t] = a[i];
    sync_threads(); //~ barrier_after_an_early_return
    out[i] = tile[t];
}

#[kernel]
fn barrier_within_the_guard(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let (i, t) = (global_idx().x, thread_idx().x);
    if i < a.len() {
        tile[t] = a[i];
        sync_threads(); //~ barrier_within_the_guard
        out[i] = tile[t];
    }
}

#[kernel]
fn loops_of_different_lengths(mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    for _ in 0..t + 1 {
        sync_threads(); //~ loops_of_different_lengths
    }
    out[t] = t as f32;
}

#[kernel]
fn loop_until_the_element_is_small(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    let mut x = a[t];
    while x > 1.0 {
        x /= 2.0;
        sync_threads(); //~ loop_until_the_element_is_small
    }
    out[t] = x;
}

#[kernel]
fn strides_of_different_lengths(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    for i in grid_stride(a.len()) {
        tile[t] = a[i];
        sync_threads(); //~ strides_of_different_lengths
        out[i] = tile[t];
    }
}

#[kernel]
fn different_barriers(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    if t % 2 == 0 {
        out[t] = a[t];
        sync_threads(); //~ different_barriers
    } else {
        out[t] = 2.0 * a[t];
        sync_threads(); //~ different_barriers second
    }
}

#[kernel]
fn one_barrier_more_for_half_of_them(mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    if t >= 4 {
        sync_threads(); //~ one_barrier_more_for_half_of_them second
    }
    out[t] = 1.0;
    sync_threads(); //~ one_barrier_more_for_half_of_them
}

#[kernel]
fn barrier_for_the_first_row(a: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let mut tile = shared_array::<f32>(4);
    if y == 0 {
        tile[x] = a[[0, x]];
        sync_threads(); //~ barrier_for_the_first_row
    }
    out[[y, x]] = a[[y, x]];
}

#[kernel]
fn loop_left_early(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    for step in 0..4 {
        if a[t] < step as f32 {
            break;
        }
        sync_threads(); //~ loop_left_early
    }
    out[t] = 0.0;
}

#[kernel]
fn barrier_in_a_match(kinds: View<i32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    match kinds[t] {
        0 => out[t] = 1.0,
        1 => sync_threads(), //~ barrier_in_a_match
        _ => out[t] = 2.0,
    }
}

#[kernel]
fn count_within_an_if(a: View<f32>, mut out: ViewMut<u32>) {
    let t = thread_idx().x;
    if a[t] > 3.0 {
        out[t] = sync_threads_count(a[t] > 5.0); //~ count_within_an_if
    }
}

#[kernel]
fn any_in_one_branch(a: View<f32>, mut out: ViewMut<u32>) {
    let t = thread_idx().x;
    let mut found = false;
    if t != 0 {
        found = sync_threads_or(a[t] > 5.0); //~ any_in_one_branch
    }
    out[t] = if found { 1 } else { 0 };
}

#[device]
fn wait_if(condition: bool) {
    if condition {
        sync_threads(); //~ barrier_in_a_function
    }
}

#[kernel]
fn barrier_in_a_function(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    out[t] = a[t];
    wait_if(t > 1);
}

#[kernel]
fn reduction_with_a_barrier_in_the_branch(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    let mut step = 4;
    while step > 0 {
        if t < step {
            sums[t] += sums[t + step];
            sync_threads(); //~ reduction_with_a_barrier_in_the_branch
        }
        step /= 2;
    }
    if t == 0 {
        out[0] = sums[0];
    }
}

#[kernel]
fn only_the_last_block(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = a[i];
        sync_threads(); //~ only_the_last_block
    }
}

#[kernel]
fn ballot_of_half_a_warp(a: View<f32>, mut out: ViewMut<u32>) {
    let t = thread_idx().x;
    let mut votes = 0;
    if t < 16 {
        votes = ballot_sync(u32::MAX, a[t] > 3.0); //~ ballot_of_half_a_warp
    }
    sync_threads(); //~ ballot_of_half_a_warp second
    out[t] = votes;
}

#[kernel]
fn shuffles_in_two_directions(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    if t < 16 {
        out[t] = shfl_up_sync(u32::MAX, a[t], 1); //~ shuffles_in_two_directions
    } else {
        out[t] = shfl_down_sync(u32::MAX, a[t], 1); //~ shuffles_in_two_directions second
    }
}

#[kernel]
fn one_shuffle_in_two_branches(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    if t % 2 == 0 {
        out[t] = shfl_xor_sync(u32::MAX, a[t], 1); //~ one_shuffle_in_two_branches
    } else {
        out[t] = shfl_xor_sync(u32::MAX, -a[t], 1); //~ one_shuffle_in_two_branches second
    }
}

#[kernel]
fn barrier_of_a_warp_against_one_of_the_block(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    out[t] = a[t];
    if t < 8 {
        sync_warp(); //~ barrier_of_a_warp_against_one_of_the_block
    }
    sync_threads(); //~ barrier_of_a_warp_against_one_of_the_block second
}

#[kernel]
fn barrier_for_the_first_warp(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    let mut x = a[t];
    if t < 32 {
        x = shfl_xor_sync(u32::MAX, x, 1);
        sync_threads(); //~ barrier_for_the_first_warp
    }
    out[t] = x;
}

fn image(rows: usize, columns: usize) -> gpu::DeviceArray<f32> {
    ramp(rows * columns).reshape((rows, columns))
}

pub const PLANTED: &[Planted] = &[
    Planted {
        kernel: "barrier_in_an_if",
        launched: || launched(barrier_in_an_if, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Divergence { waits: at(0, 0), other: at(0, 4), ended: true },
    },
    Planted {
        kernel: "barrier_after_an_early_return",
        launched: || launched(barrier_after_an_early_return, 2, 8, (&ramp(12), &mut zeros(12))),
        finds: Divergence { waits: at(1, 0), other: at(1, 4), ended: true },
    },
    Planted {
        kernel: "barrier_within_the_guard",
        launched: || launched(barrier_within_the_guard, 1, 8, (&ramp(5), &mut zeros(5))),
        finds: Divergence { waits: at(0, 0), other: at(0, 5), ended: true },
    },
    Planted {
        kernel: "loops_of_different_lengths",
        launched: || launched(loops_of_different_lengths, 1, 4, (&mut zeros(4),)),
        finds: Divergence { waits: at(0, 1), other: at(0, 0), ended: true },
    },
    Planted {
        kernel: "loop_until_the_element_is_small",
        launched: || launched(loop_until_the_element_is_small, 1, 4, (&ramp(4), &mut zeros(4))),
        finds: Divergence { waits: at(0, 2), other: at(0, 0), ended: true },
    },
    Planted {
        kernel: "strides_of_different_lengths",
        launched: || launched(strides_of_different_lengths, 1, 8, (&ramp(20), &mut zeros(20))),
        finds: Divergence { waits: at(0, 0), other: at(0, 4), ended: true },
    },
    Planted {
        kernel: "different_barriers",
        launched: || launched(different_barriers, 1, 4, (&ramp(4), &mut zeros(4))),
        finds: Divergence { waits: at(0, 0), other: at(0, 1), ended: false },
    },
    Planted {
        kernel: "one_barrier_more_for_half_of_them",
        launched: || launched(one_barrier_more_for_half_of_them, 1, 8, (&mut zeros(8),)),
        finds: Divergence { waits: at(0, 0), other: at(0, 4), ended: false },
    },
    Planted {
        kernel: "barrier_for_the_first_row",
        launched: || launched(barrier_for_the_first_row, 1, (4, 2), (&image(2, 4), &mut gpu::zeros((2, 4)))),
        finds: Divergence { waits: at(0, 0), other: at3([0, 0, 0], [0, 1, 0]), ended: true },
    },
    Planted {
        kernel: "loop_left_early",
        launched: || launched(loop_left_early, 1, 4, (&ramp(4), &mut zeros(4))),
        finds: Divergence { waits: at(0, 1), other: at(0, 0), ended: true },
    },
    Planted {
        kernel: "barrier_in_a_match",
        launched: || {
            let kinds = device(vec![1, 1, 0, 2]);
            launched(barrier_in_a_match, 1, 4, (&kinds, &mut zeros(4)))
        },
        finds: Divergence { waits: at(0, 0), other: at(0, 2), ended: true },
    },
    Planted {
        kernel: "count_within_an_if",
        launched: || launched(count_within_an_if, 1, 8, (&ramp(8), &mut gpu::zeros(8))),
        finds: Divergence { waits: at(0, 4), other: at(0, 0), ended: true },
    },
    Planted {
        kernel: "any_in_one_branch",
        launched: || launched(any_in_one_branch, 1, 8, (&ramp(8), &mut gpu::zeros(8))),
        finds: Divergence { waits: at(0, 1), other: at(0, 0), ended: true },
    },
    Planted {
        kernel: "barrier_in_a_function",
        launched: || launched(barrier_in_a_function, 1, 4, (&ramp(4), &mut zeros(4))),
        finds: Divergence { waits: at(0, 2), other: at(0, 0), ended: true },
    },
    Planted {
        kernel: "reduction_with_a_barrier_in_the_branch",
        launched: || launched(reduction_with_a_barrier_in_the_branch, 1, 8, (&ramp(8), &mut zeros(1))),
        finds: Divergence { waits: at(0, 0), other: at(0, 4), ended: true },
    },
    Planted {
        kernel: "only_the_last_block",
        launched: || launched(only_the_last_block, 3, 4, (&ramp(10), &mut zeros(10))),
        finds: Divergence { waits: at(2, 0), other: at(2, 2), ended: true },
    },
    Planted {
        kernel: "ballot_of_half_a_warp",
        launched: || launched(ballot_of_half_a_warp, 1, 32, (&ramp(32), &mut gpu::zeros(32))),
        finds: Divergence { waits: at(0, 0), other: at(0, 16), ended: false },
    },
    Planted {
        kernel: "shuffles_in_two_directions",
        launched: || launched(shuffles_in_two_directions, 1, 32, (&ramp(32), &mut zeros(32))),
        finds: Divergence { waits: at(0, 0), other: at(0, 16), ended: false },
    },
    Planted {
        kernel: "one_shuffle_in_two_branches",
        launched: || launched(one_shuffle_in_two_branches, 1, 32, (&ramp(32), &mut zeros(32))),
        finds: Divergence { waits: at(0, 0), other: at(0, 1), ended: false },
    },
    Planted {
        kernel: "barrier_of_a_warp_against_one_of_the_block",
        launched: || launched(barrier_of_a_warp_against_one_of_the_block, 1, 32, (&ramp(32), &mut zeros(32))),
        finds: Divergence { waits: at(0, 0), other: at(0, 8), ended: false },
    },
    Planted {
        kernel: "barrier_for_the_first_warp",
        launched: || launched(barrier_for_the_first_warp, 1, 64, (&ramp(64), &mut zeros(64))),
        finds: Divergence { waits: at(0, 0), other: at(0, 32), ended: true },
    },
];
