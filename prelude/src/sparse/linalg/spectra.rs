//! Eigenvalues, singular values, norms and functions of sparse matrices.

use super::super::make::{eye, square};
use super::super::matrix::SparseMatrix;
use super::iterative::orthogonal;
use super::operator::{Apply, Ready};
use super::vectors::Vectors;
use crate::array::{DeviceArray, RawArray, assign, slice_axis, transfer};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::device::Device;
use crate::dtype::Float;
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use crate::operations::elementwise::{binary, unary};
use crate::operations::products::multiply;
use crate::operations::reduce::reduce_all;

/// Which eigenvalues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    LargestMagnitude,
    SmallestMagnitude,
    Largest,
    Smallest,
    BothEnds,
}

impl Which {
    fn of(operation: &'static str, word: &str) -> Result<Which> {
        Ok(match word {
            "LM" => Which::LargestMagnitude,
            "SM" => Which::SmallestMagnitude,
            "LA" => Which::Largest,
            "SA" => Which::Smallest,
            "BE" => Which::BothEnds,
            _ => {
                let reason = format!("`which` is {word:?}; give \"LM\", \"SM\", \"LA\", \"SA\" or \"BE\"");
                return Err(Error::argument(operation, reason));
            }
        })
    }

    /// The positions of the `k` that are wanted among ascending values, ascending.
    fn chosen(self, values: &[f64], k: usize) -> Vec<usize> {
        let count = values.len();
        let mut order: Vec<usize> = (0..count).collect();
        match self {
            Which::LargestMagnitude => order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs())),
            Which::SmallestMagnitude => order.sort_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs())),
            Which::Largest => order.reverse(),
            Which::Smallest => {}
            Which::BothEnds => {
                let low = k / 2;
                order = (0..low).chain(count - (k - low)..count).collect();
            }
        }
        order.truncate(k);
        order.sort_unstable();
        order
    }
}

/// The eigenvalues, ascending, and the eigenvectors in the columns of the second matrix, of a small symmetric one: by rows, on the host.
fn small(matrix: &[f64], n: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    Device::Cpu.scope(|| {
        let matrix = crate::array::create::of_values(matrix.to_vec())?;
        let (values, vectors) = crate::linalg::eigh(&matrix.reshape((n, n)));
        Ok((transfer::download_vec(&values.raw)?, transfer::download_vec(&vectors.raw)?))
    })
}

/// What `eigsh` is asked for.
struct Wanted {
    k: usize,
    which: Which,
    ncv: Option<usize>,
    maxiter: Option<usize>,
    tol: f64,
}

