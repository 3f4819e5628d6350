//! Linear algebra: results against NumPy's, factorisations by their properties, and what is refused.

use crate::fixtures::{Sample, cases, device, host, with_dtype};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use warpcell as gpu;
use warpcell::linalg;
use warpcell::ndarray::{Array2, ArrayD, Axis, Ix2, arr0};
use warpcell::prelude::*;
use warpcell::{Element, Float, Number};

/// Compares an array to the case's expected one of this number, within the case's tolerance times its largest number.
#[track_caller]
fn near<T: Sample + Float>(found: &ArrayD<T>, case: &Value, which: usize) {
    let expected = host::<T>(&json!({ "expected": case["expected"][which] }), "expected").mapv(Float::to_f64);
    let found = found.mapv(Float::to_f64);
    assert_eq!(found.shape(), expected.shape(), "{case}");
    let largest = expected.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    let room = case["tolerance"].as_f64().unwrap() * largest;
    for (found, expected) in found.iter().zip(&expected) {
        let same = found == expected || (found.is_nan() && expected.is_nan()) || (found - expected).abs() <= room;
        assert!(same, "{found}, not {expected}, more than {room:e} apart\n{case}");
    }
}

#[test]
fn results_are_those_of_numpy() {
    fn floats<T>(case: &Value)
    where
        T: Sample + Float<Mean: Sample>,
    {
        let a = device::<T>(case, "a");
        // The same elements with other strides, among others.
        let turned = a.flip_last_two();
        for a in [&a, &turned] {
            match case["name"].as_str().unwrap() {
                "inv" => near(&linalg::inv(a).to_host(), case, 0),
                "solve" => near(&linalg::solve(a, &device::<T>(case, "b")).to_host(), case, 0),
                "eigvalsh" => near(&linalg::eigvalsh(a).to_host(), case, 0),
                "cholesky" => near(&linalg::cholesky(a).to_host(), case, 0),
                "svdvals" => near(&linalg::svdvals(a).to_host(), case, 0),
                "pinv" => near(&linalg::pinv(a).to_host(), case, 0),
                "matrix_power" => {
                    near(&linalg::matrix_power(a, case["exponent"].as_i64().unwrap()).to_host(), case, 0);
                }
                "lstsq" => {
                    let (x, squares, rank, values) = linalg::lstsq(a, &device::<T>(case, "b"));
                    near(&x.to_host(), case, 0);
                    if let Some(expected) = case["rank"].as_u64() {
                        // Sums of squares that are next to nothing have no digits in common.
                        let scale = host::<T>(case, "b").iter().map(|value| value.to_f64().powi(2)).sum();
                        close(&squares.to_host(), case, 1, scale);
                        near(&values.to_host(), case, 2);
                        assert_eq!(rank as u64, expected, "{case}");
                    }
                }
                "qr" => {
                    let r = linalg::qr_r(a);
                    let signs = r.to_host();
                    let rank = signs.ndim();
                    let mut found = signs.clone();
                    for (index, value) in found.indexed_iter_mut() {
                        let mut diagonal = index.clone();
                        diagonal[rank - 1] = diagonal[rank - 2];
                        if signs[diagonal].to_f64() < 0.0 {
                            *value = T::from_f64(-value.to_f64());
                        }
                    }
                    near(&found, case, 0);
                }
                _ => numbers::<T>(case),
            }
        }
    }
    fn numbers<T>(case: &Value)
    where
        T: Sample + Number<Mean: Sample + Float>,
    {
        let a = device::<T>(case, "a");
        let number = |value: T::Mean, which| near(&arr0(value).into_dyn(), case, which);
        match case["name"].as_str().unwrap() {
            "det" => number(linalg::det(&a), 0),
            "slogdet" => {
                let (sign, logarithm) = linalg::slogdet(&a);
                number(sign, 0);
                number(logarithm, 1);
            }
            "det_each" => near(&linalg::det_each(&a).to_host(), case, 0),
            "slogdet_each" => {
                let (signs, logarithms) = linalg::slogdet_each(&a);
                near(&signs.to_host(), case, 0);
                near(&logarithms.to_host(), case, 1);
            }
            "matrix_rank" => assert_eq!(case["expected"][0]["data"][0], linalg::matrix_rank(&a), "{case}"),
            "matrix_rank_each" => {
                let expected = host::<i64>(&json!({ "expected": case["expected"][0] }), "expected");
                assert_eq!(linalg::matrix_rank_each(&a).to_host(), expected, "{case}");
            }
            "cond" => number(linalg::cond(&a), 0),
            "cond_each" => near(&linalg::cond_each(&a).to_host(), case, 0),
            "cond_is_large" => assert!(linalg::cond(&a).to_f64() > 1e6, "{case}"),
            other => panic!("no test for {other}"),
        }
    }
    fn powers<T: Sample + Number>(case: &Value) {
        let power = linalg::matrix_power(&device::<T>(case, "a"), case["exponent"].as_i64().unwrap());
        let expected = host::<T>(&json!({ "expected": case["expected"][0] }), "expected");
        assert_eq!(power.to_host(), expected, "{case}");
    }
    for case in cases("linear_algebra") {
        match (case["name"].as_str(), case["a"]["dtype"].as_str()) {
            (_, Some("f32")) => floats::<f32>(case),
            (_, Some("f64")) => floats::<f64>(case),
            (Some("matrix_power"), _) => with_dtype!(case["a"]["dtype"], [i32 i64 u8], powers(case)),
            _ => with_dtype!(case["a"]["dtype"], [i32 i64], numbers(case)),
        }
    }
}

