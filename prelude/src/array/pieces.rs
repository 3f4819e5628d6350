//! Arrays, numbers and ranges joined by `gpu::r_!` and `gpu::c_!`; NumPy's `r_` and `c_`.
//!
//! Whatever is given becomes an array with enough axes first. Then the arrays are joined along one axis.

use crate::array::manipulate::join;
use crate::array::{DeviceArray, RawArray, arange_length, bad_range};
use crate::device::{self, Handle};
use crate::dtype::{DType, Element, Number, Scalar};
use crate::error::{Error, Result};
use crate::thin::thin;
use std::marker::PhantomData;
use std::ops::Range;

/// Joins arrays, numbers and ranges along the first axis; NumPy's `r_`.
///
/// Between the brackets stand references to arrays of one element type, numbers, lists such as `[1, 2]`, and ranges: `0..4`,
/// or `(start, stop, step)`. Numbers and ranges become 1-D arrays. For a number of points in place of a step, give
/// `&gpu::linspace(0.0, 1.0, 5)`. A text in front is NumPy's directive: `"axis"`, `"axis,ndmin"` or `"axis,ndmin,place"`. It
/// says along which axis is joined, how many axes each array has at least, and where the axes of an array stand among the new
/// ones: `"0,2"` makes rows of 1-D arrays.
///
/// The result is on the device of the first array, or on the current device.
///
/// **Panics** if shapes do not fit ([`Error::InvalidShape`]), arrays are on different devices, a step is zero, or a directive
/// is not known ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[7, 8]);
/// assert_eq!(gpu::r_![&a, 0, 1..4, &a].tolist(), [7, 8, 0, 1, 2, 3, 7, 8]);
/// assert_eq!(gpu::r_!["0,2", &a, &a].shape(), [2, 2]);
/// ```
#[macro_export]
macro_rules! r_ {
    ($($piece:expr),+ $(,)?) => { $crate::pieces::r_([$($crate::pieces::IntoPiece::into_piece($piece)),+]) };
}

/// Joins arrays, numbers and ranges as columns; NumPy's `c_`. The same as `gpu::r_!["-1,2,0", …]`.
///
/// What stands between the brackets is described at [`r_!`]. 1-D arrays become columns. Arrays with more axes are joined
/// along the last one.
///
/// **Panics** as [`r_!`] does.
///
/// ```
/// use warpcell as gpu;
/// let (x, y) = (gpu::array(&[1, 2, 3]), gpu::array(&[4, 5, 6]));
/// assert_eq!(gpu::c_![&x, &y].ravel().tolist(), [1, 4, 2, 5, 3, 6]);
/// ```
#[macro_export]
macro_rules! c_ {
    ($($piece:expr),+ $(,)?) => { $crate::pieces::c_([$($crate::pieces::IntoPiece::into_piece($piece)),+]) };
}

/// What [`r_!`] and [`c_!`] join.
pub struct Piece<T: Element> {
    part: Part,
    element: PhantomData<T>,
}

enum Part {
    Array(RawArray),
    Number(Scalar),
    List(Vec<Scalar>),
    /// Start, stop and step.
    Range([Scalar; 3]),
    Directive(&'static str),
}

/// A value that [`r_!`] and [`c_!`] take. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be joined with elements of `{T}`",
    label = "expected an array, a number or a range",
    note = "give a reference to an array such as `&a`, a number, a list such as `[1.0, 2.0]`, a range such as `0..4`, or \
            `(start, stop, step)`; all have one element type",
    note = "convert other element types: `&a.astype::<{T}>()`"
)]
pub trait IntoPiece<T: Element> {
    /// The value as a piece.
    fn into_piece(self) -> Piece<T>;
}

