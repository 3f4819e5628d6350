//! `gpu::linalg` beyond NumPy: equations with factors, exponentials and matrices with a pattern. Rows of `names.rs` compare them with
//! SciPy; here are many blocks, stacks, empty matrices, and what is refused.

use crate::fixtures::message;
use warpcell as gpu;
use warpcell::linalg;
use warpcell::prelude::*;
use warpcell::{Complex, Inexact};

/// A type of elements: a number of absolute value 1, and the conjugates of an array.
struct Of<T: Inexact>(T, fn(&DeviceArray<T>) -> DeviceArray<T>);

fn of_reals<T: Inexact>(one: T) -> Of<T> {
    Of(one, Clone::clone)
}

/// Stacks of well conditioned matrices, and right sides.
fn stack<T: Inexact>(of: &Of<T>, count: usize, n: usize, columns: usize) -> (DeviceArray<T>, DeviceArray<T>) {
    let numbers = |size: usize, step: f64| {
        ((gpu::arange(size as f64) * step).sin() / n.max(1) as f64).astype::<T>() * gpu::full((), of.0)
    };
    let matrices = numbers(count * n * n, 12.9898).reshape((count, n, n)) + gpu::eye::<f64>(n).astype::<T>();
    (matrices, numbers(count * n * columns, 7.7).reshape((count, n, columns)))
}

fn largest<T: Inexact>(a: &DeviceArray<T>) -> f64 {
    a.astype::<Complex<f64>>().abs().max()
}

#[test]
fn triangular_equations_of_many_blocks_are_solved() {
    fn solved<T: Inexact>(of: Of<T>, tolerance: f64) {
        for (count, n, columns) in [(1, 1, 1), (2, 64, 3), (3, 65, 1), (1, 200, 2), (2, 128, 5)] {
            let (a, b) = stack::<T>(&of, count, n, columns);
            for (lower, unit, trans) in
                [(false, false, "N"), (true, false, "T"), (true, true, "N"), (false, true, "C"), (true, false, "C")]
            {
                let x = linalg::solve_triangular!(&a, &b, lower = lower, unit_diagonal = unit, trans = trans);
                let mut triangle = if lower { gpu::tril(&a) } else { gpu::triu(&a) };
                if unit {
                    let ones = gpu::ones::<f64>(n).astype::<T>();
                    let strictly = if lower { gpu::tril!(&a, k = -1) } else { gpu::triu!(&a, k = 1) };
                    triangle = strictly + gpu::diag(&ones);
                }
                if trans != "N" {
                    triangle = linalg::matrix_transpose(&triangle);
                }
                if trans == "C" {
                    triangle = of.1(&triangle);
                }
                let error = largest(&(gpu::matmul(&triangle, &x) - &b));
                assert!(error < tolerance, "{count} {n} {columns} {lower} {unit} {trans}: {error}");
                // One matrix and a vector, by rows or by columns, and elements that do not follow one another.
                let apart = |x: &DeviceArray<T>| gpu::repeat(x, 2, -1).slice(s![.., ..;2]);
                let (one, v) = (a.slice(s![0, .., ..]), b.slice(s![0, .., 0]));
                let columns = linalg::matrix_transpose(&linalg::matrix_transpose(&one).copy());
                for matrix in [apart(&one), one, columns] {
                    let x = linalg::solve_triangular!(&matrix, &v, lower = lower, unit_diagonal = unit, trans = trans);
                    let error = largest(&(gpu::matmul(&triangle.slice(s![0, .., ..]), &x) - &v));
                    assert!(error < tolerance, "a vector, {n} {lower} {unit} {trans}: {error}");
                }
            }
        }
    }
    solved(of_reals(1.0f64), 1e-14);
    solved(of_reals(1.0f32), 1e-6);
    solved(Of(Complex::<f64>::new(0.6, 0.8), |a| gpu::conj(a)), 1e-14);
    solved(Of(Complex::<f32>::new(0.6, 0.8), |a| gpu::conj(a)), 1e-6);
}

