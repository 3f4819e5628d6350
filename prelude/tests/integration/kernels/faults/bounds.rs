//! Kernels that reach past an array, or take the wrong number of indices.

use super::Finds::{OutOfBounds, WrongAxes};
use super::{Planted, at, at3, launched};
use crate::kernels::arrays::{device, ramp, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn no_guard(a: View<f32>, mut out: ViewMut<f32>) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    out[i] = 2.0 * a[i]; //~ no_guard
}

#[kernel]
fn guard_lets_one_more_in(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i <= a.len() {
        let x = a[i]; //~ guard_lets_one_more_in
        out[i] = x;
    }
}

#[kernel]
fn guard_of_another_array(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = a[i]; //~ guard_of_another_array
    }
}

#[kernel]
fn neighbour_on_the_right(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = a[i + 1] - a[i]; //~ neighbour_on_the_right
    }
}

#[kernel]
fn neighbour_on_the_left(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        let left = a[i.wrapping_sub(1)]; //~ neighbour_on_the_left
        out[i] = a[i] - left;
    }
}

#[kernel]
fn negative_offset(a: View<f32>, mut out: ViewMut<f32>, offset: i32) {
    let i = global_idx().x as i32;
    out[i as usize] = a[(i - offset) as usize]; //~ negative_offset
}

#[kernel]
fn reversed_by_one_too_many(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = a[a.len() - i]; //~ reversed_by_one_too_many
    }
}

#[kernel]
fn loop_goes_too_far(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sum = 0.0;
    for i in 0..=a.len() {
        sum += a[i]; //~ loop_goes_too_far
    }
    out[0] = sum;
}

#[kernel]
fn stride_without_a_guard(a: View<f32>, mut out: ViewMut<f32>) {
    for i in grid_stride(a.len()) {
        out[2 * i] = a[i]; //~ stride_without_a_guard
    }
}

#[kernel]
fn axes_swapped(a: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let value = a[[y, x]];
    out[[x, y]] = value; //~ axes_swapped
}

#[kernel]
fn guards_of_swapped_axes(a: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    if y < a.shape()[1] && x < a.shape()[0] {
        out[[y, x]] = a[[y, x]]; //~ guards_of_swapped_axes
    }
}

#[kernel]
fn deepest_axis(mut volume: ViewMut<i32>) {
    let i = global_idx();
    if i.x < volume.shape()[2] && i.y < volume.shape()[1] {
        volume[[i.z, i.y, i.x]] = 1; //~ deepest_axis
    }
}

#[kernel]
fn rows_of_a_wrong_width(a: View<f32>, mut out: ViewMut<f32>, width: usize) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let at = y * (width + 1) + x;
    out[y * width + x] = a[at]; //~ rows_of_a_wrong_width
}

#[kernel]
fn one_index_for_two_axes(image: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = image[i]; //~ one_index_for_two_axes
}

#[kernel]
fn two_indices_for_one_axis(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[[i, 0]] = a[i]; //~ two_indices_for_one_axis
}

#[kernel]
fn gathers_what_is_not_there(a: View<f32>, index: View<i32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < index.len() {
        let from = index[i] as usize;
        out[i] = a[from]; //~ gathers_what_is_not_there
    }
}

#[kernel]
fn scatters_below_zero(a: View<f32>, index: View<i32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < index.len() {
        let to = index[i] as usize;
        out[to] = a[i]; //~ scatters_below_zero
    }
}

#[kernel]
fn bin_of_the_largest(a: View<f32>, bins: ViewMut<u32>) {
    let i = global_idx().x;
    if i < a.len() {
        let bin = (a[i] * bins.len() as f32) as usize;
        bins.atomic_add(bin, 1); //~ bin_of_the_largest
    }
}

#[kernel]
fn atomic_in_a_row_that_is_not_there(sums: ViewMut<f32>) {
    let i = global_idx().x;
    sums.atomic_add([i / 2, 0], 1.0); //~ atomic_in_a_row_that_is_not_there
}

#[kernel]
fn array_without_elements(a: View<f32>, mut out: ViewMut<f32>) {
    out[0] = a[0]; //~ array_without_elements
}

#[kernel]
fn past_a_part_of_an_array(part: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = part[i]; //~ past_a_part_of_an_array
}

#[kernel]
fn tile_smaller_than_the_block(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(16);
    let t = thread_idx().x;
    tile[t] = a[t]; //~ tile_smaller_than_the_block
    sync_threads();
    out[t] = tile[t];
}

#[kernel]
fn tile_without_room_for_the_halo(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    tile[t] = a[t];
    sync_threads();
    out[t] = tile[t] + tile[t + 1]; //~ tile_without_room_for_the_halo
}

