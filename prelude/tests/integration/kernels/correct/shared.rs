//! Correct kernels that share memory within a block, with all the barriers that this needs.

use super::{Correct, Mode};
use crate::kernels::arrays::{device, ramp, scattered, values, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn reversed(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(16);
    let t = thread_idx().x;
    let first = block_idx().x * 16;
    tile[t] = a[first + t];
    sync_threads();
    out[first + t] = tile[15 - t];
}

fn run_reversed(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(64);
    launch!(mode, reversed, 4, 16, (&ramp(64), &mut out))?;
    assert_eq!(values(&out), (0..64).map(|i| (i / 16 * 16 + 15 - i % 16) as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn reversed_in_dynamic_memory(a: View<f64>, mut out: ViewMut<f64>) {
    let mut tile = dynamic_shared_array::<f64>();
    let t = thread_idx().x;
    tile[t] = a[t];
    sync_threads();
    out[t] = tile[tile.len() - 1 - t];
}

fn run_reversed_in_dynamic_memory(mode: Mode) -> gpu::Result<()> {
    let a = device((0..24).map(f64::from).collect());
    let mut out = gpu::zeros::<f64>(24);
    launch!(mode, reversed_in_dynamic_memory, gpu::LaunchConfig::new(1, 24).dynamic_shared_bytes(192), (&a, &mut out))?;
    assert_eq!(values(&out), (0..24).rev().map(f64::from).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn sum_of_a_block(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(64);
    let (i, t) = (global_idx().x, thread_idx().x);
    sums[t] = if i < a.len() { a[i] } else { 0.0 };
    sync_threads();
    let mut step = 32;
    while step > 0 {
        if t < step {
            sums[t] += sums[t + step];
        }
        sync_threads();
        step /= 2;
    }
    if t == 0 {
        out[block_idx().x] = sums[0];
    }
}

fn run_sum_of_a_block(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(3);
    launch!(mode, sum_of_a_block, 3, 64, (&ramp(150), &mut out))?;
    assert_eq!(values(&out), [2016.0, 6112.0, 3047.0]);
    Ok(())
}

#[kernel]
fn dot_product(a: View<f32>, b: View<f32>, out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(32);
    let t = thread_idx().x;
    let mut sum = 0.0;
    for i in grid_stride(a.len()) {
        sum += a[i] * b[i];
    }
    sums[t] = sum;
    sync_threads();
    for level in 0..5 {
        let step = 16 >> level;
        if t < step {
            sums[t] += sums[t + step];
        }
        sync_threads();
    }
    if t == 0 {
        out.atomic_add(0, sums[0]);
    }
}

fn run_dot_product(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(1);
    launch!(mode, dot_product, 2, 32, (&ramp(100), &ramp(100), &mut out))?;
    assert_eq!(out.item(), 328350.0);
    Ok(())
}

#[kernel]
fn prefix_sums(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(32);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    let mut step = 1;
    while step < 32 {
        let left = if t >= step { sums[t - step] } else { 0.0 };
        sync_threads();
        sums[t] += left;
        sync_threads();
        step *= 2;
    }
    out[t] = sums[t];
}

fn run_prefix_sums(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(32);
    launch!(mode, prefix_sums, 1, 32, (&ramp(32), &mut out))?;
    assert_eq!(values(&out), (0..32).map(|i| (i * (i + 1) / 2) as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn prefix_sums_of_two_buffers(a: View<i32>, mut out: ViewMut<i32>) {
    let mut sums = shared_array::<i32>([2, 64]);
    let t = thread_idx().x;
    sums[[0, t]] = a[t];
    sync_threads();
    let (mut from, mut step) = (0, 1);
    while step < 64 {
        let left = if t >= step { sums[[from, t - step]] } else { 0 };
        sums[[1 - from, t]] = sums[[from, t]] + left;
        sync_threads();
        from = 1 - from;
        step *= 2;
    }
    out[t] = sums[[from, t]];
}

fn run_prefix_sums_of_two_buffers(mode: Mode) -> gpu::Result<()> {
    let mut expected = scattered(64, 100);
    let mut out = gpu::zeros::<i32>(64);
    launch!(mode, prefix_sums_of_two_buffers, 1, 64, (&device(expected.clone()), &mut out))?;
    (1..64).for_each(|i| expected[i] += expected[i - 1]);
    assert_eq!(values(&out), expected);
    Ok(())
}

#[kernel]
fn sums_up_and_down(a: View<i32>, mut out: ViewMut<i32>) {
    let mut tree = shared_array::<i32>(16);
    let t = thread_idx().x;
    tree[2 * t] = a[2 * t];
    tree[2 * t + 1] = a[2 * t + 1];
    let mut distance = 1;
    while distance < 16 {
        sync_threads();
        let right = (t + 1) * 2 * distance - 1;
        if right < 16 {
            tree[right] += tree[right - distance];
        }
        distance *= 2;
    }
    sync_threads();
    if t == 0 {
        tree[15] = 0;
    }
    while distance > 1 {
        distance /= 2;
        sync_threads();
        let right = (t + 1) * 2 * distance - 1;
        if right < 16 {
            let left = tree[right - distance];
            tree[right - distance] = tree[right];
            tree[right] += left;
        }
    }
    sync_threads();
    out[t] = tree[t];
    out[t + 8] = tree[t + 8];
}

fn run_sums_up_and_down(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<i32>(16);
    launch!(mode, sums_up_and_down, 1, 8, (&device((1..17).collect()), &mut out))?;
    assert_eq!(values(&out), (0..16).map(|i| i * (i + 1) / 2).collect::<Vec<i32>>());
    Ok(())
}

#[kernel]
fn tiled_product(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut rows = shared_array::<f32>([8, 8]);
    let mut columns = shared_array::<f32>([8, 8]);
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x, y) = (global_idx().x, global_idx().y);
    let (m, n, inner) = (a.shape()[0], b.shape()[1], b.shape()[0]);
    let mut sum = 0.0;
    let mut first = 0;
    while first < inner {
        rows[[ty, tx]] = if y < m && first + tx < inner { a[[y, first + tx]] } else { 0.0 };
        columns[[ty, tx]] = if first + ty < inner && x < n { b[[first + ty, x]] } else { 0.0 };
        sync_threads();
        for k in 0..8 {
            sum += rows[[ty, k]] * columns[[k, tx]];
        }
        sync_threads();
        first += 8;
    }
    if y < m && x < n {
        out[[y, x]] = sum;
    }
}

fn run_tiled_product(mode: Mode) -> gpu::Result<()> {
    let (m, inner, n) = (13, 19, 10);
    let a = device(scattered(m * inner, 9).iter().map(|&x| x as f32).collect()).reshape((m, inner));
    let b = device(scattered(inner * n, 7).iter().map(|&x| x as f32).collect()).reshape((inner, n));
    let mut out = gpu::zeros::<f32>((m, n));
    launch!(mode, tiled_product, (2, 2), (8, 8), (&a, &b, &mut out))?;
    assert_eq!(values(&out), values(&gpu::matmul(&a, &b)));
    Ok(())
}

#[kernel]
fn transposed_by_tiles(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([8, 9]);
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x, y) = (8 * block_idx().x, 8 * block_idx().y);
    let (rows, columns) = (a.shape()[0], a.shape()[1]);
    if y + ty < rows && x + tx < columns {
        tile[[ty, tx]] = a[[y + ty, x + tx]];
    }
    sync_threads();
    if x + ty < columns && y + tx < rows {
        out[[x + ty, y + tx]] = tile[[tx, ty]];
    }
}

fn run_transposed_by_tiles(mode: Mode) -> gpu::Result<()> {
    let a = ramp(13 * 10).reshape((13, 10));
    let mut out = gpu::zeros::<f32>((10, 13));
    launch!(mode, transposed_by_tiles, (2, 2), (8, 8), (&a, &mut out))?;
    assert!(out.eq(&a.t()).all());
    Ok(())
}

#[kernel]
fn smoothed(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(18);
    let (i, t) = (global_idx().x, thread_idx().x);
    let n = a.len();
    tile[t + 1] = if i < n { a[i] } else { 0.0 };
    if t == 0 {
        tile[0] = if i > 0 { a[i - 1] } else { 0.0 };
        tile[17] = if i + 16 < n { a[i + 16] } else { 0.0 };
    }
    sync_threads();
    if i < n {
        out[i] = tile[t] + 2.0 * tile[t + 1] + tile[t + 2];
    }
}

fn run_smoothed(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(40);
    launch!(mode, smoothed, 3, 16, (&ramp(40), &mut out))?;
    let mut expected: Vec<f32> = (0..40).map(|i| 4.0 * i as f32).collect();
    (expected[0], expected[39]) = (1.0, 38.0 + 78.0);
    assert_eq!(values(&out), expected);
    Ok(())
}

#[kernel]
fn smoothed_image(image: View<i32>, mut out: ViewMut<i32>) {
    let mut tile = shared_array::<i32>([10, 10]);
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (rows, columns) = (image.shape()[0], image.shape()[1]);
    // Each of 64 threads loads one or two of the 100 elements.
    let mut at = 8 * ty + tx;
    while at < 100 {
        let (row, column) = (at / 10, at % 10);
        let (y, x) = (8 * block_idx().y + row, 8 * block_idx().x + column);
        let inside = y > 0 && x > 0 && y <= rows && x <= columns;
        tile[[row, column]] = if inside { image[[y - 1, x - 1]] } else { 0 };
        at += 64;
    }
    sync_threads();
    let (x, y) = (global_idx().x, global_idx().y);
    if y < rows && x < columns {
        let mut sum = 0;
        for row in 0..3 {
            for column in 0..3 {
                sum += tile[[ty + row, tx + column]];
            }
        }
        out[[y, x]] = sum;
    }
}

fn run_smoothed_image(mode: Mode) -> gpu::Result<()> {
    let (rows, columns) = (11, 14);
    let pixels = scattered(rows * columns, 10);
    let mut out = gpu::zeros::<i32>((rows, columns));
    launch!(mode, smoothed_image, (2, 2), (8, 8), (&device(pixels.clone()).reshape((rows, columns)), &mut out))?;
    let mut expected = vec![0; rows * columns];
    for (at, sum) in expected.iter_mut().enumerate() {
        let (y, x) = (at / columns, at % columns);
        for row in y.saturating_sub(1)..(y + 2).min(rows) {
            *sum +=
                (x.saturating_sub(1)..(x + 2).min(columns)).map(|column| pixels[row * columns + column]).sum::<i32>();
        }
    }
    assert_eq!(values(&out), expected);
    Ok(())
}

#[kernel]
fn bitonic_sort(mut a: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(64);
    let t = thread_idx().x;
    tile[t] = a[t];
    sync_threads();
    let mut size = 2;
    while size <= 64 {
        let mut step = size / 2;
        while step > 0 {
            let other = t ^ step;
            if other > t {
                let (x, y) = (tile[t], tile[other]);
                if (x > y) == (t & size == 0) {
                    tile[t] = y;
                    tile[other] = x;
                }
            }
            sync_threads();
            step /= 2;
        }
        size *= 2;
    }
    a[t] = tile[t];
}

fn run_bitonic_sort(mode: Mode) -> gpu::Result<()> {
    let mut expected: Vec<f32> = scattered(64, 1000).iter().map(|&x| x as f32).collect();
    let mut a = device(expected.clone());
    launch!(mode, bitonic_sort, 1, 64, (&mut a,))?;
    expected.sort_by(f32::total_cmp);
    assert_eq!(values(&a), expected);
    Ok(())
}

#[kernel]
fn odd_even_sort(mut a: ViewMut<i32>) {
    let t = thread_idx().x;
    for phase in 0..a.len() {
        let left = 2 * t + phase % 2;
        if left + 1 < a.len() && a[left] > a[left + 1] {
            let x = a[left];
            a[left] = a[left + 1];
            a[left + 1] = x;
        }
        sync_threads();
    }
}

fn run_odd_even_sort(mode: Mode) -> gpu::Result<()> {
    let mut expected = scattered(31, 100);
    let mut a = device(expected.clone());
    launch!(mode, odd_even_sort, 1, 16, (&mut a,))?;
    expected.sort();
    assert_eq!(values(&a), expected);
    Ok(())
}

#[kernel]
fn rows_scaled_to_their_sums(a: View<f64>, mut out: ViewMut<f64>) {
    let mut shared = shared_array::<f64>(8);
    let (row, t) = (block_idx().x, thread_idx().x);
    shared[t] = a[[row, t]];
    sync_threads();
    let mut most = shared[0];
    for k in 1..8 {
        most = most.max(shared[k]);
    }
    sync_threads();
    let power = (a[[row, t]] - most).exp2();
    shared[t] = power;
    sync_threads();
    let mut sum = 0.0;
    for k in 0..8 {
        sum += shared[k];
    }
    out[[row, t]] = power / sum;
}

fn run_rows_scaled_to_their_sums(mode: Mode) -> gpu::Result<()> {
    let a = device((0..32).map(|i| f64::from(i % 8)).collect()).reshape((4, 8));
    let mut out = gpu::zeros::<f64>((4, 8));
    launch!(mode, rows_scaled_to_their_sums, 4, 8, (&a, &mut out))?;
    let found = values(&out);
    (0..32).for_each(|i| assert!((found[i] - f64::from(1 << (i % 8)) / 255.0).abs() < 1e-12, "{found:?}"));
    Ok(())
}

#[kernel]
fn barrier_for_some_blocks(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let (i, t) = (global_idx().x, thread_idx().x);
    if block_idx().x % 2 == 0 {
        tile[t] = a[i];
        sync_threads();
        out[i] = tile[t ^ 1];
    } else {
        out[i] = a[i];
    }
}

fn run_barrier_for_some_blocks(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(24);
    launch!(mode, barrier_for_some_blocks, 3, 8, (&ramp(24), &mut out))?;
    assert_eq!(values(&out)[6..18], [7., 6., 8., 9., 10., 11., 12., 13., 14., 15., 17., 16.]);
    Ok(())
}

#[kernel]
fn whole_blocks_return(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let (i, t) = (global_idx().x, thread_idx().x);
    if block_idx().x * block_dim().x >= a.len() {
        return;
    }
    tile[t] = a[i];
    sync_threads();
    out[i] = tile[7 - t];
}

fn run_whole_blocks_return(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(8);
    launch!(mode, whole_blocks_return, 5, 8, (&ramp(8), &mut out))?;
    assert_eq!(values(&out), [7., 6., 5., 4., 3., 2., 1., 0.]);
    Ok(())
}

#[kernel]
fn one_value_for_all(a: View<f32>, mut out: ViewMut<f32>) {
    let mut value = shared_array::<f32>(1);
    let t = thread_idx().x;
    let mut sum = 0.0;
    for i in 0..a.len() {
        if t == 0 {
            value[0] = a[i];
        }
        sync_threads();
        sum += value[0];
        sync_threads();
    }
    out[t] = sum;
}

fn run_one_value_for_all(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(4);
    launch!(mode, one_value_for_all, 1, 4, (&ramp(5), &mut out))?;
    assert_eq!(values(&out), [10.0; 4]);
    Ok(())
}

#[kernel]
fn global_memory_within_a_block(a: View<f32>, mut between: ViewMut<f32>, mut out: ViewMut<f32>) {
    let (i, t) = (global_idx().x, thread_idx().x);
    between[i] = 2.0 * a[i];
    sync_threads();
    out[i] = between[block_idx().x * block_dim().x + block_dim().x - 1 - t];
}

fn run_global_memory_within_a_block(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(8);
    launch!(mode, global_memory_within_a_block, 2, 4, (&ramp(8), &mut zeros(8), &mut out))?;
    assert_eq!(values(&out), [6., 4., 2., 0., 14., 12., 10., 8.]);
    Ok(())
}

#[kernel]
fn blurred_until_flat(mut a: ViewMut<i32>, mut rounds: ViewMut<i32>) {
    let t = thread_idx().x;
    let n = block_dim().x;
    let mut round = 0;
    loop {
        let (own, left) = (a[t], a[(t + n - 1) % n]);
        if sync_threads_and(own == left) {
            break;
        }
        a[t] = own.max(left);
        round += 1;
        sync_threads();
    }
    if t == 0 {
        rounds[0] = round;
    }
}

fn run_blurred_until_flat(mode: Mode) -> gpu::Result<()> {
    let (mut a, mut rounds) = (device(vec![3, 1, 4, 1, 5, 9, 2, 6]), gpu::zeros::<i32>(1));
    launch!(mode, blurred_until_flat, 1, 8, (&mut a, &mut rounds))?;
    assert_eq!((values(&a), rounds.item()), (vec![9; 8], 7));
    Ok(())
}

#[device]
fn fill(mut tile: SharedArray<f32>, t: usize, value: f32) {
    tile[t] = value;
    sync_threads();
}

#[device]
fn total(tile: &SharedArray<f32>) -> f32 {
    let mut sum = 0.0;
    for k in 0..tile.len() {
        sum += tile[k];
    }
    sum
}

#[kernel]
fn memory_in_functions(a: View<f32>, mut out: ViewMut<f32>) {
    let tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    fill(tile, t, a[t]);
    out[t] = total(&tile);
}

fn run_memory_in_functions(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(8);
    launch!(mode, memory_in_functions, 1, 8, (&ramp(8), &mut out))?;
    assert_eq!(values(&out), [28.0; 8]);
    Ok(())
}

pub const CORRECT: &[Correct] = &[
    Correct { kernel: "reversed", run: run_reversed },
    Correct { kernel: "reversed_in_dynamic_memory", run: run_reversed_in_dynamic_memory },
    Correct { kernel: "sum_of_a_block", run: run_sum_of_a_block },
    Correct { kernel: "dot_product", run: run_dot_product },
    Correct { kernel: "prefix_sums", run: run_prefix_sums },
    Correct { kernel: "prefix_sums_of_two_buffers", run: run_prefix_sums_of_two_buffers },
    Correct { kernel: "sums_up_and_down", run: run_sums_up_and_down },
    Correct { kernel: "tiled_product", run: run_tiled_product },
    Correct { kernel: "transposed_by_tiles", run: run_transposed_by_tiles },
    Correct { kernel: "smoothed", run: run_smoothed },
    Correct { kernel: "smoothed_image", run: run_smoothed_image },
    Correct { kernel: "bitonic_sort", run: run_bitonic_sort },
    Correct { kernel: "odd_even_sort", run: run_odd_even_sort },
    Correct { kernel: "rows_scaled_to_their_sums", run: run_rows_scaled_to_their_sums },
    Correct { kernel: "barrier_for_some_blocks", run: run_barrier_for_some_blocks },
    Correct { kernel: "whole_blocks_return", run: run_whole_blocks_return },
    Correct { kernel: "one_value_for_all", run: run_one_value_for_all },
    Correct { kernel: "global_memory_within_a_block", run: run_global_memory_within_a_block },
    Correct { kernel: "blurred_until_flat", run: run_blurred_until_flat },
    Correct { kernel: "memory_in_functions", run: run_memory_in_functions },
];
