//! Functions of each element, or of each pair of elements after broadcasting.

use crate::array::conversions::conversions;
use crate::array::{DeviceArray, RawArray, shape};
use crate::backend::{self, BinaryOperation, UnaryOperation};
use crate::device::Handle;
use crate::dtype::{Arithmetic, Bitwise, DType, Element, Float, Inexact, Integer, RealNumber, Scalar};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::complex_functions;
use crate::operations::formulas::{self, apply_one};
use crate::operations::map::registered_into;
use crate::operations::siblings::{composed, siblings};

use sealed::Sealed;

pub(super) mod sealed {
    use super::RawOperand;

    pub trait Sealed {
        fn raw_operand(&self) -> RawOperand<'_>;
    }
}

/// The right side of an elementwise operation on arrays of `T`: a `DeviceArray<T>`, a reference to one, or a `T`.
/// Not an extension point.
#[diagnostic::on_unimplemented(
    message = "cannot combine an array of `{T}` with `{Self}`",
    label = "expected `&DeviceArray<{T}>` or `{T}`",
    note = "copy a host array to the device first: `gpu::asarray(&a)`; convert other element types: `a.astype::<{T}>()`"
)]
pub trait Operand<T: Element>: sealed::Sealed {}

conversions! {
    fn raw_operand(&self) -> RawOperand<'_>: sealed::Sealed, Operand<T>;
    T [T: Element] => RawOperand::Scalar(self.to_scalar());
    DeviceArray<T> [T: Element] => RawOperand::Array(&self.raw);
    &DeviceArray<T> [T: Element] => RawOperand::Array(&self.raw);
}

/// An operand without its type.
#[derive(Clone, Copy)]
pub enum RawOperand<'a> {
    /// An array.
    Array(&'a RawArray),
    /// One value for all elements.
    Scalar(Scalar),
}

impl<'a> From<&'a RawArray> for RawOperand<'a> {
    fn from(array: &'a RawArray) -> RawOperand<'a> {
        RawOperand::Array(array)
    }
}

impl From<Scalar> for RawOperand<'_> {
    fn from(value: Scalar) -> RawOperand<'static> {
        RawOperand::Scalar(value)
    }
}

impl<'a> RawOperand<'a> {
    /// The type of its elements.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            RawOperand::Array(array) => array.dtype,
            RawOperand::Scalar(value) => value.dtype(),
        }
    }

    /// The array that it is, if it is one.
    pub(crate) fn array(self) -> Option<&'a RawArray> {
        match self {
            RawOperand::Array(array) => Some(array),
            RawOperand::Scalar(_) => None,
        }
    }

    /// The array that it is, or its value as an array without axes on a device.
    pub(crate) fn on(self, name: &'static str, handle: &Handle) -> Result<RawArray> {
        match self {
            RawOperand::Array(array) => Ok(array.clone()),
            RawOperand::Scalar(value) => RawArray::filled(name, handle, &[], value),
        }
    }

    /// Another array in its place, if there is one.
    pub(crate) fn replaced(self, array: &'a Option<RawArray>) -> RawOperand<'a> {
        array.as_ref().map_or(self, RawOperand::Array)
    }

    /// What becomes of its value, if it is one.
    pub(crate) fn with_value(self, change: impl FnOnce(Scalar) -> Scalar) -> RawOperand<'a> {
        match self {
            RawOperand::Scalar(value) => RawOperand::Scalar(change(value)),
            array => array,
        }
    }

    pub(super) fn view(self) -> backend::Operand<'a> {
        match self {
            RawOperand::Array(array) => backend::Operand::Array(array.view()),
            RawOperand::Scalar(value) => backend::Operand::Scalar(value),
        }
    }
}

