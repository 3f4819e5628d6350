//! What the functions of the module take besides arrays: numbers for each axis, modes, axes, and arrays that may be left out.

use crate::array::axes::{axes_of, axis_of};
use crate::array::conversions::conversions;
use crate::array::sides::sealed::Any;
use crate::array::sides::{AnyArray, AnyView};
use crate::array::transfer::bring;
use crate::array::{IntoAxes, RawArray};
use crate::device::Handle;
use crate::dtype::DType;
use crate::error::{Error, Result};

mod sealed {
    pub trait Sealed {}
    pub trait Window {}
    pub trait Sequence {}
    pub trait Left {}
    pub trait Few {}
}

/// One number for all axes, or one for each: `1.5`, `(1.0, 2.0)`, `[1.0, 2.0]`, a slice or a `Vec`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number for each axis",
    label = "expected a number, or one for each axis",
    note = "give one number for all axes, `1.5`, or one for each: `(1.0, 2.0)` or `[1.0, 2.0]`"
)]
pub trait IntoNumbers: sealed::Sealed {
    /// The numbers.
    fn into_numbers(self) -> Vec<f64>;
}

conversions! {
    fn into_numbers(self) -> Vec<f64>: IntoNumbers, sealed::Sealed;
    f64 => vec![self];
    f32 => vec![self.into()];
    i32 => vec![self.into()];
    usize => vec![self as f64];
    (f64, f64) => vec![self.0, self.1];
    (f64, f64, f64) => vec![self.0, self.1, self.2];
    (i32, i32) => vec![self.0.into(), self.1.into()];
    (i32, i32, i32) => vec![self.0.into(), self.1.into(), self.2.into()];
    [f64; N] [const N: usize] => self.to_vec();
    [i32; N] [const N: usize] => self.map(f64::from).to_vec();
    &[f64] => self.to_vec();
    Vec<f64> => self;
}

/// How an array continues beyond its ends, by SciPy's words: one for all axes, or one for each: `"reflect"`,
/// `("reflect", "wrap")`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mode",
    label = "expected a mode such as \"reflect\"",
    note = "the modes are \"reflect\", \"constant\", \"nearest\", \"mirror\", \"wrap\", \"grid-constant\", \"grid-mirror\" and \"grid-wrap\""
)]
pub trait IntoModes: sealed::Sequence {
    /// The words.
    fn into_modes(self) -> Vec<String>;
}

conversions! {
    fn into_modes(self) -> Vec<String>: IntoModes, sealed::Sequence;
    &str => vec![self.to_owned()];
    String => vec![self];
    (&str, &str) => vec![self.0.to_owned(), self.1.to_owned()];
    (&str, &str, &str) => vec![self.0.to_owned(), self.1.to_owned(), self.2.to_owned()];
    [&str; N] [const N: usize] => self.map(str::to_owned).to_vec();
    &[&str] => self.iter().map(|&mode| mode.to_owned()).collect();
    Vec<&str> => self.as_slice().into_modes();
}

/// Axes or lengths that may be left out, as `()`; see [`IntoAxes`]. Not an extension point.
pub trait MaybeAxes: sealed::Window {
    /// Them, if they are given.
    fn given(self) -> Option<Vec<isize>>;
}

impl sealed::Window for () {}
impl MaybeAxes for () {
    fn given(self) -> Option<Vec<isize>> {
        None
    }
}
impl<A: IntoAxes> sealed::Window for A {}
impl<A: IntoAxes> MaybeAxes for A {
    fn given(self) -> Option<Vec<isize>> {
        Some(self.into_axes())
    }
}

/// Numbers that may be left out, as `()`; see [`IntoNumbers`]. Not an extension point.
pub trait MaybeNumbers: sealed::Few {
    /// Them, if they are given.
    fn given(self) -> Option<Vec<f64>>;
}

impl sealed::Few for () {}
impl MaybeNumbers for () {
    fn given(self) -> Option<Vec<f64>> {
        None
    }
}
impl<A: IntoNumbers> sealed::Few for A {}
impl<A: IntoNumbers> MaybeNumbers for A {
    fn given(self) -> Option<Vec<f64>> {
        Some(self.into_numbers())
    }
}

/// A small array that may be left out, as `()`: an array of a device, or one of the host such as `&[[0, 1, 0], [1, 1, 1], [0, 1,
/// 0]]`,
/// which is copied to the device. Not an extension point.
pub trait MaybeArray: sealed::Left {
    /// Its view, if it is given.
    fn view(&self) -> Option<AnyView<'_>>;
}

