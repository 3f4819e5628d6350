//! Times Rust functions over arrays, on the device that WARPCELL_DEVICE names: lines of JSON.
//!
//! `kernels times [ELEMENTS]` prints the median times of later calls, `kernels first` those of the first call of each function.
//! `tests/bench/kernels_cuda.py` and `tests/bench/kernels_cpu.py` compare them with others'.

use std::hint::black_box;
use std::time::Instant;
use warpcell as gpu;
use warpcell::DeviceArray;
use warpcell::prelude::*;

#[vectorize]
fn squared_diff(x: f32, y: f32) -> f32 {
    (x - y) * (x - y)
}

const SQRT_2PI: f32 = 2.506_628_3;

#[vectorize]
fn gaussian_pdf(x: f32, mean: f32, sigma: f32) -> f32 {
    (-0.5 * ((x - mean) / sigma).powi(2)).exp() / (sigma * SQRT_2PI)
}

#[device]
fn polar_to_cartesian(rho: f32, theta: f32) -> (f32, f32) {
    let x = rho * theta.cos();
    let y = rho * theta.sin();
    (x, y)
}

#[vectorize]
fn polar_distance(rho1: f32, theta1: f32, rho2: f32, theta2: f32) -> f32 {
    let (x1, y1) = polar_to_cartesian(rho1, theta1);
    let (x2, y2) = polar_to_cartesian(rho2, theta2);

    ((x1 - x2).powi(2) + (y1 - y2).powi(2)).sqrt()
}

#[vectorize]
fn check_prime(number: i32) -> i32 {
    if number < 2 {
        return 0;
    }
    for j in 2..number / 2 + 1 {
        if number % j == 0 {
            return 0;
        }
    }
    number
}

/// A function is timed over so many elements; numbers that are tested for being prime are the first so many.
const ELEMENTS: usize = 50_000_000;
const NUMBERS: i32 = 1_000_000;
const SMALL: usize = 10_000;

fn uniform(low: f32, high: f32, size: usize) -> DeviceArray<f32> {
    gpu::random::uniform(low, high, size)
}

fn on_cpu() -> bool {
    gpu::device() == gpu::Device::Cpu
}

/// Median times of single calls. On the CPU the whole call is the host's.
fn time<R>(name: &str, repetitions: usize, mut call: impl FnMut() -> R) {
    let times = gpu::benchmark(repetitions, || drop(black_box(call())));
    let host = times.host.median * 1e6;
    match times.device {
        Some(device) if !on_cpu() => {
            let (device, least) = (device.median * 1e6, device.min * 1e6);
            println!(r#"{{"name": "{name}", "gpu_us": {device:.2}, "gpu_min_us": {least:.2}, "host_us": {host:.2}}}"#);
        }
        _ => println!(r#"{{"name": "{name}", "host_us": {host:.2}}}"#),
    }
}

fn times(size: usize, numbers: i32) {
    let repetitions = if on_cpu() { 7 } else { 50 };
    let (x, y) = (uniform(0.0, 1.0, size), uniform(0.0, 1.0, size));
    time("squared_diff f32", repetitions, || gpu::map(squared_diff, (&x, &y)));
    time("sum of squared_diff f32", repetitions, || gpu::map_reduce(squared_diff, gpu::reduction::Sum, (&x, &y)));
    drop((x, y));
    let x = uniform(-3.0, 3.0, size);
    time("gaussian_pdf f32", repetitions, || gpu::map(gaussian_pdf, (&x, 0.0, 1.0)));
    drop(x);
    let [rho1, rho2] = [0, 1].map(|_| uniform(0.5, 1.5, size));
    let [theta1, theta2] = [0, 1].map(|_| uniform(-std::f32::consts::PI, std::f32::consts::PI, size));
    time("polar_distance f32", repetitions, || gpu::map(polar_distance, (&rho1, &theta1, &rho2, &theta2)));
    drop((rho1, rho2, theta1, theta2));
    let numbers = gpu::arange(numbers);
    time("check_prime i32", if on_cpu() { 3 } else { 20 }, || gpu::map(check_prime, &numbers));
    if !on_cpu() {
        let (x, y) = (uniform(0.0, 1.0, SMALL), uniform(0.0, 1.0, SMALL));
        time("squared_diff f32, 10,000", 2000, || gpu::map(squared_diff, (&x, &y)));
    }
}

/// Until the result of the first call is there.
fn first<R>(name: &str, call: impl FnOnce() -> R) {
    gpu::synchronize();
    let start = Instant::now();
    black_box(call());
    gpu::synchronize();
    println!(r#"{{"name": "{name}", "first_ms": {:.3}}}"#, start.elapsed().as_secs_f64() * 1e3);
}

fn first_calls() {
    let [a, b, c, d] = [0, 1, 2, 3].map(|_| uniform(0.0, 1.0, SMALL));
    let numbers = gpu::arange(1000i32);
    first("squared_diff f32", || gpu::map(squared_diff, (&a, &b)));
    first("sum of squared_diff f32", || gpu::map_reduce(squared_diff, gpu::reduction::Sum, (&a, &b)));
    first("gaussian_pdf f32", || gpu::map(gaussian_pdf, (&a, 0.0, 1.0)));
    first("polar_distance f32", || gpu::map(polar_distance, (&a, &b, &c, &d)));
    first("check_prime i32", || gpu::map(check_prime, &numbers));
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let number = |text: Option<String>| text.map(|text| text.parse().expect("a number"));
    match what.as_str() {
        "times" => {
            let size = number(arguments.next()).unwrap_or(ELEMENTS);
            times(size, number(arguments.next()).map_or(NUMBERS, |count| count as i32));
        }
        "first" => first_calls(),
        _ => {
            eprintln!("usage: kernels times [ELEMENTS [NUMBERS]] | kernels first");
            std::process::exit(2);
        }
    }
}
