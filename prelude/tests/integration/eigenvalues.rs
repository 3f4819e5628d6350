//! Eigenvalues and eigenvectors of general matrices: their properties, known ones, and matrices that are hard.

use std::f64::consts::TAU;
use warpcell as gpu;
use warpcell::linalg::{eig, eigvals, try_eig, try_eigvals};
use warpcell::ndarray::{Array1, Array2, ArrayD, Axis, Ix2, Ix3};
use warpcell::prelude::*;
use warpcell::{Complex64, Element, Inexact};

/// As a stack of matrices of complex numbers.
fn stack<T: Element>(a: &DeviceArray<T>) -> Vec<Array2<Complex64>> {
    let all = a.astype::<Complex64>().to_host();
    let [rows, columns] = [a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]];
    let count: usize = a.shape()[..a.ndim() - 2].iter().product();
    let stack = all.to_shape((count, rows, columns)).unwrap().to_owned().into_dimensionality::<Ix3>().unwrap();
    stack.axis_iter(Axis(0)).map(|matrix| matrix.to_owned()).collect()
}

fn norm(a: &Array2<Complex64>) -> f64 {
    a.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}

/// The largest distance of a number to the one that is assigned to it in the other list.
fn apart(found: &[Complex64], expected: &[Complex64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let (mut rest, mut most) = (expected.to_vec(), 0.0f64);
    for value in found {
        let (at, distance) = rest
            .iter()
            .map(|other| (value - other).norm())
            .enumerate()
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .unwrap();
        rest.swap_remove(at);
        most = most.max(distance);
    }
    most
}

/// Checks what is so of all matrices: `a · v` is `v · diag(w)`, vectors have the length 1, the values are those of `eigvals` and of
/// the transpose. Eigenvalues of defective matrices differ more: by `loose`.
fn check<T: Inexact>(a: &DeviceArray<T>, loose: f64) {
    let (w, v) = eig(a);
    let n = a.shape()[a.ndim() - 1];
    let epsilon =
        if a.nbytes() / a.size() / if a.dtype().is_complex() { 2 } else { 1 } == 4 { 1.2e-7 } else { 2.3e-16 };
    assert_eq!((w.shape(), v.shape()), (&a.shape()[..a.ndim() - 1], a.shape()));
    assert!(w.dtype().is_complex() && v.dtype().is_complex() && w.device() == a.device());
    let lines = |w: &DeviceArray<<T as Inexact>::Complex>| stack(&w.astype::<Complex64>().expand_dims(-2));
    let (alone, turned) = (lines(&eigvals(a)), lines(&eigvals(&a.swapaxes(-1, -2))));
    for (index, ((a, w), v)) in stack(a).iter().zip(lines(&w)).zip(stack(&v)).enumerate() {
        let room = 40.0 * epsilon * n as f64 * norm(a).max(f64::MIN_POSITIVE / epsilon);
        let distance = norm(&(a.dot(&v) - &v * &w));
        assert!(distance <= room, "a · v is {distance:e} from v · w, more than {room:e}, for\n{a}");
        for column in v.columns() {
            let length = column.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
            assert!((length - 1.0).abs() < 20.0 * epsilon * n as f64, "the length {length}");
        }
        let values = |all: &[Array2<Complex64>]| all[index].iter().copied().collect::<Vec<_>>();
        let w: Vec<Complex64> = w.into_iter().collect();
        for others in [values(&alone), values(&turned)] {
            let distance = apart(&w, &others);
            assert!(distance <= room.max(loose * norm(a)), "eigenvalues that are {distance:e} apart, of\n{a}");
        }
    }
}

/// Numbers from -1 to 1, the same at each call.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    gpu::random::Generator::new(seed).uniform(-1.0, 1.0, count).to_host().into_iter().collect()
}

#[test]
fn random_matrices_have_eigenvectors() {
    fn of_type<T: Inexact>(loose: f64) {
        for shape in [vec![1, 1], vec![2, 2], vec![3, 3], vec![7, 7], vec![30, 30], vec![150, 150], vec![2, 3, 5, 5]] {
            let n = shape.iter().product();
            let a = gpu::asarray(&numbers(n, 1)).reshape(shape.clone());
            let b = gpu::asarray(&numbers(n, 2)).reshape(shape);
            let a =
                (a.astype::<Complex64>() + b.astype::<Complex64>() * Complex64::new(0.0, 1.0)).astype::<T::Complex>();
            // A matrix of real numbers is made from the real parts.
            let a = if T::DTYPE.is_complex() { a.astype::<T>() } else { a.astype::<Complex64>().real().astype::<T>() };
            for a in [&a, &a.swapaxes(-1, -2), &gpu::flip(&a, -1)] {
                check(a, loose);
            }
        }
    }
    of_type::<f64>(1e-11);
    of_type::<f32>(1e-3);
    of_type::<Complex64>(1e-11);
    of_type::<gpu::Complex32>(1e-3);
}

