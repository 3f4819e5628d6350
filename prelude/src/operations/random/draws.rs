//! What the distributions are made of, in code that runs on every device: the words of an element, and functions of floats.
//!
//! An element that needs several random numbers has a block of Philox for each attempt: its place is that of the element, and the
//! uppermost byte of the counter counts the attempts (see `prelude/base/src/philox.rs`). So an element's numbers depend neither on
//! the other elements nor on the device. No loop makes more than [`MOST`] attempts; most distributions accept nine of ten.
//!
//! The functions consist of operations that IEEE 754 defines to the last bit. Therefore the numbers are the same on the CPU and on
//! CUDA devices. The polynomials of the logarithm and of the circle are those of `prelude/cpu/src/random.rs`.

use warpcell_macros::device;

/// The most blocks of an element. The blocks after them are for other purposes.
pub(super) const MOST: u32 = 250;

/// The random words of one element.
#[device]
#[derive(Clone, Copy)]
pub(super) struct Draws {
    pub place: u64,
    pub key: u64,
    pub stream: u64,
    /// How many blocks were used.
    pub used: u32,
}

/// The words of the element with this index, in the blocks of a stream from `first` on.
#[device]
pub(super) fn draws_of(index: i64, key: u64, stream: u64, first: u64) -> Draws {
    Draws { place: first.wrapping_add(index as u64), key, stream, used: 0 }
}

/// Two new words.
#[device]
pub(super) fn words(draws: &mut Draws) -> (u64, u64) {
    let upper = draws.stream | ((draws.used as u64) << 56);
    draws.used += 1;
    let (mut a, mut b) = (draws.place as u32, (draws.place >> 32) as u32);
    let (mut c, mut d) = (upper as u32, (upper >> 32) as u32);
    let (mut k, mut l) = (draws.key as u32, (draws.key >> 32) as u32);
    for _ in 0..10 {
        let left = (a as u64).wrapping_mul(0xD251_1F53);
        let right = (c as u64).wrapping_mul(0xCD9E_8D57);
        (a, b, c, d) = ((right >> 32) as u32 ^ b ^ k, right as u32, (left >> 32) as u32 ^ d ^ l, left as u32);
        k = k.wrapping_add(0x9E37_79B9);
        l = l.wrapping_add(0xBB67_AE85);
    }
    ((a as u64) | ((b as u64) << 32), (c as u64) | ((d as u64) << 32))
}

/// A uniform number above 0 and below 1, of 52 bits of a word: an odd multiple of 2^-53.
#[device]
pub(super) fn open(word: u64) -> f64 {
    ((word >> 12) as f64 + 0.5) * 2.220446049250313e-16
}

/// Two uniform numbers above 0 and below 1.
#[device]
pub(super) fn two(draws: &mut Draws) -> (f64, f64) {
    let (a, b) = words(draws);
    (open(a), open(b))
}

/// Cosine and sine of the angle `word`·2^-64 turns, up to half a step of 2^-54 turns; neither is 0.
#[device]
pub(super) fn circle(word: u64) -> (f64, f64) {
    let turned = word.wrapping_add(1 << 61);
    let quadrant = turned >> 62;
    let offset = ((turned & 0x3fff_ffff_ffff_ffff) >> 10) as f64 - 2251799813685247.5;
    let a = offset * 3.487868498008632e-16;
    let z = a * a;
    let odd = 2.755731610272336e-06 + z * (-2.5051131855020103e-08 + z * 1.5918128540749538e-10);
    let odd = -0.16666666666666666 + z * (0.00833333333333095 + z * (-0.00019841269836759208 + z * odd));
    let even = -2.755731727175974e-07 + z * (2.0876146260409636e-09 + z * -1.1382631029181099e-11);
    let even = 0.041666666666666664 + z * (-0.0013888888888887398 + z * (2.4801587298765916e-05 + z * even));
    let sine = a + (a * z) * odd;
    let cosine = 1.0 - (0.5 * z - (z * z) * even);
    match quadrant {
        0 => (cosine, sine),
        1 => (-sine, cosine),
        2 => (-cosine, -sine),
        _ => (sine, -cosine),
    }
}

/// A normal number with mean 0 and standard deviation 1 (Box and Muller).
#[device]
pub(super) fn normal(draws: &mut Draws) -> f64 {
    let (a, b) = words(draws);
    let (x, _) = circle(b);
    (-2.0 * log(open(a))).sqrt() * x
}

