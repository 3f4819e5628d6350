//! Functions of each element, or of each pair of elements, that are composed of other operations.

use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Element, Float, Inexact, Integer, Number, Scalar};
use crate::error::{Result, check};
use crate::operations::composing::{Composed, number, value_of};
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::reduce::{as_mean, reduce_all};
use crate::operations::selection::choose;

impl<T: Number> DeviceArray<T> {
    /// The quotient as a float: of integers as `f64`, where [`divide`](Self::divide) drops the fraction. NumPy's `true_divide`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[1, 3]).true_divide(2).tolist(), [0.5, 1.5]);
    /// ```
    #[track_caller]
    pub fn true_divide(&self, other: impl Operand<T>) -> DeviceArray<T::Mean> {
        let operation = ("true_divide", BinaryOperation::Divide);
        DeviceArray::from_raw(check(in_floats(operation, &self.raw, other.raw_operand(), T::Mean::DTYPE)))
    }

    /// Each element to the power of the other's, as `f64`; NumPy's `float_power`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[2, 4]).float_power(-1).tolist(), [0.5, 0.25]);
    /// ```
    #[track_caller]
    pub fn float_power(&self, other: impl Operand<T>) -> DeviceArray<f64> {
        let operation = ("float_power", BinaryOperation::Power);
        DeviceArray::from_raw(check(in_floats(operation, &self.raw, other.raw_operand(), DType::F64)))
    }

    /// The quotient rounded down, and what it leaves: [`floor_divide`](Self::floor_divide) and [`modulo`](Self::modulo). NumPy's
    /// `divmod`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// let (quotient, rest) = warpcell::array(&[7, -7]).divmod(3);
    /// assert_eq!((quotient.tolist(), rest.tolist()), (vec![2, -3], vec![1, 2]));
    /// ```
    #[track_caller]
    pub fn divmod(&self, other: impl Operand<T>) -> (DeviceArray<T>, DeviceArray<T>) {
        let (quotients, rests) = check(quotients_and_rests(&self.raw, other.raw_operand()));
        (DeviceArray::from_raw(quotients), DeviceArray::from_raw(rests))
    }

    /// The larger of each pair; the other one if one is NaN. NumPy's `fmax`; [`maximum`](Self::maximum) keeps NaN.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[f64::NAN, 2.0]).fmax(1.0).tolist(), [1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn fmax(&self, other: impl Operand<T>) -> DeviceArray<T> {
        DeviceArray::from_raw(check(extreme("fmax", BinaryOperation::Maximum, &self.raw, other.raw_operand())))
    }

    /// The smaller of each pair; the other one if one is NaN. NumPy's `fmin`; [`minimum`](Self::minimum) keeps NaN.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[f64::NAN, 2.0]).fmin(1.0).tolist(), [1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn fmin(&self, other: impl Operand<T>) -> DeviceArray<T> {
        DeviceArray::from_raw(check(extreme("fmin", BinaryOperation::Minimum, &self.raw, other.raw_operand())))
    }

    /// Whether each element has the sign bit set: negative numbers, −0.0, and NaN with a sign. NumPy's `signbit`.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[-0.0, 0.0, -2.0]).signbit().tolist(), [true, false, true]);
    /// ```
    #[track_caller]
    pub fn signbit(&self) -> DeviceArray<bool> {
        DeviceArray::from_raw(check(Composed("signbit").with(BinaryOperation::Less, &as_bits(&self.raw), 0.0)))
    }

    /// Whether each element is positive infinity; integers never are. NumPy's `isposinf`.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[f64::INFINITY, -f64::INFINITY]).isposinf().tolist(), [true, false]);
    /// ```
    #[track_caller]
    pub fn isposinf(&self) -> DeviceArray<bool> {
        DeviceArray::from_raw(check(is_infinity("isposinf", &self.raw, f64::INFINITY)))
    }

    /// Whether each element is negative infinity; integers never are. NumPy's `isneginf`.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[f64::INFINITY, -f64::INFINITY]).isneginf().tolist(), [false, true]);
    /// ```
    #[track_caller]
    pub fn isneginf(&self) -> DeviceArray<bool> {
        DeviceArray::from_raw(check(is_infinity("isneginf", &self.raw, f64::NEG_INFINITY)))
    }
}