/// Matrices that are large enough for a GPU's library.
#[test]
fn large_matrices_have_eigenvectors() {
    let a = gpu::asarray(&numbers(2 * 270 * 270, 5)).reshape((2, 270, 270));
    check(&a, 1e-10);
    check(&a.swapaxes(-1, -2), 1e-10);
    let one = a.slice(s![0, .., ..]);
    check(&one.astype::<f32>(), 1e-3);
    let other = a.slice(s![1, .., ..]).astype::<Complex64>() * Complex64::I;
    check(&(one.astype::<Complex64>() + other), 1e-10);
    let symmetric = gpu::matmul(&one, &one.t());
    let (values, found) = (gpu::linalg::eigvalsh(&symmetric), gpu::sort(&eigvals(&symmetric).real()));
    assert!(gpu::allclose(&values, &found));
}

#[test]
fn vectors_are_normalised_as_those_of_lapack() {
    let a = gpu::asarray(&numbers(400, 3)).reshape((20, 20));
    let (w, v) = eig(&a);
    let (w, v) = (w.to_host(), v.to_host_as::<Ix2>());
    let mut real = 0;
    for (w, column) in w.iter().zip(v.columns()) {
        if w.im == 0.0 {
            assert!(column.iter().all(|element| element.im == 0.0));
            real += 1;
        } else {
            let largest = column.iter().max_by(|a, b| a.norm_sqr().total_cmp(&b.norm_sqr())).unwrap();
            assert!(largest.im == 0.0 && largest.re > 0.0, "{largest}");
        }
    }
    assert!(real < 20 && real % 2 == 0);
    // Pairs follow one another, and their vectors are conjugates to the last bit.
    let pairs: Vec<usize> = (0..20).filter(|&at| w[at].im > 0.0).collect();
    for at in pairs {
        let other = if at + 1 < 20 && w[at + 1] == w[at].conj() { at + 1 } else { at - 1 };
        assert_eq!(w[other], w[at].conj());
        assert!(v.column(at).iter().zip(v.column(other)).all(|(one, other)| one.conj() == *other));
    }
}

