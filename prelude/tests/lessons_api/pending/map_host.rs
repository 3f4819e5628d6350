//! Functions of the notebook over host arrays.

use ndarray::{ArrayBase, ArrayD, Data, Dimension};
use warpcell::{Element, Function};

/// Copies the host arrays to the device, runs the function over them there and copies the result back; Numba's ufuncs of
/// target `cuda`.
///
/// The result's rank is that of the widest argument, so it is an `ArrayD`, as that of `to_host`.
pub fn map_host<T, F: Function<T>, A: HostArguments<T>>(function: F, arguments: A) -> ArrayD<F::Output> {
    todo!()
}

/// As `gpu::Arguments`, of host arrays and scalars.
pub trait HostArguments<T> {}

/// One of them: a reference to a host array of `T`, or a `T`.
pub trait HostArgument<T> {}

impl<T: Element, S: Data<Elem = T>, D: Dimension> HostArgument<T> for &ArrayBase<S, D> {}

macro_rules! scalars {
    ($($type:ty)*) => { $(impl HostArgument<$type> for $type {})* };
}
scalars!(bool u8 i32 u32 i64 u64 f32 f64);

impl<T: Element, S: Data<Elem = T>, D: Dimension> HostArguments<(T,)> for &ArrayBase<S, D> {}

macro_rules! tuples {
    ($(($($type:ident $argument:ident),*))*) => {$(
        impl<$($type: Element, $argument: HostArgument<$type>),*> HostArguments<($($type,)*)> for ($($argument,)*) {}
    )*};
}
tuples! {
    (A X, B Y)
    (A X, B Y, C Z)
    (A X, B Y, C Z, D U)
}
