//! The gamma function and its relatives, one number at a time, in code that runs on every device.

#![expect(
    clippy::manual_range_contains,
    clippy::needless_range_loop,
    reason = "device code has comparisons and loops like these; of NaN they are false"
)]

use super::series::{digamma_part, log_gamma_part, reciprocal_gamma, sine_of_turns_near};
use super::vectors::logarithm;
use warpcell_macros::device;

/// `sin(πx)`, exact at multiples of a half.
#[device(apart)]
#[inline(always)]
pub(super) fn sine_of_turns(x: f64) -> f64 {
    let rest = x - 2.0 * (0.5 * x).round();
    let folded = if rest > 0.5 {
        1.0 - rest
    } else if rest < -0.5 {
        -1.0 - rest
    } else {
        rest
    };
    folded * sine_of_turns_near(folded * folded)
}

/// Whether this is 0, -1, -2 and so on.
#[device]
#[inline(always)]
pub(super) fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == x.floor()
}

/// What Stirling's formula lacks, for `x` from 10.
#[device(apart)]
#[inline(always)]
pub(super) fn stirling_gap(x: f64) -> f64 {
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let mut sum = -0.029550653594771242;
    sum = sum * square + 0.00641025641025641;
    sum = sum * square - 0.0019175269175269176;
    sum = sum * square + 0.0008417508417508417;
    sum = sum * square - 0.0005952380952380953;
    sum = sum * square + 0.0007936507936507937;
    sum = sum * square - 0.002777777777777778;
    sum = sum * square + 0.08333333333333333;
    sum * inverse
}

/// `ln(1 + x) - x`, without cancellation.
#[device]
#[inline(never)]
pub(super) fn log_1p_less(x: f64) -> f64 {
    if x < -0.4 || x > 0.6 {
        return x.ln_1p() - x;
    }
    let ratio = x / (2.0 + x);
    let square = ratio * ratio;
    let mut sum = 0.0;
    for step in 0..16 {
        sum = sum * square + 1.0 / (33.0 - 2.0 * step as f64);
    }
    2.0 * ratio * square * sum - ratio * x
}

/// For `x` from 20, and up to -20, by Stirling's formula.
#[device]
#[inline(never)]
fn gamma_far(x: f64) -> f64 {
    if x > 171.7 {
        return f64::INFINITY;
    }
    if x < -185.0 {
        return 0.0_f64.copysign(sine_of_turns(x));
    }
    // Half of the power twice: the whole one may be too large, and Γ(1 - x) too.
    let size = x.abs();
    let half = size.powf(0.5 * size - 0.25);
    let others = 2.5066282746310002 * half * stirling_gap(size).exp() * (-size).exp();
    if x > 0.0 { others * half } else { std::f64::consts::PI / (others * sine_of_turns(x) * x) / -half }
}