/// As [`near`], with another scale of the numbers.
fn close<T: Sample + Float>(found: &ArrayD<T>, case: &Value, which: usize, scale: f64) {
    let expected = host::<T>(&json!({ "expected": case["expected"][which] }), "expected");
    assert_eq!(found.shape(), expected.shape(), "{case}");
    let room = case["tolerance"].as_f64().unwrap() * scale;
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found.to_f64() - expected.to_f64()).abs() <= room, "{found}, not {expected}\n{case}");
    }
}

/// Other ways to the same elements.
trait Ways {
    fn flip_last_two(&self) -> Self;
}

impl<T: Float> Ways for DeviceArray<T> {
    /// A view whose columns are neighbours in memory.
    fn flip_last_two(&self) -> Self {
        self.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    }
}

/// Random matrices, the same at each call, as views of all kinds.
fn samples<T: Float>(shape: &[usize]) -> Vec<DeviceArray<T>> {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        T::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    let host = ArrayD::from_shape_simple_fn(shape, &mut next);
    let dense = gpu::asarray(&host);
    let last = shape.len() as isize - 1;
    let mut wide = shape.to_vec();
    wide[shape.len() - 1] *= 2;
    let apart = gpu::asarray(&ArrayD::from_shape_simple_fn(wide, &mut next));
    let every_second = match shape.len() {
        2 => apart.slice(s![.., ..;2]),
        _ => apart.slice(s![.., .., ..;2]),
    };
    vec![dense.flip_last_two(), gpu::flip(&dense, [last - 1, last]), every_second, dense]
}

/// The largest absolute value of an element.
fn size(a: &ArrayD<f64>) -> f64 {
    a.iter().fold(0.0, |size, value| size.max(value.abs()))
}

/// The matrices of a stack, in f64.
fn matrices<T: Float>(a: &DeviceArray<T>) -> Vec<Array2<f64>> {
    let [rows, columns] = [a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]];
    let all = a.to_host().mapv(Float::to_f64);
    let count = all.len() / (rows * columns).max(1);
    let stack = all.to_shape((count, rows, columns)).unwrap().to_owned();
    stack.axis_iter(Axis(0)).map(|matrix| matrix.to_owned()).collect()
}

#[track_caller]
fn same(what: &str, found: &Array2<f64>, expected: &Array2<f64>, room: f64) {
    let difference = size(&(found - expected).into_dyn());
    assert!(difference <= room, "{what}: {difference:e} apart, more than {room:e}");
}

const SHAPES: [&[usize]; 12] = [
    &[1, 1],
    &[2, 2],
    &[5, 3],
    &[3, 5],
    &[17, 17],
    &[64, 64],
    &[131, 40],
    &[40, 131],
    &[150, 150],
    &[1, 6],
    &[4, 6, 6],
    &[3, 7, 4],
];

