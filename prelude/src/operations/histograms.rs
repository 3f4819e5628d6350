//! Histograms of points in several dimensions, and with weights: `histogram2d`, `histogramdd`. The bins of one dimension and the plain
//! `histogram` are in `counting.rs`.

use crate::array::conversions::conversions;
use crate::array::sides::sealed::Host;
use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis, transfer};
use crate::backend::{BinaryOperation, Layout, ReduceOperation};
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::composing::Composed;
use crate::operations::counting::{BinSpec, IntoBinRange, IntoBins, edges_of};
use crate::operations::reduce::reduce;
use crate::operations::sorting::{Side, search};

/// The ends of the range of each axis, where they are given.
type Ranges = Vec<Option<(f64, f64)>>;

/// The bins of several axes.
pub enum AxisBins {
    /// The same bins for all axes.
    Same(BinSpec),
    /// Bins for each axis.
    Each(Vec<BinSpec>),
}

/// What can be given as bins of several axes: `10` for each axis, or the edges for all of them, as for one axis; or a tuple, an array
/// or a `Vec` with the bins of each axis, such as `(10, 20)`, `[4, 5, 6]` or `([0.0, 1.0, 5.0], 3)`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as bins of several axes",
    label = "expected a number of bins, their edges, or one of these for each axis",
    note = "bins are `10`, `[4, 5]` or `(4, 5)`; edges are `f64`, for all axes `[0.0, 1.0, 10.0]`, for each axis \
            `([0.0, 1.0], [0.0, 5.0, 10.0])`"
)]
pub trait IntoAxisBins: sealed::Bins {
    /// The bins.
    fn into_axis_bins(self) -> AxisBins;
}

/// What can be given as ranges of several axes: `..` for those of the data, or a tuple, an array or a `Vec` with the range of each
/// axis, such as `[(0.0, 1.0), (-1.0, 1.0)]`, `[[0.0, 1.0], [-1.0, 1.0]]` or `(.., 0.0..=1.0)`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range for each axis of a histogram",
    label = "expected a range for each axis",
    note = "ranges are `..` (from the smallest to the largest element of each axis) or one for each axis, such as \
            `[(0.0, 1.0), (-1.0, 1.0)]`"
)]
pub trait IntoAxisRanges: sealed::Ranges {
    /// The ends for each axis, if they are given.
    fn into_axis_ranges(self) -> Option<Vec<Option<(f64, f64)>>>;
}

/// Points: a reference to a 2-D array with a row for each point, or to a 1-D array of points with one coordinate; or an array, a slice,
/// a `Vec` or a tuple of references to 1-D arrays, one for each coordinate. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as the points of a histogram",
    label = "expected a 2-D device array, or a 1-D device array for each coordinate",
    note = "points are `&a` with a row for each point, or their coordinates: `[&x, &y]` or `(&x, &y, &z)`"
)]
pub trait IntoPoints: sealed::Points {}

mod sealed {
    use crate::array::RawArray;
    use crate::error::Result;

    pub trait Bins {}
    pub trait Ranges {}
    pub trait Points {
        /// The coordinates along each axis, as 1-D arrays.
        fn coordinates(self) -> Result<Vec<RawArray>>;
    }
}

