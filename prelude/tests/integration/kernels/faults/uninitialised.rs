//! Kernels that read shared memory to which nothing was written.

use super::Finds::Uninitialised;
use super::{Planted, at, at3, launched};
use crate::kernels::arrays::{device, ramp, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn tile_filled_in_part(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let (i, t) = (global_idx().x, thread_idx().x);
    if i < a.len() {
        tile[t] = a[i];
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..8 {
        sum += tile[k]; //~ tile_filled_in_part
    }
    if i < a.len() {
        out[i] = sum;
    }
}

#[kernel]
fn halo_not_loaded(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(10);
    let (i, t) = (global_idx().x, thread_idx().x);
    tile[t + 1] = a[i];
    sync_threads();
    out[i] = tile[t] + tile[t + 2]; //~ halo_not_loaded
}

#[kernel]
fn right_halo_not_loaded(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(10);
    let (i, t) = (global_idx().x, thread_idx().x);
    tile[t + 1] = a[i];
    if t == 0 {
        tile[0] = if i > 0 { a[i - 1] } else { 0.0 };
    }
    sync_threads();
    let left = tile[t];
    out[i] = left + tile[t + 2]; //~ right_halo_not_loaded
}

#[kernel]
fn corner_of_a_halo(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([6, 6]);
    let (x, y) = (thread_idx().x, thread_idx().y);
    tile[[y + 1, x + 1]] = a[[y, x]];
    if y == 0 {
        tile[[0, x + 1]] = 0.0;
        tile[[5, x + 1]] = 0.0;
    }
    if x == 0 {
        tile[[y + 1, 0]] = 0.0;
        tile[[y + 1, 5]] = 0.0;
    }
    sync_threads();
    let mut sum = 0.0;
    for row in 0..3 {
        for column in 0..3 {
            sum += tile[[y + row, x + column]]; //~ corner_of_a_halo
        }
    }
    out[[y, x]] = sum;
}

#[kernel]
fn dynamic_memory_never_written(mut out: ViewMut<f32>) {
    let tile = dynamic_shared_array::<f32>();
    let t = thread_idx().x;
    out[t] = tile[t]; //~ dynamic_memory_never_written
}

#[kernel]
fn bins_not_cleared(values: View<i32>, mut out: ViewMut<u32>) {
    let bins = shared_array::<u32>(4);
    let t = thread_idx().x;
    bins.atomic_add(values[t] as usize, 1); //~ bins_not_cleared
    sync_threads();
    if t < 4 {
        out[t] = bins[t];
    }
}

#[kernel]
fn maximum_without_a_start(a: View<i32>, mut out: ViewMut<i32>) {
    let most = shared_array::<i32>(1);
    let t = thread_idx().x;
    most.atomic_max(0, a[t]); //~ maximum_without_a_start
    sync_threads();
    if t == 0 {
        out[0] = most[0];
    }
}

#[kernel]
fn sums_of_too_few_threads(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    let mut step = 4;
    while step > 0 {
        if t < step {
            let right = sums[t + step]; //~ sums_of_too_few_threads
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
fn buffers_in_the_wrong_order(a: View<f32>, mut out: ViewMut<f32>) {
    let mut buffers = shared_array::<f32>([2, 8]);
    let t = thread_idx().x;
    buffers[[0, t]] = a[t];
    sync_threads();
    for step in 0..2 {
        let (from, to) = (1 - step, step);
        let x = buffers[[from, t]]; //~ buffers_in_the_wrong_order
        buffers[[to, t]] = 2.0 * x;
        sync_threads();
    }
    out[t] = buffers[[1, t]];
}

#[kernel]
fn written_by_the_first_warp_alone(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(2);
    let t = thread_idx().x;
    let mut x = a[t];
    let mut step = 16;
    while step > 0 {
        x += shfl_down_sync(u32::MAX, x, step);
        step /= 2;
    }
    if t == 0 {
        sums[t / 32] = x;
    }
    sync_threads();
    if t == 0 {
        out[0] = sums[0];
        out[0] += sums[1]; //~ written_by_the_first_warp_alone
    }
}

#[kernel]
fn memory_of_the_block_before(a: View<f32>, mut out: ViewMut<f32>) {
    let mut total = shared_array::<f32>(1);
    let i = global_idx().x;
    if i == 0 {
        total[0] = a[0];
    }
    sync_threads();
    out[i] = a[i] + total[0]; //~ memory_of_the_block_before
}

#[kernel]
fn written_transposed(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([8, 8]);
    let (x, y) = (thread_idx().x, thread_idx().y);
    tile[[x, y]] = a[[y, x]];
    sync_threads();
    out[[y, x]] = tile[[y, x]]; //~ written_transposed
}

#[kernel]
fn every_other_element(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(16);
    let t = thread_idx().x;
    tile[2 * t] = a[t];
    sync_threads();
    out[t] = tile[t]; //~ every_other_element
}

fn image(rows: usize, columns: usize) -> gpu::DeviceArray<f32> {
    ramp(rows * columns).reshape((rows, columns))
}

pub const PLANTED: &[Planted] = &[
    Planted {
        kernel: "tile_filled_in_part",
        launched: || launched(tile_filled_in_part, 2, 8, (&ramp(12), &mut zeros(12))),
        finds: Uninitialised { memory: "tile", index: &[4], at: at(1, 0) },
    },
    Planted {
        kernel: "halo_not_loaded",
        launched: || launched(halo_not_loaded, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Uninitialised { memory: "tile", index: &[0], at: at(0, 0) },
    },
    Planted {
        kernel: "right_halo_not_loaded",
        launched: || launched(right_halo_not_loaded, 2, 8, (&ramp(16), &mut zeros(16))),
        finds: Uninitialised { memory: "tile", index: &[9], at: at(0, 7) },
    },
    Planted {
        kernel: "corner_of_a_halo",
        launched: || launched(corner_of_a_halo, 1, (4, 4), (&image(4, 4), &mut gpu::zeros((4, 4)))),
        finds: Uninitialised { memory: "tile", index: &[0, 0], at: at(0, 0) },
    },
    Planted {
        kernel: "dynamic_memory_never_written",
        launched: || {
            let config = gpu::LaunchConfig::new(1, 4).dynamic_shared_bytes(16);
            gpu::try_launch_with(config.checked(), dynamic_memory_never_written, (&mut zeros(4),))
        },
        finds: Uninitialised { memory: "tile", index: &[0], at: at(0, 0) },
    },
    Planted {
        kernel: "bins_not_cleared",
        launched: || {
            let values = device(vec![2, 0, 1, 2]);
            launched(bins_not_cleared, 1, 4, (&values, &mut gpu::zeros(4)))
        },
        finds: Uninitialised { memory: "bins", index: &[2], at: at(0, 0) },
    },
    Planted {
        kernel: "maximum_without_a_start",
        launched: || {
            let a = device(vec![2, 0, 1, 2]);
            launched(maximum_without_a_start, 1, 4, (&a, &mut gpu::zeros(1)))
        },
        finds: Uninitialised { memory: "most", index: &[0], at: at(0, 0) },
    },
    Planted {
        kernel: "sums_of_too_few_threads",
        launched: || launched(sums_of_too_few_threads, 1, 6, (&ramp(6), &mut zeros(1))),
        finds: Uninitialised { memory: "sums", index: &[6], at: at(0, 2) },
    },
    Planted {
        kernel: "buffers_in_the_wrong_order",
        launched: || launched(buffers_in_the_wrong_order, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Uninitialised { memory: "buffers", index: &[1, 0], at: at(0, 0) },
    },
    Planted {
        kernel: "written_by_the_first_warp_alone",
        launched: || launched(written_by_the_first_warp_alone, 1, 64, (&ramp(64), &mut zeros(1))),
        finds: Uninitialised { memory: "sums", index: &[1], at: at(0, 0) },
    },
    Planted {
        kernel: "memory_of_the_block_before",
        launched: || launched(memory_of_the_block_before, 2, 4, (&ramp(8), &mut zeros(8))),
        finds: Uninitialised { memory: "total", index: &[0], at: at(1, 0) },
    },
    Planted {
        kernel: "written_transposed",
        launched: || launched(written_transposed, 1, (8, 4), (&image(4, 8), &mut gpu::zeros((4, 8)))),
        finds: Uninitialised { memory: "tile", index: &[0, 4], at: at3([0, 0, 0], [4, 0, 0]) },
    },
    Planted {
        kernel: "every_other_element",
        launched: || launched(every_other_element, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: Uninitialised { memory: "tile", index: &[1], at: at(0, 1) },
    },
];
