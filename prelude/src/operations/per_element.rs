//! Functions of elements that need a loop or branches for each, in code that runs on every device.

use crate::array::{DeviceArray, RawArray};
use crate::dtype::{DType, Float, Integer, Scalar};
use crate::error::{Result, check};
use crate::operations::elementwise::sealed::Sealed;
use crate::operations::elementwise::{Operand, RawOperand};
use crate::operations::formulas::{apply, apply_one};
use crate::operations::map::{registered, registered_into};
use crate::operations::siblings::composed;
use warpcell_macros::{device, vectorize};

composed! {
    mod functions_per_element;

    impl<T: Float> DeviceArray<T> {
        /// The modified Bessel function of the first kind and of order 0; NumPy's `i0`. By polynomials, in `x` up
        /// to 10 and in `1 / x` beyond; within 3 units in the last place.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0]).i0().item(), 1.0);
        /// ```
        pub fn i0(&self) -> DeviceArray<T> => apply_one("i0", bessel_of, &[self.raw_operand()]);

        /// Each element times 2 to the power of an integer, without overflow on the way; NumPy's `ldexp`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.75, 1.0]).ldexp(&warpcell::array(&[3, -1])).tolist(), [6.0, 0.5]);
        /// ```
        pub fn ldexp(&self, exponents: impl Operand<i32>) -> DeviceArray<T> =>
            apply_one("ldexp", times_power_of_two_of, &[self.raw_operand(), exponents.raw_operand()]);
    }

    impl<T: Integer> DeviceArray<T> {
        /// The greatest common divisor of each pair, not negative; that of 0 and a number is the number. By Euclid's
        /// algorithm. NumPy's `gcd`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[12, -18, 0]).gcd(8).tolist(), [4, 2, 8]);
        /// ```
        pub fn gcd(&self, other: impl Operand<T>) -> DeviceArray<T> => {
            let names = [name_of(&signed_gcd), name_of(&unsigned_gcd)];
            of_integers("gcd", names, &self.raw, other.raw_operand())
        };

        /// The least common multiple of each pair, not negative; 0 if one is 0. Wraps. NumPy's `lcm`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[12, -18, 0]).lcm(8).tolist(), [24, 72, 0]);
        /// ```
        pub fn lcm(&self, other: impl Operand<T>) -> DeviceArray<T> => {
            let names = [name_of(&signed_lcm), name_of(&unsigned_lcm)];
            of_integers("lcm", names, &self.raw, other.raw_operand())
        };
    }
}

impl<T: Float> DeviceArray<T> {
    /// The fraction and the exponent of each element: `fraction · 2^exponent` is the element, and the absolute value of the
    /// fraction is at least a half and less than 1. 0, infinities and NaN are their own fractions, with the exponent 0.
    /// NumPy's `frexp`.
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
}

/// The modified Bessel function of order 0 of a number up to 10, of which this is a quarter of the square. The polynomial is
/// the interpolation in Chebyshev's points, with an error of 3e-19; all of its coefficients are positive, so nothing cancels
/// out.
#[device]
pub(crate) fn bessel_near_zero(square: f64) -> f64 {
    let mut sum = 4.6840935481549837e-32;
    sum = sum * square + 5.1920095880135685e-30;
    sum = sum * square + 2.4745599143162142e-27;
    sum = sum * square + 5.758629120327846e-25;
    sum = sum * square + 1.3187796769527578e-22;
    sum = sum * square + 2.5781805317840824e-20;
    sum = sum * square + 4.358531351789233e-18;
    sum = sum * square + 6.276060842624124e-16;
    sum = sum * square + 7.594060710185583e-14;
    sum = sum * square + 7.594058233627197e-12;
    sum = sum * square + 6.151187339355388e-10;
    sum = sum * square + 3.9367598885345104e-08;
    sum = sum * square + 1.9290123457002865e-06;
    sum = sum * square + 6.94444444443921e-05;
    sum = sum * square + 0.0017361111111111967;
    sum = sum * square + 0.027777777777777693;
    sum = sum * square + 0.25000000000000006;
    sum = sum * square + 1.0;
    sum = sum * square + 1.0;
    sum
}

