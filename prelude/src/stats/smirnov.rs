//! The test of Kolmogorov and Smirnov for two samples.

use super::doubles;
use crate::Side::Right;
use crate::array::{OnDevice, RawArray, transfer};
use crate::dtype::Number;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use num_integer::gcd;
use std::f64::consts::PI;

/// What [`ks_2samp`](fn@ks_2samp) gives, with SciPy's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KstestResult {
    /// The largest distance between the distributions of the samples.
    pub statistic: f64,
    /// How probable such a distance is, or a greater one, if both samples are from one distribution.
    pub pvalue: f64,
    /// Where the distance is largest.
    pub statistic_location: f64,
    /// 1 if the first distribution is above the second one there, else -1.
    pub statistic_sign: i32,
}

fallible! {
    /// The test of Kolmogorov and Smirnov whether two samples are from one distribution. SciPy's `ks_2samp`: `gpu::stats::ks_2samp!(&a, &b,
    /// alternative = "less", method = "exact")` has its keywords; `method` is "auto", "exact" or "asymp". The samples are sorted and
    /// compared on the device, the probability is computed on the host (this waits): exactly, by the paths on a lattice, for samples of
    /// up to 10,000 elements; else by the approximation of Pelz and Good (1976).
    ///
    /// **Panics** if the samples are not 1-D with an element each ([`Error::InvalidShape`]), or there is no such alternative or method
    /// ([`Error::InvalidArgument`]), or if devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let ks = gpu::stats::ks_2samp(&gpu::arange(8.0), &(gpu::arange(8.0) + 5.0));
    /// assert_eq!(ks.statistic, 0.625);
    /// assert!((ks.pvalue - 0.08702408702408702).abs() < 1e-15);
    /// ```
    pub fn ks_2samp, try_ks_2samp<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(
        data1: &A,
        data2: &B
    ) -> Result<KstestResult> {
        two_samples(data1.raw(), data2.raw(), "two-sided", "auto")
    }

    /// As [`ks_2samp`](fn@ks_2samp), with SciPy's other arguments.
    pub fn ks_2samp_with, try_ks_2samp_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(
        data1: &A,
        data2: &B,
        alternative: &str,
        method: &str
    ) -> Result<KstestResult> {
        two_samples(data1.raw(), data2.raw(), alternative, method)
    }
}

/// Larger samples than this have an approximate probability.
const MOST_EXACT: usize = 10_000;

fn two_samples(a: &RawArray, b: &RawArray, alternative: &str, method: &str) -> Result<KstestResult> {
    const NAME: &str = "ks_2samp";
    if !["two-sided", "less", "greater"].contains(&alternative) {
        let reason = format!("`alternative` is {alternative:?}; give \"two-sided\", \"less\" or \"greater\"");
        return Err(Error::argument(NAME, reason));
    }
    if !["auto", "exact", "asymp"].contains(&method) {
        return Err(Error::argument(NAME, format!("`method` is {method:?}; give \"auto\", \"exact\" or \"asymp\"")));
    }
    a.same_device(NAME, b)?;
    for sample in [a, b] {
        if sample.shape().len() != 1 || sample.size() == 0 {
            return Err(Error::shape(NAME, sample.shape(), "is not that of a sample; give a 1-D array with elements"));
        }
    }
    let (n1, n2) = (a.size(), b.size());
    let [a, b] = [crate::sort(&doubles(NAME, a)?), crate::sort(&doubles(NAME, b)?)];
    let all = crate::concatenate([&a, &b], 0);
    let share = |sorted| crate::searchsorted(sorted, &all, Right).astype::<f64>();
    let distances = share(&a) / n1 as f64 - share(&b) / n2 as f64;
    let (low, high) = (distances.argmin(), distances.argmax());
    let least = (-distances.get(&[low])).clamp(0.0, 1.0);
    let most = distances.get(&[high]);
    let is_below = alternative == "less" || alternative == "two-sided" && least > most;
    let (mut statistic, place, statistic_sign) = if is_below { (least, low, -1) } else { (most, high, 1) };
    let statistic_location = transfer::item(&all.slice(ndarray::s![place]).raw)?.float().expect("a float");
    let is_exact = method == "exact" || method == "auto" && n1.max(n2) <= MOST_EXACT;
    let pvalue = if is_exact {
        let common = gcd(n1, n2);
        let least_multiple = n1 / common * n2;
        let steps = (statistic * least_multiple as f64).round();
        statistic = steps / least_multiple as f64;
        exact(n1, n2, steps as usize, alternative == "two-sided")
    } else {
        let (m, n) = (n1.max(n2) as f64, n1.min(n2) as f64);
        let en = m * n / (m + n);
        if alternative == "two-sided" {
            beyond(en.round_ties_even(), statistic)
        } else {
            // Hodges, "The significance probability of the Smirnov two-sample test" (1958), formula 5.3.
            let z = en.sqrt() * statistic;
            (-2.0 * z * z - 2.0 * z * (m + 2.0 * n) / (m * n * (m + n)).sqrt() / 3.0).exp()
        }
    };
    Ok(KstestResult { statistic, pvalue: pvalue.clamp(0.0, 1.0), statistic_location, statistic_sign })
}

