//! Polynomials as values: NumPy's `poly1d`.

use super::roots::{coefficients, roots_of};
use super::{
    aligned, antiderivative, constants, derivative, divided, full_product, length_of, nonzero_place, product, values,
};
use crate::array::sides::{AnyView, sealed};
use crate::array::{AnyArray, DeviceArray, OnDevice, RawArray, slice_axis, transfer};
use crate::backend::{BinaryOperation, UnaryOperation};
use crate::dtype::{Arithmetic, DType, Element, Inexact, Scalar, Spectrum, dtypes, if_dtype};
use crate::error::{Result, check};
use crate::fallible::fallible;
use crate::number::general;
use crate::operations::composing::Composed;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::OnceLock;

const NAME: &str = "poly1d";
/// Characters of a line of printed terms.
const WIDTH: usize = 70;

/// A polynomial of one variable, by its coefficients on a device; NumPy's `poly1d`, made by [`gpu::poly1d`](fn@crate::poly1d).
///
/// Polynomials have `+`, `-`, `*` and `/` among themselves and with numbers, [`powi`](Self::powi), [`deriv`](Self::deriv),
/// [`integ`](Self::integ) and [`roots`](Self::roots). NumPy's `p(x)` is [`p.eval(x)`](Self::eval), and `p[k]` is
/// [`p.get(k)`](Self::get). Division by a polynomial gives the quotient and the rest; of integers it gives `f64`. Functions of arrays,
/// such as [`polyval`](super::polyval), take a polynomial as the array of its coefficients. What depends on the degree waits for the
/// device, once, since only it knows how many zeros there are in front.
///
/// ```
/// use warpcell as gpu;
/// let p = gpu::poly1d(&gpu::array(&[1.0, 2.0, 3.0]));
/// assert_eq!(p.to_string(), "   2\n1 x + 2 x + 3");
/// assert_eq!((p.eval(0.5), p.order(), p.get(1)), (4.25, 2, 2.0));
/// let square = &p * &p;
/// assert_eq!(square.coeffs().tolist(), [1.0, 4.0, 10.0, 12.0, 9.0]);
/// let (quotient, rest) = square / &p;
/// assert!(quotient == p && rest.order() == 0 && rest.get(0) == 0.0);
/// ```
#[derive(Clone)]
pub struct Poly1d<T: Arithmetic> {
    /// The coefficients, perhaps with zeros in front.
    line: DeviceArray<T>,
    /// A view of those without zeros in front, once somebody has asked for it.
    trimmed: OnceLock<DeviceArray<T>>,
    variable: String,
}

fallible! {
    /// The polynomial with these coefficients, that of the highest power first. NumPy's `poly1d`. `gpu::poly1d!(&a, r = true)` has roots
    /// instead, as [`Poly1d::from_roots`], and `variable = "z"` is printed in place of `x`. The coefficients are copied.
    ///
    /// **Panics** if the array has more than one axis ([`Error::InvalidShape`](crate::Error::InvalidShape)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let p = gpu::poly1d(&gpu::array(&[0, 0, 5, 0]));
    /// assert_eq!((p.order(), p.eval(3)), (1, 15));
    /// assert_eq!(gpu::poly1d!(&gpu::array(&[1.0, 2.0]), r = true, variable = "z").to_string(), "   2\n1 z - 3 z + 2");
    /// ```
    pub fn poly1d, try_poly1d<A: OnDevice<Elem = T>, T: Arithmetic>(c: &A) -> Result<Poly1d<T>> {
        Poly1d::of(c.raw(), "x")
    }
}

/// What a polynomial of `T` is evaluated at: a number, an array, or a polynomial. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a polynomial with coefficients of `{T}` cannot be evaluated at `{Self}`",
    label = "expected `{T}`, `&DeviceArray<{T}>` or `&Poly1d<{T}>`",
    note = "convert the polynomial, `p.astype::<f64>()`, or the array, `x.astype::<f64>()`"
)]
pub trait PolyArgument<T: Arithmetic> {
    /// A number, an array or a polynomial, as the argument.
    type Output;
    #[doc(hidden)]
    fn evaluated(self, p: &Poly1d<T>) -> Result<Self::Output>;
}

impl<T: Arithmetic> PolyArgument<T> for T {
    type Output = T;
    fn evaluated(self, p: &Poly1d<T>) -> Result<T> {
        // Many operations on one number: on the host, wherever the polynomial is.
        let coefficients = &p.known().raw;
        coefficients.handle.may_wait(NAME)?;
        value_at(coefficients, self.to_scalar()).map(transfer::typed_scalar)
    }
}

