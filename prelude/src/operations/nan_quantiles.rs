//! Quantiles that pass over NaN, and quantiles of elements with weights.

use crate::array::indices::RawIndices;
use crate::array::transfer::{self, Owned};
use crate::array::{OnDevice, RawArray, slice_axis};
use crate::backend::{BinaryOperation, ReduceOperation, ScanOperation};
use crate::dtype::{DType, Element, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::composing::{Composed, number};
use crate::operations::indexing::take_along_axis;
use crate::operations::nan_reductions::counts;
use crate::operations::quantiles::{self, Rank};
use crate::operations::reduce::reduce;
use crate::operations::scan::scan_axis;
use crate::operations::selection::choose;
use crate::operations::sorting::sorted_rows;
use crate::operations::statistics::with_axes;

macro_rules! quantiles {
    ($($(#[$doc:meta])* $name:ident $rank:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<A: OnDevice<Elem = T>, T: Number>(a: &A, q: f64) -> T::Mean {
            const NAME: &str = stringify!($name);
            let found = a.raw().flat(NAME).and_then(|flat| of_sorted(NAME, &sorted(NAME, &flat)?, Rank::$rank(q), T::Mean::DTYPE));
            transfer::typed_scalar(check(found.and_then(|found| transfer::item(&found))))
        }
    )*};
}
quantiles! {
    /// The value below which the share `q` of all elements but NaN lies, as [`quantile`](fn@crate::quantile) has it without NaN; NaN if
    /// there are none. NumPy's `nanquantile`. `gpu::nanquantile!(&a, [0.25, 0.75], axis = 0)` has the keywords. Waits.
    ///
    /// **Panics** if `q` is not from 0 to 1 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanquantile(&gpu::array(&[1.0, f64::NAN, 3.0, 5.0]), 0.25), 2.0);
    /// ```
    nanquantile Share;
    /// [`nanquantile`] in percent: `gpu::nanpercentile(&a, 95.0)`; NumPy's `nanpercentile`. `gpu::nanpercentile!(&a, 95.0, axis = 0)` has
    /// the keywords. Waits.
    ///
    /// **Panics** if `q` is not from 0 to 100 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanpercentile(&gpu::array(&[1.0, f64::NAN, 3.0, 5.0]), 50.0), 3.0);
    /// ```
    nanpercentile Percent;
}

/// Rows along the last axis in ascending order, with NaN behind the numbers; bools as integers.
pub(crate) fn sorted(name: &'static str, x: &RawArray) -> Result<RawArray> {
    let x = if x.dtype == DType::Bool { &x.converted(name, DType::U8)? } else { x };
    sorted_rows(name, x, false)
}

/// The elements of each row at one place each; the result has no last axis.
fn picked(name: &'static str, rows: &RawArray, places: &RawArray) -> Result<RawArray> {
    let kept = &rows.shape()[..rows.shape().len() - 1];
    let places = with_axes(places, &[kept.len()]);
    Composed(name).shaped(&take_along_axis(rows, RawIndices::Device(places), -1)?, kept)
}

/// The value at a place among the numbers of each sorted row, as `dtype`, which is a float's. Only the host knows how many numbers there
/// are, so that it waits.
pub(crate) fn of_sorted(name: &'static str, sorted: &RawArray, rank: Rank, dtype: DType) -> Result<RawArray> {
    if !sorted.dtype.is_float() || sorted.size() == 0 {
        return quantiles::of_sorted(name, sorted, rank, dtype);
    }
    sorted.handle.may_wait(name)?;
    let kept = &sorted.shape()[..sorted.shape().len() - 1];
    let counted = counts(name, sorted, &[kept.len()], DType::I64)?;
    let counted: Vec<i64> = transfer::download_vec(&counted.flat(name)?)?;
    let lengths = counted.into_iter().map(|count| count.max(1) as usize);
    let places: Vec<(usize, usize, f64)> = lengths
        .map(|length| {
            let (before, distance) = rank.among(name, length)?;
            Ok((before, (before + 1).min(length - 1), distance))
        })
        .collect::<Result<_>>()?;
    let element = |place: fn(&(usize, usize, f64)) -> usize| {
        let places: Vec<i64> = places.iter().map(|places| place(places) as i64).collect();
        let places = RawArray::of_indices(name, &sorted.handle, kept, &places)?;
        picked(name, sorted, &places)?.converted(name, dtype)
    };
    let (low, high) = (element(|places| places.0)?, element(|places| places.1)?);
    let distances: Vec<f64> = places.iter().map(|places| places.2).collect();
    let distances = transfer::take_over(name, Owned::vector(distances, kept), &sorted.handle)?;
    let calc = Composed(name);
    let compared = |operation, value: f64| calc.with(operation, &distances, value);
    let (is_first, is_near) = (compared(BinaryOperation::Equal, 0.0)?, compared(BinaryOperation::Less, 0.5)?);
    let distances = distances.converted(name, dtype)?;
    // NumPy's formula, from the nearer end: exact at both.
    let difference = calc.pair(BinaryOperation::Subtract, &high, &low)?;
    let forth = calc.pair(BinaryOperation::Multiply, &difference, &distances)?;
    let one = RawArray::filled(name, &sorted.handle, &[], number(1.0, dtype))?;
    let rest = calc.pair(BinaryOperation::Subtract, &one, &distances)?;
    let back = calc.pair(BinaryOperation::Multiply, &difference, &rest)?;
    let from_low = calc.pair(BinaryOperation::Add, &low, &forth)?;
    let from_high = calc.pair(BinaryOperation::Subtract, &high, &back)?;
    choose(&is_first, &low, &choose(&is_near, &from_low, &from_high)?)
}

/// Rows in ascending order with the shares of their weights up to each element.
pub(crate) struct Weighted {
    sorted: RawArray,
    shares: RawArray,
    /// Whether the weights of a row are numbers from 0 on, and not all 0.
    are_weights: RawArray,
}

impl Weighted {
    /// Of rows along the last axis, with a weight of `f64` for each element. Weights of NaN may count as 0.
    pub fn new(name: &'static str, rows: &RawArray, weights: &RawArray, skips_nan: bool) -> Result<Weighted> {
        let calc = Composed(name);
        let order = sorted_rows(name, rows, true)?;
        let picked = |rows: &RawArray| take_along_axis(rows, RawIndices::Device(order.clone()), -1);
        let (sorted, mut weights) = (picked(rows)?, picked(weights)?);
        if skips_nan && sorted.dtype.is_float() {
            let is_number = calc.pair(BinaryOperation::Equal, &sorted, &sorted)?;
            weights = choose(&is_number, &weights, Scalar::F64(0.0))?;
        }
        let last = rows.shape().len() - 1;
        let sums = scan_axis(name, ScanOperation::Sum, &weights, -1)?;
        let length = rows.shape()[last];
        let total = slice_axis(&sums, last, length.saturating_sub(1), 1, length.min(1));
        if sorted.size() == 0 {
            return Ok(Weighted { sorted, shares: sums.clone(), are_weights: sums });
        }
        let shares = calc.pair(BinaryOperation::Divide, &sums, &total)?;
        // NumPy looks at the weights, and fails. That would have to wait for a device.
        let least = reduce(name, ReduceOperation::Min, &weights, &[last])?;
        let total = calc.shaped(&total, least.shape())?;
        let are_weights = calc.pair(
            BinaryOperation::LogicalAnd,
            &calc.with(BinaryOperation::GreaterEqual, &least, 0.0)?,
            &calc.pair(
                BinaryOperation::LogicalAnd,
                &calc.with(BinaryOperation::Greater, &total, 0.0)?,
                &calc.with(BinaryOperation::Less, &total, f64::INFINITY)?,
            )?,
        )?;
        Ok(Weighted { sorted, shares, are_weights })
    }

    /// The first element of each row up to which a share of the weights lies; NaN if there is one that counts, or if the weights are no
    /// weights. NumPy's method `inverted_cdf`.
    pub fn at(&self, name: &'static str, share: f64, skips_nan: bool, dtype: DType) -> Result<RawArray> {
        let Weighted { sorted, shares, are_weights } = self;
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::argument(
                name,
                format!("a share of {share} is not from 0 to 1; give a value in this range"),
            ));
        }
        let last = sorted.shape().len() - 1;
        let (kept, length) = (&sorted.shape()[..last], sorted.shape()[last]);
        if sorted.size() == 0 {
            return RawArray::filled(name, &sorted.handle, kept, Scalar::of_float(f64::NAN, dtype));
        }
        let calc = Composed(name);
        // What has no weight in front is passed over for a share of 0, too.
        let is_before = calc.pair(
            BinaryOperation::LogicalOr,
            &calc.with(BinaryOperation::Less, shares, share)?,
            &calc.with(BinaryOperation::LessEqual, shares, 0.0)?,
        )?;
        let places = reduce(name, ReduceOperation::Sum, &is_before, &[last])?.converted(name, DType::I64)?;
        let places = calc.with(BinaryOperation::Minimum, &places, (length - 1) as f64)?;
        let found = picked(name, sorted, &places)?.converted(name, dtype)?;
        let found = choose(are_weights, &found, Scalar::of_float(f64::NAN, dtype))?;
        if skips_nan || !sorted.dtype.is_float() {
            return Ok(found);
        }
        let end = slice_axis(sorted, last, length - 1, 1, 1);
        let end = calc.shaped(&end, kept)?.converted(name, dtype)?;
        calc.pair(BinaryOperation::Minimum, &found, &end)
    }
}
