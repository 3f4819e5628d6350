//! Factorisations of complex matrices, by their properties, and what is refused. Results of NumPy are in the table of names
//! (`prelude/tests/integration/names.rs`) and in the random calls.

use crate::complex::ComplexSample;
use warpcell as gpu;
use warpcell::linalg;
use warpcell::ndarray::{Array2, ArrayD, Axis, s};
use warpcell::{Arithmetic, Complex, DeviceArray, Element, Error, Float, Inexact};

type Matrix = Array2<Complex<f64>>;

/// The types of complex numbers.
trait Sample: ComplexSample + Inexact + Arithmetic<Part: Float> + Element<Mean = Self> {
    const EPSILON: f64;
    fn narrow(wide: Complex<f64>) -> Self;
    fn conj(a: &DeviceArray<Self>) -> DeviceArray<Self>;
}
impl Sample for Complex<f32> {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn narrow(wide: Complex<f64>) -> Self {
        Complex::new(wide.re as f32, wide.im as f32)
    }
    fn conj(a: &DeviceArray<Self>) -> DeviceArray<Self> {
        a.conj()
    }
}
impl Sample for Complex<f64> {
    const EPSILON: f64 = f64::EPSILON;
    fn narrow(wide: Complex<f64>) -> Self {
        wide
    }
    fn conj(a: &DeviceArray<Self>) -> DeviceArray<Self> {
        a.conj()
    }
}

/// Random matrices, the same at each call.
fn random<T: Sample>(shape: &[usize]) -> DeviceArray<T> {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    gpu::asarray(&ArrayD::from_shape_simple_fn(shape, || T::narrow(Complex::new(next(), next()))))
}

/// The same elements, with other strides.
fn turned<T: Sample>(a: &DeviceArray<T>) -> DeviceArray<T> {
    a.swapaxes(-1, -2).copy().swapaxes(-1, -2)
}

/// The conjugate transposes.
fn adjoints<T: Sample>(a: &DeviceArray<T>) -> DeviceArray<T> {
    T::conj(&a.swapaxes(-1, -2))
}

/// The matrices of a stack.
fn matrices<T: Sample>(a: &DeviceArray<T>) -> Vec<Matrix> {
    let [rows, columns] = [a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]];
    let all = a.to_host().mapv(ComplexSample::wide);
    let count = all.len() / (rows * columns).max(1);
    let stack = all.to_shape((count, rows, columns)).unwrap().to_owned();
    stack.axis_iter(Axis(0)).map(|matrix| matrix.to_owned()).collect()
}

/// A real vector for each matrix of a stack.
fn vectors<T: Float>(a: &DeviceArray<T>) -> Vec<Vec<f64>> {
    let length = a.shape()[a.ndim() - 1];
    let all: Vec<f64> = a.to_host().iter().map(|value| value.to_f64()).collect();
    all.chunks(length).map(<[f64]>::to_vec).collect()
}

fn adjoint(a: &Matrix) -> Matrix {
    a.t().mapv(|z| z.conj())
}

fn eye(n: usize) -> Matrix {
    Matrix::eye(n)
}

/// With the columns multiplied by real numbers.
fn scaled(a: &Matrix, factors: &[f64]) -> Matrix {
    let mut scaled = a.slice(s![.., ..factors.len()]).to_owned();
    scaled.columns_mut().into_iter().zip(factors).for_each(|(mut column, &factor)| column.mapv_inplace(|z| z * factor));
    scaled
}

#[track_caller]
fn same(what: &str, found: &Matrix, expected: &Matrix, room: f64) {
    assert_eq!(found.dim(), expected.dim(), "{what}");
    let apart = (found - expected).iter().fold(0.0f64, |most, z| if z.norm() <= most { most } else { z.norm() });
    assert!(apart <= room, "{what} of {:?}: {apart:e} apart, more than {room:e}", found.dim());
}

fn is_upper(a: &Matrix) -> bool {
    a.indexed_iter().all(|((row, column), &z)| row <= column || z == Complex::ZERO)
}

