//! Kernels in which two threads touch one element, one of them writing, and nothing orders them.

use super::Finds::Race;
use super::{Planted, at3, atomic, launched, reads, writes};
use crate::kernels::arrays::{device, ramp, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn reversed_without_a_barrier(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    tile[t] = a[t]; //~ reversed_without_a_barrier write
    out[t] = tile[7 - t]; //~ reversed_without_a_barrier read
}

#[kernel]
fn product_without_the_first_barrier(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut rows = shared_array::<f32>([4, 4]);
    let mut columns = shared_array::<f32>([4, 4]);
    let (x, y) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for step in 0..2 {
        rows[[y, x]] = a[[y, 4 * step + x]]; //~ product_without_the_first_barrier write
        columns[[y, x]] = b[[4 * step + y, x]];
        for k in 0..4 {
            let left = rows[[y, k]]; //~ product_without_the_first_barrier read
            sum += left * columns[[k, x]];
        }
        sync_threads();
    }
    out[[y, x]] = sum;
}

#[kernel]
fn product_without_the_second_barrier(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut rows = shared_array::<f32>([4, 4]);
    let mut columns = shared_array::<f32>([4, 4]);
    let (x, y) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for step in 0..2 {
        rows[[y, x]] = a[[y, 4 * step + x]]; //~ product_without_the_second_barrier write
        columns[[y, x]] = b[[4 * step + y, x]];
        sync_threads();
        for k in 0..4 {
            let left = rows[[y, k]]; //~ product_without_the_second_barrier read
            sum += left * columns[[k, x]];
        }
    }
    out[[y, x]] = sum;
}

#[kernel]
fn reduction_without_barriers_between_steps(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    let mut step = 4;
    while step > 0 {
        if t < step {
            let right = sums[t + step]; //~ reduction_without_barriers_between_steps read
            sums[t] += right; //~ reduction_without_barriers_between_steps write
        }
        step /= 2;
    }
    if t == 0 {
        out[0] = sums[0];
    }
}

#[kernel]
fn reduction_without_the_first_barrier(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let t = thread_idx().x;
    sums[t] = a[t]; //~ reduction_without_the_first_barrier write
    let mut step = 4;
    while step > 0 {
        if t < step {
            let right = sums[t + step]; //~ reduction_without_the_first_barrier read
            sums[t] += right;
        }
        sync_threads();
        step /= 2;
    }
    if t == 0 {
        out[0] = sums[0];
    }
}

#[kernel]
fn prefix_sums_in_place(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    let mut step = 1;
    while step < 8 {
        if t >= step {
            let left = sums[t - step]; //~ prefix_sums_in_place read
            sums[t] += left; //~ prefix_sums_in_place write
        }
        sync_threads();
        step *= 2;
    }
    out[t] = sums[t];
}

#[kernel]
fn prefix_sums_read_and_written_at_once(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let t = thread_idx().x;
    sums[t] = a[t];
    let mut step = 1;
    while step < 8 {
        sync_threads();
        let left = if t >= step { sums[t - step] } else { 0.0 }; //~ prefix_sums_read_and_written_at_once read
        sums[t] += left; //~ prefix_sums_read_and_written_at_once write
        step *= 2;
    }
    out[t] = sums[t];
}

#[kernel]
fn smoothed_in_place(mut a: ViewMut<f32>) {
    let i = global_idx().x;
    if i > 0 && i + 1 < a.len() {
        let sum = a[i] + a[i - 1] + a[i + 1]; //~ smoothed_in_place read
        a[i] = sum / 3.0; //~ smoothed_in_place write
    }
}

#[kernel]
fn halo_of_another_block(mut a: ViewMut<f32>) {
    let i = global_idx().x;
    let t = thread_idx().x;
    let mut tile = shared_array::<f32>(6);
    tile[t + 1] = a[i];
    if t == 0 {
        tile[0] = if i > 0 { a[i - 1] } else { 0.0 }; //~ halo_of_another_block read
        tile[5] = 0.0;
    }
    sync_threads();
    a[i] = tile[t] + tile[t + 1]; //~ halo_of_another_block write
}

#[kernel]
fn every_block_writes_the_same(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    out[t] = a[global_idx().x]; //~ every_block_writes_the_same
}

#[kernel]
fn every_thread_writes_the_result(a: View<f32>, mut out: ViewMut<f32>) {
    let x = a[thread_idx().x];
    out[0] = x; //~ every_thread_writes_the_result
}

#[kernel]
fn two_threads_for_one_element(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    out[t / 2] = a[t]; //~ two_threads_for_one_element
}

#[kernel]
fn sum_without_atomics(a: View<f32>, mut sum: ViewMut<f32>) {
    let x = a[global_idx().x];
    sum[0] += x; //~ sum_without_atomics
}

#[kernel]
fn sums_of_rows_without_atomics(a: View<f32>, mut sums: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let before = sums[y]; //~ sums_of_rows_without_atomics read
    sums[y] = before + a[[y, x]]; //~ sums_of_rows_without_atomics write
}

#[kernel]
fn histogram_without_atomics(values: View<i32>, mut bins: ViewMut<u32>) {
    let i = global_idx().x;
    if i < values.len() {
        bins[values[i] as usize] += 1; //~ histogram_without_atomics
    }
}

#[kernel]
fn counter_in_shared_memory(values: View<i32>, mut out: ViewMut<u32>) {
    let mut count = shared_array::<u32>(1);
    let t = thread_idx().x;
    if t == 0 {
        count[0] = 0;
    }
    sync_threads();
    if values[t] > 2 {
        count[0] += 1; //~ counter_in_shared_memory
    }
    sync_threads();
    if t == 0 {
        out[0] = count[0];
    }
}

#[kernel]
fn sum_read_while_others_add(a: View<f32>, sum: ViewMut<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    sum.atomic_add(0, a[t]); //~ sum_read_while_others_add atomic
    out[t] = a[t] / sum[0]; //~ sum_read_while_others_add read
}

#[kernel]
fn sum_cleared_while_others_add(a: View<f32>, mut sum: ViewMut<f32>) {
    let t = thread_idx().x;
    if t == 0 {
        sum[0] = 0.0; //~ sum_cleared_while_others_add write
    }
    sum.atomic_add(0, a[t]); //~ sum_cleared_while_others_add atomic
}

#[kernel]
fn bins_cleared_without_a_barrier(values: View<i32>, mut out: ViewMut<u32>) {
    let mut bins = shared_array::<u32>(4);
    let t = thread_idx().x;
    if t < 4 {
        bins[t] = 0; //~ bins_cleared_without_a_barrier write
    }
    bins.atomic_add(values[t] as usize, 1); //~ bins_cleared_without_a_barrier atomic
    sync_threads();
    if t < 4 {
        out[t] = bins[t];
    }
}

#[kernel]
fn result_of_another_block(a: View<f32>, mut sums: ViewMut<f32>, mut out: ViewMut<f32>) {
    let b = block_idx().x;
    if thread_idx().x == 0 {
        sums[b] = a[b]; //~ result_of_another_block write
    }
    sync_threads();
    if b == 1 && thread_idx().x == 3 {
        out[0] = sums[0] + sums[1]; //~ result_of_another_block read
    }
}

#[kernel]
fn fence_instead_of_a_barrier(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    tile[t] = a[t]; //~ fence_instead_of_a_barrier write
    thread_fence();
    let before = if t > 0 { tile[t - 1] } else { 0.0 }; //~ fence_instead_of_a_barrier read
    out[t] = before;
}

#[kernel]
fn transposed_in_place(mut a: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let value = a[[x, y]]; //~ transposed_in_place read
    a[[y, x]] = value; //~ transposed_in_place write
}

#[kernel]
fn transposed_tile_without_a_barrier(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([4, 5]);
    let (x, y) = (thread_idx().x, thread_idx().y);
    tile[[y, x]] = a[[y, x]]; //~ transposed_tile_without_a_barrier write
    out[[y, x]] = tile[[x, y]]; //~ transposed_tile_without_a_barrier read
}

#[kernel]
fn last_warp_without_barriers(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(64);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    if t < 32 {
        sums[t] += sums[t + 32];
        sync_warp();
        sums[t] += if t < 16 { sums[t + 16] } else { 0.0 }; //~ last_warp_without_barriers
    }
    if t == 0 {
        out[0] = sums[0];
    }
}

#[kernel]
fn barrier_of_a_warp_between_warps(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(64);
    let t = thread_idx().x;
    tile[t] = a[t]; //~ barrier_of_a_warp_between_warps write
    sync_warp();
    out[t] = tile[63 - t]; //~ barrier_of_a_warp_between_warps read
}

#[kernel]
fn buffer_filled_again_too_early(a: View<f32>, mut out: ViewMut<f32>) {
    let mut value = shared_array::<f32>(1);
    let t = thread_idx().x;
    let mut sum = 0.0;
    for i in 0..a.len() {
        if t == 0 {
            value[0] = a[i]; //~ buffer_filled_again_too_early write
        }
        sync_threads();
        sum += value[0]; //~ buffer_filled_again_too_early read
    }
    out[t] = sum;
}

#[kernel]
fn exchange_without_a_barrier(mut a: ViewMut<f32>) {
    let i = 2 * thread_idx().x;
    for phase in 0..2 {
        let left = i + phase;
        if left + 1 < a.len() {
            let (x, y) = (a[left], a[left + 1]); //~ exchange_without_a_barrier read
            a[left] = if x < y { x } else { y }; //~ exchange_without_a_barrier write
            a[left + 1] = if x < y { y } else { x }; //~ exchange_without_a_barrier second
        }
    }
}

#[kernel]
fn maximum_compared_before_it_is_written(a: View<i32>, most: ViewMut<i32>) {
    let i = global_idx().x;
    let current = most[0]; //~ maximum_compared_before_it_is_written read
    if a[i] > current {
        most.atomic_max(0, a[i]); //~ maximum_compared_before_it_is_written atomic
    }
}

#[kernel]
fn overlapping_windows(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    for k in 0..3 {
        out[2 * t + k] = a[t]; //~ overlapping_windows
    }
}

#[kernel]
fn announced_by_a_flag(a: View<f32>, mut out: ViewMut<f32>, flag: ViewMut<i32>) {
    let t = thread_idx().x;
    if t == 0 {
        out[0] = a[0]; //~ announced_by_a_flag write
        flag.atomic_exchange(0, 1);
    }
    if t == 1 && flag.atomic_add(0, 0) == 1 {
        out[1] = out[0]; //~ announced_by_a_flag read
    }
}

#[device]
fn store(mut tile: SharedArray<f32>, t: usize, value: f32) {
    tile[t] = value; //~ in_functions write
}

#[device]
fn load(tile: SharedArray<f32>, t: usize) -> f32 {
    tile[t] //~ in_functions read
}

#[kernel]
fn in_functions(a: View<f32>, mut out: ViewMut<f32>) {
    let tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    store(tile, t, a[t]);
    out[t] = load(tile, (t + 1) % 8);
}

fn image(rows: usize, columns: usize) -> gpu::DeviceArray<f32> {
    ramp(rows * columns).reshape((rows, columns))
}

fn square() -> gpu::DeviceArray<f32> {
    gpu::zeros((4, 4))
}

pub const PLANTED: &[Planted] = &[
    Planted {
        kernel: "reversed_without_a_barrier",
        launched: || launched(reversed_without_a_barrier, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Race { memory: "tile", index: &[4], first: reads(0, 3), second: writes(0, 4) },
    },
    Planted {
        kernel: "product_without_the_first_barrier",
        launched: || {
            let arrays = (&image(4, 8), &image(8, 4), &mut square());
            launched(product_without_the_first_barrier, 1, (4, 4), arrays)
        },
        finds: Race { memory: "rows", index: &[0, 1], first: reads(0, 0), second: writes(0, 1) },
    },
    Planted {
        kernel: "product_without_the_second_barrier",
        launched: || {
            let arrays = (&image(4, 8), &image(8, 4), &mut square());
            launched(product_without_the_second_barrier, 1, (4, 4), arrays)
        },
        finds: Race { memory: "rows", index: &[0, 0], first: writes(0, 0), second: reads(0, 1) },
    },
    Planted {
        kernel: "reduction_without_barriers_between_steps",
        launched: || launched(reduction_without_barriers_between_steps, 1, 8, (&ramp(8), &mut zeros(1))),
        finds: Race { memory: "sums", index: &[1], first: reads(0, 0), second: writes(0, 1) },
    },
    Planted {
        kernel: "reduction_without_the_first_barrier",
        launched: || launched(reduction_without_the_first_barrier, 1, 8, (&ramp(8), &mut zeros(1))),
        finds: Race { memory: "sums", index: &[4], first: reads(0, 0), second: writes(0, 4) },
    },
    Planted {
        kernel: "prefix_sums_in_place",
        launched: || launched(prefix_sums_in_place, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Race { memory: "sums", index: &[1], first: writes(0, 1), second: reads(0, 2) },
    },
    Planted {
        kernel: "prefix_sums_read_and_written_at_once",
        launched: || launched(prefix_sums_read_and_written_at_once, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Race { memory: "sums", index: &[0], first: writes(0, 0), second: reads(0, 1) },
    },
    Planted {
        kernel: "smoothed_in_place",
        launched: || launched(smoothed_in_place, 2, 4, (&mut ramp(8),)),
        finds: Race { memory: "a", index: &[1], first: writes(0, 1), second: reads(0, 2) },
    },
    Planted {
        kernel: "halo_of_another_block",
        launched: || launched(halo_of_another_block, 2, 4, (&mut ramp(8),)),
        finds: Race { memory: "a", index: &[3], first: writes(0, 3), second: reads(1, 0) },
    },
    Planted {
        kernel: "every_block_writes_the_same",
        launched: || launched(every_block_writes_the_same, 2, 4, (&ramp(8), &mut zeros(4))),
        finds: Race { memory: "out", index: &[0], first: writes(0, 0), second: writes(1, 0) },
    },
    Planted {
        kernel: "every_thread_writes_the_result",
        launched: || launched(every_thread_writes_the_result, 1, 4, (&ramp(4), &mut zeros(1))),
        finds: Race { memory: "out", index: &[0], first: writes(0, 0), second: writes(0, 1) },
    },
    Planted {
        kernel: "two_threads_for_one_element",
        launched: || launched(two_threads_for_one_element, 1, 8, (&ramp(8), &mut zeros(4))),
        finds: Race { memory: "out", index: &[0], first: writes(0, 0), second: writes(0, 1) },
    },
    Planted {
        kernel: "sum_without_atomics",
        launched: || launched(sum_without_atomics, 2, 4, (&ramp(8), &mut zeros(1))),
        finds: Race { memory: "sum", index: &[0], first: writes(0, 0), second: writes(0, 1) },
    },
    Planted {
        kernel: "sums_of_rows_without_atomics",
        launched: || launched(sums_of_rows_without_atomics, 1, (4, 2), (&image(2, 4), &mut zeros(2))),
        finds: Race { memory: "sums", index: &[0], first: writes(0, 0), second: reads(0, 1) },
    },
    Planted {
        kernel: "histogram_without_atomics",
        launched: || {
            let values = device(vec![0, 2, 1, 2, 3]);
            launched(histogram_without_atomics, 1, 8, (&values, &mut gpu::zeros(4)))
        },
        finds: Race { memory: "bins", index: &[2], first: writes(0, 1), second: writes(0, 3) },
    },
    Planted {
        kernel: "counter_in_shared_memory",
        launched: || {
            let values = device(vec![0, 3, 1, 9]);
            launched(counter_in_shared_memory, 1, 4, (&values, &mut gpu::zeros(1)))
        },
        finds: Race { memory: "count", index: &[0], first: writes(0, 1), second: writes(0, 3) },
    },
    Planted {
        kernel: "sum_read_while_others_add",
        launched: || launched(sum_read_while_others_add, 1, 4, (&ramp(4), &mut zeros(1), &mut zeros(4))),
        finds: Race { memory: "sum", index: &[0], first: reads(0, 0), second: atomic(0, 1) },
    },
    Planted {
        kernel: "sum_cleared_while_others_add",
        launched: || launched(sum_cleared_while_others_add, 1, 4, (&ramp(4), &mut zeros(1))),
        finds: Race { memory: "sum", index: &[0], first: writes(0, 0), second: atomic(0, 1) },
    },
    Planted {
        kernel: "bins_cleared_without_a_barrier",
        launched: || {
            let values = device(vec![0, 0, 1, 2, 3, 3, 2, 2]);
            launched(bins_cleared_without_a_barrier, 1, 8, (&values, &mut gpu::zeros(4)))
        },
        finds: Race { memory: "bins", index: &[0], first: writes(0, 0), second: atomic(0, 1) },
    },
    Planted {
        kernel: "result_of_another_block",
        launched: || launched(result_of_another_block, 2, 4, (&ramp(4), &mut zeros(2), &mut zeros(1))),
        finds: Race { memory: "sums", index: &[0], first: writes(0, 0), second: reads(1, 3) },
    },
    Planted {
        kernel: "fence_instead_of_a_barrier",
        launched: || launched(fence_instead_of_a_barrier, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Race { memory: "tile", index: &[0], first: writes(0, 0), second: reads(0, 1) },
    },
    Planted {
        kernel: "transposed_in_place",
        launched: || launched(transposed_in_place, 1, (4, 4), (&mut image(4, 4),)),
        finds: Race {
            memory: "a",
            index: &[0, 1],
            first: writes(0, 1),
            second: reads(0, 0).by(at3([0, 0, 0], [0, 1, 0])),
        },
    },
    Planted {
        kernel: "transposed_tile_without_a_barrier",
        launched: || launched(transposed_tile_without_a_barrier, 1, (4, 4), (&image(4, 4), &mut square())),
        finds: Race {
            memory: "tile",
            index: &[1, 0],
            first: reads(0, 1),
            second: writes(0, 0).by(at3([0, 0, 0], [0, 1, 0])),
        },
    },
    Planted {
        kernel: "last_warp_without_barriers",
        launched: || launched(last_warp_without_barriers, 1, 64, (&ramp(64), &mut zeros(1))),
        finds: Race { memory: "sums", index: &[16], first: reads(0, 0), second: writes(0, 16) },
    },
    Planted {
        kernel: "barrier_of_a_warp_between_warps",
        launched: || launched(barrier_of_a_warp_between_warps, 1, 64, (&ramp(64), &mut zeros(64))),
        finds: Race { memory: "tile", index: &[32], first: reads(0, 31), second: writes(0, 32) },
    },
    Planted {
        kernel: "buffer_filled_again_too_early",
        launched: || launched(buffer_filled_again_too_early, 1, 4, (&ramp(3), &mut zeros(4))),
        finds: Race { memory: "value", index: &[0], first: writes(0, 0), second: reads(0, 1) },
    },
    Planted {
        kernel: "exchange_without_a_barrier",
        launched: || launched(exchange_without_a_barrier, 1, 4, (&mut ramp(8),)),
        finds: Race { memory: "a", index: &[2], first: writes(0, 0).marked("second"), second: reads(0, 1) },
    },
    Planted {
        kernel: "maximum_compared_before_it_is_written",
        launched: || {
            let a = device(vec![1, 5, 2, 7]);
            launched(maximum_compared_before_it_is_written, 2, 2, (&a, &mut gpu::zeros(1)))
        },
        finds: Race { memory: "most", index: &[0], first: atomic(0, 0), second: reads(0, 1) },
    },
    Planted {
        kernel: "overlapping_windows",
        launched: || launched(overlapping_windows, 1, 4, (&ramp(4), &mut zeros(9))),
        finds: Race { memory: "out", index: &[2], first: writes(0, 0), second: writes(0, 1) },
    },
    Planted {
        kernel: "announced_by_a_flag",
        launched: || launched(announced_by_a_flag, 1, 2, (&ramp(2), &mut zeros(2), &mut gpu::zeros(1))),
        finds: Race { memory: "out", index: &[0], first: writes(0, 0), second: reads(0, 1) },
    },
    Planted {
        kernel: "in_functions",
        launched: || launched(in_functions, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Race { memory: "tile", index: &[1], first: reads(0, 0), second: writes(0, 1) },
    },
];
