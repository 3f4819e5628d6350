//! Element types: the traits that tie a Rust type to its tag, and say what arrays of it can do. The tags are in
//! `prelude/base/src/dtype.rs`.
//!
//! What complex numbers lack does not compile: it is for elements that are [`Real`] or a [`Number`].

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
/// equality, summed, sorted and shown. As in NumPy, complex numbers are ordered by their real parts, and those of equal real parts
/// by their imaginary parts. Quantiles and bins are for all but complex numbers, those that are [`Real`]. Arithmetic is for all but
/// `bool`, those that are [`Arithmetic`].
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[0.1f32, 2.5, 1e6]).astype::<gpu::f16>();
/// assert_eq!(a.nbytes(), 6);
/// assert_eq!(a.to_host()[1], gpu::f16::from_f32(2.5));
/// assert_eq!(a.get(&[2]), gpu::f16::INFINITY);
/// assert_eq!((a * 2.0).get(&[1]), gpu::f16::from_f32(5.0));
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

/// An element type of real numbers: all but complex numbers. Not an extension point.
///
/// ```compile_fail,E0277
/// let a = warpcell::zeros::<warpcell::Complex<f64>>(3);
/// warpcell::nanmedian(&a); // warpcell::nanmedian(&a.abs())
/// ```
#[diagnostic::on_unimplemented(
    message = "this operation needs an array of real numbers, but its elements are `{Self}`",
    label = "not real numbers",
    note = "for complex numbers, use one of `a.abs()`, `a.real()`, `a.imag()` and `a.angle()` first"
)]
pub trait Real: Element + PartialOrd {}

/// An element type with `+ - * /`: all but `bool`. Not an extension point.
///
/// `i8 u16 i16 f16 bf16` are computed in a wider type, and each result is converted back: integers wrap and floats are
/// rounded, as in NumPy.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!((gpu::array(&[100i8, -100]) + 100).tolist(), [-56, 0]);
/// ```
///
/// ```compile_fail,E0277
/// let a = warpcell::zeros::<bool>(3);
/// a.negative(); // !&a
/// ```
#[diagnostic::on_unimplemented(
    message = "arrays of `{Self}` do not support arithmetic",
    label = "not a type that arrays compute in",
    note = "bools have `&a & &b`, `&a | &b`, `&a ^ &b` and `!&a`; to count or add them, convert the array first: `a.astype::<i64>()`"
)]
pub trait Arithmetic: Element {
    /// The type of absolute values, and of the real and imaginary parts of complex numbers: of real numbers the type itself.
    type Part: RealNumber;
}

/// A real element type with arithmetic: all but `bool` and complex numbers. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation is not for arrays of `{Self}`",
    label = "not real numbers",
    note = "convert bools first, such as `a.astype::<f32>()`; for complex numbers, use `a.real()`, `a.imag()` or `a.abs()`"
)]
pub trait RealNumber: Real + Arithmetic<Part = Self> {}

/// A real element type that operations compute in: `u8 i32 u32 i64 u64 f32 f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation is not for arrays of `{Self}`",
    label = "not real numbers that this operation computes in",
    note = "convert the array first, such as `a.astype::<f32>()`; for complex numbers, use `a.real()`, `a.imag()` or `a.abs()`",
    note = "it is for u8, i32, u32, i64, u64, f32 and f64"
)]
pub trait Number: RealNumber {}

/// A floating-point type, real or complex: `f32 f64 Complex<f32> Complex<f64>`; NumPy's `inexact`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation needs an array of floats, real or complex, but its elements are `{Self}`",
    label = "none of f32, f64, Complex<f32> and Complex<f64>",
    note = "convert the array first, such as `a.astype::<f64>()`"
)]
pub trait Inexact: Arithmetic<Part: Number> {
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
        if_dtype!(arithmetic $kind $use {
            impl Arithmetic for $type {
                type Part = $type;
            }
            impl RealNumber for $type {}
        } {});
        if_dtype!(bits $kind $use { impl Bitwise for $type {} } {});
        if_dtype!(numbers $kind $use { numbers!($kind $type); } {});
    )*};
}

/// What numbers can do that operations compute in.
macro_rules! numbers {
    (Float $type:ty) => {
        impl Number for $type {}
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
        impl Number for $type {}
        impl Integer for $type {}
    };
}

impl Bitwise for bool {}
dtypes!(elements!());
