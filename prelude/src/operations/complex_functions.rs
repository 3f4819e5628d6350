//! The elementary functions of complex numbers, one number at a time, in code that runs on every device.
//!
//! What they give for zeros with a sign, for infinities and for NaN is what C99 (Annex G) and NumPy give. `Complex<f32>` is computed
//! in `f64` and rounded once. What backends compute themselves, such as `exp` and `sqrt`, is not here.
//!
//! Roots and inverse functions follow W. Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit"
//! (1987): no formula subtracts numbers that are nearly equal, and no branch cut needs a case of its own.

use crate::array::RawArray;
use crate::backend::{BinaryOperation, UnaryOperation};
use crate::error::Result;
use crate::operations::elementwise::{self, RawOperand};
use crate::operations::formulas::{Formula, apply_one};
use num_complex::Complex;
use warpcell_macros::device;

/// The hyperbolic cosine and sine, each multiplied by a number, without overflow on the way.
#[device]
fn cosh_times(x: f64, factor: f64) -> f64 {
    if x.abs() < 700.0 {
        return x.cosh() * factor;
    }
    let root = (0.5 * x.abs()).exp();
    0.5 * root * factor * root
}

#[device]
fn sinh_times(x: f64, factor: f64) -> f64 {
    if x.abs() < 700.0 {
        return x.sinh() * factor;
    }
    let root = (0.5 * x.abs()).exp();
    (0.5 * root * factor * root).copysign(x) * (1.0_f64).copysign(factor)
}

#[device]
fn exp_of(z: Complex<f64>) -> Complex<f64> {
    if z.im == 0.0 {
        return Complex::new(z.re.exp(), z.im);
    }
    if z.re.is_infinite() && !z.im.is_finite() {
        if z.re < 0.0 {
            return Complex::new(0.0, 0.0);
        }
        return Complex::new(z.re, f64::NAN);
    }
    if z.re > 700.0 {
        let root = (0.5 * z.re).exp();
        return Complex::new(root * z.im.cos() * root, root * z.im.sin() * root);
    }
    let radius = z.re.exp();
    Complex::new(radius * z.im.cos(), radius * z.im.sin())
}

#[device]
fn exp2(z: Complex<f64>) -> Complex<f64> {
    exp_of(Complex::new(z.re * std::f64::consts::LN_2, z.im * std::f64::consts::LN_2))
}

#[device]
fn expm1(z: Complex<f64>) -> Complex<f64> {
    let half = (0.5 * z.im).sin();
    Complex::new(z.re.exp_m1() * z.im.cos() - 2.0 * half * half, z.re.exp() * z.im.sin())
}

/// The logarithm of the absolute value.
#[device]
fn log_of_size(x: f64, y: f64) -> f64 {
    let large = if x.abs() > y.abs() { x.abs() } else { y.abs() };
    let small = if x.abs() > y.abs() { y.abs() } else { x.abs() };
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if large > 0.5 && large < 3.0 {
        // Near the unit circle: the squares with what their rounding loses, less 1. A device may round a product and a sum at once,
        // so that nothing is lost: the products are made by functions that do so everywhere.
        let (square, other) = (large.mul_add(large, 0.0), small.mul_add(small, 0.0));
        let lost = large.mul_add(large, -square) + small.mul_add(small, -other);
        let less = square - 1.0;
        let sum = less + other;
        let part = sum - less;
        let rest = (less - (sum - part)) + (other - part);
        return 0.5 * (sum + (rest + lost)).ln_1p();
    }
    let is_huge = large > 1e150;
    if is_huge || large < 1e-150 {
        if large == 0.0 {
            return f64::NEG_INFINITY;
        }
        let ratio = small / large;
        return large.ln() + 0.5 * (ratio * ratio).ln_1p();
    }
    0.5 * (large * large + small * small).ln()
}

#[device]
fn log(z: Complex<f64>) -> Complex<f64> {
    Complex::new(log_of_size(z.re, z.im), z.im.atan2(z.re))
}