/// The probability that a path from one corner of an `n1 × n2` lattice to the other goes as far from the diagonal as `steps`, in units
/// of the reciprocal of the least common multiple: Hodges (1958). All paths are equally probable, so the probability to be at a point
/// within follows from those of the two points before it.
fn exact(n1: usize, n2: usize, steps: usize, both_sides: bool) -> f64 {
    if steps == 0 {
        return 1.0;
    }
    let common = gcd(n1, n2);
    let (one, other) = ((n2 / common) as i64, (n1 / common) as i64);
    let limit = steps as i64;
    let is_far = |i: usize, j: usize| {
        let distance = i as i64 * one - j as i64 * other;
        if both_sides { distance.abs() >= limit } else { distance >= limit }
    };
    // The probability that a path to the point has been far, of each `j`.
    let mut far = vec![0.0; n2 + 1];
    for j in 1..=n2 {
        far[j] = if is_far(0, j) { 1.0 } else { far[j - 1] };
    }
    for i in 1..=n1 {
        if is_far(i, 0) {
            far[0] = 1.0;
        }
        for j in 1..=n2 {
            far[j] = if is_far(i, j) {
                1.0
            } else {
                // The last step of a path to the point goes along the first axis with the probability i / (i + j).
                let share = i as f64 / (i + j) as f64;
                share * far[j] + (1.0 - share) * far[j - 1]
            };
        }
    }
    far[n2]
}

/// Samples of up to so many elements have an exact probability of the distance from a distribution.
const MOST_BY_MATRIX: f64 = 140.0;

/// The probability that a sample of `n` has less than the distance `x` from its distribution: Marsaglia, Tsang and Wang, "Evaluating
/// Kolmogorov's distribution" (2003), an element of the `n`th power of a matrix.
fn within(n: usize, x: f64) -> f64 {
    let distance = n as f64 * x;
    let k = distance as usize + 1;
    let (size, h) = (2 * k - 1, k as f64 - distance);
    let factorials: Vec<f64> = (0..=size)
        .scan(1.0, |product, i| {
            Some({
                *product *= i.max(1) as f64;
                *product
            })
        })
        .collect();
    let mut matrix = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..size.min(i + 2) {
            let mut element = 1.0;
            if j == 0 {
                element -= h.powi(i as i32 + 1);
            }
            if i + 1 == size {
                element -= h.powi((size - j) as i32);
            }
            if j == 0 && i + 1 == size && 2.0 * h > 1.0 {
                element += (2.0 * h - 1.0).powi(size as i32);
            }
            matrix[i * size + j] = element / factorials[i + 1 - j];
        }
    }
    // The row of the power, times n! / nⁿ step by step, so that it stays near 1.
    let mut row = vec![0.0; size];
    row[k - 1] = 1.0;
    for step in 1..=n {
        let next = |j: usize| (0..size).map(|i| row[i] * matrix[i * size + j]).sum::<f64>() * step as f64 / n as f64;
        row = (0..size).map(next).collect();
    }
    row[k - 1].clamp(0.0, 1.0)
}

