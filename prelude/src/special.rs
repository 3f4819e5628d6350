//! Special functions of arrays on their device; SciPy's `special`.
//!
//! Arguments are arrays or numbers, which broadcast; if all are numbers, the result is an array without axes on the current device.
//! Elements are `f32` or `f64`, all of one type. `f32` is computed in `f64` and rounded once. Names, orders of arguments and special
//! values are SciPy's, but that the Bessel functions are 0 at infinity. NaN gives NaN.
//!
//! The same text is the code on every device. Its functions of numbers are in [`scalar`]: functions of cells with `#[vectorize]`,
//! `#[device]` or `#[kernel]` can call them.
//!
//! On a GPU the first call of a function compiles it; what is compiled is kept on disk.
//!
//! The documentation has the largest errors that 10,000 random arguments show, as units in the last place (ulp) of `f64`, on the CPU,
//! against 40 digits or more by mpmath. Devices differ in the last digits of `exp`, `ln` and the like. Of functions with roots, such
//! as `j0`, units are those of the amplitude nearby.
//!
//! The functions **panic** if shapes do not broadcast or devices differ.
//!
//! ```
//! use warpcell as gpu;
//! use gpu::prelude::*;
//!
//! // The share of the gamma distribution of shape 2 below each number.
//! let x = gpu::array(&[0.5, 1.0, 2.0]);
//! let share = gpu::special::gammainc(2.0, &x);
//! assert!(gpu::allclose(&share, &(1.0 - (1.0 + &x) * (-&x).exp())));
//!
//! #[vectorize]
//! fn softened(x: f64, scale: f64) -> f64 {
//!     gpu::special::scalar::erfc(x / scale) / x
//! }
//! # if gpu::device() == gpu::Device::Cpu {
//! assert_eq!(gpu::map(softened, (&x, 1e9)).get(&[0]), gpu::special::scalar::erfc(5e-10) / 0.5);
//! # }
//! ```

// Long because: it is one table.

use crate::array::axes::axes_of;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::loops::only_kernels;
use crate::backend::{BinaryOperation, ReduceOperation, UnaryOperation};
use crate::device::{self, Device};
use crate::dtype::{DType, Float, Scalar};
use crate::error::{Result, check};
use crate::operations::composing::Composed;
use crate::operations::elementwise::{Operand, RawOperand, unary};
use crate::operations::formulas::{self, Formula, apply_one};
use crate::operations::map::{registered_all, registered_along};
use crate::operations::reduce::reduce;
use crate::operations::selection::choose;
use crate::operations::statistics::with_axes;
use crate::thin::thin;
use warpcell_macros::vectorize;

mod bessel;
mod elementary;
mod errors;
mod gammas;
mod incomplete;
mod series;
mod vectors;

// The macros for calls with keywords.
pub use {
    __special_comb as comb, __special_log_softmax as log_softmax, __special_logsumexp as logsumexp,
    __special_softmax as softmax,
};

/// The array, or the number as an array without axes.
fn array_of(operation: &'static str, operand: RawOperand<'_>) -> Result<RawArray> {
    match operand {
        RawOperand::Array(array) => Ok(array.clone()),
        RawOperand::Scalar(value) => RawArray::filled(operation, &device::current()?, &[], value),
    }
}

fn primitive(name: &'static str, operation: UnaryOperation, x: RawOperand<'_>) -> Result<RawArray> {
    unary(name, operation, &array_of(name, x)?)
}

/// As many as of `n + k - 1` things without repetition; one if none are taken.
pub(crate) fn with_repetition(n: RawOperand<'_>, k: RawOperand<'_>) -> Result<RawArray> {
    const NAME: &str = "comb";
    let calc = Composed(NAME);
    let (n, k) = (array_of(NAME, n)?, array_of(NAME, k)?);
    let sum = calc.with(BinaryOperation::Subtract, &calc.pair(BinaryOperation::Add, &n, &k)?, 1.0)?;
    let formula: Formula = |dtype| if dtype == DType::F32 { name_of(&single::comb) } else { name_of(&scalar::comb) };
    let counts = computed(NAME, formula, &[RawOperand::Array(&sum), RawOperand::Array(&k)])?;
    // SciPy looks at `k` first: none of nothing is one way.
    let is_none = calc.with(BinaryOperation::Equal, &k, 0.0)?;
    choose(&is_none, Scalar::of_float(1.0, counts.dtype), &counts)
}

fn computed(operation: &'static str, formula: Formula, operands: &[RawOperand<'_>]) -> Result<RawArray> {
    if operands.iter().any(|operand| operand.array().is_some()) {
        return apply_one(operation, formula, operands);
    }
    let first = array_of(operation, operands[0])?;
    let operands = [&[RawOperand::Array(&first)], &operands[1..]].concat();
    apply_one(operation, formula, &operands)
}

