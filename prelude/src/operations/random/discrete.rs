//! Discrete distributions: the functions, over the formulas in `counts.rs`. All of them give i64.

use super::generator::generator;
use super::sampling::{Domain, Formula, Parameter, Recipe, Source, all_there, distributions};
use super::{Generator, Integer, counts, default, formulas, integers_of};
use crate::array::{DeviceArray, IntoShape, RawArray};
use crate::backend::{BinaryOperation, ReduceOperation};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::reduce::reduce_all;
use crate::philox::Stream;

generator! {
    impl Generator;

    /// Integers from `low` to below `high`, all equally likely, and of their type; of numbers as
    /// [`integers`](super::integers())`(low..high, size)`. The bounds are numbers or arrays, which broadcast to the size; with the
    /// size `()` the result has their shape.
    ///
    /// **Panics** unless `low` is less than `high` everywhere ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert!(gpu::random::randint(0, 10, 100).max() < 10);
    /// assert!(gpu::random::randint(1, &gpu::array(&[2, 20]), (100, 2)).max_axis(0).get(&[0]) == 1);
    /// ```
    pub fn randint<T: Integer>(
        stream,
        low: impl Operand<T>,
        high: impl Operand<T>,
        size: impl IntoShape
    ) -> DeviceArray<T> {
        let bounds = [low.raw_operand(), high.raw_operand()];
        DeviceArray::from_raw(check(integers_between(stream, bounds, &size.into_shape(), T::DTYPE)))
    }

    /// Integers from `low` to `high`, both included, all equally likely, and of their type; as
    /// [`integers`](super::integers())`(low..=high, size)`.
    ///
    /// **Panics** if `high` is less than `low` ([`Error::InvalidArgument`]).
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
}

/// Integers between bounds that are numbers or arrays.
fn integers_between(
    stream: &mut Stream,
    bounds: [RawOperand<'_>; 2],
    size: &[usize],
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "randint";
    let [low, high] = bounds;
    let handle = match (low, high) {
        (RawOperand::Scalar(low), RawOperand::Scalar(high)) => {
            return super::drawn(integers_of((low, high, false))?, NAME, stream, size, dtype);
        }
        (RawOperand::Array(array), _) | (_, RawOperand::Array(array)) => array.handle.clone(),
    };
    let [low, high] = [low.on(NAME, &handle)?, high.on(NAME, &handle)?];
    let is_empty = binary(NAME, BinaryOperation::LessEqual, &high, &low)?;
    if is_empty.size() > 0 && reduce_all(NAME, ReduceOperation::Any, &is_empty)? == Scalar::Bool(true) {
        let reason = "an element of `high` is not greater than that of `low`; give the lower bounds first";
        return Err(Error::argument(NAME, reason.to_owned()));
    }
    // What i64 does not hold is the same number modulo 2^64, before and behind the formula.
    let [low, high] = [low.converted(NAME, DType::I64)?, high.converted(NAME, DType::I64)?];
    let parameter = |name, bound| Parameter { name, value: RawOperand::Array(bound), domain: Domain::COUNT };
    let recipe = Recipe {
        operation: NAME,
        source: Source::Word,
        formula: Formula::of(&formulas::bounded),
        parameters: &[parameter("low", &low), parameter("high", &high)],
        of_one: None,
        of_values: None,
        relations: &[],
    };
    recipe.drawn(stream, size, dtype)
}

distributions! {
    /// How many good ones are among `nsample` things that are taken, without putting them back, out of `ngood` good and `nbad`
    /// bad ones.
    ///
    /// Source: for more than ten Stadlober, "The ratio of uniforms approach for generating discrete random variates", 1990.
    ///
    /// **Panics** if one is negative, if `nsample` is greater than `ngood + nbad`, or one of the latter than 1e9
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let a = warpcell::random::hypergeometric(20, 30, 10, 10_000);
    /// assert!(a.max() <= 10 && (a.mean() - 4.0).abs() < 0.2);
    /// ```
    hypergeometric(ngood: i64 in POPULATION, nbad: i64 in POPULATION, nsample: i64 in COUNT)
        -> i64, Blocks counts::hypergeometric => counts::one_hypergeometric, all_there;

    /// How many events happen in a time in which `lam` are expected.
    ///
    /// Source: for means from 10 on Hörmann, "The transformed rejection method for generating Poisson random variables", 1993.
    ///
    /// **Panics** unless `lam` is from 0 to 9.22e18 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let a = warpcell::random::poisson(4.0, 10_000);
    /// assert!(a.min() >= 0 && (a.mean() - 4.0).abs() < 0.2);
    /// ```
    poisson(lam: f64 in MEAN_OF_COUNTS) -> i64, Blocks counts::poisson => counts::one_poisson;

    /// How many of `n` trials succeed, each with probability `p`.
    ///
    /// Source: for ten and more successes Hörmann, "The generation of binomial random variates", 1993.
    ///
    /// **Panics** unless `n` is not negative and `p` is from 0 to 1 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let heads = warpcell::random::binomial(100, 0.5, 10_000);
    /// assert!(heads.max() <= 100 && (heads.mean() - 50.0).abs() < 1.0);
    /// ```
    binomial(n: i64 in COUNT, p: f64 in PROBABILITY) -> i64, Blocks counts::binomial => counts::one_binomial;

    /// How many trials fail before the `n`-th success, each of which has probability `p`; `n` need not be an integer.
    ///
    /// **Panics** unless `n` is finite and greater than 0, and `p` is greater than 0 and at most 1
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let a = warpcell::random::negative_binomial(3.0, 0.25, 10_000);
    /// assert!((a.mean() - 9.0).abs() < 0.5);
    /// ```
    negative_binomial(n: f64 in POSITIVE, p: f64 in PROBABILITY_ABOVE_0) -> i64, Blocks counts::negative_binomial;

    /// How many trials it takes to the first success, each of which has probability `p`; at least 1, and at most what `i64` holds.
    ///
    /// **Panics** unless `p` is greater than 0 and at most 1 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let a = warpcell::random::geometric(0.25, 10_000);
    /// assert!(a.min() == 1 && (a.mean() - 4.0).abs() < 0.3);
    /// ```
    geometric(p: f64 in PROBABILITY_ABOVE_0) -> i64, Word formulas::geometric;

    /// Numbers `k` from 1 on whose probability is proportional to `p.powi(k) / k`.
    ///
    /// Source: Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981.
    ///
    /// **Panics** unless `p` is from 0 to below 1 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let a = warpcell::random::logseries(0.5, 10_000);
    /// assert!(a.min() == 1 && (a.mean() - 1.4427).abs() < 0.1);
    /// ```
    logseries(p: f64 in PROBABILITY_BELOW_1) -> i64, Blocks counts::logseries;

    /// Numbers `k` from 1 on whose probability is proportional to `k.powf(-a)`, as far as `i64` holds them.
    ///
    /// Source: Devroye, "Non-uniform random variate generation", 1986, page 551.
    ///
    /// **Panics** unless `a` is finite and greater than 1 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// assert_eq!(warpcell::random::zipf(2.0, 1000).min(), 1);
    /// ```
    zipf(a: f64 in ABOVE_1) -> i64, Blocks counts::zipf;
}
