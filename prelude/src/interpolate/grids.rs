//! Values between those of a grid.

use super::arguments::sealed::Fills;
use super::arguments::{Form, THREADS, check_finite, numbers, on_device};
use super::kernels::evaluate_grid;
use super::{FillValue, Points};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::Layout;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::launch::try_launch_unchecked;

/// The most axes of a grid.
const MOST: usize = 8;

/// A function by its values on a grid of up to 8 axes, SciPy's `RegularGridInterpolator`: linear between the values of a cell, or that
/// of the nearest one. `gpu::interpolate::RegularGridInterpolator!((&x, &y), &values, method = "nearest", bounds_error = false, fill_value =
/// 0.0)` has its keywords; with `fill_value = None::<f64>` and `bounds_error = false` the outer cells go on. The coordinates, which ascend
/// or descend, are copied to the host (this waits); the values stay on the device.
///
/// ```
/// use warpcell as gpu;
/// let (x, y) = (gpu::array(&[0.0, 1.0, 3.0]), gpu::array(&[0.0, 2.0]));
/// let values = gpu::array(&[[0.0, 2.0], [1.0, 3.0], [3.0, 5.0]]); // x + y
/// let f = gpu::interpolate::RegularGridInterpolator::new((&x, &y), &values);
/// assert_eq!(f.eval(&gpu::array(&[[0.5, 0.5], [2.0, 2.0]])).tolist(), [1.0, 4.0]);
/// ```
#[derive(Clone)]
pub struct RegularGridInterpolator {
    coordinates: DeviceArray<f64>,
    starts: DeviceArray<i64>,
    /// The values, a row for each place of the grid.
    table: DeviceArray<f64>,
    ends: Vec<(f64, f64)>,
    lengths: Vec<usize>,
    form: Form,
    is_nearest: bool,
    is_bounded: bool,
    fill: Option<f64>,
}

impl std::fmt::Debug for RegularGridInterpolator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let method = if self.is_nearest { "nearest" } else { "linear" };
        write!(f, "RegularGridInterpolator({method}, a grid of {:?}", self.lengths)?;
        if !self.form.rest.is_empty() {
            write!(f, ", values of shape {:?}", self.form.rest)?;
        }
        write!(f, ")")
    }
}

