//! The discrete distributions, one number at a time, in code that runs on every device.
//!
//! Numbers are floats until the end, since the largest ones are not counted exactly anyway.

#![expect(clippy::too_many_arguments, reason = "a function over arrays takes each operand as an argument")]

use super::draws::{Draws, MOST, draws_of, exp, exp_m1, log, log_1p, log_factorial, stirling_gap, two};
use super::formulas::gamma_of;
use super::sampling::{Formula, Prepared};
use crate::dtype::Scalar;
use warpcell_macros::{device, vectorize};

/// The logarithm of the Poisson distribution's probability of `k`. With `k!` by Stirling the large terms cancel before they are
/// rounded.
#[device]
fn log_poisson(k: f64, lam: f64) -> f64 {
    if k < 1.0 {
        return -lam;
    }
    let away = lam - k;
    k * log_1p(away / k) - away - 0.5 * log(k) - 0.9189385332046727 - stirling_gap(k)
}

/// A number of the Poisson distribution: up to a mean of 10 by the inverse of the distribution function, beyond by Hörmann's method
/// PTRS ("The transformed rejection method for generating Poisson random variables", 1993).
#[device]
pub(super) fn poisson_of(draws: &mut Draws, lam: f64) -> f64 {
    if lam < 10.0 {
        let (u, _) = two(draws);
        let (mut left, mut k) = (u, 0.0);
        let mut probability = exp(-lam);
        while left > probability && k < 200.0 {
            left -= probability;
            k += 1.0;
            probability *= lam / k;
        }
        return k;
    }
    let b = 0.931 + 2.53 * lam.sqrt();
    let a = -0.059 + 0.02483 * b;
    let (scale, quick) = (1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0));
    while draws.used < MOST {
        let (u, v) = two(draws);
        let u = u - 0.5;
        let near = 0.5 - u.abs();
        let k = ((2.0 * a / near + b) * u + lam + 0.43).floor();
        if near >= 0.07 && v <= quick {
            return k;
        }
        if k >= 0.0 && (near >= 0.013 || v <= near) {
            let height = log(v * scale / (a / (near * near) + b));
            if height <= log_poisson(k, lam) {
                return k;
            }
        }
    }
    lam.floor()
}

#[vectorize]
pub(super) fn poisson(row: i64, column: i64, key: u64, stream: u64, first: u64, lam: f64) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    poisson_of(&mut draws, lam) as i64
}

/// The most that comes of a mean below 10.
const FEW: usize = 200;

/// The probabilities of 0, 1, 2 and so on, where few events are expected.
#[device]
#[derive(Clone, Copy)]
pub(super) struct FewEvents {
    probabilities: [f64; FEW],
}

/// The same number as of [`poisson_of`] or [`binomial_of`]. The table is passed by reference, so that devices read it where it lies.
#[device]
fn number_by_table(draws: &mut Draws, of: &FewEvents) -> i64 {
    let (u, _) = two(draws);
    let (mut left, mut k) = (u, 0usize);
    while k < FEW && left > of.probabilities[k] {
        left -= of.probabilities[k];
        k += 1;
    }
    k as i64
}

#[vectorize]
fn poisson_of_few(row: i64, column: i64, key: u64, stream: u64, first: u64, of: FewEvents) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    number_by_table(&mut draws, &of)
}

/// The same for numbers of one distribution, if few events are expected.
pub(super) fn one_poisson(values: &[f64]) -> Option<Prepared> {
    let &[lam] = values else { unreachable!("one parameter") };
    let mut probability = exp(-lam);
    let probabilities = std::array::from_fn(|k| {
        if k > 0 {
            probability *= lam / k as f64;
        }
        probability
    });
    (lam < 10.0).then(|| Prepared::new(Formula::of(&poisson_of_few), FewEvents { probabilities }, []))
}

