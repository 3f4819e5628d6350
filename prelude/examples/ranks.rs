//! Times what ranks do together on CUDA devices: lines of JSON.
//!
//! `ranks calls` prints times of `all_reduce` and of a ring of `send_receive`, `ranks kmeans` and `ranks heat` those of steps of k-means and of a heat equation, `ranks overlap`
//! those of a product of matrices beside an exchange; `ranks once` makes two small calls. Ranks are processes, if a launcher has started this;
//! otherwise threads, on one device and then on all. `tests/bench/distributed_cuda.py` compares them with PyTorch's.

#![allow(clippy::needless_range_loop, reason = "device code has no iterators over arrays")]

use std::time::Instant;
use warpcell as gpu;
use warpcell::distributed::{Communicator, Reduction, Sharded};
use warpcell::prelude::*;

#[path = "parts/kmeans.rs"]
mod kmeans;

/// Coordinates of a point, and how many centres there are at most.
const COORDINATES: usize = 4;
const CENTRES: usize = 32;

/// A step of the heat equation: `wide` has a row more before and behind. Outside of the other axis it is cold.
#[kernel]
fn diffuse(wide: View<f32>, mut out: ViewMut<f32>) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    let width = out.shape()[1];
    if y < out.shape()[0] && x < width {
        let middle = wide[[y + 1, x]];
        let left = if x > 0 { wide[[y + 1, x - 1]] } else { 0.0 };
        let right = if x + 1 < width { wide[[y + 1, x + 1]] } else { 0.0 };
        out[[y, x]] = middle + 0.2 * (left + right + wide[[y, x]] + wide[[y + 2, x]] - 4.0 * middle);
    }
}

/// Microseconds of a step: the median of steps that are waited for, and the mean of steps that are not.
fn times(ranks: &Communicator, count: usize, mut step: impl FnMut()) -> (f64, f64) {
    let device = ranks.device();
    (0..3).for_each(|_| step());
    device.synchronize();
    ranks.barrier();
    let mut each: Vec<f64> = (0..count)
        .map(|_| {
            let start = Instant::now();
            step();
            device.synchronize();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    each.sort_by(f64::total_cmp);
    ranks.barrier();
    let start = Instant::now();
    (0..count).for_each(|_| step());
    device.synchronize();
    (each[count / 2], start.elapsed().as_secs_f64() * 1e6 / count as f64)
}

fn say(ranks: &Communicator, name: &str, size: usize, (each, queued): (f64, f64)) {
    if ranks.rank() == 0 {
        let (count, ranks) = (ranks.size(), format!("{ranks:?}"));
        println!(
            r#"{{"name": "{name}", "size": {size}, "ranks": {count}, "each_us": {each:.1}, "queued_us": {queued:.1}, "what": "{ranks}"}}"#
        );
    }
}

fn calls(ranks: &Communicator) {
    for (bytes, count) in [(4 << 10, 500), (4 << 20, 200), (1 << 30, 20)] {
        let x = gpu::ones::<f32>(bytes / 4);
        let took = times(ranks, count, || drop(ranks.all_reduce(&x, Reduction::Sum)));
        say(ranks, "all_reduce", bytes, took);
        let (rank, size) = (ranks.rank(), ranks.size());
        if size > 1 {
            let [next, before] = [1, size - 1].map(|step| (rank + step) % size);
            let took = times(ranks, count, || drop(ranks.send_receive(&x, next, before, bytes / 4)));
            say(ranks, "send_receive", bytes, took);
        }
    }
}

fn clusters(ranks: &Communicator) {
    let size = 400_000_000;
    let points = ranks.from_rows(size, |rows| {
        let mut generator = gpu::random::default_rng(rows.start as u64);
        generator.random((rows.len(), COORDINATES)).astype::<f32>()
    });
    let mut centres = ranks.broadcast(&points.part().slice(s![..CENTRES, ..]), 0);
    let took = times(ranks, 5, || {
        let sums = kmeans::sums(points.part(), &centres);
        centres = kmeans::means(&ranks.all_reduce(&sums, Reduction::Sum));
    });
    say(ranks, "kmeans", size, took);
}

fn heat(ranks: &Communicator) {
    let (rows, columns) = (32_768, 32_768);
    let mut u: Sharded<f32> = ranks.from_rows(rows, |rows| gpu::full((rows.len(), columns), 1.0f32));
    let step = |wide: &DeviceArray<f32>| {
        let mut next = gpu::empty::<f32>((wide.shape()[0] - 2, columns));
        let blocks = (columns.div_ceil(32), next.shape()[0].div_ceil(8));
        gpu::launch(diffuse, blocks, (32, 8), (wide, &mut next));
        next
    };
    let took = times(ranks, 20, || {
        let wide = u.halo(1, Boundary::Fill(0.0));
        u = u.map_parts(|_| step(&wide));
    });
    say(ranks, "heat, halos first", rows * columns, took);
    let took = times(ranks, 20, || u = u.map_halo(1, Boundary::Fill(0.0), step));
    say(ranks, "heat", rows * columns, took);
}

/// A product of matrices and an exchange, one after the other and side by side: microseconds between events.
fn overlap(ranks: &Communicator) {
    let (side, length) = (8192, (1 << 28) / ranks.size() * ranks.size());
    let (a, x) = (gpu::ones::<f32>((side, side)), gpu::ones::<f32>(length));
    let beside = gpu::Stream::new();
    let product = || drop(gpu::matmul(&a, &a));
    let exchange = || drop(beside.with(|| ranks.all_to_all(&x)));
    let between = |work: &dyn Fn()| {
        let least = (0..5).map(|_| {
            ranks.device().synchronize();
            ranks.barrier();
            let stream = gpu::current_stream();
            let start = stream.record();
            work();
            // Whatever else has work is waited for.
            stream.wait(&beside.record());
            let end = stream.record();
            end.elapsed_since(&start) * 1e6
        });
        least.fold(f64::INFINITY, f64::min)
    };
    let (product_us, exchange_us) = (between(&product), between(&exchange));
    let both_us = between(&|| {
        exchange();
        product();
    });
    if ranks.rank() == 0 {
        let size = ranks.size();
        println!(
            r#"{{"name": "overlap", "ranks": {size}, "product_us": {product_us:.1}, "exchange_us": {exchange_us:.1}, "both_us": {both_us:.1}}}"#
        );
    }
}

/// Small calls, for tools that look at memory.
fn once(ranks: &Communicator) {
    let (rank, size) = (ranks.rank(), ranks.size());
    let x = gpu::full(1000, rank as f32 + 1.0);
    if size > 1 {
        let before = ranks.send_receive(&x, (rank + 1) % size, (rank + size - 1) % size, 1000);
        println!("rank {rank} gets {}", before.sum());
    }
    println!("rank {rank} has {}", ranks.all_reduce(&x, Reduction::Sum).sum());
}

fn main() {
    let program = match std::env::args().nth(1).as_deref() {
        Some("calls") => calls,
        Some("kmeans") => clusters,
        Some("heat") => heat,
        Some("overlap") => overlap,
        Some("once") => once,
        _ => return eprintln!("usage: ranks calls|kmeans|heat|overlap|once"),
    };
    if std::env::var_os("RANK").is_some() || std::env::var_os("OMPI_COMM_WORLD_RANK").is_some() {
        return program(&Communicator::from_env());
    }
    let devices = gpu::devices();
    for count in [1, devices.len()] {
        Communicator::local(&devices[..count]).run(program);
    }
}