/// What errors grow to: some times epsilon, the size and the norm.
fn room<T: Sample>(a: &Matrix) -> f64 {
    let norm = a.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    8.0 * T::EPSILON * a.nrows().max(a.ncols()) as f64 * norm.max(1.0)
}

fn check_any<T: Sample>(a: &DeviceArray<T>) {
    let [m, n] = [a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]];
    let k = m.min(n);
    let (q, r) = linalg::qr(a);
    let (full, tall) = linalg::qr_complete(a);
    let only = linalg::qr_r(a);
    let (p, l, u) = linalg::lu(a);
    let (left, values, right) = linalg::svd(a);
    let (thin_left, thin_values, thin_right) = linalg::svd_with(a, false);
    let alone = linalg::svdvals(a);
    let inverse = linalg::pinv(a);
    for (index, a) in matrices(a).iter().enumerate() {
        let room = room::<T>(a);
        let of = |all: &DeviceArray<T>| matrices(all)[index].clone();
        let [q, r, full, tall, only] = [&q, &r, &full, &tall, &only].map(of);
        same("q · r", &q.dot(&r), a, room);
        same("the complete q · r", &full.dot(&tall), a, room);
        same("qᴴ · q", &adjoint(&q).dot(&q), &eye(k), room);
        same("the complete qᴴ · q", &adjoint(&full).dot(&full), &eye(m), room);
        same("r alone", &only, &r, room);
        assert!(is_upper(&r) && is_upper(&tall) && is_upper(&only));

        let [p, l, u] = [&p, &l, &u].map(of);
        same("p · l · u", &p.dot(&l).dot(&u), a, room);
        assert!(is_upper(&u) && is_upper(&l.t().to_owned()) && l.diag().iter().all(|&one| one == Complex::ONE));
        same("pᵀ · p", &adjoint(&p).dot(&p), &eye(m), 0.0);

        let values = &vectors(&values)[index];
        assert!(values.is_sorted_by(|a, b| a >= b) && values[k - 1] >= 0.0);
        for other in [&thin_values, &alone] {
            assert!(vectors(other)[index].iter().zip(values).all(|(a, b)| (a - b).abs() <= room));
        }
        let [left, right] = [&left, &right].map(of);
        let middle = scaled(&left, values).dot(&right.slice(s![..k, ..]));
        same("u · s · vh", &middle, a, room);
        same("uᴴ · u", &adjoint(&left).dot(&left), &eye(m), room);
        same("vh · v", &right.dot(&adjoint(&right)), &eye(n), room);
        let [left, right] = [&thin_left, &thin_right].map(of);
        same("the thin u · s · vh", &scaled(&left, values).dot(&right), a, room);
        same("the thin uᴴ · u", &adjoint(&left).dot(&left), &eye(k), room);

        // The matrices are random, so that their condition numbers are some times their size.
        let inverse = of(&inverse);
        let room = room * (values[0] / values[k - 1]).powi(2).max(8.0);
        same("a · pinv · a", &a.dot(&inverse).dot(a), a, room);
        let product = inverse.dot(a);
        same("the hermitian pinv · a", &adjoint(&product), &product, room);
    }
}

