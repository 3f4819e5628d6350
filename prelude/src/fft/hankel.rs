//! Hankel transforms of numbers whose places have equal distances on a logarithmic scale.
//!
//! A. J. S. Hamilton, "Uncorrelated modes of the non-linear power spectrum" (2000), whose program is FFTLog: the transform is a
//! convolution on that scale, so a product of spectra.

use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis};
use crate::backend::BinaryOperation;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result};
use crate::floats::IntoFloat;
use crate::operations::composing::Composed;
use crate::operations::fourier::{Norm, Request, TransformKind, complex, transformed};
use crate::special::scalar::poch;
use crate::thin::thin;
use num_complex::Complex;
use std::f64::consts::{LN_2, PI};

thin! {
    /// The Hankel transform of the order `mu` along the last axis, of numbers at places whose logarithms are `dln` apart. SciPy's
    /// `fht`: `gpu::fft::fht!(&a, 0.1, 2.0, offset = 0.3, bias = -0.5)` has its keywords; [`fhtoffset`](fn@fhtoffset) gives a
    /// good `offset`. The coefficients are computed on the host. Where SciPy warns of a transform that is singular, this one is
    /// silent, and has the same result.
    ///
    /// **Panics** if there is no number along the axis, or no axis ([`Error::InvalidShape`]), or `dln` is 0
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (mu, dln) = (1.0, 0.05);
    /// let offset = gpu::fft::fhtoffset(dln, mu);
    /// let r = ((gpu::arange(128.0) - 63.5) * dln).exp();
    /// let a = &r * &r * (-(&r * &r) / 2.0).exp();
    /// let back = gpu::fft::ifht!(&gpu::fft::fht!(&a, dln, mu, offset = offset), dln, mu, offset = offset);
    /// assert!(gpu::allclose(&back, &a));
    /// ```
    pub fn fht<A: OnDevice<Elem = T>, T: Number>(a: &A, dln: impl IntoFloat, mu: impl IntoFloat) -> DeviceArray<T::Mean> =>
        Hankel { operation: "fht", dln: dln.into_float(), mu: mu.into_float(), offset: 0.0, bias: 0.0, is_inverse: false }.of(a.raw(), T::Mean::DTYPE);

    /// As [`fht`](fn@fht), with SciPy's other arguments.
    pub fn fht_with<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        dln: impl IntoFloat,
        mu: impl IntoFloat,
        offset: impl IntoFloat,
        bias: impl IntoFloat
    ) -> DeviceArray<T::Mean> =>
        Hankel { operation: "fht", dln: dln.into_float(), mu: mu.into_float(), offset: offset.into_float(), bias: bias.into_float(), is_inverse: false }.of(a.raw(), T::Mean::DTYPE);

    /// The inverse of [`fht`](fn@fht), with the same arguments. SciPy's `ifht`.
    ///
    /// **Panics** as [`fht`](fn@fht) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::arange(64.0).sin();
    /// let back = gpu::fft::ifht(&gpu::fft::fht(&a, 0.3, 1.0), 0.3, 1.0);
    /// assert!(gpu::allclose(&back, &a));
    /// ```
    #[allow(non_snake_case, reason = "SciPy's name")]
    pub fn ifht<A: OnDevice<Elem = T>, T: Number>(A: &A, dln: impl IntoFloat, mu: impl IntoFloat) -> DeviceArray<T::Mean> =>
        Hankel { operation: "ifht", dln: dln.into_float(), mu: mu.into_float(), offset: 0.0, bias: 0.0, is_inverse: true }.of(A.raw(), T::Mean::DTYPE);

    /// As [`ifht`](fn@ifht), with SciPy's other arguments.
    #[allow(non_snake_case, reason = "SciPy's name")]
    pub fn ifht_with<A: OnDevice<Elem = T>, T: Number>(
        A: &A,
        dln: impl IntoFloat,
        mu: impl IntoFloat,
        offset: impl IntoFloat,
        bias: impl IntoFloat
    ) -> DeviceArray<T::Mean> =>
        Hankel { operation: "ifht", dln: dln.into_float(), mu: mu.into_float(), offset: offset.into_float(), bias: bias.into_float(), is_inverse: true }.of(A.raw(), T::Mean::DTYPE);
}

/// The offset for [`fht`](fn@fht) with which the numbers at the ends ring least. SciPy's `fhtoffset`:
/// `gpu::fft::fhtoffset!(0.1, 2.0, initial = 0.5, bias = 0.1)` gives one near `initial`.
///
/// ```
/// assert!((warpcell::fft::fhtoffset!(0.1, 2.0, initial = 0.5) - 0.5454581477676637).abs() < 1e-12);
/// ```
pub fn fhtoffset(dln: impl IntoFloat, mu: impl IntoFloat) -> f64 {
    let dln = dln.into_float();
    let mu = mu.into_float();
    fhtoffset_with(dln, mu, 0.0, 0.0)
}

/// As [`fhtoffset`](fn@fhtoffset), with SciPy's other arguments.
pub fn fhtoffset_with(dln: impl IntoFloat, mu: impl IntoFloat, initial: impl IntoFloat, bias: impl IntoFloat) -> f64 {
    let dln = dln.into_float();
    let mu = mu.into_float();
    let initial = initial.into_float();
    let bias = bias.into_float();
    let angle = |real: f64| log_gamma(Complex::new(real, PI / (2.0 * dln))).im;
    let turns = (LN_2 - initial) / dln + (angle((mu + 1.0 + bias) / 2.0) + angle((mu + 1.0 - bias) / 2.0)) / PI;
    initial + (turns - turns.round_ties_even()) * dln
}