/// Lanczos' iteration with thick restarts: the wanted Ritz vectors stay as the basis. All vectors are kept orthogonal.
/// Source: Wu and Simon, "Thick-Restart Lanczos Method for Large Symmetric Eigenvalue Problems" (2000).
fn lanczos(
    vectors: &Vectors,
    product: &dyn Fn(&RawArray) -> Result<RawArray>,
    n: usize,
    start: RawArray,
    wanted: &Wanted,
) -> Result<(Vec<f64>, RawArray)> {
    let operation = vectors.operation;
    let k = wanted.k;
    let size = wanted.ncv.unwrap_or((2 * k + 1).max(20)).clamp((k + 2).min(n), n);
    let maxiter = wanted.maxiter.unwrap_or(10 * n);
    let epsilon = if vectors.dtype == crate::dtype::DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let tolerance = if wanted.tol > 0.0 { wanted.tol } else { epsilon };
    let basis = RawArray::uninitialised(operation, &vectors.handle, &[size + 1, n], vectors.dtype)?;
    let row =
        |at: usize| basis.with_layout(Layout { offset: basis.layout.offset + at * n, ..Layout::contiguous(&[n]) });
    let rows = |count: usize| slice_axis(&basis, 0, 0, 1, count);
    let length = vectors.norm(&start)?;
    assign(operation, &row(0), &vectors.scaled(1.0 / length, &start)?)?;
    // The matrix in the basis.
    let mut projected = vec![0.0; size * size];
    let mut known = 0;
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for round in 0.. {
        let mut beta = 0.0;
        for at in known..size {
            let (next, parts, left) = orthogonal(vectors, product(&row(at))?, &rows(at + 1))?;
            for (other, &part) in parts.iter().enumerate() {
                projected[at * size + other] = part;
                projected[other * size + at] = part;
            }
            beta = left;
            let scale = parts.iter().fold(0.0f64, |most, part| most.max(part.abs())).max(left);
            if left <= 10.0 * epsilon * scale || left == 0.0 {
                // The space is invariant: any other direction goes on.
                beta = 0.0;
                if at + 1 < n {
                    let mut draw = || {
                        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        (random >> 33) as f64 / (1u64 << 31) as f64 - 0.5
                    };
                    let other: Vec<f64> = (0..n).map(|_| draw()).collect();
                    let other = vectors.numbers(&other, &[n])?;
                    let (next, _, left) = orthogonal(vectors, other, &rows(at + 1))?;
                    assign(operation, &row(at + 1), &vectors.scaled(1.0 / left, &next)?)?;
                }
            } else {
                assign(operation, &row(at + 1), &vectors.scaled(1.0 / left, &next)?)?;
            }
        }
        let (values, columns) = small(&projected, size)?;
        let chosen = wanted.which.chosen(&values, k);
        let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs())).max(f64::MIN_POSITIVE);
        // What each Ritz pair lacks.
        let residual = |at: usize| (beta * columns[(size - 1) * size + at]).abs();
        let converged = chosen
            .iter()
            .filter(|&&at| residual(at) <= tolerance * values[at].abs().max(epsilon.powf(2.0 / 3.0) * largest))
            .count();
        let is_done = converged == k || size == n;
        if !is_done && round * (size - k) >= maxiter {
            let reason = format!(
                "{converged} of {k} eigenvalues have converged in {maxiter} products; give a larger `maxiter` or `ncv`, or a `tol`"
            );
            return Err(Error::argument(operation, reason));
        }
        // More than are wanted stay: that makes it converge sooner.
        let stay = if is_done { k } else { (k + (size - k) / 2).min(size - 1).max(k) };
        let kept = if is_done { chosen } else { wanted.which.chosen(&values, stay) };
        let mut turn = vec![0.0; kept.len() * size];
        for (place, &at) in kept.iter().enumerate() {
            for other in 0..size {
                turn[place * size + other] = columns[other * size + at];
            }
        }
        let turn = vectors.numbers(&turn, &[kept.len(), size])?;
        let ritz = multiply(operation, &turn, &rows(size))?;
        if is_done {
            return Ok((kept.iter().map(|&at| values[at]).collect(), ritz));
        }
        let last = row(size).copied(operation)?;
        assign(operation, &rows(kept.len()), &ritz)?;
        assign(operation, &row(kept.len()), &last)?;
        projected.fill(0.0);
        for (place, &at) in kept.iter().enumerate() {
            projected[place * size + place] = values[at];
        }
        known = kept.len();
    }
    unreachable!("the loop ends by its rounds")
}

fn symmetric(
    operation: &'static str,
    a: &Ready<'_>,
    like: &Vectors,
    wanted: &Wanted,
    v0: Option<RawArray>,
) -> Result<(Vec<f64>, RawArray)> {
    let [rows, columns] = a.shape;
    if rows != columns {
        return Err(Error::shape(operation, a.shape, "is not that of a square matrix"));
    }
    if wanted.k == 0 || wanted.k > rows {
        let reason = format!("`k` is {}; give a number from 1 to {rows}, the rows of the matrix", wanted.k);
        return Err(Error::argument(operation, reason));
    }
    let start = match v0 {
        Some(v0) => like.right_side(&v0, rows)?,
        None => {
            // The same numbers each time, in no direction that a matrix is likely to have.
            let numbers: Vec<f64> =
                (0..rows).map(|at| (((at as f64 + 1.0) * 0.754_877_666).fract() - 0.5) + 0.75).collect();
            like.numbers(&numbers, &[rows])?
        }
    };
    lanczos(like, &*a.product, rows, start, wanted)
}

