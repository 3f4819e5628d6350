//! Equations with triangular matrices, and those with the factors of matrices that were factorised before.
//!
//! A triangular matrix is solved by blocks: the blocks on the diagonal are inverted, all in one call, and what a block has found is
//! taken from the right sides of the others by products of matrices. So a device has few calls with much work, as in MAGMA (J. Du
//! and others, "From CUDA to OpenCL", 2012). For one matrix and one vector the CPU goes from row to row.

use super::factors::cholesky_of;
use super::stacks::{Stack, adjoint, column, line, transposed};
use crate::array::conversions::conversions;
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, shape, slice_axis, transfer};
use crate::backend::factorisations::Triangle;
use crate::backend::loops::Loops;
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::Inexact;
use crate::error::{Error, Result, check};
use crate::operations::elementwise::binary;
use crate::operations::indexing::Call;
use crate::operations::products::multiply;
use crate::thin::thin;
use std::cell::Cell;
use std::panic::Location;

/// Which matrix stands in the equations: the one that is given, its transpose, or its conjugate transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transposed {
    /// The matrix: 0 or "N".
    No,
    /// The transpose: 1 or "T".
    Yes,
    /// The conjugate transpose: 2 or "C".
    Conjugate,
}

/// What can be given as SciPy's `trans`: 0, 1 or 2, or "N", "T" or "C".
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether a matrix is transposed",
    label = "expected 0, 1, 2, \"N\", \"T\" or \"C\""
)]
pub trait Trans {
    /// What it says.
    fn transposed(self) -> Result<Transposed>;
}
conversions! {
    fn transposed(self) -> Result<Transposed>: Trans;
    Transposed => Ok(self);
    i32 => match self {
        0 => Ok(Transposed::No),
        1 => Ok(Transposed::Yes),
        2 => Ok(Transposed::Conjugate),
        _ => wrong_trans(self.to_string()),
    };
    &str => match self {
        "N" => Ok(Transposed::No),
        "T" => Ok(Transposed::Yes),
        "C" => Ok(Transposed::Conjugate),
        _ => wrong_trans(format!("{self:?}")),
    };
}

fn wrong_trans(given: String) -> Result<Transposed> {
    Err(Error::argument("trans", format!("`trans` is {given}; give 0 or \"N\", 1 or \"T\", or 2 or \"C\"")))
}

