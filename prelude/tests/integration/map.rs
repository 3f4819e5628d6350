//! `#[vectorize]` and `gpu::map` against `ndarray`'s `mapv` and `Zip`, and their errors.

use expect_test::{Expect, expect};
use std::panic::{AssertUnwindSafe, catch_unwind};
use warpcell as gpu;
use warpcell::ndarray::Zip;
use warpcell::prelude::*;

#[vectorize]
fn polynomial(x: f64) -> f64 {
    let square = x * x;
    square * x - 2.0 * square + 0.5
}

#[vectorize]
fn scaled_difference(a: f32, b: f32, scale: f32) -> f32 {
    (a - b) * (a - b) * scale
}

#[vectorize]
fn is_prime(n: i64) -> bool {
    n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| n % d != 0)
}

#[vectorize]
fn choose(first: bool, a: u8, b: u8) -> u8 {
    if first { a } else { b }
}

#[vectorize]
#[allow(clippy::too_many_arguments)]
fn all_types(a: bool, b: u8, c: i32, d: u32, e: i64, f: u64, g: f32, h: f64) -> f64 {
    f64::from(u8::from(a)) + f64::from(b) + f64::from(c) + f64::from(d) + e as f64 + f as f64 + f64::from(g) + h
}

fn plain(x: f32) -> f32 {
    x
}

/// On a CUDA device there is one error for all of this.
fn on_cpu() -> bool {
    gpu::device() == gpu::Device::Cpu
}

/// Host arrays whose lengths are below, at and above those of blocks and of shares of the threads.
fn arrays() -> Vec<ArrayD<f64>> {
    let shapes = [vec![], vec![0], vec![1], vec![511], vec![512], vec![513], vec![4097], vec![300, 401], vec![3, 0, 2]];
    let value = |index: usize| (index % 1000) as f64 / 250.0 - 2.0;
    shapes
        .into_iter()
        .map(|shape| {
            let size = shape.iter().product();
            ArrayD::from_shape_vec(IxDyn(&shape), (0..size).map(value).collect()).unwrap()
        })
        .collect()
}

#[test]
fn one_array_gives_what_mapv_gives() {
    if !on_cpu() {
        return;
    }
    for a in arrays() {
        assert_eq!(gpu::map(polynomial, gpu::asarray(&a)).to_host(), a.mapv(polynomial));
        assert_eq!(gpu::map(polynomial, (gpu::asarray(&a),)).to_host(), a.mapv(polynomial));
    }
    let n = gpu::arange(10_000i64);
    let primes: gpu::DeviceArray<bool> = gpu::map(is_prime, &n);
    assert_eq!(primes.sum(), 1229, "the number of primes below 10,000");
}

#[test]
fn views_of_any_strides_are_read() {
    if !on_cpu() {
        return;
    }
    let host = Array2::from_shape_fn((70, 90), |(i, j)| (i * 90 + j) as f64 / 1000.0);
    let a = gpu::asarray(&host);
    let cases = [
        (a.t(), host.t().to_owned()),
        (a.slice(s![..;-1, ..]), host.slice(s![..;-1, ..]).to_owned()),
        (a.slice(s![3..61;2, 5..;7]), host.slice(s![3..61;2, 5..;7]).to_owned()),
        (a.slice(s![.., 4..5]), host.slice(s![.., 4..5]).to_owned()),
    ];
    for (view, host) in cases {
        assert_eq!(gpu::map(polynomial, &view).to_host(), host.mapv(polynomial).into_dyn());
    }
}

#[test]
fn several_arrays_broadcast_as_in_zip() {
    if !on_cpu() {
        return;
    }
    let a = Array2::from_shape_fn((33, 70), |(i, j)| (i * 70 + j) as f32);
    let b = Array1::from_shape_fn(70, |j| j as f32 / 3.0);
    let c = Array2::from_shape_fn((33, 1), |(i, _)| 1.0 + i as f32);
    let (b_wide, c_wide) = (b.broadcast((33, 70)).unwrap(), c.broadcast((33, 70)).unwrap());
    let expected = Zip::from(&a).and(&b_wide).and(&c_wide).map_collect(|&a, &b, &c| scaled_difference(a, b, c));
    let (a, b, c) = (gpu::asarray(&a), gpu::asarray(&b), gpu::asarray(&c));
    assert_eq!(gpu::map(scaled_difference, (&a, &b, &c)).to_host(), expected.into_dyn());
    let outer = gpu::map(scaled_difference, (&b, &c, 2.0));
    assert_eq!(outer.shape(), [33, 70]);
    assert_eq!(outer.get(&[2, 3]), scaled_difference(1.0, 3.0, 2.0));
    assert_eq!(gpu::map(scaled_difference, (5.0, 2.0f32, 3.0)).item(), 27.0, "scalars alone");
    assert_eq!(gpu::map(scaled_difference, (&gpu::zeros::<f32>((0, 1)), &b, 1.0)).shape(), [0, 70]);
}

