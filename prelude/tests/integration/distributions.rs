//! The distributions of random numbers: each against SciPy's, by chi-square and Kolmogorov-Smirnov tests of samples from fixed seeds;
//! parameters at their limits, arrays of parameters, and what cannot be drawn.

use crate::fixtures::check;
use expect_test::expect;
use std::collections::{BTreeMap, BTreeSet};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::random::Generator;
use warpcell::{Element, Scalar};

/// The numbers of a sample.
const N: usize = 100_000;
const SEED: u64 = 2026;

/// The bins of a distribution, from tests/parity/distributions.py.
struct Bins {
    edges: Vec<f64>,
    probabilities: Vec<f64>,
    limit: f64,
}

fn table() -> BTreeMap<String, Bins> {
    let text = include_str!("../../../tests/parity/distributions.json");
    let rows: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).expect("a table");
    let numbers =
        |of: &serde_json::Value| -> Vec<f64> { of.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    rows.into_iter()
        .map(|(name, row)| {
            let bins = Bins {
                edges: numbers(&row["edges"]),
                probabilities: numbers(&row["probabilities"]),
                limit: row["limit"].as_f64().unwrap(),
            };
            (name, bins)
        })
        .collect()
}

fn floats<T: Element>(a: &DeviceArray<T>) -> Vec<f64> {
    let float = |value: T| match value.to_scalar() {
        Scalar::I64(value) => value as f64,
        other => other.float().expect("a number"),
    };
    a.to_host().iter().map(|&value| float(value)).collect()
}

/// What is wrong with a sample, if it is not of the distribution. Right ones fail once in about 1e8 times.
fn fault(name: &str, sample: &[f64], bins: &Bins) -> Option<String> {
    assert_eq!(sample.len(), N);
    if let Some(value) = sample.iter().find(|value| value.is_nan()) {
        return Some(format!("{name} (seed {SEED}) has {value}"));
    }
    let mut counts = vec![0usize; bins.probabilities.len()];
    for value in sample {
        counts[bins.edges.partition_point(|edge| edge < value)] += 1;
    }
    let n = N as f64;
    let expected = bins.probabilities.iter().map(|p| n * p);
    let statistic: f64 = counts.iter().zip(expected).map(|(&count, e)| (count as f64 - e).powi(2) / e).sum();
    let (mut found, mut function, mut distance) = (0.0, 0.0, 0f64);
    for (&count, p) in counts.iter().zip(&bins.probabilities) {
        (found, function) = (found + count as f64 / n, function + p);
        distance = distance.max((found - function).abs());
    }
    let widest = ((2.0f64 / 1e-8).ln() / 2.0 / n).sqrt();
    let is_right = statistic <= bins.limit && distance <= widest;
    (!is_right).then(|| {
        let limit = bins.limit;
        format!("{name} (seed {SEED}): chi-square {statistic} (limit {limit}), distance {distance} (limit {widest}); {counts:?}")
    })
}

macro_rules! samples {
    ($generator:ident: $($name:literal => $sample:expr),* $(,)?) => {
        vec![$(($name, {
            let $generator = &mut Generator::new(SEED);
            floats(&$sample)
        })),*]
    };
}