macro_rules! pieces {
    ($($bound:ident $self:ident: $type:ty $([$($generics:tt)*])? => $part:expr;)*) => {$(
        impl<T: $bound $(, $($generics)*)?> IntoPiece<T> for $type {
            fn into_piece($self) -> Piece<T> {
                Piece { part: $part, element: PhantomData }
            }
        }
    )*};
}
pieces! {
    Element self: T => Part::Number(self.to_scalar());
    Element self: &DeviceArray<T> => Part::Array((*self.raw).clone());
    Element self: DeviceArray<T> => Part::Array(self.raw.into_inner());
    Element self: [T; N] [const N: usize] => Part::List(self.map(Element::to_scalar).to_vec());
    Number self: Range<T> => Part::Range([self.start.to_scalar(), self.end.to_scalar(), Scalar::one(T::DTYPE)]);
    Number self: (T, T, T) => Part::Range([self.0.to_scalar(), self.1.to_scalar(), self.2.to_scalar()]);
    Element self: &'static str => Part::Directive(self);
}

/// How pieces are joined.
#[derive(Clone, Copy)]
struct Directive {
    axis: isize,
    /// The least axes of each array.
    ndmin: usize,
    /// Where the axes of an array stand among the new ones; -1 is behind them.
    place: isize,
}

thin! {
    /// What [`r_!`] calls.
    pub fn r_<T: Element, const N: usize>(pieces: [Piece<T>; N]) -> DeviceArray<T> => {
        let directive = Directive { axis: 0, ndmin: 1, place: -1 };
        let parts = pieces.into_iter().map(|piece| piece.part).collect();
        joined("r_", parts, directive, T::DTYPE)
    };

    /// What [`c_!`] calls.
    pub fn c_<T: Element, const N: usize>(pieces: [Piece<T>; N]) -> DeviceArray<T> => {
        let directive = Directive { axis: -1, ndmin: 2, place: 0 };
        let parts = pieces.into_iter().map(|piece| piece.part).collect();
        joined("c_", parts, directive, T::DTYPE)
    };
}

impl Directive {
    /// This one, with what a text says instead.
    fn changed(self, operation: &'static str, text: &str) -> Result<Directive> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let read = || -> Option<Directive> {
            let axis = fields.first()?.parse().ok()?;
            let ndmin = fields.get(1).map_or(Some(self.ndmin), |field| field.parse().ok())?;
            let place = fields.get(2).map_or(Some(self.place), |field| field.parse().ok())?;
            // More axes than memory can have elements are a slip of the pen.
            (fields.len() <= 3 && ndmin <= 64).then_some(Directive { axis, ndmin, place })
        };
        read().ok_or_else(|| {
            let reason = format!(
                "the directive {text:?} is not known; write \"axis\", \"axis,ndmin\" or \"axis,ndmin,place\" with integers, such as \
                 \"0,2\""
            );
            Error::argument(operation, reason)
        })
    }

    /// The array with enough axes.
    fn applied(self, operation: &'static str, x: &RawArray) -> Result<RawArray> {
        let rank = x.shape().len();
        let Some(new) = self.ndmin.checked_sub(rank).filter(|&new| new > 0) else { return Ok(x.clone()) };
        // Counted from behind the new axes, if it is negative.
        let place = if self.place < 0 { self.place + new as isize + 1 } else { self.place };
        let place = usize::try_from(place).ok().filter(|&place| place <= new).ok_or_else(|| {
            let reason =
                format!("there is no place {} among {new} new axes; give one from -{} to {new}", self.place, new + 1);
            Error::argument(operation, reason)
        })?;
        let mut layout = x.layout.clone();
        let (before, behind) = (place, new - place);
        layout.shape = [vec![1; before], layout.shape, vec![1; behind]].concat();
        layout.strides = [vec![0; before], layout.strides, vec![0; behind]].concat();
        Ok(x.with_layout(layout))
    }
}

fn joined(operation: &'static str, parts: Vec<Part>, mut directive: Directive, dtype: DType) -> Result<RawArray> {
    let invalid = |reason: &str| Err(Error::argument(operation, reason));
    let handle = parts.iter().find_map(|part| match part {
        Part::Array(raw) => Some(raw.handle.clone()),
        _ => None,
    });
    let handle = handle.map_or_else(device::current, Ok)?;
    let mut arrays = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        let array = match part {
            Part::Directive(text) if index == 0 => {
                directive = directive.changed(operation, text)?;
                continue;
            }
            Part::Directive(text) => {
                return invalid(&format!("the directive {text:?} is not in front; write it before all arrays"));
            }
            Part::Array(raw) => raw,
            Part::Number(value) => RawArray::filled(operation, &handle, &[], value)?,
            Part::List(values) => listed(operation, &handle, &values, dtype)?,
            Part::Range([start, stop, step]) => counted(operation, &handle, start, stop, step)?,
        };
        arrays.push(directive.applied(operation, &array)?);
    }
    join(operation, &arrays, directive.axis)
}

