//! Device and host times of the operations that have targets, one line of JSON each.
//!
//! `gpu_us` is the median of event times around one call, `host_us` the median time until the call returns. With
//! `tests/gpu/cupy_compare.py` on the same machine: the same names and sizes.

use super::reference::Random;
use crate::backend::cuda::{open, probe};
use crate::backend::{Allocation, Backend, BinaryOperation, Layout, Operand, Padding, ReduceOperation, View};
use crate::dtype::{DType, Scalar};
use std::sync::Arc;
use std::time::Instant;

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_timing() {
    let start = Instant::now();
    probe().unwrap_or_else(|reason| panic!("no CUDA device: {reason}"));
    let gpu = open(0).unwrap();
    let context = start.elapsed().as_secs_f64();
    let x = array(&gpu, DType::F64, &[10], 1);
    let y = empty(&gpu, DType::F64, &[10]);
    let start = Instant::now();
    gpu.binary(BinaryOperation::Add, operand(&x), Operand::Scalar(Scalar::F64(1.0)), y.view()).unwrap();
    gpu.synchronize().unwrap();
    println!(
        r#"{{"name": "first use", "context_s": {context:.4}, "first_add_s": {:.4}, "gpu": "{}"}}"#,
        start.elapsed().as_secs_f64(),
        gpu.name()
    );

    for dtype in [DType::F32, DType::F64] {
        let (image, kernel) = (array(&gpu, dtype, &[2048, 2048], 2), array(&gpu, dtype, &[15, 15], 3));
        let out = empty(&gpu, dtype, &[2062, 2062]);
        let zero = if dtype == DType::F32 { Scalar::F32(0.0) } else { Scalar::F64(0.0) };
        let run = || {
            gpu.convolve2d(image.view(), kernel.view(), (0, 0), Padding::Fill(zero), out.view()).unwrap();
        };
        let start = Instant::now();
        run();
        gpu.synchronize().unwrap();
        let first = start.elapsed().as_secs_f64() * 1e3;
        println!(r#"{{"name": "first call of convolve2d {dtype}", "host_ms": {first:.2}}}"#);
        time(&gpu, &format!("convolve2d 2048 15 full {dtype}"), 50, run);
    }
    {
        let (signal, kernel) = (array(&gpu, DType::F64, &[1 << 22], 4), array(&gpu, DType::F64, &[15], 5));
        let out = empty(&gpu, DType::F64, &[(1 << 22) + 14]);
        time(&gpu, "convolve 4M 15 f64", 50, || gpu.convolve(signal.view(), kernel.view(), 0, out.view()).unwrap());
    }
    {
        let (a, b) = (array(&gpu, DType::F64, &[50_000_000], 6), array(&gpu, DType::F64, &[50_000_000], 7));
        let out = empty(&gpu, DType::F64, &[50_000_000]);
        time(&gpu, "copy f64 5e7", 50, || gpu.copy(a.view(), out.view()).unwrap());
        time(&gpu, "add f64 5e7", 50, || {
            gpu.binary(BinaryOperation::Add, operand(&a), operand(&b), out.view()).unwrap();
        });
    }
    {
        let (a, b) = (array(&gpu, DType::F32, &[16], 8), array(&gpu, DType::F32, &[16], 9));
        let add = |a: &Array, b: &Array| {
            let out = empty(&gpu, DType::F32, &[16]);
            gpu.binary(BinaryOperation::Add, operand(a), operand(b), out.view()).unwrap();
            out
        };
        time(&gpu, "a+b f32 16", 2000, || drop(add(&a, &b)));
        time(&gpu, "100 chained a+b f32 16", 50, || {
            let mut sum = add(&a, &b);
            for _ in 1..100 {
                sum = add(&sum, &b);
            }
        });
        time(&gpu, "allocate and drop 64 bytes", 2000, || drop(gpu.allocate(64).unwrap()));
    }
    {
        let x = array(&gpu, DType::F32, &[100_000_000], 10);
        let out = empty(&gpu, DType::F32, &[]);
        time(&gpu, "sum f32 1e8", 50, || gpu.reduce(ReduceOperation::Sum, x.view(), &[0], out.view()).unwrap());
        let square = Array { layout: Layout::contiguous(&[10_000, 10_000]), ..x };
        let sums = empty(&gpu, DType::F32, &[10_000]);
        for axis in [0, 1] {
            time(&gpu, &format!("sum f32 1e4x1e4 axis {axis}"), 50, || {
                gpu.reduce(ReduceOperation::Sum, square.view(), &[axis], sums.view()).unwrap();
            });
        }
        let (n, strides) = (10_000, vec![1, 10_000]);
        let transposed = Array { layout: Layout { shape: vec![n, n], strides, offset: 0 }, ..square };
        let out = empty(&gpu, DType::F32, &[n, n]);
        time(&gpu, "copy f32 1e4x1e4 transposed", 50, || gpu.copy(transposed.view(), out.view()).unwrap());
    }
    {
        let n = 10_000_000;
        let x = array(&gpu, DType::F32, &[n], 12);
        let out = empty(&gpu, DType::F32, &[n]);
        let mut random = Random::new(13);
        for (order, next) in [("neighbours", 0), ("random", 1)] {
            let indices = empty(&gpu, DType::I64, &[n]);
            let places = (0..n as u64).map(|i| if next == 0 { i } else { random.next() % n as u64 });
            gpu.upload(&places.flat_map(u64::to_le_bytes).collect::<Vec<u8>>(), &indices.allocation).unwrap();
            time(&gpu, &format!("take f32 1e7 {order}"), 50, || {
                gpu.gather(x.view(), 0, indices.view(), out.view()).unwrap();
            });
            time(&gpu, &format!("put f32 1e7 {order}"), 50, || {
                gpu.scatter(operand(&x), 0, indices.view(), out.view()).unwrap();
            });
        }
        let mask = empty(&gpu, DType::Bool, &[n]);
        let half = Operand::Scalar(Scalar::F32(0.5));
        gpu.binary(BinaryOperation::Less, operand(&x), half, mask.view()).unwrap();
        time(&gpu, "where_ f32 1e7", 50, || gpu.select(mask.view(), operand(&x), half, out.view()).unwrap());
        time(&gpu, "extract f32 1e7", 50, || drop(gpu.compress(mask.view(), Some(x.view())).unwrap()));
        let rows = Array { layout: Layout::contiguous(&[100_000, 100]), ..x };
        let out = Array { layout: Layout::contiguous(&[100_000, 100]), ..out };
        let places = (0..100_000).flat_map(|_| (random.next() % 100_000).to_le_bytes());
        let allocation = gpu.allocate(800_000).unwrap();
        gpu.upload(&places.collect::<Vec<u8>>(), &allocation).unwrap();
        let shared = Layout { shape: vec![100_000, 100], strides: vec![1, 0], offset: 0 };
        let indices = Array { allocation, layout: shared, dtype: DType::I64 };
        time(&gpu, "take f32 1e5 rows of 100", 50, || {
            gpu.gather(rows.view(), 0, indices.view(), out.view()).unwrap();
        });
    }
    {
        let bytes = 400_000_000;
        let mut random = Random::new(11);
        let source: Vec<u8> = (0..bytes / 8).flat_map(|_| random.next().to_le_bytes()).collect();
        let target = gpu.allocate(bytes).unwrap();
        for (name, mut run) in [
            ("upload 400 MB", Box::new(|| gpu.upload(&source, &target).unwrap()) as Box<dyn FnMut()>),
            (
                "download 400 MB, fresh memory",
                Box::new(|| {
                    let mut fresh = vec![0u8; bytes];
                    gpu.download(&target, 0, &mut fresh).unwrap();
                    std::hint::black_box(fresh);
                }),
            ),
        ] {
            let mut times: Vec<f64> = (0..6)
                .map(|_| {
                    let start = Instant::now();
                    run();
                    gpu.synchronize().unwrap();
                    start.elapsed().as_secs_f64() * 1e6
                })
                .collect();
            let first = times.remove(0);
            println!(r#"{{"name": "{name}", "wall_us": {:.0}, "first_us": {first:.0}}}"#, median(&mut times));
        }
    }
}

struct Array {
    allocation: Arc<dyn Allocation>,
    layout: Layout,
    dtype: DType,
}

impl Array {
    fn view(&self) -> View<'_> {
        View { allocation: &self.allocation, layout: &self.layout, dtype: self.dtype }
    }
}

fn operand(array: &Array) -> Operand<'_> {
    Operand::Array(array.view())
}

