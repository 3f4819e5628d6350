//! Sorting, and what sorted arrays are asked: where values belong, which are distinct.

use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, slice_axis};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, best_or_general};
use crate::dtype::{DType, Element, Real, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::complex_order;
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::reduce::reduce_all;
use crate::thin::thin;

fallible! {
    /// A new array with the elements in ascending order along the last axis; NumPy's `sort`.
    ///
    /// Any shape with an axis, any dtype. NaN comes last; -0.0 comes before 0.0. Complex numbers are ordered by their real parts,
    /// then by their imaginary parts. Queued.
    ///
    /// **Panics** if the array has no axis ([`Error::InvalidShape`]).
    ///
    /// By radix sort: how the values are distributed makes little difference.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[3.0, f64::NAN, 1.0], [-1.0, 0.0, -2.0]]);
    /// println!("{}", gpu::sort(&a));
    /// assert_eq!(gpu::sort(&gpu::array(&[3, 1, 2])).to_host(), ndarray::arr1(&[1, 2, 3]).into_dyn());
    /// ```
    pub fn sort, try_sort<A: OnDevice<Elem = T>, T: Element>(a: &A) -> Result<DeviceArray<T>> {
        along("sort", a.raw(), -1, false).map(DeviceArray::from_raw)
    }
}

thin! {
    /// As [`sort`], along another axis; negative axes count from the last, -1.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[3, 1], [2, 4]]);
    /// assert_eq!(gpu::sort_axis(&a, 0).to_host(), ndarray::arr2(&[[2, 1], [3, 4]]).into_dyn());
    /// ```
    pub fn sort_axis<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: isize) -> DeviceArray<T> =>
        along("sort_axis", a.raw(), axis, false);

    /// The positions that the elements have in ascending order along the last axis; NumPy's `argsort` with `stable=True`:
    /// those of equal elements ascend.
    ///
    /// Any shape with an axis, any dtype. NaN comes last; -0.0 equals 0.0. Queued.
    ///
    /// **Panics** if the array has no axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let order = gpu::argsort(&gpu::array(&[0.5, 0.25, 0.5, 0.0]));
    /// assert_eq!(order.to_host(), ndarray::arr1(&[3i64, 1, 0, 2]).into_dyn());
    /// ```
    pub fn argsort<A: OnDevice>(a: &A) -> DeviceArray<i64> => along("argsort", a.raw(), -1, true);

    /// As [`argsort`], along another axis; negative axes count from the last, -1.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[3, 1], [2, 4]]);
    /// assert_eq!(gpu::argsort_axis(&a, 0).to_host(), ndarray::arr2(&[[1i64, 0], [0, 1]]).into_dyn());
    /// ```
    pub fn argsort_axis<A: OnDevice>(a: &A, axis: isize) -> DeviceArray<i64> =>
        along("argsort_axis", a.raw(), axis, true);
}

/// On which side of equal elements a value belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before them.
    Left,
    /// Behind them.
    Right,
}

/// Where each value would have to be put into a sorted 1-D array so that it stays sorted; NumPy's `searchsorted`.
///
/// `values` are an array or a number. The result has the shape of `values`: the number of elements of `sorted` that are less ([`Side::Left`]), or less or equal
/// ([`Side::Right`]). NaN is greater than all others. Queued. What an array that is not sorted gives is unspecified.
///
/// **Panics** if `sorted` is not 1-D ([`Error::InvalidShape`]), or the arrays are on different devices.
///
/// By bisection, one value a thread.
///
/// ```
/// use warpcell as gpu;
/// use gpu::Side;
/// let (sorted, values) = (gpu::array(&[1, 2, 2, 3]), gpu::array(&[0, 2, 5]));
/// assert_eq!(gpu::searchsorted(&sorted, &values, Side::Left).to_host(), ndarray::arr1(&[0i64, 1, 4]).into_dyn());
/// assert_eq!(gpu::searchsorted(&sorted, &values, Side::Right).to_host(), ndarray::arr1(&[0i64, 3, 4]).into_dyn());
/// ```
#[track_caller]
pub fn searchsorted<A, T>(sorted: &A, values: impl Operand<T>, side: Side) -> DeviceArray<i64>
where
    A: OnDevice<Elem = T>,
    T: Element,
{
    DeviceArray::from_raw(check(searched(sorted.raw(), values.raw_operand(), side)))
}