#[device]
fn log2(z: Complex<f64>) -> Complex<f64> {
    let w = log(z);
    Complex::new(w.re * std::f64::consts::LOG2_E, w.im * std::f64::consts::LOG2_E)
}

#[device]
fn log10(z: Complex<f64>) -> Complex<f64> {
    let w = log(z);
    Complex::new(w.re * std::f64::consts::LOG10_E, w.im * std::f64::consts::LOG10_E)
}

#[device]
fn log1p(z: Complex<f64>) -> Complex<f64> {
    let angle = z.im.atan2(z.re + 1.0);
    if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        return Complex::new(0.5 * (z.re * (z.re + 2.0) + z.im * z.im).ln_1p(), angle);
    }
    Complex::new(log_of_size(z.re + 1.0, z.im), angle)
}

#[device]
fn sinh(z: Complex<f64>) -> Complex<f64> {
    if z.im == 0.0 {
        return Complex::new(z.re.sinh(), z.im);
    }
    if !z.im.is_finite() {
        let real = if z.re == 0.0 || z.re.is_infinite() { z.re } else { f64::NAN };
        return Complex::new(real, f64::NAN);
    }
    let real = if z.re == 0.0 { z.re * z.im.cos() } else { sinh_times(z.re, z.im.cos()) };
    Complex::new(real, cosh_times(z.re, z.im.sin()))
}

#[device]
fn cosh(z: Complex<f64>) -> Complex<f64> {
    if z.im == 0.0 {
        let imaginary = if z.re.is_nan() { z.im } else { z.im * (1.0_f64).copysign(z.re) };
        return Complex::new(z.re.cosh(), imaginary);
    }
    if !z.im.is_finite() {
        let real = if z.re.is_infinite() { z.re.abs() } else { f64::NAN };
        return Complex::new(real, if z.re == 0.0 { z.re } else { f64::NAN });
    }
    let imaginary = if z.re == 0.0 { z.re * z.im.sin() } else { sinh_times(z.re, z.im.sin()) };
    Complex::new(cosh_times(z.re, z.im.cos()), imaginary)
}

#[device]
fn tanh(z: Complex<f64>) -> Complex<f64> {
    if z.re.is_infinite() {
        let turn = if z.im.is_finite() { z.im.sin() * z.im.cos() } else { z.im };
        return Complex::new((1.0_f64).copysign(z.re), (0.0_f64).copysign(turn));
    }
    if z.im == 0.0 {
        return Complex::new(z.re.tanh(), z.im);
    }
    if !z.im.is_finite() {
        return Complex::new(if z.re == 0.0 { z.re } else { f64::NAN }, f64::NAN);
    }
    if z.re.abs() > 20.0 {
        let small = (-z.re.abs()).exp();
        return Complex::new((1.0_f64).copysign(z.re), 4.0 * z.im.sin() * z.im.cos() * small * small);
    }
    let tangent = z.im.tan();
    let sine = z.re.sinh();
    let slope = 1.0 + tangent * tangent;
    let cosine = (1.0 + sine * sine).sqrt();
    let divisor = 1.0 + slope * sine * sine;
    Complex::new(slope * cosine * sine / divisor, tangent / divisor)
}

