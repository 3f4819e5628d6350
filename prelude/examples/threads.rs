//! Times thread kernels on the CUDA device that WARPCELL_DEVICE names, with and without checks of indices: lines of JSON.
//!
//! `threads` prints the median times of later launches; `tests/bench/threads_cuda.py` compares them with CUDA C's.

use warpcell as gpu;
use warpcell::prelude::*;

/// Lesson S1's product of many layers, in memory.
#[kernel]
fn mul(layers: View<f64>, mut out: ViewMut<f64>) {
    let x = block_dim().x * block_idx().x + thread_idx().x;
    let y = block_dim().y * block_idx().y + thread_idx().y;
    if y < out.shape()[0] && x < out.shape()[1] {
        out[[y, x]] = 1.0;
        for z in 0..layers.shape()[0] {
            out[[y, x]] = out[[y, x]] * layers[[z, y, x]];
        }
    }
}

/// The same in a register.
#[kernel]
fn mul_reg(layers: View<f64>, mut out: ViewMut<f64>) {
    let x = block_dim().x * block_idx().x + thread_idx().x;
    let y = block_dim().y * block_idx().y + thread_idx().y;
    if y < out.shape()[0] && x < out.shape()[1] {
        let mut tmp = 1.0;
        for z in 0..layers.shape()[0] {
            tmp *= layers[[z, y, x]];
        }
        out[[y, x]] = tmp;
    }
}

const TILE: usize = 16;

/// The product of two matrices whose lengths are multiples of a tile's.
#[kernel]
fn matmul(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut left = shared_array::<f32>([TILE, TILE]);
    let mut right = shared_array::<f32>([TILE, TILE]);
    let t = thread_idx();
    let x = block_idx().x * TILE + t.x;
    let y = block_idx().y * TILE + t.y;
    let mut sum = 0.0;
    for tile in 0..a.shape()[1] / TILE {
        left[[t.y, t.x]] = a[[y, tile * TILE + t.x]];
        right[[t.y, t.x]] = b[[tile * TILE + t.y, x]];
        sync_threads();
        for k in 0..TILE {
            sum += left[[t.y, k]] * right[[k, t.x]];
        }
        sync_threads();
    }
    out[[y, x]] = sum;
}

/// The sum of an array: of each thread, of each block, of all.
#[kernel]
fn sum(a: View<f32>, mut out: ViewMut<f32>) {
    let mut partial = shared_array::<f32>(256);
    let t = thread_idx().x;
    let mut own = 0.0;
    for i in grid_stride(a.len()) {
        own += a[i];
    }
    partial[t] = own;
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        out.atomic_add(0, partial[0]);
    }
}

/// How often each byte occurs.
#[kernel]
fn histogram(values: View<u8>, mut bins: ViewMut<u32>) {
    let mut own = shared_array::<u32>(256);
    let t = thread_idx().x;
    own[t] = 0;
    sync_threads();
    for i in grid_stride(values.len()) {
        own.atomic_add(values[i] as usize, 1);
    }
    sync_threads();
    bins.atomic_add(t, own[t]);
}

/// Layers of this length along both axes, and as many of them; the side of the matrices; the elements of what is summed and counted.
const LAYER: usize = 512;
const LAYERS: usize = 1024;
const SIDE: usize = 2048;
const ELEMENTS: usize = 50_000_000;
const BLOCKS: usize = 1024;

/// Median times of single launches.
fn time(name: &str, mut launch: impl FnMut(bool)) {
    let [checked, unchecked] = [true, false].map(|checked| gpu::benchmark(50, || launch(checked)));
    let device = |times: &gpu::timing::BenchmarkResult| {
        times.device.as_ref().map_or(times.host.median, |device| device.median) * 1e6
    };
    println!(
        r#"{{"name": "{name}", "gpu_us": {:.2}, "checked_us": {:.2}, "host_us": {:.2}}}"#,
        device(&unchecked),
        device(&checked),
        unchecked.host.median * 1e6
    );
}

/// Launches with or without checks.
macro_rules! launch {
    ($checked:expr, $kernel:ident, $grid:expr, $block:expr, $arguments:expr) => {
        if $checked {
            gpu::launch($kernel, $grid, $block, $arguments);
        } else {
            // SAFETY: the sizes are such that every index is within its array.
            unsafe { gpu::launch_unchecked($kernel, $grid, $block, $arguments) };
        }
    };
}

fn main() {
    let layers = gpu::random::uniform(0.999, 1.001, (LAYERS, LAYER, LAYER));
    let mut out = gpu::empty::<f64>((LAYER, LAYER));
    let grid = (LAYER / 32, LAYER / 32);
    time("mul f64", |checked| launch!(checked, mul, grid, (32, 32), (&layers, &mut out)));
    time("mul_reg f64", |checked| launch!(checked, mul_reg, grid, (32, 32), (&layers, &mut out)));
    drop((layers, out));
    let [a, b] = [0, 1].map(|_| gpu::random::uniform(-1.0f32, 1.0, (SIDE, SIDE)));
    let mut out = gpu::empty::<f32>((SIDE, SIDE));
    let grid = (SIDE / TILE, SIDE / TILE);
    time("matmul f32", |checked| launch!(checked, matmul, grid, (TILE, TILE), (&a, &b, &mut out)));
    drop((a, b, out));
    let a = gpu::random::uniform(0.0f32, 1.0, ELEMENTS);
    let mut total = gpu::zeros::<f32>(1);
    time("sum f32", |checked| launch!(checked, sum, BLOCKS, 256, (&a, &mut total)));
    let values = (&a * 256.0f32).astype::<u8>();
    let mut bins = gpu::zeros::<u32>(256);
    time("histogram u8", |checked| launch!(checked, histogram, BLOCKS, 256, (&values, &mut bins)));
}
