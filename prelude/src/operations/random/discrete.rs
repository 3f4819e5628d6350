//! Discrete distributions: the functions, over the formulas in `counts.rs`. All of them give i64.

use super::distributions::{made, parameter, sampled};
use super::generator::generator;
use super::sampling::{Domain, Formula, Recipe, Relation, Source, all_there};
use super::{Generator, Integer, counts, default, formulas, integers_of};
use crate::array::{DeviceArray, IntoShape};
use crate::error::check;
use crate::operations::elementwise::Operand;

generator! {
    impl Generator;

    /// Integers from `low` to below `high`, all equally likely, and of their type; as [`integers`](super::integers())`(low..high,
    /// size)`.
    ///
    /// **Panics** unless `low` is less than `high` ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// assert!(warpcell::random::randint(0, 10, 100).max() < 10);
    /// ```
    pub fn randint<T: Integer>(stream, low: T, high: T, size: impl IntoShape) -> DeviceArray<T> {
        super::array(check(integers_of((low.to_scalar(), high.to_scalar(), false))), "randint", stream, size)
    }

    /// Integers from `low` to `high`, both included, all equally likely, and of their type; as
    /// [`integers`](super::integers())`(low..=high, size)`.
    ///
    /// **Panics** if `high` is less than `low` ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// assert!(warpcell::random::random_integers(1, 6, 100).max() <= 6);
    /// ```
    pub fn random_integers<T: Integer>(stream, low: T, high: T, size: impl IntoShape) -> DeviceArray<T> {
        super::array(check(integers_of((low.to_scalar(), high.to_scalar(), true))), "random_integers", stream, size)
    }

    /// Random bytes, as an array of `u8`.
    ///
    /// ```
    /// assert_eq!(warpcell::random::bytes(10).nbytes(), 10);
    /// ```
    pub fn bytes(stream, length: usize) -> DeviceArray<u8> {
        let all = (crate::Scalar::U8(0), crate::Scalar::U8(255), true);
        super::array(check(integers_of(all)), "bytes", stream, length)
    }

    /// How many good ones are among `nsample` things that are taken, without putting them back, out of `ngood` good and `nbad`
    /// bad ones.
    ///
    /// Source: for more than ten Stadlober, "The ratio of uniforms approach for generating discrete random variates", 1990.
    ///
    /// **Panics** if one is negative, if `nsample` is greater than `ngood + nbad`, or one of the latter than 1e9
    /// ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::hypergeometric(20, 30, 10, 10_000);
    /// assert!(a.max() <= 10 && (a.mean() - 4.0).abs() < 0.2);
    /// ```
    pub fn hypergeometric(
        stream,
        ngood: impl Operand<i64>,
        nbad: impl Operand<i64>,
        nsample: impl Operand<i64>,
        size: impl IntoShape,
    ) -> DeviceArray<i64> {
        let parameters = &[
            parameter("ngood", &ngood, Domain::POPULATION),
            parameter("nbad", &nbad, Domain::POPULATION),
            parameter("nsample", &nsample, Domain::COUNT),
        ];
        let (formula, relation) = (Formula::of(&counts::hypergeometric), Some(all_there as Relation));
        made(Recipe { operation: "hypergeometric", source: Source::Blocks, formula, parameters, relation }, stream, size)
    }

    /// How many events happen in a time in which `lam` are expected.
    ///
    /// Source: for means from 10 on Hörmann, "The transformed rejection method for generating Poisson random variables", 1993.
    ///
    /// **Panics** unless `lam` is from 0 to 9.22e18 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::poisson(4.0, 10_000);
    /// assert!(a.min() >= 0 && (a.mean() - 4.0).abs() < 0.2);
    /// ```
    pub fn poisson(stream, lam: impl Operand<f64>, size: impl IntoShape) -> DeviceArray<i64> {
        let parameters = [parameter("lam", &lam, Domain::MEAN_OF_COUNTS)];
        sampled("poisson", Source::Blocks, Formula::of(&counts::poisson), &parameters, stream, size)
    }

    /// How many of `n` trials succeed, each with probability `p`.
    ///
    /// Source: for ten and more successes Hörmann, "The generation of binomial random variates", 1993.
    ///
    /// **Panics** unless `n` is not negative and `p` is from 0 to 1 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let heads = warpcell::random::binomial(100, 0.5, 10_000);
    /// assert!(heads.max() <= 100 && (heads.mean() - 50.0).abs() < 1.0);
    /// ```
    pub fn binomial(stream, n: impl Operand<i64>, p: impl Operand<f64>, size: impl IntoShape) -> DeviceArray<i64> {
        let parameters = [parameter("n", &n, Domain::COUNT), parameter("p", &p, Domain::PROBABILITY)];
        sampled("binomial", Source::Blocks, Formula::of(&counts::binomial), &parameters, stream, size)
    }

    /// How many trials fail before the `n`-th success, each of which has probability `p`; `n` need not be an integer.
    ///
    /// **Panics** unless `n` is finite and greater than 0, and `p` is greater than 0 and at most 1
    /// ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::negative_binomial(3.0, 0.25, 10_000);
    /// assert!((a.mean() - 9.0).abs() < 0.5);
    /// ```
    pub fn negative_binomial(stream, n: impl Operand<f64>, p: impl Operand<f64>, size: impl IntoShape) -> DeviceArray<i64> {
        let parameters = [parameter("n", &n, Domain::POSITIVE), parameter("p", &p, Domain::PROBABILITY_ABOVE_0)];
        sampled("negative_binomial", Source::Blocks, Formula::of(&counts::negative_binomial), &parameters, stream, size)
    }

    /// How many trials it takes to the first success, each of which has probability `p`; at least 1, and at most what `i64` holds.
    ///
    /// **Panics** unless `p` is greater than 0 and at most 1 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::geometric(0.25, 10_000);
    /// assert!(a.min() == 1 && (a.mean() - 4.0).abs() < 0.3);
    /// ```
    pub fn geometric(stream, p: impl Operand<f64>, size: impl IntoShape) -> DeviceArray<i64> {
        let parameters = [parameter("p", &p, Domain::PROBABILITY_ABOVE_0)];
        sampled("geometric", Source::Word, Formula::of(&formulas::geometric), &parameters, stream, size)
    }

    /// Numbers `k` from 1 on whose probability is proportional to `p.powi(k) / k`.
    ///
    /// Source: Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981.
    ///
    /// **Panics** unless `p` is from 0 to below 1 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::logseries(0.5, 10_000);
    /// assert!(a.min() == 1 && (a.mean() - 1.4427).abs() < 0.1);
    /// ```
    pub fn logseries(stream, p: impl Operand<f64>, size: impl IntoShape) -> DeviceArray<i64> {
        let parameters = [parameter("p", &p, Domain::PROBABILITY_BELOW_1)];
        sampled("logseries", Source::Blocks, Formula::of(&counts::logseries), &parameters, stream, size)
    }

    /// Numbers `k` from 1 on whose probability is proportional to `k.powf(-a)`, as far as `i64` holds them.
    ///
    /// Source: Devroye, "Non-uniform random variate generation", 1986, page 551.
    ///
    /// **Panics** unless `a` is finite and greater than 1 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// assert_eq!(warpcell::random::zipf(2.0, 1000).min(), 1);
    /// ```
    pub fn zipf(stream, a: impl Operand<f64>, size: impl IntoShape) -> DeviceArray<i64> {
        let parameters = [parameter("a", &a, Domain::ABOVE_1)];
        sampled("zipf", Source::Blocks, Formula::of(&counts::zipf), &parameters, stream, size)
    }
}
