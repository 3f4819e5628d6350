//! The error function and its relatives, one number at a time, in code that runs on every device.

#![expect(
    clippy::manual_range_contains,
    reason = "device code has comparisons and loops like these; of NaN they are false"
)]

use super::series::{erf_near, normal_quantile_part, scaled_erfc};
use warpcell_macros::device;

/// `exp(x²)`, exact also where `x²` is large.
#[device]
fn exp_of_square(x: f64, sign: f64) -> f64 {
    let square = x * x;
    let lost = x.mul_add(x, -square);
    let value = (sign * square).exp();
    if lost.is_finite() { value + value * (sign * lost) } else { value }
}

/// `exp(x²) erfc(x)`.
#[device]
#[inline(never)]
pub(super) fn erfcx(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let size = x.abs();
    let value = if size > 1e8 {
        0.5641895835477563 / size
    } else {
        scaled_erfc((size - 3.75) / (size + 3.75)) / (1.0 + 2.0 * size)
    };
    if x >= 0.0 {
        return value;
    }
    if x < -26.7 {
        return f64::INFINITY;
    }
    2.0 * exp_of_square(x, 1.0) - value
}

/// The complement of the error function.
#[device]
pub(super) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let size = x.abs();
    let value = if size > 27.3 { 0.0 } else { erfcx(size) * exp_of_square(size, -1.0) };
    if x >= 0.0 { value } else { 2.0 - value }
}

#[device]
pub(super) fn erf(x: f64) -> f64 {
    if x.abs() < 0.5 {
        return x * erf_near(x * x);
    }
    if x > 0.0 { 1.0 - erfc(x) } else { erfc(-x) - 1.0 }
}

/// The share of the normal distribution below `x`.
#[device]
pub(super) fn ndtr(x: f64) -> f64 {
    0.5 * twice_above(-x)
}

/// Twice the share of the normal distribution above `x`: `erfc(x / √2)`, with what the product has lost by rounding.
#[device]
fn twice_above(x: f64) -> f64 {
    let scaled = x * std::f64::consts::FRAC_1_SQRT_2;
    let lost = x.mul_add(std::f64::consts::FRAC_1_SQRT_2, -scaled) - x * 4.833646656726457e-17;
    if !lost.is_finite() {
        return erfc(scaled);
    }
    erfc(scaled) - lost * std::f64::consts::FRAC_2_SQRT_PI * (-scaled * scaled).exp()
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

/// The number below which a share `p` of the normal distribution is, for `p` up to 0.15: Abramowitz and Stegun 26.2.23, made exact
/// by Halley's steps for the logarithm.
#[device]
#[inline(never)]
fn low_quantile(p: f64) -> f64 {
    let goal = p.ln();
    let t = (-2.0 * goal).sqrt();
    let mut z = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for _ in 0..3 {
        // The derivative of the logarithm: the density by the share.
        let scaled = erfcx(-z * std::f64::consts::FRAC_1_SQRT_2);
        let slope = 0.7978845608028654 / scaled;
        let step = ((0.5 * scaled).ln() - 0.5 * z * z - goal) / slope;
        z -= step / (1.0 + 0.5 * step * (z + slope));
    }
    z
}

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
    if p < 0.15 {
        return low_quantile(p);
    }
    if p > 0.85 {
        return -low_quantile(1.0 - p);
    }
    let away = p - 0.5;
    away * normal_quantile_part(away * away)
}

#[device]
pub(super) fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    if size <= 0.7 {
        let away = 0.5 * y;
        return away * normal_quantile_part(away * away) * std::f64::consts::FRAC_1_SQRT_2;
    }
    (ndtri(0.5 * (1.0 - size)) * std::f64::consts::FRAC_1_SQRT_2).abs().copysign(y)
}

#[device]
#[inline(never)]
pub(super) fn erfcinv(y: f64) -> f64 {
    if y == 2.0 {
        return f64::NEG_INFINITY;
    }
    if y > 1.7 && y < 2.0 {
        return low_quantile(0.5 * (2.0 - y)) * std::f64::consts::FRAC_1_SQRT_2;
    }
    if y >= 0.3 && y <= 1.7 {
        let away = 0.5 * (1.0 - y);
        return away * normal_quantile_part(away * away) * std::f64::consts::FRAC_1_SQRT_2;
    }
    -ndtri(0.5 * y) * std::f64::consts::FRAC_1_SQRT_2
}
