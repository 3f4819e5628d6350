//! Functions of elements that need a loop or branches for each, in code that runs on every device.

use crate::array::{DeviceArray, RawArray};
use crate::dtype::{DType, Float, Integer, Scalar};
use crate::error::{Result, check};
use crate::operations::elementwise::{Operand, RawOperand};
use crate::operations::formulas::{apply, apply_one};
use crate::operations::map::registered;
use warpcell_macros::{device, vectorize};

impl<T: Float> DeviceArray<T> {
    /// The modified Bessel function of the first kind and of order 0; NumPy's `i0`. It is the sum of its power series, and of its
    /// asymptotic series for elements far from 0.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[0.0]).i0().item(), 1.0);
    /// ```
    #[track_caller]
    pub fn i0(&self) -> DeviceArray<T> {
        DeviceArray::from_raw(check(apply_one("i0", bessel_of, &[RawOperand::Array(&self.raw)])))
    }

    /// The fraction and the exponent of each element: `fraction · 2^exponent` is the element, and the absolute value of the fraction
    /// is at least a half and less than 1. 0, infinities and NaN are their own fractions, with the exponent 0. NumPy's `frexp`.
    ///
    /// ```
    /// let (fractions, exponents) = warpcell::array(&[6.0, -0.25]).frexp();
    /// assert_eq!((fractions.tolist(), exponents.tolist()), (vec![0.75, -0.5], vec![3, -1]));
    /// ```
    #[track_caller]
    pub fn frexp(&self) -> (DeviceArray<T>, DeviceArray<i32>) {
        let results = check(apply("frexp", fraction_and_exponent_of, &[RawOperand::Array(&self.raw)]));
        let [fractions, exponents] = results.try_into().ok().expect("the formula has two results");
        (DeviceArray::from_raw(fractions), DeviceArray::from_raw(exponents))
    }

    /// Each element times 2 to the power of an integer, without overflow on the way; NumPy's `ldexp`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[0.75, 1.0]).ldexp(&warpcell::array(&[3, -1])).tolist(), [6.0, 0.5]);
    /// ```
    #[track_caller]
    pub fn ldexp(&self, exponents: impl Operand<i32>) -> DeviceArray<T> {
        let operands = [RawOperand::Array(&self.raw), exponents.raw_operand()];
        DeviceArray::from_raw(check(apply_one("ldexp", times_power_of_two_of, &operands)))
    }
}

impl<T: Integer> DeviceArray<T> {
    /// The greatest common divisor of each pair, not negative; that of 0 and a number is the number. By Euclid's algorithm. NumPy's
    /// `gcd`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[12, -18, 0]).gcd(8).tolist(), [4, 2, 8]);
    /// ```
    #[track_caller]
    pub fn gcd(&self, other: impl Operand<T>) -> DeviceArray<T> {
        let names = [name_of(&signed_gcd), name_of(&unsigned_gcd)];
        DeviceArray::from_raw(check(of_integers("gcd", names, &self.raw, other.raw_operand())))
    }

    /// The least common multiple of each pair, not negative; 0 if one is 0. Wraps. NumPy's `lcm`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[12, -18, 0]).lcm(8).tolist(), [24, 72, 0]);
    /// ```
    #[track_caller]
    pub fn lcm(&self, other: impl Operand<T>) -> DeviceArray<T> {
        let names = [name_of(&signed_lcm), name_of(&unsigned_lcm)];
        DeviceArray::from_raw(check(of_integers("lcm", names, &self.raw, other.raw_operand())))
    }
}

#[vectorize]
fn bessel(x: f64) -> f64 {
    let size = x.abs();
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut k = 1.0;
    if size <= 30.0 {
        let square = 0.25 * size * size;
        while term > 1e-17 * sum {
            term *= square / (k * k);
            sum += term;
            k += 1.0;
        }
        sum
    } else {
        while term > 1e-17 * sum {
            term *= (2.0 * k - 1.0) * (2.0 * k - 1.0) / (8.0 * k * size);
            sum += term;
            k += 1.0;
        }
        // Half of the power twice: the whole one may be too large.
        let half = (0.5 * size).exp();
        half / (std::f64::consts::TAU * size).sqrt() * sum * half
    }
}

/// Whether the number is a fraction of its own: 0, an infinity or NaN.
#[device]
fn is_special(x: f64) -> bool {
    x == 0.0 || !x.is_finite()
}

/// The bits of a number that is not special; those of small ones after a product by 2^54.
#[device]
fn normal_bits(x: f64) -> u64 {
    if x.abs() < 2.2250738585072014e-308 { (x * 18014398509481984.0).to_bits() } else { x.to_bits() }
}

#[vectorize]
fn fraction_and_exponent(x: f64) -> (f64, i32) {
    if is_special(x) {
        return (x, 0);
    }
    let bits = normal_bits(x);
    let less = if x.abs() < 2.2250738585072014e-308 { 1076 } else { 1022 };
    (f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | 0x3fe0_0000_0000_0000), ((bits >> 52) & 0x7ff) as i32 - less)
}