fn counted(operation: &'static str, handle: &Handle, start: Scalar, stop: Scalar, step: Scalar) -> Result<RawArray> {
    let length = arange_length(start, stop, step).ok_or_else(|| bad_range(start, stop, step))?;
    RawArray::written(operation, handle, &[length], start.dtype(), |out| handle.backend.arange(start, step, out.view()))
}

fn listed(operation: &'static str, handle: &Handle, values: &[Scalar], dtype: DType) -> Result<RawArray> {
    handle.may_upload(operation)?;
    let bytes: Vec<u8> =
        values.iter().flat_map(|value| value.bits().to_ne_bytes().into_iter().take(dtype.size())).collect();
    RawArray::of_bytes(operation, handle, &[values.len()], &bytes, dtype)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arange, array, linspace, zeros};

    #[test]
    fn arrays_numbers_and_ranges_are_joined() {
        let a = array(&[7.0f32, 8.0]);
        assert_eq!(
            crate::r_![&a, 0.5, [1.0, 2.0], 0.0..2.0, (2.0, 1.0, -0.5)].tolist(),
            [7., 8., 0.5, 1., 2., 0., 1., 2., 1.5]
        );
        assert_eq!(crate::r_![1..4, 0, 4].tolist(), [1, 2, 3, 0, 4]);
        assert_eq!(crate::r_![true, array(&[false])].tolist(), [true, false]);
        assert_eq!(crate::r_![&linspace(0.0, 1.0, 3), 5.0].tolist(), [0.0, 0.5, 1.0, 5.0]);
        let m = arange(6).reshape((2, 3));
        assert_eq!(crate::r_![&m, &m].shape(), [4, 3]);
        assert_eq!(crate::r_!["-1", &m, &m].shape(), [2, 6]);
        assert_eq!(crate::r_![&zeros::<f64>(0), 1.0].tolist(), [1.0]);
    }

    #[test]
    fn directives_place_the_axes() {
        let a = arange(3);
        assert_eq!(crate::r_!["0,2", &a, &a].shape(), [2, 3]);
        assert_eq!(crate::r_!["0,2,0", &a, &a].shape(), [6, 1]);
        assert_eq!(crate::r_!["1,2,0", &a, &a].shape(), [3, 2]);
        assert_eq!(crate::r_!["0, 3, 1", &a, 0..3].shape(), [2, 3, 1]);
        assert_eq!(crate::c_![&a, &a, &a.reshape((3, 1))].shape(), [3, 3]);
        assert_eq!(crate::c_![1, 2, 3].shape(), [1, 3]);
        assert_eq!(crate::c_![&zeros::<f64>((2, 2)), &zeros::<f64>((2, 3))].shape(), [2, 5]);
    }

    #[test]
    fn what_cannot_be_joined_is_said() {
        let said = |parts: Vec<Part>| {
            let directive = Directive { axis: 0, ndmin: 1, place: -1 };
            joined("r_", parts, directive, DType::F64).err().unwrap().to_string()
        };
        let number = || Part::Number(Scalar::F64(1.0));
        assert!(
            said(vec![Part::Directive("r"), number()]).contains("the directive \"r\" is not known; write \"axis\"")
        );
        assert!(said(vec![Part::Directive("0,2,0,1"), number()]).contains("is not known"));
        assert!(said(vec![number(), Part::Directive("0")]).contains("is not in front"));
        assert!(said(vec![Part::Directive("0,2,5"), number()]).contains("there is no place 5 among 2 new axes"));
        assert!(said(vec![Part::Directive("0")]).contains("there is no array to join"));
        assert!(said(vec![Part::Range([0.0, 1.0, 0.0].map(Scalar::F64))]).contains("step"));
        let matrix = zeros::<f64>((2, 2)).raw.into_inner();
        assert!(said(vec![Part::Array(matrix), number()]).contains("does not fit the shape"));
    }
}
