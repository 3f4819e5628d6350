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
    let mut divisor = 2;
    while divisor * divisor <= n {
        if n % divisor == 0 {
            return false;
        }
        divisor += 1;
    }
    n > 1
}

#[device]
#[derive(Clone, Copy)]
struct Bend {
    at: f64,
    slopes: [f64; 2],
    is_mirrored: bool,
}

#[vectorize]
fn bent(x: f64, bend: Bend, offset: f64) -> f64 {
    let slope = bend.slopes[if x < bend.at { 0 } else { 1 }];
    let y = bend.slopes[0] * bend.at + slope * (x - bend.at) + offset;
    if bend.is_mirrored { -y } else { y }
}

#[device]
#[derive(Clone, Copy)]
struct Powers([f32; 3]);

#[vectorize]
fn two_structs(bend: Bend, n: i32, powers: Powers) -> (f32, bool) {
    (powers.0[n as usize % 3], n as f64 > bend.at)
}

#[device]
#[derive(Clone, Copy)]
struct Wide([f64; 400]);

#[vectorize]
fn looks_up(n: i32, wide: Wide) -> f64 {
    wide.0[n as usize]
}

#[test]
fn structs_are_the_same_for_all_elements() {
    // All products and sums are exact, also where they are contracted.
    let bend = Bend { at: 2.5, slopes: [0.5, -3.0], is_mirrored: true };
    let x = Array2::from_shape_fn((700, 3), |(i, j)| (i as f64 - 300.0) / 64.0 + j as f64);
    let offset = ndarray::arr1(&[0.0, 0.5, 1.0]);
    let expected = |bend: Bend| Zip::from(&x).and_broadcast(&offset).map_collect(|&x, &offset| bent(x, bend, offset));
    let (a, b) = (gpu::asarray(&x), gpu::asarray(&offset));
    assert_eq!(gpu::map(bent, (&a, bend, &b)).to_host(), expected(bend).into_dyn());
    // Of arrays with gaps, into an array that is there, reduced, and over host arrays.
    assert_eq!(gpu::map(bent, (&a.t(), bend, 0.25)).get(&[1, 699]), bent(x[[699, 1]], bend, 0.25));
    let mut out = gpu::zeros::<f64>((700, 3));
    gpu::map_into(bent, (&a, bend, &b), &mut out);
    assert_eq!(out.to_host(), expected(bend).into_dyn());
    let total = gpu::map_reduce(bent, gpu::reduction::Sum, (&a, bend, &b)).item();
    assert_eq!(total, expected(bend).sum());
    assert_eq!(gpu::map_host(bent, (&x, bend, &offset)), expected(bend).into_dyn());
    assert_eq!(gpu::host::map(bent, (&x, bend, &offset)), expected(bend).into_dyn());
    // Several, and results of several types.
    let powers = Powers([1.0, 2.5, 6.25]);
    let (power, above) = gpu::map(two_structs, (bend, &gpu::arange(7), powers));
    assert_eq!(power.to_host(), ndarray::arr1(&[1.0f32, 2.5, 6.25, 1.0, 2.5, 6.25, 1.0]).into_dyn());
    assert_eq!(above.to_host(), ndarray::arr1(&[false, false, false, true, true, true, true]).into_dyn());
    // Nothing but values, and a graph, which keeps the struct.
    assert_eq!(gpu::map(bent, (1.0, bend, 0.0)).item(), bent(1.0, bend, 0.0));
    let other = Bend { is_mirrored: false, ..bend };
    let graph = gpu::Graph::capture(|| gpu::map_into(bent, (&a, other, &b), &mut out));
    graph.launch();
    assert_eq!(out.to_host(), expected(other).into_dyn());
    let wide = Wide([0.5; 400]);
    expect!["map: the structs for `looks_up` have 3200 bytes, but at most 2560 are allowed; pass large arrays as a `View` of a kernel: `gpu::array(&values)`"]
        .assert_eq(&gpu::try_map(looks_up, (&gpu::arange(3), wide)).unwrap_err().to_string());
}

