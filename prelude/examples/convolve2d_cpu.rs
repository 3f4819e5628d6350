//! Prints the median time of a 2-D convolution on the CPU: 2048 × 2048 by 15 × 15, full, on random data.
//!
//! `convolve2d_cpu [size] [kernel size] [repetitions]`; tests/bench compares it with SciPy.

use std::time::Instant;
use warpcell::ndarray::Array2;
use warpcell::prelude::*;
use warpcell::{Number, host};

/// Numbers in 0..1 from a small generator (xorshift64*); their quality does not matter here.
fn random(shape: (usize, usize), seed: u64) -> Array2<f64> {
    let mut state = seed;
    Array2::from_shape_simple_fn(shape, || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    })
}

fn median_ms(repetitions: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut times: Vec<f64> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    eprintln!("  fastest {:.2} ms", times[0]);
    times[repetitions / 2]
}

fn report<T: Number>(image: &Array2<T>, kernel: &Array2<T>, repetitions: usize) {
    let on_host = median_ms(repetitions, || drop(host::convolve2d(image, kernel, Mode::Full)));
    let (image, kernel) = (warpcell::asarray(image), warpcell::asarray(kernel));
    let on_device = median_ms(repetitions, || {
        drop(warpcell::convolve2d(&image, &kernel, Mode::Full));
        warpcell::synchronize();
    });
    println!("{} host {on_host:.2} ms, {} {on_device:.2} ms", T::DTYPE, image.device());
}

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let argument = |index: usize, default: usize| arguments.get(index).copied().unwrap_or(default);
    let (size, width, repetitions) = (argument(0, 2048), argument(1, 15), argument(2, 15));
    let (image, kernel) = (random((size, size), 1), random((width, width), 2));
    report(&image.mapv(|x| x as f32), &kernel.mapv(|x| x as f32), repetitions);
    report(&image, &kernel, repetitions);
}
