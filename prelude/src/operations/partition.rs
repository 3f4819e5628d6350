//! The smallest and the largest elements. They are taken from sorted rows, or from rows that are in order at one place.

use crate::array::axes::axis_of;
use crate::array::indices::RawIndices;
use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis};
use crate::backend::{BinaryOperation, UnaryOperation};
use crate::dtype::{Element, Real};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{binary, unary};
use crate::operations::indexing::take_along_axis;
use crate::operations::selection::compressed;
use crate::operations::sorting::{along, parted_rows, selected_rows};
use crate::thin::thin;

thin! {
    /// The array with its element `kth` along the last axis in its place: none before it is larger, none behind it smaller.
    /// NumPy's `partition`. The order of the others is unspecified.
    ///
    /// **Panics** if the array has no axes ([`Error::InvalidShape`]), or no element `kth` ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::partition(&gpu::array(&[7, 1, 5, 3]), 2).get(&[2]), 5);
    /// ```
    pub fn partition<A: OnDevice<Elem = T>, T: Element>(a: &A, kth: usize) -> DeviceArray<T> =>
        parted("partition", a.raw(), kth, -1, false);

    /// The indices along the last axis that give [`partition`]; NumPy's `argpartition`.
    ///
    /// **Panics** as [`partition`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::argpartition(&gpu::array(&[7, 1, 5, 3]), 0).get(&[0]), 1);
    /// ```
    pub fn argpartition<A: OnDevice>(a: &A, kth: usize) -> DeviceArray<i64> =>
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
    let place = axis_of(operation, x.shape(), axis)?;
    let length = x.shape()[place];
    if kth >= length {
        return Err(lacking(operation, format!("there is no element {kth}"), length));
    }
    if positions {
        return along(operation, x, axis, true);
    }
    let last = x.shape().len() - 1;
    let out = parted_rows(operation, &x.moved(place, last), [kth; 3])?;
    if place == last { Ok(out) } else { out.moved(last, place).copied(operation) }
}

fn largest(x: &RawArray, k: usize) -> Result<(RawArray, RawArray)> {
    const NAME: &str = "topk";
    let last = axis_of(NAME, x.shape(), -1)?;
    let length = x.shape()[last];
    if k > length {
        return Err(lacking(NAME, format!("there are no {k} elements"), length));
    }
    if let Some(found) = largest_of_few(NAME, x, k)? {
        return Ok(found);
    }
    let order = along(NAME, x, -1, true)?;
    let indices = slice_axis(&order, last, length.saturating_sub(1), -1, k).contiguous(NAME)?;
    Ok((take_along_axis(x, RawIndices::Device(indices.clone()), -1)?, indices))
}

/// As [`largest`], from the elements that are not less than the last of those wanted, if the device finds this one without sorting. It waits.
fn largest_of_few(operation: &'static str, x: &RawArray, k: usize) -> Result<Option<(RawArray, RawArray)>> {
    let &[length] = x.shape() else { return Ok(None) };
    // Many are sorted as fast as they are found.
    if k == 0 || k > length / 8 || x.handle.backend.is_capturing() {
        return Ok(None);
    }
    let compared = if x.dtype.is_storage() { x.to_compute_type(operation)? } else { x.contiguous(operation)? };
    let Some(found) = selected_rows(operation, &compared, [length - k; 3])? else { return Ok(None) };
    let least = slice_axis(&found, 0, 0, 1, 1);
    let mask = if x.dtype.is_float() {
        // NaN is less than no number, and counts as the largest.
        unary(operation, UnaryOperation::LogicalNot, &binary(operation, BinaryOperation::Less, &compared, &least)?)?
    } else {
        binary(operation, BinaryOperation::GreaterEqual, &compared, &least)?
    };
    let candidates = compressed(operation, &mask, None)?;
    let at = |array: &RawArray, places: &RawArray| take_along_axis(array, RawIndices::Device(places.clone()), -1);
    let order = along(operation, &at(&compared, &candidates)?, -1, true)?;
    let last = slice_axis(&order, 0, order.size() - 1, -1, k).contiguous(operation)?;
    let indices = at(&candidates, &last)?;
    Ok(Some((at(x, &indices)?, indices)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{asarray, median, quantile, sort};

    /// A small generator, whose quality does not matter here.
    fn floats(count: usize) -> Vec<f64> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        // Of very different sizes, of both signs, and some of them many times.
        (0..count).map(|index| if index % 7 == 0 { (index % 5) as f64 } else { (next() - 0.4) / next() }).collect()
    }

    /// A sorted NaN may have other bits.
    fn same(x: f64, y: f64) -> bool {
        x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
    }

    #[test]
    fn long_rows_are_in_order_at_one_place() {
        for length in [200_000, 700_001] {
            let mut values = floats(length);
            for numbers in [length, length - 3] {
                values[numbers..].fill(f64::NAN);
                let (a, mut sorted) = (asarray(&values), values.clone());
                sorted.sort_by(|x, y| x.partial_cmp(y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan())));
                for kth in [0, 1, length / 3, length / 2, numbers - 1, length - 1] {
                    let found = partition(&a, kth);
                    let all = found.tolist();
                    assert!(same(all[kth], sorted[kth]), "{} at {kth} of {length}", all[kth]);
                    let place = all[kth];
                    assert!(all[..kth].iter().all(|x| x <= &place || place.is_nan()), "before {kth} of {length}");
                    assert!(all[kth..].iter().all(|x| x >= &place || x.is_nan()), "behind {kth} of {length}");
                    assert!(sort(&found).tolist().iter().zip(&sorted).all(|(&x, &y)| same(x, y)));
                }
                let middle = 0.5 * (sorted[(length - 1) / 2] + sorted[length / 2]);
                let (quarter, place) = (quantile(&a, 0.25), 0.25 * (length - 1) as f64);
                if numbers < length {
                    assert!(median(&a).is_nan() && quarter.is_nan());
                } else {
                    let (low, high) = (sorted[place as usize], sorted[place as usize + 1]);
                    assert_eq!(median(&a), middle);
                    assert!((low..=high).contains(&quarter), "{quarter} is not from {low} to {high}");
                }
            }
        }
    }
}
