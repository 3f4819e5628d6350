//! Values that are added to elements at indices which may repeat, or compared with them.

use super::{Indices, put, take};
use crate::array::indices::{IntoIndices, RawIndices};
use crate::array::view::{broadcast_to, writable};
use crate::array::{DeviceArray, RawArray, slice_axis};
use crate::backend::{BinaryOperation, Layout, ScanOperation, UnaryOperation};
use crate::dtype::{DType, Number, Scalar};
use crate::error::Result;
use crate::fallible::fallible;
use crate::operations::counting::by_value;
use crate::operations::elementwise::{Operand, RawOperand, binary, binary_into, unary};
use crate::operations::scan::scan_all;
use crate::operations::sorting::{Side, search, sorted_rows};

macro_rules! scatters {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $operation:ident;)*) => {
        impl<T: Number> DeviceArray<T> { fallible! {$(
            $(#[$doc])*
            ///
            /// The indices count the elements in row-major order, negative ones from the last. There is one value for each
            /// index, or one for all. Writes to the array that this is a view of, too. Waits for the device.
            ///
            /// **Panics** if an index is out of range ([`Error::IndexOutOfRange`](crate::Error::IndexOutOfRange)), the values
            /// do not fit the indices, a device differs, or if this is a view made by [`broadcast_to`](Self::broadcast_to).
            pub fn $name, $try_name(&mut self, indices: impl IntoIndices, values: impl Operand<T>) -> Result<()> {
                let operation = BinaryOperation::$operation;
                scattered(stringify!($name), operation, &self.raw, indices.raw_indices(), values.raw_operand())
            }
        )*} }
    };
}
scatters! {
    /// Adds values to elements, each of several values for one element; NumPy's `np.add.at(a, indices, values)`. Floats are
    /// added in `f64`.
    ///
    /// ```
    /// let mut a = warpcell::zeros::<f64>(3);
    /// a.scatter_add(&warpcell::array(&[0, 2, 2]), &warpcell::array(&[1.0, 2.0, 3.0]));
    /// assert_eq!(a.tolist(), [1.0, 0.0, 5.0]);
    /// ```
    scatter_add try_scatter_add Add;
    /// Replaces elements by values that are larger; NumPy's `np.maximum.at(a, indices, values)`.
    ///
    /// ```
    /// let mut a = warpcell::zeros::<f64>(3);
    /// a.scatter_max(&warpcell::array(&[0, 2, 2]), &warpcell::array(&[-1.0, 3.0, 2.0]));
    /// assert_eq!(a.tolist(), [0.0, 0.0, 3.0]);
    /// ```
    scatter_max try_scatter_max Maximum;
    /// Replaces elements by values that are smaller; NumPy's `np.minimum.at(a, indices, values)`.
    ///
    /// ```
    /// let mut a = warpcell::zeros::<f64>(3);
    /// a.scatter_min(&warpcell::array(&[0, 2, 2]), &warpcell::array(&[-1.0, -3.0, 2.0]));
    /// assert_eq!(a.tolist(), [-1.0, 0.0, -3.0]);
    /// ```
    scatter_min try_scatter_min Minimum;
}

fn scattered(
    name: &'static str,
    operation: BinaryOperation,
    target: &RawArray,
    indices: RawIndices,
    values: RawOperand<'_>,
) -> Result<()> {
    writable(name, target)?;
    let indices = Indices::new(name, indices, &target.handle, None, target.size())?;
    let count = indices.raw.size();
    if count == 0 {
        return Ok(());
    }
    let positions = indices.positions(name, target.size())?.flat(name)?;
    let values = match values {
        RawOperand::Array(array) => {
            target.same_device(name, array)?;
            broadcast_to(name, array, indices.raw.shape())?.flat(name)?
        }
        RawOperand::Scalar(value) => RawArray::filled(name, &target.handle, &[count], value)?,
    };
    match operation {
        BinaryOperation::Add => {
            let sums = if target.dtype.is_float() {
                by_value(&positions, Some(&values), target.size())?
            } else {
                whole_sums(name, &positions, &values, target.size())?
            };
            let sums = sums.converted(name, target.dtype)?.with_layout(Layout::contiguous(target.shape()));
            binary_into(name, operation, target, &sums)
        }
        _ => {
            // Of several values for one element the last one stays, so it must be the one that is looked for.
            let order = ordered(name, operation, &values)?;
            let sorted = |array: &RawArray| take(array, RawIndices::Device(order.clone()));
            let (positions, values) = (sorted(&positions)?, sorted(&values)?);
            let old = take(target, RawIndices::Device(positions.clone()))?;
            let new = binary(name, operation, &old, &values)?;
            put(target, RawIndices::Device(positions), RawOperand::Array(&new))
        }
    }
}

