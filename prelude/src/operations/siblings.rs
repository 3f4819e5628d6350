//! Functions for what arrays have as methods, and methods for what `gpu` has as functions: NumPy has both of each.
//!
//! Each row of a table makes one function, which calls the method of the same name. Cells compile it only if they call it.
//! The functions of elementwise primitives, and of what is composed of them, are made with the methods: by `unary!` and `binary!`
//! in `elementwise.rs`, and by [`composed!`].

use crate::array::sides::sealed::Device;
use crate::array::{DeviceArray, IntoAxes, IntoIndices, IntoNewShape, IntoShape, OnDevice, transfer};
use crate::dtype::{Arithmetic, Bitwise, Element, Float, Inexact, Integer, Number, RealNumber, Signal};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::Operand;
use crate::operations::products;
use crate::operations::sorting::{self, Side};
use num_complex::Complex;

pub(crate) fn typed<A: OnDevice>(a: &A) -> DeviceArray<A::Elem> {
    DeviceArray::from_raw(Device::raw(a).clone())
}

macro_rules! siblings {
    ($($generics:tt $element:ty => $result:ty { $($name:ident ($($argument:ident: $type:ty),*);)* })*) => {$($(
        $crate::operations::siblings::siblings! { @one $generics $element => $result, $name = $name ($($argument: $type),*) }
    )*)*};
    (@one [$($generics:tt)*] $element:ty => $result:ty, $name:ident = $method:ident ($($argument:ident: $type:ty),*)) => {
        #[doc = concat!(
            "`gpu::", stringify!($name), "(&a", $(", ", stringify!($argument),)* ")` is the method [`",
            stringify!($method), "`](DeviceArray::", stringify!($method), ")."
        )]
        ///
        /// **Panics** as the method does.
        #[track_caller]
        pub fn $name<A: $crate::array::OnDevice<Elem = $element>, $($generics)*>(a: &A $(, $argument: $type)*) -> $result {
            $crate::operations::siblings::typed(a).$method($($argument),*)
        }
    };
}
pub(crate) use siblings;