/// `searchsorted` of an array, or of a number.
pub(crate) fn searched(sorted: &RawArray, values: RawOperand<'_>, side: Side) -> Result<RawArray> {
    const NAME: &str = "searchsorted";
    match values {
        RawOperand::Array(values) => search(NAME, sorted, values, side),
        RawOperand::Scalar(value) => search(NAME, sorted, &RawArray::filled(NAME, &sorted.handle, &[], value)?, side),
    }
}

/// The number of the bin that each value falls into: `i` where `bins[i - 1] <= value < bins[i]`, 0 before the first edge and
/// as many as there are edges behind the last; NumPy's `digitize`.
///
/// `bins` is 1-D and ascends or descends; if it descends, the condition is `bins[i - 1] > value >= bins[i]`. Waits, to look
/// whether it does.
///
/// **Panics** if `bins` is not 1-D ([`Error::InvalidShape`]) or does neither ([`Error::InvalidArgument`]), or the arrays are
/// on different devices.
///
/// ```
/// use warpcell as gpu;
/// let numbers = gpu::digitize(&gpu::array(&[0.2, 6.4, 3.0, 1.0]), &gpu::array(&[0.0, 1.0, 2.5, 4.0, 10.0]));
/// assert_eq!(numbers.to_host(), ndarray::arr1(&[1i64, 4, 3, 2]).into_dyn());
/// ```
#[track_caller]
pub fn digitize<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Real>(a: &A, bins: &B) -> DeviceArray<i64> {
    digitize_with(a, bins, Side::Left)
}

/// As [`digitize`], with a choice of which edge belongs to a bin: the left one, as there, or the right one (NumPy's
/// `right=True`): `i` where `bins[i - 1] < value <= bins[i]`.
///
/// **Panics** as [`digitize`] does.
///
/// ```
/// use warpcell as gpu;
/// let numbers = gpu::digitize_with(&gpu::array(&[1, 2, 3]), &gpu::array(&[1, 2]), gpu::Side::Right);
/// assert_eq!(numbers.to_host(), ndarray::arr1(&[0i64, 1, 2]).into_dyn());
/// ```
#[track_caller]
pub fn digitize_with<A, B, T>(a: &A, bins: &B, closed: Side) -> DeviceArray<i64>
where
    A: OnDevice<Elem = T>,
    B: OnDevice<Elem = T>,
    T: Real,
{
    DeviceArray::from_raw(check(bin_numbers(a.raw(), bins.raw(), closed)))
}

/// The distinct elements of an array of any shape, ascending; NumPy's `unique`. All NaN are one element, and 0.0 is -0.0.
/// Waits, for their number.
///
/// By sorting.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[3, 1], [1, 2]]);
/// assert_eq!(gpu::unique(&a).to_host(), ndarray::arr1(&[1, 2, 3]).into_dyn());
/// ```
#[track_caller]
pub fn unique<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> {
    DeviceArray::from_raw(check(runs("unique", a.raw())).0)
}

/// The distinct elements, as of [`unique`], and how often each is there; NumPy's `unique_counts`, but that all NaN are one
/// element here. Waits.
///
/// ```
/// use warpcell as gpu;
/// let (values, counts) = gpu::unique_counts(&gpu::array(&[5, 3, 5, 5]));
/// assert_eq!(values.to_host(), ndarray::arr1(&[3, 5]).into_dyn());
/// assert_eq!(counts.to_host(), ndarray::arr1(&[1i64, 3]).into_dyn());
/// ```
#[track_caller]
pub fn unique_counts<A: OnDevice<Elem = T>, T: Element>(a: &A) -> (DeviceArray<T>, DeviceArray<i64>) {
    let (values, counts) = check(run_lengths("unique_counts", a.raw()));
    (DeviceArray::from_raw(values), DeviceArray::from_raw(counts))
}

