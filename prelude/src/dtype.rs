//! Element types: the traits that tie a Rust type to its tag, and say what arrays of it can do. The tags are in
//! `prelude/base/src/dtype.rs`.
//!
//! What complex numbers lack does not compile: it is for elements that are [`Real`] or a [`Number`].

use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;
use warpcell_base::dtype::Tagged;
pub use warpcell_base::dtype::{DType, Scalar};
pub(crate) use warpcell_base::dtype::{Kind, dtypes, if_dtype, rounding, typestr};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that arrays can hold: `bool u8 i8 u16 i16 i32 u32 i64 u64 f16 bf16 f32 f64`, and complex numbers,
/// `Complex<f32> Complex<f64>`. Not an extension point.
///
/// Arrays of all of them are made, copied, sliced, joined, converted by [`astype`](crate::DeviceArray::astype), compared for
/// equality, summed and shown. What needs an order is for all but complex numbers, those that are [`Real`]. Arithmetic is for
/// those that are [`Arithmetic`]; `bool i8 u16 i16 f16 bf16` have none.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[0.1f32, 2.5, 1e6]).astype::<gpu::f16>();
/// assert_eq!(a.nbytes(), 6);
/// assert_eq!(a.to_host()[1], gpu::f16::from_f32(2.5));
/// assert_eq!(a.get(&[2]), gpu::f16::INFINITY);
/// assert_eq!((a.astype::<f32>() * 2.0).get(&[1]), 5.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "device arrays cannot hold `{Self}`",
    label = "not an element type",
    note = "the element types are bool, u8, i8, u16, i16, i32, u32, i64, u64, gpu::f16, gpu::bf16, f32, f64, \
            gpu::Complex<f32> and gpu::Complex<f64>",
    note = "a `Vec` or another array of the host goes to the device as a whole: `gpu::asarray(&a)`"
)]
pub trait Element:
    Tagged + sealed::Sealed + Copy + PartialEq + Default + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// The type of sums: `u64` for `bool`, `u8`, `u16` and `u32`; `i64` for `i8`, `i16` and `i32`; `f32` for `f16` and
    /// `bf16`, whose own range and precision a sum would soon leave (NumPy adds in `f32` too, and rounds the sum); else the
    /// type itself.
    type Sum: Element;
    /// The type of means: the type itself for `f32`, `f64` and complex numbers, `f32` for `f16` and `bf16`, else `f64`.
    type Mean: Inexact;
    /// The tag of this type.
    const DTYPE: DType;
    /// This value with its tag.
    fn to_scalar(self) -> Scalar;
    /// The value in a scalar of this very type, or `None` for a scalar of another type.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
}

/// An element type whose values have an order: all but complex numbers. Not an extension point.
///
/// ```compile_fail,E0277
/// let a = warpcell::zeros::<warpcell::Complex<f64>>(3);
/// warpcell::sort(&a); // warpcell::sort(&a.abs())
/// ```
#[diagnostic::on_unimplemented(
    message = "this operation needs an array of real numbers, but its elements are `{Self}`",
    label = "not real numbers",
    note = "complex numbers have no order; use one of `a.abs()`, `a.real()`, `a.imag()` and `a.angle()` first"
)]
pub trait Real: Element + PartialOrd {}

/// An element type with `+ - * /`: `u8 i32 u32 i64 u64 f32 f64 Complex<f32> Complex<f64>`. Not an extension point.
///
/// `bool` has none, and the others are for storage: they are converted first.
///
/// ```compile_fail,E0277
/// let a = warpcell::zeros::<warpcell::f16>(3);
/// a.negative(); // a.astype::<f32>().negative()
/// ```
#[diagnostic::on_unimplemented(
    message = "arrays of `{Self}` do not support arithmetic",
    label = "not a type that arrays compute in",
    note = "convert the array first, such as `a.astype::<f32>()`",
    note = "arrays compute in u8, i32, u32, i64, u64, f32, f64 and complex numbers; those of bool, i8, u16, i16, gpu::f16 and \
            gpu::bf16 are stored, moved, converted, compared and summed"
)]
pub trait Arithmetic: Element {
    /// The type of absolute values, and of the real and imaginary parts of complex numbers: of real numbers the type itself.
    type Part: Number;
}

