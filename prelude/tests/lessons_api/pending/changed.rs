//! What the prelude has, but with arguments by which cells read worse than in Python: to be changed there.

use ndarray::Array1;
use std::ops::Range;
use warpcell::{DeviceArray, Number};

/// `arange(10)`, `arange(2..10)`, `arange((2, 10, 3))`; the prelude's takes three numbers in any case.
pub fn arange<T: Number>(range: impl IntoRange<T>) -> DeviceArray<T> {
    todo!()
}

/// The same on the host.
pub fn arange_on_host<T: Number>(range: impl IntoRange<T>) -> Array1<T> {
    todo!()
}

/// Numbers at equal distances: `stop`, `start..stop` or `(start, stop, step)`.
pub trait IntoRange<T> {}

impl<T: Number> IntoRange<T> for T {}
impl<T: Number> IntoRange<T> for Range<T> {}
impl<T: Number> IntoRange<T> for (T, T, T) {}