/// What errors grow to: some times epsilon, the size and the norm.
fn room<T: Float>(a: &Array2<f64>) -> f64 {
    let epsilon = if T::DTYPE == f32::DTYPE { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let norm = a.iter().map(|value| value * value).sum::<f64>().sqrt();
    8.0 * epsilon * a.nrows().max(a.ncols()) as f64 * norm.max(1.0)
}

fn is_upper(a: &Array2<f64>) -> bool {
    a.indexed_iter().all(|((row, column), &value)| row <= column || value == 0.0)
}

fn check_properties<T: Float>() {
    for shape in SHAPES {
        for a in samples::<T>(shape) {
            let [m, n] = [shape[shape.len() - 2], shape[shape.len() - 1]];
            let k = m.min(n);
            let (q, r) = linalg::qr(&a);
            let (full, tall) = linalg::qr_complete(&a);
            let only = linalg::qr_r(&a);
            let (p, l, u) = linalg::lu(&a);
            let (left, values, right) = linalg::svd(&a);
            let (thin_left, thin_values, thin_right) = linalg::svd_with(&a, false);
            assert!((&thin_values - &values).abs().max().to_f64() < 1e-4, "one spectrum");
            let values = values.to_host().mapv(Float::to_f64);
            let rows = values.to_shape((values.len() / k, k)).unwrap().to_owned();
            for (index, a) in matrices(&a).iter().enumerate() {
                let room = room::<T>(a);
                let eye = |n| Array2::<f64>::eye(n);
                let [q, r, full, tall, only] = [&q, &r, &full, &tall, &only].map(|all| matrices(all)[index].clone());
                same("q · r", &q.dot(&r), a, room);
                same("the complete q · r", &full.dot(&tall), a, room);
                same("qᵀ · q", &q.t().dot(&q), &eye(k), room);
                same("the complete qᵀ · q", &full.t().dot(&full), &eye(m), room);
                same("r alone", &only, &r, room);
                assert!(is_upper(&r) && is_upper(&tall) && is_upper(&only));

                let [p, l, u] = [&p, &l, &u].map(|all| matrices(all)[index].clone());
                same("p · l · u", &p.dot(&l).dot(&u), a, room);
                same("pᵀ · p", &p.t().dot(&p), &eye(m), 0.0);
                assert!(is_upper(&u) && is_upper(&l.t().to_owned()) && l.diag().iter().all(|&one| one == 1.0));
                assert!(size(&l.into_dyn()) <= 1.0 + 1e-6, "no pivot is smaller than what is below it");

                let values = rows.row(index);
                assert!(values.windows(2).into_iter().all(|two| two[0] >= two[1]) && values[k - 1] >= 0.0);
                let [left, right] = [&left, &right].map(|all| matrices(all)[index].clone());
                let mut middle = Array2::<f64>::zeros((m, n));
                middle.diag_mut().assign(&values);
                same("u · s · vh", &left.dot(&middle).dot(&right), a, room);
                same("uᵀ · u", &left.t().dot(&left), &eye(m), room);
                same("vh · v", &right.dot(&right.t()), &eye(n), room);
                let [left, right] = [&thin_left, &thin_right].map(|all| matrices(all)[index].clone());
                same("the thin u · s · vh", &(left.clone() * values).dot(&right), a, room);
                same("the thin uᵀ · u", &left.t().dot(&left), &eye(k), room);
            }
        }
        let [m, n] = [shape[shape.len() - 2], shape[shape.len() - 1]];
        if m != n {
            continue;
        }
        for a in samples::<T>(shape) {
            let symmetric = &a + &a.swapaxes(-1, -2);
            let (values, vectors) = linalg::eigh(&symmetric);
            let values = values.to_host().mapv(Float::to_f64);
            let rows = values.to_shape((values.len() / n, n)).unwrap().to_owned();
            let definite = gpu::matmul(&a, &a.swapaxes(-1, -2)) + gpu::eye::<T>(n);
            let factors = linalg::cholesky(&definite);
            let inverses = linalg::inv(&definite);
            let right = gpu::matmul(&definite, &a);
            let solutions = linalg::solve(&definite, &right);
            for index in 0..rows.nrows() {
                let of = |all: &DeviceArray<T>| matrices(all)[index].clone();
                let (symmetric, vectors, values) = (of(&symmetric), of(&vectors), rows.row(index));
                let room = room::<T>(&symmetric);
                same("a · v", &symmetric.dot(&vectors), &(vectors.clone() * values), room);
                same("vᵀ · v", &vectors.t().dot(&vectors), &Array2::eye(n), room);
                assert!(values.windows(2).into_iter().all(|two| two[0] <= two[1]));

                let (definite, factor) = (of(&definite), of(&factors));
                let room = crate::factorisations::room::<T>(&definite);
                same("l · lᵀ", &factor.dot(&factor.t()), &definite, room);
                assert!(is_upper(&factor.t().to_owned()) && factor.diag().iter().all(|&value| value > 0.0));
                // The smallest eigenvalue is at least 1, so the norm is the condition number.
                same("a · inverse", &definite.dot(&of(&inverses)), &Array2::eye(n), room * 4.0);
                same(
                    "a · x",
                    &definite.dot(&of(&solutions)),
                    &of(&right),
                    room * size(&of(&right).into_dyn()).max(1.0),
                );
            }
        }
    }
}

#[test]
fn factorisations_of_f64_have_their_properties() {
    check_properties::<f64>();
}

#[test]
fn factorisations_of_f32_have_their_properties() {
    check_properties::<f32>();
}

#[test]
fn least_squares_are_the_same_with_and_without_singular_vectors() {
    fn near<T: Element>(found: &DeviceArray<T>, expected: &DeviceArray<T>, room: f64) {
        let [found, expected] = [found, expected].map(|array| array.astype::<gpu::Complex<f64>>().to_host());
        assert_eq!(found.shape(), expected.shape());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).norm() < room * (1.0 + expected.norm()), "{found}, not {expected}");
        }
    }
    fn check<T: gpu::Inexact>(a: &DeviceArray<T>, b: &DeviceArray<T>, rcond: f64, expected_rank: usize, room: f64) {
        let (x, squares, rank, values) = linalg::lstsq_with(a, b, rcond);
        // So many right sides ask for the vectors.
        let columns = b.shape()[1];
        let (their_x, their_squares, their_rank, their_values) = linalg::lstsq_with(a, &gpu::tile(b, (1, 33)), rcond);
        assert_eq!((rank, their_rank), (expected_rank, expected_rank));
        near(&x, &their_x.slice(s![.., ..columns]), room);
        let known = if squares.size() == 0 { 0 } else { columns };
        near(&squares, &their_squares.slice(s![..known]), room);
        near(&values, &their_values, room);
    }
    for (m, n, k) in [(1, 1, 1), (7, 3, 2), (40, 6, 1), (50, 31, 3), (64, 64, 2), (300, 290usize, 1)] {
        let mut generator = gpu::random::default_rng(m as u64);
        // Not near a singular matrix; and one with few singular values that are not 0.
        let square = generator.normal(0.0f64, 1.0, (m, m)) + gpu::eye::<f64>(m) * 40.0;
        let (full, b) = (square.slice(s![.., ..n]).astype::<f64>(), generator.normal(0.0f64, 1.0, (m, k)));
        let rank = n.div_ceil(3);
        let low = gpu::matmul(&full.slice(s![.., ..rank]), &generator.normal(0.0f64, 1.0, (rank, n)));
        for (a, rank) in [(full, n), (low, rank)] {
            check(&a, &b, 1e-10, rank, 1e-9);
            check(&a.astype::<f32>(), &b.astype::<f32>(), 1e-4, rank, 1e-3);
            let (a, b) = (a.astype::<gpu::Complex<f64>>(), b.astype::<gpu::Complex<f64>>());
            check(&(a * gpu::Complex::new(2.0, 1.0)), &(b * gpu::Complex::new(1.0, -1.0)), 1e-10, rank, 1e-9);
        }
    }
    // Of a matrix without full rank x is the shortest.
    let a = gpu::array(&[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]);
    let (x, squares, rank, _) = linalg::lstsq(&a, &gpu::array(&[1.0, 2.0, 3.0]));
    assert!(gpu::allclose(&x, &[1.0, 1.0]) && squares.size() == 0 && rank == 1);
}