/// Poisson numbers whose means are gamma numbers.
#[vectorize]
pub(super) fn negative_binomial(row: i64, column: i64, key: u64, stream: u64, first: u64, n: f64, p: f64) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    let mean = gamma_of(&mut draws, n) * ((1.0 - p) / p);
    poisson_of(&mut draws, mean.min(9.2e18)) as i64
}

/// A number of the binomial distribution with `p` up to 1/2: where less than 10 are expected by the inverse of the distribution
/// function, else by Hörmann's method BTRS ("The generation of binomial random variates", 1993).
#[device]
fn binomial_of(draws: &mut Draws, n: f64, p: f64) -> f64 {
    if p == 0.0 {
        return 0.0;
    }
    let odds = p / (1.0 - p);
    if n * p < 10.0 {
        let (u, _) = two(draws);
        let (mut left, mut k) = (u, 0.0);
        let mut probability = exp(n * log_1p(-p));
        while left > probability && k < n && k < 200.0 {
            left -= probability;
            k += 1.0;
            probability *= (n - k + 1.0) / k * odds;
        }
        return k;
    }
    let deviation = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let (scale, quick) = ((2.83 + 5.1 / b) * deviation, 0.92 - 4.2 / b);
    let centre = n * p + 0.5;
    let mode = ((n + 1.0) * p).floor();
    // The probabilities of `k` and of the most likely number are compared by their logarithms, with factorials by Stirling. The
    // large terms are taken together, so that they cancel before they are rounded.
    let at_mode = log((mode + 1.0) / (odds * (n - mode + 1.0)));
    let gaps = stirling_gap(mode + 1.0) + stirling_gap(n - mode + 1.0);
    while draws.used < MOST {
        let (u, v) = two(draws);
        let u = u - 0.5;
        let near = 0.5 - u.abs();
        let k = ((2.0 * a / near + b) * u + centre).floor();
        if near >= 0.07 && v <= quick {
            return k;
        }
        if k >= 0.0 && k <= n {
            let (away, rest) = (mode - k, n - k);
            let successes = (k + 0.5) * log_1p(away / (k + 1.0));
            let failures = (rest + 0.5) * log_1p(-away / (rest + 1.0));
            let gap = gaps - stirling_gap(k + 1.0) - stirling_gap(rest + 1.0);
            let height = log(v * scale / (a / (near * near) + b));
            if height <= away * at_mode + (successes + failures) + gap {
                return k;
            }
        }
    }
    mode
}

#[vectorize]
pub(super) fn binomial(row: i64, column: i64, key: u64, stream: u64, first: u64, n: i64, p: f64) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    // 1 - p is exact. One call, so that devices have the code once.
    let rare = if p > 0.5 { 1.0 - p } else { p };
    let found = (binomial_of(&mut draws, n as f64, rare) as i64).min(n);
    if p > 0.5 { n - found } else { found }
}

/// `offset` and `sign` times as many as are rare.
#[vectorize]
fn binomial_of_few(
    row: i64,
    column: i64,
    key: u64,
    stream: u64,
    first: u64,
    of: FewEvents,
    offset: i64,
    sign: i64,
) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    offset + sign * number_by_table(&mut draws, &of)
}

/// The same for numbers of one distribution, if few events are expected of the rarer kind.
pub(super) fn one_binomial(values: &[f64]) -> Option<Prepared> {
    let &[n, p] = values else { unreachable!("two parameters") };
    let rare = if p > 0.5 { 1.0 - p } else { p };
    if n * rare >= 10.0 {
        return None;
    }
    let odds = rare / (1.0 - rare);
    let mut probability = exp(n * log_1p(-rare));
    let probabilities = std::array::from_fn(|k| {
        let k = k as f64;
        if k > 0.0 {
            probability *= (n - k + 1.0) / k * odds;
        }
        // What is left ends at `n`, whatever was lost by rounding.
        if k < n { probability } else { f64::INFINITY }
    });
    let more = if p > 0.5 { [n, -1.0] } else { [0.0, 1.0] }.map(|value| Scalar::I64(value as i64));
    Some(Prepared::new(Formula::of(&binomial_of_few), FewEvents { probabilities }, more))
}