thin! {
    /// The solution x of `a · x = b` for an upper triangular matrix; what is below its diagonal is not looked at. SciPy's
    /// `linalg.solve_triangular`: `gpu::linalg::solve_triangular!(&a, &b, trans = "T", lower = true, unit_diagonal = true)` has its
    /// keywords. `b` is a vector, or a matrix with a column for each system. Waits for the device.
    ///
    /// The last two axes of `a` are matrices. If `b` has one axis it is a vector, else its last two axes are matrices; the axes
    /// before them count matrices, and are broadcast.
    ///
    /// **Panics** if an element on the diagonal is 0 ([`Error::SingularMatrix`]), a matrix is not square, `b` has another number of
    /// rows ([`Error::InvalidShape`]), the other axes do not broadcast ([`Error::ShapeMismatch`]), the arrays are on two devices, or
    /// on a CUDA device without cuSOLVER ([`Error::LibraryMissing`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[2.0, 1.0], [0.0, 4.0]]);
    /// assert_eq!(gpu::linalg::solve_triangular(&a, &gpu::array(&[4.0, 8.0])).tolist(), [1.0, 2.0]);
    /// let x = gpu::linalg::solve_triangular!(&a, &gpu::array(&[4.0, 8.0]), lower = true);
    /// assert_eq!(x.tolist(), [2.0, 2.0]);
    /// ```
    pub fn solve_triangular<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Inexact>(a: &A, b: &B) -> DeviceArray<T> =>
        solved("solve_triangular", a.raw(), b.raw(), Form::default());

    /// As [`solve_triangular`](fn@solve_triangular), with SciPy's other arguments.
    pub fn solve_triangular_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Inexact>(
        a: &A,
        b: &B,
        trans: impl Trans,
        lower: bool,
        unit_diagonal: bool
    ) -> DeviceArray<T> => trans.transposed().and_then(|transposed| {
        solved("solve_triangular", a.raw(), b.raw(), Form { transposed, lower, unit: unit_diagonal })
    });

    /// The solution x of `a · x = b` by the factors of `a` that [`lu_factor`] gave. SciPy's `linalg.lu_solve`:
    /// `gpu::linalg::lu_solve!(&factors, &b, trans = 1)` solves the equations of the transpose. Shapes are those of
    /// [`solve`](fn@super::solve). Waits for the device.
    ///
    /// **Panics** if a matrix is singular ([`Error::SingularMatrix`]), and as [`solve`](fn@super::solve) does for shapes and
    /// devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let factors = gpu::linalg::lu_factor(&gpu::array(&[[0.0, 2.0], [4.0, 1.0]]));
    /// assert_eq!(gpu::linalg::lu_solve(&factors, &gpu::array(&[2.0, 9.0])).tolist(), [2.0, 1.0]);
    /// assert_eq!(gpu::linalg::lu_solve!(&factors, &gpu::array(&[4.0, 3.0]), trans = 1).tolist(), [1.0, 1.0]);
    /// ```
    pub fn lu_solve<B: OnDevice<Elem = T>, T: Inexact>(
        lu_and_piv: &(DeviceArray<T>, DeviceArray<i64>),
        b: &B
    ) -> DeviceArray<T> => lu_solved(&lu_and_piv.0.raw, &lu_and_piv.1.raw, b.raw(), Transposed::No);

    /// As [`lu_solve`](fn@lu_solve), of the matrix, of its transpose, or of its conjugate transpose.
    pub fn lu_solve_with<B: OnDevice<Elem = T>, T: Inexact>(
        lu_and_piv: &(DeviceArray<T>, DeviceArray<i64>),
        b: &B,
        trans: impl Trans
    ) -> DeviceArray<T> => trans.transposed().and_then(|transposed| {
        lu_solved(&lu_and_piv.0.raw, &lu_and_piv.1.raw, b.raw(), transposed)
    });

    /// The solution x of `a · x = b` by the factor of `a` that [`cho_factor`](fn@cho_factor) gave. SciPy's `linalg.cho_solve`. Shapes are those of
    /// [`solve`](fn@super::solve). Waits for the device.
    ///
    /// **Panics** as [`solve_triangular`](fn@solve_triangular) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let factor = gpu::linalg::cho_factor(&gpu::array(&[[4.0, 2.0], [2.0, 5.0]]));
    /// assert_eq!(gpu::linalg::cho_solve(&factor, &gpu::array(&[8.0, 12.0])).tolist(), [1.0, 2.0]);
    /// ```
    pub fn cho_solve<B: OnDevice<Elem = T>, T: Inexact>(c_and_lower: &(DeviceArray<T>, bool), b: &B) -> DeviceArray<T> => {
        let (c, lower) = (&c_and_lower.0.raw, c_and_lower.1);
        let solved = |b: &RawArray, transposed| solved("cho_solve", c, b, Form { transposed, lower, unit: false });
        // L·Lᴴ or Uᴴ·U
        let [first, second] = if lower {
            [Transposed::No, Transposed::Conjugate]
        } else {
            [Transposed::Conjugate, Transposed::No]
        };
        solved(b.raw(), first).and_then(|half| solved(&half, second))
    };
}

/// The LU factorisation with row exchanges as LAPACK keeps it: both factors in one matrix, that with ones on its diagonal below it,
/// and for each row the row with which it was exchanged, from the first on. SciPy's `linalg.lu_factor`, for
/// [`lu_solve`](fn@lu_solve); [`lu`](fn@super::lu) gives the factors as matrices. The last two axes are matrices, of any lengths; those before them
/// count matrices. Singular matrices have factors too. Waits for the device.
///
/// **Panics** if the array has less than two axes ([`Error::InvalidShape`]), or on a CUDA device without cuSOLVER
/// ([`Error::LibraryMissing`]).
///
/// ```
/// use warpcell as gpu;
/// let (lu, piv) = gpu::linalg::lu_factor(&gpu::array(&[[1.0, 2.0], [4.0, 4.0]]));
/// assert_eq!(lu.to_host(), ndarray::array![[4.0, 4.0], [0.25, 1.0]].into_dyn());
/// assert_eq!(piv.tolist(), [1, 1]);
/// ```
#[track_caller]
pub fn lu_factor<A: OnDevice<Elem = T>, T: Inexact>(a: &A) -> (DeviceArray<T>, DeviceArray<i64>) {
    let (lu, piv) = check(lu_factors(a.raw()));
    (DeviceArray::from_raw(lu), DeviceArray::from_raw(piv))
}

