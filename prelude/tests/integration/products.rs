//! Products of vectors, matrices and arrays of more axes: as NumPy, in every order of the elements in memory.

use crate::complex::{ComplexSample, assert_near, complex_device, complex_host};
use crate::fixtures::{Sample, assert_same, cases, device, host, with_dtype};
use expect_test::{Expect, expect};
use serde_json::Value;
use warpcell as gpu;
use warpcell::ndarray::{Array2, ArrayD, Ix1, Ix2, arr1, array};
use warpcell::prelude::*;
use warpcell::{Complex, DType, DeviceArray, Element, Error, Inexact, Number, bf16, f16};

/// The same elements in other orders in memory: as they are, column-major, backwards, every other one.
fn orders<T: Element>(x: &DeviceArray<T>) -> Vec<DeviceArray<T>> {
    let every: Vec<usize> = (0..x.ndim()).collect();
    let mut all = vec![x.clone(), x.t().copy().t()];
    if x.ndim() > 0 {
        all.push(gpu::flip(&gpu::flip(x, every.clone()).copy(), every));
        all.push(gpu::repeat(x, 2, -1).moveaxis(-1, 0).slice(s![..;2]).moveaxis(0, -1));
    }
    all
}

fn whole<T: Element>(value: T) -> ArrayD<T> {
    ArrayD::from_elem(vec![], value)
}

fn axes(value: &Value) -> Vec<isize> {
    value.as_array().unwrap().iter().map(|axis| axis.as_i64().unwrap() as isize).collect()
}

/// What a case's function gives; it takes all element types.
fn outcome<T: Element>(case: &Value, a: &DeviceArray<T>, b: &DeviceArray<T>) -> ArrayD<T> {
    match case["name"].as_str().unwrap() {
        "matmul" => gpu::matmul(a, b).to_host(),
        "dot" => whole(gpu::dot(a, b)),
        "vdot" => whole(gpu::vdot(a, b)),
        "inner" => gpu::inner(a, b).to_host(),
        "outer" => gpu::outer(a, b).to_host(),
        "kron" => gpu::kron(a, b).to_host(),
        "tensordot" => match case["axes"].as_u64() {
            Some(count) => gpu::tensordot(a, b, count as usize).to_host(),
            None => gpu::tensordot(a, b, (axes(&case["axes"][0]), axes(&case["axes"][1]))).to_host(),
        },
        other => panic!("no test for {other}"),
    }
}

#[test]
fn products() {
    fn check<T: Sample>(case: &Value) {
        let expected = host::<T>(case, "expected");
        let (a, b) = (device::<T>(case, "a"), device::<T>(case, "b"));
        for (left, right) in orders(&a).iter().zip(&orders(&b)) {
            assert_same(&outcome(case, left, right), &expected, 0.0, case);
        }
        assert_same(&outcome(case, &a.t().copy().t(), &b), &expected, 0.0, case);
        assert_same(&outcome(case, &a, &b.t().copy().t()), &expected, 0.0, case);
    }
    fn on_host<T: Sample + Number>(case: &Value) {
        let (a, b, expected) = (host::<T>(case, "a"), host::<T>(case, "b"), host::<T>(case, "expected"));
        if let (Ok(a), Ok(b)) = (a.view().into_dimensionality::<Ix2>(), b.view().into_dimensionality::<Ix2>()) {
            assert_same(&gpu::host::matmul(&a, &b).into_dyn(), &expected, 0.0, case);
            let spread = warpcell::ndarray::concatenate![Axis(0), a, a];
            let spread = spread.slice(s![..a.nrows(), ..;-1]);
            assert_same(&gpu::host::matmul(&spread, &b.slice(s![..;-1, ..])).into_dyn(), &expected, 0.0, case);
        } else if let (Ok(a), Ok(b), "dot") =
            (a.into_dimensionality::<Ix1>(), b.into_dimensionality::<Ix1>(), case["name"].as_str().unwrap())
        {
            assert_same(&whole(gpu::host::dot(&a, &b)), &expected, 0.0, case);
            assert_same(&whole(gpu::host::dot(&a.slice(s![..;-1]), &b.slice(s![..;-1]))), &expected, 0.0, case);
        }
    }
    for case in cases("products") {
        if case["name"] == "trace" || case["name"] == "einsum" {
            continue;
        }
        with_dtype!(case["a"]["dtype"], [u8 i32 u32 i64 u64 f32 f64 bool], check(case));
        if (case["name"] == "dot" || case["name"] == "matmul") && case["a"]["dtype"] != "bool" {
            with_dtype!(case["a"]["dtype"], [u8 i32 u32 i64 u64 f32 f64], on_host(case));
        }
    }
}