/// Methods that are composed of other operations, written as in `thin!`, and in the module the functions of the same names.
macro_rules! composed {
    (
        mod $module:ident;
        $(
            $(#[$about:meta])*
            impl<T: $bound:ident> DeviceArray<T> {$(
                $(#[$doc:meta])*
                pub fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)*) -> $result:ty => $core:expr;
            )*}
        )*
    ) => {
        $(
            $(#[$about])*
            impl<T: $bound> DeviceArray<T> {
                $crate::thin::thin! {$(
                    $(#[$doc])*
                    pub fn $name(&$self $(, $argument: $type)*) -> $result => $core;
                )*}
            }
        )*

        /// Functions that call the methods.
        pub mod $module {
            use super::*;
            $crate::operations::siblings::siblings! {
                $($([T: $bound] T => $result { $name($($argument: $type),*); })*)*
            }
        }
    };
}
pub(crate) use composed;

/// The functions, each under its method's name.
pub mod functions {
    use super::*;
    pub use crate::operations::composed::composed_functions::*;
    pub use crate::operations::elementwise::{binary_functions::*, elementary_functions::*, unary_functions::*};
    pub use crate::operations::per_element::functions_per_element::*;

    siblings! {
        [T: Element] T => DeviceArray<T> {
            max_axis(axes: impl IntoAxes); min_axis(axes: impl IntoAxes);
        }
        [T: Number] T => (DeviceArray<T>, DeviceArray<T>) { divmod(other: impl Operand<T>); }
        [T: Float] T => (DeviceArray<T>, DeviceArray<T>) { modf(); }
        [T: Float] T => (DeviceArray<T>, DeviceArray<i32>) { frexp(); }
        [T: Element] T => DeviceArray<bool> { all_axis(axes: impl IntoAxes); any_axis(axes: impl IntoAxes); }
        [T: Element] T => bool { all(); any(); }
        [T: Element] T => T::Sum { sum(); }
        [T: Element] T => DeviceArray<T::Sum> { sum_axis(axes: impl IntoAxes); }
        [T: Element] T => T::Mean { mean(); }
        [T: Element] T => DeviceArray<T::Mean> { mean_axis(axes: impl IntoAxes); }
        [T: Element] T => T::Sum { prod(); }
        [T: Element] T => DeviceArray<T::Sum> {
            prod_axis(axes: impl IntoAxes); cumsum(); cumprod(); cumsum_axis(axis: isize); cumprod_axis(axis: isize);
        }
        [T: Element] T => T { max(); min(); }
        [T: Element] T => Signal<T> { var(); std(); }
        [T: Element] T => DeviceArray<Signal<T>> { var_axis(axes: impl IntoAxes); std_axis(axes: impl IntoAxes); }
        [T: Element] T => usize { argmax(); argmin(); }
        [T: Element] T => DeviceArray<i64> { argmax_axis(axis: isize); argmin_axis(axis: isize); }
        [T: Element] T => usize { count_nonzero(); }
        [T: Element] T => DeviceArray<T> {
            ravel(); transpose(); squeeze(); diagonal(); copy(); reshape(shape: impl IntoNewShape); expand_dims(axis: isize);
            swapaxes(one: isize, other: isize); moveaxis(from: impl IntoAxes, to: impl IntoAxes); permute_dims(axes: impl IntoAxes);
            broadcast_to(shape: impl IntoShape); take(indices: impl IntoIndices); take_axis(indices: impl IntoIndices, axis: isize);
            take_along_axis(indices: impl IntoIndices, axis: isize);
        }
        [T: Element] T => Vec<DeviceArray<i64>> { nonzero(); }
        [T: Element] T => DeviceArray<i64> { flatnonzero(); argwhere(); }
    }

    macro_rules! renamed {
        ($($generics:tt $element:ty => $result:ty { $($name:ident = $method:ident ($($argument:ident: $type:ty),*);)* })*) => {$($(
            siblings! { @one $generics $element => $result, $name = $method ($($argument: $type),*) }
        )*)*};
    }
    // NumPy's second names.
    renamed! {
        [T: Inexact] T => DeviceArray<T> {
            arcsin = asin(); arccos = acos(); arctan = atan(); arcsinh = asinh(); arccosh = acosh(); arctanh = atanh();
            rint = round();
        }
        [T: Float] T => DeviceArray<T> {
            arctan2 = atan2(other: impl Operand<T>); deg2rad = radians(); rad2deg = degrees();
        }
        [T: Float] T => DeviceArray<T::Part> { fabs = abs(); }
        [T: Arithmetic] T => DeviceArray<T::Part> { absolute = abs(); }
        [T: Arithmetic] T => DeviceArray<T> {
            positive = copy(); around = round(); power = pow(other: impl Operand<T>);
        }
        [T: RealNumber] T => DeviceArray<T> {
            fix = trunc(); fmod = remainder(other: impl Operand<T>);
        }
        [T: Element] T => DeviceArray<bool> { isnan = is_nan(); isinf = is_inf(); isfinite = is_finite(); }
        [T: Element] T => T { amax = max(); amin = min(); }
        [T: Bitwise] T => DeviceArray<T> { invert = bitwise_not(); bitwise_invert = bitwise_not(); }
        [T: Integer] T => DeviceArray<T> {
            bitwise_left_shift = left_shift(other: impl Operand<T>); bitwise_right_shift = right_shift(other: impl Operand<T>);
        }
    }
    // NumPy's functions for what are operators there, and methods of the traits of comparison here.
    renamed! {
        [T: Element] T => DeviceArray<bool> { equal = eq(other: impl Operand<T>); not_equal = ne(other: impl Operand<T>); }
        [T: Element] T => DeviceArray<bool> {
            less = lt(other: impl Operand<T>); less_equal = le(other: impl Operand<T>);
            greater = gt(other: impl Operand<T>); greater_equal = ge(other: impl Operand<T>);
        }
    }

    macro_rules! of_complex {
        ($($name:ident -> $result:ty;)*) => {$(
            #[doc = concat!("`gpu::", stringify!($name), "(&a)` is the method [`", stringify!($name), "`](DeviceArray::", stringify!($name), ") of complex arrays.")]
            #[track_caller]
            pub fn $name<A: OnDevice<Elem = Complex<R>>, R: Float>(a: &A) -> DeviceArray<$result>
            where
                Complex<R>: Inexact<Part = R>,
            {
                typed(a).$name()
            }
        )*};
    }
    of_complex! { real -> R; imag -> R; conj -> Complex<R>; angle -> R; }

    /// `gpu::conjugate(&a)` is the method [`conj`](DeviceArray::conj) of complex arrays.
    #[track_caller]
    pub fn conjugate<A: OnDevice<Elem = Complex<R>>, R: Float>(a: &A) -> DeviceArray<Complex<R>>
    where
        Complex<R>: Inexact<Part = R>,
    {
        typed(a).conj()
    }
}

impl<T: Element> DeviceArray<T> {
    /// Sorts the elements along the last axis, in place; NaN comes last. NumPy's `a.sort()`. [`gpu::sort`](fn@crate::sort)
    /// gives a new array.
    ///
    /// **Panics** if there is not enough memory for the sorted elements, or if this is a view made by
    /// [`broadcast_to`](Self::broadcast_to) ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let mut a = warpcell::array(&[3, 1, 2]);
    /// a.sort();
    /// assert_eq!(a.tolist(), [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn sort(&mut self) {
        check(sorting::try_sort(self).and_then(|sorted| self.try_assign(&sorted)));
    }

    /// The indices that sort the last axis; [`gpu::argsort`](fn@crate::argsort).
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[3, 1, 2]).argsort().tolist(), [1, 2, 0]);
    /// ```
    #[track_caller]
    pub fn argsort(&self) -> DeviceArray<i64> {
        sorting::argsort(self)
    }

    /// Where the values belong in this 1-D array, which is sorted; [`gpu::searchsorted`](fn@crate::searchsorted).
    ///
    /// **Panics** if this array is not 1-D or a device differs.
    ///
    /// ```
    /// use warpcell::{Side, array};
    /// assert_eq!(array(&[1, 3, 5]).searchsorted(&array(&[3, 4]), Side::Left).tolist(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn searchsorted(&self, values: impl Operand<T>, side: Side) -> DeviceArray<i64> {
        sorting::searchsorted(self, values, side)
    }
}

