//! Diagonals and triangles of matrices.

use crate::array::axes::axis_of;
use crate::array::grids::numbers;
use crate::array::view::assign;
use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis, writable};
use crate::backend::{BinaryOperation, Layout, ScanOperation};
use crate::device::{self, Handle};
use crate::dtype::{Arithmetic, DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::insertion::resized;
use crate::operations::per_element::ones_up_to;
use crate::operations::polynomials::powers;
use crate::operations::scan::scan_axis;
use crate::operations::selection::choose;
use crate::thin::thin;

thin! {
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
    pub fn diag<A: OnDevice<Elem = T>, T: Element>(v: &A) -> DeviceArray<T> => diagonal_of(v.raw(), 0);

    /// The array with zeros below the main diagonal of its last two axes; NumPy's `triu`. Another diagonal is
    /// `gpu::triu!(&a, k = 1)`.
    ///
    /// **Panics** if the array has less than two axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::triu(&gpu::array(&[[1, 2], [3, 4]])).ravel().tolist(), [1, 2, 0, 4]);
    /// ```
    pub fn triu<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> => triangle("triu", m.raw(), 0);

    /// The array with zeros above the main diagonal of its last two axes; NumPy's `tril`. Another diagonal is
    /// `gpu::tril!(&a, k = -1)`.
    ///
    /// **Panics** if the array has less than two axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::tril(&gpu::array(&[[1, 2], [3, 4]])).ravel().tolist(), [1, 0, 3, 4]);
    /// ```
    pub fn tril<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> => triangle("tril", m.raw(), 0);

    /// The identity matrix of order `n`, the same as [`eye`](fn@crate::eye); NumPy's `identity`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::identity::<f64>(2).ravel().tolist(), [1.0, 0.0, 0.0, 1.0]);
    /// ```
    pub fn identity<T: Arithmetic>(n: usize) -> DeviceArray<T> => ones_on_diagonal("identity", [n, n], 0, T::DTYPE);

    /// The matrix of order `n` with ones on the main diagonal and below it, and zeros above; NumPy's `tri`. A matrix that is
    /// not square is `gpu::tri!(n, M = 4)`, another diagonal `k = 1`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::tri::<f64>(2).ravel().tolist(), [1.0, 0.0, 1.0, 1.0]);
    /// ```
    pub fn tri<T: Arithmetic>(n: usize) -> DeviceArray<T> => ones_below("tri", [n, n], 0, T::DTYPE);

    /// The matrix whose columns are powers of the elements of a 1-D array, the highest power first and 1 last: a Vandermonde
    /// matrix of as many columns as rows. NumPy's `vander`; `gpu::vander!(&x, N = 3, increasing = true)` has its keywords.
    ///
    /// The types of the results are those of products: small integers widen (see [`Element::Sum`]).
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let v = gpu::vander(&gpu::array(&[2.0, 3.0, 5.0]));
    /// assert_eq!(v.ravel().tolist(), [4.0, 2.0, 1.0, 9.0, 3.0, 1.0, 25.0, 5.0, 1.0]);
    /// ```
    pub fn vander<A: OnDevice<Elem = T>, T: Arithmetic>(x: &A) -> DeviceArray<T::Sum> =>
        powers_of(x.raw(), x.raw().size(), false);

    /// The matrix with the elements of an array of any shape on its diagonal, in row-major order, and zeros elsewhere; NumPy's
    /// `diagflat`. Another diagonal than the main one is `gpu::diagflat!(&a, k = 1)`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let d = gpu::diagflat(&gpu::array(&[[1, 2], [3, 4]]));
    /// assert_eq!((d.shape(), d.diagonal().tolist()), (&[4, 4][..], vec![1, 2, 3, 4]));
    /// ```
    pub fn diagflat<A: OnDevice<Elem = T>, T: Element>(v: &A) -> DeviceArray<T> => flat_diagonal(v.raw(), 0);
}

/// Sets the elements `[i, i]` of an array, or `[i, i, i]` if it has three axes, and so on: to one value, or to the elements of
/// an array, which start over when there are fewer. NumPy's `fill_diagonal`. Writes to the array that this is a view of, too.
/// With `gpu::fill_diagonal!(&mut a, 1.0, wrap = true)` the diagonal of a tall matrix starts over, a row further down.
///
/// **Panics** if the array has less than two axes, or more than two of different lengths, if there are no values
/// ([`Error::InvalidShape`]), a device differs, or if this is a view made by [`broadcast_to`](DeviceArray::broadcast_to).
///
/// ```
/// use warpcell as gpu;
/// let mut a = gpu::zeros::<f64>((2, 2));
/// gpu::fill_diagonal(&mut a, 3.0);
/// assert_eq!(a.ravel().tolist(), [3.0, 0.0, 0.0, 3.0]);
/// ```
#[track_caller]
pub fn fill_diagonal<T: Element>(a: &mut DeviceArray<T>, val: impl Operand<T>) {
    check(filled_diagonal(&a.raw, val.raw_operand(), false));
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

/// A view of a diagonal, as the last axis.
pub(crate) fn diagonal_along(name: &'static str, x: &RawArray, offset: isize, axes: [isize; 2]) -> Result<RawArray> {
    let rank = x.shape().len();
    if rank < 2 {
        return Err(Error::shape(name, x.shape(), "has no diagonal; give an array with at least two axes"));
    }
    let [first, second] = [axis_of(name, x.shape(), axes[0])?, axis_of(name, x.shape(), axes[1])?];
    if first == second {
        return Err(Error::shape(
            name,
            x.shape(),
            format!("has no diagonal of axis {first} and itself; give two axes"),
        ));
    }
    let Layout { mut shape, mut strides, offset: begin } = x.layout.clone();
    let (rows, columns) = (shape[first], shape[second]);
    let (down, right) = (strides[first], strides[second]);
    for axis in [first.max(second), first.min(second)] {
        shape.remove(axis);
        strides.remove(axis);
    }
    let (row, column) = (offset.min(0).unsigned_abs(), offset.max(0).unsigned_abs());
    let length = rows.saturating_sub(row).min(columns.saturating_sub(column));
    let start = if length == 0 { 0 } else { row as isize * down + column as isize * right };
    shape.push(length);
    strides.push(down + right);
    let offset = begin.checked_add_signed(start).expect("within the allocation");
    Ok(x.with_layout(Layout { shape, strides, offset }))
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
        _ => {
            Err(Error::shape(NAME, x.shape(), "is neither 1-D nor 2-D; use `a.diagonal()`, or `ravel` the array first"))
        }
    }
}

/// `triu` or `tril` from the diagonal `k` on.
pub(crate) fn triangle(name: &'static str, x: &RawArray, k: isize) -> Result<RawArray> {
    let [.., rows, columns] = *x.shape() else {
        let reason = "is not a matrix; give an array with at least two axes";
        return Err(Error::shape(name, x.shape(), reason));
    };
    let is_kept = triangle_mask(name, &x.handle, [rows, columns], k, name == "triu")?;
    choose(&is_kept, x, Scalar::zero(x.dtype))
}

/// Which elements of a matrix lie on the diagonal `k` or on one side of it: above, or below.
pub(crate) fn triangle_mask(
    name: &'static str,
    handle: &Handle,
    [rows, columns]: [usize; 2],
    k: isize,
    is_upper: bool,
) -> Result<RawArray> {
    let [down, right] = places(name, handle, [rows, columns], k)?;
    let comparison = if is_upper { BinaryOperation::GreaterEqual } else { BinaryOperation::LessEqual };
    binary(name, comparison, &right, &down)
}

/// The number of each row plus `k`, as a column, and of each column.
fn places(name: &'static str, handle: &Handle, [rows, columns]: [usize; 2], k: isize) -> Result<[RawArray; 2]> {
    let (down, right) = (numbers(name, handle, rows)?, numbers(name, handle, columns)?);
    let down = down.with_layout(Layout::contiguous(&[rows, 1]));
    // Rows are moved, not the distances, which are as many as the matrix has elements.
    Ok([binary(name, BinaryOperation::Add, &down, Scalar::I64(k as i64))?, right])
}

/// `tri` with all arguments.
pub(crate) fn ones_below(name: &'static str, shape: [usize; 2], k: isize, dtype: DType) -> Result<RawArray> {
    let handle = device::current()?;
    if dtype != DType::F64 {
        return triangle_mask(name, &handle, shape, k, false)?.converted(name, dtype);
    }
    let [down, right] = places(name, &handle, shape, k)?;
    ones_up_to(name, [&right, &down])
}

/// `eye` with all arguments.
pub(crate) fn ones_on_diagonal(name: &'static str, shape: [usize; 2], k: isize, dtype: DType) -> Result<RawArray> {
    let out = RawArray::filled(name, &device::current()?, &shape, Scalar::zero(dtype))?;
    let diagonal = diagonal_view(&out, k);
    if diagonal.size() > 0 {
        out.handle.backend.fill(Scalar::one(dtype), diagonal.view())?;
    }
    Ok(out)
}

/// Up to so many columns are made one after the other, each in its own block of memory.
const FEW_COLUMNS: usize = 32;

/// `vander` with all arguments. Many columns are running products along rows of 1 and the same element again and again.
pub(crate) fn powers_of(x: &RawArray, columns: usize, is_increasing: bool) -> Result<RawArray> {
    const NAME: &str = "vander";
    let [rows] = *x.shape() else {
        let reason = "is not 1-D; `ravel` the array first";
        return Err(Error::shape(NAME, x.shape(), reason));
    };
    if (1..=FEW_COLUMNS).contains(&columns) {
        let wide = if x.dtype == x.dtype.sum() { x.clone() } else { x.converted(NAME, x.dtype.sum())? };
        return powers(NAME, &wide, columns - 1, !is_increasing);
    }
    let factors = RawArray::uninitialised(NAME, &x.handle, &[rows, columns], x.dtype)?;
    if columns > 0 {
        let column = x.with_layout(Layout {
            shape: vec![rows, 1],
            strides: vec![x.layout.strides[0], 0],
            offset: x.layout.offset,
        });
        assign(NAME, &factors, &column)?;
        let first = slice_axis(&factors, 1, 0, 1, 1);
        if first.size() > 0 {
            x.handle.backend.fill(Scalar::one(x.dtype), first.view())?;
        }
    }
    let powers = scan_axis(NAME, ScanOperation::Product, &factors, 1)?;
    if is_increasing { Ok(powers) } else { Ok(slice_axis(&powers, 1, columns.saturating_sub(1), -1, columns)) }
}

/// `diagflat` for the diagonal `k`.
pub(crate) fn flat_diagonal(x: &RawArray, k: isize) -> Result<RawArray> {
    x.flat("diagflat").and_then(|flat| diagonal_of(&flat, k))
}

/// `fill_diagonal` with all arguments.
pub(crate) fn filled_diagonal(a: &RawArray, values: RawOperand<'_>, wraps: bool) -> Result<()> {
    const NAME: &str = "fill_diagonal";
    writable(NAME, a)?;
    let invalid = |shape: &[usize], reason: &str| Error::shape(NAME, shape, reason);
    let shape = a.shape();
    if shape.len() < 2 {
        return Err(invalid(shape, "has no diagonal; give an array with at least two axes"));
    }
    if shape.len() > 2 && shape.iter().any(|&length| length != shape[0]) {
        return Err(invalid(
            shape,
            "has more than two axes, whose lengths differ; give an array whose axes have one length",
        ));
    }
    let step: isize = a.layout.strides.iter().sum();
    let (rows, columns) = (shape[0], shape[1]);
    let line = |offset: usize, shape: &[usize], strides: &[isize]| {
        a.with_layout(Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset })
    };
    // The diagonals of the squares that lie below one another, with a row between them; and of what is left below them.
    let (squares, left) = if shape.len() == 2 && wraps && rows > columns && columns > 0 {
        let (whole, left) = (rows / (columns + 1), rows % (columns + 1));
        let down = a.layout.strides[0] * (columns as isize + 1);
        let offset =
            if left > 0 { a.layout.offset.checked_add_signed(down * whole as isize) } else { Some(a.layout.offset) };
        let squares = line(a.layout.offset, &[whole, columns], &[down, step]);
        (squares, Some(line(offset.expect("within the allocation"), &[left.min(columns)], &[step])))
    } else {
        (line(a.layout.offset, &[shape.iter().copied().min().unwrap_or(0)], &[step]), None)
    };
    let count = squares.size();
    let total = count + left.as_ref().map_or(0, RawArray::size);
    if total == 0 {
        return Ok(());
    }
    let values = match values {
        RawOperand::Scalar(value) => {
            for part in [Some(&squares), left.as_ref()].into_iter().flatten().filter(|part| part.size() > 0) {
                a.handle.backend.fill(value, part.view())?;
            }
            return Ok(());
        }
        RawOperand::Array(values) => values,
    };
    a.same_device(NAME, values)?;
    if values.size() == 0 {
        return Err(invalid(values.shape(), "of the values has no elements; give at least one"));
    }
    let values = resized(NAME, values, &[total])?;
    let part = |start: usize, like: &RawArray| {
        slice_axis(&values, 0, start, 1, like.size())
            .flat(NAME)
            .map(|flat| flat.with_layout(Layout { offset: flat.layout.offset, ..Layout::contiguous(like.shape()) }))
    };
    assign(NAME, &squares, &part(0, &squares)?)?;
    match &left {
        Some(left) => assign(NAME, left, &part(count, left)?),
        None => Ok(()),
    }
}