#[test]
fn products_of_complex_numbers() {
    fn check<T: ComplexSample + Inexact + Element<Sum = T>>(case: &Value, epsilon: f64) {
        let expected = complex_host::<T>(case, "expected");
        let array = |name: &str| complex_device::<T>(case, name);
        // Sums of products are exact, quotients are not.
        let relative = case["relative"].as_f64().unwrap_or(0.0) * epsilon;
        let same = |actual: ArrayD<T>| assert_near(&actual, &expected, (relative, 1.0), case);
        let one = |value: &Value| value.as_i64().expect("an integer");
        match case["name"].as_str().unwrap() {
            "trace" => orders(&array("a")).iter().for_each(|a| same(whole(gpu::trace(a)))),
            "inv" => orders(&array("a")).iter().for_each(|a| same(gpu::linalg::inv(a).to_host())),
            "matrix_power" => orders(&array("a"))
                .iter()
                .for_each(|a| same(gpu::linalg::matrix_power(a, one(&case["exponent"])).to_host())),
            "solve" => {
                for (a, b) in orders(&array("a")).iter().zip(&orders(&array("b"))) {
                    same(gpu::linalg::solve(a, b).to_host());
                }
            }
            "einsum" => {
                let names = ["a", "b", "c"].into_iter().filter(|name| !case[*name].is_null());
                let arrays: Vec<DeviceArray<T>> = names.map(array).collect();
                for order in 0..orders(&arrays[0]).len() {
                    let turned: Vec<_> = arrays
                        .iter()
                        .map(|array| {
                            let all = orders(array);
                            all[order % all.len()].clone()
                        })
                        .collect();
                    same(gpu::einsum(case["notation"].as_str().unwrap(), &turned).to_host());
                }
            }
            _ => {
                for left in orders(&array("a")) {
                    orders(&array("b")).iter().for_each(|right| same(outcome(case, &left, right)));
                }
            }
        }
    }
    for case in cases("complex_products") {
        match case["a"]["dtype"].as_str() {
            Some("Complex<f32>") => check::<Complex<f32>>(case, f32::EPSILON.into()),
            _ => check::<Complex<f64>>(case, f64::EPSILON),
        }
    }
}

