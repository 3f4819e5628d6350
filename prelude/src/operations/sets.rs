//! Arrays as sets: what both have, what one of them has, and whether an element is in the other. By sorting, but where few are looked for.

use crate::array::axes::axis_of;
use crate::array::grids::numbers;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, join, slice_axis};
use crate::backend::{BinaryOperation, Layout, Operand, ReduceOperation, ScanOperation, UnaryOperation};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Result, check};
use crate::operations::complex_order;
use crate::operations::composing::Composed;
use crate::operations::elementwise::{binary, unary};
use crate::operations::indexing::parts;
use crate::operations::ordering::by_keys;
use crate::operations::reduce::reduce;
use crate::operations::scan::scan_axis;
use crate::operations::selection::{compressed, flat_positions};
use crate::operations::sorting::{Side, runs, search, sorted_rows};
use crate::thin::thin;

thin! {
    /// Whether each element is one of `test_elements`, an array of any shape; NumPy's `isin`. `gpu::isin!(&a, &b, invert =
    /// true)` says whether it is none of them. NaN is in no array, as it does not equal itself. Queued.
    ///
    /// **Panics** if the arrays are on different devices.
    ///
    /// By comparing each of up to eight `test_elements`; more are sorted, and searched by bisection.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let found = gpu::isin(&gpu::array(&[[1, 2], [3, 4]]), &gpu::array(&[4, 1, 7]));
    /// assert_eq!(found.ravel().tolist(), [true, false, false, true]);
    /// ```
    pub fn isin<A, B, T>(element: &A, test_elements: &B) -> DeviceArray<bool>
    where A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element =>
        membership("isin", element.raw(), test_elements.raw(), false);

    /// As [`isin`], in row-major order along one axis. NumPy's `in1d`, which NumPy 2.4 no longer has, and CuPy has.
    ///
    /// **Panics** as [`isin`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let found = gpu::in1d(&gpu::array(&[[1, 2], [3, 4]]), &gpu::array(&[4, 1]));
    /// assert_eq!(found.tolist(), [true, false, false, true]);
    /// ```
    pub fn in1d<A, B, T>(ar1: &A, ar2: &B) -> DeviceArray<bool>
    where A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element =>
        ar1.raw().flat("in1d").and_then(|flat| membership("in1d", &flat, ar2.raw(), false));
}

macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident = $core:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<A, B, T>(ar1: &A, ar2: &B) -> DeviceArray<T>
        where
            A: OnDevice<Elem = T>,
            B: OnDevice<Elem = T>,
            T: Element,
        {
            DeviceArray::from_raw(check($core(stringify!($name), ar1.raw(), ar2.raw())))
        }
    )*};
}
sets! {
    /// The elements that both arrays have, each once, ascending; 1-D. The arrays have any shape. NumPy's `intersect1d`. Waits,
    /// for their number.
    ///
    /// **Panics** if the arrays are on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::intersect1d(&gpu::array(&[3, 1, 3, 2]), &gpu::array(&[5, 3, 2])).tolist(), [2, 3]);
    /// ```
    intersect1d = in_both;
    /// The elements of the first array that the second one has not, each once, ascending; 1-D. The arrays have any shape.
    /// NumPy's `setdiff1d`. Waits, for their number.
    ///
    /// **Panics** if the arrays are on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::setdiff1d(&gpu::array(&[3, 1, 3, 2]), &gpu::array(&[5, 3])).tolist(), [1, 2]);
    /// ```
    setdiff1d = only_in_first;
    /// The elements that one of the arrays has and the other has not, each once, ascending; 1-D. The arrays have any shape.
    /// NumPy's `setxor1d`. Waits, for their number.
    ///
    /// **Panics** if the arrays are on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::setxor1d(&gpu::array(&[3, 1, 3]), &gpu::array(&[5, 3])).tolist(), [1, 5]);
    /// ```
    setxor1d = in_one;
    /// The elements that one of the arrays or both have, each once, ascending; 1-D. The arrays have any shape. NumPy's
    /// `union1d`. Waits, for their number.
    ///
    /// **Panics** if the arrays are on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::union1d(&gpu::array(&[3, 1, 3]), &gpu::array(&[5, 3])).tolist(), [1, 3, 5]);
    /// ```
    union1d = in_either;
}

/// The distinct elements, as of [`unique`](fn@crate::unique); NumPy's `unique_values`, but that all NaN are one element here.
/// Waits.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::unique_values(&gpu::array(&[5, 3, 5])).tolist(), [3, 5]);
/// ```
#[track_caller]
pub fn unique_values<A: OnDevice<Elem = T>, T: Element>(x: &A) -> DeviceArray<T> {
    DeviceArray::from_raw(check(runs("unique_values", x.raw())).0)
}

