//! What calls with keywords need beside the functions of `gpu`.

use crate::array::axes::{IntoAxes, axes_of};
use crate::array::create::{of_values, spaced};
use crate::array::indices::{Index, IntoIndices, sealed::Sealed as _};
use crate::array::shape::IntoShape;
use crate::array::triangles::{diagonal_of, triangle};
use crate::array::{AnyArray, DeviceArray, OnDevice, RawArray, reals_if_close, rolled, transfer};
use crate::backend::BinaryOperation;
use crate::dtype::{Arithmetic, Bitwise, DType, Element, Float, Inexact, Number, Scalar, Signal};
use crate::error::{Error, Result, check};
use crate::files::raw::of_file;
use crate::files::text::{NamedColumns, ReadText, WriteText, named};
use crate::linalg::equations::inv_of;
use crate::linalg::factors::cholesky_of;
use crate::linalg::norms::{NormOrder, Order};
use crate::linalg::spectra::{Bound, conditions, no_condition, ranks};
use crate::linalg::stacks::{Stack, adjoint};
use crate::operations::allclose::{all_equal, close_elements};
use crate::operations::bits::{packed, unpacked};
use crate::operations::choosing::{Outside, ravel_multi_index_with, take_with};
use crate::operations::counting::{IntoBinRange, IntoBins, weighted};
use crate::operations::elementwise::{Operand, binary};
use crate::operations::histograms::{IntoAxisBins, IntoAxisRanges, IntoPoints, Request, coordinates, plane};
use crate::operations::insertion::repeated_each;
use crate::operations::partition::parted;
use crate::operations::products::matmul_by;
use crate::operations::reduce::as_mean;
use crate::operations::sets;
use crate::thin::thin;
use num_complex::Complex;
use std::panic::Location;
use std::path::Path;

thin! {
    /// The array with another element type.
    pub fn astype<D: Element, A: OnDevice>(a: &A) -> DeviceArray<D> => a.raw().converted("astype", D::DTYPE);

    /// The array with its elements as those of a type; itself, if they are.
    pub fn as_type<D: Element, A: OnDevice>(a: &A) -> DeviceArray<D> =>
        a.raw().in_type("astype", D::DTYPE);

    /// As `gpu::linspace`, and without `stop` itself unless it is the `endpoint`.
    pub fn linspace<T: Inexact>(start: impl Operand<T>, stop: impl Operand<T>, num: usize, endpoint: bool, axis: isize)
    -> DeviceArray<T> => spaced([start.raw_operand(), stop.raw_operand()], num, endpoint, axis, T::DTYPE);

    /// The array with its elements moved along some axes, along each by its own shift, or by one for all.
    pub fn roll<A: OnDevice<Elem = T>, T: Element>(a: &A, shift: impl IntoAxes, axis: impl IntoAxes) -> DeviceArray<T> =>
        rolled_each(a.raw(), &shift.into_axes(), &axis.into_axes());

    /// The array with each element repeated along an axis.
    pub fn repeat<A: OnDevice<Elem = T>, T: Element>(a: &A, repeats: impl Repeats, axis: isize) -> DeviceArray<T> =>
        repeats.repeated(a.raw(), axis);

    /// The elements in row-major order, each repeated.
    pub fn repeat_all<A: OnDevice<Elem = T>, T: Element>(a: &A, repeats: impl Repeats) -> DeviceArray<T> =>
        a.raw().flat("repeat").and_then(|flat| repeats.repeated(&flat, 0));

    /// An array with another element type and unspecified elements, in the shape and on the device of this one.
    pub fn empty_as<D: Element, A: OnDevice>(a: &A) -> DeviceArray<D> =>
        RawArray::uninitialised("empty_like", &a.raw().handle, a.raw().shape(), D::DTYPE);

    /// An array of another shape with unspecified elements, of the type and on the device of this one.
    pub fn empty_in<A: OnDevice<Elem = T>, T: Element>(a: &A, shape: impl IntoShape) -> DeviceArray<T> =>
        RawArray::uninitialised("empty_like", &a.raw().handle, &shape.into_shape(), T::DTYPE);

    /// `gpu::diag` for the diagonal `k`.
    pub fn diag<A: OnDevice<Elem = T>, T: Element>(v: &A, k: isize) -> DeviceArray<T> => diagonal_of(v.raw(), k);

    /// `gpu::triu` from the diagonal `k` on.
    pub fn triu<A: OnDevice<Elem = T>, T: Element>(m: &A, k: isize) -> DeviceArray<T> => triangle("triu", m.raw(), k);

    /// `gpu::tril` up to the diagonal `k`.
    pub fn tril<A: OnDevice<Elem = T>, T: Element>(m: &A, k: isize) -> DeviceArray<T> => triangle("tril", m.raw(), k);

    /// `gpu::isclose` with its tolerances.
    pub fn isclose<X: OnDevice, Y: OnDevice>(x: &X, y: &Y, rtol: f64, atol: f64, equal_nan: bool) -> DeviceArray<bool> =>
        close_elements(x.raw(), y.raw(), rtol, atol, equal_nan);

    /// `gpu::matmul`, for which `f32` may be rounded.
    pub fn matmul<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(a: &A, b: &B, tf32: bool) -> DeviceArray<T> =>
        matmul_by(a.raw(), b.raw(), tf32);

    /// `gpu::partition` along an axis.
    pub fn partition<A: OnDevice<Elem = T>, T: Element>(a: &A, kth: usize, axis: isize) -> DeviceArray<T> =>
        parted("partition", a.raw(), kth, axis, false);

    /// `gpu::argpartition` along an axis.
    pub fn argpartition<A: OnDevice>(a: &A, kth: usize, axis: isize) -> DeviceArray<i64> =>
        parted("argpartition", a.raw(), kth, axis, true);

    /// `gpu::packbits` along an axis, and with the first element as the lowest bit.
    pub fn packbits<A: OnDevice<Elem: Bitwise>>(a: &A, axis: Option<isize>, bitorder: Option<&str>) -> DeviceArray<u8> =>
        packed(a.raw(), axis, bitorder.unwrap_or("big"));

    /// `gpu::unpackbits` along an axis, of so many bits, and with the lowest bit first.
    pub fn unpackbits<A: OnDevice<Elem = u8>>(a: &A, axis: Option<isize>, count: Option<isize>, bitorder: Option<&str>)
    -> DeviceArray<u8> => unpacked(a.raw(), axis, count, bitorder.unwrap_or("big"));
}