#[vectorize]
fn times_power_of_two(x: f64, exponent: i32) -> f64 {
    // What is farther makes 0 or an infinity of every number.
    let mut rest = exponent.clamp(-2200, 2200);
    let mut value = x;
    while rest > 1023 {
        value *= 8.98846567431158e307;
        rest -= 1023;
    }
    // By 2^-969: what loses digits on the way becomes 0 in the end, so nothing is rounded twice.
    while rest < -1022 {
        value *= 2.004168360008973e-292;
        rest += 969;
    }
    value * f64::from_bits(((rest + 1023) as u64) << 52)
}

// What they give for `f64` is exact for `f32`, or rounded once.
#[vectorize]
fn single_bessel(x: f32) -> f32 {
    bessel(x as f64) as f32
}

#[vectorize]
fn single_fraction_and_exponent(x: f32) -> (f32, i32) {
    let (fraction, exponent) = fraction_and_exponent(x as f64);
    (fraction as f32, exponent)
}

#[vectorize]
fn single_times_power_of_two(x: f32, exponent: i32) -> f32 {
    times_power_of_two(x as f64, exponent) as f32
}

/// Makes functions that name one formula for `f32` and one for `f64`.
macro_rules! of_floats {
    ($($name:ident: $single:ident $double:ident;)*) => {$(
        fn $name(dtype: DType) -> &'static str {
            if dtype == DType::F32 { name_of(&$single) } else { name_of(&$double) }
        }
    )*};
}
of_floats! {
    bessel_of: single_bessel bessel;
    fraction_and_exponent_of: single_fraction_and_exponent fraction_and_exponent;
    times_power_of_two_of: single_times_power_of_two times_power_of_two;
}

#[device]
fn divisor_of(a: u64, b: u64) -> u64 {
    let mut greater = a;
    let mut less = b;
    while less != 0 {
        let rest = greater % less;
        greater = less;
        less = rest;
    }
    greater
}

#[device]
fn multiple_of(a: u64, b: u64) -> u64 {
    // Of two zeros there is no divisor, and the result is zero.
    (a / divisor_of(a, b).max(1)).wrapping_mul(b)
}

#[vectorize]
fn unsigned_gcd(a: u64, b: u64) -> u64 {
    divisor_of(a, b)
}

#[vectorize]
fn signed_gcd(a: i64, b: i64) -> i64 {
    divisor_of(a.unsigned_abs(), b.unsigned_abs()) as i64
}

#[vectorize]
fn unsigned_lcm(a: u64, b: u64) -> u64 {
    multiple_of(a, b)
}

#[vectorize]
fn signed_lcm(a: i64, b: i64) -> i64 {
    multiple_of(a.unsigned_abs(), b.unsigned_abs()) as i64
}

/// The name under which a function is registered.
fn name_of<F>(_function: &F) -> &'static str {
    std::any::type_name::<F>()
}

/// The array as elements of this type.
fn of_type(operation: &'static str, x: &RawArray, dtype: DType) -> Result<RawArray> {
    if x.dtype == dtype { Ok(x.clone()) } else { x.converted(operation, dtype) }
}

/// The results of a function of `i64` or of `u64`, in the type of the operands.
fn of_integers(
    operation: &'static str,
    [signed, unsigned]: [&'static str; 2],
    a: &RawArray,
    b: RawOperand<'_>,
) -> Result<RawArray> {
    let (function, dtype) = if a.dtype == DType::U64 { (unsigned, DType::U64) } else { (signed, DType::I64) };
    let wide = of_type(operation, a, dtype)?;
    let other;
    let b = match b {
        RawOperand::Array(b) => {
            other = of_type(operation, b, dtype)?;
            RawOperand::Array(&other)
        }
        RawOperand::Scalar(b) => {
            let value = b.integer().expect("an integer");
            RawOperand::Scalar(if dtype == DType::U64 { Scalar::U64(value as u64) } else { Scalar::I64(value as i64) })
        }
    };
    of_type(operation, &registered(operation, function, &[RawOperand::Array(&wide), b])?, a.dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_a_translation() {
        let texts = [
            crate::cuda_source(bessel),
            crate::cuda_source(fraction_and_exponent),
            crate::cuda_source(times_power_of_two),
            crate::cuda_source(single_bessel),
            crate::cuda_source(single_fraction_and_exponent),
            crate::cuda_source(single_times_power_of_two),
            crate::cuda_source(unsigned_gcd),
            crate::cuda_source(signed_gcd),
            crate::cuda_source(unsigned_lcm),
            crate::cuda_source(signed_lcm),
        ];
        assert!(texts.iter().all(|text| text.contains("__global__")));
    }
}