#[test]
fn singular_matrices_have_factors() {
    // Of rank 1, of rank 2, and of zeros; wide and tall ones.
    let ones = gpu::ones::<f64>((6, 4));
    let ramp = gpu::arange(24.0).reshape((4, 6));
    // Large enough for other ways to the singular vectors; the last one has full rank.
    let large = gpu::arange(5600.0).reshape((80, 70)) / 5600.0;
    let square = large.slice(s![..70, ..]);
    let full = &square * 0.01 + gpu::eye::<f64>(70);
    for a in [ones, ramp.clone(), ramp.slice(s![.., ..4]), gpu::zeros((3, 3)), ramp.t(), large, square, full] {
        let dense = &matrices(&a)[0];
        let (p, l, u) = linalg::lu(&a);
        let [p, l, u] = [&p, &l, &u].map(|all| matrices(all)[0].clone());
        same("p · l · u", &p.dot(&l).dot(&u), dense, 1e-13);
        let (q, r) = linalg::qr(&a);
        let [q, r] = [&q, &r].map(|all| matrices(all)[0].clone());
        same("q · r", &q.dot(&r), dense, 1e-12);
        same("qᵀ · q", &q.t().dot(&q), &Array2::eye(q.ncols()), 1e-13);
        let (u, s, vh) = linalg::svd_with(&a, false);
        let product = gpu::matmul(&(u * &s), &vh);
        same("u · s · vh", &matrices(&product)[0], dense, 1e-12);
    }
}