/// Each row makes a function of arrays, and the functions of numbers that it runs: one of `f32` and one of `f64`. Behind `quick`
/// stand a function that says for which arguments, which are most, and one that gives the same for these in loops of vectors. Behind
/// `prepared` stands what the first arguments give alone, which is computed once while these stay the same, and the function that takes it.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($first:ident $(, $rest:ident)*) = $family:ident $core:ident
        $(, quick $applies:ident $quick:ident)? $(, prepared $prepare:ident($($shape:ident),*) $by:ident($($given:ident),*))?;)*) => {
        thin! {$(
            $(#[$doc])*
            pub fn $name<T: Float>($first: impl Operand<T> $(, $rest: impl Operand<T>)*) -> DeviceArray<T> => computed(
                stringify!($name),
                |dtype| if dtype == DType::F32 { name_of(&single::$name) } else { name_of(&scalar::$name) },
                &[$first.raw_operand() $(, $rest.raw_operand())*],
            );
        )*}

        /// What is quick or prepared, of numbers of `f32`; a module for each function.
        mod single_parts {$(
            pub mod $name {$(
                use super::super::$family as family;
                #[inline(always)]
                pub fn $applies($first: f32) -> bool {
                    family::$applies($first as f64)
                }
                #[inline(always)]
                pub fn $quick($first: f32) -> f32 {
                    family::$quick($first as f64) as f32
                }
            )?
            $(
                use super::super::$family as family;
                #[inline(always)]
                pub fn $prepare($($shape: f32),*) -> f64 {
                    family::$prepare($($shape as f64),*)
                }
                #[inline(always)]
                pub fn $by($($given: f32),*, known: f64) -> f32 {
                    family::$by($($given as f64),*, known) as f32
                }
            )?}
        )*}

        mod single {
            use warpcell_macros::vectorize;
            $(
                #[vectorize$((quick(super::single_parts::$name::$applies, super::single_parts::$name::$quick)))?
                    $((prepared(super::single_parts::$name::$prepare($($shape),*), super::single_parts::$name::$by)))?]
                pub fn $name($first: f32 $(, $rest: f32)*) -> f32 {
                    super::$family::$core($first as f64 $(, $rest as f64)*) as f32
                }
            )*
        }

        /// The functions of numbers, for code that runs on devices: functions with `#[vectorize]`, `#[device]` or `#[kernel]`.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::prelude::*;
        ///
        /// #[device]
        /// fn evidence(a: f64, b: f64) -> f64 {
        ///     gpu::special::scalar::betaln(a + 1.0, b) - gpu::special::scalar::betaln(a, b)
        /// }
        /// assert!((evidence(2.0, 2.0) - 0.5f64.ln()).abs() < 1e-15);
        /// ```
        pub mod scalar {
            use warpcell_macros::vectorize;
            $(
                #[doc = concat!("[`special::", stringify!($name), "`](fn@super::", stringify!($name), ") of numbers.")]
                #[vectorize$((quick(super::$family::$applies, super::$family::$quick)))?
                    $((prepared(super::$family::$prepare($($shape),*), super::$family::$by)))?]
                pub fn $name($first: f64 $(, $rest: f64)*) -> f64 {
                    super::$family::$core($first $(, $rest)*)
                }
            )*
        }

        #[cfg(test)]
        fn translations() -> Vec<String> {
            vec![$(crate::cuda_source(single::$name), crate::cuda_source(scalar::$name)),*]
        }
    };
}
functions! {
    /// The error function, `2/√π` times the integral of `exp(-t²)` from 0 to `x`. Errors up to 3 ulp for `x` from -3
    /// to 3.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::erf(&array(&[0.5f64])).item() / 0.5204998778130465 - 1.0).abs() < 1e-12);
    /// ```
    erf(x) = errors erf, quick has_quick_erf quick_erf;
    /// 1 less the error function; exact also for large `x`. Errors up to 5 ulp for `x` from -5 to 26.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::erfc(&array(&[2.0f64])).item() / 0.004677734981047266 - 1.0).abs() < 1e-12);
    /// ```
    erfc(x) = errors erfc, quick has_quick_erfc quick_erfc;
    /// The scaled complement `exp(x²) erfc(x)`, which is neither 0 nor infinite for a large `x`. Errors up to 4 ulp
    /// for `x` from -5 to 30.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::erfcx(&array(&[50.0f64])).item() / 0.011281536265323772 - 1.0).abs() < 1e-12);
    /// ```
    erfcx(x) = errors erfcx, quick has_quick_erfcx quick_erfcx;
    /// The inverse of [`erf`], from -1 to 1. Errors up to 3 ulp for `y` from -1 to 1.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::erfinv(&array(&[0.5f64])).item() / 0.4769362762044699 - 1.0).abs() < 1e-12);
    /// ```
    erfinv(y) = errors erfinv;
    /// The inverse of [`erfc`], from 0 to 2. Errors up to 3 ulp for `y` from 0 to 2.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::erfcinv(&array(&[0.25f64])).item() / 0.8134198475976184 - 1.0).abs() < 1e-12);
    /// ```
    erfcinv(y) = errors erfcinv;
    /// The share of the normal distribution below `x`. Errors up to 5 ulp for `x` from -37 to 5.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::ndtr(&array(&[1.0f64])).item() / 0.8413447460685429 - 1.0).abs() < 1e-12);
    /// ```
    ndtr(x) = errors ndtr, quick has_quick_ndtr quick_ndtr;
    /// The number below which a share `p` of the normal distribution is: the inverse of [`ndtr`]. Errors up to 2 ulp
    /// for `p` from 0 to 1.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::ndtri(&array(&[0.975f64])).item() / 1.959963984540054 - 1.0).abs() < 1e-12);
    /// ```
    ndtri(p) = errors ndtri;
    /// The logarithm of [`ndtr`]; exact also where that is 0 or 1. Errors up to 6 ulp for `x` from -40 to 8.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::log_ndtr(&array(&[-50.0f64])).item() / -1254.8313611394199 - 1.0).abs() < 1e-12);
    /// ```
    log_ndtr(x) = errors log_ndtr;
    /// The gamma function. NaN at -1, -2 and so on. Errors up to 6 ulp for `x` from -19 to 170.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::gamma(&array(&[5.0f64])).item() - 24.0).abs() < 1e-12);
    /// ```
    gamma(x) = gammas gamma, quick has_quick_gamma quick_gamma;
    /// The logarithm of the gamma function's absolute value. Errors up to 4 ulp for `x` from 1e-5 to 1e8.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::gammaln(&array(&[100.0f64])).item() / 359.1342053695754 - 1.0).abs() < 1e-12);
    /// ```
    gammaln(x) = gammas log_gamma, quick has_quick_log_gamma quick_log_gamma;
    /// The logarithm of the gamma function; of real numbers, so NaN for negative ones.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::loggamma(&array(&[100.0f64])).item() / 359.1342053695754 - 1.0).abs() < 1e-12);
    /// ```
    loggamma(x) = gammas log_gamma_of_positive;
    /// The sign of the gamma function.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::gammasgn(&array(&[-0.5f64])).item() - -1.0).abs() < 1e-12);
    /// ```
    gammasgn(x) = gammas gamma_sign;
    /// `1 / Γ(x)`, which is 0 at 0, -1, -2 and so on. Errors up to 6 ulp for `x` from -20 to 170.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::rgamma(&array(&[4.0f64])).item() / 0.16666666666666666 - 1.0).abs() < 1e-12);
    /// ```
    rgamma(x) = gammas rgamma;
    /// The derivative of [`gammaln`]. Errors up to 3 ulp for `x` from 1e-5 to 1e8.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::digamma(&array(&[1.0f64])).item() / -0.5772156649015329 - 1.0).abs() < 1e-12);
    /// ```
    digamma(x) = gammas digamma;
    /// Another name of [`digamma`]. Errors up to 3 ulp for `x` from 1e-5 to 1e8.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::psi(&array(&[1.0f64])).item() / -0.5772156649015329 - 1.0).abs() < 1e-12);
    /// ```
    psi(x) = gammas digamma;
    /// The derivative of order `n` of [`digamma`], for `n` of 0, 1, 2 and so on. Errors up to 8 ulp for `n` from 0 to
    /// 7 and `x` from 0.01 to 1e+03.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::polygamma(1.0, &array(&[1.0f64])).item() / 1.6449340668482266 - 1.0).abs() < 1e-12);
    /// ```
    polygamma(n, x) = gammas polygamma;
    /// Hurwitz's zeta function, the sum of `(q + k)^-x`; with a `q` of 1 Riemann's for `x` above 1. [`riemann_zeta`]
    /// has all `x`. Errors up to 8 ulp for `x` from 1.001 to 10 and `q` from 0.01 to 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::zeta(2.0, &array(&[1.0f64])).item() / 1.6449340668482266 - 1.0).abs() < 1e-12);
    /// ```
    zeta(x, q) = gammas hurwitz_zeta;
    /// Riemann's zeta function; SciPy's `zeta` with one argument. Errors up to 58 ulp for `x` from -50 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::riemann_zeta(&array(&[-1.0f64])).item() / -0.08333333333333338 - 1.0).abs() < 1e-12);
    /// ```
    riemann_zeta(x) = gammas riemann_zeta;
    /// The beta function, `Γ(a) Γ(b) / Γ(a + b)`. Errors up to 44 ulp, 99 of 100 up to 5, for `a` from 0.001 to 100
    /// and `b` from 0.001 to 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::beta(2.0, &array(&[3.0f64])).item() / 0.08333333333333333 - 1.0).abs() < 1e-12);
    /// ```
    beta(a, b) = gammas beta;
    /// The logarithm of the beta function's absolute value. Errors up to 280 ulp, 99 of 100 up to 9, for `a` from
    /// 0.001 to 1e5 and `b` from 0.001 to 1e5.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::betaln(200.0, &array(&[300.0f64])).item() / -337.9801130654646 - 1.0).abs() < 1e-12);
    /// ```
    betaln(a, b) = gammas log_beta;
    /// The binomial coefficient, `n` over `k`, of real numbers. Errors up to 16000 ulp, 99 of 100 up to 340, for `n`
    /// from 0 to 80 and `k` from -3 to 80.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::binom(5.0, &array(&[2.0f64])).item() - 10.0).abs() < 1e-12);
    /// ```
    binom(n, k) = gammas binomial;
    /// In how many ways `k` things can be chosen from `n`: [`binom`], but 0 where `k` is negative or greater than `n`. `comb!(n, k,
    /// repetition = true)` counts those that take things again, too. Whole numbers are exact up to 2^53.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert_eq!(special::comb(5.0, &array(&[2.0f64, 6.0])).tolist(), [10.0, 0.0]);
    /// ```
    comb(n, k) = gammas combinations;
    /// In how many orders `k` of `n` things can stand: `n! / (n - k)!`; 0 where `k` is negative or greater than `n`.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert_eq!(special::perm(5.0, &array(&[2.0f64, 6.0])).tolist(), [20.0, 0.0]);
    /// ```
    perm(n, k) = gammas permutations;
    /// The factorial, `1 · 2 · … · n`, or the gamma function of `n + 1` between whole numbers; 0 for negative ones.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert_eq!(special::factorial(&array(&[0.0f64, 5.0, -1.0])).tolist(), [1.0, 120.0, 0.0]);
    /// ```
    factorial(n) = gammas factorial;
    /// Pochhammer's symbol, `Γ(z + m) / Γ(z)`. Errors up to 39 ulp for `z` from 0.1 to 60 and `m` from -0.05 to 60.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::poch(2.0, &array(&[3.0f64])).item() - 24.0).abs() < 1e-12);
    /// ```
    poch(z, m) = gammas pochhammer;
    /// The regularized incomplete gamma function: the share of the gamma distribution of shape `a` below `x`. Errors
    /// up to 120 ulp for `a` from 0.01 to 100 and `x` from 0.01 to 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::gammainc(2.0, &array(&[1.0f64])).item() / 0.2642411176571153 - 1.0).abs() < 1e-12);
    /// ```
    gammainc(a, x) = incomplete gammainc, prepared gamma_of_shape(a) gammainc_by(a, x);
    /// 1 less [`gammainc`]; exact also where that is almost 1. Errors up to 68 ulp for `a` from 0.01 to 100 and `x`
    /// from 0.01 to 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::gammaincc(2.0, &array(&[30.0f64])).item() / 2.9008631203404573e-12 - 1.0).abs() < 1e-12);
    /// ```
    gammaincc(a, x) = incomplete gammaincc, prepared gamma_of_shape(a) gammaincc_by(a, x);
    /// The regularized incomplete beta function: the share of the beta distribution below `x`. Errors up to 310 ulp,
    /// 99 of 100 up to 42, for `a` from 0.1 to 100, `b` from 0.1 to 100 and `x` from 0 to 1.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::betainc(2.0, 3.0, &array(&[0.5f64])).item() / 0.6875 - 1.0).abs() < 1e-12);
    /// ```
    betainc(a, b, x) = incomplete betainc, prepared beta_of_shape(a, b) betainc_by(a, b, x);
    /// 1 less [`betainc`]; exact also where that is almost 1. Errors as of [`betainc`].
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::betaincc(2.0, 3.0, &array(&[0.5f64])).item() / 0.3125 - 1.0).abs() < 1e-12);
    /// ```
    betaincc(a, b, x) = incomplete betaincc, prepared beta_of_shape(a, b) betaincc_by(a, b, x);
    /// The probability of at most `k` successes in `n` trials of probability `p`: the binomial distribution.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::bdtr(2.0, 5.0, &array(&[0.5f64])).item() / 0.5 - 1.0).abs() < 1e-12);
    /// ```
    bdtr(k, n, p) = incomplete bdtr;
    /// The probability of more than `k` successes in `n` trials of probability `p`.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::bdtrc(2.0, 5.0, &array(&[0.5f64])).item() / 0.5 - 1.0).abs() < 1e-12);
    /// ```
    bdtrc(k, n, p) = incomplete bdtrc;
    /// The share of the chi-square distribution of `v` degrees of freedom below `x`.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::chdtr(2.0, &array(&[2.0f64])).item() / 0.6321205588285577 - 1.0).abs() < 1e-12);
    /// ```
    chdtr(v, x) = incomplete chdtr;
    /// 1 less [`chdtr`].
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::chdtrc(2.0, &array(&[2.0f64])).item() / 0.36787944117144245 - 1.0).abs() < 1e-12);
    /// ```
    chdtrc(v, x) = incomplete chdtrc;
    /// The share of the F distribution of `dfn` and `dfd` degrees of freedom below `x`.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::fdtr(2.0, 4.0, &array(&[1.0f64])).item() / 0.5555555555555556 - 1.0).abs() < 1e-12);
    /// ```
    fdtr(dfn, dfd, x) = incomplete fdtr;
    /// 1 less [`fdtr`].
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::fdtrc(2.0, 4.0, &array(&[1.0f64])).item() / 0.4444444444444444 - 1.0).abs() < 1e-12);
    /// ```
    fdtrc(dfn, dfd, x) = incomplete fdtrc;
    /// The share of the gamma distribution of rate `a` and shape `b` below `x`.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::gdtr(2.0, 1.0, &array(&[0.5f64])).item() / 0.6321205588285577 - 1.0).abs() < 1e-12);
    /// ```
    gdtr(a, b, x) = incomplete gdtr;
    /// 1 less [`gdtr`].
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::gdtrc(2.0, 1.0, &array(&[0.5f64])).item() / 0.36787944117144245 - 1.0).abs() < 1e-12);
    /// ```
    gdtrc(a, b, x) = incomplete gdtrc;
    /// The probability of at most `k` events where `m` are expected: the Poisson distribution.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::pdtr(1.0, &array(&[2.0f64])).item() / 0.40600584970983794 - 1.0).abs() < 1e-12);
    /// ```
    pdtr(k, m) = incomplete pdtr;
    /// The probability of more than `k` events where `m` are expected.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::pdtrc(1.0, &array(&[2.0f64])).item() / 0.5939941502901616 - 1.0).abs() < 1e-12);
    /// ```
    pdtrc(k, m) = incomplete pdtrc;
    /// The share of Student's distribution of `df` degrees of freedom below `t`. Errors up to 94 ulp for `df` from
    /// 0.316 to 100 and `t` from -20 to 20.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::stdtr(3.0, &array(&[1.0f64])).item() / 0.8044988905221148 - 1.0).abs() < 1e-12);
    /// ```
    stdtr(df, t) = incomplete stdtr;
    /// The Bessel function of the first kind and of order 0. Errors up to 17 ulp, 99 of 100 up to 3, for `x` from 0
    /// to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::j0(&array(&[1.0f64])).item() / 0.7651976865579665 - 1.0).abs() < 1e-12);
    /// ```
    j0(x) = bessel j0, quick has_quick_j0 quick_j0;
    /// The Bessel function of the first kind and of order 1. Errors up to 6 ulp for `x` from 0 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::j1(&array(&[1.0f64])).item() / 0.44005058574493355 - 1.0).abs() < 1e-12);
    /// ```
    j1(x) = bessel j1, quick has_quick_j1 quick_j1;
    /// The Bessel function of the second kind and of order 0. Errors up to 14 ulp for `x` from 0 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::y0(&array(&[1.0f64])).item() / 0.08825696421567697 - 1.0).abs() < 1e-12);
    /// ```
    y0(x) = bessel y0;
    /// The Bessel function of the second kind and of order 1. Errors up to 7 ulp for `x` from 0 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::y1(&array(&[1.0f64])).item() / -0.7812128213002888 - 1.0).abs() < 1e-12);
    /// ```
    y1(x) = bessel y1;
    /// The modified Bessel function of the first kind and of order 0. Errors up to 5 ulp for `x` from 0 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::i0(&array(&[1.0f64])).item() / 1.2660658777520082 - 1.0).abs() < 1e-12);
    /// ```
    i0(x) = bessel i0;
    /// `exp(-|x|)` times [`i0`]. Errors up to 4 ulp for `x` from 0 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::i0e(&array(&[1000.0f64])).item() / 0.012617240455891257 - 1.0).abs() < 1e-12);
    /// ```
    i0e(x) = bessel i0e;
    /// The modified Bessel function of the first kind and of order 1. Errors up to 5 ulp for `x` from 0 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::i1(&array(&[1.0f64])).item() / 0.5651591039924851 - 1.0).abs() < 1e-12);
    /// ```
    i1(x) = bessel i1;
    /// `exp(-|x|)` times [`i1`]. Errors up to 5 ulp for `x` from 0 to 50.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::i1e(&array(&[1000.0f64])).item() / 0.01261093025692863 - 1.0).abs() < 1e-12);
    /// ```
    i1e(x) = bessel i1e;
    /// The modified Bessel function of the second kind and of order 0. Errors up to 6 ulp for `x` from 1e-4 to 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::k0(&array(&[1.0f64])).item() / 0.42102443824070823 - 1.0).abs() < 1e-12);
    /// ```
    k0(x) = bessel k0;
    /// `exp(x)` times [`k0`]. Errors up to 8 ulp for `x` from 1e-4 to 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::k0e(&array(&[1000.0f64])).item() / 0.03962832160075422 - 1.0).abs() < 1e-12);
    /// ```
    k0e(x) = bessel k0e;
    /// The modified Bessel function of the second kind and of order 1. Errors up to 6 ulp for `x` from 1e-4 to 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::k1(&array(&[1.0f64])).item() / 0.6019072301972346 - 1.0).abs() < 1e-12);
    /// ```
    k1(x) = bessel k1;
    /// `exp(x)` times [`k1`].
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::k1e(&array(&[1000.0f64])).item() / 0.03964813081296021 - 1.0).abs() < 1e-12);
    /// ```
    k1e(x) = bessel k1e;
    /// The complete elliptic integral of the first kind, of the parameter `m = k²`, by the arithmetic-geometric mean.
    /// Errors up to 3 ulp for `m` from -5 to 1.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::ellipk(&array(&[0.5f64])).item() / 1.8540746773013719 - 1.0).abs() < 1e-12);
    /// ```
    ellipk(m) = elementary ellipk;
    /// [`ellipk`] of `1 - p`; exact also where that is almost 1. Errors up to 4 ulp for `p` from 1e-20 to 1.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::ellipkm1(&array(&[1e-20f64])).item() / 24.412145291060348 - 1.0).abs() < 1e-12);
    /// ```
    ellipkm1(p) = elementary ellipkm1;
    /// The exponential integral `E₁`, the integral of `exp(-t) / t` from `x`. Errors up to 12 ulp, 99 of 100 up to 3,
    /// for `x` from 1e-4 to 631.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::exp1(&array(&[1.0f64])).item() / 0.2193839343955205 - 1.0).abs() < 1e-12);
    /// ```
    exp1(x) = elementary exp1;
    /// The logistic function, `1 / (1 + exp(-x))`. Errors up to 2 ulp for `x` from -30 to 30.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::expit(&array(&[1.0f64])).item() / 0.7310585786300049 - 1.0).abs() < 1e-12);
    /// ```
    expit(x) = elementary expit;
    /// The inverse of [`expit`], `ln(x / (1 - x))`. Errors up to 2 ulp for `x` from 0 to 1.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::logit(&array(&[0.75f64])).item() / 1.0986122886681098 - 1.0).abs() < 1e-12);
    /// ```
    logit(x) = elementary logit;
    /// The logarithm of [`expit`]; exact also where that is 0 or 1. Errors up to 1 ulp for `x` from -30 to 30.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::log_expit(&array(&[-800.0f64])).item() - -800.0).abs() < 1e-12);
    /// ```
    log_expit(x) = elementary log_expit;
    /// 10 to the power of `x`. Errors up to 1 ulp for `x` from -300 to 300.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::exp10(&array(&[2.0f64])).item() - 100.0).abs() < 1e-12);
    /// ```
    exp10(x) = elementary exp10;
    /// `(exp(x) - 1) / x`, and 1 at 0. Errors up to 2 ulp for `x` from -5 to 5.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::exprel(&array(&[0.001f64])).item() / 1.0005001667083417 - 1.0).abs() < 1e-12);
    /// ```
    exprel(x) = elementary exprel;
    /// `cos(x) - 1`, exact also near 0. Errors up to 2 ulp for `x` from -6 to 6.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::cosm1(&array(&[1e-05f64])).item() / -4.999999999958334e-11 - 1.0).abs() < 1e-12);
    /// ```
    cosm1(x) = elementary cosm1;
    /// `x ln(y)`, and 0 where `x` is 0.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::xlogy(2.0, &array(&[3.0f64])).item() / 2.1972245773362196 - 1.0).abs() < 1e-12);
    /// ```
    xlogy(x, y) = elementary xlogy;
    /// `x ln(1 + y)`, and 0 where `x` is 0.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::xlog1py(2.0, &array(&[0.001f64])).item() / 0.0019990006661670663 - 1.0).abs() < 1e-12);
    /// ```
    xlog1py(x, y) = elementary xlog1py;
    /// A term of the entropy: `-x ln(x)`, 0 at 0, negative infinity below. Errors up to 2 ulp for `x` from 0.001 to
    /// 100.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::entr(&array(&[0.5f64])).item() / 0.34657359027997264 - 1.0).abs() < 1e-12);
    /// ```
    entr(x) = elementary entr;
    /// A term of the relative entropy: `x ln(x / y)`, 0 where `x` is 0, infinite where one is negative.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::rel_entr(1.0, &array(&[2.0f64])).item() / -0.6931471805599453 - 1.0).abs() < 1e-12);
    /// ```
    rel_entr(x, y) = elementary rel_entr;
    /// A term of the Kullback-Leibler divergence: `x ln(x / y) - x + y`.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::kl_div(1.0, &array(&[2.0f64])).item() / 0.3068528194400546 - 1.0).abs() < 1e-12);
    /// ```
    kl_div(x, y) = elementary kl_div;
    /// Huber's loss: `r² / 2` up to `delta`, linear beyond.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::huber(1.0, &array(&[3.0f64])).item() / 2.5 - 1.0).abs() < 1e-12);
    /// ```
    huber(delta, r) = elementary huber;
    /// Huber's loss made smooth: `delta² (√(1 + (r / delta)²) - 1)`. Errors up to 8 ulp for `delta` from 0.01 to 100
    /// and `r` from 0.001 to 1e+03.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::pseudo_huber(1.0, &array(&[3.0f64])).item() / 2.1622776601683795 - 1.0).abs() < 1e-12);
    /// ```
    pseudo_huber(delta, r) = elementary pseudo_huber;
    /// Degrees, minutes and seconds in radians.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::radian(180.0, 0.0, &array(&[0.0f64])).item() / 3.141592653589793 - 1.0).abs() < 1e-12);
    /// ```
    radian(d, m, s) = elementary radian;
    /// The sine of an angle in degrees. Errors up to 2 ulp for `x` from -720 to 720.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::sindg(&array(&[30.0f64])).item() / 0.49999999999999994 - 1.0).abs() < 1e-12);
    /// ```
    sindg(x) = elementary sindg;
    /// The cosine of an angle in degrees; exactly 0 at 90. Errors up to 2 ulp for `x` from -720 to 720.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::cosdg(&array(&[60.0f64])).item() / 0.49999999999999994 - 1.0).abs() < 1e-12);
    /// ```
    cosdg(x) = elementary cosdg;
    /// The tangent of an angle in degrees. Errors up to 3 ulp for `x` from -720 to 720.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::tandg(&array(&[45.0f64])).item() - 1.0).abs() < 1e-12);
    /// ```
    tandg(x) = elementary tandg;
    /// The cotangent of an angle in degrees. Errors up to 3 ulp for `x` from -720 to 720.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::cotdg(&array(&[45.0f64])).item() - 1.0).abs() < 1e-12);
    /// ```
    cotdg(x) = elementary cotdg;
    /// The transformation of Box and Cox: `(x^lmbda - 1) / lmbda`, the logarithm for a `lmbda` of 0. Errors up to 13
    /// ulp for `x` from 0.01 to 100 and `lmbda` from -2 to 2.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::boxcox(4.0, &array(&[0.5f64])).item() - 2.0).abs() < 1e-12);
    /// ```
    boxcox(x, lmbda) = elementary boxcox;
    /// [`boxcox`] of `1 + x`. Errors up to 11 ulp for `x` from 1e-5 to 100 and `lmbda` from -2 to 2.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::boxcox1p(3.0, &array(&[0.5f64])).item() - 2.0).abs() < 1e-12);
    /// ```
    boxcox1p(x, lmbda) = elementary boxcox1p;
    /// The inverse of [`boxcox`]. Errors up to 5 ulp for `y` from 0 to 3 and `lmbda` from 0 to 2.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::inv_boxcox(2.0, &array(&[0.5f64])).item() - 4.0).abs() < 1e-12);
    /// ```
    inv_boxcox(y, lmbda) = elementary inv_boxcox;
    /// The inverse of [`boxcox1p`]. Errors up to 5 ulp for `y` from 0 to 3 and `lmbda` from 0 to 2.
    ///
    /// ```
    /// use warpcell::{array, special};
    /// assert!((special::inv_boxcox1p(2.0, &array(&[0.5f64])).item() - 3.0).abs() < 1e-12);
    /// ```
    inv_boxcox1p(y, lmbda) = elementary inv_boxcox1p;
}