/// Methods of one array, and functions of the same names.
macro_rules! unary {
    ($($bound:ident -> $result:ty { $($(#[$doc:meta])* $name:ident, $try_name:ident => $operation:ident;)* })*) => {
        impl<T: Element> DeviceArray<T> { fallible! {$($(
            $(#[$doc])*
            ///
            /// **Panics** if there is not enough memory for the result.
            pub fn $name, $try_name(&self) -> Result<DeviceArray<$result>> where T: $bound {
                unary(stringify!($name), UnaryOperation::$operation, &self.raw).map(DeviceArray::from_raw)
            }
        )*)*} }

        /// Functions of one array that call methods.
        pub mod unary_functions {
            use super::*;
            siblings! { $([T: $bound] T => DeviceArray<$result> { $($name();)* })* }
        }
    };
}
unary! {
    Inexact -> T {
        /// `e` to the power of each element.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0]).exp().item(), 1.0);
        /// ```
        exp, try_exp => Exp;
        /// The square root; NaN for negative elements. Of complex elements the root whose real part is not negative.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[9.0f32]).sqrt().item(), 3.0);
        /// ```
        sqrt, try_sqrt => Sqrt;
        /// The natural logarithm; NaN for negative elements, −∞ for 0. Of complex elements the one whose imaginary part is from −π to π.
        ///
        /// ```
        /// use warpcell::{Complex, array};
        /// let found = array(&[Complex::new(0.0, 1.0)]).log().item();
        /// assert_eq!(found, Complex::new(0.0, std::f64::consts::FRAC_PI_2));
        /// ```
        log, try_log => Log;
        /// The sine; radians.
        sin, try_sin => Sin;
        /// The cosine; radians.
        cos, try_cos => Cos;
        /// The tangent; radians.
        tan, try_tan => Tan;
        /// The hyperbolic tangent.
        tanh, try_tanh => Tanh;
        /// Two to the power of each element.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[3.0]).exp2().item(), 8.0);
        /// ```
        exp2, try_exp2 => Exp2;
        /// `e` to the power of each element, less 1; exact also for small elements.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1e-20]).expm1().item(), 1e-20);
        /// ```
        expm1, try_expm1 => Expm1;
        /// The logarithm to base 2; NaN for negative elements, −∞ for 0.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[8.0f32]).log2().item(), 3.0);
        /// ```
        log2, try_log2 => Log2;
        /// The logarithm to base 10; NaN for negative elements, −∞ for 0.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1000.0]).log10().item(), 3.0);
        /// ```
        log10, try_log10 => Log10;
        /// The natural logarithm of 1 plus each element; exact also for small elements.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1e-20]).log1p().item(), 1e-20);
        /// ```
        log1p, try_log1p => Log1p;
        /// The hyperbolic sine.
        sinh, try_sinh => Sinh;
        /// The hyperbolic cosine.
        cosh, try_cosh => Cosh;
        /// The inverse sine, −π/2 to π/2; NaN outside −1 to 1.
        asin, try_asin => Asin;
        /// The inverse cosine, 0 to π; NaN outside −1 to 1.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[-1.0]).acos().item(), std::f64::consts::PI);
        /// ```
        acos, try_acos => Acos;
        /// The inverse tangent, −π/2 to π/2.
        atan, try_atan => Atan;
        /// The inverse hyperbolic sine.
        asinh, try_asinh => Asinh;
        /// The inverse hyperbolic cosine; NaN below 1.
        acosh, try_acosh => Acosh;
        /// The inverse hyperbolic tangent; NaN outside −1 to 1, infinite at the ends.
        atanh, try_atanh => Atanh;
    }
    Float -> T {
        /// The cube root, also of negative elements.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[-27.0]).cbrt().item(), -3.0);
        /// ```
        cbrt, try_cbrt => Cbrt;
        /// The error function, `2/√π` times the integral of `exp(−t²)` from 0 to each element; SciPy's `special.erf`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0, f64::INFINITY]).erf().tolist(), [0.0, 1.0]);
        /// ```
        erf, try_erf => Erf;
        /// 1 less the error function; exact also for large elements, where [`erf`](Self::erf) is 1.
        ///
        /// ```
        /// assert!(warpcell::array(&[10.0]).erfc().item() > 2.0e-45);
        /// ```
        erfc, try_erfc => Erfc;
        /// The inverse of the error function; NaN outside −1 to 1, infinite at the ends.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0, 1.0]).erfinv().tolist(), [0.0, f64::INFINITY]);
        /// ```
        erfinv, try_erfinv => Erfinv;
        /// The distribution function of the standard normal distribution; SciPy's `special.ndtr`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0]).ndtr().item(), 0.5);
        /// ```
        ndtr, try_ndtr => Ndtr;
    }
    Bitwise -> T {
        /// Each bit inverted; bools negated. The same as `!&a`, and NumPy's `invert`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0u8, 254]).bitwise_not().sum(), 256);
        /// ```
        bitwise_not, try_bitwise_not => BitwiseNot;
    }
    Arithmetic -> T::Part {
        /// The absolute value; integers wrap, as in NumPy. That of complex elements is real.
        ///
        /// ```
        /// use warpcell::{Complex, array};
        /// assert_eq!(array(&[Complex::new(3.0, 4.0)]).abs().item(), 5.0);
        /// ```
        abs, try_abs => Abs;
    }
    Arithmetic -> T {
        /// Each element with the opposite sign; integers wrap. The same as `-&a`.
        negative, try_negative => Negative;
        /// The nearest integer, halves to the even one; integers stay as they are; of complex elements in each part.
        /// NumPy's `round` and `rint`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.5, 1.5, -2.5]).round().to_host(), ndarray::arr1(&[0.0, 2.0, -2.0]).into_dyn());
        /// ```
        round, try_round => Round;
        /// −1, 0 or 1; NaN for NaN. Of complex elements `z / abs(z)`, and 0 for 0.
        sign, try_sign => Sign;
    }
    RealNumber -> T {
        /// The largest integer not above each element.
        floor, try_floor => Floor;
        /// The smallest integer not below each element.
        ceil, try_ceil => Ceil;
        /// Each element without its fraction; integers stay as they are.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.7, -1.7]).trunc().to_host(), ndarray::arr1(&[1.0, -1.0]).into_dyn());
        /// ```
        trunc, try_trunc => Trunc;
    }
}

/// Methods of two operands.
macro_rules! binary_methods {
    ($($bound:ident -> $result:ty { $($(#[$doc:meta])* $name:ident, $try_name:ident => $operation:ident;)* })*) => {
        impl<T: Element> DeviceArray<T> { fallible! {$($(
            $(#[$doc])*
            ///
            /// **Panics** if the shapes do not broadcast or the devices differ.
            pub fn $name, $try_name(&self, other: impl Operand<T>) -> Result<DeviceArray<$result>> where T: $bound {
                let operation = BinaryOperation::$operation;
                binary(stringify!($name), operation, &*self.raw, other.raw_operand())
                    .map(DeviceArray::from_raw)
            }
        )*)*} }
    };
}

/// Methods of two operands, and functions of the same names.
macro_rules! binary {
    ($($bound:ident -> $result:ty { $($(#[$doc:meta])* $name:ident, $try_name:ident => $operation:ident;)* })*) => {
        binary_methods! { $($bound -> $result { $($(#[$doc])* $name, $try_name => $operation;)* })* }

        /// Functions of two operands that call methods.
        pub mod binary_functions {
            use super::*;
            siblings! { $([T: $bound] T => DeviceArray<$result> { $($name(other: impl Operand<T>);)* })* }
        }
    };
}
binary! {
    Arithmetic -> T {
        /// The sum; the same as `&a + &b`.
        add, try_add => Add;
        /// The difference; the same as `&a - &b`.
        subtract, try_subtract => Subtract;
        /// The product; the same as `&a * &b`.
        multiply, try_multiply => Multiply;
        /// The quotient; integers are truncated, and a zero divisor of an integer gives 0. The same as `&a / &b`.
        divide, try_divide => Divide;
        /// Each element to the power of the other's. Integers wrap. Of complex elements
        /// `exp(b * log(a))`; exponents that are integers below 100 are products, as in NumPy.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[2, 3]).pow(2).sum(), 13i64);
        /// ```
        pow, try_pow => Power;
    }
    RealNumber -> T {
        /// Rust's remainder, with the sign of the dividend; the same as `&a % &b`, and NumPy's `fmod`. NumPy's `remainder`
        /// and `mod` are [`modulo`](Self::modulo). A zero divisor of an integer gives 0.
        remainder, try_remainder => Remainder;
        /// The quotient rounded down, also for floats; NumPy's `floor_divide`. A zero divisor of an integer gives 0.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[7, -7]).floor_divide(2).to_host(), ndarray::arr1(&[3, -4]).into_dyn());
        /// ```
        floor_divide, try_floor_divide => FloorDivide;
        /// What [`floor_divide`](Self::floor_divide) leaves, with the sign of the divisor: Python's `%`, and NumPy's
        /// `remainder` and `mod`. A zero divisor of an integer gives 0.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[7, -7]).modulo(3).to_host(), ndarray::arr1(&[1, 2]).into_dyn());
        /// assert_eq!((warpcell::array(&[-7]) % 3).item(), -1);
        /// ```
        modulo, try_modulo => Modulo;
    }
    Element -> T {
        /// The larger of each pair; NaN if either is NaN. Of bools whether either is true. Complex elements are ordered by
        /// their real parts, then by their imaginary parts.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[-1.0, 2.0]).maximum(0.0).sum(), 2.0);
        /// ```
        maximum, try_maximum => Maximum;
        /// The smaller of each pair; see [`maximum`](Self::maximum). Of bools whether both are true.
        minimum, try_minimum => Minimum;
    }
    Float -> T {
        /// The angle of the point whose y is here and whose x is the other's, −π to π.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.0]).atan2(-0.0).item(), std::f64::consts::FRAC_PI_2);
        /// ```
        atan2, try_atan2 => Atan2;
        /// The length of the hypotenuse, `√(a² + b²)`, without overflow on the way.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[3.0]).hypot(4.0).item(), 5.0);
        /// ```
        hypot, try_hypot => Hypot;
        /// Each element with the other's sign, that of zeros and NaNs too.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.0, -2.0]).copysign(-0.0).sum(), -3.0);
        /// ```
        copysign, try_copysign => Copysign;
    }
    Bitwise -> T {
        /// The bits that both have; of bools, whether both are true. The same as `&a & &b`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[12, 10]).bitwise_and(6).to_host(), ndarray::arr1(&[4, 2]).into_dyn());
        /// ```
        bitwise_and, try_bitwise_and => BitwiseAnd;
        /// The bits that either has; of bools, whether either is true. The same as `&a | &b`.
        bitwise_or, try_bitwise_or => BitwiseOr;
        /// The bits that one has and the other has not; of bools, whether they differ. The same as `&a ^ &b`.
        bitwise_xor, try_bitwise_xor => BitwiseXor;
    }
    Integer -> T {
        /// The bits moved to higher places by the other's elements; the same as `&a << &b`. Moved by as many places as there
        /// are bits, by more, or by a negative number, an element becomes 0, as in NumPy.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1u8, 3, 1]).left_shift(&warpcell::array(&[3, 7, 8])).sum(), 8 + 128);
        /// ```
        left_shift, try_left_shift => LeftShift;
        /// The bits moved to lower places by the other's elements, the sign kept; the same as `&a >> &b`. Moved by as many
        /// places as there are bits, by more, or by a negative number, an element becomes 0, or −1 if it is negative, as
        /// in NumPy.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[-9, 9]).right_shift(1).to_host(), ndarray::arr1(&[-5, 4]).into_dyn());
        /// ```
        right_shift, try_right_shift => RightShift;
    }
}
// NumPy's functions have other names: `equal`, `less` (`siblings.rs`).
binary_methods! {
    Element -> bool {
        /// Whether the elements are equal.
        ///
        /// ```
        /// let a = warpcell::array(&[1, 2, 3]);
        /// assert!(a.eq(&a).all());
        /// ```
        eq, try_eq => Equal;
        /// Whether the elements differ.
        ne, try_ne => NotEqual;
    }
    Element -> bool {
        /// Whether each element is less than the other's. Complex elements are compared by their real parts, and if these are
        /// equal by their imaginary parts; the same holds for the next three methods.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1, 2, 3]).lt(3).sum(), 2);
        /// ```
        lt, try_lt => Less;
        /// Whether each element is less than or equal to the other's.
        le, try_le => LessEqual;
        /// Whether each element is greater than the other's.
        gt, try_gt => Greater;
        /// Whether each element is greater than or equal to the other's.
        ge, try_ge => GreaterEqual;
    }
}

composed! {
    mod elementary_functions;

    impl<T: Float> DeviceArray<T> {
        /// Angles in degrees as radians; NumPy's `radians` and `deg2rad`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[180.0]).radians().item(), std::f64::consts::PI);
        /// ```
        pub fn radians(&self) -> DeviceArray<T> => {
            let factor = T::from_f64(std::f64::consts::PI / 180.0).to_scalar();
            binary("multiply", BinaryOperation::Multiply, self.raw_operand(), factor)
        };

        /// Angles in radians as degrees; NumPy's `degrees` and `rad2deg`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[std::f64::consts::PI]).degrees().item(), 180.0);
        /// ```
        pub fn degrees(&self) -> DeviceArray<T> => {
            let factor = T::from_f64(180.0 / std::f64::consts::PI).to_scalar();
            binary("multiply", BinaryOperation::Multiply, self.raw_operand(), factor)
        };
    }

    impl<T: Inexact> DeviceArray<T> {
        /// One divided by each element.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[4.0, 0.0]).reciprocal().to_host(), ndarray::arr1(&[0.25, f64::INFINITY]).into_dyn());
        /// ```
        pub fn reciprocal(&self) -> DeviceArray<T> => reciprocals(&self.raw);
    }

    impl<T: Arithmetic> DeviceArray<T> {
        /// Each element times itself.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[3, 4]).square().sum(), 25i64);
        /// ```
        pub fn square(&self) -> DeviceArray<T> =>
            binary("multiply", BinaryOperation::Multiply, self.raw_operand(), self.raw_operand());
    }

    impl<T: RealNumber> DeviceArray<T> {
        /// Each element, but not less than `low` and not more than `high`: `low` and `high` are arrays or single values. NaN
        /// stays NaN, and where `low` is above `high` the result is `high`, as in NumPy.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[-3, 1, 9]).clip(0, 5).to_host(), ndarray::arr1(&[0, 1, 5]).into_dyn());
        /// ```
        pub fn clip(&self, low: impl Operand<T>, high: impl Operand<T>) -> DeviceArray<T> =>
            apply_one("clip", formulas::limited, &[self.raw_operand(), low.raw_operand(), high.raw_operand()]);
    }

    impl<T: Element> DeviceArray<T> {
        /// Whether each element is NaN; of complex elements whether either part is, and so the next two.
        ///
        /// ```
        /// assert!(warpcell::array(&[f64::NAN]).is_nan().all());
        /// ```
        pub fn is_nan(&self) -> DeviceArray<bool> => unary("is_nan", UnaryOperation::IsNan, &self.raw);

        /// Whether each element is infinite, of either sign; integers never are. Of complex ones, whether either part is.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.0, f64::NAN, -f64::INFINITY]).is_inf().count_nonzero(), 1);
        /// ```
        pub fn is_inf(&self) -> DeviceArray<bool> => unary("is_inf", UnaryOperation::IsInf, &self.raw);

        /// Whether each element is neither infinite nor NaN; integers always are. Of complex ones, whether neither part is.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.0, f64::NAN, -f64::INFINITY]).is_finite().count_nonzero(), 1);
        /// ```
        pub fn is_finite(&self) -> DeviceArray<bool> => unary("is_finite", UnaryOperation::IsFinite, &self.raw);
    }

    /// What is true of elements: `true` itself, and every number that is not zero. NaN is not zero.
    impl<T: Element> DeviceArray<T> {
        /// Whether both elements are true. Numbers are true if they are not zero. Of bools the same as `&a & &b`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// let a = warpcell::array(&[0.0, 2.0, f64::NAN]);
        /// assert_eq!(a.logical_and(1.0).tolist(), [false, true, true]);
        /// ```
        pub fn logical_and(&self, other: impl Operand<T>) -> DeviceArray<bool> =>
            truths("logical_and", BinaryOperation::LogicalAnd, self.raw_operand(), other.raw_operand());

        /// Whether either element is true. Numbers are true if they are not zero. Of bools the same as `&a | &b`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// let a = warpcell::array(&[0, 2, -1]);
        /// assert_eq!(a.logical_or(0).tolist(), [false, true, true]);
        /// ```
        pub fn logical_or(&self, other: impl Operand<T>) -> DeviceArray<bool> =>
            truths("logical_or", BinaryOperation::LogicalOr, self.raw_operand(), other.raw_operand());

        /// Whether one of the elements is true and the other is not. Numbers are true if they are not zero. Of bools the same
        /// as `&a ^ &b`.
        ///
        /// **Panics** if the shapes do not broadcast or the devices differ.
        ///
        /// ```
        /// let a = warpcell::array(&[true, true, false]);
        /// assert_eq!(a.logical_xor(true).count_nonzero(), 1);
        /// ```
        pub fn logical_xor(&self, other: impl Operand<T>) -> DeviceArray<bool> =>
            truths("logical_xor", BinaryOperation::BitwiseXor, self.raw_operand(), other.raw_operand());

        /// Whether each element is false, or 0. Of bools the same as `!&a`.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[0.0, 0.5]).logical_not().tolist(), [true, false]);
        /// ```
        pub fn logical_not(&self) -> DeviceArray<bool> => {
            const NAME: &str = "logical_not";
            let bools = if T::DTYPE == DType::Bool { Ok((*self.raw).clone()) } else { self.raw.converted(NAME, DType::Bool) };
            bools.and_then(|bools| unary(NAME, UnaryOperation::LogicalNot, &bools))
        };
    }
}

fn reciprocals(x: &RawArray) -> Result<RawArray> {
    const NAME: &str = "reciprocal";
    if x.dtype.is_complex() {
        return apply_one(NAME, complex_functions::inverse, &[RawOperand::Array(x)]);
    }
    binary(NAME, BinaryOperation::Divide, Scalar::one(x.dtype), x)
}

/// An operation on pairs of bools, which numbers become first.
fn truths(name: &'static str, operation: BinaryOperation, a: RawOperand<'_>, b: RawOperand<'_>) -> Result<RawArray> {
    let bools = |operand: RawOperand<'_>| {
        let other = operand.array().filter(|array| array.dtype != DType::Bool);
        other.map(|array| array.converted(name, DType::Bool)).transpose()
    };
    let (bools_a, bools_b) = (bools(a)?, bools(b)?);
    let truth = |value: Scalar| Scalar::Bool(value != Scalar::zero(value.dtype()));
    binary(name, operation, a.replaced(&bools_a).with_value(truth), b.replaced(&bools_b).with_value(truth))
}

/// Applies a function to each element.
pub(crate) fn unary(name: &'static str, operation: UnaryOperation, x: &RawArray) -> Result<RawArray> {
    if x.dtype.is_complex() && !operation.takes_complex() {
        return complex_functions::unary(name, operation, x);
    }
    if x.dtype == DType::Bool && !operation.takes(DType::Bool) {
        // What is asked of all numbers. Bools are neither NaN nor infinite.
        let answer = match operation {
            UnaryOperation::IsNan | UnaryOperation::IsInf => false,
            UnaryOperation::IsFinite => true,
            other => unreachable!("{name}: bools have no {other:?}; they become numbers first"),
        };
        return RawArray::filled(name, &x.handle, x.shape(), Scalar::Bool(answer));
    }
    if x.dtype.is_storage() {
        let out = unary(name, operation, &x.to_compute_type(name)?)?;
        return if operation.output(x.dtype) == x.dtype { out.converted(name, x.dtype) } else { Ok(out) };
    }
    RawArray::written(name, &x.handle, x.shape(), operation.output(x.dtype), |out| {
        x.handle.backend.unary(operation, x.view(), out.view())
    })
}

/// Applies a function to each pair of elements; one operand at least is an array.
pub(crate) fn binary<'a>(
    name: &'static str,
    operation: BinaryOperation,
    a: impl Into<RawOperand<'a>>,
    b: impl Into<RawOperand<'a>>,
) -> Result<RawArray> {
    let (a, b) = (a.into(), b.into());
    let common;
    // Operands of one shape are the most frequent, and what is computed on the host for them counts for small arrays.
    let (array, shape) = match (a, b) {
        (RawOperand::Array(a), RawOperand::Array(b)) => {
            a.same_device(name, b)?;
            if a.shape() == b.shape() {
                (a, a.shape())
            } else {
                common = shape::broadcast_shapes(name, a.shape(), b.shape())?;
                (a, common.as_slice())
            }
        }
        (RawOperand::Array(array), _) | (_, RawOperand::Array(array)) => (array, array.shape()),
        _ => unreachable!("one operand at least is an array"),
    };
    let out = RawArray::uninitialised(name, &array.handle, shape, operation.output(array.dtype))?;
    run(operation, a, b, &out)?;
    Ok(out)
}

/// As [`binary()`], into the left operand, whose shape the right one must broadcast to.
pub(crate) fn binary_into<'a>(
    name: &'static str,
    operation: BinaryOperation,
    target: &RawArray,
    other: impl Into<RawOperand<'a>>,
) -> Result<()> {
    crate::array::writable(name, target)?;
    let (other, mut copy) = (other.into(), None);
    if let Some(array) = other.array() {
        target.same_device(name, array)?;
        if shape::broadcast_shapes(name, target.shape(), array.shape())? != target.shape() {
            let (left, right) = (target.shape().to_vec(), array.shape().to_vec());
            return Err(Error::ShapeMismatch { operation: name, left, right });
        }
        // Views of one allocation may overlap; backends accept only the target itself as an operand.
        if target.shares_memory(array) && target.layout != array.layout {
            copy = Some(array.copied(name)?);
        }
    }
    run(operation, target.into(), other.replaced(&copy), target)
}

fn run(operation: BinaryOperation, a: RawOperand<'_>, b: RawOperand<'_>, out: &RawArray) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    if a.dtype().is_complex() && !operation.takes_complex() {
        return registered_into("binary", complex_functions::binary_formula(operation)(a.dtype()), &[a, b], out);
    }
    let operation = match (operation, a.dtype()) {
        (BinaryOperation::Maximum, DType::Bool) => BinaryOperation::LogicalOr,
        (BinaryOperation::Minimum, DType::Bool) => BinaryOperation::LogicalAnd,
        (BinaryOperation::Subtract, DType::Bool) => BinaryOperation::BitwiseXor,
        _ => operation,
    };
    if a.dtype().is_storage() {
        return run_computed(operation, a, b, out);
    }
    let broadcast = |operand: RawOperand<'_>| {
        let other = operand.array().filter(|array| array.shape() != out.shape());
        other.map(|array| array.with_layout(shape::broadcast_layout(&array.layout, out.shape())))
    };
    let (wide_a, wide_b) = (broadcast(a), broadcast(b));
    out.handle.backend.binary(operation, a.replaced(&wide_a).view(), b.replaced(&wide_b).view(), out.view())
}

/// As [`run`], for elements of a type for storage: what they are computed and compared as is wider.
#[cold]
fn run_computed(operation: BinaryOperation, a: RawOperand<'_>, b: RawOperand<'_>, out: &RawArray) -> Result<()> {
    let wider = |operand: RawOperand<'_>| operand.array().map(|array| array.to_compute_type("astype")).transpose();
    let (wider_a, wider_b) = (wider(a)?, wider(b)?);
    let [a, b] = [a.replaced(&wider_a), b.replaced(&wider_b)].map(|side| side.with_value(Scalar::to_compute_type));
    if !out.dtype.is_storage() {
        return run(operation, a, b, out);
    }
    let computed = RawArray::uninitialised("astype", &out.handle, out.shape(), out.dtype.compute_type())?;
    run(operation, a, b, &computed)?;
    out.handle.backend.copy(computed.view(), out.view())
}