/// Samples of the distributions that give floats, as `f64` or `f32`.
macro_rules! continuous {
    ($type:ident) => {{
        let of = |value: f64| value as $type;
        samples! { g:
            "laplace(1, 2)" => g.laplace(of(1.0), of(2.0), N),
            "logistic(1, 0.5)" => g.logistic(of(1.0), of(0.5), N),
            "gumbel(-1, 2)" => g.gumbel(of(-1.0), of(2.0), N),
            "lognormal(0.25, 0.5)" => g.lognormal(of(0.25), of(0.5), N),
            "pareto(3)" => g.pareto(of(3.0), N),
            "pareto(0.25)" => g.pareto(of(0.25), N),
            "power(2.5)" => g.power(of(2.5), N),
            "power(0.25)" => g.power(of(0.25), N),
            "rayleigh(2)" => g.rayleigh(of(2.0), N),
            "triangular(0, 1, 5)" => g.triangular(of(0.0), of(1.0), of(5.0), N),
            "triangular(-1, -1, 1)" => g.triangular(of(-1.0), of(-1.0), of(1.0), N),
            "triangular(-1, 1, 1)" => g.triangular(of(-1.0), of(1.0), of(1.0), N),
            "weibull(1.5)" => g.weibull(of(1.5), N),
            "weibull(0.25)" => g.weibull(of(0.25), N),
            "wald(3, 2)" => g.wald(of(3.0), of(2.0), N),
            "wald(100, 0.5)" => g.wald(of(100.0), of(0.5), N),
            "vonmises(0, 0)" => g.vonmises(of(0.0), of(0.0), N),
            "vonmises(0, 0.5)" => g.vonmises(of(0.0), of(0.5), N),
            "vonmises(0, 4)" => g.vonmises(of(0.0), of(4.0), N),
            "vonmises(0, 200)" => g.vonmises(of(0.0), of(200.0), N),
            "gamma(0.0625, 2)" => g.gamma(of(0.0625), of(2.0), N),
            "gamma(0.75, 1)" => g.gamma(of(0.75), of(1.0), N),
            "gamma(1, 3)" => g.gamma(of(1.0), of(3.0), N),
            "gamma(2.5, 0.5)" => g.gamma(of(2.5), of(0.5), N),
            "gamma(1000, 1)" => g.gamma(of(1000.0), of(1.0), N),
            "standard_gamma(0.5)" => g.standard_gamma(of(0.5), N),
            "chisquare(3)" => g.chisquare(of(3.0), N),
            "chisquare(0.5)" => g.chisquare(of(0.5), N),
            "noncentral_chisquare(3, 2)" => g.noncentral_chisquare(of(3.0), of(2.0), N),
            "noncentral_chisquare(0.5, 4)" => g.noncentral_chisquare(of(0.5), of(4.0), N),
            "noncentral_chisquare(1, 50)" => g.noncentral_chisquare(of(1.0), of(50.0), N),
            "f(5, 20)" => g.f(of(5.0), of(20.0), N),
            "f(0.5, 0.75)" => g.f(of(0.5), of(0.75), N),
            "noncentral_f(5, 20, 3)" => g.noncentral_f(of(5.0), of(20.0), of(3.0), N),
            "beta(2, 6)" => g.beta(of(2.0), of(6.0), N),
            "beta(0.25, 0.5)" => g.beta(of(0.25), of(0.5), N),
            "beta(100, 0.5)" => g.beta(of(100.0), of(0.5), N),
            "standard_t(1)" => g.standard_t(of(1.0), N),
            "standard_t(3.5)" => g.standard_t(of(3.5), N),
            "standard_t(100)" => g.standard_t(of(100.0), N),
        }
    }};
}

/// Samples of the others.
fn others() -> Vec<(&'static str, Vec<f64>)> {
    samples! { g:
        "standard_exponential" => g.standard_exponential(N),
        "standard_cauchy" => g.standard_cauchy(N),
        "poisson(0.5)" => g.poisson(0.5, N),
        "poisson(9.5)" => g.poisson(9.5, N),
        "poisson(10)" => g.poisson(10.0, N),
        "poisson(30)" => g.poisson(30.0, N),
        "poisson(1e6)" => g.poisson(1e6, N),
        "poisson(1e9)" => g.poisson(1e9, N),
        "binomial(10, 0.5)" => g.binomial(10, 0.5, N),
        "binomial(25, 0.4)" => g.binomial(25, 0.4, N),
        "binomial(100, 0.0625)" => g.binomial(100, 0.0625, N),
        "binomial(100, 0.9375)" => g.binomial(100, 0.9375, N),
        "binomial(1000, 0.375)" => g.binomial(1000, 0.375, N),
        "binomial(1000, 0.75)" => g.binomial(1000, 0.75, N),
        "binomial(1e9, 0.3)" => g.binomial(1_000_000_000, 0.3, N),
        "negative_binomial(3, 0.25)" => g.negative_binomial(3.0, 0.25, N),
        "negative_binomial(0.5, 0.015625)" => g.negative_binomial(0.5, 0.015625, N),
        "negative_binomial(50, 0.5)" => g.negative_binomial(50.0, 0.5, N),
        "geometric(0.25)" => g.geometric(0.25, N),
        "geometric(0.001)" => g.geometric(0.001, N),
        "logseries(0.5)" => g.logseries(0.5, N),
        "logseries(0.99)" => g.logseries(0.99, N),
        "zipf(1.25)" => g.zipf(1.25, N),
        "zipf(2)" => g.zipf(2.0, N),
        "zipf(4)" => g.zipf(4.0, N),
        "hypergeometric(20, 30, 10)" => g.hypergeometric(20, 30, 10, N),
        "hypergeometric(20, 30, 45)" => g.hypergeometric(20, 30, 45, N),
        "hypergeometric(30, 20, 22)" => g.hypergeometric(30, 20, 22, N),
        "hypergeometric(500, 200, 300)" => g.hypergeometric(500, 200, 300, N),
        "hypergeometric(200, 500, 600)" => g.hypergeometric(200, 500, 600, N),
        "hypergeometric(3000, 100, 1500)" => g.hypergeometric(3000, 100, 1500, N),
        "hypergeometric(1000000, 2000000, 50000)" => g.hypergeometric(1_000_000, 2_000_000, 50_000, N),
    }
}