/// How many of `taken` things are of a kind of which there are `small` among `small + large`, for `taken` up to half of them and
/// `small` up to `large`: the distribution, and what all its numbers have in common.
#[device]
#[derive(Clone, Copy)]
pub(super) struct Urn {
    small: f64,
    large: f64,
    taken: f64,
    width: f64,
    centre: f64,
    mode: f64,
    top: f64,
    end: f64,
}

#[device]
fn urn_of(small: f64, large: f64, taken: f64) -> Urn {
    let total = small + large;
    let (p, q) = (small / total, large / total);
    let deviation = ((total - taken) * taken * p * q / (total - 1.0) + 0.5).sqrt();
    let centre = taken * p + 0.5;
    let mode = ((taken + 1.0) * (small + 1.0) / (total + 2.0)).floor();
    let top = log_factorial(mode)
        + log_factorial(small - mode)
        + log_factorial(taken - mode)
        + log_factorial(large - taken + mode);
    let end = (taken.min(small) + 1.0).min((centre + 16.0 * deviation).floor());
    // 2·√(2/e) and 3 - 2·√(3/e).
    let width = 1.7155277699214135 * deviation + 0.8989161620588988;
    Urn { small, large, taken, width, centre, mode, top, end }
}

/// The logarithm of how likely `k` is, in comparison with the most likely number.
#[device]
fn height_of(urn: &Urn, k: f64) -> f64 {
    urn.top
        - (log_factorial(k)
            + log_factorial(urn.small - k)
            + log_factorial(urn.taken - k)
            + log_factorial(urn.large - urn.taken + k))
}

/// Whether `2·log(u)` is at most a height. For most `u` a bound says so.
#[device]
fn is_below(u: f64, height: f64) -> bool {
    u * (4.0 - u) - 3.0 <= height || (u * (u - height) < 1.0 && 2.0 * log(u) <= height)
}

/// Stadlober's method HRUA, a ratio of uniform numbers ("The ratio of uniforms approach for generating discrete random variates",
/// 1990).
#[device]
fn hypergeometric_of(draws: &mut Draws, urn: &Urn) -> f64 {
    while draws.used < MOST {
        let (u, v) = two(draws);
        let x = urn.centre + urn.width * (v - 0.5) / u;
        if x >= 0.0 && x < urn.end {
            let k = x.floor();
            if is_below(u, height_of(urn, k)) {
                return k;
            }
        }
    }
    urn.mode
}

/// An urn from which only so few numbers come that all heights are computed once.
#[device]
#[derive(Clone, Copy)]
pub(super) struct SmallUrn {
    width: f64,
    centre: f64,
    mode: f64,
    end: f64,
    heights: [f64; 128],
}

/// The same numbers as of [`hypergeometric_of`]. The urn is passed by reference, so that devices read the table where it lies.
#[device]
fn hypergeometric_by_table(draws: &mut Draws, urn: &SmallUrn) -> f64 {
    while draws.used < MOST {
        let (u, v) = two(draws);
        let x = urn.centre + urn.width * (v - 0.5) / u;
        if x >= 0.0 && x < urn.end {
            let k = x.floor();
            if is_below(u, urn.heights[(k as i64).clamp(0, 127) as usize]) {
                return k;
            }
        }
    }
    urn.mode
}

/// The number of good ones among `nsample`. Of more than half of all, those that are left are drawn. A few are drawn one by one.
#[vectorize]
pub(super) fn hypergeometric(
    row: i64,
    column: i64,
    key: u64,
    stream: u64,
    first: u64,
    ngood: i64,
    nbad: i64,
    nsample: i64,
) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    let taken = nsample.min(ngood + nbad - nsample);
    let mut found = 0i64;
    if taken <= 10 {
        for drawn in 0..taken {
            let (u, _) = two(&mut draws);
            if u * ((ngood + nbad - drawn) as f64) < (ngood - found) as f64 {
                found += 1;
            }
        }
    } else {
        // Of the kind of which there are fewer. One call, so that devices have the code once.
        let urn = urn_of(ngood.min(nbad) as f64, ngood.max(nbad) as f64, taken as f64);
        let rare = hypergeometric_of(&mut draws, &urn) as i64;
        found = if ngood <= nbad { rare } else { taken - rare };
    }
    if taken < nsample { ngood - found } else { found }
}

