//! Kernels: what their threads compute, what they may be given, and what is said where something is wrong. On the current device,
//! and, where a launch is to fail at once, on the CPU.

mod arrays;
mod correct;
mod faults;

use expect_test::{Expect, expect};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Device, DeviceArray, Element, Error, LaunchConfig};

#[kernel]
fn scale(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < out.len() {
        out[i] = by * a[i];
    }
}

#[test]
fn a_thread_for_each_element() {
    let a = gpu::arange(1000.0f32);
    let mut out = gpu::zeros::<f32>(1000);
    gpu::launch(scale, 1000usize.div_ceil(128), 128, (&a, 0.5, &mut out));
    assert!(gpu::allclose(&out, &(&a * 0.5)));
    let mut again = gpu::zeros::<f32>(1000);
    gpu::launch_for(scale, 1000, (&a, 0.5, &mut again));
    assert!(gpu::allclose(&out, &again));
    gpu::launch_for(scale, 0, (&a, 2.0, &mut again));
    assert!(gpu::allclose(&out, &again));
    // SAFETY: the kernel tests its index.
    unsafe { gpu::launch_unchecked(scale, 8, 128, (&a, 2.0, &mut again)) };
    assert!(gpu::allclose(&again, &(&a * 2.0)));
}

#[kernel]
fn place(mut out: ViewMut<i64>) {
    let i = global_idx();
    let (t, b, d, g) = (thread_idx(), block_idx(), block_dim(), grid_dim());
    if i.z < out.shape()[0] && i.y < out.shape()[1] && i.x < out.shape()[2] {
        let number = (t.x + 10 * t.y + 100 * t.z + 1000 * (b.x + 10 * b.y + 100 * b.z)) as i64;
        let sizes = (d.x + d.y + d.z + g.x + g.y + g.z) as i64;
        out[[i.z, i.y, i.x]] = 100 * number + sizes;
    }
}

#[test]
fn indices_along_three_axes() {
    let mut out = gpu::zeros::<i64>((5, 6, 7));
    gpu::launch(place, (2, 2, 3), (4, 3, 2), (&mut out,));
    let host = out.to_host();
    for ((z, y, x), value) in host.view().into_dimensionality::<ndarray::Ix3>().unwrap().indexed_iter() {
        let number = (x % 4 + 10 * (y % 3) + 100 * (z % 2) + 1000 * (x / 4 + 10 * (y / 3) + 100 * (z / 2))) as i64;
        assert_eq!(*value, 100 * number + 16, "{z} {y} {x}");
    }
    let mut by_axes = gpu::zeros::<i64>((5, 6, 7));
    gpu::launch_for(place, (7, 6, 5), &mut by_axes);
    assert!(by_axes.to_host().iter().all(|value| value % 100 > 0));
}

const TILE: usize = 16;

#[kernel]
fn matmul(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut left = shared_array::<f32>([TILE, TILE]);
    let mut right = shared_array::<f32>([TILE, TILE]);
    let (t, i) = (thread_idx(), global_idx());
    let (rows, columns, inner) = (out.shape()[0], out.shape()[1], a.shape()[1]);
    let mut sum = 0.0;
    for tile in 0..inner.div_ceil(TILE) {
        let (x, y) = (tile * TILE + t.x, tile * TILE + t.y);
        left[[t.y, t.x]] = if i.y < rows && x < inner { a[[i.y, x]] } else { 0.0 };
        right[[t.y, t.x]] = if y < inner && i.x < columns { b[[y, i.x]] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += left[[t.y, k]] * right[[k, t.x]];
        }
        sync_threads();
    }
    if i.y < rows && i.x < columns {
        out[[i.y, i.x]] = sum;
    }
}

