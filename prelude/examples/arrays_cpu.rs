//! Prints the median times of operations on arrays on the CPU: one line `NAME TYPE cpu MILLISECONDS ms` each.
//!
//! `arrays_cpu [elements] [repetitions]`; tests/bench compares them with NumPy's.

use std::time::Instant;
use warpcell::{DeviceArray, Element, Float, Real, fft};

/// Numbers in 0..1 from a small generator (xorshift64*); their quality does not matter here.
fn random(size: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let step = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        Some((state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64)
    };
    std::iter::from_fn(step).take(size).collect()
}

fn report<T: Element>(name: &str, repetitions: usize, mut work: impl FnMut()) {
    work();
    let mut times: Vec<f64> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            work();
            warpcell::synchronize();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name} {} {} {:.3} ms", T::DTYPE, warpcell::device(), times[repetitions / 2]);
}

/// What arrays of each of these types are timed for.
fn orders<T: Real>(a: &DeviceArray<T>, repetitions: usize) {
    report::<T>("sort", repetitions, || drop(warpcell::sort(a)));
    report::<T>("argsort", repetitions, || drop(warpcell::argsort(a)));
}

/// As many elements as fill rows of a length.
fn matrix<T: Element>(a: &DeviceArray<T>, columns: usize) -> DeviceArray<T> {
    let rows = a.size() / columns;
    a.slice(warpcell::ndarray::s![..rows * columns]).reshape((rows, columns))
}

fn floats<T: Float>(a: &DeviceArray<T>, b: &DeviceArray<T>, repetitions: usize) {
    report::<T>("sum", repetitions, || {
        std::hint::black_box(a.sum());
    });
    report::<T>("add", repetitions, || drop(a + b));
    report::<T>("exp", repetitions, || drop(a.exp()));
    orders(a, repetitions);
    let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
    report::<T>("uniform", repetitions, || drop(warpcell::random::uniform(zero, one, a.size())));
    report::<T>("normal", repetitions, || drop(warpcell::random::normal(zero, one, a.size())));
    report::<T>("fft", repetitions, || drop(fft::fft(a)));
    report::<T>("rfft", repetitions, || drop(fft::rfft(a)));
    let (rows, image) = (matrix(a, 1000), matrix(a, 4000));
    report::<T>("fft_rows", repetitions, || drop(fft::fft(&rows)));
    report::<T>("fft_columns", repetitions, || drop(fft::fft_with(&rows, None, 0, fft::Norm::Backward)));
    report::<T>("fft2", repetitions, || drop(fft::fft2(&image)));
    let spectrum = fft::fft(&rows);
    report::<T>("fft_complex", repetitions, || drop(fft::fft(&spectrum)));
    report::<T>("multiply_complex", repetitions, || drop(&spectrum * &spectrum));
    let path = std::env::temp_dir().join(format!("warpcell-arrays-{}.npy", std::process::id()));
    warpcell::save(&path, a);
    report::<T>("load", repetitions, || drop(warpcell::load::<T>(&path)));
    std::fs::remove_file(&path).expect("the file was written");
}

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let argument = |index: usize, default: usize| arguments.get(index).copied().unwrap_or(default);
    let (size, repetitions) = (argument(0, 10_000_000), argument(1, 7));
    let (a, b) = (warpcell::asarray(&random(size, 1)), warpcell::asarray(&random(size, 2)));
    floats(&a, &b, repetitions);
    floats(&a.astype::<f32>(), &b.astype::<f32>(), repetitions);
    let integers = ((&a - 0.5) * 4e9).astype::<i32>();
    orders(&integers, repetitions);
    report::<f64>("histogram", repetitions, || drop(warpcell::histogram(&a, 100, (0.0, 1.0))));
    let few = (&a * 1000.0).astype::<i64>();
    report::<i64>("bincount", repetitions, || drop(warpcell::bincount(&few)));
    report::<i64>("unique", repetitions, || drop(warpcell::unique(&few)));
    let sorted = warpcell::sort(&a);
    report::<f64>("searchsorted", repetitions, || drop(warpcell::searchsorted(&sorted, &b, warpcell::Side::Left)));
}
