//! Roots and polynomials on the host: the numbers of a filter.

use crate::array::{RawArray, transfer};
use crate::device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::operations::polynomials;
use num_complex::Complex;

pub(super) type C = Complex<f64>;

/// Zeros, poles and the gain of a filter.
#[derive(Clone, Debug)]
pub(super) struct Zpk {
    pub z: Vec<C>,
    pub p: Vec<C>,
    pub k: f64,
}

/// The polynomial with these roots, that of the highest power, 1, first.
pub(super) fn polynomial_of(roots: &[C]) -> Vec<C> {
    let mut found = vec![C::new(1.0, 0.0)];
    for &root in roots {
        found.push(C::new(0.0, 0.0));
        for place in (1..found.len()).rev() {
            let before = found[place - 1];
            found[place] -= root * before;
        }
    }
    found
}

/// The same with real coefficients, for roots in conjugate pairs.
pub(super) fn real_polynomial_of(operation: &'static str, roots: &[C]) -> Result<Vec<f64>> {
    let found = polynomial_of(roots);
    let largest = found.iter().map(|c| c.norm()).fold(0.0, f64::max);
    if found.iter().any(|c| c.im.abs() > 1e-8 * largest) {
        return Err(Error::argument(operation, "a zero or a pole has no conjugate, so the coefficients are not real"));
    }
    Ok(found.iter().map(|c| c.re).collect())
}

/// The product of two polynomials.
pub(super) fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut found = vec![0.0; a.len() + b.len() - 1];
    for (place, &one) in a.iter().enumerate() {
        for (more, &other) in b.iter().enumerate() {
            found[place + more] += one * other;
        }
    }
    found
}

/// The roots of a polynomial, on the host.
pub(super) fn roots_of(operation: &'static str, polynomial: &[f64]) -> Result<Vec<C>> {
    let numbers = polynomial.iter().copied();
    let polynomial = RawArray::of_floats(operation, &device::host(), &[polynomial.len()], numbers, DType::F64)?;
    transfer::download_vec(&polynomials::roots_of(operation, &polynomial, DType::C128)?)
}