#[test]
fn tiles_in_shared_memory() {
    let a = gpu::random::Generator::new(1).uniform(-1.0f32, 1.0, (50, 70));
    let b = gpu::random::Generator::new(2).uniform(-1.0f32, 1.0, (70, 40));
    let mut out = gpu::zeros::<f32>((50, 40));
    gpu::launch(matmul, (40usize.div_ceil(TILE), 50usize.div_ceil(TILE)), (TILE, TILE), (&a, &b, &mut out));
    assert!(gpu::allclose_with(&out, &gpu::matmul(&a, &b), 1e-4, 1e-4, false));
    // Any strides.
    let mut transposed = gpu::zeros::<f32>((40, 50));
    let (at, bt) = (b.t().copy(), a.t().copy());
    gpu::launch(matmul, (4, 3), (TILE, TILE), (&at.t().t(), &bt, &mut transposed));
    assert!(gpu::allclose_with(&transposed, &out.t(), 1e-4, 1e-4, false));
    let (left, right) = (bt.t(), at.t());
    gpu::launch(matmul, (3, 4), (TILE, TILE), (&left, &right, &mut out));
    assert!(gpu::allclose_with(&out, &gpu::matmul(&a, &b), 1e-4, 1e-4, false));
}

#[kernel]
fn sum(a: View<f64>, out: ViewMut<f64>) {
    let mut partial = dynamic_shared_array::<f64>();
    let t = thread_idx().x;
    let mut own = 0.0;
    for i in grid_stride(a.len()) {
        own += a[i];
    }
    partial[t] = own;
    sync_threads();
    let mut half = block_dim().x / 2;
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

#[test]
fn dynamic_shared_memory_and_strides_of_the_grid() {
    let a = gpu::arange(10_000.0f64);
    let mut out = gpu::zeros::<f64>(1);
    gpu::launch_with(LaunchConfig::new(6, 128).dynamic_shared_bytes(8 * 128), sum, (&a, &mut out));
    assert_eq!(out.item(), a.sum());
    let stream = gpu::Stream::new();
    let config = LaunchConfig::new(2, 64).dynamic_shared_bytes(8 * 64).stream(&stream);
    gpu::launch_with(config, sum, (&a, &mut out));
    assert_eq!(out.item(), 2.0 * a.sum());
}

#[device]
fn warp_sum(value: i32) -> i32 {
    let mut sum = value;
    let mut offset = 16;
    while offset > 0 {
        sum += shfl_down_sync(u32::MAX, sum, offset);
        offset /= 2;
    }
    sum
}

#[kernel]
fn warps(a: View<i32>, mut out: ViewMut<i32>) {
    let i = global_idx().x;
    let sum = warp_sum(a[i]);
    let odd = ballot_sync(u32::MAX, a[i] % 2 != 0);
    let all = all_sync(u32::MAX, a[i] >= 0);
    if lane_id() == 0 {
        let warp = i / warp_size();
        out[[warp, 0]] = sum;
        out[[warp, 1]] = odd.count_ones() as i32;
        out[[warp, 2]] = if all { 1 } else { 0 };
    }
}

#[test]
fn warps_pass_values_and_vote() {
    let a = gpu::arange(128i32) - 40;
    let mut out = gpu::zeros::<i32>((4, 3));
    gpu::launch(warps, 2, 64, (&a, &mut out));
    let expected: Vec<i32> =
        (0..4).flat_map(|w| [(0..32).map(|i| 32 * w + i - 40).sum(), 16, i32::from(w >= 2)]).collect();
    assert_eq!(out.to_host().into_raw_vec_and_offset().0, expected);
}

#[kernel]
fn histogram(values: View<u8>, bins: ViewMut<u32>) {
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

#[test]
fn atomics_of_shared_and_of_device_memory() {
    let values = (gpu::arange(10_000u32) * 7919).astype::<u8>();
    let mut bins = gpu::zeros::<u32>(256);
    gpu::launch(histogram, 5, 256, (&values, &mut bins));
    let mut expected = [0u32; 256];
    values.to_host().iter().for_each(|&value| expected[usize::from(value)] += 1);
    assert_eq!(bins.to_host().as_slice().unwrap(), expected);
}

#[device]
fn row_maximum(a: View<f32>, row: usize) -> f32 {
    let mut most = a[[row, 0]];
    for column in 1..a.shape()[1] {
        most = most.max(a[[row, column]]);
    }
    most
}

#[device]
fn put(out: &mut ViewMut<f32>, i: usize, value: f32) {
    out[i] = value;
}

#[kernel]
fn maxima(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.shape()[0] {
        put(&mut out, i, row_maximum(a, i));
    }
}

#[test]
fn device_functions_take_views() {
    let a = gpu::random::Generator::new(3).uniform(0.0f32, 1.0, (33, 9));
    let mut out = gpu::zeros::<f32>(33);
    gpu::launch_for(maxima, 33, (&a, &mut out));
    assert!(gpu::allclose(&out, &a.max_axis(1)));
    // Views of other arrays.
    let wide = gpu::zeros::<f32>((33, 2));
    gpu::launch_for(maxima, 9, (&a.t(), &mut wide.slice(s![..9, 1])));
    assert!(gpu::allclose(&wide.slice(s![..9, 1]), &a.max_axis(0)));
    assert_eq!(wide.slice(s![.., 0]).sum(), 0.0);
}

#[kernel]
fn kinds(b: View<bool>, k: usize, d: isize, flag: bool, small: u8, mut out: ViewMut<i64>) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = if b[i] == flag { k as i64 + d as i64 } else { i64::from(small) };
    }
}