impl<T: Element> DeviceArray<T> {
    /// The sum of the products of two 1-D arrays; [`gpu::dot`](crate::dot).
    ///
    /// **Panics** as [`gpu::dot`](crate::dot) does.
    ///
    /// ```
    /// let a = warpcell::array(&[1.0, 2.0]);
    /// assert_eq!(a.dot(&a), 5.0);
    /// ```
    #[track_caller]
    pub fn dot(&self, other: &DeviceArray<T>) -> T {
        products::dot(self, other)
    }

    /// The matrix product; [`gpu::matmul`](crate::matmul()).
    ///
    /// **Panics** as [`gpu::matmul`](crate::matmul()) does.
    ///
    /// ```
    /// let a = warpcell::array(&[[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(a.matmul(&warpcell::eye(2)).sum(), 10.0);
    /// ```
    #[track_caller]
    pub fn matmul(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
        products::matmul(self, other)
    }

    /// The sum of the elements `[i, i]` of a 2-D array; [`gpu::trace`](fn@crate::trace).
    ///
    /// **Panics** if the array is not 2-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// assert_eq!(warpcell::eye::<f64>(3).trace(), 3.0);
    /// ```
    #[track_caller]
    pub fn trace(&self) -> T::Sum {
        products::trace(self)
    }

    /// Each element `count` times along an axis; [`gpu::repeat`](fn@crate::repeat).
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[1, 2]).repeat(2, 0).tolist(), [1, 1, 2, 2]);
    /// ```
    #[track_caller]
    pub fn repeat(&self, count: usize, axis: isize) -> DeviceArray<T> {
        crate::repeat(self, count, axis)
    }

    /// A copy of the elements in row-major order along one axis. [`ravel`](Self::ravel) copies only where it must.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[[1, 2], [3, 4]]).flatten().shape(), [4]);
    /// ```
    #[track_caller]
    pub fn flatten(&self) -> DeviceArray<T> {
        self.copy().ravel()
    }

    /// The elements of a 1-D array as a `Vec` on the host. Waits for the device.
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]): `a.ravel().tolist()` gives the elements of any array.
    ///
    /// ```
    /// assert_eq!(warpcell::arange(3).tolist(), [0, 1, 2]);
    /// ```
    #[track_caller]
    pub fn tolist(&self) -> Vec<T> {
        check(self.list())
    }

    fn list(&self) -> Result<Vec<T>> {
        if self.ndim() != 1 {
            let reason = "is not 1-D; write `a.ravel().tolist()`, or `a.to_host()` for an array with all axes";
            return Err(Error::shape("tolist", self.shape(), reason));
        }
        transfer::download_vec(&self.raw)
    }
}