/// An array of one value, which is converted to the element type.
#[track_caller]
pub fn full<D: Element, V: Element>(shape: impl IntoShape, value: V) -> DeviceArray<D> {
    crate::full((), value).astype::<D>().broadcast_to(shape).copy()
}

/// The distinct elements, the first place of each, their places, and how often each occurs.
pub type Distinct<T> = (DeviceArray<T>, DeviceArray<i64>, DeviceArray<i64>, DeviceArray<i64>);

/// The distinct parts along an axis, the first place of each, their places, and how often each occurs.
#[track_caller]
pub fn unique_along<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: isize) -> Distinct<T> {
    let [values, first, inverse, counts] = check(sets::unique_along(a.raw(), axis));
    let places = [first, inverse, counts].map(DeviceArray::from_raw);
    let [first, inverse, counts] = places;
    (DeviceArray::from_raw(values), first, inverse, counts)
}

/// The elements that both have, and the first place of each in both.
#[track_caller]
pub fn common_places<A, B, T>(ar1: &A, ar2: &B) -> (DeviceArray<T>, DeviceArray<i64>, DeviceArray<i64>)
where
    A: OnDevice<Elem = T>,
    B: OnDevice<Elem = T>,
    T: Element,
{
    let [values, of_one, of_other] = check(sets::places_of_common(ar1.raw(), ar2.raw()));
    (DeviceArray::from_raw(values), DeviceArray::from_raw(of_one), DeviceArray::from_raw(of_other))
}

/// `gpu::array_equal`, where NaN may equal NaN.
#[track_caller]
pub fn array_equal<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Element>(a1: &X, a2: &Y, equal_nan: bool) -> bool {
    check(all_equal(a1.raw(), a2.raw(), equal_nan))
}

/// `gpu::linalg::matrix_rank` with bounds for singular values.
#[track_caller]
pub fn matrix_rank<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A, tol: Option<f64>, rtol: Option<f64>) -> usize {
    let bound = tol.map(Bound::Value).or(rtol.map(Bound::Share));
    let single = Stack::single("matrix_rank", a.raw(), "matrix_rank_each");
    check(single.and_then(|_| ranks(a.raw(), bound, T::Mean::DTYPE)))[0]
}

