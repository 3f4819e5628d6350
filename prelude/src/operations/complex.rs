//! Functions of complex numbers that no backend has: they are computed from the real and imaginary parts.
//!
//! Branch cuts are those of C and NumPy; the signs of zeros choose the side. The inverse functions are Kahan's: Branch cuts for complex
//! elementary functions (1987).

use crate::array::{RawArray, assign, join, slice_axis, truths};
use crate::backend::{BinaryOperation, ReduceOperation, ScanOperation, UnaryOperation};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::operations::composing::Composed;
use crate::operations::elementwise::{RawOperand, binary, unary};
use crate::operations::reduce::reduce;
use crate::operations::selection::choose;

/// A real and an imaginary part.
type Parts = (RawArray, RawArray);

/// A function of each complex number.
pub(super) fn function(name: &'static str, operation: UnaryOperation, z: &RawArray) -> Result<RawArray> {
    match operation {
        UnaryOperation::IsNan | UnaryOperation::IsInf => return truths(name, operation, ReduceOperation::Any, z),
        UnaryOperation::IsFinite => return truths(name, operation, ReduceOperation::All, z),
        UnaryOperation::Round => return Ok(unary(name, operation, &z.parts())?.joined(z.dtype)),
        _ => {}
    }
    let calc = Calculation { calc: Composed(name), dtype: z.dtype };
    let (real, imaginary) = calc.function(operation, (z.part(false), z.part(true)))?;
    calc.number(&real, &imaginary)
}

/// The operations of one function, of parts.
#[derive(Clone, Copy)]
struct Calculation {
    calc: Composed,
    /// Of the complex numbers.
    dtype: DType,
}

impl Calculation {
    fn each(self, operation: UnaryOperation, x: &RawArray) -> Result<RawArray> {
        self.calc.each(operation, x)
    }

    fn times(self, a: &RawArray, b: &RawArray) -> Result<RawArray> {
        self.calc.pair(BinaryOperation::Multiply, a, b)
    }

    fn plus(self, x: &RawArray, value: f64) -> Result<RawArray> {
        self.calc.with(BinaryOperation::Add, x, value)
    }

    fn scaled(self, x: &RawArray, factor: f64) -> Result<RawArray> {
        self.calc.with(BinaryOperation::Multiply, x, factor)
    }

    fn minus(self, x: &RawArray) -> Result<RawArray> {
        self.each(UnaryOperation::Negative, x)
    }

    fn angle(self, y: &RawArray, x: &RawArray) -> Result<RawArray> {
        self.calc.pair(BinaryOperation::Atan2, y, x)
    }

    /// `a b + c d`.
    fn sum(self, [a, b, c, d]: [&RawArray; 4]) -> Result<RawArray> {
        self.calc.pair(BinaryOperation::Add, &self.times(a, b)?, &self.times(c, d)?)
    }

    /// `a b - c d`.
    fn difference(self, [a, b, c, d]: [&RawArray; 4]) -> Result<RawArray> {
        self.calc.pair(BinaryOperation::Subtract, &self.times(a, b)?, &self.times(c, d)?)
    }

    /// Complex numbers with these parts.
    fn number(self, real: &RawArray, imaginary: &RawArray) -> Result<RawArray> {
        let name = self.calc.0;
        let out = RawArray::uninitialised(name, &real.handle, real.shape(), self.dtype)?;
        assign(name, &out.part(false), real)?;
        assign(name, &out.part(true), imaginary)?;
        Ok(out)
    }

    /// The square roots of complex numbers with these parts.
    fn root(self, real: &RawArray, imaginary: &RawArray) -> Result<Parts> {
        let root = self.each(UnaryOperation::Sqrt, &self.number(real, imaginary)?)?;
        Ok((root.part(false), root.part(true)))
    }

