//! Functions of the notebook over host arrays: on the device, with transfers both ways, or on the host's own cores.

use super::{Function, Given, MapOperand, Request, Results};
use crate::array::sides::HostView;
use crate::array::{OnHost, RawArray, shape, transfer};
use crate::device;
use crate::dtype::{Scalar, dtypes};
use crate::error::Result;
use crate::fallible::fallible;
use crate::host::mapping;
use crate::operations::elementwise::RawOperand;
use crate::registry::{Constant, Value};

/// An argument without its type.
pub enum HostOperand<'a> {
    /// An array.
    Array(HostView<'a>),
    /// One value for all elements.
    Scalar(Scalar),
    /// A struct, the same for all elements.
    Struct(&'a dyn Constant),
}

pub mod hidden {
    use super::HostOperand;

    /// What `#[device]` implements for structs, and what arrays and scalars have.
    pub trait HostArgument {
        /// The argument.
        fn operand(&self) -> HostOperand<'_>;
    }
}

mod sealed {
    use super::{RawArray, Request, Result};

    /// Where the function runs.
    #[derive(Clone, Copy)]
    pub enum RunsOn {
        Device,
        Host,
    }

    pub trait HostArguments {
        fn run(&self, request: &Request<'_>, place: RunsOn) -> Result<Vec<RawArray>>;
    }
}
use sealed::RunsOn;

/// As [`Arguments`](crate::Arguments), of host arrays and scalars. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a function over host arrays",
    label = "expected `&a`, or a tuple such as `(&a, &b, 1.0f32)` with one argument for each parameter",
    note = "for device arrays use `gpu::map`"
)]
pub trait HostArguments<T>: sealed::HostArguments {}

/// One argument in a tuple, for a parameter of type `T`: a reference to a host array of `T` (of `ndarray`, a slice, a `Vec`, a
/// Rust array), or a `T`; for a `#[device]` struct a value of it. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "the function takes elements of type `{T}`, but this argument is `{Self}`",
    label = "expected a reference to a host array of `{T}`, or a `{T}`",
    note = "for device arrays use `gpu::map`; convert other element types: `a.mapv(|x| x as {T})`"
)]
pub trait HostArgument<T>: hidden::HostArgument {}

impl<A: OnHost + ?Sized> hidden::HostArgument for &A {
    fn operand(&self) -> HostOperand<'_> {
        HostOperand::Array((**self).host_view())
    }
}
impl<A: OnHost + ?Sized> HostArgument<A::Elem> for &A {}

macro_rules! scalars {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {$(
        impl hidden::HostArgument for $type {
            fn operand(&self) -> HostOperand<'_> {
                HostOperand::Scalar(Scalar::$tag(*self))
            }
        }
        impl HostArgument<$type> for $type {}
    )*};
}
dtypes!(scalars!());

impl<A: OnHost + ?Sized> sealed::HostArguments for &A {
    fn run(&self, request: &Request<'_>, place: RunsOn) -> Result<Vec<RawArray>> {
        run(request, place, &[hidden::HostArgument::operand(self)])
    }
}
impl<A: OnHost + ?Sized> HostArguments<(A::Elem,)> for &A {}

macro_rules! tuples {
    ($(($($type:ident $argument:ident $name:ident $index:tt),*))*) => {$(
        impl<$($argument: hidden::HostArgument),*> sealed::HostArguments for ($($argument,)*) {
            fn run(&self, request: &Request<'_>, place: RunsOn) -> Result<Vec<RawArray>> {
                run(request, place, &[$(self.$index.operand()),*])
            }
        }
        impl<$($type, $argument: HostArgument<$type>),*> HostArguments<($($type,)*)> for ($($argument,)*) {}
    )*};
}
one_to_eight!(tuples);