#[device]
fn sin(z: Complex<f64>) -> Complex<f64> {
    let w = sinh(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}

#[device]
fn cos(z: Complex<f64>) -> Complex<f64> {
    cosh(Complex::new(-z.im, z.re))
}

#[device]
fn tan(z: Complex<f64>) -> Complex<f64> {
    let w = tanh(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}

/// The root whose real part is not negative, of a number that is not far from 0.
#[device]
fn root(x: f64, y: f64) -> Complex<f64> {
    if x == 0.0 {
        // Both parts are as large, also if `y` is so small that a half of it is 0.
        let size = 0.5 * (2.0 * y.abs()).sqrt();
        return Complex::new(size, size.copysign(y));
    }
    let (scaled_x, scaled_y) = (0.25 * x, 0.25 * y);
    let size = 2.0 * (0.5 * scaled_x.abs() + 0.5 * scaled_x.hypot(scaled_y)).sqrt();
    let other = 0.5 * (y / size);
    if x > 0.0 { Complex::new(size, other) } else { Complex::new(other.abs(), size.copysign(y)) }
}

/// Whether the formulas for finite numbers may overflow.
#[device]
fn is_far(z: Complex<f64>) -> bool {
    !(z.re.abs() < 1e150 && z.im.abs() < 1e150)
}

#[device]
fn acos(z: Complex<f64>) -> Complex<f64> {
    if is_far(z) {
        if z.re.is_infinite() || z.im.is_infinite() {
            return Complex::new(z.im.abs().atan2(z.re), (-f64::INFINITY).copysign(-z.im));
        }
        if z.re.is_nan() || z.im.is_nan() {
            return Complex::new(if z.re == 0.0 { std::f64::consts::FRAC_PI_2 } else { f64::NAN }, f64::NAN);
        }
        return Complex::new(
            z.im.abs().atan2(z.re),
            (std::f64::consts::LN_2 + log_of_size(z.re, z.im)).copysign(-z.im),
        );
    }
    let (less, more) = (root(1.0 - z.re, -z.im), root(1.0 + z.re, z.im));
    Complex::new(2.0 * less.re.atan2(more.re), (more.re * less.im - more.im * less.re).asinh())
}

#[device]
fn asin(z: Complex<f64>) -> Complex<f64> {
    if is_far(z) {
        if z.re.is_infinite() || z.im.is_infinite() {
            return Complex::new(z.re.atan2(z.im.abs()), f64::INFINITY.copysign(z.im));
        }
        if z.re.is_nan() || z.im.is_nan() {
            return Complex::new(if z.re == 0.0 { z.re } else { f64::NAN }, f64::NAN);
        }
        return Complex::new(z.re.atan2(z.im.abs()), (std::f64::consts::LN_2 + log_of_size(z.re, z.im)).copysign(z.im));
    }
    let (less, more) = (root(1.0 - z.re, -z.im), root(1.0 + z.re, z.im));
    Complex::new(z.re.atan2(less.re * more.re - less.im * more.im), (less.re * more.im - less.im * more.re).asinh())
}

#[device]
fn atanh(z: Complex<f64>) -> Complex<f64> {
    if is_far(z) {
        if z.re.is_infinite() || z.im.is_infinite() {
            let angle = if z.im.is_nan() { z.im } else { std::f64::consts::FRAC_PI_2.copysign(z.im) };
            return Complex::new((0.0_f64).copysign(z.re), angle);
        }
        if z.re.is_nan() || z.im.is_nan() {
            return Complex::new(if z.re == 0.0 { z.re } else { f64::NAN }, f64::NAN);
        }
        let size = (0.5 * z.re).hypot(0.5 * z.im);
        return Complex::new(0.25 * (z.re / size) / size, std::f64::consts::FRAC_PI_2.copysign(z.im));
    }
    let (x, y) = (z.re.abs(), z.im.abs());
    let below = 1.0 - x;
    let angle = 0.5 * (2.0 * z.im).atan2(below * (1.0 + x) - y * y);
    let distance = below * below + y * y;
    let real = if x == 1.0 && y < 1e-8 {
        if y == 0.0 { f64::INFINITY } else { 0.5 * (std::f64::consts::LN_2 - y.ln()) }
    } else {
        0.25 * (4.0 * x / distance).ln_1p()
    };
    Complex::new(real.copysign(z.re), angle)
}

#[device]
fn asinh(z: Complex<f64>) -> Complex<f64> {
    let w = asin(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}

#[device]
fn atan(z: Complex<f64>) -> Complex<f64> {
    let w = atanh(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}

#[device]
fn acosh(z: Complex<f64>) -> Complex<f64> {
    let w = acos(z);
    if w.re.is_nan() && !w.im.is_nan() {
        return Complex::new(w.im.abs(), w.re);
    }
    Complex::new(w.im.abs(), w.re.copysign(z.im))
}

#[device]
fn sign(z: Complex<f64>) -> Complex<f64> {
    let is_real = z.re.is_infinite();
    if is_real != z.im.is_infinite() {
        let unit = (1.0_f64).copysign(if is_real { z.re } else { z.im });
        return if is_real { Complex::new(unit, 0.0) } else { Complex::new(0.0, unit) };
    }
    if z.re == 0.0 && z.im == 0.0 {
        return Complex::new(0.0, 0.0);
    }
    // Halves of the largest numbers have a size.
    let (x, y) = (0.5 * z.re, 0.5 * z.im);
    let size = x.hypot(y);
    if size.is_infinite() {
        return Complex::new(f64::NAN, f64::NAN);
    }
    if size == 0.0 {
        Complex::new(z.re / z.re.hypot(z.im), z.im / z.re.hypot(z.im))
    } else {
        Complex::new(x / size, y / size)
    }
}

/// By Smith's method, which does not overflow on the way.
#[device]
fn reciprocal(z: Complex<f64>) -> Complex<f64> {
    if z.im.abs() <= z.re.abs() {
        let ratio = z.im / z.re;
        let divisor = z.re + z.im * ratio;
        Complex::new(1.0 / divisor, -ratio / divisor)
    } else {
        let ratio = z.re / z.im;
        let divisor = z.re * ratio + z.im;
        Complex::new(ratio / divisor, -1.0 / divisor)
    }
}

#[device]
fn product(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

#[device]
fn sinc(z: Complex<f64>) -> Complex<f64> {
    if z.re == 0.0 && z.im == 0.0 {
        return Complex::new(1.0, 0.0);
    }
    let angle = Complex::new(std::f64::consts::PI * z.re, std::f64::consts::PI * z.im);
    let sine = sin(angle);
    // Divided by Smith's method.
    if angle.im.abs() <= angle.re.abs() {
        let ratio = angle.im / angle.re;
        let divisor = angle.re + angle.im * ratio;
        Complex::new((sine.re + sine.im * ratio) / divisor, (sine.im - sine.re * ratio) / divisor)
    } else {
        let ratio = angle.re / angle.im;
        let divisor = angle.re * ratio + angle.im;
        Complex::new((sine.re * ratio + sine.im) / divisor, (sine.im * ratio - sine.re) / divisor)
    }
}

/// Small integers as exponents are products, as in NumPy; other powers are `exp(b log(a))`.
#[device]
fn power(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    if b.re == 0.0 && b.im == 0.0 {
        return Complex::new(1.0, 0.0);
    }
    if a.re == 0.0 && a.im == 0.0 {
        return if b.re > 0.0 { Complex::new(0.0, 0.0) } else { Complex::new(f64::NAN, f64::NAN) };
    }
    if b.im == 0.0 && b.re == b.re.trunc() && b.re.abs() < 100.0 {
        let mut left = b.re.abs() as i32;
        let mut factor = a;
        let mut result = Complex::new(1.0, 0.0);
        let mut is_first = true;
        while left > 0 {
            if left % 2 == 1 {
                result = if is_first { factor } else { product(result, factor) };
                is_first = false;
            }
            left /= 2;
            if left > 0 {
                factor = product(factor, factor);
            }
        }
        return if b.re < 0.0 { reciprocal(result) } else { result };
    }
    exp_of(product(b, log(a)))
}

#[device]
fn is_nan(z: Complex<f64>) -> bool {
    z.re.is_nan() || z.im.is_nan()
}

#[device]
fn is_inf(z: Complex<f64>) -> bool {
    z.re.is_infinite() || z.im.is_infinite()
}

#[device]
fn is_finite(z: Complex<f64>) -> bool {
    z.re.is_finite() && z.im.is_finite()
}

/// Whether a number is the extreme: that is NaN if there is one.
#[device]
fn is_extreme(z: Complex<f64>, extreme: Complex<f64>) -> bool {
    z.re == extreme.re && z.im == extreme.im || is_nan(z)
}

#[device]
fn number_or(z: Complex<f64>, other: Complex<f64>) -> Complex<f64> {
    if is_nan(z) { other } else { z }
}

/// Whether a number comes before another: by real parts, and if these are equal by imaginary parts. Nothing compares with NaN, as in
/// NumPy.
#[device]
fn less(a: Complex<f64>, b: Complex<f64>) -> bool {
    a.re < b.re && !a.im.is_nan() && !b.im.is_nan() || a.re == b.re && a.im < b.im
}

#[device]
fn less_equal(a: Complex<f64>, b: Complex<f64>) -> bool {
    a.re < b.re && !a.im.is_nan() && !b.im.is_nan() || a.re == b.re && a.im <= b.im
}

#[device]
fn maximum(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    if is_nan(a) || less_equal(b, a) { a } else { b }
}

#[device]
fn minimum(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    if is_nan(a) || less_equal(a, b) { a } else { b }
}

#[device]
fn fmax(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    if is_nan(b) || less_equal(b, a) { a } else { b }
}

#[device]
fn fmin(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    if is_nan(b) || less_equal(a, b) { a } else { b }
}

macro_rules! functions {
    (
        unary { $($name:ident)* }
        binary { $($pair:ident)* }
        asked { $($asked:ident)* }
        compared($a:ident, $b:ident) { $($question:ident = $core:ident($first:ident, $second:ident);)* }
    ) => {
        mod single {
            use num_complex::Complex;
            use warpcell_macros::vectorize;
            $(
                #[vectorize]
                pub fn $name(z: Complex<f32>) -> Complex<f32> {
                    let w = super::$name(Complex::new(z.re as f64, z.im as f64));
                    Complex::new(w.re as f32, w.im as f32)
                }
            )*
            $(
                #[vectorize]
                pub fn $pair(a: Complex<f32>, b: Complex<f32>) -> Complex<f32> {
                    let w = super::$pair(Complex::new(a.re as f64, a.im as f64), Complex::new(b.re as f64, b.im as f64));
                    Complex::new(w.re as f32, w.im as f32)
                }
            )*
            $(
                #[vectorize]
                pub fn $asked(z: Complex<f32>) -> bool {
                    super::$asked(Complex::new(z.re as f64, z.im as f64))
                }
            )*
            $(
                #[vectorize]
                pub fn $question($a: Complex<f32>, $b: Complex<f32>) -> bool {
                    let $a = Complex::new($a.re as f64, $a.im as f64);
                    let $b = Complex::new($b.re as f64, $b.im as f64);
                    super::$core($first, $second)
                }
            )*
        }
        mod double {
            use num_complex::Complex;
            use warpcell_macros::vectorize;
            $(
                #[vectorize]
                pub fn $name(z: Complex<f64>) -> Complex<f64> {
                    super::$name(z)
                }
            )*
            $(
                #[vectorize]
                pub fn $pair(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
                    super::$pair(a, b)
                }
            )*
            $(
                #[vectorize]
                pub fn $asked(z: Complex<f64>) -> bool {
                    super::$asked(z)
                }
            )*
            $(
                #[vectorize]
                pub fn $question($a: Complex<f64>, $b: Complex<f64>) -> bool {
                    super::$core($first, $second)
                }
            )*
        }

        /// The name of the formula for complex numbers of a type.
        mod named {
            use super::{double, single};
            use crate::dtype::DType;
            $(
                pub fn $name(dtype: DType) -> &'static str {
                    if dtype == DType::C64 { of(&single::$name) } else { of(&double::$name) }
                }
            )*
            $(
                pub fn $pair(dtype: DType) -> &'static str {
                    if dtype == DType::C64 { of(&single::$pair) } else { of(&double::$pair) }
                }
            )*
            $(
                pub fn $asked(dtype: DType) -> &'static str {
                    if dtype == DType::C64 { of(&single::$asked) } else { of(&double::$asked) }
                }
            )*
            $(
                pub fn $question(dtype: DType) -> &'static str {
                    if dtype == DType::C64 { of(&single::$question) } else { of(&double::$question) }
                }
            )*
            fn of<F>(function: &F) -> &'static str {
                std::any::type_name_of_val(function)
            }
        }

        /// What the functions become on a GPU, for tests.
        #[cfg(test)]
        pub(crate) fn translations() -> Vec<String> {
            vec![
                $(crate::cuda_source(single::$name), crate::cuda_source(double::$name),)*
                $(crate::cuda_source(single::$pair), crate::cuda_source(double::$pair),)*
                $(crate::cuda_source(single::$asked), crate::cuda_source(double::$asked),)*
                $(crate::cuda_source(single::$question), crate::cuda_source(double::$question),)*
            ]
        }
    };
}
functions! {
    unary { exp2 expm1 log log2 log10 log1p sinh cosh tanh sin cos tan asinh acosh atanh asin acos atan sign reciprocal sinc }
    binary { power maximum minimum fmax fmin number_or }
    asked { is_nan is_inf is_finite }
    compared(a, b) {
        is_found = is_extreme(a, b);
        is_less = less(a, b);
        is_less_equal = less_equal(a, b);
        is_greater = less(b, a);
        is_greater_equal = less_equal(b, a);
    }
}
pub(crate) use named::{
    fmax as larger, fmin as smaller, is_found, is_nan as has_nan, number_or as number_or_other, reciprocal as inverse,
    sinc as sine_cardinal,
};

