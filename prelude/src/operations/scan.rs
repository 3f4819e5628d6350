//! Running sums and products, and differences of neighbours.

use crate::array::axes::axis_of;
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, join, slice_axis};
use crate::backend::{BinaryOperation, ScanOperation};
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::complex_order;
use crate::operations::elementwise::{RawOperand, binary};
use crate::thin::thin;

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident $try_name:ident
       $(#[$axis_doc:meta])* $axis:ident $try_axis:ident $operation:ident;)*) => {
        impl<T: Element> DeviceArray<T> { fallible! {$(
            $(#[$doc])*
            pub fn $name, $try_name(&self) -> Result<DeviceArray<T::Sum>> {
                scan_all(stringify!($name), ScanOperation::$operation, &self.raw).map(DeviceArray::from_raw)
            }

            $(#[$axis_doc])*
            ///
            /// **Panics** if there is no such axis ([`Error::InvalidShape`](crate::Error::InvalidShape)).
            pub fn $axis, $try_axis(&self, axis: isize) -> Result<DeviceArray<T::Sum>> {
                scan_axis(stringify!($axis), ScanOperation::$operation, &self.raw, axis).map(DeviceArray::from_raw)
            }
        )*} }
    };
}
scans! {
    /// The sums of all elements up to each, in row-major order, along one axis; NumPy's `cumsum` without an axis. Small
    /// integers widen (see [`Element::Sum`]), wide ones wrap, and bools are counted.
    ///
    /// `f32` is added in `f64` and rounded once. Sums of `f64` differ between devices by rounding alone: by a few thousand
    /// units in the last place of the sum of absolute values at most, and far less in general.
    ///
    /// ```
    /// let a = warpcell::array(&[[1, 2], [3, 4]]);
    /// assert_eq!(a.cumsum().to_host(), ndarray::arr1(&[1i64, 3, 6, 10]).into_dyn());
    /// ```
    cumsum try_cumsum
    /// The sums along an axis up to each element; the shape stays. See [`cumsum`](Self::cumsum).
    ///
    /// ```
    /// let a = warpcell::array(&[[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(a.cumsum_axis(0).to_host(), ndarray::array![[1.0, 2.0], [4.0, 6.0]].into_dyn());
    /// assert_eq!(a.cumsum_axis(-1).to_host(), ndarray::array![[1.0, 3.0], [3.0, 7.0]].into_dyn());
    /// ```
    cumsum_axis try_cumsum_axis Sum;
    /// The products of all elements up to each, in row-major order, along one axis; NumPy's `cumprod` without an axis. Types
    /// and rounding are as for [`cumsum`](Self::cumsum).
    ///
    /// ```
    /// assert_eq!(warpcell::array(&[1u8, 200, 2]).cumprod().to_host(), ndarray::arr1(&[1u64, 200, 400]).into_dyn());
    /// ```
    cumprod try_cumprod
    /// The products along an axis up to each element; the shape stays. See [`cumprod`](Self::cumprod).
    ///
    /// ```
    /// let a = warpcell::array(&[[1, 2], [3, 4]]);
    /// assert_eq!(a.cumprod_axis(0).to_host(), ndarray::array![[1i64, 2], [3, 8]].into_dyn());
    /// ```
    cumprod_axis try_cumprod_axis Product;
}

thin! {
    /// The differences of neighbours along an axis, which gets shorter by one element; this `n` times. Of bools whether
    /// neighbours differ. NumPy's `diff`; `gpu::diff!(&a, prepend = 0.0)` has its keywords.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1, 4, 9, 16]);
    /// assert_eq!(gpu::diff(&a, 1, 0).to_host(), ndarray::arr1(&[3, 5, 7]).into_dyn());
    /// assert_eq!(gpu::diff(&a, 2, -1).to_host(), ndarray::arr1(&[2, 2]).into_dyn());
    /// ```
    pub fn diff<A: OnDevice<Elem = T>, T: Element>(a: &A, n: usize, axis: isize) -> DeviceArray<T> =>
        differences("diff", a.raw(), n, axis);

    /// The sums of the elements of a 1-D array up to each; NumPy's `cumulative_sum`. Types and rounding are as for
    /// [`cumsum`](DeviceArray::cumsum). `gpu::cumulative_sum!(&x, axis = 0, include_initial = true)` has the keywords.
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::cumulative_sum(&gpu::array(&[1, 2, 3])).tolist(), [1i64, 3, 6]);
    /// ```
    pub fn cumulative_sum<A: OnDevice<Elem = T>, T: Element>(x: &A) -> DeviceArray<T::Sum> =>
        cumulative("cumulative_sum", ScanOperation::Sum, x.raw(), None, false);

    /// The products of the elements of a 1-D array up to each; NumPy's `cumulative_prod`. Types and rounding are as for
    /// [`cumsum`](DeviceArray::cumsum). `gpu::cumulative_prod!(&x, axis = 0, include_initial = true)` has the keywords.
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::cumulative_prod(&gpu::array(&[1, 2, 3])).tolist(), [1i64, 2, 6]);
    /// ```
    pub fn cumulative_prod<A: OnDevice<Elem = T>, T: Element>(x: &A) -> DeviceArray<T::Sum> =>
        cumulative("cumulative_prod", ScanOperation::Product, x.raw(), None, false);
}