#[device]
#[inline(never)]
pub(super) fn gamma(x: f64) -> f64 {
    if x.is_nan() || (x < 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x.abs() > 20.0 {
        return gamma_far(x);
    }
    // One evaluation and one division for all of them, since the threads of a warp take all sides of branches.
    let mut rest = x;
    let (mut product, mut divisor) = (1.0, 1.0);
    for _ in 0..20 {
        if rest <= 1.5 {
            break;
        }
        rest -= 1.0;
        product *= rest;
    }
    for _ in 0..21 {
        if rest >= 0.5 {
            break;
        }
        divisor *= rest;
        rest += 1.0;
    }
    product / (divisor * reciprocal_gamma(rest))
}

/// Whether [`quick_gamma`] gives the gamma function.
#[inline(always)]
pub(super) fn has_quick_gamma(x: f64) -> bool {
    (x.abs() <= 20.0) & !((x < 0.0) & (x == x.floor()))
}

/// The gamma function by the operations of [`gamma`], without its branches.
#[inline(always)]
pub(super) fn quick_gamma(x: f64) -> f64 {
    // The factors go down from `x - 1` to above 0.5, or up from `x` to below it. All of them but the last one are exact, so each follows from
    // `x`. Those that go down are taken with the other sign, for which they go up, too.
    let is_down = x > 1.5;
    let (first, end) = if is_down { (1.0 - x, -0.5) } else { (x, 0.5) };
    let (mut several, mut count) = (1.0, 0.0);
    for step in 0..21 {
        // The first one keeps the sign of 0.
        let factor = if step == 0 { first } else { first + step as f64 };
        let is_one = factor < end;
        several *= if is_one { factor } else { 1.0 };
        count += if is_one { 1.0 } else { 0.0 };
    }
    let rest = if is_down { x - count } else { x + count };
    let (product, divisor) = if is_down { (several.abs(), 1.0) } else { (1.0, several) };
    product / (divisor * reciprocal_gamma(rest))
}

#[device]
#[inline(never)]
pub(super) fn rgamma(x: f64) -> f64 {
    if is_pole(x) {
        return 0.0;
    }
    if x > 170.0 {
        return (-log_gamma(x)).exp();
    }
    1.0 / gamma(x)
}

/// `lgamma(1 + x)` for `x` from -0.5 to 1.5, exact near 0.
#[device]
pub(super) fn log_gamma_1p(x: f64) -> f64 {
    if x < 0.0 {
        return log_gamma_part(2.0 + x) * (1.0 + x) * x - x.ln_1p();
    }
    log_gamma_part(1.0 + x) * x * (x - 1.0)
}

/// The logarithm of the absolute value.
#[device]
#[inline(never)]
pub(super) fn log_gamma(x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    if is_pole(x) {
        return f64::INFINITY;
    }
    let size = x.abs();
    let is_reflected = x < 0.0;
    let sine = if is_reflected { sine_of_turns(x).abs() } else { 1.0 };
    if size >= 10.0 {
        let log = logarithm(size);
        let value = if size >= 1e17 {
            size * (log - 1.0)
        } else {
            (size - 0.5) * log - size + 0.9189385332046728 + stirling_gap(size)
        };
        return if is_reflected { 1.1447298858494002 - logarithm(sine * size) - value } else { value };
    }
    // One evaluation and one logarithm for all sizes and signs, since the threads of a warp take all sides of branches. `Γ(size)` is
    // `Γ(1 + size) / size`, or `Γ(rest)` times a product; and `Γ(-size)` is `π / (sin(π size) size Γ(size))`, but for its sign.
    let is_small = size < 1.0;
    let mut rest = if is_small { 1.0 + size } else { size };
    let mut product = 1.0;
    for _ in 0..8 {
        if rest <= 2.5 {
            break;
        }
        rest -= 1.0;
        product *= rest;
    }
    let factors = if is_small { size * (size - 1.0) } else { (rest - 1.0) * (rest - 2.0) };
    let part = log_gamma_part(rest) * factors;
    if is_reflected {
        let others = if is_small { sine } else { sine * size * product };
        return 1.1447298858494002 - logarithm(others) - part;
    }
    let others = logarithm(if is_small { size } else { product });
    part + if is_small { -others } else { others }
}

/// Whether [`quick_log_gamma`] gives the logarithm.
#[inline(always)]
pub(super) fn has_quick_log_gamma(x: f64) -> bool {
    (x > -10.0) & (x < 1e17) & !((x <= 0.0) & (x == x.floor()))
}

/// The logarithm by the operations of [`log_gamma`], without its branches.
#[inline(always)]
pub(super) fn quick_log_gamma(x: f64) -> f64 {
    let size = x.abs();
    let (is_large, is_small, is_reflected) = (size >= 10.0, size < 1.0, x < 0.0);
    let first = if is_small { 1.0 + size } else { size };
    let (mut rest, mut product) = (first, 1.0);
    for step in 1..9 {
        // Exact, as one step after the other is.
        let place = first - step as f64;
        let is_beyond = place > 1.5;
        rest = if is_beyond { place } else { rest };
        product *= if is_beyond { place } else { 1.0 };
    }
    let factors = if is_small { size * (size - 1.0) } else { (rest - 1.0) * (rest - 2.0) };
    let part = log_gamma_part(rest) * factors;
    let sine = sine_of_turns(x).abs();
    let (of_small, of_others) = if is_reflected { (sine, sine * size * product) } else { (size, product) };
    let others = if is_small { of_small } else { of_others };
    let log = logarithm(if is_large { size } else { others });
    let far = (size - 0.5) * log - size + 0.9189385332046728 + stirling_gap(size);
    let near = part + if is_small { -log } else { log };
    let reflected = 1.1447298858494002 - log - part;
    if is_large {
        far
    } else if is_reflected {
        reflected
    } else {
        near
    }
}

#[device]
pub(super) fn log_gamma_of_positive(x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { log_gamma(x) }
}

#[device]
#[inline(never)]
pub(super) fn gamma_sign(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 0.0 {
        return 1.0;
    }
    if x == 0.0 {
        return 1.0_f64.copysign(x);
    }
    if x == x.floor() {
        return f64::NAN;
    }
    let half = 0.5 * x.floor();
    if half == half.floor() { 1.0 } else { -1.0 }
}

#[device]
#[inline(never)]
pub(super) fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == 0.0 {
        return f64::INFINITY.copysign(-x);
    }
    if x == f64::NEG_INFINITY || (x < 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    let mut sum = 0.0;
    let mut rest = x;
    if x < 0.0 {
        if x > -0.5 {
            sum = -1.0 / x;
            rest = x + 1.0;
        } else {
            let turn = x - x.round();
            sum = -std::f64::consts::PI / (std::f64::consts::PI * turn).tan();
            rest = 1.0 - x;
        }
    }
    if rest >= 10.0 {
        let square = 1.0 / (rest * rest);
        let mut tail = 0.08333333333333333;
        tail = tail * square - 0.021092796092796094;
        tail = tail * square + 0.007575757575757576;
        tail = tail * square - 0.004166666666666667;
        tail = tail * square + 0.003968253968253968;
        tail = tail * square - 0.008333333333333333;
        tail = tail * square + 0.08333333333333333;
        return sum + (rest.ln() - 0.5 / rest - tail * square);
    }
    while rest < 1.0 {
        sum -= 1.0 / rest;
        rest += 1.0;
    }
    while rest > 2.0 {
        rest -= 1.0;
        sum += 1.0 / rest;
    }
    sum + digamma_part(rest) * ((rest - 1.4616321449683622) - 9.549995429965697e-17)
}

/// `(2j)! / B(2j)` for `j` from 1.
const FACTORS: [f64; 12] = [
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1892437580.3183792,
    74724249600.0,
    -2950130727918.164,
    116467828143500.67,
    -4597978722407472.0,
    1.8152105401943546e17,
    -7.166165256175667e18,
];

/// The sum of `(q + k)^-s`, by the formula of Euler and Maclaurin. It continues the function to `s` below 1.
#[device]
#[inline(never)]
fn zeta_sum(s: f64, q: f64) -> f64 {
    let mut sum = 0.0;
    let mut base = q;
    let mut step = 0;
    while step < 10 || base < 10.0 {
        let term = base.powf(-s);
        sum += term;
        base += 1.0;
        step += 1;
        if s > 1.0 && term.abs() < 1e-17 * sum.abs() {
            return sum;
        }
    }
    let power = base.powf(-s);
    sum += power * base / (s - 1.0) + 0.5 * power;
    let mut factor = s;
    let mut term = power / base;
    let mut index = s;
    for k in 0..12 {
        let part = factor * term / FACTORS[k];
        sum += part;
        factor *= (index + 1.0) * (index + 2.0);
        index += 2.0;
        term /= base * base;
        if part.abs() < 1e-17 * sum.abs() {
            return sum;
        }
    }
    sum
}

/// Hurwitz's zeta function.
#[device]
#[inline(never)]
pub(super) fn hurwitz_zeta(s: f64, q: f64) -> f64 {
    if s.is_nan() || q.is_nan() || s < 1.0 {
        return f64::NAN;
    }
    if s == 1.0 {
        return f64::INFINITY;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return f64::INFINITY;
        }
        // The power of a negative number; and beyond this, the loop would not end.
        if s != s.floor() || q < -1e7 {
            return f64::NAN;
        }
    }
    if q > 1e8 {
        return (1.0 / (s - 1.0) + 0.5 / q) * q.powf(1.0 - s);
    }
    zeta_sum(s, q)
}