impl<T: Float> DeviceArray<T> {
    /// `sin(πx) / (πx)`, and 1 where `x` is 0; NumPy's `sinc`.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[0.0]).sinc().item(), 1.0);
    /// assert!(warpcell::array(&[1.0]).sinc().abs().item() < 1e-16);
    /// ```
    #[track_caller]
    pub fn sinc(&self) -> DeviceArray<T> {
        DeviceArray::from_raw(check(sinc(&self.raw)))
    }

    /// The step function: 0 for negative elements, 1 for positive ones, and the value of `at_zero` where an element is 0. NaN
    /// stays NaN. NumPy's `heaviside`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[-1.5, 0.0, 2.0]).heaviside(0.5).tolist(), [0.0, 0.5, 1.0]);
    /// ```
    #[track_caller]
    pub fn heaviside(&self, at_zero: impl Operand<T>) -> DeviceArray<T> {
        DeviceArray::from_raw(check(heaviside(&self.raw, at_zero.raw_operand())))
    }

    /// `log(exp(a) + exp(b))` without overflow on the way; NumPy's `logaddexp`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[1000.0]).logaddexp(-f64::INFINITY).item(), 1000.0);
    /// ```
    #[track_caller]
    pub fn logaddexp(&self, other: impl Operand<T>) -> DeviceArray<T> {
        let sum = log_of_sum("logaddexp", UnaryOperation::Exp, 1.0, &self.raw, other.raw_operand());
        DeviceArray::from_raw(check(sum))
    }

    /// `log2(2**a + 2**b)` without overflow on the way; NumPy's `logaddexp2`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[2000.0]).logaddexp2(2000.0).item(), 2001.0);
    /// ```
    #[track_caller]
    pub fn logaddexp2(&self, other: impl Operand<T>) -> DeviceArray<T> {
        let scale = std::f64::consts::LOG2_E;
        let sum = log_of_sum("logaddexp2", UnaryOperation::Exp2, scale, &self.raw, other.raw_operand());
        DeviceArray::from_raw(check(sum))
    }

    /// The fractions and the whole numbers of the elements, both with their sign; NumPy's `modf`.
    ///
    /// ```
    /// let (fractions, wholes) = warpcell::array(&[2.5, -0.25]).modf();
    /// assert_eq!((fractions.tolist(), wholes.tolist()), (vec![0.5, -0.25], vec![2.0, -0.0]));
    /// ```
    #[track_caller]
    pub fn modf(&self) -> (DeviceArray<T>, DeviceArray<T>) {
        let (fractions, wholes) = check(modf(&self.raw));
        (DeviceArray::from_raw(fractions), DeviceArray::from_raw(wholes))
    }

    /// The next float from each element towards the other's; NumPy's `nextafter`.
    ///
    /// **Panics** if the shapes do not broadcast or the devices differ.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[1.0]).nextafter(2.0).item(), 1.0 + f64::EPSILON);
    /// ```
    #[track_caller]
    pub fn nextafter(&self, other: impl Operand<T>) -> DeviceArray<T> {
        DeviceArray::from_raw(check(nextafter(&self.raw, other.raw_operand())))
    }
}

impl<T: Inexact> DeviceArray<T> {
    /// The array with 0 in place of NaN, and the largest and the least number of the type in place of the infinities; of
    /// complex numbers in each part. NumPy's `nan_to_num`; `gpu::nan_to_num!(&a, nan = -1.0, posinf = 1e9)` has its keywords.
    ///
    /// ```
    /// let a = warpcell::array(&[f64::NAN, 1.0, f64::INFINITY]);
    /// assert_eq!(a.nan_to_num().tolist(), [0.0, 1.0, f64::MAX]);
    /// ```
    #[track_caller]
    pub fn nan_to_num(&self) -> DeviceArray<T> {
        DeviceArray::from_raw(check(nan_to_num(&self.raw, 0.0, None, None)))
    }
}

impl<T: Integer> DeviceArray<T> {
    /// How many bits of the absolute value of each element are 1; NumPy's `bitwise_count`.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[0, 7, -8]).bitwise_count().tolist(), [0, 3, 1]);
    /// ```
    #[track_caller]
    pub fn bitwise_count(&self) -> DeviceArray<u8> {
        DeviceArray::from_raw(check(bit_counts(&self.raw)))
    }
}