/// Running sums or products along the axis, which only a 1-D array may lack; with what they begin from, if that is asked for.
pub(crate) fn cumulative(
    name: &'static str,
    operation: ScanOperation,
    x: &RawArray,
    axis: Option<isize>,
    include_initial: bool,
) -> Result<RawArray> {
    let axis = match axis {
        Some(axis) => axis_of(name, x.shape(), axis)?,
        None if x.shape().len() == 1 => 0,
        None => {
            let reason = format!("is not 1-D; name the axis, such as `gpu::{name}!(&x, axis = 0)`");
            return Err(Error::shape(name, x.shape(), reason));
        }
    };
    let found = scan(name, operation, &x.contiguous(name)?, axis)?;
    if !include_initial {
        return Ok(found);
    }
    let length = found.shape()[axis];
    let mut shape = found.shape().to_vec();
    shape[axis] += 1;
    let out = RawArray::uninitialised(name, &found.handle, &shape, found.dtype)?;
    let first = slice_axis(&out, axis, 0, 1, 1);
    if first.size() > 0 {
        let of = if operation == ScanOperation::Product { Scalar::one } else { Scalar::zero };
        first.handle.backend.fill(of(first.dtype), first.view())?;
    }
    assign(name, &slice_axis(&out, axis, 1, 1, length), &found)?;
    Ok(out)
}

/// Scans the elements in row-major order.
pub(super) fn scan_all(name: &'static str, operation: ScanOperation, x: &RawArray) -> Result<RawArray> {
    scan(name, operation, &x.flat(name)?, 0)
}

pub(crate) fn scan_axis(name: &'static str, operation: ScanOperation, x: &RawArray, axis: isize) -> Result<RawArray> {
    let axis = axis_of(name, x.shape(), axis)?;
    scan(name, operation, &x.contiguous(name)?, axis)
}

/// Scans a contiguous array.
fn scan(name: &'static str, operation: ScanOperation, x: &RawArray, axis: usize) -> Result<RawArray> {
    let x = &x.to_compute_type(name)?;
    if x.dtype.is_complex() {
        return complex_order::scanned(name, operation, x, axis);
    }
    RawArray::written(name, &x.handle, x.shape(), x.dtype.sum(), |out| {
        x.handle.backend.scan(operation, x.view(), axis, out.view())
    })
}

/// `diff` of an array with more before and behind it: numbers and 0-d arrays along the axis, or arrays.
pub(crate) fn differences_with(
    x: &RawArray,
    n: usize,
    axis: isize,
    prepend: Option<RawOperand<'_>>,
    append: Option<RawOperand<'_>>,
) -> Result<RawArray> {
    const NAME: &str = "diff";
    let place = axis_of(NAME, x.shape(), axis)?;
    // Without differences, the array as it is: what stands before and behind it counts only for them.
    if n == 0 {
        return x.copied(NAME);
    }
    let mut line = x.shape().to_vec();
    line[place] = 1;
    let part = |end: Option<RawOperand<'_>>| match end {
        None => Ok(None),
        Some(RawOperand::Scalar(value)) => RawArray::filled(NAME, &x.handle, &line, value).map(Some),
        Some(RawOperand::Array(array)) if array.shape().is_empty() => broadcast_to(NAME, array, &line).map(Some),
        Some(RawOperand::Array(array)) => Ok(Some(array.clone())),
    };
    let parts: Vec<RawArray> = [part(prepend)?, Some(x.clone()), part(append)?].into_iter().flatten().collect();
    if let [whole] = &parts[..] {
        differences(NAME, whole, n, axis)
    } else {
        differences(NAME, &join(NAME, &parts, axis)?, n, axis)
    }
}

pub(super) fn differences(name: &'static str, x: &RawArray, n: usize, axis: isize) -> Result<RawArray> {
    let axis = axis_of(name, x.shape(), axis)?;
    if n == 0 {
        return x.copied(name);
    }
    let mut result = x.clone();
    // Differences of nothing are nothing, however often they are taken.
    for _ in 0..n.min(x.shape()[axis].max(1)) {
        let left = result.shape()[axis].saturating_sub(1);
        let (later, earlier) = (slice_axis(&result, axis, 1, 1, left), slice_axis(&result, axis, 0, 1, left));
        result = binary(name, BinaryOperation::Subtract, &later, &earlier)?;
    }
    Ok(result)
}