#[test]
fn samples_are_of_their_distributions() {
    let table = table();
    let samples = [continuous!(f64), continuous!(f32), others()].concat();
    let names: BTreeSet<&str> = samples.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, table.keys().map(String::as_str).collect(), "each row of the table has a sample");
    let faults: Vec<String> = samples.iter().filter_map(|(name, sample)| fault(name, sample, &table[*name])).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // A mean that is wrong by a hundredth is found.
    let other = floats(&Generator::new(SEED).poisson(30.3, N));
    assert!(fault("poisson(30)", &other, &table["poisson(30)"]).is_some());
}

/// One part of several numbers is of a distribution of the table.
#[test]
fn parts_of_vectors_are_of_their_distributions() {
    let table = table();
    let mut faults = Vec::new();
    let mut check = |name: &str, sample: Vec<f64>| faults.extend(fault(name, &sample, &table[name]));
    let mut g = Generator::new(SEED);
    let parts = g.dirichlet(&gpu::array(&[2.0, 5.0, 1.0]), N);
    check("beta(2, 6)", floats(&parts.slice(s![.., 0])));
    let parts = g.dirichlet(&gpu::array(&[0.125f32, 0.25, 0.375]), (100, N / 100));
    assert_eq!(parts.shape(), [100, N / 100, 3]);
    check("beta(0.25, 0.5)", floats(&parts.slice(s![.., .., 1])));
    let counts = g.multinomial(1000, &gpu::array(&[0.25, 0.375, 0.0, 0.375]), N);
    assert!(counts.sum_axis(1).eq(1000).all() && counts.slice(s![.., 2]).eq(0).all());
    check("binomial(1000, 0.375)", floats(&counts.slice(s![.., 1])));
    check("binomial(1000, 0.375)", floats(&counts.slice(s![.., 3])));
    assert!(faults.is_empty(), "{}", faults.join("\n"));

    // Six standard deviations of each estimate.
    let near = |found: f64, expected: f64, variance: f64| {
        assert!((found - expected).abs() < 6.0 * (variance / N as f64).sqrt(), "{found} for {expected}");
    };
    let (mean, cov) = (gpu::array(&[1.0, -2.0]), gpu::array(&[[2.0, -1.0], [-1.0, 3.0]]));
    let vectors = g.multivariate_normal(&mean, &cov, (10, N / 10));
    assert_eq!(vectors.shape(), [10, N / 10, 2]);
    let (x, y) = (vectors.slice(s![.., .., 0]) - 1.0, vectors.slice(s![.., .., 1]) + 2.0);
    near(x.mean(), 0.0, 2.0);
    near(y.mean(), 0.0, 3.0);
    near((&x * &x).mean(), 2.0, 8.0);
    near((&y * &y).mean(), 3.0, 18.0);
    near((&x * &y).mean(), -1.0, 7.0);
}

/// Numbers that depend on one another, and some that do not vary.
#[test]
fn covariances_may_be_semidefinite() {
    let mut g = Generator::new(SEED);
    let mean = gpu::array(&[1.0, 0.0, -1.0, 4.0]);
    // The third is the sum of the first two, the fourth is always 4.
    let cov = gpu::array(&[[1.0, 0.0, 1.0, 0.0], [0.0, 4.0, 4.0, 0.0], [1.0, 4.0, 5.0, 0.0], [0.0; 4]]);
    let vectors = g.multivariate_normal(&mean, &cov, N);
    let column = |index: usize| vectors.slice(s![.., index]);
    assert!((column(0) - 1.0 + column(1) - column(2) - 1.0).abs().max() < 1e-6);
    assert!((column(3) - 4.0).abs().max() < 1e-6);
    let near = |found: f64, expected: f64, variance: f64| {
        assert!((found - expected).abs() < 6.0 * (variance / N as f64).sqrt(), "{found} for {expected}");
    };
    near(column(0).mean(), 1.0, 1.0);
    near(column(0).var(), 1.0, 2.0);
    near(column(1).var(), 4.0, 32.0);
    near(((column(0) - 1.0) * column(1)).mean(), 0.0, 4.0);
    let zeros = g.multivariate_normal(&mean, &gpu::zeros::<f64>((4, 4)), 3);
    assert!(zeros.eq(&mean).all());
    let single = g.multivariate_normal(&gpu::zeros::<f32>(2), &gpu::ones::<f32>((2, 2)), 100);
    assert!((single.slice(s![.., 0]) - single.slice(s![.., 1])).abs().max() < 1e-3);
    // Negative by a rounding error only.
    let rounded = gpu::array(&[[1.0, 1.0 + 1e-12], [1.0 + 1e-12, 1.0]]);
    assert_eq!(g.multivariate_normal(&gpu::zeros::<f64>(2), &rounded, 3).shape(), [3, 2]);
    check(
        || drop(g.multivariate_normal(&gpu::zeros::<f64>(2), &gpu::full((2, 2), f64::NAN), 3)),
        expect![
            "multivariate_normal: there is no result for elements that are NaN or infinite; find them with `is_finite`, and replace them with `where_`"
        ],
    );
}