conversions! {
    fn into_axis_bins(self) -> AxisBins: IntoAxisBins, sealed::Bins;
    usize => AxisBins::Same(self.into_bins());
    Vec<f64> => AxisBins::Same(self.into_bins());
    &Vec<f64> => AxisBins::Same(self.into_bins());
    &[f64] => AxisBins::Same(self.into_bins());
    [f64; N] [const N: usize] => AxisBins::Same(self.into_bins());
    &[f64; N] [const N: usize] => AxisBins::Same(self.into_bins());
    &ndarray::Array1<f64> => AxisBins::Same(self.into_bins());
    &DeviceArray<f64> => AxisBins::Same(self.into_bins());
    [B; N] [B: IntoBins, const N: usize] => AxisBins::Each(self.into_iter().map(B::into_bins).collect());
    Vec<B> [B: IntoBins] => AxisBins::Each(self.into_iter().map(B::into_bins).collect());
    (A, B) [A: IntoBins, B: IntoBins] => AxisBins::Each(vec![self.0.into_bins(), self.1.into_bins()]);
    (A, B, C) [A: IntoBins, B: IntoBins, C: IntoBins] =>
        AxisBins::Each(vec![self.0.into_bins(), self.1.into_bins(), self.2.into_bins()]);
}
conversions! {
    fn into_axis_ranges(self) -> Option<Ranges>: IntoAxisRanges, sealed::Ranges;
    std::ops::RangeFull => None;
    [R; N] [R: IntoBinRange, const N: usize] => Some(self.into_iter().map(R::into_bin_range).collect());
    Vec<R> [R: IntoBinRange] => Some(self.into_iter().map(R::into_bin_range).collect());
    (A, B) [A: IntoBinRange, B: IntoBinRange] => Some(vec![self.0.into_bin_range(), self.1.into_bin_range()]);
    (A, B, C) [A: IntoBinRange, B: IntoBinRange, C: IntoBinRange] =>
        Some(vec![self.0.into_bin_range(), self.1.into_bin_range(), self.2.into_bin_range()]);
}
conversions! {
    fn coordinates(self) -> Result<Vec<RawArray>>: sealed::Points, IntoPoints;
    &DeviceArray<T> [T: Number] => columns(&self.raw);
    [&DeviceArray<T>; N] [T: Number, const N: usize] => Ok(self.iter().map(|x| (*x.raw).clone()).collect());
    &[&DeviceArray<T>] [T: Number] => Ok(self.iter().map(|x| (*x.raw).clone()).collect());
    Vec<&DeviceArray<T>> [T: Number] => Ok(self.iter().map(|x| (*x.raw).clone()).collect());
    (&DeviceArray<A>, &DeviceArray<B>) [A: Number, B: Number] => Ok(vec![(*self.0.raw).clone(), (*self.1.raw).clone()]);
    (&DeviceArray<A>, &DeviceArray<B>, &DeviceArray<C>) [A: Number, B: Number, C: Number] =>
        Ok(vec![(*self.0.raw).clone(), (*self.1.raw).clone(), (*self.2.raw).clone()]);
}

fallible! {
    /// How many points fall into each cell of a grid, and the edges of its bins: `(h, x_edges, y_edges)`. NumPy's `histogram2d`.
    ///
    /// `x` and `y` are 1-D and have a coordinate of each point. `bins` and `range` are as those of
    /// [`histogram`](fn@crate::histogram), the same for both axes or one for each: `10`, `(4, 5)`, `[0.0, 1.0, 10.0]`, `..`,
    /// `[(0.0, 1.0), (0.0, 5.0)]`. The element `[i, j]` of `h`, which is of `f64`, belongs to bin `i` of `x` and bin `j` of `y`. A bin
    /// has the values from its left edge to below its right one; the last one along an axis has its right edge, too. Points outside are
    /// not counted, nor are points with NaN. `gpu::histogram2d!(&x, &y, bins = 5, weights = &w, density = true)` adds up weights, and
    /// divides by the area of the cells and by the sum. Elements are compared as `f64`. Waits.
    ///
    /// **Panics** if `x` and `y` are not 1-D or differ in length ([`Error::InvalidShape`]); if there is no bin, if edges descend, if
    /// a range is not finite, or if there are bins or ranges for another number of axes ([`Error::InvalidArgument`]); or if a
    /// device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, y) = (gpu::array(&[0.0, 0.4, 1.0]), gpu::array(&[0.0, 2.0, 1.5]));
    /// let (h, x_edges, y_edges) = gpu::histogram2d(&x, &y, 2, ..);
    /// assert_eq!(h.ravel().tolist(), [1.0, 1.0, 0.0, 1.0]);
    /// assert_eq!((x_edges.tolist(), y_edges.tolist()), (vec![0.0, 0.5, 1.0], vec![0.0, 1.0, 2.0]));
    /// ```
    pub fn histogram2d, try_histogram2d<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
        x: &X,
        y: &Y,
        bins: impl IntoAxisBins,
        range: impl IntoAxisRanges,
    ) -> Result<(DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>)> {
        let points = [x.raw().clone(), y.raw().clone()];
        let request = Request { operation: "histogram2d", weights: None, density: false };
        plane(request.counted(&points, bins.into_axis_bins(), range.into_axis_ranges())?)
    }

    /// How many points fall into each cell of a grid of any number of axes, and the edges of the bins along each axis: `(h, edges)`.
    /// NumPy's `histogramdd`.
    ///
    /// The points are an array with a row for each, `&a`, or their coordinates along each axis, `[&x, &y, &z]`. All else is as in
    /// [`histogram2d`], also `gpu::histogramdd!(&a, bins = 5, weights = &w, density = true)`. The memory of the grid is that of all
    /// its cells.
    ///
    /// **Panics** as [`histogram2d`] does, and if there is no axis ([`Error::InvalidShape`]) or the cells are too many for memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let points = gpu::array(&[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.9, 0.1, 0.6]]);
    /// let (h, edges) = gpu::histogramdd(&points, (2, 1, 2), ..);
    /// assert_eq!((h.shape(), edges.len()), (&[2, 1, 2][..], 3));
    /// assert_eq!(h.ravel().tolist(), [1.0, 0.0, 0.0, 2.0]);
    /// ```
    pub fn histogramdd, try_histogramdd<P: IntoPoints>(
        sample: P,
        bins: impl IntoAxisBins,
        range: impl IntoAxisRanges,
    ) -> Result<(DeviceArray<f64>, Vec<DeviceArray<f64>>)> {
        let request = Request { operation: "histogramdd", weights: None, density: false };
        let (counts, edges) =
            request.counted(&coordinates(sample)?, bins.into_axis_bins(), range.into_axis_ranges())?;
        Ok((DeviceArray::from_raw(counts), edges.into_iter().map(DeviceArray::from_raw).collect()))
    }
}