/// The Cholesky factor of a symmetric or Hermitian positive definite matrix, upper triangular, and `false`. SciPy's
/// `linalg.cho_factor`, for [`cho_solve`](fn@cho_solve): `gpu::linalg::cho_factor!(&a, lower = true)` gives the lower one, and `true`. Only that
/// triangle of the matrix is read. The other triangle of the factor is 0; SciPy leaves numbers there.
///
/// **Panics** as [`cholesky`](fn@super::cholesky) does.
///
/// ```
/// use warpcell as gpu;
/// let (c, lower) = gpu::linalg::cho_factor(&gpu::array(&[[4.0, 2.0], [2.0, 5.0]]));
/// assert_eq!((c.to_host(), lower), (ndarray::array![[2.0, 1.0], [0.0, 2.0]].into_dyn(), false));
/// ```
#[track_caller]
pub fn cho_factor<A: OnDevice<Elem = T>, T: Inexact>(a: &A) -> (DeviceArray<T>, bool) {
    cho_factor_with(a, false)
}

/// As [`cho_factor`](fn@cho_factor), the lower or the upper factor.
#[track_caller]
pub fn cho_factor_with<A: OnDevice<Elem = T>, T: Inexact>(a: &A, lower: bool) -> (DeviceArray<T>, bool) {
    (DeviceArray::from_raw(check(cho_factor_of(a.raw(), lower, Some(Location::caller())))), lower)
}

fn cho_factor_of(a: &RawArray, lower: bool, call: Call) -> Result<RawArray> {
    const NAME: &str = "cho_factor";
    if lower || a.shape().len() < 2 {
        return cholesky_of(a, call).map(|[factor]| factor);
    }
    let [factor] = cholesky_of(&adjoint(NAME, a)?, call)?;
    adjoint(NAME, &factor)?.contiguous(NAME)
}

/// What is known of a triangular matrix.
#[derive(Clone, Copy)]
struct Form {
    transposed: Transposed,
    lower: bool,
    /// Whether its diagonal counts as ones.
    unit: bool,
}

impl Default for Form {
    fn default() -> Form {
        Form { transposed: Transposed::No, lower: false, unit: false }
    }
}

/// The rows and columns of a block on the diagonal.
const BLOCK: usize = 64;

/// A matrix and right sides of as many axes, which count, and whether the right side was a vector.
fn matched(operation: &'static str, a: &RawArray, b: &RawArray) -> Result<(RawArray, RawArray, Vec<usize>, bool)> {
    a.same_device(operation, b)?;
    let n = Stack::square(operation, a)?.rows();
    let is_vector = b.shape().len() == 1;
    let right = if is_vector { column(b) } else { b.clone() };
    let found = right.shape().split_last_chunk();
    let Some((counts, &[_, k])) = found.filter(|(_, [rows, _])| *rows == n) else {
        let reason = format!(
            "of the right side does not fit the shape {:?} of the matrix; give a vector of {n} elements, or a matrix of {n} rows \
             with a column for each system",
            a.shape()
        );
        return Err(Error::shape(operation, b.shape(), reason));
    };
    let leading = shape::broadcast_shapes(operation, &a.shape()[..a.shape().len() - 2], counts)?;
    let right = broadcast_to(operation, &right, &[&leading[..], &[n, k]].concat())?;
    Ok((a.clone(), right, leading, is_vector))
}

fn solved(operation: &'static str, a: &RawArray, b: &RawArray, form: Form) -> Result<RawArray> {
    let (a, right, leading, is_vector) = matched(operation, a, b)?;
    // The equations of an upper triangular matrix that is not transposed.
    let (a, lower) = match form.transposed {
        Transposed::No => (a, form.lower),
        Transposed::Yes => (transposed(&a), !form.lower),
        Transposed::Conjugate => (adjoint(operation, &a)?, !form.lower),
    };
    if is_vector
        && a.shape().len() == 2
        && let Some(out) = substituted(operation, &a, b, lower, form.unit)?
    {
        return Ok(out);
    }
    let backwards = |x: &RawArray, axis: usize| {
        let count = x.shape()[axis];
        slice_axis(x, axis, count.saturating_sub(1), -1, count)
    };
    let (rank, rows) = (a.shape().len(), right.shape().len() - 2);
    let a = if lower { backwards(&backwards(&a, rank - 1), rank - 2) } else { a };
    let n = a.shape()[rank - 1];
    let out = RawArray::uninitialised(operation, &a.handle, right.shape(), a.dtype)?;
    let (from, to) = if lower { (backwards(&right, rows), backwards(&out, rows)) } else { (right, out.clone()) };
    if out.size() > 0 {
        let a = broadcast_to(operation, &a, &[&leading[..], &[n, n]].concat())?;
        upper_solved(operation, &a, &from, &to, form.unit, lower)?;
    }
    Ok(if is_vector { line(&out) } else { out })
}