#[test]
fn scalars_of_each_kind_and_bools() {
    let b = gpu::array(&[true, false, true]);
    let mut out = gpu::zeros::<i64>(3);
    gpu::launch(kinds, 1, 3, (&b, 5, -7, true, 9, &mut out));
    assert_eq!(out.to_host().as_slice().unwrap(), [-2, 9, -2]);
}

#[kernel]
fn narrow(a: View<i8>, b: View<u16>, by: i16, less: i8, more: u16, mut out: ViewMut<i16>) {
    let mut tile = shared_array::<u16>(4);
    let i = thread_idx().x;
    if i < out.len() {
        tile[i] = b[i] + more;
        out[i] = by * (a[i] - less) as i16 - tile[i] as i16;
    }
}

#[test]
fn integers_of_8_and_16_bits() {
    let (a, b) = (gpu::array(&[-3i8, 100, 7]), gpu::array(&[1u16, 2, 60_000]));
    let mut out = gpu::zeros::<i16>(3);
    gpu::launch(narrow, 1, 4, (&a, &b, 2, -1, 5, &mut out));
    assert_eq!(out.to_host().as_slice().unwrap(), [-10, 195, 16 - 60_005i32 as i16]);
}

#[kernel]
fn alone() {
    if thread_idx().x > 5000 {
        sync_threads();
    }
}

#[kernel]
fn shift(a: View<i32>, mut out: ViewMut<i32>) {
    let i = thread_idx().x;
    out[i] = a[(i + 1) % a.len()];
}

#[test]
fn what_overlaps_is_read_as_it_was_before() {
    let mut a = gpu::arange(64i32);
    let before = a.clone();
    gpu::launch(shift, 1, 64, (&before, &mut a));
    assert_eq!((a.get(&[0]), a.get(&[63])), (1, 0));
    gpu::launch(alone, 1, 1, ());
    // Parts that have nothing in common.
    let a = gpu::arange(64i32);
    gpu::launch(shift, 1, 32, (&a.slice(s![..;2]), &mut a.slice(s![1..;2])));
    assert_eq!((a.get(&[1]), a.get(&[2]), a.get(&[63])), (2, 2, 0));
}

#[device]
#[derive(Clone, Copy, Debug)]
struct Step {
    dt: f32,
    gravity: [f32; 2],
    bounces: bool,
}

#[device]
#[derive(Clone, Copy)]
struct Table([f64; 400]);

