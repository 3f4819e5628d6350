//! What calls with keywords need that make, cut, rearrange and choose from arrays.

use crate::array::axes::IntoAxes;
use crate::array::create::of_buffer;
use crate::array::dimensions::{rolled_axis, turned, windows};
use crate::array::indices::{Index, IntoIndices};
pub use crate::array::padding::Statistic;
use crate::array::padding::{self, Around};
use crate::array::shape::IntoShape;
use crate::array::spacing::{multiples, powers};
use crate::array::triangles::{filled_diagonal, flat_diagonal, ones_below, ones_on_diagonal, powers_of};
use crate::array::{DeviceArray, IntoPadValues, IntoPadding, IntoSections, OnDevice, RawArray, cut};
use crate::backend::ReduceOperation;
use crate::dtype::{Arithmetic, Element, Float, Real};
use crate::error::check;
use crate::operations::choosing::{Outside, choose_with, compressed_along, copied_where, select_or};
use crate::operations::elementwise::Operand;
use crate::operations::indexing::put_with;
use crate::operations::insertion::{appended, deleted, inserted, trimmed};
use crate::operations::ordering::{by_keys, places_of_numbers};
use crate::operations::positions::{diagonal, triangle, triangle_of};
use crate::operations::sets::{membership, only_in_first, others_in_order};
use crate::thin::thin;