/// The name under which a function is registered.
fn name_of<F>(_function: &F) -> &'static str {
    std::any::type_name::<F>()
}

thin! {
    /// 2 to the power of `x`.
    ///
    /// ```
    /// assert_eq!(warpcell::special::exp2(&warpcell::array(&[3.0])).item(), 8.0);
    /// ```
    pub fn exp2<T: Float>(x: impl Operand<T>) -> DeviceArray<T> =>
        primitive("exp2", UnaryOperation::Exp2, x.raw_operand());

    /// `exp(x) - 1`, exact also near 0.
    ///
    /// ```
    /// assert_eq!(warpcell::special::expm1(&warpcell::array(&[1e-20])).item(), 1e-20);
    /// ```
    pub fn expm1<T: Float>(x: impl Operand<T>) -> DeviceArray<T> =>
        primitive("expm1", UnaryOperation::Expm1, x.raw_operand());

    /// `ln(1 + x)`, exact also near 0.
    ///
    /// ```
    /// assert_eq!(warpcell::special::log1p(&warpcell::array(&[1e-20])).item(), 1e-20);
    /// ```
    pub fn log1p<T: Float>(x: impl Operand<T>) -> DeviceArray<T> =>
        primitive("log1p", UnaryOperation::Log1p, x.raw_operand());

    /// The cube root.
    ///
    /// ```
    /// assert_eq!(warpcell::special::cbrt(&warpcell::array(&[-27.0])).item(), -3.0);
    /// ```
    pub fn cbrt<T: Float>(x: impl Operand<T>) -> DeviceArray<T> =>
        primitive("cbrt", UnaryOperation::Cbrt, x.raw_operand());

    /// `sin(πx) / (πx)`, and 1 at 0.
    ///
    /// ```
    /// assert!(warpcell::special::sinc(&warpcell::array(&[1.0])).abs().item() < 1e-16);
    /// ```
    pub fn sinc<T: Float>(x: impl Operand<T>) -> DeviceArray<T> => computed("sinc", formulas::sinc, &[x.raw_operand()]);
}