/// The distinct elements, as of [`unique`](fn@crate::unique); where each is first among all elements in row-major order; for
/// each element of the array, in its shape, the position of its equal among the distinct ones; and how often each is there.
/// NumPy's `unique_all`, but that all NaN are one element here. Waits.
///
/// ```
/// use warpcell as gpu;
/// let (values, first, inverse, counts) = gpu::unique_all(&gpu::array(&[5, 3, 5, 4]));
/// assert_eq!((values.tolist(), first.tolist()), (vec![3, 4, 5], vec![1, 3, 0]));
/// assert_eq!((inverse.tolist(), counts.tolist()), (vec![2, 0, 2, 1], vec![1, 1, 2]));
/// ```
#[track_caller]
#[allow(clippy::type_complexity)] // Four arrays, as NumPy gives them.
pub fn unique_all<A: OnDevice<Elem = T>, T: Element>(
    x: &A,
) -> (DeviceArray<T>, DeviceArray<i64>, DeviceArray<i64>, DeviceArray<i64>) {
    let [values, first, inverse, counts] = check(unique_parts("unique_all", x.raw()));
    (
        DeviceArray::from_raw(values),
        DeviceArray::from_raw(first),
        DeviceArray::from_raw(inverse),
        DeviceArray::from_raw(counts),
    )
}

fn unique_parts(name: &'static str, x: &RawArray) -> Result<[RawArray; 4]> {
    let (values, starts) = runs(name, x)?;
    let count = values.size();
    let (begins, ends) = (slice_axis(&starts, 0, 0, 1, count), slice_axis(&starts, 0, 1, 1, count));
    let counts = binary(name, BinaryOperation::Subtract, &ends, &begins)?;
    // Of equal elements the order keeps the first in front.
    let order = sorted_rows(name, &x.flat(name)?, true)?;
    let first = parts(name, &order, 0, &begins)?;
    let inverse = search(name, &values, x, Side::Left)?;
    Ok([values, first, inverse, counts])
}

/// Whether each element is one of `tests`, or none of them.
pub(crate) fn membership(name: &'static str, x: &RawArray, tests: &RawArray, is_inverted: bool) -> Result<RawArray> {
    x.same_device(name, tests)?;
    if !(1..=FEW).contains(&tests.size()) {
        return contained(name, x, &sorted_rows(name, &tests.flat(name)?, false)?, is_inverted);
    }
    let found = one_of_few(name, x, &tests.flat(name)?)?;
    if is_inverted { unary(name, UnaryOperation::LogicalNot, &found) } else { Ok(found) }
}

/// With no more than so many, each is compared; more are sorted.
const FEW: usize = 8;

/// Whether each element is in a 1-D array that has few.
fn one_of_few(name: &'static str, x: &RawArray, tests: &RawArray) -> Result<RawArray> {
    let equal = |place: usize| {
        let one = tests.with_layout(Layout { shape: vec![], strides: vec![], offset: tests.layout.offset + place });
        binary(name, BinaryOperation::Equal, x, &one)
    };
    (1..tests.size())
        .try_fold(equal(0)?, |found, place| binary(name, BinaryOperation::LogicalOr, &found, &equal(place)?))
}

/// Whether each element is in a 1-D array, which is sorted, or is not.
fn contained(name: &'static str, x: &RawArray, sorted: &RawArray, is_inverted: bool) -> Result<RawArray> {
    x.same_device(name, sorted)?;
    RawArray::written(name, &x.handle, x.shape(), DType::Bool, |out| {
        let whole = |array: &RawArray| array.to_compute_type(name)?.contiguous(name);
        let (sorted, x) = (whole(sorted)?, whole(x)?);
        if x.dtype.is_complex() {
            return assign(name, out, &complex_order::is_in(name, &sorted, &x, is_inverted)?);
        }
        out.handle.backend.contains(sorted.view(), x.view(), is_inverted, out.view())
    })
}

/// The distinct elements of the first array that are in the second one, or that are not; those of the second are ascending.
fn sifted(name: &'static str, unique: &RawArray, sorted: &RawArray, is_in: bool) -> Result<RawArray> {
    compressed(name, &contained(name, unique, sorted, !is_in)?, Some(unique))
}

fn in_both(name: &'static str, a: &RawArray, b: &RawArray) -> Result<RawArray> {
    a.same_device(name, b)?;
    sifted(name, &runs(name, a)?.0, &sorted_rows(name, &b.flat(name)?, false)?, true)
}

/// The elements of the first array that the second one has not, in their order.
pub(crate) fn others_in_order(a: &RawArray, b: &RawArray) -> Result<RawArray> {
    const NAME: &str = "setdiff1d";
    a.same_device(NAME, b)?;
    sifted(NAME, &a.flat(NAME)?, &sorted_rows(NAME, &b.flat(NAME)?, false)?, false)
}

