//! A program with kernels that are compiled before it runs: on a GPU without NVRTC, against the CPU. tests/gpu/embed calls it.
//!
//! - `embedded record SIZE`: computes on `small` or `large` arrays and records its kernels, where `WARPCELL_RECORD_PROGRAMS` says.
//! - `embedded compile RECORDS ARCHITECTURES NOTEBOOK FILE`: makes an archive of records.
//! - `embedded run SIZE FILE`: computes with the archive. For arrays of the other size it has general kernels only.
//! - `embedded missing FILE`: asks for a kernel that is not in the archive, and says how that fails.

use std::process::ExitCode;
use warpcell as gpu;
use warpcell::Element;
use warpcell::prelude::*;

/// Some numbers between -1 and 1.
fn numbers(count: usize) -> DeviceArray<f32> {
    let values: Vec<f32> = (0..count).map(|index| ((index * 7919) % 1009) as f32 / 504.5 - 1.0).collect();
    gpu::array(&values)
}

fn matrix(rows: usize, columns: usize) -> DeviceArray<f32> {
    numbers(rows * columns).reshape((rows, columns))
}

/// Whole numbers from 0 to below `most`.
fn counts(count: usize, most: usize) -> DeviceArray<i32> {
    let values: Vec<i32> = (0..count).map(|index| (index * 7919 % most) as i32).collect();
    gpu::array(&values)
}

#[vectorize]
fn bent(x: f32, y: f32) -> f32 {
    if x < y { x * y + 0.5 } else { (x - y).sqrt() }
}

#[kernel]
fn differences(x: View<f32>, mut out: ViewMut<f32>) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i + 1 < x.shape()[0] {
        out[i] = x[i + 1] - x[i];
    }
}

fn launched(count: usize) -> DeviceArray<f32> {
    let (x, mut out) = (numbers(count), gpu::zeros(count));
    gpu::launch(differences, count.div_ceil(256), 256, (&x, &mut out));
    out
}

/// Numbers of the results by which they are compared.
fn values<T: Element>(array: &DeviceArray<T>, number: impl Fn(&T) -> f64) -> Vec<f64> {
    array.ravel().to_host().iter().map(number).collect()
}
fn floats(array: &DeviceArray<f32>) -> Vec<f64> {
    values(array, |&value| value.into())
}
fn integers(array: &DeviceArray<i32>) -> Vec<f64> {
    values(array, |&value| value.into())
}

type Work = fn(bool) -> Vec<f64>;

/// What is computed, on small arrays or on large ones, which have other programs, or another layout.
const CASES: [(&str, Work); 12] = [
    ("vectorize", |is_large| {
        // Large: from the second element on, which no 16 bytes begin with.
        let x = numbers(if is_large { 1_000_001 } else { 1000 });
        let x = if is_large { x.slice(s![1..]) } else { x };
        floats(&gpu::map(bent, (&x, 0.25)))
    }),
    ("fuse", |is_large| {
        let formula = fuse!(|x: f32, y: f32| (x - y) * (x + 2.0 * y));
        let x = matrix(if is_large { 2000 } else { 20 }, 300);
        let x = if is_large { x.slice(s![.., ..;2]) } else { x };
        floats(&gpu::map(formula, (&x, 3.0)))
    }),
    ("fuse with a sum", |is_large| {
        let x = matrix(if is_large { 2000 } else { 20 }, 300);
        let formula = fuse!(|x: f32| sum(x * x));
        let x = if is_large { x.slice(s![.., ..;3]) } else { x };
        floats(&gpu::map(formula, &x))
    }),
    ("kernel", |is_large| floats(&launched(if is_large { 100_000 } else { 1000 }))),
    ("softmax", |is_large| {
        let x = if is_large { matrix(40, 10_001) } else { matrix(100, 64) };
        floats(&gpu::special::softmax!(&x, axis = 1))
    }),
    ("convolve2d", |is_large| {
        let size = if is_large { 9 } else { 7 };
        floats(&gpu::convolve2d(&matrix(400, 500), &matrix(size, size), Mode::Same))
    }),
    ("sort", |is_large| floats(&gpu::sort(&numbers(if is_large { 3_000_000 } else { 1000 })))),
    ("product of integers", |is_large| {
        let length = if is_large { 1024 } else { 64 };
        let x = counts(length * length, 1000).reshape((length, length));
        integers(&gpu::matmul(&x, &x))
    }),
    ("bins", |is_large| {
        let (count, most) = if is_large { (6_000_000, 20_000) } else { (10_000, 20_000) };
        values(&gpu::bincount(&counts(count, most)), |&value| value as f64)
    }),
    ("gaussian filter", |is_large| {
        floats(&gpu::ndimage::gaussian_filter(&matrix(200, 300), if is_large { 2.5 } else { 1.0 }))
    }),
    ("median filter", |is_large| floats(&gpu::ndimage::median_filter(&matrix(200, 300), if is_large { 5 } else { 3 }))),
    ("sum along rows", |is_large| {
        let x = if is_large { matrix(3, 200_000) } else { matrix(30, 200) };
        floats(&gpu::sum!(&x, axis = 1))
    }),
];

fn archive(path: &str) -> &'static [u8] {
    std::fs::read(path).unwrap_or_else(|error| panic!("{path} cannot be read: {error}")).leak()
}

fn run(is_large: bool) -> ExitCode {
    let mut failed = 0;
    for (name, work) in CASES {
        let found = std::panic::catch_unwind(|| work(is_large));
        let expected = gpu::Device::Cpu.with(|| work(is_large));
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-4 * expected.abs().max(1.0);
        let holds = found.is_ok_and(|found| found.len() == expected.len() && found.iter().zip(&expected).all(is_near));
        println!("{}: {name} ({} numbers)", if holds { "passed" } else { "FAILED" }, expected.len());
        failed += usize::from(!holds);
    }
    println!("{} of {} hold on {}", CASES.len() - failed, CASES.len(), gpu::device_info());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["record", size] => run(size == "large"),
        ["compile", ..] => gpu::program::embedding(&arguments),
        ["run", size, file] => {
            gpu::program::start_with_kernels("output", archive(file));
            run(size == "large")
        }
        ["missing", file] => {
            gpu::program::start_with_kernels("output", archive(file));
            match gpu::try_device().and_then(|_| numbers(1000).try_tan()) {
                Ok(_) => println!("it was computed on {}", gpu::device_info()),
                Err(error) => println!("{error}"),
            }
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "embedded record SIZE | compile RECORDS ARCHITECTURES NOTEBOOK FILE | run SIZE FILE | missing FILE"
            );
            ExitCode::FAILURE
        }
    }
}