/// The order in which the largest value is the last, or the smallest one; NaN is behind both.
fn ordered(name: &'static str, operation: BinaryOperation, values: &RawArray) -> Result<RawArray> {
    let ascending = sorted_rows(name, values, true)?;
    if operation == BinaryOperation::Maximum {
        return Ok(ascending);
    }
    let count = values.size();
    let descending = slice_axis(&ascending, 0, count - 1, -1, count).contiguous(name)?;
    if !values.dtype.is_float() {
        return Ok(descending);
    }
    let is_nan = unary(name, UnaryOperation::IsNan, &take(values, RawIndices::Device(descending.clone()))?)?;
    take(&descending, RawIndices::Device(sorted_rows(name, &is_nan, true)?))
}

/// The sums of the integers for each of `length` positions: differences of running sums, which wrap as sums do.
fn whole_sums(name: &'static str, positions: &RawArray, values: &RawArray, length: usize) -> Result<RawArray> {
    let order = sorted_rows(name, positions, true)?;
    let sorted = |array: &RawArray| take(array, RawIndices::Device(order.clone()));
    let (positions, running) = (sorted(positions)?, scan_all(name, ScanOperation::Sum, &sorted(values)?)?);
    // One 0 in front: the sum before the first value.
    let from_zero = RawArray::filled(name, &running.handle, &[running.size() + 1], Scalar::zero(running.dtype))?;
    crate::array::assign(name, &slice_axis(&from_zero, 0, 1, 1, running.size()), &running)?;
    let all = RawArray::of_indices(name, &running.handle, &[length], &(0..length as i64).collect::<Vec<_>>())?;
    let until = |side| take(&from_zero, RawIndices::Device(search(name, &positions, &all, side)?));
    let (ends, starts) = (until(Side::Right)?, until(Side::Left)?);
    debug_assert!(matches!(running.dtype, DType::I64 | DType::U64), "sums of integers are wide");
    binary(name, BinaryOperation::Subtract, &ends, &starts)
}

#[cfg(test)]
mod tests {
    use crate::{array, zeros};

    #[test]
    fn indices_that_repeat() {
        let i = array(&[3, 0, 3, -1, 3]);
        let mut a = zeros::<f64>((2, 2));
        a.scatter_add(&i, &array(&[1.0, 2.0, 4.0, 8.0, 16.0]));
        assert_eq!(a.ravel().tolist(), [2.0, 0.0, 0.0, 29.0]);
        a.scatter_add(&i, 1.0);
        assert_eq!(a.ravel().tolist(), [3.0, 0.0, 0.0, 33.0]);
        let mut whole = array(&[1u8, 2, 3, 250]);
        whole.scatter_add(&i, &array(&[1u8, 2, 4, 8, 16]));
        assert_eq!(whole.tolist(), [3, 2, 3, 23]);
        let mut large = array(&[0i64, 0, 0, 1]);
        large.scatter_add(&i, &array(&[i64::MAX, 5, 1, -1, 0]));
        assert_eq!(large.tolist(), [5, 0, 0, i64::MIN]);
        let mut most = array(&[0.0, 0.0, 0.0, 5.0]);
        most.scatter_max(&i, &array(&[9.0, -2.0, 7.0, f64::NEG_INFINITY, 8.0]));
        assert_eq!(most.tolist(), [0.0, 0.0, 0.0, 9.0]);
        let mut least = array(&[0, 0, 0, 5]);
        least.scatter_min(&i, &array(&[9, -2, 7, 4, 8]));
        assert_eq!(least.tolist(), [-2, 0, 0, 4]);
    }

    #[test]
    fn nan_stays_and_views_are_written_to() {
        let mut a = array(&[1.0, 1.0]);
        a.scatter_min(&array(&[0, 0, 1]), &array(&[f64::NAN, -5.0, -5.0]));
        a.scatter_max(&array(&[1, 1]), &array(&[f64::NAN, 7.0]));
        assert!(a.is_nan().all());
        let m = zeros::<f64>((2, 3));
        let mut column = m.slice(ndarray::s![.., 1]);
        column.scatter_add(&array(&[0, 1, 1]), 1.0);
        column.scatter_max(&array(&[0]), 4.0);
        assert_eq!(m.ravel().tolist(), [0.0, 4.0, 0.0, 0.0, 2.0, 0.0]);
        assert!(column.try_scatter_add(&array(&[2]), 1.0).is_err());
        column.scatter_min(&array([0_i64; 0]), 1.0);
    }
}