impl<T: Element> DeviceArray<T> {
    /// Whether the imaginary part of each element is 0; real numbers have none. NumPy's `isreal`.
    ///
    /// ```
    /// use warpcell::{Complex, array};
    /// assert_eq!(array(&[Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)]).isreal().tolist(), [true, false]);
    /// ```
    #[track_caller]
    pub fn isreal(&self) -> DeviceArray<bool> {
        DeviceArray::from_raw(check(has_part("isreal", BinaryOperation::Equal, &self.raw)))
    }

    /// Whether the imaginary part of each element is not 0; real numbers have none. NumPy's `iscomplex`.
    ///
    /// ```
    /// use warpcell::{Complex, array};
    /// assert_eq!(array(&[Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)]).iscomplex().tolist(), [false, true]);
    /// ```
    #[track_caller]
    pub fn iscomplex(&self) -> DeviceArray<bool> {
        DeviceArray::from_raw(check(has_part("iscomplex", BinaryOperation::NotEqual, &self.raw)))
    }
}

/// Whether two arrays have the same elements after broadcasting; false if they do not broadcast. NumPy's `array_equiv`. NaN
/// differs from NaN. Waits for the result.
///
/// **Panics** if a device differs.
///
/// ```
/// use warpcell as gpu;
/// assert!(gpu::array_equiv(&gpu::array(&[1, 2]), &gpu::array(&[[1, 2], [1, 2]])));
/// assert!(!gpu::array_equiv(&gpu::array(&[1, 2]), &gpu::array(&[1, 2, 3])));
/// ```
#[track_caller]
pub fn array_equiv<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Element>(x: &X, y: &Y) -> bool {
    check(all_equal(x.raw(), y.raw()))
}

fn all_equal(x: &RawArray, y: &RawArray) -> Result<bool> {
    const NAME: &str = "array_equiv";
    x.same_device(NAME, y)?;
    if crate::array::shape::broadcast_shapes(NAME, x.shape(), y.shape()).is_err() {
        return Ok(false);
    }
    let equal = Composed(NAME).pair(BinaryOperation::Equal, x, y)?;
    Ok(reduce_all(NAME, ReduceOperation::All, &equal)? == Scalar::Bool(true))
}