/// The logarithm of the gamma function of a complex number, by Stirling's series beyond 10, up to multiples of `2πi`.
fn log_gamma(of: Complex<f64>) -> Complex<f64> {
    // B(2k) / (2k (2k - 1))
    const SERIES: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360360.0,
        1.0 / 156.0,
        -3617.0 / 122400.0,
    ];
    let (mut z, mut below, mut product) = (of, Complex::new(0.0, 0.0), Complex::new(1.0, 0.0));
    while z.re < 0.0 || (z.re < 10.0 && z.im.abs() < 14.0) {
        product *= z;
        if product.norm_sqr() > 1e100 {
            below += product.ln();
            product = Complex::new(1.0, 0.0);
        }
        z += 1.0;
    }
    below += product.ln();
    let reciprocal = z.inv();
    let square = reciprocal * reciprocal;
    let rest = SERIES.iter().rev().fold(Complex::new(0.0, 0.0), |sum, term| sum * square + term) * reciprocal;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + rest - below
}

/// What is asked for.
struct Hankel {
    operation: &'static str,
    dln: f64,
    mu: f64,
    offset: f64,
    bias: f64,
    is_inverse: bool,
}

impl Hankel {
    fn of(&self, a: &RawArray, dtype: DType) -> Result<RawArray> {
        let operation = self.operation;
        let Some(n) = a.shape().last().copied().filter(|n| *n > 0) else {
            return Err(Error::shape(operation, a.shape(), "has nothing to transform along the last axis"));
        };
        if self.dln == 0.0 || !self.dln.is_finite() {
            let reason = format!("`dln` is {}; give the distance of the logarithms of two places", self.dln);
            return Err(Error::argument(operation, reason));
        }
        a.handle.backend.can_transform()?;
        let made = Composed(operation);
        // The power of each place by which the numbers are divided before, and the result is after.
        let power = |sign: f64, offset: f64| {
            let place = move |at: usize| (at as f64 - (n as f64 - 1.0) / 2.0) * self.dln + offset;
            let powers = (0..n).map(move |at| (sign * self.bias * place(at)).exp());
            RawArray::of_floats(operation, &a.handle, &[n], powers, dtype)
        };
        let (before, after) =
            if self.is_inverse { ((1.0, self.offset), (1.0, 0.0)) } else { ((-1.0, 0.0), (-1.0, self.offset)) };
        let mut numbers = a.converted(operation, dtype)?;
        if self.bias != 0.0 {
            made.pair_into(BinaryOperation::Multiply, &numbers, &power(before.0, before.1)?)?;
        }
        let factors = self.coefficients(n);
        let parts = factors.iter().flat_map(|factor| [factor.re, factor.im]);
        let factors =
            RawArray::of_floats(operation, &a.handle, &[factors.len(), 2], parts, dtype)?.joined(complex(dtype));
        let lengths = [n];
        let request =
            |kind| Request { operation, kind, lengths: Some(&lengths), axes: &[-1], norm: Norm::Backward, part: dtype };
        let spectrum = transformed(&request(TransformKind::Half), &numbers)?;
        made.pair_into(BinaryOperation::Multiply, &spectrum, &factors)?;
        numbers = transformed(&request(TransformKind::Back), &spectrum)?;
        let last = numbers.shape().len() - 1;
        let found = slice_axis(&numbers, last, n - 1, -1, n).copied(operation)?;
        if self.bias != 0.0 {
            made.pair_into(BinaryOperation::Multiply, &found, &power(after.0, after.1)?)?;
        }
        Ok(found)
    }

    /// By what the spectrum is multiplied.
    fn coefficients(&self, n: usize) -> Vec<Complex<f64>> {
        let (above, below) = ((self.mu + 1.0 + self.bias) / 2.0, (self.mu + 1.0 - self.bias) / 2.0);
        let coefficient = |at: usize| {
            let y = PI * at as f64 / (n as f64 * self.dln);
            let (above, below) = (log_gamma(Complex::new(above, y)), log_gamma(Complex::new(below, y)));
            let angle = above.im + below.im + 2.0 * (LN_2 - self.offset) * y;
            let mut found = Complex::new(above.re - below.re + LN_2 * self.bias, angle).exp();
            if n.is_multiple_of(2) && at == n / 2 {
                found.im = 0.0;
            }
            found
        };
        let mut found: Vec<Complex<f64>> = (0..=n / 2).map(coefficient).collect();
        if !found[0].is_finite() {
            found[0] = (2f64.powf(self.bias) * poch(below, above - below)).into();
        }
        // Of a singular transform, the mean is left out.
        if self.is_inverse {
            found.iter_mut().for_each(|factor| *factor = factor.conj().inv());
        }
        if !found[0].is_finite() {
            found[0] = 0.0.into();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_gamma_are_those_of_reals_and_of_imaginary_numbers() {
        for (x, expected) in [(1.0, 0.0), (0.5, PI.sqrt().ln()), (5.0, 24f64.ln()), (30.0, 71.257_038_967_168_01)] {
            assert!((log_gamma(Complex::new(x, 0.0)) - expected).norm() < 1e-13);
        }
        // |Γ(iy)|² = π / (y sinh πy)
        for y in [0.25f64, 1.0, 6.0] {
            let expected = 0.5 * (PI / (y * (PI * y).sinh())).ln();
            assert!((log_gamma(Complex::new(0.0, y)).re - expected).abs() < 1e-13);
        }
    }
}
