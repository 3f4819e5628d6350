//! Sums, products, means, extremes and their places, `all` and `any`: over the whole array or along some axes.

use crate::array::axes::{IntoAxes, axes_of, axis_of};
use crate::array::{DeviceArray, RawArray, transfer};
use crate::backend::{BinaryOperation, Layout, ReduceOperation};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::complex_order;
use crate::operations::elementwise::binary;
use crate::thin::thin;

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// The sum of all elements, pairwise or better; 0 if there are none. Small integers widen (see
        /// [`Element::Sum`]), and bools are counted. Waits for the result.
        ///
        /// ```
        /// assert_eq!(warpcell::full(1000, 200u8).sum(), 200_000u64);
        /// ```
        pub fn sum, try_sum(&self) -> Result<T::Sum> {
            reduce_all("sum", ReduceOperation::Sum, &self.raw).map(transfer::typed_scalar)
        }

        /// The sums along one axis or several, which the result lacks; negative axes count from the last, -1.
        ///
        /// **Panics** if there is no such axis, or one is named twice ([`Error::InvalidShape`]).
        ///
        /// ```
        /// let a = warpcell::array(&[[1, 2], [3, 4]]);
        /// assert_eq!(a.sum_axis(0).to_host(), ndarray::arr1(&[4i64, 6]).into_dyn());
        /// assert_eq!(a.sum_axis((0, -1)).item(), 10i64);
        /// ```
        pub fn sum_axis, try_sum_axis(&self, axes: impl IntoAxes) -> Result<DeviceArray<T::Sum>> {
            reduce_axis("sum_axis", ReduceOperation::Sum, &self.raw, &axes.into_axes()).map(DeviceArray::from_raw)
        }

        /// The mean of all elements (`f64` for integers), NaN if there are none. Waits for the result.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1, 2]).mean(), 1.5);
        /// ```
        pub fn mean, try_mean(&self) -> Result<T::Mean> {
            mean_all(&self.raw, T::Mean::DTYPE).map(transfer::typed_scalar)
        }

        /// The means along one axis or several, which the result lacks.
        ///
        /// **Panics** if there is no such axis, or one is named twice ([`Error::InvalidShape`]).
        ///
        /// ```
        /// let a = warpcell::array(&[[1.0, 2.0], [3.0, 5.0]]);
        /// assert_eq!(a.mean_axis(1).to_host(), ndarray::arr1(&[1.5, 4.0]).into_dyn());
        /// ```
        pub fn mean_axis, try_mean_axis(&self, axes: impl IntoAxes) -> Result<DeviceArray<T::Mean>> {
            mean_axis(&self.raw, &axes.into_axes(), T::Mean::DTYPE).map(DeviceArray::from_raw)
        }
    }
}

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// The product of all elements; 1 if there are none. Small integers widen as in [`sum`](Self::sum), wide ones
        /// wrap. Waits for the result.
        ///
        /// Factors are taken in no certain order, so among floats a product on the way may overflow on one device and
        /// not on another; `f32` on CUDA is multiplied in `f64`. Otherwise results differ by rounding alone.
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[2, 3, 4]).prod(), 24i64);
        /// ```
        pub fn prod, try_prod(&self) -> Result<T::Sum> {
            reduce_all("prod", ReduceOperation::Product, &self.raw).map(transfer::typed_scalar)
        }

        /// The products along one axis or several, which the result lacks; see [`prod`](Self::prod).
        ///
        /// **Panics** if there is no such axis, or one is named twice ([`Error::InvalidShape`]).
        ///
        /// ```
        /// let a = warpcell::array(&[[1.0, 2.0], [3.0, 4.0]]);
        /// assert_eq!(a.prod_axis(0).to_host(), ndarray::arr1(&[3.0, 8.0]).into_dyn());
        /// ```
        pub fn prod_axis, try_prod_axis(&self, axes: impl IntoAxes) -> Result<DeviceArray<T::Sum>> {
            reduce_axis("prod_axis", ReduceOperation::Product, &self.raw, &axes.into_axes()).map(DeviceArray::from_raw)
        }
    }
}

