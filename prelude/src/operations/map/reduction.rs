//! Reductions behind functions over arrays: what [`map_reduce`](crate::map_reduce) takes, and `fuse!` by their names.
//!
//! ```
//! use warpcell as gpu;
//! use gpu::prelude::*;
//!
//! #[vectorize]
//! fn is_small(x: f64) -> bool {
//!     x.abs() < 1e-6
//! }
//! # if gpu::device() == gpu::Device::Cpu {
//! let x = gpu::array(&[1e-9, -1e-7, 0.1]);
//! assert!(!gpu::map_reduce(is_small, gpu::reduction::All, &x).item());
//! assert_eq!(gpu::map_reduce(is_small, gpu::reduction::Sum, &x).item(), 2);
//! # }
//! ```

use super::first;
use super::function::{Results, SealedResults};
use crate::array::{DeviceArray, RawArray};
use crate::backend::ReduceOperation;
use crate::dtype::{DType, Element, Number, Real};
use crate::error::Result;
use crate::registry::Outputs;
use ndarray::ArrayD;
use std::marker::PhantomData;

/// A reduction, as the backends know it.
pub struct Reducing(pub(crate) ReduceOperation);

mod sealed {
    use super::Reducing;

    pub trait Reduction {
        fn operation() -> Reducing;
    }
}

/// A reduction of results of type `T`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot reduce results of type `{T}`",
    label = "not a reduction of `{T}`",
    note = "`Sum`, `Product`, `Min` and `Max` reduce numbers (`Sum` counts bools), `Any` and `All` reduce bools; the function \
            has one result"
)]
pub trait Reduction<T>: sealed::Reduction + Copy + 'static {
    /// The type of the value.
    type Output: Element;
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $operation:ident [$($generics:tt)*] $type:ty => $output:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl sealed::Reduction for $name {
            fn operation() -> Reducing {
                Reducing(ReduceOperation::$operation)
            }
        }
        impl<$($generics)*> Reduction<$type> for $name {
            type Output = $output;
        }
    )*};
}
reductions! {
    /// The sum; 0 over no elements. Small integers widen as in [`DeviceArray::sum`], and bools are counted.
    Sum Sum [T: Element] T => T::Sum;
    /// The product; 1 over no elements. Small integers widen as in [`DeviceArray::sum`].
    Product Product [T: Real] T => T::Sum;
    /// The smallest, NaN if there is one.
    Min Min [T: Number] T => T;
    /// The largest, NaN if there is one.
    Max Max [T: Number] T => T;
    /// Whether any is true; false over no elements.
    Any Any [] bool => bool;
    /// Whether all are true; true over no elements.
    All All [] bool => bool;
}

/// A result that is to be reduced by `K`: what a formula returns whose last step is a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<K, T> {
    value: T,
    reduction: PhantomData<K>,
}

impl<K, T> Reduced<K, T> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(value: T) -> Reduced<K, T> {
        Reduced { value, reduction: PhantomData }
    }
}

impl<K: Reduction<T>, T: Element> SealedResults for Reduced<K, T> {}
impl<K: Reduction<T>, T: Element> Results for Reduced<K, T> {
    type Arrays = DeviceArray<K::Output>;
    type HostArrays = ArrayD<K::Output>;
    type Targets<'a> = &'a mut DeviceArray<K::Output>;
    type Blocks<'a> = &'a mut [T];
    const DTYPES: &'static [DType] = &[T::DTYPE];

    fn reduction() -> Option<Reducing> {
        Some(K::operation())
    }
    fn arrays(arrays: Vec<RawArray>) -> DeviceArray<K::Output> {
        first(arrays)
    }
    fn host_arrays(arrays: Vec<RawArray>) -> Result<ArrayD<K::Output>> {
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
        block[index] = self.value;
    }
}