#[test]
fn choices_have_their_probabilities() {
    let mut g = Generator::new(SEED);
    let p = gpu::array(&[0.125, 0.0, 0.5, 0.25, 0.125]);
    let near = |found: f64, p: f64| {
        assert!((found - p).abs() <= 6.0 * (p * (1.0 - p) / N as f64).sqrt(), "{found} for {p}");
    };
    let chosen = g.choice_with(&gpu::arange(5), N, true, &p);
    for (index, p) in [0.125, 0.0, 0.5, 0.25, 0.125].into_iter().enumerate() {
        near(chosen.eq(index as i32).count_nonzero() as f64 / N as f64, p);
    }
    // Without replacement: the second one has its probability among those that are left.
    let first_then_second =
        (0..2000).filter(|_| g.choice_with(&gpu::arange(5), 2, false, &p).tolist() == [2, 3]).count();
    let expected = 0.5 * 0.25 / 0.5;
    assert!(
        (first_then_second as f64 / 2000.0 - expected).abs() < 6.0 * (expected * (1.0 - expected) / 2000.0f64).sqrt()
    );
    let table = gpu::arange(10).reshape((5, 2));
    assert_eq!(g.choice_with(&table, 4, false, &p).sum(), 1 + 9 + 13 + 17i64);
    assert_eq!(g.choice_with(&table, (2, 3), true, &p).shape(), [2, 3, 2]);
    assert_eq!(g.choice_with(&table, 0, false, &p).shape(), [0, 2]);
}