macro_rules! extremes {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $axis:ident $try_axis:ident $operation:ident $word:literal;)*) => {
        impl<T: Element> DeviceArray<T> { fallible! {$(
            $(#[$doc])*
            ///
            /// **Panics** if the array is empty ([`Error::InvalidShape`]).
            pub fn $name, $try_name(&self) -> Result<T> {
                reduce_all(stringify!($name), ReduceOperation::$operation, &self.raw).map(transfer::typed_scalar)
            }

            #[doc = concat!("The ", $word, " elements along one axis or several, which the result lacks; NaN where there is one.")]
            ///
            /// **Panics** if there is no such axis or it is empty ([`Error::InvalidShape`]).
            pub fn $axis, $try_axis(&self, axes: impl IntoAxes) -> Result<DeviceArray<T>> {
                reduce_axis(stringify!($axis), ReduceOperation::$operation, &self.raw, &axes.into_axes()).map(DeviceArray::from_raw)
            }
        )*} }
    };
}
extremes! {
    /// The largest element, NaN if there is a NaN. Of bools whether any is true; complex elements are ordered by their real
    /// parts, then by their imaginary parts, as in NumPy. Waits for the result.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[3, 1, 2]).max(), 3);
    /// ```
    max try_max max_axis try_max_axis Max "largest";
    /// The smallest element; see [`max`](Self::max). Waits for the result.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[3, 1, 2]).min(), 1);
    /// ```
    min try_min min_axis try_min_axis Min "smallest";
}

macro_rules! places {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $axis:ident $try_axis:ident $operation:ident $word:literal $example:literal;)*) => {
        impl<T: Element> DeviceArray<T> { fallible! {$(
            $(#[$doc])*
            ///
            /// **Panics** if the array is empty ([`Error::InvalidShape`]).
            pub fn $name, $try_name(&self) -> Result<usize> {
                place_of_all(stringify!($name), ReduceOperation::$operation, &self.raw)
            }

            #[doc = concat!("Where along an axis, which the result lacks, the ", $word, " element is: the first of several, or the first NaN if there is one.")]
            ///
            /// **Panics** if there is no such axis or it is empty ([`Error::InvalidShape`]).
            ///
            #[doc = $example]
            pub fn $axis, $try_axis(&self, axis: isize) -> Result<DeviceArray<i64>> {
                place_along(stringify!($axis), ReduceOperation::$operation, &self.raw, axis).map(DeviceArray::from_raw)
            }
        )*} }
    };
}
places! {
    /// Where the largest element is, counted in row-major order: the first of several, or the first NaN if there is one; of
    /// bools, the first that is true. Waits for the result.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[[3, 1], [5, 5]]).argmax(), 2);
    /// ```
    argmax try_argmax argmax_axis try_argmax_axis ArgMax "largest"
        "```\nlet a = warpcell::array(&[[3, 1], [5, 7]]);\nassert_eq!(a.argmax_axis(-1).to_host(), ndarray::arr1(&[0, 1]).into_dyn());\n```";
    /// Where the smallest element is, counted in row-major order: the first of several, or the first NaN if there is one; of
    /// bools, the first that is false. Waits for the result.
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[3, 1, 2, 1]).argmin(), 1);
    /// ```
    argmin try_argmin argmin_axis try_argmin_axis ArgMin "smallest"
        "```\nlet a = warpcell::array(&[[3, 1], [5, 7]]);\nassert_eq!(a.argmin_axis(0).to_host(), ndarray::arr1(&[0, 0]).into_dyn());\n```";
}

impl<T: Element> DeviceArray<T> {
    /// Whether all elements are true, or not zero, as NaN is; true if there are none. Waits for the result.
    ///
    /// ```
    /// assert!(!warpcell::array(&[true, false]).all());
    /// assert!(warpcell::array(&[1.0, -2.0]).all());
    /// ```
    #[track_caller]
    pub fn all(&self) -> bool {
        let truths = truths("all", &self.raw);
        transfer::typed_scalar(check(truths.and_then(|truths| reduce_all("all", ReduceOperation::All, &truths))))
    }

    /// Whether any element is true, or not zero, as NaN is; false if there are none. Waits for the result.
    ///
    /// ```
    /// assert!(warpcell::array(&[true, false]).any());
    /// assert!(!warpcell::array(&[0, 0]).any());
    /// ```
    #[track_caller]
    pub fn any(&self) -> bool {
        let truths = truths("any", &self.raw);
        transfer::typed_scalar(check(truths.and_then(|truths| reduce_all("any", ReduceOperation::Any, &truths))))
    }