pub(crate) fn only_in_first(name: &'static str, a: &RawArray, b: &RawArray) -> Result<RawArray> {
    a.same_device(name, b)?;
    sifted(name, &runs(name, a)?.0, &sorted_rows(name, &b.flat(name)?, false)?, false)
}

fn in_one(name: &'static str, a: &RawArray, b: &RawArray) -> Result<RawArray> {
    a.same_device(name, b)?;
    let (a, b) = (runs(name, a)?.0, runs(name, b)?.0);
    let both = join(name, &[sifted(name, &a, &b, false)?, sifted(name, &b, &a, false)?], 0)?;
    sorted_rows(name, &both, false)
}

fn in_either(name: &'static str, a: &RawArray, b: &RawArray) -> Result<RawArray> {
    Ok(runs(name, &join(name, &[a.flat(name)?, b.flat(name)?], 0)?)?.0)
}

/// The distinct parts along an axis, in the order that their elements have from the first on; of each the first place, for each part
/// of the array its place among them, and of each how often it occurs. A part with NaN is equal to no other one, as in NumPy.
pub(crate) fn unique_along(x: &RawArray, axis: isize) -> Result<[RawArray; 4]> {
    const NAME: &str = "unique";
    let axis = axis_of(NAME, x.shape(), axis)?;
    let calc = Composed(NAME);
    let moved = x.moved(axis, 0);
    let (count, width) = (x.shape()[axis], moved.shape()[1..].iter().product());
    let rows = calc.shaped(&moved, &[count, width])?;
    // The first key is the least important one.
    let columns: Vec<RawArray> = (0..width).rev().map(|at| column(&rows, at)).collect();
    let order = if width == 0 { numbers(NAME, &x.handle, count)? } else { by_keys(NAME, &columns, 0)? };
    let sorted = parts(NAME, &rows, 0, &order)?;
    let is_new = RawArray::filled(NAME, &x.handle, &[count], Scalar::Bool(true))?;
    if count > 1 {
        let [before, here] = [0, 1].map(|start| slice_axis(&sorted, 0, start, 1, count - 1));
        let differ = calc.pair(BinaryOperation::NotEqual, &here, &before)?;
        assign(NAME, &slice_axis(&is_new, 0, 1, 1, count - 1), &reduce(NAME, ReduceOperation::Any, &differ, &[1])?)?;
    }
    let begins = flat_positions(NAME, &is_new)?;
    let found = begins.size();
    let first = parts(NAME, &order, 0, &begins)?;
    // The number of the group of each part in that order, which is put where the part was.
    let groups = calc.with(
        BinaryOperation::Subtract,
        &scan_axis(NAME, ScanOperation::Sum, &is_new, 0)?.converted(NAME, DType::I64)?,
        1.0,
    )?;
    let inverse = RawArray::uninitialised(NAME, &x.handle, &[count], DType::I64)?;
    if count > 0 {
        x.handle.backend.scatter(Operand::Array(groups.view()), 0, order.view(), inverse.view())?;
    }
    let end = RawArray::filled(NAME, &x.handle, &[1], Scalar::I64(count as i64))?;
    let ends = join(NAME, &[slice_axis(&begins, 0, found.min(1), 1, found.saturating_sub(1)), end], 0)?;
    let counts = calc.pair(BinaryOperation::Subtract, &slice_axis(&ends, 0, 0, 1, found), &begins)?;
    let shape = [&[found], &moved.shape()[1..]].concat();
    let values = calc.shaped(&parts(NAME, &sorted, 0, &begins)?, &shape)?.moved(0, axis).copied(NAME)?;
    Ok([values, first, inverse, counts])
}

/// A column of a matrix.
fn column(rows: &RawArray, at: usize) -> RawArray {
    let column = slice_axis(rows, 1, at, 1, 1);
    let Layout { shape, strides, offset } = column.layout.clone();
    column.with_layout(Layout { shape: vec![shape[0]], strides: vec![strides[0]], offset })
}

/// The elements that are in both arrays, and where each is first in the one and in the other.
pub(crate) fn places_of_common(x: &RawArray, y: &RawArray) -> Result<[RawArray; 3]> {
    const NAME: &str = "intersect1d";
    x.same_device(NAME, y)?;
    let [values, first, ..] = unique_parts(NAME, x)?;
    let [others, first_of_others, ..] = unique_parts(NAME, y)?;
    let chosen = |values: &RawArray, others: &RawArray, first: &RawArray| -> Result<[RawArray; 2]> {
        let places = flat_positions(NAME, &membership(NAME, values, others, false)?)?;
        Ok([parts(NAME, values, 0, &places)?, parts(NAME, first, 0, &places)?])
    };
    let [common, of_x] = chosen(&values, &others, &first)?;
    let [_, of_y] = chosen(&others, &values, &first_of_others)?;
    Ok([common, of_x, of_y])
}
