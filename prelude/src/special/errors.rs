//! The error function and its relatives, one number at a time, in code that runs on every device.

#![expect(
    clippy::manual_range_contains,
    reason = "device code has comparisons and loops like these; of NaN they are false"
)]

use super::series::{erf_near, scaled_erfc};
use super::vectors::exponential;
use warpcell_macros::device;

/// `exp(x²)` for `x` up to 26.7 on both sides, exact also where `x²` is large.
#[device]
#[inline(always)]
fn exp_of_square(x: f64) -> f64 {
    let square = x * x;
    let lost = x.mul_add(x, -square);
    let value = exponential(square);
    let more = value * lost;
    if more.is_finite() { value + more } else { value }
}

/// `exp(x²) erfc(x)` of a number from 0 to 1e8.
#[device]
#[inline(always)]
fn erfcx_of_size(size: f64) -> f64 {
    // One division for both quotients: that of the variable of the series, and that by `1 + 2 x`.
    let (sum, twice) = (size + 3.75, 1.0 + 2.0 * size);
    let inverse = 1.0 / (sum * twice);
    scaled_erfc((size - 3.75) * (twice * inverse)) * (sum * inverse)
}

/// `exp(x²) erfc(x)`.
#[device]
#[inline(never)]
pub(super) fn erfcx(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 1e8 {
        return 0.5641895835477563 / x;
    }
    if x < -26.7 {
        return f64::INFINITY;
    }
    let value = erfcx_of_size(x.abs());
    if x >= 0.0 {
        return value;
    }
    2.0 * exp_of_square(x) - value
}

/// Whether [`quick_erfcx`] gives `exp(x²) erfc(x)`.
#[inline(always)]
pub(super) fn has_quick_erfcx(x: f64) -> bool {
    (x >= -26.7) & (x <= 1e8)
}

/// As [`erfcx`], from -26.7 to 1e8.
#[inline(always)]
pub(super) fn quick_erfcx(x: f64) -> f64 {
    let value = erfcx_of_size(x.abs());
    let below = 2.0 * exp_of_square(x) - value;
    if x >= 0.0 { value } else { below }
}

/// The complement of the error function.
#[device]
pub(super) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 27.3 {
        return if x >= 0.0 { 0.0 } else { 2.0 };
    }
    erfc_by(x, exponential(-x * x))
}

/// Whether [`quick_erfc`] gives the complement of the error function.
#[inline(always)]
pub(super) fn has_quick_erfc(x: f64) -> bool {
    x.abs() <= 27.3
}

/// As [`erfc`], up to 27.3 on both sides.
#[inline(always)]
pub(super) fn quick_erfc(x: f64) -> f64 {
    quick_erfc_by(x, exponential(-x * x))
}

/// `erfc(x)` for `x` up to 27.3 on both sides, by `bell`, which is `exp(-x²)` of the rounded square.
#[device]
fn erfc_by(x: f64, bell: f64) -> f64 {
    // Near 0 the result is exact: 1 of 0.
    if x.abs() < 0.25 {
        return 1.0 - x * erf_near(x * x);
    }
    far_erfc_by(x, bell)
}

/// As [`erfc_by`], but not exact near 0.
#[device]
#[inline(always)]
fn far_erfc_by(x: f64, bell: f64) -> f64 {
    let lost = x.mul_add(x, -(x * x));
    let value = erfcx_of_size(x.abs()) * (bell - bell * lost);
    if x >= 0.0 { value } else { 2.0 - value }
}

/// As [`erfc_by`], without a branch.
#[inline(always)]
fn quick_erfc_by(x: f64, bell: f64) -> f64 {
    let near = 1.0 - x * erf_near(x * x);
    let far = far_erfc_by(x, bell);
    if x.abs() < 0.25 { near } else { far }
}

#[device]
pub(super) fn erf(x: f64) -> f64 {
    if x.abs() < 0.5 {
        return x * erf_near(x * x);
    }
    if x > 0.0 { 1.0 - erfc(x) } else { erfc(-x) - 1.0 }
}

/// Whether [`quick_erf`] gives the error function.
#[inline(always)]
pub(super) fn has_quick_erf(x: f64) -> bool {
    x.abs() <= 27.3
}

/// As [`erf`], up to 27.3 on both sides.
#[inline(always)]
pub(super) fn quick_erf(x: f64) -> f64 {
    let near = x * erf_near(x * x);
    let far = 1.0 - far_erfc_by(x.abs(), exponential(-x * x));
    if x.abs() < 0.5 { near } else { far.copysign(x) }
}

/// The share of the normal distribution below `x`.
#[device]
pub(super) fn ndtr(x: f64) -> f64 {
    0.5 * twice_above(-x)
}

/// Whether [`quick_ndtr`] gives the share of the normal distribution.
#[inline(always)]
pub(super) fn has_quick_ndtr(x: f64) -> bool {
    (x * std::f64::consts::FRAC_1_SQRT_2).abs() <= 27.3
}

/// As [`ndtr`], up to 38.6 on both sides.
#[inline(always)]
pub(super) fn quick_ndtr(x: f64) -> f64 {
    let scaled = -x * std::f64::consts::FRAC_1_SQRT_2;
    let bell = exponential(-scaled * scaled);
    0.5 * (quick_erfc_by(scaled, bell) - lost_by_scaling(-x, scaled) * std::f64::consts::FRAC_2_SQRT_PI * bell)
}