/// Riemann's zeta function.
#[device]
#[inline(never)]
pub(super) fn riemann_zeta(s: f64) -> f64 {
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s >= 0.0 || s.is_nan() {
        return if s > 60.0 { 1.0 } else { zeta_sum(s, 1.0) };
    }
    if s == f64::NEG_INFINITY {
        return f64::NAN;
    }
    let sine = sine_of_turns(0.5 * s);
    if sine == 0.0 {
        return 0.0;
    }
    // Half of the power twice, and half of the function twice: the whole ones may be too large.
    let half = (0.5 * (log_gamma(1.0 - s) + (s - 1.0) * 1.8378770664093456)).exp();
    let factor = if s > -160.0 { gamma(1.0 - s) * std::f64::consts::TAU.powf(s - 1.0) } else { half * half };
    let other = if s < -60.0 { 1.0 } else { zeta_sum(1.0 - s, 1.0) };
    2.0 * sine * other * factor
}

#[device]
#[inline(never)]
pub(super) fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    if n < 0.0 || n != n.floor() {
        return f64::NAN;
    }
    let half = 0.5 * n;
    let value = gamma(n + 1.0) * hurwitz_zeta(n + 1.0, x);
    if half == half.floor() { -value } else { value }
}

/// `lgamma(b) - lgamma(a + b)` for `b` from 10 and a positive `a`.
#[device]
fn log_gamma_fall(a: f64, b: f64) -> f64 {
    a - (a + b - 0.5) * (a / b).ln_1p() - a * b.ln() + (stirling_gap(b) - stirling_gap(a + b))
}

