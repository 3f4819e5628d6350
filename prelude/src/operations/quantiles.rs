//! Medians, quantiles and percentiles, from rows that are sorted as far as they are looked at.

use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::{DType, Element, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::complex_order;
use crate::operations::composing::Composed;
use crate::operations::selection::choose;
use crate::operations::sorting::{parted_rows, selected_rows, sorted_rows};
use num_complex::Complex;

/// The median of all elements (`f64` for integers): the middle one in ascending order, or the mean of the two in the middle. NaN
/// if there is a NaN, or no element. Complex numbers are ordered by their real parts, and then by the imaginary ones. NumPy's
/// `median`. Waits for the result.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::median(&gpu::array(&[7, 1, 3, 2])), 2.5);
/// ```
#[track_caller]
pub fn median<A: OnDevice<Elem = T>, T: Element>(a: &A) -> T::Mean {
    transfer::typed_scalar(check(whole("median", a.raw(), Rank::Middle, T::Mean::DTYPE)))
}

/// The medians along one axis, which the result lacks; negative axes count from the last, -1.
///
/// **Panics** if there is no such axis ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1.0, 9.0, 2.0], [4.0, 4.0, 8.0]]);
/// assert_eq!(gpu::median_axis(&a, 1).to_host(), ndarray::arr1(&[2.0, 4.0]).into_dyn());
/// ```
#[track_caller]
pub fn median_axis<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: isize) -> DeviceArray<T::Mean> {
    DeviceArray::from_raw(check(along("median_axis", a.raw(), axis, Rank::Middle, T::Mean::DTYPE)))
}

/// The value below which the share `q` of all elements lies, `f64` for integers: `q = 0.25` gives the first quartile. Between
/// two elements it is interpolated linearly. NaN if there is a NaN, or no element. NumPy's `quantile`;
/// `gpu::quantile!(&a, 0.25, method = "nearest")` has its methods. Waits for the result.
///
/// **Panics** if `q` is not from 0 to 1 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::quantile(&gpu::array(&[1.0, 2.0, 3.0, 5.0]), 0.25), 1.75);
/// ```
#[track_caller]
pub fn quantile<A: OnDevice<Elem = T>, T: Number>(a: &A, q: f64) -> T::Mean {
    transfer::typed_scalar(check(whole("quantile", a.raw(), Rank::Share(q), T::Mean::DTYPE)))
}

/// The quantiles along one axis, which the result lacks; negative axes count from the last, -1.
///
/// **Panics** if there is no such axis ([`Error::InvalidShape`]), or as [`quantile`] does.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1, 3], [5, 4]]);
/// assert_eq!(gpu::quantile_axis(&a, 0.5, 0).to_host(), ndarray::arr1(&[3.0, 3.5]).into_dyn());
/// ```
#[track_caller]
pub fn quantile_axis<A: OnDevice<Elem = T>, T: Number>(a: &A, q: f64, axis: isize) -> DeviceArray<T::Mean> {
    DeviceArray::from_raw(check(along("quantile_axis", a.raw(), axis, Rank::Share(q), T::Mean::DTYPE)))
}

/// [`quantile`] in percent: `gpu::percentile(&a, 95.0)`; NumPy's `percentile`. Waits for the result.
///
/// **Panics** if `percent` is not from 0 to 100 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::percentile(&gpu::arange(101), 95.0), 95.0);
/// ```
#[track_caller]
pub fn percentile<A: OnDevice<Elem = T>, T: Number>(a: &A, percent: f64) -> T::Mean {
    transfer::typed_scalar(check(whole("percentile", a.raw(), Rank::Percent(percent), T::Mean::DTYPE)))
}

/// The percentiles along one axis, which the result lacks; negative axes count from the last, -1.
///
/// **Panics** if there is no such axis ([`Error::InvalidShape`]), or as [`percentile`] does.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1.0, 3.0], [5.0, 4.0]]);
/// assert_eq!(gpu::percentile_axis(&a, 100.0, -1).to_host(), ndarray::arr1(&[3.0, 5.0]).into_dyn());
/// ```
#[track_caller]
pub fn percentile_axis<A: OnDevice<Elem = T>, T: Number>(a: &A, percent: f64, axis: isize) -> DeviceArray<T::Mean> {
    DeviceArray::from_raw(check(along("percentile_axis", a.raw(), axis, Rank::Percent(percent), T::Mean::DTYPE)))
}

/// Which place in the order is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Rank {
    Middle,
    Share(f64),
    Percent(f64),
    /// A share of elements, at a place that NumPy has a name for. The second number is 1, or 100 for percent.
    By(Method, f64, f64),
}

/// How a quantile lies between two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    InvertedCdf,
    AveragedInvertedCdf,
    ClosestObservation,
    InterpolatedInvertedCdf,
    Hazen,
    Weibull,
    Linear,
    MedianUnbiased,
    NormalUnbiased,
    Lower,
    Higher,
    Midpoint,
    Nearest,
}

