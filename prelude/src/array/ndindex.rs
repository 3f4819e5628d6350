//! The indices of a shape in turn.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;

mod sealed {
    pub trait Sealed {
        /// The lengths of the axes.
        fn lengths(&self) -> Vec<usize>;
    }
}
use sealed::Sealed;

/// A shape whose indices are given in turn: `3`, `(2, 3)`, `[2, 3]`, `a.shape()` or a `Vec`. The indices have the form of the
/// shape. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "expected a shape",
    note = "a shape is a `usize`, a tuple such as `(2, 3)`, an array such as `[2, 3]`, or a slice such as `a.shape()`"
)]
pub trait IndexedShape: Sealed {
    /// An index.
    type Index;
    /// The index with these places along the axes.
    fn index(places: &[usize]) -> Self::Index;
}

macro_rules! shapes {
    ($($type:ty $([$($generics:tt)*])? => $index:ty, $self:ident $lengths:expr, $places:ident $value:expr;)*) => {$(
        impl $(<$($generics)*>)? Sealed for $type {
            fn lengths(&$self) -> Vec<usize> {
                $lengths
            }
        }
        impl $(<$($generics)*>)? IndexedShape for $type {
            type Index = $index;
            #[allow(unused_variables, reason = "a shape without axes has one index, without places")]
            fn index($places: &[usize]) -> $index {
                $value
            }
        }
    )*};
}
shapes! {
    usize => usize, self vec![*self], at at[0];
    () => (), self Vec::new(), at ();
    (usize,) => (usize,), self vec![self.0], at (at[0],);
    (usize, usize) => (usize, usize), self vec![self.0, self.1], at (at[0], at[1]);
    (usize, usize, usize) => (usize, usize, usize), self vec![self.0, self.1, self.2], at (at[0], at[1], at[2]);
    (usize, usize, usize, usize) => (usize, usize, usize, usize),
        self vec![self.0, self.1, self.2, self.3], at (at[0], at[1], at[2], at[3]);
    [usize; N] [const N: usize] => [usize; N], self self.to_vec(), at std::array::from_fn(|axis| at[axis]);
    &[usize] => Vec<usize>, self self.to_vec(), at at.to_vec();
    Vec<usize> => Vec<usize>, self self.clone(), at at.to_vec();
    &Vec<usize> => Vec<usize>, self self.to_vec(), at at.to_vec();
}

/// The indices of a shape; [`ndindex`] makes it.
pub struct NdIndex<S> {
    lengths: Vec<usize>,
    rest: Range<usize>,
    shape: PhantomData<fn() -> S>,
}

/// All indices of a shape in row-major order, the last axis fastest; NumPy's `ndindex`.
///
/// Indices of `(2, 3)` are tuples, of `[2, 3]` arrays, and of `a.shape()` they are a `Vec` each. A shape without axes has one
/// index. For whole arrays of indices, see [`indices`](fn@crate::indices).
///
/// **Panics** if the shape has more indices than a `usize` can count.
///
/// ```
/// use warpcell as gpu;
/// let places: Vec<(usize, usize)> = gpu::ndindex((2, 2)).collect();
/// assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1)]);
/// let a = gpu::array(&[[1, 2], [3, 4]]);
/// for [i, j] in gpu::ndindex([2, 2]) {
///     assert_eq!(a.get(&[i, j]), (2 * i + j + 1) as i32);
/// }
/// ```
#[track_caller]
pub fn ndindex<S: IndexedShape>(shape: S) -> NdIndex<S> {
    let lengths = shape.lengths();
    let size = lengths.iter().try_fold(1usize, |size, &length| size.checked_mul(length));
    let size = if lengths.contains(&0) { Some(0) } else { size };
    let size =
        size.unwrap_or_else(|| panic!("ndindex: the shape {lengths:?} has too many indices; give a smaller one"));
    NdIndex { lengths, rest: 0..size, shape: PhantomData }
}

impl<S: IndexedShape> NdIndex<S> {
    fn index(&self, mut place: usize) -> S::Index {
        let mut places = vec![0; self.lengths.len()];
        for (axis, &length) in self.lengths.iter().enumerate().rev() {
            (place, places[axis]) = (place / length, place % length);
        }
        S::index(&places)
    }
}

impl<S: IndexedShape> Iterator for NdIndex<S> {
    type Item = S::Index;

    fn next(&mut self) -> Option<S::Index> {
        self.rest.next().map(|place| self.index(place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }

    fn nth(&mut self, skipped: usize) -> Option<S::Index> {
        self.rest.nth(skipped).map(|place| self.index(place))
    }
}

impl<S: IndexedShape> DoubleEndedIterator for NdIndex<S> {
    fn next_back(&mut self) -> Option<S::Index> {
        self.rest.next_back().map(|place| self.index(place))
    }
}

impl<S: IndexedShape> ExactSizeIterator for NdIndex<S> {}
impl<S: IndexedShape> FusedIterator for NdIndex<S> {}

impl<S> Clone for NdIndex<S> {
    fn clone(&self) -> NdIndex<S> {
        NdIndex { lengths: self.lengths.clone(), rest: self.rest.clone(), shape: PhantomData }
    }
}

impl<S> fmt::Debug for NdIndex<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NdIndex").field("shape", &self.lengths).field("rest", &self.rest).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_come_from_both_ends() {
        let mut all = ndindex((2, 3));
        assert_eq!(all.len(), 6);
        assert_eq!((all.next(), all.next_back(), all.nth(1)), (Some((0, 0)), Some((1, 2)), Some((0, 2))));
        assert_eq!(all.collect::<Vec<_>>(), [(1, 0), (1, 1)]);
    }

    #[test]
    fn indices_have_the_form_of_the_shape() {
        assert_eq!(ndindex(3).collect::<Vec<usize>>(), [0, 1, 2]);
        assert_eq!(ndindex(()).count(), 1);
        assert_eq!(ndindex([2, 1]).collect::<Vec<[usize; 2]>>(), [[0, 0], [1, 0]]);
        assert_eq!(ndindex(vec![1, 1, 2]).next_back(), Some(vec![0, 0, 1]));
        assert_eq!(ndindex(&[2usize, 0][..]).count(), 0);
        assert_eq!(ndindex((1, 2, 1, 2)).nth(3), Some((0, 1, 0, 1)));
    }

    #[test]
    #[should_panic(expected = "has too many indices; give a smaller one")]
    fn too_many_indices_are_refused() {
        let _ = ndindex([usize::MAX, 2]);
    }
}
