//! Arrays of many axes as matrices: inverses, and systems of linear equations.

use super::equations::{inv_of, solve_of};
use crate::array::axes::{axes_of, axis_of};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::Inexact;
use crate::error::{Error, Result};
use crate::operations::composing::Composed;
use crate::thin::thin;

thin! {
    /// The inverse of an array of many axes, of which the first two stand for the rows of a matrix and the others for its
    /// columns. NumPy's `linalg.tensorinv`; `gpu::linalg::tensorinv!(&a, ind = 1)` has another number of axes for the rows.
    /// Waits.
    ///
    /// **Panics** if the rows are not as many as the columns, or there are less than two axes ([`Error::InvalidShape`]), and as
    /// [`inv`](super::inv) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::eye::<f64>(6).reshape((2, 3, 6)) * 2.0;
    /// let inverse = gpu::linalg::tensorinv(&a);
    /// assert_eq!((inverse.shape(), inverse.sum()), (&[6, 2, 3][..], 3.0));
    /// ```
    pub fn tensorinv<A: OnDevice<Elem = T>, T: Inexact>(a: &A) -> DeviceArray<T> => inverse(a.raw(), 2);

    /// The solution `x` of `tensordot(a, x, x.ndim()) = b`: the last axes of `a` stand for the unknowns, and the first ones
    /// are those of `b`. NumPy's `linalg.tensorsolve`; `gpu::linalg::tensorsolve!(&a, &b, axes = (0, 2))` moves axes of `a`
    /// behind all others first. Waits.
    ///
    /// **Panics** if the first axes of `a` and all of `b` do not have the same number of elements as the other axes of `a`
    /// ([`Error::InvalidShape`]), and as [`solve`](super::solve) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::eye::<f64>(6).reshape((6, 2, 3)) * 2.0;
    /// assert_eq!(gpu::linalg::tensorsolve(&a, &gpu::ones::<f64>(6)).shape(), [2, 3]);
    /// ```
    pub fn tensorsolve<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Inexact>(a: &A, b: &B) -> DeviceArray<T> =>
        solution(a.raw(), b.raw(), &[]);
}

/// The array as a matrix of so many rows and as many columns.
fn square(name: &'static str, a: &RawArray, rows: &[usize], columns: &[usize]) -> Result<RawArray> {
    let [row_count, column_count] = [rows, columns].map(|lengths| lengths.iter().product::<usize>());
    if row_count != column_count || row_count * column_count != a.size() {
        let reason = format!(
            "is not that of a square matrix: rows of the shape {rows:?} and columns of the shape {columns:?} are not as many"
        );
        return Err(Error::shape(name, a.shape(), reason));
    }
    Composed(name).shaped(a, &[row_count, column_count])
}

/// The inverse where the first `ind` axes stand for the rows.
pub(crate) fn inverse(a: &RawArray, ind: usize) -> Result<RawArray> {
    const NAME: &str = "tensorinv";
    if ind == 0 || ind > a.shape().len() {
        let reason = format!("has {} axes; give an `ind` from 1 to this number, not {ind}", a.shape().len());
        return Err(Error::shape(NAME, a.shape(), reason));
    }
    let (rows, columns) = a.shape().split_at(ind);
    let inverse = inv_of(NAME, &square(NAME, a, rows, columns)?, None)?;
    Composed(NAME).shaped(&inverse, &[columns, rows].concat())
}

/// The solution after these axes of `a` were moved behind all others.
pub(crate) fn solution(a: &RawArray, b: &RawArray, axes: &[isize]) -> Result<RawArray> {
    const NAME: &str = "tensorsolve";
    a.same_device(NAME, b)?;
    axes_of(NAME, a.shape(), axes)?;
    let rank = a.shape().len();
    let mut order: Vec<usize> = (0..rank).collect();
    for &axis in axes {
        let axis = axis_of(NAME, a.shape(), axis)?;
        order.retain(|&other| other != axis);
        order.push(axis);
    }
    let mut layout = a.layout.clone();
    layout.shape = order.iter().map(|&axis| a.layout.shape[axis]).collect();
    layout.strides = order.iter().map(|&axis| a.layout.strides[axis]).collect();
    let a = a.with_layout(layout);
    let unknown = &a.shape()[b.shape().len().min(rank)..];
    let matrix = square(NAME, &a, b.shape(), unknown)?;
    let calc = Composed(NAME);
    let found = solve_of(&matrix, &calc.shaped(b, &[b.size()])?, None)?;
    calc.shaped(&found, unknown)
}
