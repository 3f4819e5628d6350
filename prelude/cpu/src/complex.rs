//! Elementwise functions of complex numbers, and their products in sums.

use super::elementwise::{Input, blocks, map, zip};
use super::matmul::Ring;
use super::numeric::{Bit, Native, Real};
use num_complex::Complex;
use warpcell_base::backend::{BinaryOperation, Layout, UnaryOperation};
use warpcell_base::dtype::{DType, Scalar};

/// Applies a function to each element.
///
/// # Safety
///
/// As for [`elementwise::unary`](super::elementwise::unary), for elements of `dtype`, which is complex.
pub(super) unsafe fn unary(operation: UnaryOperation, dtype: DType, x: Input<'_>, out: *mut u8, layout: &Layout) {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::C64 => unary_of::<f32>(operation, x, out, layout),
            _ => unary_of::<f64>(operation, x, out, layout),
        }
    }
}

/// Applies a function to each pair of elements.
///
/// # Safety
///
/// As for [`elementwise::binary`](super::elementwise::binary), for elements of `dtype`, which is complex.
pub(super) unsafe fn binary(
    operation: BinaryOperation,
    dtype: DType,
    inputs: [Input<'_>; 2],
    out: *mut u8,
    layout: &Layout,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::C64 => binary_of::<f32>(operation, inputs, out, layout),
            _ => binary_of::<f64>(operation, inputs, out, layout),
        }
    }
}

/// # Safety
///
/// As for [`unary`].
unsafe fn unary_of<T: Part>(operation: UnaryOperation, x: Input<'_>, out: *mut u8, layout: &Layout)
where
    Complex<T>: Native,
{
    use UnaryOperation as U;
    macro_rules! apply {
        ($U:ty, $function:expr) => {
            // SAFETY: the caller's promise.
            unsafe { blocks::<Complex<T>, $U, 1>([x], out, layout, &|[x], out| map(x, out, $function)) }
        };
    }
    match operation {
        U::Negative => apply!(Complex<T>, |z: Complex<T>| Complex { re: z.re.negative(), im: z.im.negative() }),
        U::Conjugate => apply!(Complex<T>, |z: Complex<T>| Complex { re: z.re, im: z.im.negative() }),
        U::Abs => apply!(T, T::magnitude),
        U::Angle => apply!(T, |z: Complex<T>| z.im.atan2(z.re)),
        U::Exp => apply!(Complex<T>, exp),
        U::Sqrt => apply!(Complex<T>, sqrt),
        _ => unreachable!("operations refuse complex numbers"),
    }
}

/// # Safety
///
/// As for [`binary`].
unsafe fn binary_of<T: Part>(operation: BinaryOperation, inputs: [Input<'_>; 2], out: *mut u8, layout: &Layout)
where
    Complex<T>: Native,
{
    use BinaryOperation as B;
    macro_rules! apply {
        ($U:ty, $function:expr) => {
            // SAFETY: the caller's promise.
            unsafe { blocks::<Complex<T>, $U, 2>(inputs, out, layout, &|[a, b], out| zip(a, b, out, $function)) }
        };
    }
    type C<T> = Complex<T>;
    match operation {
        B::Add => apply!(C<T>, |a: C<T>, b: C<T>| Complex { re: a.re.add(b.re), im: a.im.add(b.im) }),
        B::Subtract => apply!(C<T>, |a: C<T>, b: C<T>| Complex { re: a.re.subtract(b.re), im: a.im.subtract(b.im) }),
        B::Multiply => apply!(C<T>, |a: C<T>, b: C<T>| Complex {
            re: a.re.multiply(b.re).subtract(a.im.multiply(b.im)),
            im: a.re.multiply(b.im).add(a.im.multiply(b.re)),
        }),
        B::Divide => apply!(C<T>, divide),
        B::Equal => apply!(Bit, |a: C<T>, b: C<T>| Bit::from(a == b)),
        B::NotEqual => apply!(Bit, |a: C<T>, b: C<T>| Bit::from(a != b)),
        _ => unreachable!("operations refuse complex numbers"),
    }
}

impl<T: Part> Ring for Complex<T>
where
    Complex<T>: Native,
{
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Complex { re: self.re.add(other.re), im: self.im.add(other.im) }
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Complex {
            re: self.re.multiply(other.re).subtract(self.im.multiply(other.im)),
            im: self.re.multiply(other.im).add(self.im.multiply(other.re)),
        }
    }
    #[inline(always)]
    fn sum_of_products(a: &[Self], b: &[Self]) -> Self {
        sum_of_products::<T, false>(a, b)
    }
}

/// A complex number that is conjugated where it is the left factor.
#[derive(Clone, Copy, Default, PartialEq)]
#[repr(transparent)]
pub(super) struct Conjugated<T>(Complex<T>);

impl<T: Part> Native for Conjugated<T>
where
    Complex<T>: Native,
{
    fn of(scalar: Scalar) -> Self {
        Conjugated(Native::of(scalar))
    }
}

impl<T: Part> Ring for Conjugated<T>
where
    Complex<T>: Native,
{
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Conjugated(self.0.plus(other.0))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Conjugated(Complex { re: self.0.re, im: self.0.im.negative() }.times(other.0))
    }
    #[inline(always)]
    fn sum_of_products(a: &[Self], b: &[Self]) -> Self {
        // SAFETY: the types have one layout, and the slices are borrowed for as long.
        let [a, b] = [a, b].map(|slice| unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) });
        Conjugated(sum_of_products::<T, true>(a, b))
    }
}