/// The distinct elements, as of [`unique`], and for each element of the array, in its shape, the position of its equal among
/// them; NumPy's `unique_inverse`, but that all NaN are one element here. Waits.
///
/// ```
/// use warpcell as gpu;
/// let (values, inverse) = gpu::unique_inverse(&gpu::array(&[5, 3, 5, 4]));
/// assert_eq!(values.to_host(), ndarray::arr1(&[3, 4, 5]).into_dyn());
/// assert_eq!(inverse.to_host(), ndarray::arr1(&[2i64, 0, 2, 1]).into_dyn());
/// ```
#[track_caller]
pub fn unique_inverse<A: OnDevice<Elem = T>, T: Element>(a: &A) -> (DeviceArray<T>, DeviceArray<i64>) {
    let (values, inverse) = check(places("unique_inverse", a.raw()));
    (DeviceArray::from_raw(values), DeviceArray::from_raw(inverse))
}

/// The array sorted along an axis, or the positions in that order.
pub(super) fn along(operation: &'static str, x: &RawArray, axis: isize, positions: bool) -> Result<RawArray> {
    let axis = axis_of(operation, x.shape(), axis)?;
    let last = x.shape().len() - 1;
    let out = sorted_rows(operation, &x.moved(axis, last), positions)?;
    if axis == last { Ok(out) } else { out.moved(last, axis).copied(operation) }
}

/// A new contiguous array with each row along the last axis, which there is, sorted; or the positions in that order.
pub(crate) fn sorted_rows(operation: &'static str, x: &RawArray, positions: bool) -> Result<RawArray> {
    if !positions {
        return rows_in_order(operation, x, None);
    }
    if x.dtype.is_complex() {
        return complex_order::order_of_rows(operation, x);
    }
    if x.dtype.is_storage() {
        return sorted_rows(operation, &x.to_compute_type(operation)?, true);
    }
    RawArray::written(operation, &x.handle, x.shape(), DType::I64, |out| {
        let x = x.contiguous(operation)?;
        x.handle.backend.argsort(x.view(), out.view())
    })
}

/// A new contiguous array with the elements of each row, of which those at some places are the ones of the sorted row; before each of
/// these stands what is not greater, and behind it what is not less.
pub(super) fn parted_rows(operation: &'static str, x: &RawArray, places: [usize; 3]) -> Result<RawArray> {
    rows_in_order(operation, x, Some(places))
}

/// The elements at some places, which ascend, of each sorted row: as three columns, if the device finds them without sorting.
pub(super) fn selected_rows(operation: &'static str, x: &RawArray, places: [usize; 3]) -> Result<Option<RawArray>> {
    let (&length, rows) = x.shape().split_last().expect("there is an axis");
    if x.size() == 0 || !x.handle.backend.selects(rows.iter().product(), length) {
        return Ok(None);
    }
    if x.dtype.is_storage() {
        let found = selected_rows(operation, &x.to_compute_type(operation)?, places)?;
        return found.map(|found| found.converted(operation, x.dtype)).transpose();
    }
    let x = x.contiguous(operation)?;
    let backend = &x.handle.backend;
    let select = || {
        let out = RawArray::uninitialised(operation, &x.handle, &[rows, &[places.len()]].concat(), x.dtype)?;
        backend.select(x.view(), places, out.view()).map(|()| Some(out))
    };
    best_or_general(&**backend, select, || sorted_rows(operation, &x, false).map(|_| None))
}

fn rows_in_order(operation: &'static str, x: &RawArray, places: Option<[usize; 3]>) -> Result<RawArray> {
    if x.dtype.is_complex() {
        return complex_order::rearranged(operation, x, &complex_order::order_of_rows(operation, x)?);
    }
    if x.dtype.is_storage() {
        return rows_in_order(operation, &x.to_compute_type(operation)?, places)?.converted(operation, x.dtype);
    }
    RawArray::written(operation, &x.handle, x.shape(), x.dtype, |out| {
        let x = x.contiguous(operation)?;
        x.handle.backend.sort(x.view(), places, out.view())
    })
}

