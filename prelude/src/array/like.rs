//! New arrays with the shape, the element type and the device of another.

use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{Arithmetic, Element, Scalar};
use crate::error::Result;
use crate::thin::thin;

/// This value for all elements, in the shape and on the device of the array.
fn filled(name: &'static str, a: &RawArray, value: Scalar) -> Result<RawArray> {
    RawArray::filled(name, &a.handle, a.shape(), value)
}

thin! {
    /// Zeros, in the shape and on the device of an array; NumPy's `zeros_like`.
    ///
    /// **Panics** if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::zeros_like(&gpu::array(&[[1.0], [2.0]])).shape(), [2, 1]);
    /// ```
    pub fn zeros_like<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        filled("zeros_like", a.raw(), Scalar::zero(T::DTYPE));

    /// Ones, in the shape and on the device of an array; NumPy's `ones_like`.
    ///
    /// **Panics** if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::ones_like(&gpu::array(&[5, 7])).tolist(), [1, 1]);
    /// ```
    pub fn ones_like<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<T> =>
        filled("ones_like", a.raw(), Scalar::one(T::DTYPE));

    /// One value, in the shape and on the device of an array; NumPy's `full_like`.
    ///
    /// **Panics** if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::full_like(&gpu::array(&[5, 7]), 3).tolist(), [3, 3]);
    /// ```
    pub fn full_like<A: OnDevice<Elem = T>, T: Element>(a: &A, value: T) -> DeviceArray<T> =>
        filled("full_like", a.raw(), value.to_scalar());

    /// Unspecified elements, in the shape and on the device of an array; NumPy's `empty_like`.
    ///
    /// **Panics** if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::empty_like(&gpu::array(&[5, 7])).shape(), [2]);
    /// ```
    pub fn empty_like<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        RawArray::uninitialised("empty_like", &a.raw().handle, a.raw().shape(), T::DTYPE);
}