/// What the product `x / √2` has lost by rounding.
#[device]
#[inline(always)]
fn lost_by_scaling(x: f64, scaled: f64) -> f64 {
    x.mul_add(std::f64::consts::FRAC_1_SQRT_2, -scaled) - x * 4.833646656726457e-17
}

/// Twice the share of the normal distribution above `x`: `erfc(x / √2)`, with what the product has lost by rounding.
#[device]
fn twice_above(x: f64) -> f64 {
    let scaled = x * std::f64::consts::FRAC_1_SQRT_2;
    let lost = lost_by_scaling(x, scaled);
    if !(lost.is_finite() && scaled.abs() <= 27.3) {
        return erfc(scaled);
    }
    // One exponential serves both terms.
    let bell = exponential(-scaled * scaled);
    erfc_by(scaled, bell) - lost * std::f64::consts::FRAC_2_SQRT_PI * bell
}

/// The logarithm of the share of the normal distribution below `x`.
#[device]
pub(super) fn log_ndtr(x: f64) -> f64 {
    let scaled = x * std::f64::consts::FRAC_1_SQRT_2;
    if x < -1.0 {
        return (0.5 * erfcx(-scaled)).ln() - 0.5 * x * x;
    }
    (-0.5 * twice_above(x)).ln_1p()
}

/// The number below which a share `p` of the normal distribution is, for `p` up to 0.075: rational functions of `√(-ln p)` by Wichura,
/// "Algorithm AS 241: The percentage points of the normal distribution" (1988).
#[device]
fn low_quantile(p: f64) -> f64 {
    let root = (-p.ln()).sqrt();
    let is_near = root <= 5.0;
    let r = if is_near { root - 1.6 } else { root - 5.0 };
    let (mut above, mut below) = if is_near {
        (7.745450142783414e-4, 1.0507500716444169e-9)
    } else {
        (2.0103343992922881e-7, 2.0442631033899397e-15)
    };
    for index in 0..7 {
        above = above * r + if is_near { NEAR_ABOVE[index] } else { FAR_ABOVE[index] };
        below = below * r + if is_near { NEAR_BELOW[index] } else { FAR_BELOW[index] };
    }
    -above / below
}

/// The number below which a share `0.5 + away` of the normal distribution is, for up to 0.425 on both sides; by Wichura too.
#[device]
fn middle_quantile(away: f64) -> f64 {
    let r = 0.180625 - away * away;
    let mut above = 2509.0809287301227;
    let mut below = 5226.495278852854;
    for index in 0..7 {
        above = above * r + MIDDLE_ABOVE[index];
        below = below * r + MIDDLE_BELOW[index];
    }
    away * above / below
}

const MIDDLE_ABOVE: [f64; 7] = [
    33430.57558358813,
    67265.7709270087,
    45921.95393154987,
    13731.69376550946,
    1971.5909503065513,
    133.14166789178438,
    3.3871328727963665,
];
const MIDDLE_BELOW: [f64; 7] = [
    28729.085735721943,
    39307.89580009271,
    21213.794301586597,
    5394.196021424751,
    687.1870074920579,
    42.31333070160091,
    1.0,
];
const NEAR_ABOVE: [f64; 7] = [
    0.022723844989269184,
    0.2417807251774506,
    1.2704582524523684,
    3.6478483247632045,
    5.769497221460691,
    4.630337846156546,
    1.4234371107496835,
];
const NEAR_BELOW: [f64; 7] = [
    5.475938084995345e-4,
    0.015198666563616457,
    0.14810397642748008,
    6.897673349851e-1,
    1.6763848301838038,
    2.053191626637759,
    1.0,
];
const FAR_ABOVE: [f64; 7] = [
    2.7115555687434876e-5,
    0.0012426609473880784,
    0.026532189526576124,
    0.29656057182850487,
    1.7848265399172913,
    5.463784911164114,
    6.657904643501103,
];
const FAR_BELOW: [f64; 7] = [
    1.421511758316446e-7,
    1.8463183175100548e-5,
    7.868691311456133e-4,
    0.014875361290850615,
    0.1369298809227358,
    0.5998322065558879,
    1.0,
];

/// The number below which a share `p` of the normal distribution is.
#[device]
#[inline(never)]
pub(super) fn ndtri(p: f64) -> f64 {
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    if !(p > 0.0 && p < 1.0) {
        return f64::NAN;
    }
    let away = p - 0.5;
    if away.abs() <= 0.425 {
        return middle_quantile(away);
    }
    let is_low = p < 0.5;
    let quantile = low_quantile(if is_low { p } else { 1.0 - p });
    if is_low { quantile } else { -quantile }
}

#[device]
pub(super) fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    if size <= 0.85 {
        return middle_quantile(0.5 * y) * std::f64::consts::FRAC_1_SQRT_2;
    }
    (ndtri(0.5 * (1.0 - size)) * std::f64::consts::FRAC_1_SQRT_2).abs().copysign(y)
}

#[device]
#[inline(never)]
pub(super) fn erfcinv(y: f64) -> f64 {
    if y == 2.0 {
        return f64::NEG_INFINITY;
    }
    if y > 1.85 && y < 2.0 {
        return low_quantile(0.5 * (2.0 - y)) * std::f64::consts::FRAC_1_SQRT_2;
    }
    if y >= 0.15 && y <= 1.85 {
        return middle_quantile(0.5 * (1.0 - y)) * std::f64::consts::FRAC_1_SQRT_2;
    }
    -ndtri(0.5 * y) * std::f64::consts::FRAC_1_SQRT_2
}
