//! What something is by its type: a number, a text or an array; complex or real.

use crate::array::sides::AnyArray;
use crate::dtype::{Element, dtypes};

mod sealed {
    pub trait Sealed {
        /// Whether it is a number or a text.
        const IS_SCALAR: bool;
        /// Whether it is a complex number, or an array of them.
        const IS_COMPLEX: bool;
    }
}

/// What [`isscalar`], [`iscomplexobj`] and [`isrealobj`] take: a number, a text, or an array on the host or on the device. Not an
/// extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a number nor a text nor an array",
    label = "neither a number nor a text nor an array",
    note = "numbers are those that arrays hold, and `usize` and `isize`; texts are `&str` and `String`; arrays are \
            `gpu::DeviceArray`, `ndarray` arrays of element types, slices and `Vec`s"
)]
pub trait Object: sealed::Sealed {}

impl<A: AnyArray + ?Sized> sealed::Sealed for A {
    const IS_SCALAR: bool = false;
    const IS_COMPLEX: bool = A::Elem::DTYPE.is_complex();
}
impl<A: AnyArray + ?Sized> Object for A {}

macro_rules! scalars {
    ($($type:ty: $is_complex:expr;)*) => {$(
        impl sealed::Sealed for $type {
            const IS_SCALAR: bool = true;
            const IS_COMPLEX: bool = $is_complex;
        }
        impl Object for $type {}
    )*};
}
macro_rules! elements {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        scalars! { $($type: <$type as Element>::DTYPE.is_complex();)* }
    };
}
dtypes!(elements!());
scalars! { usize: false; isize: false; str: false; &str: false; String: false; }

/// Whether it is a number or a text, and not an array; NumPy's `isscalar`. An array without axes is an array. The type says it,
/// so nothing is read.
///
/// ```
/// use warpcell as gpu;
/// assert!(gpu::isscalar(&2.5) && gpu::isscalar(&gpu::Complex::new(1.0, 2.0)) && gpu::isscalar("text"));
/// assert!(!gpu::isscalar(&gpu::array(&[2.5])) && !gpu::isscalar(&gpu::full((), 2.5)) && !gpu::isscalar(&[2.5]));
/// ```
pub fn isscalar<X: Object + ?Sized>(_x: &X) -> bool {
    X::IS_SCALAR
}

/// Whether it is a complex number or an array of complex numbers, even if all imaginary parts are 0; NumPy's `iscomplexobj`. The
/// type says it, so nothing is read. [`iscomplex`](fn@crate::iscomplex) looks at the elements.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[1.0, 2.0]);
/// assert!(gpu::iscomplexobj(&gpu::fft::fft(&a)) && gpu::iscomplexobj(&gpu::Complex::new(1.0, 0.0)));
/// assert!(!gpu::iscomplexobj(&a));
/// ```
pub fn iscomplexobj<X: Object + ?Sized>(_x: &X) -> bool {
    X::IS_COMPLEX
}

/// Whether it is neither a complex number nor an array of complex numbers; NumPy's `isrealobj`. The type says it, so nothing is
/// read. [`isreal`](fn@crate::isreal) looks at the elements.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[1.0, 2.0]);
/// assert!(gpu::isrealobj(&a) && gpu::isrealobj(&7) && !gpu::isrealobj(&gpu::fft::fft(&a)));
/// ```
pub fn isrealobj<X: Object + ?Sized>(x: &X) -> bool {
    !iscomplexobj(x)
}
