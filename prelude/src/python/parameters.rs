//! The types that functions for Python take.

use super::arguments::Slot;
use crate::array::ownership::raw_host_view;
use crate::array::{DeviceArray, assign};
use crate::dtype::{DType, Element, dtypes};
use crate::registry::ScalarType;
use ndarray::{ArrayView, ArrayViewMut, Dimension};
use std::fmt;

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A number.
    Number(ScalarType),
    /// A number, or the elements of an array one by one.
    Element(DType),
    /// An array.
    #[allow(missing_docs)]
    Array { dtype: DType, axes: Axes, used: Use },
    /// A `#[device]` struct, which Python has no value for.
    Struct,
}

/// How many axes an array must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Any number.
    Any,
    /// This one.
    Exactly(usize),
}

/// What a function does with an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It reads the elements.
    Read,
    /// It writes to them too.
    Write,
    /// A `DeviceArray`, whose clones and views may be kept and written to.
    Share,
    /// A view of `ndarray`, or with `Slice` one of Rust's slices, of elements on the host.
    HostRead,
    /// The same, to be written to.
    HostWrite,
    /// A slice: elements that follow one another.
    Slice,
    /// The same, to be written to.
    SliceMut,
}

impl Use {
    /// Whether the elements are written to.
    pub(super) fn writes(self) -> bool {
        matches!(self, Use::Write | Use::HostWrite | Use::SliceMut)
    }

    /// Whether the function refers to them by Rust's references.
    pub(super) fn is_of_host(self) -> bool {
        matches!(self, Use::HostRead | Use::HostWrite | Use::Slice | Use::SliceMut)
    }
}

impl ParameterKind {
    pub(super) const fn of_array(dtype: DType, used: Use) -> ParameterKind {
        ParameterKind::Array { dtype, axes: Axes::Any, used }
    }

    /// The same for a reference by which the function writes.
    pub const fn written(self) -> ParameterKind {
        match self {
            ParameterKind::Array { dtype, axes, used: Use::Share } => {
                ParameterKind::Array { dtype, axes, used: Use::Write }
            }
            other => other,
        }
    }
}

impl fmt::Display for ParameterKind {
    /// As Python's users say it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterKind::Number(ScalarType::Usize | ScalarType::Isize) => f.write_str("int"),
            ParameterKind::Number(of) => f.write_str(&crate::registry::values_of(*of).numpy_name()),
            ParameterKind::Element(dtype) => write!(f, "array or number of {}", dtype.numpy_name()),
            ParameterKind::Array { dtype, axes: Axes::Any, .. } => write!(f, "array of {}", dtype.numpy_name()),
            ParameterKind::Array { dtype, axes: Axes::Exactly(axes), .. } => {
                write!(f, "array of {} with {axes} {}", dtype.numpy_name(), if *axes == 1 { "axis" } else { "axes" })
            }
            ParameterKind::Struct => f.write_str("struct"),
        }
    }
}

/// A type that a function for Python can take. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a function for Python cannot take `{Self}`",
    label = "not a type that Python has values for",
    note = "it can take arrays: `&DeviceArray<f32>` and `&mut DeviceArray<f32>`; on the host also `ArrayView2<f32>`, \
            `ArrayViewMut2<f32>`, `&[f32]` and `&mut [f32]`",
    note = "and numbers: bool, usize, isize, and the element types of arrays, such as f64 and i32"
)]
pub trait Parameter<'a>: Sized {
    /// What it is.
    const KIND: ParameterKind;
    /// The argument, which was found to be of this kind.
    fn take(slot: &'a mut Slot) -> Self;
    /// For arrays that a function gets as `&mut`: the same elements.
    fn shared(&self) -> Option<Self> {
        None
    }
    /// After such a call: the caller's array gets the elements of the one that the function has put in its place. The error says what
    /// is wrong with that.
    fn put_back(&self, _before: Option<Self>) -> std::result::Result<(), String> {
        Ok(())
    }
}