/// A real element type with arithmetic: `u8 i32 u32 i64 u64 f32 f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation is not for arrays of `{Self}`",
    label = "not real numbers that arrays compute in",
    note = "convert the array first, such as `a.astype::<f32>()`; for complex numbers, use `a.real()`, `a.imag()` or `a.abs()`",
    note = "it is for u8, i32, u32, i64, u64, f32 and f64; arrays of bool, i8, u16, i16, gpu::f16 and gpu::bf16 are stored, \
            moved, converted, compared and summed"
)]
pub trait Number: Real + Arithmetic<Part = Self> {}

/// A floating-point type, real or complex: `f32 f64 Complex<f32> Complex<f64>`; NumPy's `inexact`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation needs an array of floats, real or complex, but its elements are `{Self}`",
    label = "none of f32, f64, Complex<f32> and Complex<f64>",
    note = "convert the array first, such as `a.astype::<f64>()`"
)]
pub trait Inexact: Arithmetic {
    /// The complex type of this precision.
    type Complex: Inexact;
}

/// The type of an array's Fourier transform: `Complex<f32>` for `f32`, `f16`, `bf16` and `Complex<f32>`, else
/// `Complex<f64>`.
pub type Spectrum<T> = <<T as Element>::Mean as Inexact>::Complex;

/// The type of real numbers of the precision of a [`Spectrum`]: `f32` for `f32`, `f16`, `bf16` and `Complex<f32>`, else `f64`.
pub type Signal<T> = <<T as Element>::Mean as Arithmetic>::Part;

/// An element type whose bits can be combined: an integer type, or `bool`, which is one bit. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "bitwise operations need an array of integers or bools, but its elements are `{Self}`",
    label = "neither an integer type nor `bool`",
    note = "convert the array first, such as `a.astype::<i32>()`"
)]
pub trait Bitwise: Element {}

/// An integer type: `u8 i32 u32 i64 u64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation needs an array of integers, but its elements are `{Self}`",
    label = "not an integer type",
    note = "convert the array first, such as `a.astype::<i32>()`"
)]
pub trait Integer: Number + Bitwise {}

/// `f32` or `f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation needs an array of f32 or f64, but its elements are `{Self}`",
    label = "neither f32 nor f64",
    note = "convert the array first, such as `a.astype::<f64>()`"
)]
pub trait Float: Number + Inexact + Element<Mean = Self> {
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The value as `f64`.
    fn to_f64(self) -> f64;
}

macro_rules! elements {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $computed:ty, $sum:ty, $mean:ty, $($names:tt)* })*) => {$(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            type Sum = $sum;
            type Mean = $mean;
            const DTYPE: DType = <$type as Tagged>::TAG;
            fn to_scalar(self) -> Scalar {
                self.tagged()
            }
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                Tagged::untagged(scalar)
            }
        }
        if_dtype!(real $kind $use { impl Real for $type {} } {});
        if_dtype!(numbers $kind $use { numbers!($kind $type); } { others!($kind $type); });
    )*};
}

/// What numbers can do that operations compute in.
macro_rules! numbers {
    (@all $type:ty) => {
        impl Arithmetic for $type {
            type Part = $type;
        }
        impl Number for $type {}
    };
    (Float $type:ty) => {
        numbers!(@all $type);
        impl Inexact for $type {
            type Complex = Complex<$type>;
        }
        impl Arithmetic for Complex<$type> {
            type Part = $type;
        }
        impl Inexact for Complex<$type> {
            type Complex = Complex<$type>;
        }
        impl Float for $type {
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }
    };
    ($integer:ident $type:ty) => {
        numbers!(@all $type);
        impl Bitwise for $type {}
        impl Integer for $type {}
    };
}

/// What the others can do beside that.
macro_rules! others {
    (Bool $type:ty) => {
        impl Bitwise for $type {}
    };
    ($other:ident $type:ty) => {};
}
dtypes!(elements!());
