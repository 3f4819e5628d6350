//! Counting elements by value or by bins: `bincount` and `histogram`.

use crate::array::conversions::conversions;
use crate::array::sides::sealed::Host;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::{ReduceOperation, Span};
use crate::dtype::{DType, Number, Real};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::histograms::{AxisBins, Request, densities};
use crate::operations::reduce::reduce_all;
use crate::thin::thin;
use std::ops::{Range, RangeFull, RangeInclusive};

/// How often each value from 0 to the largest is in a 1-D array of integers that are not negative; NumPy's `bincount`. Waits.
///
/// **Panics** if the array is not 1-D ([`Error::InvalidShape`]), has floats ([`Error::UnsupportedDType`]) or a negative
/// element ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::bincount(&gpu::array(&[1, 3, 1])).to_host(), ndarray::arr1(&[0i64, 2, 0, 1]).into_dyn());
/// ```
#[track_caller]
pub fn bincount<A: OnDevice<Elem = T>, T: Real>(a: &A) -> DeviceArray<i64> {
    bincount_with(a, 0)
}

thin! {
    /// As [`bincount`], for at least `minlength` values.
    ///
    /// **Panics** as [`bincount`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::bincount_with(&gpu::array(&[1]), 4).to_host(), ndarray::arr1(&[0i64, 1, 0, 0]).into_dyn());
    /// ```
    pub fn bincount_with<A: OnDevice<Elem = T>, T: Real>(a: &A, minlength: usize) -> DeviceArray<i64> =>
        by_value(a.raw(), None, minlength);

    /// As [`bincount`], with a weight for each element: the sums of the weights, as `f64`, for at least `minlength` values.
    /// On CUDA weights are added in an order that changes from call to call, which the last digits show.
    ///
    /// **Panics** as [`bincount`] does, and if there are not as many weights as elements ([`Error::InvalidShape`]) or they
    /// are on another device.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, weights) = (gpu::array(&[1, 0, 1]), gpu::array(&[0.5, 2.0, 0.25]));
    /// assert_eq!(gpu::bincount_weighted(&a, &weights, 0).to_host(), ndarray::arr1(&[2.0, 0.75]).into_dyn());
    /// ```
    pub fn bincount_weighted<A, W>(a: &A, weights: &W, minlength: usize) -> DeviceArray<f64>
    where A: OnDevice<Elem: Number>, W: OnDevice<Elem: Number> => by_value(a.raw(), Some(weights.raw()), minlength);
}

/// The bins of [`histogram`]: how many of one width, or the edges between them.
#[derive(Clone)]
pub enum BinSpec {
    /// So many.
    Count(usize),
    /// Between these edges, one more than there are bins.
    Edges(Vec<f64>),
    /// The same on a device.
    OnDevice(DeviceArray<f64>),
}

/// What can be given as bins: `10`, or ascending edges: `[0.0, 1.0, 10.0]`, a slice, a `Vec`, or a device array of `f64`. Not
/// an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as bins",
    label = "expected a number of bins, or their edges",
    note = "bins are a `usize` such as `10`, or the edges as `f64`: `[0.0, 1.0, 10.0]`, a slice, a `Vec` or a device array"
)]
pub trait IntoBins: sealed::Sealed {
    /// The bins.
    fn into_bins(self) -> BinSpec;
}

/// What can be given as a range of [`histogram`]: `..` for the data's own, `0.0..=1.0`, `(0.0, 1.0)` or `[0.0, 1.0]`. The
/// upper end belongs to the last bin, however the range is written. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range for a histogram",
    label = "expected a range",
    note = "a range is `..` (from the smallest to the largest element), `0.0..=1.0` or `(0.0, 1.0)`"
)]
pub trait IntoBinRange: sealed::Sealed {
    /// The ends, if they are given.
    fn into_bin_range(self) -> Option<(f64, f64)>;
}

mod sealed {
    pub trait Sealed {}
}

/// `histogram` with weights, or of densities.
pub(crate) fn weighted(
    x: &RawArray,
    bins: BinSpec,
    range: Option<(f64, f64)>,
    density: bool,
    weights: Option<&RawArray>,
) -> Result<(RawArray, RawArray)> {
    let operation = "histogram";
    if let Some(weights) = weights
        && weights.shape() != x.shape()
    {
        let reason = format!("of the weights differs from the shape of the data, {:?}; give one for each", x.shape());
        return Err(Error::shape(operation, weights.shape(), reason));
    }
    if weights.is_none() {
        // Without an array of the places of the elements.
        let (counts, edges) = by_bin(x, bins, range)?;
        let counts = counts.converted(operation, DType::F64)?;
        let counts = if density { densities(operation, counts, &[&edges])? } else { counts };
        return Ok((counts, edges));
    }
    let weights = weights.map(|weights| weights.flat(operation)).transpose()?;
    let request = Request { operation, weights: weights.as_ref(), density };
    let (counts, mut edges) =
        request.counted(&[x.flat(operation)?], AxisBins::Same(bins), range.map(|range| vec![Some(range)]))?;
    Ok((counts, edges.remove(0)))
}

