//! Functions of one matrix, or of a stack of them, that give matrices and vectors: written once, offered for arrays on the device
//! and, in [`gpu::host::linalg`](crate::host::linalg), for arrays on the host.
//!
//! A row of [`matrices!`] has the documentation, what the function takes besides the array, names and kinds of its results, and as
//! its body what computes them, of arrays without their types:
//!
//! ```text
//! matrices! {
//!     /// The eigenvalues and eigenvectors `(w, v)` of a symmetric matrix …
//!     pub fn eigh<T: Inexact>(a: Matrix<T>; call) -> (w: RealVector<T>, v: Matrix<T>) {
//!         eigh_of("eigh", a, call)
//!     }
//! }
//! ```
//!
//! The body is compiled here and not in cells. `call` is the place of a call that need not wait for the errors that a device finds; there
//! is none for a `try_` name, and for host arrays. A second name behind the first, as in [`fallible!`](crate::fallible::fallible), is
//! the one that returns the error.

use crate::array::sides::HostView;
use crate::array::{RawArray, transfer};
use crate::device;
use crate::dtype::Element;
use crate::error::Result;
use ndarray::{Array, Dimension};

/// Functions of matrices; see the head of this file.
macro_rules! matrices {
    ($(
        $(#[$attribute:meta])*
        pub fn $name:ident $(, $twin:ident)? <T: $bound:ident>($a:ident: Matrix<T> $(, $argument:ident: $type:ty)* $(; $call:ident)?)
            -> ($($part:ident: $kind:ident<T>),+)
        { $($body:tt)* }
    )*) => {
        $(
            $(#[$attribute])*
            #[track_caller]
            pub fn $name<A: OnDevice<Elem = T>, T: $bound>(
                a: &A $(, $argument: $type)*
            ) -> matrices!(@types device $($kind)+) {
                let [$($part),+] = $crate::error::check(untyped::$name(a.raw() $(, $argument)* $(, matrices!(@here $call))?));
                ($(DeviceArray::from_raw($part)),+)
            }

            matrices! { @twin [$($twin)?] [$($call)?] $name $bound ($($argument: $type),*) ($($part: $kind),+) }
        )*

        mod untyped {
            use super::*;
            $(
                pub fn $name($a: &RawArray $(, $argument: $type)* $(, $call: $crate::operations::indexing::Call)?) -> Result<[RawArray; [$(stringify!($part)),+].len()]> {
                    $($body)*
                }
            )*
        }

        /// The same functions of host arrays.
        pub(crate) mod host {
            use super::*;
            use crate::array::sides::sealed::Host;
            use crate::error::check;
            use crate::linalg::matrices::{from_host, to_host};
            use ndarray::{ArrayBase, Data, Ix2};
            $(
                #[doc = concat!(
                    "[`gpu::linalg::", stringify!($name), "`](crate::linalg::", stringify!($name),
                    "()) of a host array, always on the CPU."
                )]
                ///
                /// **Panics** as that does.
                #[track_caller]
                pub fn $name<T: $bound, S: Data<Elem = T>>(
                    a: &ArrayBase<S, Ix2> $(, $argument: $type)*
                ) -> matrices!(@types host $($kind)+) {
                    let parts = from_host(stringify!($name), &a.host_view()).and_then(|a| untyped::$name(&a $(, $argument)* $(, matrices!(@wait $call))?));
                    let [$($part),+] = check(parts);
                    ($(check(to_host(&$part))),+)
                }
            )*
        }
    };
    (@here $call:ident) => { Some(std::panic::Location::caller()) };
    (@wait $call:ident) => { None };
    (@twin [] $($rest:tt)*) => {};
    (@twin [$twin:ident] [$($call:ident)?] $name:ident $bound:ident ($($argument:ident: $type:ty),*) ($($part:ident: $kind:ident),+)) => {
        #[doc = concat!("As [`", stringify!($name), "`], but returns the error.")]
        pub fn $twin<A: OnDevice<Elem = T>, T: $bound>(
            a: &A $(, $argument: $type)*
        ) -> Result<matrices!(@types device $($kind)+)> {
            let [$($part),+] = untyped::$name(a.raw() $(, $argument)* $(, matrices!(@wait $call))?)?;
            Ok(($(DeviceArray::from_raw($part)),+))
        }
    };
    (@types $side:ident $kind:ident) => { matrices!(@$side $kind) };
    (@types $side:ident $($kind:ident)+) => { ($(matrices!(@$side $kind)),+) };
    (@device ComplexMatrix) => { DeviceArray<<T as Inexact>::Complex> };
    (@device ComplexVector) => { DeviceArray<<T as Inexact>::Complex> };
    (@device RealVector) => { DeviceArray<<T as $crate::dtype::Arithmetic>::Part> };
    (@device $kind:ident) => { DeviceArray<T> };
    (@host Matrix) => { ndarray::Array2<T> };
    (@host RealVector) => { ndarray::Array1<<T as $crate::dtype::Arithmetic>::Part> };
    (@host ComplexMatrix) => { ndarray::Array2<<T as Inexact>::Complex> };
    (@host ComplexVector) => { ndarray::Array1<<T as Inexact>::Complex> };
}
pub(super) use matrices;

/// A copy for the CPU backend: factorisations take far longer.
pub(crate) fn from_host(operation: &'static str, view: &HostView<'_>) -> Result<RawArray> {
    transfer::upload(operation, view, &device::host())
}

/// A result as a host array.
pub(crate) fn to_host<T: Element, D: Dimension>(raw: &RawArray) -> Result<Array<T, D>> {
    let mut dimension = D::zeros(raw.shape().len());
    dimension.slice_mut().copy_from_slice(raw.shape());
    let elements = transfer::download_vec::<T>(raw)?;
    Ok(Array::from_shape_vec(dimension, elements).expect("as many elements as the shape"))
}