pub(crate) fn search(operation: &'static str, sorted: &RawArray, values: &RawArray, side: Side) -> Result<RawArray> {
    sorted.same_device(operation, values)?;
    if sorted.shape().len() != 1 {
        let reason = "is not 1-D; the array to search in must be 1-D and sorted: use `ravel` and `sort` first";
        return Err(Error::shape(operation, sorted.shape(), reason));
    }
    RawArray::written(operation, &values.handle, values.shape(), DType::I64, |out| {
        let whole = |array: &RawArray| array.to_compute_type(operation)?.contiguous(operation);
        let (sorted, values) = (whole(sorted)?, whole(values)?);
        let right = side == Side::Right;
        if values.dtype.is_complex() {
            return assign(operation, out, &complex_order::found_in(operation, &sorted, &values, right)?);
        }
        out.handle.backend.search_sorted(sorted.view(), values.view(), right, out.view())
    })
}

fn bin_numbers(x: &RawArray, bins: &RawArray, closed: Side) -> Result<RawArray> {
    let operation = "digitize";
    let side = if closed == Side::Left { Side::Right } else { Side::Left };
    let count = bins.size();
    let ordered = |comparison: BinaryOperation| -> Result<bool> {
        if count < 2 || bins.shape().len() != 1 {
            return Ok(true);
        }
        let (before, behind) = (slice_axis(bins, 0, 0, 1, count - 1), slice_axis(bins, 0, 1, 1, count - 1));
        let pairs = binary(operation, comparison, &before, &behind)?;
        Ok(reduce_all(operation, ReduceOperation::All, &pairs)? == Scalar::Bool(true))
    };
    if ordered(BinaryOperation::LessEqual)? {
        return search(operation, bins, x, side);
    }
    if !ordered(BinaryOperation::GreaterEqual)? {
        return Err(Error::argument(operation, "the bins are neither ascending nor descending; sort them first"));
    }
    let Layout { shape, strides, offset } = &bins.layout;
    let last = offset.checked_add_signed(strides[0] * (count - 1) as isize).expect("within the allocation");
    let ascending = bins.with_layout(Layout { shape: shape.clone(), strides: vec![-strides[0]], offset: last });
    let found = search(operation, &ascending, x, side)?;
    binary(operation, BinaryOperation::Subtract, Scalar::I64(count as i64), &found)
}

/// The distinct elements, and where each one's run begins among the sorted elements, with their number behind.
pub(super) fn runs(operation: &'static str, x: &RawArray) -> Result<(RawArray, RawArray)> {
    if x.dtype.is_storage() {
        let (values, starts) = runs(operation, &x.to_compute_type(operation)?)?;
        return Ok((values.converted(operation, x.dtype)?, starts));
    }
    x.handle.may_wait(operation)?;
    let sorted = sorted_rows(operation, &x.flat(operation)?, false)?;
    if sorted.size() == 0 {
        return Ok((sorted, RawArray::filled(operation, &x.handle, &[1], Scalar::I64(0))?));
    }
    if sorted.dtype.is_complex() {
        return complex_order::runs_of(operation, &sorted);
    }
    let found = sorted.handle.backend.unique(sorted.view())?;
    let array = |allocation, count, dtype| RawArray {
        handle: x.handle.clone(),
        allocation,
        layout: Layout::contiguous(&[count]),
        dtype,
    };
    Ok((array(found.elements, found.count, x.dtype), array(found.starts, found.count + 1, DType::I64)))
}

fn run_lengths(operation: &'static str, x: &RawArray) -> Result<(RawArray, RawArray)> {
    let (values, starts) = runs(operation, x)?;
    let (begins, ends) = (slice_axis(&starts, 0, 0, 1, values.size()), slice_axis(&starts, 0, 1, 1, values.size()));
    let counts = binary(operation, BinaryOperation::Subtract, &ends, &begins)?;
    Ok((values, counts))
}