/// `gpu::linalg::cond` by another norm.
#[track_caller]
pub fn cond<A: OnDevice<Elem = T>, T: Arithmetic>(x: &A, p: impl NormOrder) -> Signal<T> {
    transfer::typed_scalar(check(p.order().and_then(|order| condition(x.raw(), order, T::Mean::DTYPE))))
}

/// The product of the norms of a matrix and of its inverse; infinite if there is none. By 2 and -2, of any matrix, its largest and
/// smallest singular values: those of the inverse are their reciprocals.
fn condition(x: &RawArray, order: Order, dtype: DType) -> Result<Scalar> {
    const NAME: &str = "cond";
    Stack::single(NAME, x, "cond_each")?;
    if let Order::Number(p) = order
        && p.abs() == 2.0
    {
        return Ok(Scalar::of_float(conditions(NAME, x, dtype, p < 0.0)?[0], dtype.part()));
    }
    if x.size() == 0 {
        return Err(no_condition(NAME, x));
    }
    let x = as_mean(NAME, x, dtype)?;
    let inverse = match inv_of(NAME, &x, None) {
        Err(Error::SingularMatrix { .. }) => return Ok(Scalar::of_float(f64::INFINITY, dtype.part())),
        found => found?,
    };
    let norm = |matrix: &RawArray| super::reductions::norm_of(matrix, &super::every_axis(false), order, dtype);
    transfer::item(&binary(NAME, BinaryOperation::Multiply, &norm(&x)?, &norm(&inverse)?)?)
}

/// `gpu::linalg::cholesky` as an upper triangle, from the upper triangle: what is below the diagonal is not looked at.
#[track_caller]
pub fn cholesky_upper<A: OnDevice<Elem = T>, T: Inexact>(a: &A) -> DeviceArray<T> {
    const NAME: &str = "cholesky";
    // The shape is that of the argument in errors.
    let call = Some(Location::caller());
    let upper = Stack::square(NAME, a.raw()).and_then(|_| {
        let [lower] = cholesky_of(&adjoint(NAME, a.raw())?, call)?;
        adjoint(NAME, &lower)
    });
    DeviceArray::from_raw(check(upper))
}

/// `gpu::take` where indices count on from the first element again, or name the first or the last.
#[track_caller]
pub fn take_outside<A: OnDevice<Elem = T>, T: Element>(
    a: &A,
    indices: impl IntoIndices,
    axis: Option<isize>,
    wraps: bool,
) -> DeviceArray<T> {
    let outside = if wraps { Outside::Wrapped } else { Outside::Clipped };
    DeviceArray::from_raw(check(take_with(a.raw(), indices.raw_indices(), axis, outside)))
}

/// `gpu::ravel_multi_index` where indices count on from the first again, or name the first or the last.
#[track_caller]
pub fn ravel_multi_index_outside<I: IntoIndices>(
    multi_index: impl IntoIterator<Item = I>,
    dims: impl IntoShape,
    wraps: bool,
) -> DeviceArray<i64> {
    let outside = if wraps { Outside::Wrapped } else { Outside::Clipped };
    let indices = multi_index.into_iter().map(I::raw_indices).collect();
    DeviceArray::from_raw(check(ravel_multi_index_with(indices, &dims.into_shape(), outside)))
}

/// The array with its elements in reverse order along all axes; a view.
#[track_caller]
pub fn flip_all<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> {
    crate::flip(m, (0..m.raw().shape().len()).collect::<Vec<usize>>())
}

/// The array with its elements moved in row-major order.
#[track_caller]
pub fn roll_all<A: OnDevice<Elem = T>, T: Element>(a: &A, shift: isize) -> DeviceArray<T> {
    let moved = a.raw().flat("roll").and_then(|flat| rolled(&flat, &[(shift, 0)]));
    let moved = check(moved);
    DeviceArray::from_raw(moved.with_layout(crate::backend::Layout::contiguous(a.raw().shape())))
}

