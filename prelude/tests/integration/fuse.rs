//! `fuse!` and reductions behind functions: against the same formula on the host.

use std::panic::catch_unwind;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::reduction::{All, Any, Max, Min, Product, Sum};

#[device]
fn square(x: f64) -> f64 {
    x * x
}

#[vectorize]
fn is_even(x: i32) -> bool {
    x % 2 == 0
}

fn numbers(size: usize) -> DeviceArray<f64> {
    gpu::arange(size as f64) / 8.0 - 3.0
}

#[test]
fn a_formula_is_a_function_over_arrays() {
    let squared_difference: gpu::Fused<fn(f64, f64) -> f64> = fuse!(|x: f64, y: f64| (x - y) * (x - y));
    for size in [0, 1, 511, 512, 513, 70_000] {
        let a = numbers(size);
        let b = a.slice(s![..;-1]);
        let expected = &(&a - &b) * &(&a - &b);
        assert_eq!(gpu::map(squared_difference, (&a, &b)).to_host(), expected.to_host());
        assert_eq!(gpu::map(&squared_difference, (&a, &b)).to_host(), expected.to_host());
        assert_eq!(gpu::host::map(squared_difference, (&a.to_host(), &b.to_host())), expected.to_host());
    }
    let with_block = fuse!(|n: i64| -> i64 {
        let mut sum = 0;
        for digit in 0..n {
            sum += digit; // Gauss
        }
        sum
    });
    assert_eq!(gpu::map(with_block, &gpu::array(&[4i64, 10])).to_host(), ndarray::arr1(&[6i64, 45]).into_dyn());
    let parts = fuse!(|x: f64| (x.floor(), x < 0.0));
    let (floor, negative) = gpu::map(parts, &gpu::array(&[1.5, -0.5]));
    assert_eq!((floor.sum(), negative.sum()), (0.0, 1));
}

#[test]
fn scalars_are_captured_by_value() {
    let (scale, mut offset, count, on) = (0.5f64, 1.0f64, 3usize, true);
    let formula = fuse!(|x: f64| if on { square(x) * scale + offset * count as f64 } else { x });
    offset += 100.0;
    assert_eq!(offset, 101.0);
    assert_eq!(gpu::map(formula, &gpu::array(&[2.0, 4.0])).to_host(), ndarray::arr1(&[5.0, 11.0]).into_dyn());
    let sums: Vec<i64> = (0..3i64).map(|k| gpu::map(fuse!(|x: i64| x * k), &gpu::array(&[1i64, 2])).sum()).collect();
    assert_eq!(sums, [0, 3, 6]);
}

#[test]
fn a_formula_shows_its_text() {
    assert_eq!(format!("{:?}", fuse!(|x: f32, n: i32| x.powi(n) /* text */)), "fuse!(|x: f32, n: i32| x.powi(n))");
    assert_eq!(format!("{:?}", fuse!(|x: f32| sum(x * x))), "fuse!(|x: f32| sum(x * x))");
}

#[test]
fn results_are_reduced_in_the_same_pass() {
    for size in [1usize, 511, 4096, 4097, 300_000] {
        let a = numbers(size);
        let doubled = fuse!(|x: f64| 2.0 * x);
        let whole = gpu::map(doubled, &a);
        let close = |left: f64, right: f64| assert!((left - right).abs() <= 1e-12 * right.abs(), "{left} {right}");
        close(gpu::map_reduce(doubled, Sum, &a).item(), whole.sum());
        assert_eq!(gpu::map_reduce(doubled, Min, &a).item(), whole.min());
        assert_eq!(gpu::map_reduce(doubled, Max, &a).item(), whole.max());
        let ones = gpu::full(size, 1.0);
        assert_eq!(gpu::map_reduce(fuse!(|x: f64| x), Product, &ones).item(), 1.0);
        let n = gpu::arange(size as i32);
        assert_eq!(gpu::map_reduce(is_even, Sum, &n).item(), size.div_ceil(2) as u64);
        assert!(gpu::map_reduce(&is_even, Any, &n).item());
        assert_eq!(gpu::map_reduce(is_even, All, &n).item(), size == 1);
        assert_eq!(gpu::map(fuse!(|x: i32| max(x)), &n).item(), size as i32 - 1);
    }
    let matrix = numbers(70_000).reshape((700, 100));
    let column = numbers(700).reshape((700, 1));
    let squared_distance = fuse!(|x: f64, y: f64| sum((x - y) * (x - y)));
    let expected = gpu::map(fuse!(|x: f64, y: f64| (x - y) * (x - y)), (&matrix.t(), &column.t())).sum();
    let sum = gpu::map(squared_distance, (&matrix.t(), &column.t()));
    assert_eq!(sum.shape(), [0usize; 0]);
    assert!((sum.item() / expected - 1.0).abs() < 1e-12);
    let mut out = gpu::zeros::<f64>(());
    gpu::map_into(squared_distance, (&matrix, &column), &mut out);
    assert!((out.item() / expected - 1.0).abs() < 1e-12);
    let on_host = gpu::host::map(squared_distance, (&matrix.to_host(), &column.to_host()));
    assert!((on_host[[]] / expected - 1.0).abs() < 1e-12);
}

#[test]
fn reductions_over_nothing() {
    let none = gpu::zeros::<i32>((0, 3));
    assert_eq!(gpu::map_reduce(is_even, Sum, &none).item(), 0);
    assert_eq!(gpu::map_reduce(fuse!(|x: i32| x), Product, &none).item(), 1);
    assert!(gpu::map_reduce(is_even, All, &none).item() && !gpu::map_reduce(is_even, Any, &none).item());
    let error = gpu::try_map(fuse!(|x: i32| min(x)), &none).err().unwrap().to_string();
    assert_eq!(error, "map: the shape [0, 3] has no elements to compare; reduce arrays that have some");
}

#[test]
fn nan_is_kept_by_extremes() {
    let a = gpu::array(&[1.0, f64::NAN, 3.0]);
    assert!(
        gpu::map(fuse!(|x: f64| max(x)), &a).item().is_nan() && gpu::map(fuse!(|x: f64| min(-x)), &a).item().is_nan()
    );
}

#[test]
fn a_panic_in_a_formula_is_the_callers() {
    if gpu::device() != gpu::Device::Cpu {
        return;
    }
    let (a, zero) = (gpu::arange(100_000), 0);
    let failed = catch_unwind(|| gpu::map(fuse!(|x: i32| sum(x / zero)), &a)).err().unwrap();
    assert_eq!(failed.downcast_ref::<&str>(), Some(&"attempt to divide by zero"));
    assert_eq!(gpu::map(fuse!(|x: i32| sum(x - x)), &a).item(), 0, "the device goes on");
}

#[test]
fn graphs_keep_formulas() {
    let mut a = gpu::zeros::<f32>(1000);
    let step = 0.5f32;
    let same = a.clone();
    let graph = gpu::Graph::capture(|| gpu::map_into(fuse!(|x: f32| x + step), &same, &mut a));
    for _ in 0..3 {
        graph.launch();
    }
    assert_eq!(same.sum(), 1500.0);
}
