//! What may be given to functions over device arrays.

use crate::array::DeviceArray;
use crate::dtype::Element;
use crate::operations::elementwise::{RawOperand, sealed::Sealed};
use crate::registry::Constant;

/// An argument without its type.
#[derive(Clone, Copy)]
pub enum MapOperand<'a> {
    /// An array, or one value for all elements.
    Elements(RawOperand<'a>),
    /// A struct, the same for all elements.
    Struct(&'a dyn Constant),
}

pub mod hidden {
    use super::MapOperand;

    pub trait Arguments {
        /// Calls `work` with the arguments, once.
        fn with(&self, work: &mut dyn FnMut(&[MapOperand<'_>]));
    }

    /// What `#[device]` implements for structs, and what arrays and scalars have.
    pub trait Argument {
        /// The argument.
        fn map_operand(&self) -> MapOperand<'_>;
    }
}

impl<T: Sealed> hidden::Argument for T {
    fn map_operand(&self) -> MapOperand<'_> {
        MapOperand::Elements(self.raw_operand())
    }
}

/// A type that a function over arrays can take: of an element, or a struct with `#[device]` before it, which is the same for all
/// elements. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a function over arrays cannot take `{Self}`",
    label = "not a scalar, nor a `#[device]` struct",
    note = "if it is a struct of yours, write `#[device]` and `#[derive(Clone, Copy)]` before it"
)]
pub trait MapParameter {}

impl<T: Element> MapParameter for T {}

/// Arguments for a function of elements of the types `T`, a tuple: an array for a function of one parameter, a tuple of
/// arrays and scalars for one of several. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a function whose parameters are `{T}`",
    label = "expected one argument for each of the parameters `{T}`: `&a`, or a tuple such as `(&a, &b, 1.0f32)`",
    note = "copy a host array to the device first: `gpu::asarray(&a)`"
)]
pub trait Arguments<T>: hidden::Arguments {}

/// One argument in a tuple, for a parameter of type `T`: a device array of `T`, a reference to one, or a `T`; for a `#[device]`
/// struct a value of it.
/// Not an extension point.
#[diagnostic::on_unimplemented(
    message = "the function takes elements of type `{T}`, but this argument is `{Self}`",
    label = "expected a `{T}`, or an array of them: `&DeviceArray<{T}>`",
    note = "copy a host array to the device first: `gpu::asarray(&a)`; convert other element types: `a.astype::<{T}>()`"
)]
pub trait Argument<T: MapParameter>: hidden::Argument {}

impl<T: Element> Argument<T> for T {}
impl<T: Element> Argument<T> for DeviceArray<T> {}
impl<T: Element> Argument<T> for &DeviceArray<T> {}

macro_rules! arguments_of_one {
    ($($type:ty)*) => {$(
        impl<T: Element> hidden::Arguments for $type {
            fn with(&self, work: &mut dyn FnMut(&[MapOperand<'_>])) {
                work(&[MapOperand::Elements(RawOperand::Array(&self.raw))]);
            }
        }
        impl<T: Element> Arguments<(T,)> for $type {}
    )*};
}
arguments_of_one!(DeviceArray<T> &DeviceArray<T>);

macro_rules! tuples {
    ($(($($type:ident $argument:ident $name:ident $index:tt),*))*) => {$(
        impl<$($argument: hidden::Argument),*> hidden::Arguments for ($($argument,)*) {
            fn with(&self, work: &mut dyn FnMut(&[MapOperand<'_>])) {
                work(&[$(self.$index.map_operand()),*]);
            }
        }
        impl<$($type: MapParameter, $argument: Argument<$type>),*> Arguments<($($type,)*)> for ($($argument,)*) {}
    )*};
}
one_to_eight!(tuples);
