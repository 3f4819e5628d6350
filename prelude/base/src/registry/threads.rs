//! Kernels: what runs their threads on the CPU, and the arguments that those get.

use super::{Constant, ScalarType, Text, Type, Value};
use crate::dtype::{DType, Scalar, Tagged, dtypes};
use warpcell_threads::{View, ViewElement, ViewMut};

/// Reads the arguments of a kernel, and calls the second with what one thread does.
pub type ThreadFunction = fn(&Arguments<'_>, &mut dyn FnMut(&(dyn Fn() + Sync)));

/// What runs a registered kernel.
pub struct Threads {
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What a thread does.
    pub run: ThreadFunction,
    /// The same with a call before each statement (`warpcell_threads::steps`), where launches may be traced.
    pub recorded: Option<ThreadFunction>,
    /// The line of the text's beginning in the file that was compiled.
    pub line: usize,
    /// The same for other items that were compiled with it: the last part of their names, and the line.
    pub places: &'static [(&'static str, usize)],
}

/// A parameter of a kernel: its name, and its type.
#[derive(Clone, Copy, Debug)]
pub enum Parameter {
    /// An array that it reads.
    View(&'static str, DType),
    /// An array that it writes to.
    ViewMut(&'static str, DType),
    /// A value.
    Scalar(&'static str, ScalarType),
    /// A `#[device]` struct.
    Struct(&'static str, StructParameter),
}

/// A struct with `#[device]` before it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[device]` struct, so a function for devices cannot take it under this name",
    label = "not a scalar, a view or a `#[device]` struct",
    note = "if it is a struct of numbers, write `#[device]` and `#[derive(Clone, Copy)]` before it",
    note = "if it is another name of a scalar, write the scalar's own name, such as `f32`"
)]
pub trait DeviceStruct: Constant {}

/// A copy, also of a struct that lacks `Copy`: that is said once, where the struct is defined.
#[inline(always)]
pub fn copied<T: DeviceStruct>(value: &T) -> T {
    const { assert!(!std::mem::needs_drop::<T>(), "a `#[device]` struct is made of numbers") };
    // SAFETY: nothing owns anything in a value that need not be dropped; `DeviceStruct` is implemented by the macro only, for structs
    // of numbers.
    unsafe { std::ptr::read(value) }
}

/// The struct of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct StructParameter {
    /// Its type.
    pub kind: fn() -> Type,
    /// Whether a value is one of it.
    pub fits: fn(&Value) -> bool,
}

impl StructParameter {
    /// That of a type.
    pub const fn of<T: DeviceStruct>() -> StructParameter {
        StructParameter { kind: T::kind, fits: |value| T::from_value(value).is_some() }
    }
}

impl Parameter {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        match self {
            Parameter::View(name, _)
            | Parameter::ViewMut(name, _)
            | Parameter::Scalar(name, _)
            | Parameter::Struct(name, _) => name,
        }
    }
}

/// A registered kernel.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// What `std::any::type_name` says of the function, its path.
    pub name: &'static str,
    /// Its address identifies the definition: code that was loaded stays.
    pub text: &'static Text,
    /// What runs it.
    pub threads: &'static Threads,
}

impl Kernel {
    /// The last part of the name.
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit("::").next().unwrap_or(self.name)
    }

    /// Tells definitions apart.
    pub fn identity(&self) -> usize {
        std::ptr::from_ref(self.text).addr()
    }
}

/// An argument as the threads get it.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// The element of index zero, the lengths and the strides in elements.
    #[allow(missing_docs)]
    Array { start: *mut u8, shape: &'a [usize], strides: &'a [isize] },
    /// A value.
    Scalar(Scalar),
    /// The value of a struct.
    Struct(&'a Value),
}

/// The arguments of a kernel.
pub struct Arguments<'a> {
    given: &'a [Given<'a>],
    parameters: &'static [Parameter],
}

impl<'a> Arguments<'a> {
    /// # Safety
    ///
    /// Arrays are of the parameters' types, all of their elements lie in memory that nothing but the threads accesses until the last
    /// of them has ended, and those of bool are 0 or 1.
    pub unsafe fn new(given: &'a [Given<'a>], parameters: &'static [Parameter]) -> Arguments<'a> {
        assert_eq!(given.len(), parameters.len());
        Arguments { given, parameters }
    }

    fn view<T: Tagged + ViewElement>(&self, index: usize) -> View<T> {
        let Parameter::View(name, dtype) = self.parameters[index] else { unreachable!("a view") };
        assert_eq!(dtype, <T as Tagged>::TAG);
        match self.given[index] {
            // SAFETY: of this type, as is checked; the rest is what `new` was promised.
            Given::Array { start, shape, strides } => unsafe {
                View::from_raw(start.cast_const().cast(), shape, strides, name)
            },
            Given::Scalar(_) | Given::Struct(_) => unreachable!("arguments are checked"),
        }
    }

    fn view_mut<T: Tagged + ViewElement>(&self, index: usize) -> ViewMut<T> {
        let Parameter::ViewMut(name, dtype) = self.parameters[index] else { unreachable!("a view") };
        assert_eq!(dtype, <T as Tagged>::TAG);
        match self.given[index] {
            // SAFETY: as for `view`.
            Given::Array { start, shape, strides } => unsafe { ViewMut::from_raw(start.cast(), shape, strides, name) },
            Given::Scalar(_) | Given::Struct(_) => unreachable!("arguments are checked"),
        }
    }

    /// The argument of a number, which is a struct.
    pub fn structure<T: DeviceStruct>(&self, index: usize) -> T {
        match self.given[index] {
            Given::Struct(value) => T::from_value(value).expect("arguments are checked"),
            Given::Array { .. } | Given::Scalar(_) => unreachable!("arguments are checked"),
        }
    }

    fn value<T: Tagged>(&self, index: usize) -> T {
        match self.given[index] {
            Given::Scalar(value) => T::untagged(value).expect("arguments are checked"),
            Given::Array { .. } | Given::Struct(_) => unreachable!("arguments are checked"),
        }
    }
}

/// A type of scalars that kernels take: the argument of a number, by value.
#[doc(hidden)]
pub trait ScalarArgument: Sized {
    fn value(arguments: &Arguments<'_>, index: usize) -> Self;
}

/// A type of elements of views: the argument of a number, which is a view.
#[doc(hidden)]
pub trait ViewArgument: ViewElement {
    fn view(arguments: &Arguments<'_>, index: usize) -> View<Self>;
    fn view_mut(arguments: &Arguments<'_>, index: usize) -> ViewMut<Self>;
}

// What the macro calls is not generic: what is generic is compiled again in each cell.
macro_rules! arguments {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(
            impl ScalarArgument for $type {
                fn value(arguments: &Arguments<'_>, index: usize) -> $type {
                    arguments.value(index)
                }
            }
            impl ViewArgument for $type {
                fn view(arguments: &Arguments<'_>, index: usize) -> View<$type> {
                    arguments.view(index)
                }
                fn view_mut(arguments: &Arguments<'_>, index: usize) -> ViewMut<$type> {
                    arguments.view_mut(index)
                }
            }
        )*
    };
}
dtypes!(arguments!());

impl ScalarArgument for usize {
    fn value(arguments: &Arguments<'_>, index: usize) -> usize {
        arguments.value::<u64>(index) as usize
    }
}

impl ScalarArgument for isize {
    fn value(arguments: &Arguments<'_>, index: usize) -> isize {
        arguments.value::<i64>(index) as isize
    }
}