#[vectorize]
fn choose(first: bool, a: u8, b: u8) -> u8 {
    if first { a } else { b }
}

#[vectorize]
#[allow(clippy::too_many_arguments)]
fn all_types(a: bool, b: u8, c: i32, d: u32, e: i64, f: u64, g: f32, h: f64) -> f64 {
    a as u8 as f64 + b as f64 + c as f64 + d as f64 + e as f64 + f as f64 + g as f64 + h
}

#[vectorize]
fn narrow(a: i8, b: u16, c: i16) -> (i8, u16, i16) {
    (a.wrapping_mul(3), b / 2, c.saturating_sub(a as i16))
}

#[vectorize]
fn divided(x: i32, y: i32) -> (i32, bool) {
    (x / y, x % y == 0)
}

#[device]
fn larger(x: f32, y: f32) -> (f32, u8) {
    if x > y { (x, 0) } else { (y, 1) }
}

const ORIGIN: Point = Point { x: 1.0, weights: [0.5, 2.0] };

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    weights: [f32; 2],
}

#[vectorize]
fn weighted(x: f32, y: f32) -> (f32, u8, f64) {
    let (value, which) = larger(x - ORIGIN.x, y);
    let point = Point { x: value, ..ORIGIN };
    (point.x * point.weights[which as usize], which, f64::MAX)
}

fn plain(x: f32) -> f32 {
    x
}

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

/// The same numbers; on CUDA devices, where products and sums are contracted, but for the last bits.
fn assert_same(found: &ArrayD<f64>, expected: &ArrayD<f64>) {
    if on_cpu() {
        assert_eq!(found, expected);
    }
    assert_eq!(found.shape(), expected.shape());
    for (&found, &expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} instead of {expected}");
    }
}

#[test]
fn integers_of_8_and_16_bits() {
    let (a, b) = (gpu::array(&[-1i8, 100, i8::MIN]), gpu::array(&[1u16, 60_001, u16::MAX]));
    let (a3, half, difference) = gpu::map(narrow, (&a, &b, 32_767i16));
    assert_eq!(a3.to_host().as_slice().unwrap(), [-3, 44, -128]);
    assert_eq!(half.to_host().as_slice().unwrap(), [0, 30_000, 32_767]);
    assert_eq!(difference.to_host().as_slice().unwrap(), [32_767, 32_667, 32_767]);
    let doubled = gpu::map(gpu::fuse!(|x: u16| x.wrapping_mul(2)), &b);
    assert_eq!(doubled.to_host().as_slice().unwrap(), [2, 54_466, 65_534]);
    assert_eq!(gpu::map_reduce(gpu::fuse!(|x: i8| x / 2), gpu::reduction::Sum, &a).item(), -14);
}

#[test]
fn one_array_gives_what_mapv_gives() {
    for a in arrays() {
        assert_same(&gpu::map(polynomial, gpu::asarray(&a)).to_host(), &a.mapv(polynomial));
        assert_same(&gpu::map(polynomial, (gpu::asarray(&a),)).to_host(), &a.mapv(polynomial));
    }
    let n = gpu::arange(10_000i64);
    let primes: gpu::DeviceArray<bool> = gpu::map(is_prime, &n);
    assert_eq!(primes.sum(), 1229, "the number of primes below 10,000");
}

#[test]
fn views_of_any_strides_are_read() {
    let host = Array2::from_shape_fn((70, 90), |(i, j)| (i * 90 + j) as f64 / 1000.0);
    let a = gpu::asarray(&host);
    let cases = [
        (a.t(), host.t().to_owned()),
        (a.slice(s![..;-1, ..]), host.slice(s![..;-1, ..]).to_owned()),
        (a.slice(s![3..61;2, 5..;7]), host.slice(s![3..61;2, 5..;7]).to_owned()),
        (a.slice(s![.., 4..5]), host.slice(s![.., 4..5]).to_owned()),
    ];
    for (view, host) in cases {
        assert_same(&gpu::map(polynomial, &view).to_host(), &host.mapv(polynomial).into_dyn());
    }
}

