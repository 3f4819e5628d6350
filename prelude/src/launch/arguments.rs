//! Kernels and their arguments as types: what a function with `#[kernel]` takes, and what may be given for it.

use crate::array::{DeviceArray, RawArray};
use crate::dtype::{Element, dtypes};
use crate::error::{Error, Result};
use crate::raw_kernels::{RawArgument, sealed};
use crate::registry::{self, Value, find_kernel};
use warpcell_threads::{View, ViewElement, ViewMut};

pub mod hidden {
    use super::{LaunchArgument, Result, registry};

    pub trait Kernel<P> {
        /// What runs it.
        fn found(&self, operation: &'static str) -> Result<registry::Kernel>;
    }

    /// What `#[device]` implements for structs, and what arrays and scalars have.
    pub trait Argument {
        /// The argument.
        fn launch_argument(&self) -> LaunchArgument<'_>;
    }

    pub trait Arguments {
        /// Does `work` with the arguments in their order.
        fn with(&self, work: &mut dyn FnMut(&[LaunchArgument<'_>]) -> Result<()>) -> Result<()>;
    }
}

/// An argument of a launch, without its type.
pub enum LaunchArgument<'a> {
    /// An array or a scalar.
    Plain(RawArgument<'a>),
    /// A struct.
    Struct(Value),
}

impl<'a> LaunchArgument<'a> {
    /// The array, if it is one.
    pub(crate) fn array(&self) -> Option<&'a RawArray> {
        match self {
            LaunchArgument::Plain(argument) => argument.array(),
            LaunchArgument::Struct(_) => None,
        }
    }
}

impl<T: sealed::Argument> hidden::Argument for T {
    fn launch_argument(&self) -> LaunchArgument<'_> {
        LaunchArgument::Plain(self.raw_argument())
    }
}

/// What `#[device]` adds to a struct besides its registration: it may be the argument of a kernel, and of a function over arrays.
#[doc(hidden)]
#[macro_export]
macro_rules! __device_struct {
    ($name:ident) => {
        impl $crate::registry::DeviceStruct for $name {}
        impl $crate::registry::steps::Told for $name {
            fn tell(&self, name: $crate::registry::steps::LocalName) {
                let text = || $crate::registry::text_of(&$crate::registry::Constant::value(self));
                $crate::registry::steps::tell_text(name, &text);
            }
        }
        impl $crate::launch_arguments::Argument for $name {
            fn launch_argument(&self) -> $crate::launch_arguments::LaunchArgument<'_> {
                $crate::launch_arguments::LaunchArgument::Struct($crate::registry::Constant::value(self))
            }
        }
        impl $crate::KernelArgument<$name> for $name {}
        impl $crate::map_arguments::Argument for $name {
            fn map_operand(&self) -> $crate::map_arguments::MapOperand<'_> {
                $crate::map_arguments::MapOperand::Struct(self)
            }
        }
        impl $crate::MapParameter for $name {}
        impl $crate::Argument<$name> for $name {}
        impl $crate::map_arguments::HostArgument for $name {
            fn operand(&self) -> $crate::map_arguments::HostOperand<'_> {
                $crate::map_arguments::HostOperand::Struct(self)
            }
        }
        impl $crate::HostArgument<$name> for $name {}
    };
}

/// A function with `#[kernel]` before it, given by its name, with parameters of the types `P`, a tuple. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched as a kernel",
    label = "not a function with `#[kernel]` before it",
    note = "give a function that has `#[kernel]` before it, takes views, scalars and `#[device]` structs and returns nothing, by its name",
    note = "to run a function of single elements over arrays, write `#[vectorize]` before it and use `gpu::map`"
)]
pub trait Kernel<P>: hidden::Kernel<P> {}

/// The arguments of a kernel with the parameters `P`, both tuples: `(&a, &mut out, 3)`; or a reference to one array. Not an extension
/// point.
#[diagnostic::on_unimplemented(
    message = "the kernel takes `{P}`, but is given `{Self}`",
    label = "expected one argument for each parameter",
    note = "give a tuple such as `(&a, &mut out, 3)`: `&a` for a `View`, `&mut out` for a `ViewMut`; write a tuple of \
            one argument as `(&a,)`"
)]
pub trait KernelArguments<P>: hidden::Arguments {}