/// Some eigenvalues and eigenvectors of a symmetric matrix: the six of the largest magnitude, ascending, the eigenvector of `w[i]` in
/// column `i`. SciPy's `eigsh`: `gpu::sparse::linalg::eigsh!(&a, k = 3, which = "SA", return_eigenvectors = false)` has its keywords;
/// with `false` it gives the eigenvalues only. By Lanczos' iteration with thick restarts, on the device of the matrix; the host finds the
/// eigenvalues of small matrices, and waits in each iteration.
///
/// **Panics** if the matrix is not square ([`Error::InvalidShape`]), `k` is larger than it, or the eigenvalues do not converge
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::diags_with(&[-1.0, 2.0, -1.0], &[-1, 0, 1], (100, 100));
/// let (w, v) = gpu::sparse::linalg::eigsh(&a);
/// assert_eq!((w.shape(), v.shape()), (&[6][..], &[100, 6][..]));
/// assert!(gpu::allclose(&a.dot(&v), &(&v * &w)));
/// ```
#[track_caller]
pub fn eigsh<T: Float>(a: &SparseMatrix<T>) -> (DeviceArray<T>, DeviceArray<T>) {
    eigsh_with(a, None, None, None, None, None, None)
}

fn eigen<T: Float>(
    a: &SparseMatrix<T>,
    k: Option<usize>,
    which: Option<&str>,
    v0: Option<&DeviceArray<T>>,
    ncv: Option<usize>,
    maxiter: Option<usize>,
    tol: Option<f64>,
) -> Result<(RawArray, RawArray)> {
    let operation = "eigsh";
    let which = Which::of(operation, which.unwrap_or("LM"))?;
    let wanted = Wanted { k: k.unwrap_or(6), which, ncv, maxiter, tol: tol.unwrap_or(0.0) };
    let vectors = Vectors::of(operation, &a.raw.data)?;
    let v0 = v0.map(|v0| (*v0.raw).clone());
    let (values, rows) = symmetric(operation, &a.ready(operation)?, &vectors, &wanted, v0)?;
    Ok((vectors.numbers(&values, &[values.len()])?, rows.moved(0, 1).contiguous(operation)?))
}

/// As [`eigsh`], with SciPy's other arguments: `k` of them, `which` is "LM" or "SM" (magnitude), "LA" or "SA" (largest or smallest) or
/// "BE" (from both ends); `ncv` is how many vectors are kept, `maxiter` the most products, `tol` the accuracy that is enough, relative to
/// the eigenvalue.
///
/// **Panics** as [`eigsh`] does.
#[track_caller]
pub fn eigsh_with<T: Float>(
    a: &SparseMatrix<T>,
    k: Option<usize>,
    which: Option<&str>,
    v0: Option<&DeviceArray<T>>,
    ncv: Option<usize>,
    maxiter: Option<usize>,
    tol: Option<f64>,
) -> (DeviceArray<T>, DeviceArray<T>) {
    let (w, v) = check(eigen(a, k, which, v0, ncv, maxiter, tol));
    (DeviceArray::from_raw(w), DeviceArray::from_raw(v))
}

/// As [`eigsh_with`], the eigenvalues only.
///
/// **Panics** as [`eigsh`] does.
#[track_caller]
pub fn eigvalsh_with<T: Float>(
    a: &SparseMatrix<T>,
    k: Option<usize>,
    which: Option<&str>,
    v0: Option<&DeviceArray<T>>,
    ncv: Option<usize>,
    maxiter: Option<usize>,
    tol: Option<f64>,
) -> DeviceArray<T> {
    DeviceArray::from_raw(check(eigen(a, k, which, v0, ncv, maxiter, tol)).0)
}