/// How many products [`sum_of_products`] adds side by side.
const PRODUCTS: usize = 8;

/// The sum of products of complex numbers: vectors of parts are multiplied as they lie in memory and with the parts of `b` exchanged,
/// and only the sums are put together.
#[inline(always)]
fn sum_of_products<T: Part, const CONJUGATES: bool>(a: &[Complex<T>], b: &[Complex<T>]) -> Complex<T> {
    let (mut straight, mut crossed) = ([[T::default(); 2]; PRODUCTS], [[T::default(); 2]; PRODUCTS]);
    let mut add = |lane: usize, a: Complex<T>, b: Complex<T>| {
        let [re, im] = straight[lane];
        straight[lane] = [re.add(a.re.multiply(b.re)), im.add(a.im.multiply(b.im))];
        let [re, im] = crossed[lane];
        crossed[lane] = [re.add(a.re.multiply(b.im)), im.add(a.im.multiply(b.re))];
    };
    let ((chunks_a, rest_a), (chunks_b, rest_b)) = (a.as_chunks::<PRODUCTS>(), b.as_chunks::<PRODUCTS>());
    for (a, b) in chunks_a.iter().zip(chunks_b) {
        for lane in 0..PRODUCTS {
            add(lane, a[lane], b[lane]);
        }
    }
    for (lane, (&a, &b)) in rest_a.iter().zip(rest_b).enumerate() {
        add(lane, a, b);
    }
    let mut lanes = [straight, crossed];
    for width in [4, 2, 1] {
        for sums in &mut lanes {
            for at in 0..width {
                sums[at] = [sums[at][0].add(sums[at + width][0]), sums[at][1].add(sums[at + width][1])];
            }
        }
    }
    let [[straight, ..], [crossed, ..]] = lanes;
    match CONJUGATES {
        false => Complex { re: straight[0].subtract(straight[1]), im: crossed[0].add(crossed[1]) },
        true => Complex { re: straight[0].add(straight[1]), im: crossed[0].subtract(crossed[1]) },
    }
}

/// A real or imaginary part.
trait Part: Real {
    const ZERO: Self;
    const HALF: Self;
    /// The absolute value of a complex number.
    fn magnitude(z: Complex<Self>) -> Self;
}

impl Part for f32 {
    const ZERO: f32 = 0.0;
    const HALF: f32 = 0.5;
    #[inline(always)]
    fn magnitude(z: Complex<f32>) -> f32 {
        // In f64 the squares neither overflow nor vanish.
        let (re, im) = (f64::from(z.re), f64::from(z.im));
        let root = (re * re + im * im).sqrt();
        // An infinite part counts more than a NaN.
        if root.is_nan() { z.re.hypot(z.im) } else { root as f32 }
    }
}

impl Part for f64 {
    const ZERO: f64 = 0.0;
    const HALF: f64 = 0.5;
    #[inline(always)]
    fn magnitude(z: Complex<f64>) -> f64 {
        let square = z.re * z.re + z.im * z.im;
        // Squares that neither overflow nor lose digits.
        if square > 1e-280 && square < 1e300 { square.sqrt() } else { z.re.hypot(z.im) }
    }
}

