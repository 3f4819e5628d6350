//! Products of vectors and matrices, against sums by definition.

use super::check::{Check, close};
use super::reference::*;
use crate::backend::{BinaryOperation, Layout, View};
use crate::dtype::{DType, Scalar};
use num_complex::Complex;

#[test]
fn cpu_check_products() {
    every_product(Check::on_cpu());
}

#[test]
#[ignore = "needs a CUDA device and cuBLAS"]
fn gpu_check_products() {
    every_product(Check::on_first_device());
}

fn every_product(mut check: Check) {
    let mut shapes = vec![
        [1, 1, 1],
        [2, 3, 4],
        [1, 100, 1],
        [65, 33, 70],
        [64, 16, 64],
        [3, 1000, 2],
        [130, 1, 5],
        [1, 40, 90],
        [200, 30, 1],
        // Enough for large tiles on every multiprocessor.
        [1700, 5, 1601],
    ];
    shapes.retain(|shape| check.takes(shape.iter().product::<usize>() / 4));
    matrices(&mut check, &TYPES, &shapes);
    stacks(&mut check);
    let mut lengths = vec![1, 2, 15, 16, 17, 1003, 300_001];
    lengths.retain(|&length| check.takes(length));
    dots(&mut check, &lengths);
    check.finish();
}

/// Numbers of all 32 bits, as many as are multiplied by their digits; neighbours along either axis of either side.
#[test]
#[ignore = "needs a CUDA device and cuBLAS"]
fn gpu_products_by_digits() {
    let mut check = Check::on_first_device();
    let [rows, inner, columns] = [513, 530, 512];
    let number = |seed: usize, at: usize| ((at * 2 + seed) as u32).wrapping_mul(2_654_435_769) ^ (at as u32) << 7;
    let numbers = |seed, count| (0..count).map(|at| number(seed, at)).collect::<Vec<u32>>();
    let (in_a, in_b) = (numbers(1, rows * inner), numbers(2, inner * columns));
    let mut expected = vec![0u32; rows * columns];
    for (row, out) in expected.chunks_mut(columns).enumerate() {
        for term in 0..inner {
            let factor = in_a[row * inner + term];
            for (sum, other) in out.iter_mut().zip(&in_b[term * columns..][..columns]) {
                *sum = sum.wrapping_add(factor.wrapping_mul(*other));
            }
        }
    }
    for dtype in [DType::I32, DType::U32] {
        let scalar = |bits: u32| if dtype == DType::I32 { Scalar::I32(bits as i32) } else { Scalar::U32(bits) };
        let expected: Vec<Scalar> = expected.iter().copied().map(scalar).collect();
        for turned in [[false, false], [true, false], [false, true], [true, true]] {
            let side = |check: &mut Check, numbers: &[u32], [down, across]: [usize; 2], is_turned: bool| {
                let mut layout = Layout::contiguous(&[down, across]);
                let mut values: Vec<Scalar> = numbers.iter().copied().map(scalar).collect();
                if is_turned {
                    layout.strides = vec![1, down as isize];
                    values = (0..down * across).map(|at| values[at % down * across + at / down]).collect();
                }
                check.array_of(dtype, layout, values)
            };
            let a = side(&mut check, &in_a, [rows, inner], turned[0]);
            let b = side(&mut check, &in_b, [inner, columns], turned[1]);
            let out = (Layout::contiguous(&[rows, columns]), rows * columns);
            check.expect(
                &format!("{dtype} by digits, {turned:?}"),
                dtype,
                out,
                &expected,
                (0.0, &[]),
                |backend, out| backend.matmul(a.view(), b.view(), false, out),
            );
        }
    }
    check.finish();
}

/// Factors are rounded where it was asked for, and nowhere else.
#[test]
#[ignore = "needs a CUDA device and cuBLAS"]
fn gpu_products_rounded_to_tf32() {
    assert!(crate::device_info().starts_with("cuda"), "no CUDA device");
    let [a, b] = [0, 1].map(|_| crate::random::uniform(0.0f32, 1.0, (512, 512)));
    let exact = crate::matmul(&a.astype::<f64>(), &b.astype::<f64>());
    let farthest = |product: &crate::DeviceArray<f32>| ((product.astype::<f64>() - &exact) / &exact).abs().max();
    assert!(farthest(&crate::matmul(&a, &b)) < 1e-6);
    assert!((1e-6..1e-3).contains(&farthest(&crate::keywords::matmul(&a, &b, true))));
}

