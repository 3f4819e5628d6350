//! What interpolators take, and the shapes of what they give.

use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::Layout;
use crate::device::Handle;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::floats::IntoFloat;

/// What a function gives outside of the interval of its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extrapolate {
    /// NaN.
    No,
    /// What its first and last pieces give there.
    Yes,
    /// The same as within the interval, one period or several away.
    Periodic,
}

/// Whether a function goes on outside of the interval of its points: a bool, or `"periodic"`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how to extrapolate",
    label = "expected a bool or `\"periodic\"`"
)]
pub trait Extrapolation: sealed::Extrapolates {}

/// What is given outside of the interval: a number, the numbers below and above it, or `"extrapolate"`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what to give outside of the points",
    label = "expected a number, two numbers `(below, above)`, or `\"extrapolate\"`"
)]
pub trait FillValue: sealed::Fills {}

/// How a spline behaves at its ends: one of SciPy's words, or for each end which derivative has which value, as `((1, 0.0), (2,
/// 0.0))`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how a spline behaves at its ends",
    label = "expected \"not-a-knot\", \"natural\", \"clamped\", \"periodic\", or for each end a derivative and its value",
    note = "such as `((1, 0.5), (2, 0.0))`: the first derivative is 0.5 at the first point, the second one 0 at the last"
)]
pub trait Boundaries: sealed::Bounds {}

/// The coordinates of a grid: an array for each axis, in a tuple, an array or a `Vec`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the coordinates of a grid",
    label = "expected an array of coordinates for each axis",
    note = "such as `(&x, &y)`"
)]
pub trait Points: sealed::Coordinates {}

/// How a spline behaves at an end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoundaryValues {
    /// The first two pieces are one polynomial.
    NotAKnot,
    /// A derivative, and its value.
    Derivative(usize, f64),
    /// Both ends are one point.
    Periodic,
}

pub(crate) mod sealed {
    use super::*;