fallible! {
    /// Copies host arrays to the device, runs the function over them there as [`map`](crate::map) does, and copies the
    /// results back; Numba's ufuncs of target `cuda`.
    ///
    /// The arguments are `&a` or a tuple of references to host arrays and of scalars. The result is an `ArrayD` of the
    /// shape to which they broadcast, or a tuple of such. The transfers take most of the time: to do more than one
    /// thing with an array on the device, copy it there by [`asarray`](fn@crate::asarray); to stay on the host there is
    /// [`host::map`](crate::host::map).
    ///
    /// **Panics** as [`map`](crate::map) does; a panic of the function is one of [`try_map_host`] too.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn hypotenuse(x: f64, y: f64) -> f64 {
    ///     (x * x + y * y).sqrt()
    /// }
    /// # if gpu::device() == gpu::Device::Cpu {
    /// let x = array![[3.0], [5.0]];
    /// let y = array![4.0, 12.0];
    /// assert_eq!(gpu::map_host(hypotenuse, (&x, &y))[[1, 1]], 13.0);
    /// # }
    /// ```
    pub fn map_host, try_map_host<T, F: Function<T>, A: HostArguments<T>>(
        function: F,
        arguments: A,
    ) -> Result< <F::Output as Results>::HostArrays> {
        let request = Request::new::<T, F>("map_host", &function)?;
        F::Output::host_arrays(arguments.run(&request, RunsOn::Device)?)
    }

    /// Runs the function over host arrays on the host's cores, as [`gpu::map`](crate::map) does over device arrays: no
    /// transfer, and no GPU.
    ///
    /// Arguments and results are those of [`map_host`].
    ///
    /// **Panics** if the function has no `#[vectorize]`, if shapes do not broadcast, or if the function panics; that is
    /// a panic of [`try_map`] too.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn clamped(x: f64, low: f64, high: f64) -> f64 {
    ///     x.max(low).min(high)
    /// }
    /// let x = array![-1.0, 0.5, 2.0];
    /// assert_eq!(gpu::host::map(clamped, (&x, 0.0, 1.0)), array![0.0, 0.5, 1.0].into_dyn());
    /// ```
    pub fn map, try_map<T, F: Function<T>, A: HostArguments<T>>(
        function: F,
        arguments: A,
    ) -> Result< <F::Output as Results>::HostArrays> {
        let request = Request::new::<T, F>("map", &function)?;
        F::Output::host_arrays(arguments.run(&request, RunsOn::Host)?)
    }
}

fn run(request: &Request<'_>, place: RunsOn, operands: &[HostOperand<'_>]) -> Result<Vec<RawArray>> {
    let values: Vec<Option<Value>> = operands
        .iter()
        .map(|operand| match operand {
            HostOperand::Struct(value) => Some(value.value()),
            HostOperand::Array(_) | HostOperand::Scalar(_) => None,
        })
        .collect();
    let given: Vec<Given<'_>> = operands
        .iter()
        .zip(&values)
        .filter_map(|(operand, value)| match operand {
            HostOperand::Array(array) => Some(Given::Elements(array.dtype)),
            HostOperand::Scalar(value) => Some(Given::Elements(value.dtype())),
            HostOperand::Struct(_) => value.as_ref().map(Given::Struct),
        })
        .collect();
    request.accepts(&given)?;
    match place {
        RunsOn::Device => on_device(request, operands),
        RunsOn::Host => on_host(request, operands, &values),
    }
}

fn on_device(request: &Request<'_>, operands: &[HostOperand<'_>]) -> Result<Vec<RawArray>> {
    let handle = device::current()?;
    handle.may_wait(request.operation)?;
    broadcast(request, operands)?;
    let arrays = operands
        .iter()
        .map(|operand| match operand {
            HostOperand::Array(array) => transfer::upload(request.operation, array, &handle).map(Some),
            HostOperand::Scalar(_) | HostOperand::Struct(_) => Ok(None),
        })
        .collect::<Result<Vec<_>>>()?;
    let given: Vec<MapOperand<'_>> = operands
        .iter()
        .zip(&arrays)
        .filter_map(|(operand, array)| match operand {
            HostOperand::Array(_) => array.as_ref().map(|array| MapOperand::Elements(RawOperand::Array(array))),
            HostOperand::Scalar(value) => Some(MapOperand::Elements(RawOperand::Scalar(*value))),
            HostOperand::Struct(value) => Some(MapOperand::Struct(*value)),
        })
        .collect();
    request.run(&given)
}

fn on_host(request: &Request<'_>, operands: &[HostOperand<'_>], values: &[Option<Value>]) -> Result<Vec<RawArray>> {
    let shape = broadcast(request, operands)?;
    let handle = device::host();
    let outs = request.new_arrays(&handle, request.result_shape(&shape)?)?;
    if outs[0].size() > 0 {
        // SAFETY: the request accepts the operands, whose common shape this is, and the outputs are new.
        unsafe { mapping::compute(&request.function, request.reduction, operands, values, &shape, &outs) }?;
    }
    Ok(outs)
}

/// The shape to which the operands broadcast.
fn broadcast(request: &Request<'_>, operands: &[HostOperand<'_>]) -> Result<Vec<usize>> {
    operands.iter().try_fold(Vec::new(), |shape, operand| match operand {
        HostOperand::Array(array) => shape::broadcast_shapes(request.operation, &shape, &array.shape),
        HostOperand::Scalar(_) | HostOperand::Struct(_) => Ok(shape),
    })
}