conversions! {
    fn into_bins(self) -> BinSpec: IntoBins, sealed::Sealed;
    usize => BinSpec::Count(self);
    Vec<f64> => BinSpec::Edges(self);
    &Vec<f64> => BinSpec::Edges(self.clone());
    &[f64] => BinSpec::Edges(self.to_vec());
    [f64; N] [const N: usize] => BinSpec::Edges(self.to_vec());
    &[f64; N] [const N: usize] => BinSpec::Edges(self.to_vec());
    &ndarray::Array1<f64> => BinSpec::Edges(self.to_vec());
    &DeviceArray<f64> => BinSpec::OnDevice(self.clone());
}
conversions! {
    fn into_bin_range(self) -> Option<(f64, f64)>: IntoBinRange, sealed::Sealed;
    RangeFull => None;
    (f64, f64) => Some(self);
    Range<f64> => Some((self.start, self.end));
    RangeInclusive<f64> => Some((*self.start(), *self.end()));
}

// It is sealed as bins are.
conversions! {
    fn into_bin_range(self) -> Option<(f64, f64)>: IntoBinRange;
    [f64; 2] => Some((self[0], self[1]));
}

fallible! {
    /// How many elements fall into each bin, and the bins' edges, one more than there are bins; NumPy's `histogram`.
    ///
    /// An array of any shape. `bins` is a number of bins of one width over `range`, or their edges, with which `range` is not
    /// looked at. A bin has the values from its left edge to below its right one; the last bin has its right edge, too. What
    /// is outside is not counted, nor is NaN. Without a range it is that of the data, half a unit to either side if all
    /// elements are equal. Edges are `f64`, and elements are compared as `f64` (NumPy gives edges of `f32` for such data).
    /// Waits, unless the edges or the range are given. `gpu::histogram!(&a, weights = &w)` adds up weights, and `density =
    /// true` divides by the width of the bins and by the sum: both give `f64`.
    ///
    /// **Panics** if there is no bin, if edges descend, or if the range is not finite or its ends are in the wrong
    /// order ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1.0, 2.0, 1.0, 4.0]);
    /// let (counts, edges) = gpu::histogram(&a, 3, ..);
    /// assert_eq!(counts.to_host(), ndarray::arr1(&[2i64, 1, 1]).into_dyn());
    /// assert_eq!(edges.to_host(), ndarray::arr1(&[1.0, 2.0, 3.0, 4.0]).into_dyn());
    /// let (counts, _) = gpu::histogram(&a, 2, 0.0..=2.0);
    /// assert_eq!(counts.to_host(), ndarray::arr1(&[0i64, 3]).into_dyn());
    /// let (counts, _) = gpu::histogram(&a, [0.0, 1.5, 10.0], ..);
    /// assert_eq!(counts.to_host(), ndarray::arr1(&[2i64, 2]).into_dyn());
    /// ```
    pub fn histogram, try_histogram<A: OnDevice<Elem = T>, T: Number>(
        a: &A,
        bins: impl IntoBins,
        range: impl IntoBinRange,
    ) -> Result<(DeviceArray<i64>, DeviceArray<f64>)> {
        let (counts, edges) = by_bin(a.raw(), bins.into_bins(), range.into_bin_range())?;
        Ok((DeviceArray::from_raw(counts), DeviceArray::from_raw(edges)))
    }
}

