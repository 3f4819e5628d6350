//! Sorting.

use warpcell::{DeviceArray, Number, OnDevice};

/// The elements in ascending order along the last axis; `numpy.sort`.
pub fn sort<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T> {
    todo!()
}