/// The number, or 0 for one that is not finite.
#[vectorize]
fn finite(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}

#[vectorize]
fn single_finite(x: f32) -> f32 {
    if x.is_finite() { x } else { 0.0 }
}

#[vectorize]
fn itself(x: f64) -> f64 {
    x
}

#[vectorize]
fn single_itself(x: f32) -> f32 {
    x
}

#[vectorize]
fn share_of_powers(x: f64, largest: f64, total: f64) -> f64 {
    (x - largest).exp() / total
}

#[vectorize]
fn single_share_of_powers(x: f32, largest: f32, total: f32) -> f32 {
    (x - largest).exp() / total
}

/// The functions along a row that give a softmax.
fn softmax_stages(dtype: DType) -> [(&'static str, Option<ReduceOperation>); 3] {
    let names = if dtype == DType::F32 {
        [name_of(&single_itself), name_of(&single_power_below), name_of(&single_share_of_powers)]
    } else {
        [name_of(&itself), name_of(&power_below), name_of(&share_of_powers)]
    };
    let [first, second, third] = names;
    [(first, Some(ReduceOperation::Max)), (second, Some(ReduceOperation::Sum)), (third, None)]
}

/// The power of `e` by the distance to a number.
#[vectorize]
fn power_below(x: f64, largest: f64) -> f64 {
    (x - largest).exp()
}

#[vectorize]
fn single_power_below(x: f32, largest: f32) -> f32 {
    (x - largest).exp()
}

/// Two results: the power of `e` by the distance to the largest number, 0 if this is one; and 1 if it is one.
#[vectorize]
fn below_largest(x: f64, largest: f64) -> (f64, f64) {
    if x == largest { (0.0, 1.0) } else { ((x - largest).exp(), 0.0) }
}

#[vectorize]
fn single_below_largest(x: f32, largest: f32) -> (f32, f32) {
    if x == largest { (0.0, 1.0) } else { ((x - largest).exp(), 0.0) }
}

/// The axes, sorted; all for none.
fn sorted_axes(name: &'static str, x: &RawArray, axes: Option<Vec<isize>>) -> Result<Vec<usize>> {
    match axes {
        Some(axes) => axes_of(name, x.shape(), &axes),
        None => Ok((0..x.shape().len()).collect()),
    }
}

/// The elements less the largest one along the axes; only if that is finite, or else NaN follows, as SciPy's functions have it.
fn less_largest(name: &'static str, x: &RawArray, axes: &[usize], is_finite: bool) -> Result<RawArray> {
    let largest = reduce(name, ReduceOperation::Max, x, axes)?;
    let largest = if is_finite { finite_part(name, &largest)? } else { largest };
    Composed(name).pair(BinaryOperation::Subtract, x, &with_axes(&largest, axes))
}

fn finite_part(name: &'static str, x: &RawArray) -> Result<RawArray> {
    apply_one(
        name,
        |dtype| if dtype == DType::F32 { name_of(&single_finite) } else { name_of(&finite) },
        &[RawOperand::Array(x)],
    )
}

/// `exp(a)` by the sums of that along the axes, or the logarithm.
pub(crate) fn normalised(
    name: &'static str,
    a: &RawArray,
    axes: Option<Vec<isize>>,
    logarithm: bool,
) -> Result<RawArray> {
    let axes = sorted_axes(name, a, axes)?;
    if a.size() == 0 {
        return Ok(a.clone());
    }
    let composed = Composed(name);
    if !logarithm && (a.handle.device != Device::Cpu || only_kernels()) {
        // A pass less through memory; the CPU is faster with its own loops for the parts.
        let x = a.to_compute_type(name)?;
        if let &[axis] = &axes[..]
            && axis + 1 == x.shape().len()
            && let Some(shares) = registered_along(name, softmax_stages(x.dtype), &x)?
        {
            return shares.in_type(name, a.dtype);
        }
        let largest = with_axes(&reduce(name, ReduceOperation::Max, &x, &axes)?, &axes);
        let formula = |dtype| if dtype == DType::F32 { name_of(&single_power_below) } else { name_of(&power_below) };
        let powers = apply_one(name, formula, &[RawOperand::Array(&x), RawOperand::Array(&largest)])?;
        let sums = with_axes(&reduce(name, ReduceOperation::Sum, &powers, &axes)?, &axes);
        return composed.pair(BinaryOperation::Divide, &powers, &sums)?.in_type(name, a.dtype);
    }
    let x = less_largest(name, &a.to_compute_type(name)?, &axes, logarithm)?;
    let powers = composed.each(UnaryOperation::Exp, &x)?;
    let sums = with_axes(&reduce(name, ReduceOperation::Sum, &powers, &axes)?, &axes);
    let result = if logarithm {
        composed.pair(BinaryOperation::Subtract, &x, &composed.each(UnaryOperation::Log, &sums)?)?
    } else {
        composed.pair(BinaryOperation::Divide, &powers, &sums)?
    };
    result.in_type(name, a.dtype)
}

/// The logarithms of the sums of `exp(a)` along the axes.
pub(crate) fn log_of_sum(a: &RawArray, axes: Option<Vec<isize>>) -> Result<RawArray> {
    let name = "logsumexp";
    let composed = Composed(name);
    let axes = sorted_axes(name, a, axes)?;
    let x = a.to_compute_type(name)?;
    let largest = reduce(name, ReduceOperation::Max, &x, &axes)?;
    let shift = finite_part(name, &largest)?;
    let (single, double) = (name_of(&single_below_largest), name_of(&below_largest));
    let formula = if x.dtype == DType::F32 { single } else { double };
    let wide = with_axes(&shift, &axes);
    let results = registered_all(name, formula, &[RawOperand::Array(&x), RawOperand::Array(&wide)])?;
    let [powers, places] = results.try_into().ok().expect("the formula has two results");
    let [powers, count] = [powers, places].map(|part| reduce(name, ReduceOperation::Sum, &part, &axes));
    let (powers, count) = (powers?, count?);
    // Of elements that are all negative infinity, or of which one is infinite, none is the largest finite one.
    let value = pair_by(name, &powers, &count)?;
    composed.pair(BinaryOperation::Add, &value, &shift)?.converted(name, a.dtype)
}

/// `ln(count + powers)`, exact also where `powers` is small.
#[vectorize]
fn log_of_parts(powers: f64, count: f64) -> f64 {
    if count > 0.0 { (powers / count).ln_1p() + count.ln() } else { powers.ln() }
}

#[vectorize]
fn single_log_of_parts(powers: f32, count: f32) -> f32 {
    if count > 0.0 { (powers / count).ln_1p() + count.ln() } else { powers.ln() }
}

fn pair_by(name: &'static str, powers: &RawArray, count: &RawArray) -> Result<RawArray> {
    apply_one(
        name,
        |dtype| if dtype == DType::F32 { name_of(&single_log_of_parts) } else { name_of(&log_of_parts) },
        &[RawOperand::Array(powers), RawOperand::Array(count)],
    )
}

/// The logarithm of the sum of `exp(a)` over all elements, without overflow on the way. Waits for the result.
///
/// `axis = …` in the macro of this name gives the array of the sums over one axis or several.
///
/// **Panics** if there are no elements ([`Error::InvalidShape`](crate::Error::InvalidShape)).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1000.0, 1000.0], [0.0, 0.0]]);
/// assert_eq!(gpu::special::logsumexp(&a), 1000.0 + 2.0f64.ln());
/// assert_eq!(gpu::special::logsumexp!(&a, axis = 1).get(&[1]), 2.0f64.ln());
/// ```
#[track_caller]
pub fn logsumexp<A: OnDevice<Elem = T>, T: Float>(a: &A) -> T {
    check(a.raw().handle.may_wait("logsumexp"));
    transfer::typed_scalar(check(log_of_sum(a.raw(), None).and_then(|value| transfer::item(&value))))
}

thin! {
    /// `exp(x)` by the sum of that over all elements, or over those along the macro's `axis`; without overflow on the way.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[[1000.0, 1000.0], [0.0, 0.0]]);
    /// assert_eq!(gpu::special::softmax(&x).ravel().tolist(), [0.5, 0.5, 0.0, 0.0]);
    /// assert_eq!(gpu::special::softmax!(&x, axis = 1).ravel().tolist(), [0.5, 0.5, 0.5, 0.5]);
    /// ```
    pub fn softmax<A: OnDevice<Elem = T>, T: Float>(x: &A) -> DeviceArray<T> => normalised("softmax", x.raw(), None, false);

    /// The logarithm of [`softmax`](fn@softmax); exact also where that is 0.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::special::log_softmax(&gpu::array(&[1000.0, 0.0])).tolist(), [0.0, -1000.0]);
    /// ```
    pub fn log_softmax<A: OnDevice<Elem = T>, T: Float>(x: &A) -> DeviceArray<T> =>
        normalised("log_softmax", x.raw(), None, true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_a_translation() {
        let mut texts = translations();
        texts.extend([
            crate::cuda_source(finite),
            crate::cuda_source(single_finite),
            crate::cuda_source(power_below),
            crate::cuda_source(single_power_below),
            crate::cuda_source(below_largest),
            crate::cuda_source(single_below_largest),
            crate::cuda_source(log_of_parts),
            crate::cuda_source(single_log_of_parts),
        ]);
        assert!(texts.len() > 140 && texts.iter().all(|text| text.contains("__global__")));
    }
}
