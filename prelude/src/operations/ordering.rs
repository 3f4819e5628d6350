//! Orders by several keys, the order of complex numbers, and the places of extremes among numbers that may be NaN.

use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::{ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Element, Inexact, Real, Scalar, Spectrum};
use crate::error::{Error, Result, check};
use crate::operations::complex_order::{order_of_rows, rearranged};
use crate::operations::elementwise::unary;
use crate::operations::reduce::{reduce, reduce_all};
use crate::operations::selection::choose;
use crate::operations::sorting::{along, sorted_rows};
use crate::thin::thin;

thin! {
    /// The positions that elements along the last axis have when they are sorted by several keys: by the last key, those that
    /// are equal there by the key before, and so on. NumPy's `lexsort`; another axis is `gpu::lexsort!((&b, &a), axis = 0)`.
    ///
    /// The keys are arrays of one element type and one shape with an axis. NaN comes last. Positions of elements that are
    /// equal in all keys ascend. Queued.
    ///
    /// **Panics** if there is no key ([`Error::InvalidArgument`]), if shapes differ ([`Error::InvalidShape`]), or if arrays
    /// are on different devices.
    ///
    /// By sorting once for each key.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (first_names, surnames) = (gpu::array(&[3, 1, 2]), gpu::array(&[7, 7, 5]));
    /// assert_eq!(gpu::lexsort([&first_names, &surnames]).tolist(), [2, 1, 0]);
    /// ```
    pub fn lexsort<'a, A: 'a + OnDevice<Elem: Real>>(keys: impl IntoIterator<Item = &'a A>) -> DeviceArray<i64> => {
        let keys: Vec<RawArray> = keys.into_iter().map(|key| key.raw().clone()).collect();
        by_keys("lexsort", &keys, -1)
    };

    /// A new array with the elements in ascending order along the first axis; NumPy's `msort`, which NumPy 2 no longer has,
    /// and CuPy has. The same as [`sort_axis(&a, 0)`](fn@crate::sort_axis).
    ///
    /// **Panics** if the array has no axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::msort(&gpu::array(&[[3, 1], [2, 4]])).ravel().tolist(), [2, 1, 3, 4]);
    /// ```
    pub fn msort<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> => along("msort", a.raw(), 0, false);

    /// The elements as complex numbers in ascending order along the last axis: by their real parts, those of equal real parts
    /// by their imaginary parts. NumPy's `sort_complex`. Numbers with a NaN come last: those whose imaginary part alone is
    /// NaN, those whose real part alone is, and those of which both are.
    ///
    /// `f32` becomes `Complex<f32>`; `f64`, integers and bools become `Complex<f64>`. Queued.
    ///
    /// **Panics** if the array has no axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell::{self as gpu, Complex};
    /// let a = gpu::array(&[Complex::new(2.0, 1.0), Complex::new(1.0, 5.0), Complex::new(2.0, -1.0)]);
    /// assert_eq!(gpu::sort_complex(&a).imag().tolist(), [5.0, -1.0, 1.0]);
    /// ```
    pub fn sort_complex<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<Spectrum<T>> => {
        let dtype = <<T as Element>::Mean as Inexact>::Complex::DTYPE;
        sorted_complex(a.raw(), dtype)
    };
}

macro_rules! places {
    ($($(#[$doc:meta])* $name:ident $operation:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// **Panics** if the array is empty ([`Error::InvalidShape`]), or has nothing but NaN ([`Error::InvalidArgument`]).
        #[track_caller]
        pub fn $name<A: OnDevice>(a: &A) -> usize {
            check(place_of_number(stringify!($name), ReduceOperation::$operation, a.raw()))
        }
    )*};
}
places! {
    /// Where the largest element is that is not NaN, counted in row-major order: the first of several. NumPy's `nanargmax`;
    /// along an axis `gpu::nanargmax!(&a, axis = 1)`. Waits for the result. As in NumPy, NaN counts as `-inf`, so it is found
    /// where nothing is larger.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanargmax(&gpu::array(&[f64::NAN, 1.0, 5.0, 2.0])), 2);
    /// ```
    nanargmax ArgMax;
    /// Where the smallest element is that is not NaN, counted in row-major order: the first of several. NumPy's `nanargmin`;
    /// along an axis `gpu::nanargmin!(&a, axis = 1)`. Waits for the result. As in NumPy, NaN counts as `inf`, so it is found
    /// where nothing is smaller.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::nanargmin(&gpu::array(&[f64::NAN, 1.0, 5.0, 2.0])), 1);
    /// ```
    nanargmin ArgMin;
}

/// `lexsort` along an axis.
pub(crate) fn by_keys(name: &'static str, keys: &[RawArray], axis: isize) -> Result<RawArray> {
    let Some((first, others)) = keys.split_first() else {
        let reason = "there is no key to sort by; give at least one array";
        return Err(Error::argument(name, reason));
    };
    for (index, key) in others.iter().enumerate() {
        first.same_device(name, key)?;
        if key.shape() != first.shape() {
            let reason = format!(
                "of key {} differs from the shape of the first key, {:?}; give keys of one shape",
                index + 1,
                first.shape()
            );
            return Err(Error::shape(name, key.shape(), reason));
        }
    }
    let axis = axis_of(name, first.shape(), axis)?;
    let last = first.shape().len() - 1;
    let mut order = sorted_rows(name, &first.moved(axis, last), true)?;
    for key in others {
        let next = sorted_rows(name, &rearranged(name, &key.moved(axis, last), &order)?, true)?;
        order = rearranged(name, &order, &next)?;
    }
    if axis == last { Ok(order) } else { order.moved(last, axis).copied(name) }
}

fn sorted_complex(x: &RawArray, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "sort_complex";
    if !x.dtype.is_complex() {
        return along(NAME, x, -1, false)?.converted(NAME, dtype);
    }
    axis_of(NAME, x.shape(), -1)?;
    rearranged(NAME, x, &order_of_rows(NAME, x)?)
}

/// The places of the extremes along an axis, NaN apart.
pub(crate) fn places_of_numbers(
    name: &'static str,
    operation: ReduceOperation,
    x: &RawArray,
    axis: isize,
) -> Result<RawArray> {
    let axis = axis_of(name, x.shape(), axis)?;
    if !(x.dtype.is_float() || x.dtype.is_complex()) || x.size() == 0 {
        return reduce(name, operation, x, &[axis]);
    }
    let x = x.to_compute_type(name)?;
    let is_nan = unary(name, UnaryOperation::IsNan, &x)?;
    let has_only_nan = reduce(name, ReduceOperation::All, &is_nan, &[axis])?;
    if reduce_all(name, ReduceOperation::Any, &has_only_nan)? == Scalar::Bool(true) {
        let reason =
            format!("there are only NaN somewhere along axis {axis}; give at least one number, or use `argmax`");
        let reason = if operation == ReduceOperation::ArgMin { reason.replace("argmax", "argmin") } else { reason };
        return Err(Error::argument(name, reason));
    }
    let worst = if operation == ReduceOperation::ArgMax { f64::NEG_INFINITY } else { f64::INFINITY };
    reduce(name, operation, &choose(&is_nan, Scalar::of_float(worst, x.dtype), &x)?, &[axis])
}

fn place_of_number(name: &'static str, operation: ReduceOperation, x: &RawArray) -> Result<usize> {
    x.handle.may_wait(name)?;
    let place = places_of_numbers(name, operation, &x.flat(name)?, 0)?;
    let place: i64 = transfer::typed_scalar(transfer::item(&place)?);
    Ok(usize::try_from(place).expect("a place within the array"))
}
