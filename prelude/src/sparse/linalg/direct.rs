//! Equations by factorisation and by substitution, on the host.

use super::super::make::square;
use super::super::matrix::SparseMatrix;
use super::super::raw::{Format, RawSparse};
use crate::array::{DeviceArray, RawArray, transfer};
use crate::dtype::{DType, Float};
use crate::error::{Error, Result, check};
use crate::host::sparse::Factors;
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

/// The LU factors of a square sparse matrix, on the host; [`splu`] makes them. SciPy's `SuperLU`.
#[derive(Clone)]
pub struct SparseLu<T: Float> {
    factors: Rc<RawFactors>,
    element: PhantomData<T>,
}

struct RawFactors {
    factors: Factors,
    rows: usize,
}

/// A matrix on the host, by columns.
struct Columns {
    pointers: Vec<i32>,
    indices: Vec<i32>,
    values: Vec<f64>,
}

impl Columns {
    fn of(operation: &'static str, matrix: &RawSparse, format: Format) -> Result<Columns> {
        matrix.handle().may_wait(operation)?;
        let matrix = matrix.to(operation, format)?.canonical(operation)?;
        Ok(Columns {
            pointers: transfer::download_vec(&matrix.first)?,
            indices: transfer::download_vec(&matrix.second)?,
            values: transfer::download_vec(&matrix.data.converted(operation, DType::F64)?)?,
        })
    }
}

/// The columns of a right side, one after another, on the host.
fn right_side(operation: &'static str, b: &RawArray, rows: usize) -> Result<Vec<f64>> {
    if !matches!(b.shape().len(), 1 | 2) || b.shape()[0] != rows {
        let reason = format!("of `b` is not that of the right side; give [{rows}] or [{rows}, columns]");
        return Err(Error::shape(operation, b.shape(), reason));
    }
    b.handle.may_wait(operation)?;
    let turned = if b.shape().len() == 2 { b.moved(0, 1) } else { b.clone() };
    transfer::download_vec(&turned.converted(operation, DType::F64)?)
}

/// Such columns as an array like the right side.
fn solution(operation: &'static str, columns: &[f64], b: &RawArray, dtype: DType) -> Result<RawArray> {
    b.handle.may_upload(operation)?;
    let shape: Vec<usize> = b.shape().iter().rev().copied().collect();
    let turned = RawArray::of_floats(operation, &b.handle, &shape, columns.iter().copied(), dtype)?;
    if shape.len() == 2 { turned.moved(0, 1).contiguous(operation) } else { Ok(turned) }
}

#[cold]
fn singular(operation: &'static str) -> Error {
    Error::argument(operation, "the matrix is singular, so the equations have no single solution; try `linalg::lsqr`")
}

fn factors(operation: &'static str, matrix: &RawSparse) -> Result<RawFactors> {
    let rows = square(operation, matrix)?;
    let Columns { pointers, indices, values } = Columns::of(operation, matrix, Format::Csc)?;
    // A column or a row without elements; the factorisation wants one in each.
    if pointers.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(singular(operation));
    }
    let factors = Factors::new(&pointers, &indices, &values).ok_or_else(|| singular(operation))?;
    Ok(RawFactors { factors, rows })
}

fn solve(operation: &'static str, of: &RawFactors, b: &RawArray, transposes: bool, dtype: DType) -> Result<RawArray> {
    let mut columns = right_side(operation, b, of.rows)?;
    let is_finite = columns.iter().all(|value| value.is_finite());
    if of.rows > 0 {
        of.factors.solve(&mut columns, transposes);
    }
    if is_finite && columns.iter().any(|value| !value.is_finite()) {
        return Err(singular(operation));
    }
    solution(operation, &columns, b, dtype)
}

impl<T: Float> SparseLu<T> {
    /// How many rows and columns the matrix has.
    pub fn shape(&self) -> [usize; 2] {
        [self.factors.rows; 2]
    }

    /// The solution for a vector, or for each column of a matrix, on its device.
    ///
    /// **Panics** if it has another number of rows ([`Error::InvalidShape`]), or the matrix is singular ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn solve(&self, b: &DeviceArray<T>) -> DeviceArray<T> {
        DeviceArray::from_raw(check(solve("solve", &self.factors, &b.raw, false, T::DTYPE)))
    }

    /// The solution of the equations of the transposed matrix; SciPy's `solve(b, trans="T")`.
    ///
    /// **Panics** as [`solve`](Self::solve) does.
    #[track_caller]
    pub fn solve_transposed(&self, b: &DeviceArray<T>) -> DeviceArray<T> {
        DeviceArray::from_raw(check(solve("solve_transposed", &self.factors, &b.raw, true, T::DTYPE)))
    }
}

impl<T: Float> fmt::Debug for SparseLu<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LU factors of a sparse matrix, shape ({0}, {0}), on the host", self.factors.rows)
    }
}

/// The LU factors of a square matrix, for several right sides: columns in an order that keeps the factors sparse, rows by their pivots
/// (`faer`, in `f64`). Computed on the host. SciPy's `splu`.
///
/// **Panics** if the matrix is not square ([`Error::InvalidShape`]), or its pattern alone makes it singular ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::diags_with(&[-1.0, 3.0, -1.5], &[-1, 0, 1], (50, 50));
/// let factors = gpu::sparse::linalg::splu(&a);
/// let b = gpu::ones::<f64>(50);
/// assert!(gpu::allclose(&a.dot(&factors.solve(&b)), &b));
/// ```
#[track_caller]
pub fn splu<T: Float>(a: &SparseMatrix<T>) -> SparseLu<T> {
    SparseLu { factors: Rc::new(check(factors("splu", &a.raw))), element: PhantomData }
}