pub(super) fn by_value(x: &RawArray, weights: Option<&RawArray>, minlength: usize) -> Result<RawArray> {
    let operation = "bincount";
    if x.dtype == DType::Bool {
        return by_value(&x.converted(operation, DType::U8)?, weights, minlength);
    }
    if x.dtype.is_storage() && x.dtype.is_integer() {
        return by_value(&x.to_compute_type(operation)?, weights, minlength);
    }
    if x.dtype.is_float() {
        let advice = "convert them first, such as with `a.astype::<i64>()`, or use `histogram`";
        return Err(Error::dtype(operation, x.dtype, advice));
    }
    if x.shape().len() != 1 {
        let reason = "is not 1-D; `ravel` the array first";
        return Err(Error::shape(operation, x.shape(), reason));
    }
    let weights = match weights {
        None => None,
        Some(weights) => {
            x.same_device(operation, weights)?;
            if weights.shape() != x.shape() {
                let reason = format!(
                    "differs from the shape of the weights, {:?}; give one weight for each element",
                    weights.shape()
                );
                return Err(Error::shape(operation, x.shape(), reason));
            }
            Some(weights.converted(operation, DType::F64)?)
        }
    };
    let mut bins = minlength;
    if x.size() > 0 {
        let end = |end, x: &RawArray| Ok(reduce_all(operation, end, x)?.integer().expect("floats are refused"));
        // Without their signs, negative elements are the largest: one pass tells both.
        let unsigned = RawArray { dtype: unsigned(x.dtype), ..x.clone() };
        let most = end(ReduceOperation::Max, &unsigned)?;
        if unsigned.dtype != x.dtype && most >= 1 << (8 * x.dtype.size() - 1) {
            let least = end(ReduceOperation::Min, x)?;
            let reason =
                format!("there is a negative element, {least}; give elements that are at least 0, or use `histogram`");
            return Err(Error::argument(operation, reason));
        }
        bins = bins.max(usize::try_from(most + 1).unwrap_or(usize::MAX));
    }
    let dtype = if weights.is_some() { DType::F64 } else { DType::I64 };
    RawArray::written(operation, &x.handle, &[bins], dtype, |out| {
        let x = x.contiguous(operation)?;
        out.handle.backend.bincount(x.view(), weights.as_ref().map(RawArray::view), out.view())
    })
}

/// The type of the same bits without a sign.
fn unsigned(dtype: DType) -> DType {
    match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    }
}

fn by_bin(x: &RawArray, bins: BinSpec, range: Option<(f64, f64)>) -> Result<(RawArray, RawArray)> {
    let operation = "histogram";
    let (edges, scale) = edges_of(operation, x, bins, range)?;
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    let count = edges.len() - 1;
    let edges = transfer::upload(operation, &Host::host_view(&edges), &x.handle)?;
    let out = RawArray::uninitialised(operation, &x.handle, &[count], DType::I64)?;
    let x = x.flat(operation)?;
    out.handle.backend.histogram(x.view(), edges.view(), Span { first, last, scale }, out.view())?;
    Ok((out, edges))
}

/// The edges of bins, two at least, which ascend; and bins per unit, if all have one width.
pub(super) fn edges_of(
    operation: &'static str,
    x: &RawArray,
    bins: BinSpec,
    range: Option<(f64, f64)>,
) -> Result<(Vec<f64>, Option<f64>)> {
    let invalid = |reason: String| Err(Error::argument(operation, reason));
    let (edges, scale) = match bins {
        BinSpec::Count(0) => return invalid("the number of bins is 0; give at least one".into()),
        BinSpec::Count(count) => {
            // There may not be enough memory for the edges. Reserved here, that is an error and not the end of the process.
            drop(RawArray::uninitialised(operation, &x.handle, &[count.saturating_add(1)], DType::F64)?);
            let (first, last) = span(operation, x, range)?;
            let scale = count as f64 / (last - first);
            let edges: Vec<f64> = crate::host::linspace_values(first, last, count + 1).collect();
            (edges, Some(scale).filter(|scale| scale.is_finite()))
        }
        BinSpec::Edges(edges) => (edges, None),
        BinSpec::OnDevice(edges) if edges.ndim() == 1 => (transfer::download_vec::<f64>(&edges.raw)?, None),
        BinSpec::OnDevice(edges) => {
            let reason = "is not 1-D; the edges of bins must be 1-D";
            return Err(Error::shape(operation, edges.shape(), reason));
        }
    };
    match *edges {
        [] => return invalid("there are no edges; give at least two".into()),
        [one] => return invalid(format!("there is one edge, {one}; give at least two")),
        _ => {}
    }
    if let Some(pair) = edges.windows(2).find(|pair| pair[0].partial_cmp(&pair[1]).is_none_or(|order| order.is_gt())) {
        return invalid(format!("the edges {} and {} do not ascend; sort the edges first", pair[0], pair[1]));
    }
    Ok((edges, scale))
}