#[kernel]
fn moves(step: Step, mut position: ViewMut<f32>, mut velocity: ViewMut<f32>) {
    let i = global_idx().x;
    if i < position.shape()[0] {
        for axis in 0..2 {
            velocity[[i, axis]] += step.dt * step.gravity[axis];
            position[[i, axis]] += step.dt * velocity[[i, axis]];
            if step.bounces && position[[i, axis]] < 0.0 {
                velocity[[i, axis]] = -velocity[[i, axis]];
            }
        }
    }
}

#[kernel]
fn looks_up(table: Table, mut out: ViewMut<f64>) {
    out[0] = table.0[399];
}

/// One step of `moves`, on the host.
fn moved(step: Step, position: f32, velocity: f32, axis: usize) -> (f32, f32) {
    let velocity = velocity + step.dt * step.gravity[axis];
    let position = position + step.dt * velocity;
    (position, if step.bounces && position < 0.0 { -velocity } else { velocity })
}

#[test]
fn structs_are_arguments() {
    let step = Step { dt: 0.25, gravity: [0.0, -9.5], bounces: true };
    let start = Array2::from_shape_fn((50, 2), |(i, axis)| (i * 2 + axis) as f32 / 100.0);
    let (mut position, mut velocity) = (gpu::asarray(&start), gpu::zeros::<f32>((50, 2)));
    gpu::launch_for(moves, 50, (step, &mut position, &mut velocity));
    for ((i, axis), &x) in start.indexed_iter() {
        let found = (position.get(&[i, axis]), velocity.get(&[i, axis]));
        assert_eq!(found, moved(step, x, 0.0, axis));
    }
    // A graph keeps the struct.
    let once = position.to_host();
    let graph = gpu::Graph::capture(|| {
        gpu::launch_for(moves, 50, (Step { bounces: false, ..step }, &mut position, &mut velocity));
    });
    graph.launch();
    assert_ne!(position.to_host(), once);
    let mut out = gpu::zeros::<f64>(1);
    says(
        gpu::try_launch(looks_up, 1, 1, (Table([1.0; 400]), &mut out)),
        expect![
            "launch: the structs for `looks_up` have 3200 bytes, but at most 2560 are allowed; pass large arrays as a `View` of a kernel: `gpu::array(&values)`"
        ],
    );
}

#[test]
fn launches_are_captured() {
    let a = gpu::arange(100.0f32);
    let mut out = gpu::zeros::<f32>(100);
    let graph = gpu::Graph::capture(|| gpu::launch_for(scale, 100, (&a, 3.0, &mut out)));
    assert_eq!(out.sum(), 0.0);
    graph.launch();
    assert!(gpu::allclose(&out, &(&a * 3.0)));
}

/// On the CPU, where launches fail at once.
fn on_cpu<T: Element>(array: &DeviceArray<T>) -> DeviceArray<T> {
    array.to_device(Device::Cpu)
}

fn says(result: gpu::Result<()>, expected: Expect) {
    expected.assert_eq(&result.expect_err("an error").to_string());
}

#[kernel]
fn out_of_bounds(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = a[i];
}

#[device]
fn beyond(a: View<f32>) -> f32 {
    a[a.len()]
}

#[kernel]
fn in_a_function(a: View<f32>, mut out: ViewMut<f32>) {
    out[thread_idx().x] = beyond(a);
}

#[kernel]
fn divides(a: View<i32>, mut out: ViewMut<i32>) {
    let i = thread_idx().x;
    out[i] = 7 / a[i];
}