/// The coordinates of points along each axis.
pub(crate) fn coordinates(points: impl IntoPoints) -> Result<Vec<RawArray>> {
    points.coordinates()
}

/// The result of two axes with their types.
pub(crate) fn plane(
    (counts, edges): (RawArray, Vec<RawArray>),
) -> Result<(DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>)> {
    let [x, y] = <[RawArray; 2]>::try_from(edges).unwrap_or_else(|_| unreachable!("two axes were given"));
    Ok((DeviceArray::from_raw(counts), DeviceArray::from_raw(x), DeviceArray::from_raw(y)))
}

/// The columns of a matrix of points, or points with one coordinate.
fn columns(points: &RawArray) -> Result<Vec<RawArray>> {
    match *points.shape() {
        [_] => Ok(vec![points.clone()]),
        [_, count] => Ok((0..count)
            .map(|column| {
                let Layout { mut shape, mut strides, offset } = slice_axis(points, 1, column, 1, 1).layout;
                shape.pop();
                strides.pop();
                points.with_layout(Layout { shape, strides, offset })
            })
            .collect()),
        _ => {
            let reason =
                "is not that of points; give a 2-D array with a row for each point, or a 1-D array for each coordinate";
            Err(Error::shape("histogramdd", points.shape(), reason))
        }
    }
}

/// What is counted, and how.
pub(crate) struct Request<'a> {
    pub operation: &'static str,
    pub weights: Option<&'a RawArray>,
    pub density: bool,
}

