//! Functions over arrays as types: what they take, and what comes of it.

use super::{Fused, MapParameter, first, not_registered};
use crate::array::{DeviceArray, RawArray};
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::operations::map::reduction::Reducing;
use crate::registry::{self, Outputs};
use ndarray::ArrayD;

mod sealed {
    use super::{Result, registry};

    pub trait Function<T> {
        /// What runs it.
        fn found(&self, operation: &'static str) -> Result<registry::Function>;
    }
    pub trait Results {}
}
pub(super) use sealed::Results as SealedResults;

/// A function that [`map`](crate::map) can run over elements of the types `T`, a tuple: one that has `#[vectorize]` before it
/// and is given by its name, or a formula of [`fuse!`](crate::fuse). Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`gpu::map` cannot call `{Self}` with elements of the types `{T}`",
    label = "not a function of these arguments",
    note = "give a function that has `#[vectorize]` before it, by its name, and one argument for each of its parameters, \
            of the parameter's type",
    note = "convert arrays of other element types first, such as `a.astype::<f32>()`"
)]
pub trait Function<T>: sealed::Function<T> {
    /// The type of the result's elements, or a tuple of such.
    type Output: Results;
}

/// What a function over arrays returns: an element, or a tuple of two to eight. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a function over arrays cannot return `{Self}`",
    label = "not an element of an array, nor a tuple of such",
    note = "return a bool, an integer of 8 to 64 bits, a float or a complex number, or a tuple of two to eight of them"
)]
pub trait Results: sealed::Results + Copy + 'static {
    /// What [`map`](crate::map) gives: a device array, or a tuple of such.
    type Arrays;
    /// What [`map_host`](crate::map_host) gives: a host array, or a tuple of such.
    type HostArrays;
    /// What [`map_into`](crate::map_into) writes to: a device array, or a tuple of such.
    type Targets<'a>;
    /// The blocks of results that a loop fills.
    #[doc(hidden)]
    type Blocks<'a>;
    #[doc(hidden)]
    const DTYPES: &'static [DType];
    #[doc(hidden)]
    fn reduction() -> Option<Reducing> {
        None
    }
    #[doc(hidden)]
    fn arrays(arrays: Vec<RawArray>) -> Self::Arrays;
    #[doc(hidden)]
    fn host_arrays(arrays: Vec<RawArray>) -> Result<Self::HostArrays>;
    #[doc(hidden)]
    fn targets<'a>(targets: Self::Targets<'a>) -> Vec<&'a RawArray>;
    /// The blocks, each of which has so many elements.
    #[doc(hidden)]
    fn blocks<'a>(outputs: &mut Outputs<'a>, length: usize) -> Self::Blocks<'a>;
    #[doc(hidden)]
    fn store(self, blocks: &mut Self::Blocks<'_>, index: usize);
}

impl<T: Element> sealed::Results for T {}
impl<T: Element> Results for T {
    type Arrays = DeviceArray<T>;
    type HostArrays = ArrayD<T>;
    type Targets<'a> = &'a mut DeviceArray<T>;
    type Blocks<'a> = &'a mut [T];
    const DTYPES: &'static [DType] = &[T::DTYPE];

    fn arrays(arrays: Vec<RawArray>) -> DeviceArray<T> {
        first(arrays)
    }
    fn host_arrays(arrays: Vec<RawArray>) -> Result<ArrayD<T>> {
        first(arrays).try_into_host()
    }
    fn targets<'a>(target: Self::Targets<'a>) -> Vec<&'a RawArray> {
        vec![&target.raw]
    }
    #[inline(always)]
    fn blocks<'a>(outputs: &mut Outputs<'a>, length: usize) -> &'a mut [T] {
        outputs.next_of(length)
    }
    #[inline(always)]
    fn store(self, block: &mut Self::Blocks<'_>, index: usize) {
        block[index] = self;
    }
}

macro_rules! tuples {
    ($(($($type:ident $index:tt),*))*) => {$(
        impl<$($type: Element),*> sealed::Results for ($($type,)*) {}
        impl<$($type: Element),*> Results for ($($type,)*) {
            type Arrays = ($(DeviceArray<$type>,)*);
            type HostArrays = ($(ArrayD<$type>,)*);
            type Targets<'a> = ($(&'a mut DeviceArray<$type>,)*);
            type Blocks<'a> = ($(&'a mut [$type],)*);
            const DTYPES: &'static [DType] = &[$($type::DTYPE),*];

            fn arrays(arrays: Vec<RawArray>) -> Self::Arrays {
                let mut arrays = arrays.into_iter();
                ($(next::<$type>(&mut arrays),)*)
            }
            fn host_arrays(arrays: Vec<RawArray>) -> Result<Self::HostArrays> {
                let mut arrays = arrays.into_iter();
                Ok(($(next::<$type>(&mut arrays).try_into_host()?,)*))
            }
            fn targets<'a>(targets: Self::Targets<'a>) -> Vec<&'a RawArray> {
                vec![$(&targets.$index.raw),*]
            }
            #[inline(always)]
            fn blocks<'a>(outputs: &mut Outputs<'a>, length: usize) -> Self::Blocks<'a> {
                ($(outputs.next_of::<$type>(length),)*)
            }
            #[inline(always)]
            fn store(self, blocks: &mut Self::Blocks<'_>, index: usize) {
                $(blocks.$index[index] = self.$index;)*
            }
        }
    )*};
}
tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, G 5)
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6)
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7)
}

fn next<T: Element>(arrays: &mut std::vec::IntoIter<RawArray>) -> DeviceArray<T> {
    DeviceArray::from_raw(arrays.next().expect("an array for each result"))
}

/// The registered function of a type's name; of a reference to a function too.
fn find(operation: &'static str, name: &'static str, parameters: &[&str]) -> Result<registry::Function> {
    let name = name.trim_start_matches('&');
    registry::find(name).map(|function| *function).ok_or_else(|| not_registered(operation, name, parameters))
}

macro_rules! functions {
    ($(($($type:ident),*))*) => {$(
        impl<FF: Fn($($type),*) -> R, R: Results, $($type: MapParameter),*> sealed::Function<($($type,)*)> for FF {
            fn found(&self, operation: &'static str) -> Result<registry::Function> {
                find(operation, std::any::type_name::<FF>(), &[$(std::any::type_name::<$type>()),*])
            }
        }
        impl<FF: Fn($($type),*) -> R, R: Results, $($type: MapParameter),*> Function<($($type,)*)> for FF {
            type Output = R;
        }
        impl<R: Results, $($type: Element),*> sealed::Function<($($type,)*)> for Fused<fn($($type),*) -> R> {
            fn found(&self, _operation: &'static str) -> Result<registry::Function> {
                Ok(self.function)
            }
        }
        impl<R: Results, $($type: Element),*> Function<($($type,)*)> for Fused<fn($($type),*) -> R> {
            type Output = R;
        }
        impl<R: Results, $($type: Element),*> sealed::Function<($($type,)*)> for &Fused<fn($($type),*) -> R> {
            fn found(&self, _operation: &'static str) -> Result<registry::Function> {
                Ok(self.function)
            }
        }
        impl<R: Results, $($type: Element),*> Function<($($type,)*)> for &Fused<fn($($type),*) -> R> {
            type Output = R;
        }
    )*};
}
functions! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, G)
    (A, B, C, D, E, G, H)
    (A, B, C, D, E, G, H, I)
}