#[test]
fn matrices_without_elements_have_factors() {
    let shapes = |arrays: &[&DeviceArray<f32>]| arrays.iter().map(|array| array.shape().to_vec()).collect::<Vec<_>>();
    let tall = gpu::zeros::<f32>((3, 0));
    let (q, r) = linalg::qr(&tall);
    assert_eq!(shapes(&[&q, &r]), [[3, 0], [0, 0]]);
    let (q, r) = linalg::qr_complete(&tall);
    assert_eq!((shapes(&[&q, &r]), q.sum()), (vec![vec![3, 3], vec![3, 0]], 3.0));
    let (u, s, vh) = linalg::svd(&gpu::zeros::<f32>((2, 0, 3)));
    assert_eq!((shapes(&[&u, &s, &vh]), vh.sum()), (vec![vec![2, 0, 0], vec![2, 0], vec![2, 3, 3]], 6.0));
    let (p, l, u) = linalg::lu(&tall);
    assert_eq!((shapes(&[&p, &l, &u]), p.sum()), (vec![vec![3, 3], vec![3, 0], vec![0, 0]], 3.0));
    let none = gpu::zeros::<f32>((0, 0));
    assert_eq!(shapes(&[&linalg::inv(&none), &linalg::cholesky(&none), &linalg::eigh(&none).1]), [[0, 0]; 3]);
    assert_eq!((linalg::matrix_rank(&tall), linalg::det(&none)), (0, 1.0));
    assert_eq!(linalg::matrix_power(&gpu::zeros::<i32>((0, 2, 2)), 0).shape(), [0, 2, 2]);
}

#[test]
fn nan_spreads_or_is_refused() {
    let nan = gpu::array(&[[1.0, f64::NAN, 0.0], [2.0, 3.0, 1.0], [0.0, 1.0, 1.0]]);
    assert!(linalg::det(&nan).is_nan());
    assert!(linalg::inv(&nan).is_nan().any() && linalg::solve(&nan, &gpu::ones::<f64>(3)).is_nan().any());
    let (q, r) = linalg::qr(&nan);
    assert!(q.is_nan().any() || r.is_nan().any());
    let error = linalg::try_cholesky(&nan.t()).unwrap_err();
    assert!(matches!(error, gpu::Error::NotPositiveDefinite { .. }), "{error}");
    for value in [f64::NAN, f64::INFINITY] {
        let a = gpu::full((2, 2), value);
        let refused: [fn(&DeviceArray<f64>); 3] = [
            |a: &DeviceArray<f64>| {
                drop(linalg::eigh(a));
                // A GPU says it where the host waits.
                gpu::synchronize();
            },
            |a: &DeviceArray<f64>| drop(linalg::svdvals(a)),
            |a: &DeviceArray<f64>| assert!(linalg::cond(a) > 0.0),
        ];
        for work in refused {
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&a))).unwrap_err();
            let text = panic.downcast_ref::<String>().unwrap();
            assert!(text.contains("NaN or infinite"), "{text}");
        }
    }
}

