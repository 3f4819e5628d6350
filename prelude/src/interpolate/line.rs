//! `interp1d`.

use super::arguments::sealed::Fills;
use super::arguments::{BoundaryValues, Values, flat_points, places};
use super::bspline::interpolating;
use super::pieces::Outside;
use super::{FillValue, PPoly};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;

/// What [`interp1d`](fn@interp1d) makes: a function through points.
#[derive(Clone)]
pub struct Interp1d {
    function: PPoly,
    /// Whether points outside are errors.
    is_bounded: bool,
}

impl std::fmt::Debug for Interp1d {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:?}", self.function);
        write!(f, "interp1d{}", text.strip_prefix("PPoly").unwrap_or(&text))
    }
}

/// The kinds of `interp1d`.
const KINDS: [&str; 9] =
    ["linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous", "next"];

/// A function through the points `(x, y)`, which are along the last axis of `y`: lines between the points. SciPy's `interp1d`:
/// `gpu::interpolate::interp1d!(&x, &y, kind = "cubic", axis = 0, bounds_error = false, fill_value = 0.0, assume_sorted = true)` has its
/// keywords. `kind` is "linear", "nearest" (between two points the first), "nearest-up" (the second), "zero" or "previous", "next",
/// "slinear", "quadratic" or "cubic". `fill_value` is a number, `(below, above)` or "extrapolate".
///
/// Points outside are an error, unless there is a `fill_value`; to see that there is none, `eval` waits for the device. The points
/// are copied to the host, which waits, and sorted there unless `assume_sorted`.
///
/// **Panics** if `x` is not 1-D with as many points as the kind needs, or the shape of `y` does not fit ([`Error::InvalidShape`]), or if
/// two points are at one place, a number is not finite, or there is no such kind ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let f = gpu::interpolate::interp1d(&gpu::array(&[0.0, 1.0, 3.0]), &gpu::array(&[0.0, 2.0, 0.0]));
/// assert_eq!(f.eval(&gpu::array(&[0.5, 2.0])).tolist(), [1.0, 1.0]);
/// let (x, y) = (gpu::arange(4.0), gpu::array(&[1.0, 2.0, 4.0, 8.0]));
/// let f = gpu::interpolate::interp1d!(&x, &y, kind = "next", fill_value = (0.0, 9.0));
/// assert_eq!(f.eval(&gpu::array(&[-1.0, 0.5, 3.5])).tolist(), [0.0, 2.0, 9.0]);
/// ```
#[track_caller]
pub fn interp1d<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(x: &X, y: &Y) -> Interp1d {
    check(made(x.raw(), y.raw(), "linear", -1, None, &(), false))
}

/// As [`interp1d`](fn@interp1d), with SciPy's other arguments.
#[track_caller]
pub fn interp1d_with<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
    x: &X,
    y: &Y,
    kind: &str,
    axis: isize,
    bounds_error: impl Into<Option<bool>>,
    fill_value: impl MaybeFill,
    assume_sorted: bool,
) -> Interp1d {
    check(made(x.raw(), y.raw(), kind, axis, bounds_error.into(), &fill_value, assume_sorted))
}

/// A [`FillValue`], or `()` for none. Not an extension point.
pub trait MaybeFill: maybe::Maybe {}

mod maybe {
    use super::{Fills, Result};

