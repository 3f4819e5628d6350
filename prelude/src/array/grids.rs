//! Coordinates: arrays of the indices of a shape, and grids of numbers at equal distances.

use crate::array::create::arange_raw;
use crate::array::view::{assign, slice_axis};
use crate::array::{DeviceArray, IntoRange, IntoShape, RawArray};
use crate::backend::Layout;
use crate::device::{self, Handle};
use crate::dtype::{DType, Number, Scalar};
use crate::error::{Result, check};
use crate::thin::thin;

thin! {
    /// The indices of all elements of a shape: an array with one more axis, in front, which has one array of indices for each
    /// axis of the shape. NumPy's `indices`; indices of another type are `gpu::indices!((2, 3), dtype = f32)`.
    ///
    /// **Panics** if the result is too large to address, or if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let places = gpu::indices((2, 3));
    /// assert_eq!(places.shape(), [2, 2, 3]);
    /// assert_eq!((places.get(&[0, 1, 2]), places.get(&[1, 1, 2])), (1, 2));
    /// ```
    pub fn indices(dimensions: impl IntoShape) -> DeviceArray<i64> =>
        coordinates("indices", &dimensions.into_shape(), DType::I64);

    /// The coordinates of a grid, in one array with one more axis, in front: `gpu::mgrid([0..2, 0..3])` is NumPy's
    /// `mgrid[0:2, 0:3]`. Each axis is a range as of [`arange`](fn@crate::arange): `5`, `0.5..3.0` or `(start, stop, step)`.
    /// For a number of points in place of a step, see [`meshgrid`](fn@crate::meshgrid) of [`linspace`](fn@crate::linspace).
    ///
    /// **Panics** if a step is zero or not finite ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let grid = gpu::mgrid([0..2, 0..3]);
    /// assert_eq!(grid.shape(), [2, 2, 3]);
    /// assert_eq!((grid.get(&[0, 1, 2]), grid.get(&[1, 1, 2])), (1, 2));
    /// assert_eq!(gpu::mgrid([(0.0, 1.0, 0.25)]).ravel().tolist(), [0.0, 0.25, 0.5, 0.75]);
    /// ```
    pub fn mgrid<T: Number>(ranges: impl IntoIterator<Item = impl IntoRange<T>>) -> DeviceArray<T> =>
        dense(ranges.into_iter().map(scalars).collect(), T::DTYPE);
}

/// The coordinates of a grid, one array for each axis, with axes of length 1 for the others: they broadcast to what
/// [`mgrid`] gives. `gpu::ogrid([0..2, 0..3])` is NumPy's `ogrid[0:2, 0:3]`.
///
/// **Panics** as [`mgrid`] does.
///
/// ```
/// use warpcell as gpu;
/// let axes = gpu::ogrid([0..2, 0..3]);
/// assert_eq!((axes[0].shape(), axes[1].shape()), (&[2, 1][..], &[1, 3][..]));
/// assert_eq!((&axes[0] + &axes[1]).get(&[1, 2]), 3);
/// ```
#[track_caller]
pub fn ogrid<T: Number>(ranges: impl IntoIterator<Item = impl IntoRange<T>>) -> Vec<DeviceArray<T>> {
    let axes = check(axes(ranges.into_iter().map(scalars).collect()));
    (0..axes.len()).map(|at| DeviceArray::from_raw(on_axis(&axes[at], at, axes.len()))).collect()
}

/// What a function makes of the coordinates of all elements of a shape: it is called once, with one array of `f64` for each
/// axis. NumPy's `fromfunction`. The function is a closure that takes as many arrays as the shape has axes.
///
/// **Panics** if the coordinates are too large to address, or if there is not enough memory.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::fromfunction(|[i, j]| i * 10.0 + j, [2, 3]);
/// assert_eq!(a.get(&[1, 2]), 12.0);
/// ```
#[track_caller]
pub fn fromfunction<R, const N: usize>(function: impl FnOnce([DeviceArray<f64>; N]) -> R, shape: [usize; N]) -> R {
    let coordinates = check(coordinates("fromfunction", &shape, DType::F64));
    function(std::array::from_fn(|axis| {
        let mut layout = coordinates.layout.clone();
        let stride = layout.strides.remove(0);
        layout.shape.remove(0);
        if coordinates.size() > 0 {
            layout.offset = layout.offset.checked_add_signed(stride * axis as isize).expect("within the allocation");
        }
        DeviceArray::from_raw(coordinates.with_layout(layout))
    }))
}

/// The start, the stop and the step of a range.
fn scalars<T: Number>(range: impl IntoRange<T>) -> [Scalar; 3] {
    let (start, stop, step) = range.into_range();
    [start.to_scalar(), stop.to_scalar(), step.to_scalar()]
}

fn axes(ranges: Vec<[Scalar; 3]>) -> Result<Vec<RawArray>> {
    ranges.into_iter().map(|[start, stop, step]| arange_raw(start, stop, step)).collect()
}

fn dense(ranges: Vec<[Scalar; 3]>, dtype: DType) -> Result<RawArray> {
    grid("mgrid", &device::current()?, &axes(ranges)?, dtype)
}

/// The numbers from 0 to below `count`: i64, 1-D, in a new array.
pub(crate) fn numbers(operation: &'static str, handle: &Handle, count: usize) -> Result<RawArray> {
    counted(operation, handle, count, DType::I64)
}

fn counted(operation: &'static str, handle: &Handle, count: usize, dtype: DType) -> Result<RawArray> {
    RawArray::written(operation, handle, &[count], dtype, |out| {
        handle.backend.arange(Scalar::zero(dtype), Scalar::one(dtype), out.view())
    })
}

/// The only axis of an array as axis `at` of `rank`; the others have length 1.
pub(crate) fn on_axis(raw: &RawArray, at: usize, rank: usize) -> RawArray {
    let mut layout = Layout { shape: vec![1; rank], strides: vec![0; rank], offset: raw.layout.offset };
    layout.shape[at] = raw.shape()[0];
    layout.strides[at] = raw.layout.strides[0];
    raw.with_layout(layout)
}

fn grid(operation: &'static str, handle: &Handle, axes: &[RawArray], dtype: DType) -> Result<RawArray> {
    let mut shape = vec![axes.len()];
    shape.extend(axes.iter().map(RawArray::size));
    let out = RawArray::uninitialised(operation, handle, &shape, dtype)?;
    for (at, axis) in axes.iter().enumerate() {
        assign(operation, &slice_axis(&out, 0, at, 1, 1), &on_axis(axis, at, axes.len()))?;
    }
    Ok(out)
}

fn coordinates(operation: &'static str, shape: &[usize], dtype: DType) -> Result<RawArray> {
    let handle = device::current()?;
    let axes = shape.iter().map(|&length| counted(operation, &handle, length, dtype)).collect::<Result<Vec<_>>>()?;
    grid(operation, &handle, &axes, dtype)
}
