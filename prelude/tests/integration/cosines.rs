//! Cosine and sine transforms of `gpu::fft` by their definition. Rows of `names.rs` compare them with SciPy.

use crate::fixtures::message;
use std::f64::consts::PI;
use warpcell as gpu;
use warpcell::fft;
use warpcell::prelude::*;

/// The sum that defines a transform.
fn defined(x: &[f64], kind: usize, is_sine: bool) -> Vec<f64> {
    let n = x.len();
    let term = |k: usize, j: usize| {
        let (k, j, n) = (k as f64, j as f64, n as f64);
        match (kind, is_sine) {
            (1, false) => (PI * k * j / (n - 1.0)).cos() * if j == 0.0 || j == n - 1.0 { 1.0 } else { 2.0 },
            (2, false) => 2.0 * (PI * k * (2.0 * j + 1.0) / (2.0 * n)).cos(),
            (3, false) => (PI * j * (2.0 * k + 1.0) / (2.0 * n)).cos() * if j == 0.0 { 1.0 } else { 2.0 },
            (4, false) => 2.0 * (PI * (2.0 * k + 1.0) * (2.0 * j + 1.0) / (4.0 * n)).cos(),
            (1, true) => 2.0 * (PI * (k + 1.0) * (j + 1.0) / (n + 1.0)).sin(),
            (2, true) => 2.0 * (PI * (k + 1.0) * (2.0 * j + 1.0) / (2.0 * n)).sin(),
            (3, true) if j == n - 1.0 => (-1f64).powf(k),
            (3, true) => 2.0 * (PI * (j + 1.0) * (2.0 * k + 1.0) / (2.0 * n)).sin(),
            _ => 2.0 * (PI * (2.0 * k + 1.0) * (2.0 * j + 1.0) / (4.0 * n)).sin(),
        }
    };
    (0..n).map(|k| (0..n).map(|j| x[j] * term(k, j)).sum()).collect()
}

#[test]
fn transforms_are_their_sums() {
    for n in [2, 3, 8, 15, 64, 101] {
        let x: Vec<f64> = (0..n).map(|j| (j as f64 * 1.7).sin() + 0.1).collect();
        let a = gpu::array(&x);
        // Columns, of which the second is the negative of the first.
        let columns = gpu::stack([&a, &-&a], 1);
        for kind in 1..=4 {
            for is_sine in [false, true] {
                let expected = defined(&x, kind, is_sine);
                let run = |x: &DeviceArray<f64>, axis| match is_sine {
                    false => fft::dct!(x, type = kind, axis = axis),
                    true => fft::dst!(x, type = kind, axis = axis),
                };
                let back = |x: &DeviceArray<f64>, norm: fft::Norm| match is_sine {
                    false => fft::idct_with(x, kind, None, -1, norm, None),
                    true => fft::idst_with(x, kind, None, -1, norm, None),
                };
                let found = run(&a, -1);
                let near = |found: &DeviceArray<f64>, room: f64| gpu::allclose_with(found, &expected, 0.0, room, false);
                assert!(near(&found, 1e-12 * n as f64), "{n} {kind} {is_sine}: {found:?} {expected:?}");
                assert!(gpu::allclose(&run(&columns, 0).slice(s![.., 1]), &-&found), "{n} {kind} {is_sine}");
                assert!(gpu::allclose(&back(&found, fft::Norm::Backward), &a), "{n} {kind} {is_sine}");
                let narrow = match is_sine {
                    false => fft::dct!(&a.astype::<f32>(), type = kind),
                    true => fft::dst!(&a.astype::<f32>(), type = kind),
                };
                assert!(near(&narrow.astype(), 2e-6 * n as f64), "{n} {kind} {is_sine}");
                for norm in [fft::Norm::Ortho, fft::Norm::Forward] {
                    let found = match is_sine {
                        false => fft::dct_with(&a, kind, None, -1, norm, None),
                        true => fft::dst_with(&a, kind, None, -1, norm, None),
                    };
                    assert!(gpu::allclose(&back(&found, norm), &a), "{n} {kind} {is_sine} {norm:?}");
                    if norm == fft::Norm::Ortho {
                        let squares = |a: &DeviceArray<f64>| (a * a).sum();
                        assert!((squares(&found) / squares(&a) - 1.0).abs() < 1e-12, "{n} {kind} {is_sine}");
                    }
                }
            }
        }
    }
}

#[test]
fn empty_arrays_and_mistakes() {
    assert_eq!(fft::dct(&gpu::zeros::<f32>((0, 3))).shape(), [0, 3]);
    assert_eq!(fft::dst!(&gpu::zeros::<f64>((2, 0)), n = 4).sum(), 0.0);
    assert_eq!(fft::dct(&gpu::array(&[3])).tolist(), [6.0]);
    assert_eq!(fft::dst!(&gpu::array(&[3.0]), type = 1).tolist(), [6.0]);
    assert_eq!(fft::dctn(&gpu::full((), 2.0)).item(), 2.0);
    let a = gpu::ones::<f64>((2, 3));
    let errors: Vec<(String, &str)> = vec![
        (message(|| fft::dct!(&a, type = 5)), "`type` is 5; give 1, 2, 3 or 4"),
        (message(|| fft::dct!(&a, axis = 2)), "no axis 2"),
        (
            message(|| fft::dct(&gpu::zeros::<f64>(0))),
            "gives 0 points to transform along axis 0; type 2 needs at least 1",
        ),
        (
            message(|| fft::dct!(&gpu::ones::<f64>(1), type = 1)),
            "gives 1 points to transform along axis 0; type 1 needs at least 2",
        ),
        (message(|| fft::dstn!(&a, axes = (0, 0))), "axis 0 twice"),
        (message(|| fft::idctn!(&a, s = (2, 3), axes = 0)), "along 1 axes, but 2 lengths are given"),
        (message(|| fft::dst!(&a, n = 0)), "gives 0 points"),
    ];
    for (found, wanted) in errors {
        assert!(found.contains(wanted), "{found}\nhas not: {wanted}");
    }
}
