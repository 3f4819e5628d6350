//! The continuous distributions, one number at a time, in code that runs on every device.
//!
//! Some are functions of one random word, `word`. The others take as many as they need from the blocks of their element (`draws`).

#![expect(clippy::too_many_arguments, reason = "a function over arrays takes each operand as an argument")]

use super::counts::poisson_of;
use super::draws::{
    Draws, MOST, circle, draws_of, exp, exp_m1, log, log_1p, normal, open, reduced_angle, trial, two, words,
};
use super::sampling::{Formula, Prepared};
use warpcell_macros::{device, vectorize};

#[vectorize]
pub(super) fn uniform(word: u64, low: f64, high: f64) -> f64 {
    // The 53 highest bits, times 2^-53. What is rounded to `high` is `low` instead.
    let value = low + (high - low) * ((word >> 11) as f64 * 1.1102230246251565e-16);
    if value < high { value } else { low }
}

#[vectorize]
pub(super) fn shifted_normal(normal: f64, loc: f64, scale: f64) -> f64 {
    loc + scale * normal
}

#[vectorize]
pub(super) fn exponential(word: u64, scale: f64) -> f64 {
    -log(open(word)) * scale
}

/// The product of the word and of how many integers there are, of which the upper 64 bits count. No integer is more likely than
/// another one by more than one word.
#[vectorize]
pub(super) fn bounded(word: u64, low: i64, high: i64) -> i64 {
    let count = high.wrapping_sub(low) as u64;
    let (upper, lower) = (word >> 32, word & 0xffff_ffff);
    let (most, least) = (count >> 32, count & 0xffff_ffff);
    let middle = upper * least + ((lower * least) >> 32);
    let other = lower * most + (middle & 0xffff_ffff);
    low.wrapping_add((upper * most + (middle >> 32) + (other >> 32)) as i64)
}

#[vectorize]
pub(super) fn laplace(word: u64, loc: f64, scale: f64) -> f64 {
    // The lowest bit, which the uniform number does not have, is the sign.
    let distance = -log(open(word)) * scale;
    if word & 1 == 1 { loc + distance } else { loc - distance }
}

#[vectorize]
pub(super) fn logistic(word: u64, loc: f64, scale: f64) -> f64 {
    let u = open(word);
    loc + scale * (log(u) - log(1.0 - u))
}

#[vectorize]
pub(super) fn gumbel(word: u64, loc: f64, scale: f64) -> f64 {
    loc - scale * log(-log(open(word)))
}

#[vectorize]
pub(super) fn lognormal(normal: f64, mean: f64, sigma: f64) -> f64 {
    exp(mean + sigma * normal)
}

#[vectorize]
pub(super) fn pareto(word: u64, a: f64) -> f64 {
    exp_m1(-log(open(word)) / a)
}

#[vectorize]
pub(super) fn power(word: u64, a: f64) -> f64 {
    exp(log(open(word)) / a)
}

#[vectorize]
pub(super) fn rayleigh(word: u64, scale: f64) -> f64 {
    scale * (-2.0 * log(open(word))).sqrt()
}

#[vectorize]
pub(super) fn standard_cauchy(word: u64) -> f64 {
    let (x, y) = circle(word);
    y / x
}

#[vectorize]
pub(super) fn triangular(word: u64, left: f64, mode: f64, right: f64) -> f64 {
    let u = open(word);
    let (base, rise, fall) = (right - left, mode - left, right - mode);
    if u * base <= rise { left + (u * base * rise).sqrt() } else { right - ((1.0 - u) * base * fall).sqrt() }
}

#[vectorize]
pub(super) fn weibull(word: u64, a: f64) -> f64 {
    if a == 0.0 { 0.0 } else { exp(log(-log(open(word))) / a) }
}

/// Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots", 1976. The larger root is
/// computed first, because the other is a difference.
#[vectorize]
pub(super) fn wald(row: i64, column: i64, key: u64, stream: u64, first: u64, mean: f64, scale: f64) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    let (z, u) = trial(&mut draws);
    let y = mean * z * z;
    let ratio = 1.0 + (y + (4.0 * scale * y + y * y).sqrt()) / (2.0 * scale);
    let (larger, smaller) = (mean * ratio, mean / ratio);
    if u * (mean + smaller) <= mean { smaller } else { larger }
}

/// What all numbers of a von Mises distribution have in common: s - 1 of the paper's s, its product with s + 1 and κ, and the factor
/// of the tangent of half an angle.
#[device]
#[derive(Clone, Copy)]
pub(super) struct Circular {
    mu: f64,
    kappa: f64,
    below: f64,
    product: f64,
    narrow: f64,
}

#[device]
fn circular_of(mu: f64, kappa: f64) -> Circular {
    let root = (1.0 + 4.0 * kappa * kappa).sqrt() + 1.0;
    let rho = if kappa < 1e-5 { 0.5 * kappa } else { (root - (2.0 * root).sqrt()) / (2.0 * kappa) };
    let (below, above) = ((1.0 - rho) * (1.0 - rho) / (2.0 * rho), (1.0 + rho) * (1.0 + rho) / (2.0 * rho));
    Circular { mu, kappa, below, product: kappa * below * above, narrow: (1.0 - rho) / (1.0 + rho) }
}

/// Best and Fisher, "Efficient simulation of the von Mises distribution", 1979: angles of a wrapped Cauchy distribution, some of
/// which are rejected. Half the angle is uniform on the circle, which gives its sign too.
#[device]
fn angle_of(draws: &mut Draws, of: Circular) -> f64 {
    if of.kappa < 1e-8 {
        let (u, _) = two(draws);
        return reduced_angle(of.mu + std::f64::consts::PI * (2.0 * u - 1.0));
    }
    while draws.used < MOST {
        let (a, b) = words(draws);
        let (x, y) = circle(a);
        let ratio = of.product / (of.below + 2.0 * x * x);
        if log(ratio / open(b)) + 1.0 - ratio >= 0.0 {
            return reduced_angle(of.mu + 2.0 * (of.narrow * (y / x)).atan());
        }
    }
    of.mu
}

#[vectorize]
pub(super) fn vonmises(row: i64, column: i64, key: u64, stream: u64, first: u64, mu: f64, kappa: f64) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    angle_of(&mut draws, circular_of(mu, kappa))
}

#[vectorize]
fn vonmises_of_one(row: i64, column: i64, key: u64, stream: u64, first: u64, of: Circular) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    angle_of(&mut draws, of)
}

/// The same for numbers of one distribution.
pub(super) fn one_vonmises(values: &[f64]) -> Option<Prepared> {
    let &[mu, kappa] = values else { unreachable!("two parameters") };
    Some(Prepared::new(Formula::of(&vonmises_of_one), circular_of(mu, kappa), []))
}

/// A number of the gamma distribution is the first number times `e` to the second one. That is below 0 for shapes below 1, where
/// the product may be too small for a float. Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
#[device]
pub(super) fn gamma_parts(draws: &mut Draws, shape: f64) -> (f64, f64) {
    let mut logarithm = 0.0;
    let mut large = shape;
    if shape < 1.0 {
        let (u, _) = two(draws);
        logarithm = log(u) / shape;
        large = shape + 1.0;
    }
    let d = large - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    while draws.used < MOST {
        let (x, u) = trial(draws);
        let t = 1.0 + c * x;
        if t > 0.0 {
            let (v, square) = (t * t * t, x * x);
            if u < 1.0 - 0.0331 * square * square || log(u) < 0.5 * square + d * (1.0 - v + log(v)) {
                return (d * v, logarithm);
            }
        }
    }
    (d, logarithm)
}

/// A number of the gamma distribution with scale 1.
#[device]
pub(super) fn gamma_of(draws: &mut Draws, shape: f64) -> f64 {
    let (value, logarithm) = gamma_parts(draws, shape);
    if logarithm < 0.0 { value * exp(logarithm) } else { value }
}

