//! The arrays of a kernel: `View` and `ViewMut` of what a launch is given, `SharedArray` of what a block shares.
//!
//! All threads of a launch hold copies of one view at once, so a view is a raw pointer that is checked at each access. The
//! references that `Index` asks for live as long as the access, never across a barrier, where the element may change. Nor may a
//! kernel put a view aside for later. The language would allow both; what checks the text of kernels, before they run, does not.

use crate::access::{self, CHECKED_LAUNCHES, Element};
use crate::checker::Touch;
use crate::element::{AtomicElement, AtomicInteger, ViewElement};
use crate::region::{Indices, Name, Region, ViewIndex};
use std::ops::{Index, IndexMut};
use std::sync::atomic::Ordering;

/// A kernel's parameter for an array that it reads: `a[i]`, `a[[y, x]]`, checked at each access.
#[derive(Clone, Copy)]
pub struct View<T> {
    data: *const T,
    region: Region,
}

/// A kernel's parameter for an array that it changes: `out[i] = v`, `out[[y, x]] += v`, `out.atomic_add(i, v)`.
#[derive(Clone, Copy)]
pub struct ViewMut<T> {
    data: *mut T,
    region: Region,
}

/// An array that the threads of a block share, made by [`shared_array`](crate::shared_array) or
/// [`dynamic_shared_array`](crate::dynamic_shared_array).
#[derive(Clone, Copy)]
pub struct SharedArray<T> {
    data: *mut T,
    region: Region,
}

// SAFETY: who makes a view vouches for its memory in all threads of the launch, and elements may go to any thread.
unsafe impl<T: ViewElement> Send for View<T> {}
// SAFETY: as above.
unsafe impl<T: ViewElement> Sync for View<T> {}
// SAFETY: as above.
unsafe impl<T: ViewElement> Send for ViewMut<T> {}
// SAFETY: as above.
unsafe impl<T: ViewElement> Sync for ViewMut<T> {}

impl<T: ViewElement> View<T> {
    /// A view of memory, for the parameter `name` of a kernel.
    ///
    /// # Safety
    ///
    /// `data` must be aligned, and every element that `shape` and `strides` (in elements) lead to must be valid for reads in
    /// any thread as long as a copy of the view is used. What nobody but the threads of the launch accesses meanwhile gives
    /// what they wrote; two of them that access one element without a barrier between, one writing, are a data race.
    ///
    /// # Panics
    ///
    /// Unless there are one to four axes, and a stride for each.
    pub unsafe fn from_raw(data: *const T, shape: &[usize], strides: &[isize], name: &'static str) -> View<T> {
        View { data, region: Region::new(shape, strides, Name::Parameter(name)) }
    }
}

impl<T: ViewElement> ViewMut<T> {
    /// A view of memory, for the parameter `name` of a kernel.
    ///
    /// # Safety
    ///
    /// As for [`View::from_raw`], and the elements must be valid for writes too.
    ///
    /// # Panics
    ///
    /// Unless there are one to four axes, and a stride for each.
    pub unsafe fn from_raw(data: *mut T, shape: &[usize], strides: &[isize], name: &'static str) -> ViewMut<T> {
        ViewMut { data, region: Region::new(shape, strides, Name::Parameter(name)) }
    }
}

impl<T: ViewElement> SharedArray<T> {
    /// The memory of a block, in C order.
    #[inline(always)]
    pub(crate) fn new(data: *mut T, shape: &[usize], name: Name) -> SharedArray<T> {
        SharedArray { data, region: Region::contiguous(shape, name) }
    }
}

/// Where an element is: checked, and noted by the checker if one is at work.
#[inline(always)]
#[track_caller]
fn locate<T: ViewElement, I: ViewIndex>(data: *const T, region: &Region, index: I, touch: Touch) -> *const T {
    let index = index.indices();
    let Some(offset) = index.offset_in(region) else { access::refuse(region, index.as_slice()) };
    let element = data.wrapping_offset(offset);
    if CHECKED_LAUNCHES.load(Ordering::Relaxed) != 0 {
        access::note(Element::new(element), region, index.as_slice(), touch);
    }
    element
}

