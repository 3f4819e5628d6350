//! On which side an argument is: the sealed traits [`OnHost`], [`OnDevice`] and [`AnyArray`].
//!
//! They exist so that an array on the wrong side is a compile error that says what to do.

use crate::array::{DeviceArray, PinnedArray, RawArray};
use crate::dtype::Element;
use ndarray::{ArrayBase, Data, Dimension};
pub use warpcell_base::host_view::HostView;

/// An argument on either side, without its type.
pub enum AnyView<'a> {
    /// On the host.
    Host(HostView<'a>),
    /// On a device.
    Device(&'a RawArray),
}

pub(crate) mod sealed {
    use super::{AnyView, HostView, RawArray};

    pub trait Host {
        fn host_view(&self) -> HostView<'_>;
    }
    pub trait Device {
        fn raw(&self) -> &RawArray;
    }
    pub trait Any {
        fn any_view(&self) -> AnyView<'_>;
    }
}

/// An array on the host: an `ndarray` array or view, a slice, a `Vec`, a (nested) Rust array. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this function needs arrays on the host, but this argument is not one",
    label = "not a host array",
    note = "copy a device array to the host first: `a.to_host()`",
    note = "or use the function of the same name outside `gpu::host`, which works on the device"
)]
pub trait OnHost: sealed::Host {
    /// The type of its elements.
    type Elem: Element;
}

/// An array on the device, [`DeviceArray`]. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this function needs arrays on the device, but this argument is not one",
    label = "not a device array",
    note = "copy a host array to the device first: `gpu::asarray(&a)`",
    note = "or use the function of the same name in `gpu::host`, which works on the host"
)]
pub trait OnDevice: sealed::Device {
    /// The type of its elements.
    type Elem: Element;
}

/// An array on the host or on the device. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this function needs an array, but `{Self}` is not one",
    label = "neither a host array nor a device array",
    note = "arrays are `gpu::DeviceArray`, `ndarray` arrays of element types, slices and `Vec`s"
)]
pub trait AnyArray: sealed::Any {
    /// The type of its elements.
    type Elem: Element;
}

impl<T: Element> sealed::Device for DeviceArray<T> {
    fn raw(&self) -> &RawArray {
        &self.raw
    }
}
impl<T: Element> OnDevice for DeviceArray<T> {
    type Elem = T;
}
impl<T: Element> sealed::Any for DeviceArray<T> {
    fn any_view(&self) -> AnyView<'_> {
        AnyView::Device(&self.raw)
    }
}
impl<T: Element> AnyArray for DeviceArray<T> {
    type Elem = T;
}

macro_rules! host_arrays {
    ($($type:ty [$($generics:tt)*] $self:ident => $pointer:expr, $shape:expr, $strides:expr;)*) => {$(
        impl<T: Element, $($generics)*> sealed::Host for $type {
            fn host_view(&$self) -> HostView<'_> {
                // SAFETY: pointer, shape and strides are those of `self`, which the view borrows.
                unsafe { HostView::new($pointer.cast::<u8>(), $shape, $strides, T::DTYPE) }
            }
        }
        impl<T: Element, $($generics)*> OnHost for $type {
            type Elem = T;
        }
        impl<T: Element, $($generics)*> sealed::Any for $type {
            fn any_view(&self) -> AnyView<'_> {
                AnyView::Host(sealed::Host::host_view(self))
            }
        }
        impl<T: Element, $($generics)*> AnyArray for $type {
            type Elem = T;
        }
    )*};
}
host_arrays! {
    ArrayBase<S, D> [S: Data<Elem = T>, D: Dimension] self => self.as_ptr(), self.shape(), self.strides();
    PinnedArray<T> [] self => self.start_to_read(), self.shape(), self.strides();
    [T] [] self => self.as_ptr(), &[self.len()], &[1];
    Vec<T> [] self => self.as_ptr(), &[self.len()], &[1];
    [T; N] [const N: usize] self => self.as_ptr(), &[N], &[1];
    [[T; N]; M] [const N: usize, const M: usize] self => self.as_ptr(), &[M, N], &[N as isize, 1];
    [[[T; N]; M]; L] [const N: usize, const M: usize, const L: usize] self =>
        self.as_ptr(), &[L, M, N], &[(M * N) as isize, N as isize, 1];
}