impl Request<'_> {
    /// The counts, sums of weights or densities as f64, and the edges of each axis.
    pub fn counted(
        &self,
        points: &[RawArray],
        bins: AxisBins,
        ranges: Option<Ranges>,
    ) -> Result<(RawArray, Vec<RawArray>)> {
        let (name, axes) = (self.operation, points.len());
        self.check(points)?;
        let bins = match bins {
            AxisBins::Same(bins) => vec![bins; axes],
            AxisBins::Each(bins) => self.of_each_axis("bins", bins, axes)?,
        };
        let ranges = match ranges {
            None => vec![None; axes],
            Some(ranges) => self.of_each_axis("ranges", ranges, axes)?,
        };
        let handle = &points[0].handle;
        handle.may_wait(name)?;
        let mut edges = Vec::with_capacity(axes);
        for ((x, bins), range) in points.iter().zip(bins).zip(ranges) {
            edges.push(edges_of(name, x, bins, range)?.0);
        }
        // One cell more at each end, for what is outside.
        let with_ends: Vec<usize> = edges.iter().map(|edges| edges.len() + 1).collect();
        let cells = RawArray::uninitialised(name, handle, &with_ends, self.dtype())?;
        let edges = edges
            .iter()
            .map(|edges| transfer::upload(name, &Host::host_view(edges), handle))
            .collect::<Result<Vec<RawArray>>>()?;
        let line = cells.with_layout(Layout::contiguous(&[cells.size()]));
        let weights = match self.weights {
            Some(weights) => Some(weights.converted(name, DType::F64)?),
            None => None,
        };
        let places = self.places(points, &edges)?;
        handle.backend.bincount(places.view(), weights.as_ref().map(RawArray::view), line.view())?;
        let inner = with_ends
            .iter()
            .enumerate()
            .fold(cells, |cells, (axis, &length)| slice_axis(&cells, axis, 1, 1, length - 2));
        let counts = inner.converted(name, DType::F64)?;
        let counts = if self.density { densities(name, counts, &edges.iter().collect::<Vec<_>>())? } else { counts };
        Ok((counts, edges))
    }

    fn dtype(&self) -> DType {
        if self.weights.is_some() { DType::F64 } else { DType::I64 }
    }

    fn check(&self, points: &[RawArray]) -> Result<()> {
        let operation = self.operation;
        let invalid = |shape: &RawArray, reason: String| Err(Error::shape(operation, shape.shape(), reason));
        let Some(first) = points.first() else {
            let reason = "has no axis; give an array of coordinates for each axis, such as `[&x, &y]`";
            return Err(Error::shape(operation, Vec::new(), reason));
        };
        for x in points {
            first.same_device(operation, x)?;
            if x.shape().len() != 1 {
                return invalid(x, "is not 1-D; give the coordinates along each axis as a 1-D array".into());
            }
            if x.size() != first.size() {
                let reason = format!(
                    "differs from the shape {:?} of the first coordinates; give as many for each axis",
                    first.shape()
                );
                return invalid(x, reason);
            }
        }
        if let Some(weights) = self.weights {
            first.same_device(operation, weights)?;
            if weights.shape() != first.shape() {
                let reason =
                    format!("of the weights does not fit {} points; give one weight for each point", first.size());
                return invalid(weights, reason);
            }
        }
        Ok(())
    }

    fn of_each_axis<V>(&self, what: &str, given: Vec<V>, axes: usize) -> Result<Vec<V>> {
        if given.len() == axes {
            return Ok(given);
        }
        let reason =
            format!("there are {what} for {} axes, but the points have {axes}; give one for each axis", given.len());
        Err(Error::argument(self.operation, reason))
    }

    /// The number of the cell of each point, in row-major order.
    fn places(&self, points: &[RawArray], edges: &[RawArray]) -> Result<RawArray> {
        let calc = Composed(self.operation);
        let mut places: Option<RawArray> = None;
        for (x, edges) in points.iter().zip(edges) {
            let x = x.converted(self.operation, DType::F64)?;
            let found = search(self.operation, edges, &x, Side::Right)?;
            // The last bin has its right edge.
            let last = slice_axis(edges, 0, edges.size() - 1, 1, 1);
            let is_last = calc.pair(BinaryOperation::Equal, &x, &last)?.converted(self.operation, DType::I64)?;
            calc.pair_into(BinaryOperation::Subtract, &found, &is_last)?;
            places = Some(match places {
                None => found,
                Some(outer) => {
                    calc.with_into(BinaryOperation::Multiply, &outer, (edges.size() + 1) as f64)?;
                    calc.pair_into(BinaryOperation::Add, &outer, &found)?;
                    outer
                }
            });
        }
        Ok(places.expect("there is one axis at least"))
    }
}

/// Counts divided by the size of their cell and by the sum of all.
pub(super) fn densities(operation: &'static str, counts: RawArray, edges: &[&RawArray]) -> Result<RawArray> {
    let calc = Composed(operation);
    let axes: Vec<usize> = (0..edges.len()).collect();
    let sum = reduce(operation, ReduceOperation::Sum, &counts, &axes)?;
    for (axis, edges) in edges.iter().enumerate() {
        let count = edges.size() - 1;
        let (left, right) = (slice_axis(edges, 0, 0, 1, count), slice_axis(edges, 0, 1, 1, count));
        let widths = calc.pair(BinaryOperation::Subtract, &right, &left)?;
        let (mut shape, mut strides) = (vec![1; axes.len()], vec![0; axes.len()]);
        (shape[axis], strides[axis]) = (count, 1);
        calc.pair_into(BinaryOperation::Divide, &counts, &widths.with_layout(Layout { shape, strides, offset: 0 }))?;
    }
    calc.pair_into(BinaryOperation::Divide, &counts, &sum)?;
    Ok(counts)
}