impl Method {
    /// The method of this name.
    pub(crate) fn named(operation: &'static str, name: &str) -> Result<Method> {
        METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method).ok_or_else(|| {
            let names: Vec<String> = METHODS.iter().map(|(known, _)| format!("\"{known}\"")).collect();
            Error::argument(operation, format!("there is no method \"{name}\"; write one of {}", names.join(", ")))
        })
    }

    /// The place of a share among `length` elements, which is between 0 and the last one, if it is in the array.
    ///
    /// Hyndman, Fan: Sample quantiles in statistical packages (1996), whose methods 1 to 9 are the first nine.
    fn place(self, share: f64, length: f64) -> f64 {
        let continuous = |alpha: f64, beta: f64| length * share + (alpha + share * (1.0 - alpha - beta)) - 1.0;
        // Between two elements it is the later one.
        let step = |x: f64, at_whole: fn(f64) -> f64| {
            let below = x.floor();
            if x == below { at_whole(below) } else { below + 1.0 }
        };
        match self {
            Method::InvertedCdf => step(length * share - 1.0, |whole| whole),
            Method::AveragedInvertedCdf => step(length * share - 1.0, |whole| whole + 0.5),
            Method::ClosestObservation => {
                let (x, below) = (length * share - 1.5, (length * share - 1.5).floor());
                // Halfway, it is the element with the even number, counted from 1.
                if x == below && below.rem_euclid(2.0) == 1.0 { below } else { below + 1.0 }
            }
            Method::InterpolatedInvertedCdf => continuous(0.0, 1.0),
            Method::Hazen => continuous(0.5, 0.5),
            Method::Weibull => continuous(0.0, 0.0),
            Method::Linear => share * (length - 1.0),
            Method::MedianUnbiased => continuous(1.0 / 3.0, 1.0 / 3.0),
            Method::NormalUnbiased => continuous(3.0 / 8.0, 3.0 / 8.0),
            Method::Lower => (share * (length - 1.0)).floor(),
            Method::Higher => (share * (length - 1.0)).ceil(),
            Method::Midpoint => {
                let place = share * (length - 1.0);
                0.5 * (place.floor() + place.ceil())
            }
            Method::Nearest => (share * (length - 1.0)).round_ties_even(),
        }
    }
}

const METHODS: [(&str, Method); 13] = [
    ("inverted_cdf", Method::InvertedCdf),
    ("averaged_inverted_cdf", Method::AveragedInvertedCdf),
    ("closest_observation", Method::ClosestObservation),
    ("interpolated_inverted_cdf", Method::InterpolatedInvertedCdf),
    ("hazen", Method::Hazen),
    ("weibull", Method::Weibull),
    ("linear", Method::Linear),
    ("median_unbiased", Method::MedianUnbiased),
    ("normal_unbiased", Method::NormalUnbiased),
    ("lower", Method::Lower),
    ("higher", Method::Higher),
    ("midpoint", Method::Midpoint),
    ("nearest", Method::Nearest),
];

impl Rank {
    /// The elements between which the place is among `length` (not 0), and how far it is from the first to the second.
    pub(super) fn among(self, operation: &'static str, length: usize) -> Result<(usize, f64)> {
        let (share, most, given) = match self {
            Rank::Middle => return Ok(((length - 1) / 2, if length.is_multiple_of(2) { 0.5 } else { 0.0 })),
            Rank::Share(share) => (share, 1.0, share),
            Rank::Percent(percent) => (percent / 100.0, 100.0, percent),
            Rank::By(_, given, most) => (given / most, most, given),
        };
        if !(0.0..=most).contains(&given) {
            let reason = format!("{given} is not from 0 to {most}; give a value in this range");
            return Err(Error::argument(operation, reason));
        }
        let last = (length - 1) as f64;
        let place = match self {
            Rank::By(method, ..) => method.place(share, length as f64).clamp(0.0, last),
            _ => share * last,
        };
        let before = (place as usize).min(length - 1);
        Ok((before, if before + 1 == length { 0.0 } else { place - before as f64 }))
    }
}

fn whole(operation: &'static str, x: &RawArray, rank: Rank, dtype: DType) -> Result<Scalar> {
    x.handle.may_wait(operation)?;
    transfer::item(&of_rows(operation, &x.flat(operation)?, rank, dtype)?)
}

fn along(operation: &'static str, x: &RawArray, axis: isize, rank: Rank, dtype: DType) -> Result<RawArray> {
    let axis = axis_of(operation, x.shape(), axis)?;
    of_rows(operation, &x.moved(axis, x.shape().len() - 1), rank, dtype)
}

/// NaN, in both parts of a complex number.
fn not_a_number(dtype: DType) -> Scalar {
    match dtype {
        DType::C64 => Scalar::C64(Complex::new(f32::NAN, f32::NAN)),
        DType::C128 => Scalar::C128(Complex::new(f64::NAN, f64::NAN)),
        _ => Scalar::of_float(f64::NAN, dtype),
    }
}