/// One number of the gamma distribution divided by another one, neither of which need be a float.
#[device]
fn gamma_ratio(draws: &mut Draws, above: f64, below: f64) -> f64 {
    let (x, x_log) = gamma_parts(draws, above);
    let (y, y_log) = gamma_parts(draws, below);
    if x_log == y_log { x / y } else { exp(log(x / y) + (x_log - y_log)) }
}

#[vectorize]
pub(super) fn gamma(row: i64, column: i64, key: u64, stream: u64, first: u64, shape: f64, scale: f64) -> f64 {
    if scale == 0.0 && shape.is_finite() {
        return scale;
    }
    let mut draws = draws_of(row + column, key, stream, first);
    scale * gamma_of(&mut draws, shape)
}

#[vectorize]
pub(super) fn standard_gamma(row: i64, column: i64, key: u64, stream: u64, first: u64, shape: f64) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    gamma_of(&mut draws, shape)
}

#[vectorize]
pub(super) fn chisquare(row: i64, column: i64, key: u64, stream: u64, first: u64, df: f64) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    2.0 * gamma_of(&mut draws, 0.5 * df)
}

#[vectorize]
pub(super) fn beta(row: i64, column: i64, key: u64, stream: u64, first: u64, a: f64, b: f64) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    1.0 / (1.0 + gamma_ratio(&mut draws, b, a))
}

#[vectorize]
pub(super) fn f(row: i64, column: i64, key: u64, stream: u64, first: u64, dfnum: f64, dfden: f64) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    gamma_ratio(&mut draws, 0.5 * dfnum, 0.5 * dfden) * (dfden / dfnum)
}

#[vectorize]
pub(super) fn standard_t(row: i64, column: i64, key: u64, stream: u64, first: u64, df: f64) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    let z = normal(&mut draws);
    let (value, logarithm) = gamma_parts(&mut draws, 0.5 * df);
    let width = (0.5 * df / value).sqrt();
    z * if logarithm < 0.0 { width * exp(-0.5 * logarithm) } else { width }
}

/// A number of the noncentral chi-square distribution: a shifted normal number squared, and the other degrees of freedom; or where
/// there is less than one, a chi-square number with a random number of pairs more.
#[device]
fn noncentral(draws: &mut Draws, df: f64, nonc: f64) -> f64 {
    if nonc == 0.0 {
        return 2.0 * gamma_of(draws, 0.5 * df);
    }
    if df > 1.0 {
        let z = normal(draws) + nonc.sqrt();
        return z * z + 2.0 * gamma_of(draws, 0.5 * (df - 1.0));
    }
    let pairs = poisson_of(draws, 0.5 * nonc);
    2.0 * gamma_of(draws, 0.5 * df + pairs)
}

#[vectorize]
pub(super) fn noncentral_chisquare(
    row: i64,
    column: i64,
    key: u64,
    stream: u64,
    first: u64,
    df: f64,
    nonc: f64,
) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    noncentral(&mut draws, df, nonc)
}

#[vectorize]
pub(super) fn noncentral_f(
    row: i64,
    column: i64,
    key: u64,
    stream: u64,
    first: u64,
    dfnum: f64,
    dfden: f64,
    nonc: f64,
) -> f64 {
    let mut draws = draws_of(row + column, key, stream, first);
    let above = noncentral(&mut draws, dfnum, nonc) / dfnum;
    above / (2.0 * gamma_of(&mut draws, 0.5 * dfden) / dfden)
}

/// Whether a number is not from `low` to `high`; NaN is not.
#[vectorize]
pub(super) fn is_outside(value: f64, low: f64, high: f64) -> bool {
    !(value >= low && value <= high)
}

/// The same of an integer.
#[vectorize]
pub(super) fn is_count_outside(value: i64, low: f64, high: f64) -> bool {
    !(value as f64 >= low && value as f64 <= high)
}

/// By the inverse of the distribution function.
#[vectorize]
pub(super) fn geometric(word: u64, p: f64) -> i64 {
    (log(open(word)) / log_1p(-p)).ceil().max(1.0) as i64
}