#[kernel]
fn tile_with_axes_swapped(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([4, 8]);
    let (x, y) = (thread_idx().x, thread_idx().y);
    tile[[x, y]] = a[[y, x]]; //~ tile_with_axes_swapped
    sync_threads();
    out[[y, x]] = tile[[y, x]];
}

#[kernel]
fn too_few_bytes_of_dynamic_memory(a: View<f64>, mut out: ViewMut<f64>) {
    let mut tile = dynamic_shared_array::<f64>();
    let t = thread_idx().x;
    tile[t] = a[t]; //~ too_few_bytes_of_dynamic_memory
    sync_threads();
    out[t] = tile[tile.len() - 1 - t];
}

#[kernel]
fn reduction_of_too_many_steps(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    let mut step = block_dim().x;
    while step > 0 {
        if t < step {
            sums[t] += sums[t + step]; //~ reduction_of_too_many_steps
        }
        sync_threads();
        step /= 2;
    }
    if t == 0 {
        out[0] = sums[0];
    }
}

#[device]
fn mean_of_three(a: View<f32>, i: usize) -> f32 {
    (a[i] + a[i + 1] + a[i + 2]) / 3.0 //~ in_a_function
}

#[kernel]
fn in_a_function(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = mean_of_three(a, i);
}

/// Eight, four, …: `values` as an image of `shape`.
fn image(rows: usize, columns: usize) -> gpu::DeviceArray<f32> {
    ramp(rows * columns).reshape((rows, columns))
}