#[test]
fn what_is_refused_says_why() {
    fn check<T>(result: gpu::Result<T>, expected: Expect) {
        let Err(error) = result else { panic!("no error") };
        expected.assert_eq(&error.to_string());
    }
    let singular = gpu::array(&[[1.0, 2.0, 3.0], [0.0, 1.0, 1.0], [1.0, 3.0, 4.0]]);
    check(
        linalg::try_inv(&singular),
        expect![
            "inv: the matrix is singular: pivot 3 of its LU factorisation is 0; use `lstsq` or `pinv`, which take singular matrices too, or look at it with `matrix_rank` and `svd`"
        ],
    );
    let stack = gpu::stack([&gpu::eye::<f64>(3), &singular, &singular], 0);
    check(
        linalg::try_solve(&stack, &gpu::ones::<f64>(3)),
        expect![
            "solve: matrix 1 of the stack (counted from 0) is singular: pivot 3 of its LU factorisation is 0; use `lstsq` or `pinv`, which take singular matrices too, or look at it with `matrix_rank` and `svd`"
        ],
    );
    check(
        linalg::try_cholesky(&gpu::array(&[[1.0, 2.0], [2.0, 3.0]])),
        expect![
            "cholesky: the matrix is not positive definite: its leading minor of order 2 is not positive; make sure that it is symmetric and free of NaN, look at its eigenvalues with `eigvalsh`, or use `lu` or `eigh`, which also take other matrices"
        ],
    );
    let error = linalg::try_cholesky(&gpu::stack([&gpu::eye::<f32>(2), &gpu::full((2, 2), -1.0)], 0)).unwrap_err();
    let expected = gpu::Error::NotPositiveDefinite { operation: "cholesky", matrix: Some(1), minor: 1 };
    assert_eq!(error, expected);
    check(
        linalg::try_inv(&gpu::zeros::<f64>((2, 3))),
        expect![
            "inv: the shape [2, 3] is not the shape of a square matrix, where the last two lengths are equal; slice it, or use `lstsq`, `pinv`, `qr` or `svd`, which take any matrix"
        ],
    );
    check(
        linalg::try_cholesky(&gpu::zeros::<f32>(4)),
        expect![
            "cholesky: the shape [4] has fewer than two axes, but a matrix has two; use `reshape` or `expand_dims` \
             first"
        ],
    );
    check(
        linalg::try_solve(&gpu::eye::<f64>(2), &gpu::ones::<f64>(3)),
        expect![
            "solve: the shape [3] of the right side does not fit the shape [2, 2] of the matrix; give a vector of 2 elements, or a matrix of 2 rows with a column for each system"
        ],
    );
    check(
        linalg::try_solve(&gpu::ones::<f64>((3, 2, 2)), &gpu::ones::<f64>((4, 2, 1))),
        expect![
            "solve: the shapes [3] and [4] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
    let panics = |work: &dyn Fn(), expected: &str| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.contains(expected), "{text}");
    };
    panics(&|| assert!(linalg::det(&gpu::ones::<f64>((2, 2, 2))).is_nan()), "use `det_each`");
    panics(&|| assert!(linalg::cond(&gpu::ones::<f64>((0, 2))).is_nan()), "no condition number");
    panics(&|| drop(linalg::matrix_power(&gpu::eye::<i32>(2), -1)), "the inverse of an integer matrix");
    panics(&|| drop(linalg::lstsq(&gpu::eye::<f64>(2), &gpu::ones::<f64>((3, 1)))), "of the right side");
    panics(&|| drop(linalg::lstsq(&gpu::ones::<f64>((2, 2, 2)), &gpu::ones::<f64>(2))), "not the shape of one matrix");
}