/// The numbers are the same on every device and in every version.
#[test]
fn numbers_are_fixed_by_the_seed() {
    let mut lines = String::new();
    let mut line = |name: &str, values: Vec<f64>| {
        // FNV-1a of all bits.
        let hash = values
            .iter()
            .flat_map(|value| value.to_bits().to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        lines += &format!("{name}: {hash:016x}\n");
    };
    for (name, sample) in continuous!(f64) {
        if !name.starts_with("vonmises") {
            line(name, sample);
        }
    }
    for (name, sample) in others() {
        line(name, sample);
    }
    let mut g = Generator::new(SEED);
    line("dirichlet(2, 5, 1)", floats(&g.dirichlet(&gpu::array(&[2.0, 5.0, 1.0]), N)));
    line("dirichlet(0.125, 0.25)", floats(&g.dirichlet(&gpu::array(&[0.125, 0.25]), N)));
    expect![[r#"
        laplace(1, 2): c2c1bb78a8b8ca3f
        logistic(1, 0.5): 7a32931eab5fd00d
        gumbel(-1, 2): 83ea1e43de1cade9
        lognormal(0.25, 0.5): f97eaf15649cc817
        pareto(3): 138a0fa8a3c6a790
        pareto(0.25): 76f034e82c6dd746
        power(2.5): 367d979718a3b438
        power(0.25): f9dec9a948700ff2
        rayleigh(2): 969787a969081d53
        triangular(0, 1, 5): 69d22b96b0c8b825
        triangular(-1, -1, 1): 4c8c873a3dd04707
        triangular(-1, 1, 1): 627873421c85b3a9
        weibull(1.5): b6ba7d9beb175d74
        weibull(0.25): 1368355fd78b4ea2
        wald(3, 2): 49686c5ea23885b5
        wald(100, 0.5): 5d174d509964b10e
        gamma(0.0625, 2): 78ecc99797ec8e9b
        gamma(0.75, 1): d8f0ba6fecd64c34
        gamma(1, 3): a0b78b3205580a01
        gamma(2.5, 0.5): e533345977f07430
        gamma(1000, 1): 122cf31844214bf9
        standard_gamma(0.5): aca75aec12bfeffe
        chisquare(3): f1e3099ce31b7fbe
        chisquare(0.5): 202ee80ff2446668
        noncentral_chisquare(3, 2): 793043c9f1cfc380
        noncentral_chisquare(0.5, 4): 17f45e6c4e705268
        noncentral_chisquare(1, 50): 66818a01dae8eddd
        f(5, 20): 706f694c3cf21785
        f(0.5, 0.75): 769a7f3fabab9987
        noncentral_f(5, 20, 3): 413ed25e5fd67539
        beta(2, 6): 0098358629df6ae7
        beta(0.25, 0.5): d3262cd5558ee269
        beta(100, 0.5): 7c8b54afd1c292a9
        standard_t(1): 83e1ce815c8be486
        standard_t(3.5): 1cba38bc6c9e5d93
        standard_t(100): a993f34dbc82ee48
        standard_exponential: 21d20c49e94d7d23
        standard_cauchy: 0e37205ffe33be1d
        poisson(0.5): 249a9b42b09bb2d0
        poisson(9.5): 23f6e15d03f165a0
        poisson(10): 6e05e8fc61556181
        poisson(30): db29e4c87c71c79a
        poisson(1e6): 79da91971fc746a4
        poisson(1e9): 2596d98768ec32bc
        binomial(10, 0.5): 4df61d8f30fee7bb
        binomial(25, 0.4): fcbb38cc2feaca30
        binomial(100, 0.0625): 5a6deccf9b6e64d7
        binomial(100, 0.9375): 3d2cc6fd57a9a3f7
        binomial(1000, 0.375): 33a1a195333bca92
        binomial(1000, 0.75): a1c15300a7dc6357
        binomial(1e9, 0.3): 8a14b562cb0097ab
        negative_binomial(3, 0.25): 16c3bfd2d9f98a2f
        negative_binomial(0.5, 0.015625): be13fdb6e53601a0
        negative_binomial(50, 0.5): 924b33e37f0121c4
        geometric(0.25): 8b705df72e7abebb
        geometric(0.001): 0bddda13fb182bc1
        logseries(0.5): 5d05302471934484
        logseries(0.99): f4cd09b50e380fc4
        zipf(1.25): ea3b6df0dc320622
        zipf(2): c9165432918c191a
        zipf(4): 0927f646008525e6
        hypergeometric(20, 30, 10): f706c6969c5a803d
        hypergeometric(20, 30, 45): 4eebc70a87d4f3db
        hypergeometric(30, 20, 22): 33d8d3ecec5a76a3
        hypergeometric(500, 200, 300): 0276957115980c58
        hypergeometric(200, 500, 600): 579f30cf9f361441
        hypergeometric(3000, 100, 1500): 44ffe04de3e96525
        hypergeometric(1000000, 2000000, 50000): 96cf32dba58edbbb
        dirichlet(2, 5, 1): 8737d1d875f2fffe
        dirichlet(0.125, 0.25): 72bcd1db66c16509
    "#]]
    .assert_eq(&lines);
}

#[test]
fn parameters_at_their_limits() {
    let mut g = Generator::new(SEED);
    assert!(g.gamma(0.0, 1.0, 100).eq(0.0).all() && g.gamma(3.0f32, 0.0, 100).eq(0.0).all());
    assert!(g.laplace(2.0, 0.0, 100).eq(2.0).all() && g.rayleigh(0.0, 100).eq(0.0).all());
    assert!(g.weibull(0.0, 100).eq(0.0).all() && g.lognormal(0.0, 0.0, 100).eq(1.0).all());
    assert!(g.poisson(0.0, 100).eq(0).all() && g.poisson(1e-300, 100).eq(0).all());
    let largest = g.poisson(9.2e18, 1000);
    assert!(largest.min() > 9_199_999_900_000_000_000 && largest.max() < 9_200_000_100_000_000_000);
    assert!(g.binomial(0, 0.5, 100).eq(0).all() && g.binomial(7, 0.0, 100).eq(0).all());
    assert!(g.binomial(7, 1.0, 100).eq(7).all() && g.binomial(i64::MAX, 1.0, 100).eq(i64::MAX).all());
    assert!(g.geometric(1.0, 100).eq(1).all() && g.geometric(1e-300, 100).eq(i64::MAX).all());
    assert!(g.negative_binomial(3.0, 1.0, 100).eq(0).all() && g.negative_binomial(1.0, 1e-300, 100).min() > 1 << 60);
    assert!(g.logseries(0.0, 100).eq(1).all() && g.zipf(5000.0, 100).eq(1).all() && g.zipf(1.001, 1000).min() >= 1);
    assert!(g.hypergeometric(0, 9, 5, 100).eq(0).all() && g.hypergeometric(9, 0, 5, 100).eq(5).all());
    assert!(g.hypergeometric(9, 4, 0, 100).eq(0).all() && g.hypergeometric(90, 40, 130, 100).eq(90).all());
    assert!(g.hypergeometric(0, 0, 0, 100).eq(0).all());
    // Gamma numbers, divided by their sums.
    let alpha = gpu::array(&[2.0, 3.0]);
    let parts = Generator::new(SEED).dirichlet(&alpha, (7, 100));
    let numbers = Generator::new(SEED).standard_gamma(&alpha.reshape((2, 1)), (2, 700));
    let shares = &numbers / &numbers.sum_axis(0);
    assert_eq!(parts.ravel().tolist(), shares.t().ravel().tolist());
    // Neither of two gamma numbers is a float here.
    let small = g.beta(1e-3f64, 1e-3, 10_000);
    assert!(small.ge(0.0).all() && small.le(1.0).all() && (small.mean() - 0.5).abs() < 0.05);
    let parts = g.dirichlet(&gpu::array(&[1e-3f64, 1e-3]), 1000);
    assert!((parts.sum_axis(1) - 1.0).abs().lt(1e-12).all());
    assert!(!g.f(1e-2, 1e-2, 1000).is_nan().any() && !g.standard_t(1e-2, 1000).is_nan().any());
    assert!(g.noncentral_chisquare(1e-2, 0.0, 1000).ge(0.0).all());
    let angles = g.vonmises(3.0, 1e-6, 10_000);
    assert!(angles.abs().le(std::f64::consts::PI).all() && angles.min() < -3.0 && angles.max() > 3.0);
    let angles = g.vonmises(1.0, 1e12, 1000);
    assert!((angles - 1.0).abs().lt(1e-5).all());
    assert!(g.gamma(1e300, 1.0, 10).gt(0.9e300).all());
    assert_eq!(g.multinomial(9, &gpu::array(&[1.0]), 2).ravel().tolist(), [9, 9]);
    assert!(g.multinomial(0, &gpu::array(&[0.5, 0.5]), 9).eq(0).all());
}

#[test]
fn shapes() {
    let mut g = Generator::new(SEED);
    assert_eq!(g.gamma(1.0, 1.0, ()).shape(), [0usize; 0]);
    assert_eq!(g.laplace(0.0, 1.0, (3, 0)).shape(), [3, 0]);
    assert_eq!(g.poisson(3.0, 0).size(), 0);
    let empty = gpu::zeros::<f64>((0, 2));
    assert_eq!(g.poisson(&empty, ()).shape(), [0, 2]);
    assert_eq!(g.dirichlet(&gpu::ones::<f64>(2), ()).shape(), [2]);
    assert_eq!(g.dirichlet(&gpu::ones::<f64>(2), (0, 3)).shape(), [0, 3, 2]);
    assert_eq!(g.multinomial(5, &gpu::array(&[0.5, 0.5]), ()).shape(), [2]);
    assert_eq!(g.multinomial(5, &gpu::array(&[0.5, 0.5]), (2, 0)).shape(), [2, 0, 2]);
    let (mean, cov) = (gpu::zeros::<f32>(3), gpu::eye::<f32>(3));
    assert_eq!(g.multivariate_normal(&mean, &cov, ()).shape(), [3]);
    assert_eq!(g.multivariate_normal(&mean, &cov, (4, 0)).shape(), [4, 0, 3]);
    assert_eq!(g.bytes(7).nbytes(), 7);
}

/// The same numbers as from scalars, at each place.
#[test]
fn arrays_of_parameters() {
    let from = || Generator::new(SEED);
    let (shapes, scales) = (gpu::array(&[0.5, 1.0, 2.0, 30.0]), gpu::array(&[[1.0], [2.0], [0.0]]));
    let all = from().gamma(&shapes, &scales, ());
    assert_eq!(all.shape(), [3, 4]);
    for (index, shape) in shapes.tolist().into_iter().enumerate() {
        for (row, scale) in [1.0, 2.0, 0.0].into_iter().enumerate() {
            let one = from().gamma(shape, scale, (3, 4));
            assert_eq!(all.get(&[row, index]), one.get(&[row, index]));
        }
    }
    let narrow = from().gamma(&shapes.astype::<f32>(), 1.0, (2, 4));
    assert!(narrow.eq(&from().gamma(&shapes, 1.0, (2, 4)).astype::<f32>()).all());
    // Views, in any order of memory.
    let means = gpu::arange(12.0).reshape((3, 4));
    assert!(from().poisson(&means.t(), ()).eq(&from().poisson(&means.t().copy(), (4, 3))).all());
    let backwards = means.slice(s![.., ..;-1]);
    assert!(from().poisson(&backwards, (2, 3, 4)).eq(&from().poisson(&backwards.copy(), (2, 3, 4))).all());
    let counts = from().binomial(&gpu::array(&[0i64, 10, 1000]), &gpu::array(&[[1.0], [0.0]]), ());
    assert_eq!((counts.shape(), counts.ravel().tolist()), (&[2usize, 3][..], vec![0, 10, 1000, 0, 0, 0]));
    assert!(from().hypergeometric(&gpu::array(&[0i64, 5]), 3, 3, (100, 2)).slice(s![.., 0]).eq(0).all());
    assert!(from().triangular(&gpu::array(&[0.0, 5.0]), 6.0, 7.0, (100, 2)).slice(s![.., 1]).ge(5.0).all());
}

/// Arrays that are as long as the result, for which the numbers of the elements are sums along two axes or, of a length with no divisor
/// that fits, an array of their own.
#[test]
fn long_arrays_of_parameters() {
    let from = || Generator::new(SEED);
    for shape in [vec![8192], vec![10_007], vec![3, 5000], vec![70, 2, 100], vec![2, 3]] {
        let full = |value: f64| gpu::full(&shape[..], value);
        let whole = |value: i64| gpu::full(&shape[..], value);
        let gamma = from().gamma(2.5, 0.5, &shape[..]);
        assert!(from().gamma(&full(2.5), 0.5, ()).eq(&gamma).all(), "{shape:?}");
        assert!(from().gamma(2.5, &full(0.5), ()).eq(&gamma).all(), "{shape:?}");
        // Numbers of one distribution come by tables, or have what they share computed once.
        for [good, bad, taken] in
            [[50, 40, 30], [40, 50, 70], [9, 40, 12], [3000, 100, 1500], [200, 500, 600], [5, 6, 4]]
        {
            let all = from().hypergeometric(good, bad, taken, &shape[..]);
            assert!(
                from().hypergeometric(&whole(good), bad, taken, ()).eq(&all).all(),
                "{shape:?} {good} {bad} {taken}"
            );
            assert!(all.le(good.min(taken)).all() && all.ge((taken - bad).max(0)).all());
        }
        for kappa in [0.0, 1.0, 50.0] {
            let angles = from().vonmises(0.5, kappa, &shape[..]);
            assert!(gpu::allclose(&from().vonmises(0.5, &full(kappa), ()), &angles), "{shape:?} {kappa}");
        }
    }
    let rows = gpu::arange(3i64).reshape((3, 1)) * 100;
    let counts = from().binomial(&rows, 0.5, (3, 6000));
    let flat = from().binomial(&rows.broadcast_to((3, 6000)).copy().ravel(), 0.5, ());
    assert!(counts.ravel().eq(&flat).all());
}

#[test]
fn generators() {
    let mut g = gpu::random::default_rng(5);
    let state = g.clone();
    let first = g.gamma(2.0, 1.0, 10);
    assert!(g.gamma(2.0, 1.0, 10).ne(&first).all(), "later numbers are others");
    assert!(state.clone().gamma(2.0, 1.0, 10).eq(&first).all());
    let mut children = gpu::random::default_rng(5).spawn(2);
    assert!(children[0].gamma(2.0, 1.0, 10).ne(&first).all());
    assert!(children[1].standard_normal(10).ne(&children[0].standard_normal(10)).all());
    // Attempts do not use the blocks of other elements.
    let (one, two) =
        (gpu::random::default_rng(5).gamma(2.0, 1.0, 1000), gpu::random::default_rng(5).gamma(2.0, 1.0, 2000));
    assert!(one.eq(&two.slice(s![..1000])).all());
    assert!(two.slice(s![1000..]).ne(&one).all());
}

#[test]
fn what_cannot_be_drawn() {
    let mut g = Generator::new(0);
    check(
        || drop(g.gamma(-1.0, 1.0, 3)),
        expect!["gamma: the parameter `shape` is -1; give a finite number that is not negative"],
    );
    check(|| drop(g.laplace(f32::NAN, 1.0, 3)), expect!["laplace: the parameter `loc` is NaN; give a finite number"]);
    check(
        || drop(g.rayleigh(f64::INFINITY, 3)),
        expect!["rayleigh: the parameter `scale` is inf; give a finite number that is not negative"],
    );
    check(|| drop(g.pareto(0.0, 3)), expect!["pareto: the parameter `a` is 0; give a finite number greater than 0"]);
    check(
        || drop(g.poisson(&gpu::array(&[1.0, -2.0, 3.0]), 3)),
        expect!["poisson: the parameter `lam` has an element -2; each must be a number from 0 to 9.22e18"],
    );
    check(
        || drop(g.poisson(1e19, 3)),
        expect!["poisson: the parameter `lam` is 10000000000000000000; give a number from 0 to 9.22e18"],
    );
    check(
        || drop(g.binomial(-3, 0.5, 3)),
        expect!["binomial: the parameter `n` is -3; give an integer that is not negative"],
    );
    check(
        || drop(g.binomial(3, 1.5, 3)),
        expect!["binomial: the parameter `p` is 1.5; give a probability from 0 to 1"],
    );
    check(
        || drop(g.geometric(0.0, 3)),
        expect!["geometric: the parameter `p` is 0; give a probability greater than 0, up to 1"],
    );
    check(
        || drop(g.logseries(1.0, 3)),
        expect!["logseries: the parameter `p` is 1; give a probability from 0 to below 1"],
    );
    check(|| drop(g.zipf(1.0, 3)), expect!["zipf: the parameter `a` is 1; give a finite number greater than 1"]);
    check(
        || drop(g.triangular(0.0, 3.0, 2.0, 3)),
        expect![
            "triangular: `mode` = 3 is not less than `right` = 2; give `left`, `mode` and `right` in ascending order"
        ],
    );
    check(
        || drop(g.triangular(1.0, 1.0, 1.0, 3)),
        expect![
            "triangular: `left` = 1 is not less than `right` = 1; give `left`, `mode` and `right` in ascending order"
        ],
    );
    check(
        || drop(g.triangular(&gpu::array(&[0.0, 4.0]), 3.0, 5.0, 2)),
        expect![
            "triangular: an element of `left` is not less than `mode` = 3; give `left`, `mode` and `right` in ascending order"
        ],
    );
    check(
        || drop(g.hypergeometric(3, 4, 8, 3)),
        expect![
            "hypergeometric: `nsample` = 8 is greater than the sum of `ngood` = 3 and `nbad` = 4; take at most as many as there are"
        ],
    );
    check(
        || drop(g.hypergeometric(2_000_000_000, 4, 8, 3)),
        expect!["hypergeometric: the parameter `ngood` is 2000000000; give an integer from 0 to 1,000,000,000"],
    );
    check(
        || drop(g.gamma(&gpu::ones::<f64>(3), 1.0, (3, 2))),
        expect![
            "gamma: the shape [3] of the parameters does not fit the size [3, 2]; give a size that ends with it, or `()`"
        ],
    );
    check(
        || drop(g.gamma(&gpu::ones::<f64>(3), &gpu::ones::<f64>(2), ())),
        expect![
            "gamma: the shapes [3] and [2] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
    check(
        || drop(g.dirichlet(&gpu::array(&[1.0, 0.0]), 3)),
        expect!["dirichlet: the parameter `alpha` has an element 0; each must be a finite number greater than 0"],
    );
    check(
        || drop(g.dirichlet(&gpu::ones::<f64>((2, 2)), 3)),
        expect!["dirichlet: the shape [2, 2] is not 1-D; give one number for each part"],
    );
    check(
        || drop(g.multinomial(-1, &gpu::array(&[0.5, 0.5]), 3)),
        expect!["multinomial: the parameter `n` is -1; give an integer that is not negative"],
    );
    check(
        || drop(g.multinomial(3, &gpu::array(&[0.75, 0.5, 0.1]), 3)),
        expect![
            "multinomial: the probabilities before the last one are 1.25 together; give some with a sum of at most 1"
        ],
    );
    check(
        || drop(g.multinomial(3, &gpu::zeros::<f64>(0), 3)),
        expect!["multinomial: the shape [0] is not 1-D with elements; give a probability for each result"],
    );
    let (mean, cov) = (gpu::zeros::<f64>(2), gpu::array(&[[1.0, 0.0], [0.0, -1.0]]));
    check(
        || drop(g.multivariate_normal(&mean, &cov, 3)),
        expect![
            "multivariate_normal: the covariances have a negative eigenvalue, -1; make sure that the matrix is symmetric, and that it has the variances on its diagonal"
        ],
    );
    check(
        || drop(g.multivariate_normal(&mean, &gpu::eye::<f64>(3), 3)),
        expect![
            "multivariate_normal: the shape [3, 3] is not that of the covariances of 2 numbers; give a matrix of shape [2, 2]"
        ],
    );
    let a = gpu::arange(3);
    check(
        || drop(g.choice_with(&a, 3, true, &gpu::array(&[0.5, 0.5]))),
        expect!["choice_with: the shape [2] is not that of the probabilities of 3 elements; give one for each element"],
    );
    check(
        || drop(g.choice_with(&a, 3, true, &gpu::array(&[0.5, 0.25, 0.5]))),
        expect!["choice_with: the sum of the probabilities is 1.25, not 1; divide them by their sum"],
    );
    check(
        || drop(g.choice_with(&a, 3, false, &gpu::array(&[0.5, 0.0, 0.5]))),
        expect!["choice_with: 3 elements are to be chosen, but only 2 have a probability above 0; choose fewer"],
    );
    check(|| drop(g.randint(3, 3, 3)), expect!["integers: the range 3..3 is empty; give the lower bound first"]);
    check(
        || drop(g.gamma(1.0, 1.0, (usize::MAX, 2))),
        expect![
            "gamma: the shape [18446744073709551615, 2] has more elements of i64 than memory can address; use a smaller one"
        ],
    );
    // Nothing was drawn.
    assert!(g.random(5).eq(&Generator::new(0).random(5)).all());
}
