//! The code that CUDA devices run for Rust functions, for people to read: [`cuda_source`] and [`ptx`]. And [`set_fmad`], which
//! decides how that code rounds.

use crate::backend::cuda::{launch, map};
use crate::device::{Device, device};
use crate::error::Result;
use crate::fallible::fallible;
use crate::launch::Kernel;
use crate::operations::map::reduction::Reducing;
use crate::operations::map::{Function, Results};
use crate::registry;
use std::marker::PhantomData;

mod sealed {
    use super::{Reducing, Result, registry};

    /// A function or a kernel that has a translation.
    pub enum Translated {
        Function(Box<registry::Function>, Option<Reducing>),
        Kernel(registry::Kernel),
    }

    pub trait Translatable<M> {
        fn translated(&self, operation: &'static str) -> Result<Translated>;
    }
}
use sealed::Translated;

/// Functions over arrays, of elements of the types `T`.
pub struct OverArrays<T>(PhantomData<T>);

/// Kernels, of parameters of the types `P`.
pub struct OfThreads<P>(PhantomData<P>);

/// What [`cuda_source`] and [`ptx`] can show: a function with `#[vectorize]` or `#[kernel]`, given by its name, or a formula of
/// [`fuse!`](crate::fuse). Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not translated to CUDA C",
    label = "not a function with `#[vectorize]` or `#[kernel]` before it",
    note = "give a function that has `#[vectorize]` or `#[kernel]` before it, by its name; what it calls is shown with it"
)]
pub trait Translatable<M>: sealed::Translatable<M> {}

impl<T, F: Function<T>> sealed::Translatable<OverArrays<T>> for F {
    fn translated(&self, operation: &'static str) -> Result<Translated> {
        Ok(Translated::Function(Box::new(self.found(operation)?), F::Output::reduction()))
    }
}
impl<T, F: Function<T>> Translatable<OverArrays<T>> for F {}

impl<P, K: Kernel<P>> sealed::Translatable<OfThreads<P>> for K {
    fn translated(&self, operation: &'static str) -> Result<Translated> {
        self.found(operation).map(Translated::Kernel)
    }
}
impl<P, K: Kernel<P>> Translatable<OfThreads<P>> for K {}

fallible! {
    /// The CUDA C of a function with `#[vectorize]` or `#[kernel]`, or of a formula of [`fuse!`](crate::fuse): the
    /// function and all that it calls. Each Rust line is a comment above its translation.
    ///
    /// For a function over arrays, this includes the kernel that runs it over contiguous arrays. Arrays of other
    /// strides have another kernel. Numbers that a formula has captured are parameters of the kernel, after the arrays.
    /// For a `#[kernel]`, the code is that for contiguous arrays, with checked indices.
    ///
    /// No CUDA device is needed.
    ///
    /// **Panics** if the function has neither attribute, or cannot be translated.
    ///
    /// ```
    /// use warpcell as gpu; // in a notebook, this and the next line are done already
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn squared_difference(x: f32, y: f32) -> f32 {
    ///     (x - y) * (x - y)
    /// }
    ///
    /// let text = gpu::cuda_source(squared_difference);
    /// println!("{text}");
    /// assert!(text.contains("// (x - y) * (x - y)"));
    /// assert!(text.contains("__global__"));
    /// ```
    pub fn cuda_source, try_cuda_source<M, F: Translatable<M>>(function: F) -> Result<String> {
        source(&function.translated("cuda_source")?)
    }

    /// The PTX of [`cuda_source`]: the assembly that the driver turns into machine code. It is for the
    /// [current device](crate::device()). If that is the CPU, it is for compute capability 8.0 and newer.
    ///
    /// The compiler, NVRTC, must be installed. No CUDA device is needed.
    ///
    /// **Panics** as [`cuda_source`] does, and if NVRTC is not found. The message says how to install it.
    ///
    /// ```no_run
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn squared_difference(x: f32, y: f32) -> f32 {
    ///     (x - y) * (x - y)
    /// }
    ///
    /// let text = gpu::ptx(squared_difference);
    /// println!("{text}");
    /// assert!(text.contains("mul.f32") || text.contains("mul.rn.f32"));
    /// ```
    pub fn ptx, try_ptx<M, F: Translatable<M>>(function: F) -> Result<String> {
        assembly(&function.translated("ptx")?)
    }
}

/// Whether Rust functions on CUDA devices compute `a * b + c` of floats in one step with one rounding (`true`, the default of
/// `nvcc` too), or in two steps as the host does (`false`). This is `nvcc`'s option `--fmad`.
///
/// With `false`, results have the same bits as on the host, except where `exp`, `sin`, `powf` and similar functions round
/// differently. Functions that are bound by arithmetic may take up to twice as long. The CPU device always computes two steps. The
/// setting is for the whole process. Programs compiled with either value are kept.
///
/// ```
/// use warpcell as gpu;
///
/// gpu::set_fmad(false);
/// // … code whose results are compared with the host
/// gpu::set_fmad(true);
/// ```
pub fn set_fmad(contracts: bool) {
    map::contract(contracts);
}

// Not generic: generic code is compiled again in each cell.
fn source(of: &Translated) -> Result<String> {
    match of {
        Translated::Function(function, reduction) => {
            map::source(function, reduction.as_ref().map(|reduction| reduction.0))
        }
        Translated::Kernel(of) => launch::source(of),
    }
}

fn assembly(of: &Translated) -> Result<String> {
    let ordinal = match device() {
        Device::Cuda(ordinal) => Some(ordinal),
        Device::Cpu => None,
    };
    match of {
        Translated::Function(function, reduction) => {
            map::ptx(function, reduction.as_ref().map(|reduction| reduction.0), ordinal)
        }
        Translated::Kernel(of) => launch::ptx(of, ordinal),
    }
}