impl RegularGridInterpolator {
    /// The function with the `values` on the grid of the coordinates `points`, linear; a point outside is an error.
    ///
    /// **Panics** if the shape of the values does not begin with the lengths of the coordinates, or one is not 1-D
    /// ([`Error::InvalidShape`]), or if a coordinate is not finite or neither ascends nor descends ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<V: OnDevice<Elem: Number>>(points: impl Points, values: &V) -> RegularGridInterpolator {
        RegularGridInterpolator::with(points, values, "linear", true, f64::NAN)
    }

    /// As [`new`](Self::new), with SciPy's other arguments.
    #[track_caller]
    pub fn with<V: OnDevice<Elem: Number>>(
        points: impl Points,
        values: &V,
        method: &str,
        bounds_error: bool,
        fill_value: impl FillValue,
    ) -> RegularGridInterpolator {
        const NAME: &str = "RegularGridInterpolator";
        check(RegularGridInterpolator::made(
            NAME,
            &points.coordinates(),
            values.raw(),
            method,
            bounds_error,
            &fill_value,
        ))
    }

    fn made(
        operation: &'static str,
        points: &[&RawArray],
        values: &RawArray,
        method: &str,
        is_bounded: bool,
        fill: &dyn Fills,
    ) -> Result<RegularGridInterpolator> {
        let is_nearest = match method {
            "linear" => false,
            "nearest" => true,
            _ => {
                return Err(Error::argument(
                    operation,
                    format!("`method` is {method:?}; give \"linear\" or \"nearest\""),
                ));
            }
        };
        let fill = match fill.fills(operation)? {
            Some((below, above)) if below.to_bits() != above.to_bits() => {
                return Err(Error::argument(operation, "`fill_value` is two numbers; give one"));
            }
            fill => fill.map(|(value, _)| value),
        };
        let count = points.len();
        if count == 0 || count > MOST {
            return Err(Error::argument(operation, format!("`points` has {count} axes; give 1 to {MOST}")));
        }
        let mut coordinates = Vec::new();
        let mut starts = vec![0i64];
        let mut lengths = Vec::new();
        let mut ends = Vec::new();
        let mut table = values.clone();
        for (axis, points) in points.iter().enumerate() {
            values.same_device(operation, points)?;
            if points.shape().len() != 1 || points.size() == 0 || values.shape().get(axis) != Some(&points.size()) {
                let reason = format!(
                    "of the coordinates of the axis {axis} does not fit the shape of the values, {:?}; give a 1-D array of that length",
                    values.shape()
                );
                return Err(Error::shape(operation, points.shape(), reason));
            }
            let mut x = numbers(operation, points)?;
            check_finite(operation, "points", &x)?;
            if x.len() > 1 && x[0] > x[1] {
                x.reverse();
                table = reversed(&table, axis);
            }
            if let Some(at) = (1..x.len()).find(|&at| x[at] <= x[at - 1]) {
                let reason = format!(
                    "the coordinates of the axis {axis} neither ascend nor descend: {} stands beside {}",
                    x[at - 1],
                    x[at]
                );
                return Err(Error::argument(operation, reason));
            }
            ends.push((x[0], x[x.len() - 1]));
            lengths.push(x.len());
            coordinates.extend(x);
            starts.push(coordinates.len() as i64);
        }
        let form = Form { rest: values.shape()[count..].to_vec(), axis: 0 };
        let table = if table.dtype == DType::F64 {
            table.contiguous(operation)?
        } else {
            table.converted(operation, DType::F64)?
        };
        let rows = lengths.iter().product();
        let layout = Layout { offset: table.layout.offset, ..Layout::contiguous(&[rows, form.columns()]) };
        let starts = RawArray::of_indices(operation, &values.handle, &[starts.len()], &starts)?;
        Ok(RegularGridInterpolator {
            coordinates: on_device(operation, &values.handle, &coordinates, &[coordinates.len()])?,
            starts: DeviceArray::from_raw(starts),
            table: DeviceArray::from_raw(table.with_layout(layout)),
            ends,
            lengths,
            form,
            is_nearest,
            is_bounded,
            fill,
        })
    }

    fn evaluated(&self, operation: &'static str, xi: &RawArray, is_nearest: bool, dtype: DType) -> Result<RawArray> {
        let count = self.lengths.len();
        self.table.raw.same_device(operation, xi)?;
        let shape = xi.shape();
        // Of a line, an array of numbers is one of points; and one row of as many numbers as there are axes is one point.
        let (shape, points) = match shape {
            [] => (&[][..], 1),
            _ if shape[shape.len() - 1] == count => {
                let shape = &shape[..shape.len() - 1];
                (if shape.is_empty() { &[1][..] } else { shape }, shape.iter().product())
            }
            [length] if count == 1 => (shape, *length),
            _ => {
                let reason = format!(
                    "of `xi` does not end with the number of axes of the grid, {count}; give a row for each point"
                );
                return Err(Error::shape(operation, shape, reason));
            }
        };
        let xi = if xi.dtype == DType::F64 { xi.contiguous(operation)? } else { xi.converted(operation, DType::F64)? };
        if xi.size() != points * count {
            return Err(Error::shape(
                operation,
                xi.shape(),
                format!("of `xi` is not that of points of {count} coordinates"),
            ));
        }
        let layout = Layout { offset: xi.layout.offset, ..Layout::contiguous(&[points, count]) };
        let xi = DeviceArray::<f64>::from_raw(xi.with_layout(layout));
        if self.is_bounded && points > 0 {
            for (axis, (low, high)) in self.ends.iter().enumerate() {
                let column = xi.slice(ndarray::s![.., axis]);
                if column.lt(*low).any() || column.gt(*high).any() {
                    let reason = format!(
                        "`xi` has points beyond the axis {axis} of the grid, which goes from {low} to {high}; give `bounds_error = false`"
                    );
                    return Err(Error::argument(operation, reason));
                }
            }
        }
        let columns = self.form.columns();
        let out = RawArray::uninitialised(operation, &xi.raw.handle, &[points, columns], DType::F64)?;
        let mut out = DeviceArray::<f64>::from_raw(out);
        if out.size() > 0 {
            let extrapolates = self.fill.is_none();
            let fill = self.fill.unwrap_or(0.0);
            let arguments =
                (&xi, &self.coordinates, &self.starts, &self.table, is_nearest, extrapolates, fill, &mut out);
            // SAFETY: a thread writes the results of one point.
            unsafe { try_launch_unchecked(evaluate_grid, points.div_ceil(8 * THREADS), THREADS, arguments)? };
        }
        self.form.shaped(&out.raw, shape).in_type(operation, dtype)
    }

    fallible! {
        /// The values at points, whose coordinates are along the last axis of `xi` (`f64` for integers). Queues; waits if points outside
        /// are an error.
        ///
        /// **Panics** if the last axis does not fit the grid ([`Error::InvalidShape`]), if a point lies outside and that is an error
        /// ([`Error::InvalidArgument`]), or if the device differs.
        pub fn eval, try_eval<X: OnDevice<Elem = T>, T: Number>(&self, xi: &X) -> Result<DeviceArray<T::Mean>> {
            self.evaluated("eval", xi.raw(), self.is_nearest, T::Mean::DTYPE).map(DeviceArray::from_raw)
        }
    }
}