/// The value at a number, of the coefficients' type, by Horner's scheme.
fn value_at(p: &RawArray, x: Scalar) -> Result<Scalar> {
    macro_rules! by_type {
        ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
            match p.dtype { $(DType::$tag => by_type!(@$kind $type),)* }
        };
        (@Bool $type:ty) => { unreachable!("truth values have no arithmetic") };
        (@Unsigned $type:ty) => { by_type!(@by $type, |sum, x, next| sum.wrapping_mul(x).wrapping_add(next)) };
        (@Signed $type:ty) => { by_type!(@Unsigned $type) };
        (@$kind:ident $type:ty) => { by_type!(@by $type, |sum, x, next| sum * x + next) };
        (@by $type:ty, |$sum:ident, $x:ident, $next:ident| $step:expr) => {{
            let $x: $type = transfer::typed_scalar(x);
            let coefficients = transfer::download_vec::<$type>(p)?;
            // As in NumPy, the first step multiplies by x, too: at infinity the result is NaN.
            coefficients.into_iter().fold(<$type>::default(), |$sum, $next| $step).to_scalar()
        }};
    }
    Ok(dtypes!(by_type!()))
}

impl<T: Arithmetic> PolyArgument<T> for &DeviceArray<T> {
    type Output = DeviceArray<T>;
    fn evaluated(self, p: &Poly1d<T>) -> Result<DeviceArray<T>> {
        values(p.raw(), &self.raw).map(DeviceArray::from_raw)
    }
}
impl<T: Arithmetic> PolyArgument<T> for DeviceArray<T> {
    type Output = DeviceArray<T>;
    fn evaluated(self, p: &Poly1d<T>) -> Result<DeviceArray<T>> {
        (&self).evaluated(p)
    }
}
impl<T: Arithmetic> PolyArgument<T> for &Poly1d<T> {
    type Output = Poly1d<T>;
    fn evaluated(self, p: &Poly1d<T>) -> Result<Poly1d<T>> {
        // By Horner's scheme.
        let mut sum = slice_axis(p.raw(), 0, 0, 1, 1);
        for place in 1..p.raw().size() {
            let term = slice_axis(p.raw(), 0, place, 1, 1);
            sum = aligned(NAME, BinaryOperation::Add, &product(&sum, self.raw())?, &term)?;
        }
        Poly1d::of(&sum, &self.variable)
    }
}

impl<T: Arithmetic> Poly1d<T> {
    /// Of coefficients with zeros in front, which are copied.
    fn of(coefficients: &RawArray, variable: &str) -> Result<Poly1d<T>> {
        let line = if coefficients.shape().is_empty() { coefficients.flat(NAME)? } else { coefficients.clone() };
        let count = length_of(NAME, &line)?;
        line.handle.may_wait(NAME)?;
        let line = match count {
            0 => RawArray::filled(NAME, &line.handle, &[1], Scalar::zero(line.dtype))?,
            _ => line.copied(NAME)?,
        };
        Ok(Poly1d { line: DeviceArray::from_raw(line), trimmed: OnceLock::new(), variable: variable.to_owned() })
    }

    /// The coefficients without zeros in front; of the polynomial 0, one zero.
    fn trimmed(&self) -> Result<&DeviceArray<T>> {
        if let Some(trimmed) = self.trimmed.get() {
            return Ok(trimmed);
        }
        let line = &self.line.raw;
        let count = line.size();
        let trimmed = match nonzero_place(NAME, line, false)? {
            Some(first) => slice_axis(line, 0, first, 1, count - first),
            None => RawArray::filled(NAME, &line.handle, &[1], Scalar::zero(line.dtype))?,
        };
        Ok(self.trimmed.get_or_init(|| DeviceArray::from_raw(trimmed)))
    }

    /// The same, but perhaps with zeros in front, so that nobody waits.
    fn known(&self) -> &DeviceArray<T> {
        self.trimmed.get().unwrap_or(&self.line)
    }

    /// The same as `trimmed`; or with zeros in front where nobody can wait, such as while a graph is captured.
    fn raw(&self) -> &RawArray {
        &self.trimmed().unwrap_or(&self.line).raw
    }