/// The largest singular values of a matrix, six of them, and their vectors: `(u, s, vt)`, the values ascending as SciPy's `svds` gives
/// them: `gpu::sparse::linalg::svds!(&a, k = 3, return_singular_vectors = false)` has its keywords. By the eigenvalues of the smaller
/// one of `aᵀ a` and `a aᵀ`, so values below the largest one times the square root of the accuracy are not exact.
///
/// **Panics** if `k` is larger than the smaller length ([`Error::InvalidArgument`]), and as [`eigsh`] does.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::diags_with(&[1.0, 0.5], &[0, 1], (40, 30));
/// let (u, s, vt) = gpu::sparse::linalg::svds(&a);
/// assert!(gpu::allclose(&a.dot(&vt.t().copy()), &(&u * &s)));
/// ```
#[track_caller]
pub fn svds<T: Float>(a: &SparseMatrix<T>) -> (DeviceArray<T>, DeviceArray<T>, DeviceArray<T>) {
    svds_with(a, None, None, None, None, None, None)
}

fn singular<T: Float>(
    a: &SparseMatrix<T>,
    k: Option<usize>,
    ncv: Option<usize>,
    tol: Option<f64>,
    which: Option<&str>,
    v0: Option<&DeviceArray<T>>,
    maxiter: Option<usize>,
) -> Result<[RawArray; 3]> {
    let operation = "svds";
    let which = match which.unwrap_or("LM") {
        "LM" => Which::Largest,
        "SM" => Which::Smallest,
        word => return Err(Error::argument(operation, format!("`which` is {word:?}; give \"LM\" or \"SM\""))),
    };
    let vectors = Vectors::of(operation, &a.raw.data)?;
    let [rows, columns] = a.shape();
    let (forward, back) = (a.ready(operation)?, a.transposed(operation)?);
    let is_tall = rows >= columns;
    let n = rows.min(columns);
    let (first, second) = if is_tall { (&forward, &back) } else { (&back, &forward) };
    let product = |x: &RawArray| (second.product)(&(first.product)(x)?);
    let gram = Ready { shape: [n, n], product: Box::new(product) };
    let wanted = Wanted { k: k.unwrap_or(6), which, ncv, maxiter, tol: tol.unwrap_or(0.0) };
    let v0 = v0.map(|v0| (*v0.raw).clone());
    let (squares, near) = symmetric(operation, &gram, &vectors, &wanted, v0)?;
    let values: Vec<f64> = squares.iter().map(|square| square.max(0.0).sqrt()).collect();
    let far = vectors_of_the_other_side(&vectors, first, &near, &values)?;
    let s = vectors.numbers(&values, &[values.len()])?;
    let (left, right) = if is_tall { (far, near) } else { (near, far) };
    Ok([left.moved(0, 1).contiguous(operation)?, s, right])
}

/// The singular vectors, in rows, that the matrix makes of those of the other side.
fn vectors_of_the_other_side(
    vectors: &Vectors,
    product: &Ready<'_>,
    near: &RawArray,
    values: &[f64],
) -> Result<RawArray> {
    let operation = vectors.operation;
    let (count, n, length) = (values.len(), near.shape()[1], product.shape[0]);
    let far = RawArray::filled(operation, &vectors.handle, &[count, length], vectors.number(0.0))?;
    for (at, &value) in values.iter().enumerate() {
        let row = slice_axis(near, 0, at, 1, 1).contiguous(operation)?;
        let row = row.with_layout(Layout { offset: row.layout.offset, ..Layout::contiguous(&[n]) });
        let target = slice_axis(&far, 0, at, 1, 1);
        if value > 0.0 {
            assign(operation, &target, &vectors.scaled(1.0 / value, &(product.product)(&row)?)?)?;
        }
    }
    Ok(far)
}