/// Above all thresholds: several threads, and vectors that are cut into tasks.
#[test]
fn large_complex_products_are_those_of_their_parts() {
    fn check<T: ComplexSample + Inexact>(of: impl Fn(Complex<f64>) -> T, epsilon: f64) {
        let numbers = |rows: usize, columns: usize, seed: usize| {
            let part = |seed| self::numbers(rows, columns, seed);
            ndarray::Zip::from(&part(seed)).and(&part(seed + 7)).map_collect(|&re, &im| Complex::new(re, im))
        };
        for (rows, inner, columns) in [(150, 300, 170), (1, 5000, 3), (400, 700, 1), (1, 200_000, 1), (5, 1, 6)] {
            let (a, b) = (numbers(rows, inner, 1), numbers(inner, columns, 2));
            let expected = a.dot(&b);
            let (on_a, on_b) = (gpu::asarray(&a.mapv(&of)), gpu::asarray(&b.mapv(&of)));
            let bound = epsilon * 4.0 * (inner as f64).sqrt() * inner as f64;
            let near = |found: ArrayD<T>, expected: &Array2<Complex<f64>>| {
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found.wide() - expected).norm() <= bound, "{rows} {inner} {columns}: {found}, {expected}");
                }
            };
            for (a, b) in orders(&on_a).iter().zip(&orders(&on_b)) {
                near(gpu::matmul(a, b).to_host(), &expected);
            }
            if rows * columns == 1 {
                let (row, column) = (on_a.ravel(), on_b.ravel());
                near(whole(gpu::dot(&row, &column)), &expected);
                near(whole(gpu::vdot(&row, &column)), &a.mapv(|z| z.conj()).dot(&b));
                let every_other = gpu::vdot(&row.slice(s![..;-2]), &row.slice(s![..;-2])).wide();
                let squares: f64 = a.row(0).iter().rev().step_by(2).map(Complex::norm_sqr).sum();
                assert!((every_other - squares).norm() <= bound && every_other.im.abs() <= bound, "{every_other}");
            }
        }
    }
    check(|z| z, f64::EPSILON);
    check(|z| Complex::new(z.re as f32, z.im as f32), f32::EPSILON.into());
}

#[test]
fn complex_systems_without_a_solution_are_errors() {
    let i = Complex::new(0.0, 1.0);
    let a = gpu::array(&[[1.0 + i, 2.0 * i], [2.0 + 2.0 * i, 4.0 * i]]);
    for found in [gpu::linalg::try_inv(&a), gpu::linalg::try_solve(&a, &a)] {
        assert!(matches!(found, Err(Error::SingularMatrix { pivot: 2, matrix: None, .. })), "{found:?}");
    }
    assert_eq!(gpu::linalg::matrix_power(&gpu::array(&[[i]]), -3).item(), i);
    // What is for storage is multiplied, too.
    assert_eq!(
        gpu::linalg::matrix_power(&gpu::array(&[[2i8, 0], [0, 1]]), 3).to_host(),
        array![[8i8, 0], [0, 1]].into_dyn()
    );
}

#[test]
fn traces() {
    fn check<T: Sample + Element<Sum: Sample>>(case: &Value) {
        let a = device::<T>(case, "a");
        for a in orders(&a) {
            if T::DTYPE == DType::Bool {
                // NumPy counts in i64, we in u64.
                assert_eq!(gpu::trace(&a).to_string(), host::<i64>(case, "expected").first().unwrap().to_string());
            } else {
                assert_same(&whole(gpu::trace(&a)), &host(case, "expected"), 0.0, case);
            }
        }
    }
    for case in cases("products") {
        if case["name"] == "trace" {
            with_dtype!(case["a"]["dtype"], [u8 i32 u32 i64 u64 f32 f64 bool], check(case));
        }
    }
}

#[test]
fn sums_by_notation() {
    fn check<T: Sample>(case: &Value) {
        let expected = host::<T>(case, "expected");
        let arrays: Vec<DeviceArray<T>> =
            ["a", "b", "c"].iter().filter(|name| !case[**name].is_null()).map(|name| device(case, name)).collect();
        let notation = case["notation"].as_str().unwrap();
        assert_same(&gpu::einsum(notation, &arrays).to_host(), &expected, 0.0, case);
        for order in 0..orders(&arrays[0]).len() {
            let turned: Vec<DeviceArray<T>> = arrays
                .iter()
                .map(|array| {
                    let all = orders(array);
                    all[order % all.len()].clone()
                })
                .collect();
            assert_same(&gpu::einsum(notation, &turned).to_host(), &expected, 0.0, case);
        }
    }
    for case in cases("products") {
        if case["name"] == "einsum" {
            with_dtype!(case["a"]["dtype"], [u8 i32 f32 f64 bool], check(case));
        }
    }
}

