//! Arithmetic and sums of complex numbers, against those of `num_complex`.

use super::check::Check;
use super::reference::{complex, layouts, parts};
use crate::backend::{BinaryOperation, Layout, Operand, ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Scalar};
use num_complex::Complex;

pub(super) fn complex_numbers(check: &mut Check) {
    for dtype in [DType::C64, DType::C128] {
        unary(check, dtype);
        binary(check, dtype);
        sums(check, dtype);
    }
}

/// What a few roundings may be off, relative to the size of the result.
fn close(dtype: DType) -> f64 {
    if dtype == DType::C64 { 2e-6 } else { 4e-15 }
}

/// A real or complex result of the dtype.
fn result(value: Complex<f64>, dtype: DType) -> Scalar {
    if dtype.is_complex() { complex(value.re, value.im, dtype) } else { Scalar::of_float(value.re, dtype) }
}

fn unary(check: &mut Check, dtype: DType) {
    let of = |operation: UnaryOperation, z: Complex<f64>| match operation {
        UnaryOperation::Negative => -z,
        UnaryOperation::Abs => z.norm().into(),
        UnaryOperation::Exp => z.exp(),
        UnaryOperation::Sqrt => z.sqrt(),
        UnaryOperation::Conjugate => z.conj(),
        UnaryOperation::Angle => z.arg().into(),
        _ => unreachable!("not of complex numbers"),
    };
    for operation in UnaryOperation::ALL.into_iter().filter(|operation| operation.takes_complex()) {
        let out = operation.output(dtype);
        for shape in [vec![1003], vec![13, 17]] {
            for (source, target) in layouts(&shape).into_iter().zip(layouts(&shape).into_iter().rev()) {
                let x = check.array(dtype, source.0, source.1, 71, false);
                let expected: Vec<Scalar> =
                    x.elements().into_iter().map(|value| result(of(operation, parts(value)), out)).collect();
                let what = format!("{operation:?} of {dtype}");
                check.expect(&what, out, target, &expected, (close(dtype), &[]), |backend, out| {
                    backend.unary(operation, x.view(), out)
                });
            }
        }
    }
    // What the formulas have branches for.
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let edges = [
        (UnaryOperation::Exp, (inf, 0.0), (inf, 0.0)),
        (UnaryOperation::Exp, (-inf, nan), (0.0, 0.0)),
        (UnaryOperation::Exp, (inf, inf), (inf, nan)),
        (UnaryOperation::Sqrt, (-4.0, 0.0), (0.0, 2.0)),
        (UnaryOperation::Sqrt, (-4.0, -0.0), (0.0, -2.0)),
        (UnaryOperation::Sqrt, (nan, -inf), (inf, -inf)),
        (UnaryOperation::Sqrt, (0.0, 0.0), (0.0, 0.0)),
        (UnaryOperation::Abs, (nan, -inf), (inf, 0.0)),
    ];
    for (operation, (re, im), (expected_re, expected_im)) in edges {
        let x = check.array_of(dtype, Layout::contiguous(&[1]), vec![complex(re, im, dtype)]);
        let out = operation.output(dtype);
        let expected = result(Complex::new(expected_re, expected_im), out);
        let what = format!("{operation:?} of {re} + {im}i");
        check.expect(&what, out, (Layout::contiguous(&[1]), 1), &[expected], (close(dtype), &[]), |backend, out| {
            backend.unary(operation, x.view(), out)
        });
    }
}