fn check_square<T: Sample>(a: &DeviceArray<T>) {
    let n = a.shape()[a.ndim() - 1];
    // What is above the diagonal and the imaginary parts on it are not looked at.
    let (w, v) = linalg::eigh(a);
    let alone = linalg::eigvalsh(a);
    let definite = gpu::matmul(a, &adjoints(a)) + gpu::eye::<T>(n);
    let factors = linalg::cholesky(&(&definite + upper(&definite)));
    let inverses = linalg::inv(&definite);
    let right = gpu::matmul(&definite, a);
    let solutions = linalg::solve(&definite, &right);
    let column = right.swapaxes(-1, -2).swapaxes(-1, -2).get_columns(1);
    let one = linalg::solve(&definite, &column);
    let determinants = linalg::det_each(a);
    let (signs, logarithms) = linalg::slogdet_each(a);
    let (_, lower, upper) = linalg::lu(a);
    for (index, dense) in matrices(a).iter().enumerate() {
        let of = |all: &DeviceArray<T>| matrices(all)[index].clone();
        let hermitian = Matrix::from_shape_fn((n, n), |(row, column)| match row.cmp(&column) {
            std::cmp::Ordering::Greater => dense[[row, column]],
            std::cmp::Ordering::Equal => dense[[row, row]].re.into(),
            std::cmp::Ordering::Less => dense[[column, row]].conj(),
        });
        let room = room::<T>(&hermitian);
        let (values, vectors_of) = (&vectors(&w)[index], of(&v));
        same("a · v", &hermitian.dot(&vectors_of), &scaled(&vectors_of, values), room);
        same("vᴴ · v", &adjoint(&vectors_of).dot(&vectors_of), &eye(n), room);
        assert!(values.is_sorted());
        assert!(vectors(&alone)[index].iter().zip(values).all(|(a, b)| (a - b).abs() <= room));

        let (definite, factor) = (of(&definite), of(&factors));
        let room = self::room::<T>(&definite);
        same("l · lᴴ", &factor.dot(&adjoint(&factor)), &definite, room);
        assert!(is_upper(&factor.t().to_owned()) && factor.diag().iter().all(|z| z.re > 0.0 && z.im == 0.0));
        // The smallest eigenvalue is at least 1, so the norm is the condition number.
        same("a · inverse", &definite.dot(&of(&inverses)), &eye(n), room * 4.0);
        let largest = of(&right).iter().fold(1.0f64, |most, z| most.max(z.norm()));
        same("a · x", &definite.dot(&of(&solutions)), &of(&right), room * largest);
        same("a · one x", &definite.dot(&of(&one)), &of(&column), room * largest);

        // But for its direction, the determinant is the product of the pivots.
        let (lower, upper) = (of(&lower), of(&upper));
        assert_eq!(lower.dim(), upper.dim());
        let expected: f64 = upper.diag().iter().map(|z| z.norm().ln()).sum();
        let logarithm = logarithms.to_host().iter().nth(index).unwrap().to_f64();
        assert!((logarithm - expected).abs() <= 64.0 * T::EPSILON * (n as f64) * expected.abs().max(1.0));
        let sign = signs.to_host().iter().nth(index).unwrap().wide();
        let determinant = determinants.to_host().iter().nth(index).unwrap().wide();
        assert!((sign.norm() - 1.0).abs() <= 4.0 * T::EPSILON);
        let product = sign * logarithm.exp();
        // What is larger than the type's numbers is infinite.
        if determinant.is_finite() {
            let apart = (determinant - product).norm();
            assert!(apart <= 256.0 * T::EPSILON * (n as f64) * product.norm(), "{determinant} {product}");
        }
    }
}

/// What is above the diagonal, and imaginary numbers on it.
fn upper<T: Sample>(a: &DeviceArray<T>) -> DeviceArray<T> {
    let n = a.shape()[a.ndim() - 1];
    gpu::triu!(a, k = 1) + gpu::eye::<T>(n) * T::narrow(Complex::new(0.0, 3.0))
}

/// The first columns of matrices.
trait Columns {
    fn get_columns(&self, count: usize) -> Self;
}
impl<T: Sample> Columns for DeviceArray<T> {
    fn get_columns(&self, count: usize) -> Self {
        match self.ndim() {
            2 => self.slice(s![.., ..count]),
            3 => self.slice(s![.., .., ..count]),
            _ => self.slice(s![.., .., .., ..count]),
        }
    }
}

