//! Kernels from CUDA C text, as in CuPy.

use super::kernels::IntoDim3;
use warpcell::{DeviceArray, Element};

/// A kernel from the body of one element.
#[derive(Clone, Debug)]
pub struct ElementwiseKernel {}

impl ElementwiseKernel {
    /// Parameters with CuPy's names of types or Rust's (`float64 x` or `f64 x`), the body, and a name for messages.
    pub fn new(inputs: &str, outputs: &str, body: &str, name: &str) -> ElementwiseKernel {
        todo!()
    }

    /// Runs it over arrays and scalars, which broadcast. `T` is the output's type, which is checked against the text's.
    ///
    /// A method, as values other than functions cannot be called.
    pub fn call<T: Element>(&self, arguments: impl TextArguments) -> DeviceArray<T> {
        todo!()
    }
}

/// A kernel from a whole function.
#[derive(Clone, Debug)]
pub struct RawKernel {}

impl RawKernel {
    /// The function `name` of a source text.
    pub fn new(source: &str, name: &str) -> RawKernel {
        todo!()
    }

    /// Compiles it now and not at the first launch.
    pub fn compile(&self) {
        todo!()
    }

    /// Launches it. Each argument must be as large as the parameter it is for: an `i32` for an `int`.
    pub fn launch(&self, grid: impl IntoDim3, block: impl IntoDim3, arguments: impl TextArguments) {
        todo!()
    }
}

/// A tuple of arrays, in references of both kinds, and scalars: the text says what is written to.
pub trait TextArguments {}

/// One of them.
pub trait TextArgument {}

impl<T: Element> TextArgument for &DeviceArray<T> {}
impl<T: Element> TextArgument for &mut DeviceArray<T> {}

macro_rules! scalars {
    ($($type:ty)*) => { $(impl TextArgument for $type {})* };
}
scalars!(bool u8 i32 u32 i64 u64 f32 f64);

macro_rules! tuples {
    ($(($($argument:ident),*))*) => {$(
        impl<$($argument: TextArgument),*> TextArguments for ($($argument,)*) {}
    )*};
}
tuples! {
    (A, B)
    (A, B, C, D, E)
}