thin! {
    /// `gpu::eye` of a matrix that may not be square, with ones on the diagonal `k`.
    pub fn eye<T: Arithmetic>(n: usize, m: usize, k: isize) -> DeviceArray<T> =>
        ones_on_diagonal("eye", [n, m], k, T::DTYPE);

    /// `gpu::tri` of a matrix that may not be square, up to the diagonal `k`.
    pub fn tri<T: Arithmetic>(n: usize, m: usize, k: isize) -> DeviceArray<T> => ones_below("tri", [n, m], k, T::DTYPE);

    /// `gpu::vander` with so many columns.
    pub fn vander<A: OnDevice<Elem = T>, T: Arithmetic>(x: &A, n: usize, increasing: bool) -> DeviceArray<T::Sum> =>
        powers_of(x.raw(), n, increasing);

    /// `gpu::diagflat` for the diagonal `k`.
    pub fn diagflat<A: OnDevice<Elem = T>, T: Element>(v: &A, k: isize) -> DeviceArray<T> => flat_diagonal(v.raw(), k);

    /// `gpu::logspace` with its keywords.
    pub fn logspace<T: Float>(start: T, stop: T, num: usize, endpoint: bool, base: T) -> DeviceArray<T> => {
        let (start, stop, base) = (start.to_f64(), stop.to_f64(), base.to_f64());
        powers("logspace", start, stop, num, endpoint, base, T::DTYPE)
    };

    /// `gpu::geomspace` with its keywords.
    pub fn geomspace<T: Float>(start: T, stop: T, num: usize, endpoint: bool) -> DeviceArray<T> =>
        multiples(start.to_f64(), stop.to_f64(), num, endpoint, T::DTYPE);

    /// `gpu::frombuffer` of so many elements from a byte on; of all if the count is negative.
    pub fn frombuffer<T: Element>(buffer: &[u8], count: isize, offset: usize) -> DeviceArray<T> =>
        of_buffer(buffer, count, offset, T::DTYPE);

    /// `gpu::append` along an axis.
    pub fn append<A: OnDevice<Elem = T>, T: Element>(arr: &A, values: impl Operand<T>, axis: isize) -> DeviceArray<T> =>
        appended(arr.raw(), values.raw_operand(), Some(axis));

    /// `gpu::delete` along an axis.
    pub fn delete<A: OnDevice<Elem = T>, T: Element>(arr: &A, obj: impl IntoIndices, axis: isize) -> DeviceArray<T> =>
        deleted(arr.raw(), obj.raw_indices(), Some(axis));

    /// `gpu::trim_zeros` at some ends.
    pub fn trim_zeros<A: OnDevice<Elem = T>, T: Element>(filt: &A, trim: &str) -> DeviceArray<T> =>
        trimmed(filt.raw(), trim, None);

    /// `gpu::trim_zeros` at some ends of some axes.
    pub fn trim_zeros_along<A: OnDevice<Elem = T>, T: Element>(filt: &A, trim: &str, axis: impl IntoAxes)
    -> DeviceArray<T> => trimmed(filt.raw(), trim, Some(&axis.into_axes()));

    /// `gpu::pad` with values for the sides.
    pub fn pad_constants<A: OnDevice<Elem = T>, T: Element>(
        a: &A, width: impl IntoPadding, values: impl IntoPadValues<T>
    ) -> DeviceArray<T> => {
        let values = padding::sides(a.raw(), values);
        values.and_then(|values| padding::padded(a.raw(), width.into_padding(a.raw().shape().len()), &Around::Values(values)))
    };

    /// `gpu::pad` with ramps from values for the sides.
    pub fn pad_ramps<A: OnDevice<Elem = T>, T: Element>(
        a: &A, width: impl IntoPadding, values: impl IntoPadValues<T>
    ) -> DeviceArray<T> => {
        let values = padding::sides(a.raw(), values);
        values.and_then(|values| padding::padded(a.raw(), width.into_padding(a.raw().shape().len()), &Around::Ramps(values)))
    };

    /// `gpu::pad` with a statistic of so many elements at the ends.
    pub fn pad_statistic<A: OnDevice<Elem = T>, T: Element>(
        a: &A, width: impl IntoPadding, statistic: Statistic, length: impl IntoPadding
    ) -> DeviceArray<T> => {
        let rank = a.raw().shape().len();
        padding::lengths(a.raw(), length)
            .and_then(|lengths| padding::padded(a.raw(), width.into_padding(rank), &Around::Statistic(statistic, Some(lengths))))
    };

    /// `gpu::pad` with what is mirrored at points.
    pub fn pad_turned<A: OnDevice<Elem = T>, T: Element>(a: &A, width: impl IntoPadding, doubles_edges: bool)
    -> DeviceArray<T> =>
        padding::padded(a.raw(), width.into_padding(a.raw().shape().len()), &Around::Turned { doubles_edges });

    /// `gpu::setdiff1d`, in the order of the first array if its elements are known to be different.
    pub fn setdiff1d<A, B, T>(ar1: &A, ar2: &B, assume_unique: bool) -> DeviceArray<T>
    where A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element =>
        if assume_unique { others_in_order(ar1.raw(), ar2.raw()) } else { only_in_first("setdiff1d", ar1.raw(), ar2.raw()) };

    /// `gpu::rot90` so many times, in a plane of two axes.
    pub fn rot90<A: OnDevice<Elem = T>, T: Element>(m: &A, k: isize, axes: impl IntoAxes) -> DeviceArray<T> =>
        turned(m.raw(), k, &axes.into_axes());

    /// `gpu::rollaxis` to before another axis.
    pub fn rollaxis<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: isize, start: isize) -> DeviceArray<T> =>
        rolled_axis(a.raw(), axis, start);

    /// `gpu::compress` along an axis.
    pub fn compress<A: OnDevice<Elem = T>, T: Element>(condition: &DeviceArray<bool>, a: &A, axis: isize)
    -> DeviceArray<T> => compressed_along("compress", &condition.raw, a.raw(), Some(axis));

    /// `gpu::isin`, or its opposite.
    pub fn isin<A, B, T>(element: &A, test_elements: &B, invert: bool) -> DeviceArray<bool>
    where A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element =>
        membership("isin", element.raw(), test_elements.raw(), invert);

    /// `gpu::lexsort` along an axis.
    pub fn lexsort<'a, A: 'a + OnDevice<Elem: Real>>(keys: impl IntoIterator<Item = &'a A>, axis: isize)
    -> DeviceArray<i64> => {
        let keys: Vec<RawArray> = keys.into_iter().map(|key| key.raw().clone()).collect();
        by_keys("lexsort", &keys, axis)
    };

    /// `gpu::nanargmax` along an axis.
    pub fn nanargmax<A: OnDevice>(a: &A, axis: isize) -> DeviceArray<i64> =>
        places_of_numbers("nanargmax", ReduceOperation::ArgMax, a.raw(), axis);

    /// `gpu::nanargmin` along an axis.
    pub fn nanargmin<A: OnDevice>(a: &A, axis: isize) -> DeviceArray<i64> =>
        places_of_numbers("nanargmin", ReduceOperation::ArgMin, a.raw(), axis);
}

/// The number of elements.
pub fn size<A: OnDevice>(x: &A) -> usize {
    x.raw().size()
}

/// `gpu::fill_diagonal`, perhaps again and again in a tall matrix.
#[track_caller]
pub fn fill_diagonal<T: Element>(a: &mut DeviceArray<T>, val: impl Operand<T>, wrap: bool) {
    check(filled_diagonal(&a.raw, val.raw_operand(), wrap));
}

