//! Correlation, and convolution by Fourier transforms: results equal those of NumPy and SciPy.

use crate::fixtures::{Sample, assert_same, cases, device, host, mode, with_dtype};
use expect_test::{Expect, expect};
use serde_json::Value;
use warpcell as gpu;
use warpcell::ndarray::ArrayD;
use warpcell::prelude::*;
use warpcell::{Float, Method, Number};

#[test]
fn correlate() {
    fn check<T: Sample + Number>(case: &Value) {
        let expected = host::<T>(case, "expected");
        let (a, v) = (host::<T>(case, "a"), host::<T>(case, "v"));
        let on_device = gpu::correlate(&gpu::asarray(&a), &gpu::asarray(&v), mode(case));
        assert_same(&on_device.to_host(), &expected, 0.0, case);
        assert_same(&gpu::correlate(&a, &v, mode(case)).into_dyn(), &expected, 0.0, case);
        // Other strides.
        let backwards = |x: &ArrayD<T>| gpu::flip(&gpu::asarray(&x.slice(s![..;-1])), 0);
        let on_device = gpu::correlate(&backwards(&a), &backwards(&v), mode(case));
        assert_same(&on_device.to_host(), &expected, 0.0, case);
        let (a, v) = (a.slice(s![..;-1]).to_owned(), v.slice(s![..;-1]).to_owned());
        let on_host = gpu::correlate(&a.slice(s![..;-1]), &v.slice(s![..;-1]), mode(case));
        assert_same(&on_host.into_dyn(), &expected, 0.0, case);
    }
    for case in cases("correlate") {
        with_dtype!(case["a"]["dtype"], [u8 i32 i64 u64 f32 f64], check(case));
    }
}

#[test]
fn correlate2d() {
    fn check<T: Sample + Number>(case: &Value) {
        let boundary = match case["boundary"].as_str() {
            Some("fill") => Boundary::Fill(T::read(&case["fill"])),
            Some("wrap") => Boundary::Wrap,
            Some("symmetric") => Boundary::Symmetric,
            _ => panic!("{case}"),
        };
        let expected = host::<T>(case, "expected");
        let (image, kernel) = (device::<T>(case, "image"), device::<T>(case, "kernel"));
        let on_device = gpu::correlate2d_with(&image, &kernel, mode(case), boundary);
        assert_same(&on_device.to_host(), &expected, 0.0, case);
        let (image, kernel) = (host::<T>(case, "image"), host::<T>(case, "kernel"));
        assert_same(&gpu::correlate2d_with(&image, &kernel, mode(case), boundary), &expected, 0.0, case);
        if boundary == Boundary::Fill(T::default()) {
            assert_same(&gpu::correlate2d(&image, &kernel, mode(case)), &expected, 0.0, case);
        }
    }
    for case in cases("correlate2d") {
        with_dtype!(case["image"]["dtype"], [u8 i32 i64 u64 f32 f64], check(case));
    }
}

/// Compares to a tolerance relative to the largest element.
#[track_caller]
fn assert_near<T: Float>(found: &ArrayD<T>, expected: &ArrayD<T>, tolerance: f64, what: &dyn std::fmt::Display) {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    let scale = expected.iter().map(|value| value.to_f64().abs()).fold(0.0, f64::max);
    for (found, expected) in found.iter().zip(expected) {
        let distance = (found.to_f64() - expected.to_f64()).abs();
        assert!(distance <= tolerance * scale, "{found} is not {expected}\n{what}");
    }
}

#[test]
fn fftconvolve() {
    fn floats<T: Sample + Float>(case: &Value, tolerance: f64) {
        let expected = host::<T>(case, "expected");
        let (a, k) = (host::<T>(case, "a"), host::<T>(case, "k"));
        assert_near(&gpu::fftconvolve(&a, &k, mode(case)), &expected, tolerance, case);
        assert_near(&gpu::convolve_with(&a, &k, mode(case), Method::Auto), &expected, tolerance, case);
        let (x, y) = (gpu::asarray(&a), gpu::asarray(&k));
        assert_near(&gpu::convolve_with(&x, &y, mode(case), Method::Auto).to_host(), &expected, tolerance, case);
        if gpu::try_fftconvolve(&x, &y, mode(case)).is_ok() {
            assert_near(&gpu::fftconvolve(&x, &y, mode(case)).to_host(), &expected, tolerance, case);
            let (x, y) = (x.t().copy().t(), y.t().copy().t());
            assert_near(&gpu::fftconvolve(&x, &y, mode(case)).to_host(), &expected, tolerance, case);
        }
        if a.ndim() <= 2 {
            assert_same(&gpu::convolve_with(&a, &k, mode(case), Method::Direct), &expected, 0.0, case);
            assert_same(&gpu::convolve_with(&x, &y, mode(case), Method::Direct).to_host(), &expected, 0.0, case);
        }
    }
    fn integers<T: Sample + Number>(case: &Value) {
        let expected = host::<T>(case, "expected");
        let (a, k) = (host::<T>(case, "a"), host::<T>(case, "k"));
        assert_eq!(gpu::choose_conv_method(&a, &k, mode(case)), Method::Direct);
        assert_same(&gpu::convolve_with(&a, &k, mode(case), Method::Auto), &expected, 0.0, case);
    }
    for case in cases("fftconvolve") {
        match case["a"]["dtype"].as_str() {
            Some("f32") => floats::<f32>(case, 1e-6),
            Some("f64") => floats::<f64>(case, 1e-14),
            _ => with_dtype!(case["a"]["dtype"], [u8 i32 u64], integers(case)),
        }
    }
}