macro_rules! arrays {
    ($($array:ident)*) => {$(
        impl<T: ViewElement> $array<T> {
            /// How many elements there are.
            #[inline]
            pub fn len(&self) -> usize {
                self.region.elements()
            }

            /// Whether there is no element.
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The length of each axis.
            #[inline]
            pub fn shape(&self) -> &[usize] {
                self.region.shape()
            }

            /// How many axes there are.
            #[inline]
            pub fn ndim(&self) -> usize {
                self.region.rank.into()
            }
        }

        impl<T: ViewElement, I: ViewIndex> Index<I> for $array<T> {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, index: I) -> &T {
                let element = locate(self.data as *const T, &self.region, index, Touch::Read);
                // SAFETY: the index is in bounds, so the element is valid and aligned by what the maker of the view has
                // promised. Other threads that write it meanwhile break that promise: a race of the kernel.
                unsafe { &*element }
            }
        }
    )*};
}
arrays!(View ViewMut SharedArray);

/// Methods that replace an element by what it becomes with a value, and give the old one.
macro_rules! updates {
    ($($(#[$note:meta])* $name:ident: |$old:ident, $value:ident| $new:expr;)*) => {$(
        $(#[$note])*
        #[inline]
        #[track_caller]
        pub fn $name<I: ViewIndex>(&self, index: I, $value: T) -> T {
            self.update(index, |$old| $new)
        }
    )*};
}

macro_rules! changing {
    ($($array:ident)*) => {$(
        impl<T: ViewElement, I: ViewIndex> IndexMut<I> for $array<T> {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: I) -> &mut T {
                let element = locate(self.data, &self.region, index, Touch::Write).cast_mut();
                // SAFETY: as for `index`. The reference ends with the access, before another thread's turn.
                unsafe { &mut *element }
            }
        }

        impl<T: AtomicElement> $array<T> {
            updates! {
                /// Adds to an element in one step; gives what was there. Integers wrap.
                atomic_add: |old, value| old.plus(value);

                /// Subtracts from an element in one step; gives what was there. Integers wrap.
                atomic_sub: |old, value| old.minus(value);

                /// Replaces an element by a value that is larger; gives what was there. A NaN is smaller than any number.
                atomic_max: |old, value| old.larger(value);

                /// Replaces an element by a value that is smaller; gives what was there. A NaN is larger than any number.
                atomic_min: |old, value| old.smaller(value);
            }

            /// Reads an element in one step, while other threads may change it by atomic operations. It costs less than a change.
            #[inline]
            #[track_caller]
            pub fn atomic_load<I: ViewIndex>(&self, index: I) -> T {
                let element = locate(self.data, &self.region, index, Touch::Atomic).cast_mut();
                // SAFETY: as for `atomic_compare_exchange`.
                unsafe { T::load(element) }
            }

            /// Replaces an element in one step; gives what was there.
            #[inline]
            #[track_caller]
            pub fn atomic_exchange<I: ViewIndex>(&self, index: I, value: T) -> T {
                let element = locate(self.data, &self.region, index, Touch::Exchange).cast_mut();
                // SAFETY: as for `atomic_compare_exchange`.
                unsafe { T::update(element, |_| value) }
            }

            /// Replaces an element by `value` if `compare` is there, and gives what was there; CUDA's `atomicCAS`. Floats are
            /// compared by their bits.
            #[inline]
            #[track_caller]
            pub fn atomic_compare_exchange<I: ViewIndex>(&self, index: I, compare: T, value: T) -> T {
                let element = locate(self.data, &self.region, index, Touch::Atomic).cast_mut();
                // SAFETY: the element is valid and aligned, as for `index`; a plain access meanwhile is a race of the kernel.
                unsafe { T::compare_exchange(element, compare, value) }
            }

            #[inline]
            #[track_caller]
            fn update<I: ViewIndex>(&self, index: I, change: impl Fn(T) -> T) -> T {
                let element = locate(self.data, &self.region, index, Touch::Atomic).cast_mut();
                // SAFETY: as for `atomic_compare_exchange`.
                unsafe { T::update(element, change) }
            }
        }

        impl<T: AtomicInteger> $array<T> {
            updates! {
                /// Replaces an element by its bits that are set in `value` too; gives what was there.
                atomic_and: |old, value| old & value;

                /// Sets the bits of `value` in an element; gives what was there.
                atomic_or: |old, value| old | value;

                /// Flips the bits of `value` in an element; gives what was there.
                atomic_xor: |old, value| old ^ value;
            }
        }
    )*};
}
changing!(ViewMut SharedArray);
