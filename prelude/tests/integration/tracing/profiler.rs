//! What a trace counts of ten kernels, to be compared with what NVIDIA's profiler counts on a GPU (`tests/gpu/trace_counts.py`).

use serde_json::{Value, json};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{LaunchConfig, Trace, TraceFinding};

#[kernel]
fn counted_copy(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = a[i];
}

#[kernel]
fn counted_strided(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = a[8 * i];
}

#[kernel]
fn counted_transpose(a: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    out[[x, y]] = a[[y, x]];
}

#[kernel]
pub(super) fn counted_transpose_tiled(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([32, 32]);
    let (t, b) = (thread_idx(), block_idx());
    tile[[t.y, t.x]] = a[[b.y * 32 + t.y, b.x * 32 + t.x]];
    sync_threads();
    out[[b.x * 32 + t.y, b.y * 32 + t.x]] = tile[[t.x, t.y]];
}

#[kernel]
pub(super) fn counted_transpose_padded(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([32, 33]);
    let (t, b) = (thread_idx(), block_idx());
    tile[[t.y, t.x]] = a[[b.y * 32 + t.y, b.x * 32 + t.x]];
    sync_threads();
    out[[b.x * 32 + t.y, b.y * 32 + t.x]] = tile[[t.x, t.y]];
}

#[kernel]
fn counted_sum_interleaved(a: View<f32>, total: ViewMut<f32>) {
    let mut part = shared_array::<f32>(256);
    let t = thread_idx().x;
    part[t] = a[global_idx().x];
    sync_threads();
    let mut step = 1;
    while step < 256 {
        let i = 2 * step * t;
        if i < 256 {
            part[i] += part[i + step];
        }
        sync_threads();
        step *= 2;
    }
    if t == 0 {
        total.atomic_add(0, part[0]);
    }
}

#[kernel]
fn counted_sum_sequential(a: View<f32>, total: ViewMut<f32>) {
    let mut part = shared_array::<f32>(256);
    let t = thread_idx().x;
    part[t] = a[global_idx().x];
    sync_threads();
    let mut step = 128;
    while step > 0 {
        if t < step {
            part[t] += part[t + step];
        }
        sync_threads();
        step /= 2;
    }
    if t == 0 {
        total.atomic_add(0, part[0]);
    }
}

#[kernel]
fn counted_stencil(a: View<f32>, mut out: ViewMut<f32>) {
    let mut near = shared_array::<f32>(262);
    let (i, t) = (global_idx().x, thread_idx().x);
    near[t] = a[i];
    if t < 6 {
        near[256 + t] = a[i + 256];
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..7 {
        sum += near[t + k];
    }
    out[i] = sum * 0.125;
}

#[kernel]
fn counted_histogram(a: View<i32>, counts: ViewMut<i32>) {
    let mut own = shared_array::<i32>(64);
    let t = thread_idx().x;
    if t < 64 {
        own[t] = 0;
    }
    sync_threads();
    own.atomic_add(a[global_idx().x] as usize, 1);
    sync_threads();
    if t < 64 {
        counts.atomic_add(t, own[t]);
    }
}

#[kernel]
fn counted_product(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut left = shared_array::<f32>([16, 16]);
    let mut right = shared_array::<f32>([16, 16]);
    let t = thread_idx();
    let (row, column) = (global_idx().y, global_idx().x);
    let mut sum = 0.0;
    for tile in 0..a.shape()[1] / 16 {
        left[[t.y, t.x]] = a[[row, tile * 16 + t.x]];
        right[[t.y, t.x]] = b[[tile * 16 + t.y, column]];
        sync_threads();
        for k in 0..16 {
            sum += left[[t.y, k]] * right[[k, t.x]];
        }
        sync_threads();
    }
    out[[row, column]] = sum;
}

/// The requests of a launch, and the sectors or passes that they took in all: of global memory, then of shared memory.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    loads: [u64; 2],
    stores: [u64; 2],
    atomics: [u64; 2],
    shared_loads: [u64; 2],
    shared_stores: [u64; 2],
    /// Passes beyond those that would do.
    conflicts: [u64; 2],
    /// Floating-point operations.
    floating: u64,
}

impl Counts {
    fn of(trace: &Trace) -> Counts {
        let mut counts = Counts { floating: trace.report().arithmetic().floating(), ..Counts::default() };
        for row in trace.report().rows() {
            let all = |each: f64| (row.count as f64 * each).round() as u64;
            let (reads, writes) = (row.access.starts_with("reads"), row.access.starts_with("writes"));
            let place = match row.finding {
                TraceFinding::Sectors if reads => &mut counts.loads,
                TraceFinding::Sectors if writes => &mut counts.stores,
                TraceFinding::Sectors => &mut counts.atomics,
                TraceFinding::BankConflicts if reads => &mut counts.shared_loads,
                TraceFinding::BankConflicts => &mut counts.shared_stores,
                _ => continue,
            };
            place[0] += row.count as u64;
            place[1] += all(row.value);
            if row.finding == TraceFinding::BankConflicts {
                counts.conflicts[usize::from(writes)] += all(row.value) - all(row.ideal);
            }
        }
        counts
    }

    fn json(&self, kernel: &str) -> Value {
        let Counts { loads, stores, atomics, shared_loads, shared_stores, conflicts, floating } = self;
        json!({
            "kernel": kernel, "loads": loads, "stores": stores, "atomics": atomics, "shared_loads": shared_loads,
            "shared_stores": shared_stores, "conflicts": conflicts, "floating": floating,
        })
    }
}