/// An operation on both operands as floats of `dtype`.
fn in_floats(
    (name, operation): (&'static str, BinaryOperation),
    a: &RawArray,
    b: RawOperand<'_>,
    dtype: DType,
) -> Result<RawArray> {
    let a = as_mean(name, a, dtype)?;
    match b {
        RawOperand::Array(b) => Composed(name).pair(operation, &a, &as_mean(name, b, dtype)?),
        RawOperand::Scalar(b) => Composed(name).with(operation, &a, value_of(b)),
    }
}

fn quotients_and_rests(a: &RawArray, b: RawOperand<'_>) -> Result<(RawArray, RawArray)> {
    let of = |operation| binary("divmod", operation, RawOperand::Array(a), b);
    Ok((of(BinaryOperation::FloorDivide)?, of(BinaryOperation::Modulo)?))
}

/// The maximum or minimum of each pair, or the one of them that is not NaN.
fn extreme(name: &'static str, operation: BinaryOperation, a: &RawArray, b: RawOperand<'_>) -> Result<RawArray> {
    if !a.dtype.is_float() {
        return binary(name, operation, RawOperand::Array(a), b);
    }
    let comparison =
        if operation == BinaryOperation::Maximum { BinaryOperation::Less } else { BinaryOperation::Greater };
    let is_other = binary(name, comparison, RawOperand::Array(a), b)?;
    let is_nan = Composed(name).each(UnaryOperation::IsNan, a)?;
    let is_other = Composed(name).pair(BinaryOperation::LogicalOr, &is_other, &is_nan)?;
    choose(&is_other, b, RawOperand::Array(a))
}

fn is_infinity(name: &'static str, x: &RawArray, infinity: f64) -> Result<RawArray> {
    if x.dtype.is_float() {
        Composed(name).with(BinaryOperation::Equal, x, infinity)
    } else {
        RawArray::filled(name, &x.handle, x.shape(), Scalar::Bool(false))
    }
}

/// Compares the imaginary parts with 0.
fn has_part(name: &'static str, comparison: BinaryOperation, x: &RawArray) -> Result<RawArray> {
    if x.dtype.is_complex() {
        Composed(name).with(comparison, &x.part(true), 0.0)
    } else {
        RawArray::filled(name, &x.handle, x.shape(), Scalar::Bool(comparison == BinaryOperation::Equal))
    }
}

fn sinc(x: &RawArray) -> Result<RawArray> {
    let calc = Composed("sinc");
    let angles = calc.with(BinaryOperation::Multiply, x, std::f64::consts::PI)?;
    let values = calc.each(UnaryOperation::Sin, &angles)?;
    calc.pair_into(BinaryOperation::Divide, &values, &angles)?;
    let is_zero = calc.with(BinaryOperation::Equal, &angles, 0.0)?;
    choose(&is_zero, RawOperand::Scalar(Scalar::one(x.dtype)), RawOperand::Array(&values))
}

fn heaviside(x: &RawArray, at_zero: RawOperand<'_>) -> Result<RawArray> {
    let calc = Composed("heaviside");
    let is_zero = calc.with(BinaryOperation::Equal, x, 0.0)?;
    let steps = calc.each(UnaryOperation::Sign, x)?;
    // From −1, 0 and 1 to 0, a half and 1; NaN stays.
    calc.with_into(BinaryOperation::Add, &steps, 1.0)?;
    calc.with_into(BinaryOperation::Multiply, &steps, 0.5)?;
    choose(&is_zero, at_zero, RawOperand::Array(&steps))
}

/// `max + scale · log(1 + exponential(min − max))`.
fn log_of_sum(
    name: &'static str,
    exponential: UnaryOperation,
    scale: f64,
    a: &RawArray,
    b: RawOperand<'_>,
) -> Result<RawArray> {
    let calc = Composed(name);
    let of = |operation| binary(name, operation, RawOperand::Array(a), b);
    let (high, low) = (of(BinaryOperation::Maximum)?, of(BinaryOperation::Minimum)?);
    let distances = calc.pair(BinaryOperation::Subtract, &low, &high)?;
    // Equal infinities have no difference.
    let is_equal = calc.pair(BinaryOperation::Equal, &low, &high)?;
    let distances = choose(&is_equal, RawOperand::Scalar(Scalar::zero(a.dtype)), RawOperand::Array(&distances))?;
    let out = calc.each(UnaryOperation::Log1p, &calc.each(exponential, &distances)?)?;
    if scale != 1.0 {
        calc.with_into(BinaryOperation::Multiply, &out, scale)?;
    }
    calc.pair_into(BinaryOperation::Add, &out, &high)?;
    Ok(out)
}

fn modf(x: &RawArray) -> Result<(RawArray, RawArray)> {
    let calc = Composed("modf");
    let wholes = calc.each(UnaryOperation::Trunc, x)?;
    let fractions = calc.pair(BinaryOperation::Subtract, x, &wholes)?;
    // An infinity less itself is NaN.
    let is_infinite = calc.each(UnaryOperation::IsInf, x)?;
    let fractions = choose(&is_infinite, RawOperand::Scalar(Scalar::zero(x.dtype)), RawOperand::Array(&fractions))?;
    calc.pair_into(BinaryOperation::Copysign, &fractions, x)?;
    Ok((fractions, wholes))
}

/// Floats as the signed integers that have their bits, and the opposite; a view. Integers stay as they are.
fn as_bits(x: &RawArray) -> RawArray {
    let dtype = match x.dtype {
        DType::F32 => DType::I32,
        DType::F64 => DType::I64,
        other => other,
    };
    RawArray { dtype, ..x.clone() }
}

fn nextafter(x: &RawArray, other: RawOperand<'_>) -> Result<RawArray> {
    const NAME: &str = "nextafter";
    let calc = Composed(NAME);
    let with_other = |operation| binary(NAME, operation, RawOperand::Array(x), other);
    let scalar = |value: f64| RawOperand::Scalar(number(value, x.dtype));
    // Away from zero the bits count up, towards it they count down.
    let goes_up = with_other(BinaryOperation::Less)?;
    let is_positive = calc.with(BinaryOperation::Greater, x, 0.0)?;
    let is_away = calc.pair(BinaryOperation::Equal, &goes_up, &is_positive)?;
    let bits = as_bits(x);
    let one = |value: f64| RawOperand::Scalar(number(value, bits.dtype));
    let next = calc.pair(BinaryOperation::Add, &choose(&is_away, one(1.0), one(-1.0))?, &bits)?;
    let next = RawArray { dtype: x.dtype, ..next };
    // From zero to the least number with the sign of the direction.
    let least = if x.dtype == DType::F32 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) };
    let is_zero = calc.with(BinaryOperation::Equal, x, 0.0)?;
    let next = choose(
        &is_zero,
        RawOperand::Array(&choose(&goes_up, scalar(least), scalar(-least))?),
        RawOperand::Array(&next),
    )?;
    let is_there = with_other(BinaryOperation::Equal)?;
    let next = choose(&is_there, other, RawOperand::Array(&next))?;
    // A sum is NaN if an operand is.
    let sum = with_other(BinaryOperation::Add)?;
    let has_nan = calc.each(UnaryOperation::IsNan, x)?;
    let has_nan = match other {
        RawOperand::Array(other) => {
            calc.pair(BinaryOperation::LogicalOr, &has_nan, &calc.each(UnaryOperation::IsNan, other)?)?
        }
        RawOperand::Scalar(other) if value_of(other).is_nan() => {
            RawArray::filled(NAME, &x.handle, x.shape(), Scalar::Bool(true))?
        }
        RawOperand::Scalar(_) => has_nan,
    };
    choose(&has_nan, RawOperand::Array(&sum), RawOperand::Array(&next))
}