/// The kernels of ours among them, on little: race checkers take minutes for what `gpu_check_products` does.
#[test]
#[ignore = "needs a CUDA device and cuBLAS"]
fn gpu_races_of_products() {
    let mut check = Check::on_first_device();
    let integers: Vec<DType> = TYPES.into_iter().filter(|dtype| dtype.is_integer() || *dtype == DType::Bool).collect();
    matrices(&mut check, &integers, &[[65, 33, 70], [2, 40, 1]]);
    dots(&mut check, &[17, 40_001]);
    check.finish();
}

const TYPES: [DType; 12] = [
    DType::Bool,
    DType::U8,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::U64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::C64,
    DType::C128,
];

/// Whether the backend multiplies matrices of the type without converting them first.
fn is_multiplied(check: &Check, dtype: DType) -> bool {
    !dtype.is_storage() || check.backend.multiplies(dtype)
}

/// What sums of products may be off, relative to the sum of their absolute values.
fn tolerance(dtype: DType, inner: usize) -> f64 {
    match dtype {
        // Added up in f32, and rounded to 11 or 8 bits.
        DType::F16 => 1e-3 + 1e-6 * inner as f64,
        DType::BF16 => 8e-3 + 1e-6 * inner as f64,
        _ => close(dtype.part()) * (inner as f64).sqrt().max(1.0),
    }
}

/// A sum of products, and for floats and complex numbers the sum of their absolute values.
fn sum(dtype: DType, terms: impl Iterator<Item = (Scalar, Scalar)>) -> (Scalar, f64) {
    if dtype.is_complex() {
        let zero = (Complex::new(0.0, 0.0), 0.0);
        let (sum, scale) = terms.fold(zero, |(sum, scale), (a, b)| {
            let product = parts(a) * parts(b);
            (sum + product, scale + product.norm())
        });
        return (complex(sum.re, sum.im, dtype), scale);
    }
    if dtype.is_float() {
        let (sum, scale) = terms.fold((0.0, 0.0), |(sum, scale), (a, b)| {
            let product = float(a) * float(b);
            (sum + product, scale + product.abs())
        });
        return (convert(Scalar::F64(sum), dtype), scale);
    }
    let (add, multiply) = match dtype {
        DType::Bool => (BinaryOperation::LogicalOr, BinaryOperation::LogicalAnd),
        _ => (BinaryOperation::Add, BinaryOperation::Multiply),
    };
    let zero = convert(Scalar::U8(0), dtype);
    (terms.fold(zero, |sum, (a, b)| binary(add, sum, binary(multiply, a, b))), 0.0)
}

/// Layouts of a matrix as the backend takes them: row-major, shifted, column-major, rows with gaps; for integers and bools
/// also any other.
fn of_matrix(dtype: DType, shape: [usize; 2]) -> Vec<(Layout, usize)> {
    let mut all = layouts(&shape);
    let mut gaps = Layout::contiguous(&shape);
    gaps.strides[0] += 5;
    gaps.offset = 2;
    all.push((gaps, 2 + shape[0] * (shape[1].max(1) + 5)));
    if dtype.is_float() || dtype.is_complex() {
        all.retain(|(layout, _)| layout.leading_dimension().is_some());
    }
    all
}

fn matrices(check: &mut Check, dtypes: &[DType], shapes: &[[usize; 3]]) {
    for dtype in dtypes.iter().copied().filter(|&dtype| is_multiplied(check, dtype)).collect::<Vec<_>>() {
        for &[rows, inner, columns] in shapes {
            for (number, left) in of_matrix(dtype, [rows, inner]).into_iter().enumerate() {
                for (other, right) in of_matrix(dtype, [inner, columns]).into_iter().enumerate() {
                    if rows * inner * columns > 10_000 && number != other && number * other != 0 {
                        continue;
                    }
                    if rows * columns > 1_000_000 && (number != other || number > 1) {
                        continue;
                    }
                    let a = check.array(dtype, left.0.clone(), left.1, 71, false);
                    let b = check.array(dtype, right.0, right.1, 72, false);
                    let (in_a, in_b) = (a.elements(), b.elements());
                    let (expected, scales): (Vec<Scalar>, Vec<f64>) = (0..rows * columns)
                        .map(|at| {
                            let (row, column) = (at / columns, at % columns);
                            let term = |term: usize| (in_a[row * inner + term], in_b[term * columns + column]);
                            sum(dtype, (0..inner).map(term))
                        })
                        .unzip();
                    let what = format!("{:?} times {:?}, {:?}", a.layout, b.layout, [rows, inner, columns]);
                    let mut out = Layout::contiguous(&[rows, columns]);
                    out.offset = 1;
                    let out = (out, rows * columns + 2);
                    check.expect(&what, dtype, out, &expected, (tolerance(dtype, inner), &scales), |backend, out| {
                        backend.matmul(a.view(), b.view(), false, out)
                    });
                }
            }
        }
    }
}