    pub trait Extrapolates {
        fn extrapolate(&self, operation: &'static str) -> Result<Extrapolate>;
    }
    /// The values below and above, or none to extrapolate.
    pub trait Fills {
        fn fills(&self, operation: &'static str) -> Result<Option<(f64, f64)>>;
    }
    pub trait Bounds {
        fn bounds(&self, operation: &'static str) -> Result<[BoundaryValues; 2]>;
    }
    pub trait Coordinates {
        fn coordinates(&self) -> Vec<&RawArray>;
    }
}
use sealed::{Bounds, Coordinates, Extrapolates, Fills};

impl Extrapolates for Extrapolate {
    fn extrapolate(&self, _operation: &'static str) -> Result<Extrapolate> {
        Ok(*self)
    }
}
impl Extrapolates for bool {
    fn extrapolate(&self, _operation: &'static str) -> Result<Extrapolate> {
        Ok(if *self { Extrapolate::Yes } else { Extrapolate::No })
    }
}
impl Extrapolates for &str {
    fn extrapolate(&self, operation: &'static str) -> Result<Extrapolate> {
        match *self {
            "periodic" => Ok(Extrapolate::Periodic),
            other => {
                Err(Error::argument(operation, format!("`extrapolate` is {other:?}; give a bool or \"periodic\"")))
            }
        }
    }
}
impl<E: Extrapolates> Extrapolation for E {}

impl<F: IntoFloat> Fills for F {
    fn fills(&self, _operation: &'static str) -> Result<Option<(f64, f64)>> {
        Ok(Some((self.into_float(), self.into_float())))
    }
}
impl<A: IntoFloat, B: IntoFloat> Fills for (A, B) {
    fn fills(&self, _operation: &'static str) -> Result<Option<(f64, f64)>> {
        Ok(Some((self.0.into_float(), self.1.into_float())))
    }
}
impl Fills for &str {
    fn fills(&self, operation: &'static str) -> Result<Option<(f64, f64)>> {
        match *self {
            "extrapolate" => Ok(None),
            other => {
                let reason = format!("`fill_value` is {other:?}; give a number, two of them, or \"extrapolate\"");
                Err(Error::argument(operation, reason))
            }
        }
    }
}
/// As SciPy's `None`: values outside are extrapolated.
impl Fills for Option<f64> {
    fn fills(&self, _operation: &'static str) -> Result<Option<(f64, f64)>> {
        Ok(self.map(|value| (value, value)))
    }
}
impl<F: Fills> FillValue for F {}

fn boundary(operation: &'static str, order: usize, value: f64) -> Result<BoundaryValues> {
    if order == 0 {
        return Err(Error::argument(operation, "`bc_type` has the derivative 0; give 1 or more"));
    }
    Ok(BoundaryValues::Derivative(order, value))
}

fn boundary_of_word(operation: &'static str, word: &str) -> Result<BoundaryValues> {
    match word {
        "not-a-knot" => Ok(BoundaryValues::NotAKnot),
        "natural" => Ok(BoundaryValues::Derivative(2, 0.0)),
        "clamped" => Ok(BoundaryValues::Derivative(1, 0.0)),
        "periodic" => Ok(BoundaryValues::Periodic),
        _ => {
            let words = ["not-a-knot", "natural", "clamped", "periodic"];
            Err(Error::argument(operation, format!("`bc_type` is {word:?}; give one of {words:?}")))
        }
    }
}

impl Bounds for &str {
    fn bounds(&self, operation: &'static str) -> Result<[BoundaryValues; 2]> {
        Ok([boundary_of_word(operation, self)?; 2])
    }
}
impl Bounds for (&str, &str) {
    fn bounds(&self, operation: &'static str) -> Result<[BoundaryValues; 2]> {
        let ends = [boundary_of_word(operation, self.0)?, boundary_of_word(operation, self.1)?];
        if ends.contains(&BoundaryValues::Periodic) && ends[0] != ends[1] {
            return Err(Error::argument(operation, "`bc_type` is \"periodic\" at one end only; give it for both"));
        }
        Ok(ends)
    }
}
impl Bounds for ((usize, f64), (usize, f64)) {
    fn bounds(&self, operation: &'static str) -> Result<[BoundaryValues; 2]> {
        let ((start, first), (end, last)) = *self;
        Ok([boundary(operation, start, first)?, boundary(operation, end, last)?])
    }
}
impl Bounds for [BoundaryValues; 2] {
    fn bounds(&self, _operation: &'static str) -> Result<[BoundaryValues; 2]> {
        Ok(*self)
    }
}
impl<B: Bounds> Boundaries for B {}

impl<A: OnDevice> Coordinates for [&A] {
    fn coordinates(&self) -> Vec<&RawArray> {
        self.iter().map(|axis| axis.raw()).collect()
    }
}
impl<A: OnDevice, const N: usize> Coordinates for [&A; N] {
    fn coordinates(&self) -> Vec<&RawArray> {
        self[..].coordinates()
    }
}
impl<T: Element> Coordinates for Vec<DeviceArray<T>> {
    fn coordinates(&self) -> Vec<&RawArray> {
        self.iter().map(|axis| &*axis.raw).collect()
    }
}
impl<T: Element> Coordinates for &Vec<DeviceArray<T>> {
    fn coordinates(&self) -> Vec<&RawArray> {
        self.iter().map(|axis| &*axis.raw).collect()
    }
}
macro_rules! tuples {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: OnDevice),+> Coordinates for ($(&$name,)+) {
            #[allow(non_snake_case, reason = "names of types")]
            fn coordinates(&self) -> Vec<&RawArray> {
                let ($($name,)+) = self;
                vec![$($name.raw()),+]
            }
        }
    )*};
}
tuples!((A)(A B)(A B C)(A B C D));
impl<P: Coordinates> Points for P {}

