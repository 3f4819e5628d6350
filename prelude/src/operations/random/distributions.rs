//! Continuous distributions: the functions, over the formulas in `formulas.rs`.

use super::formulas;
use super::generator::generator;
use super::sampling::{ascending, distributions, not_descending};
use super::{Generator, default};
use crate::array::{DeviceArray, IntoShape};
use crate::dtype::Float;
use crate::error::check;

generator! {
    impl Generator;

    /// Exponential numbers of mean 1.
    ///
    /// ```
    /// assert!(warpcell::random::standard_exponential((3, 4)).min() >= 0.0);
    /// ```
    pub fn standard_exponential(stream, size: impl IntoShape) -> DeviceArray<f64> {
        let distribution = check(super::exponential_of(crate::Scalar::F64(1.0)));
        super::array(distribution, "standard_exponential", stream, size)
    }

    /// Normal numbers with mean 0 and standard deviation 1; of `f32` by `normal(0f32, 1.0, size)`.
    ///
    /// ```
    /// assert_eq!(warpcell::random::standard_normal((3, 4)).shape(), [3, 4]);
    /// ```
    pub fn standard_normal(stream, size: impl IntoShape) -> DeviceArray<f64> {
        let distribution = check(super::normal_of(crate::Scalar::F64(0.0), crate::Scalar::F64(1.0)));
        super::array(distribution, "standard_normal", stream, size)
    }

    /// As [`standard_normal`]: NumPy's older name, with the lengths of the axes as one tuple.
    ///
    /// ```
    /// assert_eq!(warpcell::random::randn((3, 4)).shape(), [3, 4]);
    /// ```
    pub fn randn(stream, size: impl IntoShape) -> DeviceArray<f64> {
        let distribution = check(super::normal_of(crate::Scalar::F64(0.0), crate::Scalar::F64(1.0)));
        super::array(distribution, "randn", stream, size)
    }

    /// As [`random`](super::random()): NumPy's older name, with the lengths of the axes as one tuple.
    ///
    /// ```
    /// assert!(warpcell::random::rand((3, 4)).max() < 1.0);
    /// ```
    pub fn rand(stream, size: impl IntoShape) -> DeviceArray<f64> {
        super::array(check(super::unit()), "rand", stream, size)
    }

    /// As [`random`](super::random()): another name of NumPy's.
    ///
    /// ```
    /// assert!(warpcell::random::random_sample(5).max() < 1.0);
    /// ```
    pub fn random_sample(stream, size: impl IntoShape) -> DeviceArray<f64> {
        super::array(check(super::unit()), "random_sample", stream, size)
    }

    /// As [`random`](super::random()): another name of NumPy's.
    ///
    /// ```
    /// assert!(warpcell::random::ranf(5).max() < 1.0);
    /// ```
    pub fn ranf(stream, size: impl IntoShape) -> DeviceArray<f64> {
        super::array(check(super::unit()), "ranf", stream, size)
    }

    /// As [`random`](super::random()): another name of NumPy's.
    ///
    /// ```
    /// assert!(warpcell::random::sample(5).max() < 1.0);
    /// ```
    pub fn sample(stream, size: impl IntoShape) -> DeviceArray<f64> {
        super::array(check(super::unit()), "sample", stream, size)
    }
}