    fn function(self, operation: UnaryOperation, (x, y): Parts) -> Result<Parts> {
        use UnaryOperation::{
            Abs, Acos, Acosh, Angle, Asin, Asinh, Atan, Atanh, Cos, Cosh, Exp, Exp2, Expm1, Log, Log1p, Log2, Log10,
            Sign, Sin, Sinh, Sqrt, Tan, Tanh,
        };
        debug_assert!(!matches!(operation, Abs | Angle | Exp | Sqrt), "the backends have {operation:?}");
        // What a function of `i z` gives, times `-i`.
        let turned = |inner: UnaryOperation| -> Result<Parts> {
            let (real, imaginary) = self.function(inner, (self.minus(&y)?, x.clone()))?;
            Ok((imaginary, self.minus(&real)?))
        };
        let product = |[of_x, of_y]: [UnaryOperation; 2]| self.times(&self.each(of_x, &x)?, &self.each(of_y, &y)?);
        Ok(match operation {
            Log => {
                let length = self.calc.pair(BinaryOperation::Hypot, &x, &y)?;
                (self.each(Log, &length)?, self.angle(&y, &x)?)
            }
            Log1p => self.function(Log, (self.plus(&x, 1.0)?, y))?,
            Log2 | Log10 => {
                let factor = if operation == Log2 { std::f64::consts::LOG2_E } else { std::f64::consts::LOG10_E };
                let (real, imaginary) = self.function(Log, (x, y))?;
                (self.scaled(&real, factor)?, self.scaled(&imaginary, factor)?)
            }
            Exp2 => {
                let [x, y] = [x, y].map(|part| self.scaled(&part, std::f64::consts::LN_2));
                let (size, y) = (self.each(Exp, &x?)?, y?);
                (self.times(&size, &self.each(Cos, &y)?)?, self.times(&size, &self.each(Sin, &y)?)?)
            }
            Expm1 => {
                // Without a difference of numbers close to each other.
                let half = self.each(Sin, &self.scaled(&y, 0.5)?)?;
                let lost = self.scaled(&self.times(&half, &half)?, 2.0)?;
                let real = self.calc.pair(BinaryOperation::Subtract, &product([Expm1, Cos])?, &lost)?;
                (real, product([Exp, Sin])?)
            }
            Sin => (product([Sin, Cosh])?, product([Cos, Sinh])?),
            Cos => (product([Cos, Cosh])?, self.minus(&product([Sin, Sinh])?)?),
            Sinh => (product([Sinh, Cos])?, product([Cosh, Sin])?),
            Cosh => (product([Cosh, Cos])?, product([Sinh, Sin])?),
            Tanh => self.tanh(&x, &y)?,
            Tan => turned(Tanh)?,
            Asin => {
                let [(a, b), (c, d)] = self.roots_around_one(&x, &y)?;
                let real = self.angle(&x, &self.difference([&a, &c, &b, &d])?)?;
                (real, self.each(Asinh, &self.difference([&a, &d, &b, &c])?)?)
            }
            Acos => {
                let [(a, b), (c, d)] = self.roots_around_one(&x, &y)?;
                let real = self.scaled(&self.angle(&a, &c)?, 2.0)?;
                (real, self.each(Asinh, &self.difference([&c, &b, &d, &a])?)?)
            }
            Acosh => {
                let (a, b) = self.root(&self.plus(&x, -1.0)?, &y)?;
                let (c, d) = self.root(&self.plus(&x, 1.0)?, &y)?;
                let real = self.each(Asinh, &self.sum([&a, &c, &b, &d])?)?;
                (real, self.scaled(&self.angle(&b, &c)?, 2.0)?)
            }
            Asinh => turned(Asin)?,
            Atanh => {
                let (less, more) = (self.plus(&self.minus(&x)?, 1.0)?, self.plus(&x, 1.0)?);
                let far = self.sum([&less, &less, &y, &y])?;
                let share = self.calc.pair(BinaryOperation::Divide, &self.scaled(&x, 4.0)?, &far)?;
                let real = self.scaled(&self.each(Log1p, &share)?, 0.25)?;
                let angle = self.angle(&self.scaled(&y, 2.0)?, &self.difference([&less, &more, &y, &y])?)?;
                (real, self.scaled(&angle, 0.5)?)
            }
            Atan => turned(Atanh)?,
            Sign => {
                let length = self.calc.pair(BinaryOperation::Hypot, &x, &y)?;
                let is_some = self.calc.with(BinaryOperation::NotEqual, &length, 0.0)?;
                let part = |part: &RawArray| -> Result<RawArray> {
                    let share = self.calc.pair(BinaryOperation::Divide, part, &length)?;
                    choose(&is_some, &share, Scalar::zero(share.dtype))
                };
                (part(&x)?, part(&y)?)
            }
            _ => unreachable!("{operation:?} is not for complex numbers"),
        })
    }

