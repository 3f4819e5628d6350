//! Indices as arguments.

use crate::array::conversions::conversions;
use crate::array::{DeviceArray, RawArray};
use crate::dtype::Element;
use ndarray::{ArrayBase, Data, Dimension};
use std::ops::Range;

/// Indices without their type.
#[derive(Clone)]
pub enum RawIndices {
    /// On a device, of dtype i32, i64, u32 or u64.
    Device(RawArray),
    /// On the host.
    Host {
        /// Their shape.
        shape: Vec<usize>,
        /// The indices in row-major order; what is larger than an i64 is its largest value, which no array has.
        values: Vec<i64>,
    },
}

pub(crate) mod sealed {
    use super::RawIndices;

    pub trait Number {
        fn wide(self) -> i64;
    }
    pub trait Sealed {
        fn raw_indices(self) -> RawIndices;
    }
}

/// A number that can be an index: `i32 i64 u32 u64`, on the host `usize` and `isize` too. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of indices",
    label = "indices are integers",
    note = "indices are i32, i64, u32 or u64, on the host usize or isize too; convert an array first: `a.astype::<i64>()`",
    note = "to choose elements by bools, use `a.extract(&mask)`, `a.putmask(&mask, value)` or `gpu::where_(&mask, a, b)`"
)]
pub trait Index: sealed::Number + Copy + 'static {}

/// What can be given as indices: a `DeviceArray` of `i32 i64 u32 u64` or a reference to one; or from the host a number, a
/// range such as `0..5`, an array such as `[0, 2, -1]`, a slice, a `Vec`, or a reference to an `ndarray` array. Not an
/// extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as indices",
    label = "expected indices",
    note = "indices are a reference to a `DeviceArray` of integers, a range such as `0..5`, an array such as `[0, 2, -1]`, a \
            slice, a `Vec`, or a reference to an `ndarray` array of integers"
)]
pub trait IntoIndices: sealed::Sealed {}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl sealed::Number for $type {
            fn wide(self) -> i64 {
                (self as i128).min(i64::MAX as i128) as i64
            }
        }
        impl Index for $type {}
        conversions! {
            fn raw_indices(self) -> RawIndices: sealed::Sealed, IntoIndices;
            $type => on_host(Vec::new(), [self]);
        }
    )*};
}
numbers!(i32 i64 u32 u64 usize isize);

conversions! {
    fn raw_indices(self) -> RawIndices: sealed::Sealed, IntoIndices;
    Range<I> [I: Index] => range(self.start.wide(), self.end.wide());
    &[I] [I: Index] => on_host(vec![self.len()], self.iter().copied());
    Vec<I> [I: Index] => self.as_slice().raw_indices();
    &Vec<I> [I: Index] => self.as_slice().raw_indices();
    [I; N] [I: Index, const N: usize] => self.as_slice().raw_indices();
    &[I; N] [I: Index, const N: usize] => self.as_slice().raw_indices();
    &ArrayBase<S, D> [I: Index, S: Data<Elem = I>, D: Dimension] => on_host(self.shape().to_vec(), self.iter().copied());
    &DeviceArray<I> [I: Index + Element] => RawIndices::Device((*self.raw).clone());
    DeviceArray<I> [I: Index + Element] => RawIndices::Device(self.raw.into_inner());
}

fn on_host<I: Index>(shape: Vec<usize>, indices: impl IntoIterator<Item = I>) -> RawIndices {
    RawIndices::Host { shape, values: indices.into_iter().map(I::wide).collect() }
}

fn range(start: i64, end: i64) -> RawIndices {
    let values: Vec<i64> = (start..end).collect();
    RawIndices::Host { shape: vec![values.len()], values }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_come_in_many_forms() {
        fn of(indices: impl IntoIndices) -> (Vec<usize>, Vec<i64>) {
            match indices.raw_indices() {
                RawIndices::Host { shape, values } => (shape, values),
                RawIndices::Device(raw) => (raw.shape().to_vec(), crate::array::transfer::download_vec(&raw).unwrap()),
            }
        }
        assert_eq!(of(-1), (vec![], vec![-1]));
        assert_eq!(of(1..4), (vec![3], vec![1, 2, 3]));
        assert_eq!(of(4..4usize), (vec![0], vec![]));
        assert_eq!(of([2, -1]), (vec![2], vec![2, -1]));
        let array = [2u32, 1];
        assert_eq!(of(array.as_slice()), (vec![2], vec![2, 1]));
        assert_eq!(of(vec![u64::MAX]), (vec![1], vec![i64::MAX]));
        assert_eq!(of(&vec![7usize][..]), (vec![1], vec![7]));
        assert_eq!(of(&ndarray::array![[1, 2], [3, 4]].t()), (vec![2, 2], vec![1, 3, 2, 4]));
        let on_device = crate::array(&[5i64, 6]);
        assert_eq!(of(&on_device), (vec![2], vec![5, 6]));
        assert_eq!(of(crate::array(&[[5i64], [6]])), (vec![2, 1], vec![5, 6]));
    }
}