    pub trait Maybe {
        fn maybe(&self, operation: &'static str) -> Result<Option<Option<(f64, f64)>>>;
    }
    impl Maybe for () {
        fn maybe(&self, _operation: &'static str) -> Result<Option<Option<(f64, f64)>>> {
            Ok(None)
        }
    }
    impl<F: super::FillValue> Maybe for F {
        fn maybe(&self, operation: &'static str) -> Result<Option<Option<(f64, f64)>>> {
            Fills::fills(self, operation).map(Some)
        }
    }
}
impl<M: maybe::Maybe> MaybeFill for M {}

fn made(
    x: &RawArray,
    y: &RawArray,
    kind: &str,
    axis: isize,
    bounds_error: Option<bool>,
    fill: &dyn maybe::Maybe,
    assume_sorted: bool,
) -> Result<Interp1d> {
    const NAME: &str = "interp1d";
    let Some(&kind) = KINDS.iter().find(|word| **word == kind) else {
        return Err(Error::argument(NAME, format!("`kind` is {kind:?}; give one of {KINDS:?}")));
    };
    let fill = fill.maybe(NAME)?;
    let is_bounded = bounds_error.unwrap_or(fill.is_none());
    if is_bounded && fill == Some(None) {
        return Err(Error::argument(NAME, "`fill_value` is \"extrapolate\" and `bounds_error` true; leave one out"));
    }
    x.same_device(NAME, y)?;
    let (x, y) = if assume_sorted { (x.clone(), y.clone()) } else { sorted(NAME, x, y, axis)? };
    let outside = match fill {
        None => Outside::Numbers(f64::NAN, f64::NAN),
        // Before its first point there is no previous one.
        Some(None) if kind == "previous" => Outside::Above,
        Some(None) if kind == "next" => Outside::Below,
        Some(None) => Outside::Extrapolated,
        Some(Some((below, above))) => Outside::Numbers(below, above),
    };
    let least = match kind {
        "quadratic" => 3,
        "cubic" => 4,
        "linear" | "slinear" => 2,
        _ => 1,
    };
    let at = places(NAME, "x", &x, least)?;
    let mut function = match kind {
        "quadratic" => (*interpolating(NAME, &x, &y, 2, &[BoundaryValues::NotAKnot; 2], axis)?).clone(),
        "cubic" => (*interpolating(NAME, &x, &y, 3, &[BoundaryValues::NotAKnot; 2], axis)?).clone(),
        "linear" | "slinear" => {
            let values = Values::new(NAME, "y", &y, at.len(), axis)?;
            let mut table = Vec::with_capacity(2 * values.data.len());
            for piece in 0..at.len() - 1 {
                for (low, high) in values.row(piece).iter().zip(values.row(piece + 1)) {
                    table.extend([(high - low) / (at[piece + 1] - at[piece]), *low]);
                }
            }
            PPoly::of(NAME, &y.handle, at, table, values.form, outside)?
        }
        _ => steps(&y, at, axis, kind, outside)?,
    };
    function.outside = outside;
    Ok(Interp1d { function, is_bounded })
}

/// A function that is constant around each point, or before it, or behind it.
fn steps(y: &RawArray, at: Vec<f64>, axis: isize, kind: &str, outside: Outside) -> Result<PPoly> {
    const NAME: &str = "interp1d";
    let values = Values::new(NAME, "y", y, at.len(), axis)?;
    let (first, last) = (at[0], at[at.len() - 1]);
    // Where one value follows another; the place itself has the second one.
    let middles = || at.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let changes: Vec<f64> = match kind {
        "nearest" => middles().map(f64::next_up).collect(),
        "nearest-up" => middles().collect(),
        "next" => at[..at.len() - 1].iter().map(|x| x.next_up()).collect(),
        _ => at[1..].to_vec(),
    };
    let breaks = [&[first], &changes[..], &[last]].concat();
    PPoly::of(NAME, &y.handle, breaks, values.data, values.form, outside)
}

/// The points in ascending order.
fn sorted(operation: &'static str, x: &RawArray, y: &RawArray, axis: isize) -> Result<(RawArray, RawArray)> {
    if x.shape().len() != 1 {
        return Ok((x.clone(), y.clone()));
    }
    let numbers = super::arguments::numbers(operation, x)?;
    if numbers.is_sorted() {
        return Ok((x.clone(), y.clone()));
    }
    let axis = crate::array::axes::axis_of(operation, y.shape(), axis)?;
    let values = Values::new(operation, "y", y, numbers.len(), axis as isize)?;
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let moved: Vec<f64> = order.iter().flat_map(|&at| values.row(at).to_vec()).collect();
    let in_order = |of: &[f64], shape: &[usize], handle| super::arguments::on_device(operation, handle, of, shape);
    let x = in_order(&order.iter().map(|&at| numbers[at]).collect::<Vec<_>>(), &[order.len()], &x.handle)?;
    let shape = [&[order.len()], &values.form.rest[..]].concat();
    let y = in_order(&moved, &shape, &y.handle)?;
    Ok(((*x.raw).clone(), y.raw.moved(0, axis)))
}

impl Interp1d {
    fn evaluated(&self, operation: &'static str, x: &RawArray, dtype: DType) -> Result<RawArray> {
        if self.is_bounded {
            let points = flat_points(operation, x)?;
            let (first, last) = (self.function.breaks[0], self.function.breaks[self.function.pieces()]);
            for (is_outside, side, end) in
                [(points.lt(first).any(), "below", first), (points.gt(last).any(), "above", last)]
            {
                if is_outside {
                    let reason = format!(
                        "`x` has points {side} {end}, where the function ends; give a `fill_value`, or `bounds_error = false`"
                    );
                    return Err(Error::argument(operation, reason));
                }
            }
        }
        self.function.evaluated(operation, x, 0, self.function.outside, dtype)
    }

    fallible! {
        /// The values at points of any shape (`f64` for integers).
        ///
        /// **Panics** if a point lies outside, and that is an error ([`Error::InvalidArgument`]), or if the device differs.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let f = gpu::interpolate::interp1d(&gpu::arange(3.0), &gpu::array(&[0.0, 2.0, 6.0]));
        /// assert_eq!(f.eval(&gpu::array(&[0.5, 1.5])).tolist(), [1.0, 4.0]);
        /// assert!(f.try_eval(&gpu::array(&[2.5])).is_err());
        /// ```
        pub fn eval, try_eval<X: OnDevice<Elem = T>, T: Number>(&self, x: &X) -> Result<DeviceArray<T::Mean>> {
            self.evaluated("eval", x.raw(), T::Mean::DTYPE).map(DeviceArray::from_raw)
        }
    }
}