/// Such a number, and a uniform one of 32 bits that decides whether to accept it.
#[device]
pub(super) fn trial(draws: &mut Draws) -> (f64, f64) {
    let (a, b) = words(draws);
    let (x, _) = circle(b & 0xffff_ffff_0000_0000);
    let uniform = ((b & 0xffff_ffff) as f64 + 0.5) * 2.3283064365386963e-10;
    ((-2.0 * log(open(a))).sqrt() * x, uniform)
}

/// `ln(1 + f)` of `f` between √½ - 1 and √2 - 1, as exact as `f` is.
#[device]
fn log_near(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let series = 0.222222110728223 + z * (0.18182893219785845 + z * (0.15331596932448704 + z * 0.14617872952506913));
    let series = 0.666666666666667 + z * (0.39999999999898445 + z * (0.28571428626399387 + z * series));
    2.0 * s + (s * z) * series
}

/// The natural logarithm; -∞ of 0 and of negative numbers.
#[device]
pub(super) fn log(x: f64) -> f64 {
    if x <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    let is_small = x < f64::MIN_POSITIVE;
    let bits = if is_small { (x * 18014398509481984.0).to_bits() } else { x.to_bits() };
    // Of √½: the fraction is from there to √2.
    let exponent = (bits.wrapping_sub(0x3fe6_a09e_667f_3bcd) as i64) >> 52;
    let fraction = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52));
    let exponent = exponent as f64 - if is_small { 54.0 } else { 0.0 };
    // ln 2 in two parts, the first of which is exact when multiplied.
    exponent * 0.6931471805598903 + (exponent * 5.497923018708371e-14 + log_near(fraction - 1.0))
}

/// `ln(1 + x)`, exact for small `x` too.
#[device]
pub(super) fn log_1p(x: f64) -> f64 {
    if x > -0.29 && x < 0.41 { log_near(x) } else { log(1.0 + x) }
}

/// The number of times that ln 2 is taken off `x`, and `e^r - 1` of the rest, for `x` within ±746.
#[device]
fn reduced(x: f64) -> (i64, f64) {
    // Adding this rounds to an integer.
    let count = (x * std::f64::consts::LOG2_E + 6755399441055744.0) - 6755399441055744.0;
    let r = (x - count * 0.6931471805598903) - count * 5.497923018708371e-14;
    let p = 1.0 / 39916800.0 + r * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0));
    let p = 1.0 / 40320.0 + r * (1.0 / 362880.0 + r * (1.0 / 3628800.0 + r * p));
    let p = 1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0 + r * p));
    (count as i64, r + (r * r) * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * p))))
}

/// 2^`exponent`, of exponents that normal numbers have.
#[device]
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits((exponent.wrapping_add(1023) as u64) << 52)
}

/// The exponential function.
#[device]
pub(super) fn exp(x: f64) -> f64 {
    if x > 709.79 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let (count, p) = reduced(x);
    let half = count >> 1;
    (1.0 + p) * power_of_two(half) * power_of_two(count - half)
}

/// `e^x - 1`, exact for small `x` too.
#[device]
pub(super) fn exp_m1(x: f64) -> f64 {
    if x > 40.0 {
        return exp(x);
    }
    if x < -40.0 {
        return -1.0;
    }
    let (count, p) = reduced(x);
    let scale = power_of_two(count);
    scale * p + (scale - 1.0)
}

/// [`stirling_gap`] of 1 to 15. A constant of its own: one of a function is copied by each call on a device.
const GAPS: [f64; 15] = [
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
    0.007573675487951841,
    0.00694284010720953,
    0.006408994188004207,
    0.0059513701127588475,
    0.005554733551962801,
];

/// How far Stirling's `k·ln k - k + ln(2πk)/2` is below `ln(k!)`, of `k` from 1 on.
#[device]
pub(super) fn stirling_gap(k: f64) -> f64 {
    if k < 16.0 {
        return GAPS[(k as i64 - 1).clamp(0, 14) as usize];
    }
    // One division.
    let inverse = 1.0 / k;
    let z = inverse * inverse;
    (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0)))) * inverse
}

/// `ln(k!)`.
#[device]
pub(super) fn log_factorial(k: f64) -> f64 {
    if k < 2.0 {
        return 0.0;
    }
    (k + 0.5) * log(k) - k + 0.9189385332046727 + stirling_gap(k)
}

/// The same angle between -π and π.
#[device]
pub(super) fn reduced_angle(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let size = angle.abs() + PI;
    let rest = if size < TAU { size } else { size % TAU };
    let turned = rest - PI;
    if angle < 0.0 { -turned } else { turned }
}