/// The ends of the bins; different ones.
fn span(operation: &'static str, x: &RawArray, range: Option<(f64, f64)>) -> Result<(f64, f64)> {
    let invalid = |reason: String| Err(Error::argument(operation, reason));
    let (first, last) = match range {
        Some(range) => range,
        None if x.size() == 0 => (0.0, 1.0),
        None => {
            let end = |end| {
                let value = reduce_all(operation, end, x)?;
                Ok(value.float().or(value.integer().map(|value| value as f64)).expect("a real number"))
            };
            (end(ReduceOperation::Min)?, end(ReduceOperation::Max)?)
        }
    };
    if !(last - first).is_finite() {
        let whose = if range.is_some() { "the range" } else { "the data's range" };
        return invalid(format!(
            "{whose}, from {first} to {last}, is not finite; give a finite one, such as `0.0..=1.0`"
        ));
    }
    if first > last {
        return invalid(format!("the range ends at {last}, before its start {first}; swap them"));
    }
    Ok(if first == last { (first - 0.5, last + 0.5) } else { (first, last) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arange, array, full, zeros};

    fn text<T>(result: Result<T>) -> String {
        result.err().expect("an error").to_string()
    }

    #[test]
    fn many_elements_in_few_and_many_bins() {
        let a = arange(1_000_000i64) % 1000i64;
        assert_eq!(bincount(&a).to_host(), full(1000, 1000i64).to_host());
        let weights = full(1_000_000, 0.5f32);
        assert_eq!(bincount_weighted(&a, &weights, 0).to_host(), full(1000, 500.0).to_host());
        assert_eq!(bincount(&arange(300_000i32)).to_host(), full(300_000, 1i64).to_host());
        let (counts, edges) = histogram(&a, 10, ..);
        assert_eq!((counts.to_host(), edges.get(&[10])), (full(10, 100_000i64).to_host(), 999.0));
    }

    #[test]
    fn edges_of_counts() {
        assert_eq!(bincount(&zeros::<u8>(0)).shape(), [0]);
        assert_eq!(bincount_with(&zeros::<u8>(0), 3).to_host(), zeros::<i64>(3).to_host());
        assert!(text(by_value(&array(&[1.0]).raw, None, 0)).contains("arrays of f64 are not supported"));
        assert!(text(by_value(&array(&[1, -7]).raw, None, 0)).contains("a negative element, -7"));
        let least = array(&[i64::MAX, i64::MIN]);
        assert!(text(by_value(&least.raw, None, 0)).contains("a negative element, -9223372036854775808"));
        assert!(text(by_value(&zeros::<u8>((2, 2)).raw, None, 0)).contains("is not 1-D"));
        let weights = zeros::<f64>(3);
        assert!(
            text(by_value(&zeros::<u8>(2).raw, Some(&weights.raw), 0))
                .contains("differs from the shape of the weights, [3]")
        );
        assert!(by_value(&array(&[u64::MAX]).raw, None, 0).is_err());
    }

    #[test]
    fn edges_of_histograms() {
        let a = array(&[1.0, f64::NAN, 2.0, f64::INFINITY, -5.0]);
        assert_eq!(histogram(&a, 2, 1.0..2.0).0.to_host(), array(&[1i64, 1]).to_host());
        assert_eq!(histogram(&a, [f64::NEG_INFINITY, 0.0, f64::INFINITY], ..).0.to_host(), array(&[1i64, 3]).to_host());
        assert!(text(try_histogram(&a, 2, ..)).contains("the data's range, from NaN to NaN, is not finite"));
        assert!(text(try_histogram(&a, 0, ..)).contains("the number of bins is 0"));
        assert!(text(try_histogram(&a, 2, (2.0, 1.0))).contains("ends at 1, before its start 2"));
        assert!(text(try_histogram(&a, [1.0, 3.0, 2.0], ..)).contains("the edges 3 and 2 do not ascend"));
        assert!(text(try_histogram(&a, [1.0, f64::NAN], ..)).contains("do not ascend"));
        assert!(text(try_histogram(&a, [1.0], ..)).contains("one edge, 1"));
        assert!(text(try_histogram(&a, &[] as &[f64], ..)).contains("no edges"));
        assert!(text(try_histogram(&a, &zeros::<f64>((2, 2)), ..)).contains("is not 1-D"));
        assert!(try_histogram(&a, usize::MAX, (0.0, 1.0)).is_err());
        let (counts, edges) = histogram(&zeros::<f32>((0, 3)), 2, ..);
        assert_eq!((counts.sum(), edges.to_host()), (0, array(&[0.0, 0.5, 1.0]).to_host()));
        let (counts, edges) = histogram(&full((2, 2), 3u8), &crate::ndarray::arr1(&[3.0, 3.0]), ..);
        assert_eq!((counts.sum(), edges.size()), (4, 2));
        let (counts, edges) = histogram(&full(4, i64::MAX), 1, ..);
        assert_eq!((counts.sum(), edges.size()), (4, 2));
    }
}