/// The numbers of an array, in row-major order, on the host.
pub(super) fn numbers(operation: &'static str, raw: &RawArray) -> Result<Vec<f64>> {
    transfer::download_vec(&raw.converted(operation, DType::F64)?)
}

/// Numbers of the host on a device.
pub(crate) fn on_device(
    operation: &'static str,
    handle: &Handle,
    values: &[f64],
    shape: &[usize],
) -> Result<DeviceArray<f64>> {
    let raw = RawArray::of_floats(operation, handle, shape, values.iter().copied(), DType::F64)?;
    Ok(DeviceArray::from_raw(raw))
}

/// The places where the values are known: 1-D, so many at least, finite and increasing.
pub(super) fn places(operation: &'static str, name: &str, x: &RawArray, least: usize) -> Result<Vec<f64>> {
    if x.shape().len() != 1 || x.size() < least {
        let reason = format!("of `{name}` is not that of {least} points or more; give a 1-D array of so many");
        return Err(Error::shape(operation, x.shape(), reason));
    }
    let x = numbers(operation, x)?;
    check_finite(operation, name, &x)?;
    if let Some(at) = (1..x.len()).find(|&at| x[at] <= x[at - 1]) {
        let reason = format!("`{name}` is not increasing: {} at {at} follows {}; sort the points", x[at], x[at - 1]);
        return Err(Error::argument(operation, reason));
    }
    Ok(x)
}

pub(super) fn check_finite(operation: &'static str, name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => {
            Err(Error::argument(operation, format!("`{name}` has {} at {at}; give finite numbers", values[at])))
        }
        None => Ok(()),
    }
}

/// Values at points, a row for each point, and the shape from which they came.
#[derive(Clone)]
pub(super) struct Values {
    /// Row-major, `rows × columns`.
    pub data: Vec<f64>,
    pub columns: usize,
    pub form: Form,
}

/// The shape of values without the axis of the points, and which axis that was.
#[derive(Clone)]
pub(super) struct Form {
    pub rest: Vec<usize>,
    pub axis: usize,
}

impl Form {
    /// Results `[count, columns]` for points of a shape, in the shape that SciPy gives them: the axis of the points becomes the axes
    /// of those at which the function was evaluated.
    pub fn shaped(&self, results: &RawArray, points: &[usize]) -> RawArray {
        let shape = [points, &self.rest[..]].concat();
        let mut results = results.with_layout(Layout { offset: results.layout.offset, ..Layout::contiguous(&shape) });
        for axis in 0..self.axis {
            results = results.moved(points.len() + axis, axis);
        }
        results
    }

    /// The shape of all of one row.
    pub fn columns(&self) -> usize {
        self.rest.iter().product()
    }
}

impl Values {
    /// The values at `count` points along an axis, which are finite.
    pub fn new(operation: &'static str, name: &str, y: &RawArray, count: usize, axis: isize) -> Result<Values> {
        let axis = axis_of(operation, y.shape(), axis)?;
        if y.shape()[axis] != count {
            let reason =
                format!("of `{name}` has not the length {count} along the axis {axis}; give a value for each point");
            return Err(Error::shape(operation, y.shape(), reason));
        }
        let data = numbers(operation, &y.moved(axis, 0))?;
        check_finite(operation, name, &data)?;
        let mut rest = y.shape().to_vec();
        rest.remove(axis);
        let form = Form { rest, axis };
        Ok(Values { data, columns: form.columns(), form })
    }

    pub fn row(&self, at: usize) -> &[f64] {
        &self.data[at * self.columns..(at + 1) * self.columns]
    }
}

/// The points at which a function is evaluated, along one axis, as `f64`; without a copy if they are that already.
pub(super) fn flat_points(operation: &'static str, x: &RawArray) -> Result<DeviceArray<f64>> {
    Ok(DeviceArray::from_raw(x.in_type(operation, DType::F64)?.flat(operation)?))
}

/// Threads of a block. Neighbours compute neighbours, and read what is beside one another.
pub(super) const THREADS: usize = 128;
