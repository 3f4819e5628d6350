//! The elementwise functions of floats, one line each: the backends, the tests and the instances are made from these tables.
//!
//! A line has the variant of [`UnaryOperation`](super::UnaryOperation) or [`BinaryOperation`](super::BinaryOperation), the
//! method of arrays, the function's name in CUDA C (for `double`; `f` is added for `float`), and what the CPU computes for
//! `f32` and `f64`. The method itself, with its documentation, is in `operations/elementwise.rs`.

/// Calls a macro with the arguments, and behind them the functions of one argument.
#[macro_export]
macro_rules! float_functions {
    ($callback:ident $($arguments:tt)*) => {
        $callback! { $($arguments)*
            Exp exp "exp" |x| x.exp();
            Log log "log" |x| x.ln();
            Sqrt sqrt "sqrt" |x| x.sqrt();
            Sin sin "sin" |x| x.sin();
            Cos cos "cos" |x| x.cos();
            Tan tan "tan" |x| x.tan();
            Tanh tanh "tanh" |x| x.tanh();
            Exp2 exp2 "exp2" |x| x.exp2();
            Expm1 expm1 "expm1" |x| x.exp_m1();
            Log2 log2 "log2" |x| x.log2();
            Log10 log10 "log10" |x| x.log10();
            Log1p log1p "log1p" |x| x.ln_1p();
            Cbrt cbrt "cbrt" |x| x.cbrt();
            Sinh sinh "sinh" |x| x.sinh();
            Cosh cosh "cosh" |x| x.cosh();
            Asin asin "asin" |x| x.asin();
            Acos acos "acos" |x| x.acos();
            Atan atan "atan" |x| x.atan();
            Asinh asinh "asinh" |x| $crate::backend::functions::asinh(x.into()) as _;
            Acosh acosh "acosh" |x| $crate::backend::functions::acosh(x.into()) as _;
            Atanh atanh "atanh" |x| $crate::backend::functions::atanh(x.into()) as _;
            Erf erf "erf" |x| $crate::backend::functions::erf(x.into()) as _;
            Erfc erfc "erfc" |x| $crate::backend::functions::erfc(x.into()) as _;
            Erfinv erfinv "erfinv" |x| $crate::backend::functions::erfinv(x.into()) as _;
            Ndtr ndtr "normcdf" |x| $crate::backend::functions::ndtr(x.into()) as _;
        }
    };
}
pub use float_functions;

/// Calls a macro with the arguments, and behind them the functions of two arguments.
#[macro_export]
macro_rules! float_functions_of_two {
    ($callback:ident $($arguments:tt)*) => {
        $callback! { $($arguments)*
            Atan2 atan2 "atan2" |a, b| a.atan2(b);
            Hypot hypot "hypot" |a, b| a.hypot(b);
            Copysign copysign "copysign" |a, b| a.copysign(b);
        }
    };
}
pub use float_functions_of_two;

// The standard library's inverse hyperbolic functions lose digits near the ends of their ranges. These are the formulas of
// Sun's fdlibm: each keeps its argument's distance from the end, and takes the logarithm of one plus it.

/// Above this, `x² + 1` and `x² − 1` are `x²` to the last digit, and squares may overflow.
const LARGE: f64 = 268_435_456.0;

pub fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let value = if size > LARGE {
        size.ln() + std::f64::consts::LN_2
    } else {
        (size + size * size / (1.0 + (size * size + 1.0).sqrt())).ln_1p()
    };
    value.copysign(x)
}

pub fn acosh(x: f64) -> f64 {
    if x > LARGE {
        return x.ln() + std::f64::consts::LN_2;
    }
    if x < 1.0 {
        return f64::NAN;
    }
    let above = x - 1.0;
    (above + (2.0 * above + above * above).sqrt()).ln_1p()
}

pub fn atanh(x: f64) -> f64 {
    let size = x.abs();
    (0.5 * (2.0 * size / (1.0 - size)).ln_1p()).copysign(x)
}

pub use libm::{erf, erfc};

/// The inverse of [`erf`], as SciPy's: NaN outside −1 to 1, infinite at the ends.
pub fn erfinv(y: f64) -> f64 {
    if y.abs() <= 1.0 { statrs::function::erf::erf_inv(y) } else { f64::NAN }
}

/// What `FRAC_1_SQRT_2` is too large by.
const FRAC_1_SQRT_2_ERROR: f64 = 4.833646656726457e-17;

/// The integral of the normal distribution's density up to `x`.
///
/// Far from 0, `erfc` changes by many units in the last place with one of its argument. So what the product `x / √2` loses by
/// rounding is added with the derivative of `erfc`.
pub fn ndtr(x: f64) -> f64 {
    let z = -x * std::f64::consts::FRAC_1_SQRT_2;
    let value = erfc(z);
    if !z.is_finite() || value == 0.0 {
        return 0.5 * value;
    }
    let lost = (-x).mul_add(std::f64::consts::FRAC_1_SQRT_2, -z) + x * FRAC_1_SQRT_2_ERROR;
    0.5 * (value - lost * std::f64::consts::FRAC_2_SQRT_PI * (-z * z).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_is_exact_far_from_zero() {
        // To 50 digits by mpmath's `ncdf`.
        for (x, expected) in
            [(-7.25, 2.0838581586720695e-13), (-30.0, 4.906713927148187e-198), (-1.25, 0.10564977366685525)]
        {
            assert!((ndtr(x) / expected - 1.0).abs() < 4e-16, "{x}: {:e}", ndtr(x));
        }
        assert_eq!([ndtr(f64::NEG_INFINITY), ndtr(0.0), ndtr(f64::INFINITY)], [0.0, 0.5, 1.0]);
        assert!(ndtr(f64::NAN).is_nan());
    }
}
