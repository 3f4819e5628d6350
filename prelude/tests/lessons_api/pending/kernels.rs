//! Kernels in Rust: launching them, and what their threads call.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use warpcell::{DeviceArray, Element, IntoDim3};

/// Runs a `#[kernel]` function in a grid of blocks of threads: `launch(f, grid, block, (&a, &mut out, 3))`.
///
/// The function's parameters decide what each argument must be, so integers need no suffix, and what is written to is `&mut`.
pub fn launch<P, K: Kernel<P>, A: KernelArguments<P>>(
    kernel: K,
    grid: impl IntoDim3,
    block: impl IntoDim3,
    arguments: A,
) {
    todo!()
}

/// Three lengths or indices, along `x`, `y` and `z`. Of `usize`, as shapes are: no cell has to convert.
#[derive(Clone, Copy, Debug)]
pub struct Dim3 {
    pub x: usize,
    pub y: usize,
}

/// Which thread of its block this is; `threadIdx`.
pub fn thread_idx() -> Dim3 {
    todo!()
}

/// Which block of the grid this is; `blockIdx`.
pub fn block_idx() -> Dim3 {
    todo!()
}

/// How many threads a block has; `blockDim`.
pub fn block_dim() -> Dim3 {
    todo!()
}

/// A kernel's parameter for an array that it reads: a checked view over a raw pointer, for all threads hold it at once.
/// Indexed as `ndarray` arrays are: `a[i]`, `a[[y, x]]`.
#[derive(Clone, Copy)]
pub struct View<T> {
    element: PhantomData<*const T>,
}

/// The same for an array that it writes to.
#[derive(Clone, Copy)]
pub struct ViewMut<T> {
    element: PhantomData<*mut T>,
}

impl<T: Element> View<T> {
    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        todo!()
    }
}

impl<T: Element> ViewMut<T> {
    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        todo!()
    }
}

/// An index as it may be written: `i` of an array with one axis, `[y, x]` of one with two.
pub trait ViewIndex {}
impl ViewIndex for usize {}
impl<const N: usize> ViewIndex for [usize; N] {}

impl<T: Element, I: ViewIndex> Index<I> for View<T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        todo!()
    }
}

impl<T: Element, I: ViewIndex> Index<I> for ViewMut<T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        todo!()
    }
}

impl<T: Element, I: ViewIndex> IndexMut<I> for ViewMut<T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        todo!()
    }
}

/// A `#[kernel]` function with the parameters `P`, a tuple.
pub trait Kernel<P> {}

/// Arguments for the parameters `P`.
pub trait KernelArguments<P> {}

/// One argument, for a parameter of type `P`: `&a` for a `View`, `&mut a` for a `ViewMut`, a scalar for itself.
pub trait KernelArgument<P> {}

impl<T: Element> KernelArgument<View<T>> for &DeviceArray<T> {}
impl<T: Element> KernelArgument<ViewMut<T>> for &mut DeviceArray<T> {}

macro_rules! scalars {
    ($($type:ty)*) => { $(impl KernelArgument<$type> for $type {})* };
}
scalars!(bool u8 i32 u32 i64 u64 f32 f64);

macro_rules! tuples {
    ($(($($parameter:ident $argument:ident),*))*) => {$(
        impl<F: Fn($($parameter),*), $($parameter),*> Kernel<($($parameter,)*)> for F {}
        impl<$($parameter, $argument: KernelArgument<$parameter>),*> KernelArguments<($($parameter,)*)> for ($($argument,)*) {}
    )*};
}
tuples! {
    (A X, B Y)
}