fn check_properties<T: Sample>() {
    for shape in [&[1, 1][..], &[5, 3], &[3, 5], &[1, 6], &[131, 40], &[40, 131], &[3, 2, 5], &[2, 1, 6, 2]] {
        let a = random::<T>(shape);
        check_any(&a);
        check_any(&turned(&a));
    }
    for shape in [&[1, 1][..], &[2, 2], &[17, 17], &[64, 64], &[150, 150], &[4, 6, 6], &[2, 3, 3, 3]] {
        let a = random::<T>(shape);
        check_any(&a);
        check_square(&a);
        check_square(&turned(&a));
    }
}

#[test]
fn factorisations_of_complex128_have_their_properties() {
    check_properties::<Complex<f64>>();
}

#[test]
fn factorisations_of_complex64_have_their_properties() {
    check_properties::<Complex<f32>>();
}

#[test]
fn singular_complex_matrices_have_factors() {
    let i = Complex::new(0.0f64, 1.0);
    let ramp = gpu::arange(24.0f64).reshape((4, 6)).astype::<Complex<f64>>() * i + Complex::<f64>::ONE;
    for a in [gpu::ones::<Complex<f64>>((6, 4)) * i, ramp.clone(), ramp.t(), gpu::zeros((3, 3))] {
        let dense = &matrices(&a)[0];
        let of = |all: &DeviceArray<Complex<f64>>| matrices(all)[0].clone();
        let (p, l, u) = linalg::lu(&a);
        same("p · l · u", &of(&p).dot(&of(&l)).dot(&of(&u)), dense, 1e-13);
        let (q, r) = linalg::qr(&a);
        same("q · r", &of(&q).dot(&of(&r)), dense, 1e-12);
        let (u, s, vh) = linalg::svd_with(&a, false);
        same("u · s · vh", &scaled(&of(&u), &vectors(&s)[0]).dot(&of(&vh)), dense, 1e-12);
        let rank = if dense.iter().all(|z| *z == Complex::ZERO) {
            0
        } else if dense[[0, 0]] == i {
            1
        } else {
            2
        };
        assert_eq!(linalg::matrix_rank(&a), rank);
    }
    let singular = gpu::array(&[[1.0 * i, 2.0 * i], [2.0 * i, 4.0 * i]]);
    assert_eq!(linalg::det(&singular), Complex::ZERO);
    assert_eq!(linalg::slogdet(&singular), (Complex::ZERO, f64::NEG_INFINITY));
    assert!(linalg::cond(&singular) > 1e15);
}

#[test]
fn complex_matrices_without_elements_have_factors() {
    type C = Complex<f32>;
    let shapes = |arrays: &[&DeviceArray<C>]| arrays.iter().map(|array| array.shape().to_vec()).collect::<Vec<_>>();
    let tall = gpu::zeros::<C>((3, 0));
    let (q, r) = linalg::qr_complete(&tall);
    assert_eq!((shapes(&[&q, &r]), q.sum()), (vec![vec![3, 3], vec![3, 0]], C::new(3.0, 0.0)));
    let (u, s, vh) = linalg::svd(&gpu::zeros::<C>((2, 0, 3)));
    assert_eq!((shapes(&[&u, &vh]), s.shape()), (vec![vec![2, 0, 0], vec![2, 3, 3]], &[2, 0][..]));
    let none = gpu::zeros::<C>((0, 0));
    assert_eq!(shapes(&[&linalg::inv(&none), &linalg::cholesky(&none), &linalg::eigh(&none).1]), [[0, 0]; 3]);
    assert_eq!(linalg::eigvalsh(&none).shape(), [0]);
    assert_eq!((linalg::det(&none), linalg::slogdet(&none)), (C::ONE, (C::ONE, 0.0)));
    let (signs, logarithms) = linalg::slogdet_each(&gpu::zeros::<C>((2, 0, 0)));
    assert_eq!((signs.sum(), logarithms.sum()), (C::new(2.0, 0.0), 0.0));
    assert_eq!((linalg::matrix_rank(&tall), linalg::norm(&tall)), (0, 0.0));
    assert_eq!(linalg::pinv(&tall).shape(), [0, 3]);
}