/// `offset` and `sign` times as many as are of the smaller kind.
#[vectorize]
fn hypergeometric_of_one(
    row: i64,
    column: i64,
    key: u64,
    stream: u64,
    first: u64,
    urn: Urn,
    offset: i64,
    sign: i64,
) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    offset + sign * hypergeometric_of(&mut draws, &urn) as i64
}

#[vectorize]
fn hypergeometric_of_few(
    row: i64,
    column: i64,
    key: u64,
    stream: u64,
    first: u64,
    urn: SmallUrn,
    offset: i64,
    sign: i64,
) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    offset + sign * hypergeometric_by_table(&mut draws, &urn) as i64
}

/// The same for numbers of one distribution, unless a few are drawn one by one.
pub(super) fn one_hypergeometric(values: &[f64]) -> Option<Prepared> {
    let &[good, bad, sample] = values else { unreachable!("three parameters") };
    let taken = sample.min(good + bad - sample);
    if taken <= 10.0 {
        return None;
    }
    let urn = urn_of(good.min(bad), good.max(bad), taken);
    // Of the good ones as many are found as of the smaller kind, or the rest of those that are drawn; of more than half, those that
    // are left are drawn.
    let (offset, sign) = match (good <= bad, taken < sample) {
        (true, false) => (0.0, 1),
        (true, true) => (good, -1),
        (false, false) => (taken, -1),
        (false, true) => (good - taken, 1),
    };
    let more = [Scalar::I64(offset as i64), Scalar::I64(sign)];
    if urn.end > 128.0 {
        return Some(Prepared::new(Formula::of(&hypergeometric_of_one), urn, more));
    }
    let Urn { width, centre, mode, end, .. } = urn;
    let height = |k: usize| if (k as f64) < end { height_of(&urn, k as f64) } else { f64::NEG_INFINITY };
    let urn = SmallUrn { width, centre, mode, end, heights: std::array::from_fn(height) };
    Some(Prepared::new(Formula::of(&hypergeometric_of_few), urn, more))
}

/// Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981.
#[vectorize]
pub(super) fn logseries(row: i64, column: i64, key: u64, stream: u64, first: u64, p: f64) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    let (u, v) = two(&mut draws);
    if v >= p {
        return 1;
    }
    let q = -exp_m1(log_1p(-p) * u);
    if v <= q * q {
        return (1.0 + log(v) / log(q)).floor().max(1.0) as i64;
    }
    if v >= q { 1 } else { 2 }
}

/// Devroye, "Non-uniform random variate generation", 1986, page 551, for numbers that an i64 can hold.
#[vectorize]
pub(super) fn zipf(row: i64, column: i64, key: u64, stream: u64, first: u64, a: f64) -> i64 {
    let mut draws = draws_of(row + column, key, stream, first);
    let less = a - 1.0;
    if less > 1000.0 {
        return 1;
    }
    // To this power, 2^63 is the largest number that comes of the uniform ones.
    let lowest = exp(-43.66827237527655 * less);
    let most = exp_m1(less * std::f64::consts::LN_2);
    while draws.used < MOST {
        let (u, v) = two(&mut draws);
        let x = exp(-log(lowest + (1.0 - lowest) * u) / less).floor();
        if x < 2.0 {
            return 1;
        }
        if x < 9.223372036854775e18 {
            let more = exp_m1(less * log_1p(1.0 / x));
            if v * x * more / most <= (1.0 + more) / (1.0 + most) {
                return x as i64;
            }
        }
    }
    1
}
