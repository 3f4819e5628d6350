//! Making arrays of arrays, and sorting.

use warpcell::{DeviceArray, Element, Number, OnDevice};

/// The arrays as rows of one, or the rows of all arrays one below the other; `numpy.vstack`.
///
/// One signature for lists of references and of arrays: `[&a, &b]`, `[&a; 5]`, `vec![&a; n]`, `&[a, b]`.
pub fn vstack<'a, A, T>(arrays: impl IntoIterator<Item = &'a A>) -> DeviceArray<T>
where
    A: OnDevice<Elem = T> + 'a,
    T: Element,
{
    todo!()
}

/// The elements in ascending order along the last axis; `numpy.sort`.
pub fn sort<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T> {
    todo!()
}
