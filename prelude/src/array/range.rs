//! Ranges of numbers as arguments.

use crate::array::conversions::conversions;
use crate::array::transfer;
use crate::dtype::{Number, Scalar};
use std::ops::Range;

mod sealed {
    pub trait Sealed<T> {}
}

/// Numbers at equal distances: `stop` alone (from 0 in steps of 1), `start..stop` or `(start, stop)`, or `(start, stop, step)`. The
/// stop is not among them. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of numbers",
    label = "expected a range",
    note = "a range is a number such as `10`, two bounds such as `2..10` or `(2, 10)`, or three numbers such as `(2, 10, 3)`",
    note = "its numbers have the elements' type: write `arange(10.0f32)` for `arange::<f32>(10)`, and `n as i64` where `n` is a `usize`"
)]
pub trait IntoRange<T>: sealed::Sealed<T> {
    /// The start, the stop and the step.
    fn into_range(self) -> (T, T, T);
}

conversions! {
    fn into_range(self) -> (T, T, T): IntoRange<T>, sealed::Sealed<T>;
    T [T: Number] => (T::default()..self).into_range();
    Range<T> [T: Number] => (self.start, self.end, transfer::typed_scalar(Scalar::one(T::DTYPE)));
    (T, T) [T: Number] => (self.0..self.1).into_range();
    (T, T, T) [T: Number] => self;
}