    /// The polynomial with these roots and the highest coefficient 1; see [`poly`](super::poly).
    ///
    /// **Panics** as `poly` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let p = gpu::Poly1d::from_roots(&gpu::array(&[1.0, 2.0]));
    /// assert_eq!(p.coeffs().tolist(), [1.0, -3.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn from_roots<A: OnDevice<Elem = T>>(roots: &A) -> Poly1d<T>
    where
        T: Inexact,
    {
        check(coefficients(roots.raw()).and_then(|found| Poly1d::of(&found, "x")))
    }

    /// The same polynomial, in which another name of the variable is printed.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let p = gpu::poly1d(&gpu::array(&[2, 1])).with_variable("t");
    /// assert_eq!((p.to_string().as_str(), p.variable()), (" \n2 t + 1", "t"));
    /// ```
    pub fn with_variable(mut self, variable: &str) -> Poly1d<T> {
        variable.clone_into(&mut self.variable);
        self
    }

    /// The name of the variable.
    pub fn variable(&self) -> &str {
        &self.variable
    }

    /// The coefficients, that of the highest power first; they are not copied. Of the polynomial 0, one zero. Waits for the device.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::poly1d(&gpu::array(&[0, 1, 2])).coeffs().tolist(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn coeffs(&self) -> DeviceArray<T> {
        check(self.trimmed()).clone()
    }

    /// NumPy's short name of [`coeffs`](Self::coeffs).
    #[track_caller]
    pub fn c(&self) -> DeviceArray<T> {
        self.coeffs()
    }

    /// The degree; 0 for the polynomial 0. Waits for the device.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::poly1d(&gpu::array(&[1, 2, 3])).order(), 2);
    /// ```
    #[track_caller]
    pub fn order(&self) -> usize {
        check(self.trimmed()).size() - 1
    }

    /// NumPy's short name of [`order`](Self::order).
    #[track_caller]
    pub fn o(&self) -> usize {
        self.order()
    }

    /// The coefficient of a power; 0 beyond the degree. NumPy's `p[k]`. Waits for the device.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let p = gpu::poly1d(&gpu::array(&[1, 2, 3]));
    /// assert_eq!((p.get(0), p.get(2), p.get(9)), (3, 1, 0));
    /// ```
    #[track_caller]
    pub fn get(&self, power: usize) -> T {
        // Zeros in front are what there is beyond the degree.
        let known = self.known();
        let most = known.size() - 1;
        if power > most { T::default() } else { known.get(&[most - power]) }
    }

    /// The roots; see [`gpu::roots`](fn@crate::roots).
    ///
    /// **Panics** as `gpu::roots` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let p = gpu::poly1d(&gpu::array(&[1.0, 0.0, 4.0]));
    /// assert!(gpu::allclose(&gpu::sort(&p.roots().imag()), &[-2.0, 2.0]));
    /// ```
    #[track_caller]
    pub fn roots(&self) -> DeviceArray<Spectrum<T>> {
        DeviceArray::from_raw(check(roots_of("roots", self.raw(), Spectrum::<T>::DTYPE)))
    }

    /// NumPy's short name of [`roots`](Self::roots).
    #[track_caller]
    pub fn r(&self) -> DeviceArray<Spectrum<T>> {
        self.roots()
    }

    fallible! {
        /// The value at a number, the values at the elements of an array, or the polynomial of another polynomial. NumPy's `p(x)`. By
        /// Horner's scheme. A number waits for the device.
        ///
        /// **Panics** if a device differs.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let p = gpu::poly1d(&gpu::array(&[1, 0, 1]));
        /// assert_eq!(p.eval(3), 10);
        /// assert_eq!(p.eval(&gpu::arange(4)).tolist(), [1, 2, 5, 10]);
        /// // (x + 1)² + 1
        /// assert_eq!(p.eval(&gpu::poly1d(&gpu::array(&[1, 1]))).coeffs().tolist(), [1, 2, 2]);
        /// ```
        pub fn eval, try_eval<X: PolyArgument<T>>(&self, x: X) -> Result<X::Output> {
            x.evaluated(self)
        }
    }

    /// The derivative; [`deriv_with`](Self::deriv_with)`(m)` is the one of order `m`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::poly1d(&gpu::array(&[1, 1, 1, 1])).deriv().coeffs().tolist(), [3, 2, 1]);
    /// ```
    #[track_caller]
    pub fn deriv(&self) -> Poly1d<T> {
        self.deriv_with(1)
    }

    /// The derivative of order `m`; NumPy's `p.deriv(m)`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::poly1d(&gpu::array(&[1, 1, 1, 1])).deriv_with(2).coeffs().tolist(), [6, 2]);
    /// ```
    #[track_caller]
    pub fn deriv_with(&self, m: usize) -> Poly1d<T> {
        self.made(derivative(self.raw(), m))
    }

    /// An integral, with the constant 0; of floats, or `f64` for integers. [`integ_with`](Self::integ_with) has others.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::poly1d(&gpu::array(&[2, 1])).integ().coeffs().tolist(), [1.0, 1.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn integ(&self) -> Poly1d<T::Mean> {
        self.integ_with(1, [])
    }

    /// The polynomial integrated `m` times with these constants: one for each time, one for all, or none for zeros. NumPy's
    /// `p.integ(m, k)`.
    ///
    /// **Panics** if there are some constants, but too few ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::poly1d(&gpu::array(&[6.0])).integ_with(2, [1.0, 2.0]).coeffs().tolist(), [3.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn integ_with(&self, m: usize, k: impl AsRef<[T::Mean]>) -> Poly1d<T::Mean> {
        let given = k.as_ref().iter().map(|constant| constant.to_scalar()).collect();
        let found = constants(m, given, Scalar::zero(T::Mean::DTYPE))
            .and_then(|constants| antiderivative(self.raw(), &constants, T::Mean::DTYPE));
        self.made(found)
    }

    /// The polynomial to a power; NumPy's `p ** n`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::poly1d(&gpu::array(&[1, 1])).powi(3).coeffs().tolist(), [1, 3, 3, 1]);
    /// ```
    #[track_caller]
    pub fn powi(&self, exponent: u32) -> Poly1d<T> {
        self.made(self.power(exponent))
    }

    fn power(&self, mut exponent: u32) -> Result<RawArray> {
        // The zeros in front are those of the result: nothing waits for them on the way.
        let mut power = None;
        let mut square = self.raw().clone();
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = Some(match &power {
                    Some(power) => full_product(power, &square)?,
                    None => square.clone(),
                });
            }
            exponent /= 2;
            if exponent > 0 {
                square = full_product(&square, &square)?;
            }
        }
        match power {
            Some(power) => Ok(power),
            None => RawArray::filled(NAME, &self.raw().handle, &[1], Scalar::one(T::DTYPE)),
        }
    }

    /// The same polynomial with coefficients of another type.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let p = gpu::poly1d(&gpu::array(&[1.0, 0.0, 1.0]));
    /// assert!(p.astype::<gpu::Complex64>().eval(&p.roots()).abs().max() < 1e-12);
    /// ```
    #[track_caller]
    pub fn astype<U: Arithmetic>(&self) -> Poly1d<U> {
        self.made(self.raw().converted("astype", U::DTYPE))
    }

    /// A result of this polynomial.
    #[track_caller]
    fn made<U: Arithmetic>(&self, coefficients: Result<RawArray>) -> Poly1d<U> {
        check(coefficients.and_then(|coefficients| Poly1d::of(&coefficients, &self.variable)))
    }

    #[track_caller]
    fn sum(&self, operation: BinaryOperation, other: &RawArray) -> Poly1d<T> {
        self.made(aligned(NAME, operation, self.raw(), other))
    }

    /// A number as a polynomial.
    fn constant(&self, value: T) -> Result<RawArray> {
        RawArray::filled(NAME, &self.raw().handle, &[1], value.to_scalar())
    }
}

