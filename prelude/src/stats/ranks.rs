//! Ranks and modes.

use super::doubles;
use super::kernels::longest_runs;
use crate::Side::{Left, Right};
use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::Layout;
use crate::backend::loops::{Loops, RankOf};
use crate::device::Device;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::launch::try_launch_unchecked;
use crate::thin::thin;

thin! {
    /// The ranks of all elements in ascending order, from 1 on, as a 1-D array; equal ones share the mean of their ranks.
    /// SciPy's `rankdata`: `gpu::stats::rankdata!(&a, method = "min")` has its keyword, but `axis`; `method` is "average", "min", "max",
    /// "dense" or "ordinal". By sorting and searching. If an element is NaN, so are all ranks.
    ///
    /// **Panics** if there is no such method ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[10.0, 30.0, 20.0, 30.0]);
    /// assert_eq!(gpu::stats::rankdata(&a).tolist(), [1.0, 3.5, 2.0, 3.5]);
    /// assert_eq!(gpu::stats::rankdata!(&a, method = "dense").tolist(), [1.0, 3.0, 2.0, 3.0]);
    /// ```
    pub fn rankdata<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<f64> => ranks(a.raw(), "average");

    /// As [`rankdata`](fn@rankdata), by a method.
    pub fn rankdata_with<A: OnDevice<Elem = T>, T: Number>(a: &A, method: &str) -> DeviceArray<f64> => ranks(a.raw(), method);
}

/// The ranks of the elements of a 1-D array, the mean of the ranks for equal ones.
pub(super) fn average_ranks(x: &DeviceArray<f64>) -> DeviceArray<f64> {
    if let Some(ranks) = check(ranks_by_loops(x, RankOf::Average)) {
        return ranks;
    }
    let sorted = crate::sort(x);
    let before = crate::searchsorted(&sorted, x, Left).astype::<f64>();
    let up_to = crate::searchsorted(&sorted, x, Right).astype::<f64>();
    (&before + &up_to + 1.0) * 0.5
}

/// The ranks, if the backend has loops for them: from the order of the elements.
fn ranks_by_loops(x: &DeviceArray<f64>, of: RankOf) -> Result<Option<DeviceArray<f64>>> {
    if x.device() != Device::Cpu {
        return Ok(None);
    }
    let order = crate::argsort(x);
    let sorted = crate::take(x, &order);
    let out = DeviceArray::from_raw(RawArray::uninitialised("rankdata", &x.raw.handle, x.shape(), DType::F64)?);
    let (sorted, order, to) = (sorted.raw.view(), order.raw.view(), out.raw.view());
    Ok(out.raw.handle.backend.by_loops(Loops::Ranks { sorted, order, of, out: to })?.then_some(out))
}

fn ranks(x: &RawArray, method: &str) -> Result<RawArray> {
    const NAME: &str = "rankdata";
    const METHODS: [&str; 5] = ["average", "min", "max", "dense", "ordinal"];
    if !METHODS.contains(&method) {
        return Err(Error::argument(NAME, format!("`method` is {method:?}; give one of {METHODS:?}")));
    }
    let flat = doubles(NAME, &x.flat(NAME)?)?;
    let ranks = if flat.size() == 0 {
        flat
    } else {
        let known = match method {
            "min" => ranks_by_loops(&flat, RankOf::Least)?,
            "max" => ranks_by_loops(&flat, RankOf::Greatest)?,
            "ordinal" => ranks_by_loops(&flat, RankOf::Place)?,
            _ => None,
        };
        let found = match method {
            _ if known.is_some() => known.expect("it is there"),
            "average" => average_ranks(&flat),
            "min" => crate::searchsorted(&crate::sort(&flat), &flat, Left).astype::<f64>() + 1.0,
            "max" => crate::searchsorted(&crate::sort(&flat), &flat, Right).astype::<f64>(),
            "dense" => crate::searchsorted(&crate::unique(&flat), &flat, Left).astype::<f64>() + 1.0,
            // The place of each element in the sorted order is the order of the places.
            _ => crate::argsort(&crate::argsort(&flat)).astype::<f64>() + 1.0,
        };
        let nan = crate::where_(&flat.is_nan().any_axis(0), f64::NAN, 0.0);
        &found + &nan
    };
    Ok((*ranks.raw).clone())
}

/// What [`mode`](fn@mode) gives, with SciPy's names.
#[derive(Clone, Debug)]
pub struct ModeResult<T: Element> {
    /// The most frequent elements.
    pub mode: DeviceArray<T>,
    /// How often they are there.
    pub count: DeviceArray<i64>,
}

/// The most frequent element along the first axis, the least of several, and how often it is there. SciPy's `mode`:
/// `gpu::stats::mode!(&a, axis = 1)` has its keyword. By sorting; then a thread looks for the longest run of each column.
///
/// **Panics** if there is no such axis, or no element ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let m = gpu::stats::mode(&gpu::array(&[3.0, 1.0, 3.0, 2.0]));
/// assert_eq!((m.mode.item(), m.count.item()), (3.0, 2));
/// ```
#[track_caller]
pub fn mode<A: OnDevice<Elem = T>, T: Number>(a: &A) -> ModeResult<T> {
    mode_with(a, 0)
}

/// As [`mode`](fn@mode), along an axis.
#[track_caller]
pub fn mode_with<A: OnDevice<Elem = T>, T: Number>(a: &A, axis: isize) -> ModeResult<T> {
    let (sorted, places, count) = check(modes(a.raw(), axis));
    let mode = crate::take(&DeviceArray::<T>::from_raw(sorted), &DeviceArray::<i64>::from_raw(places));
    ModeResult { mode, count: DeviceArray::from_raw(count) }
}

/// The sorted elements one after another, where the modes are among them, and how often.
fn modes(x: &RawArray, axis: isize) -> Result<(RawArray, RawArray, RawArray)> {
    const NAME: &str = "mode";
    let axis = axis_of(NAME, x.shape(), axis)?;
    if x.size() == 0 {
        return Err(Error::shape(NAME, x.shape(), "has no elements; give some"));
    }
    let moved = x.moved(axis, x.shape().len() - 1);
    let mut shape = moved.shape().to_vec();
    let length = shape.pop().expect("there is an axis");
    let rows = shape.iter().product();
    let sorted = crate::operations::sorting::sorted_rows(NAME, &moved.contiguous(NAME)?, false)?;
    let in_rows = sorted.with_layout(Layout { offset: sorted.layout.offset, ..Layout::contiguous(&[rows, length]) });
    let as_floats = doubles(NAME, &in_rows)?;
    let new = |dtype| RawArray::uninitialised(NAME, &x.handle, &[rows], dtype);
    let mut places = DeviceArray::<i64>::from_raw(new(DType::I64)?);
    let mut counts = DeviceArray::<i64>::from_raw(new(DType::I64)?);
    // SAFETY: a thread takes one row.
    unsafe { try_launch_unchecked(longest_runs, rows.div_ceil(64), 64, (&as_floats, &mut places, &mut counts))? };
    let shaped = |of: &RawArray| of.with_layout(Layout { offset: of.layout.offset, ..Layout::contiguous(&shape) });
    Ok((in_rows.flat(NAME)?, shaped(&places.raw), shaped(&counts.raw)))
}