fn rolled_each(x: &RawArray, shifts: &[isize], axes: &[isize]) -> Result<RawArray> {
    if shifts.len() != axes.len() && shifts.len() != 1 {
        let reason = format!(
            "there are {} shifts for {} axes; write one shift for each axis, such as `gpu::roll!(&a, (1, 2), axis = (0, 1))`",
            shifts.len(),
            axes.len()
        );
        return Err(Error::argument("roll", reason));
    }
    axes_of("roll", x.shape(), axes)?;
    let shift = |at: usize| if shifts.len() == 1 { shifts[0] } else { shifts[at] };
    let moves: Vec<(isize, isize)> = axes.iter().enumerate().map(|(at, &axis)| (shift(at), axis)).collect();
    rolled(x, &moves)
}

/// How often elements are repeated: a number for all, or an array with one for each.
pub trait Repeats {
    /// Repeats the elements.
    fn repeated(self, x: &RawArray, axis: isize) -> Result<RawArray>;
}
impl Repeats for usize {
    fn repeated(self, x: &RawArray, axis: isize) -> Result<RawArray> {
        crate::array::repeated(x, self, axis)
    }
}

impl<I: Index + Element> Repeats for &DeviceArray<I> {
    fn repeated(self, x: &RawArray, axis: isize) -> Result<RawArray> {
        repeated_each(x, self.raw_indices(), axis)
    }
}

/// All axes of the array.
pub fn axes_of_all<A: OnDevice>(a: &A) -> Vec<usize> {
    (0..a.raw().shape().len()).collect()
}

/// The axes that are meant, to be named several times.
pub fn list_of_axes(axes: impl IntoAxes) -> Vec<isize> {
    axes.into_axes()
}

/// Lengths of axes.
pub fn lengths(s: impl IntoShape) -> Vec<usize> {
    s.into_shape()
}

/// So many axes at the end.
pub fn last_axes(count: usize) -> Vec<isize> {
    (0..count).map(|axis| axis as isize - count as isize).collect()
}

/// `gpu::histogram` with weights, or of densities.
#[track_caller]
pub fn histogram<A: OnDevice<Elem: Number>, W: OnDevice<Elem: Number>>(
    a: &A,
    bins: impl IntoBins,
    range: impl IntoBinRange,
    density: bool,
    weights: Option<&W>,
) -> (DeviceArray<f64>, DeviceArray<f64>) {
    let weights = weights.map(|weights| weights.raw());
    let (counts, edges) = check(weighted(a.raw(), bins.into_bins(), range.into_bin_range(), density, weights));
    (DeviceArray::from_raw(counts), DeviceArray::from_raw(edges))
}

/// `gpu::histogram2d` with weights, or of densities.
#[track_caller]
pub fn histogram2d<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>, W: OnDevice<Elem: Number>>(
    x: &X,
    y: &Y,
    bins: impl IntoAxisBins,
    range: impl IntoAxisRanges,
    density: bool,
    weights: Option<&W>,
) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>) {
    let request = Request { operation: "histogram2d", weights: weights.map(|weights| weights.raw()), density };
    let points = [x.raw().clone(), y.raw().clone()];
    check(request.counted(&points, bins.into_axis_bins(), range.into_axis_ranges()).and_then(plane))
}

/// `gpu::histogramdd` with weights, or of densities.
#[track_caller]
pub fn histogramdd<W: OnDevice<Elem: Number>>(
    sample: impl IntoPoints,
    bins: impl IntoAxisBins,
    range: impl IntoAxisRanges,
    density: bool,
    weights: Option<&W>,
) -> (DeviceArray<f64>, Vec<DeviceArray<f64>>) {
    let request = Request { operation: "histogramdd", weights: weights.map(|weights| weights.raw()), density };
    let counted = coordinates(sample)
        .and_then(|points| request.counted(&points, bins.into_axis_bins(), range.into_axis_ranges()));
    let (counts, edges) = check(counted);
    (DeviceArray::from_raw(counts), edges.into_iter().map(DeviceArray::from_raw).collect())
}

/// `gpu::fromiter` of so many values; of all if the count is negative.
#[track_caller]
pub fn fromiter<T: Element>(iter: impl IntoIterator<Item = T>, count: isize) -> DeviceArray<T> {
    let Ok(count) = usize::try_from(count) else { return crate::fromiter(iter) };
    let values: Vec<T> = iter.into_iter().take(count).collect();
    let reason = format!("the iterator has {} values, fewer than {count}; give a smaller count", values.len());
    let enough = if values.len() == count { Ok(()) } else { Err(Error::argument("fromiter", reason)) };
    check(enough.and_then(|()| of_values(values)))
}

