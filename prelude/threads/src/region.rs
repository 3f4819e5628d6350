//! What a view knows of its memory but the address: shape, strides, and what to call it.

use crate::failure::Memory;
use std::panic::Location;

/// As many axes a view has at most.
pub const MOST_AXES: usize = 4;

/// The index of an element: `i` of a view with one axis, `[y, x]` or `(y, x)` of one with two, and so on up to four. Made of `usize`.
#[diagnostic::on_unimplemented(
    message = "views and shared arrays cannot be indexed by `{Self}`",
    label = "expected a `usize` for each axis; convert others: `i as usize`",
    note = "write an element as `[i]`, `[[y, x]]` or `[[z, y, x]]`, with one index of type usize for each axis"
)]
pub trait ViewIndex: Copy + sealed::Sealed {
    #[doc(hidden)]
    type Indices: Indices;

    #[doc(hidden)]
    fn indices(self) -> Self::Indices;
}

/// What every [`ViewIndex`] comes to.
#[doc(hidden)]
pub trait Indices {
    fn offset_in(&self, region: &Region) -> Option<isize>;

    fn as_slice(&self) -> &[usize];
}

/// The lengths of a shared array's axes: constants, `n`, `[height, width]` or `(height, width)`, of up to four axes.
#[diagnostic::on_unimplemented(
    message = "a shared array cannot have the shape `{Self}`",
    label = "a shape is made of `usize`",
    note = "write `shared_array::<f32>(256)` or `shared_array::<f32>([16, 16])`"
)]
pub trait SharedShape: Copy + sealed::Sealed {
    #[doc(hidden)]
    type Lengths: AsRef<[usize]>;

    #[doc(hidden)]
    fn lengths(self) -> Self::Lengths;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl<const N: usize> Sealed for [usize; N] {}
    impl Sealed for (usize, usize) {}
    impl Sealed for (usize, usize, usize) {}
    impl Sealed for (usize, usize, usize, usize) {}
}

impl ViewIndex for usize {
    type Indices = usize;

    #[inline(always)]
    fn indices(self) -> usize {
        self
    }
}

impl Indices for usize {
    #[inline(always)]
    fn offset_in(&self, region: &Region) -> Option<isize> {
        // What is in bounds does not overflow.
        (region.rank == 1 && *self < region.shape[0]).then(|| (*self as isize).wrapping_mul(region.strides[0]))
    }

    fn as_slice(&self) -> &[usize] {
        std::slice::from_ref(self)
    }
}

impl<const N: usize> ViewIndex for [usize; N] {
    type Indices = [usize; N];

    #[inline(always)]
    fn indices(self) -> [usize; N] {
        self
    }
}

impl<const N: usize> Indices for [usize; N] {
    #[inline(always)]
    fn offset_in(&self, region: &Region) -> Option<isize> {
        const { assert!(N >= 1 && N <= MOST_AXES, "views have one to four axes") };
        let mut inside = region.rank as usize == N;
        let mut offset = 0isize;
        let mut axis = 0;
        while axis < N {
            inside &= self[axis] < region.shape[axis];
            offset = offset.wrapping_add((self[axis] as isize).wrapping_mul(region.strides[axis]));
            axis += 1;
        }
        inside.then_some(offset)
    }

    fn as_slice(&self) -> &[usize] {
        self
    }
}

impl SharedShape for usize {
    type Lengths = [usize; 1];

    fn lengths(self) -> [usize; 1] {
        [self]
    }
}

impl<const N: usize> SharedShape for [usize; N] {
    type Lengths = [usize; N];

    fn lengths(self) -> [usize; N] {
        const { assert!(N >= 1 && N <= MOST_AXES, "shared arrays have one to four axes") };
        self
    }
}

/// Tuples are arrays, written as shapes of device arrays are.
macro_rules! tuples {
    ($($tuple:ty => $count:literal),*) => {$(
        impl ViewIndex for $tuple {
            type Indices = [usize; $count];

            #[inline(always)]
            fn indices(self) -> [usize; $count] {
                self.into()
            }
        }

        impl SharedShape for $tuple {
            type Lengths = [usize; $count];

            fn lengths(self) -> [usize; $count] {
                self.into()
            }
        }
    )*};
}
tuples!((usize, usize) => 2, (usize, usize, usize) => 3, (usize, usize, usize, usize) => 4);

/// What the memory is called in messages.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    Parameter(&'static str),
    Shared(&'static Location<'static>),
    Dynamic,
}

impl Name {
    pub(crate) fn memory(self) -> Memory {
        match self {
            Name::Parameter(name) => Memory::Array { name },
            Name::Shared(place) => Memory::Shared { line: place.line() },
            Name::Dynamic => Memory::DynamicShared,
        }
    }
}

/// Shape, strides and name.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Region {
    pub(crate) shape: [usize; MOST_AXES],
    /// In elements.
    pub(crate) strides: [isize; MOST_AXES],
    pub(crate) rank: u8,
    pub(crate) name: Name,
}

impl Region {
    /// # Panics
    ///
    /// Unless there are as many strides as lengths, and one to four.
    pub(crate) fn new(shape: &[usize], strides: &[isize], name: Name) -> Region {
        assert!((1..=MOST_AXES).contains(&shape.len()), "a view has one to four axes, not {}", shape.len());
        assert_eq!(shape.len(), strides.len(), "a view has one stride for each axis");
        let mut region = Region { shape: [1; MOST_AXES], strides: [0; MOST_AXES], rank: shape.len() as u8, name };
        region.shape[..shape.len()].copy_from_slice(shape);
        region.strides[..strides.len()].copy_from_slice(strides);
        region
    }

    /// In C order, without gaps.
    #[inline(always)]
    pub(crate) fn contiguous(shape: &[usize], name: Name) -> Region {
        let mut region = Region { shape: [1; MOST_AXES], strides: [0; MOST_AXES], rank: shape.len() as u8, name };
        let mut stride = 1isize;
        for axis in (0..shape.len()).rev() {
            region.shape[axis] = shape[axis];
            region.strides[axis] = stride;
            stride = stride.wrapping_mul(shape[axis] as isize);
        }
        region
    }

    #[inline(always)]
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape[..usize::from(self.rank)]
    }

    #[inline(always)]
    pub(crate) fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// The number of an element in C order.
    pub(crate) fn number_of(&self, index: &[usize]) -> usize {
        index.iter().zip(self.shape()).fold(0, |number, (&index, &length)| number * length + index)
    }
}