distributions! {
    /// Uniform numbers from `low` to below `high`, of 53 random bits (`f32`: of 24). The bounds are numbers or arrays, which
    /// broadcast to the size; with the size `()` the result has their shape.
    ///
    /// **Panics** unless both are finite, `low` is less than `high` (in arrays they may be equal), and so is their distance
    /// ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::random::uniform(-1.0f32, 1.0, 1000);
    /// assert!(a.min() < 0.0 && a.max() < 1.0);
    /// let b = gpu::random::uniform(&gpu::array(&[0.0, 10.0]), &gpu::array(&[1.0, 20.0]), (100, 2));
    /// assert!(b.min_axis(0).get(&[1]) >= 10.0);
    /// ```
    uniform<T: Float>(low: T in FINITE, high: T in FINITE)
        -> T, Word formulas::uniform | super::uniform_of_values, not_descending;

    /// Normal numbers with mean `loc` and standard deviation `scale`, by the method of Box and Muller. The parameters are numbers
    /// or arrays, which broadcast to the size; with the size `()` the result has their shape.
    ///
    /// **Panics** unless both are finite and `scale` is not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::random::normal(5.0f64, 2.0, 10_000);
    /// assert!((a.mean() - 5.0).abs() < 0.2 && (a.std() - 2.0).abs() < 0.2);
    /// let means = gpu::array(&[0.0, 100.0, 200.0]);
    /// assert!(gpu::random::normal(&means, 1.0, ()).get(&[2]) > 150.0);
    /// ```
    normal<T: Float>(loc: T in FINITE, scale: T in NOT_NEGATIVE)
        -> T, Normal formulas::shifted_normal | super::normal_of_values;

    /// Exponential numbers of mean `scale`, a number or an array, which broadcasts to the size; with the size `()` the result has
    /// its shape.
    ///
    /// **Panics** unless `scale` is finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::random::exponential(3.0f64, 10_000);
    /// assert!(a.min() >= 0.0 && (a.mean() - 3.0).abs() < 0.2);
    /// assert_eq!(gpu::random::exponential(&gpu::array(&[1.0, 0.0]), ()).get(&[1]), 0.0);
    /// ```
    exponential<T: Float>(scale: T in NOT_NEGATIVE)
        -> T, Word formulas::exponential | super::exponential_of_values;

    /// Ratios of two normal numbers (the Cauchy distribution); they have no mean.
    ///
    /// ```
    /// assert_eq!(warpcell::random::standard_cauchy(5).shape(), [5]);
    /// ```
    standard_cauchy() -> f64, Word formulas::standard_cauchy;

    /// Numbers from `left` to `right` whose density rises to `mode` and falls behind it, along two straight lines.
    ///
    /// **Panics** unless all are finite and in ascending order, `left` and `right` different
    /// ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::triangular(0.0f64, 1.0, 5.0, 10_000);
    /// assert!((a.mean() - 2.0).abs() < 0.1);
    /// ```
    triangular<T: Float>(left: T in FINITE, mode: T in FINITE, right: T in FINITE)
        -> T, Word formulas::triangular, ascending;

    /// Numbers of the Laplace distribution with mean `loc`: on both sides the distances from it are exponential, of mean
    /// `scale`.
    ///
    /// **Panics** unless `loc` is finite, and `scale` finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::laplace(1.0f64, 2.0, 10_000);
    /// assert!((a.mean() - 1.0).abs() < 0.2);
    /// ```
    laplace<T: Float>(loc: T in FINITE, scale: T in NOT_NEGATIVE) -> T, Word formulas::laplace;

    /// Numbers of the logistic distribution with mean `loc`; their distribution function is `1 / (1 + exp(-(x - loc) / scale))`.
    ///
    /// **Panics** as [`laplace`] does.
    ///
    /// ```
    /// let a = warpcell::random::logistic(1.0f64, 0.5, 10_000);
    /// assert!((a.mean() - 1.0).abs() < 0.2);
    /// ```
    logistic<T: Float>(loc: T in FINITE, scale: T in NOT_NEGATIVE) -> T, Word formulas::logistic;

    /// Numbers of the Gumbel distribution, of which the largest of many numbers often is; the most likely number is `loc`.
    ///
    /// **Panics** as [`laplace`] does.
    ///
    /// ```
    /// let a = warpcell::random::gumbel(0.0f64, 1.0, 10_000);
    /// assert!((a.mean() - 0.5772).abs() < 0.1);
    /// ```
    gumbel<T: Float>(loc: T in FINITE, scale: T in NOT_NEGATIVE) -> T, Word formulas::gumbel;

    /// Numbers whose logarithm is normal, with mean `mean` and standard deviation `sigma`.
    ///
    /// **Panics** unless `mean` is finite, and `sigma` finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::lognormal(0.0, 0.5, 1000);
    /// assert!(a.min() > 0.0);
    /// ```
    lognormal<T: Float>(mean: T in FINITE, sigma: T in NOT_NEGATIVE) -> T, Normal formulas::lognormal;

    /// Numbers of the Pareto distribution of the second kind (Lomax), from 0 on; as in NumPy, the classical ones are `1 + x`.
    ///
    /// **Panics** unless `a` is finite and greater than 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::pareto(3.0f64, 10_000);
    /// assert!(a.min() >= 0.0 && (a.mean() - 0.5).abs() < 0.2);
    /// ```
    pareto<T: Float>(a: T in POSITIVE) -> T, Word formulas::pareto;

    /// Numbers from 0 to 1 whose density is `a * x.powf(a - 1.0)`.
    ///
    /// **Panics** as [`pareto`] does.
    ///
    /// ```
    /// let a = warpcell::random::power(3.0f64, 10_000);
    /// assert!(a.max() <= 1.0 && (a.mean() - 0.75).abs() < 0.05);
    /// ```
    power<T: Float>(a: T in POSITIVE) -> T, Word formulas::power;

    /// Lengths of vectors in the plane whose two parts are normal with mean 0 and standard deviation `scale`.
    ///
    /// **Panics** unless `scale` is finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::rayleigh(2.0, 1000);
    /// assert!(a.min() > 0.0);
    /// ```
    rayleigh<T: Float>(scale: T in NOT_NEGATIVE) -> T, Word formulas::rayleigh;

    /// Numbers of the Weibull distribution: exponential numbers to the power `1 / a`.
    ///
    /// **Panics** unless `a` is finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::weibull(2.0f64, 10_000);
    /// assert!((a.mean() - 0.8862).abs() < 0.05);
    /// ```
    weibull<T: Float>(a: T in NOT_NEGATIVE) -> T, Word formulas::weibull;

    /// Numbers of the Wald distribution (inverse Gaussian) with this mean: when a motion with drift first reaches a distance.
    ///
    /// Source: Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots", 1976.
    ///
    /// **Panics** unless both are finite and greater than 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::wald(3.0f64, 2.0, 10_000);
    /// assert!(a.min() > 0.0 && (a.mean() - 3.0).abs() < 0.5);
    /// ```
    wald<T: Float>(mean: T in POSITIVE, scale: T in POSITIVE) -> T, Blocks formulas::wald;

    /// Angles from -π to π of the von Mises distribution: most are near `mu`, the nearer the larger `kappa` is. The last bits may
    /// differ between devices.
    ///
    /// Source: Best and Fisher, "Efficient simulation of the von Mises distribution", 1979.
    ///
    /// **Panics** unless `mu` is finite, and `kappa` finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::vonmises(0.0f64, 4.0, 10_000);
    /// assert!(a.max() < 3.15 && a.mean().abs() < 0.1);
    /// ```
    vonmises<T: Float>(mu: T in FINITE, kappa: T in NOT_NEGATIVE) -> T, Blocks formulas::vonmises => formulas::one_vonmises;

    /// Numbers of the gamma distribution with this shape, which is their mean, and scale 1.
    ///
    /// **Panics** unless `shape` is finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::standard_gamma(2.5f64, 10_000);
    /// assert!((a.mean() - 2.5).abs() < 0.1);
    /// ```
    standard_gamma<T: Float>(shape: T in NOT_NEGATIVE) -> T, Blocks formulas::standard_gamma;

    /// Numbers of the gamma distribution with this shape and scale; their mean is the product.
    ///
    /// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
    ///
    /// **Panics** unless both are finite and not negative ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::random::gamma(2.0f64, 3.0, 10_000);
    /// assert!((a.mean() - 6.0).abs() < 0.3);
    /// // A shape for each column.
    /// let shapes = gpu::array(&[0.5, 1.0, 20.0]);
    /// assert_eq!(gpu::random::gamma(&shapes, 1.0, (100, 3)).shape(), [100, 3]);
    /// ```
    gamma<T: Float>(shape: T in NOT_NEGATIVE, scale: T in NOT_NEGATIVE) -> T, Blocks formulas::gamma;

    /// Sums of the squares of `df` normal numbers; `df` need not be an integer.
    ///
    /// **Panics** unless `df` is finite and greater than 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::chisquare(4.0f64, 10_000);
    /// assert!((a.mean() - 4.0).abs() < 0.3);
    /// ```
    chisquare<T: Float>(df: T in POSITIVE) -> T, Blocks formulas::chisquare;

    /// Numbers of the noncentral chi-square distribution, whose mean is `df + nonc`; with `nonc` 0 it is [`chisquare`].
    ///
    /// **Panics** unless both are finite, `df` is greater than 0 and `nonc` is not negative
    /// ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::noncentral_chisquare(3.0f64, 2.0, 10_000);
    /// assert!((a.mean() - 5.0).abs() < 0.3);
    /// ```
    noncentral_chisquare<T: Float>(df: T in POSITIVE, nonc: T in NOT_NEGATIVE)
        -> T, Blocks formulas::noncentral_chisquare;

    /// Numbers of Fisher's F distribution: the ratio of two [`chisquare`] numbers, each divided by its degrees of freedom.
    ///
    /// **Panics** unless both are finite and greater than 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::f(5.0f64, 20.0, 10_000);
    /// assert!((a.mean() - 20.0 / 18.0).abs() < 0.1);
    /// ```
    f<T: Float>(dfnum: T in POSITIVE, dfden: T in POSITIVE) -> T, Blocks formulas::f;

    /// Numbers of the noncentral F distribution: as [`f`], with a [`noncentral_chisquare`] number above.
    ///
    /// **Panics** unless all are finite, the first two are greater than 0 and `nonc` is not negative
    /// ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::noncentral_f(5.0f64, 20.0, 1.0, 10_000);
    /// assert!((a.mean() - 20.0 * 6.0 / (5.0 * 18.0)).abs() < 0.1);
    /// ```
    noncentral_f<T: Float>(dfnum: T in POSITIVE, dfden: T in POSITIVE, nonc: T in NOT_NEGATIVE)
        -> T, Blocks formulas::noncentral_f;

    /// Numbers of the beta distribution, from 0 to 1; their mean is `a / (a + b)`.
    ///
    /// **Panics** unless both are finite and greater than 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::beta(2.0f64, 6.0, 10_000);
    /// assert!((a.mean() - 0.25).abs() < 0.02);
    /// ```
    beta<T: Float>(a: T in POSITIVE, b: T in POSITIVE) -> T, Blocks formulas::beta;

    /// Numbers of Student's t distribution with `df` degrees of freedom.
    ///
    /// **Panics** unless `df` is finite and greater than 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let a = warpcell::random::standard_t(10.0f64, 10_000);
    /// assert!(a.mean().abs() < 0.1);
    /// ```
    standard_t<T: Float>(df: T in POSITIVE) -> T, Blocks formulas::standard_t;
}