impl<T: Arithmetic> sealed::Device for Poly1d<T> {
    fn raw(&self) -> &RawArray {
        self.raw()
    }
}
impl<T: Arithmetic> OnDevice for Poly1d<T> {
    type Elem = T;
}
impl<T: Arithmetic> sealed::Any for Poly1d<T> {
    fn any_view(&self) -> AnyView<'_> {
        AnyView::Device(self.raw())
    }
}
impl<T: Arithmetic> AnyArray for Poly1d<T> {
    type Elem = T;
}

/// Operators of two polynomials, and of a polynomial and a number, as values and as references.
macro_rules! operators {
    ($($trait:ident $method:ident -> $output:ty, $with_number:ty: |$p:ident, $q:ident| $both:expr, |$left:ident, $number:ident| $one:expr;)*) => {$(
        operators!(@both $trait $method $output, |$p, $q| $both; [Poly1d<T>] [Poly1d<T>], [Poly1d<T>] [&Poly1d<T>],
            [&Poly1d<T>] [Poly1d<T>], [&Poly1d<T>] [&Poly1d<T>]);
        operators!(@number $trait $method $with_number, |$left, $number| $one; [Poly1d<T>], [&Poly1d<T>]);
    )*};
    (@both $trait:ident $method:ident $output:ty, |$p:ident, $q:ident| $both:expr; $([$one:ty] [$other:ty]),*) => {$(
        impl<T: Arithmetic> $trait<$other> for $one {
            type Output = $output;
            #[track_caller]
            fn $method(self, other: $other) -> $output {
                let ($p, $q): (&Poly1d<T>, &Poly1d<T>) = (&self, &other);
                $both
            }
        }
    )*};
    (@number $trait:ident $method:ident $output:ty, |$left:ident, $number:ident| $value:expr; $([$one:ty]),*) => {$(
        impl<T: Arithmetic> $trait<T> for $one {
            type Output = $output;
            #[track_caller]
            fn $method(self, $number: T) -> $output {
                let $left: &Poly1d<T> = &self;
                $value
            }
        }
    )*};
}
operators! {
    Add add -> Poly1d<T>, Poly1d<T>: |p, q| p.sum(BinaryOperation::Add, q.raw()),
        |p, number| p.sum(BinaryOperation::Add, &check(p.constant(number)));
    Sub sub -> Poly1d<T>, Poly1d<T>: |p, q| p.sum(BinaryOperation::Subtract, q.raw()),
        |p, number| p.sum(BinaryOperation::Subtract, &check(p.constant(number)));
    Mul mul -> Poly1d<T>, Poly1d<T>: |p, q| p.made(product(p.raw(), q.raw())),
        |p, number| p.made(p.constant(number).and_then(|number| product(p.raw(), &number)));
    Div div -> (Poly1d<T::Mean>, Poly1d<T::Mean>), Poly1d<T::Mean>: |p, q| {
        let (quotient, rest) = check(divided(p.raw(), q.raw(), T::Mean::DTYPE));
        (p.made(Ok(quotient)), p.made(Ok(rest)))
    }, |p, number| p.made(p.constant(number).and_then(|number| {
        let floats = |x: &RawArray| x.converted(NAME, T::Mean::DTYPE);
        Composed(NAME).pair(BinaryOperation::Divide, &floats(p.raw())?, &floats(&number)?)
    }));
}