/// By Smith's method, which does not overflow on the way; NumPy's.
#[inline(always)]
fn divide<T: Part>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    let (re, im) = (b.re.absolute(), b.im.absolute());
    if re >= im {
        if re == T::ZERO && im == T::ZERO {
            return Complex { re: a.re.divide(re), im: a.im.divide(re) };
        }
        let ratio = b.im.divide(b.re);
        let scale = T::ONE.divide(b.re.add(b.im.multiply(ratio)));
        Complex {
            re: a.re.add(a.im.multiply(ratio)).multiply(scale),
            im: a.im.subtract(a.re.multiply(ratio)).multiply(scale),
        }
    } else {
        let ratio = b.re.divide(b.im);
        let scale = T::ONE.divide(b.im.add(b.re.multiply(ratio)));
        Complex {
            re: a.re.multiply(ratio).add(a.im).multiply(scale),
            im: a.im.multiply(ratio).subtract(a.re).multiply(scale),
        }
    }
}

/// Infinities and NaN as in C99.
#[inline(always)]
fn exp<T: Part>(z: Complex<T>) -> Complex<T> {
    let radius = z.re.exp();
    if z.im == T::ZERO {
        return Complex { re: radius, im: z.im };
    }
    if z.re.is_infinite() && !z.im.is_finite() {
        return if z.re < T::ZERO {
            Complex { re: T::ZERO, im: T::ZERO }
        } else {
            Complex { re: radius, im: z.im.subtract(z.im) }
        };
    }
    Complex { re: radius.multiply(z.im.cos()), im: radius.multiply(z.im.sin()) }
}

/// The root whose real part is not negative, without cancellation.
#[inline(always)]
fn sqrt<T: Part>(z: Complex<T>) -> Complex<T> {
    if z.im.is_infinite() {
        return Complex { re: z.im.absolute(), im: z.im };
    }
    if z.re == T::ZERO && z.im == T::ZERO {
        return Complex { re: T::ZERO, im: z.im };
    }
    let half = z.re.absolute().multiply(T::HALF).add(T::magnitude(z).multiply(T::HALF));
    let root = half.sqrt();
    let other = z.im.multiply(T::HALF).divide(root);
    if z.re >= T::ZERO {
        Complex { re: root, im: other }
    } else {
        Complex { re: other.absolute(), im: root.copysign(z.im) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_neither_overflow_nor_lose_infinities() {
        let quotient = divide(Complex::new(1e300, 1e300), Complex::new(1e300, -1e300));
        assert!((quotient - Complex::new(0.0, 1.0)).norm() < 1e-15);
        assert_eq!(divide(Complex::new(1.0f32, 0.0), Complex::new(0.0, 2.0)), Complex::new(0.0, -0.5));
        let by_zero = divide(Complex::new(1.0, -1.0), Complex::new(0.0, 0.0));
        assert_eq!((by_zero.re, by_zero.im), (f64::INFINITY, f64::NEG_INFINITY));
    }

    #[test]
    fn roots_and_magnitudes_of_extremes() {
        let i = Complex::new(0.0, 1.0);
        assert_eq!(sqrt(Complex::new(-4.0, 0.0)), i * 2.0);
        assert_eq!(sqrt(Complex::new(-4.0, -0.0)), -i * 2.0);
        assert_eq!(sqrt(Complex::new(3.0f32, 4.0)), Complex::new(2.0, 1.0));
        let large = sqrt(Complex::new(1e308, 1e308));
        assert!((large * large / 1e308 - Complex::new(1.0, 1.0)).norm() < 1e-14);
        assert!((f64::magnitude(Complex::new(3e200, 4e200)) / 5e200 - 1.0).abs() < 1e-15);
        assert!((f64::magnitude(Complex::new(3e-200, 4e-200)) / 5e-200 - 1.0).abs() < 1e-15);
        assert_eq!(f32::magnitude(Complex::new(f32::NAN, f32::NEG_INFINITY)), f32::INFINITY);
        assert_eq!(sqrt(Complex::new(f64::NAN, f64::INFINITY)).re, f64::INFINITY);
    }

    #[test]
    fn exponentials_of_infinities_are_those_of_c() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        assert_eq!(exp(Complex::new(inf, 0.0)), Complex::new(inf, 0.0));
        assert_eq!(exp(Complex::new(-inf, nan)), Complex::new(0.0, 0.0));
        assert!(exp(Complex::new(inf, inf)).im.is_nan());
        let turn = exp(Complex::new(0.0, std::f64::consts::PI));
        assert!((turn + 1.0).norm() < 1e-15);
    }
}