/// The probability that a sample of `n` is above its distribution by `x` or more: Birnbaum and Tingey, "One-sided confidence contours for
/// probability distribution functions" (1951).
fn one_side(n: usize, x: f64) -> f64 {
    let (count, mut choices, mut sum) = (n as f64, 1.0, 0.0);
    for j in 0..=(count * (1.0 - x)).floor() as usize {
        let share = x + j as f64 / count;
        sum += choices * share.powi(j as i32 - 1) * (1.0 - share).max(0.0).powi((n - j) as i32);
        choices *= (n - j) as f64 / (j as f64 + 1.0);
    }
    (x * sum).clamp(0.0, 1.0)
}

/// The probability of a distance of `x` or more, from the distribution, of a sample of `n`: Pelz and Good, "Approximating the lower tail
/// areas of the Kolmogorov-Smirnov one-sample statistic" (1976).
fn beyond(n: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x >= 1.0 {
        return 0.0;
    }
    let z = n.sqrt() * x;
    if n <= MOST_BY_MATRIX {
        return if z * z < 4.0 { 1.0 - within(n as usize, x) } else { 2.0 * one_side(n as usize, x) };
    }
    // Far out twice the probability of one side, of which one term is left.
    if z * z > 18.0 {
        return 2.0 * (-2.0 * (z + 1.0 / (6.0 * n.sqrt())).powi(2)).exp();
    }
    let (z2, z3, z4, z6) = (z * z, z.powi(3), z.powi(4), z.powi(6));
    let pi2 = PI * PI;
    let (pi4, pi6) = (pi2 * pi2, pi2 * pi2 * pi2);
    let exponent = -pi2 / 8.0 / z2;
    if exponent < -708.0 {
        return 1.0;
    }
    let q = exponent.exp();
    let mut k = [0.0f64; 4];
    let most = (16.0 * z / PI).ceil() as i32;
    for at in (1..=most).rev() {
        let m2 = ((2 * at - 1) as f64).powi(2);
        let (m4, m6) = (m2 * m2, m2 * m2 * m2);
        let terms = [
            1.0,
            -z2 + pi2 / 4.0 * m2,
            6.0 * z6 + 2.0 * z4 + (2.0 * z4 - 5.0 * z2) * pi2 / 4.0 * m2 + pi4 * (1.0 - 2.0 * z2) / 16.0 * m4,
            -30.0 * z6 - 90.0 * z.powi(8)
                + pi2 * (135.0 * z4 - 96.0 * z6) / 4.0 * m2
                + pi4 * (-60.0 * z2 + 212.0 * z4) / 16.0 * m4
                + pi6 * (5.0 - 30.0 * z2) / 64.0 * m6,
        ];
        let power = q.powi(8 * at);
        k.iter_mut().zip(terms).for_each(|(sum, term)| *sum = *sum * power + term);
    }
    let root = (2.0 * PI).sqrt();
    let divisors = [z, 6.0 * z4, 72.0 * z.powi(7), 6480.0 * z.powi(10)];
    k.iter_mut().zip(divisors).for_each(|(sum, divisor)| *sum *= q * root / divisor);
    let q = (-pi2 / 2.0 / z2).exp();
    let (mut second, mut third) = (0.0, 0.0);
    for at in (1..=most).rev() {
        let square = (at * at) as f64;
        let power = q.powi(at * at);
        second += square * power;
        third += (3.0 * z2 - pi2 * square) * square * power;
    }
    k[2] += second * pi2 * root / (-36.0 * z3);
    k[3] += third * pi2 * root / (216.0 * z6);
    1.0 - (k[0] + k[1] / n.sqrt() + k[2] / n + k[3] / (n * n.sqrt()))
}