pub const PLANTED: &[Planted] = &[
    Planted {
        kernel: "no_guard",
        launched: || launched(no_guard, 2, 8, (&ramp(10), &mut zeros(10))),
        finds: OutOfBounds { array: "a", index: &[10], shape: &[10], at: at(1, 2) },
    },
    Planted {
        kernel: "guard_lets_one_more_in",
        launched: || launched(guard_lets_one_more_in, 3, 4, (&ramp(10), &mut zeros(10))),
        finds: OutOfBounds { array: "a", index: &[10], shape: &[10], at: at(2, 2) },
    },
    Planted {
        kernel: "guard_of_another_array",
        launched: || launched(guard_of_another_array, 2, 8, (&ramp(10), &mut zeros(7))),
        finds: OutOfBounds { array: "out", index: &[7], shape: &[7], at: at(0, 7) },
    },
    Planted {
        kernel: "neighbour_on_the_right",
        launched: || launched(neighbour_on_the_right, 2, 4, (&ramp(8), &mut zeros(8))),
        finds: OutOfBounds { array: "a", index: &[8], shape: &[8], at: at(1, 3) },
    },
    Planted {
        kernel: "neighbour_on_the_left",
        launched: || launched(neighbour_on_the_left, 2, 4, (&ramp(8), &mut zeros(8))),
        finds: OutOfBounds { array: "a", index: &[-1], shape: &[8], at: at(0, 0) },
    },
    Planted {
        kernel: "negative_offset",
        launched: || launched(negative_offset, 1, 8, (&ramp(8), &mut zeros(8), 3)),
        finds: OutOfBounds { array: "a", index: &[-3], shape: &[8], at: at(0, 0) },
    },
    Planted {
        kernel: "reversed_by_one_too_many",
        launched: || launched(reversed_by_one_too_many, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: OutOfBounds { array: "a", index: &[8], shape: &[8], at: at(0, 0) },
    },
    Planted {
        kernel: "loop_goes_too_far",
        launched: || launched(loop_goes_too_far, 1, 1, (&ramp(5), &mut zeros(1))),
        finds: OutOfBounds { array: "a", index: &[5], shape: &[5], at: at(0, 0) },
    },
    Planted {
        kernel: "stride_without_a_guard",
        launched: || launched(stride_without_a_guard, 2, 4, (&ramp(20), &mut zeros(20))),
        finds: OutOfBounds { array: "out", index: &[32], shape: &[20], at: at(0, 0) },
    },
    Planted {
        kernel: "axes_swapped",
        launched: || launched(axes_swapped, 1, (5, 3), (&image(3, 5), &mut gpu::zeros((3, 5)))),
        finds: OutOfBounds { array: "out", index: &[3, 0], shape: &[3, 5], at: at(0, 3) },
    },
    Planted {
        kernel: "guards_of_swapped_axes",
        launched: || launched(guards_of_swapped_axes, 1, (8, 8), (&image(3, 5), &mut gpu::zeros((3, 5)))),
        finds: OutOfBounds { array: "a", index: &[3, 0], shape: &[3, 5], at: at3([0, 0, 0], [0, 3, 0]) },
    },
    Planted {
        kernel: "deepest_axis",
        launched: || launched(deepest_axis, (2, 1, 2), (4, 4, 2), (&mut gpu::zeros((3, 4, 5)),)),
        finds: OutOfBounds { array: "volume", index: &[3, 0, 0], shape: &[3, 4, 5], at: at3([0, 0, 1], [0, 0, 1]) },
    },
    Planted {
        kernel: "rows_of_a_wrong_width",
        launched: || launched(rows_of_a_wrong_width, 1, (4, 3), (&ramp(12), &mut zeros(12), 4)),
        finds: OutOfBounds { array: "a", index: &[12], shape: &[12], at: at3([0, 0, 0], [2, 2, 0]) },
    },
    Planted {
        kernel: "one_index_for_two_axes",
        launched: || launched(one_index_for_two_axes, 1, 4, (&image(2, 2), &mut zeros(4))),
        finds: WrongAxes { array: "image", given: 1, shape: &[2, 2] },
    },
    Planted {
        kernel: "two_indices_for_one_axis",
        launched: || launched(two_indices_for_one_axis, 1, 4, (&ramp(4), &mut zeros(4))),
        finds: WrongAxes { array: "out", given: 2, shape: &[4] },
    },
    Planted {
        kernel: "gathers_what_is_not_there",
        launched: || {
            let index = device(vec![3, 1, 4, 1]);
            launched(gathers_what_is_not_there, 1, 4, (&ramp(4), &index, &mut zeros(4)))
        },
        finds: OutOfBounds { array: "a", index: &[4], shape: &[4], at: at(0, 2) },
    },
    Planted {
        kernel: "scatters_below_zero",
        launched: || {
            let index = device(vec![0, -2, 1, 2]);
            launched(scatters_below_zero, 2, 2, (&ramp(4), &index, &mut zeros(4)))
        },
        finds: OutOfBounds { array: "out", index: &[-2], shape: &[4], at: at(0, 1) },
    },
    Planted {
        kernel: "bin_of_the_largest",
        launched: || {
            let values = device(vec![0.0f32, 0.5, 1.0, 0.25]);
            launched(bin_of_the_largest, 1, 32, (&values, &mut gpu::zeros(4)))
        },
        finds: OutOfBounds { array: "bins", index: &[4], shape: &[4], at: at(0, 2) },
    },
    Planted {
        kernel: "atomic_in_a_row_that_is_not_there",
        launched: || launched(atomic_in_a_row_that_is_not_there, 1, 32, (&mut gpu::zeros((8, 2)),)),
        finds: OutOfBounds { array: "sums", index: &[8, 0], shape: &[8, 2], at: at(0, 16) },
    },
    Planted {
        kernel: "array_without_elements",
        launched: || launched(array_without_elements, 1, 1, (&zeros(0), &mut zeros(1))),
        finds: OutOfBounds { array: "a", index: &[0], shape: &[0], at: at(0, 0) },
    },
    Planted {
        kernel: "past_a_part_of_an_array",
        launched: || {
            let part = ramp(20).slice(s![2..14;3]);
            launched(past_a_part_of_an_array, 1, 8, (&part, &mut zeros(8)))
        },
        finds: OutOfBounds { array: "part", index: &[4], shape: &[4], at: at(0, 4) },
    },
    Planted {
        kernel: "tile_smaller_than_the_block",
        launched: || launched(tile_smaller_than_the_block, 1, 32, (&ramp(32), &mut zeros(32))),
        finds: OutOfBounds { array: "tile", index: &[16], shape: &[16], at: at(0, 16) },
    },
    Planted {
        kernel: "tile_without_room_for_the_halo",
        launched: || launched(tile_without_room_for_the_halo, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: OutOfBounds { array: "tile", index: &[8], shape: &[8], at: at(0, 7) },
    },
    Planted {
        kernel: "tile_with_axes_swapped",
        launched: || launched(tile_with_axes_swapped, 1, (8, 4), (&image(4, 8), &mut gpu::zeros((4, 8)))),
        finds: OutOfBounds { array: "tile", index: &[4, 0], shape: &[4, 8], at: at(0, 4) },
    },
    Planted {
        kernel: "too_few_bytes_of_dynamic_memory",
        launched: || {
            let (a, mut out) = (device(vec![1.0; 8]), gpu::zeros(8));
            let config = gpu::LaunchConfig::new(1, 8).dynamic_shared_bytes(32);
            gpu::try_launch_with(config.checked(), too_few_bytes_of_dynamic_memory, (&a, &mut out))
        },
        finds: OutOfBounds { array: "tile", index: &[4], shape: &[4], at: at(0, 4) },
    },
    Planted {
        kernel: "reduction_of_too_many_steps",
        launched: || launched(reduction_of_too_many_steps, 1, 8, (&ramp(8), &mut zeros(1))),
        finds: OutOfBounds { array: "sums", index: &[8], shape: &[8], at: at(0, 0) },
    },
    Planted {
        kernel: "in_a_function",
        launched: || launched(in_a_function, 1, 8, (&ramp(8), &mut zeros(8))),
        finds: OutOfBounds { array: "a", index: &[8], shape: &[8], at: at(0, 6) },
    },
];