#[test]
fn notations_that_do_not_fit() {
    let (a, b) = (gpu::zeros::<f64>((2, 3)), gpu::zeros::<f64>((2, 4)));
    fails(
        gpu::try_einsum("ij,jk->ik", [&a, &b]),
        expect![
            "einsum: axis 1 of the shape [2, 3] has length 3, but axis 0 of the shape [2, 4] has length 2; these axes have the same name, so they must have the same length, or one of them length 1; use another name, or slice or reshape one of the arrays"
        ],
    );
    fails(
        gpu::try_einsum("ii->i", [&a]),
        expect![
            "einsum: axis 0 of the shape [2, 3] has length 2, but axis 1 of the shape [2, 3] has length 3; these axes have the same name, so they must have the same length, or one of them length 1; use another name, or slice or reshape one of the arrays"
        ],
    );
    fails(
        gpu::try_einsum("ij,jk->ik", [&a]),
        expect![
            "einsum: `ij,jk->ik` names 2 arrays, but 1 are given; write one term for each array, with commas between \
             them"
        ],
    );
    fails(
        gpu::try_einsum("ijk->i", [&a]),
        expect!["einsum: `ijk->i` names 3 axes, `ijk`, for an array with 2 axes; write one letter for each axis"],
    );
    fails(
        gpu::try_einsum("i...jk->i", [&a]),
        expect!["einsum: `i...jk->i` names 3 axes, `i...jk`, for an array with 2 axes; write one letter for each axis"],
    );
    fails(
        gpu::try_einsum("ij->ik", [&a]),
        expect!["einsum: `ij->ik` names `k` in the result, but no array has this axis; name only axes of the arrays"],
    );
    fails(gpu::try_einsum("ij->ii", [&a]), expect!["einsum: `ij->ii` names `i` twice in the result; name it once"]);
    fails(
        gpu::try_einsum("...j->j", [&a]),
        expect!["einsum: `...j->j` does not say where the axes of `...` are in the result; write `...` after `->` too"],
    );
    fails(
        gpu::try_einsum("i2->i", [&a]),
        expect!["einsum: `i2->i` has `2` for an axis; use letters, commas, `...` and one `->`"],
    );
}

/// Numbers that look random, from -1 to 1.
fn numbers(rows: usize, columns: usize, seed: usize) -> Array2<f64> {
    let number = |(row, column)| ((row * 7919 + column * 104_729 + seed) % 2003) as f64 / 1001.0 - 1.0;
    Array2::from_shape_fn((rows, columns), number)
}

#[test]
fn large_matrices_are_right_to_the_bound_that_is_documented() {
    for (rows, inner, columns) in [(300, 700, 400), (1, 3000, 500), (900, 1000, 1), (1025, 64, 513), (3, 40_000, 5)] {
        let (a, b) = (numbers(rows, inner, 1), numbers(inner, columns, 2));
        let (expected, scale) = (a.dot(&b), a.mapv(f64::abs).dot(&b.mapv(f64::abs)));
        let near = |found: Array2<f64>, epsilon: f64, what: &str| {
            for ((index, found), scale) in found.indexed_iter().zip(&scale) {
                let off = (found - expected[index]).abs();
                assert!(off <= epsilon * inner as f64 * scale, "{what} {rows} {inner} {columns}: {off} at {index:?}");
            }
        };
        for (a_view, b_view) in [(a.view(), b.view()), (a.t().to_owned().t(), b.t().to_owned().t())] {
            let (on_a, on_b) = (gpu::asarray(&a_view), gpu::asarray(&b_view));
            near(gpu::matmul(&on_a, &on_b).to_host_as(), f64::EPSILON, "f64");
            near(gpu::matmul(&on_a.t().copy().t(), &on_b).to_host_as(), f64::EPSILON, "f64, columns");
            near(gpu::host::matmul(&a_view, &b_view), f64::EPSILON, "f64, host");
            let (on_a, on_b) = (on_a.astype::<f32>(), on_b.astype::<f32>());
            let found: Array2<f32> = gpu::matmul(&on_a, &on_b.t().copy().t()).to_host_as();
            near(found.mapv(f64::from), f64::from(f32::EPSILON), "f32");
        }
    }
}