/// `gpu::fromfile` of so many elements from a byte on, or of a text; of all if the count is negative.
#[track_caller]
pub fn fromfile<T: Element>(file: impl AsRef<Path>, count: isize, sep: &str, offset: usize) -> DeviceArray<T> {
    check(of_file(file.as_ref(), count, sep, offset))
}

/// `gpu::real_if_close` with its tolerance.
#[track_caller]
pub fn real_if_close<A: OnDevice<Elem = Complex<R>>, R: Float>(a: &A, tol: f64) -> Option<DeviceArray<R>>
where
    Complex<R>: Inexact<Part = R>,
{
    check(reals_if_close(a.raw(), tol)).map(DeviceArray::from_raw)
}

/// `gpu::loadtxt_with` with its options one by one. Without `usecols` all columns are read.
#[track_caller]
#[allow(clippy::too_many_arguments)] // Cells write them by name.
pub fn loadtxt<T: Element>(
    fname: impl AsRef<Path>,
    comments: &str,
    delimiter: &str,
    skiprows: usize,
    unpack: bool,
    usecols: impl IntoAxes,
    max_rows: usize,
    ndmin: usize,
) -> DeviceArray<T> {
    let options = ReadText::new().comments(comments).delimiter(delimiter).skiprows(skiprows).max_rows(max_rows);
    let options = options.ndmin(ndmin);
    let table = crate::files::text::loadtxt_with(fname, &options.usecols(&usecols.into_axes()));
    if unpack { table.transpose() } else { table }
}

/// What `gpu::genfromtxt` is asked for. NaN stands for the usual filling value.
#[allow(clippy::too_many_arguments)] // Cells write them by name.
pub fn text_with_gaps(
    comments: &str,
    delimiter: &str,
    skip_header: usize,
    skip_footer: usize,
    usecols: impl IntoAxes,
    max_rows: usize,
    filling_values: f64,
    ndmin: usize,
) -> ReadText {
    let options =
        ReadText::new().comments(comments).delimiter(delimiter).skip_header(skip_header).skip_footer(skip_footer);
    let options = options.usecols(&usecols.into_axes()).max_rows(max_rows).ndmin(ndmin);
    if filling_values.is_nan() { options } else { options.filling_values(filling_values) }
}

/// `gpu::genfromtxt_with`, perhaps with an array for each column.
#[track_caller]
pub fn genfromtxt<T: Element>(fname: impl AsRef<Path>, options: &ReadText, unpack: bool) -> DeviceArray<T> {
    let table = crate::files::text::genfromtxt_with(fname, options);
    if unpack { table.transpose() } else { table }
}

/// `gpu::genfromtxt_with` with names for the columns, or none for those in the file.
#[track_caller]
pub fn genfromtxt_named<T: Element>(fname: impl AsRef<Path>, options: &ReadText, names: &[&str]) -> NamedColumns<T> {
    check(named(fname.as_ref(), options, names))
}

/// A format for all columns, or one for each.
pub trait Formats {
    /// The options with it.
    fn put(self, options: WriteText) -> WriteText;
}
impl Formats for &str {
    fn put(self, options: WriteText) -> WriteText {
        options.fmt(self)
    }
}
impl<const N: usize> Formats for [&str; N] {
    fn put(self, options: WriteText) -> WriteText {
        options.formats(&self)
    }
}
impl<const N: usize> Formats for &[&str; N] {
    fn put(self, options: WriteText) -> WriteText {
        options.formats(self)
    }
}
impl Formats for &[&str] {
    fn put(self, options: WriteText) -> WriteText {
        options.formats(self)
    }
}

/// `gpu::savetxt_with` with its options one by one.
#[track_caller]
#[allow(clippy::too_many_arguments)] // Cells write them by name.
pub fn savetxt<A: ?Sized + AnyArray>(
    fname: impl AsRef<Path>,
    x: &A,
    fmt: impl Formats,
    delimiter: &str,
    newline: &str,
    header: &str,
    footer: &str,
    comments: &str,
) {
    let options = fmt.put(WriteText::new()).delimiter(delimiter).newline(newline);
    crate::files::text::savetxt_with(fname, x, &options.header(header).footer(footer).comments(comments));
}
