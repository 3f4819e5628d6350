//! Functions of each element, or of each pair of elements, that are composed of other operations.

use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, ReduceOperation};
use crate::device::Device;
use crate::dtype::{DType, Element, Float, Inexact, Integer, Number, Scalar};
use crate::error::{Result, check};
use crate::operations::complex_functions;
use crate::operations::composing::{Composed, number};
use crate::operations::elementwise::sealed::Sealed;
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::formulas::{self, Formula, apply, apply_one};
use crate::operations::reduce::reduce_all;
use crate::operations::siblings::composed;

composed! {
    mod composed_functions;

    impl<T: Number> DeviceArray<T> {
        /// The quotient as a float: of integers as `f64`, where [`divide`](Self::divide) drops the fraction. NumPy's
        /// `true_divide`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1, 3]).true_divide(2).tolist(), [0.5, 1.5]);
        /// ```
        pub fn true_divide(&self, other: impl Operand<T>) -> DeviceArray<T::Mean> =>
            true_quotients(&self.raw, other.raw_operand());

        /// Each element to the power of the other's, as `f64`; NumPy's `float_power`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[2, 4]).float_power(-1).tolist(), [0.5, 0.25]);
        /// ```
        pub fn float_power(&self, other: impl Operand<T>) -> DeviceArray<f64> =>
            apply_one("float_power", formulas::power, &[self.raw_operand(), other.raw_operand()]);

        /// Whether each element has the sign bit set: negative numbers, −0.0, and NaN with a sign. NumPy's `signbit`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[-0.0, 0.0, -2.0]).signbit().tolist(), [true, false, true]);
        /// ```
        pub fn signbit(&self) -> DeviceArray<bool> =>
            Composed("signbit").with(BinaryOperation::Less, &as_bits(&self.raw), 0.0);

        /// Whether each element is positive infinity; integers never are. NumPy's `isposinf`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[f64::INFINITY, -f64::INFINITY]).isposinf().tolist(), [true, false]);
        /// ```
        pub fn isposinf(&self) -> DeviceArray<bool> => is_infinity("isposinf", &self.raw, f64::INFINITY);

        /// Whether each element is negative infinity; integers never are. NumPy's `isneginf`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[f64::INFINITY, -f64::INFINITY]).isneginf().tolist(), [false, true]);
        /// ```
        pub fn isneginf(&self) -> DeviceArray<bool> => is_infinity("isneginf", &self.raw, f64::NEG_INFINITY);
    }

    impl<T: Float> DeviceArray<T> {
        /// The step function: 0 for negative elements, 1 for positive ones, and the value of `at_zero` where an element is 0.
        /// NaN stays NaN. NumPy's `heaviside`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[-1.5, 0.0, 2.0]).heaviside(0.5).tolist(), [0.0, 0.5, 1.0]);
        /// ```
        pub fn heaviside(&self, at_zero: impl Operand<T>) -> DeviceArray<T> =>
            apply_one("heaviside", formulas::step, &[self.raw_operand(), at_zero.raw_operand()]);

        /// `log(exp(a) + exp(b))` without overflow on the way; NumPy's `logaddexp`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1000.0]).logaddexp(-f64::INFINITY).item(), 1000.0);
        /// ```
        pub fn logaddexp(&self, other: impl Operand<T>) -> DeviceArray<T> =>
            apply_one("logaddexp", formulas::log_of_sum, &[self.raw_operand(), other.raw_operand()]);

        /// `log2(2**a + 2**b)` without overflow on the way; NumPy's `logaddexp2`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[2000.0]).logaddexp2(2000.0).item(), 2001.0);
        /// ```
        pub fn logaddexp2(&self, other: impl Operand<T>) -> DeviceArray<T> =>
            apply_one("logaddexp2", formulas::log2_of_sum, &[self.raw_operand(), other.raw_operand()]);

        /// The next float from each element towards the other's; NumPy's `nextafter`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.0]).nextafter(2.0).item(), 1.0 + f64::EPSILON);
        /// ```
        pub fn nextafter(&self, other: impl Operand<T>) -> DeviceArray<T> =>
            apply_one("nextafter", formulas::next_towards, &[self.raw_operand(), other.raw_operand()]);
    }

    impl<T: Inexact> DeviceArray<T> {
        /// The array with 0 in place of NaN, and the largest and the least number of the type in place of the infinities; of
        /// complex numbers in each part. NumPy's `nan_to_num`; `gpu::nan_to_num!(&a, nan = -1.0, posinf = 1e9)` has its keywords.
        ///
        /// ```
        /// let a = warpcell::array(&[f64::NAN, 1.0, f64::INFINITY]);
        /// assert_eq!(a.nan_to_num().tolist(), [0.0, 1.0, f64::MAX]);
        /// ```
        pub fn nan_to_num(&self) -> DeviceArray<T> => nan_to_num(&self.raw, 0.0, None, None);

        /// `sin(πx) / (πx)`, and 1 where `x` is 0; NumPy's `sinc`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0]).sinc().item(), 1.0);
        /// assert!(warpcell::array(&[1.0]).sinc().abs().item() < 1e-16);
        /// ```
        pub fn sinc(&self) -> DeviceArray<T> => sines_by_angles(&self.raw);
    }

    impl<T: Integer> DeviceArray<T> {
        /// How many bits of the absolute value of each element are 1; NumPy's `bitwise_count`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0, 7, -8]).bitwise_count().tolist(), [0, 3, 1]);
        /// ```
        pub fn bitwise_count(&self) -> DeviceArray<u8> =>
            apply_one("bitwise_count", formulas::ones, &[self.raw_operand()]);
    }

    impl<T: Element> DeviceArray<T> {
        /// The larger of each pair; the other one if one is NaN. NumPy's `fmax`; [`maximum`](Self::maximum) keeps NaN.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[f64::NAN, 2.0]).fmax(1.0).tolist(), [1.0, 2.0]);
        /// ```
        pub fn fmax(&self, other: impl Operand<T>) -> DeviceArray<T> => {
            let ways = (BinaryOperation::Maximum, formulas::larger as Formula);
            extreme("fmax", ways, &self.raw, other.raw_operand())
        };

        /// The smaller of each pair; the other one if one is NaN. NumPy's `fmin`; [`minimum`](Self::minimum) keeps NaN.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[f64::NAN, 2.0]).fmin(1.0).tolist(), [1.0, 1.0]);
        /// ```
        pub fn fmin(&self, other: impl Operand<T>) -> DeviceArray<T> => {
            let ways = (BinaryOperation::Minimum, formulas::smaller as Formula);
            extreme("fmin", ways, &self.raw, other.raw_operand())
        };

        /// Whether the imaginary part of each element is 0; real numbers have none. NumPy's `isreal`.
        ///
        /// ```
        /// use warpcell::{Complex, array};
        /// assert_eq!(array(&[Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)]).isreal().tolist(), [true, false]);
        /// ```
        pub fn isreal(&self) -> DeviceArray<bool> => has_part("isreal", BinaryOperation::Equal, &self.raw);

        /// Whether the imaginary part of each element is not 0; real numbers have none. NumPy's `iscomplex`.
        ///
        /// ```
        /// use warpcell::{Complex, array};
        /// assert_eq!(array(&[Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)]).iscomplex().tolist(), [false, true]);
        /// ```
        pub fn iscomplex(&self) -> DeviceArray<bool> => has_part("iscomplex", BinaryOperation::NotEqual, &self.raw);
    }
}