/// As [`svds`], with SciPy's other arguments; `which` is "LM" for the largest ones, "SM" for the smallest ones.
///
/// **Panics** as [`svds`] does.
#[track_caller]
pub fn svds_with<T: Float>(
    a: &SparseMatrix<T>,
    k: Option<usize>,
    ncv: Option<usize>,
    tol: Option<f64>,
    which: Option<&str>,
    v0: Option<&DeviceArray<T>>,
    maxiter: Option<usize>,
) -> (DeviceArray<T>, DeviceArray<T>, DeviceArray<T>) {
    let [u, s, vt] = check(singular(a, k, ncv, tol, which, v0, maxiter)).map(DeviceArray::from_raw);
    (u, s, vt)
}

/// As [`svds_with`], the values only.
///
/// **Panics** as [`svds`] does.
#[track_caller]
pub fn svdvals_with<T: Float>(
    a: &SparseMatrix<T>,
    k: Option<usize>,
    ncv: Option<usize>,
    tol: Option<f64>,
    which: Option<&str>,
    v0: Option<&DeviceArray<T>>,
    maxiter: Option<usize>,
) -> DeviceArray<T> {
    let [_, s, _] = check(singular(a, k, ncv, tol, which, v0, maxiter));
    DeviceArray::from_raw(s)
}

/// The Frobenius norm: the square root of the sum of the squares. SciPy's `norm`. Waits for it.
///
/// ```
/// let a = warpcell::sparse::csr_matrix(&warpcell::array(&[[3.0, 0.0], [-4.0, 0.0]]));
/// assert_eq!(warpcell::sparse::linalg::norm(&a), 5.0);
/// assert_eq!(warpcell::sparse::linalg::norm_with(&a, 1.0), 7.0);
/// assert_eq!(warpcell::sparse::linalg::norm_axis(&a, 0).tolist(), [5.0, 0.0]);
/// ```
#[track_caller]
pub fn norm<T: Float>(a: &SparseMatrix<T>) -> T {
    let found = || {
        let matrix = a.raw.canonical("norm")?;
        Vectors::of("norm", &matrix.data)?.norm(&matrix.data)
    };
    T::from_f64(check(found()))
}

/// The norm of an order: 1 is the largest sum of the absolute values of a column, infinity that of a row; with a minus sign the smallest
/// one. Waits for it.
///
/// **Panics** for other orders, and for a matrix without columns or rows ([`Error::InvalidArgument`]).
#[track_caller]
pub fn norm_with<T: Float>(a: &SparseMatrix<T>, ord: impl IntoFloat) -> T {
    let ord = ord.into_float();
    let operation = "norm";
    let found = || {
        let axis = match ord.abs() {
            1.0 => 0,
            f64::INFINITY => 1,
            _ => {
                let reason = format!(
                    "`ord` is {ord}; give 1, -1, infinity or -infinity, or use `norm(&a)` for the Frobenius norm"
                );
                return Err(Error::argument(operation, reason));
            }
        };
        if a.shape().contains(&0) {
            return Err(Error::argument(operation, "the matrix has no elements, so it has no norm of this order"));
        }
        let end = if ord > 0.0 { ReduceOperation::Max } else { ReduceOperation::Min };
        reduce_all(operation, end, &a.raw.canonical(operation)?.sums(operation, axis, true)?)
    };
    transfer::typed_scalar(check(found()))
}

/// The square roots of the sums of the squares along an axis: of the columns for 0, of the rows for 1 or -1.
///
/// **Panics** if there is no such axis ([`Error::InvalidShape`]).
#[track_caller]
pub fn norm_axis<T: Float>(a: &SparseMatrix<T>, axis: isize) -> DeviceArray<T> {
    let operation = "norm";
    let found = || {
        let axis = crate::array::axes::axis_of(operation, &a.shape(), axis)?;
        let matrix = a.raw.canonical(operation)?;
        let squares = matrix.with_data(binary(operation, BinaryOperation::Multiply, &matrix.data, &matrix.data)?);
        unary(operation, UnaryOperation::Sqrt, &squares.sums(operation, axis, false)?)
    };
    DeviceArray::from_raw(check(found()))
}

