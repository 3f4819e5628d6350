//! What the CPU computes by loops over lines and vectors, against the kernels and operations that other devices run.

use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::special::{self, scalar};
use warpcell::{by_kernels, fft, signal};

fn normal(seed: u64, shape: impl gpu::IntoShape) -> DeviceArray<f64> {
    gpu::random::Generator::new(seed).normal(0.0, 1.0, shape)
}

/// Both are the same up to rounding.
fn near(name: &str, found: &DeviceArray<f64>, wanted: &DeviceArray<f64>) {
    assert_eq!(found.shape(), wanted.shape(), "{name}");
    if found.size() > 0 {
        let room = 1e-11 * (1.0 + wanted.abs().max());
        assert!((found - wanted).abs().max() <= room, "{name}: {}", (found - wanted).abs().max());
    }
}

#[test]
fn recursive_filters() {
    let sections = signal::butter!(5, 0.2, output = "sos");
    let (b, a) = signal::butter(3, 0.3);
    for (rows, length) in [(1, 1), (1, 70), (3, 700), (7, 3001), (1, 20_000), (17, 65), (20, 1500), (24, 128)] {
        let x = normal(length as u64, (rows, length));
        let name = |what: &str| format!("{what} of {rows} signals of {length}");
        let run = || signal::sosfilt(&sections, &x);
        near(&name("sections"), &run(), &by_kernels(run));
        let run = || signal::lfilter(&b, &a, &x);
        near(&name("order 3"), &run(), &by_kernels(run));
        let run = || signal::lfilter(0.5, &[1.0, -0.9], &x);
        near(&name("order 1"), &run(), &by_kernels(run));
        let run = || signal::sosfilt!(&sections, &x.t(), axis = 0);
        near(&name("columns"), &run(), &by_kernels(run));
        if length > 60 {
            let run = || signal::sosfiltfilt(&sections, &x);
            near(&name("both ways"), &run(), &by_kernels(run));
            let run = || signal::decimate(&x, 3);
            near(&name("every third"), &run(), &by_kernels(run));
        }
        let states = normal(7, (3, rows, 2));
        let run = || signal::sosfilt!(&sections, &x, zi = &states);
        let (found, wanted) = (run(), by_kernels(run));
        near(&name("from states"), &found.0, &wanted.0);
        near(&name("last states"), &found.1, &wanted.1);
    }
}

#[test]
fn filters_between_samples() {
    for (rows, length) in [(1, 1), (2, 33), (3, 500), (1, 20_000)] {
        let x = normal(length as u64, (rows, length));
        for taps in [1, 2, 7, 60] {
            let h = normal(taps as u64, taps);
            let plain = || signal::lfilter(&h, 1.0, &x);
            assert!(gpu::array_equal(&plain(), &by_kernels(plain)), "{taps} taps of {length}");
            for (up, down) in [(1, 1), (1, 2), (2, 1), (3, 2), (4, 6), (5, 3), (1, 9), (16, 1)] {
                let run = || signal::upfirdn!(&h, &x, up = up, down = down);
                let name = format!("{taps} taps of {length}, {up} by {down}");
                assert!(gpu::array_equal(&run(), &by_kernels(run)), "{name}");
            }
        }
        let run = || signal::resample_poly(&x, 3, 2);
        assert!(gpu::array_equal(&run(), &by_kernels(run)), "{length} at another rate");
    }
}

#[test]
fn smoothing_by_polynomials() {
    for (rows, length) in [(1, 11), (3, 40), (2, 5000)] {
        let x = normal(length as u64, (rows, length));
        for (window, degree) in [(1, 0), (5, 2), (11, 3)] {
            for mode in ["interp", "mirror", "nearest", "wrap", "constant"] {
                let run = || signal::savgol_filter!(&x, window, degree, mode = mode);
                assert!(gpu::array_equal(&run(), &by_kernels(run)), "{window} of {length}, {mode}");
            }
        }
    }
}

#[test]
fn peaks_and_plateaus() {
    for length in [0, 1, 2, 3, 10, 1000, 100_000] {
        // Few values: many are equal to their neighbours.
        let x = (normal(length as u64, length) * 2.0).floor();
        let run = || signal::find_peaks!(&x, plateau_size = 1.0);
        let (found, wanted) = (run(), by_kernels(run));
        assert_eq!(found.0.tolist(), wanted.0.tolist(), "{length}");
        assert_eq!(found.1.plateau_sizes.tolist(), wanted.1.plateau_sizes.tolist(), "{length}");
        let slow: Vec<i64> = {
            let x = x.tolist();
            let end = |at: usize| (at..length).find(|&other| x[other] != x[at]);
            let is_peak = |at: &usize| *at > 0 && x[*at - 1] < x[*at] && end(*at).is_some_and(|end| x[end] < x[*at]);
            (0..length).filter(is_peak).map(|at| ((at + end(at).unwrap() - 1) / 2) as i64).collect()
        };
        assert_eq!(found.0.tolist(), slow, "{length}");
    }
}