fn places(operation: &'static str, x: &RawArray) -> Result<(RawArray, RawArray)> {
    let values = runs(operation, x)?.0;
    let places = search(operation, &values, x, Side::Left)?;
    Ok((values, places))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{array, asarray, full};

    /// A small generator, whose quality does not matter here.
    fn numbers(count: usize, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let step = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            Some(state)
        };
        std::iter::from_fn(step).take(count).collect()
    }

    /// Sorts and argsorts rows, and compares with the standard library.
    fn check_rows<T: Real>(values: &[T], length: usize, order: impl Fn(&T, &T) -> std::cmp::Ordering) {
        let rows = values.len() / length;
        let a = asarray(values).reshape((rows, length));
        let (sorted, positions) = (sort(&a).to_host(), argsort(&a).to_host());
        for row in 0..rows {
            let own = &values[row * length..][..length];
            let mut expected: Vec<usize> = (0..length).collect();
            expected.sort_by(|&i, &j| order(&own[i], &own[j]));
            for (place, &index) in expected.iter().enumerate() {
                assert_eq!(positions[[row, place]], index as i64, "{} {length} row {row} place {place}", T::DTYPE);
                assert!(order(&sorted[[row, place]], &own[index]).is_eq(), "{} {length}", T::DTYPE);
            }
        }
    }

    /// As NumPy orders floats.
    fn of_floats<T: Real>(a: &T, b: &T) -> std::cmp::Ordering {
        a.partial_cmp(b).unwrap_or_else(|| (a.partial_cmp(a).is_none()).cmp(&b.partial_cmp(b).is_none()))
    }

    #[test]
    fn rows_of_all_lengths_and_types() {
        // By comparison, by digits on one thread, and on all.
        for (length, rows) in [(1, 5), (2, 40), (192, 7), (193, 7), (5000, 9), (40_000, 1), (140_000, 2), (300_000, 1)]
        {
            let words = numbers(length * rows, length as u64 + 1);
            let of = |word: u64| if word.is_multiple_of(3) { word } else { word % 1000 };
            let signed =
                |word: u64| if word.is_multiple_of(2) { of(word) as i64 } else { (of(word) as i64).wrapping_neg() };
            let float = |word: u64| match word % 50 {
                0 => f64::NAN,
                1 => -f64::NAN,
                2 => f64::INFINITY,
                3 => f64::NEG_INFINITY,
                4 => 0.0,
                5 => -0.0,
                _ => signed(word) as f64 / 64.0,
            };
            check_rows(&words.iter().map(|&word| word % 2 == 0).collect::<Vec<bool>>(), length, Ord::cmp);
            check_rows(&words.iter().map(|&word| word as u8).collect::<Vec<u8>>(), length, Ord::cmp);
            check_rows(&words.iter().map(|&word| signed(word) as i32).collect::<Vec<i32>>(), length, Ord::cmp);
            check_rows(&words.iter().map(|&word| of(word) as u32).collect::<Vec<u32>>(), length, Ord::cmp);
            check_rows(&words.iter().map(|&word| signed(word)).collect::<Vec<i64>>(), length, Ord::cmp);
            check_rows(&words.iter().map(|&word| of(word)).collect::<Vec<u64>>(), length, Ord::cmp);
            check_rows(&words.iter().map(|&word| float(word) as f32).collect::<Vec<f32>>(), length, of_floats);
            check_rows(&words.iter().map(|&word| float(word)).collect::<Vec<f64>>(), length, of_floats);
        }
    }

    #[test]
    fn keys_that_share_their_digits() {
        let equal = full(200_000, 7i32);
        assert_eq!(sort(&equal).to_host(), equal.to_host());
        assert_eq!(argsort(&equal).to_host(), crate::arange(200_000i64).to_host());
        // One digit, two, three that differ, the others alike.
        for shift in [0, 8, 40] {
            for mask in [0xff, 0xffff, 0xff_ffff] {
                let values: Vec<u64> = numbers(150_000, 3).iter().map(|word| (word & mask) << shift).collect();
                check_rows(&values, values.len(), Ord::cmp);
            }
        }
    }

    #[test]
    fn keys_in_clusters() {
        // Bins that are cut again, once and many times, and outliers.
        let words = numbers(200_000, 5);
        let three: Vec<u64> = words.iter().map(|&word| ((word % 3) << 60) | (word >> 8 & 0xffff)).collect();
        check_rows(&three, three.len(), Ord::cmp);
        let logarithmic: Vec<u64> = words.iter().map(|&word| word >> (word % 64)).collect();
        check_rows(&logarithmic, logarithmic.len(), Ord::cmp);
        let mut outliers: Vec<u32> = words.iter().map(|&word| 1 << 20 | (word >> 40) as u32 & 0xfff).collect();
        (outliers[77], outliers[777]) = (0, u32::MAX);
        check_rows(&outliers, outliers.len(), Ord::cmp);
    }

    #[test]
    fn edges() {
        assert_eq!(sort(&crate::zeros::<f32>(0)).shape(), [0]);
        assert_eq!(argsort(&crate::zeros::<f32>((3, 0))).shape(), [3, 0]);
        assert_eq!(sort_axis(&crate::zeros::<f32>((0, 3)), 0).shape(), [0, 3]);
        let error = try_sort(&full((), 1.0)).err().unwrap().to_string();
        assert!(error.contains("sort: the shape [] has no axis -1"), "{error}");
        // The result's zeros keep their signs.
        let zeros = sort(&array(&[0.0, -0.0, 0.0])).to_host();
        assert_eq!(zeros.mapv(f64::is_sign_negative), array(&[true, false, false]).to_host());
        assert_eq!(argsort(&array(&[0.0, -0.0, 0.0])).to_host(), array(&[0i64, 1, 2]).to_host());
        // Broadcast, reversed and strided views.
        let a = array(&[[3, 1, 2], [6, 5, 4]]);
        assert_eq!(sort(&a.t()).to_host(), array(&[[3, 6], [1, 5], [2, 4]]).to_host());
        assert_eq!(sort(&full((), 4).broadcast_to(3)).to_host(), array(&[4, 4, 4]).to_host());
        let reversed = a.slice(ndarray::s![.., ..;-1]);
        assert_eq!(argsort(&reversed).to_host(), array(&[[1i64, 0, 2], [0, 1, 2]]).to_host());
    }

    #[test]
    fn what_cannot_be_searched_says_so() {
        let plane = crate::zeros::<f32>((2, 2));
        let message = |work: &dyn Fn()| {
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            *failed.err().unwrap().downcast::<String>().unwrap()
        };
        let text = message(&|| drop(searchsorted(&plane, &plane, Side::Left)));
        assert!(text.contains("searchsorted: the shape [2, 2] is not 1-D"), "{text}");
        let text = message(&|| drop(digitize(&array(&[1, 2]), &array(&[1, 3, 2]))));
        assert!(text.contains("digitize: the bins are neither ascending nor descending"), "{text}");
        let text = message(&|| drop(digitize(&array(&[1.0]), &array(&[1.0, f64::NAN]))));
        assert!(text.contains("neither"), "{text}");
        assert_eq!(searchsorted(&crate::zeros::<f32>(0), &plane, Side::Right).to_host().sum(), 0);
        assert_eq!(searchsorted(&array(&[1, 2]), &crate::zeros::<i32>((0, 2)), Side::Left).shape(), [0, 2]);
    }

    #[test]
    fn runs_across_chunks() {
        let (values, counts) = unique_counts(&(crate::arange(300_000i64) / 1000i64));
        assert_eq!(values.to_host(), crate::arange(300i64).to_host());
        assert_eq!(counts.to_host(), full(300, 1000i64).to_host());
        let (values, inverse) = unique_inverse(&array(&[[f64::NAN, 0.0], [-0.0, f64::NAN]]));
        assert_eq!((values.size(), values.get(&[0]), values.get(&[1]).is_nan()), (2, 0.0, true));
        assert_eq!(inverse.to_host(), array(&[[1i64, 0], [0, 1]]).to_host());
        let (values, counts) = unique_counts(&crate::zeros::<u8>((0, 3)));
        assert_eq!((values.size(), counts.size()), (0, 0));
        assert_eq!(unique(&array(&[true, true])).to_host(), array(&[true]).to_host());
    }
}