/// Sizes at which there are several pieces, with ends of every length, against the sum itself.
#[test]
fn long_signals_are_transformed_in_pieces() {
    let mut random = gpu::host::random::Generator::new(17);
    for (n, k) in [(30_000, 1), (30_000, 2), (40_000, 100), (20_485, 700), (60_001, 1000), (1000, 60_001)] {
        let (a, v) = (random.normal(0.0, 1.0, n), random.normal(0.0, 1.0, k));
        for mode in [Mode::Full, Mode::Same, Mode::Valid] {
            let exact = gpu::convolve_with(&a, &v, mode, Method::Direct).into_dyn();
            let what = format!("{n} with {k} in {mode:?}");
            assert_near(&gpu::fftconvolve(&a, &v, mode).into_dyn(), &exact, 1e-14, &what);
            if let Ok(found) = gpu::try_fftconvolve(&gpu::asarray(&a), &gpu::asarray(&v), mode) {
                assert_near(&found.to_host(), &exact, 1e-14, &what);
            }
            let (a, v) = (a.mapv(|x| x as f32), v.mapv(|x| x as f32));
            let exact = exact.mapv(|x| x as f32);
            assert_near(&gpu::fftconvolve(&a, &v, mode).into_dyn(), &exact, 3e-6, &what);
        }
    }
}

#[test]
fn large_kernels_and_pictures() {
    let mut random = gpu::host::random::Generator::new(18);
    for (shape, kernel) in [((150, 133), (60, 61)), ((64, 64), (64, 64)), ((10, 300), (40, 9))] {
        let (a, v) = (random.uniform(-1.0, 1.0, shape), random.uniform(-1.0, 1.0, kernel));
        for mode in [Mode::Full, Mode::Same] {
            let exact = gpu::convolve_with(&a, &v, mode, Method::Direct).into_dyn();
            let what = format!("{shape:?} with {kernel:?} in {mode:?}");
            assert_near(&gpu::fftconvolve(&a, &v, mode).into_dyn(), &exact, 1e-14, &what);
        }
    }
    let zeros = Array2::<f64>::zeros((5, 5));
    assert_eq!(gpu::fftconvolve(&zeros, &zeros, Mode::Same), zeros);
}

#[track_caller]
fn check<T>(result: gpu::Result<T>, expected: Expect) {
    let Err(error) = result else { panic!("no error") };
    expected.assert_eq(&error.to_string());
}

#[test]
fn what_cannot_be_convolved() {
    let (line, plane) = (gpu::zeros::<f64>(3), gpu::zeros::<f64>((3, 4)));
    check(
        gpu::try_correlate(&plane, &line, Mode::Full),
        expect![
            "correlate: the shape [3, 4] is not 1-D; flatten the array first with `ravel`, or use `correlate2d` for 2-D arrays"
        ],
    );
    check(
        gpu::try_correlate(&line, &gpu::zeros::<f64>(0), Mode::Full),
        expect!["correlate: the shape [0] has no elements; correlate arrays that have some"],
    );
    check(
        gpu::try_fftconvolve(&plane, &line, Mode::Full),
        expect![
            "fftconvolve: the shape [3] has a different number of axes than [3, 4]; insert axes of length 1 with `expand_dims`"
        ],
    );
    check(
        gpu::try_fftconvolve(&line, &gpu::zeros::<f64>(0), Mode::Full),
        expect!["fftconvolve: the shape [0] has no elements; give arrays that have some"],
    );
    check(
        gpu::try_fftconvolve(&gpu::zeros::<f64>(()), &gpu::zeros::<f64>(()), Mode::Full),
        expect!["fftconvolve: the shape [] has no axes; give arrays with at least one axis"],
    );
    check(
        gpu::try_fftconvolve(&plane, &gpu::zeros::<f64>((5, 2)), Mode::Valid),
        expect![
            "fftconvolve: in Mode::Valid, one array must be at least as large as the other along both axes, but the shapes are [3, 4] and [5, 2]; use Mode::Full or Mode::Same, or a smaller kernel"
        ],
    );
    let integers = Array2::<i32>::zeros((3, 4));
    check(
        gpu::try_convolve_with(&integers, &integers, Mode::Full, Method::Fft),
        expect![
            "convolve_with: arrays of i32 are not supported; convert them first, such as with `a.astype::<f64>()`, or use Method::Direct"
        ],
    );
    let cube = ndarray::Array3::<i32>::zeros((2, 2, 2));
    check(
        gpu::try_convolve_with(&cube, &cube, Mode::Full, Method::Auto),
        expect![
            "convolve_with: the shape [2, 2, 2] has more than two axes, which Method::Direct does not support; use Method::Fft, with floats"
        ],
    );
    let message =
        std::panic::catch_unwind(|| gpu::correlate2d(&gpu::zeros::<f64>(3), &gpu::zeros::<f64>(3), Mode::Full));
    expect!["correlate2d: the shape [3] is not 2-D; reshape the array to two axes, or use `correlate` for 1-D arrays"]
        .assert_eq(&message.expect_err("a panic").downcast::<String>().expect("a message"));
}