#[test]
fn known_eigenvalues() {
    let near = |a: DeviceArray<f64>, expected: &[Complex64], room: f64| {
        check(&a, room);
        let found: Vec<Complex64> = eigvals(&a).to_host().into_iter().collect();
        let distance = apart(&found, expected);
        assert!(distance <= room, "{found:?} is {distance:e} from {expected:?}");
    };
    let real = |values: &[f64]| values.iter().map(|&value| value.into()).collect::<Vec<Complex64>>();
    near(gpu::array(&[[5.0]]), &real(&[5.0]), 0.0);
    near(gpu::array(&[[0.0, -1.0], [1.0, 0.0]]), &[Complex64::I, -Complex64::I], 1e-15);
    // Those of triangular matrices are on the diagonal, exactly.
    let upper = gpu::triu(&(gpu::arange(36.0).reshape((6, 6)) + 1.0));
    near(upper.clone(), &real(&[1.0, 8.0, 15.0, 22.0, 29.0, 36.0]), 0.0);
    near(upper.t(), &real(&[1.0, 8.0, 15.0, 22.0, 29.0, 36.0]), 0.0);
    near(gpu::zeros((4, 4)), &real(&[0.0; 4]), 0.0);
    near(gpu::eye(5), &real(&[1.0; 5]), 0.0);
    near(gpu::ones((3, 3)), &real(&[3.0, 0.0, 0.0]), 1e-14);
    // A cycle: the roots of unity. Its shifts are 0, on which simple iterations hang.
    for n in [2, 3, 4, 5, 10, 64, 100] {
        let cycle = gpu::roll(&gpu::eye::<f64>(n), 1, 1);
        let roots: Vec<Complex64> = (0..n).map(|k| Complex64::cis(TAU * k as f64 / n as f64)).collect();
        near(cycle, &roots, 1e-12);
    }
    // (x − 1)(x − 2) … (x − 6)
    let coefficients = gpu::poly(&gpu::arange(1.0..7.0));
    let companion = gpu::polycompanion(&gpu::flip(&coefficients, 0));
    near(companion, &real(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 1e-9);
    let complex = gpu::array(&[[Complex64::I, Complex64::new(1.0, 1.0)], [Complex64::ZERO, -Complex64::ONE]]);
    check(&complex, 0.0);
    assert_eq!(eigvals(&complex).sum(), Complex64::new(-1.0, 1.0));
}

#[test]
fn sizes_that_differ_much_are_balanced() {
    // Similar to a small matrix by a diagonal one from 1e-12 to 1e12: the eigenvalues are the same.
    let n = 9;
    let a = Array2::from_shape_vec((n, n), numbers(n * n, 5)).unwrap();
    let scale = Array1::from_iter((0..n).map(|at| 10f64.powi(3 * (at as i32 - 4))));
    let scaled = &a * &scale.clone().insert_axis(Axis(1)) / &scale;
    let values = |a: &Array2<f64>| eigvals(&gpu::asarray(a)).to_host().into_iter().collect::<Vec<_>>();
    assert!(apart(&values(&a), &values(&scaled)) < 1e-11);
    // At the ends of the range of the type.
    for factor in [1e300, 1e-300, 5e-324 * 1e4] {
        let scaled: Vec<Complex64> = values(&(&a * factor)).into_iter().map(|value| value / factor).collect();
        let room = if factor < 1e-310 { 1e-2 } else { 1e-11 };
        assert!(apart(&values(&a), &scaled) < room, "{factor:e}");
    }
    let (w, v) = eig(&(gpu::asarray(&a) * 1e300));
    assert!(w.is_finite().all() && v.is_finite().all());
    let single = gpu::asarray(&a).astype::<f32>() * 1e30;
    assert!(eig(&single).1.is_finite().all());
}

#[test]
fn defective_matrices_have_vectors_too() {
    // A Jordan block has one eigenvector. The others would be larger than any number of the type.
    for n in [2, 3, 8, 40] {
        let block = gpu::eye::<f64>(n) * 2.0 + gpu::diag!(&gpu::ones::<f64>(n - 1), k = 1);
        let dense = &gpu::asarray(&numbers(n * n, 8)).reshape((n, n)) + gpu::eye::<f64>(n) * 3.0;
        for a in [block.clone(), block.t(), gpu::triu(&gpu::ones::<f64>((n, n)))] {
            check(&a, 0.0);
            check(&a.astype::<f32>(), 0.0);
            check(&a.astype::<Complex64>(), 0.0);
            let (w, v) = eig(&a);
            assert!(w.real().eq(w.get(&[0]).re).all() && v.is_finite().all());
        }
        // Similar to a Jordan block: equal eigenvalues split up, by a root of the rounding errors.
        let similar = gpu::matmul(&gpu::matmul(&dense, &block), &gpu::linalg::inv(&dense));
        check(&similar, 1.0);
    }
    let nilpotent = gpu::array(&[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]);
    let (w, v) = eig(&nilpotent);
    assert!(w.eq(Complex64::ZERO).all() && v.get(&[0, 0]) == Complex64::ONE);
    // A pair of complex eigenvalues, several times.
    let turn = gpu::array(&[[0.0, -1.0], [1.0, 0.0]]);
    for n in [2, 5, 30] {
        let blocks = gpu::kron(&gpu::eye::<f64>(n), &turn)
            + gpu::kron(&gpu::diag!(&gpu::ones::<f64>(n - 1), k = 1), &gpu::eye::<f64>(2));
        check(&blocks, 1.0);
        check(&blocks.astype::<f32>(), 1.0);
    }
}

#[test]
fn matrices_without_elements_and_wrong_ones() {
    let (w, v) = eig(&gpu::zeros::<f64>((0, 0)));
    assert_eq!((w.shape(), v.shape()), (&[0][..], &[0, 0][..]));
    let (w, v) = eig(&gpu::zeros::<f32>((3, 0, 0)));
    assert_eq!((w.shape(), v.shape()), (&[3, 0][..], &[3, 0, 0][..]));
    assert_eq!(eigvals(&gpu::zeros::<f32>((0, 4, 4))).shape(), [0, 4]);
    for value in [f64::NAN, f64::INFINITY] {
        let a = gpu::eye::<f64>(3) * value;
        assert_eq!(try_eig(&a).unwrap_err(), gpu::Error::NotFinite { operation: "eig" });
        let a = a.astype::<Complex64>() * Complex64::I;
        assert_eq!(try_eigvals(&a).unwrap_err(), gpu::Error::NotFinite { operation: "eigvals" });
    }
    assert_eq!(
        try_eig(&gpu::zeros::<f64>((2, 3))).unwrap_err().to_string(),
        "eig: the shape [2, 3] is not the shape of a square matrix, where the last two lengths are equal; slice it, or use \
         `lstsq`, `pinv`, `qr` or `svd`, which take any matrix"
    );
    let error = try_eigvals(&gpu::zeros::<f64>(3)).unwrap_err().to_string();
    assert!(error.starts_with("eigvals: the shape [3] has fewer than two axes"), "{error}");
}

#[test]
fn host_arrays_have_the_same_eigenvalues() {
    let a = Array2::from_shape_vec((5, 5), numbers(25, 9)).unwrap();
    let (w, v) = gpu::host::linalg::eig(&a.view().reversed_axes());
    let (device_w, device_v) = eig(&gpu::asarray(&a).t());
    let on_host: ArrayD<Complex64> = v.into_dyn();
    assert_eq!((w.clone().into_dyn(), on_host), (device_w.to_host(), device_v.to_host()));
    let found: Vec<Complex64> = gpu::host::linalg::eigvals(&a.t().mapv(Complex64::from)).into_iter().collect();
    assert!(apart(&found, w.as_slice().unwrap()) < 1e-13);
}