#[test]
fn factors_solve_equations_of_stacks() {
    fn solved<T: Inexact>(of: Of<T>, tolerance: f64) {
        for (count, n) in [(2, 5), (3, 70)] {
            let (a, b) = stack::<T>(&of, count, n, 2);
            // So that rows are exchanged.
            let a = gpu::flip(&a, 1);
            let factors = linalg::lu_factor(&a);
            assert_eq!((factors.0.shape(), factors.1.shape()), (&[count, n, n][..], &[count, n][..]));
            let x = linalg::lu_solve(&factors, &b);
            assert!(largest(&(gpu::matmul(&a, &x) - &b)) < tolerance);
            for trans in ["T", "C"] {
                let other = linalg::matrix_transpose(&a);
                let other = if trans == "C" { of.1(&other) } else { other };
                let x = linalg::lu_solve!(&factors, &b, trans = trans);
                assert!(largest(&(gpu::matmul(&other, &x) - &b)) < tolerance, "{trans}");
            }
            // A vector for all matrices.
            let v = b.slice(s![0, .., 0]);
            let x = linalg::lu_solve(&factors, &v.reshape((1, n, 1)));
            assert!(largest(&(gpu::matmul(&a, &x) - v.reshape((n, 1)))) < tolerance);
            let hermitian = gpu::matmul(&a, &of.1(&linalg::matrix_transpose(&a)));
            for lower in [false, true] {
                let factor = linalg::cho_factor!(&hermitian, lower = lower);
                let x = linalg::cho_solve(&factor, &b);
                assert!(largest(&(gpu::matmul(&hermitian, &x) - &b)) < tolerance, "{lower}");
            }
        }
    }
    solved(of_reals(1.0f64), 1e-13);
    solved(of_reals(1.0f32), 1e-5);
    solved(Of(Complex::<f64>::new(0.6, 0.8), |a| gpu::conj(a)), 1e-13);
    solved(Of(Complex::<f32>::new(0.6, 0.8), |a| gpu::conj(a)), 1e-5);
    // As LAPACK keeps the factors of a tall matrix and of a wide one.
    let tall = gpu::arange(12.0).reshape((4, 3)).sin();
    let (p, l, u) = linalg::lu(&tall);
    let (lu, piv) = linalg::lu_factor(&tall);
    assert_eq!(piv.shape(), [3]);
    assert!(gpu::allclose(&(gpu::tril!(&lu, k = -1) + gpu::eye!(4, 3)), &l));
    assert!(gpu::allclose(&gpu::triu(&lu).slice(s![..3, ..]), &u));
    assert!(gpu::allclose(&gpu::matmul(&gpu::matmul(&p, &l), &u), &tall));
    assert_eq!(linalg::lu_factor(&tall.t()).1.shape(), [3]);
}

#[test]
fn exponentials_are_inverses_of_one_another() {
    fn inverse<T: Inexact>(of: Of<T>, tolerance: f64) {
        for scale in [1e-3f64, 0.1, 0.5, 1.5, 4.0, 30.0] {
            let (a, _) = stack::<T>(&of, 3, 6, 1);
            let a = (a * gpu::full((), scale).astype::<T>()) - gpu::eye::<f64>(6).astype::<T>();
            let back = linalg::expm(&-&a);
            let forth = linalg::expm(&a).astype::<T>();
            let product = gpu::matmul(&forth, &back.astype::<T>()).astype::<Complex<f64>>();
            let error = (product - gpu::eye::<f64>(6).astype::<Complex<f64>>()).abs().max();
            // Both are as large as the exponential of the norm.
            assert!(error < tolerance * (2.0 * scale).exp().min(1e8), "{scale}: {error}");
        }
    }
    inverse(of_reals(1.0f64), 1e-12);
    inverse(Of(Complex::<f64>::new(0.6, 0.8), |a| gpu::conj(a)), 1e-12);
    inverse(of_reals(1.0f32), 1e-4);
    let number = linalg::expm(&gpu::array(&[[2i64]]));
    assert!((number.item() - 2f64.exp()).abs() < 1e-14);
}