impl<T: Arithmetic> Neg for &Poly1d<T> {
    type Output = Poly1d<T>;
    #[track_caller]
    fn neg(self) -> Poly1d<T> {
        self.made(Composed(NAME).each(UnaryOperation::Negative, self.raw()))
    }
}
impl<T: Arithmetic> Neg for Poly1d<T> {
    type Output = Poly1d<T>;
    #[track_caller]
    fn neg(self) -> Poly1d<T> {
        -&self
    }
}

/// A number on the left: `2.0 * &p`.
macro_rules! numbers {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {$(
        numbers!(@kind $kind $use $type);
    )*};
    (@kind Complex $use:ident $type:ty) => { numbers!(@each $type); };
    (@kind $kind:ident $use:ident $type:ty) => { if_dtype! { arithmetic $kind $use { numbers!(@each $type); } {} } };
    (@each $type:ty) => {
        numbers!(@both $type, [Poly1d<$type>] [&Poly1d<$type>], Add add |number, p| p + number);
        numbers!(@both $type, [Poly1d<$type>] [&Poly1d<$type>], Sub sub |number, p| -(p - number));
        numbers!(@both $type, [Poly1d<$type>] [&Poly1d<$type>], Mul mul |number, p| p * number);
    };
    (@both $type:ty, $([$right:ty])*, $trait:ident $method:ident |$number:ident, $p:ident| $value:expr) => {$(
        numbers!(@one $type, $right, $trait $method |$number, $p| $value);
    )*};
    (@one $type:ty, $right:ty, $trait:ident $method:ident |$number:ident, $p:ident| $value:expr) => {
        impl $trait<$right> for $type {
            type Output = Poly1d<$type>;
            #[track_caller]
            fn $method(self, p: $right) -> Poly1d<$type> {
                let ($number, $p): (_, &Poly1d<$type>) = (self, &p);
                $value
            }
        }
    };
}
dtypes!(numbers!());

/// Whether all coefficients are equal. Waits for the device.
impl<T: Arithmetic> PartialEq for Poly1d<T> {
    #[track_caller]
    fn eq(&self, other: &Poly1d<T>) -> bool {
        self.order() == other.order() && self.coeffs().eq(&other.coeffs()).all()
    }
}

