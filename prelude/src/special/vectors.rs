//! Elementary functions of which a loop of the CPU becomes one of vectors: they have no branches and call nothing. Their errors are those
//! of the library's, less than a unit in the last place. A GPU computes its own functions in their place.

use warpcell_macros::device;

/// 1.5 · 2⁵²: a number of moderate size that is added to it is rounded to an integer, which its last bits have.
const ROUNDING: f64 = 6755399441055744.0;

/// `ln 2` to 33 bits, so that multiples of it are exact, and the rest.
const LN_2_HIGH: f64 = 0.6931471803691238;
const LN_2_LOW: f64 = 1.9082149292705877e-10;

/// `1 / n!` from 13 down to 2.
const FACTORIALS: [f64; 12] = [
    1.6059043836821613e-10,
    2.08767569878681e-9,
    2.505210838544172e-8,
    2.755731922398589e-7,
    2.7557319223985893e-6,
    2.48015873015873e-5,
    1.984126984126984e-4,
    1.388888888888889e-3,
    8.333333333333333e-3,
    4.1666666666666664e-2,
    1.6666666666666666e-1,
    0.5,
];

/// 2 to the power of an integer from -1022 to 1023, to which [`ROUNDING`] is added.
#[inline(always)]
fn power_of_two(rounded: f64) -> f64 {
    f64::from_bits((rounded.to_bits() << 52).wrapping_add(0x3FF0000000000000))
}

/// `exp(x)` for `x` from -1400 to 1400: the exponential of what is left of multiples of `ln 2`, by its Taylor series, times the power of 2.
#[device(elsewhere(x.exp()))]
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "device code has no iterators over arrays")]
pub(super) fn exponential(x: f64) -> f64 {
    let rounded = x.mul_add(std::f64::consts::LOG2_E, ROUNDING);
    let turns = rounded - ROUNDING;
    let rest = turns.mul_add(-LN_2_LOW, turns.mul_add(-LN_2_HIGH, x));
    let mut sum = 0.0_f64;
    for index in 0..12 {
        sum = sum.mul_add(rest, FACTORIALS[index]);
    }
    // By two halves of the power, which are numbers also where the whole one is none.
    let half = turns.mul_add(0.5, ROUNDING);
    let other = turns - (half - ROUNDING) + ROUNDING;
    (1.0 + (rest * rest).mul_add(sum, rest)) * power_of_two(half) * power_of_two(other)
}

/// `ln(x)` of a positive finite number: that of a number between `√½` and `√2`, by the series of the inverse hyperbolic tangent, and a
/// multiple of `ln 2`.
#[device(elsewhere(x.ln()))]
#[inline(always)]
pub(super) fn logarithm(x: f64) -> f64 {
    // A number that is too small for its exponent has one after a product with 2⁵⁴.
    let (size, lifted) = if x < f64::MIN_POSITIVE { (x * 18014398509481984.0, 54.0) } else { (x, 0.0) };
    let bits = size.to_bits();
    // The exponent, 1023 more than it is, of the power of 2 that is nearest; then as a float behind 2⁵².
    let exponent = bits.wrapping_add(0x00095F619980C433) >> 52;
    let turns = f64::from_bits(exponent | 0x4330000000000000) - 4503599627371519.0 - lifted;
    let part = f64::from_bits(bits.wrapping_sub(exponent << 52).wrapping_add(0x3FF0000000000000)) - 1.0;
    let ratio = part / (2.0 + part);
    let square = ratio * ratio;
    let mut sum = 1.0 / 21.0;
    sum = square.mul_add(sum, 1.0 / 19.0);
    sum = square.mul_add(sum, 1.0 / 17.0);
    sum = square.mul_add(sum, 1.0 / 15.0);
    sum = square.mul_add(sum, 1.0 / 13.0);
    sum = square.mul_add(sum, 1.0 / 11.0);
    sum = square.mul_add(sum, 1.0 / 9.0);
    sum = square.mul_add(sum, 1.0 / 7.0);
    sum = square.mul_add(sum, 1.0 / 5.0);
    sum = square.mul_add(sum, 1.0 / 3.0);
    let lost = ratio * (part - 2.0 * square * sum);
    turns * LN_2_HIGH + (part - (lost - turns * LN_2_LOW))
}