    thin! {
        /// Whether all elements along one axis or several are true, or not zero.
        ///
        /// **Panics** if there is no such axis, or one is named twice ([`Error::InvalidShape`]).
        pub fn all_axis(&self, axes: impl IntoAxes) -> DeviceArray<bool> =>
            truths("all_axis", &self.raw)
                .and_then(|truths| reduce_axis("all_axis", ReduceOperation::All, &truths, &axes.into_axes()));

        /// Whether any element along one axis or several is true, or not zero.
        ///
        /// **Panics** if there is no such axis, or one is named twice ([`Error::InvalidShape`]).
        pub fn any_axis(&self, axes: impl IntoAxes) -> DeviceArray<bool> =>
            truths("any_axis", &self.raw)
                .and_then(|truths| reduce_axis("any_axis", ReduceOperation::Any, &truths, &axes.into_axes()));
    }
}

/// Whether each element is true, or not zero.
pub(crate) fn truths(name: &'static str, x: &RawArray) -> Result<RawArray> {
    x.in_type(name, DType::Bool)
}

/// The array as floats of `dtype`, in which a mean of integers cannot overflow.
pub(crate) fn as_mean(name: &'static str, raw: &RawArray, dtype: DType) -> Result<RawArray> {
    raw.in_type(name, dtype)
}

/// The same, or the array itself where the device converts elements while it adds them up.
pub(crate) fn as_terms(name: &'static str, raw: &RawArray, dtype: DType) -> Result<RawArray> {
    if raw.handle.backend.converts_terms() { Ok(raw.clone()) } else { as_mean(name, raw, dtype) }
}

fn mean_all(raw: &RawArray, dtype: DType) -> Result<Scalar> {
    const NAME: &str = "mean";
    raw.handle.may_wait(NAME)?;
    let axes: Vec<usize> = (0..raw.shape().len()).collect();
    let sum = transfer::item(&sums_of_terms(NAME, &as_terms(NAME, raw, dtype)?, &axes, dtype)?)?;
    Ok(sum.divided(raw.size() as f64))
}

fn mean_axis(raw: &RawArray, axes: &[isize], dtype: DType) -> Result<RawArray> {
    const NAME: &str = "mean_axis";
    mean_along(NAME, raw, &axes_of(NAME, raw.shape(), axes)?, dtype)
}

/// The means over `axes`, sorted, as floats of `dtype`.
pub(crate) fn mean_along(name: &'static str, raw: &RawArray, axes: &[usize], dtype: DType) -> Result<RawArray> {
    let sums = sums_of_terms(name, &as_terms(name, raw, dtype)?, axes, dtype)?;
    let count: f64 = axes.iter().map(|&axis| raw.shape()[axis] as f64).product();
    let divided = |sums: &RawArray| binary(name, BinaryOperation::Divide, sums, Scalar::of_float(count, sums.dtype));
    if dtype.is_complex() { divided(&sums.parts()).map(|parts| parts.joined(dtype)) } else { divided(&sums) }
}

/// Reduces all axes to one value.
pub(crate) fn reduce_all(name: &'static str, operation: ReduceOperation, x: &RawArray) -> Result<Scalar> {
    x.handle.may_wait(name)?;
    let axes: Vec<usize> = (0..x.shape().len()).collect();
    transfer::item(&reduce(name, operation, x, &axes)?)
}

fn reduce_axis(name: &'static str, operation: ReduceOperation, x: &RawArray, axes: &[isize]) -> Result<RawArray> {
    reduce(name, operation, x, &axes_of(name, x.shape(), axes)?)
}

/// The place of the extreme element in row-major order.
fn place_of_all(name: &'static str, operation: ReduceOperation, x: &RawArray) -> Result<usize> {
    not_empty(name, x)?;
    x.handle.may_wait(name)?;
    // Along one axis, which is contiguous memory.
    let x = x.contiguous(name)?;
    let line = Layout { offset: x.layout.offset, ..Layout::contiguous(&[x.size()]) };
    let place: i64 = transfer::typed_scalar(transfer::item(&reduce(name, operation, &x.with_layout(line), &[0])?)?);
    Ok(usize::try_from(place).expect("a place within the array"))
}