fn empty(gpu: &Arc<dyn Backend>, dtype: DType, shape: &[usize]) -> Array {
    let layout = Layout::contiguous(shape);
    Array { allocation: gpu.allocate(layout.size() * dtype.size()).unwrap(), layout, dtype }
}

/// Random values in [0, 1).
fn array(gpu: &Arc<dyn Backend>, dtype: DType, shape: &[usize], seed: u64) -> Array {
    let array = empty(gpu, dtype, shape);
    let mut random = Random::new(seed);
    let mut bytes = Vec::with_capacity(array.layout.size() * dtype.size());
    for _ in 0..array.layout.size() {
        match dtype {
            DType::F32 => bytes.extend((random.unit() as f32).to_le_bytes()),
            DType::F64 => bytes.extend(random.unit().to_le_bytes()),
            _ => unreachable!(),
        }
    }
    gpu.upload(&bytes, &array.allocation).unwrap();
    array
}

fn time(gpu: &Arc<dyn Backend>, name: &str, count: usize, mut run: impl FnMut()) {
    for _ in 0..5 {
        run();
    }
    gpu.synchronize().unwrap();
    let (mut device, mut host) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let before = gpu.record().unwrap();
        let start = Instant::now();
        run();
        host.push(start.elapsed().as_secs_f64() * 1e6);
        let after = gpu.record().unwrap();
        device.push(gpu.elapsed(&*before, &*after).unwrap() * 1e6);
    }
    let least = device.iter().copied().fold(f64::INFINITY, f64::min);
    let (device, host) = (median(&mut device), median(&mut host));
    println!(r#"{{"name": "{name}", "gpu_us": {device:.2}, "gpu_min_us": {least:.2}, "host_us": {host:.2}}}"#);
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
