//! Shapes as arguments, and the rules of broadcasting.

use crate::array::conversions::conversions;
use crate::backend::Layout;
use crate::error::{Error, Result};

mod sealed {
    pub trait Sealed {}
}

/// What can be given as a shape: `8`, `(2, 3)`, `[2, 3]`, `a.shape()` or a `Vec<usize>`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "expected a shape",
    note = "a shape is a `usize`, a tuple such as `(2, 3)`, an array such as `[2, 3]`, or a slice such as `a.shape()`"
)]
pub trait IntoShape: sealed::Sealed {
    /// The length of each axis.
    fn into_shape(self) -> Vec<usize>;
}

conversions! {
    fn into_shape(self) -> Vec<usize>: IntoShape, sealed::Sealed;
    usize => vec![self];
    () => Vec::new();
    (usize,) => vec![self.0];
    (usize, usize) => vec![self.0, self.1];
    (usize, usize, usize) => vec![self.0, self.1, self.2];
    (usize, usize, usize, usize) => vec![self.0, self.1, self.2, self.3];
    [usize; N] [const N: usize] => self.to_vec();
    &[usize; N] [const N: usize] => self.to_vec();
    &[usize] => self.to_vec();
    Vec<usize> => self;
    &Vec<usize> => self.clone();
}

/// A number that can be a length of a new shape. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a length",
    label = "expected an integer",
    note = "lengths are integers; -1 stands for the one that follows from the others"
)]
pub trait Length: sealed::Sealed + Copy {
    /// The length, or -1.
    fn length(self) -> i128;
}

macro_rules! lengths {
    ($($type:ident)*) => {$(
        impl Length for $type {
            fn length(self) -> i128 {
                self as i128
            }
        }
    )*};
}
lengths!(i32 i64 isize u32 u64 usize);

macro_rules! sealed {
    ($($type:ident)*) => {$(impl sealed::Sealed for $type {})*};
}
sealed!(i32 i64 isize u32 u64);

/// What can be given as the new shape of an array, in which one length may be -1: `-1`, `(2, -1)`, `[2, 3]`, `a.shape()` or
/// a `Vec`. The integers of a tuple may have different types. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "expected a shape",
    note = "a shape is an integer, a tuple such as `(2, -1)`, an array such as `[2, 3]`, or a slice such as `a.shape()`"
)]
pub trait IntoNewShape {
    /// The length of each axis, or -1.
    fn into_lengths(self) -> Vec<i128>;
}

impl<L: Length> IntoNewShape for L {
    fn into_lengths(self) -> Vec<i128> {
        vec![self.length()]
    }
}

macro_rules! tuples {
    ($(($($length:ident)*))*) => {$(
        impl<$($length: Length),*> IntoNewShape for ($($length,)*) {
            #[allow(non_snake_case, reason = "the names of types are those of values")]
            fn into_lengths(self) -> Vec<i128> {
                let ($($length,)*) = self;
                vec![$($length.length()),*]
            }
        }
    )*};
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

macro_rules! lists {
    ($($self:ident: $type:ty [$($generics:tt)*];)*) => {$(
        impl<L: Length, $($generics)*> IntoNewShape for $type {
            fn into_lengths($self) -> Vec<i128> {
                $self.iter().map(|length| length.length()).collect()
            }
        }
    )*};
}
lists! {
    self: [L; N] [const N: usize];
    self: &[L; N] [const N: usize];
    self: &[L] [];
    self: Vec<L> [];
    self: &Vec<L> [];
}

/// The shape to which two shapes broadcast: aligned at their last axes, lengths equal or one of them 1.
pub(crate) fn broadcast_shapes(operation: &'static str, left: &[usize], right: &[usize]) -> Result<Vec<usize>> {
    let rank = left.len().max(right.len());
    let length = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    (0..rank)
        .map(|axis| match (length(left, axis), length(right, axis)) {
            (a, b) if a == b => Some(a),
            (1, b) => Some(b),
            (a, 1) => Some(a),
            _ => None,
        })
        .collect::<Option<Vec<usize>>>()
        .ok_or_else(|| Error::ShapeMismatch { operation, left: left.to_vec(), right: right.to_vec() })
}

/// The layout repeated to `shape`, which it broadcasts to: stride 0 along each axis that is repeated.
pub(crate) fn broadcast_layout(layout: &Layout, shape: &[usize]) -> Layout {
    let missing = shape.len() - layout.shape.len();
    let strides = (0..shape.len())
        .map(|axis| match axis.checked_sub(missing) {
            Some(own) if layout.shape[own] == shape[axis] => layout.strides[own],
            _ => 0,
        })
        .collect();
    Layout { shape: shape.to_vec(), strides, offset: layout.offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_broadcast_as_in_numpy() {
        let check = |left: &[usize], right: &[usize]| broadcast_shapes("add", left, right).ok();
        assert_eq!(check(&[2, 3], &[3]), Some(vec![2, 3]));
        assert_eq!(check(&[2, 1], &[1, 4]), Some(vec![2, 4]));
        assert_eq!(check(&[], &[5]), Some(vec![5]));
        assert_eq!(check(&[0], &[1]), Some(vec![0]));
        assert_eq!(check(&[2], &[3]), None);
        assert_eq!(check(&[0], &[3]), None);
    }
}
