//! Functions that are a formula, one number at a time, in code that runs on every device.

#![expect(
    clippy::manual_range_contains,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "device code has comparisons and loops like these; of NaN they are false"
)]

use super::series::exp1_far;
use warpcell_macros::device;

#[device]
pub(super) fn expit(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[device]
pub(super) fn logit(x: f64) -> f64 {
    if x < 0.3 || x > 0.65 {
        return (x / (1.0 - x)).ln();
    }
    let twice = 2.0 * (x - 0.5);
    twice.ln_1p() - (-twice).ln_1p()
}

#[device]
pub(super) fn log_expit(x: f64) -> f64 {
    if x < 0.0 { x - x.exp().ln_1p() } else { -(-x).exp().ln_1p() }
}

#[device]
pub(super) fn exp10(x: f64) -> f64 {
    10.0_f64.powf(x)
}

#[device]
pub(super) fn exprel(x: f64) -> f64 {
    if x.abs() < 1e-16 {
        return 1.0;
    }
    if x > 717.0 { f64::INFINITY } else { x.exp_m1() / x }
}

#[device]
pub(super) fn cosm1(x: f64) -> f64 {
    let sine = (0.5 * x).sin();
    -2.0 * sine * sine
}

#[device]
pub(super) fn xlogy(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * y.ln() }
}

#[device]
pub(super) fn xlog1py(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * y.ln_1p() }
}

#[device]
#[inline(never)]
pub(super) fn entr(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 0.0 {
        return -x * x.ln();
    }
    if x == 0.0 { 0.0 } else { f64::NEG_INFINITY }
}

#[device]
#[inline(never)]
pub(super) fn rel_entr(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x > 0.0 && y > 0.0 {
        return x * (x / y).ln();
    }
    if x == 0.0 && y >= 0.0 { 0.0 } else { f64::INFINITY }
}

#[device]
#[inline(never)]
pub(super) fn kl_div(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x > 0.0 && y > 0.0 {
        return x * (x / y).ln() - x + y;
    }
    if x == 0.0 && y >= 0.0 { y } else { f64::INFINITY }
}

#[device]
pub(super) fn huber(delta: f64, r: f64) -> f64 {
    if delta < 0.0 {
        return f64::INFINITY;
    }
    if r.abs() <= delta { 0.5 * r * r } else { delta * (r.abs() - 0.5 * delta) }
}

#[device]
#[inline(never)]
pub(super) fn pseudo_huber(delta: f64, r: f64) -> f64 {
    if delta < 0.0 {
        return f64::INFINITY;
    }
    if delta == 0.0 || r == 0.0 {
        return 0.0;
    }
    let ratio = r / delta;
    delta * delta * (0.5 * (ratio * ratio).ln_1p()).exp_m1()
}

#[device]
pub(super) fn radian(degrees: f64, minutes: f64, seconds: f64) -> f64 {
    (degrees + minutes / 60.0 + seconds / 3600.0) * 0.017453292519943295
}

/// The angle in degrees less the next multiple of 90, in radians; and which multiple it is, from 0 to 3.
#[device]
fn quadrant(x: f64) -> (f64, i32) {
    let rest = x - 360.0 * (x / 360.0).floor();
    let turns = (rest / 90.0).round();
    ((rest - 90.0 * turns) * 0.017453292519943295, turns as i32 & 3)
}

#[device]
pub(super) fn sindg(x: f64) -> f64 {
    if !(x.abs() < 1e14) {
        return if x.is_nan() { x } else { 0.0 };
    }
    let (angle, turns) = quadrant(x);
    let value = if turns & 1 == 0 { angle.sin() } else { angle.cos() };
    if turns >= 2 { 0.0 - value } else { value }
}

#[device]
pub(super) fn cosdg(x: f64) -> f64 {
    if !(x.abs() < 1e14) {
        return if x.is_nan() { x } else { 0.0 };
    }
    let (angle, turns) = quadrant(x);
    let value = if turns & 1 == 0 { angle.cos() } else { angle.sin() };
    if turns == 1 || turns == 2 { 0.0 - value } else { value }
}

#[device]
#[inline(never)]
pub(super) fn tandg(x: f64) -> f64 {
    if !(x.abs() < 1e14) {
        return if x.is_nan() { x } else { 0.0 };
    }
    let (angle, turns) = quadrant(x);
    if turns & 1 == 0 {
        return angle.tan();
    }
    if angle == 0.0 { f64::INFINITY } else { -1.0 / angle.tan() }
}

#[device]
#[inline(never)]
pub(super) fn cotdg(x: f64) -> f64 {
    if !(x.abs() < 1e14) {
        return if x.is_nan() { x } else { 0.0 };
    }
    let (angle, turns) = quadrant(x);
    if turns & 1 == 1 {
        return 0.0 - angle.tan();
    }
    if angle == 0.0 { f64::INFINITY } else { 1.0 / angle.tan() }
}

#[device]
pub(super) fn boxcox(x: f64, lambda: f64) -> f64 {
    if lambda.abs() < 1e-19 { x.ln() } else { (lambda * x.ln()).exp_m1() / lambda }
}

#[device]
pub(super) fn boxcox1p(x: f64, lambda: f64) -> f64 {
    let log = x.ln_1p();
    if lambda.abs() < 1e-19 || (log.abs() < 1e-289 && lambda.abs() < 1e273) {
        return log;
    }
    (lambda * log).exp_m1() / lambda
}

#[device]
pub(super) fn inv_boxcox(x: f64, lambda: f64) -> f64 {
    if lambda == 0.0 { x.exp() } else { ((lambda * x).ln_1p() / lambda).exp() }
}

#[device]
pub(super) fn inv_boxcox1p(x: f64, lambda: f64) -> f64 {
    if lambda == 0.0 {
        return x.exp_m1();
    }
    if (lambda * x).abs() < 1e-154 { x } else { ((lambda * x).ln_1p() / lambda).exp_m1() }
}

/// The arithmetic-geometric mean of 1 and another number.
#[device]
#[inline(never)]
fn mean_with_one(other: f64) -> f64 {
    let (mut a, mut b) = (1.0, other);
    for _ in 0..40 {
        let mean = 0.5 * (a + b);
        b = (a * b).sqrt();
        a = mean;
        if (a - b).abs() < 1e-9 * a {
            break;
        }
    }
    0.5 * (a + b)
}

#[device]
#[inline(never)]
pub(super) fn ellipkm1(p: f64) -> f64 {
    if p == 0.0 {
        return f64::INFINITY;
    }
    if !(p > 0.0) {
        return f64::NAN;
    }
    if p.is_infinite() {
        return 0.0;
    }
    std::f64::consts::FRAC_PI_2 / mean_with_one(p.sqrt())
}

#[device]
pub(super) fn ellipk(m: f64) -> f64 {
    ellipkm1(1.0 - m)
}

#[device]
#[inline(never)]
pub(super) fn exp1(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    if !(x > 0.0) {
        return f64::NAN;
    }
    if x > 1.0 {
        return if x > 740.0 { 0.0 } else { exp1_far(1.0 / x) / x * (-x).exp() };
    }
    let (mut sum, mut term, mut n) = (0.0, 1.0, 1.0);
    while n < 30.0 {
        term *= -x / n;
        sum -= term / n;
        n += 1.0;
    }
    sum - 0.5772156649015329 - x.ln()
}