#[test]
fn matrices_may_be_empty() {
    let empty = gpu::zeros::<f64>((0, 0));
    let vector = gpu::zeros::<f64>(0);
    for matrix in [linalg::toeplitz(&vector), linalg::circulant(&vector), linalg::hankel(&vector)] {
        assert_eq!(matrix.shape(), [0, 0]);
    }
    assert_eq!(linalg::toeplitz!(&gpu::ones::<f32>(2), r = &gpu::zeros::<f32>(0)).shape(), [2, 0]);
    assert_eq!(linalg::hankel!(&gpu::zeros::<f32>(0), r = &gpu::ones::<f32>(3)).shape(), [0, 3]);
    assert_eq!(linalg::fiedler(&vector).shape(), [0, 0]);
    assert_eq!(linalg::hilbert(0).shape(), [0, 0]);
    assert_eq!(linalg::invhilbert(0).shape(), [0, 0]);
    assert_eq!(linalg::khatri_rao(&gpu::ones::<f64>((0, 2)), &gpu::ones::<f64>((3, 2))).shape(), [0, 2]);
    let none: [&DeviceArray<f64>; 0] = [];
    assert_eq!(linalg::block_diag(none).shape(), [1, 0]);
    let blocks = linalg::block_diag([&gpu::zeros::<f64>((0, 2)), &gpu::ones::<f64>((1, 1))]);
    assert_eq!((blocks.shape(), blocks.ravel().tolist()), (&[1, 3][..], vec![0.0, 0.0, 1.0]));
    assert_eq!(linalg::bandwidth(&empty), (0, 0));
    assert_eq!(linalg::expm(&gpu::zeros::<f32>((2, 0, 0))).shape(), [2, 0, 0]);
    assert_eq!(linalg::solve_triangular(&empty, &gpu::zeros::<f64>((0, 3))).shape(), [0, 3]);
    assert_eq!(linalg::solve_triangular(&gpu::eye::<f64>(2), &gpu::zeros::<f64>((2, 0))).shape(), [2, 0]);
    let (lu, piv) = linalg::lu_factor(&empty);
    assert_eq!((lu.shape(), piv.shape()), (&[0, 0][..], &[0][..]));
    assert_eq!(linalg::lu_solve(&(lu, piv), &vector).shape(), [0]);
    assert_eq!(linalg::cho_solve(&linalg::cho_factor(&empty), &vector).shape(), [0]);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let (two, three) = (gpu::eye::<f64>(2), gpu::ones::<f64>(3));
    let singular = gpu::array(&[[1.0, 2.0, 3.0], [0.0, 0.0, 1.0], [0.0, 5.0, 1.0]]);
    let errors: Vec<(String, &str)> = vec![
        (message(|| linalg::toeplitz(&two)), "toeplitz: the shape [2, 2] is the shape of `c`"),
        (message(|| linalg::hankel!(&three, r = &two)), "hankel: the shape [2, 2] is the shape of `r`"),
        (message(|| linalg::companion(&gpu::ones::<f64>(1))), "must be at least two"),
        (message(|| linalg::companion(&gpu::array(&[0, 1]))), "the first coefficient is 0"),
        (message(|| linalg::fiedler_companion(&gpu::array(&[0.0, 1.0]))), "the first coefficient is 0"),
        (message(|| linalg::leslie(&three, &three)), "one less than `f`, but `f` has 3"),
        (message(|| linalg::convolution_matrix(&three, 0)), "`n` is 0"),
        (message(|| linalg::convolution_matrix(&gpu::zeros::<f64>(0), 2)), "at least one element"),
        (message(|| linalg::hadamard(6)), "`n` is 6; give a power of 2, such as 8"),
        (message(|| linalg::hadamard(0)), "`n` is 0; give a power of 2"),
        (message(|| linalg::helmert(0)), "`n` is 0"),
        (message(|| linalg::dft!(3, scale = "m")), "`scale` is \"m\""),
        (message(|| linalg::dft(0)), "`n` is 0"),
        (message(|| linalg::khatri_rao(&two, &gpu::ones::<f64>((2, 3)))), "as many columns as `a`, 2"),
        (message(|| linalg::khatri_rao(&two, &three)), "the shape [3] is not the shape of a matrix"),
        (message(|| linalg::block_diag([&gpu::ones::<f64>((1, 1, 1))])), "more than two axes"),
        (message(|| linalg::bandwidth(&three)), "the shape [3] is not the shape of a matrix"),
        (message(|| linalg::expm(&gpu::ones::<f64>((2, 3)))), "the shape [2, 3] is not the shape of a square matrix"),
        (message(|| linalg::solve_triangular(&two, &three)), "does not fit the shape [2, 2] of the matrix"),
        (message(|| linalg::solve_triangular!(&two, &gpu::ones::<f64>(2), trans = 3)), "`trans` is 3"),
        (message(|| linalg::solve_triangular!(&two, &gpu::ones::<f64>(2), trans = "H")), "`trans` is \"H\""),
        (message(|| linalg::solve_triangular(&singular, &three)), "pivot 2 of its LU factorisation is 0"),
        (
            message(|| linalg::solve_triangular!(&singular, &three, lower = true)),
            "pivot 2 of its LU factorisation is 0",
        ),
        (
            message(|| linalg::lu_solve(&(two.clone(), gpu::array(&[0i64, 5])), &gpu::ones::<f64>(2))),
            "`piv` has 5 at 1",
        ),
        (message(|| linalg::lu_solve(&(two.clone(), gpu::array(&[0i64])), &gpu::ones::<f64>(2))), "`lu` wants [2]"),
        (message(|| linalg::cho_factor(&-&two)), "is not positive definite"),
    ];
    for (found, wanted) in errors {
        assert!(found.contains(wanted), "{found}\nhas not: {wanted}");
    }
}