/// What Stirling's formulas lack in the logarithm of the beta function, for numbers from 10.
#[device]
pub(super) fn beta_gap(a: f64, b: f64) -> f64 {
    stirling_gap(a) + stirling_gap(b) - stirling_gap(a + b)
}

/// Of positive numbers.
#[device]
#[inline(never)]
fn log_beta_of_positive(one: f64, other: f64) -> f64 {
    let (a, b) = (one.min(other), one.max(other));
    if b == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    if a >= 10.0 {
        let ratio = a / b;
        let share = ratio / (1.0 + ratio);
        return 0.9189385332046728 - 0.5 * b.ln() + beta_gap(a, b) + (a - 0.5) * share.ln() - b * ratio.ln_1p();
    }
    if b >= 10.0 {
        return log_gamma(a) + log_gamma_fall(a, b);
    }
    if a < 1e-100 {
        return -a.ln();
    }
    (gamma(b) / gamma(a + b) * gamma(a)).ln()
}

/// Of `a`, which is 0 or a negative integer.
#[device]
fn beta_at_pole(a: f64, b: f64) -> f64 {
    if b == b.floor() && 1.0 - a - b > 0.0 {
        let half = 0.5 * b;
        let sign = if half == half.floor() { 1.0 } else { -1.0 };
        return sign * beta_of_positive(1.0 - a - b, b);
    }
    f64::INFINITY
}

#[device]
#[inline(never)]
fn beta_of_positive(one: f64, other: f64) -> f64 {
    let (a, b) = (one.min(other), one.max(other));
    if a + b < 170.0 && a > 1e-100 {
        let sum = a + b;
        // What the sum has lost by rounding.
        let lost = a - (sum - b);
        let value = gamma(b) / gamma(sum) * gamma(a);
        return value - value * lost * digamma(sum);
    }
    if a >= 10.0 {
        let ratio = a / b;
        let sum = a + b;
        let size = (std::f64::consts::TAU / b).sqrt() * beta_gap(a, b).exp();
        let powers = (ratio / (1.0 + ratio)).powf(a - 0.5) * (-b * ratio.ln_1p()).exp();
        if powers > 0.0 && sum < 1e4 {
            return size * powers;
        }
    }
    log_beta_of_positive(a, b).exp()
}

#[device]
#[inline(never)]
pub(super) fn beta(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a > 0.0 && b > 0.0 {
        return beta_of_positive(a, b);
    }
    if is_pole(a) {
        return beta_at_pole(a, b);
    }
    if is_pole(b) {
        return beta_at_pole(b, a);
    }
    if is_pole(a + b) {
        return 0.0;
    }
    if a.abs().max(b.abs()).max((a + b).abs()) < 165.0 {
        return gamma(a) / gamma(a + b) * gamma(b);
    }
    let sign = gamma_sign(a) * gamma_sign(b) * gamma_sign(a + b);
    // Γ(b) / Γ(a + b) by reflection of the negative one would be as exact as its sine.
    sign * (log_gamma(a) + log_gamma(b) - log_gamma(a + b)).exp()
}