/// The same as [`splu`]; SciPy's `factorized` gives its method `solve`.
///
/// **Panics** as [`splu`] does.
///
/// ```
/// use warpcell as gpu;
/// let factors = gpu::sparse::linalg::factorized(&(gpu::sparse::eye::<f64>(3) * 2.0));
/// assert_eq!(factors.solve(&gpu::ones::<f64>(3)).tolist(), [0.5; 3]);
/// ```
#[track_caller]
pub fn factorized<T: Float>(a: &SparseMatrix<T>) -> SparseLu<T> {
    splu(a)
}

/// Solves equations of a square matrix for a vector, or for each column of a dense matrix, by [`splu`]. Computed on the host. SciPy's
/// `spsolve`.
///
/// **Panics** if the matrix is not square or `b` does not fit ([`Error::InvalidShape`]), or the matrix is singular
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::csr_matrix(&gpu::array(&[[2.0, 1.0], [0.0, 4.0]]));
/// let x = gpu::sparse::linalg::spsolve(&a, &gpu::array(&[4.0, 8.0]));
/// assert!(gpu::allclose(&x, &[1.0, 2.0]));
/// ```
#[track_caller]
pub fn spsolve<T: Float>(a: &SparseMatrix<T>, b: &DeviceArray<T>) -> DeviceArray<T> {
    let solved = || {
        let operation = "spsolve";
        a.raw.data.same_device(operation, &b.raw)?;
        solve(operation, &factors(operation, &a.raw)?, &b.raw, false, T::DTYPE)
    };
    DeviceArray::from_raw(check(solved()))
}

/// Solves equations of a lower triangular matrix; see [`spsolve_triangular_with`]. SciPy's `spsolve_triangular`:
/// `gpu::sparse::linalg::spsolve_triangular!(&a, &b, lower = false, unit_diagonal = true)` has its keywords.
///
/// **Panics** as [`spsolve_triangular_with`] does.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::csr_matrix(&gpu::array(&[[2.0, 0.0], [1.0, 4.0]]));
/// assert_eq!(gpu::sparse::linalg::spsolve_triangular(&a, &gpu::array(&[2.0, 9.0])).tolist(), [1.0, 2.0]);
/// ```
#[track_caller]
pub fn spsolve_triangular<T: Float>(a: &SparseMatrix<T>, b: &DeviceArray<T>) -> DeviceArray<T> {
    spsolve_triangular_with(a, b, true, false)
}

/// Solves equations of a triangular matrix, `lower` or upper, by substitution, for a vector or for each column of a dense matrix. With
/// `unit_diagonal` the diagonal is taken for ones. Computed on the host.
///
/// **Panics** if the matrix is not square or `b` does not fit ([`Error::InvalidShape`]), or there is an element on the other side of the
/// diagonal, or a zero on it ([`Error::InvalidArgument`]).
#[track_caller]
pub fn spsolve_triangular_with<T: Float>(
    a: &SparseMatrix<T>,
    b: &DeviceArray<T>,
    lower: bool,
    unit_diagonal: bool,
) -> DeviceArray<T> {
    let solved = || {
        let operation = "spsolve_triangular";
        a.raw.data.same_device(operation, &b.raw)?;
        let rows = square(operation, &a.raw)?;
        let by_rows = Columns::of(operation, &a.raw, Format::Csr)?;
        let mut columns = right_side(operation, &b.raw, rows)?;
        substitute(operation, &by_rows, &mut columns, rows, lower, unit_diagonal)?;
        solution(operation, &columns, &b.raw, T::DTYPE)
    };
    DeviceArray::from_raw(check(solved()))
}

fn substitute(
    operation: &'static str,
    a: &Columns,
    columns: &mut [f64],
    rows: usize,
    lower: bool,
    unit_diagonal: bool,
) -> Result<()> {
    let mut diagonal = vec![0.0; rows];
    for (row, pivot) in diagonal.iter_mut().enumerate() {
        for at in a.pointers[row] as usize..a.pointers[row + 1] as usize {
            let column = a.indices[at] as usize;
            if column == row {
                *pivot = a.values[at];
            } else if (column > row) == lower && a.values[at] != 0.0 {
                let side = if lower { "lower" } else { "upper" };
                let reason = format!(
                    "the element [{row}, {column}] is {}, so the matrix is not {side} triangular",
                    a.values[at]
                );
                return Err(Error::argument(operation, reason));
            }
        }
        if unit_diagonal {
            *pivot = 1.0;
        } else if *pivot == 0.0 {
            return Err(Error::argument(operation, format!("the element [{row}, {row}] is 0; the matrix is singular")));
        }
    }
    for x in columns.chunks_mut(rows.max(1)) {
        for step in 0..rows {
            let row = if lower { step } else { rows - 1 - step };
            let mut sum = x[row];
            for at in a.pointers[row] as usize..a.pointers[row + 1] as usize {
                let column = a.indices[at] as usize;
                if column != row {
                    sum -= a.values[at] * x[column];
                }
            }
            x[row] = sum / diagonal[row];
        }
    }
    Ok(())
}