#[test]
fn host_arrays_have_the_same_results() {
    let a = samples::<f64>(&[9, 9])[0].to_host_as::<Ix2>();
    let view = a.slice(s![..;-1, ..7]);
    let (q, r) = gpu::host::linalg::qr(&view);
    same("q · r", &q.dot(&r), &view.to_owned(), 1e-13);
    let (p, l, u) = gpu::host::linalg::lu(&view);
    same("p · l · u", &p.dot(&l).dot(&u), &view.to_owned(), 1e-13);
    let (u, s, vh) = gpu::host::linalg::svd(&view);
    same("u · s · vh", &(u.slice(s![.., ..7]).to_owned() * &s).dot(&vh), &view.to_owned(), 1e-13);
    assert!(gpu::allclose(&gpu::host::linalg::svdvals(&view), &s));
    same("a · inverse", &a.dot(&gpu::host::linalg::inv(&a)), &Array2::eye(9), 1e-11);
    let b = a.column(2).to_owned();
    assert!(gpu::allclose(&a.dot(&gpu::host::linalg::solve(&a, &b)), &b));
    let definite = a.dot(&a.t()) + Array2::<f64>::eye(9);
    let l = gpu::host::linalg::cholesky(&definite);
    same("l · lᵀ", &l.dot(&l.t()), &definite, 1e-13);
    let (w, v) = gpu::host::linalg::eigh(&definite);
    same("a · v", &definite.dot(&v), &(v.clone() * &w), 1e-12);
    assert!(gpu::allclose(&gpu::host::linalg::eigvalsh(&definite), &w));
    assert!((gpu::host::linalg::det(&definite) / w.product() - 1.0).abs() < 1e-12);
}

#[test]
fn functions_of_host_arrays_give_host_arrays() {
    use gpu::host::linalg as host;
    use warpcell::ndarray::array;
    let tall = array![[3.0, 1.0], [4.0, 2.0], [0.0, 2.0]];
    let (q, r) = host::qr(&tall);
    assert_eq!((q.dim(), r.dim()), ((3, 2), (2, 2)));
    let (q, r) = host::qr_complete(&tall);
    assert_eq!((q.dim(), r.dim(), host::qr_r(&tall).dim()), ((3, 3), (3, 2), (2, 2)));
    let (p, _, u) = host::lu(&array![[0.0, 1.0], [2.0, 3.0]]);
    assert_eq!((p[[0, 1]], u[[0, 0]]), (1.0, 2.0));
    assert_eq!(host::cholesky(&array![[4.0, 2.0], [2.0, 5.0]]), array![[2.0, 0.0], [1.0, 2.0]]);
    assert_eq!(host::inv(&array![[2.0, 0.0], [0.0, 4.0]]), array![[0.5, 0.0], [0.0, 0.25]]);
    let (w, v) = host::eigh(&array![[2.0f64, 1.0], [1.0, 2.0]]);
    assert!((w[1] - 3.0f64).abs() < 1e-12 && (v[[0, 1]] - v[[1, 1]]).abs() < 1e-12);
    assert!((host::eigvalsh(&array![[0.0f64, 1.0], [1.0, 0.0]])[0] + 1.0).abs() < 1e-12);
    let diagonal = array![[3.0f64, 0.0], [0.0, 4.0], [0.0, 0.0]];
    let (u, s, vh) = host::svd(&diagonal);
    assert!((s[0] - 4.0f64).abs() < 1e-12 && u.dim() == (3, 3) && vh.dim() == (2, 2));
    assert_eq!(host::svd_with(&diagonal, false).0.dim(), (3, 2));
    assert!((host::svdvals(&array![[0.0f64, 2.0], [-5.0, 0.0]])[0] - 5.0).abs() < 1e-12);
    assert_eq!(host::pinv(&array![[2.0, 0.0], [0.0, 0.0]]), array![[0.5, 0.0], [0.0, 0.0]]);
    assert_eq!(host::pinv_with(&array![[1.0, 0.0], [0.0, 1e-3]], 0.01).sum(), 1.0);
    assert_eq!(host::matrix_power(&array![[1i64, 1], [1, 0]], 50)[[0, 1]], 12_586_269_025);
}

#[test]
fn singular_vectors_do_not_depend_on_what_was_in_memory() {
    // Each call finds in its memory what the one before has left there.
    for shape in [(400, 3), (400, 3), (3, 400), (3, 400)] {
        let a = gpu::arange(1200.0).sin().reshape(shape);
        let (u, _, vh) = linalg::svd(&a);
        for vectors in [u, vh] {
            let vectors = vectors.to_host().into_dimensionality::<Ix2>().unwrap();
            let distance = vectors.t().dot(&vectors) - Array2::<f64>::eye(vectors.ncols());
            let most = distance.iter().fold(0.0f64, |most, value| most.max(value.abs()));
            assert!(most < 1e-12, "{most:e} apart in {shape:?}");
        }
    }
}