/// The solution for a vector, from row to row, if the device does so.
fn substituted(
    operation: &'static str,
    a: &RawArray,
    b: &RawArray,
    lower: bool,
    unit: bool,
) -> Result<Option<RawArray>> {
    let out = RawArray::uninitialised(operation, &a.handle, b.shape(), a.dtype)?;
    let fault = Cell::new(0);
    let loops = Loops::Substitute { a: a.view(), b: b.view(), lower, unit, fault: &fault, out: out.view() };
    if !a.handle.backend.by_loops(loops)? {
        return Ok(None);
    }
    match fault.get() {
        0 => Ok(Some(out)),
        pivot => Err(Error::SingularMatrix { operation, matrix: None, pivot }),
    }
}

/// The solutions of the equations of upper triangular matrices, from the last block to the first.
fn upper_solved(
    operation: &'static str,
    a: &RawArray,
    b: &RawArray,
    out: &RawArray,
    unit: bool,
    is_backwards: bool,
) -> Result<()> {
    let stack = Stack::new(operation, a)?;
    let (n, rows) = (stack.rows(), out.shape().len() - 2);
    let starts: Vec<usize> = (0..n).step_by(BLOCK).collect();
    let whole = n / BLOCK;
    let mut inverses = Vec::with_capacity(2);
    if whole > 0 {
        inverses.push(inverse_blocks(operation, &stack, 0, whole, BLOCK, unit, is_backwards)?);
    }
    if n % BLOCK > 0 {
        inverses.push(inverse_blocks(operation, &stack, whole * BLOCK, 1, n % BLOCK, unit, is_backwards)?);
    }
    let rank = a.shape().len();
    for (at, start) in starts.iter().copied().enumerate().rev() {
        let size = BLOCK.min(n - start);
        let inverse = if at < whole { &inverses[0] } else { &inverses[inverses.len() - 1] };
        // [count, blocks, size, size]
        let of_block = slice_axis(inverse, 1, if at < whole { at } else { 0 }, 1, 1);
        let inverse = of_block.copied(operation)?;
        let inverse = inverse.with_layout(Layout::contiguous(&[&stack.leading[..], &[size, size]].concat()));
        let mut right = slice_axis(b, rows, start, 1, size);
        let done = start + size;
        if done < n {
            let above = slice_axis(&slice_axis(a, rank - 2, start, 1, size), rank - 1, done, 1, n - done);
            let product = multiply(operation, &above, &slice_axis(out, rows, done, 1, n - done))?;
            right = binary(operation, BinaryOperation::Subtract, &right, &product)?;
        }
        assign(operation, &slice_axis(out, rows, start, 1, size), &multiply(operation, &inverse, &right)?)?;
    }
    Ok(())
}

/// The inverses of blocks on the diagonal of upper triangular matrices, `[count, blocks, size, size]`.
fn inverse_blocks(
    operation: &'static str,
    stack: &Stack,
    start: usize,
    blocks: usize,
    size: usize,
    unit: bool,
    is_backwards: bool,
) -> Result<RawArray> {
    let (count, n) = (stack.count(), stack.rows());
    let Layout { strides, offset, .. } = &stack.raw.layout;
    let diagonal = strides[1] + strides[2];
    let view = stack.raw.with_layout(Layout {
        shape: vec![count, blocks, size, size],
        strides: vec![strides[0], diagonal * size as isize, strides[1], strides[2]],
        offset: offset.checked_add_signed(diagonal * start as isize).expect("within the allocation"),
    });
    let three = Layout::contiguous(&[count * blocks, size, size]);
    let copied = view.copied(operation)?.with_layout(three.clone());
    let triangles = RawArray::uninitialised(operation, &copied.handle, &three.shape, copied.dtype)?;
    let backend = stack.backend()?;
    if unit {
        let (from, to) = (transposed(&copied), transposed(&triangles));
        backend.triangle(from.view(), Triangle::UnitLower, to.view())?;
    } else {
        backend.triangle(copied.view(), Triangle::Upper, triangles.view())?;
    }
    let inverses = RawArray::uninitialised(operation, &copied.handle, &three.shape, copied.dtype)?;
    if let Some(fault) = backend.inverses(triangles.view(), inverses.view(), None)? {
        let (matrix, block) = (fault.matrix / blocks, fault.matrix % blocks);
        let pivot = start + block * size + fault.order;
        let pivot = if is_backwards { n + 1 - pivot } else { pivot };
        let matrix = (!stack.leading.is_empty()).then_some(matrix);
        return Err(Error::SingularMatrix { operation, matrix, pivot });
    }
    Ok(inverses.with_layout(Layout::contiguous(&[count, blocks, size, size])))
}