impl<T: Element> Parameter<'_> for DeviceArray<T> {
    const KIND: ParameterKind = ParameterKind::of_array(T::DTYPE, Use::Share);

    fn take(slot: &mut Slot) -> Self {
        DeviceArray::from_raw(slot.take_array())
    }

    fn shared(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn put_back(&self, before: Option<Self>) -> std::result::Result<(), String> {
        let Some(before) = before else { return Ok(()) };
        if self.shape() != before.shape() {
            return Err(format!(
                "the function has put an array of shape {:?} in the place of one of shape {:?}, whose memory is the caller's; return the new array",
                self.shape(),
                before.shape()
            ));
        }
        assign("a call from Python", &before.raw, &self.raw).map_err(|error| error.to_string())
    }
}

const fn axes_of<D: Dimension>() -> Axes {
    match D::NDIM {
        Some(axes) => Axes::Exactly(axes),
        None => Axes::Any,
    }
}

impl<'a, T: Element, D: Dimension> Parameter<'a> for ArrayView<'a, T, D> {
    const KIND: ParameterKind = ParameterKind::Array { dtype: T::DTYPE, axes: axes_of::<D>(), used: Use::HostRead };

    fn take(slot: &'a mut Slot) -> Self {
        let view = raw_host_view::<T>(slot.array());
        // SAFETY: the caller of the function has promised that nothing writes to the elements during the call, and no argument that is
        // written to shares them (`Arguments::are_apart`).
        let view = unsafe { view.deref_into_view() };
        view.into_dimensionality().expect("arguments are checked")
    }
}

impl<'a, T: Element, D: Dimension> Parameter<'a> for ArrayViewMut<'a, T, D> {
    const KIND: ParameterKind = ParameterKind::Array { dtype: T::DTYPE, axes: axes_of::<D>(), used: Use::HostWrite };

    fn take(slot: &'a mut Slot) -> Self {
        let view = raw_host_view::<T>(slot.array());
        // SAFETY: as above; nothing else uses the elements.
        let view = unsafe { view.deref_into_view_mut() };
        view.into_dimensionality().expect("arguments are checked")
    }
}

impl<'a, T: Element> Parameter<'a> for &'a [T] {
    const KIND: ParameterKind = ParameterKind::Array { dtype: T::DTYPE, axes: Axes::Exactly(1), used: Use::Slice };

    fn take(slot: &'a mut Slot) -> Self {
        let view: ArrayView<'a, T, ndarray::Ix1> = Parameter::take(slot);
        view.to_slice().expect("arguments are checked")
    }
}

impl<'a, T: Element> Parameter<'a> for &'a mut [T] {
    const KIND: ParameterKind = ParameterKind::Array { dtype: T::DTYPE, axes: Axes::Exactly(1), used: Use::SliceMut };

    fn take(slot: &'a mut Slot) -> Self {
        let view: ArrayViewMut<'a, T, ndarray::Ix1> = Parameter::take(slot);
        view.into_slice().expect("arguments are checked")
    }
}

macro_rules! numbers {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {$(
        impl Parameter<'_> for $type {
            const KIND: ParameterKind = ParameterKind::Number(ScalarType::$tag);

            fn take(slot: &mut Slot) -> Self {
                let number = slot.number();
                <$type as Element>::from_scalar(number).expect("arguments are checked")
            }
        }
    )*};
}
dtypes!(numbers!());

impl Parameter<'_> for usize {
    const KIND: ParameterKind = ParameterKind::Number(ScalarType::Usize);

    fn take(slot: &mut Slot) -> Self {
        u64::take(slot) as usize
    }
}

impl Parameter<'_> for isize {
    const KIND: ParameterKind = ParameterKind::Number(ScalarType::Isize);

    fn take(slot: &mut Slot) -> Self {
        i64::take(slot) as isize
    }
}
