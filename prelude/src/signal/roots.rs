//! Roots and polynomials on the host: the numbers of a filter.

use crate::array::sides::sealed::Host;
use crate::array::transfer;
use crate::error::{Error, Result};
use crate::linalg::matrices::from_host;
use crate::linalg::spectra::eig_of;
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

/// The roots of a polynomial, as the eigenvalues of its companion matrix, on the host.
pub(super) fn roots_of(operation: &'static str, polynomial: &[f64]) -> Result<Vec<C>> {
    let Some(first) = polynomial.iter().position(|&c| c != 0.0) else {
        return Ok(Vec::new());
    };
    let last = polynomial.iter().rposition(|&c| c != 0.0).expect("there is one");
    let inner = &polynomial[first..=last];
    let degree = inner.len() - 1;
    let mut roots = Vec::new();
    if degree > 0 {
        let companion = ndarray::Array2::from_shape_fn((degree, degree), |(row, column)| match row {
            0 => -inner[column + 1] / inner[0],
            _ if row == column + 1 => 1.0,
            _ => 0.0,
        });
        let (values, _) = eig_of(operation, &from_host(operation, &companion.host_view())?, false)?;
        roots = transfer::download_vec::<C>(&values)?;
    }
    roots.extend(std::iter::repeat_n(C::new(0.0, 0.0), polynomial.len() - 1 - last));
    Ok(roots)
}