    /// The roots of `1 - z` and of `1 + z`.
    fn roots_around_one(self, x: &RawArray, y: &RawArray) -> Result<[Parts; 2]> {
        let below = self.root(&self.plus(&self.minus(x)?, 1.0)?, &self.minus(y)?)?;
        Ok([below, self.root(&self.plus(x, 1.0)?, y)?])
    }

    /// Kahan's formula. Far from 0 the real part is 1 or -1, and the imaginary part falls as `exp(-2 |x|)`.
    fn tanh(self, x: &RawArray, y: &RawArray) -> Result<Parts> {
        let far = if x.dtype == DType::F32 { 9.0 } else { 22.0 };
        let near = self.calc.with(BinaryOperation::Maximum, x, -far)?;
        let near = self.calc.with(BinaryOperation::Minimum, &near, far)?;
        let beyond = self.plus(&self.each(UnaryOperation::Abs, x)?, -far)?;
        let beyond = self.calc.with(BinaryOperation::Maximum, &beyond, 0.0)?;
        let tangent = self.each(UnaryOperation::Tan, y)?;
        let steep = self.plus(&self.times(&tangent, &tangent)?, 1.0)?;
        let sine = self.each(UnaryOperation::Sinh, &near)?;
        let cosine = self.each(UnaryOperation::Cosh, &near)?;
        let all = self.plus(&self.times(&steep, &self.times(&sine, &sine)?)?, 1.0)?;
        let real = self.times(&steep, &self.times(&cosine, &sine)?)?;
        let fall = self.each(UnaryOperation::Exp, &self.scaled(&beyond, -2.0)?)?;
        let imaginary = self.calc.pair(BinaryOperation::Divide, &tangent, &all)?;
        Ok((self.calc.pair(BinaryOperation::Divide, &real, &all)?, self.times(&imaginary, &fall)?))
    }
}

/// Each complex number to the power of another.
pub(super) fn power(name: &'static str, base: RawOperand<'_>, exponent: RawOperand<'_>) -> Result<RawArray> {
    let whole = match exponent {
        RawOperand::Scalar(value) => small_integer(value),
        RawOperand::Array(_) => None,
    };
    if let (RawOperand::Array(base), Some(exponent)) = (base, whole) {
        return integer_power(name, base, exponent);
    }
    let other = base.array().or(exponent.array()).expect("one operand at least is an array");
    let array = |operand: RawOperand<'_>| match operand {
        RawOperand::Array(array) => Ok(array.clone()),
        RawOperand::Scalar(value) => RawArray::filled(name, &other.handle, &[], value),
    };
    let (base, exponent) = (array(base)?, array(exponent)?);
    let logarithm = unary(name, UnaryOperation::Log, &base)?;
    let found = unary(name, UnaryOperation::Exp, &binary(name, BinaryOperation::Multiply, &exponent, &logarithm)?)?;
    // 0 has no logarithm: its powers are 0 where the exponent's real part is positive, and 1 where the exponent is 0.
    let zero = Scalar::zero(base.dtype);
    let calc = Composed(name);
    let at_zero = binary(name, BinaryOperation::Equal, &base, zero)?;
    let is_rising = calc.with(BinaryOperation::Greater, &exponent.part(false), 0.0)?;
    let not = |bools: &RawArray| unary(name, UnaryOperation::LogicalNot, bools);
    let of_zero = calc.pair(BinaryOperation::LogicalAnd, &at_zero, &is_rising)?;
    let undefined = calc.pair(BinaryOperation::LogicalAnd, &at_zero, &not(&is_rising)?)?;
    let found = choose(&not(&of_zero)?, &found, zero)?;
    let nan = Scalar::of_float(f64::NAN, base.dtype);
    let found = choose(&not(&undefined)?, &found, nan)?;
    let has_exponent = binary(name, BinaryOperation::NotEqual, &exponent, zero)?;
    let has_exponent = crate::array::view::broadcast_to(name, &has_exponent, found.shape())?;
    choose(&has_exponent, &found, Scalar::one(base.dtype))
}