#[test]
fn every_element_type_comes_in_and_out() {
    if !on_cpu() {
        return;
    }
    let bools = gpu::array(&[true, false, true]);
    let result = gpu::map(
        all_types,
        (
            &bools,
            &gpu::array(&[1u8, 2, 3]),
            -10,
            &gpu::array(&[4u32]),
            &gpu::array(&[5i64, 6, 7]),
            8,
            0.5,
            &gpu::array(&[0.25, 0.5, 0.75]),
        ),
    );
    assert_eq!(result.to_host(), ndarray::arr1(&[9.75, 11.0, 14.25]).into_dyn());
    assert_eq!(
        gpu::map(choose, (&bools, &gpu::array(&[1u8, 2, 3]), 9)).to_host(),
        ndarray::arr1(&[1u8, 9, 3]).into_dyn()
    );
    assert_eq!(gpu::map(choose, (&bools.slice(s![..;-2]), false as u8, 7)).sum(), 0u64);
}

fn check<T>(result: gpu::Result<T>, expected: Expect) {
    let Err(error) = result else { panic!("no error") };
    expected.assert_eq(&error.to_string());
}

#[test]
fn errors_name_what_to_do() {
    if !on_cpu() {
        return;
    }
    let (a, b) = (gpu::zeros::<f32>(2), gpu::zeros::<f32>(3));
    check(
        gpu::try_map(plain, &a),
        expect!["map: the function `plain` cannot run over arrays; write `#[vectorize]` before its `fn`"],
    );
    check(
        gpu::try_map(|x: f32| x, &a),
        expect![
            "map: a closure cannot run over arrays; write a function with `#[vectorize]` before it and give its name"
        ],
    );
    check(
        gpu::try_map(plain as fn(f32) -> f32, &a),
        expect!["map: `fn(f32) -> f32` is a pointer to a function; give the function itself, by its name"],
    );
    check(
        gpu::try_map(scaled_difference, (&a, &b, 1.0)),
        expect![
            "map: the shapes [2] and [3] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
}

#[test]
fn a_device_without_rust_functions_says_so() {
    if on_cpu() {
        return;
    }
    let error = gpu::try_map(polynomial, gpu::zeros::<f64>(2)).err().unwrap().to_string();
    assert!(error.contains("polynomial`") && error.contains("WARPCELL_DEVICE=cpu"), "{error}");
}

#[vectorize]
fn fails_on_seven(x: i32) -> i32 {
    assert!(x != 7, "seven was given");
    x
}

#[vectorize]
fn uses_arrays(x: f32) -> f32 {
    gpu::full(2, x).sum()
}

#[test]
fn panics_of_the_function_are_the_callers() {
    if !on_cpu() {
        return;
    }
    let text = |work: &dyn Fn()| {
        let payload = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
        payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string()))
    };
    for size in [10i32, 100_000] {
        let a = gpu::arange(size);
        assert_eq!(text(&|| drop(gpu::map(fails_on_seven, &a))).as_deref(), Some("seven was given"));
        assert_eq!(gpu::map(fails_on_seven, &(&a + 8)).size(), size as usize, "the device goes on");
    }
    let message = text(&|| drop(gpu::map(uses_arrays, gpu::zeros::<f32>(3)))).unwrap();
    assert!(message.contains("cannot use arrays"), "{message}");
    assert_eq!(gpu::zeros::<f32>(3).sum(), 0.0);
}

#[test]
fn functions_called_from_parallel_code_do_not_wait_for_one_another() {
    if !on_cpu() {
        return;
    }
    let a = gpu::arange(20_000.0);
    let expected = gpu::map(polynomial, &a).to_host();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(gpu::map(polynomial, &a).to_host(), expected));
        }
    });
}