/// The array with the elements along an axis in the other order; a view.
fn reversed(of: &RawArray, axis: usize) -> RawArray {
    let mut layout = of.layout.clone();
    let stride = layout.strides[axis];
    let more = stride * (layout.shape[axis].saturating_sub(1)) as isize;
    layout.offset = (layout.offset as isize + more) as usize;
    layout.strides[axis] = -stride;
    of.with_layout(layout)
}

/// The values at `xi` of the function with the `values` on the grid of the coordinates `points`, linear. SciPy's `interpn`:
/// `gpu::interpolate::interpn!((&x, &y), &values, &xi, method = "nearest", bounds_error = false, fill_value = 0.0)` has its keywords. See
/// [`RegularGridInterpolator`].
///
/// **Panics** as [`RegularGridInterpolator::new`] and [`eval`](RegularGridInterpolator::eval) do.
///
/// ```
/// use warpcell as gpu;
/// let (x, values) = (gpu::arange(3.0), gpu::array(&[0.0, 2.0, 6.0]));
/// assert_eq!(gpu::interpolate::interpn((&x,), &values, &gpu::array(&[[0.5], [1.5]])).tolist(), [1.0, 4.0]);
/// ```
#[track_caller]
pub fn interpn<V: OnDevice<Elem: Number>, X: OnDevice<Elem = T>, T: Number>(
    points: impl Points,
    values: &V,
    xi: &X,
) -> DeviceArray<T::Mean> {
    interpn_with(points, values, xi, "linear", true, f64::NAN)
}

/// As [`interpn`](fn@interpn), with SciPy's other arguments.
#[track_caller]
pub fn interpn_with<V: OnDevice<Elem: Number>, X: OnDevice<Elem = T>, T: Number>(
    points: impl Points,
    values: &V,
    xi: &X,
    method: &str,
    bounds_error: bool,
    fill_value: impl FillValue,
) -> DeviceArray<T::Mean> {
    const NAME: &str = "interpn";
    let points = points.coordinates();
    let made = RegularGridInterpolator::made(NAME, &points, values.raw(), method, bounds_error, &fill_value);
    let values = made.and_then(|grid| grid.evaluated(NAME, xi.raw(), grid.is_nearest, T::Mean::DTYPE));
    DeviceArray::from_raw(check(values))
}