/// Applies a function to each complex number that backends do not have.
pub(crate) fn unary(name: &'static str, operation: UnaryOperation, x: &RawArray) -> Result<RawArray> {
    if operation == UnaryOperation::Round {
        return Ok(elementwise::unary(name, operation, &x.parts())?.joined(x.dtype));
    }
    apply_one(name, unary_formula(operation), &[RawOperand::Array(x)])
}

/// The formula of an operation on complex numbers that backends do not have.
fn unary_formula(operation: UnaryOperation) -> Formula {
    use UnaryOperation as U;
    match operation {
        U::Exp2 => named::exp2,
        U::Expm1 => named::expm1,
        U::Log => named::log,
        U::Log2 => named::log2,
        U::Log10 => named::log10,
        U::Log1p => named::log1p,
        U::Sinh => named::sinh,
        U::Cosh => named::cosh,
        U::Tanh => named::tanh,
        U::Sin => named::sin,
        U::Cos => named::cos,
        U::Tan => named::tan,
        U::Asinh => named::asinh,
        U::Acosh => named::acosh,
        U::Atanh => named::atanh,
        U::Asin => named::asin,
        U::Acos => named::acos,
        U::Atan => named::atan,
        U::Sign => named::sign,
        U::IsNan => named::is_nan,
        U::IsInf => named::is_inf,
        U::IsFinite => named::is_finite,
        other => unreachable!("{other:?} of complex numbers does not compile"),
    }
}

/// As [`unary_formula`], of an operation on pairs.
pub(crate) fn binary_formula(operation: BinaryOperation) -> Formula {
    use BinaryOperation as B;
    match operation {
        B::Power => named::power,
        B::Maximum => named::maximum,
        B::Minimum => named::minimum,
        B::Less => named::is_less,
        B::LessEqual => named::is_less_equal,
        B::Greater => named::is_greater,
        B::GreaterEqual => named::is_greater_equal,
        other => unreachable!("{other:?} of complex numbers does not compile"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_have_a_translation() {
        let texts = super::translations();
        assert!(texts.len() == 70 && texts.iter().all(|text| text.contains("__global__")));
    }
}