impl<T: Number> DeviceArray<T> {
    /// The quotient rounded down, and what it leaves: [`floor_divide`](Self::floor_divide) and [`modulo`](Self::modulo).
    /// NumPy's `divmod`.
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
}

impl<T: Inexact> DeviceArray<T> {
    /// Each element to the power of a number of the array's type.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[4.0]).powf(0.5).item(), 2.0);
    /// ```
    #[track_caller]
    pub fn powf(&self, exponent: T) -> DeviceArray<T> {
        self.pow(exponent)
    }

    /// Each element to the power of an integer.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[3.0]).powi(2).item(), 9.0);
    /// ```
    #[track_caller]
    pub fn powi(&self, exponent: i32) -> DeviceArray<T> {
        if exponent == 2 { self.square() } else { DeviceArray::from_raw(check(with_exponent(&self.raw, exponent))) }
    }
}

impl<T: Float> DeviceArray<T> {
    /// The fractions and the whole numbers of the elements, both with their sign; NumPy's `modf`.
    ///
    /// ```
    /// let (fractions, wholes) = warpcell::array(&[2.5, -0.25]).modf();
    /// assert_eq!((fractions.tolist(), wholes.tolist()), (vec![0.5, -0.25], vec![2.0, -0.0]));
    /// ```
    #[track_caller]
    pub fn modf(&self) -> (DeviceArray<T>, DeviceArray<T>) {
        let formula = formulas::fraction_and_whole;
        let (fractions, wholes) = two(check(apply("modf", formula, &[RawOperand::Array(&self.raw)])));
        (DeviceArray::from_raw(fractions), DeviceArray::from_raw(wholes))
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

fn with_exponent(x: &RawArray, exponent: i32) -> Result<RawArray> {
    binary("powi", BinaryOperation::Power, x, Scalar::of_float(f64::from(exponent), x.dtype))
}

fn sines_by_angles(x: &RawArray) -> Result<RawArray> {
    let formula: Formula = if x.dtype.is_complex() { complex_functions::sine_cardinal } else { formulas::sinc };
    apply_one("sinc", formula, &[RawOperand::Array(x)])
}

/// The two results of a formula.
fn two(results: Vec<RawArray>) -> (RawArray, RawArray) {
    let [first, second] = results.try_into().ok().expect("the formula has two results");
    (first, second)
}

fn true_quotients(a: &RawArray, b: RawOperand<'_>) -> Result<RawArray> {
    if a.dtype.is_float() {
        return binary("true_divide", BinaryOperation::Divide, a, b);
    }
    apply_one("true_divide", formulas::quotient, &[RawOperand::Array(a), b])
}

fn quotients_and_rests(a: &RawArray, b: RawOperand<'_>) -> Result<(RawArray, RawArray)> {
    // The CPU divides integers by one value with multiplications, twice in less time than one division takes.
    let by_value = a.handle.device == Device::Cpu && matches!(b, RawOperand::Scalar(_));
    if a.dtype.is_float() || !by_value {
        return apply("divmod", formulas::quotient_and_rest, &[RawOperand::Array(a), b]).map(two);
    }
    let of = |operation| binary("divmod", operation, a, b);
    Ok((of(BinaryOperation::FloorDivide)?, of(BinaryOperation::Modulo)?))
}

/// The maximum or minimum of each pair, or the one of them that is not NaN: the operation for integers, the formula for floats.
fn extreme(
    name: &'static str,
    (operation, formula): (BinaryOperation, Formula),
    a: &RawArray,
    b: RawOperand<'_>,
) -> Result<RawArray> {
    let a = RawOperand::Array(a);
    if a.dtype().is_complex() {
        let is_larger = operation == BinaryOperation::Maximum;
        let formula: Formula = if is_larger { complex_functions::larger } else { complex_functions::smaller };
        return apply_one(name, formula, &[a, b]);
    }
    if a.dtype().is_float() { apply_one(name, formula, &[a, b]) } else { binary(name, operation, a, b) }
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

/// Floats as the signed integers that have their bits, and the opposite; a view. Integers stay as they are.
fn as_bits(x: &RawArray) -> RawArray {
    let dtype = match x.dtype {
        DType::F32 => DType::I32,
        DType::F64 => DType::I64,
        other => other,
    };
    RawArray { dtype, ..x.clone() }
}

pub(crate) fn nan_to_num(x: &RawArray, nan: f64, posinf: Option<f64>, neginf: Option<f64>) -> Result<RawArray> {
    if x.dtype.is_complex() {
        return nan_to_num(&x.parts(), nan, posinf, neginf).map(|parts| parts.joined(x.dtype));
    }
    let most = if x.dtype == DType::F32 { f64::from(f32::MAX) } else { f64::MAX };
    let scalar = |value: f64| RawOperand::Scalar(number(value, x.dtype));
    let values = [scalar(nan), scalar(posinf.unwrap_or(most)), scalar(neginf.unwrap_or(-most))];
    apply_one("nan_to_num", formulas::number_for, &[&[RawOperand::Array(x)], &values[..]].concat())
}