#[test]
fn large_matrices_of_integers_are_exact() {
    fn check<T: Number>(rows: usize, inner: usize, columns: usize, of: impl Fn(i64) -> T) {
        let number = |seed: usize| move |(row, column): (usize, usize)| ((row * 31 + column * 17 + seed) % 23) as i64;
        let (a, b) =
            (Array2::from_shape_fn((rows, inner), number(3)), Array2::from_shape_fn((inner, columns), number(5)));
        let expected = a.dot(&b).mapv(&of);
        let (a, b) = (a.mapv(&of), b.mapv(&of));
        for turned in [false, true] {
            let (on_a, on_b) = (gpu::asarray(&a), gpu::asarray(&b));
            let on_a = if turned { on_a.t().copy().t() } else { on_a };
            let on_b = if turned { on_b.t().copy().t() } else { on_b };
            assert!(gpu::matmul(&on_a, &on_b).to_host_as::<Ix2>() == expected, "{rows} {inner} {columns} {turned}");
        }
        assert!(gpu::host::matmul(&a, &b) == expected, "{rows} {inner} {columns} on the host");
    }
    for (rows, inner, columns) in [(130, 300, 270), (1, 50_000, 3), (65, 17, 63), (3, 3, 1000), (200, 1, 200)] {
        check(rows, inner, columns, |value| value as u8);
        check(rows, inner, columns, |value| value as i32);
        check(rows, inner, columns, |value| value as u32);
        check(rows, inner, columns, |value| value);
        check(rows, inner, columns, |value| value as u64);
    }
}

#[test]
fn many_small_matrices_and_broadcast_ones() {
    let a = gpu::arange(6000.0).reshape((1000, 2, 3));
    let b = gpu::arange(12.0).reshape((3, 4));
    let many = gpu::matmul(&a, &b);
    let apart = gpu::matmul(&a, &b.broadcast_to((1000, 3, 4)).copy());
    assert!(many.to_host() == apart.to_host() && many.shape() == [1000, 2, 4]);
    // Neither side's matrices are equally far apart over all pairs.
    let (left, right) = (gpu::arange(36.0).reshape((6, 1, 2, 3)), gpu::arange(60.0).reshape((1, 5, 3, 4)));
    let all = gpu::matmul(&left, &right);
    for (i, j) in [(0, 0), (5, 4), (2, 3)] {
        let (a, b) = (left.slice(s![i, 0, .., ..]), right.slice(s![0, j, .., ..]));
        assert_eq!(all.slice(s![i, j, .., ..]).to_host(), gpu::matmul(&a, &b).to_host());
    }
    let backwards = gpu::matmul(&a.slice(s![..;-1, .., ..]), &b);
    assert_eq!(backwards.slice(s![0, .., ..]).to_host(), many.slice(s![999, .., ..]).to_host());
    // Rows that are repeated, and a matrix of one number.
    let row = gpu::array(&[1.0, 2.0, 3.0]).broadcast_to((2, 3));
    assert_eq!(gpu::matmul(&row, &b).to_host(), array![[32.0, 38.0, 44.0, 50.0], [32.0, 38.0, 44.0, 50.0]].into_dyn());
    let ones = gpu::ones::<f64>(()).broadcast_to((4, 5));
    assert_eq!(gpu::matmul(&ones, &ones.t()).sum(), 80.0);
}