#[test]
fn several_arrays_broadcast_as_in_zip() {
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

#[test]
fn a_tuple_of_results_is_a_tuple_of_arrays() {
    let x = gpu::array(&[[7, 8], [-9, 4]]);
    let (quotients, whole) = gpu::map(divided, (&x.t(), 4));
    assert_eq!(quotients.to_host(), ndarray::arr2(&[[1, -2], [2, 1]]).into_dyn());
    assert_eq!(whole.to_host(), ndarray::arr2(&[[false, false], [true, true]]).into_dyn());
    let (value, which, most) = gpu::map(weighted, (&gpu::array(&[3.0f32, 1.0]), 1.0));
    assert_eq!(value.to_host(), ndarray::arr1(&[1.0f32, 2.0]).into_dyn());
    assert_eq!((which.get(&[1]), most.get(&[0])), (1, f64::MAX));
    assert_eq!(weighted(3.0, 1.0), (1.0, 0, f64::MAX));
}

#[test]
fn results_go_into_arrays_that_are_there() {
    let a = gpu::arange(12.0f32).reshape((3, 4));
    let mut out = gpu::zeros::<f32>((4, 3));
    gpu::map_into(scaled_difference, (&a.t(), 1.0, 2.0), &mut out);
    assert_eq!(out.to_host(), gpu::map(scaled_difference, (&a.t(), 1.0, 2.0)).to_host());
    // A view with strides, an array without elements, and scalars alone.
    let mut columns = out.slice(s![.., ..;-2]);
    gpu::map_into(scaled_difference, (5.0, 2.0, 1.0), &mut columns);
    assert_eq!(out.slice(s![.., 0]).to_host(), ndarray::arr1(&[9.0f32; 4]).into_dyn());
    assert_eq!(out.get(&[0, 1]), 18.0);
    gpu::map_into(scaled_difference, (&gpu::zeros::<f32>(0), 2.0, 1.0), &mut gpu::zeros::<f32>(0));
    let (mut quotients, mut whole) = (gpu::zeros::<i32>(2), gpu::zeros::<bool>(2));
    gpu::map_into(divided, (&gpu::array(&[6, 9]), 2), (&mut quotients, &mut whole));
    assert_eq!((quotients.sum(), whole.sum()), (7, 1));
}

#[test]
fn what_is_written_to_may_be_what_is_read() {
    for size in [5usize, 100_000] {
        let start = gpu::arange(size as f32);
        let expected = gpu::map(scaled_difference, (&start, 1.0, 0.5)).to_host();
        let mut a = start.copy();
        let same = a.clone();
        gpu::map_into(scaled_difference, (&same, 1.0, 0.5), &mut a);
        assert_eq!(a.to_host(), expected, "the very elements");
        let mut a = start.copy();
        let reversed = a.slice(s![..;-1]);
        gpu::map_into(scaled_difference, (&reversed, 1.0, 0.5), &mut a);
        assert_eq!(a.slice(s![..;-1]).to_host(), expected, "the elements in another order");
        let a = start.copy();
        let (first, rest) = (a.slice(s![0..1]), a.slice(s![1..]));
        gpu::map_into(scaled_difference, (&first, &rest, 1.0), &mut a.slice(s![..-1]));
        assert_eq!(a.get(&[size - 2]), ((size - 1) * (size - 1)) as f32, "an element that is repeated");
    }
    let both = gpu::arange(4);
    let (mut quotients, whole) = (both.clone(), &mut gpu::zeros::<bool>(4));
    gpu::map_into(divided, (&both, 2), (&mut quotients, whole));
    assert_eq!(both.to_host(), ndarray::arr1(&[0, 0, 1, 1]).into_dyn());
}

#[test]
fn a_target_of_another_shape_is_an_error() {
    let a = gpu::zeros::<f32>((2, 3));
    check(
        gpu::try_map_into(scaled_difference, (&a, 1.0, 1.0), &mut gpu::zeros::<f32>(3)),
        expect![
            "map_into: the shape [3] of the target differs from the shape of the results, [2, 3]; give a target of that shape"
        ],
    );
    let mut narrow = gpu::zeros::<f32>((2, 1)).broadcast_to((2, 3));
    check(
        gpu::try_map_into(scaled_difference, (&a, 1.0, 1.0), &mut narrow),
        expect!["map_into: the target is a broadcast view, whose elements repeat; write to a `copy()` of it"],
    );
    check(
        gpu::try_map(larger, (&a, 1.0)),
        expect![
            "map: the function `larger` has `#[device]` before it, so only other functions can call it; write `#[vectorize]` instead: then it also runs over arrays"
        ],
    );
}

#[test]
fn host_arrays_go_to_the_device_and_back_or_stay() {
    let column = Array2::from_shape_fn((40, 1), |(i, _)| i as f32);
    let row: Vec<f32> = (0..150).map(|j| j as f32 / 2.0).collect();
    let device = gpu::map(scaled_difference, (&gpu::asarray(&column), &gpu::asarray(&row), 2.0)).to_host();
    assert_eq!(gpu::map_host(scaled_difference, (&column, &row, 2.0)), device);
    assert_eq!(gpu::host::map(scaled_difference, (&column, &row, 2.0)), device);
    let turned = column.t();
    assert_eq!(gpu::host::map(scaled_difference, (&turned.slice(s![.., ..;-3]), 1.0, 2.0)).shape(), [1, 14]);
    let (quotients, whole) = gpu::host::map(divided, (&[4, 5, 6], &[2, 2, 4]));
    assert_eq!((quotients, whole), gpu::map_host(divided, (&[4, 5, 6], &[2, 2, 4])));
    assert_eq!(gpu::host::map(polynomial, &array![2.0]), array![0.5].into_dyn());
    assert_eq!(gpu::host::map(scaled_difference, (3.0, 1.0, 1.0)), ndarray::arr0(4.0f32).into_dyn());
    assert!(gpu::host::map(polynomial, &Array1::<f64>::zeros(0)).is_empty());
    check(
        gpu::host::try_map(scaled_difference, (&column, &[1.0f32; 3], &[1.0f32; 2])),
        expect![
            "map: the shapes [40, 3] and [2] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
}

fn check<T>(result: gpu::Result<T>, expected: Expect) {
    let Err(error) = result else { panic!("no error") };
    expected.assert_eq(&error.to_string());
}

#[test]
fn errors_name_what_to_do() {
    let (a, b) = (gpu::zeros::<f32>(2), gpu::zeros::<f32>(3));
    check(
        gpu::try_map(plain, &a),
        expect!["map: the function `plain` cannot run over arrays; write `#[vectorize]` before its `fn`"],
    );
    check(
        gpu::try_map(|x: f32| x, &a),
        expect![
            "map: a closure cannot run over arrays; write it as `gpu::fuse!(|x: f32| …)`, or write a function with `#[vectorize]` before it and give its name"
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

#[vectorize]
fn fails_on_seven(x: i32) -> i32 {
    assert!(x != 7, "seven was given");
    x
}

fn total(x: f32) -> f32 {
    gpu::full(2, x).sum()
}

/// What `#[device]` writes beside a function: without it the compiler refuses the call below.
#[allow(non_camel_case_types)]
struct total {}

#[vectorize]
fn uses_arrays(x: f32) -> f32 {
    total(x)
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
    let a = gpu::arange(20_000.0);
    let expected = gpu::map(polynomial, &a).to_host();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(gpu::map(polynomial, &a).to_host(), expected));
        }
    });
}

#[vectorize]
fn half_step(x: f16, y: f16, scale: f32) -> f16 {
    let step = (x - y) * f16::from_f32(scale);
    if step < f16::ZERO { -step } else { step }
}

#[vectorize]
fn brain_root(x: bf16) -> (bf16, bool) {
    (bf16::from_f32(x.to_f32().sqrt()), x.is_nan())
}

#[test]
fn floats_of_16_bits() {
    let x = gpu::linspace(-4.0f32, 4.0, 1000).astype::<f16>();
    let y = gpu::full(1000, f16::from_f32(0.5));
    let by_hand: Vec<f16> = x.to_host().iter().map(|&x| half_step(x, f16::from_f32(0.5), 0.25)).collect();
    assert_eq!(gpu::map(half_step, (&x, &y, 0.25)).to_host().iter().copied().collect::<Vec<_>>(), by_hand);
    assert_eq!(
        gpu::map(half_step, (&x, f16::from_f32(0.5), 0.25)).to_host().iter().copied().collect::<Vec<_>>(),
        by_hand
    );
    let (roots, lost) = gpu::map(brain_root, &gpu::array(&[4.0f32, 2.0, f32::NAN]).astype::<bf16>());
    assert_eq!(roots.to_host().iter().map(|root| root.to_f32()).take(2).collect::<Vec<_>>(), [2.0, 1.4140625]);
    assert_eq!(lost.to_host().iter().copied().collect::<Vec<_>>(), [false, false, true]);
    let factor = f16::from_f32(2.0);
    let twice = fuse!(|x: f16| x * factor);
    assert_eq!(gpu::map(twice, &x).to_host(), (&x * 2.0).to_host());
}

/// How often Mandelbrot's iteration goes on.
#[vectorize]
fn escape(c: Complex<f64>, most: i32) -> i32 {
    let mut z = Complex::new(0.0, 0.0);
    for step in 0..most {
        if z.norm_sqr() > 4.0 {
            return step;
        }
        z = z * z + c;
    }
    most
}

#[vectorize]
fn moebius(z: Complex32, a: Complex<f32>, scale: f32) -> (Complex32, f32, bool) {
    const SHIFT: Complex32 = Complex32::new(0.5, -0.25);
    let Complex { re, im } = z;
    let mut w = (2.0 * z - a) / (z * a.conj() + 9.0) + Complex { im: re, re: -im };
    w *= scale;
    w -= SHIFT;
    w.im += 1.0;
    (w.exp() * Complex::I, w.norm(), w != z)
}

#[test]
fn complex_numbers() {
    let x = gpu::linspace(-2.0, 0.5, 300).reshape((1, 300));
    let y = gpu::linspace(-1.2, 1.2, 200).reshape((200, 1));
    let c = gpu::map(fuse!(|x: f64, y: f64| Complex::new(x, y)), (&x, &y));
    assert_eq!(c.shape(), [200, 300]);
    let steps = gpu::map(escape, (&c, 50));
    let host = c.to_host();
    assert_eq!(steps.to_host(), host.mapv(|c| escape(c, 50)));
    assert!(steps.sum() > 300_000, "some points stay");

    let z = gpu::linspace(-3.0f32, 3.0, 1001).astype::<Complex<f32>>() * Complex::new(0.6f32, 0.8);
    let (results, sizes, differ) = gpu::map(moebius, (&z, Complex::new(0.3, 0.4), 1.5));
    for (index, &z) in z.to_host().iter().enumerate() {
        let (result, size, differs) = moebius(z, Complex::new(0.3, 0.4), 1.5);
        let found = results.get(&[index]);
        assert!(
            result.is_finite() && (found - result).norm() <= 1e-5 * (1.0 + result.norm()),
            "{found} is not {result}"
        );
        assert!((sizes.get(&[index]) - size).abs() <= 1e-5 * (1.0 + size));
        assert_eq!(differ.get(&[index]), differs);
    }

    let factor = Complex::new(0.0, 2.0);
    let turned = gpu::map(fuse!(|z: Complex<f64>| z * factor), &c);
    assert_eq!(turned.to_host(), host.mapv(|z| z * factor));
    let by_hand: Complex<f64> = host.iter().map(|z| z * z).sum();
    for total in [
        gpu::map(fuse!(|z: Complex<f64>| sum(z * z)), &c).item(),
        gpu::map_reduce(fuse!(|z: Complex<f64>| z * z), gpu::reduction::Sum, &c).item(),
        gpu::map_host(fuse!(|z: Complex<f64>| sum(z * z)), &host).first().copied().unwrap(),
    ] {
        assert!((total - by_hand).norm() < 1e-9 * by_hand.norm());
    }
}