#[test]
fn failures_name_the_thread_and_the_place() {
    let (a, mut out) = (on_cpu(&gpu::arange(100.0f32)), on_cpu(&gpu::zeros::<f32>(90)));
    let line = |error: &Error| match error {
        Error::FunctionFailed { function, line, .. } => (function.clone(), *line),
        other => panic!("{other}"),
    };
    let error = gpu::try_launch(out_of_bounds, 4, 32, (&a, &mut out)).unwrap_err();
    let source: Vec<&str> = include_str!("kernels.rs").lines().collect();
    let (function, at) = line(&error);
    assert_eq!((function.as_str(), source[at - 1].trim()), ("out_of_bounds", "out[i] = a[i];"));
    assert!(
        error.to_string().contains("thread (26, 0, 0) of block (2, 0, 0) used the index 90 along axis 0 of `out`"),
        "{error}"
    );
    let error = gpu::try_launch(in_a_function, 1, 1, (&a, &mut out)).unwrap_err();
    let (function, at) = line(&error);
    assert_eq!((function.as_str(), source[at - 1].trim()), ("beyond", "a[a.len()]"));
    let zero = on_cpu(&gpu::zeros::<i32>(4));
    let mut quotients = on_cpu(&gpu::zeros::<i32>(4));
    let error = gpu::try_launch(divides, 1, 4, (&zero, &mut quotients)).unwrap_err();
    assert!(error.to_string().contains("an integer was divided by zero"), "{error}");
    // The device goes on.
    gpu::launch(out_of_bounds, 1, 10, (&a, &mut out));
    assert_eq!(out.get(&[9]), 9.0);
}

#[kernel]
fn races(mut a: ViewMut<i32>) {
    a[0] = thread_idx().x as i32;
}

#[test]
fn launch_checked_finds_a_race() {
    let mut a = on_cpu(&gpu::zeros::<i32>(1));
    let error = gpu::try_launch_checked(races, 1, 2, &mut a).unwrap_err().to_string();
    assert!(
        error.contains("two threads race for `a[0]`: thread (0, 0, 0) of block (0, 0, 0) writes it in line"),
        "{error}"
    );
    gpu::launch_checked(races, 1, 1, &mut a);
    if let device @ Device::Cuda(_) = gpu::device() {
        let mut a = a.to_device(device);
        let error = gpu::try_launch_checked(races, 1, 2, &mut a).unwrap_err().to_string();
        assert!(error.contains("compute-sanitizer"), "{error}");
    }
}

fn not_a_kernel(_a: View<f32>) {}