#[test]
fn stacks_whose_first_axis_is_the_longest() {
    // Both factors are broadcast, so that the pairs along the second axis are not equally far apart with those along the first.
    fn check<T: Number>(longest: usize) {
        let a = (gpu::arange(longest as i64 * 6) % 7).astype::<T>().reshape((longest, 1, 2, 3));
        let b = (gpu::arange(2 * 12i64) % 5).astype::<T>().reshape((1, 2, 3, 4));
        let out = gpu::matmul(&a, &b);
        for (row, column) in (0..longest).flat_map(|row| [(row, 0), (row, 1)]) {
            let one = gpu::matmul(&a.slice(s![row, 0, .., ..]), &b.slice(s![0, column, .., ..]));
            assert_eq!(out.slice(s![row, column, .., ..]).to_host(), one.to_host(), "{} {row} {column}", T::DTYPE);
        }
    }
    for longest in [3, 40] {
        check::<i32>(longest);
        check::<u64>(longest);
        check::<f64>(longest);
        check::<f32>(longest);
    }
}

#[test]
fn types_for_storage_are_added_up_in_wider_ones() {
    let (a, b) = (gpu::array(&[[100i8, 100], [1, 2]]), gpu::array(&[[2i8, 1], [1, 0]]));
    assert_eq!(gpu::matmul(&a, &b).to_host(), array![[300i64 as i8, 100], [4, 1]].into_dyn());
    assert_eq!(gpu::dot(&gpu::array(&[200u16, 300]), &gpu::array(&[300u16, 100])), 24464);
    assert_eq!(gpu::outer(&gpu::array(&[2i16]), &gpu::array(&[3i16, -4])).to_host(), array![[6i16, -8]].into_dyn());
    // 3000 ones: f16 and bf16 themselves stop counting at 2048 and 256.
    let ones = gpu::ones::<f32>((2, 3000)).astype::<f16>();
    assert_eq!(gpu::matmul(&ones, &ones.t()).to_host(), Array2::from_elem((2, 2), f16::from_f32(3000.0)).into_dyn());
    let ones = gpu::ones::<f32>(512).astype::<bf16>();
    assert_eq!(
        (gpu::dot(&ones, &ones), gpu::matmul(&ones, &ones).item()),
        (bf16::from_f32(512.0), bf16::from_f32(512.0))
    );
}

#[test]
fn dot_does_not_lose_more_with_length() {
    let a = gpu::full(20_000_000, 0.57f32);
    let b = gpu::full(20_000_000, 0.58f32);
    let expected = 20e6 * f64::from(0.57f32) * f64::from(0.58f32);
    assert!((f64::from(gpu::dot(&a, &b)) / expected - 1.0).abs() < 1e-6);
    // Large terms that cancel, of which little is left.
    let (a, b) = (gpu::array(&[1e8f64, 1.0, -1e8]), gpu::array(&[1e8, 1.0, 1e8]));
    assert!((gpu::dot(&a, &b) - 1.0).abs() <= 1e16 * f64::EPSILON);
    let x = gpu::linspace(-1.0f64, 1.0, 100_001);
    let (whole, part) = (gpu::dot(&x, &x), gpu::dot(&x.slice(s![1..]), &x.slice(s![..100_000])));
    assert!((whole - 33334.0).abs() < 1.0 && (part - whole).abs() < 2.0);
    let (backwards, forwards) = (x.slice(s![..;-4]), x.slice(s![..;4]));
    assert!((gpu::dot(&backwards, &backwards) - gpu::dot(&forwards, &forwards)).abs() < 1e-9);
    assert!((gpu::dot(&backwards, &forwards) + gpu::dot(&forwards, &forwards)).abs() < 1e-9);
}

fn fails<T>(result: gpu::Result<T>, expected: Expect) {
    let Err(error) = result else { panic!("no error") };
    expected.assert_eq(&error.to_string());
}