/// The product of the exponential of a square matrix with a vector or a dense matrix, without the exponential itself. SciPy's
/// `expm_multiply`. By Taylor's series of a part of the matrix, as often as there are parts, after its mean eigenvalue was taken off.
/// Source: Al-Mohy and Higham, "Computing the Action of the Matrix Exponential" (2011).
///
/// **Panics** if the matrix is not square, or `b` has another number of rows ([`Error::InvalidShape`], [`Error::AxisMismatch`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::eye::<f64>(3) * 2.0;
/// assert!(gpu::allclose(&gpu::sparse::linalg::expm_multiply(&a, &gpu::ones::<f64>(3)), &gpu::full(3, 2.0f64.exp())));
/// ```
#[track_caller]
pub fn expm_multiply<T: Float>(a: &SparseMatrix<T>, b: &DeviceArray<T>) -> DeviceArray<T> {
    let operation = "expm_multiply";
    let found = || {
        let n = square(operation, &a.raw)?;
        let vectors = Vectors::of(operation, &b.raw)?;
        if n == 0 || b.size() == 0 {
            return a.raw.times_dense(operation, &b.raw);
        }
        let mean = a.trace().to_f64() / n as f64;
        let shifted = if mean == 0.0 { a.tocsr() } else { a - &(eye_like(a, n) * T::from_f64(mean)) };
        let matrix = shifted.tocsr().raw;
        let sums = matrix.canonical(operation)?.sums(operation, 0, true)?;
        let size = reduce_all(operation, ReduceOperation::Max, &sums)?.float().expect("a float");
        if !size.is_finite() {
            return Err(Error::argument(operation, "the matrix has an element that is not finite"));
        }
        let parts = size.ceil().max(1.0);
        let epsilon =
            if matrix.dtype() == crate::dtype::DType::F32 { f64::from(f32::EPSILON) / 2.0 } else { f64::EPSILON / 2.0 };
        let largest = |x: &RawArray| -> Result<f64> {
            let most = reduce_all(operation, ReduceOperation::Max, &unary(operation, UnaryOperation::Abs, x)?)?;
            Ok(most.float().expect("a float"))
        };
        let mut sum = b.raw.copied(operation)?;
        for _ in 0..parts as usize {
            let mut term = sum.clone();
            let mut before = largest(&term)?;
            for degree in 1..100 {
                let product = matrix.times_dense(operation, &term)?;
                term = vectors.scaled(1.0 / (parts * f64::from(degree)), &product)?;
                sum = vectors.plus(&sum, 1.0, &term)?;
                let now = largest(&term)?;
                if before + now <= epsilon * largest(&sum)? {
                    break;
                }
                before = now;
            }
            sum = vectors.scaled((mean / parts).exp(), &sum)?;
        }
        Ok(sum)
    };
    DeviceArray::from_raw(check(found()))
}

fn eye_like<T: Float>(a: &SparseMatrix<T>, n: usize) -> SparseMatrix<T> {
    a.device().scope(|| eye::<T>(n))
}

/// A square matrix times itself, `power` times; the identity for 0. SciPy's `matrix_power`.
///
/// **Panics** if the matrix is not square ([`Error::InvalidShape`]).
///
/// ```
/// let a = warpcell::sparse::csr_matrix(&warpcell::array(&[[1.0, 1.0], [0.0, 1.0]]));
/// assert_eq!(warpcell::sparse::linalg::matrix_power(&a, 5).get(&[0, 1]), 5.0);
/// ```
#[track_caller]
pub fn matrix_power<T: Float>(a: &SparseMatrix<T>, power: usize) -> SparseMatrix<T> {
    let n = check(square("matrix_power", &a.raw));
    let (mut result, mut factor, mut left) = (None, a.tocsr(), power);
    while left > 0 {
        if left % 2 == 1 {
            result = Some(match result {
                None => factor.clone(),
                Some(result) => factor.dot(&result),
            });
        }
        left /= 2;
        if left > 0 {
            factor = factor.dot(&factor);
        }
    }
    result.unwrap_or_else(|| eye_like(a, n))
}