#[test]
fn launches_that_cannot_be_made() {
    let (a, mut out) = (on_cpu(&gpu::arange(8.0f32)), on_cpu(&gpu::zeros::<f32>(8)));
    says(
        gpu::try_launch(not_a_kernel, 1, 1, &a),
        expect![[r#"launch: the function `not_a_kernel` cannot be launched; write `#[kernel]` before its `fn`"#]],
    );
    says(
        gpu::try_launch(|_: View<f32>| {}, 1, 1, &a),
        expect![
            "launch: a closure cannot be launched as a kernel; write a function with `#[kernel]` before it, and give its name"
        ],
    );
    says(
        gpu::try_launch(scale, 0, 32, (&a, 1.0, &mut out)),
        expect![
            "launch: `scale` cannot be launched with a grid of 0 × 1 × 1: every length must be at least 1; `n.div_ceil(threads)` blocks have a thread for each of n elements; with n = 0 there is nothing to launch (`launch_for` takes 0 too)"
        ],
    );
    says(
        gpu::try_launch(scale, 1, (32, 33), (&a, 1.0, &mut out)),
        expect![
            "launch: `scale` cannot be launched: a block of 32 × 33 × 1 has 1056 threads, but cpu allows at most 1024; launch more blocks with fewer threads"
        ],
    );
    says(
        gpu::try_launch(scale, 1, (1, 1, 65), (&a, 1.0, &mut out)),
        expect![
            "launch: `scale` cannot be launched: a block of 1 × 1 × 65 is too long along an axis: cpu allows at most 1024 × 1024 × 64; put the longest axis along x"
        ],
    );
    says(
        gpu::try_launch(scale, (1, 70_000), 1, (&a, 1.0, &mut out)),
        expect![
            "launch: `scale` cannot be launched: a grid of 1 × 70000 × 1 is too long along an axis: cpu allows at most 2147483647 × 65535 × 65535; put the longest axis along x, or launch fewer blocks whose threads loop: `for i in grid_stride(n)`"
        ],
    );
    says(
        gpu::try_launch_for(scale, -1, (&a, 1.0, &mut out)),
        expect!["launch_for: `scale` cannot be launched for -1 × 1 × 1 threads: lengths must be at least 0"],
    );
    let config = LaunchConfig::new(1, 1).dynamic_shared_bytes(50_000);
    says(
        gpu::try_launch_with(config, scale, (&a, 1.0, &mut out)),
        expect![
            "launch_with: `scale` cannot be launched: a block needs 50000 bytes of shared memory, but cpu has at most 49152; use smaller tiles, or keep less in a tile"
        ],
    );
    let whole = on_cpu(&gpu::full((), 1.0f32));
    says(
        gpu::try_launch(scale, 1, 1, (&whole, 1.0, &mut out)),
        expect![
            "launch: the array for `a` of `scale` has no axes, so it cannot be indexed; give it one axis: \
             `a.reshape(1)`"
        ],
    );
    let many = a.reshape([2, 2, 2, 1, 1]);
    says(
        gpu::try_launch(scale, 1, 1, (&many, 1.0, &mut out)),
        expect![
            "launch: the shape [2, 2, 2, 1, 1] has 5 axes, but the arrays of a kernel, such as `a` of `scale`, can have at most 4; join some axes with `reshape`"
        ],
    );
    let plane = a.reshape((2, 4));
    let error = gpu::try_launch(scale, 1, 1, (&plane, 1.0, &mut out)).unwrap_err().to_string();
    assert!(error.ends_with("`a` has 2 axes, but this is one index; write `a[[y, x]]`"), "{error}");
    let mut broadcast = on_cpu(&gpu::ones::<f32>(1)).broadcast_to(8);
    says(
        gpu::try_launch(scale, 1, 8, (&a, 1.0, &mut broadcast)),
        expect!["launch: the target is a broadcast view, whose elements repeat; write to a `copy()` of it"],
    );
    let mut same = out.clone();
    says(
        gpu::try_launch(twice, 1, 8, (&mut out, &mut same)),
        expect![
            "launch: the arrays for `a` and `b` of `twice` have elements in common, and both are written to; give one of them as a copy, `&mut a.copy()`, or use one parameter for both"
        ],
    );
}

#[kernel]
fn twice(mut a: ViewMut<f32>, mut b: ViewMut<f32>) {
    let i = thread_idx().x;
    a[i] = b[i];
    b[i] = 0.0;
}

#[kernel]
fn slow(mut a: ViewMut<u64>) {
    let i = global_idx().x;
    let mut x = i as u64 + 1;
    for _ in 0..100_000 {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    let at = i % a.len();
    a[at] = x;
}

#[test]
fn a_launch_may_have_a_time_limit() {
    let mut a = on_cpu(&gpu::zeros::<u64>(1024));
    let config = |blocks, limit| LaunchConfig::new(blocks, 256).time_limit(std::time::Duration::from_millis(limit));
    gpu::launch_with(config(1, 600_000), slow, &mut a);
    let error = gpu::try_launch_with(config(100_000, 200), slow, &mut a).unwrap_err().to_string();
    assert!(error.contains("it was still running after its time limit of 0.2 s"), "{error}");
}

#[test]
fn the_translation_is_shown() {
    let text = gpu::cuda_source(matmul);
    for part in ["__global__", "// sum += left[[t.y, k]] * right[[k, t.x]];", "__shared__"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(gpu::cuda_source(warps).contains("__shfl_down_sync"));
    assert!(gpu::try_cuda_source(not_a_kernel).is_err());
    let error = gpu::Device::Cpu.with(|| gpu::try_kernel_attributes(scale)).unwrap_err().to_string();
    assert_eq!(
        error,
        "kernel_attributes: `scale` has registers and occupancy on CUDA devices only, and the current device is the CPU"
    );
}