fn binary(check: &mut Check, dtype: DType) {
    for operation in BinaryOperation::ALL.into_iter().filter(|operation| operation.takes_complex()) {
        let out = operation.output(dtype);
        let of = |a: Scalar, b: Scalar| -> Scalar {
            let (a, b) = (parts(a), parts(b));
            match operation {
                BinaryOperation::Add => result(a + b, out),
                BinaryOperation::Subtract => result(a - b, out),
                BinaryOperation::Multiply => result(a * b, out),
                BinaryOperation::Divide => result(a / b, out),
                BinaryOperation::Equal => Scalar::Bool(a == b),
                _ => Scalar::Bool(a != b),
            }
        };
        // Sums may cancel: the tolerance is to the operands.
        let scales = vec![8.0; 1003];
        let tolerance = (close(dtype), &scales[..]);
        let what = format!("{operation:?} of {dtype}");
        let dense = || (Layout::contiguous(&[1003]), 1003);
        let (a, b) = (check.array(dtype, dense().0, 1003, 72, false), check.array(dtype, dense().0, 1003, 73, false));
        let pairs = |a: &[Scalar], b: &[Scalar]| a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect::<Vec<Scalar>>();
        let expected = pairs(&a.values, &b.values);
        check.expect(&what, out, dense(), &expected, tolerance, |backend, out| {
            backend.binary(operation, Operand::Array(a.view()), Operand::Array(b.view()), out)
        });
        let one = b.values[500];
        let expected = pairs(&a.values, &[one; 1003]);
        check.expect(&what, out, dense(), &expected, tolerance, |backend, out| {
            backend.binary(operation, Operand::Array(a.view()), Operand::Scalar(one), out)
        });
        let expected = pairs(&[one; 1003], &a.values);
        check.expect(&what, out, dense(), &expected, tolerance, |backend, out| {
            backend.binary(operation, Operand::Scalar(one), Operand::Array(a.view()), out)
        });
        let same = pairs(&a.values, &a.values);
        check.expect(&what, out, dense(), &same, tolerance, |backend, out| {
            backend.binary(operation, Operand::Array(a.view()), Operand::Array(a.view()), out)
        });
        let (columns, elements) = layouts(&[13, 17]).swap_remove(2);
        let row = Layout { strides: vec![0, 1], ..Layout::contiguous(&[13, 17]) };
        let (a, b) = (check.array(dtype, columns, elements, 74, false), check.array(dtype, row, 17, 75, false));
        let expected = pairs(&a.elements(), &b.elements());
        check.expect(&what, out, layouts(&[13, 17]).swap_remove(4), &expected, tolerance, |backend, out| {
            backend.binary(operation, Operand::Array(a.view()), Operand::Array(b.view()), out)
        });
    }
    // Where the squares of the parts overflow.
    let large = if dtype == DType::C64 { 1e30 } else { 1e300 };
    let [a, b] =
        [large, -large].map(|im| check.array_of(dtype, Layout::contiguous(&[1]), vec![complex(large, im, dtype)]));
    let expected = [complex(0.0, 1.0, dtype)];
    check.expect(
        "a large quotient",
        dtype,
        (Layout::contiguous(&[1]), 1),
        &expected,
        (close(dtype), &[]),
        |backend, out| backend.binary(BinaryOperation::Divide, Operand::Array(a.view()), Operand::Array(b.view()), out),
    );
}

fn sums(check: &mut Check, dtype: DType) {
    for shape in [vec![1], vec![100_003], vec![300, 40], vec![7, 1000, 3]] {
        if !check.takes(shape.iter().product::<usize>() / 10) {
            continue;
        }
        for (layout, elements) in layouts(&shape) {
            let x = check.array(dtype, layout, elements, 76, false);
            let values: Vec<Complex<f64>> = x.elements().into_iter().map(parts).collect();
            for axis in (0..shape.len()).map(Some).chain([None]) {
                let (length, inner) = match axis {
                    Some(axis) => (shape[axis], shape[axis + 1..].iter().product::<usize>()),
                    None => (values.len(), 1),
                };
                let count = values.len() / length;
                let line = |index: usize| {
                    let start = index / inner * length * inner + index % inner;
                    (0..length).map(move |number| start + number * inner)
                };
                let expected: Vec<Scalar> = (0..count)
                    .map(|index| result(line(index).map(|at| values[at]).sum::<Complex<f64>>(), dtype))
                    .collect();
                let scales = vec![length as f64 * 3.0; count];
                let (axes, left): (Vec<usize>, Vec<usize>) = match axis {
                    Some(axis) => (vec![axis], [&shape[..axis], &shape[axis + 1..]].concat()),
                    None => ((0..shape.len()).collect(), Vec::new()),
                };
                let out = (Layout::contiguous(&left), count);
                let what = format!("the sum over {axes:?} of {dtype} {:?}", x.layout);
                check.expect(&what, dtype, out, &expected, (close(dtype), &scales), |backend, out| {
                    backend.reduce(ReduceOperation::Sum, x.view(), &axes, out)
                });
            }
        }
    }
}