#[test]
fn determinants_of_complex_numbers_keep_within_range() {
    let a = gpu::eye::<Complex<f64>>(400) * Complex::new(0.0, -1e10);
    let (sign, logarithm) = linalg::slogdet(&a);
    assert!((sign - Complex::ONE).norm() < 1e-12 && (logarithm - 400.0 * 1e10f64.ln()).abs() < 1e-6);
    // 1e300 · i · 1e300 · 1e-300 · 1e-300.
    let diagonal =
        [(0.0f64, 1e300f64), (1e300, 0.0), (1e-300, 0.0), (1e-300, 0.0)].map(|(re, im)| Complex::new(re, im));
    assert!((linalg::det(&gpu::diag(&gpu::array(&diagonal))) - Complex::new(0.0, 1.0)).norm() < 1e-12);
}

#[test]
fn complex_nan_spreads_or_is_refused() {
    let (one, nan) = (Complex::<f64>::ONE, Complex::new(1.0, f64::NAN));
    let a = gpu::array(&[[one, nan], [2.0 * one, one]]);
    assert!(linalg::det(&a).is_nan());
    assert!(linalg::inv(&a).is_nan().any() && linalg::norm(&a).is_nan());
    let error = linalg::try_cholesky(&a.t()).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { minor: 2, .. }), "{error}");
    let refused: [fn(&DeviceArray<Complex<f64>>); 4] = [
        |a| {
            drop(linalg::eigh(a));
            // A GPU says it where the host waits.
            gpu::synchronize();
        },
        |a| drop(linalg::svdvals(a)),
        |a| assert!(linalg::cond(a) > 0.0),
        |a| drop(linalg::pinv(a)),
    ];
    for work in refused {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&a))).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.contains("NaN or infinite"), "{text}");
    }
}

#[test]
fn complex_matrices_that_are_refused() {
    let (one, i) = (Complex::new(1.0f64, 0.0), Complex::new(0.0, 1.0));
    let stack = gpu::stack([&gpu::eye::<Complex<f64>>(2), &gpu::array(&[[one, i], [i, -one]])], 0);
    // Of the lower triangle, with the conjugate above it: the second leading minor is -2.
    let error = linalg::try_cholesky(&stack).unwrap_err();
    assert_eq!(error, Error::NotPositiveDefinite { operation: "cholesky", matrix: Some(1), minor: 2 });
    for error in [linalg::try_inv(&stack).unwrap_err(), linalg::try_solve(&stack, &gpu::array(&[one, i])).unwrap_err()]
    {
        assert!(matches!(error, Error::SingularMatrix { matrix: Some(1), pivot: 2, .. }), "{error}");
    }
    let wide = gpu::zeros::<Complex<f64>>((2, 3));
    for error in [linalg::try_inv(&wide).unwrap_err(), linalg::try_cholesky(&wide).unwrap_err()] {
        assert!(error.to_string().contains("the shape [2, 3] is not the shape of a square matrix"), "{error}");
    }
}

#[test]
fn functions_of_complex_host_arrays() {
    use gpu::host::linalg as host;
    use warpcell::ndarray::array;
    let (one, i) = (Complex::new(1.0f64, 0.0), Complex::new(0.0, 1.0));
    let a = array![[2.0 * one, -i], [i, 2.0 * one]];
    let (w, v) = host::eigh(&a);
    assert!((w[0] - 1.0f64).abs() < 1e-12 && (w[1] - 3.0).abs() < 1e-12);
    same("a · v", &a.dot(&v), &scaled(&v, w.as_slice().unwrap()), 1e-12);
    let (u, s, vh) = host::svd(&a);
    same("u · s · vh", &scaled(&u, s.as_slice().unwrap()).dot(&vh), &a, 1e-12);
    assert!((host::det(&a) - 3.0 * one).norm() < 1e-12);
    same("a · inverse", &a.dot(&host::inv(&a)), &eye(2), 1e-12);
}
