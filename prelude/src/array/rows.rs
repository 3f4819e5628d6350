//! The parts of an array along its first axis, and sums of arrays.

use crate::array::{DeviceArray, zeros};
use crate::dtype::{Arithmetic, Element};
use crate::error::{Error, Result, check};
use std::iter::{FusedIterator, Sum};
use std::ops::Range;

/// The parts of an array along its first axis, which they lack: rows of a matrix, arrays without axes of a 1-D array. Views.
/// [`DeviceArray::iter`] makes it.
#[derive(Clone, Debug)]
pub struct Iter<'a, T: Element> {
    array: &'a DeviceArray<T>,
    rest: Range<usize>,
}

impl<T: Element> Iter<'_, T> {
    fn part(&self, index: usize) -> DeviceArray<T> {
        self.array.slice([ndarray::SliceInfoElem::Index(index as isize)])
    }
}

impl<T: Element> Iterator for Iter<'_, T> {
    type Item = DeviceArray<T>;

    fn next(&mut self) -> Option<DeviceArray<T>> {
        self.rest.next().map(|index| self.part(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl<T: Element> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<DeviceArray<T>> {
        self.rest.next_back().map(|index| self.part(index))
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}
impl<T: Element> FusedIterator for Iter<'_, T> {}

impl<T: Element> DeviceArray<T> {
    /// The length of the first axis, as Python's `len(a)`. [`size`](Self::size) is the number of elements.
    ///
    /// **Panics** if the array has no axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// assert_eq!(warpcell::zeros::<f64>((3, 4)).len(), 3);
    /// ```
    #[track_caller]
    pub fn len(&self) -> usize {
        check(self.first_axis("len"))
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// assert!(warpcell::zeros::<f64>((3, 0)).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// The parts along the first axis, as views: rows of a matrix. `for row in &a` does the same. The parts of a 1-D array
    /// have no axes, and [`item`](Self::item) reads each of them; [`to_host`](Self::to_host) reads all at once, which is
    /// faster.
    ///
    /// **Panics** if the array has no axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// let a = warpcell::array(&[[1, 2], [3, 4]]);
    /// let sums: Vec<i64> = a.iter().map(|row| row.sum()).collect();
    /// assert_eq!(sums, [3, 7]);
    /// ```
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { array: self, rest: 0..check(self.first_axis("iter")) }
    }

    fn first_axis(&self, operation: &'static str) -> Result<usize> {
        self.shape()
            .first()
            .copied()
            .ok_or_else(|| Error::shape(operation, Vec::new(), "has no axes, and one element; read it by `a.item()`"))
    }
}

impl<'a, T: Element> IntoIterator for &'a DeviceArray<T> {
    type Item = DeviceArray<T>;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// The sum of arrays, which broadcast; an array without axes that holds 0 if there are none.
impl<T: Arithmetic> Sum for DeviceArray<T> {
    fn sum<I: Iterator<Item = DeviceArray<T>>>(mut arrays: I) -> DeviceArray<T> {
        let Some(first) = arrays.next() else { return zeros(()) };
        let Some(second) = arrays.next() else { return first };
        // The sum is in memory that nothing else uses, so more is added in place.
        arrays.fold(first.add(&second), |mut sum, array| {
            if array.shape() == sum.shape() {
                sum += &array;
                sum
            } else {
                sum.add(&array)
            }
        })
    }
}

impl<'a, T: Arithmetic> Sum<&'a DeviceArray<T>> for DeviceArray<T> {
    fn sum<I: Iterator<Item = &'a DeviceArray<T>>>(arrays: I) -> DeviceArray<T> {
        arrays.cloned().sum()
    }
}
