//! Diagonals and triangles of matrices.

use crate::array::view::assign;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{RawOperand, binary};
use crate::operations::selection::choose;

/// The matrix with a 1-D array on its diagonal; or of a matrix the diagonal, a view. NumPy's `diag`. Another diagonal than
/// the main one is `gpu::diag!(&a, k = 1)`.
///
/// **Panics** if the array has more than two axes or none ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::diag(&gpu::array(&[1, 2])).ravel().tolist(), [1, 0, 0, 2]);
/// assert_eq!(gpu::diag(&gpu::array(&[[1, 2], [3, 4]])).tolist(), [1, 4]);
/// ```
#[track_caller]
pub fn diag<A: OnDevice<Elem = T>, T: Element>(v: &A) -> DeviceArray<T> {
    DeviceArray::from_raw(check(diagonal_of(v.raw(), 0)))
}

/// The array with zeros below the main diagonal of its last two axes; NumPy's `triu`. Another diagonal is
/// `gpu::triu!(&a, k = 1)`.
///
/// **Panics** if the array has less than two axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::triu(&gpu::array(&[[1, 2], [3, 4]])).ravel().tolist(), [1, 2, 0, 4]);
/// ```
#[track_caller]
pub fn triu<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> {
    DeviceArray::from_raw(check(triangle("triu", m.raw(), 0)))
}

/// The array with zeros above the main diagonal of its last two axes; NumPy's `tril`. Another diagonal is
/// `gpu::tril!(&a, k = -1)`.
///
/// **Panics** if the array has less than two axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::tril(&gpu::array(&[[1, 2], [3, 4]])).ravel().tolist(), [1, 0, 3, 4]);
/// ```
#[track_caller]
pub fn tril<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> {
    DeviceArray::from_raw(check(triangle("tril", m.raw(), 0)))
}

/// A view of the diagonal that begins `k` columns to the right, or rows down if it is negative.
pub(crate) fn diagonal_view(x: &RawArray, k: isize) -> RawArray {
    let [rows, columns] = [x.shape()[0], x.shape()[1]];
    let [down, right] = [x.layout.strides[0], x.layout.strides[1]];
    let (first_row, first_column) = (k.min(0).unsigned_abs(), k.max(0).unsigned_abs());
    let length = rows.saturating_sub(first_row).min(columns.saturating_sub(first_column));
    let start = if length == 0 { 0 } else { first_row as isize * down + first_column as isize * right };
    let offset = x.layout.offset.checked_add_signed(start).expect("within the allocation");
    x.with_layout(Layout { shape: vec![length], strides: vec![down + right], offset })
}

/// `diag` for the diagonal `k`.
pub(crate) fn diagonal_of(x: &RawArray, k: isize) -> Result<RawArray> {
    const NAME: &str = "diag";
    match *x.shape() {
        [_, _] => Ok(diagonal_view(x, k)),
        [length] => {
            let order = length.saturating_add(k.unsigned_abs());
            let out = RawArray::filled(NAME, &x.handle, &[order, order], Scalar::zero(x.dtype))?;
            assign(NAME, &diagonal_view(&out, k), x)?;
            Ok(out)
        }
        _ => Err(Error::InvalidShape {
            operation: NAME,
            shape: x.shape().to_vec(),
            reason: "is neither 1-D nor 2-D; use `a.diagonal()`, or `ravel` the array first".into(),
        }),
    }
}

/// `triu` or `tril` from the diagonal `k` on.
pub(crate) fn triangle(name: &'static str, x: &RawArray, k: isize) -> Result<RawArray> {
    let [.., rows, columns] = *x.shape() else {
        let reason = "is not a matrix; give an array with at least two axes".into();
        return Err(Error::InvalidShape { operation: name, shape: x.shape().to_vec(), reason });
    };
    let numbers = |count: usize, shape: &[usize]| {
        RawArray::of_indices(name, &x.handle, shape, &(0..count as i64).collect::<Vec<_>>())
    };
    let (down, right) = (numbers(rows, &[rows, 1])?, numbers(columns, &[columns])?);
    let distance = binary(name, BinaryOperation::Subtract, RawOperand::Array(&right), RawOperand::Array(&down))?;
    let comparison = if name == "triu" { BinaryOperation::GreaterEqual } else { BinaryOperation::LessEqual };
    let k = RawOperand::Scalar(Scalar::I64(k as i64));
    let is_kept = binary(name, comparison, RawOperand::Array(&distance), k)?;
    choose(&is_kept, RawOperand::Array(x), RawOperand::Scalar(Scalar::zero(x.dtype)))
}
