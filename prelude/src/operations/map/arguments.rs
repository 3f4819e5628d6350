//! What may be given to functions over device arrays.

use super::Request;
use crate::array::{DeviceArray, RawArray};
use crate::dtype::Element;
use crate::error::Result;
use crate::operations::elementwise::{RawOperand, sealed::Sealed};

mod sealed {
    use super::{RawArray, Request, Result};

    pub trait Arguments {
        fn run(&self, request: &Request<'_>) -> Result<Vec<RawArray>>;
    }
}

/// Arguments for a function of elements of the types `T`, a tuple: an array for a function of one parameter, a tuple of
/// arrays and scalars for one of several. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a function whose parameters are `{T}`",
    label = "expected one argument for each of the parameters `{T}`: `&a`, or a tuple such as `(&a, &b, 1.0f32)`",
    note = "copy a host array to the device first: `gpu::asarray(&a)`"
)]
pub trait Arguments<T>: sealed::Arguments {}

/// One argument in a tuple, for a parameter of type `T`: a device array of `T`, a reference to one, or a `T`.
/// Not an extension point.
#[diagnostic::on_unimplemented(
    message = "the function takes elements of type `{T}`, but this argument is `{Self}`",
    label = "expected `&DeviceArray<{T}>` or `{T}`",
    note = "copy a host array to the device first: `gpu::asarray(&a)`; convert other element types: `a.astype::<{T}>()`"
)]
pub trait Argument<T: Element>: Sealed {}

impl<T: Element> Argument<T> for T {}
impl<T: Element> Argument<T> for DeviceArray<T> {}
impl<T: Element> Argument<T> for &DeviceArray<T> {}

macro_rules! arguments_of_one {
    ($($type:ty)*) => {$(
        impl<T: Element> sealed::Arguments for $type {
            fn run(&self, request: &Request<'_>) -> Result<Vec<RawArray>> {
                request.run(&[RawOperand::Array(&self.raw)])
            }
        }
        impl<T: Element> Arguments<(T,)> for $type {}
    )*};
}
arguments_of_one!(DeviceArray<T> &DeviceArray<T>);

macro_rules! tuples {
    ($(($($type:ident $argument:ident $name:ident $index:tt),*))*) => {$(
        impl<$($argument: Sealed),*> sealed::Arguments for ($($argument,)*) {
            fn run(&self, request: &Request<'_>) -> Result<Vec<RawArray>> {
                request.run(&[$(self.$index.raw_operand()),*])
            }
        }
        impl<$($type: Element, $argument: Argument<$type>),*> Arguments<($($type,)*)> for ($($argument,)*) {}
    )*};
}
one_to_eight!(tuples);