fn lu_factors(a: &RawArray) -> Result<(RawArray, RawArray)> {
    const NAME: &str = "lu_factor";
    let stack = Stack::new(NAME, a)?;
    let (count, m, n) = (stack.count(), stack.rows(), stack.columns());
    let size = m.min(n);
    let packed = stack.output(NAME, &[m, n])?;
    let shape = [&stack.leading[..], &[size]].concat();
    if stack.is_empty() {
        return Ok((stack.unstacked(&packed), RawArray::of_indices(NAME, &a.handle, &shape, &[])?));
    }
    let order = stack.backend()?.lu(stack.raw.view(), packed.view())?;
    let mut exchanges = Vec::with_capacity(count * size);
    for order in order.chunks(m) {
        exchanges.extend(exchanges_of(order, size));
    }
    Ok((stack.unstacked(&packed), RawArray::of_indices(NAME, &a.handle, &shape, &exchanges)?))
}

/// With which row each row is exchanged, from the first on, so that the rows are in this order.
fn exchanges_of(order: &[usize], count: usize) -> Vec<i64> {
    let mut rows: Vec<usize> = (0..order.len()).collect();
    let mut places = rows.clone();
    let mut exchange = |at: usize| {
        let other = places[order[at]];
        rows.swap(at, other);
        (places[rows[at]], places[rows[other]]) = (at, other);
        other as i64
    };
    (0..count).map(&mut exchange).collect()
}

/// The order of the rows after these exchanges.
fn order_of(exchanges: &[i64]) -> Result<Vec<i64>> {
    let n = exchanges.len();
    let mut order: Vec<i64> = (0..n as i64).collect();
    for (at, exchange) in exchanges.iter().enumerate() {
        let Some(other) = usize::try_from(*exchange).ok().filter(|other| *other < n) else {
            let reason = format!("`piv` has {exchange} at {at}, but rows are from 0 to {}", n - 1);
            return Err(Error::argument("lu_solve", reason));
        };
        order.swap(at, other);
    }
    Ok(order)
}

fn lu_solved(lu: &RawArray, piv: &RawArray, b: &RawArray, transposed: Transposed) -> Result<RawArray> {
    const NAME: &str = "lu_solve";
    let (lu, right, leading, is_vector) = matched(NAME, lu, b)?;
    lu.same_device(NAME, piv)?;
    let n = lu.shape()[lu.shape().len() - 1];
    let wanted = &lu.shape()[..lu.shape().len() - 1];
    if piv.shape() != wanted {
        let reason = format!("is the shape of `piv`, but `lu` wants {wanted:?}; give what `lu_factor` gave");
        return Err(Error::shape(NAME, piv.shape(), reason));
    }
    if right.size() == 0 {
        return Ok(if is_vector { line(&right) } else { right });
    }
    piv.handle.may_wait(NAME)?;
    let mut order = Vec::with_capacity(piv.size());
    for exchanges in transfer::download_vec::<i64>(piv)?.chunks(n) {
        let rows = order_of(exchanges)?;
        if transposed == Transposed::No {
            order.extend(rows);
        } else {
            // Back to where they were.
            let mut back = vec![0; n];
            rows.iter().enumerate().for_each(|(at, row)| back[*row as usize] = at as i64);
            order.extend(back);
        }
    }
    let order = RawArray::of_indices(NAME, &lu.handle, &[wanted, &[1]].concat(), &order)?;
    let sorted = |x: &RawArray| {
        let order = broadcast_to(NAME, &order, x.shape())?;
        RawArray::written(NAME, &x.handle, x.shape(), x.dtype, |out| {
            x.handle.backend.gather(x.view(), leading.len(), order.view(), out.view())
        })
    };
    let (below, above) = (Form { transposed, lower: true, unit: true }, Form { transposed, lower: false, unit: false });
    let found = if transposed == Transposed::No {
        solved(NAME, &lu, &solved(NAME, &lu, &sorted(&right)?, below)?, above)?
    } else {
        sorted(&solved(NAME, &lu, &solved(NAME, &lu, &right, above)?, below)?)?
    };
    Ok(if is_vector { line(&found) } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_and_orders_are_each_others_opposite() {
        for order in [vec![0, 1, 2], vec![2, 0, 1], vec![1, 2, 3, 0], vec![3, 2, 1, 0], vec![]] {
            let exchanges = exchanges_of(&order, order.len());
            assert!(exchanges.iter().enumerate().all(|(at, other)| *other as usize >= at));
            let back: Vec<usize> = order_of(&exchanges).unwrap().into_iter().map(|row| row as usize).collect();
            assert_eq!(back, order);
        }
        assert!(order_of(&[0, 7]).is_err());
    }
}