impl<T: Arithmetic> Poly1d<T> {
    /// The parts of the coefficients as f64.
    fn numbers(&self) -> Result<Vec<[f64; 2]>> {
        let parts = self.raw().converted(NAME, DType::C128)?;
        let numbers: Vec<f64> = transfer::download_vec(&parts.parts())?;
        Ok(numbers.as_chunks::<2>().0.to_vec())
    }
}

/// As NumPy's `print` shows polynomials: powers in the line above, four digits of each coefficient. Waits for queued work.
impl<T: Arithmetic> fmt::Display for Poly1d<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.numbers() {
            Ok(numbers) => f.write_str(&drawn(&numbers, &self.variable)),
            Err(error) => write!(f, "<the coefficients cannot be read: {error}>"),
        }
    }
}

/// The coefficients, as in `poly1d([1.0, 2.0])`.
impl<T: Arithmetic> fmt::Debug for Poly1d<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match transfer::download_vec::<T>(self.raw()) {
            Ok(coefficients) => write!(f, "{NAME}({coefficients:?})"),
            Err(error) => write!(f, "{NAME}(<the coefficients cannot be read: {error}>)"),
        }
    }
}

/// A polynomial in two lines, or in pairs of lines of at most [`WIDTH`] characters.
fn drawn(coefficients: &[[f64; 2]], variable: &str) -> String {
    let most = coefficients.len() - 1;
    let (mut lines, mut powers, mut terms) = (String::new(), String::new(), String::new());
    for (index, &[re, im]) in coefficients.iter().enumerate() {
        let number = |value: f64| general(value, 4);
        let coefficient = match (re, im) {
            (_, 0.0) => number(re),
            (0.0, _) => format!("{}j", number(im)),
            _ => format!("({} + {}j)", number(re), number(im)),
        };
        let is_zero = matches!(coefficient.as_str(), "0" | "-0");
        if is_zero && most > 0 {
            continue;
        }
        let power = most - index;
        let term = if power == 0 { coefficient } else { format!("{coefficient} {variable}") };
        let term = match term.strip_prefix('-') {
            _ if index == 0 => term,
            Some(positive) => format!(" - {positive}"),
            None => format!(" + {term}"),
        };
        let exponent = if power > 1 { power.to_string() } else { String::new() };
        let wide = terms.chars().count() + term.chars().count() + exponent.len();
        if wide > WIDTH + 1 && power > 1 && !terms.is_empty() {
            lines += &format!(" {}\n{terms}\n", std::mem::take(&mut powers));
            terms.clear();
        }
        terms += &term;
        if power > 1 {
            // The power stands behind the variable, which has no other character below it.
            let width = terms.chars().count();
            powers += &" ".repeat(width.saturating_sub(powers.chars().count() + 1));
            powers += &exponent;
            terms += &" ".repeat(exponent.len() - 1);
        }
    }
    format!("{lines} {powers}\n{terms}")
}

#[cfg(test)]
mod tests {
    use super::drawn;

    fn real(coefficients: &[f64]) -> String {
        drawn(&coefficients.iter().map(|&value| [value, 0.0]).collect::<Vec<_>>(), "x")
    }

    /// As `print(np.poly1d(…))` shows them.
    #[test]
    fn polynomials_are_printed_as_numpy_prints_them() {
        assert_eq!(real(&[1.0, 2.0, 3.0]), "   2\n1 x + 2 x + 3");
        assert_eq!(real(&[0.0]), " \n0");
        assert_eq!(real(&[-2.5]), " \n-2.5");
        assert_eq!(real(&[1.0, 0.0]), " \n1 x");
        assert_eq!(real(&[-1.0, 0.0, -3.0, 0.0]), "    3\n-1 x - 3 x");
        assert_eq!(real(&[1.23456, 1e10, 1e-5]), "       2\n1.235 x + 1e+10 x + 1e-05");
        assert_eq!(drawn(&[[0.0, 2.0], [1.0, -1.0], [3.0, 0.0]], "z"), "    2\n2j z + (1 + -1j) z + 3");
        let many: Vec<f64> = (1..=24).map(f64::from).collect();
        assert_eq!(
            real(&many),
            "   23     22     21     20     19     18     17     16     15      14\n\
             1 x  + 2 x  + 3 x  + 4 x  + 5 x  + 6 x  + 7 x  + 8 x  + 9 x  + 10 x \n       \
             13      12      11      10      9      8      7      6      5\n \
             + 11 x  + 12 x  + 13 x  + 14 x  + 15 x + 16 x + 17 x + 18 x + 19 x\n       4      3      2\n \
             + 20 x + 21 x + 22 x + 23 x + 24"
        );
    }
}
