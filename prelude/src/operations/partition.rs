//! The smallest and the largest elements. They are taken from sorted rows.

use crate::array::axes::axis_of;
use crate::array::indices::RawIndices;
use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis};
use crate::dtype::Real;
use crate::error::{Error, Result, check};
use crate::operations::indexing::take_along_axis;
use crate::operations::sorting::along;
use crate::thin::thin;

thin! {
    /// The array with its element `kth` along the last axis in its place: none before it is larger, none behind it smaller.
    /// NumPy's `partition`. The others are in order too, so it takes as long as [`sort`](fn@crate::sort).
    ///
    /// **Panics** if the array has no axes ([`Error::InvalidShape`]), or no element `kth` ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::partition(&gpu::array(&[7, 1, 5, 3]), 2).get(&[2]), 5);
    /// ```
    pub fn partition<A: OnDevice<Elem = T>, T: Real>(a: &A, kth: usize) -> DeviceArray<T> =>
        parted("partition", a.raw(), kth, -1, false);

    /// The indices along the last axis that give [`partition`]; NumPy's `argpartition`.
    ///
    /// **Panics** as [`partition`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::argpartition(&gpu::array(&[7, 1, 5, 3]), 0).get(&[0]), 1);
    /// ```
    pub fn argpartition<A: OnDevice<Elem: Real>>(a: &A, kth: usize) -> DeviceArray<i64> =>
        parted("argpartition", a.raw(), kth, -1, true);
}

/// The `k` largest elements along the last axis, the largest first, and their indices; PyTorch's `topk`. NaN counts as the
/// largest.
///
/// **Panics** if the array has no axes ([`Error::InvalidShape`]), or less than `k` elements along the last one
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let (values, indices) = gpu::topk(&gpu::array(&[7, 1, 5, 3]), 2);
/// assert_eq!((values.tolist(), indices.tolist()), (vec![7, 5], vec![0, 2]));
/// ```
#[track_caller]
pub fn topk<A: OnDevice<Elem = T>, T: Real>(a: &A, k: usize) -> (DeviceArray<T>, DeviceArray<i64>) {
    let (values, indices) = check(largest(a.raw(), k));
    (DeviceArray::from_raw(values), DeviceArray::from_raw(indices))
}

fn lacking(operation: &'static str, what: String, length: usize) -> Error {
    let reason = format!("{what} along the axis, which has {length} elements; give a smaller number");
    Error::argument(operation, reason)
}

pub(crate) fn parted(
    operation: &'static str,
    x: &RawArray,
    kth: usize,
    axis: isize,
    positions: bool,
) -> Result<RawArray> {
    let length = x.shape()[axis_of(operation, x.shape(), axis)?];
    if kth >= length {
        return Err(lacking(operation, format!("there is no element {kth}"), length));
    }
    along(operation, x, axis, positions)
}

fn largest(x: &RawArray, k: usize) -> Result<(RawArray, RawArray)> {
    const NAME: &str = "topk";
    let order = along(NAME, x, -1, true)?;
    let last = x.shape().len() - 1;
    let length = x.shape()[last];
    if k > length {
        return Err(lacking(NAME, format!("there are no {k} elements"), length));
    }
    let indices = slice_axis(&order, last, length.saturating_sub(1), -1, k).contiguous(NAME)?;
    Ok((take_along_axis(x, RawIndices::Device(indices.clone()), -1)?, indices))
}