impl sealed::Left for () {}
impl MaybeArray for () {
    fn view(&self) -> Option<AnyView<'_>> {
        None
    }
}
impl<A: AnyArray + ?Sized> sealed::Left for &A {}
impl<A: AnyArray + ?Sized> MaybeArray for &A {
    fn view(&self) -> Option<AnyView<'_>> {
        Some(Any::any_view(*self))
    }
}

/// The small array on the device of another, contiguous, with elements of a type.
pub(super) fn brought(operation: &'static str, view: &AnyView<'_>, handle: &Handle, dtype: DType) -> Result<RawArray> {
    let raw = bring(operation, view, handle)?;
    if raw.dtype.is_complex() {
        return Err(Error::argument(operation, "arrays of complex numbers cannot be used here; give real numbers"));
    }
    if raw.dtype == dtype { raw.contiguous(operation) } else { raw.converted(operation, dtype) }
}

/// As many values as there are axes, from one or as many.
pub(super) fn each<T: Clone>(operation: &'static str, what: &str, given: &[T], rank: usize) -> Result<Vec<T>> {
    match given {
        [one] => Ok(vec![one.clone(); rank]),
        many if many.len() == rank => Ok(many.to_vec()),
        many => {
            let reason = format!("`{what}` has {} values for {rank} axes; give one, or one for each axis", many.len());
            Err(Error::argument(operation, reason))
        }
    }
}

/// The axes that are named, in that order, or all.
pub(super) fn chosen_axes(operation: &'static str, shape: &[usize], axes: Option<Vec<isize>>) -> Result<Vec<usize>> {
    match axes {
        Some(axes) => {
            axes_of(operation, shape, &axes)?;
            axes.iter().map(|&axis| axis_of(operation, shape, axis)).collect()
        }
        None => Ok((0..shape.len()).collect()),
    }
}

/// A window's lengths, at least 1.
pub(super) fn lengths(operation: &'static str, given: &[isize], rank: usize) -> Result<Vec<usize>> {
    each(operation, "size", given, rank)?
        .into_iter()
        .map(|length| match usize::try_from(length) {
            Ok(length) if length > 0 => Ok(length),
            _ => Err(Error::argument(operation, format!("`size` is {length}; it must be at least 1"))),
        })
        .collect()
}

/// How far a window of `length` begins before its element, if it is moved by `origin`.
pub(super) fn begins(operation: &'static str, length: usize, origin: isize) -> Result<i64> {
    let half = (length / 2) as i64;
    let origin = origin as i64;
    if origin < -half || origin > (length as i64 - 1) / 2 {
        let reason = format!(
            "`origin` is {origin}, but a window of {length} elements can be moved by {} to {}",
            -half,
            (length as i64 - 1) / 2
        );
        return Err(Error::argument(operation, reason));
    }
    Ok(half + origin)
}

/// The origin of a window that is reversed.
pub(super) fn reversed_origin(length: usize, origin: isize) -> isize {
    if length.is_multiple_of(2) { -origin - 1 } else { -origin }
}

/// The number of a mode of filters, as the kernels know it.
pub(super) fn mode_of(operation: &'static str, mode: &str) -> Result<i32> {
    Ok(match mode {
        "constant" | "grid-constant" => 0,
        "nearest" => 1,
        "reflect" | "grid-mirror" => 2,
        "mirror" => 3,
        "wrap" | "grid-wrap" => 4,
        _ => return Err(unknown(operation, mode)),
    })
}

/// The number of a mode of interpolation.
pub(super) fn spline_mode(operation: &'static str, mode: &str) -> Result<i32> {
    Ok(match mode {
        "wrap" => 5,
        "grid-constant" => 6,
        other => mode_of(operation, other)?,
    })
}

fn unknown(operation: &'static str, mode: &str) -> Error {
    let reason = format!(
        "there is no mode {mode:?}; give one of \"reflect\", \"constant\", \"nearest\", \"mirror\", \"wrap\", \"grid-constant\", \
         \"grid-mirror\" and \"grid-wrap\""
    );
    Error::argument(operation, reason)
}

/// The modes of as many axes.
pub(super) fn modes_of(operation: &'static str, modes: &[String], rank: usize) -> Result<Vec<i32>> {
    each(operation, "mode", modes, rank)?.iter().map(|mode| mode_of(operation, mode)).collect()
}

/// The one mode of all axes.
pub(super) fn one_mode<'a>(operation: &'static str, modes: &'a [String]) -> Result<&'a str> {
    match modes {
        [one] => Ok(one),
        many => {
            let reason = format!("`mode` has {} values; with a window of this form, give one for all axes", many.len());
            Err(Error::argument(operation, reason))
        }
    }
}