/// The value at that place in each row along the last axis, as `dtype`, which is a float's.
pub(crate) fn of_rows(operation: &'static str, x: &RawArray, rank: Rank, dtype: DType) -> Result<RawArray> {
    if x.dtype == DType::Bool {
        return of_rows(operation, &x.converted(operation, DType::U8)?, rank, dtype);
    }
    if x.dtype.is_complex() {
        return of_sorted(operation, &sorted_rows(operation, x, false)?, rank, dtype);
    }
    let length = x.shape().last().copied().expect("there is an axis").max(1);
    let (before, _) = rank.among(operation, length)?;
    // The last one says whether there is a NaN.
    let places = [before, (before + 1).min(length - 1), length - 1];
    if let Some(found) = selected_rows(operation, x, places)? {
        return between(operation, &found, length, rank, dtype, [0, 1, 2]);
    }
    of_sorted(operation, &parted_rows(operation, x, places)?, rank, dtype)
}

/// As [`of_rows`], of rows that are sorted already, or that have at least the elements in place between which the value is, and the last
/// one.
pub(crate) fn of_sorted(operation: &'static str, sorted: &RawArray, rank: Rank, dtype: DType) -> Result<RawArray> {
    let (&length, kept) = sorted.shape().split_last().expect("there is an axis");
    // The argument is looked at even where there is nothing to ask.
    let (before, _) = rank.among(operation, length.max(1))?;
    if sorted.size() == 0 {
        return RawArray::filled(operation, &sorted.handle, kept, not_a_number(dtype));
    }
    between(operation, sorted, length, rank, dtype, [before, before + 1, length - 1])
}

/// The value at that place of sorted rows of a length, not 0, of which some columns are known: the elements before and behind it, and the
/// last one.
fn between(
    operation: &'static str,
    sorted: &RawArray,
    length: usize,
    rank: Rank,
    dtype: DType,
    [before, behind, last]: [usize; 3],
) -> Result<RawArray> {
    let (_, distance) = rank.among(operation, length)?;
    let element = |index: usize| -> Result<RawArray> {
        let Layout { mut shape, mut strides, offset } = sorted.layout.clone();
        let step = strides.pop().expect("there is an axis");
        shape.pop();
        let offset = offset.checked_add_signed(step * index as isize).expect("within the allocation");
        sorted.with_layout(Layout { shape, strides, offset }).converted(operation, dtype)
    };
    let calc = Composed(operation);
    let times = |a: &RawArray, factor: f64| calc.with(BinaryOperation::Multiply, a, factor);
    let low = element(before)?;
    let result = if distance == 0.0 {
        low
    } else {
        let high = element(behind)?;
        if matches!(rank, Rank::Middle) {
            times(&calc.pair(BinaryOperation::Add, &low, &high)?, 0.5)?
        } else {
            // NumPy's formula, from the nearer end: exact at both.
            let difference = calc.pair(BinaryOperation::Subtract, &high, &low)?;
            if distance < 0.5 {
                calc.pair(BinaryOperation::Add, &low, &times(&difference, distance)?)?
            } else {
                calc.pair(BinaryOperation::Subtract, &high, &times(&difference, 1.0 - distance)?)?
            }
        }
    };
    if sorted.dtype.is_complex() {
        let last = element(last)?;
        return choose(&complex_order::is_nan(operation, &last)?, &last, &result);
    }
    if !sorted.dtype.is_float() {
        return Ok(result);
    }
    // The last element is NaN if there is one, and nothing in between is greater than it.
    calc.pair(BinaryOperation::Minimum, &result, &element(last)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{array, full, zeros};

    #[test]
    fn edges() {
        assert!(median(&zeros::<f32>(0)).is_nan());
        assert!(median(&array(&[1.0, f64::NAN, 3.0])).is_nan());
        assert_eq!(median(&full((), 3)), 3.0);
        assert_eq!(median(&array(&[f64::INFINITY, 1.0, f64::INFINITY, f64::INFINITY])), f64::INFINITY);
        assert_eq!(quantile(&array(&[5, 1]), 1.0), 5.0);
        assert!(median_axis(&zeros::<f64>((2, 0)), 1).is_nan().all());
        assert_eq!(median_axis(&zeros::<f64>((0, 2)), 1).shape(), [0]);
        let found = quantile_axis(&array(&[[1.0, 2.0], [f64::NAN, 0.0]]), 0.0, -1).to_host();
        assert_eq!((found[[0]], found[[1]].is_nan()), (1.0, true));
        let message = |work: &dyn Fn()| {
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            *failed.err().unwrap().downcast::<String>().unwrap()
        };
        let text = message(&|| assert!(quantile(&array(&[1i32]), 1.5).is_nan()));
        assert!(text.contains("quantile: 1.5 is not from 0 to 1"), "{text}");
        let text = message(&|| assert!(percentile(&zeros::<f64>(0), f64::NAN).is_nan()));
        assert!(text.contains("percentile: NaN is not from 0 to 100"), "{text}");
        let text = message(&|| drop(median_axis(&array(&[1]), 1)));
        assert!(text.contains("no axis 1"), "{text}");
    }
}