#[device]
#[inline(never)]
pub(super) fn log_beta(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 {
        return log_beta_of_positive(a, b);
    }
    if is_pole(a) || is_pole(b) {
        return beta(a, b).abs().ln();
    }
    log_gamma(a) + log_gamma(b) - log_gamma(a + b)
}

#[device]
#[inline(never)]
pub(super) fn binomial(n: f64, k: f64) -> f64 {
    if n.is_nan() || k.is_nan() || (n < 0.0 && n == n.floor()) {
        return f64::NAN;
    }
    let whole = k.floor();
    if k == whole && (n.abs() > 1e-8 || n == 0.0) {
        // A product is exact where it can be.
        let fewer = if n == n.floor() && whole > 0.5 * n && n > 0.0 { n - whole } else { whole };
        if fewer >= 0.0 && fewer < 20.0 {
            let (mut product, mut divisor, mut factor) = (1.0, 1.0, 1.0);
            while factor <= fewer {
                product *= factor + n - fewer;
                divisor *= factor;
                if product.abs() > 1e50 {
                    product /= divisor;
                    divisor = 1.0;
                }
                factor += 1.0;
            }
            return product / divisor;
        }
    }
    if n >= 1e10 * k && k > 0.0 {
        return (-log_beta(1.0 + n - k, 1.0 + k) - (n + 1.0).ln()).exp();
    }
    if k > 1e8 * n.abs() {
        let part = gamma(1.0 + n) / k + gamma(1.0 + n) * n / (2.0 * k * k);
        let half = 0.5 * whole;
        let sign = if half == half.floor() { 1.0 } else { -1.0 };
        return part / (std::f64::consts::PI * k.powf(n)) * sine_of_turns((k - whole) - n) * sign;
    }
    1.0 / (n + 1.0) / beta(1.0 + n - k, 1.0 + k)
}

#[device]
#[inline(never)]
pub(super) fn combinations(n: f64, k: f64) -> f64 {
    if n.is_nan() || k.is_nan() {
        return f64::NAN;
    }
    if k > n || n < 0.0 || k < 0.0 { 0.0 } else { binomial(n, k) }
}

#[device]
#[inline(never)]
pub(super) fn permutations(n: f64, k: f64) -> f64 {
    if n.is_nan() || k.is_nan() {
        return f64::NAN;
    }
    if k > n || n < 0.0 || k < 0.0 { 0.0 } else { pochhammer(n - k + 1.0, k) }
}

#[device]
#[inline(never)]
pub(super) fn factorial(n: f64) -> f64 {
    if n < 0.0 { 0.0 } else { gamma(n + 1.0) }
}

/// `Γ(a + m) / Γ(a)`.
#[device]
#[inline(never)]
pub(super) fn pochhammer(a: f64, m: f64) -> f64 {
    let mut product = 1.0;
    let mut rest = m;
    while rest >= 1.0 && a + rest != 1.0 {
        rest -= 1.0;
        product *= a + rest;
        if !product.is_finite() || product == 0.0 {
            return product;
        }
    }
    while rest <= -1.0 && a + rest != 0.0 {
        product /= a + rest;
        rest += 1.0;
        if !product.is_finite() || product == 0.0 {
            return product;
        }
    }
    if rest == 0.0 {
        return product;
    }
    if is_pole(a + rest) && !is_pole(a) {
        return f64::INFINITY;
    }
    if is_pole(a) && !is_pole(a + rest) {
        return 0.0;
    }
    if a >= 10.0 && a + rest >= 10.0 {
        // By Stirling, where the large terms cancel.
        let gap = stirling_gap(a + rest) - stirling_gap(a);
        return product * ((a + rest - 0.5) * (rest / a).ln_1p() - rest + gap).exp() * a.powf(rest);
    }
    if a.abs().max((a + rest).abs()) < 165.0 {
        return product * (gamma(a + rest) / gamma(a));
    }
    product * (log_gamma(a + rest) - log_gamma(a)).exp() * gamma_sign(a + rest) * gamma_sign(a)
}