pub(crate) fn nan_to_num(x: &RawArray, nan: f64, posinf: Option<f64>, neginf: Option<f64>) -> Result<RawArray> {
    let calc = Composed("nan_to_num");
    if x.dtype.is_complex() {
        return nan_to_num(&x.parts(), nan, posinf, neginf).map(|parts| parts.joined(x.dtype));
    }
    let most = if x.dtype == DType::F32 { f64::from(f32::MAX) } else { f64::MAX };
    let mut numbers = x.clone();
    if posinf.is_none() {
        numbers = calc.with(BinaryOperation::Minimum, &numbers, most)?;
    }
    if neginf.is_none() {
        numbers = calc.with(BinaryOperation::Maximum, &numbers, -most)?;
    }
    let replaced = |numbers: &RawArray, is_wrong: &RawArray, value: f64| {
        choose(is_wrong, RawOperand::Scalar(number(value, x.dtype)), RawOperand::Array(numbers))
    };
    for (infinity, value) in [(f64::INFINITY, posinf), (f64::NEG_INFINITY, neginf)] {
        if let Some(value) = value {
            numbers = replaced(&numbers, &calc.with(BinaryOperation::Equal, x, infinity)?, value)?;
        }
    }
    replaced(&numbers, &calc.each(UnaryOperation::IsNan, x)?, nan)
}

/// Counts the bits in neighbouring pairs, then in groups of 4 and of 8 bits, which a product adds up in the highest one.
fn bit_counts(x: &RawArray) -> Result<RawArray> {
    let calc = Composed("bitwise_count");
    let x = calc.each(UnaryOperation::Abs, x)?;
    let bits = 8 * x.dtype.size();
    let groups = |pattern: u8| Scalar::from_bits(x.dtype, u128::from_ne_bytes([pattern; 16]));
    let masked = |x: &RawArray, pattern: u8| {
        binary("bitwise_count", BinaryOperation::BitwiseAnd, RawOperand::Array(x), RawOperand::Scalar(groups(pattern)))
    };
    let shifted = |x: &RawArray, places: usize| calc.with(BinaryOperation::RightShift, x, places as f64);
    let pairs = calc.pair(BinaryOperation::Subtract, &x, &masked(&shifted(&x, 1)?, 0x55)?)?;
    let fours = calc.pair(BinaryOperation::Add, &masked(&pairs, 0x33)?, &masked(&shifted(&pairs, 2)?, 0x33)?)?;
    let bytes = masked(&calc.pair(BinaryOperation::Add, &fours, &shifted(&fours, 4)?)?, 0x0f)?;
    let ones = RawOperand::Scalar(groups(0x01));
    let sums = binary("bitwise_count", BinaryOperation::Multiply, RawOperand::Array(&bytes), ones)?;
    shifted(&sums, bits - 8)?.converted("bitwise_count", DType::U8)
}