/// The function of a number above 10, of which this is the reciprocal, times `exp(-x) √x`; as above, with an error of 2e-18.
#[device]
pub(crate) fn bessel_far_from_zero(inverse: f64) -> f64 {
    let mut sum = 58646112188478.83;
    sum = sum * inverse + 374683062201334.8;
    sum = sum * inverse - 391929236870699.1;
    sum = sum * inverse + 177459665768171.1;
    sum = sum * inverse - 48060865227344.56;
    sum = sum * inverse + 8777106573423.37;
    sum = sum * inverse - 1149144657854.2854;
    sum = sum * inverse + 111766255440.47237;
    sum = sum * inverse - 8250465460.968444;
    sum = sum * inverse + 467989724.06759596;
    sum = sum * inverse - 20511191.17538838;
    sum = sum * inverse + 694602.9081607042;
    sum = sum * inverse - 18061.901840723625;
    sum = sum * inverse + 359.718251718625;
    sum = sum * inverse - 4.584276927053567;
    sum = sum * inverse + 0.285001387790963;
    sum = sum * inverse + 0.09017752958747945;
    sum = sum * inverse + 0.04474433189330289;
    sum = sum * inverse + 0.029219398899202647;
    sum = sum * inverse + 0.02805062910090714;
    sum = sum * inverse + 0.0498677850501727;
    sum = sum * inverse + 0.3989422804014327;
    sum
}

#[vectorize]
pub(crate) fn bessel(x: f64) -> f64 {
    let size = x.abs();
    if size <= 10.0 {
        bessel_near_zero(0.25 * size * size)
    } else {
        // Half of the power twice: the whole one may be too large.
        let half = (0.5 * size).exp();
        half * (bessel_far_from_zero(1.0 / size) / size.sqrt()) * half
    }
}

/// The weight of Kaiser's window at `row + column`, a place from `-span` to `span`; `largest` is that in the middle.
#[vectorize]
fn kaiser_weight(row: f64, column: f64, span: f64, beta: f64, largest: f64) -> f64 {
    let share = (row + column) / span;
    bessel(beta * (1.0 - share * share).max(0.0).sqrt()) / largest
}

/// The weights of Kaiser's window at places from `-span` to `span`, each of which is the sum of two numbers.
pub(super) fn kaiser_weights(
    operation: &'static str,
    places: [&RawArray; 2],
    span: f64,
    beta: f64,
    out: &RawArray,
) -> Result<()> {
    let numbers = [span, beta, bessel(beta)].map(|value| RawOperand::Scalar(Scalar::F64(value)));
    let operands = [&places.map(RawOperand::Array)[..], &numbers[..]].concat();
    registered_into(operation, name_of(&kaiser_weight), &operands, out)
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

/// The greatest common divisor; that of 0 and a number is the number.
#[device]
pub(super) fn divisor_of(a: u64, b: u64) -> u64 {
    // Else the first division would only exchange them.
    let mut greater = a.max(b);
    let mut less = a.min(b);
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
#[vectorize]
fn one_up_to(place: i64, limit: i64) -> f64 {
    if place <= limit { 1.0 } else { 0.0 }
}

/// 1 for each place that is not beyond its limit, else 0; both are i64, and are broadcast.
pub(crate) fn ones_up_to(operation: &'static str, [places, limits]: [&RawArray; 2]) -> Result<RawArray> {
    registered(operation, name_of(&one_up_to), &[places, limits].map(RawOperand::Array))
}

fn name_of<F>(_function: &F) -> &'static str {
    std::any::type_name::<F>()
}

/// The results of a function of `i64` or of `u64`, in the type of the operands.
fn of_integers(
    operation: &'static str,
    [signed, unsigned]: [&'static str; 2],
    a: &RawArray,
    b: RawOperand<'_>,
) -> Result<RawArray> {
    let (function, dtype) = if a.dtype == DType::U64 { (unsigned, DType::U64) } else { (signed, DType::I64) };
    let wide = a.in_type(operation, dtype)?;
    let other = b.array().map(|b| b.in_type(operation, dtype)).transpose()?;
    let b = b.replaced(&other).with_value(|value| {
        let value = value.integer().expect("an integer");
        if dtype == DType::U64 { Scalar::U64(value as u64) } else { Scalar::I64(value as i64) }
    });
    registered(operation, function, &[RawOperand::Array(&wide), b])?.in_type(operation, a.dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_a_translation() {
        let texts = [
            crate::cuda_source(bessel),
            crate::cuda_source(kaiser_weight),
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