/// Traces a launch, and makes it on the device without checked indices and then with them.
macro_rules! counted {
    ($kernel:ident, $grid:expr, $block:expr, $arguments:expr) => {{
        let (grid, block) = ($grid, $block);
        let blocks = LaunchConfig::new(grid, block).trace_blocks(0..4096).trace_events(40_000_000);
        let trace = gpu::launch_traced_with(blocks, $kernel, $arguments);
        assert!(trace.error().is_none(), "{:?}", trace.error());
        // SAFETY: the traced launch has checked the indices.
        unsafe { gpu::launch_unchecked($kernel, grid, block, $arguments) };
        gpu::launch($kernel, grid, block, $arguments);
        gpu::synchronize();
        let counts = Counts::of(&trace);
        println!("trace counts {}", counts.json(stringify!($kernel)));
        counts
    }};
}

#[test]
fn counts_of_copies_and_transpositions() {
    let (a, mut out) = (gpu::arange(4096.0f32), gpu::zeros::<f32>(4096));
    let plain = Counts { loads: [128, 512], stores: [128, 512], ..Counts::default() };
    assert_eq!(counted!(counted_copy, 16, 256, (&a, &mut out)), plain);
    let a = gpu::arange(32768.0f32);
    assert_eq!(counted!(counted_strided, 16, 256, (&a, &mut out)), Counts { loads: [128, 4096], ..plain });

    let (a, mut out) = (gpu::arange(16384.0f32).reshape((128, 128)), gpu::zeros::<f32>((128, 128)));
    let plain = Counts { loads: [512, 2048], stores: [512, 2048], ..Counts::default() };
    let naive = counted!(counted_transpose, (4, 4), (32, 32), (&a, &mut out));
    assert_eq!(naive, Counts { loads: [512, 2048], stores: [512, 16384], ..Counts::default() });
    let tiled = counted!(counted_transpose_tiled, (4, 4), (32, 32), (&a, &mut out));
    let conflicts = Counts { shared_loads: [512, 16384], shared_stores: [512, 512], conflicts: [15872, 0], ..plain };
    assert_eq!(tiled, conflicts);
    let padded = counted!(counted_transpose_padded, (4, 4), (32, 32), (&a, &mut out));
    assert_eq!(padded, Counts { shared_loads: [512, 512], conflicts: [0, 0], ..conflicts });
    assert!(gpu::array_equal(&out, &a.t()));
}

#[test]
fn counts_of_sums() {
    let (a, mut total) = (gpu::ones::<f32>(2048), gpu::zeros::<f32>(1));
    let atomics = [8, 8];
    // Of a block: 4, 2, 1, 1, … warps add, in as many passes as lanes share a bank: 2, 4, 8, 16, 16, 8, 4, 2 and fewer.
    let interleaved = counted!(counted_sum_interleaved, 8, 256, (&a, &mut total));
    assert_eq!((interleaved.loads, interleaved.atomics), ([64, 256], atomics));
    assert_eq!((interleaved.shared_loads[0], interleaved.shared_stores[0]), (200, 160));
    assert!(interleaved.conflicts[0] > 0 && interleaved.conflicts[1] * 2 == interleaved.conflicts[0]);
    let sequential = counted!(counted_sum_sequential, 8, 256, (&a, &mut total));
    // 255 sums of each block. What is added atomically does not count.
    let expected = Counts {
        loads: [64, 256],
        atomics,
        shared_loads: [200, 200],
        shared_stores: [160, 160],
        floating: 8 * 255,
        ..Counts::default()
    };
    assert_eq!(sequential, expected);
    // Each of them was traced, and launched twice.
    assert_eq!(total.get(&[0]), 6.0 * 2048.0);
}

#[test]
fn counts_of_a_stencil_a_histogram_and_a_product() {
    let (a, mut out) = (gpu::arange(4352.0f32), gpu::zeros::<f32>(4096));
    let stencil = counted!(counted_stencil, 16, 256, (&a, &mut out));
    let expected = Counts {
        loads: [144, 528],
        stores: [128, 512],
        shared_loads: [896, 896],
        shared_stores: [144, 144],
        floating: 8 * 4096,
        ..Counts::default()
    };
    assert_eq!(stencil, expected);

    let (a, mut counts) = (gpu::arange(4096i32) * 7 % 64, gpu::zeros::<i32>(64));
    let histogram = counted!(counted_histogram, 16, 256, (&a, &mut counts));
    let expected = Counts {
        loads: [128, 512],
        atomics: [32, 128],
        shared_loads: [32, 32],
        shared_stores: [32, 32],
        ..Counts::default()
    };
    assert_eq!(histogram, expected);
    assert!(gpu::array_equal(&counts, &gpu::full(64, 192)));

    let a = gpu::arange(4096.0f32).reshape((64, 64)) % 7.0;
    let mut out = gpu::zeros::<f32>((64, 64));
    let product = counted!(counted_product, (4, 4), (16, 16), (&a, &a.t(), &mut out));
    assert_eq!((product.stores, product.shared_stores, product.conflicts), ([128, 512], [1024, 1024], [0, 0]));
    assert_eq!((product.loads[0], product.shared_loads), (1024, [16384, 16384]));
    assert_eq!(product.floating, 2 * 64 * 64 * 64);
    assert!(gpu::allclose(&out, &a.matmul(&a.t())));
}