#[test]
fn cosine_transforms() {
    for shape in [(1, 2), (3, 5), (2, 64), (9, 30), (40, 33), (17, 100), (16, 52), (70, 64), (8, 1030)] {
        let x = normal(shape.1 as u64, shape);
        for kind in 1..=4 {
            for (norm, name) in [(fft::Norm::Backward, "backward"), (fft::Norm::Ortho, "ortho")] {
                let all = || {
                    [
                        fft::dct_with(&x, kind, None, -1, norm, None),
                        fft::dst_with(&x, kind, None, -1, norm, None),
                        fft::idct_with(&x, kind, None, -1, norm, None),
                        fft::idst_with(&x, kind, None, -1, norm, None),
                        fft::dst_with(&x, kind, 7, 0, norm, None),
                        fft::idct_with(&x, kind, 6, 0, norm, None),
                        fft::dstn_with(&x, kind, None, None, norm, None),
                    ]
                };
                for (number, (found, wanted)) in all().iter().zip(&by_kernels(all)).enumerate() {
                    near(&format!("{number}: type {kind} of {shape:?}, {name}"), found, wanted);
                }
                let single = x.astype::<f32>();
                let run = || fft::dct_with(&single, kind, None, -1, norm, None).astype::<f64>();
                let (found, wanted) = (run(), by_kernels(run));
                let error = (&found - &wanted).abs().max();
                assert!(error <= 1e-5 * (1.0 + wanted.abs().max()), "f32: type {kind} of {shape:?}: {error}");
            }
        }
    }
}

/// Arrays are computed in vectors, numbers are not.
#[test]
fn special_functions_have_the_bits_of_those_of_numbers() {
    let ends = [0.0, -0.0, f64::NAN, f64::INFINITY, -f64::INFINITY, 1e-320, -1e-310, 1e-200, 1e17, 1e18, -1e18, 1e300];
    let near = [0.5, 1.0, 2.0, 2.5, 8.0, 10.0, 20.0, 26.0, 26.6, 26.65, 27.3, 36.0, 37.5, 38.0, 171.6];
    let edges = near.iter().flat_map(|x: &f64| [*x, -x, x.next_up(), -x.next_up(), x.next_down(), -x.next_down()]);
    let mut x: Vec<f64> = ends.into_iter().chain(edges).collect();
    for (seed, scale) in [(1, 1.0), (2, 5.0), (3, 15.0), (4, 200.0), (5, 1e-4)] {
        x.extend((normal(seed, 5000) * scale).tolist());
    }
    // A GPU has other elementary functions.
    gpu::Device::Cpu.with(|| {
        let doubles = gpu::array(&x);
        let singles = doubles.astype::<f32>();
        let rounded = singles.tolist();
        macro_rules! compare {
            ($($name:ident)*) => {$(
                let found = special::$name(&doubles).tolist();
                for (x, found) in x.iter().zip(found) {
                    let wanted = scalar::$name(*x);
                    assert!(found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
                        "{}({x:e}): {found:e}, not {wanted:e}", stringify!($name));
                }
                let found = special::$name(&singles).tolist();
                for (x, found) in rounded.iter().zip(found) {
                    let wanted = scalar::$name(*x as f64) as f32;
                    assert!(found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
                        "f32: {}({x:e}): {found:e}, not {wanted:e}", stringify!($name));
                }
            )*};
        }
        compare!(erf erfc erfcx ndtr gamma gammaln j0 j1);
    });
}

/// What the CPU copies into its loops stays apart on a GPU, which computes elementary functions of its own.
#[test]
fn special_functions_are_translated() {
    let texts = [
        (gpu::cuda_source(scalar::erf), "erf_near", "exp(x)"),
        (gpu::cuda_source(scalar::ndtr), "erf_near", "exp(x)"),
        (gpu::cuda_source(scalar::gamma), "sine_of_turns", "exp(x)"),
        (gpu::cuda_source(scalar::gammaln), "stirling_gap", "log(x)"),
        (gpu::cuda_source(scalar::j0), "j0_near", "sincos(x"),
        (gpu::cuda_source(scalar::betainc), "stirling_gap", "pow(base, exponent)"),
        (gpu::cuda_source(scalar::gammaincc), "stirling_gap", "pow(base, exponent)"),
    ];
    for (text, apart, elementary) in &texts {
        let is_apart = |line: &str| line.contains("__noinline__") && line.contains(apart);
        assert!(text.contains("__global__") && text.lines().any(is_apart), "{apart}: {text}");
        assert!(text.contains(elementary) && !text.contains("6755399441055744"), "{elementary}: {text}");
    }
}

#[test]
fn widths_of_bands() {
    for (rows, columns) in [(1, 1), (3, 200), (200, 3), (300, 301)] {
        for (below, above) in [(0, 0), (1, 0), (0, 2), (2, 150), (150, 1), (400, 400)] {
            let places = gpu::arange(columns as f64).expand_dims(0) - gpu::arange(rows as f64).expand_dims(-1);
            let band = (places.ge(-(below as f64)) & places.le(above as f64)).astype::<f64>() * -2.0;
            let run = || gpu::linalg::bandwidth(&band);
            let wanted = (below.min(rows - 1), above.min(columns - 1));
            assert_eq!((run(), by_kernels(run)), (wanted, wanted), "{rows} by {columns}");
            let whole = band.astype::<i64>();
            assert_eq!(gpu::linalg::bandwidth(&whole), wanted);
            assert_eq!(gpu::linalg::bandwidth(&whole.t()), (wanted.1, wanted.0));
            assert_eq!(gpu::linalg::bandwidth(&band.astype::<f32>().astype::<gpu::f16>()), wanted);
        }
    }
}
