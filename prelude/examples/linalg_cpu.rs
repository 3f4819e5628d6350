//! Prints the median times of linear algebra on the CPU: one line `NAME TYPE SIZE cpu MILLISECONDS ms` each.
//!
//! `linalg_cpu [NAME …] [TYPE …]` times all operations, or those of these names and types; tests/bench compares them with NumPy's.

use std::time::Instant;
use warpcell::{Complex, DeviceArray, Element, Float, Inexact, IntoShape};

const TYPES: [&str; 5] = ["f32", "f64", "i32", "complex64", "complex128"];

/// Times an operation, unless others were named: as often as fits in about two seconds, but three times at least.
fn report<T: Element>(name: &str, size: usize, mut work: impl FnMut()) {
    let dtype = if T::DTYPE.is_complex() { T::DTYPE.numpy_name() } else { T::DTYPE.to_string() };
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let (types, names): (Vec<_>, Vec<_>) = wanted.iter().partition(|word| TYPES.contains(&word.as_str()));
    let is_wanted = |words: &[&String], word: &str| words.is_empty() || words.iter().any(|one| *one == word);
    if !is_wanted(&types, &dtype) || !is_wanted(&names, name) {
        return;
    }
    let mut once = || {
        let start = Instant::now();
        work();
        warpcell::synchronize();
        start.elapsed().as_secs_f64() * 1e3
    };
    once();
    let repetitions = ((2000.0 / once()) as usize).clamp(3, 201);
    let mut times: Vec<f64> = (0..repetitions).map(|_| once()).collect();
    times.sort_by(f64::total_cmp);
    println!("{name} {dtype} {size} {} {:.4} ms", warpcell::device(), times[repetitions / 2]);
}

/// Numbers from -1 to 1.
fn random<T: Float>(shape: impl IntoShape) -> DeviceArray<T> {
    warpcell::random::uniform(T::from_f64(-1.0), T::from_f64(1.0), shape)
}

fn products<T: Float>() {
    for size in [16, 64, 256, 1000, 2048] {
        let (a, b) = (random::<T>((size, size)), random::<T>((size, size)));
        report::<T>("matmul", size, || drop(warpcell::matmul(&a, &b)));
    }
    let size = 1000;
    let (a, b) = (random::<T>((size, size)), random::<T>((size, size)));
    report::<T>("matmul_transposed", size, || drop(warpcell::matmul(&a.t(), &b)));
    let size = 8;
    let (a, b) = (random::<T>((10_000, size, size)), random::<T>((10_000, size, size)));
    report::<T>("matmul_many", size, || drop(warpcell::matmul(&a, &b)));
    let size = 4000;
    let (a, b) = (random::<T>((size, size)), random::<T>(size));
    report::<T>("matmul_vector", size, || drop(warpcell::matmul(&a, &b)));
    let (a, b) = (random::<T>((size, 32)), random::<T>((32, size)));
    report::<T>("matmul_thin", size, || drop(warpcell::matmul(&a, &b)));
    let size = 10_000_000;
    let (a, b) = (random::<T>(size), random::<T>(size));
    report::<T>("dot", size, || {
        std::hint::black_box(warpcell::dot(&a, &b));
    });
}

/// Factorisations and systems of equations.
fn systems<T: Inexact>(size: usize, a: &DeviceArray<T>, definite: &DeviceArray<T>, b: &DeviceArray<T>) {
    use warpcell::linalg;
    report::<T>("qr", size, || drop(linalg::qr(a)));
    report::<T>("inv", size, || drop(linalg::inv(a)));
    report::<T>("cholesky", size, || drop(linalg::cholesky(definite)));
    report::<T>("solve", size, || drop(linalg::solve(a, b)));
}

/// Eigenvalues and singular values.
fn spectra<T: Inexact>(size: usize, a: &DeviceArray<T>, definite: &DeviceArray<T>) {
    use warpcell::linalg;
    report::<T>("eigh", size, || drop(linalg::eigh(definite)));
    report::<T>("eigvalsh", size, || drop(linalg::eigvalsh(definite)));
    report::<T>("eig", size, || drop(linalg::eig(a)));
    report::<T>("eigvals", size, || drop(linalg::eigvals(a)));
    report::<T>("svd", size, || drop(linalg::svd(a)));
    report::<T>("svdvals", size, || drop(linalg::svdvals(a)));
}

/// Many small matrices.
fn many<T: Inexact>(a: &DeviceArray<T>) {
    use warpcell::linalg;
    report::<T>("inv_many", a.shape()[1], || drop(linalg::inv(a)));
    report::<T>("qr_many", a.shape()[1], || drop(linalg::qr(a)));
}

fn factorisations<T: Float>() {
    use warpcell::linalg;
    for size in [16, 64, 512, 1500] {
        let a = random::<T>((size, size));
        report::<T>("det", size, || {
            std::hint::black_box(linalg::det(&a));
        });
        let definite = warpcell::matmul(&a, &a.t()) + warpcell::eye::<T>(size);
        systems(size, &a, &definite, &random::<T>(size));
        if size <= 512 {
            spectra(size, &a, &definite);
        }
    }
    many(&random::<T>((10_000, 8, 8)));
}

/// Of complex numbers whose parts are from -1 to 1.
fn complex_factorisations<T: Inexact>(
    random: impl Fn(&[usize]) -> DeviceArray<T>,
    adjoint: impl Fn(&DeviceArray<T>) -> DeviceArray<T>,
) {
    use warpcell::linalg;
    for size in [64, 500] {
        let a = random(&[size, size]);
        let definite = warpcell::matmul(&a, &adjoint(&a)) + warpcell::eye::<T>(size);
        report::<T>("matmul", size, || drop(warpcell::matmul(&a, &a)));
        report::<T>("det", size, || drop(linalg::det_each(&a)));
        systems(size, &a, &definite, &random(&[size]));
        spectra(size, &a, &definite);
        report::<T>("pinv", size, || drop(linalg::pinv(&a)));
    }
    many(&random(&[10_000, 8, 8]));
}

fn main() {
    products::<f32>();
    products::<f64>();
    factorisations::<f32>();
    factorisations::<f64>();
    let random_f32 = |shape: &[usize]| {
        random::<f32>(shape.to_vec()).astype::<Complex<f32>>()
            + random::<f32>(shape.to_vec()).astype::<Complex<f32>>() * Complex::new(0.0, 1.0)
    };
    complex_factorisations(random_f32, |a| a.t().conj());
    let random_f64 = |shape: &[usize]| {
        random::<f64>(shape.to_vec()).astype::<Complex<f64>>()
            + random::<f64>(shape.to_vec()).astype::<Complex<f64>>() * Complex::new(0.0, 1.0)
    };
    complex_factorisations(random_f64, |a| a.t().conj());
    let size = 500;
    let [a, b] = [0, 1].map(|_| warpcell::random::integers(-1000..1000i32, (size, size)));
    report::<i32>("matmul", size, || drop(warpcell::matmul(&a, &b)));
}
