//! The functions of complex numbers against NumPy's, from tests/parity/complex_functions.py.

use std::collections::BTreeMap;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Complex, Inexact};

type Numbers = Vec<Complex<f64>>;

/// The arguments and the result of each function.
fn table() -> BTreeMap<String, Vec<Numbers>> {
    let text = include_str!("../../../tests/parity/complex_functions.json");
    let rows: BTreeMap<String, Vec<Vec<String>>> = serde_json::from_str(text).expect("a table");
    let part = |of: &String| of.parse::<f64>().expect("a number");
    let numbers = |columns: &[Vec<String>]| {
        columns[0].iter().zip(&columns[1]).map(|(re, im)| Complex::new(part(re), part(im))).collect()
    };
    rows.into_iter().map(|(name, columns)| (name, columns.chunks(2).map(numbers).collect())).collect()
}

/// What a function gives for arrays.
fn results<T: Inexact>(name: &str, of: &[DeviceArray<T>]) -> DeviceArray<Complex<f64>> {
    macro_rules! by_name {
        ($($one:ident)*; $($two:ident)*; $($asked:ident)*) => {
            match name {
                $(stringify!($one) => gpu::$one(&of[0]).astype(),)*
                $(stringify!($two) => gpu::$two(&of[0], &of[1]).astype(),)*
                $(stringify!($asked) => gpu::$asked(&of[0], &of[1]).astype::<f64>().astype(),)*
                other => panic!("no function {other}"),
            }
        };
    }
    by_name! {
        log log2 log10 log1p exp2 expm1 sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh sqrt exp sign reciprocal sinc;
        power maximum minimum fmax fmin;
        less less_equal greater greater_equal
    }
}

/// Whether the parts are NaN, infinite with the same sign, or near each other: to the size of the number, and to 1 where NumPy's own
/// result is only exact to that. C99 leaves the sign of an infinity beside a NaN open.
fn is_near(name: &str, found: Complex<f64>, expected: Complex<f64>, tolerance: f64, largest: f64) -> bool {
    let size = if ["log1p", "expm1"].contains(&name) { expected.norm().max(1.0) } else { expected.norm() };
    // What is smaller has not all its digits.
    let smallest = if largest > 1e100 { 1e-300 } else { f32::MIN_POSITIVE.into() };
    let has_nan = expected.re.is_nan() || expected.im.is_nan();
    let part = |found: f64, expected: f64| {
        if has_nan && expected.is_infinite() {
            found.is_infinite()
        } else if expected.is_nan() {
            found.is_nan()
        } else if expected.abs() > largest {
            found == expected.signum() * f64::INFINITY
        } else if size.is_finite() {
            (found - expected).abs() <= tolerance * size + smallest
        } else {
            (found - expected).abs() <= tolerance * expected.abs().max(1.0)
        }
    };
    part(found.re, expected.re) && part(found.im, expected.im)
}

#[test]
fn functions_agree_with_numpy() {
    let mut wrong = Vec::new();
    for (name, mut columns) in table() {
        let expected = columns.pop().expect("the result");
        let double: Vec<DeviceArray<Complex<f64>>> = columns.iter().map(|of| gpu::array(of)).collect();
        let single: Vec<DeviceArray<Complex<f32>>> = double.iter().map(|of| of.astype()).collect();
        let (double, single) = (results(&name, &double).tolist(), results(&name, &single).tolist());
        for (line, &expected) in expected.iter().enumerate() {
            let arguments: Numbers = columns.iter().map(|column| column[line]).collect();
            if !is_near(&name, double[line], expected, 8e-15, f64::MAX) {
                wrong.push(format!("{name} of {arguments:?}: {} is not {expected}", double[line]));
            }
            if !is_near(&name, single[line], expected, 3e-7, f32::MAX.into()) {
                wrong.push(format!("{name} of {arguments:?} in f32: {} is not {expected}", single[line]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn tiny_imaginary_parts_count() {
    let (tiny, half) = (f64::from_bits(1), std::f64::consts::FRAC_PI_2);
    // The results at branch points grow with the root of the distance; NumPy's are the same.
    let root = tiny.sqrt();
    let z = |re, im| Complex::new(re, im);
    let check = |found: DeviceArray<Complex<f64>>, expected: [Complex<f64>; 2]| {
        for (found, expected) in found.tolist().into_iter().zip(expected) {
            let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-14 * expected.abs();
            assert!(near(found.re, expected.re) && near(found.im, expected.im), "{found} is not {expected}");
        }
    };
    let both = gpu::array(&[z(1.0, tiny), z(-1.0, -tiny)]);
    check(gpu::arccos(&both), [z(root, -root), z(2.0 * half, root)]);
    check(gpu::arcsin(&both), [z(half, root), z(-half, -root)]);
    check(gpu::arccosh(&both), [z(root, root), z(root, -2.0 * half)]);
    let turned = gpu::array(&[z(tiny, 1.0), z(-tiny, -1.0)]);
    check(gpu::arcsinh(&turned), [z(root, half), z(-root, -half)]);
}
