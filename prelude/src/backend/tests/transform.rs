//! Fourier transforms along any axes, against sums by definition.

use super::check::Check;
use super::reference::{complex, float, to_bytes};
use crate::backend::Layout;
use crate::dtype::{DType, Scalar};
use num_complex::Complex;
use std::f64::consts::TAU;

/// The sums along one axis, one term after the other; `sign` is that of the exponent.
fn along(data: &[Complex<f64>], shape: &[usize], axis: usize, sign: f64) -> Vec<Complex<f64>> {
    let (length, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    (0..data.len())
        .map(|index| {
            let (k, start) = (index / inner % length, index / (inner * length) * inner * length + index % inner);
            let term = |n: usize| {
                data[start + n * inner] * Complex::from_polar(1.0, sign * TAU * (k * n % length) as f64 / length as f64)
            };
            (0..length).map(term).sum()
        })
        .collect()
}

/// Those of a shape whose index along an axis is at most half its length.
fn first_half(data: &[Complex<f64>], shape: &[usize], axis: usize) -> Vec<Complex<f64>> {
    let (length, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    (0..data.len()).filter(|index| index / inner % length <= length / 2).map(|index| data[index]).collect()
}

#[test]
fn cpu_check_transforms() {
    every_transform(Check::on_cpu());
}

#[test]
#[ignore = "needs a CUDA device and cuFFT"]
fn gpu_check_transforms() {
    every_transform(Check::on_first_device());
}

fn every_transform(mut check: Check) {
    check.backend.can_transform().unwrap();
    let shapes: [(&[usize], &[&[usize]]); 9] = [
        (&[1], &[&[0]]),
        (&[2], &[&[0]]),
        (&[7], &[&[0]]),
        (&[1000], &[&[0]]),
        (&[6, 5], &[&[0], &[1], &[0, 1], &[1, 0]]),
        (&[3, 4, 10], &[&[0], &[1], &[2], &[0, 2], &[2, 1], &[0, 1, 2], &[2, 0, 1]]),
        (&[20, 6, 4], &[&[1], &[0, 1], &[1, 0], &[2, 1]]),
        (&[2, 3, 4, 5], &[&[0, 1, 2, 3], &[3, 2, 1, 0], &[1, 3], &[1, 2]]),
        (&[2, 3, 2, 3, 4], &[&[0, 1, 2, 3, 4], &[0, 2, 4]]),
    ];
    for part in [DType::F32, DType::F64] {
        for (shape, choices) in shapes {
            for axes in choices {
                every_kind(&mut check, part, shape, axes);
            }
        }
        overlapping_rows(&mut check, part);
    }
    check.finish();
}

/// All kinds of transforms of one shape along some axes, of arrays that begin behind another element.
fn every_kind(check: &mut Check, part: DType, shape: &[usize], axes: &[usize]) {
    let size: usize = shape.iter().product();
    let whole = if part == DType::F32 { DType::C64 } else { DType::C128 };
    let wave = |index: usize| ((index * index * 7 + 3) % 19) as f64 - 9.0;
    let numbers: Vec<Complex<f64>> = (0..size).map(|index| Complex::new(wave(index), wave(index + 5))).collect();
    let real: Vec<Complex<f64>> = numbers.iter().map(|number| number.re.into()).collect();
    let scale = 0.5;
    let by_definition = |data: &[Complex<f64>], sign: f64| {
        axes.iter()
            .fold(data.iter().map(|x| x * scale).collect::<Vec<_>>(), |data, &axis| along(&data, shape, axis, sign))
    };
    let last = *axes.last().unwrap();
    let mut halved = shape.to_vec();
    halved[last] = shape[last] / 2 + 1;
    let spectrum = by_definition(&real, -1.0);
    let half = first_half(&spectrum, shape, last);
    let count: f64 = axes.iter().map(|&axis| shape[axis] as f64).product();
    let back: Vec<Complex<f64>> = real.iter().map(|x| x * scale * scale * count).collect();
    let cases = [
        ("forward", false, whole, shape, &numbers, whole, shape, by_definition(&numbers, -1.0)),
        ("inverse", true, whole, shape, &numbers, whole, shape, by_definition(&numbers, 1.0)),
        ("of real numbers", false, part, shape, &real, whole, shape, spectrum.clone()),
        ("to the first half", false, part, shape, &real, whole, &halved[..], half.clone()),
        ("to real numbers", true, whole, &halved[..], &half, part, shape, back),
    ];
    let magnitude = 9.0 * size as f64;
    for (what, is_inverse, from, from_shape, x, to, to_shape, expected) in cases {
        let scalar = |value: &Complex<f64>, dtype: DType| match dtype.is_complex() {
            true => complex(value.re, value.im, dtype),
            false => Scalar::of_float(value.re, dtype),
        };
        let mut values = vec![scalar(&Complex::new(77.0, 0.0), from)];
        values.extend(x.iter().map(|value| scalar(value, from)));
        let layout = Layout { offset: 1, ..Layout::contiguous(from_shape) };
        let x = check.array_of(from, layout, values.clone());
        let expected: Vec<Scalar> = expected.iter().map(|value| scalar(value, to)).collect();
        let tolerance = if part == DType::F32 { 1e-6 } else { 1e-14 };
        let scales = vec![magnitude * if what == "to real numbers" { count } else { 1.0 }; expected.len()];
        let out = (Layout::contiguous(to_shape), expected.len());
        let name = format!("transform {what} of {shape:?} along {axes:?}");
        check.expect(&name, to, out.clone(), &expected, (tolerance, &scales), |backend, out| {
            backend.transform(axes, is_inverse, scale, false, x.view(), out)
        });
        // What is transformed stays as it was.
        let mut bytes = vec![0; values.len() * from.size()];
        check.backend.download(&x.allocation, 0, &mut bytes).unwrap();
        let unchanged = bytes == to_bytes(&values);
        check.note(unchanged, &|| format!("{name} leaves its input alone"));
        if what == "to real numbers" {
            check.expect(&name, to, out, &expected, (tolerance, &scales), |backend, out| {
                backend.transform(axes, is_inverse, scale, true, x.view(), out)
            });
        }
    }
}

/// Rows of real numbers that have elements in common.
fn overlapping_rows(check: &mut Check, part: DType) {
    let whole = if part == DType::F32 { DType::C64 } else { DType::C128 };
    for (count, length, apart) in [(1, 12, 6), (4, 12, 6), (5, 7, 2), (3, 1000, 998), (3, 8, 8)] {
        let layout = Layout { shape: vec![count, length], strides: vec![apart as isize, 1], offset: 0 };
        let x = check.array(part, layout, length + (count - 1) * apart, 77, false);
        let elements: Vec<Complex<f64>> = x.elements().into_iter().map(|value| float(value).into()).collect();
        let spectrum = first_half(&along(&elements, &[count, length], 1, -1.0), &[count, length], 1);
        let expected: Vec<Scalar> = spectrum.iter().map(|value| complex(value.re, value.im, whole)).collect();
        let (tolerance, scales) =
            (if part == DType::F32 { 1e-6 } else { 1e-14 }, vec![2.0 * length as f64; expected.len()]);
        let out = (Layout::contiguous(&[count, length / 2 + 1]), expected.len());
        let what = format!("transform of {count} rows of {length}, {apart} apart");
        check.expect(&what, whole, out, &expected, (tolerance, &scales), |backend, out| {
            backend.transform(&[1], false, 1.0, false, x.view(), out)
        });
    }
}