/// Many pairs of matrices, some of them broadcast.
fn stacks(check: &mut Check) {
    let [rows, inner, columns] = [3, 5, 4];
    let (one_a, one_b) = ((rows * inner) as isize, (inner * columns) as isize);
    let cases: [(&[usize], &[isize], &[isize]); 7] = [
        (&[7], &[one_a], &[one_b]),
        (&[7], &[0], &[one_b]),
        (&[7], &[one_a], &[0]),
        (&[3, 5], &[0, one_a], &[one_b, 0]),
        // The first axis is the longest, and cannot be joined with the second: products of one call are not neighbours.
        (&[5, 3], &[0, one_a], &[one_b, 0]),
        (&[2, 3, 4], &[one_a, 0, 2 * one_a], &[0, one_b, 3 * one_b]),
        (&[300], &[one_a], &[one_b]),
    ];
    for dtype in TYPES.into_iter().filter(|&dtype| is_multiplied(check, dtype)).collect::<Vec<_>>() {
        for (pairs, strides_a, strides_b) in cases {
            let layout = |matrix: [usize; 2], strides: &[isize]| Layout {
                shape: [pairs, &matrix].concat(),
                strides: [strides, &[matrix[1] as isize, 1]].concat(),
                offset: 0,
            };
            let (left, right) = (layout([rows, inner], strides_a), layout([inner, columns], strides_b));
            let elements = |layout: &Layout| positions(layout).into_iter().max().unwrap_or(0) + 1;
            let a = check.array(dtype, left.clone(), elements(&left), 73, false);
            let b = check.array(dtype, right.clone(), elements(&right), 74, false);
            let (in_a, in_b) = (a.elements(), b.elements());
            let count: usize = pairs.iter().product();
            let (expected, scales): (Vec<Scalar>, Vec<f64>) = (0..count * rows * columns)
                .map(|at| {
                    let (pair, row, column) = (at / (rows * columns), at / columns % rows, at % columns);
                    let term = |term: usize| {
                        (in_a[(pair * rows + row) * inner + term], in_b[(pair * inner + term) * columns + column])
                    };
                    sum(dtype, (0..inner).map(term))
                })
                .unzip();
            let shape = [pairs, &[rows, columns]].concat();
            let out = (Layout::contiguous(&shape), count * rows * columns);
            let what = format!("{pairs:?} pairs, {strides_a:?} and {strides_b:?} apart");
            check.expect(&what, dtype, out, &expected, (tolerance(dtype, inner), &scales), |backend, out| {
                backend.matmul(a.view(), b.view(), false, out)
            });
        }
    }
}

fn dots(check: &mut Check, lengths: &[usize]) {
    let all = DType::COMPUTED.into_iter().map(|dtype| (dtype, false));
    let of_complex = [DType::C64, DType::C128].into_iter().flat_map(|dtype| [(dtype, false), (dtype, true)]);
    for (dtype, conjugates) in all.chain(of_complex) {
        for &length in lengths {
            for (number, left) in layouts(&[length]).into_iter().enumerate() {
                for (other, right) in layouts(&[length]).into_iter().enumerate() {
                    if length > 2000 && number != other && number * other != 0 {
                        continue;
                    }
                    let a = check.array(dtype, left.0.clone(), left.1, 75, false);
                    let b = check.array(dtype, right.0, right.1, 76, false);
                    let factor = |a: Scalar| {
                        if conjugates { complex(parts(a).re, -parts(a).im, dtype) } else { a }
                    };
                    let (expected, scale) = sum(dtype, a.elements().into_iter().map(factor).zip(b.elements()));
                    let what = format!("dot of {:?} and {:?}, conjugates: {conjugates}", a.layout, b.layout);
                    let out = (Layout { shape: vec![], strides: vec![], offset: 1 }, 3);
                    check.expect(&what, dtype, out, &[expected], (close(dtype.part()), &[scale]), |backend, out| {
                        backend.dot(a.view(), b.view(), conjugates, out)
                    });
                }
            }
        }
    }
    // Two vectors that share their elements, and are one element apart.
    let x = check.array(DType::F64, Layout::contiguous(&[5001]), 5001, 77, false);
    let part = |offset: usize| Layout { offset, ..Layout::contiguous(&[5000]) };
    let (first, second) = (part(0), part(1));
    let view = |layout| View { allocation: &x.allocation, layout, dtype: DType::F64 };
    let terms = (0..5000).map(|index| (x.values[index], x.values[index + 1]));
    let (expected, scale) = sum(DType::F64, terms);
    let out = (Layout::contiguous(&[]), 1);
    check.expect("dot of neighbours", DType::F64, out, &[expected], (close(DType::F64), &[scale]), |backend, out| {
        backend.dot(view(&first), view(&second), false, out)
    });
}