/// The number, if it is an integer of less than three digits.
fn small_integer(value: Scalar) -> Option<i32> {
    let (real, imaginary) = match value {
        Scalar::C64(value) => (f64::from(value.re), f64::from(value.im)),
        Scalar::C128(value) => (value.re, value.im),
        _ => return None,
    };
    (imaginary == 0.0 && real.fract() == 0.0 && real.abs() < 100.0).then_some(real as i32)
}

/// By squaring again and again.
fn integer_power(name: &'static str, base: &RawArray, exponent: i32) -> Result<RawArray> {
    let times = |a: &RawArray, b: &RawArray| binary(name, BinaryOperation::Multiply, a, b);
    let mut rest = exponent.unsigned_abs();
    let (mut square, mut found) = (base.clone(), None);
    while rest > 0 {
        if rest % 2 == 1 {
            found = Some(match &found {
                None => square.copied(name)?,
                Some(found) => times(found, &square)?,
            });
        }
        rest /= 2;
        if rest > 0 {
            square = times(&square, &square)?;
        }
    }
    let one = Scalar::one(base.dtype);
    match found {
        None => RawArray::filled(name, &base.handle, base.shape(), one),
        Some(found) if exponent < 0 => binary(name, BinaryOperation::Divide, one, &found),
        Some(found) => Ok(found),
    }
}

/// Running sums or products of contiguous complex numbers along an axis.
pub(super) fn running(
    name: &'static str,
    operation: ScanOperation,
    z: &RawArray,
    axis: usize,
    scan: impl FnOnce(&RawArray) -> Result<RawArray>,
) -> Result<RawArray> {
    if operation == ScanOperation::Sum {
        return Ok(scan(&z.parts())?.joined(z.dtype));
    }
    // By doubling: each product takes in as many factors before it as it has.
    let out = z.copied(name)?;
    let length = out.shape()[axis];
    let mut step = 1;
    while step < length && out.size() > 0 {
        let [before, here] = [0, step].map(|start| slice_axis(&out, axis, start, 1, length - step));
        assign(name, &here, &binary(name, BinaryOperation::Multiply, &before, &here)?)?;
        step *= 2;
    }
    Ok(out)
}

/// The products of complex numbers over axes, which are sorted. By halving.
pub(super) fn products(name: &'static str, z: &RawArray, axes: &[usize]) -> Result<RawArray> {
    let mut found = z.clone();
    for &axis in axes.iter().rev() {
        while found.shape()[axis] > 1 {
            let (length, pairs) = (found.shape()[axis], found.shape()[axis] / 2);
            let [first, second] = [0, 1].map(|start| slice_axis(&found, axis, start, 2, pairs));
            let joined = binary(name, BinaryOperation::Multiply, &first, &second)?;
            let last = slice_axis(&found, axis, length - 1, 1, 1);
            found = if length.is_multiple_of(2) { joined } else { join(name, &[joined, last], axis as isize)? };
        }
        let mut shape = found.shape().to_vec();
        let is_empty = shape.remove(axis) == 0;
        found = if is_empty {
            RawArray::filled(name, &z.handle, &shape, Scalar::one(z.dtype))?
        } else {
            let mut layout = found.layout.clone();
            layout.shape.remove(axis);
            layout.strides.remove(axis);
            found.with_layout(layout)
        };
    }
    found.copied(name)
}

/// The squares of the absolute values of new complex numbers.
pub(crate) fn squares(name: &'static str, z: &RawArray) -> Result<RawArray> {
    let parts = z.parts();
    let squares = binary(name, BinaryOperation::Multiply, &parts, &parts)?;
    reduce(name, ReduceOperation::Sum, &squares, &[squares.shape().len() - 1])
}
