//! Functions of the notebook over arrays: [`map`].

use crate::array::{DeviceArray, RawArray, shape};
use crate::backend;
use crate::device;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{RawOperand, sealed::Sealed};
use crate::registry;

mod sealed {
    use super::{DType, RawArray, Result};

    pub trait Arguments {
        fn run(&self, function: &'static str, result: DType) -> Result<RawArray>;
    }
    pub trait Function {}
}

/// A function that [`map`] can run over elements of the types `T`, a tuple: one that has `#[vectorize]` before it and is
/// given by its name. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`gpu::map` cannot call `{Self}` with elements of the types `{T}`",
    label = "not a function of these arguments",
    note = "give a function that has `#[vectorize]` before it, by its name, and one argument for each of its parameters, \
            of the parameter's type",
    note = "convert arrays of other element types first, such as `a.astype::<f32>()`"
)]
pub trait Function<T>: sealed::Function {
    /// The type of the result's elements.
    type Output: Element;
}

/// Arguments for a function of elements of the types `T`, a tuple: an array for a function of one parameter, a tuple of
/// arrays and scalars for one of several. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a function over arrays",
    label = "expected `&a`, or a tuple such as `(&a, &b, 1.0f32)`",
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
            fn run(&self, function: &'static str, result: DType) -> Result<RawArray> {
                run(function, &[RawOperand::Array(&self.raw)], result)
            }
        }
        impl<T: Element> Arguments<(T,)> for $type {}
    )*};
}
arguments_of_one!(DeviceArray<T> &DeviceArray<T>);

impl<F> sealed::Function for F {}

macro_rules! tuples {
    ($(($($type:ident $argument:ident $index:tt),*))*) => {$(
        impl<$($argument: Sealed),*> sealed::Arguments for ($($argument,)*) {
            fn run(&self, function: &'static str, result: DType) -> Result<RawArray> {
                run(function, &[$(self.$index.raw_operand()),*], result)
            }
        }
        impl<$($type: Element, $argument: Argument<$type>),*> Arguments<($($type,)*)> for ($($argument,)*) {}
        impl<F: Fn($($type),*) -> R, R: Element, $($type: Element),*> Function<($($type,)*)> for F {
            type Output = R;
        }
    )*};
}
tuples! {
    (A X 0)
    (A X 0, B Y 1)
    (A X 0, B Y 1, C Z 2)
    (A X 0, B Y 1, C Z 2, D U 3)
    (A X 0, B Y 1, C Z 2, D U 3, E V 4)
    (A X 0, B Y 1, C Z 2, D U 3, E V 4, G W 5)
    (A X 0, B Y 1, C Z 2, D U 3, E V 4, G W 5, H P 6)
    (A X 0, B Y 1, C Z 2, D U 3, E V 4, G W 5, H P 6, I Q 7)
}

/// Applies a function that has `#[vectorize]` before it to each element, or to those of several arrays that meet in
/// broadcasting; CuPy's `vectorize`, Numba's `@vectorize`.
///
/// The arguments are one array, `&a`, or a tuple of arrays, views and scalars, one for each parameter of the function;
/// shapes broadcast as in NumPy. The result is a new array of the function's result type, of the broadcast shape, on the
/// arrays' device. In which order the elements are computed, and by how many threads, is not specified; the function
/// cannot use arrays itself.
///
/// So far such functions run on arrays of the CPU device only.
///
/// **Panics** if the function has no `#[vectorize]`, if shapes do not broadcast or devices differ, if the arrays are on
/// a CUDA device, or if the function panics.
///
/// ```
/// use warpcell as gpu; // in a notebook, this and the next line are done already
/// use gpu::prelude::*;
///
/// #[vectorize]
/// fn distance(x: f64, y: f64, scale: f64) -> f64 {
///     scale * (x * x + y * y).sqrt()
/// }
/// # if gpu::device() == gpu::Device::Cpu {
/// let x = gpu::array(&[3.0, 5.0]);
/// let y = gpu::array(&[[4.0], [12.0]]);
/// let d = gpu::map(distance, (&x, &y, 2.0));
/// assert_eq!(d.shape(), [2, 2]);
/// assert_eq!((d.get(&[0, 0]), d.get(&[1, 1])), (10.0, 26.0));
/// assert_eq!(distance(3.0, 4.0, 1.0), 5.0);
/// # }
/// ```
#[track_caller]
pub fn map<T, F: Function<T>, A: Arguments<T>>(function: F, arguments: A) -> DeviceArray<F::Output> {
    check(try_map(function, arguments))
}

/// As [`map`], but returns the error; a panic of the function stays one.
pub fn try_map<T, F: Function<T>, A: Arguments<T>>(_function: F, arguments: A) -> Result<DeviceArray<F::Output>> {
    arguments.run(std::any::type_name::<F>(), F::Output::DTYPE).map(DeviceArray::from_raw)
}

fn run(name: &'static str, operands: &[RawOperand<'_>], result: DType) -> Result<RawArray> {
    let function = registry::find(name).ok_or_else(|| not_registered(name))?;
    let given: Vec<DType> = operands.iter().map(|operand| operand.dtype()).collect();
    if function.parameters != given || function.result != result {
        let reason = format!(
            "`{}` was registered with the types {:?} -> {:?}, but is called with {given:?} -> {result:?}; run the cell \
             that defines it again",
            short(name),
            function.parameters,
            function.result
        );
        return Err(Error::InvalidArgument { operation: "map", reason });
    }
    let mut arrays = operands.iter().filter_map(|operand| match operand {
        RawOperand::Array(array) => Some(*array),
        RawOperand::Scalar(_) => None,
    });
    let (handle, shape) = match arrays.next() {
        Some(first) => {
            let mut shape = first.shape().to_vec();
            for array in arrays {
                first.same_device("map", array)?;
                shape = shape::broadcast_shapes("map", &shape, array.shape())?;
            }
            (first.handle.clone(), shape)
        }
        None => (device::current()?, Vec::new()),
    };
    let out = RawArray::uninitialised("map", &handle, &shape, result)?;
    let wide: Vec<Option<RawArray>> = operands
        .iter()
        .map(|operand| match operand {
            RawOperand::Array(array) => Some(array.with_layout(shape::broadcast_layout(&array.layout, &shape))),
            RawOperand::Scalar(_) => None,
        })
        .collect();
    let inputs: Vec<backend::Operand<'_>> = operands
        .iter()
        .zip(&wide)
        .map(|(operand, wide)| match (operand, wide) {
            (RawOperand::Scalar(value), _) => backend::Operand::Scalar(*value),
            (RawOperand::Array(array), None) => backend::Operand::Array(array.view()),
            (RawOperand::Array(_), Some(wide)) => backend::Operand::Array(wide.view()),
        })
        .collect();
    handle.backend.map(&function, &inputs, out.view())?;
    Ok(out)
}

fn not_registered(name: &str) -> Error {
    let reason = if name.contains("{{closure}}") && name.ends_with('}') {
        "a closure cannot run over arrays; write a function with `#[vectorize]` before it and give its name".to_owned()
    } else if name.contains("fn(") {
        format!("`{name}` is a pointer to a function; give the function itself, by its name")
    } else {
        format!("the function `{}` cannot run over arrays; write `#[vectorize]` before its `fn`", short(name))
    };
    Error::InvalidArgument { operation: "map", reason }
}

/// The last part of a path.
fn short(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