fn place_along(name: &'static str, operation: ReduceOperation, x: &RawArray, axis: isize) -> Result<RawArray> {
    reduce(name, operation, x, &[axis_of(name, x.shape(), axis)?])
}

/// The error for an array that has no elements to compare, if it has none.
fn not_empty(name: &'static str, x: &RawArray) -> Result<()> {
    if x.size() > 0 {
        return Ok(());
    }
    Err(Error::shape(name, x.shape(), "has no elements to compare; reduce arrays that have some"))
}

/// The shape without these axes.
pub(crate) fn remaining(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    shape.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, &length)| length).collect()
}

/// The sums over `axes`, sorted, of the squares of the distances between what [`as_terms`] gave and `centres`, which has the type
/// and the shape of the result. Elements that are NaN may be skipped.
pub(crate) fn squared_distances(
    name: &'static str,
    x: &RawArray,
    axes: &[usize],
    centres: &RawArray,
    skips_nan: bool,
) -> Result<RawArray> {
    RawArray::written(name, &x.handle, &remaining(x.shape(), axes), centres.dtype, |out| {
        let centres = centres.contiguous(name)?;
        out.handle.backend.squared_distances(x.view(), axes, centres.view(), skips_nan, out.view())
    })
}

/// The sums over `axes`, sorted, of what [`as_terms`] gave for this type.
pub(crate) fn sums_of_terms(name: &'static str, x: &RawArray, axes: &[usize], dtype: DType) -> Result<RawArray> {
    reduce_to(name, ReduceOperation::Sum, x, axes, dtype)
}

/// The sums over `axes`, sorted, of the squares of the distances between what [`as_terms`] gave for this type and its means.
pub(crate) fn squared_deviations(name: &'static str, x: &RawArray, axes: &[usize], dtype: DType) -> Result<RawArray> {
    reduce_to(name, ReduceOperation::SquaredDeviations, x, axes, dtype)
}

pub(crate) fn reduce(name: &'static str, operation: ReduceOperation, x: &RawArray, axes: &[usize]) -> Result<RawArray> {
    let takes_all = operation == ReduceOperation::Sum && x.handle.backend.converts_terms();
    if x.dtype.is_storage() && !takes_all {
        let out = reduce(name, operation, &x.to_compute_type(name)?, axes)?;
        use ReduceOperation::{Max, MaxNumbers, Min, MinNumbers};
        let keeps_dtype = matches!(operation, Max | Min | MaxNumbers | MinNumbers);
        return if keeps_dtype { out.converted(name, x.dtype) } else { Ok(out) };
    }
    use ReduceOperation as R;
    let operation = match operation {
        R::Max | R::Min if x.dtype == DType::Bool => {
            if remaining(x.shape(), axes).iter().product::<usize>() > 0 {
                not_empty(name, x)?;
            }
            if operation == R::Max { R::Any } else { R::All }
        }
        other => other,
    };
    let composed = matches!(operation, R::Product | R::Max | R::Min | R::ArgMax | R::ArgMin);
    if x.dtype.is_complex() && composed {
        if operation.needs_elements() && remaining(x.shape(), axes).iter().product::<usize>() > 0 {
            not_empty(name, x)?;
        }
        return complex_order::reduced(name, operation, x, axes);
    }
    reduce_to(name, operation, x, axes, operation.output(x.dtype))
}

fn reduce_to(
    name: &'static str,
    operation: ReduceOperation,
    x: &RawArray,
    axes: &[usize],
    dtype: DType,
) -> Result<RawArray> {
    let out = RawArray::uninitialised(name, &x.handle, &remaining(x.shape(), axes), dtype)?;
    if out.size() == 0 {
        return Ok(out);
    }
    use ReduceOperation as R;
    let of_numbers = matches!(operation, R::SumNumbers | R::ProductNumbers | R::MaxNumbers | R::MinNumbers);
    let counts = matches!(operation, R::CountNumbers | R::CountNonzero);
    if axes.is_empty() && !of_numbers && !counts && operation != R::SquaredDeviations {
        // Each element by itself.
        return match operation {
            ReduceOperation::SumSquares => binary(name, BinaryOperation::Multiply, x, x),
            _ => x.converted(name, dtype),
        };
    }
    if operation.needs_elements() {
        not_empty(name, x)?;
    }
    x.handle.backend.reduce(operation, x.view(), axes, out.view())?;
    Ok(out)
}