#[test]
fn errors_name_shapes_and_axes() {
    let (a, b) = (gpu::zeros::<f64>((2, 3)), gpu::zeros::<f64>((2, 4)));
    fails(
        gpu::try_matmul(&a, &b),
        expect![
            "matmul: axis 1 of the shape [2, 3] has length 3, but axis 0 of the shape [2, 4] has length 2; these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays"
        ],
    );
    let error = gpu::try_matmul(&a, &b).unwrap_err();
    assert!(matches!(error, Error::AxisMismatch { operation: "matmul", axes: (1, 0), .. }));
    fails(
        gpu::try_matmul(&gpu::zeros::<f64>((5, 2, 3)), &gpu::zeros::<f64>((4, 3, 2))),
        expect![
            "matmul: axis 0 of the shape [5, 2, 3] has length 5, but axis 0 of the shape [4, 3, 2] has length 4; these axes count matrices, so they must have the same length, or one of them length 1; slice or reshape one of the arrays"
        ],
    );
    fails(
        gpu::try_matmul(&gpu::zeros::<f64>(4), &gpu::zeros::<f64>((7, 3, 2))),
        expect![
            "matmul: axis 0 of the shape [4] has length 4, but axis 1 of the shape [7, 3, 2] has length 3; these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays"
        ],
    );
    fails(
        gpu::try_matmul(&a, &gpu::zeros::<f64>(())),
        expect!["matmul: the shape [] has no axes; use `*` to multiply by a number or by an array without axes"],
    );
    fails(
        gpu::try_dot(&a, &gpu::zeros::<f64>(3)),
        expect![
            "dot: the shape [2, 3] has 2 axes, not one; use `matmul` for matrices, `vdot` for all elements of arrays of one size, or `tensordot` for sums over some axes"
        ],
    );
    fails(
        gpu::try_dot(&gpu::zeros::<f64>(4), &gpu::zeros::<f64>(3)),
        expect![
            "dot: axis 0 of the shape [4] has length 4, but axis 0 of the shape [3] has length 3; these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays"
        ],
    );
    fails(
        gpu::try_tensordot(&a, &b, 2),
        expect![
            "tensordot: axis 1 of the shape [2, 3] has length 3, but axis 1 of the shape [2, 4] has length 4; these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays"
        ],
    );
    fails(
        gpu::try_tensordot(&a, &b, 3),
        expect![
            "tensordot: the shapes [2, 3] and [2, 4] do not both have 3 axes to sum over; give a smaller number, or name the axes"
        ],
    );
    fails(
        gpu::try_tensordot(&a, &b, (0, (0, 1))),
        expect!["tensordot: the axes [0] and [0, 1] do not pair up; name the same number of axes for both arrays"],
    );
    fails(
        gpu::try_tensordot(&a, &b, ((0, -2), (0, 1))),
        expect!["tensordot: the shape [2, 3] cannot be used with axis 0 twice in [0, -2]; name each axis once"],
    );
    let panic = |work: &dyn Fn()| {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
        payload.downcast_ref::<String>().expect("a message").clone()
    };
    expect!["matmul: axis 1 of the shape [2, 3] has length 3, but axis 0 of the shape [4, 3] has length 4; these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays"]
        .assert_eq(&panic(&|| drop(gpu::host::matmul(&Array2::<f32>::zeros((2, 3)), &Array2::<f32>::zeros((4, 3))))));
    expect!["dot: axis 0 of the shape [1] has length 1, but axis 0 of the shape [2] has length 2; these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays"].assert_eq(&panic(&|| assert_eq!(gpu::host::dot(&arr1(&[1.0]), &arr1(&[1.0, 2.0])), 0.0)));
    expect![
        "vdot: the arrays of the shapes [2, 3] and [5] have 6 and 5 elements; give arrays with the same number of \
         elements"
    ]
    .assert_eq(&panic(&|| assert_eq!(gpu::vdot(&a, &gpu::zeros::<f64>(5)), 0.0)));
    expect!["inner: axis 1 of the shape [2, 3] has length 3, but axis 1 of the shape [2, 4] has length 4; these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays"].assert_eq(&panic(&|| drop(gpu::inner(&a, &b))));
    expect!["trace: the shape [3] is not 2-D; slice or reshape the array to two axes first"]
        .assert_eq(&panic(&|| assert_eq!(gpu::trace(&gpu::zeros::<f64>(3)), 0.0)));
}