/// An argument for a parameter of type `P`: `&a` for a `View`, `&mut a` for a `ViewMut`, a scalar for one of its type, a value of the
/// struct for a `#[device]` struct; integers need no suffix. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this parameter of the kernel is `{P}`, but the argument is `{Self}`",
    label = "does not fit `{P}`",
    note = "give `&a` for a `View`, `&mut a` for a `ViewMut`, with elements of its type (convert others: `a.astype::<f32>()`), and a \
            value of its type for a scalar or a struct",
    note = "if it is a struct of yours, write `#[device]` and `#[derive(Clone, Copy)]` before it",
    note = "copy a host array to the device first: `gpu::asarray(&a)`"
)]
pub trait KernelArgument<P>: hidden::Argument {}

impl<T: Element + ViewElement> KernelArgument<View<T>> for &DeviceArray<T> {}
impl<T: Element + ViewElement> KernelArgument<View<T>> for &mut DeviceArray<T> {}
impl<T: Element + ViewElement> KernelArgument<ViewMut<T>> for &mut DeviceArray<T> {}

macro_rules! scalars {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(impl KernelArgument<$type> for $type {})*
    };
}
dtypes!(scalars!());
impl KernelArgument<usize> for usize {}
impl KernelArgument<isize> for isize {}

macro_rules! one_array {
    ($($type:ty)*) => {$(
        impl<T: Element> hidden::Arguments for $type {
            fn with(&self, work: &mut dyn FnMut(&[LaunchArgument<'_>]) -> Result<()>) -> Result<()> {
                work(&[hidden::Argument::launch_argument(self)])
            }
        }
    )*};
}
one_array!(&DeviceArray<T> &mut DeviceArray<T>);
impl<T: Element + ViewElement> KernelArguments<(View<T>,)> for &DeviceArray<T> {}
impl<T: Element + ViewElement> KernelArguments<(View<T>,)> for &mut DeviceArray<T> {}
impl<T: Element + ViewElement> KernelArguments<(ViewMut<T>,)> for &mut DeviceArray<T> {}

/// The registered kernel of a type's name.
fn find(operation: &'static str, name: &'static str) -> Result<registry::Kernel> {
    find_kernel(name).ok_or_else(|| not_registered(operation, name))
}

#[cold]
fn not_registered(operation: &'static str, name: &str) -> Error {
    let short = name.rsplit("::").next().unwrap_or(name);
    let reason = if name.contains("{{closure}}") && name.ends_with('}') {
        "a closure cannot be launched as a kernel; write a function with `#[kernel]` before it, and give its name"
            .to_owned()
    } else if name.contains("fn(") {
        format!("`{name}` is a pointer to a function; give the kernel itself, by its name")
    } else if registry::has_item(name) {
        format!(
            "the function `{short}` has `#[device]` before it, so only other functions can call it; write `#[kernel]` \
             instead to launch it"
        )
    } else {
        format!("the function `{short}` cannot be launched; write `#[kernel]` before its `fn`")
    };
    Error::argument(operation, reason)
}

macro_rules! tuples {
    ($(($($parameter:ident $argument:ident),*))*) => {$(
        impl<FF: Fn($($parameter),*), $($parameter),*> hidden::Kernel<($($parameter,)*)> for FF {
            fn found(&self, operation: &'static str) -> Result<registry::Kernel> {
                find(operation, std::any::type_name::<FF>())
            }
        }
        impl<FF: Fn($($parameter),*), $($parameter),*> Kernel<($($parameter,)*)> for FF {}
        impl<$($argument: hidden::Argument),*> hidden::Arguments for ($($argument,)*) {
            fn with(&self, work: &mut dyn FnMut(&[LaunchArgument<'_>]) -> Result<()>) -> Result<()> {
                #[allow(non_snake_case)]
                let ($($argument,)*) = self;
                work(&[$($argument.launch_argument()),*])
            }
        }
        impl<$($parameter, $argument: KernelArgument<$parameter>),*> KernelArguments<($($parameter,)*)> for ($($argument,)*) {}
    )*};
}
tuples! {
    ()
    (A1 B1)
    (A1 B1, A2 B2)
    (A1 B1, A2 B2, A3 B3)
    (A1 B1, A2 B2, A3 B3, A4 B4)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9, A10 B10)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9, A10 B10, A11 B11)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9, A10 B10, A11 B11, A12 B12)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9, A10 B10, A11 B11, A12 B12, A13 B13)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9, A10 B10, A11 B11, A12 B12, A13 B13, A14 B14)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9, A10 B10, A11 B11, A12 B12, A13 B13, A14 B14, A15 B15)
    (A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6, A7 B7, A8 B8, A9 B9, A10 B10, A11 B11, A12 B12, A13 B13, A14 B14, A15 B15, A16 B16)
}
