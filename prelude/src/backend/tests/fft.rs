//! Fourier transforms on a GPU, against sums by definition.

use crate::backend::cuda::{open, probe};
use crate::backend::{Allocation, Backend, Layout, View};
use crate::dtype::DType;
use num_complex::Complex;
use std::f64::consts::TAU;
use std::sync::Arc;

fn to_bytes(values: &[f64], dtype: DType) -> Vec<u8> {
    match dtype {
        DType::F32 => values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(),
        _ => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
    }
}

fn from_device(gpu: &Arc<dyn Backend>, allocation: &Arc<dyn Allocation>, count: usize, dtype: DType) -> Vec<f64> {
    let mut bytes = vec![0; count * dtype.size()];
    gpu.download(allocation, 0, &mut bytes).unwrap();
    match dtype {
        DType::F32 => bytes.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()).into()).collect(),
        _ => bytes.chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect(),
    }
}

/// The transform of one array along all axes, one term after the other.
fn transformed(x: &[f64], lengths: &[usize]) -> Vec<Complex<f64>> {
    let mut data: Vec<Complex<f64>> = x.iter().map(|&x| Complex::new(x, 0.0)).collect();
    for (axis, &length) in lengths.iter().enumerate() {
        let inner: usize = lengths[axis + 1..].iter().product();
        data = (0..data.len())
            .map(|index| {
                let (k, start) = (index / inner % length, index / (inner * length) * inner * length + index % inner);
                let term = |n: usize| {
                    data[start + n * inner] * Complex::from_polar(1.0, -TAU * (k * n % length) as f64 / length as f64)
                };
                (0..length).map(term).sum()
            })
            .collect();
    }
    data
}

#[test]
#[ignore = "needs a CUDA device and cuFFT"]
fn gpu_check_fft() {
    probe().unwrap_or_else(|reason| panic!("no CUDA device: {reason}"));
    let gpu = open(0).unwrap();
    gpu.can_transform().unwrap();
    for dtype in [DType::F32, DType::F64] {
        for lengths in [
            &[1][..],
            &[2],
            &[7],
            &[48],
            &[1000],
            &[6, 4],
            &[35, 30],
            &[3, 1, 2],
            &[4, 9, 10],
            &[2, 3, 4, 6],
            &[2, 3, 2, 3, 4],
        ] {
            for (count, distance) in [(1, 0), (3, 0), (3, 2)] {
                if lengths[0] >= 2 || distance == 0 {
                    one(&gpu, dtype, lengths, count, distance);
                }
            }
        }
    }
}

/// `distance` 0 stands for arrays that follow one another.
fn one(gpu: &Arc<dyn Backend>, dtype: DType, lengths: &[usize], count: usize, distance: usize) {
    let size: usize = lengths.iter().product();
    let distance = if distance == 0 { size } else { distance };
    let values: Vec<f64> =
        (0..size + (count - 1) * distance).map(|index| ((index * index * 7 + 3) % 19) as f64 - 9.0).collect();
    let last = *lengths.last().unwrap();
    let half = last / 2 + 1;
    let shape = [&[count], lengths].concat();
    let mut layout = Layout::contiguous(&shape);
    layout.strides[0] = distance as isize;
    let complex = Layout::contiguous(&[&shape[..shape.len() - 1], &[half, 2]].concat());
    let from = gpu.allocate(values.len() * dtype.size()).unwrap();
    gpu.upload(&to_bytes(&values, dtype), &from).unwrap();
    let numbers = complex.size();
    let to = gpu.allocate(numbers * dtype.size()).unwrap();
    let view = |allocation, layout| View { allocation, layout, dtype };
    gpu.transform_real(view(&from, &layout), view(&to, &complex)).unwrap();
    let found = from_device(gpu, &to, numbers, dtype);
    let tolerance = if dtype == DType::F32 { 1e-6 } else { 1e-14 } * 9.0 * size as f64;
    let what = format!("{count} of {lengths:?} of {dtype}, {distance} apart");
    let mut spectra = Vec::new();
    for which in 0..count {
        let full = transformed(&values[which * distance..][..size], lengths);
        spectra.extend(full.chunks(last).flat_map(|line| line[..half].to_vec()));
    }
    let near = |found: &[f64], expected: &Complex<f64>, factor: f64| {
        let found = Complex::new(found[0], found[1]);
        assert!((found - expected).norm() <= tolerance * factor, "{what}: {found}, not {expected}");
    };
    found.chunks(2).zip(&spectra).for_each(|(found, expected)| near(found, expected, 1.0));

    // The product with the first spectrum of all.
    let square = gpu.allocate(numbers * dtype.size()).unwrap();
    gpu.upload(&to_bytes(&found, dtype), &square).unwrap();
    let first = Layout::contiguous(&[&[1], &complex.shape[1..]].concat());
    gpu.multiply_spectra(view(&square, &complex), view(&to, &first), 0.5).unwrap();
    let products = from_device(gpu, &square, numbers, dtype);
    for (index, found) in products.chunks(2).enumerate() {
        let expected = spectra[index] * spectra[index % (spectra.len() / count)] * 0.5;
        near(found, &expected, 9.0 * size as f64);
    }

    let dense = Layout::contiguous(&shape);
    let back = gpu.allocate(dense.size() * dtype.size()).unwrap();
    gpu.transform_back(view(&to, &complex), view(&back, &dense)).unwrap();
    for (index, found) in from_device(gpu, &back, dense.size(), dtype).into_iter().enumerate() {
        let expected = values[index / size * distance + index % size];
        assert!((found / size as f64 - expected).abs() <= tolerance, "{what}: {found} comes back for {expected}");
    }
}
