//! Device and host times of the operations that have targets, one line of JSON each, as users call them.
//!
//! `gpu_us` is the median of event times around one call, `host_us` the median time until the call returns, and `queued_us` the median
//! share of a call in the whole time of twenty: what the host does is hidden behind the device's work then.
//! `tests/bench/arrays_cuda.py` runs this and CuPy on one GPU: the same names, sizes and kinds of data.

use crate::{DeviceArray, Mode};
use ndarray::{Array1, Array2};
use std::hint::black_box;
use std::time::Instant;

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_timing() {
    first_use();
    convolutions();
    elementwise();
    small();
    reductions();
    indexing();
    sorting();
    random();
    transfers();
    products();
    graphs_and_streams();
    factorisations();
}

fn first_use() {
    let start = Instant::now();
    let device = crate::device_info();
    let context = start.elapsed().as_secs_f64();
    assert!(device.starts_with("cuda"), "no CUDA device: {device}");
    let start = Instant::now();
    black_box((crate::arange(10.0) * 2.0).sum());
    let first = start.elapsed().as_secs_f64();
    println!(r#"{{"name": "first use", "context_s": {context:.4}, "first_s": {first:.4}, "gpu": "{device}"}}"#);
}

fn uniform<T: crate::Float>(n: usize) -> DeviceArray<T> {
    crate::random::uniform(T::from_f64(0.0), T::from_f64(1.0), n)
}

fn convolutions() {
    fn two_dimensional<T: crate::Float>(size: usize, kernel: usize) {
        let image = uniform::<T>(size * size).reshape((size, size));
        let kernel = uniform::<T>(kernel * kernel).reshape((kernel, kernel));
        let run = || black_box(crate::convolve2d(&image, &kernel, Mode::Full));
        let start = Instant::now();
        drop(run());
        crate::synchronize();
        let (first, dtype) = (start.elapsed().as_secs_f64() * 1e3, T::DTYPE);
        println!(r#"{{"name": "first call of convolve2d {dtype}", "host_ms": {first:.2}}}"#);
        crate::backend::cuda::driver::background::wait();
        let compiled = start.elapsed().as_secs_f64() * 1e3;
        println!(r#"{{"name": "program for the size of convolve2d {dtype} ready", "host_ms": {compiled:.2}}}"#);
        time(&format!("convolve2d 2048 15 full {dtype}"), 50, run);
    }
    two_dimensional::<f32>(2048, 15);
    two_dimensional::<f64>(2048, 15);
    let host = Array2::from_shape_fn((2048, 2048), |(i, j)| ((i * 31 + j * 17) % 101) as f64);
    let kernel = Array2::from_shape_fn((15, 15), |(i, j)| (i * j) as f64);
    wall("convolve2d f64 with transfers both ways", 10, || {
        black_box(crate::convolve2d(&crate::asarray(&host), &crate::asarray(&kernel), Mode::Full).to_host());
    });
    let (signal, kernel) = (uniform::<f64>(1 << 22), uniform::<f64>(15));
    time("convolve 4M 15 f64", 50, || crate::convolve(&signal, &kernel, Mode::Full));
}

fn elementwise() {
    let n = 50_000_000;
    let (mut a, b) = (uniform::<f64>(n), uniform::<f64>(n));
    time("copy f64 5e7", 50, || a.copy());
    time("a + b f64 5e7", 50, || &a + &b);
    time("a *= 3 f64 5e7", 50, || a *= 3.0);
    time("exp f64 5e7", 50, || b.exp());
    let x = uniform::<f32>(100_000_000).reshape((10_000, 10_000));
    time("copy f32 1e4x1e4 transposed", 50, || x.t().copy());
}

fn small() {
    let (a, b) = (uniform::<f32>(16), uniform::<f32>(16));
    time("a + b f32 16", 2000, || &a + &b);
    time("100 chained a + b f32 16", 50, || {
        let mut sum = &a + &b;
        for _ in 1..100 {
            sum = &sum + &b;
        }
        sum
    });
}

/// Last, because from the first stream on, events wait for all streams.
fn graphs_and_streams() {
    let (a, b) = (uniform::<f32>(16), uniform::<f32>(16));
    let graph = crate::Graph::capture(|| {
        let mut sum = &a + &b;
        for _ in 1..100 {
            sum = &sum + &b;
        }
        sum
    });
    time("100 chained a + b f32 16 in a graph", 200, || graph.launch().clone());
    time("a + b f32 16 after a graph", 2000, || &a + &b);
    crate::Stream::new().with(|| time("a + b f32 16 in a stream", 2000, || &a + &b));
}

fn reductions() {
    let x = uniform::<f32>(100_000_000);
    time("sum f32 1e8", 50, || x.sum_axis(0));
    time("max f32 1e8", 50, || x.max_axis(0));
    time("argmax f32 1e8", 50, || x.argmax_axis(0));
    time("cumsum f32 1e8", 50, || x.cumsum());
    time("std f32 1e8", 20, || x.std_axis(0));
    let square = x.reshape((10_000, 10_000));
    for axis in [0, 1] {
        time(&format!("sum f32 1e4x1e4 axis {axis}"), 50, || square.sum_axis(axis));
        time(&format!("std f32 1e4x1e4 axis {axis}"), 20, || square.std_axis(axis));
    }
    drop(square);
    let x = uniform::<f64>(50_000_000);
    time("std f64 5e7", 20, || x.std_axis(0));
}

fn indexing() {
    let n = 20_000_000;
    let x = uniform::<f32>(n);
    let indices = crate::random::integers(0..n as i64, n);
    let mask = x.lt(0.5);
    time("take f32 2e7 at random", 20, || x.take(&indices));
    time("x[mask] f32 2e7", 20, || x.extract(&mask));
    time("where f32 2e7", 20, || crate::where_(&mask, &x, 0.0));
}

fn sorting() {
    let x = uniform::<f32>(1 << 24);
    time("sort f32 16M", 20, || crate::sort(&x));
    time("argsort f32 16M", 20, || crate::argsort(&x));
    let x = uniform::<f64>(1 << 24);
    time("sort f64 16M", 20, || crate::sort(&x));
    time("argsort f64 16M", 20, || crate::argsort(&x));
    let counts = crate::random::integers(0..1000i64, 1 << 24);
    time("bincount i64 16M", 20, || crate::bincount(&counts));
}

fn random() {
    let n = 50_000_000;
    time("random uniform f64 5e7", 50, || crate::random::random(n));
    time("random normal f64 5e7", 50, || crate::random::normal(0.0, 1.0, n));
}

fn transfers() {
    let host = Array1::from_shape_fn(50_000_000, |i| (i as f64).sqrt());
    wall("upload 400 MB", 5, || drop(black_box(crate::asarray(&host))));
    let device = crate::asarray(&host);
    wall("download 400 MB, fresh memory", 5, || drop(black_box(device.to_host())));
}

fn products() {
    let (x, y) = (uniform::<f32>(100_000_000), uniform::<f32>(100_000_000));
    // Without waiting for the number.
    time("dot f32 1e8", 50, || crate::matmul(&x, &y));
    drop((x, y));
    fn square<T: crate::Float>(size: usize, count: usize) {
        let [a, b] = [0, 1].map(|_| uniform::<T>(size * size).reshape((size, size)));
        time(&format!("matmul {} {size}", T::DTYPE), count, || crate::matmul(&a, &b));
    }
    square::<f32>(4096, 30);
    square::<f64>(4096, 30);
    square::<f32>(64, 500);
    let [a, b] = [0, 1].map(|_| uniform::<f32>(1 << 24).reshape((4096, 64, 64)));
    time("matmul f32 4096 of 64", 50, || crate::matmul(&a, &b));
    let (matrix, vector) = (uniform::<f32>(1 << 26).reshape((8192, 8192)), uniform::<f32>(8192));
    time("matmul f32 8192, by a vector", 50, || crate::matmul(&matrix, &vector));
    let [a, b] = [0, 1].map(|_| crate::random::integers(0..1000i32, (2048, 2048)));
    time("matmul i32 2048", 20, || crate::matmul(&a, &b));
}

fn factorisations() {
    use crate::linalg;
    let square = |size: usize| uniform::<f64>(size * size).reshape((size, size));
    let (a, small) = (square(512), square(64).astype::<f32>());
    time("qr f64 512", 30, || linalg::qr(&a));
    time("qr f32 64", 200, || linalg::qr(&small));
    let single = a.astype::<f32>();
    time("det f32 512", 30, || linalg::det(&single));
    let definite = crate::matmul(&a, &a.t()) + crate::eye::<f64>(512);
    time("cholesky f64 512", 30, || linalg::cholesky(&definite));
    time("eigh f64 512", 10, || linalg::eigh(&definite));
    let b = square(256);
    time("svd f64 256", 5, || linalg::svd(&b));
    let many = uniform::<f32>(4096 * 64).reshape((4096, 8, 8));
    time("inv f32 4096 of 8", 30, || linalg::inv(&many));
    let right = uniform::<f32>(4096 * 8).reshape((4096, 8, 1));
    time("solve f32 4096 of 8", 30, || linalg::solve(&many, &right));
    time("det f32 4096 of 8", 30, || linalg::det_each(&many));
    let definite = crate::matmul(&many, &many.swapaxes(1, 2)) + crate::eye::<f32>(8);
    time("cholesky f32 4096 of 8", 30, || linalg::cholesky(&definite));
    let large = uniform::<f32>(36_000_000).reshape((6000, 6000));
    time("inv f32 6000", 3, || linalg::inv(&large));
}

/// The median seconds of whole calls, waited for.
fn wall(name: &str, count: usize, mut run: impl FnMut()) {
    let mut times: Vec<f64> = (0..=count)
        .map(|_| {
            let start = Instant::now();
            run();
            crate::synchronize();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    let first = times.remove(0);
    println!(r#"{{"name": "{name}", "wall_us": {:.0}, "first_us": {first:.0}}}"#, median(&mut times));
}

/// Calls in a row.
const QUEUED: usize = 20;

fn time<R>(name: &str, count: usize, mut run: impl FnMut() -> R) {
    for _ in 0..5 {
        black_box(run());
    }
    crate::synchronize();
    let backend = crate::device::current().unwrap().backend;
    let (mut device, mut host) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let before = backend.record().unwrap();
        let start = Instant::now();
        let result = black_box(run());
        host.push(start.elapsed().as_secs_f64() * 1e6);
        let after = backend.record().unwrap();
        device.push(backend.elapsed(&*before, &*after).unwrap() * 1e6);
        drop(result);
    }
    let mut queued: Vec<f64> = (0..if median(&mut device) < 5e4 { 5 } else { 1 })
        .map(|_| {
            crate::synchronize();
            let start = Instant::now();
            (0..QUEUED).for_each(|_| _ = black_box(run()));
            crate::synchronize();
            start.elapsed().as_secs_f64() * 1e6 / QUEUED as f64
        })
        .collect();
    let least = device.iter().copied().fold(f64::INFINITY, f64::min);
    let (device, host, queued) = (median(&mut device), median(&mut host), median(&mut queued));
    println!(
        r#"{{"name": "{name}", "gpu_us": {device:.2}, "gpu_min_us": {least:.2}, "host_us": {host:.2}, "queued_us": {queued:.2}}}"#
    );
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