/// `gpu::fromstring` of so many numbers; of all if the count is negative.
#[track_caller]
pub fn fromstring<T: Element>(string: &str, count: isize, sep: &str) -> DeviceArray<T> {
    check(crate::files::text::numbers(string, count, sep))
}

thin! {
    /// `gpu::insert` along an axis.
    pub fn insert<A: OnDevice<Elem = T>, T: Element>(
        arr: &A, obj: impl IntoIndices, values: impl Operand<T>, axis: isize
    ) -> DeviceArray<T> => inserted(arr.raw(), obj.raw_indices(), values.raw_operand(), Some(axis));

    /// `gpu::array_split` along an axis.
    pub fn array_split<A: OnDevice<Elem = T>, T: Element>(a: &A, sections: impl IntoSections, axis: isize)
    -> Vec<DeviceArray<T>> =>
        cut("array_split", a.raw(), &sections.into_sections(), axis, false);

    /// `gpu::sliding_window_view` along some axes.
    pub fn sliding_window_view<A: OnDevice<Elem = T>, T: Element>(
        x: &A, window_shape: impl IntoShape, axis: impl IntoAxes
    ) -> DeviceArray<T> => windows(x.raw(), &window_shape.into_shape(), Some(&axis.into_axes()));
}

/// `gpu::copyto` where a mask is true.
#[track_caller]
pub fn copyto<T: Element>(dst: &mut DeviceArray<T>, src: impl Operand<T>, mask: &DeviceArray<bool>) {
    check(copied_where(&dst.raw, src.raw_operand(), &mask.raw));
}

/// `gpu::choose` where indices count on from the first choice again.
#[track_caller]
pub fn choose_wrapped<I, C, T>(a: &DeviceArray<I>, choices: impl IntoIterator<Item = C>) -> DeviceArray<T>
where
    I: Index + Element,
    C: Operand<T>,
    T: Element,
{
    choose_with(a, choices, Outside::Wrapped)
}

/// `gpu::choose` where indices that name no choice name the first or the last.
#[track_caller]
pub fn choose_clipped<I, C, T>(a: &DeviceArray<I>, choices: impl IntoIterator<Item = C>) -> DeviceArray<T>
where
    I: Index + Element,
    C: Operand<T>,
    T: Element,
{
    choose_with(a, choices, Outside::Clipped)
}

/// `gpu::put` where indices count on from the first element again.
#[track_caller]
pub fn put_wrapped<T: Element>(a: &mut DeviceArray<T>, ind: impl IntoIndices, v: impl Operand<T>) {
    check(put_with(&a.raw, ind.raw_indices(), v.raw_operand(), Outside::Wrapped));
}

/// `gpu::put` where indices that are out of range name the first element or the last.
#[track_caller]
pub fn put_clipped<T: Element>(a: &mut DeviceArray<T>, ind: impl IntoIndices, v: impl Operand<T>) {
    check(put_with(&a.raw, ind.raw_indices(), v.raw_operand(), Outside::Clipped));
}

/// `gpu::select` with a value for where no condition is true.
#[track_caller]
pub fn select<'a, C: Operand<T>, T: Element>(
    condlist: impl IntoIterator<Item = &'a DeviceArray<bool>>,
    choicelist: impl IntoIterator<Item = C>,
    default: T,
) -> DeviceArray<T> {
    select_or(condlist, choicelist, default.to_scalar())
}

thin! {
    /// `gpu::diag_indices` of an array with so many axes.
    pub fn diag_indices(n: usize, ndim: usize) -> Vec<DeviceArray<i64>> => diagonal("diag_indices", n, ndim);

    /// `gpu::tril_indices` of a matrix that may not be square, up to the diagonal `k`.
    pub fn tril_indices(n: usize, k: isize, m: usize) -> Vec<DeviceArray<i64>> =>
        triangle("tril_indices", [n, m], k, false);

    /// `gpu::triu_indices` of a matrix that may not be square, from the diagonal `k` on.
    pub fn triu_indices(n: usize, k: isize, m: usize) -> Vec<DeviceArray<i64>> =>
        triangle("triu_indices", [n, m], k, true);

    /// `gpu::tril_indices_from` up to the diagonal `k`.
    pub fn tril_indices_from<A: OnDevice>(arr: &A, k: isize) -> Vec<DeviceArray<i64>> =>
        triangle_of("tril_indices_from", arr.raw(), k, false);

    /// `gpu::triu_indices_from` from the diagonal `k` on.
    pub fn triu_indices_from<A: OnDevice>(arr: &A, k: isize) -> Vec<DeviceArray<i64>> =>
        triangle_of("triu_indices_from", arr.raw(), k, true);
}
